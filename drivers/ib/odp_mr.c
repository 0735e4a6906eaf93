// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* On-demand paging: MRs, and pages that come and go. See odp.h. */
#include <linux/dma-mapping.h>
#include <linux/hmm.h>
#include <linux/pci-p2pdma.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "odp.h"

#define LOG_ENTRY_PAGE	3	/* bytes of an entry of a list: of pages, */
#define LOG_ENTRY_KEY	4	/* of keys */
#define CHILD_BYTES	BIT_ULL(CXR_IB_ODP_LOG_CHILD)
/* Of an implicit MR: no process has more without asking. */
#define ADDRESSES_MAX	BIT_ULL(48)
/* Without extended offsets of lists. */
#define BYTES_MAX	(BIT_ULL(16) << PAGE_SHIFT)
/* Of the list of a window, which may have any length: 4 MiB of the device's answer to a fault. */
#define PARTS_MAX	BIT(18)

static bool is_implicit(const struct cxr_ib_odp_mr *mr)
{
	return mr->umem->is_implicit_odp;
}

/* An MR, or the one that a child is of. */
static struct cxr_ib_odp_mr *root_of(struct cxr_ib_odp_mr *mr)
{
	return mr->parent ?: mr;
}

void cxr_ib_odp_put(struct cxr_ib_odp_key *key)
{
	if (refcount_dec_and_test(&key->ref))
		complete(&key->unused);
}

static void init_key(struct cxr_ib_odp_key *key)
{
	refcount_set(&key->ref, 1);
	init_completion(&key->unused);
}

static int add_key(struct cxr_ib_odp *odp, struct cxr_ib_odp_key *key)
{
	int err = xa_insert(&odp->keys, key->key >> 8, key, GFP_KERNEL);

	/* -EBUSY: the device assigned a number twice. */
	return err == -EBUSY ? -EIO : err;
}

/* Nobody finds it any more. If the device has destroyed it, its number may be another's. */
static void remove_key(struct cxr_ib_odp *odp, struct cxr_ib_odp_key *key)
{
	xa_cmpxchg(&odp->keys, key->key >> 8, key, NULL, GFP_KERNEL);
}

