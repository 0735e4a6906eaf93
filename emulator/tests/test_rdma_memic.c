// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Memory of the device: what the host sees of it, and the device through memory keys, locally and
 * from another function.
 */
#include <stdlib.h>
#include <string.h>

#include "prm/caps.h"
#include "rdma.h"

#define PAGE 4096u
#define LEN 8192u
#define BYTES 5000u
#define RIGHTS (MEM_LOCAL_READ | MEM_LOCAL_WRITE | MEM_REMOTE_READ | MEM_REMOTE_WRITE | \
		MEM_REMOTE_ATOMIC)

/* On side b. */
static uint64_t mem;		/* its place in BAR 0 */
static uint32_t key;		/* of all of it */

static void must(bool good, const char *what)
{
	if (good)
		return;
	ok(false, "%s", what);
	exit(ok_end());
}

/* ---- commands ---- */

static int try_alloc(struct side *side, uint64_t from, uint32_t range, uint32_t len,
		     unsigned int log_align, uint64_t *addr)
{
	struct prm_alloc_memic_in in = {};
	struct prm_alloc_memic_out out;
	int status;

	prm_set64(&in, range_start_addr, side->dev->card->memic_at + from);
	prm_set(&in, range_size, range);
	prm_set(&in, memic_size, len);
	prm_set(&in, log_memic_addr_alignment, log_align);
	status = command(side, alloc_memic, &in, &out);
	*addr = status ? 0 : prm_get64(&out, memic_start_addr);
	return status;
}

/* The offset in the memory. */
static uint64_t alloc(struct side *side, uint64_t from, uint32_t range, uint32_t len,
		      unsigned int log_align)
{
	uint64_t addr;

	must(!try_alloc(side, from, range, len, log_align, &addr), "memory is allocated");
	return addr - side->dev->card->memic_at;
}

static void dealloc(struct side *side, uint64_t at, uint32_t len)
{
	struct prm_dealloc_memic_in in = {};
	struct prm_dealloc_memic_out out;

	prm_set64(&in, memic_start_addr, side->dev->card->memic_at + at);
	prm_set(&in, memic_size, len);
	must(!command(side, dealloc_memic, &in, &out), "memory is given back");
}

/* Allocates the operation; its address. */
static uint64_t operation(struct side *side, uint64_t at, enum prm_memic_op op)
{
	struct prm_modify_memic_in in = {};
	struct prm_modify_memic_out out;

	prm_set64(&in, memic_start_addr, side->dev->card->memic_at + at);
	prm_set(&in, memic_operation_type, op);
	must(!command(side, modify_memic, &in, &out), "an operation is allocated");
	return prm_get64(&out, memic_operation_addr);
}

static void end_operation(struct side *side, uint64_t at, enum prm_memic_op op)
{
	struct prm_modify_memic_in in = {};
	struct prm_modify_memic_out out;

	prm_set(&in, op_mod, PRM_MEMIC_OP_DEALLOC);
	prm_set64(&in, memic_start_addr, side->dev->card->memic_at + at);
	prm_set(&in, memic_operation_type, op);
	must(!command(side, modify_memic, &in, &out), "an operation is given back");
}

