// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* DC transport: what fails, and the streams of an initiator, of which each fails for itself. */
#include "prm/devx.h"
#include "rdma_dc.h"

static struct tcq ca, cb;
static struct tdct dct, dct2, poor;
static uint32_t read_only;	/* a key of a's buffer that allows no local writes */

#define DST_OFF (1u << 20)

static const struct qp_opts plain = { .addr = ADDR_V2_IPV4, .mtu = PRM_QP_MTU_256 };

static unsigned int recvs(void)
{
	unsigned int n = 0;

	while (poll(&cb))
		n++;
	return n;
}

/* The result of one WR on a fresh initiator, which it stops. */
static unsigned int fails_with(const struct wr *wr)
{
	unsigned int result;
	struct tqp x;

	create_dci(&x, &a, &ca, &plain);
	post_send(&x, wr);
	result = dc_result(&ca);
	if (qp_state(&x) != PRM_QP_ERR)
		result = 0xfe;
	destroy_dci(&x);
	return result;
}

/* ---- errors -------------------------------------------------------------------------------- */

static void test_errors(void)
{
	struct wr wr = dc_rdma(&poor, PRM_WQE_RDMA_WRITE, 0, 10);

	ok(fails_with(&wr) == PRM_CQE_SYND_REMOTE_INVAL_REQ, "a WRITE that the DCT does not allow");
	wr = dc_rdma(&dct, PRM_WQE_RDMA_READ, 0, 10);
	wr.rkey += 0x100000;
	ok(fails_with(&wr) == PRM_CQE_SYND_REMOTE_ACCESS, "a READ with a wrong key");
	wr = dc_rdma(&dct, PRM_WQE_ATOMIC_FA, 0, 8);
	wr.raddr++;
	ok(fails_with(&wr) == PRM_CQE_SYND_REMOTE_INVAL_REQ, "an atomic that is not aligned");
	wr = dc_send(&dct, 300);
	dct_recv(&dct, 0, 100);
	ok(fails_with(&wr) == PRM_CQE_SYND_REMOTE_INVAL_REQ &&
	   dc_result(&cb) == PRM_CQE_SYND_LOCAL_LENGTH, "a receive that is too small");
	ok(!saw_event(&b, PRM_EVENT_WQ_INVAL_REQ_ERROR, dct.num), "a DCT has no events of errors");
	wr = dc_send(&dct, 10);
	wr.sge[0].key += 0x100000;
	ok(fails_with(&wr) == PRM_CQE_SYND_LOCAL_PROT, "a SEND with a wrong local key");
	wr = dc_rdma(&dct, PRM_WQE_RDMA_READ, 0, 10);
	wr.sge[0].key = read_only;
	ok(fails_with(&wr) == PRM_CQE_SYND_LOCAL_PROT, "a READ to memory that is not writable");
}

static void test_nobody(void)
{
	struct qp_opts o = plain;
	struct tdct gone = dct, elsewhere = dct;
	uint64_t dropped;
	struct tqp x;
	struct wr wr;

	o.retry_set = true;
	o.retry = 1;
	gone.num = 0x7777;
	create_dci(&x, &a, &ca, &o);
	wr = dc_send(&gone, 10);
	post_send(&x, &wr);
	pass_time(100);
	ok(dc_result(&ca) == PRM_CQE_SYND_TRANSPORT_RETRY_EXC, "there is no such target");
	destroy_dci(&x);

	elsewhere.addr = ADDR_V1;
	dropped = b.dev->rdma->rx_dropped;
	create_dci(&x, &a, &ca, &o);
	wr = dc_send(&elsewhere, 10);
	post_send(&x, &wr);
	pass_time(100);
	ok(dc_result(&ca) == PRM_CQE_SYND_TRANSPORT_RETRY_EXC &&
	   b.dev->rdma->rx_dropped == dropped + 2, "the target is of another address");
	destroy_dci(&x);
}

/* ---- WQEs ---------------------------------------------------------------------------------- */

