// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * A LAG in hash mode: flow tables select the port that a packet of the RDMA engine leaves by. The
 * tables are those that the kernel's own driver makes: one that tells kinds of packets apart, and
 * for each kind one with a hash group.
 */
#include <stdlib.h>

#include "nic/nic.h"
#include "port/port.h"
#include "prm/caps.h"
#include "prm/definer.h"
#include "prm/flow.h"
#include "prm/lag.h"
#include "rdma.h"

#define FLOWS 256
#define QKEY 0x11111111
#define PROTO_UDP 17
#define ALL_KINDS 3

static struct side a2;	/* port 2 of a's card */
static struct tcq ca, cb;

/* ---- commands ---- */

struct kind {
	const char *name;
	unsigned int format, ip_version, first, last; /* its group in the outer table */
	uint32_t definer, table, group, outer_group;
};

enum { V4, V6, ANY };

static struct kind kinds[ALL_KINDS] = {
	[V4] = { "v2/IPv4", PRM_DEFINER_IPV4, 4, 0, 0 },
	[V6] = { "v2/IPv6", PRM_DEFINER_IPV6_L4, 6, 1, 1 },
	[ANY] = { "all others", PRM_DEFINER_L2, 0, 16, 16 },
};

static uint32_t outer;
static const char *scene;	/* of what is made, for its sentence */

