// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>

#include "loop.h"

#define GIDS	16

const struct ib_gid_attr *loop_gid(struct ib_device *ib, enum ib_gid_type type)
{
	const struct ib_gid_attr *attr;
	int i;

	for (i = 0; i < GIDS; i++) {
		attr = rdma_get_gid_attr(ib, 1, i);
		if (IS_ERR(attr))
			continue;
		if (attr->gid_type == type && ipv6_addr_v4mapped((struct in6_addr *)attr->gid.raw))
			return attr;
		rdma_put_gid_attr(attr);
	}
	return ERR_PTR(-ENOENT);
}

int loop_path(const struct ib_gid_attr *gid, struct rdma_ah_attr *attr)
{
	union ib_gid dgid = gid->gid;

	attr->type = RDMA_AH_ATTR_TYPE_ROCE;
	rdma_ah_set_port_num(attr, 1);
	rdma_move_grh_sgid_attr(attr, &dgid, 0, 1, 0, gid);
	return rdma_read_gid_l2_fields(gid, NULL, attr->roce.dmac);
}

static int to_rtr(struct loop *l)
{
	const struct ib_gid_attr *gid = loop_gid(l->ib, IB_GID_TYPE_ROCE_UDP_ENCAP);
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTR, .path_mtu = IB_MTU_1024, .dest_qp_num = l->qp->qp_num,
		.max_dest_rd_atomic = 1, .min_rnr_timer = 12,
	};
	int err;

	if (IS_ERR(gid))
		return PTR_ERR(gid);
	err = loop_path(gid, &attr.ah_attr);
	if (!err)
		err = ib_modify_qp(l->qp, &attr, IB_QP_STATE | IB_QP_AV | IB_QP_PATH_MTU |
				   IB_QP_DEST_QPN | IB_QP_RQ_PSN | IB_QP_MAX_DEST_RD_ATOMIC |
				   IB_QP_MIN_RNR_TIMER);
	rdma_destroy_ah_attr(&attr.ah_attr);
	return err;
}

static int to_rts(struct loop *l)
{
	struct ib_qp_attr init = {
		.qp_state = IB_QPS_INIT, .port_num = 1,
		.qp_access_flags = IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ |
				   IB_ACCESS_REMOTE_ATOMIC,
	};
	struct ib_qp_attr rts = {
		.qp_state = IB_QPS_RTS, .timeout = 17, .retry_cnt = 7, .rnr_retry = 7,
		.max_rd_atomic = 1,
	};
	int err;

	err = ib_modify_qp(l->qp, &init, IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT |
			   IB_QP_ACCESS_FLAGS);
	if (!err)
		err = to_rtr(l);
	if (err)
		return err;
	return ib_modify_qp(l->qp, &rts, IB_QP_STATE | IB_QP_TIMEOUT | IB_QP_RETRY_CNT |
			    IB_QP_RNR_RETRY | IB_QP_SQ_PSN | IB_QP_MAX_QP_RD_ATOMIC);
}

int loop_create_qp(struct loop *l)
{
	struct ib_qp_init_attr init = {
		.qp_type = IB_QPT_RC, .sq_sig_type = IB_SIGNAL_ALL_WR,
		.send_cq = l->cq, .recv_cq = l->recv_cq ?: l->cq, .srq = l->srq,
		.qp_context = l, .create_flags = l->create_flags, .port_num = 1,
		.cap = { .max_send_wr = 2 * LOOP_BATCH, .max_recv_wr = LOOP_BATCH,
			 .max_send_sge = 1, .max_recv_sge = 1, .max_inline_data = LOOP_INLINE,
			 .max_rdma_ctxs = l->rdma_ctxs },
	};

	l->qp = ib_create_qp(l->pd, &init);
	if (IS_ERR(l->qp))
		return PTR_ERR(l->qp);
	l->cap = init.cap;
	return to_rts(l);
}

static int open_queues(struct loop *l, enum ib_poll_context poll)
{
	l->pd = ib_alloc_pd(l->ib, IB_PD_UNSAFE_GLOBAL_RKEY);
	if (IS_ERR(l->pd))
		return PTR_ERR(l->pd);
	l->cq = ib_alloc_cq(l->ib, l, 4 * LOOP_BATCH, 0, poll);
	if (IS_ERR(l->cq))
		return PTR_ERR(l->cq);
	return loop_create_qp(l);
}

int loop_open(struct loop *l, struct ib_device *ib, enum ib_poll_context poll)
{
	l->ib = ib;
	l->buf = kzalloc(PAGE_SIZE, GFP_KERNEL);
	if (!l->buf)
		return -ENOMEM;
	l->dma = ib_dma_map_single(l->ib, l->buf, PAGE_SIZE, DMA_BIDIRECTIONAL);
	if (ib_dma_mapping_error(l->ib, l->dma)) {
		l->dma = 0;
		return -ENOMEM;
	}
	return open_queues(l, poll);
}

void loop_close(struct loop *l)
{
	if (!l->ib)
		return;
	if (!IS_ERR_OR_NULL(l->qp))
		ib_destroy_qp(l->qp);
	if (!IS_ERR_OR_NULL(l->cq))
		ib_free_cq(l->cq);
	if (!IS_ERR_OR_NULL(l->pd))
		ib_dealloc_pd(l->pd);
	if (l->dma)
		ib_dma_unmap_single(l->ib, l->dma, PAGE_SIZE, DMA_BIDIRECTIONAL);
	kfree(l->buf);
	memset(l, 0, sizeof(*l));
}

bool loop_reap(struct loop *l, int n, struct ib_wc *wc)
{
	unsigned long end = jiffies + HZ;
	int got, i;

	while (n) {
		got = ib_poll_cq(l->cq, n, wc);
		for (i = 0; i < got; i++)
			if (wc[i].status != IB_WC_SUCCESS)
				return false;
		if (got < 0 || (!got && time_after(jiffies, end)))
			return false;
		n -= got;
		wc += got;
		if (!got)
			cond_resched();
	}
	return true;
}
