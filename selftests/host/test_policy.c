// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The policies: GID table entries, paths. */
#include <errno.h>
#include <string.h>
#include "host.h"
#include "policy/gid.h"
#include "policy/path.h"

#define MAC { 0x02, 0, 0, 0, 0, 1 }
#define LINK(...) __VA_ARGS__, false, false /* MAC; neither stacked VLANs nor 802.1ad */
#define GID_LINK_LOCAL { 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xfe, 0, 0, 1 }
#define GID_IPV4(a, b, c, d) { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, a, b, c, d }
#define V1 CXR_GID_V1, CXR_GID_IP_NONE
#define V2_IPV4 CXR_GID_V2, CXR_GID_IPV4
#define V2_IPV6 CXR_GID_V2, CXR_GID_IPV6

static const struct {
	const char *sentence;
	struct cxr_gid_in in;
	bool v1, v2;
	int err;
	const char *why;
	struct cxr_gid_entry entry;
} gid_cases[] = {
	{ "a v1 GID has no IP header", { GID_LINK_LOCAL, CXR_GID_V1,
	  CXR_VLAN_NONE, LINK(MAC) },
	  true, true, 0, NULL, { GID_LINK_LOCAL, MAC, false, 0, V1 } },
	{ "an IPv6 v2 GID has an IPv6 header", { GID_LINK_LOCAL, CXR_GID_V2, CXR_VLAN_NONE,
	  LINK(MAC) },
	  true, true, 0, NULL, { GID_LINK_LOCAL, MAC, false, 0, V2_IPV6 } },
	{ "an IPv4 v2 GID has an IPv4 header",
	  { GID_IPV4(10, 0, 0, 1), CXR_GID_V2, CXR_VLAN_NONE, LINK(MAC) },
	  true, true, 0, NULL, { GID_IPV4(10, 0, 0, 1), MAC, false, 0, V2_IPV4 } },
	{ "a v1 GID may be an IPv4-mapped address",
	  { GID_IPV4(10, 0, 0, 1), CXR_GID_V1, CXR_VLAN_NONE, LINK(MAC) },
	  true, false, 0, NULL, { GID_IPV4(10, 0, 0, 1), MAC, false, 0, V1 } },
	{ "the VLAN ID is set in the entry", { GID_LINK_LOCAL, CXR_GID_V2, 100, LINK(MAC) },
	  true, true, 0, NULL, { GID_LINK_LOCAL, MAC, true, 100, V2_IPV6 } },
	{ "VLAN 0 is tagged as well", { GID_LINK_LOCAL, CXR_GID_V2, 0, LINK(MAC) },
	  true, true, 0, NULL, { GID_LINK_LOCAL, MAC, true, 0, V2_IPV6 } },
	{ "VLAN 4095 is refused", { GID_LINK_LOCAL, CXR_GID_V2, 4095, LINK(MAC) },
	  true, true, -EINVAL, "the VLAN ID is above 4094", {} },
	{ "the zero GID is refused", { { 0 }, CXR_GID_V2, CXR_VLAN_NONE, LINK(MAC) },
	  true, true, -EINVAL, "the GID is zero", {} },
	{ "a multicast GID is refused", { { 0xff, 0x0e }, CXR_GID_V2, CXR_VLAN_NONE, LINK(MAC) },
	  true, true, -EINVAL, "the GID is a multicast address", {} },
	{ "IPv4 zero is refused", { GID_IPV4(0, 0, 0, 0), CXR_GID_V2, CXR_VLAN_NONE, LINK(MAC) },
	  true, true, -EINVAL, "the GID is the IPv4 address zero", {} },
	{ "IPv4 multicast is refused",
	  { GID_IPV4(224, 0, 0, 1), CXR_GID_V2, CXR_VLAN_NONE, LINK(MAC) },
	  true, true, -EINVAL, "the GID is an IPv4 multicast or broadcast address", {} },
	{ "IPv4 broadcast is refused",
	  { GID_IPV4(255, 255, 255, 255), CXR_GID_V2, CXR_VLAN_NONE, LINK(MAC) },
	  true, true, -EINVAL, "the GID is an IPv4 multicast or broadcast address", {} },
	{ "an IPv4 address above multicast is one as any other",
	  { GID_IPV4(240, 0, 0, 1), CXR_GID_V2, CXR_VLAN_NONE, LINK(MAC) },
	  true, true, 0, NULL, { GID_IPV4(240, 0, 0, 1), MAC, false, 0, V2_IPV4 } },
	{ "a zero MAC is refused", { GID_LINK_LOCAL, CXR_GID_V2, CXR_VLAN_NONE, LINK({ 0 }) },
	  true, true, -EINVAL, "the source MAC is zero", {} },
	{ "a multicast MAC is refused", { GID_LINK_LOCAL, CXR_GID_V2, CXR_VLAN_NONE, { 1, 0, 0x5e,
	  0, 0, 1 }, false, false },
	  true, true, -EINVAL, "the source MAC is a multicast address", {} },
	{ "a v1 GID on a v2 port is not supported", { GID_LINK_LOCAL, CXR_GID_V1, CXR_VLAN_NONE,
	  LINK(MAC) },
	  false, true, -EOPNOTSUPP, "the port does not offer RoCE v1", {} },
	{ "a v2 GID on a v1 port is not supported", { GID_LINK_LOCAL, CXR_GID_V2, CXR_VLAN_NONE,
	  LINK(MAC) },
	  true, false, -EOPNOTSUPP, "the port does not offer RoCE v2", {} },
	{ "a VLAN on a VLAN is not supported",
	  { GID_LINK_LOCAL, CXR_GID_V2, 100, MAC, true, false },
	  true, true, -EOPNOTSUPP, "its interface is a VLAN on a VLAN, and the device adds one tag",
	  {} },
	{ "an 802.1ad VLAN is not supported",
	  { GID_LINK_LOCAL, CXR_GID_V1, 100, MAC, false, true },
	  true, true, -EOPNOTSUPP,
	  "its interface is an 802.1ad VLAN, and the device adds 802.1Q tags", {} },
};

