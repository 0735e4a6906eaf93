// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* DEVX: which commands programs may use, what memory they name, and which object they are about. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "host.h"
#include "prm/cmdif.h"
#include "prm/counter.h"
#include "prm/dct.h"
#include "prm/definer.h"
#include "prm/dct.h"
#include "prm/devx.h"
#include "prm/flow.h"
#include "prm/mkey.h"
#include "prm/nic.h"
#include "prm/obj.h"
#include "prm/qp.h"
#include "prm/srq.h"
#include "codec/devx.h"

#define BYTES 1024
#define GUARD 0xa5
#define UID 0x1234
#define RUNS 200000

static __be32 in[BYTES / 4], out[BYTES / 4];

static void *command(u16 op)
{
	struct prm_mbox_in *head = (void *)in;

	memset(in, 0, sizeof(in));
	memset(out, 0, sizeof(out));
	prm_set(head, opcode, op);
	return in;
}

static bool allowed(u16 op, enum cxr_devx_use use)
{
	return cxr_devx_allowed(command(op), use);
}

static bool allowed_at_all(u16 op)
{
	return allowed(op, CXR_DEVX_GENERAL) || allowed(op, CXR_DEVX_CREATE) ||
	       allowed(op, CXR_DEVX_MODIFY) || allowed(op, CXR_DEVX_QUERY);
}

static void test_allowed(void)
{
	static const u16 kernel_only[] = {
		PRM_OP_init_hca, PRM_OP_enable_hca, PRM_OP_disable_hca, PRM_OP_teardown_hca,
		PRM_OP_query_pages, PRM_OP_manage_pages, PRM_OP_set_hca_cap, PRM_OP_set_issi,
		PRM_OP_create_eq, PRM_OP_destroy_eq, PRM_OP_gen_eqe, PRM_OP_alloc_uar,
		PRM_OP_dealloc_uar, PRM_OP_create_uctx, PRM_OP_destroy_uctx, PRM_OP_create_umem,
		PRM_OP_destroy_umem, PRM_OP_access_register, PRM_OP_set_roce_address,
		PRM_OP_modify_nic_vport_context, PRM_OP_set_flow_table_root, PRM_OP_create_lag,
		PRM_OP_sqd2rts_qp, PRM_OP_mad_ifc, PRM_OP_modify_cong_params,
	};
	unsigned int i;

	begin("devx", "commands of the kernel are not for programs");
	for (i = 0; i < sizeof(kernel_only) / sizeof(kernel_only[0]); i++)
		expect(allowed_at_all(kernel_only[i]), false);

	begin("devx", "no command that destroys is for programs: their handle does that");
	expect(allowed_at_all(PRM_OP_destroy_cq), false);
	expect(allowed_at_all(PRM_OP_destroy_qp), false);
	expect(allowed_at_all(PRM_OP_dealloc_pd), false);
	expect(allowed_at_all(PRM_OP_destroy_mkey), false);
	expect(allowed_at_all(PRM_OP_delete_fte), false);
	expect(allowed_at_all(PRM_OP_detach_from_mcg), false);
	expect(allowed_at_all(PRM_OP_destroy_general_object), false);

	begin("devx", "a command is allowed in its own use only");
	expect(allowed(PRM_OP_create_qp, CXR_DEVX_CREATE), true);
	expect(allowed(PRM_OP_create_qp, CXR_DEVX_MODIFY), false);
	expect(allowed(PRM_OP_rst2init_qp, CXR_DEVX_MODIFY), true);
	expect(allowed(PRM_OP_rst2init_qp, CXR_DEVX_QUERY), false);
	expect(allowed(PRM_OP_query_qp, CXR_DEVX_QUERY), true);
	expect(allowed(PRM_OP_query_qp, CXR_DEVX_GENERAL), false);
	expect(allowed(PRM_OP_query_hca_cap, CXR_DEVX_GENERAL), true);
	expect(allowed(PRM_OP_query_hca_cap, CXR_DEVX_QUERY), false);

	begin("devx", "the range of general commands is open to programs, its neighbours are not");
	expect(allowed(0xaff, CXR_DEVX_GENERAL), false);
	expect(allowed(0xb00, CXR_DEVX_GENERAL), true);
	expect(allowed(0xcff, CXR_DEVX_GENERAL), true);
	expect(allowed(0xd00, CXR_DEVX_GENERAL), false);
}

