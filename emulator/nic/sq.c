// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The Ethernet state of a function, and the send side: SQs from doorbell to wire. */
#include <stdlib.h>
#include <string.h>

#include "nic/nic.h"
#include "func/hca.h"
#include "port/lag.h"
#include "prm/cqe.h"
#include "prm/eqe.h"
#include "prm/vport.h"
#include "prm/wqe.h"

#define DEFAULT_MTU 1500
#define DEFAULT_PORT_MTU 1522
#define LSO_MAX (1u << ETH_LOG_MAX_LSO)
#define BURST_ROOM 256 /* places in the queues of the wire that one LSO may need */
#define IPPROTO_TCP 6
#define TCP_FIN 0x01
#define TCP_PSH 0x08
#define TCP_CWR 0x80

/* ---- state ---- */

/* The mode that the card advertises decides which WQEs are right. */
static uint8_t card_inline_mode(struct cxdev *dev)
{
	uint32_t page[CAP_BYTES / 4] = {}, max[CAP_BYTES / 4] = {};
	const struct prm_per_protocol_networking_offload_caps *caps = (const void *)page;

	if (!dev->card || !dev->card->caps || dev->card->caps(dev, CAP_ETH, page, max))
		return PRM_INLINE_MODE_NOT_REQUIRED;
	return prm_get(caps, wqe_inline_mode);
}

void eth_state_reset(struct cxdev *dev)
{
	struct eth_state *eth = dev->eth;
	unsigned int i;

	for (i = 0; i < LIST_TYPES; i++)
		free(eth->lists[i].entries);
	memset(eth, 0, sizeof(*eth));
	memcpy(eth->mac, dev->mac, 6);
	eth->mtu = DEFAULT_MTU;
	eth->port_mtu = DEFAULT_PORT_MTU;
	eth->min_inline = PRM_VPORT_INLINE_L2;
	eth->inline_mode = card_inline_mode(dev);
	eth->proto_admin = UINT32_MAX;
	snprintf((char *)eth->node_desc, sizeof(eth->node_desc), "cxemu %s", dev->name);

	memset(dev->roce_addrs, 0, sizeof(dev->roce_addrs));
	dev->roce_enabled = false;
	if (dev->port) {
		port_set_admin(dev->port, true);
		port_flush(dev->port);
	}
}

int eth_state_create(struct cxdev *dev)
{
	dev->eth = calloc(1, sizeof(*dev->eth));
	if (!dev->eth)
		return -1;
	eth_state_reset(dev);
	return 0;
}

void eth_state_destroy(struct cxdev *dev)
{
	unsigned int i;

	if (!dev->eth)
		return;
	for (i = 0; i < LIST_TYPES; i++)
		free(dev->eth->lists[i].entries);
	free(dev->eth);
	dev->eth = NULL;
}

void eth_status(struct cxdev *dev, FILE *out)
{
	const struct eth_counters *n = &dev->eth->counters;

	fprintf(out, "  eth: tx %llu unicast %llu multicast %llu broadcast, rx %llu %llu %llu; ",
		(unsigned long long)n->tx_unicast.packets,
		(unsigned long long)n->tx_multicast.packets,
		(unsigned long long)n->tx_broadcast.packets,
		(unsigned long long)n->rx_unicast.packets,
		(unsigned long long)n->rx_multicast.packets,
		(unsigned long long)n->rx_broadcast.packets);
	fprintf(out, "not received: no buffer %llu, no rule %llu, queue off %llu, too long %llu\n",
		(unsigned long long)n->rx_no_buffer, (unsigned long long)n->rx_no_rule,
		(unsigned long long)n->rx_queue_off, (unsigned long long)n->rx_oversize);
}

/* ---- completions and errors of SQs ---- */

struct wqe {
	uint32_t raw[63 * PRM_WQE_DS / 4]; /* whole WQE, however it lies in the queue */
	uint16_t index;
	uint8_t opcode, ce;
	unsigned int ds, bbs;
};

