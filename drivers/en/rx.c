// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Receive. A WQE scatters a packet over buffers of a page pool. The first has room for the headroom
 * and the skb_shared_info of an skb, which is built around it: nothing is copied. Several packets
 * share a page if it is large enough; a packet that is longer than a page has more buffers, whole
 * pages, which become fragments. A program of XDP sees the packet in the same buffers before there
 * is an skb; then there is more headroom, and the pages are mapped for both directions.
 *
 * Who owns a buffer when: see RECEIVED PACKETS in cxr.h.
 */
#include <linux/bpf.h>
#include <linux/dma-mapping.h>
#include <linux/if_vlan.h>
#include <linux/skbuff.h>
#include "en.h"

#define FILL_BATCH	8U

/* What one poll adds to the statistics. */
struct counts {
	unsigned int packets, bytes, dropped, csum, special, inner_csum, zip_blocks, zip_packets;
};

static struct cxr_rx_memory memory(bool xdp)
{
	u32 align = max_t(u32, SMP_CACHE_BYTES, dma_get_cache_alignment());

	return (struct cxr_rx_memory){
		.page = PAGE_SIZE,
		.align = xdp && !CXR_XDP_SHARES_PAGES ? PAGE_SIZE : align,
		.head = (xdp ? XDP_PACKET_HEADROOM : NET_SKB_PAD) + NET_IP_ALIGN,
		.tail = SKB_DATA_ALIGN(sizeof(struct skb_shared_info)),
	};
}

void cxr_en_rx_layout(struct cxr_en_rq *rq, u16 mtu, bool xdp)
{
	struct cxr_rx_memory mem = memory(xdp);

	rq->layout = cxr_rx_layout(&mem, mtu + CXR_EN_OVERHEAD);
	rq->head = mem.head;
	rq->xdp = xdp;
}

u32 cxr_en_rx_max_mtu(unsigned int n, bool xdp)
{
	struct cxr_rx_memory mem = memory(xdp);

	return cxr_rx_max_frame(&mem, n) - CXR_EN_OVERHEAD;
}

static struct cxr_en_rx_buf *bufs_of(const struct cxr_en_rq *rq, u16 index)
{
	return &rq->bufs[(index & rq->mask) * rq->layout.n];
}

static bool shares_pages(const struct cxr_en_rq *rq)
{
	return rq->layout.size < PAGE_SIZE;
}

static enum dma_data_direction direction(const struct cxr_en_rq *rq)
{
	return rq->xdp ? DMA_BIDIRECTIONAL : DMA_FROM_DEVICE;
}

/* Tells XDP about the queue, and where its buffers come from. */
static int register_rxq(struct cxr_en_rq *rq, struct napi_struct *napi)
{
	unsigned int index = container_of(rq, struct cxr_en_channel, rq)->index;
	int err;

	err = __xdp_rxq_info_reg(&rq->xdp_rxq, rq->en->ndev, index, napi->napi_id,
				 rq->layout.n > 1 ? PAGE_SIZE : 0);
	if (err)
		return err;

	err = xdp_rxq_info_reg_mem_model(&rq->xdp_rxq, MEM_TYPE_PAGE_POOL, rq->pool);
	if (err)
		xdp_rxq_info_unreg(&rq->xdp_rxq);
	return err;
}

int cxr_en_rx_alloc(struct cxr_en_rq *rq, struct napi_struct *napi, int node)
{
	unsigned int n = (rq->mask + 1) * rq->layout.n;
	struct page_pool_params params = {
		.flags = PP_FLAG_DMA_MAP | PP_FLAG_DMA_SYNC_DEV |
			 (shares_pages(rq) ? CXR_PP_FLAG_PAGE_FRAG : 0),
		.pool_size = DIV_ROUND_UP(n, PAGE_SIZE / rq->layout.size),
		.nid = node,
		.dev = rq->en->core->dev,
		.dma_dir = direction(rq),
		.max_len = PAGE_SIZE,
		CXR_PAGE_POOL_USER(napi, rq->en->ndev)
	};
	int err;

	rq->bufs = kvcalloc(n, sizeof(*rq->bufs), GFP_KERNEL);
	if (!rq->bufs)
		return -ENOMEM;

	rq->pool = page_pool_create(&params);
	if (IS_ERR(rq->pool)) {
		err = PTR_ERR(rq->pool);
		goto err_free_bufs;
	}
	err = register_rxq(rq, napi);
	if (err)
		goto err_destroy_pool;
	return 0;

err_destroy_pool:
	page_pool_destroy(rq->pool);
err_free_bufs:
	kvfree(rq->bufs);
	return err;
}

