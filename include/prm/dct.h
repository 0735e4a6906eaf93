/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Targets of dynamically connected transport. */
#ifndef CXR_PRM_DCT_H
#define CXR_PRM_DCT_H

#include "prm.h"

/* dctc.state */
#define PRM_DCT_STATE_ACTIVE	0
#define PRM_DCT_STATE_DRAINING	1
#define PRM_DCT_STATE_DRAINED	2

struct prm_dctc_bits {
	u8 rsvd_00[4];
	u8 state[4];
	u8 rsvd_08[32];
	u8 user_index[24];
	u8 rsvd_40[8];
	u8 cqn[24];
	u8 counter_set_id[8];
	u8 atomic_mode[4];
	u8 rre[1];
	u8 rwe[1];
	u8 rae[1];
	u8 atomic_like_write_en[1];
	u8 latency_sensitive[1];
	u8 rlky[1];
	u8 free_ar[1];
	u8 rsvd_73[21];
	u8 cs_res[8];
	u8 rsvd_90[3];
	u8 min_rnr_nak[5];
	u8 rsvd_98[16];
	u8 srqn_xrqn[24];
	u8 rsvd_c0[8];
	u8 pd[24];
	u8 tclass[8];
	u8 rsvd_e8[4];
	u8 flow_label[20];
	u8 dc_access_key[64];
	u8 rsvd_140[5];
	u8 mtu[3];
	u8 port[8];
	u8 pkey_index[16];
	u8 rsvd_160[8];
	u8 my_addr_index[8];
	u8 rsvd_170[8];
	u8 hop_limit[8];
	u8 dc_access_key_violation_count[32];
	u8 rsvd_1a0[20];
	u8 dei_cfi[1];
	u8 eth_prio[3];
	u8 ecn[2];
	u8 dscp[6];
	u8 rsvd_1c0[32];
	u8 ece[32];
};
PRM_LAYOUT(dctc, 0x40);

struct prm_create_dct_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[64];
	struct prm_dctc_bits dct_context_entry;
	u8 rsvd_280[384];
};
PRM_LAYOUT(create_dct_in, 0x80);

struct prm_create_dct_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[8];
	u8 dctn[24];
	u8 ece[32];
};
PRM_LAYOUT(create_dct_out, 0x10);

struct prm_destroy_dct_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 dctn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(destroy_dct_in, 0x10);

struct prm_destroy_dct_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(destroy_dct_out, 0x10);

struct prm_query_dct_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 dctn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(query_dct_in, 0x10);

struct prm_query_dct_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
	struct prm_dctc_bits dct_context_entry;
	u8 rsvd_280[384];
};
PRM_LAYOUT(query_dct_out, 0x80);

/* The device answers with PRM_EVENT_DCT_DRAINED once nothing uses the target any more. */
struct prm_drain_dct_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 dctn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(drain_dct_in, 0x10);

struct prm_drain_dct_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(drain_dct_out, 0x10);

/* One event PRM_EVENT_DCT_KEY_VIOLATION for the next wrong key. */
struct prm_arm_dct_for_key_violation_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 dct_number[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(arm_dct_for_key_violation_in, 0x10);

struct prm_arm_dct_for_key_violation_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(arm_dct_for_key_violation_out, 0x10);

#endif
