// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Several packets in a WQE: striding receive queues, and send WQEs of packets side by side. */
#include <stdlib.h>
#include <string.h>

#include "dut.h"
#include "fault/fault.h"
#include "host/control.h"
#include "ktap.h"
#include "queue/queue.h"
#include "wrong_log.h"

#define LOG_SQ 7
#define LOG_RQ 2
#define LOG_WQE 5		/* a segment before that of the data */
#define STRIDES 8
#define STRIDE 256
#define WQE_ROOM (STRIDES * STRIDE)
#define MANY 59			/* as many as a WQE has segments for */

static struct dut *a, *b;
static struct dut_wq sq, rq;
static uint64_t buffers[1 << LOG_RQ];
static unsigned int shift, format, log_stride = 2;	/* beyond 64 bytes */
static uint32_t room = WQE_ROOM;

static void striding(struct prm_rqc *ctx)
{
	prm_set(ctx, wq.wq_type, PRM_WQ_CYCLIC_STRIDING);
	prm_set(ctx, wq.log_wqe_num_of_strides, PRM_WQ_STRIDES_EXT);
	prm_set(ctx, wq.log_wqe_stride_size, log_stride);
	prm_set(ctx, wq.two_byte_shift_en, shift / 2);
}

static void compressed(struct prm_cqc *ctx)
{
	prm_set(ctx, cqe_comp_en, 1);
	prm_set(ctx, mini_cqe_res_format, format);
}

static void allowed(struct prm_sqc *ctx)
{
	prm_set(ctx, allow_multi_pkt_send_wqe, 1);
}

static void post(unsigned int n)
{
	while (n--) {
		unsigned int i = rq.pi & ((1u << LOG_RQ) - 1);
		uint8_t *wqe = dut_ptr(b, rq.buf + ((uint64_t)i << LOG_WQE));

		buffers[i] = dut_alloc(b, WQE_ROOM);
		memset(dut_ptr(b, buffers[i]), 0xee, WQE_ROOM);
		dut_data_seg(b, (void *)(wqe + PRM_WQE_DS), buffers[i], room);
		dut_store(b, rq.dbr, ++rq.pi);
	}
}

static void set_up(void (*edit_cq)(struct prm_cqc *ctx))
{
	a = dut_create("a", 0);
	b = dut_create("b", 1);
	dut_run();
	sq = dut_create_sq(a, LOG_SQ, allowed);
	dut_edit_cq = edit_cq;
	rq = dut_create_rq(b, LOG_RQ, LOG_WQE, striding);
	dut_edit_cq = NULL;
	dut_receive_all(b, dut_direct_tir(b, rq.num));
}

static void tear_down(void)
{
	dut_run();
	dut_destroy(a);
	dut_destroy(b);
}

/* Packet @i, of @len bytes. */
static void fill(uint8_t *packet, unsigned int i, uint32_t len)
{
	struct flow flow = tcp4;

	flow.payload = len - 54;
	flow.sport = 1000 + i;
	make_packet(packet, &flow);
}

static void post_packet(unsigned int i, uint32_t len)
{
	uint8_t packet[4096];

	fill(packet, i, len);
	dut_send(a, &sq, packet, len, PRM_WQE_ETH_L3_CSUM | PRM_WQE_ETH_L4_CSUM);
}

/* ---- striding receive queues ---- */

/* The next completion, plain, is of packet @i with @len bytes at stride @stride of WQE @wqe. */
static bool is_packet(unsigned int i, uint32_t len, unsigned int wqe, unsigned int stride)
{
	const struct prm_cqe64 *cqe = dut_poll(b, &rq.cq);
	uint32_t n = (shift + len + STRIDE - 1) / STRIDE;
	const uint8_t *at = (uint8_t *)dut_ptr(b, buffers[wqe % (1 << LOG_RQ)]) + stride * STRIDE;
	uint8_t packet[4096];

	fill(packet, i, len);
	return cqe && cqe->op_own >> PRM_CQE_OPCODE_SHIFT == PRM_CQE_RESP_SEND &&
	       be32toh(cqe->byte_cnt) == (n << PRM_CQE_STRIDES_SHIFT | len) &&
	       be16toh(cqe->wqe_id) == wqe && be16toh(cqe->wqe_counter) == stride &&
	       (!shift || (at[0] == 0xee && at[1] == 0xee)) &&
	       !wrong_checksum(at + shift, len) && !memcmp(at + shift, packet, 24) &&
	       !memcmp(at + shift + 54, packet + 54, len - 54);
}

