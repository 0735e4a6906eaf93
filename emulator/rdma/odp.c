// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Page faults, from the event to PAGE_FAULT_RESUME.
 *
 * A token names a place in the table and how often that has been used, so that one that comes too
 * late, or twice, meets no other fault.
 */
#include "prm/cap_odp.h"
#include "rdma/rdma.h"

/* By the memory scheme a token has 48 bits, of which none are there to be lost. */
#define TOKEN_MASK		0xffffffull
#define MEMORY_TOKEN_MASK	0xffffffffffffull
#define MEMORY_TOKEN_FIRST	(1ull << 40)

/* Around what is missing, in pages of the event. */
#define LOG_PAGE		12
#define PREFETCH_BEFORE		2u
#define PREFETCH_AFTER		14u

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
		state->faults[i].late = 0;
	}
	state->n = 0;
	state->events = 0;
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

static uint64_t next_token(const struct page_fault_state *state, const struct page_fault *fault,
			   bool memory)
{
	uint64_t before = fault->token ? fault->token : (uint64_t)(fault - state->faults);

	if (!memory)
		return (before + PAGE_FAULTS) & TOKEN_MASK;
	if (before < MEMORY_TOKEN_FIRST)
		before |= MEMORY_TOKEN_FIRST;
	return (before + PAGE_FAULTS) & MEMORY_TOKEN_MASK;
}

static struct page_fault *take_free(struct page_fault_state *state, bool memory,
				    unsigned int events)
{
	struct page_fault *fault;

	if (state->events + events > PAGE_FAULTS)
		return NULL;
	do
		fault = &state->faults[state->next++ % PAGE_FAULTS];
	while (fault->qp);
	state->n++;
	state->events += events;
	fault->token = next_token(state, fault, memory);
	fault->events = events;
	fault->gone = false;
	fault->late = 0;
	return fault;
}

/* Is there something that is missing, and a key of which the driver can know? */
static bool can_come(const struct mem_lacks *lacks)
{
	unsigned int i;

	for (i = 0; i < lacks->n; i++)
		if (lacks->lack[i].key == MKEY_NULL)
			return false;
	return lacks->n;
}

