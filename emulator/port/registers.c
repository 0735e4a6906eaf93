// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * ACCESS_REGISTER: registers of the port and of the node.
 *
 * A register that is not in the table is declined: drivers probe for some.
 */
#include <string.h>

#include "fault/fault.h"
#include "port/port.h"
#include "prm/port.h"

#define MIN_PORT_MTU 68

int check_owner(struct cmd *c, const char *reg)
{
	return c->dev->card->vf ? decline(c, PRM_STATUS_BAD_PARAM,
					  "%s is refused to a virtual function", reg) : 0;
}

static int paos_read(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_paos_reg *in = reg_in;
	struct prm_paos_reg *out = reg_out;

	if (bad_port(c, in) || check_owner(c, "PAOS"))
		return -1;
	prm_set(out, local_port, PORT_NUMBER);
	prm_set(out, admin_status, port_admin_up(c->dev->port) ? PRM_PORT_UP : PRM_PORT_DOWN);
	prm_set(out, oper_status, port_link_up(c->dev->port) ? PRM_PORT_UP : PRM_PORT_DOWN);
	return 0;
}

static int paos_write(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_paos_reg *in = reg_in;
	unsigned int admin = prm_get(in, admin_status);

	if (bad_port(c, in) || check_owner(c, "PAOS"))
		return -1;
	if (prm_get(in, ase)) {
		if (admin != PRM_PORT_UP && admin != PRM_PORT_DOWN)
			return refuse(c, PRM_STATUS_BAD_PARAM,
				      "admin_status %u is neither up nor down", admin);
		port_set_admin(c->dev->port, admin == PRM_PORT_UP);
	}
	return paos_read(c, reg_in, reg_out);
}

static int pmtu_read(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_pmtu_reg *in = reg_in;
	struct prm_pmtu_reg *out = reg_out;

	if (bad_port(c, in))
		return -1;
	prm_set(out, local_port, PORT_NUMBER);
	prm_set(out, max_mtu, ETH_MAX_MTU);
	prm_set(out, admin_mtu, c->dev->eth->port_mtu);
	prm_set(out, oper_mtu, c->dev->eth->port_mtu);
	return 0;
}

#define MTU_GRACE_NS 5000000000ull

static bool in_grace(const struct eth_state *eth)
{
	return eth->old_mtu && now_ns() - eth->mtu_cut_ns < MTU_GRACE_NS;
}

void port_set_mtu(struct cxdev *dev, uint16_t mtu)
{
	struct eth_state *eth = dev->eth;

	if (mtu < eth->port_mtu) {
		if (!in_grace(eth) || eth->old_mtu < eth->port_mtu)
			eth->old_mtu = eth->port_mtu;
		eth->mtu_cut_ns = now_ns();
	}
	eth->port_mtu = mtu;
}

/* The MTU counts the FCS. */
bool port_mtu_fits(const struct cxdev *dev, uint32_t len)
{
	return len + 4u <= dev->eth->port_mtu;
}

bool port_mtu_was_enough(const struct cxdev *dev, uint32_t len)
{
	return in_grace(dev->eth) && len + 4u <= dev->eth->old_mtu;
}

static int pmtu_write(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_pmtu_reg *in = reg_in;
	unsigned int mtu = prm_get(in, admin_mtu);

	if (bad_port(c, in))
		return -1;
	if (mtu < MIN_PORT_MTU || mtu > ETH_MAX_MTU)
		return refuse(c, PRM_STATUS_BAD_PARAM, "admin_mtu %u is not within %u to %u", mtu,
			      MIN_PORT_MTU, ETH_MAX_MTU);
	port_set_mtu(c->dev, mtu);
	return pmtu_read(c, reg_in, reg_out);
}

static uint32_t lane(unsigned int nr)
{
	return nr << 24 | nr << 16 | PORT_MODULE; /* receive lane, transmit lane, module */
}

