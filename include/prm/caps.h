/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Capabilities: QUERY_HCA_CAP, SET_HCA_CAP and their pages. */
#ifndef CXR_PRM_CAPS_H
#define CXR_PRM_CAPS_H

#include "prm.h"
#include "cap_flow.h"
#include "cap_odp.h"

/* op_mod of QUERY_HCA_CAP is page << 1 | PRM_CAP_CUR or _MAX, that of SET_HCA_CAP page << 1. */
enum prm_cap_page {
	PRM_CAP_GENERAL		= 0x00,
	PRM_CAP_ETHERNET	= 0x01,
	PRM_CAP_ODP		= 0x02,
	PRM_CAP_ATOMIC		= 0x03,
	PRM_CAP_ROCE		= 0x04,
	PRM_CAP_IPOIB		= 0x05,
	PRM_CAP_FLOW_TABLE	= 0x07,
	PRM_CAP_ESW_FLOW_TABLE	= 0x08,
	PRM_CAP_ESWITCH		= 0x09,
	PRM_CAP_QOS		= 0x0c,
	PRM_CAP_DEBUG		= 0x0d,
	PRM_CAP_DEVICE_MEM	= 0x0f,
	PRM_CAP_EVENT		= 0x14,
	PRM_CAP_GENERAL_2	= 0x20,
	PRM_CAP_PORT_SELECTION	= 0x25,
};

#define PRM_CAP_MAX	0
#define PRM_CAP_CUR	1

/* cmd_hca_cap.port_type */
#define PRM_PORT_TYPE_IB	0
#define PRM_PORT_TYPE_ETH	1

/* cmd_hca_cap.sq_ts_format, .rq_ts_format, roce_cap.qp_ts_format */
enum {
	PRM_TS_CAP_FREE_RUNNING	= 0,
	PRM_TS_CAP_REAL_TIME	= 1,
	PRM_TS_CAP_BOTH		= 2,
};

/* ts_format of an SQ, RQ or QP: what its completions are stamped with; by default what there is */
enum prm_ts_format {
	PRM_TS_FREE_RUNNING	= 0,
	PRM_TS_DEFAULT		= 1,
	PRM_TS_REAL_TIME	= 2,
};

/* cmd_hca_cap.cmdif_checksum */
#define PRM_CMDIF_CHECKSUM_DISABLED	0
#define PRM_CMDIF_CHECKSUM_INITIAL	1
#define PRM_CMDIF_CHECKSUM_ENABLED	3

/* cmd_hca_cap.gid_table_size: 8 << n entries; pkey_table_size: 128 << n */

/* per_protocol_networking_offload_caps.wqe_inline_mode */
#define PRM_INLINE_MODE_L2		0
#define PRM_INLINE_MODE_VPORT		1
#define PRM_INLINE_MODE_NOT_REQUIRED	2

/* roce_cap.roce_version and .l3_type are sets of these; roce_addr_layout takes the bit's number. */
#define PRM_ROCE_CAP_V1		(1U << 0)
#define PRM_ROCE_CAP_V1_5	(1U << 1)
#define PRM_ROCE_CAP_V2		(1U << 2)
#define PRM_ROCE_CAP_L3_GRH	(1U << 0)
#define PRM_ROCE_CAP_L3_IPV4	(1U << 1)
#define PRM_ROCE_CAP_L3_IPV6	(1U << 2)

/* atomic_caps.atomic_operations */
#define PRM_ATOMIC_CMP_SWAP	(1U << 0)
#define PRM_ATOMIC_FETCH_ADD	(1U << 1)
#define PRM_ATOMIC_EXT_CMP_SWAP	(1U << 2)
#define PRM_ATOMIC_EXT_FETCH_ADD	(1U << 3)
/* umr_fence: the fence that UMR WQEs need */
enum prm_umr_fence {
	PRM_UMR_FENCE_STRONG	= 0,
	PRM_UMR_FENCE_SMALL	= 1,
	PRM_UMR_FENCE_NONE	= 2,
};

#define PRM_ATOMIC_SIZE_8	(1U << 3)	/* atomic_size_qp */
#define PRM_ATOMIC_LOG_SIZE_MAX	8		/* of operands, in bytes */
#define PRM_ATOMIC_HOST_ENDIAN	1		/* atomic_req_8B_endianness_mode */

