// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Memory lent to the device: it requests pages at boot and at any later time, and returns them when
 * asked to.
 *
 * The device counts in pieces of 4 KiB, of which a system page may have several. A piece is idle (a
 * bit in fw_page.idle) or held by the device; a page whose pieces are all idle is freed. Commands
 * are issued without the lock.
 */
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "prm/cmdif.h"
#include "prm/obj.h"
#include "core.h"

#define PIECE		BIT(PRM_PAGE_SHIFT)
#define PIECES		(PAGE_SIZE / PIECE)
#define ALL_IDLE	GENMASK(PIECES - 1, 0)
#define RECLAIM_MAX	512		/* pieces per command */
#define MAX_SHARE	4		/* no firmware needs a quarter of all memory at once */
#define RECLAIM_TIMEOUT	(5 * HZ)	/* without a returned piece */
/* for a request, how long memory is waited for: for the next page, and in total */
#define PAGE_PATIENCE	HZ
#define GIVE_PATIENCE	(10 * HZ)
#define RESERVE_PAGES	256	/* what it may then have of the reserves of the system */

struct fw_page {
	/* in cxr_pages.free while some, but not all, pieces are idle */
	struct list_head free;
	struct page *page;
	dma_addr_t dma;
	u16 func;
	unsigned long idle;
};

/*
 * For a request of the device, which may not reclaim memory (see pages_work()), but leaves it to
 * kswapd. The reserves are for those who free memory. They are for this request, too, if nobody
 * does, as it may be the device that all wait for.
 */
struct effort {
	unsigned long until;	/* when it waits no longer */
	unsigned int reserve;	/* pages that it may still have of the reserves */
};

/* ---- pieces ---------------------------------------------------------------------------------- */

static void count_pieces(struct cxr_pages *pages, u16 func, int by)
{
	unsigned long n = xa_to_value(xa_load(&pages->func_count, func) ?: xa_mk_value(0));

	lockdep_assert_held(&pages->lock);
	pages->count += by;
	/* Needs no memory: alloc_fw_page() created the entry. */
	xa_store(&pages->func_count, func, xa_mk_value(n + by), GFP_KERNEL);
}

static u32 pieces_of(struct cxr_pages *pages, u16 func)
{
	void *entry = xa_load(&pages->func_count, func);

	return entry ? xa_to_value(entry) : 0;
}

static void free_fw_page(struct cxr_dev *dev, struct fw_page *fp)
{
	unsigned int i;

	list_del_init(&fp->free);
	for (i = 0; i < PIECES; i++)
		xa_erase(&dev->pages.pieces, (fp->dma >> PRM_PAGE_SHIFT) + i);
	dma_unmap_page(dev->core.dev, fp->dma, PAGE_SIZE, DMA_BIDIRECTIONAL);
	__free_page(fp->page);
	kfree(fp);
}

/* Firmware has no use for a page at address 0, which an IOMMU may give. */
static int map_fw_page(struct cxr_dev *dev, struct fw_page *fp)
{
	struct device *device = dev->core.dev;
	dma_addr_t dma, zero;

	dma = dma_map_page(device, fp->page, 0, PAGE_SIZE, DMA_BIDIRECTIONAL);
	if (!dma) {
		zero = dma;
		dma = dma_map_page(device, fp->page, 0, PAGE_SIZE, DMA_BIDIRECTIONAL);
		dma_unmap_page(device, zero, PAGE_SIZE, DMA_BIDIRECTIONAL);
	}
	if (dma_mapping_error(device, dma))
		return -ENOMEM;
	fp->dma = dma;
	return 0;
}

