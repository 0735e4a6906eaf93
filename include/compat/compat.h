/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Differences between the supported kernels, from 6.1 on; tests run on 6.1, 6.12 and 7.2. Included
 * before every source file; the only place that tests LINUX_VERSION_CODE. Stable series and
 * distributions take changes over from later releases, so test for the feature itself where
 * possible: __has_include, #ifdef, or CXR_HAS_..., for which `ask' looks into the kernel's headers.
 * Each entry says what changed in which release (of Linus), and can be removed with support for the
 * older kernel. A version that is tested for is that release, not the next one that is at hand.
 */
#ifndef CXR_COMPAT_H
#define CXR_COMPAT_H

#include <linux/kconfig.h>
#include <linux/types.h>
#include <linux/version.h>

/* Options without which it does not build; dkms.conf has them, too, so that DKMS does not try. */
#ifndef CONFIG_64BIT
#error "cxr needs a 64-bit kernel: doorbells are written as one 8-byte store"
#endif
#if !IS_ENABLED(CONFIG_INFINIBAND_USER_ACCESS)
#error "cxr needs a kernel with CONFIG_INFINIBAND_USER_ACCESS: it has verbs of its own for programs"
#endif
#if !IS_ENABLED(CONFIG_DIMLIB) || !IS_ENABLED(CONFIG_PAGE_POOL) || !IS_ENABLED(CONFIG_NET_DEVLINK)
#error "cxr needs a kernel with CONFIG_DIMLIB, CONFIG_PAGE_POOL and CONFIG_NET_DEVLINK"
#endif

/* What guards a field, and where that does not matter, for clang's context analysis (7.0). */
#ifndef __guarded_by
#define __guarded_by(...)
#define __must_hold_shared(...)
#define context_unsafe(...) ({ __VA_ARGS__; })
#define __context_unsafe(why)
#endif

/* The queue of schedule_work() has a new name (6.17); the old one is to go. */
#ifdef CXR_HAS_PERCPU_WQ
#define cxr_system_wq system_percpu_wq
#else
#define cxr_system_wq system_wq
#endif

/* 6.6 split net/page_pool.h into a folder. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
#define CXR_PAGE_POOL_H <net/page_pool/helpers.h>
#else
#define CXR_PAGE_POOL_H <net/page_pool.h>
#endif

/* The attribute became const in the callbacks of struct bin_attribute (6.16). */
#ifdef CXR_HAS_CONST_BIN_ATTR
#define cxr_bin_attr_arg const struct bin_attribute
#else
#define cxr_bin_attr_arg struct bin_attribute
#endif

/* Up to 6.6 a page pool that hands out parts of pages needs a flag. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
#define CXR_PP_FLAG_PAGE_FRAG PP_FLAG_PAGE_FRAG
#else
#define CXR_PP_FLAG_PAGE_FRAG 0
#endif

/*
 * A page pool knows the NAPI context that may recycle pages without a lock (6.4), and the netdev
 * whose pools user space can list (6.8).
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
#define CXR_PAGE_POOL_USER(napi_context, net_device)
#else
#define CXR_PAGE_POOL_USER(napi_context, net_device) \
	.napi = (napi_context), .netdev = (net_device),
#endif

/* The function that copies a name is of 6.8. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
#define cxr_ethtool_puts(data, name) ethtool_sprintf(data, "%s", name)
#else
#define cxr_ethtool_puts ethtool_puts
#endif

/* The operations on RSS get a structure (6.8). The old ones call the new ones. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
#define cxr_rxfh cxr_rxfh_param
#define CXR_RXFH_OPS(get, set, old_get, old_set) .get_rxfh = old_get, .set_rxfh = old_set,
#else
#define cxr_rxfh ethtool_rxfh_param
#define CXR_RXFH_OPS(get, set, old_get, old_set) .get_rxfh = get, .set_rxfh = set,
#endif
/*
 * The kernel numbers RSS contexts, and knows what they are (6.12). The operations before went with
 * the structure (6.8): from there to 6.11 there are no contexts.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
#define CXR_RXFH_CONTEXT_OPS(max) \
	.get_rxfh_context = cxr_en_get_context, .set_rxfh_context = cxr_en_set_context,
#elif !defined(CXR_HAS_RXFH_CONTEXTS)
#define CXR_RXFH_CONTEXT_OPS(max)
#else
#define CXR_RXFH_CONTEXT_OPS(max)							\
	.create_rxfh_context = cxr_en_create_context,					\
	.modify_rxfh_context = cxr_en_modify_context,					\
	.remove_rxfh_context = cxr_en_remove_context,					\
	.rxfh_max_num_contexts = (max), .rxfh_per_ctx_key = true,			\
	CXR_RXFH_CONTEXT_FIELDS
#endif
/* A hash that is the same for both directions of a flow (6.16, and stable releases of 6.12). */
#ifdef CXR_HAS_RXFH_SYMMETRIC
#define CXR_RXFH_SYMMETRIC_OP .supported_input_xfrm = RXH_XFRM_SYM_OR_XOR,
#define cxr_rxfh_tell_symmetric(to, symmetric) \
	((to)->input_xfrm = (symmetric) ? RXH_XFRM_SYM_OR_XOR : 0)
