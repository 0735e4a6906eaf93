/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Decides how a GID of ib_core is written to the RoCE address table, or why it is refused. */
#ifndef CXR_POLICY_GID_H
#define CXR_POLICY_GID_H

#include <linux/types.h>

#define CXR_VLAN_NONE 0xffff

enum cxr_gid_type {
	CXR_GID_V1,		/* RoCE v1: GRH after ethertype 0x8915 */
	CXR_GID_V2,		/* RoCE v2: IP and UDP port 4791 */
};

/* IP header of packets with the GID. */
enum cxr_gid_ip {
	CXR_GID_IP_NONE,	/* v1 */
	CXR_GID_IPV4,
	CXR_GID_IPV6,
};

struct cxr_gid_in {
	u8 gid[16];
	enum cxr_gid_type type;
	u16 vlan;		/* 0..4095 or CXR_VLAN_NONE */
	u8 mac[6];		/* source MAC */
	bool vlan_stacked;	/* the VLAN is on top of another one */
	bool vlan_8021ad;	/* service tag */
};

struct cxr_gid_entry {
	u8 gid[16];
	u8 mac[6];
	bool vlan_valid;
	u16 vlan;
	enum cxr_gid_type type;
	enum cxr_gid_ip ip;
};

/*
 * 0 and *entry; -EINVAL: zero GID, multicast GID, multicast or zero MAC, VLAN ID out of range;
 * -EOPNOTSUPP: the mode does not include this type, or the device cannot insert such VLAN tags.
 * *why is the reason for the log.
 */
int cxr_gid_decide(const struct cxr_gid_in *in, bool v1, bool v2, struct cxr_gid_entry *entry,
		   const char **why);
bool cxr_gid_is_ipv4(const u8 gid[16]);

#endif
