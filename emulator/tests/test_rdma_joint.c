// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The wire between two processes of one cxemu: by hand at one end, and with both ends here, each
 * function behind a joint of its own.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fault/fault.h"
#include "host/control.h"
#include "rdma.h"
#include "wire/wire.h"

#define WAIT_NS 10000000000ull
#define TICK_NS 1000000
#define FRAME_BYTES 1000
#define FLOOD 5000
#define BYTES (2u << 20)

static int far_fd;		/* of the joint that is played by hand */
static uint64_t received_before;
static unsigned int ends;	/* joints whose other process is gone */

static void on_end(void *arg)
{
	(void)arg;
	ends++;
}

/* ---- the loop, until something is so ---- */

static bool (*wanted)(void), is_so;
static uint64_t give_up_ns;

static void on_tick(struct timer *timer)
{
	is_so = wanted();
	if (is_so || now_ns() > give_up_ns)
		loop_stop();
	else
		timer_arm(timer, TICK_NS);
}

static bool comes(bool (*condition)(void))
{
	static struct timer tick;

	wanted = condition;
	is_so = false;
	give_up_ns = now_ns() + WAIT_NS;
	timer_init(&tick, on_tick);
	timer_arm(&tick, 0);
	loop_run();
	timer_cancel(&tick);
	return is_so;
}

/* Descriptors have no test clock. To check each frame at each port would take too long. */
static void open_sides(void)
{
	sides_open();
	wire_in_frames(true);
	loop_test_clock(0);
}

/* ---- one end by hand ---- */

/* A joint of @side, or with NULL a port of the switch; the descriptor of the other end. */
static int join(const char *name, struct side *side)
{
	int pair[2], room = 65536;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair) ||
	    setsockopt(pair[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room)) ||
	    uplink_join(pair[0], name, side ? side->dev->port : NULL, on_end, NULL)) {
		printf("Bail out! no joint\n");
		exit(2);
	}
	return pair[1];
}

static uint8_t record[16384];

/* The next record that is a frame (@frame) or tells of link; its length. */
static ssize_t next_record(bool frame)
{
	ssize_t n;

	do
		n = recv(far_fd, record, sizeof(record), 0);
	while (n > 0 && (n > 1) != frame);
	return n;
}

static bool tells_up(void)
{
	return next_record(false) == 1 && record[0] == 1;
}

static bool tells_down(void)
{
	return next_record(false) == 1 && record[0] == 0;
}

static bool a_up(void)
{
	return port_link_up(a.dev->port);
}

static bool a_down(void)
{
	return !port_link_up(a.dev->port);
}

static bool frame_came(void)
{
	return next_record(true) >= 60;
}

static bool ended(void)
{
	return ends;
}

static void tell(uint8_t up)
{
	if (send(far_fd, &up, 1, 0) != 1)
		ok(false, "the joint takes a record of link");
}

/* A frame that is no RoCE; false: it is not taken now. */
static bool send_frame(const uint8_t *dmac, uint8_t fill)
{
	uint8_t frame[FRAME_BYTES] = { 0 };

	memset(frame + 14, fill, sizeof(frame) - 14);
	memcpy(frame, dmac, 6);
	memcpy(frame + 6, (uint8_t[]){ 2, 0xfa, 0, 0, 0, 1 }, 6);
	frame[12] = 0x88;
	frame[13] = 0xb5;
	return send(far_fd, frame, sizeof(frame), 0) == sizeof(frame);
}

static unsigned int flooded, ticks;	/* ticks: since the last frame was taken */

static void flood(void)
{
	ticks++;
	while (flooded < FLOOD && send_frame(b.dev->eth->mac, flooded)) {
		flooded++;
		ticks = 0;
	}
}

static bool flood_waits(void)
{
	flood();
	return flooded == FLOOD || ticks >= 20;
}

static bool a_received(void)
{
	return port_counters(a.dev->port)->rx_frames > received_before;
}

static bool flood_came(void)
{
	flood();
	return port_counters(b.dev->port)->rx_frames - received_before >= FLOOD;
}

/* That is a matter of the port of a function, here or in the other process. */
static void test_rule(void)
{
	char line[] = "any frame any drop";

	ok(!fault_line(line, &a.dev, 1, stdout), "a rule for frames that are sent");
	received_before = port_counters(a.dev->port)->rx_frames;
	send_frame(a.dev->eth->mac, 1);
	ok(comes(a_received), "it does not count what comes by a joint");
	strcpy(line, "clear");
	fault_line(line, &a.dev, 1, stdout);
}

