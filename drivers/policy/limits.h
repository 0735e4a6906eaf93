/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Decides whether queues of requested sizes are possible, and their layout in memory. All numbers
 * come from user space and may have any value; *why is the reason of a refusal for the log.
 */
#ifndef CXR_POLICY_LIMITS_H
#define CXR_POLICY_LIMITS_H

#include <linux/types.h>

#define CXR_WQE_BLOCK 64	/* bytes; unit of send queues */
#define CXR_WQE_SEG 16		/* bytes of a data segment, and of the link segment of an SRQ WQE */
#define CXR_WQE_INLINE_HEAD 4	/* bytes before inline data */

/* Limits of device and driver. */
struct cxr_limits {
	u8 log_qp, log_srq, log_cq;	/* largest queues: WQEs or blocks, WQEs, entries */
	u16 send_bytes, recv_bytes;	/* largest WQEs */
	bool few_strides;		/* WQEs of several packets may have less than 2^9 strides */
};

/* A QP of user space, which determines the layout of its memory. */
struct cxr_limits_user_qp {
	u32 send_blocks, recv_slots;	/* 0: no such queue */
	u32 recv_log_stride;		/* of a slot in bytes */
	u32 recv_wrs;
	bool srq;
};

/* 0 and *bytes of both queues; -EINVAL. */
int cxr_limits_user_qp(const struct cxr_limits *limits, const struct cxr_limits_user_qp *qp,
		       u64 *bytes, const char **why);
/* The same for a receive queue without a QP. */
int cxr_limits_wq(const struct cxr_limits *limits, u32 slots, u32 log_stride, u64 *bytes,
		  const char **why);

/* Logs of what a WQE of a striding receive queue may have, whatever the device is. */
#define CXR_STRIDE_LOG_BYTES_MIN	6
#define CXR_STRIDE_LOG_BYTES_MAX	13
#define CXR_LOG_STRIDES_FEW		3	/* at least, with few_strides */
#define CXR_LOG_STRIDES_MIN		9
#define CXR_LOG_STRIDES_MAX		16

/*
 * A receive queue of cxr_limits_wq(), with slots of 2^@log_slot bytes, whose WQEs take several
 * packets, in 2^@log_strides strides of 2^@log_bytes each. 0 or -EINVAL.
 */
int cxr_limits_strides(const struct cxr_limits *limits, u32 log_bytes, u32 log_strides,
		       u32 log_slot, const char **why);

/* A QP of the kernel; 0 requests: no such queue. */
struct cxr_limits_qp {
	u32 send_wrs, send_sges, inline_bytes;
	u32 recv_wrs, recv_sges;
	/* bytes of a send WQE: before its data, minimum of data, minimum in total */
	u16 send_head, send_data, send_other;
};

/* Resulting layout, at least what was requested. The receive queue is first in memory. */
struct cxr_limits_layout {
	u32 send_blocks, send_wrs;
	u32 recv_wrs, recv_sges;
	u8 recv_log_stride;
	u32 send_offset, bytes;
};

/* 0; -EINVAL: a single request is too large; -ENOMEM: a queue is. */
int cxr_limits_qp(const struct cxr_limits *limits, const struct cxr_limits_qp *qp,
		  struct cxr_limits_layout *layout, const char **why);

/* A shared receive queue; user space computes the same from the same numbers. */
struct cxr_limits_srq {
	u8 log_size, log_stride;
	u32 wrs, sges;
};

/* 0 or -EINVAL. An SRQ without requests is allowed, since it is harmless. */
int cxr_limits_srq(const struct cxr_limits *limits, u32 wrs, u32 sges, struct cxr_limits_srq *srq);
u32 cxr_limits_srq_sges(const struct cxr_limits *limits);

/*
 * Log2 of the entries of a CQ, at least one more than requested: the device reports an overrun when
 * the last one is used. -EINVAL: @entries is out of range.
 */
int cxr_limits_cq(const struct cxr_limits *limits, u32 entries);

/*
 * The device is told the pages of a queue, and in which 64th of the first page the queue begins.
 * Picks the largest page for which that number has at most @offset_bits bits.
 * @addr: DMA address of the queue; @log_max: log2 of the largest page that its memory allows.
 * 0, or -EINVAL: there is no such page.
 */
int cxr_limits_pages(u64 addr, u8 log_max, u8 offset_bits, u8 *log_page, u8 *offset);

/*
 * Blocks of memory that one command can name. The kernel allocates up to 2^31 - 1 bytes at once,
 * and warns about more: the command has 8 for a block, and up to a page before them.
 */
#define CXR_LIMITS_BLOCKS ((0x7fffffff - 4096) / 8)

/* 0, or -ENOMEM: @blocks are too many. */
int cxr_limits_blocks(u64 blocks);

#endif
