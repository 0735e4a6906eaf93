// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Corrupted packets, random WQEs, random commands: no response is expected, but under the
 * sanitizers the device must survive, become idle, and serve a new queue pair afterwards. All is
 * seeded, so that a failure can be reproduced.
 * Arguments: seed, rounds.
 */
#include <stdlib.h>

#include "key/key.h"
#include "rdma_dc.h"

#define POOL 512

static struct tcq ca, cb;
static struct frame *pool[POOL];
static unsigned int n_pool;
static uint64_t state;

static uint32_t rnd(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return below ? (state >> 32) % below : 0;
}

static enum wire_verdict keep_frames(void *arg, const struct port *from, struct frame *frame)
{
	(void)arg;
	(void)from;
	if (n_pool < POOL)
		pool[n_pool++] = frame_copy(frame);
	return WIRE_PASS;
}

/* The same of DC, which has no pairs: a sends to a target of b. */
static void open_dc(struct tqp *x, struct tdct *dct, const struct qp_opts *o)
{
	struct dct_opts d = { .addr = o->addr };

	a.next = (a.next + 4095) & ~4095ull;
	create_dci(x, &a, &ca, o);
	if (create_dct(dct, &b, &cb, &d))
		abort();
}

static void open_pair(struct tqp *x, struct tqp *y, struct qp_opts *o)
{
	a.next = (a.next + 4095) & ~4095ull;
	create_pair(x, y, PRM_QP_ST_RC, &ca, &cb, o);
}

static void empty_queues(void)
{
	while (poll(&ca) || poll(&cb))
		;
	while (poll_eq(&a) || poll_eq(&b))
		;
}

static void traffic(struct tqp *x, struct tqp *y)
{
	static const uint8_t ops[] = { PRM_WQE_SEND,	   PRM_WQE_SEND_IMM,
				       PRM_WQE_RDMA_WRITE, PRM_WQE_RDMA_WRITE_IMM,
				       PRM_WQE_RDMA_READ,  PRM_WQE_ATOMIC_CS,
				       PRM_WQE_ATOMIC_FA };
	unsigned int i;

	for (i = 0; i < 4 * ARRAY_SIZE(ops); i++) {
		struct tsge sge = { b.va + 8192 * i, 8192, b.lkey };
		uint8_t op = ops[i % ARRAY_SIZE(ops)];
		bool remote = op != PRM_WQE_SEND && op != PRM_WQE_SEND_IMM;
		struct wr wr = { .opcode = op,
				 .n = 1,
				 .raddr = b.va + 8 - b.va % 8,
				 .rkey = remote ? b.rkey : 0,
				 .sge = { { a.va, op >= PRM_WQE_ATOMIC_CS ? 8 : 1 + rnd(8000),
					    a.lkey } } };

		if (!remote || op == PRM_WQE_RDMA_WRITE_IMM)
			post_recv(y, 1, &sge);
		post_send(x, &wr);
		settle();
	}
	empty_queues();
}

static uint32_t counter_now(struct tqp *qp)
{
	return ((struct qp *)obj_find(qp->side->dev, OBJ_QP, qp->qpn))->resp.psn;
}

/*
 * Puts the PSN right now and then, so that not all is lost as out of sequence, and the ICRC mostly.
 */
static void corrupt(struct frame *frame, struct tqp *x, struct tqp *y)
{
	uint32_t bth = 14 + 20 + 8, flips = 1 + rnd(4), icrc;
	uint8_t *d = frame->data;

	if (rnd(3)) {
		bool to_b = !memcmp(d, b.dev->mac, 6);

		put32(d + bth + 4, to_b ? y->qpn : x->qpn);
		put32(d + bth + 8, 0x80000000u | counter_now(to_b ? y : x));
	}
	while (flips--)
		d[rnd(4) ? 14 + rnd(60) : rnd(frame->len)] ^= rnd(2) ? 1u << rnd(8) : rnd(256);
	if (!rnd(8))
		frame->len -= rnd(frame->len - 14);
	if (rnd(8) && frame->len > 14 + 20 + 8 + 12 + 4) {
		uint32_t len = (uint32_t)d[16] << 8 | d[17];

		if (len < 44 || len > frame->len - 14)
			return;
		icrc = bitwise_icrc(d + 14, len - 4, 0x0800);
		d[14 + len - 4] = icrc;
		d[14 + len - 3] = icrc >> 8;
		d[14 + len - 2] = icrc >> 16;
		d[14 + len - 1] = icrc >> 24;
	}
}