static uint32_t make_key(struct side *side, unsigned int access, uint64_t at, uint64_t len)
{
	struct prm_create_mkey_in in = {};
	struct prm_create_mkey_out out;

	prm_set(&in, memory_key_mkey_entry.access_mode_1_0, PRM_MKC_MEMIC & 3);
	prm_set(&in, memory_key_mkey_entry.access_mode_4_2, PRM_MKC_MEMIC >> 2);
	prm_set(&in, memory_key_mkey_entry.lr, !!(access & MEM_LOCAL_READ));
	prm_set(&in, memory_key_mkey_entry.lw, !!(access & MEM_LOCAL_WRITE));
	prm_set(&in, memory_key_mkey_entry.rr, !!(access & MEM_REMOTE_READ));
	prm_set(&in, memory_key_mkey_entry.rw, !!(access & MEM_REMOTE_WRITE));
	prm_set(&in, memory_key_mkey_entry.a, !!(access & MEM_REMOTE_ATOMIC));
	prm_set(&in, memory_key_mkey_entry.qpn, 0xffffff);
	prm_set(&in, memory_key_mkey_entry.mkey_7_0, 0x31);
	prm_set(&in, memory_key_mkey_entry.pd, side->pd);
	prm_set64(&in, memory_key_mkey_entry.start_addr, at);
	prm_set64(&in, memory_key_mkey_entry.len, len);
	must(!command(side, create_mkey, &in, &out), "a key of the memory");
	return prm_get(&out, mkey_index) << 8 | 0x31;
}

/* A KSM key of two pages: the second one of the memory, then the first. */
static uint32_t make_ksm(struct side *side, uint32_t of)
{
	struct { struct prm_create_mkey_in in; __be64 ksm[4]; } cmd = {};
	struct prm_create_mkey_out out;

	prm_set(&cmd.in, opcode, PRM_OP_create_mkey);
	prm_set(&cmd.in, memory_key_mkey_entry.access_mode_1_0, PRM_MKC_KSM);
	prm_set(&cmd.in, memory_key_mkey_entry.lr, 1);
	prm_set(&cmd.in, memory_key_mkey_entry.lw, 1);
	prm_set(&cmd.in, memory_key_mkey_entry.rr, 1);
	prm_set(&cmd.in, memory_key_mkey_entry.rw, 1);
	prm_set(&cmd.in, memory_key_mkey_entry.a, 1);
	prm_set(&cmd.in, memory_key_mkey_entry.qpn, 0xffffff);
	prm_set(&cmd.in, memory_key_mkey_entry.pd, side->pd);
	prm_set64(&cmd.in, memory_key_mkey_entry.start_addr, 0x10000);
	prm_set64(&cmd.in, memory_key_mkey_entry.len, LEN);
	prm_set(&cmd.in, memory_key_mkey_entry.log_page_size, 12);
	prm_set(&cmd.in, memory_key_mkey_entry.translations_octword_size, 2);
	prm_set(&cmd.in, translations_octword_actual_size, 2);
	cmd.ksm[0] = cpu_to_be64(of);
	cmd.ksm[2] = cpu_to_be64(of);
	cmd.ksm[1] = cpu_to_be64(PAGE);
	must(!exec(side, PRM_OP_create_mkey, &cmd, sizeof(cmd), &out, sizeof(out)), "a KSM key");
	return prm_get(&out, mkey_index) << 8;
}

static int try_range(uint64_t from)
{
	uint64_t addr;

	return try_alloc(&b, from - b.dev->card->memic_at, PAGE, 64, 0, &addr);
}

static int try_key(uint64_t at, uint64_t len)
{
	struct prm_create_mkey_in in = {};
	struct prm_create_mkey_out out;

	prm_set(&in, memory_key_mkey_entry.access_mode_1_0, PRM_MKC_MEMIC & 3);
	prm_set(&in, memory_key_mkey_entry.access_mode_4_2, PRM_MKC_MEMIC >> 2);
	prm_set(&in, memory_key_mkey_entry.qpn, 0xffffff);
	prm_set(&in, memory_key_mkey_entry.pd, b.pd);
	prm_set64(&in, memory_key_mkey_entry.start_addr, at);
	prm_set64(&in, memory_key_mkey_entry.len, len);
	return command(&b, create_mkey, &in, &out);
}

