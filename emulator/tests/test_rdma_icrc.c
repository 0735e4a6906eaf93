// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The ICRC, on frames that adapters made and by a second implementation. */
#include <stdlib.h>

#include "rdma.h"

/*
 * A congestion notification captured on a ConnectX-4 Lx (source port 0, ECN bits and all), and an
 * UC SEND with a UDP checksum. Both are published with Scapy's tests of its RoCE layer.
 */
static const char *const cnp[] = {
	"e41d2dab2bc27cfe90643b320800", "45c2003c718c4000401191610a0011010a001201",
	"000012b700280000", "8100ffff4000011800000000", "00000000000000000000000000000000",
	"82fd002a", NULL
};

static const char *const uc_send[] = {
	"248a07a8fa22248a07a8fa220800", "45010040047840004011b4d5c0a80007c0a80007",
	"c00012b7002caca2", "2460ffff000000d300cf1710", "4630818be28935d90e9a95505401be885e500000",
	"78f353f3", NULL
};

static unsigned int unhex(const char *const *parts, uint8_t *out)
{
	unsigned int n = 0, byte;
	const char *hex;

	for (; *parts; parts++)
		for (hex = *parts; sscanf(hex, "%2x", &byte) == 1; hex += 2)
			out[n++] = byte;
	return n;
}

static void test_frame(const char *const *hex, const char *name)
{
	uint8_t d[256];
	unsigned int len = unhex(hex, d);
	uint32_t want = (uint32_t)d[len - 1] << 24 | d[len - 2] << 16 | d[len - 3] << 8 |
			d[len - 4];

	ok(bitwise_icrc(d + 14, len - 18, 0x0800) == want, "%s: the test's own ICRC", name);
	ok(roce_icrc(d + 14, len - 18, PRM_CQE_ROCE_IPV4) == want, "%s: the engine's ICRC", name);
	d[15] ^= 0xff;
	d[22] -= 1;
	d[24] ^= 0x55;
	ok(roce_icrc(d + 14, len - 18, PRM_CQE_ROCE_IPV4) == want,
	   "%s: TOS, TTL and IP checksum do not matter", name);
	d[30] ^= 1;
	ok(roce_icrc(d + 14, len - 18, PRM_CQE_ROCE_IPV4) != want,
	   "%s: the destination address does", name);
}

static void test_random(uint16_t ethertype, enum prm_cqe_roce_type type, const char *name)
{
	uint8_t d[4200];
	unsigned int i, k, len, bad = 0;

	srand(1);
	for (k = 0; k < 300; k++) {
		len = 60 + rand() % 1100 * 4 % 4100;
		for (i = 0; i < len; i++)
			d[i] = rand();
		bad += roce_icrc(d, len, type) != bitwise_icrc(d, len, ethertype);
	}
	ok(!bad, "%s: 300 packets of random bytes", name);
}

int main(void)
{
	test_frame(cnp, "CNP of a ConnectX-4 Lx");
	test_frame(uc_send, "UC SEND");
	test_random(0x0800, PRM_CQE_ROCE_IPV4, "v2 IPv4");
	test_random(0x86dd, PRM_CQE_ROCE_IPV6, "v2 IPv6");
	test_random(0x8915, PRM_CQE_ROCE_GRH, "v1");
	return ok_end();
}
