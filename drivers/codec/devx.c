// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/errno.h>
#include <linux/string.h>
#include <linux/types.h>
#include "prm/caps.h"
#include "prm/cmdif.h"
#include "prm/counter.h"
#include "prm/definer.h"
#include "prm/dct.h"
#include "prm/devx.h"
#include "prm/eqe.h"
#include "prm/flow.h"
#include "prm/mkey.h"
#include "prm/nic.h"
#include "prm/obj.h"
#include "prm/qp.h"
#include "prm/srq.h"
#include "prm/tunnel.h"
#include "prm/vport.h"
#include "devx.h"

/* Commands of this range are about no object, whatever they are. */
#define GENERAL_FROM 0xb00
#define GENERAL_END 0xd00

#define FLOW_COUNTER_BULK 128	/* counters that a bit of flow_counter_bulk stands for */
#define EQN_MAX 0xff

/* Layouts are names of structs of one byte for each bit: offsets and sizes are in bits. */
#define BIT_OF(layout, field) offsetof(struct prm_##layout##_bits, field)
#define BITS_OF(layout, field) sizeof(((struct prm_##layout##_bits *)0)->field)

struct place {
	u16 bit;
	u8 width;
};

#define PLACE(layout, field) { BIT_OF(layout, field), BITS_OF(layout, field) }

static bool reaches(const struct place *place, u32 len)
{
	return place->bit + place->width <= 8 * len;
}

static u32 get_at(const void *mbox, const struct place *place)
{
	return prm_get_bits(mbox, place->bit, place->width);
}

static void set_at(void *mbox, const struct place *place, u32 value)
{
	prm_set_bits(mbox, place->bit, place->width, value);
}

u16 cxr_devx_opcode(const void *in)
{
	const struct prm_mbox_in *head = in;

	return prm_get(head, opcode);
}

/* ---- what commands do ---- */

#define ANY_OP_MOD 0xff

struct command {
	u16 op;
	u8 op_mod;
	u8 use;
	u8 kind;
	struct place id;	/* in the output, if @in_output */
	bool in_output;
};

