// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Periodic check of the device health, and for missed interrupts. */
#include <linux/io.h>

#include "prm/cmdif.h"
#include "core.h"

#define PERIOD		(2 * HZ)

static struct cxr_health_in read_health(struct cxr_dev *dev)
{
	struct cxr_health_in in = { .gone = cxr_core_gone(dev) };
	u32 nic_ifc;

	if (in.gone)
		return in;
	nic_ifc = cxr_core_nic_ifc(dev);
	in.nic_disabled = nic_ifc == PRM_NIC_IFC_DISABLED;
	in.nic_resetting = nic_ifc == PRM_NIC_IFC_SW_RESET;
	in.wants_reset = ioread8(&dev->iseg->health.rfr_severity) & PRM_HEALTH_RFR;
	in.synd = ioread8(&dev->iseg->health.synd);
	in.counter = ioread32be(&dev->iseg->health_counter);
	return in;
}

/* For the vendor's support. */
static void log_buffer(struct cxr_dev *dev)
{
	struct cxr_health_buffer buf;

	cxr_core_read_health_buffer(dev, &buf);
	dev_warn(dev->core.dev,
		 "health buffer: assert_var %08x %08x %08x %08x %08x %08x, exit_ptr %08x, callra %08x, time %u, hw_id %#x, rfr_severity %#x, irisc_index %u, synd %#x, ext_synd %#x\n",
		 buf.assert_var[0], buf.assert_var[1], buf.assert_var[2], buf.assert_var[3],
		 buf.assert_var[4], buf.assert_var[5], buf.assert_exit_ptr, buf.assert_callra,
		 buf.time, buf.hw_id, buf.rfr_severity, buf.irisc_index, buf.synd, buf.ext_synd);
}

static void log_findings(struct cxr_dev *dev, const struct cxr_health_in *in,
			 const struct cxr_health_out *out)
{
	if (out->new_synd)
		dev_warn(dev->core.dev, "health: %s (syndrome %#x)\n",
			 cxr_health_synd_text(in->synd), in->synd);
	if (out->new_synd && out->fatal == CXR_HEALTH_ALIVE)
		cxr_report_survived(dev, cxr_health_synd_text(in->synd));
	if (out->stands_still) {
		dev_warn(dev->core.dev, "health counter does not advance\n");
		cxr_report_survived(dev, "health counter does not advance");
	}
	if (out->new_synd || out->stands_still || out->fatal == CXR_HEALTH_WANTS_RESET)
		log_buffer(dev);
}

static void health_work(struct work_struct *work)
{
	struct cxr_dev *dev = container_of(to_delayed_work(work), struct cxr_dev, health.work);
	struct cxr_health_in in;
	struct cxr_health_out out;

	if (cxr_core_dead(&dev->core))
		return;

	in = read_health(dev);
	out = cxr_health_judge(&in, &dev->health.state);
	log_findings(dev, &in, &out);
	if (out.fatal != CXR_HEALTH_ALIVE) {
		cxr_core_fail(dev, cxr_health_fatal_text(out.fatal));
		return;
	}
	cxr_eq_poll_missed(dev);
	queue_delayed_work(system_unbound_wq, &dev->health.work, PERIOD);
}

int cxr_health_up(void *owner)
{
	struct cxr_dev *dev = owner;
	struct cxr_health_in in = read_health(dev);

	if (in.synd)
		dev_info(dev->core.dev, "health: an earlier error: %s (syndrome %#x)\n",
			 cxr_health_synd_text(in.synd), in.synd);
	cxr_health_start(&in, &dev->health.state);
	INIT_DELAYED_WORK(&dev->health.work, health_work);
	queue_delayed_work(system_unbound_wq, &dev->health.work, PERIOD);
	return 0;
}

void cxr_health_down(void *owner)
{
	struct cxr_dev *dev = owner;

	cancel_delayed_work_sync(&dev->health.work);
}
