// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "card/card.h"
#include "dut.h"
#include "log.h"
#include "prm/obj.h"

#define PAGE 4096ull
#define HELD_PAGES 4000 /* the card is given all it might ask for */

/* ---- guest ---- */

static uint8_t *translate(struct dut *dut, uint64_t addr, size_t len)
{
	if (addr < DUT_BASE || addr - DUT_BASE > DUT_BYTES || len > DUT_BYTES - (addr - DUT_BASE))
		return NULL;
	return dut->mem + (addr - DUT_BASE);
}

static int mem_in(void *guest, uint64_t addr, void *buf, size_t len)
{
	uint8_t *p = translate(guest, addr, len);

	if (!p)
		return -14;
	memcpy(buf, p, len);
	return 0;
}

static int mem_out(void *guest, uint64_t addr, const void *buf, size_t len)
{
	uint8_t *p = translate(guest, addr, len);

	if (!p)
		return -14;
	memcpy(p, buf, len);
	return 0;
}

static int raise_irq(void *guest, unsigned int vector)
{
	struct dut *dut = guest;

	(void)vector;
	dut->irqs++;
	return 0;
}

static uint8_t *mem_ptr(void *guest, uint64_t addr, size_t *len, bool write)
{
	(void)write;
	return translate(guest, addr, *len);
}

static const struct guest_ops ops = {
	.read = mem_in, .write = mem_out, .ptr = mem_ptr, .irq = raise_irq,
};

uint64_t dut_alloc(struct dut *dut, size_t len)
{
	uint64_t addr = dut->next;

	len = (len + PAGE - 1) & ~(PAGE - 1);
	if (!translate(dut, addr, len)) {
		fprintf(stderr, "the test's guest memory is used up\n");
		exit(1);
	}
	dut->next += len;
	return addr;
}

void *dut_ptr(struct dut *dut, uint64_t addr)
{
	return translate(dut, addr, 1);
}

uint32_t dut_load(struct dut *dut, uint64_t addr)
{
	uint32_t be;

	memcpy(&be, dut_ptr(dut, addr), 4);
	return be32toh(be);
}

void dut_store(struct dut *dut, uint64_t addr, uint32_t value)
{
	uint32_t be = htobe32(value);

	memcpy(dut_ptr(dut, addr), &be, 4);
}

void dut_run(void)
{
	int i;

	for (i = 0; i < 100000 && loop_run_pending(); i++)
		;
}

uint64_t dut_violations(struct dut *dut)
{
	uint64_t n = dut->dev->violations;

	dut->dev->violations = 0;
	return n;
}

/* ---- commands ---- */

/*
 * With CXEMU_RECORD in the environment: the commands of the tests as inputs of fuzz_command, one
 * file per function.
 */
static void record(struct dut *dut, unsigned int opcode, const void *in, size_t len)
{
	const uint16_t head[] = { opcode, len - 16 };
	const char *dir = getenv("CXEMU_RECORD");
	char path[512];
	FILE *file;

	if (!dir || !dut->ready || len < 16 || len > 1039)
		return;
	snprintf(path, sizeof(path), "%s/%d-%u", dir, getpid(), dut->number);
	file = fopen(path, "ab");
	if (!file)
		return;
	if (ftell(file) < 8192) {
		fwrite(head, sizeof(head), 1, file);
		fwrite(in, len, 1, file);
	}
	fclose(file);
}

int dut_exec_tail(struct dut *dut, unsigned int opcode, const void *in, size_t in_len,
		  const void *tail, size_t n, void *out, size_t out_len)
{
	uint8_t *joined = aligned_alloc(8, (in_len + n + 7) & ~7ull);
	struct cmd c = { .dev = dut->dev,
			 .opcode = opcode,
			 .in_len = in_len + n,
			 .out = out,
			 .out_len = out_len };

	memcpy(joined, in, in_len);
	if (n)
		memcpy(joined + in_len, tail, n);
	record(dut, opcode, joined, in_len + n);
	joined[0] = opcode >> 8;
	joined[1] = opcode & 0xff;
	c.uid = joined[2] << 8 | joined[3];
	c.op_mod = joined[6] << 8 | joined[7];
	c.in = joined;
	memset(out, 0, out_len);
	cmd_run(&c);
	free(joined);
	return c.status;
}

