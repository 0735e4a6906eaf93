/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * hash: of values that guests choose. It depends on a secret of the process, so that no guest can
 * have all its values in one place. The order of what is hashed must not be seen from outside: runs
 * would not be repeatable.
 */
#ifndef CXEMU_HASH_H
#define CXEMU_HASH_H

#include <stdint.h>

extern uint64_t hash_secret[2];

/*
 * The hash of what @hash is the hash of (0: nothing) and @word; all its bits are good: both halves
 * of a product with an unknown factor.
 */
static inline uint64_t hash_mix(uint64_t hash, uint64_t word)
{
	unsigned __int128 product =
		(unsigned __int128)(hash ^ word ^ hash_secret[0]) * hash_secret[1];

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

#endif
