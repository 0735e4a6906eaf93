// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/errno.h>
#include <linux/types.h>
#include "path.h"

#define FLOW_LABEL_MASK	0xfffff
#define SL_MAX		15
#define ECN_MASK	3
#define HEADERS		96	/* GRH 40, UDP 8, BTH 12, XRCETH 4, AtomicETH 28, ICRC 4 */
#define ECN_ECT0	2	/* "ECN-capable transport": congestion is marked, not dropped */

/*
 * Without a flow label the two QPNs stand in for one, symmetrically, so that both directions of
 * a connection use one UDP source port and take one path.
 */
static u32 label_of_qpns(u32 a, u32 b)
{
	u64 v = (u64)a * b;

	v ^= v >> 20;
	v ^= v >> 40;
	return v & FLOW_LABEL_MASK;
}

/* Folds 20 bits into the 14 that the range from CXR_UDP_SPORT_MIN up leaves. */
static u16 sport_of_label(u32 label)
{
	return CXR_UDP_SPORT_MIN | ((label & 0x3fff) ^ (label >> 14));
}

int cxr_path_decide(const struct cxr_path_in *in, struct cxr_path *path)
{
	u8 ecn = in->traffic_class & ECN_MASK;

	if (in->sl > SL_MAX || in->flow_label > FLOW_LABEL_MASK)
		return -EINVAL;

	path->prio = in->sl & 7;
	path->hop_limit = in->hop_limit ? in->hop_limit : CXR_HOP_LIMIT_DEFAULT;
	path->flow_label = in->flow_label;

	/* v1 has no IP header: its class is the GRH's alone, and there is no port. */
	if (in->type == CXR_GID_V1) {
		path->traffic_class = in->traffic_class;
		path->dscp = 0;
		path->ecn = 0;
		path->udp_sport = 0;
		return 0;
	}

	if (!ecn)
		ecn = ECN_ECT0;
	path->dscp = in->traffic_class >> 2;
	path->ecn = ecn;
	path->traffic_class = path->dscp << 2 | ecn;
	path->udp_sport = sport_of_label(in->flow_label ? in->flow_label :
					 label_of_qpns(in->local_qpn, in->remote_qpn));
	return 0;
}

/* An interface too small for any packet has the smallest: the encoding has no zero. */
unsigned int cxr_path_mtu(unsigned int netdev_mtu)
{
	unsigned int mtu = CXR_MTU_MAX;

	while (mtu > CXR_MTU_MIN && netdev_mtu < mtu + HEADERS)
		mtu /= 2;
	return mtu;
}
