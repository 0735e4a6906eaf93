// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Other wires: two sockets with QEMU's stream framing on the switch of a running cxemu, and what a
 * peer can do wrong there.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vfu_client.h"

#define BIG 10240
#define WAIT_MS 5000

static const char *bin_dir;
static char dir[] = "/tmp/cxemu-uplink.XXXXXX";
static uint8_t buf[BIG + 4];

static pid_t start(const char *wire1, const char *wire2)
{
	char bin[512], vm[128], one[128], two[128];
	pid_t pid;

	snprintf(bin, sizeof(bin), "%s/cxemu", bin_dir);
	snprintf(vm, sizeof(vm), "f0=%s/f0", dir);
	snprintf(one, sizeof(one), wire1, dir);
	snprintf(two, sizeof(two), wire2, dir);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!freopen("/dev/null", "w", stderr))
			_exit(126);
		execl(bin, bin, "--vm", vm, "--wire", one, "--wire", two, NULL);
		_exit(127);
	}
	return pid;
}

static int status_of(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) < 0)
		return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int connect_wire(const char *name)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), tries;

	snprintf(at.sun_path, sizeof(at.sun_path), "%s/%s", dir, name);
	for (tries = 0; tries < 500; tries++) {
		if (!connect(fd, (struct sockaddr *)&at, sizeof(at)))
			return fd;
		usleep(10000);
	}
	close(fd);
	return -1;
}

static void send_bytes(int fd, const void *data, size_t len)
{
	if (send(fd, data, len, MSG_NOSIGNAL) != (ssize_t)len)
		ktap(false, "the emulator takes %zu bytes", len);
}

/* A frame from station @from to station @to with @len bytes, all the rest @fill. */
static void send_frame(int fd, uint8_t to, uint8_t from, uint32_t len, uint8_t fill)
{
	uint32_t head = htonl(len);

	memcpy(buf, &head, 4);
	memset(buf + 4, fill, len);
	memcpy(buf + 4, (uint8_t[]){ 2, 0, 0, 0, 0, to, 2, 0, 0, 0, 0, from }, 12);
	send_bytes(fd, buf, 4 + len);
}

static bool recv_bytes(int fd, void *data, size_t len, int wait_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		if (poll(&p, 1, wait_ms) <= 0)
			return false;
		n = read(fd, (uint8_t *)data + done, len - done);
		if (n <= 0)
			return false;
		done += n;
	}
	return true;
}

/* The length of the next frame, its bytes in buf; 0: none came. */
static uint32_t recv_frame(int fd, int wait_ms)
{
	uint32_t len;

	if (!recv_bytes(fd, &len, 4, wait_ms))
		return 0;
	len = ntohl(len);
	return len <= BIG && recv_bytes(fd, buf, len, WAIT_MS) ? len : 0;
}

static bool disconnected(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char c;

	return poll(&p, 1, WAIT_MS) == 1 && read(fd, &c, 1) <= 0;
}

/* A frame that comes through shows that the emulator has seen both ends. */
static bool connected(int a, int b)
{
	int tries;

	for (tries = 0; tries < 100; tries++) {
		send_frame(a, 2, 1, 60, 0);
		if (recv_frame(b, 50)) {
			while (recv_frame(b, 50))
				;
			return true;
		}
	}
	return false;
}

static void test_frames(int a, int b)
{
	ktap(connected(a, b), "a frame passes from one wire to the other");
	send_frame(b, 1, 2, 100, 7);
	ktap(recv_frame(a, WAIT_MS) == 100 && buf[14] == 7, "a frame passes back");
	send_frame(a, 2, 1, BIG, 9);
	ktap(recv_frame(b, WAIT_MS) == BIG && buf[BIG - 1] == 9,
	     "the longest frame passes unchanged");
	send_frame(a, 2, 1, 20, 5);
	ktap(recv_frame(b, WAIT_MS) == 60 && buf[19] == 5 && !buf[20],
	     "a short frame is padded with zeros");
}

static void test_pieces(int a, int b)
{
	uint8_t two[2 * 104];
	unsigned int i;

	send_frame(a, 2, 1, 100, 1);
	recv_frame(b, WAIT_MS);
	memset(two, 0, sizeof(two));
	for (i = 0; i < 2; i++) {
		two[i * 104 + 3] = 100;
		memcpy(two + i * 104 + 4, (uint8_t[]){ 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1 }, 12);
		two[i * 104 + 18] = 10 + i;
	}
	for (i = 0; i < sizeof(two); i += 52) {
		send_bytes(a, two + i, 52);
		usleep(5000);
	}
	ktap(recv_frame(b, WAIT_MS) == 100 && buf[14] == 10 && recv_frame(b, WAIT_MS) == 100 &&
	     buf[14] == 11,
	     "frames received in pieces are reassembled");
}

