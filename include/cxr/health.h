/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* What devlink's health reporters are told, and tell people about the queues of the core. */
#ifndef CXR_HEALTH_H
#define CXR_HEALTH_H

#include "cxr/cxr.h"

struct devlink_health_reporter;

/*
 * What the device says of the CQ, for people: 0 while it is healthy, 9 and 10 after an overrun and
 * an access error. A command (cmd.h).
 */
int cxr_cq_query_status(struct cxr_core *core, const struct cxr_cq *cq, u8 *status);

/* The EQ of a completion vector, for people: number, consumer index, entries. */
struct cxr_comp_eq {
	u8 eqn;
	u32 ci, size;
};

/* @vector is valid, and the device is up. Any context. */
struct cxr_comp_eq cxr_comp_eq(const struct cxr_core *core, int vector);

/*
 * Tells @reporter of devlink, called @name, about a new error @why, and the log of @dev. devlink
 * then recovers, with @ctx, unless it must not. May sleep; takes the lock of the reporter's devlink
 * instance.
 */
void cxr_health_report(struct device *dev, struct devlink_health_reporter *reporter,
		       const char *name, const char *why, void *ctx);

#endif