/* Nobody can get another reference. */
static void wait_unused(struct cxr_ib_odp_key *key)
{
	cxr_ib_odp_put(key);
	wait_for_completion(&key->unused);
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* What is written to a list of pages: @first to @end have just come in, @gone to @gone_end go. */
struct pages {
	struct cxr_ib_odp_mr *mr;
	u64 first, end;
	u64 gone, gone_end;
	bool write;
	u64 n;			/* pages that the device got */
};

static int fill_pages(void *arg, void *to, u64 first, u64 n)
{
	struct pages *pages = arg;
	struct ib_umem_odp *umem = pages->mr->umem;
	struct prm_mtt *mtt = to;
	dma_addr_t dma;
	bool fresh;
	u64 i;

	lockdep_assert_held(&umem->umem_mutex);
	for (i = first; i < first + n; i++, mtt++) {
		if (i >= pages->gone && i < pages->gone_end)
			continue;
		fresh = i >= pages->first && i < pages->end;
		dma = cxr_odp_page(umem, i, fresh, fresh ? pages->write : umem->umem.writable);
		if (dma_mapping_error(pages->mr->dev->core->dev, dma))
			return -EFAULT;
		cxr_umr_mtt(mtt, dma);
		pages->n += fresh && dma;
	}
	return 0;
}

/* Nothing is there yet. */
static int fill_none(void *arg, void *to, u64 first, u64 n)
{
	return 0;
}

static int fill_children(void *arg, void *to, u64 first, u64 n)
{
	struct cxr_ib_odp_mr *mr = arg, *child;
	struct prm_klm *klm = to;
	u64 i;

	lockdep_assert_held(&mr->umem->umem_mutex);
	for (i = first; i < first + n; i++, klm++) {
		child = xa_load(&mr->children, i);
		if (child)
			cxr_umr_key(klm, CHILD_BYTES, child->key.key, i * CHILD_BYTES);
		else if (mr->null.key)
			cxr_umr_key(klm, CHILD_BYTES, mr->null.key, i * CHILD_BYTES);
		else
			cxr_umr_key(klm, CHILD_BYTES, mr->dev->core->caps.null_key, 0);
	}
	return 0;
}

static struct cxr_ib_xlt list_of(struct cxr_ib_odp_mr *mr)
{
	struct cxr_ib_xlt xlt = { .key = mr->key.key };

	if (is_implicit(mr)) {
		xlt.log_entry = LOG_ENTRY_KEY;
		xlt.n = mr->slots;
		xlt.fill = fill_children;
		xlt.arg = mr;
	} else {
		xlt.log_entry = LOG_ENTRY_PAGE;
		xlt.n = ib_umem_odp_num_pages(mr->umem);
		xlt.fill = fill_none;
	}
	return xlt;
}

static int write_pages(struct cxr_ib_odp_mr *mr, struct pages *pages, u64 first, u64 n)
{
	struct cxr_ib_xlt xlt = list_of(mr);

	lockdep_assert_held(&mr->umem->umem_mutex);
	if (mr->stopped)
		return -EFAULT;
	xlt.fill = fill_pages;
	xlt.arg = pages;
	return cxr_ib_mkey_write(mr->dev, &xlt, first, n, NULL);
}

/* ---- the end of a key ------------------------------------------------------------------------ */

/*
 * From the return on the device does not access the memory. If it cannot be made to let go of it,
 * it fails, and its DMA is off.
 */
static void stop(struct cxr_ib_odp_mr *mr)
{
	lockdep_assert_held(&mr->umem->umem_mutex);
	if (!mr->stopped &&
	    cxr_ib_mkey_stop(mr->dev, mr->key.key, to_cxr_pd(mr->pd)->pdn, &mr->gone))
		cxr_faults_fail(mr->dev->core);
	mr->stopped = true;
}

/*
 * Its parent's list does not have it any more, but a fault may have been on the way before: then
 * the request has to look at the list again.
 */
static void retire_child(struct cxr_ib_odp *odp, struct cxr_ib_odp_key *key)
{
	xa_lock(&odp->keys);
	__xa_cmpxchg(&odp->keys, key->key >> 8, key, NULL, GFP_ATOMIC);
	odp->retired[odp->n_retired++ % CXR_IB_ODP_RETIRED] = key->key;
	xa_unlock(&odp->keys);
}

/* Of get_umem(), or of a child. */
static void put_umem(struct ib_umem_odp *umem)
{
	struct mm_struct *mm = umem->is_implicit_odp ? umem->umem.owning_mm : NULL;

	ib_umem_odp_release(umem);
	if (mm)
		mmdrop(mm);
}

/* Nobody refers to it any more, but for its notifier, which finds nothing to do from here on. */
static void free_odp_mr(struct cxr_ib_odp_mr *mr)
{
	struct ib_umem_odp *umem = mr->umem;

	if (mr->key.kind == CXR_IB_ODP_CHILD)
		retire_child(mr->dev->odp, &mr->key);
	mutex_lock(&umem->umem_mutex);
	stop(mr);
	/* Now, while the notifier still tells: ib_core marks pages as dirty that the system has. */
	if (!is_implicit(mr))
		ib_umem_odp_unmap_dma_pages(umem, ib_umem_start(umem), ib_umem_end(umem));
	umem->private = NULL;
	mutex_unlock(&umem->umem_mutex);
	/* It is free: whatever becomes of it, nobody can use it. */
	if (!mr->gone)
		cxr_cmd_destroy_mkey(mr->dev->core, mr->key.key);
	if (mr->null.key)
		cxr_cmd_destroy_mkey(mr->dev->core, mr->null.key);
	put_umem(umem);
	kfree(mr);
}

/* ---- children -------------------------------------------------------------------------------- */

/*
 * After children have come or gone. If the device cannot learn of them, no other fault would tell
 * it either: the MR ends, and requests fail.
 */
static int write_children(struct cxr_ib_odp_mr *mr, u64 first, u64 n)
{
	struct cxr_ib_xlt xlt = list_of(mr);
	int err;

	mutex_lock(&mr->umem->umem_mutex);
	err = mr->stopped ? -EFAULT : cxr_ib_mkey_write(mr->dev, &xlt, first, n, NULL);
	if (err)
		stop(mr);
	mutex_unlock(&mr->umem->umem_mutex);
	return err;
}

/* It is not among the children any more. Faults that have found it before may go on meanwhile. */
static void destroy_child(struct work_struct *work)
{
	struct cxr_ib_odp_mr *mr = container_of(work, struct cxr_ib_odp_mr, destroy);
	struct cxr_ib_odp_mr *parent = mr->parent;

	wait_unused(&mr->key);
	write_children(parent, ib_umem_start(mr->umem) >> CXR_IB_ODP_LOG_CHILD, 1);
	free_odp_mr(mr);
	cxr_ib_odp_put(&parent->key);
}

/* It has no pages. If the parent ends, that destroys it. */
static void drop_child(struct cxr_ib_odp_mr *mr)
{
	struct cxr_ib_odp_mr *parent = mr->parent;
	u64 slot = ib_umem_start(mr->umem) >> CXR_IB_ODP_LOG_CHILD;

	if (!refcount_inc_not_zero(&parent->key.ref))
		return;
	if (xa_cmpxchg(&parent->children, slot, mr, NULL, GFP_NOWAIT) == mr)
		queue_work(mr->dev->odp->later, &mr->destroy);
	else
		cxr_ib_odp_put(&parent->key);
}

/* No page has come: nothing that goes would end it. */
static void drop_empty_child(struct cxr_ib_odp_mr *mr)
{
	mutex_lock(&mr->umem->umem_mutex);
	if (!mr->umem->npages)
		drop_child(mr);
	mutex_unlock(&mr->umem->umem_mutex);
}

/* ---- pages go -------------------------------------------------------------------------------- */

/* How many pages from *first to *end are there. If any is, these become their first and end. */
static u64 find_pages(struct cxr_ib_odp_mr *mr, u64 *first, u64 *end)
{
	u64 i, n = 0, from = *end, to = *first;

	lockdep_assert_held(&mr->umem->umem_mutex);
	for (i = *first; i < *end; i++) {
		if (!cxr_odp_has_page(mr->umem, i))
			continue;
		from = min(from, i);
		to = i + 1;
		n++;
	}
	if (n) {
		*first = from;
		*end = to;
	}
	return n;
}

/* The pages from @first to @end that are there, and others that the list has in between. */
static void take_back(struct cxr_ib_odp_mr *mr, u64 first, u64 end)
{
	struct pages pages = { .mr = mr, .gone = first, .gone_end = end };
	u64 n = find_pages(mr, &first, &end);

	if (!n)
		return;
	if (!mr->stopped && write_pages(mr, &pages, first, end - first))
		stop(mr);
	atomic64_add(n, &root_of(mr)->invalidations);
}

static bool invalidate(struct mmu_interval_notifier *mni, const struct mmu_notifier_range *range,
		       unsigned long seq)
{
	struct ib_umem_odp *umem = container_of(mni, struct ib_umem_odp, notifier);
	struct cxr_ib_odp_mr *mr;
	u64 start, end;

	if (!mmu_notifier_range_blockable(range))
		return false;

	mutex_lock(&umem->umem_mutex);
	mmu_interval_set_seq(mni, seq);
	mr = umem->private;
	if (mr && umem->npages) {
		start = max_t(u64, ib_umem_start(umem), range->start);
		end = min_t(u64, ib_umem_end(umem), range->end);
		take_back(mr, (start - ib_umem_start(umem)) >> umem->page_shift,
			  DIV_ROUND_UP(end - ib_umem_start(umem), BIT_ULL(umem->page_shift)));
		ib_umem_odp_unmap_dma_pages(umem, start, end);
		if (!umem->npages && mr->parent)
			drop_child(mr);
	}
	mutex_unlock(&umem->umem_mutex);
	return true;
}

static const struct mmu_interval_notifier_ops notifier_ops = {
	.invalidate = invalidate,
};

/* ---- pages come ------------------------------------------------------------------------------ */

/* As cxr_ib_odp_page_in(), of an explicit MR or of a child, by the addresses of the process. */
static int map_pages(struct cxr_ib_odp_mr *mr, u64 va, u64 len, unsigned int flags)
	__context_unsafe("ib_core takes umem_mutex")
{
	bool write = mr->umem->umem.writable && !(flags & CXR_IB_ODP_READ_ONLY);
	u64 first = (va - ib_umem_start(mr->umem)) >> mr->umem->page_shift;
	struct pages pages = { .mr = mr, .first = first, .write = write };
	int n, err = 0;
	u64 end;

	n = ib_umem_odp_map_dma_and_lock(mr->umem, va, len, CXR_ODP_MASK(write),
					 !(flags & CXR_IB_ODP_PRESENT));
	if (n < 0)	/* -EBUSY: it was, again and again */
		return n == -EBUSY ? -EAGAIN : n;

	end = first + n;
	pages.end = end;
	/* The list has nothing of pages that are not there. */
	if (find_pages(mr, &first, &end))
		err = write_pages(mr, &pages, first, end - first);
	mutex_unlock(&mr->umem->umem_mutex);
	return err ?: pages.n;
}

/* With a reference; *made: it is a new one, which the list of its parent does not have yet. */
static struct cxr_ib_odp_mr *get_child(struct cxr_ib_odp_mr *mr, u64 slot, bool *made);

static int page_in_implicit(struct cxr_ib_odp_mr *mr, u64 va, u64 len, unsigned int flags)
{
	u64 first = mr->slots, last = 0, slot, part;
	struct cxr_ib_odp_mr *child;
	int n = 0, ret = 0, err = 0;
	bool made;

	if (va >= mr->slots * CHILD_BYTES || len > mr->slots * CHILD_BYTES - va)
		return -EFAULT;

	for (; len && ret >= 0; va += part, len -= part) {
		slot = va >> CXR_IB_ODP_LOG_CHILD;
		part = min_t(u64, len, (slot + 1) * CHILD_BYTES - va);
		child = get_child(mr, slot, &made);
		if (IS_ERR(child)) {
			ret = PTR_ERR(child);
			break;
		}
		if (made) {
			first = min(first, slot);
			last = slot;
		}
		ret = map_pages(child, va, part, flags);
		n += max(ret, 0);
		drop_empty_child(child);
		cxr_ib_odp_put(&child->key);
	}
	/*
	 * Also after an error: what is among the children must be in the list. A fault that finds a
	 * child before it is there resumes its request too early, and there is another fault.
	 */
	if (first < mr->slots)
		err = write_children(mr, first, last - first + 1);
	return ret < 0 ? ret : err ?: n;
}

int cxr_ib_odp_page_in(struct cxr_ib_odp_mr *mr, u64 va, u64 len, unsigned int flags)
{
	u64 offset = va - mr->iova, room;

	if (is_implicit(mr))
		return page_in_implicit(mr, va, len, flags);
	/* The last page is there as a whole: a fault may ask for more of it than the MR has. */
	room = ib_umem_end(mr->umem) - mr->umem->umem.address;
	if (va < mr->iova || offset >= room || len > room - offset)
		return -EFAULT;
	return map_pages(mr, mr->umem->umem.address + offset, len, flags);
}

u64 cxr_ib_odp_within(const struct cxr_ib_odp_mr *mr, u64 *va, u64 len)
{
	u64 size = is_implicit(mr) ? mr->slots * CHILD_BYTES : mr->length;
	u64 last = mr->iova + min(size - 1, U64_MAX - mr->iova);
	u64 end = *va + (len - 1);

	if (!len || end < mr->iova || *va > last)
		return 0;
	*va = max(*va, mr->iova);
	return min(end, last) - *va + 1;
}

/* ---- MRs ------------------------------------------------------------------------------------- */

/*
 * A key for @mr, whose list has room for its pages or children, and none of them. On success the
 * caller calls free_odp_mr().
 */
static int create_key(struct cxr_ib_odp_mr *mr)
{
	struct cxr_ib_xlt xlt = list_of(mr);
	struct cxr_umr_use use = {
		.pdn = to_cxr_pd(mr->pd)->pdn,
		.access = mr->access,
		.length64 = is_implicit(mr),
		.va = mr->iova,
		.len = mr->length,
		.log_page_size = is_implicit(mr) ? CXR_IB_ODP_LOG_CHILD : PAGE_SHIFT,
	};
	struct cxr_mkey_attr attr = {
		.kind = is_implicit(mr) ? CXR_MKEY_PAGING_ALL : CXR_MKEY_PAGING,
		.pdn = use.pdn,
		.access = mr->access,
		.npages = xlt.n,
	};
	int err;

	err = cxr_cmd_create_mkey(mr->dev->core, &attr, &mr->key.key);
	if (err)
		return err;

	xlt.key = mr->key.key;
	mutex_lock(&mr->umem->umem_mutex);
	err = cxr_ib_mkey_write(mr->dev, &xlt, 0, xlt.n, &use);
	mutex_unlock(&mr->umem->umem_mutex);
	if (err)
		cxr_cmd_destroy_mkey(mr->dev->core, mr->key.key);
	return err;
}

/* For the parts of an implicit MR that have no child: a fault there must tell whose they are. */
static int create_null_key(struct cxr_ib_odp_mr *mr)
{
	const struct cxr_mkey_attr attr = {
		.kind = CXR_MKEY_NULL,
		.pdn = to_cxr_pd(mr->pd)->pdn,
		.access = mr->access,
	};

	if (!is_implicit(mr) || !mr->dev->core->caps.odp_memory)
		return 0;
	mr->null.kind = CXR_IB_ODP_NULL;
	return cxr_cmd_create_mkey(mr->dev->core, &attr, &mr->null.key);
}

static int create_keys(struct cxr_ib_odp_mr *mr)
{
	int err;

	err = create_null_key(mr);
	if (err)
		return err;
	err = create_key(mr);
	if (err && mr->null.key)
		cxr_cmd_destroy_mkey(mr->dev->core, mr->null.key);
	return err;
}

/* Of memory @umem, which it owns on success. */
static struct cxr_ib_odp_mr *create_odp_mr(struct ib_pd *pd, u32 access, struct ib_umem_odp *umem,
					   u64 iova, u64 length)
{
	struct cxr_ib_odp_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	int err;

	if (!mr)
		return ERR_PTR(-ENOMEM);
	init_key(&mr->key);
	mr->key.kind = CXR_IB_ODP_MR;
	mr->dev = to_cxr_dev(pd->device);
	mr->pd = pd;
	mr->access = access;
	mr->umem = umem;
	mr->iova = iova;
	mr->length = length;
	mr->slots = DIV_ROUND_UP(min_t(u64, TASK_SIZE, ADDRESSES_MAX), CHILD_BYTES);
	xa_init(&mr->children);
	INIT_WORK(&mr->destroy, destroy_child);
	err = create_keys(mr);
	if (err) {
		kfree(mr);
		return ERR_PTR(err);
	}
	/* Before pages come in, and can go. */
	umem->private = mr;
	return mr;
}

static struct cxr_ib_odp_mr *create_child(struct cxr_ib_odp_mr *parent, u64 slot)
{
	struct cxr_ib_odp_mr *mr;
	struct ib_umem_odp *umem;
	int err;

	umem = ib_umem_odp_alloc_child(parent->umem, slot * CHILD_BYTES, CHILD_BYTES,
				       &notifier_ops);
	if (IS_ERR(umem))
		return ERR_CAST(umem);
	mr = create_odp_mr(parent->pd, parent->access, umem, slot * CHILD_BYTES, CHILD_BYTES);
	if (IS_ERR(mr)) {
		put_umem(umem);
		return mr;
	}
	mr->parent = parent;
	if (!mr->dev->core->caps.odp_memory)
		return mr;
	/* Before the device has it in a list. */
	mr->key.kind = CXR_IB_ODP_CHILD;
	err = add_key(mr->dev->odp, &mr->key);
	if (err) {
		mr->key.kind = CXR_IB_ODP_MR;
		free_odp_mr(mr);
		return ERR_PTR(err);
	}
	return mr;
}

static struct cxr_ib_odp_mr *find_child(struct cxr_ib_odp_mr *mr, u64 slot)
{
	struct cxr_ib_odp_mr *child;

	xa_lock(&mr->children);
	child = xa_load(&mr->children, slot);
	if (child)
		refcount_inc(&child->key.ref);
	xa_unlock(&mr->children);
	return child;
}

static struct cxr_ib_odp_mr *get_child(struct cxr_ib_odp_mr *mr, u64 slot, bool *made)
{
	struct cxr_ib_odp_mr *child;
	int err;

	*made = false;
	for (;;) {
		child = find_child(mr, slot);
		if (child)
			return child;
		child = create_child(mr, slot);
		if (IS_ERR(child))
			return child;
		refcount_inc(&child->key.ref);
		err = xa_insert(&mr->children, slot, child, GFP_KERNEL);
		*made = !err;
		if (!err)
			return child;
		free_odp_mr(child);
		/* Somebody else was faster. */
		if (err != -EBUSY)
			return ERR_PTR(err);
	}
}

/*
 * All memory of the process. ib_core only notes whose it is: others that have the device's file may
 * look for it after the process has ended. An explicit umem, and a child, have a notifier, which
 * keeps the mm.
 */
static struct ib_umem_odp *get_implicit_umem(struct cxr_ib_dev *dev, int access)
{
	struct ib_umem_odp *umem = ib_umem_odp_alloc_implicit(&dev->ibdev, access);

	if (!IS_ERR(umem))
		mmgrab(umem->umem.owning_mm);
	return umem;
}

static struct ib_umem_odp *get_umem(struct cxr_ib_dev *dev, u64 start, u64 length, u64 iova,
				    int access)
{
	const struct cxr_caps *caps = &dev->core->caps;

	if (!start && length == U64_MAX) {
		if (iova || !caps->odp_implicit)
			return ERR_PTR(-EINVAL);
		return get_implicit_umem(dev, access);
	}
	if (!length || (start ^ iova) & ~PAGE_MASK)
		return ERR_PTR(-EINVAL);
	if (!caps->umr_extended_translation_offset && length >= BYTES_MAX)
		return ERR_PTR(-EINVAL);
	/* Entries are for small pages, whatever the memory has: a large one may be split. */
	return ib_umem_odp_get(&dev->ibdev, start, length, access & ~IB_ACCESS_HUGETLB,
			       &notifier_ops);
}

/* Faults find it; and what is in memory already comes in, if it can. */
static int publish(struct cxr_ib_odp_mr *mr)
{
	int ret;

	ret = add_key(mr->dev->odp, &mr->key);
	if (!ret && mr->null.key)
		ret = add_key(mr->dev->odp, &mr->null);
	if (ret || is_implicit(mr))
		return ret;
	ret = map_pages(mr, mr->umem->umem.address, mr->length, CXR_IB_ODP_PRESENT);
	return ret == -EAGAIN ? 0 : min(ret, 0);
}

struct ib_mr *cxr_ib_odp_reg(struct ib_pd *ibpd, u64 start, u64 length, u64 iova, int access)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibpd->device);
	u32 rights = cxr_ib_device_access(&dev->core->caps, access);
	struct ib_umem_odp *umem;
	struct cxr_ib_mr *mr;
	int err;

	err = dev->odp ? cxr_ib_odp_start(dev->odp) : -EOPNOTSUPP;
	if (err)
		return ERR_PTR(err);
	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	umem = get_umem(dev, start, length, iova, access);
	err = PTR_ERR_OR_ZERO(umem);
	if (err)
		goto err_free;
	mr->odp = create_odp_mr(ibpd, rights, umem, iova, umem->is_implicit_odp ? 0 : length);
	err = PTR_ERR_OR_ZERO(mr->odp);
	if (err)
		goto err_release;
	mr->odp->flags = access;
	err = publish(mr->odp);
	if (err) {
		cxr_ib_odp_dereg(mr->odp);
		goto err_free;
	}
	mr->ibmr.lkey = mr->odp->key.key;
	mr->ibmr.rkey = mr->odp->key.key;
	return &mr->ibmr;

