// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/errno.h>
#include <linux/types.h>
#include "limits.h"

#define LOG_STRIDE_MIN 4
#define LOG_STRIDE_MAX 11	/* three bits, counted from LOG_STRIDE_MIN */
#define LOG_SRQ_STRIDE_MIN 5
#define MEMORY_MAX 0xffffffffu	/* bytes of both queues of a QP */
#define LOG_PAGE_MIN 12
#define LOG_PAGE_PARTS 6

static bool is_power_of_two(u32 n)
{
	return n && !(n & (n - 1));
}

/* Log2, rounded up; @n is at most 2^63. */
static u8 log_up(u64 n)
{
	u8 log = 0;

	while ((u64)1 << log < n)
		log++;
	return log;
}

static u64 round_up_to(u64 n, u64 step)
{
	return (n + step - 1) / step * step;
}

static u64 larger(u64 a, u64 b)
{
	return a > b ? a : b;
}

/* ---- queues of user space -------------------------------------------------------------------- */

int cxr_limits_wq(const struct cxr_limits *limits, u32 slots, u32 log_stride, u64 *bytes,
		  const char **why)
{
	if (!is_power_of_two(slots) || slots > (u64)1 << limits->log_qp) {
		*why = "the number of receive slots is not a power of two, or too large";
		return -EINVAL;
	}
	if (log_stride < LOG_STRIDE_MIN || log_stride > LOG_STRIDE_MAX ||
	    1u << log_stride > limits->recv_bytes) {
		*why = "the receive slots are too small or too large";
		return -EINVAL;
	}
	*bytes = (u64)slots << log_stride;
	return 0;
}

int cxr_limits_strides(const struct cxr_limits *limits, u32 log_bytes, u32 log_strides,
		       u32 log_slot, const char **why)
{
	u32 fewest = limits->few_strides ? CXR_LOG_STRIDES_FEW : CXR_LOG_STRIDES_MIN;

	if (log_bytes < CXR_STRIDE_LOG_BYTES_MIN || log_bytes > CXR_STRIDE_LOG_BYTES_MAX) {
		*why = "the strides are too small or too large";
		return -EINVAL;
	}
	if (log_strides < fewest || log_strides > CXR_LOG_STRIDES_MAX) {
		*why = "a WQE has too few or too many strides";
		return -EINVAL;
	}
	if (log_slot <= LOG_STRIDE_MIN) {
		*why = "a receive slot has no room for both of its segments";
		return -EINVAL;
	}
	return 0;
}

int cxr_limits_user_qp(const struct cxr_limits *limits, const struct cxr_limits_user_qp *qp,
		       u64 *bytes, const char **why)
{
	u64 recv_bytes = 0;
	int err;

	if (qp->send_blocks &&
	    (!is_power_of_two(qp->send_blocks) || qp->send_blocks > (u64)1 << limits->log_qp)) {
		*why = "the number of send blocks is not a power of two, or too large";
		return -EINVAL;
	}
	if (!qp->recv_wrs != !qp->recv_slots) {
		*why = "receive slots without requests, or requests without slots";
		return -EINVAL;
	}
	if (!qp->recv_slots && !qp->send_blocks && !qp->srq) {
		*why = "there is neither a send nor a receive queue";
		return -EINVAL;
	}
	if (qp->recv_slots) {
		err = cxr_limits_wq(limits, qp->recv_slots, qp->recv_log_stride, &recv_bytes, why);
		if (err)
			return err;
	}
	/* The send queue starts at a block boundary. */
	*bytes = recv_bytes + (u64)qp->send_blocks * CXR_WQE_BLOCK;
	return 0;
}

/* ---- queues of the kernel -------------------------------------------------------------------- */

static int size_send(const struct cxr_limits *limits, const struct cxr_limits_qp *qp,
		     struct cxr_limits_layout *layout, const char **why)
{
	u64 data, wqe, blocks, all;

	if (!qp->send_wrs)
		return 0;
	if (qp->send_sges > limits->send_bytes / CXR_WQE_SEG ||
	    qp->inline_bytes > limits->send_bytes) {
		*why = "a send request has too many SGEs or inline bytes";
		return -EINVAL;
	}

