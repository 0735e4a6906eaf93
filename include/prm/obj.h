/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The function itself and its basic objects: initialization, pages, UAR, PD, transport domain,
 * XRCD, PSV, EQ, CQ.
 */
#ifndef CXR_PRM_OBJ_H
#define CXR_PRM_OBJ_H

#include "prm.h"

/* op_mod of QUERY_PAGES and MANAGE_PAGES */
enum {
	PRM_QUERY_PAGES_BOOT	= 1,
	PRM_QUERY_PAGES_INIT	= 2,
	PRM_QUERY_PAGES_REGULAR	= 3,
};

enum {
	PRM_PAGES_CANT_GIVE	= 0,
	PRM_PAGES_GIVE		= 1,
	PRM_PAGES_TAKE		= 2,
};

/* Pages given to the device have 4 KiB, independent of the page size of the host. */
#define PRM_PAGE_SHIFT	12

/* teardown_hca_in.profile */
enum {
	PRM_TEARDOWN_GRACEFUL	= 0,
	PRM_TEARDOWN_FORCE	= 1,
	PRM_TEARDOWN_FAST	= 2,
};

/* eqc.st */
enum {
	PRM_EQC_ARMED		= 0x9,
	PRM_EQC_FIRED		= 0xa,
	PRM_EQC_ALWAYS_ARMED	= 0xb,
};

/* eqc.status and cqc.status */
enum {
	PRM_EQC_OK		= 0x0,
	PRM_EQC_WRITE_FAILURE	= 0xa,
};

enum {
	PRM_CQC_OK		= 0x0,
	PRM_CQC_OVERFLOW	= 0x9,
	PRM_CQC_WRITE_FAIL	= 0xa,
};

/* cqc.cqe_sz, cqc.st, cqc.cq_period_mode */
enum {
	PRM_CQE_SZ_64		= 0,
	PRM_CQE_SZ_128		= 1,
	PRM_CQE_SZ_128_PAD	= 2,	/* 64 at the end of 128, all of which are written */
};

/* cqc.mini_cqe_res_format */
enum prm_mini_cqe_format {
	PRM_MINI_CQE_HASH	= 0,
	PRM_MINI_CQE_CSUM	= 1,
	PRM_MINI_CQE_CSUM_STRIDE	= 3,
};

enum {
	PRM_CQC_SOLICITED_ARMED	= 0x6,
	PRM_CQC_ARMED		= 0x9,
	PRM_CQC_FIRED		= 0xa,
};

enum {
	PRM_CQ_PERIOD_FROM_EQE	= 0,
	PRM_CQ_PERIOD_FROM_CQE	= 1,
};

/* modify_cq_in: op_mod, and modify_field_select of op_mod MODIFY */
enum {
	PRM_MODIFY_CQ		= 0,
	PRM_RESIZE_CQ		= 1,
};

#define PRM_MODIFY_CQ_PERIOD		(1U << 0)
#define PRM_MODIFY_CQ_MAX_COUNT		(1U << 1)
#define PRM_MODIFY_CQ_OI		(1U << 2)
#define PRM_MODIFY_CQ_EQN		(1U << 3)
#define PRM_MODIFY_CQ_PERIOD_MODE	(1U << 4)

#define PRM_RESIZE_CQ_LOG_SIZE		(1U << 0)
#define PRM_RESIZE_CQ_PAGE_OFFSET	(1U << 1)
#define PRM_RESIZE_CQ_PAGE_SIZE		(1U << 2)

struct prm_enable_hca_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 embedded_cpu_function[1];
	u8 rsvd_41[15];
	u8 function_id[16];
	u8 rsvd_60[32];
};
PRM_LAYOUT(enable_hca_in, 0x10);

struct prm_enable_hca_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[32];
};
PRM_LAYOUT(enable_hca_out, 0x0c);

struct prm_disable_hca_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 embedded_cpu_function[1];
	u8 rsvd_41[15];
	u8 function_id[16];
	u8 rsvd_60[32];
};
PRM_LAYOUT(disable_hca_in, 0x10);

struct prm_disable_hca_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[32];
};
PRM_LAYOUT(disable_hca_out, 0x0c);

struct prm_query_issi_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[64];
};
PRM_LAYOUT(query_issi_in, 0x10);

struct prm_query_issi_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[16];
	u8 current_issi[16];
	u8 rsvd_60[768];
	u8 supported_issi_dw0[32];
};
PRM_LAYOUT(query_issi_out, 0x70);

struct prm_set_issi_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[16];
	u8 current_issi[16];
	u8 rsvd_60[32];
};
PRM_LAYOUT(set_issi_in, 0x10);

struct prm_set_issi_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(set_issi_out, 0x10);

struct prm_query_pages_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 embedded_cpu_function[1];
	u8 rsvd_41[15];
	u8 function_id[16];
	u8 rsvd_60[32];
};
PRM_LAYOUT(query_pages_in, 0x10);

struct prm_query_pages_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 embedded_cpu_function[1];
	u8 rsvd_41[15];
	u8 function_id[16];
	u8 num_pages[32];
};
PRM_LAYOUT(query_pages_out, 0x10);

