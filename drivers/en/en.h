/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * cxr_en: the netdev of a port.
 *
 * struct cxr_en is the private part of the netdev. A channel is a completion vector with its RQ, an
 * SQ of each traffic class, SQ of XDP, their CQs, and the NAPI context that polls all. What exists
 * when:
 *
 *	probe .. remove		PD, transport domain, mkey, TISes, UAR,	stage base
 *				counter set
 *	up (ndo_open .. stop)	channels				cxr_en_open_channels()
 *				RQT, TIRs, flow tables			cxr_en_steer_create()
 *
 * A change of the MTU, ring sizes or number of channels, and an error of a queue, close all
 * channels and open them again: cxr_en_reconfigure() is the only such path, and used often. RSS
 * changes in place (rss.c), and so does the interrupt moderation, also from works of the DIM
 * library, which run without locks and end before their CQ (coalesce.c).
 *
 * A reset of the device destroys all of these but the netdev, and they are created again after it
 * (struct cxr_en.kept).
 *
 * Locks: RTNL > en->lock. RTNL serializes open, stop and reconfiguration; en->lock protects the
 * steering and the vport from works, which run without RTNL. cxr_en_sq.lock is for senders of XDP,
 * who have bottom halves disabled; no other lock is taken under it.
 */
#ifndef CXR_EN_H
#define CXR_EN_H

#include <linux/dim.h>
#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/if_vlan.h>
#include <linux/net_tstamp.h>
#include <linux/netdevice.h>
#include <linux/workqueue.h>
#include <net/udp_tunnel.h>
#include <net/xdp.h>
#include CXR_PAGE_POOL_H

#include "cxr/cxr.h"
#include "cxr/cmd.h"
#include "cxr/stage.h"
#include "cxr/steering.h"
#include "../codec/cqe.h"
#include "../codec/wqe.h"
#include "../policy/rx.h"
#include "dcb.h"
#include "stats.h"

struct devlink_health_reporter;
struct devlink_port;
struct kernel_ethtool_coalesce;
struct netlink_ext_ack;

#define CXR_EN_CHANNELS_MAX	64
#define CXR_EN_LOG_RING_MIN	6
#define CXR_EN_LOG_RING_MAX	13
#define CXR_EN_LOG_RING_DEFAULT	10
#define CXR_EN_RX_BUFS_MAX	4	/* scatter entries of a receive WQE, a buffer each */
#define CXR_EN_LOG_CQE		6
#define CXR_EN_INLINE_MAX	256	/* headers in a send WQE */
/* of a frame, beyond the MTU */
#define CXR_EN_OVERHEAD		(ETH_HLEN + 2 * VLAN_HLEN)
#define CXR_EN_HASH_KEY		40
#define CXR_EN_RSS_TABLE	128	/* entries, at most */
#define CXR_EN_MACS		CXR_MACS_MAX	/* flow table entries for exact addresses */
#define CXR_EN_LOG_MACS		ilog2(CXR_EN_MACS)
#define CXR_EN_LOG_MAC_TABLE	(CXR_EN_LOG_MACS + 1)	/* and for those that match more */

/* Inline modes of the device: which headers have to be in the send WQE. */
enum cxr_en_inline {
	CXR_EN_INLINE_NONE,	/* as cxr_cmd_query_min_inline() has them */
	CXR_EN_INLINE_L2,
	CXR_EN_INLINE_IP,
	CXR_EN_INLINE_TCP_UDP,
};

/* Health reporters of devlink (reporter.c). */
enum cxr_en_reporter { CXR_EN_TX, CXR_EN_RX, CXR_EN_REPORTERS };

/* By kind of packet; all but the first spread over the channels. */
enum cxr_en_tir {
	CXR_EN_TIR_DIRECT,
	CXR_EN_TIR_IPV4,
	CXR_EN_TIR_IPV6,
	CXR_EN_TIR_IPV4_TCP,
	CXR_EN_TIR_IPV4_UDP,
	CXR_EN_TIR_IPV6_TCP,
	CXR_EN_TIR_IPV6_UDP,
	CXR_EN_TIRS
};

struct cxr_en_cq {
	struct cxr_cq cq;
	struct cxr_en_channel *ch;
	struct cxr_buf buf;
	struct cxr_db db;
	u32 ci;
	u8 log_size;
	bool tx;
	u16 events;		/* by the interrupt; arming tells two bits of their number */
	bool adaptive;		/* DIM changes the moderation; NAPI samples */
	struct dim dim;
};

struct cxr_en_moderation {
	u16 usecs;		/* 0: no moderation, whatever @frames is */
	u16 frames;		/* 0: any number */
	bool adaptive;
};

