// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/errno.h>
#include <linux/types.h>
#include "prm/definer.h"
#include "prm/qp.h"
#include "prm/tunnel.h"
#include "../policy/dcb.h"
#include "caps.h"
#include "counter.h"

#define CQE_VERSION_MAX	1
#define BAR_REGISTERS	0x4000	/* at its start */
#define LOG_KLM_LIST_MAX 16	/* the octword count of a UMR WQE has 16 bits */

static u8 at_most(u32 value, u8 max)
{
	return value < max ? value : max;
}

static void decode_limits(const struct prm_cmd_hca_cap *cap, struct cxr_caps *caps)
{
	caps->num_ports = prm_get(cap, num_ports);
	caps->eth = prm_get(cap, port_type) == PRM_PORT_TYPE_ETH;
	caps->log_max_qp = prm_get(cap, log_max_qp);
	caps->log_max_qp_sz = prm_get(cap, log_max_qp_sz);
	caps->log_max_cq = prm_get(cap, log_max_cq);
	caps->log_max_cq_sz = prm_get(cap, log_max_cq_sz);
	caps->log_max_eq = prm_get(cap, log_max_eq);
	caps->log_max_eq_sz = prm_get(cap, log_max_eq_sz);
	caps->log_max_srq = prm_get(cap, log_max_srq);
	caps->log_max_srq_sz = prm_get(cap, log_max_srq_sz);
	caps->log_max_uctx = prm_get(cap, log_max_uctx);
	caps->uctx_cap = prm_get(cap, uctx_cap);
	caps->event_cap = prm_get(cap, event_cap);
	caps->log_max_pd = prm_get(cap, log_max_pd);
	caps->log_max_mkey = prm_get(cap, log_max_mkey);
	caps->cqe_zip = prm_get(cap, cqe_compression);
	caps->cqe_zip_128 = prm_get(cap, cqe_compression_128);
	caps->cqe_zip_stride = prm_get(cap, mini_cqe_resp_stride_index);
	caps->striding_rq = prm_get(cap, striding_rq);
	caps->few_strides = prm_get(cap, ext_stride_num_range);
	caps->cqe_zip_max = prm_get(cap, cqe_compression_max_num);
	caps->cqe_padding = prm_get(cap, cqe_128_always);
	caps->static_rates = prm_get(cap, stat_rate_support);
	caps->bad_pkey_counter = prm_get(cap, pkv);
	caps->bad_qkey_counter = prm_get(cap, qkv);
	caps->log_max_msg = prm_get(cap, log_max_msg);
	caps->log_max_ra_req_qp = prm_get(cap, log_max_ra_req_qp);
	caps->log_max_ra_res_qp = prm_get(cap, log_max_ra_res_qp);
	caps->log_max_xrcd = prm_get(cap, log_max_xrcd);
	caps->log_max_mcg = prm_get(cap, log_max_mcg);
	caps->log_pg_sz = prm_get(cap, log_pg_sz);
	caps->max_wqe_sz_sq = prm_get(cap, max_wqe_sz_sq);
	caps->max_wqe_sz_rq = prm_get(cap, max_wqe_sz_rq);
	caps->max_sgl_for_optimized_performance = prm_get(cap, max_sgl_for_optimized_performance);
	caps->max_qp_mcg = prm_get(cap, max_qp_mcg);
	caps->log_max_current_mc_list = prm_get(cap, log_max_current_mc_list);
	caps->log_max_current_uc_list = prm_get(cap, log_max_current_uc_list);
	caps->log_max_vlan_list = prm_get(cap, log_max_vlan_list);
	caps->log_max_rq = prm_get(cap, log_max_rq);
	caps->log_max_sq = prm_get(cap, log_max_sq);
	caps->log_max_tir = prm_get(cap, log_max_tir);
	caps->log_max_tis = prm_get(cap, log_max_tis);
	caps->log_max_rqt = prm_get(cap, log_max_rqt);
	caps->log_max_rqt_size = prm_get(cap, log_max_rqt_size);
	caps->log_max_wq_sz = prm_get(cap, log_max_wq_sz);
}