static void complete(struct sq *sq, const struct wqe *wqe)
{
	struct prm_cqe64 cqe = {};

	cqe.srqn = cpu_to_be32(prm_get(&sq->ctx, user_index));
	cqe.sop_drop_qpn = cpu_to_be32((uint32_t)wqe->opcode << 24 | sq->obj.num);
	cqe.wqe_counter = cpu_to_be16(wqe->index);
	cqe.op_own = PRM_CQE_REQ << PRM_CQE_OPCODE_SHIFT;
	cq_push(sq->cq, &cqe, wqe->ce == PRM_WQE_CE_ALWAYS_EQE);
}

static void complete_error(struct sq *sq, uint8_t opcode, uint16_t index, uint8_t syndrome)
{
	struct prm_err_cqe cqe = {};

	cqe.srqn = cpu_to_be32(prm_get(&sq->ctx, user_index));
	cqe.syndrome = syndrome;
	cqe.s_wqe_opcode_qpn = cpu_to_be32((uint32_t)opcode << 24 | sq->obj.num);
	cqe.wqe_counter = cpu_to_be16(index);
	cqe.op_own = PRM_CQE_REQ_ERR << PRM_CQE_OPCODE_SHIFT;
	cq_push(sq->cq, (struct prm_cqe64 *)&cqe, true);
}

/*
 * A WQE that the device cannot run: its completion, the error state, the event. What was posted
 * behind it is flushed.
 */
static void fail(struct sq *sq, const struct wqe *wqe, uint8_t syndrome)
{
	struct prm_eqe_qp_srq data = { .type = PRM_EQE_RSC_SQ,
				       .qp_srq_n = cpu_to_be32(sq->obj.num) };

	sq->state = PRM_WQ_ERR;
	sq->obj.dev->eth->counters.tx_errors.packets++;
	complete_error(sq, wqe->opcode, wqe->index, syndrome);
	event_push(sq->obj.dev, PRM_EVENT_WQ_CATAS_ERROR, 0, &data, sizeof(data));
}

void sq_reset(struct sq *sq)
{
	work_cancel(&sq->work);
	sq->state = PRM_WQ_RST;
	sq->ci = 0;
	sq->pi = 0;
}

void sq_to_error(struct sq *sq)
{
	sq->state = PRM_WQ_ERR;
	if (sq->ci != sq->pi)
		work_queue(&sq->work);
}

/* ---- WQEs ---- */

static int read_blocks(struct sq *sq, uint16_t block, void *buf, size_t len)
{
	uint64_t size = (uint64_t)PRM_WQE_BB << sq->log_size,
		 at = (uint64_t)block * PRM_WQE_BB % size;
	size_t first = at + len > size ? size - at : len;

	if (pages_read(sq->obj.dev, &sq->pages, at, buf, first))
		return -1;
	return first < len ?
		       pages_read(sq->obj.dev, &sq->pages, 0, (uint8_t *)buf + first, len - first) :
		       0;
}

/* The WQE at the consumer index; false: it is no WQE, and wqe->bbs says how far to go on. */
static bool fetch(struct sq *sq, struct wqe *wqe)
{
	struct prm_wqe_ctrl_seg *ctrl = (void *)wqe->raw;
	unsigned int posted = (uint16_t)(sq->pi - sq->ci), index;
	struct cxdev *dev = sq->obj.dev;

	wqe->index = sq->ci;
	wqe->opcode = PRM_WQE_NOP;
	wqe->bbs = 1;
	if (read_blocks(sq, sq->ci, ctrl, sizeof(*ctrl)))
		return false;
	wqe->opcode = be32_to_cpu(ctrl->opmod_idx_opcode) & 0xff;
	wqe->ce = ctrl->fm_ce_se & PRM_WQE_CE_ALWAYS_EQE;
	wqe->ds = be32_to_cpu(ctrl->qpn_ds) & 0x3f;
	index = be32_to_cpu(ctrl->opmod_idx_opcode) >> 8 & 0xffff;
	if (!wqe->ds) {
		violation(dev, "SQ 0x%x: WQE %u has no size", sq->obj.num, sq->ci);
		return false;
	}
	wqe->bbs = (wqe->ds + 3) / 4;
	if (wqe->bbs > posted) {
		violation(dev, "SQ 0x%x: WQE %u of %u blocks goes beyond the producer index %u",
			  sq->obj.num, sq->ci, wqe->bbs, sq->pi);
		wqe->bbs = posted;
		return false;
	}
	if (index != sq->ci || be32_to_cpu(ctrl->qpn_ds) >> 8 != sq->obj.num) {
		violation(dev, "SQ 0x%x: at index %u stands WQE %u of queue 0x%x", sq->obj.num,
			  sq->ci, index, be32_to_cpu(ctrl->qpn_ds) >> 8);
		return false;
	}
	return !read_blocks(sq, sq->ci, wqe->raw, wqe->ds * PRM_WQE_DS);
}

