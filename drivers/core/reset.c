// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Resets of a bound function: those that somebody asks for (sysfs, the reset of a whole bus), those
 * of the recovery from PCI errors, and those of the driver's own recovery from a failure. And the
 * sleep of the system, in which a function may lose its power.
 *
 * All go down to stage pci, which stays, and up again afterwards. The network interface and the PTP
 * clock stay registered, see cxr_adev_suspend() and cxr_clock_down(). The lock of the device is
 * held in each callback here; between error_detected() and resume(), and while the system sleeps,
 * it is released, so that the driver may be unbound, and bound again, in between:
 * cxr_dev.resetting tells.
 */
#include <linux/pci.h>
#include <net/devlink.h>

#include "core.h"

/* The lock of the devlink instance is held, here and in come_up(). */
static void go_down(struct cxr_dev *dev)
{
	WRITE_ONCE(dev->resetting, true);
	cxr_stages_down(&dev->stages, CXR_FIRST_STAGE);
	/* Nothing can fail any more. The next clients must not hear of an earlier failure. */
	cancel_work_sync(&dev->fatal_work);
}

/* The interface was only suspended: without a device it goes, too, and its clock. */
static void stay_down(struct cxr_dev *dev)
{
	cxr_adev_remove(dev, CXR_CLIENT_EN);
	cxr_clock_remove(dev);
	WRITE_ONCE(dev->resetting, false);
}

/*
 * A frozen channel counts as one whose device is gone. The PCI core ends that late, older kernels
 * only before resume(), and not at all once it has given up a recovery. The firmware is asked
 * before.
 */
static void thaw(struct pci_dev *pdev)
{
	if (pdev->error_state == pci_channel_io_frozen)
		pdev->error_state = pci_channel_io_normal;
}

/*
 * A reset has ended the DMA of a device that had failed, and its use of pages that it did not
 * return, unless the firmware, which does it, has failed and was not reset. A reload may retry what
 * fails here. @after: for the log.
 */
static int come_up(struct cxr_dev *dev, const char *after)
{
	int err;

	thaw(dev->core.pdev);
	if (!cxr_core_wait_response(dev)) {
		cxr_core_fail(dev, "no response after a reset or sleep");
		stay_down(dev);
		return -ENODEV;
	}
	if (cxr_firmware_asks(dev)) {
		cxr_core_fail(dev, "firmware still requests a reset");
		dev_err(dev->core.dev, "stays down after %s: the firmware was not reset\n", after);
		stay_down(dev);
		return -EIO;
	}
	WRITE_ONCE(dev->core.dead, false);
	dev->needs_reset = false;
	err = cxr_stages_up(&dev->stages, CXR_FIRST_STAGE);
	if (err) {
		stay_down(dev);
		return err;
	}
	WRITE_ONCE(dev->resetting, false);
	/* It may have failed again meanwhile, which is reported: the next recovery is for that. */
	if (cxr_core_dead(&dev->core)) {
		dev_err(dev->core.dev, "failed again as it came up after %s\n", after);
		return -EIO;
	}
	dev_info(dev->core.dev, "the function works again after %s\n", after);
	cxr_report_healthy(dev);
	return 0;
}

static void prepare(struct cxr_dev *dev)
{
	struct devlink *devlink = priv_to_devlink(dev);

	devl_lock(devlink);
	go_down(dev);
	devl_unlock(devlink);
}

/* A function that is asleep comes up when it wakes. */
static void finish(struct cxr_dev *dev)
{
	struct devlink *devlink = priv_to_devlink(dev);

	devl_lock(devlink);
	if (dev->resetting && !dev->asleep)
		come_up(dev, "a reset");
	devl_unlock(devlink);
}

/*
 * Of the firmware, if that has to be, else of the function alone. An earlier reset that failed may
 * have left zeros in the configuration space. User space must not see, nor write, one that is being
 * cleared. @others: see cxr_firmware_reset().
 */
static int reset_function(struct cxr_dev *dev, unsigned long others)
{
	struct pci_dev *pdev = dev->core.pdev;
	int err;

	thaw(pdev);
	cxr_core_restore_config(dev);
	if (cxr_firmware_reset(dev, false, others))
		return 0;
	pci_cfg_access_lock(pdev);
	err = __pci_reset_function_locked(pdev);
	if (!err)
		cxr_core_restore_config(dev);
	pci_cfg_access_unlock(pdev);
	return err;
}

