// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Incast: two functions send to a third through a switch of 40 Gb/s. Without flow and congestion
 * control packets are lost all the time, with too little headroom throughput collapses; with PFC
 * nothing is lost, and the switch's queue is long; with DCQCN it is short, and the shares are fair.
 * The ranges are those of published behaviour and of a simulation of the same model; parameters are
 * those of the DCQCN paper.
 */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "rdma.h"
#include "wire/vtime.h"
#include "wrong_log.h"

#define SENDERS 2
#define PRIO 3
#define DSCP 26
#define DEPTH 8		/* messages in flight */
#define MSG (1u << 20)
#define RATE_GBPS 40
#define STEP_NS 20000
#define MS 1000000ull
#define WARM_UP (20 * MS)
#define MEASURED (10 * MS)
#define WIRE_BYTES 1106	/* of a packet of 1024 bytes */

static struct side c;
static struct side *const senders[SENDERS] = { &a, &b };
static struct tcq cqs[SENDERS], cc;
static struct tqp tx[SENDERS], rx[SENDERS];
static uint64_t clock_ns = 1000000000;
static uint32_t posted[SENDERS];

/* ---- time ---- */

static void post(unsigned int i)
{
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE, .n = 1,
			 .sge = { { senders[i]->va, MSG, senders[i]->lkey } },
			 .raddr = c.va + i * MSG, .rkey = c.rkey };

	post_send(&tx[i], &wr);
	posted[i]++;
}

/* Each completion makes room for another message. */
static void keep_busy(void)
{
	unsigned int i;

	for (i = 0; i < SENDERS; i++)
		while (poll(&cqs[i]))
			post(i);
}

struct queue {
	uint64_t sum, n, most;
};

static void run_until(uint64_t end, struct queue *queue)
{
	uint64_t next, sample = clock_ns;

	while (clock_ns < end) {
		settle();
		keep_busy();
		settle();
		if (queue && clock_ns >= sample) {
			uint64_t bytes = port_switch_counters(c.dev->port, PRIO).bytes;

			queue->sum += bytes;
			queue->n++;
			if (bytes > queue->most)
				queue->most = bytes;
			sample = clock_ns + 1000;
		}
		next = vtime_next_ns();
		if (next > clock_ns + STEP_NS)
			next = clock_ns + STEP_NS;
		clock_ns = next > clock_ns ? next : clock_ns;
		loop_test_clock(clock_ns);
	}
}

/* ---- set-up ---- */

static void set_status(struct side *side, bool enable)
{
	struct prm_modify_cong_status_in in = {};
	struct prm_modify_cong_status_out out;

	prm_set(&in, priority, PRIO);
	prm_set(&in, cong_protocol, PRM_CONG_RP);
	prm_set(&in, enable, enable);
	command(side, modify_cong_status, &in, &out);
}

#define SET(in, block, field, value)							\
	prm_set(in, congestion_parameters.cong_control_r_roce_ecn_##block.field, value)

/* alpha / 2 a decrease, g = 1/256, 55 us, 10 MB, F = 5, 40 and 400 Mb/s, a CNP each 50 us. */
static void set_parameters(struct side *side)
{
	struct prm_modify_cong_params_in in = {}, np = {};
	struct prm_modify_cong_params_out out;

	prm_set(&in, cong_protocol, PRM_CONG_RP);
	prm_set(&in, field_select, 0x1fffe);
	SET(&in, rp, clamp_tgt_rate, 1);
	SET(&in, rp, rpg_time_reset, 55);
	SET(&in, rp, rpg_byte_reset, 10000000);
	SET(&in, rp, rpg_threshold, 5);
	SET(&in, rp, rpg_ai_rate, 40);
	SET(&in, rp, rpg_hai_rate, 400);
	SET(&in, rp, rpg_gd, 11);
	SET(&in, rp, rpg_min_dec_fac, 1);
	SET(&in, rp, rpg_min_rate, 10);
	SET(&in, rp, dce_tcp_g, 1020);
	SET(&in, rp, dce_tcp_rtt, 55);
	SET(&in, rp, initial_alpha_value, 1023);
	if (command(side, modify_cong_params, &in, &out))
		exit(1);
	prm_set(&np, cong_protocol, PRM_CONG_NP);
	prm_set(&np, field_select, 1 << PRM_CONG_NP_MIN_TIME);
	SET(&np, np, min_time_between_cnps, 50);
	if (command(side, modify_cong_params, &np, &out))
		exit(1);
}

static void set_port(struct side *side, bool pfc)
{
	struct port_qos *qos = port_qos(side->dev->port);

	qos->trust_dscp = true;
	qos->pfc_rx = pfc ? 1 << PRIO : 0;
	port_qos_changed(side->dev->port);
}

static void connect(unsigned int i)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4, .timeout = 8, .retry = 7, .retry_set = true,
			     .log_sq = 6 };

	create_pair(&tx[i], &rx[i], PRM_QP_ST_RC, &cqs[i], &cc, &o);
	((struct qp *)obj_find(senders[i]->dev, OBJ_QP, tx[i].qpn))->av.tclass = DSCP << 2;
	((struct qp *)obj_find(c.dev, OBJ_QP, rx[i].qpn))->av.tclass = DSCP << 2;
}

