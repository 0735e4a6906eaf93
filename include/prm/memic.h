/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Memory on the device (MEMIC). Addresses are offsets in BAR 0. */
#ifndef CXR_PRM_MEMIC_H
#define CXR_PRM_MEMIC_H

#include "prm.h"

/* Sizes and addresses are multiples of it; an alignment is so many times a power of two. */
#define PRM_MEMIC_UNIT		64

/* memic_operation_type; a bit of device_mem_cap.memic_operations */
enum prm_memic_op {
	PRM_MEMIC_INCREMENT	= 0,
	PRM_MEMIC_TEST_AND_SET	= 1,
	PRM_MEMIC_OPS,
};

/* modify_memic_in.op_mod */
enum {
	PRM_MEMIC_OP_ALLOC	= 0,
	PRM_MEMIC_OP_DEALLOC	= 1,
};

struct prm_alloc_memic_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[56];
	u8 log_memic_addr_alignment[8];
	u8 range_start_addr[64];
	u8 range_size[32];
	u8 memic_size[32];
};
PRM_LAYOUT(alloc_memic_in, 0x20);

struct prm_alloc_memic_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 memic_start_addr[64];
};
PRM_LAYOUT(alloc_memic_out, 0x10);

struct prm_dealloc_memic_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[64];
	u8 memic_start_addr[64];
	u8 memic_size[32];
	u8 rsvd_e0[32];
};
PRM_LAYOUT(dealloc_memic_in, 0x20);

struct prm_dealloc_memic_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(dealloc_memic_out, 0x10);

struct prm_modify_memic_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[56];
	u8 memic_operation_type[8];
	u8 memic_start_addr[64];
	u8 rsvd_c0[320];
};
PRM_LAYOUT(modify_memic_in, 0x40);

struct prm_modify_memic_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
	u8 memic_operation_addr[64];
	u8 rsvd_c0[320];
};
PRM_LAYOUT(modify_memic_out, 0x40);

#endif
