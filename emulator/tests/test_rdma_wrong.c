// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* A driver that is wrong about the WQEs and indices of RDMA queues, one thing at a time. */
#include "prm/caps.h"
#include "rdma_umr.h"
#include "wrong_log.h"

/* ---- send queues ---- */

struct send_case {
	const char *what;
	enum prm_qp_st st;
	uint8_t opcode;
	void (*corrupt)(uint8_t *wqe, uint32_t qpn);	/* as it stands in the queue */
	const char *text;
};

static struct prm_wqe_ctrl_seg *ctrl_of(uint8_t *wqe)
{
	return (void *)wqe;
}

static void no_size(uint8_t *wqe, uint32_t qpn)
{
	ctrl_of(wqe)->qpn_ds = cpu_to_be32(qpn << 8);
}

static void other_index(uint8_t *wqe, uint32_t qpn)
{
	(void)qpn;
	ctrl_of(wqe)->opmod_idx_opcode = cpu_to_be32(9 << 8 | PRM_WQE_SEND);
}

static void other_queue(uint8_t *wqe, uint32_t qpn)
{
	ctrl_of(wqe)->qpn_ds = cpu_to_be32((qpn + 1) << 8 | 2);
}

static void modifier(uint8_t *wqe, uint32_t qpn)
{
	(void)qpn;
	ctrl_of(wqe)->opmod_idx_opcode = cpu_to_be32(1u << 24 | PRM_WQE_SEND);
}

static void too_long(uint8_t *wqe, uint32_t qpn)
{
	ctrl_of(wqe)->qpn_ds = cpu_to_be32(qpn << 8 | 5);
}

static void only_control(uint8_t *wqe, uint32_t qpn)
{
	ctrl_of(wqe)->qpn_ds = cpu_to_be32(qpn << 8 | 1);
}

static void long_inline(uint8_t *wqe, uint32_t qpn)
{
	(void)qpn;
	put32(wqe + 16, PRM_WQE_INLINE | 100);
}

static void short_vector(uint8_t *wqe, uint32_t qpn)
{
	struct prm_av *av = (void *)(wqe + 16);

	(void)qpn;
	av->dqp_dct = cpu_to_be32(be32_to_cpu(av->dqp_dct) & ~PRM_AV_EXTENDED);
}

static void empty_gid(uint8_t *wqe, uint32_t qpn)
{
	struct prm_av *av = (void *)(wqe + 16);

	(void)qpn;
	av->grh_gid_fl = cpu_to_be32(PRM_AV_GRH | 200 << PRM_AV_GID_SHIFT);
}

static void mixed_gids(uint8_t *wqe, uint32_t qpn)
{
	struct prm_av *av = (void *)(wqe + 16);

	(void)qpn;
	av->grh_gid_fl = cpu_to_be32(PRM_AV_GRH | ADDR_V2_IPV4 << PRM_AV_GID_SHIFT);
}

static void atomic_of_16(uint8_t *wqe, uint32_t qpn)
{
	(void)qpn;
	put32(wqe + 48, 16);
}

static const struct send_case send_cases[] = {
	{ "a WQE without a size", PRM_QP_ST_RC, PRM_WQE_SEND, no_size,
	  "QP 0x*: send WQE 0: its size is 0 (0x*)" },
	{ "a WQE with another index", PRM_QP_ST_RC, PRM_WQE_SEND, other_index,
	  "QP 0x*: send WQE 0: its control segment has another index (0x90a)" },
	{ "a WQE of another queue", PRM_QP_ST_RC, PRM_WQE_SEND, other_queue,
	  "QP 0x*: send WQE 0: its control segment has another QPN (0x*)" },
	{ "an opcode modifier", PRM_QP_ST_RC, PRM_WQE_SEND, modifier,
	  "QP 0x*: send WQE 0: the QP cannot do this opcode (0x100000a)" },
	{ "a READ on UC", PRM_QP_ST_UC, PRM_WQE_RDMA_READ, NULL,
	  "QP 0x*: send WQE 0: the QP cannot do this opcode (0x10)" },
	{ "a masked atomic, which is not advertised", PRM_QP_ST_RC, PRM_WQE_ATOMIC_MASKED_CS, NULL,
	  "QP 0x*: send WQE 0: the QP cannot do this opcode (0x14)" },
	{ "a WQE longer than what was posted", PRM_QP_ST_RC, PRM_WQE_SEND, too_long,
	  "QP 0x*: send WQE 0: it is longer than what was posted (0x2)" },
	{ "a WRITE without an address", PRM_QP_ST_RC, PRM_WQE_RDMA_WRITE, only_control,
	  "QP 0x*: send WQE 0: the WQE ends before the segments that its opcode needs (0x8)" },
	{ "inline data beyond the WQE", PRM_QP_ST_RC, PRM_WQE_SEND, long_inline,
	  "QP 0x*: send WQE 0: inline data run over the end of the WQE (0x20)" },
	{ "an atomic on 16 bytes", PRM_QP_ST_RC, PRM_WQE_ATOMIC_FA, atomic_of_16,
	  "QP 0x*: send WQE 0: an atomic operation works on 8 bytes (0x10)" },
	{ "a short address vector", PRM_QP_ST_UD, PRM_WQE_SEND, short_vector,
	  "QP 0x*: send WQE 0: RoCE needs an extended address vector (0x*)" },
	{ "an empty source GID", PRM_QP_ST_UD, PRM_WQE_SEND, empty_gid,
	  "QP 0x*: source GID index 200 is empty" },
	{ "an IPv4 source for an IPv6 destination", PRM_QP_ST_UD, PRM_WQE_SEND, mixed_gids,
	  "QP 0x*: source GID 2 is IPv4, the destination GID is not" },
};

