/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The control socket. The server begins with the line CONTROL_GREETING. Then a client sends lines
 * of words, each of them a request, and reads text after each until a line "ok" or "error: ...".
 * After "capture -" it gets a capture instead, until either side ends the connection.
 *
 * CONTROL_PROTOCOL changes if a client that follows this, or a request, would not work any more.
 */
#ifndef CXEMU_CONTROL_H
#define CXEMU_CONTROL_H

#include "base/base.h"

#define CONTROL_PROTOCOL 1
#define CONTROL_TEXT_(n) #n
#define CONTROL_TEXT(n) CONTROL_TEXT_(n)
#define CONTROL_SPEAKS "control protocol " CONTROL_TEXT(CONTROL_PROTOCOL)
#define CONTROL_GREETING "cxemu " CXEMU_VERSION " " CONTROL_SPEAKS

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
