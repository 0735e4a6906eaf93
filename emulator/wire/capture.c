// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Captures of the wire in pcapng: the ports of the switch are its interfaces, and each frame has
 * the one that it was sent by. libpcap can read this format but not write it, so it is written
 * here.
 *
 * A capture of all ports has each frame once, as it enters the switch; a capture of one port has
 * what the port sends and what is delivered to it. The buffer holds whole blocks; it is flushed
 * before it overflows, and at the latest FLUSH_NS after a frame was captured, so that a reader of a
 * growing file sees whole frames only. A pipe or a socket that is not read must not block the wire:
 * frames that find the buffer full are dropped and counted.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "wire/vtime.h"
#include "wire/wire.h"

#define BUFFER (1u << 20)
#define FLUSH_NS 20000000ull
#define SNAPLEN 65535
#define PORTS_MAX 64
#define NAME_MAX_BYTES 32

#define BLOCK_SECTION 0x0a0d0d0au
#define BLOCK_INTERFACE 1
#define BLOCK_PACKET 6
#define BYTE_ORDER_MAGIC 0x1a2b3c4du
#define LINKTYPE_ETHERNET 1
#define OPT_END 0
#define OPT_USERAPPL 4
#define OPT_IF_NAME 2
#define OPT_IF_TSRESOL 9
#define OPT_PACKET_FLAGS 2
#define NANOSECONDS 9
#define INBOUND 1
#define OUTBOUND 2

struct capture {
	struct list_head node;
	char path[256];			/* "-": a client of the control socket */
	int fd, client;
	char only[NAME_MAX_BYTES];	/* port to capture; empty: all */
	char ports[PORTS_MAX][NAME_MAX_BYTES];
	unsigned int n_ports;
	uint8_t *buffer;
	size_t used;
	uint64_t frames, lost;
	struct timer timer;
};

static struct list_head captures = LIST_HEAD_INIT(captures);

static void free_capture(struct capture *c)
{
	list_del(&c->node);
	timer_cancel(&c->timer);
	close(c->fd);
	free(c->buffer);
	free(c);
}

/* ---- output ---- */

/* Writes what does not block; false: the capture has ended. */
static bool flush(struct capture *c)
{
	size_t done = 0;
	ssize_t n;

	while (done < c->used) {
		n = write(c->fd, c->buffer + done, c->used - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0) {
			notice(NULL, "capture %s stopped: %s", c->path, strerror(errno));
			free_capture(c);
			return false;
		}
		done += n;
	}
	c->used -= done;
	memmove(c->buffer, c->buffer + done, c->used);
	if (c->used)
		timer_arm(&c->timer, FLUSH_NS);
	return true;
}

static void flush_timer(struct timer *timer)
{
	flush(container_of(timer, struct capture, timer));
}

/* ---- blocks ---- */

static uint8_t *put(uint8_t *p, const void *data, size_t len)
{
	memcpy(p, data, len);
	memset(p + len, 0, -len & 3);
	return p + ((len + 3) & ~3ull);
}

static uint8_t *put_word(uint8_t *p, uint32_t v)
{
	return put(p, &v, sizeof(v));
}

static uint8_t *put_option(uint8_t *p, uint16_t code, const void *data, uint16_t len)
{
	p = put_word(p, (uint32_t)len << 16 | code);
	return put(p, data, len);
}

/* Ends the block that begins at @start: its length stands at both ends. */
static void end_block(struct capture *c, uint8_t *start, uint8_t *end)
{
	uint32_t len = end + 4 - start;

	put_word(start + 4, len);
	put_word(end, len);
	c->used += len;
}

static void put_section(struct capture *c)
{
	static const char name[] = "cxemu";
	uint8_t *start = c->buffer + c->used, *p = start;

	p = put_word(p, BLOCK_SECTION) + 4;
	p = put_word(p, BYTE_ORDER_MAGIC);
	p = put_word(p, 1);			/* version 1.0 */
	p = put_word(put_word(p, UINT32_MAX), UINT32_MAX);	/* length unknown */
	p = put_option(p, OPT_USERAPPL, name, strlen(name));
	end_block(c, start, put_word(p, OPT_END));
}

