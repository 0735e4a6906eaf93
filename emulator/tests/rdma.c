// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The small driver and verbs library behind the tests of the RDMA engine. */
#include <stdlib.h>

#include "base/base.h"
#include "ktap.h"
#include "log.h"
#include "rdma.h"

#define PAGE 4096u
#define EVENTS	(0x1f22be | 1 << PRM_EVENT_COMM_EST | 1 << PRM_EVENT_DCT_DRAINED |	\
		 1 << PRM_EVENT_DCT_KEY_VIOLATION)
#define VA_BASE (0x7f0000000000ull + VA_SKEW)

struct side a, b;

bool ok(bool good, const char *fmt, ...)
{
	static bool begun;
	va_list ap;

	if (!begun)
		ktap_plan(0);
	begun = true;
	va_start(ap, fmt);
	vktap(good, fmt, ap);
	va_end(ap);
	return good;
}

int ok_end(void)
{
	return ktap_end();
}

static void die(const char *what)
{
	printf("Bail out! %s\n", what);
	exit(2);
}

/* ---- memory -------------------------------------------------------------------------------- */

static int guest_access(const struct side *side, uint64_t addr, size_t len)
{
	if (addr < MEM_BASE || addr - MEM_BASE > MEM_BYTES || len > MEM_BYTES - (addr - MEM_BASE))
		return -14;
	return side->lost && addr < side->lost + PAGE && side->lost < addr + len ? -14 : 0;
}

static int ops_read(void *guest, uint64_t addr, void *buf, size_t len)
{
	struct side *side = guest;

	if (guest_access(side, addr, len))
		return -14;
	memcpy(buf, side->mem + (addr - MEM_BASE), len);
	return guest_access(side, addr, len);
}

static int ops_write(void *guest, uint64_t addr, const void *buf, size_t len)
{
	struct side *side = guest;

	if (guest_access(side, addr, len))
		return -14;
	memcpy(side->mem + (addr - MEM_BASE), buf, len);
	return guest_access(side, addr, len);
}

static uint8_t *ops_ptr(void *guest, uint64_t addr, size_t *len, bool write)
{
	struct side *side = guest;

	(void)write;
	return guest_access(side, addr, *len) ? NULL : side->mem + (addr - MEM_BASE);
}

static int ops_irq(void *guest, unsigned int vector)
{
	(void)guest;
	(void)vector;
	return 0;
}

static const struct guest_ops ops = {
	.read = ops_read, .write = ops_write, .ptr = ops_ptr, .irq = ops_irq,
};

