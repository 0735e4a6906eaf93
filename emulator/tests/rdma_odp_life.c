// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * On-demand paging of the other transports, and page faults that are not resumed as they should be:
 * too late, twice, never, or after what they were about is gone.
 */
#include "rdma_dc.h"
#include "rdma_odp.h"

#define LEN 3000u

static const struct qp_opts rc = { .addr = ADDR_V2_IPV4, .min_rnr = 1, .timeout = 12 };

static bool memory;	/* the scheme of the faults */

/* Is the event of this WQE queue, as far as those of the scheme say so? */
static bool is_of(const struct odp_event *event, unsigned int type, uint32_t wq)
{
	return memory ? event->subtype == PRM_FAULT_MEMORY :
			event->type == type && event->wq == wq;
}

/* Makes the pages present that are missed, at both ends, until nothing is. Returns the events. */
static unsigned int serve(struct odp_key *from, struct odp_key *to)
{
	struct odp_event event;
	unsigned int n = 0, i;

	for (i = 0; i < 20; i++) {
		if (odp_event(&a, &event)) {
			odp_set(from, 0, ODP_PAGES, PRESENT);
			odp_resume(&a, &event, false);
			n++;
		}
		if (odp_event(&b, &event)) {
			odp_set(to, 0, ODP_PAGES, PRESENT);
			odp_resume(&b, &event, false);
			n++;
		}
		pass_time(2);
	}
	return n;
}

/* ---- other transports ---------------------------------------------------------------------- */

static void test_ud(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4, .qkey = 0x11111111 };
	struct odp_key from = odp_create(&a, 0, 0), to = odp_create(&b, 0, 0);
	struct tsge room = { b.va, 2000, b.lkey };
	struct wr wr = { .opcode = PRM_WQE_SEND, .n = 1, .sge = { { from.va, 500, from.key } },
			 .addr = ADDR_V2_IPV4, .to = &b, .qkey = 0x11111111 };
	struct odp_event event;

	drain(&ca, &cb);
	create_pair(&x, &y, PRM_QP_ST_UD, &ca, &cb, &o);
	wr.dqpn = y.qpn;
	buf_fill(&a, from.off, 500, 1);
	post_recv(&y, 1, &room);
	post_send(&x, &wr);
	ok(odp_event(&a, &event) && is_of(&event, PRM_FAULT_WQE_SEND_WRITE, x.qpn),
	   "UD: the page of a datagram is not there");
	odp_set(&from, 0, 1, MTT_READ);
	odp_resume(&a, &event, false);
	ok(!odp_result(&ca) && !odp_result(&cb) && buf_is(&b, GRH_BYTES, 500, 1),
	   "UD: with the page it is sent");
	room = (struct tsge){ to.va, 2000, to.key };
	post_recv(&y, 1, &room);
	post_send(&x, &wr);
	ok(!odp_result(&ca) && odp_result(&cb) == PRM_CQE_SYND_LOCAL_PROT && odp_no_event(&b),
	   "UD: a receive does not fault, it fails");
	destroy_pair(&x, &y);
	odp_pair(&rc);
	destroy_pair(&x, &y);
	create_pair(&x, &y, PRM_QP_ST_UD, &ca, &cb, &o);
	odp_set(&from, 0, 1, 0);
	post_send(&x, &wr);
	odp_event(&a, &event);
	odp_resume(&a, &event, true);
	ok(odp_result(&ca) == PRM_CQE_SYND_LOCAL_PROT && qp_state(&x) == PRM_QP_SQER,
	   "UD: with an error the send queue is in error");
	destroy_pair(&x, &y);
	destroy_mkey(&a, from.key);
	destroy_mkey(&b, to.key);
}

static const struct op {
	uint8_t opcode;
	const char *name;
} ops[] = {
	{ PRM_WQE_SEND, "SEND" }, { PRM_WQE_RDMA_WRITE, "WRITE" },
	{ PRM_WQE_RDMA_WRITE_IMM, "WRITE with immediate" }, { PRM_WQE_RDMA_READ, "READ" },
	{ PRM_WQE_ATOMIC_FA, "FETCH_ADD" },
};

