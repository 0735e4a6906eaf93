// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * How soon cxemu answers over its socket, asleep between two requests or spinning (--spin): a read
 * of a register, as QEMU does it for a guest. Argument: the folder of cxemu.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../tests/vfu_client.h"

#define READS 20000
#define ROUNDS 3

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* Microseconds; the best of some rounds, so that what else the machine does counts less. */
static double read_us(const char *dir, const char *spin)
{
	struct client c;
	struct emu emu;
	double best = 0, t;
	unsigned int i, round;

	emu_start_option(&emu, dir, 1, "--spin", spin);
	client_open(&c, &emu, 0);
	for (round = 0; round < ROUNDS; round++) {
		t = seconds();
		for (i = 0; i < READS; i++)
			reg_read(&c, 0);
		t = seconds() - t;
		if (!round || t < best)
			best = t;
	}
	client_close(&c);
	emu_stop(&emu);
	return best / READS * 1e6;
}

int main(int argc, char **argv)
{
	double asleep, spinning;

	if (argc != 2)
		return 2;
	asleep = read_us(argv[1], "0");
	spinning = read_us(argv[1], "50");
	printf("%-34s %10.1f us\n", "a register, asleep", asleep);
	printf("%-34s %10.1f us   %5.2f of that\n", "a register, --spin 50", spinning,
	       spinning / asleep);
	return 0;
}
