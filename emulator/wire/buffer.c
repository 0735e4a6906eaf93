// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The buffer of a switch with a rate.
 *
 * All queues share what is not headroom. A frame of a lossless priority is charged to the port and
 * priority it came from: first to the shared part, up to a limit, then to that port's headroom; a
 * sender whose limit is reached is paused, and goes on when its share is well below it. A frame of
 * another priority is dropped if its queue has reached the limit. The limit is a fixed one, or a
 * share of what is free, so that it falls as the buffer fills.
 *
 * Marks: with a random early detection curve over the queue's length when the frame comes.
 */
#include "wire/physics.h"
#include "wire/switch.h"

#define RESUME_BYTES 3000	/* below the limit before the sender may go on */
#define MILLION 1000000
#define ECN_MASK 3
#define ECN_CE 3

struct schedule switch_schedule;
static uint64_t shared_used;

void switch_schedule_init(void)
{
	unsigned int i;

	for (i = 0; i < PRIORITIES; i++) {
		switch_schedule.class[i] = i;
		switch_schedule.group[i] = physics.strict & 1u << i ? i + 1 : 0;
		switch_schedule.weight[i] = physics.weight[i];
	}
}

uint32_t physics_dice(void)
{
	physics.seed = physics.seed * 1664525 + 1013904223;
	return ((uint64_t)physics.seed * MILLION) >> 32;
}

/* ---- how much room there is ---- */

static uint8_t lossless(void)
{
	return physics.pause ? 0xff : physics.lossless;
}

static uint64_t shared_size(void)
{
	const struct port *port = NULL;
	uint64_t headroom = 0;

	while ((port = port_next(port)))
		if (port->physics && !port->cable && !is_behind(port))
			headroom += (uint64_t)physics.headroom * __builtin_popcount(lossless());
	return headroom < physics.buffer ? physics.buffer - headroom : 0;
}

/* What one port and priority, or one lossy queue, may have of the shared part. */
static uint64_t limit(void)
{
	uint64_t size = shared_size();

	if (physics.xoff)
		return physics.xoff;
	return shared_used < size ? (size - shared_used) >> physics.alpha_shift : 0;
}

/* A sender of whom nothing is left goes on, even without a share: it has its headroom. */
static bool has_too_much(const struct ingress *in, unsigned int prio, uint64_t reserve)
{
	return in->headroom[prio] || (in->shared[prio] && in->shared[prio] + reserve > limit());
}

bool buffer_full(struct pauser *pauser, unsigned int prio)
{
	struct port_physics *p = container_of(pauser, struct port_physics, in.pauser);

	return has_too_much(&p->in, prio, RESUME_BYTES);
}

static void update_pause(struct port_physics *in, unsigned int prio)
{
	if (has_too_much(&in->in, prio, 1))
		pauser_set(&in->in.pauser, prio, true);
	else if (!has_too_much(&in->in, prio, RESUME_BYTES))
		pauser_set(&in->in.pauser, prio, false);
}

/* ---- marks ---- */

/* The chance, in millionths. */
static uint32_t mark_chance(uint64_t queue)
{
	if (queue <= physics.kmin)
		return 0;
	if (queue > physics.kmax)
		return MILLION;
	return (queue - physics.kmin) * physics.pmax_ppm / (physics.kmax - physics.kmin);
}

static bool is_due(struct egress *out, unsigned int prio, uint32_t chance)
{
	if (physics.seed)
		return physics_dice() < chance;
	out->credit[prio] += chance;
	if (out->credit[prio] < MILLION)
		return false;
	out->credit[prio] -= MILLION;
	return true;
}

/* The IP header of the frame, and its version; NULL: it has none. */
static uint8_t *ip_header(struct frame *frame, unsigned int *version)
{
	uint8_t *type = frame->data + 12;

	if (frame->len < ETH_BYTES + VLAN_BYTES + IPV4_BYTES)
		return NULL;
	if (get16(type) == ETH_P_8021Q || get16(type) == ETH_P_8021AD)
		type += VLAN_BYTES;
	*version = get16(type) == ETH_P_IP ? 4 : get16(type) == ETH_P_IPV6 ? 6 : 0;
	return *version ? type + 2 : NULL;
}

