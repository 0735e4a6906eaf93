// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * XDP: what a program does with a received packet, and packets that programs of this and other
 * interfaces send. Each channel has a queue for these (struct cxr_en_channel.xdp_sq): its NAPI
 * context sends what the program of the interface returns, and any CPU what is redirected to it.
 *
 * Who owns a buffer when: see RECEIVED PACKETS in cxr.h.
 */
#include <linux/bitfield.h>
#include <linux/bpf_trace.h>
#include <linux/filter.h>
#include "sq.h"

static u16 min_inline(const struct cxr_en_sq *sq, const struct xdp_frame *xdpf)
{
	unsigned int len = 0;

	if (sq->inline_mode == CXR_EN_INLINE_NONE)
		return 0;
	if (sq->inline_mode != CXR_EN_INLINE_L2)
		len = eth_get_headlen(sq->en->ndev, xdpf->data, xdpf->len);
	return cxr_en_sq_inline(len, xdpf->len);
}

/*
 * Data segment @ds for @len bytes from @off on. @own: the page is of a pool of this interface,
 * which has mapped it. 0 or -ENOMEM.
 */
static int add_part(struct cxr_en_sq *sq, struct page *page, u32 off, u32 len, bool own,
		    unsigned int ds)
{
	struct device *dev = sq->en->core->dev;
	dma_addr_t addr;

	if (!own) {
		addr = dma_map_page(dev, page, off, len, DMA_TO_DEVICE);
		return cxr_en_sq_map(sq, addr, len, false, ds);
	}
	addr = page_pool_get_dma_addr(page) + off;
	dma_sync_single_for_device(dev, addr, len, DMA_BIDIRECTIONAL);
	cxr_wqe_data(cxr_en_sq_at(sq, ds), addr, sq->en->mkey, len);
	return 0;
}

/* Data segments from @ds on, of all but @headers bytes. On failure nothing stays mapped. */
static int add_parts(struct cxr_en_sq *sq, struct xdp_frame *xdpf, bool own, u16 headers,
		     unsigned int ds, unsigned int frags)
{
	struct skb_shared_info *shinfo = xdp_get_shared_info_from_frame(xdpf);
	u8 *data = (u8 *)xdpf->data + headers;
	u32 start = sq->map_pc;
	unsigned int i;
	int err = 0;

	if (xdpf->len > headers)
		err = add_part(sq, virt_to_page(data), offset_in_page(data), xdpf->len - headers,
			       own, ds++);
	for (i = 0; !err && i < frags; i++) {
		const skb_frag_t *frag = &shinfo->frags[i];

		err = add_part(sq, skb_frag_page(frag), skb_frag_off(frag), skb_frag_size(frag),
			       own, ds++);
	}
	if (err)
		cxr_en_sq_unmap(sq, start);
	return err;
}

/* Posts @xdpf, which is freed when it is sent. False: it is not sent, the caller keeps it. */
static bool post_frame(struct cxr_en_sq *sq, struct xdp_frame *xdpf, bool own,
		       struct cxr_en_xdp_stats *stats)
{
	unsigned int frags = 0, ds, len = xdp_get_frame_len(xdpf);
	u16 headers = min_inline(sq, xdpf);
	u8 first = cxr_en_sq_header_ds(headers);
	struct cxr_en_tx_info info;
	u32 start = sq->map_pc;

	lockdep_assert_held(&sq->lock);
	if (unlikely(xdp_frame_has_frags(xdpf)))
		frags = xdp_get_shared_info_from_frame(xdpf)->nr_frags;
	ds = first + (xdpf->len > headers) + frags;
	if (unlikely(xdpf->len < ETH_HLEN || len > sq->max_frame || ds > sq->max_ds)) {
		cxr_en_xdp_count(stats, &stats->err, 1);
		return false;
	}
	if (unlikely(cxr_en_sq_room(sq) < sq->stop_room || READ_ONCE(sq->failed))) {
		cxr_en_xdp_count(stats, &stats->full, 1);
		return false;
	}
	if (unlikely(add_parts(sq, xdpf, own, headers, first, frags))) {
		cxr_en_xdp_count(stats, &stats->err, 1);
		return false;
	}
	cxr_en_sq_headers(sq, CXR_WQE_NO_CSUM, 0, xdpf->data, headers);
	info = (struct cxr_en_tx_info){
		.xdpf = xdpf,
		.own = own,
		.maps = sq->map_pc - start,
	};
	cxr_en_sq_post(sq, &info, PRM_WQE_SEND, ds);
	cxr_en_xdp_count(stats, &stats->xmit, 1);
	cxr_en_xdp_count(stats, &stats->bytes, len);
	return true;
}

/* ---- the program of the interface --------------------------------------- */

static bool send_back(struct cxr_en_rq *rq, struct xdp_buff *xdp)
{
	struct cxr_en_sq *sq = &container_of(rq, struct cxr_en_channel, rq)->xdp_sq;
	struct xdp_frame *xdpf = xdp_convert_buff_to_frame(xdp);
	bool sent;

	if (unlikely(!xdpf)) {
		cxr_en_xdp_count(rq->xdp_stats, &rq->xdp_stats->err, 1);
		return false;
	}
	spin_lock(&sq->lock);
	sent = post_frame(sq, xdpf, true, rq->xdp_stats);
	spin_unlock(&sq->lock);
	rq->xdp_sent |= sent;
	return sent;
}

enum cxr_en_xdp_verdict cxr_en_xdp_run(struct cxr_en_rq *rq, struct bpf_prog *prog,
				       struct xdp_buff *xdp)
{
	struct net_device *ndev = rq->en->ndev;
	u32 act = bpf_prog_run_xdp(prog, xdp);

