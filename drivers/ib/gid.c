// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The GID table: ib_core owns it, the device's RoCE address table mirrors it index by index. */
#include <linux/if_vlan.h>
#include <rdma/ib_cache.h>

#include "ib.h"

/* Callback for lower devices: ends the walk at the first VLAN and keeps it. */
static int find_vlan(struct net_device *lower, struct netdev_nested_priv *priv)
{
	if (!is_vlan_dev(lower))
		return 0;
	priv->data = lower;
	return 1;
}

/*
 * What rdma_read_gid_l2_fields() does not tell: it takes the uppermost VLAN at or below @ndev and
 * does not look further.
 */
static void read_tags(struct net_device *ndev, struct cxr_gid_in *in)
{
	struct netdev_nested_priv vlan = {}, below = {};

	if (is_vlan_dev(ndev))
		vlan.data = ndev;
	else
		netdev_walk_all_lower_dev_rcu(ndev, find_vlan, &vlan);
	if (!vlan.data)
		return;

	in->vlan_8021ad = vlan_dev_vlan_proto(vlan.data) != htons(ETH_P_8021Q);
	in->vlan_stacked = netdev_walk_all_lower_dev_rcu(vlan.data, find_vlan, &below);
}

static int read_entry(const struct ib_gid_attr *attr, struct cxr_gid_in *in)
{
	struct net_device *ndev;
	int err;

	switch (attr->gid_type) {
	case IB_GID_TYPE_ROCE:
		in->type = CXR_GID_V1;
		break;
	case IB_GID_TYPE_ROCE_UDP_ENCAP:
		in->type = CXR_GID_V2;
		break;
	default:
		ibdev_dbg(attr->device, "GID %u: type %u is not RoCE\n", attr->index,
			  attr->gid_type);
		return -EOPNOTSUPP;
	}

	memcpy(in->gid, attr->gid.raw, sizeof(in->gid));
	in->vlan = CXR_VLAN_NONE;
	err = rdma_read_gid_l2_fields(attr, &in->vlan, in->mac);
	if (err)
		return err;

	rcu_read_lock();
	ndev = rcu_dereference(attr->ndev);
	if (ndev)
		read_tags(ndev, in);
	rcu_read_unlock();
	return 0;
}

int cxr_ib_add_gid(const struct ib_gid_attr *attr, void **context)
{
	struct cxr_core *core = to_cxr_dev(attr->device)->core;
	struct cxr_gid_entry entry = {};
	struct cxr_gid_in in = {};
	const char *why;
	int err;

	if (attr->index >= core->caps.roce_addresses) {
		ibdev_dbg(attr->device, "GID %u: the device holds %u\n", attr->index,
			  core->caps.roce_addresses);
		return -EINVAL;
	}

	err = read_entry(attr, &in);
	if (err)
		return err;

	err = cxr_gid_decide(&in, cxr_roce_mode_has_v1(core->roce.mode),
			     cxr_roce_mode_has_v2(core->roce.mode), &entry, &why);
	if (err) {
		ibdev_dbg(attr->device, "GID %u: %s\n", attr->index, why);
		return err;
	}
	return cxr_cmd_set_roce_address(core, attr->index, &entry);
}

/* attr->ndev may be gone already: the index says all. A dead device has nothing to forget. */
int cxr_ib_del_gid(const struct ib_gid_attr *attr, void **context)
{
	int err = cxr_cmd_set_roce_address(to_cxr_dev(attr->device)->core, attr->index, NULL);

	return err == -ENODEV ? 0 : err;
}
