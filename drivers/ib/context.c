// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * User contexts and their UARs.
 *
 * User space allocates UARs by an ioctl object ("dynamic UARs"), names them by index in CREATE_CQ
 * and CREATE_QP, and maps them at an offset that the driver chooses. The older ways, a fixed set of
 * UARs and offsets whose bits have a meaning, are not supported: no library of the supported
 * distributions needs them.
 */
#include <linux/mm.h>
#include <linux/sched/task.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include <rdma/uverbs_std_types.h>

#include "ib.h"

#define UVERBS_MODULE_NAME cxr_ib
#include <rdma/uverbs_named_ioctl.h>

/* The older offsets use 24 bits of page number. */
#define FIRST_PGOFF BIT(24)

/* The objects that used them are gone. */
static void free_left_uars(struct cxr_ib_ucontext *ctx)
	__context_unsafe("nobody else knows it any more")
{
	struct cxr_core *core = to_cxr_dev(ctx->ibucontext.device)->core;
	struct cxr_ib_uar *uar, *next;

	list_for_each_entry_safe(uar, next, &ctx->left_uars, left_entry) {
		cxr_cmd_dealloc_uar(core, ctx->uid, uar->index);
		kfree(uar);
	}
}

/* ---- contexts ---- */

static int copy_req_ucontext(const struct ib_device *ibdev, struct ib_udata *udata,
			     struct mlx5_ib_alloc_ucontext_req_v2 *req)
{
	static const struct cxr_ib_request request = {
		.what = "context",
		.size = sizeof(*req),
	};

	if (udata->inlen != sizeof(struct mlx5_ib_alloc_ucontext_req) &&
	    udata->inlen < offsetof(struct mlx5_ib_alloc_ucontext_req_v2, max_cqe_version)) {
		ibdev_dbg(ibdev, "context: unknown request size %zu\n", udata->inlen);
		return -EINVAL;
	}

	return cxr_ib_copy_req(ibdev, udata, &request, req);
}

/*
 * User space tries shorter and shorter requests until one succeeds. One with flags must fail at
 * every length, else user space would end up with the shortest and without lib_caps.
 */
static int check_req_ucontext(struct cxr_ib_dev *dev,
			      const struct mlx5_ib_alloc_ucontext_req_v2 *req)
{
	struct ib_device *ibdev = &dev->ibdev;

	if (req->flags & ~MLX5_IB_ALLOC_UCTX_DEVX || req->comp_mask) {
		ibdev_dbg(ibdev,
			  "context: flags %#x, comp_mask %#x: extensions are not supported\n",
			  req->flags, req->comp_mask);
		return -EOPNOTSUPP;
	}
	if (req->reserved0 || req->reserved1 || req->reserved2) {
		ibdev_dbg(ibdev, "context: reserved fields are not zero\n");
		return -EOPNOTSUPP;
	}
	/* They are in pairs. Without any there is nothing to check: the UARs are dynamic. */
	if (req->num_low_latency_bfregs > ALIGN(req->total_num_bfregs, 2) - 1) {
		ibdev_dbg(ibdev, "context: invalid bfregs: %u of %u for low latency\n",
			  req->num_low_latency_bfregs, req->total_num_bfregs);
		return -EINVAL;
	}
	if (!(req->lib_caps & MLX5_LIB_CAP_DYN_UAR)) {
		ibdev_dbg(ibdev, "context: the library does not support dynamic UARs\n");
		return -EOPNOTSUPP;
	}
	return 0;
}

static void fill_resp_ucontext(const struct cxr_ib_ucontext *ctx,
			       struct mlx5_ib_alloc_ucontext_resp *resp)
{
	const struct cxr_ib_dev *dev = to_cxr_dev(ctx->ibucontext.device);
	const struct cxr_caps *caps = &dev->core->caps;
	u8 inline_mode;

