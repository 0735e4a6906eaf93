// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The ports of a wire with a rate: what comes out of their links, and the flow control of the
 * function, which obeys pauses, and asks for them when frames wait for it.
 */
#include <stdlib.h>

#include "base/json.h"
#include "wire/physics.h"
#include "wire/switch.h"

#define QUEUE_MAX 1024	/* frames of a priority, if a function sends without asking */
#define MS_PS (1000 * PS_PER_US)
#define HELD 2		/* frames of a priority that a function has ready for the link */

/* ---- what leaves and arrives ---- */

static void count_drop(struct link *link, struct frame *frame)
{
	(void)frame;
	port_physics(link->port)->lost++;
}

static void function_sent(struct link *link, struct frame *frame)
{
	(void)link;
	(void)frame;
}

/* From the function to the switch, or to the other end of the cable. */
static void at_switch(struct link *link, struct frame *frame)
{
	struct port *port = link->port, *other = port_cabled(port);
	struct port_physics *p = port_physics(other ? other : port);

	if (!is_mac_control(frame)) {
		wire_sent(port, frame);
		return;
	}
	port_count_control(port, frame, false);
	if (other) {
		port_count_control(other, frame, true);
		pause_obey(&p->up, frame, port_qos(other)->pause_rx, port_qos(other)->pfc_rx);
	} else {
		pause_obey(&p->down, frame, physics.pause, physics.lossless);
	}
	frame_free(frame);
}

static void at_port(struct link *link, struct frame *frame)
{
	struct port *port = link->port;

	if (!is_mac_control(frame)) {
		wire_delivered(port, frame);
		return;
	}
	port_count_control(port, frame, true);
	pause_obey(&port_physics(port)->up, frame, port_qos(port)->pause_rx,
		   port_qos(port)->pfc_rx);
	frame_free(frame);
}

/* ---- sending ---- */

void physics_send(struct port_physics *p, struct frame *frame)
{
	bool control = is_mac_control(frame);

	frame->in = NULL;
	frame->prio = qos_frame_prio(port_qos(p->port), frame);
	if ((control ? p->up.control_len : p->up.len[frame->prio]) >= QUEUE_MAX) {
		p->lost++;
		frame_free(frame);
		return;
	}
	if (control)
		link_queue_control(&p->up, frame);
	else
		link_queue(&p->up, frame);
}

/* Work that must wait is on the list of those that do, where its cancellation finds it. */
bool physics_may_send(struct port_physics *p, unsigned int prio, struct work *work)
{
	if (p->up.len[prio] < HELD)
		return true;
	work_cancel(work);
	list_add_tail(&work->node, &p->up.waiting[prio]);
	return false;
}

/* ---- the function's own flow control ---- */

static bool function_full(struct pauser *pauser, unsigned int prio)
{
	struct port_physics *p = container_of(pauser, struct port_physics, pauser);

	return p->waiting[prio] > port_qos(p->port)->xon[prio];
}

static void update_function(struct port_physics *p, unsigned int prio)
{
	const struct port_qos *qos = port_qos(p->port);
	bool may = (qos->pause_tx || qos->pfc_tx & 1u << prio) && !is_behind(p->port) &&
		   !p->stalled;

	if (!p->pauser.off)
		p->pauser.global = qos->pause_tx;
	if (may && p->waiting[prio] >= qos->xoff[prio])
		pauser_set(&p->pauser, prio, true);
	else if (!may || !function_full(&p->pauser, prio))
		pauser_set(&p->pauser, prio, false);
}

/* ---- a function that is stuck ---- */

static void arm_stall(struct port_physics *p)
{
	const struct port_qos *qos = port_qos(p->port);
	uint64_t minor = p->stalled_minor ? 0 : qos->stall_minor_ms;
	uint64_t critical = p->stalled ? 0 : qos->stall_critical_ms;
	uint64_t ms = minor && (minor < critical || !critical) ? minor : critical;

	if (p->stall_ps && ms)
		vevent_set(&p->stall, p->stall_ps + ms * MS_PS);
	else
		vevent_cancel(&p->stall);
}

