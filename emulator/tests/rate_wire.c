// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <stdlib.h>
#include <string.h>

#include "rate_wire.h"

struct port *ports[PORTS];
struct sink sinks[PORTS];
uint64_t clock_ns = 1000000000;

static bool receive(void *arg, const struct frame *frame)
{
	struct sink *sink = arg;
	struct arrival *at = &sink->log[sink->n % LOG_MAX];

	at->ns = clock_ns;
	at->tos = frame->data[15];
	at->prio = frame->data[15] >> 5;
	at->sum = get16(frame->data + 24);
	sink->n++;
	return true;
}

void run_until(uint64_t until)
{
	uint64_t next;

	for (;;) {
		while (loop_run_pending())
			;
		next = vtime_next_ns();
		if (next > until)
			break;
		if (next > clock_ns)
			clock_ns = next;
		loop_test_clock(clock_ns);
	}
	clock_ns = until;
	loop_test_clock(clock_ns);
	while (loop_run_pending())
		;
}

void run_for(uint64_t ns)
{
	run_until(clock_ns + ns);
}

void set_up(const char *settings)
{
	static const char *const names[PORTS] = { "p0", "p1", "p2", "p3" };
	const char *why = "";
	unsigned int i, j;

	loop_test_clock(clock_ns);
	if (physics_set(settings, &why)) {
		fprintf(stderr, "%s: %s\n", settings, why);
		exit(1);
	}
	memset(sinks, 0, sizeof(sinks));
	for (i = 0; i < PORTS; i++) {
		ports[i] = port_create(NULL, names[i]);
		port_set_sink(ports[i], receive, &sinks[i]);
		port_qos(ports[i])->trust_dscp = true;
		for (j = 0; j < PRIORITIES; j++)
			port_qos(ports[i])->prio_tc[j] = j;
		port_qos_changed(ports[i]);
	}
}

void tear_down(void)
{
	unsigned int i;

	run_for(100000000);
	for (i = 0; i < PORTS; i++)
		port_destroy(ports[i]);
}

void put_ip(uint8_t *ip, unsigned int tos, uint32_t len)
{
	uint32_t sum = 0;
	unsigned int i;

	ip[0] = 0x45;
	ip[1] = tos;
	put16(ip + 2, len);
	ip[8] = 64;
	ip[9] = 17;
	put32(ip + 12, 0x0a000001);
	put32(ip + 16, 0x0a000002);
	put16(ip + 10, 0);
	for (i = 0; i < 20; i += 2)
		sum += get16(ip + i);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	put16(ip + 10, ~sum);
}

void send_tos(unsigned int from, unsigned int to, unsigned int tos)
{
	struct frame *frame = frame_alloc(FRAME_BYTES);

	memset(frame->data, 0, FRAME_BYTES);
	frame->data[0] = 2;
	frame->data[5] = to;
	frame->data[6] = 2;
	frame->data[11] = from;
	put16(frame->data + 12, 0x0800);
	put_ip(frame->data + 14, tos, FRAME_BYTES - 14);
	port_send(ports[from], frame);
}

void send_prio(unsigned int from, unsigned int to, unsigned int prio)
{
	send_tos(from, to, prio << 5);
}

void learn(void)
{
	unsigned int i;

	for (i = 0; i < PORTS; i++)
		send_prio(i, (i + 1) % PORTS, 0);
	run_for(10000000);
	for (i = 0; i < PORTS; i++)
		send_prio(i, (i + 1) % PORTS, 0);
	run_for(10000000);
	memset(sinks, 0, sizeof(sinks));
}

unsigned int of_prio(const struct sink *sink, unsigned int prio)
{
	unsigned int i, n = 0;

	for (i = 0; i < sink->n; i++)
		n += sink->log[i].prio == prio;
	return n;
}

void send_control(unsigned int from, uint16_t op, uint8_t prios, uint16_t quanta)
{
	static const uint8_t mac[6] = { 0x01, 0x80, 0xc2, 0, 0, 1 };
	struct frame *frame = frame_alloc(60);
	unsigned int i;

	memset(frame->data, 0, 60);
	memcpy(frame->data, mac, 6);
	frame->data[6] = 2;
	frame->data[11] = from;
	put16(frame->data + 12, 0x8808);
	put16(frame->data + 14, op);
	put16(frame->data + 16, op == 1 ? quanta : prios);
	for (i = 0; op != 1 && i < 8; i++)
		if (prios & 1u << i)
			put16(frame->data + 18 + 2 * i, quanta);
	port_send(ports[from], frame);
}

void fill(unsigned int prio, unsigned int frames)
{
	unsigned int i;

	for (i = 0; i < frames; i++) {
		send_prio(0, 2, prio);
		send_prio(1, 2, prio);
	}
}

void obey(uint8_t pfc, bool pause)
{
	unsigned int i;

	for (i = 0; i < PORTS; i++) {
		port_qos(ports[i])->pfc_rx = pfc;
		port_qos(ports[i])->pfc_tx = pfc;
		port_qos(ports[i])->pause_rx = pause;
		port_qos(ports[i])->pause_tx = pause;
		port_qos_changed(ports[i]);
	}
}
