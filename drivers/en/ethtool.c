// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* ethtool operations. RTNL is held. */
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/log2.h>
#include "en.h"

static void get_drvinfo(struct net_device *ndev, struct ethtool_drvinfo *info)
{
	struct cxr_en *en = netdev_priv(ndev);
	const struct cxr_core *core = en->core;

	strscpy(info->driver, KBUILD_MODNAME, sizeof(info->driver));
	strscpy(info->bus_info, pci_name(core->pdev), sizeof(info->bus_info));
	scnprintf(info->fw_version, sizeof(info->fw_version), "%u.%u.%04u (%.16s)",
		  core->fw_major, core->fw_minor, core->fw_sub, core->board_id);
}

static void get_ringparam(struct net_device *ndev, struct ethtool_ringparam *ring,
			  struct kernel_ethtool_ringparam *kernel_ring,
			  struct netlink_ext_ack *extack)
{
	struct cxr_en *en = netdev_priv(ndev);

	ring->rx_max_pending = 1U << en->log_ring_max;
	ring->tx_max_pending = 1U << en->log_ring_max;
	ring->rx_pending = 1U << en->config.log_rq;
	ring->tx_pending = 1U << en->config.log_sq;
	kernel_ring->tcp_data_split = ETHTOOL_TCP_DATA_SPLIT_DISABLED;
}

static int set_ringparam(struct net_device *ndev, struct ethtool_ringparam *ring,
			 struct kernel_ethtool_ringparam *kernel_ring,
			 struct netlink_ext_ack *extack)
{
	struct cxr_en *en = netdev_priv(ndev);
	struct cxr_en_config config = en->config;

	if (ring->rx_mini_pending || ring->rx_jumbo_pending) {
		NL_SET_ERR_MSG_MOD(extack, "mini and jumbo rings are not supported");
		return -EINVAL;
	}
	if (min(ring->rx_pending, ring->tx_pending) < 1U << CXR_EN_LOG_RING_MIN) {
		NL_SET_ERR_MSG_MOD(extack, "rings need at least 64 entries");
		return -EINVAL;
	}
	/* the maximum was checked by the caller; sizes are powers of two */
	config.log_rq = order_base_2(ring->rx_pending);
	config.log_sq = order_base_2(ring->tx_pending);
	return cxr_en_reconfigure(en, &config);
}

static void get_channels(struct net_device *ndev, struct ethtool_channels *channels)
{
	struct cxr_en *en = netdev_priv(ndev);

	channels->max_combined = min(ndev->num_rx_queues, cxr_en_max_channels(en->core));
	channels->combined_count = en->config.channels;
}

static int set_channels(struct net_device *ndev, struct ethtool_channels *channels)
{
	struct cxr_en *en = netdev_priv(ndev);
	struct cxr_en_config config = en->config;

	if (!channels->combined_count)
		return -EINVAL;
	if (cxr_en_ntuple_last_channel(en) >= (int)channels->combined_count) {
		netdev_warn(ndev, "ethtool -L: rules lead to channel %d (ethtool -n)\n",
			    cxr_en_ntuple_last_channel(en));
		return -EINVAL;
	}

	if (config.n_groups) {
		netdev_warn(ndev, "ethtool -L: mqprio divides the channels (tc qdisc)\n");
		return -EINVAL;
	}

	config.channels = channels->combined_count;
	return cxr_en_reconfigure(en, &config);
}

/* ---- private flags ------------------------------------------------------ */

enum { FLAG_RX_CQE_COMPRESS, FLAGS };

static const char *const flags[FLAGS] = { [FLAG_RX_CQE_COMPRESS] = "rx_cqe_compress" };

static int get_sset_count(struct net_device *ndev, int sset)
{
	return sset == ETH_SS_PRIV_FLAGS ? FLAGS : cxr_en_get_sset_count(ndev, sset);
}

static void get_strings(struct net_device *ndev, u32 sset, u8 *data)
{
	unsigned int i;

	if (sset == ETH_SS_PRIV_FLAGS)
		for (i = 0; i < FLAGS; i++)
			cxr_ethtool_puts(&data, flags[i]);
	else
		cxr_en_get_strings(ndev, sset, data);
}

static u32 get_priv_flags(struct net_device *ndev)
{
	const struct cxr_en *en = netdev_priv(ndev);

	return en->config.rx_zip ? BIT(FLAG_RX_CQE_COMPRESS) : 0;
}

static int set_priv_flags(struct net_device *ndev, u32 set)
{
	struct cxr_en *en = netdev_priv(ndev);
	struct cxr_en_config config = en->config;
	int err;

	if (set >> FLAGS)
		return -EINVAL;
	config.rx_zip = set & BIT(FLAG_RX_CQE_COMPRESS);
	if (config.rx_zip == en->config.rx_zip)
		return 0;
	if (config.rx_zip && !en->core->caps.cqe_zip)
		return -EOPNOTSUPP;
	if (config.rx_zip && en->stamp_rx) {
		netdev_warn(ndev, "rx_cqe_compress: packets get timestamps (hwstamp_ctl -r 0)\n");
		return -EINVAL;
	}
	err = cxr_en_reconfigure(en, &config);
	if (err)
		return err;

	netdev_update_features(ndev);
	return 0;
}

/* ---- RSS ---------------------------------------------------------------- */

static u32 get_rx_ring_count(struct net_device *ndev)
{
	struct cxr_en *en = netdev_priv(ndev);

	return en->config.channels;
}

