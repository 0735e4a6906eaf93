// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * A program is a stream of small choices, see fuzz/fuzz.h: some pairs of queue pairs, then steps
 * that post to them, let time pass, and disturb them. What it leads to is written down as text.
 */
#include <stdlib.h>

#include "../fuzz/fuzz.h"
#include "rdma.h"
#include "rdma_direct.h"
#include "rdma_ends.h"

#define PAIRS_MAX 3
#define STEPS_MAX 120
#define FROM_BYTES (512u << 10)	/* of each buffer, whence data are taken */
#define SMALL_OFF (BUF_BYTES - 24576)
#define TO_END (BUF_BYTES - 32768)	/* where they go: before that, each to a place of its own */
#define LEN_MAX (200u << 10)
#define SMALL_BYTES 9000u
#define LOG_CQ 7
#define LOG_CQ_SMALL 3	/* which overruns */
#define INLINE_MAX 40
#define MANY 24
#define STREAMS_LOG 2
#define NO_QPN 0x77777u
#define ACK_EVERY 256	/* as qp_rts() has it */
#define MANY_BYTES (2 * LEN_MAX)
#define MANY_OFF FROM_BYTES
#define TO_OFF (MANY_OFF + 2 * PAIRS_MAX * MANY_BYTES)

enum action {
	POST_SEND, POST_SEND_2, POST_SEND_3, POST_RECV, POST_RECV_2, SETTLE, SETTLE_2, TIME,
	TO_ERROR, DESTROY_KEY, LINK, ADDRESS, SETTLE_ONLY, ACTIONS
};

enum key { KEY_ALL, KEY_READ, KEY_SMALL, KEY_NONE, KEYS };

static struct {
	unsigned int n;
	struct end x[PAIRS_MAX], y[PAIRS_MAX];
	bool long_message;			/* has been posted, or several that are together */
	uint32_t posted[PAIRS_MAX];		/* packets since all had settled */
	uint32_t unpolled[PAIRS_MAX];		/* sends since completions were polled */
	const struct end *active[PAIRS_MAX];	/* posts sends until all has settled */
	enum prm_qp_st st[PAIRS_MAX];
	uint32_t mtu[PAIRS_MAX];
	uint32_t keys[2][KEYS];
	bool key_gone[2][KEYS];
	uint32_t next[2];	/* place */
	bool special;		/* a key was chosen that may fail */
	bool datagrams_alone;	/* nothing else sends */
	bool alone[PAIRS_MAX];	/* it was one of the last message */
	FILE *out, *counts;
	long alike;		/* bytes of the counts that do not depend on the way */
} world;

/* ---- set-up -------------------------------------------------------------------------------- */

static void fill(struct side *side, uint32_t salt)
{
	uint32_t *p = mem_at(side, side->buf), i;

	for (i = 0; i < (BUF_BYTES + 4096) / sizeof(*p); i++)
		p[i] = (i + salt) * 2654435761u;
}

static void open_side(struct side *side, unsigned int n)
{
	fill(side, n);
	world.keys[n][KEY_ALL] = side->lkey;
	world.keys[n][KEY_READ] = create_mkey(side, side->pd, MEM_LOCAL_READ | MEM_REMOTE_READ,
					      side->va, FROM_BYTES, 0);
	world.keys[n][KEY_SMALL] = create_mkey(side, side->pd,
					       MEM_LOCAL_READ | MEM_LOCAL_WRITE | MEM_REMOTE_READ |
						       MEM_REMOTE_WRITE,
					       side->va + SMALL_OFF, SMALL_BYTES, SMALL_OFF);
	world.keys[n][KEY_NONE] = 0x77700;
	memset(world.key_gone[n], 0, sizeof(world.key_gone[n]));
	world.next[n] = TO_OFF;
}

