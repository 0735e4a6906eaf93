// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Commands for Ethernet queues, and for what steers packets to and from them. */
#include <linux/slab.h>

#include "prm/caps.h"
#include "prm/cmdif.h"
#include "prm/nic.h"
#include "prm/rate.h"
#include "prm/obj.h"
#include "prm/tunnel.h"
#include "../codec/wqe.h"
#include "core.h"

#define LOG_SEND_BLOCK		6	/* send queues are sized in blocks of 64 bytes */
#define TIS_PRIO_SHIFT		1	/* the low bit of the field is not part of the priority */
#define END_PAD_TO_CACHE_LINE	1	/* of wq.end_padding_mode */
#define HASH_KEY_BYTES		40

static_assert(sizeof_field(struct prm_wq_bits, page_offset) == CXR_PAS_OFFSET_BITS_WQ);

/* ---- TIS ------------------------------------------------------------------------------------- */

int cxr_cmd_create_tis(struct cxr_core *core, u16 uid, u32 tdn, u8 prio, u8 lag_port, u32 *tisn)
{
	struct prm_create_tis_in in = {};
	struct prm_create_tis_out out;
	int err;

	prm_set(&in, uid, uid);
	prm_set(&in, ctx.prio, prio << TIS_PRIO_SHIFT);
	prm_set(&in, ctx.transport_domain, tdn);
	/* strict without a port: that of the function */
	prm_set(&in, ctx.lag_tx_port_affinity, lag_port);
	prm_set(&in, ctx.strict_lag_tx_port_affinity, !lag_port && core->caps.lag);
	err = cxr_cmd(core, create_tis, &in, &out);
	if (err)
		return err;

	*tisn = prm_get(&out, tisn);
	return 0;
}
EXPORT_SYMBOL_GPL(cxr_cmd_create_tis);

int cxr_cmd_destroy_tis(struct cxr_core *core, u16 uid, u32 tisn)
{
	struct prm_destroy_tis_in in = {};
	struct prm_destroy_tis_out out;

	prm_set(&in, uid, uid);
	prm_set(&in, tisn, tisn);
	return cxr_cmd_refusal(core, cxr_cmd(core, destroy_tis, &in, &out));
}
EXPORT_SYMBOL_GPL(cxr_cmd_destroy_tis);

/* ---- SQ -------------------------------------------------------------------------------------- */

int cxr_cmd_create_sq(struct cxr_core *core, const struct cxr_sq_attr *attr, u32 *sqn)
{
	struct prm_create_sq_out out;
	struct prm_create_sq_in *in;
	struct prm_sqc *sqc;
	struct prm_wq *wq;
	size_t len;
	int err;

	in = cxr_cmd_alloc_in(sizeof(*in), &attr->pas, &len);
	if (!in)
		return -ENOMEM;

	prm_set(in, uid, attr->uid);
	sqc = prm_sub(in, ctx, sqc);
	prm_set(sqc, flush_in_error_en, 1);
	prm_set(sqc, allow_multi_pkt_send_wqe, attr->mpw);
	if (core->caps.wqe_inline_mode == PRM_INLINE_MODE_VPORT)
		prm_set(sqc, min_wqe_inline_mode, attr->min_inline_mode);
	prm_set(sqc, state, PRM_WQ_RST);
	if (!core->caps.sq_free_running)
		prm_set(sqc, ts_format, PRM_TS_DEFAULT);
	prm_set(sqc, user_index, attr->user_index);
	prm_set(sqc, cqn, attr->cqn);
	prm_set(sqc, tis_lst_sz, 1);
	prm_set(sqc, tis_num_0, attr->tisn);
	wq = prm_sub(sqc, wq, wq);
	prm_set(wq, wq_type, PRM_WQ_CYCLIC);
	prm_set(wq, page_offset, attr->pas.offset);
	prm_set(wq, pd, attr->pdn);
	prm_set(wq, uar_page, attr->uar);
	prm_set64(wq, dbr_addr, attr->db_dma);
	prm_set(wq, log_wq_stride, LOG_SEND_BLOCK);
	prm_set(wq, log_wq_pg_sz, attr->pas.log_size - PRM_PAGE_SHIFT);
	prm_set(wq, log_wq_sz, attr->log_size);
	err = cxr_cmd_len(core, create_sq, in, len, &out, sizeof(out));
	if (!err)
		*sqn = prm_get(&out, sqn);
	kvfree(in);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cmd_create_sq);

