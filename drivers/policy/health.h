/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Judges the health of a device from its registers, which are read every two seconds.
 *
 * The firmware reports most of its errors with a syndrome alone, and goes on. An error that needs a
 * reset has the request for it beside the syndrome. A syndrome stays in the register until the
 * firmware is reset, so it may be older than the driver. A counter that stands still is no proof of
 * a failure: if commands time out as well, that decides.
 */
#ifndef CXR_POLICY_HEALTH_H
#define CXR_POLICY_HEALTH_H

#include <linux/types.h>

#define CXR_HEALTH_MISSES 3	/* checks without an advance of the counter */

/* If the device is gone, nothing else is valid. */
struct cxr_health_in {
	bool gone;		/* off the bus, or all reads are ones */
	bool nic_disabled;
	bool nic_resetting;	/* by the driver of this or another function */
	bool wants_reset;
	u8 synd;		/* 0: none */
	u32 counter;
};

enum cxr_health_fatal {
	CXR_HEALTH_ALIVE,
	CXR_HEALTH_GONE,
	CXR_HEALTH_DISABLED,
	CXR_HEALTH_RESETTING,
	CXR_HEALTH_WANTS_RESET,
};

/* What earlier checks found. */
struct cxr_health_state {
	u8 synd;
	u32 counter;
	unsigned int misses;
};

struct cxr_health_out {
	enum cxr_health_fatal fatal;
	bool new_synd;		/* not found by the check before */
	bool stands_still;	/* true once per standstill */
};

/* Remembers what the registers hold when the checks begin. */
void cxr_health_start(const struct cxr_health_in *in, struct cxr_health_state *state);
struct cxr_health_out cxr_health_judge(const struct cxr_health_in *in,
				       struct cxr_health_state *state);
const char *cxr_health_fatal_text(enum cxr_health_fatal fatal);
const char *cxr_health_synd_text(u8 synd);

#endif
