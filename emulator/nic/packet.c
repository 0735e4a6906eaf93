// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Packet parsing: headers, checksums, the RSS hash, the fields that flow tables match. */
#include <string.h>

#include "nic/nic.h"
#include "prm/cqe.h"

#define IPPROTO_HOPOPTS 0
#define IPPROTO_TCP 6
#define IPPROTO_UDP 17
#define IPPROTO_ROUTING 43
#define IPPROTO_FRAGMENT 44
#define IPPROTO_DSTOPTS 60
#define TCP_FIN 0x01
#define TCP_PSH 0x08
#define TCP_CWR 0x80
#define MAX_TAGS 2
#define MAX_EXTENSIONS 8

/* Keeps l4 only if the whole fixed part of the header is there. */
static void parse_l4(struct eth_packet *packet, uint32_t at)
{
	uint32_t need = packet->proto == IPPROTO_TCP ? 20 : packet->proto == IPPROTO_UDP ? 8 : 0;

	if (at < packet->len)
		packet->payload = at;
	if (need && at + need <= packet->len)
		packet->l4 = at;
}

static void parse_ipv4(struct eth_packet *packet, uint32_t at)
{
	const uint8_t *ip = packet->data + at;
	uint32_t ihl, total;

	if (at + 20 > packet->len || ip[0] >> 4 != 4)
		return;
	ihl = (ip[0] & 0xf) * 4;
	if (ihl < 20 || at + ihl > packet->len)
		return;

	total = get16(ip + 2);
	packet->l3 = at;
	packet->ip_version = 4;
	packet->proto = ip[9];
	packet->frag = get16(ip + 6) & 0x3fff;
	packet->len_ok = total >= ihl && at + total <= packet->len;
	packet->end = packet->len_ok ? at + total : packet->len;
	if (!(get16(ip + 6) & 0x1fff))
		parse_l4(packet, at + ihl);
}

static void parse_ipv6(struct eth_packet *packet, uint32_t at)
{
	const uint8_t *ip = packet->data + at;
	bool first = true;
	uint32_t total;
	int i;

	if (at + 40 > packet->len || ip[0] >> 4 != 6)
		return;

	total = 40 + get16(ip + 4);
	packet->l3 = at;
	packet->ip_version = 6;
	packet->proto = ip[6];
	packet->len_ok = at + total <= packet->len;
	packet->end = packet->len_ok ? at + total : packet->len;

	at += 40;
	for (i = 0; i < MAX_EXTENSIONS; i++) {
		if (packet->proto != IPPROTO_HOPOPTS && packet->proto != IPPROTO_ROUTING &&
		    packet->proto != IPPROTO_DSTOPTS && packet->proto != IPPROTO_FRAGMENT)
			break;
		if (at + 8 > packet->len)
			return;
		if (packet->proto == IPPROTO_FRAGMENT) {
			packet->frag = true;
			first = !(get16(packet->data + at + 2) & 0xfff8);
			packet->proto = packet->data[at];
			at += 8;
			continue;
		}
		packet->proto = packet->data[at];
		at += 8 + packet->data[at + 1] * 8;
	}
	if (first)
		parse_l4(packet, at);
}

static void begin(struct eth_packet *packet, const uint8_t *data, uint32_t len)
{
	memset(packet, 0, sizeof(*packet));
	packet->data = data;
	packet->len = len;
	packet->end = len;
}

void packet_parse_ip(struct eth_packet *packet, const uint8_t *data, uint32_t at, uint32_t len,
		     uint16_t ethertype)
{
	begin(packet, data, len);
	packet->ethertype = ethertype;
	if (ethertype == ETH_P_IP)
		parse_ipv4(packet, at);
	else if (ethertype == ETH_P_IPV6)
		parse_ipv6(packet, at);
}

