// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Events of the device and of the netdev, reported to ib_core. */
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>

#include "queue.h"

/* ---- events of queues ---- */

static const enum ib_event_type qp_events[] = {
	[CXR_QPE_PATH_MIGRATED] = IB_EVENT_PATH_MIG,
	[CXR_QPE_COMM_EST] = IB_EVENT_COMM_EST,
	[CXR_QPE_SQ_DRAINED] = IB_EVENT_SQ_DRAINED,
	[CXR_QPE_LAST_WQE] = IB_EVENT_QP_LAST_WQE_REACHED,
	[CXR_QPE_FATAL] = IB_EVENT_QP_FATAL,
	[CXR_QPE_PATH_MIG_FAILED] = IB_EVENT_PATH_MIG_ERR,
	[CXR_QPE_INVALID_REQ] = IB_EVENT_QP_REQ_ERR,
	[CXR_QPE_ACCESS] = IB_EVENT_QP_ACCESS_ERR,
};

struct cxr_ib_qp *cxr_ib_get_qp(struct cxr_ib_dev *dev, u32 qpn)
{
	struct cxr_ib_qp *qp;
	unsigned long flags;

	xa_lock_irqsave(&dev->qps, flags);
	qp = xa_load(&dev->qps, qpn);
	if (qp)
		refcount_inc(&qp->ref);
	xa_unlock_irqrestore(&dev->qps, flags);
	return qp;
}

void cxr_ib_put_qp(struct cxr_ib_qp *qp)
{
	if (refcount_dec_and_test(&qp->ref))
		complete(&qp->unused);
}

void cxr_ib_dispatch_qp_event(struct cxr_ib_qp *qp, enum ib_event_type type)
{
	struct ib_event event = {
		.device = qp->ibqp.device,
		.event = type,
		.element.qp = &qp->ibqp,
	};

	if (qp->ibqp.event_handler)
		qp->ibqp.event_handler(&event, qp->ibqp.qp_context);
}

/* An unknown QPN is no error: the event may have been in flight when the QP was destroyed. */
static void qp_event(struct cxr_ib_dev *dev, const struct cxr_event *event)
{
	struct cxr_ib_qp *qp;

	if (event->what >= ARRAY_SIZE(qp_events))
		return;
	qp = cxr_ib_get_qp(dev, event->num);
	if (!qp)
		return;

	cxr_ib_dispatch_qp_event(qp, qp_events[event->what]);
	cxr_ib_put_qp(qp);
}

int cxr_ib_register_event_target(struct cxr_ib_dev *dev, u32 key,
				 struct cxr_ib_event_target *target)
{
	int err;

	refcount_set(&target->ref, 1);
	init_completion(&target->unused);
	err = xa_insert_irq(&dev->event_targets, key, target, GFP_KERNEL);
	if (err)
		ibdev_err(&dev->ibdev, "queue %#x: failed to register for events: %d\n", key, err);
	/* -EBUSY: the device assigned a number twice. */
	return err == -EBUSY ? -EIO : err;
}

static void put_event_target(struct cxr_ib_event_target *target)
{
	if (refcount_dec_and_test(&target->ref))
		complete(&target->unused);
}

void cxr_ib_unregister_event_target(struct cxr_ib_dev *dev, u32 key,
				    struct cxr_ib_event_target *target)
{
	xa_erase_irq(&dev->event_targets, key);
	put_event_target(target);
	wait_for_completion(&target->unused);
}

static void dispatch_wq_event(struct ib_wq *wq, enum ib_event_type type)
{
	struct ib_event event = {
		.device = wq->device,
		.event = IB_EVENT_WQ_FATAL,
		.element.wq = wq,
	};

	/* A WQ has no other event. */
	if (wq->event_handler && type == IB_EVENT_QP_FATAL)
		wq->event_handler(&event, wq->wq_context);
}

static void queue_event(struct cxr_ib_dev *dev, const struct cxr_event *event)
{
	u32 key = event->num | (event->kind == CXR_EVENT_RQ ? CXR_IB_EVENT_KEY_RQ : 0);
	struct cxr_ib_event_target *target;
	unsigned long flags;

	if (event->what >= ARRAY_SIZE(qp_events))
		return;
	xa_lock_irqsave(&dev->event_targets, flags);
	target = xa_load(&dev->event_targets, key);
	if (target)
		refcount_inc(&target->ref);
	xa_unlock_irqrestore(&dev->event_targets, flags);
	if (!target)	/* a queue of cxr_en */
		return;

	if (target->qp)
		cxr_ib_dispatch_qp_event(to_cxr_qp(target->qp), qp_events[event->what]);
	else
		dispatch_wq_event(target->wq, qp_events[event->what]);
	put_event_target(target);
}