static void put_interface(const char *name, void *arg)
{
	struct capture *c = arg;
	uint8_t *start = c->buffer + c->used, *p = start, resolution = NANOSECONDS;

	if (c->n_ports == PORTS_MAX || (*c->only && strcmp(c->only, name)))
		return;
	snprintf(c->ports[c->n_ports++], NAME_MAX_BYTES, "%s", name);
	p = put_word(p, BLOCK_INTERFACE) + 4;
	p = put_word(p, LINKTYPE_ETHERNET);
	p = put_word(p, SNAPLEN);
	p = put_option(p, OPT_IF_NAME, name, strlen(name));
	p = put_option(p, OPT_IF_TSRESOL, &resolution, 1);
	end_block(c, start, put_word(p, OPT_END));
}

/* Number of the port's interface block, which is added for a new port. */
static unsigned int interface_id(struct capture *c, const char *name)
{
	unsigned int i;

	for (i = 0; i < c->n_ports; i++)
		if (!strcmp(c->ports[i], name))
			return i;
	put_interface(name, c);
	return c->n_ports - 1;
}

static void put_packet(struct capture *c, const struct port *port, const struct frame *frame,
		       uint32_t direction)
{
	uint32_t number = interface_id(c, port_name(port));
	uint8_t *start = c->buffer + c->used, *p = start;
	struct timespec now;
	uint64_t ns;

	clock_gettime(CLOCK_REALTIME, &now);
	ns = now.tv_sec * 1000000000ull + now.tv_nsec;
	if (wire_has_rate()) /* a frame has the time of the wire, which may be late */
		ns -= vtime_late_ns();
	p = put_word(p, BLOCK_PACKET) + 4;
	p = put_word(p, number);
	p = put_word(put_word(p, ns >> 32), ns & UINT32_MAX);
	p = put_word(put_word(p, frame->len), frame->len);
	p = put(p, frame->data, frame->len);
	p = put_option(p, OPT_PACKET_FLAGS, &direction, sizeof(direction));
	end_block(c, start, put_word(p, OPT_END));
}

static void capture_frame(struct capture *c, const struct port *port, const struct frame *frame,
			  uint32_t direction)
{
	const size_t room = frame->len + 256;	/* an interface block may come first */
	bool first;

	if (c->used + room > BUFFER && !flush(c))
		return;
	if (c->used + room > BUFFER) {
		c->lost++;
		return;
	}
	first = !c->used;
	put_packet(c, port, frame, direction);
	c->frames++;
	if (first)
		timer_arm(&c->timer, FLUSH_NS);
}

bool capture_wants_frames(void)
{
	return !list_empty(&captures);
}

void capture_entered(const struct port *port, const struct frame *frame)
{
	struct capture *c, *tmp;

	list_for_each_entry_safe(c, tmp, &captures, node)
		if (!*c->only)
			capture_frame(c, port, frame, OUTBOUND);
}

void capture_control(const struct port *port, const struct frame *frame, bool received)
{
	struct capture *c, *tmp;

	list_for_each_entry_safe(c, tmp, &captures, node)
		if (!*c->only)
			capture_frame(c, port, frame, received ? INBOUND : OUTBOUND);
}

static void capture_of_port(const struct port *port, const struct frame *frame, uint32_t direction)
{
	struct capture *c, *tmp;

	list_for_each_entry_safe(c, tmp, &captures, node)
		if (*c->only && !strcmp(c->only, port_name(port)))
			capture_frame(c, port, frame, direction);
}

void capture_sent(const struct port *port, const struct frame *frame)
{
	capture_of_port(port, frame, OUTBOUND);
}

void capture_delivered(const struct port *port, const struct frame *frame)
{
	capture_of_port(port, frame, INBOUND);
}

/* ---- start and stop ---- */

