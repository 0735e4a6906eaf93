// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Memory keys that are changed through the send queue: fast registration, invalidation from both
 * sides, the driver's UMR QP, and what must not work.
 */
#include "rdma_umr.h"

/* All of memory; made without umr_en. */
static uint32_t create_plain_mkey(struct side *side)
{
	struct prm_create_mkey_in in = {};
	struct prm_create_mkey_out out;

	prm_set(&in, memory_key_mkey_entry.lr, 1);
	prm_set(&in, memory_key_mkey_entry.length64, 1);
	prm_set(&in, memory_key_mkey_entry.qpn, 0xffffff);
	prm_set(&in, memory_key_mkey_entry.pd, side->pd);
	if (command(side, create_mkey, &in, &out))
		return 0;
	return prm_get(&out, mkey_index) << 8;
}

/* ---- fast registration --------------------------------------------------------------------- */

static void test_register(void)
{
	uint32_t key = create_free_mkey(&b, b.pd, MKEY_MTT, 4, false), next = (key & ~0xffu) | 0x5b;
	uint64_t va = b.va + KEY_OFF;
	uint8_t list[64] = {};
	struct umr_wr reg;
	struct tqp x, y;

	page_list(&b, list, KEY_OFF, 3);
	reg = reg_wr(key, list, 3);
	pair(&x, &y);
	post_umr(&y, &reg);
	ok(good(&cb) && !write_to(&x, key, va, 1) && arrived(1),
	   "fast registration with an inline list works");
	ok(write_to(&x, next, va, 2) == PRM_CQE_SYND_REMOTE_ACCESS && !arrived(2),
	   "a key with another low byte is refused");
	destroy_pair(&x, &y);

	pair(&x, &y);
	reg = inval_wr(key);
	post_umr(&y, &reg);
	ok(good(&cb), "local invalidation works");
	ok(write_to(&x, key, va, 3) == PRM_CQE_SYND_REMOTE_ACCESS && !arrived(3),
	   "an invalidated key is refused");
	destroy_pair(&x, &y);

	pair(&x, &y);
	memcpy(buf_at(&b, LIST_OFF), list, 24);
	reg = reg_wr(next, NULL, 3);
	reg.flags = PRM_UMR_CHECK_NOT_FREE;
	reg.sge = (struct tsge) { b.va + LIST_OFF, 64, b.lkey };
	post_umr(&y, &reg);
	ok(good(&cb) && !write_to(&x, next, va, 4) && arrived(4),
	   "fast registration with another low byte and a list by pointer works");
	ok(write_to(&x, key, va, 5) == PRM_CQE_SYND_REMOTE_ACCESS, "the old low byte is refused");
	destroy_pair(&x, &y);
	ok(!destroy_mkey(&b, next), "a registered key can be destroyed");
}

static void test_rights(void)
{
	static const struct {
		const char *name;
		unsigned int rights;
		uint8_t opcode;
		bool works;
	} cases[] = {
		{ "read only, WRITE", MEM_REMOTE_READ, PRM_WQE_RDMA_WRITE, false },
		{ "read only, READ", MEM_REMOTE_READ, PRM_WQE_RDMA_READ, true },
		{ "write only, READ", MEM_REMOTE_WRITE, PRM_WQE_RDMA_READ, false },
		{ "no atomics, FETCH_ADD", MEM_REMOTE_WRITE, PRM_WQE_ATOMIC_FA, false },
		{ "atomics, FETCH_ADD", MEM_REMOTE_ATOMIC, PRM_WQE_ATOMIC_FA, true },
		{ "local only, READ", MEM_LOCAL_WRITE, PRM_WQE_RDMA_READ, false },
	};
	uint8_t list[64] = {};
	unsigned int i;

	page_list(&b, list, KEY_OFF, 3);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		uint32_t key = create_free_mkey(&b, b.pd, MKEY_MTT, 4, false);
		struct umr_wr reg = reg_wr(key, list, 3);
		struct wr wr = { .opcode = cases[i].opcode,
				 .n = 1,
				 .sge = { { a.va, 8, a.lkey } },
				 .raddr = (b.va + KEY_OFF + 7) & ~7ull,
				 .rkey = key };
		struct tqp x, y;
		bool worked;

		reg.rights = cases[i].rights;
		pair(&x, &y);
		post_umr(&y, &reg);
		settle();
		poll(&cb);
		post_send(&x, &wr);
		if (cases[i].works)
			worked = good(&ca);
		else
			worked = syndrome_of(&ca) != PRM_CQE_SYND_REMOTE_ACCESS;
		ok(worked == cases[i].works,
		   "access rights of a registered key: %s", cases[i].name);
		destroy_pair(&x, &y);
		destroy_mkey(&b, key);
	}
}

