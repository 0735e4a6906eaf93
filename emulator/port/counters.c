// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The counters of the port, in the groups of register PPCNT. */
#include "port/port.h"
#include "prm/dcb.h"
#include "prm/port.h"

#define FCS 4
#define OVERRUN_MAX 15		/* the lower half of link_overrun_errors */

static uint64_t with_fcs(uint64_t bytes, uint64_t frames)
{
	return bytes + frames * FCS;
}

/* Blocks whose bits reach the MAC marked as errors; without a code it sees a wrong FCS only. */
static uint64_t uncorrectable(const struct port_counters *n)
{
	return n->errors.rs.uncorrectable + n->errors.firecode.uncorrectable;
}

static void ieee_802_3(struct prm_eth_802_3_cntrs_grp_data_layout *out,
		       const struct port_counters *n, const struct eth_counters *eth)
{
	PUT64(out, a_frames_transmitted_ok, n->tx_frames);
	PUT64(out, a_frames_received_ok, n->rx_frames - eth->rx_oversize.packets);
	PUT64(out, a_frame_check_sequence_errors, n->errors.crc);
	PUT64(out, a_octets_transmitted_ok, with_fcs(n->tx_bytes, n->tx_frames));
	PUT64(out, a_octets_received_ok, with_fcs(n->rx_bytes - eth->rx_oversize.bytes,
						  n->rx_frames - eth->rx_oversize.packets));
	PUT64(out, a_multicast_frames_xmitted_ok, n->tx_multicast);
	PUT64(out, a_broadcast_frames_xmitted_ok, n->tx_broadcast);
	PUT64(out, a_multicast_frames_received_ok, n->rx_multicast);
	PUT64(out, a_broadcast_frames_received_ok, n->rx_broadcast);
	PUT64(out, a_frame_too_long_errors, eth->rx_oversize.packets + n->errors.jabbers);
	PUT64(out, a_symbol_error_during_carrier, uncorrectable(n));
	/* the only MAC control frames are pauses, global or of priorities */
	PUT64(out, a_mac_control_frames_transmitted, n->tx_control);
	PUT64(out, a_mac_control_frames_received, n->rx_control);
	PUT64(out, a_pause_mac_ctrl_frames_transmitted, n->tx_control);
	PUT64(out, a_pause_mac_ctrl_frames_received, n->rx_control);
}

static void rfc_2863(struct prm_eth_2863_cntrs_grp_data_layout *out, const struct port_counters *n,
		     const struct eth_counters *eth)
{
	PUT64(out, if_in_octets, with_fcs(n->rx_bytes, n->rx_frames));
	PUT64(out, if_in_ucast_pkts, n->rx_frames - n->rx_multicast - n->rx_broadcast);
	PUT64(out, if_in_multicast_pkts, n->rx_multicast);
	PUT64(out, if_in_broadcast_pkts, n->rx_broadcast);
	PUT64(out, if_in_discards, n->full + n->down);
	PUT64(out, if_in_errors, eth->rx_oversize.packets + n->errors.frames);
	PUT64(out, if_out_octets, with_fcs(n->tx_bytes, n->tx_frames));
	PUT64(out, if_out_ucast_pkts, n->tx_frames - n->tx_multicast - n->tx_broadcast);
	PUT64(out, if_out_multicast_pkts, n->tx_multicast);
	PUT64(out, if_out_broadcast_pkts, n->tx_broadcast);
	PUT64(out, if_out_errors, eth->tx_errors.packets);
}

/* Received, with those that were lost to wrong bits. */
static uint64_t all_frames(const struct port_counters *n)
{
	return n->rx_frames + n->errors.frames;
}

static uint64_t all_bytes(const struct port_counters *n)
{
	return n->rx_bytes + n->errors.bytes;
}