#define cxr_rxfh_symmetric(from, now)						\
	((from)->input_xfrm == RXH_XFRM_NO_CHANGE ? (now) :			\
	 !!((from)->input_xfrm & RXH_XFRM_SYM_OR_XOR))
#else
#define CXR_RXFH_SYMMETRIC_OP
#define cxr_rxfh_tell_symmetric(to, symmetric)
#define cxr_rxfh_symmetric(from, now) (now)
#endif
/* Drivers say whether contexts have hashed fields (6.17, and stable releases of 6.12). */
#ifdef CXR_HAS_RXFH_PER_CTX_FIELDS
#define CXR_RXFH_CONTEXT_FIELDS .rxfh_per_ctx_fields = true,
#else
#define CXR_RXFH_CONTEXT_FIELDS
#endif
/*
 * The operations on hashed fields (6.17, and stable releases of 6.12) and the number of rings
 * (6.18) are no longer parts of get_rxnfc and set_rxnfc, which call them where the kernel does not.
 * 6.17 does not register a netdev that has symmetric hashes without the first.
 */
#ifdef CXR_HAS_RXFH_FIELDS
#define cxr_rxfh_fields ethtool_rxfh_fields
#define CXR_RXFH_FIELDS_OPS(get, set) .get_rxfh_fields = get, .set_rxfh_fields = set,
#else
#define cxr_rxfh_fields cxr_rxfh_fields_param
#define CXR_RXFH_FIELDS_OPS(get, set)
#endif
#ifdef CXR_HAS_RX_RING_COUNT
#define CXR_RX_RING_COUNT_OP(function) .get_rx_ring_count = function,
#else
#define CXR_RX_RING_COUNT_OP(function)
#endif

/* `rdma resource show qp -dd' says what a QP of type DRIVER is (between 6.1 and 6.12). */
#ifdef CXR_HAS_RES_SUBTYPE
#define cxr_put_qp_subtype(msg, name) \
	nla_put_string(msg, RDMA_NLDEV_ATTR_RES_SUBTYPE, name)
#else
#define cxr_put_qp_subtype(msg, name) 0
#endif

/* SRQs can be dumped as the device keeps them (6.7). */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
#define CXR_RES_SRQ_RAW_OP(fn)
#else
#define CXR_RES_SRQ_RAW_OP(fn) .fill_res_srq_entry_raw = fn,
#endif

/* A cycle counter may be changed by its own reading (6.16). */
#ifdef CXR_HAS_CHANGING_CYCLECOUNTER
#define cxr_cyclecounter_arg struct cyclecounter
#else
#define cxr_cyclecounter_arg const struct cyclecounter
#endif

/* What timestamps a netdev takes is set by operations of its own, not by an ioctl (6.6). */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
#define cxr_hwtstamp hwtstamp_config
#define CXR_HWTSTAMP_OPS(get, set, ioctl) .ndo_eth_ioctl = ioctl,
#else
#define cxr_hwtstamp kernel_hwtstamp_config
#define CXR_HWTSTAMP_OPS(get, set, ioctl) .ndo_hwtstamp_get = get, .ndo_hwtstamp_set = set,
#endif

/* ethtool -T has a structure of the kernel's own (6.11), and counters (6.10). */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
#define cxr_ts_info ethtool_ts_info
#else
#define cxr_ts_info kernel_ethtool_ts_info
#endif
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0)
struct ethtool_ts_stats {
	u64 pkts, lost, err;
};

