/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Decides about ECMP LAG, and about the halves of the address table that QPs use in it. */
#ifndef CXR_POLICY_ECMP_H
#define CXR_POLICY_ECMP_H

#include <linux/types.h>
#include "lag.h"

/* @refused: the device refused this input before. tx_enabled of the ports is ignored. */
struct cxr_lag_out cxr_ecmp_decide(const struct cxr_lag_in *in, bool refused);
/* The errno of a write to roce_lag_ecmp_dev that is refused for this reason. */
int cxr_ecmp_errno(enum cxr_lag_why why);

/*
 * The address table has each GID twice, for QPs of port 1 at its index, for QPs of port 2 half a
 * table behind it; of a table with more entries than an address path can name, half of those that
 * it can. The port is the one that a QP is assigned to, independent of the map.
 */
u16 cxr_ecmp_half(u16 addresses);
/* The index that QPs of @port use for GID @index. */
u16 cxr_ecmp_index(u16 index, u8 port, u16 half);
/* The GID index of an index of the device's table. */
u16 cxr_ecmp_primary_index(u16 index, u16 half);
/*
 * The port of a new QP: in turn for connected QPs. UD packets have the address of their address
 * handle, which is independent of the QP: all of them use port 1 and the first half.
 */
u8 cxr_ecmp_port(bool connected, u32 turn);
/*
 * Whether the MACs are changed before the map. In between a MAC is seen at the other port. When a
 * port fails that is harmless, and the map is urgent. When it is back, its MAC has to be set before
 * its traffic returns, so that a switch never learns the MAC of the other port there.
 */
bool cxr_ecmp_macs_first(const u8 map[CXR_LAG_PORTS]);

#endif
