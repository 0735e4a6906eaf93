// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Capabilities: the function and its queues, and fields that only drivers of other cards read. */
#include <string.h>

#include "caps.h"
#include "port/port.h"
#include "prm/cong.h"
#include "prm/counter.h"
#include "prm/dcb.h"
#include "prm/definer.h"
#include "prm/port.h"
#include "rdma/rdma.h"

/* ---- flags ---- */

int read_reg(struct dut *dut, unsigned int id, void *reg, uint32_t len)
{
	struct { struct prm_access_register_in hdr; uint8_t reg[256]; } in = {};
	struct { struct prm_access_register_out hdr; uint8_t reg[256]; } out;
	int status;

	prm_set(&in.hdr, op_mod, PRM_ACCESS_REG_READ);
	prm_set(&in.hdr, register_id, id);
	status = dut_exec_tail(dut, PRM_OP_access_register, &in.hdr, sizeof(in.hdr), reg, len,
			       &out, sizeof(out.hdr) + len);
	memcpy(reg, out.reg, len);
	return status;
}

bool probe_page(struct dut *dut, uint32_t value, uint32_t type)
{
	struct prm_query_hca_cap_in in = {};
	struct prm_query_hca_cap_out out;

	(void)value;
	prm_set(&in, op_mod, type << 1 | PRM_CAP_CUR);
	return !dut_cmd(dut, query_hca_cap, &in, &out);
}

bool probe_opcode(struct dut *dut, uint32_t value, uint32_t opcode)
{
	uint8_t in[0x110] __attribute__((aligned(8))) = {}, out[0x110];

	(void)value;
	return dut_exec(dut, opcode, in, sizeof(in), out, sizeof(out)) != PRM_STATUS_BAD_OP;
}

static bool probe_reg(struct dut *dut, uint32_t value, uint32_t id)
{
	uint8_t reg[256] = {};

	(void)value;
	return !read_reg(dut, id, reg, sizeof(reg));
}

/* An XRC queue pair needs an XRC domain, and has no receive queue of its own. */
static bool probe_service(struct dut *dut, uint32_t value, uint32_t st)
{
	struct prm_alloc_xrcd_in alloc = {};
	struct prm_alloc_xrcd_out xrcd;
	struct prm_create_xrc_srq_in srq = {};
	struct prm_create_xrc_srq_out num;
	uint64_t pas = htobe64(DUT_BASE);
	struct prm_create_qp_in in = {};
	int status;

	(void)value;
	prm_set(&in, qpc.st, st);
	if (st != PRM_QP_ST_XRC)
		return !try_qp(dut, &in);
	if (dut_cmd(dut, alloc_xrcd, &alloc, &xrcd))
		return false;
	prm_set(&srq, xrc_srq_context_entry.log_rq_stride, 2);
	prm_set(&srq, xrc_srq_context_entry.cqn, env.cqn);
	prm_set(&srq, xrc_srq_context_entry.pd, dut->pd);
	prm_set(&srq, xrc_srq_context_entry.xrcd, prm_get(&xrcd, xrcd));
	dut_check(dut_cmd_tail(dut, create_xrc_srq, &srq, &num, &pas, 8), "create_xrc_srq");
	prm_set(&in, qpc.rq_type, PRM_QP_RQ_SRQ);
	prm_set(&in, qpc.xrcd, prm_get(&xrcd, xrcd));
	prm_set(&in, qpc.srqn_rmpn_xrqn, prm_get(&num, xrc_srqn));
	status = try_qp(dut, &in);
	dut_destroy_obj(dut, PRM_OP_destroy_xrc_srq, prm_get(&num, xrc_srqn));
	dut_destroy_obj(dut, PRM_OP_dealloc_xrcd, prm_get(&xrcd, xrcd));
	return !status;
}

#define FLAG_OF(name, kind, layout, field, v)							\
static bool probe_##name(struct dut *dut, uint32_t value, uint32_t arg)			\
{												\
	(void)value;										\
	(void)arg;										\
	return !TRY(dut, kind, layout, field, v);						\
}