/* One of the parts that packets share a page in. */
static int take_part(struct cxr_en_rq *rq, struct cxr_en_rx_buf *buf)
{
	u32 size = rq->layout.size;

	if (!rq->part.page) {
		rq->part.page = page_pool_dev_alloc_pages(rq->pool);
		if (unlikely(!rq->part.page))
			return -ENOMEM;
		rq->part.offset = 0;
		page_pool_fragment_page(rq->part.page, PAGE_SIZE / size);
	}
	*buf = rq->part;
	rq->part.offset += size;
	if (rq->part.offset + size > PAGE_SIZE)
		rq->part.page = NULL;
	return 0;
}

void cxr_en_rx_free(struct cxr_en_rq *rq)
{
	struct cxr_en_rx_buf part;
	struct page *page;
	unsigned int i;

	for (i = 0; i < (rq->mask + 1U) * rq->layout.n; i++) {
		page = rq->bufs[i].page;
		if (!page)
			continue;
		/* the pool unmaps it, and nobody gets it any more */
		if (unlikely(rq->undead))
			get_page(page);
		page_pool_put_full_page(rq->pool, page, false);
	}
	while (rq->part.page) {
		take_part(rq, &part);
		page_pool_put_full_page(rq->pool, part.page, false);
	}
	cxr_en_keep_pool_stats(rq->en, rq->pool);
	xdp_rxq_info_unreg(&rq->xdp_rxq);
	page_pool_destroy(rq->pool);
	kvfree(rq->bufs);
}

/* Gives buffer @i of a WQE, whose data segment is @seg, to the device. */
static int fill_buf(struct cxr_en_rq *rq, struct cxr_en_rx_buf *buf, unsigned int i,
		    struct prm_wqe_data_seg *seg)
{
	u32 skip = i ? 0 : rq->head, len = i ? PAGE_SIZE : rq->layout.room;
	dma_addr_t addr;

	if (shares_pages(rq)) {
		if (unlikely(take_part(rq, buf)))
			return -ENOMEM;
	} else {
		buf->offset = 0;
		buf->page = page_pool_dev_alloc_pages(rq->pool);
		if (unlikely(!buf->page))
			return -ENOMEM;
	}

	addr = page_pool_get_dma_addr(buf->page) + buf->offset + skip;
	cxr_wqe_data(seg, addr, rq->en->mkey, len);
	return 0;
}

