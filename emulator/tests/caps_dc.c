// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Capabilities of DC transport. */
#include <string.h>

#include "caps.h"
#include "rdma/rdma.h"

/* Both ends: who advertises it has both, else there is neither. */
bool probe_dc(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct prm_create_dct_in dct = {};
	struct prm_create_dct_out out;
	bool target = dut_cmd(dut, create_dct, &dct, &out) != PRM_STATUS_BAD_OP;
	bool initiator = !TRY(dut, qp, qp, qpc.st, PRM_QP_ST_DCI);

	(void)arg;
	return value ? target && initiator : target || initiator;
}

bool probe_dc_reads(struct dut *dut, uint32_t value, uint32_t requester)
{
	if (!value)
		return try_qp_to_rts(dut, &(struct qp_steps){ .st = PRM_QP_ST_DCI });
	if (!requester)
		return value == LOG_RA_MAX;
	return AT_MOST(value, 3, try_qp_to_rts(dut, &(struct qp_steps){ .st = PRM_QP_ST_DCI,
									.log_sra = n }));
}

static int try_streams(struct dut *dut, uint32_t channels, uint32_t errored)
{
	struct prm_create_qp_in in = {};

	prm_set(&in, qpc.st, PRM_QP_ST_DCI);
	prm_set(&in, qpc.log_num_dci_stream_channels, channels);
	prm_set(&in, qpc.log_num_dci_errored_streams, errored);
	return try_qp(dut, &in);
}

bool probe_dc_streams(struct dut *dut, uint32_t value, uint32_t errored)
{
	if (!value)
		return try_streams(dut, 1, 0);
	if (errored)
		return AT_MOST(value, 5, try_streams(dut, 1, n));
	return AT_MOST(value, 5, try_streams(dut, n, 0));
}

/* As WQEs of a DCI, which no probe sends. */
bool probe_dc_wqe(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)dut;
	(void)arg;
	return !value || value == WQE_MAX;
}

static int reset_stream(struct dut *dut, uint32_t qpn)
{
	struct { struct prm_rts2rts_qp_in in; struct prm_qpc_ext ext; } cmd = {};
	struct prm_rts2rts_qp_out out;
	struct qp *qp = obj_find(dut->dev, OBJ_QP, qpn);

	qp->state = PRM_QP_RTS;
	qp->dci.errored[0] = 7;
	qp->dci.n_errored = 1;
	prm_set(&cmd.in, qpn, qpn);
	prm_set(&cmd.in, qpc_ext, 1);
	prm_set64(&cmd.in, opt_param_mask_95_32, PRM_QP_OPT_32_DCI_STREAM);
	prm_set(&cmd.ext, dci_stream_channel_id, 7);
	return dut_exec(dut, PRM_OP_rts2rts_qp, &cmd, sizeof(cmd), &out, sizeof(out));
}

bool probe_dc_reset(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct prm_create_qp_in in = {};
	uint32_t qpn;
	int status;

	(void)value;
	(void)arg;
	prm_set(&in, qpc.st, PRM_QP_ST_DCI);
	prm_set(&in, qpc.log_num_dci_stream_channels, 1);
	prm_set(&in, qpc.log_num_dci_errored_streams, 1);
	if (create_qp(dut, &in, &qpn))
		return false;
	status = reset_stream(dut, qpn);
	dut_destroy_obj(dut, PRM_OP_destroy_qp, qpn);
	return !status;
}
