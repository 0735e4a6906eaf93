// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Counters of the port and of single QPs. All QPs count in one counter set, allocated with the RDMA
 * device, unless ib_core binds them to another one.
 */
#include <linux/slab.h>

#include "queue.h"

/* ---- hw_counters ---- */

struct cxr_core *cxr_ib_port(const struct cxr_ib_dev *dev, unsigned int n)
{
	const struct cxr_lag *lag = dev->core->lag;

	if (lag)
		return n < CXR_LAG_PORTS ? lag->core[n] : NULL;
	return n ? NULL : dev->core;
}

static void add_traffic(struct cxr_traffic *sum, const struct cxr_traffic *more)
{
	sum->packets += more->packets;
	sum->bytes += more->bytes;
}

int cxr_ib_query_traffic(struct cxr_ib_dev *dev, struct cxr_ib_traffic *sum)
{
	struct cxr_traffic port[CXR_VPORT_COUNTERS];
	struct cxr_core *core;
	unsigned int n;
	int err;

	memset(sum, 0, sizeof(*sum));
	for (n = 0; (core = cxr_ib_port(dev, n)); n++) {
		err = cxr_cmd_query_vport_counters(core, 0, port);
		if (err)
			return err;
		add_traffic(&sum->rx_unicast, &port[CXR_VPORT_rx_rdma_unicast]);
		add_traffic(&sum->tx_unicast, &port[CXR_VPORT_tx_rdma_unicast]);
		add_traffic(&sum->rx_multicast, &port[CXR_VPORT_rx_rdma_multicast]);
		add_traffic(&sum->tx_multicast, &port[CXR_VPORT_tx_rdma_multicast]);
	}
	sum->rx = sum->rx_unicast;
	add_traffic(&sum->rx, &sum->rx_multicast);
	sum->tx = sum->tx_unicast;
	add_traffic(&sum->tx, &sum->tx_multicast);
	return 0;
}

/* Congestion and wrong checksums of all ports. */
static int add_ports(struct cxr_ib_dev *dev, u64 *values)
{
	u64 part[CXR_COUNTERS];
	struct cxr_core *core;
	unsigned int n, i;
	int err = 0;

	for (n = 0; !err && (core = cxr_ib_port(dev, n)); n++) {
		memset(part, 0, sizeof(part));
		if (core->caps.cc_query_allowed)
			err = cxr_cmd_query_cong_counters(core, part);
		if (!err && dev->icrc_counted)
			err = cxr_cmd_query_icrc_errors(core, &part[CXR_CNT_rx_icrc_encapsulated]);
		for (i = CXR_Q_COUNTERS; i < CXR_COUNTERS; i++)
			values[i] += part[i];
	}
	return err;
}

/* Queues are those of one function, also in a LAG. */
static int query_port(struct cxr_ib_dev *dev, u64 *values)
{
	struct cxr_ib_traffic traffic;
	int err = 0;

	memset(values, 0, CXR_COUNTERS * sizeof(*values));
	if (dev->q_set)
		err = cxr_cmd_query_q_counter(dev->core, dev->q_set, values);
	err = err ?: add_ports(dev, values) ?: cxr_ib_read_optional(dev, values);
	if (err || !dev->core->caps.vport_counters)
		return err;

	err = cxr_ib_query_traffic(dev, &traffic);
	if (err)
		return err;
	values[CXR_CNT_rdma_rx_packets] = traffic.rx.packets;
	values[CXR_CNT_rdma_rx_bytes] = traffic.rx.bytes;
	values[CXR_CNT_rdma_tx_packets] = traffic.tx.packets;
	values[CXR_CNT_rdma_tx_bytes] = traffic.tx.bytes;
	return 0;
}

static struct rdma_hw_stats *alloc_hw_port_stats(struct ib_device *ibdev, u32 port)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibdev);
	struct rdma_hw_stats *stats;
	int i;

	stats = rdma_alloc_hw_stats_struct(dev->stat_descs, dev->n_stats,
					   RDMA_HW_STATS_DEFAULT_LIFESPAN);
	for (i = 0; stats && i < dev->n_stats; i++)
		if (dev->stat_descs[i].flags & IB_STAT_FLAG_OPTIONAL)
			set_bit(i, stats->is_disabled);
	return stats;
}

/* Returns all counters, whatever @index is: ib_core caches them. */
static int get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats, u32 port, int index)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibdev);
	u64 values[CXR_COUNTERS];
	int err, i;

	err = query_port(dev, values);
	if (err)
		return err;

	for (i = 0; i < dev->n_stats; i++)
		stats->value[i] = values[dev->stat_counters[i]];
	return dev->n_stats;
}

static const struct ib_device_ops stats_ops = {
	.alloc_hw_port_stats = alloc_hw_port_stats,
	.get_hw_stats = get_hw_stats,
	.modify_hw_stat = cxr_ib_modify_hw_stat,
};

/* ---- counter sets of single QPs ---- */

