// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Entries of flow tables and their counters: SET/QUERY/DELETE_FLOW_TABLE_ENTRY,
 * ALLOC/DEALLOC/QUERY_FLOW_COUNTER.
 *
 * Entries are not objects but part of their group. An entry uses its destinations and counters.
 */
#include <stdlib.h>
#include <string.h>

#include "nic/nic.h"
#include "prm/counter.h"
#include "prm/vport.h"

#define MAX_BULK_QUERY 1024

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
	budget_free(targets->dests);
	budget_free(targets->counters);
	memset(targets, 0, sizeof(*targets));
}

void fte_free(struct fte *fte)
{
	struct targets targets = { fte->dests, fte->counters, fte->n_dests, fte->n_counters };

	put_targets(&targets);
	group_remove(fte);
	budget_free(fte);
}

/* The entry with this index, or NULL. */
static struct fte *find_fte(struct flow_table *table, uint32_t index)
{
	const struct flow_group *group;

	list_for_each_entry(group, &table->groups, node)
		if (index >= group->start && index <= group->end)
			return group_entry(group, index);
	return NULL;
}

/* The port of the function that vhca_id names; that is all an uplink has. */
static int get_uplink(struct cmd *c, const struct prm_dest_format_struct *format,
		      struct flow_dest *dest)
{
	unsigned int vhca_id = prm_get(format, destination_eswitch_owner_vhca_id);

	if (is_set(c, format, destination_id, "but an uplink is named by its vhca_id"))
		return -1;
	if (!prm_get(format, destination_eswitch_owner_vhca_id_valid))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "destination_eswitch_owner_vhca_id_valid is clear: which uplink?");
	dest->uplink = lag_port_of_vhca(c->dev, vhca_id);
	return dest->uplink ? 0 :
	       refuse(c, PRM_STATUS_BAD_PARAM,
		      "destination_eswitch_owner_vhca_id 0x%x is no function of this card",
		      vhca_id);
}

static int get_vport(struct cmd *c, uint32_t id, struct flow_dest *dest)
{
	if (id >= eswitch_vports(c->dev) && id != PRM_VPORT_NUM_UPLINK)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "destination_id 0x%x is no vport: there are 0 to %u, and 0xffff", id,
			      eswitch_vports(c->dev) - 1);
	dest->vport = ESWITCH_VPORT(id);
	return 0;
}

static int get_dest(struct cmd *c, const struct prm_dest_format_struct *format,
		    const struct flow_group *group, struct flow_dest *dest)
{
	unsigned int type = prm_get(format, destination_type);
	const struct flow_table *table = group->table;
	uint32_t id = prm_get(format, destination_id);

	if (is_set(c, format, packet_reformat, "but packet reformat is not advertised"))
		return -1;
	if (table->type == PRM_FT_PORT_SEL &&
	    type != (group->definer ? PRM_FLOW_DEST_UPLINK : PRM_FLOW_DEST_TABLE))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "destination_type %u: a hash group has uplinks, others have tables",
			      type);
	if (table->type == PRM_FT_PORT_SEL && group->definer)
		return get_uplink(c, format, dest);
	if (is_set(c, format, destination_eswitch_owner_vhca_id_valid, "but there is no e-switch"))
		return -1;
	if (flow_is_rdma(table->type) && type != PRM_FLOW_DEST_TABLE)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "destination_type %u: a table of RoCE packets leads to tables", type);
	if (flow_is_acl(table->type))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "destination_type %u: the ACL of a vport leads nowhere", type);
	if (table->type == PRM_FT_FDB && type != PRM_FLOW_DEST_TABLE)
		return type == PRM_FLOW_DEST_VPORT ? get_vport(c, id, dest) :
		       refuse(c, PRM_STATUS_BAD_PARAM,
			      "destination_type %u: a table of the FDB leads to vports and tables",
			      type);
	switch (type) {
	case PRM_FLOW_DEST_TIR:
		dest->tir = obj_hold(c, OBJ_TIR, id, "destination_id");
		return dest->tir ? 0 : -1;
	case PRM_FLOW_DEST_TABLE:
		dest->table = flow_next_table(c, id, table->type, table->level, "destination_id");
		return dest->table ? 0 : -1;
	default:
		return refuse(c, PRM_STATUS_BAD_PARAM, "destination_type %u is not advertised",
			      type);
	}
}

