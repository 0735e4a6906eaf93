// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * XRC: one connection, whose requests say which shared receive queue of the other side they are
 * for. The queue lends its CQ and the PD of its keys.
 */
#include "rdma.h"

static struct tcq ca, cb, cx;	/* cx: of the second shared queue */
static uint32_t domain, other_domain, pd2, key2;
static struct tsrq plain, first, second, foreign;

#define DST_OFF (1u << 20)

static unsigned int syndrome_of(struct tcq *cq)
{
	struct prm_cqe64 *cqe;

	settle();
	cqe = poll(cq);
	if (!cqe)
		return 0xff;
	return cqe_opcode(cqe) == PRM_CQE_REQ ? 0 : cqe_syndrome(cqe);
}

static void drain_all(void)
{
	drain(&ca, &cb);
	while (poll(&cx))
		;
}

/* x of side a only sends, y of side b only receives. */
static void pair(struct tqp *x, struct tqp *y, const struct qp_opts *common)
{
	struct qp_opts ini = *common, tgt = *common;
	static struct tsrq none;
	uint32_t xrcd_a = alloc_xrcd(&a);
	struct tcq *cq = &ca;

	drain_all();
	create_xrc_srq(&none, &a, 3, xrcd_a, cq, a.pd, 0xffffff);
	ini.xrcd = xrcd_a;
	ini.srq = &none;
	tgt.xrcd = domain;
	tgt.no_sq = true;
	tgt.srq = &plain;
	tgt.recv_psn = ini.send_psn;
	if (create_qp(x, &a, PRM_QP_ST_XRC, &ca, &ini) ||
	    create_qp(y, &b, PRM_QP_ST_XRC, &cb, &tgt) ||
	    qp_init(x, &ini) || qp_init(y, &tgt) || qp_rtr(x, y, &ini) || qp_rtr(y, x, &tgt) ||
	    qp_rts(x, &ini) || qp_rts(y, &tgt))
		ok(false, "a pair of XRC QPs");
}

static struct wr send_wr(uint32_t srqn, uint32_t len)
{
	return (struct wr) { .opcode = PRM_WQE_SEND,
			     .n = 1,
			     .sge = { { a.va, len, a.lkey } },
			     .xrc_srqn = srqn };
}

static struct wr rdma_wr(uint8_t opcode, uint32_t srqn, uint32_t key, uint32_t len)
{
	struct wr wr = send_wr(srqn, len);

	wr.opcode = opcode;
	wr.raddr = (b.va + DST_OFF + 7) & ~7ull;
	wr.rkey = key;
	return wr;
}

/* ---- what works ---------------------------------------------------------------------------- */

static void test_sends(void)
{
	struct tsge to_first = { b.va, 9000, b.lkey }, to_second = { b.va + 20000, 9000, key2 };
	struct qp_opts o = { .addr = ADDR_V2_IPV4, .send_psn = 0xfffffe };
	struct prm_cqe64 *cqe;
	struct tqp x, y;
	struct wr wr;

	pair(&x, &y, &o);
	wire_see();
	buf_fill(&a, 0, 5000, 1);
	post_srq(&first, 1, &to_first);
	post_srq(&second, 1, &to_second);
	wr = send_wr(second.num, 5000);
	post_send(&x, &wr);
	ok(!syndrome_of(&ca), "SEND to an XRC SRQ of another PD works");
	cqe = poll(&cx);
	ok(cqe && cqe_opcode(cqe) == PRM_CQE_RESP_SEND && be32_to_cpu(cqe->byte_cnt) == 5000 &&
	   (be32_to_cpu(cqe->srqn) & 0xffffff) == 0x456 && !poll(&cb),
	   "the SEND completes on the SRQ's CQ with the SRQ's user index");
	ok(buf_is(&b, 20000, 5000, 1), "the data of the SEND arrive");

	wr = send_wr(first.num, 300);
	wr.opcode = PRM_WQE_SEND_IMM;
	wr.imm = 0x1234567;
	post_send(&x, &wr);
	ok(!syndrome_of(&ca), "SEND with immediate to another SRQ by the same QP works");
	cqe = poll(&cb);
	ok(cqe && cqe_opcode(cqe) == PRM_CQE_RESP_SEND_IMM &&
	   be32_to_cpu(cqe->immediate) == 0x1234567,
		       "the SEND with immediate completes on the other SRQ's CQ");

	ok(!wire.wrong && wire.by_opcode[BTH_XRC | BTH_SEND_FIRST] &&
	   wire.by_opcode[BTH_XRC | BTH_ACK] && !wire.by_opcode[BTH_SEND_FIRST] &&
	   !wire.by_opcode[BTH_ACK], "the packets are well-formed and have XRC opcodes");
	destroy_pair(&x, &y);
}

