// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * What the RDMA engine must refuse: accesses, WQEs, transitions, commands; and what it does to a
 * queue pair in error.
 */
#include "rdma.h"

static struct tcq ca, cb;

#define DST_OFF (2u << 20)

static bool is_error(const struct prm_cqe64 *cqe, unsigned int opcode, unsigned int syndrome)
{
	return cqe && cqe_opcode(cqe) == opcode && cqe_syndrome(cqe) == syndrome;
}

/* ---- remote access ------------------------------------------------------------------------- */

struct access_case {
	const char *name;
	uint8_t opcode;
	unsigned int rights;	/* of the remote key */
	int64_t off;		/* from its start */
	uint32_t len;
	bool good, wrong_key, wrong_pd;
};

#define KEY_BYTES 10000u
#define ALL (MEM_REMOTE_READ | MEM_REMOTE_WRITE | MEM_LOCAL_WRITE | MEM_LOCAL_READ)

static const struct access_case access_cases[] = {
	{ "WRITE of the whole region", PRM_WQE_RDMA_WRITE, ALL, 0, KEY_BYTES, .good = true },
	{ "READ of the whole region", PRM_WQE_RDMA_READ, ALL, 0, KEY_BYTES, .good = true },
	{ "WRITE of the last byte", PRM_WQE_RDMA_WRITE, ALL, KEY_BYTES - 1, 1, .good = true },
	{ "WRITE of no bytes with a wrong key", PRM_WQE_RDMA_WRITE, ALL, 0, 0, .good = true,
	  .wrong_key = true },
	{ "WRITE one byte too far", PRM_WQE_RDMA_WRITE, ALL, 1, KEY_BYTES },
	{ "READ one byte too far", PRM_WQE_RDMA_READ, ALL, 1, KEY_BYTES },
	{ "WRITE one byte before the region", PRM_WQE_RDMA_WRITE, ALL, -1, 1 },
	{ "READ one byte before the region", PRM_WQE_RDMA_READ, ALL, -1, 1 },
	{ "WRITE one byte after the region", PRM_WQE_RDMA_WRITE, ALL, KEY_BYTES, 1 },
	{ "WRITE with another variant of the key", PRM_WQE_RDMA_WRITE, ALL, 0, 1,
	  .wrong_key = true },
	{ "READ with another variant of the key", PRM_WQE_RDMA_READ, ALL, 0, 1, .wrong_key = true },
	{ "WRITE with a key of another PD", PRM_WQE_RDMA_WRITE, ALL, 0, 1, .wrong_pd = true },
	{ "READ with a key of another PD", PRM_WQE_RDMA_READ, ALL, 0, 1, .wrong_pd = true },
	{ "WRITE without the right", PRM_WQE_RDMA_WRITE, ALL & ~MEM_REMOTE_WRITE, 0, 1 },
	{ "READ without the right", PRM_WQE_RDMA_READ, ALL & ~MEM_REMOTE_READ, 0, 1 },
};

static void test_access(const struct access_case *t, uint32_t other_pd)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4 };
	uint64_t va = b.va + DST_OFF;
	uint32_t key =
		create_mkey(&b, t->wrong_pd ? other_pd : b.pd, t->rights, va, KEY_BYTES, DST_OFF);
	struct wr wr = { .opcode = t->opcode,
			 .n = t->len ? 1 : 0,
			 .sge = { { a.va, t->len, a.lkey } },
			 .raddr = va + t->off,
			 .rkey = t->wrong_key ? key ^ 1 : key };
	struct prm_cqe64 *cqe;
	struct tqp x, y;

	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	post_send_quietly(&x, &wr);
	post_send(&x, &wr);
	settle();
	cqe = poll(&ca);
	if (t->good) {
		ok(cqe && cqe_opcode(cqe) == PRM_CQE_REQ && qp_state(&y) == PRM_QP_RTS, "%s",
		   t->name);
	} else {
		ok(is_error(cqe, PRM_CQE_REQ_ERR, PRM_CQE_SYND_REMOTE_ACCESS) &&
		   is_error(poll(&ca), PRM_CQE_REQ_ERR, PRM_CQE_SYND_WR_FLUSH) && !poll(&ca) &&
		   qp_state(&x) == PRM_QP_ERR && qp_state(&y) == PRM_QP_ERR &&
		   saw_event(&b, PRM_EVENT_WQ_ACCESS_ERROR, y.qpn), "%s is refused", t->name);
	}
	drain(&ca, &cb);
	destroy_pair(&x, &y);
	drain(&ca, &cb);
	destroy_mkey(&b, key);
}

