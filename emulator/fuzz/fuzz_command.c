// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Commands: a fresh function, then one command after another. An input is a list of {opcode,
 * length, bytes}; the recorded commands of the host tests are the seeds.
 */
#include "../tests/dut.h"
#include "card/card.h"
#include "fuzz.h"

#define COMMANDS_MAX 64
#define IN_MAX 1024
#define OUT_MAX 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t in[16 + IN_MAX], out[OUT_MAX];
	struct dut *dut = dut_create("f", 0);
	struct input input = input_begin(data, size);
	unsigned int n;

	for (n = 0; n < COMMANDS_MAX && input.left; n++) {
		unsigned int opcode = input_u16(&input);
		size_t len = 16 + input_u16(&input) % IN_MAX;

		input_bytes(&input, in, len);
		dut_exec(dut, opcode, in, len, out, sizeof(out));
	}
	dut_run();
	dut_destroy(dut);
	return input_end();
}