/* Between pages that are all missing. @wr: the target's part; @srq: where receives are posted. */
static void run_op(const char *transport, const struct op *op, struct tqp *qp, struct wr wr,
		   struct tsrq *srq)
{
	uint32_t len = op->opcode == PRM_WQE_ATOMIC_FA ? 8 : LEN;
	struct odp_key from = odp_create(&a, 0, 0), to = odp_create(&b, 0, 0);
	struct tsge room = { to.va, LEN, to.key };
	bool reads = op->opcode == PRM_WQE_RDMA_READ || op->opcode == PRM_WQE_ATOMIC_FA;
	bool sends = op->opcode == PRM_WQE_SEND;
	unsigned int n;

	buf_fill(&a, from.off, LEN, 2);
	buf_fill(&b, to.off, LEN, 3);
	wr.opcode = op->opcode;
	wr.n = 1;
	wr.sge[0] = (struct tsge){ from.va, len, from.key };
	wr.raddr = to.va;
	wr.rkey = sends ? 0 : to.key;
	if (sends || op->opcode == PRM_WQE_RDMA_WRITE_IMM)
		post_srq(srq, 1, &room);
	post_send(qp, &wr);
	n = serve(&from, &to);
	ok(n == 2 && !odp_result(&ca), "%s: %s faults at both ends, and ends well", transport,
	   op->name);
	ok(reads ? op->opcode == PRM_WQE_ATOMIC_FA || buf_is(&a, from.off, LEN, 3) :
		   buf_is(&b, to.off, LEN, 2), "%s: the data of %s arrive", transport, op->name);
	drain(&ca, &cb);
	destroy_mkey(&a, from.key);
	destroy_mkey(&b, to.key);
}

static void test_dc(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4 };
	struct dct_opts d = { .addr = ADDR_V2_IPV4 };
	struct odp_event event;
	struct odp_key to;
	struct tdct dct;
	unsigned int i;
	struct wr wr;

	ok(!create_dct(&dct, &b, &cb, &d), "DC: a target");
	create_dci(&x, &a, &ca, &o);
	for (i = 0; i < ARRAY_SIZE(ops); i++)
		run_op("DC", &ops[i], &x, dc_send(&dct, LEN), &dct.srq);
	to = odp_create(&b, 0, 0);
	wr = dc_rdma(&dct, PRM_WQE_RDMA_WRITE, 0, 64);
	wr.raddr = to.va;
	wr.rkey = to.key;
	post_send(&x, &wr);
	odp_event(&b, &event);
	ok(!odp_resume(&b, &event, true), "DC: a page that will not come");
	pass_time(5);
	ok(odp_result(&ca) == PRM_CQE_SYND_REMOTE_ACCESS, "DC: the WRITE fails at the initiator");
	destroy_dci(&x);
	create_dci(&x, &a, &ca, &o);
	wr = dc_rdma(&dct, PRM_WQE_RDMA_WRITE, 0, 64);
	wr.raddr = to.va;
	wr.rkey = to.key;
	post_send(&x, &wr);
	odp_event(&b, &event);
	destroy_dci(&x);
	dct_command(&dct, PRM_OP_drain_dct);
	pass_time(3000);
	ok(!dct_command(&dct, PRM_OP_destroy_dct) &&
	   odp_resume(&b, &event, false) == PRM_STATUS_BAD_RES && !odp_violations(),
	   "DC: the target of a page fault can go, and the driver may come too late");
	destroy_mkey(&b, to.key);
}