struct prm_cmd_hca_cap_bits {
	u8 rsvd_00[6];
	u8 page_request_disable[1];
	u8 rsvd_07[9];
	u8 shared_object_to_user_object_allowed[1];
	u8 rsvd_11[14];
	u8 vhca_resource_manager[1];
	u8 hca_cap_2[1];
	u8 create_lag_when_not_master_up[1];
	u8 dtor[1];
	u8 event_on_vhca_state_teardown_request[1];
	u8 event_on_vhca_state_in_use[1];
	u8 event_on_vhca_state_active[1];
	u8 event_on_vhca_state_allocated[1];
	u8 event_on_vhca_state_invalid[1];
	u8 rsvd_28[8];
	u8 vhca_id[16];
	u8 rsvd_40[64];
	u8 log_max_srq_sz[8];
	u8 log_max_qp_sz[8];
	u8 event_cap[1];
	u8 rsvd_91[2];
	u8 isolate_vl_tc_new[1];
	u8 rsvd_94[4];
	u8 prio_tag_required[1];
	u8 rsvd_99[2];
	u8 log_max_qp[5];
	u8 rsvd_a0[3];
	u8 ece_support[1];
	u8 rsvd_a4[5];
	u8 reg_c_preserve[1];
	u8 rsvd_aa[1];
	u8 log_max_srq[5];
	u8 rsvd_b0[1];
	u8 uplink_follow[1];
	u8 ts_cqe_to_dest_cqn[1];
	u8 rsvd_b3[6];
	u8 go_back_n[1];
	u8 rsvd_ba[6];
	u8 max_sgl_for_optimized_performance[8];
	u8 log_max_cq_sz[8];
	u8 relaxed_ordering_write_umr[1];
	u8 relaxed_ordering_read_umr[1];
	u8 rsvd_d2[7];
	u8 virtio_net_device_emualtion_manager[1];
	u8 virtio_blk_device_emualtion_manager[1];
	u8 log_max_cq[5];
	u8 log_max_eq_sz[8];
	u8 relaxed_ordering_write[1];
	u8 relaxed_ordering_read_pci_enabled[1];
	u8 log_max_mkey[6];
	u8 rsvd_f0[6];
	u8 terminate_scatter_list_mkey[1];
	u8 rsvd_f7[1];
	u8 dump_fill_mkey[1];
	u8 rsvd_f9[2];
	u8 fast_teardown[1];
	u8 log_max_eq[4];
	u8 max_indirection[8];
	u8 fixed_buffer_size[1];
	u8 log_max_mrw_sz[7];
	u8 force_teardown[1];
	u8 rsvd_111[1];
	u8 log_max_bsf_list_size[6];
	u8 umr_extended_translation_offset[1];
	u8 null_mkey[1];
	u8 log_max_klm_list_size[6];
	u8 rsvd_120[2];
	u8 qpc_extension[1];
	u8 rsvd_123[7];
	u8 log_max_ra_req_dc[6];
	u8 rsvd_130[2];
	u8 eth_wqe_too_small[1];
	u8 rsvd_133[6];
	u8 vnic_env_cq_overrun[1];
	u8 log_max_ra_res_dc[6];
	u8 rsvd_140[5];
	u8 release_all_pages[1];
	u8 must_not_use[1];
	u8 rsvd_147[2];
	u8 roce_accl[1];
	u8 log_max_ra_req_qp[6];
	u8 rsvd_150[1];
	u8 rts2rts_qp_udp_sport[1];
	u8 rts2rts_lag_tx_port_affinity[1];
	u8 rsvd_153[7];
	u8 log_max_ra_res_qp[6];
	u8 end_pad[1];
	u8 cc_query_allowed[1];
	u8 cc_modify_allowed[1];
	u8 start_pad[1];
	u8 cache_line_128byte[1];
	u8 rsvd_165[4];
	u8 rts2rts_qp_counters_set_id[1];
	u8 rts2rts_qp_dscp[1];
	u8 rsvd_16b[1];
	u8 vnic_env_int_rq_oob[1];
	u8 sbcam_reg[1];
	u8 rsvd_16e[1];
	u8 qcam_reg[1];
	u8 gid_table_size[16];
	u8 out_of_seq_cnt[1];
	u8 vport_counters[1];
	u8 retransmission_q_counters[1];
	u8 debug[1];
	u8 modify_rq_counter_set_id[1];
	u8 rq_delay_drop[1];
	u8 max_qp_cnt[10];
	u8 pkey_table_size[16];
	u8 vport_group_manager[1];
	u8 vhca_group_manager[1];
	u8 ib_virt[1];
	u8 eth_virt[1];
	u8 vnic_env_queue_counters[1];
	u8 ets[1];
	u8 nic_flow_table[1];
	u8 eswitch_manager[1];
	u8 device_memory[1];
	u8 mcam_reg[1];
	u8 pcam_reg[1];
	u8 local_ca_ack_delay[5];
	u8 port_module_event[1];
	u8 enhanced_error_q_counters[1];
	u8 ports_check[1];
	u8 rsvd_1b3[1];
	u8 disable_link_up[1];
	u8 beacon_led[1];
	u8 port_type[2];
	u8 num_ports[8];
	u8 rsvd_1c0[1];
	u8 pps[1];
	u8 pps_modify[1];
	u8 log_max_msg[5];
	u8 rsvd_1c8[4];
	u8 max_tc[4];
	u8 temp_warn_event[1];
	u8 dcbx[1];
	u8 general_notification_event[1];
	u8 rsvd_1d3[2];
	u8 fpga[1];
	u8 rol_s[1];
	u8 rol_g[1];
	u8 rsvd_1d8[1];
	u8 wol_s[1];
	u8 wol_g[1];
	u8 wol_a[1];
	u8 wol_b[1];
	u8 wol_m[1];
	u8 wol_u[1];
	u8 wol_p[1];
	u8 stat_rate_support[16];
	u8 rsvd_1f0[1];
	u8 pci_sync_for_fw_update_event[1];
	u8 rsvd_1f2[6];
	u8 init2_lag_tx_port_affinity[1];
	u8 rsvd_1f9[3];
	u8 cqe_version[4];
	u8 compact_address_vector[1];
	u8 striding_rq[1];
	u8 rsvd_202[1];
	u8 ipoib_enhanced_offloads[1];
	u8 ipoib_basic_offloads[1];
	u8 rsvd_205[1];
	u8 repeated_block_disabled[1];
	u8 umr_modify_entity_size_disabled[1];
	u8 umr_modify_atomic_disabled[1];
	u8 umr_indirect_mkey_disabled[1];
	u8 umr_fence[2];
	u8 dc_req_scat_data_cqe[1];
	u8 rsvd_20d[2];
	u8 drain_sigerr[1];
	u8 cmdif_checksum[2];
	u8 sigerr_cqe[1];
	u8 rsvd_213[1];
	u8 wq_signature[1];
	u8 sctr_data_cqe[1];
	u8 rsvd_216[1];
	u8 sho[1];
	u8 tph[1];
	u8 rf[1];
	u8 dct[1];
	u8 qos[1];
	u8 eth_net_offloads[1];
	u8 roce[1];
	u8 atomic[1];
	u8 rsvd_21f[1];
	u8 cq_oi[1];
	u8 cq_resize[1];
	u8 cq_moderation[1];
	u8 rsvd_223[3];
	u8 cq_eq_remap[1];
	u8 pg[1];
	u8 block_lb_mc[1];
	u8 rsvd_229[1];
	u8 scqe_break_moderation[1];
	u8 cq_period_start_from_cqe[1];
	u8 cd[1];
	u8 rsvd_22d[1];
	u8 apm[1];
	u8 vector_calc[1];
	u8 umr_ptr_rlky[1];
	u8 imaicl[1];
	u8 qp_packet_based[1];
	u8 rsvd_233[3];
	u8 qkv[1];
	u8 pkv[1];
	u8 set_deth_sqpn[1];
	u8 rsvd_239[3];
	u8 xrc[1];
	u8 ud[1];
	u8 uc[1];
	u8 rc[1];
	u8 uar_4k[1];
	u8 rsvd_241[7];
	u8 fl_rc_qp_when_roce_disabled[1];
	u8 regexp_params[1];
	u8 uar_sz[6];
	u8 port_selection_cap[1];
	u8 rsvd_251[1];
	u8 umem_uid_0[1];
	u8 rsvd_253[5];
	u8 log_pg_sz[8];
	u8 bf[1];
	u8 driver_version[1];
	u8 pad_tx_eth_packet[1];
	u8 rsvd_263[3];
	u8 mkey_by_name[1];
	u8 rsvd_267[4];
	u8 log_bf_reg_size[5];
	u8 rsvd_270[6];
	u8 lag_dct[2];
	u8 lag_tx_port_affinity[1];
	u8 lag_native_fdb_selection[1];
	u8 rsvd_27a[1];
	u8 lag_master[1];
	u8 num_lag_ports[4];
	u8 rsvd_280[16];
	u8 max_wqe_sz_sq[16];
	u8 rsvd_2a0[11];
	u8 shampo[1];
	u8 rsvd_2ac[4];
	u8 max_wqe_sz_rq[16];
	u8 max_flow_counter_31_16[16];
	u8 max_wqe_sz_sq_dc[16];
	u8 rsvd_2e0[7];
	u8 max_qp_mcg[25];
	u8 rsvd_300[16];
	u8 flow_counter_bulk_alloc[8];
	u8 log_max_mcg[8];
	u8 rsvd_320[3];
	u8 log_max_transport_domain[5];
	u8 rsvd_328[2];
	u8 relaxed_ordering_read[1];
	u8 log_max_pd[5];
	u8 rsvd_330[7];
	u8 vnic_env_cnt_steering_fail[1];
	u8 rsvd_338[3];
	u8 log_max_xrcd[5];
	u8 nic_receive_steering_discard[1];
	u8 receive_discard_vport_down[1];
	u8 transmit_discard_vport_down[1];
	u8 eq_overrun_count[1];
	u8 rsvd_344[1];
	u8 invalid_command_count[1];
	u8 quota_exceeded_count[1];
	u8 rsvd_347[1];
	u8 log_max_flow_counter_bulk[8];
	u8 max_flow_counter_15_0[16];
	u8 rsvd_360[3];
	u8 log_max_rq[5];
	u8 rsvd_368[3];
	u8 log_max_sq[5];
	u8 rsvd_370[3];
	u8 log_max_tir[5];
	u8 rsvd_378[3];
	u8 log_max_tis[5];
	u8 basic_cyclic_rcv_wqe[1];
	u8 rsvd_381[2];
	u8 log_max_rmp[5];
	u8 rsvd_388[3];
	u8 log_max_rqt[5];
	u8 rsvd_390[3];
	u8 log_max_rqt_size[5];
	u8 rsvd_398[3];
	u8 log_max_tis_per_sq[5];
	u8 ext_stride_num_range[1];
	u8 roce_rw_supported[1];
	u8 log_max_current_uc_list_wr_supported[1];
	u8 log_max_stride_sz_rq[5];
	u8 rsvd_3a8[3];
	u8 log_min_stride_sz_rq[5];
	u8 rsvd_3b0[3];
	u8 log_max_stride_sz_sq[5];
	u8 rsvd_3b8[3];
	u8 log_min_stride_sz_sq[5];
	u8 hairpin[1];
	u8 rsvd_3c1[2];
	u8 log_max_hairpin_queues[5];
	u8 rsvd_3c8[3];
	u8 log_max_hairpin_wq_data_sz[5];
	u8 rsvd_3d0[3];
	u8 log_max_hairpin_num_packets[5];
	u8 rsvd_3d8[3];
	u8 log_max_wq_sz[5];
	u8 nic_vport_change_event[1];
	u8 disable_local_lb_uc[1];
	u8 disable_local_lb_mc[1];
	u8 log_min_hairpin_wq_data_sz[5];
	u8 rsvd_3e8[2];
	u8 vhca_state[1];
	u8 log_max_vlan_list[5];
	u8 rsvd_3f0[3];
	u8 log_max_current_mc_list[5];
	u8 rsvd_3f8[3];
	u8 log_max_current_uc_list[5];
	u8 general_obj_types[64];
	u8 sq_ts_format[2];
	u8 rq_ts_format[2];
	u8 steering_format_version[4];
	u8 create_qp_start_hint[24];
	u8 rsvd_460[1];
	u8 ats[1];
	u8 rsvd_462[1];
	u8 log_max_uctx[5];
	u8 rsvd_468[2];
	u8 ipsec_offload[1];
	u8 log_max_umem[5];
	u8 max_num_eqs[16];
	u8 rsvd_480[1];
	u8 tls_tx[1];
	u8 tls_rx[1];
	u8 log_max_l2_table[5];
	u8 rsvd_488[8];
	u8 log_uar_page_sz[16];
	u8 rsvd_4a0[32];
	u8 device_frequency_mhz[32];
	u8 device_frequency_khz[32];
	u8 rsvd_500[32];
	u8 num_of_uars_per_page[32];
	u8 flex_parser_protocols[32];
	u8 max_geneve_tlv_options[8];
	u8 rsvd_568[3];
	u8 max_geneve_tlv_option_data_len[5];
	u8 rsvd_570[9];
	u8 adv_virtualization[1];
	u8 rsvd_57a[17];
	u8 log_max_dci_stream_channels[5];
	u8 rsvd_590[3];
	u8 log_max_dci_errored_streams[5];
	u8 rsvd_598[24];
	u8 enhanced_cqe_compression[1];
	u8 rsvd_5b1[2];
	u8 log_max_dek[5];
	u8 rsvd_5b8[4];
	u8 mini_cqe_resp_stride_index[1];
	u8 cqe_128_always[1];
	u8 cqe_compression_128[1];
	u8 cqe_compression[1];
	u8 cqe_compression_timeout[16];
	u8 cqe_compression_max_num[16];
	u8 rsvd_5e0[8];
	u8 flex_parser_id_gtpu_dw_0[4];
	u8 rsvd_5ec[4];
	u8 tag_matching[1];
	u8 rndv_offload_rc[1];
	u8 rndv_offload_dc[1];
	u8 log_tag_matching_list_sz[5];
	u8 rsvd_5f8[3];
	u8 log_max_xrq[5];
	u8 affiliate_nic_vport_criteria[8];
	u8 native_port_num[8];
	u8 num_vhca_ports[8];
	u8 flex_parser_id_gtpu_teid[4];
	u8 rsvd_61c[2];
	u8 sw_owner_id[1];
	u8 rsvd_61f[1];
	u8 max_num_of_monitor_counters[16];
	u8 num_ppcnt_monitor_counters[16];
	u8 max_num_sf[16];
	u8 num_q_monitor_counters[16];
	u8 rsvd_660[32];
	u8 sf[1];
	u8 sf_set_partition[1];
	u8 rsvd_682[1];
	u8 log_max_sf[5];
	u8 apu[1];
	u8 rsvd_689[4];
	u8 migration[1];
	u8 rsvd_68e[2];
	u8 log_min_sf_size[8];
	u8 max_num_sf_partitions[8];
	u8 uctx_cap[32];
	u8 rsvd_6c0[4];
	u8 flex_parser_id_geneve_tlv_option_0[4];
	u8 flex_parser_id_icmp_dw1[4];
	u8 flex_parser_id_icmp_dw0[4];
	u8 flex_parser_id_icmpv6_dw1[4];
	u8 flex_parser_id_icmpv6_dw0[4];
	u8 flex_parser_id_outer_first_mpls_over_gre[4];
	u8 flex_parser_id_outer_first_mpls_over_udp_label[4];
	u8 max_num_match_definer[16];
	u8 sf_base_id[16];
	u8 flex_parser_id_gtpu_dw_2[4];
	u8 flex_parser_id_gtpu_first_ext_dw_0[4];
	u8 num_total_dynamic_vf_msix[24];
	u8 rsvd_720[20];
	u8 dynamic_msix_table_size[12];
	u8 rsvd_740[12];
	u8 min_dynamic_vf_msix_table_size[4];
	u8 rsvd_750[4];
	u8 max_dynamic_vf_msix_table_size[12];
	u8 rsvd_760[32];
	u8 vhca_tunnel_commands[64];
	u8 match_definer_format_supported[64];
};
PRM_LAYOUT(cmd_hca_cap, 0x100);

