// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Tunnels: checksums and segmentation of what is in them, completions, UDP ports, RSS. */
#include <stdlib.h>
#include <string.h>

#include "dut.h"
#include "prm/tunnel.h"
#include "vfu_client.h"
#include "wrong_log.h"

#define CSUM_FLAGS (PRM_WQE_ETH_L3_CSUM | PRM_WQE_ETH_L3_INNER_CSUM | PRM_WQE_ETH_L4_INNER_CSUM)
#define ALL_OK (PRM_CQE_L2_OK | PRM_CQE_L3_OK | PRM_CQE_L4_OK)
#define OTHER_PORT 8472

static struct dut *a, *b;
static struct dut_wq sq, rq; /* a sends, b receives everything */
static struct flow outer4, outer6, inner;

static uint32_t create_tir(struct dut *dut, bool tunnels)
{
	struct prm_create_tir_in in = {};
	struct prm_create_tir_out out;

	prm_set(&in, ctx.disp_type, PRM_TIR_DIRECT);
	prm_set(&in, ctx.inline_rqn, rq.num);
	prm_set(&in, ctx.transport_domain, dut->td);
	prm_set(&in, ctx.tunneled_offload_en, tunnels);
	dut_must(dut, create_tir, &in, &out);
	return prm_get(&out, tirn);
}

static void set_up(bool tunnels)
{
	a = dut_create("a", 0);
	b = dut_create("b", 1);
	dut_run();
	sq = dut_create_sq(a, 6, NULL);
	rq = dut_create_rq(b, 4, 6, NULL);
	dut_receive_all(b, create_tir(b, tunnels));
	outer4 = tcp4;
	outer4.sport = 0xc123;
	outer4.dport = PRM_VXLAN_PORT;
	outer6 = outer4;
	outer6.ip = 6;
	inner = tcp4;
	memcpy(inner.src, "\xc0\xa8\x07\x01", 4);
	memcpy(inner.dst, "\xc0\xa8\x07\x02", 4);
}

static void tear_down(void)
{
	dut_run();
	dut_destroy(a);
	dut_destroy(b);
}

static int add_port(struct dut *dut, unsigned int port)
{
	struct prm_add_vxlan_udp_dport_in in = {};
	struct prm_add_vxlan_udp_dport_out out;

	prm_set(&in, vxlan_udp_port, port);
	return dut_cmd(dut, add_vxlan_udp_dport, &in, &out);
}

static int delete_port(struct dut *dut, unsigned int port)
{
	struct prm_delete_vxlan_udp_dport_in in = {};
	struct prm_delete_vxlan_udp_dport_out out;

	prm_set(&in, vxlan_udp_port, port);
	return dut_cmd(dut, delete_vxlan_udp_dport, &in, &out);
}

/* What b gets, and its completion; NULL: nothing, or a's WQE failed. */
static const uint8_t *pass(const uint8_t *packet, uint32_t len, unsigned int flags,
			   const struct prm_cqe64 **rx)
{
	uint64_t buf = dut_post_rq(b, &rq, 4096);
	const struct prm_cqe64 *tx;

	dut_send(a, &sq, packet, len, flags);
	dut_run();
	tx = dut_poll(a, &sq.cq);
	*rx = dut_poll(b, &rq.cq);
	if (!tx || tx->op_own >> 4 != PRM_CQE_REQ || !*rx || be32toh((*rx)->byte_cnt) != len)
		return NULL;
	return dut_ptr(b, buf);
}

/* Of what is in a tunnel at @at: 0, or the layer whose checksum is wrong. */
static int wrong_inside(const uint8_t *packet, uint32_t len, uint32_t at, unsigned int tunnel)
{
	uint8_t frame[4096] = {};

	if (tunnel == TUNNEL_VXLAN)
		return wrong_checksum(packet + at, len - at);
	memcpy(frame + 12, packet[at] >> 4 == 4 ? "\x08\x00" : "\x86\xdd", 2);
	memcpy(frame + 14, packet + at, len - at);
	return wrong_checksum(frame, len - at + 14);
}

static bool ip4_sum_ok(const uint8_t *frame)
{
	return csum_fold(csum_add(0, frame + 14, 20)) == 0xffff;
}

/* ---- checksums ---- */

