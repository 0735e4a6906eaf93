// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Packet pacing: frames leave at the rate of their SQ. The clock is the test's. */
#include <string.h>

#include "dut.h"
#include "ktap.h"
#include "prm/rate.h"

#define MS 1000000ull
#define FRAME 996u		/* 1000 bytes with FCS: a millisecond at 8 Mb/s */
#define KBPS 8000u

static struct dut *a, *b;
static struct dut_wq sq, rq; /* a sends, b receives everything */
static uint64_t clock_ns;

static void pass_time(uint64_t ns)
{
	clock_ns += ns;
	loop_test_clock(clock_ns);
	dut_run();
}

static int set_rate(unsigned int index, uint32_t kbps, uint32_t burst)
{
	struct prm_set_pp_rate_limit_in in = {};
	struct prm_set_pp_rate_limit_out out;

	prm_set(&in, rate_limit_index, index);
	prm_set(&in, ctx.rate_limit, kbps);
	prm_set(&in, ctx.burst_upper_bound, burst);
	return dut_cmd(a, set_pp_rate_limit, &in, &out);
}

static int use_rate(struct dut_wq *queue, unsigned int index)
{
	struct prm_modify_sq_in in = {};
	struct prm_modify_sq_out out;

	prm_set(&in, sqn, queue->num);
	prm_set(&in, sq_state, PRM_WQ_RDY);
	prm_set(&in, ctx.state, PRM_WQ_RDY);
	prm_set64(&in, modify_bitmask, PRM_MODIFY_SQ_RATE);
	prm_set(&in, ctx.packet_pacing_rate_limit_index, index);
	return dut_cmd(a, modify_sq, &in, &out);
}

static void take_rate_1(struct prm_sqc *ctx)
{
	prm_set(ctx, packet_pacing_rate_limit_index, 1);
}

static void set_up(uint32_t burst)
{
	unsigned int i;

	clock_ns = MS;
	loop_test_clock(clock_ns);
	a = dut_create("a", 0);
	b = dut_create("b", 1);
	dut_run();
	dut_check(set_rate(1, KBPS, burst), "set_pp_rate_limit");
	sq = dut_create_sq(a, 6, take_rate_1);
	rq = dut_create_rq(b, 6, 6, NULL);
	dut_receive_all(b, dut_direct_tir(b, rq.num));
	for (i = 0; i < 60; i++)
		dut_post_rq(b, &rq, 2048);
}

static void tear_down(const char *test)
{
	ktap(!dut_violations(a) && !dut_violations(b), "%s: no violation", test);
	dut_destroy(a);
	dut_destroy(b);
	loop_test_clock(0);
}

static void send(struct dut_wq *queue, unsigned int n)
{
	uint8_t packet[FRAME] = { 0x02, 0, 0, 0, 0, 1, 0x02, 0, 0, 0, 0, 2, 0x88, 0xb5 };

	while (n--)
		dut_send(a, queue, packet, sizeof(packet), 0);
	dut_run();
}

static unsigned int completions(struct dut *dut, struct dut_cq *cq)
{
	unsigned int n = 0;

	while (dut_poll(dut, cq))
		n++;
	return n;
}

/* Since the last call; a send completes when its frame is on the wire. */
static bool arrived(unsigned int n)
{
	return completions(a, &sq.cq) == n && completions(b, &rq.cq) == n;
}

static void test_rate(void)
{
	unsigned int i;
	bool good = true;

	set_up(0);
	send(&sq, 5);
	ktap(arrived(1), "the first frame does not wait");
	pass_time(MS - 1000);
	ktap(arrived(0), "the next one waits until the first would have left");
	pass_time(1000);
	ktap(arrived(1), "and no longer");
	for (i = 0; i < 3; i++) {
		pass_time(MS);
		good &= arrived(1);
	}
	ktap(good, "then one for each of their times");
	pass_time(10 * MS);
	send(&sq, 3);
	ktap(arrived(1), "an idle queue saves nothing up");
	tear_down("rate");
}

static void test_burst(void)
{
	set_up(3000);
	send(&sq, 8);
	ktap(arrived(4), "a burst leaves at once, and the frame that it ends with");
	pass_time(MS);
	ktap(arrived(1), "then the rate holds");
	pass_time(10 * MS);
	ktap(arrived(3), "the rest follows");
	pass_time(10 * MS);
	send(&sq, 8);
	ktap(arrived(4), "an idle queue has its burst again");
	tear_down("burst");
}

static void test_change(void)
{
	set_up(0);
	send(&sq, 10);
	ktap(arrived(1), "at the first rate");
	ktap(!use_rate(&sq, 1) && !set_rate(1, KBPS, 0), "the same again changes nothing");
	dut_run();
	ktap(arrived(0), "and ends no waiting");
	dut_check(set_rate(2, 10 * KBPS, 0), "set_pp_rate_limit");
	ktap(!use_rate(&sq, 2), "a queue in RDY takes another rate");
	dut_run();
	ktap(arrived(1), "which begins anew");
	pass_time(MS / 10);
	ktap(arrived(1), "and is kept");
	ktap(!set_rate(2, 1, 0), "the rate is lowered while it is used: 8 seconds for a frame");
	dut_run();
	ktap(arrived(1), "it begins anew");
	ktap(!set_rate(2, 10 * KBPS, 0), "it is raised");
	dut_run();
	ktap(arrived(1), "and nobody waits for the time of the lower one");
	ktap(!set_rate(2, 1, 0), "lowered again");
	dut_run();
	ktap(arrived(1), "with the next frame");
	ktap(!set_rate(2, 0, 0), "and cleared");
	dut_run();
	ktap(arrived(4), "it limits no longer, at once");
	ktap(use_rate(&sq, 2) == PRM_STATUS_BAD_RES, "but nobody can take it now");
	ktap(!use_rate(&sq, PRM_RATE_NONE), "no rate at all can be taken");
	dut_violations(a);
	tear_down("change");
}

