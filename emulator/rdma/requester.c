// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The requester of a queue pair.
 *
 * A ring holds the messages in flight, in order, from their first packet until they complete.
 * Packets are not kept: after a loss the requester goes back to the oldest unacknowledged PSN and
 * reads the WQEs again. Acknowledgments advance `una` over SEND and WRITE, only responses advance
 * it over READ and atomics, so it always lies within the oldest message.
 */
#include <stdlib.h>

#include "rdma/rdma.h"

#define ROOM_RESERVE	64	/* places in the port's queue that are left for answers */
#define PSN_WINDOW	0x7fffffu
#define RNR_FOREVER	7

static struct message *msg_at(struct qp *qp, uint32_t pos)
{
	return &qp->req.ring[pos & qp->req.mask];
}

/* Completed by a response instead of an acknowledgment. */
static bool has_response(const struct message *msg)
{
	return msg->opcode == PRM_WQE_RDMA_READ || message_is_atomic(msg);
}

static bool outstanding(const struct qp *qp)
{
	return psn_diff(qp->req.sent, qp->req.una) > 0;
}

uint64_t rnr_timer_ns(unsigned int code)
{
	static const uint16_t tens_of_us[32] = {
		0,    1,    2,	  3,	4,    6,     8,	    12,	   16,	  24,	 32,
		48,   64,   96,	  128,	192,  256,   384,   512,   768,	  1024,	 1536,
		2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
	};

	return (code & 31 ? tens_of_us[code & 31] : 65536) * 10000ull;
}

/* ---- completing ---------------------------------------------------------------------------- */

/* Completes the oldest message with @syndrome, which stops the send queue. */
static void fail(struct qp *qp, enum prm_cqe_syndrome syndrome)
{
	struct requester *r = &qp->req;
	struct message *msg;

	if (r->tail == r->head)
		return;
	if (qp->st == PRM_QP_ST_DCI) {
		dci_fail(qp, syndrome);
		return;
	}
	msg = msg_at(qp, r->tail);
	r->tail++;
	complete_send_error(qp, msg->index, msg->opcode, syndrome);
	if (qp_datagram(qp) || qp->st == PRM_QP_ST_UC)
		qp_sq_error(qp);
	else
		qp_set_error(qp);
}

static void complete_ready(struct qp *qp)
{
	struct requester *r = &qp->req;

	while (r->tail != r->cur) {
		struct message *msg = msg_at(qp, r->tail);

		if (psn_diff(r->una, psn_add(msg->psn, msg->n_psn)) < 0)
			return;
		if (has_response(msg))
			r->reads--;
		if (msg->late_error) {
			if (dci_fail_alone(qp, msg->late_error))
				return;
			continue;
		}
		r->tail++;
		complete_send(qp, msg);
		if (qp->state == PRM_QP_ERR)
			return;
	}
	if (r->tail != r->head && msg_at(qp, r->tail)->error)
		fail(qp, msg_at(qp, r->tail)->error);
}

/* All packets before @una have been delivered. */
static void progress(struct qp *qp, uint32_t una)
{
	struct requester *r = &qp->req;

	r->una = una;
	r->retries = prm_get(&qp->ctx, retry_count);
	r->rnr_retries = prm_get(&qp->ctx, rnr_retry);
	r->implied = false;
	while (r->cur != r->head) {
		struct message *msg = msg_at(qp, r->cur);
		int32_t done = psn_diff(una, msg->psn);

		if (!msg->n_psn || msg->error || done < (int32_t)msg->n_psn) {
			if (done > (int32_t)r->cur_pkt)
				r->cur_pkt = done;
			break;
		}
		if (has_response(msg))
			r->reads++;
		r->cur++;
		r->cur_pkt = 0;
	}
	complete_ready(qp);
	if (qp->state == PRM_QP_ERR)
		return;
	if (outstanding(qp) && qp->timeout_ns)
		timer_arm(&r->timeout, qp->timeout_ns);
	else
		timer_cancel(&r->timeout);
	work_queue(&r->work);
}

void requester_go_back(struct qp *qp)
{
	struct requester *r = &qp->req;

	r->cur = r->tail;
	r->cur_pkt = r->tail == r->head ? 0 : psn_diff(r->una, msg_at(qp, r->tail)->psn);
	r->reads = 0;
}

