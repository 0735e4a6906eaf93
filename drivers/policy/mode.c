// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/errno.h>
#include <linux/types.h>
#include "mode.h"

struct mode {
	const char *number, *name;
	enum cxr_roce_mode mode;
};

static const struct mode modes[] = {
	{ "0", "v1", CXR_ROCE_V1 },
	{ "2", "v2", CXR_ROCE_V2 },
	{ "4", "v1v2", CXR_ROCE_V1_V2 },
	{ }
};

/* sysfs hands over what `echo` wrote, newline included. */
static bool same_line(const char *text, const char *word)
{
	while (*word && *text == *word) {
		text++;
		word++;
	}
	if (*word)
		return false;
	return !*text || (text[0] == '\n' && !text[1]);
}

int cxr_roce_mode_parse(const char *text, enum cxr_roce_mode *mode)
{
	const struct mode *m;

	for (m = modes; m->name; m++) {
		if (same_line(text, m->number) || same_line(text, m->name)) {
			*mode = m->mode;
			return 0;
		}
	}
	return -EINVAL;
}

const char *cxr_roce_mode_name(enum cxr_roce_mode mode)
{
	const struct mode *m;

	for (m = modes; m->name; m++)
		if (m->mode == mode)
			return m->name;
	return "none";
}

bool cxr_roce_mode_has_v1(enum cxr_roce_mode mode)
{
	return mode == CXR_ROCE_V1 || mode == CXR_ROCE_V1_V2;
}

bool cxr_roce_mode_has_v2(enum cxr_roce_mode mode)
{
	return mode == CXR_ROCE_V2 || mode == CXR_ROCE_V1_V2;
}

/*
 * A port that cannot do what was asked does what it can rather than nothing: an operator who
 * asked for v2 on a v1-only card finds working v1 GIDs and a warning.
 */
struct cxr_mode_grant cxr_roce_mode_grant(enum cxr_roce_mode asked,
					  const struct cxr_roce_support *support)
{
	struct cxr_mode_grant grant = { .mode = asked };
	bool can_v1 = support->v1;
	bool can_v2 = support->v2 && support->l3_ipv4 && support->l3_ipv6;
	bool v1 = cxr_roce_mode_has_v1(asked) && can_v1;
	bool v2 = cxr_roce_mode_has_v2(asked) && can_v2;

	grant.roce = support->roce && (can_v1 || can_v2);
	if (!grant.roce)
		return grant;
	if (!v1 && !v2) {
		v1 = can_v1;
		v2 = !can_v1;
	}
	if (v1 && v2)
		grant.mode = CXR_ROCE_V1_V2;
	else
		grant.mode = v2 ? CXR_ROCE_V2 : CXR_ROCE_V1;
	grant.differs = grant.mode != asked;
	return grant;
}
