/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Dynamically connected transport. A DCI is a requester that is connected to the target of the WQE
 * at hand; a DCT is a target, with a responder for each initiator that has connected to it.
 *
 * How real cards write DC packets is not public. The format here is private: only these emulated
 * adapters understand it, and to a real peer it means nothing.
 *
 * - The opcode of the BTH is BTH_DC with the operation of RC: the transport bits are those that the
 *   InfiniBand specification leaves to manufacturers.
 * - In a request a connect header (struct dc_eth) follows the BTH, in each packet, then come the
 *   headers of RC. No packet only connects.
 * - In a response the number of the session follows the BTH, in 4 bytes, then come the headers of
 *   RC.
 *
 * A session is what a DCI sends from the time it connects until it connects again: to another
 * target, after a reset, after a message that failed, because the target has forgotten it, or
 * before it has more than 2^22 packets, so that a PSN stands for one of them. It connects when
 * nothing is outstanding.
 *
 * An adapter counts its sessions, modulo 2^32, from a random number, and draws a random epoch when
 * its process starts. A target drops packets of sessions that are older than the one it knows of an
 * initiator, in the same epoch; what is of another epoch is a new session. (Packets of a process
 * that has ended, which come after those of the one that follows it, are taken for new as well.) A
 * DCI drops responses that are not of its session.
 *
 * A target keeps a bounded number of responders. If there is none left, it gives up the one that is
 * idle for the longest time, or has failed, and remembers for a while where that stood: a late
 * duplicate is still answered as one, but for an atomic, whose result is gone. If all are in the
 * midst of something, it gives up the one that has been silent for the longest time, at least
 * DC_SILENT_NS, and its message is aborted. If there is none either, it does not answer.
 *
 * A message that was aborted so, and a session that is forgotten altogether, cannot go on: the
 * target answers by DC_NAK_SESSION, with the PSN from which on all must be sent again, and the DCI
 * connects anew with what is not acknowledged. So a message can be done twice if it was done and
 * its acknowledgment is lost, or waits behind a READ whose responses are lost, and then the target
 * forgets the session. The same is true of a packet at the beginning of a session: the target
 * executes it as the first of a new one.
 */
#ifndef CXEMU_DC_H
#define CXEMU_DC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"

struct cxdev;
struct dct;
struct mem_map;
struct message;
struct packet;
struct qp;

#define DC_ETH_BYTES	24
#define DC_RESP_BYTES	4	/* the session of a response */

/* NAK syndrome, of a code that is not defined: the target does not know the session (any more). */
#define DC_NAK_SESSION	0x7f

/* The connect header, in this order. In a response: the session alone. */
struct dc_eth {
	uint64_t key;
	uint32_t initiator;	/* QPN of the DCI */
	uint32_t session;
	uint32_t first_psn;	/* of the session */
	uint32_t epoch;		/* sessions of another one are none that were before */
};

/* ---- the initiator: dci.c ------------------------------------------------------------------- */

#define DCI_LOG_STREAMS_MAX	8
#define DCI_LOG_ERRORED_MAX	5

/* Of a DCI; the remote QP and the path of its queue pair are those of the target. */
struct dci {
	bool connected;
	uint64_t key;
	uint32_t first_psn;
	bool streams;		/* WQEs name one; else all are of stream 0 */
	unsigned int n_errored, max_errored;	/* as many stop the queue */
	uint16_t errored[1 << DCI_LOG_ERRORED_MAX];	/* streams whose WQEs are flushed */
};

void dci_init(struct qp *qp);
void dci_reset(struct qp *qp);	/* all streams work, and it is not connected */
bool dci_stream_failed(const struct qp *qp, uint16_t stream);
/* False: the stream has not failed. */
bool dci_reset_stream(struct qp *qp, uint16_t stream);
/*
 * Connects to the target of the WQE in req.tx, which is that of @msg. False: it must wait until all
 * before it is acknowledged, or msg->error has been set.
 */
bool dci_connect(struct qp *qp, struct message *msg);
/*
 * Completes the oldest message with an error of its stream. If the target is not heard of any more,
 * or makes no sense, all goes with it that may have been executed but is not acknowledged. What is
 * left is sent in a new session, unless too many streams have failed.
 */
void dci_fail(struct qp *qp, uint8_t syndrome);
/* Completes the oldest message, whose error concerns no other. True: the queue has stopped. */
bool dci_fail_alone(struct qp *qp, uint8_t syndrome);
struct dc_eth dci_eth(const struct qp *qp);	/* of its requests now */
void dci_answer(struct qp *qp, const struct packet *pkt);	/* as requester_answer() */

/* ---- the target: dct.c, responders.c --------------------------------------------------------- */

/* Of a function. */
#define DC_RESPONDERS	256
#define DC_SHARED	192	/* beyond those a DCT that has more than half gives up its own */
#define DC_SILENT_NS	100000000ull	/* then one may be given up in the midst of a message */
#define DC_REMEMBERED	1024	/* of those given up */

/* Where a responder stood. */
struct dc_past {
	uint32_t dctn, initiator, epoch, session, psn, msn;
	bool broken;	/* in the midst of the message that begins at psn: it cannot go on */
	uint8_t gid[16];
};

/* Of a function. */
struct dc_state {
	uint32_t epoch, last_session;
	unsigned int n_responders;
	uint64_t nak_ms;	/* in which n_naks were sent that are of no responder */
	unsigned int n_naks;
	struct list_head lru;	/* of responders; the one used last comes first */
	unsigned int n_past;	/* ever */
	struct dc_past past[DC_REMEMBERED];
};

void dc_state_init(struct cxdev *dev);
void dc_state_stop(struct cxdev *dev);	/* nothing is remembered; sessions go on */
/* Is the packet for the address of the DCT? */
bool dct_is_for(const struct dct *dct, const struct packet *pkt);
/* A request for a DCT. False: it is not for its address. */
bool dct_request(struct dct *dct, const struct packet *pkt);
/*
 * As responder_take(), for a request that is for the address; @data: NULL if it has none in memory,
 * and then the result is true.
 */
bool dct_take(struct dct *dct, struct packet *pkt, const struct mem_map *data);
/* A CNP, for all responders that send to where it comes from. False: there is none. */
bool dct_cnp(struct dct *dct, const struct packet *pkt);
/* Frees the responders of a DCT that have nothing in work. True: none is left. */
bool dct_close_idle(struct dct *dct);
/* Frees all; @report: receives that a message has taken complete, as aborted. */
void dct_close_all(struct dct *dct, bool report);

#endif
