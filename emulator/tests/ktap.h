/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Results in KTAP. A sentence is a test's name: it is unique in its program and the same in every
 * run, without addresses, times, seeds or measured values (those are comments before the result).
 * scripts/ktap-check checks both.
 */
#ifndef CXEMU_KTAP_H
#define CXEMU_KTAP_H

#include <stdarg.h>
#include <stdbool.h>

void ktap_plan(unsigned int n);	/* 0: as many as there will be */
/* One result line; returns @ok. */
bool ktap(bool ok, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool vktap(bool ok, const char *fmt, va_list ap);
void ktap_skip(const char *sentence, const char *why);
double cpu_seconds(void);	/* that the process has used */
int ktap_end(void);	/* prints the totals; the exit status */

#endif
