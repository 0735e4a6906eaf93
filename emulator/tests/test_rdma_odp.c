// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * On-demand paging: what a queue pair does that meets a page that is not present, until the driver
 * resumes it, at either end of a connection.
 */
#include "ktap.h"
#include "rdma_odp.h"

#define LEN	9000u
#define MTU	1024u

/* ---- the requester's data ------------------------------------------------------------------ */

static struct wr from_key(const struct odp_key *key, uint8_t opcode)
{
	return (struct wr){ .opcode = opcode, .n = 1, .raddr = b.va,
			    .rkey = opcode == PRM_WQE_SEND ? 0 : b.rkey,
			    .sge = { { key->va + 100, LEN, key->key } } };
}

/* Page by page: each fault says what has been done. */
static void test_sending(uint8_t opcode, const char *what)
{
	struct odp_key key = odp_create(&a, 0, 0);
	struct tsge room = { b.va, LEN, b.lkey };
	struct wr wr = from_key(&key, opcode);
	struct odp_event event;
	unsigned int page;

	odp_pair(&odp_rc);
	buf_fill(&a, key.off + 100, LEN, opcode);
	post_recv(&y, 1, &room);
	post_send(&x, &wr);
	for (page = 0; page < 3; page++) {
		uint32_t done = page ? (page * PAGE - 100) / MTU * MTU : 0;

		ok(odp_event(&a, &event) && event.subtype == PRM_FAULT_WQE &&
		   event.type == PRM_FAULT_WQE_SEND_WRITE && event.wq == x.qpn && !event.index &&
		   event.committed == done && odp_result(&ca) == 0xff,
		   "%s: page %u is not there: an event says so, and that %u bytes are done", what,
		   page, done);
		odp_set(&key, page, 1, MTT_READ);
		ring(&x);
		pass_time(50);
		ok(odp_no_event(&a) && odp_result(&ca) == 0xff && !odp_resume(&a, &event, false),
		   "%s: it waits for page %u until it is resumed", what, page);
	}
	ok(!odp_result(&ca) && buf_is(&b, 0, LEN, opcode) && odp_no_event(&a),
	   "%s: with all pages of its data it ends well", what);
	destroy_pair(&x, &y);
	destroy_mkey(&a, key.key);
}

static void test_sending_fails(void)
{
	struct odp_key key = odp_create(&a, 0, 0);
	struct tsge room = { b.va, LEN, b.lkey };
	struct wr wr = from_key(&key, PRM_WQE_SEND);
	struct odp_event event;

	odp_pair(&odp_rc);
	post_recv(&y, 1, &room);
	post_send(&x, &wr);
	post_send(&x, &wr);
	odp_event(&a, &event);
	ok(!odp_resume(&a, &event, false) && odp_event(&a, &event),
	   "SEND: resumed without the page, it faults again");
	ok(!odp_resume(&a, &event, true) && odp_result(&ca) == PRM_CQE_SYND_LOCAL_PROT &&
	   odp_result(&ca) == PRM_CQE_SYND_WR_FLUSH && qp_state(&x) == PRM_QP_ERR,
	   "SEND: with an error it ends by a protection error, what follows is flushed");
	destroy_pair(&x, &y);
	destroy_mkey(&a, key.key);
}

/* ---- where responses go -------------------------------------------------------------------- */

