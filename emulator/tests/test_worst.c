// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The worst that a guest can ask for with commands and Ethernet queues: what one callback does, and
 * the host's memory, stay bounded.
 */
#include <stdlib.h>
#include <string.h>

#include "dut.h"
#include "ktap.h"

static struct dut *a;

/* ---- pages ---- */

#define PAGES_MANY (1u << 17)
#define PAGES_LIMIT (1u << 18)
#define PAGES_A_COMMAND (1u << 16)

/* Pages in no order: each number below 2^26 gives another one. */
static uint64_t page_address(uint32_t i)
{
	uint32_t n = i ^ i >> 9;

	n = n * 0x2c1b3c6du & 0x3ffffff;
	return 0x4000000000ull + ((uint64_t)(n ^ n >> 13) << 12);
}

static int give(uint32_t first, uint32_t n)
{
	struct prm_manage_pages_in in = {};
	struct prm_manage_pages_out out;
	uint8_t *list = malloc(8 * n);
	uint32_t i;
	int status;

	prm_set(&in, op_mod, 1);
	prm_set(&in, input_num_entries, n);
	for (i = 0; i < n; i++)
		put64(list + 8 * i, page_address(first + i));
	status = dut_cmd_tail(a, manage_pages, &in, &out, list, 8 * n);
	free(list);
	return status;
}

/* The pages that come back; their number. */
static uint32_t take(uint8_t *out, size_t room, uint32_t n)
{
	struct prm_manage_pages_in in = {};

	prm_set(&in, op_mod, 2);
	prm_set(&in, input_num_entries, n);
	dut_check(dut_exec(a, PRM_OP_manage_pages, &in, sizeof(in), out, room), "manage_pages");
	return prm_get((struct prm_manage_pages_out *)out, output_num_entries);
}

static void test_pages(void)
{
	size_t room = sizeof(struct prm_manage_pages_out) + 8 * PAGES_A_COMMAND;
	uint8_t *out = malloc(room);
	uint32_t given, n, i;
	bool right = true;
	double t = cpu_seconds();

	for (given = 0; given < PAGES_MANY && !give(given, PAGES_A_COMMAND);)
		given += PAGES_A_COMMAND;
	t = cpu_seconds() - t;
	printf("# %u pages: %.3f s\n", given, t);
	ktap(given == PAGES_MANY && t < 2, "giving many pages takes no time worth mentioning");
	ktap(give(given - 1, 2) == PRM_STATUS_BAD_PARAM && give(0, 1) == PRM_STATUS_BAD_PARAM,
	     "a page that was given is refused among many");
	n = take(out, room, PAGES_A_COMMAND);
	for (i = 0; i < n; i++)
		right &= get64(out + sizeof(struct prm_manage_pages_out) + 8 * i) ==
			 page_address(given - 1 - i);
	ktap(n == PAGES_A_COMMAND && right, "what comes back are the pages that were given last");
	for (i = 0; i < given - n; i += 16)
		right &= give(i, 1) == PRM_STATUS_BAD_PARAM;
	ktap(right && !give(given - n, n), "they can be given again, and no others");
	for (; given < PAGES_LIMIT && !give(given, PAGES_A_COMMAND);)
		given += PAGES_A_COMMAND;
	ktap(given == PAGES_LIMIT && give(given, 1) == PRM_STATUS_NO_RES,
	     "the card takes a limited number of pages");
	free(out);
}

/* ---- values that are chosen for a hash ---- */

#define CHOSEN 40000u

/* Whose products with the golden ratio are small: the upper bits are the same, and easy to hit. */
static uint64_t next_chosen(uint64_t *product)
{
	uint64_t inverse = 0xf1de83e19937733dull, page;

	do {
		++*product;
		page = *product * inverse;
	} while (page >> 52);
	return page << 12;
}

static void test_chosen_pages(void)
{
	struct prm_manage_pages_in in = {};
	struct prm_manage_pages_out out;
	uint8_t *list = malloc(8 * CHOSEN);
	uint64_t product = 0;
	uint32_t i;
	double t;

	prm_set(&in, op_mod, 1);
	prm_set(&in, input_num_entries, CHOSEN);
	for (i = 0; i < CHOSEN; i++)
		put64(list + 8 * i, next_chosen(&product));
	t = cpu_seconds();
	dut_check(dut_cmd_tail(a, manage_pages, &in, &out, list, 8 * CHOSEN), "manage_pages");
	t = cpu_seconds() - t;
	printf("# %u pages: %.3f s\n", CHOSEN, t);
	ktap(t < 0.5, "a guest cannot choose pages that are found slowly");
	free(list);
}

