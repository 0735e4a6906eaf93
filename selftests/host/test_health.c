// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The health of a device. */
#include <string.h>
#include "host.h"
#include "policy/health.h"

/* The registers of the first check, what the checks before remember, and the judgement. */
static const struct {
	const char *sentence;
	struct cxr_health_in in;
	struct cxr_health_state state;
	struct cxr_health_out out;
} cases[] = {
	{ "no syndrome, the counter advances: healthy", { .counter = 8 }, { .counter = 7 }, {} },
	{ "a syndrome alone is reported and not fatal", { .synd = 1, .counter = 8 },
	  { .counter = 7 }, { .new_synd = true } },
	{ "a syndrome that was found before is not reported again", { .synd = 1, .counter = 8 },
	  { .synd = 1, .counter = 7 }, {} },
	{ "another syndrome is reported", { .synd = 0x10, .counter = 8 },
	  { .synd = 1, .counter = 7 }, { .new_synd = true } },
	{ "a cleared syndrome is not reported", { .counter = 8 }, { .synd = 1, .counter = 7 }, {} },
	{ "a request for a reset without a syndrome means nothing",
	  { .wants_reset = true, .counter = 8 }, { .counter = 7 }, {} },
	{ "a syndrome with a request for a reset is fatal",
	  { .wants_reset = true, .synd = 7, .counter = 8 }, { .counter = 7 },
	  { .fatal = CXR_HEALTH_WANTS_RESET, .new_synd = true } },
	{ "so is one that was found before", { .wants_reset = true, .synd = 7, .counter = 8 },
	  { .synd = 7, .counter = 7 }, { .fatal = CXR_HEALTH_WANTS_RESET } },
	{ "a disabled NIC interface is fatal", { .nic_disabled = true, .counter = 8 },
	  { .counter = 7 }, { .fatal = CXR_HEALTH_DISABLED } },
	{ "a reset by another function is fatal", { .nic_resetting = true, .counter = 8 },
	  { .counter = 7 }, { .fatal = CXR_HEALTH_RESETTING } },
	{ "a device that is gone is fatal, its other registers mean nothing",
	  { .gone = true, .nic_resetting = true, .wants_reset = true, .synd = 0xff },
	  { .counter = 7, .misses = CXR_HEALTH_MISSES - 1 }, { .fatal = CXR_HEALTH_GONE } },
	{ "a counter that stands still is reported at the third check", { .counter = 7 },
	  { .counter = 7, .misses = 2 }, { .stands_still = true } },
	{ "and not at the second", { .counter = 7 }, { .counter = 7, .misses = 1 }, {} },
	{ "a new syndrome does not hide a standstill", { .synd = 1, .counter = 7 },
	  { .counter = 7, .misses = 2 }, { .new_synd = true, .stands_still = true } },
};

static unsigned int standstills(struct cxr_health_state *state, u32 counter, unsigned int checks)
{
	struct cxr_health_in in = { .counter = counter };
	unsigned int n = 0;

	while (checks--)
		n += cxr_health_judge(&in, state).stands_still;
	return n;
}

void test_health(void)
{
	struct cxr_health_in in = { .synd = 8, .counter = 5 };
	struct cxr_health_state state = { .misses = 2 };
	struct cxr_health_out out;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		begin("health", cases[i].sentence);
		state = cases[i].state;
		out = cxr_health_judge(&cases[i].in, &state);
		expect(out.fatal, cases[i].out.fatal);
		expect(out.new_synd, cases[i].out.new_synd);
		expect(out.stands_still, cases[i].out.stands_still);
	}

	begin("health", "a syndrome older than the driver is not reported");
	cxr_health_start(&in, &state);
	expect(state.misses, 0);
	in.counter++;
	out = cxr_health_judge(&in, &state);
	expect(out.new_synd, false);
	expect(out.fatal, CXR_HEALTH_ALIVE);

	begin("health", "a standstill is reported once, and again after the counter has advanced");
	expect(standstills(&state, 6, 1000), 1);
	expect(standstills(&state, 7, 1), 0);
	expect(standstills(&state, 7, 1000), 1);

	begin("health", "each fatal condition and each known syndrome has a text of its own");
	expect_text(cxr_health_fatal_text(CXR_HEALTH_WANTS_RESET), "firmware requests a reset");
	for (i = CXR_HEALTH_ALIVE; i < CXR_HEALTH_WANTS_RESET; i++)
		expect(strcmp(cxr_health_fatal_text(i), cxr_health_fatal_text(i + 1)) != 0, true);
	expect_text(cxr_health_synd_text(0x10), "high temperature");
	expect_text(cxr_health_synd_text(0x11), "unknown syndrome");
}
