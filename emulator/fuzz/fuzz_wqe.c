// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Send queues: a connected pair, the sender's ring is the input's. Control segments name the right
 * queue pair unless the input says otherwise, and keys and addresses may be asked to be good.
 */
#include "../tests/rdma.h"
#include "fuzz.h"

#define WQES_MAX 12
#define BB 64
#define LOG_SQ 6

enum { FIX_CTRL = 1, FIX_RADDR = 2, FIX_DATA = 4 };

/* One WQE of up to three blocks; returns how many. */
static unsigned int put_wqe(struct input *in, const struct tqp *qp, uint8_t *wqe, uint16_t index)
{
	uint8_t fix = input_u8(in), opcode = input_u8(in), ds = input_u8(in);
	unsigned int blocks = 1 + ((ds & 15) * 16 - 1) / BB % 3;

	input_bytes(in, wqe, blocks * BB);
	if (fix & FIX_CTRL) {
		put32(wqe, (uint32_t)index << 8 | opcode);
		put32(wqe + 4, qp->qpn << 8 | (ds & 15));
	}
	if (fix & FIX_RADDR) {
		put64(wqe + 16, b.va + (fix >> 4) * 8);
		put32(wqe + 24, b.rkey);
	}
	if (fix & FIX_DATA) {
		put32(wqe + 36, a.lkey);
		put64(wqe + 40, a.va + (fix >> 4));
	}
	return blocks;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = input_begin(data, size);
	struct qp_opts o = { .addr = ADDR_V2_IPV4, .timeout = 1, .log_sq = LOG_SQ };
	struct tsge sge = { 0, 4096, 0 };
	struct tcq ca, cb;
	struct tqp x, y;
	unsigned int n, i;
	uint16_t at = 0;
	uint8_t *ring_mem;

	sides_open();
	create_cq(&ca, &a, 6);
	create_cq(&cb, &b, 6);
	create_pair(&x, &y, input_u8(&input) & 1 ? PRM_QP_ST_UC : PRM_QP_ST_RC, &ca, &cb, &o);
	sge.va = b.va;
	sge.key = b.lkey;
	for (i = 0; i < 4; i++)
		post_recv(&y, 1, &sge);
	ring_mem = mem_at(&a, x.sq);
	for (n = 0; n < WQES_MAX && input.left; n++)
		at += put_wqe(&input, &x, ring_mem + at * BB, at);
	put32((uint8_t *)mem_at(&a, x.dbr) + 4, at);
	ring(&x);
	settle();
	sides_close();
	return input_end();
}
