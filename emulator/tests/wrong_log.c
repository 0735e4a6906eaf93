// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "log.h"
#include "wrong_log.h"

#define PATIENCE_MS 5000

static FILE *log_file;
static bool (*tell)(bool ok, const char *fmt, ...);

void wrong_open(const char *log, bool (*say)(bool ok, const char *fmt, ...))
{
	log_file = fopen(log, "r");
	if (!log_file) {
		printf("Bail out! %s cannot be read\n", log);
		exit(2);
	}
	tell = say;
}

static void remove_log(void)
{
	unlink(getenv("CXEMU_LOG"));
}

void wrong_open_here(bool (*say)(bool ok, const char *fmt, ...))
{
	char path[] = "/tmp/cxemu-log.XXXXXX";
	int fd;

	if (!getenv("CXEMU_LOG")) {
		fd = mkstemp(path);
		if (fd < 0 || setenv("CXEMU_LOG", path, 1))
			exit(2);
		close(fd);
		atexit(remove_log);
	}
	fclose(test_log());	/* it is there from now on */
	wrong_open(getenv("CXEMU_LOG"), say);
}

void wrong_close(void)
{
	fclose(log_file);
}

void wrong_begin(void)
{
	fseek(log_file, 0, SEEK_END);
}

/* @text against @pattern as far as its line goes. */
static bool like(const char *text, const char *pattern)
{
	for (; *pattern && *pattern != '\n'; text++, pattern++) {
		if (*pattern == '*') {
			for (pattern++; *text; text++)
				if (like(text, pattern))
					return true;
			return !*pattern || *pattern == '\n';
		}
		if (*text != *pattern)
			return false;
	}
	return !*text;
}

enum { BY_DRIVER, BY_APPLICATION, MARKS };

static const char *const marks[MARKS] = { "VIOLATION: ", ": application: " };

/* The next in the log, which is given time to come, and who is blamed; NULL: none comes. */
static const char *next_violation(char *line, int size, unsigned int patience_ms, unsigned int *by)
{
	const char *at;

	for (;;) {
		clearerr(log_file);
		while (fgets(line, size, log_file)) {
			line[strcspn(line, "\n")] = 0;
			for (*by = 0; *by < MARKS; ++*by) {
				at = strstr(line, marks[*by]);
				if (at)
					return at + strlen(marks[*by]);
			}
		}
		if (!patience_ms--)
			return NULL;
		usleep(1000);
	}
}

static void expect(const char *what, const char *text, unsigned int whose)
{
	const char *next = text, *said;
	bool good = true;
	unsigned int by;
	char line[512];

	while ((said = next_violation(line, sizeof(line), next && good ? PATIENCE_MS : 0, &by))) {
		if (!next || by != whose || !like(said, next)) {
			good = false;
			printf("# said: %s%s\n", marks[by], said);
		}
		next = next ? strchr(next, '\n') : NULL;
		next += !!next;
	}
	tell(good && !next, "%s: '%.*s'", what, (int)strcspn(text, "\n"), text);
}

void wrong_expect(const char *what, const char *text)
{
	expect(what, text, BY_DRIVER);
}

void wrong_expect_application(const char *what, const char *text)
{
	expect(what, text, BY_APPLICATION);
}
