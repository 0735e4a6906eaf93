// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * A PF that manages the e-switch of its card: its FDB says who gets a frame, it sets the vports of
 * its VFs, and is told when one has changed.
 */
#include <stdlib.h>
#include <string.h>

#include "host/control.h"
#include "ktap.h"
#include "port/port.h"
#include "prm/caps.h"
#include "prm/vport.h"
#include "vf_card.h"
#include "wrong_log.h"

#define FIRST 0		/* entries of the table: addresses, groups, promiscuous */
#define GROUPS 30
#define UNKNOWN 31
#define SEVERAL 0xffff

static const uint8_t group_bit[6] = { 1 };
static uint32_t table, addresses, groups, unknown;

/* ---- commands of the manager ---- */

static int query_vport(unsigned int vport, struct prm_query_nic_vport_context_out *reply)
{
	struct prm_query_nic_vport_context_in in = {};

	prm_set(&in, other_vport, !!vport);
	prm_set(&in, vport_number, vport);
	return dut_cmd(f[0], query_nic_vport_context, &in, reply);
}

/* The only address of the vport's list; 0: it has another number of them */
static uint64_t list_of(unsigned int vport)
{
	struct {
		struct prm_query_nic_vport_context_out context;
		uint64_t entries[2];
	} reply;
	struct prm_query_nic_vport_context_in in = {};

	prm_set(&in, other_vport, 1);
	prm_set(&in, vport_number, vport);
	dut_check(dut_exec(f[0], PRM_OP_query_nic_vport_context, &in, sizeof(in), &reply,
			   sizeof(reply)), "query_nic_vport_context");
	return prm_get(&reply.context, nic_vport_context.allowed_list_size) == 1 ?
		       be64toh(reply.entries[0]) : 0;
}

/* @edit: what to set of the context */
static int modify_vport(unsigned int vport,
			void (*edit)(struct prm_modify_nic_vport_context_in *in))
{
	struct prm_modify_nic_vport_context_in in = {};
	struct prm_modify_nic_vport_context_out reply;

	prm_set(&in, other_vport, !!vport);
	prm_set(&in, vport_number, vport);
	edit(&in);
	return dut_cmd(f[0], modify_nic_vport_context, &in, &reply);
}

static void arm_lists(struct prm_modify_nic_vport_context_in *in)
{
	prm_set(in, field_select.change_event, 1);
	prm_set(in, nic_vport_context.arm_change_event, 1);
	prm_set(in, nic_vport_context.event_on_uc_address_change, 1);
	prm_set(in, nic_vport_context.event_on_promisc_change, 1);
}

static void disarm(struct prm_modify_nic_vport_context_in *in)
{
	prm_set(in, field_select.change_event, 1);
}

static void mac_7(struct prm_modify_nic_vport_context_in *in)
{
	prm_set(in, field_select.permanent_address, 1);
	memcpy(prm_bytes(in, nic_vport_context.permanent_address.mac_addr_47_32), TO(7), 6);
}

static void mac_none(struct prm_modify_nic_vport_context_in *in)
{
	prm_set(in, field_select.permanent_address, 1);
}

static void mac_group(struct prm_modify_nic_vport_context_in *in)
{
	prm_set(in, field_select.permanent_address, 1);
	memcpy(prm_bytes(in, nic_vport_context.permanent_address.mac_addr_47_32), group, 6);
}

static void guid(struct prm_modify_nic_vport_context_in *in)
{
	prm_set(in, field_select.node_guid, 1);
	prm_set64(in, nic_vport_context.node_guid, 0x1122334455667788);
}

static void mtu(struct prm_modify_nic_vport_context_in *in)
{
	prm_set(in, field_select.mtu, 1);
	prm_set(in, nic_vport_context.mtu, 1500);
}

static int set_link(unsigned int vport, unsigned int op_mod, unsigned int state)
{
	struct prm_modify_vport_state_out reply;
	struct prm_modify_vport_state_in in = {};

	prm_set(&in, op_mod, op_mod);
	prm_set(&in, other_vport, !!vport);
	prm_set(&in, vport_number, vport);
	prm_set(&in, admin_state, state);
	return dut_cmd(f[0], modify_vport_state, &in, &reply);
}

