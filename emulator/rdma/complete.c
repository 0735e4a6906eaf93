// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Completions of queue pairs. */
#include <string.h>

#include "rdma/rdma.h"

/* CQE version 1 has the user index of the QP in this field, version 0 the SRQ number. */
static uint32_t owner_field(const struct qp *qp, const struct srq *srq)
{
	if (srq && srq->obj.type == OBJ_XRC_SRQ && srq->user_index != QP_NO_USER_INDEX)
		return srq->user_index;
	if (qp->user_index != QP_NO_USER_INDEX)
		return qp->user_index;
	return srq ? srq->obj.num : 0;
}

/* A completion that is lost to a CQ overrun puts the queue pair into error state. */
static void pushed(struct qp *qp, bool ok)
{
	if (ok)
		return;
	qp->counters->cq_overflow++;
	if (qp->state != PRM_QP_ERR) {
		qp_event(qp, PRM_EVENT_WQ_CATAS_ERROR);
		qp_set_error(qp);
	}
}

void complete_send(struct qp *qp, const struct message *msg)
{
	struct prm_cqe64 cqe = {
		.srqn = cpu_to_be32(owner_field(qp, NULL)),
		.sop_drop_qpn = cpu_to_be32((uint32_t)msg->opcode << 24 | qp->obj.num),
		.wqe_counter = cpu_to_be16(msg->index),
		.op_own = PRM_CQE_REQ << PRM_CQE_OPCODE_SHIFT,
	};

	if (!msg->signaled)
		return;
	if (msg->opcode == PRM_WQE_RDMA_READ || msg->opcode == PRM_WQE_ATOMIC_CS ||
	    msg->opcode == PRM_WQE_ATOMIC_FA)
		cqe.byte_cnt = cpu_to_be32(msg->len);
	pushed(qp, cq_push(qp->send_cq, &qp->obj, &cqe, false));
}

void complete_send_error(struct qp *qp, uint16_t index, uint8_t opcode,
			 enum prm_cqe_syndrome syndrome)
{
	struct q_counter *q = qp->counters;

	q->req_cqe_error++;
	switch (syndrome) {
	case PRM_CQE_SYND_WR_FLUSH:
		q->req_cqe_flush_error++;
		break;
	case PRM_CQE_SYND_LOCAL_LENGTH:
		q->req_local_length_error++;
		break;
	case PRM_CQE_SYND_LOCAL_QP_OP:
		q->local_operation_error++;
		break;
	case PRM_CQE_SYND_LOCAL_PROT:
		q->req_local_protection++;
		break;
	case PRM_CQE_SYND_BAD_RESP:
		q->req_bad_response++;
		break;
	case PRM_CQE_SYND_REMOTE_INVAL_REQ:
		q->req_remote_invalid_request++;
		break;
	case PRM_CQE_SYND_REMOTE_ACCESS:
		q->req_remote_access_errors++;
		break;
	case PRM_CQE_SYND_REMOTE_OP:
		q->req_remote_operation_errors++;
		break;
	case PRM_CQE_SYND_TRANSPORT_RETRY_EXC:
		q->req_transport_retries_exceeded++;
		break;
	case PRM_CQE_SYND_RNR_RETRY_EXC:
		q->req_rnr_retries_exceeded++;
		break;
	default:
		break;
	}
	if (syndrome != PRM_CQE_SYND_WR_FLUSH)
		trace(qp->obj.dev, "QP 0x%x: send WQE %u ends with syndrome 0x%02x", qp->obj.num,
		      index, syndrome);
	pushed(qp, cq_push_error(qp->send_cq, true, owner_field(qp, NULL),
				 (uint32_t)opcode << 24 | qp->obj.num, index, syndrome));
}

/* XRC SRQs have a CQ of their own. */
static struct cq *recv_cq(const struct qp *qp, const struct rwqe *wqe)
{
	return wqe->srq && wqe->srq->cq ? (struct cq *)wqe->srq->cq : qp->recv_cq;
}

void complete_recv(struct qp *qp, const struct rwqe *wqe, struct prm_cqe64 *cqe,
		   enum prm_cqe_opcode opcode, bool solicited)
{
	cqe->srqn = cpu_to_be32(owner_field(qp, wqe->srq));
	cqe->sop_drop_qpn = cpu_to_be32(qp->obj.num);
	cqe->wqe_counter = cpu_to_be16(wqe->index);
	cqe->op_own = opcode << PRM_CQE_OPCODE_SHIFT | (solicited ? PRM_CQE_SOLICITED : 0);
	pushed(qp, cq_push(recv_cq(qp, wqe), &qp->obj, cqe, solicited));
}

void complete_recv_error(struct qp *qp, const struct rwqe *wqe, enum prm_cqe_syndrome syndrome)
{
	struct q_counter *q = qp->counters;

	q->resp_cqe_error++;
	if (syndrome == PRM_CQE_SYND_WR_FLUSH)
		q->resp_cqe_flush_error++;
	else if (syndrome == PRM_CQE_SYND_LOCAL_LENGTH)
		q->resp_local_length_error++;
	else if (syndrome == PRM_CQE_SYND_LOCAL_PROT)
		q->resp_local_protection++;
	else if (syndrome == PRM_CQE_SYND_REMOTE_INVAL_REQ)
		q->resp_remote_invalid_request++;
	if (syndrome != PRM_CQE_SYND_WR_FLUSH)
		trace(qp->obj.dev, "QP 0x%x: receive WQE %u ends with syndrome 0x%02x", qp->obj.num,
		      wqe->index, syndrome);
	pushed(qp, cq_push_error(recv_cq(qp, wqe), false, owner_field(qp, wqe->srq), qp->obj.num,
				 wqe->index, syndrome));
}
