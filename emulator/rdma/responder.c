// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The receiving half of a queue pair.
 *
 * Requests are executed as they come in, in PSN order; what they are answered goes to answers.c.
 */
#include <stdlib.h>
#include <string.h>

#include "rdma/rdma.h"

/* What a request opcode is made of. */
struct op_info {
	bool known, first, last, write, imm, inv;
};

static const struct op_info op_infos[32] = {
	[BTH_SEND_FIRST] = { .known = true, .first = true },
	[BTH_SEND_MIDDLE] = { .known = true },
	[BTH_SEND_LAST] = { .known = true, .last = true },
	[BTH_SEND_LAST_IMM] = { .known = true, .last = true, .imm = true },
	[BTH_SEND_ONLY] = { .known = true, .first = true, .last = true },
	[BTH_SEND_ONLY_IMM] = { .known = true, .first = true, .last = true, .imm = true },
	[BTH_WRITE_FIRST] = { .known = true, .first = true, .write = true },
	[BTH_WRITE_MIDDLE] = { .known = true, .write = true },
	[BTH_WRITE_LAST] = { .known = true, .last = true, .write = true },
	[BTH_WRITE_LAST_IMM] = { .known = true, .last = true, .write = true, .imm = true },
	[BTH_WRITE_ONLY] = { .known = true, .first = true, .last = true, .write = true },
	[BTH_WRITE_ONLY_IMM] = { .known = true,
				 .first = true,
				 .last = true,
				 .write = true,
				 .imm = true },
	[BTH_SEND_LAST_INV] = { .known = true, .last = true, .inv = true },
	[BTH_SEND_ONLY_INV] = { .known = true, .first = true, .last = true, .inv = true },
};

static bool receiving(const struct qp *qp)
{
	return !qp->resp.dying && (qp->state == PRM_QP_RTR || qp->state == PRM_QP_RTS ||
				   qp->state == PRM_QP_SQER || qp->state == PRM_QP_SQD);
}

/* ---- refusals ------------------------------------------------------------------------------ */

static void add_nak(struct qp *qp, uint8_t syndrome)
{
	qp->resp.nak_sent = true;
	answer_add(qp, ANSWER_NAK, syndrome, qp->resp.psn);
}

/* Fatal: sends the pending answers and a NAK, then goes into error state. */
static void die(struct qp *qp, uint8_t syndrome)
{
	struct responder *p = &qp->resp;

	p->dying = true;
	if (qp_reliable(qp) && answer_add(qp, ANSWER_NAK, syndrome, p->psn))
		return;
	qp_set_error(qp);
}

static void refuse_invalid(struct qp *qp, const char *why)
{
	trace(qp->obj.dev, "QP 0x%x: invalid request at PSN %u: %s", qp->obj.num, qp->resp.psn,
	      why);
	if (qp->st == PRM_QP_ST_UC) {
		qp->resp.in_message = false;
		return;
	}
	qp->counters->resp_remote_invalid_request++;
	qp_event(qp, PRM_EVENT_WQ_INVAL_REQ_ERROR);
	die(qp, AETH_NAK_INVALID);
}

static void refuse_access(struct qp *qp, enum mem_result result, uint32_t rkey, uint64_t va,
			  uint64_t len)
{
	trace(qp->obj.dev, "QP 0x%x: remote access at PSN %u: rkey 0x%x, 0x%llx, %llu bytes: %s",
	      qp->obj.num, qp->resp.psn, rkey, (unsigned long long)va, (unsigned long long)len,
	      mem_result_text(result));
	if (qp->st == PRM_QP_ST_UC) {
		qp->resp.in_message = false;
		return;
	}
	qp->counters->resp_remote_access_errors++;
	qp_event(qp, PRM_EVENT_WQ_ACCESS_ERROR);
	die(qp, AETH_NAK_ACCESS);
}

/* ---- completions --------------------------------------------------------------------------- */

static void fill_cqe(struct prm_cqe64 *cqe, const struct packet *pkt, uint32_t src_qpn, bool grh,
		     uint32_t len)
{
	memset(cqe, 0, sizeof(*cqe));
	cqe->flags_rqpn = cpu_to_be32((grh ? 1u : 0) << PRM_CQE_GRH_SHIFT |
				      (uint32_t)pkt->type << PRM_CQE_ROCE_TYPE_SHIFT | src_qpn);
	if (pkt->vlan) {
		cqe->l4_l3_hdr_type = PRM_CQE_VLAN;
		cqe->vlan_info = cpu_to_be16(pkt->vlan_tci);
	}
	cqe->byte_cnt = cpu_to_be32(len);
}

