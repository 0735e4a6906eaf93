// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Reset of the firmware, which has failed and asks for it. A function level reset does not help
 * then, as it is the firmware that does it.
 *
 * One function of the card resets it for all: the PF that has a semaphore of the card, behind the
 * vendor specific capability. The others wait until the NIC interface is disabled, which tells that
 * the firmware works again. Order and times are those of the in-tree driver.
 */
#include <linux/delay.h>
#include <linux/io.h>
#include <linux/pci.h>

#include "prm/cmdif.h"
#include "prm/vsc.h"
#include "core.h"

#define GATEWAY_TIMEOUT	(2 * HZ)
#define RESET_TIMEOUT	(2 * HZ)

/* User space, which may use the gateway, too, is locked out of configuration space meanwhile. */
struct gateway {
	struct pci_dev *pdev;
	bool locked;			/* by the caller */
	int at;				/* the capability */
	u32 number;			/* ours, of the semaphores */
};

/* ---- the gateway ----------------------------------------------------------------------------- */

/* All ones if the device does not respond. */
static u32 get(const struct gateway *gw, int reg)
{
	u32 value;

	pci_read_config_dword(gw->pdev, gw->at + reg, &value);
	return value;
}

static void put(const struct gateway *gw, int reg, u32 value)
{
	pci_write_config_dword(gw->pdev, gw->at + reg, value);
}

static bool try_gateway(struct gateway *gw)
{
	if (get(gw, PRM_VSC_SEMAPHORE))
		return false;
	gw->number = get(gw, PRM_VSC_COUNTER);
	put(gw, PRM_VSC_SEMAPHORE, gw->number);
	return get(gw, PRM_VSC_SEMAPHORE) == gw->number;
}

static bool take_gateway(struct gateway *gw)
{
	unsigned long deadline = jiffies + GATEWAY_TIMEOUT;

	if (!gw->at)
		return false;
	if (!gw->locked)
		pci_cfg_access_lock(gw->pdev);
	while (!try_gateway(gw)) {
		if (time_after(jiffies, deadline)) {
			if (!gw->locked)
				pci_cfg_access_unlock(gw->pdev);
			return false;
		}
		usleep_range(1000, 2000);
	}
	return true;
}

static void release_gateway(struct gateway *gw)
{
	put(gw, PRM_VSC_SEMAPHORE, 0);
	if (!gw->locked)
		pci_cfg_access_unlock(gw->pdev);
}

/* 0; -EBUSY: it has not done what was asked for; -EIO: it refuses. */
static int finished(const struct gateway *gw, u32 flag)
{
	unsigned long deadline = jiffies + GATEWAY_TIMEOUT;
	u32 addr;

	for (;;) {
		addr = get(gw, PRM_VSC_ADDR);
		if ((addr & PRM_VSC_ADDR_FLAG) == flag)
			return addr & PRM_VSC_ADDR_ERROR ? -EIO : 0;
		if (time_after(jiffies, deadline))
			return -EBUSY;
		usleep_range(10, 100);
	}
}

/* 0; -EBUSY: the gateway does not respond, or another function has the semaphore; -errno. */
static int write_semaphore(const struct gateway *gw, u32 value)
{
	int err;

	put(gw, PRM_VSC_CTRL, (get(gw, PRM_VSC_CTRL) & ~PRM_VSC_CTRL_SPACE) | PRM_VSC_SEMAPHORES);
	if (!(get(gw, PRM_VSC_CTRL) & PRM_VSC_CTRL_STATUS))
		return -EOPNOTSUPP;
	put(gw, PRM_VSC_DATA, value);
	put(gw, PRM_VSC_ADDR, PRM_VSC_SEMAPHORE_RESET | PRM_VSC_ADDR_FLAG);
	err = finished(gw, 0);
	if (err)
		return err;
	put(gw, PRM_VSC_ADDR, PRM_VSC_SEMAPHORE_RESET);
	err = finished(gw, PRM_VSC_ADDR_FLAG);
	if (err)
		return err;
	return get(gw, PRM_VSC_DATA) == value ? 0 : -EBUSY;
}

