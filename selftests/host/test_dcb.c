// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* DCB: traffic classes as the port schedules them, and the division of its receive buffer. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "host.h"
#include "codec/qos.h"
#include "policy/dcb.h"

#define S IEEE_8021QAZ_TSA_STRICT
#define E IEEE_8021QAZ_TSA_ETS
#define V IEEE_8021QAZ_TSA_VENDOR

/* ---- traffic classes ---------------------------------------------------------------------- */

static const struct {
	const char *sentence;
	unsigned int n;
	struct ieee_ets ets;
	int want;
} checks[] = {
	{ "strict classes need no bandwidth", 8, { .prio_tc = { 0, 1, 2, 3, 4, 5, 6, 7 } }, 0 },
	{ "ETS classes with 100 % in all", 8, { .tc_tsa = { E, E, S }, .tc_tx_bw = { 40, 60 } },
	  0 },
	{ "one may have no bandwidth", 8, { .tc_tsa = { E, E, S }, .tc_tx_bw = { 0, 100 } }, 0 },
	{ "bandwidth of classes that are not ETS does not count", 8,
	  { .tc_tsa = { E, S, V }, .tc_tx_bw = { 100, 50, 50 } }, 0 },
	{ "99 % are not enough", 8, { .tc_tsa = { E, E }, .tc_tx_bw = { 40, 59 } }, -EINVAL },
	{ "0 % are not enough", 8, { .tc_tsa = { E } }, -EINVAL },
	{ "356 % are not 100", 8, { .tc_tsa = { E, E }, .tc_tx_bw = { 200, 156 } }, -EINVAL },
	{ "a priority of a class that no port has", 8, { .prio_tc = { [7] = 8 } }, -EINVAL },
	{ "a priority of a class that this port does not have", 4, { .prio_tc = { [2] = 4 } },
	  -EINVAL },
	{ "a credit-based shaper", 8, { .tc_tsa = { [3] = IEEE_8021QAZ_TSA_CB_SHAPER } },
	  -EOPNOTSUPP },
	{ "an unknown algorithm", 8, { .tc_tsa = { [7] = 9 } }, -EOPNOTSUPP },
};

static void test_check(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(checks); i++) {
		const char *why = NULL;

		begin("dcb", checks[i].sentence);
		expect(cxr_ets_check(&checks[i].ets, checks[i].n, &why), checks[i].want);
		expect(!!why, !!checks[i].want);
	}
}

static const struct {
	const char *sentence;
	unsigned int n;
	u8 tsa[CXR_TCS], bw[CXR_TCS], group[CXR_TCS], weight[CXR_TCS];
} schedules[] = {
	{ "classes of the vendor share group 7", 8, { V, V, V, V, V, V, V, V }, {},
	  { 7, 7, 7, 7, 7, 7, 7, 7 }, { 100, 100, 100, 100, 100, 100, 100, 100 } },
	{ "strict classes have a group each, in their order", 8, {}, {},
	  { 0, 1, 2, 3, 4, 5, 6, 7 }, { 100, 100, 100, 100, 100, 100, 100, 100 } },
	{ "ETS classes share the lowest group, by bandwidth", 8, { E, S, S, E, S, S, S, S },
	  { 40, 0, 0, 60 }, { 0, 1, 2, 0, 3, 4, 5, 6 },
	  { 40, 100, 100, 60, 100, 100, 100, 100 } },
	{ "those without bandwidth have a group below them, and share all of it", 8,
	  { E, E, E, E, S, S, S, E }, { 0, 30, 70, 0, 0, 0, 0, 0 }, { 0, 1, 1, 0, 2, 3, 4, 0 },
	  { 33, 30, 70, 33, 100, 100, 100, 34 } },
	{ "a port with fewer classes", 3, { S, E, E }, { 0, 1, 99 }, { 1, 0, 0 }, { 100, 1, 99 } },
};

static void test_schedule(void)
{
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(schedules); i++) {
		struct cxr_tc tcs[CXR_TCS] = {};
		struct ieee_ets ets = {};

		begin("dcb", schedules[i].sentence);
		memcpy(ets.tc_tsa, schedules[i].tsa, sizeof(ets.tc_tsa));
		memcpy(ets.tc_tx_bw, schedules[i].bw, sizeof(ets.tc_tx_bw));
		cxr_ets_schedule(&ets, schedules[i].n, tcs);
		for (j = 0; j < CXR_TCS; j++) {
			expect(tcs[j].group, schedules[i].group[j]);
			expect(tcs[j].weight, schedules[i].weight[j]);
		}
	}
}

