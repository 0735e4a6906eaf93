// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The policies: GID table entries, paths. */
#include <errno.h>
#include <string.h>
#include "host.h"
#include "policy/gid.h"
#include "policy/path.h"

#define MAC { 0x02, 0, 0, 0, 0, 1 }
#define LINK(...) __VA_ARGS__, false, false /* a MAC, and no tags but one of 802.1Q */
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
	{ "a v1 GID may be an IPv4 address", { GID_IPV4(10, 0, 0, 1), CXR_GID_V1, CXR_VLAN_NONE,
	  LINK(MAC) },
	  true, false, 0, NULL, { GID_IPV4(10, 0, 0, 1), MAC, false, 0, V1 } },
	{ "a VLAN goes into the entry", { GID_LINK_LOCAL, CXR_GID_V2, 100, LINK(MAC) },
	  true, true, 0, NULL, { GID_LINK_LOCAL, MAC, true, 100, V2_IPV6 } },
	{ "VLAN 0 is a tag too", { GID_LINK_LOCAL, CXR_GID_V2, 0, LINK(MAC) },
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
	int err;
	struct cxr_path path;
} path_cases[] = {
	{ "v2: the class becomes DSCP, and the packet is ECN-capable",
	  { .type = CXR_GID_V2, .traffic_class = 104, .flow_label = 1 }, 0,
	  { .traffic_class = 106, .dscp = 26, .ecn = 2, .hop_limit = 64, .flow_label = 1,
	  .udp_sport = 0xc001 } },
	{ "v2: an ECN codepoint in the class stands",
	  { .type = CXR_GID_V2, .traffic_class = 105, .flow_label = 1 }, 0,
	  { .traffic_class = 105, .dscp = 26, .ecn = 1, .hop_limit = 64, .flow_label = 1,
	  .udp_sport = 0xc001 } },
	{ "v1: the class is the GRH's, there is no DSCP and no port",
	  { .type = CXR_GID_V1, .traffic_class = 104, .flow_label = 1 }, 0,
	  { .traffic_class = 104, .hop_limit = 64, .flow_label = 1 } },
	{ "a hop limit that is given stands",
	  { .type = CXR_GID_V1, .hop_limit = 1 }, 0, { .hop_limit = 1 } },
	{ "the service level's low three bits are the priority",
	  { .type = CXR_GID_V1, .sl = 13 }, 0, { .prio = 5, .hop_limit = 64 } },
	{ "the largest flow label folds into 14 bits",
	  { .type = CXR_GID_V2, .flow_label = 0xfffff }, 0,
	  { .traffic_class = 2, .ecn = 2, .hop_limit = 64, .flow_label = 0xfffff,
	  .udp_sport = 0xffc0 } },
	{ "v2: of a flow label the low 20 bits count",
	  { .type = CXR_GID_V2, .flow_label = 0xffffffff }, 0,
	  { .traffic_class = 2, .ecn = 2, .hop_limit = 64, .flow_label = 0xfffff,
	  .udp_sport = 0xffc0 } },
	{ "v1: of a flow label the low 20 bits count",
	  { .type = CXR_GID_V1, .flow_label = 0xabc12345 }, 0,
	  { .hop_limit = 64, .flow_label = 0x12345 } },
	{ "a flow label whose low 20 bits are zero is none",
	  { .type = CXR_GID_V2, .flow_label = 0xfff00000, .local_qpn = 0x11, .remote_qpn = 0x13 },
	  0,
	  { .traffic_class = 2, .ecn = 2, .hop_limit = 64, .udp_sport = 0xc143 } },
	{ "high bits of the label count",
	  { .type = CXR_GID_V2, .flow_label = 0x4000 }, 0,
	  { .traffic_class = 2, .ecn = 2, .hop_limit = 64, .flow_label = 0x4000,
	  .udp_sport = 0xc001 } },
	{ "without a label the QPNs choose the port",
	  { .type = CXR_GID_V2, .local_qpn = 0x11, .remote_qpn = 0x13 }, 0,
	  { .traffic_class = 2, .ecn = 2, .hop_limit = 64, .udp_sport = 0xc143 } },
	{ "the other direction has the same port",
	  { .type = CXR_GID_V2, .local_qpn = 0x13, .remote_qpn = 0x11 }, 0,
	  { .traffic_class = 2, .ecn = 2, .hop_limit = 64, .udp_sport = 0xc143 } },
	{ "large QPNs fold before the port does",
	  { .type = CXR_GID_V2, .local_qpn = 0xffffff, .remote_qpn = 0x800001 }, 0,
	  { .traffic_class = 2, .ecn = 2, .hop_limit = 64, .udp_sport = 0xff47 } },
	{ "with neither label nor QPNs the first port is taken",
	  { .type = CXR_GID_V2 }, 0, { .traffic_class = 2, .ecn = 2, .hop_limit = 64,
	  .udp_sport = 0xc000 } },
	{ "a service level over 15 is refused", { .type = CXR_GID_V2, .sl = 16 }, -EINVAL, {} },
};

