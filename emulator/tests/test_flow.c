// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Flow tables: what matches what, which rule wins, what is refused; the vport's and the port's
 * commands.
 */
#include <string.h>

#include "dut.h"
#include "host/control.h"
#include "prm/counter.h"
#include "prm/port.h"
#include "prm/vport.h"
#include "rdma/rdma.h"
#include "vfu_client.h"

static struct dut *d;
static struct port *peer; /* where packets come from */
static struct dut_wq rq[2];
static uint32_t tir[2];

static const struct flow base = {
	.dmac = { 2, 0xc4, 0, 0, 0, 1 },
	.smac = { 2, 0xc4, 0, 0, 0, 9 },
	.vlan = -1,
	.ip = 4,
	.proto = 6,
	.tos = 0x2a,
	.sport = 1000,
	.dport = 2000,
	.src = { 10, 0, 0, 1 },
	.dst = { 10, 0, 0, 2 },
	.payload = 30,
};

static void set_up(void)
{
	int i;

	d = dut_create("d", 0);
	peer = port_create(NULL, "peer");
	for (i = 0; i < 2; i++) {
		rq[i] = dut_create_rq(d, 6, 4, NULL);
		tir[i] = dut_direct_tir(d, rq[i].num);
	}
}

static void tear_down(void)
{
	dut_run();
	port_destroy(peer);
	dut_destroy(d);
}

/*
 * Sends one packet to the function. Which RQs have got it, as bits; @tag is the flow tag of the
 * last.
 */
static unsigned int arrives(const struct flow *flow, uint32_t *tag)
{
	struct frame *frame = frame_alloc(FRAME_MAX);
	const struct prm_cqe64 *cqe;
	unsigned int got = 0, i;

	frame->len = make_packet(frame->data, flow);
	for (i = 0; i < 2; i++)
		dut_post_rq(d, &rq[i], 2048);
	port_send(peer, frame);
	dut_run();
	for (i = 0; i < 2; i++) {
		cqe = dut_poll(d, &rq[i].cq);
		if (!cqe)
			continue;
		got |= 1 << i;
		if (tag)
			*tag = be32toh(cqe->sop_drop_qpn) & 0xffffff;
	}
	return got;
}

/* ---- which packet matches ---- */

static void f_dmac(struct prm_fte_match_set_lyr_2_4 *m, bool mask, uint8_t last)
{
	memset(prm_bytes(m, dmac_47_16), 0xff, 6);
	if (!mask)
		memcpy(prm_bytes(m, dmac_47_16), (uint8_t[]){ 2, 0xc4, 0, 0, 0, last }, 6);
}

static void m_dmac(struct prm_fte_match_set_lyr_2_4 *m, bool mask)
{
	f_dmac(m, mask, 1);
}

static void m_dmac_other(struct prm_fte_match_set_lyr_2_4 *m, bool mask)
{
	f_dmac(m, mask, 2);
}

static void m_group_bit(struct prm_fte_match_set_lyr_2_4 *m, bool mask)
{
	(void)mask;
	prm_set(m, dmac_47_16, 0x01000000);
}

static void m_unicast(struct prm_fte_match_set_lyr_2_4 *m, bool mask)
{
	if (mask)
		prm_set(m, dmac_47_16, 0x01000000);
}

static void m_smac(struct prm_fte_match_set_lyr_2_4 *m, bool mask)
{
	prm_set(m, smac_15_0, mask ? 0xffff : 9);
}

static void m_ipv4_type(struct prm_fte_match_set_lyr_2_4 *m, bool mask)
{
	prm_set(m, ethertype, mask ? 0xffff : 0x0800);
}

static void m_ipv6_type(struct prm_fte_match_set_lyr_2_4 *m, bool mask)
{
	prm_set(m, ethertype, mask ? 0xffff : 0x86dd);
}

static void m_version(struct prm_fte_match_set_lyr_2_4 *m, bool mask)
{
	prm_set(m, ip_version, mask ? 0xf : 4);
}

static void m_version6(struct prm_fte_match_set_lyr_2_4 *m, bool mask)
{
	prm_set(m, ip_version, mask ? 0xf : 6);
}

static void m_tcp(struct prm_fte_match_set_lyr_2_4 *m, bool mask)
{
	prm_set(m, ip_protocol, mask ? 0xff : 6);
}

static void m_udp(struct prm_fte_match_set_lyr_2_4 *m, bool mask)
{
	prm_set(m, ip_protocol, mask ? 0xff : 17);
}

static void m_dscp(struct prm_fte_match_set_lyr_2_4 *m, bool mask)
{
	prm_set(m, ip_dscp, mask ? 0x3f : 0x0a);
}