FLAG_OF(cq_oi, cq, cq, cq_context.oi, 1)
FLAG_OF(cq_from_cqe, cq, cq, cq_context.cq_period_mode, PRM_CQ_PERIOD_FROM_CQE)
FLAG_OF(cq_compression, cq, cq, cq_context.cqe_comp_en, 1)
FLAG_OF(cq_padding, cq, cq, cq_context.cqe_sz, PRM_CQE_SZ_128_PAD)
FLAG_OF(cq_enhanced, cq, cq, cq_context.cqe_compression_layout, 1)
FLAG_OF(cq_stride, cq, cq, cq_context.mini_cqe_res_format, PRM_MINI_CQE_CSUM_STRIDE)
FLAG_OF(cq_scqe, cq, cq, cq_context.scqe_break_moderation_en, 1)
FLAG_OF(cq_apu, cq, cq, cq_context.apu_cq, 1)
FLAG_OF(qp_block_lb_mc, qp, qp, qpc.block_lb_mc, 1)
FLAG_OF(qp_signature, qp, qp, qpc.wq_signature, 1)
FLAG_OF(qp_scatter, qp, qp, qpc.cs_res, PRM_QP_CS_RES_32)
FLAG_OF(qp_cd, qp, qp, qpc.cd_master, 1)
FLAG_OF(qp_padding, qp, qp, qpc.end_padding_mode, 1)
FLAG_OF(qp_ece, qp, qp, ece, 1)
FLAG_OF(qp_drain, qp, qp, qpc.drain_sigerr, 1)
FLAG_OF(qp_isolate, qp, qp, qpc.isolate_vl_tc, 1)
FLAG_OF(rq_striding, rq, rq, ctx.wq.wq_type, PRM_WQ_CYCLIC_STRIDING)
FLAG_OF(rq_shampo, rq, rq, ctx.wq.shampo_enable, 1)
FLAG_OF(rq_delay, rq, rq, ctx.delay_drop_en, 1)
FLAG_OF(rq_hairpin, rq, rq, ctx.hairpin, 1)
FLAG_OF(rmp_cyclic, rmp, rmp, ctx.basic_cyclic_rcv_wqe, 1)
/* Real time by the capability; and a card with nothing else refuses the free-running clock. */
#define TS_FORMAT_OF(kind)								\
static bool probe_##kind##_ts_format(struct dut *dut, uint32_t value, uint32_t arg)	\
{											\
	struct prm_cmd_hca_cap *cap = (void *)dut->dev->hca->cap_cur[CAP_GENERAL];	\
	bool works = !TRY(dut, kind, kind, ctx.ts_format, PRM_TS_REAL_TIME);		\
	bool only;									\
											\
	(void)arg;									\
	prm_set(cap, kind##_ts_format, PRM_TS_CAP_REAL_TIME);				\
	only = !TRY(dut, kind, kind, ctx.ts_format, PRM_TS_REAL_TIME) &&		\
	       !TRY(dut, kind, kind, ctx.ts_format, PRM_TS_DEFAULT) &&			\
	       TRY(dut, kind, kind, ctx.ts_format, PRM_TS_FREE_RUNNING);		\
	prm_set(cap, kind##_ts_format, value);						\
	return only ? works : !value;							\
}

TS_FORMAT_OF(sq)
TS_FORMAT_OF(rq)

static int try_vhca_port(struct dut *dut, unsigned int port)
{
	struct prm_set_roce_address_in in = {};
	struct prm_set_roce_address_out out;

	prm_set(&in, vhca_port_num, port);
	return dut_cmd(dut, set_roce_address, &in, &out);
}

/* The port is named if the card says how many there are. */
static bool probe_vhca_ports(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct prm_cmd_hca_cap *cap = (void *)dut->dev->hca->cap_cur[CAP_GENERAL];
	bool works = !try_vhca_port(dut, 1), only;

	(void)arg;
	prm_set(cap, num_vhca_ports, 1);
	only = !try_vhca_port(dut, 1) && try_vhca_port(dut, 0);
	prm_set(cap, num_vhca_ports, value);
	return only ? works : !value;
}

FLAG_OF(sq_ts_cqe, sq, sq, ctx.ts_cqe_to_dest_cqn, 1)
FLAG_OF(mkey_ordering_write, mkey, mkey, memory_key_mkey_entry.relaxed_ordering_write, 1)
FLAG_OF(mkey_ordering_read, mkey, mkey, memory_key_mkey_entry.relaxed_ordering_read, 1)
FLAG_OF(mkey_signature, mkey, mkey, memory_key_mkey_entry.bsf_en, 1)
FLAG_OF(mkey_ats, mkey, mkey, memory_key_mkey_entry.ma_translation_mode, 1)

/* A queue of its own, of 16 entries; what is modified or how it is resized in @op_mod. */
static bool probe_modify_cq(struct dut *dut, uint32_t value, uint32_t fields)
{
	struct dut_cq cq = dut_create_cq(dut, 4);
	struct prm_modify_cq_in in = {};
	struct prm_modify_cq_out out;
	uint64_t pas = htobe64(dut_alloc(dut, 4096));
	bool works;

	(void)value;
	prm_set(&in, cqn, cq.num);
	prm_set(&in, cq_context.log_cq_size, fields ? 4 : 5);
	prm_set(&in, op_mod, fields ? PRM_MODIFY_CQ : PRM_RESIZE_CQ);
	prm_set(&in, modify_field_select_resize_field_select.modify_field_select
			     .modify_field_select,
		fields ? fields : PRM_RESIZE_CQ_LOG_SIZE | PRM_RESIZE_CQ_PAGE_OFFSET |
				  PRM_RESIZE_CQ_PAGE_SIZE);
	works = !dut_cmd_tail(dut, modify_cq, &in, &out, &pas, fields ? 0 : 8);
	dut_destroy_obj(dut, PRM_OP_destroy_cq, cq.num);
	return works;
}

static bool probe_vport_counters(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct prm_query_vport_counter_in in = {};
	struct prm_query_vport_counter_out out;

	(void)value;
	(void)arg;
	return !dut_cmd(dut, query_vport_counter, &in, &out);
}

static bool probe_driver_version(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct prm_set_driver_version_in in = {};
	struct prm_set_driver_version_out out;

	(void)value;
	(void)arg;
	memcpy(prm_bytes(&in, driver_version), "Linux,caps", 10);
	return !dut_cmd(dut, set_driver_version, &in, &out);
}

static uint32_t alloc_counters(struct dut *dut)
{
	struct prm_alloc_q_counter_in in = {};
	struct prm_alloc_q_counter_out out;

	dut_must(dut, alloc_q_counter, &in, &out);
	return prm_get(&out, counter_set_id);
}

enum counter_group { OUT_OF_SEQ, RETRANSMISSION, ENHANCED };

/* What the engine counts (test_rdma_counters looks at that) the command shows. */
static bool probe_counters(struct dut *dut, uint32_t value, uint32_t group)
{
	struct prm_query_q_counter_in in = {};
	struct prm_query_q_counter_out out;
	uint32_t id = alloc_counters(dut);
	struct q_counter *q = obj_find(dut->dev, OBJ_Q_COUNTER, id);
	bool shows;

	(void)value;
	q->out_of_sequence = 1;
	q->duplicate_request = 2;
	q->local_ack_timeout_err = 3;
	q->resp_local_length_error = 4;
	q->req_cqe_flush_error = 5;
	prm_set(&in, counter_set_id, id);
	shows = !dut_cmd(dut, query_q_counter, &in, &out);
	if (group == OUT_OF_SEQ)
		shows &= prm_get(&out, out_of_sequence) == 1;
	else if (group == RETRANSMISSION)
		shows &= prm_get(&out, duplicate_request) == 2 &&
			 prm_get(&out, local_ack_timeout_err) == 3;
	else
		shows &= prm_get(&out, resp_local_length_error) == 4 &&
			 prm_get(&out, req_cqe_flush_error) == 5;
	dut_destroy_obj(dut, PRM_OP_dealloc_q_counter, id);
	return shows;
}

static int set_l2(struct dut *dut, unsigned int index, bool unicast, bool vlan)
{
	struct prm_set_l2_table_entry_in in = {};
	struct prm_set_l2_table_entry_out out;

	prm_set(&in, table_index, index);
	prm_set(&in, mac_address.mac_addr_47_32, unicast ? 0x0200 : 0x0100);
	prm_set(&in, vlan_valid, vlan);
	return dut_cmd(dut, set_l2_table_entry, &in, &out);
}

static int delete_l2(struct dut *dut, unsigned int index)
{
	struct prm_delete_l2_table_entry_in in = {};
	struct prm_delete_l2_table_entry_out out;

	prm_set(&in, table_index, index);
	return dut_cmd(dut, delete_l2_table_entry, &in, &out);
}

/* None without the capability; with it, so many. */
static bool probe_l2(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct prm_cmd_hca_cap *cap = (void *)dut->dev->hca->cap_cur[CAP_GENERAL];
	bool works = set_l2(dut, 0, true, false) && delete_l2(dut, 0);

	(void)arg;
	prm_set(cap, log_max_l2_table, 2);
	works &= !set_l2(dut, 3, true, false) && set_l2(dut, 4, true, false) &&
		 set_l2(dut, 2, false, false) && set_l2(dut, 2, true, true) &&
		 !delete_l2(dut, 3) && delete_l2(dut, 3) && delete_l2(dut, 4);
	prm_set(cap, log_max_l2_table, value);
	return works;
}

static bool probe_rts2rts_counters(struct dut *dut, uint32_t value, uint32_t arg)
{
	uint32_t id = alloc_counters(dut);
	bool works = !try_qp_to_rts(dut, &(struct qp_steps){ .st = PRM_QP_ST_RC, .counters = id });

	(void)value;
	(void)arg;
	dut_destroy_obj(dut, PRM_OP_dealloc_q_counter, id);
	return works;
}

static bool probe_rq_counters(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct dut_wq rq = dut_create_rq(dut, 4, 6, NULL);
	struct prm_modify_rq_in in = {};
	struct prm_modify_rq_out out;
	uint32_t id = alloc_counters(dut);
	bool works;

	(void)value;
	(void)arg;
	prm_set(&in, rqn, rq.num);
	prm_set(&in, rq_state, PRM_WQ_RDY);
	prm_set(&in, ctx.state, PRM_WQ_RDY);
	prm_set64(&in, modify_bitmask, PRM_MODIFY_RQ_COUNTER_SET_ID);
	prm_set(&in, ctx.counter_set_id, id);
	works = !dut_cmd(dut, modify_rq, &in, &out);
	dut_destroy_obj(dut, PRM_OP_destroy_rq, rq.num);
	dut_destroy_obj(dut, PRM_OP_destroy_cq, rq.cq.num);
	dut_destroy_obj(dut, PRM_OP_dealloc_q_counter, id);
	return works;
}

enum vport_bit { LB_UC, LB_MC, CHANGE_EVENT };

static bool probe_vport_bit(struct dut *dut, uint32_t value, uint32_t bit)
{
	struct prm_modify_nic_vport_context_in in = {};
	struct prm_modify_nic_vport_context_out out;
	struct prm_query_nic_vport_context_in query = {};
	struct prm_query_nic_vport_context_out is;
	unsigned int on, works = 0;

	(void)value;
	prm_set(&in, field_select.disable_uc_local_lb, bit == LB_UC);
	prm_set(&in, field_select.disable_mc_local_lb, bit == LB_MC);
	prm_set(&in, field_select.change_event, bit == CHANGE_EVENT);
	for (on = 2; on--;) {
		prm_set(&in, nic_vport_context.disable_uc_local_lb, on);
		prm_set(&in, nic_vport_context.disable_mc_local_lb, on);
		prm_set(&in, nic_vport_context.arm_change_event, on);
		if (dut_cmd(dut, modify_nic_vport_context, &in, &out))
			continue;
		dut_must(dut, query_nic_vport_context, &query, &is);
		works += on == (bit == LB_UC ? prm_get(&is, nic_vport_context.disable_uc_local_lb) :
				bit == LB_MC ? prm_get(&is, nic_vport_context.disable_mc_local_lb) :
					       prm_get(&is, nic_vport_context.arm_change_event));
	}
	return works == 2;
}

/* The reserved key, and queue pairs that may use it. */
static bool probe_rlky(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct prm_query_special_contexts_in in = {};
	struct prm_query_special_contexts_out out;

	(void)value;
	(void)arg;
	return !dut_cmd(dut, query_special_contexts, &in, &out) && prm_get(&out, resd_lkey) &&
	       !TRY(dut, qp, qp, qpc.rlky, 1);
}

static bool probe_special_key(struct dut *dut, uint32_t value, uint32_t dump_fill)
{
	struct prm_query_special_contexts_in in = {};
	struct prm_query_special_contexts_out out;

	(void)value;
	dut_must(dut, query_special_contexts, &in, &out);
	return dump_fill ? prm_get(&out, dump_fill_mkey) : prm_get(&out, null_mkey);
}

/* A memory window of type 2: free, bound and invalidated through a send queue. */
static bool probe_window(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct prm_create_mkey_in in = {};

	(void)value;
	(void)arg;
	prm_set(&in, memory_key_mkey_entry.access_mode_1_0, PRM_MKC_KLMS);
	prm_set(&in, memory_key_mkey_entry.free, 1);
	prm_set(&in, memory_key_mkey_entry.umr_en, 1);
	prm_set(&in, memory_key_mkey_entry.en_rinval, 1);
	return !try_mkey(dut, &in);
}

static bool probe_counter_bulk_alloc(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct prm_alloc_flow_counter_in in = {};
	struct prm_alloc_flow_counter_out out;

	(void)value;
	(void)arg;
	prm_set(&in, flow_counter_bulk, 1);
	return !dut_cmd(dut, alloc_flow_counter, &in, &out);
}

static bool probe_tls(struct dut *dut, uint32_t value, uint32_t rx)
{
	struct prm_create_tir_in tir = {};
	struct prm_create_tir_out tir_out;
	struct prm_create_tis_in tis = {};
	struct prm_create_tis_out tis_out;

	(void)value;
	prm_set(&tir, ctx.tls_en, 1);
	prm_set(&tir, ctx.inline_rqn, env.rqn);
	prm_set(&tir, ctx.transport_domain, dut->td);
	prm_set(&tis, ctx.tls_en, 1);
	prm_set(&tis, ctx.transport_domain, dut->td);
	return rx ? !dut_cmd(dut, create_tir, &tir, &tir_out) :
		    !dut_cmd(dut, create_tis, &tis, &tis_out);
}

static bool probe_uar_4k(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)arg;
	return !value &&
	       !try_set_cap(dut, CAP_GENERAL, offsetof(struct prm_cmd_hca_cap_bits, uar_4k), 1, 1);
}

static bool probe_cache_line(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)value;
	(void)arg;
	return !try_set_cap(dut, CAP_GENERAL,
			    offsetof(struct prm_cmd_hca_cap_bits, cache_line_128byte), 1, 1);
}

