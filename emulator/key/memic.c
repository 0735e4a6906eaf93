// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Memory of the device: parts of it are allocated by commands, accessed by the host in BAR 0, and
 * by the device through memory keys.
 *
 * It is followed in the BAR by a range of the same size for each operation, in which an access of
 * one byte is the operation at the same place of the memory. Drivers map whole pages for programs:
 * a page without any allocation is accessed by mistake of the driver, the rest of one that has some
 * by mistake of a program.
 */
#include <stdlib.h>
#include <string.h>

#include "key/key.h"
#include "prm/caps.h"

#define UNITS		(MEMIC_BYTES / PRM_MEMIC_UNIT)
#define PAGE_BYTES	4096u
#define MEMORY		(-1)	/* a place in the memory, not of an operation */

struct memic_map {
	struct memic *units[UNITS];	/* whose they are; NULL: nobody's */
	unsigned int n;			/* allocations */
};

static const char *const op_names[PRM_MEMIC_OPS] = {
	[PRM_MEMIC_INCREMENT] = "increment",
	[PRM_MEMIC_TEST_AND_SET] = "test-and-set",
};

int memic_create(struct cxdev *dev)
{
	dev->memic = calloc(1, sizeof(*dev->memic));
	return dev->memic ? 0 : -1;
}

void memic_destroy(struct cxdev *dev)
{
	free(dev->memic);
	dev->memic = NULL;
}

static const struct prm_device_mem_cap *caps(const struct cxdev *dev)
{
	return (const void *)dev->hca->cap_cur[CAP_DEVICE_MEM];
}

bool memic_announced(const struct cxdev *dev)
{
	return hca_has_page(dev, CAP_DEVICE_MEM) && prm_get(caps(dev), memic);
}

bool memic_is_used(const struct cxdev *dev)
{
	return dev->memic->n;
}

/* What has the byte at this address; NULL: none. */
static struct memic *owner(const struct cxdev *dev, uint64_t addr)
{
	uint64_t at = addr - dev->card->memic_at;

	return at < MEMIC_BYTES ? dev->memic->units[at / PRM_MEMIC_UNIT] : NULL;
}

struct memic *memic_find(const struct cxdev *dev, uint64_t addr, uint64_t len)
{
	struct memic *memic = owner(dev, addr);

	return memic && len <= memic->len - (addr - memic->addr) ? memic : NULL;
}

/* ---- accesses of the host ---- */

bool memic_is_at(const struct cxdev *dev, uint64_t offset)
{
	return dev->card->memic_at && offset >= dev->card->memic_at;
}

/* An address in BAR 0, as the place of the memory and what is done there. */
static uint64_t place(const struct cxdev *dev, uint64_t offset, int *op)
{
	uint64_t at = offset - dev->card->memic_at;

	*op = (int)(at / MEMIC_BYTES) - 1;
	return dev->card->memic_at + at % MEMIC_BYTES;
}

static bool has(const struct memic *memic, int op)
{
	return memic && (op == MEMORY || memic->ops[op]);
}

static bool page_has(const struct cxdev *dev, uint64_t addr, int op)
{
	uint64_t at = addr & ~(uint64_t)(PAGE_BYTES - 1), end = at + PAGE_BYTES;

	for (; at < end; at += PRM_MEMIC_UNIT)
		if (has(owner(dev, at), op))
			return true;
	return false;
}

/* NULL: nothing is allocated there. Who made the mistake is told once for each access. */
static uint8_t *byte_at(struct cxdev *dev, uint64_t addr, int op, bool *told)
{
	struct memic *memic = owner(dev, addr);
	const char *what = op == MEMORY ? "memory" : op_names[op];

	if (has(memic, op))
		return memic->bytes + (addr - memic->addr);
	if (*told)
		return NULL;
	*told = true;
	if (page_has(dev, addr, op))
		trace(dev, "%s at 0x%llx of BAR 0: outside of what the page has of it", what,
		      (unsigned long long)addr);
	else
		violation(dev, "%s at 0x%llx of BAR 0: the page has none that is allocated", what,
			  (unsigned long long)addr);
	return NULL;
}

/* Up to the end of the unit. */
static size_t part(uint64_t addr, size_t len)
{
	size_t left = PRM_MEMIC_UNIT - addr % PRM_MEMIC_UNIT;

	return len < left ? len : left;
}

