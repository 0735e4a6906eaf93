// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Memory regions. */
#include <linux/log2.h>
#include <linux/slab.h>

#include "ib.h"

#define ACCESS_SUPPORTED	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | \
				 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC | \
				 IB_ACCESS_MW_BIND | IB_ZERO_BASED | IB_ACCESS_HUGETLB | \
				 IB_ACCESS_OPTIONAL)

#define ACCESS_DM		(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | \
				 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC | IB_ZERO_BASED)

/* The mkey's page size is a 5-bit logarithm. */
#define PAGE_SIZES	GENMASK_ULL(31, 12)

static struct ib_mr *create_mr(struct cxr_ib_dev *dev, struct cxr_mkey_attr *attr,
			       struct ib_umem *umem)
{
	struct cxr_ib_mr *mr;
	int err;

	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);

	if (umem)
		err = cxr_ib_mkey_create(dev, attr, &mr->mkey, &mr->log_room);
	else
		err = cxr_cmd_create_mkey(dev->core, attr, &mr->mkey);
	if (err) {
		kfree(mr);
		return ERR_PTR(err);
	}

	mr->umem = umem;
	mr->access = attr->access;
	mr->ibmr.lkey = mr->mkey;
	mr->ibmr.rkey = mr->mkey;
	return &mr->ibmr;
}

struct ib_mr *cxr_ib_get_dma_mr(struct ib_pd *ibpd, int access)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibpd->device);
	struct cxr_mkey_attr attr = {
		.kind = CXR_MKEY_ALL,
		.pdn = to_cxr_pd(ibpd)->pdn,
		.access = cxr_ib_device_access(&dev->core->caps, access),
	};

	return create_mr(dev, &attr, NULL);
}

/* ---- memory of user space ---- */

/* Registers pinned memory. On success the MR owns @umem. */
static struct ib_mr *register_umem(struct cxr_ib_dev *dev, struct ib_umem *umem,
				   struct cxr_mkey_attr *attr)
{
	unsigned long page_size = ib_umem_find_best_pgsz(umem, PAGE_SIZES, attr->va);
	struct ib_mr *ibmr;
	dma_addr_t *list;

	if (!page_size) {
		ibdev_dbg(&dev->ibdev, "MR: IOVA %#llx and address differ in page offset\n",
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
	if (!IS_ERR(ibmr))
		to_cxr_mr(ibmr)->va = attr->va;
	return ibmr;
}

static struct ib_mr *pin_and_register(struct cxr_ib_dev *dev, u64 start, int access,
				      struct cxr_mkey_attr *attr)
{
	struct ib_umem *umem = cxr_umem_get(&dev->ibdev, start, attr->len, access);
	struct ib_mr *ibmr;

	if (IS_ERR(umem)) {
		ibdev_dbg(&dev->ibdev, "MR: failed to pin %#llx bytes at %#llx: %ld\n", attr->len,
			  start, PTR_ERR(umem));
		return ERR_CAST(umem);
	}

	ibmr = register_umem(dev, umem, attr);
	if (IS_ERR(ibmr))
		ib_umem_release(umem);
	return ibmr;
}

static int check_mr_access(struct cxr_ib_dev *dev, int access)
{
	if (access & ~ACCESS_SUPPORTED) {
		ibdev_dbg(&dev->ibdev, "MR: unsupported access flags %#x\n", access);
		return -EOPNOTSUPP;
	}
	if (access & IB_ACCESS_MW_BIND && !dev->core->caps.imaicl) {
		ibdev_dbg(&dev->ibdev, "MR: memory windows are not supported by the device\n");
		return -EOPNOTSUPP;
	}
	return 0;
}

struct ib_mr *cxr_ib_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length, u64 virt_addr,
				 int access CXR_REG_MR_DMAH_PARAM, struct ib_udata *udata)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibpd->device);
	struct cxr_mkey_attr attr = {
		.pdn = to_cxr_pd(ibpd)->pdn,
		.access = cxr_ib_device_access(&dev->core->caps, access),
		.va = virt_addr,
		.len = length,
	};
	int err = check_mr_access(dev, access & ~IB_ACCESS_ON_DEMAND);

	if (err)
		return ERR_PTR(err);
	if (CXR_REG_MR_HAS_DMAH) {
		ibdev_dbg(&dev->ibdev, "MR: DMA handles are not supported\n");
		return ERR_PTR(-EOPNOTSUPP);
	}
	if (access & IB_ACCESS_ON_DEMAND)
		return cxr_ib_odp_reg(ibpd, start, length, virt_addr, access);
	return pin_and_register(dev, start, access, &attr);
}