static void decode_dc(const struct prm_cmd_hca_cap *cap, struct cxr_caps *caps)
{
	caps->dct = prm_get(cap, dct);
	caps->lag_dct = prm_get(cap, lag_dct);
	caps->ece = prm_get(cap, ece_support);
	caps->dc_scatter_32 = prm_get(cap, dc_req_scat_data_cqe);
	caps->dc_streams.channels = prm_get(cap, log_max_dci_stream_channels);
	caps->dc_streams.errored = prm_get(cap, log_max_dci_errored_streams);
	caps->log_max_ra_res_dc = prm_get(cap, log_max_ra_res_dc);
}

/* Keys with and without pages are changed by UMR; one of gigabytes also refers to others. */
static void decode_paging(const struct prm_cmd_hca_cap *cap, struct cxr_caps *caps)
{
	caps->odp = prm_get(cap, pg) && !caps->umr_modify_entity_size_disabled;
	caps->odp_implicit = caps->odp && caps->fixed_buffer_size && prm_get(cap, null_mkey) &&
			     caps->umr_extended_translation_offset &&
			     !prm_get(cap, umr_indirect_mkey_disabled);
	caps->max_indirection = prm_get(cap, max_indirection);
}

/* log_max_eq is the limit of the card; a function can have fewer. */
static void decode_eqs(const struct prm_cmd_hca_cap *cap, struct cxr_caps *caps)
{
	caps->page_requests = !prm_get(cap, page_request_disable);
	caps->max_eqs = prm_get(cap, max_num_eqs);
	if (!caps->max_eqs)
		caps->max_eqs = 1U << prm_get(cap, log_max_eq);
}

void cxr_caps_decode_hca_2(const struct prm_cmd_hca_cap_2 *cap, struct cxr_caps *caps)
{
	u32 max_eqs = prm_get(cap, max_num_eqs_24b);

	if (max_eqs)
		caps->max_eqs = max_eqs;
}

static void decode_counters(const struct prm_cmd_hca_cap *cap, struct cxr_caps *caps)
{
	caps->vport_counters = prm_get(cap, vport_counters);
	caps->vnic_counters = cxr_vnic_counters_present(cap);
	caps->num_q_counters = prm_get(cap, max_qp_cnt);
	caps->rts2rts_counter_set = prm_get(cap, rts2rts_qp_counters_set_id);
	caps->rts2rts_dscp = prm_get(cap, rts2rts_qp_dscp);
	caps->out_of_seq_cnt = prm_get(cap, out_of_seq_cnt);
	caps->retransmission_q_counters = prm_get(cap, retransmission_q_counters);
	caps->enhanced_error_q_counters = prm_get(cap, enhanced_error_q_counters);
	caps->roce_accl = prm_get(cap, roce_accl);
	caps->cc_query_allowed = prm_get(cap, cc_query_allowed);
	caps->cc_params = caps->cc_query_allowed && prm_get(cap, cc_modify_allowed);
	caps->pcam_reg = prm_get(cap, pcam_reg);
	caps->beacon_led = prm_get(cap, beacon_led);
}

static void decode_dcb(const struct prm_cmd_hca_cap *cap, struct cxr_caps *caps)
{
	u32 n_tcs = prm_get(cap, max_tc);

	caps->port_owner = prm_get(cap, vport_group_manager);
	caps->qos = prm_get(cap, qos);
	caps->dcb = caps->port_owner && caps->qos;
	caps->ets = caps->dcb && prm_get(cap, ets);
	caps->dcbx = caps->dcb && prm_get(cap, dcbx);
	caps->qcam_reg = prm_get(cap, qcam_reg);
	caps->sbcam_reg = caps->dcb && prm_get(cap, sbcam_reg);
	caps->n_tcs = n_tcs ? at_most(n_tcs, CXR_TCS) : CXR_TCS;
}