/* A packet in the SQ, at the index of its first 64-byte block. */
struct cxr_en_tx_info {
	union {
		struct sk_buff *skb;
		struct xdp_frame *xdpf;	/* in an SQ of XDP */
	};
	u32 bytes;		/* on the wire, as reported to BQL */
	u8 blocks;
	u8 maps;		/* entries of the map ring */
	bool own;		/* xdpf is of the page pool of the same channel */
	bool stamp;		/* the sender wants the time of the completion */
};

struct cxr_en_tx_map {
	dma_addr_t addr;
	u32 len;
	bool single;		/* dma_map_single(), else a page */
};

struct cxr_en_sq {
	spinlock_t lock;	/* the sender's, of an SQ of XDP */
	/* sender, under the lock of the tx queue, or under @lock */
	u16 pc;			/* in 64-byte blocks, as is cc */
	u32 map_pc;
	u16 rung;		/* pc at the last doorbell */
	void *last;		/* control segment of the last WQE */
	u16 mask;
	u16 stop_room;		/* blocks that the largest packet may need */
	u8 max_ds;
	u8 inline_mode;		/* enum cxr_en_inline */
	u16 max_frame;		/* of XDP; the stack knows the MTU */
	u32 sqn;
	struct cxr_uar *uar;
	struct cxr_en_tx_info *info;
	struct cxr_en_tx_map *map;
	u32 map_mask;
	struct netdev_queue *txq;	/* NULL: an SQ of XDP */
	struct cxr_en_stats *stats;
	struct cxr_en *en;
	struct cxr_buf buf;
	struct cxr_db db;
	u8 log_size;
	u16 rate;		/* of packet pacing; 0: none */

	/* NAPI */
	u16 cc ____cacheline_aligned_in_smp;
	u32 map_cc;
	bool failed;		/* stopped until the queue is restarted */
	struct cxr_en_cq cq;
};

/* A buffer of the device, until it is passed to the stack. */
struct cxr_en_rx_buf {
	struct page *page;	/* NULL: passed to the stack, to be refilled */
	u32 offset;		/* of the buffer in the page */
};

struct cxr_en_rq {
	struct page_pool *pool;
	struct cxr_en_rx_buf part;	/* the next one of the page that has some left; or NULL */
	struct xdp_rxq_info xdp_rxq;
	struct cxr_en_rx_buf *bufs;	/* layout.n per WQE */
	struct cxr_rx_layout layout;
	u16 head;		/* of a first buffer, before the packet */
	u8 log_stride;
	u8 log_size;
	bool failed;
	bool zip;		/* the device may compress completions */
	bool xdp;		/* buffers are such that an XDP program may run */
	bool xdp_sent, xdp_redirected;	/* in this poll */
	bool undead;		/* the device, which keeps it, may write to its buffers */
	u16 pc, cc;		/* in WQEs */
	u16 mask;
	u32 rqn;
	struct cxr_en_stats *stats;
	struct cxr_en_xdp_stats *xdp_stats;
	struct cxr_en *en;
	struct cxr_buf buf;
	struct cxr_db db;
	struct cxr_en_cq cq;
	struct cxr_cqe_session session;	/* of compressed completions that NAPI has not done yet */
};

/* A packet that a program sees, and what it may ask about it (xdp.c). */
struct cxr_en_xdp_buff {
	struct xdp_buff xdp;	/* first: the program has its address */
	const struct cxr_en_rq *rq;
	const struct cxr_cqe *cqe;
	u64 stamp;		/* of the device's counter */
};

struct cxr_en_channel {
	struct cxr_en *en;
	struct napi_struct napi;
	const struct cpumask *cpus;	/* where its interrupt is, as long as there is one */
	unsigned int index;
	struct cxr_en_rq rq;
	unsigned int n_sqs;	/* open ones */
	struct cxr_en_sq sq[CXR_TCS];	/* by traffic class */
	struct cxr_en_sq xdp_sq;
};

struct cxr_en_mac {
	u8 addr[ETH_ALEN];
	bool used;		/* has an entry in the flow table */
	bool wanted;		/* in the rx mode that is being applied */
	bool l2;		/* and is in the card's table of addresses */
};

/* As ethtool_rxfh_param and ethtool_rxfh_fields, where operations do not have them (compat.h). */
struct cxr_rxfh_param {
	u32 *indir;
	u8 *key;
	u8 hfunc;
};

struct cxr_rxfh_fields_param {
	u32 data;
	u32 flow_type;
	u32 rss_context;
};

/* What the device has of a hash. */
struct cxr_en_rss_objects {
	bool rqt;		/* exists */
	u32 rqtn;
	u32 tirn[CXR_EN_TIRS];
	unsigned int first, end;	/* TIRs that exist */
	u32 inner_tirn[CXR_EN_TIRS];	/* by what is in a tunnel */
	unsigned int inner_end;		/* they exist from CXR_EN_TIR_IPV4 on; 0: there are none */
};

