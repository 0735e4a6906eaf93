// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Shared receive queues.
 *
 * WQEs complete in any order, so they are a linked list: each begins with the index of the next.
 * The free WQEs form such a list, too. Its last one is never posted: the device may have read its
 * link already, and follows it when more is posted.
 */
#include <linux/slab.h>

#include "queue.h"

#define WQE_COUNT_MASK 0xffff

static struct prm_wqe_srq_next_seg *wqe_at(const struct cxr_ib_srq *srq, u32 i)
{
	return cxr_buf_at(&srq->buf, (size_t)i << srq->log_stride);
}

/* ---- create and destroy ---- */

static int check_srq_type(struct cxr_ib_dev *dev, enum ib_srq_type type)
{
	if (type == IB_SRQT_BASIC || (type == IB_SRQT_XRC && dev->core->caps.xrc))
		return 0;
	ibdev_dbg(&dev->ibdev, "SRQ: unsupported type %d\n", type);
	return -EOPNOTSUPP;
}

/* On success @attr holds what the SRQ got. */
static int size_srq(struct cxr_ib_srq *srq, struct ib_srq_attr *attr)
{
	struct cxr_ib_dev *dev = to_cxr_dev(srq->ibsrq.device);
	const struct cxr_limits limits = cxr_ib_limits(&dev->core->caps);
	struct cxr_limits_srq size;
	int err;

	err = cxr_limits_srq(&limits, attr->max_wr, attr->max_sge, &size);
	if (err) {
		ibdev_dbg(&dev->ibdev, "SRQ: max_wr %u, max_sge %u: the maximum is %lu, %u\n",
			  attr->max_wr, attr->max_sge, BIT(limits.log_srq) - 1,
			  cxr_limits_srq_sges(&limits));
		return err;
	}
	srq->log_size = size.log_size;
	srq->log_stride = size.log_stride;
	srq->max_sge = size.sges;
	attr->max_wr = size.wrs;
	return 0;
}

static bool is_xrc(const struct cxr_ib_srq *srq)
{
	return srq->ibsrq.srq_type == IB_SRQT_XRC;
}

static int copy_req_srq(struct ib_device *ibdev, struct ib_udata *udata,
			struct mlx5_ib_create_srq *req)
{
	static const struct cxr_ib_request request = {
		.what = "SRQ",
		.size = sizeof(*req),
		.min_size = offsetofend(struct mlx5_ib_create_srq, db_addr),
		.unknown = -EINVAL,
	};
	int err;

	err = cxr_ib_copy_req(ibdev, udata, &request, req);
	if (err)
		return err;
	if (req->reserved0 || req->reserved1) {
		ibdev_dbg(ibdev, "SRQ: reserved fields are not zero\n");
		return -EINVAL;
	}
	if (req->flags) {
		ibdev_dbg(ibdev, "SRQ: unsupported flags %#x\n", req->flags);
		return req->flags & ~MLX5_SRQ_FLAG_SIGNATURE ? -EINVAL : -EOPNOTSUPP;
	}
	return 0;
}

/* Pins the memory of a user SRQ and fills @attr. Undone by unpin_user_srq(). */
static int pin_user_srq(struct cxr_ib_srq *srq, struct cxr_ib_ucontext *ctx,
			struct ib_udata *udata, struct cxr_srq_attr *attr)
{
	struct cxr_ib_dev *dev = to_cxr_dev(srq->ibsrq.device);
	struct mlx5_ib_create_srq req;
	int err;

	err = copy_req_srq(&dev->ibdev, udata, &req);
	if (err)
		return err;
	/* The user index of a basic SRQ is ignored. */
	if (is_xrc(srq)) {
		err = cxr_ib_check_uidx(ctx, udata->inlen >= offsetofend(typeof(req), uidx),
					req.uidx, &attr->user_index);
		if (err)
			return err;
	}
	err = cxr_ib_queue_pin(dev, req.buf_addr, BIT(srq->log_size + srq->log_stride),
			       is_xrc(srq) ? CXR_PAS_OFFSET_BITS : CXR_PAS_OFFSET_BITS_WQ,
			       &srq->queue);
	if (err)
		return err;
	err = cxr_ib_db_pin(ctx, req.db_addr, &srq->user_db);
	if (err) {
		cxr_ib_queue_unpin(&srq->queue);
		return err;
	}

	attr->pas = srq->queue.pas;
	attr->db_dma = srq->user_db.dma;
	return 0;
}

static void unpin_user_srq(struct cxr_ib_srq *srq, struct cxr_ib_ucontext *ctx)
{
	cxr_ib_db_unpin(ctx, &srq->user_db);
	cxr_ib_queue_unpin(&srq->queue);
}

static void link_wqes(struct cxr_ib_srq *srq)
	__context_unsafe("nobody else knows it yet")
{
	u32 n = BIT(srq->log_size);
	u32 i;

	for (i = 0; i < n; i++)
		wqe_at(srq, i)->next_wqe_index = cpu_to_be16((i + 1) & (n - 1));
	srq->head = 0;
	srq->tail = n - 1;
}

