// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * User contexts and umems: what a context may do, object by object that it cannot name those of
 * others, and what a umem must be for a queue or a key.
 */
#include <string.h>

#include "prm/caps.h"
#include "prm/counter.h"
#include "prm/devx.h"
#include "prm/flow.h"
#include "prm/mkey.h"
#include "prm/nic.h"
#include "prm/qp.h"
#include "prm/srq.h"
#include "prm/vport.h"
#include "base/base.h"
#include "wrong.h"

#define GONE PRM_STATUS_BAD_RES
#define UMEM_PAGES 3
#define READ 1
#define WRITE 2
#define MKC memory_key_mkey_entry

/* Two contexts: @own has all rights, @other none. What they have is made with their uid. */
static uint32_t own, other, eq;

struct things {
	uint32_t uar, pd, td, xrcd, umem, readable, cq, rq, rmp, tis, rqt, counter;
};

static struct things mine, theirs;

/* ---- making things ---- */

static uint32_t create_uctx(uint32_t cap)
{
	struct prm_create_uctx_in in = {};

	prm_set(&in, cap, cap);
	return rig_create(&WRONG_CMD(create_uctx, &in)) & 0xffff;
}

static int destroy_uctx(uint32_t uid)
{
	struct prm_destroy_uctx_in in = {};

	prm_set(&in, uid, uid);
	return rig_send(&WRONG_CMD(destroy_uctx, &in), NULL);
}

/* A command whose input is a number in dword 2, if any. */
static int simple(uint16_t opcode, uint32_t uid, uint32_t num, uint32_t *made)
{
	__be32 in[4] = { [2] = cpu_to_be32(num) };
	const struct wrong_cmd cmd = { "simple", opcode, in, 16, 16 };

	prm_set((struct prm_mbox_in *)in, uid, uid);
	return rig_send(&cmd, made);
}

static uint32_t alloc(uint16_t opcode, uint32_t uid)
{
	uint32_t num = 0;

	if (simple(opcode, uid, 0, &num))
		ktap(false, "opcode 0x%x of uid %u", opcode, uid);
	return num;
}

struct umem_cmd {
	struct prm_create_umem_in in;
	__be64 mtt[UMEM_PAGES];
};

/* Three pages, of which the last can only be read. */
static void fill_umem(struct umem_cmd *b, uint32_t uid)
{
	unsigned int i;

	memset(b, 0, sizeof(*b));
	prm_set(&b->in, uid, uid);
	prm_set64(&b->in, num_of_mtt, UMEM_PAGES);
	prm_set(&b->in, page_offset, 64);
	for (i = 0; i < UMEM_PAGES; i++)
		b->mtt[i] = cpu_to_be64(rig_page() | READ | (i < 2 ? WRITE : 0));
}

static uint32_t make_umem(uint32_t uid)
{
	struct umem_cmd b;

	fill_umem(&b, uid);
	return rig_create(&WRONG_CMD(create_umem, &b));
}

static void fill_cq(struct prm_create_cq_in *in, uint32_t uid, const struct things *t)
{
	memset(in, 0, sizeof(*in));
	prm_set(in, uid, uid);
	prm_set(in, cq_context.log_cq_size, 5);
	prm_set(in, cq_context.uar_page, t->uar);
	prm_set(in, cq_context.c_eqn_or_apu_element, eq);
	prm_set(in, cq_context.dbr_umem_valid, 1);
	prm_set(in, cq_context.dbr_umem_id, t->umem);
	prm_set64(in, cq_context.dbr_addr, 8);
	prm_set(in, cq_umem_valid, 1);
	prm_set(in, cq_umem_id, t->umem);
	prm_set64(in, cq_umem_offset, 64);
}

static void fill_wq(struct prm_wq *wq, const struct things *t, unsigned int type)
{
	prm_set(wq, wq_type, type);
	prm_set(wq, log_wq_sz, 3);
	prm_set(wq, log_wq_stride, 6);
	prm_set(wq, pd, t->pd);
	prm_set(wq, dbr_umem_valid, 1);
	prm_set(wq, dbr_umem_id, t->umem);
	prm_set64(wq, dbr_addr, 16);
	prm_set(wq, wq_umem_valid, 1);
	prm_set(wq, wq_umem_id, t->umem);
	prm_set64(wq, wq_umem_offset, 0);
}

static void fill_rq(struct prm_create_rq_in *in, uint32_t uid, const struct things *t)
{
	memset(in, 0, sizeof(*in));
	prm_set(in, uid, uid);
	prm_set(in, ctx.cqn, t->cq);
	fill_wq(prm_sub(in, ctx.wq, wq), t, PRM_WQ_CYCLIC);
}

