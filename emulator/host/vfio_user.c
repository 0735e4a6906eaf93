// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The vfio-user protocol, server side: one connection for each function.
 *
 * Several messages may be read at once. Descriptors end such a read, so they belong to the last
 * message of it: a client sends each message by a call of its own, or those with descriptors at
 * least. Nothing here blocks: a message may arrive in pieces, and a reply that does not fit into
 * the socket is queued; until it is sent, no further message is handled. An invalid request gets an
 * error reply and a violation that says why; a connection whose framing is lost (size, type) is
 * closed.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/vfio.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "card/card.h"
#include "host/host.h"

enum vfu_command {
	VFU_VERSION = 1,
	VFU_DMA_MAP,
	VFU_DMA_UNMAP,
	VFU_GET_INFO,
	VFU_GET_REGION_INFO,
	VFU_GET_REGION_IO_FDS,
	VFU_GET_IRQ_INFO,
	VFU_SET_IRQS,
	VFU_REGION_READ,
	VFU_REGION_WRITE,
	VFU_DMA_READ,
	VFU_DMA_WRITE,
	VFU_DEVICE_RESET,
	VFU_DIRTY_PAGES,
	VFU_WRITE_MULTI,
};

#define VFU_TYPE_MASK	0x0f
#define VFU_REPLY	0x01
#define VFU_NO_REPLY	0x10
#define VFU_ERROR	0x20

#define XFER_MAX (1u << 20)
#define MSG_MAX (XFER_MAX + 4096)
#define MSGS_PER_ROUND 32	/* and as many that are read ahead */

struct vfu_header {
	uint16_t id, command;
	uint32_t size, flags, error;
};

struct vfu_version {
	uint16_t major, minor;
};

struct vfu_dma_map {
	uint32_t argsz, flags;
	uint64_t offset, iova, size;
};

struct vfu_dma_unmap {
	uint32_t argsz, flags;
	uint64_t iova, size;
};

struct vfu_device_info {
	uint32_t argsz, flags, num_regions, num_irqs;
};

struct vfu_irq_set {
	uint32_t argsz, flags, index, start, count;
};

struct vfu_region_access {
	uint64_t offset;
	uint32_t region, count;
};

struct vfu_write {
	uint64_t offset;
	uint32_t region, count;
	uint8_t data[8];
};

static const char capabilities[] =
	"{\"capabilities\":{\"max_msg_fds\":16,\"max_dma_maps\":65535,\"write_multiple\":true}}";

/* ---- output ---- */

static bool send_some(struct function *fn, struct out_msg *msg)
{
	ssize_t n = send(fn->conn_fd, msg->data + msg->done, msg->len - msg->done,
			 MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n > 0)
		msg->done += n;
	else if (errno != EAGAIN && errno != EINTR)
		msg->done =
			msg->len; /* nobody reads it any more: the end of the stream comes next */
	return msg->done == msg->len;
}

static void flush_out(struct function *fn)
{
	struct out_msg *msg, *tmp;

	list_for_each_entry_safe(msg, tmp, &fn->out, node) {
		if (!send_some(fn, msg))
			break;
		list_del(&msg->node);
		free(msg);
	}
	loop_fd_set_events(fn->conn_fd, list_empty(&fn->out), !list_empty(&fn->out));
}

/* Header and payload are sent in one write if possible. */
static void reply(struct function *fn, int error, const void *payload, size_t len, const void *data,
		  size_t data_len)
{
	const struct vfu_header *req = (const void *)fn->in.data;
	struct vfu_header hdr = {
		.id = req->id, .command = req->command, .size = sizeof(hdr), .flags = VFU_REPLY,
	};
	struct out_msg *msg;

	if (req->flags & VFU_NO_REPLY)
		return;
	if (error) {
		hdr.flags |= VFU_ERROR;
		hdr.error = -error;
		len = 0;
		data_len = 0;
	}
	hdr.size += len + data_len;
	msg = malloc(sizeof(*msg) + hdr.size);
	if (!msg)
		return;
	msg->len = hdr.size;
	msg->done = 0;
	memcpy(msg->data, &hdr, sizeof(hdr));
	if (len)
		memcpy(msg->data + sizeof(hdr), payload, len);
	if (data_len)
		memcpy(msg->data + sizeof(hdr) + len, data, data_len);
	list_add_tail(&msg->node, &fn->out);
	flush_out(fn);
}