/* ---- values ---- */

static bool probe_is(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)dut;
	return value == arg;
}

static bool probe_vhca_id(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)arg;
	return value == dut->dev->index;
}

static bool probe_native_port(struct dut *dut, uint32_t value, uint32_t arg)
{
	const struct adapter *adapter = dut->dev->adapter;

	(void)arg;
	return adapter ? value >= 1 && value <= LAG_PORTS && adapter->dev[value - 1] == dut->dev :
			 value == dut->dev->native_port;
}

/* The port has link modes of Ethernet and none of InfiniBand. */
static bool probe_port_type(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct prm_ptys_reg reg = {};

	(void)arg;
	prm_set(&reg, local_port, 1);
	prm_set(&reg, proto_mask, PRM_PTYS_ETH);
	return value == PRM_PORT_TYPE_ETH && !read_reg(dut, PRM_REG_PTYS, &reg, sizeof(reg)) &&
	       prm_get(&reg, eth_proto_capability) == dut->dev->card->eth_proto;
}

static int read_port(struct dut *dut, unsigned int port)
{
	struct prm_ptys_reg reg = {};

	prm_set(&reg, local_port, port);
	prm_set(&reg, proto_mask, PRM_PTYS_ETH);
	return read_reg(dut, PRM_REG_PTYS, &reg, sizeof(reg));
}