static int reset_and_come_up(struct cxr_dev *dev, unsigned long others)
{
	int err;

	err = reset_function(dev, others);
	if (!err)
		return come_up(dev, "a reset");
	stay_down(dev);
	return err;
}

/* ---- the driver's own recovery --------------------------------------------------------------- */

/*
 * When a device of the bus has no driver, the PCI core gives up after error_detected(), and calls
 * nothing else. The lock of the PCI device tells that no other reset is under way.
 */
int cxr_reset_recover(struct cxr_dev *dev, bool asked)
{
	struct pci_dev *pdev = dev->core.pdev;
	int err;

	if (dev->asleep || (dev->resetting && !asked))
		return -EBUSY;
	/* A reload after a recovery that failed has done it. */
	if (!cxr_core_dead(&dev->core) && dev->stages.up == dev->stages.count)
		return 0;
	if (!pci_device_is_present(pdev))
		return -ENODEV;

	dev_info(&pdev->dev, "resetting the function to recover from a failure\n");
	go_down(dev);
	err = reset_and_come_up(dev, CXR_FIRMWARE_OTHERS);
	if (err)
		dev_err(&pdev->dev, "recovery failed: %pe\n", ERR_PTR(err));
	return err;
}

/* ---- what the PCI core calls ----------------------------------------------------------------- */

/*
 * Without a struct cxr_dev: the reset is that of pci_down(), which is the last thing to happen. The
 * reset that follows needs firmware that works.
 */
static void reset_prepare(struct pci_dev *pdev)
{
	struct cxr_dev *dev = pci_get_drvdata(pdev);

	if (!dev)
		return;

	dev_info(&pdev->dev, "going down for a reset of the function\n");
	/* The PCI core preserves what is there. A recovery that failed has left zeros. */
	if (dev->resetting)
		cxr_core_restore_config(dev);
	prepare(dev);
	thaw(pdev);
	cxr_firmware_reset(dev, true, CXR_FIRMWARE_PATIENCE);
}

static void reset_done(struct pci_dev *pdev)
{
	struct cxr_dev *dev = pci_get_drvdata(pdev);

	if (dev)
		finish(dev);
}

/* @slot_flr: slot_reset() has to reset the function itself. */
static void fail(struct cxr_dev *dev, const char *why, bool slot_flr)
{
	cxr_core_fail(dev, why);
	flush_work(&dev->fatal_work);
	dev->slot_flr = slot_flr;
	prepare(dev);
}

/* An error that is not fatal has lost a transaction of unknown content: that needs a reset, too. */
static pci_ers_result_t error_detected(struct pci_dev *pdev, pci_channel_state_t state)
{
	bool nonfatal = state == pci_channel_io_normal;
	struct cxr_dev *dev = pci_get_drvdata(pdev);

	if (!dev)
		return PCI_ERS_RESULT_NONE;

	fail(dev, nonfatal ? "nonfatal PCI error" : "fatal PCI error", nonfatal);
	return state == pci_channel_io_perm_failure ? PCI_ERS_RESULT_DISCONNECT :
						      PCI_ERS_RESULT_NEED_RESET;
}

/*
 * After a fatal error the PCI core has reset the link, after another one only newer kernels do.
 * Without a reset the device still has its objects and the addresses of memory that is free now.
 */
static pci_ers_result_t slot_reset(struct pci_dev *pdev)
{
	struct cxr_dev *dev = pci_get_drvdata(pdev);
	int err;

	if (!dev)
		return PCI_ERS_RESULT_NONE;

	/* Up again since error_detected(), by another reset or bound: perhaps after the link's. */
	if (!dev->resetting)
		fail(dev, "PCI error before it came up", true);
	if (dev->slot_flr) {
		err = reset_function(dev, CXR_FIRMWARE_PATIENCE);
		if (err) {
			dev_err(&pdev->dev, "function reset after a PCI error failed: %pe\n",
				ERR_PTR(err));
			return PCI_ERS_RESULT_DISCONNECT;
		}
	} else {
		cxr_core_restore_config(dev);
	}
	if (!cxr_core_wait_response(dev)) {
		dev_err(&pdev->dev, "no response after the reset that follows a PCI error\n");
		return PCI_ERS_RESULT_DISCONNECT;
	}
	thaw(pdev);
	cxr_firmware_reset(dev, false, CXR_FIRMWARE_PATIENCE);
	return PCI_ERS_RESULT_RECOVERED;
}

