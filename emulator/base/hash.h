/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * hash: of values that guests choose. It depends on a secret of the process, so that no guest can
 * have all its values in one place. The order of what is hashed must not be seen from outside: runs
 * would not be repeatable.
 */
#ifndef CXEMU_HASH_H
#define CXEMU_HASH_H

#include <stdint.h>

/* The hash of what @hash is the hash of (0: nothing) and @word; all its bits are good. */
uint64_t hash_mix(uint64_t hash, uint64_t word);

#endif