static void test_wqes(void)
{
	uint8_t raw[128] = {}, *wqe;
	struct wr wr = { .opcode = PRM_WQE_SEND };
	struct tqp x;

	create_dci(&x, &a, &ca, &plain);
	post_wqe(&x, &wr, raw, 32);
	ring(&x);
	ok(dc_result(&ca) == PRM_CQE_SYND_LOCAL_QP_OP, "a WQE without a whole address vector");
	destroy_dci(&x);

	create_dci(&x, &a, &ca, &plain);
	post_wqe(&x, &wr, raw, 64);
	ring(&x);
	ok(dc_result(&ca) == PRM_CQE_SYND_LOCAL_QP_OP, "an address vector that is not extended");
	destroy_dci(&x);

	create_dci(&x, &a, &ca, &plain);
	wr = dc_send(&dct, 10);
	post_send_quietly(&x, &wr);
	wqe = mem_at(&a, x.sq);
	wqe[16 + offsetof(struct prm_av, rmac)] |= 1;
	ring(&x);
	ok(dc_result(&ca) == PRM_CQE_SYND_LOCAL_QP_OP, "a target with the MAC of a group");
	destroy_dci(&x);

	create_dci(&x, &a, &ca, &plain);
	wire_watch();
	wire.drop_at = 1;
	wr = dc_send(&dct, 10);
	post_send_quietly(&x, &wr);
	post_send(&x, &wr);
	settle();
	wqe = mem_at(&a, x.sq);
	wqe[16]++;
	pass_time(20);
	wire_watch();
	ok(dc_result(&ca) == PRM_CQE_SYND_LOCAL_QP_OP, "a target that is changed while in use");
	destroy_dci(&x);
	drain(&ca, &cb);
}

/* ---- streams ------------------------------------------------------------------------------- */

static const struct qp_opts streams = { .addr = ADDR_V2_IPV4, .mtu = PRM_QP_MTU_256,
					.log_streams = 3, .log_errored = 2, .log_sq = 8 };

static int reset_stream_by(struct tqp *qp, unsigned int stream, uint32_t opt, uint64_t more,
			   uint32_t len)
{
	struct { struct prm_rts2rts_qp_in in; struct prm_qpc_ext ext; } cmd = {};
	struct prm_rts2rts_qp_out out;

	prm_set(&cmd.in, opcode, PRM_OP_rts2rts_qp);
	prm_set(&cmd.in, qpn, qp->qpn);
	prm_set(&cmd.in, qpc_ext, 1);
	prm_set(&cmd.in, opt_param_mask, opt);
	prm_set64(&cmd.in, opt_param_mask_95_32, more);
	prm_set(&cmd.in, qpc.st, qp->st);
	prm_set(&cmd.ext, dci_stream_channel_id, stream);
	return exec(qp->side, PRM_OP_rts2rts_qp, &cmd, len ? len : sizeof(cmd), &out, sizeof(out));
}

static int reset_stream(struct tqp *qp, unsigned int stream)
{
	return reset_stream_by(qp, stream, 0, PRM_QP_OPT_32_DCI_STREAM, 0);
}

static unsigned int stream_result(struct tqp *x, struct wr req, unsigned int stream)
{
	req.stream = stream;
	post_send(x, &req);
	return dc_result(&ca);
}

static void test_streams(void)
{
	struct wr good = dc_rdma(&dct, PRM_WQE_RDMA_WRITE, DST_OFF, 1000);
	struct wr bad = good, remote = good;
	struct tqp x;

	bad.sge[0].key += 0x100000;
	remote.rkey += 0x100000;
	create_dci(&x, &a, &ca, &streams);
	ok(stream_result(&x, bad, 1) == PRM_CQE_SYND_LOCAL_PROT && qp_state(&x) == PRM_QP_RTS,
	   "an error of a stream leaves the QP in RTS");
	ok(stream_result(&x, good, 1) == PRM_CQE_SYND_WR_FLUSH, "the stream is flushed");
	ok(!stream_result(&x, good, 2) && !stream_result(&x, good, 900), "others go on");
	ok(reset_stream(&x, 2) == PRM_STATUS_BAD_PARAM, "a stream without an error is not reset");
	ok(!reset_stream(&x, 1) && !stream_result(&x, good, 1), "after its reset the stream works");
	ok(stream_result(&x, remote, 3) == PRM_CQE_SYND_REMOTE_ACCESS &&
	   !stream_result(&x, good, 4), "an error of the target is one of the stream, too");
	ok(stream_result(&x, bad, 5) == PRM_CQE_SYND_LOCAL_PROT &&
	   stream_result(&x, bad, 6) == PRM_CQE_SYND_LOCAL_PROT &&
	   qp_state(&x) == PRM_QP_RTS, "three streams are in error");
	ok(stream_result(&x, bad, 5) == PRM_CQE_SYND_WR_FLUSH && qp_state(&x) == PRM_QP_RTS,
	   "one of them again counts for nothing");
	ok(stream_result(&x, bad, 0xffff) == PRM_CQE_SYND_LOCAL_PROT &&
	   qp_state(&x) == PRM_QP_ERR, "the fourth stops the QP");
	ok(stream_result(&x, good, 2) == PRM_CQE_SYND_WR_FLUSH, "all are flushed then");
	ok(!qp_command(&x, PRM_OP_qp_2rst), "the QP is reset");
	x.sq_pi = 0;
	put32((uint8_t *)mem_at(&a, x.dbr) + 4, 0);
	dci_to_rts(&x, &streams);
	ok(!stream_result(&x, good, 1) && !stream_result(&x, good, 5), "its streams work again");
	destroy_dci(&x);
}