static void resume(struct pci_dev *pdev)
{
	struct cxr_dev *dev = pci_get_drvdata(pdev);

	if (dev)
		finish(dev);
}

const struct pci_error_handlers cxr_err_handler = {
	.error_detected = error_detected,
	.slot_reset = slot_reset,
	.resume = resume,
	.reset_prepare = reset_prepare,
	.reset_done = reset_done,
};

/* ---- sleep of the system --------------------------------------------------------------------- */

/* An image that hibernation makes must not change any more, and nothing may be sent from D3. */
static void put_to_sleep(struct cxr_dev *dev)
{
	if (dev->asleep)
		return;
	WRITE_ONCE(dev->asleep, true);
	/* A recovery from a PCI error that has not got to its end has left it down. */
	if (!dev->resetting)
		prepare(dev);
}

/* The firmware may have failed meanwhile, or its power been off. */
static int wake(struct cxr_dev *dev, bool possible)
{
	struct devlink *devlink = priv_to_devlink(dev);
	int err = -ENODEV;

	devl_lock(devlink);
	WRITE_ONCE(dev->asleep, false);
	dev->with_pf = false;
	if (!possible) {
		stay_down(dev);
	} else if (cxr_core_dead(&dev->core) || dev->needs_reset) {
		err = reset_and_come_up(dev, CXR_FIRMWARE_PATIENCE);
	} else {
		if (cxr_core_wait_response(dev))
			cxr_firmware_reset(dev, false, CXR_FIRMWARE_PATIENCE);
		err = come_up(dev, "the sleep of the system");
	}
	devl_unlock(devlink);
	if (err)
		dev_err(dev->core.dev, "did not come back from the sleep of the system: %pe\n",
			ERR_PTR(err));
	return err;
}

static void put_vf_to_sleep(struct cxr_dev *vf)
{
	put_to_sleep(vf);
	vf->with_pf = true;
}

static void wake_vf(struct cxr_dev *vf)
{
	if (vf->with_pf)
		wake(vf, true);
}

static void lose_vf(struct cxr_dev *vf)
{
	if (vf->with_pf)
		wake(vf, false);
}

/*
 * The VFs of @dev that this driver has on this host, with their locks held, as when the PF's driver
 * disables them.
 */
static void with_vfs(struct cxr_dev *dev, void (*what)(struct cxr_dev *vf))
{
	struct pci_dev *pf = dev->core.pdev;
	struct pci_dev *pdev = NULL;
	struct cxr_dev *vf;

	for_each_pci_dev(pdev) {
		if (!pdev->is_virtfn || pci_physfn(pdev) != pf)
			continue;
		device_lock(&pdev->dev);
		vf = pdev->dev.driver == pf->dev.driver ? pci_get_drvdata(pdev) : NULL;
		if (vf)
			what(vf);
		device_unlock(&pdev->dev);
	}
}

/*
 * Without its PF a VF does not work, and nothing else keeps them in order: the PM core may suspend
 * both at a time, and ends with the PF when all wake. So a PF takes its VFs along.
 */
static int go_to_sleep(struct device *device)
{
	struct cxr_dev *dev = dev_get_drvdata(device);

	if (!dev)	/* after cxr_shutdown() */
		return 0;
	with_vfs(dev, put_vf_to_sleep);
	put_to_sleep(dev);
	return 0;
}

/*
 * When the whole system has woken, or did not get to sleep: devices, such as the RDMA device, must
 * not be added earlier.
 */
static void wake_up_again(struct device *device)
{
	struct cxr_dev *dev = dev_get_drvdata(device);
	int err;

	if (!dev || !dev->asleep || dev->with_pf)
		return;
	err = wake(dev, true);
	with_vfs(dev, err ? lose_vf : wake_vf);
}

const struct dev_pm_ops cxr_pm_ops = {
	.suspend = pm_sleep_ptr(go_to_sleep),
	.freeze = pm_sleep_ptr(go_to_sleep),
	.poweroff = pm_sleep_ptr(go_to_sleep),
	.complete = pm_sleep_ptr(wake_up_again),
};
