// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Programs of verbs whose outcome differs with the way that packets take are findings. */
#include "../tests/rdma.h"
#include "../tests/rdma_direct.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct direct_sent sent;

	input_begin(data, size);
	if (!direct_same(data, size, &sent)) {
		fflush(stdout);
		abort();
	}
	return input_end();
}
