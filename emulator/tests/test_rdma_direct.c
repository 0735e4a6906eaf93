// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Packets that take the direct way do what they do in frames. Arguments: the number of random
 * programs, and that of the first.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "rdma.h"
#include "rdma_direct.h"
#include "rdma_ends.h"

#define PROGRAM_BYTES 700
#define BYTES 150000u
#define TO (1u << 20)
#define PAGE 4096u
#define MTU 1024u

static struct end x, y;

/* ---- random programs ----------------------------------------------------------------------- */

static void make_program(uint8_t *program, uint64_t seed)
{
	uint64_t state = (seed + 1) * 0x9e3779b97f4a7c15ull;
	unsigned int i;

	for (i = 0; i < PROGRAM_BYTES; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		program[i] = state >> 40;
	}
}

static void random_programs(unsigned int rounds, unsigned int first)
{
	struct direct_sent sent, all = {};
	uint8_t program[PROGRAM_BYTES];
	unsigned int i, differ = 0;

	for (i = first; i < first + rounds; i++) {
		make_program(program, i);
		if (!direct_same(program, sizeof(program), &sent)) {
			printf("# program %u\n", i);
			differ++;
		}
		all.packets += sent.packets;
		all.direct += sent.direct;
	}
	printf("# %u programs, %llu packets, %llu of them without a frame\n", rounds,
	       (unsigned long long)all.packets, (unsigned long long)all.direct);
	ok(!differ, "random programs have the same outcome in frames and on the direct way");
	ok(all.direct > all.packets / 10, "a tenth of their packets or more takes the direct way");
}

/* ---- one thing at a time ------------------------------------------------------------------- */

static void open_pair(enum prm_qp_st st)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4, .mtu = 3, .timeout = 8 };

	card_devx = st == PRM_QP_ST_DCI;
	sides_open();
	card_devx = false;
	wire_in_frames(false);
	create_cq(&x.cq, &a, 6);
	create_cq(&y.cq, &b, 6);
	open_ends(&x, &y, st, &o);
}

static struct wr request(uint8_t opcode, uint32_t len)
{
	struct wr wr = { .opcode = opcode, .n = 1, .sge = { { a.va, len, a.lkey } } };

	if (opcode == PRM_WQE_SEND_INVAL)
		wr.imm = b.rkey;
	aim(&wr, &x, &y);
	if (opcode != PRM_WQE_SEND && opcode != PRM_WQE_SEND_IMM && opcode != PRM_WQE_SEND_INVAL) {
		wr.raddr = (b.va + TO + 7) & ~7ull;
		wr.rkey = b.rkey;
	}
	return wr;
}

static void post_room(void)
{
	struct tsge room = { b.va + TO, BYTES, b.lkey };

	end_recv(&y, 1, &room);
}

static bool succeeds(void)
{
	struct prm_cqe64 *cqe;

	settle();
	cqe = poll(&x.cq);
	return cqe && cqe_opcode(cqe) == PRM_CQE_REQ;
}

/* Whose addresses the switch knows. */
static void open_known_pair(enum prm_qp_st st)
{
	open_pair(st);
	send_plain(&a, &b);
	send_plain(&b, &a);
	settle();
}

static void each_opcode(enum prm_qp_st st, const char *name, const uint8_t *ops, unsigned int n)
{
	struct direct_sent before, now;
	struct wr wr;
	bool good = true;
	unsigned int i;

	open_known_pair(st);
	for (i = 0; i < n; i++) {
		bool atomic = ops[i] == PRM_WQE_ATOMIC_CS || ops[i] == PRM_WQE_ATOMIC_FA;

		before = packets_sent();
		post_room();
		wr = request(ops[i], atomic ? 8 : st == PRM_QP_ST_UD ? MTU : BYTES);
		post_send(&x.qp, &wr);
		good = succeeds() && good;
		now = packets_sent();
		now.packets -= before.packets;
		now.direct -= before.direct;
		if (!now.packets || now.packets != now.direct)
			printf("# opcode 0x%02x: %llu packets, %llu without a frame\n", ops[i],
			       (unsigned long long)now.packets, (unsigned long long)now.direct);
		good = now.packets && now.packets == now.direct && good;
	}
	ok(good, "%s: no packet of a good request needs a frame", name);
	sides_close();
}