void requester_pause(struct qp *qp, uint64_t ns)
{
	qp->req.rnr_wait = true;
	timer_cancel(&qp->req.timeout);	/* or it would use up the retries meanwhile */
	timer_arm(&qp->req.rnr, ns);
}

static bool waits_for_page(const struct qp *qp)
{
	return qp->page_faults[WAIT_SENDING] || qp->page_faults[WAIT_RESPONSE];
}

static void retry(struct qp *qp)
{
	struct requester *r = &qp->req;

	if (!r->retries) {
		fail(qp, PRM_CQE_SYND_TRANSPORT_RETRY_EXC);
		return;
	}
	r->retries--;
	requester_go_back(qp);
	if (qp->timeout_ns)
		timer_arm(&r->timeout, qp->timeout_ns);
	work_queue(&r->work);
}

static void timeout_fired(struct timer *timer)
{
	struct qp *qp = container_of(timer, struct qp, req.timeout);

	if (qp->state != PRM_QP_RTS || !outstanding(qp))
		return;
	if (waits_for_page(qp)) {
		timer_arm(timer, qp->timeout_ns);
		return;
	}
	trace(qp->obj.dev, "QP 0x%x: no acknowledgment of PSN %u, %u retries left", qp->obj.num,
	      qp->req.una, qp->req.retries);
	qp->counters->local_ack_timeout_err++;
	retry(qp);
}

static void rnr_fired(struct timer *timer)
{
	struct qp *qp = container_of(timer, struct qp, req.rnr);

	qp->req.rnr_wait = false;
	if (outstanding(qp) && qp->timeout_ns)
		timer_arm(&qp->req.timeout, qp->timeout_ns);
	work_queue(&qp->req.work);
}

/* ---- starting ------------------------------------------------------------------------------ */

static uint32_t packets_of(const struct qp *qp, const struct swqe *w)
{
	if (w->wqe.opcode == PRM_WQE_NOP || w->wqe.opcode == PRM_WQE_UMR)
		return 0;
	if (qp_datagram(qp) || !w->data.len)
		return 1;
	return (w->data.len + qp->mtu - 1) / qp->mtu;
}

/*
 * Adds the next WQE to the ring. An invalid WQE is added too, so that its error completion comes in
 * order.
 */
static bool start_message(struct qp *qp)
{
	struct requester *r = &qp->req;
	struct message *msg = msg_at(qp, r->head);
	uint32_t n_psn;
	int err;

	if (!wq_posted(&qp->sq) || r->head - r->tail > r->mask)
		return false;
	err = swqe_read(qp, qp->sq.ci, &r->tx);
	n_psn = err ? 0 : packets_of(qp, &r->tx);
	if (((r->next_psn + n_psn - r->una) & PSN_MASK) > PSN_WINDOW && r->tail != r->head) {
		r->tx.valid = false;
		return false;
	}
	*msg = (struct message) {
		.index = qp->sq.ci,
		.opcode = r->tx.wqe.opcode,
		.signaled = r->tx.signaled,
		.solicited = r->tx.solicited,
		.psn = r->next_psn,
		.n_psn = n_psn,
		.len = r->tx.data.len,
		.error = err,
		.stream = r->tx.stream,
	};
	r->tx_of = r->head;
	if (!err)
		umr_check_fences(qp, &r->tx);
	r->next_psn = psn_add(r->next_psn, n_psn);
	wq_step(&qp->sq, r->tx.wqe.bbs);
	r->cur_pkt = 0;
	r->head++;
	return true;
}

/* The WQE of the message at @pos; read again if @w holds another one. */
static bool load_wqe(struct qp *qp, struct swqe *w, uint32_t *of, uint32_t pos)
{
	struct message *msg = msg_at(qp, pos);

	if (!w->valid || *of != pos) {
		*of = pos;
		if (swqe_read(qp, msg->index, w) || w->wqe.opcode != msg->opcode ||
		    w->data.len != msg->len) {
			violation(qp->obj.dev,
				  "QP 0x%x: send WQE %u was changed while it was in use",
				  qp->obj.num, msg->index);
			w->valid = false;
		}
	}
	return w->valid;
}

static bool must_wait(const struct qp *qp, const struct message *msg)
{
	const struct requester *r = &qp->req;

	if (has_response(msg) && r->reads >= 1u << prm_get(&qp->ctx, log_sra_max))
		return true;
	if (r->cur_pkt)
		return false;
	switch (r->tx.fence) {
	case PRM_WQE_FENCE:
	case PRM_WQE_FENCE_SMALL_AND_FENCE:
		return r->reads;
	case PRM_WQE_FENCE_STRONG:
		return r->tail != r->cur;
	default:
		return false;
	}
}

