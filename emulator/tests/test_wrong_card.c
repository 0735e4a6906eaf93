// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * A driver, and a virtual machine, that are wrong about the function as a whole, one thing at a
 * time: messages, registers, command slots, phases, pages, capabilities, doorbells, leaks.
 */
#include <errno.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "prm/caps.h"
#include "prm/eqe.h"
#include "prm/definer.h"
#include "prm/flow.h"
#include "prm/lag.h"
#include "prm/nic.h"
#include "prm/vport.h"
#include "wrong.h"

#define CAP_AT sizeof(struct prm_mbox_in)
#define UNMAPPED 0x7000000000ull
#define READ_ONLY 0x6000000000ull

/* ---- messages ---- */

struct message {
	const char *what;
	uint16_t command;
	uint32_t words[12];
	unsigned int len;
	int error;
	const char *text;
};

static const struct message messages[] = {
	{ "protocol version 1", 1, { 1 }, 5, EINVAL, "only protocol version 0 is supported" },
	{ "a DMA_MAP without access rights", 2, { 32, 0 }, 32, EINVAL,
	  "DMA_MAP: neither readable nor writable, or unknown flags" },
	{ "a DMA_MAP over memory", 2, { 32, 3, 0, 0, 0x40000000, 0, 4096, 0 }, 32, EEXIST,
	  "DMA_MAP: overlaps an existing range" },
	{ "a DMA_MAP of no bytes", 2, { 32, 3 }, 32, EINVAL,
	  "DMA_MAP: invalid range, alignment or file" },
	{ "a DMA_UNMAP with unknown flags", 3, { 24, 8, 0, 0, 4096, 0 }, 24, EINVAL,
	  "DMA_UNMAP: unknown flags" },
	{ "a DMA_UNMAP of half a page", 3, { 24, 0, 0x40000800, 0, 100, 0 }, 24, EINVAL,
	  "DMA_UNMAP: invalid range" },
	{ "region 9", 5, { 32, 0, 9 }, 32, EINVAL, "GET_REGION_INFO: no such region" },
	{ "interrupt type 5", 7, { 16, 0, 5, 0 }, 16, EINVAL,
	  "GET_IRQ_INFO: no such interrupt" },
	{ "vector 64", 8, { 20, 0x24, 2, 64, 1 }, 20, EINVAL,
	  "SET_IRQS: no such vectors" },
	{ "masking a vector", 8, { 20, 0x0c, 2, 0, 1 }, 20, EINVAL,
	  "SET_IRQS: needs one eventfd for each vector" },
	{ "triggering a vector", 8, { 20, 0x21, 2, 0, 1 }, 20, EINVAL,
	  "SET_IRQS: software triggering is not supported" },
	{ "a read past the end of the BAR", 9, { 0x2000000, 0, 0, 4 }, 16, EINVAL,
	  "REGION_READ: outside the region" },
	{ "a write to BAR 1", 10, { 0, 0, 1, 4, 0 }, 20, EINVAL,
	  "REGION_WRITE: outside the region" },
	{ "a write without data", 10, { 0x18, 0, 0, 4 }, 16, EINVAL,
	  "REGION_WRITE: fewer bytes than its count says" },
	{ "WRITE_MULTI of two writes without data", 15, { 2, 0 }, 8, EINVAL,
	  "WRITE_MULTI: fewer writes than its count says" },
	{ "WRITE_MULTI to BAR 3", 15, { 1, 0, 0, 0, 3, 4, 0, 0 }, 32, EINVAL,
	  "WRITE_MULTI: a write is outside its region" },
	{ "half a message", 9, { 0 }, 8, EINVAL, "message is too short" },
	{ "command 99", 99, { 0 }, 8, ENOTSUP, "the command is not supported" },
};

static void wrong_messages(void)
{
	unsigned int i;
	char text[160];
	int err;

	for (i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
		const struct message *m = &messages[i];

		wrong_begin();
		err = vfu_call(&rig.c, m->command, m->words, m->len, NULL, 0);
		snprintf(text, sizeof(text), "vfio-user command %u: %s", m->command, m->text);
		if (err == m->error)
			wrong_expect(m->what, text);
		else
			ktap(false, "%s: error %d", m->what, err);
	}
}