int dut_exec(struct dut *dut, unsigned int opcode, void *in, size_t in_len, void *out,
	     size_t out_len)
{
	return dut_exec_tail(dut, opcode, in, in_len, NULL, 0, out, out_len);
}

void dut_check(int status, const char *name)
{
	if (!status)
		return;
	fprintf(stderr, "%s: status 0x%x\n", name, status);
	printf("Bail out! %s failed\n", name);
	exit(1);
}

/* The number stands at the same place in all commands that destroy one object. */
int dut_destroy_obj(struct dut *dut, unsigned int opcode, uint32_t num)
{
	struct prm_destroy_tir_in in = {};
	struct prm_destroy_tir_out out;

	prm_set(&in, tirn, num);
	return dut_exec(dut, opcode, &in, sizeof(in), &out, sizeof(out));
}

static void put_pas(uint64_t *pas, uint64_t addr, size_t bytes)
{
	size_t i;

	for (i = 0; i < (bytes + PAGE - 1) / PAGE; i++)
		pas[i] = htobe64(addr + i * PAGE);
}

static void create_base(struct dut *dut)
{
	struct prm_alloc_uar_in uar_in = {};
	struct prm_alloc_uar_out uar;
	struct prm_alloc_pd_in pd_in = {};
	struct prm_alloc_pd_out pd;
	struct prm_alloc_transport_domain_in td_in = {};
	struct prm_alloc_transport_domain_out td;
	struct prm_create_mkey_in mkey_in = {};
	struct prm_create_mkey_out mkey;

	dut_must(dut, alloc_uar, &uar_in, &uar);
	dut->uar = prm_get(&uar, uar);
	dut_must(dut, alloc_pd, &pd_in, &pd);
	dut->pd = prm_get(&pd, pd);
	dut_must(dut, alloc_transport_domain, &td_in, &td);
	dut->td = prm_get(&td, transport_domain);

	prm_set(&mkey_in, memory_key_mkey_entry.lr, 1);
	prm_set(&mkey_in, memory_key_mkey_entry.lw, 1);
	prm_set(&mkey_in, memory_key_mkey_entry.length64, 1);
	prm_set(&mkey_in, memory_key_mkey_entry.qpn, 0xffffff);
	prm_set(&mkey_in, memory_key_mkey_entry.mkey_7_0, 0x42);
	prm_set(&mkey_in, memory_key_mkey_entry.pd, dut->pd);
	dut_must(dut, create_mkey, &mkey_in, &mkey);
	dut->lkey = prm_get(&mkey, mkey_index) << 8 | 0x42;
}

static void create_eq(struct dut *dut)
{
	struct prm_create_eq_in in = {};
	struct prm_create_eq_out out;
	uint64_t pas[16];

	dut->eq_buf = dut_alloc(dut, 64 * 64);
	memset(dut_ptr(dut, dut->eq_buf), 0xff, 64 * 64);
	put_pas(pas, dut->eq_buf, 64 * 64);
	prm_set(&in, eq_context_entry.log_eq_size, 6);
	prm_set(&in, eq_context_entry.uar_page, dut->uar);
	prm_set64(&in, event_bitmask[0], 1ull << 5 | 1ull << 9 | 1ull << 4);
	dut_check(dut_cmd_tail(dut, create_eq, &in, &out, pas, 8), "create_eq");
	dut->eq = prm_get(&out, eq_number);
}

struct dut *dut_create_card(const char *name, unsigned int index, const struct card *card)
{
	static unsigned int made;
	struct dut *dut = calloc(1, sizeof(*dut));