static bool is_filler(unsigned int n, unsigned int wqe, unsigned int stride)
{
	const struct prm_cqe64 *cqe = dut_poll(b, &rq.cq);

	return cqe && be32toh(cqe->byte_cnt) == (PRM_CQE_FILLER | n << PRM_CQE_STRIDES_SHIFT) &&
	       cqe->op_own >> PRM_CQE_OPCODE_SHIFT == PRM_CQE_RESP_SEND &&
	       be16toh(cqe->wqe_id) == wqe && be16toh(cqe->wqe_counter) == stride;
}

static void test_strides(void)
{
	for (shift = 0; shift <= 2; shift += 2) {
		set_up(NULL);
		post(2);
		post_packet(0, 100);
		post_packet(1, STRIDE);
		post_packet(2, 3 * STRIDE - 2);
		post_packet(3, 700);
		ktap(is_packet(0, 100, 0, 0) && is_packet(1, STRIDE, 0, 1) &&
		     is_packet(2, 3 * STRIDE - 2, 0, shift ? 3 : 2),
		     "packets are in strides of one WQE, %u bytes from their beginning", shift);
		if (shift)
			ktap(is_filler(2, 0, 6) && is_packet(3, 700, 1, 0),
			     "a packet that does not fit begins the next WQE");
		else
			ktap(is_packet(3, 700, 0, 5), "which the last one fills");
		ktap(!dut_violations(a) && !dut_violations(b), "shift %u: no violation", shift);
		tear_down();
	}
	shift = 0;
}

static void test_room(void)
{
	set_up(NULL);
	post(1);
	post_packet(0, 1500);
	post_packet(1, 1500);
	ktap(is_packet(0, 1500, 0, 0) && is_filler(2, 0, 6) && !dut_poll(b, &rq.cq) &&
	     b->dev->eth->counters.rx_no_buffer == 1,
	     "without a next WQE the packet is lost, and the rest of the WQE done with");
	post(1);
	post_packet(2, 100);
	ktap(is_packet(2, 100, 1, 0), "and the next packet begins the next one");
	ktap(!dut_modify_rq(b, rq.num, PRM_WQ_RDY, PRM_WQ_RST), "reset in the middle of a WQE");
	rq.pi = 0;
	dut_store(b, rq.dbr, 0);
	ktap(!dut_modify_rq(b, rq.num, PRM_WQ_RST, PRM_WQ_RDY), "and again");
	post(1);
	post_packet(3, 300);
	ktap(is_packet(3, 300, 0, 0), "it begins with the first stride");
	tear_down();
}

static void wrong_receive(uint32_t len, const char *what, const char *text)
{
	const struct prm_cqe64 *cqe;

	set_up(NULL);
	post(1);
	wrong_begin();
	post_packet(0, len);
	wrong_expect(what, text);
	cqe = dut_poll(b, &rq.cq);
	ktap(cqe && cqe->op_own >> PRM_CQE_OPCODE_SHIFT == PRM_CQE_RESP_ERR, "%s: an error", what);
	tear_down();
}

static void test_too_long(void)
{
	room = STRIDE;
	wrong_receive(300, "a WQE with less memory than strides",
		      "RQ 0x*: WQE 0 has room for 256 bytes of a packet of 300");
	room = WQE_ROOM;
	log_stride = 0;
	wrong_receive(513, "a packet of more strides than a WQE has",
		      "RQ 0x*: WQE 0 has room for 512 bytes of a packet of 513");
	log_stride = 2;
}

/* ---- send WQEs ---- */

static struct {
	unsigned int n;
	bool right;
	uint32_t len[MANY];
} sent;

static bool sink(void *arg, const struct frame *frame)
{
	uint8_t packet[4096];
	uint32_t len;

	(void)arg;
	if (sent.n >= MANY)
		return sent.right = false;
	len = sent.len[sent.n];
	fill(packet, sent.n, len);
	packet[0] = 3;
	sent.right = sent.right && frame->len == (len < 60 ? 60 : len) &&
		     !wrong_checksum(frame->data, frame->len) && !memcmp(frame->data, packet, 24) &&
		     !memcmp(frame->data + 54, packet + 54, len - 54);
	sent.n++;
	return true;
}

