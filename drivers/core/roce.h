/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Which RoCE versions were asked for, and which are granted. */
#ifndef CXR_ROCE_H
#define CXR_ROCE_H

struct cxr_core;
struct cxr_dev;
struct cxr_param_spec;

/*
 * What a parameter of the module asks for, and then a devlink parameter of the same name: X(name,
 * value without one, what was granted, description). cxr_<name>_spec (policy/mode.h) has the
 * values.
 */
#define CXR_ROCE_PARAMS(X)							\
	X(roce_mode, CXR_ROCE_V1_V2, cxr_roce_granted,				\
	  "RoCE versions to offer: 0 or v1, 2 or v2, 4 or v1v2 (default); "	\
	  "for all devices, or as a list of ADDRESS-VALUE,... with addresses like 0000:03:00.0") \
	X(ud_gid_type, CXR_UD_ANY, cxr_roce_granted_ud,				\
	  "type of the GIDs that address handles for datagrams may have: "	\
	  "0 or v1, 2 or v2, any (default); "					\
	  "for all devices, or as a list as of roce_mode")

#define CXR_ROCE_PARAM_NUMBER(name, initial, granted, text) CXR_ROCE_PARAM_##name,
enum cxr_roce_param { CXR_ROCE_PARAMS(CXR_ROCE_PARAM_NUMBER) CXR_ROCE_PARAM_COUNT };

struct cxr_roce_param_row {
	const char *name;
	const struct cxr_param_spec *spec;
	const char *(*granted)(const struct cxr_core *core);	/* the name of the value */
};

extern const struct cxr_roce_param_row cxr_roce_params[CXR_ROCE_PARAM_COUNT];
/* What the parameters say of the device; a virtual function has what its physical one has. */
void cxr_roce_read_params(struct cxr_dev *dev);
/* Cuts what the user asked for down to what the device can do. */
void cxr_roce_grant(struct cxr_dev *dev);
/* The name of the granted mode. */
const char *cxr_roce_granted(const struct cxr_core *core);
/* The name of the granted type of datagrams. */
const char *cxr_roce_granted_ud(const struct cxr_core *core);

#endif
