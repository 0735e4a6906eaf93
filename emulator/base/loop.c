// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The event loop: file descriptors, work items; timers are in timer.c.
 *
 * A round polls the descriptors first (without waiting while work is queued), then runs once each
 * work item that was queued when the round began, then the expired timers. Work that requeues
 * itself runs in the next round, so that a busy queue pair never starves a socket.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/base.h"

struct loop_fd {
	void (*fn)(int fd, void *arg);
	void *arg;
};

#define LOOP_FDS_MAX 256

static struct pollfd poll_fds[LOOP_FDS_MAX];
static struct loop_fd loop_fds[LOOP_FDS_MAX];
static unsigned int n_fds;
static bool stopping;
static struct list_head works = LIST_HEAD_INIT(works);
static uint64_t test_clock;
static bool in_work;
static uint64_t asked_ns;	/* work_ns() of the work that runs; 0: not yet */
static bool (*last_fn)(void);
static uint64_t spin_ns;

uint64_t now_ns(void)
{
	struct timespec ts;

	if (test_clock)
		return test_clock;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

uint64_t work_ns(void)
{
	if (!in_work)
		return now_ns();
	if (!asked_ns)
		asked_ns = now_ns();
	return asked_ns;
}

void loop_test_clock(uint64_t ns)
{
	test_clock = ns;
}

void work_init(struct work *work, void (*fn)(struct work *work))
{
	list_init(&work->node);
	work->fn = fn;
}

void work_queue(struct work *work)
{
	if (list_empty(&work->node))
		list_add_tail(&work->node, &works);
}

void work_cancel(struct work *work)
{
	list_del(&work->node);
}

void work_wait(struct work *work, struct list_head *waiting)
{
	if (list_empty(&work->node))
		list_add_tail(&work->node, waiting);
}

void work_wake(struct list_head *waiting)
{
	list_splice_tail(waiting, &works);
}

int loop_add_fd(int fd, void (*fn)(int fd, void *arg), void *arg)
{
	if (n_fds == LOOP_FDS_MAX)
		return -ENOSPC;

	poll_fds[n_fds] = (struct pollfd){ .fd = fd, .events = POLLIN };
	loop_fds[n_fds] = (struct loop_fd){ .fn = fn, .arg = arg };
	n_fds++;
	return 0;
}

static int loop_find_fd(int fd)
{
	unsigned int i;

	for (i = 0; i < n_fds; i++)
		if (poll_fds[i].fd == fd)
			return i;
	return -1;
}

/*
 * The last one takes its place: callers in loop_poll() look at each index again after a callback.
 */
void loop_del_fd(int fd)
{
	int i = loop_find_fd(fd);

	if (i < 0)
		return;
	n_fds--;
	poll_fds[i] = poll_fds[n_fds];
	loop_fds[i] = loop_fds[n_fds];
}

void loop_fd_set_events(int fd, bool readable, bool writable)
{
	int i = loop_find_fd(fd);

	if (i >= 0)
		poll_fds[i].events = (readable ? POLLIN : 0) | (writable ? POLLOUT : 0);
}

bool loop_idle(void)
{
	return list_empty(&works);
}

void loop_set_last(bool (*fn)(void))
{
	last_fn = fn;
}

/*
 * The work of this round moves to a list of its own head; cancelling or destroying an item takes it
 * off whichever list it is on.
 */
bool loop_run_pending(void)
{
	struct list_head batch = LIST_HEAD_INIT(batch);
	struct work *work;

	list_splice_tail(&works, &batch);
	in_work = true;
	while (!list_empty(&batch)) {
		work = list_first_entry(&batch, struct work, node);
		list_del(&work->node);
		asked_ns = 0;
		work->fn(work);
	}
	in_work = false;
	timers_run(LOOP_SLICE);
	if (last_fn && last_fn())
		return true;
	return !loop_idle();
}

/*
 * How long a round may wait: not at all with work left, else until the first timer; NULL: for ever.
 */
static struct timespec *wait_time(struct timespec *ts)
{
	const struct timer *first = timer_first();
	uint64_t now, delay = 0;

	if (list_empty(&works)) {
		if (!first)
			return NULL;
		now = now_ns();
		delay = first->due_ns > now ? first->due_ns - now : 0;
	}
	ts->tv_sec = delay / 1000000000;
	ts->tv_nsec = delay % 1000000000;
	return ts;
}

void loop_set_spin(unsigned int us)
{
	spin_ns = us * 1000ull;
}

/* Looks for events again and again, as long as is asked for and no timer has to run. */
static int spin(void)
{
	static const struct timespec none;
	const struct timer *first = timer_first();
	uint64_t end = now_ns() + spin_ns;
	int n = 0;

	if (first && first->due_ns < end)
		end = first->due_ns;
	while (!n && now_ns() < end)
		n = ppoll(poll_fds, n_fds, &none, NULL);
	return n;
}

/*
 * A callback may add and remove descriptors: one that is skipped or moved by that is still ready in
 * the next round.
 */
static int loop_poll(void)
{
	struct timespec ts;
	unsigned int i;
	short ready;
	int n = 0;

	if (spin_ns && list_empty(&works))
		n = spin();
	if (!n)
		n = ppoll(poll_fds, n_fds, wait_time(&ts), NULL);
	if (n < 0)
		return errno == EINTR ? 0 : -errno;

	for (i = 0; n > 0 && i < n_fds; i++) {
		ready = poll_fds[i].revents;
		if (!ready)
			continue;
		poll_fds[i].revents = 0;
		n--;
		loop_fds[i].fn(poll_fds[i].fd, loop_fds[i].arg);
	}
	return 0;
}

int loop_run(void)
{
	int err = 0;

	/* Timers are in microseconds; by default the kernel may be 50 late. */
	prctl(PR_SET_TIMERSLACK, 1000);
	stopping = false;
	while (!stopping && !err) {
		err = loop_poll();
		loop_run_pending();
	}
	return err;
}

void loop_stop(void)
{
	stopping = true;
}
