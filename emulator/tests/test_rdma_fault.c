// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Faults on command of completions and frames, with the device in the test's own process. */
#include <stdlib.h>

#include "fault/fault.h"
#include "host/control.h"
#include "rdma.h"

#define FRAMES 10

static struct tcq ca, cb;

/* ---- helpers ---- */

static const char *fault(bool *good, const char *text)
{
	static char answer[8192];
	struct cxdev *devs[] = { a.dev, b.dev };
	char line[256];
	FILE *out = fmemopen(answer, sizeof(answer), "w");

	snprintf(line, sizeof(line), "%s", text);
	*good = !fault_line(line, devs, a.dev ? 2 : 0, out);
	fclose(out);
	return answer;
}

static void must(const char *text)
{
	bool good;
	const char *answer = fault(&good, text);

	if (!good) {
		printf("Bail out! fault %s: %s", text, answer);
		exit(1);
	}
}

/* The list has this text. */
static bool listed(const char *text)
{
	bool good;
	const char *answer = fault(&good, "list");

	if (strstr(answer, text))
		return true;
	printf("# list: %s", answer);
	return false;
}

/* ---- frames of plain ports ---- */

static char order[64];

static bool receive(void *arg, const struct frame *frame)
{
	size_t n = strlen(order);

	(void)arg;
	order[n] = frame->data[20] == 0xff ? '!' : '0' + frame->data[14];
	order[n + 1] = 0;
	return true;
}

static void send_frame(struct port *from, uint8_t sender, uint8_t to, uint8_t number)
{
	struct frame *frame = frame_alloc(64);

	memset(frame->data, 0, 64);
	frame->data[0] = 2;
	frame->data[5] = to;
	frame->data[6] = 2;
	frame->data[11] = sender;
	frame->data[12] = 0x88;
	frame->data[13] = 0xb5;
	frame->data[14] = number;
	port_send(from, frame);
}

static const struct {
	const char *text, *expect; /* what arrives of 0 to 9, ! for a corrupted frame */
} frame_cases[] = {
	{ "x frame any drop nth=3", "013456789" },
	{ "x frame any drop nth=3 times=2", "01456789" },
	{ "x frame any drop nth=8 times=all", "0123456" },
	{ "x frame any duplicate nth=5", "01234456789" },
	{ "x frame any reorder nth=2", "0213456789" },
	{ "x frame any reorder nth=2 times=2", "0132456789" },
	{ "x frame any delay 3 nth=2", "0234156789" },
	{ "x frame any delay 2 times=all", "01234567" },
	{ "x frame any corrupt 20 nth=4", "012!456789" },
	{ "x frame any corrupt 10000 nth=4", "0123456789" },
	{ "any frame any drop nth=1", "123456789" },
	{ "y frame any drop nth=1", "0123456789" },
	{ "y frame any drop dir=rx nth=3", "013456789" },
	{ "y frame any duplicate dir=rx nth=10", "01234567899" },
	{ "x frame any drop dir=rx nth=1", "0123456789" },
	{ "x frame rc_send_only drop times=all", "0123456789" },
	{ "x frame any drop qp=1 times=all", "0123456789" },
};

static void run_frames(struct port *x)
{
	unsigned int i;

	order[0] = 0;
	for (i = 0; i < FRAMES; i++) {
		send_frame(x, 1, 2, i);
		settle();
	}
}

static void test_frames(void)
{
	struct port *x = port_create(NULL, "x"), *y = port_create(NULL, "y");
	char first[64];
	unsigned int i;

	port_set_sink(y, receive, NULL);
	send_frame(y, 2, 0xff, 0); /* the switch learns who is where */
	settle();
	for (i = 0; i < ARRAY_SIZE(frame_cases); i++) {
		must(frame_cases[i].text);
		run_frames(x);
		ok(!strcmp(order, frame_cases[i].expect), "%s: %s", frame_cases[i].text, order);
		must("clear");
	}
	must("x frame any drop percent=50 seed=3");
	run_frames(x);
	strcpy(first, order);
	must("clear");
	must("x frame any drop percent=50 seed=3");
	run_frames(x);
	ok(!strcmp(first, order) && strlen(order) < FRAMES && *order,
	   "the same seed drops the same frames: %s", order);
	must("clear");
	must("x frame any delay 5 times=all");
	send_frame(x, 1, 2, 0);
	port_destroy(x);
	ok(listed(""), "destroying a port removes its rules and held frames");
	must("clear");
	port_destroy(y);
}

