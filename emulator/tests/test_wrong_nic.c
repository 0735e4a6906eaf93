// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* A driver that is wrong about Ethernet queues and the vport, one thing at a time. */
#include <string.h>

#include "prm/counter.h"
#include "prm/nic.h"
#include "prm/port.h"
#include "prm/vport.h"
#include "wrong.h"

struct with_pas {
	__be64 pas[4];
};

static uint32_t tis, rq, rqt, tir, sq;

/* ---- transport interfaces ---- */

static void wrong_tis(void)
{
	static const struct wrong_row create[] = {
		F(create_tis, ctx.tls_en, 1, "tls_en is set (0x1), but TLS is not advertised"),
		F(create_tis, ctx.pd, 1, "pd is set (0x1), but only TLS uses it"),
		F(create_tis, ctx.underlay_qpn, 1,
		  "underlay_qpn is set (0x1), but this is an Ethernet port"),
		F(create_tis, ctx.strict_lag_tx_port_affinity, 1,
		  "strict_lag_tx_port_affinity is set (0x1), but LAG is not advertised"),
		F(create_tis, ctx.lag_tx_port_affinity, 1,
		  "lag_tx_port_affinity is set (0x1), but LAG is not advertised"),
		F(create_tis, ctx.transport_domain, 0xabcdef,
		  "transport_domain: there is no TD 0xabcdef", .status = PRM_STATUS_BAD_RES),
	};
	static const struct wrong_row modify[] = {
		F(modify_tis, bitmask.lag_tx_port_affinity, 1,
		  "bitmask.lag_tx_port_affinity is set (0x1), but LAG is not advertised"),
		F(modify_tis, bitmask.strict_lag_tx_port_affinity, 1,
		  "bitmask.strict_lag_tx_port_affinity is set (0x1), but LAG is not advertised"),
		F(modify_tis, tisn, 0xabcdef, "tisn: there is no TIS 0xabcdef",
		  .status = PRM_STATUS_BAD_RES),
	};
	struct prm_create_tis_in in = {};
	struct prm_modify_tis_in change = {};

	prm_set(&in, ctx.transport_domain, rig.td);
	WRONG(&WRONG_CMD(create_tis, &in), create);
	tis = rig_create(&WRONG_CMD(create_tis, &in));
	prm_set(&change, tisn, tis);
	WRONG(&WRONG_CMD(modify_tis, &change), modify);
}

/* ---- send queues ---- */

/* What every queue has in its struct wq. */
#define W(f, v, t, ...) FAT(0, wq, f, v, t, ##__VA_ARGS__)

static const struct wrong_row wq_rows[] = {
	W(wq_signature, 1, "wq_signature is set (0x1), but it is not advertised"),
	W(cd_slave, 1,
	  "cd_slave is set (0x1), but cross-channel queues are not advertised"),
	W(hds_skip_first_sge, 1,
	  "hds_skip_first_sge is set (0x1), but header split is not advertised"),
	W(log2_hds_buf_size, 3,
	  "log2_hds_buf_size is set (0x3), but header split is not advertised"),
	W(lwm, 7, "lwm is set (0x7), but low watermarks are not advertised"),
	W(dbr_umem_valid, 1, "umem_id: there is no UMEM 0x0", .status = PRM_STATUS_BAD_RES),
	W(wq_umem_valid, 1, "umem_id: there is no UMEM 0x0", .status = PRM_STATUS_BAD_RES),
	W(log_hairpin_num_packets, 2,
	  "log_hairpin_num_packets is set (0x2), but hairpin is not advertised"),
	W(log_hairpin_data_sz, 2,
	  "log_hairpin_data_sz is set (0x2), but hairpin is not advertised"),
	W(two_byte_shift_en, 1,
	  "two_byte_shift_en is set (0x1), but the WQ is not striding"),
	W(shampo_enable, 1, "shampo_enable is set (0x1), but it is not advertised"),
	W(wq_type, 0, "wq_type 0 of the WQ is not advertised"),
	W(end_padding_mode, 2, "end_padding_mode 2 is unknown"),
	W(log_wq_sz, 16, "log_wq_sz 16 is above 15"),
	W(log_wq_pg_sz, 31, "log_wq_pg_sz 31: pages are at most 2^* bytes"),
	W(dbr_addr, 0x40001004, "dbr_addr 0x40001004 is not aligned to 8 bytes"),
	W(log_wq_sz, 14, "* pages are needed, the input has no room for them",
	  .status = PRM_STATUS_BAD_INP_LEN),
	W(pd, 0xabcdef, "wq.pd: there is no PD 0xabcdef",
	  .status = PRM_STATUS_BAD_RES),
};

