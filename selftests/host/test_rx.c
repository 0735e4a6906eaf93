// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The policy of received packets: buffers, and the use of the device's checksum. */
#include "host.h"
#include "policy/rx.h"

static const struct cxr_rx_memory pages_4k = { .page = 4096, .align = 64, .head = 64, .tail = 320 };
static const struct cxr_rx_memory pages_64k = { .page = 65536, .align = 128, .head = 66,
						.tail = 384 };

static const struct {
	const char *sentence;
	const struct cxr_rx_memory *mem;
	u32 frame;
	struct cxr_rx_layout want;
} layout_cases[] = {
	{ "two frames of 1522 bytes share a page of 4 KiB", &pages_4k, 1522, { 2048, 1664, 1 } },
	{ "the largest frames that share a page", &pages_4k, 1664, { 2048, 1664, 1 } },
	{ "a larger frame has a page of its own", &pages_4k, 1665, { 4096, 3712, 1 } },
	{ "the largest frame in one page", &pages_4k, 3712, { 4096, 3712, 1 } },
	{ "one more byte is in a second page", &pages_4k, 3713, { 4096, 3712, 2 } },
	{ "a frame of 9022 bytes is in three pages", &pages_4k, 9022, { 4096, 3712, 3 } },
	{ "three small frames share a page, at multiples of the alignment", &pages_4k, 960,
	  { 1344, 960, 1 } },
	{ "two if the alignment leaves no room for three", &pages_4k, 980, { 2048, 1664, 1 } },
	{ "frames of 9022 bytes share a page of 64 KiB", &pages_64k, 9022, { 10880, 10430, 1 } },
};

static void test_layout(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(layout_cases); i++) {
		struct cxr_rx_layout got =
			cxr_rx_layout(layout_cases[i].mem, layout_cases[i].frame);

		begin("rx", layout_cases[i].sentence);
		expect(got.size, layout_cases[i].want.size);
		expect(got.room, layout_cases[i].want.room);
		expect(got.n, layout_cases[i].want.n);
	}
}

static void layout_holds(const struct cxr_rx_memory *mem, u32 frame)
{
	struct cxr_rx_layout got = cxr_rx_layout(mem, frame);

	expect(got.size % mem->align, 0);
	expect(got.size <= mem->page, true);
	expect(got.room, got.size - mem->head - mem->tail);
	expect(got.size == mem->page || 2 * got.size <= mem->page, true);
	expect(got.size == mem->page || got.n == 1, true);
	expect(got.room + (got.n - 1) * mem->page >= frame, true);
	expect(got.n == 1 || got.room + (got.n - 2) * mem->page < frame, true);
	expect(frame <= cxr_rx_max_frame(mem, got.n), true);
}

static void test_all_frames(void)
{
	u32 frame;

	begin("rx", "frames of all lengths fit, with no buffer too many");
	for (frame = 60; frame <= cxr_rx_max_frame(&pages_4k, 4); frame++)
		layout_holds(&pages_4k, frame);
	for (frame = 60; frame <= cxr_rx_max_frame(&pages_64k, 4); frame += 7)
		layout_holds(&pages_64k, frame);
	begin("rx", "the longest frame of four buffers needs four");
	expect(cxr_rx_layout(&pages_4k, cxr_rx_max_frame(&pages_4k, 4)).n, 4);
	expect(cxr_rx_layout(&pages_4k, cxr_rx_max_frame(&pages_4k, 4) + 1).n, 5);
}

static const struct {
	const char *sentence;
	u16 ethertype;
	u32 len;
	u8 ip[40];
	bool want;
} sum_cases[] = {
	{ "the sum of a frame that ends with its IPv4 packet is that of the stack", 0x0800, 84,
	  { 0x45, 0, 0, 84, [9] = 1 }, true },
	{ "of an IPv6 packet as well", 0x86dd, 104, { 0x60, 0, 0, 0, 0, 64, 58 }, true },
	{ "not if bytes follow the IPv4 packet: they are not in the sum", 0x0800, 85,
	  { 0x45, 0, 0, 84, [9] = 1 }, false },
	{ "not if bytes follow the IPv6 packet", 0x86dd, 105, { 0x60, 0, 0, 0, 0, 64, 58 }, false },
	{ "not if the IPv4 header promises more than there is", 0x0800, 84,
	  { 0x45, 0, 0, 85, [9] = 1 }, false },
	{ "not if the IPv6 header promises more than there is", 0x86dd, 104,
	  { 0x60, 0, 0, 0, 1, 64, 58 }, false },
	{ "not of a frame that may be padded", 0x0800, 46, { 0x45, 0, 0, 46, [9] = 1 }, false },
	{ "not of SCTP over IPv4", 0x0800, 84, { 0x45, 0, 0, 84, [9] = 132 }, false },
	{ "not of SCTP over IPv6", 0x86dd, 104, { 0x60, 0, 0, 0, 0, 64, 132 }, false },
	{ "not if the IP version contradicts the ethertype of IPv4", 0x0800, 84,
	  { 0x65, 0, 0, 84, [9] = 1 }, false },
	{ "not if it contradicts that of IPv6", 0x86dd, 104, { 0x40, 0, 0, 0, 0, 64, 58 }, false },
	{ "not of other protocols, as behind a tag", 0x8100, 84,
	  { 0x45, 0, 0, 84, [9] = 1 }, false },
};

void test_rx(void)
{
	unsigned int i;

	test_layout();
	test_all_frames();
	for (i = 0; i < ARRAY_SIZE(sum_cases); i++) {
		begin("rx", sum_cases[i].sentence);
		expect(cxr_rx_sum_valid(sum_cases[i].ip, sum_cases[i].len, sum_cases[i].ethertype),
		       sum_cases[i].want);
	}
}
