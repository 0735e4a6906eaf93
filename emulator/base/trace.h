/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The side of trace.c that the device proper does not need: where lines go, what is shown at the
 * end.
 */
#ifndef CXEMU_TRACE_H
#define CXEMU_TRACE_H

#include "base/device.h"

enum trace_level { TRACE_QUIET, TRACE_INFO, TRACE_DEBUG };

/* Violations are always logged; notice() from TRACE_INFO on, trace() from TRACE_DEBUG on. */
extern enum trace_level trace_level;

void trace_to(FILE *out);	/* NULL: nowhere */
void vviolation(struct cxdev *dev, const char *prefix, const char *fmt, va_list ap);
uint64_t violations_total(void);
void violations_print(FILE *out);

#endif
