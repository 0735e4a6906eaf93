// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "rdma_ends.h"

#define LOG_SHARED 6
#define USER_INDEX 0x455

/* ---- making them --------------------------------------------------------------------------- */

static void open_xrc(struct end *x, struct end *y, const struct qp_opts *o)
{
	struct qp_opts ini = *o, tgt = *o;
	struct tsrq unused;

	ini.xrcd = alloc_xrcd(x->cq.side);
	tgt.xrcd = alloc_xrcd(y->cq.side);
	create_xrc_srq(&unused, x->cq.side, 3, ini.xrcd, &x->cq, x->cq.side->pd, QP_NO_USER_INDEX);
	create_xrc_srq(&y->srq, y->cq.side, LOG_SHARED, tgt.xrcd, &y->cq, y->cq.side->pd,
		       USER_INDEX);
	ini.srq = &unused;
	tgt.srq = &y->srq;
	tgt.no_sq = true;
	tgt.recv_psn = ini.send_psn;
	must(create_qp(&x->qp, x->cq.side, PRM_QP_ST_XRC, &x->cq, &ini), "create_qp of XRC");
	must(create_qp(&y->qp, y->cq.side, PRM_QP_ST_XRC, &y->cq, &tgt), "create_qp of a target");
	must(qp_init(&x->qp, &ini), "rst2init");
	must(qp_init(&y->qp, &tgt), "rst2init");
	must(qp_rtr(&x->qp, &y->qp, &ini), "init2rtr");
	must(qp_rtr(&y->qp, &x->qp, &tgt), "init2rtr");
	must(qp_rts(&x->qp, &ini), "rtr2rts");
	must(qp_rts(&y->qp, &tgt), "rtr2rts");
}

static void open_dc(struct end *x, struct end *y, const struct qp_opts *o)
{
	const struct dct_opts target = { .addr = o->addr, .mtu = o->mtu, .log_srq = LOG_SHARED };

	create_dci(&x->qp, x->cq.side, &x->cq, o);
	must(create_dct(&y->dct, y->cq.side, &y->cq, &target), "create_dct");
	y->srq = y->dct.srq;
	y->qp.side = y->cq.side;
}

void open_ends(struct end *x, struct end *y, enum prm_qp_st st, const struct qp_opts *o)
{
	struct qp_opts keyed = *o;

	x->st = st;
	y->st = st;
	x->addr = o->addr;
	y->addr = o->addr;
	x->doubtful = false;
	y->doubtful = false;
	x->target = false;
	y->target = st == PRM_QP_ST_XRC || st == PRM_QP_ST_DCI;
	keyed.qkey = ENDS_QKEY;
	if (st == PRM_QP_ST_XRC)
		open_xrc(x, y, o);
	else if (st == PRM_QP_ST_DCI)
		open_dc(x, y, o);
	else
		create_pair(&x->qp, &y->qp, st, &x->cq, &y->cq, &keyed);
}

/* ---- using them ---------------------------------------------------------------------------- */

void end_recv(struct end *end, unsigned int n, const struct tsge *sge)
{
	if (end->target)
		post_srq(&end->srq, n, sge);
	else
		post_recv(&end->qp, n, sge);
}

const struct qp *end_queue(const struct end *end)
{
	return end->target && end->st == PRM_QP_ST_DCI ?
		       NULL : obj_find(end->qp.side->dev, OBJ_QP, end->qp.qpn);
}

unsigned int end_recvs(const struct end *end)
{
	const struct srq *srq;

	if (!end->target)
		return (uint16_t)(end->qp.rq_pi - end_queue(end)->rq.ci);
	srq = obj_find(end->qp.side->dev, end->st == PRM_QP_ST_XRC ? OBJ_XRC_SRQ : OBJ_RMP,
		       end->srq.num);
	return (uint16_t)(end->srq.posted - srq->wq.ci);
}

void aim(struct wr *wr, const struct end *from, const struct end *to)
{
	switch (from->st) {
	case PRM_QP_ST_XRC:
		wr->xrc_srqn = to->srq.num;
		return;
	case PRM_QP_ST_DCI:
		wr->dqpn = to->dct.num;
		wr->dc_key = DC_KEY;
		break;
	case PRM_QP_ST_UD:
		wr->dqpn = to->qp.qpn;
		wr->qkey = ENDS_QKEY;
		break;
	default:
		return;
	}
	wr->to = to->qp.side;
	wr->addr = to->addr;
}