static void complete_message(struct qp *qp, const struct packet *pkt, const struct op_info *op,
			     uint32_t imm)
{
	struct responder *p = &qp->resp;
	enum prm_cqe_opcode opcode = op->write ? PRM_CQE_RESP_WR_IMM :
				     op->imm   ? PRM_CQE_RESP_SEND_IMM :
				     op->inv   ? PRM_CQE_RESP_SEND_INV :
						 PRM_CQE_RESP_SEND;
	struct prm_cqe64 cqe;

	fill_cqe(&cqe, pkt, qp->remote_qpn, false, p->got);
	cqe.immediate = cpu_to_be32(imm);
	p->have_wqe = false;
	complete_recv(qp, &p->wqe, &cqe, opcode, pkt->bth.solicited);
}

/* Fails the current receive: its WQE gets an error completion. */
static void fail_recv(struct qp *qp, enum prm_cqe_syndrome syndrome, uint8_t nak)
{
	struct responder *p = &qp->resp;

	p->have_wqe = false;
	complete_recv_error(qp, &p->wqe, syndrome);
	if (qp->state != PRM_QP_ERR)
		die(qp, nak);
}

/* ---- pages that are not present ------------------------------------------------------------ */

static void not_ready(struct qp *qp)
{
	add_nak(qp, AETH_RNR_NAK | prm_get(&qp->ctx, min_rnr_nak));
}

static void recv_resumed(struct qp *qp, const struct page_fault *fault, bool error)
{
	(void)fault;
	if (!error || !receiving(qp))
		return;
	if (qp->resp.have_wqe)
		fail_recv(qp, PRM_CQE_SYND_LOCAL_PROT, AETH_NAK_OPERATION);
	else
		die(qp, AETH_NAK_OPERATION);
}

/* The next @len bytes of the receive WQE. True: the requester tries again when they may be. */
static bool recv_waits_for_page(struct qp *qp, uint32_t len)
{
	const struct rwqe *w = &qp->resp.wqe;
	const struct missing_wqe what = {
		.place = WAIT_REQUEST,
		.op = w->srq ? ODP_SRQ_RECEIVE : ODP_RECEIVE,
		.type = w->srq ? PRM_FAULT_WQE_RMP : PRM_FAULT_WQE_RECEIVE,
		.wq = w->srq ? w->srq->obj.num : qp->obj.num,
		.index = w->index,
		.data = &w->room,
		.committed = qp->resp.got,
		.len = len,
		.resume = recv_resumed
	};

	if (!qp_reliable(qp) || page_fault_wqe(qp, &what) == PAGE_FAULT_REFUSED)
		return false;
	not_ready(qp);
	return true;
}

/* A receive that an RDMA request has taken fails with it. */
static void refuse_rdma(struct qp *qp, enum mem_result result, uint32_t rkey, uint64_t va,
			uint64_t len)
{
	struct responder *p = &qp->resp;

	if (p->have_wqe && qp_reliable(qp)) {
		p->have_wqe = false;
		complete_recv_error(qp, &p->wqe, PRM_CQE_SYND_LOCAL_ACCESS);
	}
	refuse_access(qp, result, rkey, va, len);
}

static void rdma_resumed(struct qp *qp, const struct page_fault *fault, bool error)
{
	if (error && receiving(qp))
		refuse_rdma(qp, MEM_NOT_PRESENT, fault->rkey, 0, 0);
}

/* @what: of the request at the expected PSN. True: as above. */
static bool rdma_waits_for_page(struct qp *qp, struct missing_rdma what)
{
	what.place = WAIT_REQUEST;
	what.user = qp->resp.user;
	what.resume = rdma_resumed;
	if (!qp_reliable(qp) || page_fault_rdma(qp, &what) == PAGE_FAULT_REFUSED)
		return false;
	not_ready(qp);
	return true;
}

/* ---- SEND and WRITE ------------------------------------------------------------------------ */