/*
 * A WQE of @n packets, every third of which is inline; or, of one length, all in a segment. @lens:
 * NULL, or how long they are.
 */
static uint8_t *several(const uint32_t *lens, unsigned int n, uint32_t equal)
{
	uint64_t buf = dut_alloc(a, MANY * 2048u);
	uint8_t raw[64 * PRM_WQE_DS] = {}, *wqe, *at = raw + 2 * PRM_WQE_DS;
	struct prm_wqe_eth_seg *eseg = (void *)(raw + PRM_WQE_DS);
	uint32_t len, off = 0;
	unsigned int i, ds;

	for (i = 0; i < n; i++, off += len) {
		uint8_t *packet = (uint8_t *)dut_ptr(a, buf) + off;

		len = lens ? lens[i] : equal ?: 60 + i % 3 * 200;
		fill(packet, i, len);
		packet[0] = 3;	/* a group address: the sink gets it too */
		sent.len[i] = len;
		if (equal)
			continue;
		if (i % 3 == 0 && n < MANY) {
			*(__be32 *)at = htobe32(PRM_WQE_INLINE | len);
			memcpy(at + 4, packet, len);
			at += (4 + len + PRM_WQE_DS - 1) / PRM_WQE_DS * PRM_WQE_DS;
		} else {
			dut_data_seg(a, (void *)at, buf + off, len);
			at += PRM_WQE_DS;
		}
	}
	if (equal) {
		dut_data_seg(a, (void *)at, buf, off);
		at += PRM_WQE_DS;
	}
	ds = (at - raw) / PRM_WQE_DS;
	wqe = dut_wqe(a, &sq, equal ? PRM_WQE_LSO : PRM_WQE_ENHANCED_MPSW, ds, PRM_WQE_CE_ALWAYS);
	memcpy(raw, wqe, PRM_WQE_DS);
	if (equal)
		((struct prm_wqe_ctrl_seg *)raw)->opmod_idx_opcode |=
			htobe32((uint32_t)PRM_WQE_LSO_MPW << 24);
	eseg->cs_flags = PRM_WQE_ETH_L3_CSUM | PRM_WQE_ETH_L4_CSUM;
	eseg->mss = htobe16(equal);
	memcpy(wqe, raw, ds * PRM_WQE_DS);
	sent.n = 0;
	sent.right = true;
	return wqe;
}

static unsigned int blocks(const uint8_t *wqe)
{
	return ((be32toh(((const struct prm_wqe_ctrl_seg *)wqe)->qpn_ds) & 0x3f) + 3) / 4;
}

/* Entry @index of the CQ of @rq. */
static void *entry(uint32_t index)
{
	return dut_ptr(b, rq.cq.buf + (index & ((1u << rq.cq.log) - 1)) * 64);
}

/* A session of packets of one, two, one and two strides, all in a WQE. */
static void test_compressed(void)
{
	static const uint32_t lens[] = { 100, 400, 200, 500 };
	static const unsigned int formats[] = { PRM_MINI_CQE_CSUM_STRIDE, PRM_MINI_CQE_CSUM };
	const struct prm_mini_cqe *minis;
	unsigned int i, f, at;
	bool right;

	for (f = 0; f < 2; f++) {
		format = formats[f];
		set_up(compressed);
		post(2);
		minis = entry(1);
		dut_ring(a, &sq, blocks(several(lens, ARRAY_SIZE(lens), 0)));
		right = be32toh(((struct prm_cqe64 *)entry(0))->byte_cnt) == ARRAY_SIZE(lens);
		for (i = at = 0; i < ARRAY_SIZE(lens); at += lens[i++] > STRIDE ? 2 : 1)
			right = right &&
				be32toh(minis[i].byte_cnt) ==
					((lens[i] > STRIDE ? 2u : 1u) << 16) + lens[i] &&
				be16toh(minis[i].stride_index) == (f ? 0 : at);
		ktap(right, "compressed: lengths and numbers of strides, %s indices of strides",
		     f ? "without" : "with");
		tear_down();
	}
}

