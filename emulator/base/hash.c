// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <stdlib.h>
#include <sys/random.h>

#include "base/hash.h"

static uint64_t secret[2];

static void get_secret(void)
{
	if (getrandom(secret, sizeof(secret), 0) != sizeof(secret))
		abort();	/* it cannot fail for so few bytes */
	secret[1] |= 1;
}

/* Both halves of a product with an unknown factor. */
uint64_t hash_mix(uint64_t hash, uint64_t word)
{
	unsigned __int128 product;

	if (!secret[1])
		get_secret();
	product = (unsigned __int128)(hash ^ word ^ secret[0]) * secret[1];
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}
