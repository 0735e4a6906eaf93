/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Packet steering: flow tables, groups, entries, match fields and destinations. */
#ifndef CXR_PRM_FLOW_H
#define CXR_PRM_FLOW_H

#include "prm.h"

/* table_type */
enum {
	PRM_FT_NIC_RX		= 0,
	PRM_FT_NIC_TX		= 1,
	PRM_FT_ESW_EGRESS	= 2,
	PRM_FT_ESW_INGRESS	= 3,
	PRM_FT_FDB		= 4,
	PRM_FT_SNIFFER_RX	= 5,
	PRM_FT_SNIFFER_TX	= 6,
	PRM_FT_RDMA_RX		= 7,
	PRM_FT_RDMA_TX		= 8,
	PRM_FT_PORT_SEL		= 9,
};

/* create_flow_table_in.op_mod */
enum {
	PRM_FT_OP_NORMAL	= 0,
	PRM_FT_OP_LAG_DEMUX	= 1,
};

/* flow_table_context.table_miss_action */
enum {
	PRM_FT_MISS_DEFAULT	= 0,
	PRM_FT_MISS_FWD		= 1,
	PRM_FT_MISS_DOMAIN	= 2,	/* of RoCE packets: to the tables of all others */
};

/* modify_flow_table_in.modify_field_select */
#define PRM_MODIFY_FT_MISS_TABLE	(1U << 0)
#define PRM_MODIFY_FT_LAG_NEXT_TABLE	(1U << 15)

/* set_flow_table_root_in.op_mod */
enum {
	PRM_FT_ROOT_SET		= 0,
	PRM_FT_ROOT_RESET	= 1,
};

/* create_flow_group_in.group_type */
enum {
	PRM_FG_TCAM		= 0,
	PRM_FG_HASH_SPLIT	= 1,	/* entries chosen by a hash of the match definer */
};

/* match_criteria_enable */
#define PRM_MATCH_OUTER		(1U << 0)
#define PRM_MATCH_MISC		(1U << 1)
#define PRM_MATCH_INNER		(1U << 2)
#define PRM_MATCH_MISC_2	(1U << 3)
#define PRM_MATCH_MISC_3	(1U << 4)
#define PRM_MATCH_MISC_4	(1U << 5)
#define PRM_MATCH_MISC_5	(1U << 6)

/* flow_context.action */
#define PRM_FLOW_ALLOW		(1U << 0)
#define PRM_FLOW_DROP		(1U << 1)
#define PRM_FLOW_FWD_DEST	(1U << 2)
#define PRM_FLOW_COUNT		(1U << 3)

/* dest_format_struct.destination_type */
enum {
	PRM_FLOW_DEST_VPORT	= 0,
	PRM_FLOW_DEST_TABLE	= 1,
	PRM_FLOW_DEST_TIR	= 2,
	PRM_FLOW_DEST_UPLINK	= 8,	/* the port of destination_eswitch_owner_vhca_id */
};

/* set_fte_in.op_mod, .modify_enable_mask */
enum {
	PRM_FTE_SET		= 0,
	PRM_FTE_MODIFY		= 1,
};

#define PRM_FTE_MODIFY_ACTION		(1U << 0)
#define PRM_FTE_MODIFY_TAG		(1U << 1)
#define PRM_FTE_MODIFY_DEST_LIST	(1U << 2)
#define PRM_FTE_MODIFY_COUNTERS		(1U << 3)

struct prm_ipv6_simple_layout_bits {
	u8 ipv6_127_96[32];
	u8 ipv6_95_64[32];
	u8 ipv6_63_32[32];
	u8 ipv6_31_0[32];
};
PRM_LAYOUT(ipv6_simple_layout, 0x10);

struct prm_ipv6_layout_bits {
	u8 ipv6[16][8];
};
PRM_LAYOUT(ipv6_layout, 0x10);

struct prm_ipv4_layout_bits {
	u8 rsvd_00[96];
	u8 ipv4[32];
};
PRM_LAYOUT(ipv4_layout, 0x10);