/* ---- messages longer than a QP may have ---------------------------------------------------- */

#define LOG_SHORT	13u

/* The limit is that of x alone, or of y alone. */
static void test_log_msg_max(bool own, uint8_t opcode)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4 }, limited = o;
	struct wr wr = { .opcode = opcode, .n = 1, .sge = { { a.va, 1u << LOG_SHORT, a.lkey } },
			 .raddr = b.va, .rkey = b.rkey };
	uint64_t violations = a.dev->violations;
	const char *what = opcode == PRM_WQE_RDMA_READ ? "READ" : "WRITE";
	struct prm_cqe64 *cqe;
	struct tqp x, y;
	bool longest;

	limited.log_msg = LOG_SHORT;
	drain(&ca, &cb);
	ok(!create_qp(&x, &a, PRM_QP_ST_RC, &ca, &o) && !qp_init(&x, &o) &&
	   !create_qp(&y, &b, PRM_QP_ST_RC, &cb, &o) && !qp_init(&y, &o) &&
	   !qp_rtr(&x, &y, own ? &limited : &o) && !qp_rtr(&y, &x, own ? &o : &limited) &&
	   !qp_rts(&x, &o) && !qp_rts(&y, &o),
	   "a %s between ends of which %s has a log_msg_max of 13", what,
	   own ? "the first" : "the second");
	post_send(&x, &wr);
	wr.sge[0].len++;
	post_send(&x, &wr);
	settle();
	cqe = poll(&ca);
	longest = cqe && cqe_opcode(cqe) == PRM_CQE_REQ;
	cqe = poll(&ca);
	ok(longest && cqe && cqe_opcode(cqe) == PRM_CQE_REQ_ERR &&
	   cqe_syndrome(cqe) == (own ? PRM_CQE_SYND_LOCAL_LENGTH : PRM_CQE_SYND_REMOTE_INVAL_REQ) &&
	   a.dev->violations - violations == own, "%s: one byte more than it says fails %s", what,
	   own ? "where it is posted" : "at the other end");
	drain(&ca, &cb);
	destroy_pair(&x, &y);
}

/* ---- regions whose start and length do not add up ------------------------------------------ */

struct span {
	const char *name;
	uint64_t start, len, va;	/* @va: where a WRITE by the key begins */
	unsigned int log_page;
	bool good;
};

/* The list has two pages. */
static const struct span spans[] = {
	{ "two pages", 0x1000, 0x2000, 0x2ff8, 12, .good = true },
	{ "two pages less a byte", 0xffffffffffffe001, 0x1fff, 0xfffffffffffffff8, 12,
	  .good = true },
	{ "two pages and a byte", 0x1fff, 0x1002, 0x1fff, 12 },
	{ "all addresses from the end of a page on", 0xfff, ~0ull, ~0ull - 7, 12 },
	{ "all addresses from the last one on", ~0ull, ~0ull, 0x123456789000, 12 },
	{ "all but a page", 0xfff, ~0ull - 0xfff, 1ull << 63, 12 },
	{ "all addresses in pages of 2 GiB", 0x7fffffff, ~0ull, ~0ull - 7, 31 },
};

