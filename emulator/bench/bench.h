/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* What the benchmarks of the device by itself share. */
#ifndef CXEMU_BENCH_H
#define CXEMU_BENCH_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline double cpu_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* MiB/s of memcpy of @bytes, @rounds times over as many @places. */
static inline double copy_rate(unsigned int places, size_t bytes, unsigned int rounds)
{
	uint8_t *from = malloc(places * bytes), *to = malloc(places * bytes);
	volatile uint8_t sink;
	unsigned int i;
	double t;

	memset(from, 1, places * bytes);
	memset(to, 2, places * bytes);
	t = cpu_seconds();
	for (i = 0; i < rounds; i++) {
		memcpy(to + i % places * bytes, from + i % places * bytes, bytes);
		sink = to[i % bytes];
		(void)sink;
	}
	t = cpu_seconds() - t;
	free(from);
	free(to);
	return rounds * (bytes / 1048576.0) / t;
}

#endif
