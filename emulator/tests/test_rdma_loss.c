// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * RC on a wire that drops, duplicates, reorders and corrupts frames, and receivers not ready; what
 * is left of lost messages of UC.
 */
#include "prm/caps.h"
#include "prm/vport.h"
#include "rdma.h"

static struct tcq ca, cb;

#define DST_OFF (2u << 20)

static uint32_t alloc_counter(struct side *side)
{
	struct prm_alloc_q_counter_in in = {};
	struct prm_alloc_q_counter_out out;

	command(side, alloc_q_counter, &in, &out);
	return prm_get(&out, counter_set_id);
}

static void counters(struct side *side, uint32_t id, struct prm_query_q_counter_out *out)
{
	struct prm_query_q_counter_in in = {};

	prm_set(&in, counter_set_id, id);
	command(side, query_q_counter, &in, out);
}

static struct tsge local(struct side *side, uint64_t off, uint32_t len)
{
	return (struct tsge){ .va = side->va + off, .len = len, .key = side->lkey };
}

#define ROUND_BYTES 20000u
#define ROUND_OPS 24u

static uint32_t done_by(struct tqp *qp)
{
	struct qp *own = obj_find(qp->side->dev, OBJ_QP, qp->qpn);

	return own->req.tail;
}

/* Which of the operations number @i is. */
static uint8_t round_op(unsigned int i)
{
	static const uint8_t ops[] = {
		PRM_WQE_RDMA_WRITE,	PRM_WQE_SEND,	   PRM_WQE_RDMA_READ,
		PRM_WQE_RDMA_WRITE_IMM, PRM_WQE_RDMA_READ, PRM_WQE_RDMA_READ
	};

	return ops[i % ARRAY_SIZE(ops)];
}

static void post_round(struct tqp *x, struct tqp *y)
{
	unsigned int i;

	for (i = 0; i < ROUND_OPS; i++) {
		struct tsge sge = local(&b, DST_OFF + i * ROUND_BYTES, ROUND_BYTES);
		struct wr wr = { .opcode = round_op(i),
				 .imm = i,
				 .n = 1,
				 .sge = { local(&a, i * ROUND_BYTES, ROUND_BYTES) } };

		buf_fill(&a, i * ROUND_BYTES, ROUND_BYTES, wr.opcode == PRM_WQE_RDMA_READ ? 1 : i);
		buf_fill(&b, DST_OFF + i * ROUND_BYTES, ROUND_BYTES,
			 wr.opcode == PRM_WQE_RDMA_READ ? i : 1);
		if (wr.opcode == PRM_WQE_SEND || wr.opcode == PRM_WQE_RDMA_WRITE_IMM)
			post_recv(y, 1, &sge);
		if (wr.opcode != PRM_WQE_SEND) {
			wr.raddr = sge.va;
			wr.rkey = b.rkey;
		}
		post_send_quietly(x, &wr);
	}
	ring(x);
}

/* All completions in order and good, all data where they belong. */
static bool check_round(struct tqp *x)
{
	unsigned int i, k = 0;
	bool good = true;

	for (i = 0; i < ROUND_OPS; i++) {
		struct prm_cqe64 *cqe = poll(&ca);

		if (!cqe || cqe_opcode(cqe) != PRM_CQE_REQ ||
		    be32_to_cpu(cqe->sop_drop_qpn) >> 24 != round_op(i)) {
			printf("# send completion %u: %s, syndrome 0x%x\n", i,
			       cqe ? "wrong" : "missing", cqe ? cqe_syndrome(cqe) : 0);
			return false;
		}
		good = good && buf_is(&b, DST_OFF + i * ROUND_BYTES, ROUND_BYTES, i) &&
		       buf_is(&a, i * ROUND_BYTES, ROUND_BYTES, i);
		k += round_op(i) == PRM_WQE_SEND || round_op(i) == PRM_WQE_RDMA_WRITE_IMM;
	}
	for (; k; k--)
		if (!poll(&cb))
			return false;
	(void)x;
	return good && !poll(&ca) && !poll(&cb);
}