static void reply_error(struct function *fn, int error, const char *why)
{
	const struct vfu_header *req = (const void *)fn->in.data;

	violation(fn->dev, "vfio-user command %u: %s", req->command, why);
	reply(fn, error, NULL, 0, NULL, 0);
}

/* ---- requests ---- */

/* The payload if it has @len bytes; NULL: an error reply was sent. */
static void *payload(struct function *fn, size_t len)
{
	if (fn->in.len < sizeof(struct vfu_header) + len) {
		reply_error(fn, -EINVAL, "message is too short");
		return NULL;
	}
	return fn->in.data + sizeof(struct vfu_header);
}

static size_t payload_len(const struct function *fn)
{
	return fn->in.len - sizeof(struct vfu_header);
}

/* Descriptor @i of the message, which the caller then owns; -1: none. */
static int detach_fd(struct function *fn, unsigned int i)
{
	int fd = -1;

	if (i < fn->in.n_fds) {
		fd = fn->in.fds[i];
		fn->in.fds[i] = -1;
	}
	return fd;
}

static void do_version(struct function *fn)
{
	struct vfu_version *v = payload(fn, sizeof(*v));
	struct vfu_version ours = { .major = 0, .minor = 0 };

	if (!v)
		return;
	if (v->major != 0) {
		reply_error(fn, -EINVAL, "only protocol version 0 is supported");
		return;
	}
	reply(fn, 0, &ours, sizeof(ours), capabilities, sizeof(capabilities));
}

static void do_dma_map(struct function *fn)
{
	struct vfu_dma_map *m = payload(fn, sizeof(*m));
	int err;

	if (!m)
		return;
	if (m->flags & ~3u || !(m->flags & 3)) {
		reply_error(fn, -EINVAL,
			    "DMA_MAP: neither readable nor writable, or unknown flags");
		return;
	}
	err = dma_map(fn, m->iova, m->size, m->offset, detach_fd(fn, 0), m->flags & 1,
		      m->flags & 2);
	if (err)
		reply_error(fn, err, err == -EEXIST ? "DMA_MAP: overlaps an existing range" :
			    err == -E2BIG ? "DMA_MAP: more ranges than max_dma_maps" :
			    "DMA_MAP: invalid range, alignment or file");
	else
		reply(fn, 0, NULL, 0, NULL, 0);
}

static void do_dma_unmap(struct function *fn)
{
	struct vfu_dma_unmap *u = payload(fn, sizeof(*u));
	int err = 0;

	if (!u)
		return;
	if (u->flags & ~(uint32_t)VFIO_DMA_UNMAP_FLAG_ALL) {
		reply_error(fn, -EINVAL, "DMA_UNMAP: unknown flags");
		return;
	}
	if (u->flags)
		dma_unmap_all(fn);
	else
		err = dma_unmap(fn, u->iova, u->size);
	if (err)
		reply_error(fn, err, "DMA_UNMAP: invalid range");
	else
		reply(fn, 0, u, sizeof(*u), NULL, 0);
}

static void do_get_info(struct function *fn)
{
	struct vfu_device_info info = {
		.argsz = sizeof(info), .flags = VFIO_DEVICE_FLAGS_PCI | VFIO_DEVICE_FLAGS_RESET,
		.num_regions = VFIO_PCI_NUM_REGIONS, .num_irqs = VFIO_PCI_NUM_IRQS,
	};

	if (payload(fn, sizeof(info)))
		reply(fn, 0, &info, sizeof(info), NULL, 0);
}

static uint64_t region_size(struct function *fn, uint32_t index)
{
	switch (index) {
	case VFIO_PCI_BAR0_REGION_INDEX: return fn->dev->card->bar_bytes;
	case VFIO_PCI_CONFIG_REGION_INDEX: return PCI_CONFIG_BYTES;
	default: return 0;
	}
}

