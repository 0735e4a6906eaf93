// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Counters of the queues, kept for the lifetime of the netdev, and of the vport, read from the
 * device.
 */
#include <linux/ethtool.h>
#include <linux/rtnetlink.h>
#include CXR_QUEUE_STATS_H
#include "en.h"

struct queue_counts {
	u64 packets, bytes, dropped, errors, csum, special, stops, inner_csum, inner_tso,
		zip_blocks, zip_packets;
};

static const struct {
	const char *rx, *tx;
	size_t offset;
} queue_stats[] = {
	{ "packets", "packets", offsetof(struct queue_counts, packets) },
	{ "bytes", "bytes", offsetof(struct queue_counts, bytes) },
	{ "dropped", "dropped", offsetof(struct queue_counts, dropped) },
	{ "cqe_err", "cqe_err", offsetof(struct queue_counts, errors) },
	{ "csum_unnecessary", "csum_partial", offsetof(struct queue_counts, csum) },
	{ "csum_complete", "tso_packets", offsetof(struct queue_counts, special) },
	{ "no_page", "stopped", offsetof(struct queue_counts, stops) },
	{ "csum_unnecessary_inner", "csum_partial_inner",
	  offsetof(struct queue_counts, inner_csum) },
	{ NULL, "tso_inner_packets", offsetof(struct queue_counts, inner_tso) },
	{ "cqe_compress_blks", NULL, offsetof(struct queue_counts, zip_blocks) },
	{ "cqe_compress_pkts", NULL, offsetof(struct queue_counts, zip_packets) },
};

enum { RX_STATS = ARRAY_SIZE(queue_stats) - 1, TX_STATS = ARRAY_SIZE(queue_stats) - 2 };

struct xdp_counts {
	u64 drop, redirect, xmit, bytes, full, err;
};

/* Of received packets, and of those that were redirected to the interface; sums of all channels. */
static const struct {
	const char *name;
	bool tx;
	size_t offset;
} xdp_stats[] = {
	{ "rx_xdp_drop", false, offsetof(struct xdp_counts, drop) },
	{ "rx_xdp_redirect", false, offsetof(struct xdp_counts, redirect) },
	{ "rx_xdp_tx_xmit", false, offsetof(struct xdp_counts, xmit) },
	{ "rx_xdp_tx_full", false, offsetof(struct xdp_counts, full) },
	{ "rx_xdp_tx_err", false, offsetof(struct xdp_counts, err) },
	{ "tx_xdp_xmit", true, offsetof(struct xdp_counts, xmit) },
	{ "tx_xdp_full", true, offsetof(struct xdp_counts, full) },
	{ "tx_xdp_err", true, offsetof(struct xdp_counts, err) },
};

void cxr_en_stats_init(struct cxr_en *en)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(en->tx_stats); i++)
		u64_stats_init(&en->tx_stats[i].sync);
	for (i = 0; i < CXR_EN_CHANNELS_MAX; i++) {
		u64_stats_init(&en->rx_stats[i].sync);
		u64_stats_init(&en->xdp_rx_stats[i].sync);
		u64_stats_init(&en->xdp_tx_stats[i].sync);
	}
}

/* ---- page pools, if the kernel counts what they do ---------------------- */

#ifdef CONFIG_PAGE_POOL_STATS
void cxr_en_keep_pool_stats(struct cxr_en *en, struct page_pool *pool)
{
	ASSERT_RTNL();
	/* adds */
	page_pool_get_stats(pool, &en->pool_stats);
}

/* The sums of all pools that there were since the netdev was created. */
static u64 *write_pool_stats(struct cxr_en *en, u64 *data)
{
	struct page_pool_stats stats = en->pool_stats;
	unsigned int i;

	ASSERT_RTNL();
	for (i = 0; i < en->n_channels; i++)
		page_pool_get_stats(en->channels[i]->rq.pool, &stats);
	return page_pool_ethtool_stats_get(data, &stats);
}
#else
void cxr_en_keep_pool_stats(struct cxr_en *en, struct page_pool *pool)
{
}

static u64 *write_pool_stats(struct cxr_en *en, u64 *data)
{
	return data;
}
#endif

/* ---- queues and vport --------------------------------------------------- */

