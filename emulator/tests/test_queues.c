// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Event queues, completion queues and doorbells. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "prm/cqe.h"
#include "prm/eqe.h"
#include "fault_lines.h"
#include "vfu_client.h"

#define LOG_EQ 3	/* 8 entries: wraps soon */

static struct client c;
static struct emu emu;
static uint32_t uar, other_uar;

struct queue {
	uint32_t num, ci, size;
	uint64_t ring, dbr;
};

static bool complained(const char *text)
{
	reg_read(&c, 0);	/* all posted writes before it have been looked at */
	return strstr(emu_control(&emu, "violations"), text);
}

static int alloc_uar(uint32_t *num)
{
	struct prm_alloc_uar_in in = {};
	struct prm_alloc_uar_out out;
	int err = cmd(&c, alloc_uar, &in, &out);

	*num = prm_get(&out, uar);
	return err;
}

/* What a test changes in an otherwise right CREATE_EQ. */
struct eq_case {
	const char *what;
	unsigned int log_size, intr, status;
	uint32_t uar;
	uint64_t events, misalign;
	unsigned int missing_pas;
	int expect;
};

static int create_eq(struct queue *q, const struct eq_case *k)
{
	struct { struct prm_create_eq_in hdr; __be64 pas[4]; } in = {};
	struct prm_create_eq_out out;
	int err;

	q->size = 1u << k->log_size;
	q->ci = 0;
	q->ring = ram_alloc(&c, 4096);
	memset(ram_ptr(&c, q->ring), 0xff, 4096);
	prm_set(&in.hdr, opcode, PRM_OP_create_eq);
	prm_set(&in.hdr, eq_context_entry.log_eq_size, k->log_size);
	prm_set(&in.hdr, eq_context_entry.intr, k->intr);
	prm_set(&in.hdr, eq_context_entry.status, k->status);
	prm_set(&in.hdr, eq_context_entry.uar_page, k->uar);
	prm_set64(&in.hdr, event_bitmask[0], k->events);
	in.pas[0] = cpu_to_be64(q->ring + k->misalign);
	err = cmd_exec(&c, &in, sizeof(in.hdr) + (k->missing_pas ? 0 : 8), &out, sizeof(out), NULL);
	q->num = prm_get(&out, eq_number);
	return err;
}

static int destroy_eq(uint32_t num)
{
	struct prm_destroy_eq_in in = {};
	struct prm_destroy_eq_out out;

	prm_set(&in, eq_number, num);
	return cmd(&c, destroy_eq, &in, &out);
}

static void eq_update(struct queue *q, uint32_t page, uint32_t ci, bool arm)
{
	reg_write(&c, (uint64_t)page * 4096 + (arm ? PRM_UAR_EQ_ARM : PRM_UAR_EQ_CI),
		  q->num << 24 | (ci & 0xffffff));
}

/* The next entry, or NULL if there is none yet. */
static struct prm_eqe *next_eqe(struct queue *q)
{
	struct prm_eqe *eqe = (struct prm_eqe *)ram_ptr(&c, q->ring) + (q->ci & (q->size - 1));

	reg_read(&c, 0);	/* a command is back before its event is written */
	if ((eqe->owner & 1) != !!(q->ci & q->size))
		return NULL;
	q->ci++;
	return eqe;
}

static void test_eq_refusals(void)
{
	const struct eq_case cases[] = {
		{ "2^23 entries", 23, 0, 0, uar, 0, 0, 0, PRM_STATUS_BAD_PARAM },
		{ "an unknown vector", 3, 64, 0, uar, 0, 0, 0, PRM_STATUS_BAD_PARAM },
		{ "a status", 3, 0, 1, uar, 0, 0, 0, PRM_STATUS_BAD_PARAM },
		{ "an unknown UAR", 3, 0, 0, 4000, 0, 0, 0, PRM_STATUS_BAD_RES },
		{ "a misaligned page", 3, 0, 0, uar, 0, 64, 0, PRM_STATUS_BAD_PARAM },
		{ "an empty page list", 3, 0, 0, uar, 0, 0, 1, PRM_STATUS_BAD_INP_LEN },
	};
	struct queue q;
	unsigned int i;
	int err;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		err = create_eq(&q, &cases[i]);
		if (err != cases[i].expect)
			printf("# status %d\n", err);
		ktap(err == cases[i].expect, "CREATE_EQ refuses %s", cases[i].what);
	}
}

static int one_command(void)
{
	struct prm_query_issi_in in = {};
	struct prm_query_issi_out out;

	return cmd(&c, query_issi, &in, &out);
}

/*
 * With a command EQ each command ends with an event; entries wrap, interrupts come once for each
 * arming.
 */