#define CXR_EN_GROUPS 3

struct cxr_en_table {
	bool created;
	u32 id;
	u32 group[CXR_EN_GROUPS];
	unsigned int n_groups;
};

/*
 * Receive steering: (rules ->) MAC table -> class table (-> class table of what is in a tunnel) ->
 * TIR -> (RQT) -> RQ; under cxr_en.lock.
 */
struct cxr_en_steer {
	bool active;
	struct cxr_en_rss_objects rss;
	struct cxr_en_table classes, inner;
	unsigned int first_class, n_classes, n_inner;	/* entries of the class tables */
	struct cxr_en_table macs;
	struct cxr_en_mac mac[CXR_EN_MACS];
	u32 rules;		/* the table of ntuple.c; 0: there is none */
	bool promisc, allmulti;	/* have an entry in the MAC table */
};

struct cxr_en_config {
	unsigned int channels;
	u8 log_sq, log_rq;
	u16 mtu;
	bool vlan_strip;
	bool rx_zip;		/* the device may compress completions of received packets */
	bool xdp;		/* there is a program */
	u8 tcs;			/* traffic classes, each with a tx queue for each channel */
	u8 n_groups;		/* of tx queues, which have a class of the stack each; 0: none */
	struct netdev_tc_txq groups[CXR_TCS];
	u8 inline_mode;		/* enum cxr_en_inline */
	struct cxr_en_moderation rx_moderation, tx_moderation;	/* if the device has it */
};

/* What users choose of RSS. */
struct cxr_en_rss {
	u8 key[CXR_EN_HASH_KEY];
	bool xor8;		/* instead of Toeplitz */
	bool symmetric;		/* Toeplitz does not tell the directions of a flow apart */
	u8 fields[CXR_EN_TIRS];	/* enum cxr_hash: addresses and ports */
	/* channels; that of the netdev is valid if netif_is_rxfh_configured() */
	u16 table[CXR_EN_RSS_TABLE];
};

/* What a user has set; no protocols: nothing. */
struct cxr_en_link {
	u32 protos;
	bool ext;		/* their numbering (codec/link.h) */
	bool autoneg;
};

struct cxr_en {
	struct cxr_core *core;
	struct cxr_stages stages;
	struct net_device *ndev;
	struct device *device;		/* auxiliary */
	/*
	 * The device is about to be reset: the netdev is detached, and stays when the stages go
	 * down. No command may be issued but to close channels. Written under RTNL
	 */
	bool kept;
	u32 pdn, tdn, mkey;
	u32 tisn[CXR_TCS];	/* by priority */
	u32 q_counter;		/* counter set of the RQs; 0: none */
	struct cxr_uar *uar;
	u8 device_inline;	/* enum cxr_en_inline: with priorities by VLAN tag */
	u8 log_ring_max;	/* entries of a ring, CXR_EN_LOG_RING_MIN.. */
	/* config, rss, dcb, channels and n_channels change under RTNL */
	struct cxr_en_config config;
	DECLARE_BITMAP(svlans, VLAN_N_VID);	/* 802.1ad VLANs of the netdev; RTNL */
	struct cxr_en_rss rss;
	struct cxr_en_link link;
	struct cxr_fec_support fec_support;
	u32 fec;			/* ETHTOOL_FEC_* that a user has set; 0: none */
	struct list_head contexts;	/* of RSS (rss_context.c); RTNL */
	struct list_head rules;		/* of ethtool -N, by location (ntuple.c); RTNL */
	unsigned int n_rules;
	bool stamp_rx, stamp_tx;	/* packets get timestamps; READ_ONCE() */
	bool beacon;			/* the LED shall tell which port this is */
	bool beacon_set;		/* so the device was told last */
	struct cxr_en_dcb dcb;
	struct cxr_en_ecn *ecn;		/* NULL: no files */
	struct cxr_en_channel *channels[CXR_EN_CHANNELS_MAX];
	unsigned int n_channels;	/* open ones */
	/* by tx queue: of a class, those of all channels; NULL: it is not open */
	struct cxr_en_sq *sqs[CXR_EN_CHANNELS_MAX * CXR_TCS];
	unsigned int tcs_seen;		/* as many classes as there have been at once; RTNL */
	unsigned int xps_channels;	/* for how many XPS was set last; RTNL */
	/* channels << 8 | classes of mode dcb, 0: there are none; for cxr_en_select_queue() */
	u32 select;
	bool xdp_open;			/* cxr_en_xdp_xmit() may use the channels */
	struct bpf_prog __rcu *xdp_prog;	/* with a reference; RTNL to change it */

	struct mutex lock;		/* the state of the vport */
	struct cxr_en_steer steer __guarded_by(&lock);
	/* queries of the link's state that have been refused since the last one that was not */
	unsigned int link_tries __guarded_by(&lock);

