// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The switch: learning, flooding, bounded queues, link, the filter; the capture, read back by
 * libpcap.
 */
#include <errno.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dut.h"
#include "vfu_client.h"

#define PORTS 3

struct sink {
	unsigned int n;
	uint8_t last[FRAME_MAX];
	uint32_t len;
	uint8_t order[32]; /* first payload byte of each */
};

static struct port *ports[PORTS];
static struct sink sinks[PORTS];

static bool receive(void *arg, const struct frame *frame)
{
	struct sink *sink = arg;

	if (sink->n < sizeof(sink->order))
		sink->order[sink->n] = frame->data[14];
	sink->n++;
	sink->len = frame->len;
	memcpy(sink->last, frame->data, frame->len);
	return true;
}

static void set_up(void)
{
	static const char *const names[PORTS] = { "p0", "p1", "p2" };
	int i;

	memset(sinks, 0, sizeof(sinks));
	for (i = 0; i < PORTS; i++) {
		ports[i] = port_create(NULL, names[i]);
		port_set_sink(ports[i], receive, &sinks[i]);
	}
}

static void tear_down(void)
{
	int i;

	dut_run();
	for (i = 0; i < PORTS; i++)
		port_destroy(ports[i]);
}

/* From station @from (behind the port of that number) to @to; 0xff: broadcast. */
static void send_frame(unsigned int from, uint8_t to, uint8_t payload)
{
	struct frame *frame = frame_alloc(100);

	memset(frame->data, 0, 100);
	memcpy(frame->data,
	       to == 0xff ? (uint8_t[]){ 255, 255, 255, 255, 255, 255 } :
			    (uint8_t[]){ 2, 0, 0, 0, 0, to },
	       6);
	frame->data[6] = 2;
	frame->data[11] = from;
	frame->data[12] = 0x88;
	frame->data[13] = 0xb5;
	frame->data[14] = payload;
	port_send(ports[from], frame);
}

static bool counts(unsigned int a, unsigned int b, unsigned int c)
{
	dut_run();
	return sinks[0].n == a && sinks[1].n == b && sinks[2].n == c;
}

static void test_switch(void)
{
	set_up();
	send_frame(0, 1, 1);
	ktap(sinks[1].n == 0, "nothing is delivered inside port_send()");
	ktap(counts(0, 1, 1), "an unknown address is flooded to all others");
	send_frame(1, 0, 1);
	ktap(counts(1, 1, 1), "a learned address is not flooded");
	send_frame(0, 1, 1);
	ktap(counts(1, 2, 1), "the reply is not flooded");
	send_frame(0, 0xff, 1);
	ktap(counts(1, 3, 2), "broadcast goes to all others");
	send_frame(0, 0, 1);
	ktap(counts(2, 3, 2), "a frame to the sender's own address comes back to it");
	port_set_wire(ports[1], false);
	send_frame(0, 1, 1);
	ktap(counts(2, 3, 3),
	     "a dead link gets no frames and its addresses are forgotten");
	send_frame(1, 0, 1);
	ktap(counts(2, 3, 3) && port_counters(ports[1])->down, "a port without link does not send");
	port_set_wire(ports[1], true);
	send_frame(1, 0, 1);
	ktap(counts(3, 3, 3), "with the link back the port sends");
	tear_down();
}

static void test_bounds(void)
{
	static const uint8_t all[6] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	struct frame *frame;
	unsigned int i, room;

	set_up();
	room = port_room(ports[0], all);
	for (i = 0; i < room + 10; i++)
		send_frame(0, 1, 1);
	ktap(port_room(ports[0], all) == 0, "a full queue leaves no room");
	ktap(counts(0, room, room) && port_counters(ports[1])->full == 10,
	     "what does not fit is dropped and counted");
	ktap(port_room(ports[0], all) == room, "an emptied queue has room again");
	ktap(!frame_alloc(FRAME_MAX + 1), "a frame above FRAME_MAX cannot be allocated");
	frame = frame_alloc(13);
	port_send(ports[0], frame);
	ktap(port_counters(ports[0])->malformed == 1, "a frame of 13 bytes is malformed");
	frame = frame_alloc(60);
	memset(frame->data, 0xff, 60);
	port_send(ports[0], frame);
	ktap(port_counters(ports[0])->malformed == 2,
	     "a frame with a multicast source is malformed");
	tear_down();
}

static enum wire_verdict verdicts[8];
static unsigned int verdict_at;

static enum wire_verdict filter(void *arg, const struct port *from, struct frame *frame)
{
	(void)arg;
	(void)from;
	if (verdict_at == 7)
		frame->data[14] ^= 0x80;
	return verdicts[verdict_at++];
}

static void test_filter(void)
{
	set_up();
	send_frame(1, 0xff, 0);
	send_frame(0, 1, 9);
	dut_run();
	memset(sinks, 0, sizeof(sinks));
	memcpy(verdicts,
	       (enum wire_verdict[]){ WIRE_PASS, WIRE_DROP, WIRE_DUPLICATE, WIRE_HOLD, WIRE_PASS,
				      WIRE_HOLD, WIRE_HOLD, WIRE_PASS },
	       sizeof(verdicts));
	wire_set_filter(filter, NULL);
	for (verdict_at = 0; verdict_at < 8;)
		send_frame(0, 1, verdict_at + 1);
	dut_run();
	ktap(sinks[1].n == 8 &&
	     !memcmp(sinks[1].order, (uint8_t[]){ 1, 3, 3, 5, 4, 6, 0x88, 7 }, 8),
	     "frames are passed, dropped, duplicated, held back and changed as the filter says");
	memcpy(verdicts, (enum wire_verdict[]){ WIRE_HOLD }, sizeof(enum wire_verdict));
	verdict_at = 0;
	send_frame(0, 1, 0x11);
	dut_run();
	ktap(sinks[1].n == 8, "a held frame waits");
	wire_set_filter(NULL, NULL);
	dut_run();
	ktap(sinks[1].n == 9 && sinks[1].order[8] == 0x11,
	     "without a filter the held frame is sent");
	tear_down();
}

