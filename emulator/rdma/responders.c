// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The responders of a DCT: queue pairs that only receive, one for each initiator, which no command
 * names. PD, SRQ, CQ and rights are the DCT's.
 */
#include <string.h>

#include "rdma/rdma.h"

struct dc_responder {
	struct qp qp;
	struct dct *dct;
	struct list_head by_dct, by_use;
};

static struct dc_state *state_of(const struct dct *dct)
{
	return &dct->obj.dev->rdma_state->dc;
}

/* Sessions of a process that is started again are newer than those of the last one. */
void dc_state_init(struct cxdev *dev)
{
	dev->rdma_state->dc.last_session = now_ns() / 1000000;
	list_init(&dev->rdma_state->dc.lru);
}

void dc_state_stop(struct cxdev *dev)
{
	dev->rdma_state->dc.n_past = 0;
}

/* ---- what is past -------------------------------------------------------------------------- */

static void remember(const struct dc_responder *r)
{
	struct dc_state *dc = state_of(r->dct);
	struct dc_past *past = &dc->past[dc->n_past++ % DC_REMEMBERED];

	*past = (struct dc_past){ .dctn = r->dct->obj.num,
				  .initiator = r->qp.remote_qpn,
				  .session = r->qp.session,
				  .psn = r->qp.resp.psn,
				  .msn = r->qp.resp.msn };
	memcpy(past->gid, r->qp.av.dgid, 16);
}

/* The last of it that is known, or NULL. */
static const struct dc_past *recall(const struct dct *dct, const struct packet *pkt)
{
	const struct dc_state *dc = state_of(dct);
	unsigned int n = dc->n_past < DC_REMEMBERED ? dc->n_past : DC_REMEMBERED, i;

	for (i = 1; i <= n; i++) {
		const struct dc_past *past = &dc->past[(dc->n_past - i) % DC_REMEMBERED];

		if (past->dctn == dct->obj.num && past->initiator == pkt->dc.initiator &&
		    !memcmp(past->gid, pkt->sgid, 16))
			return past;
	}
	return NULL;
}

/* ---- their life ---------------------------------------------------------------------------- */

/* A message that will not go on takes its receive WQE with it. */
static void abort_message(struct qp *qp)
{
	qp_stop(qp);
	if (!qp->resp.have_wqe)
		return;
	qp->resp.have_wqe = false;
	complete_recv_error(qp, &qp->resp.wqe, PRM_CQE_SYND_REMOTE_ABORTED);
}

static void responder_close(struct dc_responder *r)
{
	struct qp *qp = &r->qp;

	qp_stop(qp);
	requester_free(qp);
	responder_free(qp);
	list_del(&r->by_dct);
	list_del(&r->by_use);
	state_of(r->dct)->n_responders--;
	budget_free(r);
}

static bool is_idle(const struct dc_responder *r)
{
	const struct responder *p = &r->qp.resp;

	return !p->in_message && !p->have_wqe && p->tail == p->head;
}

bool dct_close_idle(struct dct *dct)
{
	struct dc_responder *r, *tmp;

	list_for_each_entry_safe(r, tmp, &dct->responders, by_dct)
		if (is_idle(r))
			responder_close(r);
	return list_empty(&dct->responders);
}

void dct_close_all(struct dct *dct, bool report)
{
	struct dc_responder *r, *tmp;

	list_for_each_entry_safe(r, tmp, &dct->responders, by_dct) {
		if (report)
			abort_message(&r->qp);
		responder_close(r);
	}
}

/* Makes room for one more. False: all have something in work. */
static bool make_room(struct dc_state *dc)
{
	struct list_head *at;

	if (dc->n_responders < DC_RESPONDERS)
		return true;
	for (at = dc->lru.prev; at != &dc->lru; at = at->prev) {
		struct dc_responder *r = list_entry(at, struct dc_responder, by_use);

		if (!is_idle(r))
			continue;
		remember(r);
		responder_close(r);
		return true;
	}
	return false;
}

/* A fault rule turned a completion into an error. */
static void responder_stopped(void *obj)
{
	qp_set_error(obj);
}

