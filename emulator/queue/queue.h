/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * queue: rings in guest memory. Event queues and completion queues, which the device fills, and
 * what all work queues have in common, which it empties.
 *
 * An entry's owner bit comes last. An interrupt, or an event of a CQ, is raised once for each
 * arming. A queue that overruns says so and takes nothing more.
 */
#ifndef CXEMU_QUEUE_H
#define CXEMU_QUEUE_H

#include "func/func.h"
#include "prm/cqe.h"
#include "prm/wqe.h"

extern const struct cmd_desc cmds_eq[], cmds_cq[], cmds_q_counter[];

/* ---- a queue's memory: pages.c ---- */

/* A list of pages as the PRM passes them: queue memory, mkey translation. */
struct pages {
	uint64_t *pa;
	uint32_t n;
	uint8_t log_size; /* of one page, 12.. */
	uint64_t offset;  /* first byte of the queue within the first page */
};

/*
 * Reads the be64 list at @tail of the command's input; checks count, alignment, length. The size of
 * a page and the offset are the fields of a context: in units of 4 KiB, in 64ths of a page. 0 or
 * refused.
 */
int pages_get(struct cmd *c, struct pages *pages, const void *tail, uint64_t bytes,
	      unsigned int log_page_size, unsigned int page_offset);
void pages_free(struct pages *pages);
int pages_read(struct cxdev *dev, const struct pages *pages, uint64_t off, void *buf, size_t len);
int pages_write(struct cxdev *dev, const struct pages *pages, uint64_t off, const void *buf,
		size_t len);

/* ---- EQs and CQs ---- */

#define RING_LOG_PAGE_MAX 19		/* in units of 4 KiB: 2 GiB */
#define RING_INDEX_MASK 0xffffffu

/* Of the status field of their contexts. */
#define CTX_OK		0x0
#define CTX_OVERRUN	0x9
#define CTX_ERROR	0xa

static inline uint32_t ring_distance(uint32_t from, uint32_t to)
{
	return (to - from) & RING_INDEX_MASK;
}

struct eq;
struct cq;

/* An entry of this EQ, whatever its event mask says. */
void eq_push(struct eq *eq, uint8_t type, uint8_t subtype, const void *data, size_t len);

/*
 * Puts a 64-byte completion (owner bit and signature are filled here) and fires the CQ's EQ if it
 * is armed. @solicited: a receive completion with the solicited bit, or an error. Overrun: CQ error
 * event, CQ in error, false.
 */
bool cq_push(struct cq *cq, struct prm_cqe64 *cqe, bool solicited);
/*
 * The error completion of WQE @index. @owner is the SRQ or the user's index of the queue; @op_qpn
 * its number, with the opcode above it of a send WQE. False: as cq_push().
 */
bool cq_push_error(struct cq *cq, bool send, uint32_t owner, uint32_t op_qpn, uint16_t index,
		   enum prm_cqe_syndrome syndrome);
uint32_t cq_number(const struct cq *cq);
/* Doorbells. */
void eq_doorbell(struct cxdev *dev, uint32_t uar, uint32_t value, bool arm);
void cq_arm_doorbell(struct cxdev *dev, uint32_t uar, uint64_t value);

/* ---- work queues: wq.c ---- */

#define WQE_MAX 1024		/* a send WQE: 63 units of 16 bytes, rounded up to basic blocks */
#define SQ_LOG_STRIDE 6		/* a basic block */
#define RQ_LOG_STRIDE_MIN 4	/* a data segment */

/*
 * A ring of WQEs that the driver fills, with the producer counter in its doorbell record. An entry
 * is a WQE of a receive queue, but a basic block of a send queue, whose WQEs have several.
 *
 * What becomes of a queue whose record or WQE makes no sense is up to its owner. A queue pair and
 * a shared receive queue go into error state. An Ethernet queue does so for a WQE; a wrong counter
 * it leaves alone until the record is right again.
 */
struct wq {
	const struct obj *owner;
	const struct pages *pages;
	uint64_t offset;	/* of the ring within the pages */
	uint64_t dbr;
	bool send;
	uint8_t log_size, log_stride;	/* entries; bytes of one */
	uint16_t ci, pi;	/* the next entry to begin; the driver's counter as last read */
};

static inline uint32_t wq_bytes(const struct wq *wq)
{
	return 1u << (wq->log_size + wq->log_stride);
}

static inline uint16_t wq_posted(const struct wq *wq)
{
	return wq->pi - wq->ci;
}

/* Goes on behind a WQE of @n entries, but not behind what was posted. */
static inline void wq_step(struct wq *wq, unsigned int n)
{
	wq->ci = n < wq_posted(wq) ? wq->ci + (n ? n : 1) : wq->pi;
}

/*
 * Reads the doorbell record: how many entries are posted from ci on, or -1 if it cannot be read or
 * makes no sense. Entries from @oldest on are in use: the driver may be no more than the ring's
 * size ahead of it, and not behind ci. It may take back what was not begun. A doorbell that comes
 * late, when its WQEs are done, is right and posts nothing.
 */
int wq_update(struct wq *wq, uint16_t oldest);
/* Reads the entry @index, modulo the size. Returns its size in bytes, or -1. */
int wq_read(const struct wq *wq, uint16_t index, void *buf);

/* A send WQE as it was in the ring when it was fetched. */
struct wqe {
	const struct wq *wq;
	uint16_t index;
	uint8_t opcode, bbs;	/* size in basic blocks */
	uint32_t bytes;
	uint8_t raw[WQE_MAX] __attribute__((aligned(8)));
};

static inline const struct prm_wqe_ctrl_seg *wqe_ctrl(const struct wqe *w)
{
	return (const void *)w->raw;
}

/*
 * Reads a posted WQE and checks that its control segment belongs there. 0, or the syndrome of its
 * completion; opcode and bbs are then as far as they are known, NOP and 1.
 */
int wqe_fetch(const struct wq *wq, uint16_t index, struct wqe *w);
/* The driver posted nonsense: a violation. Returns the syndrome, local QP operation error. */
int wqe_bad(const struct wqe *w, const char *why, uint32_t value);
/* The event of a queue that its number names. */
void queue_event(const struct obj *queue, enum prm_event type);
/* For the flush: steps over a WQE that is posted. Returns its opcode, NOP if it cannot be read. */
uint8_t wqe_skip(struct wq *wq);

/* ---- Q counters: the names of QUERY_Q_COUNTER ---- */

struct q_counter {
	struct obj obj;
	uint32_t rx_write_requests, rx_read_requests, rx_atomic_requests, out_of_buffer;
	uint32_t out_of_sequence, duplicate_request, rnr_nak_retry_err, packet_seq_err;
	uint32_t implied_nak_seq_err, local_ack_timeout_err, req_rnr_retries_exceeded;
	uint32_t resp_local_length_error, req_local_length_error, local_operation_error;
	uint32_t resp_local_protection, req_local_protection, resp_cqe_error, req_cqe_error;
	uint32_t req_bad_response, req_remote_invalid_request, resp_remote_invalid_request;
	uint32_t req_remote_access_errors, resp_remote_access_errors, req_remote_operation_errors;
	uint32_t req_transport_retries_exceeded, cq_overflow, resp_cqe_flush_error;
	uint32_t req_cqe_flush_error;
};

#endif
