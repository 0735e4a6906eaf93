// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Capabilities: Ethernet offloads, atomic operations, RoCE. Frames are checked on the wire. */
#include <string.h>

#include "caps.h"
#include "prm/cong.h"
#include "prm/tunnel.h"

static uint8_t last_frame[FRAME_MAX];
static uint32_t last_len, n_frames;

static enum wire_verdict see(void *arg, const struct port *from, struct frame *frame)
{
	(void)arg;
	(void)from;
	memcpy(last_frame, frame->data, frame->len);
	last_len = frame->len;
	n_frames++;
	return WIRE_PASS;
}

/* ---- Ethernet ---- */

/* A WQE whose first @head bytes of the packet are inline, the rest and @more in one segment. */
struct tx {
	unsigned int opcode, cs_flags, mss, head, more;
	const uint8_t *packet;	/* NULL: TCP with 64 bytes of data */
	uint32_t len;
	bool insert;
	void (*edit)(struct prm_sqc *ctx);
};

static unsigned int header_ds(unsigned int head)
{
	return head > 2 ? (head - 2 + PRM_WQE_DS - 1) / PRM_WQE_DS : 0;
}

static unsigned int send(struct dut *dut, const struct tx *tx)
{
	static const struct flow flow = { .dmac = { 2, 9, 9, 9, 9, 9 }, .smac = { 2 }, .vlan = -1,
					  .ip = 4, .proto = 6, .src = { 1, 2, 3, 4 },
					  .dst = { 5, 6, 7, 8 }, .payload = 64 };
	struct dut_wq sq = dut_create_sq(dut, 4, tx->edit);
	unsigned int ds = 2 + header_ds(tx->head);
	uint8_t tcp[256], *wqe;
	uint32_t len = make_packet(tcp, &flow) - (tx->more ? flow.payload : 0);
	const uint8_t *packet = tcp;
	uint64_t buf;
	struct prm_wqe_eth_seg *eseg;
	const struct prm_cqe64 *cqe;

	if (tx->packet) {
		packet = tx->packet;
		len = tx->len;
	}
	buf = dut_alloc(dut, len + tx->more);
	memcpy(dut_ptr(dut, buf), packet, len);
	wqe = dut_wqe(dut, &sq, tx->opcode, ds + 1, PRM_WQE_CE_ALWAYS);
	eseg = (void *)(wqe + PRM_WQE_DS);
	eseg->cs_flags = tx->cs_flags;
	eseg->mss = htobe16(tx->mss);
	eseg->inline_hdr_sz = htobe16(tx->insert ? PRM_WQE_ETH_INSERT_VLAN : tx->head);
	memcpy((uint8_t *)eseg + offsetof(struct prm_wqe_eth_seg, inline_hdr_start), packet,
	       tx->head);
	dut_data_seg(dut, (void *)(wqe + ds * PRM_WQE_DS), buf + tx->head,
		     len - tx->head + tx->more);
	n_frames = 0;
	wire_set_filter(see, NULL);
	dut_ring(dut, &sq, (ds + 1 + 3) / 4);
	wire_set_filter(NULL, NULL);
	cqe = dut_poll(dut, &sq.cq);
	return cqe ? cqe->op_own >> PRM_CQE_OPCODE_SHIFT : 0xff;
}

static bool probe_csum(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)value;
	(void)arg;
	return send(dut, &(struct tx){ .opcode = PRM_WQE_SEND, .head = 18,
				       .cs_flags = PRM_WQE_ETH_L3_CSUM | PRM_WQE_ETH_L4_CSUM }) ==
	       PRM_CQE_REQ && n_frames == 1 && !wrong_checksum(last_frame, last_len);
}

static bool probe_several(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)value;
	(void)arg;
	return send(dut, &(struct tx){ .opcode = PRM_WQE_ENHANCED_MPSW }) == PRM_CQE_REQ &&
	       n_frames == 1;
}

/* Payload of @bytes behind 54 bytes of headers. */
static unsigned int send_lso(struct dut *dut, uint32_t bytes)
{
	return send(dut, &(struct tx){ .opcode = PRM_WQE_LSO, .head = 54, .mss = 1400,
				       .more = bytes });
}

