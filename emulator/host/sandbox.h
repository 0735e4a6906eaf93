/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * What the process gives up once it is open to guests: its privileges, and system calls that it
 * does not need any more. Who breaks out of the device by a fault in it has little to work with.
 */
#ifndef CXEMU_SANDBOX_H
#define CXEMU_SANDBOX_H

#include <stdbool.h>
#include <sys/types.h>

/* USER[:GROUP], by name or number; else the user's own group. NULL, or what is wrong. */
const char *sandbox_set_user(const char *text);
/* "on", or "off": all system calls. NULL, or what is wrong. */
const char *sandbox_set_calls(const char *text);
/*
 * Becomes that user, and leaves the calls that serving takes: on what is open, and on files that it
 * may write, for captures, but no others to read, and no new programs, processes, and sockets.
 * Another call ends the process (SIGSYS). 0, or -errno with a message printed.
 */
int sandbox_enter(void);
/* The process ends (SIGKILL) with @parent, which has made it. */
void sandbox_end_with(pid_t parent);

#endif
