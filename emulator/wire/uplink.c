// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Other wires on the switch: a UNIX socket that speaks the framing of QEMU's stream network
 * backend (each frame after its length in four bytes, big-endian), a UDP socket with a frame in
 * each datagram, as QEMU's dgram backend has it, a tap device, and a joint: what joins two
 * processes of one cxemu, by records with a frame each, or with one byte, whether there is link
 * behind the end that sends it.
 *
 * The port has link while a peer is connected; with UDP and a tap always. A peer that reads slowly
 * stops its port's queue, so that senders wait for it as for a function; one that has not read for
 * STUCK_NS loses frames instead, since it must not block the others. In the other direction a frame
 * waits for room at its receiver, and its wire is not read meanwhile; after WAIT_NS of that it is
 * lost, and for SLOW_NS all others without room are, so that who is slow does not hold what is for
 * others for long.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_ether.h>
#include <linux/if_tun.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wire/wire.h"

#define LENGTH_BYTES 4
#define STUCK_NS 500000000ull
#define WAIT_NS 100000000ull
#define SLOW_NS 500000000ull
/* A larger buffer would hide from the switch how slow the peer is. */
#define SEND_BUFFER (256 * 1024)

uint64_t uplink_wait_ns = WAIT_NS;

struct uplink {
	struct list_head node;
	struct port *port;
	char name[32];
	const char *where;	/* of listen_fd */
	int listen_fd, fd; /* -1: none */
	bool frames;		/* what is read or written at once is a frame: not a stream */
	bool is_udp, stuck;
	void (*ended)(void *arg);	/* of a joint, NULL: of another wire */
	void *ended_arg;
	bool tell_link;		/* to the other end of a joint */
	struct timer timer;
	struct frame *next;	/* waits for room by the work; nothing is read */
	struct work work;
	struct timer wait;
	uint64_t slow_until_ns;
	uint32_t in_len, out_len, out_done; /* out_len 0: none pending */
	uint8_t in[LENGTH_BYTES + FRAME_MAX];
	uint8_t out[LENGTH_BYTES + FRAME_MAX];
};

static struct list_head uplinks = LIST_HEAD_INIT(uplinks);

static void watch(const struct uplink *link)
{
	loop_fd_set_events(link->fd, !link->next, link->out_len);
}

static void disconnect(struct uplink *link, const char *why)
{
	notice(NULL, "wire %s: %s", link->name, why);
	loop_del_fd(link->fd);
	close(link->fd);
	link->fd = -1;
	link->in_len = 0;
	link->out_len = 0;
	link->stuck = false;
	link->tell_link = false;
	timer_cancel(&link->timer);
	work_cancel(&link->work);
	timer_cancel(&link->wait);
	frame_free(link->next);
	link->next = NULL;
	port_set_wire(link->port, false);
	port_hold(link->port, false);
	if (link->ended)
		link->ended(link->ended_arg);
}

/* ---- from the switch to the peer ---- */

/* Another process may be short of memory, or gone. */
static bool is_end(const struct uplink *link, int err)
{
	return link->ended && (err == EPIPE || err == ECONNRESET);
}

/* Writes the pending frame; true if some of it was written. */
static bool flush_out(struct uplink *link)
{
	ssize_t n = write(link->fd, link->out + link->out_done, link->out_len - link->out_done);

	/* an error of an earlier datagram */
	if (n < 0 && errno != EAGAIN && link->is_udp)
		n = write(link->fd, link->out, link->out_len);
	if (n < 0 && errno != EAGAIN && errno != EINTR) {
		/*
		 * The interface of a tap is down, or the host of a UDP peer cannot be reached: a
		 * cable would drop them, too.
		 */
		if (link->frames && !is_end(link, errno))
			link->out_len = 0;
		else
			disconnect(link, strerror(errno));
		return false;
	}
	if (n <= 0)
		return false;

	link->out_done += n;
	link->stuck = false;
	if (link->out_done == link->out_len)
		link->out_len = 0;
	return true;
}

static void wait_for_peer(struct uplink *link)
{
	watch(link);
	timer_arm(&link->timer, STUCK_NS);
	port_hold(link->port, true);
}

