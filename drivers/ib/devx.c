// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* DEVX: commands of programs, and the objects that they create. */
#include <linux/capability.h>
#include <linux/slab.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/uverbs_std_types.h>

#include "cxr/health.h"
#include "devx.h"

#define UVERBS_MODULE_NAME cxr_ib
#include <rdma/uverbs_named_ioctl.h>

/* ---- user contexts ---- */

int cxr_ib_devx_open(struct cxr_ib_ucontext *ctx)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ctx->ibucontext.device);

	if (!dev->devx) {
		ibdev_dbg(&dev->ibdev, "context: the device has no DEVX\n");
		return -EINVAL;
	}
	return cxr_cmd_create_uctx(dev->core, capable(CAP_NET_RAW), capable(CAP_SYS_RAWIO),
				   &ctx->uid);
}

/* The device keeps them, and their memory, until it is reset. */
static void drop_left(struct cxr_ib_ucontext *ctx)
	__context_unsafe("nobody else knows the context any more")
{
	struct cxr_ib_left *left, *next;

	list_for_each_entry_safe(left, next, &ctx->left, entry) {
		ibdev_warn(ctx->ibucontext.device,
			   "DEVX: the device keeps what command %#x should destroy\n",
			   cxr_devx_opcode(left->destroy.in));
		kfree(left);
	}
}

void cxr_ib_devx_close(struct cxr_ib_ucontext *ctx)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ctx->ibucontext.device);

	if (!ctx->uid)
		return;
	cxr_ib_devx_settle(ctx);
	drop_left(ctx);
	if (cxr_cmd_destroy_uctx(dev->core, ctx->uid))
		ibdev_warn(&dev->ibdev, "the device keeps user context %u and objects of it\n",
			   ctx->uid);
}

int cxr_ib_devx_up(void *owner)
{
	struct cxr_ib_dev *dev = owner;

	if (!dev->core->caps.log_max_uctx)
		return 0;
	dev->devx = kzalloc(sizeof(*dev->devx), GFP_KERNEL);
	if (!dev->devx)
		return -ENOMEM;
	dev->devx->queries = alloc_workqueue("cxr_devx", WQ_UNBOUND, 0);
	if (!dev->devx->queries) {
		kfree(dev->devx);
		dev->devx = NULL;
		return -ENOMEM;
	}
	mutex_init(&dev->devx->lock);
	hash_init(dev->devx->subs);
	/* Without it programs that have no context of their own cannot ask. */
	if (cxr_cmd_create_uctx(dev->core, false, false, &dev->devx->public_uid))
		dev->devx->public_uid = 0;
	return 0;
}

void cxr_ib_devx_down(void *owner)
{
	struct cxr_ib_dev *dev = owner;

	if (!dev->devx)
		return;
	rcu_barrier();	/* subscriptions that ended */
	if (dev->devx->public_uid)
		cxr_cmd_destroy_uctx(dev->core, dev->devx->public_uid);
	mutex_destroy(&dev->devx->lock);
	destroy_workqueue(dev->devx->queries);
	kfree(dev->devx);
	dev->devx = NULL;
}

/* ---- what the device has not taken back ---- */

static void free_left(struct cxr_ib_left *left)
{
	if (left->umem)
		ib_umem_release(left->umem);
	kfree(left);
}

void cxr_ib_devx_add(struct cxr_ib_ucontext *ctx)
{
	atomic_inc(&ctx->devx_objects);
}

void cxr_ib_devx_end(struct cxr_ib_ucontext *ctx, struct cxr_ib_left *left, int err)
{
	atomic_dec(&ctx->devx_objects);
	if (!err) {
		free_left(left);
		return;
	}
	mutex_lock(&ctx->left_lock);
	list_add(&left->entry, &ctx->left);
	mutex_unlock(&ctx->left_lock);
}

/* The newest first, as they may use older ones; and again, as long as one goes. */
void cxr_ib_devx_settle(struct cxr_ib_ucontext *ctx)
{
	struct cxr_ib_left *left, *next;
	struct cxr_core *core;
	bool gone = true;

	if (!ctx || !ctx->uid)
		return;
	core = to_cxr_dev(ctx->ibucontext.device)->core;
	mutex_lock(&ctx->left_lock);
	while (gone) {
		gone = false;
		list_for_each_entry_safe(left, next, &ctx->left, entry) {
			if (cxr_cmd_user_destroy(core, &left->destroy))
				continue;
			list_del(&left->entry);
			free_left(left);
			gone = true;
		}
	}
	mutex_unlock(&ctx->left_lock);
}

