/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * rdma: queue pairs and shared receive queues. WQEs are executed in the order in which they were
 * posted, lost packets are retransmitted, and each WQE ends with its completion or is flushed.
 *
 * A queue pair consists of two state machines that share only its state and number. The requester
 * reads send WQEs, sends requests, and handles acknowledgments and read responses. The responder
 * handles requests, consumes receive WQEs, and sends the answers.
 */
#ifndef CXEMU_RDMA_H
#define CXEMU_RDMA_H

#include "key/key.h"
#include "port/port.h"
#include "queue/queue.h"
#include "rdma/dc.h"
#include "rdma/dcqcn.h"
#include "rdma/odp.h"
#include "prm/counter.h"
#include "prm/cqe.h"
#include "prm/dct.h"
#include "prm/eqe.h"
#include "prm/nic.h"
#include "prm/qp.h"
#include "prm/srq.h"
#include "prm/wqe.h"

#define GSI_QPN			1
#define GSI_QKEY		0x80010000u
#define MCAST_QPN		0xffffffu
#define DEFAULT_PKEY		0xffff
#define QP_NO_USER_INDEX	0xffffffu	/* the driver wants QPNs and SRQNs in completions */
#define LOG_MSG_MAX		30
#define DATAGRAM_MAX		4096	/* the largest MTU of a path */
#define LOG_RA_MAX		4	/* outstanding READs and atomics */

#define SRQ_WQE_MAX		1024	/* RECV_SGES_MAX and the next segment, rounded up */

#define PSN_MASK		0xffffffu

extern const struct cmd_desc cmds_qp[], cmds_qp_state[], cmds_mcg[], cmds_srq[], cmds_dct[],
	cmds_roce[], cmds_cong[];

/* Signed distance from @b to @a modulo 2^24: negative if @a comes before @b. */
static inline int32_t psn_diff(uint32_t a, uint32_t b)
{
	return (int32_t)((a - b) << 8) >> 8;
}

static inline uint32_t psn_add(uint32_t psn, uint32_t n)
{
	return (psn + n) & PSN_MASK;
}

/* ---- work queue entries -------------------------------------------------------------------- */

/* The path of a packet, from a QP context or from the address vector of a WQE. */
struct av {
	uint8_t dmac[6], dgid[16];
	uint8_t sgid_index, tclass, hop_limit, prio;
	uint32_t flow_label;
	uint16_t udp_sport;	/* 0: derived from the QP numbers */
};

struct swqe {
	struct wqe wqe;
	bool valid;
	uint8_t fence;
	bool signaled, solicited;
	uint32_t imm;		/* or the rkey to invalidate; host order */
	uint64_t raddr;
	uint32_t rkey;
	uint64_t swap_add, compare;
	uint32_t dqpn, qkey;
	uint32_t xrc_srqn;	/* XRC: of the remote side */
	uint64_t dc_key;
	uint16_t stream;	/* of a DCI */
	struct av av;
	struct sg_list data;
	struct sge sges[SEND_SGES_MAX];
};

struct srq;

struct rwqe {
	uint16_t index;
	struct srq *srq;	/* NULL: the QP's own receive queue */
	struct sg_list room;
	struct sge sges[RECV_SGES_MAX];
};

/* SRQ, XRC_SRQ and RMP: a receive queue whose WQEs form a list, or follow each other. */
struct srq {
	struct obj obj;
	struct pages pages;
	struct wq wq;		/* ci counts the WQEs consumed */
	uint16_t head;		/* next WQE of the list */
	uint16_t limit;		/* event when fewer WQEs are left; 0: not armed */
	bool rlky, error, cyclic;
	uint32_t user_index;
	struct obj *pd, *cq, *xrcd;
	struct umem *dbr_umem;
	union {
		struct prm_srqc srqc;
		struct prm_xrc_srqc xrc_srqc;
		struct prm_rmpc rmpc;
	} ctx;			/* as created, for the query */
};

/* ---- requester ----------------------------------------------------------------------------- */