static struct fw_page *alloc_fw_page(struct cxr_dev *dev, u16 func, gfp_t gfp)
	__must_hold(&dev->pages.lock)
{
	struct cxr_pages *pages = &dev->pages;
	struct fw_page *fp;
	unsigned int i;
	int err;

	fp = kzalloc(sizeof(*fp), GFP_KERNEL);
	if (!fp)
		return ERR_PTR(-ENOMEM);

	err = xa_err(xa_store(&pages->func_count, func, xa_mk_value(pieces_of(pages, func)),
			      GFP_KERNEL));
	if (err)
		goto err_free;
	fp->page = alloc_pages_node(dev_to_node(dev->core.dev),
				    GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN | gfp, 0);
	if (!fp->page) {
		err = -ENOMEM;
		goto err_free;
	}
	err = map_fw_page(dev, fp);
	if (err)
		goto err_free_page;
	for (i = 0; i < PIECES; i++) {
		err = xa_insert(&pages->pieces, (fp->dma >> PRM_PAGE_SHIFT) + i, fp, GFP_KERNEL);
		if (err)
			goto err_unmap;
	}
	fp->func = func;
	fp->idle = ALL_IDLE;
	list_add(&fp->free, &pages->free);
	return fp;

err_unmap:
	while (i--)
		xa_erase(&pages->pieces, (fp->dma >> PRM_PAGE_SHIFT) + i);
	dma_unmap_page(dev->core.dev, fp->dma, PAGE_SIZE, DMA_BIDIRECTIONAL);
err_free_page:
	__free_page(fp->page);
err_free:
	kfree(fp);
	return ERR_PTR(err);
}

/* @gfp: besides GFP_KERNEL, for a page. */
static int alloc_piece(struct cxr_dev *dev, u16 func, gfp_t gfp, u64 *dma)
{
	struct cxr_pages *pages = &dev->pages;
	struct fw_page *fp = NULL, *pos;
	unsigned int i;
	int err = 0;

	mutex_lock(&pages->lock);
	list_for_each_entry(pos, &pages->free, free) {
		if (pos->func == func) {
			fp = pos;
			break;
		}
	}
	if (!fp)
		fp = alloc_fw_page(dev, func, gfp);
	if (IS_ERR(fp)) {
		err = PTR_ERR(fp);
		goto out_unlock;
	}

	i = __ffs(fp->idle);
	fp->idle &= ~BIT(i);
	if (!fp->idle)
		list_del_init(&fp->free);
	*dma = fp->dma + (u64)i * PIECE;
	count_pieces(pages, func, 1);
out_unlock:
	mutex_unlock(&pages->lock);
	return err;
}

/* Each attempt wakes kswapd. */
static int wait_for_piece(struct cxr_dev *dev, u16 func, struct effort *effort, u64 *dma)
{
	unsigned long until = jiffies + PAGE_PATIENCE;
	int err = -ENOMEM;

	while (err == -ENOMEM && time_before(jiffies, until) &&
	       time_before(jiffies, effort->until) && !cxr_core_dead(&dev->core)) {
		msleep(20);
		err = alloc_piece(dev, func, __GFP_NOMEMALLOC, dma);
	}
	/* The next page would not come either. */
	if (err)
		effort->until = jiffies;
	return err;
}

/* @effort: NULL if the caller may reclaim memory. */
static int get_piece(struct cxr_dev *dev, u16 func, struct effort *effort, u64 *dma)
{
	int err;

	if (!effort)
		return alloc_piece(dev, func, 0, dma);
	err = alloc_piece(dev, func, __GFP_NOMEMALLOC, dma);
	if (err == -ENOMEM)
		err = wait_for_piece(dev, func, effort, dma);
	if (err != -ENOMEM || !effort->reserve)
		return err;
	effort->reserve--;
	return alloc_piece(dev, func, 0, dma);
}