	switch (act) {
	case XDP_PASS:
		return CXR_EN_XDP_PASS;
	case XDP_TX:
		if (likely(send_back(rq, xdp)))
			return CXR_EN_XDP_TAKEN;
		trace_xdp_exception(ndev, prog, act);
		break;
	case XDP_REDIRECT:
		/* also a failure may leave copies to be flushed */
		rq->xdp_redirected = true;
		if (likely(!xdp_do_redirect(ndev, xdp, prog))) {
			cxr_en_xdp_count(rq->xdp_stats, &rq->xdp_stats->redirect, 1);
			return CXR_EN_XDP_TAKEN;
		}
		trace_xdp_exception(ndev, prog, act);
		break;
	case XDP_DROP:
		break;
	default:
		bpf_warn_invalid_xdp_action(ndev, prog, act);
		fallthrough;
	case XDP_ABORTED:
		trace_xdp_exception(ndev, prog, act);
	}
	cxr_en_xdp_count(rq->xdp_stats, &rq->xdp_stats->drop, 1);
	return CXR_EN_XDP_DROPPED;
}

void cxr_en_xdp_flush(struct cxr_en_rq *rq)
{
	struct cxr_en_sq *sq = &container_of(rq, struct cxr_en_channel, rq)->xdp_sq;

	if (rq->xdp_sent) {
		spin_lock(&sq->lock);
		cxr_en_sq_ring(sq);
		spin_unlock(&sq->lock);
	}
	if (rq->xdp_redirected)
		xdp_do_flush();
	rq->xdp_sent = false;
	rq->xdp_redirected = false;
}

/* ---- what a program may ask about a packet ------------------------------ */

static const struct cxr_en_xdp_buff *buff_of(const struct xdp_md *ctx)
{
	return (const struct cxr_en_xdp_buff *)ctx;
}

static int __maybe_unused get_timestamp(const struct xdp_md *ctx, u64 *timestamp)
{
	const struct cxr_en_xdp_buff *buff = buff_of(ctx);
	const struct cxr_en *en = buff->rq->en;

	if (!READ_ONCE(en->stamp_rx))
		return -ENODATA;

	*timestamp = ktime_to_ns(cxr_clock_time(en->core, buff->stamp));
	return 0;
}

static int __maybe_unused get_hash(const struct xdp_md *ctx, u32 *hash,
				   enum xdp_rss_hash_type *type)
{
	static const enum xdp_rss_hash_type l3_types[] = {
		[PRM_CQE_RSS_IPV4] = XDP_RSS_L3_IPV4, [PRM_CQE_RSS_IPV6] = XDP_RSS_L3_IPV6, [3] = 0,
	};
	static const enum xdp_rss_hash_type l4_types[] = {
		[PRM_CQE_RSS_TCP] = XDP_RSS_L4 | XDP_RSS_L4_TCP,
		[PRM_CQE_RSS_UDP] = XDP_RSS_L4 | XDP_RSS_L4_UDP,
		[PRM_CQE_RSS_IPSEC] = XDP_RSS_L4 | XDP_RSS_L4_IPSEC,
	};
	const struct cxr_en_xdp_buff *buff = buff_of(ctx);
	u8 rss = buff->cqe->rss_type;

	if (!(buff->rq->en->ndev->features & NETIF_F_RXHASH))
		return -ENODATA;

	*hash = buff->cqe->rss_hash;
	*type = l3_types[FIELD_GET(PRM_CQE_RSS_L3, rss)] |
		l4_types[FIELD_GET(PRM_CQE_RSS_L4, rss)];
	return 0;
}

static int __maybe_unused get_vlan_tag(const struct xdp_md *ctx, __be16 *proto, u16 *tci)
{
	const struct cxr_cqe *cqe = buff_of(ctx)->cqe;

	if (!(cqe->flags & CXR_CQE_VLAN))
		return -ENODATA;

	*proto = htons(ETH_P_8021Q);
	*tci = cqe->tci;
	return 0;
}

CXR_XDP_METADATA_OPS(metadata_ops, get_timestamp, get_hash, get_vlan_tag);

void cxr_en_xdp_set_metadata(struct net_device *ndev)
{
	cxr_xdp_set_metadata(ndev, &metadata_ops);
}

/* ---- packets of others -------------------------------------------------- */

int cxr_en_xdp_xmit(struct net_device *ndev, int n, struct xdp_frame **frames, u32 flags)
{
	struct cxr_en *en = netdev_priv(ndev);
	struct cxr_en_xdp_stats *stats;
	unsigned int index;
	struct cxr_en_sq *sq;
	int i;

	if (unlikely(flags & ~XDP_XMIT_FLAGS_MASK))
		return -EINVAL;
	/* pairs with cxr_en_open_channels() */
	if (unlikely(!smp_load_acquire(&en->xdp_open) || cxr_core_dead(en->core)))
		return -ENETDOWN;

	index = smp_processor_id() % en->n_channels;
	sq = &en->channels[index]->xdp_sq;
	stats = &en->xdp_tx_stats[index];
	spin_lock(&sq->lock);
	for (i = 0; i < n && post_frame(sq, frames[i], false, stats); i++)
		;
	/* the kernel drops the others, too */
	if (unlikely(i + 1 < n))
		cxr_en_xdp_count(stats, &stats->full, n - i - 1);
	if (flags & XDP_XMIT_FLUSH || i < n)
		cxr_en_sq_ring(sq);
	spin_unlock(&sq->lock);
	return i;
}
