/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* On-demand paging: its capabilities, and the answer to a page fault. The event is in eqe.h. */
#ifndef CXR_PRM_CAP_ODP_H
#define CXR_PRM_CAP_ODP_H

#include "prm.h"

struct prm_odp_per_transport_service_cap_bits {
	u8 send[1];
	u8 receive[1];
	u8 write[1];
	u8 read[1];
	u8 atomic[1];
	u8 srq_receive[1];
	u8 rsvd_06[26];
};
PRM_LAYOUT(odp_per_transport_service_cap, 0x4);

struct prm_odp_scheme_cap_bits {
	u8 rsvd_00[64];
	u8 sig[1];
	u8 rsvd_41[4];
	u8 page_prefetch[1];
	u8 rsvd_46[58];
	struct prm_odp_per_transport_service_cap_bits rc_odp_caps;
	struct prm_odp_per_transport_service_cap_bits uc_odp_caps;
	struct prm_odp_per_transport_service_cap_bits ud_odp_caps;
	struct prm_odp_per_transport_service_cap_bits xrc_odp_caps;
	struct prm_odp_per_transport_service_cap_bits dc_odp_caps;
	u8 rsvd_120[224];
};
PRM_LAYOUT(odp_scheme_cap, 0x40);

/* Page PRM_CAP_ODP. Faults are of the memory scheme if mem_page_fault is set. */
struct prm_odp_cap_bits {
	struct prm_odp_scheme_cap_bits transport_page_fault_scheme_cap;
	struct prm_odp_scheme_cap_bits memory_page_fault_scheme_cap;
	u8 rsvd_400[512];
	u8 mem_page_fault[1];
	u8 rsvd_601[511];
};
PRM_LAYOUT(odp_cap, 0x100);

/* wq_number: of a fault of PRM_FAULT_RDMA the token once more */
struct prm_trans_page_fault_info_bits {
	u8 error[1];
	u8 rsvd_01[4];
	u8 page_fault_type[3];
	u8 wq_number[24];
	u8 rsvd_20[8];
	u8 fault_token[24];
};

struct prm_mem_page_fault_info_bits {
	u8 error[1];
	u8 rsvd_01[15];
	u8 fault_token_47_32[16];
	u8 fault_token_31_0[32];
};

union prm_page_fault_resume_in_page_fault_info_auto_bits {
	struct prm_trans_page_fault_info_bits trans_page_fault_info;
	struct prm_mem_page_fault_info_bits mem_page_fault_info;
};

struct prm_page_fault_resume_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	union prm_page_fault_resume_in_page_fault_info_auto_bits page_fault_info;
};
PRM_LAYOUT(page_fault_resume_in, 0x10);

struct prm_page_fault_resume_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(page_fault_resume_out, 0x10);

#endif
