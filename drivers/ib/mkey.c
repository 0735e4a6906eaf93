// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Memory keys of user memory.
 *
 * CREATE_MKEY and DESTROY_MKEY take hundreds of microseconds on cards, a UMR work request takes a
 * few. So the key of a deregistered MR is revoked instead of destroyed, and kept for the next MR of
 * its size. Nothing is created in advance: a program's first MRs cost a command each.
 *
 * A key that is kept cannot be used: it is free, and belongs to the driver's PD, so that the
 * program's can go. It comes back with another variant, and the one that was freed first comes back
 * first: an old lkey or rkey matches again only after 256 uses of the key by others.
 */
#include <linux/log2.h>
#include <linux/slab.h>

#include "ib.h"

/* Pages that the list of a key has room for. A UMR WQE writes whole blocks. */
#define LOG_ROOM_MIN	ilog2(CXR_UMR_PAGES_ALIGN)
#define ROOMS		(CXR_IB_UMR_LOG_PAGES - LOG_ROOM_MIN + 1)

/* What UMR cannot change: relaxed ordering, on some devices atomic access. */
#define KIND_RELAXED	1
#define KIND_ATOMIC	2
#define KINDS		4

/* Of a device: 2 MiB of lists at most. */
#define KEPT_MAX	1024
#define KEPT_PAGES_MAX	(256 * 1024)

struct kept_mkey {
	struct list_head list;	/* of its kind and room */
	struct list_head all;
	u32 mkey;
	u8 log_room;
};

/* Revoked keys. Each list has the one that was revoked first at its head. */
struct cxr_ib_mkeys {
	struct list_head lists[KINDS][ROOMS];
	struct list_head all;
	u32 n, pages;
};

u32 cxr_ib_device_access(const struct cxr_caps *caps, int access)
{
	u32 flags = 0;

	if (access & IB_ACCESS_LOCAL_WRITE)
		flags |= CXR_ACCESS_LOCAL_WRITE;
	if (access & IB_ACCESS_REMOTE_WRITE)
		flags |= CXR_ACCESS_REMOTE_WRITE;
	if (access & IB_ACCESS_REMOTE_READ)
		flags |= CXR_ACCESS_REMOTE_READ;
	if (access & IB_ACCESS_REMOTE_ATOMIC && caps->atomic)
		flags |= CXR_ACCESS_REMOTE_ATOMIC;
	if (access & IB_ACCESS_RELAXED_ORDERING)
		flags |= CXR_ACCESS_RELAXED_ORDERING;
	return flags;
}

/* Room for a list of @npages that UMR can replace, as a power of two; 0: UMR cannot. */
static u8 log_room_for(const struct cxr_caps *caps, u32 npages)
{
	u8 log = max_t(u8, order_base_2(npages), LOG_ROOM_MIN);

	if (!cxr_ib_umr_sets_list(caps))
		return 0;
	return log <= CXR_IB_UMR_LOG_PAGES ? log : 0;
}

static struct list_head *kept_list(struct cxr_ib_dev *dev, u8 log_room, u32 access)
	__must_hold(&dev->umr_lock)
{
	unsigned int kind = 0;

	if (access & CXR_ACCESS_RELAXED_ORDERING)
		kind |= KIND_RELAXED;
	if (access & CXR_ACCESS_REMOTE_ATOMIC && !cxr_ib_umr_sets_atomic(&dev->core->caps))
		kind |= KIND_ATOMIC;
	return &dev->mkeys->lists[kind][log_room - LOG_ROOM_MIN];
}

static int create_mkeys(struct cxr_ib_dev *dev)
	__must_hold(&dev->umr_lock)
{
	unsigned int kind, room;

	dev->mkeys = kzalloc(sizeof(*dev->mkeys), GFP_KERNEL);
	if (!dev->mkeys)
		return -ENOMEM;
	INIT_LIST_HEAD(&dev->mkeys->all);
	for (kind = 0; kind < KINDS; kind++)
		for (room = 0; room < ROOMS; room++)
			INIT_LIST_HEAD(&dev->mkeys->lists[kind][room]);
	return 0;
}

static void take(struct cxr_ib_mkeys *mkeys, struct kept_mkey *kept)
{
	list_del(&kept->list);
	list_del(&kept->all);
	mkeys->n--;
	mkeys->pages -= BIT(kept->log_room);
}

