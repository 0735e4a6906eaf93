// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Timers, in a pairing heap by due time.
 *
 * Each queue pair with packets under way has one armed timer that nearly every acknowledgment moves
 * further out. That is O(1) here, whatever the other timers are: the timer is cut out of the heap,
 * where it mostly has no children, and becomes a child of the root. Only the removal of the first
 * one takes longer, O(log n) in the mean. Timers with the same due time expire in the order in
 * which they were armed.
 */
#include "base/base.h"

static struct timer *first;	/* the root, due before all others */
static uint64_t armed_count;	/* tells those with the same due time apart */

static bool comes_before(const struct timer *a, const struct timer *b)
{
	return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->order < b->order;
}

/* The root of both heaps together; either may be NULL. */
static struct timer *meld(struct timer *a, struct timer *b)
{
	struct timer *top = a, *below = b;

	if (!a || !b)
		return a ? a : b;
	if (comes_before(b, a)) {
		top = b;
		below = a;
	}
	below->next = top->child;
	if (below->next)
		below->next->prev = below;
	below->prev = top;
	top->child = below;
	return top;
}

/* Makes one heap of a list of siblings: pairs from the left, then all pairs from the right. */
static struct timer *meld_siblings(struct timer *list)
{
	struct timer *pairs = NULL, *root = NULL, *a, *b;

	while (list) {
		a = list;
		b = a->next;
		list = b ? b->next : NULL;
		a->next = NULL;
		if (b)
			b->next = NULL;
		a = meld(a, b);
		a->next = pairs;
		pairs = a;
	}
	while (pairs) {
		a = pairs;
		pairs = a->next;
		a->next = NULL;
		root = meld(root, a);
	}
	if (root)
		root->prev = NULL;
	return root;
}

/* A first child has its parent in prev, the others their left neighbour. */
static void cut(struct timer *timer)
{
	struct timer *prev = timer->prev;

	if (prev->child == timer)
		prev->child = timer->next;
	else
		prev->next = timer->next;
	if (timer->next)
		timer->next->prev = prev;
	timer->next = NULL;
	timer->prev = NULL;
}

void timer_init(struct timer *timer, void (*fn)(struct timer *timer))
{
	*timer = (struct timer){ .fn = fn };
}

void timer_arm(struct timer *timer, uint64_t delay_ns)
{
	timer_cancel(timer);
	timer->due_ns = now_ns() + delay_ns;
	timer->order = armed_count++;
	timer->armed = true;
	first = meld(first, timer);
}

void timer_cancel(struct timer *timer)
{
	struct timer *children;

	if (!timer->armed)
		return;
	timer->armed = false;
	children = meld_siblings(timer->child);
	timer->child = NULL;
	if (timer == first) {
		first = children;
		return;
	}
	cut(timer);
	first = meld(first, children);
}

bool timer_armed(const struct timer *timer)
{
	return timer->armed;
}

const struct timer *timer_first(void)
{
	return first;
}

void timers_run(unsigned int budget)
{
	uint64_t now = now_ns();
	struct timer *timer;

	while (budget-- && first && first->due_ns <= now) {
		timer = first;
		timer_cancel(timer);
		timer->fn(timer);
	}
}
