// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Queue memory and doorbell records of the kernel's own queues. */
#include <linux/bitmap.h>
#include <linux/cache.h>
#include <linux/dma-mapping.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "core.h"

int cxr_buf_alloc(struct cxr_core *core, struct cxr_buf *buf, size_t size)
{
	unsigned int want = DIV_ROUND_UP(size, PAGE_SIZE);

	if (!size)
		return -EINVAL;

	buf->size = (size_t)want * PAGE_SIZE;
	buf->n = 0;
	buf->va = kvcalloc(want, sizeof(*buf->va), GFP_KERNEL);
	buf->dma = kvcalloc(want, sizeof(*buf->dma), GFP_KERNEL);
	if (!buf->va || !buf->dma)
		goto err_free;

	for (; buf->n < want; buf->n++) {
		buf->va[buf->n] = dma_alloc_coherent(core->dev, PAGE_SIZE, &buf->dma[buf->n],
						     GFP_KERNEL);
		if (!buf->va[buf->n])
			goto err_free;
	}
	return 0;

err_free:
	cxr_buf_free(core, buf);
	return -ENOMEM;
}
EXPORT_SYMBOL_GPL(cxr_buf_alloc);

void cxr_buf_free(struct cxr_core *core, struct cxr_buf *buf)
{
	while (buf->n) {
		buf->n--;
		dma_free_coherent(core->dev, PAGE_SIZE, buf->va[buf->n], buf->dma[buf->n]);
	}
	kvfree(buf->va);
	kvfree(buf->dma);
	memset(buf, 0, sizeof(*buf));
}
EXPORT_SYMBOL_GPL(cxr_buf_free);

struct kept_buf {
	struct llist_node node;
	struct cxr_buf buf;
};

/* Without memory for the entry it is never freed, which does no harm. */
void cxr_buf_keep(struct cxr_core *core, struct cxr_buf *buf)
{
	struct kept_buf *kept = kmalloc(sizeof(*kept), GFP_KERNEL);

	if (kept) {
		kept->buf = *buf;
		llist_add(&kept->node, &to_dev(core)->kept);
	}
	memset(buf, 0, sizeof(*buf));
}
EXPORT_SYMBOL_GPL(cxr_buf_keep);

void cxr_bufs_free_kept(struct cxr_dev *dev)
{
	struct kept_buf *kept, *next;

	llist_for_each_entry_safe(kept, next, llist_del_all(&dev->kept), node) {
		cxr_buf_free(&dev->core, &kept->buf);
		kfree(kept);
	}
}

/*
 * Records are a cache line apart, so that queues do not share one. A page holds many records, of
 * all queues of the device. Memory that is reclaimed may wait for whoever waits for db_lock
 * (drivers/ib/umr.c): under it no allocation reclaims any.
 */
#define DB_STRIDE	max_t(unsigned int, cache_line_size(), 2 * sizeof(__be32))

struct db_page {
	struct list_head list;
	void *va;
	dma_addr_t dma;
	unsigned int slots, used;
	unsigned long map[BITS_TO_LONGS(PAGE_SIZE / 8)];
};

static struct db_page *alloc_db_page(struct cxr_dev *dev)
	__must_hold(&dev->db_lock)
{
	struct db_page *page = kzalloc(sizeof(*page), GFP_KERNEL);

	if (!page)
		return NULL;

	page->va = dma_alloc_coherent(dev->core.dev, PAGE_SIZE, &page->dma, GFP_KERNEL);
	if (!page->va) {
		kfree(page);
		return NULL;
	}
	page->slots = PAGE_SIZE / DB_STRIDE;
	list_add(&page->list, &dev->dbs);
	return page;
}

int cxr_db_alloc(struct cxr_core *core, struct cxr_db *db)
{
	struct cxr_dev *dev = to_dev(core);
	struct db_page *page = NULL, *pos;
	unsigned int flags;
	int err = 0;

	mutex_lock(&dev->db_lock);
	flags = memalloc_noreclaim_save();
	list_for_each_entry(pos, &dev->dbs, list) {
		if (pos->used < pos->slots) {
			page = pos;
			break;
		}
	}
	if (!page)
		page = alloc_db_page(dev);
	if (!page) {
		err = -ENOMEM;
		goto out_unlock;
	}

	db->page = page;
	db->slot = find_first_zero_bit(page->map, page->slots);
	__set_bit(db->slot, page->map);
	page->used++;
	db->rec = page->va + (size_t)db->slot * DB_STRIDE;
	db->dma = page->dma + (size_t)db->slot * DB_STRIDE;
	memset(db->rec, 0, 2 * sizeof(*db->rec));
out_unlock:
	memalloc_noreclaim_restore(flags);
	mutex_unlock(&dev->db_lock);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_db_alloc);

void cxr_db_free(struct cxr_core *core, struct cxr_db *db)
{
	struct cxr_dev *dev = to_dev(core);
	struct db_page *page = db->page;

	mutex_lock(&dev->db_lock);
	__clear_bit(db->slot, page->map);
	if (!--page->used) {
		list_del(&page->list);
		dma_free_coherent(core->dev, PAGE_SIZE, page->va, page->dma);
		kfree(page);
	}
	mutex_unlock(&dev->db_lock);
	memset(db, 0, sizeof(*db));
}
EXPORT_SYMBOL_GPL(cxr_db_free);