static uint32_t create_span_mkey(const struct span *t)
{
	struct { struct prm_create_mkey_in in; __be64 mtt[2]; } cmd = {};
	struct prm_create_mkey_out out;

	prm_set(&cmd.in, opcode, PRM_OP_create_mkey);
	prm_set(&cmd.in, memory_key_mkey_entry.access_mode_1_0, MKEY_MTT);
	prm_set(&cmd.in, memory_key_mkey_entry.lr, 1);
	prm_set(&cmd.in, memory_key_mkey_entry.qpn, 0xffffff);
	prm_set(&cmd.in, memory_key_mkey_entry.pd, a.pd);
	prm_set64(&cmd.in, memory_key_mkey_entry.start_addr, t->start);
	prm_set64(&cmd.in, memory_key_mkey_entry.len, t->len);
	prm_set(&cmd.in, memory_key_mkey_entry.log_page_size, t->log_page);
	prm_set(&cmd.in, memory_key_mkey_entry.translations_octword_size, 1);
	prm_set(&cmd.in, translations_octword_actual_size, 1);
	if (t->log_page == 12) {
		cmd.mtt[0] = cpu_to_be64(a.buf);
		cmd.mtt[1] = cpu_to_be64(a.buf + 4096);
	}
	if (exec(&a, PRM_OP_create_mkey, &cmd, sizeof(cmd), &out, sizeof(out)))
		return 0;
	return prm_get(&out, mkey_index) << 8;
}

static void test_span(const struct span *t)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4 };
	uint64_t before = a.dev->violations;
	uint32_t key = create_span_mkey(t);
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE,
			 .n = 1,
			 .sge = { { t->va, t->good ? 8 : 4096, key } },
			 .raddr = b.va,
			 .rkey = b.rkey };
	struct prm_cqe64 *cqe;
	struct tqp x, y;

	ok(t->good == !!key && a.dev->violations == before + !t->good, "a key of %s is %s", t->name,
	   t->good ? "made" : "refused");
	drain(&ca, &cb);
	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	post_send(&x, &wr);
	settle();
	cqe = poll(&ca);
	ok(t->good ? cqe && cqe_opcode(cqe) == PRM_CQE_REQ :
		     is_error(cqe, PRM_CQE_REQ_ERR, PRM_CQE_SYND_LOCAL_PROT),
	   "a WRITE by a key of %s does not reach past its pages", t->name);
	drain(&ca, &cb);
	destroy_pair(&x, &y);
	drain(&ca, &cb);
	if (key)
		destroy_mkey(&a, key);
}

/* ---- keys that go -------------------------------------------------------------------------- */

/* The key goes while a long READ is under way. */
static void test_vanishing_key(void)
{
	struct qp_opts o = { .addr = ADDR_V1 };
	uint32_t key = create_mkey(&b, b.pd, ALL, b.va, 1 << 20, 0);
	struct wr wr = { .opcode = PRM_WQE_RDMA_READ,
			 .n = 1,
			 .sge = { { a.va, 1 << 20, a.lkey } },
			 .raddr = b.va,
			 .rkey = key };
	struct tqp x, y;
	unsigned int i;

	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	post_send(&x, &wr);
	for (i = 0; i < 6; i++)
		loop_run_pending();
	destroy_mkey(&b, key);
	settle();
	ok(is_error(poll(&ca), PRM_CQE_REQ_ERR, PRM_CQE_SYND_REMOTE_ACCESS) &&
	   qp_state(&y) == PRM_QP_ERR,
	   "destroying a key in the middle of a READ fails the READ");
	drain(&ca, &cb);
	destroy_pair(&x, &y);
	drain(&ca, &cb);
}

/* ---- other errors of the two sides --------------------------------------------------------- */

struct error_case {
	const char *name;
	struct wr wr;
	struct tsge recv;	/* len 0: none */
	unsigned int syndrome, recv_syndrome;
	bool no_remote;
};

static void test_error(const struct error_case *t)
{
	struct qp_opts o = { .addr = ADDR_V1, .no_remote = t->no_remote };
	struct prm_cqe64 *cqe;
	struct tqp x, y;
	bool good;

	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	if (t->recv.len)
		post_recv(&y, 1, &t->recv);
	post_send(&x, &t->wr);
	settle();
	cqe = poll(&ca);
	good = is_error(cqe, PRM_CQE_REQ_ERR, t->syndrome) && qp_state(&x) == PRM_QP_ERR;
	if (t->recv_syndrome)
		good = good && is_error(poll(&cb), PRM_CQE_RESP_ERR, t->recv_syndrome) &&
		       qp_state(&y) == PRM_QP_ERR;
	ok(good, "%s", t->name);
	drain(&ca, &cb);
	destroy_pair(&x, &y);
	drain(&ca, &cb);
}

