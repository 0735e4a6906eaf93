// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Work requests of the kernel's QPs. */
#include "ib.h"

#define LOG_WQE_BB 6
#define WQE_DS 16
#define DS_PER_BB 4
#define WQE_INDEX_MASK 0xffff

/*
 * Where a WQE is written: its segments are multiples of 16 bytes and begin at multiples of their
 * size within a block, so none of them crosses the end of the queue or of a page.
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

static int device_opcode(enum cxr_qp_type type, enum ib_wr_opcode opcode, u8 *device)
{
	bool rc = type == CXR_QP_RC;

	switch (opcode) {
	case IB_WR_SEND:
		*device = PRM_WQE_SEND;
		return 0;
	case IB_WR_SEND_WITH_IMM:
		*device = PRM_WQE_SEND_IMM;
		return 0;
	case IB_WR_RDMA_WRITE:
		*device = PRM_WQE_RDMA_WRITE;
		return rc ? 0 : -EINVAL;
	case IB_WR_RDMA_WRITE_WITH_IMM:
		*device = PRM_WQE_RDMA_WRITE_IMM;
		return rc ? 0 : -EINVAL;
	case IB_WR_RDMA_READ:
		*device = PRM_WQE_RDMA_READ;
		return rc ? 0 : -EINVAL;
	default:
		return -EOPNOTSUPP;
	}
}

static bool has_imm(u8 opcode)
{
	return opcode == PRM_WQE_SEND_IMM || opcode == PRM_WQE_RDMA_WRITE_IMM;
}

static bool has_raddr(u8 opcode)
{
	return opcode == PRM_WQE_RDMA_WRITE || opcode == PRM_WQE_RDMA_WRITE_IMM ||
	       opcode == PRM_WQE_RDMA_READ;
}

/*
 * Size of the WQE in units of 16 bytes. Empty elements take no segment: a length of zero means 2
 * GiB to the device.
 */
static u32 count_ds(const struct cxr_ib_qp *qp, const struct ib_send_wr *wr, u8 opcode)
{
	u32 ds = sizeof(struct prm_wqe_ctrl_seg) / WQE_DS;
	int i;

	if (qp->type != CXR_QP_RC)
		ds += sizeof(struct prm_wqe_datagram_seg) / WQE_DS;
	if (has_raddr(opcode))
		ds += sizeof(struct prm_wqe_raddr_seg) / WQE_DS;
	for (i = 0; i < wr->num_sge; i++)
		ds += !!wr->sg_list[i].length;
	return ds;
}

static u32 ctrl_flags(const struct cxr_ib_qp *qp, const struct ib_send_wr *wr)
{
	u32 flags = 0;

	if (qp->sig_all || wr->send_flags & IB_SEND_SIGNALED)
		flags |= CXR_WQE_SIGNALED;
	if (wr->send_flags & IB_SEND_SOLICITED)
		flags |= CXR_WQE_SOLICITED;
	if (wr->send_flags & IB_SEND_FENCE)
		flags |= CXR_WQE_FENCE;
	return flags;
}

/* Writes the WQE at the head and returns its control segment. */
static struct prm_wqe_ctrl_seg *write_wqe(struct cxr_ib_qp *qp, const struct ib_send_wr *wr,
					  u8 opcode, u32 ds)
{
	struct cursor at = { .qp = qp, .offset = qp->sq.head << LOG_WQE_BB };
	struct prm_wqe_ctrl_seg *ctrl = next_seg(&at, sizeof(*ctrl));
	int i;

	cxr_wqe_ctrl(ctrl, qp->qpn, qp->sq.head & WQE_INDEX_MASK, opcode, 0, ds, ctrl_flags(qp, wr),
		     has_imm(opcode) ? wr->ex.imm_data : 0);
	if (qp->type != CXR_QP_RC)
		cxr_wqe_datagram(next_seg(&at, sizeof(struct prm_wqe_datagram_seg)),
				 &to_cxr_ah(ud_wr(wr)->ah)->av, ud_wr(wr)->remote_qpn,
				 ud_wr(wr)->remote_qkey);
	if (has_raddr(opcode))
		cxr_wqe_raddr(next_seg(&at, sizeof(struct prm_wqe_raddr_seg)),
			      rdma_wr(wr)->remote_addr, rdma_wr(wr)->rkey);
	for (i = 0; i < wr->num_sge; i++)
		if (wr->sg_list[i].length)
			cxr_wqe_data(next_seg(&at, sizeof(struct prm_wqe_data_seg)),
				     wr->sg_list[i].addr, wr->sg_list[i].lkey,
				     wr->sg_list[i].length);
	return ctrl;
}

