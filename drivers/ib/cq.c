// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Completion queues: create, destroy, resize and events. User CQs are memory that the device writes
 * and the process reads; kernel CQs are polled in poll.c.
 */

#include "queue.h"

/* ---- events ---- */

static void cq_comp(struct cxr_cq *core_cq)
{
	struct cxr_ib_cq *cq = container_of(core_cq, struct cxr_ib_cq, cq);

	WRITE_ONCE(cq->arm_sn, cq->arm_sn + 1);
	if (cq->ibcq.comp_handler)
		cq->ibcq.comp_handler(&cq->ibcq, cq->ibcq.cq_context);
}

static void cq_error(struct cxr_cq *core_cq, u8 syndrome)
{
	struct cxr_ib_cq *cq = container_of(core_cq, struct cxr_ib_cq, cq);
	struct ib_event event = {
		.device = cq->ibcq.device,
		.event = IB_EVENT_CQ_ERR,
		.element.cq = &cq->ibcq,
	};

	ibdev_warn_ratelimited(cq->ibcq.device, "CQ %#x: error event, syndrome %#x%s\n", cq->cq.cqn,
			       syndrome, syndrome == 1 ? " (overrun)" : "");
	if (cq->ibcq.event_handler)
		cq->ibcq.event_handler(&event, cq->ibcq.cq_context);
}

/* ib_core's handler of an IB_POLL_DIRECT CQ warns when it is called. */
static bool polled_only(const struct ib_cq *ibcq)
{
	return ibcq->wc && ibcq->poll_ctx == IB_POLL_DIRECT;
}

/* Of a kernel CQ. While it has one, nobody frees it: unpublish_qp() waits for kcq_lock. */
static bool has_qps(struct cxr_ib_cq *cq)
{
	bool has;

	spin_lock_irq(&cq->lock);
	has = !list_empty(&cq->send_qps) || !list_empty(&cq->recv_qps);
	spin_unlock_irq(&cq->lock);
	return has;
}

void cxr_ib_flush_work(struct work_struct *work)
{
	struct cxr_ib_dev *dev = container_of(work, struct cxr_ib_dev, flush_work);
	struct cxr_ib_cq *cq;

	mutex_lock(&dev->kcq_lock);
	list_for_each_entry(cq, &dev->kcqs, kcq_entry)
		if (cq->ibcq.comp_handler && !polled_only(&cq->ibcq) && has_qps(cq))
			cq->ibcq.comp_handler(&cq->ibcq, cq->ibcq.cq_context);
	mutex_unlock(&dev->kcq_lock);
}

/* ---- create and destroy ---- */

/* -EOPNOTSUPP; -EINVAL: not one of the formats. */
static int read_zip(struct cxr_ib_dev *dev, const struct mlx5_ib_create_cq *req,
		    enum cxr_cqe_zip *zip)
{
	const struct cxr_caps *caps = &dev->core->caps;

	*zip = CXR_CQE_ZIP_OFF;
	if (!req->cqe_comp_en)
		return 0;
	if (!(req->cqe_size == 64 ? caps->cqe_zip : caps->cqe_zip_128)) {
		ibdev_dbg(&dev->ibdev, "CQ: CQEs of %u bytes cannot be compressed\n",
			  req->cqe_size);
		return -EOPNOTSUPP;
	}
	switch (req->cqe_comp_res_format) {
	case MLX5_IB_CQE_RES_FORMAT_HASH:
		*zip = CXR_CQE_ZIP_HASH;
		return 0;
	case MLX5_IB_CQE_RES_FORMAT_CSUM:
		*zip = CXR_CQE_ZIP_CSUM;
		return 0;
	case MLX5_IB_CQE_RES_FORMAT_CSUM_STRIDX:
		*zip = CXR_CQE_ZIP_CSUM_STRIDE;
		return caps->cqe_zip_stride ? 0 : -EOPNOTSUPP;
	default:
		ibdev_dbg(&dev->ibdev, "CQ: unknown format of compressed CQEs %#x\n",
			  req->cqe_comp_res_format);
		return -EINVAL;
	}
}

