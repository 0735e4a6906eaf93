// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/errno.h>
#include <linux/string.h>
#include <linux/types.h>
#include "param.h"

#define NUMBER_MAX 0xfffff	/* no parameter has a larger one, nor a PCI domain */

static bool is_name(struct cxr_word word, const char *name)
{
	return (int)strlen(name) == word.len && !memcmp(word.at, name, word.len);
}

static int read_value(const struct cxr_param_spec *spec, struct cxr_word word, int *value,
		      struct cxr_word_fault *fault)
{
	const struct cxr_param_value *v;
	bool is_number;
	u32 number = 0;

	if (!word.len)
		return cxr_word_refuse(fault, word, spec->expected);

	is_number = cxr_word_number(word, NUMBER_MAX, &number);
	for (v = spec->values; v->name; v++) {
		if (!is_name(word, v->name) && !(is_number && v->value == (int)number))
			continue;
		if (v->refused)
			return cxr_word_refuse(fault, word, v->refused);
		*value = v->value;
		return 0;
	}
	return cxr_word_refuse(fault, word, spec->expected);
}

static const char *find(struct cxr_word word, char c)
{
	return word.len ? memchr(word.at, c, word.len) : NULL;
}

/* "bb:dd.f" or "dddd:bb:dd.f", with as many digits as the kernel prints. */
static bool read_address(struct cxr_word rest, struct cxr_param_device *device)
{
	struct cxr_word part, bus, slot;
	u32 n;

	device->domain = 0;
	if (!cxr_word_cut(&rest, ':', &bus))
		return false;
	if (cxr_word_cut(&rest, ':', &part)) {
		/* Domains behind a VMD host bridge have five digits. */
		if (bus.len != 4 && !(bus.len == 5 && *bus.at != '0'))
			return false;
		if (!cxr_word_digits(bus, 16, NUMBER_MAX, &device->domain))
			return false;
		bus = part;
	}
	if (bus.len != 2 || !cxr_word_digits(bus, 16, NUMBER_MAX, &n))
		return false;
	device->bus = n;
	if (!cxr_word_cut(&rest, '.', &slot) || slot.len != 2 ||
	    !cxr_word_digits(slot, 16, 0x1f, &n))
		return false;
	device->slot = n;
	if (rest.len != 1 || !cxr_word_digits(rest, 8, NUMBER_MAX, &n))
		return false;
	device->func = n;
	return true;
}

static bool same_device(const struct cxr_param_device *a, u32 domain, u8 bus, u8 slot, u8 func)
{
	return a->domain == domain && a->bus == bus && a->slot == slot && a->func == func;
}

static int read_pair(const struct cxr_param_spec *spec, struct cxr_word pair,
		     struct cxr_param *param, struct cxr_word_fault *fault)
{
	struct cxr_param_device *device, *other;
	struct cxr_word address, value = pair;

	if (!pair.len)
		return cxr_word_refuse(fault, pair, "an element of the list is empty");
	if (find(pair, ';'))
		return cxr_word_refuse(fault, pair,
				       "a device has one port and one value, without ';'");
	if (!cxr_word_cut(&value, '-', &address))
		return cxr_word_refuse(fault, pair,
				       "a list has a PCI address before each value, as in 0000:03:00.0-v2");
	if (param->devices == CXR_PARAM_DEVICES_MAX)
		return cxr_word_refuse(fault, pair, "there are more than 32 devices in the list");

	device = &param->device[param->devices];
	if (!read_address(address, device))
		return cxr_word_refuse(fault, address,
				       "not a PCI address such as 0000:03:00.0 or 03:00.0");
	for (other = param->device; other < device; other++)
		if (same_device(other, device->domain, device->bus, device->slot, device->func))
			return cxr_word_refuse(fault, address, "this device is in the list twice");
	param->devices++;
	return read_value(spec, value, &device->value, fault);
}

int cxr_param_parse_one(const struct cxr_param_spec *spec, const char *text, int *value,
			struct cxr_word_fault *fault)
{
	return read_value(spec, cxr_word_of(text), value, fault);
}

int cxr_param_parse(const struct cxr_param_spec *spec, const char *text, struct cxr_param *param,
		    struct cxr_word_fault *fault)
{
	struct cxr_param read = { .value = spec->unnamed };
	struct cxr_word rest = cxr_word_of(text), pair;
	int err;

	if (rest.len > CXR_PARAM_TEXT_MAX) {
		rest.len = CXR_WORD_SHOWN_MAX;
		return cxr_word_refuse(fault, rest, "the text is longer than 511 characters");
	}
	if (!find(rest, ',') && !find(rest, ':') && !find(rest, ';')) {
		err = read_value(spec, rest, &read.value, fault);
		if (!err)
			*param = read;
		return err;
	}

	while (cxr_word_cut(&rest, ',', &pair)) {
		err = read_pair(spec, pair, &read, fault);
		if (err)
			return err;
	}
	err = read_pair(spec, rest, &read, fault);
	if (!err)
		*param = read;
	return err;
}

int cxr_param_of(const struct cxr_param *param, u32 domain, u8 bus, u8 slot, u8 func)
{
	unsigned int i;

	for (i = 0; i < param->devices; i++)
		if (same_device(&param->device[i], domain, bus, slot, func))
			return param->device[i].value;
	return param->value;
}

const char *cxr_param_name(const struct cxr_param_spec *spec, int value)
{
	const struct cxr_param_value *v;

	for (v = spec->values; v->name; v++)
		if (!v->refused && v->value == value)
			return v->name;
	return "?";
}
