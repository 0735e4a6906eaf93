// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/errno.h>
#include <linux/types.h>
#include "ecmp.h"

#define ADDR_INDEXES 256	/* of an address path, which has 8 bits for the index */

/* Errors of the request come before those of the card. */
static enum cxr_lag_why check_parent(const struct cxr_ecmp_parent *parent)
{
	if (parent->another)
		return CXR_LAG_WHY_PARENT_OTHER;
	if (!parent->found)
		return CXR_LAG_WHY_PARENT;
	if (parent->port)
		return CXR_LAG_WHY_PARENT_PORT;
	if (!parent->ethernet)
		return CXR_LAG_WHY_PARENT_TYPE;
	return CXR_LAG_WHY_NONE;
}

static enum cxr_lag_why check_table(const struct cxr_lag_in *in)
{
	return cxr_ecmp_half(in->addresses) ? CXR_LAG_WHY_NONE : CXR_LAG_WHY_TABLE;
}

static enum cxr_lag_why check_bonds(const struct cxr_lag_in *in)
{
	return in->port[0].bond || in->port[1].bond ? CXR_LAG_WHY_PORT_IN_BOND : CXR_LAG_WHY_NONE;
}

static enum cxr_lag_why check_ecmp(const struct cxr_lag_in *in, bool refused)
{
	enum cxr_lag_why why = check_parent(&in->parent) ?: cxr_lag_check_functions(in) ?:
			       check_table(in) ?: cxr_lag_check_netdevs(in) ?: check_bonds(in);

	return why ?: refused ? CXR_LAG_WHY_REFUSED : CXR_LAG_WHY_NONE;
}

struct cxr_lag_out cxr_ecmp_decide(const struct cxr_lag_in *in, bool refused)
{
	struct cxr_lag_out out = {
		.mode = CXR_LAG_OFF,
		.why = check_ecmp(in, refused),
		.map = { 1, 2 },
	};

	if (out.why != CXR_LAG_WHY_NONE)
		return out;

	out.mode = CXR_LAG_ECMP;
	out.active = 1;
	if (in->port[0].link != in->port[1].link) {
		out.map[0] = in->port[0].link ? 1 : 2;
		out.map[1] = out.map[0];
	}
	return out;
}

int cxr_ecmp_errno(enum cxr_lag_why why)
{
	switch (why) {
	case CXR_LAG_WHY_NONE:
		return 0;
	case CXR_LAG_WHY_PARENT:
	case CXR_LAG_WHY_DRIVER:
	case CXR_LAG_WHY_NETDEV:
		return -ENODEV;
	case CXR_LAG_WHY_PARENT_OTHER:
	case CXR_LAG_WHY_PORT_IN_BOND:
	case CXR_LAG_WHY_VFS:
		return -EBUSY;
	case CXR_LAG_WHY_ROCE:
	case CXR_LAG_WHY_TABLE:
		return -EOPNOTSUPP;
	case CXR_LAG_WHY_DISABLED:
		return -EPERM;
	case CXR_LAG_WHY_REFUSED:
		return -EIO;
	default:
		return -EINVAL;
	}
}

u16 cxr_ecmp_half(u16 addresses)
{
	return (addresses < ADDR_INDEXES ? addresses : ADDR_INDEXES) / 2;
}

u16 cxr_ecmp_index(u16 index, u8 port, u16 half)
{
	return port == 2 ? index + half : index;
}

u16 cxr_ecmp_primary_index(u16 index, u16 half)
{
	return half && index >= half ? index - half : index;
}

u8 cxr_ecmp_port(bool connected, u32 turn)
{
	return connected ? 1 + turn % CXR_LAG_PORTS : 1;
}

bool cxr_ecmp_macs_first(const u8 map[CXR_LAG_PORTS])
{
	return map[0] != map[1];
}
