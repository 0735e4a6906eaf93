// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Faults on command: each happens exactly as asked, and the card is healthy afterwards. Their
 * language: test_fault_text.c; what makes another card: test_fault_card.c; faults of completions
 * and frames: test_rdma_fault.c.
 */
#include <ctype.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "prm/caps.h"
#include "prm/dct.h"
#include "prm/eqe.h"
#include "prm/port.h"
#include "prm/vsc.h"
#include "fault_lines.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define LOG_EQ 6
#define CONFIG_REGION 7
#define ASYNC (1ull << PRM_EVENT_PORT_CHANGE | 1ull << PRM_EVENT_TEMP_WARN)

struct queue {
	uint32_t num, ci, size;
	uint64_t ring;
};

static struct client c;
static struct emu emu;
static uint32_t uar;

/* ---- helpers ---- */

static bool no_violation(void)
{
	reg_read(&c, 0);
	return !strcmp(emu_control(&emu, "violations"), "ok\n");
}

static int query_issi(void)
{
	struct prm_query_issi_in in = {};
	struct prm_query_issi_out out;

	return cmd(&c, query_issi, &in, &out);
}

static int query_adapter(void)
{
	struct prm_query_adapter_in in = {};
	struct prm_query_adapter_out out;

	return cmd(&c, query_adapter, &in, &out);
}

static int alloc_uar(uint32_t *num)
{
	struct prm_alloc_uar_in in = {};
	struct prm_alloc_uar_out out = {};
	int err = cmd(&c, alloc_uar, &in, &out);

	*num = prm_get(&out, uar);
	return err;
}

static int dealloc_uar(uint32_t num)
{
	struct prm_dealloc_uar_in in = {};
	struct prm_dealloc_uar_out out;

	prm_set(&in, uar, num);
	return cmd(&c, dealloc_uar, &in, &out);
}

static void create_eq(struct queue *q, unsigned int vector, uint64_t event_mask)
{
	struct { struct prm_create_eq_in hdr; __be64 pas[1]; } in = {};
	struct prm_create_eq_out out;

	q->size = 1u << LOG_EQ;
	q->ci = 0;
	q->ring = ram_alloc(&c, 4096);
	memset(ram_ptr(&c, q->ring), 0xff, 4096);
	prm_set(&in.hdr, opcode, PRM_OP_create_eq);
	prm_set(&in.hdr, eq_context_entry.log_eq_size, LOG_EQ);
	prm_set(&in.hdr, eq_context_entry.intr, vector);
	prm_set(&in.hdr, eq_context_entry.uar_page, uar);
	prm_set64(&in.hdr, event_bitmask[0], event_mask);
	in.pas[0] = cpu_to_be64(q->ring);
	if (cmd_exec(&c, &in, sizeof(in), &out, sizeof(out), NULL)) {
		printf("Bail out! CREATE_EQ\n");
		exit(1);
	}
	q->num = prm_get(&out, eq_number);
	vector_on(&c, vector);
}

static int destroy_eq(const struct queue *q)
{
	struct prm_destroy_eq_in in = {};
	struct prm_destroy_eq_out out;

	prm_set(&in, eq_number, q->num);
	return cmd(&c, destroy_eq, &in, &out);
}

static void arm(const struct queue *q)
{
	reg_write(&c, (uint64_t)uar * 4096 + PRM_UAR_EQ_ARM, q->num << 24 | (q->ci & 0xffffff));
}

/* The type of the next entry, or -1. */
static int next_event(struct queue *q, struct prm_eqe *copy)
{
	struct prm_eqe *eqe = (struct prm_eqe *)ram_ptr(&c, q->ring) + (q->ci & (q->size - 1));

	reg_read(&c, 0); /* the device has done what it was told */
	if ((eqe->owner & 1) != !!(q->ci & q->size))
		return -1;
	q->ci++;
	if (copy)
		*copy = *eqe;
	return eqe->type;
}

static unsigned int count_events(struct queue *q, int type)
{
	unsigned int n = 0;
	int got;

	while ((got = next_event(q, NULL)) >= 0)
		n += got == type;
	arm(q);
	return n;
}

static uint8_t health_synd(void)
{
	return reg_read(&c, offsetof(struct prm_iseg, health.irisc_index)) >> 16 & 0xff;
}

