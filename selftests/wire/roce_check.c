// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Checks each RoCE frame of a capture: lengths, IPv4 header checksum, opcode against headers, UDP
 * source port, and the ICRC. The CRC is implemented here (no zlib), so that a mistake common to
 * driver and emulator is found. The rules are those of the InfiniBand specification, volume 1,
 * annexes A16 (RoCE) and A17 (RoCE v2).
 */
#include <errno.h>
#include <getopt.h>
#include <pcap/pcap.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "window.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define ETHERTYPE_VLAN 0x8100
#define ETHERTYPE_IPV4 0x0800
#define ETHERTYPE_IPV6 0x86dd
#define ETHERTYPE_ROCE 0x8915
#define ROCE_V2_PORT 4791
#define BTH_LEN 12
#define ICRC_LEN 4

struct counts {
	unsigned long frames[KINDS];
	unsigned long bad;
	unsigned int sport_min, sport_max;
	struct windows windows;
};

static uint32_t crc_table[256];

static void make_crc_table(void)
{
	for (unsigned int i = 0; i < 256; i++) {
		uint32_t r = i;

		for (int bit = 0; bit < 8; bit++)
			r = r & 1 ? r >> 1 ^ 0xedb88320 : r >> 1;
		crc_table[i] = r;
	}
}

static uint32_t crc_add(uint32_t crc, const uint8_t *p, size_t len)
{
	while (len--)
		crc = crc >> 8 ^ crc_table[(crc ^ *p++) & 0xff];
	return crc;
}

static unsigned int be16(const uint8_t *p)
{
	return p[0] << 8 | p[1];
}

/* Where a frame's network header and its BTH are. */
struct frame {
	enum kind kind;
	const uint8_t *l3; /* GRH, IPv4 or IPv6 header */
	size_t l3_len;
	const uint8_t *bth;
	size_t len; /* from l3 to the end of the ICRC */
	int tci;    /* of the outer VLAN tag; -1: none */
};

/* Length of the extended headers after the BTH, or -1 for an unknown opcode. */
static int header_len(uint8_t opcode)
{
	static const int8_t rc[] = {
		0, 0, 0, 4, 0, 4, 16, 0, 0, 4, 16, 20, 16, 4, 0, 4, 4, 4, 12, 28, 28, -1, 4, 4
	};
	uint8_t service = opcode >> 5, op = opcode & 0x1f;

	if (opcode == 0x81)
		return 16; /* CNP: reserved bytes */
	if (service <= 1)  /* RC, UC */
		return op < sizeof(rc) ? rc[op] : -1;
	if (service == 5) /* XRC: requests, but not responses, have an XRCETH */
		return op >= sizeof(rc) || rc[op] < 0 ? -1 :
		       op >= 13 && op <= 18	      ? rc[op] :
							rc[op] + 4;
	/* DC as emulated adapters have it, see emulator/rdma/dc.h: their own headers come first */
	if (service == 6)
		return op >= sizeof(rc) || rc[op] < 0 ? -1 :
		       op >= 13 && op <= 18	      ? rc[op] + 4 :
							rc[op] + 24;
	if (service == 3) /* UD */
		return op == 4 ? 8 : op == 5 ? 12 : -1;
	return -1;
}

static uint32_t icrc_of(const struct frame *f)
{
	static const uint8_t ones[8] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	uint8_t head[40 + 8 + BTH_LEN];
	size_t n = f->bth + BTH_LEN - f->l3;

	/*
	 * Fields that routers may change are masked with ones: TOS, TTL, checksums, flow label, and
	 * the byte of FECN and BECN.
	 */
	memcpy(head, f->l3, n);
	if (f->kind == V2_IPV4) {
		head[1] = 0xff;
		head[8] = 0xff;
		memset(head + 10, 0xff, 2);
	} else {
		head[0] |= 0x0f;
		memset(head + 1, 0xff, 3);
		head[7] = 0xff;
	}
	if (f->kind != V1)
		memset(head + f->l3_len + 6, 0xff, 2);
	head[n - BTH_LEN + 4] = 0xff;

	return ~crc_add(crc_add(crc_add(~0u, ones, 8), head, n), f->l3 + n, f->len - n - ICRC_LEN);
}