#define CXR_TS_STATS_OP(function)
#else
#define CXR_TS_STATS_OP(function) .get_ts_stats = function,
#endif

/* Statistics of forward error correction may have a histogram (6.18). */
#ifdef CXR_HAS_FEC_HIST
#define CXR_FEC_HIST , struct ethtool_fec_hist *hist
#else
#define CXR_FEC_HIST
#endif

/* ethtool -I tells how often the link was lost (6.2). */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
struct ethtool_link_ext_stats {
	u64 link_down_events;
};

#define CXR_LINK_EXT_STATS_OP(function)
#else
#define CXR_LINK_EXT_STATS_OP(function) .get_link_ext_stats = function,
#endif

/* User space can ask which NAPI context and interrupt a queue has (6.8). */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
#define cxr_napi_set_irq(napi, irq)
#define cxr_rxq_set_napi(ndev, index, napi)
#define cxr_txq_set_napi(ndev, index, napi)
#else
#define cxr_napi_set_irq netif_napi_set_irq
#define cxr_rxq_set_napi(ndev, index, napi) \
	netif_queue_set_napi(ndev, index, NETDEV_QUEUE_TYPE_RX, napi)
#define cxr_txq_set_napi(ndev, index, napi) \
	netif_queue_set_napi(ndev, index, NETDEV_QUEUE_TYPE_TX, napi)
#endif

/* And for the counters of queues (6.10). */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0)
#define CXR_QUEUE_STATS_H "en.h"
#define CXR_SET_STAT_OPS(ndev, ops)
struct net_device;

struct netdev_queue_stats_rx {
	u64 bytes, packets, alloc_fail, hw_drop_overruns, csum_unnecessary;
};

struct netdev_queue_stats_tx {
	u64 bytes, packets, hw_drop_errors, csum_none, needs_csum, hw_gso_packets, stop;
};

struct netdev_stat_ops {
	void (*get_queue_stats_rx)(struct net_device *ndev, int i,
				   struct netdev_queue_stats_rx *stats);
	void (*get_queue_stats_tx)(struct net_device *ndev, int i,
				   struct netdev_queue_stats_tx *stats);
	void (*get_base_stats)(struct net_device *ndev, struct netdev_queue_stats_rx *rx,
			       struct netdev_queue_stats_tx *tx);
};
#else
#define CXR_QUEUE_STATS_H <net/netdev_queues.h>
#define CXR_SET_STAT_OPS(ndev, ops) ((ndev)->stat_ops = (ops))
#endif

/* A NAPI context that comes again with its index has its number and settings of before (6.13). */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define cxr_napi_add(ndev, napi, poll, index) netif_napi_add(ndev, napi, poll)
#else
#define cxr_napi_add netif_napi_add_config
#endif

/* net_dim() gets the sample by reference (6.13). */
#ifdef CXR_HAS_DIM_SAMPLE_BY_ADDRESS
#define cxr_net_dim net_dim
#else
#define cxr_net_dim(dim, sample) net_dim(dim, *(sample))
#endif

/* ---- RDMA ---- */

/*
 * The DMA block iterator has a header of its own (7.2, and in Debian's 6.1 and 6.12 from some
 * stable release on; sparse, which knows no __has_include, is only run there).
 */
#ifdef __CHECKER__
#define CXR_RDMA_ITER_H <rdma/iter.h>
#elif __has_include(<rdma/iter.h>)
#define CXR_RDMA_ITER_H <rdma/iter.h>
#else
#define CXR_RDMA_ITER_H <rdma/ib_umem.h>
#endif

/*
 * The third argument of ib_device_ops.create_cq became the attribute bundle, NULL for the kernel's
 * own CQs (6.11).
 */
#ifdef CXR_HAS_CREATE_CQ_ATTRS
#define cxr_create_cq_arg(name) struct uverbs_attr_bundle *name
#define cxr_create_cq_udata(arg) ((arg) ? &(arg)->driver_udata : NULL)
#else
#define cxr_create_cq_arg(name) struct ib_udata *name
#define cxr_create_cq_udata(arg) (arg)
#endif

/*
 * The last argument of ib_device_ops.reg_user_mr_dmabuf became the attribute bundle (6.12), the one
 * before it a DMA handle (6.17).
 */
#ifdef CXR_HAS_DMABUF_ATTRS
#define cxr_reg_dmabuf_arg struct uverbs_attr_bundle
#else
#define cxr_reg_dmabuf_arg struct ib_udata
#endif

