// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * cxctl SOCKET WORD...: sends one command to cxemu's control socket and prints the reply. Exit code
 * 0: ok, 1: error, 2: no reply. `capture -` runs until either side ends.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int connect_to(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof(addr.sun_path)) {
		fprintf(stderr, "cxctl: socket path too long: %s\n", path);
		return -1;
	}
	strcpy(addr.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&addr, sizeof(addr))) {
		fprintf(stderr, "cxctl: %s: %s\n", path, strerror(errno));
		return -1;
	}
	return fd;
}

/* The reply is a capture, unless it is an error. */
static int stream(int fd)
{
	static char data[65536];
	ssize_t n = read(fd, data, sizeof(data));

	if (n > 7 && !memcmp(data, "error: ", 7)) {
		fprintf(stderr, "cxctl: %.*s", (int)n - 7, data + 7);
		return 1;
	}
	for (; n > 0; n = read(fd, data, sizeof(data)))
		if (fwrite(data, n, 1, stdout) != 1 || fflush(stdout))
			return 0;	/* the reader has ended */
	return n ? 2 : 0;
}

int main(int argc, char **argv)
{
	char line[1024];
	FILE *sock;
	int fd, i;

	if (argc < 3 || argv[1][0] == '-') {
		fprintf(stderr, "usage: cxctl SOCKET COMMAND...   (help lists them)\n");
		return 2;
	}
	fd = connect_to(argv[1]);
	if (fd < 0)
		return 2;
	sock = fdopen(fd, "r");
	if (!sock)
		return 2;
	for (i = 2; i < argc; i++)
		dprintf(fd, "%s%s", argv[i], i + 1 < argc ? " " : "\n");
	if (argc > 3 && !strcmp(argv[2], "capture") && !strcmp(argv[3], "-"))
		return stream(fd);
	while (fgets(line, sizeof(line), sock)) {
		if (!strcmp(line, "ok\n"))
			return 0;
		if (!strncmp(line, "error: ", 7)) {
			fprintf(stderr, "cxctl: %s", line + 7);
			return 1;
		}
		fputs(line, stdout);
	}
	fprintf(stderr, "cxctl: connection closed without an answer\n");
	return 2;
}