static const struct wrong_row create_sq_rows[] = {
	F(create_sq, ctx.cqn, 0xabcdef, "cqn: there is no CQ 0xabcdef",
	  .status = PRM_STATUS_BAD_RES),
	F(create_sq, ctx.rlky, 1,
	  "rlky is set (0x1), but the reserved lkey is not advertised for SQs"),
	F(create_sq, ctx.cd_master, 1,
	  "cd_master is set (0x1), but cross-channel queues are not advertised"),
	F(create_sq, ctx.fre, 1,
	  "fre is set (0x1), but fast registration is not advertised for SQs"),
	F(create_sq, ctx.allow_multi_pkt_send_wqe, 1,
	  "allow_multi_pkt_send_wqe is set (0x1), but multi_pkt_send_wqe is not advertised"),
	F(create_sq, ctx.reg_umr, 1, "reg_umr is set (0x1), but reg_umr_sq is not advertised"),
	F(create_sq, ctx.allow_swp, 1, "allow_swp is set (0x1), but swp is not advertised"),
	F(create_sq, ctx.hairpin, 1, "hairpin is set (0x1), but it is not advertised"),
	F(create_sq, ctx.non_wire, 1, "non_wire is set (0x1), but it is not advertised"),
	F(create_sq, ctx.hairpin_peer_rq, 9,
	  "hairpin_peer_rq is set (0x9), but hairpin is not advertised"),
	F(create_sq, ctx.hairpin_peer_vhca, 9,
	  "hairpin_peer_vhca is set (0x9), but hairpin is not advertised"),
	F(create_sq, ctx.ts_cqe_to_dest_cqn, 9,
	  "ts_cqe_to_dest_cqn is set (0x9), but it is not advertised"),
	F(create_sq, ctx.packet_pacing_rate_limit_index, 1,
	  "packet_pacing_rate_limit_index 1, but packet pacing is not advertised"),
	F(create_sq, ctx.qos_queue_group_id, 1,
	  "qos_queue_group_id is set (0x1), but queue groups are not advertised"),
	F(create_sq, ctx.state, 1, "an SQ begins in RST, not in state 1"),
	F(create_sq, ctx.ts_format, 2, "ts_format 2 of the SQ is not advertised"),
	F(create_sq, ctx.tis_lst_sz, 2, "tis_lst_sz 2 is above 1"),
	F(create_sq, ctx.min_wqe_inline_mode, 1,
	  "min_wqe_inline_mode 1, but wqe_inline_mode is *"),
	F(create_sq, ctx.wq.log_wq_stride, 7, "log_wq_stride 7: an SQ has strides of 64 bytes"),
	F(create_sq, ctx.wq.uar_page, 0xabcdef, "wq.uar_page: there is no UAR 0xabcdef",
	  .status = PRM_STATUS_BAD_RES),
	F(create_sq, ctx.tis_num_0, 0xabcdef, "tis_num_0: there is no TIS 0xabcdef",
	  .status = PRM_STATUS_BAD_RES),
};

static void wrong_sq(void)
{
	static const struct wrong_row modify[] = {
		F(modify_sq, modify_bitmask, 4,
		  "modify_bitmask 0x4: an SQ has a state and a rate to modify"),
		F(modify_sq, sq_state, 1, "SQ 0x* is in state 0, the command says 1",
		  .status = PRM_STATUS_BAD_RES_STATE),
		F(modify_sq, ctx.state, 2, "SQ 0x*: state 2 is unknown"),
		F(modify_sq, ctx.state, 3, "SQ 0x* cannot go from state 0 to 3",
		  .status = PRM_STATUS_BAD_RES_STATE),
		F(modify_sq, sqn, 0xabcdef, "sqn: there is no SQ 0xabcdef",
		  .status = PRM_STATUS_BAD_RES),
	};
	struct { struct prm_create_sq_in in; struct with_pas tail; } b = {};
	struct prm_modify_sq_in change = {};

	prm_set(&b.in, ctx.cqn, rig.cq);
	prm_set(&b.in, ctx.tis_lst_sz, 1);
	prm_set(&b.in, ctx.tis_num_0, tis);
	prm_set(&b.in, ctx.wq.wq_type, PRM_WQ_CYCLIC);
	prm_set(&b.in, ctx.wq.pd, rig.pd);
	prm_set(&b.in, ctx.wq.uar_page, rig.uar);
	prm_set(&b.in, ctx.wq.log_wq_stride, 6);
	prm_set(&b.in, ctx.wq.log_wq_sz, 4);
	prm_set64(&b.in, ctx.wq.dbr_addr, rig_page());
	b.tail.pas[0] = cpu_to_be64(rig_page());
	WRONG_AT(&WRONG_CMD(create_sq, &b), FIELD_BIT(create_sq_in, ctx.wq), wq_rows);
	WRONG(&WRONG_CMD(create_sq, &b), create_sq_rows);
	sq = rig_create(&WRONG_CMD(create_sq, &b));
	prm_set(&change, sqn, sq);
	prm_set(&change, ctx.state, PRM_WQ_RDY);
	WRONG(&WRONG_CMD(modify_sq, &change), modify);
}

