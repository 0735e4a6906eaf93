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

/* A match as a mask: all ones where a part is used. The DMAC has a mask of its own. */
static void encode_mask(struct prm_fte_match_set_lyr_2_4 *set, const struct cxr_flow_match *match)
{
	const u8 *mac = match->dmac_mask;

	if (match->dmac_valid) {
		prm_set(set, dmac_47_16, (u32)mac[0] << 24 | mac[1] << 16 | mac[2] << 8 | mac[3]);
		prm_set(set, dmac_15_0, mac[4] << 8 | mac[5]);
	}
	if (match->ethertype_valid)
		prm_set(set, ethertype, 0xffff);
	if (match->ip_protocol_valid)
		prm_set(set, ip_protocol, 0xff);
	if (match->ip_version)
		prm_set(set, ip_version, 0xf);
	if (match->cvlan_tag_valid)
		prm_set(set, cvlan_tag, 1);
}

static void encode_value(struct prm_fte_match_set_lyr_2_4 *set, const struct cxr_flow_match *match)
{
	const u8 *mac = match->dmac;

	if (match->dmac_valid) {
		prm_set(set, dmac_47_16, (u32)mac[0] << 24 | mac[1] << 16 | mac[2] << 8 | mac[3]);
		prm_set(set, dmac_15_0, mac[4] << 8 | mac[5]);
	}
	if (match->ethertype_valid)
		prm_set(set, ethertype, match->ethertype);
	if (match->ip_protocol_valid)
		prm_set(set, ip_protocol, match->ip_protocol);
	prm_set(set, ip_version, match->ip_version);
	if (match->cvlan_tag_valid)
		prm_set(set, cvlan_tag, match->cvlan_tag);
}

static bool matches_anything(const struct cxr_flow_match *match)
{
	return match->dmac_valid || match->ethertype_valid || match->ip_protocol_valid ||
	       match->ip_version || match->cvlan_tag_valid;
}

/**
 * cxr_cmd_create_flow_group() - CREATE_FLOW_GROUP: entries of a table that match on the same parts
 * @core: the device
 * @table: the table
 * @first: its first entry
 * @last: its last entry
 * @mask: the parts; values are not read
 * @group: its number
 *
 * Return: 0, -ENOMEM, or as cxr_cmd_exec().
 */
int cxr_cmd_create_flow_group(struct cxr_core *core, u32 table, u32 first, u32 last,
			      const struct cxr_flow_match *mask,
			      u32 *group)
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
	encode_mask(prm_sub(in, match_criteria.outer_headers, fte_match_set_lyr_2_4), mask);
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
 * @match: packets it is for; the parts are the group's
 * @dest: where they go
 * @num: TIRN or table, by @dest
 *
 * Return: 0, -ENOMEM, or as cxr_cmd_exec().
 */
int cxr_cmd_set_fte(struct cxr_core *core, u32 table, u32 group, u32 index,
		    const struct cxr_flow_match *match,
		    enum cxr_flow_dest dest, u32 num)
{
	struct fte_in {
		struct prm_set_fte_in head;
		struct prm_dest_format_struct dest;
	} *in;
	struct prm_set_fte_out out;
	size_t len = sizeof(in->head);
	int err;

	in = kzalloc(sizeof(*in), GFP_KERNEL);
	if (!in)
		return -ENOMEM;

	prm_set(&in->head, op_mod, PRM_FTE_SET);
	prm_set(&in->head, table_type, PRM_FT_NIC_RX);
	prm_set(&in->head, table_id, table);
	prm_set(&in->head, flow_index, index);
	prm_set(&in->head, flow_context.group_id, group);
	encode_value(prm_sub(&in->head, flow_context.match_value.outer_headers,
			     fte_match_set_lyr_2_4), match);
	if (dest == CXR_FLOW_DROP) {
		prm_set(&in->head, flow_context.action, PRM_FLOW_DROP);
	} else {
		prm_set(&in->head, flow_context.action, PRM_FLOW_FWD_DEST);
		prm_set(&in->head, flow_context.destination_list_size, 1);
		prm_set(&in->dest, destination_type, dest == CXR_FLOW_TIR ?
			PRM_FLOW_DEST_TIR : PRM_FLOW_DEST_TABLE);
		prm_set(&in->dest, destination_id, num);
		len = sizeof(*in);
	}
	err = cxr_cmd_len(core, set_fte, &in->head, len, &out, sizeof(out));
	kfree(in);
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
