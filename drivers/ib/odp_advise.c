// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* On-demand paging: memory that programs ask for in advance, and what they are told. See odp.h. */
#include <linux/slab.h>
#include <rdma/restrack.h>

#include "odp.h"

struct prefetch {
	struct cxr_ib_odp_mr *mr;	/* with a reference */
	u64 va, len;
};

struct prefetches {
	struct work_struct work;
	unsigned int flags;
	u32 n;
	struct prefetch list[];
};

static int check(const struct cxr_ib_odp_key *key, const struct ib_pd *pd, u32 lkey, bool write)
{
	const struct cxr_ib_odp_mr *mr = container_of(key, struct cxr_ib_odp_mr, key);

	if (!key || key->key != lkey)
		return -ENOENT;
	if (key->kind != CXR_IB_ODP_MR)
		return -EINVAL;
	return mr->pd != pd || (write && !mr->umem->umem.writable) ? -EPERM : 0;
}

/* With a reference. */
static struct cxr_ib_odp_mr *get_mr(struct cxr_ib_odp *odp, const struct ib_pd *pd, u32 lkey,
				    bool write)
{
	struct cxr_ib_odp_key *key;
	int err;

	xa_lock(&odp->keys);
	key = xa_load(&odp->keys, lkey >> 8);
	err = check(key, pd, lkey, write);
	if (!err)
		refcount_inc(&key->ref);
	xa_unlock(&odp->keys);
	return err ? ERR_PTR(err) : to_odp_mr(key);
}

static int run(const struct prefetch *prefetch, unsigned int flags)
{
	int ret = cxr_ib_odp_page_in(prefetch->mr, prefetch->va, prefetch->len, flags);

	if (ret > 0)
		atomic64_add(ret, &prefetch->mr->prefetches);
	return min(ret, 0);
}

static void free_prefetches(struct prefetches *all)
{
	u32 i;

	for (i = 0; i < all->n; i++)
		cxr_ib_odp_put(&all->list[i].mr->key);
	kvfree(all);
}

/* Nobody learns of errors, which the request that needs the memory has again. */
static void prefetch_work(struct work_struct *work)
{
	struct prefetches *all = container_of(work, struct prefetches, work);
	u32 i;

	for (i = 0; i < all->n; i++)
		run(&all->list[i], all->flags);
	free_prefetches(all);
}

static int advise_mr(struct ib_pd *ibpd, enum ib_uverbs_advise_mr_advice advice, u32 flags,
		     struct ib_sge *sges, u32 n, struct uverbs_attr_bundle *attrs)
{
	bool write = advice == IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE;
	struct cxr_ib_odp *odp = to_cxr_dev(ibpd->device)->odp;
	struct prefetches *all;
	struct prefetch *one;
	int err = 0;
	u32 i;

	if (advice != IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH && !write &&
	    advice != IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT)
		return -EOPNOTSUPP;

	all = kvzalloc(struct_size(all, list, n), GFP_KERNEL);
	if (!all)
		return -ENOMEM;
	INIT_WORK(&all->work, prefetch_work);
	if (advice == IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH)
		all->flags = CXR_IB_ODP_READ_ONLY;
	else if (!write)
		all->flags = CXR_IB_ODP_PRESENT;
	for (i = 0; !err && i < n; i++) {
		one = &all->list[i];
		one->mr = get_mr(odp, ibpd, sges[i].lkey, write);
		err = PTR_ERR_OR_ZERO(one->mr);
		if (err)
			break;
		one->va = sges[i].addr;
		one->len = sges[i].length;
		all->n++;
		if (flags & IB_UVERBS_ADVISE_MR_FLAG_FLUSH)
			err = run(one, all->flags);
	}
	if (!err && !(flags & IB_UVERBS_ADVISE_MR_FLAG_FLUSH))
		queue_work(odp->later, &all->work);
	else
		free_prefetches(all);
	return err;
}

/* ---- what the stack calls -------------------------------------------------------------------- */

/* `rdma resource show mr -dd` */
static int fill_res_mr(struct sk_buff *msg, struct ib_mr *ibmr)
{
	const struct cxr_ib_odp_mr *mr = to_cxr_mr(ibmr)->odp;
	struct nlattr *table;

	if (!mr)
		return 0;
	table = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
	if (!table)
		return -EMSGSIZE;
	if (rdma_nl_put_driver_string(msg, "odp", mr->length ? "explicit" : "implicit")) {
		nla_nest_cancel(msg, table);
		return -EMSGSIZE;
	}
	nla_nest_end(msg, table);
	return 0;
}

/* `rdma statistic show mr` */
static int fill_stat_mr(struct sk_buff *msg, struct ib_mr *ibmr)
{
	struct cxr_ib_odp_mr *mr = to_cxr_mr(ibmr)->odp;
	struct nlattr *table;

	if (!mr)
		return 0;
	table = nla_nest_start(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS);
	if (!table)
		return -EMSGSIZE;
	if (rdma_nl_stat_hwcounter_entry(msg, "page_faults", atomic64_read(&mr->faults)) ||
	    rdma_nl_stat_hwcounter_entry(msg, "page_invalidations",
					 atomic64_read(&mr->invalidations)) ||
	    rdma_nl_stat_hwcounter_entry(msg, "page_prefetch", atomic64_read(&mr->prefetches))) {
		nla_nest_cancel(msg, table);
		return -EMSGSIZE;
	}
	nla_nest_end(msg, table);
	return 0;
}

const struct ib_device_ops cxr_ib_odp_ops = {
	.advise_mr = advise_mr,
	.fill_res_mr_entry = fill_res_mr,
	.fill_stat_mr_entry = fill_stat_mr,
};
