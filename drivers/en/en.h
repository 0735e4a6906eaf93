/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * cxr_en: the netdev of a port.
 *
 * struct cxr_en is the netdev's private part and lives as long as it. A channel is one completion
 * vector with everything on it: an RQ, an SQ, their two CQs and the NAPI context that polls both.
 * The table below says what exists when.
 *
 *	probe .. remove		PD, transport domain, mkey, TIS, UAR	stage base
 *	up (ndo_open .. stop)	channels				cxr_en_open_channels()
 *				RQT, TIRs, flow tables			cxr_en_steer_create()
 *
 * Whatever changes a queue (MTU, ring sizes, number of channels, an error) closes all of it and
 * opens it anew: cxr_en_reconfigure(). There is one such path, and it is walked often.
 *
 * Locks: RTNL > en->lock. RTNL serializes open, stop and reconfiguration; en->lock lets the works,
 * which run without RTNL, see the steering and the vport in a state that does not change under
 * them.
 */
#ifndef CXR_EN_H
#define CXR_EN_H

#include <linux/etherdevice.h>
#include <linux/netdevice.h>
#include <linux/u64_stats_sync.h>
#include <linux/workqueue.h>

#include "cxr/cxr.h"
#include "cxr/cmd.h"
#include "cxr/stage.h"
#include "../codec/cqe.h"
#include "../codec/wqe.h"

struct ethtool_stats;
struct page_pool;

#define CXR_EN_CHANNELS_MAX	8
#define CXR_EN_LOG_RING_MIN	6
#define CXR_EN_LOG_RING_MAX	13
#define CXR_EN_LOG_RING_DEFAULT	10
#define CXR_EN_RX_PAGES_MAX	4	/* scatter entries of a receive WQE, a page each */
#define CXR_EN_RX_COPY		256	/* shorter packets are copied, of longer ones the headers */
#define CXR_EN_INLINE_MAX	256	/* headers in a send WQE */
/* what a frame has beside its MTU */
#define CXR_EN_OVERHEAD		(ETH_HLEN + 2 * VLAN_HLEN)
#define CXR_EN_HASH_KEY		40
#define CXR_EN_TIRS		(CXR_TIR_IPV6_UDP + 1)
#define CXR_EN_MACS		256	/* flow table entries for exact MAC addresses */
#define CXR_EN_LOG_MACS		ilog2(CXR_EN_MACS)

/* What the device counts as inline modes: how much of a packet must stand in the send WQE. */
enum cxr_en_inline {
	CXR_EN_INLINE_NONE,
	CXR_EN_INLINE_L2,
	CXR_EN_INLINE_IP,
	CXR_EN_INLINE_TCP_UDP,
};

/* Of one direction of one channel; counted for the life of the netdev. */
struct cxr_en_stats {
	struct u64_stats_sync sync;
	u64_stats_t packets;
	u64_stats_t bytes;
	u64_stats_t dropped;
	u64_stats_t csum;	/* rx: verified by the device; tx: left to it */
	u64_stats_t stops;	/* tx: queue full; rx: no page to be had */
	atomic_long_t errors;	/* error completions: NAPI's; the rest of tx is the sender's */
};

struct cxr_en_cq {
	struct cxr_cq cq;
	struct cxr_en_channel *ch;
	struct cxr_buf buf;
	struct cxr_db db;
	u32 ci;
	u8 log_size;
	u8 arm_sn;		/* counts the events of the CQ; the device compares two bits */
};

/* A packet in the SQ, at the index of its first 64-byte block. */
struct cxr_en_tx_info {
	struct sk_buff *skb;
	u32 bytes;		/* on the wire, as told to BQL */
	u8 blocks;
	u8 maps;		/* entries of the map ring */
};

struct cxr_en_tx_map {
	dma_addr_t addr;
	u32 len;
	bool single;		/* dma_map_single(), else a page */
};