/* Returns NULL if the header is valid, else what is wrong with it. */
static const char *check_ipv4(struct frame *f, size_t room)
{
	uint32_t sum = 0;

	if (room < 20 || f->l3[0] != 0x45)
		return "IPv4 header with options or cut short";
	for (int i = 0; i < 20; i += 2)
		sum += be16(f->l3 + i);
	if ((sum & 0xffff) + (sum >> 16) != 0xffff)
		return "IPv4 header checksum is wrong";
	f->l3_len = 20;
	f->len = be16(f->l3 + 2);
	return f->len > room ? "IPv4 total length is more than the frame" : NULL;
}

static const char *check_ipv6(struct frame *f, size_t room)
{
	if (room < 40)
		return "cut short within the network header";
	if (f->l3[0] >> 4 != 6)
		return "IP version of the network header is not 6";
	f->l3_len = 40;
	f->len = 40 + be16(f->l3 + 4);
	return f->len > room ? "payload length is more than the frame" : NULL;
}

static const char *check_udp(struct frame *f, struct counts *c)
{
	const uint8_t *udp = f->l3 + f->l3_len;
	unsigned int sport = be16(udp);

	if (be16(udp + 4) != f->len - f->l3_len)
		return "UDP length does not match the IP length";
	if (f->kind == V2_IPV4 && be16(udp + 6))
		return "UDP checksum is not 0";
	if (sport < c->sport_min)
		c->sport_min = sport;
	if (sport > c->sport_max)
		c->sport_max = sport;
	f->bth = udp + 8;
	return NULL;
}

static const char icrc_is_wrong[] = "ICRC is wrong";

static const char *check_bth(const struct frame *f)
{
	size_t behind = f->l3 + f->len - f->bth;
	int ext;

	if (behind < BTH_LEN + ICRC_LEN)
		return "too short for BTH and ICRC";
	if (behind % 4)
		return "BTH to ICRC is no multiple of 4 bytes";
	if (f->bth[1] & 0x0f)
		return "transport version is not 0";
	ext = header_len(f->bth[0]);
	if (ext < 0)
		return "opcode does not exist";
	if (behind < BTH_LEN + (size_t)ext + (f->bth[1] >> 4 & 3) + ICRC_LEN)
		return "too short for the opcode's headers and pad count";
	return NULL;
}

/* Classifies the frame and, if it is RoCE, fills @f; returns NULL or what is wrong with it. */
static const char *check_frame(const uint8_t *p, size_t len, struct frame *f, struct counts *c)
{
	size_t off = 12;
	unsigned int type;
	const uint8_t *icrc;
	const char *why;
	uint32_t want;

	memset(f, 0, sizeof(*f));
	f->tci = len >= 16 && be16(p + off) == ETHERTYPE_VLAN ? (int)be16(p + off + 2) : -1;
	while (off + 4 <= len && be16(p + off) == ETHERTYPE_VLAN)
		off += 4;
	if (off + 2 > len)
		return NULL;
	type = be16(p + off);
	off += 2;
	f->l3 = p + off;

	if (type == ETHERTYPE_ROCE)
		f->kind = V1;
	else if (type == ETHERTYPE_IPV4 && len >= off + 28 && f->l3[9] == 17 &&
		 !(be16(f->l3 + 6) & 0x3fff) &&
		 be16(f->l3 + (f->l3[0] & 0xf) * 4 + 2) == ROCE_V2_PORT)
		f->kind = V2_IPV4;
	else if (type == ETHERTYPE_IPV6 && len >= off + 48 && f->l3[6] == 17 &&
		 be16(f->l3 + 42) == ROCE_V2_PORT)
		f->kind = V2_IPV6;
	else
		return NULL;

	why = f->kind == V2_IPV4 ? check_ipv4(f, len - off) : check_ipv6(f, len - off);
	if (!why && f->kind == V1) {
		f->bth = f->l3 + f->l3_len;
		if (f->l3[6] != 0x1b)
			why = "next header of the GRH is not 0x1b";
	} else if (!why) {
		why = check_udp(f, c);
	}
	if (!why)
		why = check_bth(f);
	if (why)
		return why;

	want = icrc_of(f);
	icrc = f->l3 + f->len - ICRC_LEN;
	if (icrc[0] != (want & 0xff) || icrc[1] != (want >> 8 & 0xff) ||
	    icrc[2] != (want >> 16 & 0xff) || icrc[3] != want >> 24)
		return icrc_is_wrong;
	return NULL;
}