static void test_rdma(void)
{
	struct qp_opts o = { .addr = ADDR_V1, .mtu = PRM_QP_MTU_256 };
	struct tqp x, y;
	struct wr wr;

	pair(&x, &y, &o);
	buf_fill(&a, 0, 3000, 2);
	wr = rdma_wr(PRM_WQE_RDMA_WRITE, first.num, b.rkey, 3000);
	post_send(&x, &wr);
	ok(!syndrome_of(&ca) && buf_is(&b, wr.raddr - b.va, 3000, 2), "WRITE works");
	wr = rdma_wr(PRM_WQE_RDMA_WRITE, second.num, key2, 3000);
	post_send(&x, &wr);
	ok(!syndrome_of(&ca), "WRITE with a key of the other SRQ's PD works");
	buf_fill(&a, 0, 3000, 3);
	wr = rdma_wr(PRM_WQE_RDMA_READ, first.num, b.rkey, 3000);
	post_send(&x, &wr);
	ok(!syndrome_of(&ca) && buf_is(&a, 0, 3000, 2), "READ works");
	put64(buf_at(&a, 0), 0);
	memset(buf_at(&b, wr.raddr - b.va), 0, 8);
	wr = rdma_wr(PRM_WQE_ATOMIC_FA, first.num, b.rkey, 8);
	wr.swap_add = 7;
	post_send(&x, &wr);
	ok(!syndrome_of(&ca) && *buf_at(&b, wr.raddr - b.va) == 7, "FETCH_ADD works");
	wr = rdma_wr(PRM_WQE_RDMA_WRITE, first.num, key2, 100);
	post_send(&x, &wr);
	ok(syndrome_of(&ca) == PRM_CQE_SYND_REMOTE_ACCESS,
	   "a key of another PD than the SRQ's is refused");
	destroy_pair(&x, &y);
}

static void test_loss(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV6, .mtu = PRM_QP_MTU_256 };
	struct tsge sge = { b.va, 9000, b.lkey };
	struct tqp x, y;
	bool good = true;
	unsigned int i;
	struct wr wr;

	pair(&x, &y, &o);
	wire_watch();
	wire.drop_every = 7;
	buf_fill(&a, 0, 4000, 5);
	for (i = 0; i < 6; i++) {
		post_srq(&first, 1, &sge);
		wr = send_wr(first.num, 4000);
		post_send(&x, &wr);
		wr = rdma_wr(PRM_WQE_RDMA_READ, first.num, b.rkey, 2000);
		wr.sge[0].va = a.va + 100000;
		post_send(&x, &wr);
	}
	pass_time(1000);
	for (i = 0; i < 12; i++)
		good &= !syndrome_of(&ca);
	ok(good && buf_is(&b, 0, 4000, 5) && !wire.wrong,
	   "all data arrive in spite of loss");
	wire_watch();
	destroy_pair(&x, &y);
}

