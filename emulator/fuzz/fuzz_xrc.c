// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * XRC: messages to shared receive queues that come and go in the middle of them, with numbers that
 * are used again at once. An input is a list of steps.
 */
#include "../tests/rdma.h"
#include "fuzz.h"

#define STEPS_MAX 128
#define SRQS 4u
#define LOG_SRQ 4
#define MESSAGE_MAX 20000u

enum { CREATE, DESTROY, RECEIVE, SEND, DROP, PROCEED, SETTLE, TIME, RESET_QP, ACTIONS };

static struct tcq ca, cb;
static struct tqp x, y;
static struct tsrq srqs[SRQS], none, plain;
static bool there[SRQS];
static uint32_t domain_a, domain_b;

static void open_pair(void)
{
	struct qp_opts ini = { .addr = ADDR_V2_IPV4, .timeout = 10, .mtu = 1 }, tgt = ini;

	sides_open();
	create_cq(&ca, &a, 9);
	create_cq(&cb, &b, 9);
	domain_a = alloc_xrcd(&a);
	domain_b = alloc_xrcd(&b);
	create_xrc_srq(&none, &a, LOG_SRQ, domain_a, &ca, a.pd, 0xffffff);
	create_xrc_srq(&plain, &b, LOG_SRQ, domain_b, &cb, b.pd, 0xffffff);
	ini.xrcd = domain_a;
	ini.srq = &none;
	tgt.xrcd = domain_b;
	tgt.srq = &plain;
	tgt.no_sq = true;
	if (create_qp(&x, &a, PRM_QP_ST_XRC, &ca, &ini) ||
	    create_qp(&y, &b, PRM_QP_ST_XRC, &cb, &tgt) || qp_init(&x, &ini) ||
	    qp_init(&y, &tgt) || qp_rtr(&x, &y, &ini) || qp_rtr(&y, &x, &tgt) || qp_rts(&x, &ini) ||
	    qp_rts(&y, &tgt))
		abort();
}

static void destroy(unsigned int i)
{
	struct prm_destroy_xrc_srq_in in = {};
	struct prm_destroy_xrc_srq_out out;

	prm_set(&in, xrc_srqn, srqs[i].num);
	command(&b, destroy_xrc_srq, &in, &out);
	there[i] = false;
}

static void send_one(struct input *in, uint32_t num)
{
	static const uint8_t ops[] = { PRM_WQE_SEND, PRM_WQE_SEND_IMM, PRM_WQE_RDMA_WRITE,
				       PRM_WQE_RDMA_WRITE_IMM, PRM_WQE_RDMA_READ };
	struct wr wr = { .opcode = ops[input_u8(in) % ARRAY_SIZE(ops)], .n = 1, .xrc_srqn = num,
			 .sge = { { a.va, input_u16(in) % MESSAGE_MAX, a.lkey } } };

	if (wr.opcode != PRM_WQE_SEND && wr.opcode != PRM_WQE_SEND_IMM) {
		wr.raddr = b.va;
		wr.rkey = b.rkey;
	}
	post_send(&x, &wr);
}

static void step(struct input *in)
{
	unsigned int action = input_u8(in) % ACTIONS, i = input_u8(in) % SRQS, n;
	struct tsge sge = { b.va, 0, b.lkey };

	switch (action) {
	case CREATE:
		if (there[i])
			return;
		create_xrc_srq(&srqs[i], &b, LOG_SRQ, domain_b, &cb, b.pd, 0x999);
		there[i] = true;
		return;
	case DESTROY:
		if (there[i])
			destroy(i);
		return;
	case RECEIVE:
		sge.len = input_u16(in) % MESSAGE_MAX;
		if (there[i])
			post_srq(&srqs[i], 1, &sge);
		return;
	case SEND:
		send_one(in, srqs[i].num);
		return;
	case DROP:
		wire_watch();
		wire.drop_at = 1 + input_u8(in) % 32;
		return;
	case PROCEED:
		for (n = 1 + input_u8(in) % 8; n; n--)
			loop_run_pending();
		return;
	case SETTLE:
		settle();
		return;
	case TIME:
		pass_time(1 + input_u8(in) % 8);
		return;
	case RESET_QP:
		qp_command(input_u8(in) & 1 ? &x : &y, PRM_OP_qp_2err);
		return;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = input_begin(data, size);
	unsigned int n;

	obj_reuse_numbers = true;
	memset(srqs, 0, sizeof(srqs));
	memset(there, 0, sizeof(there));
	open_pair();
	for (n = 0; n < STEPS_MAX && input.left; n++)
		step(&input);
	sides_close();
	return input_end();
}