static void test_all(const struct error_case *cases, unsigned int n)
{
	while (n--)
		test_error(cases++);
}

static void test_receive_errors(uint32_t read_only)
{
	struct tsge from = { a.va, 100, a.lkey }, to = { b.va + DST_OFF, 100, b.lkey };
	const struct error_case cases[] = {
		{ "SEND longer than the receive completes with errors on both sides",
		  { .opcode = PRM_WQE_SEND, .n = 1, .sge = { { a.va, 101, a.lkey } } },
		  to,
		  PRM_CQE_SYND_REMOTE_INVAL_REQ,
		  PRM_CQE_SYND_LOCAL_LENGTH },
		{ "a receive into a key without write access fails",
		  { .opcode = PRM_WQE_SEND, .n = 1, .sge = { from } },
		  { b.va, 100, read_only },
		  PRM_CQE_SYND_REMOTE_OP,
		  PRM_CQE_SYND_LOCAL_PROT },
		{ "a receive with a wrong key fails",
		  { .opcode = PRM_WQE_SEND, .n = 1, .sge = { from } },
		  { b.va, 100, b.lkey ^ 0x100 },
		  PRM_CQE_SYND_REMOTE_OP,
		  PRM_CQE_SYND_LOCAL_PROT },
		{ "a receive with the reserved lkey fails without rlky",
		  { .opcode = PRM_WQE_SEND, .n = 1, .sge = { from } },
		  { MEM_BASE, 100, MKEY_RESERVED_LKEY },
		  PRM_CQE_SYND_REMOTE_OP,
		  PRM_CQE_SYND_LOCAL_PROT },
	};

	test_all(cases, ARRAY_SIZE(cases));
}

static void test_send_errors(void)
{
	struct tsge from = { a.va, 100, a.lkey };
	const struct error_case cases[] = {
		{ "a SEND with a wrong key fails",
		  { .opcode = PRM_WQE_SEND, .n = 1, .sge = { { a.va, 10, a.lkey ^ 1 } } },
		  {},
		  PRM_CQE_SYND_LOCAL_PROT },
		{ "a SEND from beyond the region fails",
		  { .opcode = PRM_WQE_SEND, .n = 1, .sge = { { a.va + BUF_BYTES, 10, a.lkey } } },
		  {},
		  PRM_CQE_SYND_LOCAL_PROT },
		{ "a READ into a wrong key fails",
		  { .opcode = PRM_WQE_RDMA_READ,
		    .n = 1,
		    .sge = { { a.va, 10, a.lkey ^ 1 } },
		    .raddr = b.va,
		    .rkey = b.rkey },
		  {},
		  PRM_CQE_SYND_LOCAL_PROT },
		{ "a WRITE to a QP that does not allow it fails",
		  { .opcode = PRM_WQE_RDMA_WRITE,
		    .n = 1,
		    .sge = { from },
		    .raddr = b.va,
		    .rkey = b.rkey },
		  {},
		  PRM_CQE_SYND_REMOTE_INVAL_REQ,
		  0,
		  true },
		{ "a READ from a QP that does not allow it fails",
		  { .opcode = PRM_WQE_RDMA_READ,
		    .n = 1,
		    .sge = { from },
		    .raddr = b.va,
		    .rkey = b.rkey },
		  {},
		  PRM_CQE_SYND_REMOTE_INVAL_REQ,
		  0,
		  true },
		{ "an unknown opcode fails",
		  { .opcode = 0x3f, .n = 1, .sge = { from } },
		  {},
		  PRM_CQE_SYND_LOCAL_QP_OP },
		{ "a UMR without its segments fails",
		  { .opcode = PRM_WQE_UMR },
		  {},
		  PRM_CQE_SYND_LOCAL_QP_OP },
		{ "a message of 2 GiB fails",
		  { .opcode = PRM_WQE_SEND, .n = 1, .sge = { { a.va, 0, a.lkey } } },
		  {},
		  PRM_CQE_SYND_LOCAL_LENGTH },
	};

	test_all(cases, ARRAY_SIZE(cases));
}

