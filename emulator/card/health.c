// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Faults of a function that take effect at once, and how they end. */
#include <errno.h>
#include <string.h>

#include "card/card.h"
#include "fault/fault.h"
#include "port/port.h"
#include "rdma/rdma.h"
#include "wire/wire.h"

int health_request_pages(struct cxdev *dev, int32_t n)
{
	if (vf_is_absent(dev) || !event_has_sink(pages_giver(dev), PRM_EVENT_PAGE_REQUEST))
		return -ENODEV;
	pages_request(dev, n);
	return 0;
}

int health_warn_temperature(struct cxdev *dev)
{
	struct prm_eqe_temp_warning warn = { .sensor_warning_lsb = cpu_to_be64(1) };

	if (!event_has_sink(dev, PRM_EVENT_TEMP_WARN))
		return -ENODEV;
	event_dispatch(dev, PRM_EVENT_TEMP_WARN, 0, &warn, sizeof(warn));
	return 0;
}

void health_stall(struct cxdev *dev)
{
	dev->health.stalled_at = iseg_read(dev, offsetof(struct prm_iseg, health_counter));
	dev->health.stalled = true;
}

void health_hide_guid(struct cxdev *dev)
{
	dev->health.no_guid = true;
}

void health_lose_power(struct cxdev *dev)
{
	dev->health.d3cold = true;
}

void health_overheat(struct cxdev *dev)
{
	health_report(dev, PRM_HEALTH_SYND_HIGH_TEMP, false);
	health_stall(dev);
	notice(dev, "fault: too hot");
}

/* Violations before the driver has noticed the fault are not counted. */
static void excuse(struct cxdev *dev)
{
	dev->health.excused = true;
}

void health_remove(struct cxdev *dev)
{
	cxdev_power_on(dev);
	dev->health.gone = true;
	excuse(dev);
	notice(dev, "fault: surprise removal");
}

void health_restore(struct cxdev *dev)
{
	if (!dev->health.gone)
		return;
	dev->health.gone = false;
	cxdev_power_on(dev);
	dev->health.config_lost = true;
	excuse(dev);
	notice(dev, "fault: back on the bus");
}

/* A fatal firmware error: the state is lost, the registers can still be read. */
static void crash(struct cxdev *dev)
{
	cxdev_reset(dev);
	dev->hca->boot_done_ns = 0;
	dev->health.fatal = true;
	health_report(dev, PRM_HEALTH_SYND_FW_INTERNAL, true);
	excuse(dev);
	notice(dev, "fault: fatal firmware error");
}

void health_fatal(struct cxdev *dev)
{
	card_for_each(dev, crash);
}

int health_leave(struct cxdev *dev)
{
	if (dev->hca->phase == HCA_RUNNING)
		return -EBUSY;
	eth_state_leave(dev);
	rdma_state_leave(dev);
	notice(dev, "fault: vport and port are as a killed driver left them");
	return 0;
}

void health_reset(struct cxdev *dev)
{
	bool gone = dev->health.gone, config_lost = dev->health.config_lost;

	memset(&dev->health, 0, sizeof(dev->health));
	dev->health.gone = gone;
	dev->health.config_lost = config_lost;
	dev->health.excused = gone;
}

void health_clear(struct cxdev *dev)
{
	health_restore(dev);
	dev->health.fatal = false;
	dev->health.stalled = false;
	health_report(dev, 0, false);
	dev->health.no_guid = false;
	dev->health.d3cold = false;
	hca_caps_restore(dev);
	/* no card of the table has a driver that sets this */
	if (!dev->card->vf)
		port_set_follow(dev->port, PORT_AUTO);
	port_set_wire(dev->port, true);
	port_hold(dev->port, false);
}

void health_disconnect(struct cxdev *dev)
{
	fault_remove_dev(dev);
	fault_remove_port(dev->port);
	health_clear(dev);
	dev->health.excused = false;
}
