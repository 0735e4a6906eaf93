/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* The vport: its context and state, its RoCE address table, its pkey table. */
#ifndef CXR_PRM_VPORT_H
#define CXR_PRM_VPORT_H

#include "prm.h"

/* op_mod of QUERY_VPORT_STATE and MODIFY_VPORT_STATE */
enum {
	PRM_VPORT_VNIC		= 0,
	PRM_VPORT_ESW		= 1,
	PRM_VPORT_UPLINK	= 2,
};

enum {
	PRM_VPORT_DOWN		= 0,
	PRM_VPORT_UP		= 1,
	PRM_VPORT_AUTO		= 2,	/* admin state only */
};

/* The number of the uplink among the vports of an e-switch */
#define PRM_VPORT_NUM_UPLINK	0xffff

/* allowed_list_type */
enum {
	PRM_VPORT_LIST_UC	= 0,
	PRM_VPORT_LIST_MC	= 1,
	PRM_VPORT_LIST_VLAN	= 2,
};

/* nic_vport_context.min_wqe_inline_mode */
enum {
	PRM_VPORT_INLINE_NONE	= 0,
	PRM_VPORT_INLINE_L2	= 1,
	PRM_VPORT_INLINE_IP	= 2,
	PRM_VPORT_INLINE_TCP	= 3,
};

/* roce_addr_layout.roce_version, .roce_l3_type */
enum {
	PRM_ROCE_V1		= 0,
	PRM_ROCE_V1_5		= 1,
	PRM_ROCE_V2		= 2,
};

enum {
	PRM_ROCE_L3_IPV4	= 0,
	PRM_ROCE_L3_IPV6	= 1,
};

struct prm_mac_address_layout_bits {
	u8 rsvd_00[16];
	u8 mac_addr_47_32[16];
	u8 mac_addr_31_0[32];
};
PRM_LAYOUT(mac_address_layout, 0x08);

struct prm_nic_vport_context_bits {
	u8 rsvd_00[5];
	u8 min_wqe_inline_mode[3];
	u8 rsvd_08[21];
	u8 disable_mc_local_lb[1];
	u8 disable_uc_local_lb[1];
	u8 roce_en[1];
	u8 arm_change_event[1];
	u8 rsvd_21[26];
	u8 event_on_mtu[1];
	u8 event_on_promisc_change[1];
	u8 event_on_vlan_change[1];
	u8 event_on_mc_address_change[1];
	u8 event_on_uc_address_change[1];
	u8 vhca_id_type[1];
	u8 rsvd_41[11];
	u8 affiliation_criteria[4];
	u8 affiliated_vhca_id[16];
	u8 rsvd_60[208];
	u8 mtu[16];
	u8 system_image_guid[64];
	u8 port_guid[64];
	u8 node_guid[64];
	u8 rsvd_200[320];
	u8 qkey_violation_counter[16];
	u8 rsvd_350[1072];
	u8 promisc_uc[1];
	u8 promisc_mc[1];
	u8 promisc_all[1];
	u8 rsvd_783[2];
	u8 allowed_list_type[3];
	u8 rsvd_788[12];
	u8 allowed_list_size[12];
	struct prm_mac_address_layout_bits permanent_address;
	u8 rsvd_7e0[32];
	/* tail: current_uc_mac_address */
};
PRM_LAYOUT(nic_vport_context, 0x100);

struct prm_query_nic_vport_context_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 other_vport[1];
	u8 rsvd_41[15];
	u8 vport_number[16];
	u8 rsvd_60[5];
	u8 allowed_list_type[3];
	u8 rsvd_68[24];
};
PRM_LAYOUT(query_nic_vport_context_in, 0x10);

struct prm_query_nic_vport_context_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
	struct prm_nic_vport_context_bits nic_vport_context;
};
PRM_LAYOUT(query_nic_vport_context_out, 0x110);

struct prm_modify_nic_vport_field_select_bits {
	u8 rsvd_00[18];
	u8 affiliation[1];
	u8 rsvd_13[1];
	u8 disable_uc_local_lb[1];
	u8 disable_mc_local_lb[1];
	u8 node_guid[1];
	u8 port_guid[1];
	u8 min_inline[1];
	u8 mtu[1];
	u8 change_event[1];
	u8 promisc[1];
	u8 permanent_address[1];
	u8 addresses_list[1];
	u8 roce_en[1];
	u8 rsvd_1f[1];
};
PRM_LAYOUT(modify_nic_vport_field_select, 0x04);

