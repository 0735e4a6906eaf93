// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Capabilities: how many objects, how large. */
#include <stdlib.h>
#include <string.h>

#include "caps.h"
#include "prm/counter.h"
#include "prm/devx.h"

#define LARGE_PAGE 19	/* 2 GiB: any queue is one page, which nobody touches */

struct caps_env env;

/* ---- objects ---- */

int try_cq(struct dut *dut, struct prm_create_cq_in *in)
{
	uint64_t pas = htobe64(DUT_BASE);
	struct prm_create_cq_out out;
	int status;

	prm_set(in, cq_context.log_page_size, LARGE_PAGE);
	prm_set(in, cq_context.uar_page, dut->uar);
	prm_set(in, cq_context.c_eqn_or_apu_element, dut->eq);
	status = dut_cmd_tail(dut, create_cq, in, &out, &pas, 8);
	if (!status)
		dut_destroy_obj(dut, PRM_OP_destroy_cq, prm_get(&out, cqn));
	return status;
}

static int create_eq(struct dut *dut, struct prm_create_eq_in *in, uint32_t *num)
{
	uint64_t pas = htobe64(DUT_BASE);
	struct prm_create_eq_out out;
	int status;

	prm_set(in, eq_context_entry.log_page_size, LARGE_PAGE);
	prm_set(in, eq_context_entry.uar_page, dut->uar);
	status = dut_cmd_tail(dut, create_eq, in, &out, &pas, 8);
	*num = prm_get(&out, eq_number);
	return status;
}

int try_eq(struct dut *dut, struct prm_create_eq_in *in)
{
	uint32_t num;
	int status = create_eq(dut, in, &num);

	if (!status)
		dut_destroy_obj(dut, PRM_OP_destroy_eq, num);
	return status;
}

static void fill_wq(struct dut *dut, struct prm_wq *wq, unsigned int stride)
{
	if (!prm_get(wq, wq_type))
		prm_set(wq, wq_type, PRM_WQ_CYCLIC);
	if (!prm_get(wq, log_wq_stride))
		prm_set(wq, log_wq_stride, stride);
	prm_set(wq, log_wq_pg_sz, LARGE_PAGE);
	prm_set(wq, pd, dut->pd);
}

int try_sq(struct dut *dut, struct prm_create_sq_in *in)
{
	uint64_t pas = htobe64(DUT_BASE);
	struct prm_create_sq_out out;
	int status;

	fill_wq(dut, prm_sub(in, ctx.wq, wq), 6);
	prm_set(in, ctx.wq.uar_page, dut->uar);
	prm_set(in, ctx.cqn, env.cqn);
	status = dut_cmd_tail(dut, create_sq, in, &out, &pas, 8);
	if (!status)
		dut_destroy_obj(dut, PRM_OP_destroy_sq, prm_get(&out, sqn));
	return status;
}

int try_rq(struct dut *dut, struct prm_create_rq_in *in)
{
	uint64_t pas = htobe64(DUT_BASE);
	struct prm_create_rq_out out;
	int status;

	fill_wq(dut, prm_sub(in, ctx.wq, wq), 6);
	prm_set(in, ctx.cqn, env.cqn);
	status = dut_cmd_tail(dut, create_rq, in, &out, &pas, 8);
	if (!status)
		dut_destroy_obj(dut, PRM_OP_destroy_rq, prm_get(&out, rqn));
	return status;
}

int try_rmp(struct dut *dut, struct prm_create_rmp_in *in)
{
	uint64_t pas = htobe64(DUT_BASE);
	struct prm_create_rmp_out out;
	int status;

	prm_set(in, ctx.state, PRM_WQ_RDY);
	prm_set(in, ctx.wq.log_wq_stride, 6);
	prm_set(in, ctx.wq.log_wq_pg_sz, LARGE_PAGE);
	prm_set(in, ctx.wq.pd, dut->pd);
	status = dut_cmd_tail(dut, create_rmp, in, &out, &pas, 8);
	if (!status)
		dut_destroy_obj(dut, PRM_OP_destroy_rmp, prm_get(&out, rmpn));
	return status;
}

int try_mkey(struct dut *dut, struct prm_create_mkey_in *in)
{
	struct prm_create_mkey_out out;
	int status;

	prm_set(in, memory_key_mkey_entry.qpn, 0xffffff);
	prm_set(in, memory_key_mkey_entry.pd, dut->pd);
	status = dut_cmd(dut, create_mkey, in, &out);
	if (!status)
		dut_destroy_obj(dut, PRM_OP_destroy_mkey, prm_get(&out, mkey_index));
	return status;
}