/* *fault: to be filled in. @lacks: what is missing, by the memory scheme. */
static enum page_fault_result raise_fault(struct qp *qp, enum wait_place place, unsigned int op,
					  const struct mem_lacks *lacks, struct page_fault **fault)
{
	struct page_fault_state *state = state_of(qp);
	bool memory = hca_memory_faults(qp->obj.dev);

	if (!may_raise(qp, op) || (memory && !can_come(lacks)))
		return PAGE_FAULT_REFUSED;
	*fault = take_free(state, memory, memory ? lacks->n : 1);
	if (!*fault) {
		trace(qp->obj.dev, "QP 0x%x: a page fault must wait: there are %u, of %u events",
		      qp->obj.num, state->n, state->events);
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

/* The pages around it may be none of the key's. */
static void send_lack(struct cxdev *dev, uint64_t token, const struct mem_lack *lack, bool last)
{
	uint64_t va = lack->va >> LOG_PAGE << LOG_PAGE;
	uint64_t pages = (lack->va - va + lack->len + (1u << LOG_PAGE) - 1) >> LOG_PAGE;
	struct prm_eqe_page_fault event = {
		.memory = {
			.flags = last ? PRM_FAULT_MEMORY_LAST : 0,
			.token47_32 = cpu_to_be16(token >> 32),
			.token31_0 = cpu_to_be32(token),
			.demand_fault_pages = cpu_to_be32(pages << LOG_PAGE),
			.mkey = cpu_to_be32(lack->key),
			.va = { cpu_to_be32(va >> 32), cpu_to_be32(va) },
		}
	};

	if (hca_prefetches(dev)) {
		event.memory.pre_demand_fault_pages = cpu_to_be16(PREFETCH_BEFORE);
		event.memory.post_demand_fault_pages = cpu_to_be16(PREFETCH_AFTER);
	}
	event_dispatch(dev, PRM_EVENT_PAGE_FAULT, PRM_FAULT_MEMORY, &event, sizeof(event));
}

static void send_lacks(struct cxdev *dev, uint64_t token, const struct mem_lacks *lacks)
{
	unsigned int i;

	for (i = 0; i < lacks->n; i++)
		send_lack(dev, token, &lacks->lack[i], i + 1 == lacks->n);
}

static void send_wqe(struct cxdev *dev, const struct page_fault *fault,
		     const struct missing_wqe *what)
{
	const struct prm_eqe_page_fault event = {
		.wqe = {
			.bytes_committed = cpu_to_be32(what->committed),
			.wqe_index = cpu_to_be16(what->index),
			.packet_length = cpu_to_be16(what->len),
			.token = cpu_to_be32(fault->token),
			.pftype_wq = cpu_to_be32((uint32_t)what->type << 24 | what->wq),
		}
	};

	event_dispatch(dev, PRM_EVENT_PAGE_FAULT, PRM_FAULT_WQE, &event, sizeof(event));
}

enum page_fault_result page_fault_wqe(struct qp *qp, const struct missing_wqe *what)
{
	struct cxdev *dev = qp->obj.dev;
	enum page_fault_result result;
	struct mem_lacks lacks = {};
	struct page_fault *fault;

	if (hca_memory_faults(dev))
		sg_lacks(what->data, what->committed, what->len,
			 what->type != PRM_FAULT_WQE_SEND_WRITE, &lacks);
	result = raise_fault(qp, what->place, what->op, &lacks, &fault);
	if (result)
		return result;
	fault->type = what->type;
	fault->wq = what->wq;
	fault->pos = what->pos;
	fault->resume = what->resume;
	if (hca_memory_faults(dev))
		send_lacks(dev, fault->token, &lacks);
	else
		send_wqe(dev, fault, what);
	return PAGE_FAULT_RAISED;
}

/* There is no queue to name: its number is the token. */
static void send_rdma(struct cxdev *dev, const struct page_fault *fault,
		      const struct missing_rdma *what)
{
	const struct prm_eqe_page_fault event = {
		.rdma = {
			.bytes_committed = cpu_to_be32(what->committed),
			.r_key = cpu_to_be32(what->rkey),
			.packet_length = cpu_to_be16(what->len),
			.rdma_op_len = cpu_to_be32(what->op_len),
			.rdma_va = { cpu_to_be32(what->va >> 32), cpu_to_be32(what->va) },
			.pftype_token = cpu_to_be32((uint32_t)fault->type << 24 | fault->token),
		}
	};

	event_dispatch(dev, PRM_EVENT_PAGE_FAULT, PRM_FAULT_RDMA, &event, sizeof(event));
}

enum page_fault_result page_fault_rdma(struct qp *qp, const struct missing_rdma *what)
{
	bool write = what->access & (MEM_REMOTE_WRITE | MEM_REMOTE_ATOMIC);
	struct cxdev *dev = qp->obj.dev;
	enum page_fault_result result;
	struct mem_lacks lacks = {};
	struct page_fault *fault;

	if (hca_memory_faults(dev))
		mem_lacks(dev, what->user, what->rkey, what->va + what->committed, what->len,
			  what->access, &lacks);
	result = raise_fault(qp, what->place, what->op, &lacks, &fault);
	if (result)
		return result;
	fault->type = PRM_FAULT_IS_RDMA | (write ? PRM_FAULT_WRITE : 0);
	fault->wq = fault->token;
	fault->psn = what->psn;
	fault->rkey = what->rkey;
	fault->resume = what->resume;
	if (hca_memory_faults(dev))
		send_lacks(dev, fault->token, &lacks);
	else
		send_rdma(dev, fault, what);
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
	state_of(qp)->events -= fault->events;
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

/* What the command says. */
struct resume {
	bool memory, error;
	uint64_t token;
	unsigned int type;
	uint32_t wq;
};

#define TRANS page_fault_info.trans_page_fault_info
#define MEM page_fault_info.mem_page_fault_info

static int read_resume(struct cmd *c, struct resume *r)
{
	const struct prm_page_fault_resume_in *in = c->in;

	*r = (struct resume){ .memory = hca_memory_faults(c->dev),
			      .error = prm_get(in, MEM.error) };
	if (r->memory && prm_get(in, MEM.rsvd_01))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "reserved bits are 0x%x: page faults are of the memory scheme",
			      prm_get(in, MEM.rsvd_01));
	if (r->memory) {
		r->token = (uint64_t)prm_get(in, MEM.fault_token_47_32) << 32 |
			   prm_get(in, MEM.fault_token_31_0);
		return 0;
	}
	r->token = prm_get(in, TRANS.fault_token);
	r->type = prm_get(in, TRANS.page_fault_type);
	r->wq = prm_get(in, TRANS.wq_number);
	return 0;
}

/*
 * The events of a fault are handled at the same time, each by somebody who resumes it if his part
 * fails, and who has the last one also if not. So others may come after the one that was first.
 */
static bool may_be_late(struct page_fault *fault, const struct resume *r)
{
	if (!fault->late || (!r->error && fault->without_error))
		return false;
	fault->late--;
	fault->without_error |= !r->error;
	return true;
}

/* The fault that the command names; NULL: refused. */
static struct page_fault *find_fault(struct cmd *c, const struct resume *r)
{
	struct page_fault_state *state = &c->dev->rdma_state->page_faults;
	struct page_fault *fault = &state->faults[r->token % PAGE_FAULTS];
	unsigned long long token = r->token;

	if (fault->token == token && fault->gone) {
		decline(c, PRM_STATUS_BAD_RES, "the queue of page fault 0x%llx is gone", token);
		return NULL;
	}
	if (fault->token == token && may_be_late(fault, r)) {
		decline(c, PRM_STATUS_BAD_RES, "page fault 0x%llx has ended by another event",
			token);
		return NULL;
	}
	if (fault->token != token || !fault->qp) {
		refuse(c, PRM_STATUS_BAD_RES, "there is no page fault 0x%llx", token);
		return NULL;
	}
	if (!r->memory && (fault->type != r->type || fault->wq != r->wq)) {
		refuse(c, PRM_STATUS_BAD_PARAM,
		       "page fault 0x%llx is of type %u and queue 0x%x, not %u and 0x%x", token,
		       fault->type, fault->wq, r->type, r->wq);
		return NULL;
	}
	return fault;
}

static int run_page_fault_resume(struct cmd *c)
{
	struct page_fault_state *state = &c->dev->rdma_state->page_faults;
	struct page_fault *fault, ended;
	struct resume r;

	if (!hca_pages(c->dev))
		return refuse(c, PRM_STATUS_BAD_OP, "pg is not announced");
	if (c->op_mod)
		return refuse(c, PRM_STATUS_BAD_PARAM, "op_mod %u is not 0", c->op_mod);
	if (read_resume(c, &r))
		return -1;
	fault = find_fault(c, &r);
	if (!fault)
		return -1;
	state->failed += r.error;
	ended = *fault;
	free_fault(fault);
	fault->late = ended.events - 1;
	fault->without_error = !r.error;
	if (ended.waits)
		ended.resume(ended.qp, &ended, r.error);
	return 0;
}

const struct cmd_desc cmds_odp[] = {
	CMD(page_fault_resume),
	{}
};
