// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Memory of the device: what it says of it. */
#include <string.h>

#include "../../drivers/codec/caps.h"
#include "host.h"

#define MIB		(1ull << 20)
#define BAR		(32 * MIB)
#define SIZE		(128u << 10)
#define PAGE		4096u

static const struct {
	const char *sentence;
	u64 start;
	u32 size, log_align, page;
	bool usable;
} cases[] = {
	{ "memory at the end of the BAR can be used", BAR - SIZE, SIZE, 6, PAGE, true },
	{ "so can memory behind the registers", 0x4000, SIZE, 0, PAGE, true },
	{ "and a single page", MIB, PAGE, 6, PAGE, true },
	{ "memory that is larger than the BAR is none", 0x4000, 0xffffffff, 6, PAGE, false },
	{ "nor is memory that begins behind the BAR", BAR, SIZE, 6, PAGE, false },
	{ "or ends behind it", BAR - SIZE + PAGE, SIZE, 6, PAGE, false },
	{ "or whose end overflows", 0ull - PAGE, SIZE, 6, PAGE, false },
	{ "nor is memory in which the registers are", 0, SIZE, 6, PAGE, false },
	{ "or the interrupt vectors", 0x3000, SIZE, 6, PAGE, false },
	{ "memory of less than a page is none", MIB, PAGE - 64, 6, PAGE, false },
	{ "nor is no memory", MIB, 0, 6, PAGE, false },
	{ "memory that begins within a page is none", MIB + 64, SIZE, 6, PAGE, false },
	{ "nor is memory that begins within a page of 64 KiB", MIB + PAGE, SIZE, 6, 0x10000,
	  false },
	{ "but memory of such pages can be used", MIB, SIZE, 6, 0x10000, true },
	{ "an alignment beyond 2^32 units is none", MIB, SIZE, 32, PAGE, false },
};

static struct cxr_caps decode(bool memic, u64 start, u32 size, u32 log_align)
{
	struct prm_device_mem_cap cap = {};
	struct cxr_caps caps = {};

	prm_set(&cap, memic, memic);
	prm_set64(&cap, memic_bar_start_addr, start);
	prm_set(&cap, memic_bar_size, size);
	prm_set(&cap, max_memic_size, size / 2);
	prm_set(&cap, log_max_memic_addr_alignment, log_align);
	prm_set(&cap, memic_operations, 0x80000003);
	cxr_caps_decode_memic(&cap, &caps);
	return caps;
}

void test_memic(void)
{
	struct cxr_caps caps = decode(true, MIB, SIZE, 6);
	unsigned int i;

	begin("memic", "a card says where its memory is, how much, and what it can do");
	expect(caps.memic_start, MIB);
	expect(caps.memic_size, SIZE);
	expect(caps.memic_max, SIZE / 2);
	expect(caps.memic_log_align, 6);
	expect(caps.memic_ops, 0x80000003);
	begin("memic", "a card without memory may say anything");
	caps = decode(false, MIB, SIZE, 6);
	expect(caps.memic_size, 0);
	expect(caps.memic_max, 0);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		begin("memic", cases[i].sentence);
		caps = decode(true, cases[i].start, cases[i].size, cases[i].log_align);
		expect(cxr_caps_check_memic(&caps, BAR, cases[i].page), cases[i].usable);
		expect(caps.memic_size, cases[i].usable * cases[i].size);
		expect(caps.memic_max, cases[i].usable * cases[i].size / 2);
	}
}
