// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * ACCESS_REGISTER: registers of the port and of the node.
 *
 * A register that is not in the table is declined: drivers ask for some to learn whether the card
 * has them.
 */
#include <string.h>

#include "nic/nic.h"
#include "func/hca.h"
#include "prm/port.h"

#define PORT 1
#define MODULE 0
#define FCS 4
#define MIN_PORT_MTU 68
#define PRIORITIES 8
#define OVERRUN_MAX 15		/* the lower half of link_overrun_errors */

/* A register: what came in, what goes out; both have the register's size. */
struct reg {
	uint16_t id;
	const char *name;
	uint32_t size;
	int (*read)(struct cmd *c, const void *in, void *out);
	int (*write)(struct cmd *c, const void *in, void *out);
};

#define bad_port(c, in)                                                                \
	({                                                                             \
		unsigned int port_ = prm_get(in, local_port);                          \
	\
		port_ == PORT ? 0 :                                                    \
				refuse(c, PRM_STATUS_BAD_PARAM,                        \
				       "local_port %u: there is port 1 alone", port_); \
	})

/* ---- link ---- */

static int ptys_read(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_ptys_reg *in = reg_in;
	struct prm_ptys_reg *out = reg_out;
	struct eth_state *eth = c->dev->eth;
	uint32_t proto = c->dev->card->eth_proto;

	if (bad_port(c, in))
		return -1;
	prm_set(out, local_port, PORT);
	prm_set(out, proto_mask, prm_get(in, proto_mask));
	prm_set(out, an_disable_cap, 1);
	prm_set(out, an_disable_admin, eth->an_disable);
	if (prm_get(in, proto_mask) != PRM_PTYS_ETH)
		return 0;
	prm_set(out, eth_proto_capability, proto);
	prm_set(out, eth_proto_admin, eth->proto_admin & proto);
	if (port_link_up(c->dev->port)) {
		prm_set(out, eth_proto_oper, proto & -proto);
		prm_set(out, eth_proto_lp_advertise, proto);
	}
	return 0;
}

static int ptys_write(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_ptys_reg *in = reg_in;
	uint32_t admin = prm_get(in, eth_proto_admin), proto = c->dev->card->eth_proto;

	if (bad_port(c, in))
		return -1;
	if (prm_get(in, proto_mask) != PRM_PTYS_ETH)
		return refuse(c, PRM_STATUS_BAD_PARAM, "proto_mask %u: the port speaks Ethernet",
			      prm_get(in, proto_mask));
	if (is_set(c, in, ext_eth_proto_admin, "but extended link modes are not advertised"))
		return -1;
	if (!(admin & proto) || (admin & ~proto))
		return refuse(c, PRM_STATUS_BAD_PARAM, "eth_proto_admin 0x%x is not within 0x%x",
			      admin, proto);
	c->dev->eth->proto_admin = admin;
	c->dev->eth->an_disable = prm_get(in, an_disable_admin);
	return ptys_read(c, reg_in, reg_out);
}

static int paos_read(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_paos_reg *in = reg_in;
	struct prm_paos_reg *out = reg_out;

	if (bad_port(c, in))
		return -1;
	prm_set(out, local_port, PORT);
	prm_set(out, admin_status, port_admin_up(c->dev->port) ? PRM_PORT_UP : PRM_PORT_DOWN);
	prm_set(out, oper_status, port_link_up(c->dev->port) ? PRM_PORT_UP : PRM_PORT_DOWN);
	return 0;
}

static int paos_write(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_paos_reg *in = reg_in;
	unsigned int admin = prm_get(in, admin_status);

	if (bad_port(c, in))
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
	prm_set(out, local_port, PORT);
	prm_set(out, max_mtu, ETH_MAX_MTU);
	prm_set(out, admin_mtu, c->dev->eth->port_mtu);
	prm_set(out, oper_mtu, c->dev->eth->port_mtu);
	return 0;
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
	c->dev->eth->port_mtu = mtu;
	return pmtu_read(c, reg_in, reg_out);
}

static uint32_t lane(unsigned int nr)
{
	return nr << 24 | nr << 16 | MODULE; /* receive lane, transmit lane, module */
}

static int pmlp_read(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_pmlp_reg *in = reg_in;
	struct prm_pmlp_reg *out = reg_out;

	if (bad_port(c, in))
		return -1;
	prm_set(out, local_port, PORT);
	prm_set(out, width, c->dev->card->port_lanes);
	prm_set(out, lane0_module_mapping, lane(0));
	if (c->dev->card->port_lanes == 1)
		return 0;
	prm_set(out, lane1_module_mapping, lane(1));
	prm_set(out, lane2_module_mapping, lane(2));
	prm_set(out, lane3_module_mapping, lane(3));
	return 0;
}