static void set_context(struct qp *qp, const struct dct *dct)
{
	const struct prm_dctc *from = &dct->ctx;

	prm_set(&qp->ctx, st, PRM_QP_ST_DCT);
	prm_set(&qp->ctx, no_sq, 1);
	prm_set(&qp->ctx, log_rra_max, LOG_RA_MAX);
	prm_set(&qp->ctx, min_rnr_nak, prm_get(from, min_rnr_nak));
	qp->mtu = 128u << prm_get(from, mtu);
	qp->rlky = prm_get(from, rlky);
	qp->rre = prm_get(from, rre);
	qp->rwe = prm_get(from, rwe);
	qp->rae = prm_get(from, rae);
	qp->user_index = prm_get(from, user_index);
}

/* Answers go back to where requests come from. */
static void set_path(struct qp *qp, const struct dct *dct, const struct packet *pkt)
{
	const struct prm_dctc *from = &dct->ctx;
	struct av *av = &qp->av;

	memcpy(av->dmac, pkt->smac, 6);
	memcpy(av->dgid, pkt->sgid, 16);
	av->sgid_index = prm_get(from, my_addr_index);
	av->tclass = prm_get(from, tclass);
	if (dct->obj.dev->roce_addrs[av->sgid_index].version && prm_get(from, dscp))
		av->tclass = prm_get(from, dscp) << 2 | prm_get(from, ecn);
	av->hop_limit = prm_get(from, hop_limit);
	av->prio = prm_get(from, eth_prio);
	av->flow_label = prm_get(from, flow_label);
}

/* Without its place in any list; the rings are not there. */
static void init_queue(struct qp *qp, struct dct *dct, const struct packet *pkt)
{
	qp->obj = (struct obj){ .type = OBJ_DCT, .num = dct->obj.num, .uid = dct->obj.uid,
				.dev = dct->obj.dev, .stop = responder_stopped };
	qp->st = PRM_QP_ST_DCT;
	qp->state = PRM_QP_RTR;
	qp->pd = dct->pd;
	qp->recv_cq = dct->cq;
	qp->srq = dct->srq;
	qp->counters = dct->counters;
	qp->remote_qpn = pkt->dc.initiator;
	set_context(qp, dct);
	set_path(qp, dct, pkt);
	work_init(&qp->flush_work, qp_flush);
	timer_init(&qp->flush_timer, qp_flush_timer);
	dcqcn_init(qp);
	responder_init(qp);
}

static struct dc_responder *responder_open(struct dct *dct, const struct packet *pkt)
{
	struct dc_state *dc = state_of(dct);
	struct dc_responder *r;

	if (!make_room(dc)) {
		trace(dct->obj.dev, "DCT 0x%x: no responder is left for QP 0x%x", dct->obj.num,
		      pkt->dc.initiator);
		return NULL;
	}
	r = budget_alloc(dct->obj.dev, 1, sizeof(*r));
	if (!r)
		return NULL;
	init_queue(&r->qp, dct, pkt);
	if (requester_init(&r->qp) || responder_start(&r->qp)) {
		requester_free(&r->qp);
		responder_free(&r->qp);
		budget_free(r);
		return NULL;
	}
	r->dct = dct;
	list_add(&r->by_dct, &dct->responders);
	list_add(&r->by_use, &dc->lru);
	dc->n_responders++;
	return r;
}

/* ---- sessions ------------------------------------------------------------------------------ */

static void begin_session(struct dc_responder *r, const struct packet *pkt)
{
	struct qp *qp = &r->qp;

	abort_message(qp);
	responder_reset(qp);
	qp->state = PRM_QP_RTR;
	qp->session = pkt->dc.session;
	qp->resp.psn = pkt->dc.first_psn;
	qp->counters->rx_dct_connect++;
	set_path(qp, r->dct, pkt);
}

static bool is_newer(uint32_t session, uint32_t than)
{
	return (int32_t)(session - than) > 0;
}

/* The responder of a request that opens a session, or of one that was given up. */
static struct dc_responder *connect(struct dct *dct, const struct packet *pkt)
{
	const struct dc_past *past = recall(dct, pkt);
	uint32_t session = 0, psn = 0, msn = 0;
	struct dc_responder *r;
	bool resumes = false;