static uint64_t be48(const uint8_t *p)
{
	return (uint64_t)be16(p) << 32 | (uint64_t)be16(p + 2) << 16 | be16(p + 4);
}

/* Applies the windows to a frame that check_frame() has classified. */
static void check_windows(struct windows *w, const uint8_t *p, size_t len, const struct frame *f,
			  bool icrc, unsigned long number)
{
	bool ipv4 = f->kind == V2_IPV4;
	struct traits t = { .kind = f->kind };

	if (len > 14 && be16(p + 12) == ETHERTYPE_WINDOW) {
		windows_mark(w, p + 14, strnlen((const char *)p + 14, len - 14));
		return;
	}
	if (f->kind == OTHER)
		return;
	t.dmac = be48(p);
	t.smac = be48(p + 6);
	t.value[VLAN] = f->tci < 0 ? ABSENT : f->tci & 0xfff;
	t.value[PCP] = f->tci < 0 ? ABSENT : f->tci >> 13;
	t.value[TCLASS] = ipv4 ? f->l3[1] : be16(f->l3) >> 4 & 0xff;
	t.value[DSCP] = f->kind == V1 ? ABSENT : t.value[TCLASS] >> 2;
	t.value[HOPS] = f->l3[ipv4 ? 8 : 7];
	t.value[FLOW] = ipv4 ? ABSENT : (int)((f->l3[1] & 0xf) << 16 | be16(f->l3 + 2));
	t.value[ICRC] = icrc;
	t.qpn = ABSENT;
	if (f->bth && f->bth + 8 <= p + len)
		t.qpn = f->bth[5] << 16 | be16(f->bth + 6);
	t.value[SPORT] = f->kind == V1 ? ABSENT : (int)be16(f->l3 + f->l3_len);
	windows_frame(w, &t, number);
}

static int check_file(const char *path, struct counts *c)
{
	char err[PCAP_ERRBUF_SIZE];
	struct pcap_pkthdr *h;
	unsigned long number = 0;
	const uint8_t *data;
	struct frame f;
	pcap_t *pcap;
	int ret;

	pcap = pcap_open_offline(path, err);
	if (!pcap) {
		fprintf(stderr, "roce_check: %s\n", err);
		return -1;
	}
	if (pcap_datalink(pcap) != DLT_EN10MB) {
		fprintf(stderr, "roce_check: %s is no Ethernet capture\n", path);
		pcap_close(pcap);
		return -1;
	}

	while ((ret = pcap_next_ex(pcap, &h, &data)) == 1) {
		const char *why = check_frame(data, h->caplen, &f, c);

		number++;
		c->frames[f.kind]++;
		check_windows(&c->windows, data, h->caplen, &f, why != icrc_is_wrong, number);
		if (!why || (why == icrc_is_wrong && windows_wants_bad_icrc(&c->windows)))
			continue;
		if (c->bad++ < 10)
			fprintf(stderr, "roce_check: frame %lu (%s, opcode %#x): %s\n", number,
				kind_name[f.kind], f.bth ? f.bth[0] : 0, why);
	}
	if (ret == PCAP_ERROR)
		fprintf(stderr, "roce_check: %s: %s\n", path, pcap_geterr(pcap));
	windows_finish(&c->windows);
	pcap_close(pcap);
	return ret == PCAP_ERROR ? -1 : 0;
}

/*
 * A congestion notification that a ConnectX-4 Lx sent, as printed in the tests of the scapy
 * project: the ICRC at its end was computed by hardware.
 */
static const uint8_t hw_frame[] = {
	0xe4, 0x1d, 0x2d, 0xab, 0x2b, 0xc2, 0x7c, 0xfe, 0x90, 0x64, 0x3b, 0x32, 0x08, 0x00, 0x45,
	0xc2, 0x00, 0x3c, 0x71, 0x8c, 0x40, 0x00, 0x40, 0x11, 0x91, 0x61, 0x0a, 0x00, 0x11, 0x01,
	0x0a, 0x00, 0x12, 0x01, 0x00, 0x00, 0x12, 0xb7, 0x00, 0x28, 0x00, 0x00, 0x81, 0x00, 0xff,
	0xff, 0x40, 0x00, 0x01, 0x18, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x82, 0xfd, 0x00, 0x2a,
};

