// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Kernel CQs: polling, arming, and removing the CQEs of a QP. */

#include <linux/if_vlan.h>
#include "queue.h"

static struct prm_cqe64 *cqe_at(const struct cxr_ib_cq *cq, u32 i)
{
	u32 slot = i & (BIT(cq->log_size) - 1);

	return cxr_buf_at(&cq->buf, slot * sizeof(struct prm_cqe64));
}

/* The CQE at @i, or NULL if the device has not written it. */
static struct prm_cqe64 *ready_cqe(const struct cxr_ib_cq *cq, u32 i)
{
	struct prm_cqe64 *cqe = cqe_at(cq, i);

	if (!cxr_cqe_sw_owned(READ_ONCE(cqe->op_own), i, cq->log_size))
		return NULL;
	dma_rmb();	/* read the owner bit before the rest */
	return cqe;
}

/* The device may overwrite the CQEs before ci. */
static void publish_ci(struct cxr_ib_cq *cq)
	__must_hold(&cq->lock)
{
	WRITE_ONCE(cq->db.rec[0], cpu_to_be32(cq->ci & CXR_CQE_NUM_MASK));
}

void cxr_ib_cq_invalidate(struct cxr_ib_cq *cq)
{
	u32 i;

	for (i = 0; i < BIT(cq->log_size); i++)
		cxr_cqe_invalidate(cqe_at(cq, i));
}

/* ---- poll ---- */

static bool is_send(const struct cxr_cqe *cqe)
{
	return cqe->kind == CXR_CQE_REQ || cqe->kind == CXR_CQE_REQ_ERR;
}

static const struct {
	u8 syndrome;
	enum ib_wc_status status;
} wc_statuses[] = {
	{ PRM_CQE_SYND_LOCAL_LENGTH, IB_WC_LOC_LEN_ERR },
	{ PRM_CQE_SYND_LOCAL_QP_OP, IB_WC_LOC_QP_OP_ERR },
	{ PRM_CQE_SYND_LOCAL_PROT, IB_WC_LOC_PROT_ERR },
	{ PRM_CQE_SYND_WR_FLUSH, IB_WC_WR_FLUSH_ERR },
	{ PRM_CQE_SYND_MW_BIND, IB_WC_MW_BIND_ERR },
	{ PRM_CQE_SYND_BAD_RESP, IB_WC_BAD_RESP_ERR },
	{ PRM_CQE_SYND_LOCAL_ACCESS, IB_WC_LOC_ACCESS_ERR },
	{ PRM_CQE_SYND_REMOTE_INVAL_REQ, IB_WC_REM_INV_REQ_ERR },
	{ PRM_CQE_SYND_REMOTE_ACCESS, IB_WC_REM_ACCESS_ERR },
	{ PRM_CQE_SYND_REMOTE_OP, IB_WC_REM_OP_ERR },
	{ PRM_CQE_SYND_TRANSPORT_RETRY_EXC, IB_WC_RETRY_EXC_ERR },
	{ PRM_CQE_SYND_RNR_RETRY_EXC, IB_WC_RNR_RETRY_EXC_ERR },
	{ PRM_CQE_SYND_REMOTE_ABORTED, IB_WC_REM_ABORT_ERR },
};

static enum ib_wc_status wc_status(u8 syndrome)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wc_statuses); i++)
		if (wc_statuses[i].syndrome == syndrome)
			return wc_statuses[i].status;
	return IB_WC_GENERAL_ERR;
}

/*
 * Only the first error of a QP: the flushed work requests behind it say nothing. If retries were
 * exceeded, the peer is what an administrator looks for first.
 */
static void report_error(const struct cxr_ib_qp *qp, const struct cxr_cqe *cqe)
{
	const char *what = cqe->kind == CXR_CQE_REQ_ERR ? cxr_wqe_opcode_text(cqe->send_opcode) :
							  "receive";
	const char *why = cxr_cqe_syndrome_text(cqe->syndrome);
	struct ib_device *ibdev = qp->ibqp.device;

	if (cqe->syndrome == PRM_CQE_SYND_TRANSPORT_RETRY_EXC)
		ibdev_warn_ratelimited(ibdev, "QP %#x: %s at WQE %u: %s (syndrome %#x, %#x): no answer from %pI6\n",
				       cqe->qpn, what, cqe->wqe_counter, why, cqe->syndrome,
				       cqe->vendor_err, qp->peer);
	else
		ibdev_warn_ratelimited(ibdev, "QP %#x: %s at WQE %u: %s (syndrome %#x, %#x)\n",
				       cqe->qpn, what, cqe->wqe_counter, why, cqe->syndrome,
				       cqe->vendor_err);
}