/* The port pauses the sender from now on, or no longer; @taken: the function has taken a frame. */
static void watch_function(struct port_physics *p, bool taken)
{
	bool pauses = p->pauser.off;

	if (taken && p->stalled)
		notice(NULL, "port %s takes frames again", port_name(p->port));
	if (taken)
		p->stalled = false;
	if (taken || (!pauses && !p->stalled)) {
		p->stall_ps = 0;
		p->stalled_minor = false;
	}
	if (pauses && !p->stall_ps)
		p->stall_ps = vtime_ps();
	arm_stall(p);
}

/* From the critical watermark on the port lets the sender go on, and drops what has no room. */
static void stall_due(struct vevent *event)
{
	struct port_physics *p = container_of(event, struct port_physics, stall);
	const struct port_qos *qos = port_qos(p->port);
	uint64_t ms = (vtime_ps() - p->stall_ps) / MS_PS;
	unsigned int i;

	if (!p->stalled_minor && qos->stall_minor_ms && ms >= qos->stall_minor_ms) {
		p->stalled_minor = true;
		p->stalls.minor++;
	}
	if (!p->stalled && qos->stall_critical_ms && ms >= qos->stall_critical_ms) {
		notice(NULL,
		       "port %s has taken no frame for %llu ms: it no longer pauses the sender",
		       port_name(p->port), (unsigned long long)ms);
		p->stalled = true;
		p->stalls.critical++;
		for (i = 0; i < PRIORITIES; i++)
			update_function(p, i);
	}
	arm_stall(p);
}

bool physics_has_room(const struct port_physics *p, const struct frame *frame)
{
	unsigned int prio = qos_frame_prio(port_qos(p->port), frame);

	return !p->stalled || p->waiting[prio] < port_qos(p->port)->xoff[prio];
}

struct port_stalls port_stalls(const struct port *port)
{
	struct port_physics *p = port_physics(port);

	return p ? p->stalls : (struct port_stalls){};
}

void port_qos_changed(struct port *port)
{
	const struct port_qos *qos = port_qos(port);
	struct port_physics *p = port_physics(port);
	unsigned int i;

	if (!p)
		return;
	for (i = 0; i < PRIORITIES; i++) {
		p->schedule.class[i] = qos->prio_tc[i];
		p->schedule.group[i] = qos->group[i];
		p->schedule.weight[i] = qos->weight[i];
		p->schedule.max_mbps[i] = qos->max_mbps[i];
		if (!qos->max_mbps[i])
			p->up.rate_ps[i] = 0;
		update_function(p, i);
	}
	watch_function(p, false);
	link_kick(&p->up);
}

void physics_waits(struct port_physics *p, struct frame *frame)
{
	frame->prio = qos_frame_prio(port_qos(p->port), frame);
	p->waiting[frame->prio] += wire_bytes(frame);
	update_function(p, frame->prio);
	watch_function(p, false);
}

void physics_taken(struct port_physics *p, const struct frame *frame)
{
	p->waiting[frame->prio] -= wire_bytes(frame);
	watch_function(p, true);
	update_function(p, frame->prio);
	watch_function(p, false);
}

struct port_pauses port_pauses(const struct port *port, unsigned int prio)
{
	struct port_physics *p = port_physics(port);

	if (!p)
		return (struct port_pauses){};
	return (struct port_pauses){
		.rx = p->up.pauses[prio],
		.rx_us = link_pause_ps(&p->up, prio) / PS_PER_US,
		.rx_transitions = p->up.resumed[prio],
		.tx = p->pauser.sent[prio],
		.tx_us = pauser_ps(&p->pauser, prio) / PS_PER_US,
		.discarded = p->discarded[prio],
	};
}

