// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * DC transport: initiators with streams and targets that come and go, with numbers that are used
 * again at once, on a wire that loses, doubles, reorders and changes packets. An input is a list of
 * steps.
 */
#include "../tests/rdma_dc.h"
#include "fuzz.h"

#define STEPS_MAX 160
#define PEERS 3u
#define MESSAGE_MAX 5000u
#define HEADERS (14 + 20 + 8 + 12)	/* before what DC adds to a BTH */

enum {
	SEND, RECEIVE, WIRE, PROCEED, SETTLE, TIME, CREATE, DRAIN, DESTROY, RESET, RESET_STREAM,
	FORGET, ACTIONS
};

static struct tcq ca, cb;
static struct tqp dcis[PEERS];
static struct tdct dcts[PEERS];

/* What becomes of the next frame. */
static struct {
	enum wire_verdict verdict;
	uint8_t at, value;	/* a byte behind the BTH, if value is not 0 */
} fate;

static enum wire_verdict filter(void *arg, const struct port *from, struct frame *frame)
{
	enum wire_verdict verdict = fate.verdict;

	(void)arg;
	(void)from;
	if (fate.value && HEADERS - 12u + fate.at < frame->len - 4)
		frame->data[HEADERS - 12 + fate.at] ^= fate.value;
	fate.verdict = WIRE_PASS;
	fate.value = 0;
	return verdict;
}

static const struct qp_opts opts = { .addr = ADDR_V2_IPV4, .mtu = PRM_QP_MTU_256, .log_streams = 3,
				     .log_errored = 1, .timeout = 8 };
static const struct dct_opts target = { .addr = ADDR_V2_IPV4, .mtu = PRM_QP_MTU_256,
					.log_srq = 4 };

static void open_all(void)
{
	unsigned int i;

	dc_open();
	create_cq(&ca, &a, 9);
	create_cq(&cb, &b, 9);
	for (i = 0; i < PEERS; i++) {
		create_dci(&dcis[i], &a, &ca, &opts);
		if (create_dct(&dcts[i], &b, &cb, &target))
			abort();
	}
	fate.verdict = WIRE_PASS;
	fate.value = 0;
	wire_set_filter(filter, NULL);
}

static void send_one(struct input *in, unsigned int i)
{
	static const uint8_t ops[] = { PRM_WQE_SEND, PRM_WQE_SEND_IMM, PRM_WQE_RDMA_WRITE,
				       PRM_WQE_RDMA_WRITE_IMM, PRM_WQE_RDMA_READ,
				       PRM_WQE_ATOMIC_FA, PRM_WQE_SEND_INVAL };
	uint8_t op = ops[input_u8(in) % ARRAY_SIZE(ops)], wrong = input_u8(in);
	const struct tdct *to = &dcts[wrong % PEERS];
	uint32_t len = 1 + input_u16(in) % MESSAGE_MAX;
	struct wr wr = dc_rdma(to, op, 0, op == PRM_WQE_ATOMIC_FA ? 8 : len);

	if (op == PRM_WQE_SEND || op == PRM_WQE_SEND_IMM || op == PRM_WQE_SEND_INVAL)
		wr.rkey = 0;
	wr.stream = wrong >> 2 & 3;
	if (wrong & 0x10)
		wr.dc_key++;
	if (wrong & 0x20)
		wr.sge[0].key += 0x100000;
	if (wrong & 0x40 && wr.rkey)
		wr.rkey += 0x100000;
	post_send(&dcis[i], &wr);
}

static void reset(unsigned int i)
{
	struct tqp *qp = &dcis[i];

	qp_command(qp, PRM_OP_qp_2rst);
	qp->sq_pi = 0;
	put32((uint8_t *)mem_at(&a, qp->dbr) + 4, 0);
	dci_to_rts(qp, &opts);
}

static void reset_stream(unsigned int i, unsigned int stream)
{
	struct { struct prm_rts2rts_qp_in in; struct prm_qpc_ext ext; } cmd = {};
	struct prm_rts2rts_qp_out out;

	prm_set(&cmd.in, opcode, PRM_OP_rts2rts_qp);
	prm_set(&cmd.in, qpn, dcis[i].qpn);
	prm_set(&cmd.in, qpc_ext, 1);
	prm_set64(&cmd.in, opt_param_mask_95_32, PRM_QP_OPT_32_DCI_STREAM);
	prm_set(&cmd.ext, dci_stream_channel_id, stream);
	exec(&a, PRM_OP_rts2rts_qp, &cmd, sizeof(cmd), &out, sizeof(out));
}

static void disturb(struct input *in)
{
	static const enum wire_verdict verdicts[] = { WIRE_PASS, WIRE_DROP, WIRE_DUPLICATE,
						      WIRE_HOLD };
	uint8_t choice = input_u8(in);

	fate.verdict = verdicts[choice & 3];
	fate.at = choice >> 2;
	fate.value = choice & 3 ? 0 : input_u8(in);
}

static void step(struct input *in)
{
	unsigned int action = input_u8(in) % ACTIONS, i = input_u8(in) % PEERS, n;

	switch (action) {
	case SEND:
		send_one(in, i);
		return;
	case RECEIVE:
		dct_recv(&dcts[i], 0, 1 + input_u16(in) % MESSAGE_MAX);
		return;
	case WIRE:
		disturb(in);
		return;
	case PROCEED:
		for (n = 1 + input_u8(in) % 8; n; n--)
			loop_run_pending();
		return;
	case SETTLE:
		settle();
		wire_set_filter(filter, NULL);
		return;
	case TIME:
		loop_test_clock(now_ns() + (1 + input_u8(in)) * 100000ull);
		return;
	case CREATE:
		if (!obj_find(b.dev, OBJ_DCT, dcts[i].num))
			create_dct(&dcts[i], &b, &cb, &target);
		return;
	case DRAIN:
		dct_command(&dcts[i], PRM_OP_drain_dct);
		return;
	case DESTROY:
		dct_command(&dcts[i], PRM_OP_destroy_dct);
		return;
	case RESET:
		reset(i);
		return;
	case RESET_STREAM:
		reset_stream(i, input_u8(in) & 3);
		return;
	case FORGET:
		b.dev->rdma_state->dc.n_past = 0;
		return;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = input_begin(data, size);
	unsigned int n;

	obj_reuse_numbers = true;
	open_all();
	for (n = 0; n < STEPS_MAX && input.left; n++)
		step(&input);
	sides_close();
	return input_end();
}