	resp->qp_tab_size = 1u << caps->log_max_qp;
	/* Zero: no BlueFlame. */
	if (dev->bf)
		resp->bf_reg_size = 1u << caps->log_bf_reg_size;
	resp->cache_line_size = cache_line_size();
	resp->max_sq_desc_sz = caps->max_wqe_sz_sq;
	resp->max_rq_desc_sz = caps->max_wqe_sz_rq;
	resp->max_send_wqebb = 1u << caps->log_max_qp_sz;
	resp->max_recv_wr = 1u << caps->log_max_qp_sz;
	if (caps->log_max_srq)
		resp->max_srq_recv_wr = 1u << caps->log_max_srq_sz;
	resp->num_ports = CXR_IB_PORT;
	resp->cqe_version = ctx->cqe_version;
	resp->cmds_supp_uhw = MLX5_USER_CMDS_SUPP_UHW_QUERY_DEVICE |
			       MLX5_USER_CMDS_SUPP_UHW_CREATE_AH;
	/* Not known: the library takes what any card is content with. */
	resp->eth_min_inline = cxr_cmd_query_min_inline(dev->core, &inline_mode) ?
			       MLX5_USER_INLINE_MODE_NA :
			       MLX5_USER_INLINE_MODE_NONE + inline_mode;
	/* UMR changes the low byte of a key as well. */
	resp->comp_mask |= MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_MKEY_UPDATE_TAG;
	resp->log_uar_size = ctx->uar_4k ? ilog2(CXR_UAR_SIZE) : PAGE_SHIFT;
	resp->num_uars_per_page = ctx->uars_per_page;
	cxr_ib_clock_fill_resp(dev, resp);
	/* tot_bfregs stays zero: all UARs are dynamic. */
}

/*
 * When a context requested by ioctl is refused, ib_core (6.1 to 7.2) frees it without dropping the
 * task reference of its restrack entry. libmlx5 tries DEVX first, at three lengths: each open of a
 * device would leak a task. An ib_core that does drop the reference finds none here. The entry is
 * in no table yet, so nobody else reads it.
 */
static void drop_restrack_task(struct rdma_restrack_entry *res)
{
	if (!res->task)
		return;
	put_task_struct(res->task);
	res->task = NULL;
}

static int init_ucontext(struct ib_ucontext *ibucontext, struct ib_udata *udata)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibucontext->device);
	struct cxr_ib_ucontext *ctx = to_cxr_ucontext(ibucontext);
	struct mlx5_ib_alloc_ucontext_resp resp = {};
	struct mlx5_ib_alloc_ucontext_req_v2 req;
	int err;

	err = copy_req_ucontext(&dev->ibdev, udata, &req);
	if (err)
		return err;
	err = check_req_ucontext(dev, &req);
	if (err)
		return err;

	mutex_init(&ctx->left_lock);
	context_unsafe(INIT_LIST_HEAD(&ctx->left_uars); INIT_LIST_HEAD(&ctx->left));
	if (req.flags & MLX5_IB_ALLOC_UCTX_DEVX) {
		err = cxr_ib_devx_open(ctx);
		if (err)
			return err;
	}
	ctx->cqe_version = min(dev->core->caps.cqe_version, req.max_cqe_version);
	ctx->uar_4k = dev->core->caps.uar_4k && req.lib_caps & MLX5_LIB_CAP_4K_UAR;
	/* ALLOC_UAR returns a system page, in which the device may have several UARs. */
	ctx->uars_per_page = ctx->uar_4k ? PAGE_SIZE / CXR_UAR_SIZE : 1;
	fill_resp_ucontext(ctx, &resp);
	resp.response_length = min(udata->outlen, sizeof(resp));
	err = ib_copy_to_udata(udata, &resp, resp.response_length);
	if (err) {
		cxr_ib_devx_close(ctx);
		return err;
	}

	xa_init(&ctx->uars);
	mutex_init(&ctx->db_lock);
	context_unsafe(INIT_LIST_HEAD(&ctx->db_pages));
	mutex_init(&ctx->td_lock);
	return 0;
}

int cxr_ib_alloc_ucontext(struct ib_ucontext *ibucontext, struct ib_udata *udata)
{
	int err;

	err = init_ucontext(ibucontext, udata);
	if (err)
		drop_restrack_task(&ibucontext->res);
	return err;
}

void cxr_ib_dealloc_ucontext(struct ib_ucontext *ibucontext)
	__context_unsafe("nobody else knows it any more")
{
	struct cxr_ib_ucontext *ctx = to_cxr_ucontext(ibucontext);

	/* ib_core has destroyed all objects. */
	WARN_ON(!list_empty(&ctx->db_pages));
	cxr_ib_devx_settle(ctx);
	cxr_ib_put_domains(ctx);
	free_left_uars(ctx);
	cxr_ib_devx_close(ctx);
	mutex_destroy(&ctx->left_lock);
	mutex_destroy(&ctx->td_lock);
	mutex_destroy(&ctx->db_lock);
	xa_destroy(&ctx->uars);
}

/* A process that imports the context gets the response that its opener got. */
int cxr_ib_query_ucontext(struct ib_ucontext *ibucontext, struct uverbs_attr_bundle *attrs)
{
	struct mlx5_ib_alloc_ucontext_resp resp = {};

	fill_resp_ucontext(to_cxr_ucontext(ibucontext), &resp);
	resp.response_length =
		min_t(size_t, uverbs_attr_get_len(attrs, MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX),
		      sizeof(resp));
	return uverbs_copy_to_struct_or_zero(attrs, MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX, &resp,
					     sizeof(resp));
}

