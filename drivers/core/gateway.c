// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The gateway of PFs to address spaces of the card: semaphores, and the card's registers for a dump.
 * It works while the firmware does not. Order and times are those of the in-tree driver.
 */
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "prm/vsc.h"
#include "core.h"

#define GATEWAY_TIMEOUT	(2 * HZ)
#define DUMP_MAX	SZ_16M
#define NOT_READ	0xbadacce5	/* by tools of the vendor */

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

static bool try_gateway(struct cxr_gateway *gw)
{
	if (get(gw, PRM_VSC_SEMAPHORE))
		return false;
	gw->number = get(gw, PRM_VSC_COUNTER);
	put(gw, PRM_VSC_SEMAPHORE, gw->number);
	return get(gw, PRM_VSC_SEMAPHORE) == gw->number;
}

bool cxr_gateway_take(struct cxr_gateway *gw)
{
	unsigned long deadline = jiffies + GATEWAY_TIMEOUT;

	gw->at = pci_find_capability(gw->pdev, PCI_CAP_ID_VNDR);
	if (!gw->at)
		return false;
	if (!gw->locked)
		pci_cfg_access_lock(gw->pdev);
	while (!try_gateway(gw)) {
		if (time_after(jiffies, deadline)) {
			if (!gw->locked)
				pci_cfg_access_unlock(gw->pdev);
			return false;
		}
		usleep_range(1000, 2000);
	}
	return true;
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

/* 0, and @addr is as it is then; -EBUSY: it has not done what was asked for; -EIO: it refuses. */
static int finished(const struct cxr_gateway *gw, u32 flag, u32 *addr)
{
	unsigned long deadline = jiffies + GATEWAY_TIMEOUT;

	for (;;) {
		*addr = get(gw, PRM_VSC_ADDR);
		if ((*addr & PRM_VSC_ADDR_FLAG) == flag)
			return *addr & PRM_VSC_ADDR_ERROR ? -EIO : 0;
		if (time_after(jiffies, deadline))
			return -EBUSY;
		usleep_range(10, 100);
	}
}

/* @next: what PRM_VSC_ADDR has then, without the flag. */
static int read_word(const struct cxr_gateway *gw, u32 at, u32 *word, u32 *next)
{
	int err;

	put(gw, PRM_VSC_ADDR, at);
	err = finished(gw, PRM_VSC_ADDR_FLAG, next);
	if (err)
		return err;
	*word = get(gw, PRM_VSC_DATA);
	*next &= PRM_VSC_ADDR_BITS;
	return 0;
}

int cxr_gateway_semaphore(const struct cxr_gateway *gw, u32 value)
{
	u32 has, addr;
	int err;

	err = select_space(gw, PRM_VSC_SEMAPHORES);
	if (err)
		return err;
	put(gw, PRM_VSC_DATA, value);
	put(gw, PRM_VSC_ADDR, PRM_VSC_SEMAPHORE_RESET | PRM_VSC_ADDR_FLAG);
	err = finished(gw, 0, &addr);
	if (!err)
		err = read_word(gw, PRM_VSC_SEMAPHORE_RESET, &has, &addr);
	if (err)
		return err;
	return has == value ? 0 : -EBUSY;
}

/* ---- the dump -------------------------------------------------------------------------------- */

static int read_registers(const struct cxr_gateway *gw, u32 *words, u32 bytes)
{
	u32 at, next, word;
	int err;

	for (at = 0; at < bytes; at = next) {
		err = read_word(gw, at, &word, &next);
		if (err)
			return err;
		if (next <= at || next % sizeof(word))
			return -EPROTO;
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

	if (!cxr_gateway_take(&gw))
		return gw.at ? -EBUSY : -EOPNOTSUPP;
	err = cxr_gateway_semaphore(&gw, gw.number);
	if (!err) {
		err = dump(&gw, words, bytes);
		cxr_gateway_semaphore(&gw, 0);
	}
	cxr_gateway_release(&gw);
	return err;
}