/* Of a DCI, the stream and the target have a say too. It sets msg->error if it never may. */
static bool may_not_go(struct qp *qp, struct message *msg)
{
	if (qp->st != PRM_QP_ST_DCI)
		return must_wait(qp, msg);
	if (dci_stream_failed(qp, msg->stream) && psn_diff(qp->req.sent, msg->psn) <= 0) {
		msg->error = PRM_CQE_SYND_WR_FLUSH;
		return false;
	}
	return (!dci_connect(qp, msg) && !msg->error) || (!msg->error && must_wait(qp, msg));
}

/* ---- sending ------------------------------------------------------------------------------- */

/* Advances past @n packets of @msg that were sent. */
static void sent_packets(struct qp *qp, const struct message *msg, uint32_t n)
{
	struct requester *r = &qp->req;
	bool whole = has_response(msg) || r->cur_pkt + n >= msg->n_psn;
	uint32_t after = whole ? psn_add(msg->psn, msg->n_psn) : psn_add(msg->psn, r->cur_pkt + n);

	if (psn_diff(after, r->sent) > 0)
		r->sent = after;
	r->cur_pkt += n;
	if (whole) {
		r->cur++;
		r->cur_pkt = 0;
		if (has_response(msg))
			r->reads++;
	}
	if (!qp_reliable(qp)) {
		if (whole)
			progress(qp, after);
		return;
	}
	if (!msg->n_psn)
		complete_ready(qp);
	else if (qp->timeout_ns && !timer_armed(&r->timeout))
		timer_arm(&r->timeout, qp->timeout_ns);
}

/* The way of the next packet: true and @way, or NULL for a frame; false: there is no room now. */
static bool open_way(struct qp *qp, struct direct **way)
{
	if (direct_open(qp, *way))
		return true;
	*way = NULL;
	return roce_may_send(qp, qp_path(qp), ROOM_RESERVE, &qp->req.work);
}

/*
 * Sends up to @most packets. Returns how many, or what else it took in such units; or 0: nothing to
 * do until a doorbell, an answer, a timer, or room for it.
 */
static uint32_t send_step(struct qp *qp, uint32_t most)
{
	struct requester *r = &qp->req;
	struct direct direct, *way = &direct;
	struct message *msg;
	uint32_t n = 1, more = 0;

	if (r->cur == r->head && !start_message(qp))
		return 0;
	msg = msg_at(qp, r->cur);
	if (!msg->error && !load_wqe(qp, &r->tx, &r->tx_of, r->cur))
		msg->error = PRM_CQE_SYND_LOCAL_QP_OP;
	if (!msg->error && may_not_go(qp, msg))
		return 0;
	if (!msg->error && msg->n_psn && !open_way(qp, &way))
		return 0;
	if (!msg->error && msg->n_psn) {
		n = request_send(qp, way, msg, most);
		if (!n && !msg->error)
			return 0;
	} else if (!msg->error && msg->opcode == PRM_WQE_UMR && !msg->executed) {
		msg->error = umr_execute(qp, &r->tx, &more);
		msg->executed = true;
	}
	if (msg->error) {
		complete_ready(qp);
		return 0;
	}
	sent_packets(qp, msg, n);
	return n + more;
}

static void requester_work(struct work *work)
{
	struct qp *qp = container_of(work, struct qp, req.work);
	struct requester *r = &qp->req;
	uint32_t budget = LOOP_SLICE, n;

	while (qp->state == PRM_QP_RTS && !r->rnr_wait && !waits_for_page(qp)) {
		if (!budget) {
			work_queue(work);
			return;
		}
		n = dcqcn_may_send(qp) ? send_step(qp, budget) : 0;
		if (!n)
			return;
		budget -= n < budget ? n : budget;
	}
}

/* Reads the doorbell record; negative if it is invalid. */
static int update(struct qp *qp)
{
	const struct requester *r = &qp->req;

	return wq_update(&qp->sq, r->tail == r->head ? qp->sq.ci : msg_at(qp, r->tail)->index);
}

/*
 * The record may already show WQEs whose data the host has written to the memory of the device, and
 * these writes have not come yet: other than on the bus, reads of the host's memory do not wait for
 * them. They come before the doorbell of their WQE, so a function that has such memory goes no
 * further than the doorbell says.
 */