static void fill_error(const struct cxr_ib_qp *qp, const struct cxr_cqe *cqe, struct ib_wc *wc)
{
	wc->status = wc_status(cqe->syndrome);
	wc->vendor_err = cqe->vendor_err;
	if (wc->status != IB_WC_WR_FLUSH_ERR)
		report_error(qp, cqe);
}

static void fill_send(const struct cxr_cqe *cqe, struct ib_wc *wc)
{
	switch (cqe->send_opcode) {
	case PRM_WQE_RDMA_WRITE_IMM:
	case PRM_WQE_SEND_IMM:
		wc->wc_flags |= IB_WC_WITH_IMM;
		break;
	case PRM_WQE_RDMA_READ:
		wc->byte_len = cqe->byte_count;
		break;
	case PRM_WQE_ATOMIC_CS:
	case PRM_WQE_ATOMIC_FA:
		wc->byte_len = sizeof(u64);
		break;
	}
}

static void fill_recv(const struct cxr_cqe *cqe, struct ib_wc *wc)
{
	wc->opcode = IB_WC_RECV;
	wc->byte_len = cqe->byte_count;
	switch (cqe->kind) {
	case CXR_CQE_RESP_WRITE_IMM:
		wc->opcode = IB_WC_RECV_RDMA_WITH_IMM;
		fallthrough;
	case CXR_CQE_RESP_SEND_IMM:
		wc->wc_flags |= IB_WC_WITH_IMM;
		wc->ex.imm_data = cqe->imm_inval;
		break;
	case CXR_CQE_RESP_SEND_INV:
		wc->wc_flags |= IB_WC_WITH_INVALIDATE;
		wc->ex.invalidate_rkey = be32_to_cpu(cqe->imm_inval);
		break;
	default:
		break;
	}

	wc->src_qp = cqe->src_qpn;
	wc->port_num = CXR_IB_PORT;
	wc->sl = cqe->tci >> VLAN_PRIO_SHIFT;
	if (cqe->flags & CXR_CQE_GRH)
		wc->wc_flags |= IB_WC_GRH;
	if (cqe->flags & CXR_CQE_VLAN) {
		wc->wc_flags |= IB_WC_WITH_VLAN;
		wc->vlan_id = cqe->tci & VLAN_VID_MASK;
	}
	/* ib_core tells the other two types apart by the header. */
	if (cqe->flags & CXR_CQE_IPV4_GRH) {
		wc->wc_flags |= IB_WC_WITH_NETWORK_HDR_TYPE;
		wc->network_hdr_type = RDMA_NETWORK_IPV4;
	}
}

/* A send CQE completes its WQE and all unsignaled ones before it. false: that WQE is not posted. */
static bool finish_send(struct cxr_ib_wq *sq, u16 counter, struct ib_wc *wc)
{
	/* Pairs with the release in post_one_send(). */
	u32 posted = smp_load_acquire(&sq->head) - sq->tail;
	u32 slot = counter & (sq->size - 1);

	if (!sq->size || (u16)(counter - sq->tail) >= posted)
		return false;

	wc->wr_id = sq->wrid[slot];
	wc->opcode = sq->wc_opcode[slot];
	/* Frees the slots; pairs with the acquire in post_one_send(). */
	smp_store_release(&sq->tail, sq->next[slot]);
	return true;
}

/* Receives complete in order. */
static bool finish_recv(struct cxr_ib_wq *rq, struct ib_wc *wc)
{
	/* Pairs with the release in post_one_recv(). */
	if (smp_load_acquire(&rq->head) == rq->tail)
		return false;

	wc->wr_id = rq->wrid[rq->tail & (rq->size - 1)];
	/* Frees the slot; pairs with the acquire in post_one_recv(). */
	smp_store_release(&rq->tail, rq->tail + 1);
	return true;
}

