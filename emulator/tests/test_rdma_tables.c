// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Flow tables of RoCE packets: they count what QPs send and receive, and can drop it. The entries
 * are those of the kernel's optional counters: packets marked as congested, and CNPs.
 */
#include <stdlib.h>

#include "prm/counter.h"
#include "prm/flow.h"
#include "rdma.h"

#define DST_OFF (2u << 20)
#define CE 3
#define PACKETS 3	/* of a message of 3000 bytes */

static struct tcq ca, cb;

struct rule {
	unsigned int ip_version;	/* marked packets of it; 0: of the opcode */
	uint8_t opcode;
	unsigned int action;
	uint32_t group, counter;
};

/* ---- commands ---- */

static void must(bool good, const char *what)
{
	if (good)
		return;
	ok(false, "%s", what);
	exit(ok_end());
}

static int create_table(struct side *side, unsigned int type, unsigned int miss, uint32_t *table)
{
	struct prm_create_flow_table_in in = {};
	struct prm_create_flow_table_out out;
	int status;

	prm_set(&in, table_type, type);
	prm_set(&in, flow_table_context.table_miss_action, miss);
	prm_set(&in, flow_table_context.log_size, 2);
	status = command(side, create_flow_table, &in, &out);
	*table = prm_get(&out, table_id);
	return status;
}

static int set_root(struct side *side, unsigned int type, uint32_t table)
{
	struct prm_set_flow_table_root_in in = {};
	struct prm_set_flow_table_root_out out;

	prm_set(&in, table_type, type);
	prm_set(&in, table_id, table);
	return command(side, set_flow_table_root, &in, &out);
}

static int create_group(struct side *side, unsigned int type, uint32_t table, unsigned int index,
			struct rule *rule)
{
	struct prm_create_flow_group_in in = {};
	struct prm_create_flow_group_out out;
	int status;

	prm_set(&in, table_type, type);
	prm_set(&in, table_id, table);
	prm_set(&in, start_flow_index, index);
	prm_set(&in, end_flow_index, index);
	if (rule->ip_version) {
		prm_set(&in, match_criteria_enable, PRM_MATCH_OUTER);
		prm_set(&in, match_criteria.outer_headers.ip_version, 0xf);
		prm_set(&in, match_criteria.outer_headers.ip_ecn, 3);
	} else {
		prm_set(&in, match_criteria_enable, PRM_MATCH_MISC);
		prm_set(&in, match_criteria.misc_parameters.bth_opcode, 0xff);
	}
	status = command(side, create_flow_group, &in, &out);
	rule->group = prm_get(&out, group_id);
	return status;
}

static uint32_t alloc_counter(struct side *side)
{
	struct prm_alloc_flow_counter_in in = {};
	struct prm_alloc_flow_counter_out out;

	must(!command(side, alloc_flow_counter, &in, &out), "a flow counter can be allocated");
	return prm_get(&out, flow_counter_id);
}

static int set_entry(struct side *side, unsigned int type, uint32_t table, unsigned int index,
		     const struct rule *rule)
{
	struct {
		struct prm_set_fte_in in;
		struct prm_flow_counter_list counter;
	} fte = {};
	struct prm_set_fte_out out;

	prm_set(&fte.in, opcode, PRM_OP_set_fte);
	prm_set(&fte.in, table_type, type);
	prm_set(&fte.in, table_id, table);
	prm_set(&fte.in, flow_index, index);
	prm_set(&fte.in, flow_context.group_id, rule->group);
	prm_set(&fte.in, flow_context.action, rule->action | PRM_FLOW_COUNT);
	prm_set(&fte.in, flow_context.flow_counter_list_size, 1);
	prm_set(&fte.counter, flow_counter_id, rule->counter);
	if (rule->ip_version) {
		prm_set(&fte.in, flow_context.match_value.outer_headers.ip_version,
			rule->ip_version);
		prm_set(&fte.in, flow_context.match_value.outer_headers.ip_ecn, CE);
	} else {
		prm_set(&fte.in, flow_context.match_value.misc_parameters.bth_opcode, rule->opcode);
	}
	return exec(side, PRM_OP_set_fte, &fte, sizeof(fte), &out, sizeof(out));
}