static int link_of(struct dut *dut, unsigned int vport, unsigned int op_mod,
		   struct prm_query_vport_state_out *reply)
{
	struct prm_query_vport_state_in in = {};

	prm_set(&in, op_mod, op_mod);
	prm_set(&in, other_vport, !!vport);
	prm_set(&in, vport_number, vport);
	return dut_cmd(dut, query_vport_state, &in, reply);
}

static struct prm_modify_esw_vport_context_in vlan_command(unsigned int vport, unsigned int insert,
							   bool strip, unsigned int id)
{
	struct prm_modify_esw_vport_context_in in = {};

	prm_set(&in, other_vport, !!vport);
	prm_set(&in, vport_number, vport);
	prm_set(&in, field_select.vport_cvlan_insert, 1);
	prm_set(&in, field_select.vport_cvlan_strip, 1);
	prm_set(&in, esw_vport_context.vport_cvlan_insert, insert);
	prm_set(&in, esw_vport_context.vport_cvlan_strip, strip);
	prm_set(&in, esw_vport_context.cvlan_id, id);
	prm_set(&in, esw_vport_context.cvlan_pcp, 5);
	return in;
}

static int set_vlan(unsigned int vport, unsigned int insert, bool strip, unsigned int id)
{
	struct prm_modify_esw_vport_context_in in = vlan_command(vport, insert, strip, id);
	struct prm_modify_esw_vport_context_out reply;

	return dut_cmd(f[0], modify_esw_vport_context, &in, &reply);
}

static int set_l2(unsigned int index, const uint8_t *mac)
{
	struct prm_set_l2_table_entry_in in = {};
	struct prm_set_l2_table_entry_out reply;

	prm_set(&in, table_index, index);
	memcpy(prm_bytes(&in, mac_address.mac_addr_47_32), mac, 6);
	return dut_cmd(f[0], set_l2_table_entry, &in, &reply);
}

/* ---- the FDB ---- */

static uint32_t create_table(void)
{
	struct prm_create_flow_table_in in = {};
	struct prm_create_flow_table_out reply;

	prm_set(&in, table_type, PRM_FT_FDB);
	prm_set(&in, flow_table_context.log_size, 5);
	dut_must(f[0], create_flow_table, &in, &reply);
	return prm_get(&reply, table_id);
}

static uint32_t create_group(unsigned int first, unsigned int last, const uint8_t *mask,
			     bool source)
{
	struct prm_create_flow_group_in in = {};
	struct prm_create_flow_group_out reply;

	prm_set(&in, table_type, PRM_FT_FDB);
	prm_set(&in, table_id, table);
	prm_set(&in, start_flow_index, first);
	prm_set(&in, end_flow_index, last);
	prm_set(&in, match_criteria_enable,
		(mask ? PRM_MATCH_OUTER : 0) | (source ? PRM_MATCH_MISC : 0));
	if (mask)
		memcpy(prm_bytes(&in, match_criteria.outer_headers.dmac_47_16), mask, 6);
	if (source)
		prm_set(&in, match_criteria.misc_parameters.source_port, 0xffff);
	dut_must(f[0], create_flow_group, &in, &reply);
	return prm_get(&reply, group_id);
}

static struct {
	struct prm_set_fte_in in;
	struct prm_dest_format_struct dests[4];
} entry;

static void begin_entry(unsigned int index, uint32_t in_group, const uint8_t *mac)
{
	memset(&entry, 0, sizeof(entry));
	prm_set(&entry.in, table_type, PRM_FT_FDB);
	prm_set(&entry.in, table_id, table);
	prm_set(&entry.in, flow_index, index);
	prm_set(&entry.in, flow_context.group_id, in_group);
	prm_set(&entry.in, flow_context.action, PRM_FLOW_FWD_DEST);
	if (mac)
		memcpy(prm_bytes(&entry.in, flow_context.match_value.outer_headers.dmac_47_16),
		       mac, 6);
}

static int send_entry(void)
{
	struct prm_set_fte_out reply;

	return dut_cmd_tail(f[0], set_fte, &entry.in, &reply, entry.dests, sizeof(entry.dests));
}