/* Receives of more than any message. */
static void post_many(struct end *x, struct end *y, unsigned int pair)
{
	struct end *ends[] = { x, y };
	unsigned int i;

	for (i = 0; i < 2 * MANY; i++) {
		struct end *end = ends[i % 2];
		struct tsge room = { end->qp.side->va + MANY_OFF + (2 * pair + i % 2) * MANY_BYTES,
				     MANY_BYTES, end->qp.side->lkey };

		if (end_receives(end))
			end_recv(end, 1, &room);
	}
}

/* DCI stands for DC. */
static void choose_transports(struct input *in)
{
	static const uint8_t types[] = { PRM_QP_ST_RC, PRM_QP_ST_RC,  PRM_QP_ST_RC,  PRM_QP_ST_UC,
					 PRM_QP_ST_UD, PRM_QP_ST_XRC, PRM_QP_ST_DCI, PRM_QP_ST_UD };
	uint16_t v = input_u16(in);
	unsigned int i;

	world.n = 1 + input_u8(in) % PAIRS_MAX;
	world.datagrams_alone = true;
	card_devx = false;
	for (i = 0; i < world.n; i++, v >>= 3) {
		world.st[i] = types[v & 7];
		card_devx |= world.st[i] == PRM_QP_ST_DCI;
		world.datagrams_alone &= world.st[i] == PRM_QP_ST_UD;
	}
}

/*
 * Receivers of datagrams see the identification of IPv4, which counts all packets of the sender:
 * how many acknowledgments are among them is open.
 */
static unsigned int choose_addr(unsigned int pair, uint8_t how)
{
	bool any = world.st[pair] != PRM_QP_ST_UD || world.datagrams_alone;

	return any ? how % ADDRS : how % 2 ? ADDR_V2_IPV6 : ADDR_V1;
}

static void open_pairs(struct input *in)
{
	unsigned int i;

	world.long_message = false;
	for (i = 0; i < world.n; i++) {
		uint8_t how = input_u8(in), more = input_u8(in);
		struct qp_opts o = {
			.addr = choose_addr(i, how),
			.mtu = 1 + (how >> 2) % 5,
			.timeout = 8,
			.retry_set = true, .retry = more & 3,
			.rnr_set = true, .rnr_retry = more >> 2 & 7,
			.min_rnr = 1 + (more >> 5),
			.sra = how >> 7,
			.send_psn = how & 64 ? 0xfffff0 : 5, .recv_psn = 100,
			.log_streams = more & 64 ? STREAMS_LOG : 0,
			.log_errored = more & 128 ? 1 : 0,
		};

		if (world.st[i] != PRM_QP_ST_DCI || !o.log_streams) {
			o.log_streams = 0;
			o.log_errored = 0;
		}
		world.mtu[i] = 128u << o.mtu;
		create_cq(&world.x[i].cq, &a, more & 8 ? LOG_CQ : LOG_CQ_SMALL);
		create_cq(&world.y[i].cq, more & 16 ? &a : &b, LOG_CQ);
		open_ends(&world.x[i], &world.y[i], world.st[i], &o);
		world.active[i] = NULL;
		world.posted[i] = 0;
		world.unpolled[i] = 0;
		world.alone[i] = false;
		if (how & 32)
			post_many(&world.x[i], &world.y[i], i);
	}
}

/* ---- steps --------------------------------------------------------------------------------- */

static unsigned int side_of(const struct end *end)
{
	return end->qp.side == &b;
}

static struct end *choose_end(struct input *in, unsigned int *pair)
{
	uint8_t v = input_u8(in);

	*pair = v % world.n;
	return v & 64 ? &world.y[*pair] : &world.x[*pair];
}

static uint32_t choose_len(struct input *in, uint32_t mtu)
{
	uint32_t lens[] = { 0,	     1,		  8,	   64,	     mtu - 1,  mtu,
			    mtu + 1, 2 * mtu,	  3 * mtu + 5, 65536, 65537, 70 * mtu,
			    LEN_MAX, 2 * 65536, SMALL_BYTES, SMALL_BYTES + 1 };
	uint32_t len = lens[input_u8(in) % ARRAY_SIZE(lens)];

	return len < LEN_MAX ? len : LEN_MAX;
}

