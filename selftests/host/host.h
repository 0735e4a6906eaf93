/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Tables of cases: begin() opens a case with the sentence that must hold, expect() checks it, and
 * the next begin() closes it. Each case becomes one KTAP result.
 */
#ifndef HOST_H
#define HOST_H

#include <linux/types.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

void begin(const char *subject, const char *sentence);
void expect_at(const char *file, int line, const char *what, u64 got, u64 want);
void expect_text_at(const char *file, int line, const char *what, const char *got,
		    const char *want);
void expect_bytes_at(const char *file, int line, const char *what, const void *got,
		     const void *want, size_t n);

#define expect(got, want)		expect_at(__FILE__, __LINE__, #got, (u64)(got), (u64)(want))
#define expect_text(got, want)		expect_text_at(__FILE__, __LINE__, #got, got, want)
#define expect_bytes(got, want, n)	expect_bytes_at(__FILE__, __LINE__, #got, got, want, n)

void test_prm(void);
void test_mode(void);
void test_gid(void);
void test_path(void);
void test_ecmp(void);
void test_fdb(void);
void test_devx(void);
void test_lag(void);
void test_lag_step(void);
void test_limits(void);
void test_link(void);
void test_phy_counter(void);
void test_health(void);
void test_clock(void);
void test_rx(void);
void test_dc(void);
void test_rate(void);
void test_dcb(void);
void test_cong(void);
void test_event(void);
void test_mbox(void);
void test_addrpath(void);
void test_qpc(void);
void test_wqe(void);
void test_cqe(void);
void test_caps(void);
void test_memic(void);
void test_fault(void);
void test_counter(void);
void test_flow(void);
void test_ntuple(void);
void test_tclass(void);

#endif