static void wrong_connections(void)
{
	const uint32_t huge[4] = { 4 << 16 | 1, 0xffffffff, 0, 0 };
	struct client second;
	uint8_t buf[16];

	wrong_begin();
	client_connect(&second, &rig.emu, 0);
	ktap(vfu_reply(&second, buf, sizeof(buf), NULL) == -1000, "a second connection ends");
	client_close(&second);
	wrong_expect("a second connection", "a second connection to * was refused");
	wrong_begin();
	if (write(rig.c.fd, huge, sizeof(huge)) != sizeof(huge))
		_exit(2);
	vfu_reply(&rig.c, buf, sizeof(buf), NULL);
	wrong_expect("a message of 4 GiB",
		     "malformed vfio-user message: 4294967295 bytes, flags 0x0");
	client_close(&rig.c);
	client_open(&rig.c, &rig.emu, 0);
}

/* ---- registers ---- */

static void sync_bus(void)
{
	reg_read(&rig.c, 0);
}

static void wrong_registers(void)
{
	const uint8_t bytes[8] = {};
	unsigned int tries;

	for (tries = 0; reg_read(&rig.c, offsetof(struct prm_iseg, initializing)) >> 31; tries++)
		usleep(1000);
	wrong_begin();
	reg_write(&rig.c, offsetof(struct prm_iseg, cmd_dbell), 1);
	sync_bus();
	wrong_expect("a doorbell before the queue address",
		     "command doorbell 0x1 before the command queue's address was set");
	wrong_begin();
	reg_write(&rig.c, 0, 5);
	sync_bus();
	wrong_expect("a write to the firmware version",
		     "write of 0x5 to register 0x0, which is read-only or does not exist");
	wrong_begin();
	region_write(&rig.c, 0, offsetof(struct prm_iseg, cmd_dbell), bytes, 2, false);
	wrong_expect("a write of half a register",
		     "write of 2 bytes at 0x18 of BAR 0: no such register");
}

/* ---- command slots ---- */

struct slot_case {
	const char *what;
	struct corruption corrupt;
	bool long_in, long_out;
	int delivery;
	const char *text;
};

static const struct slot_case slot_cases[] = {
	{ "slot type 3", { .bad_type = true }, false, false, PRM_DELIVERY_CMD_TYPE,
	  "command slot 0: type is not 7 (PCI)" },
	{ "a reserved byte of the slot",
	  { .reserved = true }, false, false, PRM_DELIVERY_RSVD_NOT_ZERO,
	  "command slot 0: reserved bytes of the slot are not zero" },
	{ "a wrong slot signature", { .bad_signature = true }, false, false, PRM_DELIVERY_SIGNATURE,
	  "command slot 0: signature of the slot is wrong" },
	{ "12 bytes of input", { .in_len = 12 }, false, false, PRM_DELIVERY_IN_LEN,
	  "command slot 0: input length is below 16, above 4 MiB, or not a multiple of 4" },
	{ "2 bytes of output", { .out_len = 2 }, false, false, PRM_DELIVERY_OUT_LEN,
	  "command slot 0: output length is below 8, above 4 MiB, or not a multiple of 4" },
	{ "another token", { .wrong_token = true }, true, false, PRM_DELIVERY_TOKEN,
	  "command slot 0: mailbox token differs from the slot's" },
	{ "a wrong block number", { .wrong_block = true }, true, false, PRM_DELIVERY_BLOCK_NUM,
	  "command slot 0: mailbox block number is wrong" },
	{ "a wrong mailbox signature", { .bad_signature = true }, true, false,
	  PRM_DELIVERY_SIGNATURE, "command slot 0: mailbox signature is wrong" },
	{ "a wrong control signature", { .bad_ctrl = true }, true, false, PRM_DELIVERY_SIGNATURE,
	  "command slot 0: mailbox control signature is wrong" },
	{ "a misaligned mailbox", { .in_ptr = RAM_IOVA + 0x1010 }, true, false,
	  PRM_DELIVERY_IN_PTR, "command slot 0: mailbox pointer is not aligned to 512 bytes" },
	{ "a mailbox that is not mapped", { .in_ptr = UNMAPPED }, true, false,
	  PRM_DELIVERY_IN_PTR,
	  "DMA read of 576 bytes at 0x7000000000: not mapped\n"
	  "command slot 0: mailbox is outside the memory mapped for DMA" },
	{ "an output mailbox that cannot be written", { .out_ptr = READ_ONLY }, false, true,
	  PRM_DELIVERY_OUT_PTR,
	  "DMA write of 576 bytes at 0x6000000000: not mapped\n"
	  "command slot 0: output mailbox cannot be written" },
};

