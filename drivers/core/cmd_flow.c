// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Commands for flow tables. */
#include <linux/slab.h>

#include "prm/cmdif.h"
#include "prm/counter.h"
#include "prm/flow.h"
#include "prm/vport.h"
#include "../policy/fdb.h"
#include "core.h"

#define TYPE_SHIFT 24

static u32 type_of(u32 table)
{
	return table >> TYPE_SHIFT;
}

static u32 id_of(u32 table)
{
	return table & (BIT(TYPE_SHIFT) - 1);
}

static int create_flow_table(struct cxr_core *core, u32 type, u8 level, u8 log_size, u32 *table)
{
	struct prm_create_flow_table_in in = {};
	struct prm_create_flow_table_out out;
	int err;

	prm_set(&in, table_type, type);
	prm_set(&in, flow_table_context.table_miss_action, PRM_FT_MISS_DEFAULT);
	prm_set(&in, flow_table_context.level, level);
	prm_set(&in, flow_table_context.log_size, log_size);
	err = cxr_cmd(core, create_flow_table, &in, &out);
	if (err)
		return err;

	*table = prm_get(&out, table_id) | type << TYPE_SHIFT;
	return 0;
}

int cxr_cmd_create_flow_table(struct cxr_core *core, u8 level, u8 log_size, u32 *table)
{
	return create_flow_table(core, PRM_FT_NIC_RX, level, log_size, table);
}
EXPORT_SYMBOL_GPL(cxr_cmd_create_flow_table);

int cxr_cmd_create_rdma_table(struct cxr_core *core, bool tx, u8 log_size, u32 *table)
{
	return create_flow_table(core, tx ? PRM_FT_RDMA_TX : PRM_FT_RDMA_RX, 0, log_size, table);
}
EXPORT_SYMBOL_GPL(cxr_cmd_create_rdma_table);

int cxr_cmd_create_port_table(struct cxr_core *core, u8 level, u8 log_size, u32 *table)
{
	return create_flow_table(core, PRM_FT_PORT_SEL, level, log_size, table);
}

int cxr_cmd_create_fdb_table(struct cxr_core *core, u8 log_size, u32 *table)
{
	return create_flow_table(core, PRM_FT_FDB, 0, log_size, table);
}

void cxr_cmd_destroy_flow_table(struct cxr_core *core, u32 table)
{
	struct prm_destroy_flow_table_in in = {};
	struct prm_destroy_flow_table_out out;

	prm_set(&in, table_type, type_of(table));
	prm_set(&in, table_id, id_of(table));
	cxr_cmd(core, destroy_flow_table, &in, &out);
}
EXPORT_SYMBOL_GPL(cxr_cmd_destroy_flow_table);

int cxr_cmd_set_flow_root(struct cxr_core *core, u32 table)
{
	struct prm_set_flow_table_root_in in = {};
	struct prm_set_flow_table_root_out out;

	prm_set(&in, op_mod, PRM_FT_ROOT_SET);
	prm_set(&in, table_type, type_of(table));
	prm_set(&in, table_id, id_of(table));
	return cxr_cmd(core, set_flow_table_root, &in, &out);
}
EXPORT_SYMBOL_GPL(cxr_cmd_set_flow_root);

int cxr_cmd_set_flow_miss(struct cxr_core *core, u32 table, u32 next)
{
	struct prm_modify_flow_table_in in = {};
	struct prm_modify_flow_table_out out;

	prm_set(&in, table_type, type_of(table));
	prm_set(&in, table_id, id_of(table));
	prm_set(&in, modify_field_select, PRM_MODIFY_FT_MISS_TABLE);
	prm_set(&in, flow_table_context.table_miss_action, next ?
		PRM_FT_MISS_FWD : PRM_FT_MISS_DEFAULT);
	prm_set(&in, flow_table_context.table_miss_id, id_of(next));
	return cxr_cmd(core, modify_flow_table, &in, &out);
}
EXPORT_SYMBOL_GPL(cxr_cmd_set_flow_miss);

