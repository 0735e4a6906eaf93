// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Capabilities: flow tables of received packets, of RoCE packets, and of port selection. */
#include <stdlib.h>
#include <string.h>

#include "caps.h"
#include "port/port.h"
#include "prm/counter.h"
#include "prm/lag.h"

/* ---- tables ---- */

static int create_table(struct dut *dut, unsigned int type, unsigned int level,
			unsigned int log_size,
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

static void destroy_table(struct dut *dut, uint32_t num)
{
	struct prm_destroy_flow_table_in in = {};
	struct prm_destroy_flow_table_out out;

	prm_set(&in, table_type, env.table_type);
	prm_set(&in, table_id, num);
	dut_must(dut, destroy_flow_table, &in, &out);
}

/* Of the type that the page is about; 0: there can be none. */
static uint32_t table_of(struct dut *dut, unsigned int level, unsigned int log_size)
{
	uint32_t num;

	return create_table(dut, env.table_type, level, log_size, 0, &num) ? 0 : num;
}

static int try_table(struct dut *dut, unsigned int level, unsigned int log_size)
{
	uint32_t num;
	int status = create_table(dut, env.table_type, level, log_size, 0, &num);

	if (!status)
		destroy_table(dut, num);
	return status;
}

static uint32_t group_of(struct dut *dut, uint32_t table, uint32_t end)
{
	struct prm_create_flow_group_in in = {};
	struct prm_create_flow_group_out out;

	prm_set(&in, table_type, env.table_type);
	prm_set(&in, table_id, table);
	prm_set(&in, end_flow_index, end);
	dut_must(dut, create_flow_group, &in, &out);
	return prm_get(&out, group_id);
}

static int try_table_bit(struct dut *dut, unsigned int bit)
{
	struct prm_create_flow_table_in in = {};
	struct prm_create_flow_table_out out;
	int status;

	prm_set(&in, table_type, env.table_type);
	prm_set_bits(prm_sub(&in, flow_table_context, flow_table_context)->dw, bit, 1, 1);
	status = dut_cmd(dut, create_flow_table, &in, &out);
	if (!status)
		destroy_table(dut, prm_get(&out, table_id));
	return status;
}

static void destroy_group(struct dut *dut, uint32_t table, uint32_t group)
{
	struct prm_destroy_flow_group_in in = {};
	struct prm_destroy_flow_group_out out;

	prm_set(&in, table_type, env.table_type);
	prm_set(&in, table_id, table);
	prm_set(&in, group_id, group);
	dut_must(dut, destroy_flow_group, &in, &out);
}

static bool probe_type(struct dut *dut, uint32_t value, uint32_t type)
{
	uint32_t num;

	(void)value;
	if (create_table(dut, type, 0, 2, 0, &num))
		return false;
	destroy_table(dut, num);
	return true;
}

static bool probe_table_bit(struct dut *dut, uint32_t value, uint32_t bit)
{
	(void)value;
	return !try_table_bit(dut, bit);
}

static bool probe_ft_size(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)arg;
	return value ? !try_table(dut, 0, value) && try_table(dut, 0, value + 1) :
		       try_table(dut, 0, 0);
}

/* So many levels: the first is 0. */
static bool probe_ft_level(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)arg;
	return value ? !try_table(dut, value - 1, 2) && try_table(dut, value, 2) :
		       try_table(dut, 0, 2);
}

static bool probe_ft_num(struct dut *dut, uint32_t value, uint32_t arg)
{
	uint32_t *nums = calloc((1u << value) + 1, sizeof(*nums)), n = 0, i;
	int status = 0;

	(void)arg;
	if (!value) {
		free(nums);
		return try_table(dut, 0, 0);
	}
	while (n <= 1u << value &&
	       !(status = create_table(dut, env.table_type, 0, 0, 0, &nums[n])))
		n++;
	for (i = 0; i < n; i++)
		destroy_table(dut, nums[i]);
	free(nums);
	return n == 1u << value && status == PRM_STATUS_NO_RES;
}

static int set_root(struct dut *dut, uint32_t table)
{
	struct prm_set_flow_table_root_in in = {};
	struct prm_set_flow_table_root_out out;

	prm_set(&in, table_type, env.table_type);
	prm_set(&in, table_id, table);
	return dut_cmd(dut, set_flow_table_root, &in, &out);
}

static bool probe_root(struct dut *dut, uint32_t value, uint32_t arg)
{
	uint32_t one = table_of(dut, 0, 2), two = table_of(dut, 0, 2);
	bool works = !set_root(dut, one) && !set_root(dut, two);

	(void)value;
	(void)arg;
	if (!one)
		return works;
	destroy_table(dut, one);
	destroy_table(dut, two);
	return works;
}

