// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The control socket (control.h has the protocol). A client that does not read its replies is
 * disconnected.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/json.h"
#include "card/card.h"
#include "fault/fault.h"
#include "host/control.h"
#include "host/host.h"
#include "host/isolate.h"
#include "rdma/rdma.h"
#include "wire/wire.h"

#define LINE_BYTES 1024
#define REPLY_ROOM (1 << 20)

struct client {
	size_t len;
	bool streaming;		/* a capture; further input is ignored */
	char line[LINE_BYTES];
};

static struct cxdev **devs;
static unsigned int n_devs;
static int listen_fd = -1;
static const char *where;

void control_status(FILE *out)
{
	unsigned int i;

	for (i = 0; i < n_devs; i++)
		cxdev_status(devs[i], out);
	isolate_status(out);
	wire_status(out);
	capture_status(out);
	fprintf(out, "violations: %llu\n", (unsigned long long)violations_total());
	violations_print(out);
}

static void status_json(FILE *out)
{
	struct json_object *all = json_object_new_object(), *list;
	unsigned int i;

	json_text(all, "version", CXEMU_VERSION);
	json_number(all, "protocol", CONTROL_PROTOCOL);
	list = json_list(all, "functions");
	for (i = 0; i < n_devs; i++)
		cxdev_json(devs[i], json_row(list));
	isolate_json(all);
	wire_json(all);
	capture_json(all);
	violations_json(all);
	fprintf(out, "%s\n", json_object_to_json_string_ext(all, JSON_C_TO_STRING_PRETTY |
							     JSON_C_TO_STRING_SPACED));
	json_object_put(all);
}

#define COMMANDS \
	"status [--json], violations [forget], gids [FUNCTION], caps [FUNCTION], "		\
	"commands [FUNCTION], "									\
	"command-us [off|table|N], cable, uncable, capture ..., vf ..., fault ..., help"

#define CAPTURE_USAGE "capture FILE [PORT], capture - [PORT], capture stop FILE"

/* What @print prints of all functions, or of @name; @what is the command. */
static int print_functions(const char *what, void (*print)(const struct cxdev *dev, FILE *out),
			   const char *name, FILE *out)
{
	bool found = false;
	unsigned int i;

	for (i = 0; i < n_devs; i++) {
		if (name && strcmp(name, devs[i]->name))
			continue;
		found = true;
		print(devs[i], out);
	}
	if (!found) {
		fprintf(out, "error: %s: no function '%s'\n", what, name);
		return -EINVAL;
	}
	fprintf(out, "ok\n");
	return 0;
}

/* command-us [off|table|N] */
static int set_command_us(const char *setting, FILE *out)
{
	if (setting && cmd_time_set(setting)) {
		fprintf(out, "error: command-us: '%s' is neither off, table nor 0 to %u\n", setting,
			CMD_TIME_MAX_US);
		return -EINVAL;
	}
	if (!setting)
		cmd_time_print(out);
	fprintf(out, "ok\n");
	return 0;
}

static struct port *find_port(const char *name, FILE *out)
{
	struct port *port = name ? port_find(name) : NULL;

	if (!port && name)
		fprintf(out, "error: there is no port '%s'\n", name);
	return port;
}

/* cable A B, uncable A */
static int set_cable(const char *word, char *rest, FILE *out)
{
	bool two = !strcmp(word, "cable");
	char *first = rest ? strtok(rest, " \t\r") : NULL, *second = strtok(NULL, " \t\r");
	struct port *a, *b = NULL;
	int err;

	if (!first || !second != !two || strtok(NULL, " \t\r")) {
		fprintf(out, "error: %s\n", two ? "cable takes two ports" : "uncable takes a port");
		return -EINVAL;
	}
	a = find_port(first, out);
	if (a && two)
		b = find_port(second, out);
	if (!a || (two && !b))
		return -EINVAL;
	err = two ? port_cable(a, b) : 0;
	if (err) {
		fprintf(out, "error: one of the ports %s\n", err == -EBUSY ?
			"already has a cable" : "is that of a VF, which has no connector");
		return err;
	}
	if (!two)
		port_uncable(a);
	fprintf(out, "ok\n");
	return 0;
}

/* capture stop FILE, capture FILE [PORT]; start_stream() handles "-". */
static int set_capture(char *rest, FILE *out)
{
	char *path = rest ? strtok(rest, " \t\r") : NULL, *second = strtok(NULL, " \t\r");
	bool stop = path && !strcmp(path, "stop");
	struct port *port = NULL;
	int err;

	if (!path || (stop && !second) || strtok(NULL, " \t\r")) {
		fprintf(out, "error: " CAPTURE_USAGE "\n");
		return -EINVAL;
	}
	if (!stop && second) {
		port = find_port(second, out);
		if (!port)
			return -EINVAL;
	}
	err = stop ? capture_stop(second) : capture_request(path, port);
	if (err == -EBUSY)
		fprintf(out, "error: %s is already being captured to\n", path);
	else if (err == -EEXIST)
		fprintf(out, "error: %s exists and is not a capture\n", path);
	else if (err == -ENOENT && stop)
		fprintf(out, "error: no capture to %s\n", second);
	else if (err)
		fprintf(out, "error: %s: %s\n", path, strerror(-err));
	else
		fprintf(out, "ok\n");
	return err;
}

static void forget_violations(FILE *out)
{
	unsigned int i;

	fprintf(out, "%llu violations forgotten\nok\n", (unsigned long long)violations_total());
	for (i = 0; i < n_devs; i++)
		devs[i]->violations = 0;
	violations_forget();
}

