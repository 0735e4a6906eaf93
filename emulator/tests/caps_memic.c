// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Capabilities of the device's memory. */
#include "caps.h"
#include "key/key.h"

static uint64_t start(const struct dut *dut)
{
	return dut->dev->card->memic_at;
}

static int alloc(struct dut *dut, uint32_t range, uint32_t len, unsigned int log_align)
{
	struct prm_alloc_memic_in in = {};
	struct prm_alloc_memic_out out;

	prm_set64(&in, range_start_addr, start(dut));
	prm_set(&in, range_size, range);
	prm_set(&in, memic_size, len);
	prm_set(&in, log_memic_addr_alignment, log_align);
	return dut_cmd(dut, alloc_memic, &in, &out);
}

static void dealloc(struct dut *dut, uint32_t len)
{
	struct prm_dealloc_memic_in in = {};
	struct prm_dealloc_memic_out out;

	prm_set64(&in, memic_start_addr, start(dut));
	prm_set(&in, memic_size, len);
	dut_must(dut, dealloc_memic, &in, &out);
}

/* Allocates from the start, and gives it back. */
static bool can_alloc(struct dut *dut, uint32_t range, uint32_t len, unsigned int log_align)
{
	if (alloc(dut, range, len, log_align))
		return false;
	dealloc(dut, len);
	return true;
}

static int modify(struct dut *dut, unsigned int op_mod, unsigned int op)
{
	struct prm_modify_memic_in in = {};
	struct prm_modify_memic_out out;

	prm_set(&in, op_mod, op_mod);
	prm_set64(&in, memic_start_addr, start(dut));
	prm_set(&in, memic_operation_type, op);
	return dut_cmd(dut, modify_memic, &in, &out);
}

static bool probe_memic(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)value;
	(void)arg;
	return can_alloc(dut, 4096, 64, 0);
}

static bool probe_start(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)arg;
	return value == (can_alloc(dut, 4096, 64, 0) ? start(dut) : 0);
}

/* Also if a fault announces more than there is. */
static bool more_is_refused(struct dut *dut, unsigned int bit, unsigned int width, uint32_t value,
			    uint32_t range, unsigned int log_align)
{
	__be32 *page = (__be32 *)dut->dev->hca->cap_cur[PRM_CAP_DEVICE_MEM];
	uint32_t before = prm_get_bits(page, bit, width);
	bool refused;

	prm_set_bits(page, bit, width, value);
	refused = !can_alloc(dut, range, 64, log_align);
	prm_set_bits(page, bit, width, before);
	return refused;
}

static bool probe_bar_size(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)arg;
	return can_alloc(dut, value, 64, 0) == !!value && !can_alloc(dut, value + 1, 64, 0) &&
	       more_is_refused(dut, offsetof(struct prm_device_mem_cap_bits, memic_bar_size), 32,
			       2 * MEMIC_BYTES, MEMIC_BYTES + 64, 0);
}

static bool probe_max_size(struct dut *dut, uint32_t value, uint32_t arg)
{
	uint32_t most = value / PRM_MEMIC_UNIT * PRM_MEMIC_UNIT;

	(void)arg;
	return can_alloc(dut, MEMIC_BYTES, most, 0) == !!value &&
	       !can_alloc(dut, MEMIC_BYTES, most + PRM_MEMIC_UNIT, 0);
}

static bool probe_min_size(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)arg;
	return can_alloc(dut, 4096, 1u << value, 0) == !!value &&
	       !can_alloc(dut, 4096, (1u << value) / 2, 0);
}

static bool probe_alignment(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)arg;
	return can_alloc(dut, 4096, 64, value) == !!value && !can_alloc(dut, 4096, 64, value + 1) &&
	       more_is_refused(dut,
			       offsetof(struct prm_device_mem_cap_bits,
					log_max_memic_addr_alignment),
			       8, 255, 4096, 64);
}

static bool probe_operations(struct dut *dut, uint32_t value, uint32_t arg)
{
	uint32_t can = 0;
	unsigned int op;

	(void)arg;
	if (alloc(dut, 4096, 64, 0))
		return !value;
	for (op = 0; op < 32; op++)
		if (!modify(dut, PRM_MEMIC_OP_ALLOC, op)) {
			can |= 1u << op;
			modify(dut, PRM_MEMIC_OP_DEALLOC, op);
		}
	dealloc(dut, 64);
	return can == value;
}

/* Does the operation do something to the byte, which is 2, with accesses of @bytes? */
static bool acts(struct dut *dut, unsigned int op, unsigned int bytes)
{
	uint64_t at = start(dut) + (1 + op) * MEMIC_BYTES, access = 1;
	uint8_t byte = 2;

	bar_write(dut->dev, start(dut), &byte, 1);
	if (op == PRM_MEMIC_INCREMENT)
		bar_write(dut->dev, at, &access, bytes);
	else
		bar_read(dut->dev, at, &access, bytes);
	bar_read(dut->dev, start(dut), &byte, 1);
	return byte != 2;
}

static bool probe_sizes(struct dut *dut, uint32_t value, uint32_t op)
{
	unsigned int log;
	uint32_t can = 0;

	if (alloc(dut, 4096, 64, 0))
		return !value;
	modify(dut, PRM_MEMIC_OP_ALLOC, op);
	for (log = 0; log < 4; log++)
		can |= (uint32_t)acts(dut, op, 1u << log) << log;
	modify(dut, PRM_MEMIC_OP_DEALLOC, op);
	dealloc(dut, 64);
	return can == value;
}

#define ROW(field, is_flag, fn, arg) CAP_ROW(device_mem_cap, field, is_flag, fn, arg)

const struct cap_row caps_memic[] = {
	ROW(memic, true, probe_memic, 0),
	ROW(increment_size_sup, false, probe_sizes, PRM_MEMIC_INCREMENT),
	ROW(log_min_memic_alloc_size, false, probe_min_size, 0),
	ROW(test_and_set_size_sup, false, probe_sizes, PRM_MEMIC_TEST_AND_SET),
	ROW(log_max_memic_addr_alignment, false, probe_alignment, 0),
	/* of 64 bits the lower ones */
	{ .name = "memic_bar_start_addr", .width = 32, .probe = probe_start,
	  .bit = offsetof(struct prm_device_mem_cap_bits, memic_bar_start_addr) + 32 },
	ROW(memic_bar_size, false, probe_bar_size, 0),
	ROW(max_memic_size, false, probe_max_size, 0),
	ROW(memic_operations, false, probe_operations, 0),
};

const unsigned int caps_memic_n = ARRAY_SIZE(caps_memic);
