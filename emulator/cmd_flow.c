// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Flow tables: CREATE/DESTROY/QUERY/MODIFY_FLOW_TABLE, SET_FLOW_TABLE_ROOT, the same for groups and
 * entries, flow counters.
 *
 * Only tables of received packets exist (type NIC_RX). References: a group uses its table, an entry
 * its destinations and counters, a table the table behind it. Entries are no objects: they belong
 * to their group.
 */
#include <stdlib.h>
#include <string.h>

#include "eth.h"
#include "lag.h"
#include "prm/counter.h"

#define MAX_BULK_QUERY 1024

/* The fields that every command of this file begins with. Both: -1 and refused, or 0. */
#define bad_type(c, in)                                                                  \
	({                                                                               \
		unsigned int type_ = prm_get(in, table_type);                            \
	\
		type_ == PRM_FT_NIC_RX ?                                                 \
			0 :                                                              \
			refuse(c, PRM_STATUS_BAD_PARAM,                                  \
			       "table_type 0x%x is not advertised, only NIC_RX", type_); \
	})

#define bad_head(c, in)                                                            \
	({                                                                         \
		typeof(in) in_ = (in);                                             \
		struct cmd *c_ = (c);                                              \
	\
		is_set(c_, in_, other_vport, "but there is one vport") ||          \
			is_set(c_, in_, vport_number, "but there is one vport") || \
			bad_type(c_, in_);                                         \
	})

/* ---- tables ---- */

static void table_release(void *obj)
{
	struct flow_table *table = obj;
	struct eth_state *eth = table->obj.dev->eth;

	if (eth->rx_root == table)
		eth->rx_root = NULL;
	if (table->demux)
		table->obj.dev->adapter->demux--;
	obj_put(table->miss);
}

/* The table behind @level that a miss or an entry names; NULL: refused. */
static struct flow_table *use_next_table(struct cmd *c, uint32_t id, unsigned int level,
					 const char *field)
{
	struct flow_table *next = obj_use(c, OBJ_FLOW_TABLE, id, field);

	if (!next)
		return NULL;
	if (next->level <= level) {
		refuse(c, PRM_STATUS_BAD_PARAM, "%s: table 0x%x of level %u is not behind level %u",
		       field, id, next->level, level);
		obj_put(next);
		return NULL;
	}
	return next;
}

/* miss_action and miss_id of a context; *next is NULL for the default. */
static int get_miss(struct cmd *c, const struct prm_flow_table_context *ctx, unsigned int level,
		    struct flow_table **next)
{
	*next = NULL;
	switch (prm_get(ctx, table_miss_action)) {
	case PRM_FT_MISS_DEFAULT:
		if (is_set(c, ctx, table_miss_id, "but the miss action does not use it"))
			return -1;
		return 0;
	case PRM_FT_MISS_FWD:
		*next = use_next_table(c, prm_get(ctx, table_miss_id), level, "table_miss_id");
		return *next ? 0 : -1;
	default:
		return refuse(c, PRM_STATUS_BAD_PARAM, "table_miss_action %u is not advertised",
			      prm_get(ctx, table_miss_action));
	}
}

/* 0, or refused: op_mod, and the fields that only one kind of table has. */
static int check_kind(struct cmd *c, const struct prm_flow_table_context *ctx)
{
	const struct adapter *adapter = c->dev->adapter;

	if (!c->op_mod)
		return is_set(c, ctx, lag_master_next_table_id, "but this is no LAG demux table");
	if (c->op_mod != PRM_FT_OP_LAG_DEMUX)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "op_mod %u of CREATE_FLOW_TABLE is not advertised", c->op_mod);
	if (!adapter || c->dev->native_port != 1 || !adapter->vport)
		return refuse(c, PRM_STATUS_BAD_RES_STATE,
			      "a LAG demux table needs a vport LAG of this function");
	if (is_set(c, ctx, table_miss_action, "but a LAG demux table has none") ||
	    is_set(c, ctx, table_miss_id, "but a LAG demux table has none"))
		return -1;
	return 0;
}