/* False: the access is none that the operation has. */
static bool operate(int op, uint8_t *at, uint8_t *buf, size_t all, bool write)
{
	if (all != 1 || op != (write ? PRM_MEMIC_INCREMENT : PRM_MEMIC_TEST_AND_SET))
		return false;
	if (write) {
		*at += *buf;
	} else {
		*buf = *at;
		*at = 1;
	}
	return true;
}

void memic_access(struct cxdev *dev, uint64_t offset, uint8_t *buf, size_t len, bool write)
{
	const size_t all = len;
	bool told = false;
	uint64_t addr;
	uint8_t *at;
	size_t n;
	int op;

	for (; len; offset += n, buf += n, len -= n) {
		addr = place(dev, offset, &op);
		n = part(addr, len);
		at = byte_at(dev, addr, op, &told);
		if (!at)
			continue;
		if (op == MEMORY)
			memcpy(write ? at : buf, write ? buf : at, n);
		else if (!operate(op, at, buf, all, write))
			trace(dev, "%s at 0x%llx of BAR 0: a %s of %zu bytes is no such operation",
			      op_names[op], (unsigned long long)addr, write ? "write" : "read",
			      all);
	}
}

/* ---- commands ---- */

static int check_announced(struct cmd *c)
{
	if (memic_announced(c->dev))
		return 0;
	return refuse(c, PRM_STATUS_BAD_OP, "memory of the device is not announced");
}

/* Faults may raise what is announced, but not what there is. */
static uint32_t at_most(uint32_t announced, uint32_t have)
{
	return announced < have ? announced : have;
}

static int check_alloc(struct cmd *c, const struct prm_alloc_memic_in *in)
{
	const struct prm_device_mem_cap *cap = caps(c->dev);
	uint32_t bytes = at_most(prm_get(cap, memic_bar_size), MEMIC_BYTES);
	uint32_t log_align = at_most(prm_get(cap, log_max_memic_addr_alignment),
				     MEMIC_LOG_MAX_ALIGN);
	uint64_t start = prm_get64(in, range_start_addr), from = c->dev->card->memic_at;
	uint32_t range = prm_get(in, range_size), size = prm_get(in, memic_size);

	if (prm_get(in, log_memic_addr_alignment) > log_align)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "log_memic_addr_alignment is %u: the card announces %u",
			      prm_get(in, log_memic_addr_alignment), log_align);
	if (!size || size % PRM_MEMIC_UNIT)
		return refuse(c, PRM_STATUS_BAD_PARAM, "memic_size is %u, not a multiple of %u",
			      size, PRM_MEMIC_UNIT);
	if (start < from || start - from > bytes || range > bytes - (start - from))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "range of %u bytes at 0x%llx: the memory is at 0x%llx, %u bytes",
			      range, (unsigned long long)start, (unsigned long long)from, bytes);
	if (size > range)
		return refuse(c, PRM_STATUS_BAD_PARAM, "memic_size is %u, the range has %u bytes",
			      size, range);
	/* drivers pass on what applications ask for */
	if (size > prm_get(cap, max_memic_size))
		return decline(c, PRM_STATUS_BAD_PARAM, "memic_size is %u: the card announces %u",
			       size, prm_get(cap, max_memic_size));
	return 0;
}

/* The first free place of the range; 0: it has no room. */
static uint64_t find_room(const struct cxdev *dev, const struct prm_alloc_memic_in *in)
{
	uint64_t align = (uint64_t)PRM_MEMIC_UNIT << prm_get(in, log_memic_addr_alignment);
	uint64_t at = prm_get64(in, range_start_addr), end = at + prm_get(in, range_size), i;
	uint32_t size = prm_get(in, memic_size);
	const struct memic *taken;

	for (at = (at + align - 1) & ~(align - 1); at + size <= end;
	     at = (taken->addr + taken->len + align - 1) & ~(align - 1)) {
		for (taken = NULL, i = at; !taken && i < at + size; i += PRM_MEMIC_UNIT)
			taken = owner(dev, i);
		if (!taken)
			return at;
	}
	return 0;
}