/* What stands behind a message that fails is done once, on whatever way it was. */
static void test_behind(void)
{
	struct wr read = dc_rdma(&dct, PRM_WQE_RDMA_READ, DST_OFF, 1000), nop = read;
	struct wr send = dc_send(&dct, 700), remote, other = dc_send(&dct2, 700);
	unsigned int i, results[5];
	struct tqp x;

	buf_fill(&a, 0, 700, 9);
	read.sge[0].key = read_only;
	read.stream = 1;
	send.stream = 2;
	other.stream = 3;
	nop = (struct wr){ .opcode = PRM_WQE_NOP };
	remote = dc_rdma(&dct, PRM_WQE_RDMA_WRITE, DST_OFF, 700);
	remote.rkey += 0x100000;
	remote.stream = 4;
	create_dci(&x, &a, &ca, &streams);
	recvs();
	for (i = 0; i < 4; i++)
		dct_recv(i & 1 ? &dct2 : &dct, i * 5000, 5000);
	post_send_quietly(&x, &read);
	post_send_quietly(&x, &send);
	post_send_quietly(&x, &remote);
	post_send_quietly(&x, &send);
	post_send_quietly(&x, &other);
	ring(&x);
	for (i = 0; i < 5; i++)
		results[i] = dc_result(&ca);
	ok(results[0] == PRM_CQE_SYND_LOCAL_PROT && !results[1] &&
	   results[2] == PRM_CQE_SYND_REMOTE_ACCESS && !results[3] && !results[4] &&
	   recvs() == 3, "what is behind a message that fails is done once");
	ok(!reset_stream(&x, 1) && !reset_stream(&x, 4), "both streams are reset");

	send.dqpn = 0x7777;
	nop.stream = 2;
	read.dqpn = 0x7777;
	post_send_quietly(&x, &send);
	post_send_quietly(&x, &nop);
	post_send_quietly(&x, &read);
	post_send_quietly(&x, &other);
	ring(&x);
	pass_time(200);
	for (i = 0; i < 4; i++)
		results[i] = dc_result(&ca);
	ok(results[0] == PRM_CQE_SYND_TRANSPORT_RETRY_EXC && !results[1] &&
	   results[2] == PRM_CQE_SYND_TRANSPORT_RETRY_EXC && !results[3] && recvs() == 1,
	   "what may have been done at a target that is silent fails with it");
	destroy_dci(&x);
	drain(&ca, &cb);
}

/* Of a message of several packets the first has the error, and some of those behind it are sent. */
static void test_unordered_errors(void)
{
	struct wr bad = dc_send(&dct, 200), good = dc_send(&dct, 100);
	struct tqp x;

	bad.n = 2;
	bad.sge[1] = (struct tsge){ a.va, 600, a.lkey + 0x100000 };
	bad.stream = 1;
	good.stream = 2;
	create_dci(&x, &a, &ca, &streams);
	dct_recv(&dct, 0, 5000);
	dct_recv(&dct, 5000, 5000);
	buf_fill(&a, 0, 200, 4);
	post_send_quietly(&x, &good);
	post_send_quietly(&x, &bad);
	post_send_quietly(&x, &bad);
	post_send_quietly(&x, &good);
	ring(&x);
	ok(!dc_result(&ca) && dc_result(&ca) == PRM_CQE_SYND_LOCAL_PROT &&
	   dc_result(&ca) == PRM_CQE_SYND_WR_FLUSH && !dc_result(&ca) && recvs() == 2 &&
	   buf_is(&b, 5000, 100, 4), "an error comes in its order");
	destroy_dci(&x);
	drain(&ca, &cb);
}