#define GENERAL(name) \
	{ .op = PRM_OP_##name, .op_mod = ANY_OP_MOD, .use = CXR_DEVX_GENERAL }
#define CREATE(what, name, field) \
	{ .op = PRM_OP_##name, .op_mod = ANY_OP_MOD, .use = CXR_DEVX_CREATE, \
	  .kind = CXR_DEVX_##what, .id = PLACE(name##_out, field), .in_output = true }
/* The program chooses the number. */
#define PLACE_IT(what, name, field, mod) \
	{ .op = PRM_OP_##name, .op_mod = mod, .use = CXR_DEVX_CREATE, \
	  .kind = CXR_DEVX_##what, .id = PLACE(name##_in, field) }
#define MODIFY_OP(what, name, layout, field, mod) \
	{ .op = PRM_OP_##name, .op_mod = mod, .use = CXR_DEVX_MODIFY, \
	  .kind = CXR_DEVX_##what, .id = PLACE(layout, field) }
#define MODIFY(what, name, field) MODIFY_OP(what, name, name##_in, field, ANY_OP_MOD)
#define QUERY_AS(what, name, layout, field) \
	{ .op = PRM_OP_##name, .op_mod = ANY_OP_MOD, .use = CXR_DEVX_QUERY, \
	  .kind = CXR_DEVX_##what, .id = PLACE(layout, field) }
#define QUERY(what, name, field) QUERY_AS(what, name, name##_in, field)

/*
 * What the in-tree driver lets programs do, but for CREATE_SRQ: its memory cannot be a umem's, and
 * devices of interface revision 1 have no such object.
 */
static const struct command commands[] = {
	GENERAL(query_hca_cap), GENERAL(query_adapter), GENERAL(query_issi), GENERAL(nop),
	GENERAL(query_vport_state), GENERAL(query_nic_vport_context), GENERAL(query_vnic_env),
	GENERAL(query_esw_vport_context), GENERAL(query_hca_vport_context), GENERAL(query_lag),
	GENERAL(query_roce_address), GENERAL(query_vport_counter), GENERAL(query_esw_functions),
	GENERAL(get_dropped_packet_log), GENERAL(query_cong_status), GENERAL(query_cong_params),
	GENERAL(query_cong_statistics),

	CREATE(PD, alloc_pd, pd),
	CREATE(TD, alloc_transport_domain, transport_domain),
	CREATE(XRCD, alloc_xrcd, xrcd),
	CREATE(MKEY, create_mkey, mkey_index), QUERY(MKEY, query_mkey, mkey_index),
	CREATE(PSV, create_psv, psv0_index),
	CREATE(CQ, create_cq, cqn), MODIFY(CQ, modify_cq, cqn), QUERY(CQ, query_cq, cqn),

	CREATE(QP, create_qp, qpn), QUERY(QP, query_qp, qpn),
	MODIFY(QP, rst2init_qp, qpn), MODIFY(QP, init2init_qp, qpn), MODIFY(QP, init2rtr_qp, qpn),
	MODIFY(QP, rtr2rts_qp, qpn), MODIFY(QP, rts2rts_qp, qpn), MODIFY(QP, sqerr2rts_qp, qpn),
	MODIFY(QP, qp_2err, qpn), MODIFY(QP, qp_2rst, qpn),
	PLACE_IT(MCG, attach_to_mcg, qpn, ANY_OP_MOD),

	CREATE(XRC_SRQ, create_xrc_srq, xrc_srqn), QUERY(XRC_SRQ, query_xrc_srq, xrc_srqn),
	MODIFY(XRC_SRQ, arm_xrc_srq, xrc_srqn),
	CREATE(RMP, create_rmp, rmpn), MODIFY(RMP, modify_rmp, rmpn), QUERY(RMP, query_rmp, rmpn),
	CREATE(XRQ, create_xrq, xrqn), QUERY(XRQ, query_xrq, xrqn),
	QUERY_AS(XRQ, query_xrq_dc_params_entry, query_xrq_in, xrqn),
	QUERY_AS(XRQ, query_xrq_error_params, query_xrq_in, xrqn),
	MODIFY(XRQ, arm_xrq, xrqn),
	MODIFY_OP(XRQ, set_xrq_dc_params_entry, arm_xrq_in, xrqn, ANY_OP_MOD),
	MODIFY_OP(XRQ, release_xrq_error, arm_xrq_in, xrqn, ANY_OP_MOD),
	MODIFY_OP(XRQ, modify_xrq, arm_xrq_in, xrqn, ANY_OP_MOD),
	CREATE(DCT, create_dct, dctn), QUERY(DCT, query_dct, dctn),
	MODIFY_OP(DCT, arm_dct_for_key_violation, drain_dct_in, dctn, ANY_OP_MOD),

	CREATE(SQ, create_sq, sqn), MODIFY(SQ, modify_sq, sqn), QUERY(SQ, query_sq, sqn),
	CREATE(RQ, create_rq, rqn), MODIFY(RQ, modify_rq, rqn), QUERY(RQ, query_rq, rqn),
	MODIFY(RQ, arm_rq, srq_number),
	CREATE(RQT, create_rqt, rqtn), MODIFY(RQT, modify_rqt, rqtn), QUERY(RQT, query_rqt, rqtn),
	CREATE(TIR, create_tir, tirn), MODIFY(TIR, modify_tir, tirn), QUERY(TIR, query_tir, tirn),
	CREATE(TIS, create_tis, tisn), MODIFY(TIS, modify_tis, tisn), QUERY(TIS, query_tis, tisn),

	CREATE(Q_COUNTER, alloc_q_counter, counter_set_id),
	QUERY(Q_COUNTER, query_q_counter, counter_set_id),
	CREATE(FLOW_TABLE, create_flow_table, table_id),
	MODIFY(FLOW_TABLE, modify_flow_table, table_id),
	QUERY(FLOW_TABLE, query_flow_table, table_id),
	CREATE(FLOW_GROUP, create_flow_group, group_id),
	QUERY(FLOW_GROUP, query_flow_group, group_id),
	PLACE_IT(FTE, set_fte, flow_index, 0), QUERY(FTE, query_fte, flow_index),
	MODIFY_OP(FTE, set_fte, set_fte_in, flow_index, 1),
	CREATE(FLOW_COUNTER, alloc_flow_counter, flow_counter_id),
	QUERY(FLOW_COUNTER, query_flow_counter, flow_counter_id),
	CREATE(REFORMAT, alloc_packet_reformat_context, packet_reformat_id),
	QUERY(REFORMAT, query_packet_reformat_context, packet_reformat_id),
	CREATE(MODIFY_HEADER, alloc_modify_header_context, modify_header_id),
	QUERY(MODIFY_HEADER, query_modify_header_context, modify_header_id),
	CREATE(SCHEDULING, create_scheduling_element, scheduling_element_id),
	MODIFY(SCHEDULING, modify_scheduling_element, scheduling_element_id),
	QUERY(SCHEDULING, query_scheduling_element, scheduling_element_id),
	PLACE_IT(VXLAN_PORT, add_vxlan_udp_dport, vxlan_udp_port, ANY_OP_MOD),
	MODIFY(VXLAN_PORT, add_vxlan_udp_dport, vxlan_udp_port),
	PLACE_IT(L2_ENTRY, set_l2_table_entry, table_index, ANY_OP_MOD),
	MODIFY(L2_ENTRY, set_l2_table_entry, table_index),
	QUERY(L2_ENTRY, query_l2_table_entry, table_index),

	CREATE(OTHER, create_general_object, obj_id),
	MODIFY_OP(OTHER, modify_general_object, query_general_object_in, obj_id, ANY_OP_MOD),
	QUERY(OTHER, query_general_object, obj_id),
	{ .op = 0 }
};

static const struct command *find(const void *in, enum cxr_devx_use use)
{
	const struct prm_mbox_in *head = in;
	const struct command *c;

	for (c = commands; c->op; c++)
		if (c->op == prm_get(head, opcode) && c->use == use &&
		    (c->op_mod == ANY_OP_MOD || c->op_mod == prm_get(head, op_mod)))
			return c;
	return NULL;
}

bool cxr_devx_allowed(const void *in, enum cxr_devx_use use)
{
	const struct prm_query_general_object_in *general = in;
	const struct prm_create_psv_in *psv = in;
	u16 op = cxr_devx_opcode(in);

	/* Not for another function; in commands without this field the place is reserved. */
	if (prm_get(general, vhca_tunnel_id))
		return false;
	if (use == CXR_DEVX_GENERAL)
		return (op >= GENERAL_FROM && op < GENERAL_END) || find(in, use);
	/* One object for each handle. */
	if (op == PRM_OP_create_psv && prm_get(psv, num_psv) != 1)
		return false;
	return find(in, use);
}

enum cxr_devx_kind cxr_devx_kind(const void *in)
{
	const struct command *c = find(in, CXR_DEVX_CREATE);

	return c ? c->kind : CXR_DEVX_NO_OBJECT;
}

bool cxr_devx_is_public(const void *in)
{
	switch (cxr_devx_opcode(in)) {
	case PRM_OP_query_hca_cap:
	case PRM_OP_query_hca_vport_context:
	case PRM_OP_query_esw_vport_context:
	case PRM_OP_query_esw_functions:
		return true;
	default:
		return false;
	}
}

void cxr_devx_set_uid(void *in, u16 uid)
{
	struct prm_mbox_in *head = in;

	prm_set(head, uid, uid);
}

/* ---- memory ---- */

#define MOST_FLAGS 2

static const struct memory {
	u16 op;
	struct place flags[MOST_FLAGS];	/* the addresses are those of umems; of one bit */
} memories[] = {
	{ PRM_OP_create_mkey, { PLACE(create_mkey_in, mkey_umem_valid) } },
	{ PRM_OP_create_cq, { PLACE(create_cq_in, cq_umem_valid),
			      PLACE(create_cq_in, cq_context.dbr_umem_valid) } },
	{ PRM_OP_modify_cq, { PLACE(modify_cq_in, cq_umem_valid) } },
	{ PRM_OP_create_qp, { PLACE(create_qp_in, wq_umem_valid),
			      PLACE(create_qp_in, qpc.dbr_umem_valid) } },
	{ PRM_OP_create_sq, { PLACE(create_sq_in, ctx.wq.wq_umem_valid),
			      PLACE(create_sq_in, ctx.wq.dbr_umem_valid) } },
	{ PRM_OP_create_rq, { PLACE(create_rq_in, ctx.wq.wq_umem_valid),
			      PLACE(create_rq_in, ctx.wq.dbr_umem_valid) } },
	{ PRM_OP_create_rmp, { PLACE(create_rmp_in, ctx.wq.wq_umem_valid),
			       PLACE(create_rmp_in, ctx.wq.dbr_umem_valid) } },
	{ PRM_OP_create_xrq, { PLACE(create_xrq_in, xrq_context.wq.wq_umem_valid),
			       PLACE(create_xrq_in, xrq_context.wq.dbr_umem_valid) } },
	{ PRM_OP_create_xrc_srq, { PLACE(create_xrc_srq_in, xrc_srq_umem_valid),
				   PLACE(create_xrc_srq_in,
					 xrc_srq_context_entry.dbr_umem_valid) } },
	{ .op = 0 }
};

static u8 mkey_mode(const struct prm_create_mkey_in *in)
{
	return prm_get(in, memory_key_mkey_entry.access_mode_1_0) |
	       prm_get(in, memory_key_mkey_entry.access_mode_4_2) << 2;
}

static bool is_indirect(const struct prm_create_mkey_in *in)
{
	return mkey_mode(in) == PRM_MKC_KLMS || mkey_mode(in) == PRM_MKC_KSM;
}

/* A key of other keys has no memory of its own. One of physical addresses is not for programs. */
static int check_mkey(const struct prm_create_mkey_in *in, u32 len, bool *indirect)
{
	if (8 * len < BIT_OF(create_mkey_in, memory_key_mkey_entry) + sizeof(struct prm_mkc_bits))
		return -EINVAL;
	*indirect = is_indirect(in);
	return mkey_mode(in) == PRM_MKC_PA ? -EINVAL : 0;
}

/* The driver of a card need not read this doorbell record, but may; programs leave it out. */
static int clear_record(struct prm_rst2init_qp_in *in, u32 len)
{
	if (8 * len < BIT_OF(rst2init_qp_in, qpc) + sizeof(struct prm_qpc_bits))
		return -EINVAL;
	prm_set64(in, qpc.dbr_addr, 0);
	return 0;
}

static int check_cq(const struct prm_modify_cq_in *in, u32 len)
{
	static const struct place select = PLACE(modify_cq_in,
		modify_field_select_resize_field_select.modify_field_select.modify_field_select);

	if (!reaches(&select, len))
		return -EINVAL;
	return prm_get(in, op_mod) == PRM_MODIFY_CQ && get_at(in, &select) & PRM_MODIFY_CQ_EQN ?
	       -EINVAL : 0;
}

int cxr_devx_use_umems(void *in, u32 len)
{
	const struct memory *m;
	bool indirect = false;
	int i, err;

	for (m = memories; m->op && m->op != cxr_devx_opcode(in); m++)
		;
	if (m->op == PRM_OP_create_mkey) {
		err = check_mkey(in, len, &indirect);
		if (err || indirect)
			return err;
	}
	err = 0;
	if (cxr_devx_opcode(in) == PRM_OP_rst2init_qp)
		err = clear_record(in, len);
	else if (cxr_devx_opcode(in) == PRM_OP_modify_cq)
		err = check_cq(in, len);
	if (err)
		return err;
	for (i = 0; m->op && i < MOST_FLAGS && m->flags[i].width; i++) {
		if (!reaches(&m->flags[i], len))
			return -EINVAL;
		set_at(in, &m->flags[i], 1);
	}
	return 0;
}

/* ---- objects ---- */

static u16 type_of(const void *in, u8 kind)
{
	const struct prm_query_general_object_in *general = in;

	return kind == CXR_DEVX_OTHER ? prm_get(general, obj_type) : 0;
}

int cxr_devx_object(const void *in, u32 len, enum cxr_devx_use use, struct cxr_devx_id *id)
{
	const struct command *c = find(in, use);

	if (!c || c->kind == CXR_DEVX_NO_OBJECT || !reaches(&c->id, len))
		return -EINVAL;
	*id = (struct cxr_devx_id){
		.kind = c->kind,
		.type = type_of(in, c->kind),
		.num = get_at(in, &c->id),
	};
	return 0;
}

/* The bytes of the command that created the object stand at the same place in the other. */
struct bytes {
	u8 at, n;
};

#define MOST_COPIED 3
#define VPORT { 8, 4 }
#define TABLE_TYPE { 16, 1 }
#define TABLE_ID { 21, 3 }

static const struct destroyer {
	u16 op;
	u8 len;
	struct place id;
	struct bytes copied[MOST_COPIED];
} destroyers[CXR_DEVX_KINDS] = {
#define DESTROY(what, name, field, ...) \
	[CXR_DEVX_##what] = { .op = PRM_OP_##name, .len = sizeof(struct prm_##name##_in), \
			      .id = PLACE(name##_in, field), .copied = { __VA_ARGS__ } }
	DESTROY(PD, dealloc_pd, pd),
	DESTROY(TD, dealloc_transport_domain, transport_domain),
	DESTROY(XRCD, dealloc_xrcd, xrcd),
	DESTROY(MKEY, destroy_mkey, mkey_index),
	DESTROY(PSV, destroy_psv, psvn),
	DESTROY(CQ, destroy_cq, cqn),
	DESTROY(QP, destroy_qp, qpn),
	DESTROY(XRC_SRQ, destroy_xrc_srq, xrc_srqn),
	DESTROY(RMP, destroy_rmp, rmpn),
	DESTROY(XRQ, destroy_xrq, xrqn),
	DESTROY(DCT, destroy_dct, dctn),
	DESTROY(MCG, detach_from_mcg, qpn, { 16, 16 }),
	DESTROY(SQ, destroy_sq, sqn),
	DESTROY(RQ, destroy_rq, rqn),
	DESTROY(RQT, destroy_rqt, rqtn),
	DESTROY(TIR, destroy_tir, tirn),
	DESTROY(TIS, destroy_tis, tisn),
	DESTROY(Q_COUNTER, dealloc_q_counter, counter_set_id),
	DESTROY(FLOW_TABLE, destroy_flow_table, table_id, VPORT, TABLE_TYPE),
	DESTROY(FLOW_GROUP, destroy_flow_group, group_id, VPORT, TABLE_TYPE, TABLE_ID),
	DESTROY(FTE, delete_fte, flow_index, VPORT, TABLE_TYPE, TABLE_ID),
	DESTROY(FLOW_COUNTER, dealloc_flow_counter, flow_counter_id),
	DESTROY(REFORMAT, dealloc_packet_reformat_context, packet_reformat_id),
	DESTROY(MODIFY_HEADER, dealloc_modify_header_context, modify_header_id),
	DESTROY(SCHEDULING, destroy_scheduling_element, scheduling_element_id, { 8, 1 }),
	DESTROY(VXLAN_PORT, delete_vxlan_udp_dport, vxlan_udp_port),
	DESTROY(L2_ENTRY, delete_l2_table_entry, table_index),
	DESTROY(OTHER, destroy_general_object, obj_id, { 6, 2 }),
#undef DESTROY
};

int cxr_devx_check_create(const void *in, u32 len, u32 out_len)
{
	const struct command *c = find(in, CXR_DEVX_CREATE);
	const struct bytes *copied;
	int i;

	if (!c || !reaches(&c->id, c->in_output ? out_len : len))
		return -EINVAL;
	copied = destroyers[c->kind].copied;
	for (i = 0; i < MOST_COPIED && copied[i].n; i++)
		if (copied[i].at + copied[i].n > len)
			return -EINVAL;
	return 0;
}

void cxr_devx_created(const void *in, const void *out, struct cxr_devx_id *id,
		      struct cxr_devx_destroy *destroy)
{
	const struct command *c = find(in, CXR_DEVX_CREATE);
	struct prm_mbox_in *head = (struct prm_mbox_in *)destroy->in;
	const struct prm_mbox_in *created = in;
	const struct destroyer *d;
	int i;

	*id = (struct cxr_devx_id){
		.kind = c->kind,
		.type = type_of(in, c->kind),
		.num = get_at(c->in_output ? out : in, &c->id),
	};

	d = &destroyers[c->kind];
	memset(destroy, 0, sizeof(*destroy));
	destroy->len = d->len;
	for (i = 0; i < MOST_COPIED && d->copied[i].n; i++)
		memcpy((u8 *)destroy->in + d->copied[i].at, (const u8 *)in + d->copied[i].at,
		       d->copied[i].n);
	prm_set(head, opcode, d->op);
	cxr_devx_set_uid(head, prm_get(created, uid));
	set_at(head, &d->id, id->num);
}

void cxr_devx_destroy_umem(u16 uid, u32 umem, struct cxr_devx_destroy *destroy)
{
	struct prm_destroy_umem_in *in = (struct prm_destroy_umem_in *)destroy->in;

	memset(destroy, 0, sizeof(*destroy));
	destroy->len = sizeof(*in);
	prm_set(in, opcode, PRM_OP_destroy_umem);
	prm_set(in, uid, uid);
	prm_set(in, umem_id, umem);
}

u32 cxr_devx_flow_counters(const void *in)
{
	const struct prm_alloc_flow_counter_in *alloc = in;
	u32 bulk = prm_get(alloc, flow_counter_bulk_log_size);

	return bulk ? 1u << bulk : FLOW_COUNTER_BULK * prm_get(alloc, flow_counter_bulk);
}

u32 cxr_devx_mkey_parts(const void *in)
{
	const struct prm_create_mkey_in *mkey = in;

	return is_indirect(mkey) ?
	       prm_get(mkey, memory_key_mkey_entry.translations_octword_size) : 0;
}

int cxr_devx_cq_eqn(const void *in, u32 len, bool apu)
{
	const struct prm_create_cq_in *create = in;
	u32 eqn;

	if (8 * len < BIT_OF(create_cq_in, cq_context) + sizeof(struct prm_cqc_bits))
		return -EINVAL;
	if (apu && prm_get(create, cq_context.apu_cq))
		return -ENODATA;
	eqn = prm_get(create, cq_context.c_eqn_or_apu_element);
	return eqn <= EQN_MAX ? (int)eqn : -ENOENT;
}

/* ---- events ---- */

/* Types of objects in events that are not about queues. */
enum {
	OBJ_MKEY = 0xff01, OBJ_QP = 0xff02, OBJ_PSV = 0xff03, OBJ_RMP = 0xff04,
	OBJ_XRC_SRQ = 0xff05, OBJ_RQ = 0xff06, OBJ_SQ = 0xff07, OBJ_TIR = 0xff08,
	OBJ_TIS = 0xff09, OBJ_DCT = 0xff0a, OBJ_XRQ = 0xff0b, OBJ_RQT = 0xff0e,
	OBJ_FLOW_COUNTER = 0xff0f, OBJ_CQ = 0xff10,
};

static const struct event_types {
	u8 queue;	/* in events of queues */
	u16 object;	/* in others */
} event_types[CXR_DEVX_KINDS] = {
	[CXR_DEVX_MKEY] = { 0, OBJ_MKEY }, [CXR_DEVX_PSV] = { 0, OBJ_PSV },
	[CXR_DEVX_CQ] = { 0, OBJ_CQ }, [CXR_DEVX_QP] = { PRM_EQE_RSC_QP, OBJ_QP },
	[CXR_DEVX_XRC_SRQ] = { 0, OBJ_XRC_SRQ }, [CXR_DEVX_RMP] = { PRM_EQE_RSC_RQ, OBJ_RMP },
	[CXR_DEVX_XRQ] = { 0, OBJ_XRQ }, [CXR_DEVX_DCT] = { PRM_EQE_RSC_DCT, OBJ_DCT },
	[CXR_DEVX_SQ] = { PRM_EQE_RSC_SQ, OBJ_SQ }, [CXR_DEVX_RQ] = { PRM_EQE_RSC_RQ, OBJ_RQ },
	[CXR_DEVX_RQT] = { 0, OBJ_RQT }, [CXR_DEVX_TIR] = { 0, OBJ_TIR },
	[CXR_DEVX_TIS] = { 0, OBJ_TIS }, [CXR_DEVX_FLOW_COUNTER] = { 0, OBJ_FLOW_COUNTER },
};

/* Where an event has the number of its object, as cards without a list of user events have them. */
enum target { NO_TARGET, TARGET_DEVICE, TARGET_QUEUE, TARGET_CQ, TARGET_DCT, TARGET_XRQ };

static enum target target_of(u8 event)
{
	switch (event) {
	case PRM_EVENT_PORT_CHANGE:
		return TARGET_DEVICE;
	case PRM_EVENT_PATH_MIG:
	case PRM_EVENT_COMM_EST:
	case PRM_EVENT_SQ_DRAINED:
	case PRM_EVENT_SRQ_LAST_WQE:
	case PRM_EVENT_WQ_CATAS_ERROR:
	case PRM_EVENT_PATH_MIG_FAILED:
	case PRM_EVENT_WQ_INVAL_REQ_ERROR:
	case PRM_EVENT_WQ_ACCESS_ERROR:
	case PRM_EVENT_SRQ_CATAS_ERROR:
	case PRM_EVENT_SRQ_RQ_LIMIT:
		return TARGET_QUEUE;
	case PRM_EVENT_COMP:
	case PRM_EVENT_CQ_ERROR:
		return TARGET_CQ;
	case PRM_EVENT_DCT_DRAINED:
	case PRM_EVENT_DCT_KEY_VIOLATION:
		return TARGET_DCT;
	case PRM_EVENT_XRQ_ERROR:
		return TARGET_XRQ;
	default:
		return NO_TARGET;
	}
}

static bool in_mask(const u64 mask[CXR_DEVX_EVENT_WORDS], u8 event)
{
	return mask[event / 64] >> event % 64 & 1;
}

bool cxr_devx_event_allowed(const struct cxr_devx_events *events, u16 event, bool object)
{
	enum target target;

	if (event >= 64 * CXR_DEVX_EVENT_WORDS)
		return false;
	if (object && event == PRM_EVENT_COMP)
		return true;
	if (events)
		return in_mask(object ? events->affiliated : events->unaffiliated, event);
	target = target_of(event);
	return object ? target > TARGET_DEVICE : target == TARGET_DEVICE;
}

bool cxr_devx_event_fits(u16 event, const struct cxr_devx_id *id)
{
	bool srq = event == PRM_EVENT_SRQ_RQ_LIMIT || event == PRM_EVENT_SRQ_CATAS_ERROR;

	switch (target_of(event)) {
	case TARGET_QUEUE:
		if (id->kind == CXR_DEVX_XRC_SRQ)
			return srq;
		if (id->kind == CXR_DEVX_QP)
			return !srq;
		return id->kind == CXR_DEVX_RQ || id->kind == CXR_DEVX_RMP ||
		       id->kind == CXR_DEVX_SQ;
	case TARGET_CQ:
		return id->kind == CXR_DEVX_CQ;
	case TARGET_DCT:
		return id->kind == CXR_DEVX_DCT;
	case TARGET_XRQ:
		return id->kind == CXR_DEVX_XRQ;
	default:
		return true;
	}
}

u32 cxr_devx_event_key(u16 event, const struct cxr_devx_id *id)
{
	const struct event_types *types = &event_types[id->kind];
	u16 type;

	if (target_of(event) > TARGET_DEVICE)
		type = types->queue;
	else
		type = id->kind == CXR_DEVX_OTHER ? id->type : types->object;
	return event | (u32)type << 16;
}

#define NUM_MASK 0xffffff
#define DCT_DWORD 6	/* of the event's data: its number */
#define XRQ_DWORD 5

void cxr_devx_event_source(const struct prm_eqe *eqe, const struct cxr_devx_events *events,
			   struct cxr_devx_source *source)
{
	const __be32 *raw = eqe->data.raw;
	u32 type = 0, num = 0;

	if (cxr_devx_event_allowed(events, eqe->type, false)) {
		*source = (struct cxr_devx_source){ .key = eqe->type };
		return;
	}

	switch (target_of(eqe->type)) {
	case TARGET_QUEUE:
		type = eqe->data.qp_srq.type;
		num = be32_to_cpu(eqe->data.qp_srq.qp_srq_n) & NUM_MASK;
		break;
	case TARGET_CQ:
		num = be32_to_cpu(eqe->type == PRM_EVENT_COMP ? eqe->data.comp.cqn :
								 eqe->data.cq_err.cqn) & NUM_MASK;
		break;
	case TARGET_DCT:
		type = PRM_EQE_RSC_DCT;
		num = be32_to_cpu(raw[DCT_DWORD]) & NUM_MASK;
		break;
	case TARGET_XRQ:
		num = be32_to_cpu(raw[XRQ_DWORD]) & NUM_MASK;
		break;
	default:	/* a header: type of the object, its number */
		type = be32_to_cpu(raw[0]) & 0xffff;
		num = be32_to_cpu(raw[1]);
		break;
	}
	*source = (struct cxr_devx_source){
		.object = true, .key = eqe->type | type << 16, .num = num,
	};
}
