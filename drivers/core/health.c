// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Periodic check of the device health, and for missed interrupts. */
#include <linux/io.h>

#include "prm/cmdif.h"
#include "core.h"

#define PERIOD		(2 * HZ)
#define MISSES		3		/* checks without an advance of the counter */
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

/* What is wrong, or NULL. *synd is set if the device responds. */
static const char *health_error(struct cxr_dev *dev, u8 *synd)
{
	struct cxr_health *health = &dev->health;
	u32 nic_ifc, counter;

	if (cxr_core_gone(dev))
		return "no response (off the bus, or all reads are ones)";

	*synd = ioread8(&dev->iseg->health.synd);
	if (*synd && *synd != SYND_HIGH_TEMP)
		return synd_text(*synd);
	if (*synd && !health->warned)
		dev_warn(dev->core.dev, "health: %s (syndrome %#x)\n", synd_text(*synd), *synd);
	health->warned = *synd;

	nic_ifc = ioread32be(&dev->iseg->cmdq_addr_l_sz) & PRM_ISEG_NIC_IFC_MASK;
	nic_ifc >>= PRM_ISEG_NIC_IFC_SHIFT;
	if (nic_ifc == PRM_NIC_IFC_DISABLED)
		return "firmware disabled the NIC interface";

	counter = ioread32be(&dev->iseg->health_counter);
	health->misses = counter == health->counter ? health->misses + 1 : 0;
	health->counter = counter;
	return health->misses >= MISSES ? "health counter does not advance" : NULL;
}

static void health_work(struct work_struct *work)
{
	struct cxr_dev *dev = container_of(to_delayed_work(work), struct cxr_dev, health.work);
	const char *why;
	char text[96];
	u8 synd = 0;

	if (cxr_core_dead(&dev->core))
		return;

	why = health_error(dev, &synd);
	if (!why) {
		cxr_eq_poll_missed(dev);
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

int cxr_health_up(void *owner)
{
	struct cxr_dev *dev = owner;

	dev->health.misses = 0;
	dev->health.counter = ioread32be(&dev->iseg->health_counter);
	INIT_DELAYED_WORK(&dev->health.work, health_work);
	queue_delayed_work(system_unbound_wq, &dev->health.work, PERIOD);
	return 0;
}

void cxr_health_down(void *owner)
{
	struct cxr_dev *dev = owner;

	cancel_delayed_work_sync(&dev->health.work);
}
