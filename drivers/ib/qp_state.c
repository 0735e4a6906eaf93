// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Queue pairs: transitions and queries. */
#include <linux/etherdevice.h>
#include <linux/log2.h>
#include <net/netlink.h>
#include <rdma/restrack.h>

#include "queue.h"

#define LOG_DATAGRAM_MAX 12	/* a datagram is one packet of at most 4096 bytes */

static int device_state(enum ib_qp_state state, enum cxr_qp_state *device)
{
	static const enum cxr_qp_state states[] = {
		[IB_QPS_RESET] = CXR_QPS_RST,
		[IB_QPS_INIT] = CXR_QPS_INIT,
		[IB_QPS_RTR] = CXR_QPS_RTR,
		[IB_QPS_RTS] = CXR_QPS_RTS,
		[IB_QPS_SQD] = CXR_QPS_SQD,
		[IB_QPS_SQE] = CXR_QPS_SQER,
		[IB_QPS_ERR] = CXR_QPS_ERR,
	};

	if (state >= ARRAY_SIZE(states))
		return -EINVAL;
	*device = states[state];
	return 0;
}

static enum ib_qp_state ib_state(enum cxr_qp_state state)
{
	switch (state) {
	case CXR_QPS_RST:
		return IB_QPS_RESET;
	case CXR_QPS_INIT:
		return IB_QPS_INIT;
	case CXR_QPS_RTR:
		return IB_QPS_RTR;
	case CXR_QPS_RTS:
		return IB_QPS_RTS;
	case CXR_QPS_SQER:
		return IB_QPS_SQE;
	case CXR_QPS_SQD:
		return IB_QPS_SQD;
	default:
		return IB_QPS_ERR;
	}
}

/* ---- modify ---- */

static const struct {
	int mask;
	u32 opt;
} opts_of_mask[] = {
	{ IB_QP_ACCESS_FLAGS, CXR_QP_OPT_ACCESS | CXR_QP_OPT_WRITE },
	{ IB_QP_MAX_DEST_RD_ATOMIC, CXR_QP_OPT_ACCESS | CXR_QP_OPT_MAX_DEST_RD },
	{ IB_QP_PKEY_INDEX, CXR_QP_OPT_PKEY },
	{ IB_QP_PORT, CXR_QP_OPT_PORT },
	{ IB_QP_QKEY, CXR_QP_OPT_QKEY },
	{ IB_QP_MIN_RNR_TIMER, CXR_QP_OPT_RNR_TIMER },
};

/*
 * Optional parts of a transition. The device accepts one only where the PRM lists it: the same
 * attribute is required in one transition, optional or forbidden in another.
 */
static u32 optional_parts(enum cxr_qp_type type, enum ib_qp_state from, enum ib_qp_state to)
{
	bool reliable = type == CXR_QP_RC || type == CXR_QP_XRC;
	u32 own = reliable ? CXR_QP_OPT_ACCESS :
		  type == CXR_QP_UC ? CXR_QP_OPT_WRITE : CXR_QP_OPT_QKEY;

	if (type == CXR_QP_DCI)
		return 0;
	if (from == IB_QPS_INIT && to == IB_QPS_INIT)
		return own | CXR_QP_OPT_PKEY | CXR_QP_OPT_PORT;
	if (from == IB_QPS_INIT && to == IB_QPS_RTR)
		return own | CXR_QP_OPT_PKEY;
	if (to == IB_QPS_RTS && from >= IB_QPS_RTR && from <= IB_QPS_SQE)
		return own | (reliable ? CXR_QP_OPT_RNR_TIMER : 0);
	return 0;
}

static u32 opts_of_attr(const struct cxr_ib_qp *qp, int mask, enum ib_qp_state from,
			enum ib_qp_state to)
{
	unsigned int i;
	u32 opts = 0;

	for (i = 0; i < ARRAY_SIZE(opts_of_mask); i++)
		if (mask & opts_of_mask[i].mask)
			opts |= opts_of_mask[i].opt;
	return opts & optional_parts(qp->type, from, to);
}

static int check_transition(const struct cxr_ib_qp *qp, const struct ib_qp_attr *attr, int mask,
			    enum ib_qp_state from, enum ib_qp_state to)
{
	struct ib_device *ibdev = qp->ibqp.device;
	bool dci = qp->type == CXR_QP_DCI;