	struct workqueue_struct *wq;	/* ordered */
	struct work_struct rx_mode_work;
	struct delayed_work link_work;
	struct work_struct stats_work;
	struct delayed_work report_work;
	unsigned int generation;	/* of the queues; RTNL */
	unsigned long failed;		/* BIT(enum cxr_en_reporter): to be reported; atomic */
	unsigned long restarted;	/* jiffies of the last restart after an error */
	struct udp_tunnel_nic_info tunnel_info;
	u16 vxlan_ports[CXR_VXLAN_PORTS];	/* that the device knows, 0: none; READ_ONCE() */
	struct devlink_port *port;	/* private part of its devlink instance */
	struct devlink_health_reporter *reporter[CXR_EN_REPORTERS];

	struct cxr_en_stats rx_stats[CXR_EN_CHANNELS_MAX];
	struct cxr_en_stats tx_stats[CXR_EN_CHANNELS_MAX * CXR_TCS];	/* cxr_en_tx_stats() */
	struct cxr_en_xdp_stats xdp_rx_stats[CXR_EN_CHANNELS_MAX];
	struct cxr_en_xdp_stats xdp_tx_stats[CXR_EN_CHANNELS_MAX];
	/* of the device, as last read by stats_work */
	struct cxr_en_counter device_counters[CXR_EN_DEVICE_COUNTERS];
#ifdef CONFIG_PAGE_POOL_STATS
	struct page_pool_stats pool_stats;	/* of pools that are gone; under RTNL */
#endif
};

/* up.c */
/*
 * Restarts the queues with @config, or with the old one if that fails; the netdev has its MTU. RTNL
 * held.
 */
int cxr_en_reconfigure(struct cxr_en *en, const struct cxr_en_config *config);
/*
 * The queues of a netdev that was detached are open again, or, @err, @what could not be done. The
 * interface is closed then, unless the device has failed: it stays up, detached and without
 * channels, and is the user's as before when a reset has mended the device. RTNL held.
 */
void cxr_en_attach(struct cxr_en *en, const char *what, int err);
/* What the device has completion vectors for now; the netdev may have queues for more. */
unsigned int cxr_en_max_channels(const struct cxr_core *core);
/* There is neither a failure nor a reset of the device: commands may be issued. RTNL held. */
static inline bool cxr_en_usable(const struct cxr_en *en)
{
	return !en->kept && netif_device_present(en->ndev);
}

/* Operations of the netdev; RTNL held. */
int cxr_en_open(struct net_device *ndev);
int cxr_en_stop(struct net_device *ndev);
/* What cxr_en_stop() does if there are channels, or the netdev is not kept. RTNL held. */
void cxr_en_close(struct cxr_en *en);
/* Of link_work. */
void cxr_en_init_works(struct cxr_en *en);

/* devlink.c */
/* Stage: the devlink port, which the netdev has from its registration to the end. */
int cxr_en_devlink_up(void *owner);
void cxr_en_devlink_down(void *owner);
/* What cxr_en_devlink_down() does of a netdev that is not kept. */
void cxr_en_devlink_remove(struct cxr_en *en);
struct devlink_port *cxr_en_get_devlink_port(struct net_device *ndev);

/* reporter.c */
#define CXR_EN_RESTART_GAP	HZ	/* restarts after errors are at least this far apart */
void cxr_en_init_reports(struct cxr_en *en);
/* Of en->port; 0 or an error. Nothing is reported before, or after the end. */
int cxr_en_reporters_create(struct cxr_en *en);
void cxr_en_reporters_destroy(struct cxr_en *en);
/* There are new queues. */
void cxr_en_report_healthy(struct cxr_en *en);

/* cq.c */
/*
 * Logs the error @what of queue @why @num, and has it reported, after which devlink has all queues
 * restarted. Any context; not after en->wq is gone.
 */
void cxr_en_report(struct cxr_en *en, enum cxr_en_reporter which, const char *why, u32 num,
		   const char *what);
/* The queues whose errors are to be reported are closed. */
void cxr_en_cancel_reports(struct cxr_en *en);
/* @moderation is ignored if the device has none. */
int cxr_en_cq_create(struct cxr_en_channel *ch, struct cxr_en_cq *cq, u8 log_size, bool tx,
		     const struct cxr_en_moderation *moderation);
/* NAPI has been disabled, or was never enabled. */
void cxr_en_cq_destroy(struct cxr_en_cq *cq);
/* Entry @index, of those before and after a wrap. */
static inline struct prm_cqe64 *cxr_en_cq_entry(const struct cxr_en_cq *cq, u32 index)
{
	index &= (1U << cq->log_size) - 1;
	return cxr_buf_at(&cq->buf, (size_t)index << CXR_EN_LOG_CQE);
}

