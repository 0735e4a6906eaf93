// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* A driver that is wrong about flow tables, one thing at a time. */
#include <string.h>

#include "prm/counter.h"
#include "prm/flow.h"
#include "wrong.h"

static uint32_t table, behind, group, counter;

/* What each command of flow tables begins with. */
static const struct wrong_row head_rows[] = {
	F(set_fte, other_vport, 1, "other_vport is set (0x1), but there is one vport"),
	F(set_fte, vport_number, 1, "vport_number is set (0x1), but there is one vport"),
	F(set_fte, table_type, PRM_FT_FDB, "table_type 0x4 is not advertised"),
	F(set_fte, table_type, PRM_FT_PORT_SEL, "table_type 0x9 is not advertised"),
};

#define CTX flow_table_context

static const struct wrong_row table_rows[] = {
	F(create_flow_table, CTX.table_miss_id, 1,
	  "table_miss_id is set (0x1), but the miss action does not use it"),
	F(create_flow_table, CTX.table_miss_action, 2,
	  "table_miss_action 2: only RoCE packets received have another domain"),
	F(create_flow_table, CTX.table_miss_action, 3, "table_miss_action 3 is not advertised"),
	F(create_flow_table, CTX.table_miss_action, 1, "table_miss_id: there is no FLOW_TABLE 0x*",
	  AND(create_flow_table, CTX.table_miss_id, 0xabcdef), .status = PRM_STATUS_BAD_RES),
	F(create_flow_table, CTX.lag_master_next_table_id, 1,
	  "lag_master_next_table_id is set (0x1), but this is no LAG demux table"),
	F(create_flow_table, op_mod, 2, "op_mod 2 of CREATE_FLOW_TABLE is not advertised"),
	F(create_flow_table, op_mod, 1, "a LAG demux table needs a vport LAG of this function",
	  .status = PRM_STATUS_BAD_RES_STATE),
	F(create_flow_table, CTX.reformat_en, 1,
	  "reformat_en is set (0x1), but packet reformat is not advertised"),
	F(create_flow_table, CTX.decap_en, 1,
	  "decap_en is set (0x1), but decapsulation is not advertised"),
	F(create_flow_table, CTX.sw_owner, 1,
	  "sw_owner is set (0x1), but tables owned by software are not advertised"),
	F(create_flow_table, CTX.termination_table, 1,
	  "termination_table is set (0x1), but termination tables are not advertised"),
	F(create_flow_table, CTX.level, 128, "level 128 is above max_ft_level 128"),
	F(create_flow_table, CTX.log_size, 21, "log_size 21 is above log_max_ft_size 20"),
};

static void wrong_table(void)
{
	static const struct wrong_row modify[] = {
		F(modify_flow_table, table_id, 0xabcdef,
		  "table_id: there is no FLOW_TABLE 0xabcdef",
		  .status = PRM_STATUS_BAD_RES),
		F(modify_flow_table, modify_field_select, 2,
		  "modify_field_select 0x2: only the table behind it can be changed"),
		F(modify_flow_table, CTX.table_miss_action, 0,
		  "table_miss_id is set (0x*), but the miss action does not use it"),
	};
	static const struct wrong_row query[] = {
		F(query_flow_table, table_type, 4, "table_type 0x4 is not advertised"),
	};
	static const struct wrong_row root[] = {
		F(set_flow_table_root, underlay_qpn, 1,
		  "underlay_qpn is set (0x1), but this is an Ethernet port"),
		F(set_flow_table_root, table_eswitch_owner_vhca_id_valid, 1,
		  "table_eswitch_owner_vhca_id_valid is set (0x1), but there is no e-switch"),
		F(set_flow_table_root, table_of_other_vport, 1,
		  "table_of_other_vport is set (0x1), but there is one vport"),
		F(set_flow_table_root, op_mod, 1,
		  "table_id is set (0x*), but op_mod 1 takes the root away"),
		F(set_flow_table_root, op_mod, 2, "op_mod 2 of SET_FLOW_TABLE_ROOT is unknown"),
	};
	struct prm_create_flow_table_in in = {};
	struct prm_modify_flow_table_in change = {};
	struct prm_query_flow_table_in ask = {};
	struct prm_set_flow_table_root_in set = {};

	prm_set(&in, CTX.level, 1);
	prm_set(&in, CTX.log_size, 4);
	WRONG_ONLY(&WRONG_CMD(create_flow_table, &in), head_rows);
	WRONG(&WRONG_CMD(create_flow_table, &in), table_rows);
	table = rig_create(&WRONG_CMD(create_flow_table, &in));
	prm_set(&in, CTX.level, 2);
	behind = rig_create(&WRONG_CMD(create_flow_table, &in));
	prm_set(&change, table_id, table);
	prm_set(&change, modify_field_select, PRM_MODIFY_FT_MISS_TABLE);
	prm_set(&change, CTX.table_miss_action, PRM_FT_MISS_FWD);
	prm_set(&change, CTX.table_miss_id, behind);
	WRONG_ONLY(&WRONG_CMD(modify_flow_table, &change), head_rows);
	WRONG(&WRONG_CMD(modify_flow_table, &change), modify);
	prm_set(&ask, table_id, table);
	WRONG(&WRONG_CMD(query_flow_table, &ask), query);
	prm_set(&set, table_id, table);
	WRONG_ONLY(&WRONG_CMD(set_flow_table_root, &set), head_rows);
	WRONG(&WRONG_CMD(set_flow_table_root, &set), root);
}

