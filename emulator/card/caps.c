// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * What the cards advertise. A limit is defined in the header of the room that enforces it, or in
 * the object ranges of the card.
 */
#include <string.h>

#include "card/card.h"
#include "func/user.h"
#include "nic/nic.h"
#include "port/port.h"
#include "prm/caps.h"
#include "prm/obj.h"
#include "rdma/rdma.h"

#define ATOMIC_8B	(1u << 3)
#define ROCE_V1 0x01
#define ROCE_V2 0x04
#define L3_IPV4 0x2		/* bits of l3_type */
#define L3_IPV6 0x4

bool card_dcb, card_devx, card_memory_faults;

static uint8_t log2_floor(uint64_t n)
{
	uint8_t log = 0;

	while (n >>= 1)
		log++;
	return log;
}

/* Rounded up: of 2^24 numbers the card keeps some for itself. */
#define LOG_OBJS(card, type) log2_floor((card)->objs[type].count * 2ull - 1)

static void card_general_sizes(const struct card *card, struct prm_cmd_hca_cap *cap)
{
	prm_set(cap, log_max_qp, LOG_OBJS(card, OBJ_QP));
	prm_set(cap, log_max_qp_sz, 15);
	prm_set(cap, log_max_srq, LOG_OBJS(card, OBJ_SRQ));
	prm_set(cap, log_max_srq_sz, 15);
	prm_set(cap, log_max_cq, LOG_OBJS(card, OBJ_CQ));
	prm_set(cap, log_max_cq_sz, 22);
	prm_set(cap, log_max_eq, LOG_OBJS(card, OBJ_EQ));
	prm_set(cap, log_max_eq_sz, 22);
	prm_set(cap, log_max_mkey, LOG_OBJS(card, OBJ_MKEY));
	prm_set(cap, log_max_mrw_sz, 64);
	prm_set(cap, log_max_pd, LOG_OBJS(card, OBJ_PD));
	prm_set(cap, log_max_mcg, LOG_OBJS(card, OBJ_MCG));
	prm_set(cap, max_qp_mcg, MCG_QPS);
	prm_set(cap, log_max_xrcd, LOG_OBJS(card, OBJ_XRCD));
	prm_set(cap, log_max_transport_domain, LOG_OBJS(card, OBJ_TD));
	prm_set(cap, log_max_rq, LOG_OBJS(card, OBJ_RQ));
	prm_set(cap, log_max_sq, LOG_OBJS(card, OBJ_SQ));
	prm_set(cap, log_max_rmp, LOG_OBJS(card, OBJ_RMP));
	prm_set(cap, log_max_tir, LOG_OBJS(card, OBJ_TIR));
	prm_set(cap, log_max_tis, LOG_OBJS(card, OBJ_TIS));
	prm_set(cap, log_max_rqt, LOG_OBJS(card, OBJ_RQT));
	prm_set(cap, log_max_rqt_size, ETH_LOG_MAX_RQT_SIZE);
	prm_set(cap, log_max_ra_req_qp, LOG_RA_MAX);
	prm_set(cap, log_max_ra_res_qp, LOG_RA_MAX);
	prm_set(cap, log_max_msg, LOG_MSG_MAX);
	prm_set(cap, max_wqe_sz_sq, 1024);
	prm_set(cap, max_wqe_sz_rq, ETH_MAX_WQE_RQ);
	prm_set(cap, log_max_wq_sz, ETH_LOG_MAX_WQ_SZ);
	prm_set(cap, log_max_stride_sz_rq, 9);
	prm_set(cap, log_min_stride_sz_rq, 4);
	prm_set(cap, log_max_stride_sz_sq, 6);
	prm_set(cap, log_min_stride_sz_sq, 6);
	prm_set(cap, log_max_current_uc_list, ETH_LOG_MAX_UC_LIST);
	prm_set(cap, log_max_current_uc_list_wr_supported, 1);
	prm_set(cap, log_max_current_mc_list, ETH_LOG_MAX_MC_LIST);
	prm_set(cap, log_max_vlan_list, ETH_LOG_MAX_VLAN_LIST);
}

