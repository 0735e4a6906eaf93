// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/types.h>
#include "clock.h"

#define NS_PER_MS	1000000ULL
#define KHZ_MAX		4000000		/* beyond it mult would lose bits */
#define SHIFT_MAX	32
#define MULT_MAX	0x80000000ULL
#define PRODUCT_MAX	0x4000000000000000ULL
#define SCALED_PPM	(1000000ULL << 16)

bool cxr_clock_scale(u32 khz, struct cxr_clock_scale *scale)
{
	u64 mult = MULT_MAX;
	u32 shift = SHIFT_MAX + 1;

	if (!khz || khz > KHZ_MAX)
		return false;

	while (mult >= MULT_MAX)
		mult = ((NS_PER_MS << --shift) + khz / 2) / khz;
	*scale = (struct cxr_clock_scale){
		.mult = mult,
		.shift = shift,
		.period_ms = PRODUCT_MAX / mult / khz,
	};
	return true;
}

u32 cxr_clock_adjust(u32 mult, s64 scaled_ppm)
{
	u64 ppm = scaled_ppm < 0 ? -scaled_ppm : scaled_ppm;
	u64 diff = mult * ppm / SCALED_PPM;

	return scaled_ppm < 0 ? mult - diff : mult + diff;
}
