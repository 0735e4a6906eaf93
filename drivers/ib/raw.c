// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Raw packet QPs, for user space only. In the device they are Ethernet queues: an SQ with a TIS,
 * and an RQ with a TIR that flow rules lead to. An RSS QP is only a TIR over an indirection table
 * of WQs (wq.c).
 *
 * The library keeps the two queues in separate buffers and uses the SQN as QPN, since its WQEs
 * contain it.
 *
 * The RQ accepts packets from INIT on; the library hands over what was posted at RTR.
 */
#include <linux/log2.h>
#include <linux/slab.h>
#include <rdma/restrack.h>

#include "cxr/rate.h"
#include "queue.h"

#define SEG sizeof(struct prm_wqe_data_seg)

/* ---- create and destroy ---- */

static int check_raw_attr(struct cxr_ib_dev *dev, const struct ib_qp_init_attr *attr)
{
	struct ib_device *ibdev = &dev->ibdev;
	const struct cxr_caps *caps = &dev->core->caps;
	u32 flags = caps->vlan ? IB_QP_CREATE_CVLAN_STRIPPING : 0;

	/* Granted without doing anything: a TIR does not hear its own transport domain. */
	if (!attr->rwq_ind_tbl)
		flags |= IB_QP_CREATE_BLOCK_MULTICAST_LOOPBACK;
	if (attr->create_flags & ~flags) {
		ibdev_dbg(ibdev, "raw packet QP: unsupported create flags %#x: %#x only\n",
			  attr->create_flags, flags);
		return -EOPNOTSUPP;
	}
	if (attr->srq) {
		ibdev_dbg(ibdev, "raw packet QP: SRQs are not supported\n");
		return -EOPNOTSUPP;
	}
	if (attr->cap.max_send_wr > BIT(caps->log_max_qp_sz) ||
	    attr->cap.max_recv_wr > BIT(caps->log_max_qp_sz)) {
		ibdev_dbg(ibdev, "raw packet QP: max_send_wr %u or max_recv_wr %u exceeds %lu\n",
			  attr->cap.max_send_wr, attr->cap.max_recv_wr, BIT(caps->log_max_qp_sz));
		return -EINVAL;
	}
	return 0;
}

/* In a LAG the TIS is assigned a port in turn, as QPs are. */
static int create_raw_tis(struct cxr_ib_dev *dev, struct cxr_ib_qp *qp)
{
	if (dev->core->lag)
		qp->lag_port = 1 + (u32)atomic_inc_return(&dev->lag_next) % CXR_LAG_PORTS;
	return cxr_cmd_create_tis(dev->core, qp->uid, qp->raw->tdn, 0, qp->lag_port,
				  &qp->raw->tisn);
}

static int create_raw_sq(struct cxr_ib_qp *qp, const struct ib_qp_init_attr *attr,
			 const struct mlx5_ib_create_qp *req, u32 user_index)
{
	struct cxr_ib_dev *dev = to_cxr_dev(qp->ibqp.device);
	struct cxr_ib_raw *raw = qp->raw;
	struct cxr_sq_attr sq = {
		.uid = qp->uid,
		.cqn = to_cxr_cq(attr->send_cq)->cq.cqn,
		.pdn = qp->pdn,
		.uar = req->bfreg_index,
		.user_index = user_index,
		.log_size = ilog2(req->sq_wqe_count),
		.mpw = dev->core->caps.mpw,
		.db_dma = qp->user_db.dma,
	};
	int err;

	err = cxr_cmd_query_min_inline(dev->core, &sq.min_inline_mode);
	if (err)
		return err;
	err = cxr_ib_queue_pin(dev, req->sq_buf_addr, (size_t)req->sq_wqe_count * CXR_WQE_BLOCK,
			       CXR_PAS_OFFSET_BITS_WQ, &raw->sq_queue);
	if (err)
		return err;
	err = create_raw_tis(dev, qp);
	if (err)
		goto err_unpin;
	sq.tisn = raw->tisn;
	sq.pas = raw->sq_queue.pas;
	err = cxr_cmd_create_sq(dev->core, &sq, &raw->sqn);
	if (err)
		goto err_destroy_tis;
	cxr_ib_queue_free_list(&raw->sq_queue);
	raw->sq_events.qp = &qp->ibqp;
	err = cxr_ib_register_event_target(dev, raw->sqn, &raw->sq_events);
	if (err)
		goto err_destroy_sq;
	raw->has_sq = true;
	raw->has_tis = true;
	return 0;

err_destroy_sq:
	if (cxr_cmd_destroy_sq(dev->core, qp->uid, raw->sqn))
		cxr_ib_queue_keep(&raw->sq_queue);
err_destroy_tis:
	cxr_cmd_destroy_tis(dev->core, qp->uid, raw->tisn);
err_unpin:
	cxr_ib_queue_unpin(&raw->sq_queue);
	return err;
}