bool probe_ksm(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct prm_create_mkey_in in = {};

	(void)value;
	(void)arg;
	prm_set(&in, memory_key_mkey_entry.access_mode_1_0, PRM_MKC_KSM);
	prm_set(&in, memory_key_mkey_entry.log_page_size, 12);
	return !try_mkey(dut, &in);
}

int create_qp(struct dut *dut, struct prm_create_qp_in *in, uint32_t *qpn)
{
	uint64_t pas = htobe64(DUT_BASE);
	struct prm_create_qp_out out;
	int status;

	prm_set(in, qpc.pm_state, PRM_QP_PM_MIGRATED);
	prm_set(in, qpc.log_page_size, LARGE_PAGE);
	prm_set(in, qpc.pd, dut->pd);
	prm_set(in, qpc.uar_page, dut->uar);
	prm_set(in, qpc.cqn_snd, env.cqn);
	prm_set(in, qpc.cqn_rcv, env.cqn);
	status = dut_cmd_tail(dut, create_qp, in, &out, &pas, 8);
	*qpn = prm_get(&out, qpn);
	return status;
}

int try_qp(struct dut *dut, struct prm_create_qp_in *in)
{
	uint32_t qpn;
	int status = create_qp(dut, in, &qpn);

	if (!status)
		dut_destroy_obj(dut, PRM_OP_destroy_qp, qpn);
	return status;
}

/* ---- how many ---- */

/* Objects of few fields, in turn until the card has no more. */
static int create_simple(struct dut *dut, enum obj_type type, uint32_t *num)
{
	struct prm_create_eq_in eq = {};
	struct prm_create_tir_in tir = {};
	struct prm_create_tir_out tir_out;
	struct prm_create_tis_in tis = {};
	struct prm_create_tis_out tis_out;
	struct prm_create_uctx_in uctx = {};
	struct prm_create_uctx_out uctx_out;
	struct prm_mbox_in in = {};
	struct prm_alloc_pd_out out;
	int status;

	switch (type) {
	case OBJ_EQ:
		return create_eq(dut, &eq, num);
	case OBJ_TIR:
		prm_set(&tir, ctx.inline_rqn, env.rqn);
		prm_set(&tir, ctx.transport_domain, dut->td);
		status = dut_cmd(dut, create_tir, &tir, &tir_out);
		*num = prm_get(&tir_out, tirn);
		return status;
	case OBJ_UCTX:
		status = dut_cmd(dut, create_uctx, &uctx, &uctx_out);
		*num = prm_get(&uctx_out, uid);
		return status;
	case OBJ_TIS:
		prm_set(&tis, ctx.transport_domain, dut->td);
		status = dut_cmd(dut, create_tis, &tis, &tis_out);
		*num = prm_get(&tis_out, tisn);
		return status;
	default:
		status = dut_exec(dut, type == OBJ_TD ? PRM_OP_alloc_transport_domain :
				  type == OBJ_XRCD ? PRM_OP_alloc_xrcd :
				  type == OBJ_UAR ? PRM_OP_alloc_uar : PRM_OP_alloc_q_counter,
				  &in, sizeof(in), &out, sizeof(out));
		/* The number stands at the same place but for its width. */
		*num = prm_get(&out, pd);
		return status;
	}
}

static unsigned int destroy_op(enum obj_type type)
{
	switch (type) {
	case OBJ_EQ:
		return PRM_OP_destroy_eq;
	case OBJ_TIR:
		return PRM_OP_destroy_tir;
	case OBJ_TIS:
		return PRM_OP_destroy_tis;
	case OBJ_TD:
		return PRM_OP_dealloc_transport_domain;
	case OBJ_XRCD:
		return PRM_OP_dealloc_xrcd;
	case OBJ_UAR:
		return PRM_OP_dealloc_uar;
	case OBJ_UCTX:
		return PRM_OP_destroy_uctx;
	default:
		return PRM_OP_dealloc_q_counter;
	}
}

