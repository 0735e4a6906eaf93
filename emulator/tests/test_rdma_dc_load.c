// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * DC transport under initiators that do not end what they begin, guess keys, or were started again:
 * packets made by hand, from address and MAC of a.
 */
#include "prm/caps.h"
#include "rdma_dc.h"

static struct tcq ca, cb;
static struct tdct dct, other;

#define MTU 256

static const struct qp_opts plain = { .addr = ADDR_V2_IPV4, .mtu = PRM_QP_MTU_256,
				      .timeout = 14 };

static struct dct *target(const struct tdct *t)
{
	return obj_find(b.dev, OBJ_DCT, t->num);
}

static struct packet packet_of(uint32_t initiator, uint8_t op)
{
	static uint8_t payload[MTU];
	const struct roce_addr *from = &a.dev->roce_addrs[ADDR_V2_IPV4];
	struct packet pkt = { .n = 1, .type = PRM_CQE_ROCE_IPV4, .ext = payload, .ext_len = MTU };

	memcpy(pkt.sgid, from->gid, 16);
	memcpy(pkt.smac, from->mac, 6);
	memcpy(pkt.dgid, b.dev->roce_addrs[ADDR_V2_IPV4].gid, 16);
	pkt.bth = (struct bth){ .opcode = BTH_DC | op, .ack_req = true };
	pkt.dc = (struct dc_eth){ .key = DC_KEY, .initiator = initiator, .session = 100,
				  .epoch = 5 };
	return pkt;
}

/* Invented initiators, each of which begins a message that does not end. */
static void begin_many(const struct tdct *to, uint32_t first, unsigned int n, uint8_t op)
{
	struct packet pkt;

	for (; n; n--) {
		pkt = packet_of(first++, op);
		dct_request(target(to), &pkt);
		settle();
	}
}

static void open_targets(const char *who)
{
	struct dct_opts d = { .addr = ADDR_V2_IPV4, .mtu = PRM_QP_MTU_256, .log_srq = 8 };
	unsigned int i;

	ok(!create_dct(&dct, &b, &cb, &d) && !create_dct(&other, &b, &cb, &d), "targets for %s",
	   who);
	for (i = 0; i < 256; i++)
		dct_recv(&dct, 0, 2000);
	for (i = 0; i < 100; i++)
		dct_recv(&other, 0, 2000);
	pass_time(1);	/* from now on the clock stands still but for the test */
}

static void close_targets(void)
{
	close_dct(&dct);
	close_dct(&other);
	drain(&ca, &cb);
}

static unsigned int sends(struct tqp *x, const struct tdct *to)
{
	struct wr wr = dc_send(to, 700);

	post_send(x, &wr);
	return dc_result(&ca);
}

/* ---- responders ---------------------------------------------------------------------------- */

static void test_half_messages(void)
{
	const struct dc_state *dc = &b.dev->rdma_state->dc;
	struct tqp x, y;

	open_targets(__func__);
	create_dci(&x, &a, &ca, &plain);
	create_dci(&y, &a, &ca, &plain);
	begin_many(&dct, 0x100000, 300, BTH_SEND_FIRST);
	ok(target(&dct)->n_responders == DC_SHARED && dc->n_responders == DC_SHARED,
	   "a target whose initiators begin only has no more than its share");
	ok(!sends(&x, &other), "another target works");
	ok(sends(&y, &dct) == 0xff, "the target has no room");
	pass_time(60);
	drain(&ca, &cb);
	pass_time(140);
	ok(!dc_result(&ca) && dc_result(&cb) == PRM_CQE_SYND_REMOTE_ABORTED && !dc_result(&cb),
	   "it gives up a message that does not go on, for one that does");
	begin_many(&other, 0x200000, 100, BTH_SEND_FIRST);
	ok(dc->n_responders == DC_RESPONDERS && !sends(&y, &dct),
	   "with all of them in use, those who are known work on");
	destroy_dci(&x);
	destroy_dci(&y);
	close_targets();
	ok(!dc->n_responders, "no responder is left");
}

