/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* What flow table entries match on. */
#ifndef CXR_CODEC_FLOW_H
#define CXR_CODEC_FLOW_H

#include <linux/types.h>
#include "prm/caps.h"
#include "prm/flow.h"

/*
 * Fields of the outer headers, of RoCE packets, and of tunnels: values, or a mask of bits to match.
 * Where a field is narrower than its type, a mask of all ones has the bits of the field only.
 */
struct cxr_flow_fields {
	u8 dmac[6], smac[6];
	u16 ethertype;		/* after the VLAN tags */
	u16 tci;		/* of the first VLAN tag */
	u16 tcp_sport, tcp_dport, udp_sport, udp_dport;
	u16 source_vport;	/* only in the FDB */
	u8 src[16], dst[16];	/* an IPv4 address is in the last four bytes */
	u8 tagged;		/* 1: there is a VLAN tag */
	u8 ip_version;		/* 4 bits */
	u8 ip_protocol;
	u8 traffic_class;
	u8 hop_limit;
	u8 bth_opcode;		/* only in tables of RoCE packets */
	u8 inner_version, inner_protocol;	/* of IP in a tunnel */
};

static_assert(sizeof(struct cxr_flow_fields) == 66);	/* no padding: memcmp() compares it */

#define CXR_FLOW_PARAM_BYTES sizeof(struct prm_fte_match_param)

void cxr_flow_encode(const struct cxr_flow_fields *fields, struct prm_fte_match_param *param);
/*
 * @param: CXR_FLOW_PARAM_BYTES in the device's layout. False: a bit has no field here, or is one of
 * tunnels.
 */
bool cxr_flow_decode(const void *param, struct cxr_flow_fields *fields);
/* The sets of fields in which @mask has a bit, as match_criteria_enable. */
u8 cxr_flow_criteria(const struct cxr_flow_fields *mask);
/* The bits that the device can match on. */
void cxr_flow_decode_caps(const struct prm_flow_table_fields_supported *support,
			  struct cxr_flow_fields *bits);
/* Clears the bits of @value outside of @mask, so that equal rules compare equal. */
void cxr_flow_mask(const struct cxr_flow_fields *mask, struct cxr_flow_fields *value);
/* Of IPv4 or IPv6. */
u16 cxr_flow_ethertype(u8 ip_version);
/* IPv4 or IPv6 by its EtherType, for a device that does not match on versions. */
void cxr_flow_ip_by_type(struct cxr_flow_fields *mask, struct cxr_flow_fields *value);
/* Whether @mask is a subset of @bits. */
bool cxr_flow_within(const struct cxr_flow_fields *mask, const struct cxr_flow_fields *bits);

#endif