/* ---- invalidation by the other side -------------------------------------------------------- */

static void test_remote_invalidate(bool allowed)
{
	uint32_t key = create_free_mkey(&b, b.pd, MKEY_MTT, 4, false);
	struct wr wr = { .opcode = PRM_WQE_SEND_INVAL,
			 .n = 1,
			 .sge = { { a.va, 100, a.lkey } },
			 .imm = key };
	struct tsge sge = { b.va, 4096, b.lkey };
	struct prm_cqe64 *cqe;
	uint8_t list[64] = {};
	struct umr_wr reg;
	struct tqp x, y;

	page_list(&b, list, KEY_OFF, 3);
	reg = reg_wr(key, list, 3);
	reg.rinval = allowed;
	pair(&x, &y);
	post_umr(&y, &reg);
	settle();
	poll(&cb);
	post_recv(&y, 1, &sge);
	post_send(&x, &wr);
	if (!allowed) {
		ok(syndrome_of(&ca) == PRM_CQE_SYND_REMOTE_ACCESS && qp_state(&y) == PRM_QP_ERR,
		   "SEND with invalidate of a key that does not allow it fails");
	} else {
		ok(good(&ca), "SEND with invalidate works");
		cqe = poll(&cb);
		ok(cqe && cqe_opcode(cqe) == PRM_CQE_RESP_SEND_INV &&
		   be32_to_cpu(cqe->inval_rkey) == key,
			       "the receiver's CQE has the invalidated key");
		ok(write_to(&x, key, b.va + KEY_OFF, 6) == PRM_CQE_SYND_REMOTE_ACCESS,
		   "the key is invalid after SEND with invalidate");
	}
	destroy_pair(&x, &y);
	destroy_mkey(&b, key);
}

/* The request stands between packets that are sent twice; it is done once. */
static void test_once(void)
{
	uint32_t key = create_free_mkey(&a, a.pd, MKEY_MTT, 4, false);
	struct umr_wr inval = inval_wr(key), reg;
	struct wr wr = { .opcode = PRM_WQE_RDMA_READ,
			 .n = 1,
			 .sge = { { a.va, 5000, a.lkey } },
			 .raddr = b.va,
			 .rkey = b.rkey };
	uint8_t list[64] = {};
	struct tqp x, y;

	page_list(&a, list, KEY_OFF, 3);
	reg = reg_wr(key, list, 3);
	reg.va = a.va + KEY_OFF;
	inval.flags |= PRM_UMR_CHECK_FREE;
	pair(&x, &y);
	post_umr(&x, &reg);
	ok(good(&ca), "a key to be invalidated after a READ can be registered");
	wire_watch();
	wire.drop_at = 3;	/* a response of the READ: the requester goes back */
	buf_fill(&b, 0, 5000, 77);
	post_send_quietly(&x, &wr);
	post_umr(&x, &inval);
	pass_time(200);
	ok(good(&ca) && good(&ca) && buf_is(&a, 0, 5000, 77),
	   "the READ is retransmitted, the invalidation executed once");
	wire_watch();
	destroy_pair(&x, &y);
	destroy_mkey(&a, key);
}

/* ---- lists of regions --------------------------------------------------------------------- */

