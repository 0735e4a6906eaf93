// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Commands for traffic classes, flow control of priorities, and the receive buffer of the port. */
#include <linux/string.h>

#include "prm/dcb.h"
#include "prm/port.h"
#include "../codec/qos.h"
#include "core.h"

#define CELL_DEFAULT	128	/* bytes, where SBCAM does not say */

/* ---- what there is ------------------------------------------------------------------------ */

/* The default where SBCAM is refused as well, as in the in-tree driver. */
static u32 query_cell(struct cxr_core *core)
{
	struct prm_sbcam_reg sbcam = {};

	if (!core->caps.sbcam_reg ||
	    cxr_reg_read(core, PRM_REG_SBCAM, &sbcam, sizeof(sbcam)))
		return CELL_DEFAULT;
	return prm_get(&sbcam, cap_cell_size) ?: CELL_DEFAULT;
}

int cxr_cmd_query_dcb(struct cxr_core *core, struct cxr_dcb_support *support)
{
	struct prm_qcam_reg qcam = {};
	struct prm_pcam_reg pcam = {};
	int err = 0;

	memset(support, 0, sizeof(*support));
	if (core->caps.qcam_reg)
		err = cxr_cap_reg_read(core, PRM_REG_QCAM, &qcam, sizeof(qcam));
	err = err ?: cxr_pcam_read(core, &pcam);
	if (err)
		return err;
	support->dscp = prm_get(&qcam, qos_access_reg_cap_mask.reg_cap.qpts) &&
			prm_get(&qcam, qos_access_reg_cap_mask.reg_cap.qpdpm);
	support->buffers = prm_get(&pcam, port_access_reg_cap_mask.regs_5000_to_507f.pbmc) &&
			   prm_get(&pcam, port_access_reg_cap_mask.regs_5000_to_507f.pptb);
	support->buffer_owner =
		prm_get(&pcam, feature_cap_mask.enhanced_features.buffer_ownership);
	support->stall = core->caps.stall_detect &&
			 prm_get(&pcam, feature_cap_mask.enhanced_features.pfcc_mask);
	support->cell = query_cell(core);
	return 0;
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_dcb);

/* ---- trust -------------------------------------------------------------------------------- */

int cxr_cmd_query_trust(struct cxr_core *core, bool *dscp)
{
	struct prm_qpts_reg qpts = {};
	int err;

	prm_set(&qpts, local_port, CXR_LOCAL_PORT);
	err = cxr_reg_read(core, PRM_REG_QPTS, &qpts, sizeof(qpts));
	*dscp = !err && prm_get(&qpts, trust_state) == PRM_QPTS_TRUST_DSCP;
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_trust);

int cxr_cmd_set_trust(struct cxr_core *core, bool dscp)
{
	struct prm_qpts_reg qpts = {};

	prm_set(&qpts, local_port, CXR_LOCAL_PORT);
	prm_set(&qpts, trust_state, dscp ? PRM_QPTS_TRUST_DSCP : PRM_QPTS_TRUST_PCP);
	return cxr_reg_write(core, PRM_REG_QPTS, &qpts, sizeof(qpts));
}
EXPORT_SYMBOL_GPL(cxr_cmd_set_trust);

static int read_qpdpm(struct cxr_core *core, struct prm_qpdpm_reg *qpdpm)
{
	prm_set(qpdpm, local_port, CXR_LOCAL_PORT);
	return cxr_reg_read(core, PRM_REG_QPDPM, qpdpm, sizeof(*qpdpm));
}

int cxr_cmd_query_dscp_prio(struct cxr_core *core, u8 prio[CXR_DSCPS])
{
	struct prm_qpdpm_reg qpdpm = {};
	const __be16 *dscp = (const __be16 *)prm_bytes(&qpdpm, dscp);
	unsigned int i;
	int err;

	err = read_qpdpm(core, &qpdpm);
	for (i = 0; !err && i < CXR_DSCPS; i++)
		prio[i] = be16_to_cpu(dscp[i]) & PRM_QPDPM_PRIO;
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_dscp_prio);

int cxr_cmd_set_dscp_prio(struct cxr_core *core, u8 dscp, u8 prio)
{
	struct prm_qpdpm_reg qpdpm = {};
	__be16 *entries = (__be16 *)prm_bytes(&qpdpm, dscp);
	int err;

	err = read_qpdpm(core, &qpdpm);
	if (err)
		return err;
	prm_set(&qpdpm, local_port, CXR_LOCAL_PORT);
	entries[dscp] = cpu_to_be16(PRM_QPDPM_ENABLE | prio);
	return cxr_reg_write(core, PRM_REG_QPDPM, &qpdpm, sizeof(qpdpm));
}
EXPORT_SYMBOL_GPL(cxr_cmd_set_dscp_prio);