struct cxr_en_sq {
	/* the sender's, under the tx queue's lock */
	u16 pc;			/* in 64-byte blocks, as is cc */
	u32 map_pc;
	u16 rung;		/* pc that the device was told */
	void *last;		/* control segment of the last WQE */
	u16 mask;
	u16 stop_room;		/* blocks that the largest packet may need */
	u8 max_ds;
	u32 sqn;
	__be32 mkey;
	struct cxr_uar *uar;
	struct cxr_en_tx_info *info;
	struct cxr_en_tx_map *map;
	u32 map_mask;
	struct netdev_queue *txq;
	struct cxr_en_stats *stats;
	struct cxr_en *en;
	struct cxr_buf buf;
	struct cxr_db db;
	u8 log_size;

	/* NAPI's */
	u16 cc ____cacheline_aligned_in_smp;
	u32 map_cc;
	bool failed;		/* an error was seen: stopped until the queue is made anew */
	struct cxr_en_cq cq;
};

struct cxr_en_rq {
	struct page_pool *pool;
	struct page **pages;	/* n_pages per WQE; NULL: handed to the stack, to be filled again */
	u8 n_pages;
	u8 log_stride;
	u8 log_size;
	bool failed;
	u16 pc, cc;		/* in WQEs */
	u16 mask;
	u32 rqn;
	struct cxr_en_stats *stats;
	struct cxr_en *en;
	struct cxr_buf buf;
	struct cxr_db db;
	struct cxr_en_cq cq;
};

struct cxr_en_channel {
	struct cxr_en *en;
	struct napi_struct napi;
	unsigned int index;
	struct cxr_en_rq rq;
	struct cxr_en_sq sq;
};

struct cxr_en_mac {
	u8 addr[ETH_ALEN];
	bool used;		/* stands in the flow table */
	bool wanted;		/* by the rx mode that is being applied */
};

#define CXR_EN_GROUPS 3

struct cxr_en_table {
	bool created;
	u32 id;
	u32 group[CXR_EN_GROUPS];
	unsigned int n_groups;
};

/* Receive steering, while up: MAC table -> class table -> TIR -> (RQT) -> RQ. */
struct cxr_en_steer {
	bool active;
	bool rqt;		/* exists */
	u32 rqtn;
	u32 tirn[CXR_EN_TIRS];
	unsigned int n_tirs;	/* that exist; the first is direct */
	struct cxr_en_table classes;
	unsigned int n_classes;	/* entries that stand */
	struct cxr_en_table macs;
	struct cxr_en_mac mac[CXR_EN_MACS];
	bool promisc, allmulti;	/* the entry stands */
};

struct cxr_en_config {
	unsigned int channels;
	u8 log_sq, log_rq;
	u16 mtu;
	bool vlan_strip;
};

struct cxr_en {
	struct cxr_core *core;
	struct cxr_stages stages;
	struct net_device *ndev;
	u32 pdn, tdn, mkey, tisn;
	struct cxr_uar *uar;
	u8 inline_mode;		/* enum cxr_en_inline */
	u8 hash_key[CXR_EN_HASH_KEY];
	struct cxr_en_config config;
	struct cxr_en_channel *channels[CXR_EN_CHANNELS_MAX];
	unsigned int n_channels;	/* open */

	struct mutex lock;		/* guards steer and the vport's state */
	struct cxr_en_steer steer;

	struct workqueue_struct *wq;	/* ordered */
	struct work_struct rx_mode_work;
	struct work_struct link_work;
	struct delayed_work restart_work;
	unsigned long restarted;	/* jiffies of the last restart */

	struct cxr_en_stats rx_stats[CXR_EN_CHANNELS_MAX];
	struct cxr_en_stats tx_stats[CXR_EN_CHANNELS_MAX];
};

/* main.c */
/* Opens with @config in place of what runs; on failure the old one is brought back. RTNL held. */
int cxr_en_reconfigure(struct cxr_en *en, const struct cxr_en_config *config);

