/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Registers of traffic classes and of the receive buffer. */
#ifndef CXR_CODEC_QOS_H
#define CXR_CODEC_QOS_H

#include <linux/types.h>
#include "prm/dcb.h"
#include "../policy/dcb.h"

/* What a write of QETCR changes; drivers of the vendor change one at a time. */
enum cxr_tc_field { CXR_TC_GROUP, CXR_TC_WEIGHT, CXR_TC_RATE };

/*
 * QETCR, of CXR_TCS classes. A rate is rounded down to a step of the device, but not to 0; -ERANGE:
 * it is above CXR_RATE_MAX.
 */
int cxr_tcs_encode(const struct cxr_tc *tcs, unsigned int n, enum cxr_tc_field field,
		   struct prm_qetc_reg *reg);
void cxr_tcs_decode(const struct prm_qetc_reg *reg, struct cxr_tc *tcs);

/* PBMC: all but b->prio_buffer; b->cell must be set. The encoder changes buffers of ports only. */
void cxr_buffers_decode(const struct prm_pbmc_reg *reg, struct cxr_buffers *b);
void cxr_buffers_encode(const struct cxr_buffers *b, struct prm_pbmc_reg *reg);
/* PPTB. */
u32 cxr_prio_buffers_encode(const u8 buffers[CXR_PRIOS]);
void cxr_prio_buffers_decode(u32 map, u8 buffers[CXR_PRIOS]);

#endif