static int create_raw_rq(struct cxr_ib_qp *qp, const struct ib_qp_init_attr *attr,
			 const struct mlx5_ib_create_qp *req, u32 user_index)
{
	struct cxr_ib_dev *dev = to_cxr_dev(qp->ibqp.device);
	struct cxr_ib_raw *raw = qp->raw;
	struct cxr_rq_attr rq = {
		.uid = qp->uid,
		.cqn = to_cxr_cq(attr->recv_cq)->cq.cqn,
		.pdn = qp->pdn,
		.user_index = user_index,
		.q_counter = dev->q_set,
		.log_size = ilog2(req->rq_wqe_count),
		.log_stride = req->rq_wqe_shift,
		.vlan_strip = attr->create_flags & IB_QP_CREATE_CVLAN_STRIPPING,
		.db_dma = qp->user_db.dma,
	};
	int err;

	err = cxr_ib_queue_pin(dev, req->buf_addr, (size_t)req->rq_wqe_count << req->rq_wqe_shift,
			       CXR_PAS_OFFSET_BITS_WQ, &qp->queue);
	if (err)
		return err;
	rq.pas = qp->queue.pas;
	err = cxr_cmd_create_rq(dev->core, &rq, &raw->rqn);
	if (err)
		goto err_unpin;
	cxr_ib_queue_free_list(&qp->queue);
	raw->tir_flags = cxr_ib_tir_flags(req->flags);
	err = cxr_cmd_create_direct_tir(dev->core, qp->uid, raw->tdn, raw->tir_flags, raw->rqn,
					&raw->tirn);
	if (err)
		goto err_destroy_rq;
	raw->rq_events.qp = &qp->ibqp;
	err = cxr_ib_register_event_target(dev, raw->rqn | CXR_IB_EVENT_KEY_RQ, &raw->rq_events);
	if (err)
		goto err_destroy_tir;

	qp->rq.size = req->rq_wqe_count;
	qp->rq.max_sge = BIT(req->rq_wqe_shift) / SEG;
	raw->has_rq = true;
	raw->has_tir = true;
	return 0;

err_destroy_tir:
	cxr_cmd_destroy_tir(dev->core, qp->uid, raw->tirn);
err_destroy_rq:
	if (cxr_cmd_destroy_rq(dev->core, qp->uid, raw->rqn))
		cxr_ib_queue_keep(&qp->queue);
err_unpin:
	cxr_ib_queue_unpin(&qp->queue);
	return err;
}

static void forget_rate(struct cxr_core *core, struct cxr_ib_raw *raw)
{
	if (raw->rate.kbps)
		cxr_rate_put(core, raw->rate_index);
	raw->rate = (struct cxr_rate){};
}

