// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Send queues, from doorbell to wire.
 *
 * References: an SQ uses its CQ, PD, UAR and TIS.
 */
#include <stdlib.h>
#include <string.h>

#include "nic/nic.h"
#include "prm/cqe.h"
#include "prm/rate.h"
#include "prm/vport.h"
#include "prm/wqe.h"

#define LSO_MAX (1u << ETH_LOG_MAX_LSO)
#define ROOM_RESERVE 64 /* places in the port's queue that are left for others */
#define IPPROTO_TCP 6

/* ---- completions and errors of SQs ---- */

static void complete(struct sq *sq, const struct wqe *wqe)
{
	uint8_t ce = wqe_ctrl(wqe)->fm_ce_se & PRM_WQE_CE_ALWAYS_EQE;
	struct prm_cqe64 cqe = {};

	cqe.srqn = cpu_to_be32(prm_get(&sq->ctx, user_index));
	cqe.sop_drop_qpn = cpu_to_be32((uint32_t)wqe->opcode << 24 | sq->obj.num);
	cqe.wqe_counter = cpu_to_be16(wqe->index);
	cqe.op_own = PRM_CQE_REQ << PRM_CQE_OPCODE_SHIFT;
	cq_push(sq->cq, &sq->obj, &cqe, ce == PRM_WQE_CE_ALWAYS_EQE);
}

static void complete_error(struct sq *sq, uint8_t opcode, uint16_t index, uint8_t syndrome)
{
	cq_push_error(sq->cq, true, prm_get(&sq->ctx, user_index),
		      (uint32_t)opcode << 24 | sq->obj.num, index, syndrome);
}

/*
 * A WQE that cannot be executed: error completion, error state, event. What was posted after it is
 * flushed.
 */
static void fail(struct sq *sq, const struct wqe *wqe, uint8_t syndrome)
{
	sq->state = PRM_WQ_ERR;
	pace_stop(sq);	/* what follows is flushed now */
	sq->obj.dev->eth->counters.tx_errors.packets++;
	complete_error(sq, wqe->opcode, wqe->index, syndrome);
	queue_event(&sq->obj, PRM_EVENT_WQ_CATAS_ERROR);
}

static void sq_reset(struct sq *sq)
{
	work_cancel(&sq->work);
	pace_stop(sq);
	sq->state = PRM_WQ_RST;
	sq->wq.ci = 0;
	sq->wq.pi = 0;
	sq->done = 0;
}

static void sq_to_error(void *obj)
{
	struct sq *sq = obj;

	sq->state = PRM_WQ_ERR;
	pace_stop(sq);
	work_cancel(&sq->work);	/* it may wait for a receiver or a paused port */
	if (wq_posted(&sq->wq))
		work_queue(&sq->work);
}

/* ---- WQEs ---- */

/* A parsed WQE: the Ethernet segment, the inline headers, the data segments. */
struct tx {
	struct sq *sq;
	const struct wqe *wqe;
	const struct prm_wqe_eth_seg *eseg;
	const uint8_t *header;
	uint32_t header_len, data; /* data: offset of the data segments */
	bool insert_vlan;
};

/* Does the card need headers in the WQEs of this SQ? */
static bool reads_inline(const struct sq *sq)
{
	uint8_t mode = hca_inline_mode(sq->obj.dev);

	return mode == PRM_INLINE_MODE_L2 ||
	       (mode == PRM_INLINE_MODE_VPORT &&
		prm_get(&sq->ctx, min_wqe_inline_mode) != PRM_VPORT_INLINE_NONE);
}

static bool knows_cs_flags(const struct cxdev *dev, uint8_t flags)
{
	flags &= ~(PRM_WQE_ETH_L3_CSUM | PRM_WQE_ETH_L4_CSUM);
	if (!flags)
		return true;
	return hca_tunnels(dev) &&
	       !(flags & ~(PRM_WQE_ETH_L3_INNER_CSUM | PRM_WQE_ETH_L4_INNER_CSUM));
}