/*
 * Responses in frames wait at a's port: the acknowledgment of a later WRITE must not be there
 * before them. They wait since the port is held, or since nobody has looked at them yet.
 */
static void waiting_frames(bool held, const char *name)
{
	const struct q_counter *q;
	struct wr wr;

	open_pair(PRM_QP_ST_RC);
	wr = request(PRM_WQE_RDMA_READ, BYTES);
	wire_in_frames(true);
	port_hold(a.dev->port, true);
	post_send(&x.qp, &wr);
	settle();
	wire_in_frames(false);
	if (!held)
		port_hold(a.dev->port, false);
	wr = request(PRM_WQE_RDMA_WRITE, 64);
	post_send(&x.qp, &wr);
	if (held) {
		settle();
		port_hold(a.dev->port, false);
	}
	q = &a.dev->rdma_state->no_counter;
	ok(succeeds() && succeeds() && !q->implied_nak_seq_err && !q->packet_seq_err, "%s", name);
	sides_close();
}

/* A port that is held gets nothing, also if nothing waits there. */
static void held_port(void)
{
	struct wr wr;
	bool early;

	open_known_pair(PRM_QP_ST_RC);
	port_hold(b.dev->port, true);
	wr = request(PRM_WQE_RDMA_WRITE, 8);
	post_send(&x.qp, &wr);
	early = succeeds();
	port_hold(b.dev->port, false);
	ok(succeeds() && !early, "a port that is held gets no packet");
	sides_close();
}

/* Tables that could drop it are asked about each packet. */
static void with_tables(struct flow_table **root, const char *name)
{
	static int any;
	uint64_t direct;
	struct wr wr;

	wr = request(PRM_WQE_RDMA_WRITE, 64);
	*root = (struct flow_table *)&any;	/* nobody walks it: eth->rdma_steer is not set */
	direct = a.dev->rdma->direct;
	post_send(&x.qp, &wr);
	ok(succeeds() && a.dev->rdma->direct == direct, "%s", name);
	*root = NULL;
}

static void tables(void)
{
	open_known_pair(PRM_QP_ST_RC);
	with_tables(&b.dev->eth->rdma_rx_root,
		    "with a flow table of the receiver packets go in frames");
	with_tables(&a.dev->eth->rdma_tx_root,
		    "with a flow table of the sender packets go in frames");
	sides_close();
}

/* In frames a packet is dropped that is too long for a port; this one is not. */
static void narrow_port(struct side *side, const char *name)
{
	struct qp *qp;
	uint32_t most;
	uint64_t direct;
	struct wr wr;

	open_known_pair(PRM_QP_ST_RC);
	qp = obj_find(a.dev, OBJ_QP, x.qp.qpn);
	most = roce_frame_bytes(&a.dev->roce_addrs[qp->av.sgid_index],
				RETH_BYTES + IMM_BYTES + qp->mtu) + 4;
	wr = request(PRM_WQE_RDMA_WRITE, 64);
	side->dev->eth->port_mtu = most - 1;
	direct = a.dev->rdma->direct;
	post_send(&x.qp, &wr);
	ok(succeeds() && a.dev->rdma->direct == direct, "%s", name);
	side->dev->eth->port_mtu = most;
	post_send(&x.qp, &wr);
	ok(succeeds() && a.dev->rdma->direct == direct + 1, "%s, and with more room directly",
	   name);
	sides_close();
}

