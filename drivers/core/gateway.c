// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The gateway of PFs to address spaces of the card: semaphores, and the registers of the card, for
 * a dump. It works while the firmware does not. The order of accesses is that of the in-tree
 * driver.
 */
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "prm/vsc.h"
#include "core.h"

#define GATEWAY_TIMEOUT	(2 * HZ)
#define QUICK_POLLS	16
#define DUMP_TIMEOUT	(20 * HZ)	/* well below CXR_FIRMWARE_OTHERS */
#define DUMP_MAX	SZ_16M
#define NOT_READ	0xbadacce5	/* to the vendor's tools: there is no value */

/* All ones if the device does not respond. */
static u32 get(const struct cxr_gateway *gw, int reg)
{
	u32 value;

	pci_read_config_dword(gw->pdev, gw->at + reg, &value);
	return value;
}

static void put(const struct cxr_gateway *gw, int reg, u32 value)
{
	pci_write_config_dword(gw->pdev, gw->at + reg, value);
}

/* -EBUSY: somebody else has it. */
static int try_gateway(struct cxr_gateway *gw)
{
	u32 has = get(gw, PRM_VSC_SEMAPHORE);

	if (!has) {
		gw->number = get(gw, PRM_VSC_COUNTER);
		put(gw, PRM_VSC_SEMAPHORE, gw->number);
		has = get(gw, PRM_VSC_SEMAPHORE);
		if (has == gw->number && !PCI_POSSIBLE_ERROR(has))
			return 0;
	}
	return PCI_POSSIBLE_ERROR(has) ? -ENODEV : -EBUSY;
}

int cxr_gateway_take(struct cxr_gateway *gw)
{
	unsigned long deadline = jiffies + GATEWAY_TIMEOUT;
	int err;

	if (!gw->at)
		gw->at = pci_find_capability(gw->pdev, PCI_CAP_ID_VNDR);
	if (!gw->at)
		return -EOPNOTSUPP;
	if (!gw->locked)
		pci_cfg_access_lock(gw->pdev);
	while ((err = try_gateway(gw)) == -EBUSY && time_before_eq(jiffies, deadline))
		usleep_range(1000, 2000);
	if (err && !gw->locked)
		pci_cfg_access_unlock(gw->pdev);
	return err;
}

void cxr_gateway_release(struct cxr_gateway *gw)
{
	put(gw, PRM_VSC_SEMAPHORE, 0);
	if (!gw->locked)
		pci_cfg_access_unlock(gw->pdev);
}

static int select_space(const struct cxr_gateway *gw, enum prm_vsc_space space)
{
	put(gw, PRM_VSC_CTRL, (get(gw, PRM_VSC_CTRL) & ~PRM_VSC_CTRL_SPACE) | space);
	return get(gw, PRM_VSC_CTRL) & PRM_VSC_CTRL_STATUS ? 0 : -EOPNOTSUPP;
}

/*
 * 0: it has done what was asked for, and PRM_VSC_ADDR is *@addr; -EBUSY: it has not; -ENODEV: the
 * device does not respond.
 */
static int wait_flag(const struct cxr_gateway *gw, u32 flag, u32 *addr)
{
	unsigned long deadline = jiffies + GATEWAY_TIMEOUT;
	unsigned int polls = 0;

	for (;;) {
		*addr = get(gw, PRM_VSC_ADDR);
		if (PCI_POSSIBLE_ERROR(*addr))
			return -ENODEV;
		if ((*addr & PRM_VSC_ADDR_FLAG) == flag)
			return 0;
		if (time_after(jiffies, deadline))
			return -EBUSY;
		if (++polls > QUICK_POLLS)
			usleep_range(10, 100);
	}
}

static int read_word(const struct cxr_gateway *gw, u32 at, u32 *word, u32 *addr)
{
	int err;

	put(gw, PRM_VSC_ADDR, at);
	err = wait_flag(gw, PRM_VSC_ADDR_FLAG, addr);
	if (!err)
		*word = get(gw, PRM_VSC_DATA);
	return err;
}

int cxr_gateway_semaphore(const struct cxr_gateway *gw, u32 value)
{
	u32 has = 0, addr;
	int err;

	err = select_space(gw, PRM_VSC_SEMAPHORES);
	if (err)
		return err;
	put(gw, PRM_VSC_DATA, value);
	put(gw, PRM_VSC_ADDR, PRM_VSC_SEMAPHORE_RESET | PRM_VSC_ADDR_FLAG);
	err = wait_flag(gw, 0, &addr);
	if (!err && !(addr & PRM_VSC_ADDR_ERROR))
		err = read_word(gw, PRM_VSC_SEMAPHORE_RESET, &has, &addr);
	if (err)
		return err;
	if (addr & PRM_VSC_ADDR_ERROR)
		return -EIO;
	return has == value ? 0 : -EBUSY;
}

void cxr_gateway_released(const struct cxr_gateway *gw, int err)
{
	if (err)
		dev_warn(&gw->pdev->dev, "the card's semaphore for a reset of the firmware is not released: %pe\n",
			 ERR_PTR(err));
}

/* ---- the dump -------------------------------------------------------------------------------- */

/* As in the in-tree driver, a read that the card calls faulty counts. */
static int read_registers(const struct cxr_gateway *gw, u32 *words, u32 bytes)
{
	unsigned long deadline = jiffies + DUMP_TIMEOUT;
	u32 at, next, word;
	int err;

	for (at = 0; at < bytes; at = next) {
		err = read_word(gw, at, &word, &next);
		if (err)
			return err;
		next &= PRM_VSC_ADDR_BITS;
		if (next <= at || next % sizeof(word))
			return -EPROTO;
		if (time_after(jiffies, deadline))
			return -ETIMEDOUT;
		words[at / sizeof(word)] = word;
		cond_resched();
	}
	return 0;
}

static int dump(const struct cxr_gateway *gw, u32 **words, u32 *bytes)
{
	int err;

	err = select_space(gw, PRM_VSC_SCAN);
	if (err)
		return err;
	if (!(get(gw, PRM_VSC_CTRL) & PRM_VSC_CTRL_SIZED))
		return -EOPNOTSUPP;
	*bytes = get(gw, PRM_VSC_ADDR) & PRM_VSC_ADDR_BITS;
	if (!*bytes || *bytes > DUMP_MAX || *bytes % sizeof(**words))
		return -EPROTO;

	*words = kvmalloc(*bytes, GFP_KERNEL);
	if (!*words)
		return -ENOMEM;
	memset32(*words, NOT_READ, *bytes / sizeof(**words));
	err = read_registers(gw, *words, *bytes);
	if (err)
		kvfree(*words);
	return err;
}

int cxr_gateway_dump(struct pci_dev *pdev, u32 **words, u32 *bytes)
{
	struct cxr_gateway gw = { .pdev = pdev };
	int err;

	err = cxr_gateway_take(&gw);
	if (err)
		return err;
	err = cxr_gateway_semaphore(&gw, gw.number);
	if (!err) {
		err = dump(&gw, words, bytes);
		cxr_gateway_released(&gw, cxr_gateway_semaphore(&gw, 0));
	}
	cxr_gateway_release(&gw);
	return err;
}