/* The lists behind SET_FTE's fixed part: destinations, then counters, 8 bytes each. */
static int get_targets(struct cmd *c, const struct prm_set_fte_in *in,
		       const struct flow_group *group, struct targets *targets)
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

	targets->dests = budget_alloc(c->dev, n_dests, sizeof(*targets->dests));
	targets->counters = budget_alloc(c->dev, n_counters, sizeof(*targets->counters));
	if (!targets->dests || !targets->counters) {
		put_targets(targets);
		return budget_refuse(c);
	}
	for (; targets->n_dests < n_dests; targets->n_dests++)
		if (get_dest(c, &dests[targets->n_dests], group, &targets->dests[targets->n_dests]))
			goto put;
	for (; targets->n_counters < n_counters; targets->n_counters++) {
		uint32_t id = prm_get(&counters[targets->n_counters], flow_counter_id);

		targets->counters[targets->n_counters] = obj_hold(c, OBJ_FLOW_COUNTER, id,
								  "flow_counter_id");
		if (!targets->counters[targets->n_counters])
			goto put;
	}
	return 0;

put:
	put_targets(targets);
	return -1;
}

/* Only packets that are on their way already can be allowed to go on. */
static int check_action(struct cmd *c, const struct prm_flow_context *ctx, unsigned int type)
{
	uint32_t action = prm_get(ctx, action), known = PRM_FLOW_DROP | PRM_FLOW_FWD_DEST |
							PRM_FLOW_COUNT;
	uint32_t fate = action & (PRM_FLOW_ALLOW | PRM_FLOW_DROP | PRM_FLOW_FWD_DEST);

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
	if (flow_is_rdma(type) || flow_is_acl(type))
		known |= PRM_FLOW_ALLOW;
	if (action & ~known)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "action 0x%x has actions that are not advertised", action);
	if (!fate || (fate & (fate - 1)))
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

/* One step of port selection: what it leads to is all that an entry says. */
static int check_port_entry(struct cmd *c, const struct prm_flow_context *ctx)
{
	if (prm_get(ctx, action) != PRM_FLOW_FWD_DEST || prm_get(ctx, destination_list_size) != 1)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "action 0x%x with %u destinations: port selection forwards to one",
			      prm_get(ctx, action), prm_get(ctx, destination_list_size));
	return is_set(c, ctx, flow_tag, "but what is sent has none");
}

static int check_rdma_entry(struct cmd *c, const struct prm_flow_context *ctx)
{
	if (prm_get(ctx, destination_list_size) > 1)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "%u destinations: a RoCE packet goes one way",
			      prm_get(ctx, destination_list_size));
	return is_set(c, ctx, flow_tag, "but RoCE packets have none");
}

static int check_context(struct cmd *c, const struct prm_flow_context *ctx,
			 const struct flow_table *table)
{
	if (check_action(c, ctx, table->type))
		return -1;
	if (table->type == PRM_FT_FDB || flow_is_acl(table->type))
		return is_set(c, ctx, flow_tag, "but a vport gets none");
	if (flow_is_rdma(table->type))
		return check_rdma_entry(c, ctx);
	return table->type == PRM_FT_PORT_SEL ? check_port_entry(c, ctx) : 0;
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
		      uint32_t index)
{
	const struct prm_flow_context *ctx = prm_sub_const(in, flow_context, flow_context);
	const struct prm_fte_match_param *value = prm_sub_const(ctx, match_value, fte_match_param);
	struct flow_group *group = flow_get_group(c, table, prm_get(ctx, group_id));
	struct targets targets;
	struct fte *fte;

	if (is_set(c, in, modify_enable_mask, "but the entry is new"))
		return -1;
	if (!group || check_context(c, ctx, table) || check_value(c, group, value))
		return -1;
	if (index < group->start || index > group->end)
		return refuse(c, PRM_STATUS_IX, "flow_index %u is outside group 0x%x (%u to %u)",
			      index, group->obj.num, group->start, group->end);
	if (get_targets(c, in, group, &targets))
		return -1;
	fte = budget_alloc(c->dev, 1, sizeof(*fte));
	if (fte) {
		fte->index = index;
		fte->group = group;
		memcpy(fte->value.dw, value->dw, sizeof(fte->value.dw));
	}
	if (!fte || group_add(group, fte)) {
		budget_free(fte);
		put_targets(&targets);
		return budget_refuse(c);
	}

	fte->tag = prm_get(ctx, flow_tag);
	fte->action = prm_get(ctx, action);
	fte->dests = targets.dests;
	fte->n_dests = targets.n_dests;
	fte->counters = targets.counters;
	fte->n_counters = targets.n_counters;
	fte->ctx = *ctx;
	return 0;
}