/* ib_device_ops.reg_user_mr got a DMA handle (6.17). */
#ifdef CXR_HAS_DMAH
#define CXR_REG_MR_DMAH_PARAM , struct ib_dmah *dmah
#define CXR_REG_MR_HAS_DMAH (dmah)
#else
#define CXR_REG_MR_DMAH_PARAM
#define CXR_REG_MR_HAS_DMAH false
#endif

/* ib_umem_get() was renamed (7.2). */
#ifdef CXR_HAS_UMEM_GET_VA
#define cxr_umem_get ib_umem_get_va
#else
#define cxr_umem_get ib_umem_get
#endif

/* ib_core reports events of a port by its netdev unless a driver does (6.14). */
#ifdef CXR_HAS_REPORT_PORT_EVENT
#define CXR_REPORT_PORT_EVENT_OP(function) .report_port_event = function,
#else
#define CXR_REPORT_PORT_EVENT_OP(function)
#endif

/* A driver can remove the GIDs of a netdev (6.12). Before, they stay; the in-tree driver's, too. */
#ifdef CXR_HAS_DEL_NETDEV_GIDS
#define cxr_del_netdev_gids roce_del_all_netdev_gids
#else
#define cxr_del_netdev_gids(ibdev, port, net_device) do { } while (0)
#endif

/*
 * Pages of a umem that come and go (6.16): ib_core mapped them for DMA, or the driver does so when
 * it tells the device. cxr_odp_page() is the address of page @i with the bits of an MTT, or 0;
 * umem_mutex is held. @fresh: ib_core has just brought it in. What another thread may be bringing
 * in meanwhile is not for the device yet.
 */
#ifndef CXR_HAS_HMM_DMA_MAP
#define CXR_ODP_MASK(write) \
	(ODP_READ_ALLOWED_BIT | ((write) ? ODP_WRITE_ALLOWED_BIT : 0))
#define cxr_odp_has_page(odp, i) (!!((odp)->dma_list[i] & CXR_ODP_MASK(true)))
#define cxr_odp_page(odp, i, fresh, write) ({ (void)(fresh); (odp)->dma_list[i]; })
#else
#define CXR_ODP_MASK(write) ((write) ? HMM_PFN_WRITE : 0)
#define cxr_odp_has_page(odp, i) (!!((odp)->map.pfn_list[i] & HMM_PFN_DMA_MAPPED))
#define cxr_odp_page(odp, i, fresh, write) ({						\
	struct pci_p2pdma_map_state p2p = {};						\
	struct ib_umem_odp *umem_odp = (odp);						\
	struct device *dma_dev = umem_odp->umem.ibdev->dma_device;			\
	unsigned long pfn = umem_odp->map.pfn_list[i];					\
	dma_addr_t page = 0;								\
											\
	if ((fresh) ? pfn & HMM_PFN_VALID : pfn & HMM_PFN_DMA_MAPPED) {			\
		page = hmm_dma_map_pfn(dma_dev, &umem_odp->map, i, &p2p);		\
		if (!dma_mapping_error(dma_dev, page)) {				\
			umem_odp->npages += !(pfn & HMM_PFN_DMA_MAPPED);		\
			page |= 1 | ((pfn & HMM_PFN_WRITE) && (write) ? 2 : 0);		\
		}									\
	}										\
	page;										\
})
#endif

/* ib_device_ops.resize_cq was renamed and counts in unsigned numbers (between 7.0 and 7.2). */
#ifdef CXR_HAS_RESIZE_USER_CQ
#define CXR_OP_RESIZE_CQ resize_user_cq
#else
#define CXR_OP_RESIZE_CQ resize_cq
#endif
#ifdef CXR_HAS_UNSIGNED_CQ_SIZE
#define cxr_resize_cq_count unsigned int
#else
#define cxr_resize_cq_count int
#endif

/*
 * Binding a counter got the port; CXR_HAS_COUNTER_INIT: ib_core allocates counters in the driver's
 * size (both in 6.15 or 6.16).
 */
#ifdef CXR_HAS_COUNTER_PORT
#define CXR_COUNTER_PORT_PARAM , u32 port
#else
#define CXR_COUNTER_PORT_PARAM
#endif

/* ---- Ethernet ---- */

