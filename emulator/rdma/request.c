// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The packets of requests: SEND, WRITE, READ, atomics, datagrams; in frames, or the direct way. */
#include "rdma/rdma.h"

static uint8_t data_opcode(uint8_t wqe_opcode, bool first, bool last)
{
	bool write = wqe_opcode == PRM_WQE_RDMA_WRITE || wqe_opcode == PRM_WQE_RDMA_WRITE_IMM;
	bool imm = wqe_opcode == PRM_WQE_SEND_IMM || wqe_opcode == PRM_WQE_RDMA_WRITE_IMM;
	uint8_t base = write ? BTH_WRITE_FIRST : BTH_SEND_FIRST;

	if (last && wqe_opcode == PRM_WQE_SEND_INVAL)
		return first ? BTH_SEND_ONLY_INV : BTH_SEND_LAST_INV;
	if (first && last)
		return base + BTH_SEND_ONLY + imm;
	if (last)
		return base + BTH_SEND_LAST + imm;
	return base + (first ? BTH_SEND_FIRST : BTH_SEND_MIDDLE);
}

static bool ask_for_ack(struct qp *qp, bool last)
{
	struct requester *r = &qp->req;

	if (!last && ++r->unasked < 1u << prm_get(&qp->ctx, log_ack_req_freq))
		return false;
	r->unasked = 0;
	return true;
}

static uint8_t *put_lead(const struct qp *qp, uint8_t *p)
{
	struct dc_eth dc;

	if (qp->st == PRM_QP_ST_XRC) {
		put32(p, qp->req.tx.xrc_srqn);
	} else if (qp->st == PRM_QP_ST_DCI) {
		dc = dci_eth(qp);
		put64(p, dc.key);
		put32(p + 8, dc.initiator);
		put32(p + 12, dc.session);
		put32(p + 16, dc.first_psn);
		put32(p + 20, dc.epoch);
	}
	return p + qp_lead_bytes(qp);
}

/* Packets [cur_pkt, cur_pkt + n) of a SEND or WRITE, but for their payload. */
struct data_packets {
	struct bth bth;
	uint64_t off;
	uint32_t n, len;		/* len: of the payload */
	uint32_t reth, imm;		/* bytes of these headers */
};

static bool is_write(const struct message *msg)
{
	return msg->opcode == PRM_WQE_RDMA_WRITE || msg->opcode == PRM_WQE_RDMA_WRITE_IMM;
}

static struct data_packets data_packets(const struct qp *qp, const struct message *msg, uint32_t n)
{
	uint32_t at = qp->req.cur_pkt;
	bool first = !at, last = at + n == msg->n_psn;
	uint64_t off = (uint64_t)at * qp->mtu;
	bool imm = msg->opcode == PRM_WQE_SEND_IMM || msg->opcode == PRM_WQE_RDMA_WRITE_IMM ||
		   msg->opcode == PRM_WQE_SEND_INVAL;

	return (struct data_packets) {
		.bth = {
			.opcode = data_opcode(msg->opcode, first, last) | qp_transport(qp),
			.solicited = last && msg->solicited,
			.dqpn = qp->remote_qpn,
			.psn = psn_add(msg->psn, at),
		},
		.off = off,
		.n = n,
		.len = last ? msg->len - off : n * qp->mtu,
		.reth = is_write(msg) && first ? RETH_BYTES : 0,
		.imm = imm && last ? IMM_BYTES : 0,
	};
}

static void put_data_headers(const struct qp *qp, const struct message *msg,
			     const struct data_packets *d, uint8_t *p)
{
	if (d->reth) {
		put64(p, qp->req.tx.raddr);
		put32(p + 8, qp->req.tx.rkey);
		put32(p + 12, msg->len);
	}
	if (d->imm)
		put32(p + d->reth, qp->req.tx.imm);
}

static void sending_resumed(struct qp *qp, const struct page_fault *fault, bool error)
{
	struct requester *r = &qp->req;

	if (error && fault->pos - r->tail < r->head - r->tail)
		r->ring[fault->pos & r->mask].error = PRM_CQE_SYND_LOCAL_PROT;
	work_queue(&r->work);
}

