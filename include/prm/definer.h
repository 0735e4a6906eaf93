/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* General objects, and the only type of them in use: match definers. */
#ifndef CXR_PRM_DEFINER_H
#define CXR_PRM_DEFINER_H

#include "prm.h"

/* obj_type; cmd_hca_cap.general_obj_types has a bit for each that is below 64 */
#define PRM_OBJ_MATCH_DEFINER	0x18

/* match_definer.format_id; cmd_hca_cap.match_definer_format_supported has a bit for each */
enum {
	PRM_DEFINER_L2		= 0,
	PRM_DEFINER_IPV4	= 22,
	PRM_DEFINER_INNER_IPV4	= 23,
	PRM_DEFINER_IPV6_L4	= 29,
	PRM_DEFINER_IPV6_L2	= 30,
	PRM_DEFINER_INNER_IPV6_L4 = 31,
	PRM_DEFINER_INNER_IPV6_L2 = 32,
};

struct prm_create_general_object_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 vhca_tunnel_id[16];
	u8 obj_type[16];
	u8 obj_id[32];
	u8 rsvd_60[32];
	/* tail: the object */
};
PRM_LAYOUT(create_general_object_in, 0x10);

struct prm_create_general_object_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 obj_id[32];
	u8 rsvd_60[32];
};
PRM_LAYOUT(create_general_object_out, 0x10);

struct prm_query_general_object_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 vhca_tunnel_id[16];
	u8 obj_type[16];
	u8 obj_id[32];
	u8 rsvd_60[32];
};
PRM_LAYOUT(query_general_object_in, 0x10);

struct prm_query_general_object_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 obj_id[32];
	u8 rsvd_60[32];
	/* tail: the object */
};
PRM_LAYOUT(query_general_object_out, 0x10);

struct prm_destroy_general_object_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 vhca_tunnel_id[16];
	u8 obj_type[16];
	u8 obj_id[32];
	u8 rsvd_60[32];
};
PRM_LAYOUT(destroy_general_object_in, 0x10);

struct prm_destroy_general_object_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 obj_id[32];
	u8 rsvd_60[32];
};
PRM_LAYOUT(destroy_general_object_out, 0x10);

struct prm_match_definer_bits {
	u8 modify_field_select[64];
	u8 rsvd_40[80];
	u8 format_id[16];
	u8 rsvd_a0[352];
	u8 match_mask[16][32];
};
PRM_LAYOUT(match_definer, 0x80);

/* match_definer.match_mask by format_id: set bits of a field are selected. */

struct prm_match_definer_format_0_bits {
	u8 rsvd_00[256];
	u8 metadata_reg_c_0[32];
	u8 metadata_reg_c_1[32];
	u8 outer_dmac_47_16[32];
	u8 outer_dmac_15_0[16];
	u8 outer_ethertype[16];
	u8 rsvd_180[1];
	u8 sx_sniffer[1];
	u8 functional_lb[1];
	u8 outer_ip_frag[1];
	u8 outer_qp_type[2];
	u8 outer_encap_type[2];
	u8 port_number[2];
	u8 outer_l3_type[2];
	u8 outer_l4_type[2];
	u8 outer_first_vlan_type[2];
	u8 outer_first_vlan_prio[3];
	u8 outer_first_vlan_cfi[1];
	u8 outer_first_vlan_vid[12];
	u8 outer_l4_type_ext[4];
	u8 rsvd_1a4[2];
	u8 outer_ipsec_layer[2];
	u8 outer_l2_type[2];
	u8 force_lb[1];
	u8 outer_l2_ok[1];
	u8 outer_l3_ok[1];
	u8 outer_l4_ok[1];
	u8 outer_second_vlan_type[2];
	u8 outer_second_vlan_prio[3];
	u8 outer_second_vlan_cfi[1];
	u8 outer_second_vlan_vid[12];
	u8 outer_smac_47_16[32];
	u8 outer_smac_15_0[16];
	u8 inner_ipv4_checksum_ok[1];
	u8 inner_l4_checksum_ok[1];
	u8 outer_ipv4_checksum_ok[1];
	u8 outer_l4_checksum_ok[1];
	u8 inner_l3_ok[1];
	u8 inner_l4_ok[1];
	u8 outer_l3_ok_duplicate[1];
	u8 outer_l4_ok_duplicate[1];
	u8 outer_tcp_cwr[1];
	u8 outer_tcp_ece[1];
	u8 outer_tcp_urg[1];
	u8 outer_tcp_ack[1];
	u8 outer_tcp_psh[1];
	u8 outer_tcp_rst[1];
	u8 outer_tcp_syn[1];
	u8 outer_tcp_fin[1];
};
PRM_LAYOUT(match_definer_format_0, 0x40);