static void test_read_destination(void)
{
	struct odp_key key = odp_create(&a, 0, 0);
	struct wr wr = from_key(&key, PRM_WQE_RDMA_READ);
	struct odp_event event;
	struct qp_opts o = odp_rc;

	o.retry = 0;	/* what comes while it waits is no loss */
	odp_pair(&o);
	buf_fill(&b, 0, LEN, 3);
	post_send(&x, &wr);
	ok(odp_event(&a, &event) && event.subtype == PRM_FAULT_WQE &&
	   event.type == PRM_FAULT_WQE_READ_ATOMIC && event.wq == x.qpn && !event.committed,
	   "READ: the first page of the destination is not there");
	odp_set(&key, 0, 1, PRESENT);
	pass_time(50);
	ok(odp_no_event(&a) && odp_result(&ca) == 0xff, "READ: it waits until it is resumed");
	odp_resume(&a, &event, false);
	ok(odp_event(&a, &event) && event.committed == 3 * MTU,
	   "READ: so is the second, and three packets are done");
	odp_set(&key, 1, 2, MTT_READ);
	odp_resume(&a, &event, false);
	ok(odp_event(&a, &event) && event.committed == 3 * MTU,
	   "READ: a page that may only be read is none for it");
	odp_set(&key, 1, 2, PRESENT);
	odp_resume(&a, &event, false);
	ok(!odp_result(&ca) && buf_is(&a, key.off + 100, LEN, 3),
	   "READ: with all pages it ends well");
	odp_set(&key, 0, 8, 0);
	post_send(&x, &wr);
	odp_event(&a, &event);
	odp_resume(&a, &event, true);
	ok(odp_result(&ca) == PRM_CQE_SYND_LOCAL_PROT && qp_state(&x) == PRM_QP_ERR,
	   "READ: with an error it ends by a protection error");
	destroy_pair(&x, &y);
	destroy_mkey(&a, key.key);
}

static void test_atomic_destination(void)
{
	struct odp_key key = odp_create(&a, 0, 0);
	struct wr wr = { .opcode = PRM_WQE_ATOMIC_FA, .n = 1, .raddr = (b.va + 7) & ~7ull,
			 .rkey = b.rkey, .swap_add = 5, .sge = { { key.va + 8, 8, key.key } } };
	uint8_t *at = buf_at(&b, wr.raddr - b.va);
	struct odp_event event;

	odp_pair(&odp_rc);
	memset(at, 0, 8);
	at[0] = 9;
	post_send(&x, &wr);
	ok(odp_event(&a, &event) && event.type == PRM_FAULT_WQE_READ_ATOMIC && at[0] == 14,
	   "FETCH_ADD: the page of the result is not there; it has been added");
	odp_set(&key, 0, 1, PRESENT);
	odp_resume(&a, &event, false);
	ok(!odp_result(&ca) && at[0] == 14 && *buf_at(&a, key.off + 15) == 9,
	   "FETCH_ADD: the result comes, and nothing was added twice");
	destroy_pair(&x, &y);
	destroy_mkey(&a, key.key);
}

/* ---- the responder ------------------------------------------------------------------------- */

static void test_receiving(struct tsrq *srq)
{
	const char *what = srq ? "receive of a shared queue" : "receive";
	struct odp_key key = odp_create(&b, 0, 0);
	struct tsge room = { key.va + 100, LEN, key.key };
	struct wr wr = { .opcode = PRM_WQE_SEND, .n = 1, .sge = { { a.va, LEN, a.lkey } } };
	unsigned int i, n = 0;
	struct qp_opts o = odp_rc;
	struct odp_event event;

	odp_pair(&odp_rc);
	if (srq) {
		destroy_pair(&x, &y);
		o.srq = srq;
		if (create_qp(&x, &a, PRM_QP_ST_RC, &ca, &odp_rc) ||
		    create_qp(&y, &b, PRM_QP_ST_RC, &cb, &o) || qp_init(&x, &odp_rc) ||
		    qp_init(&y, &o) || qp_rtr(&x, &y, &odp_rc) || qp_rtr(&y, &x, &o) ||
		    qp_rts(&x, &odp_rc) || qp_rts(&y, &o))
			ok(false, "a pair with a shared queue");
		post_srq(srq, 1, &room);
	} else {
		post_recv(&y, 1, &room);
	}
	buf_fill(&a, 0, LEN, 5);
	post_send(&x, &wr);
	ok(odp_event(&b, &event) && event.subtype == PRM_FAULT_WQE &&
	   event.type == (srq ? PRM_FAULT_WQE_RMP : PRM_FAULT_WQE_RECEIVE) &&
	   event.wq == (srq ? srq->num : y.qpn) && !event.committed && event.len == MTU,
	   "%s: the first page is not there", what);
	pass_time(30);
	ok(odp_no_event(&b) && odp_result(&ca) == 0xff && odp_result(&cb) == 0xff,
	   "%s: the sender tries again and again, and there is no second event", what);
	for (i = 0; i < 3; i++) {
		odp_set(&key, i, 1, PRESENT);
		odp_resume(&b, &event, false);
		odp_wait_rnr();
		n += odp_event(&b, &event);
	}
	ok(n == 2 && !odp_result(&ca) && !odp_result(&cb) && buf_is(&b, key.off + 100, LEN, 5),
	   "%s: with all pages it ends well", what);
	odp_set(&key, 0, 8, 0);
	if (srq)
		post_srq(srq, 1, &room);
	else
		post_recv(&y, 1, &room);
	post_send(&x, &wr);
	odp_event(&b, &event);
	odp_resume(&b, &event, true);
	odp_wait_rnr();
	ok(odp_result(&ca) == PRM_CQE_SYND_REMOTE_OP && odp_result(&cb) == PRM_CQE_SYND_LOCAL_PROT,
	   "%s: with an error it ends by a protection error, and the SEND by a remote one", what);
	destroy_pair(&x, &y);
	destroy_mkey(&b, key.key);
}

