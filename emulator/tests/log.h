/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* The log of tests that have the device in their own process. */
#ifndef CXEMU_TEST_LOG_H
#define CXEMU_TEST_LOG_H

#include <stdio.h>
#include <stdlib.h>

/* Appends to the file that $CXEMU_LOG names; NULL if it is not set. */
static inline FILE *test_log(void)
{
	const char *path = getenv("CXEMU_LOG");
	static FILE *log;

	if (!log && path)
		log = fopen(path, "a");
	return log;
}

#endif