static void on_stuck(struct timer *timer)
{
	struct uplink *link = container_of(timer, struct uplink, timer);

	link->stuck = true;
	port_hold(link->port, false);
}

/* Nothing is pending. */
static void send_link(struct uplink *link)
{
	link->tell_link = false;
	link->out[0] = port_far_end_up(link->port);
	link->out_len = 1;
	link->out_done = 0;
	flush_out(link);
}

/* There is link, or none any more, at what the port has a cable to. */
static void on_far_end(void *arg)
{
	struct uplink *link = arg;

	if (link->fd < 0)
		return;
	link->tell_link = true;
	if (link->out_len)
		return;
	send_link(link);
	if (link->fd >= 0 && link->out_len)
		wait_for_peer(link);
}

static void on_writable(struct uplink *link)
{
	bool some = flush_out(link);

	if (link->fd < 0)
		return;
	if (!link->out_len && link->tell_link)
		send_link(link);
	if (link->fd < 0)
		return;
	if (link->out_len) {
		if (some)
			wait_for_peer(link);
		return;
	}

	watch(link);
	timer_cancel(&link->timer);
	port_hold(link->port, false);
}

static bool uplink_send(void *arg, const struct frame *frame)
{
	struct uplink *link = arg;
	uint32_t head = 0;

	/* only while stuck, else the port is held */
	if (link->fd < 0 || link->out_len)
		return false;

	if (!link->frames) {
		uint32_t len = htobe32(frame->len);

		memcpy(link->out, &len, LENGTH_BYTES);
		head = LENGTH_BYTES;
	}
	memcpy(link->out + head, frame->data, frame->len);
	link->out_len = head + frame->len;
	link->out_done = 0;
	flush_out(link);
	if (link->fd >= 0 && link->out_len)
		wait_for_peer(link);
	return true;
}

/* ---- from the peer to the switch ---- */

/* Is there room for it, or has it waited long enough? Else the work waits. */
static bool send_next(struct uplink *link)
{
	struct frame *frame = link->next;

	if (frame->len >= ETH_ALEN &&
	    !port_may_send(link->port, frame->data, qos_frame_prio(port_qos(link->port), frame), 1,
			   &link->work) &&
	    now_ns() >= link->slow_until_ns)
		return false;
	work_cancel(&link->work);
	timer_cancel(&link->wait);
	link->next = NULL;
	port_send(link->port, frame);	/* without room it is lost, and counted there */
	return true;
}

/* False: it waits, and nothing more may be injected. */
static bool inject_frame(struct uplink *link, const uint8_t *data, uint32_t len)
{
	link->next = frame_alloc(len);
	if (!link->next)
		return true;
	memcpy(link->next->data, data, len);
	if (send_next(link))
		return true;
	watch(link);
	timer_arm(&link->wait, uplink_wait_ns);
	return false;
}

/* Injects the complete frames for which there is room; false if the framing is wrong. */
static bool parse_frames(struct uplink *link)
{
	uint32_t at = 0, len;

	while (!link->next && link->in_len - at >= LENGTH_BYTES) {
		memcpy(&len, link->in + at, LENGTH_BYTES);
		len = be32toh(len);
		if (!len || len > FRAME_MAX)
			return false;
		if (link->in_len - at < LENGTH_BYTES + len)
			break;
		inject_frame(link, link->in + at + LENGTH_BYTES, len);
		at += LENGTH_BYTES + len;
	}
	link->in_len -= at;
	memmove(link->in, link->in + at, link->in_len);
	return true;
}

/* The other end of a joint. */
static void on_record(struct uplink *link, ssize_t n)
{
	if (n == 1)
		port_set_wire(link->port, link->in[0]);
	else if (n > 0)
		inject_frame(link, link->in, n);
	else
		disconnect(link, n ? strerror(errno) : "the other process has ended");
}