/* The address comes from the device: -EPROTO if it does not hold such a piece. */
static int free_piece(struct cxr_dev *dev, u16 func, u64 dma)
{
	struct cxr_pages *pages = &dev->pages;
	struct fw_page *fp;
	unsigned long bit;
	int err = 0;

	mutex_lock(&pages->lock);
	fp = xa_load(&pages->pieces, dma >> PRM_PAGE_SHIFT);
	bit = fp ? BIT((dma - fp->dma) >> PRM_PAGE_SHIFT) : 0;
	if (!fp || dma & (PIECE - 1) || fp->func != func || fp->idle & bit) {
		err = -EPROTO;
		goto out_unlock;
	}

	fp->idle |= bit;
	count_pieces(pages, func, -1);
	if (fp->idle == ALL_IDLE)
		free_fw_page(dev, fp);
	else if (list_empty(&fp->free))
		list_add(&fp->free, &pages->free);
out_unlock:
	mutex_unlock(&pages->lock);
	return err;
}

/* ---- commands -------------------------------------------------------------------------------- */

static int notify_cant_give(struct cxr_dev *dev, u16 func)
{
	struct prm_manage_pages_in in = {};
	struct prm_manage_pages_out out;

	prm_set(&in, op_mod, PRM_PAGES_CANT_GIVE);
	prm_set(&in, function_id, func);
	return cxr_cmd(&dev->core, manage_pages, &in, &out);
}

/* *refused: the device did not take them. Of other errors it does not know. */
static int give_pages(struct cxr_dev *dev, u16 func, u32 n, struct effort *effort, bool *refused)
{
	struct prm_manage_pages_out out;
	struct prm_manage_pages_in *in;
	u32 got = 0;
	__be64 *pas;
	u64 dma;
	int err;

	*refused = false;
	in = kvzalloc(sizeof(*in) + n * sizeof(*pas), GFP_KERNEL);
	if (!in)
		return -ENOMEM;
	pas = prm_tail(in);

	for (; got < n; got++) {
		err = get_piece(dev, func, effort, &dma);
		if (err)
			goto err_put;
		pas[got] = cpu_to_be64(dma);
	}
	prm_set(in, op_mod, PRM_PAGES_GIVE);
	prm_set(in, function_id, func);
	prm_set(in, input_num_entries, n);
	err = cxr_cmd_len(&dev->core, manage_pages, in, sizeof(*in) + n * sizeof(*pas), &out,
			  sizeof(out));
	/*
	 * Refused, or not even sent. Otherwise the device may hold them, and they stay until
	 * cxr_pages_free_unreturned().
	 */
	*refused = prm_get(&out, status) != PRM_STATUS_OK;
	if (*refused || err == -ENOMEM)
		goto err_put;
	kvfree(in);
	return err;

err_put:
	while (got--)
		free_piece(dev, func, be64_to_cpu(pas[got]));
	kvfree(in);
	return err;
}

/* Asks for up to @n <= RECLAIM_MAX pieces; *got: how many were returned. */
static int reclaim_pages(struct cxr_dev *dev, u16 func, u32 n, u32 *got)
{
	u32 outlen = sizeof(struct prm_manage_pages_out) + n * sizeof(__be64);
	struct prm_manage_pages_out *out;
	struct prm_manage_pages_in in = {};
	const __be64 *pas;
	u32 i;
	int err;

	*got = 0;
	out = kvzalloc(outlen, GFP_KERNEL);
	if (!out)
		return -ENOMEM;
	pas = prm_tail(out);

	prm_set(&in, op_mod, PRM_PAGES_TAKE);
	prm_set(&in, function_id, func);
	prm_set(&in, input_num_entries, n);
	err = cxr_cmd_len(&dev->core, manage_pages, &in, sizeof(in), out, outlen);
	if (err)
		goto out_free;

	if (prm_get(out, output_num_entries) > n) {
		dev_err(dev->core.dev, "requested %u pages back, device reports %u\n", n,
			prm_get(out, output_num_entries));
		err = -EPROTO;
		goto out_free;
	}
	*got = prm_get(out, output_num_entries);
	for (i = 0; i < *got; i++) {
		if (free_piece(dev, func, be64_to_cpu(pas[i])))
			dev_err_ratelimited(dev->core.dev,
					    "device returned a page that it does not hold\n");
	}
out_free:
	kvfree(out);
	return err;
}