static const struct {
	const char *sentence;
	unsigned int netdev, mtu;
} mtu_cases[] = {
	{ "an interface of 1500 bytes leaves 1024", 1500, 1024 },
	{ "4192 bytes are enough for 4096", 4192, 4096 },
	{ "4191 bytes leave 2048", 4191, 2048 },
	{ "2144 bytes are enough for 2048", 2144, 2048 },
	{ "2143 bytes leave 1024", 2143, 1024 },
	{ "1120 bytes are enough for 1024", 1120, 1024 },
	{ "1119 bytes leave 512", 1119, 512 },
	{ "608 bytes are enough for 512", 608, 512 },
	{ "607 bytes leave 256", 607, 256 },
	{ "an interface that is too small has 256", 351, 256 },
	{ "an interface of no bytes has 256", 0, 256 },
	{ "there is no more than 4096", 9978, 4096 },
	{ "the largest number is no more, either", 0xffffffff, 4096 },
};

/* Widths 1X 1, 4X 2, 8X 4, 2X 16; speeds SDR 1, DDR 2, FDR10 8, EDR 32, HDR 64, NDR 128. */
static const struct {
	const char *sentence;
	u32 mbps, lanes;
	struct cxr_path_rate rate;
} rate_cases[] = {
	{ "a link of no known speed has the least", 0, 0, { 1, 1 } },
	{ "1 Gb/s has the least", 1000, 0, { 1, 1 } },
	{ "10 Gb/s are one lane of FDR10", 10000, 1, { 1, 8 } },
	{ "a bond of 2 times 10 Gb/s is 20", 20000, 0, { 2, 2 } },
	{ "25 Gb/s are one lane of EDR", 25000, 1, { 1, 32 } },
	{ "40 Gb/s are four lanes of FDR10", 40000, 4, { 2, 8 } },
	{ "50 Gb/s can be one lane of HDR", 50000, 1, { 1, 64 } },
	{ "50 Gb/s can be two lanes of EDR", 50000, 2, { 16, 32 } },
	{ "a bond of 2 times 25 Gb/s is two lanes of EDR", 50000, 0, { 16, 32 } },
	{ "100 Gb/s are four lanes of EDR", 100000, 4, { 2, 32 } },
	{ "100 Gb/s can be two lanes of HDR", 100000, 2, { 16, 64 } },
	{ "a bond of 2 times 40 Gb/s has the next that there is", 80000, 0, { 2, 32 } },
	{ "200 Gb/s are four lanes of HDR", 200000, 4, { 2, 64 } },
	{ "a bond of 2 times 100 Gb/s is four lanes of HDR", 200000, 0, { 2, 64 } },
	{ "400 Gb/s are four lanes of NDR", 400000, 4, { 2, 128 } },
	{ "a bond of 2 times 400 Gb/s is eight lanes of NDR", 800000, 0, { 4, 128 } },
	{ "three lanes are none that InfiniBand has", 100000, 3, { 2, 32 } },
	{ "there is no faster lane than NDR", 400000, 1, { 1, 128 } },
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
		expect(cxr_path_decide(&path_cases[i].in, &path), path_cases[i].err);
		if (path_cases[i].err)
			continue;
		expect(path.traffic_class, path_cases[i].path.traffic_class);
		expect(path.dscp, path_cases[i].path.dscp);
		expect(path.ecn, path_cases[i].path.ecn);
		expect(path.prio, path_cases[i].path.prio);
		expect(path.hop_limit, path_cases[i].path.hop_limit);
		expect(path.flow_label, path_cases[i].path.flow_label);
		expect(path.udp_sport, path_cases[i].path.udp_sport);
	}
}

void test_path(void)
{
	test_paths();
	test_mtus();
	test_rates();
}