static bool probe_lso(struct dut *dut, uint32_t value, uint32_t arg)
{
	bool whole;

	(void)arg;
	whole = send_lso(dut, 1u << value) == PRM_CQE_REQ &&
		n_frames == ((1u << value) + 1399) / 1400;
	return whole && send_lso(dut, (1u << value) + 1) == PRM_CQE_REQ_ERR;
}

static bool probe_vlan_insert(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)value;
	(void)arg;
	return send(dut, &(struct tx){ .opcode = PRM_WQE_SEND, .insert = true }) == PRM_CQE_REQ &&
	       last_frame[12] == 0x81 && !last_frame[13];
}

static void wants_inline(struct prm_sqc *ctx)
{
	prm_set(ctx, min_wqe_inline_mode, PRM_VPORT_INLINE_L2);
}

static int set_min_inline(struct dut *dut, unsigned int mode)
{
	struct prm_modify_nic_vport_context_in in = {};
	struct prm_modify_nic_vport_context_out out;

	prm_set(&in, field_select.min_inline, 1);
	prm_set(&in, nic_vport_context.min_wqe_inline_mode, mode);
	return dut_cmd(dut, modify_nic_vport_context, &in, &out);
}

/* Always, as the vport and its queues say, or never. */
static bool probe_inline(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct tx without = { .opcode = PRM_WQE_SEND }, with = { .opcode = PRM_WQE_SEND,
								.head = 18 };
	bool needed = send(dut, &without) != PRM_CQE_REQ, by_vport;

	(void)arg;
	by_vport = !set_min_inline(dut, PRM_VPORT_INLINE_L2);
	if (send(dut, &with) != PRM_CQE_REQ ||
	    value != (needed ? PRM_INLINE_MODE_L2 :
		      by_vport ? PRM_INLINE_MODE_VPORT : PRM_INLINE_MODE_NOT_REQUIRED))
		return false;
	without.edit = wants_inline;
	return !by_vport || send(dut, &without) == PRM_CQE_REQ_ERR;
}

static int modify_rq(struct dut *dut, uint64_t mask, bool vsd, bool fcs)
{
	struct dut_wq rq = dut_create_rq(dut, 4, 6, NULL);
	struct prm_modify_rq_in in = {};
	struct prm_modify_rq_out out;
	int status;

	prm_set(&in, rqn, rq.num);
	prm_set(&in, rq_state, PRM_WQ_RDY);
	prm_set(&in, ctx.state, PRM_WQ_RDY);
	prm_set64(&in, modify_bitmask, mask);
	prm_set(&in, ctx.vsd, vsd);
	prm_set(&in, ctx.scatter_fcs, fcs);
	status = dut_cmd(dut, modify_rq, &in, &out);
	dut_destroy_obj(dut, PRM_OP_destroy_rq, rq.num);
	dut_destroy_obj(dut, PRM_OP_destroy_cq, rq.cq.num);
	return status;
}

static bool probe_vlan(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)value;
	(void)arg;
	return !modify_rq(dut, PRM_MODIFY_RQ_VSD, true, false) &&
	       !modify_rq(dut, PRM_MODIFY_RQ_VSD, false, false);
}

static bool probe_fcs(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)value;
	(void)arg;
	return !modify_rq(dut, PRM_MODIFY_RQ_SCATTER_FCS, false, true) ||
	       !TRY(dut, rq, rq, ctx.scatter_fcs, 1);
}

static bool probe_self_lb(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct prm_modify_tir_in in = {};
	struct prm_modify_tir_out out;
	bool works;

	(void)value;
	(void)arg;
	prm_set(&in, tirn, env.tirn);
	prm_set(&in, bitmask.self_lb_en, 1);
	prm_set(&in, ctx.self_lb_block, PRM_TIR_SELF_UNICAST);
	works = !dut_cmd(dut, modify_tir, &in, &out);
	prm_set(&in, ctx.self_lb_block, 0);
	return works && !dut_cmd(dut, modify_tir, &in, &out);
}

static int tir(struct dut *dut, unsigned int lro, unsigned int tunnel, unsigned int inner)
{
	struct prm_create_tir_in in = {};
	struct prm_create_tir_out out;
	int status;

	prm_set(&in, ctx.inline_rqn, env.rqn);
	prm_set(&in, ctx.transport_domain, dut->td);
	prm_set(&in, ctx.packet_merge_mask, lro);
	prm_set(&in, ctx.tunneled_offload_en, tunnel);
	prm_set(&in, ctx.rx_hash_field_selector_inner.selected_fields, inner);
	status = dut_cmd(dut, create_tir, &in, &out);
	if (!status)
		dut_destroy_obj(dut, PRM_OP_destroy_tir, prm_get(&out, tirn));
	return status;
}

