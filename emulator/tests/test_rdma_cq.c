// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Completion queues under traffic: new memory while completions wait, moderation, overrun. */
#include "rdma.h"

static struct tcq ca, cb;
static struct tqp x, y;
static unsigned int arm_sn;

#define PAGE 4096u
#define RESIZE_FIELDS 7

static void post(unsigned int n)
{
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE,
			 .n = 1,
			 .sge = { { a.va, 8, a.lkey } },
			 .raddr = b.va,
			 .rkey = b.rkey };

	while (n--)
		post_send(&x, &wr);
	settle();
}

/* The next @n completions are those of WQEs @first and on. */
static bool polled(unsigned int n, uint16_t first)
{
	struct prm_cqe64 *cqe;

	for (; n--; first++) {
		cqe = poll(&ca);
		if (!cqe || cqe_opcode(cqe) != PRM_CQE_REQ ||
		    be16_to_cpu(cqe->wqe_counter) != first)
			return false;
	}
	return true;
}

static struct prm_cqe64 *entry(uint64_t ring, unsigned int log, uint32_t index)
{
	return (struct prm_cqe64 *)mem_at(&a, ring) + (index & ((1u << log) - 1));
}

/* ---- resize -------------------------------------------------------------------------------- */

struct resize {
	unsigned int log, fields, cqe_sz, log_page, drop;	/* @drop: bytes of the page list */
};

static int resize(const struct resize *r, uint64_t *ring)
{
	struct { struct prm_modify_cq_in in; __be64 pas[64]; } cmd = {};
	uint32_t bytes = sizeof(struct prm_cqe64) << r->log, pages = (bytes + PAGE - 1) / PAGE, i;
	struct prm_modify_cq_out out;

	*ring = mem_take(&a, bytes);
	for (i = 0; i < 1u << r->log; i++)
		entry(*ring, r->log, i)->op_own = PRM_CQE_INVALID << PRM_CQE_OPCODE_SHIFT;
	for (i = 0; i < pages; i++)
		cmd.pas[i] = cpu_to_be64(*ring + i * PAGE);
	prm_set(&cmd.in, opcode, PRM_OP_modify_cq);
	prm_set(&cmd.in, op_mod, 1);
	prm_set(&cmd.in, cqn, ca.cqn);
	prm_set(&cmd.in,
		modify_field_select_resize_field_select.resize_field_select.resize_field_select,
		r->fields);
	prm_set(&cmd.in, cq_context.log_cq_size, r->log);
	prm_set(&cmd.in, cq_context.cqe_sz, r->cqe_sz);
	prm_set(&cmd.in, cq_context.log_page_size, r->log_page);
	return exec(&a, PRM_OP_modify_cq, &cmd, sizeof(cmd.in) + pages * 8 - r->drop, &out,
		    sizeof(out));
}

/* As user space does it: entry i of the old memory becomes i + 1 of the new one. False: no end. */
static bool take_over(uint64_t ring, unsigned int log)
{
	uint32_t i;

	for (i = ca.ci; i != ca.ci + (1u << ca.log) + 1; i++) {
		struct prm_cqe64 *from = entry(ca.ring, ca.log, i), *to = entry(ring, log, i + 1);

		if ((from->op_own & PRM_CQE_OWNER) != !!(i & 1u << ca.log))
			return false;
		if (cqe_opcode(from) == PRM_CQE_RESIZE_CQ) {
			ca.ci++;
			ca.ring = ring;
			ca.log = log;
			return true;
		}
		*to = *from;
		to->op_own = (from->op_own & ~PRM_CQE_OWNER) | !!((i + 1) & 1u << log);
	}
	return false;
}

