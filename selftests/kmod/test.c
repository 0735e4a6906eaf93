// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Tests of kernel verbs that no stock ULP uses in a testable way, on a QP that is connected to
 * itself.
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <rdma/rw.h>

#include "loop.h"

#define FAR	(PAGE_SIZE / 2)		/* offset in the page of remote operations */

#define wrong(fmt, ...) ({					\
	pr_err("kverbs: test: " fmt "\n", ##__VA_ARGS__);	\
	-EBADMSG;						\
})

static void fill(u8 *bytes, size_t n, u8 first)
{
	while (n--)
		*bytes++ = first++;
}

static int post_recv(struct loop *l, u32 len, struct ib_cqe *cqe)
{
	struct ib_sge sge = { .addr = l->dma + FAR, .length = len, .lkey = l->pd->local_dma_lkey };
	struct ib_recv_wr wr = { .wr_cqe = cqe, .sg_list = &sge, .num_sge = 1 };

	return ib_post_recv(l->qp, &wr, NULL);
}

static int post_write(struct loop *l, u32 len, u64 addr, u32 rkey, struct ib_cqe *cqe)
{
	struct ib_sge sge = { .addr = l->dma, .length = len, .lkey = l->pd->local_dma_lkey };
	struct ib_rdma_wr wr = {
		.wr = { .wr_cqe = cqe, .sg_list = &sge, .num_sge = 1, .opcode = IB_WR_RDMA_WRITE },
		.remote_addr = addr, .rkey = rkey,
	};

	return ib_post_send(l->qp, &wr.wr, NULL);
}

/* ---- inline data ----------------------------------------------------------------------------- */

static int post_inline(struct loop *l, const void *data, u32 len)
{
	struct ib_sge sge = { .addr = (uintptr_t)data, .length = len };
	struct ib_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IB_WR_SEND, .send_flags = IB_SEND_INLINE,
	};

	return ib_post_send(l->qp, &wr, NULL);
}

/* From unmapped memory, which is overwritten before the device sends. */
static int inline_data(struct loop *l)
{
	u8 want[LOOP_INLINE], *data;
	struct ib_wc wc[2];
	int err;

	data = kmalloc(PAGE_SIZE, GFP_KERNEL);
	if (!data)
		return -ENOMEM;
	fill(want, sizeof(want), 1);
	memcpy(data, want, sizeof(want));
	err = post_recv(l, sizeof(want), NULL);
	err = err ?: post_inline(l, data, sizeof(want));
	memset(data, 0, sizeof(want));
	if (err) {
		kfree(data);
		return wrong("posting: %d", err);
	}
	err = post_inline(l, data, l->cap.max_inline_data + 1);
	kfree(data);
	if (!err)
		return wrong("%u bytes of inline data are accepted, the limit is %u",
			     l->cap.max_inline_data + 1, l->cap.max_inline_data);
	if (!loop_reap(l, 2, wc))
		return wrong("it did not complete");
	if (memcmp(l->buf + FAR, want, sizeof(want)))
		return wrong("%*ph instead of %*ph", 8, l->buf + FAR, 8, want);
	return 0;
}

/* ---- fast registration ----------------------------------------------------------------------- */

/* Posts the fast registration of the page. */
static int post_map(struct loop *l, struct ib_mr *mr, int access)
{
	struct ib_reg_wr wr = { .wr = { .opcode = IB_WR_REG_MR }, .mr = mr, .access = access };
	struct scatterlist sg;

	sg_init_one(&sg, l->buf, PAGE_SIZE);
	sg_dma_address(&sg) = l->dma;
	sg_dma_len(&sg) = PAGE_SIZE;
	if (ib_map_mr_sg(mr, &sg, 1, NULL, PAGE_SIZE) != 1)
		return wrong("the page cannot be mapped");
	ib_update_fast_reg_key(mr, mr->rkey + 1);
	wr.key = mr->rkey;
	return ib_post_send(l->qp, &wr.wr, NULL);
}

static int map_page(struct loop *l, struct ib_mr *mr, int access)
{
	struct ib_wc wc;
	int err;

	err = post_map(l, mr, access);
	if (err)
		return wrong("posting REG_MR: %d", err);
	return loop_reap(l, 1, &wc) ? 0 : wrong("REG_MR did not complete");
}

