// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Page faults: queue pairs whose data lie in pages that come and go, and a driver that resumes them
 * rightly, wrongly, or not at all, on a wire that loses and doubles packets. An input is a list of
 * steps; its last bit says whether the faults are of the memory scheme.
 */
#include "../tests/rdma_odp.h"
#include "fuzz.h"

#define STEPS_MAX 160
#define PAIRS 2u

enum {
	SEND, RECEIVE, PAGES, RESUME, RESUME_WRONGLY, WIRE, PROCEED, SETTLE, TIME, RESET, DESTROY,
	KEY, EQ, LIST, ACTIONS
};

static struct tqp at_a[PAIRS], at_b[PAIRS];
static struct odp_key keys[2];
static uint32_t ksm;
static bool has_eq;
static struct odp_event last[2];
static enum wire_verdict fate;

static enum wire_verdict filter(void *arg, const struct port *from, struct frame *frame)
{
	enum wire_verdict verdict = fate;

	(void)arg;
	(void)from;
	(void)frame;
	fate = WIRE_PASS;
	return verdict;
}

static const struct qp_opts opts = { .addr = ADDR_V2_IPV4, .mtu = PRM_QP_MTU_256, .min_rnr = 1,
				     .timeout = 8, .log_sq = 4, .log_rq = 4 };

static const enum prm_qp_st services[PAIRS] = { PRM_QP_ST_RC, PRM_QP_ST_UC };

static void open_all(bool memory)
{
	unsigned int i;

	odp_open(memory);
	has_eq = true;
	memset(last, 0, sizeof(last));
	create_cq(&ca, &a, 9);
	create_cq(&cb, &b, 9);
	for (i = 0; i < PAIRS; i++)
		create_pair(&at_a[i], &at_b[i], services[i], &ca, &cb, &opts);
	keys[0] = odp_create(&a, 0, 0);
	keys[1] = odp_create(&b, 0, 0);
	ksm = create_free_mkey(&b, b.pd, MKEY_KSM, 8, false);
	fate = WIRE_PASS;
	wire_set_filter(filter, NULL);
}

static void send_one(struct input *in, unsigned int i)
{
	static const uint8_t ops[] = { PRM_WQE_SEND, PRM_WQE_RDMA_WRITE, PRM_WQE_RDMA_WRITE_IMM,
				       PRM_WQE_RDMA_READ, PRM_WQE_ATOMIC_FA };
	uint8_t op = ops[input_u8(in) % ARRAY_SIZE(ops)], how = input_u8(in);
	uint32_t off = input_u16(in) % ODP_BYTES, len = 1 + input_u16(in) % 6000;
	struct wr wr = { .opcode = op, .n = 1, .raddr = keys[1].va + (off & ~7u),
			 .rkey = op == PRM_WQE_SEND ? 0 : how & 1 ? ksm : keys[1].key,
			 .sge = { { keys[0].va + off, op == PRM_WQE_ATOMIC_FA ? 8 : len,
				    how & 2 ? a.lkey : keys[0].key } } };

	if (how & 2)
		wr.sge[0].va = a.va;
	post_send(&at_a[i], &wr);
}

static void receive(struct input *in, unsigned int i)
{
	struct tsge room = { keys[1].va + input_u16(in) % ODP_BYTES, 6000, keys[1].key };

	post_recv(&at_b[i], 1, &room);
}

static void set_pages(struct input *in, unsigned int side)
{
	unsigned int first = input_u8(in) % ODP_PAGES, n = 1 + input_u8(in) % (ODP_PAGES - first);

	odp_set(&keys[side], first, n, input_u8(in) & 3);
}

/* Entries of 4 KiB, each the other side's key of pages or the null key. */
static void set_list(struct input *in)
{
	uint8_t list[8 * 16], which = input_u8(in), how = input_u8(in);
	struct umr_wr u = { .key = ksm, .flags = PRM_UMR_INLINE | PRM_UMR_TRANSLATION_OFFSET_EN,
			    .mask = how & 1 ? REG_MASK : 0, .octwords = how & 2 ? 4 : 8,
			    .offset = how >> 2 & 4, .rights = ALL_RIGHTS, .new_key = ksm,
			    .va = keys[1].va, .len = 8 * PAGE, .free = how & 32, .list = list,
			    .list_len = sizeof(list) };
	unsigned int i;

	for (i = 0; i < 8; i++)
		klm_put(list + 16 * i, 0, which >> i & 1 ? keys[1].key : MKEY_NULL,
			which >> i & 1 ? keys[1].va + i * PAGE : 0);
	odp_umr(&b, &u);
}

