// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Limits of queue sizes: tables of cases, and a random walk. */
#include <linux/errno.h>
#include "host.h"
#include "limits_walk.h"
#include "policy/limits.h"
#include "prm/mkey.h"

static const struct cxr_limits limits = {
	.log_qp = 15, .log_srq = 15, .log_cq = 22, .send_bytes = 512, .recv_bytes = 512,
};

/* ---- queues laid out by user space ----------------------------------------------------------- */

static const struct {
	const char *sentence;
	struct cxr_limits_user_qp qp;
	int error;
	u64 bytes;
} user_qps[] = {
	{ .sentence = "user QP: the receive queue, then the send queue",
	  .qp = { .send_blocks = 256, .recv_slots = 128, .recv_log_stride = 5, .recv_wrs = 100 },
	  .bytes = 128 * 32 + 256 * 64 },
	{ .sentence = "user QP: send queue only",
	  .qp = { .send_blocks = 1 }, .bytes = 64 },
	{ .sentence = "user QP: receive queue only",
	  .qp = { .recv_slots = 1, .recv_log_stride = 4, .recv_wrs = 1 }, .bytes = 16 },
	{ .sentence = "user QP: on an SRQ, without queues of its own",
	  .qp = { .srq = true }, .bytes = 0 },
	{ .sentence = "user QP: the maximum of send blocks",
	  .qp = { .send_blocks = 1 << 15 }, .bytes = 64 << 15 },
	{ .sentence = "user QP: too many send blocks are refused",
	  .qp = { .send_blocks = 1 << 16 }, .error = -EINVAL },
	{ .sentence = "user QP: send blocks whose size overflows are refused",
	  .qp = { .send_blocks = 1u << 31 }, .error = -EINVAL },
	{ .sentence = "user QP: 15 send blocks, not a power of two, are refused",
	  .qp = { .send_blocks = 15 }, .error = -EINVAL },
	{ .sentence = "user QP: neither send nor receive queue is refused",
	  .qp = {}, .error = -EINVAL },
	{ .sentence = "user QP: receive requests without slots are refused",
	  .qp = { .send_blocks = 1, .recv_wrs = 1 }, .error = -EINVAL },
	{ .sentence = "user QP: receive slots without requests are refused",
	  .qp = { .send_blocks = 1, .recv_slots = 1, .recv_log_stride = 4 }, .error = -EINVAL },
	{ .sentence = "user QP: 17 receive slots, not a power of two, are refused",
	  .qp = { .recv_slots = 17, .recv_log_stride = 4, .recv_wrs = 1 }, .error = -EINVAL },
	{ .sentence = "user QP: too many receive slots are refused",
	  .qp = { .recv_slots = 1 << 16, .recv_log_stride = 4, .recv_wrs = 1 },
	  .error = -EINVAL },
	{ .sentence = "user QP: receive slots smaller than an SGE are refused",
	  .qp = { .recv_slots = 1, .recv_log_stride = 3, .recv_wrs = 1 }, .error = -EINVAL },
	{ .sentence = "user QP: receive slots over the device's limit are refused",
	  .qp = { .recv_slots = 1, .recv_log_stride = 10, .recv_wrs = 1 }, .error = -EINVAL },
	{ .sentence = "user QP: receive slots whose size overflows are refused",
	  .qp = { .recv_slots = 1, .recv_log_stride = 255, .recv_wrs = 1 }, .error = -EINVAL },
};

/* ---- strides of receive queues --------------------------------------------------------------- */

static const struct {
	const char *sentence;
	u32 log_bytes, log_strides, log_slot;
	bool few;
	int error;
} strides[] = {
	{ "strides: the least", 6, 9, 5, false, 0 },
	{ "strides: the most", 13, 16, 9, false, 0 },
	{ "strides: eight of them, of a device that has so few", 6, 3, 5, true, 0 },
	{ "strides: eight of them, of a device without so few, are refused", 6, 3, 5, false,
	  -EINVAL },
	{ "strides: 2^8 of a device without so few are refused", 6, 8, 5, false, -EINVAL },
	{ "strides: four of them are refused", 6, 2, 5, true, -EINVAL },
	{ "strides: 2^17 of them are refused", 6, 17, 5, true, -EINVAL },
	{ "strides: of 32 bytes are refused", 5, 9, 5, true, -EINVAL },
	{ "strides: of 16 KiB are refused", 14, 9, 5, true, -EINVAL },
	{ "strides: slots of one segment are refused", 6, 9, 4, true, -EINVAL },
	{ "strides: absurd logs are refused", 0xffffffff, 0xffffffff, 5, true, -EINVAL },
};