static int unmap_page(struct loop *l, struct ib_mr *mr)
{
	struct ib_send_wr wr = { .opcode = IB_WR_LOCAL_INV, .ex.invalidate_rkey = mr->rkey };
	struct ib_wc wc;
	int err;

	err = ib_post_send(l->qp, &wr, NULL);
	if (err)
		return wrong("posting LOCAL_INV: %d", err);
	return loop_reap(l, 1, &wc) ? 0 : wrong("LOCAL_INV did not complete");
}

static int write_by_key(struct loop *l, struct ib_mr *mr)
{
	struct ib_wc wc;
	int err;

	err = map_page(l, mr, IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE);
	if (err)
		return err;
	fill(l->buf, 64, 7);
	if (post_write(l, 64, mr->iova + FAR, mr->rkey, NULL) || !loop_reap(l, 1, &wc))
		return wrong("a WRITE by the key failed");
	if (memcmp(l->buf, l->buf + FAR, 64))
		return wrong("a WRITE by the key wrote wrong data");
	err = unmap_page(l, mr);
	if (err)
		return err;
	memset(l->buf + FAR, 0, 64);
	if (post_write(l, 64, mr->iova + FAR, mr->rkey, NULL))
		return wrong("posting a WRITE by the invalidated key failed");
	/* Both ends are this QP: the responder's error may flush the request. */
	if (loop_reap(l, 1, &wc) ||
	    (wc.status != IB_WC_REM_ACCESS_ERR && wc.status != IB_WC_WR_FLUSH_ERR))
		return wrong("WRITE by the invalidated key: %s", ib_wc_status_msg(wc.status));
	return memchr_inv(l->buf + FAR, 0, 64) ? wrong("the invalidated key was written to") : 0;
}

static int with_mr(struct loop *l, int (*what)(struct loop *l, struct ib_mr *mr))
{
	struct ib_mr *mr;
	int err;

	if (!(l->ib->attrs.device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS))
		return -EOPNOTSUPP;
	mr = ib_alloc_mr(l->pd, IB_MR_TYPE_MEM_REG, 1);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	err = what(l, mr);
	ib_dereg_mr(mr);
	return err;
}

static int fast_registration(struct loop *l)
{
	return with_mr(l, write_by_key);
}

/* On a card whose UMRs cannot set atomic access. */
static int atomic_refused(struct loop *l, struct ib_mr *mr)
{
	int err;

	err = post_map(l, mr, IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_ATOMIC);
	if (err != -EINVAL)
		return wrong("posting REG_MR with atomic access: %d", err);
	return write_by_key(l, mr);
}

static int no_atomic_registration(struct loop *l)
{
	return with_mr(l, atomic_refused);
}

/* On a card whose UMRs cannot change lists of pages. */
static int no_registration(struct loop *l)
{
	struct ib_send_wr wr = { .opcode = IB_WR_LOCAL_INV };
	struct ib_mr *mr;

	if (l->ib->attrs.device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS ||
	    l->ib->attrs.max_fast_reg_page_list_len)
		return wrong("it is announced, for %u pages",
			     l->ib->attrs.max_fast_reg_page_list_len);
	if (l->ib->attrs.max_sgl_rd)
		return wrong("rdma_rw registers more than %u pieces", l->ib->attrs.max_sgl_rd);
	mr = ib_alloc_mr(l->pd, IB_MR_TYPE_MEM_REG, 1);
	if (PTR_ERR_OR_ZERO(mr) != -EOPNOTSUPP) {
		if (!IS_ERR(mr))
			ib_dereg_mr(mr);
		return wrong("an MR for it: %d", PTR_ERR_OR_ZERO(mr));
	}
	return ib_post_send(l->qp, &wr, NULL) ? 0 : wrong("LOCAL_INV is posted");
}

#define PIECES_ORDER	2
#define PIECES		BIT(PIECES_ORDER)

/* Pieces for DMA: an IOMMU may make one of many. */
static u32 count_pieces(struct scatterlist *sg, u32 n)
{
	u32 i;

	for (i = 0; i < n && sg_dma_len(&sg[i]); i++)
		;
	return i;
}