static void test_earlier_first(void)
{
	struct qp_opts o = { .addr = ADDR_V1 };
	struct wr good = { .opcode = PRM_WQE_RDMA_WRITE,
			   .n = 1,
			   .sge = { { a.va, 5000, a.lkey } },
			   .raddr = b.va,
			   .rkey = b.rkey };
	struct wr bad = { .opcode = 0x3f };
	struct tqp x, y;
	bool pass;

	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	post_send_quietly(&x, &good);
	post_send_quietly(&x, &bad);
	post_send_quietly(&x, &good);
	ring(&x);
	settle();
	pass = cqe_opcode(poll(&ca)) == PRM_CQE_REQ;
	pass = is_error(poll(&ca), PRM_CQE_REQ_ERR, PRM_CQE_SYND_LOCAL_QP_OP) && pass;
	pass = is_error(poll(&ca), PRM_CQE_REQ_ERR, PRM_CQE_SYND_WR_FLUSH) && pass;
	ok(pass && !poll(&ca),
	   "WQEs before a bad one complete, it fails, later ones are flushed");
	drain(&ca, &cb);
	destroy_pair(&x, &y);
	drain(&ca, &cb);
}

/* ---- flush --------------------------------------------------------------------------------- */

static void test_flush(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV6, .log_rq = 4 };
	struct wr wr = { .opcode = PRM_WQE_SEND, .n = 1, .sge = { { a.va, 10, a.lkey } } };
	struct tsge sge = { b.va, 10, b.lkey };
	struct tqp x, y;
	unsigned int i, n = 0;

	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	for (i = 0; i < 10; i++)
		post_recv(&y, 1, &sge);
	ok(!qp_command(&y, PRM_OP_qp_2err), "2ERR succeeds");
	settle();
	while (is_error(poll(&cb), PRM_CQE_RESP_ERR, PRM_CQE_SYND_WR_FLUSH))
		n++;
	ok(n == 10, "all receives are flushed");
	post_recv(&y, 1, &sge);
	pass_time(200);
	ok(is_error(poll(&cb), PRM_CQE_RESP_ERR, PRM_CQE_SYND_WR_FLUSH),
	   "a receive posted in ERR is flushed without a doorbell");
	wr.sge[0] = (struct tsge){ b.va, 10, b.lkey };
	wr.quiet = true;
	post_send(&y, &wr);
	settle();
	ok(is_error(poll(&cb), PRM_CQE_REQ_ERR, PRM_CQE_SYND_WR_FLUSH),
	   "a send posted in ERR is flushed, signaled or not");
	ok(!qp_command(&y, PRM_OP_qp_2rst) && qp_state(&y) == PRM_QP_RST, "2RST succeeds");
	destroy_pair(&x, &y);
	drain(&ca, &cb);
}

static void test_ud_sq_error(void)
{
	struct qp_opts o = { .qkey = 5 };
	struct wr wr = { .opcode = PRM_WQE_SEND,
			 .n = 1,
			 .sge = { { a.va, 10, a.lkey ^ 1 } },
			 .to = &b,
			 .addr = ADDR_V1,
			 .qkey = 5 };
	struct prm_sqerr2rts_qp_in in = {};
	struct prm_sqerr2rts_qp_out out;
	struct tsge sge = { b.va, 100, b.lkey };
	struct tqp x, y;

	create_pair(&x, &y, PRM_QP_ST_UD, &ca, &cb, &o);
	wr.dqpn = y.qpn;
	post_send_quietly(&x, &wr);
	post_send(&x, &wr);
	settle();
	ok(is_error(poll(&ca), PRM_CQE_REQ_ERR, PRM_CQE_SYND_LOCAL_PROT) &&
	   is_error(poll(&ca), PRM_CQE_REQ_ERR, PRM_CQE_SYND_WR_FLUSH) &&
	   qp_state(&x) == PRM_QP_SQER,
	   "a failed UD send moves the QP to SQER");
	prm_set(&in, qpn, x.qpn);
	prm_set(&in, qpc.st, PRM_QP_ST_UD);
	ok(!command(&a, sqerr2rts_qp, &in, &out) && qp_state(&x) == PRM_QP_RTS,
	   "SQERR2RTS moves the QP to RTS");
	wr.sge[0].key = a.lkey;
	post_recv(&y, 1, &sge);
	post_send(&x, &wr);
	settle();
	ok(poll(&ca) && poll(&cb), "after SQERR2RTS the QP sends again");
	destroy_pair(&x, &y);
	drain(&ca, &cb);
}

