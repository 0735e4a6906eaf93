// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Rates of packet pacing that programs set for queues which they make without verbs. They name the
 * rate by its index in the device.
 */
#include <linux/slab.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include <rdma/uverbs_std_types.h>

#include "cxr/rate.h"
#include "ib.h"

#define UVERBS_MODULE_NAME cxr_ib
#include <rdma/uverbs_named_ioctl.h>

struct cxr_ib_pp {
	struct cxr_core *core;
	u16 index;
};

static int UVERBS_HANDLER(MLX5_IB_METHOD_PP_OBJ_ALLOC)(struct uverbs_attr_bundle *attrs)
{
	struct cxr_ib_ucontext *ctx = rdma_udata_to_drv_context(&attrs->driver_udata,
								struct cxr_ib_ucontext, ibucontext);
	struct ib_uobject *uobj = uverbs_attr_get_uobject(attrs, MLX5_IB_ATTR_PP_OBJ_ALLOC_HANDLE);
	u8 raw[CXR_RATE_BYTES] = {};
	struct cxr_ib_pp *pp;
	u32 flags;
	int err;

	if (!ctx->uid)
		return -EINVAL;
	err = uverbs_get_flags32(&flags, attrs, MLX5_IB_ATTR_PP_OBJ_ALLOC_FLAGS,
				 MLX5_IB_UAPI_PP_ALLOC_FLAGS_DEDICATED_INDEX);
	if (!err)
		err = uverbs_copy_from(&raw, attrs, MLX5_IB_ATTR_PP_OBJ_ALLOC_CTX);
	if (err)
		return err;
	pp = kzalloc(sizeof(*pp), GFP_KERNEL);
	if (!pp)
		return -ENOMEM;
	pp->core = to_cxr_dev(ctx->ibucontext.device)->core;
	err = cxr_rate_get_raw(pp->core, raw, flags ? ctx->uid : 0, &pp->index);
	if (err) {
		kfree(pp);
		return err;
	}

	/* From here on the cleanup of the uobject undoes it, also if the copy fails. */
	uobj->object = pp;
	uverbs_finalize_uobj_create(attrs, MLX5_IB_ATTR_PP_OBJ_ALLOC_HANDLE);
	return uverbs_copy_to(attrs, MLX5_IB_ATTR_PP_OBJ_ALLOC_INDEX, &pp->index,
			      sizeof(pp->index));
}

static int pp_cleanup(struct ib_uobject *uobj, enum rdma_remove_reason why,
		      struct uverbs_attr_bundle *attrs)
{
	struct cxr_ib_pp *pp = uobj->object;

	cxr_rate_put(pp->core, pp->index);
	kfree(pp);
	return 0;
}

DECLARE_UVERBS_NAMED_METHOD(MLX5_IB_METHOD_PP_OBJ_ALLOC,
			    UVERBS_ATTR_IDR(MLX5_IB_ATTR_PP_OBJ_ALLOC_HANDLE, MLX5_IB_OBJECT_PP,
					    UVERBS_ACCESS_NEW, UA_MANDATORY),
			    UVERBS_ATTR_PTR_IN(MLX5_IB_ATTR_PP_OBJ_ALLOC_CTX,
					       UVERBS_ATTR_SIZE(1, CXR_RATE_BYTES), UA_MANDATORY),
			    UVERBS_ATTR_FLAGS_IN(MLX5_IB_ATTR_PP_OBJ_ALLOC_FLAGS,
						 enum mlx5_ib_uapi_pp_alloc_flags, UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(MLX5_IB_ATTR_PP_OBJ_ALLOC_INDEX,
						UVERBS_ATTR_TYPE(u16), UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD_DESTROY(MLX5_IB_METHOD_PP_OBJ_DESTROY,
				    UVERBS_ATTR_IDR(MLX5_IB_ATTR_PP_OBJ_DESTROY_HANDLE,
						    MLX5_IB_OBJECT_PP, UVERBS_ACCESS_DESTROY,
						    UA_MANDATORY));

DECLARE_UVERBS_NAMED_OBJECT(MLX5_IB_OBJECT_PP, UVERBS_TYPE_ALLOC_IDR(pp_cleanup),
			    &UVERBS_METHOD(MLX5_IB_METHOD_PP_OBJ_ALLOC),
			    &UVERBS_METHOD(MLX5_IB_METHOD_PP_OBJ_DESTROY));

static bool has_pp(struct ib_device *ibdev)
{
	const struct cxr_caps *caps = &to_cxr_dev(ibdev)->core->caps;

	return caps->rates.n && caps->rate_uid;
}

const struct uapi_definition cxr_ib_pp_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(MLX5_IB_OBJECT_PP, UAPI_DEF_IS_OBJ_SUPPORTED(has_pp)),
	{}
};
