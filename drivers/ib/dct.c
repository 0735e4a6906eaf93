// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Dynamically connected transport (DC), for user space only.
 *
 * An initiator (DCI) is a QP whose requests name the target, and the key of the target; the device
 * connects the two for as long as that takes. It is made as other QPs are (qp.c), but has
 * transitions of its own. A target (DCT) is only where requests arrive: it has no queues, receives
 * come from an SRQ. In the device it begins to exist on its way to RTR, with all its attributes.
 */
#include <linux/slab.h>
#include <rdma/restrack.h>

#include "queue.h"

#define RNR_TIMER_MAX 31

/* ---- both ---- */

int cxr_ib_dc_role(struct cxr_ib_dev *dev, const struct ib_qp_init_attr *attr,
		   struct ib_udata *udata, bool *target)
{
	struct mlx5_ib_create_qp req;
	int err;

	if (!dev->core->caps.dct || !udata) {
		ibdev_dbg(&dev->ibdev, "DC: %s\n",
			  udata ? "the device does not have it" : "user space only");
		return -EOPNOTSUPP;
	}
	err = cxr_ib_read_req_qp(dev, udata, &req);
	if (err)
		return err;
	switch (req.flags & (MLX5_QP_FLAG_TYPE_DCT | MLX5_QP_FLAG_TYPE_DCI)) {
	case MLX5_QP_FLAG_TYPE_DCT:
		*target = true;
		return 0;
	case MLX5_QP_FLAG_TYPE_DCI:
		*target = false;
		return 0;
	default:
		ibdev_dbg(&dev->ibdev, "DC: flags %#x: neither initiator nor target\n", req.flags);
		return -EINVAL;
	}
}

static struct cxr_dc_scatter scatter_of(const struct cxr_caps *caps, u32 flags,
					const struct ib_cq *ibcq)
{
	return (struct cxr_dc_scatter){
		.device = caps->scatter_to_cqe,
		.device_32 = caps->dc_scatter_32,
		.offered = flags & MLX5_QP_FLAG_SCATTER_CQE,
		.unsignaled = flags & MLX5_QP_FLAG_ALLOW_SCATTER_CQE,
		.cqe_bytes = to_cxr_cq((struct ib_cq *)ibcq)->cqe_size == CXR_CQE_64 ? 64 : 128,
	};
}

/* ---- initiators ---- */

int cxr_ib_dci_check_attr(const struct ib_device *ibdev, const struct ib_qp_init_attr *attr)
{
	if (!attr->cap.max_recv_wr && !attr->cap.max_recv_sge)
		return 0;
	ibdev_dbg(ibdev, "DC initiator: max_recv_wr %u, max_recv_sge %u: it only sends\n",
		  attr->cap.max_recv_wr, attr->cap.max_recv_sge);
	return -EINVAL;
}

int cxr_ib_dci_read_req(struct cxr_ib_dev *dev, const struct ib_qp_init_attr *attr,
			const struct mlx5_ib_create_qp *req, u8 *scatter_req,
			struct cxr_dc_streams *streams)
{
	const struct cxr_caps *caps = &dev->core->caps;
	struct cxr_dc_scatter scatter;
	const char *why;
	int err;

	if (!req->sq_wqe_count || req->rq_wqe_shift) {
		ibdev_dbg(&dev->ibdev,
			  "DC initiator: sq_wqe_count %u, rq_wqe_shift %u: it only sends\n",
			  req->sq_wqe_count, req->rq_wqe_shift);
		return -EINVAL;
	}
	scatter = scatter_of(caps, req->flags, attr->send_cq);
	scatter.all_signaled = attr->sq_sig_type == IB_SIGNAL_ALL_WR;
	*scatter_req = cxr_dc_scatter_req(&scatter);
	*streams = (struct cxr_dc_streams){};
	if (!(req->flags & MLX5_QP_FLAG_DCI_STREAM))
		return 0;

