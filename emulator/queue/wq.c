// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Work queues: the ring, its doorbell record, the WQEs of a send queue. */
#include "queue/queue.h"

/* Reads @len bytes that start @skip bytes after the start of entry @index, wrapping at the end. */
static int ring_read(const struct wq *wq, uint16_t index, uint32_t skip, void *buf, uint32_t len)
{
	uint32_t size = wq_bytes(wq), off, first;
	struct cxdev *dev = wq->owner->dev;
	int err;

	off = (((uint32_t)index << wq->log_stride) + skip) & (size - 1);
	first = size - off < len ? size - off : len;
	err = pages_read(dev, wq->pages, wq->offset + off, buf, first);
	if (!err && first < len)
		err = pages_read(dev, wq->pages, wq->offset, (uint8_t *)buf + first, len - first);
	return err;
}

int wq_read(const struct wq *wq, uint16_t index, void *buf)
{
	return ring_read(wq, index, 0, buf, 1u << wq->log_stride) ? -1 : 1 << wq->log_stride;
}

/* Where the producer index is in the doorbell record. */
static uint64_t pi_at(const struct wq *wq)
{
	return wq->dbr + (wq->send ? offsetof(struct prm_wq_dbr, snd) :
				     offsetof(struct prm_wq_dbr, rcv));
}

/* 0, or -1: it cannot be read. */
static int read_pi(const struct wq *wq, uint16_t *pi)
{
	__be32 counter;

	if (guest_read(wq->owner->dev, pi_at(wq), &counter, sizeof(counter)))
		return -1;
	*pi = be32_to_cpu(counter);
	return 0;
}

static bool pi_fits(const struct wq *wq, uint16_t pi, uint16_t oldest)
{
	uint16_t ahead = pi - oldest;

	return ahead <= 1u << wq->log_size && ahead >= (uint16_t)(wq->ci - oldest);
}

int wq_update(struct wq *wq, uint16_t oldest)
{
	const struct obj *owner = wq->owner;
	uint16_t pi;

	if (read_pi(wq, &pi))
		return -1;
	if (!pi_fits(wq, pi, oldest)) {
		violation(owner->dev,
			  "%s 0x%x: %s producer index %u is not within %u to %u",
			  obj_name(owner->type), owner->num, wq->send ? "send" : "receive", pi,
			  wq->ci, (uint16_t)(oldest + (1u << wq->log_size)));
		return -1;
	}
	wq->pi = pi;
	return wq_posted(wq);
}

bool wq_waits(const struct wq *wq)
{
	size_t len = sizeof(__be32);
	uint16_t pi;

	return guest_ptr(wq->owner->dev, pi_at(wq), &len, false) && len == sizeof(__be32) &&
	       !read_pi(wq, &pi) && pi_fits(wq, pi, wq->ci) && pi != wq->ci;
}

int wqe_bad(const struct wqe *w, const char *why, uint32_t value)
{
	const struct obj *owner = w->wq->owner;

	violation(owner->dev, "%s 0x%x: send WQE %u: %s (0x%x)", obj_name(owner->type), owner->num,
		  w->index, why, value);
	return PRM_CQE_SYND_LOCAL_QP_OP;
}

int wqe_fetch(const struct wq *wq, uint16_t index, struct wqe *w)
{
	const struct prm_wqe_ctrl_seg *ctrl = wqe_ctrl(w);
	uint32_t op, qpn_ds;

	w->wq = wq;
	w->index = index;
	w->opcode = PRM_WQE_NOP;
	w->bbs = 1;
	if (wq_read(wq, index, w->raw) < 0)
		return wqe_bad(w, "it cannot be read", 0);
	op = be32_to_cpu(ctrl->opmod_idx_opcode);
	qpn_ds = be32_to_cpu(ctrl->qpn_ds);
	w->opcode = op;
	w->bytes = (qpn_ds & 0x3f) * PRM_WQE_DS;
	if (!w->bytes)
		return wqe_bad(w, "its size is 0", qpn_ds);
	w->bbs = (w->bytes + PRM_WQE_BB - 1) / PRM_WQE_BB;
	if ((op >> 8 & 0xffff) != index)
		return wqe_bad(w, "its control segment has another index", op);
	if (qpn_ds >> 8 != wq->owner->num)
		return wqe_bad(w, "its control segment has another QPN", qpn_ds);
	if ((uint16_t)(wq->pi - index) < w->bbs)
		return wqe_bad(w, "it is longer than what was posted", w->bbs);
	if (w->bytes > PRM_WQE_BB &&
	    ring_read(wq, index, PRM_WQE_BB, w->raw + PRM_WQE_BB, w->bytes - PRM_WQE_BB))
		return wqe_bad(w, "it cannot be read", 0);
	journal(wq->owner->dev, wq->owner->type == OBJ_SQ ? "eth" : "wqe", w->opcode, w->raw,
		w->bytes);
	return 0;
}

uint8_t wqe_skip(struct wq *wq)
{
	struct prm_wqe_ctrl_seg ctrl = {};

	ring_read(wq, wq->ci, 0, &ctrl, sizeof(ctrl));
	wq_step(wq, ((be32_to_cpu(ctrl.qpn_ds) & 0x3f) + 3) / 4);
	return be32_to_cpu(ctrl.opmod_idx_opcode);
}

void queue_event(const struct obj *queue, enum prm_event type)
{
	struct prm_eqe_qp_srq data = { .type = queue->type == OBJ_QP ? PRM_EQE_RSC_QP :
					       queue->type == OBJ_SQ ? PRM_EQE_RSC_SQ :
					       queue->type == OBJ_DCT ? PRM_EQE_RSC_DCT :
								       PRM_EQE_RSC_RQ,
				       .qp_srq_n = cpu_to_be32(queue->num) };

	if (type == PRM_EVENT_WQ_CATAS_ERROR || type == PRM_EVENT_WQ_INVAL_REQ_ERROR ||
	    type == PRM_EVENT_WQ_ACCESS_ERROR || type == PRM_EVENT_SRQ_CATAS_ERROR)
		queue->dev->hca->vnic.error_queues++;
	event_dispatch(queue->dev, type, 0, &data, sizeof(data));
}
