// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Commands for two ports as one. All are for the function of port 1. */
#include "prm/cmdif.h"
#include "prm/flow.h"
#include "prm/lag.h"
#include "core.h"

#define MODIFY_MAP 1	/* modify_lag_in.field_select */

static void encode_map(struct prm_lagc *ctx, const u8 map[CXR_LAG_PORTS])
{
	prm_set(ctx, tx_remap_affinity_1, map[0]);
	prm_set(ctx, tx_remap_affinity_2, map[1]);
}

/**
 * cxr_cmd_create_lag() - CREATE_LAG: the QPs of this function may send through both ports
 * @core: the function of port 1
 * @map: physical port (from 1) of what has affinity 1 and 2
 *
 * Return: 0 or as cxr_cmd_exec().
 */
int cxr_cmd_create_lag(struct cxr_core *core, const u8 map[CXR_LAG_PORTS])
{
	struct prm_create_lag_in in = {};
	struct prm_create_lag_out out;

	encode_map(prm_sub(&in, ctx, lagc), map);
	return cxr_cmd(core, create_lag, &in, &out);
}

/**
 * cxr_cmd_modify_lag() - MODIFY_LAG: another map
 * @core: the function of port 1
 * @map: as of cxr_cmd_create_lag()
 *
 * Return: 0 or as cxr_cmd_exec().
 */
int cxr_cmd_modify_lag(struct cxr_core *core, const u8 map[CXR_LAG_PORTS])
{
	struct prm_modify_lag_in in = {};
	struct prm_modify_lag_out out;

	prm_set(&in, field_select, MODIFY_MAP);
	encode_map(prm_sub(&in, ctx, lagc), map);
	return cxr_cmd(core, modify_lag, &in, &out);
}

/**
 * cxr_cmd_destroy_lag() - DESTROY_LAG
 * @core: the function of port 1
 *
 * Return: 0 or as cxr_cmd_exec().
 */
int cxr_cmd_destroy_lag(struct cxr_core *core)
{
	struct prm_destroy_lag_in in = {};
	struct prm_destroy_lag_out out;

	return cxr_cmd(core, destroy_lag, &in, &out);
}

/**
 * cxr_cmd_create_vport_lag() - CREATE_VPORT_LAG: what port 2 receives comes to this function
 * @core: the function of port 1
 *
 * RoCE packets are the QPs'; what is none goes through the flow tables of this function up to a
 * LAG demux table, which gives it back to the function of port 2.
 *
 * Return: 0 or as cxr_cmd_exec().
 */
int cxr_cmd_create_vport_lag(struct cxr_core *core)
{
	struct prm_create_vport_lag_in in = {};
	struct prm_create_vport_lag_out out;

	return cxr_cmd(core, create_vport_lag, &in, &out);
}

/**
 * cxr_cmd_destroy_vport_lag() - DESTROY_VPORT_LAG
 * @core: the function of port 1
 */
void cxr_cmd_destroy_vport_lag(struct cxr_core *core)
{
	struct prm_destroy_vport_lag_in in = {};
	struct prm_destroy_vport_lag_out out;

	cxr_cmd(core, destroy_vport_lag, &in, &out);
}

/**
 * cxr_cmd_create_demux_table() - CREATE_FLOW_TABLE: a LAG demux table, without entries
 * @core: the function of port 1; there is a vport LAG
 * @next: table of a higher level for what port 1 received, 0: none
 * @table: its number, for cxr_cmd_destroy_flow_table()
 *
 * Return: 0 or as cxr_cmd_exec().
 */
int cxr_cmd_create_demux_table(struct cxr_core *core, u32 next, u32 *table)
{
	struct prm_create_flow_table_in in = {};
	struct prm_create_flow_table_out out;
	int err;

	prm_set(&in, op_mod, PRM_FT_OP_LAG_DEMUX);
	prm_set(&in, table_type, PRM_FT_NIC_RX);
	prm_set(&in, flow_table_context.level, CXR_FLOW_LEVEL_DEMUX);
	prm_set(&in, flow_table_context.lag_master_next_table_id, next);
	err = cxr_cmd(core, create_flow_table, &in, &out);
	if (!err)
		*table = prm_get(&out, table_id);
	return err;
}

/**
 * cxr_cmd_set_demux_next() - MODIFY_FLOW_TABLE: the table behind a LAG demux table
 * @core: the function of port 1
 * @table: of cxr_cmd_create_demux_table()
 * @next: as there
 *
 * Return: 0 or as cxr_cmd_exec().
 */
int cxr_cmd_set_demux_next(struct cxr_core *core, u32 table, u32 next)
{
	struct prm_modify_flow_table_in in = {};
	struct prm_modify_flow_table_out out;

	prm_set(&in, table_type, PRM_FT_NIC_RX);
	prm_set(&in, table_id, table);
	prm_set(&in, modify_field_select, PRM_MODIFY_FT_LAG_NEXT_TABLE);
	prm_set(&in, flow_table_context.lag_master_next_table_id, next);
	return cxr_cmd(core, modify_flow_table, &in, &out);
}
