// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The direct way: which packets take it, and that they are counted and handed over as if they had
 * come in frames.
 */
#include <string.h>

#include "rdma/rdma.h"

/* ---- opening ------------------------------------------------------------------------------- */

static uint32_t dest_qpn(const struct qp *qp)
{
	return qp_datagram(qp) ? qp->req.tx.dqpn : qp->remote_qpn;
}

/* Is it of a kind that takes packets of @qp? */
static bool kinds_fit(const struct qp *qp, const struct qp *peer)
{
	switch (qp->st) {
	case PRM_QP_ST_RC:
	case PRM_QP_ST_UC:
		return peer->st == qp->st;
	case PRM_QP_ST_XRC:
		return peer->st == qp->st && qp_xrc_target(peer) != qp_xrc_target(qp);
	case PRM_QP_ST_DCT:
		return peer->st == PRM_QP_ST_DCI && peer->dci.connected &&
		       peer->session == qp->session;
	case PRM_QP_ST_UD:
	case PRM_QP_ST_QP1:
		return qp_datagram(peer);
	default:
		return false;
	}
}

/* Who gets the packets, as if they had come in frames. A queue pair does not send to itself. */
static bool find_peer(const struct qp *qp, struct cxdev *dev, struct direct *way)
{
	uint32_t num = dest_qpn(qp);

	way->peer = NULL;
	way->dct = NULL;
	if (qp->st == PRM_QP_ST_DCI) {
		way->dct = obj_find(dev, OBJ_DCT, num);
		return way->dct && dct_is_for(way->dct, &way->pkt);
	}
	way->peer = num == GSI_QPN ? dev->rdma_state->gsi : obj_find(dev, OBJ_QP, num);
	return num != MCAST_QPN && way->peer && way->peer != qp && kinds_fit(qp, way->peer) &&
	       (qp_datagram(qp) || roce_connection_matches(way->peer, &way->pkt));
}

/* May nothing but the queue of the peer have a say in what becomes of the packets? */
static bool takes_all(struct cxdev *dev, const struct direct *way)
{
	const uint8_t *dmac = way->av->dmac;

	return dev->roce_enabled && dev->rdma_state && !lag_exists(dev) &&
	       !dev->eth->rdma_rx_root &&
	       (way->to == way->from || eswitch_manager(dev) || l2_has(dev, dmac)) &&
	       roce_is_ours(dev, &way->pkt, dmac);
}

static void set_addresses(struct direct *way, const struct roce_addr *src)
{
	struct packet *pkt = &way->pkt;

	pkt->type = roce_type(src);
	memcpy(pkt->sgid, src->gid, 16);
	if (pkt->type == PRM_CQE_ROCE_IPV4)
		roce_put_v4_prefix(pkt->sgid);
	memcpy(pkt->dgid, way->av->dgid, 16);
	memcpy(pkt->smac, src->mac, 6);
	pkt->vlan = src->vlan_valid;
	pkt->vlan_tci = way->av->prio << 13 | (src->vlan & 0xfff);
}

static void set_lead(struct direct *way, const struct qp *qp)
{
	way->lead = qp_lead_bytes(qp);
	if (qp->st == PRM_QP_ST_DCI)
		way->pkt.dc = dci_eth(qp);
	else if (qp->st == PRM_QP_ST_DCT)
		way->pkt.dc.session = qp->session;
	else
		way->pkt.xrc_srqn = qp->req.tx.xrc_srqn;
}

/*
 * Frames that are too long for a port are dropped: can none of these be? A datagram may be shorter
 * than its QP's MTU always is.
 */
static bool fits_ports(const struct qp *qp, const struct direct *way, const struct roce_addr *src)
{
	uint32_t len = qp_datagram(qp) ? DETH_BYTES + qp->req.tx.data.len : RETH_BYTES + qp->mtu;
	uint32_t bytes = roce_frame_bytes(src, way->lead + len + IMM_BYTES);

	return port_mtu_fits(qp->obj.dev, bytes) && port_mtu_fits(port_function(way->to), bytes);
}

