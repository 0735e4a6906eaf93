// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * DC transport: initiators that are connected to the target of the WQE at hand, targets that serve
 * many of them, keys, drained targets.
 */
#include "rdma_dc.h"
#include "prm/counter.h"

static struct tcq ca, cb;
static struct tdct dct, dct2;

#define DST_OFF (1u << 20)

static uint32_t alloc_counter(struct side *side, const char *who)
{
	struct prm_alloc_q_counter_in in = {};
	struct prm_alloc_q_counter_out out;

	ok(!command(side, alloc_q_counter, &in, &out), "a set of counters for %s", who);
	return prm_get(&out, counter_set_id);
}

static uint32_t connects(uint32_t counter)
{
	struct prm_query_q_counter_in in = {};
	struct prm_query_q_counter_out out;

	prm_set(&in, counter_set_id, counter);
	if (command(&b, query_q_counter, &in, &out))
		return UINT32_MAX;
	return prm_get(&out, rx_dct_connect);
}

static unsigned int recvs(void)
{
	unsigned int n = 0;

	while (poll(&cb))
		n++;
	return n;
}

/* ---- what works ---------------------------------------------------------------------------- */

static bool recv_is(enum prm_cqe_opcode opcode, uint32_t qpn, uint32_t len)
{
	struct prm_cqe64 *cqe = poll(&cb);

	return cqe && cqe_opcode(cqe) == opcode &&
	       (be32_to_cpu(cqe->sop_drop_qpn) & 0xffffff) == dct.num &&
	       (be32_to_cpu(cqe->srqn) & 0xffffff) == DC_USER_INDEX &&
	       (be32_to_cpu(cqe->flags_rqpn) & 0xffffff) == qpn &&
	       be32_to_cpu(cqe->byte_cnt) == len;
}

static const char *const addr_names[ADDRS] = {
	"v1", "v2 over IPv6", "v2 over IPv4", "v2 in a VLAN"
};

static void sends(struct tqp *x, const char *by)
{
	struct wr wr = dc_send(&dct, 5000);
	uint32_t key = create_mkey(&b, b.pd, MEM_REMOTE_READ, b.va, 4096, 0);

	buf_fill(&a, 0, 5000, 1);
	dct_recv(&dct, 0, 9000);
	post_send(x, &wr);
	ok(!dc_result(&ca) && recv_is(PRM_CQE_RESP_SEND, x->qpn, 5000) && buf_is(&b, 0, 5000, 1),
	   "%s: SEND works; its receive has the number of the DCT", by);
	dct_recv(&dct, 0, 9000);
	wr = dc_send(&dct, 40);
	wr.opcode = PRM_WQE_SEND_IMM;
	post_send(x, &wr);
	ok(!dc_result(&ca) && recv_is(PRM_CQE_RESP_SEND_IMM, x->qpn, 40),
	   "%s: SEND with immediate works", by);
	dct_recv(&dct, 0, 9000);
	wr = dc_send(&dct, 30);
	wr.opcode = PRM_WQE_SEND_INVAL;
	wr.imm = key;
	post_send(x, &wr);
	ok(!dc_result(&ca) && recv_is(PRM_CQE_RESP_SEND_INV, x->qpn, 30),
	   "%s: SEND with invalidate works", by);
	ok(!destroy_mkey(&b, key), "%s: the key is destroyed", by);
}

