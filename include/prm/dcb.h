/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Registers of traffic classes and receive buffers: trust, priorities, scheduling, what DCB sets.
 * Flow control itself is in PFCC (port.h).
 */
#ifndef CXR_PRM_DCB_H
#define CXR_PRM_DCB_H

#include "prm.h"

enum prm_dcb_reg {
	PRM_REG_QPTS		= 0x4002,
	PRM_REG_QETCR		= 0x4005,
	PRM_REG_QTCT		= 0x400a,
	PRM_REG_QPDPM		= 0x4013,
	PRM_REG_QCAM		= 0x4019,
	PRM_REG_DCBX_PARAM	= 0x4020,
	PRM_REG_PPTB		= 0x500b,
	PRM_REG_PBMC		= 0x500c,
	PRM_REG_SBPR		= 0xb001,
	PRM_REG_SBCM		= 0xb002,
	PRM_REG_SBCAM		= 0xb01f,
};

/* qpts_reg.trust_state */
enum {
	PRM_QPTS_TRUST_PCP	= 1,
	PRM_QPTS_TRUST_DSCP	= 2,
};

/* ets_tcn_config_reg.max_bw_units */
enum {
	PRM_MAX_BW_NO_LIMIT	= 0,
	PRM_MAX_BW_100_MBPS	= 3,
	PRM_MAX_BW_1_GBPS	= 4,
};

/* dcbx_param.version_oper and .version_admin: who speaks DCBX */
enum {
	PRM_DCBX_HOST		= 0,
	PRM_DCBX_FIRMWARE	= 3,
};

/* pfcc_reg.buf_ownership: who sets the receive buffers */
enum {
	PRM_BUF_OWNER_FIRMWARE	= 1,
	PRM_BUF_OWNER_SOFTWARE	= 2,
};

struct prm_qpts_reg_bits {
	u8 rsvd_00[8];
	u8 local_port[8];
	u8 rsvd_10[45];
	u8 trust_state[3];
};
PRM_LAYOUT(qpts_reg, 0x08);

/* dscp: 16 bits each, PRM_QPDPM_ENABLE to change it, and the priority */
#define PRM_QPDPM_ENABLE	0x8000
#define PRM_QPDPM_PRIO		0x000f

struct prm_qpdpm_reg_bits {
	u8 rsvd_00[8];
	u8 local_port[8];
	u8 rsvd_10[16];
	u8 dscp[64][16];
};
PRM_LAYOUT(qpdpm_reg, 0x84);

struct prm_qtct_reg_bits {
	u8 rsvd_00[8];
	u8 port_number[8];
	u8 rsvd_10[13];
	u8 prio[3];
	u8 rsvd_20[29];
	u8 tclass[3];
};
PRM_LAYOUT(qtct_reg, 0x08);

struct prm_ets_tcn_config_reg_bits {
	u8 g[1];
	u8 b[1];
	u8 r[1];
	u8 rsvd_03[9];
	u8 group[4];
	u8 rsvd_10[9];
	u8 bw_allocation[7];
	u8 rsvd_20[12];
	u8 max_bw_units[4];
	u8 rsvd_30[8];
	u8 max_bw_value[8];
};
PRM_LAYOUT(ets_tcn_config_reg, 0x08);

struct prm_ets_global_config_reg_bits {
	u8 rsvd_00[2];
	u8 r[1];
	u8 rsvd_03[41];
	u8 max_bw_units[4];
	u8 rsvd_30[8];
	u8 max_bw_value[8];
};
PRM_LAYOUT(ets_global_config_reg, 0x08);

/* QETCR; tc_configuration: an ets_tcn_config_reg each */
struct prm_qetc_reg_bits {
	u8 rsvd_00[8];
	u8 port_number[8];
	u8 rsvd_10[48];
	u8 tc_configuration[8][64];
	struct prm_ets_global_config_reg_bits global_configuration;
};
PRM_LAYOUT(qetc_reg, 0x50);

struct prm_qcam_access_reg_cap_mask_bits {
	u8 qcam_access_reg_cap_mask_127_to_20[108];
	u8 qpdpm[1];
	u8 qcam_access_reg_cap_mask_18_to_4[15];
	u8 qdpm[1];
	u8 qpts[1];
	u8 qcap[1];
	u8 qcam_access_reg_cap_mask_0[1];
};
PRM_LAYOUT(qcam_access_reg_cap_mask, 0x10);

struct prm_qcam_reg_bits {
	u8 rsvd_00[8];
	u8 feature_group[8];
	u8 rsvd_10[8];
	u8 access_reg_group[8];
	u8 rsvd_20[32];
	union {
		struct prm_qcam_access_reg_cap_mask_bits reg_cap;
	} qos_access_reg_cap_mask;
	u8 rsvd_c0[128];
	u8 qos_feature_cap_mask[128];
	u8 rsvd_1c0[128];
};
PRM_LAYOUT(qcam_reg, 0x48);

