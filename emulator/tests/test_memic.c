// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Memory of the device: what a driver may not ask of it, and where it may not access it. What the
 * memory does is in test_rdma_memic.c.
 */
#include <string.h>

#include "key/key.h"
#include "prm/caps.h"
#include "wrong.h"

#define MKC memory_key_mkey_entry
#define PAGE 4096u
#define PF_BAR (32u << 20)
#define AT (PF_BAR - MEMIC_BAR_BYTES)
#define LEN 4096u
#define OTHER (AT + 2 * PAGE)		/* where the second allocation is */

static void fill_alloc(struct prm_alloc_memic_in *in, uint64_t at, uint32_t range, uint32_t len)
{
	memset(in, 0, sizeof(*in));
	prm_set64(in, range_start_addr, at);
	prm_set(in, range_size, range);
	prm_set(in, memic_size, len);
}

/* The address; 0: refused. */
static uint64_t alloc(uint64_t at, uint32_t range, uint32_t len)
{
	struct prm_alloc_memic_in in;
	struct prm_alloc_memic_out out;

	fill_alloc(&in, at, range, len);
	return cmd(&rig.c, alloc_memic, &in, &out) ? 0 : prm_get64(&out, memic_start_addr);
}

static int dealloc(uint64_t at, uint32_t len)
{
	struct prm_dealloc_memic_in in = {};
	struct prm_dealloc_memic_out out;

	prm_set64(&in, memic_start_addr, at);
	prm_set(&in, memic_size, len);
	return cmd(&rig.c, dealloc_memic, &in, &out);
}

static int modify(unsigned int op_mod, uint64_t at, unsigned int op)
{
	struct prm_modify_memic_in in = {};
	struct prm_modify_memic_out out;

	prm_set(&in, op_mod, op_mod);
	prm_set64(&in, memic_start_addr, at);
	prm_set(&in, memic_operation_type, op);
	return cmd(&rig.c, modify_memic, &in, &out);
}

static void fill_key(struct prm_create_mkey_in *in, uint64_t at, uint64_t len)
{
	memset(in, 0, sizeof(*in));
	prm_set(in, MKC.access_mode_1_0, PRM_MKC_MEMIC & 3);
	prm_set(in, MKC.access_mode_4_2, PRM_MKC_MEMIC >> 2);
	prm_set(in, MKC.lr, 1);
	prm_set(in, MKC.qpn, 0xffffff);
	prm_set(in, MKC.pd, rig.pd);
	prm_set64(in, MKC.start_addr, at);
	prm_set64(in, MKC.len, len);
}

/* ---- commands ---- */

static void not_announced(const char *bin_dir)
{
	static const struct wrong_row none[] = {
		{ .field = "", .status = PRM_STATUS_BAD_OP,
		  .text = "memory of the device is not announced" },
	};
	static const struct wrong_row mode[] = {
		{ .field = "", .text = "mkc.access_mode 5 is not supported" },
	};
	struct prm_alloc_memic_in in;
	struct prm_dealloc_memic_in dealloc = {};
	struct prm_modify_memic_in modify = {};
	struct prm_create_mkey_in key;

	rig_open_card(bin_dir, 1, "cx6dx");
	fill_alloc(&in, AT, PAGE, LEN);
	fill_key(&key, AT, LEN);
	WRONG_ONLY(&WRONG_CMD(alloc_memic, &in), none);
	WRONG_ONLY(&WRONG_CMD(dealloc_memic, &dealloc), none);
	WRONG_ONLY(&WRONG_CMD(modify_memic, &modify), none);
	WRONG_ONLY(&WRONG_CMD(create_mkey, &key), mode);
	rig_close();
}