static void rdma(struct tqp *x, const char *by)
{
	struct wr wr = dc_rdma(&dct, PRM_WQE_RDMA_WRITE, DST_OFF, 3000);
	uint8_t *at;

	buf_fill(&a, 0, 3000, 2);
	post_send(x, &wr);
	ok(!dc_result(&ca) && buf_is(&b, wr.raddr - b.va, 3000, 2), "%s: WRITE works", by);
	dct_recv(&dct, 0, 100);
	wr.opcode = PRM_WQE_RDMA_WRITE_IMM;
	post_send(x, &wr);
	ok(!dc_result(&ca) && recv_is(PRM_CQE_RESP_WR_IMM, x->qpn, 3000),
	   "%s: WRITE with immediate works", by);
	buf_fill(&a, 0, 3000, 3);
	wr.opcode = PRM_WQE_RDMA_READ;
	post_send(x, &wr);
	ok(!dc_result(&ca) && buf_is(&a, 0, 3000, 2), "%s: READ works", by);
	at = buf_at(&b, wr.raddr - b.va);
	memset(at, 0, 8);
	wr = dc_rdma(&dct, PRM_WQE_ATOMIC_FA, DST_OFF, 8);
	wr.swap_add = 7;
	post_send(x, &wr);
	ok(!dc_result(&ca) && at[0] == 7, "%s: FETCH_ADD works", by);
	wr.opcode = PRM_WQE_ATOMIC_CS;
	wr.compare = 7;
	wr.swap_add = 9;
	post_send(x, &wr);
	ok(!dc_result(&ca) && at[0] == 9, "%s: CMP_SWAP works", by);
}

static void test_operations(void)
{
	struct qp_opts o = { .send_psn = 0xfffffe };
	struct dct_opts d = {};
	struct tqp x;
	unsigned int i;

	for (i = 0; i < ADDRS; i++) {
		o.addr = i;
		d.addr = i;
		ok(!create_dct(&dct, &b, &cb, &d), "%s: a target", addr_names[i]);
		create_dci(&x, &a, &ca, &o);
		wire_see();
		sends(&x, addr_names[i]);
		rdma(&x, addr_names[i]);
		ok(!wire.wrong && wire.by_opcode[BTH_DC | BTH_SEND_FIRST] &&
		   wire.by_opcode[BTH_DC | BTH_ACK] && wire.by_opcode[BTH_DC | BTH_ATOMIC_ACK] &&
		   !wire.by_opcode[BTH_SEND_FIRST] && !wire.by_opcode[BTH_ACK],
		   "%s: the packets are well-formed, and all of DC", addr_names[i]);
		destroy_dci(&x);
		close_dct(&dct);
	}
	wire_watch();
}

/* A READ that is not complete holds up what is for the other target. */
static void test_targets(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4, .mtu = PRM_QP_MTU_256 };
	struct dct_opts d = { .addr = ADDR_V2_IPV4, .mtu = PRM_QP_MTU_256 };
	unsigned int i, good = 0;
	uint32_t before;
	struct tqp x;
	struct wr wr;

	d.counter = alloc_counter(&b, __func__);
	ok(!create_dct(&dct, &b, &cb, &d) && !create_dct(&dct2, &b, &cb, &d),
	   "CREATE_DCT twice for %s", __func__);
	create_dci(&x, &a, &ca, &o);
	buf_fill(&b, DST_OFF, 3000, 8);
	for (i = 0; i < 8; i++) {
		struct tdct *to = i & 1 ? &dct2 : &dct;

		dct_recv(to, 0, 3000);
		wr = dc_rdma(to, PRM_WQE_RDMA_READ, DST_OFF, 3000);
		wr.raddr = b.va + DST_OFF;
		wr.quiet = true;
		post_send_quietly(&x, &wr);
		wr = dc_send(to, 3000);
		post_send_quietly(&x, &wr);
	}
	ring(&x);
	for (i = 0; i < 8; i++)
		good += !dc_result(&ca);
	ok(good == 8 && recvs() == 8 && buf_is(&b, 0, 3000, 8),
	   "an initiator serves two targets in turn, in order");
	before = connects(d.counter);
	ok(before == 8, "rx_dct_connect counts each change of the target (%u)", before);
	for (i = 0; i < 3; i++) {
		dct_recv(&dct2, 0, 3000);
		wr = dc_send(&dct2, 10);
		post_send(&x, &wr);
		settle();
	}
	ok(recvs() == 3 && connects(d.counter) == before,
	   "while the target stays, the connection does");
	destroy_dci(&x);
	close_dct(&dct2);
	close_dct(&dct);
	drain(&ca, &cb);
}