/* The exporter does not move pinned memory. */
struct ib_mr *cxr_ib_reg_user_mr_dmabuf(struct ib_pd *ibpd, u64 offset, u64 length, u64 virt_addr,
					int fd, int access CXR_REG_MR_DMAH_PARAM,
					cxr_reg_dmabuf_arg *arg)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibpd->device);
	struct cxr_mkey_attr attr = {
		.pdn = to_cxr_pd(ibpd)->pdn,
		.access = cxr_ib_device_access(&dev->core->caps, access),
		.va = virt_addr,
		.len = length,
	};
	struct ib_umem_dmabuf *dmabuf;
	struct ib_mr *ibmr;
	int err = check_mr_access(dev, access);

	if (err)
		return ERR_PTR(err);
	if (CXR_REG_MR_HAS_DMAH) {
		ibdev_dbg(&dev->ibdev, "MR: DMA handles are not supported\n");
		return ERR_PTR(-EOPNOTSUPP);
	}

	dmabuf = ib_umem_dmabuf_get_pinned(&dev->ibdev, offset, length, fd, access);
	if (IS_ERR(dmabuf)) {
		ibdev_dbg(&dev->ibdev, "MR: failed to pin dma-buf %d: %ld\n", fd, PTR_ERR(dmabuf));
		return ERR_CAST(dmabuf);
	}

	ibmr = register_umem(dev, &dmabuf->umem, &attr);
	if (IS_ERR(ibmr))
		ib_umem_release(&dmabuf->umem);
	return ibmr;
}

/*
 * Registers the same memory with a new mkey. The old one is destroyed first: if that failed later,
 * its memory could be unpinned under it. If creation fails, the MR keeps its memory and has no
 * mkey.
 */
static struct ib_mr *replace_mkey(struct cxr_ib_dev *dev, struct cxr_ib_mr *mr,
				  struct cxr_mkey_attr *attr)
{
	struct ib_mr *ibmr;
	int err;

	err = cxr_cmd_destroy_mkey(dev->core, mr->mkey);
	if (err)
		return ERR_PTR(err);

	mr->mkey = 0;
	ibmr = register_umem(dev, mr->umem, attr);
	if (!IS_ERR(ibmr))
		mr->umem = NULL;
	return ibmr;
}

/* Can a UMR change the access to @access? */
static bool can_keep_key(const struct cxr_ib_dev *dev, const struct cxr_ib_mr *mr, u32 access)
{
	const struct cxr_caps *caps = &dev->core->caps;
	u32 fixed = CXR_ACCESS_RELAXED_ORDERING;

	if (caps->umr_modify_atomic_disabled)
		fixed |= CXR_ACCESS_REMOTE_ATOMIC;
	return cxr_ib_has_umr(caps) && !((mr->access ^ access) & fixed);
}