void cxr_ib_q_set_put(struct cxr_ib_dev *dev, struct cxr_ib_q_set *set)
{
	if (!set || !refcount_dec_and_test(&set->ref))
		return;

	xa_erase(&dev->q_sets, set->id);
	cxr_cmd_dealloc_q_counter(dev->core, set->id);
	kfree(set);
}

static struct cxr_ib_q_set *alloc_q_set(struct cxr_ib_dev *dev)
{
	struct cxr_ib_q_set *set;
	int err;

	set = kzalloc(sizeof(*set), GFP_KERNEL);
	if (!set)
		return ERR_PTR(-ENOMEM);
	refcount_set(&set->ref, 1);
	err = cxr_cmd_alloc_q_counter(dev->core, &set->id);
	if (err)
		goto err_free;
	err = xa_insert(&dev->q_sets, set->id, set, GFP_KERNEL);
	if (err)
		goto err_dealloc;
	return set;

err_dealloc:
	cxr_cmd_dealloc_q_counter(dev->core, set->id);
err_free:
	kfree(set);
	return ERR_PTR(err);
}

/* The set of an rdma_counter, which holds a reference; NULL: the set of the port. */
static struct cxr_ib_q_set *counter_q_set(struct cxr_ib_dev *dev,
					  const struct rdma_counter *counter)
{
	return counter ? xa_load(&dev->q_sets, counter->id) : NULL;
}

u32 cxr_ib_qp_q_set(const struct cxr_ib_qp *qp)
{
	const struct rdma_counter *counter = qp->ibqp.counter;

	return counter ? counter->id : to_cxr_dev(qp->ibqp.device)->q_set;
}

/* The device counts the QP in @set from now on. */
static void qp_set_q_set(struct cxr_ib_qp *qp, struct cxr_ib_q_set *set)
	__must_hold(&qp->mutex)
{
	struct cxr_ib_q_set *old = qp->q_set;

	if (set)
		refcount_inc(&set->ref);
	qp->q_set = set;
	cxr_ib_q_set_put(to_cxr_dev(qp->ibqp.device), old);
}

static int modify_rts_q_set(struct cxr_ib_qp *qp, struct rdma_counter *counter)
{
	struct cxr_ib_dev *dev = to_cxr_dev(qp->ibqp.device);
	struct cxr_qp_mod mod = {
		.type = qp->type,
		.q_counter = counter ? counter->id : dev->q_set,
	};
	int err;

	lockdep_assert_held(&qp->mutex);
	err = cxr_cmd_modify_qp(dev->core, qp->uid, qp->qpn, CXR_QPS_RTS, CXR_QPS_RTS, &mod,
				CXR_QP_OPT_COUNTER);
	if (!err)
		qp_set_q_set(qp, counter_q_set(dev, counter));
	return err;
}

void cxr_ib_counter_qp_modified(struct cxr_ib_qp *qp, enum ib_qp_state from, enum ib_qp_state to)
{
	struct rdma_counter *counter = qp->ibqp.counter;
	struct cxr_ib_dev *dev = to_cxr_dev(qp->ibqp.device);

	lockdep_assert_held(&qp->mutex);
	if (to == IB_QPS_RESET) {
		qp_set_q_set(qp, NULL);
	} else if (from == IB_QPS_RESET && to == IB_QPS_INIT) {
		qp_set_q_set(qp, counter_q_set(dev, counter));
		qp->counter_pending = false;
	} else if (to == IB_QPS_RTS && qp->counter_pending) {
		qp->counter_pending = false;
		if (modify_rts_q_set(qp, counter))
			ibdev_warn_ratelimited(&dev->ibdev,
					       "QP %#x: failed to change the counter set, keeping the old one\n",
					       qp->qpn);
	}
}

/* The device changes the set only in RTS. In RESET there is none; otherwise it has to wait. */
static int bind_counter(struct cxr_ib_qp *qp, struct rdma_counter *counter)
{
	struct cxr_ib_dev *dev = to_cxr_dev(qp->ibqp.device);
	int err = 0;

	mutex_lock(&qp->mutex);
	if (qp->gone) {
		err = -EAGAIN;
	} else if (qp->state != IB_QPS_RESET && !dev->core->caps.rts2rts_counter_set) {
		ibdev_dbg(&dev->ibdev,
			  "QP %#x: the device cannot rebind the counter of a QP in use\n", qp->qpn);
		err = -EOPNOTSUPP;
	} else if (qp->state == IB_QPS_RTS) {
		err = modify_rts_q_set(qp, counter);
	} else if (qp->state != IB_QPS_RESET) {
		qp->counter_pending = true;
	}
	if (!err)
		qp->ibqp.counter = counter;
	mutex_unlock(&qp->mutex);
	return err;
}

static int counter_bind_qp(struct rdma_counter *counter, struct ib_qp *ibqp CXR_COUNTER_PORT_PARAM)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibqp->device);
	struct cxr_ib_q_set *new = NULL;
	int err;

	if (to_cxr_qp(ibqp)->raw || to_cxr_qp(ibqp)->dct) {
		ibdev_dbg(ibqp->device, "QP %#x: raw packet QPs and DC targets have no counters\n",
			  ibqp->qp_num);
		return -EOPNOTSUPP;
	}
	if (!counter->id) {
		new = alloc_q_set(dev);
		if (IS_ERR(new))
			return PTR_ERR(new);
		counter->id = new->id;
	}

	err = bind_counter(to_cxr_qp(ibqp), counter);
	if (err && new) {
		counter->id = 0;
		cxr_ib_q_set_put(dev, new);
	}
	return err;
}

