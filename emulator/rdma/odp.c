// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Page faults, from the event to PAGE_FAULT_RESUME.
 *
 * A token names a place in the table and how often that has been used, so that one that comes too
 * late, or twice, meets no other fault.
 */
#include "prm/cap_odp.h"
#include "rdma/rdma.h"

#define TOKEN_MASK 0xffffffu

static struct page_fault_state *state_of(const struct qp *qp)
{
	return &qp->obj.dev->rdma_state->page_faults;
}

void page_fault_state_stop(struct page_fault_state *state)
{
	unsigned int i;

	for (i = 0; i < PAGE_FAULTS; i++) {
		state->faults[i].qp = NULL;
		state->faults[i].gone = false;
	}
	state->n = 0;
}

/* ---- raising ------------------------------------------------------------------------------- */

static int service_of(const struct qp *qp)
{
	switch (qp->st) {
	case PRM_QP_ST_RC:
		return ODP_RC;
	case PRM_QP_ST_UC:
		return ODP_UC;
	case PRM_QP_ST_UD:
		return ODP_UD;
	case PRM_QP_ST_XRC:
		return ODP_XRC;
	case PRM_QP_ST_DCI:
	case PRM_QP_ST_DCT:
		return ODP_DC;
	default:
		return -1;
	}
}

/* Without an event queue for them nobody would ever resume it. */
static bool may_raise(const struct qp *qp, unsigned int op)
{
	int service = service_of(qp);

	return service >= 0 && hca_page_faults(qp->obj.dev, service) & op &&
	       event_has_sink(qp->obj.dev, PRM_EVENT_PAGE_FAULT);
}

static struct page_fault *take_free(struct page_fault_state *state)
{
	struct page_fault *fault;

	if (state->n == PAGE_FAULTS)
		return NULL;
	do
		fault = &state->faults[state->next++ % PAGE_FAULTS];
	while (fault->qp);
	state->n++;
	if (!fault->token)
		fault->token = fault - state->faults;
	fault->token = (fault->token + PAGE_FAULTS) & TOKEN_MASK;
	fault->gone = false;
	return fault;
}

/* *fault: to be filled in. */
static enum page_fault_result raise_fault(struct qp *qp, enum wait_place place, unsigned int op,
					  struct page_fault **fault)
{
	struct page_fault_state *state = state_of(qp);

	if (!may_raise(qp, op))
		return PAGE_FAULT_REFUSED;
	*fault = take_free(state);
	if (!*fault) {
		trace(qp->obj.dev, "QP 0x%x: a page fault must wait: there are %u", qp->obj.num,
		      PAGE_FAULTS);
		state->later++;
		return PAGE_FAULT_LATER;
	}
	(*fault)->qp = qp;
	(*fault)->place = place;
	(*fault)->waits = true;
	qp->page_faults[place] = *fault;
	state->raised++;
	return PAGE_FAULT_RAISED;
}

enum page_fault_result page_fault_wqe(struct qp *qp, const struct missing_wqe *what)
{
	struct prm_eqe_page_fault event = {};
	enum page_fault_result result;
	struct page_fault *fault;

	result = raise_fault(qp, what->place, what->op, &fault);
	if (result)
		return result;
	fault->type = what->type;
	fault->wq = what->wq;
	fault->pos = what->pos;
	fault->resume = what->resume;
	event.wqe.bytes_committed = cpu_to_be32(what->committed);
	event.wqe.wqe_index = cpu_to_be16(what->index);
	event.wqe.packet_length = cpu_to_be16(what->len);
	event.wqe.token = cpu_to_be32(fault->token);
	event.wqe.pftype_wq = cpu_to_be32((uint32_t)what->type << 24 | what->wq);
	event_dispatch(qp->obj.dev, PRM_EVENT_PAGE_FAULT, PRM_FAULT_WQE, &event, sizeof(event));
	return PAGE_FAULT_RAISED;
}

/* There is no queue to name: its number is the token. */
enum page_fault_result page_fault_rdma(struct qp *qp, const struct missing_rdma *what)
{
	struct prm_eqe_page_fault event = {};
	enum page_fault_result result;
	struct page_fault *fault;