struct cxr_ib_srq *cxr_ib_get_srq(struct cxr_ib_dev *dev, u32 srqn)
{
	struct cxr_ib_srq *srq;
	unsigned long flags;

	xa_lock_irqsave(&dev->srqs, flags);
	srq = xa_load(&dev->srqs, srqn);
	if (srq)
		refcount_inc(&srq->ref);
	xa_unlock_irqrestore(&dev->srqs, flags);
	return srq;
}

void cxr_ib_put_srq(struct cxr_ib_srq *srq)
{
	if (refcount_dec_and_test(&srq->ref))
		complete(&srq->unused);
}

static void srq_event(struct cxr_ib_dev *dev, const struct cxr_event *event)
{
	struct ib_event ibev = {
		.device = &dev->ibdev,
		.event = event->what ? IB_EVENT_SRQ_ERR : IB_EVENT_SRQ_LIMIT_REACHED,
	};
	struct cxr_ib_srq *srq = cxr_ib_get_srq(dev, event->num);

	if (!srq)
		return;
	ibev.element.srq = &srq->ibsrq;
	if (srq->ibsrq.event_handler)
		srq->ibsrq.event_handler(&ibev, srq->ibsrq.srq_context);
	cxr_ib_put_srq(srq);
}

/* Port events are ignored: the port has the state of its netdev, which cxr_en keeps. */
static void device_event(void *priv, const struct cxr_event *event)
{
	if (event->kind == CXR_EVENT_QP)
		qp_event(priv, event);
	else if (event->kind == CXR_EVENT_SQ || event->kind == CXR_EVENT_RQ)
		queue_event(priv, event);
	else if (event->kind == CXR_EVENT_SRQ)
		srq_event(priv, event);
	else if (event->kind == CXR_EVENT_DCT_DRAINED)
		cxr_ib_target_drained(priv, event->num);
}

static void dispatch_fatal(struct cxr_ib_dev *dev)
{
	struct ib_event ibev = {
		.device = &dev->ibdev,
		.event = IB_EVENT_DEVICE_FATAL,
	};

	ib_dispatch_event(&ibev);
}

static void device_fatal(void *priv)
{
	struct cxr_ib_dev *dev = priv;
	bool registered;

	mutex_lock(&dev->scan_lock);
	registered = dev->registered;
	dev->fatal = true;
	mutex_unlock(&dev->scan_lock);
	if (registered)
		dispatch_fatal(dev);
	/* A dead device completes nothing, and has no events. */
	schedule_work(&dev->flush_work);
	cxr_ib_targets_fail(dev);
}

void cxr_ib_set_registered(struct cxr_ib_dev *dev)
{
	lockdep_assert_held(&dev->scan_lock);
	dev->registered = true;
	if (dev->fatal)
		dispatch_fatal(dev);
}

/* ---- port ---- */

struct net_device *cxr_ib_get_netdev(struct cxr_ib_dev *dev)
{
	struct net_device *ndev;

	spin_lock(&dev->netdev_lock);
	ndev = dev->netdev;
	if (ndev)
		dev_hold(ndev);
	spin_unlock(&dev->netdev_lock);
	return ndev;
}

static void dispatch_port_event(struct cxr_ib_dev *dev, enum ib_event_type type)
{
	struct ib_event ibev = {
		.device = &dev->ibdev,
		.element.port_num = CXR_IB_PORT,
		.event = type,
	};

	ib_dispatch_event(&ibev);
}

static bool is_active(const struct cxr_ib_dev *dev)
{
	lockdep_assert_held(&dev->netdev_lock);
	return dev->netdev && netif_running(dev->netdev) && netif_carrier_ok(dev->netdev);
}

/* Reports the port state to ib_core if it changed. */
static void report_port_state(struct cxr_ib_dev *dev)
{
	bool active, changed;

	spin_lock(&dev->netdev_lock);
	active = is_active(dev);
	changed = active != dev->port_active;
	dev->port_active = active;
	spin_unlock(&dev->netdev_lock);

	if (changed)
		dispatch_port_event(dev, active ? IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR);
}

/*
 * ib_core has no event for a changed MTU. Users that cache the port attributes query them again on
 * PORT_ACTIVE, so that event is repeated. A port that is not active sends it later anyway.
 */
static void report_mtu(struct cxr_ib_dev *dev)
{
	unsigned int mtu;
	bool tell;

	spin_lock(&dev->netdev_lock);
	mtu = dev->netdev ? cxr_path_mtu(READ_ONCE(dev->netdev->mtu)) : dev->active_mtu;
	tell = mtu != dev->active_mtu && is_active(dev);
	dev->active_mtu = mtu;
	spin_unlock(&dev->netdev_lock);

	if (tell)
		dispatch_port_event(dev, IB_EVENT_PORT_ACTIVE);
}