static bool health_rfr(void)
{
	return reg_read(&c, offsetof(struct prm_iseg, health.rfr_severity)) >> 31;
}

static void start(void)
{
	if (boot_to_init(&c) || alloc_uar(&uar)) {
		printf("Bail out! bring-up\n");
		exit(1);
	}
}

/* ---- commands ---- */

#define STATUS_ROW(name, number, text) { #name, number },

static void test_status(void)
{
	static const struct { const char *name; int status; } statuses[] = {
		PRM_STATUS_LIST(STATUS_ROW)
	};
	int got[5], other;
	unsigned int i;
	char name[32];

	fault_must(&emu, "f0 command query_issi status bad_res nth=2 times=2");
	for (i = 0; i < 5; i++)
		got[i] = query_issi();
	ktap(!got[0] && got[1] == PRM_STATUS_BAD_RES && got[2] == PRM_STATUS_BAD_RES && !got[3] &&
	     !got[4], "nth=2 times=2 fails the 2nd and 3rd command only");
	fault_must(&emu, "clear");
	for (i = 0; i < ARRAY_SIZE(statuses); i++) {
		if (!statuses[i].status)
			continue;
		snprintf(name, sizeof(name), "%s", statuses[i].name);
		for (char *p = name; *p; p++)
			*p = tolower(*p);
		fault_must(&emu, "f0 command query_issi status %s", name);
		other = query_adapter();
		got[0] = query_issi();
		got[1] = query_issi();
		ktap(!other && got[0] == statuses[i].status && !got[1],
		     "status %s is returned by one command only", name);
	}
	fault_must(&emu, "f0 command any status no_res nth=2");
	got[0] = query_issi();
	got[1] = query_adapter();
	got[2] = query_issi();
	ktap(!got[0] && got[1] == PRM_STATUS_NO_RES && !got[2], "any matches all commands");
	fault_must(&emu, "clear");
}

/* A command that was made to fail did nothing. */
static void test_status_has_no_effect(void)
{
	uint32_t first, second;
	int err;

	fault_must(&emu, "f0 command alloc_uar status lim");
	err = alloc_uar(&first);
	ktap(err == PRM_STATUS_LIM && strstr(emu_control(&emu, "status"), "objects: 1, 1 UAR"),
	     "a failed command creates nothing");
	fault_must(&emu, "f0 command dealloc_uar status res_busy");
	alloc_uar(&second);
	err = dealloc_uar(second);
	ktap(err == PRM_STATUS_RES_BUSY && !dealloc_uar(second),
	     "a failed command destroys nothing");
	fault_must(&emu, "clear");
}

static int drain_dct(void)
{
	struct prm_drain_dct_in in = {};
	struct prm_drain_dct_out out;

	prm_set(&in, opcode, PRM_OP_drain_dct);
	return cmd_exec(&c, &in, sizeof(in), &out, sizeof(out), NULL);
}

/* What follows from a rule's refusal to take something back is no violation. */
static void test_kept(void)
{
	uint32_t kept;

	start();
	alloc_uar(&kept);
	fault_must(&emu, "f0 command dealloc_uar status res_busy");
	dealloc_uar(kept);
	ktap(!shut_down(&c) && no_violation(), "a UAR that a rule has refused to take is no leak");
	start();
	alloc_uar(&kept);
	fault_must(&emu, "f0 command drain_dct status res_busy");
	ktap(drain_dct() && !shut_down(&c) && no_violation(),
	     "nor what a target uses that a rule has refused to drain");
	start();
	alloc_uar(&kept);
	shut_down(&c);
	ktap(strstr(emu_control(&emu, "violations"), "leak: UAR 0x"),
	     "after the next start it is one");
}

static int read_port_reg(unsigned int id)
{
	struct { struct prm_access_register_in hdr; uint8_t reg[64]; } in = {};
	struct { struct prm_access_register_out hdr; uint8_t reg[64]; } out;

	prm_set(&in.hdr, opcode, PRM_OP_access_register);
	prm_set(&in.hdr, op_mod, PRM_ACCESS_REG_READ);
	prm_set(&in.hdr, register_id, id);
	in.reg[1] = 1; /* the local port, where these registers have it */
	return cmd_exec(&c, &in, sizeof(in), &out, sizeof(out), NULL);
}

