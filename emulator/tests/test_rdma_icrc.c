// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The ICRC, checked by frames of real adapters and by a second implementation; and that every
 * observer of a frame finds it there, although the engine computes it only for observers.
 */
#include <pcap/pcap.h>
#include <stdlib.h>
#include <unistd.h>

#include "fault/fault.h"
#include "host/control.h"
#include "rdma.h"

#define DST_OFF (1u << 20)
#define QKEY	0x11111111

static struct tcq ca, cb;

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

	ok(bitwise_icrc(d + 14, len - 18, 0x0800) == want,
	   "%s: the test's own ICRC is right", name);
	ok(roce_icrc(d + 14, len - 18, PRM_CQE_ROCE_IPV4) == want,
	   "%s: the engine's ICRC is right", name);
	d[15] ^= 0xff;
	d[22] -= 1;
	d[24] ^= 0x55;
	ok(roce_icrc(d + 14, len - 18, PRM_CQE_ROCE_IPV4) == want,
	   "%s: TOS, TTL and IP checksum do not change the ICRC", name);
	d[30] ^= 1;
	ok(roce_icrc(d + 14, len - 18, PRM_CQE_ROCE_IPV4) != want,
	   "%s: the destination address changes the ICRC", name);
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
	ok(!bad, "%s: both ICRCs agree on 300 random packets", name);
}

/* ---- who sees a frame ---------------------------------------------------------------------- */

struct seen {
	unsigned int n;
	const char *why;
};

static bool look(void *arg, const struct frame *frame)
{
	struct seen *seen = arg;
	uint8_t opcode;

	seen->n++;
	if (!seen->why)
		seen->why = frame_check(frame->data, frame->len, &opcode);
	return true;
}

/* A datagram for everybody on the switch, as short as one can be or in the middle of @len. */
static void test_sink(unsigned int addr, uint32_t len)
{
	static const uint8_t groups[ADDRS][16] = {
		[ADDR_V1] = { 0xff, 0x0e, [15] = 0x77 },
		[ADDR_V2_IPV6] = { 0xff, 0x0e, [15] = 0x77 },
		[ADDR_V2_IPV4] = { [10] = 0xff, 0xff, 239, 1, 1, 1 },
	};
	struct qp_opts o = { .qkey = QKEY, .addr = addr };
	struct wr wr = { .opcode = PRM_WQE_SEND, .n = !!len, .sge = { { a.va, len, a.lkey } },
			 .to = &b, .addr = addr, .dqpn = MCAST_QPN, .qkey = QKEY,
			 .mgid = groups[addr] };
	struct port *port = port_create(NULL, "other");
	struct seen seen = {};
	struct tqp x;

	port_set_sink(port, look, &seen);
	if (create_qp(&x, &a, PRM_QP_ST_UD, &ca, &o) || qp_init(&x, &o) || qp_rtr(&x, &x, &o) ||
	    qp_rts(&x, &o))
		ok(false, "an UD QP");
	post_send(&x, &wr);
	settle();
	ok(seen.n == 1 && !seen.why,
	   "another wire receives %u bytes by address %u with ICRC (%u, %s)",
	   len, addr, seen.n, seen.why ? seen.why : "right");
	qp_command(&x, PRM_OP_destroy_qp);
	port_destroy(port);
	while (poll(&ca))
		;
}

static void send_twice(struct tqp *x, struct tqp *y)
{
	struct tsge to = { b.va + DST_OFF, 8192, b.lkey };
	struct wr wr = { .opcode = PRM_WQE_SEND, .n = 1, .sge = { { a.va, 3000, a.lkey } } };

	post_recv(y, 1, &to);
	post_send(x, &wr);
	wr.n = 0; /* on IPv4 shorter than the least frame */
	post_recv(y, 1, &to);
	post_send(x, &wr);
	settle();
}

static void test_capture(const char *only, struct tqp *x, struct tqp *y)
{
	char path[] = "/tmp/cxemu-icrc-XXXXXX", error[PCAP_ERRBUF_SIZE];
	struct pcap_pkthdr *header;
	struct seen seen = {};
	const uint8_t *data;
	uint8_t opcode;
	pcap_t *pcap;

	close(mkstemp(path));
	if (capture_open(path, only ? port_find(only) : NULL))
		ok(false, "a capture begins");
	send_twice(x, y);
	capture_close();
	pcap = pcap_open_offline(path, error);
	while (pcap && pcap_next_ex(pcap, &header, &data) == 1) {
		seen.n++;
		if (!seen.why)
			seen.why = frame_check(data, header->caplen, &opcode);
	}
	ok(pcap && seen.n >= 5 && !seen.why, "a capture of %s has frames with ICRC (%u, %s)",
	   only ? only : "all ports", seen.n, seen.why ? seen.why : "right");
	if (pcap)
		pcap_close(pcap);
	unlink(path);
}

/* What a fault changes is seen to be changed, on either side of the switch. */
static void test_corrupted(const char *text, struct tqp *x, struct tqp *y)
{
	uint64_t before = b.dev->rdma->rx_icrc_errors;
	struct cxdev *devs[] = { a.dev, b.dev };
	char line[64], answer[256];
	FILE *out = fmemopen(answer, sizeof(answer), "w");
	bool good;

	snprintf(line, sizeof(line), "%s", text);
	good = !fault_line(line, devs, ARRAY_SIZE(devs), out);
	fclose(out);
	send_twice(x, y);
	pass_time(200);
	ok(good && b.dev->rdma->rx_icrc_errors == before + 1,
	   "%s: one ICRC error is counted", text);
}

static void test_seen(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4, .timeout = 10, .retry = 7, .retry_set = true };
	uint64_t errors;
	struct tqp x, y;

	sides_open();
	wire_set_filter(NULL, NULL);
	create_cq(&ca, &a, 6);
	create_cq(&cb, &b, 6);
	buf_fill(&a, 0, 4096, 3);
	test_sink(ADDR_V1, 100);
	test_sink(ADDR_V2_IPV6, 0);
	test_sink(ADDR_V2_IPV4, 0);
	test_sink(ADDR_V2_IPV4, 1000);
	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	errors = b.dev->rdma->rx_icrc_errors;
	send_twice(&x, &y);
	ok(b.dev->rdma->rx_icrc_errors == errors && buf_is(&b, DST_OFF, 3000, 3),
	   "without observers the message arrives");
	test_capture(NULL, &x, &y);
	test_capture("b", &x, &y);
	test_corrupted("a frame any corrupt 90", &x, &y);
	test_corrupted("b frame any corrupt 90 dir=rx", &x, &y);
	destroy_pair(&x, &y);
	sides_close();
}

int main(void)
{
	test_frame(cnp, "CNP of a ConnectX-4 Lx");
	test_frame(uc_send, "UC SEND");
	test_random(0x0800, PRM_CQE_ROCE_IPV4, "v2 IPv4");
	test_random(0x86dd, PRM_CQE_ROCE_IPV6, "v2 IPv6");
	test_random(0x8915, PRM_CQE_ROCE_GRH, "v1");
	test_seen();
	return ok_end();
}