static void fill_rmp(struct prm_create_rmp_in *in, uint32_t uid, const struct things *t)
{
	memset(in, 0, sizeof(*in));
	prm_set(in, uid, uid);
	prm_set(in, ctx.state, PRM_WQ_RDY);
	fill_wq(prm_sub(in, ctx.wq, wq), t, PRM_WQ_CYCLIC);
}

static void fill_qp(struct prm_create_qp_in *in, uint32_t uid, const struct things *t)
{
	memset(in, 0, sizeof(*in));
	prm_set(in, uid, uid);
	prm_set(in, qpc.pm_state, PRM_QP_PM_MIGRATED);
	prm_set(in, qpc.pd, t->pd);
	prm_set(in, qpc.uar_page, t->uar);
	prm_set(in, qpc.cqn_snd, t->cq);
	prm_set(in, qpc.cqn_rcv, t->cq);
	prm_set(in, qpc.rq_type, PRM_QP_RQ_SRQ);
	prm_set(in, qpc.srqn_rmpn_xrqn, t->rmp);
	prm_set(in, qpc.log_sq_size, 4);
	prm_set(in, qpc.dbr_umem_valid, 1);
	prm_set(in, qpc.dbr_umem_id, t->umem);
	prm_set64(in, qpc.dbr_addr, 24);
	prm_set(in, wq_umem_valid, 1);
	prm_set(in, wq_umem_id, t->umem);
	prm_set64(in, wq_umem_offset, 64);
}

struct rqt_cmd {
	struct prm_create_rqt_in in;
	__be32 rq;
};

static void fill_rqt(struct rqt_cmd *b, uint32_t uid, const struct things *t)
{
	memset(b, 0, sizeof(*b));
	prm_set(&b->in, uid, uid);
	prm_set(&b->in, rqt_context.rqt_max_size, 1);
	prm_set(&b->in, rqt_context.rqt_actual_size, 1);
	b->rq = cpu_to_be32(t->rq);
}

static uint32_t make_tis(uint32_t uid, const struct things *t)
{
	struct prm_create_tis_in in = {};

	prm_set(&in, uid, uid);
	prm_set(&in, ctx.transport_domain, t->td);
	return rig_create(&WRONG_CMD(create_tis, &in));
}

static void make_things(struct things *t, uint32_t uid)
{
	struct prm_create_rmp_in rmp;
	struct prm_create_cq_in cq;
	struct prm_create_rq_in rq;
	struct rqt_cmd rqt;

	t->uar = alloc(PRM_OP_alloc_uar, uid);
	t->pd = alloc(PRM_OP_alloc_pd, uid);
	t->td = alloc(PRM_OP_alloc_transport_domain, uid);
	t->xrcd = alloc(PRM_OP_alloc_xrcd, uid);
	t->counter = alloc(PRM_OP_alloc_q_counter, uid) & 0xff;
	t->umem = make_umem(uid);
	fill_cq(&cq, uid, t);
	t->cq = rig_create(&WRONG_CMD(create_cq, &cq));
	fill_rq(&rq, uid, t);
	t->rq = rig_create(&WRONG_CMD(create_rq, &rq));
	fill_rmp(&rmp, uid, t);
	t->rmp = rig_create(&WRONG_CMD(create_rmp, &rmp));
	fill_rqt(&rqt, uid, t);
	t->rqt = rig_create(&WRONG_CMD(create_rqt, &rqt));
}

/* All completion EQs of a driver are for all contexts. */
static void make_shared_eq(void)
{
	struct { struct prm_create_eq_in in; __be64 pas[1]; } b = {};

	prm_set(&b.in, uid, PRM_UID_SHARED);
	prm_set(&b.in, eq_context_entry.log_eq_size, 6);
	prm_set(&b.in, eq_context_entry.uar_page, rig.uar);
	b.pas[0] = cpu_to_be64(rig_page());
	eq = rig_create(&WRONG_CMD(create_eq, &b));
}

/* ---- contexts ---- */

static void contexts(void)
{
	static const struct wrong_row create[] = {
		F(create_uctx, cap, 4, "cap 0x4: uctx_cap is 0x3"),
		{ .field = "uid", .bit = 16, .width = 16, .value = 1,
		  .text = "uid 1: there is no such user context", .status = GONE,
		  .whose = WRONG_DRIVER },
	};
	static const struct wrong_row none[] = {
		F(destroy_uctx, uid, 77, "uid: there is no UCTX 0x4d", .status = GONE),
	};
	static const struct wrong_row nobody[] = {
		F(alloc_pd, uid, 77, "uid 77: there is no such user context", .status = GONE,
		  .whose = WRONG_DRIVER),
		F(alloc_pd, uid, PRM_UID_SHARED, "uid 65535: there is no such user context",
		  .status = GONE, .whose = WRONG_DRIVER),
	};
	struct prm_create_uctx_in in = {};
	struct prm_destroy_uctx_in destroy = {};
	struct prm_alloc_pd_in pd = {};
	uint32_t uid;

	WRONG_ONLY(&WRONG_CMD(create_uctx, &in), create);
	WRONG_ONLY(&WRONG_CMD(destroy_uctx, &destroy), none);
	WRONG_ONLY(&WRONG_CMD(alloc_pd, &pd), nobody);
	own = create_uctx(PRM_UCTX_RAW_TX | PRM_UCTX_INTERNAL_DEV_RES);
	other = create_uctx(0);
	uid = create_uctx(0);
	ktap(own && other != own && uid != other, "contexts have numbers of their own");
	ktap(!destroy_uctx(uid) && destroy_uctx(uid) == GONE, "a context is destroyed once");
}