/* Data of the message at @off cannot be read: it fails, or waits until they can. */
static void cannot_read(struct qp *qp, struct message *msg, uint64_t off, uint32_t len,
			enum mem_result result)
{
	const struct missing_wqe what = { .place = WAIT_SENDING,
					.op = is_write(msg) ? ODP_WRITE : ODP_SEND,
					.type = PRM_FAULT_WQE_SEND_WRITE,
					.wq = qp->obj.num,
					.index = msg->index,
					.data = &qp->req.tx.data,
					.committed = off,
					.len = len,
					.pos = qp->req.cur,
					.resume = sending_resumed };

	switch (result == MEM_NOT_PRESENT ? page_fault_wqe(qp, &what) : PAGE_FAULT_REFUSED) {
	case PAGE_FAULT_RAISED:
		break;
	case PAGE_FAULT_LATER:
		requester_pause(qp, PAGE_FAULT_LATER_NS);
		break;
	case PAGE_FAULT_REFUSED:
		msg->error = PRM_CQE_SYND_LOCAL_PROT;
	}
}

/* Sends packet cur_pkt of a SEND or WRITE in a frame. Returns the number of packets, 1 or 0. */
static uint32_t send_data(struct qp *qp, struct message *msg)
{
	struct data_packets d = data_packets(qp, msg, 1);
	uint32_t head = d.reth + d.imm, unasked = qp->req.unasked;
	enum mem_result result;
	struct frame *frame;
	uint8_t *p;

	d.bth.ack_req = qp_reliable(qp) && ask_for_ack(qp, qp->req.cur_pkt + 1 == msg->n_psn);
	frame = roce_frame(qp, &qp->av, &d.bth, qp_lead_bytes(qp) + head + d.len, &p);
	if (!frame)
		return 1;
	p = put_lead(qp, p);
	result = sg_gather(&qp->req.tx.data, d.off, p + head, d.len);
	if (result) {
		frame_free(frame);
		qp->req.unasked = unasked;
		cannot_read(qp, msg, d.off, d.len, result);
		return 0;
	}
	put_data_headers(qp, msg, &d, p);
	dcqcn_sent(qp, frame);
	roce_send(qp, frame);
	return 1;
}

static void send_read(struct qp *qp, struct direct *way, const struct message *msg)
{
	struct requester *r = &qp->req;
	uint64_t off = (uint64_t)r->cur_pkt * qp->mtu;
	struct bth bth = { .opcode = BTH_READ_REQUEST | qp_transport(qp), .ack_req = true,
			   .dqpn = qp->remote_qpn, .psn = psn_add(msg->psn, r->cur_pkt) };
	uint8_t ext[DC_ETH_BYTES + RETH_BYTES], *p = put_lead(qp, ext);

	put64(p, r->tx.raddr + off);
	put32(p + 8, r->tx.rkey);
	put32(p + 12, msg->len - off);
	direct_packet(qp, way, &bth, ext, qp_lead_bytes(qp) + RETH_BYTES);
}

static void send_atomic(struct qp *qp, struct direct *way, const struct message *msg)
{
	struct requester *r = &qp->req;
	bool swap = msg->opcode == PRM_WQE_ATOMIC_CS;
	struct bth bth = { .opcode = (swap ? BTH_CMP_SWAP : BTH_FETCH_ADD) | qp_transport(qp),
			   .ack_req = true,
			   .dqpn = qp->remote_qpn,
			   .psn = msg->psn };
	uint8_t ext[DC_ETH_BYTES + ATOMIC_ETH_BYTES], *p = put_lead(qp, ext);

	put64(p, r->tx.raddr);
	put32(p + 8, r->tx.rkey);
	put64(p + 12, r->tx.swap_add);
	put64(p + 20, swap ? r->tx.compare : 0);
	direct_packet(qp, way, &bth, ext, qp_lead_bytes(qp) + ATOMIC_ETH_BYTES);
}