/* The next entry, or NULL. Valid until cxr_en_cq_update(). */
static inline struct prm_cqe64 *cxr_en_cq_next(struct cxr_en_cq *cq)
{
	struct prm_cqe64 *entry = cxr_en_cq_entry(cq, cq->ci);

	if (!cxr_cqe_sw_owned(READ_ONCE(entry->op_own), cq->ci, cq->log_size))
		return NULL;

	cq->ci++;
	dma_rmb();	/* the owner bit, then the rest of the entry */
	return entry;
}

/* Returns the consumed entries to the device. */
void cxr_en_cq_update(struct cxr_en_cq *cq);
void cxr_en_cq_arm(struct cxr_en_cq *cq);

/* coalesce.c */
/* What a new CQ has, and its DIM; it is sampled from the first poll on. */
void cxr_en_moderation_init(struct cxr_en_cq *cq, const struct cxr_en_moderation *moderation);
void cxr_en_moderation_values(bool tx, const struct cxr_en_moderation *moderation, u16 *period,
			      u16 *count);
/* Waits for the work of DIM, which uses the CQ. Nobody samples any more. */
void cxr_en_moderation_cancel(struct cxr_en_cq *cq);
/* From NAPI when it is complete. @stats: of the queue with @cq. */
void cxr_en_moderation_sample(struct cxr_en_cq *cq, const struct cxr_en_stats *stats);
int cxr_en_get_coalesce(struct net_device *ndev, struct ethtool_coalesce *coal,
			struct kernel_ethtool_coalesce *kernel_coal,
			struct netlink_ext_ack *extack);
int cxr_en_set_coalesce(struct net_device *ndev, struct ethtool_coalesce *coal,
			struct kernel_ethtool_coalesce *kernel_coal,
			struct netlink_ext_ack *extack);

/* The tx queue of a channel in a class. */
static inline unsigned int cxr_en_txq(const struct cxr_en_config *config, unsigned int channel,
				      unsigned int tc)
{
	return tc * config->channels + channel;
}

/*
 * They keep their place whatever number of channels there is, as with the in-tree driver; so does
 * their number in ethtool -S.
 */
static inline struct cxr_en_stats *cxr_en_tx_stats(struct cxr_en *en, unsigned int channel,
						   unsigned int tc)
{
	return &en->tx_stats[tc * en->ndev->num_rx_queues + channel];
}

/* Of an SQ of the stack's. */
static inline unsigned int cxr_en_txq_index(const struct cxr_en_sq *sq)
{
	return sq->txq - sq->en->ndev->_tx;
}

/* mqprio.c */
int cxr_en_setup_tc(struct net_device *ndev, enum tc_setup_type type, void *data);

/* classes.c */
/* The channels that the groups of mode channel take up. */
unsigned int cxr_en_channels_grouped(const struct cxr_en_config *config);
u16 cxr_en_select_queue(struct net_device *ndev, struct sk_buff *skb, struct net_device *sb_dev);
/*
 * Numbers of queues of the netdev, and its classes, as they are or will be opened with @config.
 * RTNL held, or the netdev is not registered.
 */
int cxr_en_set_queues(struct cxr_en *en, const struct cxr_en_config *config);
/* One class, and none of the stack. RTNL held. */
void cxr_en_forget_classes(struct cxr_en *en);

/* rate.c */
int cxr_en_set_tx_maxrate(struct net_device *ndev, int txq, u32 mbps);
/* A new SQ gets the rate of its tx queue; if that fails, the log says so. */
void cxr_en_open_rate(struct cxr_en_sq *sq);
/* It is destroyed in the device. */
void cxr_en_close_rate(struct cxr_en_sq *sq);

/* ring.c */
/*
 * Opens all channels of @config. They receive what is steered to them; tx queues stay stopped. RTNL
 * held.
 */
int cxr_en_open_channels(struct cxr_en *en, const struct cxr_en_config *config);
/* Nothing may be steered to the channels any more. RTNL held. */
void cxr_en_close_channels(struct cxr_en *en);

/* rx.c */
/* Sets the layout of buffers for packets of @mtu, and, @xdp, for programs. */
void cxr_en_rx_layout(struct cxr_en_rq *rq, u16 mtu, bool xdp);
/* The largest MTU that @n buffers allow, for a program or without one. */
u32 cxr_en_rx_max_mtu(unsigned int n, bool xdp);
/* Allocates the page pool and the array of buffers; the ring stays empty. 0 or an error. */
int cxr_en_rx_alloc(struct cxr_en_rq *rq, struct napi_struct *napi, int node);
/* The RQ must be destroyed before. */
void cxr_en_rx_free(struct cxr_en_rq *rq);
/* Refills the ring. False: out of memory, call again. */
bool cxr_en_rx_fill(struct cxr_en_rq *rq);
/* Returns the number of packets, at most @budget. */
int cxr_en_rx_poll(struct cxr_en_rq *rq, struct napi_struct *napi, int budget);