/* ---- queues laid out by the kernel ----------------------------------------------------------- */

/* WQE parts by QP type, as in drivers/ib/qp.c */
#define RC .send_head = 32, .send_data = 32, .send_other = 192
#define UD .send_head = 64

static const struct {
	const char *sentence;
	struct cxr_limits_qp qp;
	int error;
	struct cxr_limits_layout layout;
} qps[] = {
	{ .sentence = "kernel RC QP: each send has room for a fast registration",
	  .qp = { RC, .send_wrs = 10, .send_sges = 1, .recv_wrs = 10, .recv_sges = 1 },
	  .layout = { .send_blocks = 32, .send_wrs = 10, .recv_wrs = 16, .recv_sges = 1,
		      .recv_log_stride = 4, .send_offset = 256, .bytes = 256 + 32 * 64 } },
	{ .sentence = "kernel UD QP: each send has room for an address vector",
	  .qp = { UD, .send_wrs = 8, .send_sges = 1, .recv_wrs = 8, .recv_sges = 3 },
	  .layout = { .send_blocks = 16, .send_wrs = 8, .recv_wrs = 8, .recv_sges = 4,
		      .recv_log_stride = 6, .send_offset = 512, .bytes = 512 + 16 * 64 } },
	{ .sentence = "kernel QP: inline data is rounded up together with its header",
	  .qp = { UD, .send_wrs = 1, .inline_bytes = 61 },
	  .layout = { .send_blocks = 4, .send_wrs = 1, .bytes = 4 * 64 } },
	{ .sentence = "kernel QP: a single receive takes a block, to align the send queue",
	  .qp = { UD, .send_wrs = 1, .recv_wrs = 1 },
	  .layout = { .send_blocks = 2, .send_wrs = 1, .recv_wrs = 4, .recv_sges = 1,
		      .recv_log_stride = 4, .send_offset = 64, .bytes = 64 + 2 * 64 } },
	{ .sentence = "kernel QP: neither sends nor receives need no memory", .qp = { UD } },
	{ .sentence = "kernel QP: too many send SGEs are refused",
	  .qp = { UD, .send_wrs = 1, .send_sges = 33 }, .error = -EINVAL },
	{ .sentence = "kernel QP: a number of send SGEs that overflows is refused",
	  .qp = { UD, .send_wrs = 1, .send_sges = ~0u }, .error = -EINVAL },
	{ .sentence = "kernel QP: too much inline data is refused",
	  .qp = { UD, .send_wrs = 1, .inline_bytes = ~0u }, .error = -EINVAL },
	{ .sentence = "kernel QP: send SGEs that leave no room for headers are refused",
	  .qp = { RC, .send_wrs = 1, .send_sges = 32 }, .error = -ENOMEM },
	{ .sentence = "kernel QP: sends that need too many blocks are refused",
	  .qp = { RC, .send_wrs = 1 << 14, .send_sges = 1 }, .error = -ENOMEM },
	{ .sentence = "kernel QP: a number of sends that overflows is refused",
	  .qp = { RC, .send_wrs = 0x55555556, .send_sges = 1 }, .error = -ENOMEM },
	{ .sentence = "kernel QP: too many receive SGEs are refused",
	  .qp = { UD, .recv_wrs = 1, .recv_sges = 33 }, .error = -EINVAL },
	{ .sentence = "kernel QP: a number of receives that overflows is refused",
	  .qp = { UD, .recv_wrs = ~0u, .recv_sges = 1 }, .error = -ENOMEM },
};

/* ---- SRQs and CQs ---------------------------------------------------------------------------- */

static const struct {
	const char *sentence;
	u32 wrs, sges;
	int error;
	struct cxr_limits_srq srq;
} srqs[] = {
	{ .sentence = "an SRQ has one WQE more than can be posted", .wrs = 16, .sges = 1,
	  .srq = { .log_size = 5, .log_stride = 5, .wrs = 31, .sges = 1 } },
	{ .sentence = "an SRQ WQE has room for the link to the next one", .wrs = 15, .sges = 2,
	  .srq = { .log_size = 4, .log_stride = 6, .wrs = 15, .sges = 3 } },
	{ .sentence = "an SRQ of size 0 is accepted", .wrs = 0, .sges = 0,
	  .srq = { .log_size = 0, .log_stride = 5, .wrs = 0, .sges = 1 } },
	{ .sentence = "the largest SRQ is accepted", .wrs = (1 << 15) - 1, .sges = 31,
	  .srq = { .log_size = 15, .log_stride = 9, .wrs = (1 << 15) - 1, .sges = 31 } },
	{ .sentence = "an SRQ larger than the limit is refused",
	  .wrs = 1 << 15, .sges = 1, .error = -EINVAL },
	{ .sentence = "an SRQ with too many SGEs is refused",
	  .wrs = 1, .sges = 32, .error = -EINVAL },
	{ .sentence = "an SRQ whose size overflows is refused", .wrs = ~0u, .sges = ~0u,
	  .error = -EINVAL },
};