/* Gets a receive WQE for the message. False: none, and the requester gets a NAK. */
static bool need_wqe(struct qp *qp)
{
	struct responder *p = &qp->resp;

	if (p->have_wqe)
		return true;
	switch (recv_take(qp, &p->wqe)) {
	case RECV_OK:
		p->have_wqe = true;
		return true;
	case RECV_EMPTY:
		if (qp_reliable(qp))
			not_ready(qp);
		return false;
	case RECV_ERROR:
		qp_event(qp, PRM_EVENT_WQ_CATAS_ERROR);
		die(qp, AETH_NAK_OPERATION);
		return false;
	}
	return false;
}

/* Of @n packets in a row, in @len bytes. */
static const char *check_shape(const struct qp *qp, const struct op_info *op, uint32_t n,
			       uint32_t len)
{
	const struct responder *p = &qp->resp;
	uint32_t before = (n - 1) * qp->mtu;

	if (op->first ? p->in_message : !p->in_message || p->writing != op->write)
		return "the opcode does not fit the message under way";
	if (!op->last && len != before + qp->mtu)
		return "a packet that is not the last one is not as long as the path MTU";
	if (op->last && (len > before + qp->mtu || len < before ||
			 (len == before && !(op->first && n == 1))))
		return "the length of the last packet";
	return NULL;
}

/* The RETH of a WRITE's first packet. False: refused. */
static bool start_write(struct qp *qp, const uint8_t *reth)
{
	struct responder *p = &qp->resp;
	enum mem_result result;

	p->va = get64(reth);
	p->rkey = get32(reth + 8);
	p->dmalen = get32(reth + 12);
	if (!qp->rwe) {
		refuse_invalid(qp, "the QP does not allow remote writes");
		return false;
	}
	if (p->dmalen > qp->max_msg) {
		refuse_invalid(qp, "a WRITE is longer than a message can be");
		return false;
	}
	result = mem_check(qp->obj.dev, qp->resp.user, p->rkey, p->va, p->dmalen, MEM_REMOTE_WRITE);
	if (result) {
		refuse_access(qp, result, p->rkey, p->va, p->dmalen);
		return false;
	}
	return true;
}

static bool store_send(struct qp *qp, const struct packet *pkt, const uint8_t *data, uint32_t len)
{
	struct responder *p = &qp->resp;
	enum mem_result result = MEM_OK;

	if (p->got + len > p->wqe.room.len) {
		fail_recv(qp, PRM_CQE_SYND_LOCAL_LENGTH, AETH_NAK_INVALID);
		return false;
	}
	if (!pkt->stored)
		result = sg_scatter(&p->wqe.room, p->got, data, len);
	if (result == MEM_NOT_PRESENT && recv_waits_for_page(qp, len))
		return false;
	if (result)
		fail_recv(qp, PRM_CQE_SYND_LOCAL_PROT, AETH_NAK_OPERATION);
	return !result;
}

static bool store_write(struct qp *qp, const struct packet *pkt, const struct op_info *op,
			const uint8_t *data, uint32_t len)
{
	struct responder *p = &qp->resp;
	const struct missing_rdma what = {
		.op = ODP_WRITE, .access = MEM_REMOTE_WRITE, .rkey = p->rkey, .va = p->va,
		.op_len = p->dmalen, .committed = p->got, .len = len
	};
	enum mem_result result = MEM_OK;

	if (p->got + len > p->dmalen || (op->last && p->got + len != p->dmalen)) {
		refuse_invalid(qp, "the packets of a WRITE do not add up to its DMA length");
		return false;
	}
	if (!pkt->stored)
		result = mem_write(qp->obj.dev, qp->resp.user, p->rkey, p->va + p->got, data, len,
				   MEM_REMOTE_WRITE);
	if (result == MEM_NOT_PRESENT && rdma_waits_for_page(qp, what))
		return false;
	if (result)
		refuse_rdma(qp, result, p->rkey, p->va + p->got, len);
	return !result;
}

/* SEND with invalidate: the key must allow remote invalidation. */
static bool invalidate(struct qp *qp, uint32_t rkey)
{
	struct mkey *mkey = mkey_find(qp->obj.dev, rkey);

	if (!mkey || mkey->free || !mkey->en_rinval || !mkey->umr_en ||
	    mkey->pd->num != qp->resp.user.pdn ||
	    (mkey->qpn != MEM_ANY_QP && mkey->qpn != qp->obj.num)) {
		refuse_access(qp, mkey ? MEM_BAD_ACCESS : MEM_BAD_KEY, rkey, 0, 0);
		return false;
	}
	prm_set(&mkey->ctx, free, 1);
	mkey->free = true;
	return true;
}

