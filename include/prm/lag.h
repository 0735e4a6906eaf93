/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* LAG. */
#ifndef CXR_PRM_LAG_H
#define CXR_PRM_LAG_H

#include "prm.h"

/* lagc.port_select_mode */
enum {
	PRM_LAG_QUEUE_AFFINITY	= 0,
	PRM_LAG_PORT_SELECT_FT	= 1,	/* hash mode: by flow tables of type PRM_FT_PORT_SEL */
	PRM_LAG_PORT_SELECT_MPESW = 2,
};

/* modify_lag_in.field_select */
#define PRM_MODIFY_LAG_REMAP		(1U << 0)
#define PRM_MODIFY_LAG_ACTIVE_PORT	(1U << 1)

struct prm_lagc_bits {
	u8 fdb_selection_mode[1];
	u8 rsvd_01[20];
	u8 port_select_mode[3];
	u8 rsvd_18[5];
	u8 lag_state[3];
	u8 rsvd_20[12];
	u8 active_port[4];
	u8 rsvd_30[4];
	u8 tx_remap_affinity_2[4];
	u8 rsvd_38[4];
	u8 tx_remap_affinity_1[4];
};
PRM_LAYOUT(lagc, 0x08);

struct prm_create_lag_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	struct prm_lagc_bits ctx;
};
PRM_LAYOUT(create_lag_in, 0x10);

struct prm_create_lag_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(create_lag_out, 0x10);

struct prm_query_lag_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[64];
};
PRM_LAYOUT(query_lag_in, 0x10);

struct prm_query_lag_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	struct prm_lagc_bits ctx;
};
PRM_LAYOUT(query_lag_out, 0x10);

struct prm_modify_lag_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[32];
	u8 field_select[32];
	struct prm_lagc_bits ctx;
};
PRM_LAYOUT(modify_lag_in, 0x18);

struct prm_modify_lag_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(modify_lag_out, 0x10);

struct prm_destroy_lag_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[64];
};
PRM_LAYOUT(destroy_lag_in, 0x10);

struct prm_destroy_lag_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(destroy_lag_out, 0x10);

struct prm_create_vport_lag_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[64];
};
PRM_LAYOUT(create_vport_lag_in, 0x10);

struct prm_create_vport_lag_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(create_vport_lag_out, 0x10);

struct prm_destroy_vport_lag_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[64];
};
PRM_LAYOUT(destroy_vport_lag_in, 0x10);

struct prm_destroy_vport_lag_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(destroy_vport_lag_out, 0x10);

#endif