/* A READ of @n pages at @from, by the interface for storage targets. */
static int read_pages(struct loop *l, const struct scatterlist *pages, u32 n, u64 from)
{
	struct rdma_rw_ctx ctx = {};
	struct scatterlist sg[PIECES];
	struct ib_wc wc[PIECES];
	const struct ib_send_wr *wr;
	int wqes, err = 0;
	bool registers, want;

	memcpy(sg, pages, n * sizeof(*sg));
	sg_mark_end(&sg[n - 1]);
	wqes = rdma_rw_ctx_init(&ctx, l->qp, 1, sg, n, 0, from, l->pd->unsafe_global_rkey,
				DMA_FROM_DEVICE);
	if (wqes < 0)
		return wrong("rdma_rw_ctx_init: %d", wqes);
	want = count_pieces(sg, n) > l->ib->attrs.max_sgl_rd;
	wr = rdma_rw_ctx_wrs(&ctx, l->qp, 1, NULL, NULL);
	registers = wr->opcode == IB_WR_REG_MR;
	if (registers != want)
		err = wrong("%u pieces: the first work request is %d", n, wr->opcode);
	else if (ib_post_send(l->qp, wr, NULL) || !loop_reap(l, wqes, wc))
		err = wrong("%u pieces: the READ failed", n);
	rdma_rw_ctx_destroy(&ctx, l->qp, 1, sg, n, DMA_FROM_DEVICE);
	return err;
}

/* Into pages of @to that do not follow each other. */
static int read_both(struct loop *l, struct page *from, struct page *to, u64 dma)
{
	struct scatterlist sg[PIECES];
	int i, n, err = 0;

	sg_init_table(sg, PIECES);
	for (i = 0; i < PIECES; i++) {
		sg_set_page(&sg[i], &to[PIECES - 1 - i], PAGE_SIZE, 0);
		memset(page_address(&from[i]), i + 1, PAGE_SIZE);
	}
	for (n = PIECES - 1; n <= PIECES && !err; n++) {
		memset(page_address(to), 0, PIECES * PAGE_SIZE);
		err = read_pages(l, sg, n, dma);
		for (i = 0; i < n && !err; i++)
			if (memchr_inv(page_address(sg_page(&sg[i])), i + 1, PAGE_SIZE))
				err = wrong("page %d of %d is wrong", i, n);
	}
	return err;
}

/* On a card that reads into fewer pieces well: the script has it say PIECES - 1. */
static int registered_reads(struct loop *l)
{
	struct page *from, *to;
	int err;
	u64 dma;

	if (l->ib->attrs.max_sgl_rd != PIECES - 1)
		return wrong("max_sgl_rd is %u", l->ib->attrs.max_sgl_rd);
	ib_destroy_qp(l->qp);
	l->rdma_ctxs = 1;
	err = loop_create_qp(l);
	if (err)
		return wrong("cannot create a QP: %d", err);
	from = alloc_pages(GFP_KERNEL | __GFP_ZERO, PIECES_ORDER);
	to = alloc_pages(GFP_KERNEL | __GFP_ZERO, PIECES_ORDER);
	err = -ENOMEM;
	if (!from || !to)
		goto out;
	dma = ib_dma_map_single(l->ib, page_address(from), PIECES * PAGE_SIZE, DMA_BIDIRECTIONAL);
	if (ib_dma_mapping_error(l->ib, dma))
		goto out;
	err = read_both(l, from, to, dma);
	ib_dma_unmap_single(l->ib, dma, PIECES * PAGE_SIZE, DMA_BIDIRECTIONAL);
out:
	if (to)
		__free_pages(to, PIECES_ORDER);
	if (from)
		__free_pages(from, PIECES_ORDER);
	return err;
}

/* ---- atomics --------------------------------------------------------------------------------- */

/* Returns the previous value in host byte order, or all ones for an error. */
static u64 atomic_op(struct loop *l, struct ib_mr *mr, enum ib_wr_opcode opcode, u64 compare_add,
		     u64 swap)
{
	struct ib_sge sge = { .addr = l->dma, .length = 8, .lkey = l->pd->local_dma_lkey };
	struct ib_atomic_wr wr = {
		.wr = { .sg_list = &sge, .num_sge = 1, .opcode = opcode },
		.remote_addr = mr->iova + FAR, .rkey = mr->rkey,
		.compare_add = compare_add, .swap = swap,
	};
	struct ib_wc wc;

	if (ib_post_send(l->qp, &wr.wr, NULL) || !loop_reap(l, 1, &wc))
		return ~0ULL;
	return *(u64 *)l->buf;
}

