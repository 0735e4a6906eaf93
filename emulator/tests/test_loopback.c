// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Which frames are for a function: what it sends itself, and what is for other hosts. */
#include <string.h>

#include "dut.h"
#include "prm/caps.h"
#include "prm/vport.h"
#include "vfu_client.h"

static struct dut *a, *b;
static struct dut_wq sq, rq; /* a sends, b receives everything */

static void set_up(void)
{
	a = dut_create("a", 0);
	b = dut_create("b", 1);
	dut_run();
	sq = dut_create_sq(a, 6, NULL);
	rq = dut_create_rq(b, 4, 6, NULL);
	dut_receive_all(b, dut_direct_tir(b, rq.num));
}

static void tear_down(void)
{
	dut_run();
	dut_destroy(a);
	dut_destroy(b);
}

static uint32_t other_td(struct dut *dut)
{
	struct prm_alloc_transport_domain_in in = {};
	struct prm_alloc_transport_domain_out out;

	dut_must(dut, alloc_transport_domain, &in, &out);
	return prm_get(&out, transport_domain);
}

/* Does @own hear what its function sends to its own MAC, or to a group? */
static bool hears(struct dut_wq *own, bool group)
{
	struct flow flow = tcp4;
	uint8_t packet[256];

	memcpy(flow.dmac, group ? (const uint8_t *)"\x01\x00\x5e\x01\x02\x03" : flow.smac, 6);
	dut_post_rq(a, own, 2048);
	dut_send(a, &sq, packet, make_packet(packet, &flow), 0);
	return dut_poll(a, &own->cq);
}

static void test_loopback(void)
{
	uint32_t td, tir;
	struct dut_wq own;

	set_up();
	own = dut_create_rq(a, 4, 4, NULL);
	tir = dut_direct_tir(a, own.num);
	dut_receive_all(a, tir);
	ktap(!hears(&own, false) && a->dev->eth->counters.rx_loopback_blocked == 1,
	     "a TIR does not hear its own transport domain");
	ktap(!hears(&own, true), "nor its multicast");
	dut_tir_hears(a, tir, PRM_TIR_SELF_UNICAST);
	ktap(hears(&own, false) && !dut_poll(b, &rq.cq),
	     "self_lb_block allows unicast, which is only looped back");
	ktap(!hears(&own, true), "but not multicast");
	dut_tir_hears(a, tir, PRM_TIR_SELF_MULTICAST);
	dut_post_rq(b, &rq, 4096);
	ktap(hears(&own, true) && dut_poll(b, &rq.cq),
	     "self_lb_block allows multicast, which others hear, too");
	ktap(!hears(&own, false), "but not unicast");
	a->dev->eth->block_mc = true;
	ktap(!hears(&own, true), "the vport blocks what the TIR allows");
	tear_down();

	set_up();
	own = dut_create_rq(a, 4, 4, NULL);
	td = a->td;
	a->td = other_td(a);
	tir = dut_direct_tir(a, own.num);
	a->td = td;
	dut_receive_all(a, tir);
	ktap(hears(&own, false), "a TIR hears another transport domain");
	ktap(hears(&own, true), "and its multicast");
	a->dev->eth->block_uc = true;
	ktap(!hears(&own, false), "the vport blocks loopback to another transport domain");
	eth_state_reset(a->dev);
	ktap(a->dev->eth->block_uc && !a->dev->eth->block_mc,
	     "the loopback switches of the vport outlive a reset");
	tear_down();
}

static const struct prm_cqe64 *sent_to(const uint8_t *mac)
{
	struct flow flow = tcp4;
	uint8_t packet[256];

	memcpy(flow.dmac, mac, 6);
	dut_post_rq(b, &rq, 2048);
	dut_send(a, &sq, packet, make_packet(packet, &flow), 0);
	return dut_poll(b, &rq.cq);
}

/* A card that serves several hosts. */
static void test_hosts(void)
{
	struct prm_set_l2_table_entry_in in = {};
	struct prm_set_l2_table_entry_out out;
	static const uint8_t group[6] = { 1, 0, 0x5e, 1, 2, 3 };

	set_up();
	prm_set((struct prm_cmd_hca_cap *)b->dev->hca->cap_cur[CAP_GENERAL], log_max_l2_table, 3);
	ktap(!sent_to(tcp4.dmac) && b->dev->eth->counters.rx_other_host == 1,
	     "unicast without an entry in the MPFS is not for this host");
	ktap(sent_to(group), "multicast needs no entry");
	prm_set(&in, table_index, 7);
	memcpy(prm_bytes(&in, mac_address.mac_addr_47_32), tcp4.dmac, 6);
	dut_must(b, set_l2_table_entry, &in, &out);
	ktap(sent_to(tcp4.dmac), "unicast with an entry is received");
	tear_down();
}

