// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Flow tables and their groups: CREATE/DESTROY/QUERY/MODIFY_FLOW_TABLE, SET_FLOW_TABLE_ROOT,
 * CREATE/DESTROY/QUERY_FLOW_GROUP.
 *
 * There are tables of received packets (type NIC_RX), of RoCE packets before a QP gets them or
 * after it has sent them (RDMA_RX, RDMA_TX), of the e-switch (FDB), which say what vports get a
 * packet, of what a vport may send into it and get from it (ACLs), and of port selection
 * (PORT_SEL), which say by which port of a LAG one leaves. References: a group uses its table and
 * its definer, a table the table behind it.
 */
#include <stdlib.h>
#include <string.h>

#include "nic/nic.h"

/* ---- tables ---- */

bool flow_is_rdma(unsigned int type)
{
	return type == PRM_FT_RDMA_RX || type == PRM_FT_RDMA_TX;
}

bool flow_is_acl(unsigned int type)
{
	return type == PRM_FT_ESW_INGRESS || type == PRM_FT_ESW_EGRESS;
}

int flow_check_acl(struct cmd *c, const struct cxdev *vport)
{
	if (vport && !eswitch_vf(vport))
		refuse(c, PRM_STATUS_BAD_PARAM, "vport 0 is the manager's: it has no ACL");
	return vport && eswitch_vf(vport) ? 0 : -1;
}

int flow_check_type(struct cmd *c, unsigned int type)
{
	if (type == PRM_FT_NIC_RX || (type == PRM_FT_PORT_SEL && port_select_advertised(c->dev)) ||
	    (flow_is_rdma(type) && c->dev->card->rdma_tables) ||
	    ((type == PRM_FT_FDB || flow_is_acl(type)) && eswitch_manager(c->dev)))
		return 0;
	return refuse(c, PRM_STATUS_BAD_PARAM, "table_type 0x%x is not advertised", type);
}

static struct flow_table *of_type(struct cmd *c, struct flow_table *table, unsigned int type)
{
	if (!table || table->type == type)
		return table;
	refuse(c, PRM_STATUS_BAD_PARAM, "table 0x%x is of type %u, not %u", table->obj.num,
	       table->type, type);
	return NULL;
}

struct flow_table *flow_get_table(struct cmd *c, uint32_t id, unsigned int type)
{
	return of_type(c, obj_lookup(c, OBJ_FLOW_TABLE, id, "table_id"), type);
}

struct flow_table *flow_own_table(struct cmd *c, uint32_t id, unsigned int type)
{
	return of_type(c, obj_own(c, OBJ_FLOW_TABLE, id, "table_id"), type);
}

struct flow_table *flow_of_vport(struct cmd *c, struct flow_table *table, unsigned int vport)
{
	if (!table || table->vport == vport)
		return table;
	refuse(c, PRM_STATUS_BAD_PARAM, "table 0x%x is of vport %u, not %u", table->obj.num,
	       table->vport, vport);
	return NULL;
}

static struct flow_table **root_of(struct cxdev *dev, unsigned int type, unsigned int vport)
{
	switch (type) {
	case PRM_FT_ESW_INGRESS: return eswitch_acl(dev, vport, false);
	case PRM_FT_ESW_EGRESS: return eswitch_acl(dev, vport, true);
	case PRM_FT_PORT_SEL: return &dev->eth->port_root;
	case PRM_FT_FDB: return &dev->eth->fdb_root;
	case PRM_FT_RDMA_RX: return &dev->eth->rdma_rx_root;
	case PRM_FT_RDMA_TX: return &dev->eth->rdma_tx_root;
	default: return &dev->eth->rx_root;
	}
}

static void table_release(void *obj)
{
	struct flow_table *table = obj, **root = root_of(table->obj.dev, table->type,
							 table->vport);

	if (*root == table)
		*root = NULL;
	if (table->demux)
		table->obj.dev->adapter->demux--;
	obj_put(table->miss);
}