	trace_set_output(test_log());
	dut->number = made++;
	dut->mem = calloc(1, DUT_BYTES);
	dut->next = DUT_BASE;
	dut->dev = cxdev_create(name, index, card, &ops, dut);
	dut->dev->hca->phase = HCA_RUNNING;
	dut->dev->hca->pages.n = HELD_PAGES;
	create_base(dut);
	create_eq(dut);
	dut->ready = true;
	return dut;
}

struct dut *dut_create(const char *name, unsigned int index)
{
	return dut_create_card(name, index, card_find("cx5", 3));
}

void dut_destroy(struct dut *dut)
{
	cxdev_destroy(dut->dev);
	free(dut->mem);
	free(dut);
}

struct dut_asked dut_asked;

static void take_request(struct event_sink *sink, uint8_t type, uint8_t subtype, const void *data,
			 size_t len)
{
	const struct prm_eqe_page_req *req = data;

	(void)sink;
	(void)type;
	(void)subtype;
	(void)len;
	dut_asked.n++;
	dut_asked.function = be16_to_cpu(req->func_id);
	dut_asked.pages = be32_to_cpu(req->num_pages);
}

void dut_watch_pages(struct dut *dut)
{
	static struct event_sink sink = { .push = take_request };

	dut->dev->hca->sinks[PRM_EVENT_PAGE_REQUEST] = &sink;
	memset(&dut_asked, 0, sizeof(dut_asked));
}

uint64_t dut_vnic_at(struct dut *dut, uint32_t bit, uint32_t width)
{
	struct prm_query_vnic_env_in in = {};
	struct prm_query_vnic_env_out out;

	dut_must(dut, query_vnic_env, &in, &out);
	return width == 64 ? prm_get_dwords(out.dw, bit) : prm_get_bits(out.dw, bit, width);
}

/* ---- queues ---- */

void (*dut_edit_cq)(struct prm_cqc *ctx);

struct dut_cq dut_create_cq(struct dut *dut, unsigned int log)
{
	struct dut_cq cq = { .log = log,
			     .buf = dut_alloc(dut, 64u << log),
			     .dbr = dut_alloc(dut, 8) };
	struct prm_create_cq_in in = {};
	struct prm_create_cq_out out;
	uint64_t pas[64];
	unsigned int i;

	for (i = 0; i < 1u << log; i++)
		((uint8_t *)dut_ptr(dut, cq.buf))[i * 64 + 63] =
			PRM_CQE_INVALID << PRM_CQE_OPCODE_SHIFT | 1;
	put_pas(pas, cq.buf, 64u << log);
	prm_set(&in, cq_context.log_cq_size, log);
	prm_set(&in, cq_context.uar_page, dut->uar);
	prm_set(&in, cq_context.c_eqn_or_apu_element, dut->eq);
	prm_set64(&in, cq_context.dbr_addr, cq.dbr);
	if (dut_edit_cq)
		dut_edit_cq(prm_sub(&in, cq_context, cqc));
	dut_check(dut_cmd_tail(dut, create_cq, &in, &out, pas,
			       ((64u << log) + PAGE - 1) / PAGE * 8),
		  "create_cq");
	cq.num = prm_get(&out, cqn);
	return cq;
}

const struct prm_cqe64 *dut_poll(struct dut *dut, struct dut_cq *cq)
{
	const struct prm_cqe64 *cqe = dut_ptr(dut, cq->buf + (cq->ci & ((1u << cq->log) - 1)) * 64);

	if (cqe->op_own >> PRM_CQE_OPCODE_SHIFT == PRM_CQE_INVALID ||
	    (cqe->op_own & 1) != (cq->ci >> cq->log & 1))
		return NULL;
	cq->ci++;
	dut_store(dut, cq->dbr, cq->ci & 0xffffff);
	return cqe;
}

uint32_t dut_create_tis(struct dut *dut)
{
	struct prm_create_tis_in in = {};
	struct prm_create_tis_out out;

	prm_set(&in, ctx.transport_domain, dut->td);
	dut_must(dut, create_tis, &in, &out);
	return prm_get(&out, tisn);
}

