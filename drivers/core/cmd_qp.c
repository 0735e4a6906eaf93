// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Commands for QPs, and for targets of DC transport. */
#include <linux/slab.h>

#include "prm/caps.h"
#include "prm/cmdif.h"
#include "prm/dct.h"
#include "prm/qp.h"
#include "core.h"

int cxr_cmd_create_qp(struct cxr_core *core, const struct cxr_qp_create *attr,
		      const struct cxr_pas *pas, u32 *qpn)
{
	struct prm_create_qp_out out;
	struct prm_create_qp_in *in;
	size_t len;
	int err;

	in = cxr_cmd_alloc_in(sizeof(*in), pas, &len);
	if (!in)
		return -ENOMEM;

	prm_set(in, uid, attr->uid);
	cxr_qpc_encode_create(prm_sub(in, qpc, qpc), attr);
	if (!core->caps.qp_free_running)
		prm_set(in, qpc.ts_format, PRM_TS_DEFAULT);
	err = cxr_cmd_len(core, create_qp, in, len, &out, sizeof(out));
	if (!err)
		*qpn = prm_get(&out, qpn);
	kvfree(in);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cmd_create_qp);

int cxr_cmd_destroy_qp(struct cxr_core *core, u16 uid, u32 qpn)
{
	struct prm_destroy_qp_in in = {};
	struct prm_destroy_qp_out out;

	prm_set(&in, uid, uid);
	prm_set(&in, qpn, qpn);
	return cxr_cmd_refusal(core, cxr_cmd(core, destroy_qp, &in, &out));
}
EXPORT_SYMBOL_GPL(cxr_cmd_destroy_qp);

/* All transitions with a context share a layout, and so do the two without. */
static_assert(sizeof(struct prm_init2init_qp_in) == sizeof(struct prm_rst2init_qp_in));
static_assert(sizeof(struct prm_init2rtr_qp_in) == sizeof(struct prm_rst2init_qp_in));
static_assert(sizeof(struct prm_rtr2rts_qp_in) == sizeof(struct prm_rst2init_qp_in));
static_assert(sizeof(struct prm_rts2rts_qp_in) == sizeof(struct prm_rst2init_qp_in));
static_assert(sizeof(struct prm_sqerr2rts_qp_in) == sizeof(struct prm_rst2init_qp_in));
static_assert(sizeof(struct prm_sqd2rts_qp_in) == sizeof(struct prm_rst2init_qp_in));
static_assert(sizeof(struct prm_qp_2rst_in) == sizeof(struct prm_qp_2err_in));

static const struct {
	enum cxr_qp_state from, to;
	u16 op;
} transitions[] = {
	{ CXR_QPS_RST,	CXR_QPS_INIT,	PRM_OP_rst2init_qp },
	{ CXR_QPS_INIT,	CXR_QPS_INIT,	PRM_OP_init2init_qp },
	{ CXR_QPS_INIT,	CXR_QPS_RTR,	PRM_OP_init2rtr_qp },
	{ CXR_QPS_RTR,	CXR_QPS_RTS,	PRM_OP_rtr2rts_qp },
	{ CXR_QPS_RTS,	CXR_QPS_RTS,	PRM_OP_rts2rts_qp },
	{ CXR_QPS_SQER,	CXR_QPS_RTS,	PRM_OP_sqerr2rts_qp },
	{ CXR_QPS_SQD,	CXR_QPS_RTS,	PRM_OP_sqd2rts_qp },
};

static int modify_without_ctx(struct cxr_core *core, u16 uid, u32 qpn, u16 op)
{
	struct prm_qp_2err_in in = {};
	struct prm_qp_2err_out out;

	prm_set(&in, opcode, op);
	prm_set(&in, uid, uid);
	prm_set(&in, qpn, qpn);
	return cxr_cmd_exec(core, &in, sizeof(in), &out, sizeof(out));
}

int cxr_cmd_modify_qp(struct cxr_core *core, u16 uid, u32 qpn, enum cxr_qp_state from,
		      enum cxr_qp_state to, const struct cxr_qp_mod *mod, u32 opts)
{
	struct prm_rst2init_qp_in in = {};
	struct prm_rst2init_qp_out out;
	int i;

	if (to == CXR_QPS_ERR)
		return modify_without_ctx(core, uid, qpn, PRM_OP_qp_2err);
	if (to == CXR_QPS_RST)
		return modify_without_ctx(core, uid, qpn, PRM_OP_qp_2rst);