	streams->channels = req->dci_streams.log_num_concurent;
	streams->errored = req->dci_streams.log_num_errored;
	err = cxr_dc_streams_check(&caps->dc_streams, streams, &why);
	if (err)
		ibdev_dbg(&dev->ibdev, "DC initiator: 2^%u streams, 2^%u in error: %s\n",
			  streams->channels, streams->errored, why);
	return err;
}

static const struct {
	enum ib_qp_state from, to;
	int required, optional;
} dci_transitions[] = {
	{ IB_QPS_RESET, IB_QPS_INIT, IB_QP_PKEY_INDEX | IB_QP_PORT, 0 },
	{ IB_QPS_INIT, IB_QPS_INIT, 0, IB_QP_PKEY_INDEX | IB_QP_PORT },
	{ IB_QPS_INIT, IB_QPS_RTR, IB_QP_PATH_MTU, IB_QP_PKEY_INDEX | IB_QP_AV },
	{ IB_QPS_RTR, IB_QPS_RTS, IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |
				  IB_QP_MAX_QP_RD_ATOMIC | IB_QP_SQ_PSN, IB_QP_MIN_RNR_TIMER },
	{ IB_QPS_RTS, IB_QPS_RTS, 0, IB_QP_MIN_RNR_TIMER },
};

bool cxr_ib_dci_may(enum ib_qp_state from, enum ib_qp_state to, int mask)
{
	unsigned int i;
	int required;

	if (to == IB_QPS_RESET || (to == IB_QPS_ERR && from != IB_QPS_RESET))
		return mask == IB_QP_STATE;
	for (i = 0; i < ARRAY_SIZE(dci_transitions); i++) {
		if (dci_transitions[i].from != from || dci_transitions[i].to != to)
			continue;
		required = IB_QP_STATE | dci_transitions[i].required;
		return (mask & required) == required &&
		       !(mask & ~(required | dci_transitions[i].optional));
	}
	return false;
}

/* ---- create and destroy a target ---- */

static int destroy_device_dct(struct cxr_ib_qp *qp)
{
	struct cxr_ib_dev *dev = to_cxr_dev(qp->ibqp.device);
	int err;

	lockdep_assert_held(&qp->mutex);
	err = cxr_ib_target_drain(dev, &qp->dct->target, qp->uid, qp->qpn);
	return err ?: cxr_cmd_destroy_dct(dev->core, qp->uid, qp->qpn);
}

/* Flags that are about the queues of a QP are accepted, and mean nothing. */
static int check_dct(struct cxr_ib_dev *dev, const struct ib_qp_init_attr *attr,
		     const struct mlx5_ib_create_qp *req)
{
	u32 flags = MLX5_QP_FLAG_TYPE_DCT | MLX5_QP_FLAG_SCATTER_CQE |
		    MLX5_QP_FLAG_ALLOW_SCATTER_CQE | MLX5_QP_FLAG_SIGNATURE |
		    MLX5_QP_FLAG_BFREG_INDEX | MLX5_QP_FLAG_UAR_PAGE_INDEX;
	const struct cxr_core *core = dev->core;
	struct ib_device *ibdev = &dev->ibdev;

	if (core->caps.dc_streams.channels)
		flags |= MLX5_QP_FLAG_DCI_STREAM;
	if (req->flags & ~flags || !(req->flags & MLX5_QP_FLAG_TYPE_DCT)) {
		ibdev_dbg(ibdev, "DC target: unsupported flags %#x\n", req->flags & ~flags);
		return -EINVAL;
	}
	if (attr->create_flags || attr->rwq_ind_tbl) {
		ibdev_dbg(ibdev,
			  "DC target: create flags %#x or an indirection table: it has none\n",
			  attr->create_flags);
		return -EINVAL;
	}
	if (!attr->srq || !attr->recv_cq) {
		ibdev_dbg(ibdev, "DC target: SRQ or receive CQ is missing\n");
		return -EINVAL;
	}
	if (core->lag && !core->caps.lag_dct) {
		ibdev_dbg(ibdev, "DC target: the device has none in a LAG\n");
		return -EOPNOTSUPP;
	}
	return 0;
}

