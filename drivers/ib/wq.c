// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * WQs (receive queues without a QP), indirection tables of them, and RSS QPs, which spread packets
 * over such a table by a hash. All are for user space only; flow rules lead packets to an RSS QP
 * (flow.c).
 */
#include <linux/log2.h>
#include <linux/slab.h>

#include "queue.h"

#define HASH_KEY_BYTES 40

u32 cxr_ib_tir_flags(u32 qp_flags)
{
	return (qp_flags & MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_UC ? CXR_TIR_SELF_UNICAST : 0) |
	       (qp_flags & MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_MC ? CXR_TIR_SELF_MULTICAST : 0) |
	       (qp_flags & MLX5_QP_FLAG_TUNNEL_OFFLOADS ? CXR_TIR_TUNNELS : 0);
}

u32 cxr_ib_raw_qp_flags(const struct cxr_caps *caps)
{
	return MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_UC | MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_MC |
	       (caps->tunnel_vxlan || caps->tunnel_gre || caps->tunnel_geneve_rx ?
		MLX5_QP_FLAG_TUNNEL_OFFLOADS : 0);
}

bool cxr_ib_has_rss(const struct cxr_caps *caps)
{
	return caps->rss && caps->log_max_rqt_size;
}

/* ---- WQs ---- */

static int check_wq_attr(struct cxr_ib_dev *dev, const struct ib_wq_init_attr *attr)
{
	struct ib_device *ibdev = &dev->ibdev;

	if (attr->wq_type != IB_WQT_RQ) {
		ibdev_dbg(ibdev, "WQ: unsupported type %d: receive queues only\n", attr->wq_type);
		return -EOPNOTSUPP;
	}
	if (attr->create_flags & ~IB_WQ_FLAGS_CVLAN_STRIPPING ||
	    (attr->create_flags && !dev->core->caps.vlan)) {
		ibdev_dbg(ibdev, "WQ: unsupported flags %#x\n", attr->create_flags);
		return -EOPNOTSUPP;
	}
	if (!cxr_ib_has_rss(&dev->core->caps)) {
		ibdev_dbg(ibdev, "WQ: RSS is not supported by the device\n");
		return -EOPNOTSUPP;
	}
	return 0;
}

static int copy_req_wq(struct cxr_ib_dev *dev, struct ib_udata *udata,
		       struct mlx5_ib_create_wq *req)
{
	struct ib_device *ibdev = &dev->ibdev;
	static const struct cxr_ib_request request = {
		.what = "WQ",
		.size = sizeof(*req),
		.min_size = offsetofend(struct mlx5_ib_create_wq,
					single_stride_log_num_of_bytes),
		.unknown = -EOPNOTSUPP,
	};
	int err;

	err = cxr_ib_copy_req(ibdev, udata, &request, req);
	if (err)
		return err;
	if (req->comp_mask & ~MLX5_IB_CREATE_WQ_STRIDING_RQ || req->flags) {
		ibdev_dbg(ibdev,
			  "WQ: comp_mask %#x, flags %#x: signatures are not supported\n",
			  req->comp_mask, req->flags);
		return -EOPNOTSUPP;
	}
	if (req->comp_mask && !dev->core->caps.striding_rq) {
		ibdev_dbg(ibdev, "WQ: striding RQs are not supported by the device\n");
		return -EOPNOTSUPP;
	}
	return 0;
}

