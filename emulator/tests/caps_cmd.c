// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Capabilities: commands that probes of several tables run, and probes that need no other. */
#include <string.h>

#include "caps.h"
#include "prm/lag.h"

int try_set_cap(struct dut *dut, enum cap_type type, unsigned int bit, unsigned int width,
		uint32_t value)
{
	struct hca_state *hca = dut->dev->hca;
	struct prm_set_hca_cap_in in = {};
	struct prm_set_hca_cap_out out;
	__be32 *page = (void *)((uint8_t *)&in + sizeof(struct prm_mbox_in));
	int status;

	memcpy(page, hca->cap_cur[type], CAP_BYTES);
	prm_set_bits(page, bit, width, value);
	prm_set(&in, op_mod, type << 1);
	hca->phase = HCA_ENABLED;
	status = dut_cmd(dut, set_hca_cap, &in, &out);
	if (!status && prm_get_bits((void *)hca->cap_cur[type], bit, width) != value)
		status = PRM_STATUS_INTERNAL;
	hca->phase = HCA_RUNNING;
	hca_caps_reset(dut->dev);
	return status;
}

int set_address(struct dut *dut, unsigned int index, unsigned int version, unsigned int l3)
{
	uint8_t gid[16] = { [10] = 0xff, [11] = 0xff, [12] = 192, [13] = 168, [15] = 1 };
	struct prm_set_roce_address_in in = {};
	struct prm_set_roce_address_out out;

	if (version != PRM_ROCE_V2 || l3)
		memset(gid, 0x20, 12);
	prm_set(&in, roce_address_index, index);
	prm_set(&in, roce_address.roce_version, version);
	prm_set(&in, roce_address.roce_l3_type, l3);
	memcpy(prm_bytes(&in, roce_address.source_l3_address), gid, 16);
	memcpy(prm_bytes(&in, roce_address.source_mac_47_32), dut->dev->mac, 6);
	return dut_cmd(dut, set_roce_address, &in, &out);
}

int modify_qp(struct dut *dut, unsigned int opcode, uint32_t qpn, uint32_t opt,
	      const struct prm_qpc *ctx)
{
	struct prm_rst2init_qp_in in = {};
	struct prm_rst2init_qp_out out;

	prm_set(&in, qpn, qpn);
	prm_set(&in, opt_param_mask, opt);
	*prm_sub(&in, qpc, qpc) = *ctx;
	return dut_exec(dut, opcode, &in, sizeof(in), &out, sizeof(out));
}

static int set_sport(struct dut *dut, uint32_t qpn, unsigned int sport)
{
	struct prm_rts2rts_qp_in in = {};
	struct prm_rts2rts_qp_out out;

	prm_set(&in, qpn, qpn);
	prm_set64(&in, opt_param_mask_95_32, PRM_QP_OPT_32_UDP_SPORT);
	prm_set(&in, qpc.primary_address_path.udp_sport, sport);
	return dut_cmd(dut, rts2rts_qp, &in, &out);
}

static int move_to_rts(struct dut *dut, const struct qp_steps *steps, uint32_t qpn)
{
	struct prm_qpc ctx = {};
	int status;

	prm_set(&ctx, st, steps->st);
	prm_set(&ctx, primary_address_path.vhca_port_num, 1);
	prm_set(&ctx, lag_tx_port_affinity, steps->affinity);
	status = modify_qp(dut, PRM_OP_rst2init_qp, qpn, 0, &ctx);
	prm_set(&ctx, lag_tx_port_affinity, 0);
	prm_set(&ctx, mtu, PRM_QP_MTU_1024);
	prm_set(&ctx, log_msg_max, steps->log_msg ?: 12);
	prm_set(&ctx, log_rra_max, steps->log_rra);
	prm_set(&ctx, log_sra_max, steps->log_sra);
	status = status ? status : modify_qp(dut, PRM_OP_init2rtr_qp, qpn, 0, &ctx);
	status = status ? status : modify_qp(dut, PRM_OP_rtr2rts_qp, qpn, 0, &ctx);
	if (!status && steps->dscp) {
		prm_set(&ctx, primary_address_path.dscp, steps->dscp);
		status = modify_qp(dut, PRM_OP_rts2rts_qp, qpn, PRM_QP_OPT_PRIMARY_PATH_DSCP, &ctx);
	}
	if (!status && steps->sport)
		status = set_sport(dut, qpn, steps->sport);
	if (!status && steps->port) {
		prm_set(&ctx, lag_tx_port_affinity, steps->port);
		status = modify_qp(dut, PRM_OP_rts2rts_qp, qpn, PRM_QP_OPT_LAG_TX_AFF, &ctx);
	}
	if (status || !steps->counters)
		return status;
	prm_set(&ctx, counter_set_id, steps->counters);
	return modify_qp(dut, PRM_OP_rts2rts_qp, qpn, PRM_QP_OPT_COUNTER_SET_ID, &ctx);
}