/* ---- LSO ---- */

#define LSO_BYTES 5000u

static uint64_t frames_sent(void)
{
	return port_counters(a->dev->port)->tx_frames;
}

/* One WQE whose @bytes are sent one in each frame; nothing runs yet. */
static void post_lso(struct dut_wq *sq, uint32_t bytes)
{
	struct flow flow = tcp4;
	uint8_t header[128], *wqe;
	struct prm_wqe_eth_seg *eseg;
	uint16_t at = sq->pi;
	unsigned int ds;
	uint32_t len;

	flow.payload = 0;
	len = make_packet(header, &flow);
	ds = 2 + (len - 2 + 15) / 16 + 1;
	wqe = dut_wqe(a, sq, PRM_WQE_LSO, ds, PRM_WQE_CE_ALWAYS);
	eseg = (void *)(wqe + 16);
	eseg->mss = htobe16(1);
	eseg->inline_hdr_sz = htobe16(len);
	memcpy(eseg->inline_hdr_start, header, len);
	dut_data_seg(a, (void *)(wqe + (ds - 1) * 16), dut_alloc(a, bytes), bytes);
	sq->pi += (ds + 3) / 4;
	dut_store(a, sq->dbr + 4, sq->pi);
	sq_doorbell(a->dev, a->uar, (uint64_t)at << 40 | sq->num << 8);
}

static bool count_frame(void *arg, const struct frame *frame)
{
	(void)frame;
	++*(uint64_t *)arg;
	return true;
}

/* So that the switch knows where @mac is. */
static void send_from(struct port *port, const uint8_t *mac)
{
	struct frame *frame = frame_alloc(60);

	memset(frame->data, 0, 60);
	frame->data[0] = 2;
	memcpy(frame->data + 6, mac, 6);
	port_send(port, frame);
	dut_run();
}

static void test_lso(void)
{
	struct dut_wq sq = dut_create_sq(a, 6, NULL);
	struct port *sink = port_create(NULL, "sink");
	uint64_t before = frames_sent(), most = 0, got = 0, step;
	bool more;

	port_set_sink(sink, count_frame, &got);
	send_from(sink, tcp4.dmac);
	post_lso(&sq, LSO_BYTES);
	do {
		step = frames_sent();
		more = loop_run_pending();
		step = frames_sent() - step;
		most = step > most ? step : most;
	} while (more);
	ktap(most <= LOOP_SLICE, "an LSO of many segments is sent in slices");
	ktap(frames_sent() - before == LSO_BYTES && got == LSO_BYTES &&
	     !port_counters(sink)->full,
	     "no segment of an LSO is lost, however many there are");
	ktap(dut_poll(a, &sq.cq) && !dut_poll(a, &sq.cq), "it gets one completion, at its end");

	port_hold(sink, true);
	post_lso(&sq, LSO_BYTES);
	for (step = 0; step < 1000; step++)
		loop_run_pending();
	ktap(!port_counters(sink)->full && !dut_poll(a, &sq.cq),
	     "an LSO waits for a receiver that is slow");
	port_hold(sink, false);
	dut_run();
	ktap(got == 2 * LSO_BYTES && dut_poll(a, &sq.cq), "it goes on when the receiver does");
	port_destroy(sink);
}

/* ---- slow receivers ---- */

#define SLOW_FRAMES 1500u

/* All of them from one place in memory. */
static void send_many(struct dut_wq *sq, const void *packet, uint32_t len, unsigned int n)
{
	uint64_t at = a->next;

	while (n--) {
		a->next = at;
		dut_send(a, sq, packet, len, 0);
	}
}

