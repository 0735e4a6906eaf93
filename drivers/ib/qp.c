// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Queue pairs: create and destroy.
 *
 * Both queues share one buffer, receives first. User space chooses its sizes, and the driver checks
 * that they are within the limits of the device; for kernel QPs the driver computes them.
 *
 * The GSI QP (QP 1) has a type of its own. The device takes the address from each send WQE, as for
 * UD, and fills in source QP 1 and the only pkey of the port. A RoCE port needs no more: the extra
 * UD QPs per pkey that InfiniBand ports use have no purpose here.
 */
#include <linux/log2.h>
#include <linux/slab.h>

#include "queue.h"

#define SEG sizeof(struct prm_wqe_data_seg)

static_assert(sizeof(struct prm_wqe_data_seg) == CXR_WQE_SEG);
static_assert(sizeof(struct prm_wqe_srq_next_seg) == CXR_WQE_SEG);
static_assert(sizeof(struct prm_wqe_inline_seg) == CXR_WQE_INLINE_HEAD);

/* Numbers that the device is told when the QP is created, and nobody needs later. */
struct qp_ids {
	u32 uar;
	u32 user_index;
	u8 scatter_req;
	struct cxr_dc_streams streams;
};

static int device_type(struct cxr_ib_dev *dev, enum ib_qp_type ibtype, bool user,
		       enum cxr_qp_type *type)
{
	const struct cxr_caps *caps = &dev->core->caps;

	switch (ibtype) {
	case IB_QPT_RC:
		*type = CXR_QP_RC;
		return caps->rc ? 0 : -EOPNOTSUPP;
	case IB_QPT_UC:
		*type = CXR_QP_UC;
		return caps->uc && user ? 0 : -EOPNOTSUPP;
	case IB_QPT_UD:
		*type = CXR_QP_UD;
		return caps->ud ? 0 : -EOPNOTSUPP;
	case IB_QPT_GSI:
		*type = CXR_QP_GSI;
		return user ? -EOPNOTSUPP : 0;
	case IB_QPT_XRC_INI:
		*type = CXR_QP_XRC;
		return caps->xrc && user ? 0 : -EOPNOTSUPP;
	case IB_QPT_XRC_TGT:
		*type = CXR_QP_XRC;
		return caps->xrc ? 0 : -EOPNOTSUPP;
	case IB_QPT_DRIVER:
		*type = CXR_QP_DCI;
		return caps->dct && user ? 0 : -EOPNOTSUPP;
	default:
		return -EOPNOTSUPP;
	}
}

static int check_qp_attr(struct cxr_ib_dev *dev, struct ib_qp_init_attr *attr)
{
	bool target = attr->qp_type == IB_QPT_XRC_TGT;
	u32 flags = 0;
	int err;

	/* For UD; with others, which get no multicast, it is taken as well. */
	if (dev->core->caps.block_lb_mc)
		flags = IB_QP_CREATE_BLOCK_MULTICAST_LOOPBACK;
	if (attr->create_flags & ~flags || attr->rwq_ind_tbl) {
		ibdev_dbg(&dev->ibdev,
			  "QP: create flags %#x or an indirection table: not supported for this type\n",
			  attr->create_flags);
		return -EOPNOTSUPP;
	}
	/* XRC_INI only sends, XRC_TGT has no queues. */
	if ((!attr->send_cq && !target) ||
	    (!attr->recv_cq && !target && attr->qp_type != IB_QPT_XRC_INI)) {
		ibdev_dbg(&dev->ibdev, "QP: send or receive CQ is missing\n");
		return -EINVAL;
	}
	if (target != !!attr->xrcd) {
		ibdev_dbg(&dev->ibdev, "QP: type %d %s an XRC domain\n", attr->qp_type,
			  target ? "without" : "with");
		return -EINVAL;
	}
	if (attr->qp_type == IB_QPT_DRIVER) {
		err = cxr_ib_dci_check_attr(&dev->ibdev, attr);
		if (err)
			return err;
	}
	if (attr->srq) {
		attr->cap.max_recv_wr = 0;
		attr->cap.max_recv_sge = 0;
	}
	if (attr->cap.max_send_wr > BIT(dev->core->caps.log_max_qp_sz) ||
	    attr->cap.max_recv_wr > BIT(dev->core->caps.log_max_qp_sz)) {
		ibdev_dbg(&dev->ibdev, "QP: max_send_wr %u or max_recv_wr %u exceeds %lu\n",
			  attr->cap.max_send_wr, attr->cap.max_recv_wr,
			  BIT(dev->core->caps.log_max_qp_sz));
		return -EINVAL;
	}
	return 0;
}