/*
 * ib_core itself zaps the mappings, which are made by rdma_user_mmap_io(), but only if there is
 * this callback.
 */
void cxr_ib_disassociate_ucontext(struct ib_ucontext *ibucontext)
{
}

int cxr_ib_check_uidx(struct cxr_ib_ucontext *ctx, bool present, u32 uidx, u32 *user_index)
{
	struct ib_device *ibdev = ctx->ibucontext.device;

	*user_index = CXR_IB_NO_UIDX;
	if (!ctx->cqe_version) {
		if (!present || uidx == CXR_IB_NO_UIDX)
			return 0;
		ibdev_dbg(ibdev, "user index %#x is not allowed with CQE version 0\n", uidx);
		return -EINVAL;
	}

	if (!present || uidx >= CXR_IB_NO_UIDX) {
		ibdev_dbg(ibdev, "user index %#x is missing or out of range\n", present ? uidx : 0);
		return -EINVAL;
	}
	*user_index = uidx;
	return 0;
}

/* ---- UARs ---- */

static struct cxr_ib_uar *to_cxr_uar(struct rdma_user_mmap_entry *entry)
{
	return container_of(entry, struct cxr_ib_uar, mapping.entry);
}

struct cxr_ib_uar *cxr_ib_uar_get(struct cxr_ib_ucontext *ctx, u32 index)
{
	struct rdma_user_mmap_entry *entry = NULL;
	struct cxr_ib_uar *uar;

	xa_lock(&ctx->uars);
	uar = xa_load(&ctx->uars, rounddown(index, ctx->uars_per_page));
	if (uar)
		entry = rdma_user_mmap_entry_get_pgoff(&ctx->ibucontext,
						       uar->mapping.entry.start_pgoff);
	xa_unlock(&ctx->uars);
	return entry ? uar : NULL;
}

void cxr_ib_uar_put(struct cxr_ib_uar *uar)
{
	rdma_user_mmap_entry_put(&uar->mapping.entry);
}

/* After the last put: nothing maps the UAR and no queue rings it. */
static void free_uar(struct rdma_user_mmap_entry *entry)
{
	struct cxr_ib_ucontext *ctx = to_cxr_ucontext(entry->ucontext);
	struct cxr_ib_dev *dev = to_cxr_dev(entry->ucontext->device);
	struct cxr_ib_uar *uar = to_cxr_uar(entry);

	if (!cxr_cmd_dealloc_uar(dev->core, ctx->uid, uar->index) || !ctx->uid) {
		kfree(uar);
		return;
	}
	/* An object of the program that verbs do not know uses it. */
	mutex_lock(&ctx->left_lock);
	list_add_tail(&uar->left_entry, &ctx->left_uars);
	mutex_unlock(&ctx->left_lock);
}

void cxr_ib_mmap_free(struct rdma_user_mmap_entry *entry)
{
	if (container_of(entry, struct cxr_ib_mapping, entry)->kind == CXR_IB_MAPPING_DM)
		cxr_ib_dm_mmap_free(entry);
	else
		free_uar(entry);
}

int cxr_ib_mmap(struct ib_ucontext *ibucontext, struct vm_area_struct *vma)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibucontext->device);
	struct rdma_user_mmap_entry *entry;
	struct cxr_ib_uar *uar;
	unsigned long pfn;
	pgprot_t prot;
	int err;

	if (vma->vm_pgoff < FIRST_PGOFF && cxr_ib_dm_is_mmap(vma))
		return cxr_ib_dm_mmap(ibucontext, vma);
	if (vma->vm_pgoff < FIRST_PGOFF)
		return cxr_ib_clock_mmap(ibucontext, vma);

	entry = rdma_user_mmap_entry_get(ibucontext, vma);
	if (!entry) {
		ibdev_dbg(&dev->ibdev, "mmap: no UAR of one page at offset %#lx\n", vma->vm_pgoff);
		return -EINVAL;
	}

	uar = to_cxr_uar(entry);
	pfn = cxr_uar_phys(dev->core, uar->index) >> PAGE_SHIFT;
	prot = uar->wc ? pgprot_writecombine(vma->vm_page_prot) :
			 pgprot_noncached(vma->vm_page_prot);
	err = rdma_user_mmap_io(ibucontext, vma, pfn, PAGE_SIZE, prot, entry);
	rdma_user_mmap_entry_put(entry);
	return err;
}

