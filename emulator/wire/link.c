// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * A link: one direction of a cable, with the queues of its sender.
 *
 * MAC control frames go first. Of the classes that have a frame, are not paused and not above their
 * rate, the highest group is served, and within it the class with the smallest tag: the bytes it
 * has had, divided by its weight. A class that was idle starts at the tag of its group, so it has
 * no credit for that time. Priorities of one class take turns.
 */
#include <string.h>

#include "wire/physics.h"

#define FCS 4
#define TAG_UNIT 1000
#define GAP_BYTES 20		/* preamble and gap between frames */
#define QUANTUM_BITS 512

uint32_t wire_bytes(const struct frame *frame)
{
	return frame->len + FCS;
}

static uint64_t ps_at(uint64_t bytes, uint64_t mbps)
{
	return bytes * 8 * PS_PER_US / mbps;
}

uint64_t frame_ps(const struct frame *frame, uint64_t mbps)
{
	return ps_at(wire_bytes(frame) + GAP_BYTES, mbps);
}

/* ---- pauses ---- */

bool link_paused(const struct link *link, unsigned int prio)
{
	return !(link->ignored & 1u << prio) && link->paused_until[prio] > vtime_ps();
}

/* A pause may have ended by itself since anybody looked. */
static void account_pause(struct link *link, unsigned int prio)
{
	uint64_t now = vtime_ps(), until = link->paused_until[prio];

	if (!link->paused_since[prio])
		return;
	if (until < now)
		now = until;
	link->pause_ps[prio] += now - link->paused_since[prio];
	link->paused_since[prio] = now;
	if (until > now)
		return;
	link->paused_since[prio] = 0;
	link->resumed[prio]++;
}

uint64_t link_pause_ps(struct link *link, unsigned int prio)
{
	account_pause(link, prio);
	return link->pause_ps[prio];
}

void link_pause(struct link *link, unsigned int prio, uint16_t quanta)
{
	uint64_t now = vtime_ps();

	account_pause(link, prio);
	link->pauses[prio]++;
	link->paused_until[prio] = now + ps_at(quanta * (QUANTUM_BITS / 8), physics.rate_mbps);
	if (quanta && !link->paused_since[prio])
		link->paused_since[prio] = now;
	account_pause(link, prio);
	if (link->down)
		watchdog_paused(port_physics(link->port), prio);
	link_kick(link);
}

/* ---- the choice ---- */

static unsigned int class_of(const struct link *link, unsigned int prio)
{
	return link->schedule->class[prio];
}

/* When this priority may send; UINT64_MAX: it has nothing. */
static uint64_t ready_at(const struct link *link, unsigned int prio)
{
	uint64_t at = link->rate_ps[class_of(link, prio)];

	if (!link->len[prio])
		return UINT64_MAX;
	if (!(link->ignored & 1u << prio) && link->paused_until[prio] > at)
		at = link->paused_until[prio];
	return at;
}

/* Should @a go before @b? @b < 0: it is the first. */
static bool goes_first(const struct link *link, unsigned int a, int b)
{
	unsigned int one = class_of(link, a), two;
	const struct schedule *s = link->schedule;

	if (b < 0)
		return true;
	two = class_of(link, b);
	if (s->group[one] != s->group[two])
		return s->group[one] > s->group[two];
	return one != two && link->tag[one] < link->tag[two];
}

/* The priority to serve; -1: none yet, and *retry_ps is when to look again. */
static int choose(const struct link *link, uint64_t now, uint64_t *retry_ps)
{
	unsigned int i, prio;
	int best = -1;
	uint64_t at;

	*retry_ps = UINT64_MAX;
	for (i = 1; i <= PRIORITIES; i++) {
		prio = (link->turn + i) % PRIORITIES;
		at = ready_at(link, prio);
		if (at <= now && goes_first(link, prio, best))
			best = prio;
		else if (at > now && at < *retry_ps)
			*retry_ps = at;
	}
	return best;
}

static struct frame *take(struct link *link, unsigned int prio, uint64_t now)
{
	struct frame *frame = list_first_entry(&link->queue[prio], struct frame, node);
	unsigned int class = class_of(link, prio), group = link->schedule->group[class];
	uint32_t mbps = link->schedule->max_mbps[class];
	unsigned int weight = link->schedule->weight[class];

	list_del(&frame->node);
	link->len[prio]--;
	link->bytes[prio] -= wire_bytes(frame);
	link->turn = prio;
	link->served[prio]++;
	link->group_tag[group] = link->tag[class];
	link->tag[class] += (wire_bytes(frame) + GAP_BYTES) * TAG_UNIT / (weight ? weight : 1);
	if (mbps)
		link->rate_ps[class] = (link->rate_ps[class] > now ? link->rate_ps[class] : now) +
				       frame_ps(frame, mbps);
	return frame;
}

