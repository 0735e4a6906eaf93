/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Parses a module parameter that is one value for all devices, or a list of pairs of PCI address
 * and value.
 */
#ifndef CXR_POLICY_PARAM_H
#define CXR_POLICY_PARAM_H

#include <linux/types.h>
#include "word.h"

#define CXR_PARAM_TEXT_MAX 511
#define CXR_PARAM_DEVICES_MAX 32

struct cxr_param_value {
	const char *name;
	int value;		/* negative: accepted by name only */
	const char *refused;	/* why a known value is refused; NULL: it is accepted */
};

struct cxr_param_spec {
	const struct cxr_param_value *values;	/* terminated by a NULL name */
	int unnamed;				/* value of devices that are not in a list */
	const char *expected;	/* text for other values: "must be one of ..." */
};

struct cxr_param_device {
	u32 domain;
	u8 bus, slot, func;
	int value;
};

struct cxr_param {
	int value;		/* for devices that are not in the list */
	unsigned int devices;
	struct cxr_param_device device[CXR_PARAM_DEVICES_MAX];
};

/*
 * VALUE, or [DOMAIN:]BUS:SLOT.FUNCTION-VALUE[,...], with an optional newline at the end. Numbers
 * are decimal, octal (0...) or hexadecimal (0x...); addresses are in the form of the kernel.
 * Returns 0, or -EINVAL with *fault set and *param unchanged.
 */
int cxr_param_parse(const struct cxr_param_spec *spec, const char *text, struct cxr_param *param,
		    struct cxr_word_fault *fault);
/* The same without lists. */
int cxr_param_parse_one(const struct cxr_param_spec *spec, const char *text, int *value,
			struct cxr_word_fault *fault);
/* The value for a device. */
int cxr_param_of(const struct cxr_param *param, u32 domain, u8 bus, u8 slot, u8 func);
/* The name of a value, "?" if it is unknown. */
const char *cxr_param_name(const struct cxr_param_spec *spec, int value);

#endif
