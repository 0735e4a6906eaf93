// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Flow rules in the device's own layout, as mlx5dv_create_flow_matcher() and mlx5dv_create_flow()
 * make them: a matcher has the mask and the priority, its rules the values. What their layout can
 * say and struct cxr_flow_fields cannot (tunnels, fragments, a second VLAN tag) is refused when the
 * matcher is created.
 */
#include <linux/capability.h>
#include <linux/slab.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include <rdma/uverbs_std_types.h>

#include "devx.h"

#define UVERBS_MODULE_NAME cxr_ib
#include <rdma/uverbs_named_ioctl.h>

#define COUNTERS MLX5_IB_ATTR_CREATE_FLOW_ARR_COUNTERS_DEVX
#define COUNTER_OFFSETS MLX5_IB_ATTR_CREATE_FLOW_ARR_COUNTERS_DEVX_OFFSET
#define FLOW_FLAGS \
	(MLX5_IB_ATTR_CREATE_FLOW_FLAGS_DEFAULT_MISS | MLX5_IB_ATTR_CREATE_FLOW_FLAGS_DROP)

struct matcher {
	atomic_t rules;
	struct cxr_flow_fields mask;
	u16 prio;
	bool normal;		/* the only type that takes rules, as in the in-tree driver */
	u8 raw_mask[CXR_FLOW_PARAM_BYTES];
};

static struct cxr_ib_dev *attrs_dev(struct uverbs_attr_bundle *attrs)
{
	struct ib_ucontext *ibctx = ib_uverbs_get_ucontext(attrs);

	return IS_ERR(ibctx) ? ERR_CAST(ibctx) : to_cxr_dev(ibctx->device);
}

/* ---- matchers ---- */

static int matcher_cleanup(struct ib_uobject *uobject, enum rdma_remove_reason why,
			   struct uverbs_attr_bundle *attrs)
{
	struct matcher *matcher = uobject->object;

	if (atomic_read(&matcher->rules))
		return -EBUSY;
	kfree(matcher);
	return 0;
}

/* Received packets only: the two ways to ask for another table exclude one another. */
static int check_table(struct uverbs_attr_bundle *attrs)
{
	enum mlx5_ib_uapi_flow_table_type type = MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_RX;
	u32 flags = 0;
	int err = 0;

	if (uverbs_attr_is_valid(attrs, MLX5_IB_ATTR_FLOW_MATCHER_FT_TYPE)) {
		if (uverbs_attr_is_valid(attrs, MLX5_IB_ATTR_FLOW_MATCHER_FLOW_FLAGS))
			return -EINVAL;
		err = uverbs_get_const(&type, attrs, MLX5_IB_ATTR_FLOW_MATCHER_FT_TYPE);
	} else if (uverbs_attr_is_valid(attrs, MLX5_IB_ATTR_FLOW_MATCHER_FLOW_FLAGS)) {
		err = uverbs_get_flags32(&flags, attrs, MLX5_IB_ATTR_FLOW_MATCHER_FLOW_FLAGS,
					 IB_FLOW_ATTR_FLAGS_EGRESS);
	}
	if (err)
		return err;
	return type == MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_RX && !flags ? 0 : -EOPNOTSUPP;
}

static int read_matcher(struct cxr_ib_dev *dev, struct uverbs_attr_bundle *attrs,
			struct matcher *matcher)
{
	u8 criteria;
	int err;