union prm_ipv6_layout_ipv4_layout_auto_bits {
	struct prm_ipv6_simple_layout_bits ipv6_simple_layout;
	struct prm_ipv6_layout_bits ipv6_layout;
	struct prm_ipv4_layout_bits ipv4_layout;
};

struct prm_fte_match_set_lyr_2_4_bits {
	u8 smac_47_16[32];
	u8 smac_15_0[16];
	u8 ethertype[16];
	u8 dmac_47_16[32];
	u8 dmac_15_0[16];
	u8 first_prio[3];
	u8 first_cfi[1];
	u8 first_vid[12];
	u8 ip_protocol[8];
	u8 ip_dscp[6];
	u8 ip_ecn[2];
	u8 cvlan_tag[1];
	u8 svlan_tag[1];
	u8 frag[1];
	u8 ip_version[4];
	u8 tcp_flags[9];
	u8 tcp_sport[16];
	u8 tcp_dport[16];
	u8 l4_type[2];
	u8 rsvd_c2[14];
	u8 ipv4_ihl[4];
	u8 rsvd_d4[4];
	u8 ttl_hoplimit[8];
	u8 udp_sport[16];
	u8 udp_dport[16];
	union prm_ipv6_layout_ipv4_layout_auto_bits src_ipv4_src_ipv6;
	union prm_ipv6_layout_ipv4_layout_auto_bits dst_ipv4_dst_ipv6;
};
PRM_LAYOUT(fte_match_set_lyr_2_4, 0x40);

struct prm_nvgre_key_bits {
	u8 hi[24];
	u8 lo[8];
};
PRM_LAYOUT(nvgre_key, 0x04);

union prm_gre_key_bits {
	struct prm_nvgre_key_bits nvgre;
	u8 key[32];
};

struct prm_fte_match_set_misc_bits {
	u8 gre_c_present[1];
	u8 rsvd_01[1];
	u8 gre_k_present[1];
	u8 gre_s_present[1];
	u8 source_vhca_port[4];
	u8 source_sqn[24];
	u8 source_eswitch_owner_vhca_id[16];
	u8 source_port[16];
	u8 outer_second_prio[3];
	u8 outer_second_cfi[1];
	u8 outer_second_vid[12];
	u8 inner_second_prio[3];
	u8 inner_second_cfi[1];
	u8 inner_second_vid[12];
	u8 outer_second_cvlan_tag[1];
	u8 inner_second_cvlan_tag[1];
	u8 outer_second_svlan_tag[1];
	u8 inner_second_svlan_tag[1];
	u8 rsvd_64[12];
	u8 gre_protocol[16];
	union prm_gre_key_bits gre_key;
	u8 vxlan_vni[24];
	u8 bth_opcode[8];
	u8 geneve_vni[24];
	u8 rsvd_d8[6];
	u8 geneve_tlv_option_0_exist[1];
	u8 geneve_oam[1];
	u8 rsvd_e0[12];
	u8 outer_ipv6_flow_label[20];
	u8 rsvd_100[12];
	u8 inner_ipv6_flow_label[20];
	u8 rsvd_120[10];
	u8 geneve_opt_len[6];
	u8 geneve_protocol_type[16];
	u8 rsvd_140[8];
	u8 bth_dst_qp[24];
	u8 inner_esp_spi[32];
	u8 outer_esp_spi[32];
	u8 rsvd_1a0[96];
};
PRM_LAYOUT(fte_match_set_misc, 0x40);

struct prm_fte_match_mpls_bits {
	u8 mpls_label[20];
	u8 mpls_exp[3];
	u8 mpls_s_bos[1];
	u8 mpls_ttl[8];
};
PRM_LAYOUT(fte_match_mpls, 0x04);

struct prm_fte_match_set_misc2_bits {
	struct prm_fte_match_mpls_bits outer_first_mpls;
	struct prm_fte_match_mpls_bits inner_first_mpls;
	struct prm_fte_match_mpls_bits outer_first_mpls_over_gre;
	struct prm_fte_match_mpls_bits outer_first_mpls_over_udp;
	u8 metadata_reg_c_7[32];
	u8 metadata_reg_c_6[32];
	u8 metadata_reg_c_5[32];
	u8 metadata_reg_c_4[32];
	u8 metadata_reg_c_3[32];
	u8 metadata_reg_c_2[32];
	u8 metadata_reg_c_1[32];
	u8 metadata_reg_c_0[32];
	u8 metadata_reg_a[32];
	u8 rsvd_1a0[8];
	u8 macsec_syndrome[8];
	u8 ipsec_syndrome[8];
	u8 rsvd_1b8[72];
};
PRM_LAYOUT(fte_match_set_misc2, 0x40);

