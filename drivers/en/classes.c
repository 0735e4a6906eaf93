// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Traffic classes: the tx queues that each has, and the class of a packet.
 *
 * In mode dcb each class has a tx queue for each channel, whose packets have the class as their
 * priority in the device. As with the in-tree driver, the priority of a packet is that of its VLAN
 * tag or DSCP, as the port trusts them, and with eight classes it is the class; with fewer, which
 * that driver does not have, the map of mqprio leads to the class. In mode channel there is one
 * queue for each channel, and the classes divide them.
 *
 * Without the offload (mqprio.c) the classes are the stack's own, and nothing here touches them.
 */
#include <linux/if_vlan.h>
#include <net/dsfield.h>
#include "en.h"

unsigned int cxr_en_channels_grouped(const struct cxr_en_config *config)
{
	unsigned int sum = 0, i;

	for (i = 0; i < config->n_groups; i++)
		sum += config->groups[i].count;
	return sum;
}

void cxr_en_forget_classes(struct cxr_en *en)
{
	en->config.tcs = 1;
	en->config.n_groups = 0;
	WRITE_ONCE(en->select, 0);
	if (!netdev_get_num_tc(en->ndev))
		return;
	netdev_reset_tc(en->ndev);
	en->xps_channels = 0;
}

/* The number of classes alone resets what users have chosen for XPS. */
static int set_classes(struct cxr_en *en, const struct cxr_en_config *config)
{
	unsigned int n = config->n_groups ?: config->tcs, i;
	struct net_device *ndev = en->ndev;
	int err = 0;

	WRITE_ONCE(en->select, config->tcs > 1 ? config->channels << 8 | config->tcs : 0);
	if (config->tcs == 1 && !config->n_groups)
		return 0;
	if (netdev_get_num_tc(ndev) != n) {
		err = netdev_set_num_tc(ndev, n);
		en->xps_channels = 0;
	}
	for (i = 0; !err && i < n; i++)
		err = config->n_groups ?
			netdev_set_tc_queue(ndev, i, config->groups[i].count,
					    config->groups[i].offset) :
			netdev_set_tc_queue(ndev, i, config->channels, 0);
	return err;
}

/* The stack has no class without queues, not even in between. */
static int set_txqs(struct cxr_en *en, const struct cxr_en_config *config)
{
	unsigned int n = config->channels * config->tcs;
	int err = 0;

	if (n < en->ndev->real_num_tx_queues)
		err = set_classes(en, config);
	err = err ?: netif_set_real_num_tx_queues(en->ndev, n) ?: set_classes(en, config);
	if (!err && config->tcs > en->tcs_seen)
		WRITE_ONCE(en->tcs_seen, config->tcs);
	return err;
}

int cxr_en_set_queues(struct cxr_en *en, const struct cxr_en_config *config)
{
	return set_txqs(en, config) ?: netif_set_real_num_rx_queues(en->ndev, config->channels);
}

/* ---- the class of a packet ---- */

/* -1: the packet has none. Others may have the skb as well, so it is only read. */
static int packet_dscp(const struct sk_buff *skb)
{
	int offset = skb_network_offset(skb);
	struct ipv6hdr ipv6;
	struct iphdr ipv4;
	const void *header;

	switch (skb->protocol) {
	case htons(ETH_P_IP):
		header = skb_header_pointer(skb, offset, sizeof(ipv4), &ipv4);
		return header ? ipv4_get_dsfield(header) >> 2 : -1;
	case htons(ETH_P_IPV6):
		header = skb_header_pointer(skb, offset, sizeof(ipv6), &ipv6);
		return header ? ipv6_get_dsfield(header) >> 2 : -1;
	default:
		return -1;
	}
}

static u8 packet_prio(const struct cxr_en *en, const struct sk_buff *skb)
{
	int dscp = READ_ONCE(en->dcb.trust_dscp) ? packet_dscp(skb) : -1;

	if (dscp >= 0)
		return READ_ONCE(en->dcb.dscp_prio[dscp]);
	return skb_vlan_tag_present(skb) ? skb_vlan_tag_get_prio(skb) : 0;
}

u16 cxr_en_select_queue(struct net_device *ndev, struct sk_buff *skb, struct net_device *sb_dev)
{
	const struct cxr_en *en = netdev_priv(ndev);
	u16 txq = netdev_pick_tx(ndev, skb, sb_dev);
	u32 select = READ_ONCE(en->select);
	unsigned int tc, class;

	if (likely(!select))
		return txq;
	tc = packet_prio(en, skb);
	if ((select & 0xff) < CXR_TCS)
		tc = netdev_get_prio_tc_map(ndev, tc);
	class = tc * (select >> 8) + txq % (select >> 8);
	return class < ndev->real_num_tx_queues ? class : txq;
}