/* A registration with gaps: regions of any length, one after the other. */
static void test_klm_list(void)
{
	uint32_t key = create_free_mkey(&b, b.pd, MKEY_KLM, 8, false);
	uint8_t klm[128] = {};
	struct umr_wr reg;
	struct tqp x, y;
	uint32_t i, half = KEY_BYTES / 2;
	bool same = true;

	klm_put(klm, half, b.lkey, b.va + KEY_OFF + 20000);
	klm_put(klm + 16, 1, b.lkey, b.va + KEY_OFF + 50000);
	klm_put(klm + 32, KEY_BYTES - half - 1, b.lkey, b.va + KEY_OFF);
	reg = reg_wr(key, klm, 0);
	reg.list_len = 128;
	reg.octwords = 8;
	user_pair(&x, &y);
	post_umr(&y, &reg);
	ok(good(&cb) && !write_to(&x, key, b.va + KEY_OFF, 31),
	   "fast registration of an SG list with gaps works");
	for (i = 0; i < KEY_BYTES; i++) {
		uint32_t at = i - half - 1;

		if (i <= half)
			at = i < half ? 20000 + i : 50000;
		same &= *buf_at(&a, i) == *buf_at(&b, KEY_OFF + at);
	}
	ok(same, "each byte is at the address that the SG list names");
	destroy_pair(&x, &y);
	destroy_mkey(&b, key);
}

/* User space does not clear the bit in memory that it uses again. */
static void test_user_length(void)
{
	uint32_t key = create_free_mkey(&b, b.pd, MKEY_KLM, 8, false);
	uint8_t klm[64] = {};
	struct umr_wr reg;
	struct tqp x, y;

	klm_put(klm, KEY_BYTES, b.lkey, b.va + KEY_OFF);
	reg = klm_reg_wr(key, klm);
	reg.length64 = true;
	reg.len = KEY_BYTES - 1;
	user_pair(&x, &y);
	post_umr(&y, &reg);
	ok(good(&cb) && write_to(&x, key, b.va + KEY_OFF, 33) == PRM_CQE_SYND_REMOTE_ACCESS,
	   "length64 in a UMR of user space does not count");
	destroy_pair(&x, &y);
	destroy_mkey(&b, key);
}

/* As long as the card advertises, however long the key says that its list may be. */
static void test_klm_max(void)
{
	uint32_t key = create_free_mkey(&b, b.pd, MKEY_KLM, 2u << KLM_LOG_MAX, false);
	uint8_t klm[128] = {};
	struct umr_wr u = { .key = key, .octwords = 4, .list = klm, .list_len = 64,
			    .flags = PRM_UMR_INLINE | PRM_UMR_TRANSLATION_OFFSET_EN,
			    .offset = (1u << KLM_LOG_MAX) - 4 };
	struct tqp x, y;

	user_pair(&x, &y);
	post_umr(&y, &u);
	ok(good(&cb), "a UMR sets the last entries that a KLM list can have");
	u.octwords = 8;
	u.list_len = 128;
	post_umr(&y, &u);
	ok(syndrome_of(&cb) == PRM_CQE_SYND_MW_BIND, "but not more");
	destroy_pair(&x, &y);
	destroy_mkey(&b, key);
}

#define BLOCK_TIMES	6
#define BLOCK_ONE	1000u
#define BLOCK_TWO	499u

/* A region of 3 bytes, then a block: 1000 bytes of every 1500 and 499 of every 100 in turn. */
static struct umr_wr block_wr(uint32_t key, uint8_t *klm)
{
	struct umr_wr reg = reg_wr(key, klm, 0);

	klm_put(klm, 3, b.lkey, b.va + KEY_OFF + 70000);
	klm_put(klm + 32, BLOCK_ONE + BLOCK_TWO, PRM_KLM_REPEAT, (uint64_t)BLOCK_TIMES << 32 | 3);
	klm_put(klm + 48, 1500u << 16 | BLOCK_ONE, b.lkey, b.va + KEY_OFF);
	klm_put(klm + 64, 8u << 16, 0xffffffff, 0);
	klm_put(klm + 80, 100u << 16 | BLOCK_TWO, b.lkey, b.va + KEY_OFF + 50000);
	reg.list_len = 128;
	reg.octwords = 6;
	reg.len = 3 + BLOCK_TIMES * (BLOCK_ONE + BLOCK_TWO);
	return reg;
}

