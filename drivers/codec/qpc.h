/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* QP context. */
#ifndef CXR_CODEC_QPC_H
#define CXR_CODEC_QPC_H

#include <linux/types.h>
#include "addrpath.h"
#include "../policy/dc.h"

enum cxr_qp_type {
	CXR_QP_RC, CXR_QP_UC, CXR_QP_UD, CXR_QP_GSI, CXR_QP_XRC, CXR_QP_UMR,
	CXR_QP_DCI,		/* initiator of DC transport */
};

enum cxr_qp_state {
	CXR_QPS_RST, CXR_QPS_INIT, CXR_QPS_RTR, CXR_QPS_RTS, CXR_QPS_SQER, CXR_QPS_SQD, CXR_QPS_ERR,
};

/* Attributes of a QP that are fixed at creation. */
struct cxr_qp_create {
	enum cxr_qp_type type;
	u16 uid;		/* user context it is created for, 0 for the kernel */
	u32 pdn;
	u32 cqn_snd, cqn_rcv;
	u32 uar;
	u32 user_index;		/* returned in completions (CQE version 1) */
	u32 q_counter;		/* 0 = none */
	u8 log_sq_size;		/* in 64-byte blocks */
	bool no_sq;
	u8 log_rq_size;		/* in WQEs; no_rq: none */
	u8 log_rq_stride;	/* in bytes, 4.. */
	bool no_rq;
	bool srq;		/* with no_rq: receives come from @srqn */
	u32 srqn;
	u32 xrcd;		/* of CXR_QP_XRC and _DCI, which always have an SRQ */
	bool fast_reg;		/* UMR WQEs may change mkeys of pages: kernel QPs only */
	bool block_lb_mc;	/* no multicast loopback within the function */
	u8 log_page_size;	/* in bytes, 12.. */
	u8 page_offset;		/* in 1/64 of the page */
	u64 db_dma;
	u8 scatter_req, scatter_res;	/* bytes of data in a CQE: 64, 32 or 0 */
	struct cxr_dc_streams streams;	/* of CXR_QP_DCI; no channels: none */
};

/* Attributes set by transitions; see cxr_cmd_modify_qp(). */
struct cxr_qp_mod {
	enum cxr_qp_type type;
	u8 port;
	u16 pkey_index;
	u32 qkey;
	bool remote_read, remote_write, remote_atomic;
	u8 mtu;			/* 1 = 256 .. 5 = 4096 */
	u8 log_msg_max;
	u32 dest_qpn;
	u32 rq_psn, sq_psn;
	u8 log_max_rd;		/* requester: log2 of outstanding reads */
	u8 log_max_dest_rd;	/* responder */
	u8 min_rnr_timer;
	u8 retry_cnt, rnr_retry;
	u8 lag_port;		/* port affinity in a LAG, 1..; 0: none */
	struct cxr_addr addr;
	/* for RST2INIT, the same as at creation */
	u32 pdn, cqn_snd, cqn_rcv, q_counter;
	u64 db_dma;
};

/* Optional attributes of a transition. */
enum cxr_qp_opt {
	CXR_QP_OPT_ACCESS = 1 << 0,
	CXR_QP_OPT_PKEY = 1 << 1,
	CXR_QP_OPT_QKEY = 1 << 2,
	CXR_QP_OPT_RNR_TIMER = 1 << 3,
	CXR_QP_OPT_PATH = 1 << 4,
	CXR_QP_OPT_MAX_RD = 1 << 5,
	CXR_QP_OPT_MAX_DEST_RD = 1 << 6,
	CXR_QP_OPT_RETRY = 1 << 7,
	CXR_QP_OPT_RNR_RETRY = 1 << 8,
	CXR_QP_OPT_ACK_TIMEOUT = 1 << 9,
	CXR_QP_OPT_PORT = 1 << 10,
	CXR_QP_OPT_WRITE = 1 << 11,	/* remote write only: UC has no other access flag */
	CXR_QP_OPT_COUNTER = 1 << 12,
	CXR_QP_OPT_LAG_PORT = 1 << 13,
	CXR_QP_OPT_DSCP = 1 << 14,	/* of a path of RoCE v2 */
};

u32 cxr_qp_opt_encode(u32 opts);	/* PRM opt_param_mask */
void cxr_qpc_encode_create(struct prm_qpc *qpc, const struct cxr_qp_create *attr);
void cxr_qpc_encode_mod(struct prm_qpc *qpc, const struct cxr_qp_mod *mod);
/* Decodes the context of QUERY_QP. -EPROTO: unknown state or type. */
int cxr_qpc_decode(const struct prm_qpc *qpc, enum cxr_qp_state *state, bool *draining,
		   struct cxr_qp_mod *mod);

#endif
