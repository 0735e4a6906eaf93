// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * ethtool operations on the port, which all of its functions share: pause frames, module, and what
 * it counts. The link has a file of its own. RTNL is held.
 */
#include <linux/ethtool.h>
#include <linux/rtnetlink.h>
#include "en.h"

int cxr_en_read_flow_control(struct cxr_en *en)
{
	struct cxr_flow_control fc;
	int err;

	err = cxr_cmd_query_flow_control(en->core, &fc);
	if (!err)
		en->dcb.flow = fc;
	return err;
}

void cxr_en_get_pauseparam(struct net_device *ndev, struct ethtool_pauseparam *param)
{
	struct cxr_en *en = netdev_priv(ndev);

	/* ethtool cannot be told of an error */
	if (cxr_en_read_flow_control(en))
		return;

	param->rx_pause = en->dcb.flow.pause.rx;
	param->tx_pause = en->dcb.flow.pause.tx;
}

int cxr_en_set_pauseparam(struct net_device *ndev, struct ethtool_pauseparam *param)
{
	struct cxr_en *en = netdev_priv(ndev);
	struct cxr_pause pause = { .rx = param->rx_pause, .tx = param->tx_pause };
	int err;

	if (!en->core->caps.port_owner)
		return -EOPNOTSUPP;
	/* pause frames are not negotiated */
	if (param->autoneg)
		return -EINVAL;

	err = cxr_cmd_set_pause(en->core, &pause);
	if (err)
		return err;

	/* it excludes flow control of priorities, which the firmware refuses or ends */
	en->dcb.flow.pause = pause;
	cxr_en_read_flow_control(en);
	return 0;
}

/* ---- which port this is -------------------------------------------------- */

/*
 * The firmware blinks by itself. ethtool gives RTNL up meanwhile, so it may end during a reset of
 * the device; then the reset ends it (cxr_en_restore_beacon()).
 */
int cxr_en_set_phys_id(struct net_device *ndev, enum ethtool_phys_id_state state)
{
	struct cxr_en *en = netdev_priv(ndev);
	int err;

	if (!en->core->caps.beacon_led)
		return -EOPNOTSUPP;
	if (state != ETHTOOL_ID_ACTIVE && state != ETHTOOL_ID_INACTIVE)
		return -EOPNOTSUPP;
	en->beacon = state == ETHTOOL_ID_ACTIVE;
	if (!cxr_en_usable(en))
		return -ENODEV;

	err = cxr_cmd_set_beacon(en->core, en->beacon);
	if (!err)
		en->beacon_set = en->beacon;
	return err;
}

int cxr_en_restore_beacon(struct cxr_en *en)
{
	int err;

	ASSERT_RTNL();
	if (!en->beacon_set)
		return 0;
	err = cxr_cmd_set_beacon(en->core, en->beacon);
	if (!err)
		en->beacon_set = en->beacon;
	return err;
}

/* ---- a host that takes no packets ---------------------------------------- */

static int check_stall(const struct cxr_en *en, const struct ethtool_tunable *tuna)
{
	if (tuna->id != ETHTOOL_PFC_PREVENTION_TOUT)
		return -EINVAL;
	return en->dcb.support.stall ? 0 : -EOPNOTSUPP;
}

int cxr_en_get_tunable(struct net_device *ndev, const struct ethtool_tunable *tuna, void *data)
{
	struct cxr_en *en = netdev_priv(ndev);

	return check_stall(en, tuna) ?: cxr_cmd_query_stall(en->core, data);
}

int cxr_en_set_tunable(struct net_device *ndev, const struct ethtool_tunable *tuna,
		       const void *data)
{
	struct cxr_en *en = netdev_priv(ndev);
	u16 ms = *(const u16 *)data;
	int err;

	err = check_stall(en, tuna);
	if (err)
		return err;
	if (ms == PFC_STORM_PREVENTION_AUTO)
		ms = CXR_STALL_AUTO;
	if (ms != PFC_STORM_PREVENTION_DISABLE && (ms < CXR_STALL_MIN || ms > CXR_STALL_MAX)) {
		netdev_err(ndev, "pfc-prevention-tout: %u ms is not in the range of %u to %u, nor 0 (off)\n",
			   ms, CXR_STALL_MIN, CXR_STALL_MAX);
		return -EINVAL;
	}

	err = cxr_cmd_set_stall(en->core, ms, cxr_stall_minor(ms));
	if (err)
		return err;

	en->dcb.stall_ms = ms;
	en->dcb.stall_set = true;
	return 0;
}