struct prm_fte_match_set_misc3_bits {
	u8 inner_tcp_seq_num[32];
	u8 outer_tcp_seq_num[32];
	u8 inner_tcp_ack_num[32];
	u8 outer_tcp_ack_num[32];
	u8 rsvd_80[8];
	u8 outer_vxlan_gpe_vni[24];
	u8 outer_vxlan_gpe_next_protocol[8];
	u8 outer_vxlan_gpe_flags[8];
	u8 rsvd_b0[16];
	u8 icmp_header_data[32];
	u8 icmpv6_header_data[32];
	u8 icmp_type[8];
	u8 icmp_code[8];
	u8 icmpv6_type[8];
	u8 icmpv6_code[8];
	u8 geneve_tlv_option_0_data[32];
	u8 gtpu_teid[32];
	u8 gtpu_msg_type[8];
	u8 gtpu_msg_flags[8];
	u8 rsvd_170[16];
	u8 gtpu_dw_2[32];
	u8 gtpu_first_ext_dw_0[32];
	u8 gtpu_dw_0[32];
	u8 rsvd_1e0[32];
};
PRM_LAYOUT(fte_match_set_misc3, 0x40);

struct prm_fte_match_set_misc4_bits {
	u8 prog_sample_field_value_0[32];
	u8 prog_sample_field_id_0[32];
	u8 prog_sample_field_value_1[32];
	u8 prog_sample_field_id_1[32];
	u8 prog_sample_field_value_2[32];
	u8 prog_sample_field_id_2[32];
	u8 prog_sample_field_value_3[32];
	u8 prog_sample_field_id_3[32];
	u8 rsvd_100[256];
};
PRM_LAYOUT(fte_match_set_misc4, 0x40);

struct prm_fte_match_set_misc5_bits {
	u8 macsec_tag_0[32];
	u8 macsec_tag_1[32];
	u8 macsec_tag_2[32];
	u8 macsec_tag_3[32];
	u8 tunnel_header_0[32];
	u8 tunnel_header_1[32];
	u8 tunnel_header_2[32];
	u8 tunnel_header_3[32];
	u8 rsvd_100[256];
};
PRM_LAYOUT(fte_match_set_misc5, 0x40);

struct prm_fte_match_param_bits {
	struct prm_fte_match_set_lyr_2_4_bits outer_headers;
	struct prm_fte_match_set_misc_bits misc_parameters;
	struct prm_fte_match_set_lyr_2_4_bits inner_headers;
	struct prm_fte_match_set_misc2_bits misc_parameters_2;
	struct prm_fte_match_set_misc3_bits misc_parameters_3;
	struct prm_fte_match_set_misc4_bits misc_parameters_4;
	struct prm_fte_match_set_misc5_bits misc_parameters_5;
	u8 rsvd_e00[512];
};
PRM_LAYOUT(fte_match_param, 0x200);

struct prm_vlan_bits {
	u8 ethtype[16];
	u8 prio[3];
	u8 cfi[1];
	u8 vid[12];
};
PRM_LAYOUT(vlan, 0x04);

struct prm_flow_context_bits {
	struct prm_vlan_bits push_vlan;
	u8 group_id[32];
	u8 rsvd_40[8];
	u8 flow_tag[24];
	u8 rsvd_60[16];
	u8 action[16];
	u8 extended_destination[1];
	u8 uplink_hairpin_en[1];
	u8 flow_source[2];
	u8 encrypt_decrypt_type[4];
	u8 destination_list_size[24];
	u8 rsvd_a0[8];
	u8 flow_counter_list_size[24];
	u8 packet_reformat_id[32];
	u8 modify_header_id[32];
	struct prm_vlan_bits push_vlan_2;
	u8 encrypt_decrypt_obj_id[32];
	u8 rsvd_140[192];
	struct prm_fte_match_param_bits match_value;
	u8 rsvd_1200[1536];
	/* tail: destination */
};
PRM_LAYOUT(flow_context, 0x300);