/* A table in front that leads back would make packets walk for ever. */
static void wrong_level(void)
{
	static const struct wrong_row back[] = {
		F(modify_flow_table, CTX.level, 0,
		  "table_miss_id: table 0x* of level 1 is not behind level 2"),
	};
	struct prm_modify_flow_table_in change = {};

	prm_set(&change, table_id, behind);
	prm_set(&change, modify_field_select, PRM_MODIFY_FT_MISS_TABLE);
	prm_set(&change, CTX.table_miss_action, PRM_FT_MISS_FWD);
	prm_set(&change, CTX.table_miss_id, table);
	WRONG_ONLY(&WRONG_CMD(modify_flow_table, &change), back);
}

static const struct wrong_row group_rows[] = {
	F(create_flow_group, group_type, 2, "group_type 2 is not advertised"),
	F(create_flow_group, group_type, PRM_FG_HASH_SPLIT,
	  "a hash group is of tables of port selection, not of type 0"),
	F(create_flow_group, match_definer_id, 1,
	  "match_definer_id is set (0x1), but this is no hash group"),
	F(create_flow_group, source_eswitch_owner_vhca_id_valid, 1,
	  "source_eswitch_owner_vhca_id_valid is set (0x1), but there is no e-switch"),
	F(create_flow_group, match_criteria_enable, 3,
	  "match_criteria_enable 0x3: sets 0x5 can be matched"),
	F(create_flow_group, match_criteria_enable, 0,
	  "match_criteria: byte 0xc is set, but not enabled"),
	F(create_flow_group, match_criteria.misc_parameters.source_sqn, 1,
	  "match_criteria: the field at byte 0x* is not advertised"),
	F(create_flow_group, start_flow_index, 8, "entries 8 to 7 are no range of a table of 16",
	  .status = PRM_STATUS_IX),
	F(create_flow_group, end_flow_index, 16, "entries 0 to 16 are no range of a table of 16",
	  .status = PRM_STATUS_IX),
	F(create_flow_group, table_id, 0xabcdef, "table_id: there is no FLOW_TABLE 0xabcdef",
	  .status = PRM_STATUS_BAD_RES),
};

static void wrong_group(void)
{
	static const struct wrong_row overlap[] = {
		F(create_flow_group, start_flow_index, 7,
		  "entries 7 to 8 overlap group 0x* (0 to 7)",
		  AND(create_flow_group, end_flow_index, 8)),
	};
	static const struct wrong_row query[] = {
		F(query_flow_group, table_type, 4, "table_type 0x4 is not advertised"),
		F(query_flow_group, group_id, 0xabcdef, "group_id: there is no FLOW_GROUP 0xabcdef",
		  .status = PRM_STATUS_BAD_RES),
	};
	static const struct wrong_row elsewhere[] = {
		{ .field = "of another table", .status = PRM_STATUS_BAD_RES,
		  .text = "group 0x* is not in table 0x*" },
	};
	struct prm_create_flow_group_in in = {};
	struct prm_query_flow_group_in ask = {};

	prm_set(&in, table_id, table);
	prm_set(&in, end_flow_index, 7);
	prm_set(&in, match_criteria_enable, PRM_MATCH_OUTER);
	prm_set(&in, match_criteria.outer_headers.dmac_15_0, 0xffff);
	WRONG_ONLY(&WRONG_CMD(create_flow_group, &in), head_rows);
	WRONG(&WRONG_CMD(create_flow_group, &in), group_rows);
	/* the first one stands at 0 to 7 by now */
	WRONG_ONLY(&WRONG_CMD(create_flow_group, &in), overlap);
	prm_set(&in, start_flow_index, 8);
	prm_set(&in, end_flow_index, 15);
	group = rig_create(&WRONG_CMD(create_flow_group, &in));
	prm_set(&ask, table_id, table);
	prm_set(&ask, group_id, group);
	WRONG(&WRONG_CMD(query_flow_group, &ask), query);
	prm_set(&ask, table_id, behind);
	WRONG_ONLY(&WRONG_CMD(query_flow_group, &ask), elsewhere);
}

