// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * A wire with a rate: when frames arrive, what the switch queues, marks and drops, who pauses whom.
 * The expected times and sizes are computed here from rate, delay and lengths.
 */
#include <stdlib.h>
#include <string.h>

#include "ktap.h"
#include "rate_wire.h"

/* ---- tests --------------------------------------------------------------------------------- */

static void test_settings(void)
{
	static const char *const bad[] = {
		"", "rate", "rate=0g", "rate=40", "rate=500g", "delay=1us", "rate=1g,delay=2000ms",
		"rate=1g,buffer=0", "rate=1g,alpha=1/3", "rate=1g,alpha=2", "rate=1g,pfc=8",
		"rate=1g,pfc=3+", "rate=1g,pause=on,pfc=3", "rate=1g,kmin=10k,kmax=10k",
		"rate=1g,pmax=101%", "rate=1g,trust=none", "rate=1g,weight8=1", "rate=1g,weight3=0",
		"rate=1g,pfc=3,headroom=12m", "rate=1g,what=1", "rate=1g,seed=0",
		"rate=1g,pause=no",
	};
	static const char *const all[] = {
		"rate=40g", "delay=500ns", "buffer=12m", "alpha=1/8", "pfc=3+4", "headroom=22400",
		"xoff=100k", "ecn=3", "kmin=5k", "kmax=200k", "pmax=1%", "strict=6", "weight3=50",
		"trust=pcp", "watchdog=200ms", "seed=7",
	};
	char settings[256] = "";
	const char *why;
	unsigned int i, n = 0;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		sprintf(settings + strlen(settings), "%s%s", i ? "," : "", all[i]);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		n += physics_set(bad[i], &why) && why && *why;
	ktap(n == ARRAY_SIZE(bad) && !wire_has_rate(), "settings that make no sense are refused");
	ktap(!physics_set(settings, &why) && wire_rate_mbps() == 40000,
	     "all settings can be made");
}

/* Two links of 10 Gb/s with 2 us each, store and forward. */
static void test_times(void)
{
	uint64_t bits = WIRE_BYTES * 8, start, first = bits / 10 * 2 + 4000;
	unsigned int i;
	bool right = true;

	set_up("rate=10g,delay=2us");
	learn();
	start = clock_ns;
	for (i = 0; i < 10; i++)
		send_prio(0, 1, 0);
	run_until(start + first - 1);
	ktap(!sinks[1].n, "a frame does not arrive before two transmissions and two delays");
	run_for(1000000);
	for (i = 0; i < sinks[1].n; i++)
		right &= sinks[1].log[i].ns == start + first + i * bits / 10;
	ktap(sinks[1].n == 10 && right, "frames follow each other at the rate of the link");
	tear_down();
}

/* 1106 bytes at 40 Gb/s take 221.2 ns: no time may be lost by rounding. */
static void test_rate(void)
{
	uint64_t start, expect = 1000ull * WIRE_BYTES * 8 / 40;
	unsigned int i;

	set_up("rate=40g");
	learn();
	start = clock_ns;
	for (i = 0; i < 1000; i++)
		send_prio(0, 1, 0);
	run_for(10000000);
	ktap(sinks[1].n == 1000 &&
	     sinks[1].log[999].ns - start == expect + WIRE_BYTES * 8 / 40,
	     "a thousand frames take a thousand times as long as one, to the nanosecond");
	tear_down();
}

/* 2:1 into a buffer of 100 frames of which one queue may have half of what is free: a third. */
static void test_tail_drop(void)
{
	struct switch_counters n;
	unsigned int i;

	set_up("rate=10g,buffer=90k,alpha=1/2");
	learn();
	for (i = 0; i < 200; i++) {
		send_prio(0, 2, 0);
		send_prio(1, 2, 0);
	}
	run_for(10000000);
	n = port_switch_counters(ports[2], 0);
	ktap(n.largest == 30 * BUFFER_BYTES, "a queue grows to its share of the free buffer");
	ktap(n.dropped && sinks[2].n + n.dropped == 400 && !n.bytes,
	     "what exceeds it is dropped and counted by priority, the rest arrives");
	ktap(!port_switch_counters(ports[2], 1).dropped, "other priorities lose nothing");
	tear_down();
}

