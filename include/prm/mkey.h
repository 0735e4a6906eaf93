/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Memory keys. */
#ifndef CXR_PRM_MKEY_H
#define CXR_PRM_MKEY_H

#include "prm.h"

/* mkc.access_mode_1_0, and from 4 on also access_mode_4_2 */
enum {
	PRM_MKC_PA	= 0,
	PRM_MKC_MTT	= 1,
	PRM_MKC_KLMS	= 2,
	PRM_MKC_KSM	= 3,
	PRM_MKC_MEMIC	= 5,
};

struct prm_mkc_bits {
	u8 rsvd_00[1];
	u8 free[1];
	u8 rsvd_02[1];
	u8 access_mode_4_2[3];
	u8 rsvd_06[7];
	u8 relaxed_ordering_write[1];
	u8 rsvd_0e[1];
	u8 small_fence_on_rdma_read_response[1];
	u8 umr_en[1];
	u8 a[1];
	u8 rw[1];
	u8 rr[1];
	u8 lw[1];
	u8 lr[1];
	u8 access_mode_1_0[2];
	u8 rsvd_18[2];
	u8 ma_translation_mode[2];
	u8 rsvd_1c[4];
	u8 qpn[24];
	u8 mkey_7_0[8];
	u8 rsvd_40[32];
	u8 length64[1];
	u8 bsf_en[1];
	u8 sync_umr[1];
	u8 rsvd_63[2];
	u8 expected_sigerr_count[1];
	u8 rsvd_66[1];
	u8 en_rinval[1];
	u8 pd[24];
	u8 start_addr[64];
	u8 len[64];
	u8 bsf_octword_size[32];
	u8 rsvd_120[128];
	u8 translations_octword_size[32];
	u8 rsvd_1c0[25];
	u8 relaxed_ordering_read[1];
	u8 log_page_size[6];
	u8 rsvd_1e0[32];
};
PRM_LAYOUT(mkc, 0x40);

struct prm_create_mkey_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[32];
	u8 pg_access[1];
	u8 mkey_umem_valid[1];
	u8 data_direct[1];
	u8 rsvd_63[29];
	struct prm_mkc_bits memory_key_mkey_entry;
	u8 rsvd_280[128];
	u8 translations_octword_actual_size[32];
	u8 mkey_umem_id[32];
	u8 mkey_umem_offset[64];
	u8 rsvd_380[1280];
	/* tail: klm_pas_mtt */
};
PRM_LAYOUT(create_mkey_in, 0x110);

struct prm_create_mkey_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[8];
	u8 mkey_index[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(create_mkey_out, 0x10);

struct prm_query_mkey_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 mkey_index[24];
	u8 pg_access[1];
	u8 rsvd_61[31];
};
PRM_LAYOUT(query_mkey_in, 0x10);

struct prm_query_mkey_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
	struct prm_mkc_bits memory_key_mkey_entry;
	u8 rsvd_280[1536];
	u8 bsf0_klm0_pas_mtt0_1[16][8];
	u8 bsf1_klm1_pas_mtt2_3[16][8];
};
PRM_LAYOUT(query_mkey_out, 0x130);

struct prm_destroy_mkey_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 mkey_index[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(destroy_mkey_in, 0x10);

struct prm_destroy_mkey_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(destroy_mkey_out, 0x10);

#endif
