/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Shared receive queues. */
#ifndef CXR_PRM_SRQ_H
#define CXR_PRM_SRQ_H

#include "prm.h"

/* srqc.state, xrc_srqc.state */
enum {
	PRM_SRQ_GOOD		= 0,
	PRM_SRQ_ERROR		= 1,
};

/* op_mod of ARM_RQ and ARM_XRC_SRQ */
#define PRM_ARM_RQ_SRQ		1
#define PRM_ARM_RQ_XRC_SRQ	2

struct prm_srqc_bits {
	u8 state[4];
	u8 log_srq_size[4];
	u8 rsvd_08[24];
	u8 wq_signature[1];
	u8 cont_srq[1];
	u8 rsvd_22[1];
	u8 rlky[1];
	u8 rsvd_24[1];
	u8 log_rq_stride[3];
	u8 xrcd[24];
	u8 page_offset[6];
	u8 rsvd_46[2];
	u8 cqn[24];
	u8 rsvd_60[34];
	u8 log_page_size[6];
	u8 rsvd_88[64];
	u8 pd[24];
	u8 lwm[16];
	u8 wqe_cnt[16];
	u8 rsvd_100[64];
	u8 dbr_addr[64];
	u8 rsvd_180[128];
};
PRM_LAYOUT(srqc, 0x40);

struct prm_xrc_srqc_bits {
	u8 state[4];
	u8 log_xrc_srq_size[4];
	u8 rsvd_08[24];
	u8 wq_signature[1];
	u8 cont_srq[1];
	u8 rsvd_22[1];
	u8 rlky[1];
	u8 basic_cyclic_rcv_wqe[1];
	u8 log_rq_stride[3];
	u8 xrcd[24];
	u8 page_offset[6];
	u8 rsvd_46[1];
	u8 dbr_umem_valid[1];
	u8 cqn[24];
	u8 dbr_umem_id[32];
	u8 user_index_equal_xrc_srqn[1];
	u8 rsvd_81[1];
	u8 log_page_size[6];
	u8 user_index[24];
	u8 rsvd_a0[40];
	u8 pd[24];
	u8 lwm[16];
	u8 wqe_cnt[16];
	u8 rsvd_100[64];
	u8 db_record_addr_h[32];
	u8 db_record_addr_l[30];
	u8 rsvd_17e[130];
};
PRM_LAYOUT(xrc_srqc, 0x40);

struct prm_create_srq_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[64];
	struct prm_srqc_bits srq_context_entry;
	u8 rsvd_280[1536];
	/* tail: pas */
};
PRM_LAYOUT(create_srq_in, 0x110);

struct prm_create_srq_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[8];
	u8 srqn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(create_srq_out, 0x10);

struct prm_query_srq_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 srqn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(query_srq_in, 0x10);

struct prm_query_srq_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
	struct prm_srqc_bits srq_context_entry;
	u8 rsvd_280[1536];
	/* tail: pas */
};
PRM_LAYOUT(query_srq_out, 0x110);

struct prm_destroy_srq_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 srqn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(destroy_srq_in, 0x10);

struct prm_destroy_srq_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(destroy_srq_out, 0x10);

struct prm_arm_rq_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 srq_number[24];
	u8 rsvd_60[16];
	u8 lwm[16];
};
PRM_LAYOUT(arm_rq_in, 0x10);

struct prm_arm_rq_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(arm_rq_out, 0x10);

struct prm_create_xrc_srq_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[64];
	struct prm_xrc_srqc_bits xrc_srq_context_entry;
	u8 xrc_srq_umem_offset[64];
	u8 xrc_srq_umem_id[32];
	u8 xrc_srq_umem_valid[1];
	u8 rsvd_2e1[1439];
	/* tail: pas */
};
PRM_LAYOUT(create_xrc_srq_in, 0x110);

struct prm_create_xrc_srq_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[8];
	u8 xrc_srqn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(create_xrc_srq_out, 0x10);

struct prm_query_xrc_srq_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 xrc_srqn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(query_xrc_srq_in, 0x10);

struct prm_query_xrc_srq_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
	struct prm_xrc_srqc_bits xrc_srq_context_entry;
	u8 rsvd_280[1536];
	/* tail: pas */
};
PRM_LAYOUT(query_xrc_srq_out, 0x110);

struct prm_arm_xrc_srq_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 xrc_srqn[24];
	u8 rsvd_60[16];
	u8 lwm[16];
};
PRM_LAYOUT(arm_xrc_srq_in, 0x10);

struct prm_arm_xrc_srq_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(arm_xrc_srq_out, 0x10);

struct prm_destroy_xrc_srq_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 xrc_srqn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(destroy_xrc_srq_in, 0x10);

struct prm_destroy_xrc_srq_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(destroy_xrc_srq_out, 0x10);

/* Before it include nic.h, whose work queue an XRQ has. */
struct prm_xrqc_bits {
	u8 state[4];
	u8 rlkey[1];
	u8 rsvd_05[15];
	u8 topology[4];
	u8 rsvd_18[4];
	u8 offload[4];
	u8 rsvd_20[8];
	u8 user_index[24];
	u8 rsvd_40[8];
	u8 cqn[24];
	u8 rsvd_60[928];
	struct prm_wq_bits wq;
};
PRM_LAYOUT(xrqc, 0x140);

struct prm_create_xrq_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[64];
	struct prm_xrqc_bits xrq_context;
};
PRM_LAYOUT(create_xrq_in, 0x150);

#endif
