// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The PCI driver: module parameters, the stages a device comes up by, probe and remove.
 *
 * There is no MODULE_DEVICE_TABLE(pci) on purpose: with it, udev would load this module at boot on
 * any machine with such a card and race with the kernel's own driver for a NIC the machine may be
 * reached by. The module comes when the user says so (modprobe, or a line in /etc/modules-load.d),
 * and then binds to matching functions that no driver holds. To hand over one function of several:
 * write "cxr_core" to its driver_override, unbind it, and write its name to
 * /sys/bus/pci/drivers_probe.
 */
#include <linux/dma-mapping.h>
#include <linux/idr.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/pci.h>

#include "core.h"

struct cxr_stage {
	const char *name;
	int (*up)(struct cxr_dev *dev);
	void (*down)(struct cxr_dev *dev);	/* NULL: nothing to undo */
};

static int pci_up(struct cxr_dev *dev);
static void pci_down(struct cxr_dev *dev);

/*
 * The order in which a device comes up; it goes down in the reverse order, on removal as on an
 * error.
 */
static const struct cxr_stage cxr_stages[] = {
	{ "pci",	pci_up,		pci_down },	/* a reload leaves it up */
	{ "cmdq",	cxr_cmdq_up,	cxr_cmdq_down },
	{ "hca",	cxr_hca_up,	cxr_hca_down },
	{ "uar",	cxr_uar_up,	cxr_uar_down },
	{ "irq",	cxr_irq_up,	cxr_irq_down },
	{ "eq",		cxr_eq_up,	cxr_eq_down },
	{ "ports",	cxr_ports_up,	NULL },
	{ "health",	cxr_health_up,	cxr_health_down },
	{ "clients",	cxr_clients_up,	cxr_clients_down },
};

struct dentry *cxr_debugfs_root;
static DEFINE_IDA(cxr_ida);

const char *cxr_stage_name(int stage)
{
	return stage >= 0 && stage < ARRAY_SIZE(cxr_stages) ? cxr_stages[stage].name : NULL;
}

/* ---- module parameters ----------------------------------------------------------------------- */

static int fail_stage = -1;

static int set_fail_stage(const char *val, const struct kernel_param *kp)
{
	char name[16];
	int i;

	strscpy(name, val, sizeof(name));
	strim(name);
	if (!name[0]) {
		fail_stage = -1;
		return 0;
	}
	for (i = 0; i < ARRAY_SIZE(cxr_stages); i++) {
		if (!strcmp(name, cxr_stages[i].name)) {
			fail_stage = i;
			return 0;
		}
	}
	if (kstrtoint(name, 10, &i) || i < -1 || i >= (int)ARRAY_SIZE(cxr_stages)) {
		pr_err("cxr_core: fail_stage=%.32s: neither a stage's name nor -1 (none) to %zu\n",
		       val,
		       ARRAY_SIZE(cxr_stages) - 1);
		return -EINVAL;
	}
	fail_stage = i;
	return 0;
}

static int get_fail_stage(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%s\n", cxr_stage_name(fail_stage) ?: "-1");
}

static const struct kernel_param_ops fail_stage_ops = {
	.set = set_fail_stage,
	.get = get_fail_stage,
};

module_param_cb(fail_stage, &fail_stage_ops, NULL, 0644);
MODULE_PARM_DESC(fail_stage,
		 "For tests: stage (name or number) after which bring-up fails with EIO; -1: none");

unsigned int cxr_cmd_timeout_ms = 60000;

static int set_cmd_timeout(const char *val, const struct kernel_param *kp)
{
	unsigned int ms;

	if (kstrtouint(val, 10, &ms) || ms < 100 || ms > 600000) {
		pr_err("cxr_core: cmd_timeout_ms=%.32s: not a number from 100 to 600000\n", val);
		return -EINVAL;
	}
	cxr_cmd_timeout_ms = ms;
	return 0;
}

static const struct kernel_param_ops cmd_timeout_ops = {
	.set = set_cmd_timeout,
	.get = param_get_uint,
};

module_param_cb(cmd_timeout_ms, &cmd_timeout_ops, &cxr_cmd_timeout_ms, 0644);
MODULE_PARM_DESC(cmd_timeout_ms,
		 "How long a command may take before the device is given up, in ms (default 60000)");

/* ---- stage pci ------------------------------------------------------------------------------- */