static void test_write_target(bool imm)
{
	const char *what = imm ? "WRITE with immediate" : "WRITE";
	struct odp_key key = odp_create(&b, 0, MTT_READ);
	struct tsge room = { b.va, 64, b.lkey };
	struct wr wr = { .opcode = imm ? PRM_WQE_RDMA_WRITE_IMM : PRM_WQE_RDMA_WRITE, .n = 1,
			 .raddr = key.va + 100, .rkey = key.key, .sge = { { a.va, LEN, a.lkey } } };
	struct odp_event event;

	odp_pair(&odp_rc);
	buf_fill(&a, 0, LEN, 6);
	if (imm)
		post_recv(&y, 1, &room);
	post_send(&x, &wr);
	ok(odp_event(&b, &event) && event.subtype == PRM_FAULT_RDMA &&
	   event.type == (PRM_FAULT_IS_RDMA | PRM_FAULT_WRITE) && event.rkey == key.key &&
	   event.va == wr.raddr && event.op_len == LEN && !event.committed && event.len == MTU,
	   "%s: the first page is not there", what);
	odp_set(&key, 0, 2, PRESENT);
	odp_resume(&b, &event, false);
	odp_wait_rnr();
	ok(odp_event(&b, &event) && event.va == wr.raddr && event.committed == 7 * MTU,
	   "%s: the third page is not there, 7 packets are done", what);
	odp_set(&key, 2, 1, MTT_WRITE);
	odp_resume(&b, &event, false);
	odp_wait_rnr();
	ok(!odp_result(&ca) && odp_result(&cb) == (imm ? 0 : 0xff) &&
	   buf_is(&b, key.off + 100, LEN, 6), "%s: with all pages it ends well", what);
	odp_set(&key, 0, 8, 0);
	post_send(&x, &wr);
	odp_event(&b, &event);
	odp_resume(&b, &event, true);
	odp_wait_rnr();
	ok(odp_result(&ca) == PRM_CQE_SYND_REMOTE_ACCESS && qp_state(&y) == PRM_QP_ERR,
	   "%s: with an error it ends by a remote access error", what);
	destroy_pair(&x, &y);
	destroy_mkey(&b, key.key);
}