/* Allocates the memory of a kernel SRQ and fills @attr. Undone by free_kernel_srq(). */
static int alloc_kernel_srq(struct cxr_ib_srq *srq, struct cxr_srq_attr *attr)
	__context_unsafe("nobody else knows it yet")
{
	struct cxr_core *core = to_cxr_dev(srq->ibsrq.device)->core;
	int err;

	srq->wrid = kvcalloc(BIT(srq->log_size), sizeof(*srq->wrid), GFP_KERNEL);
	if (!srq->wrid)
		return -ENOMEM;
	err = cxr_buf_alloc(core, &srq->buf, BIT(srq->log_size + srq->log_stride));
	if (err)
		goto err_free_wrid;
	err = cxr_db_alloc(core, &srq->db);
	if (err)
		goto err_free_buf;

	link_wqes(srq);
	attr->pas = cxr_buf_pas(&srq->buf);
	attr->db_dma = srq->db.dma;
	return 0;

err_free_buf:
	cxr_buf_free(core, &srq->buf);
err_free_wrid:
	kvfree(srq->wrid);
	return err;
}

static void free_kernel_srq(struct cxr_ib_srq *srq)
	__context_unsafe("nobody else knows it yet, or any more")
{
	struct cxr_core *core = to_cxr_dev(srq->ibsrq.device)->core;

	cxr_db_free(core, &srq->db);
	cxr_buf_free(core, &srq->buf);
	kvfree(srq->wrid);
}

/* From here on events find the SRQ. */
static int publish_srq(struct cxr_ib_dev *dev, struct cxr_ib_srq *srq)
{
	int err;

	refcount_set(&srq->ref, 1);
	init_completion(&srq->unused);
	err = xa_insert_irq(&dev->srqs, srq->srqn, srq, GFP_KERNEL);
	if (err)
		ibdev_err(&dev->ibdev, "SRQ %#x: failed to store its number: %d\n", srq->srqn, err);
	/* -EBUSY: the device assigned a number twice. */
	return err == -EBUSY ? -EIO : err;
}

static void unpublish_srq(struct cxr_ib_dev *dev, struct cxr_ib_srq *srq)
{
	xa_erase_irq(&dev->srqs, srq->srqn);
	cxr_ib_put_srq(srq);
	wait_for_completion(&srq->unused);
}

static int copy_resp_srq(const struct cxr_ib_srq *srq, struct ib_udata *udata)
{
	struct mlx5_ib_create_srq_resp resp = { .srqn = srq->srqn };

	return ib_copy_to_udata(udata, &resp, min(udata->outlen, sizeof(resp)));
}

static void keep_srq_memory(struct cxr_ib_srq *srq)
{
	cxr_ib_queue_keep(&srq->queue);
	cxr_buf_keep(to_cxr_dev(srq->ibsrq.device)->core, &srq->buf);
}

static int destroy_device_srq(struct cxr_ib_srq *srq)
{
	return cxr_cmd_destroy_srq(to_cxr_dev(srq->ibsrq.device)->core, srq->uid, is_xrc(srq),
				   srq->srqn);
}

static int create_device_srq(struct cxr_ib_srq *srq, struct cxr_srq_attr *attr,
			     struct ib_udata *udata)
{
	struct cxr_ib_dev *dev = to_cxr_dev(srq->ibsrq.device);
	int err;

	attr->xrc = is_xrc(srq);
	attr->pdn = to_cxr_pd(srq->ibsrq.pd)->pdn;
	srq->uid = is_xrc(srq) ? 0 : to_cxr_pd(srq->ibsrq.pd)->uid;
	attr->uid = srq->uid;
	attr->log_size = srq->log_size;
	attr->log_stride = srq->log_stride;
	err = cxr_cmd_create_srq(dev->core, attr, &srq->srqn);
	if (err)
		return err;
	cxr_ib_queue_free_list(&srq->queue);
	/* of the uverbs response, as mlx5_ib sets it: also for those that are no XRC SRQs */
	srq->ibsrq.ext.xrc.srq_num = srq->srqn;

	err = publish_srq(dev, srq);
	if (err)
		goto err_destroy;
	err = udata ? copy_resp_srq(srq, udata) : 0;
	if (err)
		goto err_unpublish;
	return 0;

err_unpublish:
	unpublish_srq(dev, srq);
err_destroy:
	if (destroy_device_srq(srq))
		keep_srq_memory(srq);
	return err;
}

/* Does not set the limit: by the specification it has no meaning at creation. */
int cxr_ib_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init, struct ib_udata *udata)
{
	struct cxr_ib_ucontext *ctx =
		rdma_udata_to_drv_context(udata, struct cxr_ib_ucontext, ibucontext);
	struct cxr_ib_srq *srq = to_cxr_srq(ibsrq);
	struct cxr_srq_attr attr = {};
	int err;

	err = check_srq_type(to_cxr_dev(ibsrq->device), init->srq_type);
	err = err ?: size_srq(srq, &init->attr);
	if (err)
		return err;
	if (init->srq_type == IB_SRQT_XRC) {
		if (!udata || !init->ext.cq || !init->ext.xrc.xrcd) {
			ibdev_dbg(ibsrq->device,
				  "XRC SRQ: user space only, with a CQ and an XRC domain\n");
			return -EOPNOTSUPP;
		}
		attr.cqn = to_cxr_cq(init->ext.cq)->cq.cqn;
		attr.xrcd = to_cxr_xrcd(init->ext.xrc.xrcd)->xrcd;
	}

	spin_lock_init(&srq->lock);
	err = udata ? pin_user_srq(srq, ctx, udata, &attr) : alloc_kernel_srq(srq, &attr);
	if (err)
		return err;

	err = create_device_srq(srq, &attr, udata);
	if (!err)
		return 0;

	if (udata)
		unpin_user_srq(srq, ctx);
	else
		free_kernel_srq(srq);
	return err;
}