bool direct_open(struct qp *qp, struct direct *way)
{
	const struct roce_addr *src = &qp->obj.dev->roce_addrs[qp_path(qp)->sgid_index];
	struct cxdev *dev = qp->obj.dev, *to;

	way->av = qp_path(qp);
	if (!src->valid || (way->av->tclass & 3) == ECN_CE || lag_exists(dev) ||
	    dev->eth->rdma_tx_root || qp->reaction.limited)
		return false;
	way->from = dev->port;
	way->to = port_direct(dev->port, src->mac, way->av->dmac);
	if (!way->to)
		return false;
	to = port_function(way->to);
	set_addresses(way, src);
	set_lead(way, qp);
	way->pkt.n = 1;
	way->pkt.stored = false;
	return roce_addrs_fit(way->pkt.type, way->av) && fits_ports(qp, way, src) &&
	       takes_all(to, way) &&
	       find_peer(qp, to, way);
}

/* ---- counting ------------------------------------------------------------------------------ */

/* @n packets with @len bytes after the BTH. */
static void count(struct qp *qp, const struct direct *way, uint32_t n, uint32_t len)
{
	struct cxdev *dev = qp->obj.dev, *to = port_function(way->to);
	const struct roce_addr *src = &dev->roce_addrs[way->av->sgid_index];
	uint32_t bytes = roce_frame_bytes(src, len);
	uint32_t padded = port_count_direct(way->from, way->to,
					    src->version ? way->av->tclass >> 2 : -1,
					    src->vlan_valid ? way->av->prio : -1, bytes, n);

	dev->rdma->tx_packets += n;
	dev->rdma->tx_bytes += (uint64_t)n * bytes;
	dev->rdma->direct += n;
	to->rdma->rx_packets += n;
	to->rdma->rx_bytes += (uint64_t)n * padded;
	if (way->pkt.type == PRM_CQE_ROCE_IPV4)
		dev->rdma_state->ip_id += n;
}

void direct_count(struct qp *qp, const struct direct *way, uint32_t first, uint32_t last,
		  uint32_t len)
{
	uint32_t n = way->pkt.n, lead = way->lead;

	if (n == 1) {
		count(qp, way, 1, lead + first + len + last);
		return;
	}
	count(qp, way, 1, lead + first + qp->mtu);
	if (n > 2)
		count(qp, way, n - 2, lead + qp->mtu);
	count(qp, way, 1, lead + len - (n - 1) * qp->mtu + last);
}

/* ---- handing over -------------------------------------------------------------------------- */

bool direct_take(struct direct *way, const struct mem_map *data)
{
	return way->dct ? dct_take(way->dct, &way->pkt, data) :
			  responder_take(way->peer, &way->pkt, data);
}

static void hand_over(struct direct *way)
{
	struct packet *pkt = &way->pkt;

	if (way->dct)
		dct_take(way->dct, pkt, NULL);
	else if (qp_datagram(way->peer))
		responder_datagram(way->peer, pkt);
	else if (!bth_is_answer(pkt->bth.opcode))
		responder_request(way->peer, pkt);
	else if (way->peer->st == PRM_QP_ST_DCI)
		dci_answer(way->peer, pkt);
	else
		requester_answer(way->peer, pkt);
}

void direct_packet(struct qp *qp, struct direct *way, const struct bth *bth, const uint8_t *ext,
		   uint32_t len)
{
	struct frame *frame;
	uint8_t *p;

	if (!way) {
		frame = roce_frame(qp, qp_path(qp), bth, len, &p);
		if (!frame)
			return;
		memcpy(p, ext, len);
		roce_send(qp, frame);
		return;
	}
	if (qp_datagram(qp))
		roce_put_grh(qp->obj.dev, way->av, len, way->pkt.grh);
	count(qp, way, 1, len);
	way->pkt.bth = *bth;
	way->pkt.ext = ext + way->lead;
	way->pkt.ext_len = len - way->lead;
	hand_over(way);
}
