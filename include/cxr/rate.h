/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Packet pacing: rates in the table of the device (core/cmd_rate.c). All functions sleep. */
#ifndef CXR_RATE_H
#define CXR_RATE_H

#include "../../drivers/policy/rate.h"

struct cxr_core;

/*
 * Sets @rate in the device, if it is not there yet, and counts its user. @index is for
 * cxr_cmd_set_sq_rate(). -EOPNOTSUPP, -EINVAL: the device cannot do it, and the log says why;
 * -ENOSPC: the table is full.
 */
int cxr_rate_get(struct cxr_core *core, const struct cxr_rate *rate, u16 *index);
/*
 * The same for a rate that a program gives, in the device's format; @uid: for queues of this user
 * context alone, and not shared with others who have the same rate; 0: for all.
 */
int cxr_rate_get_raw(struct cxr_core *core, const u8 raw[CXR_RATE_BYTES], u16 uid, u16 *index);
void cxr_rate_put(struct cxr_core *core, u16 index);

#endif