bool cxr_ib_devx_holds(const struct cxr_ib_ucontext *ctx)
{
	return ctx && atomic_read(&ctx->devx_objects);
}

/* ---- whose object a command is about ---- */

static bool is_raw_object(const struct cxr_ib_raw *raw, const struct cxr_devx_id *id)
{
	switch (id->kind) {
	case CXR_DEVX_SQ:
		return raw->has_sq && id->num == raw->sqn;
	case CXR_DEVX_TIS:
		return raw->has_sq && id->num == raw->tisn;
	case CXR_DEVX_RQ:
		return raw->has_rq && id->num == raw->rqn;
	case CXR_DEVX_TIR:
		return raw->has_tir && id->num == raw->tirn;
	default:
		return false;
	}
}

static bool is_qp(struct cxr_ib_qp *qp, const struct cxr_devx_id *id)
{
	if (qp->raw)
		return is_raw_object(qp->raw, id);
	if (qp->dct)
		return id->kind == CXR_DEVX_DCT && READ_ONCE(qp->state) == IB_QPS_RTR &&
		       id->num == qp->qpn;
	return id->kind == CXR_DEVX_QP && id->num == qp->qpn;
}

static bool is_devx_object(const struct cxr_ib_devx_obj *obj, const struct cxr_devx_id *id,
			   enum cxr_devx_use use)
{
	u32 n = use == CXR_DEVX_QUERY && obj->counters ? obj->counters : 1;

	return id->kind == obj->id.kind && id->type == obj->id.type && id->num >= obj->id.num &&
	       id->num - obj->id.num < n;
}

static bool is_object(struct ib_uobject *uobj, const struct cxr_devx_id *id, enum cxr_devx_use use)
{
	switch (uobj_get_object_id(uobj)) {
	case UVERBS_OBJECT_CQ:
		return id->kind == CXR_DEVX_CQ && id->num == to_cxr_cq(uobj->object)->cq.cqn;
	case UVERBS_OBJECT_SRQ: {
		struct ib_srq *ibsrq = uobj->object;

		return id->kind == (ibsrq->srq_type == IB_SRQT_XRC ? CXR_DEVX_XRC_SRQ :
								     CXR_DEVX_RMP) &&
		       id->num == to_cxr_srq(ibsrq)->srqn;
	}
	case UVERBS_OBJECT_QP: {
		struct ib_qp *ibqp = uobj->object;

		/* What a program has of an XRC target is only ib_core's. */
		return is_qp(to_cxr_qp(ibqp->real_qp), id);
	}
	case UVERBS_OBJECT_WQ:
		return id->kind == CXR_DEVX_RQ && id->num == to_cxr_rwq(uobj->object)->rqn;
	case UVERBS_OBJECT_RWQ_IND_TBL:
		return id->kind == CXR_DEVX_RQT &&
		       id->num == to_cxr_ind_table(uobj->object)->rqtn;
	case MLX5_IB_OBJECT_DEVX_OBJ:
		return is_devx_object(uobj->object, id, use);
	default:
		return false;
	}
}

int cxr_ib_devx_check(struct cxr_ib_ucontext *ctx, void *in, u32 len, u32 out_len,
		      enum cxr_devx_use use, struct ib_uobject *uobj)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ctx->ibucontext.device);
	u16 uid = ctx->uid;
	struct cxr_devx_id id;
	int err;

	/* The device takes words of 4 bytes. */
	if (len % sizeof(__be32) || out_len % sizeof(__be32))
		return -EINVAL;
	if (!uid && cxr_devx_is_public(in)) {
		uid = dev->devx->public_uid;
		if (!uid)
			return -EOPNOTSUPP;
	}
	if (!uid || !cxr_devx_allowed(in, use)) {
		ibdev_dbg(&dev->ibdev, "DEVX: command %#x is not allowed\n", cxr_devx_opcode(in));
		return -EINVAL;
	}
	if (uobj) {
		err = cxr_devx_object(in, len, use, &id);
		if (err || !is_object(uobj, &id, use)) {
			ibdev_dbg(&dev->ibdev, "DEVX: command %#x is not about the object\n",
				  cxr_devx_opcode(in));
			return -EINVAL;
		}
	}
	if (use == CXR_DEVX_CREATE || use == CXR_DEVX_MODIFY) {
		err = cxr_devx_use_umems(in, len);
		if (err)
			return err;
	}
	cxr_devx_set_uid(in, uid);
	return 0;
}

