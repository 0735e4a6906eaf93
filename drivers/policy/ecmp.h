/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Decides whether a card is one RDMA device without a bond, and who uses which half of its GIDs. */
#ifndef CXR_POLICY_ECMP_H
#define CXR_POLICY_ECMP_H

#include <linux/types.h>
#include "lag.h"

/* The interface that roce_lag_ecmp_dev names, as it is found. */
struct cxr_ecmp_parent {
	bool found;		/* in the initial network namespace */
	bool port;		/* it is a port of the card itself */
	bool ethernet;		/* it has Ethernet addresses and is no loopback */
	bool another;		/* the card has another one already */
};

/* All that counts at one moment; of the ports tx_enabled does not. */
struct cxr_ecmp_in {
	struct cxr_lag_port port[CXR_LAG_PORTS];
	struct cxr_ecmp_parent parent;
	u16 addresses;		/* entries of the device's RoCE address table */
	bool refused;		/* the device refused to enter, and nothing has changed since */
};

struct cxr_lag_out cxr_ecmp_decide(const struct cxr_ecmp_in *in);
int cxr_ecmp_errno(enum cxr_lag_why why);

/*
 * The address table has each GID twice, for the QPs of either port: at its index, and this far
 * behind it. What is called port here is what a QP is assigned to, wherever the map leads.
 */
u16 cxr_ecmp_half(u16 addresses);
u16 cxr_ecmp_index(u16 index, u8 port, u16 half);
u16 cxr_ecmp_fold(u16 index, u16 half);
u8 cxr_ecmp_port(bool connected, u32 turn);
bool cxr_ecmp_macs_first(const u8 map[CXR_LAG_PORTS]);

#endif
