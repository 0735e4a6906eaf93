// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Queue pairs: CREATE_QP, QUERY_QP, DESTROY_QP. */
#include <stdlib.h>
#include <string.h>

#include "rdma/rdma.h"

#define LOG_RQ_STRIDE_MAX	5	/* 512 bytes */

/* ---- creating -------------------------------------------------------------------------------- */

static void qp_release(void *obj)
{
	struct qp *qp = obj;

	qp_stop(qp);
	requester_free(qp);
	responder_free(qp);
	page_faults_forget(qp);
	pages_free(&qp->pages);
	obj_put(qp->dbr_umem);
	qp_put_counters(qp);
	if (qp->obj.dev->rdma_state->gsi == qp)
		qp->obj.dev->rdma_state->gsi = NULL;
	obj_put(qp->uar);
	obj_put(qp->pd);
	obj_put(qp->srq);
	obj_put(qp->xrcd);
	obj_put(qp->send_cq);
	obj_put(qp->recv_cq);
}

/* A fault rule turned a completion into an error: the QP fails as if by itself. */
static void qp_stopped(void *obj)
{
	qp_set_error(obj);
}

static int check_create(struct cmd *c, const struct prm_create_qp_in *in, const struct prm_qpc *ctx)
{
	if (is_set(c, in, qpc_ext, "but it is not supported") ||
	    is_set(c, in, input_qpn, "but it is not supported") ||
	    is_set(c, in, opt_param_mask, "but a new QP takes its whole context") ||
	    is_set(c, in, ece, "but ECE is not advertised") ||
	    is_set(c, ctx, state, "but a QP is made in reset state") ||
	    is_set(c, ctx, lag_tx_port_affinity, "but it is taken from RESET to INIT") ||
	    is_set(c, ctx, isolate_vl_tc, "but it is not supported") ||
	    is_set(c, ctx, req_e2e_credit_mode, "but it is not supported") ||
	    is_set(c, ctx, offload_type, "but it is not supported") ||
	    is_set(c, ctx, end_padding_mode, "but it is not supported") ||
	    is_set(c, ctx, wq_signature, "but it is not supported") ||
	    is_set(c, ctx, atomic_like_write_en, "but it is not supported") ||
	    is_set(c, ctx, drain_sigerr, "but it is not supported") ||
	    is_set(c, ctx, retry_mode, "but only go-back-N is supported") ||
	    is_set(c, ctx, ulp_stateless_offload_mode, "but it is not supported") ||
	    is_set(c, ctx, cd_slave_receive, "but cross channel is not supported") ||
	    is_set(c, ctx, cd_slave_send, "but cross channel is not supported") ||
	    is_set(c, ctx, cd_master, "but cross channel is not supported"))
		return -1;
	if (prm_get(ctx, st) != PRM_QP_ST_DCI &&
	    (is_set(c, ctx, log_num_dci_stream_channels, "but the QP is no DCI") ||
	     is_set(c, ctx, log_num_dci_errored_streams, "but the QP is no DCI")))
		return -1;
	/* UCX does not ask: it permits data in CQEs, and the card need not put any there */
	if (!c->uid && (is_set(c, ctx, cs_req, "but scatter to CQE is not advertised") ||
			is_set(c, ctx, cs_res, "but scatter to CQE is not advertised")))
		return -1;
	if (!hca_stamps(c->dev, OBJ_QP, prm_get(ctx, ts_format)))
		return refuse(c, PRM_STATUS_BAD_PARAM, "ts_format %u of the QP is not advertised",
			      prm_get(ctx, ts_format));
	if (prm_get(ctx, pm_state) != PRM_QP_PM_MIGRATED)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "qpc.pm_state %u: there is no alternate path",
			      prm_get(ctx, pm_state));
	return 0;
}