static void test_allowed_by_fields(void)
{
	struct prm_query_general_object_in *general = (void *)in;
	struct prm_create_psv_in *psv = (void *)in;
	struct prm_set_fte_in *fte = (void *)in;

	begin("devx", "a flow table entry is created with modifier 0, and modified with 1");
	command(PRM_OP_set_fte);
	expect(cxr_devx_allowed(in, CXR_DEVX_CREATE), true);
	expect(cxr_devx_allowed(in, CXR_DEVX_MODIFY), false);
	prm_set(fte, op_mod, 1);
	expect(cxr_devx_allowed(in, CXR_DEVX_CREATE), false);
	expect(cxr_devx_allowed(in, CXR_DEVX_MODIFY), true);

	begin("devx", "a command creates one PSV, since one is destroyed");
	command(PRM_OP_create_psv);
	prm_set(psv, num_psv, 1);
	expect(cxr_devx_allowed(in, CXR_DEVX_CREATE), true);
	prm_set(psv, num_psv, 2);
	expect(cxr_devx_allowed(in, CXR_DEVX_CREATE), false);

	begin("devx", "objects of another function are refused");
	command(PRM_OP_query_general_object);
	expect(cxr_devx_allowed(in, CXR_DEVX_QUERY), true);
	prm_set(general, vhca_tunnel_id, 1);
	expect(cxr_devx_allowed(in, CXR_DEVX_QUERY), false);

	begin("devx", "general commands to another function are refused");
	command(PRM_OP_query_hca_cap);
	prm_set(general, vhca_tunnel_id, 1);
	expect(cxr_devx_allowed(in, CXR_DEVX_GENERAL), false);
	command(0xb00);
	expect(cxr_devx_allowed(in, CXR_DEVX_GENERAL), true);
	prm_set(general, vhca_tunnel_id, 0x8000);
	expect(cxr_devx_allowed(in, CXR_DEVX_GENERAL), false);

	begin("devx", "any program may ask for capabilities, and for little else");
	expect(cxr_devx_is_public(command(PRM_OP_query_hca_cap)), true);
	expect(cxr_devx_is_public(command(PRM_OP_query_esw_functions)), true);
	expect(cxr_devx_is_public(command(PRM_OP_query_lag)), false);
	expect(cxr_devx_is_public(command(PRM_OP_create_qp)), false);
}

/* A command without the bits of @field, and the command with them. */
#define expect_umem(op, field) ({							\
	struct prm_##op##_in *cmd = command(PRM_OP_##op);				\
											\
	expect(cxr_devx_use_umems(cmd, sizeof(*cmd)), 0);				\
	expect(prm_get(cmd, field), 1);							\
	expect(cxr_devx_use_umems(cmd, CXR_DEVX_MIN), -EINVAL);				\
})

static void test_memory(void)
{
	begin("devx", "the memory of an object is that of umems, whatever the command says");
	expect_umem(create_cq, cq_umem_valid);
	expect_umem(create_cq, cq_context.dbr_umem_valid);
	expect_umem(modify_cq, cq_umem_valid);
	expect_umem(create_qp, wq_umem_valid);
	expect_umem(create_qp, qpc.dbr_umem_valid);
	expect_umem(create_sq, ctx.wq.wq_umem_valid);
	expect_umem(create_sq, ctx.wq.dbr_umem_valid);
	expect_umem(create_rq, ctx.wq.wq_umem_valid);
	expect_umem(create_rq, ctx.wq.dbr_umem_valid);
	expect_umem(create_rmp, ctx.wq.wq_umem_valid);
	expect_umem(create_rmp, ctx.wq.dbr_umem_valid);
	expect_umem(create_xrc_srq, xrc_srq_umem_valid);
	expect_umem(create_xrc_srq, xrc_srq_context_entry.dbr_umem_valid);
	expect_umem(create_xrq, xrq_context.wq.wq_umem_valid);
	expect_umem(create_xrq, xrq_context.wq.dbr_umem_valid);
}

