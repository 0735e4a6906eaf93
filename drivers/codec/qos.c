// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/errno.h>
#include <linux/types.h>
#include "qos.h"

#define ALL_BUFFERS	10	/* the others are the device's own */

static int encode_rate(u64 kbps, struct prm_ets_tcn_config_reg *tc)
{
	u32 steps;

	if (kbps > CXR_RATE_MAX)
		return -ERANGE;
	steps = (u32)kbps / CXR_RATE_STEP;
	if (!kbps) {
		prm_set(tc, max_bw_units, PRM_MAX_BW_NO_LIMIT);
	} else if (kbps <= CXR_RATE_STEP * CXR_RATE_STEPS) {
		prm_set(tc, max_bw_units, PRM_MAX_BW_100_MBPS);
		prm_set(tc, max_bw_value, steps ? steps : 1);
	} else {
		prm_set(tc, max_bw_units, PRM_MAX_BW_1_GBPS);
		prm_set(tc, max_bw_value, steps / 10);
	}
	return 0;
}

static u64 decode_rate(const struct prm_ets_tcn_config_reg *tc)
{
	u64 rate = (u64)prm_get(tc, max_bw_value) * CXR_RATE_STEP;

	switch (prm_get(tc, max_bw_units)) {
	case PRM_MAX_BW_100_MBPS:
		return rate;
	case PRM_MAX_BW_1_GBPS:
		return rate * 10;
	default:
		return 0;
	}
}

int cxr_tcs_encode(const struct cxr_tc *tcs, unsigned int n, enum cxr_tc_field field,
		   struct prm_qetc_reg *reg)
{
	struct prm_ets_tcn_config_reg *tc = (void *)prm_bytes(reg, tc_configuration);
	unsigned int i;
	int err;

	for (i = 0; i < n; i++) {
		switch (field) {
		case CXR_TC_GROUP:
			prm_set(&tc[i], g, 1);
			prm_set(&tc[i], group, tcs[i].group);
			break;
		case CXR_TC_WEIGHT:
			prm_set(&tc[i], b, 1);
			prm_set(&tc[i], bw_allocation, tcs[i].weight);
			break;
		case CXR_TC_RATE:
			prm_set(&tc[i], r, 1);
			err = encode_rate(tcs[i].max_kbps, &tc[i]);
			if (err)
				return err;
		}
	}
	return 0;
}

void cxr_tcs_decode(const struct prm_qetc_reg *reg, struct cxr_tc *tcs)
{
	const struct prm_ets_tcn_config_reg *tc = (const void *)prm_bytes_const(reg,
										tc_configuration);
	unsigned int i;

	for (i = 0; i < CXR_TCS; i++) {
		tcs[i].group = prm_get(&tc[i], group);
		tcs[i].weight = prm_get(&tc[i], bw_allocation);
		tcs[i].max_kbps = decode_rate(&tc[i]);
	}
}

void cxr_buffers_decode(const struct prm_pbmc_reg *reg, struct cxr_buffers *b)
{
	const struct prm_bufferx_reg *from = (const void *)prm_bytes_const(reg, buffer);
	u32 own = 0;
	unsigned int i;

	for (i = 0; i < CXR_BUFFERS; i++) {
		b->buffer[i].lossy = prm_get(&from[i], lossy);
		b->buffer[i].size = prm_get(&from[i], size) * b->cell;
		b->buffer[i].xoff = prm_get(&from[i], xoff_threshold) * b->cell;
		b->buffer[i].xon = prm_get(&from[i], xon_threshold) * b->cell;
	}
	for (; i < ALL_BUFFERS; i++)
		own += prm_get(&from[i], size);
	b->room = prm_get(reg, port_buffer_size);
	b->room = b->room < own ? 0 : (b->room - own) * b->cell;
}

void cxr_buffers_encode(const struct cxr_buffers *b, struct prm_pbmc_reg *reg)
{
	struct prm_bufferx_reg *to = (void *)prm_bytes(reg, buffer);
	unsigned int i;

	for (i = 0; i < CXR_BUFFERS; i++) {
		prm_set(&to[i], lossy, b->buffer[i].lossy);
		prm_set(&to[i], size, b->buffer[i].size / b->cell);
		prm_set(&to[i], xoff_threshold, b->buffer[i].xoff / b->cell);
		prm_set(&to[i], xon_threshold, b->buffer[i].xon / b->cell);
	}
	prm_set(reg, port_buffer_size, 0);	/* read only */
}

u32 cxr_prio_buffers_encode(const u8 buffers[CXR_PRIOS])
{
	u32 map = 0;
	unsigned int i;

	for (i = 0; i < CXR_PRIOS; i++)
		map |= (u32)buffers[i] << (4 * i);
	return map;
}

void cxr_prio_buffers_decode(u32 map, u8 buffers[CXR_PRIOS])
{
	unsigned int i;

	for (i = 0; i < CXR_PRIOS; i++)
		buffers[i] = map >> (4 * i) & 0xf;
}