/* ERR_PTR. The caller owns the entry's first reference. */
static struct cxr_ib_uar *alloc_uar(struct cxr_ib_dev *dev, struct cxr_ib_ucontext *ctx, bool wc)
{
	struct cxr_ib_uar *uar;
	int err;

	uar = kzalloc(sizeof(*uar), GFP_KERNEL);
	if (!uar)
		return ERR_PTR(-ENOMEM);

	uar->wc = wc;
	err = cxr_cmd_alloc_uar(dev->core, ctx->uid, &uar->index);
	if (err)
		goto err_free;
	if (!cxr_uar_phys(dev->core, uar->index)) {
		ibdev_err(&dev->ibdev, "UAR %#x is outside of BAR 0\n", uar->index);
		err = -EPROTO;
		goto err_dealloc;
	}

	err = rdma_user_mmap_entry_insert_range(&ctx->ibucontext, &uar->mapping.entry, PAGE_SIZE,
						FIRST_PGOFF, U32_MAX);
	if (err)
		goto err_dealloc;

	err = xa_err(xa_store(&ctx->uars, uar->index, uar, GFP_KERNEL));
	if (err) {
		/* The last put frees the index and the memory. */
		rdma_user_mmap_entry_remove(&uar->mapping.entry);
		return ERR_PTR(err);
	}
	return uar;

err_dealloc:
	cxr_cmd_dealloc_uar(dev->core, ctx->uid, uar->index);
err_free:
	kfree(uar);
	return ERR_PTR(err);
}

static int UVERBS_HANDLER(MLX5_IB_METHOD_UAR_OBJ_ALLOC)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj =
		uverbs_attr_get_uobject(attrs, MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE);
	enum mlx5_ib_uapi_uar_alloc_type type;
	struct cxr_ib_ucontext *ctx;
	struct ib_ucontext *ibctx;
	struct cxr_ib_uar *uar;
	struct cxr_ib_dev *dev;
	u64 offset;
	u32 length;
	int err;

	ibctx = ib_uverbs_get_ucontext(attrs);
	if (IS_ERR(ibctx))
		return PTR_ERR(ibctx);
	ctx = to_cxr_ucontext(ibctx);

	err = uverbs_get_const(&type, attrs, MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE);
	if (err)
		return err;
	dev = to_cxr_dev(ibctx->device);
	if (type != MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC &&
	    !(type == MLX5_IB_UAPI_UAR_ALLOC_TYPE_BF && dev->bf))
		return -EOPNOTSUPP;

	uar = alloc_uar(dev, ctx, type == MLX5_IB_UAPI_UAR_ALLOC_TYPE_BF);
	if (IS_ERR(uar))
		return PTR_ERR(uar);

	/* From here on the cleanup of the uobject undoes it, also if a copy below fails. */
	uobj->object = uar;
	uverbs_finalize_uobj_create(attrs, MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE);

	offset = rdma_user_mmap_get_offset(&uar->mapping.entry);
	length = uar->mapping.entry.npages * PAGE_SIZE;
	err = uverbs_copy_to(attrs, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET, &offset,
			     sizeof(offset));
	if (err)
		return err;
	err = uverbs_copy_to(attrs, MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID, &uar->index,
			     sizeof(uar->index));
	if (err)
		return err;
	return uverbs_copy_to(attrs, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH, &length,
			      sizeof(length));
}

static int destroy_uar(struct ib_uobject *uobj, enum rdma_remove_reason why,
		       struct uverbs_attr_bundle *attrs)
{
	struct cxr_ib_uar *uar = uobj->object;
	struct cxr_ib_ucontext *ctx = to_cxr_ucontext(uar->mapping.entry.ucontext);

	xa_erase(&ctx->uars, uar->index);
	rdma_user_mmap_entry_remove(&uar->mapping.entry);
	return 0;
}