static unsigned int passed, failed;

static void result(bool ok, const char *what)
{
	*(ok ? &passed : &failed) += 1;
	printf("%sok %u %s\n", ok ? "" : "not ", passed + failed, what);
}

static const struct {
	const char *what;
	int byte;	  /* of hw_frame to invert; -1: none */
	const char *says; /* NULL: valid */
} self_tests[] = {
	{ "a frame captured from hardware is valid", -1, NULL },
	{ "a corrupted payload byte invalidates the ICRC", 60, "ICRC is wrong" },
	{ "a corrupted ICRC byte invalidates the ICRC", 73, "ICRC is wrong" },
	{ "a corrupted destination QP invalidates the ICRC", 49, "ICRC is wrong" },
	{ "the ICRC does not cover FECN and BECN", 46, NULL },
	{ "a corrupted IPv4 address is found by the header checksum", 27,
	  "IPv4 header checksum is wrong" },
	{ "an unknown opcode is found", 42, "opcode does not exist" },
	{ "a non-zero UDP checksum is found", 41, "UDP checksum is not 0" },
};

static const struct {
	const char *what;
	uint8_t opcode;
	int len;
} header_tests[] = {
	{ "an RC SEND has no extended header", 0x04, 0 },
	{ "an XRC SEND has an XRCETH", 0xa4, 4 },
	{ "an XRC WRITE has RETH and XRCETH", 0xaa, 20 },
	{ "an XRC ACK has the AETH only", 0xb1, 4 },
	{ "XRC has no RESYNC", 0xb5, -1 },
	{ "a DC WRITE has RETH and connect header", 0xca, 40 },
	{ "a DC ACK has AETH and session", 0xd1, 8 },
	{ "DC has no RESYNC", 0xd5, -1 },
};

static void header_self_test(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(header_tests); i++)
		result(header_len(header_tests[i].opcode) == header_tests[i].len,
		       header_tests[i].what);
}

/* One hw_frame between two marks: v2 over IPv4, no tag, class 0xc2, 64 hops, port 0. */
static const struct {
	const char *what, *begin, *end;
	bool fine;
} window_tests[] = {
	{ "type= matches", "begin type=v2/IPv4 : x", "end   ", true },
	{ "type= does not match", "begin type=v1 : x", "end", false },
	{ "vlan=none matches an untagged frame", "begin vlan=none : x", "end", true },
	{ "vlan= does not match an untagged frame", "begin vlan=100 : x", "end", false },
	{ "except= leaves out a QP", "begin except=280 dscp=0 min=0 : x", "end",
	  true },
	{ "except= does not leave out another QP", "begin except=1 dscp=0 min=0 : x", "end",
	  false },
	{ "except= frames do not count for min=", "begin except=280 : x", "end", false },
	{ "smac= matches", "begin smac=7c:fe:90:64:3b:32 : x", "end", true },
	{ "smac= does not match", "begin smac=7c:fe:90:64:3b:33 : x", "end", false },
	{ "to= matches", "begin to=e4:1d:2d:ab:2b:c2 : x", "end", true },
	{ "to= ignores frames to other addresses",
	  "begin to=e4:1d:2d:ab:2b:c3 dscp=0 min=0 : x", "end", true },
	{ "to= frames only count for min=",
	  "begin to=e4:1d:2d:ab:2b:c3 : x", "end", false },
	{ "an invalid MAC is found", "begin smac=7c:fe:90 : x", "end", false },
	{ "dscp= matches", "begin dscp=48 : x", "end", true },
	{ "dscp= does not match", "begin dscp=0 : x", "end", false },
	{ "pcp= does not match an untagged frame", "begin pcp=3 : x", "end", false },
	{ "tclass=, hops=, sport= and flow=none match",
	  "begin tclass=0xc2 hops=64 sport=0 flow=none : x", "end", true },
	{ "tclass= does not match", "begin tclass=0xc0 : x", "end", false },
	{ "hops= does not match", "begin hops=63 : x", "end", false },
	{ "sport= does not match", "begin sport=49152 : x", "end", false },
	{ "flow= does not match a frame without flow label", "begin flow=0 : x", "end", false },
	{ "a keyword with extra characters is found", "begin vlans=none : x", "end", false },
	{ "fewer frames than min= are found", "begin min=2 : x", "end", false },
	{ "icrc=0 does not match a valid ICRC", "begin icrc=0 : x", "end", false },
	{ "a window without an end is found", "begin min=1 : x", NULL, false },
	{ "an end without a begin is found", "end", NULL, false },
	{ "an unknown keyword is found", "begin colour=red : x", "end", false },
	{ "an unknown type is found", "begin type=v3 : x", "end", false },
};