static void test_send(void)
{
	static const struct {
		const char *name;
		unsigned int n;
		uint32_t equal;
	} cases[] = {
		{ "a WQE of one packet", 1, 0 },
		{ "of nine, some of them inline", 9, 0 },
		{ "of as many as there is room for", MANY, 0 },
		{ "of seven of one length", 7, 1000 },
	};
	const struct prm_cqe64 *cqe;
	struct port *port;
	unsigned int i;
	uint8_t *wqe;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		set_up(NULL);
		port = port_create(NULL, "sink");
		port_set_sink(port, sink, NULL);
		wqe = several(NULL, cases[i].n, cases[i].equal);
		dut_ring(a, &sq, blocks(wqe));
		cqe = dut_poll(a, &sq.cq);
		ktap(sent.right && sent.n == cases[i].n && cqe && !dut_poll(a, &sq.cq) &&
		     cqe->op_own >> PRM_CQE_OPCODE_SHIFT == PRM_CQE_REQ && !dut_violations(a),
		     "%s is sent, with checksums, and completed once", cases[i].name);
		port_destroy(port);
		tear_down();
	}
}

/* More frames than a slice of work, in WQEs that end in the middle of one. */
static void test_slices(void)
{
	struct port *port;
	unsigned int bbs = 0, i;
	uint16_t start;

	set_up(NULL);
	port = port_create(NULL, "sink");
	port_set_sink(port, sink, NULL);
	start = sq.pi;
	for (i = 0; i < 3; i++) {
		unsigned int n = blocks(several(NULL, 25, 0));

		bbs += n;
		sq.pi += n;
	}
	sq.pi = start;
	sent.right = true;
	dut_ring(a, &sq, bbs);
	ktap(a->dev->eth->counters.tx_multicast.packets == 75 && dut_poll(a, &sq.cq) &&
	     dut_poll(a, &sq.cq) && dut_poll(a, &sq.cq) && !dut_poll(a, &sq.cq),
	     "75 packets of three WQEs are each sent once");
	port_destroy(port);
	tear_down();
}

static void ring(unsigned int bbs)
{
	uint16_t index = sq.pi;

	sq.pi += bbs;
	dut_store(a, sq.dbr + 4, sq.pi);
	sq_doorbell(a->dev, a->uar, (uint64_t)index << 40 | sq.num << 8);
}

/* A packet of no bytes is none, but its WQE takes its time. */
static void test_empty(void)
{
	unsigned int i, n = 0, first;
	uint8_t *wqe;

	set_up(NULL);
	for (i = 0; i < 100; i++) {
		wqe = dut_wqe(a, &sq, PRM_WQE_ENHANCED_MPSW, 3, PRM_WQE_CE_ALWAYS);
		memset(wqe + PRM_WQE_DS, 0, 2 * PRM_WQE_DS);
		*(__be32 *)(wqe + 2 * PRM_WQE_DS) = htobe32(PRM_WQE_INLINE);
		sq.pi++;
	}
	sq.pi -= 100;
	ring(100);
	loop_run_pending();
	while (dut_poll(a, &sq.cq))
		n++;
	first = n;
	dut_run();
	while (dut_poll(a, &sq.cq))
		n++;
	ktap(first && first <= LOOP_SLICE && n == 100 && !dut_violations(a),
	     "WQEs of no packet are executed in slices");
	tear_down();
}

/* ---- an RQ that stops, and lengths of more than 32 bits ---- */

static void striding_unflushed(struct prm_rqc *ctx)
{
	striding(ctx);
	prm_set(ctx, flush_in_error_en, 0);
}

/* By a fault rule, which stops the queue of the completion. */
static void test_stopped(void)
{
	const uint8_t *next;
	struct cxdev *devs[2];
	char text[64], answer[256];
	FILE *out = fmemopen(answer, sizeof(answer), "w");

	set_up(NULL);
	rq = dut_create_rq(b, LOG_RQ, LOG_WQE, striding_unflushed);
	devs[0] = a->dev;
	devs[1] = b->dev;
	dut_receive_all(b, dut_direct_tir(b, rq.num));
	post(2);
	next = dut_ptr(b, buffers[1]);
	snprintf(text, sizeof(text), "b cqe 0x%x error local_prot nth=2", rq.cq.num);
	ktap(!fault_line(text, devs, 2, out), "the second completion is an error");
	fclose(out);
	post_packet(0, 1500);
	post_packet(1, 1400);
	ktap(dut_poll(b, &rq.cq) && dut_poll(b, &rq.cq) && !dut_poll(b, &rq.cq) &&
	     next[0] == 0xee && next[1399] == 0xee,
	     "an RQ that stops with a filler completion takes no packet");
	fault_clear();
	tear_down();
}