/*
 * What a WQE says of the frame: the Ethernet segment, the inline headers, where the data segments
 * begin.
 */
struct tx {
	struct sq *sq;
	const struct wqe *wqe;
	const struct prm_wqe_eth_seg *eseg;
	const uint8_t *header;
	unsigned int header_len, first_seg;
	bool insert_vlan;
};

static uint8_t refuse_wqe(const struct tx *tx, const char *why)
{
	violation(tx->sq->obj.dev, "SQ 0x%x: WQE %u (opcode 0x%02x): %s", tx->sq->obj.num,
		  tx->wqe->index, tx->wqe->opcode, why);
	return PRM_CQE_SYND_LOCAL_QP_OP;
}

/* 0, or the syndrome. */
static uint8_t parse_tx(struct tx *tx)
{
	const uint8_t *raw = (const uint8_t *)tx->wqe->raw;
	struct eth_state *eth = tx->sq->obj.dev->eth;
	unsigned int sz;

	if (!tx->sq->tis)
		return refuse_wqe(tx, "the SQ has no TIS");
	if (tx->wqe->ds < 3)
		return refuse_wqe(tx, "too small for a frame");
	tx->eseg = (const void *)(raw + PRM_WQE_DS);
	if (tx->eseg->swp_outer_l4_offset || tx->eseg->swp_outer_l3_offset ||
	    tx->eseg->swp_inner_l4_offset || tx->eseg->swp_inner_l3_offset || tx->eseg->swp_flags)
		return refuse_wqe(tx, "software parsing is not advertised");
	if (tx->eseg->cs_flags & ~(PRM_WQE_ETH_L3_CSUM | PRM_WQE_ETH_L4_CSUM))
		return refuse_wqe(tx, "cs_flags that are not advertised");

	sz = be16_to_cpu(tx->eseg->inline_hdr_sz);
	tx->insert_vlan = sz & PRM_WQE_ETH_INSERT_VLAN;
	tx->first_seg = 2;
	if (tx->insert_vlan && !tx->sq->obj.dev->card->vlan_insert)
		return refuse_wqe(tx, "VLAN insertion is not advertised");
	if (tx->insert_vlan) {
		if (sz & ~(PRM_WQE_ETH_INSERT_VLAN | 1))
			return refuse_wqe(tx,
					  "VLAN insertion and inline headers exclude each other");
	} else if (sz) {
		tx->header = raw + PRM_WQE_DS + offsetof(struct prm_wqe_eth_seg, inline_hdr_start);
		tx->header_len = sz;
		if (sz > 2)
			tx->first_seg += (sz - 2 + PRM_WQE_DS - 1) / PRM_WQE_DS;
		if (tx->first_seg > tx->wqe->ds)
			return refuse_wqe(tx, "the inline header is longer than the WQE");
	}
	if (tx->header_len < 14 &&
	    (eth->inline_mode == PRM_INLINE_MODE_L2 ||
	     (eth->inline_mode == PRM_INLINE_MODE_VPORT &&
	      prm_get(&tx->sq->ctx, min_wqe_inline_mode) != PRM_VPORT_INLINE_NONE)))
		return refuse_wqe(tx, "the layer 2 header must be inline");
	return 0;
}

