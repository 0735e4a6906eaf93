// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The ledger: flow tables of received packets. */
#include <stdlib.h>
#include <string.h>

#include "caps.h"
#include "prm/counter.h"

/* ---- tables ---- */

static int make_table(struct dut *dut, unsigned int type, unsigned int level, unsigned int log_size,
		      uint32_t miss, uint32_t *num)
{
	struct prm_create_flow_table_in in = {};
	struct prm_create_flow_table_out out;
	int status;

	prm_set(&in, table_type, type);
	prm_set(&in, flow_table_context.level, level);
	prm_set(&in, flow_table_context.log_size, log_size);
	if (miss) {
		prm_set(&in, flow_table_context.table_miss_action, PRM_FT_MISS_FWD);
		prm_set(&in, flow_table_context.table_miss_id, miss);
	}
	status = dut_cmd(dut, create_flow_table, &in, &out);
	*num = prm_get(&out, table_id);
	return status;
}

static void drop_table(struct dut *dut, uint32_t num)
{
	struct prm_destroy_flow_table_in in = {};
	struct prm_destroy_flow_table_out out;

	prm_set(&in, table_id, num);
	dut_must(dut, destroy_flow_table, &in, &out);
}

static int try_table(struct dut *dut, unsigned int type, unsigned int level, unsigned int log_size)
{
	uint32_t num;
	int status = make_table(dut, type, level, log_size, 0, &num);

	if (!status)
		drop_table(dut, num);
	return status;
}

static int try_table_bit(struct dut *dut, unsigned int bit)
{
	struct prm_create_flow_table_in in = {};
	struct prm_create_flow_table_out out;
	int status;

	prm_set_bits(prm_sub(&in, flow_table_context, flow_table_context)->dw, bit, 1, 1);
	status = dut_cmd(dut, create_flow_table, &in, &out);
	if (!status)
		drop_table(dut, prm_get(&out, table_id));
	return status;
}

static void drop_group(struct dut *dut, uint32_t table, uint32_t group)
{
	struct prm_destroy_flow_group_in in = {};
	struct prm_destroy_flow_group_out out;

	prm_set(&in, table_id, table);
	prm_set(&in, group_id, group);
	dut_must(dut, destroy_flow_group, &in, &out);
}

static bool probe_type(struct dut *dut, uint32_t value, uint32_t type)
{
	(void)value;
	return !try_table(dut, type, 0, 2);
}

static bool probe_table_bit(struct dut *dut, uint32_t value, uint32_t bit)
{
	(void)value;
	return !try_table_bit(dut, bit);
}

static bool probe_ft_size(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)arg;
	return !try_table(dut, PRM_FT_NIC_RX, 0, value) &&
	       try_table(dut, PRM_FT_NIC_RX, 0, value + 1);
}

/* So many levels: the first is 0. */
static bool probe_ft_level(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)arg;
	return !try_table(dut, PRM_FT_NIC_RX, value - 1, 2) &&
	       try_table(dut, PRM_FT_NIC_RX, value, 2);
}

static bool probe_ft_num(struct dut *dut, uint32_t value, uint32_t arg)
{
	uint32_t *nums = calloc((1u << value) + 1, sizeof(*nums)), n = 0, i;
	int status = 0;

	(void)arg;
	while (n <= 1u << value &&
	       !(status = make_table(dut, PRM_FT_NIC_RX, 0, 0, 0, &nums[n])))
		n++;
	for (i = 0; i < n; i++)
		drop_table(dut, nums[i]);
	free(nums);
	return n == 1u << value && status == PRM_STATUS_NO_RES;
}

static bool probe_root(struct dut *dut, uint32_t value, uint32_t arg)
{
	uint32_t one = dut_table(dut, 0, 2, 0), two = dut_table(dut, 0, 2, 0);
	bool works = !dut_root(dut, one) && !dut_root(dut, two);

	(void)value;
	(void)arg;
	drop_table(dut, one);
	drop_table(dut, two);
	return works;
}