static void hold_back(struct qp *qp, uint16_t index, unsigned int ds)
{
	uint16_t end = index + (ds + 3) / 4;
	struct wq *sq = &qp->sq;

	if (memic_is_used(qp->obj.dev) && (uint16_t)(end - sq->ci) < (uint16_t)(sq->pi - sq->ci))
		sq->pi = end;
}

void qp_doorbell(struct qp *qp, uint16_t index, unsigned int ds)
{
	switch (qp->state) {
	case PRM_QP_RTS:
	case PRM_QP_SQD:
		if (update(qp) < 0) {
			queue_event(&qp->obj, PRM_EVENT_WQ_CATAS_ERROR);
			qp_set_error(qp);
			return;
		}
		hold_back(qp, index, ds);
		work_queue(&qp->req.work);
		return;
	case PRM_QP_SQER:
	case PRM_QP_ERR:
		if (update(qp) >= 0)
			work_queue(&qp->flush_work);
		return;
	default:
		if (qp->state == PRM_QP_RST && qp->was_ready)	/* the doorbell is late */
			return;
		violation(qp->obj.dev, "QP 0x%x: doorbell for send WQE %u in state %u", qp->obj.num,
			  index, qp->state);
	}
}

/* ---- answers ------------------------------------------------------------------------------- */

bool requester_goes_on(const struct qp *qp, uint32_t session)
{
	return qp->state == PRM_QP_RTS &&
	       (qp->st != PRM_QP_ST_DCI || (qp->dci.connected && qp->session == session));
}

bool requester_acknowledge(struct qp *qp, uint32_t una)
{
	struct requester *r = &qp->req;
	bool whole = true;
	uint32_t pos;

	if (psn_diff(una, r->una) <= 0)
		return true;
	for (pos = r->tail; pos != r->head; pos++) {
		struct message *msg = msg_at(qp, pos);

		if (psn_diff(una, msg->psn) <= 0)
			break;
		if (!has_response(msg))
			continue;
		una = psn_diff(r->una, msg->psn) > 0 ? r->una : msg->psn;
		whole = false;
		break;
	}
	if (psn_diff(una, r->una) > 0)
		progress(qp, una);
	return whole;
}

/* Retries once for each gap: later packets beyond the same gap carry no new information. */
static void responses_lost(struct qp *qp)
{
	if (qp->req.implied)
		return;
	qp->counters->implied_nak_seq_err++;
	qp->req.implied = true;
	retry(qp);
}

static void take_rnr_nak(struct qp *qp, unsigned int code)
{
	struct requester *r = &qp->req;

	qp->counters->rnr_nak_retry_err++;
	if (!r->rnr_retries) {
		fail(qp, PRM_CQE_SYND_RNR_RETRY_EXC);
		return;
	}
	if (prm_get(&qp->ctx, rnr_retry) != RNR_FOREVER)
		r->rnr_retries--;
	requester_go_back(qp);
	requester_pause(qp, rnr_timer_ns(code));
}

static void take_nak(struct qp *qp, uint8_t syndrome)
{
	switch (syndrome) {
	case AETH_NAK_SEQUENCE:
		qp->counters->packet_seq_err++;
		retry(qp);
		return;
	case AETH_NAK_INVALID:
		fail(qp, PRM_CQE_SYND_REMOTE_INVAL_REQ);
		return;
	case AETH_NAK_ACCESS:
		fail(qp, PRM_CQE_SYND_REMOTE_ACCESS);
		return;
	case AETH_NAK_OPERATION:
		fail(qp, PRM_CQE_SYND_REMOTE_OP);
		return;
	default:
		fail(qp, PRM_CQE_SYND_BAD_RESP);
	}
}

static void take_ack(struct qp *qp, const struct packet *pkt)
{
	uint32_t session = qp->session;
	uint8_t syndrome;
	bool whole;

	if (pkt->ext_len < AETH_BYTES)
		return;
	syndrome = pkt->ext[0];
	if (syndrome < AETH_RNR_NAK) {
		if (!requester_acknowledge(qp, psn_add(pkt->bth.psn, 1)) &&
		    requester_goes_on(qp, session))
			responses_lost(qp);
		return;
	}
	whole = requester_acknowledge(qp, pkt->bth.psn);
	if (!requester_goes_on(qp, session))
		return;
	if (!whole)
		responses_lost(qp);
	else if (syndrome < 2 * AETH_RNR_NAK)
		take_rnr_nak(qp, syndrome & 0x1f);
	else
		take_nak(qp, syndrome);
}