/* Commands that the second context may not send are refused as the row says. */
static void without(const uint16_t *opcodes, unsigned int n, const char *text, struct wrong_row row)
{
	struct prm_mbox_in in[1] = {};
	struct wrong_cmd cmd = { "*", 0, in, 16, 16 };

	prm_set(in, uid, other);
	row.field = "opcode";
	row.text = text;
	for (; n--; opcodes++) {
		cmd.opcode = *opcodes;
		row.value = *opcodes;
		wrong_rows_only(&cmd, &row, 1);
	}
}

/* What is the driver's alone, and what needs rights. */
static void permissions(void)
{
	static const uint16_t never[] = {
		PRM_OP_create_eq, PRM_OP_destroy_eq, PRM_OP_manage_pages, PRM_OP_query_pages,
		PRM_OP_set_hca_cap, PRM_OP_teardown_hca, PRM_OP_init_hca, PRM_OP_enable_hca,
		PRM_OP_access_register, PRM_OP_set_issi,
		PRM_OP_modify_nic_vport_context, PRM_OP_set_roce_address,
		PRM_OP_set_flow_table_root, PRM_OP_query_special_contexts, PRM_OP_create_lag,
	};
	static const uint16_t own_uid[] = { PRM_OP_create_uctx, PRM_OP_destroy_uctx };
	static const uint16_t raw[] = { PRM_OP_create_sq, PRM_OP_create_tis };
	static const uint16_t internal[] = {
		PRM_OP_create_flow_table, PRM_OP_create_flow_group, PRM_OP_set_fte,
		PRM_OP_query_flow_table, PRM_OP_query_flow_group, PRM_OP_query_fte,
	};

	without(never, ARRAY_SIZE(never), "uid 2: it is a command of the driver's alone",
		(struct wrong_row){ .status = PRM_STATUS_BAD_OP });
	without(raw, ARRAY_SIZE(raw), "uid 2: the context may not send raw packets",
		(struct wrong_row){});
	without(internal, ARRAY_SIZE(internal),
		"uid 2: the context may not use the device's own resources",
		(struct wrong_row){});
	without(own_uid, ARRAY_SIZE(own_uid), "uid 2: a context makes no contexts",
		(struct wrong_row){ .status = PRM_STATUS_BAD_OP, .whose = WRONG_DRIVER });
}

/* Queries whose layouts have no uid are open to all. */
static void queries(void)
{
	static const struct { uint16_t opcode; uint32_t out; } open[] = {
		{ PRM_OP_query_hca_cap, sizeof(struct prm_query_hca_cap_out) },
		{ PRM_OP_query_adapter, sizeof(struct prm_query_adapter_out) },
		{ PRM_OP_query_issi, sizeof(struct prm_query_issi_out) },
		{ PRM_OP_query_vport_state, sizeof(struct prm_query_vport_state_out) },
		{ PRM_OP_query_nic_vport_context, sizeof(struct prm_query_nic_vport_context_out) },
		{ PRM_OP_query_lag, 16 },
	};
	struct prm_mbox_in in[1] = {};
	struct wrong_cmd cmd = { "query", 0, in, 16, 0 };
	unsigned int i;
	int status;

	prm_set(in, uid, other);
	for (i = 0; i < sizeof(open) / sizeof(open[0]); i++) {
		cmd.opcode = open[i].opcode;
		cmd.out_len = open[i].out;
		status = rig_send(&cmd, NULL);
		ktap(!status, "a context may query, opcode 0x%x: 0x%x", cmd.opcode, status);
	}
}

/* ---- isolation ---- */