/* How many there can be, those that are there already included; 0: it ends in another way. */
static uint32_t exhaust(struct dut *dut, enum obj_type type, uint32_t *highest)
{
	uint32_t *nums = calloc(1 << 14, sizeof(*nums)), n = 0, i;
	int status = 0;

	*highest = 0;
	while (n < 1 << 14 && !(status = create_simple(dut, type, &nums[n]))) {
		if (nums[n] > *highest)
			*highest = nums[n];
		n++;
	}
	for (i = 0; i < n; i++)
		if (dut_destroy_obj(dut, destroy_op(type), nums[i]))
			status = PRM_STATUS_BAD_RES;
	free(nums);
	return status == PRM_STATUS_NO_RES ? n + obj_count(dut->dev, type) : 0;
}

static bool probe_count(struct dut *dut, uint32_t value, uint32_t type)
{
	uint32_t highest;

	return exhaust(dut, type, &highest) == value;
}

static bool probe_log_count(struct dut *dut, uint32_t value, uint32_t type)
{
	return probe_count(dut, 1u << value, type);
}

/*
 * More than 4,096 would take too long: the table, which obj_create() counts by. Not all of 2^24
 * numbers need be free.
 */
static bool probe_table(struct dut *dut, uint32_t value, uint32_t type)
{
	const struct obj_range *range = &dut->dev->card->objs[type];

	return range->count == 1u << value ||
	       (value == 24 && range->first && range->first + range->count == 1u << value);
}

static int attach(struct dut *dut, uint32_t qpn, unsigned int opcode)
{
	struct prm_attach_to_mcg_in in = {};
	struct prm_attach_to_mcg_out out;

	prm_set(&in, qpn, qpn);
	prm_set(&in, multicast_gid[0], 0xff);
	return dut_exec(dut, opcode, &in, sizeof(in), &out, sizeof(out));
}

/* A group of as many members, and one more. */
static bool probe_mcg_qps(struct dut *dut, uint32_t value, uint32_t arg)
{
	uint32_t *qpns = calloc(value + 1, sizeof(*qpns)), n = 0, i;
	int status = 0;

	(void)arg;
	while (n <= value && !status) {
		struct prm_create_qp_in in = {};

		prm_set(&in, qpc.st, PRM_QP_ST_UD);
		dut_check(create_qp(dut, &in, &qpns[n]), "create_qp");
		status = attach(dut, qpns[n++], PRM_OP_attach_to_mcg);
	}
	for (i = 0; i < n; i++) {
		if (i + 1 < n || !status)
			dut_check(attach(dut, qpns[i], PRM_OP_detach_from_mcg), "detach_from_mcg");
		dut_check(dut_destroy_obj(dut, PRM_OP_destroy_qp, qpns[i]), "destroy_qp");
	}
	free(qpns);
	return n == value + 1 && status == PRM_STATUS_NO_RES && !obj_count(dut->dev, OBJ_MCG);
}

/* The last UAR ends where the BAR does. */
static bool probe_uars(struct dut *dut, uint32_t value, uint32_t arg)
{
	const struct card *card = dut->dev->card;
	uint64_t memory = card->memic_at ? card->bar_bytes - card->memic_at : 0;
	uint32_t highest;

	(void)arg;
	return exhaust(dut, OBJ_UAR, &highest) == card->objs[OBJ_UAR].count &&
	       (highest + 1ull) * UAR_BYTES + memory == 1ull << (20 + value);
}

/* ---- how large ---- */

static bool probe_cq_size(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)arg;
	return AT_MOST(value, 5, TRY(dut, cq, cq, cq_context.log_cq_size, n));
}

static bool probe_eq_size(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)arg;
	return AT_MOST(value, 5, TRY(dut, eq, eq, eq_context_entry.log_eq_size, n));
}

static bool probe_qp_size(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)arg;
	return AT_MOST(value, 4, TRY(dut, qp, qp, qpc.log_sq_size, n)) &&
	       AT_MOST(value, 4, TRY(dut, qp, qp, qpc.log_rq_size, n));
}

