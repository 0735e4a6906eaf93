// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The responders of a DCT: queue pairs that only receive, one for each initiator, which no command
 * names. PD, SRQ, CQ and rights are the DCT's.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "rdma/rdma.h"

#define NAKS_PER_MS	16	/* of a function, to whom it has no responder for */
#define ROOM_RESERVE	64	/* places in the port's queue that those leave to others */

struct dc_responder {
	struct qp qp;
	struct dct *dct;
	struct list_head by_dct, by_use;
	uint32_t epoch;		/* of its session */
	uint32_t message_psn;	/* of the message under way, or the next one */
	uint64_t heard_ns;	/* the last packet, or an answer that was seen to have gone since */
	uint64_t answered;	/* answers_place() then */
};

static struct dc_state *state_of(const struct dct *dct)
{
	return &dct->obj.dev->rdma_state->dc;
}

void dc_state_init(struct cxdev *dev)
{
	struct dc_state *dc = &dev->rdma_state->dc;
	uint32_t random[2];

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		abort();	/* it cannot fail for so few bytes */
	dc->epoch = random[0];
	dc->last_session = random[1];
	list_init(&dc->lru);
}

void dc_state_stop(struct cxdev *dev)
{
	dev->rdma_state->dc.n_past = 0;
}

/* The message at message_psn is not complete, or the session has failed there. */
static bool in_the_midst(const struct dc_responder *r)
{
	const struct responder *p = &r->qp.resp;

	return r->qp.state == PRM_QP_ERR || p->dying || p->in_message || p->have_wqe;
}

static bool is_idle(const struct dc_responder *r)
{
	return !in_the_midst(r) && r->qp.resp.tail == r->qp.resp.head;
}

/* ---- what is past -------------------------------------------------------------------------- */

