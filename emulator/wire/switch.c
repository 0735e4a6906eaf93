// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * One learning switch that joins the ports of all functions of the process.
 *
 * The switch ignores VLAN tags: it learns and forwards by MAC address only and floods unknown ones.
 * Two ports can be joined by a cable instead: each receives what the other sends. A frame is never
 * delivered inside port_send(); each port has a bounded queue that its own work item drains, so
 * that a function that sends to itself, or two that respond to each other, cannot recurse.
 *
 * The functions of a card may share one port of the switch, that of the PF: an embedded switch,
 * which port/eswitch.c implements, sorts what they send and what arrives for them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fault/fault.h"
#include "prm/eqe.h"
#include "wire/fdb.h"
#include "wire/physics.h"
#include "wire/switch.h"

static struct list_head ports = LIST_HEAD_INIT(ports);
struct filter_counts switch_filtered;

static enum wire_verdict (*filter_fn)(void *arg, const struct port *from, struct frame *frame);
static void *filter_arg;
static struct frame *held; /* by WIRE_HOLD of the filter */
static struct port *held_from;

/* Who waits for room in the queue of a port looks again, perhaps at another one. */
static void wake_senders(struct port *port)
{
	work_wake(&port->waiting);
}

void ports_wake_senders(void)
{
	struct port *port;

	list_for_each_entry(port, &ports, node) {
		wake_senders(port);
		if (port->physics)
			link_release_waiting(&port->physics->up);
	}
}

/* ---- delivery ---- */

static bool is_multicast(const struct frame *frame)
{
	return frame->data[0] & 1;
}

static void deliver(struct port *port, struct frame *frame)
{
	struct port_counters *counters = &port->counters;

	if (port->sink || capture_wants_frames())
		frame_finish(frame);
	if (port->sink && !port->sink(port->sink_arg, frame)) {
		counters->full++;
		frame_free(frame);
		return;
	}

	if (!is_uplink(port))
		port_count_received(port, frame);
	if (!port->dev) {
		frame_free(frame);
		return;
	}

	port->ops->receive(port->dev, frame);
}

static void port_rx_work(struct work *work)
{
	struct port *port = container_of(work, struct port, rx_work);
	int budget = LOOP_SLICE;

	while (budget-- && !port->hold && !list_empty(&port->rx)) {
		struct frame *frame = list_first_entry(&port->rx, struct frame, node);

		list_del(&frame->node);
		port->rx_len--;
		if (port->physics)
			physics_taken(port->physics, frame);
		deliver(port, frame);
	}

	if (!port->hold && !list_empty(&port->rx))
		work_queue(&port->rx_work);
	if (port->rx_len <= PORT_QUEUE / 2)
		wake_senders(port);
}

static void enqueue(struct port *port, struct frame *frame)
{
	if (!port_link_up(port)) {
		port->counters.down++;
		frame_free(frame);
		return;
	}
	if (port->rx_len >= PORT_QUEUE ||
	    (port->physics && !physics_has_room(port->physics, frame))) {
		port->counters.full++;
		if (port->physics)
			port->physics->discarded[qos_frame_prio(&port->qos, frame)]++;
		frame_free(frame);
		return;
	}

	list_add_tail(&frame->node, &port->rx);
	port->rx_len++;
	if (port->physics)
		physics_waits(port->physics, frame);
	work_queue(&port->rx_work);
}

/* Does a frame that has arrived with wrong bits go on? A sink has no forward error correction. */
static bool is_mended(struct port *port, struct frame *frame)
{
	struct port_counters *counters = &port->counters;

	if (!frame->wrong_bits || !port_link_up(port))
		return true;
	if (port->dev && port->ops->mend(port->dev, frame, &counters->errors)) {
		frame->wrong_bits = 0;
		return true;
	}
	counters->errors.frames++;
	counters->errors.bytes += frame->len;
	port_count_size(counters, frame->len, 1);
	return false;
}

/* What the wire delivers to a card with an embedded switch is not yet what a function gets. */
static void arrive(struct port *port, struct frame *frame)
{
	if (!is_mended(port, frame)) {
		frame_free(frame);
		return;
	}
	if (!is_uplink(port) || !port_link_up(port)) {
		enqueue(port, frame);
		return;
	}
	if (capture_wants_frames())
		frame_finish(frame);
	port_count_received(port, frame);
	port->bridge->arrived(port->dev, frame);
}

/* What passes the near end of a joint has been at the port of its function, or comes there. */
static bool has_rules(const struct port *port)
{
	return fault_has_frame_rules() && !is_joint(port);
}