static bool probe_lro(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)value;
	(void)arg;
	return !tir(dut, 1, 0, 0);
}

/* The checksum of TCP in the tunnel; and TIRs look into tunnels of some kind. */
static bool probe_tunnel(struct dut *dut, uint32_t value, uint32_t tunnel)
{
	static const struct flow outer = { .dmac = { 2, 9, 9, 9, 9, 9 }, .smac = { 2 }, .vlan = -1,
					   .ip = 4, .dport = 4789, .src = { 1 }, .dst = { 2 } };
	struct tx tx = { .opcode = PRM_WQE_SEND, .head = 18,
			 .cs_flags = PRM_WQE_ETH_L3_INNER_CSUM | PRM_WQE_ETH_L4_INNER_CSUM };
	uint8_t packet[1024];
	uint32_t at;

	(void)value;
	tx.packet = packet;
	tx.len = make_tunnel(packet, tunnel, &outer, &tcp4, &at);
	if (send(dut, &tx) != PRM_CQE_REQ || n_frames != 1)
		return !hca_tunnels(dut->dev) && (!tir(dut, 0, 1, 0) || !tir(dut, 0, 0, 1));
	if (tunnel != TUNNEL_VXLAN) {	/* what is checked has an Ethernet header */
		at -= 14;
		memcpy(last_frame + at + 12, "\x08", 2);
	}
	return !wrong_checksum(last_frame + at, last_len - at) && !tir(dut, 0, 1, 1);
}

/* How many ports are taken. */
static bool probe_vxlan_ports(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct prm_delete_vxlan_udp_dport_in del = {};
	struct prm_delete_vxlan_udp_dport_out del_out;
	struct prm_add_vxlan_udp_dport_in in = {};
	struct prm_add_vxlan_udp_dport_out out;
	unsigned int n = 0, i;

	(void)arg;
	for (; n < 100; n++) {
		prm_set(&in, vxlan_udp_port, 4789 + n);
		if (dut_cmd(dut, add_vxlan_udp_dport, &in, &out))
			break;
	}
	for (i = 0; i < n; i++) {
		prm_set(&del, vxlan_udp_port, 4789 + i);
		dut_must(dut, delete_vxlan_udp_dport, &del, &del_out);
	}
	return n == value;
}

static bool probe_multi(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)value;
	(void)arg;
	return !TRY(dut, sq, sq, ctx.allow_multi_pkt_send_wqe, 1);
}

static bool probe_reg_umr(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)value;
	(void)arg;
	return !TRY(dut, sq, sq, ctx.reg_umr, 1);
}

static bool probe_swp(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)value;
	(void)arg;
	return !TRY(dut, sq, sq, ctx.allow_swp, 1);
}

#define ETH_FLAG(field, fn, arg) \
	CAP_ROW(per_protocol_networking_offload_caps, field, true, fn, arg)
#define ETH_VALUE(field, fn, arg) \
	CAP_ROW(per_protocol_networking_offload_caps, field, false, fn, arg)

const struct cap_row caps_eth[] = {
	ETH_FLAG(csum_cap, probe_csum, 0),
	ETH_FLAG(vlan_cap, probe_vlan, 0),
	ETH_VALUE(max_lso_cap, probe_lso, 0),
	ETH_VALUE(wqe_inline_mode, probe_inline, 0),
	ETH_FLAG(wqe_vlan_insert, probe_vlan_insert, 0),
	ETH_VALUE(rss_ind_tbl_cap, probe_rqt_size, 0),
	ETH_FLAG(self_lb_en_modifiable, probe_self_lb, 0),
	ETH_FLAG(tunnel_stateless_gre, probe_tunnel, TUNNEL_GRE),
	ETH_FLAG(tunnel_stateless_vxlan, probe_tunnel, TUNNEL_VXLAN),
	ETH_FLAG(tunnel_stateless_ip_over_ip, probe_tunnel, TUNNEL_IP),
	ETH_VALUE(max_vxlan_udp_ports, probe_vxlan_ports, 0),
	/* not advertised by any card */
	ETH_FLAG(lro_cap, probe_lro, 0),
	ETH_FLAG(multi_pkt_send_wqe, probe_multi, 0),
	ETH_FLAG(enhanced_multi_pkt_send_wqe, probe_several, 0),
	ETH_FLAG(reg_umr_sq, probe_reg_umr, 0),
	ETH_FLAG(scatter_fcs, probe_fcs, 0),
	ETH_FLAG(swp, probe_swp, 0),
};