int control_line(char *line, FILE *out)
{
	char *word = strtok(line, " \t\r"), *rest = strtok(NULL, "");

	if (!word) {
		fprintf(out, "error: empty line; commands are: " COMMANDS "\n");
		return -EINVAL;
	}
	if (!strcmp(word, "gids"))
		return print_functions(word, roce_addrs_print, rest, out);
	if (!strcmp(word, "caps"))
		return print_functions(word, cap_print_all, rest, out);
	if (!strcmp(word, "commands"))
		return print_functions(word, cmd_counts_print, rest, out);
	if (!strcmp(word, "command-us"))
		return set_command_us(rest, out);
	if (!strcmp(word, "cable") || !strcmp(word, "uncable"))
		return set_cable(word, rest, out);
	if (!strcmp(word, "capture"))
		return set_capture(rest, out);
	if (!strcmp(word, "vf"))
		return vf_line(rest ? rest : line + strlen(line), devs, n_devs, out);
	if (!strcmp(word, "fault")) {
		if (fault_line(rest ? rest : line + strlen(line), devs, n_devs, out))
			return -EINVAL;
		fprintf(out, "ok\n");
		return 0;
	}
	if (rest && !strcmp(word, "violations") && !strcmp(rest, "forget")) {
		forget_violations(out);
		return 0;
	}
	if (rest && !strcmp(word, "status") && !strcmp(rest, "--json")) {
		status_json(out);
		fprintf(out, "ok\n");
		return 0;
	}
	if (rest) {
		fprintf(out, "error: %s takes no arguments, got '%s'\n", word, rest);
		return -EINVAL;
	}
	if (!strcmp(word, "status")) {
		control_status(out);
	} else if (!strcmp(word, "violations")) {
		violations_print(out);
	} else if (!strcmp(word, "help")) {
		fprintf(out, "commands are: " COMMANDS "\n");
		fprintf(out, CAPTURE_USAGE "\n");
		vf_usage(out);
		fault_usage(out);
	} else {
		fprintf(out, "error: unknown command '%s'; commands are: " COMMANDS "\n", word);
		return -EINVAL;
	}
	fprintf(out, "ok\n");
	return 0;
}

static void close_client(int fd, struct client *client)
{
	capture_stream_end(fd);
	loop_del_fd(fd);
	close(fd);
	free(client);
}

/* "capture - [PORT]": streams the capture to the client. False: another command. */
static bool start_stream(int fd, struct client *client)
{
	char name[64] = "", end;
	struct port *port = NULL;

	if (sscanf(client->line, "capture - %63s %c", name, &end) == 2 ||
	    (strncmp(client->line, "capture - ", 10) && strcmp(client->line, "capture -")))
		return false;
	if (*name)
		port = port_find(name);
	if (*name && !port)
		dprintf(fd, "error: there is no port '%s'\n", name);
	else if (capture_stream(fd, port))
		dprintf(fd, "error: cannot start the capture\n");
	else
		client->streaming = true;
	return true;
}

/* False: the client does not read the reply. */
static bool send_reply(int fd, char *line)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	ssize_t sent;

	if (!out)
		return false;
	control_line(line, out);
	fclose(out);
	sent = send(fd, text, len, MSG_DONTWAIT | MSG_NOSIGNAL);
	free(text);
	return sent == (ssize_t)len;
}

static void on_client(int fd, void *arg)
{
	struct client *client = arg;
	ssize_t n =
		recv(fd, client->line + client->len, LINE_BYTES - 1 - client->len, MSG_DONTWAIT);
	char *end;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		close_client(fd, client);
		return;
	}
	if (client->streaming)
		return;
	client->len += n;
	client->line[client->len] = 0;
	while ((end = memchr(client->line, '\n', client->len))) {
		*end = 0;
		if (start_stream(fd, client)) {
			client->len = 0;
			return;
		}
		if (!send_reply(fd, client->line)) {
			close_client(fd, client);
			return;
		}
		client->len -= end + 1 - client->line;
		memmove(client->line, end + 1, client->len + 1);
	}
	if (client->len == LINE_BYTES - 1) {
		static const char text[] = "error: the line is longer than 1022 characters\n";

		send(fd, text, sizeof(text) - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
		close_client(fd, client);
	}
}

static void on_connect(int fd, void *arg)
{
	static const char greeting[] = CONTROL_GREETING "\n";
	int conn = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), room = REPLY_ROOM;
	struct client *client;

	(void)arg;
	if (conn < 0)
		return;
	setsockopt(conn, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	send(conn, greeting, sizeof(greeting) - 1, MSG_NOSIGNAL);
	client = calloc(1, sizeof(*client));
	if (!client || loop_add_fd(conn, on_client, client)) {
		free(client);
		close(conn);
	}
}

void control_set_devs(struct cxdev **functions, unsigned int n)
{
	devs = functions;
	n_devs = n;
}

int control_open(const char *path, struct cxdev **functions, unsigned int n)
{
	control_set_devs(functions, n);
	where = path;
	listen_fd = sockets_listen(path, 8, on_connect, NULL);
	if (listen_fd < 0) {
		fprintf(stderr, "cxemu: --control: cannot listen on %s: %s\n", path,
			strerror(-listen_fd));
		return listen_fd;
	}
	return 0;
}

void control_close(void)
{
	if (listen_fd < 0)
		return;
	sockets_close(listen_fd, where);
	listen_fd = -1;
}