static void read_queue(const struct cxr_en_stats *stats, struct queue_counts *counts)
{
	unsigned int start;

	do {
		start = u64_stats_fetch_begin(&stats->sync);
		counts->packets = u64_stats_read(&stats->packets);
		counts->bytes = u64_stats_read(&stats->bytes);
		counts->dropped = u64_stats_read(&stats->dropped);
		counts->csum = u64_stats_read(&stats->csum);
		counts->special = u64_stats_read(&stats->special);
		counts->stops = u64_stats_read(&stats->stops);
		counts->inner_csum = u64_stats_read(&stats->inner_csum);
		counts->inner_tso = u64_stats_read(&stats->inner_tso);
		counts->zip_blocks = u64_stats_read(&stats->zip_blocks);
		counts->zip_packets = u64_stats_read(&stats->zip_packets);
	} while (u64_stats_fetch_retry(&stats->sync, start));
	counts->errors = atomic_long_read(&stats->errors);
}

static void add_xdp(const struct cxr_en_xdp_stats *stats, struct xdp_counts *sum)
{
	struct xdp_counts now;
	unsigned int start;

	do {
		start = u64_stats_fetch_begin(&stats->sync);
		now.drop = u64_stats_read(&stats->drop);
		now.redirect = u64_stats_read(&stats->redirect);
		now.xmit = u64_stats_read(&stats->xmit);
		now.bytes = u64_stats_read(&stats->bytes);
		now.full = u64_stats_read(&stats->full);
		now.err = u64_stats_read(&stats->err);
	} while (u64_stats_fetch_retry(&stats->sync, start));
	sum->drop += now.drop;
	sum->redirect += now.redirect;
	sum->xmit += now.xmit;
	sum->bytes += now.bytes;
	sum->full += now.full;
	sum->err += now.err;
}

/* Tx queues that there can have been so far. */
static unsigned int txqs_seen(const struct cxr_en *en)
{
	return en->ndev->num_rx_queues * READ_ONCE(en->tcs_seen);
}

static void read_xdp(const struct cxr_en *en, struct xdp_counts *rx, struct xdp_counts *tx)
{
	unsigned int i;

	for (i = 0; i < en->ndev->num_rx_queues; i++) {
		add_xdp(&en->xdp_rx_stats[i], rx);
		add_xdp(&en->xdp_tx_stats[i], tx);
	}
}

static void count(struct cxr_en *en, enum cxr_en_device_counter which, u64 device)
{
	struct cxr_en_counter *counter = &en->device_counters[which];

	lockdep_assert_held(&en->lock);
	atomic64_add(device < counter->device ? device : device - counter->device, &counter->shown);
	counter->device = device;
}

static u64 shown(const struct cxr_en *en, enum cxr_en_device_counter which)
{
	return atomic64_read(&en->device_counters[which].shown);
}

static void read_errors(struct cxr_en *en)
{
	u64 vnic[CXR_VNIC_COUNTERS];
	u64 port[CXR_PHY_COUNTERS];

	if (en->core->caps.vnic_counters & BIT(CXR_VNIC_eth_wqe_too_small) &&
	    !cxr_cmd_query_vnic_env(en->core, vnic))
		count(en, CXR_EN_RX_NO_ROOM, vnic[CXR_VNIC_eth_wqe_too_small]);
	if (!cxr_cmd_query_phy_counters(en->core, CXR_PHY_802_3, port)) {
		count(en, CXR_EN_RX_LENGTH, port[CXR_PHY_rx_in_range_len_errors] +
					    port[CXR_PHY_rx_out_of_range_len] +
					    port[CXR_PHY_rx_oversize_pkts]);
		count(en, CXR_EN_RX_CRC, port[CXR_PHY_rx_crc_errors]);
		count(en, CXR_EN_RX_ALIGNMENT, port[CXR_PHY_rx_alignment_errors]);
	}
	if (!cxr_cmd_query_phy_counters(en->core, CXR_PHY_2863, port))
		count(en, CXR_EN_TX_DISCARDS, port[CXR_PHY_tx_discards]);
}

/*
 * If the device does not respond, @vport is 0, and what the netdev shows stays as it is. Values are
 * counted in the order in which they are read: an older one would look like that after a reset.
 */