static void test_failed(void)
{
	struct tqp x;

	open_targets(__func__);
	create_dci(&x, &a, &ca, &plain);
	begin_many(&dct, 0x100000, 300, BTH_SEND_MIDDLE);
	ok(!sends(&x, &dct), "a responder that has failed makes room at once");
	destroy_dci(&x);
	close_targets();
}

/* In the midst of it the responder is given up: the message is sent again as a whole. */
static void test_aborted(void)
{
	struct wr wr = dc_send(&dct, 700);
	struct tqp x;

	open_targets(__func__);
	create_dci(&x, &a, &ca, &plain);
	wr.dqpn = dct.num;
	buf_fill(&a, 0, 700, 3);
	ok(!sends(&x, &dct) && !dc_result(&cb), "a message before it");
	wire_watch();
	wire.only_opcode = BTH_DC | BTH_SEND_LAST;
	wire.drop_every = 1;
	post_send(&x, &wr);
	pass_time(1);
	begin_many(&dct, 0x100000, DC_SHARED - 1, BTH_SEND_FIRST);
	work_cancel(&((struct qp *)obj_find(a.dev, OBJ_QP, x.qpn))->req.work);
	timer_cancel(&((struct qp *)obj_find(a.dev, OBJ_QP, x.qpn))->req.timeout);
	pass_time(150);
	wire_watch();
	begin_many(&dct, 0x180000, 1, BTH_SEND_FIRST);
	ok(dc_result(&cb) == PRM_CQE_SYND_REMOTE_ABORTED, "a message is aborted");
	timer_arm(&((struct qp *)obj_find(a.dev, OBJ_QP, x.qpn))->req.timeout, 1000000);
	pass_time(200);
	drain(&cb, &cb);
	ok(!dc_result(&ca) && buf_is(&b, 0, 700, 3), "it is sent again as a whole");
	destroy_dci(&x);
	close_targets();
}

/* ---- NAKs ---------------------------------------------------------------------------------- */

static void test_nak_rate(void)
{
	struct packet pkt = packet_of(0x100000, BTH_SEND_ONLY);
	struct tqp x;
	unsigned int i;

	open_targets(__func__);
	create_dci(&x, &a, &ca, &plain);
	pass_time(1);
	pkt.dc.key++;
	wire_see();
	for (i = 0; i < 1000; i++)
		dct_request(target(&dct), &pkt);
	settle();
	ok(wire.frames == 16 && target(&dct)->violations == 1000,
	   "so many are refused in a time, though all are counted (%u)", (unsigned int)wire.frames);
	wire_watch();
	pass_time(1);
	ok(!sends(&x, &dct), "the target works");
	destroy_dci(&x);
	close_targets();
}

/* ---- CNPs ---------------------------------------------------------------------------------- */

static void test_cnp(void)
{
	struct packet pkt = packet_of(0, 0);
	struct tqp x, y;
	uint64_t before;

	open_targets(__func__);
	create_dci(&x, &a, &ca, &plain);
	create_dci(&y, &a, &ca, &plain);
	ok(!sends(&x, &dct) && !sends(&y, &dct), "two responders");
	before = b.dev->rdma->rx_cnp + b.dev->rdma->rx_cnp_ignored;
	ok(dct_cnp(target(&dct), &pkt) &&
	   b.dev->rdma->rx_cnp + b.dev->rdma->rx_cnp_ignored == before + 1,
	   "a CNP for both counts once");
	destroy_dci(&x);
	destroy_dci(&y);
	close_targets();
}

/* ---- sessions ------------------------------------------------------------------------------ */

static void test_epoch(void)
{
	struct dc_state *dc = &a.dev->rdma_state->dc;
	struct tqp x;
	struct qp *qp;

	open_targets(__func__);
	create_dci(&x, &a, &ca, &plain);
	ok(!sends(&x, &dct), "a session");
	qp = obj_find(a.dev, OBJ_QP, x.qpn);
	qp->dci.connected = false;
	dc->last_session -= 1000;
	ok(sends(&x, &dct) == 0xff, "an older one of the same epoch is none");
	qp->dci.connected = false;
	dc->last_session -= 1000;
	dc->epoch++;
	pass_time(200);
	ok(!dc_result(&ca), "in another epoch it is a new one");
	destroy_dci(&x);
	close_targets();
}