/* The settings are kept and told; the wire neither sends nor obeys pause frames. */
static int pfcc_read(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_pfcc_reg *in = reg_in;
	struct prm_pfcc_reg *out = reg_out;
	struct eth_state *eth = c->dev->eth;

	if (bad_port(c, in))
		return -1;
	prm_set(out, local_port, PORT);
	prm_set(out, pptx, eth->pause_tx);
	prm_set(out, pprx, eth->pause_rx);
	prm_set(out, aptx, eth->pause_tx);
	prm_set(out, aprx, eth->pause_rx);
	prm_set(out, pfctx, eth->pfc_tx);
	prm_set(out, pfcrx, eth->pfc_rx);
	prm_set(out, prio_mask_tx, 0xff);
	prm_set(out, prio_mask_rx, 0xff);
	return 0;
}

static int pfcc_write(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_pfcc_reg *in = reg_in;
	struct eth_state *eth = c->dev->eth;
	uint8_t tx_mask = prm_get(in, prio_mask_tx), rx_mask = prm_get(in, prio_mask_rx);
	uint8_t pfc_tx = (eth->pfc_tx & ~tx_mask) | (prm_get(in, pfctx) & tx_mask);
	uint8_t pfc_rx = (eth->pfc_rx & ~rx_mask) | (prm_get(in, pfcrx) & rx_mask);

	if (bad_port(c, in))
		return -1;
	if (is_set(c, in, minor_stall_mask, "but stall watermarks are not advertised") ||
	    is_set(c, in, critical_stall_mask, "but stall watermarks are not advertised"))
		return -1;
	if ((prm_get(in, pptx) && pfc_tx) || (prm_get(in, pprx) && pfc_rx))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "global pause and priority flow control exclude each other");
	if (!prm_get(in, pptx_mask_n))
		eth->pause_tx = prm_get(in, pptx);
	if (!prm_get(in, pprx_mask_n))
		eth->pause_rx = prm_get(in, pprx);
	eth->pfc_tx = pfc_tx;
	eth->pfc_rx = pfc_rx;
	return pfcc_read(c, reg_in, reg_out);
}

/* ---- counters ---- */

