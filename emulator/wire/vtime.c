// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Virtual time: a binary heap of events, run at the end of a round of the loop. */
#include <stdlib.h>

#include "wire/vtime.h"

#define EVENTS_A_ROUND 64
#define PATIENCE_PS (50000 * PS_PER_US)	/* 50 ms */

static struct vevent **heap; /* from 1 */
static unsigned int n_events, room;
static uint64_t epoch_ns, now_ps = 1, next_seq; /* a time is never 0 */
static struct timer wakeup;
static bool started;

/* ---- the clock ---- */

static bool run_events(void);

/* Wakes the loop up, whose end of a round runs what is due. */
static void woken(struct timer *timer)
{
	(void)timer;
}

static void start(void)
{
	if (started)
		return;
	started = true;
	epoch_ns = now_ns();
	timer_init(&wakeup, woken);
	loop_set_last(run_events);
}

/* The real time, by the wire's epoch: a test may have moved its clock back. */
static uint64_t real_ps(void)
{
	uint64_t ns = now_ns();

	return ns > epoch_ns ? (ns - epoch_ns) * PS_PER_NS : 0;
}

uint64_t vtime_ps(void)
{
	uint64_t t;

	start();
	t = real_ps();
	if (n_events && heap[1]->due_ps < t)
		t = heap[1]->due_ps;
	if (t > now_ps)
		now_ps = t;
	return now_ps;
}

uint64_t vtime_late_ns(void)
{
	uint64_t now = vtime_ps(), real = real_ps();

	return real > now ? (real - now) / PS_PER_NS : 0;
}

static uint64_t due_ns(const struct vevent *event)
{
	return epoch_ns + (event->due_ps + PS_PER_NS - 1) / PS_PER_NS;
}

uint64_t vtime_next_ns(void)
{
	return n_events ? due_ns(heap[1]) : UINT64_MAX;
}

/* ---- the heap ---- */

static bool before(const struct vevent *a, const struct vevent *b)
{
	return a->due_ps != b->due_ps ? a->due_ps < b->due_ps : a->seq < b->seq;
}

static void place(struct vevent *event, unsigned int slot)
{
	heap[slot] = event;
	event->slot = slot;
}

static void sift(struct vevent *event, unsigned int slot)
{
	unsigned int child;

	for (; slot > 1 && before(event, heap[slot / 2]); slot /= 2)
		place(heap[slot / 2], slot);
	for (; 2 * slot <= n_events; slot = child) {
		child = 2 * slot;
		if (child < n_events && before(heap[child + 1], heap[child]))
			child++;
		if (!before(heap[child], event))
			break;
		place(heap[child], slot);
	}
	place(event, slot);
}

void vevent_init(struct vevent *event, void (*fn)(struct vevent *event))
{
	event->slot = 0;
	event->fn = fn;
}

bool vevent_is_set(const struct vevent *event)
{
	return event->slot;
}

void vevent_cancel(struct vevent *event)
{
	unsigned int slot = event->slot;
	struct vevent *last;

	if (!slot)
		return;
	event->slot = 0;
	last = heap[n_events--];
	if (last != event)
		sift(last, slot);
}

static void grow(void)
{
	if (n_events + 2 <= room)
		return;
	room = room ? 2 * room : 64;
	heap = realloc(heap, room * sizeof(*heap));
	if (!heap)
		abort();	/* one for each link and queue pair: a few bytes each */
}

static void wake_up_for_first(void)
{
	uint64_t now = now_ns(), due;

	if (!n_events) {
		timer_cancel(&wakeup);
		return;
	}
	due = due_ns(heap[1]);
	timer_arm(&wakeup, due > now ? due - now : 0);
}

void vevent_set(struct vevent *event, uint64_t due_ps)
{
	uint64_t now = vtime_ps();

	vevent_cancel(event);
	grow();
	event->due_ps = due_ps > now ? due_ps : now;
	event->seq = next_seq++;
	n_events++;
	sift(event, n_events);
	if (event->slot == 1)
		wake_up_for_first();
}

/* The wire waits for functions that have work, but not for one that is never done. */
static bool patient(uint64_t real)
{
	static uint64_t since_ps;	/* there has been work at the end of each round */
	static bool busy;

	if (!busy || real < since_ps)
		since_ps = real;
	busy = !loop_idle();
	return real - since_ps < PATIENCE_PS;
}

/* True: more are due, and nothing keeps them from being run in the next round. */
static bool run_events(void)
{
	uint64_t real = real_ps();
	unsigned int budget = EVENTS_A_ROUND;
	bool waits = patient(real);
	struct vevent *event;

	if (waits && !loop_idle())
		return false;
	while (budget-- && n_events && heap[1]->due_ps <= real && (loop_idle() || !waits)) {
		event = heap[1];
		if (event->due_ps > now_ps)
			now_ps = event->due_ps;
		vevent_cancel(event);
		event->fn(event);
	}
	wake_up_for_first();
	return n_events && heap[1]->due_ps <= real;
}