/* RFC 1624: the checksum after a 16-bit word of the header has changed. */
static void patch_checksum(uint8_t *ip, uint16_t before, uint16_t after)
{
	uint32_t sum = (uint16_t)~get16(ip + 10) + (uint16_t)~before + after;

	sum = (sum & 0xffff) + (sum >> 16);
	put16(ip + 10, ~(sum + (sum >> 16)));
}

/* Only a packet whose ends can say that they understand marks gets one. */
static bool mark(struct frame *frame)
{
	unsigned int version;
	uint8_t *ip = ip_header(frame, &version);
	uint16_t before;

	if (!ip)
		return false;
	if (version == 6) {
		if (!(ip[1] >> 4 & ECN_MASK))
			return false;
		ip[1] |= ECN_CE << 4;
		return true;
	}
	before = get16(ip);
	if (!(before & ECN_MASK))
		return false;
	frame_finish(frame);
	ip[1] |= ECN_CE;
	patch_checksum(ip, before, get16(ip));
	return true;
}

/* ---- frames ---- */

/* Charges the frame; false: there is no room. */
static bool charge(struct port_physics *to, struct frame *frame)
{
	struct port_physics *in = frame->in ? port_physics(frame->in) : NULL;
	unsigned int prio = frame->prio;
	uint32_t bytes = wire_bytes(frame);

	if (!in || !(lossless() & 1u << prio)) {
		frame->in = NULL;
		if (to->down.bytes[prio] + bytes > limit())
			return false;
		shared_used += bytes;
		return true;
	}
	if (!in->in.headroom[prio] && in->in.shared[prio] + bytes <= limit()) {
		in->in.shared[prio] += bytes;
		shared_used += bytes;
	} else if (in->in.headroom[prio] + bytes <= physics.headroom) {
		in->in.headroom[prio] += bytes;
	} else {
		return false;
	}
	update_pause(in, prio);
	return true;
}

/* The first loss says why; others are counted. */
static void tell_loss(const struct port_physics *to, const struct frame *frame)
{
	const struct port_physics *in = frame->in ? port_physics(frame->in) : NULL;
	unsigned int prio = frame->prio;

	if (to->out.dropped[prio])
		return;
	if (in)
		notice(NULL,
		       "switch: the headroom of port %s is too small: a frame of priority %u is dropped, with %llu bytes beyond %llu, %s",
		       port_name(in->port), prio, (unsigned long long)in->in.headroom[prio],
		       (unsigned long long)in->in.shared[prio],
		       in->in.pauser.off & 1u << prio ? "paused" : "not paused");
	else
		notice(NULL, "switch: a frame of priority %u is dropped: its port is gone", prio);
}

void buffer_take(struct port_physics *to, struct frame *frame)
{
	static struct port_qos trust;
	unsigned int prio;

	if (!trust.weight[0])
		port_qos_reset(&trust);
	trust.trust_dscp = physics.trust_dscp;
	prio = qos_frame_prio(&trust, frame);
	frame->prio = prio;
	if (to->out.storm & 1u << prio) {
		to->out.storm_dropped++;
		frame_free(frame);
		return;
	}
	if (!charge(to, frame)) {
		if (lossless() & 1u << prio)
			tell_loss(to, frame);
		to->out.dropped[prio]++;
		frame_free(frame);
		return;
	}
	if (physics.ecn & 1u << prio &&
	    is_due(&to->out, prio, mark_chance(to->down.bytes[prio])) && mark(frame))
		to->out.marked[prio]++;
	link_queue(&to->down, frame);
	if (to->down.bytes[prio] > to->out.largest[prio])
		to->out.largest[prio] = to->down.bytes[prio];
}