static void test_rnr_and_limit(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4 };
	struct tsge sge = { b.va, 9000, b.lkey };
	struct prm_arm_xrc_srq_in in = {};
	struct prm_arm_xrc_srq_out out;
	struct tqp x, y;
	struct wr wr = send_wr(first.num, 10);

	pair(&x, &y, &o);
	post_send(&x, &wr);
	pass_time(3);
	ok(!poll(&ca), "an empty SRQ makes the sender wait");
	post_srq(&first, 1, &sge);
	pass_time(20);
	ok(!syndrome_of(&ca), "the sender continues when a receive is posted");
	post_srq(&first, 1, &sge);
	post_srq(&first, 1, &sge);
	prm_set(&in, op_mod, 1);
	prm_set(&in, xrc_srqn, first.num);
	prm_set(&in, lwm, 2);
	ok(!command(&b, arm_xrc_srq, &in, &out), "ARM_XRC_SRQ sets the limit");
	drain_all();
	post_send(&x, &wr);
	settle();
	ok(saw_event(&b, PRM_EVENT_SRQ_RQ_LIMIT, first.num), "passing the limit raises an event");
	post_send(&x, &wr);
	settle();
	ok(!saw_event(&b, PRM_EVENT_SRQ_RQ_LIMIT, first.num), "the limit event is raised once");
	destroy_pair(&x, &y);
}

/* ---- what does not ------------------------------------------------------------------------- */

static void test_refused(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4 };
	struct tsge sge = { b.va, 9000, b.lkey }, small = { b.va, 10, b.lkey };
	struct tqp x, y;
	struct wr wr;

	pair(&x, &y, &o);
	post_srq(&foreign, 1, &sge);
	wr = send_wr(foreign.num, 10);
	post_send(&x, &wr);
	ok(syndrome_of(&ca) == PRM_CQE_SYND_REMOTE_INVAL_REQ && qp_state(&y) == PRM_QP_ERR &&
	   saw_event(&b, PRM_EVENT_WQ_INVAL_REQ_ERROR, y.qpn),
	   "an SRQ of another XRC domain is refused");
	destroy_pair(&x, &y);

	pair(&x, &y, &o);
	wr = send_wr(0x7777, 10);
	post_send(&x, &wr);
	ok(syndrome_of(&ca) == PRM_CQE_SYND_REMOTE_INVAL_REQ, "an unknown SRQ is refused");
	destroy_pair(&x, &y);

	pair(&x, &y, &o);
	post_srq(&first, 1, &small);
	wr = send_wr(first.num, 100);
	post_send(&x, &wr);
	ok(syndrome_of(&ca) == PRM_CQE_SYND_REMOTE_INVAL_REQ &&
	   syndrome_of(&cb) == PRM_CQE_SYND_LOCAL_LENGTH,
		       "a receive buffer that is too small is refused");
	destroy_pair(&x, &y);

	pair(&x, &y, &o);
	wr = send_wr(first.num, 8);
	wr.xrc_srqn = 0;
	wr.n = 0;
	post_send(&x, &wr);
	ok(syndrome_of(&ca) == PRM_CQE_SYND_LOCAL_QP_OP,
	   "a WQE without the XRC segment is refused");
	destroy_pair(&x, &y);
}

/* The shared queue is destroyed while a message for it is under way. */
static void test_srq_goes(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4, .mtu = PRM_QP_MTU_256, .timeout = 14 };
	struct prm_destroy_xrc_srq_in in = {};
	struct prm_destroy_xrc_srq_out out;
	struct tsge sge = { b.va, 9000, b.lkey };
	struct tsrq short_lived;
	struct tqp x, y;
	struct wr wr;

	pair(&x, &y, &o);
	create_xrc_srq(&short_lived, &b, 3, domain, &cb, b.pd, 0x999);
	post_srq(&short_lived, 1, &sge);
	wire_watch();
	wire.drop_at = 4;	/* the last packet */
	wr = send_wr(short_lived.num, 1000);
	post_send(&x, &wr);
	prm_set(&in, xrc_srqn, short_lived.num);
	settle();
	ok(!command(&b, destroy_xrc_srq, &in, &out),
	   "an SRQ can be destroyed in the middle of a message");
	pass_time(300);
	ok(syndrome_of(&ca) == PRM_CQE_SYND_REMOTE_INVAL_REQ && !poll(&cb),
	   "the message to a destroyed SRQ fails as an invalid request");
	wire_watch();
	destroy_pair(&x, &y);
}

