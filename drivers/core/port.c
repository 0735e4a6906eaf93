// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The port and its netdev. */
#include <linux/etherdevice.h>
#include <linux/netdevice.h>

#include "core.h"

/* A LAG depends on the network namespaces of its ports: evaluate it after a move. */
static int port_netdev_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	struct cxr_port *port = container_of(nb, struct cxr_port, netdev_nb);

	/* The pointer is compared only. */
	if (event == NETDEV_REGISTER && netdev_notifier_info_to_dev(ptr) == READ_ONCE(port->netdev))
		cxr_lag_schedule(to_dev(port->core));
	return NOTIFY_DONE;
}

/* For the namespace of the netdev, which the notifier follows. Takes rtnl. */
static void register_notifier(struct cxr_port *port, struct net_device *netdev)
{
	int err;

	port->netdev_nb.notifier_call = port_netdev_event;
	err = register_netdevice_notifier_dev_net(netdev, &port->netdev_nb, &port->netdev_nn);
	port->notifier_registered = !err;
	if (err)
		dev_err(port->core->dev, "%s: cannot register a netdev notifier: %pe\n",
			netdev_name(netdev), ERR_PTR(err));
}

static void unregister_notifier(struct cxr_port *port, struct net_device *netdev)
{
	if (port->notifier_registered)
		unregister_netdevice_notifier_dev_net(netdev, &port->netdev_nb, &port->netdev_nn);
	port->notifier_registered = false;
}

void cxr_port_set_netdev(struct cxr_port *port, struct net_device *netdev)
{
	struct cxr_dev *dev = to_dev(port->core);
	struct net_device *old;

	mutex_lock(&dev->client_lock);
	mutex_lock(&port->lock);
	dev_hold(netdev);
	old = port->netdev;
	WRITE_ONCE(port->netdev, netdev);
	mutex_unlock(&port->lock);

	if (old)
		unregister_notifier(port, old);
	if (netdev)
		register_notifier(port, netdev);
	cxr_clients_notify_netdev(dev, netdev);
	dev_put(old);
	mutex_unlock(&dev->client_lock);
	cxr_lag_schedule(dev);
}
EXPORT_SYMBOL_GPL(cxr_port_set_netdev);

int cxr_loopback_get(struct cxr_core *core)
{
	struct cxr_dev *dev = to_dev(core);
	int err = 0;

	mutex_lock(&dev->loopback_lock);
	if (!dev->loopback_users)
		err = cxr_cmd_set_vport_loopback(core, true);
	if (!err)
		dev->loopback_users++;
	mutex_unlock(&dev->loopback_lock);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_loopback_get);

void cxr_loopback_put(struct cxr_core *core)
{
	struct cxr_dev *dev = to_dev(core);

	mutex_lock(&dev->loopback_lock);
	if (!--dev->loopback_users)
		cxr_cmd_set_vport_loopback(core, false);
	mutex_unlock(&dev->loopback_lock);
}
EXPORT_SYMBOL_GPL(cxr_loopback_put);

struct net_device *cxr_port_get_netdev(struct cxr_port *port)
{
	struct net_device *netdev;

	mutex_lock(&port->lock);
	netdev = port->netdev;
	dev_hold(netdev);
	mutex_unlock(&port->lock);
	return netdev;
}

int cxr_ports_up(void *owner)
{
	struct cxr_dev *dev = owner;
	struct cxr_core *core = &dev->core;
	struct cxr_vport vport;
	int err;

	err = cxr_cmd_query_vport(core, &vport);
	if (err)
		return err;

	ether_addr_copy(core->port.mac, vport.mac);
	core->port.mac_random = !is_valid_ether_addr(vport.mac);
	if (core->port.mac_random) {
		eth_random_addr(core->port.mac);
		dev_info(core->dev, "the function has no MAC address, using random %pM\n",
			 core->port.mac);
	}
	/*
	 * Whatever the last driver left; clients switch it on for their users. A refusal is logged,
	 * and no reason to give up.
	 */
	cxr_cmd_set_vport_loopback(core, false);
	core->node_guid = vport.node_guid;
	core->sys_image_guid = vport.sys_image_guid;
	return 0;
}
