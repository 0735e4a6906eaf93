// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Cost of a driver for kernel ULPs: posting, polling, a round trip. The devices take turns, each
 * with a QP that is connected to itself; the medians of many turns are printed to the kernel log.
 * With icount a nanosecond of the guest's clock is one instruction.
 */
#include <linux/delay.h>
#include <linux/sort.h>

#include "loop.h"

#define TURNS	101
#define BATCH	LOOP_BATCH
#define BYTES	8

static struct loop loops[LOOP_DEVICES];
static u64 times[LOOP_DEVICES][TURNS];

/* ---- measurements: nanoseconds per operation, 0: failed ------------------------------------- */

static int post(struct loop *l)
{
	struct ib_sge sge = { .addr = l->dma, .length = BYTES, .lkey = l->pd->local_dma_lkey };
	struct ib_rdma_wr wr = {
		.wr = { .sg_list = &sge, .num_sge = 1, .opcode = IB_WR_RDMA_WRITE },
		.remote_addr = l->dma + PAGE_SIZE / 2, .rkey = l->pd->unsafe_global_rkey,
	};

	return ib_post_send(l->qp, &wr.wr, NULL);
}

static u64 post_each(struct loop *l)
{
	u64 t = ktime_get_ns();
	struct ib_wc wc[BATCH];
	int i, err = 0;

	for (i = 0; i < BATCH && !err; i++)
		err = post(l);
	t = ktime_get_ns() - t;
	return !err && loop_reap(l, BATCH, wc) ? t / BATCH : 0;
}

/* Only counts if one poll returns all completions, so that each measurement does the same work. */
static u64 poll_each(struct loop *l)
{
	struct ib_wc wc[BATCH];
	int i, got, tries;
	u64 t;

	for (tries = 0; tries < 8; tries++) {
		for (i = 0; i < BATCH; i++)
			if (post(l))
				return 0;
		/* Let Soft-RoCE run on the CPU, and give a device time, which icount skips */
		msleep(20);
		mdelay(5 << tries);
		t = ktime_get_ns();
		got = ib_poll_cq(l->cq, BATCH, wc);
		t = ktime_get_ns() - t;
		if (got == BATCH)
			return t / BATCH;
		if (got < 0 || !loop_reap(l, BATCH - got, wc))
			return 0;
	}
	return 0;
}

static u64 there_and_back(struct loop *l)
{
	u64 t = ktime_get_ns();
	struct ib_wc wc;

	if (post(l) || !loop_reap(l, 1, &wc))
		return 0;
	return ktime_get_ns() - t;
}

static const struct measure {
	const char *what;
	u64 (*one)(struct loop *l);
} measures[] = {
	{ "kernel: ib_post_send of a WRITE", post_each },
	{ "kernel: ib_poll_cq, a completion", poll_each },
	{ "kernel: WRITE of 8 bytes, post to completion", there_and_back },
};

static int compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static int measure(const struct measure *m, int n)
{
	char line[160];
	int i, turn, at = 0;

	for (turn = 0; turn < TURNS; turn++)
		for (i = 0; i < n; i++) {
			/* Warm-up: the previous device, such as Soft-RoCE, may have left work */
			m->one(&loops[i]);
			times[i][turn] = m->one(&loops[i]);
			if (!times[i][turn]) {
				pr_err("kverbs: %s: %s failed\n", dev_name(&loops[i].ib->dev),
				       m->what);
				return -EIO;
			}
		}
	for (i = 0; i < n; i++) {
		sort(times[i], TURNS, sizeof(times[i][0]), compare, NULL);
		at += scnprintf(line + at, sizeof(line) - at, " %llu", times[i][TURNS / 2]);
	}
	pr_info("kverbs: %s:%s\n", m->what, line);
	return 0;
}

int loop_bench(struct ib_device **ibs, int n)
{
	int i, err = 0;

	for (i = 0; i < n && !err; i++) {
		err = loop_open(&loops[i], ibs[i], IB_POLL_DIRECT);
		if (err)
			pr_err("kverbs: %s cannot be used: %d\n", dev_name(&ibs[i]->dev), err);
	}
	for (i = 0; i < ARRAY_SIZE(measures) && !err; i++)
		err = measure(&measures[i], n);
	for (i = 0; i < n; i++)
		loop_close(&loops[i]);
	return err;
}
