/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* fdb: which port a MAC address is behind. */
#ifndef CXEMU_FDB_H
#define CXEMU_FDB_H

#include "base/base.h"

struct port *fdb_lookup(const uint8_t *mac);	/* NULL: not known */
struct port *fdb_peek(const uint8_t *mac);	/* the same, without use of the address */
/*
 * A full set replaces the least recently used address. Returns the other port that loses one by it,
 * or NULL.
 */
struct port *fdb_learn(const uint8_t *mac, struct port *port);
void fdb_flush_port(const struct port *port);

#endif