static void m_ecn(struct prm_fte_match_set_lyr_2_4 *m, bool mask)
{
	prm_set(m, ip_ecn, mask ? 0x3 : 2);
}

static void m_ttl(struct prm_fte_match_set_lyr_2_4 *m, bool mask)
{
	prm_set(m, ttl_hoplimit, mask ? 0xff : 64);
}

static void m_dport(struct prm_fte_match_set_lyr_2_4 *m, bool mask)
{
	prm_set(m, tcp_dport, mask ? 0xffff : 2000);
}

static void m_dport_other(struct prm_fte_match_set_lyr_2_4 *m, bool mask)
{
	prm_set(m, tcp_dport, mask ? 0xffff : 2001);
}

static void m_udp_dport(struct prm_fte_match_set_lyr_2_4 *m, bool mask)
{
	prm_set(m, udp_dport, mask ? 0xffff : 2000);
}

static void m_sport_part(struct prm_fte_match_set_lyr_2_4 *m, bool mask)
{
	prm_set(m, tcp_sport, mask ? 0xfff0 : 0x3e0);
}

static void m_ack(struct prm_fte_match_set_lyr_2_4 *m, bool mask)
{
	(void)mask;
	prm_set(m, tcp_flags, 0x10);
}

static void m_syn(struct prm_fte_match_set_lyr_2_4 *m, bool mask)
{
	(void)mask;
	prm_set(m, tcp_flags, 0x02);
}

static void m_src(struct prm_fte_match_set_lyr_2_4 *m, bool mask)
{
	prm_set(m, src_ipv4_src_ipv6.ipv4_layout.ipv4, mask ? 0xffffffff : 0x0a000001);
}

static void m_net(struct prm_fte_match_set_lyr_2_4 *m, bool mask)
{
	prm_set(m, dst_ipv4_dst_ipv6.ipv4_layout.ipv4, mask ? 0xffffff00 : 0x0a000000);
}

static void m_src6(struct prm_fte_match_set_lyr_2_4 *m, bool mask)
{
	memcpy(prm_bytes(m, src_ipv4_src_ipv6.ipv6_layout.ipv6), base.src, 16);
	if (mask)
		memset(prm_bytes(m, src_ipv4_src_ipv6.ipv6_layout.ipv6), 0xff, 16);
}

static void m_no_tag(struct prm_fte_match_set_lyr_2_4 *m, bool mask)
{
	prm_set(m, cvlan_tag, mask);
}

static void m_tag(struct prm_fte_match_set_lyr_2_4 *m, bool mask)
{
	(void)mask;
	prm_set(m, cvlan_tag, 1);
}

static void m_vid(struct prm_fte_match_set_lyr_2_4 *m, bool mask)
{
	prm_set(m, first_vid, mask ? 0xfff : 100);
}

static void m_prio(struct prm_fte_match_set_lyr_2_4 *m, bool mask)
{
	prm_set(m, first_prio, mask ? 7 : 3);
}

static void m_not_frag(struct prm_fte_match_set_lyr_2_4 *m, bool mask)
{
	prm_set(m, frag, mask);
}