static void test_resize(void)
{
	struct resize r = { .log = 7, .fields = RESIZE_FIELDS };
	uint64_t ring, old = ca.ring, before = a.dev->violations;
	unsigned int old_bytes = sizeof(struct prm_cqe64) << ca.log, i;
	uint8_t copy[sizeof(struct prm_cqe64) << 4];

	post(5);
	ok(polled(2, 0), "five completions, two are read");
	ok(!resize(&r, &ring) && take_over(ring, 7), "a CQ of 16 entries goes on with 128");
	memcpy(copy, mem_at(&a, old), old_bytes);
	ok(polled(3, 2), "what was not read is there, in order");
	for (i = 0; i < 150; i += 50) {
		post(50);
		if (!polled(50, 5 + i))
			break;
	}
	ok(i == 150 && !poll(&ca), "completions come in the new memory, all around it");
	ok(!memcmp(copy, mem_at(&a, old), old_bytes), "the old memory is left alone");

	post(20);
	r.log = 4;
	ok(resize(&r, &ring) == PRM_STATUS_BAD_SIZE_OUTS_CQES && a.dev->violations == before,
	   "too small for what is not read, which may be an application's wish");
	ok(polled(10, 155), "the CQ is as it was before it was to shrink");
	ok(!resize(&r, &ring) && take_over(ring, 4) && polled(10, 165), "after reading it shrinks");
	post(10);
	ok(polled(10, 175), "and goes on");
}

static void test_resize_refused(void)
{
	static const struct {
		const char *name;
		struct resize r;
		int status;
	} cases[] = {
		{ "no field", { .log = 5 }, PRM_STATUS_BAD_PARAM },
		{ "size alone", { .log = 5, .fields = 1 }, PRM_STATUS_BAD_PARAM },
		{ "an unknown field", { .log = 5, .fields = 15 }, PRM_STATUS_BAD_PARAM },
		{ "another entry size", { .log = 5, .fields = 7, .cqe_sz = 1 },
		  PRM_STATUS_BAD_PARAM },
		{ "pages of 2^32 bytes", { .log = 5, .fields = 7, .log_page = 20 },
		  PRM_STATUS_BAD_PARAM },
		{ "a page too few", { .log = 7, .fields = 7, .drop = 8 }, PRM_STATUS_BAD_INP_LEN },
	};
	uint64_t before = a.dev->violations, ring;
	struct resize r = { .log = 6, .fields = RESIZE_FIELDS };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		ok(resize(&cases[i].r, &ring) == cases[i].status, "refused: %s", cases[i].name);
	ok(a.dev->violations == before + ARRAY_SIZE(cases), "each is a violation");
	post(16);
	ok(resize(&r, &ring) == PRM_STATUS_BAD_RES_STATE &&
	   a.dev->violations == before + ARRAY_SIZE(cases), "declined: the CQ is full");
	ok(polled(16, 185), "the CQ is as it was before it was declined");
}

/* ---- moderation and arming ----------------------------------------------------------------- */

static int moderate(unsigned int count, unsigned int us, unsigned int mode)
{
	struct prm_modify_cq_in in = {};
	struct prm_modify_cq_out out;

	prm_set(&in, cqn, ca.cqn);
	prm_set(&in,
		modify_field_select_resize_field_select.modify_field_select.modify_field_select,
		1 | 2 | 16);
	prm_set(&in, cq_context.cq_max_count, count);
	prm_set(&in, cq_context.cq_period, us);
	prm_set(&in, cq_context.cq_period_mode, mode);
	return command(&a, modify_cq, &in, &out);
}

static unsigned int events(void)
{
	struct prm_eqe *eqe;
	unsigned int n = 0;

	while ((eqe = poll_eq(&a)))
		n += eqe->type == PRM_EVENT_COMP && be32_to_cpu(eqe->data.comp.cqn) == ca.cqn;
	arm_sn += n;
	return n;
}

static void arm_at(uint32_t ci, uint32_t solicited)
{
	uint32_t word = arm_sn % 4 << PRM_CQ_ARM_SN_SHIFT | solicited | (ci & 0xffffff);

	cq_arm_doorbell(a.dev, a.uar, (uint64_t)word << 32 | ca.cqn);
}

static void arm(void)
{
	while (poll(&ca))
		;
	events();
	arm_at(ca.ci, 0);
}

static void microseconds(unsigned int us)
{
	loop_test_clock(now_ns() + us * 1000ull);
	settle();
}