/* What gives access to all of memory, or to the ports' own services, is for the driver alone. */
static int check_user(struct cmd *c, const struct prm_qpc *ctx)
{
	unsigned int st = prm_get(ctx, st);

	if (!c->uid)
		return 0;
	if (st == PRM_QP_ST_QP1 || st == PRM_QP_ST_REG_UMR)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "qpc.st 0x%x: not in a user context", st);
	return is_set(c, ctx, fre, "but the QP is of a user context") ||
	       is_set(c, ctx, rlky, "but the QP is of a user context") ||
	       is_set(c, ctx, deth_sqpn, "but the QP is of a user context") ? -1 : 0;
}

static int take_dci(struct cmd *c, struct qp *qp)
{
	unsigned int streams = prm_get(&qp->ctx, log_num_dci_stream_channels);
	unsigned int errored = prm_get(&qp->ctx, log_num_dci_errored_streams);

	if (!hca_dc(c->dev))
		return refuse(c, PRM_STATUS_BAD_PARAM, "qpc.st 0x%x: dct is not announced",
			      qp->st);
	if (prm_get(&qp->ctx, no_sq))
		return refuse(c, PRM_STATUS_BAD_PARAM, "qpc.no_sq is set, but a DCI only sends");
	if (streams > DCI_LOG_STREAMS_MAX || errored > DCI_LOG_ERRORED_MAX)
		return decline(c, PRM_STATUS_BAD_PARAM,
			       "2^%u streams of a DCI, 2^%u in error: the card has 2^%u and 2^%u",
			       streams, errored, DCI_LOG_STREAMS_MAX, DCI_LOG_ERRORED_MAX);
	dci_init(qp);
	return 0;
}

static int take_service(struct cmd *c, struct qp *qp)
{
	struct rdma_state *rdma = c->dev->rdma_state;

	qp->st = prm_get(&qp->ctx, st);
	switch (qp->st) {
	case PRM_QP_ST_RC:
	case PRM_QP_ST_UC:
	case PRM_QP_ST_UD:
		break;
	case PRM_QP_ST_DCI:
		return take_dci(c, qp);
	case PRM_QP_ST_XRC:
		if (prm_get(&qp->ctx, rq_type) != PRM_QP_RQ_SRQ)
			return refuse(c, PRM_STATUS_BAD_PARAM,
				      "qpc.rq_type %u: an XRC QP has no receive queue of its own",
				      prm_get(&qp->ctx, rq_type));
		break;
	case PRM_QP_ST_REG_UMR:
		if (prm_get(&qp->ctx, rq_type) != PRM_QP_RQ_NONE)
			return refuse(c, PRM_STATUS_BAD_PARAM,
				      "qpc.rq_type %u: a UMR QP receives nothing",
				      prm_get(&qp->ctx, rq_type));
		break;
	case PRM_QP_ST_QP1:
		if (rdma->gsi)
			return refuse(c, PRM_STATUS_NO_RES, "the port has its QP1 already, QP 0x%x",
				      rdma->gsi->obj.num);
		break;
	default:
		return refuse(c, PRM_STATUS_BAD_PARAM, "qpc.st 0x%x is not supported", qp->st);
	}
	if (prm_get(&qp->ctx, deth_sqpn) &&
	    (qp->st != PRM_QP_ST_UD || prm_get(&qp->ctx, deth_sqpn) != GSI_QPN))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "qpc.deth_sqpn 0x%x: only UD QPs may take QP1's number",
			      prm_get(&qp->ctx, deth_sqpn));
	return 0;
}

