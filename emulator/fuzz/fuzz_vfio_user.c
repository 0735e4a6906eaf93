// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Messages of the vfio-user socket: a fresh connection, messages with right headers unless the
 * input says otherwise, some with a descriptor.
 */
#include <errno.h>
#include <fcntl.h>
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

enum { RAW = 1, WITH_FD = 2, NO_REPLY = 4, SHORTEN = 8, WITH_PIPE = 16 };

static struct function fn;
static int shared = -1;	/* the last memory that was sent */

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

/* Memory, or the full end of a pipe. */
static int make_fd(bool pipe_end)
{
	static const char bytes[65536];
	int ends[2];

	if (!pipe_end) {
		if (shared >= 0)
			close(shared);
		shared = memfd_create("ram", MFD_CLOEXEC);
		if (shared < 0 || ftruncate(shared, 1 << 20))
			die("memfd");
		return dup(shared);
	}
	if (pipe2(ends, O_CLOEXEC) || write(ends[1], bytes, sizeof(bytes)) < 0)
		die("pipe");
	close(ends[0]);
	return ends[1];
}

static void send_message(int fd, const void *data, size_t len, int how)
{
	union {
		char room[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {};
	struct iovec iov = { (void *)data, len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	int memory = -1;

	if (how & (WITH_FD | WITH_PIPE)) {
		memory = make_fd(how & WITH_PIPE);
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
	if (how & SHORTEN && shared >= 0 && ftruncate(shared, 0))
		die("ftruncate");
	send_message(fd, &msg, 16 + len, how);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t hello[] = {
		1, 0, 1, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0
	};
	struct input input = input_begin(data, size);
	char reply[4096];
	uint16_t n;
	int fd;

	if (dma_survive_bus_errors())
		die("sigaction");
	open_function();
	fd = connect_function();
	if (!(input_u8(&input) & 1))
		send_message(fd, hello, sizeof(hello), 0);
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
	return input_end();
}