void wire_delivered(struct port *port, struct frame *frame)
{
	if (!has_rules(port)) {
		arrive(port, frame);
		return;
	}
	frame_finish(frame);
	fault_apply_frame(port, FAULT_BY_CABLE, frame, arrive);
}

/* From the switch to a port. */
static void hand_out(struct port *port, struct frame *frame)
{
	if (port->physics && port_link_up(port))
		buffer_take(port->physics, frame);
	else
		wire_delivered(port, frame);
}

static void flood(struct port *from, struct frame *frame)
{
	struct port *port;

	list_for_each_entry(port, &ports, node) {
		struct frame *copy;

		if (port == from || port->cable || is_behind(port) || !port_link_up(port))
			continue;
		copy = frame_copy(frame);
		if (!copy) {
			port->counters.full++;
			continue;
		}
		copy->in = frame->in;
		hand_out(port, copy);
	}
	frame_free(frame);
}

/*
 * Is it for the function that sends it, whose card has a process of its own? Then it does not leave
 * that: outside nobody knows whose it is.
 */
static bool stays_here(struct port *from, const struct frame *frame)
{
	fdb_learn(frame->data + 6, from);
	return !is_multicast(frame) && fdb_peek(frame->data) == from;
}

/* From a port of the switch, or at one end of a cable. */
static void forward_outside(struct port *from, struct frame *frame)
{
	struct port *to, *before;

	if (from->cable && !(is_joint(from->cable) && stays_here(from, frame))) {
		if (from->cable == from)
			frame->from = NULL; /* a loopback plug is no loopback of the NIC */
		wire_delivered(from->cable, frame);
		return;
	}
	before = fdb_learn(frame->data + 6, from);
	if (before)
		wake_senders(before);
	frame->in = from;

	to = is_multicast(frame) ? NULL : fdb_lookup(frame->data);
	/* behind an embedded switch, or a joint, nobody has the address now */
	if (to == from && (is_uplink(from) || from->far_end))
		frame_free(frame);
	else if (to)
		hand_out(to, frame);
	else
		flood(from, frame);
}

/* Consumes the frame. */
static void forward(struct port *from, struct frame *frame)
{
	if (from->bridge)
		from->bridge->sent(from->dev, frame);
	else
		forward_outside(from, frame);
}

void port_deliver(struct port *port, struct frame *frame)
{
	if (is_uplink(port) || !fault_has_frame_rules()) {
		enqueue(port, frame);
		return;
	}
	frame_finish(frame);
	fault_apply_frame(port, FAULT_IN_CARD, frame, enqueue);
}

void port_leave(struct port *uplink, struct frame *frame)
{
	if (!port_link_up(uplink)) {
		uplink->counters.down++;
		frame_free(frame);
		return;
	}
	if (uplink->physics)
		physics_send(uplink->physics, frame);
	else
		wire_sent(uplink, frame);
}

/* After the filter: forwards unless a fault rule matches. */
static void forward_with_faults(struct port *from, struct frame *frame)
{
	if (!has_rules(from)) {
		forward(from, frame);
		return;
	}
	frame_finish(frame);
	fault_apply_frame(from, FAULT_SENT, frame, forward);
}

static void release_held(void)
{
	struct frame *frame = held;

	held = NULL;
	if (!frame)
		return;
	if (held_from)
		forward_with_faults(held_from, frame);
	else
		frame_free(frame);
	held_from = NULL;
}

static void filter_frame(struct port *from, struct frame *frame)
{
	struct frame *copy;

	switch (filter_fn(filter_arg, from, frame)) {
	case WIRE_DROP:
		switch_filtered.dropped++;
		frame_free(frame);
		return;
	case WIRE_HOLD:
		switch_filtered.held++;
		release_held();
		held = frame;
		held_from = from;
		return;
	case WIRE_DUPLICATE:
		switch_filtered.duplicated++;
		copy = frame_copy(frame);
		if (copy)
			forward_with_faults(from, copy);
		break;
	case WIRE_PASS:
		break;
	}

	forward_with_faults(from, frame);
	release_held();
}

/* The frame enters the switch, of the card or of the process. */
static void enter(struct port *from, struct frame *frame)
{
	capture_entered(from, frame);
	if (!is_uplink(from))
		port_count_sent(from, frame);

	if (filter_fn)
		filter_frame(from, frame);
	else
		forward_with_faults(from, frame);
}

void wire_sent(struct port *from, struct frame *frame)
{
	if (!is_uplink(from)) {
		enter(from, frame);
		return;
	}
	if (capture_wants_frames())
		frame_finish(frame);
	port_count_sent(from, frame);
	forward_outside(from, frame);
}