static bool probe_miss(struct dut *dut, uint32_t value, uint32_t modify)
{
	struct prm_modify_flow_table_in in = {};
	struct prm_modify_flow_table_out out;
	uint32_t behind = dut_table(dut, 1, 2, 0), table;
	int status = make_table(dut, PRM_FT_NIC_RX, 0, 2, modify ? 0 : behind, &table);

	(void)value;
	if (!status && modify) {
		prm_set(&in, table_id, table);
		prm_set(&in, modify_field_select, PRM_MODIFY_FT_MISS_TABLE);
		prm_set(&in, flow_table_context.table_miss_action, PRM_FT_MISS_FWD);
		prm_set(&in, flow_table_context.table_miss_id, behind);
		status = dut_cmd(dut, modify_flow_table, &in, &out);
	}
	if (table)
		drop_table(dut, table);
	drop_table(dut, behind);
	return !status;
}

/* ---- entries ---- */

struct entry {
	unsigned int action, tirs, tables, counters, index, log_size;
	bool modify, ignore_level;
};

static int set_fte(struct dut *dut, const struct entry *e, uint32_t table, uint32_t group,
		   uint32_t behind, uint32_t counter)
{
	struct prm_dest_format_struct list[130] = {};
	struct prm_set_fte_in in = {};
	struct prm_set_fte_out out;
	unsigned int n = 0, i;
	int status;

	for (i = 0; i < e->tirs; i++, n++) {
		prm_set(&list[n], destination_type, PRM_FLOW_DEST_TIR);
		prm_set(&list[n], destination_id, env.tirn);
	}
	for (i = 0; i < e->tables; i++, n++) {
		prm_set(&list[n], destination_type, PRM_FLOW_DEST_TABLE);
		prm_set(&list[n], destination_id, behind);
	}
	for (i = 0; i < e->counters; i++, n++)
		prm_set((struct prm_flow_counter_list *)&list[n], flow_counter_id, counter);
	prm_set(&in, table_id, table);
	prm_set(&in, flow_index, e->index);
	prm_set(&in, ignore_flow_level, e->ignore_level);
	prm_set(&in, flow_context.group_id, group);
	prm_set(&in, flow_context.action, e->action);
	prm_set(&in, flow_context.destination_list_size, e->tirs + e->tables);
	prm_set(&in, flow_context.flow_counter_list_size, e->counters);
	status = dut_cmd_tail(dut, set_fte, &in, &out, list, n * sizeof(list[0]));
	if (status || !e->modify)
		return status;
	prm_set(&in, op_mod, PRM_FTE_MODIFY);
	prm_set(&in, modify_enable_mask, PRM_FTE_MODIFY_DEST_LIST);
	return dut_cmd_tail(dut, set_fte, &in, &out, list, n * sizeof(list[0]));
}

/* An entry in a table of its own; the status. */
static int try_entry(struct dut *dut, const struct entry *e)
{
	uint32_t table = dut_table(dut, 0, e->log_size, 0), behind = dut_table(dut, 1, 0, 0);
	uint32_t group = dut_group(dut, table, 0, (1u << e->log_size) - 1, NULL);
	struct prm_alloc_flow_counter_in in = {};
	struct prm_alloc_flow_counter_out counter;
	struct prm_dealloc_flow_counter_in gone = {};
	struct prm_dealloc_flow_counter_out out;
	struct prm_delete_fte_in del = {};
	struct prm_delete_fte_out del_out;
	int status;

	dut_must(dut, alloc_flow_counter, &in, &counter);
	status = set_fte(dut, e, table, group, behind, prm_get(&counter, flow_counter_id));
	prm_set(&del, table_id, table);
	prm_set(&del, flow_index, e->index);
	if (!status)
		dut_must(dut, delete_fte, &del, &del_out);
	drop_group(dut, table, group);
	drop_table(dut, table);
	drop_table(dut, behind);
	prm_set(&gone, flow_counter_id, prm_get(&counter, flow_counter_id));
	dut_must(dut, dealloc_flow_counter, &gone, &out);
	return status;
}

static bool probe_tirs(struct dut *dut, uint32_t value, uint32_t and_tables)
{
	(void)value;
	return !try_entry(dut, &(struct entry){ .action = PRM_FLOW_FWD_DEST, .tirs = 2,
						.tables = and_tables });
}