/* Nothing but the table behind it is of use: Ethernet frames do not change hands in a LAG. */
static int get_demux_next(struct cmd *c, const struct prm_flow_table_context *ctx,
			  unsigned int level, struct flow_table **next)
{
	uint32_t id = prm_get(ctx, lag_master_next_table_id);

	*next = id ? use_next_table(c, id, level, "lag_master_next_table_id") : NULL;
	return id && !*next ? -1 : 0;
}

static int run_create_flow_table(struct cmd *c)
{
	const struct prm_create_flow_table_in *in = c->in;
	const struct prm_flow_table_context *ctx = prm_sub_const(in, flow_table_context,
								 flow_table_context);
	struct prm_create_flow_table_out *out = c->out;
	struct flow_table *table;

	if (bad_head(c, in))
		return -1;
	if (check_kind(c, ctx))
		return -1;
	if (is_set(c, ctx, reformat_en, "but packet reformat is not advertised") ||
	    is_set(c, ctx, decap_en, "but decapsulation is not advertised") ||
	    is_set(c, ctx, sw_owner, "but tables owned by software are not advertised") ||
	    is_set(c, ctx, termination_table, "but termination tables are not advertised"))
		return -1;
	if (prm_get(ctx, level) >= FLOW_MAX_LEVEL)
		return refuse(c, PRM_STATUS_BAD_PARAM, "level %u is above max_ft_level %u",
			      prm_get(ctx, level), FLOW_MAX_LEVEL);
	if (prm_get(ctx, log_size) > FLOW_LOG_MAX_SIZE)
		return refuse(c, PRM_STATUS_BAD_PARAM, "log_size %u is above log_max_ft_size %u",
			      prm_get(ctx, log_size), FLOW_LOG_MAX_SIZE);

	table = obj_create(c, OBJ_FLOW_TABLE, sizeof(*table));
	if (!table)
		return -1;
	table->obj.release = table_release;
	table->level = prm_get(ctx, level);
	table->log_size = prm_get(ctx, log_size);
	table->ctx = *ctx;
	list_init(&table->groups);
	list_init(&table->ftes);
	if (c->op_mod == PRM_FT_OP_LAG_DEMUX ? get_demux_next(c, ctx, table->level, &table->miss) :
				     get_miss(c, ctx, table->level, &table->miss)) {
		obj_drop_failed(table);
		return -1;
	}
	if (c->op_mod == PRM_FT_OP_LAG_DEMUX) {
		table->demux = true;
		c->dev->adapter->demux++;
	}
	prm_set(out, table_id, table->obj.num);
	return 0;
}

static int run_destroy_flow_table(struct cmd *c)
{
	const struct prm_destroy_flow_table_in *in = c->in;
	struct flow_table *table;

	if (bad_head(c, in))
		return -1;
	table = obj_get(c, OBJ_FLOW_TABLE, prm_get(in, table_id), "table_id");
	return table ? obj_destroy(c, table) : -1;
}

static int run_modify_flow_table(struct cmd *c)
{
	const struct prm_modify_flow_table_in *in = c->in;
	const struct prm_flow_table_context *ctx = prm_sub_const(in, flow_table_context,
								 flow_table_context);
	struct flow_table *table, *miss;

	if (bad_head(c, in))
		return -1;
	table = obj_get(c, OBJ_FLOW_TABLE, prm_get(in, table_id), "table_id");
	if (!table)
		return -1;
	if (prm_get(in, modify_field_select) !=
	    (table->demux ? PRM_MODIFY_FT_LAG_NEXT_TABLE : PRM_MODIFY_FT_MISS_TABLE))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "modify_field_select 0x%x: only the table behind it can be changed",
			      prm_get(in, modify_field_select));
	if (table->demux ? get_demux_next(c, ctx, table->level, &miss) :
			   get_miss(c, ctx, table->level, &miss))
		return -1;

	obj_put(table->miss);
	table->miss = miss;
	prm_set(&table->ctx, table_miss_action, prm_get(ctx, table_miss_action));
	prm_set(&table->ctx, table_miss_id, prm_get(ctx, table_miss_id));
	prm_set(&table->ctx, lag_master_next_table_id, prm_get(ctx, lag_master_next_table_id));
	return 0;
}