static bool fits_response(const struct message *msg, uint8_t op, bool last, uint32_t len,
			  uint32_t want)
{
	if (message_is_atomic(msg))
		return op == BTH_ATOMIC_ACK && len == want;
	if (len != want)
		return false;
	return last ? op == BTH_READ_RESP_LAST || op == BTH_READ_RESP_ONLY :
		      op == BTH_READ_RESP_FIRST || op == BTH_READ_RESP_MIDDLE;
}

/*
 * A response has no place. Of a DCI, the messages after it may go on: it fails when all responses
 * to it are in. True: it goes on.
 */
static bool response_fails(struct qp *qp, struct message *msg, uint8_t error)
{
	if (qp->st == PRM_QP_ST_DCI) {
		msg->late_error = error;
		return true;
	}
	fail(qp, error);
	return false;
}

/* The responses are asked for again. */
static void response_resumed(struct qp *qp, const struct page_fault *fault, bool error)
{
	struct requester *r = &qp->req;

	(void)fault;
	if (error && r->tail != r->head &&
	    !response_fails(qp, msg_at(qp, r->tail), PRM_CQE_SYND_LOCAL_PROT))
		return;
	requester_go_back(qp);
	work_queue(&r->work);
}

/* The page that a response goes to is not there. False: it never will be. */
static bool response_waits(struct qp *qp, const struct message *msg, uint64_t off, uint32_t len)
{
	const struct missing_wqe what = { .place = WAIT_RESPONSE,
					.op = message_is_atomic(msg) ? ODP_ATOMIC : ODP_READ,
					.type = PRM_FAULT_WQE_READ_ATOMIC,
					.wq = qp->obj.num,
					.index = msg->index,
					.data = &qp->req.rd.data,
					.committed = off,
					.len = len,
					.resume = response_resumed };
	enum page_fault_result result = page_fault_wqe(qp, &what);

	if (result == PAGE_FAULT_LATER) {
		requester_go_back(qp);
		requester_pause(qp, PAGE_FAULT_LATER_NS);
	}
	return result != PAGE_FAULT_REFUSED;
}

static bool store_response(struct qp *qp, struct message *msg, uint64_t off, const uint8_t *data,
			   uint32_t len)
{
	struct requester *r = &qp->req;
	enum mem_result result;

	if (msg->late_error)
		return true;
	if (!load_wqe(qp, &r->rd, &r->rd_of, r->tail))
		return response_fails(qp, msg, PRM_CQE_SYND_LOCAL_QP_OP);
	result = sg_scatter(&r->rd.data, off, data, len);
	if (result == MEM_NOT_PRESENT && response_waits(qp, msg, off, len))
		return false;
	return !result || response_fails(qp, msg, PRM_CQE_SYND_LOCAL_PROT);
}

static void take_response(struct qp *qp, const struct packet *pkt)
{
	uint8_t op = pkt->bth.opcode & 0x1f;
	uint32_t head = op == BTH_READ_RESP_MIDDLE ? 0 : AETH_BYTES, want, n;
	uint32_t session = qp->session;
	struct requester *r = &qp->req;
	struct message *msg;
	const uint8_t *data;
	uint64_t off, value;
	bool last;

	if (!requester_acknowledge(qp, pkt->bth.psn)) {
		if (requester_goes_on(qp, session))
			responses_lost(qp);
		return;
	}
	if (!requester_goes_on(qp, session) || r->tail == r->head || r->una != pkt->bth.psn)
		return;
	msg = msg_at(qp, r->tail);
	n = psn_diff(r->una, msg->psn);
	last = n + 1 == msg->n_psn;
	off = (uint64_t)n * qp->mtu;
	want = last ? msg->len - off : qp->mtu;
	if (pkt->ext_len < head || !has_response(msg) ||
	    !fits_response(msg, op, last, pkt->ext_len - head, want)) {
		fail(qp, PRM_CQE_SYND_BAD_RESP);
		return;
	}
	data = pkt->ext + head;
	if (message_is_atomic(msg) && hca_atomics_in_host_order(qp->obj.dev)) {
		value = htole64(get64(data));
		data = (const uint8_t *)&value;
	}
	if (!store_response(qp, msg, off, data, want))
		return;
	progress(qp, psn_add(pkt->bth.psn, 1));
}