static uint64_t counted(struct side *side, const struct rule *rule)
{
	struct prm_query_flow_counter_in in = {};
	struct {
		struct prm_query_flow_counter_out head;
		struct prm_traffic_counter stats;
	} out;

	prm_set(&in, opcode, PRM_OP_query_flow_counter);
	prm_set(&in, flow_counter_id, rule->counter);
	must(!exec(side, PRM_OP_query_flow_counter, &in, sizeof(in), &out, sizeof(out)),
	     "a flow counter can be read");
	return prm_get64(&out.stats, packets);
}

/* A table with these rules, each in a group of its own, in their order. */
static uint32_t make_table(struct side *side, unsigned int type, struct rule *rules, unsigned int n)
{
	uint32_t table;
	unsigned int i;

	must(!create_table(side, type, 0, &table), "a table can be created");
	for (i = 0; i < n; i++) {
		rules[i].counter = alloc_counter(side);
		must(!create_group(side, type, table, i, &rules[i]) &&
		     !set_entry(side, type, table, i, &rules[i]), "a rule can be set");
	}
	must(!set_root(side, type, table), "the table can be the root");
	return table;
}

static void destroy_table(struct side *side, unsigned int type, uint32_t table,
			  const struct rule *rules, unsigned int n)
{
	struct prm_destroy_flow_table_in in = {};
	struct prm_destroy_flow_table_out out;
	int status = 0;

	while (n--) {
		struct prm_delete_fte_in entry = {};
		struct prm_delete_fte_out entry_out;
		struct prm_destroy_flow_group_in group = {};
		struct prm_destroy_flow_group_out group_out;
		struct prm_dealloc_flow_counter_in counter = {};
		struct prm_dealloc_flow_counter_out counter_out;

		prm_set(&entry, table_type, type);
		prm_set(&entry, table_id, table);
		prm_set(&entry, flow_index, n);
		prm_set(&group, table_type, type);
		prm_set(&group, table_id, table);
		prm_set(&group, group_id, rules[n].group);
		prm_set(&counter, flow_counter_id, rules[n].counter);
		status |= command(side, delete_fte, &entry, &entry_out) |
			  command(side, destroy_flow_group, &group, &group_out) |
			  command(side, dealloc_flow_counter, &counter, &counter_out);
	}
	prm_set(&in, table_type, type);
	prm_set(&in, table_id, table);
	must(!status && !command(side, destroy_flow_table, &in, &out),
	     "the table can be destroyed");
}

/* ---- what is counted ---- */

/* A WRITE of PACKETS packets from a to b. @marked: as if a switch had marked them all. */
static bool write_message(unsigned int addr, bool marked)
{
	struct qp_opts o = { .addr = addr, .timeout = 8 };
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE, .n = 1, .sge = { { a.va, 3000, a.lkey } },
			 .raddr = b.va + DST_OFF, .rkey = b.rkey };
	const struct prm_cqe64 *cqe;
	struct tqp x, y;
	bool done;

	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	if (marked)
		((struct qp *)obj_find(a.dev, OBJ_QP, x.qpn))->av.tclass |= CE;
	post_send(&x, &wr);
	pass_time(400);
	cqe = poll(&ca);
	done = cqe && cqe_opcode(cqe) == PRM_CQE_REQ;
	destroy_pair(&x, &y);
	drain(&ca, &cb);
	return done;
}

