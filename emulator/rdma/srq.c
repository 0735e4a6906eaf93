// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Shared receive queues in their three forms: SRQ, XRC_SRQ and RMP. RMPs may be cyclic, too. */
#include "rdma/rdma.h"

#define LOG_SRQ_STRIDE_MAX	6
#define LOG_SRQ_SIZE_MAX	15

/* Aborts a message that uses a WQE of a shared queue that is destroyed. */
static void forget_srq(void *obj, void *arg)
{
	struct qp *qp = obj;
	struct responder *p = &qp->resp;

	if (qp->st != PRM_QP_ST_XRC)
		return;
	if (p->srq == arg) {
		p->srq = NULL;
		p->in_message = false;
	}
	if (p->wqe.srq == arg) {
		p->wqe.srq = NULL;
		p->have_wqe = false;
	}
}

static void srq_release(void *obj)
{
	struct srq *srq = obj;

	obj_for_each(srq->obj.dev, OBJ_QP, forget_srq, srq);
	page_faults_forget_srq(srq->obj.dev, srq->obj.num);
	pages_free(&srq->pages);
	obj_put(srq->dbr_umem);
	obj_put(srq->pd);
	obj_put(srq->cq);
	obj_put(srq->xrcd);
}

struct geometry {
	unsigned int log_size, log_stride, log_page, page_offset;
	uint32_t pd;
	struct umem_part dbr, umem;
};

static int srq_get_memory(struct cmd *c, struct srq *srq, const struct geometry *g,
			  const void *tail)
{
	if (dbr_get(c, &g->dbr, sizeof(__be32), g->umem.valid, &srq->dbr_umem, &srq->wq.dbr))
		return -1;
	if (g->umem.valid)
		return pages_get_umem(c, &srq->pages, &g->umem, wq_bytes(&srq->wq),
				      1u << srq->wq.log_stride, MTT_READ, g->page_offset);
	return pages_get(c, &srq->pages, tail, wq_bytes(&srq->wq), g->log_page, g->page_offset);
}

static struct srq *srq_create(struct cmd *c, enum obj_type type, const struct geometry *g,
			      const void *tail)
{
	struct srq *srq;

	if (g->log_stride < 1 || g->log_stride > LOG_SRQ_STRIDE_MAX ||
	    g->log_size > LOG_SRQ_SIZE_MAX) {
		refuse(c, PRM_STATUS_BAD_PARAM,
		       "2^%u WQEs of 16 << %u bytes: the card has 2^15 of 32 to 1024", g->log_size,
		       g->log_stride);
		return NULL;
	}
	if (g->dbr.offset % sizeof(__be32)) {
		refuse(c, PRM_STATUS_BAD_PARAM, "the doorbell record 0x%llx is not aligned to 4",
		       (unsigned long long)g->dbr.offset);
		return NULL;
	}
	srq = obj_create(c, type, sizeof(*srq));
	if (!srq)
		return NULL;
	srq->obj.release = srq_release;
	srq->wq = (struct wq){ .owner = &srq->obj,
			       .pages = &srq->pages,
			       .log_size = g->log_size,
			       .log_stride = g->log_stride + RQ_LOG_STRIDE_MIN };
	srq->user_index = QP_NO_USER_INDEX;
	srq->pd = obj_hold(c, OBJ_PD, g->pd, "pd");
	if (!srq->pd || srq_get_memory(c, srq, g, tail)) {
		obj_free(srq);
		return NULL;
	}
	return srq;
}

static int srq_limit(struct cmd *c, struct srq *srq, uint32_t lwm)
{
	if (lwm >= 1u << srq->wq.log_size)
		return refuse(c, PRM_STATUS_BAD_PARAM, "lwm %u: the queue has %u WQEs", lwm,
			      1u << srq->wq.log_size);
	srq->limit = lwm;
	return 0;
}

static int srq_destroy(struct cmd *c, enum obj_type type, uint32_t num, const char *field)
{
	struct srq *srq = obj_own(c, type, num, field);

	return srq ? obj_destroy(c, srq) : -1;
}