static const u8 device_states[] = {
	[CXR_WQ_RST] = PRM_WQ_RST,
	[CXR_WQ_RDY] = PRM_WQ_RDY,
	[CXR_WQ_ERR] = PRM_WQ_ERR,
};

static int decode_state(u8 state, enum cxr_wq_state *decoded)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(device_states); i++) {
		if (device_states[i] != state)
			continue;
		*decoded = i;
		return 0;
	}
	return -EPROTO;
}

u8 cxr_cmd_wq_state_number(enum cxr_wq_state state)
{
	return device_states[state];
}
EXPORT_SYMBOL_GPL(cxr_cmd_wq_state_number);

int cxr_cmd_modify_sq(struct cxr_core *core, u16 uid, u32 sqn, enum cxr_wq_state from,
		      enum cxr_wq_state to)
{
	struct prm_modify_sq_in in = {};
	struct prm_modify_sq_out out;

	prm_set(&in, uid, uid);
	prm_set(&in, sq_state, device_states[from]);
	prm_set(&in, sqn, sqn);
	prm_set(&in, ctx.state, device_states[to]);
	return cxr_cmd(core, modify_sq, &in, &out);
}
EXPORT_SYMBOL_GPL(cxr_cmd_modify_sq);

int cxr_cmd_set_sq_rate(struct cxr_core *core, u16 uid, u32 sqn, enum cxr_wq_state from,
			enum cxr_wq_state to, u16 rate)
{
	struct prm_modify_sq_in in = {};
	struct prm_modify_sq_out out;

	prm_set(&in, uid, uid);
	prm_set(&in, sq_state, device_states[from]);
	prm_set(&in, sqn, sqn);
	prm_set64(&in, modify_bitmask, PRM_MODIFY_SQ_RATE);
	prm_set(&in, ctx.state, device_states[to]);
	prm_set(&in, ctx.packet_pacing_rate_limit_index, rate);
	return cxr_cmd(core, modify_sq, &in, &out);
}
EXPORT_SYMBOL_GPL(cxr_cmd_set_sq_rate);

int cxr_cmd_query_sq(struct cxr_core *core, u32 sqn, enum cxr_wq_state *state)
{
	struct prm_query_sq_in in = {};
	struct prm_query_sq_out out;
	int err;

	prm_set(&in, sqn, sqn);
	err = cxr_cmd(core, query_sq, &in, &out);
	return err ?: decode_state(prm_get(&out, sq_context.state), state);
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_sq);

int cxr_cmd_sq_ready(struct cxr_core *core, u16 uid, u32 sqn)
{
	return cxr_cmd_modify_sq(core, uid, sqn, CXR_WQ_RST, CXR_WQ_RDY);
}
EXPORT_SYMBOL_GPL(cxr_cmd_sq_ready);

int cxr_cmd_destroy_sq(struct cxr_core *core, u16 uid, u32 sqn)
{
	struct prm_destroy_sq_in in = {};
	struct prm_destroy_sq_out out;

	prm_set(&in, uid, uid);
	prm_set(&in, sqn, sqn);
	return cxr_cmd_refusal(core, cxr_cmd(core, destroy_sq, &in, &out));
}
EXPORT_SYMBOL_GPL(cxr_cmd_destroy_sq);

/* ---- RQ -------------------------------------------------------------------------------------- */

static void set_strides(struct prm_wq *wq, const struct cxr_rq_attr *attr)
{
	prm_set(wq, wq_type, PRM_WQ_CYCLIC_STRIDING);
	prm_set(wq, log_wqe_num_of_strides, cxr_wqe_strides(attr->log_strides));
	prm_set(wq, log_wqe_stride_size, attr->log_stride_bytes - PRM_WQ_LOG_STRIDE_BYTES);
	prm_set(wq, two_byte_shift_en, attr->two_byte_shift);
}