/* The first @n frames that arrive after @skip. */
static unsigned int among(const struct sink *sink, unsigned int skip, unsigned int n,
			  unsigned int prio)
{
	unsigned int i, found = 0;

	for (i = skip; i < skip + n && i < sink->n; i++)
		found += sink->log[i].prio == prio;
	return found;
}

static void test_schedule(void)
{
	unsigned int three, i, j;

	set_up("rate=10g,weight3=3,weight4=1,strict=6");
	learn();
	fill(3, 400);
	fill(4, 400);
	run_for(450 * WIRE_BYTES * 8 / 10);
	three = among(&sinks[2], 100, 200, 3);
	ktap(three >= 148 && three <= 152 && three + among(&sinks[2], 100, 200, 4) == 200,
	     "two priorities share the link by their weights");
	/* at the senders, too */
	for (i = 0; i < PORTS; i++) {
		for (j = 0; j < 6; j++)
			port_qos(ports[i])->group[j] = 0;
		port_qos_changed(ports[i]);
	}
	three = sinks[2].n;
	fill(6, 20);
	run_for(50 * WIRE_BYTES * 8 / 10);
	ktap(among(&sinks[2], three, 44, 6) == 40, "a strict priority goes first");
	tear_down();
}

static bool sum_is_right(const struct arrival *at)
{
	uint8_t ip[20];

	put_ip(ip, at->tos, FRAME_BYTES - 14);
	return get16(ip + 10) == at->sum;
}

/* Everything above kmax is marked; below kmin nothing. */
static void test_marks(void)
{
	unsigned int i, marked = 0, others = 0;
	bool sums = true;

	set_up("rate=10g,ecn=3,kmin=10k,kmax=20k,pmax=10%");
	learn();
	for (i = 0; i < 100; i++) {
		send_tos(0, 2, 3 << 5 | 2);
		send_tos(1, 2, 3 << 5 | (i & 1 ? 0 : 1));
	}
	run_for(1000000);
	for (i = 0; i < sinks[2].n; i++) {
		marked += (sinks[2].log[i].tos & 3) == 3;
		others += !(sinks[2].log[i].tos & 3);
		sums &= sum_is_right(&sinks[2].log[i]);
		if (i < 10)
			sums &= (sinks[2].log[i].tos & 3) != 3;
	}
	ktap(sinks[2].n == 200 && marked == port_switch_counters(ports[2], 3).marked &&
	     marked > 60 && others == 50,
	     "packets that meet a long queue are marked, those that are not ECN-capable are not");
	ktap(sums,
	     "a mark keeps the checksum of the header right, and a short queue marks nothing");
	tear_down();
}

/* A steady queue of 14 frames between kmin 10k and kmax 20k: 0.4 times pmax. */
static void steady_marks(const char *settings, unsigned int *marked, unsigned int *total)
{
	unsigned int i;

	set_up(settings);
	learn();
	for (i = 0; i < 15; i++)
		send_tos(1, 2, 3 << 5);
	for (i = 0; i < 1000; i++)
		send_tos(0, 2, 3 << 5 | 2);
	run_for(2000000);
	*total = sinks[2].n - 15;
	*marked = port_switch_counters(ports[2], 3).marked;
	tear_down();
}

static void test_curve(void)
{
	unsigned int even, again, random, total;

	steady_marks("rate=10g,ecn=3,kmin=10k,kmax=20k,pmax=20%", &even, &total);
	steady_marks("rate=10g,ecn=3,kmin=10k,kmax=20k,pmax=20%", &again, &total);
	printf("# %u of %u\n", even, total);
	ktap(total == 1000 && even >= 72 && even <= 88 && even == again,
	     "between the thresholds the share of marks is that of the curve");
	steady_marks("rate=10g,ecn=3,kmin=10k,kmax=20k,pmax=20%,seed=5", &random, &total);
	steady_marks("rate=10g,ecn=3,kmin=10k,kmax=20k,pmax=20%,seed=5", &again, &total);
	printf("# %u of %u\n", random, total);
	ktap(random >= 50 && random <= 110 && random == again,
	     "with a seed marks are random, and the same in each run");
}

