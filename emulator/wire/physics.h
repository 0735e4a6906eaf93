/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * physics: the parts of a wire with a rate, for the files of this room.
 *
 * Each port has two links, up from its function to the switch, or along a cable, and down to the
 * function. A link (link.c) has a queue for each priority and one for MAC control frames, sends a
 * frame at a time, and delivers it after the delay. The switch (buffer.c) admits a frame to a link
 * down if its buffer has room, marks it, and has the sender paused (pause.c) before the buffer is
 * full. physics.c ties them to the ports.
 */
#ifndef CXEMU_PHYSICS_H
#define CXEMU_PHYSICS_H

#include "wire/vtime.h"
#include "wire/wire.h"

/* ---- settings: settings.c ---- */

/* Of the switch and of all links, as --wire switch:... has set them. Sizes in bytes with FCS. */
struct physics {
	uint64_t rate_mbps;	/* 0: the wire is instant */
	uint64_t delay_ps;
	bool trust_dscp;
	uint32_t buffer;
	uint32_t alpha_shift;	/* a queue may take 2^-shift of what is free */
	uint8_t lossless;	/* priorities with PFC */
	bool pause;		/* global pause instead */
	uint32_t headroom;	/* of each port and lossless priority */
	uint32_t xoff;		/* limit of a port and priority; 0: the share of alpha */
	uint8_t ecn;		/* priorities whose packets are marked */
	uint32_t kmin, kmax, pmax_ppm;
	uint8_t strict;		/* priorities that go first, the highest of them first of all */
	uint8_t weight[PRIORITIES];	/* of the others */
	uint64_t watchdog_ps;	/* 0: none */
	uint32_t seed;		/* of random marks; 0: marks are spread evenly */
};

extern struct physics physics;

/* ---- links: link.c ---- */

/* How a link chooses between classes; each priority belongs to one. */
struct schedule {
	uint8_t class[PRIORITIES];
	/* of a class: the highest group first; within one, by weight; 0 Mb/s: no limit */
	uint8_t group[PRIORITIES], weight[PRIORITIES];
	uint32_t max_mbps[PRIORITIES];
};

struct link {
	struct port *port;
	bool down;		/* from the switch to the port */
	const struct schedule *schedule;
	void (*sent)(struct link *link, struct frame *frame);	/* the last bit has left */
	void (*arrived)(struct link *link, struct frame *frame); /* consumes the frame */
	struct list_head queue[PRIORITIES], control, flying;
	unsigned int len[PRIORITIES], control_len;
	uint64_t bytes[PRIORITIES];
	struct frame *sending;
	bool sending_control;
	struct vevent done, arrival, retry;
	/* of a class: what it has had of its group, and when its rate lets it go on */
	uint64_t tag[PRIORITIES], rate_ps[PRIORITIES];
	uint64_t group_tag[PRIORITIES + 1], served[PRIORITIES];
	unsigned int turn;	/* the priority that was served last */
	/* pauses by the other end */
	uint64_t paused_until[PRIORITIES], paused_since[PRIORITIES];
	uint64_t pauses[PRIORITIES], pause_ps[PRIORITIES], resumed[PRIORITIES];
	uint8_t ignored;	/* priorities whose pauses have no effect */
	struct list_head waiting[PRIORITIES];	/* work that wants to send */
};

void link_init(struct link *link, struct port *port, bool down, const struct schedule *schedule);
uint32_t wire_bytes(const struct frame *frame); /* as it takes room in buffers */
uint64_t frame_ps(const struct frame *frame, uint64_t mbps); /* on a link of this rate */
void link_queue(struct link *link, struct frame *frame);
void link_queue_control(struct link *link, struct frame *frame);
/* The other end pauses a priority for @quanta of 512 bit times, 0: it goes on. */
void link_pause(struct link *link, unsigned int prio, uint16_t quanta);
bool link_paused(const struct link *link, unsigned int prio);
/* Time paused until now. */
uint64_t link_pause_ps(struct link *link, unsigned int prio);
void link_kick(struct link *link);	/* after its schedule has changed */
/* Drops what is queued, or all; calls @drop for each, if it is not NULL. */
void link_drop_queue(struct link *link, unsigned int prio,
		     void (*drop)(struct link *link, struct frame *frame));
void link_reset(struct link *link, void (*drop)(struct link *link, struct frame *frame));
/* Work that waits for room is queued again. */
void link_release_waiting(struct link *link);

/* ---- pauses: pause.c ---- */