static const struct {
	const char *sentence;
	void (*field)(struct prm_fte_match_set_lyr_2_4 *m, bool mask);
	bool hit;
	unsigned int ip;
	uint8_t proto;
	int vlan;
} cases[] = {
	{ "MAC, packet to it", m_dmac, true, 4, 6, -1 },
	{ "MAC, packet to another", m_dmac_other, false, 4, 6, -1 },
	{ "group bit set, unicast packet", m_group_bit, false, 4, 6, -1 },
	{ "group bit clear, unicast packet", m_unicast, true, 4, 6, -1 },
	{ "low bits of the source MAC", m_smac, true, 4, 6, -1 },
	{ "ethertype IPv4, IPv4 packet", m_ipv4_type, true, 4, 6, -1 },
	{ "ethertype IPv4, tagged IPv4 packet", m_ipv4_type, true, 4, 6, 5 },
	{ "ethertype IPv6, IPv4 packet", m_ipv6_type, false, 4, 6, -1 },
	{ "IP version 4, IPv4 packet", m_version, true, 4, 6, -1 },
	{ "IP version 6, IPv4 packet", m_version6, false, 4, 6, -1 },
	{ "IP version 6, IPv6 packet", m_version6, true, 6, 6, -1 },
	{ "IP version 4, other packet", m_version, false, 0, 0, -1 },
	{ "protocol TCP, TCP packet", m_tcp, true, 4, 6, -1 },
	{ "protocol TCP, TCP packet over IPv6", m_tcp, true, 6, 6, -1 },
	{ "protocol UDP, TCP packet", m_udp, false, 4, 6, -1 },
	{ "DSCP", m_dscp, true, 4, 6, -1 },
	{ "DSCP over IPv6", m_dscp, true, 6, 6, -1 },
	{ "ECN", m_ecn, true, 4, 6, -1 },
	{ "TTL", m_ttl, true, 4, 6, -1 },
	{ "TCP port, packet to it", m_dport, true, 4, 6, -1 },
	{ "TCP port, packet to another", m_dport_other, false, 4, 6, -1 },
	{ "TCP port, UDP packet", m_dport, false, 4, 17, -1 },
	{ "UDP port, UDP packet", m_udp_dport, true, 4, 17, -1 },
	{ "high bits of a TCP port", m_sport_part, true, 4, 6, -1 },
	{ "TCP flag, packet with it", m_ack, true, 4, 6, -1 },
	{ "TCP flag, packet without", m_syn, false, 4, 6, -1 },
	{ "IPv4 source", m_src, true, 4, 6, -1 },
	{ "IPv4 destination network", m_net, true, 4, 6, -1 },
	{ "IPv6 source", m_src6, true, 6, 6, -1 },
	{ "no VLAN tag, untagged packet", m_no_tag, true, 4, 6, -1 },
	{ "no VLAN tag, tagged packet", m_no_tag, false, 4, 6, 5 },
	{ "VLAN tag, tagged packet", m_tag, true, 4, 6, 5 },
	{ "VLAN tag, untagged packet", m_tag, false, 4, 6, -1 },
	{ "VLAN 100, packet in it", m_vid, true, 4, 6, 100 },
	{ "VLAN 100, packet in 101", m_vid, false, 4, 6, 101 },
	{ "priority 3, packet with it", m_prio, true, 4, 6, 3 << 13 | 9 },
	{ "not a fragment, whole packet", m_not_frag, true, 4, 6, -1 },
};

static void test_match(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct prm_fte_match_set_lyr_2_4 criteria = {}, value = {};
		struct flow flow = base;
		const char *outcome = "miss";
		uint32_t table, group;

		if (cases[i].hit)
			outcome = "hit";
		set_up();
		flow.ip = cases[i].ip;
		flow.proto = cases[i].proto;
		flow.vlan = cases[i].vlan;
		cases[i].field(&criteria, true);
		cases[i].field(&value, false);
		table = dut_table(d, 0, 2, 0);
		group = dut_group(d, table, 0, 3, &criteria);
		dut_check(dut_fte(d, table, group, 2, &value, PRM_FLOW_DEST_TIR, tir[0]),
			  "set_fte");
		dut_root(d, table);
		ktap(arrives(&flow, NULL) == cases[i].hit, "%s: %s", cases[i].sentence, outcome);
		tear_down();
	}
}

/* ---- which rule wins, where it leads ---- */

static int fte(uint32_t table, uint32_t group, uint32_t index, unsigned int action,
	       const uint32_t *dests, unsigned int n, uint32_t counter, uint32_t tag,
	       unsigned int op_mod)
{
	struct prm_set_fte_in in = {};
	struct prm_set_fte_out out;
	struct prm_dest_format_struct list[8] = {};
	unsigned int i;

	prm_set(&in, op_mod, op_mod);
	prm_set(&in, table_id, table);
	prm_set(&in, flow_index, index);
	prm_set(&in, flow_context.group_id, group);
	prm_set(&in, flow_context.action, action);
	prm_set(&in, flow_context.flow_tag, tag);
	prm_set(&in, flow_context.destination_list_size, n);
	prm_set(&in, flow_context.flow_counter_list_size, !!counter);
	if (op_mod)
		prm_set(&in, modify_enable_mask,
			PRM_FTE_MODIFY_ACTION | PRM_FTE_MODIFY_TAG | PRM_FTE_MODIFY_DEST_LIST |
				PRM_FTE_MODIFY_COUNTERS);
	for (i = 0; i < n; i++) {
		prm_set(&list[i], destination_type, PRM_FLOW_DEST_TIR);
		prm_set(&list[i], destination_id, dests[i]);
	}
	if (counter)
		list[n].dw[0] = htobe32(counter);
	return dut_cmd_tail(d, set_fte, &in, &out, list, (n + !!counter) * sizeof(list[0]));
}

static uint32_t alloc_counter(void)
{
	struct prm_alloc_flow_counter_in in = {};
	struct prm_alloc_flow_counter_out out;

	dut_must(d, alloc_flow_counter, &in, &out);
	return prm_get(&out, flow_counter_id);
}