/* A Q_Key with the high bit set selects the one in the QP context. */
static uint32_t send_datagram(struct qp *qp, struct direct *way, struct message *msg)
{
	const struct swqe *w = &qp->req.tx;
	bool imm = msg->opcode == PRM_WQE_SEND_IMM;
	uint32_t head = DETH_BYTES + (imm ? IMM_BYTES : 0);
	struct bth bth = { .opcode = BTH_UD | (imm ? BTH_SEND_ONLY_IMM : BTH_SEND_ONLY),
			   .solicited = msg->solicited,
			   .dqpn = w->dqpn,
			   .psn = msg->psn };
	uint8_t ext[DETH_BYTES + IMM_BYTES + DATAGRAM_MAX], *p = ext;
	struct frame *frame = NULL;
	enum mem_result result;

	static_assert(DATAGRAM_MAX == 128u << PRM_QP_MTU_4096, "what an MTU allows");
	if (!way) {
		frame = roce_frame(qp, &w->av, &bth, head + msg->len, &p);
		if (!frame)
			return 1;
	}
	result = sg_gather(&w->data, 0, p + head, msg->len);
	if (result) {
		frame_free(frame);
		cannot_read(qp, msg, 0, msg->len, result);
		return 0;
	}
	put32(p, w->qkey & 0x80000000u ? qp->qkey : w->qkey);
	put32(p + 4, qp->st == PRM_QP_ST_QP1 ? GSI_QPN :
		     qp->deth_sqpn	     ? qp->deth_sqpn :
					       qp->obj.num);
	if (imm)
		put32(p + DETH_BYTES, w->imm);
	if (way)
		direct_packet(qp, way, &bth, ext, head + msg->len);
	else
		roce_send(qp, frame);
	return 1;
}

/*
 * How many packets may go at once, of at most @most: up to one that asks for an acknowledgment, if
 * there is one. A last packet that alone may be refused, for want of a receive WQE or for its key,
 * goes alone; so does the one that opens a session.
 */
static uint32_t direct_packets(const struct qp *qp, const struct message *msg, uint32_t most)
{
	const struct requester *r = &qp->req;
	uint32_t left = msg->n_psn - r->cur_pkt, n = direct_most(qp, left, most), past;

	if (qp->st == PRM_QP_ST_DCI && psn_add(msg->psn, r->cur_pkt) == qp->dci.first_psn)
		n = 1;
	if (n == left && n > 1 &&
	    (msg->opcode == PRM_WQE_RDMA_WRITE_IMM || msg->opcode == PRM_WQE_SEND_INVAL))
		n--;
	if (n == left || !qp_reliable(qp))
		return n;
	past = (r->unasked + n) & ((1u << prm_get(&qp->ctx, log_ack_req_freq)) - 1);
	return past < n ? n - past : n;
}

/* Returns how many packets of a SEND or WRITE went the direct way. */
static uint32_t send_data_direct(struct qp *qp, struct direct *way, const struct message *msg,
				 uint32_t most)
{
	uint32_t n = direct_packets(qp, msg, most), unasked = qp->req.unasked;
	struct data_packets d = data_packets(qp, msg, n);
	uint8_t ext[RETH_BYTES + IMM_BYTES];
	struct mem_map data;

	if (sg_map(&qp->req.tx.data, d.off, d.len, false, &data))
		return 0;
	put_data_headers(qp, msg, &d, ext);
	qp->req.unasked += n - 1;
	d.bth.ack_req = qp_reliable(qp) && ask_for_ack(qp, qp->req.cur_pkt + n == msg->n_psn);
	way->pkt.bth = d.bth;
	way->pkt.ext = ext;
	way->pkt.ext_len = d.reth + d.imm + d.len;
	way->pkt.n = n;
	if (!direct_take(way, &data)) {
		qp->req.unasked = unasked;
		return 0;
	}
	direct_count(qp, way, d.reth, d.imm, d.len);
	return n;
}

uint32_t request_send(struct qp *qp, struct direct *way, struct message *msg, uint32_t most)
{
	uint32_t n = 1;

	if (qp_datagram(qp)) {
		n = send_datagram(qp, way, msg);
	} else if (msg->opcode == PRM_WQE_RDMA_READ) {
		send_read(qp, way, msg);
	} else if (message_is_atomic(msg)) {
		send_atomic(qp, way, msg);
	} else {
		n = way ? send_data_direct(qp, way, msg, most) : 0;
		if (!n)
			n = send_data(qp, msg);
	}
	return n;
}