static uint32_t reth_bytes(const struct op_info *op)
{
	return op->write && op->first ? RETH_BYTES : 0;
}

static uint32_t head_bytes(const struct op_info *op)
{
	return reth_bytes(op) + (op->imm || op->inv ? IMM_BYTES : 0);
}

/* Executes packets of a SEND or WRITE of which the first has the expected PSN. */
static void execute_data(struct qp *qp, const struct packet *pkt, const struct op_info *op)
{
	uint32_t reth = reth_bytes(op), head = head_bytes(op);
	const uint8_t *data = pkt->ext + head;
	struct responder *p = &qp->resp;
	const char *why;
	uint32_t len, imm = 0;

	if (pkt->ext_len < head) {
		refuse_invalid(qp, "the packet ends in its headers");
		return;
	}
	len = pkt->ext_len - head;
	why = check_shape(qp, op, pkt->n, len);
	if (why) {
		refuse_invalid(qp, why);
		return;
	}
	if (op->first)
		p->got = 0;
	if (reth && !start_write(qp, pkt->ext))
		return;
	if ((op->write ? op->imm : op->first) && !need_wqe(qp))
		return;
	if (op->write ? !store_write(qp, pkt, op, data, len) : !store_send(qp, pkt, data, len))
		return;
	if (op->imm || op->inv)
		imm = get32(data - IMM_BYTES);
	if (op->inv && !invalidate(qp, imm))
		return;

	if (reth)
		qp->counters->rx_write_requests++;
	p->got += len;
	p->writing = op->write;
	p->in_message = !op->last;
	p->psn = psn_add(p->psn, pkt->n);
	if (op->last) {
		p->msn++;
		/* A WQE that a lost message of UC has left waits for the next that needs one. */
		if (!op->write || op->imm)
			complete_message(qp, pkt, op, imm);
	}
	if (qp_reliable(qp) && pkt->bth.ack_req && qp->state != PRM_QP_ERR)
		answer_ack(qp);
}

/* ---- READ and atomics ---------------------------------------------------------------------- */

/* Of a length that a message can have. */
static bool is_read_request(const struct qp *qp, const struct packet *pkt)
{
	return pkt->ext_len == RETH_BYTES && get32(pkt->ext + 12) <= qp->max_msg;
}

static void execute_read(struct qp *qp, const struct packet *pkt)
{
	struct responder *p = &qp->resp;
	enum mem_result result;

	if (!is_read_request(qp, pkt) || p->in_message) {
		refuse_invalid(qp,
			       "a READ request in the middle of a message, or of a wrong length");
		return;
	}
	if (!qp->rre) {
		refuse_invalid(qp, "the QP does not allow remote reads");
		return;
	}
	if (answers_reads(qp) >= 1u << prm_get(&qp->ctx, log_rra_max)) {
		refuse_invalid(qp, "more READs and atomics than log_rra_max allows");
		return;
	}
	result = mem_check(qp->obj.dev, qp->resp.user, get32(pkt->ext + 8), get64(pkt->ext),
			   get32(pkt->ext + 12), MEM_REMOTE_READ);
	if (result) {
		refuse_access(qp, result, get32(pkt->ext + 8), get64(pkt->ext),
			      get32(pkt->ext + 12));
		return;
	}
	qp->counters->rx_read_requests++;
	p->msn++;
	answer_read(qp, pkt, p->msn, p->user);
	p->psn = psn_add(p->psn, answer_read_packets(qp, get32(pkt->ext + 12)));
}

/* Reads, modifies and writes 8 bytes, in the byte order of the guest's CPU. */
static enum mem_result do_atomic(struct qp *qp, const struct packet *pkt, uint64_t *old)
{
	uint64_t va = get64(pkt->ext), arg = get64(pkt->ext + 12), compare = get64(pkt->ext + 20),
		 le;
	uint32_t rkey = get32(pkt->ext + 8);
	enum mem_result result;

