// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/string.h>
#include <linux/types.h>
#include "flow.h"

#define TCI_VID 0x0fff
#define TCI_CFI 0x1000
#define TCI_PRIO 0xe000
#define TC_ECN 0x03
#define TC_DSCP 0xfc
#define VERSION_BITS 0xf
#define TYPE_IPV4 0x0800
#define TYPE_IPV6 0x86dd

static void encode_l2(const struct cxr_flow_fields *f, struct prm_fte_match_set_lyr_2_4 *set)
{
	prm_set(set, dmac_47_16, (u32)f->dmac[0] << 24 | f->dmac[1] << 16 | f->dmac[2] << 8 |
				 f->dmac[3]);
	prm_set(set, dmac_15_0, f->dmac[4] << 8 | f->dmac[5]);
	prm_set(set, smac_47_16, (u32)f->smac[0] << 24 | f->smac[1] << 16 | f->smac[2] << 8 |
				 f->smac[3]);
	prm_set(set, smac_15_0, f->smac[4] << 8 | f->smac[5]);
	prm_set(set, ethertype, f->ethertype);
	prm_set(set, first_vid, f->tci & TCI_VID);
	prm_set(set, first_cfi, !!(f->tci & TCI_CFI));
	prm_set(set, first_prio, (f->tci & TCI_PRIO) >> 13);
	prm_set(set, cvlan_tag, f->tagged);
}

void cxr_flow_encode(const struct cxr_flow_fields *f, struct prm_fte_match_param *param)
{
	struct prm_fte_match_set_lyr_2_4 *set = prm_sub(param, outer_headers,
							fte_match_set_lyr_2_4);

	memset(param, 0, sizeof(*param));
	prm_set(param, misc_parameters.bth_opcode, f->bth_opcode);
	prm_set(param, misc_parameters.source_port, f->source_vport);
	prm_set(param, inner_headers.ip_version, f->inner_version);
	prm_set(param, inner_headers.ip_protocol, f->inner_protocol);
	encode_l2(f, set);
	prm_set(set, ip_version, f->ip_version);
	prm_set(set, ip_protocol, f->ip_protocol);
	prm_set(set, ip_dscp, (f->traffic_class & TC_DSCP) >> 2);
	prm_set(set, ip_ecn, f->traffic_class & TC_ECN);
	prm_set(set, ttl_hoplimit, f->hop_limit);
	memcpy(prm_bytes(set, src_ipv4_src_ipv6), f->src, sizeof(f->src));
	memcpy(prm_bytes(set, dst_ipv4_dst_ipv6), f->dst, sizeof(f->dst));
	prm_set(set, tcp_sport, f->tcp_sport);
	prm_set(set, tcp_dport, f->tcp_dport);
	prm_set(set, udp_sport, f->udp_sport);
	prm_set(set, udp_dport, f->udp_dport);
}

static void decode_mac(u32 high, u16 low, u8 mac[6])
{
	mac[0] = high >> 24;
	mac[1] = high >> 16;
	mac[2] = high >> 8;
	mac[3] = high;
	mac[4] = low >> 8;
	mac[5] = low;
}

bool cxr_flow_decode(const void *raw, struct cxr_flow_fields *f)
{
	const struct prm_fte_match_param *param = raw;
	const struct prm_fte_match_set_lyr_2_4 *set = prm_sub(param, outer_headers,
							      fte_match_set_lyr_2_4);
	struct prm_fte_match_param again;

	memset(f, 0, sizeof(*f));
	f->bth_opcode = prm_get(param, misc_parameters.bth_opcode);
	decode_mac(prm_get(set, dmac_47_16), prm_get(set, dmac_15_0), f->dmac);
	decode_mac(prm_get(set, smac_47_16), prm_get(set, smac_15_0), f->smac);
	f->ethertype = prm_get(set, ethertype);
	f->tci = prm_get(set, first_vid) | (prm_get(set, first_cfi) ? TCI_CFI : 0) |
		 prm_get(set, first_prio) << 13;
	f->tagged = prm_get(set, cvlan_tag);
	f->ip_version = prm_get(set, ip_version);
	f->ip_protocol = prm_get(set, ip_protocol);
	f->traffic_class = prm_get(set, ip_dscp) << 2 | prm_get(set, ip_ecn);
	f->hop_limit = prm_get(set, ttl_hoplimit);
	memcpy(f->src, prm_bytes(set, src_ipv4_src_ipv6), sizeof(f->src));
	memcpy(f->dst, prm_bytes(set, dst_ipv4_dst_ipv6), sizeof(f->dst));
	f->tcp_sport = prm_get(set, tcp_sport);
	f->tcp_dport = prm_get(set, tcp_dport);
	f->udp_sport = prm_get(set, udp_sport);
	f->udp_dport = prm_get(set, udp_dport);
	cxr_flow_encode(f, &again);
	return !memcmp(&again, param, sizeof(again));
}

