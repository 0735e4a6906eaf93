// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The worst that a guest can ask for with queue pairs and keys, on its own and as a peer: what one
 * callback does, and the host's memory, stay bounded.
 */
#include <stdlib.h>
#include <time.h>

#include "rdma.h"

static struct tcq ca, cb;

static void drain(void)
{
	settle();
	while (poll(&ca) || poll(&cb))
		;
	saw_event(&a, 0, 0);
	saw_event(&b, 0, 0);
}

/* ---- lengths ---- */

/* A key of all memory, as IB_PD_UNSAFE_GLOBAL_RKEY makes it. */
static uint32_t key_of_all(struct side *side)
{
	struct prm_create_mkey_in in = {};
	struct prm_create_mkey_out out;

	prm_set(&in, memory_key_mkey_entry.lr, 1);
	prm_set(&in, memory_key_mkey_entry.rr, 1);
	prm_set(&in, memory_key_mkey_entry.rw, 1);
	prm_set(&in, memory_key_mkey_entry.length64, 1);
	prm_set(&in, memory_key_mkey_entry.qpn, 0xffffff);
	prm_set(&in, memory_key_mkey_entry.pd, side->pd);
	if (command(side, create_mkey, &in, &out))
		exit(2);
	return prm_get(&out, mkey_index) << 8;
}

/* A request of the peer with a length of its own. */
static void forge(const struct tqp *from, const struct tqp *to, uint8_t opcode, uint32_t psn_back,
		  uint32_t key, uint32_t len)
{
	struct qp *qp = obj_find(from->side->dev, OBJ_QP, from->qpn);
	struct bth bth = { .opcode = opcode, .ack_req = true, .dqpn = to->qpn,
			   .psn = (qp->req.next_psn - psn_back) & 0xffffff };
	uint32_t payload = opcode == BTH_WRITE_FIRST ? qp->mtu : 0;
	struct frame *frame;
	uint8_t *p;

	frame = roce_frame(qp, &qp->av, &bth, RETH_BYTES + payload, &p);
	put64(p, MEM_BASE);
	put32(p + 8, key);
	put32(p + 12, len);
	memset(p + RETH_BYTES, 0, payload);
	roce_send(qp, frame);
}

static const struct {
	const char *what;
	uint8_t opcode;
	uint32_t len;
} length_cases[] = {
	{ "a READ of 4 GiB less one byte", BTH_READ_REQUEST, 0xffffffff },
	{ "a READ of 2 GiB", BTH_READ_REQUEST, 1u << 31 },
	{ "a READ of more than a message can have", BTH_READ_REQUEST, (1u << LOG_MSG_MAX) + 1 },
	{ "a WRITE of 4 GiB less one byte", BTH_WRITE_FIRST, 0xffffffff },
	{ "a WRITE of more than a message can have", BTH_WRITE_FIRST, (1u << LOG_MSG_MAX) + 1 },
};

static void test_lengths(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4, .mtu = 1, .timeout = 0 };
	uint32_t key = key_of_all(&b);
	struct tqp x, y;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(length_cases); i++) {
		uint64_t before = b.dev->rdma->tx_packets;

		create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
		forge(&x, &y, length_cases[i].opcode, 0, key, length_cases[i].len);
		settle();
		ok(b.dev->rdma->tx_packets - before == 1 && qp_state(&y) == PRM_QP_ERR,
		   "%s is refused", length_cases[i].what);
		destroy_pair(&x, &y);
		drain();
	}
}

/* As if a READ that was answered long ago were asked for again, with another length. */
static void test_repeated_length(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4, .mtu = 1, .timeout = 0 };
	struct wr wr = { .opcode = PRM_WQE_RDMA_READ, .n = 1, .raddr = b.va, .rkey = b.rkey,
			 .sge = { { a.va, 256, a.lkey } } };
	uint32_t key = key_of_all(&b);
	struct tqp x, y;
	uint64_t before;

	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	post_send(&x, &wr);
	settle();
	before = b.dev->rdma->tx_packets;
	forge(&x, &y, BTH_READ_REQUEST, 1, key, 0xffffffff);
	settle();
	ok(poll(&ca) && b.dev->rdma->tx_packets - before <= 1,
	   "a READ that is repeated with another length is not answered without end");
	destroy_pair(&x, &y);
	drain();
}

/* ---- SQERR2RTS before all is flushed ---- */

#define POSTED 200

static void test_flush_ends(void)
{
	struct qp_opts o = { .qkey = 5, .log_sq = 9, .log_rq = 9 };
	struct wr wr = { .opcode = PRM_WQE_SEND, .n = 1, .sge = { { a.va, 10, a.lkey ^ 1 } },
			 .to = &b, .addr = ADDR_V1, .qkey = 5 };
	struct prm_sqerr2rts_qp_in in = {};
	struct prm_sqerr2rts_qp_out out;
	struct tsge sge = { b.va, 100, b.lkey };
	unsigned int i, flushed = 0, sent = 0, received = 0;
	const struct prm_cqe64 *cqe;
	struct tqp x, y;
	struct qp *qp;

	create_pair(&x, &y, PRM_QP_ST_UD, &ca, &cb, &o);
	qp = obj_find(a.dev, OBJ_QP, x.qpn);
	wr.dqpn = y.qpn;
	for (i = 0; i < POSTED; i++)
		post_send_quietly(&x, &wr);
	ring(&x);
	while (qp->state != PRM_QP_SQER)
		loop_run_pending();
	prm_set(&in, qpn, x.qpn);
	prm_set(&in, qpc.st, PRM_QP_ST_UD);
	ok(!command(&a, sqerr2rts_qp, &in, &out), "SQERR2RTS is accepted before all is flushed");
	wr.sge[0].key = a.lkey;
	for (i = 0; i < POSTED; i++) {
		post_recv(&y, 1, &sge);
		post_send_quietly(&x, &wr);
	}
	ring(&x);
	settle();
	while ((cqe = poll(&ca)))
		*(cqe_opcode(cqe) == PRM_CQE_REQ_ERR ? &flushed : &sent) += 1;
	while (poll(&cb))
		received++;
	ok(flushed == POSTED, "what was posted before it is flushed");
	ok(sent == POSTED && received == POSTED, "what is posted after it is sent");
	destroy_pair(&x, &y);
	drain();
}

int main(void)
{
	sides_open();
	wire_set_filter(NULL, NULL);
	create_cq(&ca, &a, 9);
	create_cq(&cb, &b, 9);
	test_lengths();
	test_repeated_length();
	test_flush_ends();
	sides_close();
	return ok_end();
}
