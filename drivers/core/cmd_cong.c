// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Commands of congestion control: parameters, and on and off by priority. */
#include "prm/cmdif.h"
#include "prm/cong.h"
#include "core.h"

static const u8 protocols[] = {
	[CXR_CONG_RP] = PRM_CONG_RP,
	[CXR_CONG_NP] = PRM_CONG_NP,
	[CXR_CONG_GENERAL] = PRM_CONG_GENERAL,
};

int cxr_cmd_query_cong_param(struct cxr_core *core, const struct cxr_cong_param *param, u32 *value)
{
	struct prm_query_cong_params_in in = {};
	struct prm_query_cong_params_out out;
	int err;

	prm_set(&in, cong_protocol, protocols[param->point]);
	err = cxr_cmd(core, query_cong_params, &in, &out);
	if (err)
		return err;

	*value = cxr_cong_decode(param, (__be32 *)prm_bytes(&out, congestion_parameters));
	return 0;
}

/* The parameter that shares a bit of the field select with this one, if there is one, with it. */
static int encode_partner(struct cxr_core *core, const struct cxr_cong_param *param,
			  __be32 *block)
{
	const struct cxr_cong_param *next = param + 1;
	u32 value;
	int err;

	if (param->sets_previous) {
		cxr_cong_encode(param - 1, param->previous, block);
		return 0;
	}
	if (next == cxr_cong_params + CXR_CONG_PARAMS || !next->sets_previous)
		return 0;
	/* it keeps its value */
	err = cxr_cmd_query_cong_param(core, next, &value);
	if (!err)
		cxr_cong_encode(next, value, block);
	return err;
}

int cxr_cmd_set_cong_param(struct cxr_core *core, const struct cxr_cong_param *param, u32 value)
{
	struct prm_modify_cong_params_in in = {};
	struct prm_modify_cong_params_out out;
	__be32 *block = (__be32 *)prm_bytes(&in, congestion_parameters);
	int err;

	err = encode_partner(core, param, block);
	if (err)
		return err;

	cxr_cong_encode(param, value, block);
	prm_set(&in, cong_protocol, protocols[param->point]);
	prm_set(&in, field_select, 1U << param->select);
	return cxr_cmd(core, modify_cong_params, &in, &out);
}

int cxr_cmd_query_cong_status(struct cxr_core *core, enum cxr_cong_point point, u8 prio, bool *on)
{
	struct prm_query_cong_status_in in = {};
	struct prm_query_cong_status_out out;
	int err;

	prm_set(&in, priority, prio);
	prm_set(&in, cong_protocol, protocols[point]);
	err = cxr_cmd(core, query_cong_status, &in, &out);
	*on = !err && prm_get(&out, enable);
	return err;
}

int cxr_cmd_set_cong_status(struct cxr_core *core, enum cxr_cong_point point, u8 prio, bool on)
{
	struct prm_modify_cong_status_in in = {};
	struct prm_modify_cong_status_out out;

	prm_set(&in, priority, prio);
	prm_set(&in, cong_protocol, protocols[point]);
	prm_set(&in, enable, on);
	return cxr_cmd(core, modify_cong_status, &in, &out);
}