/* What an acknowledgment makes a DCI start over with is not what its NAK was about. */
static void test_old_nak(void)
{
	struct wr first = dc_rdma(&dct, PRM_WQE_RDMA_WRITE, DST_OFF, 100), bad = dc_send(&dct, 300);
	struct packet nak = { .n = 1 };
	uint8_t aeth[AETH_BYTES];
	struct tqp x;
	struct qp *qp;

	bad.n = 2;
	bad.sge[1] = (struct tsge){ a.va, 600, a.lkey + 0x100000 };
	bad.stream = 1;
	first.stream = 2;
	create_dci(&x, &a, &ca, &streams);
	qp = obj_find(a.dev, OBJ_QP, x.qpn);
	wire_watch();
	wire.only_opcode = BTH_DC | BTH_ACK;
	wire.drop_every = 1;
	post_send_quietly(&x, &first);
	post_send_quietly(&x, &bad);
	post_send_quietly(&x, &first);
	ring(&x);
	settle();
	put32(aeth, (uint32_t)AETH_RNR_NAK << 24);
	nak.bth = (struct bth){ .opcode = BTH_DC | BTH_ACK, .psn = psn_add(qp->req.una, 1) };
	nak.dc.session = qp->session;
	nak.ext = aeth;
	nak.ext_len = sizeof(aeth);
	ok(qp->req.sent == psn_add(qp->req.una, 2), "a message is sent in part");
	wire_watch();
	dci_answer(qp, &nak);
	ok(!qp->req.rnr_wait && !dc_result(&ca) && dc_result(&ca) == PRM_CQE_SYND_LOCAL_PROT &&
	   !dc_result(&ca), "a NAK of the old session does not hold up the next message");
	destroy_dci(&x);
	drain(&ca, &cb);
}

/* The DCI starts over because of a response that is lost, and then another one is. */
static void test_lost_twice(void)
{
	struct qp_opts o = streams;
	struct wr read = dc_rdma(&dct, PRM_WQE_RDMA_READ, DST_OFF, 100), write = read;
	unsigned int i, results[4];
	struct tqp x;

	o.retry_set = true;
	write.opcode = PRM_WQE_RDMA_WRITE;
	create_dci(&x, &a, &ca, &o);
	for (i = 0; i < 4; i++) {
		if (!(i & 1)) {
			wire_watch();
			wire.only_opcode = BTH_DC | BTH_READ_RESP_ONLY;
			wire.drop_at = 1;
			read.stream = i + 1;
			write.stream = i + 2;
			post_send_quietly(&x, &read);
			post_send_quietly(&x, &write);
			ring(&x);
		}
		results[i] = dc_result(&ca);
	}
	wire_watch();
	ok(results[0] == PRM_CQE_SYND_TRANSPORT_RETRY_EXC && results[1] == results[0] &&
	   results[2] == results[0], "a response that is lost after the DCI has started over");
	destroy_dci(&x);
	drain(&ca, &cb);
}

static void test_stream_commands(void)
{
	struct qp_opts o = streams;
	struct tqp x, y;

	create_dci(&x, &a, &ca, &streams);
	ok(reset_stream_by(&x, 1, 0, PRM_QP_OPT_32_DCI_STREAM, sizeof(struct prm_rts2rts_qp_in)) ==
	   PRM_STATUS_BAD_PARAM, "a reset without the extension is refused");
	ok(reset_stream_by(&x, 1, PRM_QP_OPT_RRE, PRM_QP_OPT_32_DCI_STREAM, 0) ==
	   PRM_STATUS_BAD_PARAM, "a reset with something else is refused");
	ok(reset_stream_by(&x, 1, PRM_QP_OPT_RRE, 0, 0) == PRM_STATUS_BAD_PARAM,
	   "an extension of which nothing is used is refused");
	ok(reset_stream_by(&x, 1, 0, PRM_QP_OPT_32_UDP_SPORT, 0) == PRM_STATUS_BAD_PARAM,
	   "a UDP port, which a DCI has not, is refused");
	destroy_dci(&x);
	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &plain);
	ok(reset_stream(&x, 1) == PRM_STATUS_BAD_PARAM, "a stream of an RC QP is refused");
	destroy_pair(&x, &y);

	o.log_errored = DCI_LOG_ERRORED_MAX + 1;
	ok(create_qp(&x, &a, PRM_QP_ST_DCI, &ca, &o) == PRM_STATUS_BAD_PARAM,
	   "more streams in error than the card has are refused");
	o = streams;
	o.log_streams = DCI_LOG_STREAMS_MAX + 1;
	ok(create_qp(&x, &a, PRM_QP_ST_DCI, &ca, &o) == PRM_STATUS_BAD_PARAM,
	   "more streams than the card has are refused");
	o = plain;
	o.log_streams = 1;
	ok(create_qp(&x, &a, PRM_QP_ST_RC, &ca, &o) == PRM_STATUS_BAD_PARAM,
	   "streams of an RC QP are refused");
	o = plain;
	o.no_sq = true;
	ok(create_qp(&x, &a, PRM_QP_ST_DCI, &ca, &o) == PRM_STATUS_BAD_PARAM,
	   "a DCI without a send queue is refused");
	o = plain;
	o.sra = 5;
	ok(!create_qp(&x, &a, PRM_QP_ST_DCI, &ca, &o) && !qp_init(&x, &o) &&
	   !qp_rtr(&x, NULL, &o) && qp_rts(&x, &o) == PRM_STATUS_BAD_PARAM,
	   "more READs than log_max_ra_req_dc are refused");
	destroy_dci(&x);
}

