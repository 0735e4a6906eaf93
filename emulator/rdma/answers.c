// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The answers of a responder: acknowledgments, READ and atomic responses.
 *
 * They stand in a ring in PSN order and go out as the wire has room, so that an acknowledgment
 * never overtakes the responses of a READ before it. READ data are read when they are sent.
 */
#include "rdma/rdma.h"

static struct answer *answer_at(struct qp *qp, uint32_t pos)
{
	return &qp->resp.ring[pos & qp->resp.mask];
}

struct answer *answer_add(struct qp *qp, enum answer_kind kind, uint8_t syndrome, uint32_t psn)
{
	struct responder *p = &qp->resp;
	struct answer *answer;

	if (p->head - p->tail > p->mask) {
		trace(qp->obj.dev, "QP 0x%x: too many answers wait, one is lost", qp->obj.num);
		return NULL;
	}
	answer = answer_at(qp, p->head++);
	*answer = (struct answer) {
		.kind = kind, .syndrome = syndrome, .psn = psn, .msn = p->msn, .n_psn = 1
	};
	work_queue(&p->work);
	return answer;
}

void answer_ack(struct qp *qp)
{
	struct responder *p = &qp->resp;
	uint32_t psn = psn_add(p->psn, PSN_MASK);
	struct answer *last;

	if (p->tail != p->head) {
		last = answer_at(qp, p->head - 1);
		if (last->kind == ANSWER_ACK) {
			last->psn = psn;
			last->msn = p->msn;
			return;
		}
	}
	answer_add(qp, ANSWER_ACK, AETH_ACK, psn);
}

uint32_t answer_read_packets(const struct qp *qp, uint32_t len)
{
	return len ? (len + qp->mtu - 1) / qp->mtu : 1;
}

void answer_read(struct qp *qp, const struct packet *pkt, uint32_t msn, struct mem_user user)
{
	uint32_t len = get32(pkt->ext + 12);
	struct answer *answer = answer_add(qp, ANSWER_READ, AETH_ACK, pkt->bth.psn);

	if (!answer)
		return;
	answer->va = get64(pkt->ext);
	answer->rkey = get32(pkt->ext + 8);
	answer->len = len;
	answer->user = user;
	answer->n_psn = answer_read_packets(qp, len);
	answer->msn = msn;
}

void answer_atomic(struct qp *qp, const struct atomic_result *result)
{
	struct answer *answer = answer_add(qp, ANSWER_ATOMIC, AETH_ACK, result->psn);

	if (!answer)
		return;
	answer->va = result->value;
	answer->msn = result->msn;
}

unsigned int answers_reads(struct qp *qp)
{
	struct responder *p = &qp->resp;
	unsigned int n = 0;
	uint32_t pos;

	for (pos = p->tail; pos != p->head; pos++)
		n += answer_at(qp, pos)->kind == ANSWER_READ ||
		     answer_at(qp, pos)->kind == ANSWER_ATOMIC;
	return n;
}

void answers_forget(struct qp *qp, uint32_t psn)
{
	struct responder *p = &qp->resp;

	while (p->head != p->tail) {
		const struct answer *last = answer_at(qp, p->head - 1);

		if (psn_diff(psn_add(last->psn, last->n_psn - 1), psn) < 0)
			return;
		p->head--;
	}
}

static struct bth answer_bth(const struct qp *qp, uint8_t opcode, uint32_t psn)
{
	return (struct bth){ .opcode = qp_transport(qp) | opcode,
			     .dqpn = qp->remote_qpn,
			     .psn = psn };
}

static uint8_t *put_lead(const struct qp *qp, uint8_t *p)
{
	if (qp->st == PRM_QP_ST_DCT)
		put32(p, qp->session);
	return p + qp_lead_bytes(qp);
}

static void put_aeth(uint8_t *p, const struct answer *answer)
{
	put32(p, (uint32_t)answer->syndrome << 24 | (answer->msn & PSN_MASK));
}

/* The next packets of a READ response at once; 0: they must go in frames. */
static uint32_t send_read_direct(struct qp *qp, struct direct *way, struct answer *answer,
				 uint32_t most)
{
	uint64_t off = (uint64_t)answer->done * qp->mtu;
	uint32_t left = answer->n_psn - answer->done,
		 n = direct_most(qp, left, most),
		 len = n == left ? answer->len - off : n * qp->mtu;
	bool first = !answer->done, last = n == left;
	struct mem_map data;

	if (mem_map(qp->obj.dev, answer->user, answer->rkey, answer->va + off, len,
		    MEM_REMOTE_READ, &data) ||
	    !requester_take(way->peer, psn_add(answer->psn, answer->done), n, last, len, &data))
		return 0;
	way->pkt.n = n;
	direct_count(qp, way, first ? AETH_BYTES : 0,
		     last && !(first && n == 1) ? AETH_BYTES : 0, len);
	answer->done += n;
	return n;
}

/* In the place of the answer and of all behind it. */
static void put_nak(struct qp *qp, struct answer *answer, uint8_t syndrome, uint32_t psn)
{
	qp->resp.head = qp->resp.tail + 1;
	*answer = (struct answer) { .kind = ANSWER_NAK,
				    .syndrome = syndrome,
				    .psn = psn,
				    .msn = answer->msn,
				    .n_psn = 1 };
}

static void access_fails(struct qp *qp)
{
	qp->counters->resp_remote_access_errors++;
	qp_event(qp, PRM_EVENT_WQ_ACCESS_ERROR);
	qp->resp.dying = true;
}