static int run_create_srq(struct cmd *c)
{
	const struct prm_create_srq_in *in = c->in;
	const struct prm_srqc *ctx = prm_sub_const(in, srq_context_entry, srqc);
	struct geometry g = { prm_get(ctx, log_srq_size),  prm_get(ctx, log_rq_stride),
			      prm_get(ctx, log_page_size), prm_get(ctx, page_offset),
			      prm_get(ctx, pd),		   { .offset = prm_get64(ctx, dbr_addr) } };
	struct prm_create_srq_out *out = c->out;
	struct srq *srq;

	if (is_set(c, ctx, state, "but an SRQ is made in good state") ||
	    is_set(c, ctx, wq_signature, "but it is not supported") ||
	    is_set(c, ctx, cont_srq, "but it is not supported") ||
	    (c->uid && is_set(c, ctx, rlky, "but the SRQ is of a user context")))
		return -1;
	srq = srq_create(c, OBJ_SRQ, &g, prm_tail_const(in));
	if (!srq)
		return -1;
	srq->rlky = prm_get(ctx, rlky);
	srq->ctx.srqc = *ctx;
	if (srq_limit(c, srq, prm_get(ctx, lwm))) {
		obj_free(srq);
		return -1;
	}
	prm_set(out, srqn, srq->obj.num);
	return 0;
}

static int run_query_srq(struct cmd *c)
{
	const struct prm_query_srq_in *in = c->in;
	struct prm_query_srq_out *out = c->out;
	struct prm_srqc *ctx = prm_sub(out, srq_context_entry, srqc);
	struct srq *srq = obj_lookup(c, OBJ_SRQ, prm_get(in, srqn), "srqn");

	if (!srq)
		return -1;
	*ctx = srq->ctx.srqc;
	prm_set(ctx, state, srq->error ? PRM_SRQ_ERROR : PRM_SRQ_GOOD);
	prm_set(ctx, lwm, srq->limit);
	return 0;
}

static int run_destroy_srq(struct cmd *c)
{
	const struct prm_destroy_srq_in *in = c->in;

	return srq_destroy(c, OBJ_SRQ, prm_get(in, srqn), "srqn");
}

static int run_arm_rq(struct cmd *c)
{
	const struct prm_arm_rq_in *in = c->in;
	struct srq *srq;

	if (c->op_mod != PRM_ARM_RQ_SRQ)
		return refuse(c, PRM_STATUS_BAD_PARAM, "op_mod %u: only SRQs can be armed",
			      c->op_mod);
	srq = obj_own(c, OBJ_SRQ, prm_get(in, srq_number), "srq_number");
	return srq ? srq_limit(c, srq, prm_get(in, lwm)) : -1;
}

static int run_create_xrc_srq(struct cmd *c)
{
	const struct prm_create_xrc_srq_in *in = c->in;
	const struct prm_xrc_srqc *ctx = prm_sub_const(in, xrc_srq_context_entry, xrc_srqc);
	uint64_t dbr = (uint64_t)prm_get(ctx, db_record_addr_h) << 32 |
		       prm_get(ctx, db_record_addr_l) << 2;
	struct geometry g = { prm_get(ctx, log_xrc_srq_size),
			      prm_get(ctx, log_rq_stride),
			      prm_get(ctx, log_page_size),
			      prm_get(ctx, page_offset),
			      prm_get(ctx, pd),
			      { prm_get(ctx, dbr_umem_valid), prm_get(ctx, dbr_umem_id), dbr },
			      { prm_get(in, xrc_srq_umem_valid), prm_get(in, xrc_srq_umem_id),
				prm_get64(in, xrc_srq_umem_offset) } };
	struct prm_create_xrc_srq_out *out = c->out;
	struct srq *srq;

	if (is_set(c, ctx, state, "but an SRQ is made in good state") ||
	    is_set(c, ctx, wq_signature, "but it is not supported") ||
	    is_set(c, ctx, cont_srq, "but it is not supported") ||
	    is_set(c, ctx, basic_cyclic_rcv_wqe, "but it is not supported") ||
	    is_set(c, ctx, user_index_equal_xrc_srqn, "but it is not supported") ||
	    (c->uid && is_set(c, ctx, rlky, "but the XRC SRQ is of a user context")))
		return -1;
	srq = srq_create(c, OBJ_XRC_SRQ, &g, prm_tail_const(in));
	if (!srq)
		return -1;
	srq->rlky = prm_get(ctx, rlky);
	srq->user_index = prm_get(ctx, user_index);
	srq->ctx.xrc_srqc = *ctx;
	srq->cq = obj_hold(c, OBJ_CQ, prm_get(ctx, cqn), "xrc_srqc.cqn");
	if (srq->cq)
		srq->xrcd = obj_hold(c, OBJ_XRCD, prm_get(ctx, xrcd), "xrc_srqc.xrcd");
	if (!srq->xrcd || srq_limit(c, srq, prm_get(ctx, lwm))) {
		obj_free(srq);
		return -1;
	}
	prm_set(out, xrc_srqn, srq->obj.num);
	return 0;
}

