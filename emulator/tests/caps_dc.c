// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Capabilities of DC transport. */
#include <string.h>

#include "caps.h"
#include "prm/dct.h"
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

static int create_target(struct dut *dut, uint32_t *rmpn, uint32_t *dctn)
{
	__be64 pas = cpu_to_be64(dut_alloc(dut, 4096));
	struct prm_create_rmp_in rmp = {};
	struct prm_create_rmp_out rmp_out;
	struct prm_create_dct_in in = {};
	struct prm_create_dct_out out;
	int status;

	prm_set(&rmp, ctx.state, PRM_WQ_RDY);
	prm_set(&rmp, ctx.wq.pd, dut->pd);
	prm_set(&rmp, ctx.wq.log_wq_stride, 6);
	prm_set(&rmp, ctx.wq.log_wq_sz, 4);
	prm_set64(&rmp, ctx.wq.dbr_addr, dut_alloc(dut, 4096));
	status = dut_cmd_tail(dut, create_rmp, &rmp, &rmp_out, &pas, 8);
	if (status)
		return status;
	*rmpn = prm_get(&rmp_out, rmpn);
	prm_set(&in, dct_context_entry.pd, dut->pd);
	prm_set(&in, dct_context_entry.cqn, env.cqn);
	prm_set(&in, dct_context_entry.srqn_xrqn, *rmpn);
	prm_set(&in, dct_context_entry.port, 1);
	prm_set(&in, dct_context_entry.rre, 1);
	prm_set(&in, dct_context_entry.mtu, PRM_QP_MTU_1024);
	status = dut_cmd(dut, create_dct, &in, &out);
	*dctn = prm_get(&out, dctn);
	return status;
}

/* Of @n READs of no bytes that wait for their answers: how many does the target take? */
static unsigned int reads_taken(struct dut *dut, struct dct *dct, unsigned int n)
{
	const struct roce_addr *own = &dut->dev->roce_addrs[0];
	struct packet pkt = { .n = 1, .type = PRM_CQE_ROCE_IPV4 };
	const struct q_counter *counter = dct->counters;
	uint64_t before = counter->rx_read_requests;
	uint8_t reth[RETH_BYTES] = {};
	unsigned int i;

	memcpy(pkt.sgid, own->gid, 16);
	memcpy(pkt.dgid, own->gid, 16);
	put32(reth + 8, dut->lkey);
	pkt.bth.opcode = BTH_DC | BTH_READ_REQUEST;
	pkt.dc = (struct dc_eth){ .initiator = 0x123456, .session = 1 };
	pkt.ext = reth;
	pkt.ext_len = sizeof(reth);
	for (i = 0; i < n; i++) {
		pkt.bth.psn = i;
		dct_request(dct, &pkt);
	}
	return counter->rx_read_requests - before;
}

static bool probe_target_reads(struct dut *dut, uint32_t log)
{
	struct prm_drain_dct_in drain = {};
	struct prm_drain_dct_out out;
	uint32_t rmpn, dctn;
	unsigned int n;

	if (set_address(dut, 0, PRM_ROCE_V2, PRM_ROCE_L3_IPV4) ||
	    create_target(dut, &rmpn, &dctn))
		return false;
	n = reads_taken(dut, obj_find(dut->dev, OBJ_DCT, dctn), (1u << log) + 1);
	dct_close_all(obj_find(dut->dev, OBJ_DCT, dctn), false);
	prm_set(&drain, dctn, dctn);
	dut_must(dut, drain_dct, &drain, &out);
	dut_run();
	dut_check(dut_destroy_obj(dut, PRM_OP_destroy_dct, dctn), "destroy_dct");
	dut_check(dut_destroy_obj(dut, PRM_OP_destroy_rmp, rmpn), "destroy_rmp");
	return n == 1u << log;
}

bool probe_dc_reads(struct dut *dut, uint32_t value, uint32_t requester)
{
	if (!value)
		return try_qp_to_rts(dut, &(struct qp_steps){ .st = PRM_QP_ST_DCI });
	if (!requester)
		return probe_target_reads(dut, value);
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

/* Is a NOP of so many units of 16 bytes valid? */
static bool takes_wqe(struct dut *dut, struct qp *qp, uint32_t units)
{
	struct prm_wqe_ctrl_seg *ctrl = dut_ptr(dut, DUT_BASE + qp->sq.offset);
	struct swqe w;

	ctrl->opmod_idx_opcode = cpu_to_be32(PRM_WQE_NOP);
	ctrl->qpn_ds = cpu_to_be32(qp->obj.num << 8 | units);
	qp->sq.pi = WQE_MAX / PRM_WQE_BB;
	return !swqe_read(qp, 0, &w);
}

#define UNITS_MAX 63	/* to which the control segment counts; they are 16 basic blocks */

bool probe_dc_wqe(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct prm_create_qp_in in = {};
	uint32_t qpn, units = value / PRM_WQE_DS;
	struct qp *qp;
	bool good;

	(void)arg;
	if (!value)
		return try_streams(dut, 0, 0);
	prm_set(&in, qpc.st, PRM_QP_ST_DCI);
	prm_set(&in, qpc.log_sq_size, 5);
	if (create_qp(dut, &in, &qpn))
		return false;
	qp = obj_find(dut->dev, OBJ_QP, qpn);
	good = units < UNITS_MAX ? takes_wqe(dut, qp, units) && !takes_wqe(dut, qp, units + 1) :
				   takes_wqe(dut, qp, UNITS_MAX);
	dut_destroy_obj(dut, PRM_OP_destroy_qp, qpn);
	return good;
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