	if (!dci && mask & (IB_QP_ALT_PATH | IB_QP_RATE_LIMIT | IB_QP_CAP)) {
		ibdev_dbg(ibdev,
			  "QP %#x: alternate path, rate limit and resize are not supported\n",
			  qp->qpn);
		return -EOPNOTSUPP;
	}
	if (!dci && mask & IB_QP_PATH_MIG_STATE && attr->path_mig_state != IB_MIG_MIGRATED) {
		ibdev_dbg(ibdev, "QP %#x: path migration is not supported\n", qp->qpn);
		return -EOPNOTSUPP;
	}
	if (!dci && to == IB_QPS_SQD) {
		ibdev_dbg(ibdev, "QP %#x: state SQD is not supported\n", qp->qpn);
		return -EOPNOTSUPP;
	}
	if (dci ? !cxr_ib_dci_may(from, to, mask) :
		  !ib_modify_qp_is_ok(from, to, qp->ibqp.qp_type, mask)) {
		ibdev_dbg(ibdev,
			  "QP %#x: invalid transition from state %d to %d with attribute mask %#x\n",
			  qp->qpn, from, to, mask);
		return -EINVAL;
	}
	return 0;
}

static int check_modify_qp(struct cxr_ib_qp *qp, const struct ib_qp_attr *attr, int mask,
			   enum ib_qp_state from, enum ib_qp_state to)
{
	struct cxr_ib_dev *dev = to_cxr_dev(qp->ibqp.device);
	struct ib_device *ibdev = &dev->ibdev;
	const struct cxr_caps *caps = &dev->core->caps;
	u8 log_max_rd = qp->type == CXR_QP_DCI ? caps->log_max_ra_res_dc : caps->log_max_ra_res_qp;
	int err;

	err = check_transition(qp, attr, mask, from, to);
	if (err)
		return err;
	if ((mask & IB_QP_PORT && attr->port_num != CXR_IB_PORT) ||
	    (mask & IB_QP_PKEY_INDEX && attr->pkey_index)) {
		ibdev_dbg(ibdev, "QP %#x: invalid port %u or pkey index %u\n", qp->qpn,
			  attr->port_num, attr->pkey_index);
		return -EINVAL;
	}
	if ((mask & IB_QP_MAX_QP_RD_ATOMIC && attr->max_rd_atomic > BIT(log_max_rd)) ||
	    (mask & IB_QP_MAX_DEST_RD_ATOMIC &&
	     attr->max_dest_rd_atomic > BIT(caps->log_max_ra_req_qp))) {
		ibdev_dbg(ibdev, "QP %#x: max_rd_atomic %u or max_dest_rd_atomic %u is too large\n",
			  qp->qpn, attr->max_rd_atomic, attr->max_dest_rd_atomic);
		return -EINVAL;
	}
	if (mask & IB_QP_PATH_MTU &&
	    (attr->path_mtu < IB_MTU_256 || attr->path_mtu > IB_MTU_4096)) {
		ibdev_dbg(ibdev, "QP %#x: invalid path MTU %d\n", qp->qpn, attr->path_mtu);
		return -EINVAL;
	}
	return 0;
}

/* A peer without outstanding reads may not read, whatever the access flags say. */
static void fill_access(struct cxr_ib_qp *qp, const struct ib_qp_attr *attr, int mask,
			struct cxr_qp_mod *mod)
	__must_hold(&qp->mutex)
{
	const struct cxr_caps *caps = &to_cxr_dev(qp->ibqp.device)->core->caps;
	u8 dest_rd = mask & IB_QP_MAX_DEST_RD_ATOMIC ? attr->max_dest_rd_atomic : qp->dest_rd;
	int access = mask & IB_QP_ACCESS_FLAGS ? attr->qp_access_flags : qp->access;

	mod->remote_write = access & IB_ACCESS_REMOTE_WRITE;
	mod->remote_read = dest_rd && access & IB_ACCESS_REMOTE_READ;
	mod->remote_atomic = dest_rd && caps->atomic && access & IB_ACCESS_REMOTE_ATOMIC;
	mod->log_max_dest_rd = dest_rd ? order_base_2(dest_rd) : 0;
}

