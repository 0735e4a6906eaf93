// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Capabilities by name. */
#include <string.h>

#include "func/func.h"
#include "prm/caps.h"

#define PAGE(type, layout) { type, #layout, prm_fields_##layout },

static const struct {
	enum cap_type type;
	const char *name;
	const struct prm_field *fields;
} pages[] = { CAP_PAGES(PAGE) };

static bool find_field(unsigned int page, const char *name, struct cap *cap)
{
	const struct prm_field *field;

	for (field = pages[page].fields; field->width; field++) {
		if (!strcmp(field->name, name)) {
			*cap = (struct cap){ pages[page].type, field };
			return true;
		}
	}
	return false;
}

bool cap_find(const char *name, struct cap *cap)
{
	unsigned int i;
	size_t len;

	for (i = 0; i < ARRAY_SIZE(pages); i++) {
		len = strlen(pages[i].name);
		if (!strncmp(name, pages[i].name, len) && name[len] == '.')
			return find_field(i, name + len + 1, cap);
	}
	return find_field(0, name, cap);
}

void cap_print_name(const struct cap *cap, FILE *out)
{
	unsigned int i = 0;

	while (pages[i].type != cap->type)
		i++;
	if (i)
		fprintf(out, "%s.", pages[i].name);
	fprintf(out, "%s", cap->field->name);
}

uint64_t cap_get(const struct cap *cap, const uint8_t *page)
{
	const struct prm_field *field = cap->field;

	return field->width == 64 ? prm_get_dwords((const void *)page, field->bit) :
				    prm_get_bits((const void *)page, field->bit, field->width);
}

void cap_set(const struct cap *cap, uint8_t *page, uint64_t value)
{
	if (cap->field->width == 64)
		prm_set_dwords((void *)page, cap->field->bit, value);
	else
		prm_set_bits((void *)page, cap->field->bit, cap->field->width, value);
}

static void print_cap(const struct cxdev *dev, const struct cap *cap, FILE *out)
{
	uint64_t cur = cap_get(cap, dev->hca->cap_cur[cap->type]);
	uint64_t max = cap_get(cap, dev->hca->cap_max[cap->type]);

	if (!cur && !max)
		return;
	fprintf(out, "%s ", dev->name);
	cap_print_name(cap, out);
	fprintf(out, " %u %llu", cap->field->width, (unsigned long long)cur);
	if (max != cur)
		fprintf(out, " %llu", (unsigned long long)max);
	fprintf(out, "\n");
}

void cap_print_all(const struct cxdev *dev, FILE *out)
{
	const struct prm_field *field;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pages); i++) {
		if (!hca_has_page(dev, pages[i].type))
			continue;
		for (field = pages[i].fields; field->width; field++)
			print_cap(dev, &(struct cap){ pages[i].type, field }, out);
	}
}