	result = mem_read(qp->obj.dev, qp->resp.user, rkey, va, &le, sizeof(le), MEM_REMOTE_ATOMIC);
	if (result)
		return result;
	*old = le64toh(le);
	if ((pkt->bth.opcode & 0x1f) == BTH_FETCH_ADD)
		le = htole64(*old + arg);
	else if (*old == compare)
		le = htole64(arg);
	return mem_write(qp->obj.dev, qp->resp.user, rkey, va, &le, sizeof(le), MEM_REMOTE_ATOMIC);
}

static bool atomic_waits_for_page(struct qp *qp, const struct packet *pkt)
{
	return rdma_waits_for_page(qp, (struct missing_rdma) {
		.op = ODP_ATOMIC, .access = MEM_REMOTE_ATOMIC, .rkey = get32(pkt->ext + 8),
		.va = get64(pkt->ext), .op_len = 8, .len = 8 });
}

static void execute_atomic(struct qp *qp, const struct packet *pkt)
{
	struct responder *p = &qp->resp;
	struct atomic_result *kept = &p->atomics[p->next_atomic % ATOMIC_RESULTS];
	enum mem_result result;
	uint64_t old;

	if (pkt->ext_len != ATOMIC_ETH_BYTES || p->in_message || !qp->rae || get64(pkt->ext) % 8 ||
	    answers_reads(qp) >= 1u << prm_get(&qp->ctx, log_rra_max)) {
		refuse_invalid(qp, "an atomic request not allowed, not aligned or too short");
		return;
	}
	result = do_atomic(qp, pkt, &old);
	if (result == MEM_NOT_PRESENT && atomic_waits_for_page(qp, pkt))
		return;
	if (result) {
		refuse_access(qp, result, get32(pkt->ext + 8), get64(pkt->ext), 8);
		return;
	}
	qp->counters->rx_atomic_requests++;
	p->msn++;
	*kept = (struct atomic_result){ .valid = true, .psn = p->psn, .msn = p->msn, .value = old };
	p->next_atomic++;
	answer_atomic(qp, kept);
	p->psn = psn_add(p->psn, 1);
}

/* ---- requests ------------------------------------------------------------------------------ */

/* NULL: it does not exist, or is not in the XRC domain of this QP. */
static struct srq *find_xrc_srq(const struct qp *qp, const struct packet *pkt)
{
	struct srq *srq = obj_find(qp->obj.dev, OBJ_XRC_SRQ, pkt->xrc_srqn);

	return srq && srq->xrcd == qp->xrcd ? srq : NULL;
}

/* Handles a duplicate request: READs are repeated, atomics return the saved result. */
static void repeat(struct qp *qp, const struct packet *pkt)
{
	struct responder *p = &qp->resp;
	uint8_t op = pkt->bth.opcode & 0x1f;
	struct mem_user user = p->user;
	struct srq *srq;
	unsigned int i;

	qp->counters->duplicate_request++;
	if (op == BTH_READ_REQUEST) {
		if (qp->st == PRM_QP_ST_XRC) {
			srq = find_xrc_srq(qp, pkt);
			if (!srq)
				return;
			user.pdn = srq->pd->num;
		}
		if (!is_read_request(qp, pkt) || !qp->rre ||
		    psn_diff(psn_add(pkt->bth.psn, answer_read_packets(qp, get32(pkt->ext + 12))),
			     p->psn) > 0)
			return;
		answers_forget(qp, pkt->bth.psn);
		answer_read(qp, pkt, p->msn, user);
	} else if (op == BTH_CMP_SWAP || op == BTH_FETCH_ADD) {
		for (i = 0; i < ATOMIC_RESULTS; i++) {
			if (!p->atomics[i].valid || p->atomics[i].psn != pkt->bth.psn)
				continue;
			answers_forget(qp, pkt->bth.psn);
			answer_atomic(qp, &p->atomics[i]);
			return;
		}
	} else {
		answer_ack(qp);
	}
}

/* An XRC request names its SRQ, whose PD applies to keys as well. False: it cannot have that. */
static bool take_xrc_srq(struct qp *qp, const struct packet *pkt)
{
	struct srq *srq = find_xrc_srq(qp, pkt);
	struct responder *p = &qp->resp;

	if (!srq || (p->in_message && pkt->xrc_srqn != p->xrc_srqn))
		return false;
	p->xrc_srqn = pkt->xrc_srqn;
	p->srq = srq;
	p->user.pdn = srq->pd->num;
	return true;
}

