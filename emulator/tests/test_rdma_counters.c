// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * What the RDMA engine counts. Each case does one thing and names every counter of the two sets
 * that it moves: any other counter that moves fails the case, too.
 */
#include "prm/caps.h"
#include "prm/port.h"
#include "rdma.h"

#define DST_OFF (2u << 20)
#define ICRC_FRAMES 3
#define PORT_ROOM 1024		/* frames */
#define OVERRUNS 7

/* A counter of QUERY_Q_COUNTER, as a case names it. */
#define C(counter, n) { #counter, prm_bit((struct prm_query_q_counter_out *)NULL, counter), n }

struct move {
	const char *name;
	uint32_t bit, by;
};

static struct tcq ca, cb;

static uint32_t alloc_counter(struct side *side)
{
	struct prm_alloc_q_counter_in in = {};
	struct prm_alloc_q_counter_out out;

	if (command(side, alloc_q_counter, &in, &out))
		return 0;
	return prm_get(&out, counter_set_id);
}

static int dealloc_counter(struct side *side, uint32_t id)
{
	struct prm_dealloc_q_counter_in in = {};
	struct prm_dealloc_q_counter_out out;

	prm_set(&in, counter_set_id, id);
	return command(side, dealloc_q_counter, &in, &out);
}

static int read_set(struct side *side, uint32_t id, struct prm_query_q_counter_out *set,
		    bool clear)
{
	struct prm_query_q_counter_in in = {};

	prm_set(&in, counter_set_id, id);
	prm_set(&in, clear, clear);
	return command(side, query_q_counter, &in, set);
}

/* ---- one thing at a time ------------------------------------------------------------------- */

struct counter_case {
	const char *name;
	struct wr wr;
	struct tsge recv;	/* len 0: none */
	struct move a[5], b[5];
	struct qp_opts o;
	uint32_t drop_at, dup_at, drop_every;	/* of the wire */
	uint8_t only_opcode;			/* 0: any */
	bool flush;		/* the sender goes into error instead of sending */
};

/* True if @now differs from @before by @moves and by nothing else. */
static bool moved(const char *side, const struct prm_query_q_counter_out *before,
		  const struct prm_query_q_counter_out *now, const struct move *moves)
{
	struct prm_query_q_counter_out want = *before;
	unsigned int i;
	bool good = true;

	for (i = 0; i < 5 && moves[i].name; i++)
		want.dw[moves[i].bit / 32] =
			cpu_to_be32(be32_to_cpu(want.dw[moves[i].bit / 32]) + moves[i].by);
	for (i = 0; i < ARRAY_SIZE(want.dw); i++) {
		if (now->dw[i] == want.dw[i])
			continue;
		printf("# %s, counter at 0x%x: %u, not %u\n", side, 32 * i,
		       be32_to_cpu(now->dw[i]), be32_to_cpu(want.dw[i]));
		good = false;
	}
	for (i = 0; !good && i < 5 && moves[i].name; i++)
		printf("# %s, at 0x%x: %s\n", side, moves[i].bit, moves[i].name);
	return good;
}

static void run_case(const struct counter_case *t, uint32_t set)
{
	struct prm_query_q_counter_out a_before, a_now, b_before, b_now;
	struct qp_opts o = t->o;
	struct tqp x, y;
	bool good;

	o.counter = set;
	o.timeout = 8;
	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	read_set(&a, set, &a_before, false);
	read_set(&b, set, &b_before, false);
	wire_watch();
	wire.drop_at = t->drop_at;
	wire.dup_at = t->dup_at;
	wire.drop_every = t->drop_every;
	if (t->only_opcode)
		wire.only_opcode = t->only_opcode;
	if (t->recv.len)
		post_recv(&y, 1, &t->recv);
	if (t->flush)
		qp_command(&x, PRM_OP_qp_2err);
	post_send(&x, &t->wr);
	pass_time(40);
	read_set(&a, set, &a_now, false);
	read_set(&b, set, &b_now, false);
	good = moved("sender", &a_before, &a_now, t->a);
	good = moved("receiver", &b_before, &b_now, t->b) && good;
	ok(good, "%s", t->name);
	wire_watch();
	destroy_pair(&x, &y);
	while (poll(&ca) || poll(&cb))
		;
	saw_event(&a, 0, 0);
	saw_event(&b, 0, 0);
}