/* tx.c */
netdev_tx_t cxr_en_start_xmit(struct sk_buff *skb, struct net_device *ndev);
netdev_features_t cxr_en_features_check(struct sk_buff *skb, struct net_device *ndev,
					netdev_features_t features);

/* tunnel.c */
/* Stage: the UDP ports of VXLAN that the device knows. Those of users come by RTNL. */
int cxr_en_tunnel_up(void *owner);
void cxr_en_tunnel_down(void *owner);
/* After a reset: users' ports are told to the device again. RTNL held. */
void cxr_en_tunnel_restore(struct cxr_en *en);
/* Of a netdev that is not registered yet: adds to its features. */
void cxr_en_tunnel_set_features(struct cxr_en *en);
/* The features without those for which the device would have to know the tunnel of @skb. */
netdev_features_t cxr_en_tunnel_features(const struct cxr_en *en, struct sk_buff *skb,
					 netdev_features_t features);

/* sq.c */
u16 cxr_en_tx_max_blocks(const struct cxr_core *core, u8 *max_ds);
/* Unmaps what the sender has mapped since cxr_en_sq.map_pc was @start. */
void cxr_en_sq_unmap(struct cxr_en_sq *sq, u32 start);
/* True: there is more to do. */
bool cxr_en_tx_poll(struct cxr_en_sq *sq, int budget);
/* Frees packets that were not sent. The SQ is destroyed, senders and NAPI are stopped. */
void cxr_en_tx_flush(struct cxr_en_sq *sq);

/* xdp.c */
enum cxr_en_xdp_verdict {
	CXR_EN_XDP_PASS,	/* to the stack, as the program has left it */
	CXR_EN_XDP_DROPPED,	/* it is still the caller's */
	CXR_EN_XDP_TAKEN,	/* it will be freed elsewhere */
};

/* What programs that are made for this netdev may call. */
void cxr_en_xdp_set_metadata(struct net_device *ndev);
/*
 * Runs the program on a packet, of a struct cxr_en_xdp_buff, in NAPI. cxr_en_xdp_flush() is due at
 * the end of the poll.
 */
enum cxr_en_xdp_verdict cxr_en_xdp_run(struct cxr_en_rq *rq, struct bpf_prog *prog,
				       struct xdp_buff *xdp);
void cxr_en_xdp_flush(struct cxr_en_rq *rq);
/* ndo_xdp_xmit: the number of frames that were taken, of the first ones, or an error. */
int cxr_en_xdp_xmit(struct net_device *ndev, int n, struct xdp_frame **frames, u32 flags);

/* rss.c: RQT, TIRs, and operations of ethtool.c */
/* The default of en->rss, with a random key. */
void cxr_en_rss_init(struct cxr_en *en);
/* The TIR for an ethtool flow type; 0: there is none. */
enum cxr_en_tir cxr_en_rss_tir_of(u32 flow_type);
/* Flags of all TIRs of the netdev. */
static inline u32 cxr_en_tir_flags(const struct cxr_en *en)
{
	return cxr_caps_inner(&en->core->caps) ? CXR_TIR_TUNNELS : 0;
}

/* GRE and IP in IP are spread by what is in them; that takes one table more. */
static inline bool cxr_en_spreads_inner(const struct cxr_en *en)
{
	return cxr_caps_inner(&en->core->caps) &&
	       en->core->caps.ft_max_level > CXR_FLOW_LEVEL_EN_4;
}

/*
 * An RQT, and TIRs from @first on. CXR_EN_TIR_DIRECT leads to the first channel, the others to a
 * channel by hash. Without RSS there are no others, and no RQT. Those of what is in a tunnel come
 * with CXR_EN_TIR_DIRECT. RTNL held.
 */
int cxr_en_rss_objects_create(struct cxr_en *en, const struct cxr_en_rss *rss,
			      enum cxr_en_tir first, struct cxr_en_rss_objects *objects);
void cxr_en_rss_objects_destroy(struct cxr_en *en, struct cxr_en_rss_objects *objects);
int cxr_en_rss_objects_change(struct cxr_en *en, const struct cxr_en_rss_objects *objects,
			      const struct cxr_en_rss *from, const struct cxr_en_rss *to);
/* Adds to @rss what @rxfh says. */
int cxr_en_rss_merge(const struct cxr_en *en, const struct cxr_rxfh *rxfh, struct cxr_en_rss *rss,
		     struct netlink_ext_ack *extack);
