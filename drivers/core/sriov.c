// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Virtual functions of a PF. If it manages the card's e-switch, that connects them and has settings
 * for each (eswitch.c). Else the firmware does, or the embedded CPU of a SmartNIC, and the driver
 * only enables them.
 *
 * The firmware knows VF n as function n + 1. Reloads and resets take stage vfs down and up, under
 * the lock of the devlink instance; how many there are to be is written under that lock, too, but
 * it is not held while the PCI core adds VFs, whose drivers probe then.
 */
#include <linux/etherdevice.h>
#include <linux/pci.h>
#include <net/devlink.h>

#include "eswitch.h"

/* ---- in the firmware ------------------------------------------------------------------------- */

static void disable_vf(struct cxr_dev *dev, unsigned int vf)
{
	mutex_lock(&dev->vfs_lock);
	if (test_bit(vf, dev->vfs) &&
	    !cxr_cmd_refusal(&dev->core, cxr_cmd_disable_hca(&dev->core, vf + 1)))
		__clear_bit(vf, dev->vfs);
	mutex_unlock(&dev->vfs_lock);
}

/*
 * A VF that the firmware does not let go of stays enabled, with its memory. Without vfs_lock, for
 * which who lists the interfaces of the host waits under RTNL: only one at a time enables or
 * disables VFs, under the lock of devlink, or while the driver is bound or unbound.
 */
static void disable_vfs(struct cxr_dev *dev)
{
	unsigned int vf;

	if (!cxr_vf_count(&dev->core))
		return;
	for (vf = 0; vf < CXR_VFS_MAX; vf++)
		disable_vf(dev, vf);
	if (!cxr_vf_count(&dev->core) && cxr_pages_wait_vfs(dev))
		dev_warn(dev->core.dev, "VFs that are disabled keep memory of this function\n");
}

static bool manages(const struct cxr_dev *dev)
{
	return dev->core.caps.eswitch_manager;
}

/* Those of a driver before it are not known: the VFs that it left begin anew. */
static int connect_vfs(struct cxr_dev *dev)
{
	int err;

	if (!manages(dev))
		return 0;
	mutex_lock(&dev->vfs_lock);
	if (!dev->vf_settings)
		dev->vf_settings = kcalloc(dev->vfs_wanted, sizeof(*dev->vf_settings), GFP_KERNEL);
	err = dev->vf_settings ? cxr_eswitch_up(dev, dev->vfs_wanted) : -ENOMEM;
	mutex_unlock(&dev->vfs_lock);
	return err;
}

static void disconnect_vfs(struct cxr_dev *dev)
{
	mutex_lock(&dev->vfs_lock);
	cxr_eswitch_down(dev);
	mutex_unlock(&dev->vfs_lock);
}

static int enable_vf(struct cxr_dev *dev, unsigned int vf)
{
	int err = 0;

	mutex_lock(&dev->vfs_lock);
	if (!test_bit(vf, dev->vfs))
		err = cxr_cmd_enable_hca(&dev->core, vf + 1);
	if (!err)
		__set_bit(vf, dev->vfs);
	mutex_unlock(&dev->vfs_lock);
	return err;
}

/* All that are wanted, or none. As disable_vfs(), without vfs_lock */
static int enable_vfs(struct cxr_dev *dev)
{
	unsigned int vf;
	int err;

	err = connect_vfs(dev);
	for (vf = 0; !err && vf < dev->vfs_wanted; vf++)
		err = enable_vf(dev, vf);
	if (err) {
		disable_vfs(dev);
		disconnect_vfs(dev);
	}
	return err;
}