/* ---- frames of queue pairs ---- */

static void send_one(struct tqp *x, struct tqp *y)
{
	struct tsge to = { b.va, 4096, b.lkey };
	struct wr wr = { .opcode = PRM_WQE_SEND, .n = 1, .sge = { { a.va, 200, a.lkey } } };

	post_recv(y, 1, &to);
	post_send(x, &wr);
	settle();
}

static bool good_pair(void)
{
	struct prm_cqe64 *s = poll(&ca), *r = poll(&cb);

	return s && cqe_opcode(s) == PRM_CQE_REQ && r && cqe_opcode(r) == PRM_CQE_RESP_SEND;
}

static void test_rdma_frames(unsigned int addr, const char *what)
{
	struct qp_opts o = { .addr = addr, .timeout = 8 };
	struct tqp x, y, x2, y2;
	char text[128];

	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	create_pair(&x2, &y2, PRM_QP_ST_RC, &ca, &cb, &o);
	snprintf(text, sizeof(text), "a frame rc_send_only drop qp=0x%x", y.qpn);
	must(text);
	send_one(&x2, &y2);
	ok(good_pair() && listed("seen 0, done 0"), "%s: a frame of another QP does not match",
	   what);
	send_one(&x, &y);
	ok(!poll(&ca) && !poll(&cb) && listed("seen 1, done 1"), "%s: a frame of the QP is dropped",
	   what);
	pass_time(20);
	ok(good_pair() && listed("seen 2, done 1"), "%s: the dropped frame is retransmitted", what);
	must("clear");
	must("a frame rc_ack drop dir=rx");
	send_one(&x, &y);
	ok(!poll(&ca) && poll(&cb), "%s: a received ACK is dropped", what);
	pass_time(20);
	ok(poll(&ca) && listed("rc_ack drop dir=rx nth=1 times=1: seen 2, done 1"),
	   "%s: the dropped ACK is sent again", what);
	must("clear");
	must("any frame rc_send_only corrupt 100");
	send_one(&x, &y);
	ok(b.dev->rdma->rx_icrc_errors && !poll(&cb), "%s: a corrupted frame is discarded", what);
	pass_time(20);
	ok(good_pair(), "%s: the corrupted frame is retransmitted", what);
	b.dev->rdma->rx_icrc_errors = 0;
	must("clear");
	destroy_pair(&x, &y);
	destroy_pair(&x2, &y2);
}

/* ---- completions ---- */

static bool is_error(const struct prm_cqe64 *cqe, unsigned int opcode, unsigned int syndrome)
{
	return cqe && cqe_opcode(cqe) == opcode && cqe_syndrome(cqe) == syndrome;
}

static void test_cqe_error(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4 };
	struct tsge to = { b.va, 4096, b.lkey };
	const struct prm_err_cqe *err;
	struct tqp x, y;
	char text[64];

	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	snprintf(text, sizeof(text), "a cqe 0x%x error local_prot nth=2", ca.cqn);
	must(text);
	send_one(&x, &y);
	ok(good_pair() && qp_state(&x) == PRM_QP_RTS,
	   "cqe error nth=2: the first completion is good");
	send_one(&x, &y);
	err = (const void *)poll(&ca);
	ok(is_error((const void *)err, PRM_CQE_REQ_ERR, PRM_CQE_SYND_LOCAL_PROT) &&
	   (be32_to_cpu(err->s_wqe_opcode_qpn) & 0xffffff) == x.qpn &&
	   be16_to_cpu(err->wqe_counter) == 1 && qp_state(&x) == PRM_QP_ERR,
	   "cqe error nth=2: the second is an error of the right WQE, the QP goes to ERR");
	ok(poll(&cb) && qp_state(&y) == PRM_QP_RTS, "cqe error nth=2: the peer stays in RTS");
	must("clear");
	destroy_pair(&x, &y);
	drain(&ca, &cb);

	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	post_recv(&y, 1, &to);
	must("b cqe any error local_length");
	send_one(&x, &y);
	ok(is_error(poll(&cb), PRM_CQE_RESP_ERR, PRM_CQE_SYND_LOCAL_LENGTH) &&
	   is_error(poll(&cb), PRM_CQE_RESP_ERR, PRM_CQE_SYND_WR_FLUSH) && !poll(&cb) &&
	   qp_state(&y) == PRM_QP_ERR, "an error of a receive flushes later receives");
	must("clear");
	destroy_pair(&x, &y);
	drain(&ca, &cb);
}

