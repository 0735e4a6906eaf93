/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Ethernet queues: work queues (SQ, RQ, RMP) and what steers packets to and from them (TIS, TIR,
 * RQT).
 */
#ifndef CXR_PRM_NIC_H
#define CXR_PRM_NIC_H

#include "prm.h"

/* wq.wq_type */
enum {
	PRM_WQ_LINKED_LIST		= 0,
	PRM_WQ_CYCLIC			= 1,
	PRM_WQ_LINKED_LIST_STRIDING	= 2,
	PRM_WQ_CYCLIC_STRIDING		= 3,
};

/* wq.log_wqe_stride_size and wq.log_wqe_num_of_strides are what the logs exceed these. */
#define PRM_WQ_LOG_STRIDE_BYTES		6
#define PRM_WQ_LOG_STRIDES		9
/* With ext_stride_num_range also fewer strides: 2^3 to 2^8 are 10 to 15. */
#define PRM_WQ_LOG_STRIDES_EXT		3
#define PRM_WQ_STRIDES_EXT		10

/* sqc.state, rqc.state, rmpc.state */
enum {
	PRM_WQ_RST			= 0,
	PRM_WQ_RDY			= 1,
	PRM_WQ_ERR			= 3,
};

/* rqc.mem_rq_type */
enum {
	PRM_RQ_INLINE			= 0,
	PRM_RQ_RMP			= 1,
};

/* modify_rq_in.modify_bitmask */
#define PRM_MODIFY_RQ_VSD		(1ULL << 1)
#define PRM_MODIFY_RQ_SCATTER_FCS	(1ULL << 2)
#define PRM_MODIFY_RQ_COUNTER_SET_ID	(1ULL << 3)

/* tirc.disp_type, .rx_hash_fn, .self_lb_block */
enum {
	PRM_TIR_DIRECT			= 0,
	PRM_TIR_INDIRECT		= 1,
};

enum {
	PRM_RX_HASH_NONE		= 0,
	PRM_RX_HASH_XOR8		= 1,
	PRM_RX_HASH_TOEPLITZ		= 2,
};

/* Despite the name, a set bit of self_lb_block allows what its own transport domain sends. */
enum {
	PRM_TIR_SELF_UNICAST		= 1,
	PRM_TIR_SELF_MULTICAST		= 2,
};

/* rx_hash_field_select: types and set of fields */
enum {
	PRM_RX_HASH_IPV4		= 0,
	PRM_RX_HASH_IPV6		= 1,
};

enum {
	PRM_RX_HASH_TCP			= 0,
	PRM_RX_HASH_UDP			= 1,
};

#define PRM_RX_HASH_SRC_IP		(1U << 0)
#define PRM_RX_HASH_DST_IP		(1U << 1)
#define PRM_RX_HASH_L4_SPORT		(1U << 2)
#define PRM_RX_HASH_L4_DPORT		(1U << 3)
#define PRM_RX_HASH_IPSEC_SPI		(1U << 4)

struct prm_wq_bits {
	u8 wq_type[4];
	u8 wq_signature[1];
	u8 end_padding_mode[2];
	u8 cd_slave[1];
	u8 rsvd_08[24];
	u8 hds_skip_first_sge[1];
	u8 log2_hds_buf_size[3];
	u8 rsvd_24[7];
	u8 page_offset[5];
	u8 lwm[16];
	u8 rsvd_40[8];
	u8 pd[24];
	u8 rsvd_60[8];
	u8 uar_page[24];
	u8 dbr_addr[64];
	u8 hw_counter[32];
	u8 sw_counter[32];
	u8 rsvd_100[12];
	u8 log_wq_stride[4];
	u8 rsvd_110[3];
	u8 log_wq_pg_sz[5];
	u8 rsvd_118[3];
	u8 log_wq_sz[5];
	u8 dbr_umem_valid[1];
	u8 wq_umem_valid[1];
	u8 rsvd_122[1];
	u8 log_hairpin_num_packets[5];
	u8 rsvd_128[3];
	u8 log_hairpin_data_sz[5];
	u8 rsvd_130[4];
	u8 log_wqe_num_of_strides[4];
	u8 two_byte_shift_en[1];
	u8 rsvd_139[4];
	u8 log_wqe_stride_size[3];
	u8 dbr_umem_id[32];
	u8 wq_umem_id[32];
	u8 wq_umem_offset[64];
	u8 headers_mkey[32];
	u8 shampo_enable[1];
	u8 rsvd_1e1[4];
	u8 log_reservation_size[3];
	u8 rsvd_1e8[5];
	u8 log_max_num_of_packets_per_reservation[3];
	u8 rsvd_1f0[6];
	u8 log_headers_entry_size[2];
	u8 rsvd_1f8[4];
	u8 log_headers_buffer_entry_num[4];
	u8 rsvd_200[1024];
	/* tail: pas */
};
PRM_LAYOUT(wq, 0xc0);

