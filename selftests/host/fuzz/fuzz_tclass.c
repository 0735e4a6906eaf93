// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Rules of Force DSCP as any text, one a line. What is accepted is printed and parsed to the same;
 * an address is accepted if libc accepts it.
 */
#include <arpa/inet.h>
#include <stdlib.h>

#include "../tclass_walk.h"

#define ROOM 8

static const u8 mapped[12] = { [10] = 0xff, 0xff };

/* The address of "src_ip=TEXT", or of "src_ip6=TEXT", alone. */
static void compare_with_libc(const char *text, bool ipv6)
{
	struct cxr_word_fault fault;
	struct cxr_tclass_rule rule;
	char whole[CXR_TCLASS_TEXT_MAX + 1] = "7,src_ip";
	u8 addr[16] = { [10] = 0xff, 0xff };
	bool known, taken;

	if (strpbrk(text, ",/ \t\v\f\r\n") || strlen(text) > 100)
		return;
	strcat(whole, ipv6 ? "6=" : "=");
	strcat(whole, text);
	known = inet_pton(ipv6 ? AF_INET6 : AF_INET, text, ipv6 ? addr : addr + 12) == 1;
	/* An IPv4 address has a key of its own. */
	if (known && ipv6 && !memcmp(addr, mapped, 12))
		known = false;
	taken = !cxr_tclass_parse(whole, &rule, &fault);
	if (taken != known || (taken && memcmp(rule.src.addr, addr, 16)))
		abort();
}

static void apply(struct cxr_tclass_table *table, const char *text)
{
	struct cxr_word_fault fault = { NULL, 0, NULL };
	struct cxr_tclass_rule rule;
	u32 i;

	if (cxr_tclass_parse(text, &rule, &fault)) {
		if (!fault.why || fault.word < text || fault.len < 0 ||
		    fault.word + fault.len > text + strlen(text))
			abort();
		return;
	}
	cxr_tclass_change(table, &rule);
	for (i = 0; i < lines_of(table); i++)
		if (!reads_back(table, i))
			abort();
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct cxr_tclass_rule rules[ROOM];
	struct cxr_tclass_table table = { .global = CXR_TCLASS_NONE, .room = ROOM, .rule = rules };
	char *text = malloc(size + 1), *line, *rest = text;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	while ((line = strsep(&rest, "\n"))) {
		apply(&table, line);
		compare_with_libc(line, false);
		compare_with_libc(line, true);
	}
	free(text);
	return 0;
}