	data = larger(qp->send_sges * CXR_WQE_SEG,
		      round_up_to(CXR_WQE_INLINE_HEAD + qp->inline_bytes, CXR_WQE_SEG));
	wqe = larger(qp->send_head + larger(data, qp->send_data), qp->send_other);
	blocks = round_up_to(wqe, CXR_WQE_BLOCK) / CXR_WQE_BLOCK;
	all = (u64)1 << log_up(qp->send_wrs * blocks);
	if (blocks * CXR_WQE_BLOCK > limits->send_bytes || all > (u64)1 << limits->log_qp) {
		*why = "the send queue is too large";
		return -ENOMEM;
	}
	layout->send_blocks = all;
	layout->send_wrs = all / blocks;
	return 0;
}

static int size_recv(const struct cxr_limits *limits, const struct cxr_limits_qp *qp,
		     struct cxr_limits_layout *layout, const char **why)
{
	u32 sges = larger(qp->recv_sges, 1);
	u64 wrs;

	if (!qp->recv_wrs)
		return 0;
	if (sges > limits->recv_bytes / CXR_WQE_SEG ||
	    sges > (1u << LOG_STRIDE_MAX) / CXR_WQE_SEG) {
		*why = "a receive request has too many SGEs";
		return -EINVAL;
	}
	layout->recv_log_stride = log_up(sges * CXR_WQE_SEG);
	layout->recv_sges = (1u << layout->recv_log_stride) / CXR_WQE_SEG;
	/* At least a block, so that the send queue starts at a block boundary. */
	wrs = larger((u64)1 << log_up(qp->recv_wrs), CXR_WQE_BLOCK >> layout->recv_log_stride);
	if (wrs << layout->recv_log_stride > MEMORY_MAX) {
		*why = "the receive queue is too large";
		return -ENOMEM;
	}
	layout->recv_wrs = wrs;
	layout->send_offset = wrs << layout->recv_log_stride;
	return 0;
}

int cxr_limits_qp(const struct cxr_limits *limits, const struct cxr_limits_qp *qp,
		  struct cxr_limits_layout *layout, const char **why)
{
	u64 bytes;
	int err;

	*layout = (struct cxr_limits_layout){};
	err = size_send(limits, qp, layout, why);
	if (err)
		return err;
	err = size_recv(limits, qp, layout, why);
	if (err)
		return err;

	bytes = layout->send_offset + (u64)layout->send_blocks * CXR_WQE_BLOCK;
	if (bytes > MEMORY_MAX) {
		*why = "the two queues together are too large";
		return -ENOMEM;
	}
	layout->bytes = bytes;
	return 0;
}

/* ---- SRQs and CQs ---------------------------------------------------------------------------- */

u32 cxr_limits_srq_sges(const struct cxr_limits *limits)
{
	return (limits->recv_bytes - CXR_WQE_SEG) / CXR_WQE_SEG;
}

int cxr_limits_srq(const struct cxr_limits *limits, u32 wrs, u32 sges, struct cxr_limits_srq *srq)
{
	if (wrs >= (u64)1 << limits->log_srq || sges > cxr_limits_srq_sges(limits))
		return -EINVAL;

	/* One WQE cannot be posted. */
	srq->log_size = log_up((u64)wrs + 1);
	srq->log_stride = larger(log_up(CXR_WQE_SEG + sges * CXR_WQE_SEG), LOG_SRQ_STRIDE_MIN);
	srq->wrs = (1u << srq->log_size) - 1;
	srq->sges = (1u << srq->log_stride) / CXR_WQE_SEG - 1;
	return 0;
}

int cxr_limits_cq(const struct cxr_limits *limits, u32 entries)
{
	if (!entries || entries >= (u64)1 << limits->log_cq)
		return -EINVAL;
	return log_up((u64)entries + 1);
}

/* ---- pages ----------------------------------------------------------------------------------- */

int cxr_limits_pages(u64 addr, u8 log_max, u8 offset_bits, u8 *log_page, u8 *offset)
{
	u8 log;

	for (log = log_max; log >= LOG_PAGE_MIN; log--) {
		u64 in_page = addr & (((u64)1 << log) - 1);
		u64 part = in_page >> (log - LOG_PAGE_PARTS);

		if (part << (log - LOG_PAGE_PARTS) != in_page || part >> offset_bits)
			continue;
		*log_page = log;
		*offset = part;
		return 0;
	}
	return -EINVAL;
}

int cxr_limits_blocks(u64 blocks)
{
	return blocks > CXR_LIMITS_BLOCKS ? -ENOMEM : 0;
}