static void test_loss(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV6, .mtu = PRM_QP_MTU_256, .log_sq = 8 };
	struct dct_opts d = { .addr = ADDR_V2_IPV6, .mtu = PRM_QP_MTU_256 };
	unsigned int i, good = 0;
	struct tqp x;
	struct wr wr;

	ok(!create_dct(&dct, &b, &cb, &d) && !create_dct(&dct2, &b, &cb, &d),
	   "CREATE_DCT twice for %s", __func__);
	create_dci(&x, &a, &ca, &o);
	wire_watch();
	wire.drop_every = 9;
	wire.dup_every = 7;
	wire.hold_every = 11;
	wire.corrupt_every = 31;
	buf_fill(&a, 0, 4000, 5);
	memset(buf_at(&b, DST_OFF), 0, 16);
	for (i = 0; i < 12; i++) {
		struct tdct *to = i & 1 ? &dct2 : &dct;

		dct_recv(to, 0, 9000);
		wr = dc_send(to, 4000);
		post_send(&x, &wr);
		wr = dc_rdma(to, PRM_WQE_RDMA_READ, 2 * DST_OFF, 2000);
		wr.sge[0].va = a.va + 100000;
		post_send(&x, &wr);
		wr = dc_rdma(to, PRM_WQE_ATOMIC_FA, DST_OFF, 8);
		wr.sge[0].va = a.va + 200000;
		wr.swap_add = 1;
		post_send(&x, &wr);
	}
	pass_time(2000);
	for (i = 0; i < 36; i++)
		good += !dc_result(&ca);
	wr = dc_rdma(&dct, PRM_WQE_ATOMIC_FA, DST_OFF, 8);
	ok(good == 36 && recvs() == 12 && buf_is(&b, 0, 4000, 5) && !wire.wrong &&
	   *buf_at(&b, wr.raddr - b.va) == 12,
	   "all is done once in spite of loss, duplicates and a changed order (%u)", good);
	wire_watch();
	destroy_dci(&x);
	close_dct(&dct2);
	close_dct(&dct);
	drain(&ca, &cb);
}

static void test_rnr_and_limit(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4, .rnr_set = true, .rnr_retry = 1 };
	struct dct_opts d = { .addr = ADDR_V2_IPV4 };
	struct prm_modify_rmp_in arm = {};
	struct prm_modify_rmp_out out;
	struct tqp x;
	struct wr wr;

	ok(!create_dct(&dct, &b, &cb, &d), "CREATE_DCT for %s", __func__);
	create_dci(&x, &a, &ca, &o);
	wr = dc_send(&dct, 10);
	post_send(&x, &wr);
	settle();
	ok(!poll(&ca), "an empty receive queue makes the initiator wait");
	dct_recv(&dct, 0, 100);
	pass_time(20);
	ok(!dc_result(&ca) && recvs() == 1, "it goes on when a receive is posted");
	dct_recv(&dct, 0, 100);
	dct_recv(&dct, 0, 100);
	prm_set(&arm, rmp_state, PRM_WQ_RDY);
	prm_set(&arm, rmpn, dct.srq.num);
	prm_set(&arm, ctx.state, PRM_WQ_RDY);
	prm_set(&arm, bitmask.lwm, 1);
	prm_set(&arm, ctx.wq.lwm, 2);
	ok(!command(&b, modify_rmp, &arm, &out), "the limit is armed");
	post_send(&x, &wr);
	settle();
	ok(saw_event(&b, PRM_EVENT_SRQ_RQ_LIMIT, dct.srq.num), "the limit raises an event");
	post_send(&x, &wr);
	drain(&ca, &cb);
	post_send(&x, &wr);
	pass_time(100);
	ok(dc_result(&ca) == PRM_CQE_SYND_RNR_RETRY_EXC && qp_state(&x) == PRM_QP_ERR,
	   "without a receive it gives up");
	destroy_dci(&x);
	close_dct(&dct);
}

/* ---- many initiators ----------------------------------------------------------------------- */

#define CROWD (DC_SHARED + 40)	/* more than one target serves */

