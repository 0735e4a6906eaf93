// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Completions of send queues. See sq.h for what is posted. */
#include <net/xdp.h>
#include "sq.h"

#define POLL_MAX	256	/* packets in one poll */

u16 cxr_en_tx_max_blocks(const struct cxr_core *core, u8 *max_ds)
{
	/* the size field of the control segment has six bits */
	*max_ds = min_t(unsigned int, core->caps.max_wqe_sz_sq / PRM_WQE_DS, 63);
	return DIV_ROUND_UP(*max_ds, CXR_EN_DS_PER_BB);
}

static void unmap(struct device *dev, const struct cxr_en_tx_map *map)
{
	if (map->single)
		dma_unmap_single(dev, map->addr, map->len, DMA_TO_DEVICE);
	else
		dma_unmap_page(dev, map->addr, map->len, DMA_TO_DEVICE);
}

void cxr_en_sq_unmap(struct cxr_en_sq *sq, u32 start)
{
	while (sq->map_pc != start)
		unmap(sq->en->core->dev, &sq->map[--sq->map_pc & sq->map_mask]);
}

static void free_packet(const struct cxr_en_sq *sq, const struct cxr_en_tx_info *info, int budget)
{
	if (sq->txq)
		napi_consume_skb(info->skb, budget);
	else if (info->own && budget)	/* this NAPI context is the pool's */
		xdp_return_frame_rx_napi(info->xdpf);
	else
		xdp_return_frame(info->xdpf);
}

/* The sender of the packet learns when it was sent. */
static void pass_stamp(struct cxr_en_sq *sq, struct sk_buff *skb, u64 stamp)
{
	struct skb_shared_hwtstamps stamps = {
		.hwtstamp = cxr_clock_time(sq->en->core, stamp),
	};

	skb_tstamp_tx(skb, &stamps);
	atomic_long_inc(&sq->stats->stamps);
}

/* Frees the packet at @cc; returns the number of its blocks. */
static u8 complete_packet(struct cxr_en_sq *sq, u16 cc, int budget, unsigned int *packets,
			  unsigned int *bytes)
{
	struct cxr_en_tx_info *info = &sq->info[cc & sq->mask];
	unsigned int i;

	for (i = 0; i < info->maps; i++)
		unmap(sq->en->core->dev, &sq->map[sq->map_cc++ & sq->map_mask]);
	*packets += 1;
	*bytes += info->bytes;
	free_packet(sq, info, budget);
	info->skb = NULL;
	return info->blocks;
}

/* Flushed WQEs have errors, too. */
static void fail_sq(struct cxr_en_sq *sq, const char *why)
{
	if (sq->failed)
		return;
	WRITE_ONCE(sq->failed, true);
	if (sq->txq)
		netif_tx_stop_queue(sq->txq);
	cxr_en_report(sq->en, CXR_EN_TX, "send queue", sq->sqn, why);
}

static void wake(struct cxr_en_sq *sq)
{
	smp_mb();	/* sq->cc, then the state of the queue; pairs with stop_if_full() */
	if (unlikely(netif_tx_queue_stopped(sq->txq)) && cxr_en_sq_room(sq) >= sq->stop_room &&
	    !sq->failed)
		netif_tx_wake_queue(sq->txq);
}

/*
 * The CQ has as many entries as the SQ has blocks. Room in the SQ may be seen only when the CQ has
 * it, too: a sender on another CPU may fill it at once.
 */
static void release(struct cxr_en_sq *sq, u16 cc)
{
	cxr_en_cq_update(&sq->cq);
	if (cc == sq->cc)
		return;
	wmb();	/* the room in the CQ, for the device, then that in the SQ */
	/* after all use of the entries; pairs with cxr_en_sq_room() */
	smp_store_release(&sq->cc, cc);
}

bool cxr_en_tx_poll(struct cxr_en_sq *sq, int budget)
{
	unsigned int packets = 0, bytes = 0;
	struct prm_cqe64 *entry;
	struct cxr_cqe cqe;
	u16 cc = sq->cc;
	u16 at, posted;

	while (packets < POLL_MAX && (entry = cxr_en_cq_next(&sq->cq))) {
		cxr_cqe_decode(entry, &cqe);
		if (unlikely(cqe.kind != CXR_CQE_REQ)) {
			atomic_long_inc(&sq->stats->errors);
			fail_sq(sq, cqe.kind == CXR_CQE_REQ_ERR ?
				cxr_cqe_syndrome_text(cqe.syndrome) : "unknown completion");
		}
		posted = READ_ONCE(sq->pc) - cc;
		if (unlikely((u16)(cqe.wqe_counter - cc) >= posted)) {
			fail_sq(sq, "completion of a WQE that was not posted");
			continue;
		}
		do {
			at = cc;
			if (unlikely(sq->info[at & sq->mask].stamp) && cqe.kind == CXR_CQE_REQ)
				pass_stamp(sq, sq->info[at & sq->mask].skb,
					   cxr_cqe_timestamp(entry));
			cc += complete_packet(sq, at, budget, &packets, &bytes);
		} while ((u16)(cqe.wqe_counter - at) >= (u16)(cc - at));
	}
	release(sq, cc);
	if (!sq->txq)
		return packets >= POLL_MAX;

	netdev_tx_completed_queue(sq->txq, packets, bytes);
	/* no completion, no new room: leave a stopped queue as it is */
	if (packets)
		wake(sq);
	return packets >= POLL_MAX;
}

void cxr_en_tx_flush(struct cxr_en_sq *sq)
{
	unsigned int packets = 0, bytes = 0;

	while (sq->cc != sq->pc)
		sq->cc += complete_packet(sq, sq->cc, 0, &packets, &bytes);
	if (sq->txq)
		netdev_tx_reset_queue(sq->txq);
}