static uint8_t read_segment(const struct tx *tx, const struct prm_wqe_data_seg *seg, uint8_t *buf,
			    uint32_t len)
{
	struct mem_user user = { .pdn = tx->sq->pd->num, .qpn = MEM_ANY_QP };
	enum mem_result result = mem_read(tx->sq->obj.dev, user, be32_to_cpu(seg->lkey),
					  be64_to_cpu(seg->addr), buf, len, MEM_LOCAL_READ);

	if (result == MEM_OK)
		return 0;
	violation(tx->sq->obj.dev, "SQ 0x%x: WQE %u: lkey 0x%x, %u bytes at 0x%llx: %s",
		  tx->sq->obj.num, tx->wqe->index, be32_to_cpu(seg->lkey), len,
		  (unsigned long long)be64_to_cpu(seg->addr), mem_result_text(result));
	return PRM_CQE_SYND_LOCAL_PROT;
}

/* The data segments' bytes, one after the other; *len is what they had. 0, or the syndrome. */
static uint8_t gather(const struct tx *tx, uint8_t *buf, uint32_t room, uint32_t *len)
{
	const uint8_t *raw = (const uint8_t *)tx->wqe->raw;
	unsigned int ds = tx->first_seg;
	uint8_t syndrome;

	*len = 0;
	while (ds < tx->wqe->ds) {
		const struct prm_wqe_data_seg *seg = (const void *)(raw + ds * PRM_WQE_DS);
		uint32_t count = be32_to_cpu(seg->byte_count);
		bool is_inline = count & PRM_WQE_INLINE;
		uint32_t n = is_inline ? count & PRM_WQE_INLINE_MASK : count ? count : 1u << 31;
		unsigned int used = is_inline ?
					    (sizeof(struct prm_wqe_inline_seg) + n + PRM_WQE_DS -
					     1) / PRM_WQE_DS :
					    1;

		if (n > room - *len || ds + used > tx->wqe->ds) {
			violation(tx->sq->obj.dev,
				  "SQ 0x%x: WQE %u has more data than a packet may have",
				  tx->sq->obj.num, tx->wqe->index);
			return PRM_CQE_SYND_LOCAL_LENGTH;
		}
		if (is_inline) {
			memcpy(buf + *len, (const uint8_t *)seg + sizeof(struct prm_wqe_inline_seg),
			       n);
		} else {
			syndrome = read_segment(tx, seg, buf + *len, n);
			if (syndrome)
				return syndrome;
		}
		*len += n;
		ds += used;
	}
	return 0;
}

/* ---- frames ---- */

static struct port *tx_port(const struct tis *tis, const struct frame *frame)
{
	unsigned int affinity = prm_get(&tis->ctx, lag_tx_port_affinity);

	if (prm_get(&tis->ctx, strict_lag_tx_port_affinity))
		return lag_strict_port(tis->obj.dev, affinity);
	return lag_tx_port(tis->obj.dev, affinity, frame);
}

static void transmit(struct sq *sq, struct frame *frame)
{
	struct cxdev *dev = sq->obj.dev;
	struct eth_counters *counters = &dev->eth->counters;
	struct traffic *traffic = &counters->tx_unicast;

	/* The port's MTU counts the FCS. */
	if (frame->len < 14 || frame->len + 4u > dev->eth->port_mtu) {
		violation(dev, "SQ 0x%x: a frame of %u bytes, the port's MTU is %u with FCS",
			  sq->obj.num, frame->len, dev->eth->port_mtu);
		counters->tx_errors.packets++;
		counters->tx_errors.bytes += frame->len;
		frame_free(frame);
		return;
	}
	if (frame->data[0] & 1)
		traffic = memcmp(frame->data, "\xff\xff\xff\xff\xff\xff", 6) ?
				  &counters->tx_multicast :
				  &counters->tx_broadcast;
	traffic->packets++;
	traffic->bytes += frame->len;
	port_send(tx_port(sq->tis, frame), frame);
}