	for (i = 0; i < ARRAY_SIZE(transitions); i++) {
		if (transitions[i].from == from && transitions[i].to == to)
			break;
	}
	if (i == ARRAY_SIZE(transitions))
		return -EINVAL;

	prm_set(&in, uid, uid);
	prm_set(&in, opcode, transitions[i].op);
	prm_set(&in, qpn, qpn);
	prm_set(&in, opt_param_mask, cxr_qp_opt_encode(opts));
	cxr_qpc_encode_mod(prm_sub(&in, qpc, qpc), mod);
	return cxr_cmd_exec(core, &in, sizeof(in), &out, sizeof(out));
}
EXPORT_SYMBOL_GPL(cxr_cmd_modify_qp);

int cxr_cmd_query_qp(struct cxr_core *core, u32 qpn, enum cxr_qp_state *state, bool *draining,
		     struct cxr_qp_mod *mod)
{
	struct prm_query_qp_in in = {};
	struct prm_query_qp_out out;
	int err;

	prm_set(&in, qpn, qpn);
	err = cxr_cmd(core, query_qp, &in, &out);
	if (err)
		return err;
	return cxr_qpc_decode(prm_sub(&out, qpc, qpc), state, draining, mod);
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_qp);

int cxr_cmd_attach_mcg(struct cxr_core *core, u16 uid, const u8 gid[16], u32 qpn)
{
	struct prm_attach_to_mcg_in in = {};
	struct prm_attach_to_mcg_out out;

	prm_set(&in, uid, uid);
	prm_set(&in, qpn, qpn);
	memcpy(prm_bytes(&in, multicast_gid), gid, 16);
	return cxr_cmd(core, attach_to_mcg, &in, &out);
}
EXPORT_SYMBOL_GPL(cxr_cmd_attach_mcg);

int cxr_cmd_detach_mcg(struct cxr_core *core, u16 uid, const u8 gid[16], u32 qpn)
{
	struct prm_detach_from_mcg_in in = {};
	struct prm_detach_from_mcg_out out;

	prm_set(&in, uid, uid);
	prm_set(&in, qpn, qpn);
	memcpy(prm_bytes(&in, multicast_gid), gid, 16);
	return cxr_cmd_refusal(core, cxr_cmd(core, detach_from_mcg, &in, &out));
}
EXPORT_SYMBOL_GPL(cxr_cmd_detach_mcg);

int cxr_cmd_create_dct(struct cxr_core *core, const struct cxr_dct *dct, u32 *dctn, u32 *ece)
{
	struct prm_create_dct_in in = {};
	struct prm_create_dct_out out;
	int err;

	prm_set(&in, uid, dct->uid);
	cxr_dctc_encode(prm_sub(&in, dct_context_entry, dctc), dct);
	err = cxr_cmd(core, create_dct, &in, &out);
	if (err)
		return err;

	*dctn = prm_get(&out, dctn);
	*ece = prm_get(&out, ece);
	return 0;
}
EXPORT_SYMBOL_GPL(cxr_cmd_create_dct);

int cxr_cmd_drain_dct(struct cxr_core *core, u16 uid, u32 dctn)
{
	struct prm_drain_dct_in in = {};
	struct prm_drain_dct_out out;

	prm_set(&in, uid, uid);
	prm_set(&in, dctn, dctn);
	return cxr_cmd_refusal(core, cxr_cmd(core, drain_dct, &in, &out));
}
EXPORT_SYMBOL_GPL(cxr_cmd_drain_dct);

int cxr_cmd_destroy_dct(struct cxr_core *core, u16 uid, u32 dctn)
{
	struct prm_destroy_dct_in in = {};
	struct prm_destroy_dct_out out;

	prm_set(&in, uid, uid);
	prm_set(&in, dctn, dctn);
	return cxr_cmd_refusal(core, cxr_cmd(core, destroy_dct, &in, &out));
}
EXPORT_SYMBOL_GPL(cxr_cmd_destroy_dct);

int cxr_cmd_query_dct(struct cxr_core *core, u32 dctn, struct cxr_dct *dct)
{
	struct prm_query_dct_in in = {};
	struct prm_query_dct_out out;
	int err;

	prm_set(&in, dctn, dctn);
	err = cxr_cmd(core, query_dct, &in, &out);
	if (!err)
		cxr_dctc_decode(prm_sub(&out, dct_context_entry, dctc), dct);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_dct);