static void test_keys(void)
{
	struct prm_create_mkey_in *mkey = (void *)in;

	begin("devx", "a memory key of pages is one of umems");
	command(PRM_OP_create_mkey);
	prm_set(mkey, memory_key_mkey_entry.access_mode_1_0, PRM_MKC_MTT);
	expect(cxr_devx_use_umems(in, sizeof(*mkey)), 0);
	expect(prm_get(mkey, mkey_umem_valid), 1);
	expect(cxr_devx_use_umems(in, 0x20), -EINVAL);

	begin("devx", "a memory key of other keys has no umem");
	command(PRM_OP_create_mkey);
	prm_set(mkey, memory_key_mkey_entry.access_mode_1_0, PRM_MKC_KLMS);
	expect(cxr_devx_use_umems(in, sizeof(*mkey)), 0);
	expect(prm_get(mkey, mkey_umem_valid), 0);
	prm_set(mkey, memory_key_mkey_entry.access_mode_1_0, PRM_MKC_KSM);
	expect(cxr_devx_use_umems(in, sizeof(*mkey)), 0);
	expect(prm_get(mkey, mkey_umem_valid), 0);

	begin("devx", "of a memory key of other keys it is known how many parts it has");
	command(PRM_OP_create_mkey);
	prm_set(mkey, memory_key_mkey_entry.translations_octword_size, 5);
	prm_set(mkey, memory_key_mkey_entry.access_mode_1_0, PRM_MKC_KLMS);
	expect(cxr_devx_mkey_parts(in), 5);
	prm_set(mkey, memory_key_mkey_entry.access_mode_1_0, PRM_MKC_KSM);
	expect(cxr_devx_mkey_parts(in), 5);
	prm_set(mkey, memory_key_mkey_entry.access_mode_4_2, 1);
	expect(cxr_devx_mkey_parts(in), 0);
	prm_set(mkey, memory_key_mkey_entry.access_mode_4_2, 0);
	prm_set(mkey, memory_key_mkey_entry.access_mode_1_0, PRM_MKC_MTT);
	expect(cxr_devx_mkey_parts(in), 0);

	begin("devx", "a memory key of physical addresses is refused");
	command(PRM_OP_create_mkey);
	prm_set(mkey, memory_key_mkey_entry.access_mode_1_0, PRM_MKC_PA);
	expect(cxr_devx_use_umems(in, sizeof(*mkey)), -EINVAL);
}

static void test_changes(void)
{
	struct prm_modify_cq_in *cq = (void *)in;
	__be32 before[BYTES / 4];

	begin("devx", "a QP is given no other doorbell record on its way");
	command(PRM_OP_rst2init_qp);
	prm_set64((struct prm_rst2init_qp_in *)in, qpc.dbr_addr, 0x1122334455667788);
	expect(cxr_devx_use_umems(in, sizeof(struct prm_rst2init_qp_in)), 0);
	expect(prm_get64((struct prm_rst2init_qp_in *)in, qpc.dbr_addr), 0);
	expect(cxr_devx_use_umems(in, CXR_DEVX_MIN), -EINVAL);

	begin("devx", "a CQ is not moved to another event queue");
	command(PRM_OP_modify_cq);
	prm_set(cq, modify_field_select_resize_field_select.modify_field_select.modify_field_select,
		PRM_MODIFY_CQ_EQN);
	expect(cxr_devx_use_umems(in, sizeof(*cq)), -EINVAL);
	prm_set(cq, op_mod, PRM_RESIZE_CQ);
	expect(cxr_devx_use_umems(in, sizeof(*cq)), 0);

	begin("devx", "a command without memory stays as it is");
	command(PRM_OP_create_tir);
	memcpy(before, in, sizeof(in));
	expect(cxr_devx_use_umems(in, CXR_DEVX_MIN), 0);
	expect_bytes(in, before, sizeof(in));
}

static void test_lengths(void)
{
	static u8 tight[BYTES];
	struct cxr_devx_destroy destroy;
	struct cxr_devx_id id;
	struct prm_mbox_in *head = (void *)tight;
	u32 len, out_len, i, run;
	bool ok = true;

	begin("devx", "nothing is read or written behind the end of a command");
	for (run = 0; run < RUNS && ok; run++) {
		len = CXR_DEVX_MIN + (rand() % 2 ? rand() % 64 : rand() % (BYTES - CXR_DEVX_MIN));
		out_len = CXR_DEVX_MIN + rand() % 32;
		for (i = 0; i < len; i++)
			tight[i] = rand();
		memset(tight + len, GUARD, BYTES - len);
		prm_set(head, opcode, rand() % 0x1000);
		prm_set(head, op_mod, rand() % 3);
		if (cxr_devx_allowed(tight, CXR_DEVX_CREATE) &&
		    !cxr_devx_check_create(tight, len, out_len))
			cxr_devx_created(tight, out, &id, &destroy);
		cxr_devx_object(tight, len, rand() % 4, &id);
		cxr_devx_cq_eqn(tight, len, rand() % 2);
		cxr_devx_use_umems(tight, len);
		cxr_devx_set_uid(tight, UID);
		for (i = len; i < BYTES; i++)
			ok = ok && tight[i] == GUARD;
	}
	expect(ok, true);
}