/* An implausible request is not tried: the system would run out of memory. */
static bool is_implausible(u32 n)
{
	return n / PIECES > totalram_pages() / MAX_SHARE;
}

/* ---- start and stop -------------------------------------------------------------------------- */

int cxr_pages_give_startup(struct cxr_dev *dev, bool boot)
{
	struct prm_query_pages_in in = {};
	struct prm_query_pages_out out;
	bool refused;
	s32 n;
	int err;

	prm_set(&in, op_mod, boot ? PRM_QUERY_PAGES_BOOT : PRM_QUERY_PAGES_INIT);
	err = cxr_cmd(&dev->core, query_pages, &in, &out);
	if (err)
		return err;

	n = prm_get(&out, num_pages);
	if (n <= 0)
		return 0;
	if (is_implausible(n)) {
		dev_err(dev->core.dev, "implausible %s page request: %d pages\n",
			boot ? "boot" : "init", n);
		return -EPROTO;
	}
	return give_pages(dev, prm_get(&out, function_id), n, NULL, &refused);
}

void cxr_pages_reclaim_all(struct cxr_dev *dev)
{
	struct cxr_pages *pages = &dev->pages;
	unsigned long deadline = jiffies + RECLAIM_TIMEOUT;
	unsigned long func;
	void *entry;
	u32 n, got;

	xa_for_each(&pages->func_count, func, entry) {
		while (pieces_of(pages, func)) {
			n = min_t(u32, pieces_of(pages, func), RECLAIM_MAX);
			if (reclaim_pages(dev, func, n, &got))
				return;
			if (got) {
				deadline = jiffies + RECLAIM_TIMEOUT;
				continue;
			}
			if (time_after(jiffies, deadline))
				return;
			msleep(20);
		}
	}
}

static u32 pieces_of_vfs(struct cxr_pages *pages)
{
	u32 n;

	mutex_lock(&pages->lock);
	n = pages->count - pieces_of(pages, 0);
	mutex_unlock(&pages->lock);
	return n;
}

int cxr_pages_wait_vfs(struct cxr_dev *dev)
{
	unsigned long deadline = jiffies + RECLAIM_TIMEOUT;
	u32 held, now;

	/* Those of VFs that were enabled a moment ago */
	cxr_pages_flush(dev);
	held = pieces_of_vfs(&dev->pages);
	while (held && !cxr_core_dead(&dev->core)) {
		if (time_after(jiffies, deadline))
			return -ETIMEDOUT;
		msleep(20);
		now = pieces_of_vfs(&dev->pages);
		if (now < held)
			deadline = jiffies + RECLAIM_TIMEOUT;
		held = now;
	}
	return 0;
}

void cxr_pages_free_unreturned(struct cxr_dev *dev)
{
	struct cxr_pages *pages = &dev->pages;
	unsigned long index;
	struct fw_page *fp;

	if (xa_empty(&pages->pieces))
		return;

	pci_clear_master(dev->core.pdev);
	dev->needs_reset = true;
	dev_warn(dev->core.dev, "%u pages of 4 KiB not returned; freed after DMA was disabled\n",
		 pages->count);
	mutex_lock(&pages->lock);
	xa_for_each(&pages->pieces, index, fp)
		free_fw_page(dev, fp);
	pages->count = 0;
	xa_destroy(&pages->func_count);
	mutex_unlock(&pages->lock);
}

/* ---- requests of the device ------------------------------------------------------------------ */