/* x only sends, y only receives, into a shared queue. */
static void xrc_pair(uint32_t domain, uint32_t own, struct tsrq *srq, struct tsrq *none)
{
	struct qp_opts from = rc, to = rc;

	from.xrcd = own;
	from.srq = none;
	to.xrcd = domain;
	to.no_sq = true;
	to.srq = srq;
	drain(&ca, &cb);
	if (create_qp(&x, &a, PRM_QP_ST_XRC, &ca, &from) ||
	    create_qp(&y, &b, PRM_QP_ST_XRC, &cb, &to) || qp_init(&x, &from) ||
	    qp_init(&y, &to) || qp_rtr(&x, &y, &from) || qp_rtr(&y, &x, &to) ||
	    qp_rts(&x, &from) || qp_rts(&y, &to))
		ok(false, "a pair of XRC");
}

static int destroy_srq(struct side *side, uint32_t num)
{
	struct prm_destroy_xrc_srq_in in = {};
	struct prm_destroy_xrc_srq_out out;

	prm_set(&in, xrc_srqn, num);
	return command(side, destroy_xrc_srq, &in, &out);
}

static void test_xrc(void)
{
	uint32_t domain = alloc_xrcd(&b), own = alloc_xrcd(&a);
	struct odp_key to = odp_create(&b, 1, 0);
	struct tsge room = { to.va, LEN, to.key };
	struct tsrq plain, srq, none;
	struct odp_event event;
	struct wr wr = { .n = 1, .sge = { { a.va, LEN, a.lkey } }, .opcode = PRM_WQE_SEND };
	unsigned int i;

	create_xrc_srq(&none, &a, 3, own, &ca, a.pd, 0xffffff);
	create_xrc_srq(&plain, &b, 3, domain, &cb, b.pd, 0xffffff);
	create_xrc_srq(&srq, &b, 3, domain, &cb, b.pd, 0xffffff);
	xrc_pair(domain, own, &plain, &none);
	wr.xrc_srqn = srq.num;
	for (i = 0; i < ARRAY_SIZE(ops); i++)
		run_op("XRC", &ops[i], &x, wr, &srq);
	post_srq(&srq, 1, &room);
	post_send(&x, &wr);
	ok(odp_event(&b, &event) && is_of(&event, PRM_FAULT_WQE_RMP, srq.num),
	   "XRC: a receive of the shared queue misses its page");
	odp_violations();
	ok(!destroy_srq(&b, srq.num) && odp_resume(&b, &event, false) == PRM_STATUS_BAD_RES &&
	   !odp_violations(), "XRC: the shared queue goes, and the driver may come too late");
	pass_time(5);
	ok(odp_result(&ca) == PRM_CQE_SYND_REMOTE_INVAL_REQ,
	   "XRC: the requester hears that it is gone");
	destroy_pair(&x, &y);
	destroy_srq(&a, none.num);
	destroy_srq(&b, plain.num);
	destroy_mkey(&b, to.key);
}

/* ---- what the driver can do wrong ---------------------------------------------------------- */

static void test_tokens(void)
{
	struct odp_key from = odp_create(&a, 0, 0);
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE, .n = 1, .raddr = b.va, .rkey = b.rkey,
			 .sge = { { from.va, LEN, from.key } } };
	struct odp_event event, other;

	odp_pair(&rc);
	post_send(&x, &wr);
	odp_event(&a, &event);
	odp_violations();
	other = event;
	other.token ^= 0x400;
	ok(odp_resume(&a, &other, false) == PRM_STATUS_BAD_RES && odp_violations() == 1,
	   "a token that was never used is a violation");
	other = event;
	other.type = PRM_FAULT_WQE_READ_ATOMIC;
	ok(odp_resume(&a, &other, false) == PRM_STATUS_BAD_PARAM && odp_violations() == 1,
	   "so is another type");
	other = event;
	other.wq++;
	ok(odp_resume(&a, &other, false) == PRM_STATUS_BAD_PARAM && odp_violations() == 1,
	   "so is another queue");
	ok(odp_result(&ca) == 0xff, "the queue pair still waits");
	odp_set(&from, 0, ODP_PAGES, PRESENT);
	ok(!odp_resume(&a, &event, false) && !odp_result(&ca), "the right one resumes it");
	ok(odp_resume(&a, &event, false) == PRM_STATUS_BAD_RES && odp_violations() == 1,
	   "a second time is a violation");
	destroy_pair(&x, &y);
	destroy_mkey(&a, from.key);
}

