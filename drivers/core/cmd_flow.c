// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Commands for the flow tables of the NIC's receive side. */
#include <linux/slab.h>

#include "prm/cmdif.h"
#include "prm/flow.h"
#include "core.h"

/**
 * cxr_cmd_create_flow_table() - CREATE_FLOW_TABLE
 * @core: the device
 * @level: a table leads only to tables of higher levels
 * @log_size: of the number of entries
 * @table: its number
 *
 * Return: 0 or as cxr_cmd_exec().
 */
int cxr_cmd_create_flow_table(struct cxr_core *core, u8 level, u8 log_size, u32 *table)
{
	struct prm_create_flow_table_in in = {};
	struct prm_create_flow_table_out out;
	int err;

	prm_set(&in, table_type, PRM_FT_NIC_RX);
	prm_set(&in, flow_table_context.table_miss_action, PRM_FT_MISS_DEFAULT);
	prm_set(&in, flow_table_context.level, level);
	prm_set(&in, flow_table_context.log_size, log_size);
	err = cxr_cmd(core, create_flow_table, &in, &out);
	if (err)
		return err;

	*table = prm_get(&out, table_id);
	return 0;
}
EXPORT_SYMBOL_GPL(cxr_cmd_create_flow_table);

/**
 * cxr_cmd_destroy_flow_table() - DESTROY_FLOW_TABLE
 * @core: the device
 * @table: of cxr_cmd_create_flow_table()
 */
void cxr_cmd_destroy_flow_table(struct cxr_core *core, u32 table)
{
	struct prm_destroy_flow_table_in in = {};
	struct prm_destroy_flow_table_out out;

	prm_set(&in, table_type, PRM_FT_NIC_RX);
	prm_set(&in, table_id, table);
	cxr_cmd(core, destroy_flow_table, &in, &out);
}
EXPORT_SYMBOL_GPL(cxr_cmd_destroy_flow_table);

/**
 * cxr_cmd_set_flow_root() - SET_FLOW_TABLE_ROOT: where received packets start
 * @core: the device
 * @table: the table
 *
 * Return: 0 or as cxr_cmd_exec().
 */
int cxr_cmd_set_flow_root(struct cxr_core *core, u32 table)
{
	struct prm_set_flow_table_root_in in = {};
	struct prm_set_flow_table_root_out out;

	prm_set(&in, op_mod, PRM_FT_ROOT_SET);
	prm_set(&in, table_type, PRM_FT_NIC_RX);
	prm_set(&in, table_id, table);
	return cxr_cmd(core, set_flow_table_root, &in, &out);
}

/**
 * cxr_cmd_set_flow_miss() - MODIFY_FLOW_TABLE: where packets go that no entry is for
 * @core: the device
 * @table: the table
 * @next: a table of a higher level; 0: nowhere
 *
 * Return: 0 or as cxr_cmd_exec().
 */
int cxr_cmd_set_flow_miss(struct cxr_core *core, u32 table, u32 next)
{
	struct prm_modify_flow_table_in in = {};
	struct prm_modify_flow_table_out out;

	prm_set(&in, table_type, PRM_FT_NIC_RX);
	prm_set(&in, table_id, table);
	prm_set(&in, modify_field_select, PRM_MODIFY_FT_MISS_TABLE);
	prm_set(&in, flow_table_context.table_miss_action, next ?
		PRM_FT_MISS_FWD : PRM_FT_MISS_DEFAULT);
	prm_set(&in, flow_table_context.table_miss_id, next);
	return cxr_cmd(core, modify_flow_table, &in, &out);
}

static bool matches_anything(const struct cxr_flow_fields *mask)
{
	return memchr_inv(mask, 0, sizeof(*mask));
}

/**
 * cxr_cmd_create_flow_group() - CREATE_FLOW_GROUP: entries of a table that match on the same parts
 * @core: the device
 * @table: the table
 * @first: its first entry
 * @last: its last entry
 * @mask: their bits
 * @group: its number
 *
 * Return: 0, -ENOMEM, or as cxr_cmd_exec().
 */
