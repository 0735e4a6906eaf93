// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Memory regions. */
#include <linux/slab.h>

#include "ib.h"

#define ACCESS_SUPPORTED	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | \
				 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC | \
				 IB_ZERO_BASED | IB_ACCESS_HUGETLB | IB_ACCESS_OPTIONAL)

/* The mkey's page size is a 5-bit logarithm. */
#define PAGE_SIZES	GENMASK_ULL(31, 12)

/* Atomics are left out where the device has none: it refuses them by itself. */
static u32 device_access(const struct cxr_caps *caps, int access)
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

static struct ib_mr *create_mr(struct cxr_ib_dev *dev, const struct cxr_mkey_attr *attr,
			       struct ib_umem *umem)
{
	struct cxr_ib_mr *mr;
	int err;

	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);

	err = cxr_cmd_create_mkey(dev->core, attr, &mr->mkey);
	if (err) {
		kfree(mr);
		return ERR_PTR(err);
	}

	mr->umem = umem;
	mr->ibmr.lkey = mr->mkey;
	mr->ibmr.rkey = mr->mkey;
	return &mr->ibmr;
}

struct ib_mr *cxr_ib_get_dma_mr(struct ib_pd *ibpd, int access)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibpd->device);
	struct cxr_mkey_attr attr = {
		.pdn = to_cxr_pd(ibpd)->pdn,
		.access = device_access(&dev->core->caps, access),
		.whole_memory = true,
	};

	return create_mr(dev, &attr, NULL);
}

/* Registers pinned memory; the umem goes to the MR. */
static struct ib_mr *register_umem(struct cxr_ib_dev *dev, struct ib_umem *umem,
				   struct cxr_mkey_attr *attr)
{
	unsigned long page_size = ib_umem_find_best_pgsz(umem, PAGE_SIZES, attr->va);
	struct ib_mr *ibmr;
	dma_addr_t *list;

	if (!page_size) {
		ibdev_dbg(&dev->ibdev, "MR: %#llx is not where its memory is within a page\n",
			  attr->va);
		return ERR_PTR(-EINVAL);
	}

	list = cxr_ib_umem_list(umem, page_size, &attr->npages);
	if (!list)
		return ERR_PTR(-ENOMEM);

	attr->dma = list;
	attr->log_page_size = __ffs(page_size);
	ibmr = create_mr(dev, attr, umem);
	kvfree(list);
	return ibmr;
}

struct ib_mr *cxr_ib_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length, u64 virt_addr,
				 int access CXR_REG_MR_DMAH_PARAM, struct ib_udata *udata)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibpd->device);
	struct cxr_mkey_attr attr = {
		.pdn = to_cxr_pd(ibpd)->pdn,
		.access = device_access(&dev->core->caps, access),
		.va = virt_addr,
		.len = length,
	};
	struct ib_umem *umem;
	struct ib_mr *ibmr;

	if (access & ~ACCESS_SUPPORTED || CXR_REG_MR_HAS_DMAH) {
		ibdev_dbg(&dev->ibdev, "MR: access %#x or a DMA handle: not supported\n", access);
		return ERR_PTR(-EOPNOTSUPP);
	}

	umem = cxr_umem_get(&dev->ibdev, start, length, access);
	if (IS_ERR(umem)) {
		ibdev_dbg(&dev->ibdev, "MR: %#llx bytes at %#llx cannot be pinned: %ld\n", length,
			  start, PTR_ERR(umem));
		return ERR_CAST(umem);
	}

	ibmr = register_umem(dev, umem, &attr);
	if (IS_ERR(ibmr))
		ib_umem_release(umem);
	return ibmr;
}

int cxr_ib_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibmr->device);
	struct cxr_ib_mr *mr = to_cxr_mr(ibmr);
	int err;

	/*
	 * Memory that the device may still write stays pinned; -ENODEV says that it cannot any
	 * more.
	 */
	err = cxr_cmd_destroy_mkey(dev->core, mr->mkey);
	if (err && err != -ENODEV)
		return err;

	if (mr->umem)
		ib_umem_release(mr->umem);
	kfree(mr);
	return 0;
}
