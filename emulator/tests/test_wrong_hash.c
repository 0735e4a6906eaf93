// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * A driver that is wrong about port selection by hash, one thing at a time: match definers, tables,
 * groups, entries, the LAG.
 */
#include <string.h>

#include "prm/caps.h"
#include "prm/definer.h"
#include "prm/flow.h"
#include "prm/lag.h"
#include "wrong.h"

#define HEAD sizeof(struct prm_create_general_object_in)
#define NO_SUCH 0xabcdef
#define UPLINK_1 0	/* vhca_id of the function of port 1 */

struct definer {
	struct prm_create_general_object_in head;
	struct prm_match_definer ctx;
};

static uint32_t definer, rx_table, outer, inner, outer_group, inner_group;

/* ---- definers ---- */

#define DEFINER(f, v, t, ...) FAT(HEAD, match_definer, f, v, t, ##__VA_ARGS__)
#define MASK_AT (HEAD + offsetof(struct prm_match_definer_bits, match_mask) / 8)
#define MASK(f, v, t, ...) FAT(MASK_AT, match_definer_format_22, f, v, t, ##__VA_ARGS__)

static const struct wrong_row definer_rows[] = {
	F(create_general_object, vhca_tunnel_id, 1,
	  "vhca_tunnel_id is set (0x1), but tunnels are not advertised"),
	F(create_general_object, obj_type, 0x17, "obj_type 0x17 is not advertised"),
	F(create_general_object, obj_id, 1, "obj_id is set (0x1), but the card gives the number"),
	{ .field = "only the header", .in_len = HEAD, .status = PRM_STATUS_BAD_INP_LEN,
	  .text = "16 bytes of input, with a match definer it has 144" },
	{ .field = "more than a definer", .in_len = 148, .status = PRM_STATUS_BAD_INP_LEN,
	  .text = "148 bytes of input, with a match definer it has 144" },
	{ .field = "a reserved bit", .bit = (HEAD + 20) * 8, .width = 8, .value = 61,
	  .text = "reserved bit 0x122 (of 0x120..0x27f) is not zero" },
	DEFINER(modify_field_select, 1, "modify_field_select is set, but the object is new"),
	DEFINER(format_id, PRM_DEFINER_INNER_IPV4, "format_id 23 is not advertised"),
	DEFINER(format_id, 61, "format_id 61 is not advertised"),
	DEFINER(format_id, 0xffff, "format_id 65535 is not advertised"),
	MASK(outer_l4_type, 3, "match_mask: bit 0x* of format 22 is not advertised"),
	MASK(outer_l3_type, 1, "match_mask: the field at bit 0x* is picked in part"),
	MASK(outer_l4_sport, 0, "match_mask picks no field"),
};

static void wrong_definer(void)
{
	static const struct wrong_row query[] = {
		F(query_general_object, obj_type, 0x17, "obj_type 0x17 is not advertised"),
		F(query_general_object, obj_id, NO_SUCH, "obj_id: there is no MATCH_DEFINER 0x*",
		  .status = PRM_STATUS_BAD_RES),
		{ .field = "no room for the definer", .out_len = 16,
		  .status = PRM_STATUS_BAD_OUTP_LEN,
		  .text = "room for 16 bytes of output, with a match definer it has 144" },
	};
	static const struct wrong_row destroy[] = {
		F(destroy_general_object, vhca_tunnel_id, 1,
		  "vhca_tunnel_id is set (0x1), but tunnels are not advertised"),
		F(destroy_general_object, obj_id, NO_SUCH, "obj_id: there is no MATCH_DEFINER 0x*",
		  .status = PRM_STATUS_BAD_RES),
	};
	struct prm_destroy_general_object_in gone = {};
	struct prm_query_general_object_in ask = {};
	struct wrong_cmd cmd;
	struct definer in = {};

	prm_set(&in.head, obj_type, PRM_OBJ_MATCH_DEFINER);
	prm_set(&in.ctx, format_id, PRM_DEFINER_IPV4);
	prm_set_bits((__be32 *)&in,
		     MASK_AT * 8 + FIELD_BIT(match_definer_format_22, outer_l4_sport), 16, 0xffff);
	WRONG(&WRONG_CMD(create_general_object, &in), definer_rows);
	definer = rig_create(&WRONG_CMD(create_general_object, &in));
	prm_set(&ask, obj_type, PRM_OBJ_MATCH_DEFINER);
	prm_set(&ask, obj_id, definer);
	cmd = WRONG_CMD(query_general_object, &ask);
	cmd.out_len += sizeof(struct prm_match_definer);
	WRONG(&cmd, query);
	prm_set(&gone, obj_type, PRM_OBJ_MATCH_DEFINER);
	prm_set(&gone, obj_id, definer);
	WRONG_ONLY(&WRONG_CMD(destroy_general_object, &gone), destroy);
}