int cxr_cmd_create_rq(struct cxr_core *core, const struct cxr_rq_attr *attr, u32 *rqn)
{
	struct prm_create_rq_out out;
	struct prm_create_rq_in *in;
	struct prm_rqc *rqc;
	struct prm_wq *wq;
	size_t len;
	int err;

	in = cxr_cmd_alloc_in(sizeof(*in), &attr->pas, &len);
	if (!in)
		return -ENOMEM;

	prm_set(in, uid, attr->uid);
	rqc = prm_sub(in, ctx, rqc);
	prm_set(rqc, vsd, !attr->vlan_strip);
	prm_set(rqc, mem_rq_type, PRM_RQ_INLINE);
	prm_set(rqc, state, PRM_WQ_RST);
	prm_set(rqc, flush_in_error_en, 1);
	if (!core->caps.rq_free_running)
		prm_set(rqc, ts_format, PRM_TS_DEFAULT);
	prm_set(rqc, user_index, attr->user_index);
	prm_set(rqc, cqn, attr->cqn);
	prm_set(rqc, counter_set_id, attr->q_counter);
	wq = prm_sub(rqc, wq, wq);
	prm_set(wq, wq_type, PRM_WQ_CYCLIC);
	if (attr->log_strides)
		set_strides(wq, attr);
	if (attr->end_pad)
		prm_set(wq, end_padding_mode, END_PAD_TO_CACHE_LINE);
	prm_set(wq, page_offset, attr->pas.offset);
	prm_set(wq, pd, attr->pdn);
	prm_set64(wq, dbr_addr, attr->db_dma);
	prm_set(wq, log_wq_stride, attr->log_stride);
	prm_set(wq, log_wq_pg_sz, attr->pas.log_size - PRM_PAGE_SHIFT);
	prm_set(wq, log_wq_sz, attr->log_size);
	err = cxr_cmd_len(core, create_rq, in, len, &out, sizeof(out));
	if (!err)
		*rqn = prm_get(&out, rqn);
	kvfree(in);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cmd_create_rq);

int cxr_cmd_modify_rq(struct cxr_core *core, u16 uid, u32 rqn, enum cxr_wq_state from,
		      enum cxr_wq_state to)
{
	struct prm_modify_rq_in in = {};
	struct prm_modify_rq_out out;

	prm_set(&in, uid, uid);
	prm_set(&in, rq_state, device_states[from]);
	prm_set(&in, rqn, rqn);
	prm_set(&in, ctx.state, device_states[to]);
	return cxr_cmd(core, modify_rq, &in, &out);
}
EXPORT_SYMBOL_GPL(cxr_cmd_modify_rq);

int cxr_cmd_set_rq_strip(struct cxr_core *core, u16 uid, u32 rqn, enum cxr_wq_state from,
			 enum cxr_wq_state to, bool strip)
{
	struct prm_modify_rq_in in = {};
	struct prm_modify_rq_out out;

	prm_set(&in, uid, uid);
	prm_set(&in, rq_state, device_states[from]);
	prm_set(&in, rqn, rqn);
	prm_set64(&in, modify_bitmask, PRM_MODIFY_RQ_VSD);
	prm_set(&in, ctx.state, device_states[to]);
	prm_set(&in, ctx.vsd, !strip);
	return cxr_cmd(core, modify_rq, &in, &out);
}
EXPORT_SYMBOL_GPL(cxr_cmd_set_rq_strip);

int cxr_cmd_query_rq(struct cxr_core *core, u32 rqn, enum cxr_wq_state *state)
{
	struct prm_query_rq_in in = {};
	struct prm_query_rq_out out;
	int err;

	prm_set(&in, rqn, rqn);
	err = cxr_cmd(core, query_rq, &in, &out);
	return err ?: decode_state(prm_get(&out, rq_context.state), state);
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_rq);

int cxr_cmd_rq_ready(struct cxr_core *core, u16 uid, u32 rqn)
{
	return cxr_cmd_modify_rq(core, uid, rqn, CXR_WQ_RST, CXR_WQ_RDY);
}
EXPORT_SYMBOL_GPL(cxr_cmd_rq_ready);

int cxr_cmd_destroy_rq(struct cxr_core *core, u16 uid, u32 rqn)
{
	struct prm_destroy_rq_in in = {};
	struct prm_destroy_rq_out out;

	prm_set(&in, uid, uid);
	prm_set(&in, rqn, rqn);
	return cxr_cmd_refusal(core, cxr_cmd(core, destroy_rq, &in, &out));
}
EXPORT_SYMBOL_GPL(cxr_cmd_destroy_rq);

/* ---- RQT and TIR ----------------------------------------------------------------------------- */

static void encode_rqns(struct prm_rqtc *rqtc, const u32 *rqns, u32 n)
{
	__be32 *list = prm_tail(rqtc);
	u32 i;

	prm_set(rqtc, rqt_actual_size, n);
	for (i = 0; i < n; i++)
		list[i] = cpu_to_be32(rqns[i]);
}