/* Drivers use DCB and LAG only with vport_group_manager. */
static void card_classes(const struct card *card, struct prm_cmd_hca_cap *cap)
{
	if (card->vf || !card_dcb)
		return;
	prm_set(cap, vport_group_manager, 1);
	prm_set(cap, qos, 1);
	prm_set(cap, ets, 1);
	prm_set(cap, max_tc, PRIORITIES);
	prm_set(cap, dcbx, 1);
	prm_set(cap, cc_modify_allowed, 1);
	prm_set(cap, qcam_reg, 1);
	prm_set(cap, sbcam_reg, 1);
	prm_set(cap, debug, 1);
}

static bool card_has_memory(const struct card *card)
{
	return card_devx && card->memic_at;
}

static bool card_paces(const struct card *card)
{
	return card_devx && !card->vf;
}

static void card_users(const struct card *card, struct prm_cmd_hca_cap *cap)
{
	if (!card_devx)
		return;
	prm_set(cap, log_max_uctx, LOG_OBJS(card, OBJ_UCTX));
	prm_set(cap, log_max_umem, LOG_OBJS(card, OBJ_UMEM));
	prm_set(cap, uctx_cap, PRM_UCTX_RAW_TX | PRM_UCTX_INTERNAL_DEV_RES);
	prm_set(cap, event_cap, 1);
	prm_set(cap, fixed_buffer_size, 1);
	prm_set(cap, rts2rts_qp_udp_sport, 1);
	prm_set(cap, dct, 1);
	prm_set(cap, log_max_ra_req_dc, LOG_RA_MAX);
	prm_set(cap, log_max_ra_res_dc, LOG_RA_MAX);
	prm_set(cap, max_wqe_sz_sq_dc, WQE_MAX);
	prm_set(cap, log_max_dci_stream_channels, DCI_LOG_STREAMS_MAX);
	prm_set(cap, log_max_dci_errored_streams, DCI_LOG_ERRORED_MAX);
	prm_set(cap, qpc_extension, 1);
	prm_set(cap, device_memory, card_has_memory(card));
	prm_set(cap, qos, card_paces(card) || prm_get(cap, qos));
	prm_set(cap, pg, 1);
	prm_set(cap, null_mkey, 1);
	prm_set(cap, umr_extended_translation_offset, 1);
	prm_set(cap, max_indirection, MKEY_MAX_INDIRECTION);
	prm_set(cap, striding_rq, 1);
	prm_set(cap, ext_stride_num_range, 1);
	prm_set(cap, mini_cqe_resp_stride_index, 1);
}

static void card_lag(const struct cxdev *dev, struct prm_cmd_hca_cap *cap)
{
	if (!lag_advertised(dev))
		return;
	prm_set(cap, vport_group_manager, 1);
	prm_set(cap, lag_master, 1);
	prm_set(cap, num_lag_ports, LAG_PORTS);
	prm_set(cap, lag_tx_port_affinity, 1);
	prm_set(cap, init2_lag_tx_port_affinity, 1);
	prm_set(cap, rts2rts_lag_tx_port_affinity, 1);
}

static void card_port_selection_general(const struct cxdev *dev, struct prm_cmd_hca_cap *cap)
{
	if (!port_select_advertised(dev))
		return;
	prm_set(cap, port_selection_cap, 1);
	prm_set64(cap, general_obj_types, 1ull << PRM_OBJ_MATCH_DEFINER);
	prm_set(cap, max_num_match_definer, dev->card->objs[OBJ_MATCH_DEFINER].count);
	prm_set64(cap, match_definer_format_supported, definer_formats());
}