/* The jumbo header of BIG TCP over IPv6 is gone (between 6.12 and 7.2). */
#ifdef CXR_HAS_JUMBO_HEADER
#define cxr_jumbo_header_len(skb) \
	(ipv6_has_hopopt_jumbo(skb) ? sizeof(struct hop_jumbo_hdr) : 0)
#else
#define cxr_jumbo_header_len(skb) 0
#endif

/*
 * A driver that sleeps while it tells the device ports of tunnels said so (up to 6.16, but not in
 * later stable releases of 6.12). Otherwise it may be called where it must not sleep.
 */
#ifdef CXR_HAS_TUNNEL_MAY_SLEEP
#define CXR_UDP_TUNNEL_MAY_SLEEP UDP_TUNNEL_NIC_INFO_MAY_SLEEP
#else
#define CXR_UDP_TUNNEL_MAY_SLEEP 0
#endif

/* XDP: a netdev says what it can do (6.3), and fragments are filled by one function (6.5). */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
#define cxr_xdp_set_features(ndev)
#else
#define cxr_xdp_set_features(ndev) \
	xdp_set_features_flag(ndev, NETDEV_XDP_ACT_BASIC | NETDEV_XDP_ACT_REDIRECT | \
				    NETDEV_XDP_ACT_NDO_XMIT | NETDEV_XDP_ACT_RX_SG | \
				    NETDEV_XDP_ACT_NDO_XMIT_SG)
#endif
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#define cxr_frag_set(frag, page, off, size) do {	\
	__skb_frag_set_page(frag, page);		\
	skb_frag_off_set(frag, off);			\
	skb_frag_size_set(frag, size);			\
} while (0)
#else
#define cxr_frag_set skb_frag_fill_page_desc
#endif

/* Programs may ask for the timestamp and hash of a packet (6.3), and its VLAN tag (6.8). */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
enum xdp_rss_hash_type {
	XDP_RSS_L3_IPV4, XDP_RSS_L3_IPV6, XDP_RSS_L4, XDP_RSS_L4_TCP, XDP_RSS_L4_UDP,
	XDP_RSS_L4_IPSEC,
};
#endif
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
#define CXR_XDP_METADATA_OPS(name, timestamp, hash, vlan_tag) struct xdp_metadata_ops
#define cxr_xdp_set_metadata(ndev, ops)
#else
#define CXR_XDP_METADATA_OPS(name, timestamp, hash, vlan_tag)	\
	static const struct xdp_metadata_ops name = {		\
		.xmo_rx_timestamp = (timestamp),		\
		.xmo_rx_hash = (hash),				\
		.xmo_rx_vlan_tag = (vlan_tag),			\
	}
#define cxr_xdp_set_metadata(ndev, ops) ((ndev)->xdp_metadata_ops = (ops))
#endif

/*
 * Before 6.4 a frame that another device makes an skb of takes its page out of the pool
 * (xdp_release_frame()), although others may share it.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define CXR_XDP_SHARES_PAGES false
#else
#define CXR_XDP_SHARES_PAGES true
#endif

/* The memory of fragments is counted where they are, the skb takes their flags over (6.18). */
#ifdef CXR_HAS_XDP_SKB_FLAGS
#define cxr_xdp_set_frags_truesize(shinfo, size) ((shinfo)->xdp_frags_truesize = (size))
#define cxr_xdp_update_skb(skb, xdp, frags, size, truesize) \
	xdp_update_skb_frags_info(skb, frags, size, truesize, xdp_buff_get_skb_flags(xdp))
#else
#define cxr_xdp_set_frags_truesize(shinfo, size)
#define cxr_xdp_update_skb(skb, xdp, frags, size, truesize) \
	xdp_update_skb_shared_info(skb, frags, size, truesize, xdp_buff_is_frag_pfmemalloc(xdp))
#endif

/* ---- devlink ---- */

/* devlink_info has the driver name without the driver (6.2). */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define cxr_devlink_info_driver(req) devlink_info_driver_name_put(req, KBUILD_MODNAME)
#else
#define cxr_devlink_info_driver(req) 0
#endif

/* Flags of a mapping that is not anyone's yet change by functions (6.3). */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
#define cxr_vm_flags_clear(vma, flags) ((vma)->vm_flags &= ~(flags))
#else
#define cxr_vm_flags_clear vm_flags_clear
#endif

