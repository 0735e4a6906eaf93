// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* UAR pages: the parts of BAR 0 with doorbells; and the counter, which processes map as well. */
#include <linux/io.h>
#include <linux/slab.h>

#include "prm/cmdif.h"
#include "prm/cqe.h"
#include "prm/eqe.h"
#include "core.h"

static_assert(CXR_UAR_CQ_ARM == PRM_UAR_CQ_ARM);

phys_addr_t cxr_uar_phys(const struct cxr_core *core, u32 index)
{
	const struct cxr_dev *dev = to_dev(core);
	u64 off = (u64)index << (dev->uar_4k ? ilog2(CXR_UAR_SIZE) : PAGE_SHIFT);

	return off + CXR_UAR_SIZE <= dev->bar_len ? dev->bar + off : 0;
}
EXPORT_SYMBOL_GPL(cxr_uar_phys);

u64 cxr_counter_read(const struct cxr_dev *dev, struct ptp_system_timestamp *sts)
{
	const struct prm_iseg __iomem *iseg = dev->iseg;
	u32 high, low, again;

	again = ioread32be(&iseg->internal_timer_h);
	do {
		high = again;
		ptp_read_system_prets(sts);
		low = ioread32be(&iseg->internal_timer_l);
		ptp_read_system_postts(sts);
		again = ioread32be(&iseg->internal_timer_h);
	} while (high != again);
	return (u64)high << 32 | low;
}

phys_addr_t cxr_clock_phys(const struct cxr_core *core)
{
	return to_dev(core)->bar + offsetof(struct prm_iseg, internal_timer_h);
}
EXPORT_SYMBOL_GPL(cxr_clock_phys);

static struct cxr_uar *alloc_uar(struct cxr_core *core, bool wc)
{
	struct cxr_uar *uar;
	phys_addr_t phys;
	int err;

	uar = kzalloc(sizeof(*uar), GFP_KERNEL);
	if (!uar)
		return ERR_PTR(-ENOMEM);

	err = cxr_cmd_alloc_uar(core, 0, &uar->index);
	if (err)
		goto err_free;
	phys = cxr_uar_phys(core, uar->index);
	if (!phys) {
		dev_err(core->dev, "UAR %#x is outside BAR 0\n", uar->index);
		err = -EPROTO;
		goto err_dealloc;
	}
	uar->map = wc ? ioremap_wc(phys, CXR_UAR_SIZE) : ioremap(phys, CXR_UAR_SIZE);
	if (!uar->map) {
		err = -ENOMEM;
		goto err_dealloc;
	}
	return uar;

err_dealloc:
	cxr_cmd_dealloc_uar(core, 0, uar->index);
err_free:
	kfree(uar);
	return ERR_PTR(err);
}

struct cxr_uar *cxr_uar_alloc(struct cxr_core *core)
{
	return alloc_uar(core, false);
}
EXPORT_SYMBOL_GPL(cxr_uar_alloc);

struct cxr_uar *cxr_uar_alloc_wc(struct cxr_core *core)
{
	return alloc_uar(core, true);
}
EXPORT_SYMBOL_GPL(cxr_uar_alloc_wc);

void cxr_uar_free(struct cxr_core *core, struct cxr_uar *uar)
{
	iounmap(uar->map);
	cxr_cmd_dealloc_uar(core, 0, uar->index);
	kfree(uar);
}
EXPORT_SYMBOL_GPL(cxr_uar_free);

void cxr_uar_ring(struct cxr_uar *uar, const void *ctrl)
{
	wmb();	/* WQEs and doorbell record, then the doorbell */
	__raw_writeq(*(const u64 *)ctrl, uar->map + CXR_UAR_DB);
}
EXPORT_SYMBOL_GPL(cxr_uar_ring);

void cxr_uar_arm_cq(struct cxr_uar *uar, __be32 *arm_record, u32 cqn, u32 sn, u32 ci,
		    bool solicited)
{
	u32 what = solicited ? PRM_CQ_ARM_SOLICITED : 0;
	u32 arm = (sn & 3) << PRM_CQ_ARM_SN_SHIFT | what | (ci & 0xffffff);
	__be32 db[2] = { cpu_to_be32(arm), cpu_to_be32(cqn) };
	u64 raw;

	WRITE_ONCE(*arm_record, db[0]);
	wmb();	/* the record, then the register */
	memcpy(&raw, db, sizeof(raw));
	__raw_writeq(raw, uar->map + CXR_UAR_CQ_ARM);
}
EXPORT_SYMBOL_GPL(cxr_uar_arm_cq);

void cxr_uar_update_eq(struct cxr_uar *uar, u8 eqn, u32 ci, bool arm)
{
	void __iomem *reg = uar->map + (arm ? PRM_UAR_EQ_ARM : PRM_UAR_EQ_CI);

	iowrite32be((u32)eqn << 24 | (ci & 0xffffff), reg);
}

int cxr_uar_up(void *owner)
{
	struct cxr_dev *dev = owner;
	struct cxr_uar *uar = cxr_uar_alloc(&dev->core);

	if (IS_ERR(uar))
		return PTR_ERR(uar);
	dev->uar = uar;
	return 0;
}

void cxr_uar_down(void *owner)
{
	struct cxr_dev *dev = owner;

	cxr_uar_free(&dev->core, dev->uar);
	dev->uar = NULL;
}