/* @again: if the device refuses, all is as before, and there will be another try. */
static int destroy_raw_rq(struct cxr_ib_qp *qp, bool again)
{
	struct cxr_ib_dev *dev = to_cxr_dev(qp->ibqp.device);
	struct cxr_ib_raw *raw = qp->raw;
	u32 key = raw->rqn | CXR_IB_EVENT_KEY_RQ;
	int err;

	cxr_ib_unregister_event_target(dev, key, &raw->rq_events);
	err = cxr_cmd_destroy_rq(dev->core, qp->uid, raw->rqn);
	if (err && again) {
		cxr_ib_register_event_target(dev, key, &raw->rq_events);
		return err;
	}
	if (err)
		cxr_ib_queue_keep(&qp->queue);
	cxr_ib_queue_unpin(&qp->queue);
	raw->has_rq = false;
	return 0;
}

static int destroy_raw_sq(struct cxr_ib_qp *qp, bool again)
{
	struct cxr_ib_dev *dev = to_cxr_dev(qp->ibqp.device);
	struct cxr_ib_raw *raw = qp->raw;
	int err;

	cxr_ib_unregister_event_target(dev, raw->sqn, &raw->sq_events);
	err = cxr_cmd_destroy_sq(dev->core, qp->uid, raw->sqn);
	if (err && again) {
		cxr_ib_register_event_target(dev, raw->sqn, &raw->sq_events);
		return err;
	}
	if (err)
		cxr_ib_queue_keep(&raw->sq_queue);
	forget_rate(dev->core, raw);
	cxr_ib_queue_unpin(&raw->sq_queue);
	raw->has_sq = false;
	return 0;
}

/*
 * Destroys what exists: the TIR stops packets, then the queues go, then their memory. @again: the
 * device may refuse something, then all before it has gone; the next try goes on from there.
 */
static int destroy_raw_queues(struct cxr_ib_qp *qp, bool again)
{
	struct cxr_core *core = to_cxr_dev(qp->ibqp.device)->core;
	struct cxr_ib_raw *raw = qp->raw;
	int err = 0;

	if (raw->has_tir) {
		err = cxr_cmd_destroy_tir(core, qp->uid, raw->tirn);
		raw->has_tir = err && again;
	}
	if (raw->has_rq && !raw->has_tir)
		err = destroy_raw_rq(qp, again);
	if (raw->has_sq)
		err = destroy_raw_sq(qp, again) ?: err;
	if (raw->has_tis && !raw->has_sq) {
		err = cxr_cmd_destroy_tis(core, qp->uid, raw->tisn) ?: err;
		raw->has_tis = err && again;
	}
	return again ? err : 0;
}

static int create_raw_queues(struct cxr_ib_qp *qp, struct cxr_ib_ucontext *ctx,
			     const struct ib_qp_init_attr *attr, struct ib_udata *udata)
{
	struct ib_device *ibdev = qp->ibqp.device;
	struct mlx5_ib_create_qp req;
	u32 user_index;
	u64 bytes;
	int err;

	/* @bytes is of no use: each queue has a buffer of its own. */
	err = cxr_ib_copy_req_qp(ctx, attr, udata, &req, &user_index, &bytes);
	if (err)
		return err;
	if ((req.sq_wqe_count && !attr->send_cq) || (req.rq_wqe_count && !attr->recv_cq)) {
		ibdev_dbg(ibdev, "raw packet QP: send or receive CQ is missing\n");
		return -EINVAL;
	}
	qp->uar = cxr_ib_uar_get(ctx, req.bfreg_index);
	if (!qp->uar) {
		ibdev_dbg(ibdev, "raw packet QP: UAR %u does not belong to this context\n",
			  req.bfreg_index);
		return -EINVAL;
	}
	err = cxr_ib_db_pin(ctx, req.db_addr, &qp->user_db);
	if (err)
		goto err_put_uar;

	err = req.sq_wqe_count ? create_raw_sq(qp, attr, &req, user_index) : 0;
	if (!err && req.rq_wqe_count)
		err = create_raw_rq(qp, attr, &req, user_index);
	if (err)
		goto err_destroy;
	qp->qpn = qp->raw->has_sq ? qp->raw->sqn : qp->raw->rqn;
	return 0;

err_destroy:
	destroy_raw_queues(qp, false);
	cxr_ib_db_unpin(ctx, &qp->user_db);
err_put_uar:
	cxr_ib_uar_put(qp->uar);
	qp->uar = NULL;
	return err;
}