/*
 * No region can be mapped: doorbells must arrive as messages, and with a mappable range QEMU would
 * wait for every write.
 */
static void do_get_region_info(struct function *fn)
{
	struct vfio_region_info *req = payload(fn, sizeof(*req));
	struct vfio_region_info info = { .argsz = sizeof(info) };

	if (!req)
		return;
	if (req->index >= VFIO_PCI_NUM_REGIONS) {
		reply_error(fn, -EINVAL, "GET_REGION_INFO: no such region");
		return;
	}
	info.index = req->index;
	info.size = region_size(fn, req->index);
	if (info.size)
		info.flags = VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE;
	reply(fn, 0, &info, sizeof(info), NULL, 0);
}

static void do_get_irq_info(struct function *fn)
{
	struct vfio_irq_info *req = payload(fn, sizeof(*req));
	struct vfio_irq_info info = { .argsz = sizeof(info) };

	if (!req)
		return;
	if (req->index >= VFIO_PCI_NUM_IRQS) {
		reply_error(fn, -EINVAL, "GET_IRQ_INFO: no such interrupt");
		return;
	}
	info.index = req->index;
	info.flags = VFIO_IRQ_INFO_EVENTFD;
	if (req->index == VFIO_PCI_MSIX_IRQ_INDEX)
		info.count = fn->dev->card->vectors;
	reply(fn, 0, &info, sizeof(info), NULL, 0);
}

static void set_irq_fd(struct function *fn, uint32_t vector, int fd)
{
	if (fn->irq_fds[vector] >= 0)
		close(fn->irq_fds[vector]);
	fn->irq_fds[vector] = fd;
}

/* Anything else might block whoever writes to it. */
static bool is_eventfd(int fd)
{
	char link[32], kind[32];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, kind, sizeof(kind) - 1);
	if (n < 0)
		return false;
	kind[n] = 0;
	return !strcmp(kind, "anon_inode:[eventfd]");
}

/* False: not all of them are eventfds, which are set to non-blocking here. */
static bool take_eventfds(const struct function *fn)
{
	unsigned int i;
	int flags;

	for (i = 0; i < fn->in.n_fds; i++) {
		if (!is_eventfd(fn->in.fds[i]))
			return false;
		flags = fcntl(fn->in.fds[i], F_GETFL);
		if (flags < 0 || fcntl(fn->in.fds[i], F_SETFL, flags | O_NONBLOCK))
			return false;
	}
	return true;
}

/* Eventfds enable vectors, the same request without them disables them; count 0 disables all. */
static void do_set_irqs(struct function *fn)
{
	const uint32_t kinds =
		VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER;
	struct vfu_irq_set *s = payload(fn, sizeof(*s));
	uint32_t i, vectors = 0;

	if (!s)
		return;
	if (s->index == VFIO_PCI_MSIX_IRQ_INDEX)
		vectors = fn->dev->card->vectors;
	if (s->index >= VFIO_PCI_NUM_IRQS || s->start > vectors || s->count > vectors - s->start) {
		reply_error(fn, -EINVAL, "SET_IRQS: no such vectors");
		return;
	}
	if (s->flags & ~kinds || !(s->flags & VFIO_IRQ_SET_ACTION_TRIGGER) ||
	    (fn->in.n_fds &&
	     (!(s->flags & VFIO_IRQ_SET_DATA_EVENTFD) || fn->in.n_fds != s->count))) {
		reply_error(fn, -EINVAL, "SET_IRQS: needs one eventfd for each vector");
		return;
	}
	if (!take_eventfds(fn)) {
		reply_error(fn, -EINVAL, "SET_IRQS: a descriptor is no eventfd");
		return;
	}
	if (s->flags & VFIO_IRQ_SET_DATA_NONE && s->count) {
		reply_error(fn, -EINVAL, "SET_IRQS: software triggering is not supported");
		return;
	}
	if (!s->count) {
		for (i = 0; i < vectors; i++)
			set_irq_fd(fn, i, -1);
	}
	for (i = 0; i < s->count; i++)
		set_irq_fd(fn, s->start + i, detach_fd(fn, i));
	reply(fn, 0, NULL, 0, NULL, 0);
}