/* A message in flight, from its first packet until it completes. */
struct message {
	uint16_t index;		/* of the WQE */
	uint8_t opcode;
	bool signaled, solicited;
	bool executed;		/* UMR: not repeated when the requester goes back */
	uint32_t psn, n_psn;	/* first PSN and their number; 0: no packets */
	uint32_t len;
	uint8_t error;		/* syndrome, reported once all earlier ones are complete */
	/* of a DCI */
	uint8_t late_error;	/* syndrome, reported in the place of success: data had no place */
	uint16_t stream;
	uint32_t session;	/* in which it was sent last */
};

static inline bool message_is_atomic(const struct message *msg)
{
	return msg->opcode == PRM_WQE_ATOMIC_CS || msg->opcode == PRM_WQE_ATOMIC_FA;
}

struct requester {
	struct message *ring;		/* [tail, head) are in flight; [tail, cur) sent */
	uint32_t mask, tail, cur, head;
	uint32_t cur_pkt;		/* next packet of message cur */
	uint32_t next_psn;		/* for the next new message */
	uint32_t una;			/* oldest unacknowledged PSN */
	uint32_t sent;			/* one after the highest PSN ever sent */
	uint32_t unasked;		/* packets since the last AckReq bit */
	uint32_t fresh_key;		/* registered by the WQE before the next one; 0: none */
	unsigned int reads;		/* READs and atomics in [tail, cur) */
	uint8_t retries, rnr_retries;	/* left */
	bool rnr_wait;
	bool implied;			/* a lost response was handled since una moved */
	struct swqe tx, rd;		/* WQE of cur; WQE of the READ that is answered */
	uint32_t tx_of, rd_of;		/* the ring positions that they belong to */
	struct timer timeout, rnr;
	struct work work;
};

/* ---- responder ----------------------------------------------------------------------------- */

enum answer_kind { ANSWER_ACK, ANSWER_NAK, ANSWER_READ, ANSWER_ATOMIC };

struct answer {
	enum answer_kind kind;
	uint8_t syndrome;	/* AETH */
	uint32_t psn, msn, n_psn, done;
	uint64_t va;		/* ATOMIC: the original value */
	uint32_t rkey, len;
	struct mem_user user;
};

#define ATOMIC_RESULTS 128	/* kept for duplicate requests: as many as may be outstanding */

struct atomic_result {
	bool valid;
	uint32_t psn, msn;
	uint64_t value;
};

struct responder {
	uint32_t psn, msn;		/* expected, completed messages */
	bool nak_sent;			/* for the expected PSN */
	bool dying;			/* goes into error state after the NAK that is queued */
	bool in_message, writing;	/* inside a message; of a WRITE */
	struct srq *srq;	/* of the request: the QP's; XRC: the one that it names */
	struct mem_user user;	/* whose keys are checked */
	uint32_t xrc_srqn;	/* of the current message */
	bool have_wqe;
	struct rwqe wqe;
	uint64_t va, got, dmalen;	/* WRITE: next address, bytes so far, length */
	uint32_t rkey;
	struct answer *ring;		/* pending answers, in PSN order */
	uint32_t mask, tail, head;
	struct atomic_result atomics[ATOMIC_RESULTS];
	uint32_t next_atomic;
	struct work work;
};

/* ---- the queue pair ------------------------------------------------------------------------ */

struct qp {
	struct obj obj;
	enum prm_qp_st st;	/* RC, UC, UD, XRC, DCI, QP1, REG_UMR; DCT: one of its responders */
	enum prm_qp_state state;
	struct prm_qpc ctx;		/* as the driver set it, without the counters that move */
	struct obj *uar, *pd;		/* pd: NULL if a UMR QP has none */
	struct cq *send_cq, *recv_cq;
	struct srq *srq;		/* XRC: named at creation, not used */
	struct obj *xrcd;		/* XRC only */
	struct q_counter *counters;	/* never NULL: set 0 is rdma_state->no_counter */
	struct pages pages;
	struct umem *dbr_umem;
	bool has_sq, has_rq;
	struct wq sq, rq;	/* the receive queue comes first in the pages */
	uint32_t user_index;

	/* Decoded from ctx by qp_decode(). */
	uint32_t mtu;
	uint32_t max_msg;	/* bytes of a message or READ, of either end; no datagrams */
	uint32_t remote_qpn, qkey, deth_sqpn;
	bool rlky, fre, rre, rwe, rae;
	struct av av;
	uint64_t timeout_ns;		/* 0: none */

