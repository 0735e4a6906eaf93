/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* What the netdev counts, and counters of the device that it shows (stats.c). */
#ifndef CXR_EN_STATS_H
#define CXR_EN_STATS_H

#include <linux/atomic.h>
#include <linux/u64_stats_sync.h>

struct cxr_en;
struct ethtool_stats;
struct net_device;
struct netdev_stat_ops;
struct page_pool;
struct rtnl_link_stats64;

/* One direction of a channel; kept for the lifetime of the netdev. */
struct cxr_en_stats {
	struct u64_stats_sync sync;
	u64_stats_t packets;
	u64_stats_t bytes;
	u64_stats_t dropped;
	u64_stats_t csum;	/* rx: verified by the device; tx: computed by it */
	u64_stats_t special;	/* rx: summed by the device, not verified; tx: segmented by it */
	u64_stats_t stops;	/* tx: queue full; rx: no page available */
	u64_stats_t inner_csum;	/* as csum, in a tunnel; that does not count these */
	u64_stats_t inner_tso;	/* tx: segmented by the device, in a tunnel */
	u64_stats_t zip_blocks, zip_packets;	/* rx: compressed completions, their packets */
	/* counted by NAPI, also those of tx */
	atomic_long_t errors;	/* error completions */
	atomic_long_t stamps;	/* tx: packets whose sender got a timestamp */
};

/*
 * XDP of a channel: what became of packets that it received, counted by NAPI, or packets that were
 * redirected to the interface, counted under the lock of the SQ. Kept as the others.
 */
struct cxr_en_xdp_stats {
	struct u64_stats_sync sync;
	u64_stats_t drop, redirect;	/* of received packets only */
	u64_stats_t xmit, bytes;	/* sent */
	u64_stats_t full;		/* not sent, for want of room */
	u64_stats_t err;		/* not sent: too long, no headroom, no memory */
};

static inline void cxr_en_xdp_count(struct cxr_en_xdp_stats *stats, u64_stats_t *which, u32 n)
{
	u64_stats_update_begin(&stats->sync);
	u64_stats_add(which, n);
	u64_stats_update_end(&stats->sync);
}

/* Of the device, in the statistics of the interface. */
enum cxr_en_device_counter {
	CXR_EN_RX_OUT_OF_BUFFER,	/* of the counter set */
	CXR_EN_RX_MULTICAST,		/* of the vport */
	CXR_EN_RX_NO_ROOM,		/* of the vNIC: too long for a receive WQE */
	CXR_EN_RX_LENGTH,		/* of the port, as all below: a wrong length, or too long */
	CXR_EN_RX_CRC,
	CXR_EN_RX_ALIGNMENT,
	CXR_EN_TX_DISCARDS,
	CXR_EN_DEVICE_COUNTERS
};

/* A counter of the device, which a reset sets to 0; what the netdev shows goes on. */
struct cxr_en_counter {
	u64 device;		/* as last read; cxr_en.lock, also over the reading */
	atomic64_t shown;
};

void cxr_en_stats_init(struct cxr_en *en);
/* Keeps the statistics of @pool, which is about to be destroyed. RTNL held. */
void cxr_en_keep_pool_stats(struct cxr_en *en, struct page_pool *pool);
/* Reads counters of the device. May sleep. */
void cxr_en_read_stats(struct cxr_en *en);
/* Must not sleep: what the device counts is that of the last call, and stats_work is queued. */
void cxr_en_get_stats64(struct net_device *ndev, struct rtnl_link_stats64 *stats);
extern const struct netdev_stat_ops cxr_en_stat_ops;	/* of queues, by netlink */
int cxr_en_get_sset_count(struct net_device *ndev, int sset);
void cxr_en_get_strings(struct net_device *ndev, u32 sset, u8 *data);
void cxr_en_get_ethtool_stats(struct net_device *ndev, struct ethtool_stats *stats, u64 *data);

#endif