static const struct tunnel_case {
	const char *name;
	unsigned int tunnel, outer, inner;
	uint8_t proto;
} cases[] = {
	{ "TCP over IPv4 in VXLAN over IPv4", TUNNEL_VXLAN, 4, 4, 6 },
	{ "UDP over IPv6 in VXLAN over IPv4", TUNNEL_VXLAN, 4, 6, 17 },
	{ "TCP over IPv6 in VXLAN over IPv6", TUNNEL_VXLAN, 6, 6, 6 },
	{ "TCP over IPv4 in GRE over IPv4", TUNNEL_GRE, 4, 4, 6 },
	{ "TCP over IPv6 in GRE over IPv6", TUNNEL_GRE, 6, 6, 6 },
	{ "TCP over IPv4 in IPv4", TUNNEL_IP, 4, 4, 6 },
	{ "UDP over IPv6 in IPv4", TUNNEL_IP, 4, 6, 17 },
	{ "TCP over IPv4 in IPv6", TUNNEL_IP, 6, 4, 6 },
};

static void one_checksum(const struct tunnel_case *c)
{
	const struct prm_cqe64 *cqe;
	uint8_t packet[2048];
	const uint8_t *got;
	uint32_t len, at;
	unsigned int l4;

	set_up(true);
	inner.ip = c->inner;
	inner.proto = c->proto;
	len = make_tunnel(packet, c->tunnel, c->outer == 4 ? &outer4 : &outer6, &inner, &at);
	got = pass(packet, len, CSUM_FLAGS, &cqe);
	l4 = c->proto == 6 ? PRM_CQE_L4_TCP_ACK_AND_DATA : PRM_CQE_L4_UDP;
	ktap(got && !wrong_inside(got, len, at, c->tunnel) && (c->outer == 6 || ip4_sum_ok(got)) &&
	     !memcmp(got + 34 + (c->outer == 6 ? 20 : 0), packet + 34 + (c->outer == 6 ? 20 : 0),
		     at - 34 - (c->outer == 6 ? 20 : 0)),
	     "%s: the inner checksums are inserted, and the header of the tunnel stays", c->name);
	ktap(got && cqe->hds_ip_ext == ALL_OK &&
	     cqe->tls_outer_l3_tunneled == (PRM_CQE_TUNNELED |
					    (c->outer == 4 ? PRM_CQE_OUTER_IPV4 : 0)) &&
	     cqe->l4_l3_hdr_type == (l4 << PRM_CQE_L4_SHIFT |
				     (c->inner == 4 ? PRM_CQE_L3_IPV4 : PRM_CQE_L3_IPV6)
					     << PRM_CQE_L3_SHIFT),
	     "%s: the completion tells of the inner headers", c->name);
	ktap(!dut_violations(a) && !dut_violations(b), "%s: no violation", c->name);
	tear_down();
}

/* A right packet in VXLAN over IPv4, with a right checksum of the outer UDP header, if *@right. */
static uint32_t right_packet(uint8_t *packet, uint32_t *at, bool *right)
{
	uint32_t len = make_tunnel(packet, TUNNEL_VXLAN, &outer4, &inner, at);
	const struct prm_cqe64 *cqe;
	const uint8_t *got = pass(packet, len, CSUM_FLAGS | PRM_WQE_ETH_L4_CSUM, &cqe);

	if (got)
		memcpy(packet, got, len);
	*right = got && !wrong_checksum(got, len) && !wrong_checksum(got + *at, len - *at) &&
		 cqe->hds_ip_ext == ALL_OK;
	return len;
}