#define ONES(mask, format, f) \
	memset(prm_bytes((struct prm_match_definer_format_##format *)(mask), f), 0xff, \
	       prm_width((struct prm_match_definer_format_##format *)(mask), f) / 8)

static void fill_mask(unsigned int format, void *mask)
{
	switch (format) {
	case PRM_DEFINER_IPV4:
		ONES(mask, 22, outer_ip_src_addr);
		ONES(mask, 22, outer_ip_dest_addr);
		ONES(mask, 22, outer_l4_sport);
		ONES(mask, 22, outer_l4_dport);
		break;
	case PRM_DEFINER_IPV6_L4:
		ONES(mask, 29, outer_ip_src_addr);
		ONES(mask, 29, outer_ip_dest_addr);
		ONES(mask, 29, outer_l4_sport);
		ONES(mask, 29, outer_l4_dport);
		break;
	default:
		ONES(mask, 0, outer_dmac_47_16);
		ONES(mask, 0, outer_dmac_15_0);
		ONES(mask, 0, outer_smac_47_16);
		ONES(mask, 0, outer_smac_15_0);
		ONES(mask, 0, outer_ethertype);
	}
}

static uint32_t create_definer(unsigned int format)
{
	struct {
		struct prm_create_general_object_in head;
		struct prm_match_definer ctx;
	} in = {};
	struct {
		struct prm_query_general_object_out head;
		struct prm_match_definer ctx;
	} got = {};
	struct prm_query_general_object_in ask = {};
	struct prm_create_general_object_out out;
	int err;

	prm_set(&in.head, opcode, PRM_OP_create_general_object);
	prm_set(&in.head, obj_type, PRM_OBJ_MATCH_DEFINER);
	prm_set(&in.ctx, format_id, format);
	fill_mask(format, in.ctx.dw + prm_bit(&in.ctx, match_mask) / 32);
	err = exec(&a, PRM_OP_create_general_object, &in, sizeof(in), &out, sizeof(out));
	prm_set(&ask, opcode, PRM_OP_query_general_object);
	prm_set(&ask, obj_type, PRM_OBJ_MATCH_DEFINER);
	prm_set(&ask, obj_id, prm_get(&out, obj_id));
	ok(!err && !exec(&a, PRM_OP_query_general_object, &ask, sizeof(ask), &got, sizeof(got)) &&
	   !memcmp(&got.ctx, &in.ctx, sizeof(in.ctx)),
	   "%s: a definer of format %u reads as it was written", scene, format);
	return prm_get(&out, obj_id);
}

static int destroy_definer(uint32_t id)
{
	struct prm_destroy_general_object_in in = {};
	struct prm_destroy_general_object_out out;

	prm_set(&in, obj_type, PRM_OBJ_MATCH_DEFINER);
	prm_set(&in, obj_id, id);
	return command(&a, destroy_general_object, &in, &out);
}

/* @miss: the table behind it, 0: none. */
static uint32_t create_table(unsigned int level, unsigned int log_size, uint32_t miss)
{
	struct prm_create_flow_table_in in = {};
	struct prm_create_flow_table_out out;

	prm_set(&in, table_type, PRM_FT_PORT_SEL);
	prm_set(&in, flow_table_context.level, level);
	prm_set(&in, flow_table_context.log_size, log_size);
	prm_set(&in, flow_table_context.table_miss_action,
		miss ? PRM_FT_MISS_FWD : PRM_FT_MISS_DEFAULT);
	prm_set(&in, flow_table_context.table_miss_id, miss);
	ok(!command(&a, create_flow_table, &in, &out),
	   "%s: a table of level %u can be created", scene, level);
	return prm_get(&out, table_id);
}

static int destroy_table(uint32_t id)
{
	struct prm_destroy_flow_table_in in = {};
	struct prm_destroy_flow_table_out out;

	prm_set(&in, table_type, PRM_FT_PORT_SEL);
	prm_set(&in, table_id, id);
	return command(&a, destroy_flow_table, &in, &out);
}

static int destroy_group(uint32_t table, uint32_t group)
{
	struct prm_destroy_flow_group_in in = {};
	struct prm_destroy_flow_group_out out;

	prm_set(&in, table_type, PRM_FT_PORT_SEL);
	prm_set(&in, table_id, table);
	prm_set(&in, group_id, group);
	return command(&a, destroy_flow_group, &in, &out);
}

static int delete_entry(uint32_t table, uint32_t index)
{
	struct prm_delete_fte_in in = {};
	struct prm_delete_fte_out out;

	prm_set(&in, table_type, PRM_FT_PORT_SEL);
	prm_set(&in, table_id, table);
	prm_set(&in, flow_index, index);
	return command(&a, delete_fte, &in, &out);
}

static int set_root(uint32_t table)
{
	struct prm_set_flow_table_root_in in = {};
	struct prm_set_flow_table_root_out out;

	prm_set(&in, op_mod, table ? PRM_FT_ROOT_SET : PRM_FT_ROOT_RESET);
	prm_set(&in, table_type, PRM_FT_PORT_SEL);
	prm_set(&in, table_id, table);
	return command(&a, set_flow_table_root, &in, &out);
}

static uint32_t create_group(struct prm_create_flow_group_in *in, uint32_t table, uint32_t first,
			     uint32_t last)
{
	struct prm_create_flow_group_out out;

	prm_set(in, table_type, PRM_FT_PORT_SEL);
	prm_set(in, table_id, table);
	prm_set(in, start_flow_index, first);
	prm_set(in, end_flow_index, last);
	ok(!command(&a, create_flow_group, in, &out),
	   "%s: a group of entries %u to %u can be created", scene,
	   first, last);
	return prm_get(&out, group_id);
}

struct entry {
	struct prm_set_fte_in in;
	struct prm_dest_format_struct dest;
};

static int set_fte(struct entry *fte, uint32_t table, uint32_t group, uint32_t index)
{
	struct prm_set_fte_out out;

	prm_set(&fte->in, opcode, PRM_OP_set_fte);
	prm_set(&fte->in, table_type, PRM_FT_PORT_SEL);
	prm_set(&fte->in, table_id, table);
	prm_set(&fte->in, flow_index, index);
	prm_set(&fte->in, flow_context.group_id, group);
	prm_set(&fte->in, flow_context.action, PRM_FLOW_FWD_DEST);
	prm_set(&fte->in, flow_context.destination_list_size, 1);
	return exec(&a, PRM_OP_set_fte, fte, sizeof(*fte), &out, sizeof(out));
}

/* Entry @index of a hash group leads to the uplink of this function. */
static int forward_to(const struct kind *kind, uint32_t index, const struct side *to, bool modify)
{
	struct entry fte = {};

	prm_set(&fte.in, op_mod, modify);
	prm_set(&fte.in, modify_enable_mask, modify ? PRM_FTE_MODIFY_DEST_LIST : 0);
	prm_set(&fte.dest, destination_type, PRM_FLOW_DEST_UPLINK);
	prm_set(&fte.dest, destination_eswitch_owner_vhca_id_valid, 1);
	prm_set(&fte.dest, destination_eswitch_owner_vhca_id, to->dev->index);
	return set_fte(&fte, kind->table, kind->group, index);
}

static int forward_all_to(const struct side *one, const struct side *two)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < ALL_KINDS; i++)
		err |= forward_to(&kinds[i], 0, one, true) | forward_to(&kinds[i], 1, two, true);
	return err;
}

/* ---- the tables ---- */

static void create_kind(struct kind *kind)
{
	struct prm_create_flow_group_in hash = {};

	scene = kind->name;
	kind->definer = create_definer(kind->format);
	kind->table = create_table(2, 1, 0);
	prm_set(&hash, group_type, PRM_FG_HASH_SPLIT);
	prm_set(&hash, match_definer_id, kind->definer);
	kind->group = create_group(&hash, kind->table, 0, 1);
	ok(!forward_to(kind, 0, &a, false) && !forward_to(kind, 1, &a2, false),
	   "%s: two entries forward to the uplinks of both functions", kind->name);
}

static void forward_kind(struct kind *kind)
{
	struct prm_create_flow_group_in group = {};
	struct entry fte = {};

	if (kind->ip_version) {
		prm_set(&group, match_criteria_enable, PRM_MATCH_OUTER);
		prm_set(&group, match_criteria.outer_headers.ip_version, 0xf);
		prm_set(&group, match_criteria.outer_headers.ip_protocol, 0xff);
		prm_set(&fte.in, flow_context.match_value.outer_headers.ip_version,
			kind->ip_version);
		prm_set(&fte.in, flow_context.match_value.outer_headers.ip_protocol, PROTO_UDP);
	}
	scene = kind->name;
	kind->outer_group = create_group(&group, outer, kind->first, kind->last);
	prm_set(&fte.dest, destination_type, PRM_FLOW_DEST_TABLE);
	prm_set(&fte.dest, destination_id, kind->table);
	ok(!set_fte(&fte, outer, kind->outer_group, kind->first),
	   "%s: an entry forwards to their table",
	   kind->name);
}

static void create_tables(void)
{
	unsigned int i;

	for (i = 0; i < ALL_KINDS; i++)
		create_kind(&kinds[i]);
	scene = "the outer table";
	outer = create_table(0, 7, 0);
	for (i = 0; i < ALL_KINDS; i++)
		forward_kind(&kinds[i]);
	ok(!set_root(outer), "the outer table can be the root");
}

static void destroy_kind(const struct kind *kind)
{
	ok(destroy_table(kind->table) == PRM_STATUS_RES_BUSY &&
	   destroy_definer(kind->definer) == PRM_STATUS_RES_BUSY,
	   "%s: a group keeps its table and definer from being destroyed", kind->name);
	ok(!delete_entry(kind->table, 0) && !delete_entry(kind->table, 1) &&
	   !destroy_group(kind->table, kind->group) && !destroy_table(kind->table) &&
	   !destroy_definer(kind->definer),
	   "%s: without the group table and definer can be destroyed", kind->name);
}

static void destroy_tables(void)
{
	unsigned int i;

	for (i = 0; i < ALL_KINDS; i++)
		ok(!delete_entry(outer, kinds[i].first) &&
		   !destroy_group(outer, kinds[i].outer_group),
		   "%s: the entry and its group can be destroyed", kinds[i].name);
	ok(!destroy_table(outer) && !a.dev->eth->port_root, "the root table can be destroyed");
	a.dev->violations = 0;
	for (i = 0; i < ALL_KINDS; i++)
		destroy_kind(&kinds[i]);
	a.dev->violations = 0;
}

/* ---- LAG ---- */

static int create(unsigned int active)
{
	struct prm_create_lag_in in = {};
	struct prm_create_lag_out out;

	prm_set(&in, ctx.port_select_mode, PRM_LAG_PORT_SELECT_FT);
	prm_set(&in, ctx.active_port, active);
	return command(&a, create_lag, &in, &out);
}

static int modify_active(unsigned int active)
{
	struct prm_modify_lag_in in = {};
	struct prm_modify_lag_out out;

	prm_set(&in, field_select, PRM_MODIFY_LAG_ACTIVE_PORT);
	prm_set(&in, ctx.active_port, active);
	return command(&a, modify_lag, &in, &out);
}

static int destroy(void)
{
	struct prm_destroy_lag_in in = {};
	struct prm_destroy_lag_out out;

	return command(&a, destroy_lag, &in, &out);
}

static int vport(bool on)
{
	struct prm_create_vport_lag_in in = {};
	struct prm_create_vport_lag_out out;
	struct prm_destroy_vport_lag_in gone = {};

	return on ? command(&a, create_vport_lag, &in, &out) :
		    command(&a, destroy_vport_lag, &gone, &out);
}

static void set_bypass(bool on)
{
	static struct prm_set_hca_cap_in in;
	struct prm_set_hca_cap_out out;

	memcpy((uint8_t *)&in + sizeof(struct prm_mbox_in),
	       a.dev->hca->cap_cur[CAP_PORT_SELECTION], CAP_BYTES);
	prm_set(&in, op_mod, CAP_PORT_SELECTION << 1);
	prm_set(&in, capability.port_selection_cap.port_select_flow_table_bypass, on);
	a.dev->hca->phase = HCA_ENABLED;
	ok(!command(&a, set_hca_cap, &in, &out), "%s: the bypass can be set to %u", scene, on);
	a.dev->hca->phase = HCA_RUNNING;
}

/* Line of `status` about the LAG. */
static const char *status(void)
{
	static char text[200];
	FILE *out = fmemopen(text, sizeof(text), "w");

	lag_status(a.dev, out);
	fclose(out);
	return text;
}

/* ---- traffic ---- */

static struct sent sent(void)
{
	return frames_sent(&a, &a2);
}

static struct tqp datagrams[ALL_KINDS], receivers[ALL_KINDS];
static const unsigned int addrs[ALL_KINDS] = { ADDR_V2_IPV4, ADDR_V2_IPV6, ADDR_V1 };

/* Each flow gets a datagram; by which port it left, 9: by both or none. */
static unsigned int send_flow(unsigned int kind, uint16_t sport)
{
	struct wr wr = { .opcode = PRM_WQE_SEND, .n = 1, .sge = { { a.va, 50, a.lkey } },
			 .to = &b, .addr = addrs[kind], .dqpn = receivers[kind].qpn, .qkey = QKEY,
			 .sport = sport };
	struct sent n;

	sent();
	post_send(&datagrams[kind], &wr);
	settle();
	while (poll(&ca))
		;
	n = sent();
	return n.one + n.two != 1 ? 9 : n.one ? 1 : 2;
}

/* How many of FLOWS leave by port 1; -1: one left twice, or now and then by another port. */
static int spread(unsigned int kind, unsigned int step)
{
	unsigned int i, port;
	int one = 0;

	for (i = 0; i < FLOWS; i++) {
		port = send_flow(kind, 0xc000 + i * step);
		if (port == 9 || port != send_flow(kind, 0xc000 + i * step))
			return -1;
		one += port == 1;
	}
	return one;
}

static bool about_half(int n)
{
	return n > FLOWS * 2 / 5 && n < FLOWS * 3 / 5;
}

static void create_datagram_qps(void)
{
	struct qp_opts o = { .qkey = QKEY };
	unsigned int i;

	for (i = 0; i < ALL_KINDS; i++) {
		o.addr = addrs[i];
		create_pair(&datagrams[i], &receivers[i], PRM_QP_ST_UD, &ca, &cb, &o);
	}
}

static void test_spread(void)
{
	ok(spread(V4, 1) == FLOWS, "without a LAG the tables are not used");
	ok(!create(3) && !vport(true), "a LAG in hash mode can be created");
	ok(about_half(spread(V4, 1)) && about_half(spread(V4, 2)) && about_half(spread(V4, 64)),
	   "IPv4 source ports spread over both ports, a flow keeps its port");
	ok(about_half(spread(V6, 1)) && about_half(spread(V6, 2)),
	   "IPv6 source ports spread over both ports");
	ok(spread(ANY, 1) % FLOWS == 0, "RoCE v1 between two addresses is one flow");
}

/* One frame, FLOWS times, with another value at this byte; how many have port 1. */
static unsigned int vary(struct frame *frame, unsigned int at)
{
	unsigned int i, one = 0;

	for (i = 0; i < FLOWS; i++) {
		frame->data[at] = i;
		one += port_select(a.dev, frame) == 1;
	}
	frame->data[at] = 0;
	return one;
}

/* RoCE v1 to many addresses, and from many. */
static void test_macs(void)
{
	struct frame *frame = frame_alloc(64);

	memset(frame->data, 0, 64);
	memcpy(frame->data + 12, "\x89\x15", 2);
	ok(about_half(vary(frame, 5)) && about_half(vary(frame, 11)),
	   "v1 spreads by source and destination MAC");
	frame_free(frame);
}

/* Of IPv4 the definer picks addresses and ports, of other frames MACs and ethertype. */
static void test_picked(void)
{
	static const unsigned int picked[] = { 26, 29, 30, 33, 34, 35, 36, 37 };
	static const unsigned int others[] = { 0, 5, 6, 11, 15, 18, 22, 40 };
	struct frame *frame = frame_alloc(64);
	unsigned int i, n, good = 0;

	memset(frame->data, 0, 64);
	memcpy(frame->data + 12, "\x08\0\x45", 3);
	frame->data[17] = 50;
	frame->data[23] = PROTO_UDP;
	for (i = 0; i < ARRAY_SIZE(picked); i++)
		good += about_half(vary(frame, picked[i]));
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		n = vary(frame, others[i]);
		good += !n || n == FLOWS;
	}
	ok(good == ARRAY_SIZE(picked) + ARRAY_SIZE(others),
	   "only the fields of the definer change the port (%u)", good);
	memcpy(frame->data + 12, "\x81\0\0\x05\x08\0\x45", 7);
	frame->data[18 + 3] = 46;
	frame->data[18 + 9] = PROTO_UDP;
	n = vary(frame, 14);
	ok(about_half(vary(frame, 18 + 20)) && (!n || n == FLOWS),
	   "fields behind a VLAN tag change the port");
	frame_free(frame);
}

static bool port_fails(void)
{
	port_set_wire(a.dev->port, false);
	return !forward_all_to(&a2, &a2) && !modify_active(2);
}

#define PAIRS 12

static void test_connections(void)
{
	unsigned int i, one = 0, two = 0, both = 0;
	struct tqp x[PAIRS], y[PAIRS];
	struct sent n;

	for (i = 0; i < PAIRS; i++)
		pair_with_affinity(&x[i], &y[i], &ca, &cb, 0);
	for (i = 0; i < PAIRS; i++) {
		sent();
		ok(write_bytes(&x[i], &ca, 5000, i, NULL), "connection %u works", i);
		n = sent();
		one += n.one == 5 && !n.two;
		two += n.two == 5 && !n.one;
		both += n.one && n.two;
	}
	ok(one && two && !both && one + two == PAIRS,
	   "connections use both ports (%u and %u), each only one", one, two);
	for (i = 0; i < PAIRS; i++)
		destroy_pair(&x[i], &y[i]);
}

/* What the driver does when a port fails. */
static void test_fail_over(void)
{
	struct tqp x[4], y[4];
	struct sent n;
	unsigned int i;

	for (i = 0; i < 4; i++)
		pair_with_affinity(&x[i], &y[i], &ca, &cb, 0);
	ok(!forward_all_to(&a, &a), "all entries can be modified to port 1");
	sent();
	ok(write_bytes(&x[0], &ca, 300000, 3, port_fails),
	   "a message survives the failure of port 1");
	n = sent();
	ok(n.one && n.two, "its packets left by both ports");
	ok(spread(V4, 1) == 0 && spread(V6, 1) == 0 && spread(ANY, 1) == 0,
	   "after the failure all flows leave by port 2");
	port_set_wire(a.dev->port, true);
	ok(!forward_all_to(&a, &a2) && !modify_active(3) && about_half(spread(V4, 1)),
	   "flows return with port 1");
	for (i = 0; i < 4; i++)
		destroy_pair(&x[i], &y[i]);
}

/* The port of a connection with this affinity while the tables lead all to one port. */
static unsigned int port_of_affinity(struct tqp *x)
{
	struct sent n;

	sent();
	if (!write_bytes(x, &ca, 5000, 1, NULL))
		return 9;
	n = sent();
	return n.one && n.two ? 9 : n.one ? 1 : 2;
}

static void test_affinity(void)
{
	struct tqp x[3], y[3];
	unsigned int i;

	for (i = 0; i < 3; i++)
		pair_with_affinity(&x[i], &y[i], &ca, &cb, i);
	forward_all_to(&a2, &a2);
	ok(port_of_affinity(&x[0]) == 2 && port_of_affinity(&x[1]) == 1 &&
	   port_of_affinity(&x[2]) == 2, "with the bypass an affinity overrides the tables");
	ok(!modify_active(2) && port_of_affinity(&x[1]) == 2,
	   "the affinity of an inactive port is ignored");
	forward_all_to(&a, &a);
	ok(!modify_active(1) && port_of_affinity(&x[1]) == 1 && port_of_affinity(&x[2]) == 1,
	   "the affinity of the other inactive port is ignored");

	ok(!vport(false) && !destroy(), "the LAG with the bypass can be destroyed");
	scene = "between LAGs";
	set_bypass(false);
	forward_all_to(&a2, &a2);
	ok(!create(0) && !vport(true) && port_of_affinity(&x[1]) == 2 &&
	   port_of_affinity(&x[2]) == 2, "without the bypass an affinity is ignored");
	ok(strstr(status(), "lag: on, hash mode, active ports none, vport"),
	   "status shows a LAG without active ports");
	ok(!vport(false) && !destroy(), "the LAG without the bypass can be destroyed");
	set_bypass(true);
	ok(!create(3) && !vport(true), "a LAG with the bypass can be created again");
	for (i = 0; i < 3; i++)
		destroy_pair(&x[i], &y[i]);
}

static unsigned int packets_by_one(void)
{
	return spread(V4, 1) + spread(V6, 1) + (spread(ANY, 1) ? FLOWS : 0);
}

/* Where the tables say nothing a packet leaves by its function's own port. */
static void test_nothing_said(void)
{
	uint32_t front;

	forward_all_to(&a2, &a2);
	ok(!packets_by_one(), "entries of port 2 send all flows by port 2");
	ok(!set_root(0) && packets_by_one() == 3 * FLOWS,
	   "without a root all flows leave by port 1");
	ok(!set_root(kinds[V4].table) && spread(V4, 1) == 0,
	   "a table with a hash group can be the root");
	scene = "before a hash group";
	front = create_table(1, 0, kinds[V4].table);
	ok(!set_root(front) && spread(V4, 1) == 0 && destroy_table(kinds[V4].table) &&
	   !destroy_table(front) && spread(V4, 1) == FLOWS && !set_root(kinds[V4].table),
	   "a root without entries can miss to a table with a hash group");
	a.dev->violations = 0;
	ok(!delete_entry(kinds[V4].table, 0) && about_half(spread(V4, 1)),
	   "with one of two entries deleted half of the flows leave by port 1");
	ok(!set_root(outer) && about_half(spread(V4, 1)) && spread(V6, 1) == 0,
	   "the outer table is the root again");
	ok(!forward_to(&kinds[V4], 0, &a2, false) && !packets_by_one(),
	   "the deleted entry can be set again");
	ok(!delete_entry(outer, kinds[ANY].first) && spread(ANY, 1) == FLOWS && spread(V4, 1) == 0,
	   "flows that no entry matches leave by port 1");
}

static void forward_any(void)
{
	struct entry fte = {};

	prm_set(&fte.dest, destination_type, PRM_FLOW_DEST_TABLE);
	prm_set(&fte.dest, destination_id, kinds[ANY].table);
	ok(!set_fte(&fte, outer, kinds[ANY].outer_group, kinds[ANY].first),
	   "the entry of all others can be set again");
}

static void test_query(void)
{
	struct prm_query_lag_in in = {};
	struct prm_query_lag_out out;

	ok(!modify_active(2) && !command(&a, query_lag, &in, &out) &&
	   prm_get(&out, ctx.port_select_mode) == PRM_LAG_PORT_SELECT_FT &&
	   prm_get(&out, ctx.active_port) == 2 && !prm_get(&out, ctx.tx_remap_affinity_1) &&
	   !prm_get(&out, ctx.tx_remap_affinity_2), "QUERY_LAG returns mode and active ports");
	ok(strstr(status(), "lag: on, hash mode, active ports 2, vport"),
	   "status shows mode and active port");
	modify_active(3);
	ok(strstr(status(), "active ports 1 2"), "status shows both active ports");
	ok(!a.dev->violations && !a2.dev->violations && !b.dev->violations,
	   "hash mode causes no violation");
}

static void test_end(void)
{
	struct prm_teardown_hca_in in = {};
	struct prm_teardown_hca_out out;
	unsigned int i;

	for (i = 0; i < ALL_KINDS; i++)
		destroy_pair(&datagrams[i], &receivers[i]);
	ok(!vport(false) && !destroy(), "the LAG can be destroyed before its tables");
	destroy_tables();
	scene = "before a reset";
	create_definer(PRM_DEFINER_L2);
	set_root(create_table(0, 0, 0));
	create(1);
	cxdev_reset(a.dev);
	ok(!a.dev->adapter->active && !a.dev->eth->port_root &&
	   !obj_count(a.dev, OBJ_MATCH_DEFINER),
	   "a reset destroys LAG, tables and definers");
	a.dev->hca->phase = HCA_RUNNING;
	a.dev->hca->pages.n = 1u << 20;
	a.dev->violations = 0;
	scene = "before TEARDOWN_HCA";
	create_definer(PRM_DEFINER_L2);
	create_table(0, 0, 0);
	command(&a, teardown_hca, &in, &out);
	ok(a.dev->violations == 2, "at TEARDOWN_HCA a definer and a table are leaks");
}

int main(void)
{
	struct cxdev *card[LAG_PORTS];

	sides_open();
	side_open(&a2, "a2", 2);
	create_cq(&ca, &a, 9);
	create_cq(&cb, &b, 9);
	card[0] = a.dev;
	card[1] = a2.dev;
	a.dev->card = card_find("cx7", 3);
	a2.dev->card = a.dev->card;
	ok(!adapter_join(card), "two functions become the ports of a ConnectX-7");
	scene = "at the start";
	set_bypass(true);
	create_tables();
	create_datagram_qps();
	test_spread();
	test_macs();
	test_picked();
	test_connections();
	test_fail_over();
	test_affinity();
	test_nothing_said();
	forward_any();
	test_query();
	test_end();
	side_close(&a2);
	sides_close();
	return ok_end();
}
