// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The UNIX sockets that others connect to. */
#include <errno.h>
#include <grp.h>
#include <linux/net.h>
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
static gid_t owner_group = -1;	/* -1: the process's own */

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

/* An ID as a number; -1, which is none, if it is not one. */
static unsigned int number(const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	return *text >= '0' && *text <= '9' && !*end && value < UINT32_MAX ? value : UINT32_MAX;
}

static bool find_user(const char *name, uid_t *id)
{
	const struct passwd *entry = getpwnam(name);

	*id = entry ? entry->pw_uid : number(name);
	return *id != (uid_t)-1;
}

static bool find_group(const char *name, gid_t *id)
{
	const struct group *entry = getgrnam(name);

	*id = entry ? entry->gr_gid : number(name);
	return *id != (gid_t)-1;
}

const char *owner_parse(const char *text, uid_t *user, gid_t *group)
{
	size_t len = strcspn(text, ":");
	char name[64];

	*user = -1;
	*group = -1;
	if (!*text || len >= sizeof(name) || (text[len] && !text[len + 1]))
		return "is none of USER, USER:GROUP and :GROUP";
	memcpy(name, text, len);
	name[len] = 0;
	if (len && !find_user(name, user))
		return "names a user that does not exist";
	if (text[len] && !find_group(text + len + 1, group))
		return "names a group that does not exist";
	return NULL;
}

const char *sockets_set_owner(const char *text)
{
	return owner_parse(text, &owner, &owner_group);
}

/*
 * 0 or -errno. Nobody can connect before it listens, and then it has its owner. The mode comes from
 * the umask: chmod() would follow a link that the owner of the folder puts in its place.
 */
static int bind_socket(int fd, const struct sockaddr_un *where)
{
	mode_t old = umask(0);
	int err;

	umask(mode_set ? 0777 & ~mode : old);
	err = bind(fd, (const struct sockaddr *)where, sizeof(*where)) ? -errno : 0;
	umask(old);
	if (err || !lchown(where->sun_path, owner, owner_group))
		return err;
	err = -errno;
	fprintf(stderr, "cxemu: cannot give %s to that owner: %s\n", where->sun_path,
		strerror(errno));
	unlink(where->sun_path);
	return err;
}

/*
 * Is there a process that listens there? To connect to it would disturb it. A socket that another
 * one has bound by another path, relative or in another network namespace, is not found.
 */
static bool somebody_listens(const char *path)
{
	FILE *f = fopen("/proc/net/unix", "r");
	char line[256], *at;
	bool found = false;
	unsigned int flags;

	while (f && !found && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		at = strrchr(line, ' ');
		found = at && !strcmp(at + 1, path) &&
			sscanf(line, "%*s %*s %*s %x", &flags) == 1 && flags & __SO_ACCEPTCON;
	}
	if (f)
		fclose(f);
	return found;
}

int sockets_listen(const char *path, int backlog, void (*fn)(int fd, void *arg), void *arg)
{
	struct sockaddr_un where = { .sun_family = AF_UNIX };
	struct stat there;
	int fd, err;

	if (strlen(path) >= sizeof(where.sun_path))
		return -ENAMETOOLONG;
	strcpy(where.sun_path, path);
	/* a process before us may have left a socket; a file of another kind stays */
	if (!lstat(path, &there) && S_ISSOCK(there.st_mode)) {
		if (somebody_listens(path))
			return -EADDRINUSE;
		unlink(path);
	}
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