static bool finish_any_recv(struct cxr_ib_qp *qp, u16 counter, struct ib_wc *wc)
{
	return qp->ibqp.srq ? cxr_ib_srq_finish(to_cxr_srq(qp->ibqp.srq), counter, &wc->wr_id) :
			      finish_recv(&qp->rq, wc);
}

static bool completes_into(const struct cxr_ib_qp *qp, const struct cxr_ib_cq *cq, bool send)
{
	return !qp->user && (send ? qp->ibqp.send_cq : qp->ibqp.recv_cq) == &cq->ibcq;
}

/*
 * The QP of a CQE, or NULL if it does not complete into this CQ. It stays while cq->lock is held:
 * destruction takes that lock after removing the QP from dev->qps (cxr_ib_cq_forget_qp()), and
 * before the device frees its number. So the QP of the previous CQE, of this poll or an earlier
 * one, is still valid, and most often the same.
 */
static struct cxr_ib_qp *qp_of_cqe(struct cxr_ib_cq *cq, u32 qpn, bool send)
	__must_hold(&cq->lock)
{
	struct cxr_ib_dev *dev = to_cxr_dev(cq->ibcq.device);
	struct cxr_ib_qp *qp = cq->last_qp;

	lockdep_assert_held(&cq->lock);
	if (qp && qp->qpn == qpn)
		return completes_into(qp, cq, send) ? qp : NULL;
	xa_lock(&dev->qps);
	qp = xa_load(&dev->qps, qpn);
	if (qp && !completes_into(qp, cq, send))
		qp = NULL;
	xa_unlock(&dev->qps);
	if (qp)
		cq->last_qp = qp;
	return qp;
}

/* Consumers read few fields of a send, and clearing the others costs time. */
static void clear_wc(struct ib_wc *wc, bool send)
{
	if (!send) {
		memset(wc, 0, sizeof(*wc));
		return;
	}
	wc->status = IB_WC_SUCCESS;
	wc->vendor_err = 0;
	wc->byte_len = 0;
	wc->wc_flags = 0;
}

/* false: the CQE is invalid and must be dropped. */
static bool fill_wc(struct cxr_ib_cq *cq, const struct cxr_cqe *cqe, struct ib_wc *wc)
	__must_hold(&cq->lock)
{
	bool send = is_send(cqe);
	struct cxr_ib_qp *qp;

	if (!send && (cqe->kind == CXR_CQE_RESIZE || cqe->kind == CXR_CQE_UNKNOWN))
		return false;
	qp = qp_of_cqe(cq, cqe->qpn, send);
	if (!qp)
		return false;

	clear_wc(wc, send);
	wc->qp = &qp->ibqp;
	if (!(send ? finish_send(&qp->sq, cqe->wqe_counter, wc) :
		     finish_any_recv(qp, cqe->wqe_counter, wc)))
		return false;

	if (cqe->kind == CXR_CQE_REQ)
		fill_send(cqe, wc);
	else if (send || cqe->kind == CXR_CQE_RESP_ERR)
		fill_error(qp, cqe, wc);
	else
		fill_recv(cqe, wc);
	return true;
}

/*
 * Sends of a dead device are flushed, but MADs fail: ib_cm takes one that is flushed for one that
 * was sent. The connection that it was to end would stay, and the removal of the device would wait
 * for its user, such as NFS. (ib_mad logs that it cannot move the QP to RTS.)
 */
static enum ib_wc_status dead_status(const struct cxr_ib_qp *qp)
{
	return qp->ibqp.qp_type == IB_QPT_GSI ? IB_WC_FATAL_ERR : IB_WC_WR_FLUSH_ERR;
}

/* Completes what a dead device never will. */
static int flush_sends(struct cxr_ib_qp *qp, int n, struct ib_wc *wc)
{
	struct cxr_ib_wq *sq = &qp->sq;
	u32 head = smp_load_acquire(&sq->head); /* pairs with the release in post_one_send() */
	int done;

	for (done = 0; done < n && head != sq->tail; done++, wc++) {
		u32 slot = sq->tail & (sq->size - 1);

		memset(wc, 0, sizeof(*wc));
		wc->qp = &qp->ibqp;
		wc->status = dead_status(qp);
		wc->wr_id = sq->wrid[slot];
		/* As in finish_send(). */
		smp_store_release(&sq->tail, sq->next[slot]);
	}
	return done;
}