static bool probe_action(struct dut *dut, uint32_t value, uint32_t action)
{
	(void)value;
	return !try_entry(dut, &(struct entry){ .action = PRM_FLOW_FWD_DEST | action, .tirs = 1,
						.counters = !!(action & PRM_FLOW_COUNT) });
}

static bool probe_modify(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)value;
	(void)arg;
	return !try_entry(dut, &(struct entry){ .action = PRM_FLOW_FWD_DEST, .tirs = 1,
						.modify = true });
}

static bool probe_ignore_level(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)value;
	(void)arg;
	return !try_entry(dut, &(struct entry){ .action = PRM_FLOW_FWD_DEST, .tirs = 1,
						.ignore_level = true });
}

static bool probe_dests(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct entry e = { .action = PRM_FLOW_FWD_DEST, .tirs = 1u << value };

	(void)arg;
	if (value > 6 || try_entry(dut, &e))
		return false;
	e.tirs++;
	return try_entry(dut, &e);
}

/* The last entry of the largest table. */
static bool probe_flows(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct entry e = { .action = PRM_FLOW_FWD_DEST, .tirs = 1, .index = (1u << value) - 1,
			   .log_size = value };

	(void)arg;
	if (value > FLOW_LOG_MAX_SIZE || try_entry(dut, &e))
		return false;
	e.index++;
	return try_entry(dut, &e);
}

/* More than 4,096: the table. */
static bool probe_flow_counters(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)arg;
	return dut->dev->card->objs[OBJ_FLOW_COUNTER].count == 1u << value;
}

/* ---- fields ---- */

#define MATCH(f) (offsetof(struct prm_fte_match_param_bits, f) |				\
		  sizeof(((struct prm_fte_match_param_bits *)0)->f) << 16)
#define SET_BITS 512	/* one set of fields; match_criteria_enable has a bit for each */

static bool matches(struct dut *dut, unsigned int bit, unsigned int width, uint32_t mask)
{
	uint32_t table = dut_table(dut, 0, 2, 0);
	struct prm_create_flow_group_in in = {};
	struct prm_create_flow_group_out out;
	int status;

	prm_set(&in, table_id, table);
	prm_set(&in, end_flow_index, 3);
	prm_set(&in, match_criteria_enable, 1u << bit / SET_BITS);
	prm_set_bits(prm_sub(&in, match_criteria, fte_match_param)->dw, bit, width, mask);
	status = dut_cmd(dut, create_flow_group, &in, &out);
	if (!status)
		drop_group(dut, table, prm_get(&out, group_id));
	drop_table(dut, table);
	return !status;
}

/* All of the field. */
static bool probe_field(struct dut *dut, uint32_t value, uint32_t match)
{
	(void)value;
	return matches(dut, match & 0xffff, match >> 16, prm_mask(match >> 16));
}

/* A part of it: its lowest bit, its highest. */
static bool probe_mask(struct dut *dut, uint32_t value, uint32_t match)
{
	unsigned int width = match >> 16;

	(void)value;
	return matches(dut, match & 0xffff, width, 1) &&
	       matches(dut, match & 0xffff, width, 1u << (width - 1));
}

#define RX(field, is_flag, fn, a)								\
	{ .name = #field,									\
	  .bit = offsetof(struct prm_flow_table_nic_cap_bits,					\
			  flow_table_properties_nic_receive.field),				\
	  .width = sizeof(((struct prm_flow_table_prop_layout_bits *)0)->field),		\
	  .probe = fn, .arg = a, .flag = is_flag }
#define FIELD(field, match)									\
	RX(ft_field_support.field, true, probe_field, MATCH(match)),				\
	RX(ft_field_bitmask_support.field, true, probe_mask, MATCH(match))
#define NIC(field, fn, a) CAP_ROW(flow_table_nic_cap, field, true, fn, a)
#define CTX(field) offsetof(struct prm_flow_table_context_bits, field)

