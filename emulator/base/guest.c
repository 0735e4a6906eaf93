// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Guest memory as a function sees it. */
#include <errno.h>

#include "base/base.h"

bool guest_unreachable(const struct cxdev *dev)
{
	return dev->health.gone || dev->health.fatal;
}

int guest_read(struct cxdev *dev, uint64_t addr, void *buf, size_t len)
{
	int err;

	if (guest_unreachable(dev))
		return -EFAULT;
	err = dev->ops->read(dev->guest, addr, buf, len);
	if (err)
		violation(dev,
			  "DMA read of %zu bytes at 0x%llx: not mapped, or bus mastering is off",
			  len, (unsigned long long)addr);
	return err;
}

int guest_write(struct cxdev *dev, uint64_t addr, const void *buf, size_t len)
{
	int err;

	if (guest_unreachable(dev))
		return -EFAULT;
	err = dev->ops->write(dev->guest, addr, buf, len);
	if (err)
		violation(dev,
			  "DMA write of %zu bytes at 0x%llx: not mapped, or bus mastering is off",
			  len, (unsigned long long)addr);
	return err;
}
