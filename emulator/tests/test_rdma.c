// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The RDMA engine on a wire that loses nothing: all operations, sizes, services and kinds of
 * address.
 */
#include "prm/caps.h"
#include "rdma.h"

#define MTU 1024u
#define SRC_OFF 5u
#define DST_OFF (2u << 20)

static const char *const addr_names[ADDRS] = {
	[ADDR_V1] = "v1",
	[ADDR_V2_IPV6] = "v2 IPv6",
	[ADDR_V2_IPV4] = "v2 IPv4",
	[ADDR_V2_VLAN] = "v2 IPv4 VLAN",
};

static struct tcq ca, cb;
static uint32_t seed;

static struct tsge local(struct side *side, uint64_t off, uint32_t len)
{
	return (struct tsge){ .va = side->va + off, .len = len, .key = side->lkey };
}

/* A completion of the QP with this opcode and nothing else wrong with it. */
static bool is_good(const struct prm_cqe64 *cqe, const struct tqp *qp, unsigned int opcode,
		    uint8_t wqe_opcode)
{
	return cqe && cqe_opcode(cqe) == opcode && (be32_to_cpu(cqe->srqn) & 0xffffff) == 0x123 &&
	       be32_to_cpu(cqe->sop_drop_qpn) == ((uint32_t)wqe_opcode << 24 | qp->qpn);
}

static bool quiet(void)
{
	return !poll(&ca) && !poll(&cb) && !a.dev->violations && !b.dev->violations && !wire.wrong;
}

/* ---- RC and UC ----------------------------------------------------------------------------- */

struct op_case {
	const char *name;
	uint8_t opcode;
	bool recv, remote, back;	/* needs a receive; names remote memory; data come back */
	unsigned int resp;		/* opcode of the receive's completion */
};

static const struct op_case op_cases[] = {
	{ "SEND", PRM_WQE_SEND, .recv = true, .resp = PRM_CQE_RESP_SEND },
	{ "SEND with immediate", PRM_WQE_SEND_IMM, .recv = true, .resp = PRM_CQE_RESP_SEND_IMM },
	{ "WRITE", PRM_WQE_RDMA_WRITE, .remote = true },
	{ "WRITE with immediate", PRM_WQE_RDMA_WRITE_IMM, .recv = true, .remote = true,
	  .resp = PRM_CQE_RESP_WR_IMM },
	{ "READ", PRM_WQE_RDMA_READ, .remote = true, .back = true },
};

static bool run_op(struct tqp *x, struct tqp *y, const struct op_case *op, uint32_t len)
{
	struct side *from = op->back ? &b : &a, *to = op->back ? &a : &b;
	struct wr wr = { .opcode = op->opcode, .imm = 0xdeadbeef, .n = len ? 1 : 0 };
	uint64_t src = op->back ? DST_OFF : SRC_OFF, dst = op->back ? SRC_OFF : DST_OFF;
	struct prm_cqe64 *cqe;
	struct tsge sge;
	bool good;

	seed += 77;
	buf_fill(from, src, len, seed);
	buf_fill(to, dst - 1, len + 2ull, 0);
	wr.sge[0] = local(&a, SRC_OFF, len);
	if (op->remote) {
		wr.raddr = b.va + DST_OFF;
		wr.rkey = b.rkey;
	}
	if (op->recv) {
		sge = local(&b, DST_OFF, len + 3);
		post_recv(y, 1, &sge);
	}
	post_send(x, &wr);
	settle();
	cqe = poll(&ca);
	good = is_good(cqe, x, PRM_CQE_REQ, op->opcode) &&
	       (!op->back || be32_to_cpu(cqe->byte_cnt) == len);
	if (op->recv) {
		cqe = poll(&cb);
		good = good && is_good(cqe, y, op->resp, 0) && be32_to_cpu(cqe->byte_cnt) == len &&
		       (op->resp == PRM_CQE_RESP_SEND || be32_to_cpu(cqe->immediate) == 0xdeadbeef);
	}
	good = good && buf_is(to, dst, len, seed);
	buf_fill(from, src, 0, 0);
	return good && *buf_at(to, dst - 1) == 0 && quiet();
}