/*
 * ---- traffic classes --------------------------------------------------------------------------
 *
 * Where the in-tree driver names no port, nor is there one here: it is what cards are known to
 * take.
 */

int cxr_cmd_query_prio_tc(struct cxr_core *core, u8 tc[CXR_PRIOS])
{
	unsigned int prio;
	int err = 0;

	for (prio = 0; !err && prio < CXR_PRIOS; prio++) {
		struct prm_qtct_reg qtct = {};

		prm_set(&qtct, port_number, CXR_LOCAL_PORT);
		prm_set(&qtct, prio, prio);
		err = cxr_reg_read(core, PRM_REG_QTCT, &qtct, sizeof(qtct));
		tc[prio] = prm_get(&qtct, tclass);
	}
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_prio_tc);

int cxr_cmd_set_prio_tc(struct cxr_core *core, const u8 tc[CXR_PRIOS])
{
	unsigned int prio;
	int err = 0;

	for (prio = 0; !err && prio < CXR_PRIOS; prio++) {
		struct prm_qtct_reg qtct = {};

		prm_set(&qtct, prio, prio);
		prm_set(&qtct, tclass, tc[prio]);
		err = cxr_reg_write(core, PRM_REG_QTCT, &qtct, sizeof(qtct));
	}
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cmd_set_prio_tc);

int cxr_cmd_query_tcs(struct cxr_core *core, struct cxr_tc tcs[CXR_TCS])
{
	struct prm_qetc_reg qetc = {};
	int err;

	err = cxr_reg_read(core, PRM_REG_QETCR, &qetc, sizeof(qetc));
	if (!err)
		cxr_tcs_decode(&qetc, tcs);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_tcs);

static int set_tcs(struct cxr_core *core, const struct cxr_tc *tcs, enum cxr_tc_field field)
{
	struct prm_qetc_reg qetc = {};
	int err;

	if (field == CXR_TC_RATE)
		prm_set(&qetc, port_number, CXR_LOCAL_PORT);
	err = cxr_tcs_encode(tcs, core->caps.n_tcs, field, &qetc);
	return err ?: cxr_reg_write(core, PRM_REG_QETCR, &qetc, sizeof(qetc));
}

int cxr_cmd_set_tc_schedule(struct cxr_core *core, const struct cxr_tc tcs[CXR_TCS])
{
	return set_tcs(core, tcs, CXR_TC_GROUP) ?: set_tcs(core, tcs, CXR_TC_WEIGHT);
}
EXPORT_SYMBOL_GPL(cxr_cmd_set_tc_schedule);

int cxr_cmd_set_tc_rates(struct cxr_core *core, const struct cxr_tc tcs[CXR_TCS])
{
	return set_tcs(core, tcs, CXR_TC_RATE);
}
EXPORT_SYMBOL_GPL(cxr_cmd_set_tc_rates);

/* ---- DCBX --------------------------------------------------------------------------------- */

static int read_dcbx(struct cxr_core *core, struct prm_dcbx_param *param)
{
	prm_set(param, port_number, CXR_LOCAL_PORT);
	return cxr_reg_read(core, PRM_REG_DCBX_PARAM, param, sizeof(*param));
}

int cxr_cmd_query_dcbx(struct cxr_core *core, bool *firmware)
{
	struct prm_dcbx_param param = {};
	int err;

	err = read_dcbx(core, &param);
	*firmware = !err && prm_get(&param, version_oper) != PRM_DCBX_HOST;
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_dcbx);

int cxr_cmd_set_dcbx(struct cxr_core *core, bool firmware)
{
	struct prm_dcbx_param param = {};
	int err;

	err = read_dcbx(core, &param);
	if (err)
		return err;
	prm_set(&param, port_number, CXR_LOCAL_PORT);
	prm_set(&param, version_admin, firmware ? PRM_DCBX_FIRMWARE : PRM_DCBX_HOST);
	if (firmware)
		prm_set(&param, willing_admin, 1);
	return cxr_reg_write(core, PRM_REG_DCBX_PARAM, &param, sizeof(param));
}
EXPORT_SYMBOL_GPL(cxr_cmd_set_dcbx);

