// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Capabilities: traffic classes, and the pages of rates and schedulers, of stalls, of events. */
#include "caps.h"
#include "prm/cong.h"
#include "prm/counter.h"
#include "prm/dcb.h"
#include "prm/devx.h"
#include "prm/port.h"
#include "prm/rate.h"

bool probe_port_reg(struct dut *dut, uint32_t value, uint32_t id)
{
	uint8_t reg[256] = { [1] = 1 };

	(void)value;
	return !read_reg(dut, id, reg, sizeof(reg));
}

/* The last class serves the last priority; a VF has none. */
bool probe_classes(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct prm_qtct_reg reg = {};

	(void)arg;
	prm_set(&reg, prio, 7);
	if (read_reg(dut, PRM_REG_QTCT, &reg, sizeof(reg)))
		return !value;
	return value == prm_get(&reg, tclass) + 1;
}

bool probe_cong_params(struct dut *dut, uint32_t value, uint32_t protocol)
{
	struct prm_modify_cong_params_in in = {};
	struct prm_modify_cong_params_out out;

	(void)value;
	prm_set(&in, cong_protocol, protocol);
	return !dut_cmd(dut, modify_cong_params, &in, &out);
}

bool probe_cong_statistics(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct prm_query_cong_statistics_in in = {};
	struct prm_query_cong_statistics_out out;

	(void)value;
	(void)arg;
	return !dut_cmd(dut, query_cong_statistics, &in, &out);
}

/* ---- packet pacing ---- */

struct rate {
	uint32_t index, kbps, burst, typical;
	uint16_t uid;
};

static bool set_rate(struct dut *dut, struct rate rate)
{
	struct prm_set_pp_rate_limit_in in = {};
	struct prm_set_pp_rate_limit_out out;

	prm_set(&in, uid, rate.uid);
	prm_set(&in, rate_limit_index, rate.index);
	prm_set(&in, ctx.rate_limit, rate.kbps);
	prm_set(&in, ctx.burst_upper_bound, rate.burst);
	prm_set(&in, ctx.typical_packet_size, rate.typical);
	return !dut_cmd(dut, set_pp_rate_limit, &in, &out);
}

static bool probe_pacing(struct dut *dut, uint32_t value, uint32_t arg)
{
	bool set = set_rate(dut, (struct rate){ .index = 1, .kbps = 1000 });

	(void)value;
	(void)arg;
	return set && !TRY(dut, sq, sq, ctx.packet_pacing_rate_limit_index, 1);
}

static bool probe_burst(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)value;
	(void)arg;
	return set_rate(dut, (struct rate){ .index = 1, .kbps = 1000, .burst = 5000 });
}

static bool probe_typical(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)value;
	(void)arg;
	return set_rate(dut, (struct rate){ .index = 1, .kbps = 1000, .typical = 500 });
}

static bool probe_rate_uid(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct prm_create_uctx_in in = {};
	struct prm_create_uctx_out out;
	uint16_t uid;
	bool set;

	(void)value;
	(void)arg;
	if (dut_cmd(dut, create_uctx, &in, &out))
		return false;
	uid = prm_get(&out, uid);
	set = set_rate(dut, (struct rate){ .index = 2, .kbps = 1000, .uid = uid }) &&
	      set_rate(dut, (struct rate){ .index = 2, .uid = uid });
	dut_destroy_obj(dut, PRM_OP_destroy_uctx, uid);
	return set;
}

static bool probe_min(struct dut *dut, uint32_t value, uint32_t arg)
{
	bool any = set_rate(dut, (struct rate){ .index = 1, .kbps = 1000 });

	(void)arg;
	if (!any)
		return !value;
	return set_rate(dut, (struct rate){ .index = 1, .kbps = value ?: 1 }) &&
	       (value < 2 || !set_rate(dut, (struct rate){ .index = 1, .kbps = value - 1 }));
}

static bool probe_max(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)arg;
	return set_rate(dut, (struct rate){ .index = 1, .kbps = value }) == !!value &&
	       !set_rate(dut, (struct rate){ .index = 1, .kbps = value + 1 });
}

static bool probe_table(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)arg;
	return (!value || set_rate(dut, (struct rate){ .index = value - 1, .kbps = 1000 })) &&
	       !set_rate(dut, (struct rate){ .index = value, .kbps = 1000 }) &&
	       !set_rate(dut, (struct rate){ .kbps = 1000 });
}

const struct cap_row caps_qos[] = {
	CAP_ROW(qos_cap, packet_pacing, true, probe_pacing, 0),
	CAP_ROW(qos_cap, packet_pacing_burst_bound, true, probe_burst, 0),
	CAP_ROW(qos_cap, packet_pacing_typical_size, true, probe_typical, 0),
	CAP_ROW(qos_cap, packet_pacing_uid, true, probe_rate_uid, 0),
	CAP_ROW(qos_cap, packet_pacing_min_rate, false, probe_min, 0),
	CAP_ROW(qos_cap, packet_pacing_max_rate, false, probe_max, 0),
	CAP_ROW(qos_cap, packet_pacing_rate_table_size, false, probe_table, 0),
};

const unsigned int caps_qos_n = ARRAY_SIZE(caps_qos);

/* Watermarks can be written. */
static bool probe_stall(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct { struct prm_access_register_out hdr; struct prm_pfcc_reg reg; } out;
	struct prm_access_register_in in = {};
	struct prm_pfcc_reg reg = {};

	(void)value;
	(void)arg;
	prm_set(&in, op_mod, PRM_ACCESS_REG_WRITE);
	prm_set(&in, register_id, PRM_REG_PFCC);
	prm_set(&reg, local_port, 1);
	prm_set(&reg, minor_stall_mask, 1);
	prm_set(&reg, critical_stall_mask, 1);
	prm_set(&reg, device_stall_minor_watermark, 85);
	prm_set(&reg, device_stall_critical_watermark, 100);
	return !dut_exec_tail(dut, PRM_OP_access_register, &in, sizeof(in), &reg, sizeof(reg),
			      &out, sizeof(out));
}

const struct cap_row caps_debug[] = {
	CAP_ROW(debug_cap, stall_detect, true, probe_stall, 0),
};

const unsigned int caps_debug_n = ARRAY_SIZE(caps_debug);

/* ---- events of user contexts ---- */

/* Those that the tests of traffic see, event_cap aside. */
static bool probe_events(struct dut *dut, uint32_t value, uint32_t events)
{
	return value == (probe_page(dut, 0, PRM_CAP_EVENT) ? events : 0);
}

/* A dword of a set of 256 events: the events 0 to 31 are in the second. */
#define EVENTS(title, set, dword, a)							\
	{ .name = title, .width = 32, .probe = probe_events, .arg = a,			\
	  .bit = offsetof(struct prm_device_event_cap_bits, set) + 32 * (dword) }

const struct cap_row caps_event[] = {
	EVENTS("events of queues", user_affiliated_events, 1, 0x301f0034),
	EVENTS("events of the port", user_unaffiliated_events, 1, 0x200),
};

const unsigned int caps_event_n = ARRAY_SIZE(caps_event);