err_release:
	put_umem(umem);
err_free:
	kfree(mr);
	ibdev_dbg(&dev->ibdev, "MR: on-demand paging of %#llx bytes at %#llx failed: %d\n", length,
		  start, err);
	return ERR_PTR(err);
}

int cxr_ib_odp_access(const struct cxr_ib_odp_mr *mr)
{
	return mr->flags;
}

struct ib_mr *cxr_ib_odp_rereg(const struct cxr_ib_odp_mr *mr, struct ib_pd *pd, int access)
{
	/* After fork() there may be other memory at its address. */
	if (mr->umem->umem.owning_mm != current->mm)
		return ERR_PTR(-EINVAL);
	if (is_implicit(mr))
		return cxr_ib_odp_reg(pd, 0, U64_MAX, 0, access);
	return cxr_ib_odp_reg(pd, mr->umem->umem.address, mr->length, mr->iova, access);
}

void cxr_ib_odp_dereg(struct cxr_ib_odp_mr *mr)
{
	struct cxr_ib_odp_mr *child;
	unsigned long slot;

	if (mr->null.key)
		remove_key(mr->dev->odp, &mr->null);
	remove_key(mr->dev->odp, &mr->key);
	wait_unused(&mr->key);
	mutex_lock(&mr->umem->umem_mutex);
	stop(mr);
	mutex_unlock(&mr->umem->umem_mutex);
	/* Those that are left: nobody drops one any more. */
	xa_for_each(&mr->children, slot, child) {
		xa_erase(&mr->children, slot);
		free_odp_mr(child);
	}
	xa_destroy(&mr->children);
	free_odp_mr(mr);
}

/* ---- memory windows -------------------------------------------------------------------------- */

int cxr_ib_odp_add_window(struct cxr_ib_dev *dev, u32 rkey, u32 parts)
{
	struct cxr_ib_odp_key *key;
	int err;

	if (!dev->odp)
		return 0;
	key = kzalloc(sizeof(*key), GFP_KERNEL);
	if (!key)
		return -ENOMEM;
	init_key(key);
	key->kind = CXR_IB_ODP_WINDOW;
	key->key = rkey;
	key->parts = min_t(u32, parts, PARTS_MAX);
	err = add_key(dev->odp, key);
	if (err)
		kfree(key);
	return err;
}

void cxr_ib_odp_remove_window(struct cxr_ib_dev *dev, u32 rkey)
{
	struct cxr_ib_odp_key *key = dev->odp ? xa_erase(&dev->odp->keys, rkey >> 8) : NULL;

	if (!key)
		return;
	wait_unused(key);
	kfree(key);
}
