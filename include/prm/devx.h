/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* User contexts, whose numbers ("uid") own objects, and memory registered for objects of theirs. */
#ifndef CXR_PRM_DEVX_H
#define CXR_PRM_DEVX_H

#include "prm.h"

/* uctx.cap */
#define PRM_UCTX_RAW_TX			(1U << 0)
#define PRM_UCTX_INTERNAL_DEV_RES	(1U << 1)

struct prm_create_uctx_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[64];
	u8 cap[32];
	u8 rsvd_a0[352];
};
PRM_LAYOUT(create_uctx_in, 0x40);

struct prm_create_uctx_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[16];
	u8 uid[16];
	u8 rsvd_60[32];
};
PRM_LAYOUT(create_uctx_out, 0x10);

struct prm_destroy_uctx_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[16];
	u8 uid[16];
	u8 rsvd_60[32];
};
PRM_LAYOUT(destroy_uctx_in, 0x10);

struct prm_destroy_uctx_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(destroy_uctx_out, 0x10);

/* Entries of the translation follow, with the bits of a memory key's. */
struct prm_create_umem_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[192];
	u8 ats[1];
	u8 rsvd_101[26];
	u8 log_page_size[5];	/* minus 12 */
	u8 page_offset[32];
	u8 num_of_mtt[64];
};
PRM_LAYOUT(create_umem_in, 0x30);

struct prm_create_umem_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[8];
	u8 umem_id[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(create_umem_out, 0x10);

struct prm_destroy_umem_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 umem_id[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(destroy_umem_in, 0x10);

struct prm_destroy_umem_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(destroy_umem_out, 0x10);

/* ---- where the numbers of objects are that only user space creates ---- */

struct prm_create_xrq_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[8];
	u8 xrqn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(create_xrq_out, 0x10);

struct prm_destroy_xrq_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 xrqn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(destroy_xrq_in, 0x10);

struct prm_query_xrq_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 xrqn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(query_xrq_in, 0x10);

struct prm_arm_xrq_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 xrqn[24];
	u8 rsvd_60[16];
	u8 lwm[16];
};
PRM_LAYOUT(arm_xrq_in, 0x10);

struct prm_alloc_packet_reformat_context_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 packet_reformat_id[32];
	u8 rsvd_60[32];
};
PRM_LAYOUT(alloc_packet_reformat_context_out, 0x10);

struct prm_dealloc_packet_reformat_context_in_bits {
	u8 opcode[16];
	u8 rsvd_10[16];
	u8 reserved_20[16];
	u8 op_mod[16];
	u8 packet_reformat_id[32];
	u8 reserved_60[32];
};
PRM_LAYOUT(dealloc_packet_reformat_context_in, 0x10);

struct prm_query_packet_reformat_context_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 packet_reformat_id[32];
	u8 rsvd_60[160];
};
PRM_LAYOUT(query_packet_reformat_context_in, 0x20);

struct prm_alloc_modify_header_context_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 modify_header_id[32];
	u8 rsvd_60[32];
};
PRM_LAYOUT(alloc_modify_header_context_out, 0x10);

struct prm_dealloc_modify_header_context_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 modify_header_id[32];
	u8 rsvd_60[32];
};
PRM_LAYOUT(dealloc_modify_header_context_in, 0x10);

struct prm_query_modify_header_context_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 modify_header_id[32];
	u8 rsvd_60[160];
};
PRM_LAYOUT(query_modify_header_context_in, 0x20);

struct prm_create_scheduling_element_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
	u8 scheduling_element_id[32];
	u8 rsvd_a0[352];
};
PRM_LAYOUT(create_scheduling_element_out, 0x40);

struct prm_destroy_scheduling_element_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 scheduling_hierarchy[8];
	u8 rsvd_48[24];
	u8 scheduling_element_id[32];
	u8 rsvd_80[384];
};
PRM_LAYOUT(destroy_scheduling_element_in, 0x40);

struct prm_query_scheduling_element_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 scheduling_hierarchy[8];
	u8 rsvd_48[24];
	u8 scheduling_element_id[32];
	u8 rsvd_80[384];
};
PRM_LAYOUT(query_scheduling_element_in, 0x40);

struct prm_modify_scheduling_element_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 scheduling_hierarchy[8];
	u8 rsvd_48[24];
	u8 scheduling_element_id[32];
	u8 rsvd_80[32];
	u8 modify_bitmask[32];
	u8 rsvd_c0[832];
};
PRM_LAYOUT(modify_scheduling_element_in, 0x80);

struct prm_query_l2_table_entry_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[104];
	u8 table_index[24];
	u8 rsvd_c0[320];
};
PRM_LAYOUT(query_l2_table_entry_in, 0x40);

#endif