static void test_ops(enum prm_qp_st st, unsigned int addr)
{
	static const uint32_t sizes[] = { 0, 1, 3, 64, MTU - 1, MTU, MTU + 1, 65536, 1 << 20 };
	struct qp_opts o = { .addr = addr, .send_psn = 0xfffff0, .recv_psn = 0x123456 };
	struct tqp x, y;
	unsigned int i, k;

	create_pair(&x, &y, st, &ca, &cb, &o);
	for (i = 0; i < ARRAY_SIZE(op_cases); i++) {
		if (st == PRM_QP_ST_UC && op_cases[i].back)
			continue;
		for (k = 0; k < ARRAY_SIZE(sizes); k++)
			if (!run_op(&x, &y, &op_cases[i], sizes[k]))
				break;
		ok(k == ARRAY_SIZE(sizes), "%s %s, %s: %s", st == PRM_QP_ST_RC ? "RC" : "UC",
		   op_cases[i].name, addr_names[addr],
		   k == ARRAY_SIZE(sizes) ? "0 bytes to 1 MiB" :
		   wire.wrong		  ? wire.why :
		   "size failed");
		if (k < ARRAY_SIZE(sizes))
			printf("# at %u bytes\n", sizes[k]);
	}
	destroy_pair(&x, &y);
	ok(a.dev->violations == 0 && b.dev->violations == 0 && !wire.wrong,
	   "%s, %s: frames are well-formed, no violation %s", st == PRM_QP_ST_RC ? "RC" : "UC",
	   addr_names[addr], wire.why);
}

static void test_mtus(void)
{
	unsigned int mtu;

	for (mtu = PRM_QP_MTU_256; mtu <= PRM_QP_MTU_4096; mtu++) {
		struct qp_opts o = { .addr = ADDR_V2_IPV4, .mtu = mtu };
		uint32_t bytes = 128u << mtu;
		struct tqp x, y;
		bool good;

		create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
		good = run_op(&x, &y, &op_cases[0], bytes) &&
		       run_op(&x, &y, &op_cases[2], 3 * bytes + 1) &&
		       run_op(&x, &y, &op_cases[4], 7 * bytes - 1);
		ok(good, "RC works at MTU %u", bytes);
		destroy_pair(&x, &y);
	}
}

/* ---- what WQEs can look like --------------------------------------------------------------- */