/* ---- receive queues ---- */

static const struct wrong_row create_rq_rows[] = {
	F(create_rq, ctx.cqn, 0xabcdef, "cqn: there is no CQ 0xabcdef",
	  .status = PRM_STATUS_BAD_RES),
	F(create_rq, ctx.rlky, 1,
	  "rlky is set (0x1), but the reserved lkey is not advertised for RQs"),
	F(create_rq, ctx.delay_drop_en, 1, "delay_drop_en is set (0x1), but it is not advertised"),
	F(create_rq, ctx.scatter_fcs, 1, "scatter_fcs is set (0x1), but it is not advertised"),
	F(create_rq, ctx.mem_rq_type, 1,
	  "mem_rq_type is set (0x1), but RQs of RMPs are not advertised"),
	F(create_rq, ctx.rmpn, 5, "rmpn is set (0x5), but RQs of RMPs are not advertised"),
	F(create_rq, ctx.hairpin, 1, "hairpin is set (0x1), but it is not advertised"),
	F(create_rq, ctx.hairpin_peer_sq, 3,
	  "hairpin_peer_sq is set (0x3), but hairpin is not advertised"),
	F(create_rq, ctx.hairpin_peer_vhca, 3,
	  "hairpin_peer_vhca is set (0x3), but hairpin is not advertised"),
	F(create_rq, ctx.shampo_no_match_alignment_granularity, 1,
	  "shampo_no_match_alignment_granularity is set (0x1), but it is not advertised"),
	F(create_rq, ctx.shampo_match_criteria_type, 1,
	  "shampo_match_criteria_type is set (0x1), but it is not advertised"),
	F(create_rq, ctx.reservation_timeout, 1,
	  "reservation_timeout is set (0x1), but it is not advertised"),
	F(create_rq, ctx.wq.uar_page, 64, "wq.uar_page is set (0x40), but an RQ has no UAR"),
	F(create_rq, ctx.state, 1, "an RQ begins in RST, not in state 1"),
	F(create_rq, ctx.ts_format, 2, "ts_format 2 of the RQ is not advertised"),
	F(create_rq, ctx.wq.log_wq_stride, 3, "log_wq_stride 3 of the RQ is not within 4 to 9"),
	F(create_rq, ctx.wq.log_wq_stride, 10, "log_wq_stride 10 of the RQ is not within 4 to 9"),
	F(create_rq, ctx.counter_set_id, 0xee, "counter_set_id: there is no * 0xee",
	  .status = PRM_STATUS_BAD_RES),
};

