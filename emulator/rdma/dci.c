// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Initiators of dynamically connected transport: sessions and streams. */
#include <string.h>

#include "rdma/rdma.h"

#define SESSION_PACKETS	(1u << 22)	/* as many as the longest message has, at least */

static struct message *msg_at(struct qp *qp, uint32_t pos)
{
	return &qp->req.ring[pos & qp->req.mask];
}

/* ---- streams ------------------------------------------------------------------------------- */

void dci_init(struct qp *qp)
{
	struct dci *dci = &qp->dci;

	dci->streams = prm_get(&qp->ctx, log_num_dci_stream_channels);
	dci->max_errored = 1;
	if (dci->streams)
		dci->max_errored <<= prm_get(&qp->ctx, log_num_dci_errored_streams);
}

void dci_reset(struct qp *qp)
{
	qp->dci.connected = false;
	qp->dci.n_errored = 0;
}

bool dci_stream_failed(const struct qp *qp, uint16_t stream)
{
	unsigned int i;

	for (i = 0; i < qp->dci.n_errored; i++)
		if (qp->dci.errored[i] == stream)
			return true;
	return false;
}

bool dci_reset_stream(struct qp *qp, uint16_t stream)
{
	struct dci *dci = &qp->dci;
	unsigned int i;

	for (i = 0; i < dci->n_errored; i++) {
		if (dci->errored[i] != stream)
			continue;
		dci->errored[i] = dci->errored[--dci->n_errored];
		return true;
	}
	return false;
}

/* True: the queue has stopped. */
static bool stream_fails(struct qp *qp, uint16_t stream)
{
	struct dci *dci = &qp->dci;

	if (dci_stream_failed(qp, stream))
		return false;
	dci->errored[dci->n_errored++] = stream;
	if (dci->n_errored < dci->max_errored)
		return false;
	qp_set_error(qp);
	return true;
}

/* ---- sessions ------------------------------------------------------------------------------ */

static bool same_path(const struct av *x, const struct av *y)
{
	return !memcmp(x->dmac, y->dmac, sizeof(x->dmac)) &&
	       !memcmp(x->dgid, y->dgid, sizeof(x->dgid)) && x->sgid_index == y->sgid_index &&
	       x->tclass == y->tclass && x->hop_limit == y->hop_limit && x->prio == y->prio &&
	       x->flow_label == y->flow_label && x->udp_sport == y->udp_sport;
}

static bool is_target(const struct qp *qp, const struct swqe *w)
{
	return qp->dci.connected && qp->remote_qpn == w->dqpn && qp->dci.key == w->dc_key &&
	       same_path(&qp->av, &w->av);
}

/* Is there room for it in the session? One that has begun in it fits. */
static bool fits(const struct qp *qp, const struct message *msg)
{
	uint32_t end = psn_add(msg->psn, msg->n_psn);

	return psn_add(end, -qp->dci.first_psn) <= SESSION_PACKETS;
}

bool dci_connect(struct qp *qp, struct message *msg)
{
	struct requester *r = &qp->req;
	struct dci *dci = &qp->dci;

	if (!msg->n_psn)
		return true;
	if (is_target(qp, &r->tx) && fits(qp, msg)) {
		msg->session = qp->session;
		return true;
	}
	if (dci->connected && msg->session == qp->session) {
		violation(qp->obj.dev,
			  "QP 0x%x: the target of send WQE %u was changed while in use",
			  qp->obj.num, msg->index);
		msg->error = PRM_CQE_SYND_LOCAL_QP_OP;
		return false;
	}
	if (r->tail != r->cur)
		return false;
	/* to a target that does not know the message its first packet must come first */
	if (msg->opcode != PRM_WQE_RDMA_READ)
		r->cur_pkt = 0;
	qp->session = ++qp->obj.dev->rdma_state->dc.last_session;
	qp->remote_qpn = r->tx.dqpn;
	qp->av = r->tx.av;
	dci->key = r->tx.dc_key;
	dci->first_psn = psn_add(msg->psn, r->cur_pkt);
	dci->connected = true;
	r->una = dci->first_psn;
	r->sent = r->una;
	r->implied = false;
	msg->session = qp->session;
	return true;
}

