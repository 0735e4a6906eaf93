// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/errno.h>
#include <linux/string.h>

#include "rate.h"

int cxr_rate_find(const struct cxr_rate_entry *entries, u16 n, const u8 *raw, u16 uid, bool own)
{
	int free = -ENOSPC;
	u16 i;

	for (i = 0; i < n; i++) {
		if (!entries[i].users) {
			if (free < 0 || (entries[free].kept && !entries[i].kept))
				free = i;
		} else if (!own && !entries[i].own && entries[i].uid == uid &&
			   !memcmp(entries[i].raw, raw, CXR_RATE_BYTES)) {
			return i;
		}
	}
	return free;
}

int cxr_rate_check(const struct cxr_rate_limits *limits, const struct cxr_rate *rate,
		   const char **why)
{
	if (!limits->n) {
		*why = "the device has no packet pacing";
		return -EOPNOTSUPP;
	}
	if (rate->kbps < limits->min || rate->kbps > limits->max || !rate->kbps)
		*why = "not within the device's limits";
	else if (rate->burst && !limits->burst)
		*why = "the device takes no burst";
	else if (rate->typical && !limits->typical)
		*why = "the device takes no typical size of packets";
	else
		return 0;
	return -EINVAL;
}
