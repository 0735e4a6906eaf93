// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Common to all QPs, also raw packet QPs: request of user space, initial state, GID. */
#include "queue.h"

#define INVALID_BFREG BIT(31)	/* response: the doorbell is in the UAR that user space named */

static const struct cxr_ib_request qp_request = {
	.what = "QP",
	.size = sizeof(struct mlx5_ib_create_qp),
	.min_size = offsetof(struct mlx5_ib_create_qp, ece_options),
	.unknown = -EINVAL,
};

/*
 * Scatter to CQE is an offer of the library, which checks each CQE for it. The driver uses it for
 * DC transport only.
 */
static int check_req_flags(struct cxr_ib_dev *dev, enum ib_qp_type type,
			   const struct mlx5_ib_create_qp *req)
{
	u32 offers = MLX5_QP_FLAG_SCATTER_CQE | MLX5_QP_FLAG_ALLOW_SCATTER_CQE;
	u32 refused = MLX5_QP_FLAG_SIGNATURE | MLX5_QP_FLAG_TUNNEL_OFFLOADS |
		      MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_UC | MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_MC |
		      MLX5_QP_FLAG_BFREG_INDEX | MLX5_QP_FLAG_TYPE_DCT | MLX5_QP_FLAG_TYPE_DCI |
		      MLX5_QP_FLAG_PACKET_BASED_CREDIT_MODE | MLX5_QP_FLAG_DCI_STREAM;
	struct ib_device *ibdev = &dev->ibdev;

	if (type == IB_QPT_RAW_PACKET)
		offers |= cxr_ib_raw_qp_flags(&dev->core->caps);
	if (type == IB_QPT_DRIVER)
		offers |= cxr_ib_dci_flags(&dev->core->caps);
	refused &= ~offers;
	if (req->flags & ~(offers | refused | MLX5_QP_FLAG_UAR_PAGE_INDEX)) {
		ibdev_dbg(ibdev, "QP: unknown flags %#x\n", req->flags);
		return -EINVAL;
	}
	if (req->flags & refused) {
		ibdev_dbg(ibdev, "QP: unsupported flags %#x\n", req->flags & refused);
		return -EOPNOTSUPP;
	}
	if (!(req->flags & MLX5_QP_FLAG_UAR_PAGE_INDEX)) {
		ibdev_dbg(ibdev, "QP: no UAR index given\n");
		return -EINVAL;
	}
	/* ECE options are an offer, too: the response says that none was accepted. */
	return 0;
}

static int check_req_sizes(struct cxr_ib_dev *dev, const struct ib_qp_init_attr *attr,
			   const struct mlx5_ib_create_qp *req, u64 *bytes)
{
	const struct cxr_limits limits = cxr_ib_limits(&dev->core->caps);
	const struct cxr_limits_user_qp sizes = {
		.send_blocks = req->sq_wqe_count,
		.recv_slots = req->rq_wqe_count,
		.recv_log_stride = req->rq_wqe_shift,
		.recv_wrs = attr->cap.max_recv_wr,
		.srq = attr->srq,
	};
	const char *why;
	int err;

	err = cxr_limits_user_qp(&limits, &sizes, bytes, &why);
	if (err)
		ibdev_dbg(&dev->ibdev,
			  "QP: sq_wqe_count %u, rq_wqe_count %u, rq_wqe_shift %u, max_recv_wr %u: %s\n",
			  req->sq_wqe_count, req->rq_wqe_count, req->rq_wqe_shift,
			  attr->cap.max_recv_wr, why);
	return err;
}

int cxr_ib_read_req_modify(struct ib_device *ibdev, struct ib_udata *udata,
			   struct mlx5_ib_modify_qp *req)
{
	static const struct cxr_ib_request request = {
		.what = "QP",
		.size = sizeof(*req),
		.min_size = offsetofend(struct mlx5_ib_modify_qp, ece_options),
		.unknown = -EOPNOTSUPP,
	};
	int err;

