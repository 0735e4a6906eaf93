// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Tunnels: VXLAN by its UDP ports, GRE, and IP in IP. What of them is understood is the inner
 * headers: one tunnel deep, behind options that are known, in packets that are no fragments.
 */
#include "nic/nic.h"
#include "prm/tunnel.h"

#define IPPROTO_IPIP 4
#define IPPROTO_UDP 17
#define IPPROTO_IPV6 41
#define IPPROTO_GRE 47
#define VXLAN_BYTES 8
#define VXLAN_FLAGS 0x08	/* there is a VNI, and nothing of a later version */
#define GRE_CSUM 0x8000
#define GRE_KEY 0x2000
#define GRE_SEQUENCE 0x1000
#define GRE_KNOWN (GRE_CSUM | GRE_KEY | GRE_SEQUENCE)

/* ---- ports ---- */

static uint16_t *find_port(struct cxdev *dev, uint16_t port)
{
	struct eth_state *eth = dev->eth;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(eth->vxlan_ports); i++)
		if (eth->vxlan_ports[i] == port)
			return &eth->vxlan_ports[i];
	return NULL;
}

static unsigned int count_ports(const struct cxdev *dev)
{
	unsigned int n = 0, i;

	for (i = 0; i < ARRAY_SIZE(dev->eth->vxlan_ports); i++)
		n += !!dev->eth->vxlan_ports[i];
	return n;
}

unsigned int tunnel_report_leaks(struct cxdev *dev)
{
	unsigned int i, port, n = 0;

	for (i = 0; i < ARRAY_SIZE(dev->eth->vxlan_ports); i++) {
		port = dev->eth->vxlan_ports[i];
		/* The card has this one in any case: at shutdown mlx5_core leaves it. */
		if (!port || port == PRM_VXLAN_PORT)
			continue;
		violation_leak(dev, "VXLAN port %u was not deleted", port);
		n++;
	}
	return n;
}

static int check_port(struct cmd *c, unsigned int port)
{
	if (!(hca_tunnels(c->dev) & TUNNEL_VXLAN))
		return refuse(c, PRM_STATUS_BAD_OP, "VXLAN is not advertised");
	if (!port)
		return refuse(c, PRM_STATUS_BAD_PARAM, "vxlan_udp_port is 0");
	return 0;
}

static int run_add_vxlan_udp_dport(struct cmd *c)
{
	const struct prm_add_vxlan_udp_dport_in *in = c->in;
	unsigned int port = prm_get(in, vxlan_udp_port);
	uint16_t *place;

	if (check_port(c, port))
		return -1;
	if (find_port(c->dev, port))
		return refuse(c, PRM_STATUS_BAD_PARAM, "VXLAN port %u is there already", port);
	place = find_port(c->dev, 0);
	if (!place || count_ports(c->dev) >= hca_vxlan_ports(c->dev))
		return refuse(c, PRM_STATUS_LIM, "VXLAN port %u: there are %u already", port,
			      count_ports(c->dev));
	*place = port;
	return 0;
}

static int run_delete_vxlan_udp_dport(struct cmd *c)
{
	const struct prm_delete_vxlan_udp_dport_in *in = c->in;
	unsigned int port = prm_get(in, vxlan_udp_port);
	uint16_t *place;

	if (check_port(c, port))
		return -1;
	place = find_port(c->dev, port);
	/* mlx5_core deletes the card's own port even if a reset has made the card forget it */
	if (!place && port != PRM_VXLAN_PORT)
		return refuse(c, PRM_STATUS_BAD_PARAM, "VXLAN port %u is not there", port);
	if (place)
		*place = 0;
	return 0;
}

/* ---- packets ---- */

static bool parse_vxlan(struct cxdev *dev, const struct eth_packet *packet,
			struct eth_packet *inner, uint32_t end)
{
	const uint8_t *udp = packet->data + packet->l4;
	uint32_t at = packet->l4 + UDP_BYTES;
	uint16_t port;

	if (!packet->l4 || at + VXLAN_BYTES + 14 > end || packet->data[at] != VXLAN_FLAGS)
		return false;
	port = get16(udp + 2);
	if (!port || (port != PRM_VXLAN_PORT && !find_port(dev, port)) ||
	    !(hca_tunnels(dev) & TUNNEL_VXLAN))
		return false;
	packet_parse_at(inner, packet->data, at + VXLAN_BYTES, end);
	return true;
}

static bool parse_gre(struct cxdev *dev, const struct eth_packet *packet, struct eth_packet *inner,
		      uint32_t end)
{
	const uint8_t *gre = packet->data + packet->payload;
	uint32_t at = packet->payload + 4;
	uint16_t flags, protocol;

	if (!(hca_tunnels(dev) & TUNNEL_GRE) || at > end)
		return false;
	flags = get16(gre);
	protocol = get16(gre + 2);
	if (flags & ~GRE_KNOWN)
		return false;
	at += 4 * (!!(flags & GRE_CSUM) + !!(flags & GRE_KEY) + !!(flags & GRE_SEQUENCE));
	if (protocol == ETH_P_TEB && at + 14 <= end)
		packet_parse_at(inner, packet->data, at, end);
	else if (protocol == ETH_P_IP || protocol == ETH_P_IPV6)
		packet_parse_ip(inner, packet->data, at, end, protocol);
	else
		return false;
	return true;
}

bool tunnel_parse(struct cxdev *dev, struct eth_packet *packet, struct eth_packet *inner,
		  uint32_t end)
{
	bool found = false;

	packet->inner = NULL;
	if (!packet->payload || packet->frag)
		return false;
	switch (packet->proto) {
	case IPPROTO_UDP:
		found = parse_vxlan(dev, packet, inner, end);
		break;
	case IPPROTO_GRE:
		found = parse_gre(dev, packet, inner, end);
		break;
	case IPPROTO_IPIP:
	case IPPROTO_IPV6:
		if (hca_tunnels(dev) & TUNNEL_IP) {
			packet_parse_ip(inner, packet->data, packet->payload, end,
					packet->proto == IPPROTO_IPV6 ? ETH_P_IPV6 : ETH_P_IP);
			found = inner->l3;
		}
		break;
	}
	if (found)
		packet->inner = inner;
	return found;
}

bool tunnel_csum_ok(const struct eth_packet *packet, uint64_t l4_sum)
{
	const uint8_t *header = packet->data + packet->payload;
	uint32_t len = packet->end - packet->payload;

	if (!packet->len_ok)
		return false;
	if (packet->proto == IPPROTO_UDP && get16(header + 6))
		return packet_l4_ok(packet, l4_sum);
	if (packet->proto == IPPROTO_UDP)
		return get16(header + 4) >= UDP_BYTES && get16(header + 4) <= len;
	if (packet->proto == IPPROTO_GRE && get16(header) & GRE_CSUM)
		return csum_fold(csum_add(0, header, len)) == 0xffff;
	return true;
}

const struct cmd_desc cmds_tunnel[] = {
	CMD(add_vxlan_udp_dport), CMD(delete_vxlan_udp_dport), {}
};