static void execute(struct qp *qp, const struct packet *pkt)
{
	uint8_t op = pkt->bth.opcode & 0x1f;
	const struct op_info *info = &op_infos[op];

	if (qp->page_faults[WAIT_REQUEST]) {
		not_ready(qp);
		return;
	}
	if (qp->st == PRM_QP_ST_XRC && !take_xrc_srq(qp, pkt)) {
		refuse_invalid(qp,
			       "the XRC SRQ is not in the domain, or not that of the message");
		return;
	}
	if (info->known && (qp_reliable(qp) || !info->inv))
		execute_data(qp, pkt, info);
	else if (qp_reliable(qp) && op == BTH_READ_REQUEST)
		execute_read(qp, pkt);
	else if (qp_reliable(qp) && (op == BTH_CMP_SWAP || op == BTH_FETCH_ADD))
		execute_atomic(qp, pkt);
	else
		refuse_invalid(qp, "the opcode is not known");
}

/* UC: a lost packet loses the rest of its message. */
static void request_uc(struct qp *qp, const struct packet *pkt)
{
	const struct op_info *info = &op_infos[pkt->bth.opcode & 0x1f];
	struct responder *p = &qp->resp;

	if (pkt->bth.psn != p->psn)
		p->in_message = false;
	p->psn = pkt->bth.psn;
	if (info->known && info->first)
		p->in_message = false;
	else if (!p->in_message)
		return;
	execute(qp, pkt);
	p->psn = psn_add(pkt->bth.psn, pkt->n);
}

static void establish(struct qp *qp)
{
	if (qp->established)
		return;
	qp->established = true;
	if (qp->state == PRM_QP_RTR)
		qp_event(qp, PRM_EVENT_COMM_EST);
}

void responder_request(struct qp *qp, const struct packet *pkt)
{
	struct responder *p = &qp->resp;
	int32_t diff;

	if (!receiving(qp))
		return;
	establish(qp);
	if (qp->st == PRM_QP_ST_UC) {
		request_uc(qp, pkt);
		return;
	}
	diff = psn_diff(pkt->bth.psn, p->psn);
	if (diff < 0) {
		repeat(qp, pkt);
	} else if (diff > 0) {
		if (p->nak_sent)
			return;
		qp->counters->out_of_sequence++;
		add_nak(qp, AETH_NAK_SEQUENCE);
	} else {
		p->nak_sent = false;
		execute(qp, pkt);
	}
}

/* ---- the direct way ------------------------------------------------------------------------ */

/* Would the next @len bytes of a WRITE be executed, and where do they go? */
static bool map_write(struct qp *qp, const struct packet *pkt, const struct op_info *op,
		      uint32_t len, struct mem_map *room)
{
	const struct responder *p = &qp->resp;
	struct cxdev *dev = qp->obj.dev;
	uint64_t va, dmalen;
	uint32_t rkey;

	if (op->imm && !p->have_wqe && !recv_waits(qp))
		return false;
	if (!op->first)
		return !mem_map(dev, p->user, p->rkey, p->va + p->got, len, MEM_REMOTE_WRITE, room);
	va = get64(pkt->ext);
	rkey = get32(pkt->ext + 8);
	dmalen = get32(pkt->ext + 12);
	return qp->rwe && dmalen <= qp->max_msg &&
	       !mem_check(dev, p->user, rkey, va, dmalen, MEM_REMOTE_WRITE) &&
	       !mem_map(dev, p->user, rkey, va, len, MEM_REMOTE_WRITE, room);
}

/* The same of a SEND, which has its WQE. */
static bool map_send(struct qp *qp, const struct op_info *op, uint32_t len, struct mem_map *room)
{
	const struct responder *p = &qp->resp;
	uint64_t got = op->first ? 0 : p->got;

	return p->have_wqe && got + len <= p->wqe.room.len &&
	       !sg_map(&p->wqe.room, got, len, true, room);
}

