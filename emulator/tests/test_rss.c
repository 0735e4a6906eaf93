// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* What spreads received packets over queues: the hash of their headers, tables of RQs. */
#include <string.h>

#include "dut.h"
#include "vfu_client.h"

static struct dut *a, *b;
static struct dut_wq sq;

static void set_up(void)
{
	a = dut_create("a", 0);
	b = dut_create("b", 1);
	dut_run();
	sq = dut_create_sq(a, 6, NULL);
}

static void tear_down(void)
{
	dut_run();
	dut_destroy(a);
	dut_destroy(b);
}

/*
 * Verification suite of the RSS specification: source, destination, ports, results with and without
 * ports.
 */
static const uint8_t ms_key[40] = {
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
	0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
	0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
};

static const struct {
	uint8_t src[4], dst[4];
	uint16_t sport, dport;
	uint32_t ip, tcp;
} ms4[] = {
	{ { 66, 9, 149, 187 }, { 161, 142, 100, 80 }, 2794, 1766, 0x323e8fc2, 0x51ccc178 },
	{ { 199, 92, 111, 2 }, { 65, 69, 140, 83 }, 14230, 4739, 0xd718262a, 0xc626b0ea },
	{ { 24, 19, 198, 95 }, { 12, 22, 207, 184 }, 12898, 38024, 0xd2d0a5de, 0x5c2b394a },
	{ { 38, 27, 205, 30 }, { 209, 142, 163, 6 }, 48228, 2217, 0x82989176, 0xafc7327f },
	{ { 153, 39, 163, 191 }, { 202, 188, 127, 2 }, 44251, 1303, 0x5d1809c5, 0x10e828a2 },
};

static const struct {
	uint8_t src[16], dst[16];
	uint16_t sport, dport;
	uint32_t ip, tcp;
} ms6[] = {
	{ { 0x3f, 0xfe, 0x25, 1, 2, 0, 0x1f, 0xff, 0, 0, 0, 0, 0, 0, 0, 7 },
	  { 0x3f, 0xfe, 0x25, 1, 2, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1 },
	  2794,
	  1766,
	  0x2cc18cd5,
	  0x40207d3d },
	{ { 0x3f, 0xfe, 5, 1, 0, 8, 0, 0, 2, 0x60, 0x97, 0xff, 0xfe, 0x40, 0xef, 0xab },
	  { 0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 },
	  14230,
	  4739,
	  0x0f0c461c,
	  0xdde51bbf },
	{ { 0x3f, 0xfe, 0x19, 0, 0x45, 0x45, 0, 3, 2, 0, 0xf8, 0xff, 0xfe, 0x21, 0x67, 0xcf },
	  { 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 2, 0, 0xf8, 0xff, 0xfe, 0x21, 0x67, 0xcf },
	  44251,
	  38024,
	  0x4b61e985,
	  0x02d1feef },
};

static void rss_context(struct prm_tirc *ctx, unsigned int fields, bool v6)
{
	memset(ctx, 0, sizeof(*ctx));
	prm_set(ctx, rx_hash_fn, PRM_RX_HASH_TOEPLITZ);
	memcpy(prm_bytes(ctx, rx_hash_toeplitz_key), ms_key, 40);
	prm_set(ctx, rx_hash_field_selector_outer.l3_prot_type, v6);
	prm_set(ctx, rx_hash_field_selector_outer.selected_fields, fields);
}

#define IP_FIELDS (PRM_RX_HASH_SRC_IP | PRM_RX_HASH_DST_IP)
#define ALL_FIELDS (IP_FIELDS | PRM_RX_HASH_L4_SPORT | PRM_RX_HASH_L4_DPORT)

