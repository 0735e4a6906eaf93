// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * PCI configuration space. Capabilities are where the real cards have them; a second array has each
 * register's writable bits, so that a write is one masked copy, and only function-level reset,
 * power states, vital product data and the vendor specific capability need code.
 */
#include <linux/pci_regs.h>
#include <string.h>

#include "card/card.h"
#include "host/host.h"
#include "prm/vsc.h"

#define CAP_PM		0x40
#define CAP_VPD		0x48
#define CAP_PCIE	0x60
#define CAP_MSIX	0x9c
#define EXT_AER		0x100
#define EXT_ARI		0x150
#define EXT_SECPCI	0x1c0
#define EXT_ACS		0x230

#define MSIX_TABLE_OFFSET	0x2000
#define MSIX_PBA_OFFSET		0x3000

#define PM_AUX_375MA	(7 << 6)	/* of PCI_PM_PMC: current in D3cold */

static void put_le16(uint8_t *p, uint16_t v)
{
	p[0] = v;
	p[1] = v >> 8;
}

void pci_put32(uint8_t *p, uint32_t v)
{
	put_le16(p, v);
	put_le16(p + 2, v >> 16);
}

static uint16_t get_le16(const uint8_t *p)
{
	return p[0] | p[1] << 8;
}

uint32_t pci_get32(const uint8_t *p)
{
	return get_le16(p) | (uint32_t)get_le16(p + 2) << 16;
}

static void set16(struct function *fn, unsigned int at, uint16_t value, uint16_t writable)
{
	put_le16(fn->config + at, value);
	put_le16(fn->writable + at, writable);
}

static void set32(struct function *fn, unsigned int at, uint32_t value, uint32_t writable)
{
	pci_put32(fn->config + at, value);
	pci_put32(fn->writable + at, writable);
}

/* ---- power states ---- */

#define PM_CTRL (CAP_PM + PCI_PM_CTRL)

static unsigned int power_state(const struct function *fn)
{
	return get_le16(fn->config + PM_CTRL) & PCI_PM_CTRL_STATE_MASK;
}

bool pci_awake(const struct function *fn)
{
	return power_state(fn) == 0;
}

/* D1 and D2 are not supported: a write that asks for them is discarded. True: it wakes from D3. */
static bool set_power_state(struct function *fn, unsigned int before)
{
	unsigned int state = power_state(fn);

	if (state == 1 || state == 2) {
		put_le16(fn->config + PM_CTRL,
			 (get_le16(fn->config + PM_CTRL) & ~PCI_PM_CTRL_STATE_MASK) | before);
		return false;
	}
	if (state != before)
		notice(fn->dev, "power state D%u", state);
	return !state && before;
}

/* ---- what is there ---- */

static void fill_header(struct function *fn, const struct card *card)
{
	set16(fn, PCI_VENDOR_ID, 0x15b3, 0);
	set16(fn, PCI_DEVICE_ID, card->device_id, 0);
	set16(fn, PCI_COMMAND, 0,
	      PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_PARITY | PCI_COMMAND_SERR |
		      PCI_COMMAND_INTX_DISABLE);
	set16(fn, PCI_STATUS, PCI_STATUS_CAP_LIST, 0);
	set16(fn, PCI_CLASS_DEVICE, 0x0200, 0);		/* Ethernet controller */
	set16(fn, PCI_CACHE_LINE_SIZE, 0, 0x00ff);
	set32(fn, PCI_BASE_ADDRESS_0, PCI_BASE_ADDRESS_MEM_TYPE_64 | PCI_BASE_ADDRESS_MEM_PREFETCH,
	      ~(uint32_t)(card->bar_bytes - 1));
	set32(fn, PCI_BASE_ADDRESS_1, 0, 0xffffffff);
	set16(fn, PCI_SUBSYSTEM_VENDOR_ID, 0x15b3, 0);
	set16(fn, PCI_SUBSYSTEM_ID, card->subsystem_id, 0);
	fn->config[PCI_HEADER_TYPE] = card->vf ? 0 : PCI_HEADER_TYPE_MFD;
	fn->config[PCI_CAPABILITY_LIST] = CAP_PCIE;
	set16(fn, PCI_INTERRUPT_LINE, 0, 0x00ff);
}