struct switch_counters port_switch_counters(const struct port *port, unsigned int prio)
{
	struct port_physics *p = port_physics(port);

	if (!p)
		return (struct switch_counters){};
	return (struct switch_counters){
		.dropped = p->out.dropped[prio],
		.marked = p->out.marked[prio],
		.paused = p->in.pauser.sent[prio],
		.largest = p->out.largest[prio],
		.bytes = p->down.bytes[prio],
		.storms = p->out.storms,
	};
}

/* ---- life ---- */

struct port_physics *physics_create(struct port *port)
{
	struct port_physics *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->port = port;
	link_init(&p->up, port, false, &p->schedule);
	p->up.sent = function_sent;
	p->up.arrived = at_switch;
	link_init(&p->down, port, true, &switch_schedule);
	p->down.sent = buffer_release;
	p->down.arrived = at_port;
	pauser_init(&p->pauser, &p->up, function_full);
	pauser_init(&p->in.pauser, &p->down, buffer_full);
	p->in.pauser.global = physics.pause;
	vevent_init(&p->stall, stall_due);
	limit_init(&p->limit);
	watchdog_init(p);
	return p;
}

/* What is on the cable or waits for it is lost. */
void physics_link_down(struct port_physics *p)
{
	vevent_cancel(&p->out.check);
	p->out.storm = 0;
	link_reset(&p->up, count_drop);
	link_reset(&p->down, buffer_release);
	pauser_reset(&p->in.pauser);
	pauser_reset(&p->pauser);
	p->stalled = false;
	watch_function(p, false);
}

void port_set_rate(struct port *port, uint32_t mbps)
{
	struct port_physics *p = port_physics(port);

	if (p)
		limit_set(&p->limit, mbps);
}

void physics_flush(struct port_physics *p)
{
	unsigned int i;

	for (i = 0; i < PRIORITIES; i++)
		link_drop_queue(&p->up, i, count_drop);
	link_release_waiting(&p->up);
}

void physics_destroy(struct port_physics *p)
{
	limit_set(&p->limit, 0);
	physics_link_down(p);
	buffer_forget_port(p->port);
	free(p);
}

void physics_status(const struct port_physics *p, FILE *out)
{
	unsigned int i;

	for (i = 0; i < PRIORITIES; i++) {
		struct switch_counters s = port_switch_counters(p->port, i);
		struct port_pauses n = port_pauses(p->port, i);

		if (!s.largest && !s.dropped && !s.paused && !n.rx && !n.tx)
			continue;
		fprintf(out, "  priority %u: switch queue at most %llu bytes, dropped %llu, ", i,
			(unsigned long long)s.largest, (unsigned long long)s.dropped);
		fprintf(out, "marked %llu, pauses to the port %llu, from it %llu\n",
			(unsigned long long)s.marked, (unsigned long long)s.paused,
			(unsigned long long)p->down.pauses[i]);
	}
	if (p->lost || p->out.storms)
		fprintf(out, "  lost before the wire %llu; pause storms %llu, frames lost %llu\n",
			(unsigned long long)p->lost, (unsigned long long)p->out.storms,
			(unsigned long long)p->out.storm_dropped);
}

void physics_json(const struct port_physics *p, struct json_object *to)
{
	struct json_object *list = json_list(to, "priorities"), *row;
	unsigned int i;

	for (i = 0; i < PRIORITIES; i++) {
		struct switch_counters s = port_switch_counters(p->port, i);

		row = json_row(list);
		json_number(row, "largest_queue_bytes", s.largest);
		json_number(row, "dropped", s.dropped);
		json_number(row, "marked", s.marked);
		json_number(row, "pauses_to_port", s.paused);
		json_number(row, "pauses_from_port", p->down.pauses[i]);
	}
	json_number(to, "lost_before_wire", p->lost);
	json_number(to, "pause_storms", p->out.storms);
	json_number(to, "pause_storm_dropped", p->out.storm_dropped);
}