struct flow_table *flow_next_table(struct cmd *c, uint32_t id, unsigned int type,
				   unsigned int level, const char *field)
{
	struct flow_table *next = obj_lookup(c, OBJ_FLOW_TABLE, id, field);

	if (!next)
		return NULL;
	if (next->type != type) {
		refuse(c, PRM_STATUS_BAD_PARAM,
		       "%s: table 0x%x is of type %u, none of type %u leads there", field, id,
		       next->type, type);
		return NULL;
	}
	if (next->level <= level) {
		refuse(c, PRM_STATUS_BAD_PARAM, "%s: table 0x%x of level %u is not behind level %u",
		       field, id, next->level, level);
		return NULL;
	}
	next->obj.refs++;
	return next;
}

/* miss_action and miss_id of a context; *next is NULL for the default. */
static int get_miss(struct cmd *c, const struct prm_flow_table_context *ctx,
		    const struct flow_table *table, struct flow_table **next)
{
	*next = NULL;
	switch (prm_get(ctx, table_miss_action)) {
	case PRM_FT_MISS_DEFAULT:
		if (is_set(c, ctx, table_miss_id, "but the miss action does not use it"))
			return -1;
		return 0;
	case PRM_FT_MISS_FWD:
		*next = flow_next_table(c, prm_get(ctx, table_miss_id), table->type, table->level,
					"table_miss_id");
		return *next ? 0 : -1;
	case PRM_FT_MISS_DOMAIN:
		if (table->type != PRM_FT_RDMA_RX)
			return refuse(c, PRM_STATUS_BAD_PARAM,
				      "table_miss_action 2: only RoCE packets received have another domain");
		return is_set(c, ctx, table_miss_id, "but the miss action does not use it");
	default:
		return refuse(c, PRM_STATUS_BAD_PARAM, "table_miss_action %u is not advertised",
			      prm_get(ctx, table_miss_action));
	}
}

/* 0, or refused: op_mod, and the fields that only one kind of table has. */
static int check_kind(struct cmd *c, const struct prm_flow_table_context *ctx, unsigned int type)
{
	const struct adapter *adapter = c->dev->adapter;

	if (!c->op_mod)
		return is_set(c, ctx, lag_master_next_table_id, "but this is no LAG demux table");
	if (c->op_mod != PRM_FT_OP_LAG_DEMUX)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "op_mod %u of CREATE_FLOW_TABLE is not advertised", c->op_mod);
	if (type != PRM_FT_NIC_RX)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "op_mod 1: a LAG demux table is of type NIC_RX, not %u", type);
	if (!adapter || c->dev->native_port != 1 || !adapter->vport)
		return refuse(c, PRM_STATUS_BAD_RES_STATE,
			      "a LAG demux table needs a vport LAG of this function");
	if (is_set(c, ctx, table_miss_action, "but a LAG demux table has none") ||
	    is_set(c, ctx, table_miss_id, "but a LAG demux table has none"))
		return -1;
	return 0;
}

/* The table behind it, for frames of port 1; those of port 2 go on at the root of its function. */
static int get_demux_next(struct cmd *c, const struct prm_flow_table_context *ctx,
			  const struct flow_table *table, struct flow_table **next)
{
	uint32_t id = prm_get(ctx, lag_master_next_table_id);

	*next = id ? flow_next_table(c, id, table->type, table->level,
				     "lag_master_next_table_id") : NULL;
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
	if (check_kind(c, ctx, prm_get(in, table_type)))
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
	table->type = prm_get(in, table_type);
	table->vport = prm_get(in, vport_number);
	table->level = prm_get(ctx, level);
	table->log_size = prm_get(ctx, log_size);
	table->ctx = *ctx;
	list_init(&table->groups);
	if (flow_is_acl(table->type) &&
	    is_set(c, ctx, table_miss_id, "but an ACL has no table behind it")) {
		obj_free(table);
		return -1;
	}
	if (c->op_mod == PRM_FT_OP_LAG_DEMUX ? get_demux_next(c, ctx, table, &table->miss) :
					       get_miss(c, ctx, table, &table->miss)) {
		obj_free(table);
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
	table = flow_table_of(c, in);
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
	table = flow_table_of(c, in);
	if (!table)
		return -1;
	if (prm_get(in, modify_field_select) !=
	    (table->demux ? PRM_MODIFY_FT_LAG_NEXT_TABLE : PRM_MODIFY_FT_MISS_TABLE))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "modify_field_select 0x%x: only the table behind it can be changed",
			      prm_get(in, modify_field_select));
	if (table->demux ? get_demux_next(c, ctx, table, &miss) : get_miss(c, ctx, table, &miss))
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

	if (flow_check_type(c, prm_get(in, table_type)))
		return -1;
	table = flow_get_table(c, prm_get(in, table_id), prm_get(in, table_type));
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
		table = flow_table_of(c, in);
		if (!table)
			return -1;
		*root_of(c->dev, table->type, table->vport) = table;
		if (table->type == PRM_FT_PORT_SEL)
			c->dev->adapter->select = port_select;
		if (flow_is_rdma(table->type))
			c->dev->eth->rdma_steer = rdma_steer;
		if (table->type == PRM_FT_FDB)
			c->dev->eth->fdb_steer = fdb_steer;
		if (flow_is_acl(table->type))
			c->dev->eth->acl_steer = acl_steer;
		return 0;
	case PRM_FT_ROOT_RESET:
		if (is_set(c, in, table_id, "but op_mod 1 takes the root away"))
			return -1;
		*root_of(c->dev, prm_get(in, table_type), prm_get(in, vport_number)) = NULL;
		return 0;
	default:
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "op_mod %u of SET_FLOW_TABLE_ROOT is unknown", c->op_mod);
	}
}