static void fuzz_packets(struct qp_opts *o, unsigned int rounds)
{
	uint32_t next_a = a.next, next_b = b.next;
	struct tqp x, y;
	unsigned int i, deaths = 0;

	open_pair(&x, &y, o);
	wire_set_filter(keep_frames, NULL);
	traffic(&x, &y);
	wire_set_filter(NULL, NULL);
	ok(n_pool > 50, "%u recorded frames can be corrupted", n_pool);
	for (i = 0; i < rounds; i++) {
		struct frame *frame = frame_copy(pool[rnd(n_pool)]);
		struct tsge sge = { b.va, 8192, b.lkey };

		if (!rnd(10))
			post_recv(&y, 1, &sge);
		corrupt(frame, &x, &y);
		port_send(memcmp(frame->data, b.dev->mac, 6) ? b.dev->port : a.dev->port, frame);
		settle();
		empty_queues();
		if (qp_state(&x) == PRM_QP_RTS && qp_state(&y) == PRM_QP_RTS && y.rq_pi % 60 != 59)
			continue;
		deaths++;
		destroy_pair(&x, &y);
		a.next = next_a;
		b.next = next_b;
		open_pair(&x, &y, o);
	}
	ok(true, "the device survives %u corrupted packets and %u QPs in error", rounds, deaths);
	destroy_pair(&x, &y);
	a.next = next_a;
	b.next = next_b;
}

static void fuzz_wqes(struct qp_opts *o, unsigned int rounds)
{
	uint32_t next_a = a.next, next_b = b.next;
	struct tqp x, y;
	unsigned int i, k;

	for (i = 0; i < rounds; i++) {
		uint32_t ds = rnd(4) ? 1 + rnd(8) : rnd(64);
		uint8_t *ring_mem;

		open_pair(&x, &y, o);
		ring_mem = mem_at(&a, x.sq);
		for (k = 0; k < 64u << x.log_sq; k++)
			ring_mem[k] = rnd(3) ? 0 : rnd(256);
		put32(ring_mem, rnd(0x28));
		put32(ring_mem + 4, x.qpn << 8 | ds);
		if (rnd(2)) {
			put64(ring_mem + 16, b.va + rnd(1000));
			put32(ring_mem + 24, b.rkey);
		}
		if (rnd(2)) {
			put32(ring_mem + 32, rnd(2) ? PRM_WQE_INLINE | rnd(64) : rnd(10000));
			put32(ring_mem + 36, a.lkey);
			put64(ring_mem + 40, a.va + rnd(1000));
		}
		put32((uint8_t *)mem_at(&a, x.dbr) + 4, 1 + rnd(20));
		ring(&x);
		settle();
		empty_queues();
		destroy_pair(&x, &y);
		a.next = next_a;
		b.next = next_b;
	}
	ok(true, "the device survives %u random send WQEs", rounds);
}

/* Bytes behind the Ethernet header of what a DCI and a DCT send to each other are changed. */
static enum wire_verdict change_frame(void *arg, const struct port *from, struct frame *frame)
{
	unsigned int flips = rnd(3);

	(void)arg;
	(void)from;
	while (flips--)
		frame->data[14 + rnd(frame->len - 14)] ^= rnd(2) ? 1u << rnd(8) : rnd(256);
	return rnd(20) ? WIRE_PASS : rnd(2) ? WIRE_DUPLICATE : WIRE_HOLD;
}

