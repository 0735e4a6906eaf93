// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Parses the WQEs of queue pairs and shared receive queues. */
#include <string.h>

#include "rdma/rdma.h"

/* ---- send queue ---------------------------------------------------------------------------- */

static void parse_av(struct swqe *w, const struct prm_av *av)
{
	uint32_t gid_fl = be32_to_cpu(av->grh_gid_fl);

	w->dqpn = be32_to_cpu(av->dqp_dct) & PSN_MASK;
	w->qkey = be32_to_cpu(av->key.qkey.qkey);
	w->dc_key = be64_to_cpu(av->key.dc_key);
	memcpy(w->av.dmac, av->rmac, 6);
	memcpy(w->av.dgid, av->rgid, 16);
	w->av.tclass = av->tclass;
	w->av.hop_limit = av->hop_limit;
	w->av.prio = (av->stat_rate_sl & 0xf) >> 1;
	w->av.udp_sport = be16_to_cpu(av->udp_sport);
	w->av.sgid_index = gid_fl >> PRM_AV_GID_SHIFT & 0xff;
	w->av.flow_label = gid_fl & 0xfffff;
}

/* 0 or a syndrome; the GRH bit of an address vector means nothing on Ethernet. */
static int take_av(struct swqe *w, uint32_t *pos)
{
	const struct prm_av *av = (const void *)(w->wqe.raw + *pos);

	if (*pos + sizeof(*av) > w->wqe.bytes)
		return wqe_bad(&w->wqe, "the WQE ends before its address vector", w->wqe.bytes);
	if (!(be32_to_cpu(av->dqp_dct) & PRM_AV_EXTENDED))
		return wqe_bad(&w->wqe, "RoCE needs an extended address vector",
			       be32_to_cpu(av->dqp_dct));
	parse_av(w, av);
	*pos += sizeof(*av);
	return 0;
}

/* Parses the segments between control and data, and advances *pos. 0 or a syndrome. */
static int parse_headers(struct qp *qp, struct swqe *w, uint32_t *pos)
{
	uint32_t end = w->wqe.bytes, need = 0;

	if (qp_datagram(qp))
		return take_av(w, pos);
	if (qp->st == PRM_QP_ST_DCI && take_av(w, pos))
		return PRM_CQE_SYND_LOCAL_QP_OP;
	if (qp->st == PRM_QP_ST_DCI && w->av.dmac[0] & 1)
		return wqe_bad(&w->wqe, "the MAC of a DC target is that of a group",
			       w->av.dmac[0]);
	if (qp->st == PRM_QP_ST_XRC) {
		if (*pos + sizeof(struct prm_wqe_xrc_seg) > end)
			return wqe_bad(&w->wqe, "the WQE ends before its XRC segment", end);
		w->xrc_srqn = get32(w->wqe.raw + *pos) & PSN_MASK;
		*pos += sizeof(struct prm_wqe_xrc_seg);
	}
	if (w->wqe.opcode == PRM_WQE_ATOMIC_CS || w->wqe.opcode == PRM_WQE_ATOMIC_FA)
		need = sizeof(struct prm_wqe_raddr_seg) + sizeof(struct prm_wqe_atomic_seg);
	else if (w->wqe.opcode >= PRM_WQE_RDMA_WRITE && w->wqe.opcode <= PRM_WQE_RDMA_READ &&
		 w->wqe.opcode != PRM_WQE_SEND && w->wqe.opcode != PRM_WQE_SEND_IMM)
		need = sizeof(struct prm_wqe_raddr_seg);
	if (*pos + need > end)
		return wqe_bad(&w->wqe, "the WQE ends before the segments that its opcode needs",
			       w->wqe.opcode);

	if (need) {
		w->raddr = get64(w->wqe.raw + *pos);
		w->rkey = get32(w->wqe.raw + *pos + 8);
		if (need > sizeof(struct prm_wqe_raddr_seg)) {
			w->swap_add = get64(w->wqe.raw + *pos + 16);
			w->compare = get64(w->wqe.raw + *pos + 24);
		}
	}
	*pos += need;
	return 0;
}

static int parse_data(struct swqe *w, uint32_t pos)
{
	const struct wqe *wqe = &w->wqe;

	if (sg_parse_send(&w->data, w->sges, wqe->raw + pos, wqe->raw + wqe->bytes))
		return wqe_bad(wqe, "inline data run over the end of the WQE", wqe->bytes);
	return 0;
}

static bool opcode_fits(const struct qp *qp, uint8_t opcode)
{
	switch (opcode) {
	case PRM_WQE_NOP:
		return true;
	case PRM_WQE_SEND:
	case PRM_WQE_SEND_IMM:
		return qp->st != PRM_QP_ST_REG_UMR;
	case PRM_WQE_RDMA_WRITE:
	case PRM_WQE_RDMA_WRITE_IMM:
		return qp_reliable(qp) || qp->st == PRM_QP_ST_UC;
	case PRM_WQE_UMR:
		return qp_reliable(qp) || qp->st == PRM_QP_ST_UC ||
		       qp->st == PRM_QP_ST_REG_UMR;
	case PRM_WQE_SEND_INVAL:
	case PRM_WQE_RDMA_READ:
	case PRM_WQE_ATOMIC_CS:
	case PRM_WQE_ATOMIC_FA:
		return qp_reliable(qp);
	default:
		return false;
	}
}

