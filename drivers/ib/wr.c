// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Work requests of the kernel's QPs. */
#include <linux/log2.h>

#include "queue.h"

#define LOG_WQE_BB 6
#define WQE_DS 16
#define DS_PER_BB 4
#define WQE_INDEX_MASK 0xffff

/*
 * Write position of a WQE. Segments are multiples of 16 bytes and aligned to their size within a
 * block, so none crosses the end of the queue or of a page.
 */
struct cursor {
	const struct cxr_ib_qp *qp;
	u32 offset;	/* in the send queue, free running */
};

static void *next_seg(struct cursor *at, size_t size)
{
	const struct cxr_ib_wq *sq = &at->qp->sq;
	u32 offset = at->offset & ((sq->size << LOG_WQE_BB) - 1);

	at->offset += size;
	return cxr_buf_at(&at->qp->buf, sq->offset + offset);
}

/* Parts of a WQE beside the control segment and the data. */
enum part {
	PART_RADDR = 1,
	PART_ATOMIC = 2,
	PART_IMM = 4,
	PART_INVAL = 8,		/* a local or remote key to invalidate */
	PART_UMR = 16,		/* changes a memory key; no data */
	PART_RC = 32,		/* RC only */
};

static const struct send_op {
	bool known;
	u8 device;		/* enum prm_wqe_opcode */
	u8 wc;			/* enum ib_wc_opcode */
	u8 parts;		/* enum part */
} send_ops[] = {
	[IB_WR_SEND] = { true, PRM_WQE_SEND, IB_WC_SEND, 0 },
	[IB_WR_SEND_WITH_IMM] = { true, PRM_WQE_SEND_IMM, IB_WC_SEND, PART_IMM },
	[IB_WR_SEND_WITH_INV] = { true, PRM_WQE_SEND_INVAL, IB_WC_SEND, PART_INVAL | PART_RC },
	[IB_WR_RDMA_WRITE] = { true, PRM_WQE_RDMA_WRITE, IB_WC_RDMA_WRITE, PART_RADDR | PART_RC },
	[IB_WR_RDMA_WRITE_WITH_IMM] = { true, PRM_WQE_RDMA_WRITE_IMM, IB_WC_RDMA_WRITE,
					PART_RADDR | PART_IMM | PART_RC },
	[IB_WR_RDMA_READ] = { true, PRM_WQE_RDMA_READ, IB_WC_RDMA_READ, PART_RADDR | PART_RC },
	[IB_WR_ATOMIC_CMP_AND_SWP] = { true, PRM_WQE_ATOMIC_CS, IB_WC_COMP_SWAP,
				       PART_RADDR | PART_ATOMIC | PART_RC },
	[IB_WR_ATOMIC_FETCH_AND_ADD] = { true, PRM_WQE_ATOMIC_FA, IB_WC_FETCH_ADD,
					 PART_RADDR | PART_ATOMIC | PART_RC },
	[IB_WR_REG_MR] = { true, PRM_WQE_UMR, IB_WC_REG_MR, PART_UMR | PART_RC },
	[IB_WR_LOCAL_INV] = { true, PRM_WQE_UMR, IB_WC_LOCAL_INV,
			      PART_UMR | PART_INVAL | PART_RC },
};

static const struct send_op *find_op(const struct cxr_ib_qp *qp, enum ib_wr_opcode opcode)
{
	const struct cxr_caps *caps = &to_cxr_dev(qp->ibqp.device)->core->caps;
	const struct send_op *op;

	if (opcode >= ARRAY_SIZE(send_ops) || !send_ops[opcode].known)
		return NULL;
	op = &send_ops[opcode];
	if (op->parts & PART_RC && qp->type != CXR_QP_RC)
		return NULL;
	if (op->parts & PART_ATOMIC && !caps->atomic)
		return NULL;
	if (op->parts & PART_UMR && !cxr_ib_max_fast_reg(caps))
		return NULL;
	return op;
}

static u32 inline_bytes(const struct ib_send_wr *wr)
{
	u32 bytes = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++)
		bytes += wr->sg_list[i].length;
	return bytes;
}