DECLARE_UVERBS_NAMED_METHOD(MLX5_IB_METHOD_UAR_OBJ_ALLOC,
			    UVERBS_ATTR_IDR(MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE,
					    MLX5_IB_OBJECT_UAR, UVERBS_ACCESS_NEW,
					    UA_MANDATORY),
			    UVERBS_ATTR_CONST_IN(MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE,
						 enum mlx5_ib_uapi_uar_alloc_type,
						 UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET,
						UVERBS_ATTR_TYPE(u64), UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH,
						UVERBS_ATTR_TYPE(u32), UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID,
						UVERBS_ATTR_TYPE(u32), UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD_DESTROY(MLX5_IB_METHOD_UAR_OBJ_DESTROY,
				    UVERBS_ATTR_IDR(MLX5_IB_ATTR_UAR_OBJ_DESTROY_HANDLE,
						    MLX5_IB_OBJECT_UAR, UVERBS_ACCESS_DESTROY,
						    UA_MANDATORY));

DECLARE_UVERBS_NAMED_OBJECT(MLX5_IB_OBJECT_UAR, UVERBS_TYPE_ALLOC_IDR(destroy_uar),
			    &UVERBS_METHOD(MLX5_IB_METHOD_UAR_OBJ_ALLOC),
			    &UVERBS_METHOD(MLX5_IB_METHOD_UAR_OBJ_DESTROY));

/* ---- queries, also of imported objects ---- */

#define CONTEXT_RESP UVERBS_ATTR_STRUCT(struct mlx5_ib_alloc_ucontext_resp, dump_fill_mkey)

ADD_UVERBS_ATTRIBUTES_SIMPLE(query_context, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT,
			     UVERBS_ATTR_PTR_OUT(MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX, CONTEXT_RESP,
						 UA_MANDATORY));

static int UVERBS_HANDLER(MLX5_IB_METHOD_PD_QUERY)(struct uverbs_attr_bundle *attrs)
{
	struct ib_pd *ibpd = uverbs_attr_get_obj(attrs, MLX5_IB_ATTR_QUERY_PD_HANDLE);
	struct cxr_ib_pd *pd = to_cxr_pd(ibpd);

	return uverbs_copy_to(attrs, MLX5_IB_ATTR_QUERY_PD_RESP_PDN, &pd->pdn, sizeof(pd->pdn));
}

DECLARE_UVERBS_NAMED_METHOD(MLX5_IB_METHOD_PD_QUERY,
			    UVERBS_ATTR_IDR(MLX5_IB_ATTR_QUERY_PD_HANDLE, UVERBS_OBJECT_PD,
					    UVERBS_ACCESS_READ, UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(MLX5_IB_ATTR_QUERY_PD_RESP_PDN,
						UVERBS_ATTR_TYPE(u32), UA_MANDATORY));

/* Only an eswitch has attributes here, and this driver does not run one: no flags. */
static int UVERBS_HANDLER(MLX5_IB_METHOD_QUERY_PORT)(struct uverbs_attr_bundle *attrs)
{
	struct mlx5_ib_uapi_query_port info = {};
	struct ib_ucontext *ibctx;
	u32 port;
	int err;

	ibctx = ib_uverbs_get_ucontext(attrs);
	if (IS_ERR(ibctx))
		return PTR_ERR(ibctx);

	err = uverbs_copy_from(&port, attrs, MLX5_IB_ATTR_QUERY_PORT_PORT_NUM);
	if (err)
		return err;
	if (!rdma_is_port_valid(ibctx->device, port)) {
		ibdev_dbg(ibctx->device, "query port: invalid port %u\n", port);
		return -EINVAL;
	}
	return uverbs_copy_to_struct_or_zero(attrs, MLX5_IB_ATTR_QUERY_PORT, &info, sizeof(info));
}

DECLARE_UVERBS_NAMED_METHOD(MLX5_IB_METHOD_QUERY_PORT,
			    UVERBS_ATTR_PTR_IN(MLX5_IB_ATTR_QUERY_PORT_PORT_NUM,
					       UVERBS_ATTR_TYPE(u32), UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(MLX5_IB_ATTR_QUERY_PORT,
						UVERBS_ATTR_STRUCT(struct mlx5_ib_uapi_query_port,
								   reg_c0),
						UA_MANDATORY));

ADD_UVERBS_METHODS(query_port, UVERBS_OBJECT_DEVICE, &UVERBS_METHOD(MLX5_IB_METHOD_QUERY_PORT));

ADD_UVERBS_METHODS(query_pd, UVERBS_OBJECT_PD, &UVERBS_METHOD(MLX5_IB_METHOD_PD_QUERY));

const struct uapi_definition cxr_ib_uapi_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(MLX5_IB_OBJECT_UAR),
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_DEVICE, &query_context),
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_DEVICE, &query_port),
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_PD, &query_pd),
	UAPI_DEF_CHAIN(cxr_ib_dm_defs),
	UAPI_DEF_CHAIN(cxr_ib_pp_defs),
	UAPI_DEF_CHAIN(cxr_ib_matcher_defs),
	UAPI_DEF_CHAIN(cxr_ib_devx_defs),
	UAPI_DEF_CHAIN(cxr_ib_devx_umem_defs),
	UAPI_DEF_CHAIN(cxr_ib_devx_async_defs),
	UAPI_DEF_CHAIN(cxr_ib_devx_event_defs),
	{}
};
