/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Queue pairs, multicast attachment, and the GSI mailbox. */
#ifndef CXR_PRM_QP_H
#define CXR_PRM_QP_H

#include "prm.h"

/* qpc.state; qpc.st is the service type, qpc.pm_state the migration state */
enum prm_qp_state {
	PRM_QP_RST		= 0,
	PRM_QP_INIT		= 1,
	PRM_QP_RTR		= 2,
	PRM_QP_RTS		= 3,
	PRM_QP_SQER		= 4,
	PRM_QP_SQD		= 5,
	PRM_QP_ERR		= 6,
	PRM_QP_SQ_DRAINING	= 7,
	PRM_QP_SUSPENDED	= 9,
};

enum prm_qp_st {
	PRM_QP_ST_RC		= 0x0,
	PRM_QP_ST_UC		= 0x1,
	PRM_QP_ST_UD		= 0x2,
	PRM_QP_ST_XRC		= 0x3,
	PRM_QP_ST_DCI		= 0x5,
	PRM_QP_ST_DCT		= 0x6,
	PRM_QP_ST_QP0		= 0x7,
	PRM_QP_ST_QP1		= 0x8,
	PRM_QP_ST_RAW_ETHERTYPE	= 0x9,
	PRM_QP_ST_REG_UMR	= 0xc,
};

enum {
	PRM_QP_PM_ARMED		= 0,
	PRM_QP_PM_REARM		= 1,
	PRM_QP_PM_MIGRATED	= 3,
};

/* qpc.rq_type */
enum {
	PRM_QP_RQ		= 0,
	PRM_QP_RQ_SRQ		= 1,
	PRM_QP_RQ_NONE		= 3,
};

/* qpc.mtu */
enum {
	PRM_QP_MTU_256		= 1,
	PRM_QP_MTU_512		= 2,
	PRM_QP_MTU_1024		= 3,
	PRM_QP_MTU_2048		= 4,
	PRM_QP_MTU_4096		= 5,
	PRM_QP_MTU_RAW_ETHERNET	= 7,
};

/* qpc.cs_req, qpc.cs_res: CQE size that inline scatter may use */
enum {
	PRM_QP_CS_REQ_32	= 0x11,
	PRM_QP_CS_REQ_64	= 0x22,
	PRM_QP_CS_RES_32	= 0x1,
	PRM_QP_CS_RES_64	= 0x2,
};

/* qpc.atomic_mode, dctc.atomic_mode; from 8B on log2 of the largest operand in bytes */
enum {
	PRM_QP_ATOMIC_NONE	= 0,
	PRM_QP_ATOMIC_IB	= 1,
	PRM_QP_ATOMIC_8B	= 3,
};

/* opt_param_mask: optional fields of the context in a transition */
#define PRM_QP_OPT_ALT_ADDR_PATH	(1U << 0)
#define PRM_QP_OPT_RRE			(1U << 1)
#define PRM_QP_OPT_RAE			(1U << 2)
#define PRM_QP_OPT_RWE			(1U << 3)
#define PRM_QP_OPT_PKEY_INDEX		(1U << 4)
#define PRM_QP_OPT_Q_KEY		(1U << 5)
#define PRM_QP_OPT_RNR_TIMEOUT		(1U << 6)
#define PRM_QP_OPT_PRIMARY_ADDR_PATH	(1U << 7)
#define PRM_QP_OPT_SRA_MAX		(1U << 8)
#define PRM_QP_OPT_RRA_MAX		(1U << 9)
#define PRM_QP_OPT_PM_STATE		(1U << 10)
#define PRM_QP_OPT_RETRY_COUNT		(1U << 12)
#define PRM_QP_OPT_RNR_RETRY		(1U << 13)
#define PRM_QP_OPT_ACK_TIMEOUT		(1U << 14)
#define PRM_QP_OPT_LAG_TX_AFF		(1U << 15)
#define PRM_QP_OPT_PRI_PORT		(1U << 16)
#define PRM_QP_OPT_PRIMARY_PATH_DSCP	(1U << 17)
#define PRM_QP_OPT_SRQN			(1U << 18)
#define PRM_QP_OPT_CQN_RCV		(1U << 19)
#define PRM_QP_OPT_COUNTER_SET_ID	(1U << 25)

