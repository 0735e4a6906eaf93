// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The PCI driver: probe and remove, and the first and the last stage, pci and clients.
 *
 * There is no MODULE_DEVICE_TABLE(pci) on purpose: with it, udev would load this module at boot and
 * it would race with mlx5_core for a NIC that the machine may be reached by. The user loads the
 * module (modprobe, or a line in /etc/modules-load.d), and it binds to matching functions without a
 * driver. To take over a single function: write "cxr_core" to its driver_override, unbind it, and
 * write its name to /sys/bus/pci/drivers_probe.
 */
#include <linux/dma-mapping.h>
#include <linux/idr.h>
#include <linux/module.h>
#include <linux/pci.h>

#include "eswitch.h"

static DEFINE_IDA(cxr_ida);

/* ---- stage pci ------------------------------------------------------------------------------- */

static int pci_up(void *owner)
{
	struct cxr_dev *dev = owner;
	struct pci_dev *pdev = dev->core.pdev;
	int err;

	err = pci_enable_device(pdev);
	if (err)
		return err;

	if (!(pci_resource_flags(pdev, 0) & IORESOURCE_MEM) || pci_resource_len(pdev, 0) < SZ_64K) {
		dev_err(&pdev->dev, "BAR 0 is not a memory BAR of at least 64 KiB\n");
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
	/* for what a reset clears that the PCI core does not restore (reset.c) */
	pci_save_state(pdev);
	dev->config = pci_store_saved_state(pdev);
	if (!dev->config) {
		err = -ENOMEM;
		goto err_unmap;
	}
	return 0;

err_unmap:
	iounmap(dev->iseg);
	dev->iseg = NULL;
err_release:
	pci_release_region(pdev, 0);
err_disable:
	pci_disable_device(pdev);
	return err;
}

static void pci_down(void *owner)
{
	struct cxr_dev *dev = owner;
	struct pci_dev *pdev = dev->core.pdev;
	int err;

	/*
	 * Its objects were not destroyed, or it still has addresses of pages: without a reset it
	 * would not initialize again, or write to these as soon as DMA is enabled. What that reset
	 * preserves a reset before it may have cleared, whose recovery failed.
	 */
	if ((cxr_core_dead(&dev->core) || dev->needs_reset || dev->resetting) &&
	    pci_device_is_present(pdev)) {
		cxr_core_restore_config(dev);
		err = cxr_firmware_reset(dev, false, CXR_FIRMWARE_PATIENCE) ?
			      0 : pci_reset_function_locked(pdev);
		if (err)
			dev_warn(&pdev->dev, "function reset failed (%pe), the next probe may fail\n",
				 ERR_PTR(err));
	}
	iounmap(dev->iseg);
	dev->iseg = NULL;
	kfree(dev->config);
	pci_release_region(pdev, 0);
	pci_disable_device(pdev);
}

/* ---- stage clients --------------------------------------------------------------------------- */

static void clients_down(void *owner)
{
	struct cxr_dev *dev = owner;

	cxr_lag_leave(dev);
	if (!dev->resetting || !cxr_adev_suspend(dev, CXR_CLIENT_EN))
		cxr_adev_remove(dev, CXR_CLIENT_EN);
}

static int add_en(struct cxr_dev *dev)
{
	if (dev->off[CXR_SWITCH_ETH]) {
		dev_info(dev->core.dev,
			 "no network interface: devlink parameter enable_eth is false\n");
		/* The interface may have closed it. A function that does not own it is refused. */
		cxr_cmd_set_port_admin(&dev->core, true);
		return 0;
	}
	if (cxr_adev_resume(dev, CXR_CLIENT_EN))
		return 0;
	cxr_adev_remove(dev, CXR_CLIENT_EN);
	return cxr_adev_add(dev, CXR_CLIENT_EN);
}

static int clients_up(void *owner)
{
	struct cxr_dev *dev = owner;
	int err;

	err = add_en(dev);
	if (!err)
		err = cxr_lag_join(dev);
	if (err)
		clients_down(dev);
	return err;
}

/* ---- probe and remove ------------------------------------------------------------------------ */

static const struct cxr_stage cxr_core_stages[] = {
	CXR_CORE_STAGES(CXR_STAGE)
};

static void fatal_work(struct work_struct *work)
{
	struct cxr_dev *dev = container_of(work, struct cxr_dev, fatal_work);

	cxr_clients_notify_fatal(dev);
	cxr_lag_schedule(dev);
	cxr_report_failed(dev, dev->fail_why);
}

static struct cxr_dev *alloc_dev(struct pci_dev *pdev, bool vf)
{
	struct cxr_dev *dev = cxr_devlink_alloc(pdev);
	int err;

	if (!dev)
		return ERR_PTR(-ENOMEM);

	dev->core.dev = &pdev->dev;
	dev->core.pdev = pdev;
	dev->core.port.core = &dev->core;
	dev->core.vf = vf;
	dev->stages = CXR_STAGES_DOWN(cxr_core_stages, dev, &pdev->dev);
	mutex_init(&dev->core.port.lock);
	spin_lock_init(&dev->fail_lock);
	spin_lock_init(&dev->cmdq.lock);
	init_waitqueue_head(&dev->cmdq.idle);
	context_unsafe(INIT_LIST_HEAD(&dev->cmdq.lost));
	xa_init(&dev->eqs.cqs);
	mutex_init(&dev->eqs.poll_lock);
	mutex_init(&dev->cong.lock);
	seqlock_init(&dev->clock.lock);
	mutex_init(&dev->db_lock);
	mutex_init(&dev->loopback_lock);
	mutex_init(&dev->rates.lock);
	mutex_init(&dev->flow_lock);
	mutex_init(&dev->vfs_lock);
	mutex_init(&dev->l2_lock);
	INIT_DELAYED_WORK(&dev->vports_work, cxr_eswitch_work);
	dev->vfs_wanted = min(pci_num_vf(pdev), CXR_VFS_MAX);
	dev->lag_allowed = true;
	context_unsafe(INIT_LIST_HEAD(&dev->dbs));
	init_llist_head(&dev->kept);
	mutex_init(&dev->client_lock);
	INIT_WORK(&dev->fatal_work, fatal_work);
	cxr_reporters_init(dev);
	cxr_roce_read_params(dev);

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
	cancel_delayed_work_sync(&dev->vports_work);
	context_unsafe(kfree(dev->vf_settings));
	context_unsafe(kvfree(dev->rates.entries));
	cxr_pages_exit(dev);
	xa_destroy(&dev->eqs.cqs);
	ida_free(&cxr_ida, dev->id);
	cxr_devlink_free(dev);
}

/* driver_data of struct pci_device_id */
enum { CXR_PF, CXR_VF };

static int cxr_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct cxr_dev *dev = alloc_dev(pdev, id->driver_data == CXR_VF);
	int err;

	if (IS_ERR(dev))
		return PTR_ERR(dev);

	cxr_debugfs_add(dev);
	err = cxr_stages_up(&dev->stages, 0);
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
	cxr_stages_down(&dev->stages, 0);
err_free:
	cxr_debugfs_remove(dev);
	free_dev(dev);
	return err;
}