/* 0, or the syndrome. */
static uint8_t parse_tx(struct tx *tx)
{
	const struct wqe *w = tx->wqe;
	unsigned int sz;

	if (!tx->sq->tis)
		return wqe_bad(w, "the SQ has no TIS", w->opcode);
	if (w->bytes < 3 * PRM_WQE_DS)
		return wqe_bad(w, "too small for a frame", w->bytes);
	tx->eseg = (const void *)(w->raw + PRM_WQE_DS);
	if (tx->eseg->swp_outer_l4_offset || tx->eseg->swp_outer_l3_offset ||
	    tx->eseg->swp_inner_l4_offset || tx->eseg->swp_inner_l3_offset || tx->eseg->swp_flags)
		return wqe_bad(w, "software parsing is not advertised", tx->eseg->swp_flags);
	if (!knows_cs_flags(tx->sq->obj.dev, tx->eseg->cs_flags))
		return wqe_bad(w, "cs_flags that are not advertised", tx->eseg->cs_flags);

	sz = be16_to_cpu(tx->eseg->inline_hdr_sz);
	tx->insert_vlan = sz & PRM_WQE_ETH_INSERT_VLAN;
	tx->data = 2 * PRM_WQE_DS;
	if (tx->insert_vlan && !hca_inserts_vlan(tx->sq->obj.dev))
		return wqe_bad(w, "VLAN insertion is not advertised", sz);
	if (tx->insert_vlan) {
		if (sz & ~(PRM_WQE_ETH_INSERT_VLAN | PRM_WQE_ETH_SERVICE_VLAN))
			return wqe_bad(w, "VLAN insertion and inline headers exclude each other",
				       sz);
	} else if (sz) {
		tx->header = tx->eseg->inline_hdr_start;
		tx->header_len = sz;
		if (sz > 2)
			tx->data += (sz - 2 + PRM_WQE_DS - 1) & ~(PRM_WQE_DS - 1u);
		if (tx->data > w->bytes)
			return wqe_bad(w, "the inline header is longer than the WQE", sz);
	}
	if (tx->header_len < 14 && reads_inline(tx->sq))
		return wqe_bad(w, "the layer 2 header must be inline", sz);
	return 0;
}

/* A card that needs headers inline finds the DSCP only there. */
static uint8_t check_dscp(const struct tx *tx, const struct eth_packet *packet)
{
	if (!packet->l3 || tx->header_len >= packet->l3 + 20u || !reads_inline(tx->sq) ||
	    !port_qos(tx->sq->obj.dev->port)->trust_dscp)
		return 0;
	return wqe_bad(tx->wqe, "the IP header must be inline: the port trusts DSCPs",
		       tx->header_len);
}

/* Checksums of inner headers can only be asked for where there are such headers. */
static uint8_t check_inner(const struct tx *tx, const struct eth_packet *packet)
{
	uint8_t flags = tx->eseg->cs_flags;

	if (!(flags & (PRM_WQE_ETH_L3_INNER_CSUM | PRM_WQE_ETH_L4_INNER_CSUM)))
		return 0;
	if (!packet->inner)
		return wqe_bad(tx->wqe, "inner checksums, but the card sees no tunnel", flags);
	if (flags & PRM_WQE_ETH_L4_INNER_CSUM && (!packet->inner->l4 || packet->inner->frag))
		return wqe_bad(tx->wqe, "an inner checksum of neither TCP nor UDP", flags);
	return 0;
}

