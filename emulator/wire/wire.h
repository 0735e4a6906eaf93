/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * wire: one learning switch that joins the ports of all functions of the process, cables between
 * two of them, other wires (a socket, a tap), and captures of what passes.
 *
 * A frame is never delivered inside port_send(): each port has a bounded queue that its own work
 * item empties. Frames keep their order between two ports unless a fault or a filter says
 * otherwise.
 */
#ifndef CXEMU_WIRE_H
#define CXEMU_WIRE_H

#include "base/base.h"

/* ---- ports: switch.c ---- */

struct port;

/* What a port calls its function for. */
struct port_ops {
	void (*receive)(struct cxdev *dev, struct frame *frame); /* takes the frame */
	void (*link)(struct cxdev *dev, bool up); /* later than the command that caused it */
};

#define PORT_SIZES 10

/*
 * What passed a port, without FCS; a frame that is dropped at the port counts in the last ones
 * only.
 */
struct port_counters {
	uint64_t tx_frames, tx_bytes, tx_multicast, tx_broadcast;
	uint64_t rx_frames, rx_bytes, rx_multicast, rx_broadcast;
	/* by length with FCS: 64, to 127, 255, 511, 1023, 1518, 2047, 4095, 8191, above */
	uint64_t rx_sizes[PORT_SIZES];
	uint64_t link_downs;
	uint64_t full, down, malformed;
};

/* link is up when both sides want it; @dev NULL: no function, frames go to the sink */
struct port *port_create(struct cxdev *dev, const char *name);
void port_set_ops(struct port *port, const struct port_ops *ops); /* of one with a function */
void port_destroy(struct port *port);
/*
 * Sends; takes the frame. Frames to the sender's own MAC come back to it (the NIC's loopback),
 * multicast goes to all others; a port whose queue is full drops and counts. Delivery is queued
 * work, never a nested call.
 */
void port_send(struct port *port, struct frame *frame);
/*
 * To the function at this port alone, as if it came from the wire: multicast that its sender
 * listens to. Takes the frame; neither the capture nor the filter sees it.
 */
void port_loopback(struct port *port, struct frame *frame);
bool port_link_up(const struct port *port);
bool port_admin_up(const struct port *port);
bool port_wire_up(const struct port *port);
const char *port_name(const struct port *port);
struct port *port_find(const char *name); /* NULL: there is none */
void port_for_each_name(void (*fn)(const char *name, void *arg), void *arg);
/* PAOS; a change raises the port event on its function */
void port_set_admin(struct port *port, bool up);
void port_set_wire(struct port *port, bool up); /* the cable, for faults; likewise */
/*
 * From the switch to a cable between two ports, and back. A cable has a link when all four ends
 * want it. One port twice is a loopback plug: it gets all that it sends. 0; -EBUSY: one of them has
 * a cable.
 */
int port_cable(struct port *a, struct port *b);
void port_uncable(struct port *port); /* both ends; none: nothing happens */
/* reset of the function: what waits for it is lost, the link event too */
void port_flush(struct port *port);
/*
 * Free places in the queues of all ports: a sender that could flood (RDMA requester) waits while it
 * is 0.
 */
unsigned int port_room(const struct port *port);
const struct port_counters *port_counters(const struct port *port);
void wire_status(FILE *out);
/*
 * For other wires and for tests: called for each frame that is delivered to a port without a
 * function; false: it could not be taken and is lost.
 */
void port_set_sink(struct port *port, bool (*fn)(void *arg, const struct frame *frame), void *arg);
/* Its queue is not emptied until it is let go; for a sink that cannot take more at the moment. */
void port_hold(struct port *port, bool hold);

/*
 * For tests: sees each frame after the capture and before faults and switch, may change its
 * bytes, and says what becomes of it. WIRE_HOLD keeps it until another frame has passed
 * (reordering). NULL: no filter; a held frame is released.
 */
enum wire_verdict { WIRE_PASS, WIRE_DROP, WIRE_DUPLICATE, WIRE_HOLD };
void wire_set_filter(enum wire_verdict (*fn)(void *arg, const struct port *from,
					     struct frame *frame),
		     void *arg);

/* uplink.c: unix:SOCKET or tap:INTERFACE; 0 or -errno, message printed */
int uplink_open(const char *what);
void uplinks_close(void);

/*
 * capture.c: pcapng to a file, a pipe, or a client of the control socket; of all ports, or of
 * @only. 0 or -errno.
 */
int capture_open(const char *path, const struct port *only);
int capture_stream(int client, const struct port *only);
void capture_stream_end(int client);	/* the connection ends; none: nothing happens */
int capture_stop(const char *path);	/* 0, or -ENOENT */
void capture_close(void);		/* all of them */
void capture_status(FILE *out);
bool capture_wants_frames(void);
void capture_sent(const struct port *port, const struct frame *frame);
void capture_delivered(const struct port *port, const struct frame *frame);

#endif
