// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/errno.h>
#include <linux/string.h>
#include <linux/types.h>
#include "param.h"

#define NUMBER_MAX 0xffff	/* no parameter has a larger one */
#define SHOWN_MAX 32		/* characters logged of a text that is too long */

struct word {
	const char *at;
	int len;
};

static int refuse(struct cxr_param_fault *fault, struct word word, const char *why)
{
	fault->word = word.at;
	fault->len = word.len;
	fault->why = why;
	return -EINVAL;
}

/* The value of a digit in any base up to 16, or 16. */
static unsigned int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

/* False: the word is empty or has a character that is not a digit in this base. */
static bool read_digits(struct word word, unsigned int base, u32 *number)
{
	u32 n = 0;

	if (word.len <= 0)
		return false;
	for (; word.len; word.at++, word.len--) {
		if (digit(*word.at) >= base || n > NUMBER_MAX)
			return false;
		n = n * base + digit(*word.at);
	}
	*number = n;
	return true;
}

static bool read_number(struct word word, u32 *number)
{
	if (word.len < 2 || *word.at != '0')
		return read_digits(word, 10, number);
	if (word.at[1] != 'x' && word.at[1] != 'X')
		return read_digits(word, 8, number);
	word.at += 2;
	word.len -= 2;
	return read_digits(word, 16, number);
}

static bool is_name(struct word word, const char *name)
{
	return (int)strlen(name) == word.len && !memcmp(word.at, name, word.len);
}

static int read_value(const struct cxr_param_spec *spec, struct word word, int *value,
		      struct cxr_param_fault *fault)
{
	const struct cxr_param_value *v;
	bool is_number;
	u32 number = 0;

	if (!word.len)
		return refuse(fault, word, spec->expected);

	is_number = read_number(word, &number);
	for (v = spec->values; v->name; v++) {
		if (!is_name(word, v->name) && !(is_number && v->value == (int)number))
			continue;
		if (v->refused)
			return refuse(fault, word, v->refused);
		*value = v->value;
		return 0;
	}
	return refuse(fault, word, spec->expected);
}

/* The text without a trailing newline. */
static struct word trimmed(const char *text)
{
	struct word word = { text, strlen(text) };

	if (word.len && text[word.len - 1] == '\n')
		word.len--;
	return word;
}

static const char *find(struct word word, char c)
{
	return word.len ? memchr(word.at, c, word.len) : NULL;
}

/* Splits *rest at the first @c: *head is the part before it, *rest becomes that after it. */
static bool cut(struct word *rest, char c, struct word *head)
{
	const char *at = find(*rest, c);

	if (!at)
		return false;
	head->at = rest->at;
	head->len = at - rest->at;
	rest->at += head->len + 1;
	rest->len -= head->len + 1;
	return true;
}

/* "bb:dd.f" or "dddd:bb:dd.f", with as many digits as the kernel prints. */
static bool read_address(struct word rest, struct cxr_param_device *device)
{
	struct word part, bus, slot;
	u32 n;

	device->domain = 0;
	if (!cut(&rest, ':', &bus))
		return false;
	if (cut(&rest, ':', &part)) {
		/* Domains behind a VMD host bridge have five digits. */
		if (bus.len != 4 && !(bus.len == 5 && *bus.at != '0'))
			return false;
		if (!read_digits(bus, 16, &device->domain))
			return false;
		bus = part;
	}
	if (bus.len != 2 || !read_digits(bus, 16, &n))
		return false;
	device->bus = n;
	if (!cut(&rest, '.', &slot) || slot.len != 2 || !read_digits(slot, 16, &n) || n > 0x1f)
		return false;
	device->slot = n;
	if (rest.len != 1 || !read_digits(rest, 8, &n))
		return false;
	device->func = n;
	return true;
}

static bool same_device(const struct cxr_param_device *a, u32 domain, u8 bus, u8 slot, u8 func)
{
	return a->domain == domain && a->bus == bus && a->slot == slot && a->func == func;
}

static int read_pair(const struct cxr_param_spec *spec, struct word pair, struct cxr_param *param,
		     struct cxr_param_fault *fault)
{
	struct cxr_param_device *device, *other;
	struct word address, value = pair;

	if (!pair.len)
		return refuse(fault, pair, "an element of the list is empty");
	if (find(pair, ';'))
		return refuse(fault, pair, "a device has one port and one value, without ';'");
	if (!cut(&value, '-', &address))
		return refuse(fault, pair,
			      "a list has a PCI address before each value, as in 0000:03:00.0-v2");
	if (param->devices == CXR_PARAM_DEVICES_MAX)
		return refuse(fault, pair, "there are more than 32 devices in the list");

	device = &param->device[param->devices];
	if (!read_address(address, device))
		return refuse(fault, address,
			      "not a PCI address such as 0000:03:00.0 or 03:00.0");
	for (other = param->device; other < device; other++)
		if (same_device(other, device->domain, device->bus, device->slot, device->func))
			return refuse(fault, address, "this device is in the list twice");
	param->devices++;
	return read_value(spec, value, &device->value, fault);
}

int cxr_param_parse_one(const struct cxr_param_spec *spec, const char *text, int *value,
			struct cxr_param_fault *fault)
{
	return read_value(spec, trimmed(text), value, fault);
}

int cxr_param_parse(const struct cxr_param_spec *spec, const char *text, struct cxr_param *param,
		    struct cxr_param_fault *fault)
{
	struct cxr_param read = { .value = spec->unnamed };
	struct word rest = trimmed(text), pair;
	int err;

	if (rest.len > CXR_PARAM_TEXT_MAX) {
		rest.len = SHOWN_MAX;
		return refuse(fault, rest, "the text is longer than 511 characters");
	}
	if (!find(rest, ',') && !find(rest, ':') && !find(rest, ';')) {
		err = read_value(spec, rest, &read.value, fault);
		if (!err)
			*param = read;
		return err;
	}

	while (cut(&rest, ',', &pair)) {
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
