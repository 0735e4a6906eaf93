// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* User contexts: which there are, and what they may do. Objects hold references to theirs. */
#include "func/user.h"
#include "prm/caps.h"

enum permission {
	USER_NEVER,
	USER_ALWAYS,
	USER_RAW_TX,		/* contexts with the right to send raw packets */
	USER_INTERNAL,		/* with the right to the device's own resources */
};

struct uctx {
	struct obj obj;		/* num: the uid */
	uint32_t cap;
};

#define ALLOW(n)[PRM_OP_##n] = USER_ALWAYS

/*
 * Queries, and the commands of objects that a process may have. All others, such as those of event
 * queues, pages, ports and the function itself, are for the driver alone.
 */
static const uint8_t permissions[CMD_OPCODES] = {
	ALLOW(query_hca_cap), ALLOW(query_adapter), ALLOW(query_issi),
	ALLOW(query_vport_state), ALLOW(query_hca_vport_context), ALLOW(query_esw_functions),
	ALLOW(query_cong_status), ALLOW(nop), ALLOW(query_nic_vport_context),
	ALLOW(query_roce_address),
	ALLOW(query_esw_vport_context), ALLOW(query_vnic_env), ALLOW(query_vport_counter),
	ALLOW(query_cong_params), ALLOW(query_cong_statistics), ALLOW(query_lag),
	ALLOW(create_umem), ALLOW(destroy_umem), ALLOW(alloc_uar), ALLOW(dealloc_uar),
	ALLOW(alloc_pd), ALLOW(dealloc_pd), ALLOW(alloc_transport_domain),
	ALLOW(dealloc_transport_domain), ALLOW(alloc_xrcd), ALLOW(dealloc_xrcd),
	ALLOW(create_mkey), ALLOW(query_mkey), ALLOW(destroy_mkey),
	ALLOW(create_cq), ALLOW(query_cq), ALLOW(modify_cq), ALLOW(destroy_cq),
	ALLOW(create_qp), ALLOW(query_qp), ALLOW(destroy_qp), ALLOW(rst2init_qp),
	ALLOW(init2init_qp), ALLOW(init2rtr_qp), ALLOW(rtr2rts_qp), ALLOW(rts2rts_qp),
	ALLOW(sqerr2rts_qp), ALLOW(sqd2rts_qp), ALLOW(qp_2err), ALLOW(qp_2rst),
	ALLOW(attach_to_mcg), ALLOW(detach_from_mcg),
	ALLOW(create_srq), ALLOW(query_srq), ALLOW(destroy_srq), ALLOW(arm_rq),
	ALLOW(create_xrc_srq), ALLOW(query_xrc_srq), ALLOW(arm_xrc_srq), ALLOW(destroy_xrc_srq),
	ALLOW(create_rmp), ALLOW(query_rmp), ALLOW(modify_rmp), ALLOW(destroy_rmp),
	ALLOW(create_dct), ALLOW(drain_dct), ALLOW(query_dct), ALLOW(destroy_dct),
	ALLOW(arm_dct_for_key_violation),
	ALLOW(alloc_q_counter), ALLOW(dealloc_q_counter), ALLOW(query_q_counter),
	ALLOW(create_rq), ALLOW(modify_rq), ALLOW(query_rq), ALLOW(destroy_rq),
	ALLOW(create_rqt), ALLOW(modify_rqt), ALLOW(query_rqt), ALLOW(destroy_rqt),
	ALLOW(create_tir), ALLOW(modify_tir), ALLOW(query_tir), ALLOW(destroy_tir),
	ALLOW(modify_sq), ALLOW(query_sq), ALLOW(destroy_sq),
	ALLOW(modify_tis), ALLOW(query_tis), ALLOW(destroy_tis),
	ALLOW(set_pp_rate_limit),
	ALLOW(alloc_flow_counter), ALLOW(query_flow_counter), ALLOW(dealloc_flow_counter),
	[PRM_OP_create_sq] = USER_RAW_TX, [PRM_OP_create_tis] = USER_RAW_TX,
	[PRM_OP_create_flow_table] = USER_INTERNAL, [PRM_OP_destroy_flow_table] = USER_INTERNAL,
	[PRM_OP_modify_flow_table] = USER_INTERNAL, [PRM_OP_create_flow_group] = USER_INTERNAL,
	[PRM_OP_destroy_flow_group] = USER_INTERNAL, [PRM_OP_set_fte] = USER_INTERNAL,
	[PRM_OP_delete_fte] = USER_INTERNAL, [PRM_OP_query_fte] = USER_INTERNAL,
	[PRM_OP_query_flow_table] = USER_INTERNAL, [PRM_OP_query_flow_group] = USER_INTERNAL,
};