static int start_capture(int fd, int client, const char *path, const struct port *only)
{
	struct capture *c = calloc(1, sizeof(*c));

	if (c)
		c->buffer = malloc(BUFFER);
	if (!c || !c->buffer) {
		free(c);
		return -ENOMEM;
	}
	snprintf(c->path, sizeof(c->path), "%s", path);
	if (only)
		snprintf(c->only, sizeof(c->only), "%s", port_name(only));
	c->fd = fd;
	c->client = client;
	timer_init(&c->timer, flush_timer);
	list_add_tail(&c->node, &captures);
	put_section(c);
	port_list_names(put_interface, c);
	return flush(c) ? 0 : -EIO;
}

static int start_file(int fd, const char *path, const struct port *only)
{
	int err;

	if (fd < 0)
		return -errno;
	err = start_capture(fd, -1, path, only);
	if (err == -ENOMEM)
		close(fd);
	return err;
}

static int check_path(const char *path)
{
	const struct capture *c;

	if (strlen(path) >= sizeof(c->path))
		return -ENAMETOOLONG;
	list_for_each_entry(c, &captures, node)
		if (!strcmp(c->path, path))
			return -EBUSY;
	return 0;
}

/* A pipe without a reader is an error, and writing to one never blocks. */
int capture_open(const char *path, const struct port *only)
{
	int err = check_path(path);

	return err ? err :
		     start_file(open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_CLOEXEC,
				     0644),
				path, only);
}

/* Empties a file that is a capture. 0, or -EEXIST. */
static int empty_capture(int fd)
{
	uint8_t magic[4];
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return -EEXIST;
	if (st.st_size && (read(fd, magic, sizeof(magic)) != sizeof(magic) ||
			   memcmp(magic, "\x0a\x0d\x0d\x0a", sizeof(magic))))
		return -EEXIST;
	return ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET) ? -EEXIST : 0;
}

int capture_request(const char *path, const struct port *only)
{
	const int flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	int err = check_path(path), fd;
	struct stat st;

	if (err)
		return err;
	if (!lstat(path, &st) && S_ISFIFO(st.st_mode))
		return start_file(open(path, O_WRONLY | flags), path, only);
	fd = open(path, O_RDWR | O_CREAT | flags, 0644);
	err = fd < 0 ? 0 : empty_capture(fd);
	if (!err)
		return start_file(fd, path, only);
	close(fd);
	return err;
}

int capture_stream(int client, const struct port *only)
{
	int fd = fcntl(client, F_DUPFD_CLOEXEC, 0), err;

	if (fd < 0)
		return -errno;
	err = start_capture(fd, client, "-", only);
	if (err == -ENOMEM)
		close(fd);
	return err;
}

static void stop_capture(struct capture *c)
{
	if (flush(c))
		free_capture(c);
}

void capture_stream_end(int client)
{
	struct capture *c, *tmp;

	list_for_each_entry_safe(c, tmp, &captures, node)
		if (c->client == client)
			free_capture(c);
}

int capture_stop(const char *path)
{
	struct capture *c, *tmp;

	list_for_each_entry_safe(c, tmp, &captures, node) {
		if (strcmp(c->path, path) || c->client >= 0)
			continue;
		stop_capture(c);
		return 0;
	}
	return -ENOENT;
}

void capture_close(void)
{
	struct capture *c, *tmp;

	list_for_each_entry_safe(c, tmp, &captures, node)
		stop_capture(c);
}

void capture_status(FILE *out)
{
	const struct capture *c;

	list_for_each_entry(c, &captures, node)
		fprintf(out, "capture %s of %s: %llu frames, %llu lost\n", c->path,
			*c->only ? c->only : "all ports", (unsigned long long)c->frames,
			(unsigned long long)c->lost);
}

void capture_json(struct json_object *to)
{
	struct json_object *list = json_list(to, "captures"), *row;
	const struct capture *c;

	list_for_each_entry(c, &captures, node) {
		row = json_row(list);
		json_text(row, "file", c->path);
		if (*c->only)
			json_text(row, "port", c->only);
		json_number(row, "frames", c->frames);
		json_number(row, "lost", c->lost);
	}
}