void port_send(struct port *from, struct frame *frame)
{
	if (!port_link_up(from)) {
		from->counters.down++;
		frame_free(frame);
		return;
	}
	if (frame->len < 14 || frame->len > FRAME_MAX || (frame->data[6] & 1)) {
		from->counters.malformed++;
		frame_free(frame);
		return;
	}

	if (filter_fn || capture_wants_frames() || frame->len < FRAME_MIN)
		frame_finish(frame);
	if (frame->len < FRAME_MIN) {
		memset(frame->data + frame->len, 0, FRAME_MIN - frame->len);
		frame->len = FRAME_MIN;
	}
	frame->from = from;
	if (from->bridge && !from->bridge->admit(from->dev, frame)) {
		frame_free(frame);
		return;
	}
	if (from->physics)
		limit_sent(&from->physics->limit, frame);
	if (from->physics && !from->bridge)
		physics_send(from->physics, frame);
	else
		enter(from, frame);
}

void port_loopback(struct port *port, struct frame *frame)
{
	frame->from = port;
	enqueue(port, frame);
}

bool switch_has_filter(void)
{
	return filter_fn;
}

void wire_set_filter(enum wire_verdict (*fn)(void *arg, const struct port *from,
					     struct frame *frame),
		     void *arg)
{
	filter_fn = fn;
	filter_arg = arg;
	release_held();
}

/* ---- ports ---- */

static bool own_end_up(const struct port *port)
{
	return port->admin && port->wire;
}

bool port_link_up(const struct port *port)
{
	if (!own_end_up(port))
		return false;
	if (is_behind(port) && port->follow == PORT_AUTO)
		return port->uplink && port_link_up(port->uplink);
	return port->follow != PORT_DOWN && (!port->cable || own_end_up(port->cable));
}

bool port_far_end_up(const struct port *port)
{
	return !port->cable || own_end_up(port->cable);
}

void port_watch_far_end(struct port *port, void (*fn)(void *arg), void *arg)
{
	port->far_end = fn;
	port->far_end_arg = arg;
}

bool port_admin_up(const struct port *port)
{
	return port->admin;
}

bool port_wire_up(const struct port *port)
{
	return port->wire;
}

struct cxdev *port_function(const struct port *port)
{
	return port->dev;
}

const char *port_name(const struct port *port)
{
	return port->name;
}

/* Raises the port event after the command that caused it: a link change takes time. */
static void port_event_work(struct work *work)
{
	struct port *port = container_of(work, struct port, event_work);
	bool up = port_link_up(port);

	if (port->far_end)
		port->far_end(port->far_end_arg);
	if (!port->dev || up == port->reported)
		return;

	port->reported = up;
	trace(port->dev, "link %s", up ? "up" : "down");
	port->ops->link(port->dev, up);
}

static void port_changed(struct port *port, bool was_up)
{
	bool up = port_link_up(port);
	struct port *follower;

	if (up == was_up)
		return;
	wake_senders(port);
	if (!up) {
		port->counters.link_downs++;
		fdb_flush_port(port);
		if (port->physics)
			physics_link_down(port->physics);
	}
	if (port->dev)
		work_queue(&port->event_work);
	/* the vports behind it with a link that follows */
	list_for_each_entry(follower, &ports, node)
		if (is_behind(follower) && follower->uplink == port &&
		    follower->follow == PORT_AUTO && own_end_up(follower))
			port_changed(follower, was_up);
}

static void far_end_changed(struct port *port)
{
	if (port->far_end)
		work_queue(&port->event_work);
}

/* Both ends of a cable have the same link. */
static void link_changed(struct port *port, bool was_up)
{
	port_changed(port, was_up);
	if (!port->cable)
		return;
	if (port->cable != port)
		port_changed(port->cable, was_up);
	far_end_changed(port->cable);
}

void port_set_admin(struct port *port, bool up)
{
	bool was_up = port_link_up(port);

	port->admin = up;
	link_changed(port, was_up);
}

void port_set_wire(struct port *port, bool up)
{
	bool was_up = port_link_up(port);

	port->wire = up;
	link_changed(port, was_up);
}

struct port *port_find(const char *name)
{
	struct port *port;

	list_for_each_entry(port, &ports, node)
		if (!strcmp(port->name, name))
			return port;
	return NULL;
}

/* Nothing of the old cable is left: neither who waits, nor frames and pauses. */
static void cable_changed(struct port *port)
{
	ports_wake_senders();
	if (port->physics)
		physics_link_down(port->physics);
	far_end_changed(port);
}

void port_uncable(struct port *port)
{
	struct port *other = port->cable;
	bool was_up = port_link_up(port);

	if (!other)
		return;
	port->cable = NULL;
	other->cable = NULL;
	cable_changed(port);
	cable_changed(other);
	port_changed(port, was_up);
	if (other != port)
		port_changed(other, was_up);
}