static uint64_t counted(uint32_t id)
{
	struct prm_query_flow_counter_in in = {};
	struct {
		struct prm_query_flow_counter_out head;
		struct prm_traffic_counter stats;
	} out;

	prm_set(&in, flow_counter_id, id);
	dut_check(dut_exec(d, PRM_OP_query_flow_counter, &in, sizeof(in), &out, sizeof(out)),
		  "query_flow_counter");
	return prm_get64(&out.stats, packets);
}

static int delete_fte(uint32_t table, uint32_t index)
{
	struct prm_delete_fte_in in = {};
	struct prm_delete_fte_out out;

	prm_set(&in, table_id, table);
	prm_set(&in, flow_index, index);
	return dut_cmd(d, delete_fte, &in, &out);
}

static void test_rules(void)
{
	uint32_t table, group, counter, tag = 0;
	char line[64];

	set_up();
	table = dut_table(d, 0, 3, 0);
	group = dut_group(d, table, 0, 7, NULL);
	counter = alloc_counter();
	ktap(!arrives(&base, NULL) && d->dev->eth->counters.rx_no_rule == 1,
	     "without a root table packets are dropped");
	dut_root(d, table);
	ktap(!arrives(&base, NULL), "an empty table drops packets");
	ktap(!fte(table, group, 5, PRM_FLOW_FWD_DEST, &tir[1], 1, 0, 0, 0) &&
	     arrives(&base, NULL) == 2,
	     "entry 5 forwards to TIR 1");
	ktap(!fte(table, group, 3, PRM_FLOW_FWD_DEST | PRM_FLOW_COUNT, &tir[0], 1, counter, 0x1234,
		  0) &&
		     arrives(&base, &tag) == 1,
	     "entry 3 precedes entry 5");
	ktap(tag == 0x1234, "the CQE has the flow tag");
	ktap(counted(counter) == 1, "the flow counter counts");
	ktap(!fte(table, group, 1, PRM_FLOW_DROP, NULL, 0, 0, 0, 0) && !arrives(&base, NULL),
	     "entry 1 drops packets");
	ktap(!delete_fte(table, 1) && arrives(&base, NULL) == 1 && counted(counter) == 2,
	     "without entry 1 entry 3 matches again");
	ktap(!fte(table, group, 3, PRM_FLOW_FWD_DEST, tir, 2, 0, 7, 1) &&
	     arrives(&base, &tag) == 3 && tag == 7,
	     "a modified entry forwards to both TIRs");
	snprintf(line, sizeof(line), "d cqe 0x%x error local_prot", rq[1].cq.num);
	dut_check(fault_line(line, &d->dev, 1, stderr), "fault_line");
	ktap(arrives(&base, &tag) == 3 && tag == rq[1].num &&
	     !dut_modify_rq(d, rq[1].num, PRM_WQ_ERR, PRM_WQ_RST),
	     "a completion that a fault makes an error has the number of the RQ, which stops");
	ktap(dut_destroy_obj(d, PRM_OP_destroy_tir, tir[0]) == PRM_STATUS_RES_BUSY,
	     "a TIR that an entry forwards to cannot be destroyed");
	ktap(!delete_fte(table, 3) && !delete_fte(table, 5) &&
	     !dut_destroy_obj(d, PRM_OP_destroy_tir, tir[0]),
	     "without the entries the TIR can be destroyed");
	ktap(delete_fte(table, 3) == PRM_STATUS_IX, "an entry cannot be deleted twice");
	tear_down();
}

static int destroy_table(uint32_t table)
{
	struct prm_destroy_flow_table_in in = {};
	struct prm_destroy_flow_table_out out;

	prm_set(&in, table_id, table);
	return dut_cmd(d, destroy_flow_table, &in, &out);
}

static int destroy_group(uint32_t table, uint32_t group)
{
	struct prm_destroy_flow_group_in in = {};
	struct prm_destroy_flow_group_out out;

	prm_set(&in, table_id, table);
	prm_set(&in, group_id, group);
	return dut_cmd(d, destroy_flow_group, &in, &out);
}

static int set_miss(uint32_t table, uint32_t miss)
{
	struct prm_modify_flow_table_in in = {};
	struct prm_modify_flow_table_out out;

	prm_set(&in, table_id, table);
	prm_set(&in, modify_field_select, PRM_MODIFY_FT_MISS_TABLE);
	if (miss) {
		prm_set(&in, flow_table_context.table_miss_action, PRM_FT_MISS_FWD);
		prm_set(&in, flow_table_context.table_miss_id, miss);
	}
	return dut_cmd(d, modify_flow_table, &in, &out);
}