const unsigned int caps_eth_n = ARRAY_SIZE(caps_eth);

/* ---- a queue pair that sends to itself ---- */

struct loop {
	struct dut_cq cq;
	uint64_t wq, dbr, buf;
	uint32_t qpn, key;
};

static uint32_t all_rights(struct dut *dut)
{
	struct prm_create_mkey_in in = {};
	struct prm_create_mkey_out out;

	prm_set(&in, memory_key_mkey_entry.lr, 1);
	prm_set(&in, memory_key_mkey_entry.lw, 1);
	prm_set(&in, memory_key_mkey_entry.rr, 1);
	prm_set(&in, memory_key_mkey_entry.rw, 1);
	prm_set(&in, memory_key_mkey_entry.a, 1);
	prm_set(&in, memory_key_mkey_entry.length64, 1);
	prm_set(&in, memory_key_mkey_entry.qpn, 0xffffff);
	prm_set(&in, memory_key_mkey_entry.pd, dut->pd);
	dut_must(dut, create_mkey, &in, &out);
	return prm_get(&out, mkey_index) << 8;
}

static void fill_path(struct dut *dut, const struct loop *l, struct prm_qpc *ctx)
{
	const uint8_t *mac = dut->dev->mac, gid[16] = { [10] = 0xff, 0xff, 192, 168, 0, 1 };

	prm_set(ctx, mtu, PRM_QP_MTU_1024);
	prm_set(ctx, log_msg_max, 20);
	prm_set(ctx, remote_qpn, l->qpn);
	prm_set(ctx, rae, 1);
	prm_set(ctx, atomic_mode, PRM_QP_ATOMIC_IB);
	prm_set(ctx, primary_address_path.vhca_port_num, 1);
	prm_set(ctx, primary_address_path.hop_limit, 64);
	memcpy(prm_bytes(ctx, primary_address_path.rgid_rip), gid, 16);
	prm_set(ctx, primary_address_path.rmac_47_32, mac[0] << 8 | mac[1]);
	prm_set(ctx, primary_address_path.rmac_31_0,
		(uint32_t)mac[2] << 24 | mac[3] << 16 | mac[4] << 8 | mac[5]);
}

static struct loop create_loop(struct dut *dut, enum prm_qp_st st)
{
	struct loop l = { .cq = dut_create_cq(dut, 4), .wq = dut_alloc(dut, 4096),
			  .dbr = dut_alloc(dut, 8), .buf = dut_alloc(dut, 4096),
			  .key = all_rights(dut) };
	uint64_t pas = htobe64(l.wq);
	struct prm_create_qp_in in = {};
	struct prm_create_qp_out out;
	struct prm_qpc ctx = {};

	prm_set(&in, qpc.pm_state, PRM_QP_PM_MIGRATED);
	prm_set(&in, qpc.st, st);
	prm_set(&in, qpc.fre, 1);
	prm_set(&in, qpc.rq_type, PRM_QP_RQ_NONE);
	prm_set(&in, qpc.log_sq_size, 2);
	prm_set(&in, qpc.pd, dut->pd);
	prm_set(&in, qpc.uar_page, dut->uar);
	prm_set(&in, qpc.cqn_snd, l.cq.num);
	prm_set64(&in, qpc.dbr_addr, l.dbr);
	dut_check(dut_cmd_tail(dut, create_qp, &in, &out, &pas, 8), "create_qp");
	l.qpn = prm_get(&out, qpn);
	dut->dev->roce_enabled = true;
	dut_check(set_address(dut, 0, PRM_ROCE_V2, PRM_ROCE_L3_IPV4), "set_roce_address");
	prm_set(&ctx, st, st);
	fill_path(dut, &l, &ctx);
	dut_check(modify_qp(dut, PRM_OP_rst2init_qp, l.qpn, 0, &ctx), "rst2init_qp");
	dut_check(modify_qp(dut, PRM_OP_init2rtr_qp, l.qpn, 0, &ctx), "init2rtr_qp");
	dut_check(modify_qp(dut, PRM_OP_rtr2rts_qp, l.qpn, 0, &ctx), "rtr2rts_qp");
	return l;
}