static void test_moderation(void)
{
	arm();
	post(1);
	ok(events() == 1, "without moderation the first completion raises the event");
	post(2);
	ok(!events(), "and the next ones none until the CQ is armed");

	ok(!moderate(3, 1000, 0), "three completions or 1000 us");
	arm();
	post(2);
	ok(!events(), "two completions: no event");
	post(1);
	ok(events() == 1, "the third one raises it");
	arm();
	post(1);
	microseconds(999);
	ok(!events(), "one completion, 999 us: no event");
	post(1);
	microseconds(1);
	ok(events() == 1, "1000 us after the first one it comes");
	microseconds(5000);
	ok(!events(), "once");

	moderate(3, 1000, 1);
	arm();
	post(1);
	microseconds(600);
	post(1);
	microseconds(600);
	ok(!events(), "the period begins anew with each completion");
	microseconds(400);
	ok(events() == 1, "and ends with the event");

	moderate(0, 1000, 0);
	arm();
	post(10);
	ok(!events(), "no count: ten completions raise no event");
	microseconds(1000);
	ok(events() == 1, "the period does");
	moderate(0, 0, 0);
}

/* A program that arms first and polls then, as libibverbs' manual has it. */
static void test_arm_before_poll(void)
{
	unsigned int i, seen = 0;

	arm();
	for (i = 0; i < 6; i++) {
		post(1);
		seen += events();
		arm_at(ca.ci, 0);
		if (events() || !poll(&ca) || poll(&ca))
			break;
	}
	ok(i == 6 && seen == 6,
	   "armed before it is polled, a CQ has one event for each completion");
	post(1);
	seen = events();
	post(1);
	arm_at(ca.ci, 0);
	ok(seen == 1 && events() == 1,
	   "one that came since the last event, before the CQ is armed, has an event at once");
	while (poll(&ca))
		;
}

static void test_arm_when_read(void)
{
	arm();
	post(1);
	events();
	while (poll(&ca))
		;
	post(2);
	arm_at(ca.ci, 0);
	ok(events() == 1, "what came since all was read that an event told of raises one at once");
	arm_at(ca.ci, 0);
	ok(!events(), "but once");
	post(1);
	ok(events() == 1, "armed it was");
}

/* The doorbell is on its way while the driver polls and the device reads the record. */
static void test_late_arming(void)
{
	uint64_t before = a.dev->violations;
	uint32_t armed_at;

	arm();
	post(1);
	events();
	armed_at = ca.ci;
	while (poll(&ca))
		;
	post(16);
	while (poll(&ca))
		;
	post(1);	/* the ring is full unless the record is read */
	while (poll(&ca))
		;
	arm_at(armed_at, 0);
	ok(events() == 1, "behind the record's index, the doorbell has what no event told of tell");
	arm_at(armed_at, 0);
	ok(!events(), "and once is enough");
	post(1);
	ok(events() == 1 && a.dev->violations == before,
	   "a doorbell whose index is behind the record's arms the CQ");
	arm_at(ca.ci + 2, 0);
	ok(a.dev->violations == before + 1 && !events(),
	   "one ahead of what was produced is a violation");
}

/* Nothing here is solicited: completions of sends have no bit for it, errors have. */
static void test_arm_solicited(void)
{
	arm();
	while (poll(&ca))
		;
	arm_at(ca.ci, PRM_CQ_ARM_SOLICITED);
	post(3);
	ok(!events(), "armed for solicited completions, others raise no event");
	arm_at(ca.ci, 0);
	ok(events() == 1, "until the CQ is armed for any");
	while (poll(&ca))
		;
}

/* As DPDK writes the record of a send queue's CQ; more than twice around 16 bits. */
static void test_short_index(void)
{
	uint64_t before = a.dev->violations;
	unsigned int i, n = 0;

	for (i = 0; i < 2 * 65536 / 16 + 2; i++) {
		post(16);
		while (poll(&ca))
			n++;
		put32(mem_at(&a, ca.dbr), ca.ci & 0xffff);
	}
	ok(n == 16 * i && a.dev->violations == before && qp_state(&x) == PRM_QP_RTS,
	   "a consumer index of 16 bits may wrap");
}

