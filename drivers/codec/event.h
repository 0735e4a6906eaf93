/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Event queue entries, decoded to host order. */
#ifndef CXR_CODEC_EVENT_H
#define CXR_CODEC_EVENT_H

#include <linux/types.h>
#include "prm/eqe.h"

enum cxr_event_kind {
	CXR_EVENT_COMP,		/* num = CQN */
	CXR_EVENT_CMD,		/* vector = bit mask of completed command slots */
	CXR_EVENT_PAGES,	/* func, pages (negative: the device can return some) */
	CXR_EVENT_PORT,		/* port, up */
	CXR_EVENT_VPORT,	/* num = vport whose context has changed */
	CXR_EVENT_CQ_ERROR,	/* num = CQN, syndrome */
	CXR_EVENT_QP,		/* num = QPN, what: enum cxr_qp_event */
	CXR_EVENT_SQ,		/* num = SQN of a queue without a QP; what as above */
	CXR_EVENT_RQ,		/* num = RQN, as above */
	CXR_EVENT_DCT,		/* num = DCTN, what as above */
	CXR_EVENT_DCT_DRAINED,	/* num = DCTN of a target that nothing uses any more */
	CXR_EVENT_SRQ,		/* num = SRQN, what: 0 = limit reached, 1 = catastrophic error */
	CXR_EVENT_HEALTH,	/* warning: type and subtype for the log */
};

enum cxr_qp_event {
	CXR_QPE_PATH_MIGRATED, CXR_QPE_COMM_EST, CXR_QPE_SQ_DRAINED, CXR_QPE_LAST_WQE,
	CXR_QPE_FATAL,
	CXR_QPE_PATH_MIG_FAILED, CXR_QPE_INVALID_REQ, CXR_QPE_ACCESS,
};

struct cxr_event {
	enum cxr_event_kind kind;
	u8 type, subtype;	/* as the device sent them */
	u32 num;
	u8 what;
	u8 syndrome;
	u32 vector;
	u16 func;
	s32 pages;
	u8 port;
	bool up;
};

/*
 * Checks the owner bit of the entry at consumer index @ci of a queue of 2^@log_size. The caller
 * reads @owner once, and calls dma_rmb() after it.
 */
bool cxr_eqe_sw_owned(u8 owner, u32 ci, u8 log_size);
/* -EPROTO: unknown type; event->type and ->subtype are set nevertheless. */
int cxr_event_decode(const struct prm_eqe *eqe, struct cxr_event *event);

#endif