static void fill_pcie(struct function *fn, const struct card *card)
{
	uint16_t link = card->pcie_gen | card->pcie_lanes << 4;

	set16(fn, CAP_PCIE, PCI_CAP_ID_EXP | (card->vf ? CAP_MSIX : CAP_VPD) << 8, 0);
	set16(fn, CAP_PCIE + PCI_EXP_FLAGS, 2 | PCI_EXP_TYPE_ENDPOINT << 4, 0);
	set32(fn, CAP_PCIE + PCI_EXP_DEVCAP,
	      PCI_EXP_DEVCAP_RBER | PCI_EXP_DEVCAP_FLR | PCI_EXP_DEVCAP_EXT_TAG | 2, 0);
	/* The FLR bit reads as zero; pci_write() handles it. */
	set16(fn, CAP_PCIE + PCI_EXP_DEVCTL, PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_NOSNOOP_EN |
	      PCI_EXP_DEVCTL_READRQ_512B, 0x7fff);
	set32(fn, CAP_PCIE + PCI_EXP_LNKCAP, link, 0);
	set16(fn, CAP_PCIE + PCI_EXP_LNKCTL, 0,
	      PCI_EXP_LNKCTL_ASPMC | PCI_EXP_LNKCTL_CCC | PCI_EXP_LNKCTL_RCB);
	set16(fn, CAP_PCIE + PCI_EXP_LNKSTA, link, 0);
	set32(fn, CAP_PCIE + PCI_EXP_DEVCAP2, 0x1f, 0);	/* completion time-outs A to D, and off */
	set16(fn, CAP_PCIE + PCI_EXP_DEVCTL2, 0, 0x1f);
	set32(fn, CAP_PCIE + PCI_EXP_LNKCAP2, (2u << card->pcie_gen) - 2, 0);
	set16(fn, CAP_PCIE + PCI_EXP_LNKCTL2, card->pcie_gen, 0);
}

/* Only PFs have vital product data and the vendor specific capability. */
static void fill_caps(struct function *fn, const struct card *card)
{
	fill_pcie(fn, card);
	set16(fn, CAP_MSIX, PCI_CAP_ID_MSIX | (card->vf ? CAP_PM : PCI_CAP_VSC) << 8, 0);
	set16(fn, CAP_MSIX + PCI_MSIX_FLAGS, card->vectors - 1,
	      PCI_MSIX_FLAGS_ENABLE | PCI_MSIX_FLAGS_MASKALL);
	set32(fn, CAP_MSIX + PCI_MSIX_TABLE, MSIX_TABLE_OFFSET | 0, 0);
	set32(fn, CAP_MSIX + PCI_MSIX_PBA, MSIX_PBA_OFFSET | 0, 0);
	set16(fn, CAP_PM, PCI_CAP_ID_PM, 0);
	set16(fn, CAP_PM + PCI_PM_PMC, 3 | PM_AUX_375MA | PCI_PM_CAP_PME_D3cold, 0);
	set16(fn, CAP_PM + PCI_PM_CTRL, PCI_PM_CTRL_NO_SOFT_RESET,
	      PCI_PM_CTRL_STATE_MASK | PCI_PM_CTRL_PME_ENABLE);
	if (card->vf)
		return;
	set16(fn, CAP_VPD, PCI_CAP_ID_VPD | CAP_MSIX << 8, 0);
	set16(fn, CAP_VPD + PCI_VPD_ADDR, 0, 0xffff);
	set32(fn, CAP_VPD + PCI_VPD_DATA, 0, 0xffffffff);
	vpd_fill(fn->dev, fn->vpd);
	vsc_reset(fn);
	fn->config[PCI_CAP_VSC + PCI_CAP_LIST_NEXT] = CAP_PM;
}

static void set_ext_cap(struct function *fn, unsigned int at, uint16_t id, unsigned int next)
{
	set32(fn, at, id | 1 << 16 | next << 20, 0);
}