/* ---- flow control of priorities ----------------------------------------------------------- */

int cxr_cmd_set_pfc(struct cxr_core *core, u8 prios)
{
	struct prm_pfcc_reg pfcc = {};

	prm_set(&pfcc, local_port, CXR_LOCAL_PORT);
	prm_set(&pfcc, prio_mask_tx, 0xff);
	prm_set(&pfcc, prio_mask_rx, 0xff);
	prm_set(&pfcc, pfctx, prios);
	prm_set(&pfcc, pfcrx, prios);
	return cxr_reg_write(core, PRM_REG_PFCC, &pfcc, sizeof(pfcc));
}
EXPORT_SYMBOL_GPL(cxr_cmd_set_pfc);

int cxr_cmd_query_stall(struct cxr_core *core, u16 *critical_ms)
{
	struct prm_pfcc_reg pfcc = {};
	int err;

	prm_set(&pfcc, local_port, CXR_LOCAL_PORT);
	err = cxr_reg_read(core, PRM_REG_PFCC, &pfcc, sizeof(pfcc));
	*critical_ms = err ? 0 : prm_get(&pfcc, device_stall_critical_watermark);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_stall);

int cxr_cmd_set_stall(struct cxr_core *core, u16 critical_ms, u16 minor_ms)
{
	struct prm_pfcc_reg pfcc = {};

	prm_set(&pfcc, local_port, CXR_LOCAL_PORT);
	/* all else stays */
	prm_set(&pfcc, ppan_mask_n, 1);
	prm_set(&pfcc, pptx_mask_n, 1);
	prm_set(&pfcc, pprx_mask_n, 1);
	prm_set(&pfcc, critical_stall_mask, 1);
	prm_set(&pfcc, minor_stall_mask, 1);
	prm_set(&pfcc, device_stall_critical_watermark, critical_ms);
	prm_set(&pfcc, device_stall_minor_watermark, minor_ms);
	return cxr_reg_write(core, PRM_REG_PFCC, &pfcc, sizeof(pfcc));
}
EXPORT_SYMBOL_GPL(cxr_cmd_set_stall);

/* ---- receive buffer ----------------------------------------------------------------------- */

static int read_pptb(struct cxr_core *core, struct prm_pptb_reg *pptb)
{
	prm_set(pptb, local_port, CXR_LOCAL_PORT);
	return cxr_reg_read(core, PRM_REG_PPTB, pptb, sizeof(*pptb));
}

static int read_pbmc(struct cxr_core *core, struct prm_pbmc_reg *pbmc)
{
	prm_set(pbmc, local_port, CXR_LOCAL_PORT);
	return cxr_reg_read(core, PRM_REG_PBMC, pbmc, sizeof(*pbmc));
}

int cxr_cmd_query_buffers(struct cxr_core *core, struct cxr_buffers *b)
{
	struct prm_pptb_reg pptb = {};
	struct prm_pbmc_reg pbmc = {};
	int err;

	err = read_pptb(core, &pptb) ?: read_pbmc(core, &pbmc);
	if (err)
		return err;
	cxr_prio_buffers_decode(prm_get(&pptb, prio_x_buff), b->prio_buffer);
	cxr_buffers_decode(&pbmc, b);
	return 0;
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_buffers);

enum { SB_INGRESS, SB_EGRESS };

#define POOL_DYNAMIC	1	/* sbpr_reg.mode: users have a part of what is free */

static int query_pool(struct cxr_core *core, u8 dir, u8 pool, u32 *cells)
{
	struct prm_sbpr_reg sbpr = {};
	int err;

	prm_set(&sbpr, dir, dir);
	prm_set(&sbpr, pool, pool);
	err = cxr_reg_read(core, PRM_REG_SBPR, &sbpr, sizeof(sbpr));
	*cells = prm_get(&sbpr, size);
	return err;
}

static int set_pool(struct cxr_core *core, u8 dir, u8 pool, u32 cells)
{
	struct prm_sbpr_reg sbpr = {};

	prm_set(&sbpr, dir, dir);
	prm_set(&sbpr, pool, pool);
	prm_set(&sbpr, size, cells);
	prm_set(&sbpr, mode, POOL_DYNAMIC);
	return cxr_reg_write(core, PRM_REG_SBPR, &sbpr, sizeof(sbpr));
}