static int check_length(struct qp *qp, const struct swqe *w)
{
	bool datagram = qp_datagram(qp);

	if (w->data.len > (datagram ? qp->mtu : qp->max_msg)) {
		violation(qp->obj.dev, "QP 0x%x: send WQE %u: message of %llu bytes", qp->obj.num,
			  w->wqe.index, (unsigned long long)w->data.len);
		return PRM_CQE_SYND_LOCAL_LENGTH;
	}
	if ((w->wqe.opcode == PRM_WQE_ATOMIC_CS || w->wqe.opcode == PRM_WQE_ATOMIC_FA) &&
	    w->data.len != 8)
		return wqe_bad(&w->wqe, "an atomic operation works on 8 bytes", w->data.len);
	return 0;
}

int swqe_read(struct qp *qp, uint16_t index, struct swqe *w)
{
	const struct prm_wqe_ctrl_seg *ctrl = wqe_ctrl(&w->wqe);
	uint32_t op, pos = sizeof(*ctrl);
	int err;

	w->valid = false;
	w->stream = 0;
	w->data = (struct sg_list){
		.owner = &qp->obj, .user = qp_user(qp), .index = index, .log = trace
	};
	err = wqe_fetch(&qp->sq, index, &w->wqe);
	if (err)
		return err;
	if (qp->st == PRM_QP_ST_DCI && w->wqe.bytes > hca_dc_wqe_bytes(qp->obj.dev))
		return wqe_bad(&w->wqe, "it is longer than max_wqe_sz_sq_dc", w->wqe.bytes);
	op = be32_to_cpu(ctrl->opmod_idx_opcode);
	if (op >> 24 || !opcode_fits(qp, w->wqe.opcode))
		return wqe_bad(&w->wqe, "the QP cannot do this opcode", op);

	w->fence = ctrl->fm_ce_se & 0xe0;
	w->signaled = ctrl->fm_ce_se & PRM_WQE_CE_ALWAYS;
	w->solicited = ctrl->fm_ce_se & PRM_WQE_SOLICITED;
	w->imm = be32_to_cpu(ctrl->imm);
	if (qp->dci.streams)
		w->stream = get16(ctrl->dci_stream_channel_id);
	if (w->wqe.opcode == PRM_WQE_UMR) {
		err = umr_check(qp, w);
	} else if (w->wqe.opcode != PRM_WQE_NOP) {
		err = parse_headers(qp, w, &pos);
		if (!err)
			err = parse_data(w, pos);
		if (!err)
			err = check_length(qp, w);
	}
	w->valid = !err;
	return err;
}

/* ---- receive queues ------------------------------------------------------------------------ */

static enum recv_result rq_take(struct qp *qp, struct rwqe *w)
{
	int posted = wq_update(&qp->rq, qp->rq.ci), bytes;
	uint8_t raw[RECV_SGES_MAX * PRM_WQE_DS];

	if (posted <= 0)
		return posted ? RECV_ERROR : RECV_EMPTY;
	w->index = qp->rq.ci;
	w->srq = NULL;
	bytes = wq_read(&qp->rq, w->index, raw);
	if (bytes < 0)
		return RECV_ERROR;
	w->room = (struct sg_list){
		.owner = &qp->obj,
		.user = { .pdn = qp_pdn(qp), .qpn = qp->obj.num, .rlky = qp->rlky },
		.index = w->index,
		.log = trace
	};
	sg_parse_recv(&w->room, w->sges, raw, raw + bytes);
	qp->rq.ci++;
	return RECV_OK;
}

/* Puts the shared queue into error state. */
static enum recv_result srq_fail(struct srq *srq)
{
	if (!srq->error)
		queue_event(&srq->obj, PRM_EVENT_SRQ_CATAS_ERROR);
	srq->error = true;
	return RECV_ERROR;
}

/* The keys are of the shared queue's PD. */
static enum recv_result srq_take(struct qp *qp, struct srq *srq, struct rwqe *w)
{
	int posted = srq->error ? -1 : wq_update(&srq->wq, srq->wq.ci), bytes;
	uint8_t raw[SRQ_WQE_MAX];
	const struct prm_wqe_srq_next_seg *next = (const void *)raw;

	if (posted <= 0)
		return posted ? srq_fail(srq) : RECV_EMPTY;
	w->index = srq->head & ((1u << srq->wq.log_size) - 1);
	w->srq = srq;
	bytes = wq_read(&srq->wq, w->index, raw);
	if (bytes < 0)
		return srq_fail(srq);
	w->room = (struct sg_list){
		.owner = &qp->obj,
		.user = { .pdn = srq->pd->num, .qpn = qp->obj.num, .rlky = srq->rlky },
		.index = w->index,
		.log = trace
	};
	sg_parse_recv(&w->room, w->sges, raw + PRM_WQE_DS, raw + bytes);
	srq->head = srq->cyclic ? w->index + 1 : be16_to_cpu(next->next_wqe_index);
	srq->wq.ci++;
	if (srq->limit && posted - 1 < srq->limit) {
		srq->limit = 0;
		queue_event(&srq->obj, PRM_EVENT_SRQ_RQ_LIMIT);
	}
	return RECV_OK;
}

bool recv_waits(const struct qp *qp)
{
	const struct srq *srq = qp->resp.srq;

	if (srq)
		return !srq->error && wq_waits(&srq->wq);
	return qp->has_rq && wq_waits(&qp->rq);
}

enum recv_result recv_take(struct qp *qp, struct rwqe *w)
{
	enum recv_result result = RECV_EMPTY;

	if (qp->resp.srq)
		result = srq_take(qp, qp->resp.srq, w);
	else if (qp->has_rq)
		result = rq_take(qp, w);
	if (result == RECV_EMPTY)
		qp->counters->out_of_buffer++;
	return result;
}