int cxr_ib_destroy_raw(struct cxr_ib_qp *qp, struct cxr_ib_ucontext *ctx, bool again)
{
	int err;

	err = destroy_raw_queues(qp, again);
	if (err)
		return err;
	if (qp->raw->loopback)
		cxr_loopback_put(to_cxr_dev(qp->ibqp.device)->core);
	if (qp->uar) {
		cxr_ib_db_unpin(ctx, &qp->user_db);
		cxr_ib_uar_put(qp->uar);
	}
	kfree(qp->raw);
	return 0;
}

int cxr_ib_create_raw(struct cxr_ib_qp *qp, struct ib_qp_init_attr *attr, struct ib_udata *udata)
{
	struct cxr_ib_ucontext *ctx =
		rdma_udata_to_drv_context(udata, struct cxr_ib_ucontext, ibucontext);
	struct cxr_ib_dev *dev = to_cxr_dev(qp->ibqp.device);
	bool self;
	int err;

	if (!ctx) {
		ibdev_dbg(&dev->ibdev, "raw packet QPs: user space only\n");
		return -EOPNOTSUPP;
	}
	err = check_raw_attr(dev, attr);
	if (err)
		return err;

	cxr_ib_init_qp(qp, attr, true);
	qp->pdn = to_cxr_pd(qp->ibqp.pd)->pdn;
	qp->uid = to_cxr_pd(qp->ibqp.pd)->uid;
	qp->raw = kzalloc(sizeof(*qp->raw), GFP_KERNEL);
	if (!qp->raw)
		return -ENOMEM;
	err = cxr_ib_get_td(ctx, &qp->raw->tdn);
	if (err)
		goto err_free;
	err = attr->rwq_ind_tbl ? cxr_ib_create_rss_tir(qp, attr, udata) :
				  create_raw_queues(qp, ctx, attr, udata);
	if (err)
		goto err_free;
	qp->ibqp.qp_num = qp->qpn;
	/* An RSS QP has neither number nor state. */
	if (attr->rwq_ind_tbl)
		rdma_restrack_no_track(&qp->ibqp.res);

	self = qp->raw->tir_flags & (CXR_TIR_SELF_UNICAST | CXR_TIR_SELF_MULTICAST);
	err = self ? cxr_loopback_get(dev->core) : 0;
	qp->raw->loopback = self && !err;
	err = err ?: cxr_ib_copy_resp_qp(qp, udata);
	if (err) {
		cxr_ib_destroy_raw(qp, ctx, false);
		qp->raw = NULL;
	}
	return err;

err_free:
	kfree(qp->raw);
	qp->raw = NULL;
	return err;
}

/* ---- rates ---- */

static int read_rate(const struct cxr_ib_qp *qp, const struct ib_qp_attr *attr, int mask,
		     const struct mlx5_ib_burst_info *burst, struct cxr_rate *rate)
{
	*rate = qp->raw->rate;
	if (!(mask & IB_QP_RATE_LIMIT))
		return 0;
	*rate = (struct cxr_rate){
		.kbps = attr->rate_limit,
		.burst = burst->max_burst_sz,
		.typical = burst->typical_pkt_sz,
	};
	if (rate->kbps || (!rate->burst && !rate->typical))
		return 0;
	ibdev_dbg(qp->ibqp.device, "raw packet QP %#x: a burst without a rate limit\n", qp->qpn);
	return -EINVAL;
}

static bool same_rate(const struct cxr_rate *a, const struct cxr_rate *b)
{
	return a->kbps == b->kbps && a->burst == b->burst && a->typical == b->typical;
}