/* Rings for the WQE that stands at 0, and takes all down. Does it complete? */
static bool run_loop(struct dut *dut, struct loop *l, unsigned int opcode, unsigned int ds)
{
	struct prm_wqe_ctrl_seg *ctrl = dut_ptr(dut, l->wq);
	const struct prm_cqe64 *cqe;
	bool works;

	ctrl->opmod_idx_opcode = htobe32(opcode);
	ctrl->qpn_ds = htobe32(l->qpn << 8 | ds);
	ctrl->fm_ce_se = PRM_WQE_CE_ALWAYS;
	dut_store(dut, l->dbr + 4, (ds + 3) / 4);
	n_frames = 0;
	wire_set_filter(see, NULL);
	sq_doorbell(dut->dev, dut->uar, (uint64_t)l->qpn << 8);
	dut_run();
	wire_set_filter(NULL, NULL);
	cqe = dut_poll(dut, &l->cq);
	works = cqe && cqe->op_own >> PRM_CQE_OPCODE_SHIFT == PRM_CQE_REQ;
	dut_destroy_obj(dut, PRM_OP_destroy_qp, l->qpn);
	dut_destroy_obj(dut, PRM_OP_destroy_cq, l->cq.num);
	dut_destroy_obj(dut, PRM_OP_destroy_mkey, l->key >> 8);
	return works;
}

static void fill_data(const struct loop *l, struct prm_wqe_data_seg *data, uint32_t len)
{
	data->byte_count = htobe32(len);
	data->lkey = htobe32(l->key);
	data->addr = htobe64(l->buf + 1024);
}

/* One atomic operation of @len bytes on itself; does it complete? */
static bool atomic(struct dut *dut, unsigned int opcode, uint32_t len)
{
	struct loop l = create_loop(dut, PRM_QP_ST_RC);
	unsigned int ds = opcode >= PRM_WQE_ATOMIC_MASKED_CS ? 5 : 4;
	struct prm_wqe_raddr_seg *raddr = dut_ptr(dut, l.wq + PRM_WQE_DS);

	raddr->raddr = htobe64(l.buf);
	raddr->rkey = htobe32(l.key);
	fill_data(&l, dut_ptr(dut, l.wq + (ds - 1) * PRM_WQE_DS), len);
	return run_loop(dut, &l, opcode, ds);
}

static uint32_t bad_qkeys(struct dut *dut)
{
	struct prm_query_nic_vport_context_in in = {};
	struct prm_query_nic_vport_context_out out;

	dut_must(dut, query_nic_vport_context, &in, &out);
	return prm_get(&out, nic_vport_context.qkey_violation_counter);
}

/* A datagram whose Q_Key is not the queue pair's is counted. */
bool probe_qkeys(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct loop l = create_loop(dut, PRM_QP_ST_UD);
	struct prm_av *av = dut_ptr(dut, l.wq + PRM_WQE_DS);
	uint32_t before = bad_qkeys(dut);

	(void)value;
	(void)arg;
	av->key.qkey.qkey = htobe32(1);
	av->dqp_dct = htobe32(PRM_AV_EXTENDED | l.qpn);
	memcpy(av->rmac, dut->dev->mac, 6);
	av->rgid[10] = 0xff;
	av->rgid[11] = 0xff;
	av->rgid[12] = 192;
	av->rgid[13] = 168;
	av->rgid[15] = 1;
	fill_data(&l, dut_ptr(dut, l.wq + 4 * PRM_WQE_DS), 64);
	return run_loop(dut, &l, PRM_WQE_SEND, 5) && bad_qkeys(dut) == before + 1;
}

