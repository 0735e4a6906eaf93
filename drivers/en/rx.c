// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Receive. A WQE scatters a packet over whole pages of a page pool, as many as the MTU needs. A
 * short packet is copied and its pages stay in the ring; of a longer one the headers are copied and
 * the pages become fragments, which return to the pool when the stack frees them.
 */
#include <linux/if_vlan.h>
#include <linux/skbuff.h>
#include CXR_PAGE_POOL_H
#include "en.h"

#define FILL_BATCH	8U

u8 cxr_en_rx_pages(u16 mtu)
{
	return DIV_ROUND_UP(mtu + CXR_EN_OVERHEAD, PAGE_SIZE);
}

static struct page **pages_of(const struct cxr_en_rq *rq, u16 index)
{
	return &rq->pages[(index & rq->mask) * rq->n_pages];
}

int cxr_en_rx_alloc(struct cxr_en_rq *rq, struct device *dev, int node)
{
	unsigned int n = (rq->mask + 1) * rq->n_pages;
	struct page_pool_params params = {
		.flags = PP_FLAG_DMA_MAP | PP_FLAG_DMA_SYNC_DEV,
		.pool_size = n,
		.nid = node,
		.dev = dev,
		.dma_dir = DMA_FROM_DEVICE,
		.max_len = PAGE_SIZE,
	};

	rq->pages = kvcalloc(n, sizeof(*rq->pages), GFP_KERNEL);
	if (!rq->pages)
		return -ENOMEM;

	rq->pool = page_pool_create(&params);
	if (IS_ERR(rq->pool)) {
		kvfree(rq->pages);
		return PTR_ERR(rq->pool);
	}
	return 0;
}

void cxr_en_rx_free(struct cxr_en_rq *rq)
{
	unsigned int i;

	for (i = 0; i < (rq->mask + 1U) * rq->n_pages; i++)
		if (rq->pages[i])
			page_pool_put_full_page(rq->pool, rq->pages[i], false);
	page_pool_destroy(rq->pool);
	kvfree(rq->pages);
}

static int post(struct cxr_en_rq *rq)
{
	/* a stride is a power of two, so the WQE is within a page */
	struct prm_wqe_data_seg *seg = cxr_buf_at(&rq->buf, (size_t)(rq->pc & rq->mask) <<
							    rq->log_stride);
	struct page **pages = pages_of(rq, rq->pc);
	unsigned int i;

	for (i = 0; i < rq->n_pages; i++) {
		if (pages[i])
			continue;
		pages[i] = page_pool_dev_alloc_pages(rq->pool);
		if (unlikely(!pages[i]))
			return -ENOMEM;
		cxr_wqe_data(&seg[i], page_pool_get_dma_addr(pages[i]), rq->en->mkey, PAGE_SIZE);
	}
	if (i < (1U << rq->log_stride) / PRM_WQE_DS)
		cxr_wqe_data(&seg[i], 0, rq->en->core->terminate_lkey, 0);
	rq->pc++;
	return 0;
}

bool cxr_en_rx_fill(struct cxr_en_rq *rq)
{
	unsigned int room = rq->mask + 1 - (u16)(rq->pc - rq->cc);
	int err = 0;

	if (room < FILL_BATCH || rq->failed)
		return true;

	while (room && !err) {
		err = post(rq);
		room--;
	}
	if (unlikely(err)) {
		u64_stats_update_begin(&rq->stats->sync);
		u64_stats_inc(&rq->stats->stops);
		u64_stats_update_end(&rq->stats->sync);
	}
	dma_wmb();	/* WQEs, then the doorbell record */
	rq->db.rec[0] = cpu_to_be32(rq->pc);
	return !err;
}

/* An skb with the packet of @len bytes in @pages. NULL: no memory, the pages stay in the ring. */
static struct sk_buff *build(struct cxr_en_rq *rq, struct napi_struct *napi, struct page **pages,
			     u32 len)
{
	dma_addr_t addr = page_pool_get_dma_addr(pages[0]);
	struct device *dev = rq->en->core->dev;
	u32 first = min_t(u32, len, PAGE_SIZE);
	void *va = page_address(pages[0]);
	unsigned int head, i, part;
	struct sk_buff *skb;

	skb = napi_alloc_skb(napi, CXR_EN_RX_COPY);
	if (unlikely(!skb))
		return NULL;

	dma_sync_single_for_cpu(dev, addr, first, DMA_FROM_DEVICE);
	if (len <= CXR_EN_RX_COPY) {
		skb_put_data(skb, va, len);
		dma_sync_single_for_device(dev, addr, first, DMA_FROM_DEVICE);
		return skb;
	}

	head = eth_get_headlen(napi->dev, va, CXR_EN_RX_COPY);
	skb_put_data(skb, va, head);
	/* the skb takes over the pages */
	skb_add_rx_frag(skb, 0, pages[0], head, first - head, PAGE_SIZE);
	pages[0] = NULL;
	for (i = 1, len -= first; len; i++, len -= part) {
		part = min_t(u32, len, PAGE_SIZE);
		addr = page_pool_get_dma_addr(pages[i]);
		dma_sync_single_for_cpu(dev, addr, part, DMA_FROM_DEVICE);
		skb_add_rx_frag(skb, i, pages[i], 0, part, PAGE_SIZE);
		pages[i] = NULL;
	}
	skb_mark_for_recycle(skb);
	return skb;
}