/* Destinations, counters and action change in one step: a rule is never half changed. */
static int modify_fte(struct cmd *c, const struct prm_set_fte_in *in, struct fte *fte)
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
	if (check_context(c, ctx, fte->group->table) || get_targets(c, in, fte->group, &targets))
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
	struct fte *fte;

	if (bad_head(c, in))
		return -1;
	if (is_set(c, in, ignore_flow_level, "but it is not advertised"))
		return -1;
	table = flow_table_of(c, in);
	if (!table)
		return -1;
	fte = find_fte(table, index);

	switch (c->op_mod) {
	case PRM_FTE_SET:
		if (fte)
			return refuse(c, PRM_STATUS_BAD_PARAM,
				      "entry %u of table 0x%x exists already", index,
				      table->obj.num);
		return create_fte(c, in, table, index);
	case PRM_FTE_MODIFY:
		if (!fte)
			return refuse(c, PRM_STATUS_IX,
				      "there is no entry %u in table 0x%x to modify", index,
				      table->obj.num);
		return modify_fte(c, in, fte);
	default:
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "op_mod %u of SET_FLOW_TABLE_ENTRY is unknown", c->op_mod);
	}
}

/* The entry a command names; NULL: refused. */
static struct fte *get_fte(struct cmd *c, struct flow_table *table, uint32_t index)
{
	struct fte *fte = table ? find_fte(table, index) : NULL;

	if (table && !fte)
		refuse(c, PRM_STATUS_IX, "there is no entry %u in table 0x%x", index,
		       table->obj.num);
	return fte;
}

static int run_query_fte(struct cmd *c)
{
	const struct prm_query_fte_in *in = c->in;
	struct prm_query_fte_out *out = c->out;
	struct fte *fte;

	if (flow_check_type(c, prm_get(in, table_type)))
		return -1;
	fte = get_fte(c, flow_get_table(c, prm_get(in, table_id), prm_get(in, table_type)),
		      prm_get(in, flow_index));
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
	fte = get_fte(c, flow_table_of(c, in), prm_get(in, flow_index));
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
	struct flow_counter *counter = obj_own(c, OBJ_FLOW_COUNTER, prm_get(in, flow_counter_id),
						  "flow_counter_id");

	return counter ? obj_destroy(c, counter) : -1;
}

/* A range may have holes, and counters of other contexts: they read as zero. */
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
		if (!obj_lookup(c, OBJ_FLOW_COUNTER, first, "flow_counter_id"))
			return -1;
	}
	if (c->out_len < sizeof(*out) + n * sizeof(*stats))
		return refuse(c, PRM_STATUS_BAD_OUTP_LEN, "%u counters do not fit in %u bytes", n,
			      c->out_len);

	for (i = 0; i < n; i++) {
		struct flow_counter *counter = obj_find(c->dev, OBJ_FLOW_COUNTER, first + i);

		if (!counter || !obj_is_of(&counter->obj, c->uid))
			continue;
		prm_set64(&stats[i], packets, counter->hits.packets);
		prm_set64(&stats[i], octets, counter->hits.bytes);
		if (prm_get(in, clear) && obj_is_own(&counter->obj, c->uid))
			memset(&counter->hits, 0, sizeof(counter->hits));
	}
	return 0;
}

const struct cmd_desc cmds_fte[] = {
	CMD(set_fte, .tail = true), CMD(query_fte), CMD(delete_fte),
	CMD(alloc_flow_counter), CMD(dealloc_flow_counter), CMD(query_flow_counter),
	{}
};
