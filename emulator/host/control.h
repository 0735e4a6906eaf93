/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The control socket: a line of words comes in, text comes out, ended by a line "ok" or "error:
 * ...".
 */
#ifndef CXEMU_CONTROL_H
#define CXEMU_CONTROL_H

#include "base/base.h"

int control_open(const char *path, struct cxdev **devs,
		 unsigned int n_devs); /* 0, or -errno with a message */
void control_close(void);
/* Whom the lines are about; control_open() does it too. */
void control_set_devs(struct cxdev **devs, unsigned int n_devs);
/* One line, which is cut up. 0, or -errno and a text with "error:" in @out. */
int control_line(char *line, FILE *out);
void control_status(FILE *out);

/* ---- the language of faults: fault_text.c ---- */

/* A line behind the word "fault". 0, or -EINVAL and why; "ok" is left to the caller. */
int fault_line(char *line, struct cxdev *const *devs, unsigned int n_devs, FILE *out);
void fault_usage(FILE *out);

#endif