/* Two senders at 10 Gb/s into one link: nobody loses a frame if both obey. */
static void lossless(const char *settings, uint8_t pfc, bool pause, bool drops, const char *what)
{
	uint64_t paused, dropped, us;
	unsigned int i;

	set_up(settings);
	learn();
	obey(pfc, pause);
	fill(3, 900);
	for (i = 0; i < 20; i++)
		send_prio(0, 2, 5);
	run_for(2000 * WIRE_BYTES * 8 / 10 + 2000000);
	paused = port_switch_counters(ports[0], 3).paused;
	dropped = port_switch_counters(ports[2], 3).dropped;
	us = port_pauses(ports[0], 3).rx_us;
	printf("# paused %llu times, %llu us, dropped %llu\n", (unsigned long long)paused,
	       (unsigned long long)us, (unsigned long long)dropped);
	ktap(!!dropped == drops && of_prio(&sinks[2], 3) + dropped == 1800, "%s", what);
	if (!drops)
		ktap(paused > 1 && us > 100 && port_pauses(ports[0], 3).rx_transitions &&
		     !!port_pauses(ports[0], 5).rx == pause, "%s: the senders were paused", what);
	tear_down();
}

static void test_lossless(void)
{
	lossless("rate=10g,delay=1us,pfc=3,xoff=50k,buffer=1m", 0x08, false, false, "PFC");
	lossless("rate=10g,delay=1us,pause=on,xoff=50k,buffer=2m", 0, true, false, "global pause");
	lossless("rate=10g,delay=1us,pfc=3,xoff=50k,buffer=1m", 0x00, false, true,
		 "a port that does not obey PFC loses frames");
	lossless("rate=10g,delay=5us,pfc=3,xoff=50k,headroom=1000,buffer=1m", 0x08, false, true,
		 "PFC with too little headroom loses frames");
	lossless("rate=10g,delay=1us,pfc=4,xoff=50k,buffer=1m", 0x18, false, true,
		 "a priority without PFC loses frames");
}

/* The switch obeys the port. A quantum at 10 Gb/s is 51.2 ns. */
static void test_obeys(void)
{
	uint64_t start, end;
	unsigned int i;

	set_up("rate=10g,pfc=3");
	learn();
	send_control(2, 0x0101, 0x08, 1000);
	run_for(1000);
	start = clock_ns;
	for (i = 0; i < 10; i++) {
		send_prio(0, 2, 3);
		send_prio(0, 2, 4);
	}
	run_for(40000);
	ktap(of_prio(&sinks[2], 4) == 10 && !of_prio(&sinks[2], 3),
	     "a paused priority waits, another does not");
	run_for(1000000);
	end = sinks[2].log[10].ns;
	ktap(of_prio(&sinks[2], 3) == 10 && end > start + 50200 && end < start + 52200,
	     "a pause ends after its time");
	ktap(!sinks[0].n && !sinks[1].n && !sinks[3].n && port_counters(ports[2])->tx_control == 1,
	     "a pause is for the other end of the cable alone");
	send_control(2, 0x0101, 0x08, 0xffff);
	run_for(1000);
	send_prio(0, 2, 3);
	run_for(100000);
	ktap(of_prio(&sinks[2], 3) == 10, "a new pause holds the next frame");
	send_control(2, 0x0101, 0x08, 0);
	run_for(10000);
	ktap(of_prio(&sinks[2], 3) == 11, "a pause of no time ends it");
	send_control(2, 0x0001, 0, 0xffff);
	run_for(1000);
	send_prio(0, 2, 3);
	run_for(10000);
	ktap(of_prio(&sinks[2], 3) == 12, "with PFC a global pause has no effect");
	tear_down();
}

/* A port that holds its frames back has the switch stop. */
static void test_function_pauses(void)
{
	static const uint8_t to[6] = { 2, 0, 0, 0, 0, 2 };
	struct port_qos *qos;
	unsigned int i;

	set_up("rate=10g,pfc=3,buffer=4m");
	learn();
	obey(0x08, false);
	qos = port_qos(ports[2]);
	qos->xoff[3] = 20 * BUFFER_BYTES;
	qos->xon[3] = 10 * BUFFER_BYTES;
	port_qos_changed(ports[2]);
	port_hold(ports[2], true);
	for (i = 0; i < 300; i++)
		send_prio(0, 2, 3);
	run_for(3000000);
	ktap(!sinks[2].n && port_pauses(ports[2], 3).tx > 1 &&
	     port_pauses(ports[2], 3).tx_us > 2000,
	     "a port whose function is stuck pauses the switch, again and again");
	ktap(port_room(ports[0], to) >= 1024 - 23 &&
	     port_switch_counters(ports[2], 3).bytes > 200000,
	     "the frames wait in the switch");
	port_hold(ports[2], false);
	run_for(3000000);
	ktap(sinks[2].n == 300, "all frames arrive when the function goes on");
	tear_down();
}