/* The first row of the L2 table is the PF's own address. */
static void card_eswitch(const struct cxdev *dev, struct prm_cmd_hca_cap *cap)
{
	if (!eswitch_manager(dev))
		return;
	prm_set(cap, vport_group_manager, 1);
	prm_set(cap, eswitch_manager, 1);
	prm_set(cap, log_max_l2_table, L2_LOG_MAX);
}

static void card_vport_counters(const struct card *card, struct prm_cmd_hca_cap *cap)
{
	prm_set(cap, vport_counters, 1);
	prm_set(cap, nic_receive_steering_discard, 1);
	prm_set(cap, vnic_env_queue_counters, 1);
	prm_set(cap, eq_overrun_count, 1);
	prm_set(cap, invalid_command_count, 1);
	prm_set(cap, quota_exceeded_count, 1);
	prm_set(cap, vnic_env_cq_overrun, card->vnic_env_newer);
	prm_set(cap, vnic_env_int_rq_oob, card->vnic_env_newer);
	prm_set(cap, vnic_env_cnt_steering_fail, card->vnic_env_newer);
	prm_set(cap, eth_wqe_too_small, card->vnic_env_newer);
}

static void card_completions(struct prm_cmd_hca_cap *cap)
{
	prm_set(cap, cqe_version, 1);
	prm_set(cap, cqe_128_always, 1);
	prm_set(cap, cqe_compression, 1);
	prm_set(cap, cqe_compression_max_num, CQE_SESSION_MAX);
	prm_set(cap, cq_oi, 1);
	prm_set(cap, cq_moderation, 1);
	prm_set(cap, cq_resize, 1);
	prm_set(cap, cq_period_start_from_cqe, 1);
}

static void card_general(const struct cxdev *dev, struct prm_cmd_hca_cap *cap)
{
	const struct card *card = dev->card;

	card_general_sizes(card, cap);
	card_vport_counters(card, cap);
	card_completions(cap);
	prm_set(cap, vhca_id, dev->index);
	prm_set(cap, port_type, 1);
	prm_set(cap, num_ports, 1);
	prm_set(cap, native_port_num, dev->native_port);
	prm_set(cap, gid_table_size, 4);
	prm_set(cap, pkey_table_size, 0);
	prm_set(cap, local_ca_ack_delay, 16);
	prm_set(cap, eth_net_offloads, 1);
	prm_set(cap, nic_flow_table, 1);
	prm_set(cap, roce, !dev->roce_denied);
	prm_set(cap, vhca_resource_manager, !!dev->vfs);
	prm_set(cap, rc, 1);
	prm_set(cap, uc, 1);
	prm_set(cap, ud, 1);
	prm_set(cap, xrc, 1);
	prm_set(cap, atomic, 1);
	prm_set(cap, pkv, 1);
	prm_set(cap, qkv, 1);
	prm_set(cap, block_lb_mc, 1);
	prm_set(cap, max_flow_counter_15_0, 1 << 14);
	prm_set(cap, log_max_flow_counter_bulk, 10);
	prm_set(cap, max_qp_cnt, card->objs[OBJ_Q_COUNTER].count);
	prm_set(cap, rts2rts_qp_counters_set_id, 1);
	prm_set(cap, rts2rts_qp_dscp, 1);
	prm_set(cap, out_of_seq_cnt, 1);
	prm_set(cap, retransmission_q_counters, 1);
	prm_set(cap, enhanced_error_q_counters, 1);
	prm_set(cap, disable_local_lb_uc, 1);
	prm_set(cap, disable_local_lb_mc, 1);
	prm_set(cap, nic_vport_change_event, 1);
	prm_set(cap, imaicl, 1);
	prm_set(cap, umr_ptr_rlky, 1);
	prm_set(cap, log_max_klm_list_size, KLM_LOG_MAX);
	prm_set(cap, cmdif_checksum, 3);
	prm_set(cap, driver_version, 1);
	prm_set(cap, pcam_reg, 1);
	prm_set(cap, beacon_led, !card->vf);
	prm_set(cap, cc_query_allowed, 1);
	prm_set(cap, log_pg_sz, 12);
	prm_set(cap, bf, 1);
	prm_set(cap, log_bf_reg_size, 9);
	card_classes(card, cap);
	card_users(card, cap);
	card_lag(dev, cap);
	card_port_selection_general(dev, cap);
	card_eswitch(dev, cap);
	prm_set(cap, uar_sz, log2_floor(card->bar_bytes >> 20));
	prm_set(cap, num_of_uars_per_page, 1);
	prm_set(cap, device_frequency_mhz, card->clock_khz / 1000);
	prm_set(cap, device_frequency_khz, card->clock_khz);
}