static void mark(struct windows *w, const char *text)
{
	uint8_t data[128] = { [12] = ETHERTYPE_WINDOW >> 8, [13] = ETHERTYPE_WINDOW & 0xff };
	struct frame f = {};

	if (!text)
		return;
	memcpy(data + 14, text, strlen(text));
	check_windows(w, data, 14 + strlen(text), &f, true, 0);
}

/* Ports that are spread, and ones that are not: constant, in one half, even only. */
static const struct {
	const char *what;
	uint16_t base, step, mask;
	bool fine;
} spread_tests[] = {
	{ "spread= matches spread ports", 0, 12345, 0x3fff, true },
	{ "spread= does not match a constant port", 777, 0, 0x3fff, false },
	{ "spread= does not match ports of one half", 0, 12345, 0x1fff, false },
	{ "spread= does not match even ports only", 0, 12345, 0x3ffe, false },
};

static void spread_self_test(void)
{
	uint16_t value[256];
	struct windows w;

	for (size_t i = 0; i < ARRAY_SIZE(spread_tests); i++) {
		struct traits t = { .kind = V2_IPV4 };
		char begin[] = "begin spread=256 : x";

		memset(&w, 0, sizeof(w));
		windows_mark(&w, (const uint8_t *)begin, strlen(begin));
		for (unsigned int k = 0; k < 256; k++) {
			value[k] = 0xc000 | ((spread_tests[i].base + k * spread_tests[i].step) &
					     spread_tests[i].mask);
			t.qpn = k;
			t.value[SPORT] = value[k];
			windows_frame(&w, &t, k);
		}
		windows_mark(&w, (const uint8_t *)"end", 3);
		result(!w.bad == spread_tests[i].fine, spread_tests[i].what);
	}
}

static void window_self_test(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(window_tests); i++) {
		struct counts c = { .sport_min = 65536 };
		struct frame f;

		mark(&c.windows, window_tests[i].begin);
		check_frame(hw_frame, sizeof(hw_frame), &f, &c);
		check_windows(&c.windows, hw_frame, sizeof(hw_frame), &f, true, 1);
		mark(&c.windows, window_tests[i].end);
		windows_finish(&c.windows);
		result(!c.windows.bad == window_tests[i].fine, window_tests[i].what);
	}
}

/* Demanded windows, and the marks in a capture without other frames. */
static const struct {
	const char *what, *demands[2], *marks[5];
	bool fine;
} demand_tests[] = {
	{ "each script has the demanded windows", { "a.sh=1", "b.sh=1" },
	  { "begin script=a.sh min=0 : x", "end", "begin script=b.sh min=0 : x", "end" }, true },
	{ "a script without a window is found, even if another has some", { "a.sh=1", "b.sh=1" },
	  { "begin script=a.sh min=0 : x", "end", "begin script=a.sh min=0 : y", "end" }, false },
	{ "a script with a window too few is found", { "a.sh=2" },
	  { "begin script=a.sh min=0 : x", "end" }, false },
	{ "a window without script= counts for no script", { "a.sh=1" },
	  { "begin min=0 : x", "end" }, false },
	{ "a script whose name is a prefix of another is told apart", { "a.sh=1" },
	  { "begin script=a.sh2 min=0 : x", "end" }, false },
	{ "more windows than demanded are accepted", { "a.sh=1" },
	  { "begin script=a.sh min=0 : x", "end", "begin script=a.sh min=0 : y", "end" }, true },
	{ "zero windows may be demanded", { "a.sh=0" }, { NULL }, true },
};

static void demand_self_test(void)
{
	static const char *const wrong[] = { "a.sh", "a.sh=", "=1", "a.sh=many", "a.sh=1x" };
	bool taken = false;

	for (size_t i = 0; i < ARRAY_SIZE(demand_tests); i++) {
		struct windows w = {};

		for (int d = 0; d < 2 && demand_tests[i].demands[d]; d++)
			windows_demand(&w, demand_tests[i].demands[d]);
		for (int m = 0; m < 5; m++)
			mark(&w, demand_tests[i].marks[m]);
		windows_finish(&w);
		result(!w.bad == demand_tests[i].fine, demand_tests[i].what);
	}
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct windows w = {};

		taken |= windows_demand(&w, wrong[i]);
	}
	result(!taken, "a demand without a number is refused");
}