static bool probe_ports(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)arg;
	return !read_port(dut, value) && read_port(dut, value + 1);
}

/* The table of the InfiniBand command, of which RoCE's has no fewer. */
static bool probe_gids(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct prm_query_roce_address_in in = {};
	struct prm_query_roce_address_out out;

	(void)arg;
	prm_set(&in, roce_address_index, (8u << value) - 1);
	return !dut_cmd(dut, query_roce_address, &in, &out);
}

/* Completions carry the number that the driver gave to the queue. */
static bool probe_checksum(struct dut *dut, uint32_t value, uint32_t arg)
{
	const unsigned int bit = offsetof(struct prm_cmd_hca_cap_bits, cmdif_checksum);

	(void)arg;
	return value == PRM_CMDIF_CHECKSUM_ENABLED &&
	       !try_set_cap(dut, CAP_GENERAL, bit, 2, PRM_CMDIF_CHECKSUM_DISABLED);
}

/* A doorbell in each half of a register is as good as any. */
static bool probe_blue_flame(struct dut *dut, uint32_t value, uint32_t log)
{
	struct dut_wq sq = dut_create_sq(dut, 4, NULL);
	unsigned int half, n = 0;

	for (half = 0; half < 2; half++) {
		uint64_t bell = htobe64((uint64_t)sq.pi << 40 | sq.num << 8);

		dut_wqe(dut, &sq, PRM_WQE_NOP, 1, PRM_WQE_CE_ALWAYS);
		dut_store(dut, sq.dbr + 4, ++sq.pi);
		bar_write(dut->dev, (uint64_t)dut->uar * UAR_BYTES + PRM_UAR_BF +
			  half * PRM_UAR_BF_HALF, &bell, sizeof(bell));
		dut_run();
		n += !!dut_poll(dut, &sq.cq);
	}
	return n == 2 && (!log || 1u << value == PRM_UAR_BF_STRIDE);
}

