// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* A driver that is wrong about keys, event, completion and RDMA queues, one thing at a time. */
#include <string.h>

#include "prm/counter.h"
#include "prm/mkey.h"
#include "prm/nic.h"
#include "prm/qp.h"
#include "prm/srq.h"
#include "prm/vport.h"
#include "wrong.h"

#define GONE PRM_STATUS_BAD_RES

/* ---- memory keys ---- */

#define MKC memory_key_mkey_entry
#define MTT_AT(i) (sizeof(struct prm_create_mkey_in) + 8 * (i))

static const struct wrong_row mkey_rows[] = {
	F(create_mkey, pg_access, 1, "pg_access and data_direct are not supported"),
	F(create_mkey, data_direct, 1, "pg_access and data_direct are not supported"),
	F(create_mkey, mkey_umem_valid, 1, "umem_id: there is no UMEM 0x0", .status = GONE),
	F(create_mkey, mkey_umem_valid, 1, "mkey_umem_valid: the mkey is free, or not one of pages",
	  AND(create_mkey, MKC.access_mode_1_0, 2)),
	F(create_mkey, MKC.access_mode_1_0, 3, "mkc.access_mode 3 is not supported"),
	F(create_mkey, MKC.access_mode_4_2, 1, "mkc.access_mode 5 is not supported"),
	F(create_mkey, MKC.qpn, 5, "mkc.qpn is 0x5: only 0xffffff, any QP, is supported"),
	F(create_mkey, MKC.bsf_en, 1, "signature mkeys are not supported"),
	F(create_mkey, MKC.sync_umr, 1, "signature mkeys are not supported"),
	F(create_mkey, MKC.bsf_octword_size, 1, "signature mkeys are not supported"),
	F(create_mkey, MKC.relaxed_ordering_write, 1, "relaxed ordering is not advertised"),
	F(create_mkey, MKC.relaxed_ordering_read, 1, "relaxed ordering is not advertised"),
	F(create_mkey, MKC.ma_translation_mode, 1,
	  "mkc.ma_translation_mode 1: ATS is not advertised"),
	F(create_mkey, MKC.free, 1, "a free mkey without umr_en can never be used"),
	F(create_mkey, MKC.free, 1, "a free mkey takes no translation list",
	  AND(create_mkey, MKC.umr_en, 1)),
	F(create_mkey, MKC.length64, 1, "mkc.len is 0x2000 although length64 is set"),
	F(create_mkey, MKC.length64, 1, "length64 goes with PA mkeys only",
	  AND(create_mkey, MKC.len, 0)),
	F(create_mkey, MKC.len, 0x3000,
	  "12288 bytes at 0x10000 need 3 pages of 2^12 bytes, the list has 2"),
	F(create_mkey, MKC.log_page_size, 11, "mkc.log_page_size 11 is not within 12 to 31"),
	F(create_mkey, MKC.log_page_size, 32, "mkc.log_page_size 32 is not within 12 to 31"),
	F(create_mkey, MKC.access_mode_1_0, 0, "a PA mkey has no translation list"),
	F(create_mkey, translations_octword_actual_size, 2,
	  "translations_octword_actual_size 2: room for 1, the input has 1"),
	F(create_mkey, MKC.access_mode_1_0, 2, "the KLM list covers 0 bytes, mkc.len is 8192"),
	{ .field = "a repeat block", .bit = MTT_AT(0) * 8, .width = 64, .value = 1ull << 32 | 0x400,
	  .text = "the KLM list: a repeat block has other entries than it says",
	  AND(create_mkey, MKC.access_mode_1_0, 2) },
	{ .field = "a misaligned page", .bit = MTT_AT(1) * 8, .width = 64,
	  .value = 0x40003800, .text = "page 1 of the mkey, 0x40003800, is not aligned to 2^12" },
	{ .field = "a page with access bits", .bit = MTT_AT(1) * 8, .width = 64,
	  .value = 0x40003003,
	  .text = "page 1 of the mkey, 0x40003003, has access bits without pg_access" },
	F(create_mkey, MKC.pd, 0xabcdef, "mkc.pd: there is no PD 0xabcdef", .status = GONE),
	F(create_mkey, uid, 3, "uid 3: user contexts are not supported", .status = GONE,
	  .whose = WRONG_DRIVER),
};