/* opt_param_mask_95_32 */
#define PRM_QP_OPT_32_DCI_STREAM	(1U << 0)
#define PRM_QP_OPT_32_UDP_SPORT		(1U << 2)

struct prm_ads_bits {
	u8 fl[1];
	u8 free_ar[1];
	u8 rsvd_02[14];
	u8 pkey_index[16];
	u8 plane_index[8];
	u8 grh[1];
	u8 mlid[7];
	u8 rlid[16];
	u8 ack_timeout[5];
	u8 rsvd_45[3];
	u8 src_addr_index[8];
	u8 rsvd_50[4];
	u8 stat_rate[4];
	u8 hop_limit[8];
	u8 rsvd_60[4];
	u8 tclass[8];
	u8 flow_label[20];
	u8 rgid_rip[16][8];
	u8 rsvd_100[4];
	u8 f_dscp[1];
	u8 f_ecn[1];
	u8 rsvd_106[1];
	u8 f_eth_prio[1];
	u8 ecn[2];
	u8 dscp[6];
	u8 udp_sport[16];
	u8 dei_cfi[1];
	u8 eth_prio[3];
	u8 sl[4];
	u8 vhca_port_num[8];
	u8 rmac_47_32[16];
	u8 rmac_31_0[32];
};
PRM_LAYOUT(ads, 0x2c);

struct prm_qpc_bits {
	u8 state[4];
	u8 lag_tx_port_affinity[4];
	u8 st[8];
	u8 rsvd_10[2];
	u8 isolate_vl_tc[1];
	u8 pm_state[2];
	u8 rsvd_15[1];
	u8 req_e2e_credit_mode[2];
	u8 offload_type[4];
	u8 end_padding_mode[2];
	u8 rsvd_1e[2];
	u8 wq_signature[1];
	u8 block_lb_mc[1];
	u8 atomic_like_write_en[1];
	u8 latency_sensitive[1];
	u8 rsvd_24[1];
	u8 drain_sigerr[1];
	u8 rsvd_26[2];
	u8 pd[24];
	u8 mtu[3];
	u8 log_msg_max[5];
	u8 rsvd_48[1];
	u8 log_rq_size[4];
	u8 log_rq_stride[3];
	u8 no_sq[1];
	u8 log_sq_size[4];
	u8 rsvd_55[1];
	u8 retry_mode[2];
	u8 ts_format[2];
	u8 rsvd_5a[1];
	u8 rlky[1];
	u8 ulp_stateless_offload_mode[4];
	u8 counter_set_id[8];
	u8 uar_page[24];
	u8 rsvd_80[8];
	u8 user_index[24];
	u8 rsvd_a0[3];
	u8 log_page_size[5];
	u8 remote_qpn[24];
	struct prm_ads_bits primary_address_path;
	struct prm_ads_bits secondary_address_path;
	u8 log_ack_req_freq[4];
	u8 rsvd_384[4];
	u8 log_sra_max[3];
	u8 rsvd_38b[2];
	u8 retry_count[3];
	u8 rnr_retry[3];
	u8 rsvd_393[1];
	u8 fre[1];
	u8 cur_rnr_retry[3];
	u8 cur_retry_count[3];
	u8 rsvd_39b[45];
	u8 next_send_psn[24];
	u8 rsvd_3e0[3];
	u8 log_num_dci_stream_channels[5];
	u8 cqn_snd[24];
	u8 rsvd_400[3];
	u8 log_num_dci_errored_streams[5];
	u8 deth_sqpn[24];
	u8 rsvd_420[40];
	u8 last_acked_psn[24];
	u8 rsvd_460[8];
	u8 ssn[24];
	u8 rsvd_480[8];
	u8 log_rra_max[3];
	u8 rsvd_48b[1];
	u8 atomic_mode[4];
	u8 rre[1];
	u8 rwe[1];
	u8 rae[1];
	u8 rsvd_493[1];
	u8 page_offset[6];
	u8 rsvd_49a[3];
	u8 cd_slave_receive[1];
	u8 cd_slave_send[1];
	u8 cd_master[1];
	u8 rsvd_4a0[3];
	u8 min_rnr_nak[5];
	u8 next_rcv_psn[24];
	u8 rsvd_4c0[8];
	u8 xrcd[24];
	u8 rsvd_4e0[8];
	u8 cqn_rcv[24];
	u8 dbr_addr[64];
	u8 q_key[32];
	u8 rsvd_560[5];
	u8 rq_type[3];
	u8 srqn_rmpn_xrqn[24];
	u8 rsvd_580[8];
	u8 rmsn[24];
	u8 hw_sq_wqebb_counter[16];
	u8 sw_sq_wqebb_counter[16];
	u8 hw_rq_counter[32];
	u8 sw_rq_counter[32];
	u8 rsvd_600[47];
	u8 cgs[1];
	u8 cs_req[8];
	u8 cs_res[8];
	u8 dc_access_key[64];
	u8 rsvd_680[3];
	u8 dbr_umem_valid[1];
	u8 rsvd_684[156];
	u8 dbr_umem_id[32];
};
PRM_LAYOUT(qpc, 0xe8);