/* A tap, a joint, or UDP: anybody who can send with the peer's address can send anything. */
static void on_frames(struct uplink *link)
{
	int budget = LOOP_SLICE;
	ssize_t n;

	while (budget-- && link->fd >= 0 && !link->next) {
		n = link->is_udp ? recv(link->fd, link->in, sizeof(link->in), MSG_TRUNC) :
				   read(link->fd, link->in, sizeof(link->in));
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (link->ended) {
			on_record(link, n);
		} else if (n >= 0) {
			/* too long: malformed */
			inject_frame(link, link->in, n > FRAME_MAX ? 0 : n);
		} else if (!link->is_udp) {
			disconnect(link, strerror(errno));
			return;
		}
		/* else nobody has listened where we sent something */
	}
}

static void parse_stream(struct uplink *link)
{
	if (!parse_frames(link))
		disconnect(link, "frame length is 0 or above 10240: not QEMU's stream framing");
}

static void on_stream(struct uplink *link)
{
	ssize_t n = read(link->fd, link->in + link->in_len, sizeof(link->in) - link->in_len);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		disconnect(link, n ? strerror(errno) : "peer disconnected");
		return;
	}
	link->in_len += n;
	parse_stream(link);
}

static void go_on(struct uplink *link)
{
	if (!send_next(link))
		return;
	if (!link->frames)
		parse_stream(link);
	if (link->fd >= 0)
		watch(link);
}

static void on_room(struct work *work)
{
	go_on(container_of(work, struct uplink, work));
}

static void on_waited(struct timer *timer)
{
	struct uplink *link = container_of(timer, struct uplink, wait);

	link->slow_until_ns = now_ns() + SLOW_NS;
	go_on(link);
}

static void on_peer(int fd, void *arg)
{
	struct uplink *link = arg;

	if (link->out_len)
		on_writable(link);
	if (link->fd != fd || link->next)
		return;
	if (link->frames)
		on_frames(link);
	else
		on_stream(link);
}

/* ---- setup ---- */

static int attach(struct uplink *link, int fd)
{
	int err = loop_add_fd(fd, on_peer, link);

	if (err) {
		close(fd);
		return err;
	}
	link->fd = fd;
	port_set_wire(link->port, true);
	return 0;
}

static void on_connect(int listen_fd, void *arg)
{
	struct uplink *link = arg;
	int room = SEND_BUFFER, fd;

	fd = accept4(listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0)
		return;
	if (link->fd >= 0) {
		notice(NULL, "wire %s: second peer rejected", link->name);
		close(fd);
		return;
	}
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	if (!attach(link, fd))
		notice(NULL, "wire %s: peer connected", link->name);
}

static int open_unix(struct uplink *link, const char *path)
{
	link->where = path;
	link->listen_fd = sockets_listen(path, 1, on_connect, link);
	return link->listen_fd < 0 ? link->listen_fd : 0;
}

/* A socket from @port, of the family of @peer, to it alone. The descriptor or -errno. */
static int udp_socket(const char *port, const struct addrinfo *peer)
{
	struct addrinfo hints = { .ai_family = peer->ai_family, .ai_socktype = SOCK_DGRAM,
				  .ai_flags = AI_PASSIVE | AI_NUMERICSERV }, *here;
	int fd, err = 0;

	if (getaddrinfo(NULL, port, &hints, &here))
		return -EINVAL;
	fd = socket(peer->ai_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, here->ai_addr, here->ai_addrlen) ||
	    connect(fd, peer->ai_addr, peer->ai_addrlen))
		err = -errno;
	freeaddrinfo(here);
	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	return err;
}

static bool is_udp_port(const char *text)
{
	return strlen(text) <= 5 && strspn(text, "0123456789") == strlen(text) &&
	       atoi(text) >= 1 && atoi(text) <= 65535;
}

/* PORT:HOST:PORT; an IPv6 address is in brackets. */
static int open_udp(struct uplink *link, const char *arg)
{
	struct addrinfo hints = { .ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICSERV }, *peer;
	char text[300], port[8], *host, *to;
	int fd, err;

	link->frames = true;
	link->is_udp = true;
	if (strlen(arg) >= sizeof(text) || sscanf(arg, "%7[^:]:%299s", port, text) != 2)
		return -EINVAL;
	to = strrchr(text, ':');
	if (!to || to == text || !is_udp_port(port) || !is_udp_port(to + 1))
		return -EINVAL;
	*to = 0;
	host = text;
	if (*host == '[' && to[-1] == ']') {
		host++;
		to[-1] = 0;
	}
	err = getaddrinfo(host, to + 1, &hints, &peer);
	if (err) {
		fprintf(stderr, "cxemu: --wire: '%s': %s\n", host, gai_strerror(err));
		return -EADDRNOTAVAIL;
	}
	fd = udp_socket(port, peer);
	freeaddrinfo(peer);
	return fd < 0 ? fd : attach(link, fd);
}