static int check_req_cq(struct cxr_ib_dev *dev, const struct mlx5_ib_create_cq *req)
{
	struct ib_device *ibdev = &dev->ibdev;

	if (req->cqe_size != 64 && req->cqe_size != 128) {
		ibdev_dbg(ibdev, "CQ: unsupported CQE size %u: 64 or 128 only\n", req->cqe_size);
		return -EINVAL;
	}
	if (req->flags & ~(MLX5_IB_CREATE_CQ_FLAGS_CQE_128B_PAD |
			   MLX5_IB_CREATE_CQ_FLAGS_UAR_PAGE_INDEX |
			   MLX5_IB_CREATE_CQ_FLAGS_REAL_TIME_TS)) {
		ibdev_dbg(ibdev, "CQ: unknown flags %#x\n", req->flags);
		return -EINVAL;
	}
	if (!(req->flags & MLX5_IB_CREATE_CQ_FLAGS_UAR_PAGE_INDEX)) {
		ibdev_dbg(ibdev, "CQ: no UAR index given\n");
		return -EINVAL;
	}
	if (req->cqe_comp_en > 1 || req->flags & MLX5_IB_CREATE_CQ_FLAGS_REAL_TIME_TS) {
		ibdev_dbg(ibdev,
			  "CQ: this compression and real-time timestamps are not supported\n");
		return -EOPNOTSUPP;
	}
	if (req->flags & MLX5_IB_CREATE_CQ_FLAGS_CQE_128B_PAD &&
	    (req->cqe_size != 128 || !dev->core->caps.cqe_padding)) {
		ibdev_dbg(ibdev, "CQ: CQEs cannot be padded to %u bytes\n", req->cqe_size);
		return -EOPNOTSUPP;
	}
	return 0;
}

static int copy_req_cq(struct cxr_ib_dev *dev, struct ib_udata *udata,
		       struct mlx5_ib_create_cq *req)
{
	struct ib_device *ibdev = &dev->ibdev;
	static const struct cxr_ib_request request = {
		.what = "CQ",
		.size = sizeof(*req),
		.min_size = offsetofend(struct mlx5_ib_create_cq, cqe_comp_res_format),
	};
	int err;

	err = cxr_ib_copy_req(ibdev, udata, &request, req);
	if (err)
		return err;
	if (req->reserved0 || req->reserved1) {
		ibdev_dbg(ibdev, "CQ: reserved fields are not zero\n");
		return -EINVAL;
	}
	return check_req_cq(dev, req);
}

/* Pins the memory of a user CQ and fills @attr. Undone by unpin_user_cq(). */
static int pin_user_cq(struct cxr_ib_cq *cq, struct cxr_ib_ucontext *ctx,
		       struct ib_udata *udata, struct cxr_cq_attr *attr)
	__context_unsafe("nobody else knows it yet")
{
	struct cxr_ib_dev *dev = to_cxr_dev(cq->ibcq.device);
	struct mlx5_ib_create_cq req;
	int err;

	err = copy_req_cq(dev, udata, &req);
	err = err ?: read_zip(dev, &req, &attr->zip);
	if (err)
		return err;

	cq->uar = cxr_ib_uar_get(ctx, req.uar_page_index);
	if (!cq->uar) {
		ibdev_dbg(&dev->ibdev, "CQ: UAR %u does not belong to this context\n",
			  req.uar_page_index);
		return -EINVAL;
	}

	err = cxr_ib_queue_pin(dev, req.buf_addr, (size_t)req.cqe_size << cq->log_size,
			       CXR_PAS_OFFSET_BITS_CQ, &cq->queue);
	if (err)
		goto err_put_uar;

	err = cxr_ib_db_pin(ctx, req.db_addr, &cq->user_db);
	if (err)
		goto err_unpin_queue;

	cq->cqe_size = req.flags & MLX5_IB_CREATE_CQ_FLAGS_CQE_128B_PAD ? CXR_CQE_64_PADDED :
		       req.cqe_size == 128 ? CXR_CQE_128 : CXR_CQE_64;
	attr->cqe_size = cq->cqe_size;
	attr->uar = req.uar_page_index;
	attr->pas = cq->queue.pas;
	attr->db_dma = cq->user_db.dma;
	return 0;

err_unpin_queue:
	cxr_ib_queue_unpin(&cq->queue);
err_put_uar:
	cxr_ib_uar_put(cq->uar);
	cq->uar = NULL;
	return err;
}

