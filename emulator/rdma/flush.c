// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Flushes the WQEs that are left in a queue pair when it goes into error state. */
#include <limits.h>

#include "rdma/rdma.h"

#define FLUSH_LOOK_MIN	1000000ull		/* 1 ms */
#define FLUSH_LOOK_MAX	64000000ull

/* Flushes the send queue. Returns false if the budget did not suffice. */
static bool flush_send(struct qp *qp, int *budget)
{
	struct requester *r = &qp->req;

	r->cur = r->head;

	while (r->tail != r->head) {
		const struct message *msg = &r->ring[r->tail & r->mask];

		if (!(*budget)--)
			return false;
		r->tail++;
		complete_send_error(qp, msg->index, msg->opcode, PRM_CQE_SYND_WR_FLUSH);
	}
	while (wq_posted(&qp->sq)) {
		uint16_t index = qp->sq.ci;

		if (!(*budget)--)
			return false;
		wqe_skip(&qp->sq);
		complete_send_error(qp, index, PRM_WQE_NOP, PRM_CQE_SYND_WR_FLUSH);
	}
	return true;
}

static bool flush_recv(struct qp *qp, int *budget)
{
	struct responder *p = &qp->resp;

	if (p->have_wqe) {
		p->have_wqe = false;
		complete_recv_error(qp, &p->wqe, PRM_CQE_SYND_WR_FLUSH);
	}
	if (qp->st == PRM_QP_ST_DCT)
		return true;
	if (qp->srq && qp->st != PRM_QP_ST_XRC) {
		if (!qp->last_wqe_reported)
			qp_event(qp, PRM_EVENT_SRQ_LAST_WQE);
		qp->last_wqe_reported = true;
		return true;
	}
	while (qp->has_rq && wq_update(&qp->rq, qp->rq.ci) > 0) {
		p->wqe.index = qp->rq.ci++;
		p->wqe.srq = NULL;
		qp->flush_delay = FLUSH_LOOK_MIN;
		complete_recv_error(qp, &p->wqe, PRM_CQE_SYND_WR_FLUSH);
		if (!(*budget)--)
			return false;
	}
	return true;
}

void qp_end_flush(struct qp *qp)
{
	int budget = INT_MAX;

	work_cancel(&qp->flush_work);
	flush_send(qp, &budget);
}

/*
 * Receives that are posted in error state are flushed too. Posting them rings no doorbell, so the
 * doorbell record is polled at growing intervals.
 */
void qp_flush(struct work *work)
{
	struct qp *qp = container_of(work, struct qp, flush_work);
	int budget = LOOP_SLICE;

	if (!flush_send(qp, &budget)) {
		work_queue(work);
		return;
	}
	if (qp->state != PRM_QP_ERR)
		return;
	if (!flush_recv(qp, &budget)) {
		work_queue(work);
		return;
	}
	if (!qp->has_rq)
		return;
	timer_arm(&qp->flush_timer, qp->flush_delay);
	if (qp->flush_delay < FLUSH_LOOK_MAX)
		qp->flush_delay *= 2;
}

void qp_flush_timer(struct timer *timer)
{
	struct qp *qp = container_of(timer, struct qp, flush_timer);

	work_queue(&qp->flush_work);
}