struct prm_cmd_hca_cap_2_bits {
	u8 rsvd_00[160];
	u8 max_reformat_insert_size[8];
	u8 max_reformat_insert_offset[8];
	u8 max_reformat_remove_size[8];
	u8 max_reformat_remove_offset[8];
	u8 rsvd_c0[235];
	u8 log_min_mkey_entity_size[5];
	u8 rsvd_1b0[113];
	u8 sw_vhca_id_valid[1];
	u8 sw_vhca_id[14];
	u8 rsvd_230[27];
	u8 ts_cqe_metadata_size2wqe_counter[5];
	u8 rsvd_250[504];
	u8 max_num_eqs_24b[24];
	u8 rsvd_460[928];
};
PRM_LAYOUT(cmd_hca_cap_2, 0x100);

struct prm_atomic_caps_bits {
	u8 rsvd_00[64];
	u8 atomic_req_8B_endianness_mode[2];
	u8 rsvd_42[4];
	u8 supported_atomic_req_8B_endianness_mode_1[1];
	u8 rsvd_47[73];
	u8 atomic_operations[16];
	u8 rsvd_a0[16];
	u8 atomic_size_qp[16];
	u8 rsvd_c0[16];
	u8 atomic_size_dc[16];
	u8 rsvd_e0[1824];
};
PRM_LAYOUT(atomic_caps, 0x100);

