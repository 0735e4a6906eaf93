// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The MPFS: a card that serves several hosts needs to know which unicast addresses belong to this
 * one. Those of the network interface and of VFs share the entries.
 */
#include <linux/etherdevice.h>

#include "core.h"

void cxr_l2_reset(struct cxr_dev *dev)
{
	mutex_lock(&dev->l2_lock);
	memset(dev->l2, 0, sizeof(dev->l2));
	mutex_unlock(&dev->l2_lock);
}

static u32 entries_of(const struct cxr_core *core)
{
	return min_t(u32, core->caps.l2_entries, CXR_L2_ENTRIES);
}

/* That of @mac, or a free one; NULL: neither */
static struct cxr_l2_entry *find(struct cxr_dev *dev, const u8 *mac)
	__must_hold(&dev->l2_lock)
{
	struct cxr_l2_entry *unused = NULL;
	u32 i;

	for (i = 0; i < entries_of(&dev->core); i++) {
		if (dev->l2[i].users && ether_addr_equal(dev->l2[i].mac, mac))
			return &dev->l2[i];
		if (!dev->l2[i].users && !unused)
			unused = &dev->l2[i];
	}
	return unused;
}

int cxr_l2_add(struct cxr_core *core, const u8 *mac)
{
	struct cxr_dev *dev = to_dev(core);
	struct cxr_l2_entry *entry;
	int err = 0;

	if (!core->caps.l2_entries)
		return -EOPNOTSUPP;
	mutex_lock(&dev->l2_lock);
	entry = find(dev, mac);
	if (!entry) {
		dev_warn_ratelimited(core->dev, "no place for %pM in the card's table of addresses\n",
				     mac);
		err = -ENOSPC;
	} else if (!entry->users) {
		err = cxr_cmd_set_l2_entry(core, entry - dev->l2, mac);
	}
	if (!err) {
		ether_addr_copy(entry->mac, mac);
		entry->users++;
	}
	mutex_unlock(&dev->l2_lock);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_l2_add);

void cxr_l2_remove(struct cxr_core *core, const u8 *mac)
{
	struct cxr_dev *dev = to_dev(core);
	struct cxr_l2_entry *entry;

	mutex_lock(&dev->l2_lock);
	entry = find(dev, mac);
	if (entry && entry->users && !--entry->users)
		cxr_cmd_set_l2_entry(core, entry - dev->l2, NULL);
	mutex_unlock(&dev->l2_lock);
}
EXPORT_SYMBOL_GPL(cxr_l2_remove);