	bool established, last_wqe_reported;
	bool was_ready;			/* has been in RTS since it was in INIT */
	bool failed;			/* went into error by itself; the driver may not know yet */
	struct requester req;
	struct responder resp;
	uint32_t session;	/* of a DCI, or of the responder of a DCT */
	struct dci dci;
	struct reaction reaction;
	struct page_fault *page_faults[WAIT_PLACES];	/* what it waits for; NULL: nothing */
	struct work flush_work;
	struct timer flush_timer;	/* in error state: polls for newly posted receives */
	uint64_t flush_delay;
};

static inline uint32_t qp_pdn(const struct qp *qp)
{
	return qp->pd ? qp->pd->num : 0;
}

/* Lost packets are retransmitted, and every request is acknowledged. */
static inline bool qp_reliable(const struct qp *qp)
{
	return qp->st == PRM_QP_ST_RC || qp->st == PRM_QP_ST_XRC || qp->st == PRM_QP_ST_DCI ||
	       qp->st == PRM_QP_ST_DCT;
}

static inline bool qp_datagram(const struct qp *qp)
{
	return qp->st == PRM_QP_ST_UD || qp->st == PRM_QP_ST_QP1;
}

/* The end of an XRC connection that only receives requests. */
static inline bool qp_xrc_target(const struct qp *qp)
{
	return qp->st == PRM_QP_ST_XRC && !qp->has_sq;
}

static inline struct mem_user qp_user(const struct qp *qp)
{
	return (struct mem_user){ .pdn = qp->pd ? qp->pd->num : MEM_ANY_PD,
				  .qpn = qp->obj.num,
				  .rlky = qp->rlky };
}

/* ---- targets of DC transport ----------------------------------------------------------------- */

struct dct {
	struct obj obj;
	struct prm_dctc ctx;		/* as created; the state is below */
	uint8_t state;			/* PRM_DCT_STATE_* */
	struct obj *pd;
	struct cq *cq;
	struct srq *srq;
	struct q_counter *counters;	/* never NULL, as of a queue pair */
	uint64_t key;
	uint32_t violations;		/* requests with another key */
	bool armed;			/* an event for the next of those */
	struct list_head responders;
	unsigned int n_responders;
	struct work nak_work;		/* does nothing: who waits for an answer asks again */
	struct work drain_work;
	struct timer drain_timer;
	uint64_t drain_until;		/* now_ns(): then all is given up */
};

/* ---- packets ------------------------------------------------------------------------------- */

#define DETH_BYTES	8
#define RETH_BYTES	16
#define AETH_BYTES	4
#define IMM_BYTES	4
#define XRC_ETH_BYTES	4
#define ATOMIC_ETH_BYTES 28
#define ATOMIC_ACK_BYTES 8
#define ICRC_BYTES	4

/* Low 5 bits of the BTH opcode; the upper 3 name the transport. */
enum bth_op {
	BTH_SEND_FIRST = 0x00,
	BTH_SEND_MIDDLE,
	BTH_SEND_LAST,
	BTH_SEND_LAST_IMM,
	BTH_SEND_ONLY,
	BTH_SEND_ONLY_IMM,
	BTH_WRITE_FIRST,
	BTH_WRITE_MIDDLE,
	BTH_WRITE_LAST,
	BTH_WRITE_LAST_IMM,
	BTH_WRITE_ONLY,
	BTH_WRITE_ONLY_IMM,
	BTH_READ_REQUEST,
	BTH_READ_RESP_FIRST,
	BTH_READ_RESP_MIDDLE,
	BTH_READ_RESP_LAST,
	BTH_READ_RESP_ONLY,
	BTH_ACK,
	BTH_ATOMIC_ACK,
	BTH_CMP_SWAP,
	BTH_FETCH_ADD,
	BTH_SEND_LAST_INV = 0x16,
	BTH_SEND_ONLY_INV,
};

