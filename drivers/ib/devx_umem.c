// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* DEVX: memory of user space for the objects that programs create. */
#include <linux/slab.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/uverbs_std_types.h>

#include "devx.h"

#define UVERBS_MODULE_NAME cxr_ib
#include <rdma/uverbs_named_ioctl.h>

#define DEVICE_PAGE_SHIFT 12
#define ACCESS (IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ | \
		IB_ACCESS_RELAXED_ORDERING)

struct devx_umem {
	struct cxr_ib_left left;
	struct cxr_ib_ucontext *ctx;
	u32 id;
};

static struct ib_umem *pin(struct cxr_ib_dev *dev, struct uverbs_attr_bundle *attrs, u32 access)
{
	struct ib_umem_dmabuf *dmabuf;
	u64 addr, len;
	int err, fd;

	err = uverbs_copy_from(&addr, attrs, MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR);
	err = err ?: uverbs_copy_from(&len, attrs, MLX5_IB_ATTR_DEVX_UMEM_REG_LEN);
	err = err ?: ib_check_mr_access(&dev->ibdev, access);
	if (err)
		return ERR_PTR(err);
	if (!uverbs_attr_is_valid(attrs, MLX5_IB_ATTR_DEVX_UMEM_REG_DMABUF_FD))
		return cxr_umem_get(&dev->ibdev, addr, len, access);

	err = uverbs_get_raw_fd(&fd, attrs, MLX5_IB_ATTR_DEVX_UMEM_REG_DMABUF_FD);
	if (err)
		return ERR_PTR(err);
	dmabuf = ib_umem_dmabuf_get_pinned(&dev->ibdev, addr, len, fd, access);
	return IS_ERR(dmabuf) ? ERR_CAST(dmabuf) : &dmabuf->umem;
}

/*
 * The largest of the sizes that the program allows: it knows how its objects are aligned in the
 * memory. With pages larger than the kernel's the umem has to fill them: their addresses do not say
 * where in the first one it begins. 0: none.
 */
static unsigned long find_page_size(struct ib_umem *umem, u64 sizes)
{
	unsigned int largest = max_t(unsigned int, order_base_2(umem->length), PAGE_SHIFT);
	unsigned long size;

	sizes &= GENMASK_ULL(min(largest, 63u), DEVICE_PAGE_SHIFT);
	size = sizes ? ib_umem_find_best_pgoff(umem, sizes, U64_MAX) : 0;
	while (size > PAGE_SIZE &&
	       (ib_umem_dma_offset(umem, size) || umem->length & (size - 1)))
		size /= 2;
	return size;
}

static int register_pages(struct devx_umem *obj, struct uverbs_attr_bundle *attrs)
{
	struct cxr_ib_dev *dev = to_cxr_dev(obj->ctx->ibucontext.device);
	struct cxr_umem_attr attr = {
		.uid = obj->ctx->uid,
		.writable = obj->left.umem->writable,
	};
	unsigned long size;
	dma_addr_t *dma;
	u64 sizes;
	u32 n;
	int err;

	err = uverbs_get_const_default(&sizes, attrs, MLX5_IB_ATTR_DEVX_UMEM_REG_PGSZ_BITMAP,
				       GENMASK_ULL(63, DEVICE_PAGE_SHIFT));
	if (err)
		return err;
	size = find_page_size(obj->left.umem, sizes);
	if (!size) {
		ibdev_dbg(&dev->ibdev, "DEVX: no page size of %#llx suits the memory\n", sizes);
		return -EINVAL;
	}

	dma = cxr_ib_umem_list(obj->left.umem, size, &n);
	if (!dma)
		return -ENOMEM;
	attr.log_page_size = ilog2(size);
	attr.offset = ib_umem_dma_offset(obj->left.umem, size);
	attr.dma = dma;
	attr.n = n;
	err = cxr_cmd_create_umem(dev->core, &attr, &obj->id);
	kvfree(dma);
	if (!err)
		cxr_devx_destroy_umem(obj->ctx->uid, obj->id, &obj->left.destroy);
	return err;
}