int dut_modify_sq(struct dut *dut, uint32_t sqn, unsigned int from, unsigned int to)
{
	struct prm_modify_sq_in in = {};
	struct prm_modify_sq_out out;

	prm_set(&in, sqn, sqn);
	prm_set(&in, sq_state, from);
	prm_set(&in, ctx.state, to);
	return dut_cmd(dut, modify_sq, &in, &out);
}

int dut_modify_rq(struct dut *dut, uint32_t rqn, unsigned int from, unsigned int to)
{
	struct prm_modify_rq_in in = {};
	struct prm_modify_rq_out out;

	prm_set(&in, rqn, rqn);
	prm_set(&in, rq_state, from);
	prm_set(&in, ctx.state, to);
	return dut_cmd(dut, modify_rq, &in, &out);
}

static struct dut_wq wq_memory(struct dut *dut, unsigned int log, unsigned int log_stride,
			       struct prm_wq *wq, uint64_t *pas)
{
	struct dut_wq q = { .log = log, .log_stride = log_stride };

	q.buf = dut_alloc(dut, 1u << (log + log_stride));
	q.dbr = dut_alloc(dut, 8);
	q.cq = dut_create_cq(dut, 8);
	put_pas(pas, q.buf, 1u << (log + log_stride));
	prm_set(wq, wq_type, PRM_WQ_CYCLIC);
	prm_set(wq, pd, dut->pd);
	prm_set(wq, log_wq_stride, log_stride);
	prm_set(wq, log_wq_sz, log);
	prm_set64(wq, dbr_addr, q.dbr);
	return q;
}

struct dut_wq dut_create_sq(struct dut *dut, unsigned int log, void (*edit)(struct prm_sqc *ctx))
{
	struct prm_create_sq_in in = {};
	struct prm_create_sq_out out;
	uint64_t pas[64];
	struct dut_wq q = wq_memory(dut, log, 6, prm_sub(&in, ctx.wq, wq), pas);

	prm_set(&in, ctx.flush_in_error_en, 1);
	prm_set(&in, ctx.cqn, q.cq.num);
	prm_set(&in, ctx.tis_lst_sz, 1);
	prm_set(&in, ctx.tis_num_0, dut_create_tis(dut));
	prm_set(&in, ctx.user_index, 0xabc);
	prm_set(&in, ctx.wq.uar_page, dut->uar);
	if (edit)
		edit(prm_sub(&in, ctx, sqc));
	dut_check(dut_cmd_tail(dut, create_sq, &in, &out, pas,
			       ((64u << log) + PAGE - 1) / PAGE * 8),
		  "create_sq");
	q.num = prm_get(&out, sqn);
	dut_check(dut_modify_sq(dut, q.num, PRM_WQ_RST, PRM_WQ_RDY), "modify_sq");
	return q;
}

struct dut_wq dut_create_rq(struct dut *dut, unsigned int log, unsigned int log_stride,
			    void (*edit)(struct prm_rqc *ctx))
{
	struct prm_create_rq_in in = {};
	struct prm_create_rq_out out;
	uint64_t pas[64];
	struct dut_wq q = wq_memory(dut, log, log_stride, prm_sub(&in, ctx.wq, wq), pas);

	prm_set(&in, ctx.flush_in_error_en, 1);
	prm_set(&in, ctx.cqn, q.cq.num);
	prm_set(&in, ctx.user_index, 0xdef);
	if (edit)
		edit(prm_sub(&in, ctx, rqc));
	dut_check(dut_cmd_tail(dut, create_rq, &in, &out, pas,
			       ((1u << (log + log_stride)) + PAGE - 1) / PAGE * 8),
		  "create_rq");
	q.num = prm_get(&out, rqn);
	dut_check(dut_modify_rq(dut, q.num, PRM_WQ_RST, PRM_WQ_RDY), "modify_rq");
	return q;
}

uint32_t dut_direct_tir(struct dut *dut, uint32_t rqn)
{
	struct prm_create_tir_in in = {};
	struct prm_create_tir_out out;

	prm_set(&in, ctx.disp_type, PRM_TIR_DIRECT);
	prm_set(&in, ctx.inline_rqn, rqn);
	prm_set(&in, ctx.transport_domain, dut->td);
	dut_must(dut, create_tir, &in, &out);
	return prm_get(&out, tirn);
}

