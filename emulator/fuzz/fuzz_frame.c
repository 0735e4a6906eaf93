// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Received frames. A frame of real traffic (RC operations over RoCE v1 and v2) is taken, patched
 * where the input says, given a right ICRC unless the input says otherwise, and sent to a fresh
 * pair; or the input is the frame.
 */
#include "../tests/rdma.h"
#include "fuzz.h"

#define POOL 48
#define FRAMES_MAX 8

static struct frame *pool[POOL];
static unsigned int n_pool;
static struct tcq ca, cb;
static struct tqp x, y;

static enum wire_verdict record_frame(void *arg, const struct port *from, struct frame *frame)
{
	(void)arg;
	(void)from;
	if (n_pool < POOL && frame->len < 1200)
		pool[n_pool++] = frame_copy(frame);
	return WIRE_PASS;
}

static void open_pair(unsigned int addr)
{
	struct qp_opts o = { .addr = addr, .timeout = 1 };
	struct tsge sge = { 0, 4096, 0 };
	unsigned int i;

	sides_open();
	create_cq(&ca, &a, 6);
	create_cq(&cb, &b, 6);
	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	sge.va = b.va;
	sge.key = b.lkey;
	for (i = 0; i < 4; i++)
		post_recv(&y, 1, &sge);
}

static void record(unsigned int addr)
{
	static const uint8_t ops[] = { PRM_WQE_SEND,	       PRM_WQE_RDMA_WRITE,
				       PRM_WQE_RDMA_WRITE_IMM, PRM_WQE_RDMA_READ,
				       PRM_WQE_ATOMIC_CS,      PRM_WQE_ATOMIC_FA };
	unsigned int i;

	open_pair(addr);
	wire_set_filter(record_frame, NULL);
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		bool remote = ops[i] != PRM_WQE_SEND, atomic = ops[i] >= PRM_WQE_ATOMIC_CS;
		struct wr wr = { .opcode = ops[i],
				 .n = 1,
				 .raddr = (b.va + 7) & ~7ull,
				 .rkey = remote ? b.rkey : 0,
				 .sge = { { a.va, atomic ? 8 : 100, a.lkey } } };

		post_send(&x, &wr);
		settle();
	}
	wire_set_filter(NULL, NULL);
	sides_close();
}

/* The packet's own idea of where its ICRC stands, for both kinds of frames. */
static void fix_icrc(struct frame *frame)
{
	uint8_t *d = frame->data;
	uint16_t type = d[12] << 8 | d[13];
	uint32_t len, icrc;

	if (frame->len < 14 + 60)
		return;
	len = type == 0x0800 ? (uint32_t)(d[16] << 8 | d[17]) : 40u + (d[18] << 8 | d[19]);
	if (len < 44 || len > frame->len - 14)
		return;
	icrc = bitwise_icrc(d + 14, len - 4, type);
	d[14 + len - 4] = icrc;
	d[14 + len - 3] = icrc >> 8;
	d[14 + len - 2] = icrc >> 16;
	d[14 + len - 1] = icrc >> 24;
}

static struct frame *make_frame(struct input *in)
{
	uint8_t choice = input_u8(in), patches = input_u8(in);
	struct frame *frame;

	if (choice == 255) {
		frame = frame_alloc(14 + input_u16(in) % 1500);
		input_bytes(in, frame->data, frame->len);
		return frame;
	}
	frame = frame_copy(pool[choice % n_pool]);
	for (; patches & 7; patches--) {
		uint16_t at = input_u16(in);

		frame->data[at % frame->len] = input_u8(in);
	}
	if (patches & 8 && frame->len > 60)
		frame->len -= input_u8(in) % (frame->len - 60);
	if (!(patches & 16))
		fix_icrc(frame);
	return frame;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = input_begin(data, size);
	static unsigned int addr;
	unsigned int n;

	for (; addr < ADDRS; addr++)
		record(addr);
	open_pair(input_u8(&input) % ADDRS);
	for (n = 0; n < FRAMES_MAX && input.left; n++) {
		struct frame *frame = make_frame(&input);

		if (frame)
			port_send(a.dev->port, frame);
		settle();
	}
	sides_close();
	return input_end();
}