static int run_query_flow_table(struct cmd *c)
{
	const struct prm_query_flow_table_in *in = c->in;
	struct prm_query_flow_table_out *out = c->out;
	struct flow_table *table;

	if (bad_type(c, in))
		return -1;
	table = obj_get(c, OBJ_FLOW_TABLE, prm_get(in, table_id), "table_id");
	if (!table)
		return -1;
	*prm_sub(out, flow_table_context, flow_table_context) = table->ctx;
	return 0;
}

static int run_set_flow_table_root(struct cmd *c)
{
	const struct prm_set_flow_table_root_in *in = c->in;
	struct flow_table *table;

	if (bad_head(c, in))
		return -1;
	if (is_set(c, in, underlay_qpn, "but this is an Ethernet port") ||
	    is_set(c, in, table_eswitch_owner_vhca_id_valid, "but there is no e-switch") ||
	    is_set(c, in, table_of_other_vport, "but there is one vport"))
		return -1;
	switch (c->op_mod) {
	case PRM_FT_ROOT_SET:
		table = obj_get(c, OBJ_FLOW_TABLE, prm_get(in, table_id), "table_id");
		if (!table)
			return -1;
		c->dev->eth->rx_root = table;
		return 0;
	case PRM_FT_ROOT_RESET:
		if (is_set(c, in, table_id, "but op_mod 1 takes the root away"))
			return -1;
		c->dev->eth->rx_root = NULL;
		return 0;
	default:
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "op_mod %u of SET_FLOW_TABLE_ROOT is unknown", c->op_mod);
	}
}

/* ---- groups ---- */

static void fte_free(struct fte *fte);

static void group_release(void *obj)
{
	struct flow_group *group = obj;
	struct fte *fte, *tmp;

	list_for_each_entry_safe(fte, tmp, &group->table->ftes, node)
		if (fte->group == group)
			fte_free(fte);
	list_del(&group->node);
	obj_put(group->table);
}

/* What can be matched, all of it in the outer headers. */
static void supported_criteria(struct prm_fte_match_param *param)
{
	struct prm_fte_match_set_lyr_2_4 *outer = prm_sub(param, outer_headers,
							  fte_match_set_lyr_2_4);

	memset(param, 0, sizeof(*param));
	memset(outer, 0xff, sizeof(*outer));
	prm_set(outer, l4_type, 0);
	prm_set(outer, rsvd_c2, 0);
	prm_set(outer, rsvd_d4, 0);
}

static int check_criteria(struct cmd *c, unsigned int enable,
			  const struct prm_fte_match_param *criteria)
{
	struct prm_fte_match_param supported;
	unsigned int i;

	if (enable & ~PRM_MATCH_OUTER)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "match_criteria_enable 0x%x: only the outer headers can be matched",
			      enable);
	supported_criteria(&supported);
	for (i = 0; i < ARRAY_SIZE(criteria->dw); i++) {
		if (criteria->dw[i] & ~supported.dw[i])
			return refuse(c, PRM_STATUS_BAD_PARAM,
				      "match_criteria: the field at byte 0x%x is not advertised",
				      i * 4);
		if (criteria->dw[i] && !enable)
			return refuse(c, PRM_STATUS_BAD_PARAM,
				      "match_criteria: byte 0x%x is set, but not enabled", i * 4);
	}
	return 0;
}

