/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * What must hold of policy/tclass for any rules: shared by the random walk (test_tclass.c) and the
 * fuzzer (fuzz/fuzz_tclass.c).
 */
#ifndef TCLASS_WALK_H
#define TCLASS_WALK_H

#include <string.h>
#include <linux/types.h>

#include "policy/tclass.h"

/* Field by field, without padding. */
static bool same_prefix(const struct cxr_tclass_prefix *a, const struct cxr_tclass_prefix *b)
{
	return a->given == b->given && a->len == b->len && !memcmp(a->addr, b->addr, 16);
}

static bool same_rule(const struct cxr_tclass_rule *a, const struct cxr_tclass_rule *b)
{
	return a->ipv6 == b->ipv6 && a->tclass == b->tclass && same_prefix(&a->src, &b->src) &&
	       same_prefix(&a->dst, &b->dst);
}

/* Line @i of the table, parsed, is the rule that is there. */
static bool reads_back(const struct cxr_tclass_table *table, u32 i)
{
	struct cxr_tclass_rule all = { .tclass = table->global }, rule;
	bool global = table->global != CXR_TCLASS_NONE;
	const struct cxr_tclass_rule *want = global && !i ? &all : &table->rule[i - global];
	struct cxr_word_fault fault;
	char line[CXR_TCLASS_LINE_MAX];
	int len = cxr_tclass_print(table, i, line);

	return len > 0 && len == (int)strlen(line) && len < CXR_TCLASS_LINE_MAX &&
	       line[len - 1] == '\n' && !cxr_tclass_parse(line, &rule, &fault) &&
	       same_rule(&rule, want);
}

static u32 lines_of(const struct cxr_tclass_table *table)
{
	return table->n + (table->global != CXR_TCLASS_NONE);
}

#endif
