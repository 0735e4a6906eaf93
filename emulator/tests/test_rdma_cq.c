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

	*ring = mem_alloc(&a, bytes);
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
	ok(polled(2, 0), "of five completions two can be read");
	ok(!resize(&r, &ring) && take_over(ring, 7), "a CQ of 16 entries can be resized to 128");
	memcpy(copy, mem_at(&a, old), old_bytes);
	ok(polled(3, 2), "unread completions survive the resize in order");
	for (i = 0; i < 150; i += 50) {
		post(50);
		if (!polled(50, 5 + i))
			break;
	}
	ok(i == 150 && !poll(&ca), "completions are written to the new buffer as it wraps");
	ok(!memcmp(copy, mem_at(&a, old), old_bytes), "the old buffer is not written");

	post(20);
	r.log = 4;
	ok(resize(&r, &ring) == PRM_STATUS_BAD_SIZE_OUTS_CQES && a.dev->violations == before,
	   "a size too small for the unread completions is declined");
	ok(polled(10, 155), "a declined shrink leaves the CQ unchanged");
	ok(!resize(&r, &ring) && take_over(ring, 4) && polled(10, 165),
	   "a CQ that was read can be shrunk");
	post(10);
	ok(polled(10, 175), "the shrunk CQ receives completions");
}

static void test_resize_refused(void)
{
	static const struct {
		const char *name;
		struct resize r;
		int status;
	} cases[] = {
		{ "no field selected", { .log = 5 }, PRM_STATUS_BAD_PARAM },
		{ "only the size selected", { .log = 5, .fields = 1 }, PRM_STATUS_BAD_PARAM },
		{ "an unknown field", { .log = 5, .fields = 15 }, PRM_STATUS_BAD_PARAM },
		{ "another entry size", { .log = 5, .fields = 7, .cqe_sz = 1 },
		  PRM_STATUS_BAD_PARAM },
		{ "pages of 2^32 bytes", { .log = 5, .fields = 7, .log_page = 20 },
		  PRM_STATUS_BAD_PARAM },
		{ "too few pages", { .log = 7, .fields = 7, .drop = 8 }, PRM_STATUS_BAD_INP_LEN },
	};
	uint64_t before = a.dev->violations, ring;
	struct resize r = { .log = 6, .fields = RESIZE_FIELDS };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		ok(resize(&cases[i].r, &ring) == cases[i].status,
		   "resize with %s is refused", cases[i].name);
	ok(a.dev->violations == before + ARRAY_SIZE(cases), "each refused resize is a violation");
	post(16);
	ok(resize(&r, &ring) == PRM_STATUS_BAD_RES_STATE &&
	   a.dev->violations == before + ARRAY_SIZE(cases), "a resize of a full CQ is declined");
	ok(polled(16, 185), "a declined resize leaves the CQ unchanged");
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
	ok(events() == 1, "without moderation the first completion raises an event");
	post(2);
	ok(!events(), "without arming the next completions raise no event");

	ok(!moderate(3, 1000, 0), "moderation can be set to three completions or 1000 us");
	arm();
	post(2);
	ok(!events(), "two completions raise no event");
	post(1);
	ok(events() == 1, "the third completion raises an event");
	arm();
	post(1);
	microseconds(999);
	ok(!events(), "one completion raises no event within 999 us");
	post(1);
	microseconds(1);
	ok(events() == 1, "1000 us after the first completion an event is raised");
	microseconds(5000);
	ok(!events(), "the period raises one event only");

	moderate(3, 1000, 1);
	arm();
	post(1);
	microseconds(600);
	post(1);
	microseconds(600);
	ok(!events(), "the period restarts with each completion");
	microseconds(400);
	ok(events() == 1, "the restarted period ends with an event");

	moderate(0, 1000, 0);
	arm();
	post(10);
	ok(!events(), "without a count ten completions raise no event");
	microseconds(1000);
	ok(events() == 1, "without a count the period raises an event");
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
	   "a CQ that is armed before it is polled raises one event per completion");
	post(1);
	seen = events();
	post(1);
	arm_at(ca.ci, 0);
	ok(seen == 1 && events() == 1,
	   "a completion since the last event raises one as soon as the CQ is armed");
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
	ok(events() == 1, "completions newer than the reported ones raise an event at once");
	arm_at(ca.ci, 0);
	ok(!events(), "arming again raises no second event");
	post(1);
	ok(events() == 1, "the armed CQ raises an event for the next completion");
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
	ok(events() == 1,
	   "a doorbell behind the record's index raises an event for unreported completions");
	arm_at(armed_at, 0);
	ok(!events(), "the same doorbell raises no second event");
	post(1);
	ok(events() == 1 && a.dev->violations == before,
	   "a doorbell whose index is behind the record's arms the CQ");
	arm_at(ca.ci + 2, 0);
	ok(a.dev->violations == before + 1 && !events(),
	   "a doorbell ahead of the producer is a violation");
}

/* Nothing here is solicited: completions of sends have no bit for it, errors have. */
static void test_arm_solicited(void)
{
	arm();
	while (poll(&ca))
		;
	arm_at(ca.ci, PRM_CQ_ARM_SOLICITED);
	post(3);
	ok(!events(), "armed for solicited completions, unsolicited ones raise no event");
	arm_at(ca.ci, 0);
	ok(events() == 1, "armed for any completion, unsolicited ones raise an event");
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
	   "QUERY_CQ returns consumer and producer index");
	put32(mem_at(&a, ca.dbr), ca.ci + 10);
	command(&a, query_cq, &in, &out);
	ok(a.dev->violations == before + 1, "a consumer index beyond the producer is a violation");
	put32(mem_at(&a, ca.dbr), ca.ci - 1);
	command(&a, query_cq, &in, &out);
	ok(a.dev->violations == before + 2, "a consumer index that goes back is a violation");
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
	ok(good, "completion timestamps match the initialization segment's timer");
}

static void test_time_of_error(void)
{
	const struct prm_err_cqe *err;
	struct prm_cqe64 *cqe;
	uint8_t sum = 0;
	unsigned int i;

	qp_command(&x, PRM_OP_qp_2err);
	post(1);
	cqe = poll(&ca);
	err = (const struct prm_err_cqe *)cqe;
	for (i = 0; cqe && i < sizeof(err->rsvd_24); i++)
		sum |= err->rsvd_24[i];
	ok(cqe && cqe_opcode(cqe) == PRM_CQE_REQ_ERR && !sum,
	   "an error completion has no timestamp");
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
	   "a CQ overrun raises a CQ error and moves the QP to ERR");
}

int main(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4 };

	sides_open();
	create_cq(&ca, &a, 4);
	create_cq(&cb, &b, 4);
	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
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
	destroy_pair(&x, &y);
	create_cq(&ca, &a, 4);
	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	test_time_of_error();
	destroy_pair(&x, &y);
	sides_close();
	return ok_end();
}
