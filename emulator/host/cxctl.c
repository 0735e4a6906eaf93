// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* cxctl: sends one request to cxemu's control socket (control.h) and prints the reply. */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "host/control.h"

#define GREETING_SECONDS 5

enum { EXIT_OK, EXIT_ERROR, EXIT_NO_REPLY };

const char *argp_program_version = "cxctl " CXEMU_VERSION;

static const char doc[] =
	"Talk to a running cxemu\vSOCKET is what cxemu --control names. The request \"help\" lists all requests.\n\n"
	"\"capture - [PORT]\" writes a capture to standard output until either side ends.\n\n"
	"Exit status 0: done; 1: cxemu refuses, and standard error says why; 2: no reply.";

static struct {
	const char *path;
	char **words;
	int n;
} request;

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

/* Reads no more than the line: a capture may follow. */
static bool greeted(int fd)
{
	const struct timeval patience = { .tv_sec = GREETING_SECONDS }, ever = {};
	const char *theirs;
	char line[128];
	size_t len = 0;

	/* the socket of a function waits for its client to begin */
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	while (len < sizeof(line) - 1 && read(fd, line + len, 1) == 1 && line[len] != '\n')
		len++;
	line[len] = 0;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &ever, sizeof(ever));
	theirs = strstr(line, "control protocol ");
	if (!strncmp(line, "cxemu ", 6) && theirs && !strcmp(theirs, CONTROL_SPEAKS))
		return true;
	if (len)
		fprintf(stderr, "cxctl: it answers '%s', not as a cxemu with " CONTROL_SPEAKS "\n",
			line);
	else
		fprintf(stderr, "cxctl: %s does not answer: is it the control socket?\n",
			request.path);
	return false;
}

/* The reply is a capture, unless it is an error. */
static int stream(int fd)
{
	static char data[65536];
	ssize_t n = read(fd, data, sizeof(data));

	if (n > 7 && !memcmp(data, "error: ", 7)) {
		fprintf(stderr, "cxctl: %.*s", (int)n - 7, data + 7);
		return EXIT_ERROR;
	}
	for (; n > 0; n = read(fd, data, sizeof(data)))
		if (fwrite(data, n, 1, stdout) != 1 || fflush(stdout))
			return EXIT_OK;	/* the reader has ended */
	return n ? EXIT_NO_REPLY : EXIT_OK;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	switch (key) {
	case ARGP_KEY_ARGS:	/* all words: those of the request are no options of ours */
		request.path = state->argv[state->next];
		request.words = state->argv + state->next + 1;
		request.n = state->argc - state->next - 1;
		if (!request.n)
			argp_error(state, "a request is missing");
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "SOCKET and a request are missing");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int send_request(int fd)
{
	char line[1024];
	FILE *sock = fdopen(fd, "r");
	int i;

	if (!sock)
		return EXIT_NO_REPLY;
	for (i = 0; i < request.n; i++)
		dprintf(fd, "%s%s", request.words[i], i + 1 < request.n ? " " : "\n");
	if (request.n > 1 && !strcmp(request.words[0], "capture") && !strcmp(request.words[1], "-"))
		return stream(fd);
	while (fgets(line, sizeof(line), sock)) {
		if (!strcmp(line, "ok\n"))
			return EXIT_OK;
		if (!strncmp(line, "error: ", 7)) {
			fprintf(stderr, "cxctl: %s", line + 7);
			return EXIT_ERROR;
		}
		fputs(line, stdout);
	}
	fprintf(stderr, "cxctl: connection closed without an answer\n");
	return EXIT_NO_REPLY;
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse_option, .args_doc = "SOCKET REQUEST...", .doc = doc
	};
	int fd;

	argp_err_exit_status = EXIT_NO_REPLY;
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, NULL);
	fd = connect_to(request.path);
	if (fd < 0 || !greeted(fd))
		return EXIT_NO_REPLY;
	return send_request(fd);
}