static int add_and_swap(struct loop *l, struct ib_mr *mr)
{
	const u64 start = 0x0102030405060708;
	u64 *target = l->buf + FAR, got;
	int err;

	err = map_page(l, mr, IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_ATOMIC);
	if (err)
		return err;
	*target = start;
	got = atomic_op(l, mr, IB_WR_ATOMIC_FETCH_AND_ADD, 7, 0);
	if (got != start || *target != start + 7)
		return wrong("fetch and add: returned %#llx, stored %#llx", got, *target);
	got = atomic_op(l, mr, IB_WR_ATOMIC_CMP_AND_SWP, start, 9);
	if (got != start + 7 || *target != start + 7)
		return wrong("swap without match: returned %#llx, stored %#llx", got, *target);
	got = atomic_op(l, mr, IB_WR_ATOMIC_CMP_AND_SWP, start + 7, 9);
	if (got != start + 7 || *target != 9)
		return wrong("compare and swap: returned %#llx, stored %#llx", got, *target);
	return 0;
}

static int atomics(struct loop *l)
{
	return l->ib->attrs.atomic_cap == IB_ATOMIC_NONE ? -EOPNOTSUPP : with_mr(l, add_and_swap);
}

/* ---- completions by events ------------------------------------------------------------------- */

static atomic_t done_count;
static DECLARE_COMPLETION(all_done);
static int done_wanted;

static void one_done(struct ib_cq *cq, struct ib_wc *wc)
{
	if (atomic_inc_return(&done_count) == done_wanted)
		complete(&all_done);
}

static struct ib_cqe done_cqe = { .done = one_done };

static int post_writes(struct loop *l)
{
	int i, err = 0;

	for (i = 0; i < LOOP_BATCH && !err; i++)
		err = post_write(l, 64, l->dma + FAR, l->pd->unsafe_global_rkey, &done_cqe);
	return err;
}

static int events(struct loop *l)
{
	int turn;

	for (turn = 1; turn <= 20; turn++) {
		atomic_set(&done_count, 0);
		reinit_completion(&all_done);
		done_wanted = LOOP_BATCH;
		if (post_writes(l))
			return wrong("posting failed");
		if (!wait_for_completion_timeout(&all_done, 5 * HZ))
			return wrong("%d of %d completions, turn %d",
				     atomic_read(&done_count), LOOP_BATCH, turn);
	}
	return 0;
}

/* All posted sends and receives have completed, successfully or flushed, when it returns. */
static int drain(struct loop *l)
{
	int i, err = 0;

	done_wanted = 0;
	for (i = 0; i < LOOP_BATCH - 1 && !err; i++)
		err = post_recv(l, 64, &done_cqe);
	err = err ?: post_writes(l);
	if (err)
		return wrong("posting failed");
	ib_drain_qp(l->qp);
	i = atomic_read(&done_count);
	return i == 2 * LOOP_BATCH - 1 ? 0 : wrong("%d of %d completions", i, 2 * LOOP_BATCH - 1);
}

/*
 * Of the driver's health check, in place of an interrupt that was lost: is the CQ still there while
 * it calls the handler? The script sees to it that this happens on another CPU.
 */
static bool handler_runs, cq_destroyed;

static int polls;	/* of the work by which ib_core polls a CQ: it would use it */

static void slow_poll(struct work_struct *work)
{
	msleep(300);
	WRITE_ONCE(polls, polls + 1);
}

/* Was the work of a CQ that is gone under way, or waiting to be? */
static bool polled_later(void)
{
	int before = READ_ONCE(polls);

	msleep(1000);
	return READ_ONCE(polls) != before;
}

static void queue_poll(struct ib_cq *cq, void *unused)
{
	queue_work(cq->comp_wq, &cq->work);
}

/* By the clock: an emulated CPU may have calibrated mdelay() while another one ran. */
static void slow_handler(struct ib_cq *cq, void *unused)
{
	u64 end = ktime_get_mono_fast_ns() + 2 * NSEC_PER_SEC;

	if (cmpxchg(&handler_runs, false, true))
		return;
	while (ktime_get_mono_fast_ns() < end && !READ_ONCE(cq_destroyed))
		cpu_relax();
	queue_poll(cq, NULL);
	WRITE_ONCE(handler_runs, false);
}

