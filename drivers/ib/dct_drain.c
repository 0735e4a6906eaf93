// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The end of DC targets, those of verbs and those that programs make without verbs. */
#include "cxr/health.h"
#include "queue.h"

#define DRAIN_TIMEOUT (10 * HZ)	/* *unproven dct-drain* */

void cxr_ib_target_init(struct cxr_ib_target *target)
{
	init_completion(&target->drained);
	target->done = false;
}

void cxr_ib_target_drained(struct cxr_ib_dev *dev, u32 num)
{
	struct cxr_ib_target *target;
	unsigned long flags;

	xa_lock_irqsave(&dev->dc_targets, flags);
	target = xa_load(&dev->dc_targets, num);
	if (target)
		complete(&target->drained);
	xa_unlock_irqrestore(&dev->dc_targets, flags);
}

void cxr_ib_targets_fail(struct cxr_ib_dev *dev)
{
	struct cxr_ib_target *target;
	unsigned long flags, num;

	xa_lock_irqsave(&dev->dc_targets, flags);
	xa_for_each(&dev->dc_targets, num, target)
		complete(&target->drained);
	xa_unlock_irqrestore(&dev->dc_targets, flags);
}

int cxr_ib_target_drain(struct cxr_ib_dev *dev, struct cxr_ib_target *target, u16 uid, u32 num)
{
	int err;

	if (target->done)
		return 0;
	err = xa_insert_irq(&dev->dc_targets, num, target, GFP_KERNEL);
	if (err) {
		/* -EBUSY: the device assigned a number twice. */
		ibdev_err(&dev->ibdev, "DC target %#x: failed to store its number: %d\n", num, err);
		return err == -EBUSY ? -EIO : err;
	}
	err = cxr_cmd_drain_dct(dev->core, uid, num);
	/* If it fails from here on, cxr_ib_targets_fail() ends the wait. */
	if (!err && !cxr_core_dead(dev->core) &&
	    !wait_for_completion_timeout(&target->drained, DRAIN_TIMEOUT))
		ibdev_warn(&dev->ibdev, "DC target %#x does not drain\n", num);
	target->done = !err;
	xa_erase_irq(&dev->dc_targets, num);
	return err;
}
