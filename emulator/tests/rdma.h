/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Two functions in one process with arrays as guest memory, and a small verbs library on top, for
 * the tests of the RDMA engine. A "side" is a function with its objects; commands skip the command
 * queue, doorbells the BAR. Setup that fails ends the program.
 */
#ifndef CXEMU_TEST_RDMA_H
#define CXEMU_TEST_RDMA_H

#include <string.h>

#include "card/card.h"
#include "key/key.h"
#include "rdma/rdma.h"

/* ---- results ------------------------------------------------------------------------------- */

bool ok(bool good, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int ok_end(void);

/* ---- sides --------------------------------------------------------------------------------- */

#define MEM_BYTES	(24ull << 20)
#define MEM_BASE	0x100000000ull	/* guest address of the array */
#define VA_SKEW		0x123		/* of a buffer: on purpose not aligned to a page */
#define BUF_BYTES	(4ull << 20)
#define EQ_LOG		9

struct side {
	struct cxdev *dev;
	uint8_t *mem;
	uint64_t next;		/* first free byte */
	uint32_t uar, pd, eqn, eq_ci;
	uint64_t eq;
	uint32_t lkey, rkey;	/* of buf: one mkey with all rights */
	uint64_t lost; /* a page that was taken away under the device; 0: none */
	uint64_t buf; /* BUF_BYTES, virtual address 0x7000... maps here by pages in reverse order */
	uint64_t va;
};

struct tcq {
	struct side *side;
	uint32_t cqn, ci, log;
	uint64_t ring, dbr;
};

struct tqp {
	struct side *side;
	uint32_t qpn, log_sq, log_rq, log_rq_stride;
	enum prm_qp_st st;
	uint64_t rq, sq, dbr;
	uint16_t sq_pi, rq_pi;
	struct tcq *cq;
};

struct tsrq {
	struct side *side;
	uint32_t num, log;
	uint64_t ring, dbr;
	uint16_t posted, head;
};

enum { ADDR_V1, ADDR_V2_IPV6, ADDR_V2_IPV4, ADDR_V2_VLAN, ADDRS };

/* PMTU of an interface's MTU of 9000: all path MTUs fit. */
#define SIDE_MTU	9022

extern struct side a, b;

void sides_open(void);
void sides_close(void);
/* One more function of the process, for a card with two ports. */
void side_open(struct side *side, const char *name, unsigned int index);
void side_close(struct side *side);
/* Guest address of @bytes zeroed bytes, aligned to a page. */
uint64_t mem_alloc(struct side *side, uint64_t bytes);
void *mem_at(struct side *side, uint64_t addr);
/* Byte @off of the registered buffer, which is scattered over memory. */
uint8_t *buf_at(struct side *side, uint64_t off);
void buf_fill(struct side *side, uint64_t off, uint64_t len, uint32_t seed);
bool buf_is(struct side *side, uint64_t off, uint64_t len, uint32_t seed);

/* ---- commands ------------------------------------------------------------------------------ */

/* Runs a command with all checks of the command tables. Returns its status. */
int exec(struct side *side, uint16_t opcode, void *in, uint32_t in_len, void *out,
	 uint32_t out_len);
#define command(side, name, in, out) ({						\
	prm_set(in, opcode, PRM_OP_##name);					\
	exec(side, PRM_OP_##name, in, sizeof(*(in)), out, sizeof(*(out)));	\
})

uint32_t create_mkey(struct side *side, uint32_t pd, unsigned int access, uint64_t va, uint64_t len,
		     uint64_t mem_off);
int destroy_mkey(struct side *side, uint32_t key);
uint32_t alloc_pd(struct side *side);
void create_cq(struct tcq *cq, struct side *side, unsigned int log);

struct qp_opts {
	unsigned int log_sq, log_rq, log_rq_stride, mtu, addr;	/* mtu as in the context, 0: 1024 */
	unsigned int log_msg;		/* 0: what the card has */
	unsigned int retry, rnr_retry, timeout, min_rnr, sra, rra;
	struct tsrq *srq;
	bool no_remote, retry_set, rnr_set;
	uint32_t pd, send_psn, recv_psn, qkey, counter;
	unsigned int affinity;
	uint32_t xrcd;
	bool no_sq, block_lb_mc;
	unsigned int log_streams, log_errored;	/* of a DCI */
	bool no_fre;		/* as a QP of user space */
	bool rlky;		/* may use the reserved lkey */
};

/*
 * As the driver does it: context, pages, doorbell record. Returns the status; *qp is filled if it
 * is 0.
 */
int create_qp(struct tqp *qp, struct side *side, enum prm_qp_st st, struct tcq *cq,
	      const struct qp_opts *o);
int qp_init(struct tqp *qp, const struct qp_opts *o);
int qp_rtr(struct tqp *qp, const struct tqp *peer, const struct qp_opts *o); /* DCI: no peer */
int qp_rts(struct tqp *qp, const struct qp_opts *o);
int qp_command(struct tqp *qp, uint16_t opcode);		/* destroy_qp, qp_2err, qp_2rst */
unsigned int qp_state(struct tqp *qp);
/* Both ends made, on the sides of their CQs, and moved to RTS; @o of both. */
void create_pair(struct tqp *x, struct tqp *y, enum prm_qp_st st, struct tcq *cx, struct tcq *cy,
		 const struct qp_opts *o);
void destroy_pair(struct tqp *x, struct tqp *y);
void create_rmp(struct tsrq *srq, struct side *side, unsigned int log);
uint32_t alloc_xrcd(struct side *side);
void create_xrc_srq(struct tsrq *srq, struct side *side, unsigned int log, uint32_t xrcd,
		    struct tcq *cq, uint32_t pd, uint32_t user_index);

/* ---- work ---------------------------------------------------------------------------------- */

struct tsge {
	uint64_t va;
	uint32_t len, key;
};

struct wr {
	uint8_t opcode;
	uint8_t flags;		/* fm_ce_se; 0: signaled */
	bool quiet;		/* not signaled */
	uint32_t imm;
	uint64_t raddr;
	uint32_t rkey;
	uint64_t swap_add, compare;
	uint32_t xrc_srqn;
	unsigned int n;
	struct tsge sge[4];
	const void *inl;
	uint32_t inl_len;
	/* datagrams */
	uint32_t dqpn, qkey;
	uint16_t sport;		/* UDP source port; 0: one that is always the same */
	unsigned int addr;
	struct side *to;
	const uint8_t *mgid;
	uint8_t ecn;		/* bits to set */
	/* of a DCI, with the datagram's target */
	uint64_t dc_key;
	uint16_t stream;
};

void post_send(struct tqp *qp, const struct wr *wr);	/* and rings */
/* A WQE of @len bytes in @raw, whose control segment is filled here; no doorbell. */
void post_wqe(struct tqp *qp, const struct wr *wr, uint8_t *raw, uint32_t len);
void post_send_quietly(struct tqp *qp, const struct wr *wr);	/* no doorbell */
void ring(struct tqp *qp);
void post_recv(struct tqp *qp, unsigned int n, const struct tsge *sge);
void post_srq(struct tsrq *srq, unsigned int n, const struct tsge *sge);
/* The next completion, NULL: none. Points into the ring. */
struct prm_cqe64 *poll(struct tcq *cq);
static inline unsigned int cqe_opcode(const struct prm_cqe64 *cqe)
{
	return cqe->op_own >> PRM_CQE_OPCODE_SHIFT;
}

static inline unsigned int cqe_syndrome(const struct prm_cqe64 *cqe)
{
	return ((const struct prm_err_cqe *)cqe)->syndrome;
}

struct prm_eqe *poll_eq(struct side *side);
bool saw_event(struct side *side, unsigned int type, uint32_t num);	/* consumes the EQ */

void send_plain(struct side *from, struct side *to);	/* a frame that is no RoCE */
void settle(void);			/* until no work is left */
void drain(struct tcq *x, struct tcq *y); /* settles, drops completions and events of both sides */
void pass_time(unsigned int ms);	/* millisecond by millisecond */

/* ---- the wire ------------------------------------------------------------------------------ */

struct wire_test {
	uint64_t frames;
	uint32_t drop_every, dup_every, hold_every, corrupt_every;	/* 0: never */
	uint32_t drop_at, dup_at, hold_at, corrupt_at; /* one frame, counted from 1; 0: none */
	uint8_t only_opcode;						/* 0xff: any */
	uint64_t wrong;			/* malformed frames */
	char why[96];
	uint64_t by_opcode[256];
	bool see, on;
};

extern struct wire_test wire;

/*
 * Zeroes @wire and starts. With CXEMU_TEST_DIRECT in the environment frames pass it only while it
 * disturbs them, so that what can takes the direct way; see(): all frames pass it.
 */
void wire_watch(void);
void wire_see(void);
void wire_apply(void);			/* what has been set in @wire; settle() does it, too */
/* All packets go in frames, which are counted from then on, or as they like; @wire rests. */
void wire_in_frames(bool frames);
extern uint64_t wire_passed;
/* NULL, or what is wrong with a frame: every field is checked, without the engine's code. */
const char *frame_check(const uint8_t *data, uint32_t len, uint8_t *opcode);
uint32_t bitwise_icrc(const uint8_t *l3, uint32_t len, uint16_t ethertype);

/* ---- what tests of LAG share ---------------------------------------------------------------- */

struct sent {
	uint64_t one, two;
};

/* Frames that each of two ports has sent since the last call. */
struct sent frames_sent(const struct side *one, const struct side *two);
/* An RC pair over IPv4; only @x has the affinity. */
void pair_with_affinity(struct tqp *x, struct tqp *y, struct tcq *cx, struct tcq *cy,
			unsigned int affinity);
/* From a to b; @midway, unless NULL, when some packets have left. True if all arrived. */
bool write_bytes(struct tqp *x, struct tcq *cq, uint32_t bytes, uint32_t seed,
		 bool (*midway)(void));

#endif