static int destroy_in_handler(struct loop *l)
{
	unsigned long end = jiffies + 20 * HZ;
	bool too_early;

	INIT_WORK(&l->cq->work, slow_poll);
	l->cq->comp_handler = slow_handler;
	if (ib_req_notify_cq(l->cq, IB_CQ_NEXT_COMP) || post_writes(l))
		return wrong("posting failed");
	while (!READ_ONCE(handler_runs)) {
		if (time_after(jiffies, end))
			return wrong("the handler was not called");
		cond_resched();
	}
	ib_destroy_qp(l->qp);
	l->qp = NULL;
	ib_free_cq(l->cq);
	l->cq = NULL;
	too_early = READ_ONCE(handler_runs);
	WRITE_ONCE(cq_destroyed, true);
	while (READ_ONCE(handler_runs))
		cond_resched();
	if (too_early)
		return wrong("the CQ was destroyed while its handler ran");
	return polled_later() ? wrong("the CQ was destroyed while it was polled") : 0;
}

static bool flush_runs;

/* Of a CQ that the flush of a dead device comes to first. */
static void sleepy_handler(struct ib_cq *cq, void *unused)
{
	WRITE_ONCE(flush_runs, true);
	msleep(1000);
}

/* The script lets the device fail. The flush is at the first CQ while the second one is freed. */
static int flush_of_freed(struct loop *l)
{
	struct ib_cq *second = ib_alloc_cq(l->ib, NULL, LOOP_BATCH, 0, IB_POLL_WORKQUEUE);
	unsigned long end = jiffies + 60 * HZ;

	if (IS_ERR(second))
		return PTR_ERR(second);
	INIT_WORK(&second->work, slow_poll);
	second->comp_handler = queue_poll;
	l->cq->comp_handler = sleepy_handler;
	pr_info("kverbs: waits for the device to fail\n");
	while (!READ_ONCE(flush_runs)) {
		if (time_after(jiffies, end)) {
			ib_free_cq(second);
			return wrong("the handler was not called");
		}
		msleep(20);
	}
	ib_free_cq(second);
	return polled_later() ? wrong("the CQ was freed while it was polled") : 0;
}

/* ---- QPs that come and go -------------------------------------------------------------------- */

/* With a card that reuses numbers at once they all have the same one, and they share the CQ. */
static int next_qp(struct loop *l)
{
	struct ib_wc wc[2];
	int i, err;

	for (i = 0; i < 20; i++) {
		if (post_write(l, 64, l->dma + FAR, l->pd->unsafe_global_rkey, NULL) ||
		    post_write(l, 64, l->dma + FAR, l->pd->unsafe_global_rkey, NULL))
			return wrong("posting failed");
		if (!loop_reap(l, i % 2 ? 1 : 2, wc))
			return wrong("QP %d: it did not complete", i);
		if (wc[0].qp != l->qp)
			return wrong("QP %d: the completion is of another QP", i);
		ib_destroy_qp(l->qp);
		err = loop_create_qp(l);
		if (err)
			return wrong("QP %d cannot be created: %d", i + 1, err);
	}
	return 0;
}

#define SRQ_WQES	1000
#define SRQ_MESSAGES	(60 * LOOP_BATCH)
#define SRQ_TURNS	20

/* Posts WQEs to the SRQ until it is full, and returns their number. */
static int fill_srq(struct loop *l)
{
	struct ib_sge sge = { .addr = l->dma + FAR, .length = 64, .lkey = l->pd->local_dma_lkey };
	struct ib_recv_wr wr = { .sg_list = &sge, .num_sge = 1 };
	int n = 0;

	while (!ib_post_srq_recv(l->srq, &wr, NULL))
		n++;
	return n;
}

static int send_messages(struct loop *l)
{
	struct ib_sge sge = { .addr = l->dma, .length = 64, .lkey = l->pd->local_dma_lkey };
	struct ib_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IB_WR_SEND };
	struct ib_wc wc[LOOP_BATCH];
	int i, k;

	for (i = 0; i < SRQ_MESSAGES; i += LOOP_BATCH) {
		for (k = 0; k < LOOP_BATCH; k++)
			if (ib_post_send(l->qp, &wr, NULL))
				return wrong("posting failed");
		if (!loop_reap(l, LOOP_BATCH, wc))
			return wrong("a message was not sent");
	}
	return 0;
}