	if (past) {
		if (is_newer(past->session, pkt->dc.session))
			return NULL;
		resumes = past->session == pkt->dc.session;
		session = past->session;
		psn = past->psn;
		msn = past->msn;
	}
	r = responder_open(dct, pkt);
	if (!r)
		return NULL;
	if (!resumes) {
		begin_session(r, pkt);
		return r;
	}
	r->qp.session = session;
	r->qp.resp.psn = psn;
	r->qp.resp.msn = msn;
	return r;
}

static struct dc_responder *find(const struct dct *dct, const struct packet *pkt)
{
	struct dc_responder *r;

	list_for_each_entry(r, &dct->responders, by_dct)
		if (r->qp.remote_qpn == pkt->dc.initiator && !memcmp(r->qp.av.dgid, pkt->sgid, 16))
			return r;
	return NULL;
}

/* NULL: the request is of an old session, or cannot be served now. */
static struct dc_responder *responder_of(struct dct *dct, const struct packet *pkt)
{
	struct dc_responder *r = find(dct, pkt);

	if (!r && dct->state == PRM_DCT_STATE_ACTIVE)
		r = connect(dct, pkt);
	else if (r && is_newer(pkt->dc.session, r->qp.session) &&
		 dct->state == PRM_DCT_STATE_ACTIVE)
		begin_session(r, pkt);
	if (!r || r->qp.session != pkt->dc.session)
		return NULL;
	list_del(&r->by_dct);
	list_add(&r->by_dct, &dct->responders);
	list_del(&r->by_use);
	list_add(&r->by_use, &state_of(dct)->lru);
	return r;
}

/* ---- packets ------------------------------------------------------------------------------- */

/* The whole session is refused: the NAK is of its first packet. */
static void refuse_key(struct dct *dct, const struct packet *pkt)
{
	struct bth bth = { .opcode = BTH_DC | BTH_ACK, .dqpn = pkt->dc.initiator,
			   .psn = pkt->dc.first_psn };
	uint8_t ext[DC_RESP_BYTES + AETH_BYTES];
	static struct qp none;

	trace(dct->obj.dev, "DCT 0x%x: QP 0x%x has another key", dct->obj.num, pkt->dc.initiator);
	dct->violations++;
	dct->counters->resp_remote_access_errors++;
	if (dct->armed)
		queue_event(&dct->obj, PRM_EVENT_DCT_KEY_VIOLATION);
	dct->armed = false;
	none.obj = (struct obj){ .type = OBJ_DCT, .num = dct->obj.num, .dev = dct->obj.dev };
	set_path(&none, dct, pkt);
	put32(ext, pkt->dc.session);
	put32(ext + DC_RESP_BYTES, (uint32_t)AETH_NAK_ACCESS << 24);
	roce_packet(&none, NULL, &bth, ext, sizeof(ext));
}

static bool is_for(const struct dct *dct, const struct packet *pkt)
{
	return roce_is_to(&dct->obj.dev->roce_addrs[prm_get(&dct->ctx, my_addr_index)], pkt) &&
	       !(pkt->smac[0] & 1);
}

bool dct_request(struct dct *dct, const struct packet *pkt)
{
	struct dc_responder *r;

	if (!is_for(dct, pkt))
		return false;
	if (pkt->dc.key != dct->key) {
		refuse_key(dct, pkt);
		return true;
	}
	r = responder_of(dct, pkt);
	if (!r)
		return true;
	if (roce_is_marked(pkt))
		roce_send_cnp(&r->qp);
	responder_request(&r->qp, pkt);
	return true;
}

bool dct_cnp(struct dct *dct, const struct packet *pkt)
{
	struct dc_responder *r;
	bool any = false;

	if (!is_for(dct, pkt))
		return false;
	list_for_each_entry(r, &dct->responders, by_dct) {
		if (memcmp(r->qp.av.dgid, pkt->sgid, 16))
			continue;
		any = true;
		if (dcqcn_notified(&r->qp))
			dct->obj.dev->rdma->rx_cnp++;
		else
			dct->obj.dev->rdma->rx_cnp_ignored++;
	}
	return any;
}