/* ---- groups ---- */

static void group_release(void *obj)
{
	struct flow_group *group = obj;

	group_destroy(group);
	list_del(&group->node);
	obj_put(group->definer);
	obj_put(group->table);
}

/*
 * What can be matched: outer headers; of RoCE packets the opcode; in the FDB the vport that a
 * packet comes from; of tunnels what is in them.
 */
static void supported_criteria(struct cxdev *dev, struct prm_fte_match_param *param,
			       unsigned int type)
{
	struct prm_fte_match_set_lyr_2_4 *outer = prm_sub(param, outer_headers,
							  fte_match_set_lyr_2_4);

	memset(param, 0, sizeof(*param));
	memset(outer, 0xff, sizeof(*outer));
	prm_set(outer, l4_type, 0);
	prm_set(outer, rsvd_c2, 0);
	prm_set(outer, rsvd_d4, 0);
	if (flow_is_rdma(type))
		prm_set(param, misc_parameters.bth_opcode, 0xff);
	if (type == PRM_FT_FDB)
		prm_set(param, misc_parameters.source_port, 0xffff);
	if (type == PRM_FT_NIC_RX && hca_tunnels(dev)) {
		prm_set(param, inner_headers.ip_version, 0xf);
		prm_set(param, inner_headers.ip_protocol, 0xff);
	}
}

static unsigned int supported_sets(struct cxdev *dev, unsigned int type)
{
	if (flow_is_rdma(type) || type == PRM_FT_FDB)
		return PRM_MATCH_OUTER | PRM_MATCH_MISC;
	return PRM_MATCH_OUTER |
	       (type == PRM_FT_NIC_RX && hca_tunnels(dev) ? PRM_MATCH_INNER : 0);
}

static int check_criteria(struct cmd *c, unsigned int enable, unsigned int type,
			  const struct prm_fte_match_param *criteria)
{
	unsigned int sets = supported_sets(c->dev, type);
	const unsigned int set_dwords = prm_width(criteria, outer_headers) / 32;
	struct prm_fte_match_param supported;
	unsigned int i;

	if (enable & ~sets)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "match_criteria_enable 0x%x: sets 0x%x can be matched", enable, sets);
	supported_criteria(c->dev, &supported, type);
	for (i = 0; i < ARRAY_SIZE(criteria->dw); i++) {
		if (criteria->dw[i] & ~supported.dw[i])
			return refuse(c, PRM_STATUS_BAD_PARAM,
				      "match_criteria: the field at byte 0x%x is not advertised",
				      i * 4);
		if (criteria->dw[i] && !(enable >> i / set_dwords & 1))
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

/* 0, or refused: the kind of the group, and in *definer what a hash group picks, not yet used. */
static int get_kind(struct cmd *c, const struct prm_create_flow_group_in *in,
		    const struct flow_table *table, struct match_definer **definer)
{
	unsigned int type = prm_get(in, group_type);

	*definer = NULL;
	if (type == PRM_FG_TCAM)
		return is_set(c, in, match_definer_id, "but this is no hash group");
	if (type != PRM_FG_HASH_SPLIT)
		return refuse(c, PRM_STATUS_BAD_PARAM, "group_type %u is not advertised", type);
	if (table->type != PRM_FT_PORT_SEL)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "a hash group is of tables of port selection, not of type %u",
			      table->type);
	if (is_set(c, in, match_criteria_enable, "but the entries of a hash group match nothing"))
		return -1;
	*definer = obj_lookup(c, OBJ_MATCH_DEFINER, prm_get(in, match_definer_id),
			      "match_definer_id");
	return *definer ? 0 : -1;
}

