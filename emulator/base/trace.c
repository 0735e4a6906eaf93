// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The log, and violations of drivers. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/json.h"

#define VIOLATIONS_KEPT 64
#define VIOLATIONS_LOGGED 10000		/* a runaway driver must not fill the disk */
#define NOTICES_BURST 10000		/* and so must not one that resets its card in a loop */
#define NOTICES_PER_S 10
#define TEXT_MAX 240

enum trace_level trace_level = TRACE_INFO;

static FILE *log_file;
static struct {
	char name[sizeof(((struct cxdev *)0)->name)];
	char text[TEXT_MAX];
} kept[VIOLATIONS_KEPT];
static unsigned int n_kept;
static uint64_t n_violations;

void trace_set_output(FILE *out)
{
	log_file = out;
}

static void log_line(struct cxdev *dev, const char *kind, const char *text)
{
	uint64_t us = now_ns() / 1000;

	if (!log_file)
		return;
	fprintf(log_file, "[%5llu.%06llu] %s: %s%s\n", (unsigned long long)(us / 1000000),
		(unsigned long long)(us % 1000000), dev ? dev->name : "cxemu", kind, text);
	fflush(log_file);
}

static void log_from(enum trace_level level, struct cxdev *dev, const char *fmt, va_list ap)
{
	char text[TEXT_MAX];

	if (trace_level < level)
		return;
	vsnprintf(text, sizeof(text), fmt, ap);
	log_line(dev, "", text);
}

void trace(struct cxdev *dev, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_from(TRACE_DEBUG, dev, fmt, ap);
	va_end(ap);
}

/* Takes one from a store that fills slowly; what is left out is counted and told later. */
static bool may_notice(void)
{
	static uint64_t store = NOTICES_BURST, filled_ns, left_out;
	uint64_t now = now_ns(), more = (now - filled_ns) / 1000000000 * NOTICES_PER_S;
	char text[TEXT_MAX];

	if (more) {
		store = more < NOTICES_BURST - store ? store + more : NOTICES_BURST;
		filled_ns = now;
	}
	if (!store) {
		left_out++;
		return false;
	}
	store--;
	if (left_out) {
		snprintf(text, sizeof(text), "%llu lines were left out",
			 (unsigned long long)left_out);
		log_line(NULL, "", text);
		left_out = 0;
	}
	return true;
}

void notice(struct cxdev *dev, const char *fmt, ...)
{
	va_list ap;

	if (trace_level == TRACE_INFO && !may_notice())
		return;
	va_start(ap, fmt);
	log_from(TRACE_INFO, dev, fmt, ap);
	va_end(ap);
}

static void format_text(char *text, const char *prefix, const char *fmt, va_list ap)
{
	int n = snprintf(text, TEXT_MAX, "%s", prefix);

	vsnprintf(text + n, TEXT_MAX - n, fmt, ap);
}

void vconsequence(struct cxdev *dev, const char *prefix, const char *fmt, va_list ap)
{
	char text[TEXT_MAX];

	format_text(text, prefix, fmt, ap);
	notice(dev, "after a fault, not counted: %s", text);
}

void vapplication(struct cxdev *dev, const char *prefix, const char *fmt, va_list ap)
{
	char text[TEXT_MAX];

	format_text(text, prefix, fmt, ap);
	notice(dev, "application: %s", text);
}

void vviolation(struct cxdev *dev, const char *prefix, const char *fmt, va_list ap)
{
	char text[TEXT_MAX];

	if (dev && dev->health.excused) {
		vconsequence(dev, prefix, fmt, ap);
		return;
	}
	format_text(text, prefix, fmt, ap);
	n_violations++;
	if (dev)
		dev->violations++;
	if (n_kept < VIOLATIONS_KEPT) {
		snprintf(kept[n_kept].name, sizeof(kept[0].name), "%s", dev ? dev->name : "cxemu");
		memcpy(kept[n_kept].text, text, sizeof(text));
		n_kept++;
	}
	if (n_violations < VIOLATIONS_LOGGED)
		log_line(dev, "VIOLATION: ", text);
	else if (n_violations == VIOLATIONS_LOGGED)
		log_line(dev, "VIOLATION: ", "more violations: counted, not logged");
}

void violation(struct cxdev *dev, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vviolation(dev, "", fmt, ap);
	va_end(ap);
}

void violation_leak(struct cxdev *dev, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (dev->health.kept)
		vconsequence(dev, "leak: ", fmt, ap);
	else
		vviolation(dev, "leak: ", fmt, ap);
	va_end(ap);
}

uint64_t violations_total(void)
{
	return n_violations;
}

void violations_print(FILE *out)
{
	unsigned int i;

	for (i = 0; i < n_kept; i++)
		fprintf(out, "violation %s: %s\n", kept[i].name, kept[i].text);
	if (n_violations > n_kept)
		fprintf(out, "violation: %llu more not kept\n",
			(unsigned long long)(n_violations - n_kept));
}

void violations_forget(void)
{
	n_violations = 0;
	n_kept = 0;
}

void violations_json(struct json_object *to)
{
	struct json_object *part = json_part(to, "violations"), *kept_list, *row;
	unsigned int i;

	json_number(part, "count", n_violations);
	kept_list = json_list(part, "kept");
	for (i = 0; i < n_kept; i++) {
		row = json_row(kept_list);
		json_text(row, "function", kept[i].name);
		json_text(row, "text", kept[i].text);
	}
}