/* The last packet of a WRITE with immediate has taken a receive. */
static void test_write_imm_fails(void)
{
	struct odp_key key = odp_create(&b, 0, 0);
	struct tsge room = { b.va, 64, b.lkey };
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE_IMM, .n = 1, .raddr = key.va,
			 .rkey = key.key, .sge = { { a.va, 100, a.lkey } } };
	struct odp_event event;

	odp_pair(&odp_rc);
	post_recv(&y, 1, &room);
	post_send(&x, &wr);
	odp_event(&b, &event);
	odp_resume(&b, &event, true);
	odp_wait_rnr();
	ok(odp_result(&ca) == PRM_CQE_SYND_REMOTE_ACCESS &&
	   odp_result(&cb) == PRM_CQE_SYND_LOCAL_ACCESS,
	   "WRITE with immediate: its receive ends by an access error, too");
	destroy_pair(&x, &y);
	destroy_mkey(&b, key.key);
}

static void test_read_source(void)
{
	struct odp_key key = odp_create(&b, 0, 0);
	struct wr wr = { .opcode = PRM_WQE_RDMA_READ, .n = 1, .raddr = key.va + 100,
			 .rkey = key.key, .sge = { { a.va, LEN, a.lkey } } };
	struct wr after = { .opcode = PRM_WQE_RDMA_WRITE, .n = 1, .raddr = b.va, .rkey = b.rkey,
			    .sge = { { a.va + LEN, 64, a.lkey } } };
	struct odp_event event;

	odp_pair(&odp_rc);
	buf_fill(&b, key.off + 100, LEN, 7);
	post_send(&x, &wr);
	post_send(&x, &after);
	ok(odp_event(&b, &event) && event.subtype == PRM_FAULT_RDMA &&
	   event.type == PRM_FAULT_IS_RDMA && event.rkey == key.key && event.va == wr.raddr &&
	   event.op_len == LEN && !event.committed,
	   "READ: the first page of the source is not there");
	odp_set(&key, 0, 1, MTT_READ);
	pass_time(5);
	ok(odp_no_event(&b) && odp_result(&ca) == 0xff,
	   "READ: the source waits until it is resumed");
	odp_resume(&b, &event, false);
	odp_wait_rnr();
	ok(odp_event(&b, &event) && event.rkey == key.key && !(event.committed % MTU) &&
	   event.va + event.committed == wr.raddr + 3 * MTU,
	   "READ: so is the second, after three packets");
	odp_set(&key, 1, 2, MTT_READ);
	odp_resume(&b, &event, false);
	odp_wait_rnr();
	ok(!odp_result(&ca) && !odp_result(&ca) && buf_is(&a, 0, LEN, 7),
	   "READ: with all pages it ends well, and so does what follows");
	odp_set(&key, 0, 8, 0);
	post_send(&x, &wr);
	odp_event(&b, &event);
	odp_resume(&b, &event, true);
	odp_wait_rnr();
	ok(odp_result(&ca) == PRM_CQE_SYND_REMOTE_ACCESS && qp_state(&y) == PRM_QP_ERR,
	   "READ: with an error it ends by a remote access error");
	destroy_pair(&x, &y);
	destroy_mkey(&b, key.key);
}

static void test_atomic_target(void)
{
	struct odp_key key = odp_create(&b, 0, MTT_READ);
	struct wr wr = { .opcode = PRM_WQE_ATOMIC_FA, .n = 1, .raddr = key.va + 16,
			 .rkey = key.key, .swap_add = 5, .sge = { { a.va, 8, a.lkey } } };
	uint8_t *at = buf_at(&b, key.off + 16);
	struct odp_event event;

	odp_pair(&odp_rc);
	memset(at, 0, 8);
	at[0] = 9;
	post_send(&x, &wr);
	ok(odp_event(&b, &event) && event.subtype == PRM_FAULT_RDMA &&
	   event.type == (PRM_FAULT_IS_RDMA | PRM_FAULT_WRITE) && event.va == wr.raddr &&
	   event.op_len == 8 && at[0] == 9, "FETCH_ADD: a page that may only be read is none");
	odp_set(&key, 0, 1, PRESENT);
	odp_resume(&b, &event, false);
	odp_wait_rnr();
	ok(!odp_result(&ca) && at[0] == 14 && *buf_at(&a, 7) == 9,
	   "FETCH_ADD: with the page it is added once");
	destroy_pair(&x, &y);
	destroy_mkey(&b, key.key);
}

