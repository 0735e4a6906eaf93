/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The control socket: a line of words comes in, text comes out, ended by a line "ok" or "error:
 * ...".
 */
#ifndef CXEMU_CONTROL_H
#define CXEMU_CONTROL_H

#include "device.h"

int control_open(const char *path, struct cxdev **devs,
		 unsigned int n_devs); /* 0, or -errno with a message */
void control_close(void);
void control_status(FILE *out);

#endif
