// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Transmit: packets of the stack become WQEs (sq.h). */
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include "sq.h"

/* How a packet becomes a WQE. */
struct tx_plan {
	u16 headers;		/* bytes of the packet that are inline */
	u16 inline_len;		/* the same with an inserted VLAN tag, without a jumbo header */
	u8 jumbo;		/* bytes of the jumbo header among them */
	u16 mss;		/* 0: no segmentation */
	u16 packets;
	u32 bytes;
	u8 header_ds;		/* 16-byte units before the first data segment */
	unsigned int ds;	/* units of the WQE */
};

/* Bytes that have to be inline so that the device can forward the packet. */
static u16 min_inline(const struct cxr_en_sq *sq, const struct sk_buff *skb)
{
	unsigned int len = 0;

	switch (sq->inline_mode) {
	case CXR_EN_INLINE_NONE:
		return 0;
	case CXR_EN_INLINE_L2:
		len = skb_network_offset(skb);
		break;
	case CXR_EN_INLINE_IP:
		if (skb_transport_header_was_set(skb)) {
			len = skb_transport_offset(skb);
			break;
		}
		fallthrough;
	default:
		len = eth_get_headlen(skb->dev, skb->data, skb_headlen(skb));
	}
	return cxr_en_sq_inline(len, skb_headlen(skb));
}

static bool is_udp_gso(const struct sk_buff *skb)
{
	return skb_is_gso(skb) && skb_shinfo(skb)->gso_type & SKB_GSO_UDP_L4;
}

/* Bytes before the data of a packet that is to be segmented, in a tunnel or not. */
static unsigned int gso_headers(const struct sk_buff *skb)
{
	if (skb->encapsulation)
		return skb_inner_tcp_all_headers(skb);
	if (is_udp_gso(skb))
		return skb_transport_offset(skb) + sizeof(struct udphdr);

	return skb_tcp_all_headers(skb);
}

static void plan_packet(const struct cxr_en_sq *sq, const struct sk_buff *skb, struct tx_plan *plan)
{
	if (skb_is_gso(skb)) {
		plan->headers = gso_headers(skb);
		plan->jumbo = skb->encapsulation ? 0 : cxr_jumbo_header_len(skb);
		plan->mss = skb_shinfo(skb)->gso_size;
		plan->packets = skb_shinfo(skb)->gso_segs;
		plan->bytes = skb->len + (plan->packets - 1) * plan->headers -
			      plan->packets * plan->jumbo;
	} else {
		plan->headers = min_inline(sq, skb);
		plan->jumbo = 0;
		plan->mss = 0;
		plan->packets = 1;
		plan->bytes = max_t(u32, skb->len, ETH_ZLEN);
	}
	if (skb_vlan_tag_present(skb)) {
		/*
		 * The tag is inserted into the inline headers, after the addresses. A WQE has a
		 * place for it as well, which mlx5_core used up to 6.12, and no more in 7.2.
		 */
		plan->headers = max_t(u16, plan->headers,
				      cxr_en_sq_inline(skb_network_offset(skb),
						       skb_headlen(skb)));
		plan->inline_len = plan->headers + VLAN_HLEN;
		plan->bytes += plan->packets * VLAN_HLEN;
	} else {
		plan->inline_len = plan->headers;
	}
	plan->inline_len -= plan->jumbo;
	plan->header_ds = cxr_en_sq_header_ds(plan->inline_len);
	plan->ds = plan->header_ds + skb_shinfo(skb)->nr_frags + (skb_headlen(skb) > plan->headers);
}

/*
 * Packets of more than 64 KiB over IPv6 (BIG TCP) have a hop-by-hop header with their length, which
 * the segments must not have. @ip: the IPv6 header; @len: of that header; @end: of all headers.
 */
static void remove_jumbo(u8 *ip, u8 len, const u8 *end)
{
	struct ipv6hdr *ip6 = (struct ipv6hdr *)ip;
	u8 *jumbo = ip + sizeof(*ip6);

	ip6->nexthdr = *jumbo;
	memmove(jumbo, jumbo + len, end - jumbo - len);
}

static enum cxr_wqe_csum csum_of(const struct sk_buff *skb)
{
	if (skb->ip_summed != CHECKSUM_PARTIAL)
		return CXR_WQE_NO_CSUM;
	return skb->encapsulation ? CXR_WQE_CSUM_INNER : CXR_WQE_CSUM;
}

/*
 * The header has the length of all data, and each segment gets what is there: it must be that of
 * a segment. So all are equal, for which NETIF_F_GSO_UDP_L4 is one of the gso_partial_features;
 * some kernels then write the length by themselves. @end: of the headers.
 */
