// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Transmit. A packet is one WQE: control segment, Ethernet segment with the inline headers that the
 * device needs, and a data segment for the rest of the linear part and for each fragment. Every WQE
 * requests a completion.
 *
 * A WQE may wrap at the end of the queue, and the pages of the queue are not contiguous: WQEs are
 * written in units of 16 bytes, each at its sq_at().
 */
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include "en.h"

#define DS_PER_BB	(PRM_WQE_BB / PRM_WQE_DS)
#define TX_POLL_MAX	256	/* packets in one poll */
#define INLINE_START	sizeof_field(struct prm_wqe_eth_seg, inline_hdr_start)

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

static void *sq_at(const struct cxr_en_sq *sq, unsigned int ds)
{
	size_t off = (size_t)(sq->pc & sq->mask) * PRM_WQE_BB + ds * PRM_WQE_DS;
	size_t size = (size_t)(sq->mask + 1) * PRM_WQE_BB;

	return cxr_buf_at(&sq->buf, off & (size - 1));
}

static u16 sq_room(const struct cxr_en_sq *sq)
{
	return sq->mask + 1 - (u16)(READ_ONCE(sq->pc) - READ_ONCE(sq->cc));
}

u16 cxr_en_tx_max_blocks(const struct cxr_core *core, u8 *max_ds)
{
	/* the size field of the control segment has six bits */
	*max_ds = min_t(unsigned int, core->caps.max_wqe_sz_sq / PRM_WQE_DS, 63);
	return DIV_ROUND_UP(*max_ds, DS_PER_BB);
}

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
	len = clamp_t(unsigned int, len, VLAN_ETH_HLEN, CXR_EN_INLINE_MAX);
	return min(len, skb_headlen(skb));
}

static void plan_packet(const struct cxr_en_sq *sq, const struct sk_buff *skb, struct tx_plan *plan)
{
	if (skb_is_gso(skb)) {
		plan->headers = skb_tcp_all_headers(skb);
		plan->jumbo = cxr_jumbo_header_len(skb);
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
		/* the tag is inserted into the inline headers, after the addresses */
		plan->headers = max_t(u16, plan->headers, 2 * ETH_ALEN);
		plan->inline_len = plan->headers + VLAN_HLEN;
		plan->bytes += plan->packets * VLAN_HLEN;
	} else {
		plan->inline_len = plan->headers;
	}
	plan->inline_len -= plan->jumbo;
	plan->header_ds = 2;
	if (plan->inline_len > INLINE_START)
		plan->header_ds += DIV_ROUND_UP(plan->inline_len - INLINE_START, PRM_WQE_DS);
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

/* The Ethernet segment with the inline headers. */
static void write_headers(struct cxr_en_sq *sq, const struct sk_buff *skb,
			  const struct tx_plan *plan)
{
	bool csum = skb->ip_summed == CHECKSUM_PARTIAL;
	u8 buf[CXR_EN_INLINE_MAX + VLAN_HLEN];
	unsigned int ds = 2, done, len;

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
	cxr_wqe_eth(sq_at(sq, 1), csum, plan->mss, buf, plan->inline_len);
	for (done = INLINE_START; done < plan->inline_len; done += len) {
		len = min_t(unsigned int, plan->inline_len - done, PRM_WQE_DS);
		memcpy(sq_at(sq, ds++), buf + done, len);
	}
}

static void unmap(struct device *dev, const struct cxr_en_tx_map *map)
{
	if (map->single)
		dma_unmap_single(dev, map->addr, map->len, DMA_TO_DEVICE);
	else
		dma_unmap_page(dev, map->addr, map->len, DMA_TO_DEVICE);
}

static int map_part(struct cxr_en_sq *sq, dma_addr_t addr, u32 len, bool single, unsigned int ds)
{
	struct cxr_en_tx_map *map = &sq->map[sq->map_pc & sq->map_mask];

	if (dma_mapping_error(sq->en->core->dev, addr))
		return -ENOMEM;

	*map = (struct cxr_en_tx_map){ .addr = addr, .len = len, .single = single };
	sq->map_pc++;
	cxr_wqe_data(sq_at(sq, ds), addr, sq->en->mkey, len);
	return 0;
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
		err = map_part(sq, addr, len, true, ds++);
	}
	for (i = 0; !err && i < skb_shinfo(skb)->nr_frags; i++) {
		const skb_frag_t *frag = &skb_shinfo(skb)->frags[i];
		u32 len = skb_frag_size(frag);

		addr = skb_frag_dma_map(dev, frag, 0, len, DMA_TO_DEVICE);
		err = map_part(sq, addr, len, false, ds++);
	}
	if (!err)
		return 0;

	while (sq->map_pc != start)
		unmap(dev, &sq->map[--sq->map_pc & sq->map_mask]);
	return err;
}