static const struct prm_cmd_hca_cap *general(const struct cxdev *dev)
{
	return (const void *)dev->hca->cap_cur[CAP_GENERAL];
}

bool user_contexts(const struct cxdev *dev)
{
	return prm_get(general(dev), log_max_uctx);
}

/*
 * Does it create an object of the driver's that all contexts may name? For counters and flow tables
 * drivers ask no capability.
 */
static bool shares(const struct cmd *c)
{
	if (c->uid != PRM_UID_SHARED)
		return false;
	if (c->opcode == PRM_OP_alloc_q_counter || c->opcode == PRM_OP_create_flow_table)
		return true;
	return user_contexts(c->dev) &&
	       (c->opcode == PRM_OP_create_eq || c->opcode == PRM_OP_set_pp_rate_limit);
}

int user_check(struct cmd *c)
{
	enum permission permission = permissions[c->opcode];
	const struct uctx *uctx;

	if (!c->uid)
		return 0;
	if (shares(c))
		return 0;
	if (!user_contexts(c->dev))
		return refuse(c, PRM_STATUS_BAD_RES, "uid %u: user contexts are not supported",
			      c->uid);
	uctx = obj_find(c->dev, OBJ_UCTX, c->uid);
	if (!uctx)
		return refuse(c, PRM_STATUS_BAD_RES, "uid %u: there is no such user context",
			      c->uid);
	/* The driver makes these itself, with its own uid. */
	if (c->opcode == PRM_OP_create_uctx || c->opcode == PRM_OP_destroy_uctx)
		return refuse_driver(c, PRM_STATUS_BAD_OP, "uid %u: a context makes no contexts",
				     c->uid);
	if (permission == USER_NEVER)
		return refuse(c, PRM_STATUS_BAD_OP, "uid %u: it is a command of the driver's alone",
			      c->uid);
	if (permission == USER_RAW_TX && !(uctx->cap & PRM_UCTX_RAW_TX))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "uid %u: the context may not send raw packets", c->uid);
	if (permission == USER_INTERNAL && !(uctx->cap & PRM_UCTX_INTERNAL_DEV_RES))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "uid %u: the context may not use the device's own resources", c->uid);
	return 0;
}

/* ---- contexts ---- */

static int run_create_uctx(struct cmd *c)
{
	const struct prm_create_uctx_in *in = c->in;
	struct prm_create_uctx_out *out = c->out;
	uint32_t cap = prm_get(in, cap);
	struct uctx *uctx;

	if (!user_contexts(c->dev))
		return refuse(c, PRM_STATUS_BAD_OP, "log_max_uctx is not announced");
	if (cap & ~prm_get(general(c->dev), uctx_cap))
		return refuse(c, PRM_STATUS_BAD_PARAM, "cap 0x%x: uctx_cap is 0x%x", cap,
			      prm_get(general(c->dev), uctx_cap));
	/* uid 0 is the driver's */
	if (obj_count(c->dev, OBJ_UCTX) >= (1u << prm_get(general(c->dev), log_max_uctx)) - 1)
		return refuse(c, PRM_STATUS_NO_RES, "log_max_uctx is %u, there are %u contexts",
			      prm_get(general(c->dev), log_max_uctx),
			      obj_count(c->dev, OBJ_UCTX));
	uctx = obj_create(c, OBJ_UCTX, sizeof(*uctx));
	if (!uctx)
		return -1;
	uctx->cap = cap;
	prm_set(out, uid, uctx->obj.num);
	return 0;
}

static int run_destroy_uctx(struct cmd *c)
{
	const struct prm_destroy_uctx_in *in = c->in;
	struct uctx *uctx = obj_own(c, OBJ_UCTX, prm_get(in, uid), "uid");

	return uctx ? obj_destroy(c, uctx) : -1;
}

/* ---- umems ---- */

static void umem_release(void *obj)
{
	struct umem *umem = obj;

	budget_free(umem->mtt);
}

/* The driver makes the list, whatever memory a process gives it. */
static int umem_take_pages(struct cmd *c, struct umem *umem, const uint8_t *tail)
{
	uint32_t i;

	umem->mtt = budget_alloc(c->dev, umem->n, sizeof(*umem->mtt));
	if (!umem->mtt)
		return budget_refuse(c);
	for (i = 0; i < umem->n; i++) {
		umem->mtt[i] = get64(tail + 8 * i);
		if (!(umem->mtt[i] & MTT_ACCESS))
			return refuse_driver(c, PRM_STATUS_BAD_PARAM,
					     "page %u of the umem, 0x%llx, may be neither read nor written",
					     i, (unsigned long long)umem->mtt[i]);
		if ((umem->mtt[i] & ~MTT_ACCESS) & ((1ull << umem->log_page) - 1))
			return refuse_driver(c, PRM_STATUS_BAD_PARAM,
					     "page %u of the umem, 0x%llx, is not aligned to 2^%u",
					     i, (unsigned long long)umem->mtt[i], umem->log_page);
	}
	return 0;
}