void test_gid(void)
{
	struct cxr_gid_entry entry;
	const char *why;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(gid_cases); i++) {
		begin("gid", gid_cases[i].sentence);
		why = NULL;
		expect(cxr_gid_decide(&gid_cases[i].in, gid_cases[i].v1, gid_cases[i].v2, &entry,
				      &why),
		       gid_cases[i].err);
		if (gid_cases[i].err) {
			expect_text(why, gid_cases[i].why);
			continue;
		}
		expect_bytes(entry.gid, gid_cases[i].entry.gid, 16);
		expect_bytes(entry.mac, gid_cases[i].entry.mac, 6);
		expect(entry.vlan_valid, gid_cases[i].entry.vlan_valid);
		expect(entry.vlan, gid_cases[i].entry.vlan);
		expect(entry.type, gid_cases[i].entry.type);
		expect(entry.ip, gid_cases[i].entry.ip);
	}
}

static const struct {
	const char *sentence;
	struct cxr_path_in in;
	struct cxr_path path;
} path_cases[] = {
	{ "v2: DSCP is taken from the traffic class, ECN is ECT(0)",
	  { .type = CXR_GID_V2, .traffic_class = 104, .flow_label = 1 },
	  { .traffic_class = 106, .dscp = 26, .ecn = 2, .hop_limit = 64, .flow_label = 1,
	  .udp_sport = 0xc001 } },
	{ "v2: an ECN codepoint in the traffic class is kept",
	  { .type = CXR_GID_V2, .traffic_class = 105, .flow_label = 1 },
	  { .traffic_class = 105, .dscp = 26, .ecn = 1, .hop_limit = 64, .flow_label = 1,
	  .udp_sport = 0xc001 } },
	{ "v1: the traffic class is kept, without DSCP and UDP source port",
	  { .type = CXR_GID_V1, .traffic_class = 104, .flow_label = 1 },
	  { .traffic_class = 104, .hop_limit = 64, .flow_label = 1 } },
	{ "a given hop limit is kept",
	  { .type = CXR_GID_V1, .hop_limit = 1 }, { .hop_limit = 1 } },
	{ "a forced hop limit replaces a given one",
	  { .type = CXR_GID_V1, .hop_limit = 1, .forced_hop_limit = 255 },
	  { .hop_limit = 255 } },
	{ "a forced hop limit replaces the default",
	  { .type = CXR_GID_V1, .forced_hop_limit = 1 }, { .hop_limit = 1 } },
	{ "the priority is the low three bits of the service level",
	  { .type = CXR_GID_V1, .sl = 13 }, { .prio = 5, .hop_limit = 64 } },
	{ "the largest flow label is folded into 14 bits",
	  { .type = CXR_GID_V2, .flow_label = 0xfffff },
	  { .traffic_class = 2, .ecn = 2, .hop_limit = 64, .flow_label = 0xfffff,
	  .udp_sport = 0xffc0 } },
	{ "v2: only the low 20 bits of a flow label are used",
	  { .type = CXR_GID_V2, .flow_label = 0xffffffff },
	  { .traffic_class = 2, .ecn = 2, .hop_limit = 64, .flow_label = 0xfffff,
	  .udp_sport = 0xffc0 } },
	{ "v1: only the low 20 bits of a flow label are used",
	  { .type = CXR_GID_V1, .flow_label = 0xabc12345 },
	  { .hop_limit = 64, .flow_label = 0x12345 } },
	{ "a flow label whose low 20 bits are zero counts as unset",
	  { .type = CXR_GID_V2, .flow_label = 0xfff00000, .local_qpn = 0x11, .remote_qpn = 0x13 },
	  { .traffic_class = 2, .ecn = 2, .hop_limit = 64, .udp_sport = 0xc143 } },
	{ "the high bits of the flow label affect the UDP source port",
	  { .type = CXR_GID_V2, .flow_label = 0x4000 },
	  { .traffic_class = 2, .ecn = 2, .hop_limit = 64, .flow_label = 0x4000,
	  .udp_sport = 0xc001 } },
	{ "without a flow label the UDP source port is derived from the QPNs",
	  { .type = CXR_GID_V2, .local_qpn = 0x11, .remote_qpn = 0x13 },
	  { .traffic_class = 2, .ecn = 2, .hop_limit = 64, .udp_sport = 0xc143 } },
	{ "both directions have the same UDP source port",
	  { .type = CXR_GID_V2, .local_qpn = 0x13, .remote_qpn = 0x11 },
	  { .traffic_class = 2, .ecn = 2, .hop_limit = 64, .udp_sport = 0xc143 } },
	{ "large QPNs are folded to a flow label before the UDP source port",
	  { .type = CXR_GID_V2, .local_qpn = 0xffffff, .remote_qpn = 0x800001 },
	  { .traffic_class = 2, .ecn = 2, .hop_limit = 64, .udp_sport = 0xff47 } },
	{ "without flow label and QPNs the UDP source port is 0xc000",
	  { .type = CXR_GID_V2 }, { .traffic_class = 2, .ecn = 2, .hop_limit = 64,
	  .udp_sport = 0xc000 } },
	{ "a service level over 15 is one of the low three bits, too",
	  { .type = CXR_GID_V1, .sl = 0xf9 }, { .prio = 1, .hop_limit = 64 } },
};