/* Mostly the one with all rights. */
static enum key choose_key(struct input *in)
{
	uint8_t v = input_u8(in);

	return v < 224 ? KEY_ALL : v % KEYS;
}

/*
 * In what order data of requests under way are read and written is open. So what is written goes to
 * a place that is free until all has settled; a message with a special key is alone, with one such,
 * and has no other reason to fail.
 */
static struct tsge choose_place(struct input *in, struct side *side, uint32_t len, bool to)
{
	unsigned int n = side == &b;
	enum key key = world.special ? KEY_ALL : choose_key(in);
	uint32_t off = input_u16(in), at = off * 4u % (FROM_BYTES - LEN_MAX);

	if (key != KEY_ALL) {
		world.special = true;
		at = key == KEY_SMALL ? SMALL_OFF + off % 16 : off % 16;
	} else if (to) {
		if (world.next[n] + len + 64 > TO_END) {
			settle();
			world.next[n] = TO_OFF;
		}
		at = world.next[n] + off % 64;
		world.next[n] += len + 64;
	}
	return (struct tsge){ side->va + at, len, world.keys[n][key] };
}

static void split(struct input *in, struct end *end, struct wr *wr, uint32_t len, bool to)
{
	unsigned int i, n = 1 + input_u8(in) % 3;

	wr->n = 0;
	for (i = 0; i < n; i++) {
		uint32_t part = i + 1 < n ? len / (n + 1) : len;

		if (part)	/* 0 would be 2 GiB */
			wr->sge[wr->n++] = choose_place(in, end->qp.side, part, to);
		len -= part;
	}
}

static bool room_in_sq(const struct end *end)
{
	const struct qp *qp = end_queue(end);

	return (uint16_t)(end->qp.sq_pi - qp->sq.ci) + qp->req.head - qp->req.tail + 4 <
	       1u << end->qp.log_sq;
}

static bool is_idle(const struct end *end)
{
	const struct qp *qp = end_queue(end);

	return !end_sends(end) || (qp->req.tail == qp->req.head && !wq_posted(&qp->sq));
}

/* Only one end at a time: when a failure of it meets requests of the other is open, too. */
static bool may_post(const struct end *end, const struct end *peer, unsigned int pair)
{
	if (world.active[pair] != end || world.alone[pair])
		settle();
	if (!is_idle(peer) || (world.alone[pair] && !is_idle(end)) || !room_in_sq(end))
		return false;
	world.active[pair] = end;
	return true;
}

static bool is_write(uint8_t opcode)
{
	return opcode == PRM_WQE_RDMA_WRITE || opcode == PRM_WQE_RDMA_WRITE_IMM;
}

static bool is_atomic(uint8_t opcode)
{
	return opcode == PRM_WQE_ATOMIC_CS || opcode == PRM_WQE_ATOMIC_FA;
}

static void choose_remote(struct input *in, struct end *peer, struct wr *wr, uint32_t len)
{
	struct tsge remote = {};

	if (is_write(wr->opcode) || is_atomic(wr->opcode) || wr->opcode == PRM_WQE_RDMA_READ)
		remote = choose_place(in, peer->qp.side, len, wr->opcode != PRM_WQE_RDMA_READ);
	wr->raddr = is_atomic(wr->opcode) ? (remote.va + 7) & ~7ull : remote.va;
	wr->rkey = remote.key;
	if (wr->opcode == PRM_WQE_SEND_INVAL)
		wr->imm = world.keys[side_of(peer)][KEY_READ];
}

/* What can be wrong about the target of a message is alone, as a special key is. */
static void choose_target(struct input *in, const struct end *end, const struct end *peer,
			  struct wr *wr)
{
	uint8_t v = input_u8(in);

