/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Two ends of any transport, alike: x sends to y and, unless the transport forbids it, y to x. The
 * receiving end of XRC is a target with a shared receive queue, that of DC is a DCT.
 */
#ifndef CXEMU_TEST_RDMA_ENDS_H
#define CXEMU_TEST_RDMA_ENDS_H

#include "rdma.h"
#include "rdma_dc.h"

#define ENDS_QKEY 0x11111111u

struct end {
	enum prm_qp_st st;
	bool target;		/* of XRC or DC: it only receives; x of those only sends */
	bool doubtful;		/* a receive may fail: for the user to set */
	unsigned int addr;
	struct tcq cq;		/* made by the caller, on the side of the end */
	struct tqp qp;		/* not of a DCT */
	struct tsrq srq;	/* of a target */
	struct tdct dct;
};

/* @st: DCI stands for DC, of cards with devx. @o of both. */
void open_ends(struct end *x, struct end *y, enum prm_qp_st st, const struct qp_opts *o);
static inline bool end_sends(const struct end *end)
{
	return !end->target;
}

static inline bool end_receives(const struct end *end)
{
	return end->target || (end->st != PRM_QP_ST_XRC && end->st != PRM_QP_ST_DCI);
}

void end_recv(struct end *end, unsigned int n, const struct tsge *sge);
unsigned int end_recvs(const struct end *end);	/* that were posted and not taken */
const struct qp *end_queue(const struct end *end);	/* NULL: a DCT */
/* Fills in what the transport of @from needs to find @to. */
void aim(struct wr *wr, const struct end *from, const struct end *to);

#endif