static void wrong_send(const struct send_case *k)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV6, .qkey = 5 };
	struct wr wr = { .opcode = k->opcode, .n = 1, .sge = { { a.va, 8, a.lkey } },
			 .raddr = b.va + 5, .rkey = b.rkey };
	struct tqp x, y;

	create_pair(&x, &y, k->st, &ca, &cb, &o);
	if (k->opcode == PRM_WQE_SEND)
		wr.rkey = 0;
	if (k->st == PRM_QP_ST_UD) {
		wr.to = &b;
		wr.addr = ADDR_V2_IPV6;
		wr.dqpn = y.qpn;
		wr.qkey = 5;
	}
	post_send_quietly(&x, &wr);
	if (k->corrupt)
		k->corrupt(mem_at(&a, x.sq), x.qpn);
	wrong_begin();
	ring(&x);
	settle();
	wrong_expect(k->what, k->text);
	drain(&ca, &cb);
	destroy_pair(&x, &y);
	drain(&ca, &cb);
}

static void wrong_length(void)
{
	struct qp_opts o = { .addr = ADDR_V1, .qkey = 5 };
	struct wr wr = { .opcode = PRM_WQE_SEND, .n = 1, .sge = { { a.va, 1025, a.lkey } },
			 .to = &b, .addr = ADDR_V1, .qkey = 5 };
	struct tqp x, y;

	create_pair(&x, &y, PRM_QP_ST_UD, &ca, &cb, &o);
	wr.dqpn = y.qpn;
	wrong_begin();
	post_send(&x, &wr);
	settle();
	wrong_expect("a datagram above the MTU",
		     "QP 0x*: send WQE 0: message of 1025 bytes");
	drain(&ca, &cb);
	destroy_pair(&x, &y);
	drain(&ca, &cb);
}

static void wrong_xrc(void)
{
	uint32_t xrcd = alloc_xrcd(&a);
	struct qp_opts o = { .xrcd = xrcd, .addr = ADDR_V1 };
	struct wr wr = { .opcode = PRM_WQE_SEND };
	struct tqp x;
	struct tsrq srq;

	create_xrc_srq(&srq, &a, 4, xrcd, &ca, a.pd, 1);
	o.srq = &srq;
	ok(!create_qp(&x, &a, PRM_QP_ST_XRC, &ca, &o) && !qp_init(&x, &o) && !qp_rtr(&x, &x, &o) &&
	   !qp_rts(&x, &o), "an XRC QP can be connected");
	wrong_begin();
	post_send(&x, &wr);
	settle();
	wrong_expect("an XRC WQE without its segment",
		     "QP 0x*: send WQE 0: the WQE ends before its XRC segment (0x10)");
	drain(&ca, &cb);
	qp_command(&x, PRM_OP_destroy_qp);
}

/* ---- what the queue stands in ---- */

