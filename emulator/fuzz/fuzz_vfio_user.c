// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Messages of the vfio-user socket: a fresh connection, messages with right headers unless the
 * input says otherwise, some with a descriptor.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "card/card.h"
#include "fuzz.h"
#include "host/host.h"

#define PAYLOAD_MAX 512
#define MESSAGES_MAX 24
#define ROUNDS 4

enum { RAW = 1, WITH_FD = 2, NO_REPLY = 4 };

static struct function fn;

static void die(const char *what)
{
	perror(what);
	abort();
}

static void stop(struct timer *timer)
{
	(void)timer;
	loop_stop();
}

/* What is ready now, and what comes of it. */
static void serve(void)
{
	struct timer timer;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		timer_init(&timer, stop);
		timer_arm(&timer, 0);
		loop_run();
		timer_cancel(&timer);
	}
}

static void open_function(void)
{
	snprintf(fn.path, sizeof(fn.path), "/tmp/cxemu-fuzz-%d", getpid());
	fn.dev = cxdev_create("f", 0, card_find("cx5", 3), &function_guest_ops, &fn);
	if (!fn.dev || function_listen(&fn))
		die("function");
}

static int connect_function(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	memcpy(at.sun_path, fn.path, sizeof(at.sun_path) - 1);
	if (connect(fd, (struct sockaddr *)&at, sizeof(at)))
		die("connect");
	return fd;
}

static void send_message(int fd, const void *data, size_t len, bool with_fd)
{
	union {
		char room[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {};
	struct iovec iov = { (void *)data, len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	int memory = -1;

	if (with_fd) {
		memory = memfd_create("ram", MFD_CLOEXEC);
		if (memory < 0 || ftruncate(memory, 1 << 20))
			die("memfd");
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
		control.align.cmsg_level = SOL_SOCKET;
		control.align.cmsg_type = SCM_RIGHTS;
		control.align.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.align), &memory, sizeof(int));
	}
	if (sendmsg(fd, &msg, MSG_NOSIGNAL) < 0 && errno != EPIPE && errno != ECONNRESET &&
	    errno != EAGAIN)
		die("sendmsg");
	if (memory >= 0)
		close(memory);
}

static void one_message(struct input *in, int fd, uint16_t id)
{
	struct {
		uint16_t id, command;
		uint32_t size, flags, error;
		uint8_t payload[PAYLOAD_MAX];
	} msg = { .id = id };
	uint8_t how = input_u8(in), command = input_u8(in);
	uint32_t len = input_u16(in) % (PAYLOAD_MAX + 1);

	if (how & RAW) {
		input_bytes(in, &msg, 16 + len);
	} else {
		msg.command = command % 18;
		msg.size = 16 + len;
		msg.flags = how & NO_REPLY ? 1 << 4 : 0;
		input_bytes(in, msg.payload, len);
	}
	send_message(fd, &msg, 16 + len, how & WITH_FD);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t hello[] = {
		1, 0, 1, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0
	};
	struct input input = { data, size };
	char reply[4096];
	uint16_t n;
	int fd;

	open_function();
	fd = connect_function();
	if (!(input_u8(&input) & 1))
		send_message(fd, hello, sizeof(hello), false);
	for (n = 0; n < MESSAGES_MAX && input.left; n++) {
		one_message(&input, fd, n + 2);
		serve();
		while (read(fd, reply, sizeof(reply)) > 0)
			;
	}
	close(fd);
	serve();
	function_close(&fn);
	cxdev_destroy(fn.dev);
	memset(&fn, 0, sizeof(fn));
	return 0;
}
