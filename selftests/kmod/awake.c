// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * insmod awake.ko devices=ADDRESS,ADDRESS... [refuse=1]
 *
 * Until it is unloaded, these PCI devices stay as they are while the system sleeps: those by which
 * a test machine is reached, as virtio-9p does not survive it. With refuse=1 the system does not
 * get to sleep: a device fails when all others are suspended, and they wake up again.
 */
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/pm.h>

#define DEVICES 16

static char *devices[DEVICES];
static unsigned int device_count;
module_param_array(devices, charp, &device_count, 0);
MODULE_PARM_DESC(devices, "addresses of PCI devices, 0000:00:01.0");
static bool refuse;
module_param(refuse, bool, 0);
MODULE_PARM_DESC(refuse, "let each attempt to sleep fail");

static struct pci_dev *kept[DEVICES];
static struct platform_device *refuser;

static int fail(struct device *dev)
{
	return -EBUSY;
}

static const struct dev_pm_ops refuser_pm = { .suspend_noirq = fail, .freeze_noirq = fail };

static struct platform_driver refuser_driver = {
	.driver = { .name = "awake", .pm = &refuser_pm },
};

static void release(void)
{
	int i;

	for (i = 0; i < device_count && kept[i]; i++) {
		dev_pm_syscore_device(&kept[i]->dev, false);
		pci_dev_put(kept[i]);
	}
}

static struct pci_dev *find(const char *address)
{
	unsigned int domain, bus, slot, function;

	if (sscanf(address, "%x:%x:%x.%x", &domain, &bus, &slot, &function) != 4)
		return NULL;
	return pci_get_domain_bus_and_slot(domain, bus, PCI_DEVFN(slot, function));
}

static int keep(void)
{
	int i;

	for (i = 0; i < device_count; i++) {
		kept[i] = find(devices[i]);
		if (!kept[i]) {
			pr_err("awake: there is no PCI device %s\n", devices[i]);
			return -ENODEV;
		}
		dev_pm_syscore_device(&kept[i]->dev, true);
	}
	return 0;
}

static int add_refuser(void)
{
	int err;

	err = platform_driver_register(&refuser_driver);
	if (err)
		return err;
	refuser = platform_device_register_simple("awake", PLATFORM_DEVID_NONE, NULL, 0);
	if (!IS_ERR(refuser))
		return 0;
	platform_driver_unregister(&refuser_driver);
	return PTR_ERR(refuser);
}

static int __init awake_init(void)
{
	int err;

	err = keep();
	if (!err && refuse)
		err = add_refuser();
	if (err)
		release();
	return err;
}

static void __exit awake_exit(void)
{
	if (refuse) {
		platform_device_unregister(refuser);
		platform_driver_unregister(&refuser_driver);
	}
	release();
}

module_init(awake_init);
module_exit(awake_exit);
MODULE_DESCRIPTION("Keeps PCI devices awake while the system sleeps");
MODULE_LICENSE("Dual BSD/GPL");