static void wrong_rq(void)
{
	static const struct wrong_row modify[] = {
		F(modify_rq, modify_bitmask, 1ull << 40,
		  "modify_bitmask 0x10000000000 has fields that are not advertised"),
		F(modify_rq, rq_state, 3, "RQ 0x* is in state 0, the command says 3",
		  .status = PRM_STATUS_BAD_RES_STATE),
		F(modify_rq, ctx.state, 5, "RQ 0x*: state 5 is unknown"),
		F(modify_rq, rqn, 0xabcdef, "rqn: there is no RQ 0xabcdef",
		  .status = PRM_STATUS_BAD_RES),
	};
	struct { struct prm_create_rq_in in; struct with_pas tail; } b = {};
	struct prm_modify_rq_in change = {};

	prm_set(&b.in, ctx.cqn, rig.cq);
	prm_set(&b.in, ctx.wq.wq_type, PRM_WQ_CYCLIC);
	prm_set(&b.in, ctx.wq.pd, rig.pd);
	prm_set(&b.in, ctx.wq.log_wq_stride, 6);
	prm_set(&b.in, ctx.wq.log_wq_sz, 4);
	prm_set64(&b.in, ctx.wq.dbr_addr, rig_page());
	b.tail.pas[0] = cpu_to_be64(rig_page());
	WRONG_AT(&WRONG_CMD(create_rq, &b), FIELD_BIT(create_rq_in, ctx.wq), wq_rows);
	WRONG(&WRONG_CMD(create_rq, &b), create_rq_rows);
	rq = rig_create(&WRONG_CMD(create_rq, &b));
	prm_set(&change, rqn, rq);
	prm_set(&change, ctx.state, PRM_WQ_RDY);
	WRONG(&WRONG_CMD(modify_rq, &change), modify);
}

/* ---- tables of receive queues ---- */

static void wrong_rqt(void)
{
	static const struct wrong_row create[] = {
		F(create_rqt, rqt_context.rqt_max_size, 0, "rqt_max_size 0 is not within 1 to *"),
		F(create_rqt, rqt_context.rqt_max_size, 0xffff,
		  "rqt_max_size 65535 is not within 1 to *"),
		F(create_rqt, rqt_context.rqt_actual_size, 0,
		  "rqt_actual_size 0 is not within 1 to 4"),
		F(create_rqt, rqt_context.rqt_actual_size, 5,
		  "rqt_actual_size 5 is not within 1 to 4"),
		F(create_rqt, rqt_context.rqt_actual_size, 4, "4 RQ numbers do not fit in * bytes",
		  .status = PRM_STATUS_BAD_INP_LEN),
		F(create_rqt, rqt_context.rq_vhca_id_format, 1,
		  "rq_vhca_id_format is set (0x1), but RQs of other functions are not advertised"),
		F(create_rqt, rqt_context.list_q_type, 1,
		  "list_q_type is set (0x1), but only RQs can be listed"),
	};
	static const struct wrong_row modify[] = {
		F(modify_rqt, bitmask.rqn_list, 0,
		  "bitmask.rqn_list is not set: there is nothing else to modify"),
		F(modify_rqt, rqtn, 0xabcdef, "rqtn: there is no RQT 0xabcdef",
		  .status = PRM_STATUS_BAD_RES),
	};
	static const struct wrong_row query[] = {
		{ .field = "room for the context alone",
		  .out_len = sizeof(struct prm_query_rqt_out),
		  .status = PRM_STATUS_BAD_OUTP_LEN,
		  .text = "1 RQ numbers do not fit in * bytes" },
	};
	struct { struct prm_create_rqt_in in; __be32 rq; } b = {};
	struct { struct prm_modify_rqt_in in; __be32 rq; } change = {};
	struct prm_query_rqt_in ask = {};
	struct wrong_cmd cmd;

	prm_set(&b.in, rqt_context.rqt_max_size, 4);
	prm_set(&b.in, rqt_context.rqt_actual_size, 1);
	b.rq = cpu_to_be32(rq);
	WRONG(&WRONG_CMD(create_rqt, &b), create);
	rqt = rig_create(&WRONG_CMD(create_rqt, &b));
	prm_set(&change.in, rqtn, rqt);
	prm_set(&change.in, bitmask.rqn_list, 1);
	prm_set(&change.in, ctx.rqt_actual_size, 1);
	change.rq = cpu_to_be32(rq);
	WRONG(&WRONG_CMD(modify_rqt, &change), modify);
	prm_set(&ask, rqtn, rqt);
	cmd = WRONG_CMD(query_rqt, &ask);
	cmd.out_len += 4;
	WRONG(&cmd, query);
}

/* ---- transport interfaces for receiving ---- */