static void offload_checksums(const struct tx *tx, struct frame *frame,
			      const struct eth_packet *packet)
{
	if (packet->l3 && (tx->eseg->cs_flags & PRM_WQE_ETH_L3_CSUM))
		packet_set_l3_csum(frame->data, packet);
	if (packet->l4 && !packet->frag && (tx->eseg->cs_flags & PRM_WQE_ETH_L4_CSUM))
		packet_set_l4_csum(frame->data, packet, packet->end);
}

static void push_tag(const struct tx *tx, struct frame *frame)
{
	uint16_t type = be16_to_cpu(tx->eseg->inline_hdr_sz) & 1 ? ETH_P_8021AD : ETH_P_8021Q;
	uint8_t *tag = frame->data + 12;

	memmove(tag + 4, tag, frame->len - 12);
	tag[0] = type >> 8;
	tag[1] = type & 0xff;
	memcpy(tag + 2, tx->eseg->inline_hdr_start, 2);
	frame->len += 4;
}

static uint8_t send_one(const struct tx *tx)
{
	struct frame *frame = frame_alloc(FRAME_MAX);
	struct eth_packet packet;
	uint8_t syndrome;
	uint32_t len;

	if (!frame)
		return PRM_CQE_SYND_LOCAL_QP_OP;
	if (tx->header_len)
		memcpy(frame->data, tx->header, tx->header_len);
	syndrome = gather(tx, frame->data + tx->header_len, FRAME_MAX - tx->header_len - 4, &len);
	if (syndrome) {
		frame_free(frame);
		return syndrome;
	}
	frame->len = tx->header_len + len;
	if (tx->insert_vlan && frame->len >= 14)
		push_tag(tx, frame);

	packet_parse(&packet, frame->data, frame->len);
	offload_checksums(tx, frame, &packet);
	transmit(tx->sq, frame);
	return 0;
}

/* Lengths, identification, sequence number and flags of one segment of many. */
static void patch_segment(uint8_t *data, const struct eth_packet *packet, uint32_t n, uint32_t off,
			  bool first, bool last, unsigned int nr)
{
	uint8_t *ip = data + packet->l3, *l4 = data + packet->l4;
	uint32_t total = packet->len - packet->l3 + n, seq;
	uint16_t be;

	if (packet->ip_version == 4) {
		be = htobe16(total);
		memcpy(ip + 2, &be, 2);
		be = htobe16(((ip[4] << 8 | ip[5]) + nr) & 0xffff);
		memcpy(ip + 4, &be, 2);
	} else {
		be = htobe16(total - 40);
		memcpy(ip + 4, &be, 2);
	}

	if (packet->proto != IPPROTO_TCP) {
		be = htobe16(packet->len - packet->l4 + n);
		memcpy(l4 + 4, &be, 2);
		return;
	}
	memcpy(&seq, l4 + 4, 4);
	seq = htobe32(be32toh(seq) + off);
	memcpy(l4 + 4, &seq, 4);
	if (!last)
		l4[13] &= ~(TCP_FIN | TCP_PSH);
	if (!first)
		l4[13] &= ~TCP_CWR;
}

static uint8_t send_lso(const struct tx *tx, unsigned int *frames)
{
	static uint8_t payload[LSO_MAX];
	uint32_t mss = be16_to_cpu(tx->eseg->mss) & 0x3fff, total, off;
	struct eth_packet packet;
	uint8_t syndrome;

	packet_parse(&packet, tx->header, tx->header_len);
	if (!packet.l4 || !mss)
		return refuse_wqe(tx, "LSO needs TCP or UDP headers inline and an mss");
	if (packet.proto == IPPROTO_TCP &&
	    packet.l4 + (tx->header[packet.l4 + 12] >> 4) * 4u != tx->header_len)
		return refuse_wqe(tx,
				  "the inline headers of an LSO do not end with the TCP header");
	if (tx->header_len + mss > FRAME_MAX)
		return refuse_wqe(tx, "the mss is larger than a frame");
	syndrome = gather(tx, payload, LSO_MAX, &total);
	if (syndrome)
		return syndrome;

	for (off = 0, *frames = 0; off < total; off += mss, ++*frames) {
		uint32_t n = total - off < mss ? total - off : mss;
		struct frame *frame = frame_alloc(tx->header_len + n);
		struct eth_packet part = packet;

		if (!frame)
			return PRM_CQE_SYND_LOCAL_QP_OP;
		memcpy(frame->data, tx->header, tx->header_len);
		memcpy(frame->data + tx->header_len, payload + off, n);
		patch_segment(frame->data, &packet, n, off, !off, off + n == total, *frames);
		part.data = frame->data;
		part.end = frame->len;
		offload_checksums(tx, frame, &part);
		transmit(tx->sq, frame);
	}
	return 0;
}

