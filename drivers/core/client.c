// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Clients: their auxiliary devices and callbacks.
 *
 * client_lock serializes registration with all callbacks but event(), which runs in interrupt
 * context under RCU; cxr_client_unregister() waits for it.
 */
#include <linux/auxiliary_bus.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "core.h"

static const char * const client_names[CXR_CLIENTS] = {
	[CXR_CLIENT_EN] = CXR_AUX_EN,
	[CXR_CLIENT_IB] = CXR_AUX_IB,
};

static struct cxr_client_slot *slot_of(struct cxr_dev *dev, enum cxr_client which)
{
	return rcu_dereference_protected(dev->clients[which], lockdep_is_held(&dev->client_lock));
}

/* With a reference, or NULL. */
static struct net_device *netdev_of(struct cxr_core *core, enum cxr_client which)
{
	if (which != CXR_CLIENT_IB || !core->lag)
		return cxr_port_get_netdev(&core->port);
	dev_hold(core->lag->netdev);
	return core->lag->netdev;
}

void cxr_client_register(struct cxr_core *core, enum cxr_client which,
			 const struct cxr_client_ops *ops, void *priv)
{
	struct cxr_dev *dev = to_dev(core);
	struct net_device *netdev;

	mutex_lock(&dev->client_lock);
	dev->client_slots[which] = (struct cxr_client_slot){ .ops = ops, .priv = priv };
	rcu_assign_pointer(dev->clients[which], &dev->client_slots[which]);

	netdev = netdev_of(core, which);
	if (which == CXR_CLIENT_IB && core->lag && core->lag->ecmp && ops->lag_macs)
		ops->lag_macs(priv, core->lag->mac);
	if (netdev && ops->netdev)
		ops->netdev(priv, netdev);
	dev_put(netdev);
	if (cxr_core_dead(core) && ops->fatal)
		ops->fatal(priv);
	mutex_unlock(&dev->client_lock);
}
EXPORT_SYMBOL_GPL(cxr_client_register);

void cxr_client_unregister(struct cxr_core *core, enum cxr_client which)
{
	struct cxr_dev *dev = to_dev(core);

	mutex_lock(&dev->client_lock);
	RCU_INIT_POINTER(dev->clients[which], NULL);
	mutex_unlock(&dev->client_lock);
	synchronize_rcu();
}
EXPORT_SYMBOL_GPL(cxr_client_unregister);

void cxr_clients_dispatch(struct cxr_dev *dev, const struct cxr_event *event)
{
	struct cxr_client_slot *slot;
	int i;

	rcu_read_lock();
	for (i = 0; i < CXR_CLIENTS; i++) {
		slot = rcu_dereference(dev->clients[i]);
		if (slot && slot->ops->event)
			slot->ops->event(slot->priv, event);
	}
	rcu_read_unlock();
}

void cxr_clients_dispatch_eqe(struct cxr_dev *dev, const struct prm_eqe *eqe)
{
	struct cxr_client_slot *slot;

	rcu_read_lock();
	slot = rcu_dereference(dev->clients[CXR_CLIENT_IB]);
	if (slot && slot->ops->eqe)
		slot->ops->eqe(slot->priv, eqe);
	rcu_read_unlock();
}

void cxr_clients_notify_netdev(struct cxr_dev *dev, struct net_device *netdev)
{
	struct cxr_client_slot *slot;
	int i;

	lockdep_assert_held(&dev->client_lock);
	for (i = 0; i < CXR_CLIENTS; i++) {
		slot = slot_of(dev, i);
		/* In a LAG ib has the netdev of cxr_lag. */
		if (i == CXR_CLIENT_IB && slot && dev->core.lag)
			continue;
		if (slot && slot->ops->netdev)
			slot->ops->netdev(slot->priv, netdev);
	}
}