/* ---- QPs of user space ---- */

/* Copies the request and pins the memory that it names. Undone by unpin_user_qp(). */
static int pin_user_qp(struct cxr_ib_qp *qp, struct cxr_ib_ucontext *ctx,
		       const struct ib_qp_init_attr *attr, struct ib_udata *udata,
		       struct qp_ids *ids)
{
	struct cxr_ib_dev *dev = to_cxr_dev(qp->ibqp.device);
	struct mlx5_ib_create_qp req;
	u64 bytes;
	int err;

	err = cxr_ib_copy_req_qp(ctx, attr, udata, &req, &ids->user_index, &bytes);
	if (!err && qp->type == CXR_QP_DCI)
		err = cxr_ib_dci_read_req(dev, attr, &req, &ids->scatter_req, &ids->streams);
	if (err)
		return err;

	qp->uar = cxr_ib_uar_get(ctx, req.bfreg_index);
	if (!qp->uar) {
		ibdev_dbg(&dev->ibdev, "QP: UAR %u does not belong to this context\n",
			  req.bfreg_index);
		return -EINVAL;
	}
	err = cxr_ib_queue_pin(dev, req.buf_addr, bytes, CXR_PAS_OFFSET_BITS, &qp->queue);
	if (err)
		goto err_put_uar;
	err = cxr_ib_db_pin(ctx, req.db_addr, &qp->user_db);
	if (err)
		goto err_unpin_queue;

	ids->uar = req.bfreg_index;
	qp->sq.size = req.sq_wqe_count;
	qp->rq.size = req.rq_wqe_count;
	if (qp->rq.size) {
		qp->rq.log_stride = req.rq_wqe_shift;
		qp->rq.max_sge = BIT(req.rq_wqe_shift) / SEG;
	}
	return 0;

err_unpin_queue:
	cxr_ib_queue_unpin(&qp->queue);
err_put_uar:
	cxr_ib_uar_put(qp->uar);
	qp->uar = NULL;
	return err;
}

static void unpin_user_qp(struct cxr_ib_qp *qp, struct cxr_ib_ucontext *ctx)
{
	if (!qp->uar)
		return;
	cxr_ib_db_unpin(ctx, &qp->user_db);
	cxr_ib_queue_unpin(&qp->queue);
	cxr_ib_uar_put(qp->uar);
	qp->uar = NULL;
}

/* ---- QPs of the kernel ---- */

/* On success @cap holds what the QP got. */
static int size_kernel_qp(struct cxr_ib_qp *qp, struct ib_qp_cap *cap, u32 *bytes)
{
	struct cxr_ib_dev *dev = to_cxr_dev(qp->ibqp.device);
	const struct cxr_limits limits = cxr_ib_limits(&dev->core->caps);
	bool rc = qp->type == CXR_QP_RC;
	const struct cxr_limits_qp sizes = {
		.send_wrs = cap->max_send_wr,
		.send_sges = cap->max_send_sge,
		.inline_bytes = cap->max_inline_data,
		.recv_wrs = cap->max_recv_wr,
		.recv_sges = cap->max_recv_sge,
		.send_head = sizeof(struct prm_wqe_ctrl_seg) +
			     (rc ? sizeof(struct prm_wqe_raddr_seg) :
				   sizeof(struct prm_wqe_datagram_seg)),
		.send_data = rc ? sizeof(struct prm_wqe_atomic_seg) + SEG : 0,
		.send_other = rc && cxr_ib_max_fast_reg(&dev->core->caps) ? CXR_IB_UMR_WQE : 0,
	};
	struct cxr_limits_layout layout;
	const char *why;
	int err;

	err = cxr_limits_qp(&limits, &sizes, &layout, &why);
	if (err) {
		ibdev_dbg(&dev->ibdev,
			  "QP: max_send_wr %u, max_send_sge %u, max_inline_data %u, max_recv_wr %u, max_recv_sge %u: %s\n",
			  cap->max_send_wr, cap->max_send_sge, cap->max_inline_data,
			  cap->max_recv_wr, cap->max_recv_sge, why);
		return err;
	}
	if (layout.send_blocks) {
		qp->sq.size = layout.send_blocks;
		qp->sq.max_wrs = layout.send_wrs;
		qp->sq.max_sge = cap->max_send_sge;
		qp->sq.max_inline = cap->max_inline_data;
		cap->max_send_wr = layout.send_wrs;
	}
	if (layout.recv_wrs) {
		qp->rq.size = layout.recv_wrs;
		qp->rq.log_stride = layout.recv_log_stride;
		qp->rq.max_sge = layout.recv_sges;
		cap->max_recv_wr = layout.recv_wrs;
		cap->max_recv_sge = layout.recv_sges;
	}
	qp->sq.offset = layout.send_offset;
	*bytes = layout.bytes;
	return 0;
}

