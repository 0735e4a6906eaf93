// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Offloads in tunnels: checksums and segmentation of the inner packet. The device knows VXLAN by
 * UDP ports, which the stack tells here, and GRE and IP in IP by themselves.
 *
 * Port 4789 is told first, and as long as the stage is up; the kernel takes it for granted.
 */
#include <linux/if_vlan.h>
#include <net/ipv6.h>
#include <net/vxlan.h>
#include "en.h"

#define IANA	0	/* index of port 4789; those that the kernel numbers follow */

static bool has_vxlan(const struct cxr_en *en)
{
	/* as in-tree: a VF does not tell the card what is VXLAN */
	return en->core->caps.tunnel_vxlan && !en->core->vf;
}

static bool has_tunnels(const struct cxr_en *en)
{
	return has_vxlan(en) || en->core->caps.tunnel_gre || en->core->caps.tunnel_ip;
}

static unsigned int n_ports(const struct cxr_en *en)
{
	return min_t(unsigned int, en->core->caps.vxlan_ports, CXR_VXLAN_PORTS);
}

/* ---- ports -------------------------------------------------------------- */

static int add_port(struct cxr_en *en, unsigned int index, u16 port)
{
	int err = cxr_cmd_add_vxlan_port(en->core, port);
	unsigned int i;

	if (err)
		return err;
	/* where the device did not let go of it */
	for (i = 0; i < CXR_VXLAN_PORTS; i++)
		if (en->vxlan_ports[i] == port)
			WRITE_ONCE(en->vxlan_ports[i], 0);
	WRITE_ONCE(en->vxlan_ports[index], port);
	return 0;
}

/* Packets that were found to be in a tunnel are sent before the device forgets it. */
static int delete_port(struct cxr_en *en, unsigned int index)
{
	u16 port = en->vxlan_ports[index];
	int err;

	if (!port)
		return 0;
	WRITE_ONCE(en->vxlan_ports[index], 0);
	synchronize_net();
	err = cxr_cmd_delete_vxlan_port(en->core, port);
	if (err)
		WRITE_ONCE(en->vxlan_ports[index], port);
	return err;
}

static int set_port(struct net_device *ndev, unsigned int table, unsigned int entry,
		    struct udp_tunnel_info *info)
{
	struct cxr_en *en = netdev_priv(ndev);
	int err;

	/* the kernel tells again after the reset */
	if (en->kept)
		return -ENETDOWN;
	/* one that the device did not let go of */
	err = delete_port(en, IANA + 1 + entry);
	return err ?: add_port(en, IANA + 1 + entry, ntohs(info->port));
}

static int unset_port(struct net_device *ndev, unsigned int table, unsigned int entry,
		      struct udp_tunnel_info *info)
{
	struct cxr_en *en = netdev_priv(ndev);

	if (en->kept)	/* the device has none any more */
		return 0;
	return delete_port(en, IANA + 1 + entry);
}

static bool knows_port(const struct cxr_en *en, u16 port)
{
	unsigned int i;

	for (i = 0; i < CXR_VXLAN_PORTS; i++)
		if (port && READ_ONCE(en->vxlan_ports[i]) == port)
			return true;
	return false;
}

int cxr_en_tunnel_up(void *owner)
{
	struct cxr_en *en = owner;

	/* without it such packets are no tunnels, as those of other ports */
	if (has_vxlan(en) && add_port(en, IANA, IANA_VXLAN_UDP_PORT))
		dev_warn(en->core->dev, "no offloads for VXLAN on port %u\n", IANA_VXLAN_UDP_PORT);
	return 0;
}

void cxr_en_tunnel_down(void *owner)
{
	struct cxr_en *en = owner;
	unsigned int i;

	for (i = 0; i < CXR_VXLAN_PORTS; i++) {
		delete_port(en, i);
		en->vxlan_ports[i] = 0;
	}
}

void cxr_en_tunnel_restore(struct cxr_en *en)
{
	if (en->ndev->udp_tunnel_nic_info)
		udp_tunnel_nic_reset_ntf(en->ndev);
}

/* ---- features ----------------------------------------------------------- */