bool responder_take(struct qp *qp, struct packet *pkt, const struct mem_map *data)
{
	const struct op_info *op = &op_infos[pkt->bth.opcode & 0x1f];
	struct responder *p = &qp->resp;
	uint32_t len = pkt->ext_len - head_bytes(op);
	struct mem_map room;

	if (!receiving(qp) || qp->page_faults[WAIT_REQUEST] || pkt->bth.psn != p->psn ||
	    check_shape(qp, op, pkt->n, len) ||
	    (qp->st == PRM_QP_ST_XRC && !take_xrc_srq(qp, pkt)))
		return false;
	if (!op->write && op->first && !p->have_wqe) {
		if (!recv_waits(qp))
			return false;
		establish(qp);
		if (!need_wqe(qp))
			return true;
	}
	if (op->write ? !map_write(qp, pkt, op, len, &room) : !map_send(qp, op, len, &room))
		return false;
	if (mem_maps_overlap(&room, data) || !mem_map_copy(&room, data))
		return false;
	pkt->stored = true;
	responder_request(qp, pkt);
	return true;
}

/* ---- datagrams ----------------------------------------------------------------------------- */

void responder_datagram(struct qp *qp, const struct packet *pkt)
{
	bool imm = (pkt->bth.opcode & 0x1f) == BTH_SEND_ONLY_IMM;
	uint32_t head = DETH_BYTES + (imm ? IMM_BYTES : 0), len;
	struct responder *p = &qp->resp;
	struct prm_cqe64 cqe;

	if (!receiving(qp) || pkt->ext_len < head ||
	    (!imm && (pkt->bth.opcode & 0x1f) != BTH_SEND_ONLY))
		return;
	len = pkt->ext_len - head;
	if (get32(pkt->ext) != qp->qkey) {
		trace(qp->obj.dev, "QP 0x%x: a datagram with Q_Key 0x%x was dropped", qp->obj.num,
		      get32(pkt->ext));
		qp->obj.dev->rdma->rx_dropped++;
		qp->obj.dev->rdma->rx_bad_qkeys++;
		return;
	}
	if (!need_wqe(qp))
		return;
	p->got = 0;
	if (GRH_BYTES + len > p->wqe.room.len) {
		fail_recv(qp, PRM_CQE_SYND_LOCAL_LENGTH, 0);
		return;
	}
	if (sg_scatter(&p->wqe.room, 0, pkt->grh, GRH_BYTES) ||
	    sg_scatter(&p->wqe.room, GRH_BYTES, pkt->ext + head, len)) {
		fail_recv(qp, PRM_CQE_SYND_LOCAL_PROT, 0);
		return;
	}
	fill_cqe(&cqe, pkt, get32(pkt->ext + 4) & PSN_MASK, true, GRH_BYTES + len);
	if (imm)
		cqe.immediate = cpu_to_be32(get32(pkt->ext + DETH_BYTES));
	else
		cqe.pkey = cpu_to_be32(DEFAULT_PKEY);
	p->have_wqe = false;
	complete_recv(qp, &p->wqe, &cqe, imm ? PRM_CQE_RESP_SEND_IMM : PRM_CQE_RESP_SEND,
		      pkt->bth.solicited);
}

/* ---- life ---------------------------------------------------------------------------------- */

void responder_init(struct qp *qp)
{
	work_init(&qp->resp.work, answers_work);
}

void responder_stop(struct qp *qp)
{
	work_cancel(&qp->resp.work);
	qp->resp.tail = qp->resp.head;
	page_fault_cancel(qp, WAIT_REQUEST);
	page_fault_cancel(qp, WAIT_READ);
}

void responder_reset(struct qp *qp)
{
	struct responder *p = &qp->resp;

	responder_stop(qp);
	p->dying = false;
	p->in_message = false;
	p->have_wqe = false;
	p->nak_sent = false;
	p->msn = 0;
	p->next_atomic = 0;
	memset(p->atomics, 0, sizeof(p->atomics));
}

/* Room for each READ or atomic, an acknowledgment after each, and a NAK. */
int responder_start(struct qp *qp)
{
	struct responder *p = &qp->resp;
	uint32_t n = 4u << prm_get(&qp->ctx, log_rra_max);

	budget_free(p->ring);
	p->tail = 0;
	p->head = 0;
	p->mask = n - 1;
	p->ring = budget_alloc(qp->obj.dev, n, sizeof(*p->ring));
	p->psn = prm_get(&qp->ctx, next_rcv_psn);
	p->user = qp_user(qp);
	p->srq = qp->st == PRM_QP_ST_XRC ? NULL : qp->srq;
	return p->ring ? 0 : -1;
}

void responder_free(struct qp *qp)
{
	responder_stop(qp);
	budget_free(qp->resp.ring);
	qp->resp.ring = NULL;
}