static void test_register(void)
{
	bool others;

	fault_must(&emu, "f0 register paos status bad_param times=all");
	others = !read_port_reg(PRM_REG_PMTU) && !query_issi();
	ktap(others && read_port_reg(PRM_REG_PAOS) == PRM_STATUS_BAD_PARAM &&
	     read_port_reg(PRM_REG_PAOS) == PRM_STATUS_BAD_PARAM,
	     "a register is refused, others and other commands are not");
	fault_must(&emu, "clear");
	ktap(!read_port_reg(PRM_REG_PAOS), "without the rule it is read");
}

static void test_untagged(void)
{
	const struct prm_cmdq_entry *e = (void *)(c.ram + CMDQ_OFFSET);
	const struct prm_mbox_block *block;
	struct prm_query_hca_cap_in in = {};
	struct prm_query_hca_cap_out out = {}, plain = {};
	int err;

	cmd(&c, query_hca_cap, &in, &plain);
	fault_must(&emu, "f0 command query_hca_cap untagged");
	err = cmd(&c, query_hca_cap, &in, &out);
	block = ram_ptr(&c, be64_to_cpu(e->out_ptr));
	ktap(!err && !block->token && !memcmp(&out, &plain, sizeof(out)),
	     "untagged: an output mailbox has no token");
	block = ram_ptr(&c, be64_to_cpu(block->next));
	ktap(!block->token && !block->block_num, "untagged: nor has it a number");
	fault_must(&emu, "clear");
}

static void test_slots(void)
{
	struct prm_cmdq_entry *e = (void *)(c.ram + CMDQ_OFFSET);
	uint32_t num;
	int err;

	fault_must(&emu, "f0 command query_issi delivery token");
	ktap(query_issi() == PRM_DELIVERY_TOKEN << 8 && !query_issi(),
	     "delivery sets the delivery status");
	fault_must(&emu, "f0 command query_issi length 0xfffffffe");
	err = query_issi();
	ktap(!err && be32_to_cpu(e->outlen) == 0xfffffffe, "length sets the output length");
	fault_must(&emu, "f0 command alloc_uar silent");
	err = alloc_uar(&num);
	ktap(err == -1 && strstr(emu_control(&emu, "status"), "objects: 1, 1 UAR"),
	     "silent: the command neither runs nor completes");
	ktap(!query_issi(), "after silent the next command works");
	fault_must(&emu, "clear");
	ktap(no_violation(), "faults of commands are no violations");
}

/* The pattern of failures of 64 commands, as bits. */
static uint64_t pattern(const char *options)
{
	uint64_t bits = 0;
	unsigned int i;

	fault_must(&emu, "f0 command query_issi status internal %s", options);
	for (i = 0; i < 64; i++)
		bits |= (uint64_t)!!query_issi() << i;
	fault_must(&emu, "clear");
	return bits;
}

static void test_chance(void)
{
	uint64_t first = pattern("percent=25 seed=1"), again = pattern("percent=25 seed=1");
	uint64_t other = pattern("percent=25 seed=2"), few = pattern("percent=50 seed=1 times=3");
	int n = __builtin_popcountll(first);

	ktap(first == again, "the same seed gives the same failures");
	ktap(first != other, "another seed gives other failures");
	ktap(n >= 8 && n <= 24, "percent=25 fails %d of 64 commands", n);
	ktap(__builtin_popcountll(few) == 3, "times limits the failures of percent");
	ktap(pattern("percent=100") == UINT64_MAX, "percent=100 fails all commands");
	ktap(pattern("nth=61 times=all") == 0xfull << 60,
	     "nth=61 times=all fails the last four of 64");
}

/* ---- events and interrupts ---- */

static void test_events(struct queue *q)
{
	struct prm_eqe eqe;
	int type;

	count_events(q, 0);
	fault_must(&emu, "f0 command query_issi twice");
	query_issi();
	ktap(count_events(q, PRM_EVENT_CMD) == 2, "twice: the command completes twice");
	fault_must(&emu, "f0 event cmd lose nth=2");
	query_issi();
	ktap(count_events(q, PRM_EVENT_CMD) == 1, "lose nth=2: the first event arrives");
	query_issi();
	ktap(count_events(q, PRM_EVENT_CMD) == 0, "lose nth=2: the second event is lost");
	query_issi();
	ktap(count_events(q, PRM_EVENT_CMD) == 1, "lose nth=2: the third event arrives");
	fault_must(&emu, "f0 event cmd duplicate");
	query_issi();
	ktap(count_events(q, PRM_EVENT_CMD) == 2, "duplicate: the event arrives twice");
	fault_must(&emu, "f0 event cmd type 0xfe");
	query_issi();
	type = next_event(q, &eqe);
	ktap(type == 0xfe && be32_to_cpu(eqe.data.cmd.vector) == 1,
	     "type: the event has the given type");
	fault_must(&emu, "clear");
	count_events(q, 0);
}