void link_kick(struct link *link)
{
	uint64_t now = vtime_ps(), retry;
	struct frame *frame;
	int prio;

	if (link->sending)
		return;
	link->sending_control = !list_empty(&link->control);
	if (link->sending_control) {
		frame = list_first_entry(&link->control, struct frame, node);
		list_del(&frame->node);
		link->control_len--;
	} else {
		prio = choose(link, now, &retry);
		if (prio < 0 && retry != UINT64_MAX)
			vevent_set(&link->retry, retry);
		if (prio < 0)
			return;
		frame = take(link, prio, now);
	}
	vevent_cancel(&link->retry);
	link->sending = frame;
	vevent_set(&link->done, now + frame_ps(frame, physics.rate_mbps));
}

static void retry(struct vevent *event)
{
	link_kick(container_of(event, struct link, retry));
}

/* ---- frames ---- */

/* One of those that wait for room in this queue may send; then it waits behind the others. */
static void wake_one(struct link *link, unsigned int prio)
{
	struct work *work;

	if (list_empty(&link->waiting[prio]))
		return;
	work = list_first_entry(&link->waiting[prio], struct work, node);
	list_del(&work->node);
	work_queue(work);
}

static void done(struct vevent *event)
{
	struct link *link = container_of(event, struct link, done);
	struct frame *frame = link->sending;
	unsigned int prio = frame->prio;
	bool control = link->sending_control;

	link->sending = NULL;
	frame->due_ps = vtime_ps() + physics.delay_ps;
	list_add_tail(&frame->node, &link->flying);
	if (!vevent_is_set(&link->arrival))
		vevent_set(&link->arrival, frame->due_ps);
	if (!control) {
		link->sent(link, frame);
		do
			wake_one(link, prio);
		while (!link->len[prio] && !list_empty(&link->waiting[prio]));
	}
	link_kick(link);
}

static void arrival(struct vevent *event)
{
	struct link *link = container_of(event, struct link, arrival);
	struct frame *frame = list_first_entry(&link->flying, struct frame, node);

	list_del(&frame->node);
	if (!list_empty(&link->flying))
		vevent_set(event, list_first_entry(&link->flying, struct frame, node)->due_ps);
	link->arrived(link, frame);
}

void link_queue(struct link *link, struct frame *frame)
{
	unsigned int prio = frame->prio, class = class_of(link, prio);
	unsigned int group = link->schedule->group[class];

	if (!link->len[prio] && link->tag[class] < link->group_tag[group])
		link->tag[class] = link->group_tag[group];
	list_add_tail(&frame->node, &link->queue[prio]);
	link->len[prio]++;
	link->bytes[prio] += wire_bytes(frame);
	link_kick(link);
}

void link_queue_control(struct link *link, struct frame *frame)
{
	if (!port_link_up(link->port)) {
		frame_free(frame);
		return;
	}
	list_add_tail(&frame->node, &link->control);
	link->control_len++;
	link_kick(link);
}

/* ---- life ---- */

void link_init(struct link *link, struct port *port, bool down, const struct schedule *schedule)
{
	unsigned int i;

	link->port = port;
	link->down = down;
	link->schedule = schedule;
	for (i = 0; i < PRIORITIES; i++) {
		list_init(&link->queue[i]);
		list_init(&link->waiting[i]);
	}
	list_init(&link->control);
	list_init(&link->flying);
	vevent_init(&link->done, done);
	vevent_init(&link->arrival, arrival);
	vevent_init(&link->retry, retry);
}

void link_drop_queue(struct link *link, unsigned int prio,
		     void (*drop)(struct link *link, struct frame *frame))
{
	while (!list_empty(&link->queue[prio])) {
		struct frame *frame = list_first_entry(&link->queue[prio], struct frame, node);

		list_del(&frame->node);
		link->len[prio]--;
		link->bytes[prio] -= wire_bytes(frame);
		if (drop)
			drop(link, frame);
		frame_free(frame);
	}
}

static void free_list(struct list_head *frames)
{
	while (!list_empty(frames)) {
		struct frame *frame = list_first_entry(frames, struct frame, node);

		list_del(&frame->node);
		frame_free(frame);
	}
}

void link_release_waiting(struct link *link)
{
	unsigned int i;

	for (i = 0; i < PRIORITIES; i++)
		while (!list_empty(&link->waiting[i]))
			wake_one(link, i);
}

void link_reset(struct link *link, void (*drop)(struct link *link, struct frame *frame))
{
	unsigned int i;

	for (i = 0; i < PRIORITIES; i++) {
		link_drop_queue(link, i, drop);
		if (link->paused_until[i] > vtime_ps())
			link->paused_until[i] = vtime_ps();
		account_pause(link, i);
		link->rate_ps[i] = 0;
	}
	link->ignored = 0;
	/* what was dropped may have had its sender go on, by a frame on this link */
	if (link->sending && drop && !link->sending_control)
		drop(link, link->sending);
	frame_free(link->sending);
	link->sending = NULL;
	vevent_cancel(&link->done);
	vevent_cancel(&link->arrival);
	vevent_cancel(&link->retry);
	free_list(&link->control);
	link->control_len = 0;
	free_list(&link->flying);
	link_release_waiting(link);
}
