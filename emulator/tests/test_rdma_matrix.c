// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Each syndrome of an error completion: its cause, the side that gets it, what the other side gets,
 * the event, the final states of the queue pairs. Remote aborted (0x22) is not among them: the
 * engine never raises it.
 */
#include "rdma.h"

#define V1_L3 14
#define V1_BTH (V1_L3 + 40)
#define BTH_ACK 0x11
#define NAK_RESERVED 0x64	/* a code that no responder may use */
#define ANY 0xff

static struct tcq ca, cb;
static uint32_t other_key;	/* of b, of another PD */

struct row {
	const char *name;
	enum prm_qp_st st;
	void (*cause)(struct tqp *x, struct tqp *y);
	unsigned int req, resp;	/* syndromes at the sender, the receiver; 0: no error there */
	unsigned int event;	/* at the receiver; 0: none is asked for */
	unsigned int x_state, y_state;
	bool no_retry;
};

static struct wr wr_of(uint8_t opcode, uint32_t len)
{
	struct wr wr = { .opcode = opcode, .n = 1, .sge = { { a.va, len, a.lkey } } };

	if (opcode != PRM_WQE_SEND) {
		wr.raddr = b.va;
		wr.rkey = b.rkey;
	}
	return wr;
}

/* ---- causes -------------------------------------------------------------------------------- */

static void datagram_too_long(struct tqp *x, struct tqp *y)
{
	struct wr wr = wr_of(PRM_WQE_SEND, 1025);

	wr.to = &b;
	wr.addr = ADDR_V1;
	wr.dqpn = y->qpn;
	wr.qkey = 5;
	post_send(x, &wr);
}

static void receive_too_short(struct tqp *x, struct tqp *y)
{
	struct wr wr = wr_of(PRM_WQE_SEND, 200);
	struct tsge sge = { b.va, 100, b.lkey };

	post_recv(y, 1, &sge);
	post_send(x, &wr);
}

static void unknown_opcode(struct tqp *x, struct tqp *y)
{
	struct wr wr = wr_of(0x3f, 10);

	(void)y;
	post_send(x, &wr);
}

static void wrong_lkey(struct tqp *x, struct tqp *y)
{
	struct wr wr = wr_of(PRM_WQE_SEND, 10);

	(void)y;
	wr.sge[0].key ^= 1;
	post_send(x, &wr);
}

static void receive_wrong_lkey(struct tqp *x, struct tqp *y)
{
	struct wr wr = wr_of(PRM_WQE_SEND, 10);
	struct tsge sge = { b.va, 100, b.lkey ^ 1 };

	post_recv(y, 1, &sge);
	post_send(x, &wr);
}

static void flushed(struct tqp *x, struct tqp *y)
{
	struct wr wr = wr_of(PRM_WQE_SEND, 10);

	(void)y;
	qp_command(x, PRM_OP_qp_2err);
	post_send(x, &wr);
}

static void key_that_is_not_there(struct tqp *x, struct tqp *y)
{
	struct wr wr = { .opcode = PRM_WQE_UMR, .imm = 0xabcdef00 };
	uint8_t raw[192] = {};

	(void)y;
	raw[16] = PRM_UMR_INLINE;
	post_wqe(x, &wr, raw, 128);
	ring(x);
}

/* The acknowledgment becomes a NAK with a code that does not exist. */
static enum wire_verdict forge_nak(void *arg, const struct port *from, struct frame *frame)
{
	uint32_t icrc;

	(void)arg;
	(void)from;
	if (frame->data[V1_BTH] != BTH_ACK)
		return WIRE_PASS;
	frame->data[V1_BTH + 12] = NAK_RESERVED;
	icrc = bitwise_icrc(frame->data + V1_L3, frame->len - V1_L3 - 4, 0x8915);
	memcpy(frame->data + frame->len - 4, &icrc, 4);
	return WIRE_PASS;
}

static void strange_answer(struct tqp *x, struct tqp *y)
{
	struct wr wr = wr_of(PRM_WQE_RDMA_WRITE, 10);

	(void)y;
	wire_set_filter(forge_nak, NULL);
	post_send(x, &wr);
	settle();
	wire_watch();
}

/* The receive's turn comes with the last packet, whose key has gone by then. */
static void vanishing_key(struct tqp *x, struct tqp *y)
{
	uint32_t key = create_mkey(&b, b.pd, MEM_LOCAL_WRITE | MEM_REMOTE_WRITE, b.va, 10000, 0);
	struct wr wr = wr_of(PRM_WQE_RDMA_WRITE_IMM, 3000);
	struct tsge sge = { b.va, 100, b.lkey };

	wr.rkey = key;
	post_recv(y, 1, &sge);
	wire.drop_at = 3;
	post_send(x, &wr);
	settle();
	destroy_mkey(&b, key);
}

static void misaligned_atomic(struct tqp *x, struct tqp *y)
{
	struct wr wr = wr_of(PRM_WQE_ATOMIC_FA, 8);

	(void)y;
	wr.raddr = b.va + (b.va % 8 ? 0 : 1);
	post_send(x, &wr);
}

static void key_of_another_pd(struct tqp *x, struct tqp *y)
{
	struct wr wr = wr_of(PRM_WQE_RDMA_WRITE, 10);

	(void)y;
	wr.rkey = other_key;
	post_send(x, &wr);
}

static void nobody_answers(struct tqp *x, struct tqp *y)
{
	struct wr wr = wr_of(PRM_WQE_RDMA_WRITE, 10);

	(void)y;
	wire.drop_every = 1;
	post_send(x, &wr);
}

static void no_receive(struct tqp *x, struct tqp *y)
{
	struct wr wr = wr_of(PRM_WQE_SEND, 10);

	(void)y;
	post_send(x, &wr);
}

