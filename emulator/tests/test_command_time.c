// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* How long commands take: a function in this process, and a clock of the test. */
#include <stdlib.h>
#include <string.h>

#include "dut.h"
#include "host/control.h"
#include "ktap.h"
#include "prm/mkey.h"

#define START 1000000000ull
#define PAGES_HELD 4000

static struct dut *dut;
static struct cxdev *dev;
static uint64_t queue, eq_buf;

/* ---- helpers ---- */

/* What the line of the control socket answers; valid until the next one. */
static const char *control(const char *line)
{
	static char answer[4096];
	char words[64];
	FILE *out = fmemopen(answer, sizeof(answer), "w");

	snprintf(words, sizeof(words), "%s", line);
	control_line(words, out);
	fclose(out);
	return answer;
}

static bool takes(const char *setting)
{
	char line[64];

	snprintf(line, sizeof(line), "command-us %s", setting);
	return !strcmp(control(line), "ok\n");
}

static void at(unsigned int us)
{
	loop_test_clock(START + us * 1000ull);
	dut_run();
}

static void reg_write(uint32_t offset, uint32_t value)
{
	__be32 be = cpu_to_be32(value);

	bar_write(dev, offset, &be, sizeof(be));
}

static void set_queue(void)
{
	reg_write(offsetof(struct prm_iseg, cmdq_addr_h), queue >> 32);
	reg_write(offsetof(struct prm_iseg, cmdq_addr_l_sz), queue);
}

static struct prm_cmdq_entry *slot(unsigned int num)
{
	return (struct prm_cmdq_entry *)dut_ptr(dut, queue) + num;
}

/* A command whose input is a number, at most. */
static void fill(unsigned int num, uint16_t opcode, uint32_t value)
{
	struct prm_cmdq_entry *e = slot(num);

	memset(e, 0, sizeof(*e));
	e->type = PRM_CMDQ_TYPE_PCI;
	e->inlen = cpu_to_be32(16);
	e->outlen = cpu_to_be32(16);
	prm_set((struct prm_mbox_in *)(void *)e->in, opcode, opcode);
	e->in[2] = cpu_to_be32(value);
	e->status_own = PRM_CMDQ_OWN_HW;
}

static void ring(uint32_t slots)
{
	reg_write(offsetof(struct prm_iseg, cmd_dbell), slots);
	dut_run();
}

/* Complete, delivered and with status 0. */
static bool done(unsigned int num)
{
	return !slot(num)->status_own && !slot(num)->out[0];
}

static bool pending(unsigned int num)
{
	return slot(num)->status_own == PRM_CMDQ_OWN_HW;
}

static uint32_t create_mkey(void)
{
	struct prm_create_mkey_in in = {};
	struct prm_create_mkey_out out;

	prm_set(&in, memory_key_mkey_entry.lr, 1);
	prm_set(&in, memory_key_mkey_entry.length64, 1);
	prm_set(&in, memory_key_mkey_entry.qpn, 0xffffff);
	prm_set(&in, memory_key_mkey_entry.pd, dut->pd);
	dut_must(dut, create_mkey, &in, &out);
	return prm_get(&out, mkey_index);
}

/* An EQ for the events of commands and page requests: from now on commands do not poll. */
static void create_eq(void)
{
	struct prm_create_eq_in in = {};
	struct prm_create_eq_out out;
	uint64_t pas;

	eq_buf = dut_alloc(dut, 4096);
	memset(dut_ptr(dut, eq_buf), 0xff, 4096);
	pas = htobe64(eq_buf);
	prm_set(&in, eq_context_entry.log_eq_size, 6);
	prm_set(&in, eq_context_entry.intr, 1);
	prm_set(&in, eq_context_entry.uar_page, dut->uar);
	prm_set64(&in, event_bitmask[0], 1ull << PRM_EVENT_CMD | 1ull << PRM_EVENT_PAGE_REQUEST);
	dut_check(dut_cmd_tail(dut, create_eq, &in, &out, &pas, sizeof(pas)), "create_eq");
}

/* The slots that events of commands have named. */
static uint32_t slots_reported(void)
{
	const struct prm_eqe *eqe = dut_ptr(dut, eq_buf);
	uint32_t slots = 0;

	for (; !(eqe->owner & 1); eqe++)
		if (eqe->type == PRM_EVENT_CMD)
			slots |= be32_to_cpu(eqe->data.cmd.vector);
	return slots;
}

/* ---- tests ---- */

static void test_default(void)
{
	at(0);
	fill(0, PRM_OP_alloc_pd, 0);
	ring(1);
	ktap(done(0), "commands take no time by default");
}

static void test_fixed(void)
{
	ktap(takes("100"), "command-us takes a number");
	at(0);
	fill(0, PRM_OP_alloc_pd, 0);
	ring(1);
	at(99);
	ktap(pending(0), "a command does not complete before its time is over");
	at(100);
	ktap(done(0), "a command completes when its time is over");
}

