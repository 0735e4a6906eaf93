/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Decides whether a card is one RDMA device without a bond, and who uses which half of its GIDs. */
#ifndef CXR_POLICY_ECMP_H
#define CXR_POLICY_ECMP_H

#include <linux/types.h>
#include "lag.h"

/* @refused: by the device, just this. The ports' tx_enabled does not count. */
struct cxr_lag_out cxr_ecmp_decide(const struct cxr_lag_in *in, bool refused);
/* What a write that is refused for this reason ends with. */
int cxr_ecmp_errno(enum cxr_lag_why why);

/*
 * The address table has each GID twice, for the QPs of either port: at its index, and this far
 * behind it. What is called port here is what a QP is assigned to, wherever the map leads.
 */
u16 cxr_ecmp_half(u16 addresses);
/* Where the QPs of a port find the GID with this index. */
u16 cxr_ecmp_index(u16 index, u8 port, u16 half);
/* The GID that an index of the device's table stands for. */
u16 cxr_ecmp_primary_index(u16 index, u16 half);
/*
 * Ports in turn, for QPs with an address of their own. A datagram has that of its address handle,
 * which knows no QP, and in user space no driver: all of them use port 1 and the first half.
 */
u8 cxr_ecmp_port(bool connected, u32 turn);
/*
 * What is told the device first, the map or the MACs? While one is new and the other old, a MAC is
 * seen at the other port. When a port fails that does no harm, and the map is what counts. When it
 * is back, its MAC comes before its traffic: a switch never learns the other one's there.
 */
bool cxr_ecmp_macs_first(const u8 map[CXR_LAG_PORTS]);

#endif