/* ---- retransmission ------------------------------------------------------------------------ */

/* Everything is missing at both ends, and packets are lost as well. */
static void test_losses(uint8_t opcode, const char *what)
{
	struct odp_key from = odp_create(&a, 0, 0), to = odp_create(&b, 0, 0);
	struct tsge room = { to.va, LEN, to.key };
	struct wr wr = { .opcode = opcode, .n = 1, .raddr = to.va,
			 .rkey = opcode == PRM_WQE_SEND ? 0 : to.key,
			 .sge = { { from.va, LEN, from.key } } };
	bool read = opcode == PRM_WQE_RDMA_READ;
	struct qp_opts o = odp_rc;
	struct odp_event event;
	unsigned int i, faults = 0;

	o.retry = 7;
	o.timeout = 8;
	o.min_rnr = 12;
	odp_pair(&o);
	wire_see();
	wire.drop_every = 11;
	wire.dup_every = 7;
	wire.hold_every = 9;
	buf_fill(read ? &b : &a, read ? to.off : from.off, LEN, 11);
	if (opcode == PRM_WQE_SEND)
		post_recv(&y, 1, &room);
	post_send(&x, &wr);
	for (i = 0; i < 200; i++) {
		if (odp_event(&a, &event)) {
			odp_set(&from, faults++ % 3, 1, PRESENT);
			odp_resume(&a, &event, false);
		}
		if (odp_event(&b, &event)) {
			odp_set(&to, faults++ % 3, 1, PRESENT);
			odp_resume(&b, &event, false);
		}
		pass_time(5);
	}
	ok(faults > 4 && !odp_result(&ca) &&
	   buf_is(read ? &a : &b, read ? from.off : to.off, LEN, 11),
	   "%s: with losses and faults at both ends it arrives", what);
	ok(odp_result(&cb) == (opcode == PRM_WQE_SEND ? 0 : 0xff) && odp_result(&cb) == 0xff,
	   "%s: there is no completion too many", what);
	wire_watch();
	destroy_pair(&x, &y);
	destroy_mkey(&a, from.key);
	destroy_mkey(&b, to.key);
}

/* ---- keys of keys -------------------------------------------------------------------------- */

/* Of which nothing is there at first. */
static void test_implicit(void)
{
	struct odp_key child = odp_create(&b, 0, PRESENT);
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE, .n = 1, .raddr = 6 * PAGE + 40,
			 .sge = { { a.va, 3000, a.lkey } } };
	struct odp_event event;
	struct odp_list list;

	odp_list_create(&list, &b, PAGE, MKEY_NULL);
	wr.rkey = list.key;
	odp_pair(&odp_rc);
	buf_fill(&a, 0, 3000, 12);
	post_send(&x, &wr);
	ok(odp_event(&b, &event) && event.rkey == list.key && event.va == wr.raddr,
	   "a WRITE to it raises a page fault with its own key");
	ok(!odp_list_put(&list, 5, child.key, child.va), "an entry gets a key of pages");
	odp_resume(&b, &event, false);
	odp_wait_rnr();
	ok(!odp_result(&ca) && odp_no_event(&b) && buf_is(&b, child.off + 40, 3000, 12),
	   "then the WRITE ends well");
	wr.raddr = (ODP_ENTRIES + 1) * PAGE - 100;
	post_send(&x, &wr);
	ok(odp_result(&ca) == PRM_CQE_SYND_REMOTE_ACCESS && odp_no_event(&b),
	   "behind its list there is nothing, although it is said to have no end");
	destroy_pair(&x, &y);
	odp_pair(&odp_rc);
	wr.raddr = PAGE - 100;
	post_send(&x, &wr);
	ok(odp_result(&ca) == PRM_CQE_SYND_REMOTE_ACCESS && odp_no_event(&b),
	   "and nothing before it");
	ok(odp_list_put(&list, 6, PRM_KLM_REPEAT, 0) == PRM_CQE_SYND_MW_BIND,
	   "a repeat block is no entry of it");
	destroy_pair(&x, &y);
	ok(!destroy_mkey(&b, list.key), "the key of keys is destroyed");
	destroy_mkey(&b, child.key);
}