/* ---- commands ---- */

/* Runs the command of two attributes, and tells the program what the device says. */
static int run(struct uverbs_attr_bundle *attrs, struct cxr_ib_dev *dev, u16 in_attr, u16 out_attr)
{
	void *in = uverbs_attr_get_alloced_ptr(attrs, in_attr), *out;
	u32 out_len = uverbs_attr_get_len(attrs, out_attr);
	int err, copied;

	out = uverbs_zalloc(attrs, out_len);
	if (IS_ERR(out))
		return PTR_ERR(out);
	err = cxr_cmd_user(dev->core, in, uverbs_attr_get_len(attrs, in_attr), out, out_len);
	if (err && err != -EREMOTEIO)
		return err;
	copied = uverbs_copy_to(attrs, out_attr, out, out_len);
	return copied ?: err;
}

static struct cxr_ib_ucontext *attrs_ctx(struct uverbs_attr_bundle *attrs)
{
	struct ib_ucontext *ibctx = ib_uverbs_get_ucontext(attrs);

	return IS_ERR(ibctx) ? ERR_CAST(ibctx) : to_cxr_ucontext(ibctx);
}

static int UVERBS_HANDLER(MLX5_IB_METHOD_DEVX_OTHER)(struct uverbs_attr_bundle *attrs)
{
	void *in = uverbs_attr_get_alloced_ptr(attrs, MLX5_IB_ATTR_DEVX_OTHER_CMD_IN);
	struct cxr_ib_ucontext *ctx = attrs_ctx(attrs);
	int err;

	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	err = cxr_ib_devx_check(ctx, in,
				uverbs_attr_get_len(attrs, MLX5_IB_ATTR_DEVX_OTHER_CMD_IN),
				uverbs_attr_get_len(attrs, MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT),
				CXR_DEVX_GENERAL, NULL);
	if (err)
		return err;
	return run(attrs, to_cxr_dev(ctx->ibucontext.device), MLX5_IB_ATTR_DEVX_OTHER_CMD_IN,
		   MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT);
}

/* UARs of user space are objects, and none belongs to a fixed set, which this is about. */
static int UVERBS_HANDLER(MLX5_IB_METHOD_DEVX_QUERY_UAR)(struct uverbs_attr_bundle *attrs)
{
	struct cxr_ib_ucontext *ctx = attrs_ctx(attrs);

	return IS_ERR(ctx) ? PTR_ERR(ctx) : -EINVAL;
}

static int UVERBS_HANDLER(MLX5_IB_METHOD_DEVX_QUERY_EQN)(struct uverbs_attr_bundle *attrs)
{
	struct cxr_ib_ucontext *ctx = attrs_ctx(attrs);
	struct cxr_core *core;
	u32 vector, eqn;
	int err;

	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	err = uverbs_copy_from(&vector, attrs, MLX5_IB_ATTR_DEVX_QUERY_EQN_USER_VEC);
	if (err)
		return err;
	core = to_cxr_dev(ctx->ibucontext.device)->core;
	if (vector >= core->comp_vectors)
		return -EINVAL;
	eqn = cxr_comp_eq(core, vector).eqn;
	return uverbs_copy_to(attrs, MLX5_IB_ATTR_DEVX_QUERY_EQN_DEV_EQN, &eqn, sizeof(eqn));
}

/* ---- objects ---- */

static struct cxr_ib_ucontext *udata_ctx(struct uverbs_attr_bundle *attrs)
{
	return rdma_udata_to_drv_context(&attrs->driver_udata, struct cxr_ib_ucontext, ibucontext);
}