/* Packets of such WQEs have their headers in memory. */
static bool card_has_mpw(const struct card *card)
{
	return card_devx && card->inline_mode == PRM_INLINE_MODE_NOT_REQUIRED;
}

static void card_eth(const struct card *card,
		     struct prm_per_protocol_networking_offload_caps *cap)
{
	prm_set(cap, multi_pkt_send_wqe, card_has_mpw(card));
	prm_set(cap, enhanced_multi_pkt_send_wqe, card_has_mpw(card));
	prm_set(cap, csum_cap, 1);
	prm_set(cap, vlan_cap, 1);
	prm_set(cap, max_lso_cap, ETH_LOG_MAX_LSO);
	prm_set(cap, wqe_inline_mode, card->inline_mode);
	prm_set(cap, wqe_vlan_insert, card->vlan_insert);
	prm_set(cap, rss_ind_tbl_cap, ETH_LOG_MAX_RQT_SIZE);
	prm_set(cap, self_lb_en_modifiable, 1);
	prm_set(cap, tunnel_stateless_gre, card->tunnels);
	prm_set(cap, tunnel_stateless_ip_over_ip, card->tunnels);
	/* the ports are those of the card, which its PF tells it */
	prm_set(cap, tunnel_stateless_vxlan, card->tunnels && !card->vf);
	prm_set(cap, max_vxlan_udp_ports, card->tunnels && !card->vf ? VXLAN_PORTS : 0);
}

static void card_roce(const struct card *card, struct prm_roce_cap *cap)
{
	prm_set(cap, l3_type, L3_IPV4 | L3_IPV6);
	prm_set(cap, roce_version, ROCE_V1 | ROCE_V2);
	prm_set(cap, r_roce_dest_udp_port, 4791);
	prm_set(cap, r_roce_min_src_udp_port, 0xc000);
	prm_set(cap, r_roce_max_src_udp_port, 0xffff);
	prm_set(cap, roce_address_table_size, card->roce_addrs);
	prm_set(cap, roce_cc_general, cong_general(card));
}

/* 8 bytes; the driver sets whether a requester gets the old value big-endian or in host order. */
static void card_atomic(struct prm_atomic_caps *cap)
{
	prm_set(cap, supported_atomic_req_8B_endianness_mode_1, 1);
	prm_set(cap, atomic_operations, PRM_ATOMIC_CMP_SWAP | PRM_ATOMIC_FETCH_ADD);
	prm_set(cap, atomic_size_qp, ATOMIC_8B);
	prm_set(cap, atomic_size_dc, card_devx ? ATOMIC_8B : 0);
}

