// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The rate that an administrator allows a function, on a wire with a rate: its queues wait before
 * their next frame until the last one would have left at that rate.
 */
#include "wire/physics.h"

/* In turn: who is woken first sends, and the others have to wait again, behind it. */
static void is_over(struct vevent *event)
{
	struct list_head *waiting = &container_of(event, struct limit, over)->waiting;
	struct work *first;

	if (list_empty(waiting))
		return;
	first = list_first_entry(waiting, struct work, node);
	list_del(&first->node);
	list_add_tail(&first->node, waiting);
	work_wake(waiting);
}

void limit_init(struct limit *limit)
{
	list_init(&limit->waiting);
	vevent_init(&limit->over, is_over);
}

void limit_set(struct limit *limit, uint32_t mbps)
{
	limit->mbps = mbps;
	limit->until_ps = 0;
	vevent_cancel(&limit->over);
	work_wake(&limit->waiting);
}

bool limit_passes(struct limit *limit, struct work *work)
{
	if (!limit->mbps || limit->until_ps <= vtime_ps())
		return true;
	work_wait(work, &limit->waiting);
	vevent_set(&limit->over, limit->until_ps);
	return false;
}

void limit_sent(struct limit *limit, const struct frame *frame)
{
	uint64_t now = vtime_ps();

	if (!limit->mbps)
		return;
	if (limit->until_ps < now)
		limit->until_ps = now;
	limit->until_ps += frame_ps(frame, limit->mbps);
}