static void fill_dct(struct cxr_ib_qp *qp, const struct ib_qp_init_attr *attr,
		     const struct mlx5_ib_create_qp *req, u32 user_index)
{
	const struct cxr_caps *caps = &to_cxr_dev(qp->ibqp.device)->core->caps;
	const struct cxr_dc_scatter scatter = scatter_of(caps, req->flags, attr->recv_cq);

	qp->dct->attr = (struct cxr_dct){
		.uid = qp->uid,
		.pdn = qp->pdn,
		.srqn = to_cxr_srq(attr->srq)->srqn,
		.cqn = to_cxr_cq(attr->recv_cq)->cq.cqn,
		.user_index = user_index,
		.key = req->access_key,
		.ece = caps->ece ? req->ece_options : 0,
		.scatter_res = cxr_dc_scatter_res(&scatter),
	};
}

int cxr_ib_create_dct(struct cxr_ib_qp *qp, const struct ib_qp_init_attr *attr,
		      struct ib_udata *udata)
{
	struct cxr_ib_ucontext *ctx =
		rdma_udata_to_drv_context(udata, struct cxr_ib_ucontext, ibucontext);
	struct cxr_ib_dev *dev = to_cxr_dev(qp->ibqp.device);
	struct mlx5_ib_create_qp_resp resp = {};
	struct mlx5_ib_create_qp req;
	u32 user_index;
	int err;

	err = cxr_ib_read_req_qp(dev, udata, &req);
	err = err ?: check_dct(dev, attr, &req);
	err = err ?: cxr_ib_check_uidx(ctx, true, req.uidx, &user_index);
	err = err ?: ib_copy_to_udata(udata, &resp, min(udata->outlen, sizeof(resp)));
	if (err)
		return err;

	qp->dct = kzalloc(sizeof(*qp->dct), GFP_KERNEL);
	if (!qp->dct)
		return -ENOMEM;
	cxr_ib_target_init(&qp->dct->target);
	cxr_ib_init_qp(qp, attr, true);
	qp->type = CXR_QP_DCI;	/* the device has no such QP */
	qp->uid = to_cxr_pd(qp->ibqp.pd)->uid;
	qp->pdn = to_cxr_pd(qp->ibqp.pd)->pdn;
	fill_dct(qp, attr, &req, user_index);
	/* It has no number yet. */
	rdma_restrack_no_track(&qp->ibqp.res);
	return 0;
}

int cxr_ib_destroy_dct(struct cxr_ib_qp *qp, struct cxr_ib_ucontext *ctx)
{
	struct ib_device *ibdev = qp->ibqp.device;
	int err;

	mutex_lock(&qp->mutex);
	err = qp->state == IB_QPS_RTR ? destroy_device_dct(qp) : 0;
	if (err && cxr_ib_devx_holds(ctx)) {
		mutex_unlock(&qp->mutex);
		return err;
	}
	if (err)
		ibdev_warn(ibdev, "the device keeps DC target %#x\n", qp->qpn);
	cxr_ib_qp_set_sgid(qp, -1);
	mutex_unlock(&qp->mutex);
	kfree(qp->dct);
	return 0;
}

/* ---- transitions of a target ---- */

/* In a LAG it is assigned a port in turn, as the in-tree driver has it also where that hashes. */
static u8 choose_port(struct cxr_ib_qp *qp, u8 port)
{
	struct cxr_ib_dev *dev = to_cxr_dev(qp->ibqp.device);

	lockdep_assert_held(&qp->mutex);
	if (!dev->core->lag)
		return port;
	qp->lag_port = cxr_ecmp_port(true, atomic_inc_return(&dev->lag_next));
	return qp->lag_port;
}