static void round_on(unsigned int addr, const char *what)
{
	struct qp_opts o = {
		.addr = addr, .send_psn = 0xffffc0, .recv_psn = 0xfffff0, .log_sq = 7, .timeout = 8
	};
	uint64_t wrong = wire.wrong;
	struct tqp x, y;
	unsigned int ms;

	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	post_round(&x, &y);
	for (ms = 0; ms < 4000; ms++) {
		pass_time(1);
		if (done_by(&x) == ROUND_OPS)
			break;
	}
	ok(check_round(&x) && wire.wrong == wrong, "%s (%u ms)", what, ms);
	wire_watch();
	settle();
	destroy_pair(&x, &y);
	while (poll(&ca) || poll(&cb))
		;
}

static void test_every(void)
{
	static const uint32_t every[] = { 2, 3, 5, 7, 11, 50, 97 };
	char what[128];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(every); i++) {
		wire_watch();
		if (every[i] > 5) {
			wire.drop_every = every[i];
			snprintf(what, sizeof(what),
				 "a round survives loss of one in %u frames", every[i]);
			round_on(i % ADDRS, what);
		}
		wire.dup_every = every[i];
		snprintf(what, sizeof(what),
			 "a round survives duplicates of one in %u frames", every[i]);
		round_on(i % ADDRS, what);
		wire.hold_every = every[i];
		if (every[i] > 5) {
			snprintf(what, sizeof(what),
				 "a round survives reordering of one in %u frames", every[i]);
			round_on(i % ADDRS, what);
			wire.corrupt_every = every[i];
			wire.dup_every = every[i] + 2;
			wire.hold_every = every[i] + 3;
			snprintf(what, sizeof(what),
				 "a round survives corruption of one in %u frames, duplicates and reordering",
				 every[i]);
			round_on(i % ADDRS, what);
		}
	}
}

/* Each single frame of a round is lost in turn. */
static void test_each_lost(void)
{
	unsigned int n, bad = 0;

	for (n = 1; n < 420 && !bad; n += n < 60 ? 1 : 7) {
		struct qp_opts o = { .addr = ADDR_V2_IPV4, .log_sq = 7, .timeout = 8 };
		struct tqp x, y;
		unsigned int ms;

		wire_watch();
		wire.drop_at = n;
		create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
		post_round(&x, &y);
		for (ms = 0; ms < 100 && done_by(&x) != ROUND_OPS; ms++)
			pass_time(1);
		bad = check_round(&x) ? 0 : n;
		settle();
		a.next -= 16384 + 8192 + 4096;	/* what the two queue pairs took */
		b.next -= 16384 + 8192 + 4096;
		destroy_pair(&x, &y);
	}
	ok(!bad, "a round survives the loss of each single frame%s", bad ? ": failed" : "");
	if (bad)
		printf("# frame %u\n", bad);
	wire_watch();
}

static void test_retry_exceeded(void)
{
	struct qp_opts o = { .addr = ADDR_V1, .retry_set = true, .retry = 3, .timeout = 8 };
	struct prm_query_q_counter_out q;
	struct prm_cqe64 *cqe;
	struct tqp x, y;
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE,
			 .n = 1,
			 .sge = { local(&a, 0, 10) },
			 .raddr = b.va,
			 .rkey = b.rkey };

	o.counter = alloc_counter(&a);
	alloc_counter(&b);
	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	wire_watch();
	wire.drop_every = 1;
	post_send_quietly(&x, &wr);
	post_send(&x, &wr);
	pass_time(3);
	ok(!poll(&ca), "retries wait for the ACK timeout");
	pass_time(20);
	cqe = poll(&ca);
	counters(&a, o.counter, &q);
	ok(cqe && cqe_opcode(cqe) == PRM_CQE_REQ_ERR &&
	   cqe_syndrome(cqe) == PRM_CQE_SYND_TRANSPORT_RETRY_EXC && wire.frames == 8,
	   "transport retries are exceeded after 3 retransmissions (%llu frames)",
	   (unsigned long long)wire.frames);
	ok(prm_get(&q, local_ack_timeout_err) == 4 &&
	   prm_get(&q, req_transport_retries_exceeded) == 1,
	   "the counters show %u timeouts and %u retries exceeded",
	   prm_get(&q, local_ack_timeout_err),
	   prm_get(&q, req_transport_retries_exceeded));
	cqe = poll(&ca);
	ok(cqe && cqe_syndrome(cqe) == PRM_CQE_SYND_WR_FLUSH && !poll(&ca) &&
	   qp_state(&x) == PRM_QP_ERR,
	   "later WQEs are flushed");
	wire_watch();
	destroy_pair(&x, &y);
}

