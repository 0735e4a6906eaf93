// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <stdlib.h>

#include "rdma_dc.h"

void must(int status, const char *what)
{
	if (!status)
		return;
	ok(false, "%s: status 0x%02x", what, status);
	exit(ok_end());
}

void dc_open(void)
{
	card_devx = true;
	sides_open();
}

int create_dct(struct tdct *dct, struct side *side, struct tcq *cq, const struct dct_opts *o)
{
	struct prm_create_dct_in in = {};
	struct prm_create_dct_out out;
	struct prm_dctc *ctx = prm_sub(&in, dct_context_entry, dctc);
	int status;

	*dct = (struct tdct){ .side = side, .addr = o->addr };
	create_rmp(&dct->srq, side, o->log_srq ? o->log_srq : 6);
	prm_set(&in, uid, o->uid);
	prm_set(ctx, user_index, DC_USER_INDEX);
	prm_set(ctx, cqn, cq->cqn);
	prm_set(ctx, srqn_xrqn, dct->srq.num);
	prm_set(ctx, pd, o->pd ? o->pd : side->pd);
	prm_set(ctx, rre, !o->no_rights);
	prm_set(ctx, rwe, !o->no_rights);
	prm_set(ctx, rae, !o->no_rights);
	prm_set(ctx, atomic_mode, PRM_QP_ATOMIC_IB);
	prm_set(ctx, counter_set_id, o->counter);
	prm_set(ctx, min_rnr_nak, 12);
	prm_set(ctx, mtu, o->mtu ? o->mtu : PRM_QP_MTU_1024);
	prm_set(ctx, port, 1);
	prm_set(ctx, my_addr_index, o->addr);
	prm_set(ctx, hop_limit, 64);
	prm_set(ctx, tclass, 0x20);
	prm_set64(ctx, dc_access_key, o->key ? o->key : DC_KEY);
	status = command(side, create_dct, &in, &out);
	dct->num = prm_get(&out, dctn);
	return status;
}

int dct_command(struct tdct *dct, uint16_t opcode)
{
	struct prm_destroy_dct_in in = {};
	struct prm_destroy_dct_out out;

	prm_set(&in, opcode, opcode);
	prm_set(&in, dctn, dct->num);
	return exec(dct->side, opcode, &in, sizeof(in), &out, sizeof(out));
}

struct prm_dctc query_dct(struct tdct *dct)
{
	struct prm_query_dct_in in = {};
	struct prm_query_dct_out out;

	prm_set(&in, dctn, dct->num);
	must(command(dct->side, query_dct, &in, &out), "query_dct");
	return *prm_sub(&out, dct_context_entry, dctc);
}

void close_dct(struct tdct *dct)
{
	must(dct_command(dct, PRM_OP_drain_dct), "drain_dct");
	pass_time(30);
	must(dct_command(dct, PRM_OP_destroy_dct), "destroy_dct");
	saw_event(dct->side, 0, 0);
}

void dci_to_rts(struct tqp *qp, const struct qp_opts *o)
{
	must(qp_init(qp, o), "rst2init of a DCI");
	must(qp_rtr(qp, NULL, o), "init2rtr of a DCI");
	must(qp_rts(qp, o), "rtr2rts of a DCI");
}

void create_dci(struct tqp *qp, struct side *side, struct tcq *cq, const struct qp_opts *o)
{
	must(create_qp(qp, side, PRM_QP_ST_DCI, cq, o), "create_qp of a DCI");
	dci_to_rts(qp, o);
}

void destroy_dci(struct tqp *qp)
{
	settle();
	must(qp_command(qp, PRM_OP_destroy_qp), "destroy_qp of a DCI");
}

struct wr dc_send(const struct tdct *dct, uint32_t len)
{
	return (struct wr){ .opcode = PRM_WQE_SEND,
			    .n = 1,
			    .sge = { { a.va, len, a.lkey } },
			    .dqpn = dct->num,
			    .to = dct->side,
			    .addr = dct->addr,
			    .dc_key = DC_KEY };
}

struct wr dc_rdma(const struct tdct *dct, uint8_t opcode, uint64_t off, uint32_t len)
{
	struct wr wr = dc_send(dct, len);

	wr.opcode = opcode;
	wr.raddr = (dct->side->va + off + 7) & ~7ull;
	wr.rkey = dct->side->rkey;
	return wr;
}

void dct_recv(struct tdct *dct, uint64_t off, uint32_t len)
{
	struct tsge sge = { dct->side->va + off, len, dct->side->lkey };

	post_srq(&dct->srq, 1, &sge);
}

unsigned int dc_result(struct tcq *cq)
{
	struct prm_cqe64 *cqe;

	settle();
	cqe = poll(cq);
	if (!cqe)
		return 0xff;
	return cqe_opcode(cqe) == PRM_CQE_REQ_ERR || cqe_opcode(cqe) == PRM_CQE_RESP_ERR ?
		       cqe_syndrome(cqe) : 0;
}