/* All fields of the outer headers up to the L4 ports can be matched, with any mask. */
static void card_flow_fields(struct prm_flow_table_fields_supported *fields)
{
	prm_set(fields, outer_dmac, 1);
	prm_set(fields, outer_smac, 1);
	prm_set(fields, outer_ether_type, 1);
	prm_set(fields, outer_ip_version, 1);
	prm_set(fields, outer_first_prio, 1);
	prm_set(fields, outer_first_cfi, 1);
	prm_set(fields, outer_first_vid, 1);
	prm_set(fields, outer_ipv4_ttl, 1);
	prm_set(fields, outer_sip, 1);
	prm_set(fields, outer_dip, 1);
	prm_set(fields, outer_frag, 1);
	prm_set(fields, outer_ip_protocol, 1);
	prm_set(fields, outer_ip_ecn, 1);
	prm_set(fields, outer_ip_dscp, 1);
	prm_set(fields, outer_udp_sport, 1);
	prm_set(fields, outer_udp_dport, 1);
	prm_set(fields, outer_tcp_sport, 1);
	prm_set(fields, outer_tcp_dport, 1);
	prm_set(fields, outer_tcp_flags, 1);
}

/* What tables of all types support. */
static void card_flow_tables(struct prm_flow_table_prop_layout *cap)
{
	prm_set(cap, ft_support, 1);
	prm_set(cap, flow_modify_en, 1);
	prm_set(cap, modify_root, 1);
	prm_set(cap, identified_miss_table_mode, 1);
	prm_set(cap, flow_table_modify, 1);
	prm_set(cap, log_max_ft_size, FLOW_LOG_MAX_SIZE);
	prm_set(cap, max_ft_level, FLOW_MAX_LEVEL);
	prm_set(cap, log_max_ft_num, 10);
	prm_set(cap, log_max_flow, 20);
	card_flow_fields(prm_sub(cap, ft_field_support, flow_table_fields_supported));
	card_flow_fields(prm_sub(cap, ft_field_bitmask_support, flow_table_fields_supported));
}

static void card_counting_tables(struct prm_flow_table_prop_layout *cap)
{
	card_flow_tables(cap);
	prm_set(cap, flow_counter, 1);
	prm_set(cap, log_max_flow_counter, 14);
}

/* Tables of RoCE packets, which match the opcode too. */
static void card_rdma_tables(struct prm_flow_table_nic_cap *nic)
{
	struct prm_flow_table_prop_layout *const tables[] = {
		prm_sub(nic, flow_table_properties_nic_receive_rdma, flow_table_prop_layout),
		prm_sub(nic, flow_table_properties_nic_transmit_rdma, flow_table_prop_layout),
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tables); i++)
		card_counting_tables(tables[i]);
	prm_set(tables[0], table_miss_action_domain, 1);
	prm_set(nic, ft_field_support_2_nic_receive_rdma.bth_opcode, 1);
	prm_set(nic, ft_field_support_2_nic_transmit_rdma.bth_opcode, 1);
}

static void card_flow(const struct card *card, struct prm_flow_table_nic_cap *nic)
{
	struct prm_flow_table_prop_layout *cap =
		prm_sub(nic, flow_table_properties_nic_receive, flow_table_prop_layout);

	prm_set(nic, nic_rx_multi_path_tirs, 1);
	prm_set(nic, nic_rx_multi_path_tirs_fts, 1);
	card_counting_tables(cap);
	prm_set(cap, log_max_destination, 6);
	prm_set(cap, ft_field_support.inner_ip_version, card->tunnels);
	prm_set(cap, ft_field_support.inner_ip_protocol, card->tunnels);
	prm_set(cap, ft_field_bitmask_support.inner_ip_version, card->tunnels);
	prm_set(cap, ft_field_bitmask_support.inner_ip_protocol, card->tunnels);
	if (card->rdma_tables)
		card_rdma_tables(nic);
}

/* The FDB knows where a frame comes from; ACLs, which have none of it, are for one vport each. */
static void card_fdb(struct prm_flow_table_eswitch_cap *cap)
{
	struct prm_flow_table_prop_layout *fdb =
		prm_sub(cap, flow_table_properties_nic_esw_fdb, flow_table_prop_layout);
	struct prm_flow_table_prop_layout *ingress =
		prm_sub(cap, flow_table_properties_esw_acl_ingress, flow_table_prop_layout);
	struct prm_flow_table_prop_layout *egress =
		prm_sub(cap, flow_table_properties_esw_acl_egress, flow_table_prop_layout);

	card_counting_tables(fdb);
	prm_set(fdb, log_max_destination, 6);
	prm_set(fdb, ft_field_support.source_eswitch_port, 1);
	prm_set(fdb, ft_field_bitmask_support.source_eswitch_port, 1);
	card_counting_tables(ingress);
	card_counting_tables(egress);
}