static int test_wrong_length(int a, int b, uint32_t len)
{
	uint32_t head = htonl(len);

	send_bytes(a, &head, 4);
	ktap(disconnected(a), "a frame length of %u ends the connection", len);
	close(a);
	a = connect_wire("a");
	ktap(a >= 0 && connected(a, b), "after a frame length of %u the next peer can connect",
	     len);
	return a;
}

/* While nobody reads b, a and the third station go on. */
static void test_slow_reader(int a, int b)
{
	unsigned int i, n = 0;
	int more;

	more = connect_wire("b");
	ktap(more >= 0 && disconnected(more), "a second peer on one socket is rejected");
	close(more);
	send_frame(b, 1, 2, 60, 0);
	recv_frame(a, WAIT_MS);
	for (i = 0; i < 4000; i++)
		send_frame(a, 2, 1, 8000, i);
	send_frame(b, 1, 2, 60, 77);
	ktap(recv_frame(a, WAIT_MS) == 60 && buf[14] == 77,
	     "a peer that does not read can still send");
	for (i = 0; i < 4000 && recv_frame(b, 500); i++)
		n++;
	printf("# %u of 4000 came\n", n);
	ktap(n > 1 && n < 4000, "frames that it does not read in time are lost");
	ktap(connected(a, b), "a slow reader that reads again receives frames");
}

/* The kernel sends frames of its own there, too: only those with our byte count. */
static bool tap_to_wire(int packets, int b)
{
	uint8_t frame[100] = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xb5, 0x5a };
	unsigned int tries, more;

	for (tries = 0; tries < 50; tries++) {
		if (send(packets, frame, sizeof(frame), 0) != sizeof(frame))
			continue;
		for (more = 0; more < 20 && recv_frame(b, 100); more++)
			if (buf[14] == 0x5a)
				return true;
	}
	return false;
}

static bool wire_to_tap(int packets, int b)
{
	struct pollfd p = { .fd = packets, .events = POLLIN };
	unsigned int more;

	send_frame(b, 1, 2, 100, 0xa5);
	for (more = 0; more < 50 && poll(&p, 1, WAIT_MS) == 1; more++)
		if (read(packets, buf, sizeof(buf)) == 100 && buf[14] == 0xa5)
			return true;
	return false;
}

/* A tap in a network of its own: what the kernel sends there comes out at the other wire. */
static void test_tap(void)
{
	const char *skip = NULL;
	struct ifreq request = {};
	struct sockaddr_ll to = {};
	int packets, b;
	pid_t pid;

	if (access("/dev/net/tun", R_OK | W_OK))
		skip = "/dev/net/tun cannot be used here";
	else if (unshare(CLONE_NEWNET))
		skip = "no privilege for a network of one's own";
	if (skip) {
		ktap_skip("a frame passes from a tap to a wire", skip);
		ktap_skip("a frame passes from a wire to a tap", skip);
		ktap_skip("cxemu exits cleanly with a tap", skip);
		return;
	}

	pid = start("tap:cx-test", "unix:%s/b");
	b = connect_wire("b");
	packets = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));
	strcpy(request.ifr_name, "cx-test");
	request.ifr_flags = IFF_UP;
	ioctl(packets, SIOCSIFFLAGS, &request);
	ioctl(packets, SIOCGIFINDEX, &request);
	to.sll_family = AF_PACKET;
	to.sll_protocol = htons(ETH_P_ALL);
	to.sll_ifindex = request.ifr_ifindex;
	ktap(!bind(packets, (struct sockaddr *)&to, sizeof(to)) && tap_to_wire(packets, b),
	     "a frame passes from a tap to a wire");
	ktap(wire_to_tap(packets, b), "a frame passes from a wire to a tap");
	kill(pid, SIGTERM);
	ktap(status_of(pid) == 0, "cxemu exits cleanly with a tap");
	close(packets);
	close(b);
}