static int open_tap(struct uplink *link, const char *interface)
{
	struct ifreq request = { .ifr_flags = IFF_TAP | IFF_NO_PI };
	int fd, err;

	if (strlen(interface) >= IFNAMSIZ)
		return -ENAMETOOLONG;
	strcpy(request.ifr_name, interface);
	link->frames = true;
	fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (ioctl(fd, TUNSETIFF, &request)) {
		err = -errno;
		close(fd);
		return err;
	}
	return attach(link, fd);
}

static void free_uplink(struct uplink *link)
{
	if (link->fd >= 0)
		disconnect(link, "closed");
	if (link->listen_fd >= 0)
		sockets_close(link->listen_fd, link->where);
	port_destroy(link->port);
	list_del(&link->node);
	free(link);
}

static const struct {
	const char *name;
	int (*open)(struct uplink *link, const char *arg);	/* 0 or -errno */
} kinds[] = {
	{ "unix:", open_unix },
	{ "udp:", open_udp },
	{ "tap:", open_tap },
};

/* With a port of that name, without a peer; NULL: no memory. */
static struct uplink *new_uplink(const char *name)
{
	struct uplink *link = calloc(1, sizeof(*link));

	if (!link)
		return NULL;
	link->listen_fd = -1;
	link->fd = -1;
	snprintf(link->name, sizeof(link->name), "%s", name);
	timer_init(&link->timer, on_stuck);
	work_init(&link->work, on_room);
	timer_init(&link->wait, on_waited);
	link->port = port_create(NULL, link->name);
	if (!link->port) {
		free(link);
		return NULL;
	}
	port_set_wire(link->port, false);
	port_set_sink(link->port, uplink_send, link);
	list_add_tail(&link->node, &uplinks);
	return link;
}

int uplink_open(const char *what)
{
	const char *arg = strchr(what, ':');
	struct uplink *link;
	unsigned int kind;
	char name[32];
	int err;

	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++)
		if (!strncmp(what, kinds[kind].name, strlen(kinds[kind].name)))
			break;
	if (kind == ARRAY_SIZE(kinds) || !arg[1]) {
		fprintf(stderr,
			"cxemu: --wire: '%s' is neither unix:SOCKET, udp:PORT:HOST:PORT nor tap:INTERFACE\n",
			what);
		return -EINVAL;
	}
	/* the port here is enough: no other wire has it */
	if (kinds[kind].open == open_udp)
		snprintf(name, sizeof(name), "udp:%.*s", (int)strcspn(arg + 1, ":"), arg + 1);
	else
		snprintf(name, sizeof(name), "%s", arg + 1);
	link = new_uplink(name);
	if (!link)
		return -ENOMEM;
	err = kinds[kind].open(link, arg + 1);
	if (err) {
		fprintf(stderr, "cxemu: --wire %s: %s\n", what, strerror(-err));
		free_uplink(link);
	}
	return err;
}

int uplink_join(int fd, const char *name, struct port *port, void (*ended)(void *arg), void *arg)
{
	struct uplink *link = new_uplink(name);
	int err;

	if (!link) {
		close(fd);
		return -ENOMEM;
	}
	link->frames = true;
	err = attach(link, fd);
	/* until the other end has told that there is link */
	port_set_wire(link->port, false);
	if (!err && port)
		err = port_cable(link->port, port);
	if (err) {
		free_uplink(link);
		return err;
	}
	link->ended = ended;
	link->ended_arg = arg;
	port_watch_far_end(link->port, on_far_end, link);
	on_far_end(link);
	return link->fd < 0 ? -EPIPE : 0;	/* the other process has ended already */
}

void uplinks_close(void)
{
	while (!list_empty(&uplinks))
		free_uplink(list_first_entry(&uplinks, struct uplink, node));
}
