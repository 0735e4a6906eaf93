// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Lines of the control socket, as cxctl sends them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tests/dut.h"
#include "fuzz.h"
#include "host/control.h"
#include "port/port.h"

#define LINE_MAX_BYTES 1022

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct cxdev *devs[2];
	char line[LINE_MAX_BYTES + 1];
	static struct dut *duts[2];
	const char *want;
	char *reply = NULL;
	size_t reply_len, n;
	FILE *out;

	input_begin(data, size);
	if (!duts[0]) {
		duts[0] = dut_create("a", 0);
		duts[1] = dut_create("b", 1);
		devs[0] = duts[0]->dev;
		devs[1] = duts[1]->dev;
		if (eswitch_create(devs[0]))
			abort();
		eswitch_add(devs[0], devs[1]);
		control_set_devs(devs, 2);
	}
	while (size) {
		for (n = 0; n < size && data[n] != '\n' && n < LINE_MAX_BYTES; n++)
			line[n] = data[n];
		line[n] = 0;
		n += n < size;
		data += n;
		size -= n;
		/* the line would choose a file of this machine to write */
		if (!strncmp(line + strspn(line, " \t\r"), "capture", 7))
			continue;
		out = open_memstream(&reply, &reply_len);
		/* an error says so, success ends in "ok": cxctl's exit code rests on it */
		want = control_line(line, out) ? "error: " : "ok\n";
		fclose(out);
		if (!strstr(reply, want))
			abort();
		free(reply);
		dut_run();
	}
	return input_end();
}