static int reset_root(void)
{
	struct prm_set_flow_table_root_in in = {};
	struct prm_set_flow_table_root_out out;

	prm_set(&in, op_mod, PRM_FT_ROOT_RESET);
	return dut_cmd(d, set_flow_table_root, &in, &out);
}

static void test_tables(void)
{
	uint32_t first, second, third, group, middle, last;

	set_up();
	third = dut_table(d, 9, 0, 0);
	second = dut_table(d, 5, 0, third);
	first = dut_table(d, 2, 0, 0);
	last = dut_group(d, third, 0, 0, NULL);
	dut_check(dut_fte(d, third, last, 0, NULL, PRM_FLOW_DEST_TIR, tir[1]), "set_fte");
	group = dut_group(d, first, 0, 0, NULL);
	dut_root(d, first);
	ktap(!set_miss(first, second) && arrives(&base, NULL) == 2,
	     "a miss continues in the next table, and the next");
	ktap(!set_miss(first, 0) && !arrives(&base, NULL),
	     "with the default miss the packet is dropped");
	ktap(!dut_fte(d, first, group, 0, NULL, PRM_FLOW_DEST_TABLE, third) &&
	     arrives(&base, NULL) == 2,
	     "an entry can forward to a table");
	ktap(set_miss(third, second) == PRM_STATUS_BAD_PARAM, "a miss to a lower level is refused");
	ktap(set_miss(second, second) == PRM_STATUS_BAD_PARAM,
	     "a miss to the same level is refused");
	delete_fte(first, 0);
	middle = dut_group(d, second, 0, 0, NULL);
	ktap(dut_fte(d, second, middle, 0, NULL, PRM_FLOW_DEST_TABLE, first) ==
		     PRM_STATUS_BAD_PARAM,
	     "an entry that forwards to a lower level is refused");
	ktap(!dut_fte(d, first, group, 0, NULL, PRM_FLOW_DEST_TABLE, third),
	     "an entry that forwards to a higher level is accepted");
	ktap(destroy_table(third) == PRM_STATUS_RES_BUSY,
	     "a table that others forward to cannot be destroyed");
	ktap(destroy_group(third, last) == PRM_STATUS_RES_BUSY,
	     "a group with entries cannot be destroyed");
	ktap(destroy_group(first, last) == PRM_STATUS_BAD_RES,
	     "a group of another table is refused");
	ktap(!reset_root() && !arrives(&base, NULL), "the root can be reset");
	ktap(dut_root(d, 0xabcdef) == PRM_STATUS_BAD_RES, "an unknown root is refused");
	dut_root(d, first);
	ktap(!delete_fte(first, 0) && !destroy_group(first, group) && !destroy_table(first) &&
	     !arrives(&base, NULL),
	     "the root table can be destroyed, then packets are dropped");
	ktap(!delete_fte(third, 0) && !destroy_group(third, last) &&
	     destroy_table(third) == PRM_STATUS_RES_BUSY &&
		     !destroy_group(second, middle) && !destroy_table(second) &&
		     !destroy_table(third),
	     "tables can be destroyed in the order of their references");
	tear_down();
}

static int try_group(uint32_t table, uint32_t start, uint32_t end, unsigned int enable,
		     unsigned int dword)
{
	struct prm_create_flow_group_in in = {};
	struct prm_create_flow_group_out out;

	prm_set(&in, table_id, table);
	prm_set(&in, start_flow_index, start);
	prm_set(&in, end_flow_index, end);
	prm_set(&in, match_criteria_enable, enable);
	if (dword)
		prm_sub(&in, match_criteria, fte_match_param)->dw[dword] = htobe32(0xffffffff);
	return dut_cmd(d, create_flow_group, &in, &out);
}

