// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The UNIX sockets that others connect to. */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/base.h"

static bool mode_set;
static mode_t mode;
static uid_t owner = -1;
static gid_t group = -1;	/* -1: the process's own */

const char *sockets_set_mode(const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 8);

	if (*text < '0' || *text > '7' || *end || value > 0777)
		return "is not 0 to 777, octal";
	mode = value;
	mode_set = true;
	return NULL;
}

/* A name, or a number. */
static bool find_user(const char *name, uid_t *id)
{
	const struct passwd *entry = getpwnam(name);
	char *end;

	*id = entry ? entry->pw_uid : strtoul(name, &end, 10);
	return entry || (*name >= '0' && *name <= '9' && !*end);
}

static bool find_group(const char *name, gid_t *id)
{
	const struct group *entry = getgrnam(name);
	char *end;

	*id = entry ? entry->gr_gid : strtoul(name, &end, 10);
	return entry || (*name >= '0' && *name <= '9' && !*end);
}

const char *sockets_set_owner(const char *text)
{
	size_t len = strcspn(text, ":");
	char user[64];

	if (!*text || len >= sizeof(user) || (text[len] && !text[len + 1]))
		return "is not USER, USER:GROUP or :GROUP";
	memcpy(user, text, len);
	user[len] = 0;
	if (len && !find_user(user, &owner))
		return "names a user that does not exist";
	if (text[len] && !find_group(text + len + 1, &group))
		return "names a group that does not exist";
	return NULL;
}

/* 0 or -errno. Nobody else can connect before it listens, with its owner and its mode. */
static int bind_socket(int fd, const struct sockaddr_un *where)
{
	mode_t old = umask(0177);
	int err = bind(fd, (const struct sockaddr *)where, sizeof(*where)) ? -errno : 0;

	umask(old);
	if (err)
		return err;
	if (!lchown(where->sun_path, owner, group) &&
	    !chmod(where->sun_path, mode_set ? mode : 0777 & ~old))
		return 0;
	err = -errno;
	unlink(where->sun_path);
	return err;
}

int sockets_listen(const char *path, int backlog, void (*fn)(int fd, void *arg), void *arg)
{
	struct sockaddr_un where = { .sun_family = AF_UNIX };
	struct stat there;
	int fd, err;

	if (strlen(path) >= sizeof(where.sun_path))
		return -ENAMETOOLONG;
	strcpy(where.sun_path, path);
	/* what a process before us has left, but not a file of other kind */
	if (!lstat(path, &there) && S_ISSOCK(there.st_mode))
		unlink(path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	err = bind_socket(fd, &where);
	if (err)
		goto err_close;
	err = listen(fd, backlog) ? -errno : loop_add_fd(fd, fn, arg);
	if (err)
		goto err_unlink;
	return fd;

err_unlink:
	unlink(path);
err_close:
	close(fd);
	return err;
}

void sockets_close(int fd, const char *path)
{
	loop_del_fd(fd);
	close(fd);
	unlink(path);
}