static void test_wqes(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4, .log_sq = 3 };
	static const char text[] = "inline data that goes over the end of the ring of 8";
	struct wr wr = { .opcode = PRM_WQE_SEND, .n = 3 };
	struct prm_cqe64 *cqe;
	struct tqp x, y;
	struct tsge sge[3];
	unsigned int i, good = 0;

	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	buf_fill(&a, 0, 9000, 5);
	wr.sge[0] = local(&a, 0, 1);
	wr.sge[1] = local(&a, 1, 4000);
	wr.sge[2] = local(&a, 4001, 999);
	sge[0] = local(&b, DST_OFF, 2000);
	sge[1] = local(&b, DST_OFF + 2000, 1);
	sge[2] = local(&b, DST_OFF + 2001, 5000);
	post_recv(&y, 3, sge);
	post_send(&x, &wr);
	settle();
	cqe = poll(&ca);
	ok(is_good(cqe, &x, PRM_CQE_REQ, PRM_WQE_SEND) &&
	   is_good(poll(&cb), &y, PRM_CQE_RESP_SEND, 0) && buf_is(&b, DST_OFF, 5000, 5) &&
	   quiet(),
	   "3 SGEs are gathered and scattered to 3 SGEs");

	for (i = 0; i < 20; i++) {
		wr = (struct wr){ .opcode = PRM_WQE_SEND, .inl = text, .inl_len = sizeof(text) };
		sge[0] = local(&b, DST_OFF + 200 * i, 200);
		post_recv(&y, 1, sge);
		post_send(&x, &wr);
		settle();
		cqe = poll(&ca);
		good += cqe && be16_to_cpu(cqe->wqe_counter) == (uint16_t)(x.sq_pi - 2) &&
			poll(&cb) &&
			*buf_at(&b, DST_OFF + 200 * i + sizeof(text) - 2) == text[sizeof(text) - 2];
	}
	ok(good == 20 && quiet(), "inline data may wrap around the end of the send queue");

	for (i = 0; i < 5; i++) {
		wr = (struct wr) { .opcode = i == 2 ? PRM_WQE_NOP : PRM_WQE_RDMA_WRITE,
				   .quiet = i < 4,
				   .n = i == 2 ? 0 : 1,
				   .sge = { local(&a, 0, 64) },
				   .raddr = b.va,
				   .rkey = i == 2 ? 0 : b.rkey };
		post_send_quietly(&x, &wr);
	}
	ring(&x);
	settle();
	cqe = poll(&ca);
	ok(cqe && be16_to_cpu(cqe->wqe_counter) == (uint16_t)(x.sq_pi - 1) && quiet(),
	   "only signaled WQEs complete, among them a NOP");
	destroy_pair(&x, &y);
}

static void test_fence_and_reads(void)
{
	struct qp_opts o = { .addr = ADDR_V1, .sra = 1, .rra = 1, .log_sq = 8 };
	struct tqp x, y;
	struct wr wr;
	unsigned int i, n = 0;

	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	buf_fill(&b, DST_OFF, 64 * 5000, 9);
	for (i = 0; i < 64; i++) {
		wr = (struct wr) { .opcode = PRM_WQE_RDMA_READ,
				   .n = 1,
				   .sge = { local(&a, 5000 * i, 5000) },
				   .raddr = b.va + DST_OFF + 5000 * i,
				   .rkey = b.rkey };
		post_send_quietly(&x, &wr);
	}
	ring(&x);
	settle();
	while (poll(&ca))
		n++;
	ok(n == 64 && buf_is(&a, 0, 64 * 5000, 9) && quiet(),
	   "64 READs complete where two may be outstanding");

	*buf_at(&a, 0) = 1;
	*buf_at(&b, DST_OFF) = 2;
	wr = (struct wr) { .opcode = PRM_WQE_RDMA_READ,
			   .n = 1,
			   .sge = { local(&a, 0, 1) },
			   .raddr = b.va + DST_OFF,
			   .rkey = b.rkey };
	post_send_quietly(&x, &wr);
	wr = (struct wr) { .opcode = PRM_WQE_RDMA_WRITE,
			   .flags = PRM_WQE_FENCE,
			   .n = 1,
			   .sge = { local(&a, 0, 1) },
			   .raddr = b.va + DST_OFF + 100,
			   .rkey = b.rkey };
	post_send_quietly(&x, &wr);
	ring(&x);
	settle();
	ok(poll(&ca) && poll(&ca) && *buf_at(&b, DST_OFF + 100) == 2 && quiet(),
	   "a fenced WRITE sends the data of the READ before it");
	destroy_pair(&x, &y);
}

static uint64_t value_at(struct side *side, uint64_t off)
{
	uint64_t v = 0;
	unsigned int i;

	for (i = 0; i < 8; i++)
		v |= (uint64_t)*buf_at(side, off + i) << 8 * i;
	return v;
}