static void unpin_user_cq(struct cxr_ib_cq *cq, struct cxr_ib_ucontext *ctx)
	__context_unsafe("nobody else knows it yet, or any more")
{
	cxr_ib_db_unpin(ctx, &cq->user_db);
	cxr_ib_queue_unpin(&cq->queue);
	cxr_ib_uar_put(cq->uar);
	cq->uar = NULL;
}

/* Allocates the memory of a kernel CQ and fills @attr. Undone by free_kernel_cq(). */
static int alloc_kernel_cq(struct cxr_ib_cq *cq, struct cxr_cq_attr *attr)
{
	struct cxr_ib_dev *dev = to_cxr_dev(cq->ibcq.device);
	int err;

	err = cxr_buf_alloc(dev->core, &cq->buf, sizeof(struct prm_cqe64) << cq->log_size);
	if (err)
		return err;
	err = cxr_db_alloc(dev->core, &cq->db);
	if (err) {
		cxr_buf_free(dev->core, &cq->buf);
		return err;
	}

	cxr_ib_cq_invalidate(cq);
	attr->uar = dev->uar->index;
	attr->pas = cxr_buf_pas(&cq->buf);
	attr->db_dma = cq->db.dma;
	return 0;
}

static void free_kernel_cq(struct cxr_ib_cq *cq)
{
	struct cxr_ib_dev *dev = to_cxr_dev(cq->ibcq.device);

	cxr_db_free(dev->core, &cq->db);
	cxr_buf_free(dev->core, &cq->buf);
}

static int check_cq_attr(struct cxr_ib_dev *dev, const struct ib_cq_init_attr *attr)
{
	const struct cxr_caps *caps = &dev->core->caps;
	/* Every CQE has a timestamp, requested or not, but maybe of another clock. */
	bool stamps = caps->sq_free_running && caps->rq_free_running && caps->qp_free_running;
	u32 flags = (stamps ? IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION : 0) |
		    (caps->cq_oi ? IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN : 0);

	if (attr->flags & ~flags) {
		ibdev_dbg(&dev->ibdev, "CQ: unsupported flags %#x\n", attr->flags);
		return -EOPNOTSUPP;
	}
	if (attr->comp_vector >= dev->core->comp_vectors) {
		ibdev_dbg(&dev->ibdev, "CQ: completion vector %u is out of range, there are %d\n",
			  attr->comp_vector, dev->core->comp_vectors);
		return -EINVAL;
	}
	return 0;
}

static int copy_resp_cq(const struct cxr_ib_cq *cq, struct ib_udata *udata)
{
	struct mlx5_ib_create_cq_resp resp = { .cqn = cq->cq.cqn };

	return ib_copy_to_udata(udata, &resp, min(udata->outlen, sizeof(resp)));
}

/* log2 of the number of CQEs, or -EINVAL */
static int size_cq(struct cxr_ib_dev *dev, u32 entries)
{
	const struct cxr_limits limits = cxr_ib_limits(&dev->core->caps);
	int log_size = cxr_limits_cq(&limits, entries);

	if (log_size < 0)
		ibdev_dbg(&dev->ibdev, "CQ: unsupported size of %u entries: 1 to %lu only\n",
			  entries, BIT(limits.log_cq) - 1);
	return log_size;
}

static void init_cq(struct cxr_ib_cq *cq, u8 log_size)
	__context_unsafe("nobody else knows it yet")
{
	spin_lock_init(&cq->lock);
	mutex_init(&cq->resize_lock);
	INIT_LIST_HEAD(&cq->send_qps);
	INIT_LIST_HEAD(&cq->recv_qps);
	INIT_LIST_HEAD(&cq->kcq_entry);
	cq->log_size = log_size;
	cq->ibcq.cqe = BIT(cq->log_size) - 1;
	cq->cq.comp = cq_comp;
	cq->cq.error = cq_error;
}

