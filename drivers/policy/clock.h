/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * How the device's counter becomes nanoseconds: (cycles * mult) >> shift. The rate is adjusted by
 * changing mult, so it has as many bits as leave room for the largest adjustment, and for the
 * cycles between two updates, in 64 bits.
 */
#ifndef CXR_POLICY_CLOCK_H
#define CXR_POLICY_CLOCK_H

#include <linux/types.h>

#define CXR_CLOCK_MAX_PPB 50000000	/* of an adjustment */
#define CXR_CLOCK_BITS 41		/* valid bits of a timestamp in a completion */
#define CXR_CLOCK_PERIODS 3		/* without an update, until which no product overflows */

struct cxr_clock_scale {
	u32 mult, shift;
	u32 period_ms;		/* of updates */
};

/* False: no counter has this frequency, and @scale is not set. */
bool cxr_clock_scale(u32 khz, struct cxr_clock_scale *scale);
/* @mult, faster by @scaled_ppm: parts per million with a fraction of 16 bits. */
u32 cxr_clock_adjust(u32 mult, s64 scaled_ppm);

#endif