static void rfc_2819(struct prm_eth_2819_cntrs_grp_data_layout *out, const struct port_counters *n,
		     const struct eth_counters *eth)
{
	PUT64(out, ether_stats_drop_events, n->full);
	PUT64(out, ether_stats_octets, with_fcs(all_bytes(n), all_frames(n)));
	PUT64(out, ether_stats_pkts, all_frames(n));
	PUT64(out, ether_stats_broadcast_pkts, n->rx_broadcast);
	PUT64(out, ether_stats_multicast_pkts, n->rx_multicast);
	PUT64(out, ether_stats_crc_align_errors, n->errors.crc);
	PUT64(out, ether_stats_oversize_pkts, eth->rx_oversize.packets);
	PUT64(out, ether_stats_jabbers, n->errors.jabbers);
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

/* RoCE packets with a wrong ICRC; PFC and buffer counters are not supported. */
static void eth_extended(struct prm_eth_extended_cntrs_grp_data_layout *out,
			 const struct rdma_counters *rdma)
{
	PUT64(out, rx_icrc_encapsulated, rdma->rx_icrc_errors);
}

static uint32_t saturate(uint64_t value, uint32_t limit)
{
	return value < limit ? value : limit;
}

/* The counters of InfiniBand performance management, which are narrow and saturate. */
static void ib_port(struct prm_ib_port_cntrs_grp_data_layout *out, const struct port_counters *n,
		    const struct eth_counters *eth, const struct rdma_counters *rdma)
{
	prm_set(out, symbol_error_counter, saturate(n->errors.frames, 0xffff));
	prm_set(out, link_downed_counter, saturate(n->link_downs, 0xff));
	prm_set(out, port_rcv_errors,
		saturate(rdma->rx_icrc_errors + eth->rx_oversize.packets + n->errors.frames,
			 0xffff));
	prm_set(out, port_xmit_discards, saturate(n->down, 0xffff));
	prm_set(out, link_overrun_errors, saturate(n->full, OVERRUN_MAX));
}

/*
 * Blocks without errors are not counted: on a real cable there are some at any time. Symbols are
 * frames that are lost.
 */
static void phys_layer(struct prm_phys_layer_cntrs *out, const struct port *port)
{
	const struct port_counters *n = port_counters(port);

	PUT64(out, time_since_last_clear, port_age_ms(port));
	PUT64(out, symbol_errors, n->errors.frames);
	PUT64(out, fc_fec_corrected_blocks_lane0, n->errors.firecode.corrected);
	PUT64(out, fc_fec_uncorrectable_blocks_lane0, n->errors.firecode.uncorrectable);
	PUT64(out, rs_fec_corrected_blocks, n->errors.rs.corrected);
	PUT64(out, rs_fec_uncorrectable_blocks, n->errors.rs.uncorrectable);
	PUT64(out, rs_fec_single_error_blocks, n->errors.rs_single);
	PUT64(out, rs_fec_corrected_symbols_total, n->errors.corrected_symbols);
	PUT64(out, rs_fec_corrected_symbols_lane0, n->errors.corrected_symbols);
	prm_set(out, link_down_events, n->link_downs & 0xffffffff);
}

/* Bits are those of frames: nothing is between them. All errors are on the first lane. */
static void phys_statistical(struct prm_phys_layer_statistical_cntrs *out, const struct port *port)
{
	const struct port_counters *n = port_counters(port);

	PUT64(out, time_since_last_clear, port_age_ms(port));
	PUT64(out, phy_received_bits, 8 * with_fcs(all_bytes(n), all_frames(n)));
	PUT64(out, phy_symbol_errors, n->errors.frames);
	PUT64(out, phy_corrected_bits, n->errors.corrected_bits);
	PUT64(out, phy_corrected_bits_lane0, n->errors.corrected_bits);
}

static void per_priority(struct prm_eth_per_prio_grp_data_layout *out, const struct port *port,
			 unsigned int prio)
{
	const struct port_counters *n = port_counters(port);
	struct port_pauses pauses = port_pauses(port, prio);

	PUT64(out, rx_octets, with_fcs(n->prio[prio].rx_bytes, n->prio[prio].rx_frames));
	PUT64(out, rx_frames, n->prio[prio].rx_frames);
	PUT64(out, tx_octets, with_fcs(n->prio[prio].tx_bytes, n->prio[prio].tx_frames));
	PUT64(out, tx_frames, n->prio[prio].tx_frames);
	PUT64(out, rx_pause, pauses.rx);
	PUT64(out, rx_pause_duration, pauses.rx_us);
	PUT64(out, rx_pause_transition, pauses.rx_transitions);
	PUT64(out, tx_pause, pauses.tx);
	PUT64(out, tx_pause_duration, pauses.tx_us);
	PUT64(out, rx_discards, pauses.discarded);
	/* of the port; other priorities have no copy */
	if (!prio) {
		PUT64(out, device_stall_minor_watermark_cnt, port_stalls(port).minor);
		PUT64(out, device_stall_critical_watermark_cnt, port_stalls(port).critical);
	}
}

/* Of each class with its priorities; the host is never congested, so nothing is marked. */
static void per_class(struct prm_eth_per_tc_prio_grp_data_layout *out, struct port *port,
		      unsigned int tc)
{
	uint64_t discarded = 0;
	unsigned int prio;

	for (prio = 0; prio < PRIORITIES; prio++)
		if (port_qos(port)->prio_tc[prio] == tc)
			discarded += port_pauses(port, prio).discarded;
	PUT64(out, no_buffer_discard_uc, discarded);
}

/* The groups of a priority or class. */
static int prioritized(struct cmd *c, const struct prm_ppcnt_reg *in, void *set)
{
	unsigned int prio = prm_get(in, prio_tc);

	if (prio >= PRIORITIES)
		return refuse(c, PRM_STATUS_BAD_PARAM, "prio_tc %u is above %u", prio,
			      PRIORITIES - 1);
	if (prm_get(in, grp) == PRM_PPCNT_PER_PRIORITY)
		per_priority(set, c->dev->port, prio);
	else if (prm_get(in, grp) == PRM_PPCNT_PER_TC)
		per_class(set, c->dev->port, prio);
	return 0;
}

bool has_phys_statistical(const struct cxdev *dev)
{
	return dev->card->phys_statistical && !dev->card->vf;
}

int ppcnt_read(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_ppcnt_reg *in = reg_in;
	struct prm_ppcnt_reg *out = reg_out;
	void *set = out->dw + prm_bit(out, counter_set) / 32;
	const struct port_counters *n = port_counters(c->dev->port);
	const struct eth_counters *eth = &c->dev->eth->counters;
	const struct rdma_counters *rdma = c->dev->rdma;

	if (prm_get(in, pnat) != PRM_PNAT_HOST && bad_port(c, in))
		return -1;
	if (is_set(c, in, clr, "but clearing is not advertised"))
		return -1;
	prm_set(out, local_port, PORT_NUMBER);
	prm_set(out, grp, prm_get(in, grp));
	prm_set(out, prio_tc, prm_get(in, prio_tc));
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
	case PRM_PPCNT_PER_TC:
	case PRM_PPCNT_PER_TC_CONGESTION:
		return prioritized(c, in, set);
	case PRM_PPCNT_PHYS_LAYER:
		phys_layer(set, c->dev->port);
		return 0;
	case PRM_PPCNT_PHYS_STATISTICAL:
		if (!has_phys_statistical(c->dev))
			break;
		phys_statistical(set, c->dev->port);
		return 0;
	}
	return decline(c, PRM_STATUS_BAD_PARAM, "counter group 0x%x is not advertised",
		       prm_get(in, grp));
}