void cxr_clients_set_lag_netdev(struct cxr_dev *dev, struct cxr_lag *lag, struct net_device *netdev)
{
	struct cxr_client_slot *slot;
	struct net_device *old;

	mutex_lock(&dev->client_lock);
	dev_hold(netdev);
	slot = slot_of(dev, CXR_CLIENT_IB);
	if (slot && slot->ops->netdev)
		slot->ops->netdev(slot->priv, netdev);
	old = lag->netdev;
	lag->netdev = netdev;
	mutex_unlock(&dev->client_lock);
	dev_put(old);
}

int cxr_clients_set_lag_macs(struct cxr_dev *dev, struct cxr_lag *lag,
			     const u8 mac[CXR_LAG_PORTS][ETH_ALEN])
{
	struct cxr_client_slot *slot;
	int err = 0;

	mutex_lock(&dev->client_lock);
	memcpy(lag->mac, mac, sizeof(lag->mac));
	slot = slot_of(dev, CXR_CLIENT_IB);
	if (slot && slot->ops->lag_macs)
		err = slot->ops->lag_macs(slot->priv, lag->mac);
	mutex_unlock(&dev->client_lock);
	return err;
}

void cxr_clients_notify_fatal(struct cxr_dev *dev)
{
	struct cxr_client_slot *slot;
	int i;

	mutex_lock(&dev->client_lock);
	for (i = 0; i < CXR_CLIENTS; i++) {
		slot = slot_of(dev, i);
		if (slot && slot->ops->fatal)
			slot->ops->fatal(slot->priv);
	}
	mutex_unlock(&dev->client_lock);
}

static void release_adev(struct device *device)
{
	kfree(container_of(device, struct cxr_adev, adev.dev));
}

int cxr_adev_add(struct cxr_dev *dev, enum cxr_client which)
{
	struct cxr_adev *cadev = kzalloc(sizeof(*cadev), GFP_KERNEL);
	int err;

	if (!cadev)
		return -ENOMEM;

	cadev->core = &dev->core;
	cadev->adev.name = client_names[which];
	cadev->adev.id = dev->id;
	cadev->adev.dev.parent = dev->core.dev;
	cadev->adev.dev.release = release_adev;
	err = auxiliary_device_init(&cadev->adev);
	if (err) {
		kfree(cadev);
		return err;
	}
	err = auxiliary_device_add(&cadev->adev);
	if (err) {
		auxiliary_device_uninit(&cadev->adev);	/* frees it */
		return err;
	}
	dev->adevs[which] = cadev;
	return 0;
}

bool cxr_adev_suspend(struct cxr_dev *dev, enum cxr_client which)
{
	struct cxr_adev *cadev = dev->adevs[which];
	const struct auxiliary_driver *driver;
	struct device *device;

	if (!cadev)
		return false;

	device = &cadev->adev.dev;
	device_lock(device);
	driver = device->driver ? to_auxiliary_drv(device->driver) : NULL;
	cadev->suspended = driver && driver->suspend &&
			   !driver->suspend(&cadev->adev, PMSG_SUSPEND);
	device_unlock(device);
	return cadev->suspended;
}

bool cxr_adev_resume(struct cxr_dev *dev, enum cxr_client which)
{
	struct cxr_adev *cadev = dev->adevs[which];
	struct device *device;
	bool resumed = false;

	if (!cadev)
		return false;

	device = &cadev->adev.dev;
	device_lock(device);
	/* Without a driver: it was unbound meanwhile. */
	if (cadev->suspended && device->driver)
		resumed = !to_auxiliary_drv(device->driver)->resume(&cadev->adev);
	cadev->suspended = false;
	device_unlock(device);
	return resumed;
}

void cxr_adev_remove(struct cxr_dev *dev, enum cxr_client which)
{
	struct cxr_adev *cadev = dev->adevs[which];

	if (!cadev)
		return;
	auxiliary_device_delete(&cadev->adev);
	auxiliary_device_uninit(&cadev->adev);
	dev->adevs[which] = NULL;
}