static int run_create_flow_group(struct cmd *c)
{
	const struct prm_create_flow_group_in *in = c->in;
	const struct prm_fte_match_param *criteria = prm_sub_const(in, match_criteria,
								   fte_match_param);
	struct prm_create_flow_group_out *out = c->out;
	uint32_t start = prm_get(in, start_flow_index), end = prm_get(in, end_flow_index);
	struct match_definer *definer;
	struct flow_table *table;
	struct flow_group *group;

	if (bad_head(c, in))
		return -1;
	if (is_set(c, in, source_eswitch_owner_vhca_id_valid, "but there is no e-switch"))
		return -1;
	if (check_criteria(c, prm_get(in, match_criteria_enable), prm_get(in, table_type),
			   criteria))
		return -1;
	table = flow_table_of(c, in);
	if (!table || get_kind(c, in, table, &definer))
		return -1;
	if (start > end || end >= 1u << table->log_size)
		return refuse(c, PRM_STATUS_IX, "entries %u to %u are no range of a table of %u",
			      start, end, 1u << table->log_size);

	group = obj_create(c, OBJ_FLOW_GROUP, sizeof(*group));
	if (!group)
		return -1;
	list_init(&group->node);
	list_init(&group->ftes);
	group->start = start;
	group->end = end;
	group->criteria_enable = prm_get(in, match_criteria_enable);
	group->criteria = *criteria;
	group_prepare(group);
	if (insert_group(c, table, group)) {
		obj_free(group);
		return -1;
	}
	group->table = table;
	table->obj.refs++;
	group->definer = definer;
	if (definer)
		definer->obj.refs++;
	group->obj.release = group_release;
	prm_set(out, group_id, group->obj.num);
	return 0;
}

struct flow_group *flow_get_group(struct cmd *c, struct flow_table *table, uint32_t id)
{
	struct flow_group *group = obj_lookup(c, OBJ_FLOW_GROUP, id, "group_id");

	if (group && group->table != table) {
		refuse(c, PRM_STATUS_BAD_RES, "group 0x%x is not in table 0x%x", id,
		       table->obj.num);
		return NULL;
	}
	return group;
}

static int run_destroy_flow_group(struct cmd *c)
{
	const struct prm_destroy_flow_group_in *in = c->in;
	struct flow_table *table;
	struct flow_group *group;

	if (bad_head(c, in))
		return -1;
	table = flow_table_of(c, in);
	group = table ? flow_get_group(c, table, prm_get(in, group_id)) : NULL;
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
	struct flow_table *table;
	struct flow_group *group;

	if (flow_check_type(c, prm_get(in, table_type)))
		return -1;
	table = flow_get_table(c, prm_get(in, table_id), prm_get(in, table_type));
	group = table ? flow_get_group(c, table, prm_get(in, group_id)) : NULL;
	if (!group)
		return -1;
	prm_set(out, start_flow_index, group->start);
	prm_set(out, end_flow_index, group->end);
	prm_set(out, match_criteria_enable, group->criteria_enable);
	*prm_sub(out, match_criteria, fte_match_param) = group->criteria;
	return 0;
}

const struct cmd_desc cmds_flow[] = {
	CMD(create_flow_table), CMD(destroy_flow_table), CMD(modify_flow_table),
	CMD(query_flow_table), CMD(set_flow_table_root),
	CMD(create_flow_group), CMD(destroy_flow_group), CMD(query_flow_group),
	{}
};