static void read_device(struct cxr_en *en, struct cxr_traffic vport[CXR_VPORT_COUNTERS])
{
	u64 values[CXR_COUNTERS];

	mutex_lock(&en->lock);
	if (en->q_counter && !cxr_cmd_query_q_counter(en->core, en->q_counter, values))
		count(en, CXR_EN_RX_OUT_OF_BUFFER, values[CXR_CNT_out_of_buffer]);
	if (cxr_cmd_query_vport_counters(en->core, 0, vport))
		memset(vport, 0, CXR_VPORT_COUNTERS * sizeof(*vport));
	else
		count(en, CXR_EN_RX_MULTICAST, vport[CXR_VPORT_rx_multicast].packets);
	read_errors(en);
	mutex_unlock(&en->lock);
}

void cxr_en_read_stats(struct cxr_en *en)
{
	struct cxr_traffic vport[CXR_VPORT_COUNTERS];

	read_device(en, vport);
}

/* As the in-tree driver. */
static void show_device(const struct cxr_en *en, struct rtnl_link_stats64 *stats)
{
	stats->rx_missed_errors = shown(en, CXR_EN_RX_OUT_OF_BUFFER);
	stats->multicast = shown(en, CXR_EN_RX_MULTICAST);
	stats->rx_length_errors = shown(en, CXR_EN_RX_LENGTH) + shown(en, CXR_EN_RX_NO_ROOM);
	stats->rx_crc_errors = shown(en, CXR_EN_RX_CRC);
	stats->rx_frame_errors = shown(en, CXR_EN_RX_ALIGNMENT);
	stats->tx_aborted_errors = shown(en, CXR_EN_TX_DISCARDS);
	stats->rx_errors = stats->rx_length_errors + stats->rx_crc_errors + stats->rx_frame_errors;
	stats->tx_errors = stats->tx_aborted_errors;
}

void cxr_en_get_stats64(struct net_device *ndev, struct rtnl_link_stats64 *stats)
{
	struct cxr_en *en = netdev_priv(ndev);
	struct xdp_counts xdp_rx = {}, xdp_tx = {};
	struct queue_counts counts;
	unsigned int i;

	show_device(en, stats);
	queue_work(en->wq, &en->stats_work);
	for (i = 0; i < ndev->num_rx_queues; i++) {
		read_queue(&en->rx_stats[i], &counts);
		stats->rx_packets += counts.packets;
		stats->rx_bytes += counts.bytes;
		stats->rx_dropped += counts.dropped;
		stats->rx_errors += counts.errors;
	}
	for (i = 0; i < txqs_seen(en); i++) {
		read_queue(&en->tx_stats[i], &counts);
		stats->tx_packets += counts.packets;
		stats->tx_bytes += counts.bytes;
		stats->tx_dropped += counts.dropped;
		stats->tx_errors += counts.errors;
	}
	read_xdp(en, &xdp_rx, &xdp_tx);
	stats->tx_packets += xdp_rx.xmit + xdp_tx.xmit;
	stats->tx_bytes += xdp_rx.bytes + xdp_tx.bytes;
}

/* ---- queues, by netlink -------------------------------------------------- */

/* Fields that are not set here are not reported. */
static void tell_rx(const struct queue_counts *counts, struct netdev_queue_stats_rx *stats)
{
	stats->packets = counts->packets;
	stats->bytes = counts->bytes;
	stats->alloc_fail = counts->stops + counts->dropped;	/* of pages and of skbs */
	stats->csum_unnecessary = counts->csum + counts->inner_csum;
}

static void tell_tx(const struct queue_counts *counts, struct netdev_queue_stats_tx *stats)
{
	stats->packets = counts->packets;
	stats->bytes = counts->bytes;
	stats->hw_drop_errors = counts->errors;
	stats->csum_none = counts->packets - counts->csum - counts->inner_csum;
	stats->needs_csum = counts->csum + counts->inner_csum;
	stats->hw_gso_packets = counts->special + counts->inner_tso;
	stats->stop = counts->stops;
}

static void get_queue_stats_rx(struct net_device *ndev, int i, struct netdev_queue_stats_rx *stats)
{
	const struct cxr_en *en = netdev_priv(ndev);
	struct queue_counts counts;

	read_queue(&en->rx_stats[i], &counts);
	tell_rx(&counts, stats);
}