static const struct wrong_row create_tir_rows[] = {
	F(create_tir, ctx.tls_en, 1, "tls_en is set (0x1), but TLS is not advertised"),
	F(create_tir, ctx.packet_merge_mask, 1,
	  "packet_merge_mask is set (0x1), but LRO is not advertised"),
	F(create_tir, ctx.lro_max_ip_payload_size, 1,
	  "lro_max_ip_payload_size is set (0x1), but LRO is not advertised"),
	F(create_tir, ctx.lro_timeout_period_usecs, 1,
	  "lro_timeout_period_usecs is set (0x1), but LRO is not advertised"),
	F(create_tir, ctx.disp_type, 2, "disp_type 2 is unknown"),
	F(create_tir, ctx.inline_rqn, 5, "inline_rqn is set (0x5), but the TIR is indirect"),
	F(create_tir, ctx.rx_hash_fn, 0, "an indirect TIR needs an rx_hash_fn"),
	F(create_tir, ctx.rx_hash_fn, 7, "rx_hash_fn 7 is unknown"),
	F(create_tir, ctx.rx_hash_field_selector_outer.selected_fields, 0x20,
	  "outer selected_fields 0x20: addresses, ports and SPI exist"),
	F(create_tir, ctx.rx_hash_field_selector_inner.selected_fields, 0x40,
	  "inner selected_fields 0x40: addresses, ports and SPI exist"),
	F(create_tir, ctx.rx_hash_field_selector_inner.selected_fields, 1,
	  "rx_hash_field_selector_inner.selected_fields is set (0x1), but not tunneled_*"),
	F(create_tir, ctx.indirect_table, 0xabcdef, "indirect_table: there is no RQT 0xabcdef",
	  .status = PRM_STATUS_BAD_RES),
};

static void wrong_tir(void)
{
	static const struct wrong_row direct[] = {
		F(create_tir, ctx.indirect_table, 1,
		  "indirect_table is set (0x1), but the TIR is direct"),
		F(create_tir, ctx.inline_rqn, 0xabcdef, "inline_rqn: there is no RQ 0xabcdef",
		  .status = PRM_STATUS_BAD_RES),
	};
	static const struct wrong_row modify[] = {
		F(modify_tir, bitmask.packet_merge, 1,
		  "bitmask.packet_merge is set (0x1), but LRO is not advertised"),
		F(modify_tir, ctx.rx_hash_fn, 0, "indirect TIR 0x* needs an rx_hash_fn"),
		F(modify_tir, tirn, 0xabcdef, "tirn: there is no TIR 0xabcdef",
		  .status = PRM_STATUS_BAD_RES),
	};
	struct prm_create_tir_in in = {}, one = {};
	struct prm_modify_tir_in change = {};

	prm_set(&in, ctx.disp_type, PRM_TIR_INDIRECT);
	prm_set(&in, ctx.transport_domain, rig.td);
	prm_set(&in, ctx.indirect_table, rqt);
	prm_set(&in, ctx.rx_hash_fn, PRM_RX_HASH_TOEPLITZ);
	WRONG(&WRONG_CMD(create_tir, &in), create_tir_rows);
	tir = rig_create(&WRONG_CMD(create_tir, &in));
	prm_set(&one, ctx.disp_type, PRM_TIR_DIRECT);
	prm_set(&one, ctx.transport_domain, rig.td);
	prm_set(&one, ctx.inline_rqn, rq);
	WRONG(&WRONG_CMD(create_tir, &one), direct);
	prm_set(&change, tirn, tir);
	prm_set(&change, bitmask.hash, 1);
	prm_set(&change, ctx.rx_hash_fn, PRM_RX_HASH_TOEPLITZ);
	WRONG(&WRONG_CMD(modify_tir, &change), modify);
}

/* What is used does not go. */
static void wrong_destroy(void)
{
	static const struct wrong_row used_tis[] = {
		{ .field = "of an SQ", .status = PRM_STATUS_RES_BUSY,
		  .text = "TIS 0x* is still used by 2 objects" },
	};
	static const struct wrong_row used_rq[] = {
		{ .field = "of an RQT", .status = PRM_STATUS_RES_BUSY,
		  .text = "RQ 0x* is still used by 3 objects" },
	};
	static const struct wrong_row used_rqt[] = {
		{ .field = "of a TIR", .status = PRM_STATUS_RES_BUSY,
		  .text = "RQT 0x* is still used by 2 objects" },
	};
	struct prm_destroy_tis_in t = {};
	struct prm_destroy_rq_in r = {};
	struct prm_destroy_rqt_in rt = {};

	prm_set(&t, tisn, tis);
	WRONG_ONLY(&WRONG_CMD(destroy_tis, &t), used_tis);
	prm_set(&r, rqn, rq);
	WRONG_ONLY(&WRONG_CMD(destroy_rq, &r), used_rq);
	prm_set(&rt, rqtn, rqt);
	WRONG_ONLY(&WRONG_CMD(destroy_rqt, &rt), used_rqt);
}