static int netdev_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	struct cxr_ib_dev *dev = container_of(nb, struct cxr_ib_dev, netdev_nb);

	/* Only compared, never dereferenced. */
	if (netdev_notifier_info_to_dev(ptr) != READ_ONCE(dev->netdev))
		return NOTIFY_DONE;

	switch (event) {
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
		report_port_state(dev);
		break;
	case NETDEV_CHANGEMTU:
		report_mtu(dev);
		break;
	}
	return NOTIFY_DONE;
}

/*
 * Newer kernels call this for events of the netdev that they know, in a LAG a slave. The state is
 * that of the bond, so the driver has its own notifier on all kernels.
 */
void cxr_ib_report_port_event(struct ib_device *ibdev, struct net_device *ndev, unsigned long event)
{
}

/*
 * The notifier belongs to the network namespace of @netdev and moves with it. One for all
 * namespaces could not be unregistered here: that waits for whoever removes a type of netdevs
 * (rmmod bonding), who may wait for our reference on one of them. Takes rtnl_lock.
 */
static int watch_netdev(struct cxr_ib_dev *dev, struct net_device *netdev)
{
	int err;

	lockdep_assert_held(&dev->scan_lock);
	if (netdev == dev->watched)
		return 0;
	if (dev->watched)
		unregister_netdevice_notifier_dev_net(dev->watched, &dev->netdev_nb,
						      &dev->netdev_nn);
	dev->watched = NULL;
	if (!netdev)
		return 0;

	dev->netdev_nb.notifier_call = netdev_event;
	err = register_netdevice_notifier_dev_net(netdev, &dev->netdev_nb, &dev->netdev_nn);
	if (err)
		ibdev_err(&dev->ibdev, "failed to register a notifier for %s: %pe\n",
			  netdev_name(netdev), ERR_PTR(err));
	else
		dev->watched = netdev;
	return err;
}

int cxr_ib_watch_netdev(struct cxr_ib_dev *dev)
{
	int err;

	/* A netdev that set_netdev() is replacing stays valid until that had scan_lock. */
	err = watch_netdev(dev, READ_ONCE(dev->netdev));
	if (!err)
		report_mtu(dev);	/* it may have changed during the registration */
	return err;
}

void cxr_ib_unwatch_netdev(struct cxr_ib_dev *dev)
{
	watch_netdev(dev, NULL);
}

/*
 * The slave that was the active one is not the port's netdev any more. ib_core leaves its GIDs in
 * the table: a rescan only adds, and events of it are not about this device from now on.
 */
static void forget_slave(struct cxr_ib_dev *dev, const struct cxr_lag *lag,
			 const struct net_device *netdev)
{
	if (lag && lag->netdev != netdev)
		cxr_del_netdev_gids(&dev->ibdev, CXR_IB_PORT, lag->netdev);
}

/*
 * cxr_en has a netdev for the port, or takes it back (NULL); or the netdev of a LAG changed, whose
 * state is that of the bond. Takes rtnl_lock.
 */
static void set_netdev(void *priv, struct net_device *ndev)
{
	struct cxr_ib_dev *dev = priv;
	const struct cxr_lag *lag = dev->core->lag;
	struct net_device *watched = lag ? lag->bond : ndev;
	struct net_device *old;

	if (watched)
		dev_hold(watched);
	spin_lock(&dev->netdev_lock);
	old = dev->netdev;
	WRITE_ONCE(dev->netdev, watched);
	/* No event is needed: the port was not active, and becomes active with this netdev. */
	if (watched)
		dev->active_mtu = cxr_path_mtu(READ_ONCE(watched->mtu));
	spin_unlock(&dev->netdev_lock);

	ib_device_set_netdev(&dev->ibdev, ndev, CXR_IB_PORT);

	mutex_lock(&dev->scan_lock);
	if (dev->registered) {
		watch_netdev(dev, watched);
		forget_slave(dev, lag, ndev);
		/* Its addresses came before ib_core knew that it belongs to this device. */
		if (ndev)
			rdma_roce_rescan_device(&dev->ibdev);
		report_port_state(dev);
		report_mtu(dev);
	}
	mutex_unlock(&dev->scan_lock);
	dev_put(old);
}

static int set_lag_macs(void *priv, const u8 mac[CXR_LAG_PORTS][ETH_ALEN])
{
	return cxr_ib_set_lag_macs(priv, mac);
}

static void device_eqe(void *priv, const struct prm_eqe *eqe)
{
	cxr_ib_devx_event(priv, eqe);
}

const struct cxr_client_ops cxr_ib_client_ops = {
	.event = device_event,
	.eqe = device_eqe,
	.netdev = set_netdev,
	.lag_macs = set_lag_macs,
	.fatal = device_fatal,
};