static void test_long_wqe(void)
{
	struct prm_wqe_data_seg *seg;

	set_up(NULL);
	rq = dut_create_rq(b, LOG_RQ, LOG_WQE, NULL);
	dut_receive_all(b, dut_direct_tir(b, rq.num));
	seg = dut_ptr(b, rq.buf);
	dut_data_seg(b, &seg[0], dut_alloc(b, WQE_ROOM), 0);
	dut_data_seg(b, &seg[1], dut_alloc(b, WQE_ROOM), 0);
	dut_store(b, rq.dbr, ++rq.pi);
	post_packet(0, 500);
	ktap(dut_poll(b, &rq.cq) && !dut_violations(b), "a WQE of 4 GiB has room for a packet");
	tear_down();
}

/* ---- drivers that are wrong ---- */

static void to_nop(uint8_t *wqe)
{
	wqe[3] = PRM_WQE_NOP;
}

static void to_few(uint8_t *wqe)
{
	((struct prm_wqe_ctrl_seg *)wqe)->qpn_ds = htobe32(sq.num << 8 | 10);
}

static void to_others(uint8_t *wqe)
{
	wqe[0] = 0;
	wqe[3] = PRM_WQE_ENHANCED_MPSW;
	((struct prm_wqe_eth_seg *)(wqe + PRM_WQE_DS))->mss = 0;
}

#define ANOTHER "it is another one than when its first frames were sent"

/* A WQE that is written again while some of its frames have been sent. */
static void test_changed(void)
{
	static const struct {
		const char *what;
		void (*change)(uint8_t *wqe);
		uint32_t equal;
		unsigned int opcode;
	} cases[] = {
		{ "a WQE under way that becomes a NOP", to_nop, 0, PRM_WQE_NOP },
		{ "one that has fewer packets than were sent", to_few, 0, PRM_WQE_ENHANCED_MPSW },
		{ "packets of one length that become others", to_others, 200,
		  PRM_WQE_ENHANCED_MPSW },
	};
	const struct prm_cqe64 *cqe;
	unsigned int i, w, bbs, n;
	struct port *port;
	char text[256];
	uint16_t start;
	uint8_t *wqe;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		set_up(NULL);
		port = port_create(NULL, "sink");
		port_set_sink(port, sink, NULL);
		start = sq.pi;
		for (w = bbs = 0; w < 3; w++, bbs += n, sq.pi += n) {
			wqe = several(NULL, 25, cases[i].equal);
			n = blocks(wqe);
		}
		snprintf(text, sizeof(text), "SQ 0x*: send WQE %u: %s (0x%x)", bbs - n, ANOTHER,
			 cases[i].opcode);
		sq.pi = start;
		ring(bbs);
		loop_run_pending();
		ktap(a->dev->eth->counters.tx_several == LOOP_SLICE, "%s: some are sent",
		     cases[i].what);
		wrong_begin();
		cases[i].change(wqe);
		dut_run();
		wrong_expect(cases[i].what, text);
		cqe = dut_poll(a, &sq.cq) && dut_poll(a, &sq.cq) ? dut_poll(a, &sq.cq) : NULL;
		ktap(cqe && cqe->op_own >> PRM_CQE_OPCODE_SHIFT == PRM_CQE_REQ_ERR &&
		     a->dev->eth->counters.tx_several == LOOP_SLICE, "%s: an error, no more frames",
		     cases[i].what);
		port_destroy(port);
		tear_down();
	}
}

static void with_mss(uint8_t *wqe)
{
	((struct prm_wqe_eth_seg *)(wqe + PRM_WQE_DS))->mss = htobe16(100);
}

static void with_header(uint8_t *wqe)
{
	((struct prm_wqe_eth_seg *)(wqe + PRM_WQE_DS))->inline_hdr_sz = htobe16(2);
}