/* What leaves gives back headroom first, whatever the frame was charged to when it came. */
void buffer_release(struct link *link, struct frame *frame)
{
	struct port_physics *in = frame->in ? port_physics(frame->in) : NULL;
	unsigned int prio = frame->prio;
	uint64_t bytes = wire_bytes(frame), back;

	(void)link;
	frame->in = NULL;
	if (!in) {
		shared_used -= bytes;
		return;
	}
	back = bytes < in->in.headroom[prio] ? bytes : in->in.headroom[prio];
	in->in.headroom[prio] -= back;
	in->in.shared[prio] -= bytes - back;
	shared_used -= bytes - back;
	update_pause(in, prio);
}

/* Its frames stay in the queues of others, charged to nobody, as shared ones. */
void buffer_forget_port(const struct port *gone)
{
	const struct port *port = NULL;
	unsigned int i;

	for (i = 0; i < PRIORITIES; i++)
		shared_used += port_physics(gone)->in.headroom[i];
	while ((port = port_next(port))) {
		struct port_physics *p = port_physics(port);
		struct frame *frame;

		if (!p)
			continue;
		if (p->down.sending && p->down.sending->in == gone)
			p->down.sending->in = NULL;
		for (i = 0; i < PRIORITIES; i++)
			list_for_each_entry(frame, &p->down.queue[i], node)
				if (frame->in == gone)
					frame->in = NULL;
	}
}

/* ---- the watchdog ---- */

static void arm_watchdog(struct port_physics *p)
{
	if (!vevent_is_set(&p->out.check))
		vevent_set(&p->out.check, vtime_ps() + physics.watchdog_ps / 4 + 1);
}

/* A port that does not stop pausing loses what is queued for it, and its pauses their effect. */
static void storm_begins(struct port_physics *p, unsigned int prio)
{
	unsigned int n = p->down.len[prio];

	notice(NULL, "switch: port %s has paused priority %u for too long: its frames are dropped",
	       port_name(p->port), prio);
	p->out.storm |= 1u << prio;
	p->out.storms++;
	p->out.storm_dropped += n;
	link_drop_queue(&p->down, prio, buffer_release);
	p->down.ignored |= 1u << prio;
	link_kick(&p->down);
}

static void storm_ends(struct port_physics *p, unsigned int prio)
{
	notice(NULL, "switch: port %s no longer pauses priority %u", port_name(p->port), prio);
	p->out.storm &= ~(1u << prio);
	p->down.ignored &= ~(1u << prio);
}

/* Stuck: at each look it is paused, has frames, and has sent none since the last. */
static void watch_priority(struct port_physics *p, unsigned int prio, uint64_t now)
{
	struct egress *out = &p->out;

	if (out->storm & 1u << prio) {
		if (now - out->last_pause_ps[prio] >= physics.watchdog_ps)
			storm_ends(p, prio);
		return;
	}
	if (!link_paused(&p->down, prio) || !p->down.len[prio] ||
	    out->served[prio] != p->down.served[prio]) {
		out->stuck_ps[prio] = now;
		out->served[prio] = p->down.served[prio];
	}
	if (now - out->stuck_ps[prio] >= physics.watchdog_ps)
		storm_begins(p, prio);
}

static void watch(struct vevent *event)
{
	struct port_physics *p = container_of(event, struct port_physics, out.check);
	bool again = false;
	unsigned int i;

	for (i = 0; i < PRIORITIES; i++) {
		watch_priority(p, i, vtime_ps());
		again |= p->out.storm & 1u << i || link_paused(&p->down, i);
	}
	if (again)
		arm_watchdog(p);
}

void watchdog_paused(struct port_physics *p, unsigned int prio)
{
	unsigned int i;

	if (!physics.watchdog_ps)
		return;
	for (i = 0; !vevent_is_set(&p->out.check) && i < PRIORITIES; i++)
		p->out.stuck_ps[i] = vtime_ps();
	if (p->down.paused_until[prio] > vtime_ps())
		p->out.last_pause_ps[prio] = vtime_ps();
	arm_watchdog(p);
}

void watchdog_init(struct port_physics *p)
{
	vevent_init(&p->out.check, watch);
}