static void destroy_kept(struct cxr_ib_dev *dev, struct kept_mkey *kept)
	__must_hold(&dev->umr_lock)
{
	take(dev->mkeys, kept);
	cxr_cmd_destroy_mkey(dev->core, kept->mkey);
	kfree(kept);
}

/* Also after a UMR that failed: the keys refer to the PD of its QP. */
static void drop_mkeys(struct cxr_ib_dev *dev)
	__must_hold(&dev->umr_lock)
{
	struct kept_mkey *kept, *tmp;

	if (dev->mkeys)
		list_for_each_entry_safe(kept, tmp, &dev->mkeys->all, all)
			destroy_kept(dev, kept);
	kfree(dev->mkeys);
	dev->mkeys = NULL;
	cxr_ib_umr_down(dev);
}

void cxr_ib_mkeys_down(void *owner)
{
	struct cxr_ib_dev *dev = owner;
	unsigned int flags = cxr_ib_umr_lock(dev);

	drop_mkeys(dev);
	cxr_ib_umr_unlock(dev, flags);
}

/* ---- keys of MRs ----------------------------------------------------------------------------- */

static struct kept_mkey *take_kept(struct cxr_ib_dev *dev, u8 log_room, u32 access)
{
	struct kept_mkey *kept;

	lockdep_assert_held(&dev->umr_lock);
	if (!dev->mkeys)
		return NULL;
	kept = list_first_entry_or_null(kept_list(dev, log_room, access), struct kept_mkey, list);
	if (kept)
		take(dev->mkeys, kept);
	return kept;
}

static u32 next_variant(u32 mkey)
{
	return (mkey & ~0xffu) | ((mkey + 1) & 0xff);
}

/* -ENOENT: there is none. After another error the key that was taken is gone. */
static int use_kept(struct cxr_ib_dev *dev, const struct cxr_mkey_attr *attr, u8 log_room,
		    u32 *mkey)
	__must_hold(&dev->umr_lock)
{
	struct cxr_fast_reg reg = {
		.access = attr->access,
		.va = attr->va,
		.len = attr->len,
		.npages = attr->npages,
		.log_page_size = attr->log_page_size,
	};
	struct kept_mkey *kept = take_kept(dev, log_room, attr->access);
	int err;

	if (!kept)
		return -ENOENT;

	reg.key = next_variant(kept->mkey);
	err = cxr_ib_umr_enable(dev, &reg, attr->dma, attr->pdn,
				cxr_ib_umr_sets_atomic(&dev->core->caps));
	if (err) {
		/* Nobody has seen the key, so nothing refers to it. */
		cxr_cmd_destroy_mkey(dev->core, kept->mkey);
		drop_mkeys(dev);
	}
	kfree(kept);
	*mkey = reg.key;
	return err;
}

int cxr_ib_mkey_create(struct cxr_ib_dev *dev, struct cxr_mkey_attr *attr, u32 *mkey, u8 *log_room)
{
	unsigned int flags;
	int err = -ENOENT;

	*log_room = log_room_for(&dev->core->caps, attr->npages);
	if (*log_room) {
		flags = cxr_ib_umr_lock(dev);
		err = use_kept(dev, attr, *log_room, mkey);
		cxr_ib_umr_unlock(dev, flags);
		attr->room = BIT(*log_room);
	}
	return err ? cxr_cmd_create_mkey(dev->core, attr, mkey) : 0;
}

static bool fits(const struct cxr_ib_mkeys *mkeys, u8 log_room)
{
	return mkeys->n < KEPT_MAX && mkeys->pages + BIT(log_room) <= KEPT_PAGES_MAX;
}

/*
 * May a key be kept? The oldest one may have to go, so that keys of sizes that nobody uses any more
 * do not fill the place for ever; only one, since that takes a command.
 */
static bool make_place(struct cxr_ib_dev *dev, u8 log_room)
	__must_hold(&dev->umr_lock)
{
	struct cxr_ib_mkeys *mkeys;

	if (cxr_core_dead(dev->core) || (!dev->mkeys && create_mkeys(dev)))
		return false;

	mkeys = dev->mkeys;
	if (!fits(mkeys, log_room))
		destroy_kept(dev, list_first_entry(&mkeys->all, struct kept_mkey, all));
	return fits(mkeys, log_room);
}