#define BTH_RC	0x00
#define BTH_UC	0x20
#define BTH_UD	0x60
#define BTH_XRC	0xa0
#define BTH_DC	0xc0	/* see dc.h */
#define BTH_CNP	0x81	/* the whole opcode */

static inline bool bth_is_answer(uint8_t opcode)
{
	return (opcode & 0x1f) >= BTH_READ_RESP_FIRST && (opcode & 0x1f) <= BTH_ATOMIC_ACK;
}

static inline uint8_t qp_transport(const struct qp *qp)
{
	switch (qp->st) {
	case PRM_QP_ST_XRC:
		return BTH_XRC;
	case PRM_QP_ST_UC:
		return BTH_UC;
	case PRM_QP_ST_DCI:
	case PRM_QP_ST_DCT:
		return BTH_DC;
	default:
		return BTH_RC;
	}
}

/*
 * What comes between the BTH and the headers of RC: XRC requests name their SRQ, those of DC say
 * how they connect, and the responses to those name their session.
 */
static inline uint32_t qp_lead_bytes(const struct qp *qp)
{
	switch (qp->st) {
	case PRM_QP_ST_XRC:
		return qp_xrc_target(qp) ? 0 : XRC_ETH_BYTES;
	case PRM_QP_ST_DCI:
		return DC_ETH_BYTES;
	case PRM_QP_ST_DCT:
		return DC_RESP_BYTES;
	default:
		return 0;
	}
}

/* Where packets go: of a datagram, whose WQE is req.tx, or of the connection. */
static inline const struct av *qp_path(const struct qp *qp)
{
	return qp_datagram(qp) ? &qp->req.tx.av : &qp->av;
}

/* Upper 3 bits of the AETH syndrome, and the NAK codes. */
#define AETH_ACK		0x1f	/* no credit count */
#define AETH_RNR_NAK		0x20
#define AETH_NAK_SEQUENCE	0x60
#define AETH_NAK_INVALID	0x61
#define AETH_NAK_ACCESS		0x62
#define AETH_NAK_OPERATION	0x63

struct bth {
	uint8_t opcode;		/* with transport bits */
	bool solicited, ack_req, becn;
	uint32_t dqpn, psn;
};

/*
 * A received packet, parsed. One that came the direct way may stand for several in a row of one
 * message, and has the flags and headers of them all.
 */
struct packet {
	uint32_t n;		/* packets */
	bool stored;		/* the payload is in place: it counts in @ext_len only */
	enum prm_cqe_roce_type type;
	struct bth bth;
	uint8_t sgid[16], dgid[16];
	uint8_t smac[6];
	bool vlan;
	uint16_t vlan_tci;
	uint8_t grh[GRH_BYTES];		/* as UD receivers see it */
	uint32_t xrc_srqn;
	struct dc_eth dc;
	const uint8_t *ext;		/* after the BTH, and what XRC and DC add to it */
	uint32_t ext_len;		/* ext header, payload without pad */
};

/*
 * Allocates a frame to @av with its headers filled in and room for @len bytes after the BTH, for
 * the caller to fill at *ext; padding is added. NULL: the source address is not valid, or there is
 * no memory.
 */
struct frame *roce_frame(struct qp *qp, const struct av *av, const struct bth *bth, uint32_t len,
			 uint8_t **ext);
/* The priority of a packet to @av, as the port sees it. */
unsigned int roce_prio(const struct qp *qp, const struct av *av);
/* port_may_send() for a packet to @av. */
bool roce_may_send(struct qp *qp, const struct av *av, unsigned int reserve, struct work *work);
void roce_send(struct qp *qp, struct frame *frame);	/* the ICRC is filled in later, if needed */
/*
 * Computes the ICRC over the bytes from the L3 header (GRH, IPv6 or IPv4) up to the ICRC field,
 * which holds the value in little-endian order.
 */
uint32_t roce_icrc(const uint8_t *l3, uint32_t len, enum prm_cqe_roce_type type);

#define ECN_CE		3	/* in the traffic class */