/* Where a byte of it lies. The second part of a round is written over by that of the next. */
static uint32_t block_at(uint32_t i)
{
	uint32_t round = (i - 3) / (BLOCK_ONE + BLOCK_TWO), at = (i - 3) % (BLOCK_ONE + BLOCK_TWO);

	if (i < 3)
		return 70000 + i;
	return at < BLOCK_ONE ? round * 1500 + at : 50000 + round * 100 + at - BLOCK_ONE;
}

static void test_block(void)
{
	uint32_t key = create_free_mkey(&b, b.pd, MKEY_KLM, 8, false), i;
	struct wr wr = {
		.opcode = PRM_WQE_RDMA_READ, .n = 1, .raddr = b.va + KEY_OFF, .rkey = key
	};
	uint8_t klm[128] = {};
	struct umr_wr reg = block_wr(key, klm);
	struct tqp x, y;
	bool same = true;

	user_pair(&x, &y);
	post_umr(&y, &reg);
	ok(good(&cb), "a key of a repeat block is registered");
	buf_fill(&b, KEY_OFF, 80000, 41);
	wr.sge[0] = (struct tsge){ a.va, reg.len, a.lkey };
	post_send(&x, &wr);
	ok(good(&ca), "and read");
	for (i = 0; i < reg.len; i++)
		same &= *buf_at(&a, i) == *buf_at(&b, KEY_OFF + block_at(i));
	ok(same, "each byte comes from where the block says");
	wr.raddr += 3 + 2 * (BLOCK_ONE + BLOCK_TWO) + BLOCK_ONE + 7;
	wr.sge[0].len = 2000;
	post_send(&x, &wr);
	same = good(&ca);
	for (i = 0; i < 2000; i++)
		same &= *buf_at(&a, i) ==
			*buf_at(&b, KEY_OFF + block_at(i + wr.raddr - b.va - KEY_OFF));
	ok(same, "also from within the third round on");
	wr.raddr = b.va + KEY_OFF + reg.len - 8;
	wr.sge[0].len = 9;
	post_send(&x, &wr);
	ok(syndrome_of(&ca) == PRM_CQE_SYND_REMOTE_ACCESS, "the rounds end");
	destroy_pair(&x, &y);
	destroy_mkey(&b, key);
}

/* The head has another sum, more entries than there are, or too few rounds for the length. */
static void test_wrong_block(void)
{
	static const struct { uint32_t bytes, times, n; } heads[] = {
		{ BLOCK_ONE + BLOCK_TWO + 1, BLOCK_TIMES, 3 }, { 0, BLOCK_TIMES, 3 },
		{ BLOCK_ONE, BLOCK_TIMES, 3 }, { BLOCK_ONE + BLOCK_TWO, BLOCK_TIMES, 4 },
		{ BLOCK_ONE + BLOCK_TWO, BLOCK_TIMES - 1, 3 }, { 0, BLOCK_TIMES, 0 },
		{ BLOCK_ONE + BLOCK_TWO, 0, 3 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(heads); i++) {
		uint32_t key = create_free_mkey(&b, b.pd, MKEY_KLM, 8, false);
		uint8_t klm[128] = {};
		struct umr_wr reg = block_wr(key, klm);
		struct tqp x, y;

		klm_put(klm + 32, heads[i].bytes, PRM_KLM_REPEAT,
			(uint64_t)heads[i].times << 32 | heads[i].n);
		if (!heads[i].n)
			reg.octwords = 3;
		user_pair(&x, &y);
		post_umr(&y, &reg);
		ok(syndrome_of(&cb) == PRM_CQE_SYND_MW_BIND,
		   "a block of %u times %u bytes in %u entries does not fit", heads[i].times,
		   heads[i].bytes, heads[i].n);
		destroy_pair(&x, &y);
		destroy_mkey(&b, key);
	}
}

/* A process could read and write all of memory by a key of regions that it made itself. */
static void test_klm_reserved(bool rlky)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4, .no_fre = true, .rlky = rlky };
	uint32_t key = create_free_mkey(&b, b.pd, MKEY_KLM, 4, false);
	uint8_t klm[64] = {};
	unsigned int result, i = 0;
	uint32_t off, n;
	struct umr_wr reg;
	struct tqp x, y;

	for (off = 0; off < KEY_BYTES; off += n) {
		const uint8_t *at = buf_at(&b, KEY_OFF + off);

		n = PAGE - ((b.va + KEY_OFF + off) & (PAGE - 1));
		n = n < KEY_BYTES - off ? n : KEY_BYTES - off;
		klm_put(klm + 16 * i++, n, MKEY_RESERVED_LKEY,
			MEM_BASE + (at - (uint8_t *)mem_at(&b, MEM_BASE)));
	}
	reg = klm_reg_wr(key, klm);
	drain(&ca, &cb);
	buf_fill(&b, KEY_OFF, KEY_BYTES, 1);
	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	post_umr(&y, &reg);
	drain(&ca, &cb);
	result = write_to(&x, key, b.va + KEY_OFF, 37);
	if (rlky)
		ok(!result && arrived(37), "the reserved lkey in an SG list works with rlky");
	else
		ok(result == PRM_CQE_SYND_REMOTE_ACCESS && !arrived(37),
		   "the reserved lkey in an SG list is refused without rlky");
	destroy_pair(&x, &y);
	destroy_mkey(&b, key);
}