/* A packet is read before it is written, also onto itself. */
static void overlapping(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4, .mtu = 5, .timeout = 8 };
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE, .n = 1 };
	uint64_t direct;
	bool right = true;
	unsigned int i;

	sides_open();
	wire_in_frames(false);
	create_cq(&x.cq, &a, 6);
	create_cq(&y.cq, &a, 6);
	open_ends(&x, &y, PRM_QP_ST_RC, &o);
	for (i = 0; i < 3 * PAGE; i++)
		*buf_at(&a, i) = i ^ i >> 8;
	wr.sge[0] = (struct tsge){ a.va, PAGE, a.lkey };
	wr.raddr = a.va + PAGE / 2;
	wr.rkey = a.rkey;
	post_send(&x.qp, &wr);	/* this one always goes in a frame */
	right = succeeds();
	for (i = 0; i < 3 * PAGE; i++)
		*buf_at(&a, i) = i ^ i >> 8;
	direct = a.dev->rdma->direct;
	post_send(&x.qp, &wr);
	right = succeeds() && right;
	for (i = 0; i < PAGE; i++)
		right = *buf_at(&a, PAGE / 2 + i) == (uint8_t)(i ^ i >> 8) && right;
	/* the acknowledgment is direct */
	ok(right && a.dev->rdma->direct - direct <= 1,
	   "a packet onto its own data is copied as in a frame");
	sides_close();
}

/* Packets that say that they have met congestion: the receiver looks at their headers. */
static void marked(enum prm_qp_st st, uint8_t opcode, const char *name)
{
	struct wr wr;
	uint64_t direct;

	open_known_pair(st);
	post_room();
	wr = request(opcode, 64);
	wr.ecn = 3;
	if (st == PRM_QP_ST_RC)
		((struct qp *)obj_find(a.dev, OBJ_QP, x.qp.qpn))->av.tclass |= 3;
	direct = a.dev->rdma->direct;
	post_send(&x.qp, &wr);
	/* of a datagram nobody counts it */
	ok(succeeds() && b.dev->rdma->rx_ecn_marked == (st == PRM_QP_ST_RC) &&
	   a.dev->rdma->direct == direct, "%s", name);
	sides_close();
}

static struct side *loser;
static uint8_t *lost_page;

static void on_bus_error(int sig, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	if (mmap(lost_page, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		 -1, 0) == MAP_FAILED)
		signal(sig, SIG_DFL);
	loser->lost = MEM_BASE + (lost_page - loser->mem);
	guest_memory_lost++;
}