/* ---- tables and groups ---- */

#define CTX flow_table_context

static void wrong_table(void)
{
	static const struct wrong_row demux[] = {
		F(create_flow_table, op_mod, 1,
		  "op_mod 1: a LAG demux table is of type NIC_RX, not 9"),
	};
	static const struct wrong_row miss[] = {
		F(create_flow_table, CTX.level, 0,
		  "table_miss_id: table 0x* is of type 0, none of type 9 leads there"),
	};
	static const struct wrong_row root[] = {
		F(set_flow_table_root, table_type, PRM_FT_NIC_RX, "table 0x* is of type 9, not 0"),
	};
	struct prm_create_flow_table_in in = {};
	struct prm_set_flow_table_root_in set = {};

	prm_set(&in, CTX.level, 5);
	rx_table = rig_create(&WRONG_CMD(create_flow_table, &in));
	prm_set(&in, table_type, PRM_FT_PORT_SEL);
	inner = rig_create(&WRONG_CMD(create_flow_table, &in));
	prm_set(&in, CTX.level, 0);
	prm_set(&in, CTX.log_size, 4);
	WRONG_ONLY(&WRONG_CMD(create_flow_table, &in), demux);
	outer = rig_create(&WRONG_CMD(create_flow_table, &in));
	prm_set(&in, CTX.table_miss_action, PRM_FT_MISS_FWD);
	prm_set(&in, CTX.table_miss_id, rx_table);
	WRONG_ONLY(&WRONG_CMD(create_flow_table, &in), miss);
	prm_set(&set, table_type, PRM_FT_PORT_SEL);
	prm_set(&set, table_id, outer);
	WRONG(&WRONG_CMD(set_flow_table_root, &set), root);
}

static void wrong_group(void)
{
	static const struct wrong_row hash[] = {
		F(create_flow_group, group_type, 2, "group_type 2 is not advertised"),
		F(create_flow_group, group_type, PRM_FG_TCAM,
		  "match_definer_id is set (0x*), but this is no hash group"),
		F(create_flow_group, match_criteria_enable, 1,
		  "match_criteria_enable is set (0x1), but the entries of a hash group match *"),
		F(create_flow_group, match_definer_id, 0xfff,
		  "match_definer_id: there is no MATCH_DEFINER 0xfff",
		  .status = PRM_STATUS_BAD_RES),
		F(create_flow_group, table_type, PRM_FT_NIC_RX, "table 0x* is of type 9, not 0"),
	};
	static const struct wrong_row busy[] = {
		{ .field = "in use", .status = PRM_STATUS_RES_BUSY,
		  .text = "MATCH_DEFINER 0x* is still used by 1 objects" },
	};
	struct prm_destroy_general_object_in gone = {};
	struct prm_create_flow_group_in in = {};

	prm_set(&in, table_type, PRM_FT_PORT_SEL);
	prm_set(&in, table_id, outer);
	prm_set(&in, end_flow_index, 15);
	outer_group = rig_create(&WRONG_CMD(create_flow_group, &in));
	prm_set(&in, table_id, inner);
	prm_set(&in, end_flow_index, 0);
	prm_set(&in, group_type, PRM_FG_HASH_SPLIT);
	prm_set(&in, match_definer_id, definer);
	WRONG_ONLY(&WRONG_CMD(create_flow_group, &in), hash);
	inner_group = rig_create(&WRONG_CMD(create_flow_group, &in));
	prm_set(&gone, obj_type, PRM_OBJ_MATCH_DEFINER);
	prm_set(&gone, obj_id, definer);
	WRONG_ONLY(&WRONG_CMD(destroy_general_object, &gone), busy);
}