struct prm_create_qp_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 qpc_ext[1];
	u8 rsvd_41[7];
	u8 input_qpn[24];
	u8 rsvd_60[32];
	u8 opt_param_mask[32];
	u8 ece[32];
	struct prm_qpc_bits qpc;
	u8 wq_umem_offset[64];
	u8 wq_umem_id[32];
	u8 wq_umem_valid[1];
	u8 rsvd_861[31];
	/* tail: pas */
};
PRM_LAYOUT(create_qp_in, 0x110);

struct prm_create_qp_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[8];
	u8 qpn[24];
	u8 ece[32];
};
PRM_LAYOUT(create_qp_out, 0x10);

struct prm_query_qp_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 qpc_ext[1];
	u8 rsvd_41[7];
	u8 qpn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(query_qp_in, 0x10);

struct prm_query_qp_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
	u8 opt_param_mask[32];
	u8 ece[32];
	struct prm_qpc_bits qpc;
	u8 rsvd_800[128];
};
PRM_LAYOUT(query_qp_out, 0x110);

struct prm_destroy_qp_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 qpn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(destroy_qp_in, 0x10);

struct prm_destroy_qp_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(destroy_qp_out, 0x10);

struct prm_rst2init_qp_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 qpn[24];
	u8 rsvd_60[32];
	u8 opt_param_mask[32];
	u8 ece[32];
	struct prm_qpc_bits qpc;
	u8 rsvd_800[128];
};
PRM_LAYOUT(rst2init_qp_in, 0x110);

struct prm_rst2init_qp_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[32];
	u8 ece[32];
};
PRM_LAYOUT(rst2init_qp_out, 0x10);

struct prm_init2init_qp_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 qpn[24];
	u8 rsvd_60[32];
	u8 opt_param_mask[32];
	u8 ece[32];
	struct prm_qpc_bits qpc;
	u8 rsvd_800[128];
};
PRM_LAYOUT(init2init_qp_in, 0x110);

struct prm_init2init_qp_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[32];
	u8 ece[32];
};
PRM_LAYOUT(init2init_qp_out, 0x10);

struct prm_init2rtr_qp_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 qpn[24];
	u8 rsvd_60[32];
	u8 opt_param_mask[32];
	u8 ece[32];
	struct prm_qpc_bits qpc;
	u8 rsvd_800[128];
};
PRM_LAYOUT(init2rtr_qp_in, 0x110);

