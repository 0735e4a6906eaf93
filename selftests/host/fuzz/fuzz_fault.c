// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * A page fault as any device may report it, of a request as any program may post it: a header, the
 * event, and the WQE. A walk ends, reads the WQE alone, and asks for a bounded part of memory.
 */
#include "../fault_walk.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct cxr_fault_wqe what = { .kind = CXR_FAULT_SEND };
	struct cxr_fault fault;
	struct prm_eqe eqe;
	struct walked w;

	if (size < 1 + sizeof(eqe))
		return 0;
	memcpy(&eqe, data + 1, sizeof(eqe));
	cxr_fault_decode(&eqe, &fault);
	if (fault.kind == CXR_FAULT_RDMA && (!fault.len || fault.len > CXR_FAULT_BYTES))
		abort();
	if (fault.kind == CXR_FAULT_RECV || fault.kind == CXR_FAULT_SRQ)
		what.kind = fault.kind;
	what.datagram = data[0] & 1;
	what.xrc = data[0] & 2;
	what.terminate_lkey = 0x100;
	what.committed = fault.committed;
	size -= 1 + sizeof(eqe);
	w = walk_wqe(&what, data + 1 + sizeof(eqe), size > 1008 ? 1008 : size);
	if (!walked_well(&w))
		abort();
	return 0;
}
