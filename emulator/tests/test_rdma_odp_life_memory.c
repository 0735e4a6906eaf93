// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* On-demand paging of all transports, and its bad ends, by the memory scheme. */
#include "rdma_odp.h"

int main(void)
{
	return odp_life(true);
}