static int fill_path(struct cxr_ib_qp *qp, const struct ib_qp_attr *attr, int mask,
		     struct cxr_qp_mod *mod)
	__must_hold(&qp->mutex)
{
	struct cxr_ib_dev *dev = to_cxr_dev(qp->ibqp.device);
	int err;

	if (mask & (IB_QP_PORT | IB_QP_AV) || qp->type == CXR_QP_GSI)
		mod->port = qp->port;
	if (mask & IB_QP_AV) {
		err = cxr_ib_addr_from_ah(dev, &attr->ah_attr, qp->qpn,
					  mask & IB_QP_DEST_QPN ? attr->dest_qp_num : qp->dest_qpn,
					  &mod->addr);
		if (err)
			return err;
		if (is_multicast_ether_addr(mod->addr.dmac)) {
			ibdev_dbg(&dev->ibdev,
				  "QP %#x: multicast destination MAC %pM for a connection\n",
				  qp->qpn, mod->addr.dmac);
			return -EINVAL;
		}
		mod->addr.sgid_index = cxr_ecmp_index(mod->addr.sgid_index, qp->lag_port,
						      dev->gid_half);
	}
	if (mask & IB_QP_TIMEOUT)
		mod->addr.ack_timeout = attr->timeout;
	return 0;
}

static void fill_mtu(const struct cxr_ib_qp *qp, const struct ib_qp_attr *attr, int mask,
		     struct cxr_qp_mod *mod)
{
	switch (qp->type) {
	case CXR_QP_GSI:
		/* A MAD is 256 bytes. */
		mod->mtu = IB_MTU_256;
		mod->log_msg_max = 8;
		break;
	case CXR_QP_UD:
		mod->mtu = IB_MTU_4096;
		mod->log_msg_max = LOG_DATAGRAM_MAX;
		break;
	default:
		if (!(mask & IB_QP_PATH_MTU))
			break;
		mod->mtu = attr->path_mtu;
		mod->log_msg_max = to_cxr_dev(qp->ibqp.device)->core->caps.log_max_msg;
		break;
	}
}

static u8 next_lag_port(struct cxr_ib_dev *dev, const struct cxr_ib_qp *qp)
{
	bool connected = !dev->gid_half || qp->type != CXR_QP_UD;

	return cxr_ecmp_port(connected, connected ? atomic_inc_return(&dev->lag_next) : 0);
}

/*
 * In a LAG each QP is assigned a port in turn on its way to INIT; the port map of the LAG says
 * where that leads. A flow label on the way to RTR requests the port that the bond would choose for
 * it. MADs follow the map of the function's own port. In an ECMP LAG the port is part of the QP's
 * address and does not change. In hash mode no QP is assigned a port: the flow label is in the UDP
 * source port, which is hashed.
 */
static u32 choose_lag_port(struct cxr_ib_qp *qp, const struct ib_qp_attr *attr, int mask,
			   enum ib_qp_state from, enum ib_qp_state to, struct cxr_qp_mod *mod)
{
	struct cxr_ib_dev *dev = to_cxr_dev(qp->ibqp.device);
	const struct cxr_core *core = dev->core;
	u8 port;

	if (!core->lag || core->lag->hash || qp->type == CXR_QP_GSI)
		return 0;
	if (from == IB_QPS_RESET && to == IB_QPS_INIT) {
		mod->lag_port = next_lag_port(dev, qp);
		return 0;
	}
	if (from != IB_QPS_INIT || to != IB_QPS_RTR || !(mask & IB_QP_AV) ||
	    qp->type == CXR_QP_DCI || !core->caps.lag_affinity_rtr || core->lag->ecmp)
		return 0;
	port = cxr_lag_port_of(core, attr->xmit_slave);
	if (!port)
		return 0;
	mod->lag_port = port;
	return CXR_QP_OPT_LAG_PORT;
}