static bool probe_miss(struct dut *dut, uint32_t value, uint32_t modify)
{
	struct prm_modify_flow_table_in in = {};
	struct prm_modify_flow_table_out out;
	uint32_t behind = table_of(dut, 1, 2), table;
	int status = create_table(dut, env.table_type, 0, 2, modify ? 0 : behind, &table);

	(void)value;
	if (!behind)
		return false;
	if (!status && modify) {
		prm_set(&in, table_type, env.table_type);
		prm_set(&in, table_id, table);
		prm_set(&in, modify_field_select, PRM_MODIFY_FT_MISS_TABLE);
		prm_set(&in, flow_table_context.table_miss_action, PRM_FT_MISS_FWD);
		prm_set(&in, flow_table_context.table_miss_id, behind);
		status = dut_cmd(dut, modify_flow_table, &in, &out);
	}
	if (table)
		destroy_table(dut, table);
	destroy_table(dut, behind);
	return !status;
}

static bool probe_domain(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct prm_create_flow_table_in in = {};
	struct prm_create_flow_table_out out;

	(void)value;
	(void)arg;
	prm_set(&in, table_type, env.table_type);
	prm_set(&in, flow_table_context.table_miss_action, PRM_FT_MISS_DOMAIN);
	if (dut_cmd(dut, create_flow_table, &in, &out))
		return false;
	destroy_table(dut, prm_get(&out, table_id));
	return true;
}

/* ---- entries ---- */

struct entry {
	unsigned int action, tirs, tables, counters, index, log_size;
	bool modify, ignore_level;
};

/* What a packet can go to: a TIR, or in port selection another table. */
static int set_fte(struct dut *dut, const struct entry *e, uint32_t table, uint32_t group,
		   uint32_t behind, uint32_t counter)
{
	struct prm_dest_format_struct list[130] = {};
	struct prm_set_fte_in in = {};
	struct prm_set_fte_out out;
	unsigned int n = 0, i;
	int status;

	for (i = 0; i < e->tirs + e->tables; i++, n++) {
		bool tir = i < e->tirs && env.table_type == PRM_FT_NIC_RX;

		prm_set(&list[n], destination_type, tir ? PRM_FLOW_DEST_TIR : PRM_FLOW_DEST_TABLE);
		prm_set(&list[n], destination_id, tir ? env.tirn : behind);
	}
	for (i = 0; i < e->counters; i++, n++)
		prm_set((struct prm_flow_counter_list *)&list[n], flow_counter_id, counter);
	prm_set(&in, table_type, env.table_type);
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
	uint32_t table = table_of(dut, 0, e->log_size), behind = table_of(dut, 1, 0), group;
	struct prm_alloc_flow_counter_in in = {};
	struct prm_alloc_flow_counter_out counter;
	struct prm_dealloc_flow_counter_in gone = {};
	struct prm_dealloc_flow_counter_out out;
	struct prm_delete_fte_in del = {};
	struct prm_delete_fte_out del_out;
	int status;

	if (!table)
		return PRM_STATUS_BAD_PARAM;
	group = group_of(dut, table, (1u << e->log_size) - 1);
	dut_must(dut, alloc_flow_counter, &in, &counter);
	status = set_fte(dut, e, table, group, behind, prm_get(&counter, flow_counter_id));
	prm_set(&del, table_type, env.table_type);
	prm_set(&del, table_id, table);
	prm_set(&del, flow_index, e->index);
	/* also if it could be set, but not modified */
	if (!status || e->modify)
		dut_must(dut, delete_fte, &del, &del_out);
	destroy_group(dut, table, group);
	destroy_table(dut, table);
	if (behind)
		destroy_table(dut, behind);
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

static bool table_of_page(struct dut *dut)
{
	return !try_table(dut, 0, 0);
}

static bool probe_dests(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct entry e = { .action = PRM_FLOW_FWD_DEST, .tirs = 1u << value };

	(void)arg;
	if (!table_of_page(dut))
		return !value;
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
	if (!table_of_page(dut))
		return !value;
	if (value > FLOW_LOG_MAX_SIZE || try_entry(dut, &e))
		return false;
	e.index++;
	return try_entry(dut, &e);
}

/* More than 4,096: the table. */
static bool probe_flow_counters(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)arg;
	if (!value)
		return try_table(dut, 0, 0);
	return dut->dev->card->objs[OBJ_FLOW_COUNTER].count == 1u << value;
}

/* ---- fields ---- */

#define MATCH(f) (offsetof(struct prm_fte_match_param_bits, f) |				\
		  sizeof(((struct prm_fte_match_param_bits *)0)->f) << 16)
