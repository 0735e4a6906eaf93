// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The sockets of cxemu: who may use them, the greeting, the status for programs, and cxctl. */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/control.h"
#include "vfu_client.h"

static const char *bin_dir;
static char dir[] = "/tmp/cxemu-control.XXXXXX";

/* Its exit status; what it prints goes to the file @out in dir. */
static int run(const char *program, char *const *words)
{
	char bin[512], out[128];
	int status;
	pid_t pid;

	snprintf(bin, sizeof(bin), "%s/%s", bin_dir, program);
	snprintf(out, sizeof(out), "%s/out", dir);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!freopen(out, "w", stdout) || dup2(STDOUT_FILENO, STDERR_FILENO) < 0)
			_exit(126);
		execv(bin, words);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) < 0)
		return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static const char *printed(void)
{
	static char text[65536];
	char out[128];
	int fd;
	ssize_t n;

	snprintf(out, sizeof(out), "%s/out", dir);
	fd = open(out, O_RDONLY);
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	return text;
}

/* cxemu does not start with this option, and says @why. */
static bool refused(const char *option, const char *value, const char *why)
{
	char vm[128], word[64], given[64];

	snprintf(vm, sizeof(vm), "--vm=f0=%s/f0", dir);
	snprintf(word, sizeof(word), "%s", option);
	snprintf(given, sizeof(given), "%s", value);
	return run("cxemu", (char *[]){ "cxemu", vm, word, given, NULL }) && strstr(printed(), why);
}

/* ---- who may use them ---- */

static bool sockets_are(const struct emu *emu, mode_t mode, uid_t uid, gid_t gid)
{
	struct stat f0, control;
	char path[128];

	snprintf(path, sizeof(path), "%s/f0", emu->dir);
	return !stat(path, &f0) && !stat(emu->control, &control) &&
	       (f0.st_mode & 0777) == mode && (control.st_mode & 0777) == mode &&
	       f0.st_uid == uid && control.st_uid == uid && f0.st_gid == gid &&
	       control.st_gid == gid;
}

/* Root of a user namespace may have one user only. */
static bool can_give_away(void)
{
	char path[128];
	bool can;

	snprintf(path, sizeof(path), "%s/gift", dir);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	can = !chown(path, 1, 2);
	unlink(path);
	return can;
}

static void test_owner(void)
{
	struct emu emu;
	mode_t old = umask(027);

	emu_start(&emu, bin_dir, 1);
	ktap(sockets_are(&emu, 0750, geteuid(), getegid()), "sockets are as umask says by default");
	ktap(emu_stop(&emu) == 0, "cxemu exits cleanly with sockets by default");
	umask(old);
	emu_start_option(&emu, bin_dir, 1, "--socket-mode", "620");
	ktap(sockets_are(&emu, 0620, geteuid(), getegid()),
	     "sockets have the mode that was asked for");
	ktap(emu_stop(&emu) == 0, "cxemu exits cleanly with a mode");
	if (!can_give_away()) {
		ktap_skip("sockets have the owner that was asked for",
			  "only root can give files away");
		ktap_skip("cxemu exits cleanly with an owner", "only root can give files away");
		return;
	}
	emu_start_option(&emu, bin_dir, 1, "--socket-owner", "1:2");
	ktap(sockets_are(&emu, 0777 & ~old, 1, 2), "sockets have the owner that was asked for");
	ktap(emu_stop(&emu) == 0, "cxemu exits cleanly with an owner");
}

/* Waits for READY=1 as systemd does, and looks at the MAC that the number gives. */
static void test_ready(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	char got[32] = "";
	struct emu emu;

	snprintf(at.sun_path, sizeof(at.sun_path), "%s/notify", dir);
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)))
		exit(2);
	setenv("NOTIFY_SOCKET", at.sun_path, 1);
	emu_start_option(&emu, bin_dir, 1, "--first", "239");
	unsetenv("NOTIFY_SOCKET");
	ktap(recv(fd, got, sizeof(got) - 1, 0) > 0 && !strcmp(got, "READY=1"),
	     "systemd is told when the sockets are there");
	ktap(strstr(emu_control(&emu, "status"), "mac 02:c4:00:00:00:f0"),
	     "the MAC comes from the number of the function");
	ktap(emu_stop(&emu) == 0, "cxemu exits cleanly under systemd");
	close(fd);
	unlink(at.sun_path);
}