struct prm_roce_cap_bits {
	u8 roce_apm[1];
	u8 rsvd_01[3];
	u8 sw_r_roce_src_udp_port[1];
	u8 fl_rc_qp_when_roce_disabled[1];
	u8 fl_rc_qp_when_roce_enabled[1];
	u8 roce_cc_general[1];
	u8 qp_ooo_transmit_default[1];
	u8 rsvd_09[21];
	u8 qp_ts_format[2];
	u8 rsvd_20[108];
	u8 l3_type[4];
	u8 rsvd_90[8];
	u8 roce_version[8];
	u8 rsvd_a0[16];
	u8 r_roce_dest_udp_port[16];
	u8 r_roce_max_src_udp_port[16];
	u8 r_roce_min_src_udp_port[16];
	u8 rsvd_e0[16];
	u8 roce_address_table_size[16];
	u8 rsvd_100[1792];
};
PRM_LAYOUT(roce_cap, 0x100);

struct prm_per_protocol_networking_offload_caps_bits {
	u8 csum_cap[1];
	u8 vlan_cap[1];
	u8 lro_cap[1];
	u8 lro_psh_flag[1];
	u8 lro_time_stamp[1];
	u8 rsvd_05[2];
	u8 wqe_vlan_insert[1];
	u8 self_lb_en_modifiable[1];
	u8 rsvd_09[2];
	u8 max_lso_cap[5];
	u8 multi_pkt_send_wqe[2];
	u8 wqe_inline_mode[2];
	u8 rss_ind_tbl_cap[4];
	u8 reg_umr_sq[1];
	u8 scatter_fcs[1];
	u8 enhanced_multi_pkt_send_wqe[1];
	u8 tunnel_lso_const_out_ip_id[1];
	u8 tunnel_lro_gre[1];
	u8 tunnel_lro_vxlan[1];
	u8 tunnel_stateless_gre[1];
	u8 tunnel_stateless_vxlan[1];
	u8 swp[1];
	u8 swp_csum[1];
	u8 swp_lso[1];
	u8 cqe_checksum_full[1];
	u8 tunnel_stateless_geneve_tx[1];
	u8 tunnel_stateless_mpls_over_udp[1];
	u8 tunnel_stateless_mpls_over_gre[1];
	u8 tunnel_stateless_vxlan_gpe[1];
	u8 tunnel_stateless_ipv4_over_vxlan[1];
	u8 tunnel_stateless_ip_over_ip[1];
	u8 insert_trailer[1];
	u8 rsvd_2b[1];
	u8 tunnel_stateless_ip_over_ip_rx[1];
	u8 tunnel_stateless_ip_over_ip_tx[1];
	u8 rsvd_2e[2];
	u8 max_vxlan_udp_ports[8];
	u8 swp_csum_l4_partial[1];
	u8 rsvd_39[5];
	u8 max_geneve_opt_len[1];
	u8 tunnel_stateless_geneve_rx[1];
	u8 rsvd_40[16];
	u8 lro_min_mss_size[16];
	u8 rsvd_60[288];
	u8 lro_timer_supported_periods[4][32];
	u8 rsvd_200[1536];
};
PRM_LAYOUT(per_protocol_networking_offload_caps, 0x100);