static void get_queue_stats_tx(struct net_device *ndev, int i, struct netdev_queue_stats_tx *stats)
{
	struct cxr_en *en = netdev_priv(ndev);
	unsigned int channels = en->config.channels;
	struct queue_counts counts;

	if (i / channels >= en->config.tcs)
		return;
	read_queue(cxr_en_tx_stats(en, i % channels, i / channels), &counts);
	tell_tx(&counts, stats);
}

static void add_queue(const struct cxr_en_stats *stats, struct queue_counts *sum)
{
	struct queue_counts counts;

	read_queue(stats, &counts);
	sum->packets += counts.packets;
	sum->bytes += counts.bytes;
	sum->dropped += counts.dropped;
	sum->errors += counts.errors;
	sum->csum += counts.csum;
	sum->special += counts.special;
	sum->stops += counts.stops;
	sum->inner_csum += counts.inner_csum;
	sum->inner_tso += counts.inner_tso;
}

/* What is of no queue, or of one that is not there now. */
static void get_base_stats(struct net_device *ndev, struct netdev_queue_stats_rx *rx,
			   struct netdev_queue_stats_tx *tx)
{
	struct queue_counts rx_sum = {}, tx_sum = {};
	struct cxr_en *en = netdev_priv(ndev);
	struct xdp_counts xdp_rx = {}, xdp_tx = {};
	unsigned int i;

	for (i = ndev->real_num_rx_queues; i < ndev->num_rx_queues; i++)
		add_queue(&en->rx_stats[i], &rx_sum);
	for (i = 0; i < txqs_seen(en); i++)
		if (i % ndev->num_rx_queues >= en->config.channels ||
		    i / ndev->num_rx_queues >= en->config.tcs)
			add_queue(&en->tx_stats[i], &tx_sum);
	queue_work(en->wq, &en->stats_work);
	tell_rx(&rx_sum, rx);
	rx->hw_drop_overruns = shown(en, CXR_EN_RX_OUT_OF_BUFFER);
	tell_tx(&tx_sum, tx);
	read_xdp(en, &xdp_rx, &xdp_tx);
	tx->packets += xdp_rx.xmit + xdp_tx.xmit;
	tx->bytes += xdp_rx.bytes + xdp_tx.bytes;
}

const struct netdev_stat_ops cxr_en_stat_ops = {
	.get_queue_stats_rx = get_queue_stats_rx,
	.get_queue_stats_tx = get_queue_stats_tx,
	.get_base_stats = get_base_stats,
};

/* ---- priorities and traffic classes of the port ------------------------- */

static bool has_global_pause(const struct cxr_en *en)
{
	return cxr_pause_on(&en->dcb.flow.pause);
}

static u8 paused(const struct cxr_en *en)
{
	return en->dcb.flow.pfc_rx | en->dcb.flow.pfc_tx;
}

/* Pauses of priorities with flow control only; those of the port are counted by priority 0. */
static unsigned int pause_sets(const struct cxr_en *en)
{
	return hweight8(paused(en)) + has_global_pause(en);
}

static unsigned int prio_count(const struct cxr_en *en)
{
	return CXR_PRIOS * CXR_PRIO_TRAFFIC +
	       pause_sets(en) * (CXR_PRIO_OWN - CXR_PRIO_TRAFFIC) +
	       (en->dcb.support.stall ? CXR_PRIO_COUNTERS - CXR_PRIO_OWN : 0) +
	       (en->core->caps.sbcam_reg ? CXR_TCS * CXR_TC_COUNTERS : 0);
}

static void prio_strings(const struct cxr_en *en, u8 **data)
{
	enum cxr_prio_counter i;
	enum cxr_tc_counter j;
	unsigned int prio;
	const char *dir, *name;

	for (prio = 0; prio < CXR_PRIOS; prio++) {
		for (i = 0; i < CXR_PRIO_OWN; i++) {
			name = cxr_prio_counter_name(i, &dir);
			if (i < CXR_PRIO_TRAFFIC || paused(en) & BIT(prio))
				ethtool_sprintf(data, "%s_prio%u_%s", dir, prio, name);
		}
		for (j = 0; en->core->caps.sbcam_reg && j < CXR_TC_COUNTERS; j++)
			ethtool_sprintf(data, "rx_prio%u_%s", prio, cxr_tc_counter_name(j));
	}
	for (i = CXR_PRIO_TRAFFIC; has_global_pause(en) && i < CXR_PRIO_OWN; i++) {
		name = cxr_prio_counter_name(i, &dir);
		ethtool_sprintf(data, "%s_global_%s", dir, name);
	}
	for (i = CXR_PRIO_OWN; en->dcb.support.stall && i < CXR_PRIO_COUNTERS; i++) {
		name = cxr_prio_counter_name(i, &dir);
		ethtool_sprintf(data, "%s_%s", dir, name);
	}
}