int cxr_ib_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	struct cxr_ib_ucontext *ctx =
		rdma_udata_to_drv_context(udata, struct cxr_ib_ucontext, ibucontext);
	struct cxr_ib_dev *dev = to_cxr_dev(ibsrq->device);
	struct cxr_ib_srq *srq = to_cxr_srq(ibsrq);
	int err;

	cxr_ib_devx_settle(ctx);
	unpublish_srq(dev, srq);
	err = destroy_device_srq(srq);
	/* Without memory it has no events until the next try. */
	if (err && cxr_ib_devx_holds(ctx)) {
		publish_srq(dev, srq);
		return err;
	}
	if (err)
		keep_srq_memory(srq);
	if (udata)
		unpin_user_srq(srq, ctx);
	else
		free_kernel_srq(srq);
	return 0;
}

/* ---- limit ---- */

int cxr_ib_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		      struct ib_udata *udata)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibsrq->device);
	struct cxr_ib_srq *srq = to_cxr_srq(ibsrq);

	if (mask & ~IB_SRQ_LIMIT) {
		ibdev_dbg(&dev->ibdev, "SRQ %#x: attribute mask %#x: resize is not supported\n",
			  srq->srqn, mask);
		return -EOPNOTSUPP;
	}
	if (!(mask & IB_SRQ_LIMIT))
		return 0;
	if (attr->srq_limit >= BIT(srq->log_size)) {
		ibdev_dbg(&dev->ibdev, "SRQ %#x: limit %u exceeds max_wr %lu\n", srq->srqn,
			  attr->srq_limit, BIT(srq->log_size) - 1);
		return -EINVAL;
	}
	return cxr_cmd_arm_srq(dev->core, srq->uid, is_xrc(srq), srq->srqn, attr->srq_limit);
}

int cxr_ib_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr)
{
	struct cxr_ib_srq *srq = to_cxr_srq(ibsrq);
	u16 limit;
	int err;

	err = cxr_cmd_query_srq(to_cxr_dev(ibsrq->device)->core, is_xrc(srq), srq->srqn, &limit);
	if (err)
		return err;

	attr->srq_limit = limit;
	attr->max_wr = BIT(srq->log_size) - 1;
	attr->max_sge = srq->max_sge;
	return 0;
}

/* ---- work of the kernel ---- */

static int post_one_srq_recv(struct cxr_ib_srq *srq, const struct ib_recv_wr *wr)
{
	struct prm_wqe_srq_next_seg *next;

	lockdep_assert_held(&srq->lock);
	if (wr->num_sge < 0 || wr->num_sge > srq->max_sge) {
		ibdev_dbg(srq->ibsrq.device, "SRQ %#x: invalid num_sge %d: max_sge is %u\n",
			  srq->srqn, wr->num_sge, srq->max_sge);
		return -EINVAL;
	}
	if (srq->head == srq->tail)
		return -ENOMEM;

	next = wqe_at(srq, srq->head);
	cxr_ib_write_recv(to_cxr_dev(srq->ibsrq.device)->core,
			  (struct prm_wqe_data_seg *)(next + 1), srq->max_sge, wr);
	srq->wrid[srq->head] = wr->wr_id;
	srq->head = be16_to_cpu(next->next_wqe_index);
	srq->posted++;
	return 0;
}

int cxr_ib_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
			 const struct ib_recv_wr **bad_wr)
{
	struct cxr_ib_srq *srq = to_cxr_srq(ibsrq);
	unsigned long flags;
	int err = 0;

	spin_lock_irqsave(&srq->lock, flags);
	for (; wr; wr = wr->next) {
		err = post_one_srq_recv(srq, wr);
		if (err) {
			*bad_wr = wr;
			break;
		}
	}
	dma_wmb();	/* WQEs before the record; receives have no doorbell */
	WRITE_ONCE(srq->db.rec[0], cpu_to_be32(srq->posted & WQE_COUNT_MASK));
	spin_unlock_irqrestore(&srq->lock, flags);
	return err;
}

bool cxr_ib_srq_finish(struct cxr_ib_srq *srq, u16 index, u64 *wr_id)
{
	if (index >= BIT(srq->log_size))
		return false;

	spin_lock(&srq->lock);
	*wr_id = srq->wrid[index];
	wqe_at(srq, srq->tail)->next_wqe_index = cpu_to_be16(index);
	srq->tail = index;
	spin_unlock(&srq->lock);
	return true;
}