struct rss dut_rss(const struct eth_packet *packet, const struct prm_tirc *ctx)
{
	struct toeplitz toeplitz;

	toeplitz_prepare(&toeplitz, prm_bytes_const(ctx, rx_hash_toeplitz_key));
	return packet_rss(packet, ctx, &toeplitz);
}

void dut_tir_hears(struct dut *dut, uint32_t tirn, unsigned int self)
{
	struct prm_modify_tir_in in = {};
	struct prm_modify_tir_out out;

	prm_set(&in, tirn, tirn);
	prm_set(&in, bitmask.self_lb_en, 1);
	prm_set(&in, ctx.self_lb_block, self);
	dut_must(dut, modify_tir, &in, &out);
}

/* ---- WQEs ---- */

void *dut_wqe(struct dut *dut, struct dut_wq *sq, unsigned int opcode, unsigned int ds,
	      unsigned int ce)
{
	uint64_t at = sq->buf + (sq->pi & ((1u << sq->log) - 1)) * 64;
	struct prm_wqe_ctrl_seg *ctrl = dut_ptr(dut, at);

	memset(ctrl, 0, 64);
	ctrl->opmod_idx_opcode = htobe32((uint32_t)sq->pi << 8 | opcode);
	ctrl->qpn_ds = htobe32(sq->num << 8 | ds);
	ctrl->fm_ce_se = ce;
	return ctrl;
}

void dut_ring(struct dut *dut, struct dut_wq *sq, unsigned int bbs)
{
	uint16_t index = sq->pi;

	sq->pi += bbs;
	dut_store(dut, sq->dbr + 4, sq->pi);
	sq_doorbell(dut->dev, dut->uar, (uint64_t)index << 40 | sq->num << 8);
	dut_run();
}

void dut_data_seg(struct dut *dut, struct prm_wqe_data_seg *seg, uint64_t addr, uint32_t len)
{
	seg->byte_count = htobe32(len);
	seg->lkey = htobe32(dut->lkey);
	seg->addr = htobe64(addr);
}

void dut_send(struct dut *dut, struct dut_wq *sq, const void *packet, uint32_t len,
	      unsigned int cs_flags)
{
	uint8_t *wqe = dut_wqe(dut, sq, PRM_WQE_SEND, 3, PRM_WQE_CE_ALWAYS);
	struct prm_wqe_eth_seg *eseg = (void *)(wqe + 16);
	uint64_t buf = dut_alloc(dut, len);

	memcpy(dut_ptr(dut, buf), packet, len);
	eseg->cs_flags = cs_flags;
	dut_data_seg(dut, (void *)(wqe + 32), buf, len);
	dut_ring(dut, sq, 1);
}

uint64_t dut_post_rq(struct dut *dut, struct dut_wq *rq, uint32_t len)
{
	uint64_t at = rq->buf + ((uint64_t)(rq->pi & ((1u << rq->log) - 1)) << rq->log_stride);
	struct prm_wqe_data_seg *seg = dut_ptr(dut, at);
	uint64_t buf = dut_alloc(dut, len);

	memset(seg, 0, 1u << rq->log_stride);
	dut_data_seg(dut, seg, buf, len);
	if (rq->log_stride > 4)
		seg[1].lkey = htobe32(PRM_WQE_LKEY_TERMINATE);
	rq->pi++;
	dut_store(dut, rq->dbr, rq->pi);
	return buf;
}

/* ---- flow tables ---- */

uint32_t dut_table(struct dut *dut, unsigned int level, unsigned int log_size, uint32_t miss)
{
	struct prm_create_flow_table_in in = {};
	struct prm_create_flow_table_out out;

	prm_set(&in, flow_table_context.level, level);
	prm_set(&in, flow_table_context.log_size, log_size);
	if (miss) {
		prm_set(&in, flow_table_context.table_miss_action, PRM_FT_MISS_FWD);
		prm_set(&in, flow_table_context.table_miss_id, miss);
	}
	dut_must(dut, create_flow_table, &in, &out);
	return prm_get(&out, table_id);
}