struct prm_flow_table_context_bits {
	u8 reformat_en[1];
	u8 decap_en[1];
	u8 sw_owner[1];
	u8 termination_table[1];
	u8 table_miss_action[4];
	u8 level[8];
	u8 rsvd_10[8];
	u8 log_size[8];
	u8 rsvd_20[8];
	u8 table_miss_id[24];
	u8 rsvd_40[8];
	u8 lag_master_next_table_id[24];
	u8 rsvd_60[224];
};
PRM_LAYOUT(flow_table_context, 0x28);

struct prm_create_flow_table_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 other_vport[1];
	u8 rsvd_41[15];
	u8 vport_number[16];
	u8 rsvd_60[32];
	u8 table_type[8];
	u8 rsvd_88[56];
	struct prm_flow_table_context_bits flow_table_context;
};
PRM_LAYOUT(create_flow_table_in, 0x40);

struct prm_create_flow_table_out_bits {
	u8 status[8];
	u8 icm_address_63_40[24];
	u8 syndrome[32];
	u8 icm_address_39_32[8];
	u8 table_id[24];
	u8 icm_address_31_0[32];
};
PRM_LAYOUT(create_flow_table_out, 0x10);

struct prm_query_flow_table_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[64];
	u8 table_type[8];
	u8 rsvd_88[32];
	u8 table_id[24];
	u8 rsvd_c0[320];
};
PRM_LAYOUT(query_flow_table_in, 0x40);

struct prm_query_flow_table_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[128];
	struct prm_flow_table_context_bits flow_table_context;
};
PRM_LAYOUT(query_flow_table_out, 0x40);

struct prm_modify_flow_table_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 other_vport[1];
	u8 rsvd_41[15];
	u8 vport_number[16];
	u8 rsvd_60[16];
	u8 modify_field_select[16];
	u8 table_type[8];
	u8 rsvd_88[32];
	u8 table_id[24];
	struct prm_flow_table_context_bits flow_table_context;
};
PRM_LAYOUT(modify_flow_table_in, 0x40);

struct prm_modify_flow_table_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(modify_flow_table_out, 0x10);

struct prm_destroy_flow_table_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 other_vport[1];
	u8 rsvd_41[15];
	u8 vport_number[16];
	u8 rsvd_60[32];
	u8 table_type[8];
	u8 rsvd_88[32];
	u8 table_id[24];
	u8 rsvd_c0[320];
};
PRM_LAYOUT(destroy_flow_table_in, 0x40);

struct prm_destroy_flow_table_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(destroy_flow_table_out, 0x10);

struct prm_create_flow_group_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 other_vport[1];
	u8 rsvd_41[15];
	u8 vport_number[16];
	u8 rsvd_60[32];
	u8 table_type[8];
	u8 rsvd_88[4];
	u8 group_type[4];
	u8 rsvd_90[24];
	u8 table_id[24];
	u8 source_eswitch_owner_vhca_id_valid[1];
	u8 rsvd_c1[31];
	u8 start_flow_index[32];
	u8 rsvd_100[32];
	u8 end_flow_index[32];
	u8 rsvd_140[16];
	u8 match_definer_id[16];
	u8 rsvd_160[152];
	u8 match_criteria_enable[8];
	struct prm_fte_match_param_bits match_criteria;
	u8 rsvd_1200[3584];
};
PRM_LAYOUT(create_flow_group_in, 0x400);

struct prm_create_flow_group_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[8];
	u8 group_id[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(create_flow_group_out, 0x10);

struct prm_query_flow_group_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[64];
	u8 table_type[8];
	u8 rsvd_88[32];
	u8 table_id[24];
	u8 group_id[32];
	u8 rsvd_e0[288];
};
PRM_LAYOUT(query_flow_group_in, 0x40);

