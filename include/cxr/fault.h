/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* On-demand paging: page faults of the device, which cxr_ib resolves (drivers/ib/odp.c). */
#ifndef CXR_FAULT_H
#define CXR_FAULT_H

#include "cxr/cxr.h"
#include "../../drivers/codec/fault.h"

struct prm_eqe;

/**
 * cxr_faults_start() - create the EQ of page faults
 * @core: the device, which has caps.odp
 * @take: takes an event, in interrupt context; false: it cannot now, and cxr_faults_poll() will
 *        be called
 * @priv: its first argument
 *
 * May sleep. 0, -ENOMEM, or the command's error.
 */
int cxr_faults_start(struct cxr_core *core, bool (*take)(void *priv, const struct prm_eqe *eqe),
		     void *priv);
/* @take is not called any more. May sleep. */
void cxr_faults_stop(struct cxr_core *core);
/* Takes events that were left, and does nothing without the EQ. May sleep. */
void cxr_faults_poll(struct cxr_core *core);

/*
 * PAGE_FAULT_RESUME: the memory is there, or with @error will not be. A refusal is not logged: the
 * queue may be gone. As a command (cmd.h).
 */
int cxr_cmd_resume_fault(struct cxr_core *core, const struct cxr_fault *fault, bool error);
/*
 * QUERY_MKEY of one that refers to parts of others: the first @n of them, and *start, the address
 * of the first byte. As a command (cmd.h).
 */
int cxr_cmd_query_mkey_parts(struct cxr_core *core, u32 mkey, u64 *start, u32 n,
			     struct cxr_fault_range *parts);
/*
 * The device may use memory that is no longer there, and cannot be told: it fails (state.c). Any
 * context.
 */
void cxr_faults_fail(struct cxr_core *core);

#endif