static struct tqp crowd[CROWD];

static unsigned int crowd_sends(unsigned int from, unsigned int to)
{
	struct wr wr = dc_send(&dct, 20);
	unsigned int i, good = 0;

	for (i = from; i < to; i++) {
		dct_recv(&dct, 0, 100);
		post_send(&crowd[i], &wr);
		good += !dc_result(&ca);
		/* only so many are told to connect again in a time, and here it stands still */
		b.dev->rdma_state->dc.n_naks = 0;
	}
	return good;
}

static void test_crowd(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4, .log_sq = 2 };
	struct dct_opts d = { .addr = ADDR_V2_IPV4 };
	const struct dc_state *dc = &b.dev->rdma_state->dc;
	struct dct *target;
	uint64_t used;
	unsigned int i;

	d.counter = alloc_counter(&b, __func__);
	ok(!create_dct(&dct, &b, &cb, &d), "CREATE_DCT for %s", __func__);
	for (i = 0; i < CROWD; i++)
		create_dci(&crowd[i], &a, &ca, &o);
	ok(crowd_sends(0, DC_SHARED) == DC_SHARED && dc->n_responders == DC_SHARED,
	   "there is a responder for each of %u initiators", DC_SHARED);
	used = b.dev->hca->budget_used;
	ok(crowd_sends(DC_SHARED, CROWD) == CROWD - DC_SHARED &&
	   dc->n_responders == DC_SHARED && b.dev->hca->budget_used == used,
	   "more of them need no more memory");
	recvs();
	ok(crowd_sends(0, 40) == 40 && recvs() == 40 && connects(d.counter) == CROWD,
	   "those given up go on where they stood");
	((struct dc_state *)dc)->n_past = 0;
	ok(crowd_sends(50, 60) == 10 && recvs() == 10 && connects(d.counter) == CROWD + 10,
	   "those forgotten connect again, when they are told");
	target = obj_find(b.dev, OBJ_DCT, dct.num);
	ok(target && !list_empty(&target->responders), "the target has responders");
	drain(&ca, &cb);
}

/* Its acknowledgment is lost, and then its responder is given up. */
static void lose_ack(uint8_t opcode, struct wr *wr)
{
	wire_watch();
	wire.only_opcode = BTH_DC | opcode;
	wire.drop_at = 1;
	post_send(&crowd[100], wr);
	settle();
	wire_watch();
	crowd_sends(101, CROWD);
	crowd_sends(0, 100);
	drain(&ca, &cb);
	pass_time(200);
}

static void test_duplicates(void)
{
	struct wr wr = dc_send(&dct, 20);
	unsigned int i;
	uint8_t *at;

	dct_recv(&dct, 0, 100);
	dct_recv(&dct, 0, 100);
	lose_ack(BTH_ACK, &wr);
	ok(!dc_result(&ca) && !recvs(),
	   "a SEND whose responder was given up is not done twice");
	wr = dc_rdma(&dct, PRM_WQE_ATOMIC_FA, DST_OFF, 8);
	at = buf_at(&b, wr.raddr - b.va);
	memset(at, 0, 8);
	wr.swap_add = 1;
	lose_ack(BTH_ATOMIC_ACK, &wr);
	ok(dc_result(&ca) == PRM_CQE_SYND_TRANSPORT_RETRY_EXC && *at == 1,
	   "an atomic whose result is gone fails, and is not done twice");
	for (i = 0; i < CROWD; i++)
		destroy_dci(&crowd[i]);
	close_dct(&dct);
	ok(!b.dev->rdma_state->dc.n_responders, "no responder outlives its target");
	drain(&ca, &cb);
}

/* ---- sessions ------------------------------------------------------------------------------ */