/* The requester asks again for the rest, and for all behind it. */
static void read_not_ready(struct qp *qp, struct answer *answer)
{
	put_nak(qp, answer, AETH_RNR_NAK | prm_get(&qp->ctx, min_rnr_nak),
		psn_add(answer->psn, answer->done));
}

static void read_resumed(struct qp *qp, const struct page_fault *fault, bool error)
{
	if (!error || qp->resp.dying)
		return;
	access_fails(qp);
	qp->resp.tail = qp->resp.head;
	answer_add(qp, ANSWER_NAK, AETH_NAK_ACCESS, fault->psn);
}

/*
 * The next packet's data, at @off, are not there. False: they never will be, or the NAK behind them
 * is the last that the queue pair sends.
 */
static bool read_waits(struct qp *qp, struct answer *answer, uint64_t off, uint32_t len)
{
	const struct missing_rdma what = { .place = WAIT_READ,
					 .op = ODP_READ,
					 .access = MEM_REMOTE_READ,
					 .user = answer->user,
					 .rkey = answer->rkey,
					 .va = answer->va,
					 .op_len = answer->len,
					 .committed = off,
					 .len = len,
					 .psn = psn_add(answer->psn, answer->done),
					 .resume = read_resumed };

	if (qp->resp.dying || page_fault_rdma(qp, &what) == PAGE_FAULT_REFUSED)
		return false;
	read_not_ready(qp, answer);
	return true;
}

/* Sends the next packet of a READ response, or a NAK if the region is gone by now. */
static void send_read_packet(struct qp *qp, struct answer *answer)
{
	uint64_t off = (uint64_t)answer->done * qp->mtu;
	uint32_t psn = psn_add(answer->psn, answer->done);
	uint32_t len = answer->len - off < qp->mtu ? answer->len - off : qp->mtu;
	bool first = !answer->done, last = answer->done + 1 == answer->n_psn;
	uint8_t opcode = first ? (last ? BTH_READ_RESP_ONLY : BTH_READ_RESP_FIRST) :
				 (last ? BTH_READ_RESP_LAST : BTH_READ_RESP_MIDDLE);
	uint32_t head = first || last ? AETH_BYTES : 0;
	struct bth bth = answer_bth(qp, opcode, psn);
	enum mem_result result;
	struct frame *frame;
	uint8_t *data;

	frame = roce_frame(qp, &qp->av, &bth, qp_lead_bytes(qp) + head + len, &data);
	if (!frame) {
		answer->done++;
		return;
	}
	data = put_lead(qp, data);
	if (head)
		put_aeth(data, answer);
	data += head;
	result = mem_read(qp->obj.dev, answer->user, answer->rkey, answer->va + off, data, len,
			  MEM_REMOTE_READ);
	if (result) {
		frame_free(frame);
		if (result == MEM_NOT_PRESENT && read_waits(qp, answer, off, len))
			return;
		put_nak(qp, answer, AETH_NAK_ACCESS, psn);
		access_fails(qp);
		return;
	}
	answer->done++;
	dcqcn_sent(qp, frame);
	roce_send(qp, frame);
}

static void send_small(struct qp *qp, struct direct *way, const struct answer *answer)
{
	bool atomic = answer->kind == ANSWER_ATOMIC;
	struct bth bth = answer_bth(qp, atomic ? BTH_ATOMIC_ACK : BTH_ACK, answer->psn);
	uint8_t ext[DC_RESP_BYTES + AETH_BYTES + ATOMIC_ACK_BYTES], *p = put_lead(qp, ext);

	put_aeth(p, answer);
	if (atomic)
		put64(p + AETH_BYTES, answer->va);
	direct_packet(qp, way, &bth, ext,
		      qp_lead_bytes(qp) + AETH_BYTES + (atomic ? ATOMIC_ACK_BYTES : 0));
}

/* Sends a packet, or up to @most that can go at once. Returns their number. */
static uint32_t send_answer(struct qp *qp, struct direct *way, struct answer *answer,
			    uint32_t most)
{
	uint32_t n;

	if (answer->kind != ANSWER_READ) {
		send_small(qp, way, answer);
		answer->done = 1;
		return 1;
	}
	if (qp->page_faults[WAIT_READ] && !qp->resp.dying) {
		read_not_ready(qp, answer);
		return 1;
	}
	n = way ? send_read_direct(qp, way, answer, most) : 0;
	if (n)
		return n;
	send_read_packet(qp, answer);
	return 1;
}

static bool is_fatal(const struct answer *answer)
{
	return answer->kind == ANSWER_NAK && answer->syndrome > AETH_NAK_SEQUENCE;
}

void answers_work(struct work *work)
{
	struct qp *qp = container_of(work, struct qp, resp.work);
	struct responder *p = &qp->resp;
	struct direct direct;
	uint32_t budget = LOOP_SLICE;

	while (p->tail != p->head) {
		struct answer *answer = answer_at(qp, p->tail);
		bool fatal = is_fatal(answer), open;

		if (!budget) {
			work_queue(work);
			return;
		}
		open = direct_open(qp, &direct);
		if ((!open && !roce_may_send(qp, &qp->av, 1, work)) ||
		    (answer->kind == ANSWER_READ && !dcqcn_may_send(qp)))
			return;
		budget -= send_answer(qp, open ? &direct : NULL, answer, budget);
		if (answer->done != answer->n_psn)
			continue;
		p->tail++;
		if (fatal) {
			qp_set_error(qp);
			return;
		}
	}
}
