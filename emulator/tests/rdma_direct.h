/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Random programs of verbs, whose outcome must not depend on the way that packets take: in frames,
 * or the direct way.
 */
#ifndef CXEMU_TEST_RDMA_DIRECT_H
#define CXEMU_TEST_RDMA_DIRECT_H

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

/* Packets that the two functions have sent, and how many of them directly. */
struct direct_sent {
	uint64_t packets, direct;
};

struct direct_sent packets_sent(void);

/*
 * Runs the program that the bytes say once each way. False: completions, events, memory, states,
 * or counters differ; the first line that does is printed as a comment.
 */
bool direct_same(const uint8_t *program, size_t size, struct direct_sent *sent);

#endif