/* Another one has its number when the message goes on, which is of the queue it began with. */
static void test_srq_comes_back(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4, .mtu = PRM_QP_MTU_256, .timeout = 14 };
	struct prm_destroy_xrc_srq_in in = {};
	struct prm_destroy_xrc_srq_out out;
	struct tsge sge = { b.va, 9000, b.lkey };
	struct tsrq srq;
	struct tqp x, y;
	struct wr wr;
	bool good = true;
	uint32_t number;
	uint64_t next;

	pair(&x, &y, &o);
	create_xrc_srq(&srq, &b, 3, domain, &cb, b.pd, 0x999);
	post_srq(&srq, 1, &sge);
	wire_watch();
	wire.drop_at = 4;
	wr = send_wr(srq.num, 1000);
	post_send(&x, &wr);
	settle();
	number = srq.num;
	do {
		prm_set(&in, xrc_srqn, srq.num);
		good = !command(&b, destroy_xrc_srq, &in, &out);
		next = b.next;
		create_xrc_srq(&srq, &b, 3, domain, &cb, b.pd, 0x999);
		b.next = next;
	} while (good && srq.num != number);
	ok(good, "the number of a destroyed SRQ can be reused in the middle of a message");
	post_srq(&srq, 1, &sge);
	wire_watch();
	pass_time(300);
	ok(syndrome_of(&ca) == PRM_CQE_SYND_REMOTE_INVAL_REQ && !poll(&cb) &&
	   qp_state(&y) == PRM_QP_ERR,
		    "the message to a reused SRQ number fails as an invalid request");
	wire_watch();
	destroy_pair(&x, &y);
	prm_set(&in, xrc_srqn, srq.num);
	ok(!command(&b, destroy_xrc_srq, &in, &out), "the new SRQ is not in use");
}

static void test_commands(void)
{
	struct qp_opts o = { .xrcd = domain, .srq = &first };
	struct prm_dealloc_xrcd_in in = {};
	struct prm_dealloc_xrcd_out out;
	struct tsrq basic;
	struct tqp x;

	create_rmp(&basic, &b, 3);
	o.srq = &basic;
	ok(create_qp(&x, &b, PRM_QP_ST_XRC, &cb, &o) == PRM_STATUS_BAD_RES,
	   "an XRC QP with an RMP is refused");
	o.srq = NULL;
	ok(create_qp(&x, &b, PRM_QP_ST_XRC, &cb, &o) == PRM_STATUS_BAD_PARAM,
	   "an XRC QP with a receive queue is refused");
	o.srq = &first;
	o.xrcd = 0x3ff;
	ok(create_qp(&x, &b, PRM_QP_ST_XRC, &cb, &o) == PRM_STATUS_BAD_RES,
	   "an XRC QP in an unknown XRC domain is refused");
	prm_set(&in, xrcd, domain);
	ok(command(&b, dealloc_xrcd, &in, &out) == PRM_STATUS_RES_BUSY,
	   "the XRC domain of an SRQ cannot be freed");
}

int main(void)
{
	sides_open();
	create_cq(&ca, &a, 8);
	create_cq(&cb, &b, 8);
	create_cq(&cx, &b, 8);
	domain = alloc_xrcd(&b);
	other_domain = alloc_xrcd(&b);
	pd2 = alloc_pd(&b);
	key2 = create_mkey(&b, pd2,
			   MEM_LOCAL_READ | MEM_LOCAL_WRITE | MEM_REMOTE_READ | MEM_REMOTE_WRITE,
			   b.va, BUF_BYTES / 2, 0);
	create_xrc_srq(&plain, &b, 3, other_domain, &cb, b.pd, 0xffffff);
	create_xrc_srq(&first, &b, 5, domain, &cb, b.pd, 0x455);
	create_xrc_srq(&second, &b, 5, domain, &cx, pd2, 0x456);
	create_xrc_srq(&foreign, &b, 5, other_domain, &cb, b.pd, 0x457);
	test_sends();
	test_rdma();
	test_loss();
	test_rnr_and_limit();
	test_refused();
	test_srq_goes();
	test_srq_comes_back();
	test_commands();
	sides_close();
	return ok_end();
}
