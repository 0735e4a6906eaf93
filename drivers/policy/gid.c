// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/errno.h>
#include <linux/string.h>
#include <linux/types.h>
#include "gid.h"

static bool all_zero(const u8 *bytes, unsigned int n)
{
	while (n--)
		if (*bytes++)
			return false;
	return true;
}

bool cxr_gid_is_ipv4(const u8 gid[16])
{
	return all_zero(gid, 10) && gid[10] == 0xff && gid[11] == 0xff;
}

static const char *refuse_gid(const u8 gid[16])
{
	static const u8 broadcast[] = { 0xff, 0xff, 0xff, 0xff };

	if (all_zero(gid, 16))
		return "the GID is zero";
	if (gid[0] == 0xff)
		return "the GID is a multicast address";
	if (!cxr_gid_is_ipv4(gid))
		return NULL;
	if (all_zero(gid + 12, 4))
		return "the GID is the IPv4 address zero";
	if ((gid[12] & 0xf0) == 0xe0 || !memcmp(gid + 12, broadcast, sizeof(broadcast)))
		return "the GID is an IPv4 multicast or broadcast address";
	return NULL;
}

static const char *refuse_link(const struct cxr_gid_in *in)
{
	if (all_zero(in->mac, 6))
		return "the source MAC is zero";
	if (in->mac[0] & 1)
		return "the source MAC is a multicast address";
	if (in->vlan != CXR_VLAN_NONE && in->vlan > 4094)
		return "the VLAN ID is above 4094";
	return NULL;
}

/* The device inserts a single 802.1Q tag; packets would go to another VLAN. */
static const char *refuse_tags(const struct cxr_gid_in *in)
{
	if (in->vlan_stacked)
		return "its interface is a VLAN on a VLAN, and the device adds one tag";
	if (in->vlan_8021ad)
		return "its interface is an 802.1ad VLAN, and the device adds 802.1Q tags";
	return NULL;
}

int cxr_gid_decide(const struct cxr_gid_in *in, bool v1, bool v2, struct cxr_gid_entry *entry,
		   const char **why)
{
	*why = refuse_gid(in->gid);
	if (!*why)
		*why = refuse_link(in);
	if (*why)
		return -EINVAL;

	if (in->type == CXR_GID_V1 && !v1)
		*why = "the port does not offer RoCE v1";
	else if (in->type == CXR_GID_V2 && !v2)
		*why = "the port does not offer RoCE v2";
	else
		*why = refuse_tags(in);
	if (*why)
		return -EOPNOTSUPP;

	memset(entry, 0, sizeof(*entry));
	memcpy(entry->gid, in->gid, sizeof(entry->gid));
	memcpy(entry->mac, in->mac, sizeof(entry->mac));
	entry->vlan_valid = in->vlan != CXR_VLAN_NONE;
	entry->vlan = entry->vlan_valid ? in->vlan : 0;
	entry->type = in->type;
	if (in->type == CXR_GID_V2)
		entry->ip = cxr_gid_is_ipv4(in->gid) ? CXR_GID_IPV4 : CXR_GID_IPV6;
	return 0;
}