/* A request of the initiator from the session before. */
static bool send_stale(const struct qp *qp)
{
	struct packet stale = { .n = 1, .type = PRM_CQE_ROCE_IPV4 };

	memcpy(stale.sgid, a.dev->roce_addrs[ADDR_V2_IPV4].gid, 16);
	memcpy(stale.dgid, b.dev->roce_addrs[ADDR_V2_IPV4].gid, 16);
	stale.bth = (struct bth){ .opcode = BTH_DC | BTH_SEND_ONLY, .ack_req = true };
	stale.dc = (struct dc_eth){ .key = DC_KEY, .initiator = qp->obj.num,
				    .session = qp->session - 1,
				    .epoch = a.dev->rdma_state->dc.epoch };
	return dct_request(obj_find(b.dev, OBJ_DCT, dct.num), &stale);
}

/* The initiator is reset in the midst of a message, and sends another. */
static void test_sessions(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4, .mtu = PRM_QP_MTU_256 };
	struct dct_opts d = { .addr = ADDR_V2_IPV4, .mtu = PRM_QP_MTU_256 };
	struct packet late = { .n = 1 };
	uint8_t aeth[AETH_BYTES];
	struct tqp x;
	struct wr wr;
	struct qp *qp;

	ok(!create_dct(&dct, &b, &cb, &d), "CREATE_DCT for %s", __func__);
	create_dci(&x, &a, &ca, &o);
	dct_recv(&dct, 0, 9000);
	dct_recv(&dct, 10000, 9000);
	wire_watch();
	wire.only_opcode = BTH_DC | BTH_SEND_LAST;
	wire.drop_at = 1;
	wr = dc_send(&dct, 1000);
	post_send(&x, &wr);
	settle();
	wire_watch();
	ok(!qp_command(&x, PRM_OP_qp_2rst), "the initiator is reset in the midst of a message");
	x.sq_pi = 0;
	put32((uint8_t *)mem_at(&a, x.dbr) + 4, 0);
	dci_to_rts(&x, &o);
	buf_fill(&a, 0, 1000, 77);
	post_send(&x, &wr);
	ok(!dc_result(&ca) && dc_result(&cb) == PRM_CQE_SYND_REMOTE_ABORTED && !dc_result(&cb) &&
	   buf_is(&b, 10000, 1000, 77), "the message is aborted, the next one arrives");

	qp = obj_find(a.dev, OBJ_QP, x.qpn);
	put32(aeth, (uint32_t)AETH_ACK << 24);
	late.bth = (struct bth){ .opcode = BTH_DC | BTH_ACK,
				 .psn = psn_add(qp->req.next_psn, 3) };
	late.dc.session = qp->session - 1;
	late.ext = aeth;
	late.ext_len = sizeof(aeth);
	post_send(&x, &wr);	/* which waits for a receive */
	settle();
	dci_answer(qp, &late);
	ok(!poll(&ca), "an acknowledgment of an old session is dropped");
	dct_recv(&dct, 0, 9000);
	pass_time(20);
	ok(!dc_result(&ca) && recvs() == 1, "that of its own ends the message");

	wire_see();
	ok(send_stale(qp), "a packet of an old session");
	settle();
	ok(!wire.frames && !recvs(), "a packet of an old session is dropped");
	wire_watch();
	destroy_dci(&x);
	close_dct(&dct);
	drain(&ca, &cb);
}

/* ---- keys ---------------------------------------------------------------------------------- */