/* Puts the group in its place by start index; refused if it overlaps another. */
static int insert_group(struct cmd *c, struct flow_table *table, struct flow_group *group)
{
	struct flow_group *other;

	list_for_each_entry(other, &table->groups, node) {
		if (group->start <= other->end && other->start <= group->end)
			return refuse(c, PRM_STATUS_BAD_PARAM,
				      "entries %u to %u overlap group 0x%x (%u to %u)",
				      group->start, group->end, other->obj.num, other->start,
				      other->end);
		if (other->start > group->start)
			break;
	}
	list_add_tail(&group->node, &other->node);
	return 0;
}

static int run_create_flow_group(struct cmd *c)
{
	const struct prm_create_flow_group_in *in = c->in;
	const struct prm_fte_match_param *criteria = prm_sub_const(in, match_criteria,
								   fte_match_param);
	struct prm_create_flow_group_out *out = c->out;
	uint32_t start = prm_get(in, start_flow_index), end = prm_get(in, end_flow_index);
	struct flow_table *table;
	struct flow_group *group;

	if (bad_head(c, in))
		return -1;
	if (is_set(c, in, group_type, "but hash groups are not advertised") ||
	    is_set(c, in, match_definer_id, "but match definers are not advertised") ||
	    is_set(c, in, source_eswitch_owner_vhca_id_valid, "but there is no e-switch"))
		return -1;
	if (check_criteria(c, prm_get(in, match_criteria_enable), criteria))
		return -1;
	table = obj_get(c, OBJ_FLOW_TABLE, prm_get(in, table_id), "table_id");
	if (!table)
		return -1;
	if (start > end || end >= 1u << table->log_size)
		return refuse(c, PRM_STATUS_IX, "entries %u to %u are no range of a table of %u",
			      start, end, 1u << table->log_size);

	group = obj_create(c, OBJ_FLOW_GROUP, sizeof(*group));
	if (!group)
		return -1;
	list_init(&group->node);
	group->start = start;
	group->end = end;
	group->criteria_enable = prm_get(in, match_criteria_enable);
	group->criteria = *criteria;
	if (insert_group(c, table, group)) {
		obj_drop_failed(group);
		return -1;
	}
	group->table = table;
	table->obj.refs++;
	group->obj.release = group_release;
	prm_set(out, group_id, group->obj.num);
	return 0;
}

/* The group @id of the table @table_id; NULL: refused. */
static struct flow_group *get_group(struct cmd *c, uint32_t table_id, uint32_t id)
{
	struct flow_table *table = obj_get(c, OBJ_FLOW_TABLE, table_id, "table_id");
	struct flow_group *group = table ? obj_get(c, OBJ_FLOW_GROUP, id, "group_id") : NULL;

	if (group && group->table != table) {
		refuse(c, PRM_STATUS_BAD_RES, "group 0x%x is not in table 0x%x", id, table_id);
		return NULL;
	}
	return group;
}

static int run_destroy_flow_group(struct cmd *c)
{
	const struct prm_destroy_flow_group_in *in = c->in;
	struct flow_group *group;

	if (bad_head(c, in))
		return -1;
	group = get_group(c, prm_get(in, table_id), prm_get(in, group_id));
	if (!group)
		return -1;
	if (group->entries)
		return refuse(c, PRM_STATUS_RES_BUSY, "flow group 0x%x still has %u entries",
			      group->obj.num, group->entries);
	return obj_destroy(c, group);
}

static int run_query_flow_group(struct cmd *c)
{
	const struct prm_query_flow_group_in *in = c->in;
	struct prm_query_flow_group_out *out = c->out;
	struct flow_group *group;

	if (bad_type(c, in))
		return -1;
	group = get_group(c, prm_get(in, table_id), prm_get(in, group_id));
	if (!group)
		return -1;
	prm_set(out, start_flow_index, group->start);
	prm_set(out, end_flow_index, group->end);
	prm_set(out, match_criteria_enable, group->criteria_enable);
	*prm_sub(out, match_criteria, fte_match_param) = group->criteria;
	return 0;
}

/* ---- entries ---- */

/* What an entry holds; freed by put_targets(). */
struct targets {
	struct flow_dest *dests;
	struct flow_counter **counters;
	unsigned int n_dests, n_counters;
};

