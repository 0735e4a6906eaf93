// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Parameters of congestion control: the table of names, ranges and places. */
#include <string.h>
#include "host.h"
#include "codec/cong.h"
#include "prm/cong.h"

#define BLOCK (sizeof(struct prm_cong_control_r_roce_ecn_rp) / sizeof(__be32))

static const struct cxr_cong_param *named(const char *name)
{
	unsigned int i;

	for (i = 0; i < CXR_CONG_PARAMS; i++)
		if (!strcmp(cxr_cong_params[i].name, name))
			return &cxr_cong_params[i];
	return NULL;
}

static u64 bits_set(const __be32 *block)
{
	u64 n = 0;
	unsigned int i;

	for (i = 0; i < BLOCK; i++)
		n += __builtin_popcount(block[i]);
	return n;
}

static void test_places(void)
{
	const struct cxr_cong_param *param, *other;
	__be32 block[BLOCK];
	unsigned int i, k;

	begin("cong", "each parameter has a place of its own, with room for its range");
	for (i = 0; i < CXR_CONG_PARAMS; i++) {
		param = &cxr_cong_params[i];
		memset(block, 0, sizeof(block));
		cxr_cong_encode(param, param->max, block);
		expect(cxr_cong_decode(param, block), param->max);
		expect(bits_set(block), __builtin_popcount(param->max));
		expect(param->min <= param->max, 1);
		for (k = 0; k < CXR_CONG_PARAMS; k++) {
			other = &cxr_cong_params[k];
			if (k != i && other->point == param->point)
				expect(cxr_cong_decode(other, block), 0);
		}
	}
}

static void test_table(void)
{
	const struct cxr_cong_param *param;
	unsigned int i, k;

	begin("cong", "no two parameters have the same name");
	for (i = 0; i < CXR_CONG_PARAMS; i++)
		for (k = 0; k < i; k++)
			expect(!strcmp(cxr_cong_params[i].name, cxr_cong_params[k].name), 0);
	begin("cong", "a parameter that sets another one shares its bit of the field select");
	for (i = 0; i < CXR_CONG_PARAMS; i++) {
		param = &cxr_cong_params[i];
		if (!param->sets_previous)
			continue;
		expect(i && param[-1].point == param->point, 1);
		expect(param->select, param[-1].select);
		expect(param->previous <= param[-1].max, 1);
	}
	begin("cong", "the priority of CNPs counts in mode 0");
	expect_text(named("np_cnp_prio")[-1].name, "np_cnp_prio_mode");
	expect(named("np_cnp_prio")->sets_previous && !named("np_cnp_prio")->previous, 1);
	begin("cong", "the DSCP of responses to probes counts if it is valid");
	expect_text(named("rtt_resp_dscp")[-1].name, "rtt_resp_dscp_valid");
	expect(named("rtt_resp_dscp")->sets_previous && named("rtt_resp_dscp")->previous, 1);
}

void test_cong(void)
{
	test_places();
	test_table();
}