static const struct {
	const char *sentence;
	u32 entries;
	int log;
} cqs[] = {
	{ .sentence = "a CQ has one entry more than asked for", .entries = 1, .log = 1 },
	{ .sentence = "a CQ of 256 entries gets 512", .entries = 256, .log = 9 },
	{ .sentence = "the largest CQ is accepted", .entries = (1 << 22) - 1, .log = 22 },
	{ .sentence = "a CQ larger than the limit is refused", .entries = 1 << 22, .log = -EINVAL },
	{ .sentence = "a CQ of size 0 is refused", .entries = 0, .log = -EINVAL },
	{ .sentence = "a CQ of negative size is refused", .entries = -1, .log = -EINVAL },
};

static const struct {
	const char *sentence;
	u64 addr;
	u8 log_max, bits;
	int error;
	u8 log_page, offset;
} pages[] = {
	{ .sentence = "pages: the largest that the memory allows",
	  .addr = 0x40000000, .log_max = 21, .bits = 5, .log_page = 21 },
	{ .sentence = "pages: a queue at 1984 bytes of a page, the last place in 5 bits",
	  .addr = 0x400007c0, .log_max = 12, .bits = 5, .log_page = 12, .offset = 31 },
	{ .sentence = "pages: a queue in the middle of a page does not fit in 5 bits",
	  .addr = 0x40000800, .log_max = 12, .bits = 5, .error = -EINVAL },
	{ .sentence = "pages: a queue in the middle of a page fits in 6 bits",
	  .addr = 0x40000800, .log_max = 12, .bits = 6, .log_page = 12, .offset = 32 },
	{ .sentence = "pages: a queue in the middle of a page, in a page of twice the size",
	  .addr = 0x40000800, .log_max = 13, .bits = 5, .log_page = 13, .offset = 16 },
	{ .sentence = "pages: a queue in the upper half of a large page, in smaller pages",
	  .addr = 0x40008000, .log_max = 16, .bits = 5, .log_page = 15 },
	{ .sentence = "pages: a queue aligned to 64 bytes, in pages of 4 KiB",
	  .addr = 0x40000040, .log_max = 21, .bits = 5, .log_page = 12, .offset = 1 },
	{ .sentence = "pages: a queue aligned to 32 bytes is refused",
	  .addr = 0x40000020, .log_max = 21, .bits = 6, .error = -EINVAL },
	{ .sentence = "pages: a queue without an offset, in pages that it begins",
	  .addr = 0x40006000, .log_max = 21, .bits = 0, .log_page = 13 },
	{ .sentence = "pages: a queue without an offset that begins within a page is refused",
	  .addr = 0x40000040, .log_max = 21, .bits = 0, .error = -EINVAL },
	{ .sentence = "pages: an address of 64 bits",
	  .addr = 0xfffffffffffff400, .log_max = 31, .bits = 6, .log_page = 16, .offset = 61 },
	{ .sentence = "pages: memory that needs pages of less than 4 KiB is refused",
	  .addr = 0x40000000, .log_max = 11, .bits = 6, .error = -EINVAL },
};

/* ---- blocks of memory ------------------------------------------------------------------------ */

static const struct {
	const char *sentence;
	u64 blocks;
	int error;
} blocks[] = {
	{ "blocks: 64 GiB of pages of 4 KiB", 1 << 24, 0 },
	{ "blocks: the most of one command", CXR_LIMITS_BLOCKS, 0 },
	{ "blocks: one more is refused", CXR_LIMITS_BLOCKS + 1, -ENOMEM },
	{ "blocks: 1 TiB of pages of 4 KiB is refused", 1 << 28, -ENOMEM },
	{ "blocks: a number of more than 32 bits is refused", (u64)1 << 32, -ENOMEM },
};