/* A free key with room for so many pages. */
static uint32_t create_free_mkey(struct dut *dut, uint32_t pages)
{
	struct prm_create_mkey_in in = {};
	struct prm_create_mkey_out out;

	prm_set(&in, memory_key_mkey_entry.access_mode_1_0, PRM_MKC_MTT);
	prm_set(&in, memory_key_mkey_entry.free, 1);
	prm_set(&in, memory_key_mkey_entry.umr_en, 1);
	prm_set(&in, memory_key_mkey_entry.log_page_size, 12);
	prm_set(&in, memory_key_mkey_entry.qpn, 0xffffff);
	prm_set(&in, memory_key_mkey_entry.pd, dut->pd);
	prm_set(&in, memory_key_mkey_entry.translations_octword_size, pages / 2);
	dut_must(dut, create_mkey, &in, &out);
	return prm_get(&out, mkey_index) << 8;
}

/*
 * One UMR gives a key so many pages, all of which its length needs. A list of regions fills the
 * WQE's field of 16 bits, so that no more can be said.
 */
bool probe_umr_list(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct loop l = create_loop(dut, PRM_QP_ST_REG_UMR);
	struct prm_wqe_ctrl_seg *ctrl = dut_ptr(dut, l.wq);
	struct prm_wqe_umr_ctrl_seg *umr = (void *)(ctrl + 1);
	struct prm_mkc *mkc = (void *)(umr + 1);
	uint32_t pages = 1u << value, key = create_free_mkey(dut, pages);
	bool works;

	(void)arg;
	if (value != 8 * sizeof(umr->xlt_octowords))
		return false;
	ctrl->umr_mkey = htobe32(key);
	umr->flags = PRM_UMR_CHECK_NOT_FREE;
	umr->xlt_octowords = htobe16(pages / 2);
	umr->mkey_mask = htobe64(PRM_UMR_MASK_FREE | PRM_UMR_MASK_LEN);
	prm_set64(mkc, len, (uint64_t)pages << 12);
	dut_data_seg(dut, (void *)(mkc + 1), dut_alloc(dut, pages * sizeof(struct prm_mtt)),
		     pages * sizeof(struct prm_mtt));
	works = run_loop(dut, &l, PRM_WQE_UMR, 9);
	dut_destroy_obj(dut, PRM_OP_destroy_mkey, key >> 8);
	return works;
}

/* ---- atomic operations ---- */

static bool probe_operations(struct dut *dut, uint32_t value, uint32_t arg)
{
	static const uint8_t opcodes[] = { PRM_WQE_ATOMIC_CS, PRM_WQE_ATOMIC_FA,
					   PRM_WQE_ATOMIC_MASKED_CS, PRM_WQE_ATOMIC_MASKED_FA };
	uint32_t works = 0;
	unsigned int i;

	(void)arg;
	for (i = 0; i < ARRAY_SIZE(opcodes); i++)
		works |= (uint32_t)atomic(dut, opcodes[i], 8) << i;
	return works == value;
}

static bool probe_sizes(struct dut *dut, uint32_t value, uint32_t arg)
{
	uint32_t works = 0;
	unsigned int log;

	(void)arg;
	for (log = 2; log < 6; log++)
		works |= atomic(dut, PRM_WQE_ATOMIC_FA, 1u << log) ? 1u << log : 0;
	return works == value;
}

static bool probe_endianness(struct dut *dut, uint32_t value, uint32_t arg)
{
	const unsigned int bit = offsetof(struct prm_atomic_caps_bits,
					  atomic_req_8B_endianness_mode);

	(void)value;
	(void)arg;
	return !try_set_cap(dut, CAP_ATOMIC, bit, 2, PRM_ATOMIC_HOST_ENDIAN) &&
	       try_set_cap(dut, CAP_ATOMIC, bit, 2, 2);
}

const struct cap_row caps_atomic[] = {
	CAP_ROW(atomic_caps, supported_atomic_req_8B_endianness_mode_1, true, probe_endianness, 0),
	CAP_ROW(atomic_caps, atomic_operations, false, probe_operations, 0),
	CAP_ROW(atomic_caps, atomic_size_qp, false, probe_sizes, 0),
	CAP_ROW(atomic_caps, atomic_size_dc, true, probe_opcode, PRM_OP_create_dct),
};

const unsigned int caps_atomic_n = ARRAY_SIZE(caps_atomic);

/* ---- RoCE ---- */

