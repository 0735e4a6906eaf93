// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Attributes of the PCI device: a group per object. They exist from the end of probe to the start
 * of removal.
 */
#include <linux/sysfs.h>

#include "core.h"

const struct attribute_group *cxr_dev_groups[] = {
	&cxr_lag_attr_group,
	&cxr_roce_attr_group,
	NULL
};