struct prm_dcbx_param_bits {
	u8 dcbx_cee_cap[1];
	u8 dcbx_ieee_cap[1];
	u8 dcbx_standby_cap[1];
	u8 rsvd_03[5];
	u8 port_number[8];
	u8 rsvd_10[10];
	u8 max_application_table_size[6];
	u8 rsvd_20[21];
	u8 version_oper[3];
	u8 rsvd_38[5];
	u8 version_admin[3];
	u8 willing_admin[1];
	u8 rsvd_41[3];
	u8 pfc_cap_oper[4];
	u8 rsvd_48[4];
	u8 pfc_cap_admin[4];
	u8 rsvd_50[4];
	u8 num_of_tc_oper[4];
	u8 rsvd_58[4];
	u8 num_of_tc_admin[4];
	u8 remote_willing[1];
	u8 rsvd_61[3];
	u8 remote_pfc_cap[4];
	u8 rsvd_68[20];
	u8 remote_num_of_tc[4];
	u8 rsvd_80[24];
	u8 error[8];
	u8 rsvd_a0[352];
};
PRM_LAYOUT(dcbx_param, 0x40);

struct prm_bufferx_reg_bits {
	u8 rsvd_00[6];
	u8 lossy[1];
	u8 epsb[1];
	u8 rsvd_08[8];
	u8 size[16];
	u8 xoff_threshold[16];
	u8 xon_threshold[16];
};
PRM_LAYOUT(bufferx_reg, 0x08);

/* buffer: a bufferx_reg each, all numbers in cells */
struct prm_pbmc_reg_bits {
	u8 rsvd_00[8];
	u8 local_port[8];
	u8 rsvd_10[16];
	u8 xoff_timer_value[16];
	u8 xoff_refresh[16];
	u8 rsvd_40[9];
	u8 fullness_threshold[7];
	u8 port_buffer_size[16];
	u8 buffer[10][64];
	u8 rsvd_2e0[128];
};
PRM_LAYOUT(pbmc_reg, 0x6c);

/* prio_x_buff: 4 bits a priority, the lowest for priority 0 */
struct prm_pptb_reg_bits {
	u8 rsvd_00[2];
	u8 mm[2];
	u8 rsvd_04[4];
	u8 local_port[8];
	u8 rsvd_10[6];
	u8 cm[1];
	u8 um[1];
	u8 pm[8];
	u8 prio_x_buff[32];
	u8 pm_msb[8];
	u8 rsvd_48[16];
	u8 ctrl_buff[4];
	u8 untagged_buff[4];
};
PRM_LAYOUT(pptb_reg, 0x0c);

struct prm_sbcam_reg_bits {
	u8 rsvd_00[8];
	u8 feature_group[8];
	u8 rsvd_10[8];
	u8 access_reg_group[8];
	u8 rsvd_20[32];
	u8 sb_access_reg_cap_mask[4][32];
	u8 rsvd_c0[128];
	u8 sb_feature_cap_mask[4][32];
	u8 rsvd_1c0[64];
	u8 cap_total_buffer_size[32];
	u8 cap_cell_size[16];
	u8 cap_max_pg_buffers[8];
	u8 cap_num_pool_supported[8];
	u8 rsvd_240[8];
	u8 cap_sbsr_stat_size[8];
	u8 cap_max_tclass_data[8];
	u8 cap_max_cpu_ingress_tclass_sb[8];
};
PRM_LAYOUT(sbcam_reg, 0x4c);

struct prm_sbpr_reg_bits {
	u8 desc[1];
	u8 snap[1];
	u8 rsvd_02[4];
	u8 dir[2];
	u8 rsvd_08[20];
	u8 pool[4];
	u8 infi_size[1];
	u8 rsvd_21[7];
	u8 size[24];
	u8 rsvd_40[28];
	u8 mode[4];
	u8 rsvd_60[8];
	u8 buff_occupancy[24];
	u8 clr[1];
	u8 rsvd_81[7];
	u8 max_buff_occupancy[24];
	u8 rsvd_a0[8];
	u8 ext_buff_occupancy[24];
};
PRM_LAYOUT(sbpr_reg, 0x18);

struct prm_sbcm_reg_bits {
	u8 desc[1];
	u8 snap[1];
	u8 rsvd_02[6];
	u8 local_port[8];
	u8 pnat[2];
	u8 pg_buff[6];
	u8 rsvd_18[6];
	u8 dir[2];
	u8 rsvd_20[31];
	u8 exc[1];
	u8 rsvd_40[64];
	u8 rsvd_80[8];
	u8 buff_occupancy[24];
	u8 clr[1];
	u8 rsvd_a1[7];
	u8 max_buff_occupancy[24];
	u8 rsvd_c0[8];
	u8 min_buff[24];
	u8 infi_max[1];
	u8 rsvd_e1[7];
	u8 max_buff[24];
	u8 rsvd_100[60];
	u8 pool[4];
};
PRM_LAYOUT(sbcm_reg, 0x28);

/* Counters of a traffic class in PPCNT */
struct prm_eth_per_tc_prio_grp_data_layout_bits {
	u8 transmit_queue_high[32];
	u8 transmit_queue_low[32];
	u8 no_buffer_discard_uc_high[32];
	u8 no_buffer_discard_uc_low[32];
	u8 rsvd_80[1856];
};
PRM_LAYOUT(eth_per_tc_prio_grp_data_layout, 0xf8);

struct prm_eth_per_tc_congest_prio_grp_data_layout_bits {
	u8 wred_discard_high[32];
	u8 wred_discard_low[32];
	u8 ecn_marked_tc_high[32];
	u8 ecn_marked_tc_low[32];
	u8 rsvd_80[1856];
};
PRM_LAYOUT(eth_per_tc_congest_prio_grp_data_layout, 0xf8);

#endif
