// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * insmod opener.ko device=ADDRESS ms=MILLISECONDS
 *
 * Opens the network interface of a PCI device as soon as the kernel knows it, and sleeps before the
 * driver goes on with its probe: as a user does who is faster than the driver.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/netdevice.h>

static char *device;
module_param(device, charp, 0);
MODULE_PARM_DESC(device, "address of the PCI device, 0000:00:01.0");
static unsigned int ms;
module_param(ms, uint, 0);
MODULE_PARM_DESC(ms, "how long the driver waits");

static int on_netdev(struct notifier_block *nb, unsigned long event, void *info)
{
	struct net_device *netdev = netdev_notifier_info_to_dev(info);
	int err;

	if (event != NETDEV_REGISTER || !netdev->dev.parent ||
	    strcmp(dev_name(netdev->dev.parent), device))
		return NOTIFY_DONE;

	err = dev_open(netdev, NULL);
	netdev_info(netdev, "opener: opened: %d\n", err);
	msleep(ms);
	return NOTIFY_DONE;
}

static struct notifier_block notifier = { .notifier_call = on_netdev };

static int __init opener_init(void)
{
	if (!device)
		return -EINVAL;
	return register_netdevice_notifier(&notifier);
}

static void __exit opener_exit(void)
{
	unregister_netdevice_notifier(&notifier);
}

module_init(opener_init);
module_exit(opener_exit);
MODULE_DESCRIPTION("Opens a network interface while its driver registers it");
MODULE_LICENSE("Dual BSD/GPL");