static void ring_doorbell(struct cxr_en_sq *sq)
{
	if (sq->rung == sq->pc)
		return;

	sq->rung = sq->pc;
	dma_wmb();	/* WQEs, then the doorbell record */
	sq->db.rec[1] = cpu_to_be32(sq->pc);
	wmb();		/* the record, then the doorbell */
	cxr_uar_ring(sq->uar, sq->last);
}

static void count_packet(struct cxr_en_sq *sq, const struct sk_buff *skb,
			 const struct tx_plan *plan)
{
	struct cxr_en_stats *stats = sq->stats;

	u64_stats_update_begin(&stats->sync);
	u64_stats_add(&stats->packets, plan->packets);
	u64_stats_add(&stats->bytes, plan->bytes);
	if (skb->ip_summed == CHECKSUM_PARTIAL)
		u64_stats_add(&stats->csum, plan->packets);
	if (plan->mss)
		u64_stats_inc(&stats->special);
	u64_stats_update_end(&stats->sync);
}

static netdev_tx_t drop_packet(struct cxr_en_sq *sq, struct sk_buff *skb)
{
	u64_stats_update_begin(&sq->stats->sync);
	u64_stats_inc(&sq->stats->dropped);
	u64_stats_update_end(&sq->stats->sync);
	dev_kfree_skb_any(skb);
	ring_doorbell(sq);	/* for earlier packets with xmit_more */
	return NETDEV_TX_OK;
}

/*
 * Senders without a qdisc choose the queue before they have its lock. Meanwhile there may be fewer
 * channels, but all queues that the netdev can have are started.
 */
static netdev_tx_t drop_without_channel(struct sk_buff *skb, struct net_device *ndev)
{
	dev_core_stats_tx_dropped_inc(ndev);
	dev_kfree_skb_any(skb);
	return NETDEV_TX_OK;
}

static void stop_if_full(struct cxr_en_sq *sq)
{
	if (likely(sq_room(sq) >= sq->stop_room))
		return;

	netif_tx_stop_queue(sq->txq);
	u64_stats_update_begin(&sq->stats->sync);
	u64_stats_inc(&sq->stats->stops);
	u64_stats_update_end(&sq->stats->sync);
	/* pairs with wake(): either we see the room, or wake() sees the stopped queue */
	smp_mb();
	if (sq_room(sq) >= sq->stop_room && !READ_ONCE(sq->failed))
		netif_tx_start_queue(sq->txq);
}

netdev_tx_t cxr_en_start_xmit(struct sk_buff *skb, struct net_device *ndev)
{
	struct cxr_en *en = netdev_priv(ndev);
	struct cxr_en_channel *ch = en->channels[skb_get_queue_mapping(skb)];
	struct cxr_en_tx_info *info;
	struct cxr_en_sq *sq;
	struct tx_plan plan;
	u32 map_start;

	if (unlikely(!ch))
		return drop_without_channel(skb, ndev);
	sq = &ch->sq;
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
	if (unlikely(sq_room(sq) < sq->stop_room)) {
		netif_tx_stop_queue(sq->txq);
		ring_doorbell(sq);
		return NETDEV_TX_BUSY;
	}
	map_start = sq->map_pc;
	if (unlikely(map_packet(sq, skb, &plan)))
		return drop_packet(sq, skb);

	skb_tx_timestamp(skb);
	write_headers(sq, skb, &plan);
	sq->last = sq_at(sq, 0);
	cxr_wqe_ctrl(sq->last, sq->sqn, sq->pc, plan.mss ? PRM_WQE_LSO : PRM_WQE_SEND, 0, plan.ds,
		     CXR_WQE_SIGNALED, 0);

	info = &sq->info[sq->pc & sq->mask];
	*info = (struct cxr_en_tx_info){
		.skb = skb,
		.bytes = plan.bytes,
		.blocks = DIV_ROUND_UP(plan.ds, DS_PER_BB),
		.maps = sq->map_pc - map_start,
	};
	count_packet(sq, skb, &plan);
	WRITE_ONCE(sq->pc, sq->pc + info->blocks);
	stop_if_full(sq);
	if (__netdev_tx_sent_queue(sq->txq, plan.bytes, netdev_xmit_more()) ||
	    netif_xmit_stopped(sq->txq))
		ring_doorbell(sq);
	return NETDEV_TX_OK;
}

