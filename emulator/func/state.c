// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The state behind the registers and the command queue. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "func/func.h"

#define BOOT_NS 2000000		/* how long "initializing" is set after a reset */
#define CLOCK_WRAP (1ull << 41)
#define CLOCK_MS 5000		/* from a reset until then */

int hca_state_create(struct cxdev *dev)
{
	dev->hca = calloc(1, sizeof(*dev->hca));
	if (!dev->hca)
		return -ENOMEM;
	dev->hca->dev = dev;
	work_init(&dev->hca->cmd_work, cmdq_work);
	timer_init(&dev->hca->cmd_timer, cmdq_time_over);
	dev->hca->clock_from = now_ns();
	hca_caps_reset(dev);
	return 0;
}

void hca_state_reset(struct cxdev *dev)
{
	struct hca_state *hca = dev->hca;

	work_cancel(&hca->cmd_work);
	timer_cancel(&hca->cmd_timer);
	hca->phase = HCA_OFF;
	hca->cmdq_addr = 0;
	hca->nic_ifc = PRM_NIC_IFC_FULL;
	memset(hca->owner, 0, sizeof(hca->owner));
	hca->pending = 0;
	hca->waiting = 0;
	hca->busy = 0;
	hca->timed = 0;
	hca->next_slot = 0;
	hca->half_uar = 0;
	memset(&hca->gone_cqs, 0, sizeof(hca->gone_cqs));
	memset(&hca->vnic, 0, sizeof(hca->vnic));
	if (!dev->enabled_by_pf) {
		pages_forget(dev);
		hca->pages_requested = 0;
		hca->pages_denied = false;
	}
	hca->clock_from = now_ns();
	hca->boot_done_ns = now_ns() + BOOT_NS;
	hca_caps_reset(dev);
}

static uint64_t clock_at(const struct cxdev *dev, uint64_t now)
{
	uint64_t ns = now - dev->hca->clock_from, khz = dev->card->clock_khz;

	return CLOCK_WRAP - CLOCK_MS * khz + ns / 1000000 * khz + ns % 1000000 * khz / 1000000;
}

uint64_t hca_clock(const struct cxdev *dev)
{
	return clock_at(dev, now_ns());
}

uint64_t hca_stamp(const struct cxdev *dev)
{
	return clock_at(dev, work_ns());
}

void hca_state_destroy(struct cxdev *dev)
{
	if (!dev->hca)
		return;
	work_cancel(&dev->hca->cmd_work);
	timer_cancel(&dev->hca->cmd_timer);
	pages_forget(dev);
	free(dev->hca);
	dev->hca = NULL;
}
