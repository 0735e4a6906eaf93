// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* cxemu: options, signals, start and stop. */
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "card/card.h"
#include "host/control.h"
#include "host/host.h"
#include "host/isolate.h"
#include "host/sandbox.h"
#include "port/port.h"
#include "wire/wire.h"

#define FUNCTIONS_MAX 16
#define FIRST_MAX 239	/* the last byte of a MAC is one more than the number */
#define WIRES_MAX 16
#define MEMORY_MAX_MIB 65536
#define SPIN_MAX_US 10000
#define LOG_BUFFER (1 << 20)
#define ISOLATED_NAME_MAX 26	/* a port has .wire behind it */

enum {
	OPTION_SOCKET_MODE = 256, OPTION_SOCKET_OWNER, OPTION_FIRST, OPTION_USER, OPTION_SANDBOX,
	OPTION_SPIN, OPTION_ISOLATE
};

const char *argp_program_version = "cxemu " CXEMU_VERSION;

static const char doc[] =
	"A ConnectX adapter for QEMU\vExit status 0; 1: it has failed; 3: violations.";

static const struct argp_option option_table[] = {
	{ "card", 'c', "NAME[,OPTION...]", 0,
	  "the adapter (default cx5). Options: dcb, with traffic classes; devx, with user contexts for applications that send commands of their own, and DC transport; odp=memory, with page faults of the memory scheme as well, for drivers that ask for it; ports=2, every two functions are the ports of one card; vfs=N, the first of every N + 1 functions has the others as virtual functions, with sriov these are enabled by its driver, and with eswitch it manages their switch",
	  0 },
	{ "vm", 'v', "NAME=SOCKET", 0,
	  "a function, and the vfio-user socket that a VM connects to; may be repeated", 0 },
	{ "wire", 'w', "WIRE", 0,
	  "a port of the switch: unix:SOCKET, for QEMU's -netdev stream; udp:PORT:HOST:PORT, from a port here to another cxemu or QEMU's -netdev dgram, a frame in each datagram; tap:INTERFACE. Or the switch itself, switch:KEY=VALUE,...: rate, delay, buffers, flow control and marks. May be repeated",
	  0 },
	{ "pcap", 'p', "FILE", 0, "write every frame to FILE (pcapng)", 0 },
	{ "control", 's', "SOCKET", 0, "listen for cxctl on SOCKET", 0 },
	{ "socket-mode", OPTION_SOCKET_MODE, "OCTAL", 0,
	  "mode of all sockets: who may connect (default: from the umask)", 0 },
	{ "socket-owner", OPTION_SOCKET_OWNER, "[USER][:GROUP]", 0, "owner of all sockets", 0 },
	{ "user", OPTION_USER, "USER[:GROUP]", 0,
	  "become that user once all sockets, files and interfaces are open", 0 },
	{ "sandbox", OPTION_SANDBOX, "on|off", 0,
	  "then only make the system calls that serving takes (default on); another one ends the process",
	  0 },
	{ "isolate", OPTION_ISOLATE, NULL, 0,
	  "a process for each adapter, joined by a switch in this one, so that what a guest does to it is its own; its control socket and journal have the name of its first function at the end: SOCKET.NAME",
	  0 },
	{ "first", OPTION_FIRST, "N", 0,
	  "number of the first function, 0 to 239 (default 0): MACs and GUIDs come from it, and two processes on one wire need different ones",
	  0 },
	{ "numbers", 'n', "turn|reuse", 0,
	  "numbers of new objects: in turn (default), or the lowest free one", 0 },
	{ "command-us", 'u', "off|table|N", 0,
	  "how long commands take: not at all (default), as on cards, or N microseconds each", 0 },
	{ "memory", 'm', "MIB", 0,
	  "memory of the host for what a function's driver creates: 1 to 65536 (default 512)", 0 },
	{ "spin", OPTION_SPIN, "MICROSECONDS", 0,
	  "look for work so long before sleeping, 0 to 10000 (default 0): answers come sooner, for a processor of the host",
	  0 },
	{ "log", 'l', "FILE", 0, "write the log to FILE, not standard error", 0 },
	{ "journal", 'j', "FILE", 0,
	  "write to FILE what drivers write: commands, registers, doorbells, send WQEs", 0 },
	{ "trace", 't', "LEVEL", 0, "quiet, info (default) or debug (every command)", 0 },
	{ 0 }
};