static void open_wire(const char *settings, bool pfc, bool control)
{
	const char *why;
	unsigned int i;

	if (physics_set(settings, &why)) {
		fprintf(stderr, "%s: %s\n", settings, why);
		exit(1);
	}
	loop_test_clock(clock_ns);
	side_open(&a, "a", 0);
	side_open(&b, "b", 1);
	side_open(&c, "c", 2);
	create_cq(&cc, &c, 8);
	set_port(&c, pfc);
	set_parameters(&c);
	for (i = 0; i < SENDERS; i++) {
		create_cq(&cqs[i], senders[i], 8);
		set_port(senders[i], pfc);
		set_parameters(senders[i]);
		set_status(senders[i], control);
		connect(i);
	}
	for (i = 0; i < SENDERS * DEPTH; i++)
		post(i % SENDERS);
}

static void close_wire(void)
{
	unsigned int i;

	for (i = 0; i < SENDERS; i++)
		destroy_pair(&tx[i], &rx[i]);
	side_close(&a);
	side_close(&b);
	side_close(&c);
}

/* ---- what came of it ---- */

struct result {
	double share[SENDERS], sum;	/* of the link, with all headers */
	double queue, longest;
	uint64_t dropped, marked, pauses, cnps, packets;
};

static uint32_t acked(unsigned int i)
{
	return ((struct qp *)obj_find(senders[i]->dev, OBJ_QP, tx[i].qpn))->req.una;
}

static uint64_t pauses(void)
{
	return port_switch_counters(a.dev->port, PRIO).paused +
	       port_switch_counters(b.dev->port, PRIO).paused;
}

static struct result measure(uint64_t warm_up, uint64_t time)
{
	struct switch_counters before, after;
	struct queue queue = {};
	struct result r = {};
	uint32_t psn[SENDERS];
	uint64_t cnps, paused;
	unsigned int i;

	run_until(clock_ns + warm_up, NULL);
	before = port_switch_counters(c.dev->port, PRIO);
	cnps = c.dev->rdma->tx_cnp;
	paused = pauses();
	for (i = 0; i < SENDERS; i++)
		psn[i] = acked(i);
	run_until(clock_ns + time, &queue);
	after = port_switch_counters(c.dev->port, PRIO);
	for (i = 0; i < SENDERS; i++) {
		uint32_t n = (acked(i) - psn[i]) & PSN_MASK;

		r.packets += n;
		r.share[i] = n * WIRE_BYTES * 8.0 / time / RATE_GBPS;
		r.sum += r.share[i];
	}
	r.queue = (double)queue.sum / queue.n;
	r.longest = queue.most;
	r.dropped = after.dropped - before.dropped;
	r.marked = after.marked - before.marked;
	r.pauses = pauses() - paused;
	r.cnps = c.dev->rdma->tx_cnp - cnps;
	printf("# shares %.3f + %.3f = %.3f; queue %.0f, at most %.0f; ", r.share[0], r.share[1],
	       r.sum, r.queue, r.longest);
	printf("dropped %llu, marked %llu of %llu, pauses %llu, CNPs %llu\n",
	       (unsigned long long)r.dropped, (unsigned long long)r.marked,
	       (unsigned long long)r.packets, (unsigned long long)r.pauses,
	       (unsigned long long)r.cnps);
	return r;
}

static double jain(const struct result *r)
{
	double squares = r->share[0] * r->share[0] + r->share[1] * r->share[1];

	return r->sum * r->sum / (SENDERS * squares);
}

/* ---- tests ---- */