static void test_interrupts(struct queue *q)
{
	count_events(q, 0);
	while (vector_fired(&c, 1, 20))
		;
	fault_must(&emu, "f0 interrupt 1 lose");
	query_issi();
	ktap(!vector_fired(&c, 1, 50) && next_event(q, NULL) == PRM_EVENT_CMD,
	     "interrupt lose: the interrupt is lost, the event is not");
	arm(q);
	query_issi();
	ktap(vector_fired(&c, 1, 1000), "interrupt lose: the next interrupt arrives");
	fault_must(&emu, "f0 interrupt 2 lose");
	count_events(q, 0);
	while (vector_fired(&c, 1, 20))
		;
	query_issi();
	ktap(vector_fired(&c, 1, 1000), "a fault of another vector does not match");
	fault_must(&emu, "clear");
	count_events(q, 0);
	fault_must(&emu, "f0 spurious 1");
	ktap(vector_fired(&c, 1, 1000) && next_event(q, NULL) < 0,
	     "spurious: an interrupt comes without an event");
	count_events(q, 0);
}

static void test_port(struct queue *q)
{
	struct prm_eqe eqe = {};

	fault_must(&emu, "f0 port down");
	ktap(next_event(q, &eqe) == PRM_EVENT_PORT_CHANGE &&
	     eqe.sub_type == PRM_PORT_CHANGE_DOWN &&
	     strstr(emu_control(&emu, "status"), "port f0: link down (function up, wire down)"),
	     "port down: the link goes down with an event");
	fault_must(&emu, "f0 port up");
	ktap(next_event(q, &eqe) == PRM_EVENT_PORT_CHANGE &&
	     eqe.sub_type == PRM_PORT_CHANGE_ACTIVE, "port up: the link comes up with an event");
	fault_must(&emu, "f0 port down");
	fault_must(&emu, "clear");
	ktap(count_events(q, PRM_EVENT_PORT_CHANGE) == 2 && fault_none(&emu),
	     "clear brings the port up");
}

static void test_pages(void)
{
	struct prm_eqe eqe = {};
	struct queue q;

	create_eq(&q, 3, 1ull << PRM_EVENT_PAGE_REQUEST);
	fault_must(&emu, "f0 pages 1000");
	ktap(next_event(&q, &eqe) == PRM_EVENT_PAGE_REQUEST &&
	     be32_to_cpu(eqe.data.req_pages.num_pages) == 1000,
			 "pages 1000: a page request for 1000 pages");
	fault_must(&emu, "f0 pages -7");
	ktap(next_event(&q, &eqe) == PRM_EVENT_PAGE_REQUEST &&
	     (int32_t)be32_to_cpu(eqe.data.req_pages.num_pages) == -7,
	     "pages -7: a page request to reclaim 7 pages");
	ktap(!destroy_eq(&q), "the EQ of page requests can be destroyed");
}

#define HEALTH(field) offsetof(struct prm_iseg, health.field)

static uint32_t health_var(unsigned int i)
{
	return reg_read(&c, HEALTH(assert_var) + i * 4);
}

/* All but the version and the chip. */
static bool health_empty(void)
{
	uint32_t at, found = 0;

	for (at = HEALTH(assert_var); at < HEALTH(fw_ver); at += 4)
		found |= reg_read(&c, at);
	return !found && !reg_read(&c, HEALTH(rfr_severity)) && !reg_read(&c, HEALTH(irisc_index));
}