/* Classes that pass the check. */
static struct ieee_ets random_ets(unsigned int n)
{
	static const u8 algorithms[] = { S, E, V };
	struct ieee_ets ets = {};
	unsigned int i, left = 100, last = n;

	/* strict and vendor classes are told apart only without each other */
	u8 other = algorithms[rand() % 2 * 2];

	for (i = 0; i < n; i++) {
		ets.tc_tsa[i] = rand() % 2 ? E : other;
		if (ets.tc_tsa[i] != E)
			continue;
		ets.tc_tx_bw[i] = rand() % 3 ? rand() % (left + 1) : 0;
		left -= ets.tc_tx_bw[i];
		last = i;
	}
	if (last < n)
		ets.tc_tx_bw[last] += left;
	return ets;
}

static void test_describe(void)
{
	struct cxr_tc vendor[CXR_TCS], tcs[CXR_TCS];
	struct ieee_ets got = {};
	unsigned int i, j, n;
	const char *why;

	begin("dcb", "what is set is what is read, of 100000 random schedules");
	srand(1);
	for (i = 0; i < 100000; i++) {
		struct ieee_ets ets;

		n = 1 + rand() % CXR_TCS;
		ets = random_ets(n);
		if (cxr_ets_check(&ets, n, &why))
			continue;
		cxr_ets_schedule(&ets, n, tcs);
		got = (struct ieee_ets){};
		memcpy(got.tc_tsa, ets.tc_tsa, sizeof(got.tc_tsa));
		cxr_ets_describe(tcs, n, &got);
		expect(got.ets_cap, n);
		expect_bytes(got.tc_tsa, ets.tc_tsa, n);
		for (j = 0; j < n; j++)
			expect(got.tc_tx_bw[j], ets.tc_tsa[j] == E ? ets.tc_tx_bw[j] : 0);
	}

	begin("dcb", "what another driver has set shows, whatever was set before it");
	for (i = 0; i < CXR_TCS; i++)
		vendor[i] = (struct cxr_tc){ .group = 7, .weight = 100 };
	memset(got.tc_tsa, S, sizeof(got.tc_tsa));
	cxr_ets_describe(vendor, CXR_TCS, &got);
	expect(got.tc_tsa[0], V);
	vendor[0] = (struct cxr_tc){ .group = 0, .weight = 25 };
	vendor[1] = (struct cxr_tc){ .group = 0, .weight = 75 };
	cxr_ets_describe(vendor, CXR_TCS, &got);
	expect(got.tc_tsa[1], E);
	expect(got.tc_tx_bw[1], 75);
	expect(got.tc_tx_bw[2], 0);
}

static const struct {
	const char *sentence;
	u64 kbps;
	u8 units, value;	/* as in the PRM: 3 of 100 Mbit/s, 4 of 1 Gbit/s */
	u64 read;
} rates[] = {
	{ "no limit", 0, 0, 0, 0 },
	{ "the lowest limit is 100 Mbit/s", 1, 3, 1, 100000 },
	{ "a limit is rounded down", 199999, 3, 1, 100000 },
	{ "25 Gbit/s", 25000000, 3, 250, 25000000 },
	{ "the highest in steps of 100 Mbit/s", 25500000, 3, 255, 25500000 },
	{ "above it, steps are of 1 Gbit/s", 25500001, 4, 25, 25000000 },
	{ "the highest", 255000000, 4, 255, 255000000 },
};