static void test_wrong_sums(void)
{
	static const struct {
		const char *name;
		unsigned int at;	/* in the packet */
		bool inside;
		uint8_t ok;
	} wrong[] = {
		{ "inner TCP", 14 + 20 + 20 + 7, true, PRM_CQE_L2_OK | PRM_CQE_L3_OK },
		{ "inner IPv4", 14 + 8, true, PRM_CQE_L2_OK | PRM_CQE_L4_OK },
		{ "outer UDP", 14 + 20 + 6, false, PRM_CQE_L2_OK | PRM_CQE_L3_OK },
		{ "outer IPv4", 14 + 8, false, PRM_CQE_L2_OK | PRM_CQE_L4_OK },
	};
	const struct prm_cqe64 *cqe;
	uint8_t packet[2048];
	uint32_t len, at, i;
	bool good;

	set_up(true);
	len = right_packet(packet, &at, &good);
	ktap(good, "the outer UDP checksum covers the inner ones");
	good = pass(packet, len, 0, &cqe) && cqe->hds_ip_ext == ALL_OK;
	ktap(good, "a tunnel with four right checksums is so");
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		uint8_t *where = packet + wrong[i].at + (wrong[i].inside ? at : 0);
		bool covered = wrong[i].inside;

		*where ^= 1;
		if (covered)	/* only by the checksum of its own */
			memset(packet + 14 + 20 + 6, 0, 2);
		ktap(pass(packet, len, 0, &cqe) && cqe->hds_ip_ext == wrong[i].ok &&
		     cqe->tls_outer_l3_tunneled & PRM_CQE_TUNNELED,
		     "a wrong %s checksum is noticed", wrong[i].name);
		*where ^= 1;
		if (covered)
			packet_set_l4_csum(packet, &(struct eth_packet){
				.data = packet, .l3 = 14, .l4 = 34, .ip_version = 4, .proto = 17,
			}, len);
	}
	tear_down();

	set_up(false);
	len = right_packet(packet, &at, &good);
	ktap(good && pass(packet, len, 0, &cqe) && !cqe->tls_outer_l3_tunneled &&
	     cqe->l4_l3_hdr_type >> PRM_CQE_L4_SHIFT == PRM_CQE_L4_UDP,
	     "a TIR without tunneled_offload_en sees UDP");
	tear_down();
}

/* A GRE header with checksum, key and sequence number; and one of another version. */
static void test_gre_options(void)
{
	static const uint8_t options[12] = { 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 1 };
	uint8_t packet[2048], longer[2048];
	const struct prm_cqe64 *cqe;
	const uint8_t *got;
	uint32_t len, at;

	set_up(true);
	len = make_tunnel(packet, TUNNEL_GRE, &outer4, &inner, &at);
	memcpy(longer, packet, at);
	memcpy(longer + at, options, sizeof(options));
	memcpy(longer + at + sizeof(options), packet + at, len - at);
	len += sizeof(options);
	longer[at - 4] = 0xb0;
	put16(longer + 16, len - 14);
	got = pass(longer, len, CSUM_FLAGS, &cqe);
	ktap(got && !wrong_inside(got, len, at + sizeof(options), TUNNEL_GRE) &&
	     cqe->hds_ip_ext == (PRM_CQE_L2_OK | PRM_CQE_L3_OK),
	     "GRE with options: inner checksums are inserted, its own wrong one is noticed");
	if (got)
		memcpy(longer, got, len);
	put16(longer + at, ~csum_fold(csum_add(0, longer + 34, len - 34)));
	ktap(pass(longer, len, 0, &cqe) && cqe->hds_ip_ext == ALL_OK,
	     "GRE with options: its own right checksum is noticed");
	longer[at - 3] = 1;
	ktap(pass(longer, len, 0, &cqe) && !cqe->tls_outer_l3_tunneled,
	     "GRE of another version is no tunnel");
	tear_down();
}

static void test_no_tunnel(void)
{
	const struct prm_cqe64 *cqe;
	uint8_t packet[2048];
	uint32_t len, at;

	set_up(true);
	len = make_tunnel(packet, TUNNEL_VXLAN, &outer4, &inner, &at);
	packet[at - 8] = 0x0c;	/* VXLAN-GPE */
	ktap(pass(packet, len, 0, &cqe) && !cqe->tls_outer_l3_tunneled,
	     "VXLAN with flags of a later version is no tunnel");
	packet[at - 8] = 8;
	packet[20] = 0x20;	/* more fragments */
	ktap(pass(packet, len, 0, &cqe) && !cqe->tls_outer_l3_tunneled,
	     "a fragment is no tunnel");
	packet[20] = 0;
	ktap(pass(packet, at + 13, 0, &cqe) && !cqe->tls_outer_l3_tunneled,
	     "a frame that ends in the inner Ethernet header is no tunnel");
	ktap(pass(packet, at + 14 + 12, 0, &cqe) && cqe->tls_outer_l3_tunneled &&
	     !(cqe->hds_ip_ext & (PRM_CQE_L3_OK | PRM_CQE_L4_OK)),
	     "in one that ends in the inner IP header nothing is right");
	outer4.dport = 0;
	len = make_tunnel(packet, TUNNEL_VXLAN, &outer4, &inner, &at);
	ktap(pass(packet, len, 0, &cqe) && !cqe->tls_outer_l3_tunneled, "port 0 is not of VXLAN");
	tear_down();
}

