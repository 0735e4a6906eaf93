/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Walks over a WQE, and what must hold whatever is in it. */
#ifndef FAULT_WALK_H
#define FAULT_WALK_H

#include <stdlib.h>
#include <string.h>
#include "host.h"
#include "codec/fault.h"

#define WALK_ROOM 64	/* segments of the largest WQE */

struct walked {
	int ret;		/* of the last step, or of the beginning */
	unsigned int n;
	struct cxr_fault_range range[WALK_ROOM];
};

/* From memory of exactly @len bytes, so that ASan sees what is read behind them. */
static inline struct walked walk_wqe(const struct cxr_fault_wqe *what, const void *wqe, u32 len)
{
	struct walked w = { .n = 0 };
	struct cxr_fault_range range;
	struct cxr_fault_walk walk;
	void *copy = malloc(len ? len : 1);

	memcpy(copy, wqe, len);
	w.ret = cxr_fault_walk_begin(&walk, what, copy, len);
	while (!w.ret && (w.ret = cxr_fault_walk_next(&walk, &range)) > 0) {
		if (w.n == WALK_ROOM)
			abort();
		w.range[w.n++] = range;
		w.ret = 0;
	}
	free(copy);
	return w;
}

/* False: it asks for more than a fault may, or for nothing. */
static inline bool walked_well(const struct walked *w)
{
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i < w->n; i++) {
		if (!w->range[i].len)
			return false;
		sum += w->range[i].len;
	}
	return sum <= CXR_FAULT_BYTES && w->ret <= 0;
}

#endif
