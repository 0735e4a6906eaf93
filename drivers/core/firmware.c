// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Reset of the firmware, which has failed and asks for it. A function level reset does not help
 * then, as it is the firmware that does it.
 *
 * One function of the card resets it for all: the PF that has the card's semaphore (gateway.c). The
 * others wait until the NIC interface is disabled, which tells that the firmware works again. Order
 * and times are those of the in-tree driver, but that a PF that waits tries to get the semaphore:
 * who had it may only have dumped the card's registers.
 */
#include <linux/delay.h>
#include <linux/io.h>
#include <linux/pci.h>

#include "prm/cmdif.h"
#include "core.h"

#define RESET_TIMEOUT	(2 * HZ)
#define OTHERS_INTERVAL	(HZ / 2)

/* ---- who resets ------------------------------------------------------------------------------ */

enum role {
	OWNER,
	ALONE,			/* the card lets nobody have the semaphore */
	OTHER,
};

static int set_semaphore(struct cxr_gateway *gw, bool take)
{
	int err = cxr_gateway_take(gw);

	if (err)
		return err;
	err = cxr_gateway_semaphore(gw, take ? gw->number : 0);
	cxr_gateway_release(gw);
	return err;
}

static enum role take_semaphore(struct cxr_gateway *gw)
{
	int err = set_semaphore(gw, true);

	return !err ? OWNER : err == -EBUSY ? OTHER : ALONE;
}

static void release_semaphore(struct cxr_gateway *gw)
{
	cxr_gateway_released(gw, set_semaphore(gw, false));
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

bool cxr_firmware_asks(struct cxr_dev *dev)
{
	return must_reset(dev) && ioread32be(&dev->iseg->initializing) & PRM_ISEG_CAN_RESET;
}

/* True: the firmware was reset. False: @gw got the semaphore (*@role), or nobody resets. */
static bool wait_for_others(struct cxr_dev *dev, struct cxr_gateway *gw, enum role *role,
			    unsigned long timeout)
{
	unsigned long deadline = jiffies + timeout;

	if (cxr_core_nic_ifc(dev) == PRM_NIC_IFC_DISABLED)
		return true;
	dev_info(dev->core.dev, "waiting for another function of the card to reset the firmware\n");
	while (!wait_disabled(dev, OTHERS_INTERVAL)) {
		if (time_after(jiffies, deadline) || pci_channel_offline(dev->core.pdev))
			return false;
		if (!must_reset(dev) || dev->core.vf)
			continue;
		*role = take_semaphore(gw);
		if (*role != OTHER)
			return false;
	}
	return true;
}

bool cxr_firmware_reset(struct cxr_dev *dev, bool locked, unsigned long others)
{
	struct cxr_gateway gw = { .pdev = dev->core.pdev, .locked = locked };
	enum role role = OTHER;
	bool done = false;

	if (cxr_core_gone(dev))
		return false;
	if (cxr_core_nic_ifc(dev) != PRM_NIC_IFC_SW_RESET) {
		if (!cxr_firmware_asks(dev))
			return false;
		if (!dev->core.vf)
			role = take_semaphore(&gw);
	}
	if (role == OTHER)
		done = wait_for_others(dev, &gw, &role, others);
	if (role != OTHER) {
		if (must_reset(dev))
			start_reset(dev);
		done = wait_disabled(dev, RESET_TIMEOUT);
	}
	if (role == OWNER)
		release_semaphore(&gw);

	if (done)
		cxr_core_restore_config(dev);
	else
		dev_err(dev->core.dev, "the firmware was not reset\n");
	return done;
}