/* A rule of requests leaves those of other kinds alone, also in the same queue. */
static void test_request_error(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4 };
	struct wr write = { .opcode = PRM_WQE_RDMA_WRITE, .n = 1, .sge = { { a.va, 8, a.lkey } },
			    .raddr = b.va, .rkey = b.rkey };
	struct tqp x, y;
	char only_cq[64];

	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	must("a request rdma_write error local_prot");
	send_one(&x, &y);
	ok(good_pair() &&
	   listed("a request rdma_write error LOCAL_PROT nth=1 times=1: seen 0, done 0"),
	   "request error: another opcode does not match");
	post_send(&x, &write);
	settle();
	ok(is_error(poll(&ca), PRM_CQE_REQ_ERR, PRM_CQE_SYND_LOCAL_PROT) &&
	   qp_state(&x) == PRM_QP_ERR && listed("seen 1, done 1"),
	   "request error: the given opcode completes with the error, the QP goes to ERR");
	must("clear");
	destroy_pair(&x, &y);
	drain(&ca, &cb);

	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	must("a request send error local_prot");
	snprintf(only_cq, sizeof(only_cq), "a cqe 0x%x error wr_flush", ca.cqn);
	must(only_cq);
	send_one(&x, &y);
	ok(is_error(poll(&ca), PRM_CQE_REQ_ERR, PRM_CQE_SYND_WR_FLUSH),
	   "if a cqe and a request rule match, the cqe rule acts");
	must("clear");
	destroy_pair(&x, &y);
	drain(&ca, &cb);
}

static void test_cq_overrun(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4 };
	struct prm_query_cq_in in = {};
	struct prm_query_cq_out out;
	struct prm_eqe *eqe;
	bool event = false;
	struct tcq cx;
	struct tqp x, y;

	create_cq(&cx, &a, 5);
	create_pair(&x, &y, PRM_QP_ST_RC, &cx, &cb, &o);
	must("a cqe any overrun");
	send_one(&x, &y);
	while ((eqe = poll_eq(&a)))
		event |= eqe->type == PRM_EVENT_CQ_ERROR &&
			 be32_to_cpu(eqe->data.cq_err.cqn) == cx.cqn &&
			 eqe->data.cq_err.syndrome == 1;
	prm_set(&in, cqn, cx.cqn);
	ok(event && !poll(&cx) && !command(&a, query_cq, &in, &out) &&
	   prm_get(&out, cq_context.status) == 0x9 && qp_state(&x) == PRM_QP_ERR,
	   "cqe overrun: the CQ raises an error event, the QP goes to ERR");
	ok(!a.dev->violations, "cqe overrun is no violation");
	must("clear");
	destroy_pair(&x, &y);
	drain(&ca, &cb);
}

int main(void)
{
	test_frames();
	sides_open();
	create_cq(&ca, &a, 9);
	create_cq(&cb, &b, 9);
	test_rdma_frames(ADDR_V1, "RoCE v1");
	test_rdma_frames(ADDR_V2_IPV4, "RoCE v2, IPv4");
	test_rdma_frames(ADDR_V2_IPV6, "RoCE v2, IPv6");
	test_rdma_frames(ADDR_V2_VLAN, "RoCE v2 with a VLAN tag");
	test_cqe_error();
	test_request_error();
	test_cq_overrun();
	ok(!a.dev->violations && !b.dev->violations, "no fault causes a violation");
	sides_close();
	return ok_end();
}