int try_qp_to_rts(struct dut *dut, const struct qp_steps *steps)
{
	struct prm_create_qp_in in = {};
	uint32_t qpn;
	int status;

	prm_set(&in, qpc.st, steps->st);
	status = create_qp(dut, &in, &qpn);
	if (status)
		return status;
	status = set_address(dut, 0, PRM_ROCE_V2, PRM_ROCE_L3_IPV4);
	status = status ? status : move_to_rts(dut, steps, qpn);
	dut_destroy_obj(dut, PRM_OP_destroy_qp, qpn);
	return status;
}

bool probe_rts2rts_dscp(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)value;
	(void)arg;
	return !try_qp_to_rts(dut, &(struct qp_steps){ .st = PRM_QP_ST_RC, .dscp = 26 });
}

bool probe_rts2rts_sport(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)value;
	(void)arg;
	return !try_qp_to_rts(dut, &(struct qp_steps){ .st = PRM_QP_ST_UC, .sport = 55555 });
}

bool probe_rts2rts_port(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)value;
	(void)arg;
	return !try_qp_to_rts(dut, &(struct qp_steps){ .st = PRM_QP_ST_RC, .port = 2 });
}

int create_lag(struct dut *dut, unsigned int one, unsigned int two, bool fdb, unsigned int mode)
{
	struct prm_create_lag_in in = {};
	struct prm_create_lag_out out;
	struct prm_destroy_lag_in destroy = {};
	int status;

	prm_set(&in, ctx.tx_remap_affinity_1, one);
	prm_set(&in, ctx.tx_remap_affinity_2, two);
	prm_set(&in, ctx.fdb_selection_mode, fdb);
	prm_set(&in, ctx.port_select_mode, mode);
	status = dut_cmd(dut, create_lag, &in, &out);
	if (!status)
		dut_must(dut, destroy_lag, &destroy, &out);
	return status;
}

/* All has gone wrong: does the counter at @bit show it? */
bool probe_vnic(struct dut *dut, uint32_t value, uint32_t bit)
{
	(void)value;
	memset(&dut->dev->hca->vnic, 1, sizeof(dut->dev->hca->vnic));
	dut->dev->eth->counters.rx_no_rule = ~0ull;
	return dut_vnic_at(dut, bit, 32);
}

bool probe_vnic_newer(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)arg;
	return value == dut->dev->card->vnic_env_newer;
}

bool probe_vport_manager(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)arg;
	return value == !dut->dev->card->vf;
}

/* ---- completions ---- */

bool probe_cq_compression_128(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct prm_create_cq_in in = {};

	(void)value;
	(void)arg;
	prm_set(&in, cq_context.cqe_comp_en, 1);
	prm_set(&in, cq_context.cqe_sz, PRM_CQE_SZ_128);
	return !try_cq(dut, &in);
}

bool probe_few_strides(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct prm_create_rq_in in = {};

	(void)value;
	(void)arg;
	prm_set(&in, ctx.wq.wq_type, PRM_WQ_CYCLIC_STRIDING);
	prm_set(&in, ctx.wq.log_wqe_num_of_strides, PRM_WQ_STRIDES_EXT);
	return !try_rq(dut, &in);
}

/* test_compress.c counts. */
bool probe_session(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)arg;
	return value == hca_session_max(dut->dev) && value <= CQE_SESSION_MAX;
}

bool probe_cqe_version(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct dut_wq sq = dut_create_sq(dut, 4, NULL);
	const struct prm_cqe64 *cqe;

	(void)arg;
	dut_wqe(dut, &sq, PRM_WQE_NOP, 1, PRM_WQE_CE_ALWAYS);
	dut_ring(dut, &sq, 1);
	cqe = dut_poll(dut, &sq.cq);
	return value == 1 && cqe && be32toh(cqe->srqn) == 0xabc;
}