static int flush_recvs(struct cxr_ib_qp *qp, int n, struct ib_wc *wc)
{
	int done;

	for (done = 0; done < n; done++, wc++) {
		memset(wc, 0, sizeof(*wc));
		if (!finish_recv(&qp->rq, wc))
			break;
		wc->qp = &qp->ibqp;
		wc->status = IB_WC_WR_FLUSH_ERR;
	}
	return done;
}

static int poll_dead(struct cxr_ib_cq *cq, int n, struct ib_wc *wc)
	__must_hold(&cq->lock)
{
	struct cxr_ib_qp *qp;
	int done = 0;

	list_for_each_entry(qp, &cq->send_qps, send_entry)
		done += flush_sends(qp, n - done, wc + done);
	list_for_each_entry(qp, &cq->recv_qps, recv_entry)
		done += flush_recvs(qp, n - done, wc + done);
	return done;
}

static int poll_live(struct cxr_ib_cq *cq, int n, struct ib_wc *wc)
	__must_hold(&cq->lock)
{
	const struct prm_cqe64 *raw;
	u32 first = cq->ci;
	struct cxr_cqe cqe;
	int done = 0;

	while (done < n) {
		raw = ready_cqe(cq, cq->ci);
		if (!raw)
			break;
		cxr_cqe_decode(raw, &cqe);
		cq->ci++;
		if (fill_wc(cq, &cqe, wc + done))
			done++;
		else
			ibdev_err_ratelimited(cq->ibcq.device,
					      "CQ %#x: CQE for QP %#x, WQE %u, which is not outstanding: dropped\n",
					      cq->cq.cqn, cqe.qpn, cqe.wqe_counter);
	}
	if (cq->ci != first)
		publish_ci(cq);
	return done;
}

/*
 * CQEs of a dead device are ignored: their work requests are still outstanding in the software
 * queues, and are flushed.
 */
int cxr_ib_poll_cq(struct ib_cq *ibcq, int n, struct ib_wc *wc)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibcq->device);
	struct cxr_ib_cq *cq = to_cxr_cq(ibcq);
	unsigned long flags;
	int done;

	spin_lock_irqsave(&cq->lock, flags);
	done = cxr_core_dead(dev->core) ? poll_dead(cq, n, wc) : poll_live(cq, n, wc);
	spin_unlock_irqrestore(&cq->lock, flags);
	return done;
}

int cxr_ib_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags)
{
	bool solicited = (flags & IB_CQ_SOLICITED_MASK) == IB_CQ_SOLICITED;
	struct cxr_ib_dev *dev = to_cxr_dev(ibcq->device);
	struct cxr_ib_cq *cq = to_cxr_cq(ibcq);
	unsigned long irq_flags;
	int missed = 0;

	spin_lock_irqsave(&cq->lock, irq_flags);
	/* A dead device sends no events: cxr_ib_flush_work() calls the handler. */
	if (!cxr_core_dead(dev->core)) {
		missed = flags & IB_CQ_REPORT_MISSED_EVENTS && ready_cqe(cq, cq->ci);
		cxr_uar_arm_cq(dev->uar, &cq->db.rec[1], cq->cq.cqn, READ_ONCE(cq->arm_sn),
			       cq->ci, solicited);
	}
	spin_unlock_irqrestore(&cq->lock, irq_flags);
	return missed;
}

/* ---- QPs that come and go ---- */

void cxr_ib_cq_add_qp(struct cxr_ib_qp *qp)
{
	struct cxr_ib_cq *send_cq = to_cxr_cq(qp->ibqp.send_cq);
	struct cxr_ib_cq *recv_cq = to_cxr_cq(qp->ibqp.recv_cq);

	spin_lock_irq(&send_cq->lock);
	list_add_tail(&qp->send_entry, &send_cq->send_qps);
	spin_unlock_irq(&send_cq->lock);

	spin_lock_irq(&recv_cq->lock);
	list_add_tail(&qp->recv_entry, &recv_cq->recv_qps);
	spin_unlock_irq(&recv_cq->lock);
}