	memset(req, 0, sizeof(*req));
	if (!udata || !udata->inlen)
		return 0;
	err = cxr_ib_copy_req(ibdev, udata, &request, req);
	if (err)
		return err;
	if (req->comp_mask || req->burst_info.reserved) {
		ibdev_dbg(ibdev, "QP: comp_mask %#x, or a reserved field is not zero\n",
			  req->comp_mask);
		return -EOPNOTSUPP;
	}
	return 0;
}

int cxr_ib_read_req_qp(struct cxr_ib_dev *dev, struct ib_udata *udata,
		       struct mlx5_ib_create_qp *req)
{
	int err;

	err = cxr_ib_copy_req(&dev->ibdev, udata, &qp_request, req);
	if (!err && req->reserved) {
		ibdev_dbg(&dev->ibdev, "QP: a reserved field is not zero\n");
		err = -EINVAL;
	}
	return err;
}

int cxr_ib_copy_req_qp(struct cxr_ib_ucontext *ctx, const struct ib_qp_init_attr *attr,
		       struct ib_udata *udata, struct mlx5_ib_create_qp *req, u32 *user_index,
		       u64 *bytes)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ctx->ibucontext.device);
	int err;

	err = cxr_ib_read_req_qp(dev, udata, req);
	err = err ?: check_req_flags(dev, attr->qp_type, req);
	err = err ?: check_req_sizes(dev, attr, req, bytes);
	return err ?: cxr_ib_check_uidx(ctx, true, req->uidx, user_index);
}

/* Objects of a raw packet QP, for programs that name them in commands of their own. */
static void fill_resp_raw(const struct cxr_ib_raw *raw, struct mlx5_ib_create_qp_resp *resp)
{
	if (raw->has_sq) {
		resp->tisn = raw->tisn;
		resp->sqn = raw->sqn;
		resp->comp_mask |= MLX5_IB_CREATE_QP_RESP_MASK_TISN |
				   MLX5_IB_CREATE_QP_RESP_MASK_SQN;
	}
	if (raw->has_rq) {
		resp->rqn = raw->rqn;
		resp->comp_mask |= MLX5_IB_CREATE_QP_RESP_MASK_RQN;
	}
	if (raw->has_tir) {
		resp->tirn = raw->tirn;
		resp->comp_mask |= MLX5_IB_CREATE_QP_RESP_MASK_TIRN;
	}
}

int cxr_ib_copy_resp_qp(const struct cxr_ib_qp *qp, struct ib_udata *udata)
{
	struct mlx5_ib_create_qp_resp resp = {
		.bfreg_index = INVALID_BFREG,
	};

	if (qp->uid && qp->raw)
		fill_resp_raw(qp->raw, &resp);
	return ib_copy_to_udata(udata, &resp, min(udata->outlen, sizeof(resp)));
}

void cxr_ib_init_qp(struct cxr_ib_qp *qp, const struct ib_qp_init_attr *attr, bool user)
	__context_unsafe("nobody else knows it yet")
{
	mutex_init(&qp->mutex);
	spin_lock_init(&qp->sq.lock);
	spin_lock_init(&qp->rq.lock);
	INIT_LIST_HEAD(&qp->send_entry);
	INIT_LIST_HEAD(&qp->recv_entry);
	INIT_LIST_HEAD(&qp->left_groups);
	qp->state = IB_QPS_RESET;
	qp->port = CXR_IB_PORT;
	qp->user = user;
	qp->sig_all = attr->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->create_flags = attr->create_flags;
}

void cxr_ib_qp_set_sgid(struct cxr_ib_qp *qp, int index)
{
	struct cxr_ib_dev *dev = to_cxr_dev(qp->ibqp.device);

	if (index >= 0)
		cxr_ib_gid_get(dev, index);
	if (qp->has_sgid)
		cxr_ib_gid_put(dev, qp->sgid_index);
	qp->has_sgid = index >= 0;
	qp->sgid_index = qp->has_sgid ? index : 0;
}
