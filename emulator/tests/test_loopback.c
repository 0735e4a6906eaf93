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

int main(void)
{
	ktap_plan(18);
	test_loopback();
	test_reset();
	test_sums();
	test_hosts();
	return ktap_end();
}