static bool access_fits(struct function *fn, uint32_t region, uint64_t offset, uint32_t count)
{
	uint64_t size = region_size(fn, region);

	return count && count <= XFER_MAX && offset < size && count <= size - offset;
}

static bool is_awake(struct function *fn, uint64_t offset)
{
	if (pci_awake(fn))
		return true;
	violation(fn->dev, "access to BAR 0 at 0x%llx in D3", (unsigned long long)offset);
	return false;
}

static void do_region_read(struct function *fn)
{
	struct vfu_region_access *a = payload(fn, sizeof(*a));
	uint8_t *data;

	if (!a)
		return;
	if (!access_fits(fn, a->region, a->offset, a->count)) {
		reply_error(fn, -EINVAL, "REGION_READ: outside the region");
		return;
	}
	data = malloc(a->count);
	if (!data) {
		reply_error(fn, -ENOMEM, "REGION_READ: the emulator is out of memory");
		return;
	}
	if (a->region == VFIO_PCI_CONFIG_REGION_INDEX)
		pci_read(fn, a->offset, data, a->count);
	else if (is_awake(fn, a->offset))
		bar_read(fn->dev, a->offset, data, a->count);
	else
		memset(data, 0xff, a->count);
	reply(fn, 0, a, sizeof(*a), data, a->count);
	free(data);
}

static void region_write(struct function *fn, uint32_t region, uint64_t offset, const void *data,
			 uint32_t count)
{
	if (region == VFIO_PCI_CONFIG_REGION_INDEX)
		pci_write(fn, offset, data, count);
	else if (is_awake(fn, offset))
		bar_write(fn->dev, offset, data, count);
}

static void do_region_write(struct function *fn)
{
	struct vfu_region_access *a = payload(fn, sizeof(*a)), echo;

	if (!a)
		return;
	if (!access_fits(fn, a->region, a->offset, a->count)) {
		reply_error(fn, -EINVAL, "REGION_WRITE: outside the region");
		return;
	}
	if (payload_len(fn) - sizeof(*a) < a->count) {
		reply_error(fn, -EINVAL, "REGION_WRITE: fewer bytes than its count says");
		return;
	}
	echo = *a;
	region_write(fn, a->region, a->offset, a + 1, a->count);
	reply(fn, 0, &echo, sizeof(echo), NULL, 0);
}

static void do_write_multi(struct function *fn)
{
	uint64_t *count = payload(fn, sizeof(*count)), n, i;
	struct vfu_write *w;

	if (!count)
		return;
	n = *count;
	if (n > (payload_len(fn) - sizeof(*count)) / sizeof(*w)) {
		reply_error(fn, -EINVAL, "WRITE_MULTI: fewer writes than its count says");
		return;
	}
	w = (struct vfu_write *)(count + 1);
	for (i = 0; i < n; i++) {
		if (w[i].count > sizeof(w[i].data) ||
		    !access_fits(fn, w[i].region, w[i].offset, w[i].count)) {
			reply_error(fn, -EINVAL, "WRITE_MULTI: a write is outside its region");
			return;
		}
		region_write(fn, w[i].region, w[i].offset, w[i].data, w[i].count);
	}
	reply(fn, 0, &n, sizeof(n), NULL, 0);
}

static void do_reset(struct function *fn)
{
	function_power_on(fn, "reset by the VM");
	reply(fn, 0, NULL, 0, NULL, 0);
}

static void dispatch(struct function *fn)
{
	static void (*const handlers[])(struct function *fn) = {
		[VFU_VERSION] = do_version,
		[VFU_DMA_MAP] = do_dma_map,
		[VFU_DMA_UNMAP] = do_dma_unmap,
		[VFU_GET_INFO] = do_get_info,
		[VFU_GET_REGION_INFO] = do_get_region_info,
		[VFU_GET_IRQ_INFO] = do_get_irq_info,
		[VFU_SET_IRQS] = do_set_irqs,
		[VFU_REGION_READ] = do_region_read,
		[VFU_REGION_WRITE] = do_region_write,
		[VFU_DEVICE_RESET] = do_reset,
		[VFU_WRITE_MULTI] = do_write_multi,
	};
	const struct vfu_header *hdr = (const void *)fn->in.data;

	if (hdr->command < ARRAY_SIZE(handlers) && handlers[hdr->command])
		handlers[hdr->command](fn);
	else
		reply_error(fn, -ENOTSUP, "the command is not supported");
}

