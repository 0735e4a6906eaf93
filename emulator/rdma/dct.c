// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Targets of dynamically connected transport: their commands. */
#include "rdma/rdma.h"

#define PORT		1
#define DRAIN_NS	20000000ull	/* for messages that have begun */
#define DRAIN_LOOK_NS	1000000ull

static void put_counters(struct dct *dct)
{
	struct q_counter *none = &dct->obj.dev->rdma_state->no_counter;

	if (dct->counters && dct->counters != none)
		obj_put(dct->counters);
	dct->counters = none;
}

static void dct_release(void *obj)
{
	struct dct *dct = obj;

	dct_close_all(dct, false);
	work_cancel(&dct->nak_work);
	work_cancel(&dct->drain_work);
	timer_cancel(&dct->drain_timer);
	put_counters(dct);
	obj_put(dct->srq);
	obj_put(dct->cq);
	obj_put(dct->pd);
}

/* ---- draining ------------------------------------------------------------------------------ */

/* Who has begun a message and does not end it holds nobody up. */
static void drain_step(struct work *work)
{
	struct dct *dct = container_of(work, struct dct, drain_work);

	if (now_ns() >= dct->drain_until)
		dct_close_all(dct, true);
	if (!dct_close_idle(dct)) {
		timer_arm(&dct->drain_timer, DRAIN_LOOK_NS);
		return;
	}
	timer_cancel(&dct->drain_timer);
	dct->state = PRM_DCT_STATE_DRAINED;
	queue_event(&dct->obj, PRM_EVENT_DCT_DRAINED);
}

static void drain_look(struct timer *timer)
{
	struct dct *dct = container_of(timer, struct dct, drain_timer);

	work_queue(&dct->drain_work);
}

static void nak_room(struct work *work)
{
	(void)work;
}

/* ---- creating ------------------------------------------------------------------------------ */

static int check_path(struct cmd *c, const struct prm_dctc *ctx)
{
	unsigned int mtu = prm_get(ctx, mtu);

	if (prm_get(ctx, port) != PORT)
		return refuse(c, PRM_STATUS_BAD_PARAM, "a DCT needs port 1, not %u",
			      prm_get(ctx, port));
	if (mtu < PRM_QP_MTU_256 || mtu > PRM_QP_MTU_4096)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "dctc.mtu %u is not one of 1 (256) to 5 (4096)", mtu);
	if (!c->dev->roce_addrs[prm_get(ctx, my_addr_index)].valid)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "dctc.my_addr_index %u: the RoCE address table is empty there",
			      prm_get(ctx, my_addr_index));
	return is_set(c, ctx, pkey_index, "but the table has one P_Key");
}

static bool is_zero(const uint8_t *p, uint32_t len)
{
	while (len && !*p) {
		p++;
		len--;
	}
	return !len;
}

static int check_create(struct cmd *c, const struct prm_create_dct_in *in,
			const struct prm_dctc *ctx)
{
	unsigned int mode = prm_get(ctx, atomic_mode);

	if (!hca_dc(c->dev))
		return refuse(c, PRM_STATUS_BAD_OP, "dct is not announced");
	if (lag_exists(c->dev))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "there is a LAG, and lag_dct is not announced");
	if (!is_zero(prm_tail_const(in), c->in_len - sizeof(*in)))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "the context of the DCT goes on behind its end");
	if (is_set(c, ctx, state, "but a DCT is made active") ||
	    is_set(c, ctx, dc_access_key_violation_count, "but the device counts them") ||
	    is_set(c, ctx, atomic_like_write_en, "but it is not supported") ||
	    is_set(c, ctx, free_ar, "but it is not supported") ||
	    is_set(c, ctx, ece, "but ECE is not advertised"))
		return -1;
	/* as of a QP: who asks no capability permits data in CQEs, and the card puts none there */
	if (!c->uid && is_set(c, ctx, cs_res, "but scatter to CQE is not advertised"))
		return -1;
	if (c->uid && is_set(c, ctx, rlky, "but the DCT is of a user context"))
		return -1;
	if (mode > PRM_QP_ATOMIC_8B || (prm_get(ctx, rae) && mode == PRM_QP_ATOMIC_NONE))
		return refuse(c, PRM_STATUS_BAD_PARAM, "dctc.atomic_mode %u with rae %u", mode,
			      prm_get(ctx, rae));
	return check_path(c, ctx);
}

