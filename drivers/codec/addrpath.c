// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/string.h>
#include <linux/types.h>
#include "addrpath.h"

/*
 * source_mac_47_32 and source_mac_31_0 are the six bytes of the MAC in order. The network layer of
 * a v1 entry has to be IPv4.
 */
void cxr_roce_addr_encode(struct prm_roce_addr_layout *addr, const struct cxr_gid_entry *entry)
{
	bool v2 = entry->type == CXR_GID_V2, ipv6 = entry->ip == CXR_GID_IPV6;

	memcpy(prm_bytes(addr, source_l3_address), entry->gid, sizeof(entry->gid));
	memcpy(prm_bytes(addr, source_mac_47_32), entry->mac, sizeof(entry->mac));
	prm_set(addr, vlan_valid, entry->vlan_valid);
	prm_set(addr, vlan_id, entry->vlan);
	prm_set(addr, roce_version, v2 ? PRM_ROCE_V2 : PRM_ROCE_V1);
	prm_set(addr, roce_l3_type, ipv6 ? PRM_ROCE_L3_IPV6 : PRM_ROCE_L3_IPV4);
}

/* rmac_47_32 and rmac_31_0 are the six bytes of the MAC in order. */
void cxr_ads_encode(struct prm_ads *ads, const struct cxr_addr *addr)
{
	prm_set(ads, pkey_index, addr->pkey_index);
	prm_set(ads, ack_timeout, addr->ack_timeout);
	prm_set(ads, src_addr_index, addr->sgid_index);
	prm_set(ads, stat_rate, addr->static_rate);
	prm_set(ads, vhca_port_num, addr->port);
	prm_set(ads, hop_limit, addr->path.hop_limit);
	prm_set(ads, tclass, addr->path.traffic_class);
	prm_set(ads, flow_label, addr->path.flow_label);
	prm_set(ads, ecn, addr->path.ecn);
	prm_set(ads, dscp, addr->path.dscp);
	prm_set(ads, udp_sport, addr->path.udp_sport);
	prm_set(ads, eth_prio, addr->path.prio);
	memcpy(prm_bytes(ads, rgid_rip), addr->dgid, sizeof(addr->dgid));
	memcpy(prm_bytes(ads, rmac_47_32), addr->dmac, sizeof(addr->dmac));
}

void cxr_ads_decode(const struct prm_ads *ads, struct cxr_addr *addr)
{
	memset(addr, 0, sizeof(*addr));
	addr->pkey_index = prm_get(ads, pkey_index);
	addr->ack_timeout = prm_get(ads, ack_timeout);
	addr->sgid_index = prm_get(ads, src_addr_index);
	addr->static_rate = prm_get(ads, stat_rate);
	addr->port = prm_get(ads, vhca_port_num);
	addr->path.hop_limit = prm_get(ads, hop_limit);
	addr->path.traffic_class = prm_get(ads, tclass);
	addr->path.flow_label = prm_get(ads, flow_label);
	addr->path.ecn = prm_get(ads, ecn);
	addr->path.dscp = prm_get(ads, dscp);
	addr->path.udp_sport = prm_get(ads, udp_sport);
	addr->path.prio = prm_get(ads, eth_prio);
	memcpy(addr->dgid, prm_bytes_const(ads, rgid_rip), sizeof(addr->dgid));
	memcpy(addr->dmac, prm_bytes_const(ads, rmac_47_32), sizeof(addr->dmac));
}

void cxr_av_encode(struct prm_av *av, const struct cxr_addr *addr)
{
	memset(av, 0, sizeof(*av));
	av->stat_rate_sl = addr->static_rate << 4 | addr->path.prio << 1;
	av->udp_sport = cpu_to_be16(addr->path.udp_sport);
	av->tclass = addr->path.traffic_class;
	av->hop_limit = addr->path.hop_limit;
	av->grh_gid_fl = cpu_to_be32(PRM_AV_GRH | (u32)addr->sgid_index << PRM_AV_GID_SHIFT |
				     addr->path.flow_label);
	memcpy(av->rmac, addr->dmac, sizeof(av->rmac));
	memcpy(av->rgid, addr->dgid, sizeof(av->rgid));
}

void cxr_av_decode(const struct prm_av *av, struct cxr_addr *addr)
{
	u32 grh = be32_to_cpu(av->grh_gid_fl);

	memset(addr, 0, sizeof(*addr));
	addr->static_rate = av->stat_rate_sl >> 4;
	addr->sgid_index = grh >> PRM_AV_GID_SHIFT & 0xff;
	addr->path.prio = av->stat_rate_sl >> 1 & 7;
	addr->path.udp_sport = be16_to_cpu(av->udp_sport);
	addr->path.traffic_class = av->tclass;
	addr->path.hop_limit = av->hop_limit;
	addr->path.flow_label = grh & 0xfffff;
	memcpy(addr->dmac, av->rmac, sizeof(addr->dmac));
	memcpy(addr->dgid, av->rgid, sizeof(addr->dgid));
}