static void test_slow_receiver(void)
{
	static const uint8_t slow_mac[6] = { 2, 0, 0, 0, 0, 1 };
	static const uint8_t quick_mac[6] = { 2, 0, 0, 0, 0, 2 };
	struct dut_wq to_slow = dut_create_sq(a, 11, NULL), to_quick = dut_create_sq(a, 6, NULL);
	struct port *slow = port_create(NULL, "slow"), *quick = port_create(NULL, "quick");
	uint64_t at_slow = 0, at_quick = 0;
	struct flow flow = tcp4;
	uint8_t packet[512];
	uint32_t len;

	port_set_sink(slow, count_frame, &at_slow);
	port_set_sink(quick, count_frame, &at_quick);
	send_from(slow, slow_mac);
	send_from(quick, quick_mac);
	at_slow = 0;
	at_quick = 0;
	port_hold(slow, true);
	memcpy(flow.dmac, slow_mac, 6);
	len = make_packet(packet, &flow);
	send_many(&to_slow, packet, len, SLOW_FRAMES);
	ktap(!loop_run_pending(), "who waits for a slow receiver takes no time");
	memcpy(packet, quick_mac, 6);
	send_many(&to_quick, packet, len, 20);
	ktap(at_quick == 20 && !at_slow, "a receiver gets its frames beside a slow one");
	memcpy(packet, "\xff\xff\xff\xff\xff\xff", 6);
	send_many(&to_quick, packet, len, 1);
	ktap(at_quick == 21, "a broadcast does not wait for a slow receiver");
	port_hold(slow, false);
	dut_run();
	ktap(at_slow >= SLOW_FRAMES && !port_counters(slow)->full,
	     "a slow receiver gets all that was sent to it in the end");

	while (dut_poll(a, &to_slow.cq))
		;
	port_hold(slow, true);
	memcpy(packet, slow_mac, 6);
	send_many(&to_slow, packet, len, SLOW_FRAMES);
	at_quick = 0;
	send_from(quick, slow_mac);
	ktap(at_quick > 400, "an address that moves takes along who waits for it");
	port_destroy(slow);
	port_destroy(quick);
	dut_run();
}

/* ---- who waits ---- */

static unsigned int woken;

static void count_woken(struct work *work)
{
	(void)work;
	woken++;
}

/* Frames for a port that nothing drains now. */
static void fill_queue(struct port *from, const uint8_t *dmac)
{
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		struct frame *frame = frame_alloc(60);

		memset(frame->data, 2, 60);
		memcpy(frame->data, dmac, 6);
		port_send(from, frame);
	}
}

static void test_waiting(void)
{
	static const uint8_t slow_mac[6] = { 2, 0, 0, 0, 0, 1 };
	static const uint8_t all[6] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	struct port *slow = port_create(NULL, "slow"), *quick = port_create(NULL, "quick");
	uint64_t got = 0;
	struct work work;

	work_init(&work, count_woken);
	port_set_sink(slow, count_frame, &got);
	send_from(slow, slow_mac);
	fill_queue(quick, slow_mac);
	woken = port_may_send(a->dev->port, all, 0, 64, &work);
	port_hold(slow, true);
	loop_run_pending();
	ktap(woken == 1 && got <= 1,
	     "a broadcast that waits for a receiver goes on when that stands still");
	woken = port_may_send(a->dev->port, slow_mac, 0, 64, &work);
	loop_run_pending();
	ktap(!woken, "a frame to that receiver waits");
	port_cable(a->dev->port, quick);
	loop_run_pending();
	ktap(woken == 1, "it goes on when its port gets a cable to another one");
	port_uncable(a->dev->port);
	woken = port_may_send(a->dev->port, slow_mac, 0, 64, &work);
	port_destroy(slow);
	loop_run_pending();
	ktap(woken == 1, "it goes on when the receiver goes away");
	port_destroy(quick);
	dut_run();
}

/* ---- flow tables ---- */

#define ENTRIES 30000u
#define LOOKUPS 20000u
#define CHOSEN_ENTRIES 6000u
#define GROUPS 3000u

static struct tir *hit;

static void on_hit(struct tir *tir, const struct eth_packet *packet, uint32_t tag, void *arg)
{
	(void)packet;
	(void)tag;
	(void)arg;
	hit = tir;
}

static struct prm_fte_match_set_lyr_2_4 source(uint32_t n)
{
	struct prm_fte_match_set_lyr_2_4 value = {};

	prm_set(&value, smac_47_16, n + 1);
	return value;
}

/* The TIR that a packet from @n goes to; 0: none. */
static uint32_t lookup(uint32_t n)
{
	struct eth_packet packet;
	struct flow flow = tcp4;
	uint8_t data[512];
	uint32_t len;

	put32(flow.smac, n + 1);
	len = make_packet(data, &flow);
	packet_parse(&packet, data, len);
	hit = NULL;
	steer(a->dev, a->dev, &packet, on_hit, NULL);
	return hit ? hit->obj.num : 0;
}

static int delete_entry(uint32_t table, uint32_t index)
{
	struct prm_delete_fte_in in = {};
	struct prm_delete_fte_out out;

	prm_set(&in, table_id, table);
	prm_set(&in, flow_index, index);
	return dut_cmd(a, delete_fte, &in, &out);
}