static void test_stray_doorbells(void)
{
	struct qp_opts o = { .addr = ADDR_V1 };
	struct wr wr = { .opcode = PRM_WQE_SEND, .n = 1, .sge = { { a.va, 10, a.lkey } } };
	uint64_t before = a.dev->violations;
	struct tqp x;

	create_qp(&x, &a, PRM_QP_ST_RC, &ca, &o);
	post_send(&x, &wr);
	settle();
	ok(a.dev->violations == before + 1 && !poll(&ca),
	   "a doorbell in RST is a violation without effect");
	sq_doorbell(a.dev, a.uar + 1, (uint64_t)1 << 40 | x.qpn << 8);
	ok(a.dev->violations == before + 2, "a doorbell on another UAR is a violation");
	qp_command(&x, PRM_OP_destroy_qp);
	sq_doorbell(a.dev, a.uar, (uint64_t)1 << 40 | x.qpn << 8);
	ok(a.dev->violations == before + 2, "a late doorbell of a destroyed QP is no violation");
	sq_doorbell(a.dev, a.uar + 1, (uint64_t)1 << 40 | x.qpn << 8);
	ok(a.dev->violations == before + 3,
	   "a late doorbell of a destroyed QP on another UAR is a violation");
}

/* Last of all: the side is of no use behind it. */
static void test_stray_doorbell_after_reset(void)
{
	struct qp_opts o = { .addr = ADDR_V1 };
	uint64_t before = a.dev->violations;
	struct tqp x;

	create_qp(&x, &a, PRM_QP_ST_RC, &ca, &o);
	qp_command(&x, PRM_OP_destroy_qp);
	cxdev_reset(a.dev);
	sq_doorbell(a.dev, a.uar, (uint64_t)1 << 40 | x.qpn << 8);
	ok(a.dev->violations == before + 1,
	   "a doorbell of a QP destroyed before a reset is a violation");
}

/* A producer index far ahead of the queue must not be followed. */
static void test_producer(void)
{
	struct qp_opts o = { .addr = ADDR_V1 };
	struct tqp x, y;

	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	x.sq_pi = 1000;
	put32((uint8_t *)mem_at(&a, x.dbr) + 4, 1000);
	ring(&x);
	settle();
	ok(qp_state(&x) == PRM_QP_ERR && saw_event(&a, PRM_EVENT_WQ_CATAS_ERROR, x.qpn),
	   "a send producer index out of range moves the QP to ERR");
	put32(mem_at(&b, y.dbr), 5000);
	x.sq_pi = 0;
	destroy_pair(&x, &y);
	drain(&ca, &cb);
}

/* ---- transitions --------------------------------------------------------------------------- */

static int go(struct tqp *qp, struct tqp *peer, unsigned int step)
{
	static const struct qp_opts o = { .addr = ADDR_V1 };
	struct prm_rts2rts_qp_in in = {};
	struct prm_rts2rts_qp_out out;

	prm_set(&in, qpn, qp->qpn);
	prm_set(&in, qpc.st, qp->st);
	switch (step) {
	case 0:
		return qp_init(qp, &o);
	case 1:
		return command(qp->side, init2init_qp, (struct prm_init2init_qp_in *)&in,
			       (struct prm_init2init_qp_out *)&out);
	case 2:
		return qp_rtr(qp, peer, &o);
	case 3:
		return qp_rts(qp, &o);
	case 4:
		return command(qp->side, rts2rts_qp, &in, &out);
	case 5:
		return command(qp->side, sqerr2rts_qp, (struct prm_sqerr2rts_qp_in *)&in,
			       (struct prm_sqerr2rts_qp_out *)&out);
	case 6:
		return command(qp->side, sqd2rts_qp, (struct prm_sqd2rts_qp_in *)&in,
			       (struct prm_sqd2rts_qp_out *)&out);
	case 7:
		return qp_command(qp, PRM_OP_qp_2err);
	default:
		return qp_command(qp, PRM_OP_qp_2rst);
	}
}

