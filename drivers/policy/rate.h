/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Decides about the rates of packet pacing: which of the device's table somebody gets. Entry i of
 * the table here has the index i + 1 in the device, whose index 0 limits nothing.
 */
#ifndef CXR_POLICY_RATE_H
#define CXR_POLICY_RATE_H

#include <linux/types.h>

#define CXR_RATE_BYTES 48	/* of a rate in a command */

struct cxr_rate_entry {
	u8 raw[CXR_RATE_BYTES];
	u32 users;		/* 0: free */
	u16 uid;		/* user context that may use it */
	bool own;		/* of one user alone */
	bool kept;		/* free, but the device has not cleared it */
};

/* Kilobits per second, and bytes; 0: not limited, and not given */
struct cxr_rate {
	u32 kbps;
	u32 burst;
	u16 typical;		/* size of a packet */
};

/* What the device can do. */
struct cxr_rate_limits {
	u32 min, max;		/* kilobits per second */
	u16 n;			/* entries; 0: no packet pacing */
	bool burst, typical;
};

/*
 * The entry with this rate and @uid that others use, else a free one; with @own always a free one.
 * One that the device has kept is the last choice. -ENOSPC: there is none.
 */
int cxr_rate_find(const struct cxr_rate_entry *entries, u16 n, const u8 *raw, u16 uid, bool own);

/* -EOPNOTSUPP, -EINVAL: the device cannot do it; *why for the log. */
int cxr_rate_check(const struct cxr_rate_limits *limits, const struct cxr_rate *rate,
		   const char **why);

#endif