static int UVERBS_HANDLER(MLX5_IB_METHOD_DEVX_UMEM_REG)(struct uverbs_attr_bundle *attrs)
{
	struct cxr_ib_ucontext *ctx = rdma_udata_to_drv_context(&attrs->driver_udata,
								struct cxr_ib_ucontext, ibucontext);
	struct ib_uobject *uobj = uverbs_attr_get_uobject(attrs, MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE);
	struct devx_umem *obj;
	u32 access;
	int err;

	if (!ctx->uid)
		return -EINVAL;
	err = uverbs_get_flags32(&access, attrs, MLX5_IB_ATTR_DEVX_UMEM_REG_ACCESS, ACCESS);
	if (err)
		return err;
	obj = kzalloc(sizeof(*obj), GFP_KERNEL);
	if (!obj)
		return -ENOMEM;

	obj->ctx = ctx;
	obj->left.umem = pin(to_cxr_dev(ctx->ibucontext.device), attrs, access);
	if (IS_ERR(obj->left.umem)) {
		err = PTR_ERR(obj->left.umem);
		goto err_free;
	}
	err = register_pages(obj, attrs);
	if (err)
		goto err_release;
	cxr_ib_devx_add(ctx);

	/* From here on the cleanup of the uobject undoes it, also if the copy fails. */
	uobj->object = obj;
	uverbs_finalize_uobj_create(attrs, MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE);
	return uverbs_copy_to(attrs, MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID, &obj->id, sizeof(obj->id));

err_release:
	ib_umem_release(obj->left.umem);
err_free:
	kfree(obj);
	return err;
}

static int umem_cleanup(struct ib_uobject *uobj, enum rdma_remove_reason why,
			struct uverbs_attr_bundle *attrs)
{
	struct devx_umem *obj = uobj->object;
	struct cxr_ib_dev *dev = to_cxr_dev(obj->ctx->ibucontext.device);
	int err;

	err = cxr_cmd_user_destroy(dev->core, &obj->left.destroy);
	if (err && why == RDMA_REMOVE_DESTROY)
		return err;
	cxr_ib_devx_end(obj->ctx, &obj->left, err);
	return 0;
}

DECLARE_UVERBS_NAMED_METHOD(MLX5_IB_METHOD_DEVX_UMEM_REG,
			    UVERBS_ATTR_IDR(MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE,
					    MLX5_IB_OBJECT_DEVX_UMEM, UVERBS_ACCESS_NEW,
					    UA_MANDATORY),
			    UVERBS_ATTR_PTR_IN(MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR,
					       UVERBS_ATTR_TYPE(u64), UA_MANDATORY),
			    UVERBS_ATTR_PTR_IN(MLX5_IB_ATTR_DEVX_UMEM_REG_LEN,
					       UVERBS_ATTR_TYPE(u64), UA_MANDATORY),
			    UVERBS_ATTR_RAW_FD(MLX5_IB_ATTR_DEVX_UMEM_REG_DMABUF_FD, UA_OPTIONAL),
			    UVERBS_ATTR_FLAGS_IN(MLX5_IB_ATTR_DEVX_UMEM_REG_ACCESS,
						 enum ib_access_flags),
			    UVERBS_ATTR_CONST_IN(MLX5_IB_ATTR_DEVX_UMEM_REG_PGSZ_BITMAP, u64),
			    UVERBS_ATTR_PTR_OUT(MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID,
						UVERBS_ATTR_TYPE(u32), UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD_DESTROY(MLX5_IB_METHOD_DEVX_UMEM_DEREG,
				    UVERBS_ATTR_IDR(MLX5_IB_ATTR_DEVX_UMEM_DEREG_HANDLE,
						    MLX5_IB_OBJECT_DEVX_UMEM,
						    UVERBS_ACCESS_DESTROY, UA_MANDATORY));

DECLARE_UVERBS_NAMED_OBJECT(MLX5_IB_OBJECT_DEVX_UMEM, UVERBS_TYPE_ALLOC_IDR(umem_cleanup),
			    &UVERBS_METHOD(MLX5_IB_METHOD_DEVX_UMEM_REG),
			    &UVERBS_METHOD(MLX5_IB_METHOD_DEVX_UMEM_DEREG));

const struct uapi_definition cxr_ib_devx_umem_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(MLX5_IB_OBJECT_DEVX_UMEM,
				      UAPI_DEF_IS_OBJ_SUPPORTED(cxr_ib_has_devx)),
	{}
};