#define TO_B .raddr = b.va + DST_OFF, .rkey = b.rkey
#define A_SGE(len) .n = 1, .sge = { { a.va, (len), a.lkey } }

/* Packets carry 1024 bytes: 3000 are three of them. */
static void test_requests(uint32_t set)
{
	struct tsge to = { b.va + DST_OFF, 3000, b.lkey };
	const struct counter_case cases[] = {
		{ "a SEND moves no counter", { .opcode = PRM_WQE_SEND, A_SGE(3000) }, to },
		{ "a WRITE counts as one request, however long",
		  { .opcode = PRM_WQE_RDMA_WRITE, A_SGE(3000), TO_B },
		  .b = { C(rx_write_requests, 1) } },
		{ "a READ counts as one request",
		  { .opcode = PRM_WQE_RDMA_READ, A_SGE(3000), TO_B },
		  .b = { C(rx_read_requests, 1) } },
		{ "an atomic counts as one request", { .opcode = PRM_WQE_ATOMIC_FA, A_SGE(8),
		  .raddr = (b.va + DST_OFF) & ~7ull, .rkey = b.rkey, .swap_add = 1 },
		  .b = { C(rx_atomic_requests, 1) } },
		{ "a SEND without RNR retries to a receiver that is not ready",
		  { .opcode = PRM_WQE_SEND, A_SGE(10) },
		  .o = { .rnr_set = true },
		  .a = { C(rnr_nak_retry_err, 1), C(req_rnr_retries_exceeded, 1),
			 C(req_cqe_error, 1) },
		  .b = { C(out_of_buffer, 1) } },
		{ "a flushed send", { .opcode = PRM_WQE_SEND, A_SGE(10) }, .flush = true,
		  .a = { C(req_cqe_flush_error, 1), C(req_cqe_error, 1) } },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		run_case(&cases[i], set);
}

static void test_losses(uint32_t set)
{
	const struct counter_case cases[] = {
		{ "a lost packet in the middle of a WRITE",
		  { .opcode = PRM_WQE_RDMA_WRITE, A_SGE(3000), TO_B }, .drop_at = 2,
		  .a = { C(packet_seq_err, 1) },
		  .b = { C(rx_write_requests, 1), C(out_of_sequence, 1) } },
		{ "a duplicate WRITE", { .opcode = PRM_WQE_RDMA_WRITE, A_SGE(10), TO_B },
		  .dup_at = 1,
		  .b = { C(rx_write_requests, 1), C(duplicate_request, 1) } },
		{ "a lost ACK of a WRITE",
		  { .opcode = PRM_WQE_RDMA_WRITE, A_SGE(10), TO_B }, .only_opcode = BTH_ACK,
		  .drop_at = 1,
		  .a = { C(local_ack_timeout_err, 1) },
		  .b = { C(rx_write_requests, 1), C(duplicate_request, 1) } },
		{ "a lost packet in the middle of a READ response",
		  { .opcode = PRM_WQE_RDMA_READ, A_SGE(3000), TO_B },
		  .only_opcode = BTH_READ_RESP_MIDDLE, .drop_at = 1,
		  .a = { C(implied_nak_seq_err, 1) },
		  .b = { C(rx_read_requests, 1), C(duplicate_request, 1) } },
		{ "a WRITE of which every packet is lost",
		  { .opcode = PRM_WQE_RDMA_WRITE, A_SGE(10), TO_B }, .drop_every = 1,
		  .o = { .retry_set = true, .retry = 2 },
		  .a = { C(local_ack_timeout_err, 3), C(req_transport_retries_exceeded, 1),
			 C(req_cqe_error, 1) } },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		run_case(&cases[i], set);
}

static void test_errors(uint32_t set, uint32_t read_only)
{
	const struct counter_case cases[] = {
		{ "a WRITE beyond the region",
		  { .opcode = PRM_WQE_RDMA_WRITE, A_SGE(10), .raddr = b.va + BUF_BYTES,
		    .rkey = b.rkey },
		  .a = { C(req_remote_access_errors, 1), C(req_cqe_error, 1) },
		  .b = { C(resp_remote_access_errors, 1) } },
		{ "a READ with a wrong key",
		  { .opcode = PRM_WQE_RDMA_READ, A_SGE(10), .raddr = b.va, .rkey = b.rkey ^ 1 },
		  .a = { C(req_remote_access_errors, 1), C(req_cqe_error, 1) },
		  .b = { C(resp_remote_access_errors, 1) } },
		{ "a WRITE to a QP that does not allow it",
		  { .opcode = PRM_WQE_RDMA_WRITE, A_SGE(10), TO_B }, .o = { .no_remote = true },
		  .a = { C(req_remote_invalid_request, 1), C(req_cqe_error, 1) },
		  .b = { C(resp_remote_invalid_request, 1) } },
		{ "a SEND longer than the receive", { .opcode = PRM_WQE_SEND, A_SGE(101) },
		  { b.va, 100, b.lkey },
		  .a = { C(req_remote_invalid_request, 1), C(req_cqe_error, 1) },
		  .b = { C(resp_local_length_error, 1), C(resp_cqe_error, 1) } },
		{ "a receive into a key without write access",
		  { .opcode = PRM_WQE_SEND, A_SGE(100) }, { b.va, 100, read_only },
		  .a = { C(req_remote_operation_errors, 1), C(req_cqe_error, 1) },
		  .b = { C(resp_local_protection, 1), C(resp_cqe_error, 1) } },
		{ "a flushed receive",
		  { .opcode = PRM_WQE_RDMA_WRITE, A_SGE(10), .raddr = b.va, .rkey = b.rkey ^ 1 },
		  { b.va, 100, b.lkey },
		  .a = { C(req_remote_access_errors, 1), C(req_cqe_error, 1) },
		  .b = { C(resp_remote_access_errors, 1), C(resp_cqe_flush_error, 1),
			 C(resp_cqe_error, 1) } },
		{ "a SEND from a wrong key",
		  { .opcode = PRM_WQE_SEND, .n = 1, .sge = { { a.va, 10, a.lkey ^ 1 } } },
		  .a = { C(req_local_protection, 1), C(req_cqe_error, 1) } },
		{ "a message of 2 GiB", { .opcode = PRM_WQE_SEND, A_SGE(0) },
		  .a = { C(req_local_length_error, 1), C(req_cqe_error, 1) } },
		{ "an unknown opcode", { .opcode = 0x3f, A_SGE(10) },
		  .a = { C(local_operation_error, 1), C(req_cqe_error, 1) } },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		run_case(&cases[i], set);
}

/* ---- sets ---------------------------------------------------------------------------------- */

/* As the kernel's own driver does it: nothing but the set is in the context. */
static int rebind(struct tqp *qp, uint32_t set)
{
	struct prm_rts2rts_qp_in in = {};
	struct prm_rts2rts_qp_out out;

	prm_set(&in, qpn, qp->qpn);
	prm_set(&in, opt_param_mask, PRM_QP_OPT_COUNTER_SET_ID);
	prm_set(&in, qpc.counter_set_id, set);
	return command(qp->side, rts2rts_qp, &in, &out);
}

static void test_sets(uint32_t set)
{
	struct qp_opts o = { .counter = set };
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE, A_SGE(10), TO_B };
	struct prm_query_q_counter_out before, now, second;
	uint32_t other = alloc_counter(&b);
	struct tqp x, y;

	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	read_set(&b, set, &before, false);
	ok(other && other != set && !rebind(&y, other),
	   "RTS2RTS moves a QP to another counter set");
	post_send(&x, &wr);
	settle();
	read_set(&b, set, &now, false);
	read_set(&b, other, &second, true);
	ok(!memcmp(&before, &now, sizeof(now)) && prm_get(&second, rx_write_requests) == 1,
	   "the QP counts in the new set only");
	read_set(&b, other, &second, false);
	ok(!prm_get(&second, rx_write_requests), "a query can clear a counter set");
	ok(dealloc_counter(&b, other) == PRM_STATUS_RES_BUSY,
	   "a counter set of a QP cannot be freed");
	ok(!rebind(&y, set) && !dealloc_counter(&b, other) &&
	   read_set(&b, other, &second, false) == PRM_STATUS_BAD_RES,
		    "a counter set without QPs can be freed");
	ok(rebind(&y, other) == PRM_STATUS_BAD_RES, "RTS2RTS to a freed counter set is refused");
	destroy_pair(&x, &y);
	while (poll(&ca) || poll(&cb))
		;
}

/* Of both kinds that a driver moves to another set as they run, and of one that failed unseen. */
static void test_rebind(uint32_t set)
{
	struct qp_opts o = { .counter = set };
	struct wr wr = {
		.opcode = PRM_WQE_RDMA_WRITE, A_SGE(10), .raddr = b.va, .rkey = b.rkey ^ 1
	};
	uint32_t other = alloc_counter(&a);
	uint64_t declined = a.dev->hca->declined;
	struct tqp x, y;

	create_pair(&x, &y, PRM_QP_ST_UD, &ca, &cb, &o);
	ok(!rebind(&x, other) && !rebind(&x, set), "RTS2RTS moves a UD QP to another counter set");
	destroy_pair(&x, &y);
	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	post_send(&x, &wr);
	settle();
	ok(qp_state(&x) == PRM_QP_ERR && rebind(&x, other) == PRM_STATUS_BAD_QP_STATE &&
	   a.dev->hca->declined == declined + 1,
	   "RTS2RTS of a QP that failed by itself is declined");
	qp_command(&x, PRM_OP_qp_2err);
	ok(rebind(&x, other) == PRM_STATUS_BAD_QP_STATE && a.dev->hca->declined == declined + 1,
	   "RTS2RTS of a QP that the driver moved to ERR is refused");
	destroy_pair(&x, &y);
	dealloc_counter(&a, other);
	while (poll(&ca) || poll(&cb))
		;
	saw_event(&b, 0, 0);
}

static void test_limit(void)
{
	struct prm_cmd_hca_cap *cap = (void *)a.dev->hca->cap_cur[CAP_GENERAL];
	uint32_t ids[256], n = 0;

	while (n < ARRAY_SIZE(ids) && (ids[n] = alloc_counter(&a)))
		n++;
	ok(n && n < prm_get(cap, max_qp_cnt) + 1u, "%u of %u counter sets can be allocated", n,
	   prm_get(cap, max_qp_cnt));
	while (n && !dealloc_counter(&a, ids[n - 1]))
		n--;
	ok(!n, "all counter sets can be freed");
}

/* ---- congestion ---------------------------------------------------------------------------- */

struct cong {
	uint64_t marked, sent, handled, ignored;
};

#define VALUE64(out, f) ((uint64_t)prm_get(out, f##_high) << 32 | prm_get(out, f##_low))

static struct cong cong(struct side *side, bool clear)
{
	struct prm_query_cong_statistics_in in = {};
	struct prm_query_cong_statistics_out out;

	prm_set(&in, clear, clear);
	command(side, query_cong_statistics, &in, &out);
	return (struct cong) { VALUE64(&out, np_ecn_marked_roce_packets),
			       VALUE64(&out, np_cnp_sent), VALUE64(&out, rp_cnp_handled),
			       VALUE64(&out, rp_cnp_ignored) };
}

static bool cong_is(struct side *side, uint64_t marked, uint64_t sent, uint64_t handled,
		    uint64_t ignored)
{
	struct cong n = cong(side, false);

	printf("# marked %llu, sent %llu, handled %llu, ignored %llu\n",
	       (unsigned long long)n.marked, (unsigned long long)n.sent,
	       (unsigned long long)n.handled, (unsigned long long)n.ignored);
	return n.marked == marked && n.sent == sent && n.handled == handled && n.ignored == ignored;
}

/* Marks the sender's packets as a switch would, not the responses. */
static void test_congestion(unsigned int addr, bool has_ecn)
{
	struct qp_opts o = { .addr = addr };
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE, A_SGE(3000), TO_B };
	unsigned int n = has_ecn ? 3 : 0;
	struct tqp x, y;
	struct qp *own;

	cong(&a, true);
	cong(&b, true);
	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	own = obj_find(a.dev, OBJ_QP, x.qpn);
	wire_see();
	post_send(&x, &wr);
	settle();
	ok(cong_is(&b, 0, 0, 0, 0) && !wire.by_opcode[BTH_CNP],
	   "address %u: without marks no CNP is sent", addr);
	own->av.tclass |= 3;
	post_send(&x, &wr);
	settle();
	ok(cong_is(&b, n, n, 0, 0) && cong_is(&a, 0, 0, n, 0) && wire.by_opcode[BTH_CNP] == n,
	   "address %u: each marked packet is answered by a CNP, v1 has no marks", addr);
	if (wire.wrong)
		printf("# %s\n", wire.why);
	ok(cqe_opcode(poll(&ca)) == PRM_CQE_REQ && cqe_opcode(poll(&ca)) == PRM_CQE_REQ &&
	   !wire.wrong, "address %u: the data arrive in well-formed frames", addr);
	cong(&a, true);
	ok(cong_is(&a, 0, 0, 0, 0), "address %u: a query can clear the CNP counters", addr);
	destroy_pair(&x, &y);
	while (poll(&ca) || poll(&cb))
		;
}

/* The receiver takes another queue for its peer. */
static void test_stray_notification(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4, .retry_set = true, .timeout = 8 };
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE, A_SGE(10), TO_B };
	struct tqp x, y;

	cong(&a, true);
	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	((struct qp *)obj_find(a.dev, OBJ_QP, x.qpn))->av.tclass |= 3;
	((struct qp *)obj_find(b.dev, OBJ_QP, y.qpn))->remote_qpn = 0x7777;
	post_send(&x, &wr);
	pass_time(10);
	ok(cong_is(&a, 0, 0, 0, 1), "a CNP for an unknown QP is counted as ignored");
	destroy_pair(&x, &y);
	while (poll(&ca) || poll(&cb))
		;
}