/* cq.c */
#define CXR_EN_RESTART_GAP	HZ	/* restarts are at least this far apart */
/* An error made a queue unusable: report it and make all of them anew, soon. Any context. */
void cxr_en_schedule_restart(struct cxr_en *en, const char *why, u32 num, const char *what);
/* @period in us and @count: interrupt moderation, if the device has it. */
int cxr_en_cq_create(struct cxr_en_channel *ch, struct cxr_en_cq *cq, u8 log_size, u16 period,
		     u16 count);
void cxr_en_cq_destroy(struct cxr_en_cq *cq);
/* The next entry that the device wrote, or NULL. It stays valid until cxr_en_cq_update(). */
struct prm_cqe64 *cxr_en_cq_next(struct cxr_en_cq *cq);
/* Gives the entries that were taken back to the device. */
void cxr_en_cq_update(struct cxr_en_cq *cq);
void cxr_en_cq_arm(struct cxr_en_cq *cq);

/* ring.c */
/*
 * All channels of @config, receiving as soon as something is steered to them; tx queues stay
 * stopped. RTNL held.
 */
int cxr_en_open_channels(struct cxr_en *en, const struct cxr_en_config *config);
/* Nothing is steered to the channels any more. RTNL held. */
void cxr_en_close_channels(struct cxr_en *en);

/* rx.c */
u8 cxr_en_rx_pages(u16 mtu);
/* The pool and the page table; the ring is filled later. 0 or -ENOMEM. */
int cxr_en_rx_alloc(struct cxr_en_rq *rq, struct device *dev, int node);
/* The RQ is gone: the device writes no more. */
void cxr_en_rx_free(struct cxr_en_rq *rq);
/* Gives the device what it can take. false: there was no memory, call again. */
bool cxr_en_rx_fill(struct cxr_en_rq *rq);
/* Returns the number of packets, at most @budget. */
int cxr_en_rx_poll(struct cxr_en_rq *rq, struct napi_struct *napi, int budget);

/* tx.c */
netdev_tx_t cxr_en_start_xmit(struct sk_buff *skb, struct net_device *ndev);
netdev_features_t cxr_en_features_check(struct sk_buff *skb, struct net_device *ndev,
					netdev_features_t features);
u16 cxr_en_tx_max_blocks(const struct cxr_core *core, u8 *max_ds);
/* true: there is more to do. */
bool cxr_en_tx_poll(struct cxr_en_sq *sq, int budget);
/* Frees what the device did not send. The SQ is gone, senders and NAPI are off. */
void cxr_en_tx_flush(struct cxr_en_sq *sq);

/* rss.c: RQT and TIRs */
/*
 * tirn[CXR_TIR_NO_HASH] goes to the first channel. The others spread by hash; if the device cannot,
 * they are not created, and n_tirs says so. en->lock held.
 */
int cxr_en_rss_create(struct cxr_en *en);
void cxr_en_rss_destroy(struct cxr_en *en);

/* steer.c */
/* Receiving begins. The channels are open; en->lock held. */
int cxr_en_steer_create(struct cxr_en *en);
/* Receiving ends; also undoes half of a creation. en->lock held. */
void cxr_en_steer_destroy(struct cxr_en *en);
/* Makes the device take what the netdev's flags and lists say. May sleep; takes en->lock. */
void cxr_en_apply_rx_mode(struct cxr_en *en);

/* stats.c */
void cxr_en_stats_init(struct cxr_en *en);
void cxr_en_get_stats64(struct net_device *ndev, struct rtnl_link_stats64 *stats);
int cxr_en_get_sset_count(struct net_device *ndev, int sset);
void cxr_en_get_strings(struct net_device *ndev, u32 sset, u8 *data);
void cxr_en_get_ethtool_stats(struct net_device *ndev, struct ethtool_stats *stats, u64 *data);

/* ethtool.c */
extern const struct ethtool_ops cxr_en_ethtool_ops;

#endif