/* Counters that the device does not let us read are 0. */
static u64 *write_prio_stats(u64 *data, struct cxr_en *en)
{
	const size_t traffic = CXR_PRIO_TRAFFIC, own = CXR_PRIO_OWN, all = CXR_PRIO_COUNTERS;
	u64 port[CXR_PRIO_COUNTERS] = {};
	unsigned int prio;
	size_t n;

	for (prio = 0; prio < CXR_PRIOS; prio++) {
		u64 values[CXR_PRIO_COUNTERS] = {};
		u64 classes[CXR_TC_COUNTERS] = {};

		cxr_cmd_query_prio_counters(en->core, prio, values);
		if (!prio)
			memcpy(port, values, sizeof(port));
		n = paused(en) & BIT(prio) ? own : traffic;
		memcpy(data, values, n * sizeof(*data));
		data += n;
		if (!en->core->caps.sbcam_reg)
			continue;
		cxr_cmd_query_tc_counters(en->core, prio, classes);
		memcpy(data, classes, sizeof(classes));
		data += CXR_TC_COUNTERS;
	}
	if (has_global_pause(en)) {
		memcpy(data, port + traffic, (own - traffic) * sizeof(*data));
		data += own - traffic;
	}
	if (en->dcb.support.stall) {
		memcpy(data, port + own, (all - own) * sizeof(*data));
		data += all - own;
	}
	return data;
}

/* ---- what goes wrong in the device -------------------------------------- */

static bool shows_vnic(const struct cxr_en *en, enum cxr_vnic_counter counter)
{
	return cxr_vnic_counter_shown(counter) && en->core->caps.vnic_counters & BIT(counter);
}

static unsigned int vnic_count(const struct cxr_en *en)
{
	enum cxr_vnic_counter i;
	unsigned int n = 0;

	for (i = 0; i < CXR_VNIC_COUNTERS; i++)
		n += shows_vnic(en, i);
	return n;
}

static void vnic_strings(const struct cxr_en *en, u8 **data)
{
	enum cxr_vnic_counter i;

	for (i = 0; i < CXR_VNIC_COUNTERS; i++)
		if (shows_vnic(en, i))
			cxr_ethtool_puts(data, cxr_vnic_counter_shown(i));
}

/* If the device does not respond, they are 0. */
static u64 *write_vnic_stats(u64 *data, struct cxr_en *en)
{
	u64 values[CXR_VNIC_COUNTERS] = {};
	enum cxr_vnic_counter i;

	if (vnic_count(en))
		cxr_cmd_query_vnic_env(en->core, values);
	for (i = 0; i < CXR_VNIC_COUNTERS; i++)
		if (shows_vnic(en, i))
			*data++ = values[i];
	return data;
}

/* ---- the port ----------------------------------------------------------- */

static unsigned int phy_count(const struct cxr_en *en)
{
	return en->fec_support.counts ? CXR_PHY_SHOWN : CXR_PHY_ALWAYS;
}

static void phy_strings(const struct cxr_en *en, u8 **data)
{
	enum cxr_phy_counter i;

	for (i = 0; i < phy_count(en); i++)
		cxr_ethtool_puts(data, cxr_phy_counter_name(i));
}

/* Counters of groups that the device does not let us read are 0. */
static u64 *write_phy_stats(u64 *data, struct cxr_en *en)
{
	u64 values[CXR_PHY_COUNTERS] = {};
	enum cxr_phy_group group;

	for (group = 0; group < CXR_PHY_GROUPS; group++)
		if (group != CXR_PHY_STATISTICAL || en->fec_support.counts)
			cxr_cmd_query_phy_counters(en->core, group, values);
	memcpy(data, values, phy_count(en) * sizeof(*data));
	return data + phy_count(en);
}

/* ---- all ---------------------------------------------------------------- */