static void wrong_memory(void)
{
	struct { struct prm_create_qp_in in; __be64 pas[2]; } cmd = {};
	struct prm_create_qp_out out;
	struct qp_opts o = { .addr = ADDR_V1 };
	struct tqp x = { .side = &a, .st = PRM_QP_ST_RC, .cq = &ca, .log_sq = 6 };

	prm_set(&cmd.in, opcode, PRM_OP_create_qp);
	prm_set(&cmd.in, qpc.st, PRM_QP_ST_RC);
	prm_set(&cmd.in, qpc.pm_state, PRM_QP_PM_MIGRATED);
	prm_set(&cmd.in, qpc.pd, a.pd);
	prm_set(&cmd.in, qpc.log_sq_size, 6);
	prm_set(&cmd.in, qpc.uar_page, a.uar);
	prm_set(&cmd.in, qpc.cqn_snd, ca.cqn);
	prm_set(&cmd.in, qpc.rq_type, PRM_QP_RQ_NONE);
	x.dbr = mem_alloc(&a, 64);
	prm_set64(&cmd.in, qpc.dbr_addr, x.dbr);
	cmd.pas[0] = cpu_to_be64(0x7000000000ull);
	ok(!exec(&a, PRM_OP_create_qp, &cmd, sizeof(cmd), &out, sizeof(out)),
	   "a QP in unmapped memory can be created");
	x.qpn = prm_get(&out, qpn);
	ok(!qp_init(&x, &o) && !qp_rtr(&x, &x, &o) && !qp_rts(&x, &o),
	   "a QP in unmapped memory reaches RTS");
	put32((uint8_t *)mem_at(&a, x.dbr) + 4, 1);
	wrong_begin();
	ring(&x);
	settle();
	wrong_expect("a send queue that is not mapped",
		     "DMA read of 64 bytes at 0x7000000000: not mapped\n"
		     "QP 0x*: send WQE 0: it cannot be read (0x0)");
	drain(&ca, &cb);
	qp_command(&x, PRM_OP_destroy_qp);
}

/* The WQE of a message that was sent and not answered becomes another one. */
static void wrong_change(void)
{
	struct qp_opts o = { .addr = ADDR_V1 };
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE, .n = 1,
			 .sge = { { a.va, 100, a.lkey } }, .raddr = b.va, .rkey = b.rkey };
	struct tqp x, y;

	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	wire.drop_every = 1;
	post_send_quietly(&x, &wr);
	post_send(&x, &wr);
	settle();
	put32((uint8_t *)mem_at(&a, x.sq) + 32, 50);
	wire.drop_every = 0;
	wrong_begin();
	pass_time(2000);
	wrong_expect("a WQE that changes in flight",
		     "QP 0x*: send WQE 0 was changed while it was in use");
	drain(&ca, &cb);
	destroy_pair(&x, &y);
	drain(&ca, &cb);
}

static void wrong_doorbells(void)
{
	struct qp_opts o = { .addr = ADDR_V1 };
	struct tqp x, y;

	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	put32((uint8_t *)mem_at(&a, x.dbr) + 4, 65);
	wrong_begin();
	ring(&x);
	settle();
	wrong_expect("a send queue that overflows",
		     "QP 0x*: send producer index 65 is not within 0 to 64");
	drain(&ca, &cb);
	destroy_pair(&x, &y);
	drain(&ca, &cb);
	create_qp(&x, &a, PRM_QP_ST_RC, &ca, &o);
	wrong_begin();
	ring(&x);
	settle();
	wrong_expect("a doorbell in RST", "QP 0x*: doorbell for send WQE 0 in state 0");
	qp_command(&x, PRM_OP_destroy_qp);

	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	qp_command(&x, PRM_OP_qp_2rst);
	wrong_begin();
	ring(&x);
	qp_init(&x, &o);
	ring(&x);
	settle();
	wrong_expect("a doorbell in INIT; one that comes late, after 2RST, is ignored",
		     "QP 0x*: doorbell for send WQE 0 in state 1");
	destroy_pair(&x, &y);
	drain(&ca, &cb);
}

/* ---- receive queues ---- */