/* ---- a random walk --------------------------------------------------------------------------- */

static void walk(u64 seed)
{
	unsigned int i, qp = 0, user = 0, other = 0;
	struct source from = { .seed = seed };
	struct cxr_limits l;
	u32 bad = 0;

	for (i = 0; i < 50000 && !bad; i++) {
		l = draw_limits(&from);
		bad = walk_qp(&l, &from, &qp) | walk_user_qp(&l, &from, &user) |
		      walk_others(&l, &from, &other);
	}
	expect(bad, 0);
	expect(qp > 1000 && user > 1000 && other > 1000, true);
}

static void test_user_qps(void)
{
	const char *why;
	unsigned int i;
	u64 bytes;

	for (i = 0; i < ARRAY_SIZE(user_qps); i++) {
		begin("limits", user_qps[i].sentence);
		why = NULL;
		expect(cxr_limits_user_qp(&limits, &user_qps[i].qp, &bytes, &why),
		       user_qps[i].error);
		expect(!why, !user_qps[i].error);
		if (!user_qps[i].error)
			expect(bytes, user_qps[i].bytes);
	}
}

static void test_strides(void)
{
	struct cxr_limits of = limits;
	const char *why;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(strides); i++) {
		begin("limits", strides[i].sentence);
		of.few_strides = strides[i].few;
		why = NULL;
		expect(cxr_limits_strides(&of, strides[i].log_bytes, strides[i].log_strides,
					  strides[i].log_slot, &why), strides[i].error);
		expect(!why, !strides[i].error);
	}
}

static void test_qps(void)
{
	struct cxr_limits_layout layout;
	const char *why;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(qps); i++) {
		begin("limits", qps[i].sentence);
		why = NULL;
		expect(cxr_limits_qp(&limits, &qps[i].qp, &layout, &why), qps[i].error);
		expect(!why, !qps[i].error);
		if (qps[i].error)
			continue;
		expect(layout.send_blocks, qps[i].layout.send_blocks);
		expect(layout.send_wrs, qps[i].layout.send_wrs);
		expect(layout.recv_wrs, qps[i].layout.recv_wrs);
		expect(layout.recv_sges, qps[i].layout.recv_sges);
		expect(layout.recv_log_stride, qps[i].layout.recv_log_stride);
		expect(layout.send_offset, qps[i].layout.send_offset);
		expect(layout.bytes, qps[i].layout.bytes);
	}
}

static void test_srqs(void)
{
	struct cxr_limits_srq srq;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(srqs); i++) {
		begin("limits", srqs[i].sentence);
		expect(cxr_limits_srq(&limits, srqs[i].wrs, srqs[i].sges, &srq), srqs[i].error);
		if (srqs[i].error)
			continue;
		expect(srq.log_size, srqs[i].srq.log_size);
		expect(srq.log_stride, srqs[i].srq.log_stride);
		expect(srq.wrs, srqs[i].srq.wrs);
		expect(srq.sges, srqs[i].srq.sges);
	}
}

static void test_cqs(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cqs); i++) {
		begin("limits", cqs[i].sentence);
		expect(cxr_limits_cq(&limits, cqs[i].entries), cqs[i].log);
	}
}

/* What is accepted fits into an allocation of the kernel, with the head of the command. */
static void test_blocks(void)
{
	unsigned int i;
	u64 bytes;

	for (i = 0; i < ARRAY_SIZE(blocks); i++) {
		begin("limits", blocks[i].sentence);
		expect(cxr_limits_blocks(blocks[i].blocks), blocks[i].error);
		bytes = sizeof(struct prm_create_mkey_in) + 16 * ((blocks[i].blocks + 1) / 2);
		expect(blocks[i].error || bytes <= 0x7fffffff, true);
	}
}

static void test_pages(void)
{
	u8 log_page, offset;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pages); i++) {
		begin("limits", pages[i].sentence);
		expect(cxr_limits_pages(pages[i].addr, pages[i].log_max, pages[i].bits, &log_page,
					&offset),
		       pages[i].error);
		if (pages[i].error)
			continue;
		expect(log_page, pages[i].log_page);
		expect(offset, pages[i].offset);
	}
}

void test_limits(void)
{
	unsigned int i;

	test_user_qps();
	test_strides();
	test_qps();
	test_srqs();
	test_cqs();
	test_pages();
	test_blocks();

	begin("limits", "random walk: what is accepted fits, and is no less than requested");
	for (i = 0; i < 8; i++)
		walk(i + 1);
}