static void card_vport_contexts(struct prm_e_switch_cap *cap)
{
	prm_set(cap, vport_cvlan_strip, 1);
	prm_set(cap, vport_cvlan_insert_if_not_exist, 1);
	prm_set(cap, nic_vport_node_guid_modify, 1);
}

/* Rates of priorities are set by QETCR alone. */
static void card_rates(const struct card *card, struct prm_qos_cap *cap)
{
	if (!card_paces(card))
		return;
	prm_set(cap, packet_pacing, 1);
	prm_set(cap, packet_pacing_burst_bound, 1);
	prm_set(cap, packet_pacing_typical_size, 1);
	prm_set(cap, packet_pacing_uid, 1);
	prm_set(cap, packet_pacing_min_rate, PP_MIN_KBPS);
	prm_set(cap, packet_pacing_max_rate, PP_MAX_KBPS);
	prm_set(cap, packet_pacing_rate_table_size, PP_RATES);
}

/* Operations of one byte */
static void card_memory(const struct card *card, struct prm_device_mem_cap *cap)
{
	prm_set(cap, memic, 1);
	prm_set(cap, increment_size_sup, 1);
	prm_set(cap, test_and_set_size_sup, 1);
	prm_set(cap, log_min_memic_alloc_size, log2_floor(PRM_MEMIC_UNIT));
	prm_set(cap, log_max_memic_addr_alignment, MEMIC_LOG_MAX_ALIGN);
	prm_set64(cap, memic_bar_start_addr, card->memic_at);
	prm_set(cap, memic_bar_size, MEMIC_BYTES);
	prm_set(cap, max_memic_size, MEMIC_BYTES);
	prm_set(cap, memic_operations, 1 << PRM_MEMIC_INCREMENT | 1 << PRM_MEMIC_TEST_AND_SET);
}

static void card_events(struct prm_device_event_cap *cap)
{
	prm_set64(cap, user_affiliated_events[0], USER_EVENTS_OF_QUEUES);
	prm_set64(cap, user_unaffiliated_events[0], USER_EVENTS_OF_PORT);
}

/* What raises page faults if the driver asks for nothing. */
static void card_faults(struct prm_odp_scheme_cap *cap)
{
	prm_set(cap, rc_odp_caps.send, 1);
	prm_set(cap, rc_odp_caps.receive, 1);
	prm_set(cap, rc_odp_caps.write, 1);
	prm_set(cap, rc_odp_caps.read, 1);
	prm_set(cap, rc_odp_caps.atomic, 1);
	prm_set(cap, ud_odp_caps.send, 1);
}

/* XRC and DC receive in shared queues alone. */
static void card_faults_max(struct prm_odp_scheme_cap *cap)
{
	prm_set(cap, rc_odp_caps.srq_receive, 1);
	prm_set(cap, xrc_odp_caps.send, 1);
	prm_set(cap, xrc_odp_caps.write, 1);
	prm_set(cap, xrc_odp_caps.read, 1);
	prm_set(cap, xrc_odp_caps.atomic, 1);
	prm_set(cap, xrc_odp_caps.srq_receive, 1);
	prm_set(cap, dc_odp_caps.send, 1);
	prm_set(cap, dc_odp_caps.write, 1);
	prm_set(cap, dc_odp_caps.read, 1);
	prm_set(cap, dc_odp_caps.atomic, 1);
	prm_set(cap, dc_odp_caps.srq_receive, 1);
}