static struct {
	const struct card *card;
	unsigned int ports, vfs, first;
	bool sriov;	/* the driver of the PF enables VFs */
	bool eswitch;	/* and manages the e-switch */
	bool isolate;
	const char *pcap, *control, *log, *journal;
	const char *wires[WIRES_MAX];
	unsigned int n_wires, n;
	struct function functions[FUNCTIONS_MAX];
	char names[FUNCTIONS_MAX][32];
	struct cxdev *devs[FUNCTIONS_MAX];
	FILE *log_file;
	unsigned int n_joints;
	int joints[ISOLATE_JOINTS];	/* of the process of an adapter */
} run = { .ports = 1 };

static void parse_card_option(struct argp_state *state, const char *arg, size_t len)
{
	bool vfs = len > 4 && len < 7 && !memcmp(arg, "vfs=", 4) &&
		   strspn(arg + 4, "0123456789") == len - 4;
	int n = vfs ? atoi(arg + 4) : 0;

	if (n && n <= VFS_MAX)
		run.vfs = n;
	else if (len == 5 && !memcmp(arg, "sriov", 5))
		run.sriov = true;
	else if (len == 7 && !memcmp(arg, "eswitch", 7))
		run.eswitch = true;
	else if (len == 3 && !memcmp(arg, "dcb", 3))
		card_dcb = true;
	else if (len == 4 && !memcmp(arg, "devx", 4))
		card_devx = true;
	else if (len == 10 && !memcmp(arg, "odp=memory", 10))
		card_memory_faults = true;
	else if (len == 7 && !memcmp(arg, "ports=", 6) && arg[6] >= '1' && arg[6] < '1' + LAG_PORTS)
		run.ports = arg[6] - '0';
	else
		argp_error(state,
			   "--card: '%.*s' is neither ports=1 or 2, dcb, devx, odp=memory, eswitch, sriov nor vfs=1 to %u",
			   (int)len, arg, VFS_MAX);
}

static void parse_card(struct argp_state *state, const char *arg)
{
	size_t len = strcspn(arg, ",");

	run.card = card_find(arg, len);
	if (!run.card) {
		fprintf(stderr, "cxemu: --card: there is no card '%.*s'; known: ", (int)len, arg);
		card_list(stderr);
		fprintf(stderr, "\n");
		exit(EXIT_FAILURE);
	}
	while (arg[len]) {
		arg += len + 1;
		len = strcspn(arg, ",");
		parse_card_option(state, arg, len);
	}
	if (card_memory_faults && !card_devx)
		argp_error(state, "--card: odp=memory is for a card with devx");
	if (run.vfs && run.ports > 1)
		argp_error(state, "--card: a card with virtual functions has one port");
	if (run.sriov && !run.vfs)
		argp_error(state, "--card: sriov is for a card with vfs=N");
	if (run.eswitch && !run.sriov)
		argp_error(state, "--card: eswitch is for a card with sriov");
}

static void parse_vm(struct argp_state *state, const char *arg)
{
	const char *eq = strchr(arg, '=');
	unsigned int i;

	if (!eq || eq == arg || !eq[1])
		argp_error(state, "--vm: '%s' is not NAME=SOCKET", arg);
	if (run.n == FUNCTIONS_MAX)
		argp_error(state, "--vm: more than %u functions", FUNCTIONS_MAX);
	if ((size_t)(eq - arg) >= sizeof(run.names[0]) ||
	    strlen(eq + 1) >= sizeof(run.functions[0].path))
		argp_error(state,
			   "--vm: name longer than %zu or path longer than %zu characters in '%s'",
			   sizeof(run.names[0]) - 1, sizeof(run.functions[0].path) - 1, arg);
	memcpy(run.names[run.n], arg, eq - arg);
	strcpy(run.functions[run.n].path, eq + 1);
	for (i = 0; i < run.n; i++)
		if (!strcmp(run.names[i], run.names[run.n]) ||
		    !strcmp(run.functions[i].path, run.functions[run.n].path))
			argp_error(state, "--vm: '%s': duplicate name or socket", arg);
	run.n++;
}