static void test_atomics(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV6 };
	uint64_t off = 8 - b.va % 8 + 64;
	struct wr wr = { .opcode = PRM_WQE_ATOMIC_FA,
			 .n = 1,
			 .sge = { local(&a, 0, 8) },
			 .raddr = b.va + off,
			 .rkey = b.rkey,
			 .swap_add = 0x100000000ull };
	struct tqp x, y;
	unsigned int i;

	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	for (i = 0; i < 8; i++)
		*buf_at(&b, off + i) = i + 1;
	wr.swap_add = 0;
	post_send(&x, &wr);
	settle();
	ok(poll(&ca) && value_at(&a, 0) == 0x0102030405060708 && quiet(),
	   "FETCH_ADD returns the old value big-endian");
	prm_set((struct prm_atomic_caps *)a.dev->hca->cap_cur[CAP_ATOMIC],
		atomic_req_8B_endianness_mode, 1);
	wr.swap_add = 0x100000000ull;
	post_send(&x, &wr);
	settle();
	ok(is_good(poll(&ca), &x, PRM_CQE_REQ, PRM_WQE_ATOMIC_FA) &&
	   value_at(&a, 0) == 0x0807060504030201 &&
	   value_at(&b, off) == 0x0807060604030201 && quiet(),
	   "FETCH_ADD returns the old value in host order");
	wr.opcode = PRM_WQE_ATOMIC_CS;
	wr.compare = 5;
	wr.swap_add = 42;
	post_send(&x, &wr);
	wr.compare = 0x0807060604030201;
	wr.sge[0] = local(&a, 8, 8);
	post_send(&x, &wr);
	settle();
	ok(poll(&ca) && poll(&ca) && value_at(&a, 0) == 0x0807060604030201 &&
	   value_at(&a, 8) == value_at(&a, 0) && value_at(&b, off) == 42 && quiet(),
	   "CMP_SWAP swaps only if equal");
	destroy_pair(&x, &y);
}

/* ---- SEND with invalidate, shared receive queue -------------------------------------------- */

static void test_invalidate(void)
{
	struct qp_opts o = { .addr = ADDR_V1 };
	uint32_t key = create_mkey(&b, b.pd, MEM_LOCAL_WRITE | MEM_REMOTE_WRITE, b.va, 4096, 0);
	struct wr wr = {
		.opcode = PRM_WQE_SEND_INVAL, .imm = key, .n = 1, .sge = { local(&a, 0, 10) }
	};
	struct tsge sge = local(&b, DST_OFF, 100);
	struct prm_cqe64 *cqe;
	struct tqp x, y;

	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	post_recv(&y, 1, &sge);
	post_send(&x, &wr);
	settle();
	cqe = poll(&cb);
	ok(poll(&ca) && is_good(cqe, &y, PRM_CQE_RESP_SEND_INV, 0) &&
	   be32_to_cpu(cqe->inval_rkey) == key && quiet(),
	   "SEND with invalidate reports the key");
	wr = (struct wr) { .opcode = PRM_WQE_RDMA_WRITE,
			   .n = 1,
			   .sge = { local(&a, 0, 10) },
			   .raddr = b.va,
			   .rkey = key };
	post_send(&x, &wr);
	settle();
	cqe = poll(&ca);
	ok(cqe && cqe_opcode(cqe) == PRM_CQE_REQ_ERR &&
	   cqe_syndrome(cqe) == PRM_CQE_SYND_REMOTE_ACCESS,
	   "the invalidated key is refused");
	while (poll(&ca) || poll(&cb))
		;
	destroy_pair(&x, &y);
	destroy_mkey(&b, key);
}

