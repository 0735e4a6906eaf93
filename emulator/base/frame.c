// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Frames are allocated from a pool of freed ones. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

#define POOL_MAX 2048	/* free frames in the pool */

static struct list_head pool = LIST_HEAD_INIT(pool);
static unsigned int pool_len;

struct frame *frame_alloc(uint32_t len)
{
	struct frame *frame;

	if (len > FRAME_MAX)
		return NULL;

	if (!list_empty(&pool)) {
		frame = list_first_entry(&pool, struct frame, node);
		list_del(&frame->node);
		pool_len--;
	} else {
		frame = malloc(sizeof(*frame));
		if (!frame)
			return NULL;
		list_init(&frame->node);
	}

	frame->from = NULL;
	frame->td = 0;
	frame->in = NULL;
	frame->prio = 0;
	frame->wrong_bits = 0;
	frame->finish = NULL;
	frame->len = len;
	return frame;
}

void frame_free(struct frame *frame)
{
	if (!frame)
		return;

	if (pool_len >= POOL_MAX) {
		free(frame);
		return;
	}

	list_add(&frame->node, &pool);
	pool_len++;
}

void frame_pool_drain(void)
{
	while (!list_empty(&pool)) {
		struct frame *frame = list_first_entry(&pool, struct frame, node);

		list_del(&frame->node);
		free(frame);
	}
	pool_len = 0;
}

struct frame *frame_copy(const struct frame *frame)
{
	struct frame *copy = frame_alloc(frame->len);

	if (!copy)
		return NULL;
	copy->from = frame->from;
	copy->td = frame->td;
	copy->finish = frame->finish;
	memcpy(copy->data, frame->data, frame->len);
	return copy;
}

void frame_finish(struct frame *frame)
{
	if (frame->finish)
		frame->finish(frame);
	frame->finish = NULL;
}