struct prm_match_definer_format_22_bits {
	u8 rsvd_00[256];
	u8 outer_ip_src_addr[32];
	u8 outer_ip_dest_addr[32];
	u8 outer_l4_sport[16];
	u8 outer_l4_dport[16];
	u8 rsvd_160[1];
	u8 sx_sniffer[1];
	u8 functional_lb[1];
	u8 outer_ip_frag[1];
	u8 outer_qp_type[2];
	u8 outer_encap_type[2];
	u8 port_number[2];
	u8 outer_l3_type[2];
	u8 outer_l4_type[2];
	u8 outer_first_vlan_type[2];
	u8 outer_first_vlan_prio[3];
	u8 outer_first_vlan_cfi[1];
	u8 outer_first_vlan_vid[12];
	u8 metadata_reg_c_0[32];
	u8 outer_dmac_47_16[32];
	u8 outer_smac_47_16[32];
	u8 outer_smac_15_0[16];
	u8 outer_dmac_15_0[16];
};
PRM_LAYOUT(match_definer_format_22, 0x40);

struct prm_match_definer_format_23_bits {
	u8 rsvd_00[256];
	u8 inner_ip_src_addr[32];
	u8 inner_ip_dest_addr[32];
	u8 inner_l4_sport[16];
	u8 inner_l4_dport[16];
	u8 rsvd_160[1];
	u8 sx_sniffer[1];
	u8 functional_lb[1];
	u8 inner_ip_frag[1];
	u8 inner_qp_type[2];
	u8 inner_encap_type[2];
	u8 port_number[2];
	u8 inner_l3_type[2];
	u8 inner_l4_type[2];
	u8 inner_first_vlan_type[2];
	u8 inner_first_vlan_prio[3];
	u8 inner_first_vlan_cfi[1];
	u8 inner_first_vlan_vid[12];
	u8 tunnel_header_0[32];
	u8 inner_dmac_47_16[32];
	u8 inner_smac_47_16[32];
	u8 inner_smac_15_0[16];
	u8 inner_dmac_15_0[16];
};
PRM_LAYOUT(match_definer_format_23, 0x40);

struct prm_match_definer_format_29_bits {
	u8 rsvd_00[192];
	u8 outer_ip_dest_addr[128];
	u8 outer_ip_src_addr[128];
	u8 outer_l4_sport[16];
	u8 outer_l4_dport[16];
	u8 rsvd_1e0[32];
};
PRM_LAYOUT(match_definer_format_29, 0x40);

struct prm_match_definer_format_30_bits {
	u8 rsvd_00[160];
	u8 outer_ip_dest_addr[128];
	u8 outer_ip_src_addr[128];
	u8 outer_dmac_47_16[32];
	u8 outer_smac_47_16[32];
	u8 outer_smac_15_0[16];
	u8 outer_dmac_15_0[16];
};
PRM_LAYOUT(match_definer_format_30, 0x40);

struct prm_match_definer_format_31_bits {
	u8 rsvd_00[192];
	u8 inner_ip_dest_addr[128];
	u8 inner_ip_src_addr[128];
	u8 inner_l4_sport[16];
	u8 inner_l4_dport[16];
	u8 rsvd_1e0[32];
};
PRM_LAYOUT(match_definer_format_31, 0x40);

struct prm_match_definer_format_32_bits {
	u8 rsvd_00[160];
	u8 inner_ip_dest_addr[128];
	u8 inner_ip_src_addr[128];
	u8 inner_dmac_47_16[32];
	u8 inner_smac_47_16[32];
	u8 inner_smac_15_0[16];
	u8 inner_dmac_15_0[16];
};
PRM_LAYOUT(match_definer_format_32, 0x40);

#endif
