/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * vtime: the time of a wire with a rate, in picoseconds, and what happens when.
 *
 * It is never ahead of the real time, and stands still as long as there is work in the loop, for
 * 50 ms at most: what functions do about a frame takes no time on the wire, however slow the host
 * is, but one that is never done does not stop the wire of all others. If that makes it late, its
 * events follow each other as fast as the host can, each at its own time. Events of the same time
 * happen in the order in which they were set.
 */
#ifndef CXEMU_VTIME_H
#define CXEMU_VTIME_H

#include "base/base.h"

#define PS_PER_NS 1000ull
#define PS_PER_US 1000000ull

struct vevent {
	uint64_t due_ps, seq;
	unsigned int slot;	/* in the heap, from 1; 0: not set */
	void (*fn)(struct vevent *event);
};

uint64_t vtime_ps(void);
void vevent_init(struct vevent *event, void (*fn)(struct vevent *event));
/* At @due_ps, or now if that is over; moves an event that is set. */
void vevent_set(struct vevent *event, uint64_t due_ps);
void vevent_cancel(struct vevent *event);
bool vevent_is_set(const struct vevent *event);
uint64_t vtime_late_ns(void);	/* how far it is behind the real time */
/* For tests: now_ns() at which the next event is due; UINT64_MAX: none is set. */
uint64_t vtime_next_ns(void);

#endif