/* @to: the vports, ended by -1 */
static int set_entry(const int *to)
{
	unsigned int n = 0;

	for (; to[n] >= 0; n++) {
		prm_set(&entry.dests[n], destination_type, PRM_FLOW_DEST_VPORT);
		prm_set(&entry.dests[n], destination_id, to[n]);
	}
	prm_set(&entry.in, flow_context.destination_list_size, n);
	return send_entry();
}

#define ADDRESS(index, mac, ...)								\
	(begin_entry(index, addresses, mac), set_entry((const int[]){ __VA_ARGS__, -1 }))

static int set_root(void)
{
	struct prm_set_flow_table_root_in in = {};
	struct prm_set_flow_table_root_out reply;

	prm_set(&in, table_type, PRM_FT_FDB);
	prm_set(&in, table_id, table);
	return dut_cmd(f[0], set_flow_table_root, &in, &reply);
}

/* Of the events since told(): the vport, SEVERAL, or -1 */
static int changed;

static void take_event(struct event_sink *sink, uint8_t type, uint8_t subtype, const void *data,
		       size_t len)
{
	const struct prm_eqe_vport_change *eqe = data;

	(void)sink;
	(void)type;
	(void)subtype;
	(void)len;
	changed = changed < 0 ? be16_to_cpu(eqe->vport_num) : SEVERAL;
}

static struct event_sink sink = { .push = take_event };

/* ---- ACLs: the table is @table, the vport @acl_vport ---- */

static unsigned int acl_vport;
static bool acl_egress;

#define NAME_ACL(in)										\
	do {											\
		prm_set(in, table_type, acl_egress ? PRM_FT_ESW_EGRESS : PRM_FT_ESW_INGRESS);	\
		prm_set(in, other_vport, 1);							\
		prm_set(in, vport_number, acl_vport);						\
	} while (0)

/* A table for the vport, which is in force */
static void set_acl(unsigned int vport, bool egress)
{
	struct prm_create_flow_table_in in = {};
	struct prm_create_flow_table_out reply;
	struct prm_set_flow_table_root_in root = {};
	struct prm_set_flow_table_root_out root_reply;

	acl_vport = vport;
	acl_egress = egress;
	NAME_ACL(&in);
	prm_set(&in, flow_table_context.log_size, 1);
	dut_must(f[0], create_flow_table, &in, &reply);
	table = prm_get(&reply, table_id);
	NAME_ACL(&root);
	prm_set(&root, table_id, table);
	dut_must(f[0], set_flow_table_root, &root, &root_reply);
}

static void reset_acl(unsigned int vport, bool egress)
{
	struct prm_set_flow_table_root_in in = {};
	struct prm_set_flow_table_root_out reply;

	acl_vport = vport;
	acl_egress = egress;
	NAME_ACL(&in);
	prm_set(&in, op_mod, PRM_FT_ROOT_RESET);
	dut_must(f[0], set_flow_table_root, &in, &reply);
}

static uint32_t acl_group(unsigned int index, bool smac)
{
	struct prm_create_flow_group_in in = {};
	struct prm_create_flow_group_out reply;

	NAME_ACL(&in);
	prm_set(&in, table_id, table);
	prm_set(&in, start_flow_index, index);
	prm_set(&in, end_flow_index, index);
	prm_set(&in, match_criteria_enable, smac ? PRM_MATCH_OUTER : 0);
	if (smac)
		memcpy(prm_bytes(&in, match_criteria.outer_headers.smac_47_16), broadcast, 6);
	dut_must(f[0], create_flow_group, &in, &reply);
	return prm_get(&reply, group_id);
}

static void begin_acl(unsigned int index, uint32_t in_group, bool egress)
{
	begin_entry(index, in_group, NULL);
	acl_egress = egress;
	NAME_ACL(&entry.in);
}

static void set_up(void)
{
	vfs_set_up();
	eswitch_manage(devs[0]);
	devs[0]->hca->sinks[PRM_EVENT_NIC_VPORT_CHANGE] = &sink;
	changed = -1;
	set_l2(0, TO(1));
}

