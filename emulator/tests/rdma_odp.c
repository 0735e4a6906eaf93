// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Keys whose pages come and go, and the driver's part of a page fault. */
#include <stdlib.h>

#include "rdma_odp.h"

struct tqp x, y;
const struct qp_opts odp_rc = { .addr = ADDR_V2_IPV4, .rnr_retry = 7, .rnr_set = true,
				.min_rnr = 1, .timeout = 12, .retry = 3, .retry_set = true };

/* Of one side. */
static struct odp_side {
	struct tcq cq;
	struct tqp umr;
	uint64_t eq;
	uint32_t eqn, ci, log;
} sides[2];

static struct odp_side *of(const struct side *side)
{
	return &sides[side == &b];
}

static void must(int status, const char *what)
{
	if (!status)
		return;
	ok(false, "%s: status 0x%02x", what, status);
	exit(ok_end());
}

void odp_create_eq(struct side *side, unsigned int log)
{
	struct { struct prm_create_eq_in in; __be64 pas[(64 << ODP_LOG_EQ) / PAGE]; } cmd = {};
	struct odp_side *s = of(side);
	struct prm_create_eq_out out;
	unsigned int i;

	s->ci = 0;
	s->log = log;
	s->eq = mem_alloc(side, sizeof(struct prm_eqe) << ODP_LOG_EQ);
	for (i = 0; i < 1u << log; i++)
		((struct prm_eqe *)mem_at(side, s->eq))[i].owner = 1;
	for (i = 0; i < (((64u << log) + PAGE - 1) / PAGE); i++)
		cmd.pas[i] = cpu_to_be64(s->eq + i * PAGE);
	prm_set(&cmd.in, opcode, PRM_OP_create_eq);
	prm_set(&cmd.in, eq_context_entry.log_eq_size, log);
	prm_set(&cmd.in, eq_context_entry.uar_page, side->uar);
	prm_set64(&cmd.in, event_bitmask[0], 1ull << PRM_EVENT_PAGE_FAULT);
	must(exec(side, PRM_OP_create_eq, &cmd, sizeof(cmd), &out, sizeof(out)),
	     "an EQ of page faults");
	s->eqn = prm_get(&out, eq_number);
}

int odp_destroy_eq(struct side *side)
{
	struct prm_destroy_eq_in in = {};
	struct prm_destroy_eq_out out;

	prm_set(&in, eq_number, of(side)->eqn);
	return command(side, destroy_eq, &in, &out);
}

static void open_side(struct side *side)
{
	struct hca_state *hca = side->dev->hca;
	struct odp_side *s = of(side);

	/* as a driver sets it before INIT_HCA */
	memcpy(hca->cap_cur[CAP_ODP], hca->cap_max[CAP_ODP], CAP_BYTES);
	odp_create_eq(side, ODP_LOG_EQ);
	create_cq(&s->cq, side, 6);
	create_umr_qp(&s->umr, side, &s->cq);
}

void odp_open(bool memory)
{
	card_devx = true;
	card_memory_faults = memory;
	sides_open();
	open_side(&a);
	open_side(&b);
}

void odp_close(void)
{
	qp_command(&sides[0].umr, PRM_OP_destroy_qp);
	qp_command(&sides[1].umr, PRM_OP_destroy_qp);
	sides_close();
	card_devx = false;
	card_memory_faults = false;
}

void odp_pair(const struct qp_opts *o)
{
	drain(&ca, &cb);
	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, o);
}

static void reset(struct tqp *qp, const struct tqp *peer, const struct qp_opts *o)
{
	qp_command(qp, PRM_OP_qp_2rst);
	qp->sq_pi = 0;
	qp->rq_pi = 0;
	put64(mem_at(qp->side, qp->dbr), 0);
	if (qp_init(qp, o) || qp_rtr(qp, peer, o) || qp_rts(qp, o))
		ok(false, "the queue pair comes back");
}

void odp_reset_pair(const struct qp_opts *o)
{
	reset(&x, &y, o);
	reset(&y, &x, o);
}

void odp_wait_rnr(void)
{
	pass_time(2);
}

uint64_t odp_violations(void)
{
	static uint64_t before;
	uint64_t now = violations_total(), since = now - before;

	before = now;
	return since;
}

void odp_set_cap(struct side *side, const char *name, uint32_t value)
{
	struct cap cap;

	if (cap_find(name, &cap))
		cap_set(&cap, side->dev->hca->cap_cur[cap.type], value);
	else
		ok(false, "there is a capability %s", name);
}

