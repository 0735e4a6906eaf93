// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <stdio.h>
#include <string.h>
#include "host.h"

static unsigned int passed, failed;
static const char *subject_now, *sentence_now;
static bool ok_now;

static void end(void)
{
	if (!sentence_now)
		return;
	if (ok_now)
		passed++;
	else
		failed++;
	printf("%sok %u %s: %s\n", ok_now ? "" : "not ", passed + failed, subject_now,
	       sentence_now);
	fflush(stdout);
	sentence_now = NULL;
}

void begin(const char *subject, const char *sentence)
{
	end();
	subject_now = subject;
	sentence_now = sentence;
	ok_now = true;
}

void expect_at(const char *file, int line, const char *what, u64 got, u64 want)
{
	if (got == want)
		return;
	ok_now = false;
	printf("# %s:%d: %s is 0x%llx, expected 0x%llx\n", file, line, what, got, want);
}

void expect_text_at(const char *file, int line, const char *what, const char *got,
		    const char *want)
{
	if (got && !strcmp(got, want))
		return;
	ok_now = false;
	printf("# %s:%d: %s is '%s', expected '%s'\n", file, line, what, got ? got : "(null)",
	       want);
}

void expect_bytes_at(const char *file, int line, const char *what, const void *got,
		     const void *want, size_t n)
{
	const u8 *a = got, *b = want;
	size_t i;

	for (i = 0; i < n; i++) {
		if (a[i] == b[i])
			continue;
		ok_now = false;
		printf("# %s:%d: %s[%zu] is 0x%02x, expected 0x%02x\n", file, line, what, i, a[i],
		       b[i]);
		return;
	}
}

int main(void)
{
	printf("KTAP version 1\n");
	test_prm();
	test_mode();
	test_gid();
	test_path();
	test_lag();
	test_lag_step();
	test_ecmp();
	test_fdb();
	test_tclass();
	test_limits();
	test_link();
	test_phy_counter();
	test_health();
	test_clock();
	test_rx();
	test_dc();
	test_rate();
	test_dcb();
	test_cong();
	test_event();
	test_mbox();
	test_addrpath();
	test_qpc();
	test_wqe();
	test_cqe();
	test_caps();
	test_memic();
	test_fault();
	test_counter();
	test_flow();
	test_ntuple();
	test_devx();
	end();
	printf("1..%u\n", passed + failed);
	printf("# Totals: pass:%u fail:%u xfail:0 xpass:0 skip:0 error:0\n", passed, failed);
	return failed != 0;
}