static void test_toeplitz(void)
{
	struct eth_packet parsed;
	struct flow flow = tcp4;
	struct prm_tirc ctx;
	uint8_t packet[256];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ms4); i++) {
		memcpy(flow.src, ms4[i].src, 4);
		memcpy(flow.dst, ms4[i].dst, 4);
		flow.sport = ms4[i].sport;
		flow.dport = ms4[i].dport;
		flow.payload = 10;
		packet_parse(&parsed, packet, make_packet(packet, &flow));
		rss_context(&ctx, IP_FIELDS, false);
		ktap(dut_rss(&parsed, &ctx).hash == ms4[i].ip &&
		     dut_rss(&parsed, &ctx).type == 0x05,
		     "Toeplitz, IPv4 vector %u", i);
		rss_context(&ctx, ALL_FIELDS, false);
		ktap(dut_rss(&parsed, &ctx).hash == ms4[i].tcp &&
		     dut_rss(&parsed, &ctx).type == 0x55,
		     "Toeplitz, IPv4 with ports, vector %u", i);
	}
	for (i = 0; i < ARRAY_SIZE(ms6); i++) {
		uint32_t hash;

		flow.ip = 6;
		memcpy(flow.src, ms6[i].src, 16);
		memcpy(flow.dst, ms6[i].dst, 16);
		flow.sport = ms6[i].sport;
		flow.dport = ms6[i].dport;
		packet_parse(&parsed, packet, make_packet(packet, &flow));
		rss_context(&ctx, IP_FIELDS, true);
		ktap(dut_rss(&parsed, &ctx).hash == ms6[i].ip, "Toeplitz, IPv6 vector %u", i);
		rss_context(&ctx, ALL_FIELDS, true);
		ktap(dut_rss(&parsed, &ctx).hash == ms6[i].tcp,
		     "Toeplitz, IPv6 with ports, vector %u", i);

		prm_set(&ctx, rx_hash_symmetric, 1);
		hash = dut_rss(&parsed, &ctx).hash;
		memcpy(flow.dst, ms6[i].src, 16);
		memcpy(flow.src, ms6[i].dst, 16);
		flow.dport = ms6[i].sport;
		flow.sport = ms6[i].dport;
		packet_parse(&parsed, packet, make_packet(packet, &flow));
		ktap(dut_rss(&parsed, &ctx).hash == hash,
		     "symmetric hash, vector %u: both directions hash alike", i);
	}
}

/* By its definition: each bit of the input that is set adds 32 bits of the key. */
static uint32_t plain_toeplitz(const uint8_t *input, size_t len)
{
	uint32_t hash = 0, window = get32(ms_key);
	size_t i;

	for (i = 0; i < 8 * len; i++) {
		if (input[i / 8] & 0x80 >> i % 8)
			hash ^= window;
		window = window << 1 | (ms_key[i / 8 + 4] >> (7 - i % 8) & 1);
	}
	return hash;
}

static size_t put_field(uint8_t *to, bool wanted, const uint8_t *from, size_t len)
{
	if (wanted)
		memcpy(to, from, len);
	return wanted ? len : 0;
}

/* Of each selection of fields those of the packet, one after the other. */
static void test_rss_fields(void)
{
	struct flow flow = tcp4;
	struct eth_packet parsed;
	uint8_t packet[256], input[36];
	struct prm_tirc ctx;
	unsigned int fields;
	bool equal = true;
	size_t ip, len;

	flow.payload = 10;
	memcpy(flow.src, ms6[0].src, 16);
	memcpy(flow.dst, ms6[0].dst, 16);
	for (flow.ip = 4; flow.ip <= 6; flow.ip += 2) {
		packet_parse(&parsed, packet, make_packet(packet, &flow));
		ip = flow.ip == 6 ? 16 : 4;
		for (fields = 1; fields <= ALL_FIELDS; fields++) {
			len = put_field(input, fields & PRM_RX_HASH_SRC_IP, flow.src, ip);
			len += put_field(input + len, fields & PRM_RX_HASH_DST_IP, flow.dst, ip);
			len += put_field(input + len, fields & PRM_RX_HASH_L4_SPORT,
					 packet + parsed.l4, 2);
			len += put_field(input + len, fields & PRM_RX_HASH_L4_DPORT,
					 packet + parsed.l4 + 2, 2);
			rss_context(&ctx, fields, flow.ip == 6);
			equal = equal && dut_rss(&parsed, &ctx).hash == plain_toeplitz(input, len);
		}
	}
	ktap(equal, "Toeplitz: each selection of addresses and ports");
}

