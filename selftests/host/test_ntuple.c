// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* codec/ntuple: flow specifications of ethtool -N. */
#include <string.h>
#include <linux/types.h>
#include <linux/ethtool.h>
#include "host.h"
#include "codec/ntuple.h"

/* htons() and htonl() as constants */
#define IS_LITTLE (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#define BE16(v) (IS_LITTLE ? __builtin_bswap16(v) : (v))
#define BE32(v) (IS_LITTLE ? __builtin_bswap32(v) : (v))

#define IPV4_ADDRESS(field) .field = { [12] = 192, 0, 2, 1 }
#define IPV4_MASK(field) .field = { [12] = 255, 255, 255, 255 }

/* 192.0.2.1, and all of its bits */
#define ADDRESS BE32(0xc0000201)
#define ALL BE32(0xffffffff)

static const struct {
	const char *sentence;
	struct ethtool_rx_flow_spec spec;
	struct cxr_flow_fields mask, value;
} cases[] = {
	{ "TCP over IPv4: addresses and ports",
	  { .flow_type = TCP_V4_FLOW,
	    .m_u.tcp_ip4_spec = { .ip4src = ALL, .psrc = BE16(0xffff), .pdst = BE16(0xff00) },
	    .h_u.tcp_ip4_spec = { .ip4src = ADDRESS, .psrc = BE16(7), .pdst = BE16(0x1234) } },
	  { .ethertype = 0xffff, .ip_protocol = 0xff, IPV4_MASK(src), .tcp_sport = 0xffff,
	    .tcp_dport = 0xff00 },
	  { .ethertype = 0x800, .ip_protocol = 6, IPV4_ADDRESS(src), .tcp_sport = 7,
	    .tcp_dport = 0x1200 } },
	{ "UDP over IPv4: ports and type of service",
	  { .flow_type = UDP_V4_FLOW,
	    .m_u.udp_ip4_spec = { .ip4dst = ALL, .pdst = BE16(0xffff), .tos = 0xfc },
	    .h_u.udp_ip4_spec = { .ip4dst = ADDRESS, .pdst = BE16(7), .tos = 0x23 } },
	  { .ethertype = 0xffff, .ip_protocol = 0xff, IPV4_MASK(dst), .udp_dport = 0xffff,
	    .traffic_class = 0xfc },
	  { .ethertype = 0x800, .ip_protocol = 17, IPV4_ADDRESS(dst), .udp_dport = 7,
	    .traffic_class = 0x20 } },
	{ "any protocol over IPv4",
	  { .flow_type = IPV4_USER_FLOW,
	    .m_u.usr_ip4_spec = { .ip4src = ALL, .proto = 0xff },
	    .h_u.usr_ip4_spec = { .ip4src = ADDRESS, .proto = 50, .ip_ver = ETH_RX_NFC_IP4 } },
	  { .ethertype = 0xffff, .ip_protocol = 0xff, IPV4_MASK(src) },
	  { .ethertype = 0x800, .ip_protocol = 50, IPV4_ADDRESS(src) } },
	{ "TCP over IPv6",
	  { .flow_type = TCP_V6_FLOW,
	    .m_u.tcp_ip6_spec = { .ip6src = { ALL }, .pdst = BE16(0xffff), .tclass = 0xff },
	    .h_u.tcp_ip6_spec = { .ip6src = { ADDRESS }, .pdst = BE16(9), .tclass = 3 } },
	  { .ethertype = 0xffff, .ip_protocol = 0xff, .src = { 255, 255, 255, 255 },
	    .tcp_dport = 0xffff, .traffic_class = 0xff },
	  { .ethertype = 0x86dd, .ip_protocol = 6, .src = { 192, 0, 2, 1 }, .tcp_dport = 9,
	    .traffic_class = 3 } },
	{ "UDP over IPv6",
	  { .flow_type = UDP_V6_FLOW, .m_u.udp_ip6_spec = { .psrc = BE16(0xffff) },
	    .h_u.udp_ip6_spec = { .psrc = BE16(9), .pdst = BE16(1) } },
	  { .ethertype = 0xffff, .ip_protocol = 0xff, .udp_sport = 0xffff },
	  { .ethertype = 0x86dd, .ip_protocol = 17, .udp_sport = 9 } },
	{ "any protocol over IPv6",
	  { .flow_type = IPV6_USER_FLOW, .m_u.usr_ip6_spec = { .ip6dst = { [3] = ALL } },
	    .h_u.usr_ip6_spec = { .ip6dst = { [3] = ADDRESS }, .l4_proto = 58 } },
	  { .ethertype = 0xffff, IPV4_MASK(dst) }, { .ethertype = 0x86dd, IPV4_ADDRESS(dst) } },
	{ "an Ethertype, and both MACs",
	  { .flow_type = ETHER_FLOW,
	    .m_u.ether_spec = { { 255, 255 }, { 255 }, BE16(0xffff) },
	    .h_u.ether_spec = { { 1, 2, 3 }, { 4, 5 }, BE16(0x88cc) } },
	  { .dmac = { 255, 255 }, .smac = { 255 }, .ethertype = 0xffff },
	  { .dmac = { 1, 2 }, .smac = { 4 }, .ethertype = 0x88cc } },
	{ "a VLAN: there is a tag",
	  { .flow_type = UDP_V4_FLOW | FLOW_EXT, .m_ext.vlan_tci = BE16(0xfff),
	    .h_ext.vlan_tci = BE16(0x2005) },
	  { .ethertype = 0xffff, .ip_protocol = 0xff, .tci = 0xfff, .tagged = 1 },
	  { .ethertype = 0x800, .ip_protocol = 17, .tci = 5, .tagged = 1 } },
	{ "an extension that says nothing",
	  { .flow_type = UDP_V4_FLOW | FLOW_EXT, .h_ext.vlan_tci = BE16(5) },
	  { .ethertype = 0xffff, .ip_protocol = 0xff }, { .ethertype = 0x800, .ip_protocol = 17 } },
	{ "an extension that is not there",
	  { .flow_type = UDP_V4_FLOW, .m_ext = { .vlan_tci = BE16(0xfff), .h_dest = { 255 } } },
	  { .ethertype = 0xffff, .ip_protocol = 0xff }, { .ethertype = 0x800, .ip_protocol = 17 } },
	{ "a destination MAC beside others",
	  { .flow_type = TCP_V4_FLOW | FLOW_MAC_EXT, .m_ext.h_dest = { 255 },
	    .h_ext.h_dest = { 2, 3 } },
	  { .ethertype = 0xffff, .ip_protocol = 0xff, .dmac = { 255 } },
	  { .ethertype = 0x800, .ip_protocol = 6, .dmac = { 2 } } },
	{ "all packets", { .flow_type = ETHER_FLOW }, {}, {} },
	{ "packets that RSS spreads", { .flow_type = UDP_V4_FLOW | FLOW_RSS },
	  { .ethertype = 0xffff, .ip_protocol = 0xff }, { .ethertype = 0x800, .ip_protocol = 17 } },
};