/* What was posted before a reset is not what is posted after it. */
static void test_reset(void)
{
	struct flow flow = tcp4;
	uint8_t packet[256];
	uint32_t len = make_packet(packet, &flow);
	unsigned int i;

	set_up();
	for (i = 0; i < 3; i++)
		dut_post_rq(b, &rq, 2048);
	dut_send(a, &sq, packet, len, 0);
	ktap(dut_poll(b, &rq.cq), "an RQ takes the first of three WQEs");
	dut_modify_rq(b, rq.num, PRM_WQ_RDY, PRM_WQ_ERR);
	dut_store(b, rq.dbr, 0);
	dut_check(dut_modify_rq(b, rq.num, PRM_WQ_ERR, PRM_WQ_RST), "modify_rq");
	dut_check(dut_modify_rq(b, rq.num, PRM_WQ_RST, PRM_WQ_RDY), "modify_rq");
	while (dut_poll(b, &rq.cq))
		;
	dut_send(a, &sq, packet, len, 0);
	ktap(!dut_poll(b, &rq.cq) && b->dev->eth->counters.rx_no_buffer == 1,
	     "after a reset none of the others");
	rq.pi = 0;
	dut_post_rq(b, &rq, 2048);
	dut_send(a, &sq, packet, len, 0);
	ktap(dut_poll(b, &rq.cq), "but what is posted then");
	tear_down();
}

/* By the words of RFC 1071, one after the other. */
static uint16_t plain_sum(const uint8_t *p, size_t len)
{
	uint32_t sum = 0;
	size_t i;

	for (i = 0; i < len; i++)
		sum += i & 1 ? p[i] : p[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static void test_sums(void)
{
	bool equal = true, equal_high = true;
	uint8_t data[192];
	size_t at, len;
	unsigned int i;

	for (i = 0; i < sizeof(data); i++)
		data[i] = i * 167 + i / 3;
	for (at = 0; at < 16; at++)
		for (len = 0; len < sizeof(data) - at; len++)
			equal = equal && csum_fold(csum_add(0, data + at, len)) ==
						 plain_sum(data + at, len);
	/* all words carry */
	memset(data, 0xff, sizeof(data));
	data[sizeof(data) / 2] = 0xfe;
	for (len = 0; len < sizeof(data); len++)
		equal_high = equal_high &&
			     csum_fold(csum_add(0, data, len)) == plain_sum(data, len);
	ktap(equal && equal_high, "sums of all lengths from all places are as word by word");
}

/* Its IP packet has 40 bytes more, which its checksum does not cover, but that of the CQE does. */
static void test_short_datagram(void)
{
	const struct prm_cqe64 *cqe;
	struct flow flow = tcp4;
	uint8_t packet[256], pseudo[12] = {}, *udp = packet + 34;
	uint32_t len, sum;

	set_up();
	flow.proto = 17;
	flow.payload = 101;
	len = make_packet(packet, &flow);
	udp[4] = 0;
	udp[5] = 8 + 61;
	memcpy(pseudo, flow.src, 4);
	memcpy(pseudo + 4, flow.dst, 4);
	pseudo[9] = 17;
	pseudo[11] = 8 + 61;
	sum = plain_sum(udp, 8 + 61) + plain_sum(pseudo, sizeof(pseudo));
	sum = ~((sum & 0xffff) + (sum >> 16)) & 0xffff;
	udp[6] = sum >> 8;
	udp[7] = sum & 0xff;
	dut_post_rq(b, &rq, 2048);
	dut_send(a, &sq, packet, len, PRM_WQE_ETH_L3_CSUM);
	cqe = dut_poll(b, &rq.cq);
	ktap(cqe && cqe->hds_ip_ext & PRM_CQE_L4_OK,
	     "a UDP datagram that is shorter than its IP packet has a right checksum");
	/* the IP header's own sum is all ones */
	ktap(cqe && be16toh(cqe->check_sum) == plain_sum(udp, len - 34),
	     "and its CQE the sum of the whole IP packet");
	tear_down();
}

static uint32_t hash_of_one(void)
{
	const struct prm_cqe64 *cqe;
	uint8_t packet[256];

	dut_post_rq(b, &rq, 2048);
	dut_send(a, &sq, packet, make_packet(packet, &tcp4), 0);
	cqe = dut_poll(b, &rq.cq);
	return cqe ? be32toh(cqe->rss_hash_result) : 0;
}

static void test_new_key(void)
{
	struct prm_create_tir_in in = {};
	struct prm_create_tir_out out;
	struct prm_modify_tir_in modify = {};
	struct prm_modify_tir_out modified;
	struct prm_tirc *ctx = prm_sub(&in, ctx, tirc);
	uint32_t first, second;

	set_up();
	prm_set(ctx, disp_type, PRM_TIR_DIRECT);
	prm_set(ctx, inline_rqn, rq.num);
	prm_set(ctx, transport_domain, b->td);
	prm_set(ctx, rx_hash_fn, PRM_RX_HASH_TOEPLITZ);
	prm_set(ctx, rx_hash_field_selector_outer.selected_fields, PRM_RX_HASH_DST_IP);
	memset(prm_bytes(ctx, rx_hash_toeplitz_key), 0x35, 40);
	dut_must(b, create_tir, &in, &out);
	dut_receive_all(b, prm_get(&out, tirn));
	first = hash_of_one();
	prm_set(&modify, tirn, prm_get(&out, tirn));
	prm_set(&modify, bitmask.hash, 1);
	*prm_sub(&modify, ctx, tirc) = *ctx;
	memset(prm_bytes(&modify, ctx.rx_hash_toeplitz_key), 0x53, 40);
	dut_must(b, modify_tir, &modify, &modified);
	second = hash_of_one();
	ktap(first && second && first != second,
	     "a TIR hashes by the key that it was modified to have");
	tear_down();
}

int main(void)
{
	ktap_plan(21);
	test_loopback();
	test_reset();
	test_sums();
	test_short_datagram();
	test_new_key();
	test_hosts();
	return ktap_end();
}