static void resume(struct input *in, unsigned int side)
{
	struct side *of = side ? &b : &a;
	struct odp_event event;

	if (!has_eq || !odp_event(of, &event))
		return;
	last[side] = event;
	odp_resume(of, &event, input_u8(in) > 200);
}

/* Something about an event that may have been answered. */
static void resume_wrongly(struct input *in, unsigned int side)
{
	struct odp_event event = last[side];

	switch (input_u8(in) & 3) {
	case 0:
		event.token = (input_u16(in) & 0xf) << PAGE_FAULTS_LOG | input_u8(in);
		event.wq = event.token;
		break;
	case 1:
		event.type = input_u8(in) & 7;
		break;
	case 2:
		event.wq = input_u16(in);
		break;
	}
	odp_resume(side ? &b : &a, &event, input_u8(in) & 1);
}

static void reset(struct tqp *qp, const struct tqp *peer)
{
	qp_command(qp, PRM_OP_qp_2rst);
	qp->sq_pi = 0;
	qp->rq_pi = 0;
	put64(mem_at(qp->side, qp->dbr), 0);
	qp_init(qp, &opts);
	qp_rtr(qp, peer, &opts);
	qp_rts(qp, &opts);
}

/* For one more queue. */
static bool has_memory(const struct side *side)
{
	return side->next + (1u << 20) < MEM_BYTES;
}

static void destroy(unsigned int side, unsigned int i)
{
	struct tqp *qp = side ? &at_b[i] : &at_a[i];

	if (!has_memory(qp->side) || qp_command(qp, PRM_OP_destroy_qp) ||
	    create_qp(qp, qp->side, services[i], side ? &cb : &ca, &opts))
		return;
	qp_init(qp, &opts);
	qp_rtr(qp, side ? &at_a[i] : &at_b[i], &opts);
	qp_rts(qp, &opts);
}

static void change_key(unsigned int side)
{
	destroy_mkey(side ? &b : &a, keys[side].key);
	keys[side] = odp_create(side ? &b : &a, 0, 0);
}

static void change_eq(void)
{
	if (!has_memory(&a))
		return;
	if (has_eq)
		odp_destroy_eq(&a);
	else
		odp_create_eq(&a, 2);
	has_eq = !has_eq;
}

static void step(struct input *in)
{
	unsigned int action = input_u8(in) % ACTIONS, choice = input_u8(in), n;
	unsigned int side = choice & 1, i = (choice >> 1) % PAIRS;

	switch (action) {
	case SEND:
		return send_one(in, i);
	case RECEIVE:
		return receive(in, i);
	case PAGES:
		return set_pages(in, side);
	case RESUME:
		return resume(in, side);
	case RESUME_WRONGLY:
		return resume_wrongly(in, side);
	case WIRE:
		fate = choice & 1 ? WIRE_DROP : WIRE_DUPLICATE;
		return;
	case PROCEED:
		for (n = 1 + choice % 8; n; n--)
			loop_run_pending();
		return;
	case SETTLE:
		settle();
		wire_set_filter(filter, NULL);
		return;
	case TIME:
		loop_test_clock(now_ns() + (1 + choice) * 20000ull);
		return;
	case RESET:
		return side ? reset(&at_b[i], &at_a[i]) : reset(&at_a[i], &at_b[i]);
	case DESTROY:
		return destroy(side, i);
	case KEY:
		return change_key(side);
	case EQ:
		return change_eq();
	case LIST:
		return set_list(in);
	}
}

/* What counts as waiting is there, and no more. */
static void check(const struct side *side)
{
	const struct page_fault_state *state = &side->dev->rdma_state->page_faults;
	unsigned int i, n = 0, events = 0;

	for (i = 0; i < PAGE_FAULTS; i++) {
		const struct page_fault *fault = &state->faults[i];

		n += !!fault->qp;
		events += fault->qp ? fault->events : 0;
		if (fault->waits && (!fault->qp || fault->qp->page_faults[fault->place] != fault))
			abort();
	}
	if (n != state->n || events != state->events || events > PAGE_FAULTS)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = input_begin(data, size);
	unsigned int n;

	obj_reuse_numbers = true;
	open_all(size && data[size - 1] & 1);
	for (n = 0; n < STEPS_MAX && input.left; n++) {
		step(&input);
		check(&a);
		check(&b);
	}
	odp_close();
	return input_end();
}
