// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The vendor specific capability: a gateway to address spaces of the card. It is used under its
 * semaphore, which is taken by writing a number to it that the counter gave. Of the spaces only
 * that of the semaphores is there, and in it the one for a reset of the firmware, which all
 * functions of the card share.
 */
#include <linux/pci_regs.h>
#include <string.h>

#include "card/card.h"
#include "host/host.h"
#include "prm/vsc.h"

#define CTRL_OK		(1u << 29)	/* of PRM_VSC_CTRL_STATUS */
#define FUNCTION_SHIFT	24

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

static void access_space(struct function *fn, uint32_t addr)
{
	bool write = addr & PRM_VSC_ADDR_FLAG;
	uint32_t done = (addr & PRM_VSC_ADDR_BITS) | (write ? 0 : PRM_VSC_ADDR_FLAG);

	if (!(get(fn, PRM_VSC_CTRL) & PRM_VSC_CTRL_STATUS) ||
	    (addr & PRM_VSC_ADDR_BITS) != PRM_VSC_SEMAPHORE_RESET)
		done |= PRM_VSC_ADDR_ERROR;
	else if (write)
		write_reset_semaphore(fn, get(fn, PRM_VSC_DATA));
	else
		set(fn, PRM_VSC_DATA, reset_semaphore(fn)->number);
	set(fn, PRM_VSC_ADDR, done);
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
		set(fn, reg, (value & PRM_VSC_CTRL_SPACE) |
			     ((value & PRM_VSC_CTRL_SPACE) == PRM_VSC_SEMAPHORES ? CTRL_OK : 0));
	else if (reg == PRM_VSC_DATA)
		set(fn, reg, value);
	else
		access_space(fn, value);
}
