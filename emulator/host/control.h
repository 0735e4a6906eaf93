/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The control socket: a request is one line of words, the reply is text that ends with a line "ok"
 * or "error: ...".
 */
#ifndef CXEMU_CONTROL_H
#define CXEMU_CONTROL_H

#include "base/base.h"

int control_open(const char *path, struct cxdev **devs,
		 unsigned int n_devs); /* 0, or -errno with a message */
void control_close(void);
/* The functions that requests can name; control_open() sets them, too. */
void control_set_devs(struct cxdev **devs, unsigned int n_devs);
/* Runs one line, which is modified. 0, or -errno and "error: ..." in @out. */
int control_line(char *line, FILE *out);
void control_status(FILE *out);

/* ---- what the administrator of a PF sets for its VFs: control_vf.c ---- */

/* Runs the words after "vf". 0, or -EINVAL and "error: ...". */
int vf_line(char *line, struct cxdev *const *devs, unsigned int n_devs, FILE *out);
void vf_usage(FILE *out);

/* ---- the rule language of faults: fault_text.c ---- */

/* Runs the words after "fault". 0, or -EINVAL and why; the caller prints "ok". */
int fault_line(char *line, struct cxdev *const *devs, unsigned int n_devs, FILE *out);
void fault_usage(FILE *out);

#endif
