/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Decides what the text of a module parameter says that is one value for all devices, or a list of
 * PCI-address-value pairs.
 */
#ifndef CXR_POLICY_PARAM_H
#define CXR_POLICY_PARAM_H

#include <linux/types.h>

#define CXR_PARAM_TEXT_MAX 511
#define CXR_PARAM_DEVICES_MAX 32

/* A value by number and by name. */
struct cxr_param_value {
	const char *name;
	int value;		/* negative: has a name only */
	const char *refused;	/* why it is known but not taken; NULL: it is taken */
};

struct cxr_param_spec {
	const struct cxr_param_value *values;	/* the end has no name */
	int unnamed;				/* value of a device that a list does not name */
	const char *expected;	/* why anything else is refused: "must be one of ..." */
};

struct cxr_param_device {
	u32 domain;
	u8 bus, slot, func;
	int value;
};

struct cxr_param {
	int value;		/* of devices that are not in the list */
	unsigned int devices;
	struct cxr_param_device device[CXR_PARAM_DEVICES_MAX];
};

/* What is wrong, and where: @len characters from @word on. */
struct cxr_param_fault {
	const char *word;
	int len;
	const char *why;
};

/*
 * VALUE, or [DOMAIN:]BUS:SLOT.FUNCTION-VALUE[,...]; one newline at the end is fine. A number may be
 * decimal, octal (0...) or hexadecimal (0x...); an address is written as the kernel writes it. 0,
 * or -EINVAL with *fault filled and *param untouched.
 */
int cxr_param_parse(const struct cxr_param_spec *spec, const char *text, struct cxr_param *param,
		    struct cxr_param_fault *fault);
/* The same without lists. */
int cxr_param_parse_one(const struct cxr_param_spec *spec, const char *text, int *value,
			struct cxr_param_fault *fault);
/* What @param says of a device. */
int cxr_param_of(const struct cxr_param *param, u32 domain, u8 bus, u8 slot, u8 func);
/* The name of a value, "?" for one that is none. */
const char *cxr_param_name(const struct cxr_param_spec *spec, int value);

#endif