/* Drivers ask for the memory scheme, but not for what of it raises page faults. */
static void card_odp(struct prm_odp_cap *cap)
{
	struct prm_odp_scheme_cap *memory =
		prm_sub(cap, memory_page_fault_scheme_cap, odp_scheme_cap);

	card_faults(prm_sub(cap, transport_page_fault_scheme_cap, odp_scheme_cap));
	if (!card_memory_faults)
		return;
	card_faults(memory);
	card_faults_max(memory);
	prm_set(memory, page_prefetch, 1);
}

static void card_odp_max(struct prm_odp_cap *cap)
{
	card_faults_max(prm_sub(cap, transport_page_fault_scheme_cap, odp_scheme_cap));
	prm_set(cap, mem_page_fault, card_memory_faults);
}

static void card_port_selection(struct prm_port_selection_cap *cap)
{
	prm_set(cap, port_select_flow_table, 1);
	card_flow_tables(prm_sub(cap, flow_table_properties_port_selection,
				 flow_table_prop_layout));
}

/* What drivers can switch on or raise. */
static void raise_maxima(unsigned int type, void *max)
{
	if (type == CAP_GENERAL) {
		prm_set((struct prm_cmd_hca_cap *)max, uar_4k, 1);
		prm_set((struct prm_cmd_hca_cap *)max, log_max_current_uc_list,
			ETH_LOG_MOST_UC_LIST);
	} else if (type == CAP_ODP) {
		card_odp_max(max);
	} else if (type == CAP_ROCE) {
		prm_set((struct prm_roce_cap *)max, sw_r_roce_src_udp_port, 1);
	} else if (type == CAP_PORT_SELECTION) {
		prm_set((struct prm_port_selection_cap *)max, port_select_flow_table_bypass, 1);
	}
}

/* Pages of cards with user contexts. */
static int card_fill_users(const struct cxdev *dev, unsigned int type, void *cur)
{
	if (!card_devx || (type == CAP_DEVICE_MEM && !card_has_memory(dev->card)))
		return -1;
	if (type == CAP_ODP)
		card_odp(cur);
	else if (type == CAP_DEVICE_MEM)
		card_memory(dev->card, cur);
	else
		card_events(cur);
	return 0;
}

int card_fill_caps(const struct cxdev *dev, unsigned int type, void *cur, void *max)
{
	switch (type) {
	case CAP_GENERAL:
		card_general(dev, cur);
		break;
	case CAP_ETH:
		card_eth(dev->card, cur);
		break;
	case CAP_ATOMIC:
		card_atomic(cur);
		break;
	case CAP_ROCE:
		if (dev->roce_denied)
			return -1;
		card_roce(dev->card, cur);
		break;
	case CAP_FLOW_NIC:
		card_flow(dev->card, cur);
		break;
	case CAP_FLOW_ESW:	/* with the capability eswitch_manager alone: no tables */
		if (eswitch_manager(dev))
			card_fdb(cur);
		break;
	case CAP_ESW:
		if (eswitch_manager(dev))
			card_vport_contexts(cur);
		break;
	case CAP_QOS:
		if (dev->card->vf || (!card_dcb && !card_devx))
			return -1;
		card_rates(dev->card, cur);
		break;
	case CAP_DEBUG:
		if (dev->card->vf || !card_dcb)
			return -1;
		prm_set((struct prm_debug_cap *)cur, stall_detect, 1);
		break;
	case CAP_ODP:
	case CAP_DEVICE_MEM:
	case CAP_EVENT:
		if (card_fill_users(dev, type, cur))
			return -1;
		break;
	case CAP_PORT_SELECTION:
		if (!port_select_advertised(dev))
			return -1;
		card_port_selection(cur);
		break;
	default:
		return -1;
	}
	memcpy(max, cur, CAP_BYTES);
	raise_maxima(type, max);
	return 0;
}
