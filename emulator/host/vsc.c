// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The vendor specific capability: a gateway to address spaces of the card. It is used under its
 * semaphore, which is taken by writing a number to it that the counter gave. There are the space of
 * the semaphores, and in it the one for a reset of the firmware, which all functions of the card
 * share; and that of the card's registers, for a dump: those of the initialization segment that the
 * emulator computes.
 */
#include <linux/pci_regs.h>
#include <string.h>

#include "card/card.h"
#include "fault/fault.h"
#include "host/host.h"
#include "prm/vsc.h"

#define CTRL_OK		(1u << 29)	/* of PRM_VSC_CTRL_STATUS */
#define FUNCTION_SHIFT	24
#define REGISTER(name)	offsetof(struct prm_iseg, name)
#define SCAN_BYTES	(REGISTER(health_counter) + 4)

static uint32_t get(const struct function *fn, unsigned int reg)
{
	return pci_get32(fn->config + PCI_CAP_VSC + reg);
}

static void set(struct function *fn, unsigned int reg, uint32_t value)
{
	pci_put32(fn->config + PCI_CAP_VSC + reg, value);
}

/* Numbers of this function begin with its own, so that its card's functions have different ones. */
static bool is_mine(const struct function *fn, uint32_t number)
{
	return number >> FUNCTION_SHIFT == fn->dev->index;
}

static struct reset_semaphore *reset_semaphore(const struct function *fn)
{
	return &card_first(fn->dev)->reset_semaphore;
}

void vsc_reset(struct function *fn)
{
	struct reset_semaphore *semaphore = reset_semaphore(fn);

	set(fn, 0, PCI_CAP_ID_VNDR | (uint32_t)PRM_VSC_BYTES << 16);
	set(fn, PRM_VSC_COUNTER, fn->dev->index << FUNCTION_SHIFT | 1);
	if (semaphore->owner == fn->dev)
		semaphore->number = 0;
}

void vsc_counter_was_read(struct function *fn)
{
	uint32_t next = get(fn, PRM_VSC_COUNTER) + 1;

	set(fn, PRM_VSC_COUNTER, is_mine(fn, next) ? next : fn->dev->index << FUNCTION_SHIFT | 1);
}

/* A semaphore has the number of its owner, and 0 releases it. */
static uint32_t semaphore_after(uint32_t owner, uint32_t value)
{
	return owner && value ? owner : value;
}

static void write_reset_semaphore(struct function *fn, uint32_t value)
{
	struct reset_semaphore *semaphore = reset_semaphore(fn);

	if (!semaphore->number)
		semaphore->owner = fn->dev;
	semaphore->number = semaphore_after(semaphore->number, value);
}

/* Returns what PRM_VSC_ADDR has then. */
static uint32_t access_semaphore(struct function *fn, uint32_t at, bool write)
{
	if (at != PRM_VSC_SEMAPHORE_RESET)
		return at | PRM_VSC_ADDR_ERROR;
	if (write)
		write_reset_semaphore(fn, get(fn, PRM_VSC_DATA));
	else
		set(fn, PRM_VSC_DATA, reset_semaphore(fn)->number);
	return at;
}

/* The first register after @at. */
static uint32_t next_scanned(uint32_t at)
{
	static const struct { uint32_t from, end; } ranges[] = {
		{ REGISTER(fw_rev), REGISTER(cmdif_rev_fw_sub) + 4 },
		{ REGISTER(cmdq_addr_h), REGISTER(cmdq_addr_l_sz) + 4 },
		{ REGISTER(initializing), REGISTER(health) + sizeof(struct prm_health_buffer) },
		{ REGISTER(internal_timer_h), REGISTER(internal_timer_l) + 4 },
		{ REGISTER(health_counter), SCAN_BYTES },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ranges); i++) {
		if (at + 4 < ranges[i].from)
			return ranges[i].from;
		if (at + 4 < ranges[i].end)
			return at + 4;
	}
	return SCAN_BYTES;
}

static uint32_t scan(struct function *fn, uint32_t at, bool write)
{
	const struct reset_semaphore *semaphore = reset_semaphore(fn);

	if (write || at % 4 || at >= SCAN_BYTES)
		return at | PRM_VSC_ADDR_ERROR;
	if (!semaphore->number || semaphore->owner != fn->dev)
		violation(fn->dev, "the card's registers are read without its semaphore");
	set(fn, PRM_VSC_DATA, iseg_read(fn->dev, at));
	return next_scanned(at);
}

/* Does an access; returns what PRM_VSC_ADDR has then. */
static uint32_t access_at(struct function *fn, uint32_t space, uint32_t at, bool write)
{
	switch (space) {
	case PRM_VSC_SEMAPHORES:
		return access_semaphore(fn, at, write);
	case PRM_VSC_SCAN:
		return scan(fn, at, write);
	default:
		return at | PRM_VSC_ADDR_ERROR;
	}
}

static void access_space(struct function *fn, uint32_t addr)
{
	uint32_t space = get(fn, PRM_VSC_CTRL) & PRM_VSC_CTRL_SPACE;
	uint32_t at = addr & PRM_VSC_ADDR_BITS, done = at, value;
	bool write = addr & PRM_VSC_ADDR_FLAG;
	enum fault_action fault;

	fault = fault_check(FAULT_GATEWAY, fn->dev, space, &value);
	if (fault == FAULT_SILENT) {
		set(fn, PRM_VSC_ADDR, addr);
		return;
	}
	if (fault != FAULT_ADDRESS || !write)
		done = access_at(fn, space, at, write);
	if (fault == FAULT_ADDRESS)
		done |= PRM_VSC_ADDR_ERROR;
	if (fault == FAULT_NEXT && space == PRM_VSC_SCAN && !write)
		done = value;
	set(fn, PRM_VSC_ADDR, done | (write ? 0 : PRM_VSC_ADDR_FLAG));
}

static void select_space(struct function *fn, uint32_t space)
{
	uint32_t bytes;

	set(fn, PRM_VSC_CTRL, space | (space == PRM_VSC_SEMAPHORES ? CTRL_OK :
				       space == PRM_VSC_SCAN ? CTRL_OK | PRM_VSC_CTRL_SIZED : 0));
	if (space != PRM_VSC_SCAN)
		return;
	if (fault_check(FAULT_SPACE, fn->dev, space, &bytes) != FAULT_LENGTH)
		bytes = SCAN_BYTES;
	set(fn, PRM_VSC_ADDR, bytes);
}

void vsc_write(struct function *fn, unsigned int reg, uint32_t value)
{
	if (reg == PRM_VSC_SEMAPHORE) {
		set(fn, reg, semaphore_after(get(fn, reg), value));
		return;
	}
	if (reg != PRM_VSC_CTRL && reg != PRM_VSC_ADDR && reg != PRM_VSC_DATA)
		return;
	if (!get(fn, PRM_VSC_SEMAPHORE)) {
		violation(fn->dev,
			  "the vendor specific capability is used without its semaphore (register 0x%x)",
			  reg);
		return;
	}
	if (reg == PRM_VSC_CTRL)
		select_space(fn, value & PRM_VSC_CTRL_SPACE);
	else if (reg == PRM_VSC_DATA)
		set(fn, reg, value);
	else
		access_space(fn, value);
}