/* Match definers, which select the fields to hash, for IPv4, IPv6 and other packets. */
static bool has_definers(const struct prm_cmd_hca_cap *cap)
{
	u64 formats = 1ull << PRM_DEFINER_L2 | 1ull << PRM_DEFINER_IPV4 |
		      1ull << PRM_DEFINER_IPV6_L4;

	return prm_get64(cap, general_obj_types) & 1ull << PRM_OBJ_MATCH_DEFINER &&
	       (prm_get64(cap, match_definer_format_supported) & formats) == formats;
}

/* Only the vport group manager can create a LAG. */
static void decode_lag(const struct prm_cmd_hca_cap *cap, struct cxr_caps *caps)
{
	caps->native_port = prm_get(cap, native_port_num);
	caps->lag = caps->port_owner && prm_get(cap, lag_master) &&
		    prm_get(cap, lag_tx_port_affinity) && prm_get(cap, num_lag_ports) == 2 &&
		    caps->native_port >= 1 && caps->native_port <= 2;
	caps->lag_affinity_rtr = caps->lag && prm_get(cap, init2_lag_tx_port_affinity);
	caps->lag_hash = caps->lag && prm_get(cap, port_selection_cap) && has_definers(cap);
	caps->vhca_id = prm_get(cap, vhca_id);
}

void cxr_caps_decode_hca(const struct prm_cmd_hca_cap *cap, struct cxr_caps *caps)
{
	u32 log_pkeys;

	decode_limits(cap, caps);
	decode_dc(cap, caps);
	decode_eqs(cap, caps);
	caps->cqe_version = at_most(prm_get(cap, cqe_version), CQE_VERSION_MAX);
	caps->uar_4k = prm_get(cap, uar_4k);
	caps->bf = prm_get(cap, bf);
	caps->log_bf_reg_size = caps->bf ? prm_get(cap, log_bf_reg_size) : 0;
	caps->atomic = prm_get(cap, atomic);
	caps->apu = prm_get(cap, apu);
	caps->xrc = prm_get(cap, xrc);
	caps->rc = prm_get(cap, rc);
	caps->uc = prm_get(cap, uc);
	caps->ud = prm_get(cap, ud);
	caps->block_lb_mc = prm_get(cap, block_lb_mc);
	caps->cq_moderation = prm_get(cap, cq_moderation);
	caps->cq_oi = prm_get(cap, cq_oi);
	caps->cq_resize = prm_get(cap, cq_resize);
	caps->scatter_to_cqe = prm_get(cap, sctr_data_cqe);
	caps->umr_extended_translation_offset = prm_get(cap, umr_extended_translation_offset);
	caps->umr_modify_entity_size_disabled = prm_get(cap, umr_modify_entity_size_disabled);
	caps->umr_modify_atomic_disabled = prm_get(cap, umr_modify_atomic_disabled);
	caps->fixed_buffer_size = prm_get(cap, fixed_buffer_size);
	caps->imaicl = prm_get(cap, imaicl);
	caps->log_max_klm_list_size = at_most(prm_get(cap, log_max_klm_list_size),
					      LOG_KLM_LIST_MAX);
	caps->umr_fence = prm_get(cap, umr_fence);
	/* 128 << n entries; 0 for a value out of range, refused by cxr_caps_check() */
	log_pkeys = prm_get(cap, pkey_table_size);
	caps->pkey_table_size = log_pkeys <= 5 ? 128U << log_pkeys : 0;
	caps->local_ca_ack_delay = prm_get(cap, local_ca_ack_delay);
	caps->device_frequency_khz = prm_get(cap, device_frequency_khz);
	caps->eswitch_manager = prm_get(cap, eswitch_manager);
	caps->vf_caps = prm_get(cap, vhca_resource_manager);
	caps->l2_entries = caps->eswitch_manager && prm_get(cap, log_max_l2_table) ?
			   1U << prm_get(cap, log_max_l2_table) : 0;
	caps->eth_net_offloads = prm_get(cap, eth_net_offloads);
	caps->uplink_follow = caps->eswitch_manager && prm_get(cap, uplink_follow);
	caps->nic_flow_table = prm_get(cap, nic_flow_table);
	caps->num_vhca_ports = prm_get(cap, num_vhca_ports);
	caps->vport_lb_uc = prm_get(cap, disable_local_lb_uc);
	caps->vport_lb_mc = prm_get(cap, disable_local_lb_mc);
	caps->sq_free_running = prm_get(cap, sq_ts_format) != PRM_TS_CAP_REAL_TIME;
	caps->terminate_lkey = prm_get(cap, terminate_scatter_list_mkey);
	caps->rq_free_running = prm_get(cap, rq_ts_format) != PRM_TS_CAP_REAL_TIME;
	/* without RoCE there is no other word on QPs */
	caps->qp_free_running = caps->sq_free_running;
	decode_counters(cap, caps);
	decode_dcb(cap, caps);
	decode_lag(cap, caps);
	decode_paging(cap, caps);
	caps->roce.roce = prm_get(cap, roce);
}