static void wrong_mkey(void)
{
	struct { struct prm_create_mkey_in in; __be64 pas[2]; } b = {};

	prm_set(&b.in, MKC.access_mode_1_0, 1);
	prm_set(&b.in, MKC.lr, 1);
	prm_set(&b.in, MKC.qpn, 0xffffff);
	prm_set(&b.in, MKC.pd, rig.pd);
	prm_set64(&b.in, MKC.start_addr, 0x10000);
	prm_set64(&b.in, MKC.len, 0x2000);
	prm_set(&b.in, MKC.log_page_size, 12);
	prm_set(&b.in, MKC.translations_octword_size, 1);
	prm_set(&b.in, translations_octword_actual_size, 1);
	/* the low dword of an entry read as a KLM is its length, the upper one stays 0 */
	b.pas[0] = cpu_to_be64(rig_page());
	b.pas[1] = cpu_to_be64(rig_page());
	WRONG(&WRONG_CMD(create_mkey, &b), mkey_rows);
}

/* ---- event queues ---- */

#define EQC eq_context_entry

static const struct wrong_row eq_rows[] = {
	F(create_eq, EQC.log_eq_size, 23, "log_eq_size 23 is above 22"),
	F(create_eq, EQC.log_page_size, 20, "eqc.log_page_size 20 is above 19"),
	F(create_eq, EQC.intr, 64, "intr 64: the card has 64 vectors"),
	F(create_eq, EQC.status, 9, "status, ec and counters must be zero at creation"),
	F(create_eq, EQC.ec, 1, "status, ec and counters must be zero at creation"),
	F(create_eq, EQC.consumer_counter, 1, "status, ec and counters must be zero at creation"),
	F(create_eq, event_bitmask[1], 1, "event_bitmask has events above 63"),
	F(create_eq, event_bitmask[0], 1 << 9, "event 0x9 already goes to another EQ"),
	F(create_eq, EQC.uar_page, 0xabcdef, "eqc.uar_page: there is no UAR 0xabcdef",
	  .status = GONE),
};

static void wrong_eq(void)
{
	static const struct wrong_row used[] = {
		{ .field = "of a CQ", .status = PRM_STATUS_RES_BUSY,
		  .text = "EQ 0x* is still used by 1 objects" },
	};
	struct { struct prm_create_eq_in in; __be64 pas[1]; } b = {}, async = {};
	struct prm_destroy_eq_in destroy = {};

	prm_set(&b.in, EQC.log_eq_size, 6);
	prm_set(&b.in, EQC.uar_page, rig.uar);
	b.pas[0] = cpu_to_be64(rig_page());
	async = b;
	prm_set64(&async.in, event_bitmask[0], 1 << 9);
	rig_create(&WRONG_CMD(create_eq, &async));
	WRONG(&WRONG_CMD(create_eq, &b), eq_rows);
	prm_set(&destroy, eq_number, rig.eq);
	WRONG_ONLY(&WRONG_CMD(destroy_eq, &destroy), used);
}

/* ---- completion queues ---- */

#define CQC cq_context

static const struct wrong_row cq_rows[] = {
	F(create_cq, CQC.log_cq_size, 23, "log_cq_size 23 is above 22"),
	F(create_cq, CQC.log_page_size, 20, "cqc.log_page_size 20 is above 19"),
	F(create_cq, CQC.cqe_sz, 3, "cqe_sz 3 is neither 64 nor 128 bytes, nor 64 padded to 128"),
	F(create_cq, CQC.cc, 1, "collapsed CQs are not supported"),
	F(create_cq, CQC.cqe_comp_en, 1,
	  "only CQEs of 64 bytes are compressed, cqe_sz is 1", AND(create_cq, CQC.cqe_sz, 1)),
	F(create_cq, CQC.mini_cqe_res_format, 2,
	  "mini_cqe_res_format 2, cqe_compression_layout 0: not advertised"),
	F(create_cq, CQC.cqe_compression_layout, 1,
	  "mini_cqe_res_format 0, cqe_compression_layout 1: not advertised"),
	F(create_cq, CQC.dbr_umem_valid, 1, "umem_id: there is no UMEM 0x0", .status = GONE),
	F(create_cq, cq_umem_valid, 1, "umem_id: there is no UMEM 0x0", .status = GONE),
	F(create_cq, CQC.status, 1, "status, st and counters must be zero at creation"),
	F(create_cq, CQC.last_notified_index, 1,
	  "status, st and counters must be zero at creation"),
	F(create_cq, CQC.dbr_addr, 0x40001004, "dbr_addr is not aligned to 8 bytes"),
	F(create_cq, CQC.page_offset, 63, "cqc.page_offset 63 must be zero"),
	F(create_cq, CQC.log_cq_size, 7,
	  "2 pages are needed, the input has no room for them", .status = PRM_STATUS_BAD_INP_LEN),
	F(create_cq, CQC.c_eqn_or_apu_element, 0x77,
	  "cqc.c_eqn_or_apu_element: there is no EQ 0x77", .status = GONE),
	F(create_cq, CQC.uar_page, 0xabcdef, "cqc.uar_page: there is no UAR 0xabcdef",
	  .status = GONE),
};