static void test_collapse(void)
{
	struct result r;

	open_wire("rate=40g,delay=1us,buffer=1200k", false, false);
	r = measure(2 * MS, 10 * MS);
	ok(2 * r.dropped > r.packets && r.sum <= 1,
	   "without flow and congestion control more than a third of all packets is lost");
	close_wire();
	open_wire("rate=40g,delay=1us,buffer=12m,pfc=3,xoff=100k,headroom=4000", true, false);
	r = measure(2 * MS, 5 * MS);
	ok(r.dropped > 100 && r.sum < 0.3,
	   "with too little headroom throughput collapses: senders go back again and again");
	close_wire();
	open_wire("rate=40g,delay=1us,buffer=12m,pfc=3,xoff=100k,headroom=22400", true, false);
	r = measure(2 * MS, 5 * MS);
	ok(!r.dropped && r.sum > 0.99, "with enough of it nothing is lost");
	close_wire();
}

/* Two ports with a share of 1/8 of what is free: each has S/10 of the shared buffer S. */
static void test_pfc(void)
{
	double expect = 2 * (12000000 - 3 * 22400) / 10.0;
	struct result r;

	open_wire("rate=40g,delay=1us,buffer=12m,alpha=1/8,pfc=3,headroom=22400", true, false);
	r = measure(3 * MS, 5 * MS);
	ok(r.sum > 0.99 && fabs(r.share[0] - 0.5) < 0.01 && fabs(r.share[1] - 0.5) < 0.01,
	   "with PFC the link is busy, and both senders have half of it");
	ok(!r.dropped && r.pauses > 1000, "nothing is lost: the senders are paused");
	ok(fabs(r.queue - expect) < 0.02 * expect,
	   "the queue in the switch is as long as the buffer's shares allow");
	close_wire();
}

static void test_dcqcn(void)
{
	struct result r;
	double marks, rate;

	/* buffer 12 MB, alpha 1/8, marks of up to 1 % from 5 to 200 KB: the defaults */
	open_wire("rate=40g,delay=1us,pfc=3,headroom=22400,ecn=3", true, true);
	r = measure(WARM_UP, MEASURED);
	marks = (double)r.marked / r.packets;
	rate = (double)r.cnps / SENDERS / (MEASURED / MS);
	ok(r.sum >= 0.97, "with DCQCN the link is busy");
	ok(jain(&r) >= 0.98, "the shares are fair");
	ok(!r.dropped && !r.pauses, "nothing is lost, and nobody is paused");
	ok(r.queue >= 15000 && r.queue <= 40000, "the queue is short");
	ok(marks >= 0.0006 && marks <= 0.002, "about a packet of a thousand is marked");
	ok(rate >= 1.5 && rate <= 3.5, "a sender is told two or three times in a millisecond");
	ok(c.dev->rdma->tx_cnp == a.dev->rdma->rx_cnp + b.dev->rdma->rx_cnp &&
	   c.dev->rdma->rx_ecn_marked >= c.dev->rdma->tx_cnp,
	   "each notification that is sent is handled");
	ok(a.dev->rdma_state->cong.flows == 1 && a.dev->rdma_state->cong.flows_ever == 1,
	   "a sender has one flow that is limited");
	close_wire();
}

/* Lines of tshark's output for a filter. */
static unsigned int seen(const char *file, const char *filter)
{
	char command[400], line[256];
	unsigned int n = 0;
	FILE *pipe;

	snprintf(command, sizeof(command), "tshark -n -r %s -Y '%s' 2>/dev/null", file, filter);
	pipe = popen(command, "r");
	while (pipe && fgets(line, sizeof(line), pipe))
		n++;
	if (pipe)
		pclose(pipe);
	return n;
}

/* The start of an incast, at the port of the receiver and of a sender. */
static void test_capture(void)
{
	char there[] = "/tmp/cxemu-capture-XXXXXX", here[] = "/tmp/cxemu-capture-XXXXXX";
	unsigned int marks, cnps, stops, bad;

	close(mkstemp(there));
	close(mkstemp(here));
	open_wire("rate=40g,delay=1us,buffer=400k,xoff=15k,pfc=3,ecn=3,kmax=50k,pmax=10%", true,
		  true);
	capture_open(there, c.dev->port);
	capture_open(here, a.dev->port);
	run_until(clock_ns + 300000, NULL);
	capture_close();
	marks = seen(there, "ip.dsfield.ecn == 3 && ip.dsfield.dscp == 26");
	cnps = seen(there, "infiniband.bth.opcode == 0x81 && ip.dsfield == 0xc0");
	stops = seen(here, "macc.opcode == 0x0101 && macc.cbfc.enbv == 0x08");
	bad = seen(there, "ip.checksum.status == 0");
	printf("# %u marked, %u notifications, %u pauses\n", marks, cnps, stops);
	ok(marks > 10 && marks == c.dev->rdma->rx_ecn_marked && !bad,
	   "tshark sees the marked packets that the receiver counts");
	ok(cnps >= 2 && 2 * cnps < marks + cnps && cnps <= c.dev->rdma->tx_cnp,
	   "tshark sees the notifications, fewer than marks");
	ok(stops && stops == port_pauses(a.dev->port, PRIO).rx,
	   "tshark sees the pauses of the priority");
	unlink(there);
	unlink(here);
	close_wire();
}