/* Also with sanitizers, start and second take less than half of a second. */
static void test_spin(void)
{
	struct emu emu;
	char path[64], stat[512] = "";
	unsigned long user = 0, system = 0;
	FILE *file;

	emu_start_option(&emu, bin_dir, 1, "--spin", "50");
	ktap(strstr(emu_control(&emu, "status"), "function f0"), "it answers while it spins");
	sleep(1);
	snprintf(path, sizeof(path), "/proc/%d/stat", emu.pid);
	file = fopen(path, "r");
	if (file && fgets(stat, sizeof(stat), file) && strrchr(stat, ')'))
		sscanf(strrchr(stat, ')'), ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
		       &user, &system);
	if (file)
		fclose(file);
	ktap(*stat && user + system <= (unsigned long)sysconf(_SC_CLK_TCK) / 2,
	     "and sleeps when nothing comes");
	ktap(emu_stop(&emu) == 0, "cxemu exits cleanly after spinning");
}

static void test_refusals(void)
{
	ktap(refused("--socket-mode", "8", "is not 0 to 777, octal") &&
	     refused("--socket-mode", "1777", "is not 0 to 777, octal") &&
	     refused("--socket-mode", "", "is not 0 to 777, octal"),
	     "an invalid mode is refused");
	ktap(refused("--socket-owner", "no-such-user", "names a user that does not exist") &&
	     refused("--socket-owner", ":no-such-group", "names a group that does not exist") &&
	     refused("--socket-owner", "0:", "is none of USER, USER:GROUP and :GROUP") &&
	     refused("--socket-owner", "", "is none of USER, USER:GROUP and :GROUP") &&
	     refused("--socket-owner", "4294967295", "names a user that does not exist") &&
	     refused("--socket-owner", "4294967296", "names a user that does not exist"),
	     "an owner that does not exist is refused");
	ktap(refused("--user", "no-such-user", "names a user that does not exist") &&
	     refused("--user", ":0", "names no user") &&
	     refused("--user", "4294967290", "names a user without a group: USER:GROUP is needed"),
	     "a user that the process cannot become is refused");
	ktap(refused("--sandbox", "x", "is neither on nor off"), "another sandbox is refused");
	ktap(refused("--spin", "10001", "is not 0 to 10000") &&
	     refused("--spin", "-1", "is not 0 to 10000"),
	     "a time to spin that is too long is refused");
	ktap(refused("--first", "240", "is not 0 to 239") &&
	     refused("--first", "x", "is not 0 to 239"),
	     "a first number that is too large is refused");
}

/* What lies at the path of a socket. */
static void test_paths(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	char path[128], vm[160], control[160];
	struct stat there;
	int fd;

	snprintf(path, sizeof(path), "%s/f0", dir);
	snprintf(vm, sizeof(vm), "--vm=f0=%s", path);
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	close(fd);
	ktap(run("cxemu", (char *[]){ "cxemu", vm, NULL }) == 1 &&
	     strstr(printed(), "cannot listen on") && !stat(path, &there) && S_ISREG(there.st_mode),
	     "a file that is no socket is not replaced by one");
	unlink(path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	strcpy(at.sun_path, path);
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)))
		exit(2);
	close(fd);
	snprintf(control, sizeof(control), "--control=%s/none/control", dir);
	ktap(run("cxemu", (char *[]){ "cxemu", vm, control, NULL }) == 1 &&
	     strstr(printed(), "--control: cannot listen on") && stat(path, &there) < 0,
	     "a socket that was left behind is replaced, and goes with cxemu");
}

/* ---- the status for programs ---- */

static uint64_t number(struct json_object *in, const char *name)
{
	struct json_object *value;

	return json_object_object_get_ex(in, name, &value) ? json_object_get_uint64(value) : ~0ull;
}

static struct json_object *part(struct json_object *in, const char *name)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(in, name, &value);
	return value;
}

/* The reply without "ok". */
static struct json_object *status_of(struct emu *emu)
{
	static char text[65536];
	char *end;

	snprintf(text, sizeof(text), "%s", emu_control(emu, "status --json"));
	end = strstr(text, "\nok\n");
	if (!end)
		return NULL;
	*end = 0;
	return json_tokener_parse(text);
}