/* The send queue goes on, or begins, with this rate. */
static int set_raw_rate(struct cxr_core *core, struct cxr_ib_qp *qp, enum cxr_wq_state is,
			const struct cxr_rate *rate)
{
	struct cxr_ib_raw *raw = qp->raw;
	u16 index = 0;
	int err;

	if (rate->kbps) {
		err = cxr_rate_get(core, rate, &index);
		if (err)
			return err;
	}
	err = cxr_cmd_set_sq_rate(core, qp->uid, raw->sqn, is, CXR_WQ_RDY, index);
	if (err) {
		if (index)
			cxr_rate_put(core, index);
		return err;
	}
	forget_rate(core, raw);
	raw->rate = *rate;
	raw->rate_index = index;
	return 0;
}

static int start_raw_sq(struct cxr_core *core, struct cxr_ib_qp *qp, const struct cxr_rate *rate)
{
	const struct cxr_ib_raw *raw = qp->raw;
	enum cxr_wq_state is;
	int err;

	if (!raw->has_sq)
		return 0;
	err = cxr_cmd_query_sq(core, raw->sqn, &is);
	if (err)
		return err;
	/* After a reset the device may still have the rate of before. */
	if (!same_rate(rate, &raw->rate) || (raw->rate_index && !rate->kbps))
		return set_raw_rate(core, qp, is, rate);
	return is == CXR_WQ_RDY ? 0 :
				  cxr_cmd_modify_sq(core, qp->uid, raw->sqn, is, CXR_WQ_RDY);
}

/* ---- states ---- */

/*
 * Queries the state, since a queue may have moved to error by itself. One in reset has nothing to
 * flush, and cannot move to error.
 */
static int stop_raw_sq(struct cxr_core *core, struct cxr_ib_qp *qp, enum cxr_wq_state to)
{
	struct cxr_ib_raw *raw = qp->raw;
	enum cxr_wq_state is;
	int err;

	if (!raw->has_sq)
		return 0;
	err = cxr_cmd_query_sq(core, raw->sqn, &is);
	if (!err && is != to && (is != CXR_WQ_RST || to != CXR_WQ_ERR))
		err = cxr_cmd_modify_sq(core, qp->uid, raw->sqn, is, to);
	if (!err)
		forget_rate(core, raw);
	return err;
}

static int modify_raw_rq(struct cxr_core *core, struct cxr_ib_qp *qp, enum cxr_wq_state to)
{
	const struct cxr_ib_raw *raw = qp->raw;
	enum cxr_wq_state is;
	int err;

	if (!raw->has_rq)
		return 0;
	err = cxr_cmd_query_rq(core, raw->rqn, &is);
	if (err || is == to || (is == CXR_WQ_RST && to == CXR_WQ_ERR))
		return err;
	return cxr_cmd_modify_rq(core, qp->uid, raw->rqn, is, to);
}

static int modify_raw_queues(struct cxr_core *core, struct cxr_ib_qp *qp, enum ib_qp_state from,
			     enum ib_qp_state to, const struct cxr_rate *rate)
{
	enum cxr_wq_state queues = to == IB_QPS_RESET ? CXR_WQ_RST : CXR_WQ_ERR;
	int err;

	if (to == IB_QPS_INIT && from == IB_QPS_RESET)
		return modify_raw_rq(core, qp, CXR_WQ_RDY);
	if (to == IB_QPS_RTS)
		return from == IB_QPS_RTS && same_rate(rate, &qp->raw->rate) ? 0 :
			start_raw_sq(core, qp, rate);
	if (to != IB_QPS_RESET && to != IB_QPS_ERR)
		return 0;
	err = modify_raw_rq(core, qp, queues);
	return err ?: stop_raw_sq(core, qp, queues);
}

static int check_modify_raw(struct cxr_ib_qp *qp, const struct ib_qp_attr *attr, int mask,
			    enum ib_qp_state from, enum ib_qp_state to)
{
	struct ib_device *ibdev = qp->ibqp.device;

