/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Force DSCP: traffic classes that the administrator sets for paths, whatever the application asks
 * for. The language of the rules, one rule in a text:
 *
 *	tclass=N | N			all paths ("Global tclass=N", as printed, is the same)
 *	KEY=PREFIX,...,tclass=N		paths with these addresses; KEY is src_ip, dst_ip, src_ip6
 *					or dst_ip6, PREFIX an address or ADDRESS/LENGTH
 *
 * Items may be in any order; a later one replaces an earlier one of the same kind. N is 0 to 255,
 * decimal, octal (0...) or hexadecimal (0x...); a negative N removes the rule.
 */
#ifndef CXR_POLICY_TCLASS_H
#define CXR_POLICY_TCLASS_H

#include <linux/types.h>
#include "gid.h"
#include "word.h"

#define CXR_TCLASS_RULES_MAX 4096
#define CXR_TCLASS_TEXT_MAX 255		/* characters of a rule that is parsed */
#define CXR_TCLASS_LINE_MAX 128		/* bytes of a line that is printed, with its NUL */
#define CXR_TCLASS_NONE (-1)

/* Addresses as GIDs: IPv4 addresses are mapped, and their prefixes are 96 bits longer. */
struct cxr_tclass_prefix {
	bool given;
	u8 len;				/* bits */
	u8 addr[16];			/* zero after @len */
};

/* Without prefixes: the class of all paths. */
struct cxr_tclass_rule {
	bool ipv6;
	struct cxr_tclass_prefix src, dst;
	int tclass;			/* CXR_TCLASS_NONE: remove the rule */
};

/* @rule belongs to the caller and has room for @room rules; zeroed, and @global NONE, at first. */
struct cxr_tclass_table {
	int global;			/* class of all paths, or CXR_TCLASS_NONE */
	u32 n, room;
	struct cxr_tclass_rule *rule;	/* in the order in which they are tried */
};

/* A path. @tclass: of the application. */
struct cxr_tclass_path {
	enum cxr_gid_type type;
	u8 sgid[16], dgid[16];
	u8 tclass;
};

/* 0, or -EINVAL with *fault set; *rule is undefined then. */
int cxr_tclass_parse(const char *text, struct cxr_tclass_rule *rule,
		     struct cxr_word_fault *fault);
/*
 * Adds, replaces or removes a rule. Rules with the same kind of keys and the same prefixes are the
 * same rule. Removing what is not there succeeds. -ENOSPC: the table is full; it is unchanged.
 */
int cxr_tclass_change(struct cxr_tclass_table *table, const struct cxr_tclass_rule *rule);
/*
 * Line @i of the table, 0.., with a newline: the class of all paths, if there is one, then the
 * rules in the order in which they are tried. @line has CXR_TCLASS_LINE_MAX bytes. Parsed again, a
 * line is the same rule. Returns its length, or 0 after the last line.
 */
int cxr_tclass_print(const struct cxr_tclass_table *table, u32 i, char *line);
/*
 * The class of a path: that of all paths; else of the first rule that matches, in the order source
 * and destination, destination, source, and in each longer prefixes of the destination, then of the
 * source, first; else its own. The ECN bits are always its own. RoCE v1 keeps its own, and so does,
 * with @application_wins, a path that has a DSCP.
 */
u8 cxr_tclass_of(const struct cxr_tclass_table *table, bool application_wins,
		 const struct cxr_tclass_path *path);

#endif