#define RESIZE modify_field_select_resize_field_select.resize_field_select.resize_field_select
#define MODIFY modify_field_select_resize_field_select.modify_field_select.modify_field_select

static void wrong_cq(void)
{
	static const struct wrong_row modify[] = {
		F(modify_cq, MODIFY, 4, "field_select 0x4: only moderation can be modified"),
		F(modify_cq, op_mod, 2, "op_mod 0x2 is neither 0 nor 1, resize"),
		F(modify_cq, cqn, 0xabcdef, "cqn: there is no CQ 0xabcdef", .status = GONE),
	};
	static const struct wrong_row resize[] = {
		F(modify_cq, RESIZE, 1,
		  "resize_field_select 0x1: size, page offset and page size go together"),
		F(modify_cq, cq_umem_valid, 1, "umem_id: there is no UMEM 0x0", .status = GONE),
		F(modify_cq, CQC.log_cq_size, 23,
		  "log_cq_size 23 or log_page_size 0 is above 22 or 19"),
		F(modify_cq, CQC.cqe_sz, 1, "cqe_sz 1: entries are of 64 bytes"),
		F(modify_cq, CQC.page_offset, 32, "cqc.page_offset 32 must be zero"),
	};
	struct { struct prm_create_cq_in in; __be64 pas[1]; } b = {};
	struct { struct prm_modify_cq_in in; __be64 pas[1]; } change = {};

	prm_set(&b.in, CQC.log_cq_size, 6);
	prm_set(&b.in, CQC.uar_page, rig.uar);
	prm_set(&b.in, CQC.c_eqn_or_apu_element, rig.eq);
	prm_set64(&b.in, CQC.dbr_addr, rig_page());
	b.pas[0] = cpu_to_be64(rig_page());
	WRONG(&WRONG_CMD(create_cq, &b), cq_rows);
	prm_set(&change.in, cqn, rig_create(&WRONG_CMD(create_cq, &b)));
	prm_set(&change.in, MODIFY, 3);
	WRONG(&WRONG_CMD(modify_cq, &change), modify);
	prm_set(&change.in, op_mod, 1);
	prm_set(&change.in, RESIZE, 7);
	prm_set(&change.in, CQC.log_cq_size, 5);
	change.pas[0] = cpu_to_be64(rig_page());
	WRONG(&WRONG_CMD(modify_cq, &change), resize);
}

/* ---- queue pairs ---- */