static void set_offload_results(struct cxr_en_rq *rq, struct sk_buff *skb,
				const struct cxr_cqe *cqe, struct napi_struct *napi)
{
	const u32 verified = CXR_CQE_L3_OK | CXR_CQE_L4_OK;
	netdev_features_t features = napi->dev->features;

	skb_record_rx_queue(skb, container_of(rq, struct cxr_en_channel, rq)->index);
	if ((features & NETIF_F_RXHASH) && cqe->rss_type)
		skb_set_hash(skb, cqe->rss_hash,
			     cqe->rss_type & PRM_CQE_RSS_L4 ? PKT_HASH_TYPE_L4 : PKT_HASH_TYPE_L3);
	if ((features & NETIF_F_RXCSUM) && (cqe->flags & verified) == verified &&
	    (cqe->flags & (CXR_CQE_TCP | CXR_CQE_UDP)))
		skb->ip_summed = CHECKSUM_UNNECESSARY;
	if (cqe->flags & CXR_CQE_VLAN)
		__vlan_hwaccel_put_tag(skb, htons(ETH_P_8021Q), cqe->vlan);
	skb->protocol = eth_type_trans(skb, napi->dev);
}

static void fail_rq(struct cxr_en_rq *rq, const char *why)
{
	rq->failed = true;
	atomic_long_inc(&rq->stats->errors);
	cxr_en_schedule_restart(rq->en, "receive queue", rq->rqn, why);
}

/* False: the completion is not that of a packet. */
static bool valid(struct cxr_en_rq *rq, const struct cxr_cqe *cqe)
{
	if (unlikely(cqe->kind != CXR_CQE_RESP_SEND)) {
		fail_rq(rq, cqe->kind == CXR_CQE_RESP_ERR ? cxr_cqe_syndrome_text(cqe->syndrome) :
							    "unknown completion");
		return false;
	}
	if (unlikely(((cqe->wqe_counter ^ rq->cc) & rq->mask) || rq->cc == rq->pc)) {
		fail_rq(rq, "completion out of order");
		return false;
	}
	if (unlikely(cqe->byte_count < ETH_HLEN || cqe->byte_count > rq->n_pages * PAGE_SIZE)) {
		fail_rq(rq, "completion with an invalid length");
		return false;
	}
	return true;
}

int cxr_en_rx_poll(struct cxr_en_rq *rq, struct napi_struct *napi, int budget)
{
	unsigned int packets = 0, bytes = 0, dropped = 0, csum = 0;
	struct prm_cqe64 *entry;
	struct sk_buff *skb;
	struct cxr_cqe cqe;
	int done;

	for (done = 0; done < budget && (entry = cxr_en_cq_next(&rq->cq)); done++) {
		cxr_cqe_decode(entry, &cqe);
		/* after a failure the rest is flushed, and rq->cc is not valid any more */
		if (unlikely(rq->failed || !valid(rq, &cqe)))
			continue;
		skb = build(rq, napi, pages_of(rq, rq->cc), cqe.byte_count);
		rq->cc++;
		if (unlikely(!skb)) {
			dropped++;
			continue;
		}
		set_offload_results(rq, skb, &cqe, napi);
		packets++;
		bytes += cqe.byte_count;
		csum += skb->ip_summed == CHECKSUM_UNNECESSARY;
		napi_gro_receive(napi, skb);
	}
	cxr_en_cq_update(&rq->cq);
	u64_stats_update_begin(&rq->stats->sync);
	u64_stats_add(&rq->stats->packets, packets);
	u64_stats_add(&rq->stats->bytes, bytes);
	u64_stats_add(&rq->stats->dropped, dropped);
	u64_stats_add(&rq->stats->csum, csum);
	u64_stats_update_end(&rq->stats->sync);
	return done;
}
