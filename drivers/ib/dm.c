// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Memory on the device, which programs allocate, map and register.
 *
 * Each allocation has pages of its own, since a mapping shows whole pages. The device has it until
 * the last mapping of it, or of an operation on it, is gone, which may be after the program has
 * freed it. Then the pages are free, unless the device refuses to take the memory back.
 */
#include <linux/bitmap.h>
#include <linux/capability.h>
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include <rdma/uverbs_std_types.h>

#include "ib.h"

#define UVERBS_MODULE_NAME cxr_ib
#include <rdma/uverbs_named_ioctl.h>

/* Offsets for mmap() are a command and an index of 16 bits, whose parts are on both sides of it. */
#define MMAP_CMD(pgoff)		((pgoff) >> 8 & 0xff)
#define INDEX_MAX		U16_MAX
#define FIRST_ENTRY		((u32)MLX5_IB_MMAP_DEVICE_MEM << 16)

#define LOG_UNIT		ilog2(CXR_MEMIC_UNIT)
#define OPS_MAX			32	/* bits in caps.memic_ops */
#define THE_MEMORY		OPS_MAX	/* struct dm_map.op: of no operation */
/* Of software steering: the last one that the in-tree driver knows (6.1 has no name for it) */
#define LAST_ICM_TYPE		4

static unsigned long mmap_index(unsigned long pgoff)
{
	return (pgoff & 0xff) | pgoff >> 16 << 8;
}

struct cxr_ib_dm {
	struct ib_dm ibdm;
	struct cxr_ib_dev *dev;
	struct kref ref;		/* the program's handle, and each map */
	u64 len;			/* as requested */
	u32 size;			/* as allocated */
	u64 addr;			/* in BAR 0 */
	u32 first_page, npages;
	struct mutex lock;		/* adding an operation */
	struct list_head maps __guarded_by(&lock);
};

/* What a program can map: the memory, or the addresses of an operation on it. */
struct dm_map {
	struct cxr_ib_mapping mapping;
	struct cxr_ib_dm *dm;
	struct list_head entry;
	u8 op;
	u64 addr;
};

static struct cxr_ib_dm *to_cxr_dm(struct ib_dm *ibdm)
{
	return container_of(ibdm, struct cxr_ib_dm, ibdm);
}

static struct dm_map *to_map(struct rdma_user_mmap_entry *entry)
{
	return container_of(entry, struct dm_map, mapping.entry);
}

/* ---- pages ---- */

static u32 all_pages(const struct cxr_ib_dev *dev)
{
	return dev->core->caps.memic_size >> PAGE_SHIFT;
}

/* The first @n free ones, from @*at on. */
static int claim_pages(struct cxr_ib_dev *dev, u32 n, u32 *at)
{
	u32 all = all_pages(dev);

	spin_lock(&dev->dm_lock);
	*at = bitmap_find_next_zero_area(dev->dm_pages, all, *at, n, 0);
	if (*at < all)
		bitmap_set(dev->dm_pages, *at, n);
	spin_unlock(&dev->dm_lock);
	return *at < all ? 0 : -ENOMEM;
}

static void free_pages_at(struct cxr_ib_dev *dev, u32 at, u32 n)
{
	spin_lock(&dev->dm_lock);
	bitmap_clear(dev->dm_pages, at, n);
	spin_unlock(&dev->dm_lock);
}

int cxr_ib_dm_up(void *owner)
	__context_unsafe("nobody else knows it yet")
{
	struct cxr_ib_dev *dev = owner;

	if (!all_pages(dev))
		return 0;
	dev->dm_pages = bitmap_zalloc(all_pages(dev), GFP_KERNEL);
	return dev->dm_pages ? 0 : -ENOMEM;
}

void cxr_ib_dm_down(void *owner)
	__context_unsafe("nobody else knows it any more")
{
	struct cxr_ib_dev *dev = owner;

	bitmap_free(dev->dm_pages);
	dev->dm_pages = NULL;
}

/* ---- the memory ---- */