static void test_queues(void)
{
	struct dut_wq free;

	set_up(0);
	free = dut_create_sq(a, 6, NULL);
	send(&sq, 5);
	send(&free, 20);
	ktap(completions(a, &free.cq) == 20 && completions(a, &sq.cq) == 1,
	     "a queue without a rate does not wait for one with it");
	completions(b, &rq.cq);
	ktap(!dut_modify_sq(a, sq.num, PRM_WQ_RDY, PRM_WQ_ERR), "a queue that waits goes to ERR");
	dut_run();
	ktap(completions(a, &sq.cq) == 4, "and is flushed at once");
	pass_time(10 * MS);
	ktap(!completions(b, &rq.cq), "nothing leaves it later");
	ktap(!dut_modify_sq(a, sq.num, PRM_WQ_ERR, PRM_WQ_RST) &&
	     !dut_modify_sq(a, sq.num, PRM_WQ_RST, PRM_WQ_RDY), "it starts again");
	sq.pi = 0;
	send(&sq, 2);
	ktap(arrived(1), "at its rate");
	ktap(!dut_destroy_obj(a, PRM_OP_destroy_sq, sq.num), "it is destroyed while it waits");
	pass_time(10 * MS);
	ktap(!completions(b, &rq.cq), "and sends nothing more");
	tear_down("queues");
}

/* More WQEs than are flushed at once, behind one that fails while it waits. */
static void test_fails(void)
{
	const struct prm_cqe64 *cqe;
	struct dut_wq long_sq;

	set_up(0);
	long_sq = dut_create_sq(a, 7, take_rate_1);
	send(&long_sq, 100);
	ktap(completions(a, &long_sq.cq) == 1, "the second of many waits");
	((uint8_t *)dut_ptr(a, long_sq.buf + 64))[3] = 0xff;
	send(&long_sq, 1);
	cqe = dut_poll(a, &long_sq.cq);
	ktap(cqe && cqe->op_own >> PRM_CQE_OPCODE_SHIFT == PRM_CQE_REQ_ERR &&
	     dut_violations(a) == 1, "it fails");
	ktap(completions(a, &long_sq.cq) == 99, "and all others are flushed without waiting");
	tear_down("a failure");
}

/* Segments of an LSO are frames. */
static void test_lso(void)
{
	struct flow flow = tcp4;
	struct prm_wqe_eth_seg *eseg;
	uint8_t packet[8192];
	uint8_t *wqe;
	uint32_t len;
	uint64_t buf;

	set_up(0);
	flow.payload = 4 * 942;
	len = make_packet(packet, &flow);
	buf = dut_alloc(a, sizeof(packet));
	memcpy(dut_ptr(a, buf), packet + 54, len - 54);
	wqe = dut_wqe(a, &sq, PRM_WQE_LSO, 7, PRM_WQE_CE_ALWAYS);
	eseg = (void *)(wqe + PRM_WQE_DS);
	eseg->mss = cpu_to_be16(942);
	eseg->inline_hdr_sz = cpu_to_be16(54);
	memcpy(wqe + offsetof(struct prm_wqe_eth_seg, inline_hdr_start) + PRM_WQE_DS, packet, 54);
	dut_data_seg(a, (void *)(wqe + 6 * PRM_WQE_DS), buf, len - 54);
	dut_ring(a, &sq, 2);
	dut_run();
	ktap(!completions(a, &sq.cq) && completions(b, &rq.cq) == 1, "LSO: the first segment");
	pass_time(2 * MS);
	ktap(!completions(a, &sq.cq) && completions(b, &rq.cq) == 1, "LSO: the next when due");
	pass_time(MS);
	pass_time(MS);
	ktap(completions(a, &sq.cq) == 1 && completions(b, &rq.cq) == 2,
	     "LSO: it is done with its last segment");
	tear_down("LSO");
}

/* A device that takes neither a burst nor a size of packets */
static void test_less(void)
{
	struct prm_set_pp_rate_limit_in in = {};
	struct prm_set_pp_rate_limit_out out;
	struct prm_qos_cap *cap;

	set_up(0);
	cap = (struct prm_qos_cap *)a->dev->hca->cap_cur[CAP_QOS];
	prm_set(cap, packet_pacing_burst_bound, 0);
	prm_set(cap, packet_pacing_typical_size, 0);
	ktap(set_rate(2, KBPS, 3000) == PRM_STATUS_BAD_PARAM, "a burst is refused without its bit");
	prm_set(&in, rate_limit_index, 2);
	prm_set(&in, ctx.rate_limit, KBPS);
	prm_set(&in, ctx.typical_packet_size, 1000);
	ktap(dut_cmd(a, set_pp_rate_limit, &in, &out) == PRM_STATUS_BAD_PARAM,
	     "a size of packets is refused without its bit");
	ktap(!set_rate(2, KBPS, 0), "a rate alone is not");
	dut_violations(a);
	tear_down("less");
}

int main(void)
{
	card_devx = true;
	ktap_plan(0);
	test_rate();
	test_burst();
	test_change();
	test_queues();
	test_fails();
	test_lso();
	test_less();
	return ktap_end();
}
