// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Event queues: rings in guest memory whose entries carry an owner bit that flips on each pass. The
 * driver writes the consumer index to a doorbell. Each arming raises one interrupt, at once if the
 * queue already holds a newer entry.
 */
#include <string.h>

#include "fault/fault.h"
#include "prm/obj.h"
#include "queue/queue.h"

#define EQ_ST_ARMED	0x9
#define EQ_ST_FIRED	0xa

struct eq {
	struct obj obj;
	struct event_sink sink;
	struct prm_eqc ctx;		/* as created */
	uint64_t events;		/* mask */
	struct pages pages;
	struct obj *uar;
	uint32_t size, pi, ci;
	unsigned int vector;
	bool armed, overrun;
	bool broken;			/* a fault rule made it overrun */
};

static void eq_fire(struct eq *eq)
{
	eq->armed = false;
	hca_raise_irq(eq->obj.dev, eq->vector);
}

static void count_overrun(const struct eq *eq)
{
	struct vnic_env *vnic = &eq->obj.dev->hca->vnic;

	if (eq->events)
		vnic->async_eq_overruns++;
	else
		vnic->comp_eq_overruns++;
}

/* Makes the EQ overrun for a fault rule: it accepts no more entries, a fatal error. */
static void eq_break(struct eq *eq)
{
	notice(eq->obj.dev, "fault: EQ 0x%x overruns", eq->obj.num);
	eq->overrun = true;
	eq->broken = true;
	count_overrun(eq);
	health_report(eq->obj.dev, eq->events ? PRM_HEALTH_SYND_ASYNC_EQ_OVERRUN :
					       PRM_HEALTH_SYND_EQ_ERROR, false);
}

static void eq_put(struct eq *eq, struct prm_eqe *eqe)
{
	uint64_t at = (uint64_t)(eq->pi & (eq->size - 1)) * sizeof(*eqe);
	struct cxdev *dev = eq->obj.dev;
	const size_t last = sizeof(*eqe) - 4;

	if (ring_distance(eq->ci, eq->pi) >= eq->size) {
		if (!eq->overrun)
			violation(dev, "EQ 0x%x overrun: %u entries and none was consumed",
				  eq->obj.num, eq->size);
		eq->overrun = true;
		count_overrun(eq);
		return;
	}
	eqe->owner = eq->pi & eq->size ? 1 : 0;
	pages_write(dev, &eq->pages, at, eqe, last);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	pages_write(dev, &eq->pages, at + last, (uint8_t *)eqe + last, sizeof(*eqe) - last);
	eq->pi = (eq->pi + 1) & RING_INDEX_MASK;
	if (eq->armed)
		eq_fire(eq);
}

void eq_push(struct eq *eq, uint8_t type, uint8_t subtype, const void *data, size_t len)
{
	struct prm_eqe eqe = { .type = type, .sub_type = subtype };
	uint32_t value;

	if (eq->broken)
		return;
	memcpy(&eqe.data, data, len);
	switch (fault_check(FAULT_EVENT, eq->obj.dev, type, &value)) {
	case FAULT_LOSE:
		return;
	case FAULT_OVERRUN:
		eq_break(eq);
		return;
	case FAULT_TYPE:
		eqe.type = value;
		break;
	case FAULT_DUPLICATE:
		eq_put(eq, &eqe);
		break;
	default:
		break;
	}
	eq_put(eq, &eqe);
}

static void eq_event(struct event_sink *sink, uint8_t type, uint8_t subtype, const void *data,
		     size_t len)
{
	eq_push(container_of(sink, struct eq, sink), type, subtype, data, len);
}

void eq_doorbell(struct cxdev *dev, uint32_t uar, uint32_t value, bool arm)
{
	struct eq *eq = obj_find(dev, OBJ_EQ, value >> 24);
	uint32_t ci = value & RING_INDEX_MASK;

	if (!eq) {
		violation(dev, "EQ doorbell names EQ 0x%x, which does not exist", value >> 24);
		return;
	}
	if (eq->uar->num != uar) {
		violation(dev, "EQ 0x%x: doorbell on UAR 0x%x, its own is 0x%x", eq->obj.num, uar,
			  eq->uar->num);
		return;
	}
	if (ring_distance(eq->ci, ci) > ring_distance(eq->ci, eq->pi)) {
		violation(dev, "EQ 0x%x: consumer index jumps from 0x%x to 0x%x, producer at 0x%x",
			  eq->obj.num, eq->ci, ci, eq->pi);
		return;
	}
	eq->ci = ci;
	if (!arm || eq->broken)
		return;
	eq->armed = true;
	if (eq->pi != ci)
		eq_fire(eq);
}

static void eq_release(void *obj)
{
	struct eq *eq = obj;

	event_sink_remove(eq->obj.dev, &eq->sink);
	obj_put(eq->uar);
	pages_free(&eq->pages);
}

