// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/errno.h>
#include <linux/types.h>
#include "dcb.h"

#define PERCENT		100
#define GROUP_VENDOR	7	/* of classes that share by their own */
#define POOL_CELLS_MIN	4
#define ALPHA_LOSSLESS	13	/* of 32 times what is free */
#define STALL_MINOR_PERCENT 85

/* ---- traffic classes ---------------------------------------------------------------------- */

static bool is_ets(const struct ieee_ets *ets, unsigned int tc)
{
	return ets->tc_tsa[tc] == IEEE_8021QAZ_TSA_ETS;
}

int cxr_ets_check(const struct ieee_ets *ets, unsigned int n, const char **why)
{
	unsigned int i, sum = 0, shares = 0;

	for (i = 0; i < CXR_PRIOS; i++) {
		if (ets->prio_tc[i] >= n) {
			*why = "a priority has a traffic class that the port does not have";
			return -EINVAL;
		}
	}
	for (i = 0; i < CXR_TCS; i++) {
		switch (ets->tc_tsa[i]) {
		case IEEE_8021QAZ_TSA_STRICT:
		case IEEE_8021QAZ_TSA_VENDOR:
			break;
		case IEEE_8021QAZ_TSA_ETS:
			shares++;
			sum += ets->tc_tx_bw[i];
			break;
		default:
			*why = "the port has neither credit-based shapers nor unknown algorithms";
			return -EOPNOTSUPP;
		}
	}
	if (shares && sum != PERCENT) {
		*why = "the bandwidths of the ETS classes do not add up to 100 %";
		return -EINVAL;
	}
	return 0;
}

/* Classes without bandwidth get what the others leave: theirs is the lowest group. */
void cxr_ets_schedule(const struct ieee_ets *ets, unsigned int n, struct cxr_tc *tcs)
{
	unsigned int i, shares = 0, idle = 0, strict;
	struct cxr_tc *last = NULL;

	for (i = 0; i < n; i++) {
		shares += is_ets(ets, i) && ets->tc_tx_bw[i];
		idle += is_ets(ets, i) && !ets->tc_tx_bw[i];
	}
	strict = !!idle + !!shares;
	for (i = 0; i < n; i++) {
		struct cxr_tc *tc = &tcs[i];

		tc->weight = PERCENT;
		if (ets->tc_tsa[i] == IEEE_8021QAZ_TSA_VENDOR) {
			tc->group = GROUP_VENDOR;
		} else if (!is_ets(ets, i)) {
			tc->group = strict++;
		} else if (ets->tc_tx_bw[i]) {
			tc->group = !!idle;
			tc->weight = ets->tc_tx_bw[i];
		} else {
			tc->group = 0;
			tc->weight = PERCENT / idle;
			last = tc;
		}
	}
	if (last)
		last->weight += PERCENT % idle;
}

void cxr_ets_describe(const struct cxr_tc *tcs, unsigned int n, struct ieee_ets *ets)
{
	bool idle = false, group_6 = false;
	unsigned int i;

	for (i = 0; i < n; i++) {
		idle |= is_ets(ets, i) && tcs[i].group == 1;
		group_6 |= tcs[i].group == GROUP_VENDOR - 1;
	}
	ets->ets_cap = n;
	for (i = 0; i < n; i++) {
		u8 weight = idle && !tcs[i].group ? 0 : tcs[i].weight;

		/* strict classes have the groups in order, so the highest is not the first */
		if (weight < PERCENT)
			ets->tc_tsa[i] = IEEE_8021QAZ_TSA_ETS;
		else if (tcs[i].group == GROUP_VENDOR && !group_6)
			ets->tc_tsa[i] = IEEE_8021QAZ_TSA_VENDOR;
		ets->tc_tx_bw[i] = is_ets(ets, i) ? weight : 0;
	}
}

/* ---- receive buffers ---------------------------------------------------------------------- */

/* The formula of the vendor, for 40 Gbit/s at least. */
u32 cxr_buffer_response(u32 mbps, u32 metres, u32 mtu)
{
	if (mbps < 40000)
		mbps = 40000;
	return (301 + 216 * metres / 100) * mbps / 1000 + 272 * mtu / 100;
}

bool cxr_buffers_same(const struct cxr_buffers *a, const struct cxr_buffers *b)
{
	unsigned int i;

	for (i = 0; i < CXR_BUFFERS; i++)
		if (a->buffer[i].size != b->buffer[i].size ||
		    a->buffer[i].xoff != b->buffer[i].xoff ||
		    a->buffer[i].xon != b->buffer[i].xon ||
		    a->buffer[i].lossy != b->buffer[i].lossy)
			return false;
	return true;
}

static u32 in_cells(const struct cxr_buffers *b, u32 bytes)
{
	return bytes - bytes % b->cell;
}

int cxr_buffers_plan(struct cxr_buffers *b, u8 lossless, u32 response, u32 frame, const char **why)
{
	u32 free = b->room;
	unsigned int i;

	for (i = 0; i < CXR_BUFFERS; i++)
		b->buffer[i].lossy = true;
	for (i = 0; i < CXR_PRIOS; i++) {
		if (b->prio_buffer[i] >= CXR_BUFFERS) {
			*why = "a priority has a buffer that the port does not have";
			return -EINVAL;
		}
		if (lossless & 1U << i)
			b->buffer[b->prio_buffer[i]].lossy = false;
	}
	for (i = 0; i < CXR_BUFFERS; i++) {
		struct cxr_buffer *buf = &b->buffer[i];

		if (buf->size > free) {
			*why = "the buffers are larger than that of the port";
			return -EINVAL;
		}
		free -= buf->size;
		buf->size = in_cells(b, buf->size);
		buf->xoff = 0;
		buf->xon = 0;
		if (buf->lossy)
			continue;
		if (!buf->size) {
			*why = "a priority with flow control has a buffer of 0 bytes";
			return -EINVAL;
		}
		if (buf->size < response + frame + b->cell) {
			*why = "a buffer of a priority with flow control is too small";
			return -ENOMEM;
		}
		buf->xoff = in_cells(b, buf->size - response);
		buf->xon = in_cells(b, buf->size - response - frame);
	}
	return 0;
}

struct cxr_share cxr_buffer_share(const struct cxr_buffers *b, unsigned int buffer)
{
	const struct cxr_buffer *buf = &b->buffer[buffer];
	struct cxr_share share = { .pool = CXR_POOL_LOSSY };
	unsigned int i, lossless = 0;

	if (!buf->size)
		return share;
	if (buf->lossy) {
		share.infinite = true;
		return share;
	}
	for (i = 0; i < CXR_BUFFERS; i++)
		lossless += b->buffer[i].size && !b->buffer[i].lossy;
	share.pool = CXR_POOL_LOSSLESS;
	share.infinite = lossless == 1;
	share.alpha = share.infinite ? 0 : ALPHA_LOSSLESS;
	return share;
}

bool cxr_pools_divide(u32 cells, u32 *lossy, u32 *lossless)
{
	if (cells < POOL_CELLS_MIN)
		return false;
	*lossless = cells / 4;
	*lossy = cells - *lossless;
	return true;
}

u16 cxr_stall_minor(u16 critical_ms)
{
	u16 minor = critical_ms * STALL_MINOR_PERCENT / 100;

	return minor < CXR_STALL_MIN ? CXR_STALL_MIN : minor;
}
