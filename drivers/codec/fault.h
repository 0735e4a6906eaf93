/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Page faults of the device, and what memory they ask for. The numbers of an event are the
 * device's, the request that it refers to is in memory that a program writes: nothing is trusted.
 */
#ifndef CXR_CODEC_FAULT_H
#define CXR_CODEC_FAULT_H

#include <linux/types.h>
#include "prm/eqe.h"
#include "prm/wqe.h"

/*
 * What one fault brings in at most. The device goes on from there, and may fault again; a request
 * of gigabytes must not keep a worker, or memory that nothing needs yet.
 */
#define CXR_FAULT_BYTES		(64U << 20)

enum cxr_fault_kind {
	CXR_FAULT_SEND,		/* a send WQE of QP @queue: what it sends, or what a READ returns */
	CXR_FAULT_RECV,		/* a receive WQE of QP @queue */
	CXR_FAULT_SRQ,		/* a WQE of SRQ @queue */
	CXR_FAULT_RDMA,		/* a request of a peer, for @len bytes at @va of @rkey */
	CXR_FAULT_MEMORY,	/* any access to @len bytes at @va of the key @rkey */
	CXR_FAULT_UNKNOWN,
};

struct cxr_fault {
	enum cxr_fault_kind kind;
	bool last;		/* of the events with its token; MEMORY may have several */
	u8 type;		/* for the answer, as are: */
	u64 token;
	u32 queue;		/* and its number */
	u32 committed;		/* of a WQE: bytes of its data that are done */
	u16 index;		/* of the WQE */
	u32 rkey;
	u64 va;
	u32 len;
	u32 before, after;	/* bytes around these that are worth having, too */
};

/*
 * -EPROTO: a form that the driver has not asked for; kind is CXR_FAULT_UNKNOWN, and only the answer
 * is set. Ranges do not go beyond the last address, and have CXR_FAULT_BYTES at most.
 */
int cxr_fault_decode(const struct prm_eqe *eqe, struct cxr_fault *fault);
/* Is the fault resumed after this event, with @err or 0? An error does not wait for the others. */
bool cxr_fault_ends(const struct cxr_fault *fault, int err);

/* A part of memory. The key is of a data segment, and may be any. */
struct cxr_fault_range {
	u32 key;
	u64 va;
	u64 len;		/* not 0 */
};

/* What is known about the WQE of a fault. */
struct cxr_fault_wqe {
	enum cxr_fault_kind kind;	/* not CXR_FAULT_RDMA */
	bool datagram;			/* a send has an address vector */
	bool xrc;			/* or an XRC segment */
	u32 terminate_lkey;		/* ends the list of a receive */
	u32 committed;
};

/* Walks over the data of a WQE; all fields are private. */
struct cxr_fault_walk {
	const u8 *wqe;
	u32 at, end;
	u32 committed;		/* still to be passed over */
	u32 left;		/* of CXR_FAULT_BYTES */
	bool recv;
	u32 terminate_lkey;
};

/* Bytes of a send WQE, from its control segment: 0 if it is none that has data. */
u32 cxr_fault_send_bytes(const struct prm_wqe_ctrl_seg *ctrl);
/*
 * @wqe: @len bytes, of a send WQE what cxr_fault_send_bytes() says; they must not change until the
 * walk is over. -EINVAL: no request that moves data, or one that does not fit.
 */
int cxr_fault_walk_begin(struct cxr_fault_walk *walk, const struct cxr_fault_wqe *what,
			 const void *wqe, u32 len);
/*
 * The next part of memory that is not done yet: 1; 0: there is no other, or enough for one fault;
 * -EINVAL: a segment does not fit.
 */
int cxr_fault_walk_next(struct cxr_fault_walk *walk, struct cxr_fault_range *range);

/* The last range has no memory that comes by faults: it does not count for what is enough. */
static inline void cxr_fault_walk_uncount(struct cxr_fault_walk *walk,
					  const struct cxr_fault_range *range)
{
	walk->left += range->len;
}

#endif