/* ---- long lists ---------------------------------------------------------------------------- */

#define LIST_MAX	(1u << 22)	/* octwords */
#define STEP		1024u		/* octwords of a WQE: 16 KiB of the buffer */
#define WQES		16u

/* Its end again and again, each time after all the rest: a WQE is the work of a slice. */
static unsigned int most_at_once(struct tqp *umr, const struct umr_wr *all)
{
	unsigned int i, most = 0, sum = 0, n;
	bool more = true;

	for (i = 0; i < WQES; i++) {
		struct wr wr = { .opcode = PRM_WQE_UMR, .imm = all->key };
		uint8_t raw[1024] __attribute__((aligned(8))) = {};

		post_wqe(umr, &wr, raw, build_umr(all, raw));
	}
	ring(umr);
	while (more) {
		more = loop_run_pending();
		for (n = 0; poll(&cb); n++)
			;
		most = n > most ? n : most;
		sum += n;
	}
	return sum == WQES ? most : 0;
}

/* As a driver fills that of a key of explicit memory, but with gaps. */
static void test_long_list(void)
{
	uint32_t key = create_free_mkey(&b, b.pd, MKEY_MTT, 2 * LIST_MAX, false);
	struct umr_wr u = { .key = key, .flags = PRM_UMR_TRANSLATION_OFFSET_EN, .octwords = STEP,
			    .sge = { b.va + PAGE - VA_SKEW, STEP * 16, b.lkey } };
	struct umr_wr all = { .key = key, .flags = PRM_UMR_INLINE, .new_key = key,
			      .mask = REG_MASK & ~(uint64_t)PRM_UMR_MASK_EN_RINVAL,
			      .length64 = true };
	double t = cpu_seconds();
	struct tqp umr;
	bool right = true;
	unsigned int n;

	drain(&ca, &cb);
	create_umr_qp(&umr, &b, &cb);
	for (n = 0; n < PAGE + STEP * 16; n++)
		*buf_at(&b, n) = 0;
	for (; u.offset < LIST_MAX && right; u.offset += 8 * STEP) {
		post_umr(&umr, &u);
		right = good(&cb);
	}
	t = cpu_seconds() - t;
	printf("# a list of %u octwords: %.3f s\n", u.offset, t);
	ok(right && t < 1, "a list that grows is not copied at each step");
	t = cpu_seconds();
	n = most_at_once(&umr, &all);
	t = (cpu_seconds() - t) / WQES;
	printf("# each of %u WQEs that look at all of it: %.3f s\n", WQES, t);
	ok(n == 1 && t < 0.3, "a WQE that looks at all of it has a slice of its own");
	u.offset = LIST_MAX - STEP + 4;
	post_umr(&umr, &u);
	ok(syndrome_of(&cb) == PRM_CQE_SYND_MW_BIND,
	   "it has an end, however long the key says that it may be");
	qp_command(&umr, PRM_OP_destroy_qp);
	destroy_mkey(&b, key);
}

/* ---- what does not fault ------------------------------------------------------------------- */

#define SCHEME "odp_cap.transport_page_fault_scheme_cap."

static void test_disabled(void)
{
	struct odp_key from = odp_create(&a, 0, 0), to = odp_create(&b, 0, 0);
	struct wr wr = from_key(&from, PRM_WQE_RDMA_WRITE);

	odp_set_cap(&a, SCHEME "rc_odp_caps.write", 0);
	odp_set_cap(&b, SCHEME "rc_odp_caps.write", 0);
	odp_pair(&odp_rc);
	post_send(&x, &wr);
	ok(odp_result(&ca) == PRM_CQE_SYND_LOCAL_PROT && odp_no_event(&a),
	   "without the capability a WRITE from pages that are not there fails");
	destroy_pair(&x, &y);
	odp_pair(&odp_rc);
	wr.sge[0] = (struct tsge){ a.va, LEN, a.lkey };
	wr.raddr = to.va;
	wr.rkey = to.key;
	post_send(&x, &wr);
	ok(odp_result(&ca) == PRM_CQE_SYND_REMOTE_ACCESS && odp_no_event(&b),
	   "without the capability a WRITE to pages that are not there fails");
	destroy_pair(&x, &y);
	odp_set_cap(&a, SCHEME "rc_odp_caps.write", 1);
	odp_set_cap(&b, SCHEME "rc_odp_caps.write", 1);
	destroy_mkey(&a, from.key);
	destroy_mkey(&b, to.key);
}

