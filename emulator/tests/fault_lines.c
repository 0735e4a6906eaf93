// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "fault_lines.h"

static const char *answer_to(struct emu *emu, bool *good, const char *text)
{
	char line[520];
	const char *answer;

	snprintf(line, sizeof(line), "fault %s", text);
	answer = emu_control(emu, line);
	*good = strlen(answer) >= 3 && !strcmp(answer + strlen(answer) - 3, "ok\n");
	return answer;
}

const char *fault(struct emu *emu, bool *good, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return answer_to(emu, good, text);
}

void fault_must(struct emu *emu, const char *fmt, ...)
{
	char text[512];
	const char *answer;
	va_list ap;
	bool good;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	answer = answer_to(emu, &good, text);
	if (!good) {
		printf("Bail out! fault %s: %s\n", text, answer);
		exit(1);
	}
}

bool fault_none(struct emu *emu)
{
	bool good;

	return !strcmp(answer_to(emu, &good, "list"), "ok\n");
}