static int pci_up(struct cxr_dev *dev)
{
	struct pci_dev *pdev = dev->core.pdev;
	int err;

	err = pci_enable_device(pdev);
	if (err)
		return err;

	if (!(pci_resource_flags(pdev, 0) & IORESOURCE_MEM) || pci_resource_len(pdev, 0) < SZ_64K) {
		dev_err(&pdev->dev, "BAR 0 is not memory of 64 KiB or more\n");
		err = -ENODEV;
		goto err_disable;
	}
	err = pci_request_region(pdev, 0, "cxr_core");
	if (err)
		goto err_disable;

	err = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (err)
		err = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(32));
	if (err)
		goto err_release;
	dma_set_max_seg_size(&pdev->dev, SZ_2G);

	dev->bar = pci_resource_start(pdev, 0);
	dev->bar_len = pci_resource_len(pdev, 0);
	dev->iseg = ioremap(dev->bar, SZ_16K);
	if (!dev->iseg) {
		err = -ENOMEM;
		goto err_release;
	}
	return 0;

err_release:
	pci_release_region(pdev, 0);
err_disable:
	pci_disable_device(pdev);
	return err;
}

static void pci_down(struct cxr_dev *dev)
{
	struct pci_dev *pdev = dev->core.pdev;
	int err;

	iounmap(dev->iseg);
	dev->iseg = NULL;
	/* Nobody took its objects away: without a reset it would not start again. */
	if (cxr_core_dead(&dev->core) && pci_device_is_present(pdev)) {
		err = pci_reset_function_locked(pdev);
		if (err)
			dev_warn(&pdev->dev, "cannot be reset (%pe), and may not start again\n",
				 ERR_PTR(err));
	}
	pci_release_region(pdev, 0);
	pci_disable_device(pdev);
}

/* ---- up and down ----------------------------------------------------------------------------- */

/* The stages from @first on, which goes down last. */
static void go_down(struct cxr_dev *dev, int first)
{
	while (dev->stage > first) {
		dev->stage--;
		if (cxr_stages[dev->stage].down)
			cxr_stages[dev->stage].down(dev);
	}
}

/* All that are not up yet; if one fails, those from @first on are down at the end. */
static int go_up(struct cxr_dev *dev, int first)
{
	int fail = READ_ONCE(fail_stage);
	const struct cxr_stage *stage;
	bool asked = false;
	int err;

	while (dev->stage < ARRAY_SIZE(cxr_stages)) {
		stage = &cxr_stages[dev->stage];
		err = stage->up(dev);
		if (!err) {
			asked = dev->stage++ == fail;
			if (!asked)
				continue;
			err = -EIO;
		}
		dev_err(dev->core.dev, "bring-up failed at stage %s: %pe%s\n", stage->name,
			ERR_PTR(err),
			asked ? " (asked for by fail_stage)" : "");
		go_down(dev, first);
		return err;
	}
	return 0;
}

/*
 * A reload does not touch the stage pci: resetting a function that was given up needs the lock of
 * its device, which devlink does not take on all kernels.
 */
void cxr_reload_down(struct cxr_dev *dev)
{
	go_down(dev, 1);
}

int cxr_reload_up(struct cxr_dev *dev)
{
	return go_up(dev, 1);
}

static struct cxr_dev *alloc_dev(struct pci_dev *pdev)
{
	struct cxr_dev *dev = cxr_devlink_alloc(pdev);
	int err;

	if (!dev)
		return ERR_PTR(-ENOMEM);

	dev->core.dev = &pdev->dev;
	dev->core.pdev = pdev;
	dev->core.port.core = &dev->core;
	mutex_init(&dev->core.port.lock);
	spin_lock_init(&dev->fail_lock);
	spin_lock_init(&dev->cmdq.lock);
	INIT_LIST_HEAD(&dev->cmdq.lost);
	xa_init(&dev->eqs.cqs);
	mutex_init(&dev->eqs.stand_in_lock);
	mutex_init(&dev->db_lock);
	mutex_init(&dev->root_lock);
	dev->lag_allowed = true;
	INIT_LIST_HEAD(&dev->dbs);
	cxr_clients_init(dev);
	cxr_roce_ask(dev);

	dev->id = ida_alloc(&cxr_ida, GFP_KERNEL);
	if (dev->id < 0) {
		err = dev->id;
		goto err_free;
	}
	err = cxr_pages_init(dev);
	if (err)
		goto err_free_id;
	return dev;

err_free_id:
	ida_free(&cxr_ida, dev->id);
err_free:
	cxr_devlink_free(dev);
	return ERR_PTR(err);
}

static void free_dev(struct cxr_dev *dev)
{
	cancel_work_sync(&dev->fatal_work);
	cxr_pages_exit(dev);
	xa_destroy(&dev->eqs.cqs);
	ida_free(&cxr_ida, dev->id);
	cxr_devlink_free(dev);
}