/* Those of the netdev, and of contexts. */
int cxr_en_rss_create(struct cxr_en *en) __must_hold(&en->lock);
void cxr_en_rss_destroy(struct cxr_en *en) __must_hold(&en->lock);
u32 cxr_en_get_rxfh_key_size(struct net_device *ndev);
u32 cxr_en_get_rxfh_indir_size(struct net_device *ndev);
int cxr_en_get_rxfh(struct net_device *ndev, struct cxr_rxfh *rxfh);
int cxr_en_set_rxfh(struct net_device *ndev, struct cxr_rxfh *rxfh, struct netlink_ext_ack *extack);
int cxr_en_get_rxfh_fields(struct net_device *ndev, struct cxr_rxfh_fields *info);
int cxr_en_set_rxfh_fields(struct net_device *ndev, const struct cxr_rxfh_fields *info,
			   struct netlink_ext_ack *extack);

/* rss_context.c: contexts besides that of the netdev, to which rules of ntuple.c lead; RTNL held */
#define CXR_EN_CONTEXTS 16	/* numbers, from 1; as the in-tree driver */
struct cxr_en_context;
int cxr_en_contexts_create(struct cxr_en *en) __must_hold(&en->lock);
void cxr_en_contexts_destroy(struct cxr_en *en) __must_hold(&en->lock);
/* Forgets the contexts, which are not in the device and have no rules. */
void cxr_en_contexts_free(struct cxr_en *en);
/* NULL: there is no context @id. */
const struct cxr_en_rss *cxr_en_context_rss(const struct cxr_en *en, u32 id);
int cxr_en_context_change(struct cxr_en *en, u32 id, const struct cxr_en_rss *rss);
/* For a rule. NULL: there is no context @id. It stays until it is put. */
struct cxr_en_context *cxr_en_context_get(struct cxr_en *en, u32 id);
void cxr_en_context_put(struct cxr_en_context *context);
u32 cxr_en_context_id(const struct cxr_en_context *context);
/* Of a context that is in the device. */
u32 cxr_en_context_tirn(const struct cxr_en_context *context, enum cxr_en_tir tir);
#ifdef CXR_HAS_RXFH_CONTEXTS
int cxr_en_create_context(struct net_device *ndev, struct ethtool_rxfh_context *ctx,
			  const struct ethtool_rxfh_param *rxfh, struct netlink_ext_ack *extack);
int cxr_en_modify_context(struct net_device *ndev, struct ethtool_rxfh_context *ctx,
			  const struct ethtool_rxfh_param *rxfh, struct netlink_ext_ack *extack);
int cxr_en_remove_context(struct net_device *ndev, struct ethtool_rxfh_context *ctx, u32 id,
			  struct netlink_ext_ack *extack);
#else
int cxr_en_get_context(struct net_device *ndev, u32 *indir, u8 *key, u8 *hfunc, u32 id);
int cxr_en_set_context(struct net_device *ndev, const u32 *indir, const u8 *key, const u8 hfunc,
		       u32 *id, bool remove);
#endif

/* steer.c */
/* Starts receiving. The channels are open. */
int cxr_en_steer_create(struct cxr_en *en) __must_hold(&en->lock);
/* Stops receiving; also after a creation that failed. */
void cxr_en_steer_destroy(struct cxr_en *en) __must_hold(&en->lock);
/* The table of rules has come, or is about to go (cxr_en_steer.rules). */
int cxr_en_steer_link(struct cxr_en *en) __must_hold(&en->lock);
/* Sets the receive filter from the netdev's flags and address lists. May sleep; takes en->lock. */
void cxr_en_apply_rx_mode(struct cxr_en *en);

/* ntuple.c: rules of ethtool -N; RTNL held */
/* The device can have rules. */
static inline bool cxr_en_has_ntuple(const struct cxr_en *en)
{
	return en->core->caps.flow_rules;
}

/* The table with all rules, if there are any. It leads to the MAC table, and is not linked yet. */
int cxr_en_ntuple_create(struct cxr_en *en) __must_hold(&en->lock);
/* It is not linked any more. */
void cxr_en_ntuple_destroy(struct cxr_en *en) __must_hold(&en->lock);
/* Forgets the rules, which are not in the device. */
void cxr_en_ntuple_free(struct cxr_en *en);
/* The highest channel that a rule leads to; -1: none does. */
int cxr_en_ntuple_last_channel(const struct cxr_en *en);
int cxr_en_get_ntuple(struct net_device *ndev, struct ethtool_rxnfc *info, u32 *locations);
int cxr_en_set_ntuple(struct net_device *ndev, struct ethtool_rxnfc *info);

/* timestamp.c: which packets have timestamps of the device; RTNL held */
int cxr_en_get_hwtstamp(struct net_device *ndev, struct cxr_hwtstamp *config);
int cxr_en_set_hwtstamp(struct net_device *ndev, struct cxr_hwtstamp *config,
			struct netlink_ext_ack *extack);