struct prm_init2rtr_qp_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[32];
	u8 ece[32];
};
PRM_LAYOUT(init2rtr_qp_out, 0x10);

struct prm_rtr2rts_qp_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 qpn[24];
	u8 rsvd_60[32];
	u8 opt_param_mask[32];
	u8 ece[32];
	struct prm_qpc_bits qpc;
	u8 rsvd_800[128];
};
PRM_LAYOUT(rtr2rts_qp_in, 0x110);

struct prm_rtr2rts_qp_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[32];
	u8 ece[32];
};
PRM_LAYOUT(rtr2rts_qp_out, 0x10);

struct prm_qpc_ext_bits {
	u8 rsvd_00[2];
	u8 mmo[1];
	u8 rsvd_03[13];
	u8 dci_stream_channel_id[16];
	u8 qos_queue_group_id_requester[32];
	u8 qos_queue_group_id_responder[32];
	u8 rsvd_60[1440];
};
PRM_LAYOUT(qpc_ext, 0xc0);

struct prm_rts2rts_qp_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 qpc_ext[1];
	u8 rsvd_41[7];
	u8 qpn[24];
	u8 rsvd_60[32];
	u8 opt_param_mask[32];
	u8 ece[32];
	struct prm_qpc_bits qpc;
	u8 rsvd_800[64];
	u8 opt_param_mask_95_32[64];
	/* tail: the extension, if qpc_ext is set */
};
PRM_LAYOUT(rts2rts_qp_in, 0x110);

struct prm_rts2rts_qp_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[32];
	u8 ece[32];
};
PRM_LAYOUT(rts2rts_qp_out, 0x10);

struct prm_sqerr2rts_qp_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 qpn[24];
	u8 rsvd_60[32];
	u8 opt_param_mask[32];
	u8 rsvd_a0[32];
	struct prm_qpc_bits qpc;
	u8 rsvd_800[128];
};
PRM_LAYOUT(sqerr2rts_qp_in, 0x110);

struct prm_sqerr2rts_qp_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(sqerr2rts_qp_out, 0x10);

struct prm_sqd2rts_qp_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 qpn[24];
	u8 rsvd_60[32];
	u8 opt_param_mask[32];
	u8 rsvd_a0[32];
	struct prm_qpc_bits qpc;
	u8 rsvd_800[128];
};
PRM_LAYOUT(sqd2rts_qp_in, 0x110);

struct prm_sqd2rts_qp_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(sqd2rts_qp_out, 0x10);

struct prm_qp_2err_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 qpn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(qp_2err_in, 0x10);

struct prm_qp_2err_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(qp_2err_out, 0x10);

struct prm_qp_2rst_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 qpn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(qp_2rst_in, 0x10);

struct prm_qp_2rst_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(qp_2rst_out, 0x10);

struct prm_attach_to_mcg_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 qpn[24];
	u8 rsvd_60[32];
	u8 multicast_gid[16][8];
};
PRM_LAYOUT(attach_to_mcg_in, 0x20);

struct prm_attach_to_mcg_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(attach_to_mcg_out, 0x10);

struct prm_detach_from_mcg_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 qpn[24];
	u8 rsvd_60[32];
	u8 multicast_gid[16][8];
};
PRM_LAYOUT(detach_from_mcg_in, 0x20);

struct prm_detach_from_mcg_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(detach_from_mcg_out, 0x10);

struct prm_mad_ifc_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 remote_lid[16];
	u8 plane_index[8];
	u8 port[8];
	u8 rsvd_60[32];
	u8 mad[256][8];
};
PRM_LAYOUT(mad_ifc_in, 0x110);

struct prm_mad_ifc_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
	u8 response_mad_packet[256][8];
};
PRM_LAYOUT(mad_ifc_out, 0x110);

#endif