/* Sums that would overflow. */
static void huge_numbers(void)
{
	uint64_t violations = b.dev->violations;

	ok(try_range(UINT64_MAX - PAGE + 1) == PRM_STATUS_BAD_PARAM &&
	   try_range(UINT64_MAX) == PRM_STATUS_BAD_PARAM &&
	   try_key(mem + 64, UINT64_MAX) == PRM_STATUS_BAD_PARAM &&
	   try_key(UINT64_MAX, 2) == PRM_STATUS_BAD_PARAM &&
	   try_key(mem + 64, UINT64_MAX - mem - 63) == PRM_STATUS_BAD_PARAM &&
	   b.dev->violations == violations + 5, "huge addresses and lengths are refused");
	ok(!try_key(mem + LEN - 64, 0) && b.dev->violations == violations + 5,
	   "a key of no bytes is none of them");
}

/* ---- what the host sees ---- */

/* As buf_fill() with a small seed. */
static uint8_t pattern(uint32_t i, uint32_t seed)
{
	return i * 31 + (i >> 8) * 7 + seed;
}

static void cpu_fill(struct side *side, uint64_t addr, uint32_t len, uint32_t seed)
{
	uint32_t i;
	uint8_t byte;

	for (i = 0; i < len; i++) {
		byte = pattern(i, seed);
		bar_write(side->dev, addr + i, &byte, 1);
	}
}

static bool cpu_is(struct side *side, uint64_t addr, uint32_t len, uint32_t seed)
{
	uint32_t i;
	uint8_t byte;

	for (i = 0; i < len; i++) {
		bar_read(side->dev, addr + i, &byte, 1);
		if (byte != pattern(i, seed))
			return false;
	}
	return true;
}

static uint64_t cpu_load(struct side *side, uint64_t addr, unsigned int bytes)
{
	uint64_t value = 0;

	bar_read(side->dev, addr, &value, bytes);
	return value;
}

static void cpu_store(struct side *side, uint64_t addr, unsigned int bytes, uint64_t value)
{
	bar_write(side->dev, addr, &value, bytes);
}

static void widths(void)
{
	static const unsigned int places[] = { 0, 1, 60, 63, PAGE - 3, LEN - 8 };
	const uint64_t value = 0x8877665544332211;
	unsigned int i, bytes;
	uint64_t mask;
	bool good = true;

	ok(!cpu_load(&b, mem, 8), "new memory is zero");
	for (i = 0; i < ARRAY_SIZE(places); i++)
		for (bytes = 1; bytes <= 8; bytes *= 2) {
			mask = UINT64_MAX >> (64 - 8 * bytes);
			cpu_store(&b, mem + places[i], 8, 0);
			cpu_store(&b, mem + places[i], bytes, value);
			good &= cpu_load(&b, mem + places[i], bytes) == (value & mask) &&
				cpu_load(&b, mem + places[i], 8) == (value & mask);
		}
	ok(good, "accesses of 1, 2, 4 and 8 bytes reach the memory, aligned or not");
	ok(!b.dev->violations, "none of them is a violation");
}

/* A page of which 128 bytes are allocated. */
static void rest_of_page(void)
{
	uint64_t at = b.dev->card->memic_at + alloc(&b, 4 * PAGE, PAGE, 128, 0);

	cpu_store(&b, at + 128, 8, 7);
	ok(!cpu_load(&b, at + 128, 8) && !b.dev->violations,
	   "the rest of a page reads as zero, takes no writes, and is the program's mistake");
	cpu_store(&b, at + 124, 8, UINT64_MAX);
	ok(cpu_load(&b, at + 124, 8) == UINT32_MAX && !b.dev->violations,
	   "so it is if an access begins before");
	dealloc(&b, 4 * PAGE, 128);
	ok(alloc(&b, 4 * PAGE, PAGE, 128, 0) == 4 * PAGE && !cpu_load(&b, at + 120, 8),
	   "allocated again, the memory is zero");
	dealloc(&b, 4 * PAGE, 128);
}

