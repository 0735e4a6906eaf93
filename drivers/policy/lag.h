/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Decides whether the two ports of a card are one RDMA device, which port its QPs use, and what the
 * driver has to do.
 *
 * void * pointers identify objects of the caller: they are compared and returned, not dereferenced.
 */
#ifndef CXR_POLICY_LAG_H
#define CXR_POLICY_LAG_H

#include <linux/types.h>

#define CXR_LAG_PORTS 2

/* Transmit mode of a bond. */
enum cxr_lag_tx {
	CXR_LAG_TX_OTHER,		/* round robin, broadcast, adaptive: no RoCE LAG */
	CXR_LAG_TX_ACTIVE_BACKUP,	/* mode 1 */
	CXR_LAG_TX_HASH,		/* modes 2 and 4 */
	CXR_LAG_TX_HASH_FLOW,		/* the same, and the hash includes L4 ports */
};

struct cxr_lag_port {
	bool driver;		/* the function is bound and has not failed */
	bool roce;		/* RoCE was granted */
	bool allowed;		/* roce_lag_enable */
	bool vfs;		/* virtual functions are enabled */
	void *netdev;		/* NULL: none */
	u8 mac[6];		/* of the netdev */
	bool init_net;		/* the netdev is in the initial network namespace */
	u32 bond;		/* ifindex of the bond that the netdev is a slave of, 0: none */
	bool link;
	bool tx_enabled;	/* the bond sends on this slave */
};

/* The interface named by roce_lag_ecmp_dev. */
struct cxr_ecmp_parent {
	bool found;		/* exists in the initial network namespace */
	bool port;		/* is a port of the card itself */
	bool ethernet;		/* has Ethernet addresses and is not a loopback */
	bool another;		/* the card already has another parent */
};

/* Snapshot of all inputs. */
struct cxr_lag_in {
	struct cxr_lag_port port[CXR_LAG_PORTS];
	bool hashes;		/* the card supports hash mode */
	u16 addresses;		/* entries of the device's RoCE address table */
	bool ecmp;		/* ECMP LAG: the parent is used instead of a bond */
	void *upper;		/* the bond of both ports, or the parent; NULL: none */
	/* bond */
	enum cxr_lag_tx tx;
	unsigned int foreign;	/* slaves that are not ports of this card */
	/* ECMP LAG only */
	struct cxr_ecmp_parent parent;
};

enum cxr_lag_mode {
	CXR_LAG_OFF,
	CXR_LAG_ACTIVE_BACKUP,	/* all QPs on the active slave */
	CXR_LAG_SPREAD,		/* QPs on both ports in turn */
	CXR_LAG_HASH,		/* packets on both ports by a hash of addresses and L4 ports */
	CXR_LAG_ECMP,		/* QPs on both ports in turn, without a bond (ecmp.h) */
};

enum cxr_lag_why {
	CXR_LAG_WHY_NONE,	/* LAG is possible; 0, so that checks can be chained by ?: */
	CXR_LAG_WHY_DRIVER,
	CXR_LAG_WHY_ROCE,
	CXR_LAG_WHY_DISABLED,
	CXR_LAG_WHY_VFS,
	CXR_LAG_WHY_NETDEV,
	CXR_LAG_WHY_NETNS,
	CXR_LAG_WHY_NOT_IN_BOND,
	CXR_LAG_WHY_DIFFERENT_BONDS,
	CXR_LAG_WHY_FOREIGN,
	CXR_LAG_WHY_TX,
	CXR_LAG_WHY_REFUSED,
	CXR_LAG_WHY_PORT_IN_BOND,	/* from here on ECMP LAG only */
	CXR_LAG_WHY_TABLE,
	CXR_LAG_WHY_PARENT,
	CXR_LAG_WHY_PARENT_PORT,
	CXR_LAG_WHY_PARENT_TYPE,
	CXR_LAG_WHY_PARENT_OTHER,
	CXR_LAG_WHYS
};

/* Ports are numbered from 1. */
struct cxr_lag_out {
	enum cxr_lag_mode mode;
	enum cxr_lag_why why;		/* why mode is off */
	u8 map[CXR_LAG_PORTS];		/* physical port for affinity, or hash, 1 and 2 */
	u8 active;			/* port of the active slave, else 1; 0: off */
};

/* Current state. */
struct cxr_lag_state {
	struct cxr_lag_out now;
	const struct cxr_lag_in *refused;	/* input that the device refused last, or NULL */
	/* while there is a LAG */
	const void *upper;			/* its bond or parent */
	const void *netdev;			/* netdev of the port of its RDMA device */
	const u8 (*mac)[6];			/* source MACs of QPs assigned to port 1, 2 */
};

enum cxr_lag_action {
	CXR_LAG_KEEP,		/* change nothing, with or without a LAG */
	CXR_LAG_REMAP,		/* keep the LAG; change ports, MACs or the netdev */
	CXR_LAG_LEAVE,		/* leave the LAG, and take another step */
	CXR_LAG_ENTER,		/* there is no LAG: enter one */
};

struct cxr_lag_step {
	enum cxr_lag_action action;
	struct cxr_lag_out out;			/* new state, or why there is no LAG */
	void *netdev;				/* as in struct cxr_lag_state */
	u8 mac[CXR_LAG_PORTS][6];		/* as in struct cxr_lag_state */
	bool refused;		/* the device refused the same input before; else it may be tried */
	bool supersedes;	/* the refusal of the last write to roce_lag_ecmp_dev is obsolete */
	bool tell;		/* log the reason: ports are in a bond, or a parent is set */
};

/* The next action. Repeat after CXR_LAG_LEAVE. */
struct cxr_lag_step cxr_lag_step(const struct cxr_lag_in *in, const struct cxr_lag_state *state);

/* @refused: the device refused this input before. @last: last active port, 0: none. */
struct cxr_lag_out cxr_lag_decide(const struct cxr_lag_in *in, bool refused, u8 last);
/* Conditions of any LAG on the functions, and on their netdevs. */
enum cxr_lag_why cxr_lag_check_functions(const struct cxr_lag_in *in);
enum cxr_lag_why cxr_lag_check_netdevs(const struct cxr_lag_in *in);
const char *cxr_lag_mode_name(enum cxr_lag_mode mode);
const char *cxr_lag_why_text(enum cxr_lag_why why);

#endif