static int run_query_xrc_srq(struct cmd *c)
{
	const struct prm_query_xrc_srq_in *in = c->in;
	struct prm_query_xrc_srq_out *out = c->out;
	struct prm_xrc_srqc *ctx = prm_sub(out, xrc_srq_context_entry, xrc_srqc);
	struct srq *srq = obj_lookup(c, OBJ_XRC_SRQ, prm_get(in, xrc_srqn), "xrc_srqn");

	if (!srq)
		return -1;
	*ctx = srq->ctx.xrc_srqc;
	prm_set(ctx, state, srq->error ? PRM_SRQ_ERROR : PRM_SRQ_GOOD);
	prm_set(ctx, lwm, srq->limit);
	return 0;
}

static int run_arm_xrc_srq(struct cmd *c)
{
	const struct prm_arm_xrc_srq_in *in = c->in;
	struct srq *srq;

	if (c->op_mod != 1)
		return refuse(c, PRM_STATUS_BAD_PARAM, "op_mod %u is not 1", c->op_mod);
	srq = obj_own(c, OBJ_XRC_SRQ, prm_get(in, xrc_srqn), "xrc_srqn");
	return srq ? srq_limit(c, srq, prm_get(in, lwm)) : -1;
}

static int run_destroy_xrc_srq(struct cmd *c)
{
	const struct prm_destroy_xrc_srq_in *in = c->in;

	return srq_destroy(c, OBJ_XRC_SRQ, prm_get(in, xrc_srqn), "xrc_srqn");
}

static int check_rmp(struct cmd *c, const struct prm_rmpc *ctx, const struct prm_wq *wq)
{
	if (prm_get(ctx, state) != PRM_WQ_RDY)
		return refuse(c, PRM_STATUS_BAD_PARAM, "rmpc.state %u: an RMP is made ready (1)",
			      prm_get(ctx, state));
	if (prm_get(wq, wq_type) != PRM_WQ_LINKED_LIST && prm_get(wq, wq_type) != PRM_WQ_CYCLIC)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "wq.wq_type %u: an RMP is a linked list (0) or cyclic (1)",
			      prm_get(wq, wq_type));
	if (is_set(c, ctx, basic_cyclic_rcv_wqe, "but it is not supported") ||
	    is_set(c, wq, wq_signature, "but it is not supported") ||
	    is_set(c, wq, end_padding_mode, "but it is not supported") ||
	    is_set(c, wq, cd_slave, "but it is not supported"))
		return -1;
	if (prm_get(wq, log_wq_stride) < RQ_LOG_STRIDE_MIN)
		return refuse(c, PRM_STATUS_BAD_PARAM, "wq.log_wq_stride %u is less than 4",
			      prm_get(wq, log_wq_stride));
	return 0;
}