static int check_send(const struct cxr_ib_qp *qp, const struct ib_send_wr *wr, u8 *opcode)
{
	const struct ib_device *ibdev = qp->ibqp.device;
	int err;

	err = device_opcode(qp->type, wr->opcode, opcode);
	if (err || wr->send_flags & IB_SEND_INLINE) {
		ibdev_dbg(ibdev, "QP %#x: send of opcode %d, flags %#x: not supported\n", qp->qpn,
			  wr->opcode, wr->send_flags);
		return err ?: -EOPNOTSUPP;
	}
	if (wr->num_sge < 0 || wr->num_sge > qp->sq.max_sge) {
		ibdev_dbg(ibdev, "QP %#x: send of %d elements, %u are possible\n", qp->qpn,
			  wr->num_sge, qp->sq.max_sge);
		return -EINVAL;
	}
	if (qp->type != CXR_QP_RC && !ud_wr(wr)->ah) {
		ibdev_dbg(ibdev, "QP %#x: datagram without an address\n", qp->qpn);
		return -EINVAL;
	}
	return 0;
}

/* One work request into the queue and the books. The doorbell is the caller's. */
static int post_one_send(struct cxr_ib_qp *qp, const struct ib_send_wr *wr,
			 struct prm_wqe_ctrl_seg **ctrl)
{
	struct cxr_ib_wq *sq = &qp->sq;
	u32 ds, blocks, slot;
	u8 opcode;
	int err;

	lockdep_assert_held(&sq->lock);
	err = check_send(qp, wr, &opcode);
	if (err)
		return err;

	ds = count_ds(qp, wr, opcode);
	blocks = DIV_ROUND_UP(ds, DS_PER_BB);
	/* Pairs with the release of the slots in finish_send(). */
	if (sq->head + blocks - smp_load_acquire(&sq->tail) > sq->size)
		return -ENOMEM;

	*ctrl = write_wqe(qp, wr, opcode, ds);
	slot = sq->head & (sq->size - 1);
	sq->wrid[slot] = wr->wr_id;
	sq->next[slot] = sq->head + blocks;
	/* The books, then the head, which vouches for them. */
	smp_store_release(&sq->head, sq->head + blocks);
	return 0;
}

/* On a dead device the books are all there is; its work is flushed by poll. */
static void ring_sq(struct cxr_ib_dev *dev, struct cxr_ib_qp *qp, const void *ctrl)
{
	if (cxr_core_dead(dev->core)) {
		schedule_work(&dev->flush_work);
		return;
	}

	dma_wmb();	/* WQEs, then the record */
	WRITE_ONCE(qp->db.rec[1], cpu_to_be32(qp->sq.head & WQE_INDEX_MASK));
	/* It orders the record before the doorbell. */
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

/* A list that is shorter than its slot ends with a segment that says so. */
static void write_recv(struct cxr_ib_qp *qp, const struct ib_recv_wr *wr)
{
	const struct cxr_ib_wq *rq = &qp->rq;
	struct prm_wqe_data_seg *seg =
		cxr_buf_at(&qp->buf, (size_t)(rq->head & (rq->size - 1)) << rq->log_stride);
	int i, n = 0;

	for (i = 0; i < wr->num_sge; i++)
		if (wr->sg_list[i].length)
			cxr_wqe_data(&seg[n++], wr->sg_list[i].addr, wr->sg_list[i].lkey,
				     wr->sg_list[i].length);
	if (n < rq->max_sge)
		cxr_wqe_data(&seg[n], 0, PRM_WQE_LKEY_TERMINATE, 0);
}

static int post_one_recv(struct cxr_ib_qp *qp, const struct ib_recv_wr *wr)
{
	struct cxr_ib_wq *rq = &qp->rq;

	lockdep_assert_held(&rq->lock);
	if (wr->num_sge < 0 || wr->num_sge > rq->max_sge) {
		ibdev_dbg(qp->ibqp.device, "QP %#x: receive of %d elements, %u are possible\n",
			  qp->qpn, wr->num_sge, rq->max_sge);
		return -EINVAL;
	}
	/* Pairs with the release of the slot in finish_recv(). */
	if (rq->head - smp_load_acquire(&rq->tail) >= rq->size)
		return -ENOMEM;

	write_recv(qp, wr);
	rq->wrid[rq->head & (rq->size - 1)] = wr->wr_id;
	/* As in post_one_send(). */
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
	dma_wmb();	/* WQEs, then the record: there is no doorbell for receives */
	WRITE_ONCE(qp->db.rec[0], cpu_to_be32(qp->rq.head & WQE_INDEX_MASK));
	if (cxr_core_dead(dev->core))
		schedule_work(&dev->flush_work);
	spin_unlock_irqrestore(&qp->rq.lock, flags);
	return err;
}