uint32_t dut_group(struct dut *dut, uint32_t table, uint32_t start, uint32_t end,
		   const struct prm_fte_match_set_lyr_2_4 *criteria)
{
	struct prm_create_flow_group_in in = {};
	struct prm_create_flow_group_out out;

	prm_set(&in, table_id, table);
	prm_set(&in, start_flow_index, start);
	prm_set(&in, end_flow_index, end);
	if (criteria) {
		prm_set(&in, match_criteria_enable, PRM_MATCH_OUTER);
		*prm_sub(&in, match_criteria.outer_headers, fte_match_set_lyr_2_4) = *criteria;
	}
	dut_must(dut, create_flow_group, &in, &out);
	return prm_get(&out, group_id);
}

int dut_root(struct dut *dut, uint32_t table)
{
	struct prm_set_flow_table_root_in in = {};
	struct prm_set_flow_table_root_out out;

	prm_set(&in, table_id, table);
	return dut_cmd(dut, set_flow_table_root, &in, &out);
}

int dut_fte(struct dut *dut, uint32_t table, uint32_t group, uint32_t index,
	    const struct prm_fte_match_set_lyr_2_4 *value, unsigned int type, uint32_t id)
{
	struct prm_set_fte_in in = {};
	struct prm_set_fte_out out;
	struct prm_dest_format_struct dest = {};

	prm_set(&in, table_id, table);
	prm_set(&in, flow_index, index);
	prm_set(&in, flow_context.group_id, group);
	prm_set(&in, flow_context.action, PRM_FLOW_FWD_DEST);
	prm_set(&in, flow_context.destination_list_size, 1);
	if (value)
		*prm_sub(&in, flow_context.match_value.outer_headers,
			 fte_match_set_lyr_2_4) = *value;
	prm_set(&dest, destination_type, type);
	prm_set(&dest, destination_id, id);
	return dut_cmd_tail(dut, set_fte, &in, &out, &dest, sizeof(dest));
}

void dut_receive_all(struct dut *dut, uint32_t tirn)
{
	uint32_t table = dut_table(dut, 0, 0, 0);

	dut_check(dut_fte(dut, table, dut_group(dut, table, 0, 0, NULL), 0, NULL, PRM_FLOW_DEST_TIR,
			  tirn),
		  "set_fte");
	dut_check(dut_root(dut, table), "set_flow_table_root");
}

/* ---- packets ---- */

static unsigned int be16(const uint8_t *p)
{
	return p[0] << 8 | p[1];
}

static void store16(uint8_t *p, unsigned int v)
{
	p[0] = v >> 8 & 0xff;
	p[1] = v & 0xff;
}

const struct flow tcp4 = {
	.dmac = { 2, 0xc4, 0, 0, 0, 2 },
	.smac = { 2, 0xc4, 0, 0, 0, 1 },
	.vlan = -1,
	.ip = 4,
	.proto = 6,
	.sport = 1000,
	.dport = 2000,
	.src = { 10, 0, 0, 1 },
	.dst = { 10, 0, 0, 2 },
	.payload = 200,
};