int cxr_cmd_create_rqt(struct cxr_core *core, u16 uid, const u32 *rqns, u32 n, u32 *rqtn)
{
	struct prm_create_rqt_out out;
	struct prm_create_rqt_in *in;
	size_t len;
	int err;

	if (!is_power_of_2(n) || n > core->caps.rss_ind_tbl_max)
		return -EINVAL;

	len = sizeof(*in) + n * sizeof(__be32);
	in = kvzalloc(len, GFP_KERNEL);
	if (!in)
		return -ENOMEM;

	prm_set(in, uid, uid);
	prm_set(in, rqt_context.rqt_max_size, n);
	encode_rqns(prm_sub(in, rqt_context, rqtc), rqns, n);
	err = cxr_cmd_len(core, create_rqt, in, len, &out, sizeof(out));
	if (!err)
		*rqtn = prm_get(&out, rqtn);
	kvfree(in);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cmd_create_rqt);

int cxr_cmd_modify_rqt(struct cxr_core *core, u32 rqtn, const u32 *rqns, u32 n)
{
	struct prm_modify_rqt_out out;
	struct prm_modify_rqt_in *in;
	size_t len;
	int err;

	len = sizeof(*in) + n * sizeof(__be32);
	in = kvzalloc(len, GFP_KERNEL);
	if (!in)
		return -ENOMEM;

	prm_set(in, rqtn, rqtn);
	prm_set(in, bitmask.rqn_list, 1);
	encode_rqns(prm_sub(in, ctx, rqtc), rqns, n);
	err = cxr_cmd_len(core, modify_rqt, in, len, &out, sizeof(out));
	kvfree(in);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cmd_modify_rqt);

int cxr_cmd_destroy_rqt(struct cxr_core *core, u16 uid, u32 rqtn)
{
	struct prm_destroy_rqt_in in = {};
	struct prm_destroy_rqt_out out;

	prm_set(&in, uid, uid);
	prm_set(&in, rqtn, rqtn);
	return cxr_cmd_refusal(core, cxr_cmd(core, destroy_rqt, &in, &out));
}
EXPORT_SYMBOL_GPL(cxr_cmd_destroy_rqt);

static void encode_hash(struct prm_tirc *tirc, u32 hash, const u8 *key)
{
	struct prm_rx_hash_field_select *selector;
	u32 fields = 0;

	if (hash & CXR_HASH_SRC_IP)
		fields |= PRM_RX_HASH_SRC_IP;
	if (hash & CXR_HASH_DST_IP)
		fields |= PRM_RX_HASH_DST_IP;
	if (hash & CXR_HASH_SPORT)
		fields |= PRM_RX_HASH_L4_SPORT;
	if (hash & CXR_HASH_DPORT)
		fields |= PRM_RX_HASH_L4_DPORT;
	prm_set(tirc, rx_hash_fn, key ? PRM_RX_HASH_TOEPLITZ : PRM_RX_HASH_XOR8);
	if (key) {
		memcpy(prm_bytes(tirc, rx_hash_toeplitz_key), key, HASH_KEY_BYTES);
		prm_set(tirc, rx_hash_symmetric, !!(hash & CXR_HASH_SYMMETRIC));
	}
	selector = hash & CXR_HASH_INNER ?
		   prm_sub(tirc, rx_hash_field_selector_inner, rx_hash_field_select) :
		   prm_sub(tirc, rx_hash_field_selector_outer, rx_hash_field_select);
	prm_set(selector, l3_prot_type, hash & CXR_HASH_IPV6 ? PRM_RX_HASH_IPV6 : PRM_RX_HASH_IPV4);
	prm_set(selector, l4_prot_type, hash & CXR_HASH_UDP ? PRM_RX_HASH_UDP : PRM_RX_HASH_TCP);
	prm_set(selector, selected_fields, fields);
}

static u32 self_bits(u32 self)
{
	return (self & CXR_TIR_SELF_UNICAST ? PRM_TIR_SELF_UNICAST : 0) |
	       (self & CXR_TIR_SELF_MULTICAST ? PRM_TIR_SELF_MULTICAST : 0);
}

static int create_tir(struct cxr_core *core, struct prm_create_tir_in *in, u32 tdn, u32 flags,
		      u32 *tirn)
{
	struct prm_create_tir_out out;
	int err;

	prm_set(in, ctx.self_lb_block, self_bits(flags));
	prm_set(in, ctx.tunneled_offload_en, !!(flags & CXR_TIR_TUNNELS));
	prm_set(in, ctx.transport_domain, tdn);
	err = cxr_cmd(core, create_tir, in, &out);
	if (err)
		return err;

	*tirn = prm_get(&out, tirn);
	return 0;
}