static int run_create_rmp(struct cmd *c)
{
	const struct prm_create_rmp_in *in = c->in;
	const struct prm_rmpc *ctx = prm_sub_const(in, ctx, rmpc);
	const struct prm_wq *wq = prm_sub_const(ctx, wq, wq);
	struct geometry g = { prm_get(wq, log_wq_sz),
			      prm_get(wq, log_wq_stride) - RQ_LOG_STRIDE_MIN,
			      prm_get(wq, log_wq_pg_sz),
			      prm_get(wq, page_offset),
			      prm_get(wq, pd),
			      { prm_get(wq, dbr_umem_valid), prm_get(wq, dbr_umem_id),
				prm_get64(wq, dbr_addr) },
			      { prm_get(wq, wq_umem_valid), prm_get(wq, wq_umem_id),
				prm_get64(wq, wq_umem_offset) } };
	struct prm_create_rmp_out *out = c->out;
	struct srq *srq;

	if (check_rmp(c, ctx, wq))
		return -1;
	srq = srq_create(c, OBJ_RMP, &g, prm_tail_const(in));
	if (!srq)
		return -1;
	srq->ctx.rmpc = *ctx;
	srq->cyclic = prm_get(wq, wq_type) == PRM_WQ_CYCLIC;
	if (srq_limit(c, srq, prm_get(wq, lwm))) {
		obj_free(srq);
		return -1;
	}
	prm_set(out, rmpn, srq->obj.num);
	return 0;
}

static int run_query_rmp(struct cmd *c)
{
	const struct prm_query_rmp_in *in = c->in;
	struct prm_query_rmp_out *out = c->out;
	struct prm_rmpc *ctx = prm_sub(out, rmp_context, rmpc);
	struct srq *srq = obj_lookup(c, OBJ_RMP, prm_get(in, rmpn), "rmpn");

	if (!srq)
		return -1;
	*ctx = srq->ctx.rmpc;
	prm_set(ctx, state, srq->error ? PRM_WQ_ERR : PRM_WQ_RDY);
	prm_set(ctx, wq.lwm, srq->limit);
	return 0;
}

static int run_modify_rmp(struct cmd *c)
{
	const struct prm_modify_rmp_in *in = c->in;
	struct srq *srq = obj_own(c, OBJ_RMP, prm_get(in, rmpn), "rmpn");

	if (!srq)
		return -1;
	if (prm_get(in, rmp_state) != PRM_WQ_RDY || prm_get(in, ctx.state) != PRM_WQ_RDY)
		return refuse(c, PRM_STATUS_BAD_PARAM, "an RMP goes from ready to ready only");
	return prm_get(in, bitmask.lwm) ? srq_limit(c, srq, prm_get(in, ctx.wq.lwm)) : 0;
}

static int run_destroy_rmp(struct cmd *c)
{
	const struct prm_destroy_rmp_in *in = c->in;

	return srq_destroy(c, OBJ_RMP, prm_get(in, rmpn), "rmpn");
}

/* ---- XRC domains ---- */

static int run_alloc_xrcd(struct cmd *c)
{
	struct prm_alloc_xrcd_out *out = c->out;
	struct obj *xrcd = obj_create(c, OBJ_XRCD, sizeof(*xrcd));

	if (!xrcd)
		return -1;
	prm_set(out, xrcd, xrcd->num);
	return 0;
}

static int run_dealloc_xrcd(struct cmd *c)
{
	const struct prm_dealloc_xrcd_in *in = c->in;
	struct obj *xrcd = obj_own(c, OBJ_XRCD, prm_get(in, xrcd), "xrcd");

	return xrcd ? obj_destroy(c, xrcd) : -1;
}

const struct cmd_desc cmds_srq[] = {
	CMD(alloc_xrcd),
	CMD(dealloc_xrcd),
	CMD(create_srq, .tail = true),
	CMD(query_srq),
	CMD(destroy_srq),
	CMD(arm_rq),
	CMD(create_xrc_srq, .tail = true),
	CMD(query_xrc_srq),
	CMD(arm_xrc_srq),
	CMD(destroy_xrc_srq),
	CMD(create_rmp, .tail = true),
	CMD(query_rmp),
	CMD(modify_rmp),
	CMD(destroy_rmp),
	{}
};