static void test_queue_gone(void)
{
	struct odp_key from = odp_create(&a, 0, 0), to = odp_create(&b, 0, 0);
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE, .n = 1, .raddr = to.va, .rkey = to.key,
			 .sge = { { from.va, LEN, from.key } } };
	struct odp_event event, theirs;

	odp_pair(&rc);
	odp_violations();
	post_send(&x, &wr);
	odp_event(&a, &event);
	ok(!qp_command(&x, PRM_OP_qp_2err) && odp_result(&ca) == PRM_CQE_SYND_WR_FLUSH,
	   "a WQE that waits for a page is flushed");
	ok(!odp_resume(&a, &event, false) && odp_result(&ca) == 0xff && !odp_violations(),
	   "then to resume it does nothing");
	destroy_pair(&x, &y);
	odp_pair(&rc);
	post_send(&x, &wr);
	odp_event(&a, &event);
	odp_set(&from, 0, ODP_PAGES, PRESENT);
	odp_resume(&a, &event, false);
	ok(odp_event(&b, &theirs), "the other end faults");
	destroy_pair(&x, &y);
	ok(odp_resume(&b, &theirs, false) == PRM_STATUS_BAD_RES && !odp_violations(),
	   "the queue pair is destroyed: the driver may come too late");
	destroy_mkey(&a, from.key);
	destroy_mkey(&b, to.key);
}

static void test_key_gone(void)
{
	struct odp_key from = odp_create(&a, 0, 0), to = odp_create(&b, 0, 0);
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE, .n = 1, .raddr = b.va, .rkey = b.rkey,
			 .sge = { { from.va, LEN, from.key } } };
	struct odp_event event;

	odp_pair(&rc);
	post_send(&x, &wr);
	odp_event(&a, &event);
	ok(!destroy_mkey(&a, from.key) && !odp_resume(&a, &event, false) &&
	   odp_result(&ca) == PRM_CQE_SYND_LOCAL_PROT, "the key is gone when it is resumed");
	destroy_pair(&x, &y);
	odp_pair(&rc);
	wr = (struct wr){ .opcode = PRM_WQE_RDMA_READ, .n = 1, .raddr = to.va, .rkey = to.key,
			  .sge = { { a.va, LEN, a.lkey } } };
	post_send(&x, &wr);
	odp_event(&b, &event);
	destroy_mkey(&b, to.key);
	odp_resume(&b, &event, false);
	pass_time(5);
	ok(odp_result(&ca) == PRM_CQE_SYND_REMOTE_ACCESS, "so is that which a READ names");
	destroy_pair(&x, &y);
}

static void test_eq_gone(void)
{
	struct odp_key from = odp_create(&a, 0, 0);
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE, .n = 1, .raddr = b.va, .rkey = b.rkey,
			 .sge = { { from.va, LEN, from.key } } };
	struct odp_event event;

	odp_pair(&rc);
	post_send(&x, &wr);
	odp_event(&a, &event);
	odp_set(&from, 0, ODP_PAGES, PRESENT);
	ok(!odp_destroy_eq(&a) && !odp_resume(&a, &event, false) && !odp_result(&ca),
	   "the EQ is gone: what waits can be resumed");
	odp_set(&from, 0, ODP_PAGES, 0);
	post_send(&x, &wr);
	ok(odp_result(&ca) == PRM_CQE_SYND_LOCAL_PROT, "without an EQ nothing faults, it fails");
	destroy_pair(&x, &y);
	odp_create_eq(&a, ODP_LOG_EQ);
	destroy_mkey(&a, from.key);
}

/* ---- bounds -------------------------------------------------------------------------------- */

/* Of one queue pair: it faults and is reset, over and over, and the driver never resumes it. */
static unsigned int fill_table(const struct wr *wr)
{
	unsigned int n;

	for (n = 0; n < 2 * PAGE_FAULTS; n++) {
		post_send(&x, wr);
		settle();
		if (a.dev->rdma_state->page_faults.n != n + 1)
			return n;
		odp_reset_pair(&rc);
	}
	return n;
}