void cxr_pages_request(struct cxr_dev *dev, u16 func, s32 npages)
{
	struct cxr_pages *pages = &dev->pages;
	unsigned long flags;
	bool full;

	spin_lock_irqsave(&pages->req_lock, flags);
	full = pages->head - pages->tail >= pages->n_reqs;
	if (!full)
		pages->reqs[pages->head++ & (pages->n_reqs - 1)] =
			(struct cxr_page_req){ .func = func, .pages = npages };
	spin_unlock_irqrestore(&pages->req_lock, flags);

	if (full)
		dev_err_ratelimited(dev->core.dev,
				    "page request queue full, request dropped\n");
	else
		queue_work(pages->wq, &pages->work);
}

static bool next_request(struct cxr_pages *pages, struct cxr_page_req *req)
{
	bool found;

	spin_lock_irq(&pages->req_lock);
	found = pages->tail != pages->head;
	if (found)
		*req = pages->reqs[pages->tail++ & (pages->n_reqs - 1)];
	spin_unlock_irq(&pages->req_lock);
	return found;
}

static void serve_give(struct cxr_dev *dev, u16 func, u32 n)
{
	struct effort effort = { .until = jiffies + GIVE_PATIENCE, .reserve = RESERVE_PAGES };
	bool refused = false;
	int err;

	err = is_implausible(n) ? -E2BIG : give_pages(dev, func, n, &effort, &refused);
	if (!err || cxr_core_dead(&dev->core))
		return;
	dev_warn_ratelimited(dev->core.dev, "page request for %u pages failed: %pe\n", n,
			     ERR_PTR(err));
	/* If the device has refused them, its request is over: this would answer the next one. */
	if (!refused)
		notify_cant_give(dev, func);
}

static void serve_request(struct cxr_dev *dev, const struct cxr_page_req *req)
{
	u32 n = req->pages < 0 ? -(u32)req->pages : req->pages;
	u32 got = 1;

	if (req->pages > 0) {
		serve_give(dev, req->func, n);
		return;
	}
	while (n && got && !reclaim_pages(dev, req->func, min_t(u32, n, RECLAIM_MAX), &got))
		n -= got;
}

/*
 * The device may ask before it completes a command that memory which is reclaimed waits for
 * (drivers/ib/umr.c). So here nothing reclaims memory, and the queue has a thread of its own. What
 * is small comes from the reserves of the system if it has to; for the pages see struct effort.
 */
static void pages_work(struct work_struct *work)
{
	struct cxr_dev *dev = container_of(work, struct cxr_dev, pages.work);
	unsigned int flags = memalloc_noreclaim_save();
	struct cxr_page_req req;

	while (next_request(&dev->pages, &req))
		serve_request(dev, &req);
	memalloc_noreclaim_restore(flags);
}

void cxr_pages_flush(struct cxr_dev *dev)
{
	flush_work(&dev->pages.work);
}

int cxr_pages_init(struct cxr_dev *dev)
{
	struct cxr_pages *pages = &dev->pages;
	struct cxr_page_req *reqs;

	pages->n_reqs = roundup_pow_of_two(CXR_PAGE_REQS +
					   pci_sriov_get_totalvfs(dev->core.pdev));
	reqs = kcalloc(pages->n_reqs, sizeof(*reqs), GFP_KERNEL);
	if (!reqs)
		return -ENOMEM;
	context_unsafe(pages->reqs = reqs);
	xa_init(&pages->pieces);
	xa_init(&pages->func_count);
	mutex_init(&pages->lock);
	context_unsafe(INIT_LIST_HEAD(&pages->free));
	spin_lock_init(&pages->req_lock);
	INIT_WORK(&pages->work, pages_work);
	pages->wq = alloc_ordered_workqueue("cxr_pages", WQ_MEM_RECLAIM);
	if (pages->wq)
		return 0;
	kfree(reqs);
	return -ENOMEM;
}

void cxr_pages_exit(struct cxr_dev *dev)
{
	destroy_workqueue(dev->pages.wq);
	xa_destroy(&dev->pages.func_count);
	xa_destroy(&dev->pages.pieces);
	context_unsafe(kfree(dev->pages.reqs));
}
