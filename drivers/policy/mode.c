// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/errno.h>
#include <linux/types.h>
#include "mode.h"

/* Both numberings are in use, and 2 differs between them: names are unambiguous. */
#define NUMBERINGS \
	"two numberings are in the field: MLNX_OFED up to 3.x has 0 v1, 1 v1.5, 2 v2, " \
	"3 v1.5 and v2, 4 v1 and v2; from 4.0 on it has 0 v1, 1 v2, 2 v1 and v2. " \
	"Here it must be one of 0 or v1, 2 or v2, 4 or v1v2"

static const struct cxr_param_value roce_modes[] = {
	{ "v1", CXR_ROCE_V1, NULL },
	{ "v2", CXR_ROCE_V2, NULL },
	{ "v1v2", CXR_ROCE_V1_V2, NULL },
	{ "v1.5", 1, NUMBERINGS },
	{ "v1.5v2", 3, NUMBERINGS },
	{ }
};

const struct cxr_param_spec cxr_roce_mode_spec = {
	.values = roce_modes,
	.unnamed = CXR_ROCE_V1_V2,
	.expected = "must be one of 0 or v1, 2 or v2, 4 or v1v2",
};

#define UD_EXPECTED "must be one of 0 or v1, 2 or v2, any"

static const struct cxr_param_value ud_gid_types[] = {
	{ "any", CXR_UD_ANY, NULL },
	{ "v1", CXR_UD_V1, NULL },
	{ "v2", CXR_UD_V2, NULL },
	{ "v1.5", 1, "1 is v1.5 of MLNX_OFED 3.x, which is not offered; " UD_EXPECTED },
	{ }
};

const struct cxr_param_spec cxr_ud_gid_type_spec = {
	.values = ud_gid_types,
	.unnamed = CXR_UD_ANY,
	.expected = UD_EXPECTED,
};

bool cxr_roce_mode_has_v1(enum cxr_roce_mode mode)
{
	return mode == CXR_ROCE_V1 || mode == CXR_ROCE_V1_V2;
}

bool cxr_roce_mode_has_v2(enum cxr_roce_mode mode)
{
	return mode == CXR_ROCE_V2 || mode == CXR_ROCE_V1_V2;
}

/*
 * A port that does not support the requested mode gets one that it supports: an operator who
 * requests v2 on a v1-only card finds working v1 GIDs and a warning.
 */
struct cxr_mode_grant cxr_roce_mode_grant(enum cxr_roce_mode requested,
					  const struct cxr_roce_support *support)
{
	struct cxr_mode_grant grant = { .mode = requested };
	bool can_v1 = support->v1;
	bool can_v2 = support->v2 && support->l3_ipv4 && support->l3_ipv6;
	bool v1 = cxr_roce_mode_has_v1(requested) && can_v1;
	bool v2 = cxr_roce_mode_has_v2(requested) && can_v2;

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
	grant.differs = grant.mode != requested;
	return grant;
}

/*
 * A type that no GID of the port has would refuse all address handles: grant the type that the port
 * has.
 */
struct cxr_ud_grant cxr_ud_gid_type_grant(enum cxr_ud_gid_type requested,
					  const struct cxr_mode_grant *mode)
{
	struct cxr_ud_grant grant = { .type = requested };

	if (!mode->roce)
		return grant;
	if (requested == CXR_UD_V1 && !cxr_roce_mode_has_v1(mode->mode))
		grant.type = CXR_UD_V2;
	if (requested == CXR_UD_V2 && !cxr_roce_mode_has_v2(mode->mode))
		grant.type = CXR_UD_V1;
	grant.differs = grant.type != requested;
	return grant;
}

bool cxr_ud_gid_type_allows(enum cxr_ud_gid_type type, bool v2)
{
	return type == CXR_UD_ANY || (type == CXR_UD_V2) == v2;
}
