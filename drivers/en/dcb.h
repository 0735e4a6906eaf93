/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Flow control and DCB of the netdev (dcb.c, dcb_cee.c). */
#ifndef CXR_EN_DCB_H
#define CXR_EN_DCB_H

#include <linux/dcbnl.h>

#include "cxr/cmd.h"

struct cxr_en;
struct net_device;

/* Flow control and DCB. A reset of the device forgets it, so it is set again (dcb.c). */
struct cxr_en_dcb {
	/* of the port as last read or set; what ethtool -S shows depends on it */
	struct cxr_flow_control flow;
	struct cxr_dcb_support support;
	u8 dcbx;		/* DCB_CAP_DCBX_* */
	struct ieee_ets ets;
	u64 max_kbps[CXR_TCS];
	u32 cable;		/* metres */
	bool trust_dscp;
	u8 dscp_prio[CXR_DSCPS];
	u16 stall_ms;		/* the critical watermark, if a user has set it */
	bool stall_set;
	bool own_buffers;	/* a user has set them, not the firmware */
	struct cxr_buffers buffers;
	/* what a user of CEE has said, until it says that it is all */
	struct {
		u8 prio_pg[CXR_PRIOS], pg_bw[CXR_PRIOS];
		u8 pfc;
		bool pfc_on;
	} cee;
};

/* dcb.c */
#ifdef CONFIG_DCB
/* Stage: gives the netdev its operations, and after a reset the port what was set before it. */
int cxr_en_dcb_up(void *owner);
/* The DSCPs that the port trusts, in the table of the kernel; of a registered netdev. */
void cxr_en_dcb_add_apps(struct cxr_en *en);
/* Operations that CEE shares, see dcbnl.h; RTNL held. */
int cxr_en_get_ets(struct net_device *ndev, struct ieee_ets *ets);
int cxr_en_set_ets(struct net_device *ndev, struct ieee_ets *ets);
int cxr_en_get_pfc(struct net_device *ndev, struct ieee_pfc *pfc);
int cxr_en_set_pfc(struct net_device *ndev, struct ieee_pfc *pfc);
#else
static inline int cxr_en_dcb_up(void *owner)
{
	return 0;
}

static inline void cxr_en_dcb_add_apps(struct cxr_en *en)
{
}
#endif

/* dcb_cee.c: operations of CEE, see dcbnl.h */
u8 cxr_en_cee_getstate(struct net_device *ndev);
u8 cxr_en_cee_setall(struct net_device *ndev);
void cxr_en_cee_getpermhwaddr(struct net_device *ndev, u8 *addr);
void cxr_en_cee_setpgtccfgtx(struct net_device *ndev, int prio, u8 type, u8 pg, u8 bw, u8 map);
void cxr_en_cee_setpgbwgcfgtx(struct net_device *ndev, int pg, u8 bw);
void cxr_en_cee_setpgtccfgrx(struct net_device *ndev, int prio, u8 type, u8 pg, u8 bw, u8 map);
void cxr_en_cee_setpgbwgcfgrx(struct net_device *ndev, int pg, u8 bw);
void cxr_en_cee_getpgtccfgtx(struct net_device *ndev, int prio, u8 *type, u8 *pg, u8 *bw, u8 *map);
void cxr_en_cee_getpgbwgcfgtx(struct net_device *ndev, int pg, u8 *bw);
void cxr_en_cee_setpfccfg(struct net_device *ndev, int prio, u8 setting);
void cxr_en_cee_getpfccfg(struct net_device *ndev, int prio, u8 *setting);
u8 cxr_en_cee_getcap(struct net_device *ndev, int id, u8 *cap);
int cxr_en_cee_getnumtcs(struct net_device *ndev, int id, u8 *num);
u8 cxr_en_cee_getpfcstate(struct net_device *ndev);
void cxr_en_cee_setpfcstate(struct net_device *ndev, u8 state);

#endif