struct prm_sqc_bits {
	u8 rlky[1];
	u8 cd_master[1];
	u8 fre[1];
	u8 flush_in_error_en[1];
	u8 allow_multi_pkt_send_wqe[1];
	u8 min_wqe_inline_mode[3];
	u8 state[4];
	u8 reg_umr[1];
	u8 allow_swp[1];
	u8 hairpin[1];
	u8 non_wire[1];
	u8 rsvd_10[10];
	u8 ts_format[2];
	u8 rsvd_1c[12];
	u8 user_index[24];
	u8 rsvd_40[8];
	u8 cqn[24];
	u8 rsvd_60[8];
	u8 hairpin_peer_rq[24];
	u8 rsvd_80[16];
	u8 hairpin_peer_vhca[16];
	u8 rsvd_a0[40];
	u8 ts_cqe_to_dest_cqn[24];
	u8 rsvd_e0[16];
	u8 packet_pacing_rate_limit_index[16];
	u8 tis_lst_sz[16];
	u8 qos_queue_group_id[16];
	u8 rsvd_120[72];
	u8 tis_num_0[24];
	struct prm_wq_bits wq;
};
PRM_LAYOUT(sqc, 0xf0);

struct prm_create_sq_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[192];
	struct prm_sqc_bits ctx;
};
PRM_LAYOUT(create_sq_in, 0x110);

struct prm_create_sq_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[8];
	u8 sqn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(create_sq_out, 0x10);

struct prm_query_sq_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 sqn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(query_sq_in, 0x10);

struct prm_query_sq_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[192];
	struct prm_sqc_bits sq_context;
};
PRM_LAYOUT(query_sq_out, 0x110);

struct prm_modify_sq_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 sq_state[4];
	u8 rsvd_44[4];
	u8 sqn[24];
	u8 rsvd_60[32];
	u8 modify_bitmask[64];
	u8 rsvd_c0[64];
	struct prm_sqc_bits ctx;
};
PRM_LAYOUT(modify_sq_in, 0x110);

struct prm_modify_sq_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(modify_sq_out, 0x10);

struct prm_destroy_sq_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 sqn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(destroy_sq_in, 0x10);

struct prm_destroy_sq_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(destroy_sq_out, 0x10);

struct prm_rqc_bits {
	u8 rlky[1];
	u8 delay_drop_en[1];
	u8 scatter_fcs[1];
	u8 vsd[1];
	u8 mem_rq_type[4];
	u8 state[4];
	u8 rsvd_0c[1];
	u8 flush_in_error_en[1];
	u8 hairpin[1];
	u8 rsvd_0f[11];
	u8 ts_format[2];
	u8 rsvd_1c[12];
	u8 user_index[24];
	u8 rsvd_40[8];
	u8 cqn[24];
	u8 counter_set_id[8];
	u8 rsvd_68[32];
	u8 rmpn[24];
	u8 rsvd_a0[8];
	u8 hairpin_peer_sq[24];
	u8 rsvd_c0[16];
	u8 hairpin_peer_vhca[16];
	u8 rsvd_e0[70];
	u8 shampo_no_match_alignment_granularity[2];
	u8 rsvd_128[6];
	u8 shampo_match_criteria_type[2];
	u8 reservation_timeout[16];
	u8 rsvd_140[64];
	struct prm_wq_bits wq;
};
PRM_LAYOUT(rqc, 0xf0);

struct prm_create_rq_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[192];
	struct prm_rqc_bits ctx;
};
PRM_LAYOUT(create_rq_in, 0x110);

struct prm_create_rq_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[8];
	u8 rqn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(create_rq_out, 0x10);

struct prm_query_rq_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 rqn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(query_rq_in, 0x10);