static void test_rates(void)
{
	struct cxr_tc tcs[CXR_TCS] = {}, got[CXR_TCS];
	const struct prm_ets_tcn_config_reg *tc;
	struct prm_qetc_reg reg;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		begin("dcb", rates[i].sentence);
		memset(&reg, 0, sizeof(reg));
		tcs[5].max_kbps = rates[i].kbps;
		expect(cxr_tcs_encode(tcs, CXR_TCS, CXR_TC_RATE, &reg), 0);
		tc = (const void *)prm_bytes_const(&reg, tc_configuration);
		expect(prm_get(&tc[5], r), 1);
		expect(prm_get(&tc[5], g) || prm_get(&tc[5], b), 0);
		expect(prm_get(&tc[5], max_bw_units), rates[i].units);
		expect(prm_get(&tc[5], max_bw_value), rates[i].value);
		cxr_tcs_decode(&reg, got);
		expect(got[5].max_kbps, rates[i].read);
	}
	begin("dcb", "a limit above 255 Gbit/s is refused");
	tcs[5].max_kbps = 255000001;
	expect(cxr_tcs_encode(tcs, CXR_TCS, CXR_TC_RATE, &reg), -ERANGE);
	begin("dcb", "a write changes groups, or weights");
	memset(&reg, 0, sizeof(reg));
	tc = (const void *)prm_bytes_const(&reg, tc_configuration);
	tcs[2] = (struct cxr_tc){ .group = 3, .weight = 77 };
	expect(cxr_tcs_encode(tcs, 4, CXR_TC_GROUP, &reg), 0);
	expect(prm_get(&tc[2], g) && !prm_get(&tc[2], b) && !prm_get(&tc[2], r), true);
	expect(prm_get(&tc[2], group), 3);
	expect(prm_get(&tc[4], g), 0);
	memset(&reg, 0, sizeof(reg));
	expect(cxr_tcs_encode(tcs, 4, CXR_TC_WEIGHT, &reg), 0);
	expect(prm_get(&tc[2], b) && !prm_get(&tc[2], g), true);
	expect(prm_get(&tc[2], bw_allocation), 77);
}

/* ---- receive buffer ----------------------------------------------------------------------- */

static void test_response(void)
{
	begin("dcb", "what arrives before a pause has an effect, of the vendor's formula");
	expect(cxr_buffer_response(40000, 7, 1500), 16720);
	expect(cxr_buffer_response(100000, 7, 1500), 35680);
	expect(cxr_buffer_response(100000, 7, 9000), 56080);
	begin("dcb", "a slow port, or one without link, counts as one of 40 Gbit/s");
	expect(cxr_buffer_response(0, 7, 1500), 16720);
	begin("dcb", "a cable of 999 m at 800 Gbit/s does not overflow");
	expect(cxr_buffer_response(800000, 999, 9000), 1990880);
}

static const struct {
	const char *sentence;
	u8 lossless;
	u8 prio_buffer[CXR_PRIOS];
	u32 size[CXR_BUFFERS];
	int want;
	u32 xoff, xon;		/* of buffer 1 */
} plans[] = {
	{ "a buffer without flow control has no thresholds", 0, { 0, 1 }, { 50000, 100000 }, 0,
	  0, 0 },
	{ "a buffer with it has room for what still arrives", 1 << 1, { 0, 1 },
	  { 50000, 100000 }, 0, 83136, 73920 },
	{ "flow control of a priority in another buffer does not count", 1 << 2, { 0, 1, 0 },
	  { 100000, 50000 }, 0, 0, 0 },
	{ "one priority with flow control is enough", 1 << 7, { 1, 1, 1, 1, 1, 1, 1, 1 },
	  { 0, 100000 }, 0, 83136, 73920 },
	{ "the smallest", 1 << 1, { 0, 1 }, { 0, 26112 }, 0, 9312, 96 },
	{ "a smaller one is refused", 1 << 1, { 0, 1 }, { 0, 26015 }, -ENOMEM, 0, 0 },
	{ "an empty one is refused", 1 << 1, { 0, 1 }, { 50000, 0 }, -EINVAL, 0, 0 },
	{ "all that there is", 0, {}, { 100000, 100000, 0, 0, 0, 0, 0, 800000 }, 0, 0, 0 },
	{ "more than there is", 0, {}, { 100000, 100000, 0, 0, 0, 0, 0, 800001 }, -EINVAL, 0, 0 },
	{ "sizes whose sum overflows", 0, {}, { 0xffffffff, 2 }, -EINVAL, 0, 0 },
	{ "a priority of a buffer that does not exist", 0, { 0, 8 }, { 50000 }, -EINVAL, 0, 0 },
};

static void test_plan(void)
{
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(plans); i++) {
		struct cxr_buffers b = { .room = 1000000, .cell = 96 };
		const char *why = NULL;

		begin("dcb", plans[i].sentence);
		memcpy(b.prio_buffer, plans[i].prio_buffer, sizeof(b.prio_buffer));
		for (j = 0; j < CXR_BUFFERS; j++)
			b.buffer[j].size = plans[i].size[j];
		expect(cxr_buffers_plan(&b, plans[i].lossless, 16720, 9216, &why), plans[i].want);
		expect(!!why, !!plans[i].want);
		if (plans[i].want)
			continue;
		expect(b.buffer[1].lossy, !plans[i].xoff);
		expect(b.buffer[1].xoff, plans[i].xoff);
		expect(b.buffer[1].xon, plans[i].xon);
		for (j = 0; j < CXR_BUFFERS; j++)
			expect(b.buffer[j].size % b.cell, 0);
	}
}