/* ---- LSO ---- */

static struct {
	uint8_t frame[8][FRAME_MAX];
	uint32_t len[8];
	unsigned int n;
} wire;

static enum wire_verdict see(void *arg, const struct port *from, struct frame *frame)
{
	(void)arg;
	(void)from;
	if (wire.n < ARRAY_SIZE(wire.len)) {
		memcpy(wire.frame[wire.n], frame->data, frame->len);
		wire.len[wire.n] = frame->len;
	}
	wire.n++;
	return WIRE_PASS;
}

/* The packet, whose first @head bytes are inline. */
static unsigned int send_lso(const uint8_t *packet, uint32_t len, uint32_t head, uint32_t mss)
{
	unsigned int ds = 2 + (head - 2 + 15) / 16;
	uint64_t buf = dut_alloc(a, len - head);
	struct prm_wqe_eth_seg *eseg;
	const struct prm_cqe64 *cqe;
	uint8_t *wqe;

	memcpy(dut_ptr(a, buf), packet + head, len - head);
	wqe = dut_wqe(a, &sq, PRM_WQE_LSO, ds + 1, PRM_WQE_CE_ALWAYS);
	eseg = (void *)(wqe + 16);
	eseg->cs_flags = CSUM_FLAGS;
	eseg->mss = htobe16(mss);
	eseg->inline_hdr_sz = htobe16(head);
	memcpy((uint8_t *)eseg + offsetof(struct prm_wqe_eth_seg, inline_hdr_start), packet, head);
	dut_data_seg(a, (void *)(wqe + ds * 16), buf, len - head);
	wire.n = 0;
	wire_set_filter(see, NULL);
	dut_ring(a, &sq, (ds + 1 + 3) / 4);
	dut_run();
	wire_set_filter(NULL, NULL);
	cqe = dut_poll(a, &sq.cq);
	return cqe ? cqe->op_own >> PRM_CQE_OPCODE_SHIFT : 0xff;
}

/* Lengths, identifications, sequence number, flags and checksums of segment @i, of @data bytes. */
static bool segment_right(unsigned int i, const struct tunnel_case *c, uint32_t at, uint32_t head,
			  uint32_t data, uint32_t offset, bool last)
{
	const uint8_t *f = wire.frame[i], *ip = f + 14;
	const uint8_t *in = f + at + (c->tunnel == TUNNEL_VXLAN ? 14 : 0), *tcp = f + head - 20;
	uint32_t len = head + data;
	uint8_t flags = 0x10 | (i ? 0 : 0x80) | (last ? 0x09 : 0);

	if (wire.len[i] != len || wrong_inside(f, len, at, c->tunnel))
		return false;
	if (c->outer == 4 && (get16(ip + 2) != len - 14 || !ip4_sum_ok(f) ||
			      get16(ip + 4) != 0x1234 + i))
		return false;
	if (c->outer == 6 && get16(ip + 4) != len - 54)
		return false;
	if (c->tunnel == TUNNEL_VXLAN && get16(f + at - 12) != len - (at - 16))
		return false;
	if (c->inner == 4 && (get16(in + 2) != len - (in - f) || get16(in + 4) != 0x1234 + i))
		return false;
	if (c->inner == 6 && get16(in + 4) != len - (in - f) - 40)
		return false;
	return (uint32_t)(get16(tcp + 4) << 16 | get16(tcp + 6)) == 1000 + offset &&
	       tcp[13] == flags;
}

static void one_lso(const struct tunnel_case *c)
{
	uint8_t packet[8192];
	uint32_t len, at, head;
	unsigned int i;
	bool right;

	if (c->proto != 6)
		return;
	set_up(true);
	inner.ip = c->inner;
	inner.payload = 3001;
	len = make_tunnel(packet, c->tunnel, c->outer == 4 ? &outer4 : &outer6, &inner, &at);
	head = len - inner.payload;
	packet[head - 7] = 0x99; /* CWR, ACK, PSH, FIN */
	right = send_lso(packet, len, head, 1000) == PRM_CQE_REQ && wire.n == 4;
	for (i = 0; right && i < 4; i++)
		right = segment_right(i, c, at, head, i < 3 ? 1000 : 1, i * 1000, i == 3);
	if (!right)
		printf("# segment %d of %u\n", (int)i - 1, wire.n);
	ktap(right && !dut_violations(a), "%s: 3001 bytes in segments of 1000", c->name);
	tear_down();
}