static void test_scheme(void)
{
	ok(!odp_choose(&a, false), "the page of on-demand paging can be set as it is");
	odp_violations();
	ok(odp_choose(&a, true) == PRM_STATUS_BAD_PARAM && odp_violations() == 1,
	   "the memory scheme cannot be chosen: the card does not announce it");
}

static void test_uc(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4 };
	struct tsge sge = { b.va, 64, b.lkey };
	struct odp_key from = odp_create(&a, 0, 0), to = odp_create(&b, 0, 0);
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE, .n = 1, .raddr = to.va, .rkey = to.key,
			 .sge = { { a.va, 64, a.lkey } } };

	drain(&ca, &cb);
	create_pair(&x, &y, PRM_QP_ST_UC, &ca, &cb, &o);
	post_send(&x, &wr);
	ok(!odp_result(&ca) && odp_no_event(&b), "UC: a WRITE to pages that are not there is lost");
	post_recv(&y, 1, &sge);
	wr.opcode = PRM_WQE_RDMA_WRITE_IMM;
	post_send(&x, &wr);
	wr = (struct wr){ .opcode = PRM_WQE_RDMA_WRITE, .n = 1, .raddr = b.va + 100,
			  .rkey = b.rkey, .sge = { { a.va, 64, a.lkey } } };
	post_send(&x, &wr);
	ok(!odp_result(&ca) && !odp_result(&ca) && odp_result(&cb) == 0xff,
	   "UC: so is one with immediate, and its receive is not completed by the next WRITE");
	wr.sge[0] = (struct tsge){ from.va, 64, from.key };
	post_send(&x, &wr);
	ok(odp_result(&ca) == PRM_CQE_SYND_LOCAL_PROT && odp_no_event(&a),
	   "UC: a WRITE from pages that are not there fails");
	destroy_pair(&x, &y);
	destroy_mkey(&a, from.key);
	destroy_mkey(&b, to.key);
}

static void test_null_key(void)
{
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE, .n = 1, .raddr = b.va, .rkey = b.rkey,
			 .sge = { { 0, 64, MKEY_NULL } } };

	odp_pair(&odp_rc);
	post_send(&x, &wr);
	ok(odp_result(&ca) == PRM_CQE_SYND_LOCAL_PROT && odp_no_event(&a),
	   "the null key is one in lists of keys only");
	destroy_pair(&x, &y);
}

int main(void)
{
	struct tsrq srq;

	odp_open(false);
	create_cq(&ca, &a, 7);
	create_cq(&cb, &b, 7);
	create_rmp(&srq, &b, 4);
	test_sending(PRM_WQE_SEND, "SEND");
	test_sending(PRM_WQE_RDMA_WRITE, "WRITE");
	test_sending_fails();
	test_read_destination();
	test_atomic_destination();
	test_receiving(NULL);
	test_receiving(&srq);
	test_write_target(false);
	test_write_target(true);
	test_write_imm_fails();
	test_read_source();
	test_atomic_target();
	test_losses(PRM_WQE_SEND, "SEND");
	test_losses(PRM_WQE_RDMA_WRITE, "WRITE");
	test_losses(PRM_WQE_RDMA_READ, "READ");
	test_implicit();
	test_long_list();
	test_disabled();
	test_scheme();
	test_uc();
	test_null_key();
	odp_close();
	return ok_end();
}