/* A page that the card may only read, which looks like the mailbox of the next command. */
static void map_read_only(void)
{
	struct { uint32_t argsz, flags; uint64_t offset, iova, size; } map = {
		.argsz = sizeof(map), .flags = 1, .iova = READ_ONLY, .size = 4096,
	};
	struct prm_mbox_block block = { .token = rig.c.token + 1 };
	int fd = memfd_create("read-only", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, 4096) || pwrite(fd, &block, sizeof(block), 0) < 0 ||
	    vfu_call(&rig.c, 2, &map, sizeof(map), &fd, 1))
		_exit(2);
	close(fd);
}

static void unmap_read_only(void)
{
	struct { uint32_t argsz, flags; uint64_t iova, size; } unmap = {
		.argsz = sizeof(unmap), .iova = READ_ONLY, .size = 4096,
	};

	vfu_call(&rig.c, 3, &unmap, sizeof(unmap), NULL, 0);
}

static void wrong_slots(void)
{
	static struct prm_query_hca_cap_out out;
	unsigned int i;
	int err;

	for (i = 0; i < sizeof(slot_cases) / sizeof(slot_cases[0]); i++) {
		const struct slot_case *k = &slot_cases[i];
		struct prm_manage_pages_in in[80] = {};

		prm_set(in, opcode, k->long_in ? PRM_OP_manage_pages : PRM_OP_query_hca_cap);
		map_read_only();
		wrong_begin();
		err = cmd_exec(&rig.c, in, k->long_in ? sizeof(in) : 16, &out,
			       k->long_out ? sizeof(out) : 16, &k->corrupt);
		if (err >> 8 == k->delivery)
			wrong_expect(k->what, k->text);
		else
			ktap(false, "%s: delivery status 0x%x", k->what, err);
		unmap_read_only();
	}
	wrong_begin();
	cmd_exec(&rig.c, &(struct prm_query_issi_in){}, 16, &out, 16,
		 &(struct corruption){ .software_owned = true });
	wrong_expect("a slot that software owns",
		     "doorbell for command slot 0, which software owns");
}

/* Eight slots take two rounds; the second doorbell comes between them. */
static void wrong_doorbells(void)
{
	struct {
		uint64_t n;
		struct { uint64_t offset; uint32_t region, count; uint8_t data[8]; } w[2];
	} multi = { .n = 2 };
	struct prm_cmdq_entry *slots = (void *)(rig.c.ram + CMDQ_OFFSET);
	unsigned int i;

	for (i = 0; i < 2; i++) {
		multi.w[i].offset = offsetof(struct prm_iseg, cmd_dbell);
		multi.w[i].count = 4;
		multi.w[i].data[3] = 1;
	}
	memset(slots, 0, sizeof(*slots));
	slots->type = PRM_CMDQ_TYPE_PCI;
	slots->inlen = cpu_to_be32(16);
	slots->outlen = cpu_to_be32(sizeof(struct prm_query_issi_out));
	slots->out_ptr = cpu_to_be64(ram_alloc(&rig.c, 4096));
	prm_set((struct prm_mbox_in *)slots->in, opcode, PRM_OP_query_issi);
	slots->status_own = PRM_CMDQ_OWN_HW;
	wrong_begin();
	vfu_call(&rig.c, 15, &multi, sizeof(multi), NULL, 0);
	for (i = 0; i < 20000 && slots->status_own & PRM_CMDQ_OWN_HW; i++)
		usleep(100);
	wrong_expect("two doorbells for one command",
		     "command doorbell 0x1: slots 0x1 are still being processed");
	wrong_begin();
	reg_write(&rig.c, offsetof(struct prm_iseg, cmdq_addr_h), UNMAPPED >> 32);
	reg_write(&rig.c, offsetof(struct prm_iseg, cmd_dbell), 1);
	for (i = 0; i < 20; i++)
		sync_bus();
	wrong_expect("a command queue that is not mapped",
		     "DMA read of 64 bytes at 0x*: not mapped\n"
		     "command slot 0 is outside the memory mapped for DMA");
	reg_write(&rig.c, offsetof(struct prm_iseg, cmdq_addr_h), 0);
}

