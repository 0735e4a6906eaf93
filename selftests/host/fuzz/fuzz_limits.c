// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Queue sizes as any program may request them; each answer keeps the invariants. */
#include <stdlib.h>

#include "limits_walk.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct source from = { .at = data, .left = size };
	unsigned int taken = 0;
	struct cxr_limits l;

	while (from.left) {
		l = draw_limits(&from);
		if (walk_qp(&l, &from, &taken) || walk_user_qp(&l, &from, &taken) ||
		    walk_others(&l, &from, &taken))
			abort();
	}
	return 0;
}