static void test_lso_errors(void)
{
	uint8_t packet[8192];
	uint32_t len, at;

	set_up(true);
	inner.payload = 3000;
	len = make_tunnel(packet, TUNNEL_VXLAN, &outer4, &inner, &at);
	wrong_begin();
	ktap(send_lso(packet, len, at - 8, 1000) != PRM_CQE_REQ,
	     "inner checksums of an LSO that has the outer headers only");
	wrong_expect("an LSO that is no tunnel",
		     "SQ 0x*: send WQE 0: inner checksums, but the card sees no tunnel (0x70)");
	tear_down();
}

/* ---- ports ---- */

static bool is_tunnel(unsigned int port)
{
	const struct prm_cqe64 *cqe;
	uint8_t packet[2048];
	uint32_t len, at;

	outer4.dport = port;
	len = make_tunnel(packet, TUNNEL_VXLAN, &outer4, &inner, &at);
	return pass(packet, len, 0, &cqe) && cqe->tls_outer_l3_tunneled;
}

static void test_ports(void)
{
	unsigned int i, n;

	set_up(true);
	ktap(is_tunnel(PRM_VXLAN_PORT) && !is_tunnel(OTHER_PORT),
	     "the card knows port %u alone", PRM_VXLAN_PORT);
	add_port(b, OTHER_PORT);
	ktap(is_tunnel(PRM_VXLAN_PORT) && is_tunnel(OTHER_PORT), "a port that was added is known");
	delete_port(b, OTHER_PORT);
	ktap(!is_tunnel(OTHER_PORT), "and no more when it was deleted");
	add_port(b, PRM_VXLAN_PORT);
	delete_port(b, PRM_VXLAN_PORT);
	ktap(is_tunnel(PRM_VXLAN_PORT), "port %u is always known", PRM_VXLAN_PORT);
	delete_port(b, PRM_VXLAN_PORT);
	ktap(!dut_violations(b), "and may be deleted again");
	add_port(b, OTHER_PORT);
	cxdev_reset(b->dev);
	ktap(!dut_violations(b) && !b->dev->eth->vxlan_ports[0], "a reset forgets ports");
	tear_down();

	set_up(true);
	for (n = 0; n < 10 && !add_port(a, 5000 + n); n++)
		;
	ktap(n == VXLAN_PORTS, "there are as many ports as advertised");
	wrong_begin();
	ktap(add_port(a, 6000) == PRM_STATUS_LIM, "one more is refused");
	wrong_expect("too many ports",
		     "* refused, *, syndrome 0x*: VXLAN port 6000: there are 4 already");
	wrong_begin();
	ktap(add_port(a, 5001) == PRM_STATUS_BAD_PARAM, "one that is there is refused");
	wrong_expect("a port twice",
		     "* refused, *, syndrome 0x*: VXLAN port 5001 is there already");
	wrong_begin();
	ktap(delete_port(a, 6000) == PRM_STATUS_BAD_PARAM, "one that is not there is refused");
	wrong_expect("no such port", "* refused, *, syndrome 0x*: VXLAN port 6000 is not there");
	wrong_begin();
	ktap(add_port(a, 0) == PRM_STATUS_BAD_PARAM, "port 0 is refused");
	wrong_expect("port 0", "* refused, *, syndrome 0x*: vxlan_udp_port is 0");
	for (i = 1; i < n; i++)
		delete_port(a, 5000 + i);
	add_port(a, PRM_VXLAN_PORT);
	wrong_begin();
	tunnel_report_leaks(a->dev);
	wrong_expect("a port that is left", "leak: VXLAN port 5000 was not deleted");
	tear_down();
}

/* ---- inner headers in flow tables and hashes ---- */

static int create_hash_tir(struct dut *dut, uint32_t rqtn, unsigned int outer_fields,
			   unsigned int inner_fields, uint32_t *tirn)
{
	struct prm_create_tir_in in = {};
	struct prm_create_tir_out out;
	int status;

	prm_set(&in, ctx.disp_type, PRM_TIR_INDIRECT);
	prm_set(&in, ctx.indirect_table, rqtn);
	prm_set(&in, ctx.transport_domain, dut->td);
	prm_set(&in, ctx.tunneled_offload_en, 1);
	prm_set(&in, ctx.rx_hash_fn, PRM_RX_HASH_TOEPLITZ);
	memset(prm_bytes(&in, ctx.rx_hash_toeplitz_key), 0x5a, 40);
	prm_set(&in, ctx.rx_hash_field_selector_outer.selected_fields, outer_fields);
	prm_set(&in, ctx.rx_hash_field_selector_inner.selected_fields, inner_fields);
	status = dut_cmd(dut, create_tir, &in, &out);
	if (!status)
		*tirn = prm_get(&out, tirn);
	return status;
}

