// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Processes of adapters. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "base/json.h"
#include "host/isolate.h"
#include "host/sandbox.h"
#include "wire/wire.h"

#define START_MS 20000
#define PATIENCE_MS 5000	/* for a process that is told to end */
#define SEND_BUFFER (256 * 1024)
#define PAUSE_MS 10

struct adapter {
	struct list_head node;
	char name[32];
	pid_t pid;
	bool ended;
	bool early;	/* and nobody has told it to */
	int status;	/* as of waitpid(), once ended */
	unsigned int n;
	int fds[ISOLATE_JOINTS];	/* -1: the joint has it */
	char ports[ISOLATE_JOINTS][32];
};

static struct list_head adapters = LIST_HEAD_INIT(adapters);

/* ---- start ---- */

static void close_ends(struct adapter *a)
{
	unsigned int i;

	for (i = 0; i < a->n; i++) {
		if (a->fds[i] >= 0)
			close(a->fds[i]);
		a->fds[i] = -1;
	}
}

static void forget(struct adapter *a)
{
	close_ends(a);
	list_del(&a->node);
	free(a);
}

/* The new process has no others. */
static void forget_all(void)
{
	while (!list_empty(&adapters))
		forget(list_first_entry(&adapters, struct adapter, node));
}

/* The process's ends at @fds, those of the switch in @a. 0 or -errno. */
static int make_joints(struct adapter *a, unsigned int n, int *fds)
{
	int pair[2], room = SEND_BUFFER;

	for (a->n = 0; a->n < n; a->n++) {
		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair)) {
			int err = -errno;

			while (a->n--) {
				close(a->fds[a->n]);
				close(fds[a->n]);
			}
			return err;
		}
		setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
		setsockopt(pair[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
		a->fds[a->n] = pair[0];
		fds[a->n] = pair[1];
	}
	return 0;
}

/* The end of a process that ends at once waits for the loop. */
static void keep_ends(void)
{
	sigset_t set;

	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

int isolate_fork(const char *name, const char *const *ports, unsigned int n, int *fds)
{
	struct adapter *a = calloc(1, sizeof(*a));
	pid_t parent = getpid();
	unsigned int i;
	int err;

	if (!a)
		return -ENOMEM;
	snprintf(a->name, sizeof(a->name), "%s", name);
	for (i = 0; i < n; i++)
		snprintf(a->ports[i], sizeof(a->ports[i]), "%s", ports[i]);
	err = make_joints(a, n, fds);
	if (err) {
		free(a);
		return err;
	}
	keep_ends();
	list_add_tail(&a->node, &adapters);
	a->pid = fork();
	if (!a->pid) {
		forget_all();
		sandbox_end_with(parent);
		return 1;
	}
	err = a->pid < 0 ? -errno : 0;
	for (i = 0; i < n; i++)
		close(fds[i]);
	if (err)
		forget(a);
	return err;
}

/* It tells whether there is link at its ports when it is open to guests. */
static bool is_ready(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char c;

	return poll(&p, 1, START_MS) == 1 && recv(fd, &c, 1, MSG_PEEK) == 1;
}

static void on_end(void *arg)
{
	(void)arg;	/* isolate_reap() tells */
}

static int join_adapter(struct adapter *a)
{
	unsigned int i;
	int err;

	for (i = 0; i < a->n; i++) {
		if (!is_ready(a->fds[i])) {
			fprintf(stderr, "cxemu: adapter %s: its process does not start\n",
				a->name);
			return -ECHILD;
		}
		err = uplink_join(a->fds[i], a->ports[i], NULL, on_end, NULL);
		a->fds[i] = -1;
		if (err)
			return err;
	}
	notice(NULL, "adapter %s: process %d", a->name, a->pid);
	return 0;
}

int isolate_join(void)
{
	struct adapter *a;
	int err;

	list_for_each_entry(a, &adapters, node) {
		err = join_adapter(a);
		if (err)
			return err;
	}
	return 0;
}

/* ---- end ---- */

/* How it has ended: for a line. */
static const char *end_text(const struct adapter *a)
{
	static char text[64];

	if (WIFSIGNALED(a->status))
		snprintf(text, sizeof(text), "ended by signal %d", WTERMSIG(a->status));
	else
		snprintf(text, sizeof(text), "ended with status %d", WEXITSTATUS(a->status));
	return text;
}

/* Those that have ended; the number of those that have not. */
static unsigned int collect(bool tell)
{
	unsigned int left = 0;
	struct adapter *a;

	list_for_each_entry(a, &adapters, node) {
		if (!a->ended && waitpid(a->pid, &a->status, WNOHANG)) {
			a->ended = true;
			a->early = tell;
			if (tell)
				notice(NULL, "adapter %s: process %d has %s", a->name, a->pid,
				       end_text(a));
		}
		left += !a->ended;
	}
	return left;
}

void isolate_reap(void)
{
	if (!collect(true) && !list_empty(&adapters))
		loop_stop();
}

static int status_of(const struct adapter *a)
{
	int status;

	if (!a->ended || a->early || WIFSIGNALED(a->status))
		return EXIT_FAILURE;
	status = WEXITSTATUS(a->status);
	return status == EXIT_SUCCESS || status == EXIT_VIOLATIONS ? status : EXIT_FAILURE;
}

int isolate_finish(void)
{
	int waited = 0, worst = EXIT_SUCCESS, status;
	struct adapter *a;

	list_for_each_entry(a, &adapters, node)
		close_ends(a);
	while (collect(false) && waited < PATIENCE_MS) {
		poll(NULL, 0, PAUSE_MS);
		waited += PAUSE_MS;
	}
	list_for_each_entry(a, &adapters, node) {
		status = status_of(a);
		if (!a->ended)
			fprintf(stderr,
				"cxemu: adapter %s: process %d does not end: it is left to the kernel\n",
				a->name, a->pid);
		else if (WIFSIGNALED(a->status))
			fprintf(stderr, "cxemu: adapter %s: its process has %s\n", a->name,
				end_text(a));
		/* a failure is worse than violations */
		if (status == EXIT_FAILURE || worst == EXIT_SUCCESS)
			worst = status;
	}
	forget_all();
	return worst;
}

/* ---- status ---- */

void isolate_status(FILE *out)
{
	struct adapter *a;

	list_for_each_entry(a, &adapters, node)
		fprintf(out, "adapter %s: process %d%s%s\n", a->name, a->pid,
			a->ended ? " has " : "", a->ended ? end_text(a) : "");
}

void isolate_json(struct json_object *to)
{
	struct json_object *list, *row;
	struct adapter *a;

	if (list_empty(&adapters))
		return;
	list = json_list(to, "adapters");
	list_for_each_entry(a, &adapters, node) {
		row = json_row(list);
		json_text(row, "name", a->name);
		json_number(row, "process", a->pid);
		json_flag(row, "serving", !a->ended);
		if (a->ended && WIFSIGNALED(a->status))
			json_number(row, "signal", WTERMSIG(a->status));
		else if (a->ended)
			json_number(row, "exit_status", WEXITSTATUS(a->status));
	}
}
