// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Faults of frames: which frames match a rule, and what is done to them.
 *
 * A held frame is passed on after a number of further frames has passed the same port in the same
 * direction. The headers are parsed here, not by the engine's code, so that rules can match frames
 * that the engine would not accept.
 */
#include <stdlib.h>

#include "fault/fault.h"

#define PROTO_UDP 17

struct held_frame {
	struct list_head node;
	struct frame *frame;
	struct port *port;
	bool rx;
	uint32_t left; /* frames that must pass first */
};

static struct list_head held = LIST_HEAD_INIT(held);

/* Offset of the UDP header behind the IP header at @at, or 0. */
static uint32_t udp_at(const struct frame *frame, uint16_t type, uint32_t at)
{
	const uint8_t *ip = frame->data + at;

	if (type == ETH_P_IPV6)
		return frame->len > at + IPV6_BYTES && ip[6] == PROTO_UDP ? at + IPV6_BYTES : 0;
	if (type != ETH_P_IP || frame->len < at + 20 || ip[9] != PROTO_UDP)
		return 0;
	return at + 4 * (ip[0] & 0xf);
}

/* The BTH of a RoCE frame of either version, or NULL. */
static const uint8_t *find_bth(const struct frame *frame)
{
	uint16_t type = get16(frame->data + 12);
	uint32_t at = ETH_BYTES;

	if (type == ETH_P_8021Q && frame->len > at + VLAN_BYTES) {
		type = get16(frame->data + 16);
		at += VLAN_BYTES;
	}
	if (type == ETH_P_ROCE) {
		at += GRH_BYTES;
	} else {
		at = udp_at(frame, type, at);
		if (!at || frame->len < at + UDP_BYTES ||
		    get16(frame->data + at + 2) != ROCE_UDP_PORT)
			return NULL;
		at += UDP_BYTES;
	}
	return frame->len >= at + BTH_BYTES ? frame->data + at : NULL;
}

bool fault_matches_frame(const struct fault *rule, const struct port *port, enum fault_way way,
			 const struct frame *frame)
{
	bool rx = way != FAULT_SENT;
	const uint8_t *bth;

	if ((rule->port && rule->port != port) || rule->rx != rx ||
	    (rule->action == FAULT_FLIP && way != FAULT_BY_CABLE))
		return false;
	if (rule->what == FAULT_ANY && rule->qpn == FAULT_ANY)
		return true;
	bth = find_bth(frame);
	return bth && (rule->what == FAULT_ANY || bth[0] == rule->what) &&
	       (rule->qpn == FAULT_ANY || (bth[5] << 16 | bth[6] << 8 | bth[7]) == (int)rule->qpn);
}

static void free_held(struct held_frame *h)
{
	list_del(&h->node);
	frame_free(h->frame);
	free(h);
}

void fault_drop_held(const struct port *port)
{
	struct held_frame *h, *tmp;

	list_for_each_entry_safe(h, tmp, &held, node)
		if (!port || h->port == port)
			free_held(h);
}

static void hold_frame(struct port *port, bool rx, struct frame *frame, uint32_t n)
{
	struct held_frame *h = malloc(sizeof(*h));

	if (!h) {
		frame_free(frame);
		return;
	}
	h->frame = frame;
	h->port = port;
	h->rx = rx;
	h->left = n;
	list_add_tail(&h->node, &held);
}

/* One more frame passes: moves held frames that are now due to @due. */
static void collect_due(struct port *port, bool rx, struct list_head *due)
{
	struct held_frame *h, *tmp;

	list_for_each_entry_safe(h, tmp, &held, node) {
		if (h->port != port || h->rx != rx || --h->left)
			continue;
		list_del(&h->node);
		list_add_tail(&h->node, due);
	}
}

static void send_due(struct list_head *due, frame_fn pass)
{
	struct held_frame *h, *tmp;

	list_for_each_entry_safe(h, tmp, due, node) {
		list_del(&h->node);
		pass(h->port, h->frame);
		free(h);
	}
}

static void apply(const struct fault *rule, struct port *port, struct frame *frame, frame_fn pass)
{
	struct frame *copy;
	uint32_t at;

	switch (rule->action) {
	case FAULT_DROP:
		frame_free(frame);
		return;
	case FAULT_DUPLICATE:
		copy = frame_copy(frame);
		if (copy)
			pass(port, copy);
		break;
	case FAULT_CORRUPT:
		at = rule->value < frame->len ? rule->value : frame->len - 1;
		frame->data[at] ^= 0xff;
		break;
	case FAULT_FLIP:
		frame->wrong_bits = rule->value;
		break;
	case FAULT_DELAY:
		hold_frame(port, rule->rx, frame, rule->value);
		return;
	default:
		break;
	}
	pass(port, frame);
}

void fault_apply_frame(struct port *port, enum fault_way way, struct frame *frame, frame_fn pass)
{
	struct list_head due = LIST_HEAD_INIT(due);
	struct fault *rule = fault_match_frame(port, way, frame);

	collect_due(port, way != FAULT_SENT, &due);
	if (rule)
		apply(rule, port, frame, pass);
	else
		pass(port, frame);
	send_due(&due, pass);
}