struct prm_port_selection_cap_bits {
	u8 rsvd_00[16];
	u8 port_select_flow_table[1];
	u8 rsvd_11[1];
	u8 port_select_flow_table_bypass[1];
	u8 rsvd_13[493];
	struct prm_flow_table_prop_layout_bits flow_table_properties_port_selection;
	u8 rsvd_400[31744];
};
PRM_LAYOUT(port_selection_cap, 0x1000);

/* Capabilities of page PRM_CAP_QOS */
struct prm_qos_cap_bits {
	u8 packet_pacing[1];
	u8 esw_scheduling[1];
	u8 esw_bw_share[1];
	u8 esw_rate_limit[1];
	u8 rsvd_04[1];
	u8 packet_pacing_burst_bound[1];
	u8 packet_pacing_typical_size[1];
	u8 rsvd_07[1];
	u8 nic_sq_scheduling[1];
	u8 nic_bw_share[1];
	u8 nic_rate_limit[1];
	u8 packet_pacing_uid[1];
	u8 log_esw_max_sched_depth[4];
	u8 rsvd_10[27];
	u8 log_max_qos_nic_queue_group[5];
	u8 rsvd_30[16];
	u8 packet_pacing_max_rate[32];
	u8 packet_pacing_min_rate[32];
	u8 rsvd_80[16];
	u8 packet_pacing_rate_table_size[16];
	u8 esw_element_type[16];
	u8 esw_tsar_type[16];
	u8 rsvd_c0[16];
	u8 max_qos_para_vport[16];
	u8 max_tsar_bw_share[32];
	u8 rsvd_100[1792];
};
PRM_LAYOUT(qos_cap, 0x100);