static void decode_tunnels(const struct prm_per_protocol_networking_offload_caps *cap,
			   struct cxr_caps *caps)
{
	u32 ip = prm_get(cap, tunnel_stateless_ip_over_ip);

	caps->tunnel_vxlan = prm_get(cap, tunnel_stateless_vxlan);
	caps->vxlan_ports = prm_get(cap, max_vxlan_udp_ports);
	if (!caps->vxlan_ports)
		caps->vxlan_ports = PRM_VXLAN_PORTS_DEFAULT;
	caps->tunnel_gre = prm_get(cap, tunnel_stateless_gre);
	caps->tunnel_geneve_rx = prm_get(cap, tunnel_stateless_geneve_rx);
	caps->tunnel_mpls_gre = prm_get(cap, tunnel_stateless_mpls_over_gre);
	caps->tunnel_mpls_udp = prm_get(cap, tunnel_stateless_mpls_over_udp);
	caps->tunnel_ip = ip || prm_get(cap, tunnel_stateless_ip_over_ip_tx);
	caps->tunnel_ip_rx = ip || prm_get(cap, tunnel_stateless_ip_over_ip_rx);
}

void cxr_caps_decode_eth(const struct prm_per_protocol_networking_offload_caps *cap,
			 struct cxr_caps *caps)
{
	u32 log_lso = prm_get(cap, max_lso_cap);
	u32 log_rss = prm_get(cap, rss_ind_tbl_cap);

	caps->csum = prm_get(cap, csum_cap);
	caps->vlan = prm_get(cap, vlan_cap);
	caps->lso = log_lso != 0;
	caps->max_lso = log_lso ? 1U << log_lso : 0;
	caps->rss = log_rss != 0;
	caps->rss_ind_tbl_max = 1U << log_rss;
	caps->self_lb_en_modifiable = prm_get(cap, self_lb_en_modifiable);
	caps->mpw = prm_get(cap, multi_pkt_send_wqe);
	caps->enhanced_mpw = prm_get(cap, enhanced_multi_pkt_send_wqe);
	caps->wqe_inline_mode = prm_get(cap, wqe_inline_mode);
	decode_tunnels(cap, caps);
}

/* One table of four entries, which can be made the first one, and counts. */
static bool counts_roce(const struct prm_flow_table_prop_layout *tables)
{
	return prm_get(tables, ft_support) && prm_get(tables, flow_counter) &&
	       prm_get(tables, modify_root) && prm_get(tables, log_max_ft_size) >= 2 &&
	       prm_get(tables, max_ft_level);
}

