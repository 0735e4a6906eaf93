// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The attributes of the PCI device: a group for each object that has some. They are there from the
 * end of the probe to the beginning of the removal.
 */
#include <linux/sysfs.h>

#include "core.h"

const struct attribute_group *cxr_dev_groups[] = {
	&cxr_lag_attr_group,
	NULL
};