/* Rows: state before. Columns: the nine steps above. Where they lead, X: refused. */
#define X 15
static const uint8_t table[][9] = {
	[PRM_QP_RST] = { PRM_QP_INIT, X, X, X, X, X, X, PRM_QP_ERR, PRM_QP_RST },
	[PRM_QP_INIT] = { X, PRM_QP_INIT, PRM_QP_RTR, X, X, X, X, PRM_QP_ERR, PRM_QP_RST },
	[PRM_QP_RTR] = { X, X, X, PRM_QP_RTS, X, X, X, PRM_QP_ERR, PRM_QP_RST },
	[PRM_QP_RTS] = { X, X, X, X, PRM_QP_RTS, X, X, PRM_QP_ERR, PRM_QP_RST },
	[PRM_QP_ERR] = { X, X, X, X, X, X, X, PRM_QP_ERR, PRM_QP_RST },
};

static const uint8_t way[][4] = {
	[PRM_QP_RST] = { X },
	[PRM_QP_INIT] = { 0, X },
	[PRM_QP_RTR] = { 0, 2, X },
	[PRM_QP_RTS] = { 0, 2, 3, X },
	[PRM_QP_ERR] = { 7, X },
};

static void test_states(enum prm_qp_st st)
{
	static const char *const names[] = { "RST", "INIT", "RTR", "RTS", "SQER", "SQD", "ERR" };
	static const struct qp_opts o = {};
	struct tqp x, y;
	unsigned int from, step, i, bad;
	uint32_t next = a.next;
	int status;

	create_qp(&y, &b, st, &cb, &o);
	for (from = 0; from < ARRAY_SIZE(table); from++) {
		if (from == PRM_QP_SQER || from == PRM_QP_SQD)
			continue;
		for (step = 0, bad = 0; step < 9; step++) {
			create_qp(&x, &a, st, &ca, &o);
			for (i = 0; way[from][i] != X; i++)
				bad += go(&x, &y, way[from][i]) != 0;
			bad += qp_state(&x) != from;
			status = go(&x, &y, step);
			bad += table[from][step] == X ?
				       status != PRM_STATUS_BAD_QP_STATE || qp_state(&x) != from :
				       status || qp_state(&x) != table[from][step];
			bad += qp_command(&x, PRM_OP_destroy_qp) != 0;
			a.next = next;
		}
		ok(!bad, "service type %u: transitions from %s are right", st, names[from]);
	}
	qp_command(&y, PRM_OP_destroy_qp);
}