static void set_vxlan_info(struct cxr_en *en)
{
	struct udp_tunnel_nic_info *info = &en->tunnel_info;

	if (n_ports(en) <= IANA + 1)
		return;
	info->set_port = set_port;
	info->unset_port = unset_port;
	info->flags = CXR_UDP_TUNNEL_MAY_SLEEP | UDP_TUNNEL_NIC_INFO_STATIC_IANA_VXLAN;
	info->tables[0].tunnel_types = UDP_TUNNEL_TYPE_VXLAN;
	info->tables[0].n_entries = n_ports(en) - (IANA + 1);
	en->ndev->udp_tunnel_nic_info = info;
}

void cxr_en_tunnel_set_features(struct cxr_en *en)
{
	const netdev_features_t udp = NETIF_F_GSO_UDP_TUNNEL | NETIF_F_GSO_UDP_TUNNEL_CSUM;
	const netdev_features_t gre = NETIF_F_GSO_GRE | NETIF_F_GSO_GRE_CSUM;
	const netdev_features_t in_ip = NETIF_F_GSO_IPXIP4 | NETIF_F_GSO_IPXIP6;
	netdev_features_t inner = NETIF_F_HW_CSUM | NETIF_F_TSO | NETIF_F_TSO6;
	netdev_features_t tunnels = 0;
	const struct cxr_caps *caps = &en->core->caps;
	struct net_device *ndev = en->ndev;

	inner &= ndev->hw_features;
	if (!has_tunnels(en) || !(inner & NETIF_F_HW_CSUM))
		return;
	ndev->hw_enc_features = inner | NETIF_F_HW_VLAN_CTAG_TX | NETIF_F_HW_VLAN_STAG_TX;
	if (has_vxlan(en))
		set_vxlan_info(en);
	if (!(inner & NETIF_F_TSO))
		return;
	/* lengths and checksums of outer headers that the stack computes, for all segments alike */
	if (has_vxlan(en)) {
		tunnels |= udp;
		ndev->gso_partial_features |= NETIF_F_GSO_UDP_TUNNEL_CSUM;
		ndev->vlan_features |= udp;
	}
	if (caps->tunnel_gre) {
		tunnels |= gre;
		ndev->gso_partial_features |= gre;
	}
	if (caps->tunnel_ip) {
		tunnels |= in_ip;
		ndev->gso_partial_features |= in_ip;
	}
	ndev->hw_features |= tunnels;
	ndev->hw_enc_features |= tunnels | NETIF_F_GSO_PARTIAL;
}

static bool knows_gre(const struct cxr_en *en, const struct sk_buff *skb)
{
	if (!en->core->caps.tunnel_gre)
		return false;
	return skb->inner_protocol == htons(ETH_P_IP) || skb->inner_protocol == htons(ETH_P_IPV6) ||
	       skb->inner_protocol == htons(ETH_P_TEB);
}

/* The protocol of the outer IP header, or -1. */
static int outer_protocol(struct sk_buff *skb)
{
	unsigned int offset = 0;

	switch (vlan_get_protocol(skb)) {
	case htons(ETH_P_IP):
		return ip_hdr(skb)->protocol;
	case htons(ETH_P_IPV6):
		return ipv6_find_hdr(skb, &offset, -1, NULL, NULL);
	default:
		return -1;
	}
}

netdev_features_t cxr_en_tunnel_features(const struct cxr_en *en, struct sk_buff *skb,
					 netdev_features_t features)
{
	bool known = false;

	switch (outer_protocol(skb)) {
	case IPPROTO_GRE:
		known = knows_gre(en, skb);
		break;
	case IPPROTO_IPIP:
	case IPPROTO_IPV6:
		known = en->core->caps.tunnel_ip;
		break;
	case IPPROTO_UDP:
		known = knows_port(en, ntohs(udp_hdr(skb)->dest));
		features = vxlan_features_check(skb, features);
		break;
	}
	if (!known)
		return features & ~(NETIF_F_CSUM_MASK | NETIF_F_GSO_MASK);
	/* the inner packet */
	if (skb_is_gso(skb) && !skb_is_gso_tcp(skb))
		features &= ~NETIF_F_GSO_MASK;
	return features;
}