uint64_t mem_alloc(struct side *side, uint64_t bytes)
{
	uint64_t at = side->next;

	side->next += (bytes + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	if (side->next > MEM_BYTES)
		die("the test needs more memory");
	memset(side->mem + at, 0, bytes);
	return MEM_BASE + at;
}

void *mem_at(struct side *side, uint64_t addr)
{
	return side->mem + (addr - MEM_BASE);
}

/* The buffer's pages stand in memory in reverse order. */
static uint64_t buf_page(struct side *side, uint64_t n)
{
	return side->buf + (BUF_BYTES / PAGE - n) * PAGE;
}

uint8_t *buf_at(struct side *side, uint64_t off)
{
	uint64_t at = (side->va & (PAGE - 1)) + off;

	return mem_at(side, buf_page(side, at / PAGE) + at % PAGE);
}

void buf_fill(struct side *side, uint64_t off, uint64_t len, uint32_t seed)
{
	uint64_t i;

	for (i = 0; i < len; i++)
		*buf_at(side, off + i) = (i * 31 + (i >> 8) * 7 + seed) ^ seed >> 8;
}

bool buf_is(struct side *side, uint64_t off, uint64_t len, uint32_t seed)
{
	uint64_t i;

	for (i = 0; i < len; i++)
		if (*buf_at(side, off + i) != (uint8_t)((i * 31 + (i >> 8) * 7 + seed) ^ seed >> 8))
			return false;
	return true;
}

/* ---- commands ------------------------------------------------------------------------------ */

int exec(struct side *side, uint16_t opcode, void *in, uint32_t in_len, void *out, uint32_t out_len)
{
	struct cmd c = { .dev = side->dev, .opcode = opcode, .in = in, .in_len = in_len,
			 .out = out, .out_len = out_len };

	c.uid = prm_get((struct prm_mbox_in *)in, uid);
	c.op_mod = prm_get((struct prm_mbox_in *)in, op_mod);
	memset(out, 0, out_len);
	return cmd_run(&c) ? c.status : 0;
}

static void must(int status, const char *what)
{
	if (status) {
		printf("# %s: status 0x%02x\n", what, status);
		die(what);
	}
}

uint32_t alloc_pd(struct side *side)
{
	struct prm_alloc_pd_in in = {};
	struct prm_alloc_pd_out out;

	must(command(side, alloc_pd, &in, &out), "alloc_pd");
	return prm_get(&out, pd);
}

uint32_t create_mkey(struct side *side, uint32_t pd, unsigned int access, uint64_t va, uint64_t len,
		     uint64_t mem_off)
{
	uint64_t pages = ((va & (PAGE - 1)) + len + PAGE - 1) / PAGE, i;
	uint32_t octwords = (pages + 1) / 2,
		 size = sizeof(struct prm_create_mkey_in) + octwords * 16;
	struct prm_create_mkey_in *in = calloc(1, size);
	struct prm_create_mkey_out out;
	uint8_t *mtt = prm_tail(in);

	prm_set(in, memory_key_mkey_entry.access_mode_1_0, MKEY_MTT);
	prm_set(in, memory_key_mkey_entry.lr, !!(access & MEM_LOCAL_READ));
	prm_set(in, memory_key_mkey_entry.lw, !!(access & MEM_LOCAL_WRITE));
	prm_set(in, memory_key_mkey_entry.rr, !!(access & MEM_REMOTE_READ));
	prm_set(in, memory_key_mkey_entry.rw, !!(access & MEM_REMOTE_WRITE));
	prm_set(in, memory_key_mkey_entry.a, !!(access & MEM_REMOTE_ATOMIC));
	prm_set(in, memory_key_mkey_entry.umr_en, 1);
	prm_set(in, memory_key_mkey_entry.en_rinval, 1);
	prm_set(in, memory_key_mkey_entry.qpn, 0xffffff);
	prm_set(in, memory_key_mkey_entry.mkey_7_0, 0x5a);
	prm_set(in, memory_key_mkey_entry.pd, pd);
	prm_set64(in, memory_key_mkey_entry.start_addr, va);
	prm_set64(in, memory_key_mkey_entry.len, len);
	prm_set(in, memory_key_mkey_entry.translations_octword_size, octwords);
	prm_set(in, memory_key_mkey_entry.log_page_size, 12);
	prm_set(in, translations_octword_actual_size, octwords);
	for (i = 0; i < pages; i++)
		put64(mtt + 8 * i, buf_page(side, i + mem_off / PAGE));
	prm_set(in, opcode, PRM_OP_create_mkey);
	must(exec(side, PRM_OP_create_mkey, in, size, &out, sizeof(out)), "create_mkey");
	free(in);
	return prm_get(&out, mkey_index) << 8 | 0x5a;
}

int destroy_mkey(struct side *side, uint32_t key)
{
	struct prm_destroy_mkey_in in = {};
	struct prm_destroy_mkey_out out;

	prm_set(&in, mkey_index, key >> 8);
	return command(side, destroy_mkey, &in, &out);
}

static void create_eq(struct side *side)
{
	struct { struct prm_create_eq_in in; __be64 pas[16]; } cmd = {};
	uint32_t bytes = sizeof(struct prm_eqe) << EQ_LOG, i;
	struct prm_create_eq_out out;

	side->eq = mem_alloc(side, bytes);
	for (i = 0; i < 1u << EQ_LOG; i++)
		((struct prm_eqe *)mem_at(side, side->eq))[i].owner = 1;
	for (i = 0; i < bytes / PAGE; i++)
		cmd.pas[i] = cpu_to_be64(side->eq + i * PAGE);
	prm_set(&cmd.in, opcode, PRM_OP_create_eq);
	prm_set(&cmd.in, eq_context_entry.log_eq_size, EQ_LOG);
	prm_set(&cmd.in, eq_context_entry.uar_page, side->uar);
	prm_set64(&cmd.in, event_bitmask[0], EVENTS);
	must(exec(side, PRM_OP_create_eq, &cmd, sizeof(cmd), &out, sizeof(out)), "create_eq");
	side->eqn = prm_get(&out, eq_number);
}

void create_cq(struct tcq *cq, struct side *side, unsigned int log)
{
	struct { struct prm_create_cq_in in; __be64 pas[256]; } cmd = {};
	uint32_t bytes = sizeof(struct prm_cqe64) << log, i;
	struct prm_create_cq_out out;

	*cq = (struct tcq) {
		.side = side, .log = log, .ring = mem_alloc(side, bytes),
		.dbr = mem_alloc(side, PAGE)
	};
	for (i = 0; i < 1u << log; i++)
		((struct prm_cqe64 *)mem_at(side, cq->ring))[i].op_own =
			PRM_CQE_INVALID << PRM_CQE_OPCODE_SHIFT | 1;
	for (i = 0; i < (bytes + PAGE - 1) / PAGE; i++)
		cmd.pas[i] = cpu_to_be64(cq->ring + i * PAGE);
	prm_set(&cmd.in, opcode, PRM_OP_create_cq);
	prm_set(&cmd.in, cq_context.log_cq_size, log);
	prm_set(&cmd.in, cq_context.uar_page, side->uar);
	prm_set(&cmd.in, cq_context.c_eqn_or_apu_element, side->eqn);
	prm_set64(&cmd.in, cq_context.dbr_addr, cq->dbr);
	must(exec(side, PRM_OP_create_cq, &cmd, sizeof(cmd), &out, sizeof(out)), "create_cq");
	cq->cqn = prm_get(&out, cqn);
}

/* ---- sides --------------------------------------------------------------------------------- */

static void set_addr(struct side *side, unsigned int n, const uint8_t gid[16], unsigned int version,
		     bool ipv6, unsigned int vlan)
{
	struct roce_addr *addr = &side->dev->roce_addrs[n];

	*addr = (struct roce_addr) {
		.valid = true, .version = version, .l3_type = ipv6, .vlan_valid = vlan, .vlan = vlan
	};
	memcpy(addr->gid, gid, 16);
	memcpy(addr->mac, side->dev->mac, 6);
}

static void set_addrs(struct side *side, uint8_t n)
{
	uint8_t link_local[16] = { 0xfe, 0x80, [8] = 0x02, [15] = n };
	uint8_t ipv6[16] = { 0x20, 0x01, 0x0d, 0xb8, [15] = n };
	uint8_t ipv4[16] = { [10] = 0xff, 0xff, 192, 168, 0, n };
	uint8_t vlan[16] = { [10] = 0xff, 0xff, 10, 0, 0, n };

	set_addr(side, ADDR_V1, link_local, 0, false, 0);
	set_addr(side, ADDR_V2_IPV6, ipv6, 2, true, 0);
	set_addr(side, ADDR_V2_IPV4, ipv4, 2, false, 0);
	set_addr(side, ADDR_V2_VLAN, vlan, 2, false, 100);
	side->dev->roce_enabled = true;
}

void side_open(struct side *side, const char *name, unsigned int index)
{
	struct prm_alloc_uar_in in = {};
	struct prm_alloc_uar_out out;

	trace_set_output(test_log());
	*side = (struct side){ .mem = malloc(MEM_BYTES), .va = VA_BASE + ((uint64_t)index << 32) };
	side->dev = cxdev_create(name, index, card_find("cx5", 3), &ops, side);
	if (!side->mem || !side->dev)
		die("the function cannot be made");
	side->dev->hca->pages.n = 1u << 20;	/* as if the driver had given them */
	side->dev->hca->phase = HCA_RUNNING;
	side->dev->eth->port_mtu = SIDE_MTU;
	must(command(side, alloc_uar, &in, &out), "alloc_uar");
	side->uar = prm_get(&out, uar);
	side->pd = alloc_pd(side);
	create_eq(side);
	side->buf = mem_alloc(side, BUF_BYTES + PAGE);
	side->lkey = create_mkey(side, side->pd,
				 MEM_LOCAL_READ | MEM_LOCAL_WRITE | MEM_REMOTE_READ |
					 MEM_REMOTE_WRITE | MEM_REMOTE_ATOMIC,
				 side->va, BUF_BYTES - PAGE, 0);
	side->rkey = side->lkey;
	set_addrs(side, index + 1);
}

void sides_open(void)
{
	loop_test_clock(1000000000);
	side_open(&a, "a", 0);
	side_open(&b, "b", 1);
	wire_watch();
}

void side_close(struct side *side)
{
	side->dev->hca->pages.n = 0;
	cxdev_destroy(side->dev);
	free(side->mem);
}

void sides_close(void)
{
	wire_set_filter(NULL, NULL);
	settle();
	side_close(&a);
	side_close(&b);
}

/* ---- queue pairs --------------------------------------------------------------------------- */

static unsigned int or_default(unsigned int v, unsigned int otherwise)
{
	return v ? v : otherwise;
}

static void set_receives(struct prm_qpc *ctx, const struct tqp *qp, const struct qp_opts *o)
{
	if (qp->st == PRM_QP_ST_DCI) {
		prm_set(ctx, rq_type, PRM_QP_RQ_NONE);
	} else if (o->srq) {
		prm_set(ctx, rq_type, PRM_QP_RQ_SRQ);
		prm_set(ctx, srqn_rmpn_xrqn, o->srq->num);
	} else {
		prm_set(ctx, log_rq_size, qp->log_rq);
		prm_set(ctx, log_rq_stride, qp->log_rq_stride);
	}
}

int create_qp(struct tqp *qp, struct side *side, enum prm_qp_st st, struct tcq *cq,
	      const struct qp_opts *o)
{
	struct { struct prm_create_qp_in in; __be64 pas[64]; } cmd = {};
	uint64_t rq_bytes, bytes, buf, i;
	struct prm_create_qp_out out;
	int status;

	*qp = (struct tqp) { .side = side,
			     .st = st,
			     .cq = cq,
			     .log_sq = or_default(o->log_sq, 6),
			     .log_rq = or_default(o->log_rq, 6),
			     .log_rq_stride = or_default(o->log_rq_stride, 2) };
	rq_bytes = o->srq || st == PRM_QP_ST_DCI ? 0 : 16ull << qp->log_rq_stride << qp->log_rq;
	bytes = rq_bytes + (o->no_sq ? 0 : 64ull << qp->log_sq);
	buf = mem_alloc(side, bytes + 2 * PAGE) + 3 * 64;	/* page_offset 3 */
	qp->dbr = mem_alloc(side, 64);
	qp->rq = buf;
	qp->sq = buf + rq_bytes;
	for (i = 0; bytes && i < (bytes + 3 * 64 + PAGE - 1) / PAGE; i++)
		cmd.pas[i] = cpu_to_be64(buf - 3 * 64 + i * PAGE);
	prm_set(&cmd.in, opcode, PRM_OP_create_qp);
	prm_set(&cmd.in, qpc.st, st);
	prm_set(&cmd.in, qpc.pm_state, PRM_QP_PM_MIGRATED);
	prm_set(&cmd.in, qpc.pd, or_default(o->pd, side->pd));
	prm_set(&cmd.in, qpc.no_sq, o->no_sq);
	prm_set(&cmd.in, qpc.block_lb_mc, o->block_lb_mc);
	prm_set(&cmd.in, qpc.fre, !o->no_fre);
	prm_set(&cmd.in, qpc.rlky, o->rlky);
	prm_set(&cmd.in, qpc.log_sq_size, o->no_sq ? 0 : qp->log_sq);
	prm_set(&cmd.in, qpc.xrcd, o->xrcd);
	prm_set(&cmd.in, qpc.log_num_dci_stream_channels, o->log_streams);
	prm_set(&cmd.in, qpc.log_num_dci_errored_streams, o->log_errored);
	set_receives(prm_sub(&cmd.in, qpc, qpc), qp, o);
	prm_set(&cmd.in, qpc.uar_page, side->uar);
	prm_set(&cmd.in, qpc.user_index, 0x123);
	prm_set(&cmd.in, qpc.page_offset, 3);
	prm_set(&cmd.in, qpc.cqn_snd, cq->cqn);
	prm_set(&cmd.in, qpc.cqn_rcv, cq->cqn);
	prm_set64(&cmd.in, qpc.dbr_addr, qp->dbr);
	status = exec(side, PRM_OP_create_qp, &cmd, sizeof(cmd), &out, sizeof(out));
	qp->qpn = prm_get(&out, qpn);
	return status;
}

int qp_init(struct tqp *qp, const struct qp_opts *o)
{
	struct prm_rst2init_qp_in in = {};
	struct prm_rst2init_qp_out out;

	prm_set(&in, qpn, qp->qpn);
	prm_set(&in, qpc.st, qp->st);
	prm_set(&in, qpc.primary_address_path.vhca_port_num, 1);
	prm_set(&in, qpc.q_key, o->qkey);
	prm_set(&in, qpc.rre, !o->no_remote);
	prm_set(&in, qpc.rwe, !o->no_remote);
	prm_set(&in, qpc.rae, !o->no_remote);
	prm_set(&in, qpc.atomic_mode, o->no_remote ? PRM_QP_ATOMIC_NONE : PRM_QP_ATOMIC_IB);
	prm_set(&in, qpc.counter_set_id, o->counter);
	prm_set(&in, qpc.lag_tx_port_affinity, o->affinity);
	return command(qp->side, rst2init_qp, &in, &out);
}

int qp_rtr(struct tqp *qp, const struct tqp *peer, const struct qp_opts *o)
{
	const struct roce_addr *to = &(peer ? peer : qp)->side->dev->roce_addrs[o->addr];
	struct prm_init2rtr_qp_in in = {};
	struct prm_init2rtr_qp_out out;

	prm_set(&in, qpn, qp->qpn);
	prm_set(&in, qpc.st, qp->st);
	prm_set(&in, qpc.mtu, or_default(o->mtu, PRM_QP_MTU_1024));
	prm_set(&in, qpc.log_msg_max, or_default(o->log_msg, LOG_MSG_MAX));
	if (!peer)
		return command(qp->side, init2rtr_qp, &in, &out);
	prm_set(&in, qpc.remote_qpn, peer->qpn);
	prm_set(&in, qpc.next_rcv_psn, o->recv_psn);
	prm_set(&in, qpc.log_rra_max, or_default(o->rra, 4));
	prm_set(&in, qpc.min_rnr_nak, or_default(o->min_rnr, 12));
	prm_set(&in, qpc.primary_address_path.src_addr_index, o->addr);
	prm_set(&in, qpc.primary_address_path.vhca_port_num, 1);
	prm_set(&in, qpc.primary_address_path.hop_limit, 64);
	prm_set(&in, qpc.primary_address_path.tclass, 0x2a);
	prm_set(&in, qpc.primary_address_path.dscp, 0x0a);
	prm_set(&in, qpc.primary_address_path.eth_prio, 5);
	prm_set(&in, qpc.primary_address_path.rmac_47_32, get16(to->mac));
	prm_set(&in, qpc.primary_address_path.rmac_31_0, get32(to->mac + 2));
	memcpy(prm_bytes(&in, qpc.primary_address_path.rgid_rip), to->gid, 16);
	return command(qp->side, init2rtr_qp, &in, &out);
}

int qp_rts(struct tqp *qp, const struct qp_opts *o)
{
	struct prm_rtr2rts_qp_in in = {};
	struct prm_rtr2rts_qp_out out;

	prm_set(&in, qpn, qp->qpn);
	prm_set(&in, qpc.st, qp->st);
	prm_set(&in, qpc.next_send_psn, o->send_psn);
	prm_set(&in, qpc.log_ack_req_freq, 8);
	prm_set(&in, qpc.retry_count, o->retry_set ? o->retry : 7);
	prm_set(&in, qpc.rnr_retry, o->rnr_set ? o->rnr_retry : 7);
	prm_set(&in, qpc.log_sra_max, or_default(o->sra, 4));
	prm_set(&in, qpc.primary_address_path.ack_timeout, or_default(o->timeout, 10));
	return command(qp->side, rtr2rts_qp, &in, &out);
}

int qp_command(struct tqp *qp, uint16_t opcode)
{
	struct prm_destroy_qp_in in = {};
	struct prm_destroy_qp_out out;

	prm_set(&in, opcode, opcode);
	prm_set(&in, qpn, qp->qpn);
	return exec(qp->side, opcode, &in, sizeof(in), &out, sizeof(out));
}

unsigned int qp_state(struct tqp *qp)
{
	struct prm_query_qp_in in = {};
	struct prm_query_qp_out out;

	prm_set(&in, qpn, qp->qpn);
	must(command(qp->side, query_qp, &in, &out), "query_qp");
	return prm_get(&out, qpc.state);
}

void create_pair(struct tqp *x, struct tqp *y, enum prm_qp_st st, struct tcq *cx, struct tcq *cy,
		 const struct qp_opts *o)
{
	struct qp_opts back = *o;

	back.send_psn = o->recv_psn;
	back.recv_psn = o->send_psn;
	must(create_qp(x, cx->side, st, cx, o), "create_qp");
	must(create_qp(y, cy->side, st, cy, &back), "create_qp");
	must(qp_init(x, o), "rst2init");
	must(qp_init(y, &back), "rst2init");
	must(qp_rtr(x, y, o), "init2rtr");
	must(qp_rtr(y, x, &back), "init2rtr");
	must(qp_rts(x, o), "rtr2rts");
	must(qp_rts(y, &back), "rtr2rts");
}

void destroy_pair(struct tqp *x, struct tqp *y)
{
	settle();
	must(qp_command(x, PRM_OP_destroy_qp), "destroy_qp");
	must(qp_command(y, PRM_OP_destroy_qp), "destroy_qp");
}

static void srq_ring(struct tsrq *srq, struct side *side, unsigned int log, __be64 *pas)
{
	uint32_t i, bytes = 64u << log;

	*srq = (struct tsrq) {
		.side = side, .log = log, .ring = mem_alloc(side, bytes), .dbr = mem_alloc(side, 64)
	};
	for (i = 0; i < (bytes + PAGE - 1) / PAGE; i++)
		pas[i] = cpu_to_be64(srq->ring + i * PAGE);
	for (i = 0; i < 1u << log; i++)	/* a list that is no ring: i, i + 5, i + 10 ... */
		((struct prm_wqe_srq_next_seg *)mem_at(side, srq->ring + 64 * i))->next_wqe_index =
			cpu_to_be16((i + 5) & ((1u << log) - 1));
}

uint32_t alloc_xrcd(struct side *side)
{
	struct prm_alloc_xrcd_in in = {};
	struct prm_alloc_xrcd_out out;

	must(command(side, alloc_xrcd, &in, &out), "alloc_xrcd");
	return prm_get(&out, xrcd);
}

void create_xrc_srq(struct tsrq *srq, struct side *side, unsigned int log, uint32_t xrcd,
		    struct tcq *cq, uint32_t pd, uint32_t user_index)
{
	struct { struct prm_create_xrc_srq_in in; __be64 pas[4]; } cmd = {};
	struct prm_create_xrc_srq_out out;

	srq_ring(srq, side, log, cmd.pas);
	prm_set(&cmd.in, opcode, PRM_OP_create_xrc_srq);
	prm_set(&cmd.in, xrc_srq_context_entry.log_xrc_srq_size, log);
	prm_set(&cmd.in, xrc_srq_context_entry.log_rq_stride, 2);
	prm_set(&cmd.in, xrc_srq_context_entry.xrcd, xrcd);
	prm_set(&cmd.in, xrc_srq_context_entry.cqn, cq->cqn);
	prm_set(&cmd.in, xrc_srq_context_entry.user_index, user_index);
	prm_set(&cmd.in, xrc_srq_context_entry.pd, pd);
	prm_set(&cmd.in, xrc_srq_context_entry.db_record_addr_h, srq->dbr >> 32);
	prm_set(&cmd.in, xrc_srq_context_entry.db_record_addr_l, (uint32_t)srq->dbr >> 2);
	must(exec(side, PRM_OP_create_xrc_srq, &cmd, sizeof(cmd), &out, sizeof(out)),
	     "create_xrc_srq");
	srq->num = prm_get(&out, xrc_srqn);
}

void create_rmp(struct tsrq *srq, struct side *side, unsigned int log)
{
	struct { struct prm_create_rmp_in in; __be64 pas[4]; } cmd = {};
	struct prm_create_rmp_out out;

	srq_ring(srq, side, log, cmd.pas);
	prm_set(&cmd.in, opcode, PRM_OP_create_rmp);
	prm_set(&cmd.in, ctx.state, PRM_WQ_RDY);
	prm_set(&cmd.in, ctx.wq.log_wq_stride, 6);
	prm_set(&cmd.in, ctx.wq.log_wq_sz, log);
	prm_set(&cmd.in, ctx.wq.pd, side->pd);
	prm_set64(&cmd.in, ctx.wq.dbr_addr, srq->dbr);
	must(exec(side, PRM_OP_create_rmp, &cmd, sizeof(cmd), &out, sizeof(out)), "create_rmp");
	srq->num = prm_get(&out, rmpn);
}

/* ---- polling --------------------------------------------------------------------------------- */

struct prm_cqe64 *poll(struct tcq *cq)
{
	struct prm_cqe64 *cqe =
		mem_at(cq->side, cq->ring + (cq->ci & ((1u << cq->log) - 1)) * sizeof(*cqe));

	if (cqe_opcode(cqe) == PRM_CQE_INVALID ||
	    (cqe->op_own & PRM_CQE_OWNER) != !!(cq->ci & 1u << cq->log))
		return NULL;
	cq->ci++;
	put32(mem_at(cq->side, cq->dbr), cq->ci & 0xffffff);
	return cqe;
}

struct prm_eqe *poll_eq(struct side *side)
{
	struct prm_eqe *eqe =
		mem_at(side, side->eq + (side->eq_ci & ((1u << EQ_LOG) - 1)) * sizeof(*eqe));

	if ((eqe->owner & 1) != !!(side->eq_ci & 1u << EQ_LOG))
		return NULL;
	side->eq_ci++;
	eq_doorbell(side->dev, side->uar, side->eqn << 24 | (side->eq_ci & 0xffffff), false);
	return eqe;
}

bool saw_event(struct side *side, unsigned int type, uint32_t num)
{
	struct prm_eqe *eqe;
	bool seen = false;

	while ((eqe = poll_eq(side)))
		seen |= eqe->type == type && be32_to_cpu(eqe->data.qp_srq.qp_srq_n) == num;
	return seen;
}

void send_plain(struct side *from, struct side *to)
{
	struct frame *frame = frame_alloc(64);

	memset(frame->data, 0, 64);
	memcpy(frame->data, to->dev->mac, 6);
	memcpy(frame->data + 6, from->dev->mac, 6);
	port_send(from->dev->port, frame);
}

void settle(void)
{
	unsigned int i;

	wire_apply();
	for (i = 0; i < 200000 && loop_run_pending(); i++)
		;
}

void drain(struct tcq *x, struct tcq *y)
{
	settle();
	while (poll(x) || poll(y))
		;
	saw_event(x->side, 0, 0);
	saw_event(y->side, 0, 0);
}

void pass_time(unsigned int ms)
{
	settle();
	while (ms--) {
		loop_test_clock(now_ns() + 1000000);
		settle();
	}
}

struct sent frames_sent(const struct side *one, const struct side *two)
{
	static struct sent before;
	struct sent now = { port_counters(one->dev->port)->tx_frames,
			    port_counters(two->dev->port)->tx_frames };
	struct sent since = { now.one - before.one, now.two - before.two };

	before = now;
	return since;
}

void pair_with_affinity(struct tqp *x, struct tqp *y, struct tcq *cx, struct tcq *cy,
			unsigned int affinity)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4, .affinity = affinity, .timeout = 8 }, plain = o;

	plain.affinity = 0;
	create_qp(x, &a, PRM_QP_ST_RC, cx, &o);
	create_qp(y, &b, PRM_QP_ST_RC, cy, &o);
	if (qp_init(x, &o) || qp_init(y, &plain) || qp_rtr(x, y, &o) || qp_rtr(y, x, &o) ||
	    qp_rts(x, &o) || qp_rts(y, &o))
		die("a pair whose one end has an affinity");
}

bool write_bytes(struct tqp *x, struct tcq *cq, uint32_t bytes, uint32_t seed, bool (*midway)(void))
{
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE, .raddr = b.va, .rkey = b.rkey, .n = 1,
			 .sge = { { a.va, bytes, a.lkey } } };
	struct prm_cqe64 *cqe;
	unsigned int i;

	buf_fill(&a, 0, bytes, seed);
	post_send(x, &wr);
	for (i = 0; midway && i < 3; i++)
		loop_run_pending();
	if (midway && !midway())
		return false;
	settle();
	for (i = 0; i < 200; i++) {
		cqe = poll(cq);
		if (cqe)
			return cqe_opcode(cqe) == PRM_CQE_REQ && buf_is(&b, 0, bytes, seed);
		pass_time(10);
	}
	return false;
}