	aim(wr, end, peer);
	if (end->st == PRM_QP_ST_DCI && end_queue(end)->dci.streams)
		wr->stream = v & ((1u << STREAMS_LOG) - 1);
	if (v < 224)
		return;
	world.special |= wr->to || wr->xrc_srqn;
	if (v & 1 && end->st == PRM_QP_ST_DCI)
		wr->dc_key++;
	else if (v & 1 && end->st == PRM_QP_ST_UD)
		wr->qkey = v & 2 ? 0x80000000u : ENDS_QKEY + 1;	/* the high bit: its own */
	else if (v & 2 && end->st == PRM_QP_ST_UD)
		wr->dqpn = end->qp.qpn;
	else if (end->st == PRM_QP_ST_XRC)
		wr->xrc_srqn = NO_QPN;
	else
		wr->dqpn = NO_QPN;
}

static uint32_t send_len(struct input *in, const struct end *end, unsigned int pair, uint8_t flags)
{
	uint32_t len = choose_len(in, world.mtu[pair]);

	if (end->st == PRM_QP_ST_UD && len > world.mtu[pair] && (flags & 0x70) != 0x50)
		len %= world.mtu[pair] + 1;
	return len;
}

static uint8_t choose_opcode(struct input *in, const struct end *end)
{
	static const uint8_t ops[] = {
		PRM_WQE_SEND,	   PRM_WQE_SEND_IMM,	   PRM_WQE_RDMA_WRITE,
		PRM_WQE_RDMA_WRITE, PRM_WQE_RDMA_WRITE_IMM, PRM_WQE_RDMA_READ,
		PRM_WQE_RDMA_READ, PRM_WQE_ATOMIC_CS,	   PRM_WQE_ATOMIC_FA,
		PRM_WQE_SEND_INVAL, PRM_WQE_NOP
	};
	uint8_t v = input_u8(in);

	return ops[end->st == PRM_QP_ST_UD && v < 250 ? v % 2 : v % ARRAY_SIZE(ops)];
}

/*
 * Between slices of it acknowledgments can come; that its last packet is refused, too. Messages
 * that fill a slice have one for those before the last one.
 */
static void note_length(const struct end *end, unsigned int pair, const struct wr *wr, uint32_t len)
{
	uint32_t packets = 1 + len / world.mtu[pair], before;

	if (is_idle(end))
		world.posted[pair] = 0;
	before = world.posted[pair];
	world.posted[pair] += packets;
	world.long_message |=
		packets > (wr->opcode == PRM_WQE_SEND_INVAL ? LOOP_SLICE : ACK_EVERY) ||
		(before && world.posted[pair] > LOOP_SLICE);
}

/* What happens to those that are under way when a completion overruns its CQ is open. */
static bool may_overrun(unsigned int pair)
{
	return ++world.unpolled[pair] >= 1u << world.x[pair].cq.log;
}

static void post_one(struct input *in)
{
	static const uint8_t inl[INLINE_MAX] = "inline data";
	unsigned int pair;
	struct end *end = choose_end(in, &pair), *peer;
	uint8_t flags = input_u8(in);
	struct wr wr = {
		.flags = (flags & 1 ? PRM_WQE_SOLICITED : 0) |
			 (flags & 2 ? PRM_WQE_FENCE : 0),
		.quiet = (flags & 12) == 12,
		.imm = 0x1234 + flags,
		.compare = flags, .swap_add = 7,
	};
	uint32_t len;

	if (!end_sends(end))
		end = &world.x[pair];
	peer = end == &world.x[pair] ? &world.y[pair] : &world.x[pair];
	wr.opcode = choose_opcode(in, end);
	len = send_len(in, end, pair, flags);
	if (!may_post(end, peer, pair))
		return;
	world.special = may_overrun(pair);
	choose_target(in, end, peer, &wr);
	if (world.special && len > world.mtu[pair])	/* how much is refused is open */
		len = world.mtu[pair];
	if (is_atomic(wr.opcode)) {
		len = 8;
	} else if (flags & 32 && wr.opcode != PRM_WQE_RDMA_READ) {
		wr.inl = inl;
		len = flags % INLINE_MAX;
		wr.inl_len = len;
	}
	note_length(end, pair, &wr, len);
	choose_remote(in, peer, &wr, len);
	if (is_atomic(wr.opcode))
		wr.sge[wr.n++] = choose_place(in, end->qp.side, 8, true);
	else if (!wr.inl)
		split(in, end, &wr, len, wr.opcode == PRM_WQE_RDMA_READ);
	if (world.special)
		settle();
	if (world.special && (!is_idle(end) || !end_recvs(peer) || peer->doubtful))
		return;
	world.alone[pair] = world.special;
	post_send(&end->qp, &wr);
}