	err = uverbs_copy_from(&matcher->raw_mask, attrs, MLX5_IB_ATTR_FLOW_MATCHER_MATCH_MASK);
	err = err ?: uverbs_copy_from(&criteria, attrs, MLX5_IB_ATTR_FLOW_MATCHER_MATCH_CRITERIA);
	if (err)
		return err;
	matcher->normal = uverbs_attr_get_enum_id(attrs, MLX5_IB_ATTR_FLOW_MATCHER_FLOW_TYPE) ==
			  MLX5_IB_FLOW_TYPE_NORMAL;
	if (matcher->normal)
		err = uverbs_copy_from(&matcher->prio, attrs, MLX5_IB_ATTR_FLOW_MATCHER_FLOW_TYPE);
	err = err ?: check_table(attrs);
	if (err) {
		ibdev_dbg(&dev->ibdev, "matcher: only of received packets\n");
		return err;
	}
	if (!cxr_flow_decode(matcher->raw_mask, &matcher->mask) ||
	    !cxr_flow_within(&matcher->mask, &dev->core->caps.ft_match)) {
		ibdev_dbg(&dev->ibdev, "matcher: a field of the mask is not supported\n");
		return -EOPNOTSUPP;
	}
	if (cxr_flow_criteria(&matcher->mask) & ~criteria) {
		ibdev_dbg(&dev->ibdev, "matcher: the mask has bits outside of the criteria %#x\n",
			  criteria);
		return -EINVAL;
	}
	return 0;
}

static int UVERBS_HANDLER(MLX5_IB_METHOD_FLOW_MATCHER_CREATE)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj =
		uverbs_attr_get_uobject(attrs, MLX5_IB_ATTR_FLOW_MATCHER_CREATE_HANDLE);
	struct cxr_ib_dev *dev = attrs_dev(attrs);
	struct matcher *matcher;
	int err;

	if (IS_ERR(dev))
		return PTR_ERR(dev);
	if (!cxr_ib_has_flows(&dev->core->caps))
		return -EOPNOTSUPP;
	matcher = kzalloc(sizeof(*matcher), GFP_KERNEL);
	if (!matcher)
		return -ENOMEM;
	err = read_matcher(dev, attrs, matcher);
	if (err) {
		kfree(matcher);
		return err;
	}
	uobj->object = matcher;
	return 0;
}

/* ---- rules ---- */

/* An object that the program made: its TIR. */
static int read_devx_destination(struct uverbs_attr_bundle *attrs, struct cxr_rule_attr *rule)
{
	struct cxr_ib_devx_obj *obj =
		uverbs_attr_get_obj(attrs, MLX5_IB_ATTR_CREATE_FLOW_DEST_DEVX);

	if (IS_ERR(obj))
		return PTR_ERR(obj);
	rule->tirn = obj->id.num;
	if (obj->id.kind == CXR_DEVX_TIR)
		return 0;
	ibdev_dbg(&obj->dev->ibdev, "flow: object %#x of kind %d is no TIR\n", obj->id.num,
		  obj->id.kind);
	return obj->id.kind == CXR_DEVX_FLOW_TABLE ? -EOPNOTSUPP : -EINVAL;
}

/* A flow counter that the program made, or one of several. */
static int read_counter(struct uverbs_attr_bundle *attrs, struct cxr_rule_attr *rule)
{
	const u32 *offset = NULL;
	struct ib_uobject **objects;
	struct cxr_ib_devx_obj *obj;
	int n;

	n = uverbs_attr_get_uobjs_arr(attrs, COUNTERS, &objects);
	if (n < 0)
		return n;
	if (!n)
		return 0;
	if (uverbs_attr_is_valid(attrs, COUNTER_OFFSETS)) {
		n = uverbs_attr_ptr_get_array_size(attrs, COUNTER_OFFSETS, sizeof(*offset));
		if (n != 1)
			return -EINVAL;
		offset = uverbs_attr_get_alloced_ptr(attrs, COUNTER_OFFSETS);
	}
	obj = objects[0]->object;
	if (obj->id.kind != CXR_DEVX_FLOW_COUNTER ||
	    (offset && *offset && *offset >= obj->counters)) {
		ibdev_dbg(&obj->dev->ibdev, "flow: object %#x of kind %d is no flow counter\n",
			  obj->id.num, obj->id.kind);
		return -EINVAL;
	}
	rule->count = true;
	rule->counter = obj->id.num + (offset ? *offset : 0);
	return 0;
}

