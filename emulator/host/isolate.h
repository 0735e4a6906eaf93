/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * --isolate: a process for each adapter, which serves its functions alone, and one that is the
 * switch between them, with the other wires and the captures. What a guest can do to the process of
 * its adapter, end it even, the others do not feel.
 */
#ifndef CXEMU_ISOLATE_H
#define CXEMU_ISOLATE_H

#include <json-c/json.h>
#include <stdio.h>

#define EXIT_VIOLATIONS 3	/* beside those of stdlib.h */
#define ISOLATE_JOINTS 2	/* ports that an adapter can have to the wire */

/*
 * Makes the process of the adapter called @name, for @n of its ports, which the switch will call
 * @ports. In the new process 1, with the ends of its joints at @fds, see uplink_join(); in that of
 * the switch 0; or -errno.
 */
int isolate_fork(const char *name, const char *const *ports, unsigned int n, int *fds);
/*
 * For the switch, when all are made: waits until they are open to guests, and makes their ports.
 * 0; -ECHILD: one is not, and a message is printed; or -errno.
 */
int isolate_join(void);
/* On SIGCHLD, and when all have joined. The loop stops when none is left. */
void isolate_reap(void);
/*
 * After uplinks_close(), which ends them: waits for them. The worst exit status of all; one that
 * has ended before is a failure.
 */
int isolate_finish(void);
void isolate_status(FILE *out);
void isolate_json(struct json_object *to);	/* nothing without --isolate */

#endif