/* ---- the driver's own queue pair ----------------------------------------------------------- */

static int dealloc_pd(struct side *side, uint32_t pd)
{
	struct prm_dealloc_pd_in in = {};
	struct prm_dealloc_pd_out out;

	prm_set(&in, pd, pd);
	return command(side, dealloc_pd, &in, &out);
}

/* The key in its new PD, by a QP of that PD; then back to the driver's. */
static void test_new_pd(struct tqp *umr, uint32_t key, uint32_t pd)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4 };
	struct umr_wr u;
	struct tqp x, y;

	if (create_qp(&x, &a, PRM_QP_ST_RC, &ca, &o))
		return;
	o.pd = pd;
	ok(!create_qp(&y, &b, PRM_QP_ST_RC, &cb, &o) && !qp_init(&x, &o) && !qp_init(&y, &o) &&
	   !qp_rtr(&x, &y, &o) && !qp_rtr(&y, &x, &o) && !qp_rts(&x, &o) && !qp_rts(&y, &o),
	   "a QP of the new PD can be connected");
	ok(!write_to(&x, key, b.va + KEY_OFF, 41) && arrived(41), "the key works in its new PD");
	u = (struct umr_wr) { .key = key,
			      .flags = PRM_UMR_INLINE | PRM_UMR_CHECK_FREE,
			      .mask = PRM_UMR_MASK_LR | PRM_UMR_MASK_LW | PRM_UMR_MASK_RR |
				      PRM_UMR_MASK_RW,
			      .rights = ALL_RIGHTS };
	post_umr(umr, &u);
	ok(good(&cb) && !write_to(&x, key, b.va + KEY_OFF, 43) && arrived(43),
	   "a UMR can change the access rights of a key in use");

	u = (struct umr_wr) { .key = key,
			      .flags = PRM_UMR_INLINE,
			      .mask = PRM_UMR_MASK_FREE | PRM_UMR_MASK_PD,
			      .free = true,
			      .pd = b.pd };
	post_umr(umr, &u);
	ok(good(&cb) && write_to(&x, key, b.va + KEY_OFF, 42) == PRM_CQE_SYND_REMOTE_ACCESS,
	   "a UMR can revoke a key and return it to the driver's PD");
	destroy_pair(&x, &y);
}

