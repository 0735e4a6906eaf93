/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * dcqcn: congestion control of RoCE v2. The receiver of marked packets, the notification point,
 * sends congestion notifications (CNPs); the sender of data, the reaction point, lowers the rate of
 * the queue pair, and raises it again by time and by bytes sent. On an instant wire there are
 * no rates: CNPs are sent for each marked packet, and counted.
 */
#ifndef CXEMU_DCQCN_H
#define CXEMU_DCQCN_H

#include "prm/cong.h"
#include "wire/vtime.h"

struct qp;
struct av;
struct card;
struct frame;
struct cxdev;

/* Of a function, as the driver sets them; a bit for each priority. */
struct cong_state {
	struct prm_cong_control_r_roce_ecn_rp rp;
	struct prm_cong_control_r_roce_ecn_np np;
	struct prm_cong_control_r_roce_general general;	/* has no effect */
	uint8_t rp_enabled, np_enabled;
	uint32_t flows, flows_ever;
};

/* Of a queue pair. */
struct reaction {
	bool limited;			/* there was a CNP, and the rate has not recovered */
	uint64_t rate, target;		/* bits per second */
	uint32_t alpha;			/* a fraction of ALPHA_ONE */
	bool marked;			/* a CNP came since alpha was updated */
	uint64_t alpha_ps;		/* when that was */
	uint64_t decreased_ps;
	unsigned int time_stage, byte_stage;
	bool clamp;			/* an increase since the last decrease says so */
	uint64_t bytes;			/* since the last increase by bytes */
	uint64_t next_ps;		/* the next packet may be sent */
	uint64_t cnp_ps;		/* of the notification point: when the last was sent */
	struct vevent decrease, increase, pace;
};

void cong_reset(struct cxdev *dev);
/* Does the card have the parameters of cong_protocol 3? */
bool cong_general(const struct card *card);
void dcqcn_init(struct qp *qp);
void dcqcn_stop(struct qp *qp);
/* Sends of the QP's data: may the next packet go now? If not, its work is queued when it may. */
bool dcqcn_may_send(struct qp *qp);
void dcqcn_sent(struct qp *qp, const struct frame *frame);
/* A CNP for the QP; false: it is ignored. */
bool dcqcn_notified(struct qp *qp);
/* Is a marked packet to be answered by a CNP now? */
bool dcqcn_notify(struct qp *qp);
/* Of the CNPs that the QP sends. */
void dcqcn_cnp_path(const struct qp *qp, struct av *av);
/* Are the QP's packets ECN-capable? */
bool dcqcn_tags(const struct qp *qp);

#endif