/* As host/dma.c meets it: a page behind the end of its file. */
static void take_away(struct side *side, uint64_t off)
{
	struct sigaction action = { .sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO };
	int fd = memfd_create("lost", 0);

	sigaction(SIGBUS, &action, NULL);
	loser = side;
	lost_page = (uint8_t *)((uintptr_t)buf_at(side, off) & ~(uintptr_t)(PAGE - 1));
	if (mmap(lost_page, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
	    MAP_FAILED)
		ok(false, "the page can be taken away");
	close(fd);
}

/* At @off of @whose buffer; the error is seen at the end whose memory it is, as with frames. */
static void lost_memory(uint8_t opcode, struct side *whose, uint64_t off, unsigned int syndrome,
			bool y_dies, const char *name)
{
	struct prm_cqe64 *cqe;
	struct wr wr;
	int lost = guest_memory_lost;

	open_known_pair(PRM_QP_ST_RC);
	post_room();
	take_away(whose, off);
	wr = request(opcode, BYTES);
	post_send(&x.qp, &wr);
	settle();
	cqe = poll(&x.cq);
	ok(guest_memory_lost > lost && cqe && cqe_opcode(cqe) == PRM_CQE_REQ_ERR &&
	   cqe_syndrome(cqe) == syndrome &&
	   (qp_state(&y.qp) == PRM_QP_ERR) == y_dies, "%s", name);
	signal(SIGBUS, SIG_DFL);
	sides_close();
}

/* When the direct way closes in the middle of a message, the rest of it goes in frames. */
static void closes_midway(uint8_t opcode, const char *name)
{
	uint64_t direct;
	struct wr wr;
	bool whole;

	open_known_pair(PRM_QP_ST_RC);
	buf_fill(&a, 0, BYTES, 1);
	buf_fill(&b, TO, BYTES, 2);
	wr = request(opcode, BYTES);
	wr.raddr = b.va + TO;
	post_room();
	direct = packets_sent().direct;
	post_send(&x.qp, &wr);
	loop_run_pending();
	loop_run_pending();
	direct = packets_sent().direct - direct;
	wire_in_frames(true);
	whole = succeeds() && (opcode == PRM_WQE_RDMA_READ ? buf_is(&a, 0, BYTES, 2) :
							     buf_is(&b, TO, BYTES, 1));
	/* some acknowledgments among the frames, and a request for a READ among the others */
	ok(whole && direct > 1 && wire_passed > 4 &&
	   direct + wire_passed >= BYTES / 1024, "%s", name);
	sides_close();
}

/* ---- datagrams, XRC and DC ------------------------------------------------------------------ */

/* One message, what it comes to, and with how many packets. */
struct fate {
	unsigned int sent, received;	/* opcode of the completion << 8 | syndrome; 0: none */
	uint64_t packets, direct, bad_qkeys, dropped, no_room;
	uint32_t byte_cnt, flags_rqpn;
	bool way;			/* the switch knows one without frames */
	uint8_t head[GRH_BYTES + MTU];	/* of the room */
};

static unsigned int outcome_of(const struct prm_cqe64 *cqe)
{
	unsigned int opcode = cqe ? cqe_opcode(cqe) : 0;

	if (!cqe)
		return 0;
	return 0x1000 | opcode << 8 |
	       (opcode == PRM_CQE_REQ_ERR || opcode == PRM_CQE_RESP_ERR ? cqe_syndrome(cqe) : 0);
}

/* As it is found after it has settled. */
static struct fate fate(void)
{
	const struct q_counter *q = &b.dev->rdma_state->no_counter;
	const struct prm_cqe64 *cqe;
	struct fate f = {};

	settle();
	pass_time(50);
	f.sent = outcome_of(poll(&x.cq));
	cqe = poll(&y.cq);
	f.received = outcome_of(cqe);
	if (cqe) {
		f.byte_cnt = be32_to_cpu(cqe->byte_cnt);
		f.flags_rqpn = be32_to_cpu(cqe->flags_rqpn);
	}
	f.packets = packets_sent().packets;
	f.direct = packets_sent().direct;
	f.bad_qkeys = b.dev->rdma->rx_bad_qkeys;
	f.dropped = b.dev->rdma->rx_dropped;
	f.no_room = q->out_of_buffer;
	memcpy(f.head, buf_at(&b, TO), sizeof(f.head));
	return f;
}

struct case_of {
	const char *name;
	enum prm_qp_st st;
	uint8_t opcode;
	unsigned int addr;
	uint32_t len, room;	/* room 0: no receive */
	bool bad_room, bad_key, bad_target;
	unsigned int sent, received;
};

static struct fate try_case(const struct case_of *c, bool frames)
{
	struct qp_opts o = { .addr = c->addr, .mtu = 3, .timeout = 8, .retry_set = true, .retry = 1,
			     .rnr_set = true };
	struct tsge room = { .len = c->room };
	struct fate f;
	struct wr wr;

	card_devx = c->st == PRM_QP_ST_DCI;
	sides_open();
	card_devx = false;
	wire_in_frames(frames);
	create_cq(&x.cq, &a, 6);
	create_cq(&y.cq, &b, 6);
	open_ends(&x, &y, c->st, &o);
	send_plain(&a, &b);
	send_plain(&b, &a);
	settle();
	buf_fill(&a, 0, BYTES, 7);
	wr = request(c->opcode, c->len);
	if (c->bad_key) {
		wr.qkey++;
		wr.dc_key++;
	}
	if (c->bad_target) {
		wr.dqpn = 0x77777;
		wr.xrc_srqn = wr.xrc_srqn ? 0x77777 : 0;
	}
	room.va = b.va + TO;
	room.key = c->bad_room ? 0x77700 : b.lkey;
	if (c->room)
		end_recv(&y, 1, &room);
	post_send(&x.qp, &wr);
	f = fate();
	f.way = port_direct(a.dev->port, a.dev->roce_addrs[c->addr].mac,
			    b.dev->roce_addrs[c->addr].mac);
	sides_close();
	return f;
}

#define SENT	(0x1000 | PRM_CQE_REQ << 8)
#define FAILED(syndrome)	(0x1000 | PRM_CQE_REQ_ERR << 8 | PRM_CQE_SYND_##syndrome)
#define GOT	(0x1000 | PRM_CQE_RESP_SEND << 8)
#define GOT_IMM	(0x1000 | PRM_CQE_RESP_SEND_IMM << 8)
#define SPOILT(syndrome)	(0x1000 | PRM_CQE_RESP_ERR << 8 | PRM_CQE_SYND_##syndrome)

/* Messages that end well and others, in frames and directly: nobody can tell. */
static void both_ways(void)
{
	static const struct case_of cases[] = {
		{ "UD, RoCE v1: the GRH", PRM_QP_ST_UD, PRM_WQE_SEND, ADDR_V1, MTU, 2000,
		  .sent = SENT, .received = GOT },
		{ "UD, IPv6: the GRH", PRM_QP_ST_UD, PRM_WQE_SEND_IMM, ADDR_V2_IPV6, 7, 2000,
		  .sent = SENT, .received = GOT_IMM },
		{ "UD, IPv4: the GRH", PRM_QP_ST_UD, PRM_WQE_SEND, ADDR_V2_IPV4, 1, 2000,
		  .sent = SENT, .received = GOT },
		{ "UD, a VLAN: the GRH", PRM_QP_ST_UD, PRM_WQE_SEND, ADDR_V2_VLAN, 5, 2000,
		  .sent = SENT, .received = GOT },
		{ "UD: another Q_Key", PRM_QP_ST_UD, PRM_WQE_SEND, ADDR_V1, 64, 2000,
		  .bad_key = true, .sent = SENT },
		{ "UD: no receive WQE", PRM_QP_ST_UD, PRM_WQE_SEND, ADDR_V1, 64, .sent = SENT },
		{ "UD: the receive WQE is too short", PRM_QP_ST_UD, PRM_WQE_SEND, ADDR_V1, 64, 103,
		  .sent = SENT, .received = SPOILT(LOCAL_LENGTH) },
		{ "UD: the receive WQE has a wrong key", PRM_QP_ST_UD, PRM_WQE_SEND, ADDR_V1, 64,
		  2000, .bad_room = true, .sent = SENT, .received = SPOILT(LOCAL_PROT) },
		{ "UD: nobody is there", PRM_QP_ST_UD, PRM_WQE_SEND, ADDR_V1, 64, 2000,
		  .bad_target = true, .sent = SENT },
		{ "XRC: an SRQ of no domain", PRM_QP_ST_XRC, PRM_WQE_SEND, ADDR_V1, 64, 2000,
		  .bad_target = true, .sent = FAILED(REMOTE_INVAL_REQ) },
		{ "XRC: no receive WQE", PRM_QP_ST_XRC, PRM_WQE_SEND, ADDR_V1, 64,
		  .sent = FAILED(RNR_RETRY_EXC) },
		{ "DC: another key", PRM_QP_ST_DCI, PRM_WQE_RDMA_WRITE, ADDR_V1, 64, 2000,
		  .bad_key = true, .sent = FAILED(REMOTE_ACCESS) },
		{ "DC: no receive WQE", PRM_QP_ST_DCI, PRM_WQE_SEND, ADDR_V1, 64,
		  .sent = FAILED(RNR_RETRY_EXC) },
		{ "DC: nobody is there", PRM_QP_ST_DCI, PRM_WQE_RDMA_WRITE, ADDR_V1, 64, 2000,
		  .bad_target = true, .sent = FAILED(TRANSPORT_RETRY_EXC) },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fate one = try_case(&cases[i], true), two = try_case(&cases[i], false);
		bool direct = two.direct || (cases[i].bad_target && two.way && !one.way);

		two.direct = 0;
		two.way = one.way;
		ok(one.sent == cases[i].sent && one.received == cases[i].received &&
		   !memcmp(&one, &two, sizeof(one)) && direct, "in frames and directly, %s",
		   cases[i].name);
	}
}

/* Each message opens a session: none of them needs a frame. */
static void one_target_after_another(void)
{
	const struct dct_opts other = { .addr = ADDR_V2_IPV4, .mtu = 3 };
	struct direct_sent sent;
	struct tdct second;
	bool good = true;
	struct wr wr;
	int i;

	open_known_pair(PRM_QP_ST_DCI);
	good = !create_dct(&second, &b, &y.cq, &other);
	sent = packets_sent();
	for (i = 0; i < 20; i++) {
		wr = request(PRM_WQE_RDMA_WRITE, BYTES);
		if (i % 2)
			wr.dqpn = second.num;
		post_send(&x.qp, &wr);
		good = succeeds() && good;
	}
	ok(good && packets_sent().packets - sent.packets == packets_sent().direct - sent.direct &&
	   b.dev->rdma_state->no_counter.rx_dct_connect == 20,
	   "a DCI that goes from target to target needs no frame");
	sides_close();
}

/*
 * Its last packet is refused, and the next message opens another session before the target has
 * looked at what the failed one leaves.
 */
static unsigned int refused_and_gone_on(bool frames)
{
	const struct qp_opts o = { .addr = ADDR_V1, .mtu = 3, .timeout = 8, .log_streams = 2,
				   .log_errored = 1 };
	unsigned int received;
	struct wr wr;

	card_devx = true;
	sides_open();
	card_devx = false;
	wire_in_frames(frames);
	create_cq(&x.cq, &a, 6);
	create_cq(&y.cq, &b, 6);
	open_ends(&x, &y, PRM_QP_ST_DCI, &o);
	send_plain(&a, &b);
	send_plain(&b, &a);
	settle();
	post_room();
	wr = request(PRM_WQE_SEND_INVAL, 64);
	wr.imm = 0x77700;
	post_send(&x.qp, &wr);
	wr = request(PRM_WQE_RDMA_WRITE, 64);
	wr.stream = 1;
	post_send(&x.qp, &wr);
	settle();
	received = outcome_of(poll(&y.cq));
	if (outcome_of(poll(&x.cq)) != FAILED(REMOTE_ACCESS) || outcome_of(poll(&x.cq)) != SENT)
		received = 0;
	sides_close();
	return received;
}

/* Its own receive may fail: that must not happen while it sends. */
static void to_oneself(void)
{
	struct tsge room = { .len = GRH_BYTES };
	uint64_t direct;
	struct wr wr;

	open_known_pair(PRM_QP_ST_UD);
	room.va = a.va + TO;
	room.key = a.lkey;
	end_recv(&x, 1, &room);
	wr = request(PRM_WQE_SEND, 64);
	aim(&wr, &x, &x);
	direct = a.dev->rdma->direct;
	post_send(&x.qp, &wr);
	ok(succeeds() && a.dev->rdma->direct == direct && qp_state(&x.qp) == PRM_QP_ERR,
	   "a datagram to its own queue pair goes in a frame");
	sides_close();
}

static void to_own_port(void)
{
	const struct qp_opts o = { .addr = ADDR_V1, .mtu = 3 };
	struct tsge room = { .len = 2000 };
	struct end z = {}, w = {};
	const struct prm_cqe64 *cqe;
	uint64_t direct;
	struct wr wr;

	open_known_pair(PRM_QP_ST_UD);
	create_cq(&z.cq, &a, 6);
	create_cq(&w.cq, &a, 6);
	open_ends(&z, &w, PRM_QP_ST_UD, &o);
	buf_fill(&a, 0, 64, 5);
	room.va = a.va + TO;
	room.key = a.lkey;
	end_recv(&w, 1, &room);
	wr = request(PRM_WQE_SEND, 64);
	aim(&wr, &z, &w);
	direct = a.dev->rdma->direct;
	post_send(&z.qp, &wr);
	settle();
	cqe = poll(&w.cq);
	ok(cqe && cqe_opcode(cqe) == PRM_CQE_RESP_SEND && a.dev->rdma->direct == direct + 1 &&
	   buf_is(&a, TO + GRH_BYTES, 64, 5),
	   "a datagram to another queue pair of the port is direct");
	sides_close();
}

/* They go to many, and to members of the sender's own function. */
static void to_group(void)
{
	static const uint8_t gid[16] = { 0xff, 0x0e, [15] = 9 };
	uint64_t direct;
	struct wr wr;

	open_known_pair(PRM_QP_ST_UD);
	wr = request(PRM_WQE_SEND, 64);
	wr.mgid = gid;
	wr.addr = ADDR_V1;
	wr.dqpn = MCAST_QPN;
	direct = a.dev->rdma->direct;
	post_send(&x.qp, &wr);
	ok(succeeds() && a.dev->rdma->direct == direct && a.dev->rdma->tx_mcast_packets == 1,
	   "a datagram to a group goes in a frame");
	sides_close();
}

int main(int argc, char **argv)
{
	static const uint8_t rc[] = { PRM_WQE_SEND, PRM_WQE_SEND_IMM, PRM_WQE_RDMA_WRITE,
				      PRM_WQE_RDMA_WRITE_IMM, PRM_WQE_RDMA_READ,
				      PRM_WQE_ATOMIC_CS, PRM_WQE_ATOMIC_FA, PRM_WQE_SEND_INVAL };

	random_programs(argc > 2 ? atoi(argv[1]) : 150, argc > 2 ? atoi(argv[2]) : 0);
	each_opcode(PRM_QP_ST_RC, "RC", rc, ARRAY_SIZE(rc));
	each_opcode(PRM_QP_ST_UC, "UC", rc, 4);
	each_opcode(PRM_QP_ST_XRC, "XRC", rc, ARRAY_SIZE(rc));
	each_opcode(PRM_QP_ST_DCI, "DC", rc, ARRAY_SIZE(rc));
	each_opcode(PRM_QP_ST_UD, "UD", rc, 2);
	both_ways();
	one_target_after_another();
	ok(refused_and_gone_on(true) == SPOILT(WR_FLUSH) &&
	   refused_and_gone_on(false) == SPOILT(WR_FLUSH),
	   "in frames and directly, the receive of a DC message that is refused is flushed");
	to_oneself();
	to_own_port();
	to_group();
	waiting_frames(true, "a packet does not overtake frames that wait for a port");
	waiting_frames(false, "a packet does not overtake frames that wait");
	held_port();
	tables();
	narrow_port(&a, "what could be too long for the sender's port goes in frames");
	narrow_port(&b, "what could be too long for the receiver's port goes in frames");
	overlapping();
	marked(PRM_QP_ST_RC, PRM_WQE_RDMA_WRITE, "packets that are marked go in frames");
	marked(PRM_QP_ST_UD, PRM_WQE_SEND, "datagrams that are marked go in frames");
	closes_midway(PRM_WQE_SEND, "a capture that begins within a SEND gets the rest of it");
	closes_midway(PRM_WQE_RDMA_WRITE,
		      "a capture that begins within a WRITE gets the rest of it");
	closes_midway(PRM_WQE_RDMA_READ, "a capture that begins within a READ gets the rest of it");
	lost_memory(PRM_WQE_RDMA_WRITE, &a, 2 * PAGE, PRM_CQE_SYND_LOCAL_PROT, false,
		    "memory is taken away whence a WRITE comes: a local error");
	lost_memory(PRM_WQE_RDMA_WRITE, &b, TO + 2 * PAGE, PRM_CQE_SYND_REMOTE_ACCESS, true,
		    "memory is taken away where a WRITE goes: a remote error");
	lost_memory(PRM_WQE_SEND, &a, 2 * PAGE, PRM_CQE_SYND_LOCAL_PROT, false,
		    "memory is taken away whence a SEND comes: a local error");
	lost_memory(PRM_WQE_SEND, &b, TO + 2 * PAGE, PRM_CQE_SYND_REMOTE_OP, true,
		    "memory is taken away where a SEND goes: a remote error");
	lost_memory(PRM_WQE_RDMA_READ, &a, 2 * PAGE, PRM_CQE_SYND_LOCAL_PROT, false,
		    "memory is taken away where a READ goes: a local error");
	lost_memory(PRM_WQE_RDMA_READ, &b, TO + 2 * PAGE, PRM_CQE_SYND_REMOTE_ACCESS, true,
		    "memory is taken away whence a READ comes: a remote error");
	return ok_end();
}
