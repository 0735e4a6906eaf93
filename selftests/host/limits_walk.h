/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Random input for policy/limits, and the invariants of its answers: shared by the random walk
 * (test_limits.c) and the fuzzer (fuzz/fuzz_limits.c).
 */
#ifndef LIMITS_WALK_H
#define LIMITS_WALK_H

#include <stddef.h>
#include <string.h>
#include <linux/types.h>

#include "policy/limits.h"

/* Source of numbers: @left bytes of fuzzer input at @at, or a PRNG with @seed if @at is NULL. */
struct source {
	u64 seed;
	const u8 *at;
	size_t left;
};

static u64 roll(struct source *from)
{
	u64 value = 0;
	size_t n;

	if (from->at) {
		n = from->left < 4 ? from->left : 4;
		memcpy(&value, from->at, n);
		from->at += n;
		from->left -= n;
		return value;
	}
	from->seed = from->seed * 6364136223846793005ull + 1442695040888963407ull;
	return from->seed >> 16;
}

/* A number of up to 32 bits, often a power of two. */
static u32 number(struct source *from)
{
	u32 top = 1u << roll(from) % 32;

	return roll(from) % 2 ? top : roll(from) % ((u64)top + 1);
}

static bool power_of_two(u64 n)
{
	return n && !(n & (n - 1));
}

static struct cxr_limits draw_limits(struct source *from)
{
	return (struct cxr_limits){
		.log_qp = 1 + roll(from) % 24,
		.log_srq = roll(from) % 17,
		.log_cq = 1 + roll(from) % 24,
		.send_bytes = 192 + roll(from) % 321,
		.recv_bytes = 16 + roll(from) % 4081,
	};
}

/* Bitmap of the invariants that an accepted kernel QP violates. */
static u32 broken_qp(const struct cxr_limits *l, const struct cxr_limits_qp *qp,
		     const struct cxr_limits_layout *to)
{
	u64 data = (u64)qp->send_sges * 16, in = 4 + (u64)qp->inline_bytes, wqe, room;
	u32 bad = 0;

	data = data > in ? data : in;
	wqe = qp->send_head + (data > qp->send_data ? data : qp->send_data);
	wqe = wqe > qp->send_other ? wqe : qp->send_other;
	if (qp->send_wrs) {
		if (!power_of_two(to->send_blocks) || to->send_blocks > 1u << l->log_qp)
			bad |= 1;
		/* Each has room for the largest WQE, which the device supports. */
		room = to->send_wrs ? to->send_blocks / to->send_wrs * 64 : 0;
		if (to->send_wrs < qp->send_wrs || room < wqe || wqe > l->send_bytes)
			bad |= 2;
	} else if (to->send_blocks) {
		bad |= 1;
	}
	room = (u64)to->recv_wrs << to->recv_log_stride;
	if (qp->recv_wrs) {
		if (!power_of_two(to->recv_wrs) || to->recv_wrs < qp->recv_wrs)
			bad |= 4;
		if (to->recv_sges < qp->recv_sges || to->recv_sges * 16 > 1u << to->recv_log_stride)
			bad |= 8;
		if (to->recv_log_stride < 4 || to->recv_log_stride > 11)
			bad |= 16;
	} else if (to->recv_wrs) {
		bad |= 4;
	}
	if (to->send_offset % 64 || to->send_offset != room ||
	    to->bytes != room + (u64)to->send_blocks * 64)
		bad |= 32;
	return bad;
}

static u32 walk_qp(const struct cxr_limits *l, struct source *from, unsigned int *taken)
{
	bool rc = roll(from) % 2;
	struct cxr_limits_qp qp = {
		.send_wrs = number(from), .send_sges = number(from), .inline_bytes = number(from),
		.recv_wrs = number(from), .recv_sges = number(from),
		.send_head = rc ? 32 : 64, .send_data = rc ? 32 : 0, .send_other = rc ? 192 : 0,
	};
	struct cxr_limits_layout layout;
	const char *why = NULL;
	int err;

	/* Mostly sizes that may be accepted. */
	if (roll(from) % 8) {
		qp.send_sges %= 32;
		qp.inline_bytes %= 256;
		qp.recv_sges %= 32;
		qp.send_wrs %= 1 << 12;
		qp.recv_wrs %= 1 << 12;
	}
	err = cxr_limits_qp(l, &qp, &layout, &why);
	if (err)
		return why ? 0 : 64;
	(*taken)++;
	return broken_qp(l, &qp, &layout);
}

static u32 walk_user_qp(const struct cxr_limits *l, struct source *from, unsigned int *taken)
{
	struct cxr_limits_user_qp qp = {
		.send_blocks = roll(from) % 4 ? number(from) : 0,
		.recv_slots = roll(from) % 4 ? number(from) : 0,
		.recv_log_stride = roll(from) % 4 ? roll(from) % 16 : number(from),
		.srq = roll(from) % 2,
	};
	const char *why = NULL;
	u64 bytes;
	u32 bad = 0;

	qp.recv_wrs = roll(from) % 8 ? qp.recv_slots : number(from);
	if (cxr_limits_user_qp(l, &qp, &bytes, &why))
		return why ? 0 : 64;
	(*taken)++;
	if (qp.send_blocks && (!power_of_two(qp.send_blocks) || qp.send_blocks >> l->log_qp > 1))
		bad |= 128;
	if (qp.recv_slots && (!power_of_two(qp.recv_slots) || qp.recv_slots >> l->log_qp > 1 ||
			      qp.recv_log_stride < 4 || qp.recv_log_stride > 11 ||
			      1u << qp.recv_log_stride > l->recv_bytes))
		bad |= 256;
	if (bytes != (u64)qp.send_blocks * 64 +
		     (qp.recv_slots ? (u64)qp.recv_slots << qp.recv_log_stride : 0))
		bad |= 512;
	return bad;
}

static u32 walk_others(const struct cxr_limits *l, struct source *from, unsigned int *taken)
{
	u32 wrs = number(from), sges = roll(from) % 4 ? roll(from) % 256 : number(from);
	u32 entries = number(from);
	struct cxr_limits_srq srq;
	u32 bad = 0;
	int log = cxr_limits_cq(l, entries);
	bool fits = entries && entries >> l->log_cq == 0, taken_cq = log >= 0;

	if (!cxr_limits_srq(l, wrs, sges, &srq)) {
		(*taken)++;
		if (srq.wrs < wrs || srq.sges < sges || srq.wrs != (1u << srq.log_size) - 1 ||
		    srq.log_size > l->log_srq)
			bad |= 1024;
		if (srq.log_stride < 5 || (srq.sges + 1) * 16 > 1u << srq.log_stride)
			bad |= 2048;
	}
	if (fits != taken_cq)
		bad |= 4096;
	if (taken_cq && (1ull << log <= entries || log > l->log_cq))
		bad |= 8192;
	return bad;
}

#endif
