/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* A port of the switch as the files of this folder see it. */
#ifndef CXEMU_SWITCH_H
#define CXEMU_SWITCH_H

#include "base/base.h"
#include "wire/wire.h"

#define PORT_QUEUE 1024 /* length of the queue of a port */

struct port {
	struct list_head node;
	struct cxdev *dev;
	const struct port_ops *ops;
	char name[32];
	/* the link is up if admin and wire are; reported: the last link event */
	bool admin, wire, reported;
	struct list_head rx;
	unsigned int rx_len;
	struct list_head waiting; /* work that sends to it, until there is room */
	bool hold;
	struct work rx_work;
	struct work event_work;
	bool (*sink)(void *arg, const struct frame *frame);
	void *sink_arg;
	void (*far_end)(void *arg);	/* by its event_work; NULL: nobody wants to know */
	void *far_end_arg;
	struct port *cable; /* the other end, NULL: the port is on the switch */
	/* of a function on an embedded switch; NULL: on none, or the PF is gone */
	const struct bridge_ops *bridge;
	struct port *uplink;
	enum port_follow follow;
	struct port_counters counters;
	uint64_t created_ns;
	struct port_qos qos;
	struct port_physics *physics; /* NULL: the wire is instant */
};

/* Frames with which the filter of a test or a fault has done something. */
struct filter_counts {
	uint64_t dropped, duplicated, held;
};

extern struct filter_counts switch_filtered;

bool switch_has_filter(void);

/* ---- count.c: what passes a port, in its counters and captures ---- */

#define FRAME_MIN 60 /* without FCS; shorter frames are padded with zeros */

void port_count_received(struct port *port, const struct frame *frame);
void port_count_sent(struct port *port, const struct frame *frame);
void port_count_size(struct port_counters *counters, uint32_t len, uint32_t n);

/* Is it the port of a PF with an embedded switch, on the wire's side? */
static inline bool is_uplink(const struct port *port)
{
	return port->uplink == port;
}

/* Is it the end of a joint that a function here has a cable to? */
static inline bool is_joint(const struct port *port)
{
	return port->far_end && port->cable && port->cable->dev;
}

/* Does an embedded switch separate it from the wire? */
static inline bool is_behind(const struct port *port)
{
	return port->bridge && !is_uplink(port);
}

#endif
