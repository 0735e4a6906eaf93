// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * MAC control frames: pause of a whole port, and of priorities (PFC). They go before all others,
 * have no priority of their own, and never leave the cable.
 *
 * A pause ends by itself, so the frame is sent again, before that, as long as there is no room.
 */
#include <string.h>

#include "wire/physics.h"

#define CONTROL_BYTES 60
#define ETH_P_MAC_CONTROL 0x8808
#define OP_PAUSE 0x0001
#define OP_PFC 0x0101
#define QUANTA_MAX 0xffff
#define REFRESH_QUANTA 0x8000
#define QUANTUM_BITS 512

static const uint8_t control_mac[6] = { 0x01, 0x80, 0xc2, 0x00, 0x00, 0x01 };
/* of the switch; a function's frames have its own */
static const uint8_t switch_mac[6] = { 0x02, 0xc4, 0xff, 0x00, 0x00, 0x00 };

bool is_mac_control(const struct frame *frame)
{
	return !memcmp(frame->data, control_mac, 6) && get16(frame->data + 12) == ETH_P_MAC_CONTROL;
}

/* A pause of these priorities; of all, if it is global. */
static void send_pause(struct pauser *pauser, uint8_t prios, uint16_t quanta)
{
	struct frame *frame = frame_alloc(CONTROL_BYTES);
	unsigned int i;

	if (!frame)
		return;
	memset(frame->data, 0, CONTROL_BYTES);
	memcpy(frame->data, control_mac, 6);
	memcpy(frame->data + 6, switch_mac, 6);
	put16(frame->data + 10, pauser->via->down ? 0 : 1);
	put16(frame->data + 12, ETH_P_MAC_CONTROL);
	put16(frame->data + 14, pauser->global ? OP_PAUSE : OP_PFC);
	if (pauser->global) {
		put16(frame->data + 16, quanta);
	} else {
		put16(frame->data + 16, prios);
		for (i = 0; i < PRIORITIES; i++)
			if (prios & 1u << i)
				put16(frame->data + 18 + 2 * i, quanta);
	}
	for (i = 0; i < PRIORITIES; i++)
		if (prios & 1u << i)
			pauser->sent[i]++;
	link_queue_control(pauser->via, frame);
}

static void arm_refresh(struct pauser *pauser)
{
	if (pauser->off)
		vevent_set(&pauser->refresh, vtime_ps() + REFRESH_QUANTA * QUANTUM_BITS *
						     PS_PER_US / physics.rate_mbps);
	else
		vevent_cancel(&pauser->refresh);
}

static void account(struct pauser *pauser, unsigned int prio)
{
	uint64_t now = vtime_ps();

	if (pauser->off & 1u << prio)
		pauser->total_ps[prio] += now - pauser->since[prio];
	pauser->since[prio] = now;
}

uint64_t pauser_ps(struct pauser *pauser, unsigned int prio)
{
	account(pauser, prio);
	return pauser->total_ps[prio];
}

void pauser_set(struct pauser *pauser, unsigned int prio, bool off)
{
	uint8_t before = pauser->off;

	if (off == !!(before & 1u << prio))
		return;
	account(pauser, prio);
	pauser->off ^= 1u << prio;
	/* a global pause holds as long as one priority needs it */
	if (!pauser->global || !before || !pauser->off)
		send_pause(pauser, 1u << prio, off ? QUANTA_MAX : 0);
	if (!before || !pauser->off)
		arm_refresh(pauser);
}

static void refresh(struct vevent *event)
{
	struct pauser *pauser = container_of(event, struct pauser, refresh);
	unsigned int i;

	for (i = 0; i < PRIORITIES; i++)
		if ((pauser->off & 1u << i) && !pauser->full(pauser, i))
			pauser_set(pauser, i, false);
	if (!pauser->off)
		return;
	send_pause(pauser, pauser->off, QUANTA_MAX);
	arm_refresh(pauser);
}

void pauser_reset(struct pauser *pauser)
{
	unsigned int i;

	for (i = 0; i < PRIORITIES; i++)
		account(pauser, i);
	pauser->off = 0;
	vevent_cancel(&pauser->refresh);
}

void pauser_init(struct pauser *pauser, struct link *via,
		 bool (*full)(struct pauser *pauser, unsigned int prio))
{
	pauser->via = via;
	pauser->full = full;
	vevent_init(&pauser->refresh, refresh);
}

void pause_obey(struct link *link, const struct frame *frame, bool global, uint8_t prios)
{
	const uint8_t *p = frame->data + ETH_BYTES;
	unsigned int i;

	if (frame->len < CONTROL_BYTES)
		return;
	if (get16(p) == OP_PAUSE && global)
		for (i = 0; i < PRIORITIES; i++)
			link_pause(link, i, get16(p + 2));
	if (get16(p) != OP_PFC)
		return;
	for (i = 0; i < PRIORITIES; i++)
		if (prios & p[3] & 1u << i)
			link_pause(link, i, get16(p + 4 + 2 * i));
}