/* A selector of each kind, and a packet of each kind. */
static void test_kinds(void)
{
	struct flow flow = tcp4;
	struct eth_packet parsed;
	unsigned int i, v6, udp;
	struct prm_tirc ctx;
	uint8_t packet[256], input[36];
	uint32_t addresses, ports;
	bool right = true;
	struct rss rss;
	size_t len;

	flow.payload = 10;
	memcpy(flow.src, ms6[0].src, 16);
	memcpy(flow.dst, ms6[0].dst, 16);
	for (i = 0; i < 16; i++) {
		v6 = i & 1;
		udp = i >> 1 & 1;
		flow.ip = v6 ? 6 : 4;
		flow.proto = udp ? 17 : 6;
		packet_parse(&parsed, packet, make_packet(packet, &flow));
		len = put_field(input, true, packet + parsed.l3 + (v6 ? 8 : 12), v6 ? 32 : 8);
		addresses = plain_toeplitz(input, len);
		len += put_field(input + len, true, packet + parsed.l4, 4);
		ports = plain_toeplitz(input, len);
		rss_context(&ctx, ALL_FIELDS, i >> 2 & 1);
		prm_set(&ctx, rx_hash_field_selector_outer.l4_prot_type, i >> 3);
		rss = dut_rss(&parsed, &ctx);
		if (v6 != (i >> 2 & 1))
			right = right && !rss.hash && !rss.type;
		else if (udp != i >> 3)
			right = right && rss.hash == addresses && !(rss.type & 0xf0);
		else
			right = right && rss.hash == ports && rss.type & 0xf0;
	}
	ktap(right, "a selector hashes packets of its version of IP, and ports of its protocol");
}

static void test_rss(void)
{
	struct prm_create_rqt_in rqt_in = {};
	struct prm_create_rqt_out rqt_out;
	struct prm_create_tir_in tir_in = {};
	struct prm_create_tir_out tir_out;
	const struct prm_cqe64 *cqe;
	struct dut_wq rqs[2];
	struct flow flow = tcp4;
	uint8_t packet[256];
	uint32_t list[2];
	unsigned int i;
	bool right = true;

	set_up();
	for (i = 0; i < 2; i++) {
		rqs[i] = dut_create_rq(b, 4, 4, NULL);
		list[i] = htobe32(rqs[i].num);
	}
	prm_set(&rqt_in, rqt_context.rqt_max_size, 2);
	prm_set(&rqt_in, rqt_context.rqt_actual_size, 2);
	dut_check(dut_cmd_tail(b, create_rqt, &rqt_in, &rqt_out, list, sizeof(list)), "create_rqt");
	rss_context(prm_sub(&tir_in, ctx, tirc), ALL_FIELDS, false);
	prm_set(&tir_in, ctx.disp_type, PRM_TIR_INDIRECT);
	prm_set(&tir_in, ctx.indirect_table, prm_get(&rqt_out, rqtn));
	prm_set(&tir_in, ctx.transport_domain, b->td);
	dut_must(b, create_tir, &tir_in, &tir_out);
	dut_receive_all(b, prm_get(&tir_out, tirn));

	for (i = 0; i < ARRAY_SIZE(ms4); i++) {
		struct dut_wq *want = &rqs[ms4[i].tcp & 1], *other = &rqs[!(ms4[i].tcp & 1)];

		memcpy(flow.src, ms4[i].src, 4);
		memcpy(flow.dst, ms4[i].dst, 4);
		flow.sport = ms4[i].sport;
		flow.dport = ms4[i].dport;
		flow.payload = 20;
		dut_post_rq(b, &rqs[0], 2048);
		dut_post_rq(b, &rqs[1], 2048);
		dut_send(a, &sq, packet, make_packet(packet, &flow), 0);
		cqe = dut_poll(b, &want->cq);
		right = right && cqe && be32toh(cqe->rss_hash_result) == ms4[i].tcp &&
			!dut_poll(b, &other->cq);
	}
	ktap(right, "an indirect TIR selects the RQ by the hash and reports it");
	ktap(dut_destroy_obj(b, PRM_OP_destroy_rq, rqs[0].num) == PRM_STATUS_RES_BUSY,
	     "an RQ of an RQT cannot be destroyed");
	ktap(dut_destroy_obj(b, PRM_OP_destroy_rqt, prm_get(&rqt_out, rqtn)) == PRM_STATUS_RES_BUSY,
	     "an RQT of a TIR cannot be destroyed");
	tear_down();
}

int main(void)
{
	ktap_plan(24);
	test_toeplitz();
	test_rss_fields();
	test_kinds();
	test_rss();
	return ktap_end();
}