static struct prm_create_flow_group_in *alloc_group_in(u32 table, u32 first, u32 last)
{
	struct prm_create_flow_group_in *in = kzalloc(sizeof(*in), GFP_KERNEL);

	if (!in)
		return NULL;
	prm_set(in, table_type, type_of(table));
	prm_set(in, table_id, id_of(table));
	prm_set(in, start_flow_index, first);
	prm_set(in, end_flow_index, last);
	return in;
}

/* Frees @in. */
static int create_group(struct cxr_core *core, struct prm_create_flow_group_in *in, u32 *group)
{
	struct prm_create_flow_group_out out;
	int err;

	err = cxr_cmd(core, create_flow_group, in, &out);
	if (!err)
		*group = prm_get(&out, group_id);
	kfree(in);
	return err;
}

int cxr_cmd_create_flow_group(struct cxr_core *core, u32 table, u32 first, u32 last,
			      const struct cxr_flow_fields *mask, u32 *group)
{
	struct prm_create_flow_group_in *in = alloc_group_in(table, first, last);

	if (!in)
		return -ENOMEM;
	prm_set(in, match_criteria_enable, cxr_flow_criteria(mask));
	cxr_flow_encode(mask, prm_sub(in, match_criteria, fte_match_param));
	return create_group(core, in, group);
}
EXPORT_SYMBOL_GPL(cxr_cmd_create_flow_group);

int cxr_cmd_create_hash_group(struct cxr_core *core, u32 table, u32 first, u32 last, u32 definer,
			      u32 *group)
{
	struct prm_create_flow_group_in *in = alloc_group_in(table, first, last);

	if (!in)
		return -ENOMEM;
	prm_set(in, group_type, PRM_FG_HASH_SPLIT);
	prm_set(in, match_definer_id, definer);
	return create_group(core, in, group);
}

int cxr_cmd_destroy_flow_group(struct cxr_core *core, u32 table, u32 group)
{
	struct prm_destroy_flow_group_in in = {};
	struct prm_destroy_flow_group_out out;

	prm_set(&in, table_type, type_of(table));
	prm_set(&in, table_id, id_of(table));
	prm_set(&in, group_id, group);
	return cxr_cmd_refusal(core, cxr_cmd(core, destroy_flow_group, &in, &out));
}
EXPORT_SYMBOL_GPL(cxr_cmd_destroy_flow_group);

static void encode_dest(struct prm_dest_format_struct *format, const struct cxr_flow_dest *dest)
{
	switch (dest->to) {
	case CXR_FLOW_TO_TIR:
		prm_set(format, destination_type, PRM_FLOW_DEST_TIR);
		prm_set(format, destination_id, dest->num);
		break;
	case CXR_FLOW_TO_TABLE:
		prm_set(format, destination_type, PRM_FLOW_DEST_TABLE);
		prm_set(format, destination_id, id_of(dest->num));
		break;
	case CXR_FLOW_TO_UPLINK:
		prm_set(format, destination_type, PRM_FLOW_DEST_UPLINK);
		prm_set(format, destination_eswitch_owner_vhca_id_valid, 1);
		prm_set(format, destination_eswitch_owner_vhca_id, dest->num);
		break;
	}
}

/* Destinations of an entry of the FDB */
static void encode_vports(struct prm_dest_format_struct *format, const u64 *to)
{
	u32 vport;

	for (vport = 0; vport < CXR_FDB_VPORTS; vport++) {
		if (!cxr_fdb_to(to, vport))
			continue;
		prm_set(format, destination_type, PRM_FLOW_DEST_VPORT);
		prm_set(format, destination_id,
			vport == CXR_FDB_UPLINK ? PRM_VPORT_NUM_UPLINK : vport);
		format++;
	}
}

static u32 action_bits(const struct cxr_flow_action *action, u32 n_dests)
{
	u32 fate = n_dests ? PRM_FLOW_FWD_DEST :
		   action->allow   ? PRM_FLOW_ALLOW : PRM_FLOW_DROP;

	return fate | (action->count ? PRM_FLOW_COUNT : 0);
}

