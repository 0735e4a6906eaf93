// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * ethtool operations on the port, which all of its functions share: link, pause frames, and what it
 * counts. RTNL is held.
 */
#include <linux/ethtool.h>
#include "en.h"

int cxr_en_get_link_ksettings(struct net_device *ndev, struct ethtool_link_ksettings *settings)
{
	struct cxr_en *en = netdev_priv(ndev);
	struct cxr_pause pause;
	struct cxr_link link;
	int err;

	/* The bonding driver of older kernels does not check that the device is present. */
	if (en->kept)
		return -ENODEV;

	err = cxr_cmd_query_link(en->core, &link);
	if (err)
		return err;

	ethtool_link_ksettings_zero_link_mode(settings, supported);
	ethtool_link_ksettings_zero_link_mode(settings, advertising);
	ethtool_link_ksettings_add_link_mode(settings, supported, Pause);
	if (!cxr_cmd_query_pause(en->core, &pause)) {
		if (pause.rx)
			ethtool_link_ksettings_add_link_mode(settings, advertising, Pause);
		if (pause.rx != pause.tx)
			ethtool_link_ksettings_add_link_mode(settings, advertising, Asym_Pause);
	}
	settings->base.port = PORT_OTHER;
	settings->base.autoneg = AUTONEG_DISABLE;
	settings->base.speed = link.speed_mbps ?: SPEED_UNKNOWN;
	settings->base.duplex = link.speed_mbps ? DUPLEX_FULL : DUPLEX_UNKNOWN;
	settings->lanes = link.lanes;
	return 0;
}

void cxr_en_get_pauseparam(struct net_device *ndev, struct ethtool_pauseparam *param)
{
	struct cxr_en *en = netdev_priv(ndev);
	struct cxr_pause pause;

	/* ethtool cannot be told of an error */
	if (cxr_cmd_query_pause(en->core, &pause))
		return;

	param->rx_pause = pause.rx;
	param->tx_pause = pause.tx;
}

int cxr_en_set_pauseparam(struct net_device *ndev, struct ethtool_pauseparam *param)
{
	struct cxr_en *en = netdev_priv(ndev);
	struct cxr_pause pause = { .rx = param->rx_pause, .tx = param->tx_pause };

	if (!en->core->caps.port_owner)
		return -EOPNOTSUPP;
	/* pause frames are not negotiated */
	if (param->autoneg)
		return -EINVAL;

	return cxr_cmd_set_pause(en->core, &pause);
}

/* ---- counters ----------------------------------------------------------- */

/* False: not available, so ethtool shows nothing. */
static bool read_group(struct net_device *ndev, enum cxr_phy_group group, u64 *values)
{
	struct cxr_en *en = netdev_priv(ndev);

	return !cxr_cmd_query_phy_counters(en->core, group, values);
}

void cxr_en_get_pause_stats(struct net_device *ndev, struct ethtool_pause_stats *stats)
{
	u64 values[CXR_PHY_COUNTERS];

	if (!read_group(ndev, CXR_PHY_802_3, values))
		return;

	stats->tx_pause_frames = values[CXR_PHY_tx_pause_ctrl];
	stats->rx_pause_frames = values[CXR_PHY_rx_pause_ctrl];
}

void cxr_en_get_eth_mac_stats(struct net_device *ndev, struct ethtool_eth_mac_stats *stats)
{
	u64 values[CXR_PHY_COUNTERS];

	if (!read_group(ndev, CXR_PHY_802_3, values))
		return;

	stats->FramesTransmittedOK = values[CXR_PHY_tx_packets];
	stats->FramesReceivedOK = values[CXR_PHY_rx_packets];
	stats->FrameCheckSequenceErrors = values[CXR_PHY_rx_crc_errors];
	stats->OctetsTransmittedOK = values[CXR_PHY_tx_bytes];
	stats->OctetsReceivedOK = values[CXR_PHY_rx_bytes];
	stats->MulticastFramesXmittedOK = values[CXR_PHY_tx_multicast];
	stats->BroadcastFramesXmittedOK = values[CXR_PHY_tx_broadcast];
	stats->MulticastFramesReceivedOK = values[CXR_PHY_rx_multicast];
	stats->BroadcastFramesReceivedOK = values[CXR_PHY_rx_broadcast];
	stats->InRangeLengthErrors = values[CXR_PHY_rx_in_range_len_errors];
	stats->OutOfRangeLengthField = values[CXR_PHY_rx_out_of_range_len];
	stats->FrameTooLongErrors = values[CXR_PHY_rx_oversize_pkts];
}

void cxr_en_get_eth_phy_stats(struct net_device *ndev, struct ethtool_eth_phy_stats *stats)
{
	u64 values[CXR_PHY_COUNTERS];

	if (read_group(ndev, CXR_PHY_802_3, values))
		stats->SymbolErrorDuringCarrier = values[CXR_PHY_rx_symbol_err];
}

void cxr_en_get_eth_ctrl_stats(struct net_device *ndev, struct ethtool_eth_ctrl_stats *stats)
{
	u64 values[CXR_PHY_COUNTERS];

	if (!read_group(ndev, CXR_PHY_802_3, values))
		return;

	stats->MACControlFramesTransmitted = values[CXR_PHY_tx_mac_control];
	stats->MACControlFramesReceived = values[CXR_PHY_rx_mac_control];
	stats->UnsupportedOpcodesReceived = values[CXR_PHY_rx_unsupported_op];
}

static const struct ethtool_rmon_hist_range sizes[] = {
	{ 0, 64 }, { 65, 127 }, { 128, 255 }, { 256, 511 }, { 512, 1023 }, { 1024, 1518 },
	{ 1519, 2047 }, { 2048, 4095 }, { 4096, 8191 }, { 8192, 10239 },
	{}
};

void cxr_en_get_rmon_stats(struct net_device *ndev, struct ethtool_rmon_stats *stats,
			   const struct ethtool_rmon_hist_range **ranges)
{
	u64 values[CXR_PHY_COUNTERS];

	if (!read_group(ndev, CXR_PHY_2819, values))
		return;

	*ranges = sizes;
	stats->undersize_pkts = values[CXR_PHY_rx_undersize_pkts];
	stats->fragments = values[CXR_PHY_rx_fragments];
	stats->jabbers = values[CXR_PHY_rx_jabbers];
	memcpy(stats->hist, &values[CXR_PHY_rx_64_bytes],
	       (ARRAY_SIZE(sizes) - 1) * sizeof(stats->hist[0]));
}