u8 cxr_flow_criteria(const struct cxr_flow_fields *mask)
{
	struct cxr_flow_fields outer = *mask, none;

	memset(&none, 0, sizeof(none));
	outer.bth_opcode = 0;
	outer.source_vport = 0;
	outer.inner_version = 0;
	outer.inner_protocol = 0;
	return (memcmp(&outer, &none, sizeof(outer)) ? PRM_MATCH_OUTER : 0) |
	       (mask->bth_opcode || mask->source_vport ? PRM_MATCH_MISC : 0) |
	       (mask->inner_version || mask->inner_protocol ? PRM_MATCH_INNER : 0);
}

static u16 ports(bool supported)
{
	return supported ? 0xffff : 0;
}

void cxr_flow_decode_caps(const struct prm_flow_table_fields_supported *s,
			  struct cxr_flow_fields *bits)
{
	memset(bits, 0, sizeof(*bits));
	memset(bits->dmac, prm_get(s, outer_dmac) ? 0xff : 0, sizeof(bits->dmac));
	memset(bits->smac, prm_get(s, outer_smac) ? 0xff : 0, sizeof(bits->smac));
	bits->ethertype = prm_get(s, outer_ether_type) ? 0xffff : 0;
	bits->tci = (prm_get(s, outer_first_vid) ? TCI_VID : 0) |
		    (prm_get(s, outer_first_cfi) ? TCI_CFI : 0) |
		    (prm_get(s, outer_first_prio) ? TCI_PRIO : 0);
	bits->tagged = prm_get(s, outer_first_vid);
	bits->ip_version = prm_get(s, outer_ip_version) ? VERSION_BITS : 0;
	bits->ip_protocol = prm_get(s, outer_ip_protocol) ? 0xff : 0;
	bits->traffic_class = (prm_get(s, outer_ip_dscp) ? TC_DSCP : 0) |
			      (prm_get(s, outer_ip_ecn) ? TC_ECN : 0);
	bits->hop_limit = prm_get(s, outer_ipv4_ttl) ? 0xff : 0;
	memset(bits->src, prm_get(s, outer_sip) ? 0xff : 0, sizeof(bits->src));
	memset(bits->dst, prm_get(s, outer_dip) ? 0xff : 0, sizeof(bits->dst));
	bits->tcp_sport = ports(prm_get(s, outer_tcp_sport));
	bits->tcp_dport = ports(prm_get(s, outer_tcp_dport));
	bits->udp_sport = ports(prm_get(s, outer_udp_sport));
	bits->udp_dport = ports(prm_get(s, outer_udp_dport));
}

void cxr_flow_mask(const struct cxr_flow_fields *mask, struct cxr_flow_fields *value)
{
	const u8 *m = (const u8 *)mask;
	u8 *v = (u8 *)value;
	size_t i;

	for (i = 0; i < sizeof(*value); i++)
		v[i] &= m[i];
}

u16 cxr_flow_ethertype(u8 ip_version)
{
	return ip_version == 6 ? TYPE_IPV6 : TYPE_IPV4;
}

void cxr_flow_ip_by_type(struct cxr_flow_fields *mask, struct cxr_flow_fields *value)
{
	if (!mask->ip_version)
		return;
	mask->ethertype = 0xffff;
	value->ethertype = cxr_flow_ethertype(value->ip_version);
	mask->ip_version = 0;
	value->ip_version = 0;
}

bool cxr_flow_within(const struct cxr_flow_fields *mask, const struct cxr_flow_fields *bits)
{
	const u8 *m = (const u8 *)mask, *b = (const u8 *)bits;
	size_t i;

	for (i = 0; i < sizeof(*mask); i++)
		if (m[i] & ~b[i])
			return false;
	return true;
}