/* As the in-tree driver: addresses, one row for all groups, one for what is unknown. */
static void set_up_fdb(void)
{
	set_up();
	table = create_table();
	addresses = create_group(FIRST, GROUPS - 1, broadcast, false);
	groups = create_group(GROUPS, GROUPS, group_bit, false);
	unknown = create_group(UNKNOWN, UNKNOWN, NULL, true);
	dut_check(set_root(), "SET_FLOW_TABLE_ROOT");
}

static void tear_down_fdb(void)
{
	cxdev_reset(devs[0]);
	vfs_tear_down();
}

/* ---- tests ---- */

static void test_caps(void)
{
	struct prm_query_hca_cap_in in = {};
	static struct prm_query_hca_cap_out reply;

	set_up();
	prm_set(&in, op_mod, CAP_GENERAL << 1 | 1);
	dut_must(f[0], query_hca_cap, &in, &reply);
	ktap(prm_get(&reply, capability.cmd_hca_cap.eswitch_manager) &&
	     prm_get(&reply, capability.cmd_hca_cap.vport_group_manager) &&
	     prm_get(&reply, capability.cmd_hca_cap.log_max_l2_table),
	     "the manager announces the e-switch, vport groups and the L2 table");
	prm_set(&in, op_mod, CAP_FLOW_ESW << 1 | 1);
	dut_must(f[0], query_hca_cap, &in, &reply);
	ktap(prm_get(&reply, capability.flow_table_eswitch_cap.flow_table_properties_nic_esw_fdb
		     .ft_support), "and the FDB");
	dut_must(f[1], query_hca_cap, (prm_set(&in, op_mod, CAP_GENERAL << 1 | 1), &in), &reply);
	ktap(!prm_get(&reply, capability.cmd_hca_cap.eswitch_manager) &&
	     !prm_get(&reply, capability.cmd_hca_cap.log_max_l2_table), "its VFs announce neither");
	vfs_tear_down();
}

static void test_without_fdb(void)
{
	set_up();
	ktap(goes_to(f[0], TO(OUTSIDE), 1, -1, "w") && goes_to(NULL, TO(1), OUTSIDE, -1, "0") &&
	     goes_to(NULL, broadcast, OUTSIDE, -1, "0"),
	     "without an FDB the manager has the wire");
	ktap(goes_to(f[1], TO(OUTSIDE), 2, -1, "") && goes_to(f[1], TO(3), 2, -1, "") &&
	     goes_to(f[0], TO(2), 1, -1, "w"), "and its VFs are not connected");
	vfs_tear_down();
}

static void test_fdb(void)
{
	set_up_fdb();
	ktap(goes_to(f[1], TO(3), 2, -1, "w"), "the lists of vports are no rules");
	ktap(!ADDRESS(0, TO(1), 0) && !ADDRESS(1, TO(2), 1) && !ADDRESS(2, TO(3), 2) &&
	     goes_to(f[1], TO(3), 2, -1, "2") && goes_to(f[0], TO(2), 1, -1, "1") &&
	     goes_to(f[2], TO(1), 3, -1, "0"), "an entry sends an address to its vport");
	ktap(goes_to(f[1], TO(2), 2, -1, "1"), "unicast to its own address comes back");
	ktap(goes_to(f[1], TO(OUTSIDE), 2, -1, "w") && goes_to(f[0], TO(OUTSIDE), 1, -1, "w"),
	     "what no entry has leaves the card");
	ktap(goes_to(NULL, TO(2), OUTSIDE, -1, "") && devs[0]->eth->counters.rx_other_host,
	     "the L2 table keeps out what it does not have, from the wire");
	set_l2(1, TO(2));
	set_l2(2, TO(55));
	ktap(goes_to(NULL, TO(2), OUTSIDE, -1, "1") && goes_to(NULL, TO(55), OUTSIDE, -1, ""),
	     "what it has goes to the vport of the entry, or to nobody");
	ktap(!ADDRESS(3, broadcast, 0, 1, 2, 0xffff) && goes_to(f[1], broadcast, 2, -1, "02w") &&
	     goes_to(f[0], broadcast, 1, -1, "12w") &&
	     goes_to(NULL, broadcast, OUTSIDE, -1, "012"),
	     "an entry of many vports sends a group to all but its sender");
	ktap(goes_to(NULL, group, OUTSIDE, -1, "") && goes_to(f[1], group, 2, -1, "w"),
	     "a group without an entry leaves the card and does not enter it");
	begin_entry(GROUPS, groups, group_bit);
	ktap(!set_entry((const int[]){ 2, 0xffff, -1 }) && goes_to(NULL, group, OUTSIDE, -1, "2") &&
	     goes_to(f[1], group, 2, -1, "2w"), "an entry for all groups");
	begin_entry(UNKNOWN, unknown, NULL);
	prm_set(&entry.in, flow_context.match_value.misc_parameters.source_port, 0xffff);
	ktap(!set_entry((const int[]){ 1, -1 }) && goes_to(NULL, TO(55), OUTSIDE, -1, "1") &&
	     goes_to(f[2], TO(55), 3, -1, "w"), "an entry for what comes from the wire alone");
	begin_entry(4, addresses, TO(9));
	prm_set(&entry.in, flow_context.action, PRM_FLOW_DROP);
	ktap(!send_entry() && goes_to(f[1], TO(9), 2, -1, ""), "an entry that drops");
	tear_down_fdb();
}