static bool probe_uars_per_page(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)arg;
	return probe_blue_flame(dut, 0, false) && value * UAR_BYTES == 4096;
}

static uint64_t timer_now(struct dut *dut)
{
	return (uint64_t)iseg_read(dut->dev, offsetof(struct prm_iseg, internal_timer_h)) << 32 |
	       iseg_read(dut->dev, offsetof(struct prm_iseg, internal_timer_l));
}

static bool probe_frequency(struct dut *dut, uint32_t value, uint32_t per_second)
{
	uint64_t from, to;

	loop_test_clock(1000000000);
	from = timer_now(dut);
	loop_test_clock(2000000000);
	to = timer_now(dut);
	loop_test_clock(0);
	return (to - from) / per_second == value;
}

/* ---- two ports ---- */

static bool probe_lag(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)value;
	(void)arg;
	return !create_lag(dut, 1, 2, false, 0);
}

static bool probe_lag_ports(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)arg;
	return value ? !create_lag(dut, value, value, false, 0) &&
		       create_lag(dut, value + 1, 1, false, 0) :
		       create_lag(dut, 1, 1, false, 0);
}

static bool probe_fdb_selection(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)value;
	(void)arg;
	return !create_lag(dut, 1, 2, true, 0);
}

/* Dword 10 of the mask belongs to some field of each format. */
static int try_definer(struct dut *dut, unsigned int format, bool keep)
{
	struct {
		struct prm_create_general_object_in head;
		struct prm_match_definer ctx;
	} in = {};
	struct prm_create_general_object_out out;
	struct prm_destroy_general_object_in gone = {};
	struct prm_destroy_general_object_out gone_out;
	int status;

	prm_set(&in.head, obj_type, PRM_OBJ_MATCH_DEFINER);
	prm_set(&in.ctx, format_id, format);
	in.ctx.dw[prm_bit(&in.ctx, match_mask) / 32 + 10] = cpu_to_be32(0xff00);
	status = dut_exec_tail(dut, PRM_OP_create_general_object, &in.head, sizeof(in.head),
			       &in.ctx, sizeof(in.ctx), &out, sizeof(out));
	if (status || keep)
		return status;
	prm_set(&gone, obj_type, PRM_OBJ_MATCH_DEFINER);
	prm_set(&gone, obj_id, prm_get(&out, obj_id));
	return dut_cmd(dut, destroy_general_object, &gone, &gone_out);
}