static void decode_rdma_tables(const struct prm_flow_table_nic_cap *cap, struct cxr_caps *caps)
{
	const struct prm_flow_table_prop_layout *rx =
		prm_sub_const(cap, flow_table_properties_nic_receive_rdma, flow_table_prop_layout);
	const struct prm_flow_table_prop_layout *tx =
		prm_sub_const(cap, flow_table_properties_nic_transmit_rdma, flow_table_prop_layout);
	const struct prm_flow_table_fields_supported *fields =
		prm_sub_const(rx, ft_field_support, flow_table_fields_supported);

	caps->count_rx_ce = counts_roce(rx) && prm_get(fields, outer_ip_version) &&
			    prm_get(fields, outer_ip_ecn);
	caps->count_rx_cnp = counts_roce(rx) &&
			     prm_get(cap, ft_field_support_2_nic_receive_rdma.bth_opcode);
	caps->count_tx_cnp = counts_roce(tx) &&
			     prm_get(cap, ft_field_support_2_nic_transmit_rdma.bth_opcode);
}

void cxr_caps_decode_flow(const struct prm_flow_table_nic_cap *cap, struct cxr_caps *caps)
{
	const struct prm_flow_table_prop_layout *rx =
		prm_sub_const(cap, flow_table_properties_nic_receive, flow_table_prop_layout);

	decode_rdma_tables(cap, caps);

	if (!prm_get(rx, ft_support)) {
		caps->ft_log_max_size = 0;
		caps->ft_max_level = 0;
		caps->flow_rules = false;
		caps->ft_counters = false;
		caps->ft_inner = false;
		return;
	}
	caps->ft_log_max_size = prm_get(rx, log_max_ft_size);
	caps->ft_max_level = prm_get(rx, max_ft_level);
	caps->flow_rules = prm_get(rx, flow_modify_en) && prm_get(rx, modify_root) &&
			   prm_get(rx, identified_miss_table_mode) &&
			   prm_get(rx, flow_table_modify);
	caps->ft_counters = prm_get(rx, flow_counter);
	caps->ft_inner = prm_get(rx, ft_field_support.inner_ip_version) &&
			 prm_get(rx, ft_field_support.inner_ip_protocol);
	cxr_flow_decode_caps(prm_sub_const(rx, ft_field_support, flow_table_fields_supported),
			     &caps->ft_match);
}

void cxr_caps_decode_events(const struct prm_device_event_cap *cap, struct cxr_caps *caps)
{
	struct cxr_devx_events *events = &caps->user_events;

	static_assert(CXR_DEVX_EVENT_WORDS == 4);
	events->affiliated[0] = prm_get64(cap, user_affiliated_events[0]);
	events->affiliated[1] = prm_get64(cap, user_affiliated_events[1]);
	events->affiliated[2] = prm_get64(cap, user_affiliated_events[2]);
	events->affiliated[3] = prm_get64(cap, user_affiliated_events[3]);
	events->unaffiliated[0] = prm_get64(cap, user_unaffiliated_events[0]);
	events->unaffiliated[1] = prm_get64(cap, user_unaffiliated_events[1]);
	events->unaffiliated[2] = prm_get64(cap, user_unaffiliated_events[2]);
	events->unaffiliated[3] = prm_get64(cap, user_unaffiliated_events[3]);
}

/*
 * With extended operations the mode says how large the operands may be; else there are those of
 * InfiniBand, of 8 bytes. As the in-tree driver has it.
 */
static u8 dc_atomic_mode(const struct prm_atomic_caps *cap)
{
	u32 both = PRM_ATOMIC_CMP_SWAP | PRM_ATOMIC_FETCH_ADD;
	u32 operations = prm_get(cap, atomic_operations);
	u32 sizes = prm_get(cap, atomic_size_dc);
	u8 log = PRM_ATOMIC_LOG_SIZE_MAX;

	if (operations & (PRM_ATOMIC_EXT_CMP_SWAP | PRM_ATOMIC_EXT_FETCH_ADD)) {
		while (log > PRM_QP_ATOMIC_8B && !(sizes & 1u << log))
			log--;
		if (sizes & ((2u << PRM_ATOMIC_LOG_SIZE_MAX) - 1))
			return log;
	}
	return (operations & both) == both ? PRM_QP_ATOMIC_IB : PRM_QP_ATOMIC_NONE;
}