int cxr_cmd_create_hash_tir(struct cxr_core *core, u16 uid, u32 tdn, u32 flags, u32 fields,
			    u32 rqtn, const u8 *key, u32 *tirn)
{
	struct prm_create_tir_in in = {};
	struct prm_tirc *tirc = prm_sub(&in, ctx, tirc);

	prm_set(&in, uid, uid);
	prm_set(tirc, disp_type, PRM_TIR_INDIRECT);
	prm_set(tirc, indirect_table, rqtn);
	encode_hash(tirc, fields, key);
	return create_tir(core, &in, tdn, flags, tirn);
}
EXPORT_SYMBOL_GPL(cxr_cmd_create_hash_tir);

int cxr_cmd_create_direct_tir(struct cxr_core *core, u16 uid, u32 tdn, u32 flags, u32 rqn,
			      u32 *tirn)
{
	struct prm_create_tir_in in = {};

	prm_set(&in, uid, uid);
	prm_set(&in, ctx.disp_type, PRM_TIR_DIRECT);
	prm_set(&in, ctx.inline_rqn, rqn);
	return create_tir(core, &in, tdn, flags, tirn);
}
EXPORT_SYMBOL_GPL(cxr_cmd_create_direct_tir);

int cxr_cmd_set_tir_hash(struct cxr_core *core, u32 tirn, u32 fields, const u8 *key)
{
	struct prm_modify_tir_in in = {};
	struct prm_modify_tir_out out;

	prm_set(&in, tirn, tirn);
	prm_set(&in, bitmask.hash, 1);
	encode_hash(prm_sub(&in, ctx, tirc), fields, key);
	return cxr_cmd(core, modify_tir, &in, &out);
}
EXPORT_SYMBOL_GPL(cxr_cmd_set_tir_hash);

int cxr_cmd_set_tir_self(struct cxr_core *core, u32 tirn, u32 self)
{
	struct prm_modify_tir_in in = {};
	struct prm_modify_tir_out out;

	prm_set(&in, tirn, tirn);
	prm_set(&in, bitmask.self_lb_en, 1);
	prm_set(&in, ctx.self_lb_block, self_bits(self));
	return cxr_cmd(core, modify_tir, &in, &out);
}
EXPORT_SYMBOL_GPL(cxr_cmd_set_tir_self);

int cxr_cmd_destroy_tir(struct cxr_core *core, u16 uid, u32 tirn)
{
	struct prm_destroy_tir_in in = {};
	struct prm_destroy_tir_out out;

	prm_set(&in, uid, uid);
	prm_set(&in, tirn, tirn);
	return cxr_cmd_refusal(core, cxr_cmd(core, destroy_tir, &in, &out));
}
EXPORT_SYMBOL_GPL(cxr_cmd_destroy_tir);

/* ---- tunnels --------------------------------------------------------------------------------- */

/* The place of a port that the device has kept, or, with 0, a free one; NULL: there is none. */
static u16 *kept_port(struct cxr_core *core, u16 port)
{
	u16 *kept = to_dev(core)->vxlan_kept;
	unsigned int i;

	for (i = 0; i < CXR_VXLAN_PORTS; i++)
		if (kept[i] == port)
			return &kept[i];
	return NULL;
}

int cxr_cmd_add_vxlan_port(struct cxr_core *core, u16 port)
{
	struct prm_add_vxlan_udp_dport_in in = {};
	struct prm_add_vxlan_udp_dport_out out;
	u16 *kept = kept_port(core, port);

	if (kept) {
		*kept = 0;
		return 0;
	}
	prm_set(&in, vxlan_udp_port, port);
	return cxr_cmd(core, add_vxlan_udp_dport, &in, &out);
}
EXPORT_SYMBOL_GPL(cxr_cmd_add_vxlan_port);

int cxr_cmd_delete_vxlan_port(struct cxr_core *core, u16 port)
{
	struct prm_delete_vxlan_udp_dport_in in = {};
	struct prm_delete_vxlan_udp_dport_out out;
	u16 *kept = kept_port(core, port);
	int err;

	prm_set(&in, vxlan_udp_port, port);
	err = cxr_cmd_refusal(core, cxr_cmd(core, delete_vxlan_udp_dport, &in, &out));
	if (err && !kept)
		kept = kept_port(core, 0);
	if (kept)
		*kept = err ? port : 0;
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cmd_delete_vxlan_port);
