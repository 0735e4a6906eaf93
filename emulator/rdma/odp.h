/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Page faults. A queue pair that meets a page that is not present raises an event and stops there,
 * until the driver resumes it: then it does the same again, or fails. The rest of the device goes
 * on; a requester at the other end hears "receiver not ready".
 *
 * The event of the transport scheme names the request, that of the memory scheme the key and the
 * pages that the next packet of it needs: one event for each range of them, all with one token.
 */
#ifndef CXEMU_ODP_H
#define CXEMU_ODP_H

#include "key/key.h"

struct qp;

extern const struct cmd_desc cmds_odp[];

/* Where a queue pair can wait, in each place for one page at a time. */
enum wait_place {
	WAIT_SENDING,		/* data of a send WQE */
	WAIT_RESPONSE,		/* where a response goes */
	WAIT_REQUEST,		/* a request of the other end, or the receive WQE for it */
	WAIT_READ,		/* the data that another end reads */
	WAIT_PLACES
};

enum page_fault_result {
	PAGE_FAULT_RAISED,		/* the queue pair waits in this place */
	PAGE_FAULT_LATER,		/* there are too many: try again in PAGE_FAULT_LATER_NS */
	PAGE_FAULT_REFUSED		/* the access fails */
};

#define PAGE_FAULT_LATER_NS	1000000ull

struct page_fault {
	struct qp *qp;		/* that it is of; NULL: free */
	bool waits;		/* the queue pair does */
	bool gone;		/* free, but not resumed: the queue is gone */
	enum wait_place place;
	uint64_t token;
	unsigned int events;	/* that have the token */
	unsigned int late;	/* free: how many of them may still be resumed, for nothing */
	bool without_error;	/* free: one was resumed so, as only the last event may be */
	uint8_t type;		/* as in the event */
	uint32_t wq;
	uint32_t pos, psn, rkey;	/* of the request that waits */
	/* What comes next. @error: the page will not come. */
	void (*resume)(struct qp *qp, const struct page_fault *fault, bool error);
};

/* What is not there. */
struct missing_wqe {
	enum wait_place place;
	uint8_t op;		/* ODP_*: what of the transport it belongs to */
	uint8_t type;		/* enum prm_fault_wqe */
	uint32_t wq;
	uint16_t index;
	const struct sg_list *data;
	uint32_t committed;	/* bytes of the WQE's data that are done */
	uint32_t len;		/* of the packet */
	uint32_t pos;
	void (*resume)(struct qp *qp, const struct page_fault *fault, bool error);
};

struct missing_rdma {
	enum wait_place place;
	uint8_t op;
	unsigned int access;	/* enum mem_access */
	struct mem_user user;
	uint32_t rkey;
	uint64_t va;		/* of the operation */
	uint32_t op_len, committed, len;
	uint32_t psn;
	void (*resume)(struct qp *qp, const struct page_fault *fault, bool error);
};

enum page_fault_result page_fault_wqe(struct qp *qp, const struct missing_wqe *what);
enum page_fault_result page_fault_rdma(struct qp *qp, const struct missing_rdma *what);
/* The queue pair does not wait any more, but the driver may still resume it. */
void page_fault_cancel(struct qp *qp, enum wait_place place);
/* The queue pair, or a shared receive queue, is destroyed: the driver need not resume these. */
void page_faults_forget(struct qp *qp);
void page_faults_forget_srq(struct cxdev *dev, uint32_t srqn);

/* ---- per function -------------------------------------------------------------------------- */

/*
 * At a time, each counted as often as it has events: a quarter of the entries that drivers give the
 * event queue. The rest is for faults that end before the driver has read all of their events.
 */
#define PAGE_FAULTS_LOG	10
#define PAGE_FAULTS		(1u << PAGE_FAULTS_LOG)

struct page_fault_state {
	unsigned int n, events;		/* not free, and their events: at most PAGE_FAULTS */
	unsigned int next;		/* where to look for a free one */
	uint64_t raised, failed, later;
	struct page_fault faults[PAGE_FAULTS];
};

void page_fault_state_stop(struct page_fault_state *state);	/* the counts stay */

#endif
