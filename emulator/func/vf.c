// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * VFs that the driver of their PF enables, by ENABLE_HCA with a function number from 1. It gives
 * the pages that the card wants for them, and takes them back after DISABLE_HCA.
 *
 * A VF that is not enabled is not on the bus: its BAR reads as ones.
 */
#include <errno.h>
#include <stdlib.h>

#include "func/func.h"

struct vf_list {
	unsigned int n;
	struct cxdev *dev[VFS_MAX];	/* NULL: destroyed */
};

int vfs_create(struct cxdev *pf)
{
	pf->vfs = calloc(1, sizeof(*pf->vfs));
	if (!pf->vfs)
		return -ENOMEM;
	hca_caps_reset(pf);
	return 0;
}

void vfs_add(struct cxdev *pf, struct cxdev *dev)
{
	pf->vfs->dev[pf->vfs->n++] = dev;
	dev->pf = pf;
	dev->function_id = pf->vfs->n;
}

void vfs_leave(struct cxdev *dev)
{
	unsigned int i;

	if (dev->pf)
		dev->pf->vfs->dev[dev->function_id - 1] = NULL;
	dev->pf = NULL;
	if (!dev->vfs)
		return;
	for (i = 0; i < dev->vfs->n; i++)
		if (dev->vfs->dev[i])
			dev->vfs->dev[i]->pf = NULL;
	free(dev->vfs);
	dev->vfs = NULL;
}

unsigned int vfs_count(const struct cxdev *pf)
{
	return pf->vfs ? pf->vfs->n : 0;
}

struct cxdev *vfs_function(const struct cxdev *pf, unsigned int id)
{
	return id && id <= vfs_count(pf) ? pf->vfs->dev[id - 1] : NULL;
}

void vf_permit_roce(struct cxdev *dev, bool permit)
{
	dev->roce_denied = !permit;
	hca_caps_changed(dev);
	if (dev->pf && dev->hca->phase == HCA_OFF)
		pages_balance(dev);
}

bool vf_is_absent(const struct cxdev *dev)
{
	return dev->pf && !dev->enabled_by_pf;
}

struct cxdev *cmd_function(struct cmd *c, bool embedded, uint32_t id)
{
	struct cxdev *dev = id ? vfs_function(c->dev, id) : c->dev;

	if (dev && !embedded)
		return dev;
	if (embedded || !c->dev->vfs)
		refuse(c, PRM_STATUS_BAD_PARAM, "function %u%s: there is only function 0", id,
		       embedded ? " of the embedded CPU" : "");
	else
		refuse(c, PRM_STATUS_BAD_PARAM, "function %u: there are 0 to %u", id,
		       vfs_count(c->dev));
	return NULL;
}