/* The device has kept the CQ. */
static void keep_cq_memory(struct cxr_ib_cq *cq)
	__context_unsafe("nobody else knows it yet, or any more")
{
	cxr_ib_queue_keep(&cq->queue);
	cxr_buf_keep(to_cxr_dev(cq->ibcq.device)->core, &cq->buf);
}

int cxr_ib_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr, cxr_create_cq_arg(arg))
{
	struct ib_udata *udata = cxr_create_cq_udata(arg);
	struct cxr_ib_ucontext *ctx =
		rdma_udata_to_drv_context(udata, struct cxr_ib_ucontext, ibucontext);
	struct cxr_ib_dev *dev = to_cxr_dev(ibcq->device);
	struct cxr_cq_attr core_attr = {};
	struct cxr_ib_cq *cq = to_cxr_cq(ibcq);
	int err, log_size;

	err = check_cq_attr(dev, attr);
	if (err)
		return err;
	log_size = size_cq(dev, attr->cqe);
	if (log_size < 0)
		return log_size;

	init_cq(cq, log_size);
	err = udata ? pin_user_cq(cq, ctx, udata, &core_attr) : alloc_kernel_cq(cq, &core_attr);
	if (err)
		return err;

	core_attr.uid = ctx ? ctx->uid : 0;
	core_attr.log_size = cq->log_size;
	core_attr.vector = attr->comp_vector;
	core_attr.overrun_ignore = attr->flags & IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN;
	err = cxr_cq_create(dev->core, &cq->cq, &core_attr);
	if (err)
		goto err_free_memory;
	context_unsafe(cxr_ib_queue_free_list(&cq->queue));

	if (udata) {
		err = copy_resp_cq(cq, udata);
		if (err)
			goto err_destroy;
		return 0;
	}

	mutex_lock(&dev->kcq_lock);
	list_add_tail(&cq->kcq_entry, &dev->kcqs);
	mutex_unlock(&dev->kcq_lock);
	return 0;

err_destroy:
	if (cxr_cq_destroy(dev->core, &cq->cq))
		keep_cq_memory(cq);
err_free_memory:
	if (udata)
		unpin_user_cq(cq, ctx);
	else
		free_kernel_cq(cq);
	return cxr_ib_errno(err, udata);
}

/*
 * No event is under way any more. One that came after ib_core had cancelled the work that polls the
 * CQ has queued it again.
 */
static void cancel_polling(struct ib_cq *ibcq)
{
	if (ibcq->wc && (ibcq->poll_ctx == IB_POLL_WORKQUEUE ||
			 ibcq->poll_ctx == IB_POLL_UNBOUND_WORKQUEUE))
		cancel_work_sync(&ibcq->work);
}

int cxr_ib_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct cxr_ib_ucontext *ctx =
		rdma_udata_to_drv_context(udata, struct cxr_ib_ucontext, ibucontext);
	struct cxr_ib_dev *dev = to_cxr_dev(ibcq->device);
	struct cxr_ib_cq *cq = to_cxr_cq(ibcq);
	int err;

	mutex_lock(&dev->kcq_lock);
	list_del_init(&cq->kcq_entry);
	mutex_unlock(&dev->kcq_lock);
	if (!udata) {
		cxr_cq_unregister(dev->core, &cq->cq);
		cancel_polling(ibcq);
	}

	cxr_ib_devx_settle(ctx);
	err = cxr_cq_destroy(dev->core, &cq->cq);
	/* Without memory it has no events until the next try. One may have been missed. */
	if (err && cxr_ib_devx_holds(ctx)) {
		cxr_cq_register(dev->core, &cq->cq);
		/* the context of the handler, as in poll_vector() */
		if (!IS_ENABLED(CONFIG_PREEMPT_RT))
			local_irq_disable();
		cq->cq.comp(&cq->cq);
		if (!IS_ENABLED(CONFIG_PREEMPT_RT))
			local_irq_enable();
		return err;
	}
	if (err)
		keep_cq_memory(cq);
	if (cq->uar)
		unpin_user_cq(cq, ctx);
	else
		free_kernel_cq(cq);
	return 0;
}

