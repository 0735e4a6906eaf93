// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Privileges and system calls. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/base.h"
#include "host/sandbox.h"

static bool user_set;
static uid_t uid;
static gid_t gid;
static char user_name[64];	/* for its other groups; empty: none */
static pid_t end_with;		/* 0: nobody */
/* The run-time library of the sanitizers has calls of its own. */
#ifdef __SANITIZE_ADDRESS__
static bool calls_limited;
#else
static bool calls_limited = true;
#endif

/* ---- privileges ---- */

const char *sandbox_set_user(const char *text)
{
	const char *wrong = owner_parse(text, &uid, &gid);
	const struct passwd *entry;

	if (wrong || uid == (uid_t)-1)
		return wrong ? wrong : "names no user";
	entry = getpwuid(uid);
	if (!entry && gid == (gid_t)-1)
		return "names a user without a group: USER:GROUP is needed";
	if (gid == (gid_t)-1)
		gid = entry->pw_gid;
	snprintf(user_name, sizeof(user_name), "%s", entry ? entry->pw_name : "");
	user_set = true;
	return NULL;
}

static int give_up_privileges(void)
{
	if (*user_name ? initgroups(user_name, gid) : setgroups(1, &gid))
		return -errno;
	if (setresgid(gid, gid, gid) || setresuid(uid, uid, uid))
		return -errno;
	/* never again */
	return uid && !setresuid(-1, 0, -1) ? -EPERM : 0;
}

/* ---- system calls ---- */

const char *sandbox_set_calls(const char *text)
{
	calls_limited = !strcmp(text, "on");
	return calls_limited || !strcmp(text, "off") ? NULL : "is neither on nor off";
}

/* Of which the arguments do not matter. */
static const int calls[] = {
	/* guests, wires and cxctl, which have connected or do */
	SCMP_SYS(ppoll), SCMP_SYS(poll), SCMP_SYS(accept4), SCMP_SYS(recvmsg), SCMP_SYS(recvfrom),
	SCMP_SYS(sendmsg), SCMP_SYS(sendto), SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(readv),
	SCMP_SYS(writev), SCMP_SYS(close), SCMP_SYS(setsockopt),
	/* what it is that a guest has sent as an eventfd */
	SCMP_SYS(readlink), SCMP_SYS(readlinkat),
	/* memory of guests, and the heap */
	SCMP_SYS(fstat), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(brk),
	/* captures: where they are, and what stands there; the end of the sockets */
	SCMP_SYS(newfstatat), SCMP_SYS(lstat), SCMP_SYS(lseek), SCMP_SYS(ftruncate),
	SCMP_SYS(unlink), SCMP_SYS(unlinkat),
	/* time, signals, the end */
	SCMP_SYS(clock_gettime), SCMP_SYS(gettimeofday), SCMP_SYS(time), SCMP_SYS(restart_syscall),
	SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn),
	SCMP_SYS(wait4), SCMP_SYS(exit), SCMP_SYS(exit_group),
	/* of the C library: locks, its heap, abort() */
	SCMP_SYS(futex), SCMP_SYS(getrandom), SCMP_SYS(getpid), SCMP_SYS(gettid),
};

/* Of which one does. The macros of the library are no constants. */
static int allow_some(scmp_filter_ctx filter)
{
	const struct {
		int call;
		struct scmp_arg_cmp arg;
	} some[] = {
		/* Captures. A file that may not be written cannot be read, either. */
		{ SCMP_SYS(openat), SCMP_A2(SCMP_CMP_MASKED_EQ, O_ACCMODE, O_WRONLY) },
		{ SCMP_SYS(openat), SCMP_A2(SCMP_CMP_MASKED_EQ, O_ACCMODE | O_CREAT,
					    O_RDWR | O_CREAT) },
		/* No memory becomes code. */
		{ SCMP_SYS(mmap), SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0) },
		{ SCMP_SYS(mprotect), SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0) },
		/* The C library asks whether a file that it writes to is a terminal. */
		{ SCMP_SYS(ioctl), SCMP_A1(SCMP_CMP_EQ, TCGETS) },
		{ SCMP_SYS(prctl), SCMP_A0(SCMP_CMP_EQ, PR_SET_TIMERSLACK) },
		/* Others would send signals to whoever is named. */
		{ SCMP_SYS(fcntl), SCMP_A1(SCMP_CMP_EQ, F_GETFL) },
		{ SCMP_SYS(fcntl), SCMP_A1(SCMP_CMP_EQ, F_SETFL) },
		/* a capture by a control connection */
		{ SCMP_SYS(fcntl), SCMP_A1(SCMP_CMP_EQ, F_DUPFD_CLOEXEC) },
		/* abort() */
		{ SCMP_SYS(tgkill), SCMP_A0(SCMP_CMP_EQ, getpid()) },
	};
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < ARRAY_SIZE(some); i++)
		err = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, some[i].call, 1,
					     &some[i].arg);
	return err;
}

static int limit_calls(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
	unsigned int i;
	int err = 0;

	if (!filter)
		return -ENOMEM;
	for (i = 0; !err && i < ARRAY_SIZE(calls); i++)
		err = seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0);
	if (!err)
		err = allow_some(filter);
	if (!err)
		err = seccomp_load(filter);	/* sets no_new_privs */
	seccomp_release(filter);
	return err;
}

void sandbox_end_with(pid_t parent)
{
	end_with = parent;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/*
 * Not to be looked into, or written to, by other processes of the user. A change of the user takes
 * back the signal on the end of the parent.
 */
static int close_process(void)
{
	if (prctl(PR_SET_DUMPABLE, 0) || (end_with && prctl(PR_SET_PDEATHSIG, SIGKILL)) ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	return end_with && getppid() != end_with ? -ESRCH : 0;	/* it has ended already */
}

int sandbox_enter(void)
{
	int err = user_set ? give_up_privileges() : 0;

	if (err) {
		fprintf(stderr, "cxemu: --user: cannot become it: %s\n", strerror(-err));
		return err;
	}
	err = close_process();
	if (err) {
		fprintf(stderr, "cxemu: cannot close the process to others: %s\n", strerror(-err));
		return err;
	}
	err = calls_limited ? limit_calls() : 0;
	if (err)
		fprintf(stderr, "cxemu: cannot limit the system calls (--sandbox off): %s\n",
			strerror(-err));
	return err;
}