/* Objects of one context, which the other tries to destroy. */
static void destroyers(void)
{
	const struct { const char *name; uint16_t opcode; uint32_t num; } objects[] = {
		{ "UAR", PRM_OP_dealloc_uar, mine.uar },
		{ "PD", PRM_OP_dealloc_pd, mine.pd },
		{ "TD", PRM_OP_dealloc_transport_domain, mine.td },
		{ "XRCD", PRM_OP_dealloc_xrcd, mine.xrcd },
		{ "CQ", PRM_OP_destroy_cq, mine.cq },
		{ "RQ", PRM_OP_destroy_rq, mine.rq },
		{ "RMP", PRM_OP_destroy_rmp, mine.rmp },
		{ "RQT", PRM_OP_destroy_rqt, mine.rqt },
		{ "TIS", PRM_OP_destroy_tis, mine.tis },
		{ "UMEM", PRM_OP_destroy_umem, mine.umem },
		{ "Q_COUNTER", PRM_OP_dealloc_q_counter, mine.counter },
	};
	__be32 in[4] = {};
	struct wrong_cmd cmd = { "*", 0, in, 16, 16 };
	struct wrong_row row = { .status = GONE };
	char text[128];
	unsigned int i;

	prm_set((struct prm_mbox_in *)in, uid, other);
	row.text = text;
	for (i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
		snprintf(text, sizeof(text), "*: %s 0x%x is of user context %u, not of %u",
			 objects[i].name, objects[i].num, own, other);
		row.whose = WRONG_BY_UID;
		/* its pages the driver knows itself */
		if (objects[i].opcode == PRM_OP_dealloc_uar) {
			snprintf(text, sizeof(text), "UAR 0x%x is none of user context %u",
				 objects[i].num, other);
			row.whose = WRONG_DRIVER;
		}
		row.field = objects[i].name;
		in[2] = cpu_to_be32(objects[i].num);
		cmd.opcode = objects[i].opcode;
		wrong_rows_only(&cmd, &row, 1);
	}
}

/* A field of a valid command of the second context names an object of the first. */
#define NAMES(layout, f, number)							\
	{ .field = #f, .bit = FIELD_BIT(layout, f), .width = FIELD_WIDTH(layout, f),	\
	  .value = number, .text = "*: * is of user context *, not of *", .status = GONE }

static void namers(void)
{
	const struct wrong_row cq_rows[] = {
		NAMES(create_cq_in, cq_context.uar_page, mine.uar),
		NAMES(create_cq_in, cq_context.uar_page, rig.uar),
		NAMES(create_cq_in, cq_context.c_eqn_or_apu_element, rig.eq),
		NAMES(create_cq_in, cq_context.dbr_umem_id, mine.umem),
		NAMES(create_cq_in, cq_umem_id, mine.umem),
	};
	const struct wrong_row qp_rows[] = {
		NAMES(create_qp_in, qpc.pd, mine.pd), NAMES(create_qp_in, qpc.pd, rig.pd),
		NAMES(create_qp_in, qpc.uar_page, mine.uar),
		NAMES(create_qp_in, qpc.cqn_snd, mine.cq),
		NAMES(create_qp_in, qpc.cqn_rcv, mine.cq),
		NAMES(create_qp_in, qpc.srqn_rmpn_xrqn, mine.rmp),
		NAMES(create_qp_in, qpc.dbr_umem_id, mine.umem),
		NAMES(create_qp_in, wq_umem_id, mine.umem),
	};
	const struct wrong_row rq_rows[] = {
		NAMES(create_rq_in, ctx.cqn, mine.cq), NAMES(create_rq_in, ctx.wq.pd, mine.pd),
		NAMES(create_rq_in, ctx.counter_set_id, mine.counter),
		NAMES(create_rq_in, ctx.counter_set_id, rig.counter),
		NAMES(create_rq_in, ctx.wq.wq_umem_id, mine.umem),
		NAMES(create_rq_in, ctx.wq.dbr_umem_id, mine.umem),
	};
	const struct wrong_row rqt_rows[] = {
		{ .field = "rq_num", .bit = 8 * sizeof(struct prm_create_rqt_in), .width = 32,
		  .value = mine.rq, .text = "*: RQ * is of user context *, not of *",
		  .status = GONE },
	};
	struct prm_create_cq_in cq;
	struct prm_create_qp_in qp;
	struct prm_create_rq_in rq;
	struct rqt_cmd rqt;

	fill_cq(&cq, other, &theirs);
	fill_qp(&qp, other, &theirs);
	fill_rq(&rq, other, &theirs);
	fill_rqt(&rqt, other, &theirs);
	WRONG(&WRONG_CMD(create_cq, &cq), cq_rows);
	WRONG(&WRONG_CMD(create_qp, &qp), qp_rows);
	WRONG(&WRONG_CMD(create_rq, &rq), rq_rows);
	WRONG(&WRONG_CMD(create_rqt, &rqt), rqt_rows);
}