/* To, from, and with on-demand paging: the memory is registered anew. */
static struct ib_mr *rereg_odp(struct cxr_ib_mr *mr, int flags, u64 start, u64 length, u64 iova,
			       int access, struct ib_pd *pd)
{
	struct cxr_ib_dev *dev = to_cxr_dev(pd->device);
	struct cxr_mkey_attr attr = {
		.pdn = to_cxr_pd(pd)->pdn,
		.access = cxr_ib_device_access(&dev->core->caps, access),
		.va = iova,
		.len = length,
	};
	int err = check_mr_access(dev, access & ~IB_ACCESS_ON_DEMAND);

	if (err)
		return ERR_PTR(err);
	if (flags & ~IB_MR_REREG_SUPPORTED)
		return ERR_PTR(-EOPNOTSUPP);
	if (flags & IB_MR_REREG_TRANS)
		return access & IB_ACCESS_ON_DEMAND ?
		       cxr_ib_odp_reg(pd, start, length, iova, access) :
		       pin_and_register(dev, start, access, &attr);
	if (!mr->odp || !(access & IB_ACCESS_ON_DEMAND))
		return ERR_PTR(-EOPNOTSUPP);
	return cxr_ib_odp_rereg(mr->odp, pd, access);
}

/*
 * Access and PD are changed in place if the device can. Everything else creates a new MR, with a
 * new mkey, which replaces the old MR: ib_core then deregisters that.
 */
struct ib_mr *cxr_ib_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start, u64 length, u64 iova,
				   int access, struct ib_pd *new_pd, struct ib_udata *udata)
{
	struct ib_pd *pd = flags & IB_MR_REREG_PD ? new_pd : ibmr->pd;
	struct cxr_ib_dev *dev = to_cxr_dev(ibmr->device);
	struct cxr_ib_mr *mr = to_cxr_mr(ibmr);
	struct cxr_mkey_attr attr = {
		.pdn = to_cxr_pd(pd)->pdn,
		.access = mr->access,
	};
	int err;

	if (!(flags & IB_MR_REREG_ACCESS) && mr->odp)
		access = cxr_ib_odp_access(mr->odp);
	if (mr->odp || (flags & IB_MR_REREG_ACCESS && access & IB_ACCESS_ON_DEMAND))
		return rereg_odp(mr, flags, start, length, iova, access, pd);
	if (flags & ~IB_MR_REREG_SUPPORTED || !mr->umem || mr->umem->is_dmabuf || !mr->mkey) {
		ibdev_dbg(&dev->ibdev, "MR %#x: reregistration with flags %#x is not supported\n",
			  mr->mkey, flags);
		return ERR_PTR(-EOPNOTSUPP);
	}
	if (flags & IB_MR_REREG_ACCESS) {
		err = check_mr_access(dev, access);
		if (err)
			return ERR_PTR(err);
		attr.access = cxr_ib_device_access(&dev->core->caps, access);
	} else {
		access = mr->umem->writable ? IB_ACCESS_LOCAL_WRITE : 0;
	}

	if (flags & IB_MR_REREG_TRANS) {
		attr.va = iova;
		attr.len = length;
		return pin_and_register(dev, start, access, &attr);
	}
	/*
	 * Memory pinned for reading is not pinned again for writing: at its address there may be
	 * other memory now, or that of another process.
	 */
	if (ib_access_writable(access) && !mr->umem->writable) {
		ibdev_dbg(&dev->ibdev, "MR %#x: its memory was pinned for reading\n", mr->mkey);
		return ERR_PTR(-EACCES);
	}
	attr.va = mr->va;
	attr.len = mr->umem->length;
	if (can_keep_key(dev, mr, attr.access) &&
	    !cxr_ib_mkey_change(dev, mr->mkey, attr.pdn, attr.access)) {
		mr->access = attr.access;
		return NULL;
	}
	return replace_mkey(dev, mr, &attr);
}

/* ---- memory of the device ---- */