void cxr_caps_decode_qos(const struct prm_qos_cap *cap, struct cxr_caps *caps)
{
	u16 entries = prm_get(cap, packet_pacing_rate_table_size);

	if (!prm_get(cap, packet_pacing) || entries < 2)
		return;
	caps->rates.n = entries - 1;
	caps->rates.min = prm_get(cap, packet_pacing_min_rate);
	caps->rates.max = prm_get(cap, packet_pacing_max_rate);
	caps->rates.burst = prm_get(cap, packet_pacing_burst_bound);
	caps->rates.typical = prm_get(cap, packet_pacing_typical_size);
	caps->rate_uid = prm_get(cap, packet_pacing_uid);
}

static u8 faults_of(const struct prm_odp_per_transport_service_cap *cap)
{
	return (prm_get(cap, send) ? CXR_ODP_SEND : 0) |
	       (prm_get(cap, receive) ? CXR_ODP_RECV : 0) |
	       (prm_get(cap, write) ? CXR_ODP_WRITE : 0) |
	       (prm_get(cap, read) ? CXR_ODP_READ : 0) |
	       (prm_get(cap, atomic) ? CXR_ODP_ATOMIC : 0) |
	       (prm_get(cap, srq_receive) ? CXR_ODP_SRQ_RECV : 0);
}

void cxr_caps_decode_odp(const struct prm_odp_cap *cap, struct cxr_caps *caps)
{
	const struct prm_odp_scheme_cap *scheme =
		prm_sub_const(cap, transport_page_fault_scheme_cap, odp_scheme_cap);

	caps->odp_memory = prm_get(cap, mem_page_fault);
	if (caps->odp_memory)
		scheme = prm_sub_const(cap, memory_page_fault_scheme_cap, odp_scheme_cap);
	caps->odp_rc = faults_of(prm_sub_const(scheme, rc_odp_caps, odp_per_transport_service_cap));
	caps->odp_ud = faults_of(prm_sub_const(scheme, ud_odp_caps, odp_per_transport_service_cap));
	caps->odp_ud &= CXR_ODP_SEND | CXR_ODP_SRQ_RECV;	/* no more is known, as in-tree */
	caps->odp_xrc = faults_of(prm_sub_const(scheme, xrc_odp_caps,
						odp_per_transport_service_cap));
}

void cxr_caps_decode_memic(const struct prm_device_mem_cap *cap, struct cxr_caps *caps)
{
	if (!prm_get(cap, memic))
		return;
	caps->memic_start = prm_get64(cap, memic_bar_start_addr);
	caps->memic_size = prm_get(cap, memic_bar_size);
	caps->memic_max = prm_get(cap, max_memic_size);
	caps->memic_log_align = prm_get(cap, log_max_memic_addr_alignment);
	caps->memic_ops = prm_get(cap, memic_operations);
}

bool cxr_caps_memic_within(u64 start, u64 len, u64 bar)
{
	return start >= BAR_REGISTERS && start <= bar && len <= bar - start;
}

bool cxr_caps_check_memic(struct cxr_caps *caps, u64 bar, u32 page)
{
	if (caps->memic_size >= page && !(caps->memic_start & (page - 1)) &&
	    cxr_caps_memic_within(caps->memic_start, caps->memic_size, bar) &&
	    caps->memic_log_align < 32)
		return true;
	caps->memic_size = 0;
	caps->memic_max = 0;
	return false;
}