#define SET_BITS 512	/* one set of fields; match_criteria_enable has a bit for each */

static bool matches(struct dut *dut, unsigned int bit, unsigned int width, uint32_t mask)
{
	struct prm_create_flow_group_in in = {};
	struct prm_create_flow_group_out out;
	uint32_t table = table_of(dut, 0, 2);
	int status;

	if (!table)
		return false;
	prm_set(&in, table_type, env.table_type);
	prm_set(&in, table_id, table);
	prm_set(&in, end_flow_index, 3);
	prm_set(&in, match_criteria_enable, 1u << bit / SET_BITS);
	prm_set_bits(prm_sub(&in, match_criteria, fte_match_param)->dw, bit, width, mask);
	status = dut_cmd(dut, create_flow_group, &in, &out);
	if (!status)
		destroy_group(dut, table, prm_get(&out, group_id));
	destroy_table(dut, table);
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

/* ---- port selection ---- */

static bool probe_hash_mode(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)value;
	(void)arg;
	return !create_lag(dut, 0, 0, false, PRM_LAG_PORT_SELECT_FT);
}

/* Off, and to be turned on. */
static bool probe_bypass(struct dut *dut, uint32_t value, uint32_t bit)
{
	return !value && !try_set_cap(dut, CAP_PORT_SELECTION, bit, 1, 1) ==
			 port_select_advertised(dut->dev);
}

#define PROPERTY(layout, props, field, is_flag, fn, a)						\
	{ .name = #field, .bit = offsetof(struct prm_##layout##_bits, props.field),		\
	  .width = sizeof(((struct prm_flow_table_prop_layout_bits *)0)->field),		\
	  .probe = fn, .arg = a, .flag = is_flag }
#define RX(field, is_flag, fn, a)								\
	PROPERTY(flow_table_nic_cap, flow_table_properties_nic_receive, field, is_flag, fn, a)
#define RDMA_RX(field, is_flag, fn, a)								\
	PROPERTY(flow_table_nic_cap, flow_table_properties_nic_receive_rdma, field, is_flag, fn, a)
#define RDMA_TX(field, is_flag, fn, a)								\
	PROPERTY(flow_table_nic_cap, flow_table_properties_nic_transmit_rdma, field, is_flag, fn, a)
#define PORT(field, is_flag, fn, a)								\
	PROPERTY(port_selection_cap, flow_table_properties_port_selection, field, is_flag, fn, a)
#define FIELD(P, field, match)									\
	P(ft_field_support.field, true, probe_field, MATCH(match)),				\
	P(ft_field_bitmask_support.field, true, probe_mask, MATCH(match))
#define NIC(field, fn, a) CAP_ROW(flow_table_nic_cap, field, true, fn, a)
#define CTX(field) offsetof(struct prm_flow_table_context_bits, field)