static void frame_self_test(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(self_tests); i++) {
		uint8_t data[sizeof(hw_frame)];
		struct counts c = { .sport_min = 65536 };
		const char *says;
		struct frame f;
		bool ok;

		memcpy(data, hw_frame, sizeof(data));
		if (self_tests[i].byte >= 0)
			data[self_tests[i].byte] ^= 0xff;
		says = check_frame(data, sizeof(data), &f, &c);
		ok = f.kind == V2_IPV4 && !says == !self_tests[i].says &&
		     (!says || !strcmp(says, self_tests[i].says));
		if (!ok)
			printf("# got: %s\n", says ? says : "fine");
		result(ok, self_tests[i].what);
	}
}

static int self_test(void)
{
	unsigned int n = ARRAY_SIZE(self_tests) + ARRAY_SIZE(window_tests) +
			 ARRAY_SIZE(header_tests) + ARRAY_SIZE(spread_tests) +
			 ARRAY_SIZE(demand_tests) + 1;

	printf("KTAP version 1\n1..%u\n", n);
	frame_self_test();
	window_self_test();
	header_self_test();
	spread_self_test();
	demand_self_test();
	printf("# Totals: pass:%u fail:%u xfail:0 xpass:0 skip:0 error:0\n", passed, failed);
	return failed || passed != n;
}

static const char usage[] =
	"usage: roce_check [--need-v1] [--need-v2] [--windows SCRIPT=N]...\n"
	"                  [--sport-min N] FILE.pcap |\n"
	"       roce_check --self-test\n";

struct needs {
	bool v1, v2;
	unsigned int sport_min;
};

/* Prints the summary and what is missing; returns the exit status. */
static int report(const struct counts *c, const struct needs *need, const char *path)
{
	int bad = 0;

	printf("%lu RoCE v1, %lu RoCE v2 over IPv4, %lu over IPv6, %lu other frames; ",
	       c->frames[V1], c->frames[V2_IPV4], c->frames[V2_IPV6], c->frames[OTHER]);
	printf("%lu malformed or with a wrong ICRC\n", c->bad);
	printf("%lu windows, %lu complaints about what is in them\n", c->windows.closed,
	       c->windows.bad);
	if (need->v1 && !c->frames[V1]) {
		fprintf(stderr, "roce_check: no RoCE v1 frame in %s\n", path);
		bad = 1;
	}
	if (need->v2 && !c->frames[V2_IPV4] && !c->frames[V2_IPV6]) {
		fprintf(stderr, "roce_check: no RoCE v2 frame in %s\n", path);
		bad = 1;
	}
	if (need->sport_min && c->sport_min < need->sport_min) {
		fprintf(stderr, "roce_check: UDP source port %u is below %u\n", c->sport_min,
			need->sport_min);
		bad = 1;
	}
	return c->bad || c->windows.bad || bad ? 1 : 0;
}

int main(int argc, char **argv)
{
	static const struct option options[] = { { "self-test", no_argument, NULL, 's' },
						 { "need-v1", no_argument, NULL, '1' },
						 { "need-v2", no_argument, NULL, '2' },
						 { "windows", required_argument, NULL, 'n' },
						 { "sport-min", required_argument, NULL, 'p' },
						 {} };
	struct counts c = { .sport_min = 65536 };
	struct needs need = {};
	int opt;

	make_crc_table();
	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (opt == 's') {
			return self_test();
		} else if (opt == '1') {
			need.v1 = true;
		} else if (opt == '2') {
			need.v2 = true;
		} else if (opt == 'p') {
			need.sport_min = strtoul(optarg, NULL, 0);
		} else if (opt != 'n' || !windows_demand(&c.windows, optarg)) {
			fputs(usage, stderr);
			return 2;
		}
	}
	if (optind + 1 != argc) {
		fputs(usage, stderr);
		return 2;
	}

	if (check_file(argv[optind], &c))
		return 2;
	return report(&c, &need, argv[optind]);
}