static void parse_wire(struct argp_state *state, const char *arg)
{
	const char *why;

	if (!strncmp(arg, "switch:", 7)) {
		if (physics_set(arg + 7, &why))
			argp_error(state, "--wire: '%s': %s", arg, why);
		return;
	}
	if (run.n_wires == WIRES_MAX)
		argp_error(state, "--wire: more than %u wires", WIRES_MAX);
	run.wires[run.n_wires++] = arg;
}

static void parse_numbers(struct argp_state *state, const char *arg)
{
	obj_reuse_numbers = !strcmp(arg, "reuse");
	if (!obj_reuse_numbers && strcmp(arg, "turn"))
		argp_error(state, "--numbers: '%s' is neither turn nor reuse", arg);
}

static void parse_command_us(struct argp_state *state, const char *arg)
{
	if (cmd_time_set(arg))
		argp_error(state, "--command-us: '%s' is neither off, table nor 0 to %u", arg,
			   CMD_TIME_MAX_US);
}

static unsigned long parse_number(struct argp_state *state, const char *option, const char *arg,
				  unsigned long least, unsigned long most)
{
	char *end;
	unsigned long number = strtoul(arg, &end, 10);

	if (*arg < '0' || *arg > '9' || *end || number < least || number > most)
		argp_error(state, "--%s: '%s' is not %lu to %lu", option, arg, least, most);
	return number;
}

static void check(struct argp_state *state, const char *option, const char *arg, const char *wrong)
{
	if (wrong)
		argp_error(state, "--%s: '%s' %s", option, arg, wrong);
}

static void parse_level(struct argp_state *state, const char *arg)
{
	if (!strcmp(arg, "quiet"))
		trace_level = TRACE_QUIET;
	else if (!strcmp(arg, "info"))
		trace_level = TRACE_INFO;
	else if (!strcmp(arg, "debug"))
		trace_level = TRACE_DEBUG;
	else
		argp_error(state, "--trace: '%s' is not quiet, info or debug", arg);
}

static void check_isolate(struct argp_state *state)
{
	char path[sizeof(run.functions[0].path) + sizeof(run.names[0])];
	unsigned int i, k;

	if (!run.isolate)
		return;
	if (wire_has_rate())
		argp_error(state,
			   "--isolate: a wire with a rate has one clock, and so one process");
	for (i = 0; i < run.n; i++) {
		if (strlen(run.names[i]) > ISOLATED_NAME_MAX)
			argp_error(state, "--isolate: the name '%s' has more than %u characters",
				   run.names[i], ISOLATED_NAME_MAX);
		snprintf(path, sizeof(path), "%s.%s", run.control ? run.control : "", run.names[i]);
		for (k = 0; k < run.n; k++)
			if (!strcmp(path, run.functions[k].path))
				argp_error(state, "--isolate: %s is a control socket, too", path);
	}
}

/* Those without a letter. */
static error_t parse_long_option(int key, const char *arg, struct argp_state *state)
{
	switch (key) {
	case OPTION_SOCKET_MODE:
		check(state, "socket-mode", arg, sockets_set_mode(arg));
		break;
	case OPTION_SOCKET_OWNER:
		check(state, "socket-owner", arg, sockets_set_owner(arg));
		break;
	case OPTION_USER:
		check(state, "user", arg, sandbox_set_user(arg));
		break;
	case OPTION_SANDBOX:
		check(state, "sandbox", arg, sandbox_set_calls(arg));
		break;
	case OPTION_FIRST:
		run.first = parse_number(state, "first", arg, 0, FIRST_MAX);
		break;
	case OPTION_ISOLATE:
		run.isolate = true;
		break;
	case OPTION_SPIN:
		loop_set_spin(parse_number(state, "spin", arg, 0, SPIN_MAX_US));
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 'c':
		parse_card(state, arg);
		break;
	case 'v':
		parse_vm(state, arg);
		break;
	case 'w':
		parse_wire(state, arg);
		break;
	case 'p':
		run.pcap = arg;
		break;
	case 's':
		run.control = arg;
		break;
	case 'n':
		parse_numbers(state, arg);
		break;
	case 'u':
		parse_command_us(state, arg);
		break;
	case 'm':
		budget_bytes = (uint64_t)parse_number(state, "memory", arg, 1, MEMORY_MAX_MIB)
			       << 20;
		break;
	case 'l':
		run.log = arg;
		break;
	case 'j':
		run.journal = arg;
		break;
	case 't':
		parse_level(state, arg);
		break;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s' is not an option", arg);
		break;
	case ARGP_KEY_END:
		if (!run.n)
			argp_error(state, "at least one --vm NAME=SOCKET is needed");
		if (run.n <= run.vfs)
			argp_error(state, "--card: a PF and vfs=%u take %u --vm, not %u", run.vfs,
				   run.vfs + 1, run.n);
		check_isolate(state);
		break;
	default:
		return parse_long_option(key, arg, state);
	}
	return 0;
}