/* The firmware has some of the memory for itself, and does not say where. */
static int alloc_memory(struct cxr_ib_dm *dm, u8 log_align)
{
	struct cxr_ib_dev *dev = dm->dev;
	struct cxr_memic_attr attr = {
		.range = dm->npages << PAGE_SHIFT,
		.len = dm->size,
		.log_align = log_align,
	};
	int err;

	for (dm->first_page = 0; ; dm->first_page++) {
		err = claim_pages(dev, dm->npages, &dm->first_page);
		if (err)
			return err;
		attr.from = dev->core->caps.memic_start + ((u64)dm->first_page << PAGE_SHIFT);
		err = cxr_cmd_alloc_memic(dev->core, &attr, &dm->addr);
		if (!err)
			return 0;
		free_pages_at(dev, dm->first_page, dm->npages);
		if (err != -ENOSPC)
			return err;
	}
}

/* Another program may have had it. */
static int clear_memory(const struct cxr_ib_dm *dm)
{
	void __iomem *memory;
	phys_addr_t phys = cxr_memic_phys(dm->dev->core, dm->addr, dm->size);

	memory = phys ? ioremap_wc(phys, dm->size) : NULL;
	if (!memory)
		return -ENOMEM;
	memset_io(memory, 0, dm->size);
	readb(memory);		/* before a write of the program, by another mapping */
	iounmap(memory);
	return 0;
}

static void free_memory(struct cxr_ib_dm *dm)
{
	if (!cxr_cmd_dealloc_memic(dm->dev->core, dm->addr, dm->size))
		free_pages_at(dm->dev, dm->first_page, dm->npages);
}

static void release_memory(struct kref *ref)
{
	struct cxr_ib_dm *dm = container_of(ref, struct cxr_ib_dm, ref);

	free_memory(dm);
	mutex_destroy(&dm->lock);
	kfree(dm);
}

/* ---- what can be mapped ---- */

void cxr_ib_dm_mmap_free(struct rdma_user_mmap_entry *entry)
{
	struct dm_map *map = to_map(entry);
	struct cxr_ib_dm *dm = map->dm;

	if (map->op != THE_MEMORY)
		cxr_cmd_dealloc_memic_op(dm->dev->core, dm->addr, map->op);
	kfree(map);
	kref_put(&dm->ref, release_memory);
}

/* From now on an entry of @ctx, and of the list of its memory. */
static int publish(struct cxr_ib_dm *dm, struct ib_ucontext *ctx, struct dm_map *map)
	__must_hold(&dm->lock)
{
	int err;

	map->mapping.kind = CXR_IB_MAPPING_DM;
	map->dm = dm;
	err = rdma_user_mmap_entry_insert_range(ctx, &map->mapping.entry, dm->npages * PAGE_SIZE,
						FIRST_ENTRY, FIRST_ENTRY + INDEX_MAX);
	if (err)
		return err;
	kref_get(&dm->ref);
	list_add(&map->entry, &dm->maps);
	return 0;
}

static int publish_memory(struct cxr_ib_dm *dm, struct ib_ucontext *ctx)
{
	struct dm_map *map = kzalloc(sizeof(*map), GFP_KERNEL);
	int err;

	if (!map)
		return -ENOMEM;
	map->op = THE_MEMORY;
	map->addr = dm->addr;
	mutex_lock(&dm->lock);
	err = publish(dm, ctx, map);
	mutex_unlock(&dm->lock);
	if (err)
		kfree(map);
	return err;
}

/* No more mappings; those that there are keep the memory. */
static void withdraw(struct cxr_ib_dm *dm)
{
	struct dm_map *map, *next;

	mutex_lock(&dm->lock);
	list_for_each_entry_safe(map, next, &dm->maps, entry) {
		list_del(&map->entry);
		rdma_user_mmap_entry_remove(&map->mapping.entry);
	}
	mutex_unlock(&dm->lock);
	kref_put(&dm->ref, release_memory);
}

/* The map of the operation, or of the memory; NULL: it has none. */
static struct dm_map *find_map(struct cxr_ib_dm *dm, u8 op)
	__must_hold(&dm->lock)
{
	struct dm_map *map;

	list_for_each_entry(map, &dm->maps, entry)
		if (map->op == op)
			return map;
	return NULL;
}

static phys_addr_t first_page(const struct dm_map *map)
{
	return cxr_memic_phys(map->dm->dev->core, map->addr & PAGE_MASK,
			      map->dm->npages * PAGE_SIZE);
}