void roce_put_v4_prefix(uint8_t *gid);	/* of an address that is mapped to IPv6 */
enum prm_cqe_roce_type roce_type(const struct roce_addr *addr);
/* Can a packet of the type go there? */
bool roce_addrs_fit(enum prm_cqe_roce_type type, const struct av *av);
/* Of a frame with @len bytes after the BTH. */
uint32_t roce_frame_bytes(const struct roce_addr *src, uint32_t len);
/* The GRH that its receiver would see, if it were the next frame. */
void roce_put_grh(const struct cxdev *dev, const struct av *av, uint32_t len, uint8_t *grh);
/* Is it sent to one of our GIDs, of its kind, with its MAC and VLAN, or to one of our groups? */
bool roce_is_ours(struct cxdev *dev, const struct packet *pkt, const uint8_t *dmac);
/* Does a packet come from the remote end of the connection, to the address of the QP? */
bool roce_connection_matches(const struct qp *qp, const struct packet *pkt);

/* ---- the direct way: direct.c --------------------------------------------------------------- */

#define DIRECT_BYTES 65536u	/* of payload that go at once */

/*
 * Packets between two queues in this process, which nobody can tell from those in frames: what they
 * do is done at once and counted, no frame is built. It holds until the callback of the loop ends
 * or a packet is sent.
 */
struct direct {
	struct qp *peer;
	struct dct *dct;	/* instead of a peer: of the requests of a DCI */
	const struct av *av;
	struct port *from, *to;
	uint32_t lead;		/* bytes that are in no @ext of a packet here */
	struct packet pkt;	/* of it: addresses, type, VLAN, and what the lead says */
};

/* Of @left packets of a message, how many may go at once if @most may. */
static inline uint32_t direct_most(const struct qp *qp, uint32_t left, uint32_t most)
{
	uint32_t fit = DIRECT_BYTES / qp->mtu;

	if (most > fit)
		most = fit;
	return left < most ? left : most;
}

/* False: the packet must go in a frame. All that is not plain does. */
bool direct_open(struct qp *qp, struct direct *way);
/*
 * Packets of a SEND or WRITE, way->pkt, with their payload at @data: as responder_take(). They are
 * not counted.
 */
bool direct_take(struct direct *way, const struct mem_map *data);
/*
 * Counts the packets of a message in way->pkt, as sent and received: by the headers of the first
 * and the last one behind the lead.
 */
void direct_count(struct qp *qp, const struct direct *way, uint32_t first, uint32_t last,
		  uint32_t len);
/* Sends a packet to qp_path(): @len bytes at @ext follow the BTH. @way: opened, or NULL. */
void direct_packet(struct qp *qp, struct direct *way, const struct bth *bth, const uint8_t *ext,
		   uint32_t len);

/* ---- wqe.c --------------------------------------------------------------------------------- */

/* Fetches and parses a send WQE: 0, or the syndrome of its error completion. */
int swqe_read(struct qp *qp, uint16_t index, struct swqe *wqe);

enum recv_result { RECV_OK, RECV_EMPTY, RECV_ERROR };

enum recv_result recv_take(struct qp *qp, struct rwqe *wqe);
bool recv_waits(const struct qp *qp);	/* does a receive WQE wait? Nothing is counted or logged */

/* ---- umr.c: 0, or a syndrome ---------------------------------------------------------------- */

int umr_check(struct qp *qp, const struct swqe *wqe);	/* is the WQE well-formed? */
/*
 * Of each WQE, once and in order: in queues of the kernel a registration has the fence that the
 * device names, and the WQE directly behind it has one if it uses the key for its data. Else a
 * violation, and nothing comes of it here: on a card the key may still be the old one.
 */
void umr_check_fences(struct qp *qp, const struct swqe *wqe);
/* Adds to *slice what it took besides, in packets of LOOP_SLICE. */
int umr_execute(struct qp *qp, const struct swqe *wqe, uint32_t *slice);

/* ---- complete.c, flush.c -------------------------------------------------------------------- */

void complete_send(struct qp *qp, const struct message *msg);
void complete_send_error(struct qp *qp, uint16_t index, uint8_t opcode,
			 enum prm_cqe_syndrome syndrome);
void complete_recv(struct qp *qp, const struct rwqe *wqe, struct prm_cqe64 *cqe,
		   enum prm_cqe_opcode opcode, bool solicited);