static void put_targets(struct targets *targets)
{
	unsigned int i;

	for (i = 0; i < targets->n_dests; i++) {
		obj_put(targets->dests[i].tir);
		obj_put(targets->dests[i].table);
	}
	for (i = 0; i < targets->n_counters; i++)
		obj_put(targets->counters[i]);
	free(targets->dests);
	free(targets->counters);
	memset(targets, 0, sizeof(*targets));
}

static void fte_free(struct fte *fte)
{
	struct targets targets = { fte->dests, fte->counters, fte->n_dests, fte->n_counters };

	put_targets(&targets);
	list_del(&fte->node);
	fte->group->entries--;
	free(fte);
}

/* The entry with this index, or NULL; *after is the list position behind which a new one goes. */
static struct fte *find_fte(struct flow_table *table, uint32_t index, struct list_head **after)
{
	struct fte *fte;

	*after = &table->ftes;
	list_for_each_entry(fte, &table->ftes, node) {
		if (fte->index == index)
			return fte;
		if (fte->index > index)
			break;
		*after = &fte->node;
	}
	return NULL;
}

static int get_dest(struct cmd *c, const struct prm_dest_format_struct *format, unsigned int level,
		    struct flow_dest *dest)
{
	uint32_t id = prm_get(format, destination_id);

	if (is_set(c, format, destination_eswitch_owner_vhca_id_valid,
		   "but there is no e-switch") ||
	    is_set(c, format, packet_reformat, "but packet reformat is not advertised"))
		return -1;
	switch (prm_get(format, destination_type)) {
	case PRM_FLOW_DEST_TIR:
		dest->tir = obj_use(c, OBJ_TIR, id, "destination_id");
		return dest->tir ? 0 : -1;
	case PRM_FLOW_DEST_TABLE:
		dest->table = use_next_table(c, id, level, "destination_id");
		return dest->table ? 0 : -1;
	default:
		return refuse(c, PRM_STATUS_BAD_PARAM, "destination_type %u is not advertised",
			      prm_get(format, destination_type));
	}
}

/* The lists behind SET_FTE's fixed part: destinations, then counters, 8 bytes each. */
static int get_targets(struct cmd *c, const struct prm_set_fte_in *in, unsigned int level,
		       struct targets *targets)
{
	const struct prm_flow_context *ctx = prm_sub_const(in, flow_context, flow_context);
	uint32_t n_dests = prm_get(ctx, destination_list_size),
		 n_counters = prm_get(ctx, flow_counter_list_size);
	const struct prm_dest_format_struct *dests = prm_tail_const(in);
	const struct prm_flow_counter_list *counters = (const void *)(dests + n_dests);

	memset(targets, 0, sizeof(*targets));
	if (n_dests > FLOW_MAX_DESTS || n_counters > 1)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "%u destinations and %u counters: at most %u and 1 are advertised",
			      n_dests, n_counters, FLOW_MAX_DESTS);
	if (c->in_len < sizeof(*in) + (n_dests + n_counters) * sizeof(*dests))
		return refuse(c, PRM_STATUS_BAD_INP_LEN,
			      "%u destinations and %u counters do not fit in %u bytes", n_dests,
			      n_counters, c->in_len);

	targets->dests = calloc(n_dests + 1, sizeof(*targets->dests));
	targets->counters = calloc(n_counters + 1, sizeof(*targets->counters));
	if (!targets->dests || !targets->counters) {
		put_targets(targets);
		return refuse(c, PRM_STATUS_INTERNAL, "no memory for the destinations");
	}
	for (; targets->n_dests < n_dests; targets->n_dests++)
		if (get_dest(c, &dests[targets->n_dests], level, &targets->dests[targets->n_dests]))
			goto put;
	for (; targets->n_counters < n_counters; targets->n_counters++) {
		uint32_t id = prm_get(&counters[targets->n_counters], flow_counter_id);

		targets->counters[targets->n_counters] = obj_use(c, OBJ_FLOW_COUNTER, id,
								 "flow_counter_id");
		if (!targets->counters[targets->n_counters])
			goto put;
	}
	return 0;