static void test_many_entries(void)
{
	struct dut_wq rq = dut_create_rq(a, 6, 4, NULL);
	uint32_t x = dut_direct_tir(a, rq.num), y = dut_direct_tir(a, rq.num), table, group, i;
	struct prm_fte_match_set_lyr_2_4 value = {};
	bool right = true;
	double t;

	prm_set(&value, smac_47_16, ~0u);
	table = dut_table(a, 0, 16, 0);
	group = dut_group(a, table, 10, 50000, &value);
	dut_check(dut_root(a, table), "set_flow_table_root");
	t = cpu_seconds();
	for (i = 0; i < ENTRIES && right; i++) {
		value = source(i);
		right = !dut_fte(a, table, group, 20 + i, &value, PRM_FLOW_DEST_TIR,
				 i & 1 ? x : y);
	}
	printf("# %u entries: %.3f s\n", i, cpu_seconds() - t);
	for (i = 0; i < ENTRIES; i += 997)
		right &= lookup(i) == (i & 1 ? x : y);
	ktap(right && !lookup(ENTRIES), "each of many entries gets its packets, and no others");
	t = cpu_seconds();
	for (i = 0; i < LOOKUPS; i++)
		lookup(ENTRIES - 1);
	t = cpu_seconds() - t;
	printf("# %u lookups: %.3f s\n", LOOKUPS, t);
	ktap(t < 0.5, "a packet is not compared with each of many entries");

	value = source(1);
	right = !dut_fte(a, table, group, 10, &value, PRM_FLOW_DEST_TIR, y) && lookup(1) == y;
	right &= !dut_fte(a, table, group, 50000, &value, PRM_FLOW_DEST_TIR, y) && lookup(1) == y;
	right &= !delete_entry(table, 10) && lookup(1) == x;
	right &= !delete_entry(table, 21) && lookup(1) == y;
	right &= !delete_entry(table, 50000) && !lookup(1);
	ktap(right, "of equal entries that of the lowest index wins");
}

/* One bucket has them all. */
static void test_equal_entries(void)
{
	struct dut_wq rq = dut_create_rq(a, 6, 4, NULL);
	uint32_t tir = dut_direct_tir(a, rq.num), table, group, i;
	struct prm_fte_match_set_lyr_2_4 value = {};
	bool right = true;
	double t, most = 0;

	prm_set(&value, smac_47_16, ~0u);
	table = dut_table(a, 0, 16, 0);
	group = dut_group(a, table, 0, 50000, &value);
	value = source(0);
	for (i = 0; i < ENTRIES && right; i++) {
		t = cpu_seconds();
		right = !dut_fte(a, table, group, i, &value, PRM_FLOW_DEST_TIR, tir);
		t = cpu_seconds() - t;
		most = t > most ? t : most;
	}
	printf("# %u entries: %.3f s at most for one\n", i, most);
	ktap(right && most < 0.1, "no entry takes long to set, however many are equal");
}

/* Of two fields: each value of the second is what a product of the first with K gives. */
static struct prm_fte_match_set_lyr_2_4 chosen(uint32_t n)
{
	struct prm_fte_match_set_lyr_2_4 value = {};
	uint32_t k = 0x9e3779b1u, hash = (2166136261u ^ htobe32(n)) * k;

	prm_set(&value, smac_47_16, n);
	prm_set(&value, dmac_47_16, be32toh(hash * k));
	return value;
}

static uint32_t lookup_chosen(uint32_t n)
{
	struct prm_fte_match_set_lyr_2_4 value = chosen(n);
	struct eth_packet packet;
	struct flow flow = tcp4;
	uint8_t data[512];
	uint32_t len;

	put32(flow.smac, prm_get(&value, smac_47_16));
	put32(flow.dmac, prm_get(&value, dmac_47_16));
	len = make_packet(data, &flow);
	packet_parse(&packet, data, len);
	hit = NULL;
	steer(a->dev, a->dev, &packet, on_hit, NULL);
	return hit ? hit->obj.num : 0;
}

static void test_chosen_entries(void)
{
	struct dut_wq rq = dut_create_rq(a, 6, 4, NULL);
	uint32_t tir = dut_direct_tir(a, rq.num), table, group, i;
	struct prm_fte_match_set_lyr_2_4 value = {};
	double t;

	prm_set(&value, smac_47_16, ~0u);
	prm_set(&value, dmac_47_16, ~0u);
	table = dut_table(a, 0, 16, 0);
	group = dut_group(a, table, 0, 50000, &value);
	dut_check(dut_root(a, table), "set_flow_table_root");
	for (i = 0; i < CHOSEN_ENTRIES; i++) {
		value = chosen(i);
		dut_check(dut_fte(a, table, group, i, &value, PRM_FLOW_DEST_TIR, tir), "set_fte");
	}
	t = cpu_seconds();
	for (i = 0; i < LOOKUPS; i++)
		lookup_chosen(i % CHOSEN_ENTRIES);
	t = cpu_seconds() - t;
	printf("# %u lookups: %.3f s\n", LOOKUPS, t);
	ktap(t < 0.5 && lookup_chosen(CHOSEN_ENTRIES - 1) == tir && !lookup_chosen(CHOSEN_ENTRIES),
	     "a guest cannot choose entries that are found slowly");
}