/* ---- the port ------------------------------------------------------------------------------ */

static int read_reg(struct side *side, unsigned int id, void *data, uint32_t len)
{
	uint8_t in[sizeof(struct prm_access_register_in) + 256] = {};
	uint8_t out[sizeof(struct prm_access_register_out) + 256] = {};
	struct prm_access_register_in *head = (void *)in;
	int status;

	prm_set(head, opcode, PRM_OP_access_register);
	prm_set(head, op_mod, PRM_ACCESS_REG_READ);
	prm_set(head, register_id, id);
	memcpy(in + sizeof(*head), data, len);
	status = exec(side, PRM_OP_access_register, in, sizeof(*head) + len, out,
		      sizeof(struct prm_access_register_out) + len);
	memcpy(data, out + sizeof(struct prm_access_register_out), len);
	return status;
}

static int read_ppcnt(struct side *side, unsigned int grp, struct prm_ppcnt_reg *reg)
{
	*reg = (struct prm_ppcnt_reg) {};
	prm_set(reg, local_port, 1);
	prm_set(reg, grp, grp);
	return read_reg(side, PRM_REG_PPCNT, reg, sizeof(*reg));
}

#define IB_PORT(reg, name) prm_get(reg, counter_set.ib_port_cntrs_grp_data_layout.name)