	if (qp->ibqp.rwq_ind_tbl) {
		ibdev_dbg(ibdev, "RSS QP: modify is not supported\n");
		return -EOPNOTSUPP;
	}
	if (to == IB_QPS_SQD || to == IB_QPS_SQE) {
		ibdev_dbg(ibdev, "raw packet QP %#x: states SQD and SQE are not supported\n",
			  qp->qpn);
		return -EOPNOTSUPP;
	}
	if (!ib_modify_qp_is_ok(from, to, IB_QPT_RAW_PACKET, mask)) {
		ibdev_dbg(ibdev,
			  "raw packet QP %#x: invalid transition from state %d to %d with attribute mask %#x\n",
			  qp->qpn, from, to, mask);
		return -EINVAL;
	}
	/* ib_core of newer kernels accepts it on other ways, too. */
	if (mask & IB_QP_RATE_LIMIT && to != IB_QPS_RTS) {
		ibdev_dbg(ibdev, "raw packet QP %#x: a rate limit needs RTS\n", qp->qpn);
		return -EINVAL;
	}
	if (mask & IB_QP_PORT && attr->port_num != CXR_IB_PORT) {
		ibdev_dbg(ibdev, "raw packet QP %#x: invalid port %u\n", qp->qpn, attr->port_num);
		return -EINVAL;
	}
	return 0;
}

int cxr_ib_modify_raw(struct cxr_ib_qp *qp, const struct ib_qp_attr *attr, int mask,
		      const struct mlx5_ib_burst_info *burst)
{
	struct cxr_core *core = to_cxr_dev(qp->ibqp.device)->core;
	enum ib_qp_state from, to;
	struct cxr_rate rate;
	int err;

	lockdep_assert_held(&qp->mutex);
	from = mask & IB_QP_CUR_STATE ? attr->cur_qp_state : qp->state;
	to = mask & IB_QP_STATE ? attr->qp_state : from;
	err = check_modify_raw(qp, attr, mask, from, to) ?:
	      read_rate(qp, attr, mask, burst, &rate);
	if (err)
		return err;

	err = modify_raw_queues(core, qp, from, to, &rate);
	/* A dead device needs no command. */
	if (err && cxr_core_dead(core) && (to == IB_QPS_ERR || to == IB_QPS_RESET))
		err = 0;
	if (!err)
		WRITE_ONCE(qp->state, to);
	return err;
}

static int query_raw_state(struct cxr_core *core, struct cxr_ib_qp *qp)
{
	enum cxr_wq_state sq = CXR_WQ_RST, rq = CXR_WQ_RST;
	int err = 0;

	if (qp->raw->has_sq)
		err = cxr_cmd_query_sq(core, qp->raw->sqn, &sq);
	if (!err && qp->raw->has_rq)
		err = cxr_cmd_query_rq(core, qp->raw->rqn, &rq);
	if (!err && (sq == CXR_WQ_ERR || rq == CXR_WQ_ERR))
		WRITE_ONCE(qp->state, IB_QPS_ERR);
	return err;
}

int cxr_ib_query_raw(struct cxr_ib_qp *qp, struct ib_qp_attr *attr, struct ib_qp_init_attr *init)
{
	struct ib_qp *ibqp = &qp->ibqp;
	int err;

	if (ibqp->rwq_ind_tbl) {
		ibdev_dbg(ibqp->device, "RSS QP: query is not supported\n");
		return -EOPNOTSUPP;
	}
	mutex_lock(&qp->mutex);
	/* After -EAGAIN, a dump of all QPs goes on with the next one. */
	err = qp->gone ? -EAGAIN : query_raw_state(to_cxr_dev(ibqp->device)->core, qp);
	attr->qp_state = qp->state;
	mutex_unlock(&qp->mutex);
	if (err)
		return err;

	attr->cur_qp_state = attr->qp_state;
	attr->port_num = qp->port;
	attr->path_mig_state = IB_MIG_MIGRATED;
	attr->cap.max_recv_wr = qp->rq.size;
	attr->cap.max_recv_sge = qp->rq.max_sge;
	init->qp_type = ibqp->qp_type;
	init->send_cq = ibqp->send_cq;
	init->recv_cq = ibqp->recv_cq;
	init->cap = attr->cap;
	init->sq_sig_type = qp->sig_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR;
	init->create_flags = qp->create_flags;
	return 0;
}