#define PUT64(p, field, v)                                 \
	do {                                               \
		typeof(p) p_ = (p);                        \
		uint64_t v_ = (v);                         \
	\
		prm_set(p_, field##_high, v_ >> 32);       \
		prm_set(p_, field##_low, v_ & 0xffffffff); \
	} while (0)

static uint64_t with_fcs(uint64_t bytes, uint64_t frames)
{
	return bytes + frames * FCS;
}

static void ieee_802_3(struct prm_eth_802_3_cntrs_grp_data_layout *out,
		       const struct port_counters *n, const struct eth_counters *eth)
{
	PUT64(out, a_frames_transmitted_ok, n->tx_frames);
	PUT64(out, a_frames_received_ok, n->rx_frames);
	PUT64(out, a_octets_transmitted_ok, with_fcs(n->tx_bytes, n->tx_frames));
	PUT64(out, a_octets_received_ok, with_fcs(n->rx_bytes, n->rx_frames));
	PUT64(out, a_multicast_frames_xmitted_ok, n->tx_multicast);
	PUT64(out, a_broadcast_frames_xmitted_ok, n->tx_broadcast);
	PUT64(out, a_multicast_frames_received_ok, n->rx_multicast);
	PUT64(out, a_broadcast_frames_received_ok, n->rx_broadcast);
	PUT64(out, a_frame_too_long_errors, eth->rx_oversize);
}

static void rfc_2863(struct prm_eth_2863_cntrs_grp_data_layout *out, const struct port_counters *n,
		     const struct eth_counters *eth)
{
	PUT64(out, if_in_octets, with_fcs(n->rx_bytes, n->rx_frames));
	PUT64(out, if_in_ucast_pkts, n->rx_frames - n->rx_multicast - n->rx_broadcast);
	PUT64(out, if_in_multicast_pkts, n->rx_multicast);
	PUT64(out, if_in_broadcast_pkts, n->rx_broadcast);
	PUT64(out, if_in_discards, n->full + n->down);
	PUT64(out, if_in_errors, eth->rx_oversize);
	PUT64(out, if_out_octets, with_fcs(n->tx_bytes, n->tx_frames));
	PUT64(out, if_out_ucast_pkts, n->tx_frames - n->tx_multicast - n->tx_broadcast);
	PUT64(out, if_out_multicast_pkts, n->tx_multicast);
	PUT64(out, if_out_broadcast_pkts, n->tx_broadcast);
	PUT64(out, if_out_errors, eth->tx_errors.packets);
}

static void rfc_2819(struct prm_eth_2819_cntrs_grp_data_layout *out, const struct port_counters *n,
		     const struct eth_counters *eth)
{
	PUT64(out, ether_stats_drop_events, n->full);
	PUT64(out, ether_stats_octets, with_fcs(n->rx_bytes, n->rx_frames));
	PUT64(out, ether_stats_pkts, n->rx_frames);
	PUT64(out, ether_stats_broadcast_pkts, n->rx_broadcast);
	PUT64(out, ether_stats_multicast_pkts, n->rx_multicast);
	PUT64(out, ether_stats_oversize_pkts, eth->rx_oversize);
	PUT64(out, ether_stats_pkts64octets, n->rx_sizes[0]);
	PUT64(out, ether_stats_pkts65to127octets, n->rx_sizes[1]);
	PUT64(out, ether_stats_pkts128to255octets, n->rx_sizes[2]);
	PUT64(out, ether_stats_pkts256to511octets, n->rx_sizes[3]);
	PUT64(out, ether_stats_pkts512to1023octets, n->rx_sizes[4]);
	PUT64(out, ether_stats_pkts1024to1518octets, n->rx_sizes[5]);
	PUT64(out, ether_stats_pkts1519to2047octets, n->rx_sizes[6]);
	PUT64(out, ether_stats_pkts2048to4095octets, n->rx_sizes[7]);
	PUT64(out, ether_stats_pkts4096to8191octets, n->rx_sizes[8]);
	PUT64(out, ether_stats_pkts8192to10239octets, n->rx_sizes[9]);
}

/*
 * What the port counts beside Ethernet's groups: RoCE packets whose ICRC is wrong. Priority flow
 * control and buffers that fill are not there.
 */
static void eth_extended(struct prm_eth_extended_cntrs_grp_data_layout *out,
			 const struct rdma_counters *rdma)
{
	PUT64(out, rx_icrc_encapsulated, rdma->rx_icrc_errors);
}

static uint32_t at_most(uint64_t value, uint32_t limit)
{
	return value < limit ? value : limit;
}

/*
 * The port as InfiniBand's performance management sees it. The counters are narrow and stay at
 * their limits.
 */
static void ib_port(struct prm_ib_port_cntrs_grp_data_layout *out, const struct port_counters *n,
		    const struct eth_counters *eth, const struct rdma_counters *rdma)
{
	prm_set(out, link_downed_counter, at_most(n->link_downs, 0xff));
	prm_set(out, port_rcv_errors, at_most(rdma->rx_icrc_errors + eth->rx_oversize, 0xffff));
	prm_set(out, port_xmit_discards, at_most(n->down, 0xffff));
	prm_set(out, link_overrun_errors, at_most(n->full, OVERRUN_MAX));
}

/* The wire knows one priority. */
static void per_priority(struct prm_eth_per_prio_grp_data_layout *out,
			 const struct port_counters *n, unsigned int prio)
{
	if (prio)
		return;
	PUT64(out, rx_octets, with_fcs(n->rx_bytes, n->rx_frames));
	PUT64(out, rx_frames, n->rx_frames);
	PUT64(out, tx_octets, with_fcs(n->tx_bytes, n->tx_frames));
	PUT64(out, tx_frames, n->tx_frames);
}

static int ppcnt_read(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_ppcnt_reg *in = reg_in;
	struct prm_ppcnt_reg *out = reg_out;
	void *set = out->dw + prm_bit(out, counter_set) / 32;
	const struct port_counters *n = port_counters(c->dev->port);
	const struct eth_counters *eth = &c->dev->eth->counters;
	const struct rdma_counters *rdma = &c->dev->rdma;
	unsigned int prio = prm_get(in, prio_tc);

	if (bad_port(c, in))
		return -1;
	if (is_set(c, in, clr, "but clearing is not advertised"))
		return -1;
	prm_set(out, local_port, PORT);
	prm_set(out, grp, prm_get(in, grp));
	prm_set(out, prio_tc, prio);
	switch (prm_get(in, grp)) {
	case PRM_PPCNT_IEEE_802_3:
		ieee_802_3(set, n, eth);
		return 0;
	case PRM_PPCNT_RFC_2863:
		rfc_2863(set, n, eth);
		return 0;
	case PRM_PPCNT_RFC_2819:
		rfc_2819(set, n, eth);
		return 0;
	case PRM_PPCNT_ETH_EXTENDED:
		eth_extended(set, rdma);
		return 0;
	case PRM_PPCNT_IB:
		ib_port(set, n, eth, rdma);
		return 0;
	case PRM_PPCNT_PER_PRIORITY:
		if (prio >= PRIORITIES)
			return refuse(c, PRM_STATUS_BAD_PARAM, "prio_tc %u is above %u", prio,
				      PRIORITIES - 1);
		per_priority(set, n, prio);
		return 0;
	case PRM_PPCNT_PHYS_LAYER:
		prm_set((struct prm_phys_layer_cntrs *)set, link_down_events,
			n->link_downs & 0xffffffff);
		return 0;
	default:
		return decline(c, PRM_STATUS_BAD_PARAM, "counter group 0x%x is not advertised",
			       prm_get(in, grp));
	}
}

/* ---- what there is ---- */

#define PCAM_07_TO_00	(1u << 2 | 1u << 3 | 1u << 4 | 1u << 6 | 1u << 7) /* the table below */
#define PCAM_127_TO_96	(1u << 31)					  /* PCAM itself */

static int pcam_read(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_pcam_reg *in = reg_in;
	struct prm_pcam_reg *out = reg_out;

	if (prm_get(in, feature_group) || prm_get(in, access_reg_group))
		return decline(c, PRM_STATUS_BAD_PARAM,
			       "feature group %u, register group %u: there is group 0 of both",
			       prm_get(in, feature_group), prm_get(in, access_reg_group));
	prm_set(out, port_access_reg_cap_mask.regs_5000_to_507f.port_access_reg_cap_mask_127_to_96,
		PCAM_127_TO_96);
	prm_set(out, port_access_reg_cap_mask.regs_5000_to_507f.port_access_reg_cap_mask_07_to_00,
		PCAM_07_TO_00);
	prm_set(out, port_access_reg_cap_mask.regs_5000_to_507f.ppcnt, 1);
	prm_set(out, feature_cap_mask.enhanced_features.rx_icrc_encapsulated_counter, 1);
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

/* What the host is: little-endian is all there is. */
static int host_endianness_write(struct cmd *c, const void *in, void *out)
{
	const struct prm_host_endianness_reg *reg = in;

	(void)out;
	if (is_set(c, reg, he, "but only little-endian hosts are known"))
		return -1;
	return 0;
}

static const struct reg regs[] = {
	{ PRM_REG_PMLP, "PMLP", sizeof(struct prm_pmlp_reg), pmlp_read, NULL },
	{ PRM_REG_PMTU, "PMTU", sizeof(struct prm_pmtu_reg), pmtu_read, pmtu_write },
	{ PRM_REG_PTYS, "PTYS", sizeof(struct prm_ptys_reg), ptys_read, ptys_write },
	{ PRM_REG_PAOS, "PAOS", sizeof(struct prm_paos_reg), paos_read, paos_write },
	{ PRM_REG_PFCC, "PFCC", sizeof(struct prm_pfcc_reg), pfcc_read, pfcc_write },
	{ PRM_REG_PPCNT, "PPCNT", sizeof(struct prm_ppcnt_reg), ppcnt_read, NULL },
	{ PRM_REG_PCAM, "PCAM", sizeof(struct prm_pcam_reg), pcam_read, NULL },
	{ PRM_REG_NODE_DESC, "NODE_DESC", sizeof(struct prm_node_desc_reg), node_desc_read,
	  node_desc_write },
	{ PRM_REG_HOST_ENDIANNESS, "HOST_ENDIANNESS", sizeof(struct prm_host_endianness_reg), NULL,
	  host_endianness_write },
};

static int run_access_register(struct cmd *c)
{
	const struct prm_access_register_in *in = c->in;
	struct prm_access_register_out *out = c->out;
	unsigned int id = prm_get(in, register_id), i;
	const struct reg *reg = NULL;

	for (i = 0; i < ARRAY_SIZE(regs); i++)
		if (regs[i].id == id)
			reg = &regs[i];
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

const struct cmd_desc cmds_port[] = { CMD(access_register, .tail = true, .early = true), {} };
