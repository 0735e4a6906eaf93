// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Guest memory as a function sees it. */
#include <errno.h>

#include "base/base.h"

bool guest_unreachable(const struct cxdev *dev)
{
	return dev->health.gone || dev->health.fatal;
}

static void failed(struct cxdev *dev, int err, const char *what, size_t len, uint64_t addr)
{
	if (err != -EPERM) {
		violation(dev, "DMA %s of %zu bytes at 0x%llx: not mapped", what, len,
			  (unsigned long long)addr);
		return;
	}
	if (!dev->dma_dropped++)
		notice(dev, "DMA %s of %zu bytes dropped: bus mastering is off", what, len);
}

int guest_read(struct cxdev *dev, uint64_t addr, void *buf, size_t len)
{
	int err;

	if (guest_unreachable(dev))
		return -EFAULT;
	err = dev->ops->read(dev->guest, addr, buf, len);
	if (err)
		failed(dev, err, "read", len, addr);
	return err;
}

int guest_write(struct cxdev *dev, uint64_t addr, const void *buf, size_t len)
{
	int err;

	if (guest_unreachable(dev))
		return -EFAULT;
	err = dev->ops->write(dev->guest, addr, buf, len);
	if (err)
		failed(dev, err, "write", len, addr);
	return err;
}

volatile int guest_memory_lost;

uint8_t *guest_ptr(struct cxdev *dev, uint64_t addr, size_t *len, bool write)
{
	return guest_unreachable(dev) ? NULL : dev->ops->ptr(dev->guest, addr, len, write);
}

void dma_resumed(struct cxdev *dev)
{
	if (!dev->dma_dropped)
		return;
	violation(dev, "bus mastering is on again without a reset: %llu accesses were dropped",
		  (unsigned long long)dev->dma_dropped);
	dev->dma_dropped = 0;
}