static void on_signal(int fd, void *arg)
{
	struct signalfd_siginfo info;

	(void)arg;
	if (read(fd, &info, sizeof(info)) != sizeof(info))
		return;
	if (info.ssi_signo == SIGCHLD)
		isolate_reap();
	else
		loop_stop();
}

static int catch_signals(void)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : loop_add_fd(fd, on_signal, NULL);
}

static int create_function(unsigned int i)
{
	unsigned int first = i - i % (run.vfs + 1);	/* the PF of its card */
	const struct card *card = i > first ? card_vf(run.card) : run.card;

	run.devs[i] = cxdev_create(run.names[i], run.first + i, card, &function_guest_ops,
				   &run.functions[i]);
	if (!run.devs[i])
		return -ENOMEM;
	run.functions[i].dev = run.devs[i];
	if (run.ports == LAG_PORTS && i % LAG_PORTS)
		return adapter_join(&run.devs[i - 1]);
	if (i > first) {
		eswitch_add(run.devs[first], run.devs[i]);
		if (run.sriov)
			vfs_add(run.devs[first], run.devs[i]);
		return 0;
	}
	if (run.vfs && eswitch_create(run.devs[i]))
		return -ENOMEM;
	if (run.sriov && vfs_create(run.devs[i]))
		return -ENOMEM;
	if (run.eswitch)
		eswitch_manage(run.devs[i]);
	return 0;
}

/* ---- a process for each adapter ---- */

static void on_switch_gone(void *arg)
{
	(void)arg;
	loop_stop();
}

/* What is left to a process that serves the @n functions from @first on, called @name. */
static int keep_adapter(unsigned int first, unsigned int n, const char *name)
{
	static char control[128], journal[512];

	run.first += first;
	run.n = n;
	memmove(run.names, run.names + first, n * sizeof(run.names[0]));
	memmove(run.functions, run.functions + first, n * sizeof(run.functions[0]));
	run.n_wires = 0;
	run.pcap = NULL;
	if ((run.control && snprintf(control, sizeof(control), "%s.%s", run.control, name) >=
				    (int)sizeof(control)) ||
	    (run.journal && snprintf(journal, sizeof(journal), "%s.%s", run.journal, name) >=
				    (int)sizeof(journal))) {
		fprintf(stderr, "cxemu: --isolate: a path with .%s is too long\n", name);
		return -ENAMETOOLONG;
	}
	run.control = run.control ? control : NULL;
	run.journal = run.journal ? journal : NULL;
	return 0;
}

/* Returns in each process; the switch has no functions. */
static int isolate(void)
{
	unsigned int size = run.vfs ? run.vfs + 1 : run.ports, first, n, i;
	const char *ports[ISOLATE_JOINTS];
	int in_new;

	for (first = 0; first < run.n; first += size) {
		n = run.n - first < size ? run.n - first : size;
		run.n_joints = run.vfs ? 1 : n;
		for (i = 0; i < run.n_joints; i++)
			ports[i] = run.names[first + i];
		in_new = isolate_fork(ports[0], ports, run.n_joints, run.joints);
		if (in_new < 0)
			fprintf(stderr, "cxemu: --isolate: %s\n", strerror(-in_new));
		if (in_new)
			return in_new < 0 ? in_new : keep_adapter(first, n, ports[0]);
	}
	run.n = 0;
	run.n_joints = 0;
	run.journal = NULL;
	return 0;
}