/* ---- entries ---- */

struct fte {
	struct prm_set_fte_in in;
	struct prm_dest_format_struct dest[2];
};

#define DEST(f, v, t, ...)                                                        \
	FAT(sizeof(struct prm_set_fte_in), dest_format_struct, f, v, t, ##__VA_ARGS__)

static const struct wrong_row uplink_rows[] = {
	DEST(destination_id, 1, "destination_id is set (0x1), but an uplink is named by its *"),
	DEST(destination_eswitch_owner_vhca_id_valid, 0,
	     "destination_eswitch_owner_vhca_id_valid is clear: which uplink?"),
	DEST(destination_eswitch_owner_vhca_id, 2,
	     "destination_eswitch_owner_vhca_id 0x2 is no function of this card"),
	DEST(packet_reformat, 1,
	     "packet_reformat is set (0x1), but packet reformat is not advertised"),
	DEST(destination_type, PRM_FLOW_DEST_TABLE,
	     "destination_type 1: a hash group has uplinks, others have tables"),
	DEST(destination_type, PRM_FLOW_DEST_TIR,
	     "destination_type 2: a hash group has uplinks, others have tables"),
	F(set_fte, flow_context.destination_list_size, 2,
	  "action 0x4 with 2 destinations: port selection forwards to one"),
	F(set_fte, flow_context.action, PRM_FLOW_DROP,
	  "action 0x2 with 0 destinations: port selection forwards to one",
	  AND(set_fte, flow_context.destination_list_size, 0)),
	F(set_fte, flow_context.action, PRM_FLOW_FWD_DEST | PRM_FLOW_COUNT,
	  "action 0xc with 1 destinations: port selection forwards to one",
	  AND(set_fte, flow_context.flow_counter_list_size, 1)),
	F(set_fte, flow_context.flow_tag, 7, "flow_tag is set (0x7), but what is sent has none"),
	F(set_fte, flow_context.match_value.outer_headers.ip_protocol, 17,
	  "match_value: byte 0x10 is outside the criteria of group 0x*"),
	F(set_fte, table_type, PRM_FT_NIC_RX, "table 0x* is of type 9, not 0"),
};

static void wrong_entry(void)
{
	static const struct wrong_row to_port[] = {
		DEST(destination_type, PRM_FLOW_DEST_UPLINK,
		     "destination_type 8: a hash group has uplinks, others have tables"),
		DEST(destination_eswitch_owner_vhca_id_valid, 1,
		     "destination_eswitch_owner_vhca_id_valid is set (0x1), but there is no *"),
	};
	static const struct wrong_row modify[] = {
		F(set_fte, flow_context.flow_tag, 7,
		  "flow_tag is set (0x7), but what is sent has none"),
		DEST(destination_eswitch_owner_vhca_id, 9,
		     "destination_eswitch_owner_vhca_id 0x9 is no function of this card"),
	};
	struct fte b = {};

	prm_set(&b.in, table_type, PRM_FT_PORT_SEL);
	prm_set(&b.in, table_id, inner);
	prm_set(&b.in, flow_context.group_id, inner_group);
	prm_set(&b.in, flow_context.action, PRM_FLOW_FWD_DEST);
	prm_set(&b.in, flow_context.destination_list_size, 1);
	prm_set(&b.dest[0], destination_type, PRM_FLOW_DEST_UPLINK);
	prm_set(&b.dest[0], destination_eswitch_owner_vhca_id_valid, 1);
	prm_set(&b.dest[0], destination_eswitch_owner_vhca_id, UPLINK_1);
	WRONG(&WRONG_CMD(set_fte, &b), uplink_rows);
	prm_set(&b.in, op_mod, PRM_FTE_MODIFY);
	prm_set(&b.in, modify_enable_mask, PRM_FTE_MODIFY_DEST_LIST);
	WRONG(&WRONG_CMD(set_fte, &b), modify);

	memset(&b.dest, 0, sizeof(b.dest));
	prm_set(&b.in, op_mod, PRM_FTE_SET);
	prm_set(&b.in, modify_enable_mask, 0);
	prm_set(&b.in, table_id, outer);
	prm_set(&b.in, flow_context.group_id, outer_group);
	prm_set(&b.dest[0], destination_type, PRM_FLOW_DEST_TABLE);
	prm_set(&b.dest[0], destination_id, inner);
	WRONG(&WRONG_CMD(set_fte, &b), to_port);
}

/* Neither kind of tables leads to the other. */
static void wrong_kind(void)
{
	static const struct wrong_row to_rx[] = {
		F(set_fte, flow_index, 1,
		  "destination_id: table 0x* is of type 0, none of type 9 leads there"),
	};
	static const struct wrong_row to_port[] = {
		F(set_fte, flow_index, 0,
		  "destination_id: table 0x* is of type 9, none of type 0 leads there"),
	};
	struct prm_create_flow_group_in group = {};
	struct fte b = {};

	prm_set(&b.in, table_type, PRM_FT_PORT_SEL);
	prm_set(&b.in, table_id, outer);
	prm_set(&b.in, flow_context.group_id, outer_group);
	prm_set(&b.in, flow_context.action, PRM_FLOW_FWD_DEST);
	prm_set(&b.in, flow_context.destination_list_size, 1);
	prm_set(&b.dest[0], destination_type, PRM_FLOW_DEST_TABLE);
	prm_set(&b.dest[0], destination_id, rx_table);
	WRONG_ONLY(&WRONG_CMD(set_fte, &b), to_rx);
	prm_set(&group, table_id, rx_table);
	prm_set(&b.in, table_type, PRM_FT_NIC_RX);
	prm_set(&b.in, table_id, rx_table);
	prm_set(&b.in, flow_context.group_id, rig_create(&WRONG_CMD(create_flow_group, &group)));
	prm_set(&b.dest[0], destination_id, inner);
	WRONG_ONLY(&WRONG_CMD(set_fte, &b), to_port);
}

/* ---- LAG ---- */

static const struct wrong_row lag_rows[] = {
	F(create_lag, ctx.port_select_mode, PRM_LAG_PORT_SELECT_MPESW,
	  "port_select_mode 2 is not advertised"),
	F(create_lag, ctx.tx_remap_affinity_1, 1,
	  "tx_remap_affinity_1 is set (0x1), but hash mode has no map"),
	F(create_lag, ctx.tx_remap_affinity_2, 1,
	  "tx_remap_affinity_2 is set (0x1), but hash mode has no map"),
	F(create_lag, ctx.fdb_selection_mode, 1,
	  "fdb_selection_mode is set (0x1), but it is not advertised"),
};

static void wrong_lag(void)
{
	static const struct wrong_row active[] = {
		F(create_lag, ctx.active_port, 1,
		  "active_port is set (0x1), but port_select_flow_table_bypass is off"),
	};
	static const struct wrong_row modify[] = {
		F(modify_lag, field_select, PRM_MODIFY_LAG_ACTIVE_PORT,
		  "field_select 0x2: this LAG can modify 0x0"),
		F(modify_lag, field_select, 0, "field_select 0x0: this LAG can modify 0x0"),
	};
	struct prm_create_lag_in in = {};

	prm_set(&in, ctx.port_select_mode, PRM_LAG_PORT_SELECT_FT);
	WRONG_ONLY(&WRONG_CMD(create_lag, &in), active);
	WRONG(&WRONG_CMD(create_lag, &in), lag_rows);
	WRONG_ONLY(&WRONG_CMD(modify_lag, &(struct prm_modify_lag_in){}), modify);
}

static void wrong_active(void)
{
	static const struct wrong_row create[] = {
		F(create_lag, ctx.active_port, 0,
		  "active_port 0x0: must be a set of ports 1 to 2 that is not empty"),
		F(create_lag, ctx.active_port, 5,
		  "active_port 0x5: must be a set of ports 1 to 2 that is not empty"),
	};
	static const struct wrong_row modify[] = {
		F(modify_lag, field_select, PRM_MODIFY_LAG_REMAP,
		  "field_select 0x1: this LAG can modify 0x2"),
		F(modify_lag, field_select, 3, "field_select 0x3: this LAG can modify 0x2"),
		F(modify_lag, ctx.port_select_mode, 1,
		  "port_select_mode is set (0x1), but a LAG keeps its mode"),
		F(modify_lag, ctx.active_port, 4,
		  "active_port 0x4: must be a set of ports 1 to 2 that is not empty"),
		F(modify_lag, ctx.tx_remap_affinity_1, 2,
		  "tx_remap_affinity_1 is set (0x2), but hash mode has no map"),
	};
	struct prm_create_lag_in in = {};
	struct prm_modify_lag_in change = {};

	prm_set(&in, ctx.port_select_mode, PRM_LAG_PORT_SELECT_FT);
	prm_set(&in, ctx.active_port, 3);
	WRONG(&WRONG_CMD(create_lag, &in), create);
	prm_set(&change, field_select, PRM_MODIFY_LAG_ACTIVE_PORT);
	prm_set(&change, ctx.active_port, 2);
	WRONG(&WRONG_CMD(modify_lag, &change), modify);
}

/* ---- the function ---- */

/* What was left is said, and in hash mode the LAG too. */
static void wrong_end(void)
{
	wrong_begin();
	rig_create(&WRONG_CMD(teardown_hca, &(struct prm_teardown_hca_in){}));
	wrong_expect("objects that were not destroyed",
		     "leak: UAR 0x* was not destroyed\n"
		     "leak: UAR 0x* was not destroyed\n"
		     "leak: PD 0x* was not destroyed\n"
		     "leak: PD 0x* was not destroyed\n"
		     "leak: TD 0x* was not destroyed\n"
		     "leak: XRCD 0x* was not destroyed\n"
		     "leak: EQ 0x* was not destroyed\nleak: CQ 0x* was not destroyed\n"
		     "leak: Q_COUNTER 0x* was not destroyed\n"
		     "leak: FLOW_TABLE 0x* was not destroyed\n"
		     "leak: FLOW_TABLE 0x* was not destroyed\n"
		     "leak: FLOW_TABLE 0x* was not destroyed\n"
		     "leak: FLOW_GROUP 0x* was not destroyed\n"
		     "leak: FLOW_GROUP 0x* was not destroyed\n"
		     "leak: FLOW_GROUP 0x* was not destroyed\n"
		     "leak: MATCH_DEFINER 0x* was not destroyed\n"
		     "leak: MATCH_DEFINER 0x* was not destroyed\n"
		     "leak: the LAG was not destroyed");
}

/* The one capability of the page that can be set; then the function runs again. */
static void turn_bypass_on(void)
{
	static const struct wrong_row other[] = {
		FAT(sizeof(struct prm_mbox_in), port_selection_cap, port_select_flow_table, 0,
		    "type 0x25: byte 0x2 is 0x20, was 0x80: read-only"),
	};
	static struct prm_query_hca_cap_out got;
	static struct prm_set_hca_cap_in in;
	struct prm_query_hca_cap_in ask = {};

	prm_set(&ask, op_mod, PRM_CAP_PORT_SELECTION << 1 | PRM_CAP_CUR);
	cmd(&rig.c, query_hca_cap, &ask, &got);
	memcpy((uint8_t *)&in + sizeof(struct prm_mbox_in),
	       (uint8_t *)&got + sizeof(struct prm_mbox_out), 0x1000);
	prm_set(&in, op_mod, PRM_CAP_PORT_SELECTION << 1);
	prm_set(&in, capability.port_selection_cap.port_select_flow_table_bypass, 1);
	WRONG(&WRONG_CMD(set_hca_cap, &in), other);
	rig_create(&WRONG_CMD(init_hca, &(struct prm_init_hca_in){}));
}

int main(int argc, char **argv)
{
	int status;

	(void)argc;
	ktap_plan(0);
	rig_open_card(argv[1], 2, "cx7,ports=2");
	wrong_definer();
	wrong_table();
	wrong_group();
	wrong_entry();
	wrong_kind();
	wrong_lag();
	wrong_end();
	turn_bypass_on();
	wrong_active();
	status = rig_close();
	ktap(status == 3, "exit status 3");
	return ktap_end();
}