int cxr_cmd_set_fte(struct cxr_core *core, u32 table, u32 group, u32 index,
		    const struct cxr_flow_fields *value, const struct cxr_flow_action *action,
		    bool modify)
{
	u32 i, n = action->vports ? cxr_fdb_weight(action->vports) : action->n_dests;
	struct prm_dest_format_struct *dests;
	struct prm_flow_counter_list *counter;
	struct prm_set_fte_out out;
	struct prm_set_fte_in *in;
	size_t len;
	int err;

	static_assert(sizeof(*counter) == sizeof(*dests));
	len = sizeof(*in) + (n + action->count) * sizeof(*dests);
	in = kvzalloc(len, GFP_KERNEL);
	if (!in)
		return -ENOMEM;

	prm_set(in, op_mod, modify ? PRM_FTE_MODIFY : PRM_FTE_SET);
	if (modify)
		prm_set(in, modify_enable_mask, PRM_FTE_MODIFY_DEST_LIST);
	prm_set(in, table_type, type_of(table));
	prm_set(in, table_id, id_of(table));
	prm_set(in, flow_index, index);
	prm_set(in, flow_context.group_id, group);
	prm_set(in, flow_context.flow_tag, action->tag);
	prm_set(in, flow_context.action, action_bits(action, n));
	prm_set(in, flow_context.destination_list_size, n);
	prm_set(in, flow_context.flow_counter_list_size, action->count);
	cxr_flow_encode(value, prm_sub(in, flow_context.match_value, fte_match_param));
	dests = prm_tail(in);
	if (action->vports)
		encode_vports(dests, action->vports);
	for (i = 0; !action->vports && i < n; i++)
		encode_dest(&dests[i], &action->dests[i]);
	counter = (struct prm_flow_counter_list *)&dests[n];
	if (action->count)
		prm_set(counter, flow_counter_id, action->counter);
	err = cxr_cmd_len(core, set_fte, in, len, &out, sizeof(out));
	kvfree(in);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cmd_set_fte);

int cxr_cmd_delete_fte(struct cxr_core *core, u32 table, u32 index)
{
	struct prm_delete_fte_in in = {};
	struct prm_delete_fte_out out;

	prm_set(&in, table_type, type_of(table));
	prm_set(&in, table_id, id_of(table));
	prm_set(&in, flow_index, index);
	return cxr_cmd_refusal(core, cxr_cmd(core, delete_fte, &in, &out));
}
EXPORT_SYMBOL_GPL(cxr_cmd_delete_fte);

/* ---- counters ---- */

int cxr_cmd_alloc_flow_counter(struct cxr_core *core, u32 *id)
{
	struct prm_alloc_flow_counter_in in = {};
	struct prm_alloc_flow_counter_out out;
	int err;

	err = cxr_cmd(core, alloc_flow_counter, &in, &out);
	if (!err)
		*id = prm_get(&out, flow_counter_id);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cmd_alloc_flow_counter);

void cxr_cmd_dealloc_flow_counter(struct cxr_core *core, u32 id)
{
	struct prm_dealloc_flow_counter_in in = {};
	struct prm_dealloc_flow_counter_out out;

	prm_set(&in, flow_counter_id, id);
	cxr_cmd(core, dealloc_flow_counter, &in, &out);
}
EXPORT_SYMBOL_GPL(cxr_cmd_dealloc_flow_counter);

int cxr_cmd_query_flow_counter(struct cxr_core *core, u32 id, struct cxr_traffic *traffic)
{
	struct prm_query_flow_counter_in in = {};
	struct {
		struct prm_query_flow_counter_out head;
		struct prm_traffic_counter stats;
	} out;
	int err;

	prm_set(&in, flow_counter_id, id);
	err = cxr_cmd_len(core, query_flow_counter, &in, sizeof(in), &out.head, sizeof(out));
	if (err)
		return err;
	traffic->packets = prm_get64(&out.stats, packets);
	traffic->bytes = prm_get64(&out.stats, octets);
	return 0;
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_flow_counter);