struct prm_manage_pages_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 embedded_cpu_function[1];
	u8 rsvd_41[15];
	u8 function_id[16];
	u8 input_num_entries[32];
	/* tail: pas */
};
PRM_LAYOUT(manage_pages_in, 0x10);

struct prm_manage_pages_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 output_num_entries[32];
	u8 rsvd_60[32];
	/* tail: pas */
};
PRM_LAYOUT(manage_pages_out, 0x10);

struct prm_init_hca_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[34];
	u8 sw_vhca_id[14];
	u8 rsvd_70[16];
	u8 sw_owner_id[4][32];
};
PRM_LAYOUT(init_hca_in, 0x20);

struct prm_init_hca_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(init_hca_out, 0x10);

struct prm_teardown_hca_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[16];
	u8 profile[16];
	u8 rsvd_60[32];
};
PRM_LAYOUT(teardown_hca_in, 0x10);

struct prm_teardown_hca_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[63];
	u8 state[1];
};
PRM_LAYOUT(teardown_hca_out, 0x10);

struct prm_query_adapter_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[64];
};
PRM_LAYOUT(query_adapter_in, 0x10);

struct prm_query_adapter_param_block_bits {
	u8 rsvd_00[200];
	u8 ieee_vendor_id[24];
	u8 rsvd_e0[16];
	u8 vsd_vendor_id[16];
	u8 vsd[208][8];
	u8 vsd_contd_psid[16][8];
};
PRM_LAYOUT(query_adapter_param_block, 0x100);

struct prm_query_adapter_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
	struct prm_query_adapter_param_block_bits query_adapter_struct;
};
PRM_LAYOUT(query_adapter_out, 0x110);

struct prm_set_driver_version_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[64];
	u8 driver_version[64][8];
};
PRM_LAYOUT(set_driver_version_in, 0x50);

struct prm_set_driver_version_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(set_driver_version_out, 0x10);

struct prm_query_special_contexts_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[64];
};
PRM_LAYOUT(query_special_contexts_in, 0x10);

struct prm_query_special_contexts_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 dump_fill_mkey[32];
	u8 resd_lkey[32];
	u8 null_mkey[32];
	u8 terminate_scatter_list_mkey[32];
	u8 repeated_mkey[32];
	u8 rsvd_e0[32];
};
PRM_LAYOUT(query_special_contexts_out, 0x20);

struct prm_nop_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[64];
};
PRM_LAYOUT(nop_in, 0x10);

struct prm_nop_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(nop_out, 0x10);

struct prm_alloc_uar_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[64];
};
PRM_LAYOUT(alloc_uar_in, 0x10);

struct prm_alloc_uar_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[8];
	u8 uar[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(alloc_uar_out, 0x10);

struct prm_dealloc_uar_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 uar[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(dealloc_uar_in, 0x10);

struct prm_dealloc_uar_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(dealloc_uar_out, 0x10);

struct prm_alloc_pd_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[64];
};
PRM_LAYOUT(alloc_pd_in, 0x10);

struct prm_alloc_pd_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[8];
	u8 pd[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(alloc_pd_out, 0x10);

struct prm_dealloc_pd_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 pd[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(dealloc_pd_in, 0x10);

struct prm_dealloc_pd_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(dealloc_pd_out, 0x10);

struct prm_alloc_transport_domain_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[64];
};
PRM_LAYOUT(alloc_transport_domain_in, 0x10);

struct prm_alloc_transport_domain_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[8];
	u8 transport_domain[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(alloc_transport_domain_out, 0x10);

struct prm_dealloc_transport_domain_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 transport_domain[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(dealloc_transport_domain_in, 0x10);

struct prm_dealloc_transport_domain_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(dealloc_transport_domain_out, 0x10);

struct prm_alloc_xrcd_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[64];
};
PRM_LAYOUT(alloc_xrcd_in, 0x10);

struct prm_alloc_xrcd_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[8];
	u8 xrcd[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(alloc_xrcd_out, 0x10);

struct prm_dealloc_xrcd_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 xrcd[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(dealloc_xrcd_in, 0x10);

struct prm_dealloc_xrcd_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(dealloc_xrcd_out, 0x10);

struct prm_create_psv_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 num_psv[4];
	u8 rsvd_44[4];
	u8 pd[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(create_psv_in, 0x10);

struct prm_create_psv_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[72];
	u8 psv0_index[24];
	u8 rsvd_a0[8];
	u8 psv1_index[24];
	u8 rsvd_c0[8];
	u8 psv2_index[24];
	u8 rsvd_e0[8];
	u8 psv3_index[24];
};
PRM_LAYOUT(create_psv_out, 0x20);

struct prm_destroy_psv_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 psvn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(destroy_psv_in, 0x10);

struct prm_destroy_psv_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(destroy_psv_out, 0x10);

struct prm_eqc_bits {
	u8 status[4];
	u8 rsvd_04[9];
	u8 ec[1];
	u8 oi[1];
	u8 rsvd_0f[5];
	u8 st[4];
	u8 rsvd_18[60];
	u8 page_offset[6];
	u8 rsvd_5a[9];
	u8 log_eq_size[5];
	u8 uar_page[24];
	u8 rsvd_80[52];
	u8 intr[12];
	u8 rsvd_c0[3];
	u8 log_page_size[5];
	u8 rsvd_c8[128];
	u8 consumer_counter[24];
	u8 rsvd_160[8];
	u8 producer_counter[24];
	u8 rsvd_180[128];
};
PRM_LAYOUT(eqc, 0x40);

struct prm_create_eq_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[64];
	struct prm_eqc_bits eq_context_entry;
	u8 rsvd_280[64];
	u8 event_bitmask[4][64];
	u8 rsvd_3c0[1216];
	/* tail: pas */
};
PRM_LAYOUT(create_eq_in, 0x110);

struct prm_create_eq_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[24];
	u8 eq_number[8];
	u8 rsvd_60[32];
};
PRM_LAYOUT(create_eq_out, 0x10);

struct prm_query_eq_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[24];
	u8 eq_number[8];
	u8 rsvd_60[32];
};
PRM_LAYOUT(query_eq_in, 0x10);

struct prm_query_eq_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
	struct prm_eqc_bits eq_context_entry;
	u8 rsvd_280[64];
	u8 event_bitmask[64];
	u8 rsvd_300[1408];
	/* tail: pas */
};
PRM_LAYOUT(query_eq_out, 0x110);

struct prm_destroy_eq_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[24];
	u8 eq_number[8];
	u8 rsvd_60[32];
};
PRM_LAYOUT(destroy_eq_in, 0x10);

