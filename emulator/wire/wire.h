/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * wire: one learning switch that joins the ports of all functions of the process, cables between
 * two ports, other wires (a socket, a tap), and captures. It is instant, or has a rate, delay,
 * buffers and flow control in a time of its own (wire/vtime.h).
 *
 * A frame is never delivered inside port_send(): each port has a bounded queue that its own work
 * item drains. Frames between two ports keep their order unless a fault or a filter reorders them.
 */
#ifndef CXEMU_WIRE_H
#define CXEMU_WIRE_H

#include "base/base.h"

/* ---- ports: switch.c ---- */

struct port;

/* Blocks of a code that had wrong bits. */
struct block_errors {
	uint64_t corrected, uncorrectable;
};

/* What has come of frames that arrived with wrong bits. */
struct port_errors {
	uint64_t corrected_bits, corrected_symbols;
	struct block_errors firecode, rs;	/* by code; RS: Reed-Solomon */
	uint64_t rs_single;			/* blocks with one wrong symbol */
	uint64_t crc, jabbers;			/* frames lost; jabbers: too long as well */
	uint64_t frames, bytes;			/* all that are lost */
};

/* Callbacks into the function of a port. */
struct port_ops {
	void (*receive)(struct cxdev *dev, struct frame *frame); /* consumes the frame */
	void (*link)(struct cxdev *dev, bool up); /* after the command that caused it */
	/* The frame has wrong bits: are they corrected? Counts both, without the frames. */
	bool (*mend)(struct cxdev *dev, const struct frame *frame, struct port_errors *errors);
};

/*
 * The embedded switch of a card whose functions share a port, that of the PF. Callbacks of the
 * functions' ports; all but the first consume the frame.
 */
struct bridge_ops {
	/* May this frame of the function enter the switch? May change it. False: it is dropped. */
	bool (*admit)(struct cxdev *dev, struct frame *frame);
	void (*sent)(struct cxdev *dev, struct frame *frame);
	void (*arrived)(struct cxdev *pf, struct frame *frame); /* from the wire */
};

/*
 * Admin state of a vport behind an embedded switch, or of the uplink of a PF. AUTO: up if the port
 * to the wire is.
 */
enum port_follow { PORT_AUTO, PORT_UP, PORT_DOWN };

#define PRIORITIES 8
#define PORT_SIZES 10

/*
 * Frames and bytes without FCS. A frame dropped at the port counts as full, down or malformed only,
 * one that is lost to wrong bits in errors and sizes.
 */
struct port_counters {
	uint64_t tx_frames, tx_bytes, tx_multicast, tx_broadcast;
	uint64_t rx_frames, rx_bytes, rx_multicast, rx_broadcast;
	/* by length with FCS: 64, to 127, 255, 511, 1023, 1518, 2047, 4095, 8191, above */
	uint64_t rx_sizes[PORT_SIZES];
	uint64_t link_downs;
	uint64_t full, down, malformed;
	/* by priority, as the settings of the port have it */
	struct { uint64_t tx_frames, tx_bytes, rx_frames, rx_bytes; } prio[PRIORITIES];
	uint64_t rx_control, tx_control; /* MAC control frames, which are not counted above */
	struct port_errors errors;
};

/* The link is up if admin state and wire are; @dev NULL: no function, frames go to the sink. */
struct port *port_create(struct cxdev *dev, const char *name);
void port_set_ops(struct port *port, const struct port_ops *ops); /* of a port with a function */
void port_destroy(struct port *port);
/*
 * Sends; consumes the frame. Frames to the sender's own MAC are looped back, multicast goes to all
 * other ports; a port whose queue is full drops and counts. Delivery is queued work, never a nested
 * call.
 */
void port_send(struct port *port, struct frame *frame);
/*
 * Delivers to the function of this port only, as if received: multicast to its sender's own group.
 * Consumes the frame; neither capture nor filter see it.
 */
void port_loopback(struct port *port, struct frame *frame);
bool port_link_up(const struct port *port);
bool port_admin_up(const struct port *port);
bool port_wire_up(const struct port *port);
const char *port_name(const struct port *port);
struct cxdev *port_function(const struct port *port);	/* NULL: it has none */
struct port *port_find(const char *name); /* NULL: no such port */
void port_list_names(void (*fn)(const char *name, void *arg), void *arg);
/* PAOS; a change raises a port event on its function */
void port_set_admin(struct port *port, bool up);
void port_set_wire(struct port *port, bool up); /* the cable, for faults; likewise */
/*
 * Takes two ports off the switch and joins them by a cable. The link is up if both ports are up.
 * The same port twice is a loopback plug: it receives all that it sends. 0; -EBUSY: one of them has
 * a cable; -ENODEV: one of them has no connector, since it is behind an embedded switch. On a
 * wire with a rate the frames and pauses of the old cable are lost, also when it is pulled.
 */