static void test_status(struct emu *emu)
{
	struct json_object *all, *functions, *f0, *ports;
	struct client c;
	char line[256];

	client_open(&c, emu, 0);
	cmdq_setup(&c);
	if (boot_to_init(&c))
		exit(2);
	all = status_of(emu);
	functions = part(all, "functions");
	ports = part(all, "ports");
	ktap(all && number(all, "protocol") == CONTROL_PROTOCOL && functions && ports &&
	     json_object_array_length(functions) == 2 && json_object_array_length(ports) == 2 &&
	     number(part(all, "violations"), "count") == 0,
	     "the status for programs has all functions, ports and violations");
	f0 = json_object_array_get_idx(functions, 0);
	snprintf(line, sizeof(line), "commands: %llu, refused %llu",
		 (unsigned long long)number(part(f0, "commands"), "executed"),
		 (unsigned long long)number(part(f0, "commands"), "refused"));
	ktap(number(part(f0, "commands"), "executed") > 5 &&
	     strstr(emu_control(emu, "status"), line), "both kinds of status agree");
	json_object_put(all);
	ktap(!strcmp(emu_control(emu, "status --xml"),
		     "error: status takes no arguments, got '--xml'\n"),
	     "a status in another form is refused");
	shut_down(&c);
	reg_write(&c, offsetof(struct prm_iseg, fw_rev), 1);
	reg_read(&c, 0);
	ktap(strstr(emu_control(emu, "status"), "\nviolations: 1\n") &&
	     !strcmp(emu_control(emu, "violations forget"), "1 violations forgotten\nok\n"),
	     "a violation can be forgotten");
	all = status_of(emu);
	f0 = json_object_array_get_idx(part(all, "functions"), 0);
	ktap(number(part(all, "violations"), "count") == 0 && number(f0, "violations") == 0 &&
	     !strcmp(emu_control(emu, "violations"), "ok\n"),
	     "and is neither shown nor counted any more");
	json_object_put(all);
	client_close(&c);
}

/* ---- cxctl ---- */

/* Answers one client with @text, in a process of its own. */
static pid_t strange_server(const char *path, const char *text)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), conn;
	pid_t pid;

	strcpy(at.sun_path, path);
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) || listen(fd, 1))
		exit(2);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		conn = accept(fd, NULL, NULL);
		send(conn, text, strlen(text), MSG_NOSIGNAL);
		close(conn);
		_exit(0);
	}
	close(fd);
	return pid;
}

static bool cxctl_rejects(const char *greeting, const char *why)
{
	char path[128];
	bool ok;
	pid_t pid;

	snprintf(path, sizeof(path), "%s/strange", dir);
	pid = strange_server(path, greeting);
	ok = run("cxctl", (char *[]){ "cxctl", path, "status", NULL }) == 2 &&
	     strstr(printed(), why);
	waitpid(pid, NULL, 0);
	unlink(path);
	return ok;
}

static void test_cxctl(struct emu *emu)
{
	char path[128];

	ktap(run("cxctl", (char *[]){ "cxctl", emu->control, "status", "--json", NULL }) == 0 &&
	     strstr(printed(), "\"protocol\": 1"), "cxctl passes options of a request along");
	ktap(run("cxctl", (char *[]){ "cxctl", emu->control, "nonsense", NULL }) == 1 &&
	     strstr(printed(), "cxctl: unknown command 'nonsense'"), "cxctl tells of a refusal");
	ktap(run("cxctl", (char *[]){ "cxctl", emu->control, NULL }) == 2 &&
	     strstr(printed(), "a request is missing") &&
	     run("cxctl", (char *[]){ "cxctl", NULL }) == 2, "cxctl without a request is refused");
	ktap(cxctl_rejects("cxemu 9.9 control protocol 2\n", "control protocol 2") &&
	     cxctl_rejects("220 mail server\n", "it answers '220 mail server'") &&
	     cxctl_rejects("", "is it the control socket?"),
	     "cxctl refuses what speaks another protocol");
	snprintf(path, sizeof(path), "%s/f1", emu->dir);
	ktap(run("cxctl", (char *[]){ "cxctl", path, "status", NULL }) == 2 &&
	     strstr(printed(), "is it the control socket?"),
	     "cxctl does not wait for ever at the socket of a function");
}

int main(int argc, char **argv)
{
	char greeting[128] = "";
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	struct emu emu;
	int fd;

	bin_dir = argc > 1 ? argv[1] : ".";
	if (!mkdtemp(dir))
		return 1;
	alarm(300);
	ktap_plan(0);
	test_owner();
	test_ready();
	test_spin();
	test_refusals();
	test_paths();
	emu_start(&emu, bin_dir, 2);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	strcpy(at.sun_path, emu.control);
	ktap(!connect(fd, (struct sockaddr *)&at, sizeof(at)) &&
	     read(fd, greeting, sizeof(greeting) - 1) > 0 &&
	     !strcmp(greeting, "cxemu " CXEMU_VERSION " control protocol 1\n"),
	     "the control socket names its protocol");
	close(fd);
	test_status(&emu);
	test_cxctl(&emu);
	ktap(emu_stop(&emu) == 0, "cxemu exits cleanly");
	snprintf(greeting, sizeof(greeting), "%s/out", dir);
	unlink(greeting);
	ktap(rmdir(dir) == 0, "no file is left behind");
	return ktap_end();
}
