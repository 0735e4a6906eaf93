// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * insmod latecomer.ko netdev=NAME group=ADDRESS
 *
 * The network interface joins the multicast address at the last moment at which it is detached: as
 * if somebody who does not need RTNL for it did so while the driver restarts the queues. It leaves
 * when the module is unloaded.
 */
#include <linux/etherdevice.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/netdevice.h>

static char *netdev;
module_param(netdev, charp, 0);
MODULE_PARM_DESC(netdev, "name of the network interface");
static char *group;
module_param(group, charp, 0);
MODULE_PARM_DESC(group, "multicast address, 01:00:5e:00:00:01");

static struct net_device *dev;
static u8 mac[ETH_ALEN];
static bool joined;

static int attaches(struct kprobe *probe, struct pt_regs *regs)
{
	if ((struct net_device *)regs_get_kernel_argument(regs, 0) != dev || joined ||
	    netif_device_present(dev))
		return 0;

	joined = !dev_mc_add(dev, mac);
	return 0;
}

static struct kprobe probe = { .symbol_name = "netif_device_attach", .pre_handler = attaches };

static int __init latecomer_init(void)
{
	int err;

	if (!netdev || !group ||
	    sscanf(group, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", &mac[0], &mac[1], &mac[2], &mac[3],
		   &mac[4], &mac[5]) != ETH_ALEN)
		return -EINVAL;
	dev = dev_get_by_name(&init_net, netdev);
	if (!dev)
		return -ENODEV;
	err = register_kprobe(&probe);
	if (err)
		dev_put(dev);
	return err;
}

static void __exit latecomer_exit(void)
{
	unregister_kprobe(&probe);
	if (joined)
		dev_mc_del(dev, mac);
	dev_put(dev);
}

module_init(latecomer_init);
module_exit(latecomer_exit);
MODULE_DESCRIPTION("A multicast address that comes while a network interface is detached");
MODULE_LICENSE("Dual BSD/GPL");