static void test_rnr(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4, .min_rnr = 14 };	/* 1.28 ms */
	struct wr wr = { .opcode = PRM_WQE_SEND, .n = 1, .sge = { local(&a, 0, 3000) } };
	struct prm_query_q_counter_out q;
	struct tsge sge = local(&b, DST_OFF, 3000);
	struct prm_cqe64 *cqe;
	struct tqp x, y;

	buf_fill(&a, 0, 3000, 4);
	o.counter = alloc_counter(&a);
	alloc_counter(&b);
	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	post_send(&x, &wr);
	wr.opcode = PRM_WQE_RDMA_WRITE_IMM;
	wr.raddr = b.va + DST_OFF + 5000;
	wr.rkey = b.rkey;
	post_send(&x, &wr);
	pass_time(50);
	ok(!poll(&ca) && !poll(&cb), "RNR retries of 7 never end");
	post_recv(&y, 1, &sge);
	pass_time(3);
	ok(poll(&ca) && poll(&cb) && buf_is(&b, DST_OFF, 3000, 4) && !poll(&ca),
	   "the SEND completes once a receive is posted");
	post_recv(&y, 1, &sge);
	pass_time(3);
	ok(poll(&ca) && poll(&cb) && buf_is(&b, DST_OFF + 5000, 3000, 4),
	   "the WRITE with immediate completes once a receive is posted");
	counters(&a, o.counter, &q);
	ok(prm_get(&q, rnr_nak_retry_err) > 20 && prm_get(&q, rnr_nak_retry_err) < 50,
	   "the counters show %u RNR NAKs", prm_get(&q, rnr_nak_retry_err));
	destroy_pair(&x, &y);

	o.rnr_set = true;
	o.rnr_retry = 2;
	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	wr.opcode = PRM_WQE_SEND;
	wr.rkey = 0;
	post_send(&x, &wr);
	pass_time(10);
	cqe = poll(&ca);
	ok(cqe && cqe_opcode(cqe) == PRM_CQE_REQ_ERR &&
	   cqe_syndrome(cqe) == PRM_CQE_SYND_RNR_RETRY_EXC,
	   "RNR retries are exceeded after 2 retransmissions");
	destroy_pair(&x, &y);
}

static void test_duplicate_atomic(void)
{
	struct qp_opts o = { .addr = ADDR_V1, .timeout = 8 };
	uint64_t off = 8 - b.va % 8;
	struct wr wr = { .opcode = PRM_WQE_ATOMIC_FA,
			 .n = 1,
			 .sge = { local(&a, 0, 8) },
			 .raddr = b.va + off,
			 .rkey = b.rkey,
			 .swap_add = 1 };
	struct tqp x, y;
	unsigned int i;

	prm_set((struct prm_atomic_caps *)a.dev->hca->cap_cur[CAP_ATOMIC],
		atomic_req_8B_endianness_mode, 1);
	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	for (i = 0; i < 8; i++)
		*buf_at(&b, off + i) = 0;
	for (i = 0; i < 20; i++) {
		wire_watch();
		wire.only_opcode = BTH_ATOMIC_ACK;
		wire.drop_at = 1;
		post_send(&x, &wr);
		pass_time(4);
	}
	wire_watch();
	for (i = 0; poll(&ca); i++)
		;
	ok(i == 20 && *buf_at(&b, off) == 20 && *buf_at(&a, 0) == 19,
	   "an atomic whose response is lost is executed once");
	destroy_pair(&x, &y);
}

