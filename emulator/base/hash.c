// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <stdlib.h>
#include <sys/random.h>

#include "base/hash.h"

uint64_t hash_secret[2];

static void __attribute__((constructor)) get_secret(void)
{
	if (getrandom(hash_secret, sizeof(hash_secret), 0) != sizeof(hash_secret))
		abort();	/* it cannot fail for so few bytes */
	hash_secret[1] |= 1;
}