/* ---- commands ---- */

static uint32_t rp_param(uint32_t *np_min)
{
	struct prm_query_cong_params_in in = {};
	struct prm_query_cong_params_out out;

	prm_set(&in, cong_protocol, PRM_CONG_NP);
	command(&a, query_cong_params, &in, &out);
	*np_min = prm_get(&out, congestion_parameters.cong_control_r_roce_ecn_np
			  .min_time_between_cnps);
	prm_set(&in, cong_protocol, PRM_CONG_RP);
	command(&a, query_cong_params, &in, &out);
	return prm_get(&out, congestion_parameters.cong_control_r_roce_ecn_rp.rpg_ai_rate);
}

static int set_ai(uint32_t select, uint32_t ai, uint32_t protocol)
{
	struct prm_modify_cong_params_in in = {};
	struct prm_modify_cong_params_out out;

	prm_set(&in, cong_protocol, protocol);
	prm_set(&in, field_select, select);
	SET(&in, rp, rpg_ai_rate, ai);
	SET(&in, rp, dce_tcp_g, 5000);
	return command(&a, modify_cong_params, &in, &out);
}

static int status(unsigned int prio, unsigned int protocol, bool *enabled)
{
	struct prm_query_cong_status_in in = {};
	struct prm_query_cong_status_out out;
	int err;

	prm_set(&in, priority, prio);
	prm_set(&in, cong_protocol, protocol);
	err = command(&a, query_cong_status, &in, &out);
	*enabled = prm_get(&out, enable);
	return err;
}

static void test_commands(void)
{
	uint32_t np_min;
	bool on;

	side_open(&a, "a", 0);
	ok(rp_param(&np_min) == 5 && np_min == 4, "a card has the parameters of its firmware");
	ok(!set_ai(1 << PRM_CONG_RP_AI_RATE, 70, PRM_CONG_RP) && rp_param(&np_min) == 70 &&
	   prm_get(&a.dev->rdma_state->cong.rp, dce_tcp_g) == 1019,
	   "a command sets the parameters that it selects, and no other");
	ok(set_ai(1 << PRM_CONG_RP_AI_RATE | 1 << PRM_CONG_RP_G, 90, PRM_CONG_RP) ==
	   PRM_STATUS_BAD_PARAM && rp_param(&np_min) == 70,
	   "a parameter out of its range is declined, and no other is set");
	wrong_begin();
	ok(set_ai(1, 1, PRM_CONG_RP) == PRM_STATUS_BAD_PARAM, "there is no parameter 0");
	wrong_expect("the log says so",
		     "modify_cong_params* refused, BAD_PARAM, syndrome 0x*: field_select 0x1: the parameters of the protocol are 0x1fffe");
	wrong_begin();
	ok(set_ai(0, 1, PRM_CONG_GENERAL) == PRM_STATUS_BAD_PARAM,
	   "there are no general parameters");
	wrong_expect("the log names the protocol",
		     "modify_cong_params* refused, BAD_PARAM, syndrome 0x*: cong_protocol 3 is not supported");
	ok(!status(PRIO, PRM_CONG_RP, &on) && on, "congestion control is on for all priorities");
	set_status(&a, false);
	ok(!status(PRIO, PRM_CONG_RP, &on) && !on && !status(PRIO, PRM_CONG_NP, &on) && on,
	   "it can be switched off for a priority of the sender");
	wrong_begin();
	ok(status(8, PRM_CONG_RP, &on) == PRM_STATUS_BAD_PARAM, "there is no priority 8");
	wrong_expect("the log names the priority",
		     "query_cong_status* refused, BAD_PARAM, syndrome 0x*: priority 8 of congestion control is above 7");
	side_close(&a);
	card_dcb = false;
	side_open(&a, "a", 0);
	ok(set_ai(0, 1, PRM_CONG_RP) == PRM_STATUS_BAD_OP,
	   "a card that does not advertise it cannot be told how to control congestion");
	side_close(&a);
}

int main(void)
{
	card_dcb = true;
	wrong_open_here(ok);
	test_collapse();
	test_pfc();
	test_dcqcn();
	test_capture();
	test_commands();
	wrong_close();
	return ok_end();
}