static u32 data_ds(const struct ib_send_wr *wr)
{
	u32 ds = 0;
	int i;

	if (wr->send_flags & IB_SEND_INLINE) {
		u32 bytes = inline_bytes(wr);

		return bytes ? DIV_ROUND_UP(sizeof(struct prm_wqe_inline_seg) + bytes, WQE_DS) : 0;
	}
	/* Empty elements take no segment: a length of zero means 2 GiB to the device. */
	for (i = 0; i < wr->num_sge; i++)
		ds += !!wr->sg_list[i].length;
	return ds;
}

/* Size of the WQE in units of 16 bytes. */
static u32 count_ds(const struct cxr_ib_qp *qp, const struct ib_send_wr *wr,
		    const struct send_op *op)
{
	u32 ds = sizeof(struct prm_wqe_ctrl_seg) / WQE_DS;

	if (op->parts & PART_UMR) {
		ds += (sizeof(struct prm_wqe_umr_ctrl_seg) + sizeof(struct prm_mkc)) / WQE_DS;
		if (wr->opcode == IB_WR_REG_MR)
			ds += sizeof(struct prm_wqe_data_seg) / WQE_DS;
		return ds;
	}
	if (qp->type != CXR_QP_RC)
		ds += sizeof(struct prm_wqe_datagram_seg) / WQE_DS;
	if (op->parts & PART_RADDR)
		ds += sizeof(struct prm_wqe_raddr_seg) / WQE_DS;
	if (op->parts & PART_ATOMIC)
		ds += sizeof(struct prm_wqe_atomic_seg) / WQE_DS;
	return ds + data_ds(wr);
}

/* A UMR WQE has the fence that the device requires, and the WQE behind it waits for the UMR. */
static u32 fence_flags(struct cxr_ib_qp *qp, const struct ib_send_wr *wr,
		       const struct send_op *op)
	__must_hold(&qp->sq.lock)
{
	const struct cxr_caps *caps = &to_cxr_dev(qp->ibqp.device)->core->caps;
	u32 flags = qp->after_umr ? CXR_WQE_FENCE_SMALL : 0;

	if (wr->send_flags & IB_SEND_FENCE)
		flags |= CXR_WQE_FENCE;
	if (op->parts & PART_UMR) {
		if (caps->umr_fence == PRM_UMR_FENCE_SMALL)
			flags |= CXR_WQE_FENCE_SMALL;
		else if (caps->umr_fence != PRM_UMR_FENCE_NONE)
			flags |= CXR_WQE_FENCE_STRONG;
	}
	qp->after_umr = op->parts & PART_UMR;
	return flags;
}

static u32 ctrl_flags(struct cxr_ib_qp *qp, const struct ib_send_wr *wr, const struct send_op *op)
	__must_hold(&qp->sq.lock)
{
	u32 flags = fence_flags(qp, wr, op);

	if (qp->sig_all || wr->send_flags & IB_SEND_SIGNALED)
		flags |= CXR_WQE_SIGNALED;
	if (wr->send_flags & IB_SEND_SOLICITED)
		flags |= CXR_WQE_SOLICITED;
	return flags;
}

static __be32 ctrl_imm(const struct ib_send_wr *wr, const struct send_op *op)
{
	if (op->parts & PART_IMM)
		return wr->ex.imm_data;
	if (op->parts & PART_INVAL)
		return cpu_to_be32(wr->ex.invalidate_rkey);
	if (op->parts & PART_UMR)
		return cpu_to_be32(reg_wr(wr)->key);
	return 0;
}

static void write_atomic(struct prm_wqe_atomic_seg *seg, const struct ib_send_wr *wr)
{
	const struct ib_atomic_wr *atomic = atomic_wr(wr);

	if (wr->opcode == IB_WR_ATOMIC_CMP_AND_SWP)
		cxr_wqe_atomic(seg, atomic->swap, atomic->compare_add);
	else
		cxr_wqe_atomic(seg, atomic->compare_add, 0);
}

