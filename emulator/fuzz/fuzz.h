/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * What the fuzz targets share: an input is read as a stream of small choices, so that every prefix
 * of it means something.
 */
#ifndef CXEMU_FUZZ_H
#define CXEMU_FUZZ_H

#include <stdint.h>
#include <string.h>

struct input {
	const uint8_t *at;
	size_t left;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

#endif