put:
	put_targets(targets);
	return -1;
}

static int check_action(struct cmd *c, const struct prm_flow_context *ctx)
{
	uint32_t action = prm_get(ctx, action);

	if (is_set(c, ctx, extended_destination, "but packet reformat is not advertised") ||
	    is_set(c, ctx, uplink_hairpin_en, "but hairpin is not advertised") ||
	    is_set(c, ctx, flow_source, "but there is no e-switch") ||
	    is_set(c, ctx, encrypt_decrypt_type, "but encryption is not advertised") ||
	    is_set(c, ctx, encrypt_decrypt_obj_id, "but encryption is not advertised") ||
	    is_set(c, ctx, packet_reformat_id, "but packet reformat is not advertised") ||
	    is_set(c, ctx, push_vlan.ethtype, "but pushing VLAN tags is not advertised") ||
	    is_set(c, ctx, push_vlan_2.ethtype, "but pushing VLAN tags is not advertised") ||
	    is_set(c, ctx, modify_header_id, "but header modification is not advertised"))
		return -1;
	if (action & ~(PRM_FLOW_DROP | PRM_FLOW_FWD_DEST | PRM_FLOW_COUNT))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "action 0x%x has actions that are not advertised", action);
	if (!(action & PRM_FLOW_DROP) == !(action & PRM_FLOW_FWD_DEST))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "action 0x%x: a packet is either forwarded or dropped", action);
	if (!(action & PRM_FLOW_FWD_DEST) != !prm_get(ctx, destination_list_size))
		return refuse(c, PRM_STATUS_BAD_PARAM, "action 0x%x with %u destinations", action,
			      prm_get(ctx, destination_list_size));
	if (!(action & PRM_FLOW_COUNT) != !prm_get(ctx, flow_counter_list_size))
		return refuse(c, PRM_STATUS_BAD_PARAM, "action 0x%x with %u counters", action,
			      prm_get(ctx, flow_counter_list_size));
	return 0;
}

static int check_value(struct cmd *c, const struct flow_group *group,
		       const struct prm_fte_match_param *value)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(value->dw); i++)
		if (value->dw[i] & ~group->criteria.dw[i])
			return refuse(c, PRM_STATUS_BAD_PARAM,
				      "match_value: byte 0x%x is outside the criteria of group 0x%x",
				      i * 4, group->obj.num);
	return 0;
}

static int create_fte(struct cmd *c, const struct prm_set_fte_in *in, struct flow_table *table,
		      uint32_t index, struct list_head *after)
{
	const struct prm_flow_context *ctx = prm_sub_const(in, flow_context, flow_context);
	const struct prm_fte_match_param *value = prm_sub_const(ctx, match_value, fte_match_param);
	struct flow_group *group = get_group(c, table->obj.num, prm_get(ctx, group_id));
	struct targets targets;
	struct fte *fte;

	if (is_set(c, in, modify_enable_mask, "but the entry is new"))
		return -1;
	if (!group || check_action(c, ctx) || check_value(c, group, value))
		return -1;
	if (index < group->start || index > group->end)
		return refuse(c, PRM_STATUS_IX, "flow_index %u is outside group 0x%x (%u to %u)",
			      index, group->obj.num, group->start, group->end);
	if (get_targets(c, in, table->level, &targets))
		return -1;
	fte = calloc(1, sizeof(*fte));
	if (!fte) {
		put_targets(&targets);
		return refuse(c, PRM_STATUS_INTERNAL, "no memory for the entry");
	}

	fte->index = index;
	fte->group = group;
	fte->value = *prm_sub_const(value, outer_headers, fte_match_set_lyr_2_4);
	fte->tag = prm_get(ctx, flow_tag);
	fte->action = prm_get(ctx, action);
	fte->dests = targets.dests;
	fte->n_dests = targets.n_dests;
	fte->counters = targets.counters;
	fte->n_counters = targets.n_counters;
	fte->ctx = *ctx;
	group->entries++;
	list_add(&fte->node, after);
	return 0;
}