static int check_wq_size(struct cxr_ib_dev *dev, const struct ib_wq_init_attr *attr,
			 const struct mlx5_ib_create_wq *req, u64 *bytes)
{
	const struct cxr_limits limits = cxr_ib_limits(&dev->core->caps);
	const char *why;
	int err;

	if (attr->max_wr > BIT(dev->core->caps.log_max_wq_sz)) {
		ibdev_dbg(&dev->ibdev, "WQ: %u receive requests are too many\n", attr->max_wr);
		return -EINVAL;
	}
	err = cxr_limits_wq(&limits, req->rq_wqe_count, req->rq_wqe_shift, bytes, &why);
	if (!err && req->comp_mask & MLX5_IB_CREATE_WQ_STRIDING_RQ)
		err = cxr_limits_strides(&limits, req->single_stride_log_num_of_bytes,
					 req->single_wqe_log_num_of_strides, req->rq_wqe_shift,
					 &why);
	if (err)
		ibdev_dbg(&dev->ibdev,
			  "WQ: rq_wqe_count %u, rq_wqe_shift %u, strides of 2^%u, 2^%u: %s\n",
			  req->rq_wqe_count, req->rq_wqe_shift,
			  req->single_stride_log_num_of_bytes, req->single_wqe_log_num_of_strides,
			  why);
	return err;
}

static int copy_resp_wq(struct ib_udata *udata)
{
	struct mlx5_ib_create_wq_resp resp = {
		.response_length = min(udata->outlen, sizeof(resp)),
	};

	return ib_copy_to_udata(udata, &resp, resp.response_length);
}

/* @again: if the device refuses, all is as before, and there will be another try. */
static int destroy_rq(struct cxr_ib_rwq *rwq, bool again)
{
	struct cxr_ib_dev *dev = to_cxr_dev(rwq->ibwq.device);
	u32 key = rwq->rqn | CXR_IB_EVENT_KEY_RQ;
	int err;

	cxr_ib_unregister_event_target(dev, key, &rwq->events);
	err = cxr_cmd_destroy_rq(dev->core, rwq->uid, rwq->rqn);
	if (err && again) {
		cxr_ib_register_event_target(dev, key, &rwq->events);
		return err;
	}
	if (err)
		cxr_ib_queue_keep(&rwq->queue);
	return 0;
}

static int create_device_rq(struct cxr_ib_rwq *rwq, const struct ib_wq_init_attr *attr,
			    const struct mlx5_ib_create_wq *req, u32 pdn, u32 user_index)
{
	struct cxr_ib_dev *dev = to_cxr_dev(rwq->ibwq.device);
	struct cxr_rq_attr rq = {
		.uid = rwq->uid,
		.cqn = to_cxr_cq(attr->cq)->cq.cqn,
		.pdn = pdn,
		.user_index = user_index,
		.q_counter = dev->q_set,
		.log_size = ilog2(req->rq_wqe_count),
		.log_stride = req->rq_wqe_shift,
		.vlan_strip = attr->create_flags & IB_WQ_FLAGS_CVLAN_STRIPPING,
		.pas = rwq->queue.pas,
		.db_dma = rwq->db.dma,
	};
	int err;

	if (req->comp_mask & MLX5_IB_CREATE_WQ_STRIDING_RQ) {
		rq.log_strides = req->single_wqe_log_num_of_strides;
		rq.log_stride_bytes = req->single_stride_log_num_of_bytes;
		rq.two_byte_shift = req->two_byte_shift_en;
	}
	err = cxr_cmd_create_rq(dev->core, &rq, &rwq->rqn);
	if (err)
		return err;
	cxr_ib_queue_free_list(&rwq->queue);
	rwq->events.wq = &rwq->ibwq;
	err = cxr_ib_register_event_target(dev, rwq->rqn | CXR_IB_EVENT_KEY_RQ, &rwq->events);
	if (err && cxr_cmd_destroy_rq(dev->core, rwq->uid, rwq->rqn))
		cxr_ib_queue_keep(&rwq->queue);
	return err;
}