/* ---- the vport ---- */

static const struct wrong_row modify_vport_rows[] = {
	F(modify_nic_vport_context, other_vport, 1,
	  "other_vport is set (0x1), but there is only one vport"),
	F(modify_nic_vport_context, vport_number, 3,
	  "vport_number is set (0x3), but there is only one vport"),
	F(modify_nic_vport_context, field_select.affiliation, 1,
	  "field_select.affiliation is set (0x1), but multi-port functions are not advertised"),
	F(modify_nic_vport_context, field_select.node_guid, 1,
	  "field_select.node_guid is set (0x1), but only a group manager may set it"),
	F(modify_nic_vport_context, field_select.port_guid, 1,
	  "field_select.port_guid is set (0x1), but only a group manager may set it"),
	F(modify_nic_vport_context, field_select.min_inline, 1,
	  "min_wqe_inline_mode cannot be set: wqe_inline_mode is *"),
	F(modify_nic_vport_context, nic_vport_context.mtu, 67, "mtu 67 is not within 68 to 10000"),
	F(modify_nic_vport_context, nic_vport_context.mtu, 10001,
	  "mtu 10001 is not within 68 to 10000"),
	F(modify_nic_vport_context, nic_vport_context.permanent_address.mac_addr_47_32, 0x0100,
	  "permanent_address is not a unicast address"),
	F(modify_nic_vport_context, nic_vport_context.allowed_list_type, 3,
	  "allowed_list_type 3 is unknown"),
	F(modify_nic_vport_context, nic_vport_context.allowed_list_size, 129,
	  "list of 129 addresses is longer than the advertised 128"),
	F(modify_nic_vport_context, nic_vport_context.allowed_list_size, 2,
	  "2 addresses do not fit in * bytes", .status = PRM_STATUS_BAD_INP_LEN),
	F(modify_nic_vport_context, nic_vport_context.allowed_list_type, PRM_VPORT_LIST_VLAN,
	  "VLAN list entry 0x* has reserved bits"),
	F(modify_nic_vport_context, nic_vport_context.allowed_list_type, PRM_VPORT_LIST_MC,
	  "0x2c400001234 is not a multicast address"),
	FAT(sizeof(struct prm_modify_nic_vport_context_in), mac_address_layout, mac_addr_47_32,
	    0x0300, "0x30000001234 is not a unicast address"),
};

static void wrong_vport(void)
{
	static const struct wrong_row query[] = {
		F(query_nic_vport_context, allowed_list_type, 7, "allowed_list_type 7 is unknown"),
	};
	static const struct wrong_row state[] = {
		F(query_vport_state, op_mod, 1, "op_mod 1: the function manages no eswitch"),
	};
	static const struct wrong_row counter[] = {
		F(query_vport_counter, port_num, 2, "op_mod 0, port_num 2: there is only one port"),
	};
	static const struct wrong_row vnic[] = {
		F(query_vnic_env, op_mod, 1, "op_mod 1: there are no other statistics"),
	};
	static const struct wrong_row pkey[] = {
		F(query_hca_vport_pkey, port_num, 2, "port_num 2: there is only one port"),
		F(query_hca_vport_pkey, pkey_index, 128,
		  "pkey_index 128 is outside the table of 128", .status = PRM_STATUS_IX),
		F(query_hca_vport_pkey, pkey_index, 0xffff, "128 pkeys do not fit in * bytes",
		  .status = PRM_STATUS_BAD_OUTP_LEN),
	};
	struct { struct prm_modify_nic_vport_context_in in; __be64 mac; } b = {};
	struct prm_query_nic_vport_context_in ask = {};
	struct prm_query_vport_state_in ask_state = {};
	struct prm_query_vport_counter_in ask_counter = {};
	struct prm_query_vnic_env_in ask_vnic = {};
	struct prm_query_hca_vport_pkey_in ask_pkey = {};
	struct wrong_cmd cmd;

	prm_set(&b.in, field_select.mtu, 1);
	prm_set(&b.in, field_select.permanent_address, 1);
	prm_set(&b.in, field_select.addresses_list, 1);
	prm_set(&b.in, nic_vport_context.mtu, 1500);
	prm_set(&b.in, nic_vport_context.permanent_address.mac_addr_47_32, 0x02c4);
	prm_set(&b.in, nic_vport_context.permanent_address.mac_addr_31_0, 0x1234);
	prm_set(&b.in, nic_vport_context.allowed_list_size, 1);
	b.mac = cpu_to_be64(0x02c400001234ull);
	WRONG(&WRONG_CMD(modify_nic_vport_context, &b), modify_vport_rows);
	WRONG(&WRONG_CMD(query_nic_vport_context, &ask), query);
	WRONG(&WRONG_CMD(query_vport_state, &ask_state), state);
	WRONG(&WRONG_CMD(query_vport_counter, &ask_counter), counter);
	WRONG(&WRONG_CMD(query_vnic_env, &ask_vnic), vnic);
	cmd = WRONG_CMD(query_hca_vport_pkey, &ask_pkey);
	cmd.out_len += 4;
	WRONG(&cmd, pkey);
}