static void places(void)
{
	uint64_t addr, one, two, three;

	one = alloc(&b, 4 * PAGE, PAGE, 64, 0);
	two = alloc(&b, 4 * PAGE, PAGE, 64, 0);
	three = alloc(&b, 4 * PAGE, PAGE, 64, 2);
	ok(one == 4 * PAGE && two == one + 64 && three == one + 256,
	   "a place is the first one that is free and aligned");
	ok(try_alloc(&b, 4 * PAGE, PAGE, PAGE - 128, 0, &addr) == PRM_STATUS_NO_RES &&
	   try_alloc(&b, 4 * PAGE, PAGE, 64, MEMIC_LOG_MAX_ALIGN, &addr) == PRM_STATUS_NO_RES &&
	   !b.dev->violations, "a range without room is declined, for the driver to try another");
	dealloc(&b, one, 64);
	dealloc(&b, two, 64);
	dealloc(&b, three, 64);
}

static void operations(void)
{
	uint64_t inc = operation(&b, mem - b.dev->card->memic_at, PRM_MEMIC_INCREMENT);
	uint64_t set = operation(&b, mem - b.dev->card->memic_at, PRM_MEMIC_TEST_AND_SET);

	cpu_store(&b, mem + 70, 4, 0);
	cpu_store(&b, inc + 70, 1, 1);
	cpu_store(&b, inc + 70, 1, 0xff);
	cpu_store(&b, inc + 70, 1, 5);
	ok(cpu_load(&b, mem + 70, 4) == 5, "a write adds to the byte alone");
	ok(cpu_load(&b, set + 70, 1) == 5 && cpu_load(&b, set + 70, 1) == 1 &&
	   cpu_load(&b, mem + 70, 4) == 1, "a read returns the byte and sets it to 1");
	cpu_store(&b, inc + 70, 4, 1);
	cpu_store(&b, inc + 70, 2, 1);
	cpu_store(&b, inc + 69, 2, 0x101);
	/* half of it in another unit of the memory */
	cpu_store(&b, mem + 63, 2, 0x0202);
	cpu_store(&b, inc + 63, 2, 0x0101);
	cpu_load(&b, set + 63, 2);
	ok(cpu_load(&b, mem + 63, 2) == 0x0202, "an access across units is no operation in either");
	cpu_store(&b, set + 70, 1, 9);
	ok(!cpu_load(&b, set + 68, 4) && !cpu_load(&b, inc + 70, 1) &&
	   cpu_load(&b, mem + 70, 4) == 1 && !b.dev->violations,
	   "other sizes and directions do nothing, and are the program's mistake");
	end_operation(&b, mem - b.dev->card->memic_at, PRM_MEMIC_INCREMENT);
	cpu_store(&b, inc + 70, 1, 1);
	ok(cpu_load(&b, mem + 70, 1) == 1 && b.dev->violations == 1 &&
	   cpu_load(&b, set + 70, 1) == 1, "an operation that was given back is a violation");
	end_operation(&b, mem - b.dev->card->memic_at, PRM_MEMIC_TEST_AND_SET);
}

/* ---- what the device does ---- */

static struct tcq ca, cb;
static struct tqp x, y;

static void pair(void)
{
	const struct qp_opts o = { .addr = ADDR_V2_IPV4, .rra = 2, .sra = 2 };

	drain(&ca, &cb);
	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
}

/* Posts on @qp, and tells whether it completed without an error. */
static bool done(struct tqp *qp, const struct wr *wr)
{
	struct prm_cqe64 *cqe;

	post_send(qp, wr);
	settle();
	cqe = poll(qp->cq);
	return cqe && cqe_opcode(cqe) == PRM_CQE_REQ;
}

static unsigned int fails(struct tqp *qp, const struct wr *wr)
{
	struct prm_cqe64 *cqe;
	unsigned int syndrome;

	post_send(qp, wr);
	settle();
	cqe = poll(qp->cq);
	syndrome = cqe && cqe_opcode(cqe) == PRM_CQE_REQ_ERR ? cqe_syndrome(cqe) : 0;
	destroy_pair(&x, &y);
	pair();
	return syndrome;
}