static int alloc_wr_arrays(struct cxr_ib_qp *qp)
{
	struct cxr_ib_wq *sq = &qp->sq, *rq = &qp->rq;

	sq->wrid = kvcalloc(sq->size, sizeof(*sq->wrid), GFP_KERNEL);
	sq->next = kvcalloc(sq->size, sizeof(*sq->next), GFP_KERNEL);
	sq->wc_opcode = kvcalloc(sq->size, sizeof(*sq->wc_opcode), GFP_KERNEL);
	rq->wrid = kvcalloc(rq->size, sizeof(*rq->wrid), GFP_KERNEL);
	if ((sq->size && (!sq->wrid || !sq->next || !sq->wc_opcode)) || (rq->size && !rq->wrid))
		return -ENOMEM;
	return 0;
}

static void free_wr_arrays(struct cxr_ib_qp *qp)
{
	kvfree(qp->rq.wrid);
	kvfree(qp->sq.wc_opcode);
	kvfree(qp->sq.next);
	kvfree(qp->sq.wrid);
}

/* Undone by free_kernel_qp(). */
static int alloc_kernel_qp(struct cxr_ib_qp *qp, struct ib_qp_cap *cap)
{
	struct cxr_core *core = to_cxr_dev(qp->ibqp.device)->core;
	u32 bytes;
	int err;

	err = size_kernel_qp(qp, cap, &bytes);
	if (err)
		return err;
	err = alloc_wr_arrays(qp);
	if (err)
		goto err_free_arrays;
	err = cxr_buf_alloc(core, &qp->buf, bytes);
	if (err)
		goto err_free_arrays;
	err = cxr_db_alloc(core, &qp->db);
	if (err)
		goto err_free_buf;
	return 0;

err_free_buf:
	cxr_buf_free(core, &qp->buf);
err_free_arrays:
	free_wr_arrays(qp);
	return err;
}

static void free_kernel_qp(struct cxr_ib_qp *qp)
{
	struct cxr_core *core = to_cxr_dev(qp->ibqp.device)->core;

	cxr_db_free(core, &qp->db);
	cxr_buf_free(core, &qp->buf);
	free_wr_arrays(qp);
}

/* ---- both ---- */

/* From here on events and completions find the QP. */
static int publish_qp(struct cxr_ib_dev *dev, struct cxr_ib_qp *qp)
{
	int err;

	refcount_set(&qp->ref, 1);
	init_completion(&qp->unused);
	err = xa_insert_irq(&dev->qps, qp->qpn, qp, GFP_KERNEL);
	if (err) {
		/* -EBUSY: the device assigned a number twice. */
		ibdev_err(&dev->ibdev, "QP %#x: failed to store its number: %d\n", qp->qpn, err);
		return err == -EBUSY ? -EIO : err;
	}
	if (!qp->user)
		cxr_ib_cq_add_qp(qp);
	if (qp->type == CXR_QP_GSI)
		WRITE_ONCE(dev->gsi_pd, qp->ibqp.pd);
	return 0;
}

/*
 * The QP is in reset, or was never used: the device adds neither CQEs nor events. Its CQEs go while
 * it can still be found: a poller that takes one before returns the WQE of its SRQ.
 */
static void unpublish_qp(struct cxr_ib_dev *dev, struct cxr_ib_qp *qp)
{
	if (qp->type == CXR_QP_GSI)
		WRITE_ONCE(dev->gsi_pd, NULL);
	if (!qp->user) {
		mutex_lock(&dev->kcq_lock);
		cxr_ib_cq_clean_qp(qp, true);
		mutex_unlock(&dev->kcq_lock);
	}
	xa_erase_irq(&dev->qps, qp->qpn);
	if (!qp->user)
		cxr_ib_cq_forget_qp(qp);
	cxr_ib_put_qp(qp);
	wait_for_completion(&qp->unused);
}

static u8 log_wq_size(const struct cxr_ib_wq *wq)
{
	return wq->size ? ilog2(wq->size) : 0;
}

static u32 default_srqn(const struct cxr_ib_qp *qp, const struct cxr_ib_xrc_defaults *xrc)
{
	if (!xrc)
		return 0;
	return qp->type == CXR_QP_DCI ? xrc->dci_srq.srqn : xrc->srq.srqn;
}