static void receive_one(struct input *in)
{
	unsigned int pair;
	struct end *end = choose_end(in, &pair);
	struct wr wr = {};
	uint32_t len;

	if (!end_receives(end))
		end = &world.y[pair];
	if (end_recvs(end) >= (end->target ? 1u << end->srq.log : 1u << end->qp.log_rq) - 1)
		return;
	settle();
	world.special = false;
	len = choose_len(in, world.mtu[pair]) + (end->st == PRM_QP_ST_UD ? GRH_BYTES : 0);
	split(in, end, &wr, len, true);
	end->doubtful |= world.special;
	if (wr.n)
		end_recv(end, wr.n, wr.sge);
}

static void end_fails(struct end *end)
{
	if (end_queue(end))
		qp_command(&end->qp, PRM_OP_qp_2err);
	else
		dct_command(&end->dct, PRM_OP_drain_dct);
}

static void destroy_key(struct input *in)
{
	uint8_t v = input_u8(in);
	unsigned int side = v & 1, key = v & 2 ? KEY_READ : KEY_SMALL;

	if (!world.key_gone[side][key])
		destroy_mkey(side ? &b : &a, world.keys[side][key]);
	world.key_gone[side][key] = true;
}

static bool is_send(const struct prm_cqe64 *cqe)
{
	return cqe_opcode(cqe) == PRM_CQE_REQ || cqe_opcode(cqe) == PRM_CQE_REQ_ERR;
}

/* How those of the two work queues follow each other is open. */
static void note_completions(struct tcq *cq, const char *name, unsigned int pair)
{
	struct prm_cqe64 cqes[1u << LOG_CQ];
	const struct prm_cqe64 *cqe;
	unsigned int n = 0, i, k, receive;

	while (n < ARRAY_SIZE(cqes) && (cqe = poll(cq))) {
		cqes[n] = *cqe;
		cqes[n].signature = 0;
		/* whether a request had been looked at when its queue failed is open */
		if (cqe_opcode(cqe) == PRM_CQE_REQ_ERR &&
		    cqe_syndrome(cqe) == PRM_CQE_SYND_WR_FLUSH)
			cqes[n].sop_drop_qpn = 0;
		cqes[n++].op_own &= ~PRM_CQE_OWNER;
	}
	for (receive = 0; receive < 2; receive++) {
		for (i = 0; i < n; i++) {
			if (is_send(&cqes[i]) == receive)
				continue;
			fprintf(world.out, "cqe %s%u:", name, pair);
			for (k = 0; k < sizeof(*cqe); k++)
				fprintf(world.out, "%02x", ((uint8_t *)&cqes[i])[k]);
			fprintf(world.out, "\n");
		}
	}
}

/* How those of several queues follow each other is open; errors of CQs are of queue 0 here. */
static void note_events(struct side *side, const char *name)
{
	struct event { uint8_t type; uint32_t queue; } all[1u << EQ_LOG], it;
	const struct prm_eqe *eqe;
	unsigned int n = 0, i;

	while (n < ARRAY_SIZE(all) && (eqe = poll_eq(side))) {
		it.type = eqe->type;
		it.queue = be32_to_cpu(eqe->data.qp_srq.qp_srq_n);
		for (i = n++; i && all[i - 1].queue > it.queue; i--)
			all[i] = all[i - 1];
		all[i] = it;
	}
	for (i = 0; i < n; i++)
		fprintf(world.out, "event %s: type 0x%02x queue 0x%x\n", name, all[i].type,
			all[i].queue);
}