/* ---- entries ---- */

struct fte {
	struct prm_set_fte_in in;
	struct prm_dest_format_struct dest;
	struct prm_flow_counter_list counter;
};

#define DEST(f, v, t, ...)                                                        \
	FAT(sizeof(struct prm_set_fte_in), dest_format_struct, f, v, t, ##__VA_ARGS__)

static const struct wrong_row fte_rows[] = {
	F(set_fte, ignore_flow_level, 1,
	  "ignore_flow_level is set (0x1), but it is not advertised"),
	F(set_fte, op_mod, 2, "op_mod 2 of SET_FLOW_TABLE_ENTRY is unknown"),
	F(set_fte, op_mod, 1, "there is no entry 9 in table 0x* to modify",
	  .status = PRM_STATUS_IX),
	F(set_fte, modify_enable_mask, 1, "modify_enable_mask is set (0x1), but the entry is new"),
	F(set_fte, flow_index, 7, "flow_index 7 is outside group 0x* (8 to 15)",
	  .status = PRM_STATUS_IX),
	F(set_fte, flow_context.extended_destination, 1,
	  "extended_destination is set (0x1), but packet reformat is not advertised"),
	F(set_fte, flow_context.uplink_hairpin_en, 1,
	  "uplink_hairpin_en is set (0x1), but hairpin is not advertised"),
	F(set_fte, flow_context.flow_source, 1,
	  "flow_source is set (0x1), but there is no e-switch"),
	F(set_fte, flow_context.encrypt_decrypt_type, 1,
	  "encrypt_decrypt_type is set (0x1), but encryption is not advertised"),
	F(set_fte, flow_context.encrypt_decrypt_obj_id, 1,
	  "encrypt_decrypt_obj_id is set (0x1), but encryption is not advertised"),
	F(set_fte, flow_context.packet_reformat_id, 1,
	  "packet_reformat_id is set (0x1), but packet reformat is not advertised"),
	F(set_fte, flow_context.push_vlan.ethtype, 0x8100,
	  "push_vlan.ethtype is set (0x8100), but pushing VLAN tags is not advertised"),
	F(set_fte, flow_context.push_vlan_2.ethtype, 0x8100,
	  "push_vlan_2.ethtype is set (0x8100), but pushing VLAN tags is not advertised"),
	F(set_fte, flow_context.modify_header_id, 1,
	  "modify_header_id is set (0x1), but header modification is not advertised"),
	F(set_fte, flow_context.action, 0x10c, "action 0x10c has actions that are not advertised"),
	F(set_fte, flow_context.action, 0xe, "action 0xe: a packet is either forwarded or dropped"),
	F(set_fte, flow_context.action, 0xa, "action 0xa with 1 destinations"),
	F(set_fte, flow_context.action, 0x4, "action 0x4 with 1 counters"),
	F(set_fte, flow_context.destination_list_size, 65,
	  "65 destinations and 1 counters: at most 64 and 1 are advertised"),
	F(set_fte, flow_context.destination_list_size, 64,
	  "64 destinations and 1 counters do not fit in * bytes",
	  .status = PRM_STATUS_BAD_INP_LEN),
	F(set_fte, flow_context.match_value.outer_headers.ip_protocol, 6,
	  "match_value: byte 0x10 is outside the criteria of group 0x*"),
	DEST(destination_type, PRM_FLOW_DEST_VPORT, "destination_type 0 is not advertised"),
	DEST(destination_eswitch_owner_vhca_id_valid, 1,
	     "destination_eswitch_owner_vhca_id_valid is set (0x1), but there is no e-switch"),
	DEST(packet_reformat, 1,
	     "packet_reformat is set (0x1), but packet reformat is not advertised"),
	DEST(destination_id, 0xabcdef, "destination_id: there is no FLOW_TABLE 0xabcdef",
	     .status = PRM_STATUS_BAD_RES),
	FAT(offsetof(struct fte, counter), flow_counter_list, flow_counter_id, 0xabcdef,
	    "flow_counter_id: there is no FLOW_COUNTER 0xabcdef", .status = PRM_STATUS_BAD_RES),
};

static void wrong_entry(void)
{
	static const struct wrong_row again[] = {
		F(set_fte, op_mod, 0, "entry 9 of table 0x* exists already"),
		F(set_fte, op_mod, 1, "modify_enable_mask 0x10 has unknown bits",
		  AND(set_fte, modify_enable_mask, 0x10)),
		F(set_fte, op_mod, 1, "entry 9 is in group 0x*, not 0xabcdef",
		  AND(set_fte, flow_context.group_id, 0xabcdef)),
	};
	static const struct wrong_row delete[] = {
		F(delete_fte, flow_index, 3, "there is no entry 3 in table 0x*",
		  .status = PRM_STATUS_IX),
	};
	static const struct wrong_row busy[] = {
		{ .field = "with an entry", .status = PRM_STATUS_RES_BUSY,
		  .text = "flow group 0x* still has 1 entries" },
	};
	struct prm_delete_fte_in del = {};
	struct prm_destroy_flow_group_in destroy = {};
	struct fte b = {};

	prm_set(&b.in, table_id, table);
	prm_set(&b.in, flow_index, 9);
	prm_set(&b.in, flow_context.group_id, group);
	prm_set(&b.in, flow_context.action, PRM_FLOW_FWD_DEST | PRM_FLOW_COUNT);
	prm_set(&b.in, flow_context.destination_list_size, 1);
	prm_set(&b.in, flow_context.flow_counter_list_size, 1);
	prm_set(&b.dest, destination_type, PRM_FLOW_DEST_TABLE);
	prm_set(&b.dest, destination_id, behind);
	prm_set(&b.counter, flow_counter_id, counter);
	WRONG_ONLY(&WRONG_CMD(set_fte, &b), head_rows);
	WRONG(&WRONG_CMD(set_fte, &b), fte_rows);
	WRONG_ONLY(&WRONG_CMD(set_fte, &b), again);
	prm_set(&destroy, table_id, table);
	prm_set(&destroy, group_id, group);
	WRONG_ONLY(&WRONG_CMD(destroy_flow_group, &destroy), busy);
	prm_set(&del, table_id, table);
	prm_set(&del, flow_index, 9);
	WRONG(&WRONG_CMD(delete_fte, &del), delete);
}

static void wrong_counter(void)
{
	static const struct wrong_row make[] = {
		F(alloc_flow_counter, flow_counter_bulk, 1,
		  "flow_counter_bulk is set (0x1), but counters in bulk are not advertised"),
		F(alloc_flow_counter, flow_counter_bulk_log_size, 1,
		  "flow_counter_bulk_log_size is set (0x1), but counters in bulk are not *"),
	};
	static const struct wrong_row query[] = {
		F(query_flow_counter, num_of_counters, 1025, "num_of_counters 1025 is above 1024"),
		F(query_flow_counter, num_of_counters, 2, "2 counters do not fit in * bytes",
		  .status = PRM_STATUS_BAD_OUTP_LEN),
		F(query_flow_counter, flow_counter_id, 0xabcdef,
		  "flow_counter_id: there is no FLOW_COUNTER 0xabcdef",
		  .status = PRM_STATUS_BAD_RES),
	};
	struct prm_alloc_flow_counter_in in = {};
	struct prm_query_flow_counter_in ask = {};
	struct wrong_cmd cmd;

	WRONG(&WRONG_CMD(alloc_flow_counter, &in), make);
	counter = rig_create(&WRONG_CMD(alloc_flow_counter, &in));
	prm_set(&ask, flow_counter_id, counter);
	cmd = WRONG_CMD(query_flow_counter, &ask);
	cmd.out_len += sizeof(struct prm_traffic_counter);
	WRONG(&cmd, query);
}

int main(int argc, char **argv)
{
	int status;

	(void)argc;
	ktap_plan(0);
	rig_open(argv[1]);
	wrong_table();
	wrong_level();
	wrong_group();
	wrong_counter();
	wrong_entry();
	status = rig_close();
	ktap(status == 3, "exit status 3");
	return ktap_end();
}