/* Destinations, counters and action change together in one step: the rule never stands half-way. */
static int modify_fte(struct cmd *c, const struct prm_set_fte_in *in, struct flow_table *table,
		      struct fte *fte)
{
	const struct prm_flow_context *ctx = prm_sub_const(in, flow_context, flow_context);
	unsigned int mask = prm_get(in, modify_enable_mask);
	struct targets targets, old = { fte->dests, fte->counters, fte->n_dests, fte->n_counters };

	if (mask & ~(PRM_FTE_MODIFY_ACTION | PRM_FTE_MODIFY_TAG | PRM_FTE_MODIFY_DEST_LIST |
		     PRM_FTE_MODIFY_COUNTERS))
		return refuse(c, PRM_STATUS_BAD_PARAM, "modify_enable_mask 0x%x has unknown bits",
			      mask);
	if (prm_get(ctx, group_id) != fte->group->obj.num)
		return refuse(c, PRM_STATUS_BAD_PARAM, "entry %u is in group 0x%x, not 0x%x",
			      fte->index, fte->group->obj.num, prm_get(ctx, group_id));
	if (check_action(c, ctx) || get_targets(c, in, table->level, &targets))
		return -1;

	if (mask & PRM_FTE_MODIFY_TAG)
		fte->tag = prm_get(ctx, flow_tag);
	if (mask & PRM_FTE_MODIFY_ACTION)
		fte->action = prm_get(ctx, action);
	if (mask & PRM_FTE_MODIFY_DEST_LIST) {
		fte->dests = targets.dests;
		fte->n_dests = targets.n_dests;
		targets.dests = old.dests;
		targets.n_dests = old.n_dests;
	}
	if (mask & PRM_FTE_MODIFY_COUNTERS) {
		fte->counters = targets.counters;
		fte->n_counters = targets.n_counters;
		targets.counters = old.counters;
		targets.n_counters = old.n_counters;
	}
	put_targets(&targets);
	prm_set(&fte->ctx, flow_tag, fte->tag);
	prm_set(&fte->ctx, action, fte->action);
	prm_set(&fte->ctx, destination_list_size, fte->n_dests);
	prm_set(&fte->ctx, flow_counter_list_size, fte->n_counters);
	return 0;
}

static int run_set_fte(struct cmd *c)
{
	const struct prm_set_fte_in *in = c->in;
	uint32_t index = prm_get(in, flow_index);
	struct flow_table *table;
	struct list_head *after;
	struct fte *fte;

	if (bad_head(c, in))
		return -1;
	if (is_set(c, in, ignore_flow_level, "but it is not advertised"))
		return -1;
	table = obj_get(c, OBJ_FLOW_TABLE, prm_get(in, table_id), "table_id");
	if (!table)
		return -1;
	fte = find_fte(table, index, &after);

	switch (c->op_mod) {
	case PRM_FTE_SET:
		if (fte)
			return refuse(c, PRM_STATUS_BAD_PARAM,
				      "entry %u of table 0x%x exists already", index,
				      table->obj.num);
		return create_fte(c, in, table, index, after);
	case PRM_FTE_MODIFY:
		if (!fte)
			return refuse(c, PRM_STATUS_IX,
				      "there is no entry %u in table 0x%x to modify", index,
				      table->obj.num);
		return modify_fte(c, in, table, fte);
	default:
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "op_mod %u of SET_FLOW_TABLE_ENTRY is unknown", c->op_mod);
	}
}

/* The entry a command names; NULL: refused. */
static struct fte *get_fte(struct cmd *c, uint32_t table_id, uint32_t index)
{
	struct flow_table *table = obj_get(c, OBJ_FLOW_TABLE, table_id, "table_id");
	struct list_head *after;
	struct fte *fte = table ? find_fte(table, index, &after) : NULL;