static void wrong_receive(void)
{
	struct qp_opts o = { .addr = ADDR_V1 };
	struct wr wr = { .opcode = PRM_WQE_SEND, .n = 1, .sge = { { a.va, 10, a.lkey } } };
	struct tsrq srq;
	struct tqp x, y;

	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	put32(mem_at(&b, y.dbr), 65);
	wrong_begin();
	post_send(&x, &wr);
	settle();
	/* once for the message, once for the flush */
	wrong_expect("a receive queue that is overfull",
		     "QP 0x*: receive producer index 65 is not within 0 to 64\n"
		     "QP 0x*: receive producer index 65 is not within 0 to 64");
	drain(&ca, &cb);
	destroy_pair(&x, &y);
	drain(&ca, &cb);

	create_rmp(&srq, &b, 4);
	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	qp_command(&y, PRM_OP_destroy_qp);
	o.srq = &srq;
	ok(!create_qp(&y, &b, PRM_QP_ST_RC, &cb, &o) && !qp_init(&y, &o) && !qp_rtr(&y, &x, &o) &&
	   !qp_rts(&y, &o), "a QP with an RMP reaches RTS");
	qp_command(&x, PRM_OP_destroy_qp);
	o.srq = NULL;
	ok(!create_qp(&x, &a, PRM_QP_ST_RC, &ca, &o) && !qp_init(&x, &o) && !qp_rtr(&x, &y, &o) &&
	   !qp_rts(&x, &o), "the peer of a QP with an RMP reaches RTS");
	/* the shared queue's pair knows the number of the first peer, so it is made to fit */
	qp_command(&y, PRM_OP_qp_2rst);
	o.srq = &srq;
	ok(!qp_init(&y, &o) && !qp_rtr(&y, &x, &o) && !qp_rts(&y, &o), "both QPs are connected");
	put32(mem_at(&b, srq.dbr), 17);
	wrong_begin();
	post_send(&x, &wr);
	settle();
	wrong_expect("a shared queue that is overfull",
		     "RMP 0x*: receive producer index 17 is not within 0 to 16");
	drain(&ca, &cb);
	destroy_pair(&x, &y);
	drain(&ca, &cb);
}

/* ---- keys changed by WQEs ---- */

static void wrong_pd(void)
{
	struct { struct prm_create_qp_in in; __be64 pas[2]; } cmd = {};
	struct tqp x = { .side = &a, .st = PRM_QP_ST_REG_UMR, .cq = &ca, .log_sq = 6 };
	struct wr wr = { .opcode = PRM_WQE_UMR };
	struct prm_create_qp_out out;
	struct qp_opts o = { .addr = ADDR_V1 };
	uint8_t raw[256] = {};
	struct prm_wqe_umr_ctrl_seg *umr = (void *)(raw + 16);
	struct prm_mkc *mkc = (void *)(raw + 64);
	uint32_t key = create_mkey(&a, a.pd, MEM_LOCAL_READ, a.va, 4096, 0);

	prm_set(&cmd.in, opcode, PRM_OP_create_qp);
	prm_set(&cmd.in, qpc.st, PRM_QP_ST_REG_UMR);
	prm_set(&cmd.in, qpc.pm_state, PRM_QP_PM_MIGRATED);
	prm_set(&cmd.in, qpc.fre, 1);
	prm_set(&cmd.in, qpc.pd, a.pd);
	prm_set(&cmd.in, qpc.log_sq_size, 6);
	prm_set(&cmd.in, qpc.uar_page, a.uar);
	prm_set(&cmd.in, qpc.cqn_snd, ca.cqn);
	prm_set(&cmd.in, qpc.rq_type, PRM_QP_RQ_NONE);
	x.dbr = mem_alloc(&a, 64);
	x.sq = mem_alloc(&a, 4096);
	prm_set64(&cmd.in, qpc.dbr_addr, x.dbr);
	cmd.pas[0] = cpu_to_be64(x.sq);
	ok(!exec(&a, PRM_OP_create_qp, &cmd, sizeof(cmd), &out, sizeof(out)),
	   "a UMR QP can be created");
	x.qpn = prm_get(&out, qpn);
	ok(!qp_init(&x, &o) && !qp_rtr(&x, &x, &o) && !qp_rts(&x, &o),
	   "a UMR QP reaches RTS");
	umr->flags = PRM_UMR_INLINE;
	umr->mkey_mask = cpu_to_be64(PRM_UMR_MASK_PD);
	prm_set(mkc, pd, 0xabcdef);
	wr.imm = key;
	post_wqe(&x, &wr, raw, 128);
	wrong_begin();
	ring(&x);
	settle();
	wrong_expect("a key for an unknown PD",
		     "QP 0x*: send WQE 0: there is no such PD (0xabcdef)");
	drain(&ca, &cb);
	qp_command(&x, PRM_OP_destroy_qp);
}