/* Revokes and keeps the key, or destroys it. On success owns @kept. */
static int keep_mkey(struct cxr_ib_dev *dev, struct kept_mkey *kept, u8 log_room, u32 access)
{
	int err;

	lockdep_assert_held(&dev->umr_lock);
	if (!make_place(dev, log_room))
		return -ENOSPC;
	err = cxr_ib_umr_revoke(dev, kept->mkey);
	if (err)
		return err;

	kept->log_room = log_room;
	list_add_tail(&kept->list, kept_list(dev, log_room, access));
	list_add_tail(&kept->all, &dev->mkeys->all);
	dev->mkeys->n++;
	dev->mkeys->pages += BIT(log_room);
	return 0;
}

int cxr_ib_mkey_destroy(struct cxr_ib_dev *dev, u32 mkey, u8 log_room, u32 access)
{
	struct kept_mkey *kept = log_room ? kmalloc(sizeof(*kept), GFP_KERNEL) : NULL;
	unsigned int flags;
	int err, keep;

	if (!kept)
		return cxr_cmd_destroy_mkey(dev->core, mkey);

	kept->mkey = mkey;
	flags = cxr_ib_umr_lock(dev);
	keep = keep_mkey(dev, kept, log_room, access);
	if (!keep) {
		cxr_ib_umr_unlock(dev, flags);
		return 0;
	}
	err = cxr_cmd_destroy_mkey(dev->core, mkey);
	/* After the key, which may refer to the PD. */
	if (keep != -ENOSPC)
		drop_mkeys(dev);
	cxr_ib_umr_unlock(dev, flags);
	kfree(kept);
	return err;
}

int cxr_ib_mkey_change(struct cxr_ib_dev *dev, u32 mkey, u32 pdn, u32 access)
{
	unsigned int flags = cxr_ib_umr_lock(dev);
	int err;

	err = cxr_ib_umr_change(dev, mkey, pdn, access, cxr_ib_umr_sets_atomic(&dev->core->caps));
	if (err)
		drop_mkeys(dev);
	cxr_ib_umr_unlock(dev, flags);
	return err;
}

/* ---- keys of memory that comes and goes ------------------------------------------------------ */

/* A part of a list, of bytes *at to @end. *at: where the next one begins. */
static int write_part(struct cxr_ib_dev *dev, const struct cxr_ib_xlt *xlt, u64 *at, u64 end,
		      const struct cxr_umr_use *use)
{
	unsigned int flags = cxr_ib_umr_lock(dev);
	int err;

	err = cxr_ib_umr_list(dev, xlt, at, end, use);
	if (err && err != -EFAULT)	/* of xlt->fill() */
		drop_mkeys(dev);
	cxr_ib_umr_unlock(dev, flags);
	return err;
}

/*
 * A list may be of gigabytes of memory: others, which may be taking memory back, have their turn
 * after each part.
 */
int cxr_ib_mkey_write(struct cxr_ib_dev *dev, const struct cxr_ib_xlt *xlt, u64 first, u64 n,
		      struct cxr_umr_use *use)
{
	u64 at = ALIGN_DOWN(first << xlt->log_entry, CXR_UMR_BLOCK);
	u64 end = ALIGN((first + n) << xlt->log_entry, CXR_UMR_BLOCK);
	int err = 0;

	if (use)
		use->atomic = cxr_ib_umr_sets_atomic(&dev->core->caps);
	while (!err && at < end)
		err = cxr_core_dead(dev->core) ? -ENODEV : write_part(dev, xlt, &at, end, use);
	return err;
}

int cxr_ib_mkey_stop(struct cxr_ib_dev *dev, u32 mkey, u32 pdn, bool *gone)
{
	unsigned int flags;
	int err;

	*gone = false;
	if (cxr_core_dead(dev->core))
		return 0;
	flags = cxr_ib_umr_lock(dev);
	err = cxr_ib_umr_stop(dev, mkey, pdn);
	if (err) {
		err = cxr_cmd_destroy_mkey(dev->core, mkey);
		*gone = !err;
		drop_mkeys(dev);
	}
	cxr_ib_umr_unlock(dev, flags);
	return err;
}
