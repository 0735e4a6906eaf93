// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Events and interrupts of a function. */
#include "fault/fault.h"
#include "func/func.h"

void event_dispatch(struct cxdev *dev, uint8_t type, uint8_t subtype, const void *data, size_t len)
{
	struct event_sink *sink = dev->hca->sinks[type];

	if (sink)
		sink->push(sink, type, subtype, data, len);
	else
		trace(dev, "event 0x%x/%u dropped: no EQ is mapped to it", type, subtype);
}

bool event_has_sink(const struct cxdev *dev, uint8_t type)
{
	return dev->hca->sinks[type];
}

void event_sink_remove(struct cxdev *dev, struct event_sink *sink)
{
	struct hca_state *hca = dev->hca;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hca->sinks); i++)
		if (hca->sinks[i] == sink)
			hca->sinks[i] = NULL;
	if (hca->cmd_sink == sink)
		hca->cmd_sink = NULL;
}

void hca_raise_irq(struct cxdev *dev, unsigned int vector)
{
	if (guest_unreachable(dev))
		return;
	dev->hca->irqs++;
	if (fault_check(FAULT_INTERRUPT, dev, vector, NULL) == FAULT_LOSE) {
		dev->hca->irqs_lost++;
		return;
	}
	if (dev->ops->irq(dev->guest, vector)) {
		dev->hca->irqs_lost++;
		trace(dev, "interrupt %u lost: the vector is off", vector);
	}
}