/* Only what @mask and the transition change: the rest stays zero. */
static int fill_mod(struct cxr_ib_qp *qp, const struct ib_qp_attr *attr, int mask,
		    enum ib_qp_state from, struct cxr_qp_mod *mod)
	__must_hold(&qp->mutex)
{
	mod->type = qp->type;
	mod->pdn = qp->pdn;
	if (from == IB_QPS_RESET)
		mod->q_counter = cxr_ib_qp_q_set(qp);
	/* As the in-tree driver: those of an initiator of DC transport are not told again. */
	if (qp->type != CXR_QP_DCI) {
		mod->cqn_snd = qp->cqn_snd;
		mod->cqn_rcv = qp->cqn_rcv;
		if (from == IB_QPS_RESET)
			mod->db_dma = qp->user ? qp->user_db.dma : qp->db.dma;
	}

	if (mask & IB_QP_QKEY)
		mod->qkey = attr->qkey;
	if (mask & IB_QP_DEST_QPN)
		mod->dest_qpn = attr->dest_qp_num;
	if (mask & IB_QP_RQ_PSN)
		mod->rq_psn = attr->rq_psn;
	if (mask & IB_QP_SQ_PSN)
		mod->sq_psn = attr->sq_psn;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC && attr->max_rd_atomic)
		mod->log_max_rd = order_base_2(attr->max_rd_atomic);
	if (mask & IB_QP_MIN_RNR_TIMER)
		mod->min_rnr_timer = attr->min_rnr_timer;
	if (mask & IB_QP_RETRY_CNT)
		mod->retry_cnt = attr->retry_cnt;
	if (mask & IB_QP_RNR_RETRY)
		mod->rnr_retry = attr->rnr_retry;
	if (mask & (IB_QP_ACCESS_FLAGS | IB_QP_MAX_DEST_RD_ATOMIC))
		fill_access(qp, attr, mask, mod);
	fill_mtu(qp, attr, mask, mod);
	return fill_path(qp, attr, mask, mod);
}

/* The device starts at index 0 again. User space resets its own queues. */
static void reset_queues(struct cxr_ib_qp *qp)
{
	if (qp->user)
		return;

	cxr_ib_cq_clean_qp(qp, false);
	spin_lock_irq(&qp->sq.lock);
	qp->after_umr = false;
	qp->db.rec[1] = 0;
	spin_unlock_irq(&qp->sq.lock);
	spin_lock_irq(&qp->rq.lock);
	qp->db.rec[0] = 0;
	spin_unlock_irq(&qp->rq.lock);
}

static void save_path(struct cxr_ib_qp *qp, const struct rdma_ah_attr *ah, u8 dscp)
	__must_hold(&qp->mutex)
{
	if (!qp->user)
		cxr_ib_cq_set_peer(qp, rdma_ah_read_grh(ah)->dgid.raw);
	cxr_ib_qp_set_sgid(qp, rdma_ah_read_grh(ah)->sgid_index);
	cxr_ib_force_path(ah, &qp->path);
	qp->dscp = dscp;
}

static void save_qp_attr(struct cxr_ib_qp *qp, const struct ib_qp_attr *attr, int mask,
			 const struct cxr_qp_mod *mod, enum ib_qp_state state)
	__must_hold(&qp->mutex)
{
	if (mask & IB_QP_ACCESS_FLAGS)
		qp->access = attr->qp_access_flags;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		qp->dest_rd = attr->max_dest_rd_atomic;
	if (mask & IB_QP_DEST_QPN)
		qp->dest_qpn = attr->dest_qp_num;
	if (mask & IB_QP_AV)
		save_path(qp, &attr->ah_attr, mod->addr.path.dscp);
	WRITE_ONCE(qp->state, state);
	if (state == IB_QPS_RESET) {
		cxr_ib_qp_set_sgid(qp, -1);
		reset_queues(qp);
	}
}

