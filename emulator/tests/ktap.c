// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <stdio.h>
#include <time.h>

#include "ktap.h"

#define EXIT_SKIPPED 4

static unsigned int planned, passed, failed, skipped;

static unsigned int done(void)
{
	return passed + failed + skipped;
}

void ktap_plan(unsigned int n)
{
	planned = n;
	printf("KTAP version 1\n");
	if (n)
		printf("1..%u\n", n);
}

bool vktap(bool ok, const char *fmt, va_list ap)
{
	*(ok ? &passed : &failed) += 1;
	printf("%sok %u ", ok ? "" : "not ", done());
	vprintf(fmt, ap);
	printf("\n");
	fflush(stdout);
	return ok;
}

bool ktap(bool ok, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vktap(ok, fmt, ap);
	va_end(ap);
	return ok;
}

void ktap_skip(const char *sentence, const char *why)
{
	skipped++;
	printf("ok %u %s # SKIP %s\n", done(), sentence, why);
}

double cpu_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

int ktap_end(void)
{
	if (!planned) {
		planned = done();
		printf("1..%u\n", planned);
	}
	if (done() != planned)
		printf("# planned %u tests, ran %u\n", planned, done());
	printf("# Totals: pass:%u fail:%u xfail:0 xpass:0 skip:%u error:0\n", passed, failed,
	       skipped);
	if (failed || done() != planned)
		return 1;
	return passed ? 0 : EXIT_SKIPPED;
}