static bool probe_object(struct dut *dut, uint32_t value, uint32_t type)
{
	return value == (try_definer(dut, PRM_DEFINER_IPV4, false) ? 0 : 1u << type);
}

/* All below 32: the halves of the field stand in two dwords. */
static bool probe_formats(struct dut *dut, uint32_t value, uint32_t first)
{
	uint32_t works = 0, i;

	for (i = 0; i < 32; i++)
		if (!try_definer(dut, first + i, false))
			works |= 1u << i;
	return works == value;
}

static bool probe_definers(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct prm_destroy_general_object_in gone = {};
	struct prm_destroy_general_object_out out;
	uint32_t n = 0, i;

	(void)arg;
	while (n <= value && !try_definer(dut, PRM_DEFINER_IPV4, true))
		n++;
	prm_set(&gone, obj_type, PRM_OBJ_MATCH_DEFINER);
	for (i = 0; i < dut->dev->card->objs[OBJ_MATCH_DEFINER].count; i++) {
		prm_set(&gone, obj_id, dut->dev->card->objs[OBJ_MATCH_DEFINER].first + i);
		dut_cmd(dut, destroy_general_object, &gone, &out);
	}
	return n == value;
}

static bool probe_tis_affinity(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct prm_create_tis_in in = {};
	struct prm_create_tis_out out;
	bool works;

	(void)value;
	(void)arg;
	prm_set(&in, ctx.transport_domain, dut->td);
	prm_set(&in, ctx.lag_tx_port_affinity, 2);
	works = !dut_cmd(dut, create_tis, &in, &out);
	if (works)
		dut_destroy_obj(dut, PRM_OP_destroy_tis, prm_get(&out, tisn));
	return works;
}

static bool probe_qp_affinity(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)value;
	(void)arg;
	return !try_qp_to_rts(dut, &(struct qp_steps){ .st = PRM_QP_ST_RC, .affinity = 2 });
}

#define VNIC(counter) prm_bit((struct prm_query_vnic_env_out *)NULL, vport_env.counter)
#define FLAG(field, fn, arg) CAP_ROW(cmd_hca_cap, field, true, fn, arg)
#define VALUE(field, fn, arg) CAP_ROW(cmd_hca_cap, field, false, fn, arg)
/* A dword of a field of 64 bits. */
#define HALF(title, field, n, fn, a)							\
	{ .name = title, .bit = offsetof(struct prm_cmd_hca_cap_bits, field) + (n) * 32,	\
	  .width = 32, .probe = fn, .arg = a }