/* To a QP, an object that the program made, or nowhere */
static int read_destination(struct cxr_ib_dev *dev, struct uverbs_attr_bundle *attrs,
			    struct ib_qp **ibqp, struct cxr_rule_attr *rule)
{
	bool to_devx = uverbs_attr_is_valid(attrs, MLX5_IB_ATTR_CREATE_FLOW_DEST_DEVX);
	bool to_qp = uverbs_attr_is_valid(attrs, MLX5_IB_ATTR_CREATE_FLOW_DEST_QP);
	struct cxr_ib_qp *qp;
	u32 flags = 0;
	int err;

	err = uverbs_get_flags32(&flags, attrs, MLX5_IB_ATTR_CREATE_FLOW_FLAGS, FLOW_FLAGS);
	if (err)
		return err;
	if (flags & MLX5_IB_ATTR_CREATE_FLOW_FLAGS_DEFAULT_MISS) {
		ibdev_dbg(&dev->ibdev, "flow: the default miss is not a destination here\n");
		return flags == FLOW_FLAGS ? -EINVAL : -EOPNOTSUPP;
	}
	rule->drop = flags & MLX5_IB_ATTR_CREATE_FLOW_FLAGS_DROP;
	if (rule->drop + to_qp + to_devx != 1) {
		ibdev_dbg(&dev->ibdev,
			  "flow: takes one of a QP, a TIR and the flag to drop packets\n");
		return -EINVAL;
	}
	if (rule->drop)
		return 0;
	if (to_devx)
		return read_devx_destination(attrs, rule);
	*ibqp = uverbs_attr_get_obj(attrs, MLX5_IB_ATTR_CREATE_FLOW_DEST_QP);
	if (IS_ERR(*ibqp))
		return PTR_ERR(*ibqp);
	/* An XRC target of a program is only ib_core's. */
	qp = (*ibqp)->qp_type == IB_QPT_RAW_PACKET ? to_cxr_qp(*ibqp) : NULL;
	if (!qp || !qp->raw || !qp->raw->has_tir) {
		ibdev_dbg(&dev->ibdev, "flow: QP %#x is not a raw packet QP that receives\n",
			  (*ibqp)->qp_num);
		return -EINVAL;
	}
	rule->tirn = qp->raw->tirn;
	return 0;
}

/* The value within the matcher's mask; bits outside of it have no meaning. */
static int read_value(struct uverbs_attr_bundle *attrs, const struct matcher *matcher,
		      struct cxr_flow_fields *value)
{
	size_t len = uverbs_attr_get_len(attrs, MLX5_IB_ATTR_CREATE_FLOW_MATCH_VALUE), i;
	const u8 *from = uverbs_attr_get_alloced_ptr(attrs, MLX5_IB_ATTR_CREATE_FLOW_MATCH_VALUE);
	u8 *raw;

	raw = kzalloc(CXR_FLOW_PARAM_BYTES, GFP_KERNEL);
	if (!raw)
		return -ENOMEM;
	for (i = 0; i < len; i++)
		raw[i] = from[i] & matcher->raw_mask[i];
	/* cannot fail: the mask has been decoded */
	cxr_flow_decode(raw, value);
	kfree(raw);
	return 0;
}

static int read_rule(struct cxr_ib_dev *dev, struct uverbs_attr_bundle *attrs,
		     const struct matcher *matcher, struct ib_qp **ibqp,
		     struct cxr_rule_attr *rule)
{
	int err;

	if (!matcher->normal)
		return -EOPNOTSUPP;
	if (matcher->prio >= CXR_FLOW_PRIOS) {
		ibdev_dbg(&dev->ibdev, "flow: priority %u exceeds the maximum of %u\n",
			  matcher->prio, CXR_FLOW_PRIOS - 1);
		return -ENOMEM;
	}
	err = read_destination(dev, attrs, ibqp, rule);
	err = err ?: read_counter(attrs, rule);
	if (err)
		return err;
	if (uverbs_attr_is_valid(attrs, MLX5_IB_ATTR_CREATE_FLOW_TAG)) {
		err = uverbs_copy_from(&rule->tag, attrs, MLX5_IB_ATTR_CREATE_FLOW_TAG);
		if (err)
			return err;
		if (rule->tag > CXR_IB_FLOW_TAG_MAX)
			return -EINVAL;
	}
	rule->mask = matcher->mask;
	rule->prio = matcher->prio;
	return read_value(attrs, matcher, &rule->value);
}