int port_cable(struct port *a, struct port *b);
void port_uncable(struct port *port); /* both ends; no effect without a cable */
/*
 * Puts the port of a function behind an embedded switch, which has @uplink to the wire; that of the
 * PF, which owns the connector, is its own uplink, and counts and captures what passes there.
 */
void port_set_bridge(struct port *port, struct port *uplink, const struct bridge_ops *ops);
void port_set_follow(struct port *port, enum port_follow follow); /* AUTO at first */
enum port_follow port_follow(const struct port *port);
/* What the function sends is at most @mbps, 0: no limit. Only on a wire with a rate. */
void port_set_rate(struct port *port, uint32_t mbps);
/* For the embedded switch; both consume the frame. To the function of a port, or to the wire. */
void port_deliver(struct port *port, struct frame *frame);
void port_leave(struct port *uplink, struct frame *frame);
/* On reset of the function: drops its queue and a pending link event. */
void port_flush(struct port *port);
/* How many frames to @dmac fit into the queue of each receiver. */
unsigned int port_room(const struct port *from, const uint8_t *dmac);
/*
 * May @work send a frame of this priority to @dmac now, and @reserve more? False: it is queued when
 * there is room or the way to @dmac has changed, see work_wait(); on a wire with a rate when the
 * port has sent what it holds of that priority, and the rate of its function allows the next
 * frame. @port: by which the frame leaves the card.
 */
bool port_may_send(struct port *port, const uint8_t *dmac, unsigned int prio, unsigned int reserve,
		   struct work *work);
/* Does nothing but port_room() limit what it sends? */
bool port_is_instant(const struct port *port);
/* All work that waits looks again: the ports by which frames leave their card have changed. */
void ports_wake_senders(void);
const struct port_counters *port_counters(const struct port *port);
uint64_t port_age_ms(const struct port *port);	/* how long it has been counting */
void wire_status(FILE *out);
void wire_json(struct json_object *to);
/*
 * For other wires and for tests: called for each frame that is delivered to a port without a
 * function; false: the frame is dropped.
 */
void port_set_sink(struct port *port, bool (*fn)(void *arg, const struct frame *frame), void *arg);
/*
 * Stops or resumes draining the queue, for a sink that cannot accept more frames. Who waits for it
 * and need not any more goes on.
 */
void port_hold(struct port *port, bool hold);
bool port_held(const struct port *port);
/* For other wires: @fn is called, as work, when port_far_end_up() of this port may have changed. */
void port_watch_far_end(struct port *port, void (*fn)(void *arg), void *arg);
/* Is what the port has a cable to up? On the switch: always. */
bool port_far_end_up(const struct port *port);

/*
 * For tests: called for each frame after the capture and before faults and switch; may change its
 * bytes, and returns its verdict. WIRE_HOLD keeps it until another frame has passed (reordering).
 * NULL: no filter; a held frame is released.
 */
enum wire_verdict { WIRE_PASS, WIRE_DROP, WIRE_DUPLICATE, WIRE_HOLD };
void wire_set_filter(enum wire_verdict (*fn)(void *arg, const struct port *from,
					     struct frame *frame),
		     void *arg);

/* ---- direct.c, count.c ---- */

/*
 * The port that a frame with these addresses would reach at once, before any other, if nobody could
 * see, lose, mark or change it on its way: the wire is instant, without filter, capture, fault
 * rules, cables and embedded switches, both addresses are learned, the receiver's queue is empty.
 * NULL: it must go by port_send(). Otherwise what it stands for may be done in its place, and
 * counted.
 */
struct port *port_direct(struct port *from, const uint8_t *smac, const uint8_t *dmac);
/*
 * @n frames of @len bytes count as sent by one port and received by the other; @dscp, @pcp: as of
 * qos_prio(). Returns the length with padding.
 */
uint32_t port_count_direct(struct port *from, struct port *to, int dscp, int pcp, uint32_t len,
			   uint32_t n);

/* ---- priorities and flow control: qos.c ---- */