/* A key of its own kind, whose addresses are from 0 on, and which no UMR changes. */
struct ib_mr *cxr_ib_reg_dm_mr(struct ib_pd *ibpd, struct ib_dm *ibdm, struct ib_dm_mr_attr *attr,
			       struct uverbs_attr_bundle *attrs)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibpd->device);
	struct cxr_mkey_attr key = {
		.kind = CXR_MKEY_MEMIC,
		.pdn = to_cxr_pd(ibpd)->pdn,
		.access = cxr_ib_device_access(&dev->core->caps, attr->access_flags),
		.va = cxr_ib_dm_addr(ibdm) + attr->offset,
		.len = attr->length,
	};

	if (attr->access_flags & ~ACCESS_DM) {
		ibdev_dbg(&dev->ibdev, "MR: unsupported access flags %#x for device memory\n",
			  attr->access_flags);
		return ERR_PTR(-EINVAL);
	}
	return create_mr(dev, &key, NULL);
}

/* ---- fast registration ---- */

static void free_pages_list(struct cxr_ib_mr *mr)
{
	ib_dma_unmap_single(mr->ibmr.device, mr->pages_dma, mr->pages_size, DMA_TO_DEVICE);
	kfree(mr->pages);
}

/* Which the device reads by a WQE: whole blocks, and where a list that is not inline may be. */
static int alloc_pages_list(struct cxr_ib_dev *dev, struct cxr_ib_mr *mr, u32 max)
{
	mr->max_pages = max;
	mr->pages_size = ALIGN(max, CXR_UMR_PAGES_ALIGN) * sizeof(*mr->pages);
	/* kmalloc() aligns a power of two to its size. */
	mr->pages = kzalloc(max_t(size_t, roundup_pow_of_two(mr->pages_size), PRM_UMR_LIST_ALIGN),
			    GFP_KERNEL);
	if (!mr->pages)
		return -ENOMEM;

	mr->pages_dma = ib_dma_map_single(&dev->ibdev, mr->pages, mr->pages_size, DMA_TO_DEVICE);
	if (ib_dma_mapping_error(&dev->ibdev, mr->pages_dma)) {
		kfree(mr->pages);
		return -ENOMEM;
	}
	return 0;
}

struct ib_mr *cxr_ib_alloc_mr(struct ib_pd *ibpd, enum ib_mr_type type, u32 max_num_sg)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibpd->device);
	struct cxr_mkey_attr attr = {
		.kind = CXR_MKEY_FAST_REG,
		.pdn = to_cxr_pd(ibpd)->pdn,
		.access = CXR_ACCESS_RELAXED_ORDERING,
		.npages = max_num_sg,
	};
	const u32 max = cxr_ib_max_fast_reg(&dev->core->caps);
	struct cxr_ib_mr *mr;
	struct ib_mr *ibmr;
	int err;

	if (type != IB_MR_TYPE_MEM_REG || !max) {
		ibdev_dbg(&dev->ibdev, "MR: unsupported type %d\n", type);
		return ERR_PTR(-EOPNOTSUPP);
	}
	if (!max_num_sg || max_num_sg > max) {
		ibdev_dbg(&dev->ibdev, "MR: unsupported max_num_sg %u: 1 to %u only\n", max_num_sg,
			  max);
		return ERR_PTR(-EINVAL);
	}

	ibmr = create_mr(dev, &attr, NULL);
	if (IS_ERR(ibmr))
		return ibmr;

	mr = to_cxr_mr(ibmr);
	err = alloc_pages_list(dev, mr, max_num_sg);
	if (err) {
		cxr_cmd_destroy_mkey(dev->core, mr->mkey);
		kfree(mr);
		return ERR_PTR(err);
	}
	/* For free_pages_list(); ib_core sets it only after we return. */
	ibmr->device = &dev->ibdev;
	return ibmr;
}

static int set_mr_page(struct ib_mr *ibmr, u64 addr)
{
	struct cxr_ib_mr *mr = to_cxr_mr(ibmr);

	if (mr->npages == mr->max_pages)
		return -ENOMEM;
	cxr_umr_page(&mr->pages[mr->npages++], addr);
	return 0;
}