static void test_refused_fields(void)
{
	static const struct qp_opts o = { .addr = ADDR_V1 }, empty_gid = { .addr = 77 },
				    no_mtu = { .addr = ADDR_V1, .mtu = 7 };
	struct prm_dealloc_pd_in pd = {};
	struct prm_dealloc_pd_out pd_out;
	struct prm_rst2init_qp_in in = {};
	struct prm_rst2init_qp_out out;
	struct tqp x, y;

	create_qp(&x, &a, PRM_QP_ST_RC, &ca, &o);
	create_qp(&y, &b, PRM_QP_ST_RC, &cb, &o);
	prm_set(&in, qpn, x.qpn);
	prm_set(&in, qpc.st, PRM_QP_ST_RC);
	ok(command(&a, rst2init_qp, &in, &out) == PRM_STATUS_BAD_PARAM,
	   "RST2INIT without a port is refused");
	prm_set(&in, qpc.primary_address_path.vhca_port_num, 1);
	prm_set(&in, qpc.st, PRM_QP_ST_UD);
	ok(command(&a, rst2init_qp, &in, &out) == PRM_STATUS_BAD_PARAM,
	   "RST2INIT with another service type is refused");
	prm_set(&in, qpc.st, PRM_QP_ST_RC);
	prm_set(&in, qpc.counter_set_id, 99);
	ok(command(&a, rst2init_qp, &in, &out) == PRM_STATUS_BAD_RES,
	   "RST2INIT with an unknown counter set is refused");
	prm_set(&in, qpc.counter_set_id, 0);
	prm_set(&in, opt_param_mask, PRM_QP_OPT_ALT_ADDR_PATH);
	ok(command(&a, rst2init_qp, &in, &out) == PRM_STATUS_BAD_PARAM,
	   "RST2INIT with an alternate path is refused");
	prm_set(&in, opt_param_mask, 0);
	prm_set(&in, qpc.rsvd_24, 1);
	ok(command(&a, rst2init_qp, &in, &out) == PRM_STATUS_BAD_PARAM,
	   "RST2INIT with a reserved bit is refused");
	ok(!qp_init(&x, &o) && qp_rtr(&x, &y, &empty_gid) == PRM_STATUS_BAD_PARAM,
	   "INIT2RTR with an empty source GID is refused");
	ok(qp_rtr(&x, &y, &no_mtu) == PRM_STATUS_BAD_PARAM && qp_state(&x) == PRM_QP_INIT,
	   "INIT2RTR with MTU 7 is refused");
	prm_set(&pd, pd, a.pd);
	ok(command(&a, dealloc_pd, &pd, &pd_out) == PRM_STATUS_RES_BUSY,
	   "the PD of a QP cannot be freed");
	ok(create_qp(&y, &a, PRM_QP_ST_DCI, &ca, &o) == PRM_STATUS_BAD_PARAM,
	   "DC is not supported");
	ok(create_qp(&y, &a, PRM_QP_ST_RC, &ca, &(struct qp_opts) { .pd = 0x7777 }) ==
	   PRM_STATUS_BAD_RES,
	   "CREATE_QP with an unknown PD is refused");
	ok(create_qp(&y, &a, PRM_QP_ST_RC, &ca, &(struct qp_opts) { .log_rq_stride = 6 }) ==
	   PRM_STATUS_BAD_PARAM,
	   "CREATE_QP with receive WQEs of 1024 bytes is refused");
	ok(!create_qp(&y, &a, PRM_QP_ST_QP1, &ca, &o), "a QP1 can be created");
	ok(create_qp(&x, &a, PRM_QP_ST_QP1, &ca, &o) == PRM_STATUS_NO_RES,
	   "a second QP1 is refused");
}

int main(void)
{
	uint32_t other_pd, read_only;
	unsigned int i;

	sides_open();
	create_cq(&ca, &a, 9);
	create_cq(&cb, &b, 9);
	other_pd = alloc_pd(&b);
	read_only = create_mkey(&b, b.pd, MEM_LOCAL_READ, b.va, 4096, 0);
	for (i = 0; i < ARRAY_SIZE(access_cases); i++)
		test_access(&access_cases[i], other_pd);
	for (i = 0; i < ARRAY_SIZE(spans); i++)
		test_span(&spans[i]);
	test_vanishing_key();
	test_log_msg_max(true, PRM_WQE_RDMA_WRITE);
	test_log_msg_max(true, PRM_WQE_RDMA_READ);
	test_log_msg_max(false, PRM_WQE_RDMA_WRITE);
	test_log_msg_max(false, PRM_WQE_RDMA_READ);
	test_receive_errors(read_only);
	test_send_errors();
	test_earlier_first();
	test_flush();
	test_ud_sq_error();
	test_stray_doorbells();
	test_producer();
	test_states(PRM_QP_ST_RC);
	test_states(PRM_QP_ST_UC);
	test_states(PRM_QP_ST_UD);
	test_refused_fields();
	test_stray_doorbell_after_reset();
	ok(!wire.wrong, "all frames were well-formed %s", wire.why);
	sides_close();
	return ok_end();
}