static int UVERBS_HANDLER(MLX5_IB_METHOD_CREATE_FLOW)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj =
		uverbs_attr_get_uobject(attrs, MLX5_IB_ATTR_CREATE_FLOW_HANDLE);
	struct matcher *matcher =
		uverbs_attr_get_obj(attrs, MLX5_IB_ATTR_CREATE_FLOW_MATCHER);
	struct cxr_ib_dev *dev = attrs_dev(attrs);
	struct cxr_rule_attr rule = {};
	struct ib_qp *ibqp = NULL;
	struct ib_flow *flow;
	int err;

	if (!capable(CAP_NET_RAW))
		return -EPERM;
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	err = read_rule(dev, attrs, matcher, &ibqp, &rule);
	if (err)
		return err;
	flow = cxr_ib_add_flow(dev, &rule, &matcher->rules);
	if (IS_ERR(flow))
		return PTR_ERR(flow);
	ib_set_flow(uobj, flow, ibqp, &dev->ibdev, NULL);
	return 0;
}

/* ---- methods ---- */

static const struct uverbs_attr_spec flow_types[] = {
	[MLX5_IB_FLOW_TYPE_NORMAL] = {
		.type = UVERBS_ATTR_TYPE_PTR_IN,
		.u.ptr = { .min_len = sizeof(u16), .len = sizeof(u16) },	/* priority */
	},
	[MLX5_IB_FLOW_TYPE_SNIFFER] = {
		.type = UVERBS_ATTR_TYPE_PTR_IN, UVERBS_ATTR_NO_DATA(),
	},
	[MLX5_IB_FLOW_TYPE_ALL_DEFAULT] = {
		.type = UVERBS_ATTR_TYPE_PTR_IN, UVERBS_ATTR_NO_DATA(),
	},
	[MLX5_IB_FLOW_TYPE_MC_DEFAULT] = {
		.type = UVERBS_ATTR_TYPE_PTR_IN, UVERBS_ATTR_NO_DATA(),
	},
};

DECLARE_UVERBS_NAMED_METHOD(MLX5_IB_METHOD_FLOW_MATCHER_CREATE,
			    UVERBS_ATTR_IDR(MLX5_IB_ATTR_FLOW_MATCHER_CREATE_HANDLE,
					    MLX5_IB_OBJECT_FLOW_MATCHER, UVERBS_ACCESS_NEW,
					    UA_MANDATORY),
			    UVERBS_ATTR_PTR_IN(MLX5_IB_ATTR_FLOW_MATCHER_MATCH_MASK,
					       UVERBS_ATTR_SIZE(1, CXR_FLOW_PARAM_BYTES),
					       UA_MANDATORY),
			    UVERBS_ATTR_ENUM_IN(MLX5_IB_ATTR_FLOW_MATCHER_FLOW_TYPE, flow_types,
						UA_MANDATORY),
			    UVERBS_ATTR_PTR_IN(MLX5_IB_ATTR_FLOW_MATCHER_MATCH_CRITERIA,
					       UVERBS_ATTR_TYPE(u8), UA_MANDATORY),
			    UVERBS_ATTR_FLAGS_IN(MLX5_IB_ATTR_FLOW_MATCHER_FLOW_FLAGS,
						 enum ib_flow_flags, UA_OPTIONAL),
			    UVERBS_ATTR_CONST_IN(MLX5_IB_ATTR_FLOW_MATCHER_FT_TYPE,
						 enum mlx5_ib_uapi_flow_table_type, UA_OPTIONAL));