/* Bit 0 of the field, a plain GRH, goes with no type of address that could be set. */
static bool probe_l3_types(struct dut *dut, uint32_t value, uint32_t arg)
{
	uint32_t works = 0;

	(void)arg;
	works |= set_address(dut, 1, PRM_ROCE_V2, PRM_ROCE_L3_IPV4) ? 0 : PRM_ROCE_CAP_L3_IPV4;
	works |= set_address(dut, 1, PRM_ROCE_V2, PRM_ROCE_L3_IPV6) ? 0 : PRM_ROCE_CAP_L3_IPV6;
	return works == value;
}

static bool probe_versions(struct dut *dut, uint32_t value, uint32_t arg)
{
	uint32_t works = 0, version;

	(void)arg;
	for (version = 0; version < 8; version++)
		works |= set_address(dut, 1, version, version == PRM_ROCE_V2 ? PRM_ROCE_L3_IPV6 : 0)
			 ? 0 : 1u << version;
	return works == value;
}

/* Of frames that were seen: the UDP port at @offset, which the field names or is a bound of. */
static bool probe_udp(struct dut *dut, uint32_t value, uint32_t bound)
{
	uint32_t source, dest;

	if (!atomic(dut, PRM_WQE_ATOMIC_FA, 8) || last_len < 42)
		return false;
	source = last_frame[34] << 8 | last_frame[35];
	dest = last_frame[36] << 8 | last_frame[37];
	if (!bound)
		return dest == value;
	return bound == 1 ? source >= value && value == 0xc000 : source <= value;
}

static bool probe_addresses(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)arg;
	return !set_address(dut, value - 1, PRM_ROCE_V2, PRM_ROCE_L3_IPV4) &&
	       set_address(dut, value, PRM_ROCE_V2, PRM_ROCE_L3_IPV4);
}

/* Can be set, as the page of maxima says. */
static bool probe_sw_port(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)arg;
	return !value &&
	       !try_set_cap(dut, CAP_ROCE,
			    offsetof(struct prm_roce_cap_bits, sw_r_roce_src_udp_port), 1, 1);
}

static bool probe_settable(struct dut *dut, uint32_t value, uint32_t bit)
{
	(void)value;
	return !try_set_cap(dut, CAP_ROCE, bit, 1, 1);
}

static bool probe_retry_mode(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)value;
	(void)arg;
	return !TRY(dut, qp, qp, qpc.retry_mode, 1);
}

static bool probe_qp_ts(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct prm_roce_cap *cap = (void *)dut->dev->hca->cap_cur[CAP_ROCE];
	bool works = !TRY(dut, qp, qp, qpc.ts_format, PRM_TS_REAL_TIME), only;

	(void)arg;
	prm_set(cap, qp_ts_format, PRM_TS_CAP_REAL_TIME);
	only = !TRY(dut, qp, qp, qpc.ts_format, PRM_TS_DEFAULT) &&
	       TRY(dut, qp, qp, qpc.ts_format, PRM_TS_FREE_RUNNING);
	prm_set(cap, qp_ts_format, value);
	return only ? works : !value;
}

#define FL_DISABLED offsetof(struct prm_roce_cap_bits, fl_rc_qp_when_roce_disabled)

const struct cap_row caps_roce[] = {
	CAP_ROW(roce_cap, l3_type, false, probe_l3_types, 0),
	CAP_ROW(roce_cap, roce_version, false, probe_versions, 0),
	CAP_ROW(roce_cap, r_roce_dest_udp_port, false, probe_udp, 0),
	CAP_ROW(roce_cap, r_roce_min_src_udp_port, false, probe_udp, 1),
	CAP_ROW(roce_cap, r_roce_max_src_udp_port, false, probe_udp, 2),
	CAP_ROW(roce_cap, roce_address_table_size, false, probe_addresses, 0),
	CAP_ROW(roce_cap, sw_r_roce_src_udp_port, false, probe_sw_port, 0),
	CAP_ROW(roce_cap, roce_cc_general, true, probe_cong_params, PRM_CONG_GENERAL),
	CAP_ROW(roce_cap, fl_rc_qp_when_roce_disabled, true, probe_settable, FL_DISABLED),
	CAP_ROW(roce_cap, qp_ooo_transmit_default, true, probe_retry_mode, 0),
	CAP_ROW(roce_cap, qp_ts_format, true, probe_qp_ts, 0),
};

const unsigned int caps_roce_n = ARRAY_SIZE(caps_roce);