static void test_end_of_fdb(void)
{
	set_up_fdb();
	ADDRESS(0, TO(3), 2);
	dut_violations(f[0]);
	cxdev_reset(devs[0]);
	devs[0]->hca->phase = HCA_RUNNING;
	ktap(goes_to(f[1], TO(3), 2, -1, "") && goes_to(f[0], TO(3), 1, -1, "w"),
	     "a reset of the manager ends the FDB");
	vfs_tear_down();
}

static void test_addresses(void)
{
	struct prm_query_nic_vport_context_out reply;

	set_up();
	ktap(!modify_vport(1, mac_7) && !modify_vport(1, guid) && !query_vport(1, &reply) &&
	     !memcmp(prm_bytes(&reply, nic_vport_context.permanent_address.mac_addr_47_32), TO(7),
		     6) &&
	     prm_get64(&reply, nic_vport_context.node_guid) == 0x1122334455667788,
	     "the manager gives a VF its MAC and node GUID");
	start_again(f[1]);
	ktap(!memcmp(devs[1]->eth->mac, TO(7), 6) && devs[1]->node_guid == 0x1122334455667788,
	     "which a VF that starts again finds");
	ktap(!modify_vport(1, mac_none) && !mac_to_u64(devs[1]->eth->mac),
	     "a MAC of zeros takes it away");
	ktap(memcmp(devs[2]->eth->mac, TO(7), 6) && devs[0]->node_guid != devs[1]->node_guid,
	     "other vports keep theirs");
	ktap(list_of(2) == mac_to_u64(TO(3)), "the manager reads the list of a VF");
	vfs_tear_down();
}

/* The vport of the only event since the last call; -1: none */
static int told(void)
{
	int vport = changed;

	changed = -1;
	return vport;
}

static void test_events(void)
{
	set_up();
	told();
	set_list(f[1], PRM_VPORT_LIST_UC, TO(4));
	ktap(told() == -1, "nobody is told who has not asked");
	modify_vport(1, arm_lists);
	set_list(f[1], PRM_VPORT_LIST_MC, group);
	ktap(told() == -1, "nor of what was not asked for");
	set_list(f[1], PRM_VPORT_LIST_UC, TO(5));
	ktap(told() == 1, "the manager is told that the addresses of a vport have changed");
	set_list(f[1], PRM_VPORT_LIST_UC, TO(6));
	ktap(told() == -1, "once");
	modify_vport(1, arm_lists);
	set_promisc(f[1], true, true);
	ktap(told() == 1, "and of its mode, when it has asked again");
	modify_vport(1, arm_lists);
	start_again(f[1]);
	set_list(f[1], PRM_VPORT_LIST_UC, TO(2));
	ktap(told() == 1, "a VF that starts again does not take that back");
	modify_vport(1, arm_lists);
	modify_vport(1, disarm);
	set_list(f[1], PRM_VPORT_LIST_UC, TO(3));
	ktap(told() == -1, "the manager does");
	modify_vport(0, arm_lists);
	set_list(f[0], PRM_VPORT_LIST_UC, TO(1));
	ktap(told() == 0, "its own vport is one of them");
	vfs_tear_down();
}