static int init_dct(struct cxr_ib_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	struct cxr_ib_dev *dev = to_cxr_dev(qp->ibqp.device);
	struct cxr_dct *dct = &qp->dct->attr;
	bool atomic = attr->qp_access_flags & IB_ACCESS_REMOTE_ATOMIC;

	if (mask != (IB_QP_STATE | IB_QP_ACCESS_FLAGS | IB_QP_PKEY_INDEX | IB_QP_PORT) ||
	    attr->port_num != CXR_IB_PORT) {
		ibdev_dbg(&dev->ibdev, "DC target: to INIT with attribute mask %#x, port %u\n",
			  mask, attr->port_num);
		return -EINVAL;
	}
	if (atomic && !dev->core->caps.dc_atomic_mode) {
		ibdev_dbg(&dev->ibdev, "DC target: the device has no atomics\n");
		return -EOPNOTSUPP;
	}
	dct->remote_read = attr->qp_access_flags & IB_ACCESS_REMOTE_READ;
	dct->remote_write = attr->qp_access_flags & IB_ACCESS_REMOTE_WRITE;
	dct->atomic_mode = atomic ? dev->core->caps.dc_atomic_mode : 0;
	dct->pkey_index = attr->pkey_index;
	dct->port = choose_port(qp, attr->port_num);
	dct->q_counter = dev->q_set;
	return 0;
}

static int fill_dct_path(struct cxr_ib_qp *qp, const struct ib_qp_attr *attr)
{
	struct cxr_ib_dev *dev = to_cxr_dev(qp->ibqp.device);
	struct cxr_dct *dct = &qp->dct->attr;
	struct cxr_addr addr = {};
	int err;

	lockdep_assert_held(&qp->mutex);
	err = cxr_ib_addr_from_ah(dev, &attr->ah_attr, 0, 0, &addr);
	if (err)
		return err;
	dct->path = addr.path;
	dct->sgid_index = cxr_ecmp_index(addr.sgid_index, qp->lag_port, dev->gid_half);
	dct->mtu = attr->path_mtu;
	dct->min_rnr_timer = attr->min_rnr_timer;
	return 0;
}

static int check_start_dct(struct cxr_ib_qp *qp, const struct ib_qp_attr *attr, int mask,
			   const struct ib_udata *udata)
{
	struct ib_device *ibdev = qp->ibqp.device;

	if (!udata || udata->outlen < offsetofend(struct mlx5_ib_modify_qp_resp, dctn)) {
		ibdev_dbg(ibdev, "DC target: no room to tell its number\n");
		return -EINVAL;
	}
	if (mask != (IB_QP_STATE | IB_QP_MIN_RNR_TIMER | IB_QP_AV | IB_QP_PATH_MTU)) {
		ibdev_dbg(ibdev, "DC target: to RTR with attribute mask %#x\n", mask);
		return -EINVAL;
	}
	if (attr->path_mtu < IB_MTU_256 || attr->path_mtu > IB_MTU_4096 ||
	    attr->min_rnr_timer > RNR_TIMER_MAX) {
		ibdev_dbg(ibdev, "DC target: invalid path MTU %d or RNR timer %u\n",
			  attr->path_mtu, attr->min_rnr_timer);
		return -EINVAL;
	}
	return 0;
}

/* A shorter response is without the extensions. */
static int copy_resp_modify(u32 dctn, u32 ece, struct ib_udata *udata)
{
	struct mlx5_ib_modify_qp_resp resp = {
		.response_length = udata->outlen < sizeof(resp) ?
				   offsetofend(typeof(resp), dctn) : sizeof(resp),
		.dctn = dctn,
		.ece_options = ece,
	};

	return ib_copy_to_udata(udata, &resp, resp.response_length);
}

static int start_dct(struct cxr_ib_qp *qp, const struct ib_qp_attr *attr, int mask,
		     struct ib_udata *udata)
	__must_hold(&qp->mutex)
{
	struct cxr_ib_dev *dev = to_cxr_dev(qp->ibqp.device);
	u32 ece;
	int err;

	err = check_start_dct(qp, attr, mask, udata);
	err = err ?: fill_dct_path(qp, attr);
	err = err ?: cxr_cmd_create_dct(dev->core, &qp->dct->attr, &qp->qpn, &ece);
	if (err)
		return err;
	err = copy_resp_modify(qp->qpn, dev->core->caps.ece ? ece : 0, udata);
	if (err) {
		/* If the device keeps it, it is destroyed with the QP. */
		if (destroy_device_dct(qp))
			WRITE_ONCE(qp->state, IB_QPS_RTR);
		else
			cxr_ib_target_init(&qp->dct->target);
		return err;
	}
	cxr_ib_qp_set_sgid(qp, rdma_ah_read_grh(&attr->ah_attr)->sgid_index);
	return 0;
}