int cxr_ib_dm_mmap(struct ib_ucontext *ibctx, struct vm_area_struct *vma)
{
	struct rdma_user_mmap_entry *entry;
	unsigned long index = mmap_index(vma->vm_pgoff);
	int err;

	entry = rdma_user_mmap_entry_get_pgoff(ibctx, FIRST_ENTRY + index);
	if (!entry) {
		ibdev_dbg(ibctx->device, "mmap: no device memory has index %#lx\n", index);
		return -EINVAL;
	}

	err = rdma_user_mmap_io(ibctx, vma, PHYS_PFN(first_page(to_map(entry))),
				entry->npages * PAGE_SIZE,
				pgprot_writecombine(vma->vm_page_prot), entry);
	rdma_user_mmap_entry_put(entry);
	return err;
}

bool cxr_ib_dm_is_mmap(const struct vm_area_struct *vma)
{
	return MMAP_CMD(vma->vm_pgoff) == MLX5_IB_MMAP_DEVICE_MEM;
}

/* Where the program finds it: the index for mmap(), and the offset in the first page. */
static int copy_place(struct uverbs_attr_bundle *attrs, const struct dm_map *map, u16 index_attr,
		      u16 offset_attr)
{
	u16 index = map->mapping.entry.start_pgoff - FIRST_ENTRY;
	u64 offset = offset_in_page(map->addr);
	int err;

	err = uverbs_copy_to(attrs, index_attr, &index, sizeof(index));
	return err ?: uverbs_copy_to(attrs, offset_attr, &offset, sizeof(offset));
}

static int copy_place_of(struct uverbs_attr_bundle *attrs, struct cxr_ib_dm *dm, u16 index_attr,
			 u16 offset_attr)
{
	int err;

	mutex_lock(&dm->lock);
	err = copy_place(attrs, find_map(dm, THE_MEMORY), index_attr, offset_attr);
	mutex_unlock(&dm->lock);
	return err;
}

/* ---- allocation ---- */

static int check_request(struct cxr_ib_dev *dev, const struct ib_dm_alloc_attr *attr)
{
	const struct cxr_caps *caps = &dev->core->caps;

	if (!attr->length || attr->length > U64_MAX - CXR_MEMIC_UNIT) {
		ibdev_dbg(&dev->ibdev, "device memory: invalid length %#llx\n", attr->length);
		return -EINVAL;
	}
	if (attr->alignment > LOG_UNIT + caps->memic_log_align) {
		ibdev_dbg(&dev->ibdev, "device memory: alignment 2^%u, of 2^%u at most\n",
			  attr->alignment, LOG_UNIT + caps->memic_log_align);
		return -EINVAL;
	}
	return attr->length > (u64)all_pages(dev) << PAGE_SHIFT ? -ENOMEM : 0;
}

static struct cxr_ib_dm *create_dm(struct cxr_ib_dev *dev, const struct ib_dm_alloc_attr *attr)
{
	u8 log_align = attr->alignment > LOG_UNIT ? attr->alignment - LOG_UNIT : 0;
	struct cxr_ib_dm *dm = kzalloc(sizeof(*dm), GFP_KERNEL);
	int err;

	if (!dm)
		return ERR_PTR(-ENOMEM);

	dm->dev = dev;
	dm->len = attr->length;
	dm->size = ALIGN(attr->length, CXR_MEMIC_UNIT);
	dm->npages = DIV_ROUND_UP(dm->size, PAGE_SIZE);
	err = alloc_memory(dm, log_align);
	if (err)
		goto err_free;
	err = clear_memory(dm);
	if (err)
		goto err_free_memory;
	kref_init(&dm->ref);
	mutex_init(&dm->lock);
	context_unsafe(INIT_LIST_HEAD(&dm->maps));
	return dm;

err_free_memory:
	free_memory(dm);
err_free:
	kfree(dm);
	return ERR_PTR(err);
}