/* Capabilities of page PRM_CAP_EVENT: which events user contexts may have */
struct prm_device_event_cap_bits {
	u8 user_affiliated_events[4][64];
	u8 user_unaffiliated_events[4][64];
};
PRM_LAYOUT(device_event_cap, 0x40);

/* Capabilities of page PRM_CAP_DEBUG */
struct prm_debug_cap_bits {
	u8 core_dump_general[1];
	u8 core_dump_qp[1];
	u8 rsvd_02[7];
	u8 resource_dump[1];
	u8 rsvd_0a[24];
	u8 stall_detect[1];
	u8 rsvd_23[2013];
};
PRM_LAYOUT(debug_cap, 0x100);

/* Capabilities of page PRM_CAP_DEVICE_MEM; of the memory's operations a bit for each size, 2^n */
struct prm_device_mem_cap_bits {
	u8 memic[1];
	u8 rsvd_01[31];
	u8 increment_size_sup[8];
	u8 rsvd_28[3];
	u8 log_min_memic_alloc_size[5];
	u8 test_and_set_size_sup[8];
	u8 log_max_memic_addr_alignment[8];
	u8 memic_bar_start_addr[64];
	u8 memic_bar_size[32];
	u8 max_memic_size[32];
	u8 rsvd_c0[320];
	u8 memic_operations[32];
	u8 rsvd_220[1504];
};
PRM_LAYOUT(device_mem_cap, 0x100);

