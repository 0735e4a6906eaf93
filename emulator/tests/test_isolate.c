// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* A process for each adapter: what one of them is to the others, and to who looks at them. */
#include <errno.h>
#include <json-c/json.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "prm/cmdif.h"
#include "vfu_client.h"

#define TRIES 500
#define PAUSE_US 10000

static const char *bin_dir;
static struct emu emu;

/* ---- what it says ---- */

/* The answer of the process of adapter @name, or of the switch. */
static const char *ask(const char *name, const char *line)
{
	struct emu one = emu;

	if (name)
		snprintf(one.control, sizeof(one.control), "%.80s.%.8s", emu.control, name);
	return emu_control(&one, line);
}

static bool says(const char *name, const char *line, const char *text)
{
	int i;

	for (i = 0; i < TRIES; i++) {
		if (strstr(ask(name, line), text))
			return true;
		usleep(PAUSE_US);
	}
	printf("# it says: %s", ask(name, line));
	return false;
}

static struct json_object *status(void)
{
	char text[65536];

	/* without the "ok" behind it */
	snprintf(text, sizeof(text), "%s", ask(NULL, "status --json"));
	*(strstr(text, "\nok\n") ?: text) = 0;
	return json_tokener_parse(text);
}

/* The process of adapter @i; 0: it does not serve. */
static pid_t process_of(unsigned int i)
{
	struct json_object *all = status(), *row =
		json_object_array_get_idx(json_object_object_get(all, "adapters"), i);
	pid_t pid = json_object_get_boolean(json_object_object_get(row, "serving")) ?
		    json_object_get_int(json_object_object_get(row, "process")) : 0;

	json_object_put(all);
	return pid;
}

static pid_t must_serve(unsigned int i)
{
	pid_t pid = process_of(i);

	if (pid <= 0) {
		printf("Bail out! adapter %u does not serve\n", i);
		exit(2);
	}
	return pid;
}

/* The last field of /proc/PID/stat that is in its name: its parent. */
static pid_t parent_of(pid_t pid)
{
	char path[64], state;
	int parent = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (f && fscanf(f, "%*d (cxemu) %c %d", &state, &parent) != 2)
		parent = -1;
	if (f)
		fclose(f);
	return parent;
}

static bool is_gone(pid_t pid)
{
	int i;

	for (i = 0; i < TRIES && !kill(pid, 0); i++)
		usleep(PAUSE_US);
	return kill(pid, 0) && errno == ESRCH;
}

/* ---- tests ---- */

static void test_processes(void)
{
	pid_t one = process_of(0), two = process_of(1);

	ktap(one > 0 && two > 0 && one != two && parent_of(one) == emu.pid &&
	     parent_of(two) == emu.pid, "each adapter has a process of its own");
	ktap(says(NULL, "status", "port f0: link up") && says(NULL, "status", "port f1: link up"),
	     "their ports are at the switch");
	ktap(!strstr(ask("f0", "status"), "f1:") && strstr(ask("f0", "status"), "f0:") &&
	     strstr(ask("f1", "gids f1"), "ok\n") &&
	     strstr(ask("f1", "gids f0"), "no function 'f0'"),
	     "each has a control socket, for its functions");
	ktap(strstr(ask(NULL, "gids f0"), "no function 'f0'"),
	     "the switch has no functions");
}

static void test_cable(void)
{
	ask(NULL, "cable f0 f1");
	ktap(says("f0", "status", "port f0: link up (function up, wire up, cable to f0.wire)"),
	     "a cable between two adapters");
	ask("f0", "fault f0 port down");
	ktap(says("f1", "status", "port f1: link down"), "a port at its other end has no link");
	ask("f0", "fault f0 port up");
	ktap(says("f1", "status", "port f1: link up"), "until the first one has");
	ask(NULL, "uncable f0");
}