static int umem_check(struct cmd *c, const struct prm_create_umem_in *in)
{
	uint64_t n = prm_get64(in, num_of_mtt);
	const struct prm_cmd_hca_cap *cap = general(c->dev);

	if (!prm_get(cap, log_max_umem))
		return refuse_driver(c, PRM_STATUS_BAD_OP, "log_max_umem is not announced");
	if (!c->uid && !prm_get(cap, umem_uid_0))
		return refuse_driver(c, PRM_STATUS_BAD_PARAM,
				     "a umem without a uid: umem_uid_0 is not announced");
	if (prm_get(in, ats))
		return refuse_driver(c, PRM_STATUS_BAD_PARAM, "ats: ATS is not advertised");
	if (!n || n > (c->in_len - sizeof(*in)) / 8)
		return refuse_driver(c, PRM_STATUS_BAD_PARAM,
				     "num_of_mtt is %llu, the input has %zu translations",
				     (unsigned long long)n, (c->in_len - sizeof(*in)) / 8);
	if (prm_get(in, page_offset) >> prm_get(in, log_page_size) >> 12)
		return refuse_driver(c, PRM_STATUS_BAD_PARAM,
				     "page_offset 0x%x is not within a page of 2^%u bytes",
				     prm_get(in, page_offset), prm_get(in, log_page_size) + 12);
	return 0;
}

static int run_create_umem(struct cmd *c)
{
	const struct prm_create_umem_in *in = c->in;
	struct prm_create_umem_out *out = c->out;
	struct umem *umem;

	if (umem_check(c, in))
		return -1;
	umem = obj_create(c, OBJ_UMEM, sizeof(*umem));
	if (!umem)
		return -1;
	umem->obj.release = umem_release;
	umem->log_page = prm_get(in, log_page_size) + 12;
	umem->n = prm_get64(in, num_of_mtt);
	umem->offset = prm_get(in, page_offset);
	if (umem_take_pages(c, umem, prm_tail_const(in))) {
		obj_free(umem);
		return -1;
	}
	prm_set(out, umem_id, umem->obj.num);
	return 0;
}

static int run_destroy_umem(struct cmd *c)
{
	const struct prm_destroy_umem_in *in = c->in;
	struct umem *umem = obj_own(c, OBJ_UMEM, prm_get(in, umem_id), "umem_id");

	return umem ? obj_destroy(c, umem) : -1;
}

uint64_t umem_addr(const struct umem *umem, uint64_t offset)
{
	uint64_t at = umem->offset + offset;

	return (umem->mtt[at >> umem->log_page] & ~MTT_ACCESS) |
	       (at & ((1ull << umem->log_page) - 1));
}

/* 0, or refused: the umem does not have @bytes bytes from @offset on, or not for @access. */
static int umem_check_part(struct cmd *c, const struct umem *umem, uint64_t offset, uint64_t bytes,
			   uint64_t align, uint64_t access)
{
	uint64_t size = ((uint64_t)umem->n << umem->log_page) - umem->offset, i;
	uint64_t from = umem->offset + offset;

	if (offset > size || bytes > size - offset)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "UMEM 0x%x: %llu bytes at offset 0x%llx are not within its %llu",
			      umem->obj.num, (unsigned long long)bytes, (unsigned long long)offset,
			      (unsigned long long)size);
	if (from & (align - 1))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "UMEM 0x%x: offset 0x%llx is at 0x%llx of the pages, not a multiple of %llu",
			      umem->obj.num, (unsigned long long)offset, (unsigned long long)from,
			      (unsigned long long)align);
	for (i = from >> umem->log_page; bytes && i <= (from + bytes - 1) >> umem->log_page; i++)
		if (~umem->mtt[i] & access)
			return refuse(c, PRM_STATUS_BAD_PARAM,
				      "UMEM 0x%x: page %llu, 0x%llx, lacks access 0x%llx",
				      umem->obj.num, (unsigned long long)i,
				      (unsigned long long)umem->mtt[i], (unsigned long long)access);
	return 0;
}

struct umem *umem_hold(struct cmd *c, const struct umem_part *part, uint64_t bytes, uint64_t align,
		       uint64_t access)
{
	struct umem *umem = obj_lookup(c, OBJ_UMEM, part->id, "umem_id");

	if (!umem || umem_check_part(c, umem, part->offset, bytes, align, access))
		return NULL;
	umem->obj.refs++;
	return umem;
}

const struct cmd_desc cmds_user[] = {
	CMD(create_uctx),
	CMD(destroy_uctx),
	CMD(create_umem, .tail = true),
	CMD(destroy_umem),
	{}
};
