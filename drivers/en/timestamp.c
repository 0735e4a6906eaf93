// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Timestamps of packets, for PTP and for measurements: the device stamps every completion with its
 * counter, and cxr_clock_time() converts it. What users choose is only whether the stack gets them.
 */
#include <linux/ethtool.h>
#include <linux/uaccess.h>
#include "en.h"

/* The formats of other clocks than the counter are not converted. */
static bool can_stamp_rx(const struct cxr_core *core)
{
	return cxr_clock_works(core) && core->caps.rq_free_running;
}

static bool can_stamp_tx(const struct cxr_core *core)
{
	return cxr_clock_works(core) && core->caps.sq_free_running;
}

int cxr_en_get_hwtstamp(struct net_device *ndev, struct cxr_hwtstamp *config)
{
	struct cxr_en *en = netdev_priv(ndev);

	config->flags = 0;
	config->tx_type = en->stamp_tx ? HWTSTAMP_TX_ON : HWTSTAMP_TX_OFF;
	config->rx_filter = en->stamp_rx ? HWTSTAMP_FILTER_ALL : HWTSTAMP_FILTER_NONE;
	return 0;
}

int cxr_en_set_hwtstamp(struct net_device *ndev, struct cxr_hwtstamp *config,
			struct netlink_ext_ack *extack)
{
	struct cxr_en *en = netdev_priv(ndev);
	bool tx = config->tx_type != HWTSTAMP_TX_OFF;
	bool rx = config->rx_filter != HWTSTAMP_FILTER_NONE;

	if (tx && config->tx_type != HWTSTAMP_TX_ON) {
		NL_SET_ERR_MSG_MOD(extack, "the device puts no timestamps into packets");
		return -ERANGE;
	}
	if ((tx && !can_stamp_tx(en->core)) || (rx && !can_stamp_rx(en->core))) {
		NL_SET_ERR_MSG_MOD(extack, "the device has no timestamps of its counter");
		return -EOPNOTSUPP;
	}
	if (rx && en->config.rx_zip) {
		NL_SET_ERR_MSG_MOD(extack, "rx_cqe_compress is on: not each packet has a time");
		return -EINVAL;
	}
	WRITE_ONCE(en->stamp_tx, tx);
	WRITE_ONCE(en->stamp_rx, rx);
	/* whatever was asked for: all packets have one */
	config->rx_filter = rx ? HWTSTAMP_FILTER_ALL : HWTSTAMP_FILTER_NONE;
	return 0;
}

int __maybe_unused cxr_en_hwtstamp_ioctl(struct net_device *ndev, struct ifreq *ifr, int cmd)
{
	struct cxr_hwtstamp config = {};
	struct hwtstamp_config user;
	int err;

	if (cmd != SIOCGHWTSTAMP && cmd != SIOCSHWTSTAMP)
		return -EOPNOTSUPP;
	if (cmd == SIOCGHWTSTAMP) {
		err = cxr_en_get_hwtstamp(ndev, &config);
	} else {
		if (copy_from_user(&user, ifr->ifr_data, sizeof(user)))
			return -EFAULT;
		config.tx_type = user.tx_type;
		config.rx_filter = user.rx_filter;
		err = cxr_en_set_hwtstamp(ndev, &config, NULL);
	}
	if (err)
		return err;

	user = (struct hwtstamp_config){
		.tx_type = config.tx_type,
		.rx_filter = config.rx_filter,
	};
	return copy_to_user(ifr->ifr_data, &user, sizeof(user)) ? -EFAULT : 0;
}

int cxr_en_get_ts_info(struct net_device *ndev, struct cxr_ts_info *info)
{
	struct cxr_en *en = netdev_priv(ndev);
	bool rx = can_stamp_rx(en->core), tx = can_stamp_tx(en->core);
	int err;

	err = ethtool_op_get_ts_info(ndev, info);
	if (err)
		return err;

	if (cxr_clock_works(en->core))
		info->phc_index = cxr_clock_index(en->core);
	if (rx || tx)
		info->so_timestamping |= SOF_TIMESTAMPING_RAW_HARDWARE;
	if (tx)
		info->so_timestamping |= SOF_TIMESTAMPING_TX_HARDWARE;
	if (rx)
		info->so_timestamping |= SOF_TIMESTAMPING_RX_HARDWARE;
	info->tx_types = BIT(HWTSTAMP_TX_OFF) | (tx ? BIT(HWTSTAMP_TX_ON) : 0);
	info->rx_filters = BIT(HWTSTAMP_FILTER_NONE) | (rx ? BIT(HWTSTAMP_FILTER_ALL) : 0);
	return 0;
}

void __maybe_unused cxr_en_get_ts_stats(struct net_device *ndev, struct ethtool_ts_stats *stats)
{
	struct cxr_en *en = netdev_priv(ndev);
	unsigned int i;

	stats->pkts = 0;
	for (i = 0; i < ndev->num_tx_queues; i++)
		stats->pkts += atomic_long_read(&en->tx_stats[i].stamps);
}