static void test_counters(void)
{
	static const char *const names[] = { "v1", "v2/IPv6", "v2/IPv4", "v2 with a VLAN" };
	static const unsigned int versions[] = { 0, 6, 4, 4 };
	unsigned int addr;

	for (addr = 0; addr < ADDRS; addr++) {
		struct rule rx[] = { { .ip_version = 4, .action = PRM_FLOW_ALLOW },
				     { .ip_version = 6, .action = PRM_FLOW_ALLOW } };
		struct rule cnp_rx[] = { { .opcode = BTH_CNP, .action = PRM_FLOW_ALLOW } };
		struct rule cnp_tx[] = { { .opcode = BTH_CNP, .action = PRM_FLOW_ALLOW } };
		uint32_t at_b = make_table(&b, PRM_FT_RDMA_RX, rx, 2),
			 at_a = make_table(&a, PRM_FT_RDMA_RX, cnp_rx, 1),
			 sent = make_table(&b, PRM_FT_RDMA_TX, cnp_tx, 1);
		unsigned int n = versions[addr] ? PACKETS : 0;

		ok(write_message(addr, false) && !counted(&b, &rx[0]) && !counted(&b, &rx[1]) &&
		   !counted(&a, &cnp_rx[0]) && !counted(&b, &cnp_tx[0]),
		   "%s: packets without a mark count nowhere", names[addr]);
		ok(write_message(addr, true) &&
		   counted(&b, &rx[0]) == (versions[addr] == 4 ? PACKETS : 0) &&
		   counted(&b, &rx[1]) == (versions[addr] == 6 ? PACKETS : 0),
		   "%s: marked packets count by their IP version", names[addr]);
		ok(counted(&b, &cnp_tx[0]) == n && counted(&a, &cnp_rx[0]) == n,
		   "%s: CNPs count where they are sent, and where they arrive", names[addr]);
		destroy_table(&b, PRM_FT_RDMA_RX, at_b, rx, 2);
		destroy_table(&a, PRM_FT_RDMA_RX, at_a, cnp_rx, 1);
		destroy_table(&b, PRM_FT_RDMA_TX, sent, cnp_tx, 1);
	}
	ok(write_message(ADDR_V2_IPV4, true), "without tables packets pass");
}

/* The entry of the lowest index alone. */
static void test_order(void)
{
	struct rule rx[] = { { .opcode = BTH_WRITE_FIRST, .action = PRM_FLOW_ALLOW },
			     { .ip_version = 4, .action = PRM_FLOW_ALLOW } };
	uint32_t table = make_table(&b, PRM_FT_RDMA_RX, rx, 2);

	ok(write_message(ADDR_V2_IPV4, true) && counted(&b, &rx[0]) == 1 &&
	   counted(&b, &rx[1]) == PACKETS - 1, "a packet that two entries match counts in one");
	destroy_table(&b, PRM_FT_RDMA_RX, table, rx, 2);
}

static void test_drop(struct side *side, unsigned int type, uint8_t opcode, const char *sentence)
{
	struct rule drop[] = { { .opcode = opcode, .action = PRM_FLOW_DROP } };
	uint32_t table = make_table(side, type, drop, 1);

	ok(!write_message(ADDR_V2_IPV6, false) && counted(side, drop), "%s", sentence);
	destroy_table(side, type, table, drop, 1);
	must(write_message(ADDR_V2_IPV6, false), "without the entry packets pass");
}

/* What matches nothing is an Ethernet packet like any other, for which there is no rule here. */
static void test_domain(void)
{
	uint64_t lost = b.dev->eth->counters.rx_no_rule, rdma = b.dev->rdma->rx_packets;
	uint32_t table;

	must(!create_table(&b, PRM_FT_RDMA_RX, PRM_FT_MISS_DOMAIN, &table), "a table");
	must(!set_root(&b, PRM_FT_RDMA_RX, table), "a root");
	ok(!write_message(ADDR_V2_IPV4, false) && b.dev->eth->counters.rx_no_rule > lost &&
	   b.dev->rdma->rx_packets == rdma,
	   "with another domain as the miss action RoCE packets are Ethernet packets");
	destroy_table(&b, PRM_FT_RDMA_RX, table, NULL, 0);
	ok(create_table(&b, PRM_FT_RDMA_TX, PRM_FT_MISS_DOMAIN, &table) == PRM_STATUS_BAD_PARAM,
	   "sent packets have no other domain");
	b.dev->violations = 0;
}

/* ---- what is refused ---- */

/* An entry that forwards to @n destinations of a type. */
static int set_ways(uint32_t table, const struct rule *rule, unsigned int type, unsigned int n,
		    uint32_t tag)
{
	struct {
		struct prm_set_fte_in in;
		struct prm_dest_format_struct dests[2];
	} fte = {};
	struct prm_set_fte_out out;
	unsigned int i;

	prm_set(&fte.in, opcode, PRM_OP_set_fte);
	prm_set(&fte.in, table_type, PRM_FT_RDMA_RX);
	prm_set(&fte.in, table_id, table);
	prm_set(&fte.in, flow_context.group_id, rule->group);
	prm_set(&fte.in, flow_context.action, PRM_FLOW_FWD_DEST);
	prm_set(&fte.in, flow_context.flow_tag, tag);
	prm_set(&fte.in, flow_context.destination_list_size, n);
	for (i = 0; i < n; i++)
		prm_set(&fte.dests[i], destination_type, type);
	return exec(&b, PRM_OP_set_fte, &fte, sizeof(fte), &out, sizeof(out));
}