static void remember(const struct dc_responder *r)
{
	struct dc_state *dc = state_of(r->dct);
	struct dc_past *past = &dc->past[dc->n_past++ % DC_REMEMBERED];

	*past = (struct dc_past){ .dctn = r->dct->obj.num,
				  .initiator = r->qp.remote_qpn,
				  .epoch = r->epoch,
				  .session = r->qp.session,
				  .broken = in_the_midst(r),
				  .psn = in_the_midst(r) ? r->message_psn : r->qp.resp.psn,
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

/* A message that will not go on takes its receive WQE with it; of a failed one a flush is due. */
static void abort_message(struct qp *qp)
{
	bool failed = qp->state == PRM_QP_ERR || qp->resp.dying;

	if (!qp->resp.have_wqe)
		return;
	qp->resp.have_wqe = false;
	complete_recv_error(qp, &qp->resp.wqe,
			    failed ? PRM_CQE_SYND_WR_FLUSH : PRM_CQE_SYND_REMOTE_ABORTED);
}

static void responder_close(struct dc_responder *r)
{
	struct qp *qp = &r->qp;

	qp_stop(qp);
	requester_free(qp);
	responder_free(qp);
	page_faults_forget(qp);
	list_del(&r->by_dct);
	list_del(&r->by_use);
	state_of(r->dct)->n_responders--;
	r->dct->n_responders--;
	budget_free(r);
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

/* Moves on with each packet of an answer. */
static uint64_t answers_place(const struct responder *p)
{
	uint32_t done = p->tail == p->head ? 0 : p->ring[p->tail & p->mask].done;

	return (uint64_t)p->tail << 32 | done;
}

/* Neither has a packet come for a while nor has an answer gone. */
static bool is_silent(struct dc_responder *r)
{
	uint64_t place = answers_place(&r->qp.resp), now = now_ns();

	if (place != r->answered) {
		r->answered = place;
		r->heard_ns = now;
	}
	return now - r->heard_ns >= DC_SILENT_NS;
}

/*
 * The one to give up, of @dct, or of all if it is NULL: of those that have nothing in work, or have
 * failed, the one used last the longest ago; if all have, the one that is silent for the longest
 * time. NULL: there is none.
 */
static struct dc_responder *find_victim(struct dc_state *dc, const struct dct *dct)
{
	struct dc_responder *silent = NULL, *r;
	struct list_head *at;

	for (at = dc->lru.prev; at != &dc->lru; at = at->prev) {
		r = list_entry(at, struct dc_responder, by_use);
		if (dct && r->dct != dct)
			continue;
		if (is_idle(r) || r->qp.state == PRM_QP_ERR)
			return r;
		if (!silent && is_silent(r))
			silent = r;
	}
	return silent;
}

/* Is there room for one more of @dct? *victim: NULL, or who must be given up for it. */
static bool has_room(const struct dct *dct, struct dc_responder **victim)
{
	struct dc_state *dc = state_of(dct);
	bool greedy = dct->n_responders > DC_RESPONDERS / 2 && dc->n_responders >= DC_SHARED;

	*victim = NULL;
	if (!greedy && dc->n_responders < DC_RESPONDERS)
		return true;
	*victim = find_victim(dc, greedy ? dct : NULL);
	return *victim;
}

static void give_up(struct dc_responder *r)
{
	remember(r);
	abort_message(&r->qp);
	responder_close(r);
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
	prm_set(&qp->ctx, log_rra_max, hca_dc_answers(dct->obj.dev));
	prm_set(&qp->ctx, min_rnr_nak, prm_get(from, min_rnr_nak));
	qp->mtu = 128u << prm_get(from, mtu);
	qp->max_msg = 1u << LOG_MSG_MAX;
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

/* @victim: of has_room() */
static struct dc_responder *responder_open(struct dct *dct, const struct packet *pkt,
					   struct dc_responder *victim)
{
	struct dc_state *dc = state_of(dct);
	struct dc_responder *r;

	if (victim)
		give_up(victim);
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
	dct->n_responders++;
	return r;
}

/* ---- refusals ------------------------------------------------------------------------------ */

static bool may_nak(struct dct *dct, struct qp *qp)
{
	struct dc_state *dc = state_of(dct);
	uint64_t ms = now_ns() / 1000000;

	if (ms != dc->nak_ms)
		dc->n_naks = 0;
	dc->nak_ms = ms;
	if (dc->n_naks >= NAKS_PER_MS || !roce_may_send(qp, &qp->av, ROOM_RESERVE, &dct->nak_work))
		return false;
	dc->n_naks++;
	return true;
}

/*
 * To whom there is no responder for. Anybody can provoke these: what is too much is dropped, and an
 * initiator asks again.
 */
static void send_nak(struct dct *dct, const struct packet *pkt, uint32_t psn, uint8_t syndrome)
{
	struct bth bth = { .opcode = BTH_DC | BTH_ACK, .dqpn = pkt->dc.initiator, .psn = psn };
	uint8_t ext[DC_RESP_BYTES + AETH_BYTES];
	static struct qp none;

	none.obj = (struct obj){ .type = OBJ_DCT, .num = dct->obj.num, .dev = dct->obj.dev };
	set_path(&none, dct, pkt);
	if (!may_nak(dct, &none))
		return;
	put32(ext, pkt->dc.session);
	put32(ext + DC_RESP_BYTES, (uint32_t)syndrome << 24);
	direct_packet(&none, NULL, &bth, ext, sizeof(ext));
}

/* The whole session is refused: the NAK is of its first packet. */
static void refuse_key(struct dct *dct, const struct packet *pkt)
{
	trace(dct->obj.dev, "DCT 0x%x: QP 0x%x has another key", dct->obj.num, pkt->dc.initiator);
	dct->violations++;
	dct->counters->resp_remote_access_errors++;
	if (dct->armed)
		queue_event(&dct->obj, PRM_EVENT_DCT_KEY_VIOLATION);
	dct->armed = false;
	send_nak(dct, pkt, pkt->dc.first_psn, AETH_NAK_ACCESS);
}

/* ---- sessions ------------------------------------------------------------------------------ */

/* What it knows of congestion on the way stays. */
static void begin_session(struct dc_responder *r, const struct packet *pkt)
{
	struct qp *qp = &r->qp;

	abort_message(qp);
	responder_reset(qp);
	work_cancel(&qp->flush_work);
	timer_cancel(&qp->flush_timer);
	qp->state = PRM_QP_RTR;
	r->epoch = pkt->dc.epoch;
	qp->session = pkt->dc.session;
	qp->resp.psn = pkt->dc.first_psn;
	qp->counters->rx_dct_connect++;
	set_path(qp, r->dct, pkt);
}

/* Of an initiator that was started again, any session is newer. */
static bool is_newer(uint32_t epoch, uint32_t session, uint32_t epoch_then, uint32_t session_then)
{
	return epoch != epoch_then || (int32_t)(session - session_then) > 0;
}

static void resume(struct dc_responder *r, const struct dc_past *past)
{
	r->epoch = past->epoch;
	r->qp.session = past->session;
	r->qp.resp.psn = past->psn;
	r->qp.resp.msn = past->msn;
}

/* The responder of a request that opens a session, or of one that was given up. */
static struct dc_responder *connect(struct dct *dct, const struct packet *pkt)
{
	const struct dc_past *last = recall(dct, pkt);
	const struct dc_eth *dc = &pkt->dc;
	struct dc_responder *r, *victim;
	struct dc_past past = {};
	bool resumes;

	if (last)
		past = *last;
	resumes = last && past.epoch == dc->epoch && past.session == dc->session;
	if (last && !resumes && !is_newer(dc->epoch, dc->session, past.epoch, past.session))
		return NULL;
	if (!has_room(dct, &victim)) {
		trace(dct->obj.dev, "DCT 0x%x: no responder is left for QP 0x%x", dct->obj.num,
		      dc->initiator);
		return NULL;
	}
	if (resumes ? past.broken : pkt->bth.psn != dc->first_psn) {
		send_nak(dct, pkt, resumes ? past.psn : dc->first_psn, DC_NAK_SESSION);
		return NULL;
	}
	r = responder_open(dct, pkt, victim);
	if (r && resumes)
		resume(r, &past);
	else if (r)
		begin_session(r, pkt);
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

static bool is_of_session(const struct dc_responder *r, const struct packet *pkt)
{
	return r->epoch == pkt->dc.epoch && r->qp.session == pkt->dc.session;
}

/* NULL: the request is of an old session, or cannot be served now. */
static struct dc_responder *responder_of(struct dct *dct, const struct packet *pkt)
{
	struct dc_responder *r = find(dct, pkt);

	if (!r && dct->state == PRM_DCT_STATE_ACTIVE)
		r = connect(dct, pkt);
	else if (r && is_newer(pkt->dc.epoch, pkt->dc.session, r->epoch, r->qp.session) &&
		 dct->state == PRM_DCT_STATE_ACTIVE)
		begin_session(r, pkt);
	if (!r || !is_of_session(r, pkt))
		return NULL;
	list_del(&r->by_dct);
	list_add(&r->by_dct, &dct->responders);
	list_del(&r->by_use);
	list_add(&r->by_use, &state_of(dct)->lru);
	return r;
}

/* ---- packets ------------------------------------------------------------------------------- */

bool dct_is_for(const struct dct *dct, const struct packet *pkt)
{
	return roce_is_to(&dct->obj.dev->roce_addrs[prm_get(&dct->ctx, my_addr_index)], pkt) &&
	       !(pkt->smac[0] & 1);
}

/* The responder that is to handle it; NULL: it has been handled. */
static struct dc_responder *accept(struct dct *dct, const struct packet *pkt)
{
	struct dc_responder *r;

	if (pkt->dc.key != dct->key) {
		refuse_key(dct, pkt);
		return NULL;
	}
	r = responder_of(dct, pkt);
	if (!r)
		return NULL;
	r->heard_ns = now_ns();
	r->answered = answers_place(&r->qp.resp);
	if (!r->qp.resp.in_message)
		r->message_psn = r->qp.resp.psn;
	return r;
}

bool dct_request(struct dct *dct, const struct packet *pkt)
{
	struct dc_responder *r;

	if (!dct_is_for(dct, pkt))
		return false;
	r = accept(dct, pkt);
	if (!r)
		return true;
	if (roce_is_marked(pkt))
		roce_send_cnp(&r->qp);
	responder_request(&r->qp, pkt);
	return true;
}

/* To several that there is no responder for there are as many answers: they go in frames. */
bool dct_take(struct dct *dct, struct packet *pkt, const struct mem_map *data)
{
	struct dc_responder *r = find(dct, pkt);

	if (pkt->n > 1 && (!r || !is_of_session(r, pkt)))
		return false;
	r = accept(dct, pkt);
	if (r && data)
		return responder_take(&r->qp, pkt, data);
	if (r)
		responder_request(&r->qp, pkt);
	return true;
}

bool dct_cnp(struct dct *dct, const struct packet *pkt)
{
	bool any = false, heeded = false;
	struct dc_responder *r;

	if (!dct_is_for(dct, pkt))
		return false;
	list_for_each_entry(r, &dct->responders, by_dct) {
		if (memcmp(r->qp.av.dgid, pkt->sgid, 16))
			continue;
		any = true;
		heeded |= dcqcn_notified(&r->qp);
	}
	if (heeded)
		dct->obj.dev->rdma->rx_cnp++;
	else if (any)
		dct->obj.dev->rdma->rx_cnp_ignored++;
	return any;
}