static int modify_qp_locked(struct cxr_ib_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	struct cxr_ib_dev *dev = to_cxr_dev(qp->ibqp.device);
	enum ib_qp_state from, to;
	enum cxr_qp_state device_from, device_to;
	struct cxr_qp_mod mod = {};
	u32 opts;
	int err;

	lockdep_assert_held(&qp->mutex);
	from = mask & IB_QP_CUR_STATE ? attr->cur_qp_state : qp->state;
	to = mask & IB_QP_STATE ? attr->qp_state : from;
	if (device_state(from, &device_from) || device_state(to, &device_to))
		return -EINVAL;
	err = check_modify_qp(qp, attr, mask, from, to);
	if (err)
		return err;

	/* RESET to RESET needs no command. */
	if (from == IB_QPS_RESET && to == IB_QPS_RESET)
		return 0;

	err = fill_mod(qp, attr, mask, from, &mod);
	if (err)
		return err;
	opts = opts_of_attr(qp, mask, from, to) | choose_lag_port(qp, attr, mask, from, to, &mod);
	err = cxr_cmd_modify_qp(dev->core, qp->uid, qp->qpn, device_from, device_to, &mod, opts);
	/*
	 * Draining a QP is moving it to ERR and waiting for a work request posted after that. It
	 * must work on a dead device as well: poll flushes the queues.
	 */
	if (err && cxr_core_dead(dev->core) && (to == IB_QPS_ERR || to == IB_QPS_RESET)) {
		schedule_work(&dev->flush_work);
		/* Draining a QP with an SRQ waits for this event instead. */
		if (qp->ibqp.srq && to == IB_QPS_ERR)
			cxr_ib_dispatch_qp_event(qp, IB_EVENT_QP_LAST_WQE_REACHED);
		err = 0;
	}
	if (err)
		return err;

	save_qp_attr(qp, attr, mask, &mod, to);
	cxr_ib_counter_qp_modified(qp, from, to);
	if (mod.lag_port)
		qp->lag_port = mod.lag_port;
	/* The rules may have changed since the path was set. */
	if (to == IB_QPS_RTS && cxr_ib_force_qp(qp))
		ibdev_warn_ratelimited(&dev->ibdev,
				       "QP %#x: its traffic class is of older rules, and cannot be changed\n",
				       qp->qpn);
	return 0;
}

int cxr_ib_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask, struct ib_udata *udata)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibqp->device);
	struct cxr_ib_qp *qp = to_cxr_qp(ibqp);
	struct mlx5_ib_modify_qp req = {};
	int err;

	if (mask & ~(IB_QP_ATTR_STANDARD_BITS | (qp->raw ? IB_QP_RATE_LIMIT : 0))) {
		ibdev_dbg(ibqp->device, "QP %#x: unsupported attribute mask %#x\n", qp->qpn, mask);
		return -EOPNOTSUPP;
	}
	if (qp->raw) {
		err = cxr_ib_read_req_modify(ibqp->device, udata, &req);
		if (err)
			return err;
	} else if (!qp->dct && udata && udata->inlen &&
		   !ib_is_udata_cleared(udata, 0, udata->inlen)) {
		ibdev_dbg(ibqp->device, "QP %#x: burst and ECE attributes are not supported\n",
			  qp->qpn);
		return -EOPNOTSUPP;
	}

	/* The entry must not go while the device is told to use it. */
	if (mask & IB_QP_AV)
		cxr_ib_gid_get(dev, rdma_ah_read_grh(&attr->ah_attr)->sgid_index);
	if (qp->dct) {
		err = cxr_ib_modify_dct(qp, attr, mask, udata);
	} else {
		mutex_lock(&qp->mutex);
		err = qp->raw ? cxr_ib_modify_raw(qp, attr, mask, &req.burst_info) :
				modify_qp_locked(qp, attr, mask);
		mutex_unlock(&qp->mutex);
	}
	if (mask & IB_QP_AV)
		cxr_ib_gid_put(dev, rdma_ah_read_grh(&attr->ah_attr)->sgid_index);
	return cxr_ib_errno(err, udata);
}

/* ---- query ---- */

static void fill_query_attr(const struct cxr_qp_mod *mod, struct ib_qp_attr *attr)
{
	attr->path_mtu = mod->mtu;
	attr->path_mig_state = IB_MIG_MIGRATED;
	attr->qkey = mod->qkey;
	attr->rq_psn = mod->rq_psn;
	attr->sq_psn = mod->sq_psn;
	attr->dest_qp_num = mod->dest_qpn;
	if (mod->remote_read)
		attr->qp_access_flags |= IB_ACCESS_REMOTE_READ;
	if (mod->remote_write)
		attr->qp_access_flags |= IB_ACCESS_REMOTE_WRITE;
	if (mod->remote_atomic)
		attr->qp_access_flags |= IB_ACCESS_REMOTE_ATOMIC;
	attr->pkey_index = mod->pkey_index;
	attr->port_num = mod->port;
	if (mod->type == CXR_QP_RC || mod->type == CXR_QP_XRC || mod->type == CXR_QP_DCI) {
		attr->max_rd_atomic = BIT(mod->log_max_rd);
		attr->max_dest_rd_atomic = BIT(mod->log_max_dest_rd);
	}
	attr->min_rnr_timer = mod->min_rnr_timer;
	attr->timeout = mod->addr.ack_timeout;
	attr->retry_cnt = mod->retry_cnt;
	attr->rnr_retry = mod->rnr_retry;
	/* There is no path before the QP has a port. */
	if (mod->port && mod->type != CXR_QP_UD && mod->type != CXR_QP_GSI &&
	    mod->type != CXR_QP_DCI)
		cxr_ib_addr_to_ah(&mod->addr, mod->port, &attr->ah_attr);
}