static const struct {
	const char *sentence, *word;
	struct ethtool_rx_flow_spec spec;
} refused[] = {
	{ "another protocol", "flow types", { .flow_type = SCTP_V4_FLOW } },
	{ "no flow type", "flow types", {} },
	{ "another IP version", "IP version", { .flow_type = IPV4_USER_FLOW } },
	{ "bits of the IP version", "IP version",
	  { .flow_type = IPV4_USER_FLOW, .m_u.usr_ip4_spec.ip_ver = 1,
	    .h_u.usr_ip4_spec.ip_ver = ETH_RX_NFC_IP4 } },
	{ "bytes after an IPv4 header", "l4data",
	  { .flow_type = IPV4_USER_FLOW, .m_u.usr_ip4_spec.l4_4_bytes = 1,
	    .h_u.usr_ip4_spec.ip_ver = ETH_RX_NFC_IP4 } },
	{ "bytes after an IPv6 header", "l4data",
	  { .flow_type = IPV6_USER_FLOW, .m_u.usr_ip6_spec.l4_4_bytes = 1 } },
	{ "the type of a tag", "vlan-etype",
	  { .flow_type = TCP_V4_FLOW | FLOW_EXT, .m_ext.vlan_etype = 1 } },
	{ "user-defined bytes, high", "user-def",
	  { .flow_type = TCP_V4_FLOW | FLOW_EXT, .m_ext.data[0] = 1 } },
	{ "user-defined bytes, low", "user-def",
	  { .flow_type = TCP_V4_FLOW | FLOW_EXT, .m_ext.data[1] = 1 } },
	{ "two destination MACs", "given twice",
	  { .flow_type = ETHER_FLOW | FLOW_MAC_EXT, .m_u.ether_spec.h_dest = { [5] = 1 } } },
};

void test_ntuple(void)
{
	struct cxr_flow_fields mask, value;
	unsigned int i;
	const char *why;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		begin("ntuple", cases[i].sentence);
		memset(&mask, 0xaa, sizeof(mask));
		memset(&value, 0xaa, sizeof(value));
		expect(!cxr_ntuple_decode(&cases[i].spec, &mask, &value), true);
		expect_bytes(&mask, &cases[i].mask, sizeof(mask));
		expect_bytes(&value, &cases[i].value, sizeof(value));
	}
	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		begin("ntuple refuses", refused[i].sentence);
		why = cxr_ntuple_decode(&refused[i].spec, &mask, &value);
		expect(why && strstr(why, refused[i].word), true);
	}
}
