/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Decides whether the two ports of a card are one RDMA device, which port its QPs use, and what has
 * to be done about it.
 *
 * A void * is whose it is: it is compared and handed back, and not followed.
 */
#ifndef CXR_POLICY_LAG_H
#define CXR_POLICY_LAG_H

#include <linux/types.h>

#define CXR_LAG_PORTS 2

/* How a bond spreads what it sends. */
enum cxr_lag_tx {
	CXR_LAG_TX_OTHER,		/* round robin, broadcast, adaptive: not for RoCE */
	CXR_LAG_TX_ACTIVE_BACKUP,	/* mode 1 */
	CXR_LAG_TX_HASH,		/* modes 2 and 4 */
	CXR_LAG_TX_HASH_FLOW,		/* the same, and the hash tells connections apart */
};

struct cxr_lag_port {
	bool driver;		/* the function is ours and works */
	bool roce;		/* its mode grants RoCE */
	bool allowed;		/* roce_lag_enable */
	void *netdev;		/* NULL: none */
	u8 mac[6];		/* of the netdev */
	bool init_net;		/* the netdev is in the initial network namespace */
	u32 bond;		/* which bond the netdev is a slave of, 0: none */
	bool link;
	bool tx_enabled;	/* the bond sends on this slave */
};

/* The interface that roce_lag_ecmp_dev names, as it is found. */
struct cxr_ecmp_parent {
	bool found;		/* in the initial network namespace */
	bool port;		/* it is a port of the card itself */
	bool ethernet;		/* it has Ethernet addresses and is no loopback */
	bool another;		/* the card has another one already */
};

/* All that counts at one moment. */
struct cxr_lag_in {
	struct cxr_lag_port port[CXR_LAG_PORTS];
	bool hashes;		/* the card can choose the port of each packet by a hash */
	u16 addresses;		/* entries of the device's RoCE address table */
	bool ecmp;		/* a parent is named, and stands for the card instead of a bond */
	void *upper;		/* the bond that both ports are in, or the parent; NULL: none */
	/* of the bond */
	enum cxr_lag_tx tx;
	unsigned int foreign;	/* slaves that are not ports of this card */
	/* of an ECMP LAG alone */
	struct cxr_ecmp_parent parent;
};

enum cxr_lag_mode {
	CXR_LAG_OFF,
	CXR_LAG_ACTIVE_BACKUP,	/* all QPs on the active slave */
	CXR_LAG_SPREAD,		/* QPs on both ports in turn */
	CXR_LAG_HASH,		/* packets on both ports by a hash of their addresses and ports */
	CXR_LAG_ECMP,		/* the same without a bond, with the MAC of the port (ecmp.h) */
};

enum cxr_lag_why {
	CXR_LAG_WHY_NONE,	/* in LAG; 0, so that conditions can be asked one after the other */
	CXR_LAG_WHY_DRIVER,
	CXR_LAG_WHY_ROCE,
	CXR_LAG_WHY_DISABLED,
	CXR_LAG_WHY_NETDEV,
	CXR_LAG_WHY_NETNS,
	CXR_LAG_WHY_NOT_IN_BOND,
	CXR_LAG_WHY_DIFFERENT_BONDS,
	CXR_LAG_WHY_FOREIGN,
	CXR_LAG_WHY_TX,
	CXR_LAG_WHY_REFUSED,
	CXR_LAG_WHY_PORT_IN_BOND,	/* from here on: of ECMP LAG only */
	CXR_LAG_WHY_TABLE,
	CXR_LAG_WHY_PARENT,
	CXR_LAG_WHY_PARENT_PORT,
	CXR_LAG_WHY_PARENT_TYPE,
	CXR_LAG_WHY_PARENT_OTHER,
	CXR_LAG_WHYS
};

/* Ports count from 1, as the device counts them. */
struct cxr_lag_out {
	enum cxr_lag_mode mode;
	enum cxr_lag_why why;		/* mode is off because */
	u8 map[CXR_LAG_PORTS];		/* physical port of what has affinity, or hash, 1, 2 */
	u8 active;			/* port whose netdev stands for the device; 0: off */
};

/* What stands. */
struct cxr_lag_state {
	struct cxr_lag_out now;
	const struct cxr_lag_in *refused;	/* what the device refused last; NULL: nothing */
	/* of the LAG, if there is one */
	const void *upper;			/* what it is over */
	const void *netdev;			/* what its device takes for the port's netdev */
	const u8 (*mac)[6];			/* source MACs of what is assigned to port 1, 2 */
};

enum cxr_lag_action {
	CXR_LAG_KEEP,		/* what stands, or that there is no LAG */
	CXR_LAG_REMAP,		/* the LAG stays; ports, MACs or the netdev change */
	CXR_LAG_LEAVE,		/* the LAG goes; then another step says whether a LAG comes */
	CXR_LAG_ENTER,		/* a LAG comes; there is none */
};

struct cxr_lag_step {
	enum cxr_lag_action action;
	struct cxr_lag_out out;			/* what shall be, or the reason */
	void *netdev;				/* of the LAG, as in struct cxr_lag_state */
	u8 mac[CXR_LAG_PORTS][6];		/* the same */
	bool refused;		/* the device refused just this; else it may be asked again */
	bool supersedes;	/* why a write to roce_lag_ecmp_dev was refused counts no more */
	bool tell;		/* who bonded ports or named a parent should know the reason */
};

/* What to do, until it is CXR_LAG_KEEP or was done and was not CXR_LAG_LEAVE. */
struct cxr_lag_step cxr_lag_step(const struct cxr_lag_in *in, const struct cxr_lag_state *state);

/* @refused: by the device, just this. @last: port that stood for the device last, 0: none. */
struct cxr_lag_out cxr_lag_decide(const struct cxr_lag_in *in, bool refused, u8 last);
/* Conditions of any LAG: on the functions, and on their netdevs. */
enum cxr_lag_why cxr_lag_check_functions(const struct cxr_lag_in *in);
enum cxr_lag_why cxr_lag_check_netdevs(const struct cxr_lag_in *in);
const char *cxr_lag_mode_name(enum cxr_lag_mode mode);
const char *cxr_lag_why_text(enum cxr_lag_why why);

#endif