int port_cable(struct port *a, struct port *b)
{
	bool a_up = port_link_up(a), b_up = port_link_up(b);

	if (is_behind(a) || is_behind(b))
		return -ENODEV;
	if (a->cable || b->cable)
		return -EBUSY;
	a->cable = b;
	b->cable = a;
	cable_changed(a);
	cable_changed(b);
	fdb_flush_port(a);
	fdb_flush_port(b);
	port_changed(a, a_up);
	port_changed(b, b_up);
	return 0;
}

struct port *port_create(struct cxdev *dev, const char *name)
{
	struct port *port = calloc(1, sizeof(*port));

	if (!port)
		return NULL;

	port->dev = dev;
	snprintf(port->name, sizeof(port->name), "%s", name);
	port->admin = true;
	port->wire = true;
	port->reported = true;
	port->created_ns = now_ns();
	list_init(&port->rx);
	list_init(&port->waiting);
	work_init(&port->rx_work, port_rx_work);
	work_init(&port->event_work, port_event_work);
	port_qos_reset(&port->qos);
	if (wire_has_rate()) {
		port->physics = physics_create(port);
		if (!port->physics) {
			free(port);
			return NULL;
		}
	}
	list_add_tail(&port->node, &ports);
	return port;
}

/* Drops the queue; learned addresses are kept. */
void port_flush(struct port *port)
{
	while (!list_empty(&port->rx)) {
		struct frame *frame = list_first_entry(&port->rx, struct frame, node);

		list_del(&frame->node);
		if (port->physics)
			physics_taken(port->physics, frame);
		frame_free(frame);
	}
	port->rx_len = 0;
	wake_senders(port);
	if (port->physics)
		physics_flush(port->physics);
	port->reported = port_link_up(port);
	work_cancel(&port->rx_work);
	work_cancel(&port->event_work);
}

static void lose_uplink(struct port *uplink)
{
	struct port *port;

	list_for_each_entry(port, &ports, node)
		if (port->uplink == uplink)
			port->uplink = NULL;
}

void port_destroy(struct port *port)
{
	if (!port)
		return;

	lose_uplink(port);
	port_uncable(port);
	port_flush(port);
	fault_remove_port(port);
	if (held_from == port)
		held_from = NULL;
	fdb_flush_port(port);
	if (port->physics)
		physics_destroy(port->physics);
	list_del(&port->node);
	free(port);

	if (list_empty(&ports)) {
		release_held();
		frame_pool_drain();
	}
}

struct port_physics *port_physics(const struct port *port)
{
	return port->physics;
}

struct port *port_cabled(const struct port *port)
{
	return port->cable;
}

struct port *port_next(const struct port *port)
{
	struct list_head *next = port ? port->node.next : ports.next;

	return next == &ports ? NULL : list_entry(next, struct port, node);
}

/* The functions of a card share those of its port. */
struct port_qos *port_qos(struct port *port)
{
	return is_behind(port) && port->uplink ? &port->uplink->qos : &port->qos;
}

void port_set_bridge(struct port *port, struct port *uplink, const struct bridge_ops *ops)
{
	bool was_up = port_link_up(port);

	port->bridge = ops;
	port->uplink = uplink;
	ports_wake_senders();
	link_changed(port, was_up);
}

void port_set_follow(struct port *port, enum port_follow follow)
{
	bool was_up = port_link_up(port);

	port->follow = follow;
	link_changed(port, was_up);
}

enum port_follow port_follow(const struct port *port)
{
	return port->follow;
}

void port_set_ops(struct port *port, const struct port_ops *ops)
{
	port->ops = ops;
}

void port_set_sink(struct port *port, bool (*fn)(void *arg, const struct frame *frame), void *arg)
{
	port->sink = fn;
	port->sink_arg = arg;
}

void port_hold(struct port *port, bool hold)
{
	port->hold = hold;
	if (hold)
		wake_senders(port);	/* a frame to many ports does not wait for this one now */
	else if (!list_empty(&port->rx))
		work_queue(&port->rx_work);
}

bool port_held(const struct port *port)
{
	return port->hold;
}

const struct port_counters *port_counters(const struct port *port)
{
	return &port->counters;
}

uint64_t port_age_ms(const struct port *port)
{
	return (now_ns() - port->created_ns) / 1000000;
}

void port_list_names(void (*fn)(const char *name, void *arg), void *arg)
{
	const struct port *port;

	list_for_each_entry(port, &ports, node)
		fn(port->name, arg);
}
