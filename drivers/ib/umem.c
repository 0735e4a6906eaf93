// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Pinned user memory: queues and doorbell records. */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>

#include "ib.h"

/* Of the page list of a queue, and where in its first page the queue may begin. */
#define QUEUE_PAGE_SIZES	GENMASK(31, 12)
#define QUEUE_OFFSETS		GENMASK_ULL(31, 6)

dma_addr_t *cxr_ib_umem_list(struct ib_umem *umem, unsigned long page_size, u32 *n)
{
	size_t blocks = ib_umem_num_dma_blocks(umem, page_size);
	struct ib_block_iter iter;
	dma_addr_t *list;
	u32 i = 0;

	if (cxr_limits_blocks(blocks)) {
		ibdev_dbg(umem->ibdev, "memory of %zu blocks of %lu bytes is too large\n", blocks,
			  page_size);
		return NULL;
	}
	list = kvmalloc_array(blocks, sizeof(*list), GFP_KERNEL);
	if (!list)
		return NULL;

	rdma_umem_for_each_dma_block(umem, &iter, page_size)
		list[i++] = rdma_block_iter_dma_address(&iter);
	*n = i;
	return list;
}

/* Picks the page size and lists the pages. */
static int list_pages(struct cxr_ib_queue *queue, u8 offset_bits)
{
	struct ib_umem *umem = queue->umem;
	unsigned long max;
	u64 dma;
	int err;

	max = ib_umem_find_best_pgoff(umem, QUEUE_PAGE_SIZES, QUEUE_OFFSETS);
	if (!max)
		return -EINVAL;
	dma = sg_dma_address(umem->sgt_append.sgt.sgl) + ib_umem_offset(umem);
	err = cxr_limits_pages(dma, __ffs(max), offset_bits, &queue->pas.log_size,
			       &queue->pas.offset);
	if (err)
		return err;

	queue->dma = cxr_ib_umem_list(umem, BIT(queue->pas.log_size), &queue->pas.n);
	queue->pas.dma = queue->dma;
	return queue->dma ? 0 : -ENOMEM;
}

int cxr_ib_queue_pin(struct cxr_ib_dev *dev, u64 addr, size_t size, u8 offset_bits,
		     struct cxr_ib_queue *queue)
{
	int err;

	queue->umem = cxr_umem_get(&dev->ibdev, addr, size, IB_ACCESS_LOCAL_WRITE);
	if (IS_ERR(queue->umem)) {
		err = PTR_ERR(queue->umem);
		ibdev_dbg(&dev->ibdev, "failed to pin queue buffer of %zu bytes at %#llx: %d\n",
			  size, addr, err);
		queue->umem = NULL;
		return err;
	}

	err = list_pages(queue, offset_bits);
	if (err == -EINVAL)
		ibdev_dbg(&dev->ibdev,
			  "queue buffer at %#llx: the device cannot address memory that begins there in a page\n",
			  addr);
	if (err)
		cxr_ib_queue_unpin(queue);
	return err;
}

void cxr_ib_queue_free_list(struct cxr_ib_queue *queue)
{
	kvfree(queue->dma);
	queue->dma = NULL;
	queue->pas.dma = NULL;
}

void cxr_ib_queue_unpin(struct cxr_ib_queue *queue)
{
	cxr_ib_queue_free_list(queue);
	if (queue->umem)
		ib_umem_release(queue->umem);
	queue->umem = NULL;
}

void cxr_ib_queue_keep(struct cxr_ib_queue *queue)
{
	cxr_ib_queue_free_list(queue);
	queue->umem = NULL;
}

/*
 * User space packs the doorbell records of many queues into a page. It is pinned once for all of
 * them, so that a thousand queues do not count a thousand times against RLIMIT_MEMLOCK. After a
 * fork the same address is another page: the umem knows its owner.
 */
struct cxr_ib_db_page {
	struct list_head entry;
	struct ib_umem *umem;
	u64 addr;
	unsigned int users;
};

static struct cxr_ib_db_page *find_db_page(struct cxr_ib_ucontext *ctx, u64 addr)
{
	struct cxr_ib_db_page *page;

	lockdep_assert_held(&ctx->db_lock);
	list_for_each_entry(page, &ctx->db_pages, entry)
		if (page->addr == addr && page->umem->owning_mm == current->mm)
			return page;
	return NULL;
}

static struct cxr_ib_db_page *pin_db_page(struct cxr_ib_ucontext *ctx, u64 addr)
{
	struct cxr_ib_db_page *page;
	int err;

	lockdep_assert_held(&ctx->db_lock);
	page = kzalloc(sizeof(*page), GFP_KERNEL);
	if (!page)
		return ERR_PTR(-ENOMEM);

	page->addr = addr;
	page->umem = cxr_umem_get(ctx->ibucontext.device, addr, PAGE_SIZE, 0);
	if (IS_ERR(page->umem)) {
		err = PTR_ERR(page->umem);
		ibdev_dbg(ctx->ibucontext.device,
			  "failed to pin doorbell record page at %#llx: %d\n", addr, err);
		kfree(page);
		return ERR_PTR(err);
	}

	list_add(&page->entry, &ctx->db_pages);
	return page;
}

int cxr_ib_db_pin(struct cxr_ib_ucontext *ctx, u64 addr, struct cxr_ib_db *db)
{
	struct cxr_ib_db_page *page;

	if (addr % sizeof(struct prm_wq_dbr)) {
		ibdev_dbg(ctx->ibucontext.device, "doorbell record at %#llx is not aligned\n",
			  addr);
		return -EINVAL;
	}

	mutex_lock(&ctx->db_lock);
	page = find_db_page(ctx, addr & PAGE_MASK);
	if (!page)
		page = pin_db_page(ctx, addr & PAGE_MASK);
	if (!IS_ERR(page)) {
		page->users++;
		db->page = page;
		db->dma = sg_dma_address(page->umem->sgt_append.sgt.sgl) + (addr & ~PAGE_MASK);
	}
	mutex_unlock(&ctx->db_lock);
	return PTR_ERR_OR_ZERO(page);
}

void cxr_ib_db_unpin(struct cxr_ib_ucontext *ctx, struct cxr_ib_db *db)
{
	struct cxr_ib_db_page *page = db->page;

	mutex_lock(&ctx->db_lock);
	if (!--page->users) {
		list_del(&page->entry);
		ib_umem_release(page->umem);
		kfree(page);
	}
	mutex_unlock(&ctx->db_lock);
	db->page = NULL;
}