static struct ib_dm *alloc_dm(struct ib_ucontext *ctx, const struct ib_dm_alloc_attr *attr,
			      struct uverbs_attr_bundle *attrs)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ctx->device);
	struct cxr_ib_dm *dm;
	int err;

	err = check_request(dev, attr);
	if (err)
		return ERR_PTR(err);
	dm = create_dm(dev, attr);
	if (IS_ERR(dm))
		return ERR_CAST(dm);

	err = publish_memory(dm, ctx);
	err = err ?: copy_place_of(attrs, dm, MLX5_IB_ATTR_ALLOC_DM_RESP_PAGE_INDEX,
				   MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET);
	if (err) {
		withdraw(dm);
		return ERR_PTR(err);
	}
	return &dm->ibdm;
}

/* Memory of software steering is not supported, which only the privileged are told. */
static int refuse_type(const struct ib_device *ibdev, u32 type)
{
	ibdev_dbg(ibdev, "device memory: type %u is not supported\n", type);
	if (type <= LAST_ICM_TYPE && !(capable(CAP_SYS_RAWIO) && capable(CAP_NET_RAW)))
		return -EPERM;
	return -EOPNOTSUPP;
}

struct ib_dm *cxr_ib_alloc_dm(struct ib_device *ibdev, struct ib_ucontext *ctx,
			      struct ib_dm_alloc_attr *attr, struct uverbs_attr_bundle *attrs)
{
	enum mlx5_ib_uapi_dm_type type;
	int err;

	err = uverbs_get_const_default(&type, attrs, MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE,
				       MLX5_IB_UAPI_DM_TYPE_MEMIC);
	if (err)
		return ERR_PTR(err);
	if (type != MLX5_IB_UAPI_DM_TYPE_MEMIC)
		return ERR_PTR(refuse_type(ibdev, type));
	return alloc_dm(ctx, attr, attrs);
}

int cxr_ib_dealloc_dm(struct ib_dm *ibdm, struct uverbs_attr_bundle *attrs)
{
	withdraw(to_cxr_dm(ibdm));
	return 0;
}

u64 cxr_ib_dm_addr(struct ib_dm *ibdm)
{
	return to_cxr_dm(ibdm)->addr;
}

/* ---- methods of the provider ---- */

/* Its pages are the program's; they cannot be those of the memory, which others may have. */
static int check_op(const struct cxr_ib_dm *dm, const struct dm_map *map)
{
	const struct cxr_caps *caps = &dm->dev->core->caps;
	u64 start = map->addr & PAGE_MASK, end = start + dm->npages * PAGE_SIZE;
	bool apart = end <= caps->memic_start || start >= caps->memic_start + caps->memic_size;

	if (first_page(map) && apart &&
	    offset_in_page(map->addr) + dm->size <= dm->npages * PAGE_SIZE)
		return 0;
	ibdev_err(&dm->dev->ibdev, "operation %u of device memory at %#llx, %#x bytes\n", map->op,
		  map->addr, dm->size);
	return -EPROTO;
}

static struct dm_map *add_op(struct cxr_ib_dm *dm, struct ib_ucontext *ctx, u8 op)
	__must_hold(&dm->lock)
{
	struct cxr_core *core = dm->dev->core;
	struct dm_map *map = kzalloc(sizeof(*map), GFP_KERNEL);
	int err;

	if (!map)
		return ERR_PTR(-ENOMEM);
	map->op = op;
	map->dm = dm;
	err = cxr_cmd_alloc_memic_op(core, dm->addr, op, &map->addr);
	if (err)
		goto err_free;
	err = check_op(dm, map);
	if (err)
		goto err_dealloc;
	err = publish(dm, ctx, map);
	if (err)
		goto err_dealloc;
	return map;

err_dealloc:
	cxr_cmd_dealloc_memic_op(core, dm->addr, op);
err_free:
	kfree(map);
	return ERR_PTR(err);
}

static int UVERBS_HANDLER(MLX5_IB_METHOD_DM_MAP_OP_ADDR)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj =
		uverbs_attr_get_uobject(attrs, MLX5_IB_ATTR_DM_MAP_OP_ADDR_REQ_HANDLE);
	struct cxr_ib_dm *dm = to_cxr_dm(uobj->object);
	struct dm_map *map;
	int err;
	u8 op;

	err = uverbs_copy_from(&op, attrs, MLX5_IB_ATTR_DM_MAP_OP_ADDR_REQ_OP);
	if (err)
		return err;
	if (op >= OPS_MAX || !(dm->dev->core->caps.memic_ops & BIT(op))) {
		ibdev_dbg(&dm->dev->ibdev, "device memory: no operation %u\n", op);
		return -EOPNOTSUPP;
	}

	mutex_lock(&dm->lock);
	map = find_map(dm, op) ?: add_op(dm, uobj->context, op);
	err = IS_ERR(map) ? PTR_ERR(map) :
	      copy_place(attrs, map, MLX5_IB_ATTR_DM_MAP_OP_ADDR_RESP_PAGE_INDEX,
			 MLX5_IB_ATTR_DM_MAP_OP_ADDR_RESP_START_OFFSET);
	mutex_unlock(&dm->lock);
	return err;
}