int odp_choose(struct side *side, bool memory)
{
	static struct prm_set_hca_cap_in in;
	struct prm_set_hca_cap_out out;
	int status;

	memcpy((uint8_t *)&in + sizeof(struct prm_mbox_in), side->dev->hca->cap_cur[CAP_ODP],
	       CAP_BYTES);
	prm_set(&in, op_mod, CAP_ODP << 1);
	prm_set(&in, capability.odp_cap.mem_page_fault, memory);
	side->dev->hca->phase = HCA_ENABLED;
	status = command(side, set_hca_cap, &in, &out);
	side->dev->hca->phase = HCA_RUNNING;
	return status;
}

unsigned int odp_umr(struct side *side, const struct umr_wr *wr)
{
	struct odp_side *s = of(side);

	post_umr(&s->umr, wr);
	return syndrome_of(&s->cq);
}

/* The pages as they are now. */
static void put_pages(const struct odp_key *key, uint8_t *list)
{
	unsigned int i;

	page_list(key->side, list, key->off, ODP_PAGES);
	for (i = 0; i < ODP_PAGES; i++)
		put64(list + 8 * i, (get64(list + 8 * i) & ~3ull) | key->bits[i]);
}

void odp_pages_key(struct prm_create_mkey_in *in, const struct side *side)
{
	prm_set(in, opcode, PRM_OP_create_mkey);
	prm_set(in, memory_key_mkey_entry.access_mode_1_0, MKEY_MTT);
	prm_set(in, memory_key_mkey_entry.lr, 1);
	prm_set(in, memory_key_mkey_entry.lw, 1);
	prm_set(in, memory_key_mkey_entry.rr, 1);
	prm_set(in, memory_key_mkey_entry.rw, 1);
	prm_set(in, memory_key_mkey_entry.a, 1);
	prm_set(in, memory_key_mkey_entry.qpn, 0xffffff);
	prm_set(in, memory_key_mkey_entry.pd, side->pd);
}

struct odp_key odp_create(struct side *side, unsigned int n, uint8_t bits)
{
	struct { struct prm_create_mkey_in in; uint8_t mtt[ODP_PAGES * 8]; } cmd = {};
	struct odp_key key = { .side = side, .off = ODP_OFF + n * ODP_BYTES };
	struct prm_create_mkey_out out;

	key.va = side->va + key.off;
	memset(key.bits, bits, sizeof(key.bits));
	put_pages(&key, cmd.mtt);
	odp_pages_key(&cmd.in, side);
	prm_set(&cmd.in, pg_access, 1);
	prm_set(&cmd.in, memory_key_mkey_entry.umr_en, 1);
	prm_set(&cmd.in, memory_key_mkey_entry.mkey_7_0, 0x77);
	prm_set64(&cmd.in, memory_key_mkey_entry.start_addr, key.va);
	prm_set64(&cmd.in, memory_key_mkey_entry.len, ODP_BYTES);
	prm_set(&cmd.in, memory_key_mkey_entry.translations_octword_size, ODP_PAGES / 2);
	prm_set(&cmd.in, memory_key_mkey_entry.log_page_size, 12);
	prm_set(&cmd.in, translations_octword_actual_size, ODP_PAGES / 2);
	must(exec(side, PRM_OP_create_mkey, &cmd, sizeof(cmd), &out, sizeof(out)),
	     "a key of pages");
	key.key = prm_get(&out, mkey_index) << 8 | 0x77;
	return key;
}

bool odp_set(struct odp_key *key, unsigned int first, unsigned int n, uint8_t bits)
{
	uint8_t list[ODP_PAGES * 8];
	struct umr_wr wr = { .key = key->key,
			     .flags = PRM_UMR_INLINE | PRM_UMR_CHECK_FREE |
				      PRM_UMR_TRANSLATION_OFFSET_EN,
			     .octwords = ODP_PAGES / 2,
			     .list = list,
			     .list_len = sizeof(list) };

	memset(key->bits + first, bits, n);
	put_pages(key, list);
	return !odp_umr(key->side, &wr);
}

void odp_list_create(struct odp_list *list, struct side *side, uint64_t va, uint32_t null)
{
	uint32_t key = create_free_mkey(side, side->pd, MKEY_KSM, ODP_ENTRIES, false);
	struct umr_wr enable = { .key = key,
				 .flags = PRM_UMR_INLINE | PRM_UMR_CHECK_NOT_FREE |
					  PRM_UMR_TRANSLATION_OFFSET_EN,
				 .mask = REG_MASK, .octwords = ODP_ENTRIES, .rights = ALL_RIGHTS,
				 .new_key = key, .va = va, .length64 = true,
				 .list = list->entries, .list_len = sizeof(list->entries) };
	unsigned int i;

	list->side = side;
	list->key = key;
	for (i = 0; i < ODP_ENTRIES; i++)
		klm_put(list->entries + 16 * i, 0, null, i * PAGE);
	ok(key && !odp_umr(side, &enable), "a key of keys, all of which are key 0x%x", null);
}

