/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The e-switch of a PF that manages it, in legacy mode: the FDB, and the vports of its VFs. Vport 0
 * is the PF's own, n + 1 that of VF n.
 */
#ifndef CXR_CORE_ESWITCH_H
#define CXR_CORE_ESWITCH_H

#include "core.h"

/* ---- commands about the vport of another (cmd_vport.c) --------------------------------------- */

struct cxr_vport_list {
	u64 *macs;		/* in the order of the device */
	u32 max, n;
	bool promisc, allmulti;	/* what the vport asks for besides */
};

/* QUERY_NIC_VPORT_CONTEXT; of @list, macs and max are set. */
int cxr_cmd_query_vport_list(struct cxr_core *core, u16 vport, bool multicast,
			     struct cxr_vport_list *list);
/* One event of changed lists or mode from now on, or none. */
int cxr_cmd_arm_vport(struct cxr_core *core, u16 vport, bool on);
int cxr_cmd_set_vport_mac(struct cxr_core *core, u16 vport, const u8 *mac);	/* zeros: none */
/* The node GUID that follows from @mac. 0, also if it cannot be set */
int cxr_cmd_set_vport_guid(struct cxr_core *core, u16 vport, const u8 *mac);
int cxr_cmd_set_vport_link(struct cxr_core *core, u16 vport, enum cxr_vf_link link);
/* Frames of the VF get this tag, and lose it; 0, 0: none. With caps.vport_vlan */
int cxr_cmd_set_vport_vlan(struct cxr_core *core, u16 vport, u16 vlan, u8 qos);

#define CXR_ACL_GROUPS 4

/*
 * An ACL: what a vport may send into the e-switch, or (@egress) get from it. Each group has one
 * entry.
 */
struct cxr_acl {
	u16 vport;
	bool egress;
	bool exists, counted;
	u32 table, groups[CXR_ACL_GROUPS], counter;
	u8 n_groups;
	/* of eswitch.c: there is an entry that lets pass, and its index */
	bool open;
	u32 allow;
};

/* Of @acl, vport and egress are set. A table that is not in force, with a group for each mask */
int cxr_cmd_create_acl(struct cxr_core *core, struct cxr_acl *acl,
		       const struct cxr_flow_fields *masks, u32 n);
/* It has no entries any more. If it was in force, all passes. */
void cxr_cmd_destroy_acl(struct cxr_core *core, struct cxr_acl *acl);
/* What has @value passes; NULL: it is dropped, and counted if the device can */
int cxr_cmd_set_acl_entry(struct cxr_core *core, const struct cxr_acl *acl, u32 index,
			  const struct cxr_flow_fields *value);
int cxr_cmd_delete_acl_entry(struct cxr_core *core, const struct cxr_acl *acl, u32 index);
int cxr_cmd_connect_acl(struct cxr_core *core, const struct cxr_acl *acl);	/* it is in force */

/* ---- the e-switch (eswitch.c); vfs_lock is held ---------------------------------------------- */

struct cxr_eswitch;

/*
 * Vports of @n VFs, up to CXR_FDB_VFS_MAX, as their settings say, and the FDB with what is in the
 * lists of vports. Without it the PF had the wire alone. An error of a command, but for settings
 * that do not restrict a VF: of these the log tells; or -ENOMEM.
 */
int cxr_eswitch_up(struct cxr_dev *dev, u16 n) __must_hold(&dev->vfs_lock);
void cxr_eswitch_down(struct cxr_dev *dev) __must_hold(&dev->vfs_lock);
/*
 * The settings of VF @vf go to the device, if the e-switch is up: what differs from @old, and ACLs
 * that an error has left without what lets pass. After an error the VF may be cut off until this
 * is called again.
 */
int cxr_eswitch_apply(struct cxr_dev *dev, unsigned int vf, const struct cxr_vf_settings *old)
	__must_hold(&dev->vfs_lock);
/* Frames that the ACLs of VF @vf have dropped: what it was to get, and what it sent */
int cxr_eswitch_dropped(struct cxr_dev *dev, unsigned int vf, u64 *rx, u64 *tx)
	__must_hold(&dev->vfs_lock);
/* The context of a vport has changed. Interrupt context */
void cxr_eswitch_event(struct cxr_dev *dev, u16 vport);
void cxr_eswitch_work(struct work_struct *work);

#endif