static int create_wq(struct cxr_ib_rwq *rwq, struct ib_pd *ibpd, struct cxr_ib_ucontext *ctx,
		     const struct ib_wq_init_attr *attr, struct ib_udata *udata)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibpd->device);
	struct mlx5_ib_create_wq req;
	u32 user_index;
	u64 bytes;
	int err;

	err = copy_req_wq(dev, udata, &req);
	err = err ?: check_wq_size(dev, attr, &req, &bytes);
	err = err ?: cxr_ib_check_uidx(ctx, true, req.user_index, &user_index);
	if (err)
		return err;
	err = cxr_ib_queue_pin(dev, req.buf_addr, bytes, CXR_PAS_OFFSET_BITS_WQ, &rwq->queue);
	if (err)
		return err;
	err = cxr_ib_db_pin(ctx, req.db_addr, &rwq->db);
	if (err)
		goto err_unpin;
	rwq->uid = to_cxr_pd(ibpd)->uid;
	err = create_device_rq(rwq, attr, &req, to_cxr_pd(ibpd)->pdn, user_index);
	if (err)
		goto err_unpin_db;
	err = copy_resp_wq(udata);
	if (err)
		goto err_destroy;
	return 0;

err_destroy:
	destroy_rq(rwq, false);
err_unpin_db:
	cxr_ib_db_unpin(ctx, &rwq->db);
err_unpin:
	cxr_ib_queue_unpin(&rwq->queue);
	return err;
}

struct ib_wq *cxr_ib_create_wq(struct ib_pd *ibpd, struct ib_wq_init_attr *attr,
			       struct ib_udata *udata)
{
	struct cxr_ib_ucontext *ctx =
		rdma_udata_to_drv_context(udata, struct cxr_ib_ucontext, ibucontext);
	struct cxr_ib_dev *dev = to_cxr_dev(ibpd->device);
	struct cxr_ib_rwq *rwq;
	int err;

	if (!ctx)
		return ERR_PTR(-EOPNOTSUPP);
	err = check_wq_attr(dev, attr);
	if (err)
		return ERR_PTR(err);
	rwq = kzalloc(sizeof(*rwq), GFP_KERNEL);
	if (!rwq)
		return ERR_PTR(-ENOMEM);

	mutex_init(&rwq->mutex);
	/* Events may come before ib_core sets these. */
	rwq->ibwq.device = &dev->ibdev;
	rwq->ibwq.event_handler = attr->event_handler;
	rwq->ibwq.wq_context = attr->wq_context;
	rwq->ibwq.state = IB_WQS_RESET;
	err = create_wq(rwq, ibpd, ctx, attr, udata);
	if (err) {
		mutex_destroy(&rwq->mutex);
		kfree(rwq);
		return ERR_PTR(err);
	}
	rwq->ibwq.wq_num = rwq->rqn;
	return &rwq->ibwq;
}

int cxr_ib_destroy_wq(struct ib_wq *ibwq, struct ib_udata *udata)
{
	struct cxr_ib_ucontext *ctx =
		rdma_udata_to_drv_context(udata, struct cxr_ib_ucontext, ibucontext);
	struct cxr_ib_rwq *rwq = to_cxr_rwq(ibwq);
	int err;

	cxr_ib_devx_settle(ctx);
	err = destroy_rq(rwq, cxr_ib_devx_holds(ctx));
	if (err)
		return err;
	cxr_ib_db_unpin(ctx, &rwq->db);
	cxr_ib_queue_unpin(&rwq->queue);
	mutex_destroy(&rwq->mutex);
	kfree(rwq);
	return 0;
}

/* ---- WQ states ---- */

static const enum cxr_wq_state device_states[] = {
	[IB_WQS_RESET] = CXR_WQ_RST,
	[IB_WQS_RDY] = CXR_WQ_RDY,
	[IB_WQS_ERR] = CXR_WQ_ERR,
};

