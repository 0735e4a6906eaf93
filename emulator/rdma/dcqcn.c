// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The algorithm of DCQCN, in the form of the firmware's parameters: a CNP raises alpha at its next
 * update and lowers the rate, at most once a monitor period. After a decrease the rate rises in
 * stages, counted apart by time and by bytes: half-way back to the target until the threshold, then
 * the target rises, too.
 */
#include <string.h>

#include "rdma/rdma.h"

#define ALPHA_BITS 10
#define ALPHA_SHIFT 10		/* of alpha beyond that */
#define ALPHA_ONE (1u << (ALPHA_BITS + ALPHA_SHIFT))
#define MBPS 1000000ull
#define GAP_BYTES 24		/* FCS, preamble, gap */
#define TICKS_MAX 100000	/* of alpha, after which it is 0 */
#define NEARLY 1023		/* of 1024: the rate has recovered */

static struct cong_state *state_of(const struct qp *qp)
{
	return &qp->obj.dev->rdma_state->cong;
}

static uint32_t param(const struct qp *qp, uint32_t bit)
{
	return prm_get_bits(state_of(qp)->rp.dw, bit, 32);
}

#define PARAM(qp, field) param(qp, prm_bit(&state_of(qp)->rp, field))

static unsigned int prio_of(const struct qp *qp)
{
	return roce_prio(qp, &qp->av);
}

static uint64_t max_rate(const struct qp *qp)
{
	uint64_t set = PARAM(qp, rpg_max_rate), port = wire_rate_mbps();

	return (set && set < port ? set : port) * MBPS;
}

/* ---- rates ---- */

/* What has happened to alpha since it was last looked at. */
static void update_alpha(struct qp *qp)
{
	struct reaction *r = &qp->reaction;
	uint64_t period = PARAM(qp, dce_tcp_rtt) * PS_PER_US, now = vtime_ps(), ticks;
	uint32_t keep = PARAM(qp, dce_tcp_g);

	if (!period)
		period = PS_PER_US;
	ticks = (now - r->alpha_ps) / period;
	r->alpha_ps += ticks * period;
	if (ticks > TICKS_MAX)
		r->alpha = 0;
	for (; ticks && ticks <= TICKS_MAX && (r->alpha || r->marked); ticks--) {
		r->alpha = (uint64_t)r->alpha * keep >> ALPHA_BITS;
		if (r->marked)
			r->alpha += (ALPHA_ONE >> ALPHA_BITS) * ((1u << ALPHA_BITS) - keep);
		r->marked = false;
	}
}

static void forget(struct qp *qp)
{
	struct reaction *r = &qp->reaction;

	if (r->limited)
		state_of(qp)->flows--;
	r->limited = false;
	r->next_ps = 0;
	vevent_cancel(&r->decrease);
	vevent_cancel(&r->increase);
}

static void arm_increase(struct qp *qp)
{
	uint32_t us = PARAM(qp, rpg_time_reset);

	if (us)
		vevent_set(&qp->reaction.increase, vtime_ps() + us * PS_PER_US);
}

static void decrease(struct vevent *event)
{
	struct qp *qp = container_of(event, struct qp, reaction.decrease);
	struct reaction *r = &qp->reaction;
	uint64_t rate, least = PARAM(qp, rpg_min_rate) * MBPS;
	uint64_t floor = r->rate * PARAM(qp, rpg_min_dec_fac) / 100;
	uint32_t gd = PARAM(qp, rpg_gd);

	update_alpha(qp);
	if (prm_get(&state_of(qp)->rp, clamp_tgt_rate) || r->clamp)
		r->target = r->rate;
	rate = r->rate - ((r->rate >> ALPHA_SHIFT) * r->alpha >> (gd < 32 ? gd : 32));
	if (rate < floor)
		rate = floor;
	r->rate = rate < least ? least : rate;
	r->clamp = false;
	r->time_stage = 0;
	r->byte_stage = 0;
	r->bytes = 0;
	r->decreased_ps = vtime_ps();
	arm_increase(qp);
}

/* A stage by time or by bytes has ended. */
static void raise(struct qp *qp)
{
	struct reaction *r = &qp->reaction;
	uint32_t threshold = PARAM(qp, rpg_threshold);
	unsigned int t = r->time_stage, b = r->byte_stage;
	uint64_t max = max_rate(qp);

	if ((t < b ? t : b) > threshold)
		r->target += PARAM(qp, rpg_hai_rate) * MBPS;
	else if ((t > b ? t : b) >= threshold)
		r->target += PARAM(qp, rpg_ai_rate) * MBPS;
	if (r->target > max)
		r->target = max;
	r->rate = (r->rate + r->target) / 2;
	if (r->rate >= max / 1024 * NEARLY)
		forget(qp);
}