static void write_umr(struct cursor *at, const struct ib_send_wr *wr)
{
	struct prm_wqe_umr_ctrl_seg *ctrl = next_seg(at, sizeof(*ctrl));
	struct prm_mkc *mkc = next_seg(at, sizeof(*mkc));
	const struct cxr_ib_qp *qp = at->qp;
	struct cxr_fast_reg reg = {};
	struct cxr_ib_mr *mr;

	if (wr->opcode == IB_WR_LOCAL_INV) {
		cxr_umr_invalidate(ctrl, mkc);
		return;
	}
	mr = to_cxr_mr(reg_wr(wr)->mr);
	reg.key = reg_wr(wr)->key;
	reg.access = cxr_ib_device_access(&to_cxr_dev(qp->ibqp.device)->core->caps,
					  reg_wr(wr)->access);
	reg.va = mr->ibmr.iova;
	reg.len = mr->ibmr.length;
	reg.npages = mr->npages;
	reg.log_page_size = ilog2(mr->ibmr.page_size);
	cxr_umr_reg(ctrl, mkc, &reg);
	cxr_wqe_data(next_seg(at, sizeof(struct prm_wqe_data_seg)), mr->pages_dma,
		     qp->ibqp.pd->local_dma_lkey,
		     ALIGN(mr->npages, CXR_UMR_PAGES_ALIGN) * sizeof(*mr->pages));
}

/* The length, then the data of all elements without gaps. The queue may wrap after any 16 bytes. */
static void write_inline(struct cursor *at, const struct ib_send_wr *wr)
{
	u32 used = sizeof(struct prm_wqe_inline_seg);
	u8 *unit = next_seg(at, WQE_DS);
	int i;

	cxr_wqe_inline((struct prm_wqe_inline_seg *)unit, inline_bytes(wr));
	for (i = 0; i < wr->num_sge; i++) {
		const u8 *from = (const u8 *)(uintptr_t)wr->sg_list[i].addr;
		u32 left = wr->sg_list[i].length;

		while (left) {
			u32 n;

			if (used == WQE_DS) {
				unit = next_seg(at, WQE_DS);
				used = 0;
			}
			n = min_t(u32, left, WQE_DS - used);
			memcpy(unit + used, from, n);
			used += n;
			from += n;
			left -= n;
		}
	}
}

static void write_data(struct cursor *at, const struct ib_send_wr *wr)
{
	int i;

	if (wr->send_flags & IB_SEND_INLINE) {
		if (inline_bytes(wr))
			write_inline(at, wr);
		return;
	}
	for (i = 0; i < wr->num_sge; i++)
		if (wr->sg_list[i].length)
			cxr_wqe_data(next_seg(at, sizeof(struct prm_wqe_data_seg)),
				     wr->sg_list[i].addr, wr->sg_list[i].lkey,
				     wr->sg_list[i].length);
}

/* Writes the WQE at head and returns its control segment. */
static struct prm_wqe_ctrl_seg *write_wqe(struct cxr_ib_qp *qp, const struct ib_send_wr *wr,
					  const struct send_op *op, u32 ds)
	__must_hold(&qp->sq.lock)
{
	struct cursor at = { .qp = qp, .offset = qp->sq.head << LOG_WQE_BB };
	struct prm_wqe_ctrl_seg *ctrl = next_seg(&at, sizeof(*ctrl));

	cxr_wqe_ctrl(ctrl, qp->qpn, qp->sq.head & WQE_INDEX_MASK, op->device, 0, ds,
		     ctrl_flags(qp, wr, op), ctrl_imm(wr, op));
	if (op->parts & PART_UMR) {
		write_umr(&at, wr);
		return ctrl;
	}
	if (qp->type != CXR_QP_RC)
		cxr_wqe_datagram(next_seg(&at, sizeof(struct prm_wqe_datagram_seg)),
				 &to_cxr_ah(ud_wr(wr)->ah)->av, ud_wr(wr)->remote_qpn,
				 ud_wr(wr)->remote_qkey);
	if (op->parts & PART_ATOMIC)
		cxr_wqe_raddr(next_seg(&at, sizeof(struct prm_wqe_raddr_seg)),
			      atomic_wr(wr)->remote_addr, atomic_wr(wr)->rkey);
	else if (op->parts & PART_RADDR)
		cxr_wqe_raddr(next_seg(&at, sizeof(struct prm_wqe_raddr_seg)),
			      rdma_wr(wr)->remote_addr, rdma_wr(wr)->rkey);
	if (op->parts & PART_ATOMIC)
		write_atomic(next_seg(&at, sizeof(struct prm_wqe_atomic_seg)), wr);
	write_data(&at, wr);
	return ctrl;
}