static void test_long_session(void)
{
	struct qp *qp;
	struct tqp x;
	uint32_t session;

	open_targets(__func__);
	create_dci(&x, &a, &ca, &plain);
	ok(!sends(&x, &dct), "a short session");
	qp = obj_find(a.dev, OBJ_QP, x.qpn);
	session = qp->session;
	ok(!sends(&x, &dct) && qp->session == session, "it goes on");
	qp->dci.first_psn = psn_add(qp->req.next_psn, -(1u << 22));
	ok(!sends(&x, &dct) && qp->session == session + 1,
	   "before it has too many packets another begins");
	destroy_dci(&x);
	close_targets();
}

/* A late NAK of the first packet is none of the session as a whole. */
static void test_late_nak(void)
{
	struct packet nak = { .n = 1 };
	uint8_t aeth[AETH_BYTES];
	struct wr wr;
	struct tqp x;
	struct qp *qp;

	open_targets(__func__);
	create_dci(&x, &a, &ca, &plain);
	ok(!sends(&x, &dct), "a message before a late NAK");
	qp = obj_find(a.dev, OBJ_QP, x.qpn);
	wire_watch();
	wire.drop_every = 1;
	wr = dc_send(&dct, 700);
	post_send(&x, &wr);
	settle();
	put32(aeth, (uint32_t)AETH_NAK_SEQUENCE << 24);
	nak.bth = (struct bth){ .opcode = BTH_DC | BTH_ACK, .psn = qp->dci.first_psn };
	nak.dc.session = qp->session;
	nak.ext = aeth;
	nak.ext_len = sizeof(aeth);
	dci_answer(qp, &nak);
	ok(qp->dci.connected, "a late NAK of the first packet changes nothing");
	wire_watch();
	pass_time(200);
	ok(!dc_result(&ca), "the message is done");
	destroy_dci(&x);
	close_targets();
}

/* ---- capabilities that a fault has lowered ---- */

static void set_cap(struct side *side, uint32_t reads, uint32_t bytes)
{
	struct prm_cmd_hca_cap *cap = (void *)side->dev->hca->cap_cur[CAP_GENERAL];

	prm_set(cap, log_max_ra_res_dc, reads);
	prm_set(cap, max_wqe_sz_sq_dc, bytes);
}

static void test_caps(void)
{
	struct qp_opts o = plain;
	struct tqp x;
	struct wr wr;
	unsigned int i, good = 0, result = 0;

	o.sra = 4;
	open_targets(__func__);
	set_cap(&b, 1, WQE_MAX);
	create_dci(&x, &a, &ca, &o);
	wr = dc_rdma(&dct, PRM_WQE_RDMA_READ, 0, 100);
	for (i = 0; i < 8; i++)
		post_send_quietly(&x, &wr);
	ring(&x);
	for (; (result = dc_result(&ca)) == 0; good++)
		;
	ok(good <= 2 && result == PRM_CQE_SYND_REMOTE_INVAL_REQ,
	   "a target takes as many READs at once as log_max_ra_res_dc says (%u)", good);
	destroy_dci(&x);
	drain(&ca, &cb);
	set_cap(&b, LOG_RA_MAX, WQE_MAX);
	set_cap(&a, LOG_RA_MAX, 64);
	create_dci(&x, &a, &ca, &o);
	ok(sends(&x, &dct) == PRM_CQE_SYND_LOCAL_QP_OP,
	   "a WQE that is longer than max_wqe_sz_sq_dc is an error");
	set_cap(&a, LOG_RA_MAX, WQE_MAX);
	destroy_dci(&x);
	close_targets();
}

int main(void)
{
	dc_open();
	create_cq(&ca, &a, 10);
	create_cq(&cb, &b, 10);
	test_half_messages();
	test_failed();
	test_aborted();
	test_nak_rate();
	test_cnp();
	test_epoch();
	test_long_session();
	test_late_nak();
	test_caps();
	sides_close();
	return ok_end();
}
