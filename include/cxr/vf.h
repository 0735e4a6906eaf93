/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* The VFs of a PF, which its network interface tells and sets (drivers/core/sriov.c). */
#ifndef CXR_VF_H
#define CXR_VF_H

#include "cmd.h"
#include "cxr.h"

/* How many are enabled, none while the function is down. May sleep. */
unsigned int cxr_vf_count(struct cxr_core *core);
/*
 * Whether the VF has RoCE when its driver starts the next time. 0, -ENOENT (there is no such VF
 * now), or the error of a command (cmd.h); the firmware refuses to change it while a driver uses
 * the VF. With caps.vf_caps. May sleep.
 */
int cxr_vf_get_roce(struct cxr_core *core, unsigned int vf, bool *on);
int cxr_vf_set_roce(struct cxr_core *core, unsigned int vf, bool on);

enum cxr_vf_link { CXR_VF_LINK_AUTO, CXR_VF_LINK_UP, CXR_VF_LINK_DOWN };

/* Of the vport of a VF. They stay as long as there are VFs, also over a reset of the PF. */
struct cxr_vf_settings {
	u8 mac[ETH_ALEN];	/* zeros: its driver takes one */
	u16 vlan;		/* tag of its frames outside; with @qos 0: none */
	u8 qos;			/* priority in that tag */
	enum cxr_vf_link link;
	bool trusted;		/* it may hear all groups, and what is for nobody else */
	bool spoofchk;		/* it sends with @mac only; with none, nothing */
};

/* Traffic of a VF, and frames that its restrictions dropped, of what it was to get and sent */
struct cxr_vf_stats {
	struct cxr_traffic traffic[CXR_VPORT_COUNTERS];
	u64 rx_dropped, tx_dropped;
};

/* Which of them */
#define CXR_VF_MAC	BIT(0)
#define CXR_VF_VLAN	BIT(1)	/* and qos */
#define CXR_VF_LINK	BIT(2)
#define CXR_VF_TRUST	BIT(3)
#define CXR_VF_SPOOFCHK	BIT(4)

/*
 * A PF that manages the e-switch (caps.fdb) has settings. May sleep.
 *
 * Return: 0, -ENOENT (there is no such VF), -EOPNOTSUPP (no settings, or the device has no such
 * one), or the error of a command. After an error of set the old ones are in force.
 */
int cxr_vf_get_settings(struct cxr_core *core, unsigned int vf, struct cxr_vf_settings *settings);
int cxr_vf_set_settings(struct cxr_core *core, unsigned int vf, u32 which,
			const struct cxr_vf_settings *settings);
/* As above; -ENOENT also while the function is down */
int cxr_vf_get_stats(struct cxr_core *core, unsigned int vf, struct cxr_vf_stats *stats);

#endif
