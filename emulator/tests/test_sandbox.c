// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* What is left to a process in the sandbox. Each attempt is made in a process of its own. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/sandbox.h"
#include "ktap.h"

#define NOBODY "65534:65533"

static char dir[] = "/tmp/cxemu-sandbox-XXXXXX";
static char path[64];
static pid_t tester;	/* asked for before: getppid() is not allowed, either */

/* ---- attempts: what the process exits with, unless it is ended ---- */

static int read_file(void)
{
	return open("/etc/hostname", O_RDONLY | O_CLOEXEC);
}

static int make_to_read(void)
{
	return open("/etc/hostname", O_RDONLY | O_CREAT | O_CLOEXEC, 0600);
}

static int change_file(void)
{
	return open("/etc/hostname", O_RDWR | O_CLOEXEC);
}

static int run_program(void)
{
	return execl("/bin/true", "true", NULL);
}

static int start_process(void)
{
	return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static int open_socket(void)
{
	return socket(AF_INET, SOCK_STREAM, 0);
}

static int map_code(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
	       MAP_FAILED;
}

static int make_code(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return mprotect(page, 4096, PROT_READ | PROT_EXEC);
}

static int become_root(void)
{
	return setresuid(0, 0, 0);
}

static int trace_others(void)
{
	return syscall(SYS_ptrace, 0, 0, 0, 0);
}

static int signal_others(void)
{
	return kill(tester, 0);
}

static int signal_thread(void)
{
	return syscall(SYS_tgkill, tester, tester, 0);
}

static int own_signals(void)
{
	int pair[2];

	return pipe(pair) || fcntl(pair[0], F_SETOWN, tester);
}

static const struct {
	const char *what;
	int (*attempt)(void);
} attempts[] = {
	{ "a file that is only read cannot be opened", read_file },
	{ "a file that is only read cannot be opened as if to be made", make_to_read },
	{ "a file that is there cannot be opened to read and write", change_file },
	{ "no program can be run", run_program },
	{ "no process can be started", start_process },
	{ "no socket can be opened", open_socket },
	{ "no memory can be mapped as code", map_code },
	{ "no memory can become code", make_code },
	{ "the user cannot be changed any more", become_root },
	{ "no other process can be traced", trace_others },
	{ "no other process can be signalled", signal_others },
	{ "no other process can be signalled by its thread", signal_thread },
	{ "no other process can be signalled by a descriptor", own_signals },
};

/* What serving takes. */
static int serve(void)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct stat st;
	FILE *out;

	if (fd < 0 || page == MAP_FAILED || write(fd, "x", 1) != 1 || fstat(fd, &st) ||
	    st.st_size != 1 || munmap(page, 4096) || close(fd))
		return 1;
	out = fopen(path, "w");
	if (!out || fprintf(out, "%zu", strlen(dir)) < 0 || fclose(out) || lstat(path, &st))
		return 2;
	return unlink(path) ? 3 : 0;
}

static int owner_of_new_file(void)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	struct stat st;

	return fd < 0 || fstat(fd, &st) || st.st_uid != 65534 || st.st_gid != 65533 || unlink(path);
}

static int back_to_root(void)
{
	return !setresuid(0, 0, 0) || !setresgid(0, 0, 0) || getuid() != 65534 ||
	       getgroups(0, NULL) != 1;
}

static int no_new_privileges(void)
{
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1;
}

/* The status of a process that has tried it. */
static int status_of(const char *user, const char *calls, int (*attempt)(void))
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		if ((user && sandbox_set_user(user)) || sandbox_set_calls(calls) || sandbox_enter())
			_exit(99);
		/* not _exit(): before it the sanitizers make calls of their own */
		syscall(SYS_exit_group, attempt());
	}
	waitpid(pid, &status, 0);
	return status;
}

static bool ended(int status)
{
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS;
}

static void test_user(void)
{
	static const char *const why = "only root can become another user";

	if (geteuid()) {
		ktap_skip("the process becomes the user that was asked for", why);
		ktap_skip("and not root again", why);
		return;
	}
	chmod(dir, 0777);
	ktap(!status_of(NOBODY, "on", owner_of_new_file),
	     "the process becomes the user that was asked for");
	ktap(!status_of(NOBODY, "off", back_to_root), "and not root again");
}

int main(void)
{
	unsigned int i;

	ktap_plan(0);
	tester = getpid();
	if (!mkdtemp(dir))
		return 2;
	snprintf(path, sizeof(path), "%s/file", dir);
	for (i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++)
		ktap(ended(status_of(NULL, "on", attempts[i].attempt)) &&
		     !ended(status_of(NULL, "off", attempts[i].attempt)), "%s",
		     attempts[i].what);
	ktap(!status_of(NULL, "on", serve),
	     "files can be made, written and removed, memory mapped");
	ktap(!status_of(NULL, "off", no_new_privileges), "no program gives privileges any more");
	test_user();
	rmdir(dir);
	return ktap_end();
}
