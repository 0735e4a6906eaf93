// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * A wire with a rate when something changes or goes wrong: ports that go away, new cables, senders
 * that ask nobody, functions that never end, an embedded switch.
 */
#include "ktap.h"
#include "rate_wire.h"

/* A port that sends to itself is charged for what waits for it. */
static void test_port_goes(void)
{
	unsigned int i;

	set_up("rate=10g,pfc=3,xoff=5k,buffer=2m");
	learn();
	obey(0x08, false);
	for (i = 0; i < 40; i++) {
		send_prio(2, 2, 3);
		send_prio(0, 2, 3);
	}
	while (port_switch_counters(ports[2], 3).paused != 1)
		run_for(WIRE_BYTES * 8 / 10);
	ktap(port_switch_counters(ports[2], 3).bytes > 5 * BUFFER_BYTES,
	     "a port that sends to itself is paused");
	for (i = 0; i < PORTS; i++) {
		port_destroy(ports[(i + 2) % PORTS]);
		ports[(i + 2) % PORTS] = NULL;
	}
	ktap(vtime_next_ns() == UINT64_MAX, "of ports that are gone nothing happens on the wire");
	tear_down();
}

/* No queue pair or send queue is asked about these. */
static void test_control_flood(void)
{
	unsigned int i;

	set_up("rate=10g,pfc=3");
	learn();
	for (i = 0; i < 5000; i++)
		send_control(0, 0x0101, 0, 0);
	run_for(10000000);
	ktap(port_counters(ports[0])->tx_control >= 1024 &&
	     port_counters(ports[0])->tx_control < 1100,
	     "MAC control frames of a function wait in a queue of limited length");
	tear_down();
}

static void test_small_buffer(void)
{
	unsigned int i;

	set_up("rate=10g,pfc=3,headroom=300k,buffer=1m");
	learn();
	obey(0x08, false);
	for (i = 0; i < 100; i++)
		send_prio(0, 2, 3);
	run_for(100000000);
	ktap(of_prio(&sinks[2], 3) == 100 && port_pauses(ports[0], 3).rx,
	     "a port goes on when nothing of it is left in the switch, however small its share");
	tear_down();
	set_up("rate=10g,pfc=3,headroom=200k,buffer=1m,alpha=1/2");
	learn();
	port_cable(ports[0], ports[1]);
	for (i = 0; i < 900; i++) {
		send_prio(2, 2, 0);
		send_prio(3, 2, 0);
	}
	run_for(10000000);
	ktap(port_switch_counters(ports[2], 0).largest == 600000 / 3,
	     "only ports that are on the switch have headroom in it");
	tear_down();
}

/* Who was paused by a switch is not by the other end of a cable. */
static void test_new_cable(void)
{
	uint64_t start;

	set_up("rate=10g,pfc=3,xoff=5k,buffer=2m");
	learn();
	obey(0x08, false);
	fill(3, 40);
	run_for(20 * WIRE_BYTES * 8 / 10);
	port_cable(ports[0], ports[1]);
	sinks[1].n = 0;
	start = clock_ns;
	send_prio(0, 1, 3);
	run_for(1000000);
	ktap(sinks[1].n == 1 && sinks[1].log[0].ns == start + WIRE_BYTES * 8 / 10,
	     "a new cable has nothing of the old one, neither frames nor pauses");
	tear_down();
}

static void test_pauses_off(void)
{
	uint64_t sent;
	unsigned int i;

	set_up("rate=10g,pfc=3,buffer=4m");
	learn();
	obey(0x08, false);
	port_qos(ports[2])->xoff[3] = 20 * BUFFER_BYTES;
	port_qos(ports[2])->xon[3] = 10 * BUFFER_BYTES;
	port_qos_changed(ports[2]);
	port_hold(ports[2], true);
	for (i = 0; i < 300; i++)
		send_prio(0, 2, 3);
	run_for(3000000);
	port_qos(ports[2])->pfc_tx = 0;
	port_qos_changed(ports[2]);
	run_for(100000);
	sent = port_pauses(ports[2], 3).tx;
	run_for(20000000);
	ktap(sent && port_pauses(ports[2], 3).tx == sent &&
	     !port_switch_counters(ports[2], 3).bytes,
	     "a port whose driver has turned pauses off ends them");
	port_hold(ports[2], false);
	tear_down();
}

/* ---- an embedded switch -------------------------------------------------------------------- */

static bool admit(struct cxdev *dev, struct frame *frame)
{
	(void)dev;
	(void)frame;
	return true;
}

static void to_wire(struct cxdev *dev, struct frame *frame)
{
	(void)dev;
	port_leave(ports[0], frame);
}

static void from_wire(struct cxdev *dev, struct frame *frame)
{
	(void)dev;
	port_deliver(ports[1], frame);
}

static void unused(struct work *work)
{
	(void)work;
}

/* Port 1 is a VF behind port 0. */
static void test_embedded(void)
{
	static const struct bridge_ops ops = { admit, to_wire, from_wire };
	static const uint8_t to[6] = { 2, 0, 0, 0, 0, 2 };
	struct work work;
	unsigned int i;

	work_init(&work, unused);
	set_up("rate=10g,pfc=3,buffer=4m");
	port_set_bridge(ports[0], ports[0], &ops);
	port_set_bridge(ports[1], ports[0], &ops);
	learn();
	obey(0x08, false);
	port_qos(ports[0])->xoff[3] = 20 * BUFFER_BYTES;
	port_qos(ports[0])->xon[3] = 10 * BUFFER_BYTES;
	port_qos_changed(ports[0]);
	port_hold(ports[1], true);
	for (i = 0; i < 40; i++)
		send_prio(2, 0, 3);
	run_for(1000000);
	ktap(!port_counters(ports[1])->tx_control && !port_counters(ports[1])->rx_control,
	     "a VF has no cable along which it could pause anybody");
	port_hold(ports[1], false);
	port_hold(ports[2], true);
	for (i = 0; i < 1100; i++)
		send_prio(3, 2, 0);
	run_for(10000000);
	ktap(port_room(ports[0], to) < 64 && port_may_send(ports[0], to, 0, 64, &work) &&
	     port_may_send(ports[1], to, 0, 64, &work),
	     "nobody sees over a wire with a rate whether a receiver has room");
	port_hold(ports[2], false);
	tear_down();
}

/* ---- a function that always has work ------------------------------------------------------- */

static void work_again(struct work *work)
{
	work_queue(work);
}

static void test_endless_work(void)
{
	struct work work;
	unsigned int i;

	set_up("rate=10g,delay=1us");
	learn();
	work_init(&work, work_again);
	work_queue(&work);
	send_prio(0, 1, 0);
	for (i = 0; i < 100; i++) {
		clock_ns += 10000000;
		loop_test_clock(clock_ns);
		loop_run_pending();
	}
	work_cancel(&work);
	ktap(sinks[1].n == 1, "a function that is never done does not stop the wire of others");
	tear_down();
}

int main(void)
{
	ktap_plan(0);
	test_port_goes();
	test_control_flood();
	test_small_buffer();
	test_new_cable();
	test_pauses_off();
	test_embedded();
	test_endless_work();
	return ktap_end();
}
