// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * RoCE packets: building and checking what stands around the transport headers, and finding the
 * queue pair.
 */
#include <string.h>
#include <libdeflate.h>

#include "prm/flow.h"
#include "rdma/rdma.h"

#define PROTO_UDP	17
#define NEXT_IBA	0x1b
#define SPORT_MIN	0xc000u
#define BTH_TVER_MASK	0x0f
#define ECN_CAPABLE	2	/* ECT(0) */
#define CNP_BYTES	16
#define PKEY_MASK	0x7fff	/* bit 15 says full member */

static const uint8_t v4_prefix[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

void roce_put_v4_prefix(uint8_t *gid)
{
	memcpy(gid, v4_prefix, sizeof(v4_prefix));
}

enum prm_cqe_roce_type roce_type(const struct roce_addr *addr)
{
	if (addr->version == 0)
		return PRM_CQE_ROCE_GRH;
	return addr->l3_type ? PRM_CQE_ROCE_IPV6 : PRM_CQE_ROCE_IPV4;
}

bool roce_addrs_fit(enum prm_cqe_roce_type type, const struct av *av)
{
	return type != PRM_CQE_ROCE_IPV4 || !memcmp(av->dgid, v4_prefix, sizeof(v4_prefix));
}

static uint32_t l3_bytes(enum prm_cqe_roce_type type)
{
	return type == PRM_CQE_ROCE_IPV4 ? IPV4_BYTES : GRH_BYTES;
}

/* From the L3 header to the BTH. */
static uint32_t headers_bytes(enum prm_cqe_roce_type type)
{
	return l3_bytes(type) + (type == PRM_CQE_ROCE_GRH ? 0 : UDP_BYTES);
}

/* From the BTH to the end of the ICRC, with padding. */
static uint32_t iba_bytes(uint32_t len)
{
	return BTH_BYTES + len + (-len & 3) + ICRC_BYTES;
}

uint32_t roce_frame_bytes(const struct roce_addr *src, uint32_t len)
{
	return ETH_BYTES + (src->vlan_valid ? VLAN_BYTES : 0) + headers_bytes(roce_type(src)) +
	       iba_bytes(len);
}

/* ---- ICRC ---------------------------------------------------------------------------------- */

/* Fields that a router may change count as all ones, and so does the LRH that RoCE has not. */
uint32_t roce_icrc(const uint8_t *l3, uint32_t len, enum prm_cqe_roce_type type)
{
	uint8_t head[8 + GRH_BYTES + UDP_BYTES + BTH_BYTES];
	uint32_t ip = l3_bytes(type), udp = type == PRM_CQE_ROCE_GRH ? 0 : UDP_BYTES,
		 masked = ip + udp + BTH_BYTES;
	uint8_t *p = head + 8;
	uint32_t crc;

	memset(head, 0xff, 8);
	memcpy(p, l3, masked);
	if (type == PRM_CQE_ROCE_IPV4) {
		p[1] = 0xff;
		p[8] = 0xff;
		memset(p + 10, 0xff, 2);
	} else {
		p[0] |= 0x0f;
		memset(p + 1, 0xff, 3);
		p[7] = 0xff;
	}
	if (udp)
		memset(p + ip + 6, 0xff, 2);
	p[ip + udp + 4] = 0xff;
	crc = libdeflate_crc32(0, head, 8 + masked);
	return libdeflate_crc32(crc, l3 + masked, len - masked);
}

unsigned int roce_prio(const struct qp *qp, const struct av *av)
{
	const struct cxdev *dev = qp->obj.dev;
	const struct roce_addr *src = &dev->roce_addrs[av->sgid_index];

	return qos_prio(port_qos(dev->port), src->version ? av->tclass >> 2 : -1,
			src->vlan_valid ? av->prio : -1);
}

/* ---- sending ------------------------------------------------------------------------------- */

static uint8_t *put_eth(uint8_t *p, const struct av *av, const struct roce_addr *src,
			enum prm_cqe_roce_type type)
{
	memcpy(p, av->dmac, 6);
	memcpy(p + 6, src->mac, 6);
	p += 12;
	if (src->vlan_valid) {
		put16(p, ETH_P_8021Q);
		put16(p + 2, av->prio << 13 | (src->vlan & 0xfff));
		p += VLAN_BYTES;
	}
	put16(p, type == PRM_CQE_ROCE_GRH  ? ETH_P_ROCE :
		 type == PRM_CQE_ROCE_IPV4 ? ETH_P_IP :
					     ETH_P_IPV6);
	return p + 2;
}

static uint8_t *put_ipv6(uint8_t *p, const struct av *av, const struct roce_addr *src, uint8_t next,
			 uint32_t payload)
{
	put32(p, 6u << 28 | (uint32_t)av->tclass << 20 | (av->flow_label & 0xfffff));
	put16(p + 4, payload);
	p[6] = next;
	p[7] = av->hop_limit;
	memcpy(p + 8, src->gid, 16);
	memcpy(p + 24, av->dgid, 16);
	return p + GRH_BYTES;
}

static uint8_t *put_ipv4(uint8_t *p, const struct cxdev *dev, const struct av *av,
			 const struct roce_addr *src, uint32_t payload)
{
	uint32_t sum = 0;
	unsigned int i;

	p[0] = 0x45;
	p[1] = av->tclass;
	put16(p + 2, IPV4_BYTES + payload);
	put16(p + 4, dev->rdma_state->ip_id);
	put16(p + 6, 0x4000);
	p[8] = av->hop_limit;
	p[9] = PROTO_UDP;
	put16(p + 10, 0);
	memcpy(p + 12, src->gid + 12, 4);
	memcpy(p + 16, av->dgid + 12, 4);
	for (i = 0; i < IPV4_BYTES; i += 2)
		sum += get16(p + i);
	sum = (sum & 0xffff) + (sum >> 16);
	put16(p + 10, ~(sum + (sum >> 16)));
	return p + IPV4_BYTES;
}

/* @iba: iba_bytes() of what it is for. */
static uint8_t *put_l3(uint8_t *p, const struct cxdev *dev, const struct av *av, uint32_t iba)
{
	const struct roce_addr *src = &dev->roce_addrs[av->sgid_index];

	switch (roce_type(src)) {
	case PRM_CQE_ROCE_GRH:
		return put_ipv6(p, av, src, NEXT_IBA, iba);
	case PRM_CQE_ROCE_IPV6:
		return put_ipv6(p, av, src, PROTO_UDP, UDP_BYTES + iba);
	default:
		return put_ipv4(p, dev, av, src, UDP_BYTES + iba);
	}
}

void roce_put_grh(const struct cxdev *dev, const struct av *av, uint32_t len, uint8_t *grh)
{
	uint32_t empty = GRH_BYTES - l3_bytes(roce_type(&dev->roce_addrs[av->sgid_index]));

	memset(grh, 0, empty);
	put_l3(grh + empty, dev, av, iba_bytes(len));
}

/* The checksum stays 0, as the RoCE v2 annex has it. */
static uint8_t *put_udp(uint8_t *p, const struct qp *qp, const struct av *av, const struct bth *bth,
			uint32_t len)
{
	uint32_t hash = qp->obj.num * bth->dqpn;

	put16(p, av->udp_sport ? av->udp_sport : SPORT_MIN | ((hash ^ hash >> 14) & 0x3fff));
	put16(p + 2, ROCE_UDP_PORT);
	put16(p + 4, len);
	put16(p + 6, 0);
	return p + UDP_BYTES;
}

static uint8_t *put_bth(uint8_t *p, const struct bth *bth, unsigned int pad)
{
	p[0] = bth->opcode;
	p[1] = (bth->solicited ? 0x80 : 0) | 0x40 | pad << 4;
	put16(p + 2, DEFAULT_PKEY);
	put32(p + 4, (bth->becn ? 0x40000000u : 0) | bth->dqpn);
	put32(p + 8, (bth->ack_req ? 0x80000000u : 0) | bth->psn);
	return p + BTH_BYTES;
}

/* Data of a connection, which can be told to slow down. */
static bool is_data(uint8_t opcode)
{
	uint8_t op = opcode & 0x1f;

	return (opcode & 0xe0) != BTH_UD && opcode != BTH_CNP && op != BTH_ACK &&
	       op != BTH_ATOMIC_ACK;
}

struct frame *roce_frame(struct qp *qp, const struct av *av, const struct bth *bth, uint32_t len,
			 uint8_t **ext)
{
	struct av tagged = *av;
	struct cxdev *dev = qp->obj.dev;
	const struct roce_addr *src = &dev->roce_addrs[av->sgid_index];
	enum prm_cqe_roce_type type = roce_type(src);
	uint32_t pad = -len & 3, iba = iba_bytes(len);
	struct frame *frame;
	uint8_t *p;

	if (!src->valid) {
		/*
		 * A person may remove an address under a queue that uses it; in a LAG it is the
		 * fail-over that does, and the driver has to keep it.
		 */
		bool excused = src->removed && !lag_exists(dev);

		(excused ? trace : violation)(dev, "QP 0x%x: source GID index %u is empty",
					      qp->obj.num, av->sgid_index);
		return NULL;
	}
	if (!roce_addrs_fit(type, av)) {
		violation(dev, "QP 0x%x: source GID %u is IPv4, the destination GID is not",
			  qp->obj.num, av->sgid_index);
		return NULL;
	}
	frame = frame_alloc(roce_frame_bytes(src, len));
	if (!frame)
		return NULL;

	if (is_data(bth->opcode) && !(av->tclass & 3) && dcqcn_tags(qp)) {
		tagged.tclass |= ECN_CAPABLE;
		av = &tagged;
	}
	p = put_eth(frame->data, av, src, type);
	p = put_l3(p, dev, av, iba);
	if (type != PRM_CQE_ROCE_GRH)
		p = put_udp(p, qp, av, bth, UDP_BYTES + iba);
	p = put_bth(p, bth, pad);
	memset(p + len, 0, pad);
	*ext = p;
	return frame;
}

/* By which packets to @av leave the card. In hash mode that is decided by their headers. */
static struct port *port_to(struct qp *qp, const struct av *av)
{
	unsigned int affinity = prm_get(&qp->ctx, lag_tx_port_affinity);
	struct bth bth = { .opcode = BTH_ACK };
	struct cxdev *dev = qp->obj.dev;
	struct port *port = dev->port;
	struct frame *frame;
	uint8_t *p;

	if (!dev->adapter || !dev->roce_addrs[av->sgid_index].valid)
		return port;
	if (!lag_hashes(dev))
		return lag_tx_port(dev, affinity, NULL);
	frame = roce_frame(qp, av, &bth, 0, &p);
	if (frame)
		port = lag_tx_port(dev, affinity, frame);
	frame_free(frame);
	return port;
}

bool roce_may_send(struct qp *qp, const struct av *av, unsigned int reserve, struct work *work)
{
	struct port *port = port_to(qp, av);

	return port_may_send(port, av->dmac, roce_prio(qp, av), reserve, work);
}

/* ---- receiving ----------------------------------------------------------------------------- */

/* Most of what comes is not: without a look at the addresses. */
static bool is_roce(const uint8_t *l3, uint32_t room, uint16_t ethertype)
{
	switch (ethertype) {
	case ETH_P_IP:
		return room >= IPV4_BYTES + UDP_BYTES && l3[0] == 0x45 && l3[9] == PROTO_UDP &&
		       !(get16(l3 + 6) & 0x3fff) && get16(l3 + IPV4_BYTES + 2) == ROCE_UDP_PORT;
	case ETH_P_IPV6:
		return room >= GRH_BYTES + UDP_BYTES && l3[0] >> 4 == 6 && l3[6] == PROTO_UDP &&
		       get16(l3 + GRH_BYTES + 2) == ROCE_UDP_PORT;
	case ETH_P_ROCE:
		return room >= GRH_BYTES + UDP_BYTES && l3[0] >> 4 == 6 && l3[6] == NEXT_IBA;
	}
	return false;
}

/* Addresses and type. Returns the length from L3 header to ICRC. */
static uint32_t parse_l3(const uint8_t *l3, uint16_t ethertype, struct packet *pkt)
{
	if (ethertype == ETH_P_IP) {
		pkt->type = PRM_CQE_ROCE_IPV4;
		memcpy(pkt->grh + GRH_BYTES - IPV4_BYTES, l3, IPV4_BYTES);
		roce_put_v4_prefix(pkt->sgid);
		memcpy(pkt->sgid + 12, l3 + 12, 4);
		roce_put_v4_prefix(pkt->dgid);
		memcpy(pkt->dgid + 12, l3 + 16, 4);
		return get16(l3 + 2);
	}
	pkt->type = ethertype == ETH_P_ROCE ? PRM_CQE_ROCE_GRH : PRM_CQE_ROCE_IPV6;
	memcpy(pkt->grh, l3, GRH_BYTES);
	memcpy(pkt->sgid, l3 + 8, 16);
	memcpy(pkt->dgid, l3 + 24, 16);
	return GRH_BYTES + get16(l3 + 4);
}

/*
 * The packet and where its L3 header is. Returns the length from there to the ICRC, 0: it is no
 * RoCE packet, and *pkt is as before.
 */
static uint32_t parse_frame(const struct frame *frame, struct packet *pkt, uint32_t *l3)
{
	const uint8_t *d = frame->data;
	uint16_t ethertype;
	bool vlan;
	uint32_t len;

	if (frame->len < ETH_BYTES + VLAN_BYTES)
		return 0;
	ethertype = get16(d + 12);
	vlan = ethertype == ETH_P_8021Q;
	*l3 = ETH_BYTES;
	if (vlan) {
		ethertype = get16(d + 16);
		*l3 += VLAN_BYTES;
	}
	if (!is_roce(d + *l3, frame->len - *l3, ethertype))
		return 0;
	*pkt = (struct packet){ .n = 1, .vlan = vlan, .vlan_tci = vlan ? get16(d + 14) : 0 };
	memcpy(pkt->smac, d + 6, 6);
	len = parse_l3(d + *l3, ethertype, pkt);
	return len <= frame->len - *l3 ? len : 0;
}

/*
 * Is it sent to one of our GIDs, of the right kind, with its MAC and VLAN? A tag with VLAN 0 only
 * carries a priority.
 */
static bool address_matches(const struct roce_addr *addr, const struct packet *pkt,
			    const uint8_t *dmac)
{
	uint16_t vid = pkt->vlan ? pkt->vlan_tci & 0xfff : 0;

	return addr->valid && roce_type(addr) == pkt->type && !memcmp(addr->gid, pkt->dgid, 16) &&
	       !memcmp(addr->mac, dmac, 6) && (addr->vlan_valid ? addr->vlan & 0xfff : 0) == vid;
}

bool roce_is_ours(struct cxdev *dev, const struct packet *pkt, const uint8_t *dmac)
{
	unsigned int *last = &dev->rdma_state->last_addr, i;

	if (dmac[0] & 1)
		return mcg_find(dev, pkt->dgid);
	if (address_matches(&dev->roce_addrs[*last], pkt, dmac))
		return true;
	for (i = 0; i < ROCE_ADDRS; i++) {
		if (address_matches(&dev->roce_addrs[i], pkt, dmac)) {
			*last = i;
			return true;
		}
	}
	return false;
}

bool roce_is_to(const struct roce_addr *own, const struct packet *pkt)
{
	return own->valid && roce_type(own) == pkt->type && !memcmp(own->gid, pkt->dgid, 16);
}

bool roce_connection_matches(const struct qp *qp, const struct packet *pkt)
{
	return roce_is_to(&qp->obj.dev->roce_addrs[qp->av.sgid_index], pkt) &&
	       !memcmp(qp->av.dgid, pkt->sgid, 16);
}

/* ---- the end of sending -------------------------------------------------------------------- */

/* A group's own members hear what is sent to it from here too, unless the sender forbids it. */
static void loop_back(struct qp *qp, const struct frame *frame)
{
	struct cxdev *dev = qp->obj.dev;
	struct frame *copy;
	struct packet pkt;
	uint32_t l3;

	if (prm_get(&qp->ctx, block_lb_mc) || !obj_count(dev, OBJ_MCG) ||
	    !parse_frame(frame, &pkt, &l3) || !roce_is_ours(dev, &pkt, frame->data))
		return;
	copy = frame_copy(frame);
	if (copy)
		port_loopback(dev->port, copy);
}

static uint32_t l3_at(const uint8_t *frame)
{
	return get16(frame + 12) == ETH_P_8021Q ? ETH_BYTES + VLAN_BYTES : ETH_BYTES;
}

/*
 * A frame that stays in the process never needs its ICRC: nothing can change a bit of it, and to
 * compute the same number at both ends is most of the work that large messages are.
 */
static void put_icrc(struct frame *frame)
{
	uint8_t *d = frame->data;
	uint32_t l3 = l3_at(d), crc;
	uint16_t ethertype = get16(d + l3 - 2);
	enum prm_cqe_roce_type type = ethertype == ETH_P_ROCE ? PRM_CQE_ROCE_GRH :
				      ethertype == ETH_P_IP ? PRM_CQE_ROCE_IPV4 :
								    PRM_CQE_ROCE_IPV6;
	uint8_t *end = d + frame->len - ICRC_BYTES;

	crc = roce_icrc(d + l3, end - (d + l3), type);
	end[0] = crc;
	end[1] = crc >> 8;
	end[2] = crc >> 16;
	end[3] = crc >> 24;
}

/* Do the flow tables of sent RoCE packets let it pass? */
static bool passes_tables(struct cxdev *dev, const struct frame *frame)
{
	struct packet pkt;
	uint32_t l3;

	if (!dev->eth->rdma_steer)
		return true;
	parse_frame(frame, &pkt, &l3);
	return dev->eth->rdma_steer(dev, PRM_FT_RDMA_TX, frame,
				    frame->data[l3 + headers_bytes(pkt.type)]) == RDMA_PASSES;
}

void roce_send(struct qp *qp, struct frame *frame)
{
	struct cxdev *dev = qp->obj.dev;

	/* Nobody's mistake: a program chooses its path MTU, and a person the interface's. */
	if (!port_mtu_fits(dev, frame->len)) {
		dev->eth->counters.tx_errors.packets++;
		dev->eth->counters.tx_errors.bytes += frame->len;
		frame_free(frame);
		return;
	}
	if (get16(frame->data + l3_at(frame->data) - 2) == ETH_P_IP)
		dev->rdma_state->ip_id++;
	if (!passes_tables(dev, frame)) {
		frame_free(frame);
		return;
	}
	frame->finish = put_icrc;
	if (frame->data[0] & 1) {
		loop_back(qp, frame);
		dev->rdma->tx_mcast_packets++;
		dev->rdma->tx_mcast_bytes += frame->len;
	} else {
		dev->rdma->tx_packets++;
		dev->rdma->tx_bytes += frame->len;
	}
	port_send(lag_tx_port(dev, prm_get(&qp->ctx, lag_tx_port_affinity), frame), frame);
}

/* ---- what was received --------------------------------------------------------------------- */

/* Takes off what DC puts after the BTH. */
static bool parse_dc(struct packet *pkt)
{
	uint32_t len = bth_is_answer(pkt->bth.opcode) ? DC_RESP_BYTES : DC_ETH_BYTES;
	const uint8_t *p = pkt->ext;

	if (pkt->ext_len < len)
		return false;
	if (len == DC_RESP_BYTES)
		pkt->dc.session = get32(p);
	else
		pkt->dc = (struct dc_eth){ .key = get64(p),
					   .initiator = get32(p + 8) & PSN_MASK,
					   .session = get32(p + 12),
					   .first_psn = get32(p + 16) & PSN_MASK,
					   .epoch = get32(p + 20) };
	pkt->ext += len;
	pkt->ext_len -= len;
	return true;
}

/* BTH and what follows; @iba: bytes from the BTH to the end of the ICRC. */
static bool parse_bth(const uint8_t *p, uint32_t iba, struct packet *pkt)
{
	uint32_t pad = p[1] >> 4 & 3, rest = iba - BTH_BYTES - ICRC_BYTES;

	if ((p[1] & BTH_TVER_MASK) || (get16(p + 2) & PKEY_MASK) != (DEFAULT_PKEY & PKEY_MASK) ||
	    pad > rest)
		return false;
	pkt->bth.opcode = p[0];
	pkt->bth.solicited = p[1] & 0x80;
	pkt->bth.dqpn = get32(p + 4) & PSN_MASK;
	pkt->bth.ack_req = p[8] & 0x80;
	pkt->bth.psn = get32(p + 8) & PSN_MASK;
	pkt->ext = p + BTH_BYTES;
	pkt->ext_len = rest - pad;
	if ((p[0] & 0xe0) == BTH_DC)
		return parse_dc(pkt);
	if ((p[0] & 0xe0) != BTH_XRC || bth_is_answer(p[0]))
		return true;
	if (pkt->ext_len < XRC_ETH_BYTES)
		return false;
	pkt->xrc_srqn = get32(pkt->ext) & PSN_MASK;
	pkt->ext += XRC_ETH_BYTES;
	pkt->ext_len -= XRC_ETH_BYTES;
	return true;
}

/* ---- congestion ---------------------------------------------------------------------------- */

bool roce_is_marked(const struct packet *pkt)
{
	if (pkt->type == PRM_CQE_ROCE_IPV4)
		return (pkt->grh[GRH_BYTES - IPV4_BYTES + 1] & 3) == ECN_CE;
	return pkt->type == PRM_CQE_ROCE_IPV6 && (pkt->grh[1] >> 4 & 3) == ECN_CE;
}

void roce_send_cnp(struct qp *qp)
{
	struct bth bth = { .opcode = BTH_CNP, .becn = true, .dqpn = qp->remote_qpn };
	struct av av = qp->av;
	struct frame *frame;
	uint8_t *p;

	qp->obj.dev->rdma->rx_ecn_marked++;
	if (!dcqcn_notify(qp))
		return;
	dcqcn_cnp_path(qp, &av);
	frame = roce_frame(qp, &av, &bth, CNP_BYTES, &p);
	if (!frame)
		return;
	memset(p, 0, CNP_BYTES);
	qp->obj.dev->rdma->tx_cnp++;
	roce_send(qp, frame);
}

static bool take_cnp(struct qp *qp, const struct packet *pkt)
{
	if ((!qp_reliable(qp) && qp->st != PRM_QP_ST_UC) || !roce_connection_matches(qp, pkt))
		return false;
	if (dcqcn_notified(qp))
		qp->obj.dev->rdma->rx_cnp++;
	else
		qp->obj.dev->rdma->rx_cnp_ignored++;
	return true;
}

static bool of_connection(struct qp *qp, const struct packet *pkt)
{
	if (!roce_connection_matches(qp, pkt))
		return false;
	if (roce_is_marked(pkt) && qp->state != PRM_QP_RST && qp->state != PRM_QP_INIT)
		roce_send_cnp(qp);
	return true;
}

static bool dispatch_qp(struct qp *qp, const struct packet *pkt)
{
	if (pkt->bth.opcode == BTH_CNP)
		return take_cnp(qp, pkt);
	switch (pkt->bth.opcode & 0xe0) {
	case BTH_RC:
		if (qp->st != PRM_QP_ST_RC || !of_connection(qp, pkt))
			return false;
		if (bth_is_answer(pkt->bth.opcode))
			requester_answer(qp, pkt);
		else
			responder_request(qp, pkt);
		return true;
	case BTH_XRC:
		if (qp->st != PRM_QP_ST_XRC ||
		    bth_is_answer(pkt->bth.opcode) == qp_xrc_target(qp) || !of_connection(qp, pkt))
			return false;
		if (qp_xrc_target(qp))
			responder_request(qp, pkt);
		else
			requester_answer(qp, pkt);
		return true;
	case BTH_DC:	/* requests are for DCTs */
		if (qp->st != PRM_QP_ST_DCI || !of_connection(qp, pkt))
			return false;
		dci_answer(qp, pkt);
		return true;
	case BTH_UC:
		if (qp->st != PRM_QP_ST_UC || !of_connection(qp, pkt))
			return false;
		responder_request(qp, pkt);
		return true;
	case BTH_UD:
		if (qp->st != PRM_QP_ST_UD && qp->st != PRM_QP_ST_QP1)
			return false;
		responder_datagram(qp, pkt);
		return true;
	}
	return false;
}

static bool dispatch(struct cxdev *dev, const struct packet *pkt)
{
	const struct mcg *mcg;
	bool taken = false;
	unsigned int i;
	struct dct *dct;
	struct qp *qp;

	if (pkt->bth.dqpn == MCAST_QPN) {
		mcg = mcg_find(dev, pkt->dgid);
		for (i = 0; mcg && i < mcg->n; i++)
			taken |= dispatch_qp(mcg->qps[i], pkt);
		return taken;
	}
	if ((pkt->bth.opcode & 0xe0) == BTH_DC && !bth_is_answer(pkt->bth.opcode)) {
		dct = obj_find(dev, OBJ_DCT, pkt->bth.dqpn);
		return dct && dct_request(dct, pkt);
	}
	dct = pkt->bth.opcode == BTH_CNP ? obj_find(dev, OBJ_DCT, pkt->bth.dqpn) : NULL;
	if (dct)
		return dct_cnp(dct, pkt);
	qp = pkt->bth.dqpn == GSI_QPN ? dev->rdma_state->gsi : obj_find(dev, OBJ_QP, pkt->bth.dqpn);
	return qp && dispatch_qp(qp, pkt);
}

static void count_received(struct cxdev *dev, const struct frame *frame)
{
	if (frame->data[0] & 1) {
		dev->rdma->rx_mcast_packets++;
		dev->rdma->rx_mcast_bytes += frame->len;
	} else {
		dev->rdma->rx_packets++;
		dev->rdma->rx_bytes += frame->len;
	}
}

/* @len: from the L3 header to the end of the ICRC. */
static bool icrc_right(const struct frame *frame, uint32_t l3, uint32_t len,
		       enum prm_cqe_roce_type type)
{
	const uint8_t *icrc = frame->data + l3 + len - ICRC_BYTES;

	return frame->finish || roce_icrc(frame->data + l3, len - ICRC_BYTES, type) ==
			       ((uint32_t)icrc[3] << 24 | icrc[2] << 16 | icrc[1] << 8 | icrc[0]);
}

/* What becomes of a packet that is addressed to the function; @l3, @len: as above. */
enum receipt { TO_QP, TOO_SHORT, WRONG_ICRC, WRONG_BTH, TABLES_DROP, TO_ETHERNET };

static enum receipt look_at(struct cxdev *dev, const struct frame *frame, uint32_t l3, uint32_t len,
			    struct packet *pkt)
{
	uint32_t headers = headers_bytes(pkt->type);
	enum rdma_fate fate;

	if (len < headers + BTH_BYTES + ICRC_BYTES)
		return TOO_SHORT;
	if (!icrc_right(frame, l3, len, pkt->type))
		return WRONG_ICRC;
	if (!parse_bth(frame->data + l3 + headers, len - headers, pkt))
		return WRONG_BTH;
	if (!dev->eth->rdma_steer)
		return TO_QP;
	fate = dev->eth->rdma_steer(dev, PRM_FT_RDMA_RX, frame, pkt->bth.opcode);
	return fate == RDMA_PASSES ? TO_QP : fate == RDMA_DROPPED ? TABLES_DROP : TO_ETHERNET;
}

/* A packet that no QP gets. */
static void lose(struct cxdev *dev, const struct frame *frame, uint32_t l3,
		 const struct packet *pkt)
{
	const uint8_t *bth = frame->data + l3 + headers_bytes(pkt->type);

	dev->rdma->rx_dropped++;
	dev->rdma->rx_cnp_ignored += pkt->bth.opcode == BTH_CNP;
	trace(dev, "a RoCE packet for QP 0x%x (opcode 0x%02x, PSN %u) was dropped",
	      get32(bth + 4) & PSN_MASK, bth[0], get32(bth + 8) & PSN_MASK);
}

bool roce_receive(struct cxdev *port, struct frame *frame)
{
	struct cxdev *dev = lag_first_dev(port);
	enum receipt receipt;
	struct packet pkt;
	uint32_t l3, len;

	if (!dev->roce_enabled || !dev->rdma_state)
		return false;
	len = parse_frame(frame, &pkt, &l3);
	if (!len || !roce_is_ours(dev, &pkt, frame->data))
		return false;

	receipt = look_at(dev, frame, l3, len, &pkt);
	if (receipt == TO_ETHERNET)
		return false;
	count_received(dev, frame);
	switch (receipt) {
	case TO_QP:
		if (!dispatch(dev, &pkt))
			lose(dev, frame, l3, &pkt);
		break;
	case WRONG_ICRC:
		port->rdma->rx_icrc_errors++;	/* of PPCNT: the port's */
		trace(dev, "a RoCE packet with a wrong ICRC was dropped");
		break;
	case WRONG_BTH:
		lose(dev, frame, l3, &pkt);
		break;
	default:
		dev->rdma->rx_dropped++;
	}
	frame_free(frame);
	return true;
}