static int join_switch(void)
{
	char name[40];
	unsigned int i;
	int err;

	for (i = 0; i < run.n_joints; i++) {
		snprintf(name, sizeof(name), "%s.wire", run.names[i]);
		err = uplink_join(run.joints[i], name, run.devs[i]->port, on_switch_gone, NULL);
		if (err) {
			fprintf(stderr, "cxemu: --isolate: %s: %s\n", name, strerror(-err));
			return err;
		}
	}
	return 0;
}

/* ---- start and stop ---- */

static int open_log(void)
{
	run.log_file = stderr;
	if (run.log) {
		run.log_file = fopen(run.log, "w");
		/* whole lines, and at the end a whole status, between those of others */
		if (run.log_file)
			setvbuf(run.log_file, NULL, _IOFBF, LOG_BUFFER);
		if (!run.log_file) {
			fprintf(stderr, "cxemu: --log %s: %s\n", run.log, strerror(errno));
			return -errno;
		}
	}
	trace_set_output(run.log_file);
	return 0;
}

/* Each vector of a function is a descriptor; the usual soft limit is less than all of them. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int start(void)
{
	unsigned int i;
	int err = open_log();

	raise_file_limit();
	if (!err && run.isolate)
		err = isolate();
	if (err)
		return err;
	if (run.journal) {
		err = journal_open(run.journal);
		if (err) {
			fprintf(stderr, "cxemu: --journal %s: %s\n", run.journal, strerror(-err));
			return err;
		}
	}
	err = catch_signals();
	if (!err)
		err = dma_survive_bus_errors();
	for (i = 0; !err && i < run.n; i++) {
		err = create_function(i);
		if (!err)
			err = function_listen(&run.functions[i]);
	}
	for (i = 0; !err && i < run.n_wires; i++)
		err = uplink_open(run.wires[i]);
	if (!err && run.pcap) {
		err = capture_open(run.pcap, NULL);
		if (err)
			fprintf(stderr, "cxemu: --pcap %s: %s\n", run.pcap, strerror(-err));
	}
	if (!err && run.control)
		err = control_open(run.control, run.devs, run.n);
	/* last, for it tells that the others are done */
	if (!err)
		err = join_switch();
	if (!err)
		err = isolate_join();
	return err;
}

/* For systemd (sd_notify(3)): those who need the sockets may be started. */
static void notify_ready(void)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd;

	if (!path || strlen(path) >= sizeof(to.sun_path))
		return;
	strcpy(to.sun_path, path);
	if (*path == '@')
		to.sun_path[0] = 0;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	sendto(fd, "READY=1", 7, MSG_NOSIGNAL, (struct sockaddr *)&to,
	       offsetof(struct sockaddr_un, sun_path) + strlen(path));
	close(fd);
}

static void stop(void)
{
	unsigned int i;

	control_close();
	uplinks_close();
	for (i = 0; i < run.n; i++) {
		if (!run.devs[i])
			continue;
		function_close(&run.functions[i]);
		cxdev_destroy(run.devs[i]);
	}
	capture_close();
	journal_close();
}

static int exit_status(int err, int adapters)
{
	if (err || adapters == EXIT_FAILURE)
		return EXIT_FAILURE;
	return violations_total() ? EXIT_VIOLATIONS : adapters;
}

int main(int argc, char **argv)
{
	static const struct argp argp = { option_table, parse_option, NULL, doc, NULL, NULL, NULL };
	uint64_t violations;
	int err, adapters;

	argp_err_exit_status = EXIT_FAILURE;
	run.card = card_find("cx5", 3);
	argp_parse(&argp, argc, argv, 0, NULL, NULL);
	err = start();
	if (!err) {
		notice(NULL, "%s, %u functions", run.card->model, run.n);
		if (!run.n_joints)
			notify_ready();
		err = sandbox_enter();
	}
	if (!err) {
		isolate_reap();
		err = loop_run();
		control_status(run.log_file);
	}
	stop();
	adapters = isolate_finish();
	violations = violations_total();
	if (violations)
		fprintf(stderr, "cxemu: %llu violations, see the log\n",
			(unsigned long long)violations);
	if (run.log && run.log_file)
		fclose(run.log_file);
	return exit_status(err, adapters);
}