/* The SRQ needs its WQE back, although nobody sees the completion. */
static void return_srq_wqe(const struct cxr_ib_qp *qp, const struct cxr_cqe *cqe)
{
	u64 wr_id;

	if (qp->ibqp.srq && !is_send(cqe))
		cxr_ib_srq_finish(to_cxr_srq(qp->ibqp.srq), cqe->wqe_counter, &wr_id);
}

/*
 * Removes the CQEs of a QP that was destroyed or reset: its number may be reused. The other CQEs
 * move up, newest first. Each slot keeps its owner bit, which belongs to the pass over the ring.
 */
static void clean_one_cq(struct cxr_ib_cq *cq, const struct cxr_ib_qp *qp)
	__must_hold(&cq->lock)
{
	u32 gone = 0, i = cq->ci;

	lockdep_assert_held(&cq->lock);
	while (i - cq->ci < BIT(cq->log_size) && ready_cqe(cq, i))
		i++;

	while (i-- != cq->ci) {
		struct prm_cqe64 *from = cqe_at(cq, i), *to = cqe_at(cq, i + gone);
		struct cxr_cqe cqe;
		u8 owner;

		cxr_cqe_decode(from, &cqe);
		if (cqe.qpn == qp->qpn) {
			gone++;
			return_srq_wqe(qp, &cqe);
		} else if (gone) {
			owner = to->op_own & PRM_CQE_OWNER;
			*to = *from;
			to->op_own = (to->op_own & ~PRM_CQE_OWNER) | owner;
		}
	}

	if (gone) {
		cq->ci += gone;
		dma_wmb();	/* CQEs before the consumer index */
		publish_ci(cq);
	}
}

/*
 * Posting fails by the state of the QP already, or is over when we have the lock of the queue. Who
 * polls @cq, also that of a dead device, finds the queue as it was, or empty.
 */
static void empty_wq(struct cxr_ib_cq *cq, struct cxr_ib_wq *wq)
{
	lockdep_assert_held(&cq->lock);
	spin_lock(&wq->lock);
	wq->head = 0;
	wq->tail = 0;
	spin_unlock(&wq->lock);
}

void cxr_ib_cq_clean_qp(struct cxr_ib_qp *qp, bool remove)
{
	struct cxr_ib_cq *send_cq = to_cxr_cq(qp->ibqp.send_cq);
	struct cxr_ib_cq *recv_cq = to_cxr_cq(qp->ibqp.recv_cq);

	spin_lock_irq(&send_cq->lock);
	clean_one_cq(send_cq, qp);
	empty_wq(send_cq, &qp->sq);
	if (remove)
		list_del(&qp->send_entry);
	spin_unlock_irq(&send_cq->lock);

	spin_lock_irq(&recv_cq->lock);
	if (recv_cq != send_cq)
		clean_one_cq(recv_cq, qp);
	empty_wq(recv_cq, &qp->rq);
	if (remove)
		list_del(&qp->recv_entry);
	spin_unlock_irq(&recv_cq->lock);
}

static void forget_qp(struct cxr_ib_cq *cq, const struct cxr_ib_qp *qp)
{
	spin_lock_irq(&cq->lock);
	if (cq->last_qp == qp)
		cq->last_qp = NULL;
	spin_unlock_irq(&cq->lock);
}

void cxr_ib_cq_forget_qp(struct cxr_ib_qp *qp)
{
	forget_qp(to_cxr_cq(qp->ibqp.send_cq), qp);
	forget_qp(to_cxr_cq(qp->ibqp.recv_cq), qp);
}

void cxr_ib_cq_set_peer(struct cxr_ib_qp *qp, const u8 gid[16])
{
	struct cxr_ib_cq *cq = to_cxr_cq(qp->ibqp.send_cq);

	spin_lock_irq(&cq->lock);
	memcpy(qp->peer, gid, sizeof(qp->peer));
	spin_unlock_irq(&cq->lock);
}