static const struct {
	const char *sentence;
	unsigned int netdev, mtu;
} mtu_cases[] = {
	{ "netdev MTU 1500: active MTU 1024", 1500, 1024 },
	{ "netdev MTU 4192: active MTU 4096", 4192, 4096 },
	{ "netdev MTU 4191: active MTU 2048", 4191, 2048 },
	{ "netdev MTU 2144: active MTU 2048", 2144, 2048 },
	{ "netdev MTU 2143: active MTU 1024", 2143, 1024 },
	{ "netdev MTU 1120: active MTU 1024", 1120, 1024 },
	{ "netdev MTU 1119: active MTU 512", 1119, 512 },
	{ "netdev MTU 608: active MTU 512", 608, 512 },
	{ "netdev MTU 607: active MTU 256", 607, 256 },
	{ "netdev MTU 351, too small: active MTU 256", 351, 256 },
	{ "netdev MTU 0: active MTU 256", 0, 256 },
	{ "netdev MTU 9978: active MTU 4096, the maximum", 9978, 4096 },
	{ "netdev MTU 2^32 - 1: active MTU 4096", 0xffffffff, 4096 },
};

/* Widths 1X 1, 4X 2, 8X 4, 2X 16; speeds SDR 1, DDR 2, FDR10 8, EDR 32, HDR 64, NDR 128. */
static const struct {
	const char *sentence;
	u32 mbps, lanes;
	struct cxr_path_rate rate;
} rate_cases[] = {
	{ "unknown speed: 1X SDR", 0, 0, { 1, 1 } },
	{ "1 Gb/s: 1X SDR", 1000, 0, { 1, 1 } },
	{ "10 Gb/s, one lane: 1X FDR10", 10000, 1, { 1, 8 } },
	{ "bond of 2 x 10 Gb/s: 4X DDR", 20000, 0, { 2, 2 } },
	{ "25 Gb/s, one lane: 1X EDR", 25000, 1, { 1, 32 } },
	{ "40 Gb/s, four lanes: 4X FDR10", 40000, 4, { 2, 8 } },
	{ "50 Gb/s, one lane: 1X HDR", 50000, 1, { 1, 64 } },
	{ "50 Gb/s, two lanes: 2X EDR", 50000, 2, { 16, 32 } },
	{ "bond of 2 x 25 Gb/s: 2X EDR", 50000, 0, { 16, 32 } },
	{ "100 Gb/s, four lanes: 4X EDR", 100000, 4, { 2, 32 } },
	{ "100 Gb/s, two lanes: 2X HDR", 100000, 2, { 16, 64 } },
	{ "bond of 2 x 40 Gb/s: rounded up to 4X EDR", 80000, 0, { 2, 32 } },
	{ "200 Gb/s, four lanes: 4X HDR", 200000, 4, { 2, 64 } },
	{ "bond of 2 x 100 Gb/s: 4X HDR", 200000, 0, { 2, 64 } },
	{ "400 Gb/s, four lanes: 4X NDR", 400000, 4, { 2, 128 } },
	{ "bond of 2 x 400 Gb/s: 8X NDR", 800000, 0, { 4, 128 } },
	{ "100 Gb/s, three lanes: there is no 3X, 4X EDR", 100000, 3, { 2, 32 } },
	{ "400 Gb/s, one lane: limited to 1X NDR", 400000, 1, { 1, 128 } },
};