/* The data segments, of at most @max bytes. Returns 0, or the syndrome. */
static uint8_t parse_data(const struct tx *tx, struct sg_list *list, struct sge *sges, uint32_t max)
{
	const struct wqe *w = tx->wqe;

	*list = (struct sg_list){ .owner = &tx->sq->obj,
				  .user = { .pdn = tx->sq->pd->num, .qpn = MEM_ANY_QP },
				  .index = w->index,
				  .log = violation };
	if (sg_parse_send(list, sges, w->raw + tx->data, w->raw + w->bytes)) {
		wqe_bad(w, "inline data run over the end of the WQE", w->bytes);
		return PRM_CQE_SYND_LOCAL_LENGTH;
	}
	if (list->len > max) {
		wqe_bad(w, "it has more data than a packet may have", list->len);
		return PRM_CQE_SYND_LOCAL_LENGTH;
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

static void loop_back(struct cxdev *dev, const struct frame *frame)
{
	struct frame *copy = frame_copy(frame);

	if (copy)
		port_loopback(dev->port, copy);
}

static void transmit(struct sq *sq, struct frame *frame)
{
	struct cxdev *dev = sq->obj.dev;
	struct eth_counters *counters = &dev->eth->counters;
	struct traffic *traffic = &counters->tx_unicast;

	if (frame->len < 14 || !port_mtu_fits(dev, frame->len)) {
		if (frame->len < 14 || !port_mtu_was_enough(dev, frame->len))
			violation(dev,
				  "SQ 0x%x: a frame of %u bytes, the port's MTU is %u with FCS",
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
	pace_sent(sq, frame->len);
	frame->td = sq->tis->td->num;
	if (frame->data[0] & 1 && eth_hears_itself(dev, frame->td))
		loop_back(dev, frame);
	port_send(tx_port(sq->tis, frame), frame);
}

static void offload_checksums(const struct tx *tx, struct frame *frame,
			      const struct eth_packet *packet)
{
	const struct eth_packet *inner = packet->inner;

	/* first, since the outer checksum may cover them */
	if (inner && (tx->eseg->cs_flags & PRM_WQE_ETH_L3_INNER_CSUM) && inner->l3)
		packet_set_l3_csum(frame->data, inner);
	if (inner && (tx->eseg->cs_flags & PRM_WQE_ETH_L4_INNER_CSUM))
		packet_set_l4_csum(frame->data, inner, inner->end);
	if (packet->l3 && (tx->eseg->cs_flags & PRM_WQE_ETH_L3_CSUM))
		packet_set_l3_csum(frame->data, packet);
	if (packet->l4 && !packet->frag && (tx->eseg->cs_flags & PRM_WQE_ETH_L4_CSUM))
		packet_set_l4_csum(frame->data, packet, packet->end);
}

static void push_tag(const struct tx *tx, struct frame *frame)
{
	uint16_t type = be16_to_cpu(tx->eseg->inline_hdr_sz) & PRM_WQE_ETH_SERVICE_VLAN ?
			ETH_P_8021AD : ETH_P_8021Q;
	uint8_t *tag = frame->data + 12;

	memmove(tag + 4, tag, frame->len - 12);
	tag[0] = type >> 8;
	tag[1] = type & 0xff;
	memcpy(tag + 2, tx->eseg->inline_hdr_start, 2);
	frame->len += 4;
}

/*
 * Is there room at the receivers, besides what is left for others? In a round nobody else sends, so
 * that one look is good for more frames to the address.
 */
static bool has_room(struct sq *sq, const struct port *port, const uint8_t *dmac)
{
	unsigned int n;

	if (!port_is_instant(port))
		return false;
	if (!sq->room || sq->room_port != port ||
	    memcmp(sq->room_mac, dmac, sizeof(sq->room_mac))) {
		n = port_room(port, dmac);
		sq->room = n > ROOM_RESERVE ? n - ROOM_RESERVE : 0;
		sq->room_port = port;
		memcpy(sq->room_mac, dmac, sizeof(sq->room_mac));
	}
	if (!sq->room)
		return false;
	sq->room--;
	return true;
}

/*
 * Is it too early for the rate, has the receiver no room, or is the priority paused? The work goes
 * on when it may.
 */
static bool must_wait(const struct tx *tx, const struct frame *frame)
{
	struct port *port = tx_port(tx->sq->tis, frame);
	struct sq *sq = tx->sq;

	sq->waits = pace_must_wait(sq);
	if (sq->waits)
		return true;
	if (has_room(sq, port, frame->data))
		return false;
	sq->waits = !port_may_send(port, frame->data, qos_frame_prio(port_qos(port), frame),
				   ROOM_RESERVE, &sq->work);
	return sq->waits;
}

/*
 * Sends inline headers and @len bytes of the data from @off on, unless it must wait. Returns 0, or
 * the syndrome.
 */
static uint8_t send_frame(const struct tx *tx, const struct sg_list *list, uint32_t off,
			  uint32_t len)
{
	struct frame *frame = frame_alloc(FRAME_MAX);
	struct eth_packet packet, inner;
	uint8_t syndrome;

	if (!frame)
		return PRM_CQE_SYND_LOCAL_QP_OP;
	if (tx->header_len)
		memcpy(frame->data, tx->header, tx->header_len);
	if (sg_gather(list, off, frame->data + tx->header_len, len)) {
		frame_free(frame);
		return PRM_CQE_SYND_LOCAL_PROT;
	}
	frame->len = tx->header_len + len;
	if (tx->insert_vlan && frame->len >= 14)
		push_tag(tx, frame);

	if (frame->len >= 14 && must_wait(tx, frame)) {
		frame_free(frame);
		return 0;
	}
	packet_parse(&packet, frame->data, frame->len);
	tunnel_parse(tx->sq->obj.dev, &packet, &inner, packet.end);
	syndrome = check_dscp(tx, &packet);
	if (!syndrome)
		syndrome = check_inner(tx, &packet);
	if (syndrome) {
		frame_free(frame);
		return syndrome;
	}
	offload_checksums(tx, frame, &packet);
	transmit(tx->sq, frame);
	return 0;
}

static uint8_t send_one(const struct tx *tx)
{
	struct sge sges[SEND_SGES_MAX];
	struct sg_list list;
	uint8_t syndrome = parse_data(tx, &list, sges, FRAME_MAX - tx->header_len - 4);

	return syndrome ? syndrome : send_frame(tx, &list, 0, list.len);
}

/*
 * Sends packets whose headers are in the data: of mss bytes each, or each segment is one. As with
 * send_lso() up to *budget, with what has been sent in the SQ.
 */
static uint8_t send_several(const struct tx *tx, bool equal, int *budget)
{
	uint32_t mss = be16_to_cpu(tx->eseg->mss), len;
	struct sge sges[SEND_SGES_MAX];
	struct sq *sq = tx->sq;
	struct sg_list list;
	uint8_t syndrome;

	if (tx->header_len || tx->insert_vlan || equal != !!mss)
		return wqe_bad(tx->wqe,
			       "several packets: an mss of others than equal ones, or headers",
			       mss);
	syndrome = parse_data(tx, &list, sges, SEND_SGES_MAX * FRAME_MAX);
	if (!sq->done)
		sq->frames = 0;
	if (!list.len)
		--*budget;
	for (; !syndrome && sq->done < list.len && *budget > 0; --*budget) {
		len = equal ? mss : sges[sq->frames].len;
		if (len < 14 || len > FRAME_MAX - 4 || len > list.len - sq->done)
			return wqe_bad(tx->wqe, "of several packets one is too short or too long",
				       len);
		syndrome = send_frame(tx, &list, sq->done, len);
		if (sq->waits)
			return syndrome;
		sq->done += len;
		sq->frames++;
		sq->obj.dev->eth->counters.tx_several++;
	}
	if (!syndrome && sq->done == list.len)
		sq->done = 0;
	return syndrome;
}

/*
 * Sends the segment at @off, of @n bytes, unless it must wait; @nr counts the segments. Returns 0,
 * or the syndrome.
 */
static uint8_t send_segment(const struct tx *tx, const struct eth_packet *packet,
			    const struct sg_list *list, uint32_t off, uint32_t n, unsigned int nr)
{
	struct frame *frame = frame_alloc(tx->header_len + n);
	struct eth_packet part = *packet, inner;

	if (!frame)
		return PRM_CQE_SYND_LOCAL_QP_OP;
	memcpy(frame->data, tx->header, tx->header_len);
	if (sg_gather(list, off, frame->data + tx->header_len, n)) {
		frame_free(frame);
		return PRM_CQE_SYND_LOCAL_PROT;
	}
	packet_set_segment(frame->data, packet, n, off, !off, off + n == list->len, nr);
	if (must_wait(tx, frame)) {
		frame_free(frame);
		return 0;
	}
	part.data = frame->data;
	part.end = frame->len;
	if (packet->inner) {
		inner = *packet->inner;
		inner.data = frame->data;
		inner.end = frame->len;
		part.inner = &inner;
	}
	offload_checksums(tx, frame, &part);
	transmit(tx->sq, frame);
	return 0;
}

/*
 * The headers of an LSO, all of them inline. Of a tunnel it is the inner packet that is segmented.
 * Returns 0, or the syndrome.
 */
static uint8_t parse_lso(const struct tx *tx, struct eth_packet *packet, struct eth_packet *inner,
			 uint32_t mss)
{
	packet_parse(packet, tx->header, tx->header_len);
	if (!tunnel_parse(tx->sq->obj.dev, packet, inner, tx->header_len))
		inner = packet;
	if (!inner->l4 || !mss)
		return wqe_bad(tx->wqe, "LSO needs TCP or UDP headers inline and an mss", mss);
	if (inner->proto == IPPROTO_TCP &&
	    inner->l4 + (tx->header[inner->l4 + 12] >> 4) * 4u != tx->header_len)
		return wqe_bad(tx->wqe,
			       "the inline headers of an LSO do not end with the TCP header",
			       tx->header_len);
	if (tx->header_len + mss > FRAME_MAX)
		return wqe_bad(tx->wqe, "the mss is larger than a frame", mss);
	return check_inner(tx, packet);
}

/*
 * Of datagrams the header has the length of each, which is not changed: all have the same. Returns
 * 0, or the syndrome.
 */
static uint8_t check_datagrams(const struct tx *tx, const struct eth_packet *packet, uint32_t mss,
			       uint32_t len)
{
	const struct eth_packet *inner = packet->inner ?: packet;
	uint32_t header = get16(tx->header + inner->l4 + 4);

	if (inner->proto == IPPROTO_TCP)
		return 0;
	if (len % mss)
		return wqe_bad(tx->wqe, "the last datagram of an LSO is shorter", len % mss);
	if (header != tx->header_len - inner->l4 + mss)
		return wqe_bad(tx->wqe, "the UDP header of an LSO has not the length of a datagram",
			       header);
	return 0;
}

/*
 * Sends up to *budget segments and takes them off it; what has been sent is in the SQ, whose
 * done is 0 again when all are. Returns 0, or the syndrome.
 */
static uint8_t send_lso(const struct tx *tx, int *budget)
{
	uint32_t mss = be16_to_cpu(tx->eseg->mss) & 0x3fff, off = tx->sq->done, n;
	struct sge sges[SEND_SGES_MAX];
	struct eth_packet packet, inner;
	struct sg_list list;
	uint8_t syndrome;

	syndrome = parse_lso(tx, &packet, &inner, mss);
	if (!syndrome)
		syndrome = parse_data(tx, &list, sges, LSO_MAX);
	if (!syndrome)
		syndrome = check_datagrams(tx, &packet, mss, list.len);
	if (syndrome)
		return syndrome;

	if (!list.len)
		--*budget;
	if (!off)
		tx->sq->frames = 0;
	for (; off < list.len && *budget > 0; off += n, --*budget, tx->sq->frames++) {
		n = list.len - off < mss ? list.len - off : mss;
		syndrome = send_segment(tx, &packet, &list, off, n, tx->sq->frames);
		if (syndrome)
			return syndrome;
		if (tx->sq->waits)
			break;
	}
	tx->sq->done = off < list.len ? off : 0;
	return 0;
}

/* ---- the queue ---- */

/*
 * Executes a WQE, or the next part of one of several frames, and takes the frames it sends off the
 * budget. Returns 0, or the syndrome.
 */
static uint8_t run(struct sq *sq, const struct wqe *wqe, int *budget)
{
	struct tx tx = { .sq = sq, .wqe = wqe };
	uint8_t syndrome;
	bool equal;

	switch (wqe->opcode) {
	case PRM_WQE_NOP:
		--*budget;
		return 0;
	case PRM_WQE_SEND:
		--*budget;
		syndrome = parse_tx(&tx);
		return syndrome ? syndrome : send_one(&tx);
	case PRM_WQE_LSO:
		equal = be32_to_cpu(wqe_ctrl(wqe)->opmod_idx_opcode) >> 24 == PRM_WQE_LSO_MPW;
		if (equal && !prm_get(&sq->ctx, allow_multi_pkt_send_wqe))
			return wqe_bad(wqe, "the SQ does not allow several packets in it",
				       wqe->opcode);
		syndrome = parse_tx(&tx);
		if (syndrome)
			return syndrome;
		return equal ? send_several(&tx, true, budget) : send_lso(&tx, budget);
	case PRM_WQE_ENHANCED_MPSW:
		if (!hca_sends_several(sq->obj.dev))
			break;
		syndrome = parse_tx(&tx);
		return syndrome ? syndrome : send_several(&tx, false, budget);
	}
	return wqe_bad(wqe, "the opcode is not advertised for SQs", wqe->opcode);
}

static void flush_one(struct sq *sq)
{
	uint16_t index = sq->wq.ci;
	uint8_t opcode = wqe_skip(&sq->wq);

	sq->done = 0;

	if (prm_get(&sq->ctx, flush_in_error_en))
		complete_error(sq, opcode, index, PRM_CQE_SYND_WR_FLUSH);
}

/* A WQE under way is fetched again in each slice. Returns 0, or the syndrome. */
static uint8_t check_begun(const struct sq *sq, const struct wqe *wqe)
{
	if (!sq->done || (sq->begun_bytes == wqe->bytes &&
			  !memcmp(sq->begun, wqe->raw, wqe->bytes)))
		return 0;
	return wqe_bad(wqe, "it is another one than when its first frames were sent", wqe->opcode);
}

/* Executes the next WQE as far as budget and receiver allow; completes it if that is all of it. */
static void step(struct sq *sq, int *budget)
{
	struct wqe wqe;
	uint8_t syndrome;
	bool begins = !sq->done;

	syndrome = wqe_fetch(&sq->wq, sq->wq.ci, &wqe);
	if (!syndrome)
		syndrome = check_begun(sq, &wqe);
	if (!syndrome)
		syndrome = run(sq, &wqe, budget);
	if (!syndrome && (sq->done || sq->waits)) {
		if (begins && sq->done) {
			sq->begun_bytes = wqe.bytes;
			memcpy(sq->begun, wqe.raw, wqe.bytes);
		}
		return;
	}
	sq->done = 0;
	wq_step(&sq->wq, wqe.bbs);
	if (syndrome)
		fail(sq, &wqe, syndrome);
	else if (wqe_ctrl(&wqe)->fm_ce_se & PRM_WQE_CE_ALWAYS)
		complete(sq, &wqe);
}

static void sq_work(struct work *work)
{
	struct sq *sq = container_of(work, struct sq, work);
	int budget = LOOP_SLICE;

	sq->waits = false;
	sq->room = 0;	/* others have sent since */
	while (budget > 0 && wq_posted(&sq->wq) && !sq->waits) {
		if (sq->state == PRM_WQ_ERR) {
			flush_one(sq);
			budget--;
		} else {
			step(sq, &budget);
		}
	}
	if (wq_posted(&sq->wq) && !timer_armed(&sq->pace.timer))
		work_queue(&sq->work);
}

void eth_sq_doorbell(struct sq *sq)
{
	if (sq->state == PRM_WQ_RST) {
		violation(sq->obj.dev, "SQ 0x%x: doorbell in state RST", sq->obj.num);
		return;
	}
	if (wq_update(&sq->wq, sq->wq.ci) > 0)
		work_queue(&sq->work);
}

struct obj *sq_uar(const struct sq *sq)
{
	return sq->uar;
}

/* ---- commands ---- */

static void sq_release(void *obj)
{
	struct sq *sq = obj;

	pace_stop(sq);
	work_cancel(&sq->work);
	pages_free(&sq->pages);
	obj_put(sq->dbr_umem);
	obj_put(sq->tis);
	obj_put(sq->uar);
	obj_put(sq->pd);
	obj_put(sq->cq);
}

static int check_sqc(struct cmd *c, const struct prm_sqc *ctx)
{
	if (is_set(c, ctx, rlky, "but the reserved lkey is not advertised for SQs") ||
	    is_set(c, ctx, cd_master, "but cross-channel queues are not advertised") ||
	    is_set(c, ctx, fre, "but fast registration is not advertised for SQs") ||
	    (!hca_sends_equal(c->dev) &&
	     is_set(c, ctx, allow_multi_pkt_send_wqe,
		    "but multi_pkt_send_wqe is not advertised")) ||
	    is_set(c, ctx, reg_umr, "but reg_umr_sq is not advertised") ||
	    is_set(c, ctx, allow_swp, "but swp is not advertised") ||
	    is_set(c, ctx, hairpin, "but it is not advertised") ||
	    is_set(c, ctx, non_wire, "but it is not advertised") ||
	    is_set(c, ctx, hairpin_peer_rq, "but hairpin is not advertised") ||
	    is_set(c, ctx, hairpin_peer_vhca, "but hairpin is not advertised") ||
	    is_set(c, ctx, ts_cqe_to_dest_cqn, "but it is not advertised") ||
	    is_set(c, ctx, qos_queue_group_id, "but queue groups are not advertised"))
		return -1;
	if (prm_get(ctx, state) != PRM_WQ_RST)
		return refuse(c, PRM_STATUS_BAD_PARAM, "an SQ begins in RST, not in state %u",
			      prm_get(ctx, state));
	if (!hca_stamps(c->dev, OBJ_SQ, prm_get(ctx, ts_format)))
		return refuse(c, PRM_STATUS_BAD_PARAM, "ts_format %u of the SQ is not advertised",
			      prm_get(ctx, ts_format));
	if (prm_get(ctx, tis_lst_sz) > 1)
		return refuse(c, PRM_STATUS_BAD_PARAM, "tis_lst_sz %u is above 1",
			      prm_get(ctx, tis_lst_sz));
	if (prm_get(ctx, min_wqe_inline_mode) && hca_inline_mode(c->dev) != PRM_INLINE_MODE_VPORT)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "min_wqe_inline_mode %u, but wqe_inline_mode is %u",
			      prm_get(ctx, min_wqe_inline_mode), hca_inline_mode(c->dev));
	if (prm_get(ctx, wq.log_wq_stride) != SQ_LOG_STRIDE)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "log_wq_stride %u: an SQ has strides of 64 bytes",
			      prm_get(ctx, wq.log_wq_stride));
	if (pace_check(c, prm_get(ctx, packet_pacing_rate_limit_index)))
		return -1;
	return eth_check_wq(c, prm_sub_const(ctx, wq, wq), PRM_WQ_CYCLIC);
}

static int sq_references(struct cmd *c, struct sq *sq)
{
	const struct prm_sqc *ctx = &sq->ctx;

	sq->cq = obj_hold(c, OBJ_CQ, prm_get(ctx, cqn), "cqn");
	if (!sq->cq)
		return -1;
	sq->pd = obj_hold(c, OBJ_PD, prm_get(ctx, wq.pd), "wq.pd");
	if (!sq->pd)
		return -1;
	sq->uar = obj_hold(c, OBJ_UAR, prm_get(ctx, wq.uar_page), "wq.uar_page");
	if (!sq->uar)
		return -1;
	if (!prm_get(ctx, tis_lst_sz))
		return 0;
	sq->tis = obj_hold(c, OBJ_TIS, prm_get(ctx, tis_num_0), "tis_num_0");
	return sq->tis ? 0 : -1;
}

static int run_create_sq(struct cmd *c)
{
	const struct prm_create_sq_in *in = c->in;
	const struct prm_sqc *ctx = prm_sub_const(in, ctx, sqc);
	struct prm_create_sq_out *out = c->out;
	struct sq *sq;

	if (check_sqc(c, ctx))
		return -1;
	sq = obj_create(c, OBJ_SQ, sizeof(*sq));
	if (!sq)
		return -1;
	work_init(&sq->work, sq_work);
	pace_init(sq);
	sq->obj.release = sq_release;
	sq->obj.stop = sq_to_error;
	sq->ctx = *ctx;
	sq->wq.owner = &sq->obj;
	sq->wq.send = true;
	sq->state = PRM_WQ_RST;
	if (sq_references(c, sq) ||
	    eth_get_wq(c, prm_sub_const(ctx, wq, wq), &sq->wq, &sq->pages,
		       &sq->dbr_umem)) {
		obj_free(sq);
		return -1;
	}
	prm_set(out, sqn, sq->obj.num);
	return 0;
}

static int run_modify_sq(struct cmd *c)
{
	const struct prm_modify_sq_in *in = c->in;
	struct sq *sq = obj_own(c, OBJ_SQ, prm_get(in, sqn), "sqn");
	unsigned int rate = prm_get(in, ctx.packet_pacing_rate_limit_index);
	uint64_t what = prm_get64(in, modify_bitmask);
	unsigned int next = prm_get(in, ctx.state);

	if (!sq)
		return -1;
	if (what & ~PRM_MODIFY_SQ_RATE)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "modify_bitmask 0x%llx: an SQ has a state and a rate to modify",
			      (unsigned long long)what);
	if (what && pace_check(c, rate))
		return -1;
	if (eth_check_transition(c, &sq->obj, prm_get(in, sq_state), sq->state, next))
		return -1;
	if (what && rate != prm_get(&sq->ctx, packet_pacing_rate_limit_index)) {
		prm_set(&sq->ctx, packet_pacing_rate_limit_index, rate);
		pace_stop(sq);
	}

	if (next == PRM_WQ_RST)
		sq_reset(sq);
	else if (next == PRM_WQ_ERR)
		sq_to_error(sq);
	else
		sq->state = next;
	if (wq_posted(&sq->wq))
		work_queue(&sq->work);	/* at the new rate */
	return 0;
}

static int run_query_sq(struct cmd *c)
{
	const struct prm_query_sq_in *in = c->in;
	struct prm_query_sq_out *out = c->out;
	struct prm_sqc *ctx = prm_sub(out, sq_context, sqc);
	struct sq *sq = obj_lookup(c, OBJ_SQ, prm_get(in, sqn), "sqn");

	if (!sq)
		return -1;
	*ctx = sq->ctx;
	prm_set(ctx, state, sq->state);
	prm_set(ctx, wq.hw_counter, sq->wq.ci);
	prm_set(ctx, wq.sw_counter, sq->wq.pi);
	return 0;
}

static int run_destroy_sq(struct cmd *c)
{
	const struct prm_destroy_sq_in *in = c->in;
	struct sq *sq = obj_own(c, OBJ_SQ, prm_get(in, sqn), "sqn");

	return sq ? obj_destroy(c, sq) : -1;
}

const struct cmd_desc cmds_sq[] = {
	CMD(create_sq, .tail = true),
	CMD(modify_sq),
	CMD(query_sq),
	CMD(destroy_sq),
	{}
};