/* ---- the table ----------------------------------------------------------------------------- */

#define SYND(name) PRM_CQE_SYND_##name
#define RC PRM_QP_ST_RC

static const struct row rows[] = {
	{ "0x01 local length, sender: a datagram above the MTU", PRM_QP_ST_UD, datagram_too_long,
	  SYND(LOCAL_LENGTH), 0, 0, PRM_QP_SQER, PRM_QP_RTS },
	{ "0x01 local length, receiver: too small a buffer", RC, receive_too_short,
	  SYND(REMOTE_INVAL_REQ), SYND(LOCAL_LENGTH), ANY, PRM_QP_ERR, PRM_QP_ERR },
	{ "0x02 local QP operation: an unknown opcode", RC, unknown_opcode,
	  SYND(LOCAL_QP_OP), 0, 0, PRM_QP_ERR, PRM_QP_RTS },
	{ "0x04 local protection, sender: a wrong lkey", RC, wrong_lkey,
	  SYND(LOCAL_PROT), 0, 0, PRM_QP_ERR, PRM_QP_RTS },
	{ "0x04 local protection, receiver: a wrong lkey", RC, receive_wrong_lkey,
	  SYND(REMOTE_OP), SYND(LOCAL_PROT), ANY, PRM_QP_ERR, PRM_QP_ERR },
	{ "0x05 flushed: a queue pair in error", RC, flushed,
	  SYND(WR_FLUSH), 0, 0, PRM_QP_ERR, PRM_QP_RTS },
	{ "0x06 bind: no such key", RC, key_that_is_not_there,
	  SYND(MW_BIND), 0, 0, PRM_QP_ERR, PRM_QP_RTS },
	{ "0x10 bad response: a NAK with an unknown code", RC, strange_answer,
	  SYND(BAD_RESP), 0, 0, PRM_QP_ERR, PRM_QP_RTS },
	{ "0x11 local access: a WRITE with immediate fails after its receive began",
	  RC, vanishing_key,
	  SYND(REMOTE_ACCESS), SYND(LOCAL_ACCESS), PRM_EVENT_WQ_ACCESS_ERROR, PRM_QP_ERR,
	  PRM_QP_ERR },
	{ "0x12 remote invalid request: a misaligned atomic", RC, misaligned_atomic,
	  SYND(REMOTE_INVAL_REQ), 0, PRM_EVENT_WQ_INVAL_REQ_ERROR, PRM_QP_ERR, PRM_QP_ERR },
	{ "0x13 remote access: a key of another PD", RC, key_of_another_pd,
	  SYND(REMOTE_ACCESS), 0, PRM_EVENT_WQ_ACCESS_ERROR, PRM_QP_ERR, PRM_QP_ERR },
	{ "0x15 retries exceeded: no response", RC, nobody_answers,
	  SYND(TRANSPORT_RETRY_EXC), 0, 0, PRM_QP_ERR, PRM_QP_RTS },
	{ "0x16 RNR retries exceeded: no receive", RC, no_receive,
	  SYND(RNR_RETRY_EXC), 0, 0, PRM_QP_ERR, PRM_QP_RTS, .no_retry = true },
};

/* 0: no completion, or a good one. The vendor's syndrome must not be empty. */
static unsigned int syndrome_of(struct tcq *cq, unsigned int opcode)
{
	const struct prm_err_cqe *err = (const void *)poll(cq);

	if (!err || err->op_own >> PRM_CQE_OPCODE_SHIFT != opcode)
		return 0;
	return err->vendor_err_synd ? err->syndrome : 0;
}

static void test_row(const struct row *row)
{
	struct qp_opts o = { .addr = ADDR_V1, .qkey = 5, .timeout = 8, .retry = 2,
			     .retry_set = true, .rnr_retry = 0, .rnr_set = row->no_retry };
	unsigned int req, resp, x_state, y_state;
	struct tqp x, y;
	bool event = true;

	wire_watch();
	create_pair(&x, &y, row->st, &ca, &cb, &o);
	saw_event(&a, 0, 0);
	saw_event(&b, 0, 0);
	row->cause(&x, &y);
	pass_time(500);
	req = syndrome_of(&ca, PRM_CQE_REQ_ERR);
	resp = syndrome_of(&cb, PRM_CQE_RESP_ERR);
	x_state = qp_state(&x);
	y_state = qp_state(&y);
	if (row->event && row->event != ANY)
		event = saw_event(&b, row->event, y.qpn);
	ok(req == row->req && resp == row->resp && event && x_state == row->x_state &&
	   y_state == row->y_state, "%s (0x%02x, 0x%02x, states %u and %u%s)", row->name, req, resp,
	   x_state, y_state, event ? "" : ", no event");
	wire_watch();
	while (poll(&ca) || poll(&cb))
		;
	destroy_pair(&x, &y);
	while (poll(&ca) || poll(&cb))
		;
}

int main(void)
{
	uint32_t seen = 0, i;

	sides_open();
	create_cq(&ca, &a, 8);
	create_cq(&cb, &b, 8);
	other_key = create_mkey(&b, alloc_pd(&b), MEM_LOCAL_WRITE | MEM_REMOTE_WRITE, b.va, 4096,
				0);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		test_row(&rows[i]);
		seen |= 1u << rows[i].req | 1u << rows[i].resp;
	}
#define SEEN(name, number, text)                                                        \
	ok((number) == PRM_CQE_SYND_REMOTE_ABORTED || seen >> ((number) & 31) & 1,       \
	   "the table has a row for syndrome 0x%02x, %s", number, text);
	PRM_CQE_SYNDROME_LIST(SEEN)
	sides_close();
	return ok_end();
}