static const struct wrong_row qp_rows[] = {
	F(create_qp, qpc_ext, 1, "qpc_ext is set (0x1), but it is not supported"),
	F(create_qp, input_qpn, 9, "input_qpn is set (0x9), but it is not supported"),
	F(create_qp, opt_param_mask, 1,
	  "opt_param_mask is set (0x1), but a new QP takes its whole context"),
	F(create_qp, ece, 1, "ece is set (0x1), but ECE is not advertised"),
	F(create_qp, wq_umem_valid, 1, "umem_id: there is no UMEM 0x0", .status = GONE),
	F(create_qp, qpc.dbr_umem_valid, 1, "umem_id: there is no UMEM 0x0", .status = GONE),
	F(create_qp, qpc.state, 3, "state is set (0x3), but a QP is made in reset state"),
	F(create_qp, qpc.lag_tx_port_affinity, 1,
	  "lag_tx_port_affinity is set (0x1), but it is taken from RESET to INIT"),
	F(create_qp, qpc.isolate_vl_tc, 1, "isolate_vl_tc is set (0x1), but it is not supported"),
	F(create_qp, qpc.req_e2e_credit_mode, 1,
	  "req_e2e_credit_mode is set (0x1), but it is not supported"),
	F(create_qp, qpc.offload_type, 1, "offload_type is set (0x1), but it is not supported"),
	F(create_qp, qpc.end_padding_mode, 1,
	  "end_padding_mode is set (0x1), but it is not supported"),
	F(create_qp, qpc.wq_signature, 1, "wq_signature is set (0x1), but it is not supported"),
	F(create_qp, qpc.atomic_like_write_en, 1,
	  "atomic_like_write_en is set (0x1), but it is not supported"),
	F(create_qp, qpc.drain_sigerr, 1, "drain_sigerr is set (0x1), but it is not supported"),
	F(create_qp, qpc.retry_mode, 1, "retry_mode is set (0x1), but only go-back-N is supported"),
	F(create_qp, qpc.ts_format, 2, "ts_format 2 of the QP is not advertised"),
	F(create_qp, qpc.ulp_stateless_offload_mode, 1,
	  "ulp_stateless_offload_mode is set (0x1), but it is not supported"),
	F(create_qp, qpc.cd_slave_receive, 1,
	  "cd_slave_receive is set (0x1), but cross channel is not supported"),
	F(create_qp, qpc.cd_slave_send, 1,
	  "cd_slave_send is set (0x1), but cross channel is not supported"),
	F(create_qp, qpc.cd_master, 1,
	  "cd_master is set (0x1), but cross channel is not supported"),
	F(create_qp, qpc.cs_req, 0x11,
	  "cs_req is set (0x11), but scatter to CQE is not advertised"),
	F(create_qp, qpc.cs_res, 1, "cs_res is set (0x1), but scatter to CQE is not advertised"),
	F(create_qp, qpc.pm_state, 1, "qpc.pm_state 1: there is no alternate path"),
	F(create_qp, qpc.st, PRM_QP_ST_DCT, "qpc.st 0x6 is not supported"),
	F(create_qp, qpc.st, PRM_QP_ST_REG_UMR, "qpc.rq_type 0: a UMR QP receives nothing"),
	F(create_qp, qpc.st, PRM_QP_ST_XRC,
	  "qpc.rq_type 0: an XRC QP has no receive queue of its own"),
	F(create_qp, qpc.rq_type, 2, "qpc.rq_type 2 is not supported"),
	F(create_qp, qpc.rq_type, PRM_QP_RQ_NONE,
	  "qpc.log_rq_size or log_rq_stride is set without a receive queue"),
	F(create_qp, qpc.deth_sqpn, 1, "qpc.deth_sqpn 0x1: only UD QPs may take QP1's number"),
	F(create_qp, qpc.log_rq_stride, 6,
	  "qpc.log_rq_stride 6: a receive WQE has at most 512 bytes"),
	F(create_qp, qpc.dbr_addr, 0x40001004, "qpc.dbr_addr 0x40001004 is not aligned to 8"),
	F(create_qp, qpc.pd, 0xabcdef, "qpc.pd: there is no PD 0xabcdef", .status = GONE),
	F(create_qp, qpc.uar_page, 0xabcdef, "qpc.uar_page: there is no UAR 0xabcdef",
	  .status = GONE),
	F(create_qp, qpc.cqn_snd, 0xabcdef, "qpc.cqn_snd: there is no CQ 0xabcdef",
	  .status = GONE),
	F(create_qp, qpc.cqn_rcv, 0xabcdef, "qpc.cqn_rcv: there is no CQ 0xabcdef",
	  .status = GONE),
	F(create_qp, qpc.log_sq_size, 15, "* pages are needed, the input has no room for them",
	  .status = PRM_STATUS_BAD_INP_LEN),
	F(create_qp, qpc.log_page_size, 31, "page 0: address 0x* is not aligned to 2^43"),
};

struct qp_in {
	struct prm_create_qp_in in;
	__be64 pas[4];
};

static struct qp_in good_qp(enum prm_qp_st st)
{
	struct qp_in b = {};

	prm_set(&b.in, qpc.st, st);
	prm_set(&b.in, qpc.pm_state, PRM_QP_PM_MIGRATED);
	prm_set(&b.in, qpc.pd, rig.pd);
	prm_set(&b.in, qpc.uar_page, rig.uar);
	prm_set(&b.in, qpc.cqn_snd, rig.cq);
	prm_set(&b.in, qpc.cqn_rcv, rig.cq);
	prm_set(&b.in, qpc.log_sq_size, 4);
	prm_set(&b.in, qpc.log_rq_size, 2);
	prm_set(&b.in, qpc.log_rq_stride, 2);
	prm_set64(&b.in, qpc.dbr_addr, rig_page());
	b.pas[0] = cpu_to_be64(rig_page());
	b.pas[1] = cpu_to_be64(rig_page());
	return b;
}