/* One ends by what a guest has done to it. */
static void test_death(void)
{
	struct client client;
	pid_t pid = must_serve(0);

	client_open(&client, &emu, 1);
	kill(pid, SIGKILL);
	ktap(is_gone(pid) && says(NULL, "status", "has ended by signal 9"),
	     "the switch tells that an adapter's process has ended, and how");
	ktap(!process_of(0) && process_of(1), "as it does for programs");
	ktap(boot_to_init(&client) == 0, "another one serves its guest as if nothing were");
	ktap(says(NULL, "status", "port f0: link down") && says("f1", "status", "port f1: link up"),
	     "only the port of the first has no link");
	client_close(&client);
}

static void test_switch_dies(void)
{
	pid_t one, two;

	emu_start_option(&emu, bin_dir, 2, "--isolate", "");
	one = must_serve(0);
	two = must_serve(1);
	kill(one, SIGSTOP);	/* it cannot see that the joint is gone */
	kill(emu.pid, SIGKILL);
	ktap(is_gone(one) && is_gone(two), "no process is left when the switch is killed");
	ktap(emu_stop(&emu) == 128 + SIGKILL, "a killed switch is seen as that");
}

/* Do all processes of cxemu with these options end with status 1, say this, and leave nothing? */
static bool refused(const char *second, const char *one, const char *two, const char *why)
{
	char bin[512], vm[96], other[96], text[1024] = "", dir[] = "/tmp/cxemu-isolate.XXXXXX";
	size_t len = 0;
	ssize_t n;
	int at, said[2];
	pid_t pid;

	if (!mkdtemp(dir) || pipe(said))
		exit(2);
	snprintf(bin, sizeof(bin), "%s/cxemu", bin_dir);
	snprintf(vm, sizeof(vm), "--vm=f0=%s/f0", dir);
	snprintf(other, sizeof(other), "--vm=f1=%s/f1", second ? second : dir);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(said[1], STDERR_FILENO);
		execl(bin, bin, "--isolate", vm, other, one, two, NULL);
		_exit(127);
	}
	close(said[1]);
	while (len < sizeof(text) - 1 &&
	       (n = read(said[0], text + len, sizeof(text) - 1 - len)) > 0)
		len += n;
	close(said[0]);
	waitpid(pid, &at, 0);
	if (!strstr(text, why) || strstr(text, "does not end"))
		printf("# it says: %s\n", text);
	return WIFEXITED(at) && WEXITSTATUS(at) == 1 && strstr(text, why) &&
	       !strstr(text, "does not end") && !rmdir(dir);
}

int main(int argc, char **argv)
{
	char left[128];

	bin_dir = argc > 1 ? argv[1] : ".";
	ktap_plan(0);
	emu_start_option(&emu, bin_dir, 2, "--isolate", "");
	test_processes();
	test_cable();
	/* nor can there be such a control socket, so that it ends in any case */
	ktap(refused(emu.dir, "--control", "/tmp/cxemu-isolate-none/c", "Address already in use"),
	     "a socket at which another cxemu listens stays its own");
	ktap(emu_stop(&emu) == 0, "all end, and their status is 0");
	snprintf(left, sizeof(left), "%s.f0", emu.control);
	ktap(access(left, F_OK), "no control socket is left");

	emu_start_option(&emu, bin_dir, 2, "--isolate", "");
	test_death();
	ktap(emu_stop(&emu) == 1, "the status is 1 if an adapter's process has failed");
	test_switch_dies();
	ktap(refused(NULL, "--wire", "switch:rate=10g", "one clock"),
	     "a wire with a rate has one process");
	ktap(refused("/tmp/cxemu-isolate-none", "--trace", "quiet", "/tmp/cxemu-isolate-none/f1"),
	     "a socket that an adapter's process cannot make is an error");
	ktap(refused(NULL, "--pcap", "/tmp/cxemu-isolate-none/pcap", "cxemu-isolate-none/pcap"),
	     "a capture that the switch cannot make is an error, and no adapter is left");
	return ktap_end();
}
