// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The journal: what drivers write to the device. */
#include <errno.h>

#include "base/base.h"

#define BYTES_MAX 4096		/* of one line; lists of pages go on longer */

FILE *journal_file;

int journal_open(const char *path)
{
	journal_file = fopen(path, "w");
	return journal_file ? 0 : -errno;
}

void journal_close(void)
{
	if (journal_file)
		fclose(journal_file);
	journal_file = NULL;
}

void journal_line(const struct cxdev *dev, const char *kind, uint32_t key, const void *data,
		  size_t len)
{
	const uint8_t *p = data;
	size_t i;

	fprintf(journal_file, "%s %s 0x%x ", dev->name, kind, key);
	for (i = 0; i < len && i < BYTES_MAX; i++)
		fprintf(journal_file, "%02x", p[i]);
	fputc('\n', journal_file);
}