/* The number of an object that the command @name creates, and the command that destroys it. */
#define expect_object(name, out_field, what, destroyer, in_field) ({			\
	struct prm_##name##_in *cmd = command(PRM_OP_##name);				\
	struct prm_##name##_out *answer = (void *)out;					\
	struct prm_##destroyer##_in *undo = (void *)destroy.in;				\
											\
	cxr_devx_set_uid(cmd, UID);							\
	prm_set(answer, out_field, 0x5a);						\
	expect(cxr_devx_allowed(cmd, CXR_DEVX_CREATE), true);				\
	expect(cxr_devx_check_create(cmd, sizeof(*cmd), sizeof(*answer)), 0);		\
	cxr_devx_created(cmd, answer, &id, &destroy);					\
	expect(id.kind, CXR_DEVX_##what);						\
	expect(cxr_devx_kind(cmd), CXR_DEVX_##what);					\
	expect(id.num, 0x5a);								\
	expect(destroy.len, sizeof(*undo));						\
	expect(prm_get(undo, opcode), PRM_OP_##destroyer);				\
	expect(prm_get((struct prm_mbox_in *)undo, uid), UID);				\
	expect(prm_get(undo, in_field), 0x5a);						\
})

static void test_objects(void)
{
	struct cxr_devx_destroy destroy;
	struct cxr_devx_id id;

	begin("devx", "what a command created is destroyed by its number, for the same context");
	expect_object(alloc_pd, pd, PD, dealloc_pd, pd);
	expect_object(alloc_transport_domain, transport_domain, TD, dealloc_transport_domain,
		      transport_domain);
	expect_object(alloc_xrcd, xrcd, XRCD, dealloc_xrcd, xrcd);
	expect_object(create_mkey, mkey_index, MKEY, destroy_mkey, mkey_index);
	expect_object(create_cq, cqn, CQ, destroy_cq, cqn);
	expect_object(create_qp, qpn, QP, destroy_qp, qpn);
	expect_object(create_xrc_srq, xrc_srqn, XRC_SRQ, destroy_xrc_srq, xrc_srqn);
	expect_object(create_rmp, rmpn, RMP, destroy_rmp, rmpn);
	expect_object(create_sq, sqn, SQ, destroy_sq, sqn);
	expect_object(create_rq, rqn, RQ, destroy_rq, rqn);
	expect_object(create_rqt, rqtn, RQT, destroy_rqt, rqtn);
	expect_object(create_tir, tirn, TIR, destroy_tir, tirn);
	expect_object(create_tis, tisn, TIS, destroy_tis, tisn);
	expect_object(alloc_q_counter, counter_set_id, Q_COUNTER, dealloc_q_counter,
		      counter_set_id);
	expect_object(create_flow_table, table_id, FLOW_TABLE, destroy_flow_table, table_id);
	expect_object(create_flow_group, group_id, FLOW_GROUP, destroy_flow_group, group_id);
	expect_object(alloc_flow_counter, flow_counter_id, FLOW_COUNTER, dealloc_flow_counter,
		      flow_counter_id);
	expect_object(create_general_object, obj_id, OTHER, destroy_general_object, obj_id);
}

static void test_places(void)
{
	struct prm_create_flow_group_in *group = (void *)in;
	struct prm_set_fte_in *fte = (void *)in;
	struct prm_attach_to_mcg_in *mcg = (void *)in;
	struct cxr_devx_destroy destroy;
	struct prm_destroy_flow_group_in *no_group = (void *)destroy.in;
	struct prm_delete_fte_in *no_fte = (void *)destroy.in;
	struct prm_detach_from_mcg_in *no_mcg = (void *)destroy.in;
	struct cxr_devx_id id;

	begin("devx", "a flow group is destroyed in the table where it was created");
	command(PRM_OP_create_flow_group);
	prm_set(group, other_vport, 1);
	prm_set(group, vport_number, 0x102);
	prm_set(group, table_type, 7);
	prm_set(group, table_id, 0x123456);
	prm_set(group, source_eswitch_owner_vhca_id_valid, 1);
	cxr_devx_created(in, out, &id, &destroy);
	expect(prm_get(no_group, other_vport), 1);
	expect(prm_get(no_group, vport_number), 0x102);
	expect(prm_get(no_group, table_type), 7);
	expect(prm_get(no_group, table_id), 0x123456);

	begin("devx", "a flow table entry has the number that the program gave it");
	command(PRM_OP_set_fte);
	prm_set(fte, table_type, 7);
	prm_set(fte, table_id, 0x123456);
	prm_set(fte, ignore_flow_level, 1);
	prm_set(fte, flow_index, 0x89abcdef);
	cxr_devx_created(in, out, &id, &destroy);
	expect(id.num, 0x89abcdef);
	expect(destroy.len, sizeof(*no_fte));
	expect(prm_get(no_fte, opcode), PRM_OP_delete_fte);
	expect(prm_get(no_fte, table_type), 7);
	expect(prm_get(no_fte, table_id), 0x123456);
	expect(prm_get(no_fte, flow_index), 0x89abcdef);

	begin("devx", "a QP leaves the group that it has joined");
	command(PRM_OP_attach_to_mcg);
	prm_set(mcg, qpn, 0x5a);
	memset(prm_bytes(mcg, multicast_gid), 0xff, 16);
	cxr_devx_created(in, out, &id, &destroy);
	expect(prm_get(no_mcg, opcode), PRM_OP_detach_from_mcg);
	expect(prm_get(no_mcg, qpn), 0x5a);
	expect_bytes(prm_bytes(no_mcg, multicast_gid), prm_bytes(mcg, multicast_gid), 16);
}

static void test_other_ends(void)
{
	struct prm_create_general_object_in *other = (void *)in;
	struct cxr_devx_destroy destroy;
	struct prm_destroy_general_object_in *no_other = (void *)destroy.in;
	struct cxr_devx_id id;

	begin("devx", "a DC target is destroyed for the same context");
	command(PRM_OP_create_dct);
	cxr_devx_set_uid(in, UID);
	prm_set((struct prm_create_dct_out *)out, dctn, 0x5a);
	cxr_devx_created(in, out, &id, &destroy);
	expect(prm_get((struct prm_destroy_dct_in *)destroy.in, opcode), PRM_OP_destroy_dct);
	expect(prm_get((struct prm_destroy_dct_in *)destroy.in, uid), UID);
	expect(prm_get((struct prm_destroy_dct_in *)destroy.in, dctn), 0x5a);

	begin("devx", "other objects have a type, with which they are destroyed");
	command(PRM_OP_create_general_object);
	prm_set(other, obj_type, 0x22);
	cxr_devx_created(in, out, &id, &destroy);
	expect(id.type, 0x22);
	expect(prm_get(no_other, obj_type), 0x22);
}

static void test_numbers(void)
{
	struct prm_query_general_object_in *other = (void *)in;
	struct prm_alloc_flow_counter_in *counter = (void *)in;
	struct prm_query_fte_in *fte = (void *)in;
	struct prm_modify_sq_in *sq = (void *)in;
	struct prm_create_cq_in *cq = (void *)in;
	struct cxr_devx_id id;

	begin("devx", "a command names its object, beside other fields");
	command(PRM_OP_modify_sq);
	prm_set(sq, sq_state, 3);
	prm_set(sq, sqn, 0x5a);
	expect(cxr_devx_object(in, sizeof(*sq), CXR_DEVX_MODIFY, &id), 0);
	expect(id.kind, CXR_DEVX_SQ);
	expect(id.num, 0x5a);

	begin("devx", "a command that ends before the number of its object is refused");
	command(PRM_OP_query_fte);
	prm_set(fte, flow_index, 0x89abcdef);
	expect(cxr_devx_object(in, sizeof(*fte), CXR_DEVX_QUERY, &id), 0);
	expect(id.num, 0x89abcdef);
	expect(cxr_devx_object(in, 0x20, CXR_DEVX_QUERY, &id), -EINVAL);

	begin("devx", "other objects of the same number differ by their type");
	command(PRM_OP_query_general_object);
	prm_set(other, obj_type, 0x24);
	prm_set(other, obj_id, 5);
	expect(cxr_devx_object(in, sizeof(*other), CXR_DEVX_QUERY, &id), 0);
	expect(id.type, 0x24);
	expect(id.num, 5);

	begin("devx", "an answer that ends before the number of the new object is refused");
	command(PRM_OP_create_psv);
	expect(cxr_devx_check_create(in, CXR_DEVX_MIN, CXR_DEVX_MIN), -EINVAL);
	expect(cxr_devx_check_create(in, CXR_DEVX_MIN, 0x20), 0);

	begin("devx", "flow counters come one by one, in hundreds, or by a power of two");
	command(PRM_OP_alloc_flow_counter);
	expect(cxr_devx_flow_counters(in), 0);
	prm_set(counter, flow_counter_bulk, 4);
	expect(cxr_devx_flow_counters(in), 512);
	prm_set(counter, flow_counter_bulk_log_size, 3);
	expect(cxr_devx_flow_counters(in), 8);

	begin("devx", "a CQ names its EQ, unless it has no events");
	command(PRM_OP_create_cq);
	prm_set(cq, cq_context.c_eqn_or_apu_element, 0x42);
	expect(cxr_devx_cq_eqn(in, sizeof(*cq), true), 0x42);
	expect(cxr_devx_cq_eqn(in, CXR_DEVX_MIN, true), -EINVAL);
	prm_set(cq, cq_context.c_eqn_or_apu_element, 0x142);
	expect(cxr_devx_cq_eqn(in, sizeof(*cq), true), -ENOENT);
	prm_set(cq, cq_context.c_eqn_or_apu_element, 0x42);
	prm_set(cq, cq_context.apu_cq, 1);
	expect(cxr_devx_cq_eqn(in, sizeof(*cq), true), -ENODATA);

	begin("devx", "a device without an APU has no CQs without events");
	expect(cxr_devx_cq_eqn(in, sizeof(*cq), false), 0x42);
}

static void test_events(void)
{
	static const struct {
		u8 event, rsc;
		enum cxr_devx_kind kind;
	} queues[] = {
		{ PRM_EVENT_COMM_EST, PRM_EQE_RSC_QP, CXR_DEVX_QP },
		{ PRM_EVENT_SRQ_LAST_WQE, PRM_EQE_RSC_QP, CXR_DEVX_QP },
		{ PRM_EVENT_SRQ_RQ_LIMIT, PRM_EQE_RSC_RQ, CXR_DEVX_RMP },
		{ PRM_EVENT_WQ_CATAS_ERROR, PRM_EQE_RSC_RQ, CXR_DEVX_RQ },
		{ PRM_EVENT_WQ_ACCESS_ERROR, PRM_EQE_RSC_SQ, CXR_DEVX_SQ },
	};
	struct cxr_devx_id id = { .num = 0x5a };
	struct cxr_devx_source source;
	struct prm_eqe eqe;
	unsigned int i;

	begin("devx", "events of a queue reach the subscription of that queue");
	for (i = 0; i < sizeof(queues) / sizeof(queues[0]); i++) {
		memset(&eqe, 0, sizeof(eqe));
		eqe.type = queues[i].event;
		eqe.data.qp_srq.type = queues[i].rsc;
		eqe.data.qp_srq.qp_srq_n = cpu_to_be32(0xff00005a);
		id.kind = queues[i].kind;
		cxr_devx_event_source(&eqe, NULL, &source);
		expect(source.object, true);
		expect(source.num, id.num);
		expect(source.key, cxr_devx_event_key(queues[i].event, &id));
	}

	begin("devx", "events of queues of different kinds with one number are kept apart");
	id.kind = CXR_DEVX_SQ;
	expect(cxr_devx_event_key(PRM_EVENT_WQ_CATAS_ERROR, &id) == source.key, false);
}

static void test_event_kinds(void)
{
	struct cxr_devx_id id = {};

	begin("devx", "an object has no events of another kind, whose number may be the same");
	id.kind = CXR_DEVX_PD;
	expect(cxr_devx_event_fits(PRM_EVENT_WQ_CATAS_ERROR, &id), false);
	expect(cxr_devx_event_fits(PRM_EVENT_COMP, &id), false);
	id.kind = CXR_DEVX_CQ;
	expect(cxr_devx_event_fits(PRM_EVENT_COMM_EST, &id), false);
	expect(cxr_devx_event_fits(PRM_EVENT_CQ_ERROR, &id), true);
	id.kind = CXR_DEVX_QP;
	expect(cxr_devx_event_fits(PRM_EVENT_COMM_EST, &id), true);
	expect(cxr_devx_event_fits(PRM_EVENT_SRQ_RQ_LIMIT, &id), false);
	id.kind = CXR_DEVX_XRC_SRQ;
	expect(cxr_devx_event_fits(PRM_EVENT_SRQ_RQ_LIMIT, &id), true);
	expect(cxr_devx_event_fits(PRM_EVENT_COMM_EST, &id), false);
	id.kind = CXR_DEVX_OTHER;
	expect(cxr_devx_event_fits(PRM_EVENT_OBJECT_CHANGE, &id), true);
}

static void test_other_events(void)
{
	struct cxr_devx_id id = { .num = 0x5a };
	struct cxr_devx_source source;
	struct prm_eqe eqe;

	begin("devx", "errors of a CQ reach its subscription");
	memset(&eqe, 0, sizeof(eqe));
	eqe.type = PRM_EVENT_CQ_ERROR;
	eqe.data.cq_err.cqn = cpu_to_be32(0x5a);
	id.kind = CXR_DEVX_CQ;
	cxr_devx_event_source(&eqe, NULL, &source);
	expect(source.num, 0x5a);
	expect(source.key, cxr_devx_event_key(PRM_EVENT_CQ_ERROR, &id));

	begin("devx", "an event of a new kind tells the type of its object");
	memset(&eqe, 0, sizeof(eqe));
	eqe.type = PRM_EVENT_OBJECT_CHANGE;
	eqe.data.raw[0] = cpu_to_be32(0x24);
	eqe.data.raw[1] = cpu_to_be32(0x5a);
	id = (struct cxr_devx_id){ .kind = CXR_DEVX_OTHER, .type = 0x24, .num = 0x5a };
	cxr_devx_event_source(&eqe, NULL, &source);
	expect(source.num, 0x5a);
	expect(source.key, cxr_devx_event_key(PRM_EVENT_OBJECT_CHANGE, &id));

	begin("devx", "events of the device have no object");
	memset(&eqe, 0, sizeof(eqe));
	eqe.type = PRM_EVENT_PORT_CHANGE;
	eqe.data.raw[6] = cpu_to_be32(0x5a);
	cxr_devx_event_source(&eqe, NULL, &source);
	expect(source.object, false);
	expect(source.key, PRM_EVENT_PORT_CHANGE);
	expect(source.num, 0);
}

static void test_event_lists(void)
{
	struct cxr_devx_events listed = { .affiliated = { 1 << PRM_EVENT_CQ_ERROR } };

	listed.unaffiliated[1] = 1ULL << 36;	/* event 100 */

	begin("devx", "a device without a list has the older events: of queues, and of the port");
	expect(cxr_devx_event_allowed(NULL, PRM_EVENT_COMM_EST, true), true);
	expect(cxr_devx_event_allowed(NULL, PRM_EVENT_COMM_EST, false), false);
	expect(cxr_devx_event_allowed(NULL, PRM_EVENT_PORT_CHANGE, false), true);
	expect(cxr_devx_event_allowed(NULL, PRM_EVENT_PORT_CHANGE, true), false);
	expect(cxr_devx_event_allowed(NULL, PRM_EVENT_CMD, true), false);
	expect(cxr_devx_event_allowed(NULL, PRM_EVENT_PAGE_REQUEST, false), false);
	expect(cxr_devx_event_allowed(NULL, PRM_EVENT_OBJECT_CHANGE, true), false);

	begin("devx", "a device with a list has the events of the list, and completions");
	expect(cxr_devx_event_allowed(&listed, PRM_EVENT_CQ_ERROR, true), true);
	expect(cxr_devx_event_allowed(&listed, PRM_EVENT_COMP, true), true);
	expect(cxr_devx_event_allowed(&listed, PRM_EVENT_COMM_EST, true), false);
	expect(cxr_devx_event_allowed(&listed, 100, false), true);
	expect(cxr_devx_event_allowed(&listed, 100, true), false);
	expect(cxr_devx_event_allowed(&listed, 256, true), false);
}

void test_devx(void)
{
	test_allowed();
	test_allowed_by_fields();
	test_memory();
	test_keys();
	test_changes();
	test_lengths();
	test_objects();
	test_places();
	test_other_ends();
	test_numbers();
	test_events();
	test_event_kinds();
	test_other_events();
	test_event_lists();
}