struct prm_query_flow_group_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[160];
	u8 start_flow_index[32];
	u8 rsvd_100[32];
	u8 end_flow_index[32];
	u8 rsvd_140[184];
	u8 match_criteria_enable[8];
	struct prm_fte_match_param_bits match_criteria;
	u8 rsvd_1200[3584];
};
PRM_LAYOUT(query_flow_group_out, 0x400);

struct prm_destroy_flow_group_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 other_vport[1];
	u8 rsvd_41[15];
	u8 vport_number[16];
	u8 rsvd_60[32];
	u8 table_type[8];
	u8 rsvd_88[32];
	u8 table_id[24];
	u8 group_id[32];
	u8 rsvd_e0[288];
};
PRM_LAYOUT(destroy_flow_group_in, 0x40);

struct prm_destroy_flow_group_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(destroy_flow_group_out, 0x10);

struct prm_set_fte_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 other_vport[1];
	u8 rsvd_41[15];
	u8 vport_number[16];
	u8 rsvd_60[32];
	u8 table_type[8];
	u8 rsvd_88[32];
	u8 table_id[24];
	u8 ignore_flow_level[1];
	u8 rsvd_c1[23];
	u8 modify_enable_mask[8];
	u8 rsvd_e0[32];
	u8 flow_index[32];
	u8 rsvd_120[224];
	struct prm_flow_context_bits flow_context;
};
PRM_LAYOUT(set_fte_in, 0x340);

struct prm_set_fte_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(set_fte_out, 0x10);

struct prm_query_fte_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[64];
	u8 table_type[8];
	u8 rsvd_88[32];
	u8 table_id[24];
	u8 rsvd_c0[64];
	u8 flow_index[32];
	u8 rsvd_120[224];
};
PRM_LAYOUT(query_fte_in, 0x40);

struct prm_query_fte_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[448];
	struct prm_flow_context_bits flow_context;
};
PRM_LAYOUT(query_fte_out, 0x340);

struct prm_delete_fte_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 other_vport[1];
	u8 rsvd_41[15];
	u8 vport_number[16];
	u8 rsvd_60[32];
	u8 table_type[8];
	u8 rsvd_88[32];
	u8 table_id[24];
	u8 rsvd_c0[64];
	u8 flow_index[32];
	u8 rsvd_120[224];
};
PRM_LAYOUT(delete_fte_in, 0x40);

struct prm_delete_fte_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(delete_fte_out, 0x10);

struct prm_set_flow_table_root_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 other_vport[1];
	u8 rsvd_41[15];
	u8 vport_number[16];
	u8 rsvd_60[32];
	u8 table_type[8];
	u8 rsvd_88[7];
	u8 table_of_other_vport[1];
	u8 table_vport_number[16];
	u8 rsvd_a0[8];
	u8 table_id[24];
	u8 rsvd_c0[8];
	u8 underlay_qpn[24];
	u8 table_eswitch_owner_vhca_id_valid[1];
	u8 rsvd_e1[15];
	u8 table_eswitch_owner_vhca_id[16];
	u8 rsvd_100[256];
};
PRM_LAYOUT(set_flow_table_root_in, 0x40);

struct prm_set_flow_table_root_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(set_flow_table_root_out, 0x10);

struct prm_dest_format_struct_bits {
	u8 destination_type[8];
	u8 destination_id[24];
	u8 destination_eswitch_owner_vhca_id_valid[1];
	u8 packet_reformat[1];
	u8 rsvd_22[6];
	u8 destination_table_type[8];
	u8 destination_eswitch_owner_vhca_id[16];
};
PRM_LAYOUT(dest_format_struct, 0x08);

struct prm_extended_dest_format_bits {
	struct prm_dest_format_struct_bits destination_entry;
	u8 packet_reformat_id[32];
	u8 rsvd_60[32];
};
PRM_LAYOUT(extended_dest_format, 0x10);

struct prm_flow_counter_list_bits {
	u8 flow_counter_id[32];
	u8 rsvd_20[32];
};
PRM_LAYOUT(flow_counter_list, 0x08);

union prm_dest_format_flow_counter_list_auto_bits {
	struct prm_extended_dest_format_bits extended_dest_format;
	struct prm_flow_counter_list_bits flow_counter_list;
};

#endif