static void tirs(void)
{
	const struct wrong_row rows[] = {
		NAMES(create_tir_in, ctx.transport_domain, mine.td),
		NAMES(create_tir_in, ctx.inline_rqn, mine.rq),
	};
	const struct wrong_row sq_rows[] = {
		NAMES(create_sq_in, ctx.tis_num_0, make_tis(0, &(struct things){ .td = rig.td })),
		NAMES(create_sq_in, ctx.wq.uar_page, theirs.uar),
		NAMES(create_sq_in, ctx.wq.pd, theirs.pd), NAMES(create_sq_in, ctx.cqn, theirs.cq),
	};
	struct prm_create_tir_in tir = {};
	struct prm_create_sq_in sq = {};

	prm_set(&tir, uid, other);
	prm_set(&tir, ctx.disp_type, PRM_TIR_DIRECT);
	prm_set(&tir, ctx.transport_domain, theirs.td);
	prm_set(&tir, ctx.inline_rqn, theirs.rq);
	WRONG(&WRONG_CMD(create_tir, &tir), rows);
	prm_set(&sq, uid, own);
	prm_set(&sq, ctx.cqn, mine.cq);
	prm_set(&sq, ctx.tis_lst_sz, 1);
	prm_set(&sq, ctx.tis_num_0, mine.tis);
	fill_wq(prm_sub(&sq, ctx.wq, wq), &mine, PRM_WQ_CYCLIC);
	prm_set(&sq, ctx.wq.uar_page, mine.uar);
	WRONG(&WRONG_CMD(create_sq, &sq), sq_rows);
}

/* The driver may name all, and a PD of a context for keys of its own. */
static void driver_names_all(void)
{
	struct prm_create_cq_in cq;
	struct prm_create_qp_in qp;
	struct prm_create_mkey_in mkey = {};

	fill_cq(&cq, 0, &mine);
	ktap(!rig_send(&WRONG_CMD(create_cq, &cq), NULL), "the driver names a context's objects");
	fill_qp(&qp, 0, &mine);
	prm_set(&qp, qpc.pd, theirs.pd);
	ktap(!rig_send(&WRONG_CMD(create_qp, &qp), NULL), "also of two contexts");
	prm_set(&mkey, MKC.length64, 1);
	prm_set(&mkey, MKC.qpn, 0xffffff);
	prm_set(&mkey, MKC.pd, mine.pd);
	ktap(!rig_send(&WRONG_CMD(create_mkey, &mkey), NULL), "the driver's key in a user's PD");
}

/* ---- memory ---- */

/* The driver makes the list of pages, and is to blame for it. */
static void umems(void)
{
	static struct wrong_row rows[] = {
		F(create_umem, uid, 0, "a umem without a uid: umem_uid_0 is not announced"),
		F(create_umem, ats, 1, "ats: ATS is not advertised"),
		F(create_umem, num_of_mtt, 0, "num_of_mtt is 0, the input has 3 translations"),
		F(create_umem, num_of_mtt, 4, "num_of_mtt is 4, the input has 3 translations"),
		F(create_umem, page_offset, 4096,
		  "page_offset 0x1000 is not within a page of 2^12 bytes"),
		F(create_umem, log_page_size, 4, "page 0 of the umem, 0x*, is not aligned to 2^16"),
		{ .field = "no access", .bit = 8 * sizeof(struct prm_create_umem_in), .width = 64,
		  .value = 0x40003000,
		  .text = "page 0 of the umem, 0x40003000, may be neither read nor written" },
		{ .field = "misaligned", .bit = 8 * sizeof(struct prm_create_umem_in), .width = 64,
		  .value = 0x40003013,
		  .text = "page 0 of the umem, 0x40003013, is not aligned to 2^12" },
	};
	struct umem_cmd b;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		rows[i].whose = WRONG_DRIVER;
	fill_umem(&b, own);
	WRONG(&WRONG_CMD(create_umem, &b), rows);
}