static void test_bounds(void)
{
	struct odp_key from = odp_create(&a, 0, 0);
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE, .n = 1, .raddr = b.va, .rkey = b.rkey,
			 .sge = { { from.va, LEN, from.key } } };
	struct wr read = { .opcode = PRM_WQE_RDMA_READ, .n = 1, .raddr = b.va, .rkey = b.rkey,
			   .sge = { { from.va, LEN, from.key } } };
	struct odp_event event, last = {};
	unsigned int n = 0;

	odp_pair(&rc);
	ok(fill_table(&wr) == PAGE_FAULTS, "there are %u page faults at most", PAGE_FAULTS);
	while (odp_event(&a, &event)) {
		last = event;
		n++;
	}
	ok(n == PAGE_FAULTS && odp_result(&ca) == 0xff, "the next one waits");
	ok(!odp_resume(&a, &last, false), "one of the others is resumed");
	pass_time(3);
	ok(odp_event(&a, &event) && event.token % PAGE_FAULTS == last.token % PAGE_FAULTS &&
	   event.token != last.token, "then there is an event for the one that waits");
	odp_set(&from, 0, ODP_PAGES, PRESENT);
	odp_resume(&a, &event, false);
	ok(!odp_result(&ca), "and it ends well");
	odp_set(&from, 0, ODP_PAGES, 0);
	post_send(&x, &read);
	ok(odp_event(&a, &event), "a READ takes the last place");
	odp_reset_pair(&rc);
	post_send(&x, &read);
	pass_time(500);
	ok(odp_no_event(&a) && odp_result(&ca) == 0xff,
	   "another one waits, longer than all of its retries");
	odp_set(&from, 0, ODP_PAGES, PRESENT);
	pass_time(20);
	ok(!odp_result(&ca), "and goes on by itself when its pages are there");
	destroy_pair(&x, &y);
	ok(!a.dev->rdma_state->page_faults.n, "with the queue pair all of its page faults go");
	destroy_mkey(&a, from.key);
}

/* The same at the other end. */
static void test_bounds_of_responder(void)
{
	struct odp_key from = odp_create(&a, 0, PRESENT), to = odp_create(&b, 0, 0);
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE, .n = 1, .raddr = to.va, .rkey = to.key,
			 .sge = { { from.va, 64, from.key } } };
	struct page_fault_state *state = &b.dev->rdma_state->page_faults;
	struct odp_event event;
	unsigned int n;

	odp_pair(&rc);
	for (n = 0; n < PAGE_FAULTS; n++) {
		wr.opcode = n & 1 ? PRM_WQE_RDMA_READ : PRM_WQE_RDMA_WRITE;
		post_send(&x, &wr);
		odp_event(&b, &event);
		odp_reset_pair(&rc);
	}
	for (n = 0; n < 2; n++) {
		wr.opcode = n & 1 ? PRM_WQE_RDMA_READ : PRM_WQE_RDMA_WRITE;
		post_send(&x, &wr);
		pass_time(5);
		ok(state->n == PAGE_FAULTS && odp_no_event(&b) && odp_result(&ca) == 0xff,
		   "a %s whose page fault has no place is told to wait", n ? "READ" : "WRITE");
		odp_set(&to, 0, 1, PRESENT);
		pass_time(5);
		ok(!odp_result(&ca), "the %s ends well when the page is there",
		   n ? "READ" : "WRITE");
		odp_set(&to, 0, 1, 0);
	}
	destroy_pair(&x, &y);
	destroy_mkey(&a, from.key);
	destroy_mkey(&b, to.key);
}

