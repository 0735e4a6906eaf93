// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Commands for LAG. */
#include "prm/cmdif.h"
#include "prm/definer.h"
#include "prm/flow.h"
#include "prm/lag.h"
#include "core.h"

/* In hash mode table entries have the ports; the context only says which ones are active. */
static void encode_map(struct prm_lagc *ctx, const u8 map[CXR_LAG_PORTS], bool hash)
{
	if (hash) {
		prm_set(ctx, active_port, BIT(map[0] - 1) | BIT(map[1] - 1));
		return;
	}
	prm_set(ctx, tx_remap_affinity_1, map[0]);
	prm_set(ctx, tx_remap_affinity_2, map[1]);
}

static void select_ipv4_fields(struct prm_match_definer *definer)
{
	struct prm_match_definer_format_22 *mask = (void *)prm_bytes(definer, match_mask);

	prm_set(definer, format_id, PRM_DEFINER_IPV4);
	prm_set(mask, outer_ip_src_addr, ~0U);
	prm_set(mask, outer_ip_dest_addr, ~0U);
	prm_set(mask, outer_l4_sport, 0xffff);
	prm_set(mask, outer_l4_dport, 0xffff);
}

static void select_ipv6_fields(struct prm_match_definer *definer)
{
	struct prm_match_definer_format_29 *mask = (void *)prm_bytes(definer, match_mask);

	prm_set(definer, format_id, PRM_DEFINER_IPV6_L4);
	memset(prm_bytes(mask, outer_ip_src_addr), 0xff, sizeof(struct in6_addr));
	memset(prm_bytes(mask, outer_ip_dest_addr), 0xff, sizeof(struct in6_addr));
	prm_set(mask, outer_l4_sport, 0xffff);
	prm_set(mask, outer_l4_dport, 0xffff);
}

static void select_macs(struct prm_match_definer *definer)
{
	struct prm_match_definer_format_0 *mask = (void *)prm_bytes(definer, match_mask);

	prm_set(definer, format_id, PRM_DEFINER_L2);
	prm_set(mask, outer_smac_47_16, ~0U);
	prm_set(mask, outer_smac_15_0, 0xffff);
	prm_set(mask, outer_dmac_47_16, ~0U);
	prm_set(mask, outer_dmac_15_0, 0xffff);
	prm_set(mask, outer_ethertype, 0xffff);
}

int cxr_cmd_create_definer(struct cxr_core *core, enum cxr_lag_packets packets, u32 *definer)
{
	struct prm_create_general_object_out out;
	struct {
		struct prm_create_general_object_in head;
		struct prm_match_definer definer;
	} in = {};
	int err;

	prm_set(&in.head, obj_type, PRM_OBJ_MATCH_DEFINER);
	switch (packets) {
	case CXR_LAG_UDP_IPV4:
		select_ipv4_fields(&in.definer);
		break;
	case CXR_LAG_UDP_IPV6:
		select_ipv6_fields(&in.definer);
		break;
	default:
		select_macs(&in.definer);
	}
	err = cxr_cmd_len(core, create_general_object, &in.head, sizeof(in), &out, sizeof(out));
	if (!err)
		*definer = prm_get(&out, obj_id);
	return err;
}

void cxr_cmd_destroy_definer(struct cxr_core *core, u32 definer)
{
	struct prm_destroy_general_object_in in = {};
	struct prm_destroy_general_object_out out;

	prm_set(&in, obj_type, PRM_OBJ_MATCH_DEFINER);
	prm_set(&in, obj_id, definer);
	cxr_cmd(core, destroy_general_object, &in, &out);
}

int cxr_cmd_create_lag(struct cxr_core *core, const u8 map[CXR_LAG_PORTS], bool hash)
{
	struct prm_create_lag_in in = {};
	struct prm_create_lag_out out;

	prm_set(&in, ctx.port_select_mode, hash ? PRM_LAG_PORT_SELECT_FT : PRM_LAG_QUEUE_AFFINITY);
	encode_map(prm_sub(&in, ctx, lagc), map, hash);
	return cxr_cmd(core, create_lag, &in, &out);
}

int cxr_cmd_modify_lag(struct cxr_core *core, const u8 map[CXR_LAG_PORTS], bool hash)
{
	struct prm_modify_lag_in in = {};
	struct prm_modify_lag_out out;

	prm_set(&in, field_select, hash ? PRM_MODIFY_LAG_ACTIVE_PORT : PRM_MODIFY_LAG_REMAP);
	encode_map(prm_sub(&in, ctx, lagc), map, hash);
	return cxr_cmd(core, modify_lag, &in, &out);
}

int cxr_cmd_destroy_lag(struct cxr_core *core)
{
	struct prm_destroy_lag_in in = {};
	struct prm_destroy_lag_out out;

	return cxr_cmd_refusal(core, cxr_cmd(core, destroy_lag, &in, &out));
}

int cxr_cmd_create_vport_lag(struct cxr_core *core)
{
	struct prm_create_vport_lag_in in = {};
	struct prm_create_vport_lag_out out;

	return cxr_cmd(core, create_vport_lag, &in, &out);
}

void cxr_cmd_destroy_vport_lag(struct cxr_core *core)
{
	struct prm_destroy_vport_lag_in in = {};
	struct prm_destroy_vport_lag_out out;

	cxr_cmd(core, destroy_vport_lag, &in, &out);
}

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