static void test_refused(void)
{
	struct prm_create_flow_table_in in = {};
	struct prm_create_flow_table_out out;
	struct prm_fte_match_set_lyr_2_4 criteria = {}, value = {};
	uint32_t table, group;

	set_up();
	table = dut_table(d, 0, 4, 0);
	ktap(!try_group(table, 4, 7, 0, 0), "a group of entries 4 to 7 can be created");
	ktap(try_group(table, 7, 9, 0, 0) == PRM_STATUS_BAD_PARAM,
	     "a group that overlaps the end of another is refused");
	ktap(try_group(table, 0, 4, 0, 0) == PRM_STATUS_BAD_PARAM,
	     "a group that overlaps the start of another is refused");
	ktap(try_group(table, 0, 15, 0, 0) == PRM_STATUS_BAD_PARAM,
	     "a group that contains another is refused");
	ktap(!try_group(table, 0, 3, 0, 0) && !try_group(table, 8, 8, 0, 0),
	     "adjacent groups are accepted");
	ktap(try_group(table, 9, 16, 0, 0) == PRM_STATUS_IX, "a group beyond the table is refused");
	ktap(try_group(table, 12, 11, 0, 0) == PRM_STATUS_IX,
	     "a group that ends before it starts is refused");
	ktap(try_group(table, 9, 9, PRM_MATCH_MISC, 0) == PRM_STATUS_BAD_PARAM,
	     "misc criteria are refused");
	ktap(try_group(table, 9, 9, 0, 2) == PRM_STATUS_BAD_PARAM,
	     "criteria without their enable bit are refused");
	ktap(try_group(table, 9, 9, PRM_MATCH_OUTER, 0x60) == PRM_STATUS_BAD_PARAM,
	     "criteria in the inner headers are refused");
	prm_set(&criteria, ip_protocol, 0xff);
	prm_set(&value, ethertype, 0x800);
	group = dut_group(d, table, 9, 15, &criteria);
	ktap(dut_fte(d, table, group, 9, &value, PRM_FLOW_DEST_TIR, tir[0]) == PRM_STATUS_BAD_PARAM,
	     "a value outside the criteria is refused");
	ktap(dut_fte(d, table, group, 8, NULL, PRM_FLOW_DEST_TIR, tir[0]) == PRM_STATUS_IX,
	     "an index outside the group is refused");
	ktap(dut_fte(d, table, group, 9, NULL, PRM_FLOW_DEST_VPORT, 0) == PRM_STATUS_BAD_PARAM,
	     "a vport as destination is refused");
	ktap(dut_fte(d, table, group, 9, NULL, PRM_FLOW_DEST_TIR, 0x999) == PRM_STATUS_BAD_RES,
	     "an unknown TIR is refused");
	ktap(!dut_fte(d, table, group, 9, NULL, PRM_FLOW_DEST_TIR, tir[0]),
	     "a valid entry is accepted");
	ktap(dut_fte(d, table, group, 9, NULL, PRM_FLOW_DEST_TIR, tir[0]) == PRM_STATUS_BAD_PARAM,
	     "an entry that exists is refused");
	ktap(fte(table, group, 10, PRM_FLOW_FWD_DEST, NULL, 0, 0, 0, 0) == PRM_STATUS_BAD_PARAM,
	     "forwarding without a destination is refused");
	ktap(fte(table, group, 10, PRM_FLOW_DROP | PRM_FLOW_FWD_DEST, tir, 1, 0, 0, 0) ==
		     PRM_STATUS_BAD_PARAM,
	     "an entry that forwards and drops is refused");
	ktap(fte(table, group, 10, 0x40 | PRM_FLOW_FWD_DEST, tir, 1, 0, 0, 0) ==
		     PRM_STATUS_BAD_PARAM,
	     "header modification is refused");
	prm_set(&in, table_type, PRM_FT_FDB);
	ktap(dut_cmd(d, create_flow_table, &in, &out) == PRM_STATUS_BAD_PARAM,
	     "an eswitch table is refused");
	prm_set(&in, table_type, 0);
	prm_set(&in, flow_table_context.log_size, 21);
	ktap(dut_cmd(d, create_flow_table, &in, &out) == PRM_STATUS_BAD_PARAM,
	     "a table of 2^21 entries is refused");
	tear_down();
}

/* ---- vport ---- */

static int roce(unsigned int version, unsigned int l3, const char *gid, uint8_t mac0, int vlan)
{
	struct prm_set_roce_address_in in = {};
	struct prm_set_roce_address_out out;

	prm_set(&in, roce_address_index, 3);
	prm_set(&in, roce_address.roce_version, version);
	prm_set(&in, roce_address.roce_l3_type, l3);
	memcpy(prm_bytes(&in, roce_address.source_l3_address), gid, 16);
	*prm_bytes(&in, roce_address.source_mac_47_32) = mac0;
	if (vlan >= 0) {
		prm_set(&in, roce_address.vlan_valid, 1);
		prm_set(&in, roce_address.vlan_id, vlan);
	}
	return dut_cmd(d, set_roce_address, &in, &out);
}

#define V4 "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\0\0\1"
#define V6 "\xfe\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\1"
#define NONE "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"