static void test_srq(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4 };
	struct prm_modify_rmp_in arm = {};
	struct prm_modify_rmp_out arm_out;
	struct tsge sge, dst;
	struct prm_cqe64 *cqe;
	struct tqp x[2], y[2];
	struct tsrq srq;
	unsigned int i, good = 0;

	create_rmp(&srq, &b, 4);
	o.srq = &srq;
	for (i = 0; i < 2; i++) {
		struct qp_opts plain = o;

		plain.srq = NULL;
		create_qp(&x[i], &a, PRM_QP_ST_RC, &ca, &plain);
		create_qp(&y[i], &b, PRM_QP_ST_RC, &cb, &o);
		good += !qp_init(&x[i], &o) && !qp_init(&y[i], &o) && !qp_rtr(&x[i], &y[i], &o) &&
			!qp_rtr(&y[i], &x[i], &o) && !qp_rts(&x[i], &o) && !qp_rts(&y[i], &o);
	}
	ok(good == 2, "two QPs can share one RMP");
	prm_set(&arm, rmpn, srq.num);
	prm_set(&arm, rmp_state, PRM_WQ_RDY);
	prm_set(&arm, ctx.state, PRM_WQ_RDY);
	prm_set(&arm, bitmask.lwm, 1);
	prm_set(&arm, ctx.wq.lwm, 2);
	ok(!command(&b, modify_rmp, &arm, &arm_out), "MODIFY_RMP arms the limit");
	for (i = 0; i < 10; i++) {
		dst = local(&b, DST_OFF + 100 * i, 100);
		post_srq(&srq, 1, &dst);
	}
	saw_event(&b, 0, 0);
	for (i = 0, good = 0; i < 10; i++) {
		struct wr wr = { .opcode = PRM_WQE_SEND, .n = 1 };

		buf_fill(&a, 0, 50, i);
		sge = local(&a, 0, 50);
		wr.sge[0] = sge;
		post_send(&x[i & 1], &wr);
		settle();
		cqe = poll(&cb);
		good += poll(&ca) && is_good(cqe, &y[i & 1], PRM_CQE_RESP_SEND, 0) &&
			be16_to_cpu(cqe->wqe_counter) == (i * 5 & 15) &&
			buf_is(&b, DST_OFF + 100 * i, 50, i);
	}
	ok(good == 10 && quiet(), "SENDs of both QPs use the RMP's list in order");
	ok(saw_event(&b, PRM_EVENT_SRQ_RQ_LIMIT, srq.num),
	   "an event is raised when the limit is passed");
	qp_command(&y[0], PRM_OP_qp_2err);
	settle();
	ok(saw_event(&b, PRM_EVENT_SRQ_LAST_WQE, y[0].qpn),
	   "a QP with an SRQ in ERR raises a last WQE event");
	destroy_pair(&x[0], &y[0]);
	destroy_pair(&x[1], &y[1]);
}

/* ---- datagrams ----------------------------------------------------------------------------- */

static bool ud_headers(struct side *to, uint64_t off, unsigned int addr)
{
	const struct roce_addr *src = &a.dev->roce_addrs[addr], *dst = &to->dev->roce_addrs[addr];
	uint8_t grh[40];
	unsigned int i;

	for (i = 0; i < 40; i++)
		grh[i] = *buf_at(to, off + i);
	if (addr == ADDR_V1 || addr == ADDR_V2_IPV6)
		return grh[0] >> 4 == 6 && grh[7] == 5 && !memcmp(grh + 8, src->gid, 16) &&
		       !memcmp(grh + 24, dst->gid, 16) && grh[6] == (addr == ADDR_V1 ? 0x1b : 17);
	for (i = 0; i < 20; i++)
		if (grh[i])
			return false;
	return grh[20] == 0x45 && grh[21] == 2 && grh[28] == 5 &&
	       !memcmp(grh + 32, src->gid + 12, 4) && !memcmp(grh + 36, dst->gid + 12, 4);
}