/* Nobody comes: the requester gives up, as it does when there are no receives. */
static void test_never(void)
{
	struct qp_opts o = rc;
	struct odp_key to = odp_create(&b, 0, 0);
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE, .n = 1, .raddr = to.va, .rkey = to.key,
			 .sge = { { a.va, 64, a.lkey } } };
	struct odp_event event;

	o.rnr_retry = 3;
	o.rnr_set = true;
	drain(&ca, &cb);
	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	post_send(&x, &wr);
	odp_event(&b, &event);
	pass_time(10);
	ok(odp_result(&ca) == PRM_CQE_SYND_RNR_RETRY_EXC && qp_state(&y) == PRM_QP_RTS,
	   "a page that never comes is as a receive that is never posted");
	ok(!odp_resume(&b, &event, true) && odp_no_event(&b) && qp_state(&y) == PRM_QP_ERR,
	   "with an error the other end fails later");
	destroy_pair(&x, &y);
	destroy_mkey(&b, to.key);
}

static void test_full_eq(void)
{
	struct odp_key from = odp_create(&a, 0, 0);
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE, .n = 1, .raddr = b.va, .rkey = b.rkey,
			 .sge = { { from.va, LEN, from.key } } };
	unsigned int i;

	odp_destroy_eq(&a);
	odp_create_eq(&a, 2);
	odp_pair(&rc);
	odp_violations();
	for (i = 0; i < 6; i++) {
		post_send(&x, &wr);
		settle();
		odp_reset_pair(&rc);
	}
	ok(odp_violations() == 1, "an EQ of page faults that overruns is a violation");
	destroy_pair(&x, &y);
	odp_destroy_eq(&a);
	odp_create_eq(&a, ODP_LOG_EQ);
	destroy_mkey(&a, from.key);
}

/* ---- the whole function -------------------------------------------------------------------- */

static void test_lost_memory(void)
{
	struct odp_key from = odp_create(&a, 0, 0);
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE, .n = 1, .raddr = b.va, .rkey = b.rkey,
			 .sge = { { from.va, LEN, from.key } } };
	struct odp_event event;

	odp_pair(&rc);
	post_send(&x, &wr);
	odp_event(&a, &event);
	odp_set(&from, 0, ODP_PAGES, PRESENT);
	a.lost = MEM_BASE + (buf_at(&a, from.off) - (uint8_t *)mem_at(&a, MEM_BASE));
	ok(!odp_resume(&a, &event, false) && odp_result(&ca) == PRM_CQE_SYND_LOCAL_PROT,
	   "the page is taken away from the device meanwhile: it fails");
	a.lost = 0;
	destroy_pair(&x, &y);
	destroy_mkey(&a, from.key);
}

static void test_reset(void)
{
	struct odp_key from = odp_create(&a, 0, 0), to = odp_create(&b, 0, 0);
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE, .n = 1, .raddr = to.va, .rkey = to.key,
			 .sge = { { from.va, LEN, from.key } } };
	struct odp_event event, theirs;

	odp_pair(&rc);
	post_send(&x, &wr);
	odp_event(&a, &event);
	odp_set(&from, 0, ODP_PAGES, PRESENT);
	odp_resume(&a, &event, false);
	odp_event(&b, &theirs);
	hca_stop(b.dev);
	pass_time(100);
	ok(!b.dev->rdma_state->page_faults.n, "TEARDOWN_HCA ends the page faults");
	odp_set(&from, 0, ODP_PAGES, 0);
	destroy_mkey(&a, from.key);
	from = odp_create(&a, 0, 0);
	qp_command(&x, PRM_OP_qp_2rst);
	cxdev_reset(b.dev);
	cxdev_reset(a.dev);
	pass_time(10);
	ok(!a.dev->rdma_state->page_faults.n, "a reset of the function, too");
}

int odp_life(bool of_memory)
{
	memory = of_memory;
	odp_open(memory);
	create_cq(&ca, &a, 7);
	create_cq(&cb, &b, 7);
	test_ud();
	test_dc();
	test_xrc();
	if (!memory)
		test_tokens();
	test_queue_gone();
	test_key_gone();
	test_eq_gone();
	test_bounds();
	test_bounds_of_responder();
	test_never();
	test_full_eq();
	test_lost_memory();
	test_reset();
	sides_close();
	return ok_end();
}