void packet_parse_at(struct eth_packet *packet, const uint8_t *data, uint32_t at, uint32_t len)
{
	int tags;

	begin(packet, data, len);
	if (at + 14 > len)
		return;

	at += 12;
	packet->ethertype = get16(data + at);
	for (tags = 0; tags < MAX_TAGS; tags++) {
		if ((packet->ethertype != ETH_P_8021Q && packet->ethertype != ETH_P_8021AD) ||
		    at + 6 > len)
			break;
		if (!packet->first_tag) {
			packet->first_tag = packet->ethertype;
			packet->tci = get16(data + at + 2);
		}
		if (!packet->c_tag && packet->ethertype == ETH_P_8021Q)
			packet->c_tag = at;
		at += 4;
		packet->ethertype = get16(data + at);
	}

	if (packet->ethertype == ETH_P_IP)
		parse_ipv4(packet, at + 2);
	else if (packet->ethertype == ETH_P_IPV6)
		parse_ipv6(packet, at + 2);
}

void packet_parse(struct eth_packet *packet, const uint8_t *data, uint32_t len)
{
	packet_parse_at(packet, data, 0, len);
}

/* ---- checksums ---- */

/* To 32 bits, and a carry. */
static uint64_t fold32(uint64_t sum)
{
	return (sum >> 32) + (uint32_t)sum;
}

/* With the carry carried around. */
static uint64_t add64(uint64_t sum, uint64_t word)
{
	sum += word;
	return sum + (sum < word);
}

/*
 * The sum does not depend on the order of bytes, but for its own: words of the machine will do, and
 * longer ones. Two sums do not wait for each other.
 */
uint64_t csum_add(uint64_t sum, const void *data, size_t len)
{
	uint64_t one = 0, two = 0, word[2];
	const uint8_t *p = data;
	uint32_t half;

	for (; len >= sizeof(word); p += sizeof(word), len -= sizeof(word)) {
		memcpy(word, p, sizeof(word));
		one = add64(one, word[0]);
		two = add64(two, word[1]);
	}
	one = add64(one, two);
	if (len & 8) {
		memcpy(word, p, sizeof(word[0]));
		one = add64(one, word[0]);
		p += sizeof(word[0]);
	}
	if (len & 4) {
		memcpy(&half, p, sizeof(half));
		one = add64(one, half);
		p += sizeof(half);
	}
	sum += fold32(be64toh(one));
	if (len & 2)
		sum += get16(p);
	return len & 1 ? sum + (p[len & 2] << 8) : sum;
}

/* Each step leaves at most a carry to the next one. */
uint16_t csum_fold(uint64_t sum)
{
	sum = fold32(sum);
	sum = (sum >> 16) + (sum & 0xffff);
	sum = (sum >> 16) + (sum & 0xffff);
	return (sum >> 16) + (sum & 0xffff);
}

uint64_t packet_pseudo_sum(const struct eth_packet *packet, uint32_t l4_len)
{
	const uint8_t *ip = packet->data + packet->l3;
	uint64_t sum;

	if (packet->ip_version == 4)
		sum = (uint64_t)get32(ip + 12) + get32(ip + 16);
	else
		sum = csum_add(0, ip + 8, 32);
	return sum + packet->proto + l4_len;
}

uint64_t packet_l3_sum(const struct eth_packet *packet)
{
	const uint8_t *ip = packet->data + packet->l3;

	return packet->ip_version == 4 ? csum_add(0, ip, (ip[0] & 0xf) * 4) : 0;
}

bool packet_l3_ok(const struct eth_packet *packet, uint64_t l3_sum)
{
	if (!packet->l3 || !packet->len_ok)
		return false;
	return packet->ip_version == 6 || csum_fold(l3_sum) == 0xffff;
}

uint64_t packet_l4_sum(const struct eth_packet *packet)
{
	if (!packet->l4 || packet->l4 > packet->end)
		return 0;
	return csum_add(0, packet->data + packet->l4, packet->end - packet->l4);
}

bool packet_l4_ok(const struct eth_packet *packet, uint64_t l4_sum)
{
	uint32_t len;

	if (!packet->l4 || !packet->len_ok || packet->frag || packet->l4 > packet->end)
		return false;

	len = packet->end - packet->l4;
	if (packet->proto == IPPROTO_UDP) {
		uint16_t udp_len = get16(packet->data + packet->l4 + 4);

		if (udp_len < 8 || udp_len > len)
			return false;
		if (!get16(packet->data + packet->l4 + 6))
			return packet->ip_version == 4;
		/* what follows it is no part of it */
		if (udp_len < len)
			l4_sum = csum_add(0, packet->data + packet->l4, udp_len);
		len = udp_len;
	} else if (len < 20) {
		return false;
	}

	return csum_fold(packet_pseudo_sum(packet, len) + l4_sum) == 0xffff;
}