static bool ud_round(struct tqp *x, struct tqp *y, unsigned int addr, uint32_t len, uint8_t opcode,
		     uint32_t src_qpn, uint32_t dqpn)
{
	static const uint8_t types[ADDRS] = { PRM_CQE_ROCE_GRH, PRM_CQE_ROCE_IPV6,
					      PRM_CQE_ROCE_IPV4, PRM_CQE_ROCE_IPV4 };
	struct wr wr = { .opcode = opcode,
			 .imm = 0x01020304,
			 .n = len ? 1 : 0,
			 .sge = { local(&a, 0, len) },
			 .to = &b,
			 .addr = addr,
			 .dqpn = dqpn,
			 .qkey = dqpn == GSI_QPN ? GSI_QKEY : 0x11111111 };
	struct tsge sge = local(&b, DST_OFF, 2000);
	uint32_t rqpn;
	struct prm_cqe64 *cqe;

	buf_fill(&a, 0, len, ++seed);
	post_recv(y, 1, &sge);
	post_send(x, &wr);
	settle();
	cqe = poll(&cb);
	if (!is_good(cqe, y, opcode == PRM_WQE_SEND ? PRM_CQE_RESP_SEND : PRM_CQE_RESP_SEND_IMM, 0))
		return false;
	rqpn = be32_to_cpu(cqe->flags_rqpn);
	return poll(&ca) && be32_to_cpu(cqe->byte_cnt) == len + 40 &&
	       (rqpn & 0xffffff) == src_qpn && (rqpn >> 28 & 3) == 1 &&
	       (rqpn >> 24 & 3) == types[addr] &&
	       (opcode == PRM_WQE_SEND_IMM || (be32_to_cpu(cqe->pkey) & 0xffff) == 0xffff) &&
	       (opcode == PRM_WQE_SEND || be32_to_cpu(cqe->immediate) == 0x01020304) &&
	       (addr == ADDR_V2_VLAN ? (cqe->l4_l3_hdr_type & 1) &&
					       be16_to_cpu(cqe->vlan_info) == (3 << 13 | 100) :
				       !(cqe->l4_l3_hdr_type & 1)) &&
	       ud_headers(&b, DST_OFF, addr) && buf_is(&b, DST_OFF + 40, len, seed) && quiet();
}

static void ud_open(struct tqp *x, struct tqp *y, enum prm_qp_st st)
{
	struct qp_opts o = { .qkey = st == PRM_QP_ST_QP1 ? GSI_QKEY : 0x11111111,
			     .mtu = PRM_QP_MTU_1024 };

	create_pair(x, y, st, &ca, &cb, &o);
}

static void test_ud(void)
{
	static const uint32_t sizes[] = { 0, 1, 2, 255, MTU };
	unsigned int addr, i;
	struct tqp x, y;
	bool good;

	ud_open(&x, &y, PRM_QP_ST_UD);
	for (addr = 0; addr < ADDRS; addr++) {
		for (i = 0, good = true; i < ARRAY_SIZE(sizes); i++)
			good = good &&
			       ud_round(&x, &y, addr, sizes[i], PRM_WQE_SEND, x.qpn, y.qpn) &&
			       ud_round(&x, &y, addr, sizes[i], PRM_WQE_SEND_IMM, x.qpn, y.qpn);
		ok(good, "UD, %s: 0 bytes to the MTU, with and without immediate %s",
		   addr_names[addr], wire.why);
	}
	destroy_pair(&x, &y);
	ud_open(&x, &y, PRM_QP_ST_QP1);
	for (addr = 0, good = true; addr < ADDRS; addr++)
		good = good && ud_round(&x, &y, addr, 256, PRM_WQE_SEND, GSI_QPN, GSI_QPN);
	ok(good, "GSI: source and destination QPN are 1, the Q_Key is the context's");
	destroy_pair(&x, &y);
}