/* 0 or an error that the log explains */
static int may_enable(struct cxr_dev *dev, int n)
{
	int max = manages(dev) ? CXR_FDB_VFS_MAX : CXR_VFS_MAX;

	if (n > max) {
		dev_err(dev->core.dev, "sriov_numvfs: %d is refused: cxr enables up to %d\n", n,
			max);
		return -ERANGE;
	}
	if (manages(dev) && !dev->core.caps.fdb) {
		dev_err(dev->core.dev, "sriov_numvfs: this function manages the card's e-switch, but has no flow tables for it\n");
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
	err = may_enable(dev, dev->vfs_wanted);
	if (!err)
		err = enable_vfs(dev);
	/* The function itself works. */
	if (err)
		dev_warn(dev->core.dev, "the VFs of before are not enabled: %pe\n", ERR_PTR(err));
	return 0;
}

void cxr_vfs_down(void *owner)
{
	struct cxr_dev *dev = owner;

	disable_vfs(dev);
	mutex_lock(&dev->vfs_lock);
	cxr_eswitch_down(dev);
	/* What the stages below do ends those that are left. */
	bitmap_zero(dev->vfs, CXR_VFS_MAX);
	mutex_unlock(&dev->vfs_lock);
}

/* ---- by sysfs -------------------------------------------------------------------------------- */

static int may_want(struct cxr_dev *dev, int n)
{
	if (cxr_core_dead(&dev->core) || dev->stages.up < dev->stages.count) {
		dev_err(dev->core.dev, "sriov_numvfs: the function has failed, or is down for a reset\n");
		return -ENODEV;
	}
	return may_enable(dev, n);
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

static void forget_vfs(struct cxr_dev *dev)
{
	disable_vfs(dev);
	mutex_lock(&dev->vfs_lock);
	cxr_eswitch_down(dev);
	kfree(dev->vf_settings);
	dev->vf_settings = NULL;
	mutex_unlock(&dev->vfs_lock);
}

static int apply(struct cxr_dev *dev)
{
	struct devlink *devlink = priv_to_devlink(dev);
	int err = 0;

	devl_lock(devlink);
	if (dev->vfs_wanted)
		err = enable_vfs(dev);
	else
		forget_vfs(dev);
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

/* 0, or why there are no settings of this VF */
static int check_settings(struct cxr_dev *dev, unsigned int vf)
	__must_hold(&dev->vfs_lock)
{
	if (!manages(dev))
		return -EOPNOTSUPP;
	return dev->vf_settings && vf < dev->vfs_wanted ? 0 : -ENOENT;
}

int cxr_vf_get_settings(struct cxr_core *core, unsigned int vf, struct cxr_vf_settings *settings)
{
	struct cxr_dev *dev = to_dev(core);
	int err;

	mutex_lock(&dev->vfs_lock);
	err = check_settings(dev, vf);
	if (!err)
		*settings = dev->vf_settings[vf];
	mutex_unlock(&dev->vfs_lock);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_vf_get_settings);

/* As the in-tree driver, a VLAN needs ACLs, too: a VF could send with a tag of its own. */
static int check_possible(const struct cxr_core *core, const struct cxr_vf_settings *settings)
{
	bool vlan = settings->vlan || settings->qos;

	if ((vlan && !core->caps.vport_vlan) ||
	    ((vlan || settings->spoofchk) && !core->caps.vport_acl))
		return -EOPNOTSUPP;
	return 0;
}

static void copy_settings(struct cxr_vf_settings *to, const struct cxr_vf_settings *from, u32 which)
{
	if (which & CXR_VF_MAC)
		ether_addr_copy(to->mac, from->mac);
	if (which & CXR_VF_VLAN) {
		to->vlan = from->vlan;
		to->qos = from->qos;
	}
	if (which & CXR_VF_LINK)
		to->link = from->link;
	if (which & CXR_VF_TRUST)
		to->trusted = from->trusted;
	if (which & CXR_VF_SPOOFCHK)
		to->spoofchk = from->spoofchk;
}

int cxr_vf_set_settings(struct cxr_core *core, unsigned int vf, u32 which,
			const struct cxr_vf_settings *settings)
{
	struct cxr_dev *dev = to_dev(core);
	struct cxr_vf_settings old, new;
	int err;

	mutex_lock(&dev->vfs_lock);
	err = check_settings(dev, vf);
	if (err)
		goto unlock;
	old = dev->vf_settings[vf];
	new = old;
	copy_settings(&new, settings, which);
	err = check_possible(core, &new);
	if (err)
		goto unlock;
	dev->vf_settings[vf] = new;
	err = cxr_eswitch_apply(dev, vf, &old);
	if (err) {
		dev->vf_settings[vf] = old;
		cxr_eswitch_apply(dev, vf, &new);
	} else if (new.spoofchk && is_zero_ether_addr(new.mac)) {
		dev_warn(core->dev, "VF %u: with spoofchk, and no MAC, nothing that it sends passes\n",
			 vf);
	}
unlock:
	mutex_unlock(&dev->vfs_lock);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_vf_set_settings);

int cxr_vf_get_stats(struct cxr_core *core, unsigned int vf, struct cxr_vf_stats *stats)
{
	struct cxr_dev *dev = to_dev(core);
	int err;

	mutex_lock(&dev->vfs_lock);
	err = check_settings(dev, vf);
	/* It has settings also while the function is down, and the interface asks. */
	if (!err && !test_bit(vf, dev->vfs))
		err = -ENOENT;
	err = err ?: cxr_cmd_query_vport_counters(core, vf + 1, stats->traffic);
	err = err ?: cxr_eswitch_dropped(dev, vf, &stats->rx_dropped, &stats->tx_dropped);
	mutex_unlock(&dev->vfs_lock);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_vf_get_stats);