static void test_many_groups(void)
{
	uint32_t table = dut_table(a, 0, 16, 0), i;
	struct prm_fte_match_set_lyr_2_4 mask = {};

	prm_set(&mask, smac_47_16, ~0u);
	for (i = 0; i < GROUPS; i++)
		dut_group(a, table, i, i, &mask);
	dut_check(dut_root(a, table), "set_flow_table_root");
	dut_violations(a);
	lookup(0);
	ktap(dut_violations(a) == 1, "a packet is looked up in a limited number of groups");
}

/* ---- memory of the host ---- */

#define BUDGET (8ull << 20)
#define LIST_PAGES (1u << 16)

/* A key with a list of 512 KiB; the status. */
static int create_large_mkey(struct dut *dut, uint32_t *num)
{
	struct prm_create_mkey_in in = {};
	struct prm_create_mkey_out out;
	uint64_t *list = calloc(LIST_PAGES, sizeof(*list));
	int status;

	prm_set(&in, memory_key_mkey_entry.access_mode_1_0, MKEY_MTT);
	prm_set(&in, memory_key_mkey_entry.lr, 1);
	prm_set(&in, memory_key_mkey_entry.qpn, 0xffffff);
	prm_set(&in, memory_key_mkey_entry.pd, dut->pd);
	prm_set64(&in, memory_key_mkey_entry.len, (uint64_t)LIST_PAGES << 12);
	prm_set(&in, memory_key_mkey_entry.log_page_size, 12);
	prm_set(&in, memory_key_mkey_entry.translations_octword_size, LIST_PAGES / 2);
	prm_set(&in, translations_octword_actual_size, LIST_PAGES / 2);
	status = dut_cmd_tail(dut, create_mkey, &in, &out, list, LIST_PAGES * sizeof(*list));
	free(list);
	*num = prm_get(&out, mkey_index);
	return status;
}

static void test_budget(void)
{
	uint64_t before, all = budget_bytes;
	struct dut *other = dut_create("b", 1);
	struct prm_alloc_pd_in in = {};
	struct prm_alloc_pd_out out;
	uint32_t first, num, made = 0;
	int status;

	before = a->dev->hca->budget_used;
	budget_bytes = BUDGET;
	dut_violations(a);
	status = create_large_mkey(a, &first);
	while (!status) {
		made++;
		status = create_large_mkey(a, &num);
	}
	ktap(status == PRM_STATUS_NO_RES && made > 4 && made <= 16,
	     "a function whose host memory is used up gets no more keys");
	ktap(a->dev->hca->budget_used <= BUDGET, "it never has more than its budget");
	while (!dut_cmd(a, alloc_pd, &in, &out))
		;
	ktap(!create_large_mkey(other, &num), "the other function has a budget of its own");
	ktap(!dut_destroy_obj(a, PRM_OP_destroy_mkey, first) && !create_large_mkey(a, &first),
	     "what is destroyed makes room");
	ktap(!dut_violations(a), "to use up its memory is no mistake of the driver");
	cxdev_reset(a->dev);
	ktap(!a->dev->hca->budget_used && before, "a reset gives all of it back");
	budget_bytes = all;
	dut_destroy(other);
}

int main(void)
{
	ktap_plan(0);
	a = dut_create("a", 0);
	test_pages();
	dut_destroy(a);
	a = dut_create("a", 0);
	test_chosen_pages();
	dut_destroy(a);
	a = dut_create("a", 0);
	test_chosen_entries();
	dut_destroy(a);
	a = dut_create("a", 0);
	test_equal_entries();
	dut_destroy(a);
	a = dut_create("a", 0);
	test_lso();
	dut_destroy(a);
	a = dut_create("a", 0);
	test_many_entries();
	dut_destroy(a);
	a = dut_create("a", 0);
	test_many_groups();
	dut_destroy(a);
	a = dut_create("a", 0);
	test_slow_receiver();
	test_waiting();
	dut_destroy(a);
	a = dut_create("a", 0);
	test_budget();
	dut_destroy(a);
	return ktap_end();
}