/* ---- phases ---- */

static const struct wrong_row unknown_rows[] = {
	{ .field = "opcode 0xfff", .bit = 0, .width = 16, .value = 0xfff,
	  .status = PRM_STATUS_BAD_OP, .text = "opcode 0xfff is not supported" },
};

static void wrong_before_enable(void)
{
	static const struct wrong_row early[] = {
		{ .field = "before ENABLE_HCA", .status = PRM_STATUS_BAD_SYS_STATE,
		  .text = "valid only after ENABLE_HCA" },
	};
	static const struct wrong_row enable[] = {
		F(enable_hca, function_id, 1, "function 1: there is only function 0"),
		F(enable_hca, embedded_cpu_function, 1,
		  "function 0 of the embedded CPU: there is only function 0"),
	};
	static const struct wrong_row twice[] = {
		{ .field = "a second time", .status = PRM_STATUS_BAD_SYS_STATE,
		  .text = "the function is already enabled" },
	};
	struct prm_query_issi_in issi = {};
	struct prm_enable_hca_in in = {};

	WRONG_ONLY(&WRONG_CMD(query_issi, &issi), early);
	WRONG_ONLY(&WRONG_CMD(query_issi, &issi), unknown_rows);
	WRONG(&WRONG_CMD(enable_hca, &in), enable);
	WRONG_ONLY(&WRONG_CMD(enable_hca, &in), twice);
}

static void wrong_before_init(void)
{
	static const struct wrong_row early[] = {
		{ .field = "before INIT_HCA", .status = PRM_STATUS_BAD_SYS_STATE,
		  .text = "valid only after INIT_HCA" },
	};
	static const struct wrong_row pages[] = {
		{ .field = "without pages", .status = PRM_STATUS_BAD_SYS_STATE,
		  .text = "the card needs 1164 pages before INIT_HCA and has 0" },
	};
	static const struct wrong_row issi[] = {
		F(set_issi, current_issi, 2, "current_issi 2 is not supported"),
	};
	struct prm_mbox_in in = {};
	struct prm_set_issi_in set = {};

	WRONG_ONLY(&WRONG_CMD(alloc_pd, (struct prm_alloc_pd_in *)&in), early);
	WRONG_ONLY(&WRONG_CMD(init_hca, &(struct prm_init_hca_in){}), pages);
	prm_set(&set, current_issi, 1);
	WRONG(&WRONG_CMD(set_issi, &set), issi);
}

/* ---- pages ---- */