static int check_reg(const struct cxr_ib_qp *qp, const struct ib_send_wr *wr)
{
	const struct cxr_caps *caps = &to_cxr_dev(qp->ibqp.device)->core->caps;
	const struct cxr_ib_mr *mr = to_cxr_mr(reg_wr(wr)->mr);

	if (!mr->pages || !mr->npages || (reg_wr(wr)->key ^ mr->mkey) >> 8) {
		ibdev_dbg(qp->ibqp.device,
			  "QP %#x: invalid IB_WR_REG_MR: %u pages, key %#x, MR %#x\n", qp->qpn,
			  mr->npages, reg_wr(wr)->key, mr->mkey);
		return -EINVAL;
	}
	/* The device would move the QP to the error state. */
	if (cxr_ib_device_access(caps, reg_wr(wr)->access) & CXR_ACCESS_REMOTE_ATOMIC &&
	    !cxr_ib_umr_sets_atomic(caps)) {
		ibdev_dbg(qp->ibqp.device,
			  "QP %#x: invalid IB_WR_REG_MR: the device cannot set atomic access so\n",
			  qp->qpn);
		return -EINVAL;
	}
	return 0;
}

static int check_send(const struct cxr_ib_qp *qp, const struct ib_send_wr *wr,
		      const struct send_op *op)
{
	const struct ib_device *ibdev = qp->ibqp.device;

	if (!op) {
		ibdev_dbg(ibdev, "QP %#x: unsupported send opcode %d\n", qp->qpn, wr->opcode);
		return -EOPNOTSUPP;
	}
	if (wr->num_sge < 0 || wr->num_sge > qp->sq.max_sge) {
		ibdev_dbg(ibdev, "QP %#x: invalid num_sge %d: max_send_sge is %u\n", qp->qpn,
			  wr->num_sge, qp->sq.max_sge);
		return -EINVAL;
	}
	if (wr->send_flags & IB_SEND_INLINE && inline_bytes(wr) > qp->sq.max_inline) {
		ibdev_dbg(ibdev, "QP %#x: inline data of %u bytes exceeds max_inline_data %u\n",
			  qp->qpn, inline_bytes(wr), qp->sq.max_inline);
		return -EINVAL;
	}
	if (qp->type != CXR_QP_RC && !ud_wr(wr)->ah) {
		ibdev_dbg(ibdev, "QP %#x: datagram without an address handle\n", qp->qpn);
		return -EINVAL;
	}
	return wr->opcode == IB_WR_REG_MR ? check_reg(qp, wr) : 0;
}

/* Writes one work request to the queue. The caller rings the doorbell. */
static int post_one_send(struct cxr_ib_qp *qp, const struct ib_send_wr *wr,
			 struct prm_wqe_ctrl_seg **ctrl)
{
	const struct send_op *op = find_op(qp, wr->opcode);
	struct cxr_ib_wq *sq = &qp->sq;
	u32 ds, blocks, slot;
	int err;

	lockdep_assert_held(&sq->lock);
	err = check_send(qp, wr, op);
	if (err)
		return err;

	ds = count_ds(qp, wr, op);
	blocks = DIV_ROUND_UP(ds, DS_PER_BB);
	/* Pairs with the release of the slots in finish_send(). */
	if (sq->head + blocks - smp_load_acquire(&sq->tail) > sq->size)
		return -ENOMEM;

	*ctrl = write_wqe(qp, wr, op, ds);
	slot = sq->head & (sq->size - 1);
	sq->wrid[slot] = wr->wr_id;
	sq->next[slot] = sq->head + blocks;
	sq->wc_opcode[slot] = op->wc;
	/* Publishes the slot; pairs with the acquire in finish_send(). */
	smp_store_release(&sq->head, sq->head + blocks);
	return 0;
}