void cxr_caps_decode_atomic(const struct prm_atomic_caps *cap, struct cxr_caps *caps)
{
	u32 both = PRM_ATOMIC_CMP_SWAP | PRM_ATOMIC_FETCH_ADD;

	caps->dc_atomic_mode = dc_atomic_mode(cap);
	caps->atomic = (prm_get(cap, atomic_operations) & both) == both &&
		       prm_get(cap, atomic_size_qp) & PRM_ATOMIC_SIZE_8 &&
		       prm_get(cap, atomic_req_8B_endianness_mode) == PRM_ATOMIC_HOST_ENDIAN;
}

/* Two levels of tables of four entries, a match on UDP, and modification of entries. */
void cxr_caps_decode_port_selection(const struct prm_port_selection_cap *cap,
				    struct cxr_caps *caps)
{
	const struct prm_flow_table_prop_layout *tables =
		prm_sub_const(cap, flow_table_properties_port_selection, flow_table_prop_layout);
	const struct prm_flow_table_fields_supported *fields =
		prm_sub_const(tables, ft_field_support, flow_table_fields_supported);

	caps->lag_hash = prm_get(cap, port_select_flow_table) &&
			 prm_get(cap, port_select_flow_table_bypass) &&
			 prm_get(tables, ft_support) && prm_get(tables, flow_modify_en) &&
			 prm_get(tables, modify_root) && prm_get(tables, log_max_ft_size) >= 2 &&
			 prm_get(tables, max_ft_level) >= 2 &&
			 prm_get(fields, outer_ether_type) && prm_get(fields, outer_ip_protocol);
}

#define LOG_FDB_MIN	4	/* some addresses, and two entries for what has none */

void cxr_caps_decode_fdb(const struct prm_flow_table_eswitch_cap *cap, struct cxr_caps *caps)
{
	const struct prm_flow_table_prop_layout *tables =
		prm_sub_const(cap, flow_table_properties_nic_esw_fdb, flow_table_prop_layout);
	/* as the in-tree driver, which asks for no more, and matches MAC and source there */
	caps->fdb_log_max_size = prm_get(tables, log_max_ft_size);
	caps->fdb = prm_get(tables, ft_support) && caps->fdb_log_max_size >= LOG_FDB_MIN;
	caps->vport_acl = prm_get(cap, flow_table_properties_esw_acl_ingress.ft_support) &&
			  prm_get(cap, flow_table_properties_esw_acl_egress.ft_support);
	caps->acl_counters = prm_get(cap, flow_table_properties_esw_acl_ingress.flow_counter) &&
			     prm_get(cap, flow_table_properties_esw_acl_egress.flow_counter);
}

void cxr_caps_decode_eswitch(const struct prm_e_switch_cap *cap, struct cxr_caps *caps)
{
	caps->vport_vlan = prm_get(cap, vport_cvlan_strip) &&
			   prm_get(cap, vport_cvlan_insert_if_not_exist);
	caps->vport_guid = prm_get(cap, nic_vport_node_guid_modify);
}

void cxr_caps_decode_roce(const struct prm_roce_cap *cap, struct cxr_caps *caps)
{
	u32 versions = prm_get(cap, roce_version);
	u32 l3 = prm_get(cap, l3_type);

	caps->roce.v1 = versions & PRM_ROCE_CAP_V1;
	caps->roce.v2 = versions & PRM_ROCE_CAP_V2;
	caps->roce.l3_ipv4 = l3 & PRM_ROCE_CAP_L3_IPV4;
	caps->roce.l3_ipv6 = l3 & PRM_ROCE_CAP_L3_IPV6;
	caps->qp_free_running = prm_get(cap, qp_ts_format) != PRM_TS_CAP_REAL_TIME;
	caps->roce_addresses = prm_get(cap, roce_address_table_size);
	caps->cc_general = prm_get(cap, roce_cc_general);
	caps->udp_dport = prm_get(cap, r_roce_dest_udp_port);
	caps->udp_sport_min = prm_get(cap, r_roce_min_src_udp_port);
	caps->udp_sport_max = prm_get(cap, r_roce_max_src_udp_port);
}