static void test_umr_qp(void)
{
	uint32_t pd2 = alloc_pd(&b), key = create_free_mkey(&b, b.pd, MKEY_MTT, 8, false);
	struct umr_wr u = { .key = key, .flags = PRM_UMR_CHECK_NOT_FREE, .octwords = 4 };
	uint32_t before = 6 * PAGE;
	uint64_t pages[16] = {};
	struct tqp umr;

	create_umr_qp(&umr, &b, &cb);
	ok(umr.qpn && qp_state(&umr) == PRM_QP_RTS, "a UMR QP reaches RTS");

	/* The first eight pages, the key stays free; then the ninth and all fields. */
	page_list(&b, (uint8_t *)pages, KEY_OFF - before, 9);
	memcpy(buf_at(&b, LIST_OFF), pages, 64);
	u.sge = (struct tsge) { b.va + LIST_OFF, 64, b.lkey };
	post_umr(&umr, &u);
	ok(good(&cb), "a UMR can write part of a list and leave the key free");
	memcpy(buf_at(&b, LIST_OFF), &pages[8], 64);
	u.flags |= PRM_UMR_TRANSLATION_OFFSET_EN;
	u.offset = 4;
	u.mask = REG_MASK | PRM_UMR_MASK_PD;
	u.mask &= ~(uint64_t)PRM_UMR_MASK_EN_RINVAL;
	u.rights = ALL_RIGHTS;
	u.pd = pd2;
	u.new_key = key;
	u.va = b.va + KEY_OFF - before;
	u.len = before + KEY_BYTES;
	post_umr(&umr, &u);
	ok(good(&cb), "a UMR can write the rest of the list, PD and access rights");

	test_new_pd(&umr, key, pd2);
	ok(!qp_command(&umr, PRM_OP_destroy_qp), "a UMR QP can be destroyed");
	ok(!dealloc_pd(&b, pd2), "the other PD can be freed");
	destroy_mkey(&b, key);
}

/* ---- what is refused ----------------------------------------------------------------------- */

struct bad_case {
	const char *name;
	void (*corrupt)(struct umr_wr *u, uint8_t *raw, uint32_t *len);
	unsigned int syndrome;
	bool violation;
};

#define CORRUPT(fn, what)									\
	static void fn(struct umr_wr *u, uint8_t *raw, uint32_t *len)			\
	{										\
		(void)u;								\
		(void)raw;								\
		(void)len;								\
		what;									\
	}

CORRUPT(corrupt_none, (void)0)
CORRUPT(corrupt_short, *len = 112)
CORRUPT(corrupt_flag, raw[16] |= 1)
CORRUPT(corrupt_checks, raw[16] |= PRM_UMR_CHECK_FREE)
CORRUPT(corrupt_rsvd1, raw[17] = 1)
CORRUPT(corrupt_rsvd2, raw[63] = 1)
CORRUPT(corrupt_mask, raw[24] = 0x80)
CORRUPT(corrupt_sigerr, put64(raw + 24, REG_MASK | PRM_UMR_MASK_EN_SIGERR))
CORRUPT(corrupt_relaxed, put64(raw + 24, REG_MASK | PRM_UMR_MASK_RELAXED_WRITE))
CORRUPT(corrupt_pd, put64(raw + 24, REG_MASK | PRM_UMR_MASK_PD))
CORRUPT(corrupt_qpn, (put64(raw + 24, REG_MASK | PRM_UMR_MASK_QPN), put32(raw + 68, 0x00ffee5a)))
CORRUPT(corrupt_offset, raw[23] = 1)
CORRUPT(corrupt_far_offset, (raw[16] |= PRM_UMR_TRANSLATION_OFFSET_EN, raw[35] = 1))
CORRUPT(corrupt_octwords, raw[21] = 5)
CORRUPT(corrupt_pointer, raw[16] &= ~PRM_UMR_INLINE)
CORRUPT(corrupt_opmod, raw[0] = 1)
CORRUPT(corrupt_room, (raw[16] |= PRM_UMR_TRANSLATION_OFFSET_EN, raw[23] = 4))
CORRUPT(corrupt_unit, (raw[16] |= PRM_UMR_TRANSLATION_OFFSET_EN, raw[21] = 1, raw[23] = 2))
CORRUPT(corrupt_part, (raw[16] &= ~PRM_UMR_INLINE, raw[21] = 3, put32(raw + 128, 64), *len = 144))
CORRUPT(corrupt_few, put64(raw + 88, 8 * PAGE + 1))
CORRUPT(corrupt_align, raw[134] |= 8)
CORRUPT(corrupt_page, raw[123] = 11)
CORRUPT(corrupt_key, u->key += 0x100)

