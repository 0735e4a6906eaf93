/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Decides whether the two ports of a card are one RDMA device, and which port its QPs use. */
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
	bool netdev;
	bool init_net;		/* the netdev is in the initial network namespace */
	u32 bond;		/* which bond the netdev is a slave of, 0: none */
	bool link;
	bool tx_enabled;	/* the bond sends on this slave */
};

/* All that counts at one moment. */
struct cxr_lag_in {
	struct cxr_lag_port port[CXR_LAG_PORTS];
	enum cxr_lag_tx tx;	/* of the bond */
	unsigned int foreign;	/* slaves of the bond that are not ports of this card */
	bool hashes;		/* the card can choose the port of each packet by a hash */
	bool refused;		/* the device refused to enter, and nothing has changed since */
	u8 last;		/* port that stood for the device last, 0: none */
};

enum cxr_lag_mode {
	CXR_LAG_OFF,
	CXR_LAG_ACTIVE_BACKUP,	/* all QPs on the active slave */
	CXR_LAG_SPREAD,		/* QPs on both ports in turn */
	CXR_LAG_HASH,		/* packets on both ports by a hash of their addresses and ports */
	CXR_LAG_ECMP,		/* the same without a bond, with the MAC of the port (ecmp.h) */
};

enum cxr_lag_why {
	CXR_LAG_WHY_NONE,	/* in LAG */
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

struct cxr_lag_out cxr_lag_decide(const struct cxr_lag_in *in);
const char *cxr_lag_mode_name(enum cxr_lag_mode mode);
const char *cxr_lag_why_text(enum cxr_lag_why why);

#endif