static void queue_memory(void)
{
	static const struct wrong_row cq_rows[] = {
		F(create_cq, cq_umem_offset, 3 * 4096,
		  "UMEM 0x*: 2048 bytes at offset 0x3000 are not within its 12224"),
		F(create_cq, cq_umem_offset, 8192 - 64,
		  "UMEM 0x*: page 2, 0x*, lacks access 0x2"),
		F(create_cq, cq_umem_offset, 32,
		  "UMEM 0x*: offset 0x20 is at 0x60 of the pages, not a multiple of 64"),
		F(create_cq, cq_context.dbr_addr, 12224,
		  "UMEM 0x*: 8 bytes at offset 0x2fc0 are not within its 12224"),
		F(create_cq, cq_context.dbr_umem_id, 0, "umem_id: there is no UMEM 0x0",
		  .status = GONE),
	};
	static const struct wrong_row qp_rows[] = {
		F(create_qp, qpc.page_offset, 1,
		  "page_offset 1: a queue begins at an offset of its umem"),
		F(create_qp, wq_umem_offset, 12224 - 512,
		  "UMEM 0x*: 1024 bytes at offset 0x2dc0 are not within its 12224"),
		F(create_qp, qpc.st, PRM_QP_ST_REG_UMR, "qpc.st 0xc: not in a user context"),
		F(create_qp, qpc.st, PRM_QP_ST_QP1, "qpc.st 0x8: not in a user context"),
		F(create_qp, qpc.fre, 1, "fre is set (0x1), but the QP is of a user context"),
		F(create_qp, qpc.rlky, 1, "rlky is set (0x1), but the QP is of a user context"),
		F(create_qp, qpc.deth_sqpn, 1,
		  "deth_sqpn is set (0x1), but the QP is of a user context"),
	};
	struct prm_create_cq_in cq;
	struct prm_create_qp_in qp;

	fill_cq(&cq, own, &mine);
	fill_qp(&qp, own, &mine);
	WRONG(&WRONG_CMD(create_cq, &cq), cq_rows);
	WRONG(&WRONG_CMD(create_qp, &qp), qp_rows);
	prm_set64(&cq, cq_umem_offset, ~0ull - 63);
	ktap(rig_send(&WRONG_CMD(create_cq, &cq), NULL) == PRM_STATUS_BAD_PARAM,
	     "an offset that overflows is not within the umem");
}

/* Either both the queue and its doorbell record are in umems, or none: the driver sees to it. */
#define APART(layout, f, record, queue)							\
	F(layout, f, 0, "dbr_umem_valid is " record ", of the queue's memory it is " queue,	\
	  .whose = WRONG_DRIVER)

static void doorbell_records(void)
{
	static const struct wrong_row cq_rows[] = {
		APART(create_cq, cq_umem_valid, "1", "0"),
		APART(create_cq, cq_context.dbr_umem_valid, "0", "1"),
	};
	static const struct wrong_row qp_rows[] = {
		APART(create_qp, wq_umem_valid, "1", "0"),
		APART(create_qp, qpc.dbr_umem_valid, "0", "1"),
	};
	static const struct wrong_row rq_rows[] = {
		APART(create_rq, ctx.wq.wq_umem_valid, "1", "0"),
		APART(create_rq, ctx.wq.dbr_umem_valid, "0", "1"),
	};
	static const struct wrong_row rmp_rows[] = {
		APART(create_rmp, ctx.wq.wq_umem_valid, "1", "0"),
		APART(create_rmp, ctx.wq.dbr_umem_valid, "0", "1"),
	};
	struct prm_create_rmp_in rmp;
	struct prm_create_cq_in cq;
	struct prm_create_qp_in qp;
	struct prm_create_rq_in rq;

	fill_cq(&cq, own, &mine);
	fill_qp(&qp, own, &mine);
	fill_rq(&rq, own, &mine);
	fill_rmp(&rmp, own, &mine);
	WRONG(&WRONG_CMD(create_cq, &cq), cq_rows);
	WRONG(&WRONG_CMD(create_qp, &qp), qp_rows);
	WRONG(&WRONG_CMD(create_rq, &rq), rq_rows);
	WRONG(&WRONG_CMD(create_rmp, &rmp), rmp_rows);
}

static void shared_queues(void)
{
	static const struct wrong_row rows[] = {
		F(create_srq, srq_context_entry.rlky, 1,
		  "rlky is set (0x1), but the SRQ is of a user context"),
	};
	static const struct wrong_row xrc_rows[] = {
		F(create_xrc_srq, xrc_srq_context_entry.rlky, 1,
		  "rlky is set (0x1), but the XRC SRQ is of a user context"),
		F(create_xrc_srq, xrc_srq_umem_offset, 12224,
		  "UMEM 0x*: 1024 bytes at offset 0x2fc0 are not within its 12224"),
	};
	struct { struct prm_create_srq_in in; __be64 pas[1]; } b = {};
	struct prm_create_xrc_srq_in x = {};

	prm_set(&b.in, uid, own);
	prm_set(&b.in, srq_context_entry.log_srq_size, 4);
	prm_set(&b.in, srq_context_entry.log_rq_stride, 2);
	prm_set(&b.in, srq_context_entry.pd, mine.pd);
	prm_set64(&b.in, srq_context_entry.dbr_addr, rig_page());
	b.pas[0] = cpu_to_be64(rig_page());
	WRONG(&WRONG_CMD(create_srq, &b), rows);
	prm_set(&x, uid, own);
	prm_set(&x, xrc_srq_context_entry.log_xrc_srq_size, 4);
	prm_set(&x, xrc_srq_context_entry.log_rq_stride, 2);
	prm_set(&x, xrc_srq_context_entry.pd, mine.pd);
	prm_set(&x, xrc_srq_context_entry.cqn, mine.cq);
	prm_set(&x, xrc_srq_context_entry.xrcd, mine.xrcd);
	prm_set(&x, xrc_srq_context_entry.dbr_umem_valid, 1);
	prm_set(&x, xrc_srq_context_entry.dbr_umem_id, mine.umem);
	prm_set(&x, xrc_srq_umem_valid, 1);
	prm_set(&x, xrc_srq_umem_id, mine.umem);
	WRONG(&WRONG_CMD(create_xrc_srq, &x), xrc_rows);
}

