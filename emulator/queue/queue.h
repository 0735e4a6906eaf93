/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * queue: rings in guest memory. Event queues and completion queues, which the device fills, and
 * what all work queues, which it drains, have in common.
 *
 * An entry's owner bit is written last. An EQ raises one interrupt, and a CQ one event, each time
 * it is armed. A queue that overruns reports it and accepts no more entries.
 */
#ifndef CXEMU_QUEUE_H
#define CXEMU_QUEUE_H

#include "func/user.h"
#include "prm/cqe.h"
#include "prm/wqe.h"

extern const struct cmd_desc cmds_eq[], cmds_cq[], cmds_q_counter[];

/* ---- a queue's memory: pages.c ---- */

/* The pages that hold a queue, as a command lists them, or those of a umem. */
struct pages {
	uint64_t *pa;
	uint32_t n;
	uint8_t log_size; /* of one page, 12.. */
	uint64_t offset;  /* first byte of the queue within the first page */
	struct umem *umem; /* NULL: the list is the queue's own */
};

/*
 * Reads the list of big-endian addresses at @tail of the command's input and checks their number
 * and alignment. @log_page_size and @page_offset are as in a queue's context: the page size counts
 * from 4 KiB, the offset in 64ths of a page. Returns 0, or refuses the command.
 */
int pages_get(struct cmd *c, struct pages *pages, const void *tail, uint64_t bytes,
	      unsigned int log_page_size, unsigned int page_offset);
/*
 * The same for @bytes bytes of a umem, which begin at a multiple of @align and to which the device
 * has @access, MTT_READ or MTT_WRITE. @page_offset is of the context, and must be 0.
 */
int pages_get_umem(struct cmd *c, struct pages *pages, const struct umem_part *part, uint64_t bytes,
		   uint64_t align, uint64_t access, unsigned int page_offset);
/*
 * Where the doorbell record of @bytes bytes is, which is aligned to them: if @at is not valid, its
 * offset is the address; else it is in the umem, to which *umem is a reference then. In a command
 * of a user context it is in a umem if the queue is, too: refused otherwise.
 */
int dbr_get(struct cmd *c, const struct umem_part *at, unsigned int bytes, bool queue_in_umem,
	    struct umem **umem, uint64_t *dbr);
void pages_free(struct pages *pages);
int pages_read(struct cxdev *dev, const struct pages *pages, uint64_t off, void *buf, size_t len);
int pages_write(struct cxdev *dev, const struct pages *pages, uint64_t off, const void *buf,
		size_t len);
/* To be written, until the callback ends; NULL: it is not in one piece, or not to be had. */
uint8_t *pages_ptr(struct cxdev *dev, const struct pages *pages, uint64_t off, size_t len);

/* ---- EQs and CQs ---- */

#define RING_LOG_PAGE_MAX 19		/* in units of 4 KiB: 2 GiB */
#define RING_INDEX_MASK 0xffffffu

/* Of the status field of their contexts. */
#define CTX_OK		0x0
#define CTX_OVERRUN	0x9

static inline uint32_t ring_distance(uint32_t from, uint32_t to)
{
	return (to - from) & RING_INDEX_MASK;
}

struct eq;
struct cq;

/* Writes an entry to this EQ, whatever its event mask. */
void eq_push(struct eq *eq, uint8_t type, uint8_t subtype, const void *data, size_t len);

#define CQE_SESSION_MAX 64	/* completions that are compressed into one */

/*
 * Writes a 64-byte completion, whose owner bit and signature are filled in here, and raises an
 * event if the CQ is armed for it. @solicited: a receive completion with the solicited bit, or an
 * error. On overrun the CQ goes into error state with a CQ error event, and false is returned.
 * @queue: whose completion it is; it stops if a fault rule makes that an error.
 */
bool cq_push(struct cq *cq, struct obj *queue, struct prm_cqe64 *cqe, bool solicited);
/*
 * Puts the error completion of WQE @index. @owner is the SRQ number or user index, @op_qpn the
 * queue's number, for a send WQE with the opcode in bits 31:24. Returns what cq_push() does.
 */