static void fuzz_dc(const struct qp_opts *o, unsigned int rounds)
{
	static const uint8_t ops[] = { PRM_WQE_SEND, PRM_WQE_RDMA_WRITE, PRM_WQE_RDMA_READ,
				       PRM_WQE_ATOMIC_FA };
	uint64_t next_a = a.next, next_b = b.next;
	unsigned int i, k;

	for (i = 0; i < rounds; i++) {
		struct tdct dct;
		struct tqp x;

		open_dc(&x, &dct, o);
		wire_set_filter(change_frame, NULL);
		for (k = 0; k < 4; k++) {
			uint8_t op = ops[rnd(ARRAY_SIZE(ops))];
			struct wr wr = dc_rdma(&dct, op, 0, op == PRM_WQE_ATOMIC_FA ? 8 : 3000);

			if (op == PRM_WQE_SEND)
				wr.rkey = 0;
			dct_recv(&dct, 0, rnd(2) ? 4000 : 1000);
			post_send(&x, &wr);
		}
		pass_time(3);
		wire_set_filter(NULL, NULL);
		empty_queues();
		destroy_dci(&x);
		close_dct(&dct);
		empty_queues();
		a.next = next_a;
		b.next = next_b;
	}
	ok(!b.dev->rdma_state->dc.n_responders, "the device survives %u changed packets of DC",
	   rounds * 4);
}

/* Objects that come of it stay until the end, as a driver that went away leaves them. */
static void fuzz_commands(unsigned int rounds)
{
	static const struct cmd_desc *const tables[] = { cmds_key, cmds_q_counter, cmds_qp,
							 cmds_qp_state, cmds_mcg, cmds_srq,
							 cmds_dct };
	static uint8_t in[4096] __attribute__((aligned(8))), out[4096] __attribute__((aligned(8)));
	const uint32_t numbers[] = { 0, 0, 0, a.pd, a.lkey >> 8, ca.cqn, 0x80, a.uar, 1 };
	unsigned int i, k, good = 0;

	for (i = 0; i < rounds; i++) {
		const struct cmd_desc *desc = tables[rnd(ARRAY_SIZE(tables))];
		uint32_t flips = rnd(2) * rnd(8), rows = 0;
		struct cmd c = { .dev = a.dev, .in = in, .out = out };

		while (desc[rows].name)
			rows++;
		desc += rnd(rows);
		memset(in, 0, sizeof(in));
		memset(out, 0, sizeof(out));
		c.opcode = desc->opcode;
		c.in_len = rnd(8) ? desc->in_len + (desc->tail ? rnd(2048) & ~7u : 0) :
				    rnd(sizeof(in));
		c.out_len = rnd(8) ? desc->out_len : rnd(sizeof(out));
		c.op_mod = rnd(8) ? 0 : rnd(4);
		put32(in + 8, numbers[rnd(ARRAY_SIZE(numbers))] + (rnd(3) ? 0 : rnd(40)));
		for (k = 0; k < flips; k++)
			in[rnd(desc->in_len + 32)] = rnd(2) ? 1u << rnd(8) : rnd(256);
		good += !cmd_run(&c);
		settle();
	}
	ok(good > 0, "of %u random commands %u succeed", rounds, good);
}

int main(int argc, char **argv)
{
	unsigned int rounds = argc > 2 ? atoi(argv[2]) : 3000, i;
	struct qp_opts o = { .addr = ADDR_V2_IPV4, .timeout = 1 };
	struct wr wr;
	struct tqp x, y;

	state = argc > 2 ? strtoull(argv[1], NULL, 0) * 2654435761u + 88172645463325252ull :
			   88172645463325252ull;
	dc_open();
	create_cq(&ca, &a, 9);
	create_cq(&cb, &b, 9);
	fuzz_packets(&o, rounds);
	fuzz_wqes(&o, rounds / 3);
	fuzz_dc(&o, rounds / 10);
	fuzz_commands(rounds * 3);
	a.pd = alloc_pd(&a);	/* the commands may have taken them away */
	a.lkey = create_mkey(&a, a.pd, MEM_LOCAL_READ | MEM_LOCAL_WRITE, a.va, BUF_BYTES - 4096, 0);
	open_pair(&x, &y, &o);
	buf_fill(&a, 0, 5000, 1);
	wr = (struct wr) { .opcode = PRM_WQE_RDMA_WRITE,
			   .n = 1,
			   .sge = { { a.va, 5000, a.lkey } },
			   .raddr = b.va,
			   .rkey = b.rkey };
	post_send(&x, &wr);
	settle();
	ok(poll(&ca) && buf_is(&b, 0, 5000, 1), "a new QP works afterwards");
	for (i = 0; i < n_pool; i++)
		frame_free(pool[i]);
	sides_close();
	return ok_end();
}
