/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Does the emulator log exactly the violations, and mistakes of applications, that are expected? */
#ifndef CXEMU_WRONG_LOG_H
#define CXEMU_WRONG_LOG_H

#include <stdbool.h>

/* @log is the emulator's log, @say reports results. */
void wrong_open(const char *log, bool (*say)(bool ok, const char *fmt, ...));
/* For a device in this process, before it is created. */
void wrong_open_here(bool (*say)(bool ok, const char *fmt, ...));
void wrong_close(void);
void wrong_begin(void);	/* ignores what is in the log */
/* Since wrong_begin() exactly this violation was logged; or these, a line for each. */
void wrong_expect(const char *what, const char *text);
/* The same for mistakes of applications, which are no violations of the driver. */
void wrong_expect_application(const char *what, const char *text);

#endif