const struct cap_row caps_general[] = {
	VALUE(vhca_id, probe_vhca_id, 0),
	VALUE(port_type, probe_port_type, 0),
	VALUE(num_ports, probe_ports, 0),
	VALUE(log_max_l2_table, probe_l2, 0),
	VALUE(native_port_num, probe_native_port, 0),
	VALUE(gid_table_size, probe_gids, 0),
	VALUE(cqe_version, probe_cqe_version, 0),
	FLAG(eth_net_offloads, probe_page, PRM_CAP_ETHERNET),
	FLAG(nic_flow_table, probe_page, PRM_CAP_FLOW_TABLE),
	FLAG(roce, probe_page, PRM_CAP_ROCE),
	FLAG(atomic, probe_page, PRM_CAP_ATOMIC),
	FLAG(rc, probe_service, PRM_QP_ST_RC),
	FLAG(uc, probe_service, PRM_QP_ST_UC),
	FLAG(ud, probe_service, PRM_QP_ST_UD),
	FLAG(xrc, probe_service, PRM_QP_ST_XRC),
	FLAG(cq_oi, probe_cq_oi, 0),
	FLAG(cq_moderation, probe_modify_cq, PRM_MODIFY_CQ_PERIOD | PRM_MODIFY_CQ_MAX_COUNT),
	FLAG(cq_resize, probe_modify_cq, 0),
	FLAG(cq_period_start_from_cqe, probe_cq_from_cqe, 0),
	FLAG(block_lb_mc, probe_qp_block_lb_mc, 0),
	FLAG(vport_counters, probe_vport_counters, 0),
	FLAG(rts2rts_qp_counters_set_id, probe_rts2rts_counters, 0),
	FLAG(rts2rts_qp_dscp, probe_rts2rts_dscp, 0),
	FLAG(rts2rts_qp_udp_sport, probe_rts2rts_sport, 0),
	FLAG(out_of_seq_cnt, probe_counters, OUT_OF_SEQ),
	FLAG(retransmission_q_counters, probe_counters, RETRANSMISSION),
	FLAG(enhanced_error_q_counters, probe_counters, ENHANCED),
	FLAG(disable_local_lb_uc, probe_vport_bit, LB_UC),
	FLAG(disable_local_lb_mc, probe_vport_bit, LB_MC),
	FLAG(nic_vport_change_event, probe_vport_bit, CHANGE_EVENT),
	FLAG(imaicl, probe_window, 0),
	FLAG(umr_ptr_rlky, probe_rlky, 0),
	FLAG(qkv, probe_qkeys, 0),
	VALUE(cmdif_checksum, probe_checksum, 0),
	FLAG(driver_version, probe_driver_version, 0),
	FLAG(pcam_reg, probe_reg, PRM_REG_PCAM),
	FLAG(vnic_env_queue_counters, probe_vnic, VNIC(total_error_queues)),
	FLAG(nic_receive_steering_discard, probe_vnic, VNIC(nic_receive_steering_discard)),
	FLAG(eq_overrun_count, probe_vnic, VNIC(async_eq_overrun)),
	FLAG(vnic_env_cq_overrun, probe_vnic, VNIC(cq_overrun)),
	FLAG(invalid_command_count, probe_vnic, VNIC(invalid_command)),
	FLAG(quota_exceeded_count, probe_vnic, VNIC(quota_exceeded_command)),
	FLAG(eth_wqe_too_small, probe_vnic, VNIC(eth_wqe_too_small)),
	FLAG(fixed_buffer_size, probe_ksm, 0),
	FLAG(dct, probe_dc, 0),
	FLAG(umr_extended_translation_offset, probe_far_umr, 0),
	VALUE(max_indirection, probe_indirection, 0),
	FLAG(pg, probe_pages, PRM_CAP_ODP),
	FLAG(null_mkey, probe_special_key, false),
	FLAG(qpc_extension, probe_dc_reset, 0),
	/* of the owner of a port */
	FLAG(beacon_led, probe_port_reg, PRM_REG_MLCR),
	FLAG(qos, probe_page, PRM_CAP_QOS),
	FLAG(debug, probe_page, PRM_CAP_DEBUG),
	FLAG(event_cap, probe_page, PRM_CAP_EVENT),
	FLAG(ets, probe_port_reg, PRM_REG_QETCR),
	VALUE(max_tc, probe_classes, 0),
	FLAG(dcbx, probe_port_reg, PRM_REG_DCBX_PARAM),
	FLAG(qcam_reg, probe_reg, PRM_REG_QCAM),
	FLAG(sbcam_reg, probe_reg, PRM_REG_SBCAM),
	FLAG(cc_modify_allowed, probe_cong_params, PRM_CONG_RP),
	FLAG(cc_query_allowed, probe_cong_statistics, 0),
	FLAG(bf, probe_blue_flame, false),
	VALUE(log_bf_reg_size, probe_blue_flame, true),
	VALUE(num_of_uars_per_page, probe_uars_per_page, 0),
	VALUE(device_frequency_mhz, probe_frequency, 1000000),
	VALUE(device_frequency_khz, probe_frequency, 1000),
	/* of a card with two ports */
	FLAG(lag_master, probe_lag, 0),
	VALUE(num_lag_ports, probe_lag_ports, 0),
	FLAG(lag_tx_port_affinity, probe_tis_affinity, 0),
	FLAG(init2_lag_tx_port_affinity, probe_qp_affinity, 0),
	FLAG(rts2rts_lag_tx_port_affinity, probe_rts2rts_port, 0),
	/* of a newer card with two ports */
	FLAG(port_selection_cap, probe_page, PRM_CAP_PORT_SELECTION),
	VALUE(max_num_match_definer, probe_definers, 0),
	HALF("general_obj_types", general_obj_types, 1, probe_object, PRM_OBJ_MATCH_DEFINER),
	HALF("formats 0 to 31", match_definer_format_supported, 1, probe_formats, 0),
	HALF("formats 32 to 63", match_definer_format_supported, 0, probe_formats, 32),
	/* not advertised by any card */
	FLAG(lag_native_fdb_selection, probe_fdb_selection, 0),
	FLAG(hca_cap_2, probe_page, PRM_CAP_GENERAL_2),
	FLAG(device_memory, probe_page, PRM_CAP_DEVICE_MEM),
	FLAG(eswitch_manager, probe_page, PRM_CAP_ESWITCH),
	FLAG(ipoib_enhanced_offloads, probe_page, PRM_CAP_IPOIB),
	FLAG(cq_eq_remap, probe_modify_cq, PRM_MODIFY_CQ_EQN),
	FLAG(cqe_compression, probe_cq_compression, 0),
	FLAG(cqe_compression_128, probe_cq_compression_128, 0),
	FLAG(enhanced_cqe_compression, probe_cq_enhanced, 0),
	FLAG(mini_cqe_resp_stride_index, probe_cq_stride, 0),
	FLAG(cqe_128_always, probe_cq_padding, 0),
	VALUE(cqe_compression_max_num, probe_session, 0),
	FLAG(scqe_break_moderation, probe_cq_scqe, 0),
	FLAG(apu, probe_cq_apu, 0),
	FLAG(wq_signature, probe_qp_signature, 0),
	FLAG(sctr_data_cqe, probe_qp_scatter, 0),
	FLAG(cd, probe_qp_cd, 0),
	FLAG(end_pad, probe_qp_padding, 0),
	FLAG(ece_support, probe_qp_ece, 0),
	FLAG(drain_sigerr, probe_qp_drain, 0),
	FLAG(isolate_vl_tc_new, probe_qp_isolate, 0),
	FLAG(striding_rq, probe_rq_striding, 0),
	FLAG(ext_stride_num_range, probe_few_strides, 0),
	FLAG(shampo, probe_rq_shampo, 0),
	FLAG(rq_delay_drop, probe_rq_delay, 0),
	FLAG(modify_rq_counter_set_id, probe_rq_counters, 0),
	FLAG(hairpin, probe_rq_hairpin, 0),
	FLAG(basic_cyclic_rcv_wqe, probe_rmp_cyclic, 0),
	FLAG(num_vhca_ports, probe_vhca_ports, 0),
	FLAG(sq_ts_format, probe_sq_ts_format, 0),
	FLAG(rq_ts_format, probe_rq_ts_format, 0),
	FLAG(ts_cqe_to_dest_cqn, probe_sq_ts_cqe, 0),
	FLAG(relaxed_ordering_write, probe_mkey_ordering_write, 0),
	FLAG(relaxed_ordering_read, probe_mkey_ordering_read, 0),
	FLAG(sho, probe_mkey_signature, 0),
	FLAG(ats, probe_mkey_ats, 0),
	FLAG(dump_fill_mkey, probe_special_key, true),
	FLAG(flow_counter_bulk_alloc, probe_counter_bulk_alloc, 0),
	FLAG(tls_tx, probe_tls, false),
	FLAG(tls_rx, probe_tls, true),
	FLAG(mcam_reg, probe_reg, 0x907f),
	FLAG(tag_matching, probe_opcode, PRM_OP_create_xrq),
	FLAG(sf, probe_opcode, PRM_OP_alloc_sf),
	FLAG(vhca_state, probe_opcode, PRM_OP_query_vhca_state),
	FLAG(migration, probe_opcode, PRM_OP_save_vhca_state),
	FLAG(wol_s, probe_opcode, PRM_OP_set_wol_rol),
	FLAG(ib_virt, probe_opcode, PRM_OP_query_hca_vport_context),
	FLAG(cache_line_128byte, probe_cache_line, 0),
	/* can be set, as the page of maxima says */
	VALUE(uar_4k, probe_uar_4k, 0),
	/*
	 * Only said. Drivers look for a LAG, and for DCB, only where this is set; there are no
	 * other vports to manage.
	 */
	VALUE(vport_group_manager, probe_vport_manager, 0),
	/* What they count does not happen. */
	VALUE(vnic_env_int_rq_oob, probe_vnic_newer, 0),
	VALUE(vnic_env_cnt_steering_fail, probe_vnic_newer, 0),
	/* How long a host may keep an answer back is not the emulator's to promise. */
	VALUE(local_ca_ack_delay, probe_is, 16),
	/* Violations of P_Keys: only a command of InfiniBand ports would show their number. */
	VALUE(pkv, probe_is, 1),
};

const unsigned int caps_general_n = ARRAY_SIZE(caps_general);