static int pmlp_read(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_pmlp_reg *in = reg_in;
	struct prm_pmlp_reg *out = reg_out;

	if (bad_port(c, in))
		return -1;
	prm_set(out, local_port, PORT_NUMBER);
	prm_set(out, width, c->dev->card->port_lanes);
	prm_set(out, lane0_module_mapping, lane(0));
	if (c->dev->card->port_lanes == 1)
		return 0;
	prm_set(out, lane1_module_mapping, lane(1));
	prm_set(out, lane2_module_mapping, lane(2));
	prm_set(out, lane3_module_mapping, lane(3));
	return 0;
}

/* ---- the LED of the port ---- */

static int mlcr_read(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_mlcr_reg *in = reg_in;
	struct prm_mlcr_reg *out = reg_out;

	if (bad_port(c, in) || check_owner(c, "MLCR"))
		return -1;
	prm_set(out, local_port, PORT_NUMBER);
	prm_set(out, beacon_duration, c->dev->eth->beacon);
	prm_set(out, beacon_remain, c->dev->eth->beacon);
	return 0;
}

/* It blinks until the driver ends it. */
static int mlcr_write(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_mlcr_reg *in = reg_in;

	if (bad_port(c, in) || check_owner(c, "MLCR"))
		return -1;
	c->dev->eth->beacon = prm_get(in, beacon_duration);
	return mlcr_read(c, reg_in, reg_out);
}

/* ---- supported registers ---- */

#define PCAM_07_TO_00	(1u << 2 | 1u << 3 | 1u << 4 | 1u << 6 | 1u << 7) /* see the table below */
#define PCAM_127_TO_96	(1u << 31)					  /* PCAM itself */

static int pcam_read(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_pcam_reg *in = reg_in;
	struct prm_pcam_reg *out = reg_out;

	if (prm_get(in, feature_group) || prm_get(in, access_reg_group))
		return decline(c, PRM_STATUS_BAD_PARAM,
			       "feature group %u, register group %u: only group 0 is supported",
			       prm_get(in, feature_group), prm_get(in, access_reg_group));
	prm_set(out, port_access_reg_cap_mask.regs_5000_to_507f.port_access_reg_cap_mask_127_to_96,
		PCAM_127_TO_96);
	prm_set(out, port_access_reg_cap_mask.regs_5000_to_507f.port_access_reg_cap_mask_07_to_00,
		PCAM_07_TO_00);
	prm_set(out, port_access_reg_cap_mask.regs_5000_to_507f.ppcnt, 1);
	prm_set(out, feature_cap_mask.enhanced_features.rx_icrc_encapsulated_counter, 1);
	prm_set(out, feature_cap_mask.enhanced_features.ppcnt_statistical_group,
		has_phys_statistical(c->dev));
	if (!c->dev->card->vf)
		prm_set(out, port_access_reg_cap_mask.regs_5000_to_507f.pplm, 1);
	if (c->dev->card->ext_proto) {
		prm_set(out, feature_cap_mask.enhanced_features.fec_50G_per_lane_in_pplm,
			!c->dev->card->vf);
		prm_set(out, feature_cap_mask.enhanced_features.ptys_extended_ethernet, 1);
		prm_set(out, feature_cap_mask.enhanced_features.ptys_connector_type, 1);
	}
	if (c->dev->card->vf || !card_dcb)
		return 0;
	prm_set(out, port_access_reg_cap_mask.regs_5000_to_507f.pptb, 1);
	prm_set(out, port_access_reg_cap_mask.regs_5000_to_507f.pbmc, 1);
	prm_set(out, feature_cap_mask.enhanced_features.pfcc_mask, 1);
	prm_set(out, feature_cap_mask.enhanced_features.buffer_ownership, 1);
	return 0;
}

/* ---- node ---- */

static int node_desc_read(struct cmd *c, const void *in, void *out)
{
	(void)in;
	memcpy(out, c->dev->eth->node_desc, sizeof(c->dev->eth->node_desc));
	return 0;
}

static int node_desc_write(struct cmd *c, const void *in, void *out)
{
	memcpy(c->dev->eth->node_desc, in, sizeof(c->dev->eth->node_desc));
	return node_desc_read(c, in, out);
}

