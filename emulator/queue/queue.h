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
uint32_t cq_number(const struct cq *cq);
/* Doorbells. */
void eq_doorbell(struct cxdev *dev, uint32_t uar, uint32_t value, bool arm);
void cq_arm_doorbell(struct cxdev *dev, uint32_t uar, uint64_t value);

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
