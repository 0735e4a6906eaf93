/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Packet pacing: a table of rates, of which an SQ names one. */
#ifndef CXR_PRM_RATE_H
#define CXR_PRM_RATE_H

#include "prm.h"

#define PRM_RATE_NONE		0	/* index of the rate that limits nothing */

/* modify_sq_in.modify_bitmask */
#define PRM_MODIFY_SQ_RATE	(1ULL << 0)

/* Kilobits per second, and bytes */
struct prm_set_pp_rate_limit_context_bits {
	u8 rate_limit[32];
	u8 burst_upper_bound[32];
	u8 rsvd_40[16];
	u8 typical_packet_size[16];
	u8 rsvd_60[288];
};
PRM_LAYOUT(set_pp_rate_limit_context, 0x30);

struct prm_set_pp_rate_limit_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[16];
	u8 rate_limit_index[16];
	u8 rsvd_60[32];
	struct prm_set_pp_rate_limit_context_bits ctx;
};
PRM_LAYOUT(set_pp_rate_limit_in, 0x40);

struct prm_set_pp_rate_limit_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(set_pp_rate_limit_out, 0x10);

#endif