netdev_features_t cxr_en_features_check(struct sk_buff *skb, struct net_device *ndev,
					netdev_features_t features)
{
	features = vlan_features_check(skb, features);
	if (skb_is_gso(skb) && skb_tcp_all_headers(skb) > CXR_EN_INLINE_MAX)
		features &= ~NETIF_F_GSO_MASK;
	return features;
}

/* Removes the packet at the consumer index from the queue. */
static void complete_packet(struct cxr_en_sq *sq, int budget, unsigned int *packets,
			    unsigned int *bytes)
{
	struct cxr_en_tx_info *info = &sq->info[sq->cc & sq->mask];
	unsigned int i;

	for (i = 0; i < info->maps; i++)
		unmap(sq->en->core->dev, &sq->map[sq->map_cc++ & sq->map_mask]);
	*packets += 1;
	*bytes += info->bytes;
	napi_consume_skb(info->skb, budget);
	info->skb = NULL;
	WRITE_ONCE(sq->cc, sq->cc + info->blocks);
}

static void fail_sq(struct cxr_en_sq *sq, const char *why)
{
	WRITE_ONCE(sq->failed, true);
	netif_tx_stop_queue(sq->txq);
	cxr_en_schedule_restart(sq->en, "send queue", sq->sqn, why);
}

static void wake(struct cxr_en_sq *sq)
{
	smp_mb();	/* sq->cc, then the state of the queue; pairs with stop_if_full() */
	if (unlikely(netif_tx_queue_stopped(sq->txq)) && sq_room(sq) >= sq->stop_room &&
	    !sq->failed)
		netif_tx_wake_queue(sq->txq);
}

bool cxr_en_tx_poll(struct cxr_en_sq *sq, int budget)
{
	unsigned int packets = 0, bytes = 0;
	struct prm_cqe64 *entry;
	struct cxr_cqe cqe;
	u16 at, posted;

	while (packets < TX_POLL_MAX && (entry = cxr_en_cq_next(&sq->cq))) {
		cxr_cqe_decode(entry, &cqe);
		if (unlikely(cqe.kind != CXR_CQE_REQ)) {
			atomic_long_inc(&sq->stats->errors);
			fail_sq(sq, cqe.kind == CXR_CQE_REQ_ERR ?
				cxr_cqe_syndrome_text(cqe.syndrome) : "unknown completion");
		}
		posted = READ_ONCE(sq->pc) - sq->cc;
		if (unlikely((u16)(cqe.wqe_counter - sq->cc) >= posted)) {
			fail_sq(sq, "completion of a WQE that was not posted");
			continue;
		}
		do {
			at = sq->cc;
			complete_packet(sq, budget, &packets, &bytes);
		} while ((u16)(cqe.wqe_counter - at) >= (u16)(sq->cc - at));
	}
	cxr_en_cq_update(&sq->cq);
	netdev_tx_completed_queue(sq->txq, packets, bytes);
	/* no completion, no new room: leave a stopped queue as it is */
	if (packets)
		wake(sq);
	return packets >= TX_POLL_MAX;
}

void cxr_en_tx_flush(struct cxr_en_sq *sq)
{
	unsigned int packets = 0, bytes = 0;

	while (sq->cc != sq->pc)
		complete_packet(sq, 0, &packets, &bytes);
	netdev_tx_reset_queue(sq->txq);
}
