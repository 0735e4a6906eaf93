// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The memory of the host that a guest can make its function take: objects, lists of pages and keys,
 * flow table entries. A card has memory for them that the driver gives it; here they are the
 * process's, which serves other guests as well.
 */
#include <stdlib.h>

#include "func/func.h"

struct block {
	struct cxdev *dev;
	size_t bytes;
} __attribute__((aligned(16)));	/* what follows may hold anything */

uint64_t budget_bytes = 512ull << 20;

/* Once until a quarter of it is free again. */
static void tell(struct cxdev *dev)
{
	struct hca_state *hca = dev->hca;

	if (!hca->budget_told)
		notice(dev, "the function's %llu MiB of host memory are used up: no more objects",
		       (unsigned long long)budget_bytes >> 20);
	hca->budget_told = true;
}

void *budget_alloc(struct cxdev *dev, uint64_t n, size_t size)
{
	struct hca_state *hca = dev->hca;
	struct block *block;
	uint64_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes) ||
	    __builtin_add_overflow(bytes, sizeof(*block), &bytes) ||
	    bytes > budget_bytes || hca->budget_used > budget_bytes - bytes) {
		tell(dev);
		return NULL;
	}
	block = calloc(1, bytes);
	if (!block)
		return NULL;
	block->dev = dev;
	block->bytes = bytes;
	hca->budget_used += bytes;
	if (hca->budget_used > hca->budget_peak)
		hca->budget_peak = hca->budget_used;
	return block + 1;
}

void budget_free(void *p)
{
	struct block *block = p;
	struct hca_state *hca;

	if (!p)
		return;
	block--;
	hca = block->dev->hca;
	hca->budget_used -= block->bytes;
	if (hca->budget_used < budget_bytes / 4 * 3)
		hca->budget_told = false;
	free(block);
}

int budget_refuse(struct cmd *c)
{
	return decline(c, PRM_STATUS_NO_RES, "the function's host memory is used up");
}