static void test_links(void)
{
	struct prm_query_vport_state_out reply;

	set_up();
	ktap(!set_link(1, PRM_VPORT_ESW, PRM_VPORT_DOWN) &&
	     !link_of(f[0], 1, PRM_VPORT_ESW, &reply) &&
	     prm_get(&reply, admin_state) == PRM_VPORT_DOWN &&
	     prm_get(&reply, state) == PRM_VPORT_DOWN, "the manager takes the link of a VF down");
	ktap(!link_of(f[1], 0, PRM_VPORT_VNIC, &reply) && prm_get(&reply, state) == PRM_VPORT_DOWN,
	     "the VF sees it");
	ktap(!set_link(1, PRM_VPORT_ESW, PRM_VPORT_AUTO) &&
	     !link_of(f[1], 0, PRM_VPORT_VNIC, &reply) && prm_get(&reply, state) == PRM_VPORT_UP,
	     "and up again with that of the card");
	vfs_tear_down();
}

static void test_vlan(void)
{
	struct prm_query_esw_vport_context_in in = {};
	struct prm_query_esw_vport_context_out reply;

	set_up_fdb();
	ADDRESS(0, TO(2), 1);
	ADDRESS(1, TO(3), 2);
	ktap(!set_vlan(1, PRM_CVLAN_INSERT_MISSING, true, 100) &&
	     goes_to(f[1], TO(OUTSIDE), 2, -1, "w") && out.len == 64 &&
	     get16(out.data + 12) == ETH_P_8021Q && get16(out.data + 14) == (5 << 13 | 100),
	     "what a VF sends gets the tag of its vport");
	ktap(goes_to(f[1], TO(OUTSIDE), 2, 7, "w") && out.len == 64 && get16(out.data + 14) == 7,
	     "if it has none");
	set_l2(1, TO(2));
	send_frame(NULL, TO(2), OUTSIDE, 100);
	got();
	ktap(devs[1]->eth->counters.rx_unicast.bytes == 60, "what it gets loses its tag");
	prm_set(&in, other_vport, 1);
	prm_set(&in, vport_number, 1);
	dut_must(f[0], query_esw_vport_context, &in, &reply);
	ktap(prm_get(&reply, esw_vport_context.vport_cvlan_insert) == PRM_CVLAN_INSERT_MISSING &&
	     prm_get(&reply, esw_vport_context.vport_cvlan_strip) &&
	     prm_get(&reply, esw_vport_context.cvlan_id) == 100 &&
	     prm_get(&reply, esw_vport_context.cvlan_pcp) == 5, "the manager reads it back");
	ktap(!set_vlan(1, PRM_CVLAN_INSERT_NONE, false, 0) &&
	     goes_to(f[1], TO(OUTSIDE), 2, -1, "w") && out.len == 60, "and takes it away");
	set_vlan(1, PRM_CVLAN_INSERT_MISSING, true, 100);
	tear_down_fdb();
}

static void test_counters(void)
{
	struct prm_query_vport_counter_in in = {};
	struct prm_query_vport_counter_out reply;

	set_up_fdb();
	ADDRESS(1, TO(3), 2);
	send_frame(f[1], TO(3), 2, -1);
	got();
	prm_set(&in, other_vport, 1);
	prm_set(&in, vport_number, 2);
	dut_must(f[0], query_vport_counter, &in, &reply);
	ktap(prm_get64(&reply, received_eth_unicast.packets) == 1,
	     "the manager reads the counters of a VF");
	tear_down_fdb();
}

/* Refused with a text */
#define WRONG(what, command, text)								\
	do {											\
		wrong_begin();									\
		command;									\
		wrong_expect(what, text);							\
	} while (0)

static void test_control(void)
{
	char text[] = "vf 0 trust on", answer[256] = "";
	FILE *file = fmemopen(answer, sizeof(answer), "w");

	set_up();
	control_set_devs(devs, 3);
	control_line(text, file);
	fclose(file);
	ktap(strstr(answer, "trust: the driver of the PF sets it, managing the e-switch"),
	     "on the control socket its settings are refused");
	vfs_tear_down();
}