static void test_roce_address(void)
{
	set_up();
	ktap(!roce(PRM_ROCE_V2, PRM_ROCE_L3_IPV4, V4, 2, 100) && d->dev->roce_addrs[3].valid &&
	     d->dev->roce_addrs[3].vlan == 100 && d->dev->roce_addrs[3].version == 2,
	     "RoCE address: v2, IPv4, VLAN is accepted");
	ktap(!roce(PRM_ROCE_V1, 0, V6, 2, -1) && !d->dev->roce_addrs[3].vlan_valid,
	     "RoCE address: v1 is accepted");
	ktap(roce(PRM_ROCE_V2, PRM_ROCE_L3_IPV6, V4, 2, -1) == PRM_STATUS_BAD_PARAM,
	     "RoCE address: type IPv6 of an IPv4 address is refused");
	ktap(roce(PRM_ROCE_V2, PRM_ROCE_L3_IPV4, V6, 2, -1) == PRM_STATUS_BAD_PARAM,
	     "RoCE address: type IPv4 of an IPv6 address is refused");
	ktap(roce(PRM_ROCE_V1_5, 0, V6, 2, -1) == PRM_STATUS_BAD_PARAM,
	     "RoCE address: v1.5 is refused");
	ktap(roce(PRM_ROCE_V1, 0, V6, 3, -1) == PRM_STATUS_BAD_PARAM,
	     "RoCE address: a group MAC is refused");
	ktap(roce(PRM_ROCE_V1, 0, V6, 2, 4095) == PRM_STATUS_BAD_PARAM,
	     "RoCE address: VLAN 4095 is refused");
	ktap(roce(0, 0, NONE, 2, -1) == PRM_STATUS_BAD_PARAM,
	     "RoCE address: a MAC without a GID is refused");
	ktap(!roce(0, 0, NONE, 0, -1) && !d->dev->roce_addrs[3].valid,
	     "RoCE address: all zeros clear the entry");
	tear_down();
}

static int mac_list(unsigned int type, unsigned int n, uint64_t entry)
{
	struct prm_modify_nic_vport_context_in in = {};
	struct prm_modify_nic_vport_context_out out;
	uint64_t list[4] = { htobe64(entry), htobe64(entry), htobe64(entry), htobe64(entry) };

	prm_set(&in, field_select.addresses_list, 1);
	prm_set(&in, nic_vport_context.allowed_list_type, type);
	prm_set(&in, nic_vport_context.allowed_list_size, n);
	return dut_cmd_tail(d, modify_nic_vport_context, &in, &out, list, sizeof(list));
}

static int vport_mtu(unsigned int mtu)
{
	struct prm_modify_nic_vport_context_in in = {};
	struct prm_modify_nic_vport_context_out out;

	prm_set(&in, field_select.mtu, 1);
	prm_set(&in, nic_vport_context.mtu, mtu);
	return dut_cmd(d, modify_nic_vport_context, &in, &out);
}

static void test_vport(void)
{
	struct prm_query_nic_vport_context_in in = {};
	struct {
		struct prm_query_nic_vport_context_out head;
		uint8_t list[32];
	} out;

	set_up();
	ktap(!mac_list(PRM_VPORT_LIST_UC, 2, 0x02c400000055), "the unicast list can be set");
	ktap(mac_list(PRM_VPORT_LIST_UC, 2, 0x01005e000001) == PRM_STATUS_BAD_PARAM,
	     "a multicast address in the unicast list is refused");
	ktap(mac_list(PRM_VPORT_LIST_MC, 1, 0x02c400000055) == PRM_STATUS_BAD_PARAM,
	     "a unicast address in the multicast list is refused");
	ktap(!mac_list(PRM_VPORT_LIST_VLAN, 3, 100ull << 32), "the VLAN list can be set");
	ktap(mac_list(PRM_VPORT_LIST_MC, 5, 0x01005e000001) == PRM_STATUS_BAD_INP_LEN,
	     "a list longer than the input is refused");
	dut_check(dut_exec(d, PRM_OP_query_nic_vport_context, &in, sizeof(in), &out, sizeof(out)),
		  "query_nic_vport_context");
	ktap(prm_get(&out.head, nic_vport_context.allowed_list_size) == 2 && out.list[7] == 0x55 &&
	     out.list[2] == 2 &&
		     !memcmp(prm_bytes(&out.head,
				       nic_vport_context.permanent_address.mac_addr_47_32),
			     d->dev->mac, 6),
	     "QUERY_NIC_VPORT_CONTEXT returns list and MAC");
	ktap(!vport_mtu(9000) && vport_mtu(10001) == PRM_STATUS_BAD_PARAM &&
	     vport_mtu(60) == PRM_STATUS_BAD_PARAM,
	     "the vport MTU can be set within its limits");
	tear_down();
}

