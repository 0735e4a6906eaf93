// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The link of the port (PTYS): its protocols in two numberings, of which the driver selects those
 * of one. The fastest of them is up after the port has been down, whatever the other end is.
 */
#include <string.h>

#include "port/port.h"
#include "prm/port.h"

/* Gb/s of each protocol. */
static const uint8_t speeds[2][32] = {
	{ [1] = 1, [4] = 10, [6] = 40, [7] = 40, [12] = 10, [13] = 10, [15] = 40, [16] = 40,
	  [18] = 50, [20] = 100, [21] = 100, [22] = 100, [23] = 100, [27] = 25, [28] = 25,
	  [29] = 25, [30] = 50, [31] = 50 },
	{ [1] = 1, [4] = 10, [5] = 40, [6] = 25, [7] = 50, [8] = 50, [9] = 100, [10] = 100 },
};

static uint32_t capability(const struct cxdev *dev, bool ext)
{
	return ext ? dev->card->ext_proto : dev->card->eth_proto;
}

/* The first of the fastest ones. */
static uint32_t fastest(uint32_t protos, bool ext)
{
	unsigned int i, best = 0;

	for (i = 0; i < 32; i++)
		if (protos >> i & 1 && speeds[ext][i] > speeds[ext][best])
			best = i;
	return protos & 1u << best;
}

/* The same speed in the other numbering. */
static uint32_t same_speed(const struct cxdev *dev, uint32_t proto, bool from_ext)
{
	uint32_t others = capability(dev, !from_ext);
	unsigned int i;

	for (i = 0; i < 32; i++)
		if (others >> i & 1 && proto &&
		    speeds[!from_ext][i] == speeds[from_ext][__builtin_ctz(proto)])
			return 1u << i;
	return 0;
}

void port_link_reset(struct cxdev *dev)
{
	struct port_link *link = &dev->eth->link;

	*link = (struct port_link){ .ext = dev->card->ext_proto };
	link->admin = capability(dev, link->ext);
	port_link_starts(dev);
}

void port_link_starts(struct cxdev *dev)
{
	struct port_link *link = &dev->eth->link;

	link->oper = fastest(link->admin, link->ext);
	link->oper_ext = link->ext;
	memcpy(link->fec_oper, link->fec_admin, sizeof(link->fec_oper));
}

enum fec_speed port_link_fec_speed(const struct cxdev *dev)
{
	const struct port_link *link = &dev->eth->link;

	if (link->oper_ext && link->oper == 1u << 8)
		return FEC_50G_1X;
	if (link->oper_ext && link->oper == 1u << 10)
		return FEC_100G_2X;
	if (!link->oper)
		return FEC_SPEEDS;
	switch (speeds[link->oper_ext][__builtin_ctz(link->oper)]) {
	case 10:
	case 40:
		return FEC_10G_40G;
	case 25:
		return FEC_25G;
	case 50:
		return FEC_50G;
	case 100:
		return FEC_100G;
	default:
		return FEC_SPEEDS;
	}
}

int ptys_read(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_ptys_reg *in = reg_in;
	struct prm_ptys_reg *out = reg_out;
	const struct port_link *link = &c->dev->eth->link;
	uint32_t oper[2];

	if (bad_port(c, in))
		return -1;
	prm_set(out, local_port, PORT_NUMBER);
	prm_set(out, proto_mask, prm_get(in, proto_mask));
	prm_set(out, an_disable_cap, 1);
	prm_set(out, an_disable_admin, link->an_disable);
	if (prm_get(in, proto_mask) != PRM_PTYS_ETH)
		return 0;
	prm_set(out, eth_proto_capability, capability(c->dev, false));
	prm_set(out, ext_eth_proto_capability, capability(c->dev, true));
	if (link->ext)
		prm_set(out, ext_eth_proto_admin, link->admin);
	else
		prm_set(out, eth_proto_admin, link->admin);
	if (c->dev->card->ext_proto)
		prm_set(out, connector_type, PRM_CONNECTOR_DA);
	if (!port_link_up(c->dev->port))
		return 0;
	oper[link->oper_ext] = link->oper;
	oper[!link->oper_ext] = same_speed(c->dev, link->oper, link->oper_ext);
	prm_set(out, eth_proto_oper, oper[0]);
	prm_set(out, ext_eth_proto_oper, oper[1]);
	prm_set(out, eth_proto_lp_advertise, capability(c->dev, c->dev->card->ext_proto));
	if (!link->an_disable)
		prm_set(out, an_status, PRM_AN_COMPLETE);
	return 0;
}

/* The message, which is for people, is left empty. */
int pddr_read(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_pddr_reg *in = reg_in;
	const struct prm_pddr_troubleshooting_page *page =
		prm_sub(in, page_data.pddr_troubleshooting_page, pddr_troubleshooting_page);
	struct prm_pddr_reg *out = reg_out;
	enum prm_monitor opcode = PRM_MONITOR_NO_ISSUE;

	if (bad_port(c, in) || check_owner(c, "PDDR"))
		return -1;
	if (prm_get(in, page_select) != PRM_PDDR_TROUBLESHOOTING ||
	    prm_get(page, group_opcode) != PRM_PDDR_MONITOR)
		return decline(c, PRM_STATUS_BAD_PARAM,
			       "page %u, group %u: only the monitor of page 1 is supported",
			       prm_get(in, page_select), prm_get(page, group_opcode));
	if (!port_admin_up(c->dev->port))
		opcode = PRM_MONITOR_CLOSED;
	else if (!port_link_up(c->dev->port))
		opcode = PRM_MONITOR_UNPLUGGED;
	prm_set(out, local_port, PORT_NUMBER);
	prm_set(out, page_select, PRM_PDDR_TROUBLESHOOTING);
	prm_set(out, page_data.pddr_troubleshooting_page.status_opcode.pddr_monitor_opcode
			     .monitor_opcode, opcode);
	return 0;
}

int ptys_write(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_ptys_reg *in = reg_in;
	uint32_t admin = prm_get(in, eth_proto_admin), ext = prm_get(in, ext_eth_proto_admin);
	struct port_link *link = &c->dev->eth->link;

	if (bad_port(c, in) || check_owner(c, "PTYS"))
		return -1;
	if (prm_get(in, proto_mask) != PRM_PTYS_ETH)
		return refuse(c, PRM_STATUS_BAD_PARAM, "proto_mask %u: the port is Ethernet",
			      prm_get(in, proto_mask));
	if (ext && !c->dev->card->ext_proto)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "ext_eth_proto_admin is set (0x%x), but extended link modes are not advertised",
			      ext);
	if (ext && admin)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "eth_proto_admin 0x%x and ext_eth_proto_admin 0x%x are both set",
			      admin, ext);
	if (ext & ~capability(c->dev, true))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "ext_eth_proto_admin 0x%x is not within 0x%x", ext,
			      capability(c->dev, true));
	if (!ext && (!admin || admin & ~capability(c->dev, false)))
		return refuse(c, PRM_STATUS_BAD_PARAM, "eth_proto_admin 0x%x is not within 0x%x",
			      admin, capability(c->dev, false));
	link->ext = ext;
	link->admin = ext ? ext : admin;
	link->an_disable = prm_get(in, an_disable_admin);
	return ptys_read(c, reg_in, reg_out);
}