/* A driver with the callbacks need not ask for reload any more (6.3). */
#ifdef CXR_HAS_DEVLINK_FEATURES
#define cxr_devlink_allow_reload(devlink) devlink_set_features(devlink, DEVLINK_F_RELOAD)
#else
#define cxr_devlink_allow_reload(devlink) do { } while (0)
#endif

/*
 * Functions that need the lock of the instance were renamed (6.4). Since then a driver may set the
 * value of a parameter while the instance is registered.
 */
#ifndef CXR_HAS_DEVLINK_LOCKED_PARAMS
#define CXR_DEVLINK_SETS_REGISTERED false
#define devl_param_driverinit_value_get devlink_param_driverinit_value_get
#define devl_param_driverinit_value_set devlink_param_driverinit_value_set
#else
#define CXR_DEVLINK_SETS_REGISTERED true
#endif

/* Callbacks of parameters got an extack: set (6.10), and get (6.19). */
#ifdef CXR_HAS_DEVLINK_SET_EXTACK
#define CXR_DEVLINK_SET_EXTACK_PARAM , struct netlink_ext_ack *extack
#define CXR_DEVLINK_SET_EXTACK extack
#else
#define CXR_DEVLINK_SET_EXTACK_PARAM
#define CXR_DEVLINK_SET_EXTACK ((struct netlink_ext_ack *)NULL)
#endif
#ifdef CXR_HAS_DEVLINK_GET_EXTACK
#define CXR_DEVLINK_GET_EXTACK_PARAM , struct netlink_ext_ack *extack
#else
#define CXR_DEVLINK_GET_EXTACK_PARAM
#endif

/* They get values by their address (between 6.19 and 7.2). */
#ifdef CXR_HAS_DEVLINK_VALUE_BY_ADDRESS
#define cxr_devlink_value_arg(name) union devlink_param_value *name
#define cxr_devlink_value(name) (*(name))
#define cxr_devlink_pass_value(name) (&(name))
#else
#define cxr_devlink_value_arg(name) union devlink_param_value name
#define cxr_devlink_value(name) (name)
#define cxr_devlink_pass_value(name) (name)
#endif

/* The counter of an eventfd goes up by one (6.8). */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
#define cxr_eventfd_signal(ctx) eventfd_signal(ctx, 1)
#else
#define cxr_eventfd_signal(ctx) eventfd_signal(ctx)
#endif

/* The grace period of a health reporter moved to its operations (6.18). */
#ifdef CXR_HAS_REPORTER_GRACE
#define CXR_REPORTER_GRACE(ms) .default_graceful_period = (ms),
#define cxr_devlink_reporter_create(devlink, ops, ms, priv) \
	devlink_health_reporter_create(devlink, ops, priv)
#define cxr_devlink_port_reporter_create(port, ops, ms, priv) \
	devlink_port_health_reporter_create(port, ops, priv)
#else
#define CXR_REPORTER_GRACE(ms)
#define cxr_devlink_reporter_create(devlink, ops, ms, priv) \
	devlink_health_reporter_create(devlink, ops, ms, priv)
#define cxr_devlink_port_reporter_create(port, ops, ms, priv) \
	devlink_port_health_reporter_create(port, ops, ms, priv)
#endif

/* That of a port was destroyed by a function of its own (up to 6.2). */
#ifdef CXR_HAS_DEVLINK_PORT_REPORTER_DESTROY
#define cxr_devlink_port_reporter_destroy devlink_port_health_reporter_destroy
#else
#define cxr_devlink_port_reporter_destroy devlink_health_reporter_destroy
#endif

/* A netdev names its port before its registration, and devlink sees when that is (6.2). */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define CXR_DEVLINK_PORT_OP(function) .ndo_get_devlink_port = function,
#define cxr_netdev_set_port(ndev, port) do { } while (0)
#define cxr_devlink_port_set_type(port, ndev) devlink_port_type_eth_set(port, ndev)
#define cxr_devlink_port_clear_type(port) devlink_port_type_clear(port)
#else
#define CXR_DEVLINK_PORT_OP(function)
#define cxr_netdev_set_port(ndev, port) SET_NETDEV_DEVLINK_PORT(ndev, port)
#define cxr_devlink_port_set_type(port, ndev) do { } while (0)
#define cxr_devlink_port_clear_type(port) do { } while (0)
#endif

#endif
