// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Whether the device is ready, gone, or dead. A device that fails is marked as dead until it is
 * reset: its DMA is disabled so that its memory can be freed, commands fail at once, and clients
 * are notified. It works again after a reset (reporter.c, reset.c).
 */
#include <linux/delay.h>
#include <linux/io.h>
#include <linux/pci.h>

#include "prm/cmdif.h"
#include "core.h"

#define READY_TIMEOUT	(120 * HZ)
#define READY_LOG	(5 * HZ)
#define RESPONSE_TIMEOUT	(5 * HZ)

int cxr_core_wait_ready(struct cxr_dev *dev)
{
	unsigned long start = jiffies;
	bool logged = false;
	u32 state;

	for (;;) {
		state = ioread32be(&dev->iseg->initializing);
		if (state == U32_MAX) {
			dev_err(dev->core.dev, "no response from the device (all reads are ones)\n");
			return -ENODEV;
		}
		if (!(state & PRM_ISEG_INITIALIZING))
			return 0;
		if (time_after(jiffies, start + READY_TIMEOUT)) {
			dev_err(dev->core.dev, "firmware did not become ready in %u s\n",
				READY_TIMEOUT / HZ);
			return -ETIMEDOUT;
		}
		if (!logged && time_after(jiffies, start + READY_LOG)) {
			logged = true;
			dev_info(dev->core.dev, "waiting for the firmware to become ready\n");
		}
		msleep(20);
	}
}

static bool responds(struct cxr_dev *dev)
{
	return ioread32be(&dev->iseg->health.fw_ver) != U32_MAX;
}

u32 cxr_core_nic_ifc(struct cxr_dev *dev)
{
	u32 low = ioread32be(&dev->iseg->cmdq_addr_l_sz);

	return (low & PRM_ISEG_NIC_IFC_MASK) >> PRM_ISEG_NIC_IFC_SHIFT;
}

bool cxr_core_gone(struct cxr_dev *dev)
{
	return pci_channel_offline(dev->core.pdev) || !responds(dev);
}

bool cxr_core_wait_response(struct cxr_dev *dev)
{
	unsigned long deadline = jiffies + RESPONSE_TIMEOUT;

	while (!responds(dev)) {
		if (time_after(jiffies, deadline))
			return false;
		msleep(50);
	}
	return true;
}

void cxr_core_restore_config(struct cxr_dev *dev)
{
	pci_load_saved_state(dev->core.pdev, dev->config);
	pci_restore_state(dev->core.pdev);
}

void cxr_core_read_health_buffer(struct cxr_dev *dev, struct cxr_health_buffer *buffer)
{
	struct prm_health_buffer __iomem *health = &dev->iseg->health;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(buffer->assert_var); i++)
		buffer->assert_var[i] = ioread32be(&health->assert_var[i]);
	buffer->assert_exit_ptr = ioread32be(&health->assert_exit_ptr);
	buffer->assert_callra = ioread32be(&health->assert_callra);
	buffer->time = ioread32be(&health->time);
	buffer->hw_id = ioread32be(&health->hw_id);
	buffer->rfr_severity = ioread8(&health->rfr_severity);
	buffer->irisc_index = ioread8(&health->irisc_index);
	buffer->synd = ioread8(&health->synd);
	buffer->ext_synd = ioread16be(&health->ext_synd);
}

/*
 * DMA first: whoever sees the mark may free memory that the device used. The write to configuration
 * space and earlier writes of the device may be posted; the read flushes both.
 */
static void stop_dma(struct cxr_dev *dev)
{
	u16 command;

	pci_clear_master(dev->core.pdev);
	pci_read_config_word(dev->core.pdev, PCI_COMMAND, &command);
	smp_mb();	/* DMA, then the mark; pairs with cxr_core_dead() */
	WRITE_ONCE(dev->core.dead, true);
}

int cxr_core_enable_dma(struct cxr_dev *dev)
{
	unsigned long flags;
	int err = 0;

	spin_lock_irqsave(&dev->fail_lock, flags);
	if (cxr_core_dead(&dev->core))
		err = -ENODEV;
	else
		pci_set_master(dev->core.pdev);
	spin_unlock_irqrestore(&dev->fail_lock, flags);
	return err;
}

void cxr_core_fail(struct cxr_dev *dev, const char *why)
{
	unsigned long flags;
	bool first;

	spin_lock_irqsave(&dev->fail_lock, flags);
	first = !cxr_core_dead(&dev->core);
	if (first)
		stop_dma(dev);
	spin_unlock_irqrestore(&dev->fail_lock, flags);
	if (!first)
		return;

	/* Not under the lock: a console is slow. */
	dev_err(dev->core.dev, "device failed: %s\n", why);
	cxr_cmdq_abort(dev);
	dev->fail_why = why;
	schedule_work(&dev->fatal_work);
}