static uint32_t create_rqt(struct dut *dut)
{
	struct prm_create_rqt_in in = {};
	struct prm_create_rqt_out out;
	__be32 num = cpu_to_be32(rq.num);

	prm_set(&in, rqt_context.rqt_max_size, 1);
	prm_set(&in, rqt_context.rqt_actual_size, 1);
	dut_check(dut_cmd_tail(dut, create_rqt, &in, &out, &num, sizeof(num)), "create_rqt");
	return prm_get(&out, rqtn);
}

/* A table whose only entry is for TCP over IPv4 in a tunnel. */
static void receive_inner(struct dut *dut, uint32_t tirn)
{
	struct prm_dest_format_struct dest = {};
	struct prm_set_fte_in in = {};
	struct prm_create_flow_group_in group = {};
	struct prm_create_flow_group_out group_out;
	struct prm_set_fte_out out;
	uint32_t table = dut_table(dut, 0, 0, 0);

	prm_set(&group, table_id, table);
	prm_set(&group, match_criteria_enable, PRM_MATCH_INNER);
	prm_set(&group, match_criteria.inner_headers.ip_version, 0xf);
	prm_set(&group, match_criteria.inner_headers.ip_protocol, 0xff);
	dut_must(dut, create_flow_group, &group, &group_out);
	prm_set(&in, table_id, table);
	prm_set(&in, flow_context.group_id, prm_get(&group_out, group_id));
	prm_set(&in, flow_context.action, PRM_FLOW_FWD_DEST);
	prm_set(&in, flow_context.destination_list_size, 1);
	prm_set(&in, flow_context.match_value.inner_headers.ip_version, 4);
	prm_set(&in, flow_context.match_value.inner_headers.ip_protocol, 6);
	prm_set(&dest, destination_type, PRM_FLOW_DEST_TIR);
	prm_set(&dest, destination_id, tirn);
	dut_check(dut_cmd_tail(dut, set_fte, &in, &out, &dest, sizeof(dest)), "set_fte");
	dut_check(dut_root(dut, table), "root");
}

static void test_inner_rss(void)
{
	const unsigned int fields = PRM_RX_HASH_SRC_IP | PRM_RX_HASH_DST_IP |
				    PRM_RX_HASH_L4_SPORT | PRM_RX_HASH_L4_DPORT;
	uint8_t packet[2048];
	const struct prm_cqe64 *cqe;
	uint32_t len, at, tirn, rqtn, hash;

	set_up(true);
	rqtn = create_rqt(b);
	dut_check(create_hash_tir(b, rqtn, fields, 0, &tirn), "tir");
	dut_receive_all(b, tirn);
	len = make_packet(packet, &inner);
	hash = pass(packet, len, 0, &cqe) ? be32toh(cqe->rss_hash_result) : 0;
	len = make_tunnel(packet, TUNNEL_GRE, &outer4, &inner, &at);
	ktap(hash && pass(packet, len, 0, &cqe) && be32toh(cqe->rss_hash_result) != hash,
	     "a hash of outer headers is that of the tunnel");
	dut_check(create_hash_tir(b, rqtn, 0, fields, &tirn), "tir");
	receive_inner(b, tirn);
	ktap(pass(packet, len, 0, &cqe) && be32toh(cqe->rss_hash_result) == hash &&
	     cqe->rss_hash_type == 0x55, "a hash of inner headers is that of what is in it");
	inner.ip = 6;
	len = make_tunnel(packet, TUNNEL_GRE, &outer4, &inner, &at);
	ktap(!pass(packet, len, 0, &cqe), "an entry matches the inner IP version");
	inner.ip = 4;
	inner.proto = 17;
	len = make_tunnel(packet, TUNNEL_GRE, &outer4, &inner, &at);
	ktap(!pass(packet, len, 0, &cqe), "an entry matches the inner protocol");
	inner.proto = 6;
	len = make_packet(packet, &inner);
	ktap(!pass(packet, len, 0, &cqe), "a packet that is no tunnel does not match");
	wrong_begin();
	ktap(create_hash_tir(b, rqtn, fields, fields, &tirn) == PRM_STATUS_BAD_PARAM,
	     "a hash of both is refused");
	wrong_expect("two hashes",
		     "* selected_fields 0x*f and inner ones 0x*f: there is one hash");
	tear_down();
}

