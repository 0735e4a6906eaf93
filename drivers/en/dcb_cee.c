// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The older interface of DCB, of Converged Enhanced Ethernet, which lldpad uses with switches that
 * do not know IEEE 802.1Qaz. Values are collected, and take effect all at once. RTNL is held.
 *
 * Priority groups are the traffic classes, and all of them share by their bandwidth. The in-tree
 * driver lacks the operations for receiving, without which the kernel calls none of the groups'.
 */
#include <net/dcbnl.h>
#include "en.h"

enum { CEE_DOWN, CEE_UP };	/* u8 of getstate and getpfcstate */
enum { CEE_APPLIED, CEE_FAILED };	/* u8 of setall; classes may be set, and PFC not */

u8 cxr_en_cee_getstate(struct net_device *ndev)
{
	return CEE_UP;
}

u8 cxr_en_cee_setall(struct net_device *ndev)
{
	struct cxr_en *en = netdev_priv(ndev);
	struct ieee_ets ets = {};
	struct ieee_pfc pfc = {};
	unsigned int i;

	for (i = 0; i < CXR_PRIOS; i++) {
		ets.tc_tsa[i] = IEEE_8021QAZ_TSA_ETS;
		ets.tc_tx_bw[i] = en->dcb.cee.pg_bw[i];
		ets.prio_tc[i] = en->dcb.cee.prio_pg[i];
	}
	if (cxr_en_set_ets(ndev, &ets))
		return CEE_FAILED;

	pfc.pfc_en = en->dcb.cee.pfc_on ? en->dcb.cee.pfc : 0;
	return cxr_en_set_pfc(ndev, &pfc) ? CEE_FAILED : CEE_APPLIED;
}

void cxr_en_cee_getpermhwaddr(struct net_device *ndev, u8 *addr)
{
	struct cxr_en *en = netdev_priv(ndev);

	memset(addr, 0xff, MAX_ADDR_LEN);
	ether_addr_copy(addr, en->core->port.mac);
}

void cxr_en_cee_setpgtccfgtx(struct net_device *ndev, int prio, u8 type, u8 pg, u8 bw, u8 map)
{
	struct cxr_en *en = netdev_priv(ndev);

	if (prio < 0 || prio >= CXR_PRIOS || pg >= CXR_TCS)
		netdev_err(ndev, "DCB: there is no priority %d, or no priority group %u\n", prio,
			   pg);
	else
		en->dcb.cee.prio_pg[prio] = pg;
}

void cxr_en_cee_setpgbwgcfgtx(struct net_device *ndev, int pg, u8 bw)
{
	struct cxr_en *en = netdev_priv(ndev);

	if (pg < 0 || pg >= CXR_TCS)
		netdev_err(ndev, "DCB: there is no priority group %d\n", pg);
	else
		en->dcb.cee.pg_bw[pg] = bw;
}

/* The kernel wants these to get at the others, but the port schedules only what it sends. */
void cxr_en_cee_setpgtccfgrx(struct net_device *ndev, int prio, u8 type, u8 pg, u8 bw, u8 map)
{
}

void cxr_en_cee_setpgbwgcfgrx(struct net_device *ndev, int pg, u8 bw)
{
}

void cxr_en_cee_getpgtccfgtx(struct net_device *ndev, int prio, u8 *type, u8 *pg, u8 *bw, u8 *map)
{
	struct ieee_ets ets = {};

	*type = 0;
	*bw = 0;
	*map = 0;
	*pg = 0;
	if (prio >= 0 && prio < CXR_PRIOS && !cxr_en_get_ets(ndev, &ets))
		*pg = ets.prio_tc[prio];
}

void cxr_en_cee_getpgbwgcfgtx(struct net_device *ndev, int pg, u8 *bw)
{
	struct ieee_ets ets = {};

	*bw = 0;
	if (pg >= 0 && pg < CXR_TCS && !cxr_en_get_ets(ndev, &ets))
		*bw = ets.tc_tx_bw[pg];
}

void cxr_en_cee_setpfccfg(struct net_device *ndev, int prio, u8 setting)
{
	struct cxr_en *en = netdev_priv(ndev);

	if (prio < 0 || prio >= CXR_PRIOS || setting > 1)
		netdev_err(ndev, "DCB: there is no priority %d, or no setting %u of it\n", prio,
			   setting);
	else if (setting)
		en->dcb.cee.pfc |= BIT(prio);
	else
		en->dcb.cee.pfc &= ~BIT(prio);
}

void cxr_en_cee_getpfccfg(struct net_device *ndev, int prio, u8 *setting)
{
	struct ieee_pfc pfc = {};

	*setting = prio >= 0 && prio < CXR_PRIOS && !cxr_en_get_pfc(ndev, &pfc) &&
		   pfc.pfc_en & BIT(prio);
}

/* 1: there is no such capability. */
u8 cxr_en_cee_getcap(struct net_device *ndev, int id, u8 *cap)
{
	struct cxr_en *en = netdev_priv(ndev);

	switch (id) {
	case DCB_CAP_ATTR_PG:
	case DCB_CAP_ATTR_PFC:
		*cap = true;
		return 0;
	case DCB_CAP_ATTR_UP2TC:
	case DCB_CAP_ATTR_GSP:
	case DCB_CAP_ATTR_BCN:
		*cap = false;
		return 0;
	case DCB_CAP_ATTR_PG_TCS:
	case DCB_CAP_ATTR_PFC_TCS:
		*cap = 1 << (en->core->caps.n_tcs - 1);
		return 0;
	case DCB_CAP_ATTR_DCBX:
		*cap = en->dcb.dcbx | DCB_CAP_DCBX_VER_CEE | DCB_CAP_DCBX_VER_IEEE;
		return 0;
	default:
		*cap = 0;
		return 1;
	}
}

int cxr_en_cee_getnumtcs(struct net_device *ndev, int id, u8 *num)
{
	struct cxr_en *en = netdev_priv(ndev);

	if (id != DCB_NUMTCS_ATTR_PG && id != DCB_NUMTCS_ATTR_PFC)
		return -EINVAL;
	*num = en->core->caps.n_tcs;
	return 0;
}

u8 cxr_en_cee_getpfcstate(struct net_device *ndev)
{
	struct ieee_pfc pfc = {};

	return !cxr_en_get_pfc(ndev, &pfc) && pfc.pfc_en ? CEE_UP : CEE_DOWN;
}

void cxr_en_cee_setpfcstate(struct net_device *ndev, u8 state)
{
	struct cxr_en *en = netdev_priv(ndev);

	if (state == CEE_UP || state == CEE_DOWN)
		en->dcb.cee.pfc_on = state;
}