int cxr_cmd_create_flow_group(struct cxr_core *core, u32 table, u32 first, u32 last,
			      const struct cxr_flow_fields *mask, u32 *group)
{
	struct prm_create_flow_group_out out;
	struct prm_create_flow_group_in *in;
	int err;

	in = kzalloc(sizeof(*in), GFP_KERNEL);
	if (!in)
		return -ENOMEM;

	prm_set(in, table_type, PRM_FT_NIC_RX);
	prm_set(in, table_id, table);
	prm_set(in, start_flow_index, first);
	prm_set(in, end_flow_index, last);
	if (matches_anything(mask))
		prm_set(in, match_criteria_enable, PRM_MATCH_OUTER);
	cxr_flow_encode(mask, prm_sub(in, match_criteria.outer_headers, fte_match_set_lyr_2_4));
	err = cxr_cmd(core, create_flow_group, in, &out);
	if (!err)
		*group = prm_get(&out, group_id);
	kfree(in);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cmd_create_flow_group);

/**
 * cxr_cmd_destroy_flow_group() - DESTROY_FLOW_GROUP
 * @core: the device
 * @table: its table
 * @group: of cxr_cmd_create_flow_group()
 */
void cxr_cmd_destroy_flow_group(struct cxr_core *core, u32 table, u32 group)
{
	struct prm_destroy_flow_group_in in = {};
	struct prm_destroy_flow_group_out out;

	prm_set(&in, table_type, PRM_FT_NIC_RX);
	prm_set(&in, table_id, table);
	prm_set(&in, group_id, group);
	cxr_cmd(core, destroy_flow_group, &in, &out);
}
EXPORT_SYMBOL_GPL(cxr_cmd_destroy_flow_group);

/**
 * cxr_cmd_set_fte() - SET_FLOW_TABLE_ENTRY
 * @core: the device
 * @table: the table
 * @group: group that @index lies in
 * @index: the entry
 * @value: packets it is for; the parts are the group's
 * @action: what is done with them
 * @again: the entry exists, and gets other destinations
 *
 * Return: 0, -ENOMEM, or as cxr_cmd_exec().
 */
int cxr_cmd_set_fte(struct cxr_core *core, u32 table, u32 group, u32 index,
		    const struct cxr_flow_fields *value, const struct cxr_flow_action *action,
		    bool again)
{
	struct prm_dest_format_struct *dests;
	struct prm_set_fte_out out;
	struct prm_set_fte_in *in;
	size_t len;
	u32 i;
	int err;

	len = sizeof(*in) + action->n_dests * sizeof(*dests);
	in = kvzalloc(len, GFP_KERNEL);
	if (!in)
		return -ENOMEM;

	prm_set(in, op_mod, again ? PRM_FTE_MODIFY : PRM_FTE_SET);
	if (again)
		prm_set(in, modify_enable_mask, PRM_FTE_MODIFY_DEST_LIST);
	prm_set(in, table_type, PRM_FT_NIC_RX);
	prm_set(in, table_id, table);
	prm_set(in, flow_index, index);
	prm_set(in, flow_context.group_id, group);
	prm_set(in, flow_context.flow_tag, action->tag);
	prm_set(in, flow_context.action, action->n_dests ? PRM_FLOW_FWD_DEST : PRM_FLOW_DROP);
	prm_set(in, flow_context.destination_list_size, action->n_dests);
	cxr_flow_encode(value, prm_sub(in, flow_context.match_value.outer_headers,
				       fte_match_set_lyr_2_4));
	dests = prm_tail(in);
	for (i = 0; i < action->n_dests; i++) {
		prm_set(&dests[i], destination_type, action->dests[i].table ?
			PRM_FLOW_DEST_TABLE : PRM_FLOW_DEST_TIR);
		prm_set(&dests[i], destination_id, action->dests[i].num);
	}
	err = cxr_cmd_len(core, set_fte, in, len, &out, sizeof(out));
	kvfree(in);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cmd_set_fte);

/**
 * cxr_cmd_delete_fte() - DELETE_FLOW_TABLE_ENTRY
 * @core: the device
 * @table: the table
 * @index: entry of cxr_cmd_set_fte()
 */
void cxr_cmd_delete_fte(struct cxr_core *core, u32 table, u32 index)
{
	struct prm_delete_fte_in in = {};
	struct prm_delete_fte_out out;

	prm_set(&in, table_type, PRM_FT_NIC_RX);
	prm_set(&in, table_id, table);
	prm_set(&in, flow_index, index);
	cxr_cmd(core, delete_fte, &in, &out);
}
EXPORT_SYMBOL_GPL(cxr_cmd_delete_fte);