/* The second packet, behind one of 60 bytes that is inline. */
static void with_stub(uint8_t *wqe)
{
	((struct prm_wqe_data_seg *)(wqe + 6 * PRM_WQE_DS))->byte_count = htobe32(4);
}

static void with_rest(uint8_t *wqe)
{
	((struct prm_wqe_eth_seg *)(wqe + PRM_WQE_DS))->mss = htobe16(700);
}

static void test_wrong_send(void)
{
	static const struct {
		const char *what;
		void (*corrupt)(uint8_t *wqe);
		uint32_t equal;
		const char *text;
	} cases[] = {
		{ "an mss of packets of any length", with_mss, 0,
		  "several packets: an mss of others than equal ones, or headers (0x64)" },
		{ "inline headers of several packets", with_header, 0,
		  "several packets: an mss of others than equal ones, or headers (0x0)" },
		{ "a packet of four bytes", with_stub, 0,
		  "of several packets one is too short or too long (0x4)" },
		{ "data that are not a number of packets", with_rest, 1000,
		  "of several packets one is too short or too long (0x2bc)" },
	};
	char text[256];
	unsigned int i;
	uint8_t *wqe;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		set_up(NULL);
		wqe = several(NULL, 3, cases[i].equal);
		cases[i].corrupt(wqe);
		wrong_begin();
		dut_ring(a, &sq, blocks(wqe));
		snprintf(text, sizeof(text), "SQ 0x*: send WQE 0: %s", cases[i].text);
		wrong_expect(cases[i].what, text);
		tear_down();
	}
	set_up(NULL);
	sq = dut_create_sq(a, LOG_SQ, NULL);
	wqe = several(NULL, 3, 200);
	wrong_begin();
	dut_ring(a, &sq, blocks(wqe));
	wrong_expect("several packets that the SQ does not allow",
		     "SQ 0x*: send WQE 0: the SQ does not allow several packets in it (0xe)");
	tear_down();
}

static void wrong_create(unsigned int strides, unsigned int stride, const char *what,
			 const char *text)
{
	struct prm_create_rq_in in = {};
	struct prm_create_rq_out out;
	__be64 pas = htobe64(DUT_BASE);

	prm_set(&in, ctx.cqn, rq.cq.num);
	prm_set(&in, ctx.wq.pd, b->pd);
	prm_set(&in, ctx.wq.log_wq_stride, stride);
	prm_set(&in, ctx.wq.log_wq_sz, 2);
	prm_set64(&in, ctx.wq.dbr_addr, rq.dbr);
	prm_set(&in, ctx.wq.wq_type, PRM_WQ_CYCLIC_STRIDING);
	prm_set(&in, ctx.wq.log_wqe_num_of_strides, strides);
	wrong_begin();
	ktap(dut_cmd_tail(b, create_rq, &in, &out, &pas, sizeof(pas)) == PRM_STATUS_BAD_PARAM,
	     "%s is refused", what);
	wrong_expect(what, text);
}

static void test_wrong_create(void)
{
	struct cap cap;

	set_up(NULL);
	wrong_create(8, LOG_WQE, "a WQE of 2^17 strides",
		     "* log_wqe_num_of_strides 8 of the RQ is not advertised");
	wrong_create(0, 4, "a striding RQ whose WQEs have no room for data",
		     "* log_wq_stride 4: WQEs of a striding RQ have a segment before the data");
	if (!cap_find("ext_stride_num_range", &cap) || hca_cap_change(b->dev, &cap, 0))
		exit(1);
	hca_caps_reset(b->dev);	/* as if it had been started since */
	wrong_create(PRM_WQ_STRIDES_EXT, LOG_WQE, "a WQE of 8 strides without the capability",
		     "* log_wqe_num_of_strides 10 of the RQ is not advertised");
	tear_down();
}

int main(void)
{
	card_devx = true;
	ktap_plan(0);
	wrong_open_here(ktap);
	test_strides();
	test_room();
	test_too_long();
	test_compressed();
	test_send();
	test_slices();
	test_empty();
	test_stopped();
	test_long_wqe();
	test_changed();
	test_wrong_send();
	test_wrong_create();
	wrong_close();
	return ktap_end();
}