struct poller {
	struct work_struct work;
	struct ib_cq *cq;
	unsigned int delay_us;
};

static void poll_all(struct work_struct *work)
{
	struct poller *p = container_of(work, struct poller, work);
	struct ib_wc wc;

	udelay(p->delay_us);
	while (ib_poll_cq(p->cq, 1, &wc) > 0)
		;
}

/* Another CPU polls receive completions while their QP is destroyed. */
static int srq_turn(struct loop *l, struct poller *p, int turn, int *size)
{
	int n, err;

	err = loop_create_qp(l);
	if (err)
		return wrong("cannot create a QP with an SRQ: %d", err);
	n = fill_srq(l);
	if (!turn)
		*size = n;
	else if (n != SRQ_MESSAGES)
		return wrong("turn %d: %d of %d WQEs of the SRQ are free", turn, n, SRQ_MESSAGES);
	err = send_messages(l);
	if (err)
		return err;
	p->delay_us = turn * 100;
	schedule_work_on(cpumask_last(cpu_online_mask), &p->work);
	ib_destroy_qp(l->qp);
	l->qp = NULL;
	flush_work(&p->work);
	return *size >= SRQ_MESSAGES ? 0 : wrong("the SRQ has %d WQEs only", *size);
}

static int srq_turns(struct loop *l)
{
	struct poller p = { .cq = l->recv_cq };
	int turn, size, err = 0;

	INIT_WORK_ONSTACK(&p.work, poll_all);
	for (turn = 0; turn < SRQ_TURNS && !err; turn++)
		err = srq_turn(l, &p, turn, &size);
	if (!IS_ERR_OR_NULL(l->qp))
		ib_destroy_qp(l->qp);
	l->qp = NULL;
	destroy_work_on_stack(&p.work);
	return err;
}

static int srq_of_destroyed(struct loop *l)
{
	struct ib_srq_init_attr attr = { .attr = { .max_wr = SRQ_WQES, .max_sge = 1 } };
	int err;

	ib_destroy_qp(l->qp);
	l->qp = NULL;
	l->recv_cq = ib_alloc_cq(l->ib, l, 2 * SRQ_WQES, 0, IB_POLL_DIRECT);
	if (IS_ERR(l->recv_cq))
		return wrong("cannot create a CQ: %ld", PTR_ERR(l->recv_cq));
	l->srq = ib_create_srq(l->pd, &attr);
	if (IS_ERR(l->srq)) {
		err = wrong("cannot create an SRQ: %ld", PTR_ERR(l->srq));
	} else {
		err = srq_turns(l);
		ib_destroy_srq(l->srq);
	}
	ib_free_cq(l->recv_cq);
	return err;
}

/* What a query says of a QP is what its creation said. */
static int query(struct loop *l)
{
	struct ib_qp_init_attr init = {};
	struct ib_qp_attr attr = {};
	int err;

	ib_destroy_qp(l->qp);
	if (l->ib->attrs.kernel_cap_flags & IBK_BLOCK_MULTICAST_LOOPBACK)
		l->create_flags = IB_QP_CREATE_BLOCK_MULTICAST_LOOPBACK;
	err = loop_create_qp(l);
	err = err ?: ib_query_qp(l->qp, &attr, IB_QP_STATE | IB_QP_CAP, &init);
	if (err)
		return wrong("%d", err);
	if (attr.cap.max_send_wr != l->cap.max_send_wr ||
	    attr.cap.max_recv_wr != l->cap.max_recv_wr ||
	    memcmp(&attr.cap, &init.cap, sizeof(init.cap)))
		return wrong("%u sends and %u receives instead of %u and %u", attr.cap.max_send_wr,
			     attr.cap.max_recv_wr, l->cap.max_send_wr, l->cap.max_recv_wr);
	if (init.create_flags != l->create_flags)
		return wrong("create_flags %#x instead of %#x", init.create_flags, l->create_flags);
	return init.qp_context == l ? 0 : wrong("the context is %p", init.qp_context);
}

/* ---- address handles ------------------------------------------------------------------------- */