static void remove_addr(struct side *side, unsigned int index)
{
	struct prm_set_roce_address_in in = {};
	struct prm_set_roce_address_out out;

	prm_set(&in, roce_address_index, index);
	command(side, set_roce_address, &in, &out);
}

/* A person removes the address that a connection uses. It is nobody's mistake that it fails. */
static void test_address_removed(void)
{
	struct qp_opts o = { .addr = ADDR_V2_VLAN, .retry_set = true, .retry = 3, .timeout = 8 };
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE,
			 .n = 1,
			 .sge = { local(&a, 0, 10) },
			 .raddr = b.va,
			 .rkey = b.rkey };
	struct prm_cqe64 *cqe;
	struct tqp x, y;

	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	wire_watch();
	remove_addr(&a, ADDR_V2_VLAN);
	post_send(&x, &wr);
	pass_time(23);
	cqe = poll(&ca);
	ok(cqe && cqe_opcode(cqe) == PRM_CQE_REQ_ERR && !wire.frames,
	   "a connection whose source address is removed sends nothing and ends");
	destroy_pair(&x, &y);
}

/* A message that takes a receive and is lost leaves it for the next that needs one. */
static void test_uc(uint8_t opcode, const char *what)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4 };
	struct tsge sge = local(&b, DST_OFF, 3000);
	struct wr wr = { .opcode = PRM_WQE_SEND, .n = 1, .sge = { local(&a, 0, 3000) } };
	struct prm_cqe64 *cqe;
	struct tqp x, y;

	create_pair(&x, &y, PRM_QP_ST_UC, &ca, &cb, &o);
	post_recv(&y, 1, &sge);
	wire_watch();
	wire.drop_at = 3;	/* the last packet */
	post_send(&x, &wr);
	settle();
	ok(poll(&ca) && !poll(&cb),
	   "UC: a SEND without its last packet has no completion, before a %s", what);
	wire_watch();
	wr = (struct wr){ .opcode = PRM_WQE_RDMA_WRITE, .n = 1, .sge = { local(&a, 0, 10) },
			  .raddr = b.va + DST_OFF + 5000, .rkey = b.rkey };
	buf_fill(&a, 0, 10, 6);
	post_send(&x, &wr);
	settle();
	ok(poll(&ca) && buf_is(&b, DST_OFF + 5000, 10, 6) && !poll(&cb),
	   "a WRITE after it arrives and completes no receive, before a %s", what);
	wr.opcode = opcode;
	if (opcode == PRM_WQE_SEND)
		wr.rkey = 0;
	buf_fill(&a, 0, 10, 7);
	post_send(&x, &wr);
	settle();
	cqe = poll(&cb);
	ok(poll(&ca) && cqe && be16_to_cpu(cqe->wqe_counter) == 0 &&
	   be32_to_cpu(cqe->byte_cnt) == 10 &&
	   cqe_opcode(cqe) == (opcode == PRM_WQE_SEND ? PRM_CQE_RESP_SEND : PRM_CQE_RESP_WR_IMM) &&
	   buf_is(&b, DST_OFF + (opcode == PRM_WQE_SEND ? 0 : 5000), 10, 7) && !poll(&cb),
	   "the same receive is that of the next %s", what);
	destroy_pair(&x, &y);
}

int main(void)
{
	sides_open();
	create_cq(&ca, &a, 9);
	create_cq(&cb, &b, 9);
	test_every();
	test_each_lost();
	test_retry_exceeded();
	test_rnr();
	test_duplicate_atomic();
	test_address_removed();
	test_uc(PRM_WQE_SEND, "SEND");
	test_uc(PRM_WQE_RDMA_WRITE_IMM, "WRITE with immediate");
	ok(!a.dev->violations && !b.dev->violations, "loss causes no violation");
	sides_close();
	return ok_end();
}