static void test_ways(uint32_t table, const struct rule *rule)
{
	ok(set_ways(table, rule, PRM_FLOW_DEST_TIR, 1, 0) == PRM_STATUS_BAD_PARAM,
	   "an entry that leads to a TIR is refused");
	ok(set_ways(table, rule, PRM_FLOW_DEST_TABLE, 2, 0) == PRM_STATUS_BAD_PARAM,
	   "an entry with two destinations is refused");
	ok(set_ways(table, rule, PRM_FLOW_DEST_TABLE, 1, 5) == PRM_STATUS_BAD_PARAM,
	   "an entry with a flow tag is refused");
}

static void test_refused(void)
{
	struct rule rule = { .opcode = BTH_CNP, .action = PRM_FLOW_ALLOW };
	struct rule tagged = { .ip_version = 4, .action = PRM_FLOW_ALLOW };
	uint32_t table, nic;

	rule.counter = alloc_counter(&b);
	ok(!create_table(&b, PRM_FT_RDMA_RX, 0, &table) &&
	   !create_group(&b, PRM_FT_RDMA_RX, table, 0, &rule), "a group of opcodes can be created");
	rule.action = 0;
	ok(set_entry(&b, PRM_FT_RDMA_RX, table, 0, &rule) == PRM_STATUS_BAD_PARAM,
	   "an entry that only counts is refused");
	rule.action = PRM_FLOW_ALLOW | PRM_FLOW_DROP;
	ok(set_entry(&b, PRM_FT_RDMA_RX, table, 0, &rule) == PRM_STATUS_BAD_PARAM,
	   "an entry that allows and drops is refused");
	rule.action = PRM_FLOW_FWD_DEST;
	ok(set_entry(&b, PRM_FT_RDMA_RX, table, 0, &rule) == PRM_STATUS_BAD_PARAM,
	   "an entry that leads nowhere is refused");
	test_ways(table, &rule);
	ok(set_root(&b, PRM_FT_RDMA_TX, table) == PRM_STATUS_BAD_PARAM,
	   "a table of received packets cannot be the root of sent ones");
	ok(!create_table(&b, PRM_FT_NIC_RX, 0, &nic) &&
	   create_group(&b, PRM_FT_NIC_RX, nic, 0, &rule) == PRM_STATUS_BAD_PARAM,
	   "tables of other packets match no opcode");
	ok(!create_group(&b, PRM_FT_NIC_RX, nic, 0, &tagged), "but marks");
	tagged.counter = rule.counter;
	ok(set_entry(&b, PRM_FT_NIC_RX, nic, 0, &tagged) == PRM_STATUS_BAD_PARAM,
	   "and their entries cannot allow");
	b.dev->card = card_find("cx5", 3);
	ok(create_table(&b, PRM_FT_RDMA_RX, 0, &table) == PRM_STATUS_BAD_PARAM,
	   "a ConnectX-5 has no tables of RoCE packets");
}

int main(void)
{
	sides_open();
	create_cq(&ca, &a, 9);
	create_cq(&cb, &b, 9);
	a.dev->card = card_find("cx6dx", 5);
	b.dev->card = a.dev->card;
	hca_caps_reset(a.dev);
	hca_caps_reset(b.dev);
	test_counters();
	test_order();
	test_drop(&b, PRM_FT_RDMA_RX, BTH_WRITE_LAST, "a received packet can be dropped");
	test_drop(&a, PRM_FT_RDMA_TX, BTH_WRITE_FIRST, "a sent packet can be dropped");
	ok(!a.dev->violations && !b.dev->violations, "nothing was wrong");
	test_domain();
	test_refused();
	sides_close();
	return ok_end();
}
