// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The initialization segment: registers that a driver uses before it can send commands.
 *
 * Registers are computed when they are read. The low byte of cmdq_addr_l_sz is read-only.
 */
#include "card/card.h"

static uint32_t fw_rev(const struct card *card)
{
	return (uint32_t)card->fw_minor << 16 | card->fw_major;
}

static uint32_t health_read(struct cxdev *dev, uint32_t offset)
{
	const struct health *health = &dev->health;
	const uint32_t vars = offsetof(struct prm_iseg, health.assert_var);

	if (offset >= vars && offset < vars + sizeof(health->assert_var))
		return health->assert_var[(offset - vars) / 4];
	switch (offset) {
	case offsetof(struct prm_iseg, health.assert_exit_ptr):
		return health->assert_exit_ptr;
	case offsetof(struct prm_iseg, health.assert_callra):
		return health->assert_callra;
	case offsetof(struct prm_iseg, health.time):
		return health->time;
	case offsetof(struct prm_iseg, health.fw_ver):
		return (uint32_t)dev->card->fw_major << 24 | (uint32_t)dev->card->fw_minor << 16 |
		       dev->card->fw_sub;
	case offsetof(struct prm_iseg, health.hw_id):
		return dev->card->hw_id;
	case offsetof(struct prm_iseg, health.rfr_severity):
		return (uint32_t)((health->rfr ? PRM_HEALTH_RFR : 0) |
				  (health->synd ? PRM_HEALTH_SEVERITY_VALID : 0) |
				  health->severity) << 24;
	case offsetof(struct prm_iseg, health.irisc_index):
		return (uint32_t)health->synd << 16 | health->ext_synd;
	default:
		return 0;
	}
}

/* While the firmware starts after a reset by a driver, the reset goes on. */
static uint32_t nic_ifc(const struct hca_state *hca)
{
	return hca->nic_ifc == PRM_NIC_IFC_DISABLED && now_ns() < hca->boot_done_ns ?
		       PRM_NIC_IFC_SW_RESET : hca->nic_ifc;
}

uint32_t iseg_read(struct cxdev *dev, uint32_t offset)
{
	const struct hca_state *hca = dev->hca;

	switch (offset) {
	case offsetof(struct prm_iseg, fw_rev):
		return fw_rev(dev->card);
	case offsetof(struct prm_iseg, cmdif_rev_fw_sub):
		return PRM_CMDIF_REV << 16 | dev->card->fw_sub;
	case offsetof(struct prm_iseg, cmdq_addr_h):
		return hca->cmdq_addr >> 32;
	case offsetof(struct prm_iseg, cmdq_addr_l_sz):
		return (hca->cmdq_addr & PRM_ISEG_CMDQ_ADDR_L_MASK) |
		       nic_ifc(hca) << PRM_ISEG_NIC_IFC_SHIFT | CMDQ_LOG_SZ << 4 |
		       CMDQ_LOG_STRIDE;
	case offsetof(struct prm_iseg, initializing):
		return PRM_ISEG_CAN_RESET |
		       (now_ns() < hca->boot_done_ns ? PRM_ISEG_INITIALIZING : 0);
	case offsetof(struct prm_iseg, internal_timer_h):
		return hca_clock(dev) >> 32;
	case offsetof(struct prm_iseg, internal_timer_l):
		return hca_clock(dev);
	case offsetof(struct prm_iseg, health_counter):
		return dev->health.stalled ? dev->health.stalled_at :
					     now_ns() / 10000000 & 0xffffff;
	default:
		return health_read(dev, offset);
	}
}

/* Which driver may reset the firmware. It has noticed the fault, if there is one. */
static void check_reset(struct cxdev *dev)
{
	const struct reset_semaphore *semaphore = &card_first(dev)->reset_semaphore;

	dev->health.excused = false;
	if (dev->card->vf)
		violation(dev, "a VF resets the firmware");
	else if (!semaphore->number || semaphore->owner != dev)
		violation(dev, "the firmware is reset without the card's semaphore");
}

/*
 * nic_ifc leaves FULL only when a driver resets the firmware, or disables the function; commands
 * stop then. After a reset it is DISABLED.
 */
static void write_cmdq_low(struct cxdev *dev, uint32_t value)
{
	struct hca_state *hca = dev->hca;

	if ((value >> PRM_ISEG_NIC_IFC_SHIFT & 7) == PRM_NIC_IFC_SW_RESET) {
		check_reset(dev);
		cxdev_reset_firmware(dev);
		return;
	}
	/* The driver starts again. */
	if (!dev->health.fatal)
		dev->health.excused = false;
	dev->health.kept = false;
	hca->cmdq_addr = (hca->cmdq_addr & ~0xffffffffull) | (value & PRM_ISEG_CMDQ_ADDR_L_MASK);
	hca->nic_ifc = value >> PRM_ISEG_NIC_IFC_SHIFT & 7;
	if (hca->nic_ifc != PRM_NIC_IFC_FULL)
		notice(dev, "driver sets the nic interface to %u", hca->nic_ifc);
}

void iseg_write(struct cxdev *dev, uint32_t offset, uint32_t value)
{
	struct hca_state *hca = dev->hca;

	if (now_ns() < hca->boot_done_ns) {
		violation(dev, "write to register 0x%x while the card is initializing", offset);
		return;
	}
	switch (offset) {
	case offsetof(struct prm_iseg, cmdq_addr_h):
		hca->cmdq_addr = (uint64_t)value << 32 | (hca->cmdq_addr & 0xffffffff);
		break;
	case offsetof(struct prm_iseg, cmdq_addr_l_sz):
		write_cmdq_low(dev, value);
		break;
	case offsetof(struct prm_iseg, cmd_dbell):
		cmdq_doorbell(dev, value);
		break;
	case offsetof(struct prm_iseg, clr_intx):
		break;
	default:
		violation(dev,
			  "write of 0x%x to register 0x%x, which is read-only or does not exist",
			  value, offset);
	}
}
