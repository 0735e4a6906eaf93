/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Four ports without functions on a wire with a rate, whose time a test moves. */
#ifndef CXEMU_RATE_WIRE_H
#define CXEMU_RATE_WIRE_H

#include "base/base.h"
#include "wire/vtime.h"
#include "wire/wire.h"

#define PORTS 4
#define LOG_MAX 4096

struct arrival {
	uint64_t ns;
	unsigned int prio;
	uint8_t tos;
	uint16_t sum;
};

struct sink {
	unsigned int n;
	struct arrival log[LOG_MAX];
};

extern struct port *ports[PORTS];
extern struct sink sinks[PORTS];	/* what they have received */
extern uint64_t clock_ns;

/* 1000 bytes with FCS, 1020 on the wire; the DSCP is 8 times the priority. */
#define FRAME_BYTES 996
#define BUFFER_BYTES 1000
#define WIRE_BYTES 1020

void set_up(const char *settings);
void tear_down(void);
/* Event by event, until nothing happens before @until. */
void run_until(uint64_t until);
void run_for(uint64_t ns);
void learn(void);	/* the switch knows all ports */
void send_tos(unsigned int from, unsigned int to, unsigned int tos);
void send_prio(unsigned int from, unsigned int to, unsigned int prio);
void fill(unsigned int prio, unsigned int frames);	/* from ports 0 and 1 to port 2 */
unsigned int of_prio(const struct sink *sink, unsigned int prio);
/* A MAC control frame, as a device sends it. */
void send_control(unsigned int from, uint16_t op, uint8_t prios, uint16_t quanta);
void obey(uint8_t pfc, bool pause);	/* of all ports: what they send and obey */
void put_ip(uint8_t *ip, unsigned int tos, uint32_t len);

#endif