static void note_words(const char *what, const void *from, size_t bytes)
{
	const uint64_t *p = from;
	size_t i;

	for (i = 0; i < bytes / sizeof(*p); i++)
		if (p[i])
			fprintf(world.counts, "%s word %zu: %llu\n", what, i,
				(unsigned long long)p[i]);
}

struct direct_sent packets_sent(void)
{
	return (struct direct_sent){ a.dev->rdma->tx_packets + b.dev->rdma->tx_packets,
				     a.dev->rdma->direct + b.dev->rdma->direct };
}

/*
 * Counters are the same as long as all packets take the direct way. How acknowledgments coalesce is
 * open once some go in frames, or within a message, and what is sent behind a packet that is
 * refused or lost depends on when the sender hears of it.
 */
static void note_counters(struct side *side)
{
	const struct q_counter *q = &side->dev->rdma_state->no_counter;
	struct rdma_counters rdma = *side->dev->rdma;
	const char *name = side->dev->name;
	char what[64];

	rdma.direct = 0;
	snprintf(what, sizeof(what), "%s RDMA counters,", name);
	note_words(what, &rdma, sizeof(rdma));
	snprintf(what, sizeof(what), "%s port counters,", name);
	note_words(what, port_counters(side->dev->port), sizeof(struct port_counters));
	snprintf(what, sizeof(what), "%s Q counters,", name);
	note_words(what, (const uint8_t *)q + sizeof(q->obj), sizeof(*q) - sizeof(q->obj));
	fprintf(world.counts, "%s: IP id %u\n", name, side->dev->rdma_state->ip_id);
}

static void note_now(void)
{
	unsigned int i;

	for (i = 0; i < world.n; i++) {
		note_completions(&world.x[i].cq, "x", i);
		note_completions(&world.y[i].cq, "y", i);
		world.unpolled[i] = 0;
	}
	note_events(&a, "a");
	note_events(&b, "b");
	note_counters(&a);
	note_counters(&b);
	if (!world.long_message && packets_sent().packets == packets_sent().direct)
		world.alike = ftell(world.counts);
}

static void step(struct input *in)
{
	unsigned int pair;

	fprintf(world.out, "step %u\n", in->at[0] % ACTIONS);
	switch ((enum action)(input_u8(in) % ACTIONS)) {
	case POST_SEND:
	case POST_SEND_2:
	case POST_SEND_3:
		post_one(in);
		return;
	case POST_RECV:
	case POST_RECV_2:
		receive_one(in);
		return;
	case SETTLE:
	case SETTLE_2:
		settle();
		note_now();
		return;
	case TIME:
		settle();
		pass_time(1 + input_u8(in) % 8);
		note_now();
		return;
	case TO_ERROR:
		settle();
		if (!(input_u8(in) & 7))
			end_fails(choose_end(in, &pair));
		return;
	case DESTROY_KEY:
		settle();
		destroy_key(in);
		return;
	case LINK:
		settle();
		port_set_wire(b.dev->port, input_u8(in) & 7);
		return;
	case ADDRESS:
		settle();
		b.dev->roce_addrs[ADDR_V2_IPV4].valid = input_u8(in) & 7;
		return;
	default:	/* the completions are not polled */
		settle();
		return;
	}
}

/* ---- outcome ------------------------------------------------------------------------------- */

