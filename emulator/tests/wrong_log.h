/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* What the emulator says of a driver that does something wrong: exactly what was expected? */
#ifndef CXEMU_WRONG_LOG_H
#define CXEMU_WRONG_LOG_H

#include <stdbool.h>

/* Where the emulator's log is, and how results are told. */
void wrong_open(const char *log, bool (*say)(bool ok, const char *fmt, ...));
/* The device is in this process; before it is made. */
void wrong_open_here(bool (*say)(bool ok, const char *fmt, ...));
void wrong_close(void);
void wrong_begin(void);	/* what is in the log is not looked at */
/* What was done since then got exactly this violation; or these, a line for each. */
void wrong_expect(const char *what, const char *text);

#endif