static void test_slots(void)
{
	uint32_t mkey = create_mkey();

	ktap(takes("table"), "command-us takes the table");
	at(0);
	fill(0, PRM_OP_destroy_mkey, mkey);
	fill(1, PRM_OP_alloc_pd, 0);
	ring(3);
	at(10);
	ktap(pending(0) && done(1), "a long command does not delay those in other slots");
	ktap(obj_find(dev, OBJ_MKEY, mkey),
	     "a command has no effect before its time is over");
	fill(1, PRM_OP_alloc_pd, 0);
	ring(2);
	at(20);
	ktap(pending(0) && done(1), "a slot can be used again while another one is busy");
	at(159);
	ktap(pending(0), "the times of commands do not depend on each other");
	at(160);
	ktap(done(0) && !obj_find(dev, OBJ_MKEY, mkey),
	     "each command takes the time of its opcode");
}

static void test_busy(void)
{
	dut_violations(dut);
	takes("100");
	at(0);
	fill(0, PRM_OP_alloc_pd, 0);
	ring(1);
	at(50);
	ring(1);
	ktap(dut_violations(dut) == 1, "a second doorbell for a busy slot is a violation");
	at(1000);
	dut_violations(dut);
}

static void test_setting(void)
{
	takes("100");
	at(0);
	fill(0, PRM_OP_alloc_pd, 0);
	ring(1);
	at(50);
	takes("off");
	fill(1, PRM_OP_alloc_pd, 0);
	ring(2);
	ktap(pending(0) && done(1), "a new setting is for commands that follow");
	at(100);
	ktap(done(0), "a command that has begun keeps its time");
}

static void test_events(void)
{
	create_eq();
	takes("100");
	at(0);
	fill(2, PRM_OP_alloc_pd, 0);
	ring(1 << 2);
	at(99);
	ktap(!slots_reported(), "no event before the command completes");
	at(100);
	ktap(done(2) && slots_reported() == 1 << 2, "the event follows the completion");
}

/* After test_events(): it needs the EQ. */
static void test_pages(void)
{
	takes("100");
	dev->hca->pages.n = 0;
	at(0);
	fill(0, PRM_OP_alloc_pd, 0);
	ring(1);
	at(100);
	ktap(pending(0), "a command that needs pages waits for them after its time");
	dev->hca->pages.n = PAGES_HELD;
	fill(1, PRM_OP_alloc_pd, 0);
	ring(2);
	at(200);
	ktap(done(1) && done(0),
	     "a command that has waited for pages does not take its time again");
}

static void test_reset(void)
{
	takes("100");
	at(0);
	fill(0, PRM_OP_alloc_pd, 0);
	ring(1);
	dut_violations(dut);
	cxdev_reset(dev);
	at(3000);
	ktap(pending(0) && !dut_violations(dut), "a reset drops the commands that have begun");
	set_queue();
	fill(0, PRM_OP_enable_hca, 0);
	ring(1);
	at(3099);
	ktap(pending(0), "commands after a reset take their time");
	at(3100);
	ktap(done(0) && !dut_violations(dut),
	     "the slot of a command that was dropped can be used again");
}

static void test_texts(void)
{
	static const char *const bad[] = { "fast", "-1", "1000001", "10us", "0x10", "10 20", "+5" };
	const char *text;
	unsigned int i;

	takes("70");
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		ktap(!takes(bad[i]), "refused: command-us %s", bad[i]);
	text = control("command-us");
	ktap(strstr(text, "commands take 70 us\n") && strstr(text, "  CREATE_MKEY: 220 us, ") &&
	     strstr(text, "\nok\n"), "command-us prints the setting and the table");
	ktap(takes("1000000") && takes("0") && takes("off"), "command-us takes 0 to 1000000");
}

static void test_counts(void)
{
	struct dut *other = dut_create("d1", 1);
	struct cxdev *devs[] = { dev, other->dev };
	struct cmd c = { .dev = other->dev, .in_len = 16, .out_len = 16 };

	control_set_devs(devs, 2);
	ktap(!strcmp(control("commands d1"), "function d1: 0 commands, 0 us by the table\nok\n"),
	     "a function that has got no commands has counted none");
	c.opcode = PRM_OP_destroy_mkey;
	cmd_time_count(&c);
	cmd_time_count(&c);
	c.opcode = PRM_OP_create_mkey;
	c.in_len = 16 + 512 + 1;
	cmd_time_count(&c);
	ktap(!strcmp(control("commands d1"),
		     "function d1: 3 commands, 542 us by the table\n"
		     "  create_mkey: 1\n  destroy_mkey: 2\nok\n"),
	     "commands are counted by opcode, and their times by the table added");
	ktap(strstr(control("commands"), "function d0: ") &&
	     strstr(control("commands"), "function d1: "),
	     "commands without a name: all functions");
	ktap(!strcmp(control("commands d9"), "error: commands: no function 'd9'\n"),
	     "commands of an unknown function is an error");
	dut_destroy(other);
}

int main(void)
{
	ktap_plan(0);
	loop_test_clock(START);
	dut = dut_create("d0", 0);
	dev = dut->dev;
	queue = dut_alloc(dut, 4096);
	set_queue();
	test_default();
	test_fixed();
	test_slots();
	test_busy();
	test_setting();
	test_events();
	test_pages();
	test_reset();
	test_texts();
	test_counts();
	dut_destroy(dut);
	return ktap_end();
}