/* ---- the connection ---- */

static void close_fds(struct function *fn)
{
	unsigned int i;

	for (i = 0; i < fn->in.n_fds; i++)
		if (fn->in.fds[i] >= 0)
			close(fn->in.fds[i]);
	fn->in.n_fds = 0;
}

static bool is_read_ahead(const struct function *fn)
{
	return fn->in.ahead_at < fn->in.ahead_len;
}

/* Drops memory and interrupts of the guest, resets the function to its power-on state. */
static void disconnect(struct function *fn, const char *why)
{
	struct out_msg *msg, *tmp;
	unsigned int i;

	notice(fn->dev, "connection closed: %s", why);
	loop_del_fd(fn->conn_fd);
	close(fn->conn_fd);
	fn->conn_fd = -1;
	close_fds(fn);
	fn->in.len = 0;
	fn->in.ahead_len = 0;
	fn->in.fds_lost = false;
	work_cancel(&fn->more);
	list_for_each_entry_safe(msg, tmp, &fn->out, node) {
		list_del(&msg->node);
		free(msg);
	}
	for (i = 0; i < VECTORS_MAX; i++)
		set_irq_fd(fn, i, -1);
	cxdev_power_on(fn->dev);
	pci_reset(fn);
	dma_unmap_all(fn);
	health_disconnect(fn->dev);
}

static void receive_fds(struct function *fn, struct msghdr *msg)
{
	struct cmsghdr *c;
	int fd;
	size_t i, n;

	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (i = 0; i < n; i++) {
			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
			if (fn->in.n_fds < MSG_FDS_MAX)
				fn->in.fds[fn->in.n_fds++] = fd;
			else
				close(fd);
		}
	}
}

