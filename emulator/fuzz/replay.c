// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Runs a fuzz target on the files of a folder: what was found once stays mended. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "target.h"

#define FILE_MAX 65536

static void run_file(const char *path)
{
	static uint8_t data[FILE_MAX];
	FILE *file = fopen(path, "rb");
	size_t len;

	if (!file) {
		perror(path);
		exit(1);
	}
	len = fread(data, 1, sizeof(data), file);
	fclose(file);
	LLVMFuzzerTestOneInput(data, len);
}

int main(int argc, char **argv)
{
	struct dirent *entry;
	unsigned int n = 0;
	char path[1024];
	DIR *dir;

	if (argc != 2) {
		fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
		return 2;
	}
	dir = opendir(argv[1]);
	if (!dir) {
		perror(argv[1]);
		return 1;
	}
	printf("KTAP version 1\n1..1\n");
	fflush(stdout);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", argv[1], entry->d_name);
		run_file(path);
		n++;
	}
	closedir(dir);
	printf("# %u inputs\n", n);
	printf("%sok 1 no input of the corpus fails\n", n ? "" : "not ");
	printf("# Totals: pass:%u fail:%u xfail:0 xpass:0 skip:0 error:0\n", !!n, !n);
	return !n;
}