/* Events of the CQ come on this vector. @has_cq: it has some. */
static int prepare_cq(struct cxr_ib_devx_obj *obj, const void *in, u32 len, bool *has_cq)
{
	int eqn;

	*has_cq = false;
	if (cxr_devx_kind(in) != CXR_DEVX_CQ)
		return 0;
	eqn = cxr_devx_cq_eqn(in, len, obj->dev->core->caps.apu);
	if (eqn == -ENODATA)
		return 0;
	if (eqn < 0)
		return eqn;
	obj->cq.vector = cxr_comp_vector(obj->dev->core, eqn);
	if (obj->cq.vector < 0) {
		ibdev_dbg(&obj->dev->ibdev, "DEVX: EQ %#x has no completions\n", eqn);
		return obj->cq.vector;
	}
	obj->cq.uid = obj->ctx->uid;
	obj->cq.comp_eqe = cxr_ib_devx_comp;
	*has_cq = true;
	return 0;
}

/* Queues of a transport domain hear those of other contexts, as raw packet QPs do. */
static int prepare(struct cxr_ib_devx_obj *obj, const void *in, u32 len, bool *has_cq)
{
	int err = prepare_cq(obj, in, len, has_cq);

	if (!err && cxr_devx_kind(in) == CXR_DEVX_TD)
		err = cxr_ib_add_domain(obj->ctx);
	return err;
}

static int destroy_object(struct cxr_ib_devx_obj *obj)
{
	struct cxr_core *core = obj->dev->core;
	int err;

	if (obj->id.kind == CXR_DEVX_DCT) {
		err = cxr_ib_target_drain(obj->dev, &obj->target, obj->ctx->uid, obj->id.num);
		if (err)
			return err;
	}
	if (obj->has_cq)
		cxr_cq_unregister(core, &obj->cq);
	if (obj->parts)
		cxr_ib_odp_remove_window(obj->dev, obj->id.num << 8);
	err = cxr_cmd_user_destroy(core, &obj->left.destroy);
	/* It is still there; without memory it remains, silent. */
	if (err && obj->has_cq && cxr_cq_register(core, &obj->cq))
		obj->has_cq = false;
	if (err && obj->parts && cxr_ib_odp_add_window(obj->dev, obj->id.num << 8, obj->parts))
		obj->parts = 0;
	return err;
}

/* Faults find what its parts are. If it cannot be told to them, it goes. */
static int add_parts(struct cxr_ib_devx_obj *obj, u32 parts)
{
	int err = cxr_ib_odp_add_window(obj->dev, obj->id.num << 8, parts);

	if (err)
		destroy_object(obj);
	else
		obj->parts = parts;
	return err;
}

/* The object exists in the device: finds out which one it is. */
static int adopt_object(struct cxr_ib_devx_obj *obj, const void *in, const void *out, bool has_cq)
{
	int err;

	cxr_devx_created(in, out, &obj->id, &obj->left.destroy);
	if (obj->id.kind == CXR_DEVX_FLOW_COUNTER)
		obj->counters = cxr_devx_flow_counters(in);
	if (obj->id.kind == CXR_DEVX_MKEY && cxr_devx_mkey_parts(in))
		return add_parts(obj, cxr_devx_mkey_parts(in));
	if (!has_cq)
		return 0;
	obj->cq.cqn = obj->id.num;
	err = cxr_cq_register(obj->dev->core, &obj->cq);
	if (!err)
		obj->has_cq = true;
	else if (err != -EPROTO)
		destroy_object(obj);
	return err;
}

/* The object, or why there is none; the answer of the device is in *out, if it gave one. */
static int create_object(struct cxr_ib_devx_obj *obj, struct uverbs_attr_bundle *attrs, void **out)
{
	u32 len = uverbs_attr_get_len(attrs, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN);
	u32 out_len = uverbs_attr_get_len(attrs, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT);
	void *in = uverbs_attr_get_alloced_ptr(attrs, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN);
	bool has_cq;
	int err;

	err = cxr_ib_devx_check(obj->ctx, in, len, out_len, CXR_DEVX_CREATE, NULL);
	/* Else the object would exist, and nobody could tell its number. */
	err = err ?: cxr_devx_check_create(in, len, out_len);
	err = err ?: prepare(obj, in, len, &has_cq);
	if (err)
		return err;
	*out = uverbs_zalloc(attrs, out_len);
	if (IS_ERR(*out))
		return PTR_ERR(*out);

	err = cxr_cmd_user(obj->dev->core, in, len, *out, out_len);
	return err ?: adopt_object(obj, in, *out, has_cq);
}