/* An SRQ's field cannot say more, an RMP's can. */
static bool probe_srq_size(struct dut *dut, uint32_t value, uint32_t arg)
{
	uint64_t pas = htobe64(DUT_BASE);
	struct prm_create_srq_in in = {};
	struct prm_create_srq_out out;

	(void)arg;
	if (value > 15)
		return false;
	prm_set(&in, srq_context_entry.log_srq_size, value);
	prm_set(&in, srq_context_entry.log_rq_stride, 2);
	prm_set(&in, srq_context_entry.log_page_size, LARGE_PAGE);
	prm_set(&in, srq_context_entry.pd, dut->pd);
	return !dut_cmd_tail(dut, create_srq, &in, &out, &pas, 8) &&
	       !dut_destroy_obj(dut, PRM_OP_destroy_srq, prm_get(&out, srqn)) &&
	       AT_MOST(value, 5, TRY(dut, rmp, rmp, ctx.wq.log_wq_sz, n));
}

static bool probe_wq_size(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)arg;
	return AT_MOST(value, 5, TRY(dut, sq, sq, ctx.wq.log_wq_sz, n)) &&
	       AT_MOST(value, 5, TRY(dut, rq, rq, ctx.wq.log_wq_sz, n));
}

static bool probe_most_stride(struct dut *dut, uint32_t value, uint32_t of_sq)
{
	if (of_sq)
		return AT_MOST(value, 4, TRY(dut, sq, sq, ctx.wq.log_wq_stride, n));
	return AT_MOST(value, 4, TRY(dut, rq, rq, ctx.wq.log_wq_stride, n));
}

static bool probe_least_stride(struct dut *dut, uint32_t value, uint32_t of_sq)
{
	if (of_sq)
		return !TRY(dut, sq, sq, ctx.wq.log_wq_stride, value) &&
		       TRY(dut, sq, sq, ctx.wq.log_wq_stride, value - 1);
	return !TRY(dut, rq, rq, ctx.wq.log_wq_stride, value) &&
	       TRY(dut, rq, rq, ctx.wq.log_wq_stride, value - 1);
}

/* Strides of a queue pair's receive queue: 16 bytes << n. */
static bool probe_wqe_rq(struct dut *dut, uint32_t value, uint32_t arg)
{
	unsigned int log = __builtin_ctz(value / PRM_WQE_DS);

	(void)arg;
	return value == (uint32_t)PRM_WQE_DS << log &&
	       AT_MOST(log, 3, TRY(dut, qp, qp, qpc.log_rq_stride, n));
}

/* The control segment counts to 63 units, which are 16 basic blocks. */
static bool probe_wqe_sq(struct dut *dut, uint32_t value, uint32_t arg)
{
	unsigned int i, opcode[2];

	(void)arg;
	for (i = 0; i < 2; i++) {
		struct dut_wq sq = dut_create_sq(dut, 5, NULL);
		const struct prm_cqe64 *cqe;

		dut_wqe(dut, &sq, PRM_WQE_NOP, value / PRM_WQE_DS - 1 + i, PRM_WQE_CE_ALWAYS);
		dut_ring(dut, &sq, value / PRM_WQE_BB);
		cqe = dut_poll(dut, &sq.cq);
		opcode[i] = cqe ? cqe->op_own >> PRM_CQE_OPCODE_SHIFT : 0xff;
	}
	return opcode[0] == PRM_CQE_REQ && opcode[1] == PRM_CQE_REQ_ERR;
}

static int try_rqt(struct dut *dut, uint32_t n)
{
	uint32_t *rqns = calloc(n, sizeof(*rqns)), i;
	struct prm_create_rqt_in in = {};
	struct prm_create_rqt_out out;
	int status;

	for (i = 0; i < n; i++)
		rqns[i] = htobe32(env.rqn);
	prm_set(&in, rqt_context.rqt_max_size, n);
	prm_set(&in, rqt_context.rqt_actual_size, n);
	status = dut_cmd_tail(dut, create_rqt, &in, &out, rqns, n * 4);
	if (!status)
		dut_destroy_obj(dut, PRM_OP_destroy_rqt, prm_get(&out, rqtn));
	free(rqns);
	return status;
}

bool probe_rqt_size(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)arg;
	return !try_rqt(dut, 1u << value) && try_rqt(dut, (1u << value) + 1);
}

static int try_list(struct dut *dut, unsigned int type, uint32_t n)
{
	uint64_t *list = calloc(n + 1, sizeof(*list));
	struct prm_modify_nic_vport_context_in in = {};
	struct prm_modify_nic_vport_context_out out;
	uint32_t i;
	int status;

	for (i = 0; i < n; i++)
		list[i] = htobe64(type == PRM_VPORT_LIST_VLAN ? (uint64_t)(i & 0xfff) << 32 :
				  type == PRM_VPORT_LIST_MC ? 0x333300000000ull + i :
							      0x020000000000ull + i);
	prm_set(&in, field_select.addresses_list, 1);
	prm_set(&in, nic_vport_context.allowed_list_type, type);
	prm_set(&in, nic_vport_context.allowed_list_size, n);
	status = dut_cmd_tail(dut, modify_nic_vport_context, &in, &out, list, n * 8);
	free(list);
	return status;
}

