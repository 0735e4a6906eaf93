// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * What commands need of the capabilities that a fault has changed: a function refuses what it does
 * not announce, and has no larger queues and no more objects than it announces. The rooms check
 * against what the cards have.
 *
 * Only what the in-tree driver asks the capability for, somewhere; it uses, for example, vport
 * counters of any card. What it passes on from applications without asking is declined. What
 * packets and WQEs need is not checked.
 */
#include "func/func.h"
#include "prm/caps.h"
#include "prm/cong.h"
#include "prm/counter.h"
#include "prm/devx.h"
#include "prm/flow.h"
#include "prm/mkey.h"
#include "prm/nic.h"
#include "prm/obj.h"
#include "prm/port.h"
#include "prm/qp.h"
#include "prm/srq.h"
#include "prm/vport.h"

enum need_kind {
	NEED_ANY,	/* a field that is not 0 needs the capability */
	NEED_IS,	/* a field of this value */
	NEED_BITS,	/* a field with one of these bits */
	NEED_MOST,	/* a field is at most the capability */
	NEED_BELOW,	/* a field is below the capability */
	NEED_LOG,	/* a field is at most 2^capability */
	NEED_COUNT,	/* there are at most 2^capability objects of this type */
	NEED_NUMBER,	/* there are at most so many objects */
};

struct need {
	uint16_t opcode;
	enum need_kind kind;
	struct prm_field field;		/* of the command */
	uint32_t value;
	enum cap_type type;
	struct prm_field cap;
	bool passed_on;			/* drivers leave the decision to the device */
};