static void set_udp_length(u8 *end, u16 mss)
{
	__be16 len = htons(mss + sizeof(struct udphdr));

	memcpy(end - sizeof(struct udphdr) + offsetof(struct udphdr, len), &len, sizeof(len));
}

/* As write_headers(), if the device is to get other headers than those of the packet. */
static noinline void write_changed_headers(struct cxr_en_sq *sq, const struct sk_buff *skb,
					   const struct tx_plan *plan)
{
	u8 buf[CXR_EN_INLINE_MAX + VLAN_HLEN];

	if (skb_vlan_tag_present(skb)) {
		__be16 tag[2] = { skb->vlan_proto, htons(skb_vlan_tag_get(skb)) };

		memcpy(buf, skb->data, 2 * ETH_ALEN);
		memcpy(buf + 2 * ETH_ALEN, tag, sizeof(tag));
		memcpy(buf + 2 * ETH_ALEN + VLAN_HLEN, skb->data + 2 * ETH_ALEN,
		       plan->headers - 2 * ETH_ALEN);
	} else {
		memcpy(buf, skb->data, plan->headers);
	}
	if (unlikely(plan->jumbo)) {
		u8 *end = buf + plan->inline_len + plan->jumbo;

		remove_jumbo(end - plan->headers + skb_network_offset(skb), plan->jumbo, end);
	}
	if (is_udp_gso(skb))
		set_udp_length(buf + plan->inline_len, plan->mss);
	cxr_en_sq_headers(sq, csum_of(skb), plan->mss, buf, plan->inline_len);
}

/* The Ethernet segment with the inline headers. */
static void write_headers(struct cxr_en_sq *sq, const struct sk_buff *skb,
			  const struct tx_plan *plan)
{
	if (skb_vlan_tag_present(skb) || plan->jumbo || is_udp_gso(skb))
		write_changed_headers(sq, skb, plan);
	else
		cxr_en_sq_headers(sq, csum_of(skb), plan->mss, skb->data, plan->inline_len);
}

/* Writes the data segments. On failure nothing stays mapped. */
static int map_packet(struct cxr_en_sq *sq, struct sk_buff *skb, const struct tx_plan *plan)
{
	struct device *dev = sq->en->core->dev;
	unsigned int ds = plan->header_ds, i;
	u32 start = sq->map_pc;
	dma_addr_t addr;
	int err = 0;

	if (skb_headlen(skb) > plan->headers) {
		u32 len = skb_headlen(skb) - plan->headers;

		addr = dma_map_single(dev, skb->data + plan->headers, len, DMA_TO_DEVICE);
		err = cxr_en_sq_map(sq, addr, len, true, ds++);
	}
	for (i = 0; !err && i < skb_shinfo(skb)->nr_frags; i++) {
		const skb_frag_t *frag = &skb_shinfo(skb)->frags[i];
		u32 len = skb_frag_size(frag);

		addr = skb_frag_dma_map(dev, frag, 0, len, DMA_TO_DEVICE);
		err = cxr_en_sq_map(sq, addr, len, false, ds++);
	}
	if (!err)
		return 0;

	cxr_en_sq_unmap(sq, start);
	return err;
}

static void count_packet(struct cxr_en_sq *sq, const struct sk_buff *skb,
			 const struct tx_plan *plan)
{
	struct cxr_en_stats *stats = sq->stats;
	bool tunnel = skb->encapsulation;

	u64_stats_update_begin(&stats->sync);
	u64_stats_add(&stats->packets, plan->packets);
	u64_stats_add(&stats->bytes, plan->bytes);
	if (skb->ip_summed == CHECKSUM_PARTIAL)
		u64_stats_add(tunnel ? &stats->inner_csum : &stats->csum, plan->packets);
	if (plan->mss)
		u64_stats_inc(tunnel ? &stats->inner_tso : &stats->special);
	u64_stats_update_end(&stats->sync);
}

/* The stack then waits for the device's timestamp in place of its own. */
static bool wants_stamp(const struct cxr_en_sq *sq, struct sk_buff *skb)
{
	if (likely(!(skb_shinfo(skb)->tx_flags & SKBTX_HW_TSTAMP)) || !READ_ONCE(sq->en->stamp_tx))
		return false;

	skb_shinfo(skb)->tx_flags |= SKBTX_IN_PROGRESS;
	return true;
}

