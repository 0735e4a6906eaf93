// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * How fast the device's engine is by itself: two functions in this process, arrays as guest memory,
 * no virtual machine. Bandwidth stands beside what memcpy does with the same bytes in the same run.
 * Numbers are CPU time, so that other work on the machine does not count.
 */
#include <malloc.h>
#include <stdlib.h>

#include "bench.h"
#include "../tests/rdma.h"

#define LARGE 65536u
#define WINDOW 16 /* messages under way */
#define PLACES 63 /* of LARGE bytes in the registered buffer, used in turn */
#define MESSAGES 8192
#define SMALL_MESSAGES 50000
#define SMALLEST 8
#define COMMANDS 100000
#define OBJECTS 10000
#define WAITING_FEW 10
#define WAITING_MANY 10000
#define ROUNDS 5

static struct tcq ca, cb;
static struct tqp x, y;

static void die(const char *what)
{
	fprintf(stderr, "bench: %s\n", what);
	exit(1);
}

static unsigned int reap(struct tcq *cq)
{
	const struct prm_cqe64 *cqe;
	unsigned int n = 0;

	while ((cqe = poll(cq))) {
		if (cqe_opcode(cqe) == PRM_CQE_REQ_ERR || cqe_opcode(cqe) == PRM_CQE_RESP_ERR)
			die("a message failed");
		n++;
	}
	return n;
}

/* Seconds for @n messages of @len bytes. */
static double run_messages(uint8_t opcode, unsigned int n, uint32_t len)
{
	unsigned int posted = 0, done = 0, i;
	double t = cpu_seconds();

	while (done < n) {
		for (i = 0; i < WINDOW && posted < n; i++, posted++) {
			uint32_t off = posted % PLACES * len;
			struct tsge to = { b.va + off, len, b.lkey };
			struct wr wr = { .opcode = opcode,
					 .n = 1,
					 .sge = { { a.va + off, len, a.lkey } } };

			if (opcode == PRM_WQE_SEND) {
				post_recv(&y, 1, &to);
			} else {
				wr.raddr = b.va + off;
				wr.rkey = b.rkey;
			}
			post_send(&x, &wr);
		}
		settle();
		i = reap(&ca);
		reap(&cb);
		if (!i)
			die("the engine stands still");
		done += i;
	}
	return cpu_seconds() - t;
}

/* The best of some rounds, so that what else the machine does counts less. */
static double message_seconds(uint8_t opcode, uint32_t len)
{
	double best = 0, t;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		t = run_messages(opcode, SMALL_MESSAGES, len);
		if (!i || t < best)
			best = t;
	}
	return best / SMALL_MESSAGES;
}

/* Nanoseconds of a packet: a request or its acknowledgment. */
static double packet_ns(void)
{
	return message_seconds(PRM_WQE_RDMA_WRITE, 64) / 2 * 1e9;
}

static void bandwidth(void)
{
	static const struct {
		const char *name;
		uint8_t opcode;
	} ops[] = { { "SEND", PRM_WQE_SEND },
		    { "WRITE", PRM_WQE_RDMA_WRITE },
		    { "READ", PRM_WQE_RDMA_READ } };
	double copy = copy_rate(PLACES, LARGE, 2 * MESSAGES), rate;
	unsigned int i;

	printf("%-34s %10.0f MiB/s\n", "memcpy of 64 KiB", copy);
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		run_messages(ops[i].opcode, 2 * PLACES, LARGE); /* so that no page is new to it */
		rate = MESSAGES * (LARGE / 1048576.0) / run_messages(ops[i].opcode, MESSAGES,
								     LARGE);
		printf("%-5s of 64 KiB, MTU 4096           %10.0f MiB/s   %5.2f of memcpy\n",
		       ops[i].name, rate, rate / copy);
	}
	for (i = 0; i < ARRAY_SIZE(ops); i++)
		printf("%-5s of %u bytes                    %10.0f messages/s\n", ops[i].name,
		       SMALLEST, 1 / message_seconds(ops[i].opcode, SMALLEST));
}

static void commands(void)
{
	struct prm_alloc_pd_in in = {};
	struct prm_alloc_pd_out out;
	struct prm_dealloc_pd_in gone = {};
	struct prm_dealloc_pd_out gone_out;
	double t = cpu_seconds();
	unsigned int i;

	for (i = 0; i < COMMANDS / 2; i++) {
		if (command(&a, alloc_pd, &in, &out))
			die("ALLOC_PD");
		prm_set(&gone, pd, prm_get(&out, pd));
		if (command(&a, dealloc_pd, &gone, &gone_out))
			die("DEALLOC_PD");
	}
	printf("%-34s %10.0f commands/s\n", "ALLOC_PD and DEALLOC_PD",
	       COMMANDS / (cpu_seconds() - t));
}

/* Bytes of the heap that each of many objects takes; their rings lie in the same memory. */
static void footprint(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4 };
	size_t before = mallinfo2().uordblks;
	struct tqp qp;
	uint64_t at;
	unsigned int i;

	at = a.next;
	for (i = 0; i < OBJECTS; i++) {
		a.next = at;
		if (create_qp(&qp, &a, PRM_QP_ST_RC, &ca, &o))
			die("CREATE_QP");
	}
	printf("%-34s %10zu bytes each, of %u\n", "memory of a QP of 64 WQEs",
	       (mallinfo2().uordblks - before) / OBJECTS, OBJECTS);
	before = mallinfo2().uordblks;
	for (i = 0; i < OBJECTS; i++) {
		a.next = at;
		create_mkey(&a, a.pd, 0, a.va, 65536, 0);
	}
	printf("%-34s %10zu bytes each, of %u\n", "memory of an MR of 64 KiB",
	       (mallinfo2().uordblks - before) / OBJECTS, OBJECTS);
}

/* Makes QPs that wait for an acknowledgment of a SEND to nobody; their timers run. */
static void create_waiting(unsigned int n)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4, .timeout = 24 };
	struct wr wr = { .opcode = PRM_WQE_SEND, .n = 1, .sge = { { a.va, 8, a.lkey } } };
	struct tqp qp, nobody = { .side = &b, .qpn = 0xfffff0 };
	uint64_t at = a.next;
	unsigned int i;

	for (i = 0; i < n; i++) {
		a.next = at;
		if (create_qp(&qp, &a, PRM_QP_ST_RC, &ca, &o) || qp_init(&qp, &o) ||
		    qp_rtr(&qp, &nobody, &o) || qp_rts(&qp, &o))
			die("a QP that waits");
		post_send(&qp, &wr);
		settle();
	}
}

static void waiting(void)
{
	double few, many;

	create_waiting(WAITING_FEW);
	few = packet_ns();
	create_waiting(WAITING_MANY - WAITING_FEW);
	many = packet_ns();
	printf("%-34s %10.0f ns beside %u QPs that wait, %.0f ns beside %u: %5.2f\n", "a packet",
	       few, WAITING_FEW, many, WAITING_MANY, many / few);
}

int main(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4, .mtu = 5, .timeout = 18 };

	sides_open();
	create_cq(&ca, &a, 9);
	create_cq(&cb, &b, 9);
	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	puts("directly, as between two guests of a process:");
	wire_in_frames(false);
	bandwidth();
	puts("in frames, as with a capture or a rule for frames:");
	wire_in_frames(true);
	bandwidth();
	wire_in_frames(false);
	waiting();
	commands();
	footprint();
	return 0;
}
