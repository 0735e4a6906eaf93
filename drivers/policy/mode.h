/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Decides which RoCE versions a port offers, from what was requested and what the device supports,
 * and which of them UD packets use.
 */
#ifndef CXR_POLICY_MODE_H
#define CXR_POLICY_MODE_H

#include <linux/types.h>
#include "param.h"

/* Values of the module parameter roce_mode. */
enum cxr_roce_mode {
	CXR_ROCE_V1 = 0,
	CXR_ROCE_V2 = 2,
	CXR_ROCE_V1_V2 = 4,
};

/* RoCE capabilities of the device. */
struct cxr_roce_support {
	bool roce;		/* the port supports RoCE */
	bool v1;
	bool v2;
	bool l3_ipv4;		/* v2 needs both */
	bool l3_ipv6;
};

struct cxr_mode_grant {
	bool roce;		/* false: no RoCE on this port, mode is not valid */
	enum cxr_roce_mode mode;
	bool differs;		/* from what was requested: log a warning */
};

/* Values of the module parameter ud_gid_type. */
enum cxr_ud_gid_type {
	CXR_UD_ANY = -1,	/* the type of the GID of each address handle */
	CXR_UD_V1 = 0,
	CXR_UD_V2 = 2,
};

struct cxr_ud_grant {
	enum cxr_ud_gid_type type;
	bool differs;		/* from what was requested: log a warning */
};

extern const struct cxr_param_spec cxr_roce_mode_spec;
extern const struct cxr_param_spec cxr_ud_gid_type_spec;

struct cxr_mode_grant cxr_roce_mode_grant(enum cxr_roce_mode requested,
					  const struct cxr_roce_support *support);
bool cxr_roce_mode_has_v1(enum cxr_roce_mode mode);
bool cxr_roce_mode_has_v2(enum cxr_roce_mode mode);
struct cxr_ud_grant cxr_ud_gid_type_grant(enum cxr_ud_gid_type requested,
					  const struct cxr_mode_grant *mode);
/* Whether a UD address handle may have a GID of v2 (@v2) or v1. */
bool cxr_ud_gid_type_allows(enum cxr_ud_gid_type type, bool v2);

#endif