const struct cap_row caps_flow[] = {
	NIC(nic_rx_multi_path_tirs, probe_tirs, 0),
	NIC(nic_rx_multi_path_tirs_fts, probe_tirs, 1),
	RX(ft_support, true, probe_type, PRM_FT_NIC_RX),
	RX(flow_counter, true, probe_action, PRM_FLOW_COUNT),
	RX(flow_modify_en, true, probe_modify, 0),
	RX(modify_root, true, probe_root, 0),
	RX(identified_miss_table_mode, true, probe_miss, false),
	RX(flow_table_modify, true, probe_miss, true),
	RX(log_max_ft_size, false, probe_ft_size, 0),
	RX(max_ft_level, false, probe_ft_level, 0),
	RX(log_max_ft_num, false, probe_ft_num, 0),
	RX(log_max_flow_counter, false, probe_flow_counters, 0),
	RX(log_max_destination, false, probe_dests, 0),
	RX(log_max_flow, false, probe_flows, 0),
	FIELD(outer_dmac, outer_headers.dmac_47_16),
	FIELD(outer_smac, outer_headers.smac_47_16),
	FIELD(outer_ether_type, outer_headers.ethertype),
	FIELD(outer_ip_version, outer_headers.ip_version),
	FIELD(outer_first_prio, outer_headers.first_prio),
	FIELD(outer_first_cfi, outer_headers.first_cfi),
	FIELD(outer_first_vid, outer_headers.first_vid),
	FIELD(outer_ipv4_ttl, outer_headers.ttl_hoplimit),
	FIELD(outer_sip, outer_headers.src_ipv4_src_ipv6.ipv4_layout.ipv4),
	FIELD(outer_dip, outer_headers.dst_ipv4_dst_ipv6.ipv4_layout.ipv4),
	FIELD(outer_frag, outer_headers.frag),
	FIELD(outer_ip_protocol, outer_headers.ip_protocol),
	FIELD(outer_ip_ecn, outer_headers.ip_ecn),
	FIELD(outer_ip_dscp, outer_headers.ip_dscp),
	FIELD(outer_udp_sport, outer_headers.udp_sport),
	FIELD(outer_udp_dport, outer_headers.udp_dport),
	FIELD(outer_tcp_sport, outer_headers.tcp_sport),
	FIELD(outer_tcp_dport, outer_headers.tcp_dport),
	FIELD(outer_tcp_flags, outer_headers.tcp_flags),
	/* not advertised by any card */
	FIELD(outer_second_vid, misc_parameters.outer_second_vid),
	FIELD(outer_gre_protocol, misc_parameters.gre_protocol),
	FIELD(outer_vxlan_vni, misc_parameters.vxlan_vni),
	FIELD(outer_esp_spi, misc_parameters.outer_esp_spi),
	FIELD(source_vhca_port, misc_parameters.source_vhca_port),
	FIELD(bth_dst_qp, misc_parameters.bth_dst_qp),
	FIELD(inner_dmac, inner_headers.dmac_47_16),
	FIELD(inner_sip, inner_headers.src_ipv4_src_ipv6.ipv4_layout.ipv4),
	FIELD(metadata_reg_c_0, misc_parameters_2.metadata_reg_c_0),
	RX(reformat, true, probe_table_bit, CTX(reformat_en)),
	RX(decap, true, probe_table_bit, CTX(decap_en)),
	RX(sw_owner, true, probe_table_bit, CTX(sw_owner)),
	RX(termination_table, true, probe_table_bit, CTX(termination_table)),
	RX(ignore_flow_level, true, probe_ignore_level, 0),
	RX(pop_vlan, true, probe_action, 1u << 7),
	RX(push_vlan, true, probe_action, 1u << 8),
	RX(log_max_modify_header_context, true, probe_opcode, PRM_OP_alloc_modify_header_context),
	NIC(log_max_packet_reformat_context, probe_opcode, PRM_OP_alloc_packet_reformat_context),
	NIC(flow_table_properties_nic_transmit.ft_support, probe_type, PRM_FT_NIC_TX),
	NIC(flow_table_properties_nic_receive_rdma.ft_support, probe_type, PRM_FT_RDMA_RX),
	NIC(flow_table_properties_nic_transmit_rdma.ft_support, probe_type, PRM_FT_RDMA_TX),
	NIC(flow_table_properties_nic_receive_sniffer.ft_support, probe_type, PRM_FT_SNIFFER_RX),
};

const unsigned int caps_flow_n = ARRAY_SIZE(caps_flow);
