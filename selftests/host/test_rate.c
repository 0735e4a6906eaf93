// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Rates of packet pacing: which entry of the table, and what the device can do. */
#include <errno.h>
#include <string.h>
#include "host.h"
#include "codec/caps.h"
#include "policy/rate.h"

#define N 4

/* The first byte is the rate. */
static const struct {
	const char *sentence;
	struct cxr_rate_entry entries[N];
	u8 rate;
	u16 uid;
	bool own;
	int entry;
} find_cases[] = {
	{ "the first rate gets the first entry", {}, 7, 0, false, 0 },
	{ "a rate that is in use is shared",
	  { [2] = { .raw = { 7 }, .users = 1 } }, 7, 0, false, 2 },
	{ "another rate gets a free entry",
	  { [0] = { .raw = { 7 }, .users = 1 } }, 8, 0, false, 1 },
	{ "an entry without users is free, whatever it was",
	  { [0] = { .raw = { 7 }, .users = 0 }, [1] = { .raw = { 7 }, .users = 3 } },
	  7, 0, false, 1 },
	{ "that of another user context is not shared",
	  { [0] = { .raw = { 7 }, .users = 1, .uid = 5 } }, 7, 6, false, 1 },
	{ "nor one that somebody has alone",
	  { [0] = { .raw = { 7 }, .users = 1, .own = true } }, 7, 0, false, 1 },
	{ "who wants one alone gets a free one",
	  { [0] = { .raw = { 7 }, .users = 1 } }, 7, 0, true, 1 },
	{ "one that the device has kept is not the first choice",
	  { [0] = { .kept = true }, [1] = { .raw = { 7 }, .users = 1 } }, 8, 0, false, 2 },
	{ "but the last",
	  { { .raw = { 1 }, .users = 1 }, { .raw = { 2 }, .users = 1 },
	    { .kept = true }, { .raw = { 4 }, .users = 1 } }, 5, 0, false, 2 },
	{ "and the first of those",
	  { { .raw = { 1 }, .users = 1 }, { .kept = true }, { .kept = true },
	    { .kept = true } }, 5, 0, true, 1 },
	{ "a full table has none",
	  { { .raw = { 1 }, .users = 1 }, { .raw = { 2 }, .users = 1 },
	    { .raw = { 3 }, .users = 1 }, { .raw = { 4 }, .users = 1 } }, 5, 0, false, -ENOSPC },
	{ "but those that it has",
	  { { .raw = { 1 }, .users = 1 }, { .raw = { 2 }, .users = 1 },
	    { .raw = { 3 }, .users = 1 }, { .raw = { 4 }, .users = 1 } }, 4, 0, false, 3 },
};

static void test_find(void)
{
	u8 raw[CXR_RATE_BYTES] = {};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(find_cases); i++) {
		raw[0] = find_cases[i].rate;
		begin("rate", find_cases[i].sentence);
		expect(cxr_rate_find(find_cases[i].entries, N, raw, find_cases[i].uid,
				     find_cases[i].own), find_cases[i].entry);
	}
	raw[0] = 7;
	raw[CXR_RATE_BYTES - 1] = 1;
	begin("rate", "rates are compared to their last byte");
	expect(cxr_rate_find(find_cases[1].entries, N, raw, 0, false), 0);
}

static const struct {
	const char *sentence;
	struct cxr_rate_limits limits;
	struct cxr_rate rate;
	int err;
} check_cases[] = {
	{ "the slowest rate", { 10, 1000, 4, true, true }, { .kbps = 10 }, 0 },
	{ "the fastest, with a burst and a size of packets", { 10, 1000, 4, true, true },
	  { 1000, 3000, 1500 }, 0 },
	{ "a slower one is refused", { 10, 1000, 4, true, true }, { .kbps = 9 }, -EINVAL },
	{ "a faster one is refused", { 10, 1000, 4, true, true }, { .kbps = 1001 }, -EINVAL },
	{ "no rate at all is refused, whatever the device says", { 0, 1000, 4, true, true },
	  {}, -EINVAL },
	{ "a burst on a device without", { 10, 1000, 4, false, true }, { 20, 1, 0 }, -EINVAL },
	{ "a size of packets on a device without", { 10, 1000, 4, true, false }, { 20, 0, 1 },
	  -EINVAL },
	{ "any rate on a device without a table", { 10, 1000, 0, true, true }, { .kbps = 20 },
	  -EOPNOTSUPP },
};

static void test_check(void)
{
	const char *why;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(check_cases); i++) {
		why = NULL;
		begin("rate", check_cases[i].sentence);
		expect(cxr_rate_check(&check_cases[i].limits, &check_cases[i].rate, &why),
		       check_cases[i].err);
		expect(!why, !check_cases[i].err);
	}
}

static void test_rate_caps(void)
{
	struct cxr_caps caps = {};
	struct prm_qos_cap cap = {};

	prm_set(&cap, packet_pacing_rate_table_size, 128);
	prm_set(&cap, packet_pacing_max_rate, 100);
	cxr_caps_decode_qos(&cap, &caps);
	begin("caps", "a device that does not announce packet pacing has no rates");
	expect(caps.rates.n, 0);
	prm_set(&cap, packet_pacing, 1);
	cxr_caps_decode_qos(&cap, &caps);
	begin("caps", "the first entry is no rate");
	expect(caps.rates.n, 127);
	expect(caps.rates.max, 100);
	caps = (struct cxr_caps){};
	prm_set(&cap, packet_pacing_rate_table_size, 0);
	cxr_caps_decode_qos(&cap, &caps);
	begin("caps", "nor has one whose table is empty");
	expect(caps.rates.n, 0);
}

void test_rate(void)
{
	test_find();
	test_check();
	test_rate_caps();
}