static void test_ud_drops(void)
{
	struct wr wr = { .opcode = PRM_WQE_SEND,
			 .n = 1,
			 .sge = { local(&a, 0, 10) },
			 .to = &b,
			 .addr = ADDR_V1 };
	struct tsge sge = local(&b, DST_OFF, 45);
	struct prm_cqe64 *cqe;
	struct tqp x, y;

	ud_open(&x, &y, PRM_QP_ST_UD);
	wr.dqpn = y.qpn;
	wr.qkey = 0x22222222;
	post_recv(&y, 1, &sge);
	post_send(&x, &wr);
	settle();
	ok(poll(&ca) && !poll(&cb), "a datagram with another Q_Key is dropped");
	wr.dqpn = 0x7777;
	post_send(&x, &wr);
	settle();
	ok(poll(&ca) && !poll(&cb) && b.dev->rdma->rx_dropped >= 2,
	   "a datagram for an unknown QP is dropped");
	wr.dqpn = y.qpn;
	wr.qkey = 0x11111111;
	post_send(&x, &wr);
	settle();
	cqe = poll(&cb);
	ok(poll(&ca) && cqe && cqe_opcode(cqe) == PRM_CQE_RESP_ERR &&
	   cqe_syndrome(cqe) == PRM_CQE_SYND_LOCAL_LENGTH && qp_state(&y) == PRM_QP_ERR,
	   "a receive too short for GRH and data completes with a length error");
	destroy_pair(&x, &y);
	while (poll(&ca) || poll(&cb))
		;
}

static void test_multicast(void)
{
	uint8_t gid[16] = { 0xff, 0x0e, [10] = 0xff, 0xff, 224, 1, 2, 3 };
	struct wr wr = { .opcode = PRM_WQE_SEND,
			 .n = 1,
			 .sge = { local(&a, 0, 99) },
			 .to = &b,
			 .addr = ADDR_V1,
			 .dqpn = MCAST_QPN,
			 .qkey = 0x11111111,
			 .mgid = gid };
	struct prm_attach_to_mcg_in in = {};
	struct prm_attach_to_mcg_out out;
	struct tsge sge = local(&b, DST_OFF, 2000);
	struct tqp x, y;

	ud_open(&x, &y, PRM_QP_ST_UD);
	prm_set(&in, qpn, y.qpn);
	memcpy(prm_bytes(&in, multicast_gid), gid, 16);
	post_recv(&y, 1, &sge);
	post_send(&x, &wr);
	settle();
	ok(poll(&ca) && !poll(&cb), "multicast without an attached QP is dropped");
	ok(!command(&b, attach_to_mcg, &in, &out), "a QP can be attached to a multicast group");
	post_send(&x, &wr);
	settle();
	ok(poll(&ca) && is_good(poll(&cb), &y, PRM_CQE_RESP_SEND, 0) &&
	   b.dev->rdma->rx_mcast_packets == 1,
	   "an attached QP receives multicast");
	ok(command(&b, attach_to_mcg, &in, &out) == PRM_STATUS_BAD_PARAM,
	   "attaching twice is refused");
	ok(qp_command(&y, PRM_OP_destroy_qp) == PRM_STATUS_RES_BUSY,
	   "an attached QP cannot be destroyed");
	ok(!command(&b, detach_from_mcg, (struct prm_detach_from_mcg_in *)&in,
		    (struct prm_detach_from_mcg_out *)&out),
	   "a QP can be detached from a multicast group");
	destroy_pair(&x, &y);
}

#define SHORT_MTU	1522u
#define SHORT_MOST	(SHORT_MTU - 4 - 14 - IPV4_BYTES - UDP_BYTES - BTH_BYTES - RETH_BYTES - \
			 ICRC_BYTES)

/* The port of one of the sides has an MTU that the path has not. */
static void test_port_mtu(struct side *limited)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4, .mtu = PRM_QP_MTU_2048, .retry_set = true,
			     .retry = 1, .timeout = 8 };
	const struct eth_counters *counters = &limited->dev->eth->counters;
	uint64_t dropped = counters->tx_errors.packets + counters->rx_oversize.packets;
	struct tqp x, y;
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE,
			 .n = 1,
			 .sge = { local(&a, 0, SHORT_MOST + 1) },
			 .raddr = b.va + DST_OFF,
			 .rkey = b.rkey };
	struct prm_cqe64 *cqe;

	limited->dev->eth->port_mtu = SHORT_MTU;
	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	ok(run_op(&x, &y, &op_cases[2], SHORT_MOST), "%s's port: the longest packet passes",
	   limited->dev->name);
	post_send(&x, &wr);
	pass_time(20);
	cqe = poll(&ca);
	ok(cqe && cqe_opcode(cqe) == PRM_CQE_REQ_ERR &&
	   cqe_syndrome(cqe) == PRM_CQE_SYND_TRANSPORT_RETRY_EXC &&
	   counters->tx_errors.packets + counters->rx_oversize.packets - dropped == 2 && quiet(),
	   "%s's port: a longer one is dropped, again when it is repeated, and counted",
	   limited->dev->name);
	destroy_pair(&x, &y);
	limited->dev->eth->port_mtu = SIDE_MTU;
}