int cxr_en_get_sset_count(struct net_device *ndev, int sset)
{
	struct cxr_en *en = netdev_priv(ndev);

	if (sset == ETH_SS_TEST)
		return cxr_en_selftest_count(en);
	if (sset != ETH_SS_STATS)
		return -EOPNOTSUPP;

	/* the firmware may have changed it; strings and values are then of what is read here */
	if (!en->kept)
		cxr_en_read_flow_control(en);
	return 2 * CXR_VPORT_COUNTERS + 1 + vnic_count(en) + ARRAY_SIZE(xdp_stats) +
	       phy_count(en) + prio_count(en) +
	       page_pool_ethtool_stats_get_count() +
	       ndev->num_rx_queues * RX_STATS + txqs_seen(en) * TX_STATS;
}

void cxr_en_get_strings(struct net_device *ndev, u32 sset, u8 *data)
{
	const char *dir, *kind;
	unsigned int i, j;

	if (sset == ETH_SS_TEST)
		cxr_en_selftest_strings(netdev_priv(ndev), data);
	if (sset != ETH_SS_STATS)
		return;

	for (i = 0; i < CXR_VPORT_COUNTERS; i++) {
		kind = cxr_vport_counter_name(i, &dir);
		ethtool_sprintf(&data, "%s_vport_%s_packets", dir, kind);
		ethtool_sprintf(&data, "%s_vport_%s_bytes", dir, kind);
	}
	cxr_ethtool_puts(&data, "rx_out_of_buffer");
	vnic_strings(netdev_priv(ndev), &data);
	for (i = 0; i < ARRAY_SIZE(xdp_stats); i++)
		cxr_ethtool_puts(&data, xdp_stats[i].name);
	phy_strings(netdev_priv(ndev), &data);
	prio_strings(netdev_priv(ndev), &data);
	data = page_pool_ethtool_stats_get_strings(data);
	for (i = 0; i < ndev->num_rx_queues; i++)
		for (j = 0; j < ARRAY_SIZE(queue_stats); j++)
			if (queue_stats[j].rx)
				ethtool_sprintf(&data, "rx%u_%s", i, queue_stats[j].rx);
	for (i = 0; i < txqs_seen(netdev_priv(ndev)); i++)
		for (j = 0; j < ARRAY_SIZE(queue_stats); j++)
			if (queue_stats[j].tx)
				ethtool_sprintf(&data, "tx%u_%s", i, queue_stats[j].tx);
}

static u64 *write_queue_stats(u64 *data, const struct cxr_en_stats *stats, bool tx)
{
	struct queue_counts counts;
	unsigned int i;

	read_queue(stats, &counts);
	for (i = 0; i < ARRAY_SIZE(queue_stats); i++)
		if (tx ? queue_stats[i].tx : queue_stats[i].rx)
			*data++ = *(u64 *)((u8 *)&counts + queue_stats[i].offset);
	return data;
}

static u64 *write_xdp_stats(u64 *data, const struct cxr_en *en)
{
	struct xdp_counts rx = {}, tx = {};
	unsigned int i;

	read_xdp(en, &rx, &tx);
	for (i = 0; i < ARRAY_SIZE(xdp_stats); i++)
		*data++ = *(u64 *)((u8 *)(xdp_stats[i].tx ? &tx : &rx) + xdp_stats[i].offset);
	return data;
}

void cxr_en_get_ethtool_stats(struct net_device *ndev, struct ethtool_stats *stats, u64 *data)
{
	struct cxr_en *en = netdev_priv(ndev);
	struct cxr_traffic vport[CXR_VPORT_COUNTERS];
	unsigned int i;

	read_device(en, vport);
	for (i = 0; i < CXR_VPORT_COUNTERS; i++) {
		*data++ = vport[i].packets;
		*data++ = vport[i].bytes;
	}
	*data++ = shown(en, CXR_EN_RX_OUT_OF_BUFFER);
	data = write_vnic_stats(data, en);
	data = write_xdp_stats(data, en);
	data = write_phy_stats(data, en);
	data = write_prio_stats(data, en);
	data = write_pool_stats(en, data);
	for (i = 0; i < ndev->num_rx_queues; i++)
		data = write_queue_stats(data, &en->rx_stats[i], false);
	for (i = 0; i < txqs_seen(en); i++)
		data = write_queue_stats(data, &en->tx_stats[i], true);
}