/* The receive queue comes first in the buffer, the send queue follows it. */
static int take_queues(struct cmd *c, struct qp *qp, const struct prm_create_qp_in *in)
{
	const struct umem_part part = { prm_get(in, wq_umem_valid), prm_get(in, wq_umem_id),
					prm_get64(in, wq_umem_offset) };
	const struct prm_qpc *ctx = &qp->ctx;
	const struct umem_part record = { prm_get(ctx, dbr_umem_valid), prm_get(ctx, dbr_umem_id),
					  prm_get64(ctx, dbr_addr) };
	unsigned int log_rq = prm_get(ctx, log_rq_size), rq_stride = prm_get(ctx, log_rq_stride);
	uint64_t dbr = record.offset, bytes;

	qp->has_sq = !prm_get(ctx, no_sq);
	qp->has_rq = prm_get(ctx, rq_type) == PRM_QP_RQ;
	if (qp->has_rq && rq_stride > LOG_RQ_STRIDE_MAX)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "qpc.log_rq_stride %u: a receive WQE has at most 512 bytes",
			      rq_stride);
	if (!qp->has_rq && (log_rq || rq_stride))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "qpc.log_rq_size or log_rq_stride is set without a receive queue");
	if (dbr % sizeof(struct prm_wq_dbr))
		return refuse(c, PRM_STATUS_BAD_PARAM, "qpc.dbr_addr 0x%llx is not aligned to 8",
			      (unsigned long long)dbr);
	if (!qp->has_sq && !qp->has_rq)
		return 0;
	if (dbr_get(c, &record, sizeof(struct prm_wq_dbr), part.valid, &qp->dbr_umem, &dbr))
		return -1;

	qp->rq = (struct wq){ .owner = &qp->obj,
			      .pages = &qp->pages,
			      .dbr = dbr,
			      .log_size = log_rq,
			      .log_stride = rq_stride + RQ_LOG_STRIDE_MIN };
	qp->sq = (struct wq){ .owner = &qp->obj,
			      .pages = &qp->pages,
			      .offset = qp->has_rq ? wq_bytes(&qp->rq) : 0,
			      .dbr = dbr,
			      .send = true,
			      .log_size = prm_get(ctx, log_sq_size),
			      .log_stride = SQ_LOG_STRIDE };
	bytes = qp->sq.offset + (qp->has_sq ? wq_bytes(&qp->sq) : 0);
	if (part.valid)
		return pages_get_umem(c, &qp->pages, &part, bytes, PRM_WQE_BB, MTT_READ,
				      prm_get(ctx, page_offset));
	return pages_get(c, &qp->pages, prm_tail_const(in), bytes, prm_get(ctx, log_page_size),
			 prm_get(ctx, page_offset));
}

/* If no CQ is needed, 0 is accepted; any other number must be that of a CQ. */
static int take_cq(struct cmd *c, struct cq **cq, uint32_t num, bool needed, const char *field)
{
	if (!needed && !num)
		return 0;
	*cq = obj_hold(c, OBJ_CQ, num, field);
	return *cq ? 0 : -1;
}

static int take_srq(struct cmd *c, struct qp *qp)
{
	uint32_t num = prm_get(&qp->ctx, srqn_rmpn_xrqn), type = prm_get(&qp->ctx, rq_type);
	enum obj_type shared = OBJ_SRQ;

	/* A DCI only sends: drivers have one for all, which no context owns, and it is not used. */
	if (qp->st == PRM_QP_ST_DCI && type == PRM_QP_RQ_SRQ)
		return 0;
	switch (type) {
	case PRM_QP_RQ:
	case PRM_QP_RQ_NONE:
		return 0;
	case PRM_QP_RQ_SRQ:
		if (qp->st == PRM_QP_ST_XRC)
			shared = OBJ_XRC_SRQ;
		else if (!obj_find(c->dev, OBJ_SRQ, num))
			shared = OBJ_RMP;
		qp->srq = obj_hold(c, shared, num, "qpc.srqn_rmpn_xrqn");
		return qp->srq ? 0 : -1;
	default:
		return refuse(c, PRM_STATUS_BAD_PARAM, "qpc.rq_type %u is not supported", type);
	}
}