/*
 * @sum: with what is at @at, which is taken off it. To store a zero there first would have the
 * sum's loads wait for it. In UDP 0 means "no checksum"; all ones is the same sum.
 */
static void set_csum(uint8_t *at, uint64_t sum, bool udp)
{
	uint16_t csum = ~csum_fold(sum + (uint16_t)~get16(at));

	put16(at, !csum && udp ? 0xffff : csum);
}

void packet_set_l3_csum(uint8_t *data, const struct eth_packet *packet)
{
	uint8_t *ip = data + packet->l3;

	if (packet->ip_version != 4)
		return;
	set_csum(ip + 10, csum_add(0, ip, (ip[0] & 0xf) * 4), false);
}

void packet_set_l4_csum(uint8_t *data, const struct eth_packet *packet, uint32_t end)
{
	uint32_t at = packet->l4 + (packet->proto == IPPROTO_TCP ? 16 : 6);
	uint32_t len = end - packet->l4;

	if (!packet->l4 || end < at + 2)
		return;

	set_csum(data + at, csum_add(packet_pseudo_sum(packet, len), data + packet->l4, len),
		 packet->proto == IPPROTO_UDP);
}

/* ---- RSS ---- */

/* A bit that is set in the input adds the 32 bits of the key from the bit of its place on. */
void toeplitz_prepare(struct toeplitz *hash, const uint8_t key[40])
{
	unsigned int i, bit, value;
	uint32_t window;

	memset(hash, 0, sizeof(*hash));
	for (i = 0; i < 8 * TOEPLITZ_BYTES; i++) {
		const uint8_t *p = key + i / 8;

		window = (uint32_t)(((uint64_t)get32(p) << 8 | p[4]) >> (8 - i % 8));
		bit = 8 >> i % 4;
		for (value = 0; value < 16; value++)
			if (value & bit)
				hash->adds[i / 4][value] ^= window;
	}
}

/* Of whole words: zeros add nothing. */
static uint32_t toeplitz_hash(const struct toeplitz *toeplitz, const uint8_t *input, size_t len)
{
	const uint32_t(*adds)[16];
	uint32_t hash = 0, word;
	size_t i;

	for (i = 0; i < len; i += sizeof(word)) {
		adds = &toeplitz->adds[2 * i];
		word = get32(input + i);
		hash ^= adds[0][word >> 28] ^ adds[1][word >> 24 & 0xf] ^
			adds[2][word >> 20 & 0xf] ^ adds[3][word >> 16 & 0xf] ^
			adds[4][word >> 12 & 0xf] ^ adds[5][word >> 8 & 0xf] ^
			adds[6][word >> 4 & 0xf] ^ adds[7][word & 0xf];
	}
	return hash;
}

/* The symmetric hash puts the smaller of two addresses, and of two ports, first. */
static void order_pair(uint8_t *a, uint8_t *b, size_t len)
{
	uint8_t tmp[16];

	if (memcmp(a, b, len) <= 0)
		return;
	memcpy(tmp, a, len);
	memcpy(a, b, len);
	memcpy(b, tmp, len);
}

/* A selector is for one version of IP, and its ports are those of one protocol. */
static bool selects_l3(const struct prm_rx_hash_field_select *select,
		       const struct eth_packet *packet)
{
	bool ipv6 = prm_get(select, l3_prot_type) == PRM_RX_HASH_IPV6;

	return packet->l3 && packet->ip_version == (ipv6 ? 6 : 4);
}

static bool selects_l4(const struct prm_rx_hash_field_select *select,
		       const struct eth_packet *packet)
{
	bool udp = prm_get(select, l4_prot_type) == PRM_RX_HASH_UDP;

	return packet->l4 && !packet->frag && packet->proto == (udp ? IPPROTO_UDP : IPPROTO_TCP);
}

