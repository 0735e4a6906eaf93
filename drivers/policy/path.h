/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Decides header fields of packets, for AH, RC, UC and UD alike; the path MTU; and the InfiniBand
 * encoding of the link speed.
 */
#ifndef CXR_POLICY_PATH_H
#define CXR_POLICY_PATH_H

#include <linux/types.h>
#include "gid.h"

#define CXR_UDP_SPORT_MIN 0xc000
#define CXR_HOP_LIMIT_DEFAULT 64
#define CXR_MTU_MIN 256
#define CXR_MTU_MAX 4096

struct cxr_path_in {
	enum cxr_gid_type type;
	u8 traffic_class;
	/* only the low 20 bits: UCX sets all 32; 0: derive the UDP source port from the QPNs */
	u32 flow_label;
	u8 sl;			/* only the low three bits: there are eight priorities */
	u8 hop_limit;		/* of the application; 0: the default */
	u8 forced_hop_limit;	/* of the administrator; 0: none */
	u32 local_qpn;		/* 0 for an AH */
	u32 remote_qpn;
};

struct cxr_path {
	u8 traffic_class;	/* of GRH or IPv6, TOS of IPv4 */
	u8 dscp;
	u8 ecn;
	u8 prio;		/* PCP of a tagged frame */
	u8 hop_limit;
	u32 flow_label;
	u16 udp_sport;		/* 0 for v1 */
};

/* Link width and lane speed in the encoding of PortInfo (IBTA, 14.2.5.6). */
struct cxr_path_rate {
	u8 width;
	u8 speed;
};

void cxr_path_decide(const struct cxr_path_in *in, struct cxr_path *path);
/*
 * The number that the device has for the static rate @rate (enum ib_rate), or for the fastest one
 * below of those that it supports: a bit for each of its numbers. Without one, and over 600 Gb/s,
 * it is that of the port. (The in-tree driver goes down by enum ib_rate, which is in no order.) 0,
 * or -EINVAL for an invalid rate.
 */
int cxr_path_static_rate(u8 rate, u32 supported, u8 *number);
/* The inverse: enum ib_rate. */
u8 cxr_path_ib_rate(u8 number);
/* The active MTU, in bytes, of a port whose netdev has MTU @netdev_mtu. */
unsigned int cxr_path_mtu(unsigned int netdev_mtu);
/*
 * The rate of an Ethernet link of @mbps over @lanes. 0 lanes: unknown (a bond), the lowest usual
 * number is assumed. A speed that InfiniBand does not have is rounded up.
 */
struct cxr_path_rate cxr_path_rate(u32 mbps, u32 lanes);

#endif
