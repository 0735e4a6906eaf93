// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Is the device alive? Looked at every two seconds, and by commands that wait. A device that is not
 * is given up once and for all: its DMA is cut off so that its memory can be freed, commands fail
 * at once, clients are told. It works again after unbind and bind. Lost interrupts are found by the
 * way.
 */
#include <linux/delay.h>
#include <linux/io.h>
#include <linux/pci.h>

#include "prm/cmdif.h"
#include "core.h"

#define PERIOD		(2 * HZ)
#define MISSES		3		/* looks at a counter that does not move */
#define READY_TIMEOUT	(120 * HZ)
#define READY_SAY	(5 * HZ)
#define SYND_HIGH_TEMP	0x10

static const char *synd_text(u8 synd)
{
	switch (synd) {
	case 0x1:
		return "firmware internal error";
	case 0x7:
		return "a processor of the firmware does not respond";
	case 0x8:
		return "unrecoverable hardware error";
	case 0x9:
		return "firmware CRC error";
	case 0xa:
		return "PCI error while fetching context memory";
	case 0xb:
		return "page error in context memory";
	case 0xc:
		return "overrun of the asynchronous event queue";
	case 0xd:
		return "event queue in error";
	case 0xe:
		return "invalid event queue referenced";
	case 0xf:
		return "FFSER error";
	case SYND_HIGH_TEMP:
		return "high temperature";
	case 0x12:
		return "poisoned data while fetching context memory";
	default:
		return "unknown syndrome";
	}
}

int cxr_health_wait_ready(struct cxr_dev *dev)
{
	unsigned long start = jiffies;
	bool said = false;
	u32 state;

	for (;;) {
		state = ioread32be(&dev->iseg->initializing);
		if (state == U32_MAX) {
			dev_err(dev->core.dev, "the device does not answer (all reads are ones)\n");
			return -ENODEV;
		}
		if (!(state & PRM_ISEG_INITIALIZING))
			return 0;
		if (time_after(jiffies, start + READY_TIMEOUT)) {
			dev_err(dev->core.dev, "firmware did not come up in %u s\n",
				READY_TIMEOUT / HZ);
			return -ETIMEDOUT;
		}
		if (!said && time_after(jiffies, start + READY_SAY)) {
			said = true;
			dev_info(dev->core.dev, "waiting for the firmware to come up\n");
		}
		msleep(20);
	}
}

bool cxr_health_gone(struct cxr_dev *dev)
{
	return pci_channel_offline(dev->core.pdev) ||
	       ioread32be(&dev->iseg->health.fw_ver) == U32_MAX;
}

bool cxr_core_dead(const struct cxr_core *core)
{
	return test_bit_acquire(CXR_DEAD, &to_dev(core)->state);
}
EXPORT_SYMBOL_GPL(cxr_core_dead);

/*
 * The DMA first: whoever sees that the device is dead frees what it was given. A write to the
 * configuration may be posted, and so may what the device just wrote: the answer to a read comes
 * behind both.
 */
static void cut_off(struct cxr_dev *dev)
{
	u16 command;

	pci_clear_master(dev->core.pdev);
	pci_read_config_word(dev->core.pdev, PCI_COMMAND, &command);
	smp_mb__before_atomic();	/* the DMA, then the mark: cxr_core_dead() */
	set_bit(CXR_DEAD, &dev->state);
}

void cxr_core_fail(struct cxr_dev *dev, const char *why)
{
	unsigned long flags;
	bool first;

	spin_lock_irqsave(&dev->fail_lock, flags);
	first = !cxr_core_dead(&dev->core);
	if (first)
		cut_off(dev);
	spin_unlock_irqrestore(&dev->fail_lock, flags);
	if (!first)
		return;

	/* A console takes its time. */
	dev_err(dev->core.dev, "given up: %s\n", why);
	cxr_cmdq_abort(dev);
	schedule_work(&dev->fatal_work);
}

/* The text of what is wrong, or NULL. @synd is read from a device that answers. */
static const char *ailment(struct cxr_dev *dev, u8 *synd)
{
	struct cxr_health *health = &dev->health;
	u32 nic_ifc, counter;

	if (cxr_health_gone(dev))
		return "it does not answer (off the bus, or all reads are ones)";

	*synd = ioread8(&dev->iseg->health.synd);
	if (*synd && *synd != SYND_HIGH_TEMP)
		return synd_text(*synd);
	if (*synd && !health->warned)
		dev_warn(dev->core.dev, "health: %s (syndrome %#x)\n", synd_text(*synd), *synd);
	health->warned = *synd;

	nic_ifc = ioread32be(&dev->iseg->cmdq_addr_l_sz) & PRM_ISEG_NIC_IFC_MASK;
	nic_ifc >>= PRM_ISEG_NIC_IFC_SHIFT;
	if (nic_ifc == PRM_NIC_IFC_DISABLED)
		return "its firmware disabled the interface";

	counter = ioread32be(&dev->iseg->health_counter);
	health->misses = counter == health->counter ? health->misses + 1 : 0;
	health->counter = counter;
	return health->misses >= MISSES ? "its health counter stands still" : NULL;
}

static void health_work(struct work_struct *work)
{
	struct cxr_dev *dev = container_of(to_delayed_work(work), struct cxr_dev, health.work);
	const char *why;
	char text[96];
	u8 synd = 0;

	if (cxr_core_dead(&dev->core))
		return;

	why = ailment(dev, &synd);
	if (!why) {
		cxr_eq_watch(dev);
		queue_delayed_work(system_unbound_wq, &dev->health.work, PERIOD);
		return;
	}
	if (synd) {
		snprintf(text, sizeof(text), "%s (health syndrome %#x, extended %#x)", why, synd,
			 ioread16be(&dev->iseg->health.ext_synd));
		why = text;
	}
	cxr_core_fail(dev, why);
}

int cxr_health_up(struct cxr_dev *dev)
{
	dev->health.misses = 0;
	dev->health.counter = ioread32be(&dev->iseg->health_counter);
	INIT_DELAYED_WORK(&dev->health.work, health_work);
	queue_delayed_work(system_unbound_wq, &dev->health.work, PERIOD);
	return 0;
}

void cxr_health_down(struct cxr_dev *dev)
{
	cancel_delayed_work_sync(&dev->health.work);
}
