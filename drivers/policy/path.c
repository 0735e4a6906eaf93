// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/errno.h>
#include <linux/types.h>
#include "path.h"

#define FLOW_LABEL_MASK	0xfffff
#define ECN_MASK	3
#define HEADERS		96	/* GRH 40, UDP 8, BTH 12, XRCETH 4, AtomicETH 28, ICRC 4 */
#define ECN_ECT0	2	/* "ECN-capable transport": congestion is marked, not dropped */

/*
 * Without a flow label one is derived from the QPNs, symmetrically, so that both directions of a
 * connection have the same UDP source port and path.
 */
static u32 label_of_qpns(u32 a, u32 b)
{
	u64 v = (u64)a * b;

	v ^= v >> 20;
	v ^= v >> 40;
	return v & FLOW_LABEL_MASK;
}

/* Folds 20 bits into the 14 bits of the range from CXR_UDP_SPORT_MIN up. */
static u16 sport_of_label(u32 label)
{
	return CXR_UDP_SPORT_MIN | ((label & 0x3fff) ^ (label >> 14));
}

void cxr_path_decide(const struct cxr_path_in *in, struct cxr_path *path)
{
	u32 label = in->flow_label & FLOW_LABEL_MASK;
	u8 ecn = in->traffic_class & ECN_MASK;

	path->prio = in->sl & 7;
	path->hop_limit = in->hop_limit ? in->hop_limit : CXR_HOP_LIMIT_DEFAULT;
	if (in->forced_hop_limit)
		path->hop_limit = in->forced_hop_limit;
	path->flow_label = label;

	/* RoCE v1 has no IP and UDP headers; the traffic class is that of the GRH. */
	if (in->type == CXR_GID_V1) {
		path->traffic_class = in->traffic_class;
		path->dscp = 0;
		path->ecn = 0;
		path->udp_sport = 0;
		return;
	}

	if (!ecn)
		ecn = ECN_ECT0;
	path->dscp = in->traffic_class >> 2;
	path->ecn = ecn;
	path->traffic_class = path->dscp << 2 | ecn;
	path->udp_sport = sport_of_label(label ? label :
					 label_of_qpns(in->local_qpn, in->remote_qpn));
}

#define RATE_PORT	0	/* enum ib_rate: as fast as the port */
#define RATE_MIN	2
#define RATE_OFFSET	5	/* of the number of a rate that is not below */

/* enum ib_rate of the lowest numbers: port, 56, 25, 100, 200, 50, 400 Gb/s. */
static const u8 numbered_rates[] = { RATE_PORT, 12, 15, 16, 17, 20, 21 };
#define NUMBERED_RATES sizeof(numbered_rates)

#define RATES 26

/* Half Gb/s of each rate of enum ib_rate; 0: there is none. Over 600 Gb/s they have no numbers. */
static const u16 rate_speeds[RATES] = {
	[2] = 5, [3] = 20, [4] = 60, [5] = 10, [6] = 40, [7] = 80, [8] = 120, [9] = 160,
	[10] = 240, [11] = 28, [12] = 112, [13] = 224, [14] = 336, [15] = 50, [16] = 200,
	[17] = 400, [18] = 600, [19] = 56, [20] = 100, [21] = 800, [22] = 1200, [23] = 1600,
	[25] = 3200,
};

#define RATE_LAST_NUMBERED 22

static u8 rate_number(u8 rate)
{
	u8 i;

	for (i = 0; i < NUMBERED_RATES; i++)
		if (numbered_rates[i] == rate)
			return i;
	return rate + RATE_OFFSET;
}

int cxr_path_static_rate(u8 rate, u32 supported, u8 *number)
{
	u8 i, best = RATE_PORT;

	if (rate != RATE_PORT && (rate >= RATES || !rate_speeds[rate]))
		return -EINVAL;
	for (i = RATE_MIN; rate <= RATE_LAST_NUMBERED && i <= RATE_LAST_NUMBERED; i++)
		if (supported >> rate_number(i) & 1 && rate_speeds[i] <= rate_speeds[rate] &&
		    rate_speeds[i] > rate_speeds[best])
			best = i;
	*number = rate_number(best);
	return 0;
}

u8 cxr_path_ib_rate(u8 number)
{
	return number < NUMBERED_RATES ? numbered_rates[number] : number - RATE_OFFSET;
}

/* At least CXR_MTU_MIN, even if the netdev MTU is too small for it: 0 cannot be encoded. */
unsigned int cxr_path_mtu(unsigned int netdev_mtu)
{
	unsigned int mtu = CXR_MTU_MAX;

	while (mtu > CXR_MTU_MIN && netdev_mtu < mtu + HEADERS)
		mtu /= 2;
	return mtu;
}

static u8 width_of(u32 lanes)
{
	switch (lanes) {
	case 1:
		return 1;
	case 2:
		return 16;
	case 4:
		return 2;
	case 8:
		return 4;
	case 12:
		return 8;
	default:
		return 0;
	}
}

static u32 usual_lanes(u32 mbps)
{
	if (mbps == 20000)
		return 4;
	if (mbps <= 25000)
		return 1;
	if (mbps == 50000)
		return 2;
	return mbps <= 400000 ? 4 : 8;
}

/* QDR is left out: its data rate is lower than 10 Gb/s Ethernet. */
struct cxr_path_rate cxr_path_rate(u32 mbps, u32 lanes)
{
	static const struct lane_speed {
		u32 mbps; /* 0: any faster speed */
		u8 speed;
	} lane_speeds[] = {
		{ 2500, 1 }, { 5000, 2 }, { 10000, 8 }, { 14000, 16 }, { 25000, 32 }, { 50000, 64 },
		{ 0, 128 },
	};
	const struct lane_speed *lane = lane_speeds;

	if (!width_of(lanes))
		lanes = usual_lanes(mbps);
	while (lane->mbps && mbps > lane->mbps * lanes)
		lane++;
	return (struct cxr_path_rate){ .width = width_of(lanes), .speed = lane->speed };
}
