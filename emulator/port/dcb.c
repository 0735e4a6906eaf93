// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Registers of traffic classes: QPTS, QPDPM, QTCT, QETCR, QCAM and DCBX_PARAM.
 *
 * What they set is kept by the wire, which sorts and schedules frames by it. Drivers write a field
 * at a time, so that what they have set may be inconsistent in between: weights need not add up.
 */
#include "port/port.h"
#include "prm/dcb.h"

#define DSCPS 64
#define PERCENT 100
#define GROUPS 8
#define DCBX_APPLICATIONS 32

/* -1 and refused: another port; these registers are also addressed by 0. */
#define bad_port_or_0(c, in, field)                                                     \
	({                                                                              \
		unsigned int number_ = prm_get(in, field);                              \
	\
		number_ <= PORT_NUMBER ? 0 :                                                 \
			refuse(c, PRM_STATUS_BAD_PARAM,                                 \
			       #field " %u is neither 0 nor 1", number_);               \
	})

int check_dcb(struct cmd *c, const char *reg)
{
	if (check_owner(c, reg))
		return -1;
	return card_dcb ? 0 : decline(c, PRM_STATUS_BAD_PARAM, "%s is not advertised", reg);
}

static struct port_qos *qos_of(struct cmd *c)
{
	return port_qos(c->dev->port);
}

/* ---- trust ---- */

static int qpts_read(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_qpts_reg *in = reg_in;
	struct prm_qpts_reg *out = reg_out;

	if (bad_port_or_0(c, in, local_port) || check_dcb(c, "QPTS"))
		return -1;
	prm_set(out, local_port, PORT_NUMBER);
	prm_set(out, trust_state, qos_of(c)->trust_dscp ? PRM_QPTS_TRUST_DSCP :
							  PRM_QPTS_TRUST_PCP);
	return 0;
}

static int qpts_write(struct cmd *c, const void *reg_in, void *reg_out)
{
	unsigned int trust = prm_get((const struct prm_qpts_reg *)reg_in, trust_state);

	if (check_dcb(c, "QPTS"))
		return -1;
	if (trust != PRM_QPTS_TRUST_PCP && trust != PRM_QPTS_TRUST_DSCP)
		return refuse(c, PRM_STATUS_BAD_PARAM, "trust_state %u is neither PCP nor DSCP",
			      trust);
	if (qpts_read(c, reg_in, reg_out))
		return -1;
	qos_of(c)->trust_dscp = trust == PRM_QPTS_TRUST_DSCP;
	return qpts_read(c, reg_in, reg_out);
}

static int qpdpm_read(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_qpdpm_reg *in = reg_in;
	struct prm_qpdpm_reg *out = reg_out;
	uint8_t *entry = prm_bytes(out, dscp);
	unsigned int i;

	if (bad_port_or_0(c, in, local_port) || check_dcb(c, "QPDPM"))
		return -1;
	prm_set(out, local_port, PORT_NUMBER);
	for (i = 0; i < DSCPS; i++)
		put16(entry + 2 * i, qos_of(c)->dscp_prio[i]);
	return 0;
}

static int qpdpm_write(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_qpdpm_reg *in = reg_in;
	const uint8_t *entry = prm_bytes_const(in, dscp);
	unsigned int i, v;

	if (bad_port_or_0(c, in, local_port) || check_dcb(c, "QPDPM"))
		return -1;
	for (i = 0; i < DSCPS; i++) {
		v = get16(entry + 2 * i);
		if (v & PRM_QPDPM_ENABLE && (v & PRM_QPDPM_PRIO) >= PRIORITIES)
			return refuse(c, PRM_STATUS_BAD_PARAM, "priority %u of DSCP %u is above 7",
				      v & PRM_QPDPM_PRIO, i);
	}
	for (i = 0; i < DSCPS; i++) {
		v = get16(entry + 2 * i);
		if (v & PRM_QPDPM_ENABLE)
			qos_of(c)->dscp_prio[i] = v & PRM_QPDPM_PRIO;
	}
	return qpdpm_read(c, reg_in, reg_out);
}

/* ---- traffic classes ---- */

static int qtct_read(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_qtct_reg *in = reg_in;
	struct prm_qtct_reg *out = reg_out;
	unsigned int prio = prm_get(in, prio);

	if (bad_port_or_0(c, in, port_number) || check_dcb(c, "QTCT"))
		return -1;
	prm_set(out, port_number, prm_get(in, port_number));
	prm_set(out, prio, prio);
	prm_set(out, tclass, qos_of(c)->prio_tc[prio]);
	return 0;
}

static int qtct_write(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_qtct_reg *in = reg_in;

	if (bad_port_or_0(c, in, port_number) || check_dcb(c, "QTCT"))
		return -1;
	qos_of(c)->prio_tc[prm_get(in, prio)] = prm_get(in, tclass);
	port_qos_changed(c->dev->port);
	return qtct_read(c, reg_in, reg_out);
}

/* The largest unit in which the rate is a whole number. */
static void put_rate(struct prm_ets_tcn_config_reg *tc, uint32_t mbps)
{
	bool hundreds = mbps % 1000;

	if (!mbps)
		return;
	prm_set(tc, max_bw_units, hundreds ? PRM_MAX_BW_100_MBPS : PRM_MAX_BW_1_GBPS);
	prm_set(tc, max_bw_value, mbps / (hundreds ? 100 : 1000));
}

static uint32_t get_rate(const struct prm_ets_tcn_config_reg *tc)
{
	unsigned int units = prm_get(tc, max_bw_units), value = prm_get(tc, max_bw_value);

	return units == PRM_MAX_BW_NO_LIMIT ? 0 :
	       units == PRM_MAX_BW_100_MBPS ? value * 100 : value * 1000;
}

static int qetcr_read(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_qetc_reg *in = reg_in;
	struct prm_qetc_reg *out = reg_out;
	struct prm_ets_tcn_config_reg *tc = (void *)prm_bytes(out, tc_configuration);
	unsigned int i;

	if (bad_port_or_0(c, in, port_number) || check_dcb(c, "QETCR"))
		return -1;
	prm_set(out, port_number, prm_get(in, port_number));
	for (i = 0; i < PRIORITIES; i++) {
		prm_set(&tc[i], group, qos_of(c)->group[i]);
		prm_set(&tc[i], bw_allocation, qos_of(c)->weight[i]);
		put_rate(&tc[i], qos_of(c)->max_mbps[i]);
	}
	return 0;
}

static int check_class(struct cmd *c, const struct prm_ets_tcn_config_reg *tc, unsigned int i)
{
	unsigned int units = prm_get(tc, max_bw_units);

	if (prm_get(tc, g) && prm_get(tc, group) >= GROUPS)
		return refuse(c, PRM_STATUS_BAD_PARAM, "group %u of class %u is above 7",
			      prm_get(tc, group), i);
	if (prm_get(tc, b) && prm_get(tc, bw_allocation) > PERCENT)
		return refuse(c, PRM_STATUS_BAD_PARAM, "bw_allocation %u of class %u is above 100",
			      prm_get(tc, bw_allocation), i);
	if (prm_get(tc, r) && units != PRM_MAX_BW_NO_LIMIT && units != PRM_MAX_BW_100_MBPS &&
	    units != PRM_MAX_BW_1_GBPS)
		return refuse(c, PRM_STATUS_BAD_PARAM, "max_bw_units %u of class %u is unknown",
			      units, i);
	if (prm_get(tc, r) && units && !prm_get(tc, max_bw_value))
		return refuse(c, PRM_STATUS_BAD_PARAM, "max_bw_value of class %u is 0", i);
	return 0;
}

static int qetcr_write(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_qetc_reg *in = reg_in;
	const struct prm_ets_tcn_config_reg *tc = (void *)prm_bytes_const(in, tc_configuration);
	struct port_qos *qos = qos_of(c);
	unsigned int i;

	if (bad_port_or_0(c, in, port_number) || check_dcb(c, "QETCR"))
		return -1;
	if (is_set(c, in, global_configuration.r, "but only classes have rates"))
		return -1;
	for (i = 0; i < PRIORITIES; i++)
		if (check_class(c, &tc[i], i))
			return -1;
	for (i = 0; i < PRIORITIES; i++) {
		if (prm_get(&tc[i], g))
			qos->group[i] = prm_get(&tc[i], group);
		if (prm_get(&tc[i], b))
			qos->weight[i] = prm_get(&tc[i], bw_allocation);
		if (prm_get(&tc[i], r))
			qos->max_mbps[i] = get_rate(&tc[i]);
	}
	port_qos_changed(c->dev->port);
	return qetcr_read(c, reg_in, reg_out);
}

/* ---- what there is ---- */

static int qcam_read(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_qcam_reg *in = reg_in;
	struct prm_qcam_reg *out = reg_out;

	if (check_dcb(c, "QCAM"))
		return -1;
	if (prm_get(in, feature_group) || prm_get(in, access_reg_group))
		return decline(c, PRM_STATUS_BAD_PARAM,
			       "QCAM: feature group %u, register group %u: only group 0 is supported",
			       prm_get(in, feature_group), prm_get(in, access_reg_group));
	prm_set(out, qos_access_reg_cap_mask.reg_cap.qpts, 1);
	prm_set(out, qos_access_reg_cap_mask.reg_cap.qpdpm, 1);
	return 0;
}

/* There is no agent: what the driver says about who speaks DCBX is kept for it. */
static int dcbx_read(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_dcbx_param *in = reg_in;
	struct prm_dcbx_param *out = reg_out;
	const struct eth_state *eth = c->dev->eth;

	if (bad_port_or_0(c, in, port_number) || check_dcb(c, "DCBX_PARAM"))
		return -1;
	prm_set(out, port_number, PORT_NUMBER);
	prm_set(out, dcbx_cee_cap, 1);
	prm_set(out, dcbx_ieee_cap, 1);
	prm_set(out, max_application_table_size, DCBX_APPLICATIONS);
	prm_set(out, version_oper, eth->dcbx_version);
	prm_set(out, version_admin, eth->dcbx_version);
	prm_set(out, willing_admin, eth->dcbx_willing);
	prm_set(out, pfc_cap_oper, PRIORITIES);
	prm_set(out, pfc_cap_admin, PRIORITIES);
	prm_set(out, num_of_tc_oper, PRIORITIES);
	prm_set(out, num_of_tc_admin, PRIORITIES);
	return 0;
}

static int dcbx_write(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_dcbx_param *in = reg_in;
	unsigned int version = prm_get(in, version_admin);

	if (bad_port_or_0(c, in, port_number) || check_dcb(c, "DCBX_PARAM"))
		return -1;
	if (version != PRM_DCBX_HOST && version != PRM_DCBX_FIRMWARE)
		return refuse(c, PRM_STATUS_BAD_PARAM, "version_admin %u is neither 0 nor 3",
			      version);
	c->dev->eth->dcbx_version = version;
	c->dev->eth->dcbx_willing = prm_get(in, willing_admin);
	return dcbx_read(c, reg_in, reg_out);
}

const struct reg regs_dcb[] = {
	{ PRM_REG_QPTS, "QPTS", sizeof(struct prm_qpts_reg), qpts_read, qpts_write },
	{ PRM_REG_QPDPM, "QPDPM", sizeof(struct prm_qpdpm_reg), qpdpm_read, qpdpm_write },
	{ PRM_REG_QTCT, "QTCT", sizeof(struct prm_qtct_reg), qtct_read, qtct_write },
	{ PRM_REG_QETCR, "QETCR", sizeof(struct prm_qetc_reg), qetcr_read, qetcr_write },
	{ PRM_REG_QCAM, "QCAM", sizeof(struct prm_qcam_reg), qcam_read, NULL },
	{ PRM_REG_DCBX_PARAM, "DCBX_PARAM", sizeof(struct prm_dcbx_param), dcbx_read, dcbx_write },
	{}
};