/* Only little-endian hosts are supported. */
static int host_endianness_write(struct cmd *c, const void *in, void *out)
{
	const struct prm_host_endianness_reg *reg = in;

	(void)out;
	if (check_owner(c, "HOST_ENDIANNESS"))
		return -1;
	if (is_set(c, reg, he, "but only little-endian hosts are supported"))
		return -1;
	return 0;
}

static const struct reg regs[] = {
	{ PRM_REG_PMLP, "PMLP", sizeof(struct prm_pmlp_reg), pmlp_read, NULL },
	{ PRM_REG_PMTU, "PMTU", sizeof(struct prm_pmtu_reg), pmtu_read, pmtu_write },
	{ PRM_REG_PTYS, "PTYS", sizeof(struct prm_ptys_reg), ptys_read, ptys_write },
	{ PRM_REG_PPLM, "PPLM", sizeof(struct prm_pplm_reg), pplm_read, pplm_write },
	{ PRM_REG_PDDR, "PDDR", sizeof(struct prm_pddr_reg), pddr_read, NULL },
	{ PRM_REG_MLCR, "MLCR", sizeof(struct prm_mlcr_reg), mlcr_read, mlcr_write },
	{ PRM_REG_PAOS, "PAOS", sizeof(struct prm_paos_reg), paos_read, paos_write },
	{ PRM_REG_PPCNT, "PPCNT", sizeof(struct prm_ppcnt_reg), ppcnt_read, NULL },
	{ PRM_REG_PCAM, "PCAM", sizeof(struct prm_pcam_reg), pcam_read, NULL },
	{ PRM_REG_NODE_DESC, "NODE_DESC", sizeof(struct prm_node_desc_reg), node_desc_read,
	  node_desc_write },
	{ PRM_REG_HOST_ENDIANNESS, "HOST_ENDIANNESS", sizeof(struct prm_host_endianness_reg), NULL,
	  host_endianness_write },
	{}
};

static const struct reg *find_reg(unsigned int id)
{
	static const struct reg *const tables[] = { regs, regs_dcb, regs_buffers, regs_module };
	const struct reg *reg;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tables); i++)
		for (reg = tables[i]; reg->name; reg++)
			if (reg->id == id)
				return reg;
	return NULL;
}

static int run_access_register(struct cmd *c)
{
	const struct prm_access_register_in *in = c->in;
	struct prm_access_register_out *out = c->out;
	unsigned int id = prm_get(in, register_id);
	const struct reg *reg = find_reg(id);
	uint32_t status = 0;

	if (!reg)
		return decline(c, PRM_STATUS_BAD_PARAM, "register 0x%04x is not supported", id);
	if (is_set(c, in, argument, "but no register takes one"))
		return -1;
	if (c->in_len < sizeof(*in) + reg->size)
		return refuse(c, PRM_STATUS_BAD_INP_LEN, "%s has %u bytes, the input %u", reg->name,
			      reg->size, c->in_len);
	if (c->out_len < sizeof(*out) + reg->size)
		return refuse(c, PRM_STATUS_BAD_OUTP_LEN, "%s has %u bytes, the output %u",
			      reg->name, reg->size, c->out_len);
	if (fault_check(FAULT_REGISTER, c->dev, id, &status) == FAULT_STATUS) {
		cmd_set_status(c, status, "injected fault");
		return -1;
	}

	switch (c->op_mod) {
	case PRM_ACCESS_REG_READ:
		if (reg->read)
			return reg->read(c, prm_tail_const(in), prm_tail(out));
		return refuse(c, PRM_STATUS_BAD_PARAM, "%s cannot be read", reg->name);
	case PRM_ACCESS_REG_WRITE:
		if (reg->write)
			return reg->write(c, prm_tail_const(in), prm_tail(out));
		return refuse(c, PRM_STATUS_BAD_PARAM, "%s cannot be written", reg->name);
	default:
		return refuse(c, PRM_STATUS_BAD_PARAM, "op_mod %u of ACCESS_REGISTER is unknown",
			      c->op_mod);
	}
}

const struct cmd_desc cmds_register[] = { CMD(access_register, .tail = true, .early = true), {} };