struct prm_modify_nic_vport_context_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 other_vport[1];
	u8 rsvd_41[15];
	u8 vport_number[16];
	struct prm_modify_nic_vport_field_select_bits field_select;
	u8 rsvd_80[1920];
	struct prm_nic_vport_context_bits nic_vport_context;
};
PRM_LAYOUT(modify_nic_vport_context_in, 0x200);

struct prm_modify_nic_vport_context_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(modify_nic_vport_context_out, 0x10);

struct prm_query_vport_state_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 other_vport[1];
	u8 rsvd_41[15];
	u8 vport_number[16];
	u8 rsvd_60[32];
};
PRM_LAYOUT(query_vport_state_in, 0x10);

struct prm_query_vport_state_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[56];
	u8 admin_state[4];
	u8 state[4];
};
PRM_LAYOUT(query_vport_state_out, 0x10);

struct prm_modify_vport_state_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 other_vport[1];
	u8 rsvd_41[15];
	u8 vport_number[16];
	u8 rsvd_60[24];
	u8 admin_state[4];
	u8 rsvd_7c[4];
};
PRM_LAYOUT(modify_vport_state_in, 0x10);

struct prm_modify_vport_state_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(modify_vport_state_out, 0x10);

/* esw_vport_context.vport_cvlan_insert */
enum {
	PRM_CVLAN_INSERT_NONE	= 0,
	PRM_CVLAN_INSERT_MISSING = 1,	/* into frames without one */
	PRM_CVLAN_INSERT_ALWAYS	= 3,
};

struct prm_esw_vport_context_bits {
	u8 fdb_to_vport_reg_c[1];
	u8 rsvd_01[2];
	u8 vport_svlan_strip[1];
	u8 vport_cvlan_strip[1];
	u8 vport_svlan_insert[1];
	u8 vport_cvlan_insert[2];
	u8 fdb_to_vport_reg_c_id[8];
	u8 rsvd_10[48];
	u8 svlan_cfi[1];
	u8 svlan_pcp[3];
	u8 svlan_id[12];
	u8 cvlan_cfi[1];
	u8 cvlan_pcp[3];
	u8 cvlan_id[12];
	u8 rsvd_60[1824];
	u8 sw_steering_vport_icm_address_rx[64];
	u8 sw_steering_vport_icm_address_tx[64];
};
PRM_LAYOUT(esw_vport_context, 0x100);

struct prm_esw_vport_context_fields_select_bits {
	u8 rsvd_00[27];
	u8 fdb_to_vport_reg_c_id[1];
	u8 vport_cvlan_insert[1];
	u8 vport_svlan_insert[1];
	u8 vport_cvlan_strip[1];
	u8 vport_svlan_strip[1];
};
PRM_LAYOUT(esw_vport_context_fields_select, 0x04);

struct prm_query_esw_vport_context_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 other_vport[1];
	u8 rsvd_41[15];
	u8 vport_number[16];
	u8 rsvd_60[32];
};
PRM_LAYOUT(query_esw_vport_context_in, 0x10);

struct prm_query_esw_vport_context_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
	struct prm_esw_vport_context_bits esw_vport_context;
};
PRM_LAYOUT(query_esw_vport_context_out, 0x110);

struct prm_modify_esw_vport_context_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 other_vport[1];
	u8 rsvd_41[15];
	u8 vport_number[16];
	struct prm_esw_vport_context_fields_select_bits field_select;
	struct prm_esw_vport_context_bits esw_vport_context;
};
PRM_LAYOUT(modify_esw_vport_context_in, 0x110);

struct prm_modify_esw_vport_context_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(modify_esw_vport_context_out, 0x10);

struct prm_query_hca_vport_pkey_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 other_vport[1];
	u8 rsvd_41[11];
	u8 port_num[4];
	u8 vport_number[16];
	u8 rsvd_60[16];
	u8 pkey_index[16];
};
PRM_LAYOUT(query_hca_vport_pkey_in, 0x10);

struct prm_query_hca_vport_pkey_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
	/* tail: pkey */
};
PRM_LAYOUT(query_hca_vport_pkey_out, 0x10);