/* Before 6.8. Each pointer may be NULL. */
static int __maybe_unused old_get_rxfh(struct net_device *ndev, u32 *indir, u8 *key, u8 *hfunc)
{
	struct cxr_rxfh rxfh = { .indir = indir, .key = key };
	int err;

	err = cxr_en_get_rxfh(ndev, &rxfh);
	if (hfunc)
		*hfunc = rxfh.hfunc;
	return err;
}

static int __maybe_unused old_set_rxfh(struct net_device *ndev, const u32 *indir, const u8 *key,
				       const u8 hfunc)
{
	struct cxr_rxfh rxfh = { .indir = (u32 *)indir, .key = (u8 *)key, .hfunc = hfunc };

	return cxr_en_set_rxfh(ndev, &rxfh, NULL);
}

/* 0: that of the netdev */
static u32 context_of(const struct ethtool_rxnfc *info)
{
	return info->flow_type & FLOW_RSS ? info->rss_context : 0;
}

/* Rings and hashed fields are operations of their own where the kernel has these (compat.h). */
static int get_rxnfc(struct net_device *ndev, struct ethtool_rxnfc *info, u32 *locations)
{
	struct cxr_rxfh_fields fields = {
		.flow_type = info->flow_type & ~FLOW_RSS,
		.rss_context = context_of(info),
	};
	int err;

	switch (info->cmd) {
	case ETHTOOL_GRXRINGS:
		info->data = get_rx_ring_count(ndev);
		return 0;
	case ETHTOOL_GRXFH:
		err = cxr_en_get_rxfh_fields(ndev, &fields);
		info->data = fields.data;
		return err;
	case ETHTOOL_GRXCLSRLCNT:
	case ETHTOOL_GRXCLSRULE:
	case ETHTOOL_GRXCLSRLALL:
		return cxr_en_get_ntuple(ndev, info, locations);
	default:
		return -EOPNOTSUPP;
	}
}

static int set_rxnfc(struct net_device *ndev, struct ethtool_rxnfc *info)
{
	struct cxr_rxfh_fields fields = {
		.flow_type = info->flow_type & ~FLOW_RSS,
		.rss_context = context_of(info),
		.data = info->data,
	};

	if (info->cmd == ETHTOOL_SRXCLSRLINS || info->cmd == ETHTOOL_SRXCLSRLDEL)
		return cxr_en_set_ntuple(ndev, info);
	if (info->cmd != ETHTOOL_SRXFH || info->data != fields.data)
		return -EOPNOTSUPP;
	return cxr_en_set_rxfh_fields(ndev, &fields, NULL);
}

const struct ethtool_ops cxr_en_ethtool_ops = {
	.supported_coalesce_params = ETHTOOL_COALESCE_USECS | ETHTOOL_COALESCE_MAX_FRAMES |
				     ETHTOOL_COALESCE_USE_ADAPTIVE,
	.get_drvinfo = get_drvinfo,
	.get_link = ethtool_op_get_link,
	.get_link_ext_state = cxr_en_get_link_ext_state,
	.get_link_ksettings = cxr_en_get_link_ksettings,
	.set_link_ksettings = cxr_en_set_link_ksettings,
	.get_fec_stats = cxr_en_get_fec_stats,
	.get_fecparam = cxr_en_get_fecparam,
	.set_fecparam = cxr_en_set_fecparam,
	.get_ringparam = get_ringparam,
	.set_ringparam = set_ringparam,
	.get_channels = get_channels,
	.set_channels = set_channels,
	.get_rxfh_key_size = cxr_en_get_rxfh_key_size,
	.get_rxfh_indir_size = cxr_en_get_rxfh_indir_size,
	CXR_RXFH_OPS(cxr_en_get_rxfh, cxr_en_set_rxfh, old_get_rxfh, old_set_rxfh)
	CXR_RXFH_CONTEXT_OPS(CXR_EN_CONTEXTS)
	CXR_RXFH_SYMMETRIC_OP
	CXR_RXFH_FIELDS_OPS(cxr_en_get_rxfh_fields, cxr_en_set_rxfh_fields)
	CXR_RX_RING_COUNT_OP(get_rx_ring_count)
	.get_rxnfc = get_rxnfc,
	.set_rxnfc = set_rxnfc,
	.get_coalesce = cxr_en_get_coalesce,
	.set_coalesce = cxr_en_set_coalesce,
	.get_sset_count = get_sset_count,
	.get_strings = get_strings,
	.get_ethtool_stats = cxr_en_get_ethtool_stats,
	.get_priv_flags = get_priv_flags,
	.set_priv_flags = set_priv_flags,
	.get_pauseparam = cxr_en_get_pauseparam,
	.set_pauseparam = cxr_en_set_pauseparam,
	.set_phys_id = cxr_en_set_phys_id,
	.self_test = cxr_en_self_test,
	.get_tunable = cxr_en_get_tunable,
	.set_tunable = cxr_en_set_tunable,
	.get_module_info = cxr_en_get_module_info,
	.get_module_eeprom = cxr_en_get_module_eeprom,
	.get_module_eeprom_by_page = cxr_en_get_module_page,
	.get_pause_stats = cxr_en_get_pause_stats,
	.get_eth_mac_stats = cxr_en_get_eth_mac_stats,
	.get_eth_phy_stats = cxr_en_get_eth_phy_stats,
	.get_eth_ctrl_stats = cxr_en_get_eth_ctrl_stats,
	.get_rmon_stats = cxr_en_get_rmon_stats,
	CXR_LINK_EXT_STATS_OP(cxr_en_get_link_ext_stats)
	.get_ts_info = cxr_en_get_ts_info,
	CXR_TS_STATS_OP(cxr_en_get_ts_stats)
};