/*
 * Needs the sizes and the memory of the queues. For the device an XRC QP, or an initiator of DC
 * transport, is like any other: what its owner does not have comes from the XRC defaults.
 */
static int create_device_qp(struct cxr_ib_qp *qp, const struct ib_qp_init_attr *attr,
			    const struct qp_ids *ids)
{
	struct cxr_ib_dev *dev = to_cxr_dev(qp->ibqp.device);
	const struct cxr_pas pas = qp->uar ? qp->queue.pas : cxr_buf_pas(&qp->buf);
	const struct cxr_ib_xrc_defaults *xrc = NULL;
	struct cxr_qp_create create;

	if (qp->type == CXR_QP_XRC || qp->type == CXR_QP_DCI) {
		xrc = cxr_ib_xrc_defaults(dev, qp->type == CXR_QP_DCI);
		if (IS_ERR(xrc))
			return PTR_ERR(xrc);
	}
	qp->uid = qp->type == CXR_QP_XRC ? 0 : to_cxr_pd(qp->ibqp.pd)->uid;
	qp->pdn = qp->ibqp.pd ? to_cxr_pd(qp->ibqp.pd)->pdn : xrc->pdn;
	qp->cqn_snd = attr->send_cq ? to_cxr_cq(attr->send_cq)->cq.cqn : xrc->cq.cq.cqn;
	qp->cqn_rcv = attr->recv_cq ? to_cxr_cq(attr->recv_cq)->cq.cqn : xrc->cq.cq.cqn;

	create = (struct cxr_qp_create){
		.type = qp->type,
		.uid = qp->uid,
		.pdn = qp->pdn,
		.cqn_snd = qp->cqn_snd,
		.cqn_rcv = qp->cqn_rcv,
		.uar = ids->uar,
		.user_index = ids->user_index,
		.log_sq_size = log_wq_size(&qp->sq),
		.no_sq = !qp->sq.size,
		.log_rq_size = log_wq_size(&qp->rq),
		.log_rq_stride = qp->rq.log_stride,
		.no_rq = !qp->rq.size,
		.srq = attr->srq || xrc,
		.srqn = attr->srq ? to_cxr_srq(attr->srq)->srqn : default_srqn(qp, xrc),
		.xrcd = attr->xrcd ? to_cxr_xrcd(attr->xrcd)->xrcd : xrc ? xrc->xrcd : 0,
		.fast_reg = !qp->user && qp->type == CXR_QP_RC,
		.block_lb_mc = attr->create_flags & IB_QP_CREATE_BLOCK_MULTICAST_LOOPBACK,
		.scatter_req = ids->scatter_req,
		.streams = ids->streams,
		.log_page_size = pas.log_size,
		.page_offset = pas.offset,
		.db_dma = qp->user ? qp->user_db.dma : qp->db.dma,
	};
	return cxr_cmd_create_qp(dev->core, &create, &pas, &qp->qpn);
}

/* The device does nothing for the QP any more, or it refused. */
static void reset_device_qp(struct cxr_ib_qp *qp)
{
	struct cxr_core *core = to_cxr_dev(qp->ibqp.device)->core;

	lockdep_assert_held(&qp->mutex);
	if (qp->state != IB_QPS_RESET &&
	    !cxr_cmd_modify_qp(core, qp->uid, qp->qpn, CXR_QPS_ERR, CXR_QPS_RST, NULL, 0))
		WRITE_ONCE(qp->state, IB_QPS_RESET);
}

/* The device has kept the QP. In reset it does not use its memory. */
static void keep_qp_memory(struct cxr_ib_qp *qp)
{
	if (qp->state == IB_QPS_RESET)
		return;
	cxr_ib_queue_keep(&qp->queue);
	cxr_buf_keep(to_cxr_dev(qp->ibqp.device)->core, &qp->buf);
}

/* Undone by free_qp_memory(). */
static int alloc_qp_memory(struct cxr_ib_qp *qp, struct cxr_ib_ucontext *ctx,
			   struct ib_qp_init_attr *attr, struct ib_udata *udata, struct qp_ids *ids)
{
	*ids = (struct qp_ids){ .user_index = CXR_IB_NO_UIDX };
	/* An XRC_TGT QP may outlive its process if others open it: ib_core passes no user data. */
	if (attr->qp_type == IB_QPT_XRC_TGT)
		return 0;
	if (qp->user)
		return pin_user_qp(qp, ctx, attr, udata, ids);
	ids->uar = to_cxr_dev(qp->ibqp.device)->uar->index;
	return alloc_kernel_qp(qp, &attr->cap);
}

