// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The policy of the clock: the conversion of a counter to nanoseconds. */
#include "host.h"
#include "policy/clock.h"

/* Of the cards, and the ends of what is a clock. */
static const u32 frequencies[] = { 1, 1000, 78125, 156250, 275000, 427000, 1000000, 4000000 };

static u64 ns_of(const struct cxr_clock_scale *scale, u32 mult, u64 cycles)
{
	return (__uint128_t)cycles * mult >> scale->shift;
}

static void test_scale(void)
{
	struct cxr_clock_scale scale;
	u64 cycles, exact, ns, off;
	unsigned int i;

	begin("clock", "an hour of counting is right to a part in a billion");
	for (i = 0; i < ARRAY_SIZE(frequencies); i++) {
		expect(cxr_clock_scale(frequencies[i], &scale), true);
		cycles = 3600000ULL * frequencies[i];
		exact = 3600ULL * 1000000000;
		ns = ns_of(&scale, scale.mult, cycles);
		off = ns > exact ? ns - exact : exact - ns;
		expect(off <= exact / 1000000000, true);
	}

	begin("clock", "three periods without an update overflow neither product nor counter");
	for (i = 0; i < ARRAY_SIZE(frequencies); i++) {
		u32 fastest;

		cxr_clock_scale(frequencies[i], &scale);
		expect(scale.period_ms >= 1000, true);
		cycles = (u64)CXR_CLOCK_PERIODS * scale.period_ms * frequencies[i];
		expect(cycles < 1ULL << (CXR_CLOCK_BITS - 1), true);
		fastest = cxr_clock_adjust(scale.mult, CXR_CLOCK_MAX_PPB / 1000 * 65536LL);
		expect(fastest > scale.mult, true);
		expect((__uint128_t)cycles * fastest >> 64, 0);
	}

	begin("clock", "a counter without a frequency, or with one out of range, is no clock");
	expect(cxr_clock_scale(0, &scale), false);
	expect(cxr_clock_scale(4000001, &scale), false);
	expect(cxr_clock_scale(~0U, &scale), false);
}

static const struct {
	const char *sentence;
	s64 ppb;
} adjustments[] = {
	{ "no adjustment leaves the rate as it is", 0 },
	{ "a part in a billion more is a part in a billion more", 1 },
	{ "and a part in a billion less", -1 },
	{ "100 parts per million", 100000 },
	{ "less 100 parts per million", -100000 },
	{ "the largest adjustment", CXR_CLOCK_MAX_PPB },
	{ "and the largest in the other direction", -CXR_CLOCK_MAX_PPB },
};

/* In 1000 seconds. The rate has 30 bits or more: it is off by a part in a billion at most. */
static void test_adjust(void)
{
	struct cxr_clock_scale scale;
	unsigned int i, f;

	for (i = 0; i < ARRAY_SIZE(adjustments); i++) {
		s64 ppb = adjustments[i].ppb;

		begin("clock", adjustments[i].sentence);
		for (f = 0; f < ARRAY_SIZE(frequencies); f++) {
			s64 got, unadjusted;
			u32 mult;

			cxr_clock_scale(frequencies[f], &scale);
			mult = cxr_clock_adjust(scale.mult, ppb * 65536 / 1000);
			unadjusted = ns_of(&scale, scale.mult, 1000000ULL * frequencies[f]);
			got = ns_of(&scale, mult, 1000000ULL * frequencies[f]) - unadjusted;
			expect(got >= ppb * 1000 - 1000 && got <= ppb * 1000 + 1000, true);
			expect(ppb > 0 ? got > 0 : ppb < 0 ? got < 0 : got == 0, true);
		}
	}
}

void test_clock(void)
{
	test_scale();
	test_adjust();
}