struct prm_query_rq_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[192];
	struct prm_rqc_bits rq_context;
};
PRM_LAYOUT(query_rq_out, 0x110);

struct prm_modify_rq_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rq_state[4];
	u8 rsvd_44[4];
	u8 rqn[24];
	u8 rsvd_60[32];
	u8 modify_bitmask[64];
	u8 rsvd_c0[64];
	struct prm_rqc_bits ctx;
};
PRM_LAYOUT(modify_rq_in, 0x110);

struct prm_modify_rq_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(modify_rq_out, 0x10);

struct prm_destroy_rq_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 rqn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(destroy_rq_in, 0x10);

struct prm_destroy_rq_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(destroy_rq_out, 0x10);

struct prm_rmpc_bits {
	u8 rsvd_00[8];
	u8 state[4];
	u8 rsvd_0c[20];
	u8 basic_cyclic_rcv_wqe[1];
	u8 rsvd_21[351];
	struct prm_wq_bits wq;
};
PRM_LAYOUT(rmpc, 0xf0);

struct prm_create_rmp_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[192];
	struct prm_rmpc_bits ctx;
};
PRM_LAYOUT(create_rmp_in, 0x110);

struct prm_create_rmp_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[8];
	u8 rmpn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(create_rmp_out, 0x10);

struct prm_query_rmp_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 rmpn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(query_rmp_in, 0x10);

struct prm_query_rmp_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[192];
	struct prm_rmpc_bits rmp_context;
};
PRM_LAYOUT(query_rmp_out, 0x110);

struct prm_rmp_bitmask_bits {
	u8 rsvd_00[63];
	u8 lwm[1];
};
PRM_LAYOUT(rmp_bitmask, 0x08);

struct prm_modify_rmp_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rmp_state[4];
	u8 rsvd_44[4];
	u8 rmpn[24];
	u8 rsvd_60[32];
	struct prm_rmp_bitmask_bits bitmask;
	u8 rsvd_c0[64];
	struct prm_rmpc_bits ctx;
};
PRM_LAYOUT(modify_rmp_in, 0x110);

struct prm_modify_rmp_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(modify_rmp_out, 0x10);

struct prm_destroy_rmp_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 rmpn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(destroy_rmp_in, 0x10);

struct prm_destroy_rmp_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(destroy_rmp_out, 0x10);

struct prm_tisc_bits {
	u8 strict_lag_tx_port_affinity[1];
	u8 tls_en[1];
	u8 rsvd_02[2];
	u8 lag_tx_port_affinity[4];
	u8 rsvd_08[4];
	u8 prio[4];
	u8 rsvd_10[280];
	u8 transport_domain[24];
	u8 rsvd_140[8];
	u8 underlay_qpn[24];
	u8 rsvd_160[8];
	u8 pd[24];
	u8 rsvd_180[896];
};
PRM_LAYOUT(tisc, 0xa0);

struct prm_create_tis_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[192];
	struct prm_tisc_bits ctx;
};
PRM_LAYOUT(create_tis_in, 0xc0);

struct prm_create_tis_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[8];
	u8 tisn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(create_tis_out, 0x10);

struct prm_query_tis_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 tisn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(query_tis_in, 0x10);

struct prm_query_tis_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
	struct prm_tisc_bits tis_context;
};
PRM_LAYOUT(query_tis_out, 0xb0);

struct prm_modify_tis_bitmask_bits {
	u8 rsvd_00[61];
	u8 lag_tx_port_affinity[1];
	u8 strict_lag_tx_port_affinity[1];
	u8 prio[1];
};
PRM_LAYOUT(modify_tis_bitmask, 0x08);

struct prm_modify_tis_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 tisn[24];
	u8 rsvd_60[32];
	struct prm_modify_tis_bitmask_bits bitmask;
	u8 rsvd_c0[64];
	struct prm_tisc_bits ctx;
};
PRM_LAYOUT(modify_tis_in, 0xc0);

struct prm_modify_tis_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(modify_tis_out, 0x10);

struct prm_destroy_tis_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 tisn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(destroy_tis_in, 0x10);

struct prm_destroy_tis_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(destroy_tis_out, 0x10);

struct prm_rx_hash_field_select_bits {
	u8 l3_prot_type[1];
	u8 l4_prot_type[1];
	u8 selected_fields[30];
};
PRM_LAYOUT(rx_hash_field_select, 0x04);