static void wrong_roce_address(void)
{
	static const struct wrong_row set[] = {
		F(set_roce_address, roce_address_index, 255,
		  "roce_address_index 255 is outside the table of 255", .status = PRM_STATUS_IX),
		F(set_roce_address, vhca_port_num, 2, "vhca_port_num 2: by num_vhca_ports it is 0"),
		F(set_roce_address, roce_address.source_mac_47_32, 0x0100,
		  "source_mac is no unicast address"),
		F(set_roce_address, roce_address.roce_version, 1,
		  "roce_version 1 is not advertised"),
		F(set_roce_address, roce_address.roce_l3_type, 2,
		  "roce_l3_type 2 does not go with roce_version 2"),
		F(set_roce_address, roce_address.roce_version, 0,
		  "roce_l3_type 1 does not go with roce_version 0"),
		F(set_roce_address, roce_address.roce_l3_type, 0,
		  "roce_l3_type 0, but the address is IPv6"),
		F(set_roce_address, roce_address.vlan_id, 5, "vlan_id 5 without vlan_valid"),
		F(set_roce_address, roce_address.vlan_id, 4095, "vlan_id 4095 is above 4094",
		  AND(set_roce_address, roce_address.vlan_valid, 1)),
		F(set_roce_address, roce_address.source_l3_address[0], 0,
		  "a MAC or VLAN without an address"),
	};
	static const struct wrong_row query[] = {
		F(query_roce_address, roce_address_index, 255,
		  "roce_address_index 255 is outside the table of 255", .status = PRM_STATUS_IX),
		F(query_roce_address, vhca_port_num, 2,
		  "vhca_port_num 2: by num_vhca_ports it is 0"),
	};
	struct prm_set_roce_address_in in = {};
	struct prm_query_roce_address_in ask = {};

	prm_set(&in, roce_address.source_l3_address[0], 0xfd);
	prm_set(&in, roce_address.source_mac_47_32, 0x02c4);
	prm_set(&in, roce_address.source_mac_31_0, 1);
	prm_set(&in, roce_address.roce_version, PRM_ROCE_V2);
	prm_set(&in, roce_address.roce_l3_type, PRM_ROCE_L3_IPV6);
	WRONG(&WRONG_CMD(set_roce_address, &in), set);
	WRONG(&WRONG_CMD(query_roce_address, &ask), query);
}

/* ---- registers of the port ---- */

#define REG_AT sizeof(struct prm_access_register_in)
#define R(reg, f, v, t, ...) FAT(REG_AT, reg##_reg, f, v, t, ##__VA_ARGS__)
#define WRITE AND(access_register, op_mod, 0)

static const struct wrong_row ptys_rows[] = {
	F(access_register, argument, 1, "argument is set (0x1), but no register takes one"),
	F(access_register, op_mod, 2, "op_mod 2 of ACCESS_REGISTER is unknown"),
	{ .field = "a truncated register", .in_len = REG_AT + 32,
	  .status = PRM_STATUS_BAD_INP_LEN, .text = "PTYS has 64 bytes, the input 48" },
	{ .field = "truncated output", .out_len = 64, .status = PRM_STATUS_BAD_OUTP_LEN,
	  .text = "PTYS has 64 bytes, the output 64" },
	R(ptys, local_port, 2, "local_port 2: there is only port 1"),
	R(ptys, proto_mask, 1, "proto_mask 1: the port is Ethernet", WRITE),
	R(ptys, ext_eth_proto_admin, 1,
	  "ext_eth_proto_admin is set (0x1), but extended link modes are not advertised", WRITE),
	R(ptys, eth_proto_admin, 1, "eth_proto_admin 0x1 is not within 0x*", WRITE),
};