static void test_acls(void)
{
	struct prm_fte_match_set_lyr_2_4 *set;

	set_up_fdb();
	ADDRESS(1, TO(3), 2);
	set_acl(1, false);
	begin_acl(0, acl_group(0, true), false);
	set = prm_sub(&entry.in, flow_context.match_value.outer_headers, fte_match_set_lyr_2_4);
	memcpy(prm_bytes(set, smac_47_16), TO(2), 6);
	prm_set(&entry.in, flow_context.action, PRM_FLOW_ALLOW);
	ktap(!send_entry(), "an entry of an ACL lets pass");
	begin_acl(1, acl_group(1, false), false);
	prm_set(&entry.in, flow_context.action, PRM_FLOW_DROP);
	ktap(!send_entry() && goes_to(f[1], TO(3), 2, -1, "2") &&
	     goes_to(f[1], TO(3), 77, -1, ""), "what a vport sends passes its ACL, or is dropped");
	ktap(goes_to(f[0], TO(3), 77, -1, "2"), "it is of this vport alone");
	set_acl(2, true);
	begin_acl(0, acl_group(0, false), true);
	prm_set(&entry.in, flow_context.action, PRM_FLOW_DROP);
	ktap(!send_entry() && goes_to(f[1], TO(3), 2, -1, "") && eswitch_vf(devs[2])->denied == 1,
	     "and so is what a vport gets");
	WRONG("another vport", (prm_set(&entry.in, vport_number, 1), send_entry()),
	      "* table 0x* is of vport 2, not 1");
	begin_acl(1, acl_group(1, false), true);
	prm_set(&entry.in, flow_context.destination_list_size, 1);
	prm_set(&entry.in, flow_context.action, PRM_FLOW_FWD_DEST);
	WRONG("a destination", send_entry(),
	      "* destination_type 0: the ACL of a vport leads nowhere");
	reset_acl(2, true);
	ktap(goes_to(f[1], TO(3), 2, -1, "2"), "without a root all passes");
	start_again(f[1]);
	ktap(goes_to(f[1], TO(3), 77, -1, ""), "a VF that starts again has its ACL still");
	tear_down_fdb();
}

static struct prm_create_flow_table_in acl_table(unsigned int vport)
{
	struct prm_create_flow_table_in in = {};

	prm_set(&in, other_vport, !!vport);
	prm_set(&in, vport_number, vport);
	prm_set(&in, table_type, PRM_FT_ESW_INGRESS);
	return in;
}

static void test_end_of_acls(void)
{
	struct prm_create_flow_table_in in;
	struct prm_create_flow_table_out reply;

	set_up_fdb();
	ADDRESS(1, TO(3), 2);
	in = acl_table(0);
	WRONG("of the manager", dut_cmd(f[0], create_flow_table, &in, &reply),
	      "* vport 0 is the manager's: it has no ACL");
	in = acl_table(1);
	prm_set(&in, flow_table_context.table_miss_action, PRM_FT_MISS_FWD);
	prm_set(&in, flow_table_context.table_miss_id, table);
	WRONG("a table behind it", dut_cmd(f[0], create_flow_table, &in, &reply),
	      "* table_miss_id is set (0x*), but an ACL has no table behind it");
	set_acl(1, false);
	begin_acl(1, acl_group(1, false), false);
	prm_set(&entry.in, flow_context.action, PRM_FLOW_DROP);
	send_entry();
	ktap(goes_to(f[1], TO(OUTSIDE), 2, -1, ""), "an ACL drops all that a vport sends");
	dut_violations(f[0]);
	cxdev_reset(devs[0]);
	devs[0]->hca->phase = HCA_RUNNING;
	ktap(goes_to(f[1], TO(OUTSIDE), 2, -1, "") && eswitch_vf(devs[1])->denied == 1,
	     "a reset of the manager ends it, and the VF is not connected");
	vfs_tear_down();
}