/* ---- registers ---- */

static int reg(unsigned int id, bool write, void *data, size_t len)
{
	struct prm_access_register_in in = {};
	struct {
		struct prm_access_register_out head;
		uint8_t data[256];
	} out;
	int status;

	prm_set(&in, register_id, id);
	prm_set(&in, op_mod, write ? PRM_ACCESS_REG_WRITE : PRM_ACCESS_REG_READ);
	status = dut_exec_tail(d, PRM_OP_access_register, &in, sizeof(in), data, len, &out,
			       sizeof(out.head) + len);
	if (!status)
		memcpy(data, out.data, len);
	return status;
}

static int paos(unsigned int admin)
{
	struct prm_paos_reg in = {};

	prm_set(&in, local_port, 1);
	prm_set(&in, ase, 1);
	prm_set(&in, admin_status, admin);
	return reg(PRM_REG_PAOS, true, &in, sizeof(in));
}

static void test_registers(void)
{
	struct prm_pmtu_reg pmtu = {};
	struct prm_ptys_reg ptys = {};
	struct prm_ppcnt_reg ppcnt = {};
	struct prm_paos_reg state = {};
	const struct prm_eqe *eqe;

	set_up();
	prm_set(&pmtu, local_port, 1);
	prm_set(&pmtu, admin_mtu, 9022);
	ktap(!reg(PRM_REG_PMTU, true, &pmtu, sizeof(pmtu)) && prm_get(&pmtu, oper_mtu) == 9022,
	     "PMTU sets the MTU");
	prm_set(&pmtu, admin_mtu, 20000);
	ktap(reg(PRM_REG_PMTU, true, &pmtu, sizeof(pmtu)) == PRM_STATUS_BAD_PARAM,
	     "PMTU refuses 20000");
	prm_set(&pmtu, local_port, 2);
	ktap(reg(PRM_REG_PMTU, false, &pmtu, sizeof(pmtu)) == PRM_STATUS_BAD_PARAM,
	     "local_port 2 is refused");
	ktap(reg(PRM_REG_PMTU, false, &pmtu, 8) == PRM_STATUS_BAD_INP_LEN,
	     "half a register is refused");
	prm_set(&ptys, local_port, 1);
	prm_set(&ptys, proto_mask, PRM_PTYS_ETH);
	ktap(!reg(PRM_REG_PTYS, false, &ptys, sizeof(ptys)) && prm_get(&ptys, eth_proto_oper),
	     "PTYS reports the speed of a link that is up");
	prm_set(&ppcnt, local_port, 1);
	ktap(reg(PRM_REG_PPCNT, true, &ppcnt, sizeof(ppcnt)) == PRM_STATUS_BAD_PARAM,
	     "PPCNT cannot be written");
	ktap(reg(PRM_REG_MCAM, false, &ppcnt, sizeof(ppcnt)) == PRM_STATUS_BAD_PARAM,
	     "MCAM is declined");
	dut_violations(d);
	ktap(reg(PRM_REG_MCAM, false, &ppcnt, sizeof(ppcnt)) && !dut_violations(d),
	     "reading an unsupported register is no violation");

	ktap(!paos(PRM_PORT_DOWN), "PAOS takes the port down");
	dut_run();
	eqe = dut_ptr(d, d->eq_buf);
	ktap(eqe->type == PRM_EVENT_PORT_CHANGE && eqe->sub_type == PRM_PORT_CHANGE_DOWN &&
	     eqe->data.port.port == 0x10,
	     "PAOS down raises a port event");
	prm_set(&state, local_port, 1);
	ktap(!reg(PRM_REG_PAOS, false, &state, sizeof(state)) &&
	     prm_get(&state, oper_status) == PRM_PORT_DOWN,
	     "PAOS reports the port down");
	ktap(!reg(PRM_REG_PTYS, false, &ptys, sizeof(ptys)) && !prm_get(&ptys, eth_proto_oper),
	     "PTYS reports no speed without link");
	paos(PRM_PORT_UP);
	dut_run();
	ktap(eqe[1].sub_type == PRM_PORT_CHANGE_ACTIVE, "PAOS up raises a port event");
	ktap(paos(7) == PRM_STATUS_BAD_PARAM, "PAOS refuses admin_status 7");
	tear_down();
}

int main(void)
{
	ktap_plan(ARRAY_SIZE(cases) + 78);
	test_match();
	test_rules();
	test_tables();
	test_refused();
	test_roce_address();
	test_vport();
	test_registers();
	return ktap_end();
}