/* Lies about what was read, seen when the ring seems full. */
static void test_index_back(void)
{
	uint64_t before = a.dev->violations;
	struct prm_query_cq_in in = {};
	struct prm_query_cq_out out;

	while (poll(&ca))
		;
	post(9);
	prm_set(&in, cqn, ca.cqn);
	ok(!command(&a, query_cq, &in, &out) && a.dev->violations == before &&
	   prm_get(&out, cq_context.producer_counter) ==
		   ((prm_get(&out, cq_context.consumer_counter) + 9) & 0xffffff) &&
	   prm_get(&out, cq_context.consumer_counter) == (ca.ci & 0xffffff),
	   "QUERY_CQ tells what is consumed and produced");
	put32(mem_at(&a, ca.dbr), ca.ci + 10);
	command(&a, query_cq, &in, &out);
	ok(a.dev->violations == before + 1, "a consumer index beyond the producer is a violation");
	put32(mem_at(&a, ca.dbr), ca.ci - 1);
	command(&a, query_cq, &in, &out);
	ok(a.dev->violations == before + 2, "so is one that goes back");
	put32(mem_at(&a, ca.dbr), ca.ci & 0xffffff);
}

/* ---- time ---------------------------------------------------------------------------------- */

static uint64_t timer_now(void)
{
	return (uint64_t)iseg_read(a.dev, offsetof(struct prm_iseg, internal_timer_h)) << 32 |
	       iseg_read(a.dev, offsetof(struct prm_iseg, internal_timer_l));
}

static uint64_t stamp(const struct prm_cqe64 *cqe)
{
	return (uint64_t)be32_to_cpu(cqe->timestamp_h) << 32 | be32_to_cpu(cqe->timestamp_l);
}

static void test_time(void)
{
	struct tsge sge = { b.va, 64, b.lkey };
	struct wr wr = { .opcode = PRM_WQE_SEND, .n = 1, .sge = { { a.va, 8, a.lkey } } };
	struct prm_cqe64 *cqe;
	uint64_t sent, received, us;
	unsigned int i;
	bool good = true;

	while (poll(&ca) || poll(&cb))
		;
	for (i = 0; i < 4; i++) {
		us = i * 20000000ull + 1;	/* beyond 32 bits of the clock */
		microseconds(us);
		post_recv(&y, 1, &sge);
		post_send(&x, &wr);
		settle();
		cqe = poll(&ca);
		sent = cqe ? stamp(cqe) : 0;
		cqe = poll(&cb);
		received = cqe ? stamp(cqe) : 0;
		good &= sent && sent == timer_now() && received == sent;
		loop_test_clock(now_ns() + 1000000);
		good &= sent < timer_now();
	}
	ok(good, "completions have the time that the initialization segment shows");
}

static void test_time_of_error(void)
{
	const struct prm_err_cqe *err;
	struct prm_cqe64 *cqe;
	uint8_t sum = 0;
	unsigned int i;

	qp_simple(&x, PRM_OP_qp_2err);
	post(1);
	cqe = poll(&ca);
	err = (const struct prm_err_cqe *)cqe;
	for (i = 0; cqe && i < sizeof(err->rsvd_24); i++)
		sum |= err->rsvd_24[i];
	ok(cqe && cqe_opcode(cqe) == PRM_CQE_REQ_ERR && !sum,
	   "an error has no time: its place is reserved, or a syndrome's");
}

/* ---- overrun ------------------------------------------------------------------------------- */

static void test_overrun(void)
{
	struct prm_eqe *eqe;
	bool cq_error = false, qp_error = false;

	arm();
	post(17);
	while ((eqe = poll_eq(&a))) {
		cq_error |= eqe->type == PRM_EVENT_CQ_ERROR &&
			    be32_to_cpu(eqe->data.cq_err.cqn) == ca.cqn &&
			    eqe->data.cq_err.syndrome == 1;
		qp_error |= eqe->type == PRM_EVENT_WQ_CATAS_ERROR;
	}
	ok(cq_error && qp_error && qp_state(&x) == PRM_QP_ERR,
	   "an overrun: CQ error, and the queue pair goes into error");
}

int main(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4 };

	sides_open();
	cq_make(&ca, &a, 4);
	cq_make(&cb, &b, 4);
	qp_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	test_resize();
	test_resize_refused();
	test_moderation();
	test_arm_before_poll();
	test_arm_when_read();
	test_late_arming();
	test_arm_solicited();
	test_short_index();
	test_index_back();
	test_time();
	test_overrun();
	qp_unpair(&x, &y);
	cq_make(&ca, &a, 4);
	qp_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	test_time_of_error();
	qp_unpair(&x, &y);
	sides_close();
	return ok_end();
}