#define MIN_WQE_SZ_SQ	128	/* control, datagram and two data segments, in whole blocks */
#define MIN_WQE_SZ_RQ	16
#define LOG_MAX		24	/* object numbers and queue indices have 24 bits */

#define LOG_SRQ_SZ_MAX	16	/* WQE indices in link segments of an SRQ have 16 bits */

#define LOG_MIN		4	/* objects that the driver needs for itself */
#define LOG_CQ_SZ_MIN	8	/* queues of the driver's own QPs */
#define LOG_QP_SZ_MIN	8
#define LOG_MSG_MIN	12	/* a datagram */

static bool bad_log(u8 log, u8 min)
{
	return log < min || log > LOG_MAX;
}

int cxr_caps_check(const struct cxr_caps *caps, const char **why)
{
	const struct {
		bool bad;
		const char *why;
	} checks[] = {
		{ !caps->num_ports, "the device has no port" },
		{ bad_log(caps->log_max_qp, LOG_MIN), "log_max_qp is out of range" },
		{ bad_log(caps->log_max_cq, LOG_MIN), "log_max_cq is out of range" },
		{ bad_log(caps->log_max_eq, 1), "log_max_eq is out of range" },
		{ bad_log(caps->log_max_pd, LOG_MIN), "log_max_pd is out of range" },
		{ bad_log(caps->log_max_mkey, LOG_MIN), "log_max_mkey is out of range" },
		{ bad_log(caps->log_max_qp_sz, LOG_QP_SZ_MIN), "log_max_qp_sz is out of range" },
		{ bad_log(caps->log_max_cq_sz, LOG_CQ_SZ_MIN), "log_max_cq_sz is out of range" },
		{ bad_log(caps->log_max_eq_sz, 1), "log_max_eq_sz is out of range" },
		{ caps->log_max_srq > LOG_MAX, "log_max_srq is out of range" },
		{ caps->log_max_srq_sz > LOG_SRQ_SZ_MAX, "log_max_srq_sz is out of range" },
		{ caps->log_max_msg < LOG_MSG_MIN || caps->log_max_msg > 31,
		  "log_max_msg is out of range" },
		{ caps->max_wqe_sz_sq < MIN_WQE_SZ_SQ, "max_wqe_sz_sq is too small" },
		{ caps->max_wqe_sz_rq < MIN_WQE_SZ_RQ, "max_wqe_sz_rq is too small" },
		{ !caps->pkey_table_size, "pkey_table_size is out of range" },
		{ caps->roce.roce && !caps->roce_addresses, "the RoCE address table is empty" },
		{ }
	};
	unsigned int i;

	for (i = 0; checks[i].why; i++) {
		if (checks[i].bad) {
			*why = checks[i].why;
			return -EPROTO;
		}
	}
	return 0;
}

#define LOG_TIRS 3	/* one for each kind of packet */

const char *cxr_caps_missing_eth(const struct cxr_caps *caps, u8 log_ring, u8 level, u8 log_table)
{
	const struct {
		bool there;
		const char *name;
	} needs[] = {
		{ caps->eth_net_offloads, "eth_net_offloads" },
		{ caps->log_max_sq, "log_max_sq" },
		{ caps->log_max_rq, "log_max_rq" },
		{ caps->nic_flow_table, "nic_flow_table" },
		{ caps->ft_max_level, "ft_support" },
		{ caps->ft_max_level > level, "max_ft_level" },
		{ caps->ft_log_max_size >= log_table, "log_max_ft_size" },
		{ caps->log_max_wq_sz >= log_ring, "log_max_wq_sz" },
		{ caps->log_max_cq_sz >= log_ring, "log_max_cq_sz" },
		{ caps->log_max_tir >= LOG_TIRS, "log_max_tir" },
		{ true, NULL }
	};
	unsigned int i = 0;

	while (needs[i].there && needs[i].name)
		i++;
	return needs[i].name;
}