static int handle(struct loop *l, enum ib_gid_type type)
{
	const struct ib_gid_attr *gid = loop_gid(l->ib, type);
	struct rdma_ah_attr attr = {};
	struct ib_ah *ah;
	int err;

	if (IS_ERR(gid))
		return wrong("there is no such GID");
	err = loop_path(gid, &attr);
	ah = err ? ERR_PTR(err) : rdma_create_ah(l->pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
	rdma_destroy_ah_attr(&attr);
	if (IS_ERR(ah))
		return PTR_ERR(ah);
	rdma_destroy_ah(ah, RDMA_DESTROY_AH_SLEEPABLE);
	return 0;
}

static int handle_v1(struct loop *l)
{
	return handle(l, IB_GID_TYPE_ROCE);
}

static int handle_v2(struct loop *l)
{
	return handle(l, IB_GID_TYPE_ROCE_UDP_ENCAP);
}

/* ib_mad compares them with those of an answer. */
static int query_handle(struct loop *l)
{
	const struct ib_gid_attr *gid = loop_gid(l->ib, IB_GID_TYPE_ROCE_UDP_ENCAP);
	struct rdma_ah_attr attr = {}, got;
	struct ib_ah *ah;
	int err;

	if (IS_ERR(gid))
		return wrong("there is no such GID");
	err = loop_path(gid, &attr);
	attr.grh.flow_label = 0x12345;
	attr.grh.hop_limit = 7;
	attr.grh.traffic_class = 0x68;
	ah = err ? ERR_PTR(err) : rdma_create_ah(l->pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
	if (IS_ERR(ah)) {
		err = PTR_ERR(ah);
		goto out;
	}
	err = rdma_query_ah(ah, &got);
	if (err)
		wrong("the query fails: %d", err);
	else if (got.type != RDMA_AH_ATTR_TYPE_ROCE || !(got.ah_flags & IB_AH_GRH) ||
		 memcmp(&got.grh.dgid, &attr.grh.dgid, sizeof(got.grh.dgid)) ||
		 got.grh.sgid_index != gid->index || got.grh.flow_label != 0x12345 ||
		 got.grh.hop_limit != 7 || (got.grh.traffic_class & ~3) != 0x68 || got.sl)
		err = wrong("to %pI6 from %u, label %#x, %u hops, class %#x, SL %u",
			    &got.grh.dgid, got.grh.sgid_index, got.grh.flow_label,
			    got.grh.hop_limit, got.grh.traffic_class, got.sl);
	rdma_destroy_ah(ah, RDMA_DESTROY_AH_SLEEPABLE);
out:
	rdma_destroy_ah_attr(&attr);
	return err;
}

static const struct kverbs_test {
	const char *name;
	enum ib_poll_context poll;
	int (*run)(struct loop *l);
} tests[] = {
	{ "inline_data", IB_POLL_DIRECT, inline_data },
	{ "fast_registration", IB_POLL_DIRECT, fast_registration },
	{ "no_atomic_registration", IB_POLL_DIRECT, no_atomic_registration },
	{ "no_registration", IB_POLL_DIRECT, no_registration },
	{ "registered_reads", IB_POLL_DIRECT, registered_reads },
	{ "atomics", IB_POLL_DIRECT, atomics },
	{ "softirq", IB_POLL_SOFTIRQ, events },
	{ "workqueue", IB_POLL_WORKQUEUE, events },
	{ "drain", IB_POLL_WORKQUEUE, drain },
	{ "drain_direct", IB_POLL_DIRECT, drain },
	{ "destroy_in_handler", IB_POLL_WORKQUEUE, destroy_in_handler },
	{ "flush_of_freed", IB_POLL_WORKQUEUE, flush_of_freed },
	{ "query", IB_POLL_DIRECT, query },
	{ "next_qp", IB_POLL_DIRECT, next_qp },
	{ "srq_of_destroyed", IB_POLL_DIRECT, srq_of_destroyed },
	{ "handle_v1", IB_POLL_DIRECT, handle_v1 },
	{ "handle_v2", IB_POLL_DIRECT, handle_v2 },
	{ "query_handle", IB_POLL_DIRECT, query_handle },
};

int loop_test(struct ib_device *ib, const char *what)
{
	struct loop l = {};
	int i, err;

	for (i = 0; i < ARRAY_SIZE(tests) && strcmp(tests[i].name, what); i++)
		;
	if (i == ARRAY_SIZE(tests))
		return -EINVAL;
	err = loop_open(&l, ib, tests[i].poll);
	if (err)
		wrong("cannot create a QP: %d", err);
	else
		err = tests[i].run(&l);
	loop_close(&l);
	return err;
}