static struct rss hash_headers(const struct eth_packet *packet, const struct prm_tirc *tirc,
			       const struct toeplitz *toeplitz,
			       const struct prm_rx_hash_field_select *select)
{
	unsigned int ip_len = packet->ip_version == 6 ? 16 : 4, fn = prm_get(tirc, rx_hash_fn),
		     fields = prm_get(select, selected_fields), len = 0;
	const uint8_t *ip = packet->data + packet->l3 + (packet->ip_version == 6 ? 8 : 12);
	uint8_t input[TOEPLITZ_BYTES];
	struct rss rss = {};

	if (!selects_l3(select, packet) || !fields || !fn)
		return rss;

	if (packet->ip_version == 6)
		memcpy(input, ip, 32);
	else
		memcpy(input, ip, 8);
	if ((fields & (PRM_RX_HASH_SRC_IP | PRM_RX_HASH_DST_IP)) ==
	    (PRM_RX_HASH_SRC_IP | PRM_RX_HASH_DST_IP)) {
		if (prm_get(tirc, rx_hash_symmetric))
			order_pair(input, input + ip_len, ip_len);
		len = 2 * ip_len;
	} else if (fields & (PRM_RX_HASH_SRC_IP | PRM_RX_HASH_DST_IP)) {
		if (fields & PRM_RX_HASH_DST_IP)
			memcpy(input, ip + ip_len, ip_len);
		len = ip_len;
	}
	if (len)
		/* source 1:0 and destination 3:2 */
		rss.type |= (packet->ip_version == 6 ? 2 : 1) * 5;

	if (selects_l4(select, packet) &&
	    (fields & (PRM_RX_HASH_L4_SPORT | PRM_RX_HASH_L4_DPORT))) {
		const uint8_t *ports = packet->data + packet->l4;
		bool both = (fields & PRM_RX_HASH_L4_SPORT) && (fields & PRM_RX_HASH_L4_DPORT);

		if (both)
			memcpy(input + len, ports, 4);
		else
			put32(input + len,
			      get16(ports + (fields & PRM_RX_HASH_L4_SPORT ? 0 : 2)) << 16);
		if (both && prm_get(tirc, rx_hash_symmetric))
			order_pair(input + len, input + len + 2, 2);
		len += both ? 4 : 2;
		rss.type |= (packet->proto == IPPROTO_TCP ? 1 : 2) * 0x50;
	}

	if (fn == PRM_RX_HASH_TOEPLITZ) {
		rss.hash = toeplitz_hash(toeplitz, input, len);
	} else if (fn == PRM_RX_HASH_XOR8) {
		unsigned int i;
		uint8_t x = 0xff;

		for (i = 0; i < len; i++)
			x ^= input[i];
		rss.hash = x;
	}
	return rss;
}

/* Of outer or of inner headers: a TIR selects fields of either. */
struct rss packet_rss(const struct eth_packet *packet, const struct prm_tirc *tirc,
		      const struct toeplitz *toeplitz)
{
	const struct prm_rx_hash_field_select *outer, *inner;

	outer = prm_sub_const(tirc, rx_hash_field_selector_outer, rx_hash_field_select);
	inner = prm_sub_const(tirc, rx_hash_field_selector_inner, rx_hash_field_select);
	if (!prm_get(inner, selected_fields))
		return hash_headers(packet, tirc, toeplitz, outer);
	return packet->inner ? hash_headers(packet->inner, tirc, toeplitz, inner) : (struct rss){};
}

/* ---- fields for steering ---- */

