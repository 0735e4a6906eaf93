// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The devlink port of the netdev, from whose number udev makes the last part of its name (np0). It
 * is in a devlink instance of its own, as that of the in-tree driver: the instance of the function
 * is locked while clients are added in a reload, and not otherwise.
 */
#include <net/devlink.h>
#include "en.h"

#define UPLINK	0xffff	/* vport number, as in the indices of the in-tree driver */

static const struct devlink_ops ops = {
};

/* The function of a card with one port is that of its first, whichever it is. */
static struct devlink_port_attrs attrs_of(const struct cxr_core *core)
{
	u8 port = core->caps.native_port;

	if (core->vf)
		return (struct devlink_port_attrs){ .flavour = DEVLINK_PORT_FLAVOUR_VIRTUAL };
	return (struct devlink_port_attrs){
		.flavour = DEVLINK_PORT_FLAVOUR_PHYSICAL,
		.phys.port_number = port ? port - 1 : PCI_FUNC(core->pdev->devfn),
	};
}

int cxr_en_devlink_up(void *owner)
{
	struct cxr_en *en = owner;
	struct cxr_core *core = en->core;
	struct devlink_port_attrs attrs = attrs_of(core);
	struct devlink *devlink;
	int err;

	if (en->kept)
		return 0;
	devlink = devlink_alloc(&ops, sizeof(*en->port), en->device);
	if (!devlink)
		return -ENOMEM;

	en->port = devlink_priv(devlink);
	devlink_port_attrs_set(en->port, &attrs);
	err = devlink_port_register(devlink, en->port,
				    (u32)core->caps.vhca_id << 16 | (core->vf ? 0 : UPLINK));
	if (err)
		goto err_free;
	err = cxr_en_reporters_create(en);
	if (err)
		goto err_unregister_port;
	devlink_register(devlink);
	cxr_netdev_set_port(en->ndev, en->port);
	return 0;

err_unregister_port:
	devlink_port_unregister(en->port);
err_free:
	devlink_free(devlink);
	return err;
}

void cxr_en_devlink_remove(struct cxr_en *en)
{
	struct devlink *devlink = priv_to_devlink(en->port);

	devlink_unregister(devlink);
	cxr_en_reporters_destroy(en);
	devlink_port_unregister(en->port);
	devlink_free(devlink);
}

void cxr_en_devlink_down(void *owner)
{
	struct cxr_en *en = owner;

	if (!en->kept)
		cxr_en_devlink_remove(en);
}

struct devlink_port *cxr_en_get_devlink_port(struct net_device *ndev)
{
	struct cxr_en *en = netdev_priv(ndev);

	return en->port;
}