union prm_hca_cap_union_bits {
	struct prm_cmd_hca_cap_bits cmd_hca_cap;
	struct prm_cmd_hca_cap_2_bits cmd_hca_cap_2;
	struct prm_odp_cap_bits odp_cap;
	struct prm_atomic_caps_bits atomic_caps;
	struct prm_roce_cap_bits roce_cap;
	struct prm_per_protocol_networking_offload_caps_bits per_protocol_networking_offload_caps;
	struct prm_flow_table_nic_cap_bits flow_table_nic_cap;
	struct prm_flow_table_eswitch_cap_bits flow_table_eswitch_cap;
	struct prm_e_switch_cap_bits e_switch_cap;
	struct prm_qos_cap_bits qos_cap;
	struct prm_debug_cap_bits debug_cap;
	struct prm_device_mem_cap_bits device_mem_cap;
	struct prm_device_event_cap_bits device_event_cap;
	struct prm_port_selection_cap_bits port_selection_cap;
};

struct prm_query_hca_cap_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 other_function[1];
	u8 ec_vf_function[1];
	u8 rsvd_42[14];
	u8 function_id[16];
	u8 rsvd_60[32];
};
PRM_LAYOUT(query_hca_cap_in, 0x10);

struct prm_query_hca_cap_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
	union prm_hca_cap_union_bits capability;
};
PRM_LAYOUT(query_hca_cap_out, 0x1010);

struct prm_set_hca_cap_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 other_function[1];
	u8 ec_vf_function[1];
	u8 rsvd_42[14];
	u8 function_id[16];
	u8 rsvd_60[32];
	union prm_hca_cap_union_bits capability;
};
PRM_LAYOUT(set_hca_cap_in, 0x1010);

struct prm_set_hca_cap_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(set_hca_cap_out, 0x10);

#endif
