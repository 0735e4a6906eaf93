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

#endif