static const struct bad_case bad_cases[] = {
	{ "valid segments", corrupt_none, 0, false },
	{ "missing segments", corrupt_short, PRM_CQE_SYND_LOCAL_QP_OP, true },
	{ "an unknown flag", corrupt_flag, PRM_CQE_SYND_LOCAL_QP_OP, true },
	{ "both checks of the free bit", corrupt_checks, PRM_CQE_SYND_LOCAL_QP_OP, true },
	{ "a reserved field at the start", corrupt_rsvd1, PRM_CQE_SYND_LOCAL_QP_OP, true },
	{ "a reserved field at the end", corrupt_rsvd2, PRM_CQE_SYND_LOCAL_QP_OP, true },
	{ "an unknown bit of the mask", corrupt_mask, PRM_CQE_SYND_LOCAL_QP_OP, true },
	{ "signature fields", corrupt_sigerr, PRM_CQE_SYND_LOCAL_QP_OP, true },
	{ "relaxed ordering", corrupt_relaxed, PRM_CQE_SYND_LOCAL_QP_OP, true },
	{ "a PD, through an RC QP", corrupt_pd, PRM_CQE_SYND_LOCAL_QP_OP, true },
	{ "another QP's number", corrupt_qpn, PRM_CQE_SYND_LOCAL_QP_OP, true },
	{ "an offset without its flag", corrupt_offset, PRM_CQE_SYND_LOCAL_QP_OP, true },
	{ "an extended offset", corrupt_far_offset, PRM_CQE_SYND_LOCAL_QP_OP, true },
	{ "a list longer than the WQE", corrupt_octwords, PRM_CQE_SYND_LOCAL_QP_OP, true },
	{ "a missing pointer", corrupt_pointer, PRM_CQE_SYND_LOCAL_QP_OP, true },
	{ "an offset within 64 bytes", corrupt_unit, PRM_CQE_SYND_LOCAL_QP_OP, true },
	{ "a pointer to 48 bytes", corrupt_part, PRM_CQE_SYND_LOCAL_QP_OP, true },
	{ "an opcode modifier", corrupt_opmod, PRM_CQE_SYND_LOCAL_QP_OP, true },
	{ "a list beyond the key's room", corrupt_room, PRM_CQE_SYND_MW_BIND, false },
	{ "fewer pages than the length needs", corrupt_few, PRM_CQE_SYND_MW_BIND, false },
	{ "a misaligned page", corrupt_align, PRM_CQE_SYND_MW_BIND, false },
	{ "a page size of 2 KiB", corrupt_page, PRM_CQE_SYND_MW_BIND, false },
	{ "an unknown key", corrupt_key, PRM_CQE_SYND_MW_BIND, false },
};

static void test_bad(const struct bad_case *t)
{
	uint32_t key = create_free_mkey(&b, b.pd, MKEY_MTT, 4, false), len;
	uint8_t list[64] = {}, raw[1024] __attribute__((aligned(8))) = {};
	struct wr wr = { .opcode = PRM_WQE_UMR };
	uint64_t before = b.dev->violations;
	struct prm_query_mkey_in in = {};
	struct prm_query_mkey_out out;
	unsigned int syndrome;
	struct umr_wr reg;
	struct tqp x, y;

	page_list(&b, list, KEY_OFF, 3);
	reg = reg_wr(key, list, 3);
	pair(&x, &y);
	len = build_umr(&reg, raw);
	t->corrupt(&reg, raw, &len);
	wr.imm = reg.key;
	wr.flags = reg.fence;
	if (t->corrupt == corrupt_opmod) {
		post_wqe(&y, &wr, raw, len);
		*(uint8_t *)mem_at(&b, y.sq) = 1;
	} else {
		post_wqe(&y, &wr, raw, len);
	}
	ring(&y);
	syndrome = syndrome_of(&cb);
	prm_set(&in, mkey_index, key >> 8);
	ok(syndrome == t->syndrome && (b.dev->violations > before) == t->violation &&
	   !command(&b, query_mkey, &in, &out) &&
	   prm_get(&out, memory_key_mkey_entry.free) == !!t->syndrome &&
	   qp_state(&y) == (t->syndrome ? PRM_QP_ERR : PRM_QP_RTS),
	   "UMR WQE with %s: syndrome 0x%02x, key 0x%x", t->name, syndrome, key >> 8);
	destroy_pair(&x, &y);
	destroy_mkey(&b, key);
}