static void keys(void)
{
	const struct wrong_row rows[] = {
		F(create_mkey, mkey_umem_valid, 0,
		  "mkc.access_mode 1: a user context has only memory of umems and keys"),
		F(create_mkey, MKC.access_mode_1_0, 0,
		  "mkey_umem_valid: the mkey is free, or not one of pages"),
		F(create_mkey, MKC.free, 1,
		  "mkey_umem_valid: the mkey is free, or not one of pages",
		  AND(create_mkey, MKC.umr_en, 1)),
		F(create_mkey, MKC.len, 12225,
		  "UMEM 0x*: 12225 bytes at offset 0x0 are not within its 12224"),
		F(create_mkey, MKC.lw, 1, "UMEM 0x*: page 2, 0x*, lacks access 0x3"),
		F(create_mkey, MKC.start_addr, 0x10000,
		  "at 0x10000, pages of 2^12 bytes: it does not fit on UMEM 0x*, 2^12, at 0x0"),
		F(create_mkey, MKC.log_page_size, 16,
		  "at 0x10040, pages of 2^16 bytes: it does not fit on UMEM 0x*, 2^12, at 0x0"),
		NAMES(create_mkey_in, MKC.pd, theirs.pd), NAMES(create_mkey_in, MKC.pd, rig.pd),
		NAMES(create_mkey_in, mkey_umem_id, theirs.umem),
	};
	struct prm_create_mkey_in in = {};

	prm_set(&in, uid, own);
	prm_set(&in, MKC.access_mode_1_0, PRM_MKC_MTT);
	prm_set(&in, MKC.lr, 1);
	prm_set(&in, MKC.qpn, 0xffffff);
	prm_set(&in, MKC.pd, mine.pd);
	prm_set64(&in, MKC.start_addr, 0x10040);
	prm_set64(&in, MKC.len, 12224);
	prm_set(&in, MKC.log_page_size, 12);
	prm_set(&in, mkey_umem_valid, 1);
	prm_set(&in, mkey_umem_id, mine.umem);
	WRONG(&WRONG_CMD(create_mkey, &in), rows);
}

/* A umem of huge pages has more small ones than a list in a command could have. */
static void huge_keys(void)
{
	static const struct wrong_row rows[] = {
		F(create_mkey, MKC.len, (1ull << 44) - 1,
		  "17592186044415 bytes need 4294967296 pages of 2^12 bytes: a list has at most 524288",
		  .status = PRM_STATUS_LIM),
		F(create_mkey, MKC.len, (1ull << 31) + 1,
		  "2147483649 bytes need 524289 pages of 2^12 bytes: a list has at most 524288",
		  .status = PRM_STATUS_LIM),
	};
	struct prm_create_mkey_in in = {};
	struct umem_cmd b;

	memset(&b, 0, sizeof(b));
	prm_set(&b.in, uid, own);
	prm_set(&b.in, log_page_size, 31);
	prm_set64(&b.in, num_of_mtt, 2);
	b.mtt[0] = cpu_to_be64(READ);
	b.mtt[1] = cpu_to_be64(1ull << 43 | READ);
	prm_set(&in, uid, own);
	prm_set(&in, MKC.access_mode_1_0, PRM_MKC_MTT);
	prm_set(&in, MKC.lr, 1);
	prm_set(&in, MKC.qpn, 0xffffff);
	prm_set(&in, MKC.pd, mine.pd);
	prm_set64(&in, MKC.len, 1ull << 31);
	prm_set(&in, MKC.log_page_size, 12);
	prm_set(&in, mkey_umem_valid, 1);
	prm_set(&in, mkey_umem_id, rig_create(&WRONG_CMD(create_umem, &b)));
	WRONG(&WRONG_CMD(create_mkey, &in), rows);
}

