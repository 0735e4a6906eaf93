// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Commands with random bodies, doorbells with random values, random messages on the socket. The
 * seeds are fixed, so that a failure can be reproduced; a crash or a sanitizer's report shows in
 * the exit status.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "key/key.h"
#include "prm/caps.h"
#include "prm/devx.h"
#include "random.h"
#include "vfu_client.h"

#define ROUNDS 20
#define GUESTS 50
#define MEMORY_AT ((32u << 20) - MEMIC_BAR_BYTES)	/* in the BAR */

#define FUZZ_OP(name, number) PRM_OP_##name,
static const uint16_t opcodes[] = { PRM_CMD_LIST(FUZZ_OP) };

static void fill(uint8_t *p, uint32_t len, unsigned int density)
{
	memset(p, 0, len);
	spoil(p, len, density);
}

static bool ends_running(uint16_t op)
{
	return op == PRM_OP_teardown_hca || op == PRM_OP_disable_hca;
}

static uint32_t users[2];	/* the first contexts of the function */

static bool create_contexts(struct client *c)
{
	struct prm_create_uctx_in uctx = {};
	struct prm_create_uctx_out made;
	unsigned int i;

	prm_set(&uctx, opcode, PRM_OP_create_uctx);
	prm_set(&uctx, cap, PRM_UCTX_RAW_TX | PRM_UCTX_INTERNAL_DEV_RES);
	for (i = 0; i < 2; i++) {
		if (cmd_exec(c, &uctx, sizeof(uctx), &made, sizeof(made), NULL))
			return false;
		users[i] = prm_get(&made, uid);
	}
	return true;
}

static uint8_t in[0x2000] __attribute__((aligned(8))), out[0x2000];

#define PRM_IN(name) ((struct prm_##name##_in *)in)

/* Of the device's memory: a range, an allocation that there may be, a key of it. */
static void aim_at_memory(uint16_t op, uint32_t len)
{
	uint64_t addr = MEMORY_AT + rnd(8) * 4096ull;

	if (op == PRM_OP_alloc_memic && len >= sizeof(struct prm_alloc_memic_in)) {
		prm_set(PRM_IN(alloc_memic), log_memic_addr_alignment, rnd(8));
		prm_set64(PRM_IN(alloc_memic), range_start_addr, addr);
		prm_set(PRM_IN(alloc_memic), range_size, 4096 * rnd(4));
		prm_set(PRM_IN(alloc_memic), memic_size, 64 << rnd(8));
	} else if (op == PRM_OP_dealloc_memic && len >= sizeof(struct prm_dealloc_memic_in)) {
		prm_set64(PRM_IN(dealloc_memic), memic_start_addr, addr);
		prm_set(PRM_IN(dealloc_memic), memic_size, 64 << rnd(8));
	} else if (op == PRM_OP_modify_memic && len >= sizeof(struct prm_modify_memic_in)) {
		prm_set(PRM_IN(modify_memic), op_mod, rnd(3));
		prm_set(PRM_IN(modify_memic), memic_operation_type, rnd(3));
		prm_set64(PRM_IN(modify_memic), memic_start_addr, addr);
	} else if (op == PRM_OP_create_mkey && len >= sizeof(struct prm_create_mkey_in)) {
		prm_set(PRM_IN(create_mkey), memory_key_mkey_entry.access_mode_1_0, 1);
		prm_set(PRM_IN(create_mkey), memory_key_mkey_entry.access_mode_4_2, 1);
		prm_set(PRM_IN(create_mkey), memory_key_mkey_entry.qpn, 0xffffff);
		prm_set64(PRM_IN(create_mkey), memory_key_mkey_entry.start_addr, addr + rnd(128));
		prm_set64(PRM_IN(create_mkey), memory_key_mkey_entry.len, rnd(4096));
	}
}

static int send_command(struct client *c, uint16_t op, uint32_t len, unsigned int density)
{
	fill(in, len, density);
	if (density && rnd(2))
		aim_at_memory(op, len);
	in[0] = op >> 8;
	in[1] = op;
	/* the driver, or one of the first contexts, if it is still there */
	prm_set((struct prm_mbox_in *)in, uid, density && rnd(3) ? users[rnd(2)] : 0);
	return cmd_exec(c, in, len, out, 0x1010, NULL);
}

/* The shortest input that the card accepts for this command; 8 addresses may follow. */
static uint32_t input_length(struct client *c, uint16_t op)
{
	uint32_t len;

	for (len = 16; len <= 0x400; len += 8)
		if ((send_command(c, op, len, 0) & 0xff) != PRM_STATUS_BAD_INP_LEN)
			return len;
	return 0x1010;
}

static unsigned int fuzz_commands(struct client *c)
{
	unsigned int answered = 0, round, i;
	uint32_t len;

	for (i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++) {
		if (ends_running(opcodes[i])) {
			answered += ROUNDS;
			continue;
		}
		len = input_length(c, opcodes[i]);
		for (round = 0; round < ROUNDS; round++)
			answered += send_command(c, opcodes[i], len + (round & 1 ? 64 : 0),
						 round / 2) >= 0;
	}
	return answered;
}