static int set_share(struct cxr_core *core, const struct cxr_buffers *b, unsigned int buffer)
{
	struct cxr_share share = cxr_buffer_share(b, buffer);
	struct prm_sbcm_reg sbcm = {}, old = {};
	int err;

	prm_set(&old, local_port, CXR_LOCAL_PORT);
	prm_set(&old, pg_buff, buffer);
	prm_set(&old, dir, SB_INGRESS);
	sbcm = old;
	err = cxr_reg_read(core, PRM_REG_SBCM, &old, sizeof(old));
	if (err)
		return err;
	prm_set(&sbcm, exc, prm_get(&old, exc));
	prm_set(&sbcm, min_buff, prm_get(&old, min_buff));
	prm_set(&sbcm, infi_max, share.infinite);
	prm_set(&sbcm, max_buff, share.alpha);
	prm_set(&sbcm, pool, share.pool);
	return cxr_reg_write(core, PRM_REG_SBCM, &sbcm, sizeof(sbcm));
}

static u32 cells_of(const struct cxr_buffers *b)
{
	unsigned int i;
	u32 sum = 0;

	for (i = 0; i < CXR_BUFFERS; i++)
		sum += b->buffer[i].size / b->cell;
	return sum;
}

/* What the buffers do not have, in cells. */
struct pools {
	u32 lossy, lossless;
};

static int read_pools(struct cxr_core *core, struct pools *pools)
{
	if (!core->caps.sbcam_reg)
		return 0;
	return query_pool(core, SB_EGRESS, CXR_POOL_LOSSY, &pools->lossy) ?:
	       query_pool(core, SB_INGRESS, CXR_POOL_LOSSLESS, &pools->lossless);
}

static int write_pools(struct cxr_core *core, const struct pools *pools,
		       const struct cxr_buffers *b)
{
	unsigned int i;
	int err;

	if (!core->caps.sbcam_reg)
		return 0;
	err = set_pool(core, SB_EGRESS, CXR_POOL_LOSSY, pools->lossy) ?:
	      set_pool(core, SB_INGRESS, CXR_POOL_LOSSLESS, pools->lossless);
	for (i = 0; !err && i < CXR_BUFFERS; i++)
		err = set_share(core, b, i);
	return err;
}

/* @left: what @old and @pools leave for the buffers @b, or -ENOSPC. */
static int divide_pools(struct cxr_core *core, const struct cxr_buffers *old,
			const struct cxr_buffers *b, const struct pools *pools, struct pools *left)
{
	u32 all = cells_of(old) + pools->lossy + pools->lossless, want = cells_of(b);

	if (!core->caps.sbcam_reg)
		return 0;
	if (want > all || !cxr_pools_divide(all - want, &left->lossy, &left->lossless))
		return -ENOSPC;
	return 0;
}

static int write_pbmc(struct cxr_core *core, const struct cxr_buffers *b)
{
	struct prm_pbmc_reg pbmc = {};
	int err;

	err = read_pbmc(core, &pbmc);
	if (err)
		return err;
	prm_set(&pbmc, local_port, CXR_LOCAL_PORT);
	cxr_buffers_encode(b, &pbmc);
	return cxr_reg_write(core, PRM_REG_PBMC, &pbmc, sizeof(pbmc));
}

static int write_pptb(struct cxr_core *core, const struct cxr_buffers *b)
{
	struct prm_pptb_reg pptb = {};
	int err;

	err = read_pptb(core, &pptb);
	if (err)
		return err;
	prm_set(&pptb, local_port, CXR_LOCAL_PORT);
	prm_set(&pptb, pm, 0xff);
	prm_set(&pptb, prio_x_buff, cxr_prio_buffers_encode(b->prio_buffer));
	return cxr_reg_write(core, PRM_REG_PPTB, &pptb, sizeof(pptb));
}

int cxr_cmd_set_buffers(struct cxr_core *core, const struct cxr_buffers *old,
			const struct cxr_buffers *b)
{
	bool resize = !cxr_buffers_same(old, b);
	struct pools pools = {}, left = {};
	int err = 0;

	if (resize) {
		err = read_pools(core, &pools) ?: divide_pools(core, old, b, &pools, &left);
		if (err)
			return err;
		err = write_pools(core, &left, b) ?: write_pbmc(core, b);
	}
	if (!err && memcmp(old->prio_buffer, b->prio_buffer, sizeof(b->prio_buffer)))
		err = write_pptb(core, b);
	if (err && resize) {
		write_pools(core, &pools, old);
		write_pbmc(core, old);
	}
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cmd_set_buffers);
