/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* RoCE versions: requested and granted. */
#ifndef CXR_ROCE_H
#define CXR_ROCE_H

struct attribute_group;
struct cxr_core;
struct cxr_dev;
struct cxr_param_spec;

/*
 * Module parameters with a devlink parameter of the same name: X(name, default, function that
 * returns the granted value, description). cxr_<name>_spec (policy/mode.h) has the values.
 */
#define CXR_ROCE_PARAMS(X)							\
	X(roce_mode, CXR_ROCE_V1_V2, cxr_roce_granted,				\
	  "RoCE versions to offer: 0 or v1, 2 or v2, 4 or v1v2 (default); "	\
	  "for all devices, or as a list of ADDRESS-VALUE,... with addresses like 0000:03:00.0") \
	X(ud_gid_type, CXR_UD_ANY, cxr_roce_granted_ud,				\
	  "GID type required for UD address handles: "				\
	  "0 or v1, 2 or v2, any (default); "					\
	  "for all devices, or as a list like that of roce_mode")

#define CXR_ROCE_PARAM_NUMBER(name, initial, granted, text) CXR_ROCE_PARAM_##name,
enum cxr_roce_param { CXR_ROCE_PARAMS(CXR_ROCE_PARAM_NUMBER) CXR_ROCE_PARAM_COUNT };

struct cxr_roce_param_row {
	const char *name;
	const struct cxr_param_spec *spec;
	const char *(*granted)(const struct cxr_core *core);	/* name of the value */
};

extern const struct cxr_roce_param_row cxr_roce_params[CXR_ROCE_PARAM_COUNT];
/* Sets cxr_dev.requested from the module parameters; a VF has the values of its PF. */
void cxr_roce_read_params(struct cxr_dev *dev);
/* Grants what was requested as far as the device supports it. */
void cxr_roce_grant(struct cxr_dev *dev);
/* The name of the granted mode. */
const char *cxr_roce_granted(const struct cxr_core *core);
/* The name of the granted UD GID type. */
const char *cxr_roce_granted_ud(const struct cxr_core *core);

extern const struct attribute_group cxr_roce_attr_group;

#endif