bool cq_push_error(struct cq *cq, bool send, uint32_t owner, uint32_t op_qpn, uint16_t index,
		   enum prm_cqe_syndrome syndrome);
/* Writes what is still to be compressed: before a queue that completes here changes its state. */
void cq_flush(struct cq *cq);
uint32_t cq_number(const struct cq *cq);
/* Doorbells. */
void eq_doorbell(struct cxdev *dev, uint32_t uar, uint32_t value, bool arm);
void cq_arm_doorbell(struct cxdev *dev, uint32_t uar, uint64_t value);

/* ---- work queues: wq.c ---- */

#define WQE_MAX 1024		/* a send WQE: 63 units of 16 bytes, rounded up to basic blocks */
#define SQ_LOG_STRIDE 6		/* a basic block */
#define RQ_LOG_STRIDE_MIN 4	/* a data segment */

/*
 * A ring of WQEs that the driver fills, and the producer counter in its doorbell record. In a
 * receive queue an entry is a WQE; in a send queue it is a basic block, and a WQE takes up one or
 * more of them.
 *
 * The owner decides what an invalid counter or WQE does to the queue. A queue pair or shared
 * receive queue goes into error state for either. An Ethernet queue goes into error state for a
 * WQE, but ignores an invalid counter until the record is valid again.
 */
struct wq {
	const struct obj *owner;
	const struct pages *pages;
	uint64_t offset;	/* of the ring within the pages */
	uint64_t dbr;
	bool send;
	uint8_t log_size, log_stride;	/* of the number of entries; of the bytes of one */
	uint16_t ci, pi;	/* next entry to start; producer counter as last read */
};

static inline uint32_t wq_bytes(const struct wq *wq)
{
	return 1u << (wq->log_size + wq->log_stride);
}

static inline uint16_t wq_posted(const struct wq *wq)
{
	return wq->pi - wq->ci;
}

/* Moves ci past a WQE of @n entries (0 counts as 1), but never past pi. */
static inline void wq_step(struct wq *wq, unsigned int n)
{
	wq->ci = n < wq_posted(wq) ? wq->ci + (n ? n : 1) : wq->pi;
}

/*
 * Updates pi from the doorbell record. Returns the number of entries posted from ci on, or -1 if
 * the record cannot be read or is invalid. Entries from @oldest on are in use: the counter must not
 * be more than the size of the ring ahead of @oldest, nor behind ci. It may go back as far as ci,
 * which withdraws entries that were not started. A late doorbell, whose WQEs have already been
 * processed, finds a valid record and nothing posted.
 */
int wq_update(struct wq *wq, uint16_t oldest);
/* Would wq_update() of a receive queue find entries? Changes and logs nothing. */
bool wq_waits(const struct wq *wq);
/* Reads entry @index modulo the size of the ring. Returns the bytes read, or -1. */
int wq_read(const struct wq *wq, uint16_t index, void *buf);

/* A copy of a send WQE. */
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
 * Reads a posted WQE and validates its control segment. Returns 0, or the syndrome of its error
 * completion; opcode and bbs are then NOP and 1 as far as the segment does not tell.
 */
int wqe_fetch(const struct wq *wq, uint16_t index, struct wqe *w);
/* Reports an invalid WQE as a violation. Returns the syndrome "local QP operation error". */
int wqe_bad(const struct wqe *w, const char *why, uint32_t value);
/*
 * Skips the next posted WQE, which is to be flushed. Returns its opcode, or NOP if it cannot be
 * read. Ethernet queues put it into the error completion; queue pairs report NOP for a WQE that was
 * never started.
 */
uint8_t wqe_skip(struct wq *wq);
/* Raises an event that names @queue by type and number. */
void queue_event(const struct obj *queue, enum prm_event type);

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
	uint32_t req_cqe_flush_error, rx_dct_connect;
};

#endif