static void fuzz_doorbells(struct client *c)
{
	uint8_t data[8];
	uint64_t at;
	unsigned int i, k, len;

	for (i = 0; i < 3000; i++) {
		for (k = 0; k < 8; k++)
			data[k] = rnd(2) ? 0 : rnd(256);
		len = 1u << rnd(4);
		at = (rnd(2) ? 64 : rnd(100)) * 4096ull + rnd(4096 / len) * len;
		if (!rnd(3))
			at = MEMORY_AT + rnd(MEMIC_BAR_BYTES - 8);
		if (at == offsetof(struct prm_iseg, cmdq_addr_h) ||
		    at == offsetof(struct prm_iseg, cmdq_addr_l_sz))
			continue;
		region_write(c, 0, at, data, len, true);
	}
	reg_read(c, 0);
}

/* Valid headers with random payloads; then the connection is closed. */
static void fuzz_messages(struct emu *emu)
{
	uint8_t payload[256];
	struct client c;
	unsigned int i, k;

	for (k = 0; k < 8; k++) {
		client_connect(&c, emu, 1);
		for (i = 0; i < 200; i++) {
			fill(payload, sizeof(payload), rnd(40));
			vfu_send(&c, rnd(17), rnd(2) ? 0x10 : 0x10 | rnd(256) << 8, payload,
				 rnd(sizeof(payload)), NULL, 0);
		}
		client_close(&c);
	}
}

/*
 * A guest that does a few random things and disconnects like a killed VM. Every other one
 * initializes the function first. Returns the number of commands that never completed.
 */
static unsigned int random_guest(struct emu *emu, unsigned int number)
{
	unsigned int unanswered = 0, i, k;
	uint8_t data[256];
	struct client c;
	uint16_t op;

	rnd_state = 0x9e3779b97f4a7c15ull * (number + 1);
	client_open(&c, emu, 1);
	if (number % 2)
		unanswered += boot_to_init(&c) || !create_contexts(&c);
	else
		cmdq_setup(&c);
	for (i = 0; i < 12; i++) {
		op = opcodes[rnd(sizeof(opcodes) / sizeof(opcodes[0]))];
		if (number % 2 && ends_running(op))
			continue;
		unanswered += send_command(&c, op, 16 + 8 * rnd(66), rnd(12)) < 0;
	}
	for (i = 0; i < 20; i++) {
		for (k = 0; k < 8; k++)
			data[k] = rnd(2) ? 0 : rnd(256);
		region_write(&c, 0, (64 + rnd(4)) * 4096ull + rnd(512) * 8, data, 8, true);
	}
	for (i = 0; i < 6; i++) {
		fill(data, sizeof(data), rnd(40));
		vfu_send(&c, rnd(17), rnd(2) ? 0x10 : 0x10 | rnd(256) << 8, data,
			 rnd(sizeof(data)), NULL, 0);
	}
	client_close(&c);
	return unanswered;
}

static void random_guests(struct emu *emu, unsigned int n)
{
	unsigned int unanswered = 0, i;
	struct client c;

	for (i = 0; i < n; i++) {
		unanswered += random_guest(emu, i);
		if (unanswered) {
			printf("# guest %u\n", i);
			break;
		}
	}
	ktap(!unanswered, "every command of %u random guests completes", n);
	client_open(&c, emu, 1);
	ktap(!boot_to_init(&c) && !shut_down(&c), "the guest after them can start and shut down");
	client_close(&c);
}

int main(int argc, char **argv)
{
	struct client c, probe;
	unsigned int n;
	struct emu emu;
	int status;

	(void)argc;
	rnd_state = 0x9e3779b97f4a7c15ull;
	ktap_plan(7);
	emu_start_option(&emu, argv[1], 2, "--card", "cx5,devx");
	client_open(&c, &emu, 0);
	ktap(!boot_to_init(&c) && create_contexts(&c), "the function starts, with two contexts");
	n = fuzz_commands(&c);
	ktap(n == ROUNDS * sizeof(opcodes) / sizeof(opcodes[0]),
	     "each of %u random commands completes",
	     (unsigned int)(ROUNDS * sizeof(opcodes) / sizeof(opcodes[0])));
	fuzz_doorbells(&c);
	fuzz_messages(&emu);
	client_open(&probe, &emu, 1);
	ktap(!boot_to_init(&probe), "the other function starts after random messages");
	client_close(&probe);
	random_guests(&emu, argc > 2 ? atoi(argv[2]) : GUESTS);
	ktap(!shut_down(&c), "the function shuts down after random commands and doorbells");
	client_close(&c);
	status = emu_stop(&emu);
	ktap(status == 3, "the exit status is 3: no crash, no sanitizer report");
	return ktap_end();
}