static void test_shares(void)
{
	struct cxr_buffers b = { .cell = 1 };
	struct cxr_share share;
	u32 lossy, lossless;

	b.buffer[0] = (struct cxr_buffer){ .size = 10, .lossy = true };
	b.buffer[1] = (struct cxr_buffer){ .size = 10 };
	b.buffer[2] = (struct cxr_buffer){ .lossy = true };
	begin("dcb", "a lossy buffer has all of the lossy pool");
	share = cxr_buffer_share(&b, 0);
	expect(share.pool == CXR_POOL_LOSSY && share.infinite && !share.alpha, true);
	begin("dcb", "the only buffer without loss has all of the other pool");
	share = cxr_buffer_share(&b, 1);
	expect(share.pool == CXR_POOL_LOSSLESS && share.infinite && !share.alpha, true);
	begin("dcb", "a buffer of no bytes shares nothing");
	share = cxr_buffer_share(&b, 2);
	expect(share.infinite || share.alpha, false);
	begin("dcb", "two buffers without loss have their pool in parts");
	b.buffer[3] = (struct cxr_buffer){ .size = 10 };
	share = cxr_buffer_share(&b, 1);
	expect(share.pool == CXR_POOL_LOSSLESS && !share.infinite && share.alpha == 13, true);
	begin("dcb", "a quarter of what is shared is without loss");
	expect(cxr_pools_divide(1003, &lossy, &lossless), true);
	expect(lossless, 250);
	expect(lossy, 753);
	begin("dcb", "three cells cannot be shared");
	expect(cxr_pools_divide(3, &lossy, &lossless), false);
}

static void test_registers(void)
{
	struct cxr_buffers b = { .cell = 96, .prio_buffer = { 0, 1, 2, 3, 4, 5, 6, 7 } }, got;
	struct prm_pbmc_reg reg = {};
	struct prm_bufferx_reg *own = (void *)prm_bytes(&reg, buffer);

	begin("dcb", "buffers are written in cells, and read");
	b.buffer[1] = (struct cxr_buffer){ .size = 9600, .xoff = 4800, .xon = 96 };
	b.buffer[7].lossy = true;
	prm_set(&own[8], size, 10);
	prm_set(&own[9], size, 20);
	cxr_buffers_encode(&b, &reg);
	expect(prm_get(&own[1], size), 100);
	expect(prm_get(&own[1], xoff_threshold), 50);
	expect(prm_get(&own[1], xon_threshold), 1);
	expect(prm_get(&own[7], lossy), 1);
	expect(prm_get(&own[9], size), 20);
	prm_set(&reg, port_buffer_size, 1000);
	got = (struct cxr_buffers){ .cell = 96 };
	cxr_buffers_decode(&reg, &got);
	expect(cxr_buffers_same(&got, &b), true);
	expect(got.room, 970 * 96);
	got.buffer[1].xon++;
	expect(cxr_buffers_same(&got, &b), false);
	begin("dcb", "buffers of the device that are larger than that of the port leave nothing");
	prm_set(&reg, port_buffer_size, 29);
	cxr_buffers_decode(&reg, &got);
	expect(got.room, 0);
	begin("dcb", "the buffer of priority 0 is in the lowest bits of PPTB");
	expect(cxr_prio_buffers_encode(b.prio_buffer), 0x76543210);
	cxr_prio_buffers_decode(0x76543210, got.prio_buffer);
	expect_bytes(got.prio_buffer, b.prio_buffer, CXR_PRIOS);
}

static void test_stall(void)
{
	begin("dcb", "a stuck host is warned of at 85 percent of its time, but not before 80 ms");
	expect(cxr_stall_minor(CXR_STALL_MAX), 6800);
	expect(cxr_stall_minor(CXR_STALL_AUTO), 85);
	expect(cxr_stall_minor(CXR_STALL_MIN), 80);
	expect(cxr_stall_minor(0), 80);
}

void test_dcb(void)
{
	test_check();
	test_schedule();
	test_describe();
	test_rates();
	test_response();
	test_plan();
	test_shares();
	test_registers();
	test_stall();
}