/* No access control is needed: functions of a card do not reach each other by PCI. */
static void fill_ext_caps(struct function *fn, const struct card *card)
{
	set_ext_cap(fn, EXT_AER, PCI_EXT_CAP_ID_ERR, EXT_ARI);
	set32(fn, EXT_AER + PCI_ERR_UNCOR_MASK, 0, 0x01fff030);
	set32(fn, EXT_AER + PCI_ERR_UNCOR_SEVER, 0x00062030, 0x01fff030);
	set32(fn, EXT_AER + PCI_ERR_COR_MASK, 0x2000, 0x0000f1c1);
	set32(fn, EXT_AER + PCI_ERR_CAP, PCI_ERR_CAP_ECRC_GENC | PCI_ERR_CAP_ECRC_CHKC,
	      PCI_ERR_CAP_ECRC_GENE | PCI_ERR_CAP_ECRC_CHKE);
	set_ext_cap(fn, EXT_ARI, PCI_EXT_CAP_ID_ARI, card->vf ? 0 : EXT_SECPCI);
	if (card->vf)
		return;
	set_ext_cap(fn, EXT_SECPCI, PCI_EXT_CAP_ID_SECPCI, EXT_ACS);
	set_ext_cap(fn, EXT_ACS, PCI_EXT_CAP_ID_ACS, 0);
}

void pci_reset(struct function *fn)
{
	fn->dev->health.config_lost = false;
	memset(fn->config, 0, sizeof(fn->config));
	memset(fn->writable, 0, sizeof(fn->writable));
	fill_header(fn, fn->dev->card);
	fill_caps(fn, fn->dev->card);
	fill_ext_caps(fn, fn->dev->card);
}

static bool touches(uint32_t offset, uint32_t len, uint32_t at, uint32_t n)
{
	return offset < at + n && at < offset + len;
}

void pci_read(struct function *fn, uint32_t offset, void *buf, uint32_t len)
{
	if (fn->dev->health.config_lost)
		pci_reset(fn);
	if (fn->dev->health.gone) {
		memset(buf, 0xff, len);
		return;
	}
	memcpy(buf, fn->config + offset, len);
	if (!fn->dev->card->vf && touches(offset, len, PCI_CAP_VSC + PRM_VSC_COUNTER, 4))
		vsc_counter_was_read(fn);
}

/*
 * The top bit of the address says what is wanted, and is inverted when that is done. Nothing can be
 * written.
 */
static void access_vpd(struct function *fn)
{
	uint8_t *at = fn->config + CAP_VPD + PCI_VPD_ADDR;
	uint16_t addr = get_le16(at);

	if (!(addr & PCI_VPD_ADDR_F))
		pci_put32(fn->config + CAP_VPD + PCI_VPD_DATA,
			  addr + 4 <= VPD_BYTES ? pci_get32(fn->vpd + addr) : 0);
	put_le16(at, addr ^ PCI_VPD_ADDR_F);
}

/* A function-level reset clears BAR and command; software restores them. */
void pci_write(struct function *fn, uint32_t offset, const void *buf, uint32_t len)
{
	const unsigned int devctl = CAP_PCIE + PCI_EXP_DEVCTL + 1;
	unsigned int state = power_state(fn);
	const uint8_t *p = buf;
	bool flr = false;
	uint32_t i, at;

	if (fn->dev->health.gone)
		return;
	if (fn->dev->health.config_lost)
		pci_reset(fn);
	for (i = 0; i < len; i++) {
		at = offset + i;
		fn->config[at] = (fn->config[at] & ~fn->writable[at]) | (p[i] & fn->writable[at]);
		flr |= at == devctl && p[i] & (PCI_EXP_DEVCTL_BCR_FLR >> 8);
	}
	if (flr) {
		function_reset(fn, "function-level reset");
		return;
	}
	if (set_power_state(fn, state) && fn->dev->health.d3cold) {
		function_power_on(fn, "fault: it had no power in D3");
		return;
	}
	if (pci_bus_master(fn))
		dma_resumed(fn->dev);
	if (fn->dev->card->vf)
		return;
	if (touches(offset, len, CAP_VPD + PCI_VPD_ADDR + 1, 1))
		access_vpd(fn);
	if (len == 4 && !(offset & 3) && touches(offset, len, PCI_CAP_VSC, PRM_VSC_BYTES))
		vsc_write(fn, offset - PCI_CAP_VSC, pci_get32(buf));
}

bool pci_bus_master(const struct function *fn)
{
	return !fn->dev->health.config_lost && pci_awake(fn) &&
	       get_le16(fn->config + PCI_COMMAND) & PCI_COMMAND_MASTER;
}

void function_reset(struct function *fn, const char *why)
{
	notice(fn->dev, "%s", why);
	pci_reset(fn);
	cxdev_reset(fn->dev);
}

void function_power_on(struct function *fn, const char *why)
{
	notice(fn->dev, "%s", why);
	pci_reset(fn);
	cxdev_power_on(fn->dev);
}