/* The command's field has 12 bits: 4,096 cannot be said, 4,095 is the most. */
static bool probe_list(struct dut *dut, uint32_t value, uint32_t type)
{
	uint32_t most = value < 12 ? 1u << value : 4095;
	bool good = value <= 12 && !try_list(dut, type, most) &&
		    (value == 12 || try_list(dut, type, most + 1));

	return !try_list(dut, type, 0) && good;
}

static bool probe_list_settable(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)value;
	(void)arg;
	return !try_set_cap(dut, CAP_GENERAL,
			    offsetof(struct prm_cmd_hca_cap_bits, log_max_current_uc_list), 5, 9);
}

static bool probe_msg(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)arg;
	return AT_MOST(value, 5, try_qp_to_rts(dut, &(struct qp_steps){ .st = PRM_QP_ST_RC,
									.log_msg = n }));
}

static bool probe_ra(struct dut *dut, uint32_t value, uint32_t requester)
{
	if (requester)
		return AT_MOST(value, 3, try_qp_to_rts(dut, &(struct qp_steps){ .st = PRM_QP_ST_RC,
										.log_sra = n }));
	return AT_MOST(value, 3, try_qp_to_rts(dut, &(struct qp_steps){ .st = PRM_QP_ST_RC,
									.log_rra = n }));
}

/* 2^64 bytes: a key of all addresses, which says no length. */
static bool probe_mrw(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)arg;
	return value == 64 && !TRY(dut, mkey, mkey, memory_key_mkey_entry.length64, 1);
}

static int mtt_page(struct dut *dut, unsigned int log)
{
	struct prm_create_mkey_in in = {};

	prm_set(&in, memory_key_mkey_entry.access_mode_1_0, PRM_MKC_MTT);
	prm_set(&in, memory_key_mkey_entry.log_page_size, log);
	return try_mkey(dut, &in);
}

static bool probe_page_size(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)arg;
	return !mtt_page(dut, value) && mtt_page(dut, value - 1);
}

static bool probe_pkeys(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct { struct prm_query_hca_vport_pkey_out hdr; __be32 pkey[4]; } out;
	struct prm_query_hca_vport_pkey_in in = {};
	uint32_t n = 128u << value;
	int last;

	(void)arg;
	prm_set(&in, pkey_index, n - 1);
	last = dut_exec(dut, PRM_OP_query_hca_vport_pkey, &in, sizeof(in), &out, sizeof(out));
	prm_set(&in, pkey_index, n);
	return !last &&
	       dut_exec(dut, PRM_OP_query_hca_vport_pkey, &in, sizeof(in), &out, sizeof(out));
}

static bool probe_counter_bulk(struct dut *dut, uint32_t value, uint32_t arg)
{
	size_t len = sizeof(struct prm_query_flow_counter_out) + (16ul << value) + 16;
	struct prm_query_flow_counter_in in = {};
	void *out = calloc(1, len);
	int at, beyond;

	(void)arg;
	prm_set(&in, num_of_counters, 1u << value);
	at = dut_exec(dut, PRM_OP_query_flow_counter, &in, sizeof(in), out, len);
	prm_set(&in, num_of_counters, (1u << value) + 1);
	beyond = dut_exec(dut, PRM_OP_query_flow_counter, &in, sizeof(in), out, len);
	free(out);
	return !at && beyond;
}

static bool probe_counters_15_0(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)arg;
	return dut->dev->card->objs[OBJ_FLOW_COUNTER].count == value;
}

/* The driver itself is number 0. */
static bool probe_users(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)arg;
	return probe_count(dut, (1u << value) - 1, OBJ_UCTX);
}

/* Any set of the rights that are announced, and no other. */
static bool probe_user_rights(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct prm_create_uctx_in in = {};
	struct prm_create_uctx_out out;
	uint32_t rights;

	(void)arg;
	for (rights = 0; rights < 16; rights++) {
		prm_set(&in, cap, rights);
		if (!dut_cmd(dut, create_uctx, &in, &out) != !(rights & ~value))
			return false;
		if (!(rights & ~value))
			dut_destroy_obj(dut, PRM_OP_destroy_uctx, prm_get(&out, uid));
	}
	return true;
}

