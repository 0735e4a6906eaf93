// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Virtual functions of a PF whose e-switch somebody else manages: the firmware, or the embedded CPU
 * of a SmartNIC. The driver only enables them.
 *
 * The firmware knows VF n as function n + 1. Reloads and resets take stage vfs down and up, under
 * the lock of the devlink instance; how many there are to be is written under that lock, too, but
 * it is not held while the PCI core adds VFs, whose drivers probe then.
 */
#include <linux/pci.h>
#include <net/devlink.h>

#include "core.h"

/* ---- in the firmware ------------------------------------------------------------------------- */

/* A VF that the firmware does not let go of stays enabled, with its memory. */
static void disable_vfs(struct cxr_dev *dev)
	__must_hold(&dev->vfs_lock)
{
	unsigned int vf;

	if (bitmap_empty(dev->vfs, CXR_VFS_MAX))
		return;
	for_each_set_bit(vf, dev->vfs, CXR_VFS_MAX)
		if (!cxr_cmd_refusal(&dev->core, cxr_cmd_disable_hca(&dev->core, vf + 1)))
			__clear_bit(vf, dev->vfs);
	if (bitmap_empty(dev->vfs, CXR_VFS_MAX) && cxr_pages_wait_vfs(dev))
		dev_warn(dev->core.dev, "VFs that are disabled keep memory of this function\n");
}

/* All that are wanted, or none. */
static int enable_vfs(struct cxr_dev *dev)
	__must_hold(&dev->vfs_lock)
{
	unsigned int vf;
	int err = 0;

	for (vf = 0; !err && vf < dev->vfs_wanted; vf++) {
		if (test_bit(vf, dev->vfs))
			continue;
		err = cxr_cmd_enable_hca(&dev->core, vf + 1);
		if (!err)
			__set_bit(vf, dev->vfs);
	}
	if (err)
		disable_vfs(dev);
	return err;
}

/* 0 or an error that the log explains */
static int may_enable(struct cxr_dev *dev)
{
	if (dev->core.caps.eswitch_manager) {
		dev_err(dev->core.dev, "sriov_numvfs: this function manages the card's e-switch, which cxr does not: its VFs would have no network\n");
		return -EOPNOTSUPP;
	}
	return 0;
}

int cxr_vfs_up(void *owner)
{
	struct cxr_dev *dev = owner;
	int err;

	if (!dev->vfs_wanted)
		return 0;
	err = may_enable(dev);
	if (!err) {
		mutex_lock(&dev->vfs_lock);
		err = enable_vfs(dev);
		mutex_unlock(&dev->vfs_lock);
	}
	/* The function itself works. */
	if (err)
		dev_warn(dev->core.dev, "the VFs of before are not enabled: %pe\n", ERR_PTR(err));
	return 0;
}

void cxr_vfs_down(void *owner)
{
	struct cxr_dev *dev = owner;

	mutex_lock(&dev->vfs_lock);
	disable_vfs(dev);
	/* What the stages below do ends those that are left. */
	bitmap_zero(dev->vfs, CXR_VFS_MAX);
	mutex_unlock(&dev->vfs_lock);
}

/* ---- by sysfs -------------------------------------------------------------------------------- */

static int may_want(struct cxr_dev *dev, int n)
{
	struct device *device = dev->core.dev;

	if (n > CXR_VFS_MAX) {
		dev_err(device, "sriov_numvfs: %d is refused: cxr enables up to %d\n", n,
			CXR_VFS_MAX);
		return -ERANGE;
	}
	if (cxr_core_dead(&dev->core) || dev->stages.up < dev->stages.count) {
		dev_err(device, "sriov_numvfs: the function has failed, or is down for a reset\n");
		return -ENODEV;
	}
	return may_enable(dev);
}

/* The stage vfs of a reload or reset does the same from now on. @n may be 0. */
static int want(struct cxr_dev *dev, int n)
{
	struct devlink *devlink = priv_to_devlink(dev);
	int err;

	devl_lock(devlink);
	err = n ? may_want(dev, n) : 0;
	if (!err)
		WRITE_ONCE(dev->vfs_wanted, n);
	devl_unlock(devlink);
	return err;
}