int cxr_ib_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		    struct ib_qp_init_attr *init)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibqp->device);
	struct cxr_ib_qp *qp = to_cxr_qp(ibqp);
	struct cxr_qp_mod mod = {};
	enum cxr_qp_state state;
	bool draining;
	int err;

	memset(attr, 0, sizeof(*attr));
	memset(init, 0, sizeof(*init));
	if (qp->raw)
		return cxr_ib_query_raw(qp, attr, init);
	if (qp->dct)
		return cxr_ib_query_dct(qp, attr, mask);
	mutex_lock(&qp->mutex);
	/* After -EAGAIN, a dump of all QPs goes on with the next one. */
	err = qp->gone ? -EAGAIN :
	      cxr_cmd_query_qp(dev->core, qp->qpn, &state, &draining, &mod);
	if (!err)
		WRITE_ONCE(qp->state, ib_state(state));
	/* RTS2RTS changes the DSCP, not the traffic class that the path was set with. */
	if (qp->has_sgid && qp->path.type == CXR_GID_V2)
		mod.addr.path.traffic_class = qp->dscp << 2 |
					      (mod.addr.path.traffic_class & 3);
	mutex_unlock(&qp->mutex);
	if (err)
		return err;

	mod.addr.sgid_index = cxr_ecmp_primary_index(mod.addr.sgid_index, dev->gid_half);
	attr->qp_state = ib_state(state);
	attr->cur_qp_state = attr->qp_state;
	attr->sq_draining = draining;
	fill_query_attr(&mod, attr);
	attr->cap.max_recv_wr = qp->rq.size;
	attr->cap.max_recv_sge = qp->rq.max_sge;
	/* The library knows the send queue of a user QP. */
	if (!qp->user) {
		attr->cap.max_send_wr = qp->sq.max_wrs;
		attr->cap.max_send_sge = qp->sq.max_sge;
		attr->cap.max_inline_data = qp->sq.max_inline;
	}

	init->qp_type = ibqp->qp_type;
	init->send_cq = ibqp->send_cq;
	init->recv_cq = ibqp->recv_cq;
	init->srq = ibqp->srq;
	init->cap = attr->cap;
	init->sq_sig_type = qp->sig_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR;
	init->create_flags = qp->create_flags;
	if (!qp->user)
		init->qp_context = ibqp->qp_context;
	return 0;
}

/* ---- restrack ---- */

/*
 * In `rdma resource show qp -dd': that it is an initiator of DC transport, and the LAG port, unless
 * the LAG hashes.
 */
int cxr_ib_fill_res_qp_entry(struct sk_buff *msg, struct ib_qp *ibqp)
{
	const struct cxr_lag *lag = to_cxr_dev(ibqp->device)->core->lag;
	struct cxr_ib_qp *qp = to_cxr_qp(ibqp);
	struct nlattr *nest;
	u8 port;

	if (ibqp->qp_type == IB_QPT_DRIVER && cxr_put_qp_subtype(msg, "DCI"))
		return -EMSGSIZE;
	if (!lag || lag->hash)
		return 0;
	mutex_lock(&qp->mutex);
	port = qp->lag_port;
	mutex_unlock(&qp->mutex);

	nest = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
	if (!nest)
		return -EMSGSIZE;
	if (rdma_nl_put_driver_u32(msg, "lag-port", port)) {
		nla_nest_cancel(msg, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(msg, nest);
	return 0;
}