/* The context of all transitions; rst2init's layout is that of the others. */
static struct prm_rst2init_qp_in transition(uint32_t qpn, enum prm_qp_st st)
{
	struct prm_rst2init_qp_in in = {};

	prm_set(&in, qpn, qpn);
	prm_set(&in, qpc.st, st);
	prm_set(&in, qpc.pm_state, PRM_QP_PM_MIGRATED);
	prm_set(&in, qpc.pd, rig.pd);
	prm_set(&in, qpc.primary_address_path.vhca_port_num, 1);
	prm_set(&in, qpc.mtu, PRM_QP_MTU_1024);
	prm_set(&in, qpc.log_msg_max, 30);
	prm_set(&in, qpc.primary_address_path.rmac_47_32, 0x02c4);
	return in;
}

/* A command with the layout of a transition. */
#define TRANSITION(name, input)                                                          \
	((struct wrong_cmd){ #name, PRM_OP_##name, input, sizeof(*(input)),              \
			     sizeof(struct prm_##name##_out) })

static const struct wrong_row init_rows[] = {
	F(rst2init_qp, opt_param_mask, 1, "opt_param_mask 0x1: the transition takes 0x*"),
	F(rst2init_qp, ece, 1, "ece 0x1: ECE is not advertised"),
	F(rst2init_qp, qpc.st, PRM_QP_ST_UD, "qpc.st is 0x2, the QP was made with 0x0"),
	F(rst2init_qp, qpc.pd, 5, "qpc.pd is 0x5, the QP was made with 0x*"),
	F(rst2init_qp, qpc.primary_address_path.vhca_port_num, 2, "a QP needs port 1, not 2"),
	F(rst2init_qp, qpc.primary_address_path.pkey_index, 1,
	  "primary_address_path.pkey_index is set (0x1), but the table has one P_Key"),
	F(rst2init_qp, qpc.lag_tx_port_affinity, 1,
	  "lag_tx_port_affinity is set (0x1), but LAG is not advertised"),
	F(rst2init_qp, qpc.rae, 1, "qpc.atomic_mode 0 with rae 1"),
	F(rst2init_qp, qpc.counter_set_id, 0xee, "*there is no Q_COUNTER 0xee", .status = GONE),
	F(rst2init_qp, qpn, 0xabcdef, "qpn: there is no QP 0xabcdef", .status = GONE),
};

static const struct wrong_row rtr_rows[] = {
	F(rst2init_qp, qpc.mtu, 0, "qpc.mtu 0 is not one of 1 (256) to 5 (4096)"),
	F(rst2init_qp, qpc.mtu, 6, "qpc.mtu 6 is not one of 1 (256) to 5 (4096)"),
	F(rst2init_qp, qpc.log_msg_max, 31, "qpc.log_msg_max 31: the card advertises 30"),
	F(rst2init_qp, qpc.log_msg_max, 0,
	  "qpc.log_msg_max 0: a connection needs the length of its messages"),
	F(rst2init_qp, qpc.primary_address_path.src_addr_index, 9,
	  "ads.src_addr_index 9: the RoCE address table is empty there"),
	F(rst2init_qp, qpc.primary_address_path.vhca_port_num, 0,
	  "ads.vhca_port_num 0: the function has one port"),
	F(rst2init_qp, qpc.primary_address_path.rmac_47_32, 0x0100,
	  "ads.rmac is a multicast address"),
	F(rst2init_qp, qpc.primary_address_path.plane_index, 1,
	  "plane_index is set (0x1), but it is not supported"),
	F(rst2init_qp, qpc.primary_address_path.free_ar, 1,
	  "free_ar is set (0x1), but it is not supported"),
	F(rst2init_qp, qpc.primary_address_path.fl, 1, "fl is set (0x1), but it is not supported"),
	F(rst2init_qp, qpc.lag_tx_port_affinity, 1,
	  "lag_tx_port_affinity is set (0x1), but this transition does not take it"),
};

static void wrong_transitions(uint32_t qpn)
{
	static const struct wrong_row early[] = {
		{ .field = "from reset", .status = PRM_STATUS_BAD_QP_STATE,
		  .text = "QP 0x* is in state RST" },
	};
	static const struct wrong_row init2init[] = {
		F(rst2init_qp, opt_param_mask, PRM_QP_OPT_PRI_PORT,
		  "the function has one port, not 2",
		  AND(rst2init_qp, qpc.primary_address_path.vhca_port_num, 2)),
		F(rst2init_qp, opt_param_mask, PRM_QP_OPT_RAE, "qpc.atomic_mode 0 with rae 1",
		  AND(rst2init_qp, qpc.rae, 1)),
	};
	static const struct wrong_row lag[] = {
		F(rst2init_qp, opt_param_mask, PRM_QP_OPT_LAG_TX_AFF,
		  "opt_param_mask has the LAG port: LAG is not advertised"),
	};
	static const struct wrong_row rts[] = {
		F(rst2init_qp, opt_param_mask, PRM_QP_OPT_PM_STATE,
		  "qpc.pm_state 1: there is no alternate path",
		  AND(rst2init_qp, qpc.pm_state, 1)),
	};
	struct prm_rst2init_qp_in in = transition(qpn, PRM_QP_ST_RC);

	WRONG_ONLY(&TRANSITION(init2rtr_qp, &in), early);
	WRONG(&TRANSITION(rst2init_qp, &in), init_rows);
	WRONG(&TRANSITION(init2init_qp, &in), init2init);
	WRONG_ONLY(&TRANSITION(init2rtr_qp, &in), lag);
	WRONG(&TRANSITION(init2rtr_qp, &in), rtr_rows);
	WRONG(&TRANSITION(rtr2rts_qp, &in), rts);
}

static void wrong_qp(void)
{
	static const struct wrong_row query[] = {
		F(query_qp, qpc_ext, 1, "qpc_ext is set (0x1), but it is not supported"),
	};
	static const struct wrong_row second_gsi[] = {
		{ .field = "a second one", .status = PRM_STATUS_NO_RES,
		  .text = "the port has its QP1 already, QP 0x*" },
	};
	struct qp_in b = good_qp(PRM_QP_ST_RC);
	struct prm_query_qp_in ask = {};
	uint32_t qpn;

	WRONG(&WRONG_CMD(create_qp, &b), qp_rows);
	qpn = rig_create(&WRONG_CMD(create_qp, &b));
	prm_set(&ask, qpn, qpn);
	WRONG(&WRONG_CMD(query_qp, &ask), query);
	wrong_transitions(qpn);
	b = good_qp(PRM_QP_ST_QP1);
	rig_create(&WRONG_CMD(create_qp, &b));
	WRONG_ONLY(&WRONG_CMD(create_qp, &b), second_gsi);
}

static void wrong_multicast(void)
{
	static const struct wrong_row not_ud[] = {
		{ .field = "an RC QP", .text = "QP 0x* is not UD" },
	};
	static const struct wrong_row twice[] = {
		{ .field = "a second time", .text = "QP 0x* is attached to the group already" },
	};
	static const struct wrong_row used[] = {
		{ .field = "in a multicast group", .status = PRM_STATUS_RES_BUSY,
		  .text = "QP 0x* is still attached to a multicast group" },
	};
	static const struct wrong_row full[] = {
		{ .field = "with a 241st QP", .status = PRM_STATUS_NO_RES,
		  .text = "the group has 240 QPs already" },
	};
	static const struct wrong_row not_there[] = {
		F(detach_from_mcg, multicast_gid[15], 7, "QP 0x* is not attached to the group"),
	};
	struct qp_in rc = good_qp(PRM_QP_ST_RC), ud = good_qp(PRM_QP_ST_UD);
	struct prm_attach_to_mcg_in in = {};
	struct prm_detach_from_mcg_in out = {};
	struct prm_destroy_qp_in destroy = {};
	uint32_t qpn = rig_create(&WRONG_CMD(create_qp, &ud)), i;

	prm_set(&in, qpn, rig_create(&WRONG_CMD(create_qp, &rc)));
	prm_set(&in, multicast_gid[0], 0xff);
	WRONG_ONLY(&WRONG_CMD(attach_to_mcg, &in), not_ud);
	prm_set(&in, qpn, qpn);
	rig_create(&WRONG_CMD(attach_to_mcg, &in));
	WRONG_ONLY(&WRONG_CMD(attach_to_mcg, &in), twice);
	prm_set(&destroy, qpn, qpn);
	WRONG_ONLY(&WRONG_CMD(destroy_qp, &destroy), used);
	prm_set(&out, qpn, qpn);
	prm_set(&out, multicast_gid[0], 0xff);
	WRONG(&WRONG_CMD(detach_from_mcg, &out), not_there);
	for (i = 0; i < 240; i++) {
		prm_set(&in, qpn, rig_create(&WRONG_CMD(create_qp, &ud)));
		rig_create(&WRONG_CMD(attach_to_mcg, &in));
	}
	prm_set(&in, qpn, qpn);
	WRONG_ONLY(&WRONG_CMD(attach_to_mcg, &in), full);
}

/* ---- shared receive queues ---- */

#define SRQC srq_context_entry
#define XRCC xrc_srq_context_entry

static const struct wrong_row srq_rows[] = {
	F(create_srq, SRQC.log_rq_stride, 0,
	  "2^4 WQEs of 16 << 0 bytes: the card has 2^15 of 32 to 1024"),
	F(create_srq, SRQC.log_rq_stride, 7,
	  "2^4 WQEs of 16 << 7 bytes: the card has 2^15 of 32 to 1024"),
	F(create_srq, SRQC.dbr_addr, 0x40001002,
	  "the doorbell record 0x40001002 is not aligned to 4"),
	F(create_srq, SRQC.state, 1, "state is set (0x1), but an SRQ is made in good state"),
	F(create_srq, SRQC.wq_signature, 1, "wq_signature is set (0x1), but it is not supported"),
	F(create_srq, SRQC.cont_srq, 1, "cont_srq is set (0x1), but it is not supported"),
	F(create_srq, SRQC.lwm, 16, "lwm 16: the queue has 16 WQEs"),
	F(create_srq, SRQC.log_page_size, 32, "log_page_size 44 is not one of 12..43"),
	F(create_srq, SRQC.pd, 0xabcdef, "pd: there is no PD 0xabcdef", .status = GONE),
};

static const struct wrong_row xrc_rows[] = {
	F(create_xrc_srq, xrc_srq_umem_valid, 1, "umem_id: there is no UMEM 0x0", .status = GONE),
	F(create_xrc_srq, XRCC.dbr_umem_valid, 1, "umem_id: there is no UMEM 0x0", .status = GONE),
	F(create_xrc_srq, XRCC.state, 1, "state is set (0x1), but an SRQ is made in good state"),
	F(create_xrc_srq, XRCC.basic_cyclic_rcv_wqe, 1,
	  "basic_cyclic_rcv_wqe is set (0x1), but it is not supported"),
	F(create_xrc_srq, XRCC.user_index_equal_xrc_srqn, 1,
	  "user_index_equal_xrc_srqn is set (0x1), but it is not supported"),
	F(create_xrc_srq, XRCC.cqn, 0xabcdef, "xrc_srqc.cqn: there is no CQ 0xabcdef",
	  .status = GONE),
	F(create_xrc_srq, XRCC.xrcd, 0xabcdef, "xrc_srqc.xrcd: there is no XRCD 0xabcdef",
	  .status = GONE),
};

static void wrong_srq(void)
{
	static const struct wrong_row arm[] = {
		F(arm_rq, op_mod, 2, "op_mod 2: only SRQs can be armed"),
		F(arm_rq, lwm, 100, "lwm 100: the queue has 16 WQEs"),
		F(arm_rq, srq_number, 0xabcdef, "srq_number: there is no SRQ 0xabcdef",
		  .status = GONE),
	};
	static const struct wrong_row arm_xrc[] = {
		F(arm_xrc_srq, op_mod, 2, "op_mod 2 is not 1"),
	};
	struct { struct prm_create_srq_in in; __be64 pas[1]; } b = {};
	struct { struct prm_create_xrc_srq_in in; __be64 pas[1]; } x = {};
	struct prm_arm_rq_in limit = {};
	struct prm_arm_xrc_srq_in xrc_limit = {};

	prm_set(&b.in, SRQC.log_srq_size, 4);
	prm_set(&b.in, SRQC.log_rq_stride, 2);
	prm_set(&b.in, SRQC.pd, rig.pd);
	prm_set64(&b.in, SRQC.dbr_addr, rig_page());
	b.pas[0] = cpu_to_be64(rig_page());
	WRONG(&WRONG_CMD(create_srq, &b), srq_rows);
	prm_set(&limit, srq_number, rig_create(&WRONG_CMD(create_srq, &b)));
	prm_set(&limit, op_mod, PRM_ARM_RQ_SRQ);
	WRONG(&WRONG_CMD(arm_rq, &limit), arm);

	prm_set(&x.in, XRCC.log_xrc_srq_size, 4);
	prm_set(&x.in, XRCC.log_rq_stride, 2);
	prm_set(&x.in, XRCC.pd, rig.pd);
	prm_set(&x.in, XRCC.cqn, rig.cq);
	prm_set(&x.in, XRCC.xrcd, rig.xrcd);
	prm_set(&x.in, XRCC.db_record_addr_l, rig_page() >> 2);
	x.pas[0] = cpu_to_be64(rig_page());
	WRONG(&WRONG_CMD(create_xrc_srq, &x), xrc_rows);
	prm_set(&xrc_limit, xrc_srqn, rig_create(&WRONG_CMD(create_xrc_srq, &x)));
	prm_set(&xrc_limit, op_mod, 1);
	WRONG(&WRONG_CMD(arm_xrc_srq, &xrc_limit), arm_xrc);
}

static const struct wrong_row rmp_rows[] = {
	F(create_rmp, ctx.state, 0, "rmpc.state 0: an RMP is made ready (1)"),
	F(create_rmp, ctx.wq.wq_type, 2, "wq.wq_type 2: an RMP is a linked list (0) or cyclic (1)"),
	F(create_rmp, ctx.basic_cyclic_rcv_wqe, 1,
	  "basic_cyclic_rcv_wqe is set (0x1), but it is not supported"),
	F(create_rmp, ctx.wq.wq_signature, 1, "wq_signature is set (0x1), but it is not supported"),
	F(create_rmp, ctx.wq.end_padding_mode, 1,
	  "end_padding_mode is set (0x1), but it is not supported"),
	F(create_rmp, ctx.wq.cd_slave, 1, "cd_slave is set (0x1), but it is not supported"),
	F(create_rmp, ctx.wq.dbr_umem_valid, 1, "umem_id: there is no UMEM 0x0", .status = GONE),
	F(create_rmp, ctx.wq.wq_umem_valid, 1, "umem_id: there is no UMEM 0x0", .status = GONE),
	F(create_rmp, ctx.wq.log_wq_stride, 3, "wq.log_wq_stride 3 is less than 4"),
};

static void wrong_rmp(void)
{
	static const struct wrong_row modify[] = {
		F(modify_rmp, ctx.state, PRM_WQ_ERR, "an RMP goes from ready to ready only"),
	};
	struct { struct prm_create_rmp_in in; __be64 pas[1]; } b = {};
	struct prm_modify_rmp_in change = {};

	prm_set(&b.in, ctx.state, PRM_WQ_RDY);
	prm_set(&b.in, ctx.wq.pd, rig.pd);
	prm_set(&b.in, ctx.wq.log_wq_stride, 6);
	prm_set(&b.in, ctx.wq.log_wq_sz, 4);
	prm_set64(&b.in, ctx.wq.dbr_addr, rig_page());
	b.pas[0] = cpu_to_be64(rig_page());
	WRONG(&WRONG_CMD(create_rmp, &b), rmp_rows);
	prm_set(&change, rmpn, rig_create(&WRONG_CMD(create_rmp, &b)));
	prm_set(&change, rmp_state, PRM_WQ_RDY);
	prm_set(&change, ctx.state, PRM_WQ_RDY);
	WRONG(&WRONG_CMD(modify_rmp, &change), modify);
}

static void wrong_counters(void)
{
	static const struct wrong_row query[] = {
		F(query_q_counter, other_vport, 1,
		  "other vports and sums of counter sets are not supported"),
		F(query_q_counter, aggregate, 1,
		  "other vports and sums of counter sets are not supported"),
		F(query_q_counter, counter_set_id, 0xee,
		  "counter_set_id: there is no Q_COUNTER 0xee", .status = GONE),
	};
	struct prm_query_q_counter_in in = {};

	prm_set(&in, counter_set_id, rig.counter);
	WRONG(&WRONG_CMD(query_q_counter, &in), query);
}

int main(int argc, char **argv)
{
	int status;

	(void)argc;
	ktap_plan(0);
	rig_open(argv[1]);
	rig_address();
	wrong_mkey();
	wrong_eq();
	wrong_cq();
	wrong_qp();
	wrong_multicast();
	wrong_srq();
	wrong_rmp();
	wrong_counters();
	status = rig_close();
	ktap(status == 3, "exit status 3");
	return ktap_end();
}