static void free_qp_memory(struct cxr_ib_qp *qp, struct cxr_ib_ucontext *ctx)
{
	if (qp->user)
		unpin_user_qp(qp, ctx);
	else
		free_kernel_qp(qp);
}

int cxr_ib_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *attr, struct ib_udata *udata)
{
	struct cxr_ib_ucontext *ctx =
		rdma_udata_to_drv_context(udata, struct cxr_ib_ucontext, ibucontext);
	struct cxr_ib_dev *dev = to_cxr_dev(ibqp->device);
	struct cxr_ib_qp *qp = to_cxr_qp(ibqp);
	bool target = false;
	struct qp_ids ids;
	int err;

	if (attr->qp_type == IB_QPT_RAW_PACKET)
		return cxr_ib_create_raw(qp, attr, udata);
	if (attr->qp_type == IB_QPT_DRIVER) {
		err = cxr_ib_dc_role(dev, attr, udata, &target);
		if (err)
			return err;
		if (target)
			return cxr_ib_create_dct(qp, attr, udata);
	}
	err = device_type(dev, attr->qp_type, udata, &qp->type);
	if (err) {
		ibdev_dbg(&dev->ibdev, "QP: unsupported type %d\n", attr->qp_type);
		return err;
	}
	err = check_qp_attr(dev, attr);
	if (err)
		return err;

	cxr_ib_init_qp(qp, attr, udata || attr->qp_type == IB_QPT_XRC_TGT);
	err = alloc_qp_memory(qp, ctx, attr, udata, &ids);
	if (err)
		goto err_destroy_mutex;

	err = create_device_qp(qp, attr, &ids);
	if (err)
		goto err_free_memory;
	cxr_ib_queue_free_list(&qp->queue);
	ibqp->qp_num = qp->type == CXR_QP_GSI ? 1 : qp->qpn;

	err = publish_qp(dev, qp);
	if (err)
		goto err_destroy;
	err = udata ? cxr_ib_copy_resp_qp(qp, udata) : 0;
	if (err)
		goto err_unpublish;
	return 0;

err_unpublish:
	unpublish_qp(dev, qp);
err_destroy:
	if (cxr_cmd_destroy_qp(dev->core, qp->uid, qp->qpn))
		keep_qp_memory(qp);
err_free_memory:
	free_qp_memory(qp, ctx);
err_destroy_mutex:
	mutex_destroy(&qp->mutex);
	return cxr_ib_errno(err, udata || attr->qp_type == IB_QPT_XRC_TGT);
}

/* After an error the program goes on with it, and may try again. */
static int stays(struct cxr_ib_qp *qp, int err)
{
	if (!err)
		return 0;
	mutex_lock(&qp->mutex);
	qp->gone = false;
	mutex_unlock(&qp->mutex);
	return err;
}

int cxr_ib_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct cxr_ib_ucontext *ctx =
		rdma_udata_to_drv_context(udata, struct cxr_ib_ucontext, ibucontext);
	struct cxr_ib_dev *dev = to_cxr_dev(ibqp->device);
	struct cxr_ib_qp *qp = to_cxr_qp(ibqp);
	int err;

	cxr_ib_devx_settle(ctx);
	if (qp->dct)
		return cxr_ib_destroy_dct(qp, ctx);
	/*
	 * Up to 6.12, ib_core may list the QP and query its state until this function returns, or
	 * bind a counter to it.
	 */
	mutex_lock(&qp->mutex);
	qp->gone = true;
	if (!qp->raw) {
		reset_device_qp(qp);
		cxr_ib_leave_groups(qp);
	}
	mutex_unlock(&qp->mutex);

	if (qp->raw)
		return stays(qp, cxr_ib_destroy_raw(qp, ctx, cxr_ib_devx_holds(ctx)));
	unpublish_qp(dev, qp);
	err = cxr_cmd_destroy_qp(dev->core, qp->uid, qp->qpn);
	/* In reset; found by events until the next try, if there is memory for that. */
	if (err && cxr_ib_devx_holds(ctx)) {
		publish_qp(dev, qp);
		return stays(qp, err);
	}
	if (err)
		keep_qp_memory(qp);
	mutex_lock(&qp->mutex);
	cxr_ib_forget_groups(qp);
	cxr_ib_qp_set_sgid(qp, -1);
	cxr_ib_q_set_put(dev, qp->q_set);
	mutex_unlock(&qp->mutex);
	free_qp_memory(qp, ctx);
	return 0;
}