struct prm_destroy_eq_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(destroy_eq_out, 0x10);

struct prm_cqc_bits {
	u8 status[4];
	u8 rsvd_04[2];
	u8 dbr_umem_valid[1];
	u8 apu_cq[1];
	u8 cqe_sz[3];
	u8 cc[1];
	u8 rsvd_0c[1];
	u8 scqe_break_moderation_en[1];
	u8 oi[1];
	u8 cq_period_mode[2];
	u8 cqe_comp_en[1];
	u8 mini_cqe_res_format[2];
	u8 st[4];
	u8 rsvd_18[6];
	u8 cqe_compression_layout[2];
	u8 dbr_umem_id[32];
	u8 rsvd_40[20];
	u8 page_offset[6];
	u8 rsvd_5a[9];
	u8 log_cq_size[5];
	u8 uar_page[24];
	u8 rsvd_80[4];
	u8 cq_period[12];
	u8 cq_max_count[16];
	u8 c_eqn_or_apu_element[32];
	u8 rsvd_c0[3];
	u8 log_page_size[5];
	u8 rsvd_c8[64];
	u8 last_notified_index[24];
	u8 rsvd_120[8];
	u8 last_solicit_index[24];
	u8 rsvd_140[8];
	u8 consumer_counter[24];
	u8 rsvd_160[8];
	u8 producer_counter[24];
	u8 rsvd_180[64];
	u8 dbr_addr[64];
};
PRM_LAYOUT(cqc, 0x40);

struct prm_create_cq_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[64];
	struct prm_cqc_bits cq_context;
	u8 cq_umem_offset[64];
	u8 cq_umem_id[32];
	u8 cq_umem_valid[1];
	u8 rsvd_2e1[1439];
	/* tail: pas */
};
PRM_LAYOUT(create_cq_in, 0x110);

struct prm_create_cq_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[8];
	u8 cqn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(create_cq_out, 0x10);

struct prm_query_cq_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 cqn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(query_cq_in, 0x10);

struct prm_query_cq_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
	struct prm_cqc_bits cq_context;
	u8 rsvd_280[1536];
	/* tail: pas */
};
PRM_LAYOUT(query_cq_out, 0x110);

struct prm_modify_field_select_bits {
	u8 modify_field_select[32];
};
PRM_LAYOUT(modify_field_select, 0x04);

struct prm_resize_field_select_bits {
	u8 resize_field_select[32];
};
PRM_LAYOUT(resize_field_select, 0x04);

union prm_modify_field_select_resize_field_select_auto_bits {
	struct prm_modify_field_select_bits modify_field_select;
	struct prm_resize_field_select_bits resize_field_select;
};

struct prm_modify_cq_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 cqn[24];
	union prm_modify_field_select_resize_field_select_auto_bits modify_field_select_resize_field_select;
	struct prm_cqc_bits cq_context;
	u8 cq_umem_offset[64];
	u8 cq_umem_id[32];
	u8 cq_umem_valid[1];
	u8 rsvd_2e1[1439];
	/* tail: pas */
};
PRM_LAYOUT(modify_cq_in, 0x110);

struct prm_modify_cq_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(modify_cq_out, 0x10);

struct prm_destroy_cq_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[8];
	u8 cqn[24];
	u8 rsvd_60[32];
};
PRM_LAYOUT(destroy_cq_in, 0x10);

struct prm_destroy_cq_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(destroy_cq_out, 0x10);

#endif