static void test_mtus(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(mtu_cases); i++) {
		begin("path", mtu_cases[i].sentence);
		expect(cxr_path_mtu(mtu_cases[i].netdev), mtu_cases[i].mtu);
	}
}

static void test_rates(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rate_cases); i++) {
		struct cxr_path_rate rate = cxr_path_rate(rate_cases[i].mbps, rate_cases[i].lanes);

		begin("path", rate_cases[i].sentence);
		expect(rate.width, rate_cases[i].rate.width);
		expect(rate.speed, rate_cases[i].rate.speed);
	}
}

static void test_paths(void)
{
	struct cxr_path path;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(path_cases); i++) {
		begin("path", path_cases[i].sentence);
		memset(&path, 0xff, sizeof(path));
		cxr_path_decide(&path_cases[i].in, &path);
		expect(path.traffic_class, path_cases[i].path.traffic_class);
		expect(path.dscp, path_cases[i].path.dscp);
		expect(path.ecn, path_cases[i].path.ecn);
		expect(path.prio, path_cases[i].path.prio);
		expect(path.hop_limit, path_cases[i].path.hop_limit);
		expect(path.flow_label, path_cases[i].path.flow_label);
		expect(path.udp_sport, path_cases[i].path.udp_sport);
	}
}

#define ANY_RATE 0xff	/* what the number was before */

static const struct {
	const char *sentence;
	u8 rate;
	u32 supported;
	int err;
	u8 number;
} static_rate_cases[] = {
	{ "as fast as the port: number 0, which needs no support", 0, 0, 0, 0 },
	{ "2.5 Gb/s: 5 more than InfiniBand's number", 2, 1 << 7, 0, 7 },
	{ "56 Gb/s: number 1", 12, 1 << 1, 0, 1 },
	{ "25 Gb/s: number 2", 15, 1 << 2, 0, 2 },
	{ "100 Gb/s: number 3", 16, 1 << 3, 0, 3 },
	{ "200 Gb/s: number 4", 17, 1 << 4, 0, 4 },
	{ "50 Gb/s: number 5", 20, 1 << 5, 0, 5 },
	{ "400 Gb/s: number 6", 21, 1 << 6, 0, 6 },
	{ "800 Gb/s is as fast as the port", 23, ~0u, 0, 0 },
	{ "1600 Gb/s is as fast as the port", 25, ~0u, 0, 0 },
	{ "one that is not supported becomes the fastest one below that is", 16,
	  1 << 1 | 1 << 2 | 1 << 4, 0, 1 },
	{ "not one that enum ib_rate has before, and is faster", 5, 1 << 9, 0, 0 },
	{ "with none that is supported it is as fast as the port", 16, 1 << 4, 0, 0 },
	{ "there is no rate 1", 1, ~0u, -EINVAL, ANY_RATE },
	{ "there is no rate 24", 24, ~0u, -EINVAL, ANY_RATE },
	{ "there is no rate over 25", 26, ~0u, -EINVAL, ANY_RATE },
};

static void test_static_rates(void)
{
	unsigned int i;
	u8 number;

	for (i = 0; i < ARRAY_SIZE(static_rate_cases); i++) {
		begin("path", static_rate_cases[i].sentence);
		number = ANY_RATE;
		expect(cxr_path_static_rate(static_rate_cases[i].rate,
					    static_rate_cases[i].supported, &number),
		       static_rate_cases[i].err);
		expect(number, static_rate_cases[i].number);
	}
	begin("path", "a query names the rate that was set");
	for (i = 2; i < 23; i++) {
		expect(cxr_path_static_rate(i, ~0u, &number), 0);
		expect(cxr_path_ib_rate(number), i);
	}
}

void test_path(void)
{
	test_paths();
	test_static_rates();
	test_mtus();
	test_rates();
}