static void stuck(uint16_t minor_ms, uint16_t critical_ms)
{
	struct port_qos *qos;
	unsigned int i;

	set_up("rate=10g,pfc=3,buffer=4m");
	learn();
	obey(0x08, false);
	qos = port_qos(ports[2]);
	qos->xoff[3] = 20 * BUFFER_BYTES;
	qos->xon[3] = 10 * BUFFER_BYTES;
	qos->stall_minor_ms = minor_ms;
	qos->stall_critical_ms = critical_ms;
	port_qos_changed(ports[2]);
	port_hold(ports[2], true);
	for (i = 0; i < 300; i++)
		send_prio(0, 2, 3);
}

static bool stalls(uint64_t minor, uint64_t critical)
{
	struct port_stalls n = port_stalls(ports[2]);

	return n.minor == minor && n.critical == critical;
}

static void test_stall(void)
{
	unsigned int i;

	stuck(85, 100);
	run_for(84000000);
	ktap(stalls(0, 0), "a function that is stuck for a shorter time is not counted");
	run_for(5000000);
	ktap(stalls(1, 0) && port_switch_counters(ports[2], 3).bytes,
	     "the minor watermark is counted, and the switch stays paused");
	run_for(12000000);
	ktap(stalls(1, 1) && !port_switch_counters(ports[2], 3).bytes &&
	     port_pauses(ports[2], 3).discarded > 270,
	     "from the critical watermark on the port pauses nobody, and drops frames");
	port_hold(ports[2], false);
	run_for(1000000);
	port_hold(ports[2], true);
	for (i = 0; i < 300; i++)
		send_prio(0, 2, 3);
	run_for(50000000);
	port_hold(ports[2], false);
	run_for(1000000);
	ktap(stalls(1, 1) && of_prio(&sinks[2], 3) >= 320,
	     "when the function goes on, pauses are sent again");
	tear_down();

	stuck(6800, 8000);
	run_for(90000000);
	port_hold(ports[2], false);
	run_for(1000);
	port_hold(ports[2], true);
	run_for(6790000000);
	ktap(stalls(0, 0), "a frame that is taken starts the time again");
	run_for(2000000000);
	ktap(stalls(1, 1), "the watermarks of a card without a driver are 6.8 and 8 s");
	tear_down();

	stuck(80, 0);
	run_for(9000000000);
	ktap(stalls(1, 0) && port_switch_counters(ports[2], 3).bytes,
	     "without a critical watermark a stuck function pauses the switch for ever");
	tear_down();
}

static void test_watchdog(void)
{
	unsigned int i;

	set_up("rate=10g,pfc=3,watchdog=10ms");
	learn();
	for (i = 0; i < 20; i++)
		send_prio(0, 2, 3);
	for (i = 0; i < 8; i++) {
		send_control(2, 0x0101, 0x08, 0xffff);
		run_for(1000000);
	}
	ktap(!port_switch_counters(ports[2], 3).storms, "a pause that is shorter is no storm");
	for (i = 0; i < 10; i++) {
		send_control(2, 0x0101, 0x08, 0xffff);
		run_for(1000000);
	}
	ktap(port_switch_counters(ports[2], 3).storms == 1 &&
	     !port_switch_counters(ports[2], 3).bytes,
	     "a port that does not stop pausing loses what the switch holds for it");
	run_for(30000000);
	sinks[2].n = 0;
	send_prio(0, 2, 3);
	run_for(100000);
	ktap(sinks[2].n == 1, "after the storm frames are delivered again");
	tear_down();
}