/* Of datagrams it is their own length that counts. */
static void test_port_mtu_ud(void)
{
	struct qp_opts o = { .qkey = 0x11111111, .mtu = PRM_QP_MTU_4096 };
	uint64_t dropped = a.dev->eth->counters.tx_errors.packets;
	struct tsge sge = local(&b, DST_OFF, 4200);
	struct wr wr = { .opcode = PRM_WQE_SEND, .n = 1, .sge = { local(&a, 0, 1400) },
			 .to = &b, .addr = ADDR_V2_IPV4, .qkey = o.qkey };
	struct tqp x, y;

	a.dev->eth->port_mtu = SHORT_MTU;
	create_pair(&x, &y, PRM_QP_ST_UD, &ca, &cb, &o);
	post_recv(&y, 1, &sge);
	wr.dqpn = y.qpn;
	post_send(&x, &wr);
	settle();
	ok(poll(&ca) && poll(&cb), "a datagram within the port's MTU arrives");
	wr.sge[0].len = 1500;
	post_send(&x, &wr);
	settle();
	ok(is_good(poll(&ca), &x, PRM_CQE_REQ, PRM_WQE_SEND) && quiet() &&
	   a.dev->eth->counters.tx_errors.packets - dropped == 1,
	   "a longer one is sent, and dropped there");
	destroy_pair(&x, &y);
	a.dev->eth->port_mtu = SIDE_MTU;
}

static void test_same_function(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4, .qkey = 1 };
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE,
			 .n = 1,
			 .sge = { local(&a, 0, 5000) },
			 .raddr = a.va + 9000,
			 .rkey = a.rkey };
	struct tqp x, y;

	buf_fill(&a, 0, 5000, 3);
	create_qp(&x, &a, PRM_QP_ST_RC, &ca, &o);
	create_qp(&y, &a, PRM_QP_ST_RC, &ca, &o);
	ok(!qp_init(&x, &o) && !qp_init(&y, &o) && !qp_rtr(&x, &y, &o) && !qp_rtr(&y, &x, &o) &&
	   !qp_rts(&x, &o) && !qp_rts(&y, &o),
	   "two QPs of one function can be connected");
	post_send(&x, &wr);
	settle();
	ok(is_good(poll(&ca), &x, PRM_CQE_REQ, PRM_WQE_RDMA_WRITE) && buf_is(&a, 9000, 5000, 3),
	   "two QPs of one function exchange data through the switch");
	destroy_pair(&x, &y);
}

int main(void)
{
	unsigned int addr;

	sides_open();
	create_cq(&ca, &a, 9);
	create_cq(&cb, &b, 9);
	for (addr = 0; addr < ADDRS; addr++)
		test_ops(PRM_QP_ST_RC, addr);
	test_ops(PRM_QP_ST_UC, ADDR_V2_IPV4);
	test_mtus();
	test_port_mtu(&a);
	test_port_mtu(&b);
	test_port_mtu_ud();
	test_wqes();
	test_fence_and_reads();
	test_atomics();
	test_srq();
	test_ud();
	test_invalidate();
	test_multicast();
	test_ud_drops();
	test_same_function();
	ok(!wire.wrong, "all frames were well-formed %s", wire.why);
	sides_close();
	return ok_end();
}
