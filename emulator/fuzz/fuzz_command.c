// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Commands: a fresh function with two user contexts, then one command after another, of the driver
 * or of one of them. An input is a list of {opcode, length, bytes}; the recorded commands of the
 * host tests are the seeds.
 */
#include "../tests/dut.h"
#include "card/card.h"
#include "func/user.h"
#include "fuzz.h"

#define COMMANDS_MAX 64
#define IN_MAX 1024
#define OUT_MAX 4096

#define UMEM_PAGES 16

static void open_context(struct dut *dut, uint32_t cap)
{
	struct prm_create_uctx_in in = {};
	struct prm_create_uctx_out out;
	struct prm_create_umem_in umem = {};
	struct prm_create_umem_out umem_out;
	__be64 mtt[UMEM_PAGES];
	unsigned int i;

	prm_set(&in, cap, cap);
	dut_must(dut, create_uctx, &in, &out);
	prm_set(&umem, uid, prm_get(&out, uid));
	prm_set64(&umem, num_of_mtt, UMEM_PAGES);
	for (i = 0; i < UMEM_PAGES; i++)
		mtt[i] = cpu_to_be64(dut_alloc(dut, 4096) | MTT_READ | MTT_WRITE);
	dut_check(dut_cmd_tail(dut, create_umem, &umem, &umem_out, mtt, sizeof(mtt)), "umem");
}

/* A page of the device's memory, with an operation, of which an input can make more. */
static void alloc_memory(struct dut *dut)
{
	struct prm_alloc_memic_in in = {};
	struct prm_alloc_memic_out out;
	struct prm_modify_memic_in op = {};
	struct prm_modify_memic_out op_out;

	prm_set64(&in, range_start_addr, dut->dev->card->memic_at);
	prm_set(&in, range_size, 4096);
	prm_set(&in, memic_size, 4096);
	dut_must(dut, alloc_memic, &in, &out);
	prm_set64(&op, memic_start_addr, prm_get64(&out, memic_start_addr));
	dut_must(dut, modify_memic, &op, &op_out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t in[16 + IN_MAX], out[OUT_MAX];
	struct input input = input_begin(data, size);
	struct obj *eq;
	struct dut *dut;
	unsigned int n;

	card_devx = true;
	dut = dut_create("f", 0);
	open_context(dut, PRM_UCTX_RAW_TX | PRM_UCTX_INTERNAL_DEV_RES);
	open_context(dut, 0);
	alloc_memory(dut);
	eq = obj_find(dut->dev, OBJ_EQ, dut->eq);
	eq->uid = PRM_UID_SHARED;
	for (n = 0; n < COMMANDS_MAX && input.left; n++) {
		unsigned int opcode = input_u16(&input);
		size_t len = 16 + input_u16(&input) % IN_MAX;

		input_bytes(&input, in, len);
		in[2] = 0;
		in[3] &= 3;
		dut_exec(dut, opcode, in, len, out, sizeof(out));
	}
	dut_run();
	dut_destroy(dut);
	return input_end();
}
