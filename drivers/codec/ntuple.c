// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/string.h>
#include <linux/types.h>
#include <linux/ethtool.h>
#include "ntuple.h"

/* Ethertypes and IP protocols */
enum { NONE = 0, IPV4 = 0x0800, IPV6 = 0x86dd, TCP = 6, UDP = 17 };

#define KINDS 7

static const struct kind {
	u32 flow_type;
	u16 ethertype;
	u8 protocol;
} kinds[KINDS] = {
	{ ETHER_FLOW, NONE, NONE },
	{ IPV4_USER_FLOW, IPV4, NONE },
	{ TCP_V4_FLOW, IPV4, TCP },
	{ UDP_V4_FLOW, IPV4, UDP },
	{ IPV6_USER_FLOW, IPV6, NONE },
	{ TCP_V6_FLOW, IPV6, TCP },
	{ UDP_V6_FLOW, IPV6, UDP },
};

static const struct kind *kind_of(u32 flow_type)
{
	unsigned int i;

	for (i = 0; i < KINDS; i++)
		if (kinds[i].flow_type == flow_type)
			return &kinds[i];
	return NULL;
}

/* ---- what has no field ---- */

/* Neither bytes behind the headers that are known, nor what only one kind of card has. */
static const char *unsupported(const struct ethtool_rx_flow_spec *spec, const struct kind *kind)
{
	const union ethtool_flow_union *m = &spec->m_u;

	if (kind->flow_type == IPV4_USER_FLOW) {
		if (m->usr_ip4_spec.ip_ver || spec->h_u.usr_ip4_spec.ip_ver != ETH_RX_NFC_IP4)
			return "the IP version of IPv4 packets is 4";
		if (m->usr_ip4_spec.l4_4_bytes)
			return "the first bytes after the IP header (l4data) cannot be matched";
	}
	if (kind->flow_type == IPV6_USER_FLOW && m->usr_ip6_spec.l4_4_bytes)
		return "the first bytes after the IP header (l4data) cannot be matched";
	if (spec->flow_type & FLOW_EXT) {
		if (spec->m_ext.vlan_etype)
			return "the type of a VLAN tag (vlan-etype) cannot be matched";
		if (spec->m_ext.data[0] || spec->m_ext.data[1])
			return "user-defined bytes (user-def) cannot be matched";
	}
	return NULL;
}

/* ---- one side, bits or values ---- */

static void decode_ports(const struct kind *kind, u16 sport, u16 dport, struct cxr_flow_fields *f)
{
	if (kind->protocol == TCP) {
		f->tcp_sport = sport;
		f->tcp_dport = dport;
	} else {
		f->udp_sport = sport;
		f->udp_dport = dport;
	}
}

static void decode_ipv4(const struct kind *kind, const union ethtool_flow_union *u,
			struct cxr_flow_fields *f)
{
	const struct ethtool_usrip4_spec *ip = &u->usr_ip4_spec;
	const struct ethtool_tcpip4_spec *l4 = &u->tcp_ip4_spec;

	if (kind->protocol) {
		memcpy(f->src + 12, &l4->ip4src, sizeof(l4->ip4src));
		memcpy(f->dst + 12, &l4->ip4dst, sizeof(l4->ip4dst));
		f->traffic_class = l4->tos;
		decode_ports(kind, be16_to_cpu(l4->psrc), be16_to_cpu(l4->pdst), f);
	} else {
		memcpy(f->src + 12, &ip->ip4src, sizeof(ip->ip4src));
		memcpy(f->dst + 12, &ip->ip4dst, sizeof(ip->ip4dst));
		f->traffic_class = ip->tos;
		f->ip_protocol = ip->proto;
	}
}

static void decode_ipv6(const struct kind *kind, const union ethtool_flow_union *u,
			struct cxr_flow_fields *f)
{
	const struct ethtool_usrip6_spec *ip = &u->usr_ip6_spec;
	const struct ethtool_tcpip6_spec *l4 = &u->tcp_ip6_spec;

	if (kind->protocol) {
		memcpy(f->src, l4->ip6src, sizeof(f->src));
		memcpy(f->dst, l4->ip6dst, sizeof(f->dst));
		f->traffic_class = l4->tclass;
		decode_ports(kind, be16_to_cpu(l4->psrc), be16_to_cpu(l4->pdst), f);
	} else {
		memcpy(f->src, ip->ip6src, sizeof(f->src));
		memcpy(f->dst, ip->ip6dst, sizeof(f->dst));
		f->traffic_class = ip->tclass;
		f->ip_protocol = ip->l4_proto;
	}
}

static void decode(const struct kind *kind, u32 flow_type, const union ethtool_flow_union *u,
		   const struct ethtool_flow_ext *ext, struct cxr_flow_fields *f)
{
	memset(f, 0, sizeof(*f));
	switch (kind->ethertype) {
	case IPV4:
		decode_ipv4(kind, u, f);
		break;
	case IPV6:
		decode_ipv6(kind, u, f);
		break;
	default:
		memcpy(f->dmac, u->ether_spec.h_dest, sizeof(f->dmac));
		memcpy(f->smac, u->ether_spec.h_source, sizeof(f->smac));
		f->ethertype = be16_to_cpu(u->ether_spec.h_proto);
	}
	if (flow_type & FLOW_EXT)
		f->tci = be16_to_cpu(ext->vlan_tci);
	if (flow_type & FLOW_MAC_EXT)
		memcpy(f->dmac, ext->h_dest, sizeof(f->dmac));
}

/* ---- the whole ---- */

const char *cxr_ntuple_decode(const struct ethtool_rx_flow_spec *spec, struct cxr_flow_fields *mask,
			      struct cxr_flow_fields *value)
{
	static const u8 any[sizeof(mask->dmac)];
	u32 flow_type = spec->flow_type;
	const struct kind *kind;
	const char *why;

	kind = kind_of(flow_type & ~(FLOW_EXT | FLOW_MAC_EXT | FLOW_RSS));
	if (!kind)
		return "flow types are ether, ip4, tcp4, udp4, ip6, tcp6 and udp6";
	why = unsupported(spec, kind);
	if (why)
		return why;
	if (kind->flow_type == ETHER_FLOW && flow_type & FLOW_MAC_EXT &&
	    memcmp(spec->m_u.ether_spec.h_dest, any, sizeof(any)))
		return "the destination MAC is given twice (dst, dst-mac)";

	decode(kind, flow_type, &spec->m_u, &spec->m_ext, mask);
	decode(kind, flow_type, &spec->h_u, &spec->h_ext, value);
	if (kind->ethertype) {
		mask->ethertype = 0xffff;
		value->ethertype = kind->ethertype;
	}
	if (kind->protocol) {
		mask->ip_protocol = 0xff;
		value->ip_protocol = kind->protocol;
	}
	mask->tagged = !!mask->tci;
	value->tagged = 1;
	cxr_flow_mask(mask, value);
	return NULL;
}
