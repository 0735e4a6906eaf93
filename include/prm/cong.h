/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Congestion control of RoCE: commands and parameters. Its statistics are in counter.h. */
#ifndef CXR_PRM_CONG_H
#define CXR_PRM_CONG_H

#include "prm.h"

/* cong_protocol: of the sender of data, of their receiver, of neither */
enum {
	PRM_CONG_RP		= 1,
	PRM_CONG_NP		= 2,
	PRM_CONG_GENERAL	= 3,
};

/* modify_cong_params_in.field_select: bits of the reaction point */
enum {
	PRM_CONG_RP_CLAMP		= 1,
	PRM_CONG_RP_CLAMP_AFTER_TIME	= 2,
	PRM_CONG_RP_TIME_RESET		= 3,
	PRM_CONG_RP_BYTE_RESET		= 4,
	PRM_CONG_RP_THRESHOLD		= 5,
	PRM_CONG_RP_MAX_RATE		= 6,
	PRM_CONG_RP_AI_RATE		= 7,
	PRM_CONG_RP_HAI_RATE		= 8,
	PRM_CONG_RP_MIN_DEC_FAC		= 9,
	PRM_CONG_RP_MIN_RATE		= 10,
	PRM_CONG_RP_FIRST_CNP		= 11,
	PRM_CONG_RP_G			= 12,
	PRM_CONG_RP_RTT			= 13,
	PRM_CONG_RP_MONITOR_PERIOD	= 14,
	PRM_CONG_RP_INITIAL_ALPHA	= 15,
	PRM_CONG_RP_GD			= 16,
};

/* The same of the notification point. */
enum {
	PRM_CONG_NP_MIN_TIME		= 2,
	PRM_CONG_NP_DSCP		= 3,
	PRM_CONG_NP_PRIO_MODE		= 4,	/* and the priority */
};

enum {
	PRM_CONG_GENERAL_RTT_DSCP	= 0,	/* and whether it is valid */
};

/* Rates in Mb/s, times in microseconds. */
struct prm_cong_control_r_roce_ecn_rp_bits {
	u8 rsvd_00[100];
	u8 clamp_tgt_rate[1];
	u8 rsvd_65[3];
	u8 clamp_tgt_rate_after_time_inc[1];
	u8 rsvd_69[55];
	u8 rpg_time_reset[32];
	u8 rpg_byte_reset[32];
	u8 rpg_threshold[32];
	u8 rpg_max_rate[32];
	u8 rpg_ai_rate[32];
	u8 rpg_hai_rate[32];
	u8 rpg_gd[32];
	u8 rpg_min_dec_fac[32];
	u8 rpg_min_rate[32];
	u8 rsvd_1c0[224];
	u8 rate_to_set_on_first_cnp[32];
	u8 dce_tcp_g[32];
	u8 dce_tcp_rtt[32];
	u8 rate_reduce_monitor_period[32];
	u8 rsvd_320[32];
	u8 initial_alpha_value[32];
	u8 rsvd_360[1184];
};
PRM_LAYOUT(cong_control_r_roce_ecn_rp, 0x100);

struct prm_cong_control_r_roce_ecn_np_bits {
	u8 rsvd_00[160];
	u8 min_time_between_cnps[32];
	u8 rsvd_c0[18];
	u8 cnp_dscp[6];
	u8 rsvd_d8[4];
	u8 cnp_prio_mode[1];
	u8 cnp_802p_prio[3];
	u8 rsvd_e0[1824];
};
PRM_LAYOUT(cong_control_r_roce_ecn_np, 0x100);

struct prm_cong_control_r_roce_general_bits {
	u8 rsvd_00[144];
	u8 rtt_resp_dscp_valid[1];
	u8 rsvd_91[9];
	u8 rtt_resp_dscp[6];
	u8 rsvd_a0[1888];
};
PRM_LAYOUT(cong_control_r_roce_general, 0x100);

union prm_cong_control_roce_ecn_auto_bits {
	struct prm_cong_control_r_roce_ecn_rp_bits cong_control_r_roce_ecn_rp;
	struct prm_cong_control_r_roce_ecn_np_bits cong_control_r_roce_ecn_np;
	struct prm_cong_control_r_roce_general_bits cong_control_r_roce_general;
};

struct prm_query_cong_params_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[28];
	u8 cong_protocol[4];
	u8 rsvd_60[32];
};
PRM_LAYOUT(query_cong_params_in, 0x10);

struct prm_query_cong_params_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
	union prm_cong_control_roce_ecn_auto_bits congestion_parameters;
};
PRM_LAYOUT(query_cong_params_out, 0x110);

struct prm_modify_cong_params_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[28];
	u8 cong_protocol[4];
	u8 field_select[32];
	u8 rsvd_80[128];
	union prm_cong_control_roce_ecn_auto_bits congestion_parameters;
};
PRM_LAYOUT(modify_cong_params_in, 0x120);

struct prm_modify_cong_params_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(modify_cong_params_out, 0x10);

struct prm_query_cong_status_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[24];
	u8 priority[4];
	u8 cong_protocol[4];
	u8 rsvd_60[32];
};
PRM_LAYOUT(query_cong_status_in, 0x10);

struct prm_query_cong_status_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[32];
	u8 enable[1];
	u8 tag_enable[1];
	u8 rsvd_62[30];
};
PRM_LAYOUT(query_cong_status_out, 0x10);

struct prm_modify_cong_status_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[24];
	u8 priority[4];
	u8 cong_protocol[4];
	u8 enable[1];
	u8 tag_enable[1];
	u8 rsvd_62[30];
};
PRM_LAYOUT(modify_cong_status_in, 0x10);

struct prm_modify_cong_status_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(modify_cong_status_out, 0x10);

#endif
