// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The GID table: ib_core owns it, the device's RoCE address table mirrors it index by index. */
#include <rdma/ib_cache.h>

#include "ib.h"

static int read_entry(const struct ib_gid_attr *attr, struct cxr_gid_in *in)
{
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
	return rdma_read_gid_l2_fields(attr, &in->vlan, in->mac);
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