struct dc_eth dci_eth(const struct qp *qp)
{
	return (struct dc_eth){ .key = qp->dci.key,
				.initiator = qp->obj.num,
				.session = qp->session,
				.first_psn = qp->dci.first_psn,
				.epoch = qp->obj.dev->rdma_state->dc.epoch };
}

/* What is in the ring goes out in a session of its own. */
static void start_over(struct qp *qp)
{
	struct requester *r = &qp->req;

	requester_stop(qp);
	qp->dci.connected = false;
	r->cur = r->tail;
	r->cur_pkt = 0;
	r->reads = 0;
	r->unasked = 0;
	r->implied = false;
	r->una = r->tail == r->head ? r->next_psn : msg_at(qp, r->tail)->psn;
	r->sent = r->una;
	r->retries = prm_get(&qp->ctx, retry_count);
	r->rnr_retries = prm_get(&qp->ctx, rnr_retry);
	work_queue(&r->work);
}

/* ---- errors -------------------------------------------------------------------------------- */

bool dci_fail_alone(struct qp *qp, uint8_t syndrome)
{
	struct message msg = *msg_at(qp, qp->req.tail++);

	complete_send_error(qp, msg.index, msg.opcode, syndrome);
	if (qp->state == PRM_QP_ERR)
		return true;
	return syndrome != PRM_CQE_SYND_WR_FLUSH && stream_fails(qp, msg.stream);
}

/* May the target have executed it? What has no packets is not done again either. */
static bool was_sent(struct qp *qp, const struct message *msg)
{
	return !msg->error && qp->req.tail != qp->req.head &&
	       psn_diff(qp->req.sent, msg->psn) > 0;
}

void dci_fail(struct qp *qp, uint8_t syndrome)
{
	struct requester *r = &qp->req;

	if (dci_fail_alone(qp, syndrome))
		return;
	while ((syndrome == PRM_CQE_SYND_TRANSPORT_RETRY_EXC ||
		syndrome == PRM_CQE_SYND_BAD_RESP) && was_sent(qp, msg_at(qp, r->tail))) {
		if (msg_at(qp, r->tail)->n_psn) {
			if (dci_fail_alone(qp, syndrome))
				return;
			continue;
		}
		complete_send(qp, msg_at(qp, r->tail++));
		if (qp->state == PRM_QP_ERR)
			return;
	}
	start_over(qp);
}

/* ---- answers ------------------------------------------------------------------------------- */

/* The target has another key than when the session began: it refuses all of it. */
static bool is_refused(const struct qp *qp, const struct packet *pkt)
{
	return pkt->ext[0] == AETH_NAK_ACCESS && pkt->bth.psn == qp->dci.first_psn &&
	       pkt->bth.psn != qp->req.una && qp->req.tail != qp->req.head;
}

/* What is not acknowledged goes out in another session. */
static void session_unknown(struct qp *qp, uint32_t psn)
{
	struct requester *r = &qp->req;
	uint32_t session = qp->session;

	if (psn_diff(r->sent, psn) >= 0)
		requester_acknowledge(qp, psn);
	if (!requester_goes_on(qp, session) || r->tail == r->head)
		return;
	if (!r->retries) {
		dci_fail(qp, PRM_CQE_SYND_TRANSPORT_RETRY_EXC);
		return;
	}
	requester_go_back(qp);
	qp->dci.connected = false;
	r->retries--;
	work_queue(&r->work);
}

void dci_answer(struct qp *qp, const struct packet *pkt)
{
	if (qp->state != PRM_QP_RTS || !qp->dci.connected || pkt->dc.session != qp->session)
		return;
	if ((pkt->bth.opcode & 0x1f) != BTH_ACK || pkt->ext_len < AETH_BYTES)
		requester_answer(qp, pkt);
	else if (pkt->ext[0] == DC_NAK_SESSION)
		session_unknown(qp, pkt->bth.psn);
	else if (is_refused(qp, pkt))
		dci_fail(qp, PRM_CQE_SYND_REMOTE_ACCESS);
	else
		requester_answer(qp, pkt);
}
