// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Packet pacing: the table of rates, and the SQs that keep to one.
 *
 * An SQ sends a frame when those before it would have left at its rate, or so much earlier as the
 * burst takes at that rate; it then waits by its timer. What a frame costs is its bytes with the
 * FCS. If an entry changes, the SQs that use it begin anew; one that is cleared limits nothing.
 */
#include "nic/nic.h"
#include "prm/rate.h"

#define FCS 4u
#define NS_PER_MS 1000000ull	/* a rate is in bits per ms */

static const struct pp_rate *rate_of(const struct sq *sq)
{
	return &sq->obj.dev->eth->rates[prm_get(&sq->ctx, packet_pacing_rate_limit_index)];
}

static uint64_t time_of(const struct pp_rate *rate, uint64_t bytes)
{
	return bytes * 8 * NS_PER_MS / rate->kbps;
}

static void pace_expired(struct timer *timer)
{
	struct sq *sq = container_of(timer, struct sq, pace.timer);

	work_queue(&sq->work);
}

void pace_init(struct sq *sq)
{
	timer_init(&sq->pace.timer, pace_expired);
}

void pace_stop(struct sq *sq)
{
	timer_cancel(&sq->pace.timer);
	sq->pace.clear_ns = 0;
}

bool pace_must_wait(struct sq *sq)
{
	const struct pp_rate *rate = rate_of(sq);
	uint64_t at = sq->pace.clear_ns, early = 0, now = 0;

	if (rate->kbps) {
		early = time_of(rate, rate->burst);
		now = now_ns();
	}
	if (!rate->kbps || at <= now + early) {
		timer_cancel(&sq->pace.timer);	/* a doorbell may come before it is looked at */
		return false;
	}
	timer_arm(&sq->pace.timer, at - early - now);
	return true;
}

void pace_sent(struct sq *sq, uint32_t bytes)
{
	const struct pp_rate *rate = rate_of(sq);
	uint64_t now;

	if (!rate->kbps)
		return;
	now = now_ns();
	if (sq->pace.clear_ns < now)
		sq->pace.clear_ns = now;
	sq->pace.clear_ns += time_of(rate, bytes + FCS);
}

/* Entries, with the one that limits nothing; @caps may be changed by a fault. */
static unsigned int table_size(const struct prm_qos_cap *caps)
{
	unsigned int n = prm_get(caps, packet_pacing_rate_table_size);

	return n < PP_RATES ? n : PP_RATES;
}

int pace_check(struct cmd *c, unsigned int index)
{
	const struct pp_rate *rate = &c->dev->eth->rates[index % PP_RATES];
	const struct prm_qos_cap *caps = hca_pacing(c->dev);

	if (index == PRM_RATE_NONE)
		return 0;
	if (!caps)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "packet_pacing_rate_limit_index %u, but packet pacing is not advertised",
			      index);
	if (index >= table_size(caps) || !rate->kbps)
		return refuse(c, PRM_STATUS_BAD_RES,
			      "packet_pacing_rate_limit_index %u: the rate is not set", index);
	if (c->uid && rate->uid != c->uid && rate->uid != PRM_UID_SHARED)
		return refuse(c, PRM_STATUS_BAD_RES,
			      "packet_pacing_rate_limit_index %u: the rate is of uid 0x%x", index,
			      rate->uid);
	return 0;
}

static int check_rate(struct cmd *c, const struct prm_qos_cap *caps,
		      const struct prm_set_pp_rate_limit_context *ctx)
{
	uint32_t kbps = prm_get(ctx, rate_limit);

	if (c->uid && !prm_get(caps, packet_pacing_uid))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "a rate of uid 0x%x, but packet_pacing_uid is not advertised",
			      c->uid);
	if (prm_get(ctx, burst_upper_bound) && !prm_get(caps, packet_pacing_burst_bound))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "burst_upper_bound is set, but not advertised");
	if (prm_get(ctx, typical_packet_size) && !prm_get(caps, packet_pacing_typical_size))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "typical_packet_size is set, but not advertised");
	if (kbps && (kbps < prm_get(caps, packet_pacing_min_rate) ||
		     kbps > prm_get(caps, packet_pacing_max_rate)))
		return refuse(c, PRM_STATUS_BAD_PARAM, "rate_limit %u is not within %u to %u",
			      kbps, prm_get(caps, packet_pacing_min_rate),
			      prm_get(caps, packet_pacing_max_rate));
	return 0;
}

/* The rate that @arg is the index of has changed: an SQ that has it begins anew. */
static void begin_anew(void *obj, void *arg)
{
	const unsigned int *index = arg;
	struct sq *sq = obj;

	if (prm_get(&sq->ctx, packet_pacing_rate_limit_index) != *index)
		return;
	pace_stop(sq);
	if (wq_posted(&sq->wq))
		work_queue(&sq->work);
}

static int run_set_pp_rate_limit(struct cmd *c)
{
	const struct prm_set_pp_rate_limit_in *in = c->in;
	const struct prm_set_pp_rate_limit_context *ctx =
		prm_sub_const(in, ctx, set_pp_rate_limit_context);
	unsigned int index = prm_get(in, rate_limit_index);
	struct pp_rate *rate = &c->dev->eth->rates[index % PP_RATES];
	const struct prm_qos_cap *caps = hca_pacing(c->dev);
	bool changes;

	if (!caps)
		return refuse(c, PRM_STATUS_BAD_OP, "packet pacing is not advertised");
	if (check_rate(c, caps, ctx))
		return -1;
	if (index == PRM_RATE_NONE || index >= table_size(caps))
		return refuse(c, PRM_STATUS_BAD_PARAM, "rate_limit_index %u is not within 1 to %u",
			      index, table_size(caps) - 1);
	if (rate->kbps && c->uid && c->uid != rate->uid)
		return refuse(c, PRM_STATUS_BAD_RES, "rate_limit_index %u is of uid 0x%x", index,
			      rate->uid);
	changes = rate->kbps != prm_get(ctx, rate_limit) ||
		  rate->burst != prm_get(ctx, burst_upper_bound);
	*rate = (struct pp_rate){
		.kbps = prm_get(ctx, rate_limit),
		.burst = prm_get(ctx, burst_upper_bound),
		.uid = c->uid,
	};
	if (changes)
		obj_for_each(c->dev, OBJ_SQ, begin_anew, &index);
	return 0;
}

const struct cmd_desc cmds_pace[] = {
	CMD(set_pp_rate_limit),
	{}
};