/* ---- who resets ------------------------------------------------------------------------------ */

enum role {
	OWNER,
	ALONE,			/* the card lets nobody have the semaphore */
	OTHER,
};

static enum role take_semaphore(struct gateway *gw)
{
	int err;

	if (!take_gateway(gw))
		return ALONE;
	err = write_semaphore(gw, gw->number);
	release_gateway(gw);
	return !err ? OWNER : err == -EBUSY ? OTHER : ALONE;
}

static void release_semaphore(struct gateway *gw)
{
	int err = -EBUSY;

	if (take_gateway(gw)) {
		err = write_semaphore(gw, 0);
		release_gateway(gw);
	}
	if (err)
		dev_warn(&gw->pdev->dev, "the semaphore for a reset of the firmware is not released: %pe\n",
			 ERR_PTR(err));
}

/* ---- the reset ------------------------------------------------------------------------------- */

/* The address of the command queue, in the same register, is the firmware's until it is reset. */
static void start_reset(struct cxr_dev *dev)
{
	u32 low = ioread32be(&dev->iseg->cmdq_addr_l_sz) & PRM_ISEG_CMDQ_ADDR_L_MASK;

	dev_warn(dev->core.dev, "resetting the firmware, which is that of all functions of the card\n");
	iowrite32be(low | PRM_NIC_IFC_SW_RESET << PRM_ISEG_NIC_IFC_SHIFT,
		    &dev->iseg->cmdq_addr_l_sz);
}

static bool wait_disabled(struct cxr_dev *dev, unsigned long timeout)
{
	unsigned long deadline = jiffies + timeout;

	while (cxr_core_nic_ifc(dev) != PRM_NIC_IFC_DISABLED) {
		if (time_after(jiffies, deadline) || pci_channel_offline(dev->core.pdev))
			return false;
		msleep(20);
	}
	return true;
}

static bool asks_for_reset(struct cxr_dev *dev)
{
	return ioread8(&dev->iseg->health.rfr_severity) & PRM_HEALTH_RFR &&
	       ioread8(&dev->iseg->health.synd);
}

/* Another function may have done it, or do it now. All reads of a device that is gone are ones. */
static bool must_reset(struct cxr_dev *dev)
{
	return !cxr_core_gone(dev) && cxr_core_nic_ifc(dev) == PRM_NIC_IFC_FULL &&
	       asks_for_reset(dev);
}

static bool wait_for_others(struct cxr_dev *dev, unsigned long timeout)
{
	if (cxr_core_nic_ifc(dev) == PRM_NIC_IFC_DISABLED)
		return true;
	dev_info(dev->core.dev, "waiting for another function of the card to reset the firmware\n");
	return wait_disabled(dev, timeout);
}

static bool reset_firmware(struct cxr_dev *dev, bool locked, unsigned long others)
{
	struct gateway gw = { .pdev = dev->core.pdev, .locked = locked };
	enum role role;
	bool done;

	gw.at = pci_find_capability(gw.pdev, PCI_CAP_ID_VNDR);
	role = dev->core.vf ? OTHER : take_semaphore(&gw);
	if (role == OTHER)
		return wait_for_others(dev, others);
	if (must_reset(dev))
		start_reset(dev);
	done = wait_disabled(dev, RESET_TIMEOUT);
	if (role == OWNER)
		release_semaphore(&gw);
	return done;
}

bool cxr_firmware_reset(struct cxr_dev *dev, bool locked, unsigned long others)
{
	bool done;

	if (cxr_core_gone(dev))
		return false;
	if (cxr_core_nic_ifc(dev) == PRM_NIC_IFC_SW_RESET)
		done = wait_for_others(dev, others);
	else if (must_reset(dev) && ioread32be(&dev->iseg->initializing) & PRM_ISEG_CAN_RESET)
		done = reset_firmware(dev, locked, others);
	else
		return false;

	if (done)
		cxr_core_restore_config(dev);
	else
		dev_err(dev->core.dev, "the firmware was not reset\n");
	return done;
}
