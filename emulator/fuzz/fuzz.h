/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * What the fuzz targets share: an input is read as a stream of small choices, so that every prefix
 * of it means something. One that takes more than INPUT_SECONDS of the processor's time, or more of
 * the host's memory than a function may, is a finding like a crash.
 */
#ifndef CXEMU_FUZZ_H
#define CXEMU_FUZZ_H

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "func/func.h"
#include "fuzz/target.h"

#define INPUT_SECONDS 5
#define INPUT_BUDGET (64ull << 20)

struct input {
	const uint8_t *at;
	size_t left;
};

static inline void input_late(int sig)
{
	static const char text[] = "fuzz: the input takes too long\n";

	(void)sig;
	if (write(2, text, sizeof(text) - 1) > 0)
		abort();
	_exit(1);
}

static inline void input_clock(unsigned int seconds)
{
	struct itimerval limit = { .it_value = { .tv_sec = seconds } };

	setitimer(ITIMER_PROF, &limit, NULL);
}

/* Every target begins and ends an input with these. */
static inline struct input input_begin(const uint8_t *data, size_t size)
{
	budget_bytes = INPUT_BUDGET;
	signal(SIGPROF, input_late);
	input_clock(INPUT_SECONDS);
	return (struct input){ data, size };
}

static inline int input_end(void)
{
	input_clock(0);
	return 0;
}

/* The next bytes; zeroes behind the end. */
static inline void input_bytes(struct input *in, void *to, size_t n)
{
	size_t have = n < in->left ? n : in->left;

	memcpy(to, in->at, have);
	memset((uint8_t *)to + have, 0, n - have);
	in->at += have;
	in->left -= have;
}

static inline uint8_t input_u8(struct input *in)
{
	uint8_t value;

	input_bytes(in, &value, 1);
	return value;
}

static inline uint16_t input_u16(struct input *in)
{
	uint16_t value;

	input_bytes(in, &value, 2);
	return value;
}

/* A number of 64 bits that is likely to be near where arithmetic goes wrong. */
static inline uint64_t input_number(struct input *in)
{
	uint8_t shift = input_u8(in);
	int8_t more = input_u8(in);

	return (shift & 64 ? 0 : 1ull << (shift & 63)) + (int64_t)more;
}

#endif
