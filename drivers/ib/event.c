// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Events of the device and of the netdev, as ib_core knows them. */
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>

#include "ib.h"

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

/* A QP that cannot be freed before cxr_ib_put_qp(), or NULL. */
static struct cxr_ib_qp *get_qp(struct cxr_ib_dev *dev, u32 qpn)
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

/*
 * A number that is no QP's is not wrong: the event may have been under way when the QP was
 * destroyed.
 */
static void qp_event(struct cxr_ib_dev *dev, const struct cxr_event *event)
{
	struct cxr_ib_qp *qp;

	if (event->what >= ARRAY_SIZE(qp_events))
		return;
	qp = get_qp(dev, event->num);
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
	/* -EBUSY: the device gave a number out twice. */
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
	if (!target)	/* one of cxr_en's */
		return;

	if (target->qp)
		cxr_ib_dispatch_qp_event(to_cxr_qp(target->qp), qp_events[event->what]);
	else
		dispatch_wq_event(target->wq, qp_events[event->what]);
	put_event_target(target);
}

/* As get_qp() and cxr_ib_put_qp(). */
static struct cxr_ib_srq *get_srq(struct cxr_ib_dev *dev, u32 srqn)
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
	struct cxr_ib_srq *srq = get_srq(dev, event->num);

	if (!srq)
		return;
	ibev.element.srq = &srq->ibsrq;
	if (srq->ibsrq.event_handler)
		srq->ibsrq.event_handler(&ibev, srq->ibsrq.srq_context);
	cxr_ib_put_srq(srq);
}

/* Interrupt context. The port's state is taken from the netdev, which en keeps: one truth. */
static void device_event(void *priv, const struct cxr_event *event)
{
	if (event->kind == CXR_EVENT_QP)
		qp_event(priv, event);
	else if (event->kind == CXR_EVENT_SQ || event->kind == CXR_EVENT_RQ)
		queue_event(priv, event);
	else if (event->kind == CXR_EVENT_SRQ)
		srq_event(priv, event);
}

static void device_fatal(void *priv)
{
	struct cxr_ib_dev *dev = priv;
	struct ib_event ibev = {
		.device = &dev->ibdev,
		.event = IB_EVENT_DEVICE_FATAL,
	};
	bool registered;

	mutex_lock(&dev->scan_lock);
	registered = dev->registered;
	mutex_unlock(&dev->scan_lock);
	if (registered)
		ib_dispatch_event(&ibev);
	/* Nothing completes any more by itself. */
	schedule_work(&dev->flush_work);
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

/* Tells ib_core of the port's state if it changed. */
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
 * There is no event for another MTU of a path. Who keeps a port's attributes asks for them when the
 * port becomes active: so that is said again. A port that is not active says it when it is.
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

	/* A pointer that is compared and not followed. */
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
 * What newer kernels call for events of the port's netdev. We watch it ourselves on all: in a LAG
 * ib_core knows a slave, and the state is the bond's.
 */
void cxr_ib_report_port_event(struct ib_device *ibdev, struct net_device *ndev, unsigned long event)
{
}

/*
 * The notifier is one of the network namespace that @netdev is in, and moves with it. One of all
 * namespaces could not be taken back here: that waits for whoever takes a kind of netdevs away
 * (rmmod bonding), and he waits for our reference on one of these. Takes rtnl.
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

	/* One that is just being replaced stays until set_netdev() had the lock, too. */
	err = watch_netdev(dev, READ_ONCE(dev->netdev));
	if (!err)
		report_mtu(dev);	/* what it was changed to during the registration */
	return err;
}

void cxr_ib_unwatch_netdev(struct cxr_ib_dev *dev)
{
	watch_netdev(dev, NULL);
}

/*
 * en has a netdev for the port, or takes it back (NULL); or another one stands for a LAG, whose
 * state is the bond's. May sleep; takes rtnl_lock.
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
	/* Nobody needs to be told: the port was not active, and will be with this. */
	if (watched)
		dev->active_mtu = cxr_path_mtu(READ_ONCE(watched->mtu));
	spin_unlock(&dev->netdev_lock);

	ib_device_set_netdev(&dev->ibdev, ndev, CXR_IB_PORT);

	mutex_lock(&dev->scan_lock);
	if (dev->registered) {
		watch_netdev(dev, watched);
		/* Its addresses came before ib_core knew that it is ours. */
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

const struct cxr_client_ops cxr_ib_client_ops = {
	.event = device_event,
	.netdev = set_netdev,
	.lag_macs = set_lag_macs,
	.fatal = device_fatal,
};