/*
 * Never fails: ib_core frees the counter of a QP that is destroyed in any case, and others may
 * still find the QP. One that has moved to error by itself, or whose set the device cannot change,
 * keeps its set until it is reset or destroyed.
 */
static int counter_unbind_qp(struct ib_qp *ibqp CXR_COUNTER_PORT_PARAM)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibqp->device);
	struct cxr_ib_qp *qp = to_cxr_qp(ibqp);

	mutex_lock(&qp->mutex);
	ibqp->counter = NULL;
	if (qp->gone)
		qp->counter_pending = false;
	else if (qp->state == IB_QPS_RTS && dev->core->caps.rts2rts_counter_set)
		qp->counter_pending = modify_rts_q_set(qp, NULL);
	else if (qp->state != IB_QPS_RESET)
		qp->counter_pending = dev->core->caps.rts2rts_counter_set;
	mutex_unlock(&qp->mutex);
	return 0;
}

static int counter_dealloc(struct rdma_counter *counter)
{
	struct cxr_ib_dev *dev = to_cxr_dev(counter->device);

	if (counter->id)
		cxr_ib_q_set_put(dev, counter_q_set(dev, counter));
	return 0;
}

static struct rdma_hw_stats *counter_alloc_stats(struct rdma_counter *counter)
{
	struct cxr_ib_dev *dev = to_cxr_dev(counter->device);

	return rdma_alloc_hw_stats_struct(dev->stat_descs, dev->n_q_stats,
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

static int counter_update_stats(struct rdma_counter *counter)
{
	struct cxr_ib_dev *dev = to_cxr_dev(counter->device);
	u64 values[CXR_COUNTERS];
	int err, i;

	err = cxr_cmd_query_q_counter(dev->core, counter->id, values);
	if (err)
		return err;

	for (i = 0; i < dev->n_q_stats; i++)
		counter->stats->value[i] = values[dev->stat_counters[i]];
	return 0;
}

#ifdef CXR_HAS_COUNTER_INIT
/* Nothing to do, but ib_core calls it. */
static void counter_init(struct rdma_counter *counter)
{
}
#endif

static const struct ib_device_ops counter_ops = {
#ifdef CXR_HAS_COUNTER_INIT
	.counter_init = counter_init,
	.size_rdma_counter = sizeof(struct rdma_counter),
#endif
	.counter_bind_qp = counter_bind_qp,
	.counter_unbind_qp = counter_unbind_qp,
	.counter_dealloc = counter_dealloc,
	.counter_alloc_stats = counter_alloc_stats,
	.counter_update_stats = counter_update_stats,
};

/* ---- stage ---- */

static void list_counters(struct cxr_ib_dev *dev)
{
	enum cxr_counter counter;

	for (counter = 0; counter < CXR_COUNTERS; counter++) {
		if (!cxr_counter_present(counter, &dev->core->caps, dev->icrc_counted))
			continue;
		dev->stat_descs[dev->n_stats].name = cxr_counter_name(counter);
		if (counter >= CXR_ALWAYS_COUNTERS)
			dev->stat_descs[dev->n_stats].flags = IB_STAT_FLAG_OPTIONAL;
		dev->stat_counters[dev->n_stats] = counter;
		dev->n_stats++;
		if (counter < CXR_Q_COUNTERS)
			dev->n_q_stats = dev->n_stats;
	}
}

int cxr_ib_counters_up(void *owner)
{
	struct cxr_ib_dev *dev = owner;
	int err;

	/*
	 * Not in main.c: the locks that a file initializes by xa_init() are one lockdep class, and
	 * those in main.c are taken in interrupts.
	 */
	xa_init(&dev->q_sets);
	err = cxr_cmd_query_icrc_counted(dev->core, &dev->icrc_counted);
	if (err)
		return err;
	if (dev->core->caps.num_q_counters) {
		err = cxr_cmd_alloc_q_counter(dev->core, &dev->q_set);
		if (err)
			return err;
	}

	list_counters(dev);
	if (dev->n_stats)
		ib_set_device_ops(&dev->ibdev, &stats_ops);
	if (dev->q_set && dev->n_q_stats)
		ib_set_device_ops(&dev->ibdev, &counter_ops);
	if (dev->core->caps.vport_counters)
		ib_set_device_ops(&dev->ibdev, &cxr_ib_pma_ops);
	return 0;
}

void cxr_ib_counters_down(void *owner)
{
	struct cxr_ib_dev *dev = owner;

	cxr_ib_optional_down(dev);
	if (dev->q_set)
		cxr_cmd_dealloc_q_counter(dev->core, dev->q_set);
	xa_destroy(&dev->q_sets);
}