static void remote(void)
{
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE, .raddr = 100, .rkey = key, .n = 1,
			 .sge = { { a.va, BYTES, a.lkey } } };
	uint64_t last;

	buf_fill(&a, 0, BYTES, 3);
	ok(done(&x, &wr) && cpu_is(&b, mem + 100, BYTES, 3), "RDMA WRITE reaches it");
	cpu_store(&b, mem + 100, 8, 0x1122334455667788);
	wr.opcode = PRM_WQE_RDMA_READ;
	wr.sge[0].va = a.va + BYTES;
	ok(done(&x, &wr) && !memcmp(buf_at(&a, BYTES), &(uint64_t){ 0x1122334455667788 }, 8) &&
	   *buf_at(&a, BYTES + 8) == *buf_at(&a, 8), "RDMA READ reads what the host wrote");
	wr.opcode = PRM_WQE_ATOMIC_FA;
	wr.raddr = 200;
	wr.swap_add = 5;
	wr.sge[0].len = 8;
	cpu_store(&b, mem + 200, 8, 0);
	ok(done(&x, &wr) && done(&x, &wr) && cpu_load(&b, mem + 200, 8) == 10 &&
	   *buf_at(&a, BYTES + 7) == 5, "atomics work on it");
	cpu_store(&b, mem + LEN - 8, 8, 0);
	wr.opcode = PRM_WQE_RDMA_WRITE;
	wr.raddr = LEN - 8;
	last = cpu_load(&b, mem + LEN - 8, 8);
	ok(!last && done(&x, &wr) && cpu_load(&b, mem + LEN - 8, 8) != last,
	   "it can be written up to its end");
	wr.raddr = LEN - 7;
	ok(fails(&x, &wr) == PRM_CQE_SYND_REMOTE_ACCESS, "and no further");
	wr.raddr = mem;
	ok(fails(&x, &wr) == PRM_CQE_SYND_REMOTE_ACCESS,
	   "addresses are from 0 on, not those in the BAR");
}

/* The memory at the local end. */
static void local(void)
{
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE, .raddr = a.va, .rkey = a.rkey, .n = 1,
			 .sge = { { 64, BYTES, key } } };
	struct tsge to = { 96, BYTES, key };

	cpu_fill(&b, mem + 64, BYTES, 9);
	ok(done(&y, &wr) && buf_is(&a, 0, BYTES, 9), "RDMA WRITE sends from it");
	buf_fill(&a, 0, BYTES, 11);
	wr.opcode = PRM_WQE_RDMA_READ;
	ok(done(&y, &wr) && cpu_is(&b, mem + 64, BYTES, 11), "RDMA READ reads into it");
	post_recv(&y, 1, &to);
	wr = (struct wr){ .opcode = PRM_WQE_SEND, .n = 1, .sge = { { a.va, BYTES, a.lkey } } };
	ok(done(&x, &wr) && poll(&cb) && cpu_is(&b, mem + 96, BYTES, 11), "it receives a SEND");
	to = (struct tsge){ a.va, BYTES, a.lkey };
	post_recv(&x, 1, &to);
	cpu_fill(&b, mem + 32, BYTES, 13);
	wr.sge[0] = (struct tsge){ 32, BYTES, key };
	ok(done(&y, &wr) && poll(&ca) && buf_is(&a, 0, BYTES, 13), "a SEND is sent from it");
}

static void rights(void)
{
	uint32_t readable = make_key(&b, MEM_LOCAL_READ | MEM_REMOTE_READ, mem + 64, 64);
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE, .raddr = 0, .rkey = readable, .n = 1,
			 .sge = { { a.va, 64, a.lkey } } };

	ok(fails(&x, &wr) == PRM_CQE_SYND_REMOTE_ACCESS, "a key has the rights that it was given");
	wr.opcode = PRM_WQE_RDMA_READ;
	cpu_store(&b, mem + 64, 1, 0x5a);
	ok(done(&x, &wr) && *buf_at(&a, 0) == 0x5a, "a key of a part begins there");
	destroy_mkey(&b, readable);
	ok(fails(&x, &wr) == PRM_CQE_SYND_REMOTE_ACCESS, "a key that was destroyed is none");
}