/* ---- module ------------------------------------------------------------- */

static void say_module_error(int err, struct netlink_ext_ack *extack)
{
	switch (err) {
	case -ENXIO:
		NL_SET_ERR_MSG_MOD(extack, "there is no module in the port");
		break;
	case -ENETDOWN:
		NL_SET_ERR_MSG_MOD(extack, "the module is disabled");
		break;
	case -EOPNOTSUPP:
		NL_SET_ERR_MSG_MOD(extack, "the firmware cannot read the module");
		break;
	case -EREMOTEIO:
		NL_SET_ERR_MSG_MOD(extack, "the module does not answer at this address and page");
		break;
	}
}

int cxr_en_get_module_page(struct net_device *ndev, const struct ethtool_module_eeprom *request,
			   struct netlink_ext_ack *extack)
{
	struct cxr_en *en = netdev_priv(ndev);
	const struct cxr_module_place place = {
		.i2c_address = request->i2c_address,
		.page = request->page,
		.offset = request->offset,
	};
	int err;

	if (request->bank) {
		NL_SET_ERR_MSG_MOD(extack, "the firmware reads bank 0 only");
		return -EOPNOTSUPP;
	}
	err = cxr_cmd_read_module(en->core, &place, request->data, request->length);
	say_module_error(err, extack);
	return err ?: request->length;
}

/* First bytes of a module's memory (SFF-8024). */
enum { MODULE_SFP = 0x03, MODULE_QSFP = 0x0c, MODULE_QSFP_PLUS = 0x0d, MODULE_QSFP28 = 0x11 };

#define MODULE_ADDRESS	0x50
#define MODULE_PAGE	128	/* bytes of a page, in the upper half of the address space */

/* For programs that use the ioctls; the others get pages. */
int cxr_en_get_module_info(struct net_device *ndev, struct ethtool_modinfo *info)
{
	const struct cxr_module_place place = { .i2c_address = MODULE_ADDRESS };
	struct cxr_en *en = netdev_priv(ndev);
	u8 id[2];	/* and revision */
	bool sff8636;
	int err;

	err = cxr_cmd_read_module(en->core, &place, id, sizeof(id));
	if (err)
		return err;

	switch (id[0]) {
	case MODULE_SFP:
		info->type = ETH_MODULE_SFF_8472;
		info->eeprom_len = ETH_MODULE_SFF_8472_LEN;
		return 0;
	case MODULE_QSFP:
	case MODULE_QSFP_PLUS:
	case MODULE_QSFP28:
		sff8636 = id[0] == MODULE_QSFP28 || (id[0] == MODULE_QSFP_PLUS && id[1] >= 3);
		info->type = sff8636 ? ETH_MODULE_SFF_8636 : ETH_MODULE_SFF_8436;
		info->eeprom_len = ETH_MODULE_SFF_8636_MAX_LEN;	/* of either */
		return 0;
	default:
		netdev_dbg(ndev, "module of unknown type 0x%02x\n", id[0]);
		return -EINVAL;
	}
}

/*
 * Both halves of the address space, then what else there is: of an SFP the second I2C address, of
 * others the upper pages from 1 on.
 */
int cxr_en_get_module_eeprom(struct net_device *ndev, struct ethtool_eeprom *ee, u8 *data)
{
	struct cxr_en *en = netdev_priv(ndev);
	struct ethtool_modinfo info = {};
	u32 at, n, done = 0;
	int err;

	err = cxr_en_get_module_info(ndev, &info);
	for (; !err && done < ee->len; done += n) {
		struct cxr_module_place place = { .i2c_address = MODULE_ADDRESS };

		at = ee->offset + done;
		n = min_t(u32, ee->len - done, MODULE_PAGE - at % MODULE_PAGE);
		if (at >= 2 * MODULE_PAGE && info.type == ETH_MODULE_SFF_8472) {
			place.i2c_address++;
			at -= 2 * MODULE_PAGE;
		} else if (at >= 2 * MODULE_PAGE) {
			place.page = at / MODULE_PAGE - 1;
			at = MODULE_PAGE + at % MODULE_PAGE;
		}
		place.offset = at;
		err = cxr_cmd_read_module(en->core, &place, data + done, n);
	}
	return err;
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

void cxr_en_get_link_ext_stats(struct net_device *ndev, struct ethtool_link_ext_stats *stats)
{
	u64 values[CXR_PHY_COUNTERS];

	if (read_group(ndev, CXR_PHY_LAYER, values))
		stats->link_down_events = values[CXR_PHY_link_down_events];
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