int cxr_ib_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int nents, unsigned int *offset)
{
	struct cxr_ib_mr *mr = to_cxr_mr(ibmr);
	int n;

	mr->npages = 0;
	ib_dma_sync_single_for_cpu(ibmr->device, mr->pages_dma, mr->pages_size, DMA_TO_DEVICE);
	n = ib_sg_to_pages(ibmr, sg, nents, offset, set_mr_page);
	ib_dma_sync_single_for_device(ibmr->device, mr->pages_dma, mr->pages_size,
				      DMA_TO_DEVICE);
	return n;
}

int cxr_ib_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibmr->device);
	struct cxr_ib_mr *mr = to_cxr_mr(ibmr);
	int err;

	if (mr->odp) {
		cxr_ib_odp_dereg(mr->odp);
		kfree(mr);
		return 0;
	}
	/*
	 * Memory stays pinned while the device may write to it. Users in the kernel expect success,
	 * as they can do nothing about it: the key, of which the log tells, and the list of pages
	 * stay until the device is torn down.
	 */
	if (mr->mkey && mr->log_room)
		err = cxr_ib_mkey_destroy(dev, mr->mkey, mr->log_room, mr->access);
	else
		err = mr->mkey ? cxr_cmd_destroy_mkey(dev->core, mr->mkey) : 0;
	if (err && mr->umem)
		return err;

	if (mr->umem)
		ib_umem_release(mr->umem);
	if (mr->pages && !err)
		free_pages_list(mr);
	kfree(mr);
	return 0;
}

/* ---- memory windows ---- */

static int copy_req_mw(struct ib_device *ibdev, struct ib_udata *udata,
		       struct mlx5_ib_alloc_mw *req)
{
	static const struct cxr_ib_request request = {
		.what = "MW",
		.size = sizeof(*req),
		.unknown = -EOPNOTSUPP,
	};
	int err;

	err = cxr_ib_copy_req(ibdev, udata, &request, req);
	if (err)
		return err;
	if (req->comp_mask || req->reserved1 || req->reserved2) {
		ibdev_dbg(ibdev, "MW: comp_mask %#x or reserved fields are not zero\n",
			  req->comp_mask);
		return -EOPNOTSUPP;
	}
	return 0;
}

/* User space binds and unbinds it by WQEs. */
int cxr_ib_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibmw->device);
	struct mlx5_ib_alloc_mw req;
	struct cxr_mkey_attr attr = {
		.kind = ibmw->type == IB_MW_TYPE_2 ? CXR_MKEY_WINDOW_INV : CXR_MKEY_WINDOW,
		.pdn = to_cxr_pd(ibmw->pd)->pdn,
	};
	struct {
		__u32 comp_mask;
		__u32 response_length;
	} resp = {};
	int err;

	if (!dev->core->caps.imaicl) {
		ibdev_dbg(&dev->ibdev, "MW: not supported by the device\n");
		return -EOPNOTSUPP;
	}
	err = copy_req_mw(&dev->ibdev, udata, &req);
	if (err)
		return err;

	attr.npages = max_t(u32, req.num_klms, 1);
	err = cxr_cmd_create_mkey(dev->core, &attr, &ibmw->rkey);
	if (err)
		return err;

	err = cxr_ib_odp_add_window(dev, ibmw->rkey, attr.npages);
	if (err)
		goto err_destroy;
	resp.response_length = min(udata->outlen, sizeof(resp));
	err = resp.response_length ? ib_copy_to_udata(udata, &resp, resp.response_length) : 0;
	if (err)
		goto err_remove;
	return 0;

err_remove:
	cxr_ib_odp_remove_window(dev, ibmw->rkey);
err_destroy:
	cxr_cmd_destroy_mkey(dev->core, ibmw->rkey);
	return err;
}

int cxr_ib_dealloc_mw(struct ib_mw *ibmw)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibmw->device);

	cxr_ib_odp_remove_window(dev, ibmw->rkey);
	return cxr_cmd_destroy_mkey(dev->core, ibmw->rkey);
}