static int check_modify_wq(struct cxr_ib_dev *dev, const struct ib_wq_attr *attr, u32 mask)
{
	if (mask & ~(IB_WQ_STATE | IB_WQ_CUR_STATE | IB_WQ_FLAGS) ||
	    (mask & IB_WQ_STATE && attr->wq_state > IB_WQS_ERR) ||
	    (mask & IB_WQ_CUR_STATE && attr->curr_wq_state > IB_WQS_ERR)) {
		ibdev_dbg(&dev->ibdev, "WQ: invalid attribute mask %#x or state %d\n", mask,
			  attr->wq_state);
		return -EINVAL;
	}
	if (mask & IB_WQ_FLAGS &&
	    (attr->flags_mask & ~IB_WQ_FLAGS_CVLAN_STRIPPING ||
	     (attr->flags_mask && !dev->core->caps.vlan))) {
		ibdev_dbg(&dev->ibdev, "WQ: flags %#x cannot be changed\n", attr->flags_mask);
		return -EOPNOTSUPP;
	}
	return 0;
}

static int modify_wq(struct cxr_ib_rwq *rwq, const struct ib_wq_attr *attr, u32 mask)
{
	struct ib_device *ibdev = rwq->ibwq.device;
	struct cxr_core *core = to_cxr_dev(ibdev)->core;
	enum cxr_wq_state is, to;
	int err;

	err = cxr_cmd_query_rq(core, rwq->rqn, &is);
	if (err)
		return err;
	to = mask & IB_WQ_STATE ? device_states[attr->wq_state] : is;
	if ((mask & IB_WQ_CUR_STATE && device_states[attr->curr_wq_state] != is) ||
	    (is == CXR_WQ_RST && to == CXR_WQ_ERR) || (is == CXR_WQ_ERR && to == CXR_WQ_RDY)) {
		ibdev_dbg(ibdev, "WQ %#x: invalid transition from state %d to %d\n", rwq->rqn, is,
			  to);
		return -EINVAL;
	}
	/* One command for both: it is not done by half. */
	if (mask & IB_WQ_FLAGS && attr->flags_mask)
		err = cxr_cmd_set_rq_strip(core, rwq->uid, rwq->rqn, is, to,
					   attr->flags & IB_WQ_FLAGS_CVLAN_STRIPPING);
	else if (is != to)
		err = cxr_cmd_modify_rq(core, rwq->uid, rwq->rqn, is, to);
	if (!err && mask & IB_WQ_STATE)
		rwq->ibwq.state = attr->wq_state;
	return err;
}

int cxr_ib_modify_wq(struct ib_wq *ibwq, struct ib_wq_attr *attr, u32 mask, struct ib_udata *udata)
{
	static const struct cxr_ib_request request = { .what = "WQ", .unknown = -EOPNOTSUPP };
	struct cxr_ib_rwq *rwq = to_cxr_rwq(ibwq);
	int err;

	err = cxr_ib_copy_req(ibwq->device, udata, &request, NULL);
	if (err)
		return err;
	err = check_modify_wq(to_cxr_dev(ibwq->device), attr, mask);
	if (err)
		return err;
	mutex_lock(&rwq->mutex);
	err = modify_wq(rwq, attr, mask);
	mutex_unlock(&rwq->mutex);
	return err;
}

/* ---- indirection tables ---- */

int cxr_ib_create_ind_table(struct ib_rwq_ind_table *ibtable,
			    struct ib_rwq_ind_table_init_attr *attr, struct ib_udata *udata)
{
	static const struct cxr_ib_request request = {
		.what = "RWQ indirection table",
		.unknown = -EOPNOTSUPP,
	};
	struct cxr_ib_dev *dev = to_cxr_dev(ibtable->device);
	struct cxr_ib_ind_table *table = to_cxr_ind_table(ibtable);
	struct mlx5_ib_create_rwq_ind_tbl_resp resp = {};
	const struct cxr_caps *caps = &dev->core->caps;
	u32 i, n, *rqns;
	int err;

	err = cxr_ib_copy_req(&dev->ibdev, udata, &request, NULL);
	if (err)
		return err;
	if (attr->log_ind_tbl_size > caps->log_max_rqt_size ||
	    BIT(attr->log_ind_tbl_size) > caps->rss_ind_tbl_max) {
		ibdev_dbg(&dev->ibdev, "RWQ indirection table: 2^%u entries are too many\n",
			  attr->log_ind_tbl_size);
		return -EINVAL;
	}