/* The layout of the kernel's driver, which prints each field. */
static void test_health_buffer(void)
{
	time_t before = time(NULL);
	bool differ = true;
	unsigned int i;

	ktap(health_empty(), "the health buffer of a card that works is empty");
	fault_must(&emu, "f0 health 1");
	for (i = 0; i < 6; i++)
		differ &= health_var(i) && (!i || health_var(i) != health_var(i - 1));
	ktap(differ && reg_read(&c, HEALTH(assert_exit_ptr)) &&
	     reg_read(&c, HEALTH(assert_callra)) && reg_read(&c, HEALTH(irisc_index)) == 0x18da6,
	     "health: variables, pointers and the extended syndrome are set");
	ktap(reg_read(&c, HEALTH(rfr_severity)) == 0x0bu << 24,
	     "health: the severity is valid, and that of an error");
	ktap(reg_read(&c, HEALTH(time)) >= before && reg_read(&c, HEALTH(time)) <= time(NULL),
	     "health: the time is that of the failure");
	fault_must(&emu, "f0 health 7 rfr");
	ktap(reg_read(&c, HEALTH(rfr_severity)) == 0x8au << 24,
	     "health rfr: the severity is critical");
	fault_must(&emu, "f0 health 0");
	ktap(health_empty(), "health 0 empties the health buffer");
}

static void test_health(struct queue *q)
{
	const uint32_t counter = offsetof(struct prm_iseg, health_counter);
	uint32_t before, running;
	bool good;

	fault_must(&emu, "f0 temperature");
	ktap(next_event(q, NULL) == PRM_EVENT_TEMP_WARN,
	     "temperature: a temperature warning event");
	fault_must(&emu, "f0 health 0x10");
	ktap(health_synd() == 0x10 && !health_rfr() &&
	     strstr(fault(&emu, &good, "list"), "f0 health 0x10\n"),
	     "health sets the syndrome of the health buffer");
	fault_must(&emu, "f0 health 7 rfr");
	ktap(health_synd() == 7 && health_rfr() && !query_issi() &&
	     strstr(fault(&emu, &good, "list"), "f0 health 0x07 rfr\n"),
	     "health rfr requests a reset as well, the firmware still answers");
	fault_must(&emu, "f0 health 0");
	ktap(health_empty() && fault_none(&emu), "health 0 clears both");
	test_health_buffer();
	running = reg_read(&c, counter);
	fault_must(&emu, "f0 stall");
	before = reg_read(&c, counter);
	usleep(50000);
	ktap(reg_read(&c, counter) == before && ((before - running) & 0xffffff) < 0x10000,
	     "stall: the health counter stops where it is");
	fault_must(&emu, "clear");
	usleep(30000);
	ktap(reg_read(&c, counter) != before, "after clear the health counter runs");
}

static void test_eq_overrun(struct queue *q)
{
	struct prm_query_eq_in in = {};
	struct prm_query_eq_out out;

	fault_must(&emu, "f0 event port_change overrun");
	fault_must(&emu, "f0 port down");
	fault_must(&emu, "f0 port up");
	prm_set(&in, eq_number, q->num);
	ktap(next_event(q, NULL) == -1 && !cmd(&c, query_eq, &in, &out) &&
	     prm_get(&out, eq_context_entry.status) == 9 && health_synd() == 0xc,
	     "event overrun: the EQ takes no more events, the syndrome is set");
	fault_must(&emu, "clear");
	fault_must(&emu, "f0 temperature");
	ktap(next_event(q, NULL) == -1 && !health_synd(),
	     "clear resets the syndrome, the EQ stays overrun");
	ktap(!destroy_eq(q), "the overrun EQ can be destroyed");
	create_eq(q, 2, ASYNC);
	fault_must(&emu, "f0 temperature");
	ktap(next_event(q, NULL) == PRM_EVENT_TEMP_WARN, "a new EQ works");
}

/* ---- the whole function ---- */

/* As a driver does before it resets the firmware: by the vendor specific capability. */
static void config_write32(uint32_t offset, uint32_t value)
{
	uint8_t le[4] = { value, value >> 8, value >> 16, value >> 24 };

	region_write(&c, VFIO_PCI_CONFIG_REGION_INDEX, offset, le, 4, false);
}

static void take_semaphore(void)
{
	const uint32_t at = 0xc0;

	config_write32(at + PRM_VSC_SEMAPHORE, 1);
	config_write32(at + PRM_VSC_CTRL, PRM_VSC_SEMAPHORES);
	config_write32(at + PRM_VSC_DATA, 1);
	config_write32(at + PRM_VSC_ADDR, PRM_VSC_SEMAPHORE_RESET | PRM_VSC_ADDR_FLAG);
	config_write32(at + PRM_VSC_SEMAPHORE, 0);
}

