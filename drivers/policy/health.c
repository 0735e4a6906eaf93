// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/types.h>
#include "health.h"

static enum cxr_health_fatal find_fatal(const struct cxr_health_in *in)
{
	if (in->gone)
		return CXR_HEALTH_GONE;
	if (in->nic_disabled)
		return CXR_HEALTH_DISABLED;
	if (in->nic_resetting)
		return CXR_HEALTH_RESETTING;
	if (in->wants_reset && in->synd)
		return CXR_HEALTH_WANTS_RESET;
	return CXR_HEALTH_ALIVE;
}

void cxr_health_start(const struct cxr_health_in *in, struct cxr_health_state *state)
{
	state->synd = in->synd;
	state->counter = in->counter;
	state->misses = 0;
}

struct cxr_health_out cxr_health_judge(const struct cxr_health_in *in,
				       struct cxr_health_state *state)
{
	struct cxr_health_out out = { .fatal = find_fatal(in) };

	if (in->gone)
		return out;
	out.new_synd = in->synd && in->synd != state->synd;
	state->synd = in->synd;

	if (in->counter != state->counter)
		state->misses = 0;
	else if (state->misses < CXR_HEALTH_MISSES)
		out.stands_still = ++state->misses == CXR_HEALTH_MISSES;
	state->counter = in->counter;
	return out;
}

const char *cxr_health_fatal_text(enum cxr_health_fatal fatal)
{
	switch (fatal) {
	case CXR_HEALTH_GONE:
		return "no response (off the bus, or all reads are ones)";
	case CXR_HEALTH_DISABLED:
		return "firmware disabled the NIC interface";
	case CXR_HEALTH_RESETTING:
		return "the firmware is being reset";
	case CXR_HEALTH_WANTS_RESET:
		return "firmware requests a reset";
	default:
		return "none";
	}
}

const char *cxr_health_synd_text(u8 synd)
{
	switch (synd) {
	case 0x1:
		return "firmware internal error";
	case 0x7:
		return "a processor of the firmware does not respond";
	case 0x8:
		return "unrecoverable hardware error";
	case 0x9:
		return "firmware CRC error";
	case 0xa:
		return "PCI error while fetching context memory";
	case 0xb:
		return "page error in context memory";
	case 0xc:
		return "overrun of the asynchronous event queue";
	case 0xd:
		return "event queue in error";
	case 0xe:
		return "invalid event queue referenced";
	case 0xf:
		return "FFSER error";
	case 0x10:
		return "high temperature";
	case 0x12:
		return "poisoned data while fetching context memory";
	default:
		return "unknown syndrome";
	}
}