static int UVERBS_HANDLER(MLX5_IB_METHOD_DEVX_OBJ_CREATE)(struct uverbs_attr_bundle *attrs)
{
	u32 out_len = uverbs_attr_get_len(attrs, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT);
	struct ib_uobject *uobj =
		uverbs_attr_get_uobject(attrs, MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE);
	struct cxr_ib_devx_obj *obj;
	int err, copied;
	void *out;

	obj = kzalloc(sizeof(*obj), GFP_KERNEL);
	if (!obj)
		return -ENOMEM;
	obj->ctx = udata_ctx(attrs);
	obj->dev = to_cxr_dev(obj->ctx->ibucontext.device);
	INIT_LIST_HEAD(&obj->subs);
	cxr_ib_target_init(&obj->target);
	err = create_object(obj, attrs, &out);
	if (err) {
		kfree(obj);
		if (err != -EREMOTEIO)
			return err;
	} else {
		cxr_ib_devx_add(obj->ctx);
		/* From here on the cleanup of the uobject undoes it, also if the copy fails. */
		uobj->object = obj;
		uverbs_finalize_uobj_create(attrs, MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE);
	}
	copied = uverbs_copy_to(attrs, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT, out, out_len);
	return copied ?: err;
}

static int obj_cleanup(struct ib_uobject *uobj, enum rdma_remove_reason why,
		       struct uverbs_attr_bundle *attrs)
{
	struct cxr_ib_devx_obj *obj = uobj->object;
	int err;

	cxr_ib_devx_mute(obj);
	err = destroy_object(obj);
	if (err && why == RDMA_REMOVE_DESTROY) {
		cxr_ib_devx_unmute(obj);
		return err;
	}
	if (err && obj->has_cq)
		cxr_cq_unregister(obj->dev->core, &obj->cq);
	if (err && obj->parts)
		cxr_ib_odp_remove_window(obj->dev, obj->id.num << 8);
	cxr_ib_devx_unsubscribe(obj);
	cxr_ib_devx_end(obj->ctx, &obj->left, err);
	return 0;
}

static int UVERBS_HANDLER(MLX5_IB_METHOD_DEVX_OBJ_MODIFY)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj =
		uverbs_attr_get_uobject(attrs, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_HANDLE);
	void *in = uverbs_attr_get_alloced_ptr(attrs, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_IN);
	struct cxr_ib_ucontext *ctx = udata_ctx(attrs);
	int err;

	err = cxr_ib_devx_check(ctx, in,
				uverbs_attr_get_len(attrs, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_IN),
				uverbs_attr_get_len(attrs, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_OUT),
				CXR_DEVX_MODIFY, uobj);
	if (err)
		return err;
	return run(attrs, to_cxr_dev(ctx->ibucontext.device), MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_IN,
		   MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_OUT);
}

static int UVERBS_HANDLER(MLX5_IB_METHOD_DEVX_OBJ_QUERY)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj =
		uverbs_attr_get_uobject(attrs, MLX5_IB_ATTR_DEVX_OBJ_QUERY_HANDLE);
	void *in = uverbs_attr_get_alloced_ptr(attrs, MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_IN);
	struct cxr_ib_ucontext *ctx = udata_ctx(attrs);
	int err;

	err = cxr_ib_devx_check(ctx, in,
				uverbs_attr_get_len(attrs, MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_IN),
				uverbs_attr_get_len(attrs, MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_OUT),
				CXR_DEVX_QUERY, uobj);
	if (err)
		return err;
	return run(attrs, to_cxr_dev(ctx->ibucontext.device), MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_IN,
		   MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_OUT);
}

/* ---- methods ---- */

#define COMMAND(attr) \
	UVERBS_ATTR_PTR_IN(attr, UVERBS_ATTR_MIN_SIZE(CXR_DEVX_MIN), UA_MANDATORY, \
			   UA_ALLOC_AND_COPY)
#define ANSWER(attr) UVERBS_ATTR_PTR_OUT(attr, UVERBS_ATTR_MIN_SIZE(CXR_DEVX_MIN), UA_MANDATORY)

DECLARE_UVERBS_NAMED_METHOD(MLX5_IB_METHOD_DEVX_OTHER, COMMAND(MLX5_IB_ATTR_DEVX_OTHER_CMD_IN),
			    ANSWER(MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT));