/* A registration, and a WRITE directly behind it whose data are in the region. */
static void post_fenced(struct tqp *qp, uint32_t key, uint8_t fence, uint8_t behind)
{
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE, .n = 1, .flags = behind,
			 .sge = { { b.va + KEY_OFF, 64, key } }, .raddr = a.va, .rkey = a.rkey };
	uint8_t list[64] = {};
	struct umr_wr reg;

	page_list(&b, list, KEY_OFF, 3);
	reg = reg_wr(key, list, 3);
	reg.fence = fence;
	post_umr(qp, &reg);
	post_send(qp, &wr);
	settle();
}

static void wrong_fences(void)
{
	static const struct {
		enum prm_umr_fence need;
		uint8_t fence, behind;
		const char *text;	/* NULL: all is well */
	} cases[] = {
		{ PRM_UMR_FENCE_STRONG, PRM_WQE_FENCE_STRONG, PRM_WQE_FENCE_INITIATOR_SMALL },
		{ PRM_UMR_FENCE_STRONG, PRM_WQE_FENCE_STRONG, PRM_WQE_FENCE_SMALL_AND_FENCE },
		{ PRM_UMR_FENCE_STRONG, PRM_WQE_FENCE_SMALL_AND_FENCE,
		  PRM_WQE_FENCE_INITIATOR_SMALL,
		  "QP 0x*: send WQE 0 registers key 0x* without the fence that it needs" },
		{ PRM_UMR_FENCE_SMALL, PRM_WQE_FENCE_INITIATOR_SMALL,
		  PRM_WQE_FENCE_INITIATOR_SMALL },
		{ PRM_UMR_FENCE_SMALL, PRM_WQE_FENCE, PRM_WQE_FENCE_INITIATOR_SMALL,
		  "QP 0x*: send WQE 0 registers key 0x* without the fence that it needs" },
		{ PRM_UMR_FENCE_NONE, 0, PRM_WQE_FENCE_INITIATOR_SMALL },
		{ PRM_UMR_FENCE_NONE, 0, 0,
		  "QP 0x*: send WQE 3 uses key 0x*, just registered, without a fence" },
	};
	struct prm_cmd_hca_cap *cap = (void *)b.dev->hca->cap_cur[CAP_GENERAL];
	char what[64];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		uint32_t key = create_free_mkey(&b, b.pd, MKEY_MTT, 4, false);
		uint64_t before = b.dev->violations;
		struct tqp x, y;

		prm_set(cap, umr_fence, cases[i].need);
		pair(&x, &y);
		wrong_begin();
		post_fenced(&y, key, cases[i].fence, cases[i].behind);
		snprintf(what, sizeof(what), "umr_fence %u, 0x%02x", cases[i].need,
			 cases[i].fence);
		if (cases[i].text)
			wrong_expect(what, cases[i].text);
		ok(good(&cb) && good(&cb) && b.dev->violations - before == !!cases[i].text,
		   "umr_fence %u: a registration with 0x%02x, then a WQE with 0x%02x",
		   cases[i].need, cases[i].fence, cases[i].behind);
		destroy_pair(&x, &y);
		destroy_mkey(&b, key);
	}
	prm_set(cap, umr_fence, PRM_UMR_FENCE_STRONG);
}

/* In user space the library and the program have to know. */
static void right_fences(void)
{
	uint32_t key = create_free_mkey(&b, b.pd, MKEY_KLM, 4, false);
	uint64_t before = b.dev->violations;
	uint8_t klm[64] = {};
	struct umr_wr reg;
	struct tqp x, y;

	klm_put(klm, KEY_BYTES, b.lkey, b.va + KEY_OFF);
	reg = klm_reg_wr(key, klm);
	reg.fence = 0;
	user_pair(&x, &y);
	post_umr(&y, &reg);
	ok(good(&cb) && b.dev->violations == before, "a process registers without a fence");
	destroy_pair(&x, &y);
	destroy_mkey(&b, key);
}

int main(void)
{
	unsigned int i;

	wrong_open_here(ok);
	sides_open();
	create_cq(&ca, &a, 8);
	create_cq(&cb, &b, 8);
	for (i = 0; i < ARRAY_SIZE(send_cases); i++)
		wrong_send(&send_cases[i]);
	wrong_length();
	wrong_xrc();
	wrong_memory();
	wrong_change();
	wrong_doorbells();
	wrong_receive();
	wrong_pd();
	wrong_fences();
	right_fences();
	sides_close();
	wrong_close();
	return ok_end();
}
