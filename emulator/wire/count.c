// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The counters of a port. */
#include <string.h>

#include "wire/physics.h"
#include "wire/switch.h"

#define FCS 4

static bool is_broadcast(const struct frame *frame)
{
	return !memcmp(frame->data, "\xff\xff\xff\xff\xff\xff", 6);
}

void port_count_size(struct port_counters *counters, uint32_t len, uint32_t n)
{
	static const uint32_t limit[PORT_SIZES - 1] = { 64,   127,  255,  511, 1023,
							1518, 2047, 4095, 8191 };
	unsigned int i;

	for (i = 0; i < PORT_SIZES - 1 && len + FCS > limit[i]; i++)
		;
	counters->rx_sizes[i] += n;
}

static void add_received(struct port_counters *counters, unsigned int prio, uint32_t len,
			 uint32_t n)
{
	uint64_t bytes = (uint64_t)n * len;

	counters->rx_frames += n;
	counters->rx_bytes += bytes;
	port_count_size(counters, len, n);
	counters->prio[prio].rx_frames += n;
	counters->prio[prio].rx_bytes += bytes;
}

static void add_sent(struct port_counters *counters, unsigned int prio, uint32_t len, uint32_t n)
{
	uint64_t bytes = (uint64_t)n * len;

	counters->tx_frames += n;
	counters->tx_bytes += bytes;
	counters->prio[prio].tx_frames += n;
	counters->prio[prio].tx_bytes += bytes;
}

void port_count_received(struct port *port, const struct frame *frame)
{
	capture_delivered(port, frame);
	add_received(&port->counters, qos_frame_prio(&port->qos, frame), frame->len, 1);
	if (is_broadcast(frame))
		port->counters.rx_broadcast++;
	else if (frame->data[0] & 1)
		port->counters.rx_multicast++;
}

void port_count_sent(struct port *port, const struct frame *frame)
{
	capture_sent(port, frame);
	add_sent(&port->counters, qos_frame_prio(&port->qos, frame), frame->len, 1);
	if (is_broadcast(frame))
		port->counters.tx_broadcast++;
	else if (frame->data[0] & 1)
		port->counters.tx_multicast++;
}

uint32_t port_count_direct(struct port *from, struct port *to, int dscp, int pcp, uint32_t len,
			   uint32_t n)
{
	if (len < FRAME_MIN)
		len = FRAME_MIN;
	add_sent(&from->counters, qos_prio(&from->qos, dscp, pcp), len, n);
	add_received(&to->counters, qos_prio(&to->qos, dscp, pcp), len, n);
	return len;
}

void port_count_control(struct port *port, const struct frame *frame, bool received)
{
	if (received) {
		port->counters.rx_control++;
		capture_delivered(port, frame);
	} else {
		port->counters.tx_control++;
		capture_sent(port, frame);
	}
	capture_control(port, frame, received);
}