/* ndo_eth_ioctl, where these two are not operations of their own. */
int cxr_en_hwtstamp_ioctl(struct net_device *ndev, struct ifreq *ifr, int cmd);
int cxr_en_get_ts_info(struct net_device *ndev, struct cxr_ts_info *info);
void cxr_en_get_ts_stats(struct net_device *ndev, struct ethtool_ts_stats *stats);

/* ecn.c: files of congestion control, of a registered netdev */
void cxr_en_ecn_add(struct cxr_en *en);
/* Waits for their readers and writers, who may wait for a command. Does nothing without files. */
void cxr_en_ecn_remove(struct cxr_en *en);

/* selftest.c: ethtool -t; RTNL held. Failures are logged. */
int cxr_en_selftest_count(const struct cxr_en *en);
void cxr_en_selftest_strings(const struct cxr_en *en, u8 *data);
void cxr_en_self_test(struct net_device *ndev, struct ethtool_test *test, u64 *results);

/* ethtool_port.c: operations of ethtool.c */
/* en->dcb.flow, which stays as it is if the device cannot be asked. RTNL held. */
int cxr_en_read_flow_control(struct cxr_en *en);
void cxr_en_get_pauseparam(struct net_device *ndev, struct ethtool_pauseparam *param);
int cxr_en_set_pauseparam(struct net_device *ndev, struct ethtool_pauseparam *param);
/* After a reset of the device; 0, or the error of the command. */
int cxr_en_restore_beacon(struct cxr_en *en);
int cxr_en_set_phys_id(struct net_device *ndev, enum ethtool_phys_id_state state);
int cxr_en_get_tunable(struct net_device *ndev, const struct ethtool_tunable *tuna, void *data);
int cxr_en_set_tunable(struct net_device *ndev, const struct ethtool_tunable *tuna,
		       const void *data);
int cxr_en_get_module_info(struct net_device *ndev, struct ethtool_modinfo *info);
int cxr_en_get_module_eeprom(struct net_device *ndev, struct ethtool_eeprom *ee, u8 *data);
int cxr_en_get_module_page(struct net_device *ndev, const struct ethtool_module_eeprom *request,
			   struct netlink_ext_ack *extack);
void cxr_en_get_pause_stats(struct net_device *ndev, struct ethtool_pause_stats *stats);
void cxr_en_get_link_ext_stats(struct net_device *ndev, struct ethtool_link_ext_stats *stats);
void cxr_en_get_eth_mac_stats(struct net_device *ndev, struct ethtool_eth_mac_stats *stats);
void cxr_en_get_eth_phy_stats(struct net_device *ndev, struct ethtool_eth_phy_stats *stats);
void cxr_en_get_eth_ctrl_stats(struct net_device *ndev, struct ethtool_eth_ctrl_stats *stats);
void cxr_en_get_rmon_stats(struct net_device *ndev, struct ethtool_rmon_stats *stats,
			   const struct ethtool_rmon_hist_range **ranges);

/* ethtool.c */
extern const struct ethtool_ops cxr_en_ethtool_ops;

/* vf.c: attributes of the interface of a PF whose VFs' capabilities can be set */
extern const struct attribute_group cxr_en_settings_group;
/* ndo_... of these names. RTNL is held. */
int cxr_en_set_vf_mac(struct net_device *ndev, int vf, u8 *mac);
int cxr_en_set_vf_vlan(struct net_device *ndev, int vf, u16 vlan, u8 qos, __be16 proto);
int cxr_en_set_vf_link_state(struct net_device *ndev, int vf, int state);
int cxr_en_set_vf_trust(struct net_device *ndev, int vf, bool trusted);
int cxr_en_set_vf_spoofchk(struct net_device *ndev, int vf, bool on);
int cxr_en_get_vf_config(struct net_device *ndev, int vf, struct ifla_vf_info *info);
int cxr_en_get_vf_stats(struct net_device *ndev, int vf, struct ifla_vf_stats *stats);

/* link.c */
int cxr_en_get_link_ksettings(struct net_device *ndev, struct ethtool_link_ksettings *settings);
int cxr_en_set_link_ksettings(struct net_device *ndev,
			      const struct ethtool_link_ksettings *settings);
int cxr_en_get_link_ext_state(struct net_device *ndev, struct ethtool_link_ext_state_info *info);
int cxr_en_get_fecparam(struct net_device *ndev, struct ethtool_fecparam *param);
int cxr_en_set_fecparam(struct net_device *ndev, struct ethtool_fecparam *param);
void cxr_en_get_fec_stats(struct net_device *ndev, struct ethtool_fec_stats *stats CXR_FEC_HIST);
int cxr_en_link_up(void *en);

#endif