static void wrong_pages(void)
{
	static const struct wrong_row query[] = {
		F(query_pages, op_mod, 0, "op_mod is not boot (1), init (2) or regular (3)"),
		F(query_pages, function_id, 2, "function 2: there is only function 0"),
	};
	static const struct wrong_row give[] = {
		F(manage_pages, op_mod, 3,
		  "op_mod is not cannot give (0), give (1) or take (2)"),
		F(manage_pages, input_num_entries, 3,
		  "input_num_entries 3 does not fit into 32 bytes",
		  .status = PRM_STATUS_BAD_INP_LEN),
		{ .field = "the same page twice", .bit = (CAP_AT + 8) * 8, .width = 64,
		  .value = 0x50000000, .text = "page 0x50000000 was already given" },
		{ .field = "half a page", .bit = (CAP_AT + 8) * 8, .width = 64,
		  .value = 0x50000800, .text = "page 0x50000800 is not aligned to 4 KiB" },
	};
	static const struct wrong_row take[] = {
		F(manage_pages, input_num_entries, 2,
		  "input_num_entries 2 does not fit into * bytes of output",
		  .status = PRM_STATUS_BAD_OUTP_LEN),
	};
	struct { struct prm_manage_pages_in in; __be64 pas[2]; } b = {};
	struct prm_manage_pages_in back = {};
	struct prm_query_pages_in ask = {};
	struct wrong_cmd cmd;

	prm_set(&ask, op_mod, 1);
	WRONG(&WRONG_CMD(query_pages, &ask), query);
	prm_set(&b.in, op_mod, 1);
	prm_set(&b.in, input_num_entries, 2);
	b.pas[0] = cpu_to_be64(0x50000000);
	b.pas[1] = cpu_to_be64(0x50001000);
	WRONG(&WRONG_CMD(manage_pages, &b), give);
	prm_set(&back, op_mod, 2);
	prm_set(&back, input_num_entries, 1);
	cmd = WRONG_CMD(manage_pages, &back);
	cmd.out_len += 8;
	WRONG(&cmd, take);
}

/* ---- capabilities ---- */

#define CAP(f, v, t, ...) FAT(CAP_AT, cmd_hca_cap, f, v, t, ##__VA_ARGS__)

static const struct wrong_row set_cap_rows[] = {
	CAP(log_max_qp, 31, "log_max_qp 31 is above 18"),
	CAP(pkey_table_size, 5, "pkey_table_size 0x5 is above 0x0"),
	CAP(log_uar_page_sz, 1, "log_uar_page_sz 1 without uar_4k: UARs are 4 KiB"),
	CAP(cache_line_128byte, 1, "cache_line_128byte is not supported"),
	CAP(log_max_current_uc_list, 11, "log_max_current_uc_list 11 is above 10"),
	CAP(dct, 1, "type 0x0: byte 0x* is 0x*, was 0x*: read-only"),
	F(set_hca_cap, function_id, 1, "there are no other functions"),
	F(set_hca_cap, op_mod, 2 * 0x7e, "capabilities of type 0x7e cannot be set"),
	F(set_hca_cap, op_mod, 1, "capabilities of type 0x0 cannot be set"),
};

static const struct wrong_row set_atomic_rows[] = {
	FAT(CAP_AT, atomic_caps, atomic_req_8B_endianness_mode, 2,
	    "atomic_req_8B_endianness_mode 2 is neither 0 nor 1"),
	FAT(CAP_AT, atomic_caps, atomic_operations, 0xf,
	    "only the byte order of atomics can be set"),
	FAT(CAP_AT, atomic_caps, atomic_size_qp, 0x10,
	    "only the byte order of atomics can be set"),
};

static void wrong_caps(void)
{
	static const struct wrong_row query[] = {
		F(query_hca_cap, other_function, 1, "there are no other functions"),
		F(query_hca_cap, ec_vf_function, 1, "there are no other functions"),
	};
	static struct { struct prm_query_hca_cap_out out; } got;
	static struct prm_set_hca_cap_in in;
	struct prm_query_hca_cap_in ask = {};
	struct prm_set_hca_cap_in *atomic = &in;

	prm_set(&ask, op_mod, 1);
	WRONG(&WRONG_CMD(query_hca_cap, &ask), query);
	cmd(&rig.c, query_hca_cap, &ask, &got.out);
	memcpy((uint8_t *)&in + CAP_AT, (uint8_t *)&got.out + CAP_AT, sizeof(in) - CAP_AT);
	WRONG(&WRONG_CMD(set_hca_cap, &in), set_cap_rows);
	memset(&in, 0, sizeof(in));
	prm_set(atomic, op_mod, 2 * 3);
	WRONG(&WRONG_CMD(set_hca_cap, atomic), set_atomic_rows);
}

/* ---- while it runs, and after ---- */