static void match_ip(const struct eth_packet *packet, struct prm_fte_match_set_lyr_2_4 *set)
{
	const uint8_t *ip = packet->data + packet->l3;
	uint8_t tclass;

	prm_set(set, ip_version, packet->ip_version);
	prm_set(set, ip_protocol, packet->proto);
	prm_set(set, frag, packet->frag);
	if (packet->ip_version == 4) {
		tclass = ip[1];
		prm_set(set, ipv4_ihl, ip[0] & 0xf);
		prm_set(set, ttl_hoplimit, ip[8]);
		memcpy(prm_bytes(set, src_ipv4_src_ipv6.ipv4_layout.ipv4), ip + 12, 4);
		memcpy(prm_bytes(set, dst_ipv4_dst_ipv6.ipv4_layout.ipv4), ip + 16, 4);
	} else {
		tclass = (ip[0] << 4 | ip[1] >> 4) & 0xff;
		prm_set(set, ttl_hoplimit, ip[7]);
		memcpy(prm_bytes(set, src_ipv4_src_ipv6.ipv6_layout.ipv6), ip + 8, 16);
		memcpy(prm_bytes(set, dst_ipv4_dst_ipv6.ipv6_layout.ipv6), ip + 24, 16);
	}
	prm_set(set, ip_dscp, tclass >> 2);
	prm_set(set, ip_ecn, tclass & 3);
}

void packet_match_set(const struct eth_packet *packet, struct prm_fte_match_set_lyr_2_4 *set)
{
	const uint8_t *l4 = packet->data + packet->l4;

	memset(set, 0, sizeof(*set));
	prm_set(set, dmac_47_16, get32(packet->data));
	prm_set(set, dmac_15_0, get16(packet->data + 4));
	prm_set(set, smac_47_16, get32(packet->data + 6));
	prm_set(set, smac_15_0, get16(packet->data + 10));
	prm_set(set, ethertype, packet->ethertype);
	if (packet->first_tag) {
		prm_set(set, cvlan_tag, packet->first_tag == ETH_P_8021Q);
		prm_set(set, svlan_tag, packet->first_tag == ETH_P_8021AD);
		prm_set(set, first_prio, packet->tci >> 13);
		prm_set(set, first_cfi, packet->tci >> 12 & 1);
		prm_set(set, first_vid, packet->tci & 0xfff);
	}
	if (packet->l3)
		match_ip(packet, set);
	if (packet->l4 && packet->proto == IPPROTO_TCP) {
		prm_set(set, tcp_sport, get16(l4));
		prm_set(set, tcp_dport, get16(l4 + 2));
		prm_set(set, tcp_flags, get16(l4 + 12) & 0x1ff);
	} else if (packet->l4) {
		prm_set(set, udp_sport, get16(l4));
		prm_set(set, udp_dport, get16(l4 + 2));
	}
}

/* ---- segments of LSO ---- */

/*
 * Fixes up lengths and IP identification of an LSO segment; of a tunnel, of one of its levels. The
 * length in the UDP header is that of a tunnel's: datagrams have it from their driver.
 */
static void patch_lengths(uint8_t *data, const struct eth_packet *packet, uint32_t n,
			  unsigned int nr)
{
	uint8_t *ip = data + packet->l3, *l4 = data + packet->l4;
	uint32_t total = packet->len - packet->l3 + n;
	uint16_t be;

	if (packet->ip_version == 4) {
		be = htobe16(total);
		memcpy(ip + 2, &be, 2);
		be = htobe16(((ip[4] << 8 | ip[5]) + nr) & 0xffff);
		memcpy(ip + 4, &be, 2);
	} else {
		be = htobe16(total - 40);
		memcpy(ip + 4, &be, 2);
	}

	if (packet->inner && packet->l4) {
		be = htobe16(packet->len - packet->l4 + n);
		memcpy(l4 + 4, &be, 2);
	}
}

void packet_set_segment(uint8_t *data, const struct eth_packet *packet, uint32_t n, uint32_t off,
			bool first, bool last, unsigned int nr)
{
	const struct eth_packet *inner = packet->inner ?: packet;
	uint8_t *l4 = data + inner->l4;
	uint32_t seq;

	patch_lengths(data, packet, n, nr);
	if (packet->inner)
		patch_lengths(data, inner, n, nr);
	if (inner->proto != IPPROTO_TCP)
		return;
	memcpy(&seq, l4 + 4, 4);
	seq = htobe32(be32toh(seq) + off);
	memcpy(l4 + 4, &seq, 4);
	if (!last)
		l4[13] &= ~(TCP_FIN | TCP_PSH);
	if (!first)
		l4[13] &= ~TCP_CWR;
}