void complete_recv_error(struct qp *qp, const struct rwqe *wqe, enum prm_cqe_syndrome syndrome);
void qp_flush(struct work *work);
void qp_flush_timer(struct timer *timer);
void qp_end_flush(struct qp *qp);	/* of the send queue, before SQER ends */

/* ---- qp_state.c ------------------------------------------------------------------------------ */

void qp_set_error(struct qp *qp);	/* stops both state machines and starts the flush */
void qp_decode(struct qp *qp); /* takes out of the context what the engine needs */
void qp_stop(struct qp *qp); /* cancels work and timers */
void qp_put_counters(struct qp *qp);
void qp_sq_error(struct qp *qp);	/* UD, UC: a send failed; SQER, receives continue */

/*
 * As queue_event(), but for the responders of a DCT: drivers know no events of those, and the DCT
 * works on.
 */
static inline void qp_event(const struct qp *qp, enum prm_event type)
{
	if (qp->st != PRM_QP_ST_DCT)
		queue_event(&qp->obj, type);
}

/* ---- mcg.c --------------------------------------------------------------------------------- */

#define MCG_QPS 240	/* members of a group, max_qp_mcg */

struct mcg {
	struct obj obj;
	struct list_head by_gid;
	uint8_t gid[16];
	struct qp **qps;	/* at least one, but while it is created */
	unsigned int n;
};

/* Of a function, by a hash of the GID: a packet finds its group at once, however many there are. */
struct mcg_table {
	struct list_head *buckets;
	uint32_t n_buckets, n;	/* the former is a power of two */
};

int mcg_table_create(struct mcg_table *table);	/* -1: there is no memory */
struct mcg *mcg_find(struct cxdev *dev, const uint8_t *gid);	/* NULL: it has no members */

/* ---- requester.c, responder.c -------------------------------------------------------------- */

int requester_init(struct qp *qp);
void requester_reset(struct qp *qp);	/* indices and PSNs as after reset */
void requester_start(struct qp *qp);	/* PSN and retry counts from the context: RTR to RTS */
void requester_resume(struct qp *qp);	/* SQER to RTS: flushed WQEs count as sent */
void requester_stop(struct qp *qp);	/* cancels timers and work, keeps the state */
void requester_free(struct qp *qp);
void requester_pause(struct qp *qp, uint64_t ns);	/* sends nothing meanwhile */
void requester_go_back(struct qp *qp);	/* to the oldest PSN that is not acknowledged */
/*
 * The responder has executed all requests before @una. Returns false if responses to a READ or
 * atomic among them are missing: they are lost, and una stops there. A DCI may have started over.
 */
bool requester_acknowledge(struct qp *qp, uint32_t una);
/*
 * Does the QP go on with what it was at before it took an acknowledgment? @session: that of then,
 * of a DCI.
 */
bool requester_goes_on(const struct qp *qp, uint32_t session);
/* ACK, NAK, READ and atomic responses. */
void requester_answer(struct qp *qp, const struct packet *pkt);
/*
 * @n packets of a READ response from PSN @psn on, the last of the response or not, with @len bytes
 * at @data. False: no data were taken, they must come in frames; what they acknowledge may have
 * been completed.
 */
bool requester_take(struct qp *qp, uint32_t psn, uint32_t n, bool last, uint32_t len,
		    const struct mem_map *data);
void responder_init(struct qp *qp);
void responder_reset(struct qp *qp);
int responder_start(struct qp *qp);	/* PSN and depth from the context: INIT to RTR */
void responder_stop(struct qp *qp);
void responder_free(struct qp *qp);
void responder_request(struct qp *qp, const struct packet *pkt);
/*
 * Packets of a SEND or WRITE, without their payload, which is at @data. True: they are handled as
 * if each had come in a frame. False: they must come in frames, since something about them is not
 * plain; the receive WQE of a SEND may have been taken.
 */
bool responder_take(struct qp *qp, struct packet *pkt, const struct mem_map *data);
void responder_datagram(struct qp *qp, const struct packet *pkt);

uint64_t rnr_timer_ns(unsigned int code);

/* ---- request.c ----------------------------------------------------------------------------- */