static void vport(struct side *side, struct prm_query_vport_counter_out *out, bool clear)
{
	struct prm_query_vport_counter_in in = {};

	prm_set(&in, clear, clear);
	command(side, query_vport_counter, &in, out);
}

static void test_port(void)
{
	struct qp_opts o = {};
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE, A_SGE(10), TO_B };
	struct prm_query_vport_counter_out before, now;
	struct prm_pcam_reg pcam = {};
	struct prm_ppcnt_reg reg;
	struct tqp x, y;
	unsigned int i;

	ok(!read_reg(&a, PRM_REG_PCAM, &pcam, sizeof(pcam)) &&
	   prm_get(&pcam, feature_cap_mask.enhanced_features.rx_icrc_encapsulated_counter) &&
	   prm_get(&pcam, port_access_reg_cap_mask.regs_5000_to_507f.ppcnt),
	   "PCAM advertises PPCNT and its ICRC error counter");
	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	vport(&b, &before, false);
	wire_watch();
	for (i = 0; i < ICRC_FRAMES; i++) {
		wire_watch();
		wire.corrupt_at = 1;
		post_send(&x, &wr);
		pass_time(10);
	}
	read_ppcnt(&b, PRM_PPCNT_ETH_EXTENDED, &reg);
	i = prm_get(&reg,
		    counter_set.eth_extended_cntrs_grp_data_layout.rx_icrc_encapsulated_low);
	ok(i == ICRC_FRAMES, "PPCNT, Ethernet extended: %u ICRC errors", i);
	read_ppcnt(&b, PRM_PPCNT_IB, &reg);
	ok(IB_PORT(&reg, port_rcv_errors) == ICRC_FRAMES,
	   "PPCNT, InfiniBand: ICRC errors are receive errors");
	vport(&b, &now, true);
	ok(prm_get64(&now, received_ib_unicast.packets) ==
	   prm_get64(&before, received_ib_unicast.packets) + 2 * ICRC_FRAMES,
	   "the vport counts packets with ICRC errors");
	vport(&b, &now, false);
	read_ppcnt(&b, PRM_PPCNT_IB, &reg);
	ok(!prm_get64(&now, received_ib_unicast.packets) &&
	   IB_PORT(&reg, port_rcv_errors) == ICRC_FRAMES,
	   "clearing the vport's counters leaves the port's");
	destroy_pair(&x, &y);
}