static void increase(struct vevent *event)
{
	struct qp *qp = container_of(event, struct qp, reaction.increase);

	qp->reaction.time_stage++;
	if (prm_get(&state_of(qp)->rp, clamp_tgt_rate_after_time_inc))
		qp->reaction.clamp = true;
	arm_increase(qp);
	raise(qp);
}

/* ---- the reaction point ---- */

static void pace(struct vevent *event)
{
	struct qp *qp = container_of(event, struct qp, reaction.pace);

	work_queue(&qp->req.work);
	work_queue(&qp->resp.work);
}

bool dcqcn_may_send(struct qp *qp)
{
	struct reaction *r = &qp->reaction;

	if (!r->limited || vtime_ps() >= r->next_ps)
		return true;
	vevent_set(&r->pace, r->next_ps);
	return false;
}

void dcqcn_sent(struct qp *qp, const struct frame *frame)
{
	struct reaction *r = &qp->reaction;
	uint64_t now, bits = (frame->len + GAP_BYTES) * 8ull;
	uint32_t every = PARAM(qp, rpg_byte_reset);

	if (!r->limited)
		return;
	now = vtime_ps();
	r->next_ps = (r->next_ps > now ? r->next_ps : now) +
		     bits * MBPS * PS_PER_US / r->rate;
	r->bytes += frame->len;
	if (!every || r->bytes < every)
		return;
	r->bytes -= every;
	r->byte_stage++;
	r->clamp = true;
	raise(qp);
}

static void first_cnp(struct qp *qp)
{
	struct reaction *r = &qp->reaction;
	uint64_t rate = PARAM(qp, rate_to_set_on_first_cnp) * MBPS;

	r->limited = true;
	r->target = max_rate(qp);
	r->rate = rate && rate < r->target ? rate : r->target;
	r->alpha = PARAM(qp, initial_alpha_value) << ALPHA_SHIFT;
	r->alpha_ps = vtime_ps();
	r->marked = false;
	state_of(qp)->flows++;
	state_of(qp)->flows_ever++;
	decrease(&r->decrease);
}

bool dcqcn_notified(struct qp *qp)
{
	struct reaction *r = &qp->reaction;
	uint64_t again;

	if (!(state_of(qp)->rp_enabled & 1u << prio_of(qp)))
		return false;
	if (!wire_has_rate())
		return true;
	if (!r->limited) {
		first_cnp(qp);
		return true;
	}
	update_alpha(qp);
	r->marked = true;
	again = r->decreased_ps + PARAM(qp, rate_reduce_monitor_period) * PS_PER_US;
	if (!vevent_is_set(&r->decrease))
		vevent_set(&r->decrease, again);
	return true;
}

bool dcqcn_tags(const struct qp *qp)
{
	return wire_has_rate() && state_of(qp)->rp_enabled & 1u << prio_of(qp);
}

/* ---- the notification point ---- */

bool dcqcn_notify(struct qp *qp)
{
	const struct cong_state *s = state_of(qp);
	uint64_t now;

	if (!(s->np_enabled & 1u << prio_of(qp)))
		return false;
	if (!wire_has_rate())
		return true;
	now = vtime_ps();
	if (qp->reaction.cnp_ps &&
	    now - qp->reaction.cnp_ps < prm_get(&s->np, min_time_between_cnps) * PS_PER_US)
		return false;
	qp->reaction.cnp_ps = now;
	return true;
}

void dcqcn_cnp_path(const struct qp *qp, struct av *av)
{
	const struct cong_state *s = state_of(qp);

	av->tclass = prm_get(&s->np, cnp_dscp) << 2;
	if (!prm_get(&s->np, cnp_prio_mode))
		av->prio = prm_get(&s->np, cnp_802p_prio);
}

/* ---- life ---- */

void dcqcn_init(struct qp *qp)
{
	vevent_init(&qp->reaction.decrease, decrease);
	vevent_init(&qp->reaction.increase, increase);
	vevent_init(&qp->reaction.pace, pace);
}

void dcqcn_stop(struct qp *qp)
{
	forget(qp);
	vevent_cancel(&qp->reaction.pace);
	qp->reaction.cnp_ps = 0;
}