	result = raise_fault(qp, what->place, what->op, &fault);
	if (result)
		return result;
	fault->type = PRM_FAULT_IS_RDMA | (what->write ? PRM_FAULT_WRITE : 0);
	fault->wq = fault->token;
	fault->psn = what->psn;
	fault->rkey = what->rkey;
	fault->resume = what->resume;
	event.rdma.bytes_committed = cpu_to_be32(what->committed);
	event.rdma.r_key = cpu_to_be32(what->rkey);
	event.rdma.packet_length = cpu_to_be16(what->len);
	event.rdma.rdma_op_len = cpu_to_be32(what->op_len);
	event.rdma.rdma_va[0] = cpu_to_be32(what->va >> 32);
	event.rdma.rdma_va[1] = cpu_to_be32(what->va);
	event.rdma.pftype_token = cpu_to_be32((uint32_t)fault->type << 24 | fault->token);
	event_dispatch(qp->obj.dev, PRM_EVENT_PAGE_FAULT, PRM_FAULT_RDMA, &event, sizeof(event));
	return PAGE_FAULT_RAISED;
}

/* ---- ending -------------------------------------------------------------------------------- */

void page_fault_cancel(struct qp *qp, enum wait_place place)
{
	if (qp->page_faults[place])
		qp->page_faults[place]->waits = false;
	qp->page_faults[place] = NULL;
}

static void free_fault(struct page_fault *fault)
{
	struct qp *qp = fault->qp;

	if (fault->waits)
		qp->page_faults[fault->place] = NULL;
	fault->waits = false;
	fault->qp = NULL;
	state_of(qp)->n--;
}

void page_faults_forget(struct qp *qp)
{
	struct page_fault_state *state = state_of(qp);
	struct page_fault *fault;

	for (fault = state->faults; state->n && fault != state->faults + PAGE_FAULTS; fault++) {
		if (fault->qp != qp)
			continue;
		free_fault(fault);
		fault->gone = true;
	}
}

void page_faults_forget_srq(struct cxdev *dev, uint32_t srqn)
{
	struct page_fault_state *state = &dev->rdma_state->page_faults;
	struct page_fault *fault;

	for (fault = state->faults; state->n && fault != state->faults + PAGE_FAULTS; fault++) {
		if (!fault->qp || fault->type != PRM_FAULT_WQE_RMP || fault->wq != srqn)
			continue;
		free_fault(fault);
		fault->gone = true;
	}
}

/* The fault that the command names; NULL: refused. */
static struct page_fault *find_fault(struct cmd *c, const struct prm_page_fault_resume_in *in)
{
	struct page_fault_state *state = &c->dev->rdma_state->page_faults;
	uint32_t token = prm_get(in, page_fault_info.trans_page_fault_info.fault_token);
	uint32_t wq = prm_get(in, page_fault_info.trans_page_fault_info.wq_number);
	unsigned int type = prm_get(in, page_fault_info.trans_page_fault_info.page_fault_type);
	struct page_fault *fault = &state->faults[token % PAGE_FAULTS];

	if (fault->token == token && fault->gone) {
		decline(c, PRM_STATUS_BAD_RES, "the queue of page fault 0x%x is gone", token);
		return NULL;
	}
	if (fault->token != token || !fault->qp) {
		refuse(c, PRM_STATUS_BAD_RES, "there is no page fault 0x%x", token);
		return NULL;
	}
	if (fault->type != type || fault->wq != wq) {
		refuse(c, PRM_STATUS_BAD_PARAM,
		       "page fault 0x%x is of type %u and queue 0x%x, not %u and 0x%x", token,
		       fault->type, fault->wq, type, wq);
		return NULL;
	}
	return fault;
}

static int run_page_fault_resume(struct cmd *c)
{
	const struct prm_page_fault_resume_in *in = c->in;
	bool error = prm_get(in, page_fault_info.trans_page_fault_info.error);
	struct page_fault_state *state = &c->dev->rdma_state->page_faults;
	struct page_fault *fault, ended;

	if (!hca_pages(c->dev))
		return refuse(c, PRM_STATUS_BAD_OP, "pg is not announced");
	if (c->op_mod)
		return refuse(c, PRM_STATUS_BAD_PARAM, "op_mod %u is not 0", c->op_mod);
	fault = find_fault(c, in);
	if (!fault)
		return -1;
	state->failed += error;
	ended = *fault;
	free_fault(fault);
	if (ended.waits)
		ended.resume(ended.qp, &ended, error);
	return 0;
}

const struct cmd_desc cmds_odp[] = {
	CMD(page_fault_resume),
	{}
};