	table->uid = to_cxr_rwq(attr->ind_tbl[0])->uid;
	n = BIT(attr->log_ind_tbl_size);
	rqns = kcalloc(n, sizeof(*rqns), GFP_KERNEL);
	if (!rqns)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		rqns[i] = to_cxr_rwq(attr->ind_tbl[i])->rqn;
	err = cxr_cmd_create_rqt(dev->core, table->uid, rqns, n, &table->rqtn);
	kfree(rqns);
	if (err)
		return err;

	ibtable->ind_tbl_num = table->rqtn;
	resp.response_length = min(udata->outlen, sizeof(resp));
	err = ib_copy_to_udata(udata, &resp, resp.response_length);
	if (err)
		cxr_cmd_destroy_rqt(dev->core, table->uid, table->rqtn);
	return err;
}

int cxr_ib_destroy_ind_table(struct ib_rwq_ind_table *ibtable)
{
	struct cxr_ib_ind_table *table = to_cxr_ind_table(ibtable);
	struct cxr_ib_ucontext *ctx = to_cxr_ucontext(ibtable->uobject->context);
	int err;

	cxr_ib_devx_settle(ctx);
	err = cxr_cmd_destroy_rqt(to_cxr_dev(ibtable->device)->core, table->uid, table->rqtn);
	return cxr_ib_devx_holds(ctx) ? err : 0;
}

/* ---- RSS QPs ---- */

#define IPV4_FIELDS (MLX5_RX_HASH_SRC_IPV4 | MLX5_RX_HASH_DST_IPV4)
#define IPV6_FIELDS (MLX5_RX_HASH_SRC_IPV6 | MLX5_RX_HASH_DST_IPV6)
#define TCP_FIELDS (MLX5_RX_HASH_SRC_PORT_TCP | MLX5_RX_HASH_DST_PORT_TCP)
#define UDP_FIELDS (MLX5_RX_HASH_SRC_PORT_UDP | MLX5_RX_HASH_DST_PORT_UDP)

u64 cxr_ib_hash_fields(void)
{
	return IPV4_FIELDS | IPV6_FIELDS | TCP_FIELDS | UDP_FIELDS | MLX5_RX_HASH_INNER;
}

static int copy_req_rss(struct cxr_ib_dev *dev, struct ib_udata *udata,
			struct mlx5_ib_create_qp_rss *req)
{
	static const struct cxr_ib_request request = {
		.what = "RSS QP",
		.size = sizeof(*req),
		.min_size = offsetofend(struct mlx5_ib_create_qp_rss, comp_mask),
		.unknown = -EINVAL,
	};
	struct ib_device *ibdev = &dev->ibdev;
	u32 flags;
	int err;

	err = cxr_ib_copy_req(ibdev, udata, &request, req);
	if (err)
		return err;
	if (memchr_inv(req->reserved, 0, sizeof(req->reserved))) {
		ibdev_dbg(ibdev, "RSS QP: reserved fields are not zero\n");
		return -EINVAL;
	}
	flags = req->flags & ~cxr_ib_raw_qp_flags(&dev->core->caps);
	if (req->comp_mask || flags) {
		ibdev_dbg(ibdev, "RSS QP: unsupported comp_mask %#x or flags %#x\n", req->comp_mask,
			  flags);
		return flags & ~MLX5_QP_FLAG_TUNNEL_OFFLOADS ? -EINVAL : -EOPNOTSUPP;
	}
	return 0;
}