static int post(struct cxr_en_rq *rq)
{
	/* a stride is a power of two, so the WQE is within a page */
	struct prm_wqe_data_seg *seg = cxr_buf_at(&rq->buf, (size_t)(rq->pc & rq->mask) <<
							    rq->log_stride);
	struct cxr_en_rx_buf *bufs = bufs_of(rq, rq->pc);
	unsigned int i;

	for (i = 0; i < rq->layout.n; i++)
		if (!bufs[i].page && unlikely(fill_buf(rq, &bufs[i], i, &seg[i])))
			return -ENOMEM;
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

/* ---- packets ------------------------------------------------------------ */

static void sync_for_cpu(const struct cxr_en_rq *rq, const struct cxr_en_rx_buf *buf, u32 skip,
			 u32 len)
{
	dma_sync_single_range_for_cpu(rq->en->core->dev, page_pool_get_dma_addr(buf->page),
				      buf->offset + skip, len, direction(rq));
}

/* The skb takes over buffers @bufs, which have @len bytes of a packet beyond the first buffer. */
static void add_frags(struct cxr_en_rq *rq, struct sk_buff *skb, struct cxr_en_rx_buf *bufs,
		      u32 len)
{
	unsigned int i;
	u32 part;

	for (i = 0; len; i++, len -= part) {
		part = min_t(u32, len, PAGE_SIZE);
		sync_for_cpu(rq, &bufs[i], 0, part);
		skb_add_rx_frag(skb, i, bufs[i].page, 0, part, PAGE_SIZE);
		bufs[i].page = NULL;
	}
}

/* An skb with the packet of @len bytes in @bufs. NULL: no memory, the buffers stay in the ring. */
static struct sk_buff *build(struct cxr_en_rq *rq, struct cxr_en_rx_buf *bufs, u32 len)
{
	void *va = page_address(bufs->page) + bufs->offset;
	u32 first = min(len, rq->layout.room);
	struct sk_buff *skb;

	skb = napi_build_skb(va, rq->layout.size);
	if (unlikely(!skb))
		return NULL;

	sync_for_cpu(rq, bufs, rq->head, first);
	skb_mark_for_recycle(skb);
	skb_reserve(skb, rq->head);
	__skb_put(skb, first);
	bufs->page = NULL;
	if (unlikely(len > first))
		add_frags(rq, skb, bufs + 1, len - first);
	return skb;
}

/* ---- packets for a program ---------------------------------------------- */

/* What add_frags() does for an skb. The buffers remain the ring's. */
static void add_xdp_frags(struct cxr_en_rq *rq, struct xdp_buff *xdp,
			  const struct cxr_en_rx_buf *bufs, u32 len)
{
	struct skb_shared_info *shinfo = xdp_get_shared_info_from_buff(xdp);
	unsigned int i;
	u32 part;

	xdp_buff_set_frags_flag(xdp);
	shinfo->xdp_frags_size = len;
	for (i = 0; len; i++, len -= part) {
		part = min_t(u32, len, PAGE_SIZE);
		sync_for_cpu(rq, &bufs[i], 0, part);
		cxr_frag_set(&shinfo->frags[i], bufs[i].page, 0, part);
		if (page_is_pfmemalloc(bufs[i].page))
			xdp_buff_set_frag_pfmemalloc(xdp);
	}
	shinfo->nr_frags = i;
	cxr_xdp_set_frags_truesize(shinfo, i * PAGE_SIZE);
}

static void init_xdp(struct cxr_en_rq *rq, struct xdp_buff *xdp, const struct cxr_en_rx_buf *bufs,
		     u32 len)
{
	void *va = page_address(bufs->page) + bufs->offset;
	u32 first = min(len, rq->layout.room);

	sync_for_cpu(rq, bufs, rq->head, first);
	xdp_init_buff(xdp, rq->layout.size, &rq->xdp_rxq);
	xdp_prepare_buff(xdp, va, rq->head, first, true);
	if (unlikely(len > first))
		add_xdp_frags(rq, xdp, bufs + 1, len - first);
}

/* An skb with the packet as the program has left it; NULL: no memory, it is dropped. */
static struct sk_buff *build_passed(struct xdp_buff *xdp)
{
	u32 frags_size = 0, meta = xdp->data - xdp->data_meta;
	struct skb_shared_info *shinfo;
	unsigned int frags = 0;
	struct sk_buff *skb;

	if (unlikely(xdp_buff_has_frags(xdp))) {
		shinfo = xdp_get_shared_info_from_buff(xdp);
		frags = shinfo->nr_frags;
		frags_size = shinfo->xdp_frags_size;
	}
	skb = napi_build_skb(xdp->data_hard_start, xdp->frame_sz);
	if (unlikely(!skb)) {
		xdp_return_buff(xdp);
		return NULL;
	}
	skb_mark_for_recycle(skb);
	skb_reserve(skb, xdp->data - xdp->data_hard_start);
	__skb_put(skb, xdp->data_end - xdp->data);
	if (meta)
		skb_metadata_set(skb, meta);
	if (unlikely(frags))
		cxr_xdp_update_skb(skb, xdp, frags, frags_size, frags * PAGE_SIZE);
	return skb;
}

/* The ring gives up the buffers of the packet. */
static void forget(struct cxr_en_rx_buf *bufs, u32 len, const struct cxr_en_rq *rq)
{
	unsigned int i, n = 1;

	if (len > rq->layout.room)
		n += DIV_ROUND_UP(len - rq->layout.room, PAGE_SIZE);
	for (i = 0; i < n; i++)
		bufs[i].page = NULL;
}

/*
 * NULL: the packet is not passed to the stack, nor counted as dropped unless memory is missing. The
 * buffer of a dropped packet stays in the ring, but not if it is of the emergency reserves.
 */
static struct sk_buff *run_prog(struct cxr_en_rq *rq, struct bpf_prog *prog,
				struct cxr_en_rx_buf *bufs, const struct cxr_cqe *cqe, u64 stamp,
				struct counts *counts)
{
	struct cxr_en_xdp_buff ctx = { .rq = rq, .cqe = cqe, .stamp = stamp };
	enum cxr_en_xdp_verdict verdict;
	struct xdp_buff *xdp = &ctx.xdp;
	struct sk_buff *skb = NULL;
	u32 len = cqe->byte_count;

	init_xdp(rq, xdp, bufs, len);
	verdict = cxr_en_xdp_run(rq, prog, xdp);
	if (verdict == CXR_EN_XDP_DROPPED && likely(len <= rq->layout.room) &&
	    likely(!page_is_pfmemalloc(bufs->page))) {
		dma_sync_single_range_for_device(rq->en->core->dev,
						 page_pool_get_dma_addr(bufs->page),
						 bufs->offset + rq->head, rq->layout.room,
						 direction(rq));
		return NULL;
	}
	forget(bufs, len, rq);
	if (verdict == CXR_EN_XDP_DROPPED) {
		/* the program may have freed some of the buffers */
		xdp_return_buff(xdp);
	} else if (verdict == CXR_EN_XDP_PASS) {
		skb = build_passed(xdp);
		counts->dropped += !skb;
	}
	return skb;
}

/* ---- what the device says of a packet ----------------------------------- */

/*
 * The device verifies TCP and UDP, also in tunnels that it knows. Of all other IP packets, and of
 * those whose checksum it found wrong, the stack gets the sum: ICMP, fragments, other tunnels; but
 * not if a program may have @changed the packet.
 */
static void set_csum(struct sk_buff *skb, const struct cxr_cqe *cqe, bool changed,
		     struct counts *counts)
{
	const u32 verified = CXR_CQE_L3_OK | CXR_CQE_L4_OK;

	if (likely((cqe->flags & verified) == verified &&
		   (cqe->flags & (CXR_CQE_TCP | CXR_CQE_UDP)))) {
		skb->ip_summed = CHECKSUM_UNNECESSARY;
		if (cqe->flags & CXR_CQE_TUNNELED) {
			skb->csum_level = 1;
			skb->encapsulation = 1;
			counts->inner_csum++;
		} else {
			counts->csum++;
		}
		return;
	}
	if (!changed && (cqe->flags & (CXR_CQE_IPV4 | CXR_CQE_IPV6)) &&
	    cxr_rx_sum_valid(skb->data, skb->len, be16_to_cpu(skb->protocol))) {
		skb->ip_summed = CHECKSUM_COMPLETE;
		skb->csum = csum_unfold((__force __sum16)cqe->check_sum);
		counts->special++;
	}
}

static void set_offload_results(struct cxr_en_rq *rq, struct sk_buff *skb,
				const struct cxr_cqe *cqe, struct net_device *ndev,
				bool changed, struct counts *counts)
{
	skb_record_rx_queue(skb, container_of(rq, struct cxr_en_channel, rq)->index);
	if ((ndev->features & NETIF_F_RXHASH) && cqe->rss_type)
		skb_set_hash(skb, cqe->rss_hash,
			     cqe->rss_type & PRM_CQE_RSS_L4 ? PKT_HASH_TYPE_L4 : PKT_HASH_TYPE_L3);
	if (cqe->flags & CXR_CQE_VLAN)
		__vlan_hwaccel_put_tag(skb, htons(ETH_P_8021Q), cqe->tci);
	skb->protocol = eth_type_trans(skb, ndev);
	if (ndev->features & NETIF_F_RXCSUM)
		set_csum(skb, cqe, changed, counts);
}

static void fail_rq(struct cxr_en_rq *rq, const char *why)
{
	rq->failed = true;
	atomic_long_inc(&rq->stats->errors);
	cxr_en_report(rq->en, CXR_EN_RX, "receive queue", rq->rqn, why);
}

/* False: the completion is not that of a packet. */
static bool valid(struct cxr_en_rq *rq, const struct cxr_cqe *cqe)
{
	u32 capacity = rq->layout.room + (rq->layout.n - 1) * PAGE_SIZE;

	if (unlikely(cqe->kind != CXR_CQE_RESP_SEND)) {
		fail_rq(rq, cqe->kind == CXR_CQE_RESP_ERR ? cxr_cqe_syndrome_text(cqe->syndrome) :
							    "unknown completion");
		return false;
	}
	if (unlikely(((cqe->wqe_counter ^ rq->cc) & rq->mask) || rq->cc == rq->pc)) {
		fail_rq(rq, "completion out of order");
		return false;
	}
	if (unlikely(cqe->byte_count < ETH_HLEN || cqe->byte_count > capacity)) {
		fail_rq(rq, "completion with an invalid length");
		return false;
	}
	return true;
}

static void count(struct cxr_en_stats *stats, const struct counts *counts)
{
	u64_stats_update_begin(&stats->sync);
	u64_stats_add(&stats->packets, counts->packets);
	u64_stats_add(&stats->bytes, counts->bytes);
	u64_stats_add(&stats->dropped, counts->dropped);
	u64_stats_add(&stats->csum, counts->csum);
	u64_stats_add(&stats->special, counts->special);
	u64_stats_add(&stats->inner_csum, counts->inner_csum);
	u64_stats_add(&stats->zip_blocks, counts->zip_blocks);
	u64_stats_add(&stats->zip_packets, counts->zip_packets);
	u64_stats_update_end(&stats->sync);
}

/*
 * The next completion of a session. The device has not written all of its entries: they must not
 * look like valid ones when the queue gets there again.
 */
static void take(struct cxr_en_rq *rq, struct cxr_cqe *cqe, u64 *stamp, struct counts *counts)
{
	int entry = cxr_cqe_session_entry(&rq->session);
	struct cxr_en_cq *cq = &rq->cq;

	if (entry >= 0)
		cxr_cqe_session_load(&rq->session, cxr_en_cq_entry(cq, cq->ci + entry));
	cxr_cqe_session_take(&rq->session, cqe);
	*stamp = rq->session.stamp;
	cxr_cqe_invalidate(cxr_en_cq_entry(cq, cq->ci++));
	counts->zip_packets++;
}

/* False: there is no completion. Of one that is none of a packet *cqe tells the kind. */
static bool next(struct cxr_en_rq *rq, struct cxr_cqe *cqe, u64 *stamp, struct counts *counts)
{
	const struct prm_cqe64 *entry;

	if (cxr_cqe_session_left(&rq->session)) {
		take(rq, cqe, stamp, counts);
		return true;
	}
	entry = cxr_en_cq_next(&rq->cq);
	if (!entry)
		return false;
	if (!rq->zip || !cxr_cqe_is_compressed(entry)) {
		cxr_cqe_decode_packet(entry, cqe);
		*stamp = cxr_cqe_timestamp(entry);
		return true;
	}
	if (unlikely(!cxr_cqe_session_start(&rq->session, entry, 1U << rq->cq.log_size))) {
		cqe->kind = CXR_CQE_UNKNOWN;
		return true;
	}
	rq->cq.ci--;	/* the entry is the first one of the session */
	counts->zip_blocks++;
	take(rq, cqe, stamp, counts);
	return true;
}

/* The skb of the packet at the consumer index, or NULL. */
static struct sk_buff *receive(struct cxr_en_rq *rq, struct bpf_prog *prog,
			       const struct cxr_cqe *cqe, u64 stamp, struct counts *counts)
{
	struct cxr_en_rx_buf *bufs = bufs_of(rq, rq->cc++);
	struct sk_buff *skb;

	counts->packets++;
	counts->bytes += cqe->byte_count;
	if (prog)
		return run_prog(rq, prog, bufs, cqe, stamp, counts);
	skb = build(rq, bufs, cqe->byte_count);
	counts->dropped += !skb;
	return skb;
}

int cxr_en_rx_poll(struct cxr_en_rq *rq, struct napi_struct *napi, int budget)
{
	struct bpf_prog *prog = rq->xdp ? rcu_dereference_bh(rq->en->xdp_prog) : NULL;
	bool stamps = READ_ONCE(rq->en->stamp_rx);
	struct counts counts = {};
	struct sk_buff *skb;
	struct cxr_cqe cqe;
	u64 stamp;
	int done;

	for (done = 0; done < budget && next(rq, &cqe, &stamp, &counts); done++) {
		/* after a failure the rest is flushed, and rq->cc is not valid any more */
		if (unlikely(rq->failed || !valid(rq, &cqe)))
			continue;
		skb = receive(rq, prog, &cqe, stamp, &counts);
		if (unlikely(!skb))
			continue;
		set_offload_results(rq, skb, &cqe, napi->dev, prog, &counts);
		if (unlikely(stamps))
			skb_hwtstamps(skb)->hwtstamp = cxr_clock_time(rq->en->core, stamp);
		napi_gro_receive(napi, skb);
	}
	if (prog)
		cxr_en_xdp_flush(rq);
	if (counts.zip_packets)
		dma_wmb();	/* the owner bits, then the room that lets the device write there */
	cxr_en_cq_update(&rq->cq);
	count(rq->stats, &counts);
	return done;
}