static void test_command_eq(struct queue *q)
{
	const struct eq_case k = {
		.log_size = LOG_EQ, .intr = 1, .uar = uar, .events = 1ull << PRM_EVENT_CMD
	};
	struct prm_eqe *eqe;
	unsigned int i, good = 0, fired = 0;
	struct queue second;

	vector_on(&c, 1);
	ktap(!create_eq(q, &k), "an EQ for command completions can be created");
	ktap(!next_eqe(q), "the creation of the command EQ raises no event");
	ktap(create_eq(&second, &k) == PRM_STATUS_BAD_PARAM,
	     "a second EQ for the same event type is refused");
	eqe = next_eqe(q);
	ktap(eqe && eqe->type == PRM_EVENT_CMD && be32_to_cpu(eqe->data.cmd.vector) == 1,
	     "a refused command completes with an event");
	ktap(!vector_fired(&c, 1, 20), "an EQ that was never armed raises no interrupt");
	for (i = 0; i < 40; i++) {
		eq_update(q, uar, q->ci, true);
		one_command();
		fired += vector_fired(&c, 1, 1000);
		eqe = next_eqe(q);
		good += eqe && eqe->type == PRM_EVENT_CMD;
	}
	ktap(good == 40 && fired == 40,
	     "40 commands through 8 entries raise %u events and %u interrupts", good,
	     fired);
	eq_update(q, uar, q->ci, false);
	one_command();
	ktap(!vector_fired(&c, 1, 20), "an EQ that is not armed raises no interrupt");
	eq_update(q, uar, q->ci, true);
	ktap(vector_fired(&c, 1, 1000), "arming an EQ with an unread event fires at once");
	next_eqe(q);
	eq_update(q, uar, q->ci, false);
}

static void test_eq_doorbells(struct queue *q)
{
	struct queue none = { .num = 0x3f };

	eq_update(q, other_uar, q->ci, true);
	ktap(complained("doorbell on UAR"), "an EQ doorbell on another UAR is reported");
	eq_update(q, 5000, q->ci, true);
	ktap(complained("which is not allocated"),
	     "a doorbell on an unallocated UAR is reported");
	eq_update(&none, uar, 0, true);
	ktap(complained("EQ doorbell names EQ 0x3f, which does not exist"),
	     "a doorbell of an unknown EQ is reported");
	eq_update(q, uar, q->ci + 3, false);
	ktap(complained("consumer index jumps"),
	     "an EQ consumer index beyond the producer is reported");
	reg_write(&c, (uint64_t)uar * 4096 + 0x60, 1);
	ktap(complained("at 0x60 is no doorbell"),
	     "a UAR write that is not a doorbell is reported");
}

struct cq_case {
	const char *what;
	unsigned int log_size, eqn, cc, comp, misalign_dbr;
	int expect;
};

static int create_cq(struct queue *q, const struct cq_case *k)
{
	struct { struct prm_create_cq_in hdr; __be64 pas[1]; } in = {};
	struct prm_create_cq_out out;
	int err;

	q->size = 1u << k->log_size;
	q->ci = 0;
	q->ring = ram_alloc(&c, 4096);
	q->dbr = ram_alloc(&c, 4096);
	prm_set(&in.hdr, opcode, PRM_OP_create_cq);
	prm_set(&in.hdr, cq_context.log_cq_size, k->log_size);
	prm_set(&in.hdr, cq_context.c_eqn_or_apu_element, k->eqn);
	prm_set(&in.hdr, cq_context.uar_page, uar);
	prm_set(&in.hdr, cq_context.cc, k->cc);
	prm_set(&in.hdr, cq_context.cqe_comp_en, k->comp);
	prm_set64(&in.hdr, cq_context.dbr_addr, q->dbr + k->misalign_dbr);
	in.pas[0] = cpu_to_be64(q->ring);
	err = cmd_exec(&c, &in, sizeof(in), &out, sizeof(out), NULL);
	q->num = prm_get(&out, cqn);
	return err;
}

static int destroy_cq(uint32_t num)
{
	struct prm_destroy_cq_in in = {};
	struct prm_destroy_cq_out out;

	prm_set(&in, cqn, num);
	return cmd(&c, destroy_cq, &in, &out);
}

static void cq_arm(struct queue *q, uint32_t page, unsigned int sn, uint32_t ci)
{
	reg_write64(&c, (uint64_t)page * 4096 + PRM_UAR_CQ_ARM,
		    (uint64_t)(sn << PRM_CQ_ARM_SN_SHIFT | ci) << 32 | q->num);
}