static void wrong_running(void)
{
	static const struct wrong_row late[] = {
		{ .field = "while running", .status = PRM_STATUS_BAD_SYS_STATE,
		  .text = "valid only before INIT_HCA" },
	};
	static const struct wrong_row again[] = {
		{ .field = "a second time", .status = PRM_STATUS_BAD_SYS_STATE,
		  .text = "the function is already initialized" },
	};
	static const struct wrong_row disable[] = {
		{ .field = "while running", .status = PRM_STATUS_BAD_SYS_STATE,
		  .text = "TEARDOWN_HCA must come first" },
	};
	static const struct wrong_row lengths[] = {
		{ .field = "only the header", .in_len = 16, .status = PRM_STATUS_BAD_INP_LEN,
		  .text = "input of 16 bytes, the layout needs 272" },
		{ .field = "more than the header", .in_len = 288,
		  .status = PRM_STATUS_BAD_INP_LEN,
		  .text = "input of 288 bytes is longer than the layout's 272" },
		{ .field = "no room for the output", .out_len = 8,
		  .status = PRM_STATUS_BAD_OUTP_LEN,
		  .text = "output of 8 bytes, the layout needs 16" },
		{ .field = "reserved bits", .bit = 0x44, .width = 4, .value = 4,
		  .text = "reserved bit 0x45 (of 0x44..0x47) is not zero" },
	};
	static struct prm_set_hca_cap_in caps;
	struct prm_rst2init_like { __be32 dw[68]; } qp = {};

	WRONG_ONLY(&WRONG_CMD(set_hca_cap, &caps), late);
	WRONG_ONLY(&WRONG_CMD(init_hca, &(struct prm_init_hca_in){}), again);
	WRONG_ONLY(&WRONG_CMD(disable_hca, &(struct prm_disable_hca_in){}), disable);
	WRONG_ONLY(&((struct wrong_cmd){ "modify_sq", PRM_OP_modify_sq, &qp, sizeof(qp), 16 }),
		   lengths);
}

static void wrong_uars(uint32_t uar)
{
	const uint8_t bytes[64] = {};
	uint64_t at = (uint64_t)uar * 4096;
	char text[120];

	wrong_begin();
	region_write(&rig.c, 0, at + 0x60, bytes, 4, false);
	snprintf(text, sizeof(text), "UAR 0x%x: write of 4 bytes at 0x60 is no doorbell", uar);
	wrong_expect("a UAR write that is not a doorbell", text);
	wrong_begin();
	region_write(&rig.c, 0, at + 0x804, bytes, 4, false);
	snprintf(text, sizeof(text), "UAR 0x%x: write of 4 bytes at 0x804 is no doorbell", uar);
	wrong_expect("only the second half of a doorbell", text);
	wrong_begin();
	region_write(&rig.c, 0, at + 0x20 + 0x100000, bytes, 8, false);
	snprintf(text, sizeof(text), "write to UAR 0x%x at 0x20, which is not allocated",
		 uar + 0x100);
	wrong_expect("a doorbell on an unallocated UAR", text);
	wrong_begin();
	reg_write64(&rig.c, at + 0x800, 0xabcdef00);
	sync_bus();
	wrong_expect("a send doorbell of an unknown queue",
		     "send doorbell for queue 0xabcdef, which does not exist");
	wrong_begin();
	reg_write64(&rig.c, at + 0x20, 0xabcdef);
	sync_bus();
	wrong_expect("arming an unknown CQ", "CQ doorbell names CQ 0xabcdef, which does not exist");
	wrong_begin();
	reg_write(&rig.c, at + 0x40, 0x3f << 24);
	sync_bus();
	wrong_expect("arming an unknown EQ", "EQ doorbell names EQ 0x3f, which does not exist");
}