static void allocations(void)
{
	static const struct wrong_row rows[] = {
		F(alloc_memic, log_memic_addr_alignment, MEMIC_LOG_MAX_ALIGN + 1,
		  "log_memic_addr_alignment is 7: the card announces 6"),
		F(alloc_memic, memic_size, 0, "memic_size is 0, not a multiple of 64"),
		F(alloc_memic, memic_size, 65, "memic_size is 65, not a multiple of 64"),
		F(alloc_memic, memic_size, LEN + 64,
		  "memic_size is 4160, the range has 4096 bytes"),
		F(alloc_memic, range_start_addr, AT - PAGE,
		  "range of 4096 bytes at 0x1f9f000: the memory is at 0x1fa0000, 131072 bytes"),
		F(alloc_memic, range_start_addr, AT + MEMIC_BYTES,
		  "range of 4096 bytes at 0x1fc0000: the memory is at 0x1fa0000, 131072 bytes"),
		F(alloc_memic, range_size, MEMIC_BYTES + 1,
		  "range of 131073 bytes at 0x1fa0000: the memory is at 0x1fa0000, 131072 bytes"),
	};
	struct prm_alloc_memic_in in;

	fill_alloc(&in, AT, PAGE, LEN);
	WRONG(&WRONG_CMD(alloc_memic, &in), rows);
}

static void releases(void)
{
	static const struct wrong_row rows[] = {
		F(dealloc_memic, memic_start_addr, OTHER + 64,
		  "no memory that was allocated begins at 0x1fa2040 of BAR 0",
		  .status = PRM_STATUS_BAD_RES),
		F(dealloc_memic, memic_start_addr, 0,
		  "no memory that was allocated begins at 0x0 of BAR 0",
		  .status = PRM_STATUS_BAD_RES),
		F(dealloc_memic, memic_size, LEN - 64,
		  "memic_size is 4032: the memory has 4096 bytes"),
	};
	static const struct wrong_row busy[] = {
		{ .field = "with an operation", .status = PRM_STATUS_RES_BUSY,
		  .text = "the memory still has the operation test-and-set" },
	};
	struct prm_dealloc_memic_in in = {};

	prm_set64(&in, memic_start_addr, OTHER);
	prm_set(&in, memic_size, LEN);
	modify(PRM_MEMIC_OP_ALLOC, OTHER, PRM_MEMIC_TEST_AND_SET);
	WRONG_ONLY(&WRONG_CMD(dealloc_memic, &in), busy);
	modify(PRM_MEMIC_OP_DEALLOC, OTHER, PRM_MEMIC_TEST_AND_SET);
	WRONG(&WRONG_CMD(dealloc_memic, &in), rows);
	ktap(alloc(OTHER, PAGE, LEN) == OTHER, "what was given back is free");
}

static void operations(void)
{
	static const struct wrong_row rows[] = {
		F(modify_memic, op_mod, 2, "op_mod 2 is unknown"),
		F(modify_memic, memic_operation_type, 2, "memic_operation_type 2 is not announced"),
		F(modify_memic, memic_start_addr, AT + 64,
		  "no memory that was allocated begins at 0x1fa0040 of BAR 0",
		  .status = PRM_STATUS_BAD_RES),
		F(modify_memic, op_mod, PRM_MEMIC_OP_DEALLOC,
		  "the memory does not have the operation increment",
		  .status = PRM_STATUS_BAD_RES_STATE),
	};
	static const struct wrong_row twice[] = {
		{ .field = "twice", .status = PRM_STATUS_BAD_RES_STATE,
		  .text = "the memory already has the operation increment" },
	};
	struct prm_modify_memic_in in = {};

	prm_set64(&in, memic_start_addr, AT);
	WRONG(&WRONG_CMD(modify_memic, &in), rows);
	WRONG_ONLY(&WRONG_CMD(modify_memic, &in), twice);
}

static void contexts(void)
{
	static const struct wrong_row alone[] = {
		{ .field = "of a context", .status = PRM_STATUS_BAD_OP,
		  .text = "uid 1: it is a command of the driver's alone" },
	};
	static const struct wrong_row key[] = {
		{ .field = "of a context",
		  .text = "mkc.access_mode 5: a user context has only memory of umems and keys" },
	};
	struct prm_create_uctx_in uctx = {};
	struct prm_alloc_memic_in in;
	struct prm_create_mkey_in mkey;
	uint32_t uid = rig_create(&WRONG_CMD(create_uctx, &uctx)) & 0xffff;

	fill_alloc(&in, AT, PAGE, LEN);
	prm_set((struct prm_mbox_in *)&in, uid, uid);
	WRONG_ONLY(&WRONG_CMD(alloc_memic, &in), alone);
	fill_key(&mkey, AT, LEN);
	prm_set(&mkey, uid, uid);
	WRONG_ONLY(&WRONG_CMD(create_mkey, &mkey), key);
}