#define FIELD(layout, f)							\
	{ #f, offsetof(struct prm_##layout##_bits, f),				\
	  sizeof(((struct prm_##layout##_bits *)0)->f) }
#define GENERAL(f) CAP_GENERAL, FIELD(cmd_hca_cap, f)
#define ETH(f) CAP_ETH, FIELD(per_protocol_networking_offload_caps, f)
#define ROCE(f) CAP_ROCE, FIELD(roce_cap, f)
/* Bit @n of a set */
#define ROCE_BIT(f, n)								\
	CAP_ROCE, { #f " bit " #n, offsetof(struct prm_roce_cap_bits, f) +	\
		    sizeof(((struct prm_roce_cap_bits *)0)->f) - 1 - (n), 1 }
#define FLOW(f) CAP_FLOW_NIC, FIELD(flow_table_nic_cap, flow_table_properties_nic_receive.f)

#define RDMA_TABLES(which)							\
	CAP_FLOW_NIC, FIELD(flow_table_nic_cap,					\
			    flow_table_properties_nic_##which##_rdma.ft_support)

#define FDB(f)									\
	CAP_FLOW_ESW, FIELD(flow_table_eswitch_cap, flow_table_properties_nic_esw_fdb.f)
#define ACL(which)								\
	CAP_FLOW_ESW, FIELD(flow_table_eswitch_cap,				\
			    flow_table_properties_esw_acl_##which.ft_support)
#define ESWITCH(f) CAP_ESW, FIELD(e_switch_cap, f)

#define ROW(op, kind, f, value, ...) \
	{ PRM_OP_##op, kind, FIELD(op##_in, f), value, __VA_ARGS__ }
#define ALL(op, ...) ROW(op, NEED_IS, opcode, PRM_OP_##op, __VA_ARGS__)
#define ANY(op, f, ...) ROW(op, NEED_ANY, f, 0, __VA_ARGS__)
#define IS(op, f, value, ...) ROW(op, NEED_IS, f, value, __VA_ARGS__)
#define BITS(op, f, bits, ...) ROW(op, NEED_BITS, f, bits, __VA_ARGS__)
#define MOST(op, f, ...) ROW(op, NEED_MOST, f, 0, __VA_ARGS__)
#define BELOW(op, f, ...) ROW(op, NEED_BELOW, f, 0, __VA_ARGS__)
#define LOG(op, f, ...) ROW(op, NEED_LOG, f, 0, __VA_ARGS__)
#define COUNT(op, type, ...) ROW(op, NEED_COUNT, opcode, type, __VA_ARGS__)
#define MATCH(f, cap) ANY(create_flow_group, match_criteria.outer_headers.f, \
			  FLOW(ft_field_support.cap), true)
/* An address of RoCE v1 has no layer 3: two fields side by side tell. */
#define L3_AND_VERSION								\
	{ "roce_address.roce_l3_type",						\
	  offsetof(struct prm_set_roce_address_in_bits, roce_address.roce_l3_type), 12 }
#define V2_OVER(l3) (PRM_ROCE_L3_##l3 << 8 | PRM_ROCE_V2)
#define OFFERED modify_field_select_resize_field_select.modify_field_select.modify_field_select

static const struct need needs[] = {
	/* services */
	IS(create_qp, qpc.st, PRM_QP_ST_RC, GENERAL(rc), true),
	IS(create_qp, qpc.st, PRM_QP_ST_UC, GENERAL(uc), true),
	IS(create_qp, qpc.st, PRM_QP_ST_UD, GENERAL(ud), true),
	IS(create_qp, qpc.st, PRM_QP_ST_XRC, GENERAL(xrc)),
	ALL(alloc_xrcd, GENERAL(xrc)),
	ALL(create_xrc_srq, GENERAL(xrc)),
	ANY(create_qp, qpc.block_lb_mc, GENERAL(block_lb_mc)),
	BITS(rts2rts_qp, opt_param_mask, PRM_QP_OPT_COUNTER_SET_ID,
	     GENERAL(rts2rts_qp_counters_set_id)),
	BITS(rts2rts_qp, opt_param_mask, PRM_QP_OPT_PRIMARY_PATH_DSCP, GENERAL(rts2rts_qp_dscp)),
	BITS(rts2rts_qp, opt_param_mask, PRM_QP_OPT_LAG_TX_AFF,
	     GENERAL(rts2rts_lag_tx_port_affinity)),
	/* completion queues */
	ANY(create_cq, cq_context.oi, GENERAL(cq_oi), true),
	ANY(create_cq, cq_context.cqe_comp_en, GENERAL(cqe_compression)),
	IS(create_cq, cq_context.cqe_sz, PRM_CQE_SZ_128_PAD, GENERAL(cqe_128_always)),
	ANY(create_cq, cq_context.cq_period, GENERAL(cq_moderation)),
	ANY(create_cq, cq_context.cq_max_count, GENERAL(cq_moderation)),
	ANY(create_cq, cq_context.cq_period_mode, GENERAL(cq_period_start_from_cqe)),
	IS(modify_cq, op_mod, PRM_RESIZE_CQ, GENERAL(cq_resize)),
	BITS(modify_cq, OFFERED, PRM_MODIFY_CQ_PERIOD | PRM_MODIFY_CQ_MAX_COUNT,
	     GENERAL(cq_moderation)),
	/* RoCE, the vport */
	IS(set_roce_address, roce_address.roce_version, PRM_ROCE_V2, ROCE_BIT(roce_version, 2)),
	{ PRM_OP_set_roce_address, NEED_IS, L3_AND_VERSION, V2_OVER(IPV4), ROCE_BIT(l3_type, 1) },
	{ PRM_OP_set_roce_address, NEED_IS, L3_AND_VERSION, V2_OVER(IPV6), ROCE_BIT(l3_type, 2) },
	ANY(modify_nic_vport_context, field_select.disable_uc_local_lb,
	    GENERAL(disable_local_lb_uc)),
	ANY(modify_nic_vport_context, field_select.disable_mc_local_lb,
	    GENERAL(disable_local_lb_mc)),
	ANY(modify_esw_vport_context, field_select.vport_cvlan_strip, ESWITCH(vport_cvlan_strip)),
	ANY(modify_esw_vport_context, field_select.vport_cvlan_insert,
	    ESWITCH(vport_cvlan_insert_if_not_exist)),
	ANY(modify_nic_vport_context, field_select.node_guid, ESWITCH(nic_vport_node_guid_modify)),
	ALL(query_cong_statistics, GENERAL(cc_query_allowed)),
	ALL(query_cong_params, GENERAL(cc_query_allowed)),
	ALL(modify_cong_params, GENERAL(cc_modify_allowed)),
	IS(query_cong_params, cong_protocol, PRM_CONG_GENERAL, ROCE(roce_cc_general)),
	IS(modify_cong_params, cong_protocol, PRM_CONG_GENERAL, ROCE(roce_cc_general)),
	IS(access_register, register_id, PRM_REG_PCAM, GENERAL(pcam_reg)),
	IS(access_register, register_id, PRM_REG_MLCR, GENERAL(beacon_led)),
	ALL(set_driver_version, GENERAL(driver_version)),
	/* Ethernet and flow tables */
	ALL(create_sq, GENERAL(log_max_sq)),
	ALL(create_tir, GENERAL(eth_net_offloads), true),
	ALL(create_rqt, ETH(rss_ind_tbl_cap)),
	BITS(modify_tir, bitmask.self_lb_en, 1, ETH(self_lb_en_modifiable)),
	ALL(create_flow_table, GENERAL(nic_flow_table)),
	ALL(create_flow_table, FLOW(ft_support)),
	IS(create_flow_table, table_type, PRM_FT_RDMA_RX, RDMA_TABLES(receive)),
	IS(create_flow_table, table_type, PRM_FT_RDMA_TX, RDMA_TABLES(transmit)),
	IS(create_flow_table, table_type, PRM_FT_FDB, FDB(ft_support)),
	IS(create_flow_table, table_type, PRM_FT_ESW_INGRESS, ACL(ingress)),
	IS(create_flow_table, table_type, PRM_FT_ESW_EGRESS, ACL(egress)),
	ALL(modify_flow_table, FLOW(flow_table_modify)),
	ANY(create_flow_table, flow_table_context.table_miss_action,
	    FLOW(identified_miss_table_mode)),
	ANY(set_fte, op_mod, FLOW(flow_modify_en)),
	ANY(set_fte, flow_context.flow_counter_list_size, FLOW(flow_counter)),
	MATCH(smac_47_16, outer_smac),
	ANY(create_flow_group, match_criteria.outer_headers.ip_version,
	    FLOW(ft_field_support.outer_ip_version)),
	ANY(create_flow_group, match_criteria.inner_headers.ip_version,
	    FLOW(ft_field_support.inner_ip_version)),
	ANY(create_flow_group, match_criteria.inner_headers.ip_protocol,
	    FLOW(ft_field_support.inner_ip_protocol)),
	MATCH(first_prio, outer_first_prio),
	MATCH(first_cfi, outer_first_cfi),
	MATCH(ttl_hoplimit, outer_ipv4_ttl),
	MATCH(src_ipv4_src_ipv6, outer_sip),
	MATCH(dst_ipv4_dst_ipv6, outer_dip),
	MATCH(frag, outer_frag),
	MATCH(ip_ecn, outer_ip_ecn),
	MATCH(ip_dscp, outer_ip_dscp),
	MATCH(udp_sport, outer_udp_sport),
	MATCH(udp_dport, outer_udp_dport),
	MATCH(tcp_sport, outer_tcp_sport),
	MATCH(tcp_dport, outer_tcp_dport),
	MATCH(tcp_flags, outer_tcp_flags),
	/* sizes */
	MOST(create_cq, cq_context.log_cq_size, GENERAL(log_max_cq_sz)),
	MOST(create_qp, qpc.log_sq_size, GENERAL(log_max_qp_sz)),
	MOST(create_qp, qpc.log_rq_size, GENERAL(log_max_qp_sz)),
	MOST(create_xrc_srq, xrc_srq_context_entry.log_xrc_srq_size, GENERAL(log_max_srq_sz)),
	MOST(create_rmp, ctx.wq.log_wq_sz, GENERAL(log_max_srq_sz)),
	MOST(create_sq, ctx.wq.log_wq_sz, GENERAL(log_max_wq_sz)),
	MOST(create_rq, ctx.wq.log_wq_sz, GENERAL(log_max_wq_sz)),
	MOST(init2rtr_qp, qpc.log_msg_max, GENERAL(log_max_msg)),
	MOST(init2rtr_qp, qpc.log_rra_max, GENERAL(log_max_ra_res_qp)),
	MOST(rtr2rts_qp, qpc.log_sra_max, GENERAL(log_max_ra_req_qp)),
	MOST(create_qp, qpc.log_num_dci_stream_channels, GENERAL(log_max_dci_stream_channels)),
	MOST(create_qp, qpc.log_num_dci_errored_streams, GENERAL(log_max_dci_errored_streams)),
	LOG(create_rqt, rqt_context.rqt_max_size, GENERAL(log_max_rqt_size)),
	LOG(create_rqt, rqt_context.rqt_max_size, ETH(rss_ind_tbl_cap)),
	MOST(create_flow_table, flow_table_context.log_size, FLOW(log_max_ft_size)),
	BELOW(create_flow_table, flow_table_context.level, FLOW(max_ft_level)),
	BELOW(set_roce_address, roce_address_index, ROCE(roce_address_table_size)),
	/* numbers */
	COUNT(create_qp, OBJ_QP, GENERAL(log_max_qp)),
	COUNT(create_cq, OBJ_CQ, GENERAL(log_max_cq)),
	COUNT(create_mkey, OBJ_MKEY, GENERAL(log_max_mkey)),
	COUNT(alloc_pd, OBJ_PD, GENERAL(log_max_pd)),
	COUNT(alloc_xrcd, OBJ_XRCD, GENERAL(log_max_xrcd)),
	COUNT(alloc_transport_domain, OBJ_TD, GENERAL(log_max_transport_domain)),
	COUNT(create_xrc_srq, OBJ_XRC_SRQ, GENERAL(log_max_srq)),
	COUNT(create_rmp, OBJ_RMP, GENERAL(log_max_rmp)),
	COUNT(create_rq, OBJ_RQ, GENERAL(log_max_rq)),
	COUNT(create_sq, OBJ_SQ, GENERAL(log_max_sq)),
	COUNT(create_tir, OBJ_TIR, GENERAL(log_max_tir)),
	COUNT(create_tis, OBJ_TIS, GENERAL(log_max_tis)),
	COUNT(create_rqt, OBJ_RQT, GENERAL(log_max_rqt)),
	COUNT(create_umem, OBJ_UMEM, GENERAL(log_max_umem)),
	ROW(alloc_q_counter, NEED_NUMBER, opcode, OBJ_Q_COUNTER, GENERAL(max_qp_cnt)),
};

/* 0, or refused: the value of a field, or a number of objects, is above a capability. */
static int check_size(struct cmd *c, const struct need *n, uint32_t value, uint32_t has)
{
	uint64_t limit = n->kind == NEED_LOG || n->kind == NEED_COUNT ? 1ull << (has & 63) : has;

	if (n->kind == NEED_COUNT || n->kind == NEED_NUMBER) {
		if (obj_count(c->dev, n->value) < limit)
			return 0;
		return refuse(c, PRM_STATUS_NO_RES, "%s is %u, and there are %u objects already",
			      n->cap.name, has, obj_count(c->dev, n->value));
	}
	if (value < limit || (value == limit && n->kind != NEED_BELOW))
		return 0;
	return refuse(c, PRM_STATUS_BAD_PARAM, "%s is %u, too large with %s %u", n->field.name,
		      value, n->cap.name, has);
}

/* Of an address, all its dwords. */
static uint32_t get_field(const __be32 *in, const struct prm_field *field)
{
	uint32_t bit, any = 0;

	if (field->width <= 32)
		return prm_get_bits(in, field->bit, field->width);
	for (bit = field->bit; bit < field->bit + field->width; bit += 32)
		any |= prm_get_bits(in, bit, 32);
	return any;
}

static int check_need(struct cmd *c, const struct need *n)
{
	uint32_t value = get_field(c->in, &n->field);
	uint32_t has = prm_get_bits((const void *)c->dev->hca->cap_cur[n->type], n->cap.bit,
				    n->cap.width);

	if (n->kind >= NEED_MOST)
		return check_size(c, n, value, has);
	if (has || (n->kind == NEED_ANY && !value) || (n->kind == NEED_IS && value != n->value) ||
	    (n->kind == NEED_BITS && !(value & n->value)))
		return 0;
	if (n->passed_on)
		return decline(c, PRM_STATUS_BAD_PARAM, "%s 0x%x needs %s, which is not announced",
			       n->field.name, value, n->cap.name);
	return refuse(c, PRM_STATUS_BAD_PARAM, "%s is 0x%x, but %s is not announced",
		      n->field.name, value, n->cap.name);
}

int check_needs(struct cmd *c)
{
	unsigned int i;

	if (!c->dev->hca->n_cap_changes)
		return 0;
	for (i = 0; i < ARRAY_SIZE(needs); i++)
		if (needs[i].opcode == c->opcode && check_need(c, &needs[i]))
			return -1;
	return 0;
}