static bool may_answer(const struct qp *qp, uint32_t psn)
{
	return (qp->state == PRM_QP_RTS || qp->state == PRM_QP_SQD) &&
	       !qp->page_faults[WAIT_RESPONSE] &&
	       psn_diff(psn, qp->req.una) >= 0 && psn_diff(qp->req.sent, psn) > 0;
}

bool requester_take(struct qp *qp, uint32_t psn, uint32_t n, bool last, uint32_t len,
		    const struct mem_map *data)
{
	struct requester *r = &qp->req;
	uint32_t session = qp->session;
	struct mem_map room;
	struct message *msg;
	uint64_t off;
	uint32_t at;

	if (!may_answer(qp, psn) || !requester_acknowledge(qp, psn) ||
	    !requester_goes_on(qp, session) || r->tail == r->head || r->una != psn)
		return false;
	msg = msg_at(qp, r->tail);
	at = psn_diff(psn, msg->psn);
	off = (uint64_t)at * qp->mtu;
	if (msg->opcode != PRM_WQE_RDMA_READ || msg->late_error || at + n > msg->n_psn ||
	    last != (at + n == msg->n_psn) || len != (last ? msg->len - off : n * qp->mtu))
		return false;
	if (!load_wqe(qp, &r->rd, &r->rd_of, r->tail)) {
		if (response_fails(qp, msg, PRM_CQE_SYND_LOCAL_QP_OP))
			progress(qp, psn_add(psn, n));
		return true;
	}
	if (sg_map(&r->rd.data, off, len, true, &room) || mem_maps_overlap(&room, data) ||
	    !mem_map_copy(&room, data))
		return false;
	progress(qp, psn_add(psn, n));
	return true;
}

void requester_answer(struct qp *qp, const struct packet *pkt)
{
	if (!may_answer(qp, pkt->bth.psn))
		return;
	if ((pkt->bth.opcode & 0x1f) == BTH_ACK)
		take_ack(qp, pkt);
	else
		take_response(qp, pkt);
}

/* ---- life ---------------------------------------------------------------------------------- */

int requester_init(struct qp *qp)
{
	struct requester *r = &qp->req;

	work_init(&r->work, requester_work);
	timer_init(&r->timeout, timeout_fired);
	timer_init(&r->rnr, rnr_fired);
	r->mask = prm_get(&qp->ctx, no_sq) ? 0 : (1u << prm_get(&qp->ctx, log_sq_size)) - 1;
	r->ring = budget_alloc(qp->obj.dev, r->mask + 1, sizeof(*r->ring));
	return r->ring ? 0 : -1;
}

void requester_stop(struct qp *qp)
{
	work_cancel(&qp->req.work);
	timer_cancel(&qp->req.timeout);
	timer_cancel(&qp->req.rnr);
	qp->req.rnr_wait = false;
	page_fault_cancel(qp, WAIT_SENDING);
	page_fault_cancel(qp, WAIT_RESPONSE);
}

void requester_reset(struct qp *qp)
{
	struct requester *r = &qp->req;

	requester_stop(qp);
	qp->sq.pi = 0;
	qp->sq.ci = 0;
	r->tail = 0;
	r->cur = 0;
	r->head = 0;
	r->cur_pkt = 0;
	r->reads = 0;
	r->unasked = 0;
	r->implied = false;
	r->tx.valid = false;
	r->rd.valid = false;
}

void requester_start(struct qp *qp)
{
	struct requester *r = &qp->req;

	r->fresh_key = 0;
	r->next_psn = prm_get(&qp->ctx, next_send_psn);
	r->una = r->next_psn;
	r->sent = r->next_psn;
	r->retries = prm_get(&qp->ctx, retry_count);
	r->rnr_retries = prm_get(&qp->ctx, rnr_retry);
}

void requester_resume(struct qp *qp)
{
	struct requester *r = &qp->req;

	r->una = r->next_psn;
	r->sent = r->next_psn;
	r->cur_pkt = 0;
	if (wq_posted(&qp->sq))
		work_queue(&r->work);
}

void requester_free(struct qp *qp)
{
	requester_stop(qp);
	budget_free(qp->req.ring);
}

struct obj *qp_uar(const struct qp *qp)
{
	return qp->uar;
}