/* Entries of 4 KiB: a list of two, of keys that need not exist yet. */
static void ksm_keys(void)
{
	static const struct wrong_row rows[] = {
		F(create_mkey, MKC.log_page_size, 11,
		  "mkc.log_page_size 11 is not within 12 to 31"),
		F(create_mkey, MKC.log_page_size, 32,
		  "mkc.log_page_size 32 is not within 12 to 31"),
		F(create_mkey, MKC.len, 8193, "the KLM list covers 8192 bytes, mkc.len is 8193"),
		F(create_mkey, mkey_umem_valid, 1,
		  "mkey_umem_valid: the mkey is free, or not one of pages"),
		F(create_mkey, MKC.access_mode_4_2, 1, "mkc.access_mode 7 is not supported"),
		{ .field = "a repeat block", .bit = 8 * (sizeof(struct prm_create_mkey_in) + 16),
		  .width = 64, .value = 0x400,
		  .text = "the KLM list: a KSM list has the head of a repeat block" },
	};
	struct { struct prm_create_mkey_in in; __be64 ksm[4]; } b = {};

	prm_set(&b.in, uid, own);
	prm_set(&b.in, MKC.access_mode_1_0, PRM_MKC_KSM);
	prm_set(&b.in, MKC.qpn, 0xffffff);
	prm_set(&b.in, MKC.pd, mine.pd);
	prm_set64(&b.in, MKC.start_addr, 0x10123);
	prm_set64(&b.in, MKC.len, 8192);
	prm_set(&b.in, MKC.log_page_size, 12);
	prm_set(&b.in, MKC.translations_octword_size, 2);
	prm_set(&b.in, translations_octword_actual_size, 2);
	WRONG(&WRONG_CMD(create_mkey, &b), rows);
}

/* ---- the end ---- */

static void references(void)
{
	static const struct wrong_row used[] = {
		{ .field = "of queues", .status = PRM_STATUS_RES_BUSY,
		  .text = "UMEM 0x* is still used by * objects" },
	};
	static const struct wrong_row alive[] = {
		{ .field = "with objects", .status = PRM_STATUS_RES_BUSY,
		  .text = "UCTX 0x* is still used by * objects" },
	};
	struct prm_destroy_umem_in umem = {};
	struct prm_destroy_uctx_in uctx = {};

	prm_set(&umem, uid, own);
	prm_set(&umem, umem_id, mine.umem);
	prm_set(&uctx, uid, own);
	WRONG_ONLY(&WRONG_CMD(destroy_umem, &umem), used);
	WRONG_ONLY(&WRONG_CMD(destroy_uctx, &uctx), alive);
}

/* An application may free its doorbell page before the queue, and then cannot name it any more. */
static void abandoned_page(void)
{
	uint32_t uid = create_uctx(0);
	struct things t = { .umem = make_umem(uid), .uar = alloc(PRM_OP_alloc_uar, uid) };
	struct prm_create_cq_in cq;
	uint32_t cqn;

	fill_cq(&cq, uid, &t);
	cqn = rig_create(&WRONG_CMD(create_cq, &cq));
	ktap(!simple(PRM_OP_dealloc_uar, uid, t.uar, NULL) &&
	     simple(PRM_OP_dealloc_uar, uid, t.uar, NULL) == GONE &&
	     rig_send(&WRONG_CMD(create_cq, &cq), NULL) == GONE,
	     "a UAR in use can be given back, and named no more");
	ktap(destroy_uctx(uid) == PRM_STATUS_RES_BUSY, "its context lives on");
	ktap(!simple(PRM_OP_destroy_cq, uid, cqn, NULL) &&
	     !simple(PRM_OP_destroy_umem, uid, t.umem, NULL) && !destroy_uctx(uid),
	     "the UAR goes with the queue");
}

static void without_key(const char *bin_dir)
{
	static const struct wrong_row uctx[] = {
		{ .field = "", .status = PRM_STATUS_BAD_OP,
		  .text = "log_max_uctx is not announced" },
	};
	static const struct wrong_row umem[] = {
		{ .field = "", .status = PRM_STATUS_BAD_OP,
		  .text = "log_max_umem is not announced" },
	};
	struct prm_create_uctx_in in = {};
	struct umem_cmd b;

	rig_open(bin_dir);
	fill_umem(&b, 0);
	WRONG_ONLY(&WRONG_CMD(create_uctx, &in), uctx);
	WRONG_ONLY(&WRONG_CMD(create_umem, &b), umem);
	rig_close();
}

int main(int argc, char **argv)
{
	(void)argc;
	ktap_plan(0);
	without_key(argv[1]);
	rig_open_card(argv[1], 1, "cx6dx,devx");
	make_shared_eq();
	contexts();
	permissions();
	queries();
	make_things(&mine, own);
	mine.tis = make_tis(own, &mine);
	make_things(&theirs, other);
	destroyers();
	namers();
	tirs();
	driver_names_all();
	umems();
	queue_memory();
	doorbell_records();
	shared_queues();
	keys();
	huge_keys();
	ksm_keys();
	references();
	abandoned_page();
	rig_close();
	return ktap_end();
}