struct prm_tirc_bits {
	u8 rsvd_00[32];
	u8 disp_type[4];
	u8 tls_en[1];
	u8 rsvd_25[95];
	u8 lro_timeout_period_usecs[16];
	u8 packet_merge_mask[4];
	u8 lro_max_ip_payload_size[8];
	u8 rsvd_a0[72];
	u8 inline_rqn[24];
	u8 rx_hash_symmetric[1];
	u8 rsvd_101[1];
	u8 tunneled_offload_en[1];
	u8 rsvd_103[5];
	u8 indirect_table[24];
	u8 rx_hash_fn[4];
	u8 rsvd_124[2];
	u8 self_lb_block[2];
	u8 transport_domain[24];
	u8 rx_hash_toeplitz_key[10][32];
	struct prm_rx_hash_field_select_bits rx_hash_field_selector_outer;
	struct prm_rx_hash_field_select_bits rx_hash_field_selector_inner;
	u8 rsvd_2c0[1216];
};
PRM_LAYOUT(tirc, 0xf0);

struct prm_create_tir_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[192];
	struct prm_tirc_bits ctx;
};
PRM_LAYOUT(create_tir_in, 0x110);

struct prm_create_tir_out_bits {
	u8 status[8];
	u8 icm_address_63_40[24];
	u8 syndrome[32];
	u8 icm_address_39_32[8];
	u8 tirn[24];
	u8 icm_address_31_0[32];
};
PRM_LAYOUT(create_tir_out, 0x10);

struct prm_query_tir_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 tirn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(query_tir_in, 0x10);

struct prm_query_tir_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[192];
	struct prm_tirc_bits tir_context;
};
PRM_LAYOUT(query_tir_out, 0x110);

struct prm_modify_tir_bitmask_bits {
	u8 rsvd_00[59];
	u8 self_lb_en[1];
	u8 rsvd_3c[1];
	u8 hash[1];
	u8 rsvd_3e[1];
	u8 packet_merge[1];
};
PRM_LAYOUT(modify_tir_bitmask, 0x08);

struct prm_modify_tir_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 tirn[24];
	u8 rsvd_60[32];
	struct prm_modify_tir_bitmask_bits bitmask;
	u8 rsvd_c0[64];
	struct prm_tirc_bits ctx;
};
PRM_LAYOUT(modify_tir_in, 0x110);

struct prm_modify_tir_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(modify_tir_out, 0x10);

struct prm_destroy_tir_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 tirn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(destroy_tir_in, 0x10);

struct prm_destroy_tir_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(destroy_tir_out, 0x10);

struct prm_rqtc_bits {
	u8 rsvd_00[165];
	u8 list_q_type[3];
	u8 rsvd_a8[8];
	u8 rqt_max_size[16];
	u8 rq_vhca_id_format[1];
	u8 rsvd_c1[15];
	u8 rqt_actual_size[16];
	u8 rsvd_e0[1696];
};
PRM_LAYOUT(rqtc, 0xf0);

struct prm_create_rqt_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[192];
	struct prm_rqtc_bits rqt_context;
};
PRM_LAYOUT(create_rqt_in, 0x110);

struct prm_create_rqt_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[8];
	u8 rqtn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(create_rqt_out, 0x10);

struct prm_query_rqt_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 rqtn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(query_rqt_in, 0x10);

struct prm_query_rqt_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[192];
	struct prm_rqtc_bits rqt_context;
};
PRM_LAYOUT(query_rqt_out, 0x110);

struct prm_rqt_bitmask_bits {
	u8 rsvd_00[63];
	u8 rqn_list[1];
};
PRM_LAYOUT(rqt_bitmask, 0x08);

struct prm_modify_rqt_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 rqtn[24];
	u8 rsvd_60[32];
	struct prm_rqt_bitmask_bits bitmask;
	u8 rsvd_c0[64];
	struct prm_rqtc_bits ctx;
};
PRM_LAYOUT(modify_rqt_in, 0x110);

struct prm_modify_rqt_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(modify_rqt_out, 0x10);

struct prm_destroy_rqt_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 rqtn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(destroy_rqt_in, 0x10);

struct prm_destroy_rqt_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(destroy_rqt_out, 0x10);

#endif