static void note_memory(struct side *side, const char *name)
{
	const uint64_t *p = mem_at(side, side->buf);
	uint64_t hash;
	unsigned int page, i;

	for (page = 0; page < BUF_BYTES / 4096 + 1; page++) {
		hash = 0;
		for (i = 0; i < 512; i++, p++)
			hash = (hash ^ *p) * 0x9e3779b97f4a7c15ull;
		fprintf(world.out, "memory %s page %u: %llx\n", name, page,
			(unsigned long long)hash);
	}
}

static void note_queue(struct end *end, const char *name, unsigned int pair)
{
	struct prm_query_qp_in in = {};
	struct prm_query_qp_out out;
	struct prm_dctc target;
	unsigned int i;

	fprintf(world.out, "receives of %s%u: %u\n", name, pair,
		end_receives(end) ? end_recvs(end) : 0);
	if (!end_queue(end)) {
		target = query_dct(&end->dct);
		fprintf(world.out, "target %s%u: %u violations, state %u\n", name, pair,
			prm_get(&target, dc_access_key_violation_count), prm_get(&target, state));
		return;
	}
	prm_set(&in, qpn, end->qp.qpn);
	command(end->qp.side, query_qp, &in, &out);
	if (prm_get(&out, qpc.state) == PRM_QP_ERR)
		memset(&out, 0, sizeof(out));	/* the same holds for PSNs */
	fprintf(world.out, "queue %s%u, next PSN %u, %u:", name, pair,
		prm_get(&out, qpc.next_send_psn), prm_get(&out, qpc.next_rcv_psn));
	for (i = 0; i < sizeof(out); i++)
		fprintf(world.out, "%02x", ((uint8_t *)&out)[i]);
	fprintf(world.out, "\n");
}

/* For the caller to free. */
struct outcome {
	char *text, *counts;
	long alike;
	struct direct_sent sent;
};

static void run(const uint8_t *program, size_t size, bool frames, struct outcome *outcome)
{
	struct input in = { program, size };
	size_t len, counts_len;
	unsigned int i;

	obj_reuse_numbers = true;
	world.out = open_memstream(&outcome->text, &len);
	world.counts = open_memstream(&outcome->counts, &counts_len);
	world.alike = 0;
	choose_transports(&in);
	sides_open();
	wire_in_frames(frames);
	send_plain(&a, &b);	/* so that the switch knows both addresses */
	send_plain(&b, &a);
	settle();
	open_side(&a, 0);
	open_side(&b, 1);
	open_pairs(&in);
	for (i = 0; i < STEPS_MAX && in.left; i++)
		step(&in);
	settle();
	pass_time(60);
	note_now();
	for (i = 0; i < world.n; i++) {
		note_queue(&world.x[i], "x", i);
		note_queue(&world.y[i], "y", i);
	}
	note_memory(&a, "a");
	note_memory(&b, "b");
	outcome->sent = packets_sent();
	outcome->alike = world.alike;
	sides_close();
	card_devx = false;
	fclose(world.out);
	fclose(world.counts);
}

/* Are their first @n bytes the same? @n < 0: all. */
static bool same_text(const char *one, const char *two, long n)
{
	const char *line = one, *other = two;
	size_t len, other_len;

	while ((*line || *other) && (n < 0 || line - one < n)) {
		len = strcspn(line, "\n");
		other_len = strcspn(other, "\n");
		if (len != other_len || memcmp(line, other, len)) {
			printf("# in frames: %.*s\n# directly:  %.*s\n", (int)len, line,
			       (int)other_len, other);
			return false;
		}
		line += len + !!line[len];
		other += other_len + !!other[other_len];
	}
	return true;
}

bool direct_same(const uint8_t *program, size_t size, struct direct_sent *sent)
{
	struct outcome frames, direct;
	bool same;

	run(program, size, true, &frames);
	run(program, size, false, &direct);
	*sent = direct.sent;
	same = same_text(frames.text, direct.text, -1) && !frames.sent.direct &&
	       same_text(frames.counts, direct.counts, direct.alike);
	free(frames.text);
	free(frames.counts);
	free(direct.text);
	free(direct.counts);
	return same;
}