/* Reads what there is: 1, 0 if nothing has arrived, -1 if the connection was closed. */
static int read_socket(struct function *fn, void *buf, size_t room, size_t *len)
{
	char control[CMSG_SPACE(MSG_FDS_MAX * sizeof(int))];
	struct iovec iov = { buf, room };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	ssize_t n;

	n = recvmsg(fn->conn_fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	if (!n)
		return -1;
	receive_fds(fn, &msg);
	/* Without them the same message says something else. */
	if (msg.msg_flags & MSG_CTRUNC) {
		fn->in.fds_lost = true;
		return -1;
	}
	*len = n;
	/* what follows descriptors is there, but not read */
	fn->in.drained = (size_t)n < room && !fn->in.n_fds;
	return 1;
}

static void take_ahead(struct function *fn, size_t want)
{
	struct in_msg *in = &fn->in;
	size_t n = in->ahead_len - in->ahead_at;

	if (n > want - in->len)
		n = want - in->len;
	memcpy(in->data + in->len, in->ahead + in->ahead_at, n);
	in->ahead_at += n;
	in->len += n;
}

/*
 * Reads until the message has @want bytes: 1 if it has, 0 if more must arrive first, -1 if the
 * connection was closed.
 */
static int read_up_to(struct function *fn, size_t want)
{
	struct in_msg *in = &fn->in;
	size_t len = 0;
	int got = 1;

	if (is_read_ahead(fn))
		take_ahead(fn, want);
	if (in->len >= want)
		return 1;
	/* with descriptors only the rest of their message */
	if (want - in->len > AHEAD_BYTES || in->n_fds) {
		got = read_socket(fn, in->data + in->len, want - in->len, &len);
		in->len += len;
	} else {
		in->ahead_at = 0;
		in->ahead_len = 0;
		got = read_socket(fn, in->ahead, AHEAD_BYTES, &in->ahead_len);
		take_ahead(fn, want);
	}
	return got < 0 ? got : in->len == want;
}

/* One message: 1 if it was handled, 0 if it is incomplete, -1 if the connection is closed. */
static int read_message(struct function *fn)
{
	const struct vfu_header *hdr = (const void *)fn->in.data;
	int got = read_up_to(fn, sizeof(*hdr));
	unsigned int n_fds;

	if (got > 0 &&
	    (hdr->size < sizeof(*hdr) || hdr->size > MSG_MAX || hdr->flags & VFU_TYPE_MASK)) {
		violation(fn->dev, "malformed vfio-user message: %u bytes, flags 0x%x",
			  hdr->size, hdr->flags);
		disconnect(fn, "malformed message");
		return -1;
	}
	if (got > 0)
		got = read_up_to(fn, hdr->size);
	if (got < 0) {
		disconnect(fn, fn->in.fds_lost ? "descriptors of a message did not arrive" :
					       "closed by the client");
		return -1;
	}
	if (!got)
		return 0;
	n_fds = fn->in.n_fds;
	if (is_read_ahead(fn))
		fn->in.n_fds = 0;	/* they are of a later one */
	dispatch(fn);
	if (is_read_ahead(fn))
		fn->in.n_fds = n_fds;
	else
		close_fds(fn);
	fn->in.len = 0;
	return 1;
}

/* As long as there are messages, replies are read, and others have not waited for long. */
static void read_messages(struct function *fn)
{
	unsigned int budget = MSGS_PER_ROUND;

	while (budget && list_empty(&fn->out) && read_message(fn) > 0) {
		budget--;
		if (!is_read_ahead(fn) && fn->in.drained)
			return;
	}
	if (!budget && is_read_ahead(fn))
		work_queue(&fn->more);
}

static void on_more(struct work *work)
{
	read_messages(container_of(work, struct function, more));
}

static void on_message(int fd, void *arg)
{
	struct function *fn = arg;

	(void)fd;
	if (!list_empty(&fn->out))
		flush_out(fn);
	read_messages(fn);
}

/* A client that was closed and replaced at once may have left unread messages. */
static bool peer_closed(int fd)
{
	struct pollfd p = { .fd = fd };

	return poll(&p, 1, 0) == 1 && p.revents & POLLHUP;
}

static void on_connection(int fd, void *arg)
{
	struct function *fn = arg;
	int conn = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (conn < 0)
		return;
	if (fn->conn_fd >= 0 && peer_closed(fn->conn_fd))
		disconnect(fn, "replaced by a new connection");
	if (fn->conn_fd >= 0) {
		violation(fn->dev, "a second connection to %s was refused", fn->path);
		close(conn);
		return;
	}
	if (loop_add_fd(conn, on_message, fn)) {
		fprintf(stderr, "cxemu: too many descriptors: connection to %s refused\n",
			fn->path);
		close(conn);
		return;
	}
	fn->conn_fd = conn;
	/* the firmware of its card may have failed for the guest of another function */
	cxdev_power_on(fn->dev);
	notice(fn->dev, "connected");
}

int function_listen(struct function *fn)
{
	unsigned int i;

	fn->conn_fd = -1;
	fn->listen_fd = -1;
	list_init(&fn->out);
	list_init(&fn->files);
	work_init(&fn->more, on_more);
	for (i = 0; i < VECTORS_MAX; i++)
		fn->irq_fds[i] = -1;
	fn->in.data = malloc(MSG_MAX);
	if (!fn->in.data)
		return -ENOMEM;
	pci_reset(fn);

	fn->listen_fd = sockets_listen(fn->path, 1, on_connection, fn);
	if (fn->listen_fd < 0) {
		fprintf(stderr, "cxemu: cannot listen on %s: %s\n", fn->path,
			strerror(-fn->listen_fd));
		return fn->listen_fd;
	}
	return 0;
}

void function_close(struct function *fn)
{
	if (fn->conn_fd >= 0)
		disconnect(fn, "cxemu exits");
	if (fn->listen_fd >= 0)
		sockets_close(fn->listen_fd, fn->path);
	free(fn->in.data);
}