static void keys(void)
{
	static const struct wrong_row rows[] = {
		F(create_mkey, MKC.umr_en, 1,
		  "umr_en or free: mkeys of the device's memory are not changed by UMR"),
		F(create_mkey, MKC.free, 1,
		  "umr_en or free: mkeys of the device's memory are not changed by UMR"),
		F(create_mkey, mkey_umem_valid, 1,
		  "mkey_umem_valid: the mkey is free, or not one of pages"),
		F(create_mkey, MKC.length64, 1, "length64 goes with PA mkeys only",
		  AND(create_mkey, MKC.len, 0)),
		F(create_mkey, MKC.translations_octword_size, 1,
		  "a mkey of the device's memory has no translation list"),
		F(create_mkey, translations_octword_actual_size, 1,
		  "a mkey of the device's memory has no translation list"),
		F(create_mkey, MKC.len, LEN - 63,
		  "4033 bytes at 0x1fa0040 of BAR 0 are not within one allocation"),
		F(create_mkey, MKC.start_addr, AT + PAGE,
		  "4032 bytes at 0x1fa1000 of BAR 0 are not within one allocation"),
		F(create_mkey, MKC.start_addr, 64,
		  "4032 bytes at 0x40 of BAR 0 are not within one allocation"),
	};
	static const struct wrong_row busy[] = {
		{ .field = "with a key", .status = PRM_STATUS_RES_BUSY,
		  .text = "MEMIC 0x* is still used by 1 objects" },
	};
	struct prm_dealloc_memic_in dealloc = {};
	struct prm_create_mkey_in in;

	fill_key(&in, AT + 64, LEN - 64);
	WRONG(&WRONG_CMD(create_mkey, &in), rows);
	prm_set64(&dealloc, memic_start_addr, AT);
	prm_set(&dealloc, memic_size, LEN);
	modify(PRM_MEMIC_OP_DEALLOC, AT, PRM_MEMIC_INCREMENT);
	WRONG_ONLY(&WRONG_CMD(dealloc_memic, &dealloc), busy);
}

/* ---- accesses of the host ---- */

static void expect_at(uint64_t at, bool write, const char *what, const char *text)
{
	uint32_t value = 0x01020304;

	wrong_begin();
	if (write)
		region_write(&rig.c, 0, at, &value, sizeof(value), true);
	else
		region_read(&rig.c, 0, at, &value, sizeof(value));
	reg_read(&rig.c, 0);
	wrong_expect(what, text);
	if (!write)
		ktap(!value, "%s is 0", what);
}

static void accesses(void)
{
	expect_at(AT + PAGE, true, "a write to a page that nobody has",
		  "memory at 0x1fa1000 of BAR 0: the page has none that is allocated");
	expect_at(AT + MEMIC_BYTES - 4, false, "a read of a page that nobody has",
		  "memory at 0x1fbfffc of BAR 0: the page has none that is allocated");
	expect_at(AT + MEMIC_BYTES, true, "an increment that was not allocated",
		  "increment at 0x1fa0000 of BAR 0: the page has none that is allocated");
	expect_at(AT + 2 * MEMIC_BYTES, false, "a test-and-set that was not allocated",
		  "test-and-set at 0x1fa0000 of BAR 0: the page has none that is allocated");
}

int main(int argc, char **argv)
{
	(void)argc;
	ktap_plan(0);
	not_announced(argv[1]);
	rig_open_card(argv[1], 1, "cx6dx,devx");
	allocations();
	ktap(alloc(OTHER, PAGE, LEN) == OTHER,
	     "memory is allocated in the range that the driver names");
	releases();
	operations();
	contexts();
	keys();
	accesses();
	ktap(!dealloc(OTHER, LEN) && alloc(OTHER, PAGE, LEN), "it can be given back");
	rig_close();
	return ktap_end();
}