static const struct wrong_row pfcc_rows[] = {
	R(pfcc, minor_stall_mask, 1,
	  "minor_stall_mask is set (0x1), but stall watermarks are not advertised", WRITE),
	R(pfcc, critical_stall_mask, 1,
	  "critical_stall_mask is set (0x1), but stall watermarks are not advertised", WRITE),
};

static const struct wrong_row ppcnt_rows[] = {
	R(ppcnt, clr, 1, "clr is set (0x1), but clearing is not advertised"),
	R(ppcnt, prio_tc, 8, "prio_tc 8 is above 7"),
	F(access_register, op_mod, 0, "PPCNT cannot be written"),
};

struct reg_case {
	uint16_t id;
	unsigned int bytes;
	const struct wrong_row *rows;
	unsigned int n;
};

#define REG_CASE(name, layout, rows)                                                    \
	{ PRM_REG_##name, sizeof(struct prm_##layout##_reg), rows,                      \
	  sizeof(rows) / sizeof((rows)[0]) }

static void wrong_registers(void)
{
	static const struct wrong_row paos[] = {
		R(paos, admin_status, 5, "admin_status 5 is neither up nor down", WRITE),
	};
	static const struct wrong_row pmtu[] = {
		R(pmtu, admin_mtu, 67, "admin_mtu 67 is not within 68 to 10000", WRITE),
	};
	static const struct wrong_row host[] = {
		R(host_endianness, he, 1,
		  "he is set (0x1), but only little-endian hosts are supported"),
		F(access_register, op_mod, 1, "HOST_ENDIANNESS cannot be read"),
	};
	static const struct wrong_row mcia[] = {
		R(mcia, module, 1, "module 1: there is only module 0"),
		R(mcia, l, 1, "l is set (0x1), but modules cannot be locked"),
		R(mcia, size, 49, "size 49 is not within 1 to 48"),
		R(mcia, device_address, 256,
		  "device_address 256 and size 1: a module has 256 bytes"),
		F(access_register, op_mod, 0, "MCIA cannot be written"),
	};
	const struct reg_case cases[] = {
		REG_CASE(PTYS, ptys, ptys_rows), REG_CASE(PFCC, pfcc, pfcc_rows),
		REG_CASE(PPCNT, ppcnt, ppcnt_rows), REG_CASE(PAOS, paos, paos),
		REG_CASE(PMTU, pmtu, pmtu), REG_CASE(HOST_ENDIANNESS, host_endianness, host),
		REG_CASE(MCIA, mcia, mcia),
	};
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct reg_case *k = &cases[i];
		struct { struct prm_access_register_in in; __be32 reg[128]; } b = {};
		struct wrong_cmd cmd = WRONG_CMD(access_register, &b);

		prm_set(&b.in, register_id, k->id);
		prm_set(&b.in, op_mod, k->id != PRM_REG_HOST_ENDIANNESS);
		if (k->id != PRM_REG_HOST_ENDIANNESS && k->id != PRM_REG_MCIA)
			prm_set((struct prm_ptys_reg *)b.reg, local_port, 1);
		if (k->id == PRM_REG_MCIA)
			prm_set((struct prm_mcia_reg *)b.reg, size, 1);
		if (k->id == PRM_REG_PTYS)
			prm_set((struct prm_ptys_reg *)b.reg, proto_mask, PRM_PTYS_ETH);
		if (k->id == PRM_REG_PAOS)
			prm_set((struct prm_paos_reg *)b.reg, ase, 1);
		if (k->id == PRM_REG_PPCNT)
			prm_set((struct prm_ppcnt_reg *)b.reg, grp, PRM_PPCNT_PER_PRIORITY);
		cmd.in_len = REG_AT + k->bytes;
		cmd.out_len = sizeof(struct prm_access_register_out) + k->bytes;
		wrong_rows(&cmd, k->rows, k->n);
	}
}

int main(int argc, char **argv)
{
	int status;

	(void)argc;
	ktap_plan(0);
	rig_open(argv[1]);
	wrong_tis();
	wrong_sq();
	wrong_rq();
	wrong_rqt();
	wrong_tir();
	wrong_destroy();
	wrong_vport();
	wrong_roce_address();
	wrong_registers();
	status = rig_close();
	ktap(status == 3, "exit status 3");
	return ktap_end();
}