unsigned int odp_list_put(struct odp_list *list, unsigned int entry, uint32_t key, uint64_t va)
{
	uint32_t first = entry & ~3u;
	struct umr_wr patch = { .key = list->key,
				.flags = PRM_UMR_INLINE | PRM_UMR_CHECK_FREE |
					 PRM_UMR_TRANSLATION_OFFSET_EN,
				.octwords = 4, .offset = first,
				.list = list->entries + 16 * first, .list_len = 64 };

	klm_put(list->entries + 16 * entry, 0, key, va);
	return odp_umr(list->side, &patch);
}

unsigned int odp_result(struct tcq *cq)
{
	struct prm_cqe64 *cqe;

	settle();
	cqe = poll(cq);
	if (!cqe)
		return 0xff;
	return cqe_opcode(cqe) == PRM_CQE_REQ_ERR || cqe_opcode(cqe) == PRM_CQE_RESP_ERR ?
		       cqe_syndrome(cqe) : 0;
}

static uint64_t address_of(const __be32 *two)
{
	return (uint64_t)be32_to_cpu(two[0]) << 32 | be32_to_cpu(two[1]);
}

bool odp_event(struct side *side, struct odp_event *event)
{
	struct odp_side *s = of(side);
	struct prm_eqe *eqe;

	settle();
	*event = (struct odp_event){};
	eqe = (struct prm_eqe *)mem_at(side, s->eq) + (s->ci & ((1u << s->log) - 1));
	if ((eqe->owner & 1) != !!(s->ci & 1u << s->log))
		return false;
	s->ci++;
	eq_doorbell(side->dev, side->uar, s->eqn << 24 | (s->ci & 0xffffff), false);
	event->subtype = eqe->sub_type;
	if (eqe->sub_type == PRM_FAULT_WQE) {
		const struct prm_eqe_page_fault_wqe *f = &eqe->data.page_fault.wqe;

		event->type = be32_to_cpu(f->pftype_wq) >> 24;
		event->wq = be32_to_cpu(f->pftype_wq) & 0xffffff;
		event->token = be32_to_cpu(f->token);
		event->committed = be32_to_cpu(f->bytes_committed);
		event->len = be16_to_cpu(f->packet_length);
		event->index = be16_to_cpu(f->wqe_index);
	} else if (eqe->sub_type == PRM_FAULT_MEMORY) {
		const struct prm_eqe_page_fault_memory *f = &eqe->data.page_fault.memory;

		event->last = f->flags & PRM_FAULT_MEMORY_LAST;
		event->token = (uint64_t)be16_to_cpu(f->token47_32) << 32 |
			       be32_to_cpu(f->token31_0);
		event->rkey = be32_to_cpu(f->mkey);
		event->va = address_of(f->va);
		event->pages = be32_to_cpu(f->demand_fault_pages) >> 12;
		event->before = be16_to_cpu(f->pre_demand_fault_pages);
		event->after = be16_to_cpu(f->post_demand_fault_pages);
	} else {
		const struct prm_eqe_page_fault_rdma *f = &eqe->data.page_fault.rdma;

		event->type = be32_to_cpu(f->pftype_token) >> 24;
		event->token = be32_to_cpu(f->pftype_token) & 0xffffff;
		event->wq = event->token;
		event->committed = be32_to_cpu(f->bytes_committed);
		event->len = be16_to_cpu(f->packet_length);
		event->rkey = be32_to_cpu(f->r_key);
		event->op_len = be32_to_cpu(f->rdma_op_len);
		event->va = address_of(f->rdma_va);
	}
	return eqe->type == PRM_EVENT_PAGE_FAULT;
}

bool odp_no_event(struct side *side)
{
	struct odp_event event;

	return !odp_event(side, &event);
}

int odp_resume(struct side *side, const struct odp_event *event, bool error)
{
	struct prm_page_fault_resume_in in = {};
	struct prm_page_fault_resume_out out;

	if (event->subtype == PRM_FAULT_MEMORY) {
		prm_set(&in, page_fault_info.mem_page_fault_info.error, error);
		prm_set(&in, page_fault_info.mem_page_fault_info.fault_token_47_32,
			event->token >> 32);
		prm_set(&in, page_fault_info.mem_page_fault_info.fault_token_31_0, event->token);
		return command(side, page_fault_resume, &in, &out);
	}
	prm_set(&in, page_fault_info.trans_page_fault_info.error, error);
	prm_set(&in, page_fault_info.trans_page_fault_info.page_fault_type, event->type);
	prm_set(&in, page_fault_info.trans_page_fault_info.wq_number, event->wq);
	prm_set(&in, page_fault_info.trans_page_fault_info.fault_token, event->token);
	return command(side, page_fault_resume, &in, &out);
}