static int apply(struct cxr_dev *dev)
{
	struct devlink *devlink = priv_to_devlink(dev);
	int err = 0;

	devl_lock(devlink);
	mutex_lock(&dev->vfs_lock);
	if (dev->vfs_wanted)
		err = enable_vfs(dev);
	else
		disable_vfs(dev);
	mutex_unlock(&dev->vfs_lock);
	devl_unlock(devlink);
	return err;
}

static void give_up(struct cxr_dev *dev)
{
	want(dev, 0);
	apply(dev);
	cxr_lag_evaluate(dev);
}

static int enable_sriov(struct cxr_dev *dev, int n)
{
	struct pci_dev *pdev = dev->core.pdev;
	int err;

	err = want(dev, n);
	if (err)
		return err;
	/* Leaves a LAG, and forms none any more */
	cxr_lag_evaluate(dev);
	err = apply(dev);
	if (!err)
		err = pci_enable_sriov(pdev, n);
	if (err) {
		dev_err(&pdev->dev, "sriov_numvfs: enabling %d VFs failed: %pe\n", n, ERR_PTR(err));
		give_up(dev);
		return err;
	}
	dev_info(&pdev->dev, "VFs enabled: %d\n", n);
	return n;
}

static int disable_sriov(struct cxr_dev *dev)
{
	struct pci_dev *pdev = dev->core.pdev;

	if (pci_vfs_assigned(pdev)) {
		dev_err(&pdev->dev, "sriov_numvfs: a virtual machine uses a VF\n");
		return -EBUSY;
	}
	pci_disable_sriov(pdev);
	give_up(dev);
	dev_info(&pdev->dev, "VFs disabled\n");
	return 0;
}

int cxr_sriov_configure(struct pci_dev *pdev, int n)
{
	struct cxr_dev *dev = pci_get_drvdata(pdev);

	if (!dev)	/* after cxr_shutdown() */
		return -ENODEV;
	return n ? enable_sriov(dev, n) : disable_sriov(dev);
}

void cxr_sriov_remove(struct cxr_dev *dev)
{
	struct pci_dev *pdev = dev->core.pdev;

	if (!pci_num_vf(pdev))
		return;
	if (pci_vfs_assigned(pdev))
		dev_warn(&pdev->dev, "a virtual machine uses a VF, which stays without its PF\n");
	else
		pci_disable_sriov(pdev);
}

/* ---- settings of a VF ------------------------------------------------------------------------ */

unsigned int cxr_vf_count(struct cxr_core *core)
{
	struct cxr_dev *dev = to_dev(core);
	unsigned int n;

	mutex_lock(&dev->vfs_lock);
	n = bitmap_weight(dev->vfs, CXR_VFS_MAX);
	mutex_unlock(&dev->vfs_lock);
	return n;
}
EXPORT_SYMBOL_GPL(cxr_vf_count);

int cxr_vf_get_roce(struct cxr_core *core, unsigned int vf, bool *on)
{
	struct cxr_dev *dev = to_dev(core);
	int err = -ENOENT;

	mutex_lock(&dev->vfs_lock);
	if (vf < CXR_VFS_MAX && test_bit(vf, dev->vfs))
		err = cxr_cmd_query_vf_roce(core, vf + 1, on);
	mutex_unlock(&dev->vfs_lock);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_vf_get_roce);

int cxr_vf_set_roce(struct cxr_core *core, unsigned int vf, bool on)
{
	struct cxr_dev *dev = to_dev(core);
	int err = -ENOENT;

	mutex_lock(&dev->vfs_lock);
	if (vf < CXR_VFS_MAX && test_bit(vf, dev->vfs))
		err = cxr_cmd_set_vf_roce(core, vf + 1, on);
	mutex_unlock(&dev->vfs_lock);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_vf_set_roce);