/* More frames for a port than it has room for, all at one moment. */
static void flood(struct side *from, struct side *to)
{
	unsigned int i;

	for (i = 0; i < PORT_ROOM + OVERRUNS; i++)
		send_plain(from, to);
	settle();
}

static void test_links(void)
{
	struct qp_opts o = { .retry_set = true, .retry = 1, .timeout = 8 };
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE, A_SGE(10), TO_B };
	struct prm_ppcnt_reg reg;
	struct tqp x, y;

	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	port_set_wire(a.dev->port, false);
	post_send(&x, &wr);
	pass_time(10);
	read_ppcnt(&a, PRM_PPCNT_IB, &reg);
	ok(IB_PORT(&reg, link_downed_counter) == 1 && IB_PORT(&reg, port_xmit_discards) == 2,
	   "a link down and frames sent meanwhile are counted: %u and %u",
	   IB_PORT(&reg, link_downed_counter), IB_PORT(&reg, port_xmit_discards));
	port_set_wire(a.dev->port, true);
	destroy_pair(&x, &y);
	flood(&a, &b);
	read_ppcnt(&b, PRM_PPCNT_IB, &reg);
	ok(IB_PORT(&reg, link_overrun_errors) == OVERRUNS,
	   "frames that overrun the queue are counted: %u",
	   IB_PORT(&reg, link_overrun_errors));
	flood(&a, &b);
	flood(&a, &b);
	read_ppcnt(&b, PRM_PPCNT_IB, &reg);
	ok(IB_PORT(&reg, link_overrun_errors) == 15, "the overrun counter saturates at %u",
	   IB_PORT(&reg, link_overrun_errors));
}

int main(void)
{
	uint32_t set, read_only;

	sides_open();
	create_cq(&ca, &a, 9);
	create_cq(&cb, &b, 9);
	set = alloc_counter(&a);
	ok(set && set == alloc_counter(&b), "a counter set can be allocated on both sides");
	read_only = create_mkey(&b, b.pd, MEM_LOCAL_READ, b.va, 4096, 0);
	test_requests(set);
	test_losses(set);
	test_errors(set, read_only);
	test_sets(set);
	test_rebind(set);
	test_limit();
	test_congestion(ADDR_V2_IPV4, true);
	test_congestion(ADDR_V2_IPV6, true);
	test_congestion(ADDR_V1, false);
	test_stray_notification();
	test_port();
	test_links();
	sides_close();
	return ok_end();
}