DECLARE_UVERBS_NAMED_METHOD(MLX5_IB_METHOD_DEVX_QUERY_UAR,
			    UVERBS_ATTR_PTR_IN(MLX5_IB_ATTR_DEVX_QUERY_UAR_USER_IDX,
					       UVERBS_ATTR_TYPE(u32), UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(MLX5_IB_ATTR_DEVX_QUERY_UAR_DEV_IDX,
						UVERBS_ATTR_TYPE(u32), UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD(MLX5_IB_METHOD_DEVX_QUERY_EQN,
			    UVERBS_ATTR_PTR_IN(MLX5_IB_ATTR_DEVX_QUERY_EQN_USER_VEC,
					       UVERBS_ATTR_TYPE(u32), UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(MLX5_IB_ATTR_DEVX_QUERY_EQN_DEV_EQN,
						UVERBS_ATTR_TYPE(u32), UA_MANDATORY));

ADD_UVERBS_METHODS(devx_methods, MLX5_IB_OBJECT_DEVX, &UVERBS_METHOD(MLX5_IB_METHOD_DEVX_OTHER),
		   &UVERBS_METHOD(MLX5_IB_METHOD_DEVX_QUERY_UAR),
		   &UVERBS_METHOD(MLX5_IB_METHOD_DEVX_QUERY_EQN));

DECLARE_UVERBS_NAMED_METHOD(MLX5_IB_METHOD_DEVX_OBJ_CREATE,
			    UVERBS_ATTR_IDR(MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE,
					    MLX5_IB_OBJECT_DEVX_OBJ, UVERBS_ACCESS_NEW,
					    UA_MANDATORY),
			    COMMAND(MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN),
			    ANSWER(MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT));

DECLARE_UVERBS_NAMED_METHOD_DESTROY(MLX5_IB_METHOD_DEVX_OBJ_DESTROY,
				    UVERBS_ATTR_IDR(MLX5_IB_ATTR_DEVX_OBJ_DESTROY_HANDLE,
						    MLX5_IB_OBJECT_DEVX_OBJ,
						    UVERBS_ACCESS_DESTROY, UA_MANDATORY));

/* Of a program with two threads, each may change an object: access to read suffices. */
DECLARE_UVERBS_NAMED_METHOD(MLX5_IB_METHOD_DEVX_OBJ_MODIFY,
			    UVERBS_ATTR_IDR(MLX5_IB_ATTR_DEVX_OBJ_MODIFY_HANDLE,
					    UVERBS_IDR_ANY_OBJECT, UVERBS_ACCESS_READ,
					    UA_MANDATORY),
			    COMMAND(MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_IN),
			    ANSWER(MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_OUT));

DECLARE_UVERBS_NAMED_METHOD(MLX5_IB_METHOD_DEVX_OBJ_QUERY,
			    UVERBS_ATTR_IDR(MLX5_IB_ATTR_DEVX_OBJ_QUERY_HANDLE,
					    UVERBS_IDR_ANY_OBJECT, UVERBS_ACCESS_READ,
					    UA_MANDATORY),
			    COMMAND(MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_IN),
			    ANSWER(MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_OUT));

DECLARE_UVERBS_NAMED_OBJECT(MLX5_IB_OBJECT_DEVX_OBJ, UVERBS_TYPE_ALLOC_IDR(obj_cleanup),
			    &UVERBS_METHOD(MLX5_IB_METHOD_DEVX_OBJ_CREATE),
			    &UVERBS_METHOD(MLX5_IB_METHOD_DEVX_OBJ_DESTROY),
			    &UVERBS_METHOD(MLX5_IB_METHOD_DEVX_OBJ_MODIFY),
			    &UVERBS_METHOD(MLX5_IB_METHOD_DEVX_OBJ_QUERY));

const struct uapi_definition cxr_ib_devx_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(MLX5_IB_OBJECT_DEVX, &devx_methods,
				UAPI_DEF_IS_OBJ_SUPPORTED(cxr_ib_has_devx)),
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(MLX5_IB_OBJECT_DEVX_OBJ,
				      UAPI_DEF_IS_OBJ_SUPPORTED(cxr_ib_has_devx)),
	{}
};
