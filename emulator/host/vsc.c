// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The vendor specific capability: a gateway to address spaces of the card. It is used under its
 * semaphore, which is taken by writing a number to it that the counter gave. Of the spaces only
 * that of the semaphores is there, and in it the one for a reset by the driver.
 */
#include <linux/pci_regs.h>
#include <string.h>

#include "host/host.h"

#define CTRL		0x04	/* 31:29 status, 0: no such space; 15:0 space */
#define SEMAPHORE	0x0c
#define ADDR		0x10	/* 31: done, 30: error, 29:0 address */
#define DATA		0x14

#define CTRL_OK		(1u << 29)
#define CTRL_SPACE	0xffffu
#define ADDR_FLAG	(1u << 31)	/* written: 1 to write, 0 to read; inverted when done */
#define ADDR_ERROR	(1u << 30)
#define ADDR_BITS	(ADDR_ERROR - 1)

#define SPACE_SEMAPHORES 0x0a
#define SW_RESET	0x20

static uint32_t get(const struct function *fn, unsigned int reg)
{
	return pci_get32(fn->config + PCI_CAP_VSC + reg);
}

static void set(struct function *fn, unsigned int reg, uint32_t value)
{
	pci_put32(fn->config + PCI_CAP_VSC + reg, value);
}

void vsc_reset(struct function *fn)
{
	set(fn, 0, PCI_CAP_ID_VNDR | (uint32_t)VSC_BYTES << 16);
	set(fn, VSC_COUNTER, 1);
	fn->reset_semaphore = 0;
}

void vsc_counter_was_read(struct function *fn)
{
	uint32_t next = get(fn, VSC_COUNTER) + 1;

	set(fn, VSC_COUNTER, next ? next : 1);
}

/* A semaphore has the number of its owner, and 0 releases it. */
static uint32_t semaphore_after(uint32_t owner, uint32_t value)
{
	return owner && value ? owner : value;
}

static void access_space(struct function *fn, uint32_t addr)
{
	bool write = addr & ADDR_FLAG;
	uint32_t done = (addr & ADDR_BITS) | (write ? 0 : ADDR_FLAG);

	if (!(get(fn, CTRL) & CTRL_OK) || (addr & ADDR_BITS) != SW_RESET)
		done |= ADDR_ERROR;
	else if (write)
		fn->reset_semaphore = semaphore_after(fn->reset_semaphore, get(fn, DATA));
	else
		set(fn, DATA, fn->reset_semaphore);
	set(fn, ADDR, done);
}

void vsc_write(struct function *fn, unsigned int reg, uint32_t value)
{
	if (reg == SEMAPHORE) {
		set(fn, reg, semaphore_after(get(fn, reg), value));
		return;
	}
	if (reg != CTRL && reg != ADDR && reg != DATA)
		return;
	if (!get(fn, SEMAPHORE)) {
		violation(fn->dev,
			  "the vendor specific capability is used without its semaphore (register 0x%x)",
			  reg);
		return;
	}
	if (reg == CTRL)
		set(fn, reg, (value & CTRL_SPACE) |
			     ((value & CTRL_SPACE) == SPACE_SEMAPHORES ? CTRL_OK : 0));
	else if (reg == DATA)
		set(fn, reg, value);
	else
		access_space(fn, value);
}