struct prm_query_hca_vport_gid_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 other_vport[1];
	u8 rsvd_41[11];
	u8 port_num[4];
	u8 vport_number[16];
	u8 rsvd_60[16];
	u8 gid_index[16];
};
PRM_LAYOUT(query_hca_vport_gid_in, 0x10);

struct prm_query_hca_vport_gid_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[32];
	u8 gids_num[16];
	u8 rsvd_70[16];
	/* tail: gid */
};
PRM_LAYOUT(query_hca_vport_gid_out, 0x10);

struct prm_query_hca_vport_context_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 other_vport[1];
	u8 rsvd_41[11];
	u8 port_num[4];
	u8 vport_number[16];
	u8 rsvd_60[32];
};
PRM_LAYOUT(query_hca_vport_context_in, 0x10);

struct prm_hca_vport_context_bits {
	u8 field_select[32];
	u8 rsvd_20[224];
	u8 sm_virt_aware[1];
	u8 has_smi[1];
	u8 has_raw[1];
	u8 grh_required[1];
	u8 rsvd_104[12];
	u8 port_physical_state[4];
	u8 vport_state_policy[4];
	u8 port_state[4];
	u8 vport_state[4];
	u8 rsvd_120[32];
	u8 system_image_guid[64];
	u8 port_guid[64];
	u8 node_guid[64];
	u8 cap_mask1[32];
	u8 cap_mask1_field_select[32];
	u8 cap_mask2[32];
	u8 cap_mask2_field_select[32];
	u8 rsvd_280[128];
	u8 lid[16];
	u8 rsvd_310[4];
	u8 init_type_reply[4];
	u8 lmc[3];
	u8 subnet_timeout[5];
	u8 sm_lid[16];
	u8 sm_sl[4];
	u8 rsvd_334[12];
	u8 qkey_violation_counter[16];
	u8 pkey_violation_counter[16];
	u8 rsvd_360[3232];
};
PRM_LAYOUT(hca_vport_context, 0x200);

struct prm_query_hca_vport_context_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
	struct prm_hca_vport_context_bits hca_vport_context;
};
PRM_LAYOUT(query_hca_vport_context_out, 0x210);

struct prm_roce_addr_layout_bits {
	u8 source_l3_address[16][8];
	u8 rsvd_80[3];
	u8 vlan_valid[1];
	u8 vlan_id[12];
	u8 source_mac_47_32[16];
	u8 source_mac_31_0[32];
	u8 rsvd_c0[20];
	u8 roce_l3_type[4];
	u8 roce_version[8];
	u8 rsvd_e0[32];
};
PRM_LAYOUT(roce_addr_layout, 0x20);

struct prm_set_roce_address_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 roce_address_index[16];
	u8 rsvd_50[12];
	u8 vhca_port_num[4];
	u8 rsvd_60[32];
	struct prm_roce_addr_layout_bits roce_address;
};
PRM_LAYOUT(set_roce_address_in, 0x30);

struct prm_set_roce_address_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(set_roce_address_out, 0x10);

struct prm_query_roce_address_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 roce_address_index[16];
	u8 rsvd_50[12];
	u8 vhca_port_num[4];
	u8 rsvd_60[32];
};
PRM_LAYOUT(query_roce_address_in, 0x10);

struct prm_query_roce_address_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
	struct prm_roce_addr_layout_bits roce_address;
};
PRM_LAYOUT(query_roce_address_out, 0x30);

/* The MPFS, which forwards unicast to the hosts of a card that serves several. */
struct prm_set_l2_table_entry_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[96];
	u8 rsvd_a0[8];
	u8 table_index[24];
	u8 rsvd_c0[32];
	u8 rsvd_e0[16];
	u8 silent_mode_valid[1];
	u8 silent_mode[1];
	u8 rsvd_f2[1];
	u8 vlan_valid[1];
	u8 vlan[12];
	struct prm_mac_address_layout_bits mac_address;
	u8 rsvd_140[192];
};
PRM_LAYOUT(set_l2_table_entry_in, 0x40);

struct prm_set_l2_table_entry_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(set_l2_table_entry_out, 0x10);

struct prm_delete_l2_table_entry_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[96];
	u8 rsvd_a0[8];
	u8 table_index[24];
	u8 rsvd_c0[320];
};
PRM_LAYOUT(delete_l2_table_entry_in, 0x40);

struct prm_delete_l2_table_entry_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(delete_l2_table_entry_out, 0x10);

#endif