static int take_objects(struct cmd *c, struct dct *dct)
{
	const struct prm_dctc *ctx = &dct->ctx;
	uint32_t srqn = prm_get(ctx, srqn_xrqn), counters = prm_get(ctx, counter_set_id);

	dct->pd = obj_hold(c, OBJ_PD, prm_get(ctx, pd), "dctc.pd");
	if (!dct->pd)
		return -1;
	dct->cq = obj_hold(c, OBJ_CQ, prm_get(ctx, cqn), "dctc.cqn");
	if (!dct->cq)
		return -1;
	dct->srq = obj_hold(c, obj_find(c->dev, OBJ_SRQ, srqn) ? OBJ_SRQ : OBJ_RMP, srqn,
			    "dctc.srqn_xrqn");
	if (!dct->srq)
		return -1;
	if (counters) {
		struct q_counter *q = obj_hold(c, OBJ_Q_COUNTER, counters, "dctc.counter_set_id");

		if (!q)
			return -1;
		dct->counters = q;
	}
	return 0;
}

static int run_create_dct(struct cmd *c)
{
	const struct prm_create_dct_in *in = c->in;
	const struct prm_dctc *ctx = prm_sub_const(in, dct_context_entry, dctc);
	struct prm_create_dct_out *out = c->out;
	struct dct *dct;

	if (check_create(c, in, ctx))
		return -1;
	dct = obj_create(c, OBJ_DCT, sizeof(*dct));
	if (!dct)
		return -1;
	dct->obj.release = dct_release;
	dct->ctx = *ctx;
	dct->key = prm_get64(ctx, dc_access_key);
	dct->counters = &c->dev->rdma_state->no_counter;
	list_init(&dct->responders);
	work_init(&dct->nak_work, nak_room);
	work_init(&dct->drain_work, drain_step);
	timer_init(&dct->drain_timer, drain_look);
	if (take_objects(c, dct)) {
		obj_free(dct);
		return -1;
	}
	prm_set(out, dctn, dct->obj.num);
	return 0;
}

/* ---- the others ---------------------------------------------------------------------------- */

/* A driver that does not drain it first may free memory under messages that are under way. */
static int run_destroy_dct(struct cmd *c)
{
	const struct prm_destroy_dct_in *in = c->in;
	struct dct *dct = obj_own(c, OBJ_DCT, prm_get(in, dctn), "dctn");

	if (!dct)
		return -1;
	if (dct->state != PRM_DCT_STATE_DRAINED)
		return refuse(c, PRM_STATUS_BAD_RES_STATE, "DCT 0x%x is not drained",
			      dct->obj.num);
	return obj_destroy(c, dct);
}

/* Of one that is drained already there is another event: two may ask, and both wait. */
static int run_drain_dct(struct cmd *c)
{
	const struct prm_drain_dct_in *in = c->in;
	struct dct *dct = obj_own(c, OBJ_DCT, prm_get(in, dctn), "dctn");

	if (!dct)
		return -1;
	if (dct->state == PRM_DCT_STATE_ACTIVE) {
		dct->state = PRM_DCT_STATE_DRAINING;
		dct->drain_until = now_ns() + DRAIN_NS;
	}
	work_queue(&dct->drain_work);
	return 0;
}

static int run_query_dct(struct cmd *c)
{
	const struct prm_query_dct_in *in = c->in;
	struct dct *dct = obj_lookup(c, OBJ_DCT, prm_get(in, dctn), "dctn");
	struct prm_query_dct_out *out = c->out;
	struct prm_dctc *ctx = prm_sub(out, dct_context_entry, dctc);

	if (!dct)
		return -1;
	*ctx = dct->ctx;
	prm_set(ctx, state, dct->state);
	prm_set(ctx, dc_access_key_violation_count, dct->violations);
	return 0;
}

static int run_arm_dct_for_key_violation(struct cmd *c)
{
	const struct prm_arm_dct_for_key_violation_in *in = c->in;
	struct dct *dct = obj_own(c, OBJ_DCT, prm_get(in, dct_number), "dct_number");

	if (!dct)
		return -1;
	dct->armed = true;
	return 0;
}

const struct cmd_desc cmds_dct[] = {
	/* UCX has a longer context, whose newer part it leaves zero */
	CMD(create_dct, .tail = true),
	CMD(destroy_dct),
	CMD(drain_dct),
	CMD(query_dct),
	CMD(arm_dct_for_key_violation),
	{}
};