static void test_class_rate(void)
{
	uint64_t start;
	unsigned int i;

	set_up("rate=10g");
	learn();
	port_qos(ports[0])->max_mbps[3] = 1000;
	port_qos_changed(ports[0]);
	start = clock_ns;
	for (i = 0; i < 101; i++)
		send_prio(0, 2, 3);
	run_for(2000000);
	ktap(sinks[2].n == 101 &&
	     (sinks[2].log[100].ns - sinks[2].log[0].ns) / 1000 == 100 * WIRE_BYTES * 8 / 1000 &&
	     sinks[2].log[0].ns - start < 2000, "a traffic class keeps its rate");
	tear_down();
}

/* Port 0 belongs to a function whose queues send @left frames to port 2 as soon as they may. */
static struct sender {
	struct work work;
	unsigned int left, prio;
} senders[2] = { { .prio = 3 }, { .prio = 4 } };

static void send_more(struct work *work)
{
	static const uint8_t to[6] = { 2, 0, 0, 0, 0, 2 };
	struct sender *sender = container_of(work, struct sender, work);

	for (; sender->left && port_may_send(ports[0], to, sender->prio, 64, work); sender->left--)
		send_prio(0, 2, sender->prio);
}

static void begin_to_send(struct sender *sender, unsigned int frames)
{
	sender->left = frames;
	work_queue(&sender->work);
}

static void test_function_rate(void)
{
	uint64_t apart;

	set_up("rate=10g");
	learn();
	work_init(&senders[0].work, send_more);
	work_init(&senders[1].work, send_more);
	port_set_rate(ports[0], 1000);
	begin_to_send(&senders[0], 101);
	run_for(2000000);
	apart = (sinks[2].log[100].ns - sinks[2].log[0].ns) / 1000;
	ktap(sinks[2].n == 101 && apart == 100 * WIRE_BYTES * 8 / 1000,
	     "a function keeps the rate that it is given");
	begin_to_send(&senders[0], 1000);
	begin_to_send(&senders[1], 1000);
	run_for(1000000);
	ktap(sinks[2].n > 200 && abs((int)senders[0].left - (int)senders[1].left) <= 2,
	     "its queues send in turn");
	port_set_rate(ports[0], 0);
	run_for(2000000);
	ktap(sinks[2].n == 2101, "without a rate it sends at once what waits");
	tear_down();
}

static void test_link_down(void)
{
	unsigned int i;

	set_up("rate=10g,pfc=3,delay=10us");
	learn();
	fill(3, 50);
	run_for(30000);
	port_set_wire(ports[2], false);
	run_for(1000000);
	ktap(sinks[2].n < 100 && !port_switch_counters(ports[2], 3).bytes,
	     "a link that goes down loses what is on it and queued for it");
	i = sinks[2].n;
	port_set_wire(ports[2], true);
	run_for(1000000);
	ktap(sinks[2].n == i, "nothing of that comes later");
	send_prio(2, 0, 3);
	run_for(100000);
	send_prio(0, 2, 3);
	run_for(100000);
	ktap(sinks[2].n == i + 1, "the link works again");
	tear_down();
}

static void test_cable(void)
{
	uint64_t start;
	unsigned int i;

	set_up("rate=10g,delay=1us");
	learn();
	obey(0x08, false);
	port_cable(ports[0], ports[1]);
	start = clock_ns;
	send_prio(0, 3, 3);
	run_for(100000);
	ktap(sinks[1].n == 1 && sinks[1].log[0].ns == start + WIRE_BYTES * 8 / 10 + 1000,
	     "a cable has the rate and delay of one link");
	send_control(1, 0x0101, 0x08, 1000);
	run_for(5000);
	for (i = 0; i < 3; i++)
		send_prio(0, 3, 3);
	run_for(20000);
	ktap(sinks[1].n == 1, "the other end of a cable obeys a pause");
	run_for(100000);
	ktap(sinks[1].n == 4, "and goes on after it");
	tear_down();
}

int main(void)
{
	ktap_plan(0);
	test_settings();
	test_times();
	test_rate();
	test_tail_drop();
	test_schedule();
	test_marks();
	test_curve();
	test_lossless();
	test_obeys();
	test_function_pauses();
	test_stall();
	test_watchdog();
	test_class_rate();
	test_function_rate();
	test_link_down();
	test_cable();
	return ktap_end();
}