static void test_fatal(void)
{
	const uint32_t low = offsetof(struct prm_iseg, cmdq_addr_l_sz);

	fault_must(&emu, "f0 fatal");
	ktap(health_synd() == 1 && health_rfr(),
	     "fatal: the health buffer requests a reset");
	ktap(query_issi() == -1 && no_violation(), "fatal: commands do not complete");
	config_write16(&c, 0x60 + PCI_EXP_DEVCTL, PCI_EXP_DEVCTL_BCR_FLR);
	config_write16(&c, PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
	ktap(health_synd() == 1 && query_issi() == -1 && no_violation(),
	     "fatal: a function level reset does not start the firmware again");
	take_semaphore();
	reg_write(&c, low, PRM_NIC_IFC_SW_RESET << PRM_ISEG_NIC_IFC_SHIFT);
	reg_write(&c, 64 * 4096 + 0x800, 0);
	ktap(no_violation(), "fatal: late doorbells are no violation");
	usleep(10000);
	ktap((reg_read(&c, low) >> PRM_ISEG_NIC_IFC_SHIFT & 7) == PRM_NIC_IFC_DISABLED &&
	     !health_synd() && fault_none(&emu), "after a reset by the driver nic_ifc is disabled");
	start();
	ktap(!dealloc_uar(uar) && !shut_down(&c) && no_violation(),
	     "after fatal and reset the function starts and shuts down");
}

/* As seen on a card: the report, a counter that stands still, and a minute later nothing. */
static void test_overheat(void)
{
	const uint32_t counter = offsetof(struct prm_iseg, health_counter);
	uint32_t before;
	bool good;

	start();
	fault_must(&emu, "f0 overheat");
	before = reg_read(&c, counter);
	usleep(50000);
	ktap(reg_read(&c, counter) == before && health_synd() == 0x10 && !health_rfr() &&
	     health_var(0) == 115 && health_var(1) == 115 && !health_var(2) && !query_issi() &&
	     !strcmp(fault(&emu, &good, "list"), "f0 health 0x10\nf0 stall\nok\n"),
	     "overheat: the health buffer has the temperature, the counter stops");
	fault_must(&emu, "f0 gone");
	ktap(reg_read(&c, counter) == UINT32_MAX && health_synd() == 0xff,
	     "overheat, then gone: nothing but ones");
	fault_must(&emu, "f0 back");
	ktap(health_empty() && reg_read(&c, counter) != before && fault_none(&emu),
	     "overheat, gone and back: a healthy card");
	config_write16(&c, PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
}

static void test_gone(void)
{
	uint32_t before = reg_read(&c, offsetof(struct prm_iseg, fw_rev));

	start();
	fault_must(&emu, "f0 gone");
	ktap(reg_read(&c, 0) == UINT32_MAX && reg_read(&c, 0x200000) == UINT32_MAX &&
	     config_read16(&c, PCI_VENDOR_ID) == 0xffff, "gone: all reads return ones");
	config_write16(&c, PCI_COMMAND, PCI_COMMAND_PARITY);
	reg_write(&c, offsetof(struct prm_iseg, cmd_dbell), 1);
	fault_must(&emu, "f0 back");
	ktap(reg_read(&c, 0) == before && config_read16(&c, PCI_VENDOR_ID) == 0x15b3 &&
	     !config_read16(&c, PCI_COMMAND) && fault_none(&emu),
	     "back: the configuration space is as after power-on");
	config_write16(&c, PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
	ktap(query_issi() == -1 && no_violation(), "back: the driver's state is lost");
	start();
	ktap(!dealloc_uar(uar) && !shut_down(&c) && no_violation(),
	     "after back the function starts and shuts down");
}

static void test_d3cold(void)
{
	const uint32_t pm_ctrl = 0x40 + PCI_PM_CTRL;

	start();
	fault_must(&emu, "f0 d3cold");
	config_write16(&c, pm_ctrl, 3);
	ktap(!fault_none(&emu) && config_read16(&c, PCI_COMMAND),
	     "d3cold: the configuration space is there until it wakes");
	config_write16(&c, pm_ctrl, 0);
	ktap(!config_read16(&c, PCI_COMMAND) && fault_none(&emu),
	     "d3cold: it wakes as after power-on");
	config_write16(&c, PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
	start();
	ktap(!dealloc_uar(uar) && !shut_down(&c) && no_violation(),
	     "after d3cold the function starts and shuts down");
}

/* Everything is left broken; the next guest notices nothing. */
static void test_next_guest(void)
{
	static const char *const faults[] = {
		"command any status internal percent=50", "command any silent percent=50",
		"event any lose percent=50", "interrupt any lose percent=50",
		"frame any drop percent=50", "cqe any overrun percent=50", "port down", "stall",
		"health 7", "overheat", "fatal", "gone", "d3cold",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		fault_must(&emu, "f0 %s", faults[i]);
		client_close(&c);
		client_open(&c, &emu, 0);
		start();
		ktap(fault_none(&emu) && !dealloc_uar(uar) && !shut_down(&c) && no_violation(),
		     "the next guest does not see fault: %s", faults[i]);
	}
	fault_must(&emu, "f1 command any status internal");
	client_close(&c);
	client_open(&c, &emu, 0);
	ktap(!fault_none(&emu), "faults of other functions stay");
	fault_must(&emu, "clear");
}

/* ---- the documentation ---- */

/* Documentation/faults.rst, found from this file. */
static FILE *open_document(void)
{
	char path[4096];
	int dir = strrchr(__FILE__, '/') - __FILE__;
	FILE *f;

	snprintf(path, sizeof(path), "%.*s/../../Documentation/faults.rst", dir, __FILE__);
	f = fopen(path, "r");
	if (!f) {
		printf("Bail out! %s: there is no such file\n", path);
		exit(1);
	}
	return f;
}

/* The example that a row of a table begins with, for function 0; NULL: it begins with none. */
static char *example(char *row)
{
	static char text[512];
	char *end;

	if (strncmp(row, "``fault ", 8))
		return NULL;
	end = strstr(row + 8, "``");
	if (!end)
		return NULL;
	*end = 0;
	if (!strncmp(row + 8, "a ", 2))
		snprintf(text, sizeof(text), "f0%s", row + 9);
	else
		snprintf(text, sizeof(text), "%s", row + 8);
	memmove(row, end + 2, strlen(end + 2) + 1);
	return text;
}

/* Each example is taken, or refused where the table says so, and none outlives clear. */
static void test_examples(void)
{
	FILE *f = open_document();
	unsigned int n = 0, bad = 0;
	struct queue async;
	const char *answer;
	char row[512], *text;
	bool good;

	create_eq(&async, 3, ASYNC | 1ull << PRM_EVENT_PAGE_REQUEST);
	while (fgets(row, sizeof(row), f)) {
		text = example(row);
		if (!text)
			continue;
		n++;
		answer = fault(&emu, &good, "%s", text);
		if (good == !strncmp(row + strspn(row, " "), "refused.", 8)) {
			printf("# fault %s: %s\n", text, answer);
			bad++;
		}
	}
	fclose(f);
	fault_must(&emu, "clear");
	ktap(n >= 27 && !bad,
	     "the %u examples of the documentation are accepted or refused as it says", n);
	ktap(fault_none(&emu), "clear removes the faults of all examples");
}

int main(int argc, char **argv)
{
	struct queue q, async;
	int status;

	(void)argc;
	ktap_plan(104);
	emu_start(&emu, argv[1], 2);
	client_open(&c, &emu, 0);
	start();
	test_status();
	test_status_has_no_effect();
	test_slots();
	test_register();
	test_untagged();
	test_chance();
	create_eq(&q, 1, 1ull << PRM_EVENT_CMD);
	create_eq(&async, 2, ASYNC);
	test_events(&q);
	test_interrupts(&q);
	test_port(&async);
	test_pages();
	test_health(&async);
	test_eq_overrun(&async);
	ktap(!destroy_eq(&async) && !destroy_eq(&q) && !dealloc_uar(uar) && !shut_down(&c) &&
	     no_violation(), "the function shuts down without a violation");
	start();
	test_fatal();
	test_overheat();
	test_gone();
	test_d3cold();
	test_next_guest();
	start();
	test_examples();
	client_close(&c);
	status = emu_stop(&emu);
	ktap(!status, "the exit status is 0");

	emu_start(&emu, argv[1], 1);
	client_open(&c, &emu, 0);
	test_kept();
	client_close(&c);
	emu_stop(&emu);
	return ktap_end();
}