static void lists(void)
{
	uint32_t ksm = make_ksm(&b, key);
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE, .raddr = 0x10000, .rkey = ksm, .n = 1,
			 .sge = { { a.va, LEN, a.lkey } } };

	buf_fill(&a, 0, LEN, 17);
	cpu_store(&b, mem, 8, 0);
	ok(done(&x, &wr) && cpu_load(&b, mem + PAGE, 1) == *buf_at(&a, 0) &&
	   cpu_load(&b, mem, 1) == *buf_at(&a, PAGE) &&
	   cpu_load(&b, mem + PAGE - 1, 1) == *buf_at(&a, LEN - 1), "a KSM list has it");
	destroy_mkey(&b, ksm);
}

/* From one part of the memory to another that overlaps, by a QP to itself. */
static void overlapping(void)
{
	const struct qp_opts o = { .addr = ADDR_V2_IPV4, .rra = 2, .sra = 2 };
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE, .raddr = 512, .rkey = key, .n = 1,
			 .sge = { { 0, 1024, key } } };
	struct tqp p, q;

	create_pair(&p, &q, PRM_QP_ST_RC, &cb, &cb, &o);
	cpu_fill(&b, mem, 1024, 19);
	ok(done(&p, &wr) && cpu_is(&b, mem + 512, 1024, 19), "it is copied within itself");
	destroy_pair(&p, &q);
}

/* ---- the end ---- */

static void reset(void)
{
	uint64_t violations;

	cxdev_reset(b.dev);
	ok(!obj_count(b.dev, OBJ_MEMIC) && !b.dev->hca->budget_used,
	   "the memory is free after a reset of the function");
	violations = b.dev->violations;
	cpu_store(&b, mem, 4, 1);
	ok(b.dev->violations == violations + 1, "and an access finds nothing");
}

static void exhaustion(void)
{
	uint64_t addr, n, bytes = budget_bytes;

	for (n = 0; !try_alloc(&a, 0, MEMIC_BYTES, 64, 0, &addr); n++)
		;
	ok(n == MEMIC_BYTES / 64 && obj_count(a.dev, OBJ_MEMIC) == n,
	   "the memory can be allocated to its last 64 bytes");
	dealloc(&a, MEMIC_BYTES - 64, 64);
	ok(!try_alloc(&a, 0, MEMIC_BYTES, 64, 0, &addr) &&
	   addr == a.dev->card->memic_at + MEMIC_BYTES - 64, "what is given back can be allocated");
	dealloc(&a, 0, 64);
	budget_bytes = a.dev->hca->budget_used + 150;
	ok(try_alloc(&a, 0, MEMIC_BYTES, 64, 0, &addr) == PRM_STATUS_NO_RES &&
	   !memic_find(a.dev, a.dev->card->memic_at, 64),
	   "it is refused when the function's host memory is used up");
	budget_bytes = bytes;
	ok(!try_alloc(&a, 0, MEMIC_BYTES, 64, 0, &addr), "and can be had after that");
}

int main(void)
{
	card_devx = true;
	sides_open();
	wire_watch();
	mem = b.dev->card->memic_at + alloc(&b, 0, 2 * PAGE, LEN, MEMIC_LOG_MAX_ALIGN);
	widths();
	rest_of_page();
	places();
	operations();
	key = make_key(&b, RIGHTS, mem, LEN);
	create_cq(&ca, &a, 6);
	create_cq(&cb, &b, 6);
	pair();
	remote();
	local();
	rights();
	lists();
	overlapping();
	huge_numbers();
	destroy_pair(&x, &y);
	exhaustion();
	reset();
	sides_close();
	return ok_end();
}
