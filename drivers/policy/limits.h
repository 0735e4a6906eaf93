/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Decides whether queues of the sizes and counts that a program asks for can be made, and what they
 * come to in memory. All numbers are a program's and may be anything; *why of a refusal is a
 * sentence fragment for the log.
 */
#ifndef CXR_POLICY_LIMITS_H
#define CXR_POLICY_LIMITS_H

#include <linux/types.h>

#define CXR_WQE_BLOCK 64	/* bytes: send queues count in these */
#define CXR_WQE_SEG 16		/* bytes of a data segment, and of the link of an SRQ's WQE */
#define CXR_WQE_INLINE_HEAD 4	/* bytes before inline data */

/* What the device can do, and we with it. */
struct cxr_limits {
	u8 log_qp, log_srq, log_cq;	/* largest queues: WQEs or blocks, WQEs, entries */
	u16 send_bytes, recv_bytes;	/* largest WQEs */
};

/* A QP of user space, which has laid out its memory by itself. */
struct cxr_limits_user_qp {
	u32 send_blocks, recv_slots;	/* 0: no such queue */
	u32 recv_log_stride;		/* of a slot in bytes */
	u32 recv_wrs;
	bool srq;
};

/* 0 and *bytes of both queues; -EINVAL. */
int cxr_limits_user_qp(const struct cxr_limits *limits, const struct cxr_limits_user_qp *qp,
		       u64 *bytes, const char **why);
/* The same for a receive queue by itself. */
int cxr_limits_wq(const struct cxr_limits *limits, u32 slots, u32 log_stride, u64 *bytes,
		  const char **why);

/* A QP of the kernel; without requests it has no such queue. */
struct cxr_limits_qp {
	u32 send_wrs, send_sges, inline_bytes;
	u32 recv_wrs, recv_sges;
	/* bytes of a send WQE: before its data, of data at least, of one for another use */
	u16 send_head, send_data, send_other;
};

/* What it gets: at least what was asked for. Receives come first in memory. */
struct cxr_limits_layout {
	u32 send_blocks, send_wrs;
	u32 recv_wrs, recv_sges;
	u8 recv_log_stride;
	u32 send_offset, bytes;
};

/* 0; -EINVAL: one request is too large; -ENOMEM: a queue of them is. */
int cxr_limits_qp(const struct cxr_limits *limits, const struct cxr_limits_qp *qp,
		  struct cxr_limits_layout *layout, const char **why);

/* A shared receive queue; user space computes the same from the same numbers. */
struct cxr_limits_srq {
	u8 log_size, log_stride;
	u32 wrs, sges;
};

/* 0 or -EINVAL. None of no requests is refused: it is of no use and does no harm. */
int cxr_limits_srq(const struct cxr_limits *limits, u32 wrs, u32 sges, struct cxr_limits_srq *srq);
u32 cxr_limits_srq_sges(const struct cxr_limits *limits);

/*
 * Logarithm of the entries of a CQ, one more than asked for at least: the device calls a CQ overrun
 * when the last one is taken. -EINVAL: there is no such CQ.
 */
int cxr_limits_cq(const struct cxr_limits *limits, u32 entries);

#endif