/* On a dead device poll flushes what was posted. */
static void ring_sq(struct cxr_ib_dev *dev, struct cxr_ib_qp *qp, const void *ctrl)
{
	if (cxr_core_dead(dev->core)) {
		schedule_work(&dev->flush_work);
		return;
	}

	dma_wmb();	/* WQEs before the record */
	WRITE_ONCE(qp->db.rec[1], cpu_to_be32(qp->sq.head & WQE_INDEX_MASK));
	/* This orders the record before the doorbell. */
	cxr_uar_ring(dev->uar, ctrl);
}

int cxr_ib_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		     const struct ib_send_wr **bad_wr)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibqp->device);
	struct cxr_ib_qp *qp = to_cxr_qp(ibqp);
	struct prm_wqe_ctrl_seg *ctrl = NULL;
	unsigned long flags;
	int err = 0;

	spin_lock_irqsave(&qp->sq.lock, flags);
	if (READ_ONCE(qp->state) < IB_QPS_RTS)
		err = -EINVAL;
	for (; !err && wr; wr = wr->next) {
		err = post_one_send(qp, wr, &ctrl);
		if (err)
			break;
	}
	if (err)
		*bad_wr = wr;
	if (ctrl)
		ring_sq(dev, qp, ctrl);
	spin_unlock_irqrestore(&qp->sq.lock, flags);
	return err;
}

void cxr_ib_write_recv(const struct cxr_core *core, struct prm_wqe_data_seg *seg, u32 max,
		       const struct ib_recv_wr *wr)
{
	u32 n = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++)
		if (wr->sg_list[i].length)
			cxr_wqe_data(&seg[n++], wr->sg_list[i].addr, wr->sg_list[i].lkey,
				     wr->sg_list[i].length);
	if (n < max)
		cxr_wqe_data(&seg[n], 0, core->terminate_lkey, 0);
}

static int post_one_recv(struct cxr_ib_qp *qp, const struct ib_recv_wr *wr)
{
	struct cxr_ib_wq *rq = &qp->rq;

	lockdep_assert_held(&rq->lock);
	if (wr->num_sge < 0 || wr->num_sge > rq->max_sge) {
		ibdev_dbg(qp->ibqp.device, "QP %#x: invalid num_sge %d: max_recv_sge is %u\n",
			  qp->qpn, wr->num_sge, rq->max_sge);
		return -EINVAL;
	}
	/* Pairs with the release of the slot in finish_recv(). */
	if (rq->head - smp_load_acquire(&rq->tail) >= rq->size)
		return -ENOMEM;

	cxr_ib_write_recv(to_cxr_dev(qp->ibqp.device)->core,
			  cxr_buf_at(&qp->buf,
				     (size_t)(rq->head & (rq->size - 1)) << rq->log_stride),
			  rq->max_sge, wr);
	rq->wrid[rq->head & (rq->size - 1)] = wr->wr_id;
	/* Publishes the slot; pairs with the acquire in finish_recv(). */
	smp_store_release(&rq->head, rq->head + 1);
	return 0;
}

int cxr_ib_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		     const struct ib_recv_wr **bad_wr)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibqp->device);
	struct cxr_ib_qp *qp = to_cxr_qp(ibqp);
	unsigned long flags;
	int err = 0;

	spin_lock_irqsave(&qp->rq.lock, flags);
	if (READ_ONCE(qp->state) == IB_QPS_RESET)
		err = -EINVAL;
	for (; !err && wr; wr = wr->next) {
		err = post_one_recv(qp, wr);
		if (err)
			break;
	}
	if (err)
		*bad_wr = wr;
	dma_wmb();	/* WQEs before the record; receives have no doorbell */
	WRITE_ONCE(qp->db.rec[0], cpu_to_be32(qp->rq.head & WQE_INDEX_MASK));
	if (cxr_core_dead(dev->core))
		schedule_work(&dev->flush_work);
	spin_unlock_irqrestore(&qp->rq.lock, flags);
	return err;
}