/* ---- refusals ---- */

static void test_wrong_flags(void)
{
	const struct prm_cqe64 *cqe;
	uint8_t packet[2048];
	uint32_t len, at;

	set_up(true);
	wrong_begin();
	outer4.dport = OTHER_PORT;
	len = make_tunnel(packet, TUNNEL_VXLAN, &outer4, &inner, &at);
	ktap(!pass(packet, len, CSUM_FLAGS, &cqe), "inner checksums with an unknown port fail");
	wrong_expect("an unknown port",
		     "SQ 0x*: send WQE 0: inner checksums, but the card sees no tunnel (0x70)");
	tear_down();
	set_up(true);
	inner.proto = 1;
	len = make_tunnel(packet, TUNNEL_VXLAN, &outer4, &inner, &at);
	wrong_begin();
	ktap(!pass(packet, len, CSUM_FLAGS, &cqe), "an inner checksum of ICMP fails");
	wrong_expect("ICMP in a tunnel",
		     "SQ 0x*: send WQE 0: an inner checksum of neither TCP nor UDP (0x70)");
	tear_down();
}

static bool inner_group_refused(struct dut *dut)
{
	struct prm_create_flow_group_in group = {};
	struct prm_create_flow_group_out out;

	prm_set(&group, table_id, dut_table(dut, 0, 0, 0));
	prm_set(&group, match_criteria_enable, PRM_MATCH_INNER);
	prm_set(&group, match_criteria.inner_headers.ip_version, 0xf);
	return dut_cmd(dut, create_flow_group, &group, &out) == PRM_STATUS_BAD_PARAM;
}

/* A card that knows none. */
static void test_old_card(void)
{
	struct dut *old = dut_create_card("a", 0, card_find("cx4", 3));
	struct prm_create_tir_in in = {};
	struct prm_create_tir_out out;

	wrong_begin();
	ktap(add_port(old, OTHER_PORT) == PRM_STATUS_BAD_OP, "an old card takes no ports");
	wrong_expect("a port", "* refused, *, syndrome 0x*: VXLAN is not advertised");
	rq = dut_create_rq(old, 4, 6, NULL);
	prm_set(&in, ctx.inline_rqn, rq.num);
	prm_set(&in, ctx.transport_domain, old->td);
	prm_set(&in, ctx.tunneled_offload_en, 1);
	wrong_begin();
	ktap(dut_cmd(old, create_tir, &in, &out) == PRM_STATUS_BAD_PARAM,
	     "an old card's TIRs do not look into tunnels");
	wrong_expect("a TIR",
		     "* tunneled_offload_en is set (0x1), but tunnels are not advertised");
	ktap(inner_group_refused(old), "an old card's flow tables do not match what is in them");
	dut_destroy(old);
}

/* It sends nothing with flags of inner checksums. */
static void test_old_flags(void)
{
	struct dut *old = dut_create_card("a", 0, card_find("cx4", 3));
	struct dut_wq old_sq = dut_create_sq(old, 4, NULL);
	uint8_t *wqe = dut_wqe(old, &old_sq, PRM_WQE_SEND, 4, PRM_WQE_CE_ALWAYS);

	((struct prm_wqe_eth_seg *)(wqe + 16))->cs_flags = PRM_WQE_ETH_L4_INNER_CSUM;
	wrong_begin();
	dut_ring(old, &old_sq, 1);
	dut_run();
	wrong_expect("inner checksums on an old card",
		     "SQ 0x*: send WQE 0: cs_flags that are not advertised (0x20)");
	dut_destroy(old);
}

int main(void)
{
	unsigned int i;

	ktap_plan(0);
	wrong_open_here(ktap);
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		one_checksum(&cases[i]);
	test_wrong_sums();
	test_gre_options();
	test_no_tunnel();
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		one_lso(&cases[i]);
	test_lso_errors();
	test_ports();
	test_inner_rss();
	test_wrong_flags();
	test_old_card();
	test_old_flags();
	wrong_close();
	return ktap_end();
}