static void test_link(void)
{
	open_sides();
	far_fd = join("a.wire", &a);
	ok(comes(a_down), "a joint has no link until the other process tells so");
	ok(comes(tells_up), "it tells that there is link behind it");
	tell(1);
	ok(comes(a_up), "the port has link when the other process has");
	send_plain(&a, &b);
	ok(comes(frame_came), "a frame leaves by the joint");
	received_before = port_counters(a.dev->port)->rx_frames;
	send_plain(&a, &a);
	ok(comes(a_received) && next_record(true) < 0,
	   "what is for its own function does not leave by a joint");
	test_rule();
	port_set_admin(a.dev->port, false);
	ok(comes(tells_down), "it tells that the port is down");
	port_set_admin(a.dev->port, true);
	ok(comes(tells_up) && comes(a_up), "and up again");
	tell(0);
	ok(comes(a_down), "the port has no link when the other process has none");
	port_set_admin(a.dev->port, false);
	ok(comes(tells_down), "it tells that the port is down even so");
	tell(1);
	close(far_fd);
	ok(comes(ended) && ends == 1, "it tells its process when the other one is gone");
	uplinks_close();
	sides_close();
}

static bool sent_to_a(void)
{
	return send_frame(a.dev->eth->mac, 1);
}

/* The queue of a port has 1024 frames. */
static void test_room(void)
{
	uint64_t usual = uplink_wait_ns;

	open_sides();
	far_fd = join("far", NULL);
	tell(1);
	send_plain(&b, &a);	/* to an address that is not known frames would not wait */
	settle();
	flooded = 0;
	received_before = port_counters(b.dev->port)->rx_frames;
	uplink_wait_ns = WAIT_NS;
	port_hold(b.dev->port, true);
	ok(comes(flood_waits) && flooded > 1024 && flooded < FLOOD,
	   "a joint is not read while its frames have no room");
	port_hold(b.dev->port, false);
	ok(comes(flood_came) && !port_counters(b.dev->port)->full,
	   "frames of a joint wait for room, and none is lost");
	uplink_wait_ns = usual;
	port_hold(b.dev->port, true);
	flooded = 0;
	comes(flood_waits);
	received_before = port_counters(a.dev->port)->rx_frames;
	ok(comes(sent_to_a) && comes(a_received),
	   "one that takes nothing does not hold what is for another for long");
	port_hold(b.dev->port, false);
	close(far_fd);
	uplinks_close();
	sides_close();
}

/* ---- a joint on either side ---- */

static struct tcq ca, cb;
static struct tqp x, y;
static unsigned int wanted_cqes;
static uint8_t last_opcode;

static bool completed(void)
{
	const struct prm_cqe64 *cqe;

	while (wanted_cqes && (cqe = poll(&ca))) {
		last_opcode = cqe_opcode(cqe);
		wanted_cqes--;
	}
	return !wanted_cqes;
}

/* Both ends of a joint are here. */
static void join_both(const char *near, const char *far, struct side *side)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair) ||
	    uplink_join(pair[0], near, side->dev->port, on_end, NULL) ||
	    uplink_join(pair[1], far, NULL, on_end, NULL)) {
		printf("Bail out! no joint\n");
		exit(2);
	}
}

static bool both_up(void)
{
	return port_link_up(a.dev->port) && port_link_up(b.dev->port) &&
	       port_link_up(port_find("far a")) && port_link_up(port_find("far b"));
}

static uint64_t lost(void)
{
	static const char *const names[] = { "a.wire", "b.wire", "far a", "far b" };
	uint64_t n = port_counters(a.dev->port)->full + port_counters(b.dev->port)->full;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		n += port_counters(port_find(names[i]))->full;
	return n;
}

static bool does(unsigned int opcode, uint32_t len, unsigned int n)
{
	bool read = opcode == PRM_WQE_RDMA_READ;
	struct wr wr = { .opcode = opcode, .raddr = b.va, .rkey = b.rkey, .n = 1,
			 .sge = { { a.va, len, a.lkey } } };
	unsigned int i;

	buf_fill(read ? &b : &a, 0, len, opcode);
	for (i = 0; i < n; i++)
		post_send(&x, &wr);
	wanted_cqes = n;
	return comes(completed) && last_opcode == PRM_CQE_REQ &&
	       buf_is(read ? &a : &b, 0, len, opcode);
}

static void test_rdma(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4, .log_sq = 8, .sra = 4, .rra = 4 };

	open_sides();
	join_both("a.wire", "far a", &a);
	join_both("b.wire", "far b", &b);
	ok(comes(both_up), "two functions with joints have link");
	create_cq(&ca, &a, 8);
	create_cq(&cb, &b, 8);
	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	ok(does(PRM_WQE_RDMA_WRITE, BYTES, 8), "RDMA WRITE passes two joints");
	ok(does(PRM_WQE_RDMA_READ, BYTES, 8), "RDMA READ passes two joints");
	ok(!lost(), "no frame of them is lost for want of room");
	destroy_pair(&x, &y);
	uplinks_close();
	ok(ends >= 4, "joints tell their processes when they are closed");
	sides_close();
}

int main(void)
{
	trace_level = TRACE_QUIET;
	test_link();
	test_room();
	ends = 0;
	test_rdma();
	return ok_end();
}
