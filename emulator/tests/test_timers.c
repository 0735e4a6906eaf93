// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Timers expire in order, whatever was armed, moved, cancelled; many cost no more than few. */
#include <stdlib.h>

#include "base/base.h"
#include "ktap.h"

#define MANY		20000u
#define FEW		10u
#define ORDERED		2000u
#define MOVES		20000u
#define START_NS	1000000000ull
#define FAR_NS		1000000000000ull

struct probe {
	struct timer timer;
	uint64_t due;
	unsigned int order;	/* of its last arming */
	bool armed;
	unsigned int fired;
};

static struct probe probes[MANY];
static unsigned int armings, n_fired;
static struct probe *fired[ORDERED];
static uint32_t seed = 12345;

static uint32_t random_below(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

static void on_timer(struct timer *timer)
{
	struct probe *probe = container_of(timer, struct probe, timer);

	probe->fired++;
	if (n_fired < ORDERED)
		fired[n_fired++] = probe;
}

static void arm(struct probe *probe, uint64_t now, uint64_t delay)
{
	timer_arm(&probe->timer, delay);
	probe->due = now + delay;
	probe->order = armings++;
	probe->armed = true;
}

static int by_due(const void *a, const void *b)
{
	const struct probe *x = *(struct probe *const *)a, *y = *(struct probe *const *)b;

	if (x->due != y->due)
		return x->due < y->due ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* Many share a due time: they expire as they were armed. */
static void test_order(void)
{
	struct probe *want[ORDERED];
	unsigned int i, n = 0;
	bool good = true;

	loop_test_clock(START_NS);
	for (i = 0; i < ORDERED; i++)
		timer_init(&probes[i].timer, on_timer);
	for (i = 0; i < 8 * ORDERED; i++) {
		struct probe *probe = &probes[random_below(ORDERED)];

		if (random_below(4)) {
			arm(probe, START_NS, 1000 * random_below(300));
		} else {
			timer_cancel(&probe->timer);
			probe->armed = false;
		}
		good &= timer_armed(&probe->timer) == probe->armed;
	}
	ktap(good, "a timer is armed from its arming to its cancelling");
	for (i = 0; i < ORDERED; i++)
		if (probes[i].armed)
			want[n++] = &probes[i];
	qsort(want, n, sizeof(want[0]), by_due);

	for (i = 0; i < 300 && good; i++) {
		unsigned int before, k;

		loop_test_clock(START_NS + 1000 * i);
		do {
			before = n_fired;
			loop_run_pending();
		} while (n_fired != before);
		for (k = 0; k < n_fired; k++)
			good &= fired[k]->due <= START_NS + 1000 * i;
	}
	ktap(good, "no timer expires before its time");
	good = n_fired == n;
	for (i = 0; good && i < n; i++)
		good = fired[i] == want[i] && fired[i]->fired == 1;
	ktap(good, "timers expire once, by time and then in the order in which they were armed");
}

static struct timer chain[2];
static unsigned int chain_runs;

static void on_chain(struct timer *timer)
{
	if (++chain_runs > 10)
		return;
	timer_arm(timer, 0);
	timer_cancel(&chain[timer == &chain[0]]);
}

static void test_from_callback(void)
{
	unsigned int i;

	timer_init(&chain[0], on_chain);
	timer_init(&chain[1], on_chain);
	timer_arm(&chain[0], 0);
	timer_arm(&chain[1], 0);
	for (i = 0; i < 20; i++)
		loop_run_pending();
	ktap(chain_runs == 11 && !timer_armed(&chain[0]) && !timer_armed(&chain[1]),
	     "a callback may arm its own timer and cancel another");
}

/* Seconds to move a timer that is due before @n others. */
static double cost_beside(unsigned int n)
{
	struct timer busy;
	unsigned int i;
	double t;

	timer_init(&busy, on_timer);
	for (i = 0; i < n; i++) {
		timer_init(&probes[i].timer, on_timer);
		timer_arm(&probes[i].timer, FAR_NS + i);
	}
	t = cpu_seconds();
	for (i = 0; i < MOVES; i++)
		timer_arm(&busy, 1000000 + i);
	t = cpu_seconds() - t;
	timer_cancel(&busy);
	for (i = 0; i < n; i++)
		timer_cancel(&probes[i].timer);
	return t;
}

static void test_cost(void)
{
	double few = cost_beside(FEW), many = cost_beside(MANY);

	printf("# %u moves: %.6f s beside %u timers, %.6f s beside %u\n", MOVES, few, FEW, many,
	       MANY);
	ktap(many < 20 * few + 0.05, "moving a timer costs no more beside many others");
}

int main(void)
{
	ktap_plan(0);
	test_order();
	test_from_callback();
	test_cost();
	return ktap_end();
}