static void wrong_end(void)
{
	static const struct wrong_row profile[] = {
		F(teardown_hca, profile, 1, "profile 1: only graceful teardown is supported"),
	};
	struct prm_teardown_hca_in in = {};
	uint32_t uar = rig_create(&WRONG_CMD(alloc_uar, &(struct prm_alloc_uar_in){}));
	char text[64];

	wrong_uars(uar);
	WRONG_ONLY(&WRONG_CMD(teardown_hca, &in), profile);
	wrong_begin();
	rig_create(&WRONG_CMD(teardown_hca, &in));
	snprintf(text, sizeof(text), "leak: UAR 0x%x was not destroyed", uar);
	wrong_expect("a UAR that was not freed", text);
	wrong_begin();
	rig_create(&WRONG_CMD(disable_hca, &(struct prm_disable_hca_in){}));
	wrong_expect("pages that were not reclaimed", "leak: * pages were not reclaimed");
}

static void wrong_function(const char *bin_dir)
{
	static const struct wrong_row owner[] = {
		F(init_hca, sw_owner_id[0], 1, "sw_owner_id is not advertised"),
	};

	emu_start(&rig.emu, bin_dir, 1);
	wrong_open(rig.emu.log, ktap);
	client_open(&rig.c, &rig.emu, 0);
	wrong_messages();
	wrong_connections();
	wrong_registers();
	cmdq_setup(&rig.c);
	wrong_before_enable();
	wrong_slots();
	wrong_doorbells();
	wrong_before_init();
	wrong_caps();
	wrong_pages();
	ktap(!give_pages(&rig.c, 1) && !give_pages(&rig.c, 2), "pages");
	WRONG(&WRONG_CMD(init_hca, &(struct prm_init_hca_in){}), owner);
	wrong_running();
	wrong_end();
	ktap(rig_close() == 3, "exit status 3 of a ConnectX-5");
}

/* ---- other cards ---- */

/* On a ConnectX-4 Lx the vport decides how much of a packet is inline. */
static void wrong_inline(const char *bin_dir)
{
	static const struct wrong_row rows[] = {
		F(modify_nic_vport_context, nic_vport_context.min_wqe_inline_mode, 4,
		  "min_wqe_inline_mode 4 is unknown"),
	};
	struct prm_modify_nic_vport_context_in in = {};

	rig_open_card(bin_dir, 1, "cx4lx");
	prm_set(&in, field_select.min_inline, 1);
	WRONG(&WRONG_CMD(modify_nic_vport_context, &in), rows);
	ktap(rig_close() == 3, "exit status 3 of a ConnectX-4 Lx");
}

/* A card with fewer EQs, without page requests, that has to know who owns its functions. */
static void wrong_changed(const char *bin_dir)
{
	static const struct wrong_row event[] = {
		F(create_eq, event_bitmask[0], 1 << PRM_EVENT_PAGE_REQUEST,
		  "page_request_disable: the card has no page request events"),
	};
	static const struct wrong_row second[] = {
		{ .field = "a second one", .status = PRM_STATUS_NO_RES,
		  .text = "max_num_eqs: the card has 1 EQs" },
	};
	static const struct wrong_row unowned[] = {
		{ .field = "without owners", .status = PRM_STATUS_BAD_RES_STATE,
		  .text = "the functions of the card have no common sw_owner_id" },
	};
	struct { struct prm_create_eq_in in; __be64 pas[1]; } b = {};
	struct prm_create_lag_in lag = {};
	uint32_t uar;

	rig_open_card(bin_dir, 2, "cx5,ports=2");
	emu_control(&rig.emu, "fault f0 cap sw_owner_id 1");
	emu_control(&rig.emu, "fault f0 cap max_num_eqs 1");
	emu_control(&rig.emu, "fault f0 cap page_request_disable 1");
	reg_write(&rig.c, offsetof(struct prm_iseg, cmdq_addr_l_sz),
		  PRM_NIC_IFC_SW_RESET << PRM_ISEG_NIC_IFC_SHIFT);
	ktap(!boot_to_init(&rig.c), "a changed ConnectX-5 starts");
	uar = rig_create(&WRONG_CMD(alloc_uar, &(struct prm_alloc_uar_in){}));
	prm_set(&b.in, eq_context_entry.log_eq_size, 6);
	prm_set(&b.in, eq_context_entry.uar_page, uar);
	b.pas[0] = cpu_to_be64(rig_page());
	WRONG(&WRONG_CMD(create_eq, &b), event);
	WRONG_ONLY(&WRONG_CMD(create_eq, &b), second);
	prm_set(&lag, ctx.tx_remap_affinity_1, 1);
	prm_set(&lag, ctx.tx_remap_affinity_2, 2);
	WRONG_ONLY(&WRONG_CMD(create_lag, &lag), unowned);
	ktap(rig_close() == 3, "exit status 3 of a changed ConnectX-5");
}