static void set_owner(const struct memic *memic, struct memic *to)
{
	struct memic **units = memic->obj.dev->memic->units;
	uint64_t first = (memic->addr - memic->obj.dev->card->memic_at) / PRM_MEMIC_UNIT, i;

	for (i = 0; i < memic->len / PRM_MEMIC_UNIT; i++)
		units[first + i] = to;
}

static void memic_release(void *obj)
{
	struct memic *memic = obj;

	set_owner(memic, NULL);
	memic->obj.dev->memic->n--;
	budget_free(memic->bytes);
}

static int run_alloc_memic(struct cmd *c)
{
	const struct prm_alloc_memic_in *in = c->in;
	struct prm_alloc_memic_out *out = c->out;
	struct memic *memic;
	uint64_t addr;

	if (check_announced(c) || check_alloc(c, in))
		return -1;
	addr = find_room(c->dev, in);
	if (!addr)
		return decline(c, PRM_STATUS_NO_RES,
			       "%u bytes of memory: there is no room at 0x%llx, %u bytes",
			       prm_get(in, memic_size),
			       (unsigned long long)prm_get64(in, range_start_addr),
			       prm_get(in, range_size));
	memic = obj_create(c, OBJ_MEMIC, sizeof(*memic));
	if (!memic)
		return -1;
	memic->bytes = budget_alloc(c->dev, prm_get(in, memic_size), 1);
	if (!memic->bytes) {
		obj_free(memic);
		return budget_refuse(c);
	}
	memic->obj.release = memic_release;
	memic->addr = addr;
	memic->len = prm_get(in, memic_size);
	set_owner(memic, memic);
	c->dev->memic->n++;
	prm_set64(out, memic_start_addr, addr);
	return 0;
}

/* The allocation that begins there; NULL: refused. */
static struct memic *lookup(struct cmd *c, uint64_t addr)
{
	struct memic *memic = owner(c->dev, addr);

	if (memic && memic->addr == addr)
		return memic;
	refuse(c, PRM_STATUS_BAD_RES, "no memory that was allocated begins at 0x%llx of BAR 0",
	       (unsigned long long)addr);
	return NULL;
}

static int run_dealloc_memic(struct cmd *c)
{
	const struct prm_dealloc_memic_in *in = c->in;
	struct memic *memic;
	unsigned int op;

	if (check_announced(c))
		return -1;
	memic = lookup(c, prm_get64(in, memic_start_addr));
	if (!memic)
		return -1;
	if (memic->len != prm_get(in, memic_size))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "memic_size is %u: the memory has %u bytes",
			      prm_get(in, memic_size), memic->len);
	for (op = 0; op < PRM_MEMIC_OPS; op++)
		if (memic->ops[op])
			return refuse(c, PRM_STATUS_RES_BUSY,
				      "the memory still has the operation %s", op_names[op]);
	return obj_destroy(c, memic);
}

static int run_modify_memic(struct cmd *c)
{
	const struct prm_modify_memic_in *in = c->in;
	struct prm_modify_memic_out *out = c->out;
	unsigned int op = prm_get(in, memic_operation_type);
	bool alloc = c->op_mod == PRM_MEMIC_OP_ALLOC;
	struct memic *memic;

	if (check_announced(c))
		return -1;
	if (c->op_mod > PRM_MEMIC_OP_DEALLOC)
		return refuse(c, PRM_STATUS_BAD_PARAM, "op_mod %u is unknown", c->op_mod);
	if (op >= PRM_MEMIC_OPS || !(prm_get(caps(c->dev), memic_operations) & 1u << op))
		return refuse(c, PRM_STATUS_BAD_PARAM, "memic_operation_type %u is not announced",
			      op);
	memic = lookup(c, prm_get64(in, memic_start_addr));
	if (!memic)
		return -1;
	if (memic->ops[op] == alloc)
		return refuse(c, PRM_STATUS_BAD_RES_STATE, "the memory %s the operation %s",
			      alloc ? "already has" : "does not have", op_names[op]);
	memic->ops[op] = alloc;
	if (alloc)
		prm_set64(out, memic_operation_addr, memic->addr + (1 + op) * MEMIC_BYTES);
	return 0;
}

const struct cmd_desc cmds_memic[] = {
	CMD(alloc_memic),
	CMD(dealloc_memic),
	CMD(modify_memic),
	{}
};