uint32_t make_packet(uint8_t *buf, const struct flow *flow)
{
	unsigned int l4_len = flow->proto == 6 ? 20 : flow->proto == 17 ? 8 : 0, at = 12, i;
	unsigned int body = l4_len + flow->payload;

	memcpy(buf, flow->dmac, 6);
	memcpy(buf + 6, flow->smac, 6);
	if (flow->vlan >= 0) {
		store16(buf + at, 0x8100);
		store16(buf + at + 2, flow->vlan);
		at += 4;
	}
	store16(buf + at, flow->ip == 4 ? 0x0800 : flow->ip == 6 ? 0x86dd : 0x88b5);
	at += 2;
	if (flow->ip == 4) {
		memset(buf + at, 0, 20);
		buf[at] = 0x45;
		buf[at + 1] = flow->tos;
		store16(buf + at + 2, 20 + body);
		store16(buf + at + 4, 0x1234);
		buf[at + 8] = 64;
		buf[at + 9] = flow->proto;
		memcpy(buf + at + 12, flow->src, 4);
		memcpy(buf + at + 16, flow->dst, 4);
		at += 20;
	} else if (flow->ip == 6) {
		memset(buf + at, 0, 40);
		buf[at] = 0x60 | flow->tos >> 4;
		buf[at + 1] = flow->tos << 4 & 0xff;
		store16(buf + at + 4, body);
		buf[at + 6] = flow->proto;
		buf[at + 7] = 64;
		memcpy(buf + at + 8, flow->src, 16);
		memcpy(buf + at + 24, flow->dst, 16);
		at += 40;
	}
	memset(buf + at, 0, l4_len);
	if (l4_len) {
		store16(buf + at, flow->sport);
		store16(buf + at + 2, flow->dport);
	}
	if (flow->proto == 6) {
		store16(buf + at + 6, 1000); /* sequence number */
		buf[at + 12] = 0x50;
		buf[at + 13] = 0x10;
	} else if (flow->proto == 17) {
		store16(buf + at + 4, body);
	}
	at += l4_len;
	for (i = 0; i < flow->payload; i++)
		buf[at + i] = i * 7 + 3;
	return at + flow->payload;
}

uint32_t make_tunnel(uint8_t *buf, unsigned int tunnel, const struct flow *outer,
		     const struct flow *inner, uint32_t *at)
{
	uint32_t cut = tunnel == TUNNEL_VXLAN ? 0 : 14, total, len, header;
	struct flow flow = *outer;
	uint8_t data[4096];

	header = tunnel == TUNNEL_VXLAN ? 8 : tunnel == TUNNEL_GRE ? 4 : 0;
	len = make_packet(data, inner) - cut;
	flow.payload = header + len;
	flow.proto = tunnel == TUNNEL_VXLAN ? 17 : tunnel == TUNNEL_GRE ? 47 :
		     inner->ip == 4 ? 4 : 41;
	total = make_packet(buf, &flow);
	*at = total - len;
	memset(buf + *at - header, 0, header);
	if (tunnel == TUNNEL_VXLAN)
		buf[*at - header] = 8;	/* there is a VNI */
	else if (tunnel == TUNNEL_GRE)
		store16(buf + *at - 2, inner->ip == 4 ? 0x0800 : 0x86dd);
	memcpy(buf + *at, data + cut, len);
	return total;
}

static uint16_t ones_sum(uint32_t sum, const uint8_t *p, uint32_t len)
{
	for (; len > 1; p += 2, len -= 2) {
		sum += be16(p);
		sum = (sum & 0xffff) + (sum >> 16);
	}
	if (len)
		sum += *p << 8;
	sum = (sum & 0xffff) + (sum >> 16);
	return (sum & 0xffff) + (sum >> 16);
}

int wrong_checksum(const uint8_t *packet, uint32_t len)
{
	const uint8_t *ip = packet + (be16(packet + 12) == 0x8100 ? 18 : 14), *l4;
	unsigned int type = be16(ip - 2), l4_len, proto;
	uint32_t sum;

	if (type == 0x0800) {
		if (ones_sum(0, ip, (ip[0] & 15) * 4) != 0xffff)
			return 3;
		l4 = ip + (ip[0] & 15) * 4;
		l4_len = be16(ip + 2) - (ip[0] & 15) * 4;
		proto = ip[9];
		sum = ones_sum(0, ip + 12, 8);
	} else {
		l4 = ip + 40;
		l4_len = be16(ip + 4);
		proto = ip[6];
		sum = ones_sum(0, ip + 8, 32);
	}
	if (l4 + l4_len > packet + len)
		return 3;
	return ones_sum(sum + proto + l4_len, l4, l4_len) == 0xffff ? 0 : 4;
}
