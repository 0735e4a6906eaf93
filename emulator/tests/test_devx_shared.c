// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Objects of the driver's that all user contexts may name, and none may change or destroy. */
#include "prm/caps.h"
#include "prm/counter.h"
#include "prm/devx.h"
#include "prm/flow.h"
#include "wrong.h"

#define CTX flow_table_context
#define SHARED "*: * 0x* is of user context 65535, not of 1"

/* Not all layouts have the field. */
static void set_uid(void *in, uint32_t uid)
{
	prm_set((struct prm_mbox_in *)in, uid, uid);
}

static uint32_t create_uctx(void)
{
	struct prm_create_uctx_in in = {};

	prm_set(&in, cap, PRM_UCTX_RAW_TX | PRM_UCTX_INTERNAL_DEV_RES);
	return rig_create(&WRONG_CMD(create_uctx, &in)) & 0xffff;
}

static uint32_t create_table(uint32_t uid, unsigned int level)
{
	struct prm_create_flow_table_in in = {};

	set_uid(&in, uid);
	prm_set(&in, CTX.level, level);
	prm_set(&in, CTX.log_size, 4);
	return rig_create(&WRONG_CMD(create_flow_table, &in));
}

/* ---- counters ---- */

/* The rows of a context's command; the driver's, which is the same, succeeds. */
static void only_driver(const struct wrong_cmd *cmd, uint32_t uid)
{
	static const struct wrong_row rows[] = {
		{ .field = "shared", .text = SHARED, .status = PRM_STATUS_BAD_RES },
	};
	void *in = (void *)cmd->in;

	set_uid(in, uid);
	WRONG_ONLY(cmd, rows);
	set_uid(in, 0);
	ktap(!rig_send(cmd, NULL), "%s of the driver succeeds", cmd->name);
}

static void counters(uint32_t uid)
{
	struct prm_dealloc_q_counter_in dealloc = {};
	struct prm_query_q_counter_in query = {};
	struct prm_alloc_q_counter_in in = {};
	uint32_t counter;

	set_uid(&in, PRM_UID_SHARED);
	counter = rig_create(&WRONG_CMD(alloc_q_counter, &in)) & 0xff;
	set_uid(&query, uid);
	prm_set(&query, counter_set_id, counter);
	ktap(!rig_send(&WRONG_CMD(query_q_counter, &query), NULL), "a context may read them");
	prm_set(&query, clear, 1);
	only_driver(&WRONG_CMD(query_q_counter, &query), uid);
	prm_set(&dealloc, counter_set_id, counter);
	only_driver(&WRONG_CMD(dealloc_q_counter, &dealloc), uid);
}

/* ---- tables ---- */

static void tables(uint32_t uid)
{
	uint32_t shared = create_table(PRM_UID_SHARED, 3), group;
	struct prm_destroy_flow_group_in destroy_group = {};
	struct prm_create_flow_group_in create_group = {};
	struct prm_destroy_flow_table_in destroy = {};
	struct prm_modify_flow_table_in modify = {};
	struct prm_query_flow_table_in query = {};
	struct prm_query_flow_group_in ask = {};
	struct prm_create_flow_table_in in = {};

	set_uid(&in, uid);
	prm_set(&in, CTX.level, 2);
	prm_set(&in, CTX.log_size, 4);
	prm_set(&in, CTX.table_miss_action, 1);
	prm_set(&in, CTX.table_miss_id, shared);
	set_uid(&destroy, uid);
	prm_set(&destroy, table_id, rig_create(&WRONG_CMD(create_flow_table, &in)));
	ktap(!rig_send(&WRONG_CMD(destroy_flow_table, &destroy), NULL),
	     "a context's table may lead to one that is shared");
	prm_set(&create_group, table_id, shared);
	only_driver(&WRONG_CMD(create_flow_group, &create_group), uid);
	/* another one: its number is needed */
	prm_set(&create_group, start_flow_index, 1);
	prm_set(&create_group, end_flow_index, 1);
	group = rig_create(&WRONG_CMD(create_flow_group, &create_group));
	prm_set(&modify, table_id, shared);
	prm_set(&modify, modify_field_select, 1);
	only_driver(&WRONG_CMD(modify_flow_table, &modify), uid);
	set_uid(&query, uid);
	prm_set(&query, table_id, shared);
	ktap(!rig_send(&WRONG_CMD(query_flow_table, &query), NULL), "a context may query it");
	prm_set(&ask, table_id, shared);
	prm_set(&ask, group_id, group);
	ktap(!rig_send(&WRONG_CMD(query_flow_group, &ask), NULL), "the driver queries a group");
	prm_set(&destroy_group, table_id, shared);
	prm_set(&destroy_group, group_id, group);
	only_driver(&WRONG_CMD(destroy_flow_group, &destroy_group), uid);
}

/* Drivers share these without asking for user contexts. */
static void without_contexts(const char *bin_dir)
{
	struct prm_alloc_q_counter_in in = {};

	rig_open(bin_dir);
	set_uid(&in, PRM_UID_SHARED);
	ktap(!rig_send(&WRONG_CMD(alloc_q_counter, &in), NULL),
	     "counters can be shared where there are no contexts");
	create_table(PRM_UID_SHARED, 3);
	rig_close();
}

int main(int argc, char **argv)
{
	uint32_t uid;

	(void)argc;
	ktap_plan(0);
	without_contexts(argv[1]);
	rig_open_card(argv[1], 1, "cx6dx,devx");
	uid = create_uctx();
	counters(uid);
	tables(uid);
	rig_close();
	return ktap_end();
}