static int eq_check(struct cmd *c, const struct prm_create_eq_in *in)
{
	const struct prm_eqc *ctx = prm_sub_const(in, eq_context_entry, eqc);
	uint64_t events = prm_get64(in, event_bitmask[0]);
	unsigned int i;

	if (prm_get(ctx, log_eq_size) > 22)
		return refuse(c, PRM_STATUS_BAD_PARAM, "log_eq_size %u is above 22",
			      prm_get(ctx, log_eq_size));
	if (prm_get(ctx, log_page_size) > RING_LOG_PAGE_MAX)
		return refuse(c, PRM_STATUS_BAD_PARAM, "eqc.log_page_size %u is above %u",
			      prm_get(ctx, log_page_size), RING_LOG_PAGE_MAX);
	if (prm_get(ctx, intr) >= c->dev->card->vectors)
		return refuse(c, PRM_STATUS_BAD_PARAM, "intr %u: the card has %u vectors",
			      prm_get(ctx, intr), c->dev->card->vectors);
	if (prm_get(ctx, status) || prm_get(ctx, ec) || prm_get(ctx, consumer_counter) ||
	    prm_get(ctx, producer_counter))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "status, ec and counters must be zero at creation");
	if (prm_get64(in, event_bitmask[1]) || prm_get64(in, event_bitmask[2]) ||
	    prm_get64(in, event_bitmask[3]))
		return refuse(c, PRM_STATUS_BAD_PARAM, "event_bitmask has events above 63");
	if (events >> PRM_EVENT_PAGE_REQUEST & 1 && !hca_requests_pages(c->dev))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "page_request_disable: the card has no page request events");
	if (obj_count(c->dev, OBJ_EQ) >= hca_eq_limit(c->dev))
		return refuse(c, PRM_STATUS_NO_RES, "max_num_eqs: the card has %u EQs",
			      hca_eq_limit(c->dev));
	for (i = 0; i < 64; i++)
		if (events >> i & 1 && event_has_sink(c->dev, i))
			return refuse(c, PRM_STATUS_BAD_PARAM,
				      "event 0x%x already goes to another EQ", i);
	return 0;
}

static int run_create_eq(struct cmd *c)
{
	const struct prm_create_eq_in *in = c->in;
	struct prm_create_eq_out *out = c->out;
	const struct prm_eqc *ctx = prm_sub_const(in, eq_context_entry, eqc);
	struct hca_state *hca = c->dev->hca;
	unsigned int i;
	struct eq *eq;

	if (eq_check(c, in))
		return -1;
	eq = obj_create(c, OBJ_EQ, sizeof(*eq));
	if (!eq)
		return -1;
	eq->obj.release = eq_release;
	eq->sink.push = eq_event;
	eq->ctx = *ctx;
	eq->size = 1u << prm_get(ctx, log_eq_size);
	eq->vector = prm_get(ctx, intr);
	eq->events = prm_get64(in, event_bitmask[0]);
	eq->armed = prm_get(ctx, st) == EQ_ST_ARMED;
	eq->uar = obj_hold(c, OBJ_UAR, prm_get(ctx, uar_page), "eqc.uar_page");
	if (!eq->uar || pages_get(c, &eq->pages, prm_tail_const(in),
				  (uint64_t)eq->size * sizeof(struct prm_eqe),
				  prm_get(ctx, log_page_size), prm_get(ctx, page_offset))) {
		obj_free(eq);
		return -1;
	}
	for (i = 0; i < 64; i++)
		if (eq->events >> i & 1)
			hca->sinks[i] = &eq->sink;
	if (eq->events >> PRM_EVENT_CMD & 1)
		hca->cmd_sink = &eq->sink;
	prm_set(out, eq_number, eq->obj.num);
	return 0;
}

static int run_destroy_eq(struct cmd *c)
{
	const struct prm_destroy_eq_in *in = c->in;
	void *eq = obj_own(c, OBJ_EQ, prm_get(in, eq_number), "eq_number");

	return eq ? obj_destroy(c, eq) : -1;
}

static int run_query_eq(struct cmd *c)
{
	const struct prm_query_eq_in *in = c->in;
	struct prm_query_eq_out *out = c->out;
	struct eq *eq = obj_lookup(c, OBJ_EQ, prm_get(in, eq_number), "eq_number");
	struct prm_eqc *ctx = prm_sub(out, eq_context_entry, eqc);

	if (!eq)
		return -1;
	*ctx = eq->ctx;
	prm_set(ctx, status, eq->overrun ? CTX_OVERRUN : CTX_OK);
	prm_set(ctx, st, eq->armed ? EQ_ST_ARMED : EQ_ST_FIRED);
	prm_set(ctx, consumer_counter, eq->ci);
	prm_set(ctx, producer_counter, eq->pi);
	prm_set64(out, event_bitmask, eq->events);
	return 0;
}

const struct cmd_desc cmds_eq[] = {
	CMD(create_eq, .tail = true),
	CMD(destroy_eq),
	CMD(query_eq),
	{}
};