static void test_keys(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4 };
	struct dct_opts d = { .addr = ADDR_V2_IPV4 };
	struct prm_dctc ctx;
	struct tqp x;
	struct wr wr;
	int i;

	ok(!create_dct(&dct, &b, &cb, &d), "CREATE_DCT for %s", __func__);
	for (i = 0; i < 3; i++) {
		if (i == 1)
			ok(!dct_command(&dct, PRM_OP_arm_dct_for_key_violation), "it is armed");
		create_dci(&x, &a, &ca, &o);
		wr = dc_send(&dct, 10);
		wr.dc_key++;
		post_send(&x, &wr);
		ok(dc_result(&ca) == PRM_CQE_SYND_REMOTE_ACCESS && qp_state(&x) == PRM_QP_ERR,
		   "a wrong key is a remote access error (%d)", i);
		ok(saw_event(&b, PRM_EVENT_DCT_KEY_VIOLATION, dct.num) == (i == 1),
		   "%s event of it (%d)", i == 1 ? "an armed target raises one" : "there is no", i);
		destroy_dci(&x);
	}
	ctx = query_dct(&dct);
	ok(prm_get(&ctx, dc_access_key_violation_count) == 3 && !prm_get(&ctx, state) &&
	   prm_get64(&ctx, dc_access_key) == DC_KEY && prm_get(&ctx, srqn_xrqn) == dct.srq.num,
	   "QUERY_DCT counts them");
	create_dci(&x, &a, &ca, &o);
	dct_recv(&dct, 0, 100);
	wr = dc_send(&dct, 10);
	post_send(&x, &wr);
	ok(!dc_result(&ca), "the right key works");
	((struct dct *)obj_find(b.dev, OBJ_DCT, dct.num))->key++;
	post_send(&x, &wr);
	ok(dc_result(&ca) == PRM_CQE_SYND_REMOTE_ACCESS,
	   "a key that becomes wrong later is a remote access error, too");
	destroy_dci(&x);
	close_dct(&dct);
	drain(&ca, &cb);
}

/* ---- drained targets ----------------------------------------------------------------------- */

static void test_drain(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4, .mtu = PRM_QP_MTU_256, .retry_set = true,
			     .retry = 2, .timeout = 14 };
	struct dct_opts d = { .addr = ADDR_V2_IPV4, .mtu = PRM_QP_MTU_256 };
	struct prm_dctc ctx;
	struct tqp x;
	struct wr wr;

	ok(!create_dct(&dct, &b, &cb, &d), "CREATE_DCT for %s", __func__);
	create_dci(&x, &a, &ca, &o);
	dct_recv(&dct, 0, 9000);
	ok(dct_command(&dct, PRM_OP_destroy_dct) == PRM_STATUS_BAD_RES_STATE,
	   "a target that is not drained is not destroyed");
	wire_watch();
	wire.only_opcode = BTH_DC | BTH_SEND_LAST;
	wire.drop_at = 1;
	wr = dc_send(&dct, 1000);
	post_send(&x, &wr);
	settle();
	wire_watch();
	ok(!dct_command(&dct, PRM_OP_drain_dct), "it is drained in the midst of a message");
	pass_time(3);
	ctx = query_dct(&dct);
	ok(prm_get(&ctx, state) == PRM_DCT_STATE_DRAINING &&
	   !saw_event(&b, PRM_EVENT_DCT_DRAINED, dct.num) &&
	   dct_command(&dct, PRM_OP_destroy_dct) == PRM_STATUS_BAD_RES_STATE,
	   "it is drained when the message is over");
	pass_time(30);
	ctx = query_dct(&dct);
	ok(saw_event(&b, PRM_EVENT_DCT_DRAINED, dct.num) &&
	   prm_get(&ctx, state) == PRM_DCT_STATE_DRAINED &&
	   dc_result(&cb) == PRM_CQE_SYND_REMOTE_ABORTED,
	   "a message that does not end is aborted");
	ok(!dct_command(&dct, PRM_OP_drain_dct), "it is drained again");
	settle();
	ok(saw_event(&b, PRM_EVENT_DCT_DRAINED, dct.num), "with another event");
	pass_time(600);
	ok(dc_result(&ca) == PRM_CQE_SYND_TRANSPORT_RETRY_EXC, "nobody is served there any more");
	ok(!dct_command(&dct, PRM_OP_destroy_dct) &&
	   dct_command(&dct, PRM_OP_drain_dct) == PRM_STATUS_BAD_RES, "it is destroyed");
	destroy_dci(&x);
	drain(&ca, &cb);
}

int main(void)
{
	dc_open();
	create_cq(&ca, &a, 8);
	create_cq(&cb, &b, 9);
	test_operations();
	test_targets();
	test_loss();
	test_rnr_and_limit();
	test_crowd();
	test_duplicates();
	test_sessions();
	test_keys();
	test_drain();
	sides_close();
	return ok_end();
}