/*
 * Sends packet cur_pkt of @msg, whose WQE is req.tx, or up to @most from there on that can go at
 * once. @way: direct_open(), or NULL. Returns their number; nothing was sent if it has set
 * msg->error to a syndrome, or if it returns 0: the message waits for a page.
 */
uint32_t request_send(struct qp *qp, struct direct *way, struct message *msg, uint32_t most);

/* ---- answers.c ----------------------------------------------------------------------------- */

/* With the MSN of now, and queued for sending. NULL: the ring is full, and the answer is lost. */
struct answer *answer_add(struct qp *qp, enum answer_kind kind, uint8_t syndrome, uint32_t psn);
void answer_ack(struct qp *qp);	/* all before the expected PSN; coalesces with one that waits */
/* To a READ request; @user: whose keys are checked. */
void answer_read(struct qp *qp, const struct packet *pkt, uint32_t msn, struct mem_user user);
uint32_t answer_read_packets(const struct qp *qp, uint32_t len);
void answer_atomic(struct qp *qp, const struct atomic_result *result);
unsigned int answers_reads(struct qp *qp);	/* READs and atomics that wait */
void answers_forget(struct qp *qp, uint32_t psn); /* from @psn on: they will be asked for again */
void answers_work(struct work *work);		/* sends */

/* ---- what other rooms call ------------------------------------------------------------------ */

/* From sq_doorbell(): new send work, up to the WQE at @index, of @ds octwords. */
void qp_doorbell(struct qp *qp, uint16_t index, unsigned int ds);
/* The UAR page of its doorbells; NULL: it has no send queue. */
struct obj *qp_uar(const struct qp *qp);
void qp_goes(const struct qp *qp); /* remembers a QP that is destroyed */
/* Was it destroyed recently? Its last doorbell may arrive late. */
bool qp_has_gone(const struct cxdev *dev, uint32_t num, uint32_t uar);
/*
 * A frame received at the port of @port: true if it was RoCE, for this function or the one that
 * has RDMA of both ports, and then consumes it.
 */
bool roce_receive(struct cxdev *port, struct frame *frame);

/* RoCE address table entry, set by SET_ROCE_ADDRESS (address.c), read by the engine. */
struct roce_addr {
	bool valid;
	bool removed;	/* it was valid since the driver started: queues may still use it */
	uint8_t gid[16];
	uint8_t mac[6];
	bool vlan_valid;
	uint16_t vlan;
	uint8_t version; /* 0 = v1, 2 = v2 */
	uint8_t l3_type; /* 0 = IPv4, 1 = IPv6 */
};

#define ROCE_ADDRS 256	/* at most; a card has card->roce_addrs */

/* The entries in use, one a line: index, address, type, MAC, VLAN or "-"; for `gids`. */
void roce_addrs_print(const struct cxdev *dev, FILE *out);

int rdma_state_create(struct cxdev *dev);
void rdma_state_reset(struct cxdev *dev);
void rdma_state_stop(struct cxdev *dev);	/* TEARDOWN_HCA: the address table stays */
void rdma_state_leave(struct cxdev *dev);	/* fills the address table with foreign GIDs */
void rdma_state_destroy(struct cxdev *dev);
void rdma_status(struct cxdev *dev, FILE *out);
void rdma_json(const struct cxdev *dev, struct json_object *to);

/* Is the packet to this address of the function, in its format? */
bool roce_is_to(const struct roce_addr *own, const struct packet *pkt);
/* Is the packet marked "congestion experienced"? RoCE v1 has no such field. */
bool roce_is_marked(const struct packet *pkt);
void roce_send_cnp(struct qp *qp);	/* packets from the remote QP meet congestion */

/* ---- per function -------------------------------------------------------------------------- */

struct rdma_state {
	struct qp *gsi;
	struct mcg_table mcgs;
	struct q_counter no_counter;	/* of QPs without a counter set; never reported */
	uint16_t ip_id;
	unsigned int last_addr;		/* RoCE address table entry that matched last */
	struct gone_queues gone;	/* QPs */
	struct roce_addr addrs[ROCE_ADDRS];
	struct cong_state cong;
	struct dc_state dc;
	struct page_fault_state page_faults;
};

#endif