static void take_down(struct cxr_dev *dev)
{
	struct pci_dev *pdev = dev->core.pdev;

	pci_set_drvdata(pdev, NULL);
	/* Waits for a running reload; no other can start. */
	cxr_devlink_unregister(dev);
	/* Surprise removal: do not wait for the health check. */
	if (!pci_device_is_present(pdev))
		cxr_core_fail(dev, "no longer on the bus");
	/* Left by a recovery from a PCI error that did not get to its end */
	if (dev->resetting) {
		cxr_adev_remove(dev, CXR_CLIENT_EN);
		cxr_clock_remove(dev);
	}
	cxr_stages_down(&dev->stages, 0);
	cxr_debugfs_remove(dev);
	free_dev(dev);
}

static void cxr_remove(struct pci_dev *pdev)
{
	struct cxr_dev *dev = pci_get_drvdata(pdev);

	if (!dev)	/* after cxr_shutdown() */
		return;
	cxr_sriov_remove(dev);
	take_down(dev);
}

/*
 * Before kexec, reboot and power off: the device must not write to memory that has another owner by
 * then. VFs are disabled, but stay in the PCI core, which would wait for a virtual machine to let
 * go of one.
 */
static void cxr_shutdown(struct pci_dev *pdev)
{
	struct cxr_dev *dev = pci_get_drvdata(pdev);

	/* They would stay, as the driver does, without a struct cxr_dev. Waits for readers. */
	device_remove_groups(&pdev->dev, cxr_dev_groups);
	if (dev)
		take_down(dev);
}

static const struct pci_device_id cxr_ids[] = {
	{ PCI_VDEVICE(MELLANOX, 0x1013) },	/* ConnectX-4 */
	{ PCI_VDEVICE(MELLANOX, 0x1014), CXR_VF },	/* ConnectX-4 VF */
	{ PCI_VDEVICE(MELLANOX, 0x1015) },	/* ConnectX-4 Lx */
	{ PCI_VDEVICE(MELLANOX, 0x1016), CXR_VF },	/* ConnectX-4 Lx VF */
	{ PCI_VDEVICE(MELLANOX, 0x1017) },	/* ConnectX-5 */
	{ PCI_VDEVICE(MELLANOX, 0x1018), CXR_VF },	/* ConnectX-5 VF */
	{ PCI_VDEVICE(MELLANOX, 0x1019) },	/* ConnectX-5 Ex */
	{ PCI_VDEVICE(MELLANOX, 0x101a), CXR_VF },	/* ConnectX-5 Ex VF */
	{ PCI_VDEVICE(MELLANOX, 0x101b) },	/* ConnectX-6 */
	{ PCI_VDEVICE(MELLANOX, 0x101c), CXR_VF },	/* ConnectX-6 VF */
	{ PCI_VDEVICE(MELLANOX, 0x101d) },	/* ConnectX-6 Dx */
	{ PCI_VDEVICE(MELLANOX, 0x101e), CXR_VF },	/* VF of ConnectX-6 Dx and later */
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
	.sriov_configure = cxr_sriov_configure,
	.dev_groups = cxr_dev_groups,
	.err_handler = &cxr_err_handler,
	.driver.pm = pm_sleep_ptr(&cxr_pm_ops),
};

static int __init cxr_init(void)
{
	int err;

	err = cxr_lag_init();
	if (err)
		return err;
	cxr_debugfs_init();
	err = pci_register_driver(&cxr_driver);
	if (err) {
		cxr_debugfs_exit();
		cxr_lag_exit();
	}
	return err;
}

static void __exit cxr_exit(void)
{
	pci_unregister_driver(&cxr_driver);
	cxr_lag_exit();
	cxr_debugfs_exit();
	ida_destroy(&cxr_ida);
}

module_init(cxr_init);
module_exit(cxr_exit);

MODULE_DESCRIPTION("PCI core of the RoCE driver for ConnectX-class adapters");
MODULE_LICENSE("Dual BSD/GPL");