static int cxr_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct cxr_dev *dev = alloc_dev(pdev);
	int err;

	if (IS_ERR(dev))
		return PTR_ERR(dev);

	cxr_debugfs_add(dev);
	err = go_up(dev, 0);
	if (err)
		goto err_free;
	err = cxr_devlink_register(dev);
	if (err)
		goto err_down;
	pci_set_drvdata(pdev, dev);
	dev_info(&pdev->dev, "firmware %u.%u.%04u, board %s, RoCE %s, %d completion vectors\n",
		 dev->core.fw_major, dev->core.fw_minor, dev->core.fw_sub,
		 dev->core.board_id[0] ? dev->core.board_id : "unknown",
		 cxr_roce_granted(&dev->core), dev->core.comp_vectors);
	return 0;

err_down:
	go_down(dev, 0);
err_free:
	cxr_debugfs_remove(dev);
	free_dev(dev);
	return err;
}

static void cxr_remove(struct pci_dev *pdev)
{
	struct cxr_dev *dev = pci_get_drvdata(pdev);

	if (!dev)	/* cxr_shutdown() was here */
		return;

	pci_set_drvdata(pdev, NULL);
	/* A reload that runs comes to its end, and no other one begins. */
	cxr_devlink_unregister(dev);
	/* Pulled out, or off the bus: do not wait for a health poll to find out. */
	if (!pci_device_is_present(pdev))
		cxr_core_fail(dev, "it is no longer on the bus");
	go_down(dev, 0);
	cxr_debugfs_remove(dev);
	free_dev(dev);
}

/*
 * Before kexec, reboot and power off: the device must not write to memory that is somebody else's
 * by then.
 */
static void cxr_shutdown(struct pci_dev *pdev)
{
	cxr_remove(pdev);
}

static const struct pci_device_id cxr_ids[] = {
	{ PCI_VDEVICE(MELLANOX, 0x1013) },	/* ConnectX-4 */
	{ PCI_VDEVICE(MELLANOX, 0x1014) },	/* ConnectX-4 VF */
	{ PCI_VDEVICE(MELLANOX, 0x1015) },	/* ConnectX-4 Lx */
	{ PCI_VDEVICE(MELLANOX, 0x1016) },	/* ConnectX-4 Lx VF */
	{ PCI_VDEVICE(MELLANOX, 0x1017) },	/* ConnectX-5 */
	{ PCI_VDEVICE(MELLANOX, 0x1018) },	/* ConnectX-5 VF */
	{ PCI_VDEVICE(MELLANOX, 0x1019) },	/* ConnectX-5 Ex */
	{ PCI_VDEVICE(MELLANOX, 0x101a) },	/* ConnectX-5 Ex VF */
	{ PCI_VDEVICE(MELLANOX, 0x101b) },	/* ConnectX-6 */
	{ PCI_VDEVICE(MELLANOX, 0x101c) },	/* ConnectX-6 VF */
	{ PCI_VDEVICE(MELLANOX, 0x101d) },	/* ConnectX-6 Dx */
	{ PCI_VDEVICE(MELLANOX, 0x101e) },	/* VF of ConnectX-6 Dx and later */
	{ PCI_VDEVICE(MELLANOX, 0x101f) },	/* ConnectX-6 Lx */
	{ PCI_VDEVICE(MELLANOX, 0x1021) },	/* ConnectX-7 */
	{}
};

static struct pci_driver cxr_driver = {
	.name = "cxr_core",
	.id_table = cxr_ids,
	.probe = cxr_probe,
	.remove = cxr_remove,
	.shutdown = cxr_shutdown,
	.dev_groups = cxr_dev_groups,
};

static int __init cxr_init(void)
{
	int err;

	err = cxr_lag_init();
	if (err)
		return err;
	cxr_debugfs_root = debugfs_create_dir("cxr", NULL);
	err = pci_register_driver(&cxr_driver);
	if (err) {
		debugfs_remove_recursive(cxr_debugfs_root);
		cxr_lag_exit();
	}
	return err;
}

static void __exit cxr_exit(void)
{
	pci_unregister_driver(&cxr_driver);
	cxr_lag_exit();
	debugfs_remove_recursive(cxr_debugfs_root);
	ida_destroy(&cxr_ida);
}

module_init(cxr_init);
module_exit(cxr_exit);

MODULE_DESCRIPTION("PCI core of the RoCE driver for ConnectX-class adapters");
MODULE_LICENSE("Dual BSD/GPL");