static int take_objects(struct cmd *c, struct qp *qp)
{
	const struct prm_qpc *ctx = &qp->ctx;

	if (qp->st != PRM_QP_ST_REG_UMR || prm_get(ctx, pd)) {
		qp->pd = obj_hold(c, OBJ_PD, prm_get(ctx, pd), "qpc.pd");
		if (!qp->pd)
			return -1;
	}
	if (qp->st == PRM_QP_ST_XRC) {
		qp->xrcd = obj_hold(c, OBJ_XRCD, prm_get(ctx, xrcd), "qpc.xrcd");
		if (!qp->xrcd)
			return -1;
	}
	if (!prm_get(ctx, no_sq)) {
		qp->uar = obj_hold(c, OBJ_UAR, prm_get(ctx, uar_page), "qpc.uar_page");
		if (!qp->uar)
			return -1;
	}
	if (take_cq(c, &qp->send_cq, prm_get(ctx, cqn_snd), !prm_get(ctx, no_sq), "qpc.cqn_snd") ||
	    take_cq(c, &qp->recv_cq, prm_get(ctx, cqn_rcv), prm_get(ctx, rq_type) != PRM_QP_RQ_NONE,
		    "qpc.cqn_rcv"))
		return -1;
	return take_srq(c, qp);
}

static int run_create_qp(struct cmd *c)
{
	const struct prm_create_qp_in *in = c->in;
	const struct prm_qpc *ctx = prm_sub_const(in, qpc, qpc);
	struct prm_create_qp_out *out = c->out;
	struct qp *qp;

	if (check_create(c, in, ctx) || check_user(c, ctx))
		return -1;
	qp = obj_create(c, OBJ_QP, sizeof(*qp));
	if (!qp)
		return -1;

	qp->ctx = *ctx;
	qp->counters = &c->dev->rdma_state->no_counter;
	qp->user_index = prm_get(ctx, user_index);
	work_init(&qp->flush_work, qp_flush);
	timer_init(&qp->flush_timer, qp_flush_timer);
	dcqcn_init(qp);
	responder_init(qp);
	if (requester_init(qp)) {
		budget_refuse(c);
		goto fail;
	}
	qp->obj.release = qp_release;
	qp->obj.stop = qp_stopped;
	if (take_service(c, qp) || take_objects(c, qp) || take_queues(c, qp, in))
		goto fail;
	qp_decode(qp);
	if (qp->st == PRM_QP_ST_QP1)
		c->dev->rdma_state->gsi = qp;
	prm_set(out, qpn, qp->obj.num);
	return 0;

fail:
	obj_free(qp);
	return -1;
}

static int run_destroy_qp(struct cmd *c)
{
	const struct prm_destroy_qp_in *in = c->in;
	struct qp *qp = obj_own(c, OBJ_QP, prm_get(in, qpn), "qpn");

	if (!qp)
		return -1;
	if (qp->obj.refs)	/* of groups, which alone hold any */
		return refuse(c, PRM_STATUS_RES_BUSY,
			      "QP 0x%x is still attached to a multicast group", qp->obj.num);
	qp_goes(qp);
	return obj_destroy(c, qp);
}

static int run_query_qp(struct cmd *c)
{
	const struct prm_query_qp_in *in = c->in;
	struct prm_query_qp_out *out = c->out;
	struct prm_qpc *ctx = prm_sub(out, qpc, qpc);
	struct qp *qp;

	if (is_set(c, in, qpc_ext, "but it is not supported"))
		return -1;
	qp = obj_lookup(c, OBJ_QP, prm_get(in, qpn), "qpn");
	if (!qp)
		return -1;
	*ctx = qp->ctx;
	prm_set(ctx, state, qp->state);
	prm_set(ctx, next_send_psn, qp->req.next_psn);
	prm_set(ctx, last_acked_psn, psn_add(qp->req.una, PSN_MASK));
	prm_set(ctx, next_rcv_psn, qp->resp.psn);
	prm_set(ctx, rmsn, qp->resp.msn & PSN_MASK);
	prm_set(ctx, cur_retry_count, qp->req.retries);
	prm_set(ctx, cur_rnr_retry, qp->req.rnr_retries);
	prm_set(ctx, hw_sq_wqebb_counter, qp->sq.ci);
	prm_set(ctx, sw_sq_wqebb_counter, qp->sq.pi);
	prm_set(ctx, hw_rq_counter, qp->rq.ci);
	return 0;
}

const struct cmd_desc cmds_qp[] = {
	CMD(create_qp, .tail = true),
	CMD(query_qp),
	CMD(destroy_qp),
	{}
};