DECLARE_UVERBS_NAMED_METHOD_DESTROY(MLX5_IB_METHOD_FLOW_MATCHER_DESTROY,
				    UVERBS_ATTR_IDR(MLX5_IB_ATTR_FLOW_MATCHER_DESTROY_HANDLE,
						    MLX5_IB_OBJECT_FLOW_MATCHER,
						    UVERBS_ACCESS_DESTROY, UA_MANDATORY));

DECLARE_UVERBS_NAMED_OBJECT(MLX5_IB_OBJECT_FLOW_MATCHER, UVERBS_TYPE_ALLOC_IDR(matcher_cleanup),
			    &UVERBS_METHOD(MLX5_IB_METHOD_FLOW_MATCHER_CREATE),
			    &UVERBS_METHOD(MLX5_IB_METHOD_FLOW_MATCHER_DESTROY));

DECLARE_UVERBS_NAMED_METHOD(MLX5_IB_METHOD_CREATE_FLOW,
			    UVERBS_ATTR_IDR(MLX5_IB_ATTR_CREATE_FLOW_HANDLE, UVERBS_OBJECT_FLOW,
					    UVERBS_ACCESS_NEW, UA_MANDATORY),
			    UVERBS_ATTR_PTR_IN(MLX5_IB_ATTR_CREATE_FLOW_MATCH_VALUE,
					       UVERBS_ATTR_SIZE(1, CXR_FLOW_PARAM_BYTES),
					       UA_MANDATORY, UA_ALLOC_AND_COPY),
			    UVERBS_ATTR_IDR(MLX5_IB_ATTR_CREATE_FLOW_MATCHER,
					    MLX5_IB_OBJECT_FLOW_MATCHER, UVERBS_ACCESS_READ,
					    UA_MANDATORY),
			    UVERBS_ATTR_IDR(MLX5_IB_ATTR_CREATE_FLOW_DEST_QP, UVERBS_OBJECT_QP,
					    UVERBS_ACCESS_READ),
			    UVERBS_ATTR_IDR(MLX5_IB_ATTR_CREATE_FLOW_DEST_DEVX,
					    MLX5_IB_OBJECT_DEVX_OBJ, UVERBS_ACCESS_READ),
			    UVERBS_ATTR_PTR_IN(MLX5_IB_ATTR_CREATE_FLOW_TAG, UVERBS_ATTR_TYPE(u32),
					       UA_OPTIONAL),
			    UVERBS_ATTR_IDRS_ARR(COUNTERS, MLX5_IB_OBJECT_DEVX_OBJ,
						 UVERBS_ACCESS_READ, 1, 1, UA_OPTIONAL),
			    UVERBS_ATTR_PTR_IN(COUNTER_OFFSETS, UVERBS_ATTR_MIN_SIZE(sizeof(u32)),
					       UA_OPTIONAL, UA_ALLOC_AND_COPY),
			    UVERBS_ATTR_FLAGS_IN(MLX5_IB_ATTR_CREATE_FLOW_FLAGS,
						 enum mlx5_ib_create_flow_flags, UA_OPTIONAL));

DECLARE_UVERBS_NAMED_METHOD_DESTROY(MLX5_IB_METHOD_DESTROY_FLOW,
				    UVERBS_ATTR_IDR(MLX5_IB_ATTR_CREATE_FLOW_HANDLE,
						    UVERBS_OBJECT_FLOW, UVERBS_ACCESS_DESTROY,
						    UA_MANDATORY));

ADD_UVERBS_METHODS(flow_methods, UVERBS_OBJECT_FLOW, &UVERBS_METHOD(MLX5_IB_METHOD_CREATE_FLOW),
		   &UVERBS_METHOD(MLX5_IB_METHOD_DESTROY_FLOW));

const struct uapi_definition cxr_ib_matcher_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(MLX5_IB_OBJECT_FLOW_MATCHER),
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_FLOW, &flow_methods),
	{}
};