static void test_cq_refusals(uint32_t eqn)
{
	const struct cq_case cases[] = {
		{ "2^23 entries", 23, eqn, 0, 0, 0, PRM_STATUS_BAD_PARAM },
		{ "an unknown EQ", 4, 0x3e, 0, 0, 0, PRM_STATUS_BAD_RES },
		{ "a collapsed queue", 4, eqn, 1, 0, 0, PRM_STATUS_BAD_PARAM },
		{ "a misaligned doorbell record of a CQ with compression", 4, eqn, 0, 1, 4,
		  PRM_STATUS_BAD_PARAM },
		{ "a misaligned doorbell record", 4, eqn, 0, 0, 4, PRM_STATUS_BAD_PARAM },
		{ "too few pages", 7, eqn, 0, 0, 0,
		  PRM_STATUS_BAD_INP_LEN },
	};
	struct queue q;
	unsigned int i;
	int err;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		err = create_cq(&q, &cases[i]);
		if (err != cases[i].expect)
			printf("# status %d\n", err);
		ktap(err == cases[i].expect, "CREATE_CQ refuses %s", cases[i].what);
	}
}

static void test_modify_cq(const struct queue *q)
{
	struct prm_modify_cq_in in = {};
	struct prm_modify_cq_out out;
	struct prm_query_cq_in query = {};
	struct prm_query_cq_out state;

	prm_set(&in, cqn, q->num);
	prm_set(&in,
		modify_field_select_resize_field_select.modify_field_select.modify_field_select, 3);
	prm_set(&in, cq_context.cq_period, 16);
	prm_set(&in, cq_context.cq_max_count, 32);
	ktap(!cmd(&c, modify_cq, &in, &out), "MODIFY_CQ sets the moderation");
	prm_set(&query, cqn, q->num);
	ktap(!cmd(&c, query_cq, &query, &state) && prm_get(&state, cq_context.cq_period) == 16 &&
	     prm_get(&state, cq_context.cq_max_count) == 32 &&
	     prm_get(&state, cq_context.log_cq_size) == 4,
	     "QUERY_CQ returns the moderation");
	prm_set(&in, op_mod, 2);
	ktap(cmd(&c, modify_cq, &in, &out) == PRM_STATUS_BAD_PARAM,
	     "MODIFY_CQ refuses an unknown modifier");
}

static void test_cq(struct queue *eq)
{
	const struct cq_case k = { .log_size = 4, .eqn = eq->num };
	struct queue q, none = { .num = 0x123456 };
	char late[64];
	struct prm_dealloc_uar_in du = {};
	struct prm_dealloc_uar_out du_out;

	test_cq_refusals(eq->num);
	ktap(!create_cq(&q, &k), "a CQ can be created");
	ktap(destroy_eq(eq->num) == PRM_STATUS_RES_BUSY,
	     "DESTROY_EQ is refused while a CQ uses it");
	prm_set(&du, uar, uar);
	ktap(cmd(&c, dealloc_uar, &du, &du_out) == PRM_STATUS_RES_BUSY,
	     "DEALLOC_UAR is refused while a CQ uses it");
	test_modify_cq(&q);
	cq_arm(&q, other_uar, 0, 0);
	ktap(complained("CQ 0x400: doorbell on UAR") || complained("doorbell on UAR"),
	     "arming a CQ on another UAR is reported");
	cq_arm(&none, uar, 0, 0);
	ktap(complained("CQ doorbell names CQ 0x123456, which does not exist"),
	     "arming an unknown CQ is reported");
	cq_arm(&q, uar, 0, 5);
	ktap(complained("armed at index 0x5"), "arming a CQ beyond the producer is reported");
	ktap(!destroy_cq(q.num), "a CQ can be destroyed");
	ktap(destroy_cq(q.num) == PRM_STATUS_BAD_RES, "DESTROY_CQ of a stale number is refused");
	snprintf(late, sizeof(late), "CQ doorbell names CQ 0x%x,", q.num);
	cq_arm(&q, uar, 0, 0);
	ktap(!complained(late), "a late doorbell of a destroyed CQ is no violation");
	cq_arm(&q, other_uar, 0, 0);
	ktap(complained(late), "a late doorbell of a destroyed CQ on another UAR is a violation");
}

static void test_overrun(struct queue *q)
{
	struct prm_query_eq_in in = {};
	struct prm_query_eq_out out;
	unsigned int i;

	for (i = 0; i < 12; i++)
		one_command();
	ktap(complained("overrun: 8 entries and none was consumed"),
	     "an EQ that is not read overruns, and that is reported");
	prm_set(&in, eq_number, q->num);
	ktap(!cmd(&c, query_eq, &in, &out) && prm_get(&out, eq_context_entry.status) == 9,
	     "QUERY_EQ returns the overrun");
	while (next_eqe(q))
		;
	eq_update(q, uar, q->ci, false);
}