/* Settings of a port; its function changes them, and calls port_qos_changed(). */
struct port_qos {
	bool trust_dscp;	/* the priority of a packet: by DSCP, else by VLAN tag */
	uint8_t dscp_prio[64];
	uint8_t prio_tc[PRIORITIES];
	/* of a traffic class; the highest group first */
	uint8_t group[PRIORITIES], weight[PRIORITIES];
	uint32_t max_mbps[PRIORITIES];	/* 0: no limit */
	bool pause_tx, pause_rx;	/* of the whole port; sent, obeyed */
	uint8_t pfc_tx, pfc_rx;		/* of priorities */
	/* bytes of a priority that wait for the function: where it stops and resumes the sender */
	uint32_t xoff[PRIORITIES], xon[PRIORITIES];
	/* how long it may stop the sender and take no frame; 0: as long as it likes */
	uint16_t stall_minor_ms, stall_critical_ms;
};

struct port_qos *port_qos(struct port *port);
void port_qos_reset(struct port_qos *qos);	/* as a card has them before a driver runs */
void port_qos_changed(struct port *port);
/* Frames that are neither tagged nor, with trust in DSCP, IP have priority 0. */
unsigned int qos_frame_prio(const struct port_qos *qos, const struct frame *frame);
/* The same of a packet that is not built yet; @dscp < 0: it has none, @pcp < 0: it has no tag. */
unsigned int qos_prio(const struct port_qos *qos, int dscp, int pcp);

/* Flow control at a port and priority, in microseconds; all 0 on an instant wire. */
struct port_pauses {
	uint64_t rx, rx_us, rx_transitions, tx, tx_us, discarded;
};

struct port_pauses port_pauses(const struct port *port, unsigned int prio);

/* How often a watermark of port_qos has been reached. */
struct port_stalls {
	uint64_t minor, critical;
};

struct port_stalls port_stalls(const struct port *port);

/* ---- a wire with a rate: settings.c, physics.c ---- */

/*
 * What follows "switch:": KEY=VALUE,... Before the first port is created. 0, or -EINVAL with a
 * text at *why.
 */
int physics_set(const char *text, const char **why);
bool wire_has_rate(void);
uint64_t wire_rate_mbps(void);

/* What the switch has done at its port. */
struct switch_counters {
	uint64_t dropped, marked, paused;	/* paused: XOFFs sent to this port */
	uint64_t largest, bytes;		/* of the queue to this port */
	uint64_t storms;
};

struct switch_counters port_switch_counters(const struct port *port, unsigned int prio);

/*
 * uplink.c: unix:SOCKET, udp:PORT:HOST:PORT or tap:INTERFACE as a port of the switch; 0 or -errno,
 * message printed
 */
int uplink_open(const char *what);
/* How long a frame waits for room at its receiver; a test on a busy machine gives it longer. */
extern uint64_t uplink_wait_ns;
/*
 * A joint between two processes: @fd is this one's end of a SOCK_SEQPACKET pair, which does not
 * block, and is consumed. It is a port of the switch called @name, or with @port is what that has a
 * cable to. Link goes through it in both directions. @ended is called when the other process is
 * gone, or this one closes it. 0 or -errno.
 */
int uplink_join(int fd, const char *name, struct port *port, void (*ended)(void *arg), void *arg);
void uplinks_close(void);

/*
 * capture.c: pcapng to a file, a pipe, or a client of the control socket; of all ports, or of
 * @only one. 0 or -errno.
 */
int capture_open(const char *path, const struct port *only);
/*
 * The same for whoever reaches the control socket: a file must be new, empty or a capture, and no
 * symbolic link. -EEXIST: it is not.
 */
int capture_request(const char *path, const struct port *only);
int capture_stream(int client, const struct port *only);
void capture_stream_end(int client);	/* when its connection ends */
int capture_stop(const char *path);	/* 0, or -ENOENT */
void capture_close(void);		/* all of them */
void capture_status(FILE *out);
void capture_json(struct json_object *to);
bool capture_wants_frames(void);
/* For captures of all ports: a MAC control frame, which does not enter the switch. */
void capture_control(const struct port *port, const struct frame *frame, bool received);
/* For captures of all ports, and of this one. */
void capture_entered(const struct port *port, const struct frame *frame);
void capture_sent(const struct port *port, const struct frame *frame);
void capture_delivered(const struct port *port, const struct frame *frame);

#endif