/* By a pair of its own, which is in error then. */
static void refused(const struct umr_wr *wr, unsigned int syndrome, const char *what)
{
	struct tqp x, y;

	pair(&x, &y);
	post_umr(&y, wr);
	ok(syndrome_of(&cb) == syndrome, "%s", what);
	destroy_pair(&x, &y);
}

/* Requests that do not fit the state or the owner of the key. */
static void test_state(void)
{
	uint32_t pd2 = alloc_pd(&b), key = create_free_mkey(&b, b.pd, MKEY_MTT, 4, false),
		 foreign = create_free_mkey(&b, pd2, MKEY_MTT, 4, false), next = (key & ~0xffu) | 1,
		 plain;
	struct umr_wr reg, u;
	uint8_t list[64] = {};
	struct tqp x, y;

	page_list(&b, list, KEY_OFF, 3);
	reg = reg_wr(key, list, 3);
	pair(&x, &y);
	post_umr(&y, &reg);
	ok(good(&cb), "a key can be registered");
	post_umr(&y, &reg);
	ok(syndrome_of(&cb) == PRM_CQE_SYND_MW_BIND, "registration of a key in use is refused");
	destroy_pair(&x, &y);

	u = inval_wr(next);
	refused(&u, PRM_CQE_SYND_MW_BIND, "invalidation with another low byte is refused");
	u = inval_wr(foreign);
	refused(&u, PRM_CQE_SYND_MW_BIND, "invalidation of a key of another PD is refused");
	plain = create_plain_mkey(&b);
	u = inval_wr(plain);
	refused(&u, PRM_CQE_SYND_MW_BIND,
		"invalidation of a key created without umr_en is refused");

	pair(&x, &y);
	u = inval_wr(key);
	u.flags |= PRM_UMR_CHECK_FREE;
	post_umr(&y, &u);
	ok(good(&cb), "invalidation of a key in use works");
	post_umr(&y, &u);
	ok(syndrome_of(&cb) == PRM_CQE_SYND_MW_BIND,
	   "a second invalidation that checks for a key in use is refused");
	destroy_pair(&x, &y);

	user_pair(&x, &y);
	post_umr(&y, &reg);
	ok(syndrome_of(&cb) == PRM_CQE_SYND_MW_BIND, "a page list by a QP without fre is refused");
	destroy_pair(&x, &y);

	reg.list = NULL;
	reg.flags &= ~PRM_UMR_INLINE;
	reg.sge = (struct tsge) { b.va + LIST_OFF, 64, b.lkey ^ 1 };
	refused(&reg, PRM_CQE_SYND_LOCAL_PROT, "a list behind a wrong lkey is refused");
	reg.sge.key = MKEY_RESERVED_LKEY;
	refused(&reg, PRM_CQE_SYND_LOCAL_PROT,
		"a list behind the reserved lkey is refused without rlky");
	reg.sge = (struct tsge) { b.va + LIST_OFF + 64, 64, b.lkey };
	refused(&reg, PRM_CQE_SYND_MW_BIND, "a list that is not aligned is refused");
	destroy_mkey(&b, key);
	destroy_mkey(&b, foreign);
	destroy_mkey(&b, plain);
}

int main(void)
{
	unsigned int i;

	sides_open();
	create_cq(&ca, &a, 8);
	create_cq(&cb, &b, 8);
	test_register();
	test_rights();
	test_remote_invalidate(true);
	test_remote_invalidate(false);
	test_once();
	test_klm_list();
	test_user_length();
	test_klm_max();
	test_block();
	test_wrong_block();
	test_klm_reserved(true);
	test_klm_reserved(false);
	test_umr_qp();
	for (i = 0; i < ARRAY_SIZE(bad_cases); i++)
		test_bad(&bad_cases[i]);
	test_state();
	sides_close();
	return ok_end();
}