/* For a process that imports the memory. */
static int UVERBS_HANDLER(MLX5_IB_METHOD_DM_QUERY)(struct uverbs_attr_bundle *attrs)
{
	struct ib_dm *ibdm = uverbs_attr_get_obj(attrs, MLX5_IB_ATTR_QUERY_DM_REQ_HANDLE);
	struct cxr_ib_dm *dm = to_cxr_dm(ibdm);
	int err;

	err = copy_place_of(attrs, dm, MLX5_IB_ATTR_QUERY_DM_RESP_PAGE_INDEX,
			    MLX5_IB_ATTR_QUERY_DM_RESP_START_OFFSET);
	return err ?: uverbs_copy_to(attrs, MLX5_IB_ATTR_QUERY_DM_RESP_LENGTH, &dm->len,
				     sizeof(dm->len));
}

ADD_UVERBS_ATTRIBUTES_SIMPLE(alloc_dm_place, UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC,
			     UVERBS_ATTR_PTR_OUT(MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET,
						 UVERBS_ATTR_TYPE(u64), UA_MANDATORY),
			     UVERBS_ATTR_PTR_OUT(MLX5_IB_ATTR_ALLOC_DM_RESP_PAGE_INDEX,
						 UVERBS_ATTR_TYPE(u16), UA_OPTIONAL),
			     UVERBS_ATTR_CONST_IN(MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE,
						  enum mlx5_ib_uapi_dm_type, UA_OPTIONAL));

DECLARE_UVERBS_NAMED_METHOD(MLX5_IB_METHOD_DM_MAP_OP_ADDR,
			    UVERBS_ATTR_IDR(MLX5_IB_ATTR_DM_MAP_OP_ADDR_REQ_HANDLE,
					    UVERBS_OBJECT_DM, UVERBS_ACCESS_READ, UA_MANDATORY),
			    UVERBS_ATTR_PTR_IN(MLX5_IB_ATTR_DM_MAP_OP_ADDR_REQ_OP,
					       UVERBS_ATTR_TYPE(u8), UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(MLX5_IB_ATTR_DM_MAP_OP_ADDR_RESP_START_OFFSET,
						UVERBS_ATTR_TYPE(u64), UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(MLX5_IB_ATTR_DM_MAP_OP_ADDR_RESP_PAGE_INDEX,
						UVERBS_ATTR_TYPE(u16), UA_OPTIONAL));

DECLARE_UVERBS_NAMED_METHOD(MLX5_IB_METHOD_DM_QUERY,
			    UVERBS_ATTR_IDR(MLX5_IB_ATTR_QUERY_DM_REQ_HANDLE, UVERBS_OBJECT_DM,
					    UVERBS_ACCESS_READ, UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(MLX5_IB_ATTR_QUERY_DM_RESP_START_OFFSET,
						UVERBS_ATTR_TYPE(u64), UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(MLX5_IB_ATTR_QUERY_DM_RESP_PAGE_INDEX,
						UVERBS_ATTR_TYPE(u16), UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(MLX5_IB_ATTR_QUERY_DM_RESP_LENGTH,
						UVERBS_ATTR_TYPE(u64), UA_MANDATORY));

ADD_UVERBS_METHODS(dm_methods, UVERBS_OBJECT_DM, &UVERBS_METHOD(MLX5_IB_METHOD_DM_MAP_OP_ADDR),
		   &UVERBS_METHOD(MLX5_IB_METHOD_DM_QUERY));

const struct uapi_definition cxr_ib_dm_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_DM, &alloc_dm_place),
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_DM, &dm_methods),
	{}
};