/* ---- user contexts ------------------------------------------------------------------------- */

static uint32_t open_user(void)
{
	struct prm_create_uctx_in in = {};
	struct prm_create_uctx_out out;

	if (command(&b, create_uctx, &in, &out))
		ok(false, "a context");
	return prm_get(&out, uid);
}

static int as_user(uint32_t uid, uint16_t opcode, uint32_t num)
{
	struct prm_query_dct_out out;
	struct prm_destroy_dct_in in = {};

	prm_set(&in, opcode, opcode);
	prm_set(&in, uid, uid);
	prm_set(&in, dctn, num);
	return exec(&b, opcode, &in, sizeof(in), &out, sizeof(out));
}

/* As UCX moves its DCIs: without their service. */
static void test_service_of_users(uint32_t uid)
{
	struct prm_rst2init_qp_in in = {};
	struct prm_rst2init_qp_out out;
	struct tqp x;

	ok(!create_qp(&x, &b, PRM_QP_ST_DCI, &cb, &plain), "a DCI of a context");
	prm_set(&in, qpn, x.qpn);
	prm_set(&in, qpc.primary_address_path.vhca_port_num, 1);
	ok(command(&b, rst2init_qp, &in, &out) == PRM_STATUS_BAD_PARAM,
	   "the driver says of which service the QP is");
	((struct obj *)obj_find(b.dev, OBJ_QP, x.qpn))->uid = uid;
	((struct obj *)obj_find(b.dev, OBJ_UCTX, uid))->refs++;
	prm_set(&in, uid, uid);
	ok(!command(&b, rst2init_qp, &in, &out), "a context need not");
	destroy_dci(&x);
}

static void test_users(void)
{
	static const uint16_t ops[] = { PRM_OP_query_dct, PRM_OP_drain_dct, PRM_OP_destroy_dct,
					PRM_OP_arm_dct_for_key_violation };
	uint32_t one = open_user(), two = open_user();
	struct dct_opts d = { .addr = ADDR_V2_IPV4, .uid = one };
	unsigned int i, refused = 0;
	struct tdct theirs;

	ok(create_dct(&theirs, &b, &cb, &d) == PRM_STATUS_BAD_RES,
	   "a context makes no DCT of the driver's objects");
	d.uid = 0;
	ok(!create_dct(&theirs, &b, &cb, &d), "a DCT of the driver");
	((struct obj *)obj_find(b.dev, OBJ_DCT, theirs.num))->uid = one;
	((struct obj *)obj_find(b.dev, OBJ_UCTX, one))->refs++;
	for (i = 0; i < ARRAY_SIZE(ops); i++)
		refused += as_user(two, ops[i], theirs.num) == PRM_STATUS_BAD_RES;
	ok(refused == ARRAY_SIZE(ops), "another context cannot name it");
	ok(!as_user(one, PRM_OP_query_dct, theirs.num) &&
	   !as_user(one, PRM_OP_arm_dct_for_key_violation, theirs.num) &&
	   as_user(one, PRM_OP_destroy_dct, theirs.num) == PRM_STATUS_BAD_RES_STATE &&
	   !as_user(one, PRM_OP_drain_dct, theirs.num), "its own can");
	settle();
	ok(!as_user(one, PRM_OP_destroy_dct, theirs.num), "and destroys it");
	test_service_of_users(one);
}

int main(void)
{
	struct dct_opts d = { .addr = ADDR_V2_IPV4, .mtu = PRM_QP_MTU_256 };

	dc_open();
	create_cq(&ca, &a, 8);
	create_cq(&cb, &b, 9);
	read_only = create_mkey(&a, a.pd, MEM_LOCAL_READ, a.va, 8192, 0);
	ok(!create_dct(&dct, &b, &cb, &d) && !create_dct(&dct2, &b, &cb, &d), "two targets");
	d.no_rights = true;
	ok(!create_dct(&poor, &b, &cb, &d), "a target without rights");
	test_errors();
	test_nobody();
	test_wqes();
	test_streams();
	test_behind();
	test_unordered_errors();
	test_old_nak();
	test_lost_twice();
	test_stream_commands();
	test_users();
	sides_close();
	return ok_end();
}