int cxr_ib_modify_cq(struct ib_cq *ibcq, u16 count, u16 period)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibcq->device);

	if (!dev->core->caps.cq_moderation) {
		ibdev_dbg(&dev->ibdev, "CQ: moderation is not supported by the device\n");
		return -EOPNOTSUPP;
	}
	if (period > CXR_CQ_PERIOD_MAX) {
		ibdev_dbg(&dev->ibdev, "CQ: moderation period of %u us exceeds the maximum of %u\n",
			  period, CXR_CQ_PERIOD_MAX);
		return -EINVAL;
	}
	return cxr_cq_moderate(dev->core, &to_cxr_cq(ibcq)->cq, period, count);
}

/* ---- resize ---- */

static int copy_req_resize_cq(const struct cxr_ib_cq *cq, struct ib_udata *udata,
			      struct mlx5_ib_resize_cq *req)
{
	static const struct cxr_ib_request request = {
		.what = "CQ resize",
		.size = sizeof(*req),
		.min_size = sizeof(*req),
	};
	u32 size = cq->cqe_size == CXR_CQE_64 ? 64 : 128;
	struct ib_device *ibdev = cq->ibcq.device;
	int err;

	err = cxr_ib_copy_req(ibdev, udata, &request, req);
	if (err)
		return err;
	if (req->reserved0 || req->reserved1) {
		ibdev_dbg(ibdev, "CQ %#x: reserved fields are not zero\n", cq->cq.cqn);
		return -EINVAL;
	}
	if (req->cqe_size != size) {
		ibdev_dbg(ibdev, "CQ %#x: CQE size cannot change from %u to %u\n", cq->cq.cqn,
			  size, req->cqe_size);
		return -EINVAL;
	}
	return 0;
}

/* User space copies the CQEs that it has not polled: it still has the old memory. */
static int resize_user_cq(struct cxr_ib_cq *cq, u8 log_size, struct ib_udata *udata)
{
	struct cxr_ib_dev *dev = to_cxr_dev(cq->ibcq.device);
	struct mlx5_ib_resize_cq req;
	struct cxr_ib_queue queue;
	int err;

	lockdep_assert_held(&cq->resize_lock);
	err = copy_req_resize_cq(cq, udata, &req);
	if (err)
		return err;
	err = cxr_ib_queue_pin(dev, req.buf_addr, (size_t)req.cqe_size << log_size,
			       CXR_PAS_OFFSET_BITS_CQ, &queue);
	if (err)
		return err;
	err = cxr_cq_resize(dev->core, &cq->cq, cq->cqe_size, log_size, &queue.pas);
	if (err) {
		cxr_ib_queue_unpin(&queue);
		return err;
	}

	cxr_ib_queue_free_list(&queue);
	cxr_ib_queue_unpin(&cq->queue);
	cq->queue = queue;
	cq->log_size = log_size;
	cq->ibcq.cqe = BIT(log_size) - 1;
	return 0;
}

int cxr_ib_resize_cq(struct ib_cq *ibcq, cxr_resize_cq_count entries, struct ib_udata *udata)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibcq->device);
	struct cxr_ib_cq *cq = to_cxr_cq(ibcq);
	int log_size, err = 0;

	if (!dev->core->caps.cq_resize || !udata) {
		ibdev_dbg(&dev->ibdev, "CQ %#x: resize is not supported %s\n", cq->cq.cqn,
			  udata ? "by the device" : "for CQs of the kernel");
		return -EOPNOTSUPP;
	}
	log_size = size_cq(dev, entries);
	if (log_size < 0)
		return log_size;

	mutex_lock(&cq->resize_lock);
	if (log_size != cq->log_size)
		err = resize_user_cq(cq, log_size, udata);
	mutex_unlock(&cq->resize_lock);
	return err;
}