	if (table && !fte)
		refuse(c, PRM_STATUS_IX, "there is no entry %u in table 0x%x", index, table_id);
	return fte;
}

static int run_query_fte(struct cmd *c)
{
	const struct prm_query_fte_in *in = c->in;
	struct prm_query_fte_out *out = c->out;
	struct fte *fte;

	if (bad_type(c, in))
		return -1;
	fte = get_fte(c, prm_get(in, table_id), prm_get(in, flow_index));
	if (!fte)
		return -1;
	*prm_sub(out, flow_context, flow_context) = fte->ctx;
	return 0;
}

static int run_delete_fte(struct cmd *c)
{
	const struct prm_delete_fte_in *in = c->in;
	struct fte *fte;

	if (bad_head(c, in))
		return -1;
	fte = get_fte(c, prm_get(in, table_id), prm_get(in, flow_index));
	if (!fte)
		return -1;
	fte_free(fte);
	return 0;
}

/* ---- counters ---- */

static int run_alloc_flow_counter(struct cmd *c)
{
	const struct prm_alloc_flow_counter_in *in = c->in;
	struct prm_alloc_flow_counter_out *out = c->out;
	struct flow_counter *counter;

	if (is_set(c, in, flow_counter_bulk, "but counters in bulk are not advertised") ||
	    is_set(c, in, flow_counter_bulk_log_size, "but counters in bulk are not advertised"))
		return -1;
	counter = obj_create(c, OBJ_FLOW_COUNTER, sizeof(*counter));
	if (!counter)
		return -1;
	prm_set(out, flow_counter_id, counter->obj.num);
	return 0;
}

static int run_dealloc_flow_counter(struct cmd *c)
{
	const struct prm_dealloc_flow_counter_in *in = c->in;
	struct flow_counter *counter = obj_get(c, OBJ_FLOW_COUNTER, prm_get(in, flow_counter_id),
					       "flow_counter_id");

	return counter ? obj_destroy(c, counter) : -1;
}

/* A range may have holes: they read as zero. */
static int run_query_flow_counter(struct cmd *c)
{
	const struct prm_query_flow_counter_in *in = c->in;
	struct prm_query_flow_counter_out *out = c->out;
	struct prm_traffic_counter *stats = prm_tail(out);
	uint32_t n = prm_get(in, num_of_counters), first = prm_get(in, flow_counter_id), i;

	if (n > MAX_BULK_QUERY)
		return refuse(c, PRM_STATUS_BAD_PARAM, "num_of_counters %u is above %u", n,
			      MAX_BULK_QUERY);
	if (!n) {
		n = 1;
		if (!obj_get(c, OBJ_FLOW_COUNTER, first, "flow_counter_id"))
			return -1;
	}
	if (c->out_len < sizeof(*out) + n * sizeof(*stats))
		return refuse(c, PRM_STATUS_BAD_OUTP_LEN, "%u counters do not fit in %u bytes", n,
			      c->out_len);

	for (i = 0; i < n; i++) {
		struct flow_counter *counter = obj_find(c->dev, OBJ_FLOW_COUNTER, first + i);

		if (!counter)
			continue;
		prm_set64(&stats[i], packets, counter->hits.packets);
		prm_set64(&stats[i], octets, counter->hits.bytes);
		if (prm_get(in, clear))
			memset(&counter->hits, 0, sizeof(counter->hits));
	}
	return 0;
}

const struct cmd_desc cmds_flow[] = { CMD(create_flow_table),
				      CMD(destroy_flow_table),
				      CMD(modify_flow_table),
				      CMD(query_flow_table),
				      CMD(set_flow_table_root),
				      CMD(create_flow_group),
				      CMD(destroy_flow_group),
				      CMD(query_flow_group),
				      CMD(set_fte, .tail = true),
				      CMD(query_fte),
				      CMD(delete_fte),
				      CMD(alloc_flow_counter),
				      CMD(dealloc_flow_counter),
				      CMD(query_flow_counter),
				      {} };