/* ---- the queue ---- */

/* Runs one WQE; *frames is how many frames it became. 0, or the syndrome. */
static uint8_t run(struct sq *sq, const struct wqe *wqe, unsigned int *frames)
{
	struct tx tx = { .sq = sq, .wqe = wqe };
	uint8_t syndrome;

	*frames = 1;
	switch (wqe->opcode) {
	case PRM_WQE_NOP:
		return 0;
	case PRM_WQE_SEND:
		syndrome = parse_tx(&tx);
		return syndrome ? syndrome : send_one(&tx);
	case PRM_WQE_LSO:
		syndrome = parse_tx(&tx);
		return syndrome ? syndrome : send_lso(&tx, frames);
	default:
		return refuse_wqe(&tx, "the opcode is not advertised for SQs");
	}
}

static void flush_one(struct sq *sq)
{
	struct prm_wqe_ctrl_seg ctrl = {};
	unsigned int posted = (uint16_t)(sq->pi - sq->ci), bbs = 1;

	if (!read_blocks(sq, sq->ci, &ctrl, sizeof(ctrl)))
		bbs = ((be32_to_cpu(ctrl.qpn_ds) & 0x3f) + 3) / 4;
	if (!bbs)
		bbs = 1;
	if (prm_get(&sq->ctx, flush_in_error_en))
		complete_error(sq, be32_to_cpu(ctrl.opmod_idx_opcode) & 0xff, sq->ci,
			       PRM_CQE_SYND_WR_FLUSH);
	sq->ci += bbs < posted ? bbs : posted;
}

void sq_work(struct work *work)
{
	struct sq *sq = container_of(work, struct sq, work);
	int budget = LOOP_SLICE;

	while (budget > 0 && sq->ci != sq->pi) {
		unsigned int frames = 1;
		uint8_t syndrome;
		struct wqe wqe;

		if (sq->state == PRM_WQ_ERR) {
			flush_one(sq);
			budget--;
			continue;
		}
		/* The receivers' queues empty in work of their own: try again behind them. */
		if (port_room(sq->obj.dev->port) < BURST_ROOM)
			break;
		syndrome = fetch(sq, &wqe) ? run(sq, &wqe, &frames) : PRM_CQE_SYND_LOCAL_QP_OP;
		sq->ci += wqe.bbs;
		if (syndrome)
			fail(sq, &wqe, syndrome);
		else if (wqe.ce >= PRM_WQE_CE_ALWAYS)
			complete(sq, &wqe);
		budget -= frames;
	}
	if (sq->ci != sq->pi)
		work_queue(&sq->work);
}

void eth_sq_doorbell(struct sq *sq, uint16_t pi_hint)
{
	struct cxdev *dev = sq->obj.dev;
	uint32_t be;
	uint16_t pi;

	if (sq->state == PRM_WQ_RST) {
		violation(dev, "SQ 0x%x: doorbell in state RST", sq->obj.num);
		return;
	}
	if (guest_read(dev, sq->dbr + offsetof(struct prm_wq_dbr, snd), &be, sizeof(be)))
		return;
	pi = be32toh(be) & 0xffff;
	if ((uint16_t)(pi - sq->ci) > 1u << sq->log_size) {
		violation(dev, "SQ 0x%x: producer index %u (WQE %u) is a queue or more ahead of %u",
			  sq->obj.num, pi, pi_hint, sq->ci);
		return;
	}
	sq->pi = pi;
	if (sq->ci != sq->pi)
		work_queue(&sq->work);
}

struct obj *sq_uar(const struct sq *sq)
{
	return sq->uar;
}
