// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Queue memory: a list of guest pages that is addressed as one range. */
#include <stdlib.h>
#include <string.h>

#include "queue/queue.h"

#define ADAPTER_LOG_PAGE 12
#define LOG_PAGE_MAX	 43
#define LOG_PAGE_OFFSETS 6 /* places in a page where a queue may begin */

int pages_get(struct cmd *c, struct pages *pages, const void *tail, uint64_t bytes,
	      unsigned int log_page_size, unsigned int page_offset)
{
	uint64_t at = (const uint8_t *)tail - (const uint8_t *)c->in;
	unsigned int log_size = log_page_size + ADAPTER_LOG_PAGE;
	uint64_t n, pa;
	uint32_t i;
	__be64 be;

	memset(pages, 0, sizeof(*pages));
	if (log_size > LOG_PAGE_MAX)
		return refuse(c, PRM_STATUS_BAD_PARAM, "log_page_size %u is not one of 12..43",
			      log_size);
	pages->log_size = log_size;
	pages->offset = (uint64_t)page_offset << (log_size - LOG_PAGE_OFFSETS);
	n = (bytes + pages->offset + (1ull << log_size) - 1) >> log_size;
	if (at > c->in_len || (c->in_len - at) / 8 < n)
		return refuse(c, PRM_STATUS_BAD_INP_LEN,
			      "%llu pages are needed, the input has no room for them",
			      (unsigned long long)n);
	pages->pa = budget_alloc(c->dev, n, sizeof(*pages->pa));
	if (!pages->pa)
		return budget_refuse(c);
	for (i = 0; i < n; i++) {
		memcpy(&be, (const uint8_t *)tail + 8 * i, sizeof(be));
		pa = be64_to_cpu(be);
		if (pa & ((1ull << log_size) - 1)) {
			pages_free(pages);
			return refuse(c, PRM_STATUS_BAD_PARAM,
				      "page %u: address 0x%llx is not aligned to 2^%u", i,
				      (unsigned long long)pa, log_size);
		}
		pages->pa[i] = pa;
	}
	pages->n = n;
	return 0;
}

int pages_get_umem(struct cmd *c, struct pages *pages, const struct umem_part *part, uint64_t bytes,
		   uint64_t align, uint64_t access, unsigned int page_offset)
{
	struct umem *umem;

	if (page_offset)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "page_offset %u: a queue begins at an offset of its umem",
			      page_offset);
	umem = umem_hold(c, part, bytes, align, access);
	if (!umem)
		return -1;
	*pages = (struct pages){ .pa = umem->mtt,
				 .n = umem->n,
				 .log_size = umem->log_page,
				 .offset = umem->offset + part->offset,
				 .umem = umem };
	return 0;
}

int dbr_get(struct cmd *c, const struct umem_part *at, unsigned int bytes, bool queue_in_umem,
	    struct umem **umem, uint64_t *dbr)
{
	*dbr = at->offset;
	/* Drivers set both for a program's own command, none for a queue of their own making. */
	if (c->uid && at->valid != queue_in_umem)
		return refuse_driver(c, PRM_STATUS_BAD_PARAM,
				     "dbr_umem_valid is %u, of the queue's memory it is %u",
				     at->valid, queue_in_umem);
	if (!at->valid)
		return 0;
	*umem = umem_hold(c, at, bytes, bytes, MTT_READ);
	if (!*umem)
		return -1;
	*dbr = umem_addr(*umem, at->offset);
	return 0;
}

void pages_free(struct pages *pages)
{
	if (pages->umem)
		obj_put(pages->umem);
	else
		budget_free(pages->pa);
	memset(pages, 0, sizeof(*pages));
}

/* An access is smaller than a page and seldom crosses from one into the next. */
static int pages_copy(struct cxdev *dev, const struct pages *pages, uint64_t off, void *buf,
		      size_t len, bool write)
{
	uint64_t at = off + pages->offset, size = 1ull << pages->log_size;
	uint64_t page = at >> pages->log_size, in_page = at & (size - 1), room = size - in_page;
	uint64_t pa;
	int err;

	if (len > room) {
		err = pages_copy(dev, pages, off, buf, room, write);
		return err ? err : pages_copy(dev, pages, off + room, (uint8_t *)buf + room,
					      len - room, write);
	}
	if (page >= pages->n)
		return -1;
	pa = (pages->pa[page] & ~MTT_ACCESS) + in_page;
	return write ? guest_write(dev, pa, buf, len) : guest_read(dev, pa, buf, len);
}

int pages_read(struct cxdev *dev, const struct pages *pages, uint64_t off, void *buf, size_t len)
{
	return pages_copy(dev, pages, off, buf, len, false);
}

int pages_write(struct cxdev *dev, const struct pages *pages, uint64_t off, const void *buf,
		size_t len)
{
	return pages_copy(dev, pages, off, (void *)buf, len, true);
}

uint8_t *pages_ptr(struct cxdev *dev, const struct pages *pages, uint64_t off, size_t len)
{
	uint64_t at = off + pages->offset, in_page = at & ((1ull << pages->log_size) - 1);
	uint64_t page = at >> pages->log_size;
	size_t room = len;
	uint8_t *p;

	if (page >= pages->n || len > (1ull << pages->log_size) - in_page)
		return NULL;
	p = guest_ptr(dev, (pages->pa[page] & ~MTT_ACCESS) + in_page, &room, true);
	return room == len ? p : NULL;
}