static void test_wrong_vports(void)
{
	struct prm_query_vport_state_out reply;
	struct prm_modify_esw_vport_context_in in;
	struct prm_modify_esw_vport_context_out out_;
	struct prm_query_nic_vport_context_in query = {};
	struct prm_query_nic_vport_context_out context;

	set_up();
	WRONG("a vport that is not there", modify_vport(3, guid), "* vport 3: there are 0 to 2");
	prm_set(&query, vport_number, 1);
	WRONG("no other_vport", dut_cmd(f[0], query_nic_vport_context, &query, &context),
	      "* vport_number 1 without other_vport");
	WRONG("a group address", modify_vport(1, mac_group),
	      "* permanent_address of vport 1 is a group address");
	WRONG("the MTU of another", modify_vport(1, mtu),
	      "* vport 1 is another's: only addresses and events are the manager's");
	WRONG("VLAN of the PF", set_vlan(0, PRM_CVLAN_INSERT_MISSING, true, 100),
	      "* vport 0 is no VF: its context is fixed");
	WRONG("insert always", set_vlan(1, PRM_CVLAN_INSERT_ALWAYS, true, 100),
	      "* vport_cvlan_insert 3 is not advertised");
	in = vlan_command(1, PRM_CVLAN_INSERT_MISSING, true, 100);
	prm_set(&in, field_select.vport_svlan_insert, 1);
	WRONG("an S-VLAN", dut_cmd(f[0], modify_esw_vport_context, &in, &out_),
	      "* field_select.vport_svlan_insert is set (0x1), but S-VLANs are not advertised");
	in = vlan_command(1, PRM_CVLAN_INSERT_MISSING, true, 100);
	prm_set(&in, field_select.vport_svlan_strip, 1);
	WRONG("an S-VLAN off", dut_cmd(f[0], modify_esw_vport_context, &in, &out_),
	      "* field_select.vport_svlan_strip is set (0x1), but S-VLANs are not advertised");
	in = vlan_command(1, PRM_CVLAN_INSERT_MISSING, true, 100);
	prm_set(&in, field_select.fdb_to_vport_reg_c_id, 1);
	WRONG("metadata", dut_cmd(f[0], modify_esw_vport_context, &in, &out_),
	      "* field_select.fdb_to_vport_reg_c_id is set (0x1), but metadata is not advertised");
	in = vlan_command(0, PRM_CVLAN_INSERT_MISSING, true, 100);
	WRONG("a VF", dut_cmd(f[1], modify_esw_vport_context, &in, &out_),
	      "* the function manages no eswitch");
	WRONG("a VF as manager", link_of(f[1], 0, PRM_VPORT_ESW, &reply),
	      "* op_mod 1: the function manages no eswitch");
	WRONG("the uplink of a VF", set_link(1, PRM_VPORT_UPLINK, PRM_VPORT_UP),
	      "* op_mod 2: the function manages no eswitch");
	vfs_tear_down();
}

static void test_wrong_entries(void)
{
	set_up_fdb();
	WRONG("a vport that is not there", ADDRESS(0, TO(1), 3),
	      "* destination_id 0x3 is no vport: there are 0 to 2, and 0xffff");
	begin_entry(0, addresses, TO(1));
	prm_set(&entry.in, flow_context.destination_list_size, 1);
	prm_set(&entry.dests[0], destination_type, PRM_FLOW_DEST_TIR);
	WRONG("a TIR", send_entry(),
	      "* destination_type 2: a table of the FDB leads to vports and tables");
	begin_entry(0, addresses, TO(1));
	prm_set(&entry.in, flow_context.flow_tag, 1);
	WRONG("a tag", set_entry((const int[]){ 1, -1 }),
	      "* flow_tag is set (0x1), but a vport gets none");
	tear_down_fdb();
}

int main(void)
{
	ktap_plan(0);
	wrong_open_here(ktap);
	test_caps();
	test_without_fdb();
	test_fdb();
	test_end_of_fdb();
	test_addresses();
	test_events();
	test_links();
	test_vlan();
	test_counters();
	test_control();
	test_acls();
	test_end_of_acls();
	test_wrong_vports();
	test_wrong_entries();
	wrong_close();
	return ktap_end();
}
