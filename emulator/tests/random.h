/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* What tests with random inputs share; a test sets the state, which is not 0, from its seed. */
#ifndef CXEMU_RANDOM_H
#define CXEMU_RANDOM_H

#include <stdint.h>

static uint64_t rnd_state;

static inline uint32_t rnd(uint32_t n)
{
	rnd_state ^= rnd_state << 13;
	rnd_state ^= rnd_state >> 7;
	rnd_state ^= rnd_state << 17;
	return (rnd_state >> 16) % n;
}

/* Mostly single bits, so that many inputs pass the first checks. */
static inline void spoil(void *what, uint32_t len, unsigned int times)
{
	uint8_t *p = what;

	while (times--)
		p[rnd(len)] = rnd(3) ? 1u << rnd(8) : rnd(256);
}

#endif