static int modify_dct_locked(struct cxr_ib_qp *qp, const struct ib_qp_attr *attr, int mask,
			     const struct mlx5_ib_modify_qp *req, struct ib_udata *udata)
	__must_hold(&qp->mutex)
{
	struct ib_device *ibdev = qp->ibqp.device;
	int err = -EINVAL;

	if (!(mask & IB_QP_STATE)) {
		ibdev_dbg(ibdev, "DC target: attribute mask %#x without a state\n", mask);
		return -EINVAL;
	}
	if (to_cxr_dev(ibdev)->core->caps.ece && req->ece_options)
		qp->dct->attr.ece = req->ece_options;
	if (qp->state == IB_QPS_RESET && attr->qp_state == IB_QPS_INIT)
		err = init_dct(qp, attr, mask);
	else if (qp->state == IB_QPS_INIT && attr->qp_state == IB_QPS_RTR)
		err = start_dct(qp, attr, mask, udata);
	else
		ibdev_dbg(ibdev, "DC target: invalid transition from state %d to %d\n", qp->state,
			  attr->qp_state);
	if (!err)
		WRITE_ONCE(qp->state, attr->qp_state);
	return err;
}

int cxr_ib_modify_dct(struct cxr_ib_qp *qp, const struct ib_qp_attr *attr, int mask,
		      struct ib_udata *udata)
{
	struct mlx5_ib_modify_qp req;
	int err;

	err = cxr_ib_read_req_modify(qp->ibqp.device, udata, &req);
	if (err)
		return err;
	mutex_lock(&qp->mutex);
	err = modify_dct_locked(qp, attr, mask, &req, udata);
	mutex_unlock(&qp->mutex);
	return err;
}

/* ---- queries ---- */

#define QUERY_MASK (IB_QP_STATE | IB_QP_ACCESS_FLAGS | IB_QP_PORT | IB_QP_MIN_RNR_TIMER | \
		    IB_QP_AV | IB_QP_PATH_MTU | IB_QP_PKEY_INDEX)

/* Its address is not told: ib_core does not pass on that of a QP that has no destination. */
static void tell_dct(const struct cxr_dct *dct, u32 port, struct ib_qp_attr *attr, int mask)
{
	if (mask & IB_QP_STATE)
		attr->qp_state = IB_QPS_RTR;
	if (mask & IB_QP_ACCESS_FLAGS)
		attr->qp_access_flags = (dct->remote_read ? IB_ACCESS_REMOTE_READ : 0) |
					(dct->remote_write ? IB_ACCESS_REMOTE_WRITE : 0) |
					(dct->atomic_mode ? IB_ACCESS_REMOTE_ATOMIC : 0);
	if (mask & IB_QP_PORT)
		attr->port_num = port;
	if (mask & IB_QP_PKEY_INDEX)
		attr->pkey_index = dct->pkey_index;
	if (mask & IB_QP_PATH_MTU)
		attr->path_mtu = dct->mtu;
	if (mask & IB_QP_MIN_RNR_TIMER)
		attr->min_rnr_timer = dct->min_rnr_timer;
}

int cxr_ib_query_dct(struct cxr_ib_qp *qp, struct ib_qp_attr *attr, int mask)
{
	struct ib_device *ibdev = qp->ibqp.device;
	struct cxr_dct dct;
	int err = -EINVAL;

	mutex_lock(&qp->mutex);
	if (qp->state == IB_QPS_RTR && !(mask & ~QUERY_MASK))
		err = cxr_cmd_query_dct(to_cxr_dev(ibdev)->core, qp->qpn, &dct);
	else
		ibdev_dbg(ibdev, "DC target: query in state %d with attribute mask %#x\n",
			  qp->state, mask);
	mutex_unlock(&qp->mutex);
	if (!err)
		tell_dct(&dct, qp->port, attr, mask);
	return err;
}