/* The hash covers one IP version and one L4 protocol, or nothing with a table of one WQ. */
static int check_req_rss(struct ib_device *ibdev, const struct mlx5_ib_create_qp_rss *req,
			 const struct ib_rwq_ind_table *table)
{
	u64 mask = req->rx_hash_fields_mask;

	if (req->rx_hash_function != MLX5_RX_HASH_FUNC_TOEPLITZ) {
		ibdev_dbg(ibdev, "RSS QP: unsupported hash function %u: Toeplitz only\n",
			  req->rx_hash_function);
		return -EOPNOTSUPP;
	}
	if (mask & ~cxr_ib_hash_fields()) {
		ibdev_dbg(ibdev, "RSS QP: unsupported hash fields %#llx\n",
			  mask & ~cxr_ib_hash_fields());
		return -EOPNOTSUPP;
	}
	if (mask & MLX5_RX_HASH_INNER && !(req->flags & MLX5_QP_FLAG_TUNNEL_OFFLOADS)) {
		ibdev_dbg(ibdev, "RSS QP: a hash of inner headers, but no tunnel offloads\n");
		return -EOPNOTSUPP;
	}
	if (req->rx_key_len != HASH_KEY_BYTES) {
		ibdev_dbg(ibdev, "RSS QP: invalid hash key length %u: must be %u\n",
			  req->rx_key_len, HASH_KEY_BYTES);
		return -EINVAL;
	}
	if ((mask & IPV4_FIELDS && mask & IPV6_FIELDS) ||
	    (mask & TCP_FIELDS && mask & UDP_FIELDS) || (!mask && table->log_ind_tbl_size)) {
		ibdev_dbg(ibdev, "RSS QP: invalid hash fields %#llx for a table of 2^%u WQs\n",
			  mask, table->log_ind_tbl_size);
		return -EINVAL;
	}
	return 0;
}

static u32 device_hash_fields(u64 mask)
{
	u32 fields = 0;

	if (mask & (MLX5_RX_HASH_SRC_IPV4 | MLX5_RX_HASH_SRC_IPV6))
		fields |= CXR_HASH_SRC_IP;
	if (mask & (MLX5_RX_HASH_DST_IPV4 | MLX5_RX_HASH_DST_IPV6))
		fields |= CXR_HASH_DST_IP;
	if (mask & (MLX5_RX_HASH_SRC_PORT_TCP | MLX5_RX_HASH_SRC_PORT_UDP))
		fields |= CXR_HASH_SPORT;
	if (mask & (MLX5_RX_HASH_DST_PORT_TCP | MLX5_RX_HASH_DST_PORT_UDP))
		fields |= CXR_HASH_DPORT;
	if (mask & IPV6_FIELDS)
		fields |= CXR_HASH_IPV6;
	if (mask & UDP_FIELDS)
		fields |= CXR_HASH_UDP;
	if (mask & MLX5_RX_HASH_INNER)
		fields |= CXR_HASH_INNER;
	return fields;
}

int cxr_ib_create_rss_tir(struct cxr_ib_qp *qp, const struct ib_qp_init_attr *attr,
			  struct ib_udata *udata)
{
	struct cxr_ib_dev *dev = to_cxr_dev(qp->ibqp.device);
	struct mlx5_ib_create_qp_rss req;
	int err;

	if (attr->create_flags) {
		ibdev_dbg(&dev->ibdev,
			  "RSS QP: unsupported create flags %#x: they belong to the WQs\n",
			  attr->create_flags);
		return -EOPNOTSUPP;
	}
	err = copy_req_rss(dev, udata, &req);
	err = err ?: check_req_rss(&dev->ibdev, &req, attr->rwq_ind_tbl);
	if (err)
		return err;

	qp->raw->tir_flags = cxr_ib_tir_flags(req.flags);
	err = cxr_cmd_create_hash_tir(dev->core, qp->uid, qp->raw->tdn, qp->raw->tir_flags,
				      device_hash_fields(req.rx_hash_fields_mask),
				      to_cxr_ind_table(attr->rwq_ind_tbl)->rqtn, req.rx_hash_key,
				      &qp->raw->tirn);
	if (!err)
		qp->raw->has_tir = true;
	return err;
}