static const struct wrong_row lag_rows[] = {
	F(create_lag, ctx.lag_state, 1, "lag_state is set (0x1), but it is read-only"),
	F(create_lag, ctx.fdb_selection_mode, 1,
	  "fdb_selection_mode is set (0x1), but it is not advertised"),
	F(create_lag, ctx.port_select_mode, 1,
	  "port_select_mode 1 is not advertised"),
	F(create_lag, ctx.active_port, 1,
	  "active_port is set (0x1), but it is valid only in hash mode"),
	F(create_lag, ctx.tx_remap_affinity_1, 3,
	  "tx_remap_affinity 3 and 2: ports are 1 to 2"),
};

static const struct wrong_row demux_rows[] = {
	F(create_flow_table, flow_table_context.table_miss_action, 1,
	  "table_miss_action is set (0x1), but a LAG demux table has none"),
	F(create_flow_table, flow_table_context.table_miss_id, 1,
	  "table_miss_id is set (0x1), but a LAG demux table has none"),
};

static void wrong_lag(const char *bin_dir)
{
	static const struct wrong_row none[] = {
		{ .field = "without a LAG", .status = PRM_STATUS_BAD_RES_STATE,
		  .text = "there is no LAG" },
	};
	static const struct wrong_row no_vport[] = {
		{ .field = "without a vport LAG", .status = PRM_STATUS_BAD_RES_STATE,
		  .text = "there is no vport LAG" },
	};
	static const struct wrong_row modify[] = {
		F(modify_lag, field_select, 2, "field_select 0x2: this LAG can modify 0x1"),
		F(modify_lag, field_select, 3, "field_select 0x3: this LAG can modify 0x1"),
		F(modify_lag, ctx.port_select_mode, 1,
		  "port_select_mode is set (0x1), but a LAG keeps its mode"),
	};
	static const struct wrong_row object[] = {
		{ .field = "on a card without", .status = PRM_STATUS_BAD_OP,
		  .text = "the card advertises no general objects" },
	};
	struct prm_create_lag_in in = {};
	struct prm_modify_lag_in change = {};
	struct prm_create_flow_table_in demux = {};

	rig_open_card(bin_dir, 2, "cx5,ports=2");
	WRONG_ONLY(&WRONG_CMD(destroy_general_object, &(struct prm_destroy_general_object_in){}),
		   object);
	WRONG_ONLY(&WRONG_CMD(destroy_lag, &(struct prm_destroy_lag_in){}), none);
	prm_set(&in, ctx.tx_remap_affinity_1, 1);
	prm_set(&in, ctx.tx_remap_affinity_2, 2);
	WRONG(&WRONG_CMD(create_lag, &in), lag_rows);
	prm_set(&change, field_select, 1);
	prm_set(&change, ctx.tx_remap_affinity_1, 2);
	prm_set(&change, ctx.tx_remap_affinity_2, 1);
	WRONG(&WRONG_CMD(modify_lag, &change), modify);
	WRONG_ONLY(&WRONG_CMD(destroy_vport_lag, &(struct prm_destroy_vport_lag_in){}), no_vport);
	rig_create(&WRONG_CMD(create_vport_lag, &(struct prm_create_vport_lag_in){}));
	prm_set(&demux, op_mod, 1);
	WRONG(&WRONG_CMD(create_flow_table, &demux), demux_rows);
	ktap(rig_close() == 3, "exit status 3 of two ports");
}

int main(int argc, char **argv)
{
	(void)argc;
	ktap_plan(0);
	wrong_function(argv[1]);
	wrong_inline(argv[1]);
	wrong_changed(argv[1]);
	wrong_lag(argv[1]);
	return ktap_end();
}