static void test_capture(void)
{
	char path[] = "/tmp/cxemu-capture-XXXXXX", error[PCAP_ERRBUF_SIZE];
	const uint8_t *data;
	struct pcap_pkthdr *header;
	unsigned int n = 0, i;
	uint64_t before = 0;
	bool right = true;
	pcap_t *pcap;

	close(mkstemp(path));
	set_up();
	ktap(!capture_open(path, NULL), "a capture can be started");
	for (i = 0; i < 5; i++)
		send_frame(0, 0xff, i);
	send_frame(0, 0xff, 5);
	port_set_wire(ports[0], false);
	send_frame(0, 0xff, 6); /* never enters the switch */
	dut_run();
	capture_close();
	pcap = pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, error);
	while (pcap && pcap_next_ex(pcap, &header, &data) == 1) {
		uint64_t at = header->ts.tv_sec * 1000000000ull + header->ts.tv_usec;

		right = right && header->len == 100 && header->caplen == 100 && data[14] == n &&
			at >= before;
		before = at;
		n++;
	}
	ktap(pcap && n == 6 && right && pcap_datalink(pcap) == DLT_EN10MB,
	     "libpcap reads each frame once, as sent, in order of time");
	if (pcap)
		pcap_close(pcap);
	unlink(path);
	ktap(capture_open("/nonexistent/file", NULL) == -ENOENT,
	     "a file that cannot be created is an error");
	tear_down();
}

struct block {
	uint32_t type, len;
	uint32_t words[];
};

/*
 * The blocks of a capture, read without the emulator's code: interfaces by name, packets as
 * <interface><direction> ('>' sent, '<' received) in @order. Lengths must agree at both ends.
 */
static bool read_blocks(const char *path, char *names, char *order)
{
	static uint32_t data[1 << 16];
	FILE *file = fopen(path, "r");
	size_t n = file ? fread(data, 1, sizeof(data), file) : 0, at;
	const struct block *b;
	bool good = n > 0;

	for (at = 0; good && at < n; at += b->len) {
		b = (const void *)((uint8_t *)data + at);
		good = at + b->len <= n && b->len >= 12 && !(b->len % 4) &&
		       ((uint32_t *)b)[b->len / 4 - 1] == b->len &&
		       (at || (b->type == 0x0a0d0d0a && b->words[0] == 0x1a2b3c4d));
		if (b->type == 1)
			names += sprintf(names, "%.*s ", b->words[2] >> 16,
					 (const char *)&b->words[3]);
		if (b->type == 6)
			order += sprintf(order, "%u%c", b->words[0],
					 b->words[5 + (b->words[3] + 3) / 4 + 1] == 2 ? '>' : '<');
	}
	if (file)
		fclose(file);
	return good;
}

/* Which port a frame was sent by is in the capture; a port's own capture has both directions. */
static void test_capture_ports(void)
{
	char all[] = "/tmp/cxemu-capture-XXXXXX", one[] = "/tmp/cxemu-capture-XXXXXX";
	char names[256] = "", order[256] = "";

	close(mkstemp(all));
	close(mkstemp(one));
	set_up();
	ktap(!capture_open(all, NULL) && !capture_open(one, ports[1]) &&
	     capture_open(one, NULL) == -EBUSY, "two captures can run, but not to one file");
	send_frame(1, 0xff, 1);
	send_frame(0, 1, 2);
	dut_run();
	send_frame(2, 1, 3);
	send_frame(1, 2, 4);
	dut_run();
	ktap(!capture_stop(one) && capture_stop(one) == -ENOENT,
	     "one capture can be stopped alone");
	send_frame(1, 0xff, 5);
	dut_run();
	capture_close();
	ktap(read_blocks(all, names, order) && !strcmp(names, "p0 p1 p2 ") &&
	     !strcmp(order, "1>0>2>1>1>"),
	     "all ports: interfaces %s, sent by %s", names, order);
	names[0] = 0;
	order[0] = 0;
	ktap(read_blocks(one, names, order) && !strcmp(names, "p1 ") &&
	     !strcmp(order, "0>0<0>0<"), "one port: interfaces %s, %s", names, order);
	unlink(all);
	unlink(one);
	tear_down();
}

/* A reader finds whole frames while the capture goes on. */
static void test_flush(void)
{
	char path[] = "/tmp/cxemu-capture-XXXXXX", error[PCAP_ERRBUF_SIZE];
	struct pcap_pkthdr *header;
	const uint8_t *data;
	unsigned int n = 0, i;
	int last = 0;
	pcap_t *pcap;

	close(mkstemp(path));
	set_up();
	capture_open(path, NULL);
	for (i = 0; i < 20000; i++) {
		send_frame(0, 1, 1);
		if (!(i % 500))
			dut_run();
	}
	pcap = pcap_open_offline(path, error);
	while (pcap && (last = pcap_next_ex(pcap, &header, &data)) == 1)
		n++;
	ktap(pcap && n > 5000 && n < 20000 && last == PCAP_ERROR_BREAK,
	     "a reader of a growing capture sees whole frames only");
	if (pcap)
		pcap_close(pcap);
	capture_close();
	unlink(path);
	tear_down();
}

int main(void)
{
	ktap_plan(26);
	test_switch();
	test_bounds();
	test_filter();
	test_capture();
	test_capture_ports();
	test_flush();
	return ktap_end();
}