static netdev_tx_t drop_packet(struct cxr_en_sq *sq, struct sk_buff *skb)
{
	u64_stats_update_begin(&sq->stats->sync);
	u64_stats_inc(&sq->stats->dropped);
	u64_stats_update_end(&sq->stats->sync);
	dev_kfree_skb_any(skb);
	cxr_en_sq_ring(sq);	/* for earlier packets with xmit_more */
	return NETDEV_TX_OK;
}

/*
 * Senders without a qdisc choose the queue before they have its lock. Meanwhile there may be fewer
 * queues, but all queues that the netdev can have are started.
 */
static netdev_tx_t drop_without_queue(struct sk_buff *skb, struct net_device *ndev)
{
	dev_core_stats_tx_dropped_inc(ndev);
	dev_kfree_skb_any(skb);
	return NETDEV_TX_OK;
}

static void stop_if_full(struct cxr_en_sq *sq)
{
	if (likely(cxr_en_sq_room(sq) >= sq->stop_room))
		return;

	netif_tx_stop_queue(sq->txq);
	u64_stats_update_begin(&sq->stats->sync);
	u64_stats_inc(&sq->stats->stops);
	u64_stats_update_end(&sq->stats->sync);
	/* pairs with wake() of sq.c: either we see the room, or wake() sees the stopped queue */
	smp_mb();
	if (cxr_en_sq_room(sq) >= sq->stop_room && !READ_ONCE(sq->failed))
		netif_tx_start_queue(sq->txq);
}

netdev_tx_t cxr_en_start_xmit(struct sk_buff *skb, struct net_device *ndev)
{
	struct cxr_en *en = netdev_priv(ndev);
	struct cxr_en_sq *sq = en->sqs[skb_get_queue_mapping(skb)];
	struct cxr_en_tx_info info;
	struct tx_plan plan;
	u32 map_start;
	bool stamp;

	if (unlikely(!sq))
		return drop_without_queue(skb, ndev);
	if (unlikely(skb->len < ETH_HLEN))
		return drop_packet(sq, skb);

	plan_packet(sq, skb, &plan);
	if (unlikely(plan.ds > sq->max_ds)) {
		if (skb_linearize(skb))
			return drop_packet(sq, skb);
		plan_packet(sq, skb, &plan);
	}
	if (unlikely(plan.ds > sq->max_ds || plan.headers > CXR_EN_INLINE_MAX ||
		     plan.headers > skb_headlen(skb)))
		return drop_packet(sq, skb);
	if (unlikely(cxr_en_sq_room(sq) < sq->stop_room)) {
		netif_tx_stop_queue(sq->txq);
		cxr_en_sq_ring(sq);
		return NETDEV_TX_BUSY;
	}
	map_start = sq->map_pc;
	if (unlikely(map_packet(sq, skb, &plan)))
		return drop_packet(sq, skb);

	stamp = wants_stamp(sq, skb);
	skb_tx_timestamp(skb);
	write_headers(sq, skb, &plan);
	info = (struct cxr_en_tx_info){
		.skb = skb,
		.stamp = stamp,
		.bytes = plan.bytes,
		.maps = sq->map_pc - map_start,
	};
	cxr_en_sq_post(sq, &info, plan.mss ? PRM_WQE_LSO : PRM_WQE_SEND, plan.ds);
	count_packet(sq, skb, &plan);
	stop_if_full(sq);
	if (__netdev_tx_sent_queue(sq->txq, plan.bytes, netdev_xmit_more()) ||
	    netif_xmit_stopped(sq->txq))
		cxr_en_sq_ring(sq);
	return NETDEV_TX_OK;
}

/*
 * The device sums TCP and UDP over IP, which may have extension headers; the stack does the rest,
 * as packets of PPPoE.
 */
static bool inserts_csum(const struct sk_buff *skb)
{
	switch (vlan_get_protocol(skb)) {
	case htons(ETH_P_IP):
	case htons(ETH_P_IPV6):
		return skb->csum_offset == offsetof(struct tcphdr, check) ||
		       skb->csum_offset == offsetof(struct udphdr, check);
	default:
		return false;
	}
}

netdev_features_t cxr_en_features_check(struct sk_buff *skb, struct net_device *ndev,
					netdev_features_t features)
{
	features = vlan_features_check(skb, features);
	if (skb->ip_summed == CHECKSUM_PARTIAL && !inserts_csum(skb))
		features &= ~(NETIF_F_CSUM_MASK | NETIF_F_GSO_MASK);
	if (skb->encapsulation)
		features = cxr_en_tunnel_features(netdev_priv(ndev), skb, features);
	if (skb_is_gso(skb) && gso_headers(skb) > CXR_EN_INLINE_MAX)
		features &= ~NETIF_F_GSO_MASK;
	return features;
}