/* A socket at a free port of this machine. */
static int udp_socket(struct sockaddr_in *at)
{
	socklen_t len = sizeof(*at);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	*at = (struct sockaddr_in){ .sin_family = AF_INET,
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	if (bind(fd, (struct sockaddr *)at, sizeof(*at)) ||
	    getsockname(fd, (struct sockaddr *)at, &len))
		exit(2);
	return fd;
}

static unsigned int others;	/* frames of zeros that have come out before it */

/* Sends it from @fd until it comes out at the wire @b; false: it does not. */
static bool udp_to_wire(int fd, const struct sockaddr_in *to, int b, uint8_t fill)
{
	uint8_t frame[100] = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xb5, fill };
	unsigned int tries;

	others = 0;
	for (tries = 0; tries < 20; tries++) {
		sendto(fd, frame, sizeof(frame), 0, (const struct sockaddr *)to, sizeof(*to));
		while (recv_frame(b, 50)) {
			if (buf[14] == fill)
				return true;
			others += !buf[14];
		}
	}
	return false;
}

static bool wire_to_udp(int b, int fd, uint8_t fill)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	send_frame(b, 1, 2, 100, fill);
	while (poll(&p, 1, WAIT_MS) == 1)
		if (read(fd, buf, sizeof(buf)) == 100 && buf[14] == fill)
			return true;
	return false;
}

static void test_udp(void)
{
	struct sockaddr_in here, there, other;
	int fd = udp_socket(&here), theirs = udp_socket(&there), stranger, b;
	char wire[64];
	pid_t pid;

	close(theirs);
	snprintf(wire, sizeof(wire), "udp:%u:127.0.0.1:%u", ntohs(there.sin_port),
		 ntohs(here.sin_port));
	pid = start(wire, "unix:%s/b");
	b = connect_wire("b");
	ktap(udp_to_wire(fd, &there, b, 0x11) && wire_to_udp(b, fd, 0x12),
	     "frames pass between UDP and a wire");
	memset(buf, 0, sizeof(buf));
	sendto(fd, buf, BIG + 1, 0, (struct sockaddr *)&there, sizeof(there));
	sendto(fd, buf, 0, 0, (struct sockaddr *)&there, sizeof(there));
	ktap(udp_to_wire(fd, &there, b, 0x13) && others == 0,
	     "an empty and a too long datagram are dropped");
	stranger = udp_socket(&other);
	ktap(!udp_to_wire(stranger, &there, b, 0x14), "datagrams of others are not accepted");
	close(stranger);
	close(fd);
	send_frame(b, 1, 2, 100, 0x15);
	send_frame(b, 1, 2, 100, 0x16);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	ktap(!bind(fd, (struct sockaddr *)&here, sizeof(here)) &&
	     udp_to_wire(fd, &there, b, 0x17) && wire_to_udp(b, fd, 0x18),
	     "a UDP peer may be away for a while");
	kill(pid, SIGTERM);
	ktap(status_of(pid) == 0, "cxemu exits cleanly with UDP");
	close(fd);
	close(b);
}

static void test_refusals(void)
{
	ktap(status_of(start("pipe:%s/a", "unix:%s/b")) == 1, "an unknown type of wire is refused");
	ktap(status_of(start("udp:4001:127.0.0.1", "unix:%s/b")) == 1 &&
	     status_of(start("udp:127.0.0.1:4001", "unix:%s/b")) == 1 &&
	     status_of(start("udp:4001::4002", "unix:%s/b")) == 1 &&
	     status_of(start("udp:70000:127.0.0.1:1", "unix:%s/b")) == 1 &&
	     status_of(start("udp:1:127.0.0.1:-1", "unix:%s/b")) == 1,
	     "UDP without a port here, a host, or a port there is refused, as is a wrong port");
	ktap(status_of(start("unix:", "unix:%s/b")) == 1, "a wire without a name is refused");
	ktap(status_of(start("unix:%s/none/a", "unix:%s/b")) == 1,
	     "a socket that cannot be created is refused");
	ktap(status_of(start("tap:sixteen-letters-", "unix:%s/b")) == 1,
	     "an interface name that is too long is refused");
}

int main(int argc, char **argv)
{
	pid_t pid;
	int a, b;

	bin_dir = argc > 1 ? argv[1] : ".";
	if (!mkdtemp(dir))
		return 1;
	ktap_plan(28);
	pid = start("unix:%s/a", "unix:%s/b");
	a = connect_wire("a");
	b = connect_wire("b");
	test_frames(a, b);
	test_pieces(a, b);
	a = test_wrong_length(a, b, 0);
	a = test_wrong_length(a, b, BIG + 1);
	test_slow_reader(a, b);
	kill(pid, SIGTERM);
	ktap(status_of(pid) == 0, "cxemu exits cleanly with peers connected");
	close(a);
	close(b);
	test_refusals();
	test_udp();
	test_tap();
	ktap(rmdir(dir) == 0, "no socket is left behind");
	return ktap_end();
}