/* One end of a cable that asks the other end to stop. */
struct pauser {
	struct link *via;
	bool global;
	uint8_t off;		/* priorities that have been stopped */
	struct vevent refresh;
	uint64_t since[PRIORITIES], sent[PRIORITIES], total_ps[PRIORITIES];
	bool (*full)(struct pauser *pauser, unsigned int prio); /* is it still so? */
};

void pauser_init(struct pauser *pauser, struct link *via,
		 bool (*full)(struct pauser *pauser, unsigned int prio));
void pauser_set(struct pauser *pauser, unsigned int prio, bool off);
void pauser_reset(struct pauser *pauser);
uint64_t pauser_ps(struct pauser *pauser, unsigned int prio);
bool is_mac_control(const struct frame *frame);
/*
 * What a MAC control frame asks of @link; @global, @prios: what the receiver of the frame obeys.
 */
void pause_obey(struct link *link, const struct frame *frame, bool global, uint8_t prios);

/* ---- a function's rate: limit.c ---- */

struct limit {
	uint32_t mbps;			/* 0: none */
	uint64_t until_ps;		/* the next frame waits until then */
	struct list_head waiting;	/* work that wants to send */
	struct vevent over;
};

void limit_init(struct limit *limit);
/* @mbps 0: nothing waits any more. */
void limit_set(struct limit *limit, uint32_t mbps);
/* False: @work is queued when its frame may leave. */
bool limit_passes(struct limit *limit, struct work *work);
void limit_sent(struct limit *limit, const struct frame *frame);

/* ---- a port ---- */

/* The switch's side of a port. */
struct ingress {
	uint64_t shared[PRIORITIES], headroom[PRIORITIES];
	struct pauser pauser;
};

struct egress {
	uint64_t credit[PRIORITIES];	/* of marks, in millionths */
	uint64_t marked[PRIORITIES], dropped[PRIORITIES], largest[PRIORITIES];
	/* watchdog */
	struct vevent check;
	uint64_t stuck_ps[PRIORITIES], last_pause_ps[PRIORITIES], served[PRIORITIES];
	uint8_t storm;
	uint64_t storms, storm_dropped;
};

struct port_physics {
	struct port *port;
	struct link up, down;
	struct schedule schedule;	/* of the function */
	struct limit limit;		/* of the function */
	struct ingress in;
	struct egress out;
	/* what the function has not received yet */
	uint64_t waiting[PRIORITIES];
	struct pauser pauser;
	uint64_t discarded[PRIORITIES];
	/* it pauses the sender, and has taken no frame, since then; 0: that is not so */
	uint64_t stall_ps;
	struct vevent stall;
	bool stalled_minor, stalled;	/* a watermark has been reached */
	struct port_stalls stalls;
	uint64_t lost;		/* frames of the function that never left */
};

struct port_physics *port_physics(const struct port *port); /* NULL: the wire is instant */
struct port *port_cabled(const struct port *port); /* the other end; NULL: it is on the switch */
struct port *port_next(const struct port *port); /* of all ports; NULL: the first, or no more */

/* ---- the switch: buffer.c ---- */

/* Queues on the link down to @port, or drops. */
void buffer_take(struct port_physics *to, struct frame *frame);
void buffer_release(struct link *link, struct frame *frame); /* it has left */
void buffer_forget_port(const struct port *port);
bool buffer_full(struct pauser *pauser, unsigned int prio);
void watchdog_paused(struct port_physics *p, unsigned int prio);
void watchdog_init(struct port_physics *p);
extern struct schedule switch_schedule;
void switch_schedule_init(void);
/* A number from 0 to 999,999, the same in each run. */
uint32_t physics_dice(void);

/* ---- physics.c ---- */

struct port_physics *physics_create(struct port *port);
void physics_destroy(struct port_physics *p);
void physics_link_down(struct port_physics *p);
void physics_flush(struct port_physics *p);	/* the function is reset */
void physics_send(struct port_physics *p, struct frame *frame);
bool physics_may_send(struct port_physics *p, unsigned int prio, struct work *work);
/* Before and after a frame waits for the function. */
void physics_waits(struct port_physics *p, struct frame *frame);
void physics_taken(struct port_physics *p, const struct frame *frame);
/* False: the port pauses nobody any longer, as its function is stuck, and has to drop the frame. */
bool physics_has_room(const struct port_physics *p, const struct frame *frame);
void physics_status(const struct port_physics *p, FILE *out);
void physics_json(const struct port_physics *p, struct json_object *to);

/* ---- switch.c, for physics.c: the frame has come to the end of the link ---- */

void wire_sent(struct port *from, struct frame *frame);
void wire_delivered(struct port *to, struct frame *frame);
/* A MAC control frame at one end of the port's cable; @received: by the function. */
void port_count_control(struct port *port, const struct frame *frame, bool received);

#endif