#define SIZE(field, fn, arg) CAP_ROW(cmd_hca_cap, field, false, fn, arg)

const struct cap_row caps_sizes[] = {
	SIZE(log_max_qp, probe_table, OBJ_QP),
	SIZE(log_max_qp_sz, probe_qp_size, 0),
	SIZE(log_max_srq, probe_table, OBJ_SRQ),
	SIZE(log_max_srq_sz, probe_srq_size, 0),
	SIZE(log_max_cq, probe_table, OBJ_CQ),
	SIZE(log_max_cq_sz, probe_cq_size, 0),
	SIZE(log_max_eq, probe_log_count, OBJ_EQ),
	SIZE(log_max_eq_sz, probe_eq_size, 0),
	SIZE(log_max_mkey, probe_table, OBJ_MKEY),
	SIZE(log_max_mrw_sz, probe_mrw, 0),
	SIZE(log_max_pd, probe_table, OBJ_PD),
	SIZE(log_max_mcg, probe_table, OBJ_MCG),
	SIZE(max_qp_mcg, probe_mcg_qps, 0),
	SIZE(log_max_xrcd, probe_log_count, OBJ_XRCD),
	SIZE(log_max_transport_domain, probe_log_count, OBJ_TD),
	SIZE(log_max_rq, probe_table, OBJ_RQ),
	SIZE(log_max_sq, probe_table, OBJ_SQ),
	SIZE(log_max_rmp, probe_table, OBJ_RMP),
	SIZE(log_max_tir, probe_log_count, OBJ_TIR),
	SIZE(log_max_tis, probe_log_count, OBJ_TIS),
	SIZE(log_max_rqt, probe_table, OBJ_RQT),
	SIZE(log_max_rqt_size, probe_rqt_size, 0),
	SIZE(log_max_ra_req_qp, probe_ra, true),
	SIZE(log_max_ra_res_qp, probe_ra, false),
	SIZE(log_max_msg, probe_msg, 0),
	SIZE(log_max_ra_req_dc, probe_dc_reads, true),
	SIZE(log_max_ra_res_dc, probe_dc_reads, false),
	SIZE(max_wqe_sz_sq_dc, probe_dc_wqe, 0),
	SIZE(log_max_dci_stream_channels, probe_dc_streams, false),
	SIZE(log_max_dci_errored_streams, probe_dc_streams, true),
	SIZE(max_wqe_sz_sq, probe_wqe_sq, 0),
	SIZE(max_wqe_sz_rq, probe_wqe_rq, 0),
	SIZE(log_max_wq_sz, probe_wq_size, 0),
	SIZE(log_max_stride_sz_rq, probe_most_stride, false),
	SIZE(log_min_stride_sz_rq, probe_least_stride, false),
	SIZE(log_max_stride_sz_sq, probe_most_stride, true),
	SIZE(log_min_stride_sz_sq, probe_least_stride, true),
	SIZE(log_max_current_uc_list, probe_list, PRM_VPORT_LIST_UC),
	CAP_ROW(cmd_hca_cap, log_max_current_uc_list_wr_supported, true, probe_list_settable, 0),
	SIZE(log_max_current_mc_list, probe_list, PRM_VPORT_LIST_MC),
	SIZE(log_max_vlan_list, probe_list, PRM_VPORT_LIST_VLAN),
	SIZE(max_qp_cnt, probe_count, OBJ_Q_COUNTER),
	SIZE(pkey_table_size, probe_pkeys, 0),
	SIZE(max_flow_counter_15_0, probe_counters_15_0, 0),
	SIZE(log_max_flow_counter_bulk, probe_counter_bulk, 0),
	SIZE(log_max_klm_list_size, probe_umr_list, 0),
	SIZE(log_pg_sz, probe_page_size, 0),
	SIZE(uar_sz, probe_uars, 0),
	SIZE(log_max_uctx, probe_users, 0),
	SIZE(log_max_umem, probe_table, OBJ_UMEM),
	SIZE(uctx_cap, probe_user_rights, 0),
};

const unsigned int caps_sizes_n = ARRAY_SIZE(caps_sizes);