/* The page request comes as an event once an EQ takes it. */
static void test_page_request(void)
{
	const struct eq_case k = {
		.log_size = LOG_EQ, .intr = 2, .uar = uar, .events = 1ull << PRM_EVENT_PAGE_REQUEST
	};
	struct prm_eqe *eqe = NULL;
	struct queue q;
	uint32_t num;
	unsigned int i;

	vector_on(&c, 2);
	ktap(!create_eq(&q, &k), "an EQ for page requests can be created");
	eq_update(&q, uar, 0, true);
	for (i = 0; i < 600 && !eqe; i++) {
		if (alloc_uar(&num))
			break;
		eqe = next_eqe(&q);
	}
	ktap(eqe && eqe->type == PRM_EVENT_PAGE_REQUEST &&
	     (int32_t)be32_to_cpu(eqe->data.req_pages.num_pages) > 0,
	     "after %u objects the card requests pages by an event", i);
	ktap(vector_fired(&c, 2, 1000), "the page request raises an interrupt");
}

/* ALLOC_UAR in slot 1, without a signature; cmd_exec() uses slot 0. */
static struct prm_cmdq_entry *post_alloc_uar(void)
{
	struct prm_cmdq_entry *e = ram_ptr(&c, RAM_IOVA + CMDQ_OFFSET + sizeof(*e));

	memset(e, 0, sizeof(*e));
	e->type = PRM_CMDQ_TYPE_PCI;
	e->inlen = cpu_to_be32(sizeof(struct prm_alloc_uar_in));
	e->outlen = cpu_to_be32(sizeof(struct prm_alloc_uar_out));
	prm_set((struct prm_alloc_uar_in *)e->in, opcode, PRM_OP_alloc_uar);
	__atomic_store_n(&e->status_own, PRM_CMDQ_OWN_HW, __ATOMIC_RELEASE);
	reg_write(&c, offsetof(struct prm_iseg, cmd_dbell), 1 << 1);
	return e;
}

/* -1: still the card's; else the status */
static int status_of(struct prm_cmdq_entry *e, unsigned int ms)
{
	for (; __atomic_load_n(&e->status_own, __ATOMIC_ACQUIRE) & PRM_CMDQ_OWN_HW; ms--) {
		if (!ms)
			return -1;
		usleep(1000);
	}
	return prm_get((struct prm_mbox_out *)e->out, status);
}

/* A card whose request for pages is under way lets the command wait that needs them. */
static void test_wait_for_pages(void)
{
	struct prm_manage_pages_in in = {};
	struct prm_manage_pages_out out;
	struct prm_cmdq_entry *e;
	unsigned int n = 0;

	do {
		e = post_alloc_uar();
		n++;
	} while (n < 1000 && !status_of(e, 100));
	ktap(status_of(e, 0) == -1 && !one_command(), "a command waits for pages, others run");
	ktap(status_of(e, 20) == -1, "it still waits when others have run");
	ktap(!give_pages(&c, 3) && !status_of(e, 1000), "it ends well when pages are given");

	do
		e = post_alloc_uar();
	while (n++ < 3000 && !status_of(e, 100));
	prm_set(&in, op_mod, 0);
	ktap(status_of(e, 0) == -1 && !cmd(&c, manage_pages, &in, &out) &&
	     status_of(e, 1000) == PRM_STATUS_NO_RES,
	     "it is refused when the driver cannot give any");

	if (give_pages(&c, 3))
		return;
	do
		e = post_alloc_uar();
	while (n++ < 5000 && !status_of(e, 100));
	fault_must(&emu, "f0 command manage_pages status internal");
	ktap(status_of(e, 0) == -1 && give_pages(&c, 3) &&
	     status_of(e, 1000) == PRM_STATUS_NO_RES,
	     "it is refused when the card refuses those that the driver gives");
}

int main(int argc, char **argv)
{
	struct queue eq;
	int status;

	(void)argc;
	ktap_plan(52);
	emu_start(&emu, argv[1], 1);
	client_open(&c, &emu, 0);
	ktap(!boot_to_init(&c) && !alloc_uar(&uar) && !alloc_uar(&other_uar),
	     "the function starts and two UARs can be allocated");
	test_eq_refusals();
	test_command_eq(&eq);
	test_eq_doorbells(&eq);
	test_cq(&eq);
	while (next_eqe(&eq))
		;
	eq_update(&eq, uar, eq.ci, false);
	test_overrun(&eq);
	ktap(!destroy_eq(eq.num), "the command EQ can be destroyed");
	ktap(!one_command(), "without a command EQ commands complete by polling");
	test_page_request();
	test_wait_for_pages();
	client_close(&c);
	status = emu_stop(&emu);
	ktap(status == 3, "with violations the exit status is 3");
	return ktap_end();
}