/* Of tables of any type; the last ones are not advertised by any card. */
#define TABLES(P)										\
	P(flow_counter, true, probe_action, PRM_FLOW_COUNT),					\
	P(flow_modify_en, true, probe_modify, 0),						\
	P(modify_root, true, probe_root, 0),							\
	P(identified_miss_table_mode, true, probe_miss, false),					\
	P(flow_table_modify, true, probe_miss, true),						\
	P(log_max_ft_size, false, probe_ft_size, 0),						\
	P(max_ft_level, false, probe_ft_level, 0),						\
	P(log_max_ft_num, false, probe_ft_num, 0),						\
	P(log_max_destination, false, probe_dests, 0),						\
	P(log_max_flow, false, probe_flows, 0),							\
	FIELD(P, outer_dmac, outer_headers.dmac_47_16),						\
	FIELD(P, outer_smac, outer_headers.smac_47_16),						\
	FIELD(P, outer_ether_type, outer_headers.ethertype),					\
	FIELD(P, outer_ip_version, outer_headers.ip_version),					\
	FIELD(P, outer_first_prio, outer_headers.first_prio),					\
	FIELD(P, outer_first_cfi, outer_headers.first_cfi),					\
	FIELD(P, outer_first_vid, outer_headers.first_vid),					\
	FIELD(P, outer_ipv4_ttl, outer_headers.ttl_hoplimit),					\
	FIELD(P, outer_sip, outer_headers.src_ipv4_src_ipv6.ipv4_layout.ipv4),			\
	FIELD(P, outer_dip, outer_headers.dst_ipv4_dst_ipv6.ipv4_layout.ipv4),			\
	FIELD(P, outer_frag, outer_headers.frag),						\
	FIELD(P, outer_ip_protocol, outer_headers.ip_protocol),					\
	FIELD(P, outer_ip_ecn, outer_headers.ip_ecn),						\
	FIELD(P, outer_ip_dscp, outer_headers.ip_dscp),						\
	FIELD(P, outer_udp_sport, outer_headers.udp_sport),					\
	FIELD(P, outer_udp_dport, outer_headers.udp_dport),					\
	FIELD(P, outer_tcp_sport, outer_headers.tcp_sport),					\
	FIELD(P, outer_tcp_dport, outer_headers.tcp_dport),					\
	FIELD(P, outer_tcp_flags, outer_headers.tcp_flags),					\
	FIELD(P, outer_second_vid, misc_parameters.outer_second_vid),				\
	FIELD(P, outer_gre_protocol, misc_parameters.gre_protocol),				\
	FIELD(P, outer_vxlan_vni, misc_parameters.vxlan_vni),					\
	FIELD(P, outer_esp_spi, misc_parameters.outer_esp_spi),					\
	FIELD(P, source_vhca_port, misc_parameters.source_vhca_port),				\
	FIELD(P, bth_dst_qp, misc_parameters.bth_dst_qp),					\
	FIELD(P, inner_dmac, inner_headers.dmac_47_16),						\
	FIELD(P, inner_ip_version, inner_headers.ip_version),					\
	FIELD(P, inner_ip_protocol, inner_headers.ip_protocol),					\
	FIELD(P, inner_sip, inner_headers.src_ipv4_src_ipv6.ipv4_layout.ipv4),			\
	FIELD(P, metadata_reg_c_0, misc_parameters_2.metadata_reg_c_0),				\
	P(table_miss_action_domain, true, probe_domain, 0),					\
	P(reformat, true, probe_table_bit, CTX(reformat_en)),					\
	P(decap, true, probe_table_bit, CTX(decap_en)),						\
	P(sw_owner, true, probe_table_bit, CTX(sw_owner)),					\
	P(termination_table, true, probe_table_bit, CTX(termination_table)),			\
	P(ignore_flow_level, true, probe_ignore_level, 0),					\
	P(pop_vlan, true, probe_action, 1u << 7),						\
	P(push_vlan, true, probe_action, 1u << 8)

const struct cap_row caps_flow[] = {
	NIC(nic_rx_multi_path_tirs, probe_tirs, 0),
	NIC(nic_rx_multi_path_tirs_fts, probe_tirs, 1),
	RX(ft_support, true, probe_type, PRM_FT_NIC_RX),
	TABLES(RX),
	RX(log_max_flow_counter, false, probe_flow_counters, 0),
	RX(log_max_modify_header_context, true, probe_opcode, PRM_OP_alloc_modify_header_context),
	NIC(log_max_packet_reformat_context, probe_opcode, PRM_OP_alloc_packet_reformat_context),
	NIC(flow_table_properties_nic_transmit.ft_support, probe_type, PRM_FT_NIC_TX),
	NIC(flow_table_properties_nic_receive_sniffer.ft_support, probe_type, PRM_FT_SNIFFER_RX),
};

const unsigned int caps_flow_n = ARRAY_SIZE(caps_flow);

#define OPCODE MATCH(misc_parameters.bth_opcode)

const struct cap_row caps_rdma_rx[] = {
	RDMA_RX(ft_support, true, probe_type, PRM_FT_RDMA_RX),
	TABLES(RDMA_RX),
	RDMA_RX(log_max_flow_counter, false, probe_flow_counters, 0),
	NIC(ft_field_support_2_nic_receive_rdma.bth_opcode, probe_field, OPCODE),
};

const unsigned int caps_rdma_rx_n = ARRAY_SIZE(caps_rdma_rx);

const struct cap_row caps_rdma_tx[] = {
	RDMA_TX(ft_support, true, probe_type, PRM_FT_RDMA_TX),
	TABLES(RDMA_TX),
	RDMA_TX(log_max_flow_counter, false, probe_flow_counters, 0),
	NIC(ft_field_support_2_nic_transmit_rdma.bth_opcode, probe_field, OPCODE),
};

const unsigned int caps_rdma_tx_n = ARRAY_SIZE(caps_rdma_tx);

#define BYPASS offsetof(struct prm_port_selection_cap_bits, port_select_flow_table_bypass)

const struct cap_row caps_port[] = {
	CAP_ROW(port_selection_cap, port_select_flow_table, true, probe_hash_mode, 0),
	CAP_ROW(port_selection_cap, port_select_flow_table_bypass, false, probe_bypass, BYPASS),
	PORT(ft_support, true, probe_type, PRM_FT_PORT_SEL),
	TABLES(PORT),
	PORT(log_max_flow_counter, true, probe_action, PRM_FLOW_COUNT),
};

const unsigned int caps_port_n = ARRAY_SIZE(caps_port);
