// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Work queue entries: reading them out of guest memory, moving data between packets and what they
 * describe.
 */
#include <string.h>

#include "rdma/rdma.h"

#define SEND_DS_MAX (SEND_WQE_MAX / PRM_WQE_DS)

/* ---- send queue ---------------------------------------------------------------------------- */

/* Reads @len bytes from basic block @index on, around the end of the ring. */
static int sq_read(struct qp *qp, uint16_t index, uint32_t skip, void *buf, uint32_t len)
{
	uint32_t size = PRM_WQE_BB << qp->log_sq, off, first;
	int err;

	off = (index * (uint32_t)PRM_WQE_BB + skip) & (size - 1);
	first = size - off < len ? size - off : len;
	err = pages_read(qp->obj.dev, &qp->pages, qp->sq_offset + off, buf, first);
	if (!err && first < len)
		err = pages_read(qp->obj.dev, &qp->pages, qp->sq_offset, (uint8_t *)buf + first,
				 len - first);
	return err;
}

int sq_update(struct qp *qp)
{
	struct requester *r = &qp->req;
	uint16_t done = r->tail == r->head ? r->next : r->ring[r->tail & r->mask].index;
	uint8_t dbr[sizeof(__be32)];
	uint16_t pi;

	if (guest_read(qp->obj.dev, qp->dbr + offsetof(struct prm_wq_dbr, snd), dbr, sizeof(dbr)))
		return -1;
	pi = get32(dbr);
	if ((uint16_t)(pi - done) > 1u << qp->log_sq ||
	    (uint16_t)(pi - done) < (uint16_t)(r->next - done)) {
		violation(qp->obj.dev,
			  "QP 0x%x: send producer index %u: %u on are in use, the queue has %u",
			  qp->obj.num, pi, done, 1u << qp->log_sq);
		return -1;
	}
	r->pi = pi;
	return 0;
}

uint8_t swqe_size(struct qp *qp, uint16_t index)
{
	struct prm_wqe_ctrl_seg ctrl;
	unsigned int ds;

	if (sq_read(qp, index, 0, &ctrl, sizeof(ctrl)))
		return 1;
	ds = be32_to_cpu(ctrl.qpn_ds) & 0x3f;
	return ds ? (ds + 3) / 4 : 1;
}

int swqe_bad(struct qp *qp, uint16_t index, const char *why, uint32_t value)
{
	violation(qp->obj.dev, "QP 0x%x: send WQE %u: %s (0x%x)", qp->obj.num, index, why, value);
	return PRM_CQE_SYND_LOCAL_QP_OP;
}

static void parse_av(struct swqe *w, const struct prm_av *av)
{
	uint32_t gid_fl = be32_to_cpu(av->grh_gid_fl);

	w->dqpn = be32_to_cpu(av->dqp_dct) & PSN_MASK;
	w->qkey = be32_to_cpu(av->key.qkey.qkey);
	memcpy(w->av.dmac, av->rmac, 6);
	memcpy(w->av.dgid, av->rgid, 16);
	w->av.tclass = av->tclass;
	w->av.hop_limit = av->hop_limit;
	w->av.prio = (av->stat_rate_sl & 0xf) >> 1;
	w->av.udp_sport = be16_to_cpu(av->udp_sport);
	w->av.sgid_index = gid_fl >> PRM_AV_GID_SHIFT & 0xff;
	w->av.flow_label = gid_fl & 0xfffff;
}

/* What stands between control segment and data; *pos steps over it. 0 or a syndrome. */
static int parse_headers(struct qp *qp, struct swqe *w, uint32_t end, uint32_t *pos)
{
	const struct prm_av *av = (const void *)(w->raw + *pos);
	bool datagram = qp->st == PRM_QP_ST_UD || qp->st == PRM_QP_ST_QP1;
	uint32_t need = 0;

	if (qp->st == PRM_QP_ST_XRC) {
		if (*pos + sizeof(struct prm_wqe_xrc_seg) > end)
			return swqe_bad(qp, w->index, "the WQE ends before its XRC segment", end);
		w->xrc_srqn = get32(w->raw + *pos) & PSN_MASK;
		*pos += sizeof(struct prm_wqe_xrc_seg);
	}
	if (datagram)
		need = sizeof(*av);
	else if (w->opcode == PRM_WQE_ATOMIC_CS || w->opcode == PRM_WQE_ATOMIC_FA)
		need = sizeof(struct prm_wqe_raddr_seg) + sizeof(struct prm_wqe_atomic_seg);
	else if (w->opcode >= PRM_WQE_RDMA_WRITE && w->opcode <= PRM_WQE_RDMA_READ &&
		 w->opcode != PRM_WQE_SEND && w->opcode != PRM_WQE_SEND_IMM)
		need = sizeof(struct prm_wqe_raddr_seg);
	if (*pos + need > end)
		return swqe_bad(qp, w->index,
				"the WQE ends before the segments that its opcode needs",
				w->opcode);

	if (datagram) {
		/* The GRH bit of an address vector means nothing on Ethernet. */
		if (!(be32_to_cpu(av->dqp_dct) & PRM_AV_EXTENDED))
			return swqe_bad(qp, w->index, "RoCE needs an extended address vector",
					be32_to_cpu(av->dqp_dct));
		parse_av(w, av);
	} else if (need) {
		w->raddr = get64(w->raw + *pos);
		w->rkey = get32(w->raw + *pos + 8);
		if (need > sizeof(struct prm_wqe_raddr_seg)) {
			w->swap_add = get64(w->raw + *pos + 16);
			w->compare = get64(w->raw + *pos + 24);
		}
	}
	*pos += need;
	return 0;
}

static int parse_data(struct qp *qp, struct swqe *w, uint32_t end, uint32_t pos)
{
	int n = sge_parse_send(w->sges, w->raw + pos, w->raw + end, &w->len);

	if (n < 0)
		return swqe_bad(qp, w->index, "inline data run over the end of the WQE", end);
	w->n_sges = n;
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
	bool datagram = qp->st == PRM_QP_ST_UD || qp->st == PRM_QP_ST_QP1;

	if (datagram ? w->len > qp->mtu : w->len > 1ull << LOG_MSG_MAX) {
		violation(qp->obj.dev, "QP 0x%x: send WQE %u: message of %llu bytes", qp->obj.num,
			  w->index, (unsigned long long)w->len);
		return PRM_CQE_SYND_LOCAL_LENGTH;
	}
	if ((w->opcode == PRM_WQE_ATOMIC_CS || w->opcode == PRM_WQE_ATOMIC_FA) && w->len != 8)
		return swqe_bad(qp, w->index, "an atomic operation works on 8 bytes", w->len);
	return 0;
}

int swqe_read(struct qp *qp, uint16_t index, struct swqe *w)
{
	const struct prm_wqe_ctrl_seg *ctrl = (const void *)w->raw;
	uint32_t end, pos = sizeof(*ctrl), op;
	int err;

	w->valid = false;
	w->index = index;
	w->bbs = 1;
	w->n_sges = 0;
	w->len = 0;
	w->opcode = PRM_WQE_NOP;
	if (sq_read(qp, index, 0, w->raw, PRM_WQE_BB))
		return swqe_bad(qp, index, "it cannot be read", 0);

	op = be32_to_cpu(ctrl->opmod_idx_opcode);
	end = (be32_to_cpu(ctrl->qpn_ds) & 0x3f) * PRM_WQE_DS;
	w->opcode = op;
	w->bbs = (end + PRM_WQE_BB - 1) / PRM_WQE_BB;
	if (!end) {
		w->bbs = 1;
		return swqe_bad(qp, index, "its size is 0", be32_to_cpu(ctrl->qpn_ds));
	}
	if ((op >> 8 & 0xffff) != index)
		return swqe_bad(qp, index, "its control segment has another index", op);
	if (be32_to_cpu(ctrl->qpn_ds) >> 8 != qp->obj.num)
		return swqe_bad(qp, index, "its control segment has another QPN",
				be32_to_cpu(ctrl->qpn_ds));
	if (op >> 24 || !opcode_fits(qp, w->opcode))
		return swqe_bad(qp, index, "the QP cannot do this opcode", op);
	if ((uint16_t)(qp->req.pi - index) < w->bbs)
		return swqe_bad(qp, index, "it is longer than what was posted", w->bbs);
	if (end > PRM_WQE_BB &&
	    sq_read(qp, index, PRM_WQE_BB, w->raw + PRM_WQE_BB, end - PRM_WQE_BB))
		return swqe_bad(qp, index, "it cannot be read", 0);

	w->fence = ctrl->fm_ce_se & 0xe0;
	w->signaled = ctrl->fm_ce_se & PRM_WQE_CE_ALWAYS;
	w->solicited = ctrl->fm_ce_se & PRM_WQE_SOLICITED;
	w->imm = be32_to_cpu(ctrl->imm);
	w->bytes = end;
	if (w->opcode == PRM_WQE_UMR) {
		err = umr_check(qp, w);
		if (err)
			return err;
	} else if (w->opcode != PRM_WQE_NOP) {
		err = parse_headers(qp, w, end, &pos);
		if (!err)
			err = parse_data(qp, w, end, pos);
		if (!err)
			err = check_length(qp, w);
		if (err)
			return err;
	}
	w->valid = true;
	return 0;
}

/* ---- data ---------------------------------------------------------------------------------- */

static struct sg_list send_list(const struct qp *qp, const struct swqe *w)
{
	return (struct sg_list){ .owner = &qp->obj,
				 .user = qp_user(qp),
				 .index = w->index,
				 .n = w->n_sges,
				 .sges = w->sges,
				 .log = trace };
}

enum mem_result swqe_gather(struct qp *qp, const struct swqe *w, uint64_t off, void *buf,
			    uint32_t len)
{
	struct sg_list list = send_list(qp, w);

	return sg_gather(&list, off, buf, len);
}

enum mem_result swqe_scatter(struct qp *qp, const struct swqe *w, uint64_t off, const void *buf,
			     uint32_t len)
{
	struct sg_list list = send_list(qp, w);

	return sg_scatter(&list, off, buf, len);
}

/* The keys of a shared queue's WQEs are of its own PD. */
enum mem_result recv_scatter(struct qp *qp, const struct rwqe *w, uint64_t off, const void *buf,
			     uint32_t len)
{
	struct sg_list list = { .owner = &qp->obj,
				.user = { .pdn = w->srq ? w->srq->pd->num : qp_pdn(qp),
					  .qpn = qp->obj.num,
					  .rlky = w->srq ? w->srq->rlky : qp->rlky },
				.index = w->index,
				.n = w->n_sges,
				.sges = w->sges,
				.log = trace };

	return sg_scatter(&list, off, buf, len);
}

/* ---- receive queues ------------------------------------------------------------------------ */

static enum recv_result rq_take(struct qp *qp, struct rwqe *w)
{
	uint8_t dbr[sizeof(__be32)], raw[RECV_SGES_MAX * PRM_WQE_DS];
	uint32_t stride = PRM_WQE_DS << qp->log_rq_stride;
	uint16_t avail;

	if (guest_read(qp->obj.dev, qp->dbr, dbr, sizeof(dbr)))
		return RECV_ERROR;
	avail = get32(dbr) - qp->rq_taken;
	if (!avail)
		return RECV_EMPTY;
	if (avail > 1u << qp->log_rq) {
		violation(qp->obj.dev,
			  "QP 0x%x: receive producer index %u: %u WQEs were used, the queue has %u",
			  qp->obj.num, get32(dbr) & 0xffff, qp->rq_taken, 1u << qp->log_rq);
		return RECV_ERROR;
	}
	w->index = qp->rq_taken;
	w->srq = NULL;
	if (pages_read(qp->obj.dev, &qp->pages,
		       (uint64_t)(w->index & ((1u << qp->log_rq) - 1)) * stride, raw, stride))
		return RECV_ERROR;
	w->n_sges = sge_parse_recv(w->sges, raw, stride / PRM_WQE_DS, &w->room);
	qp->rq_taken++;
	return RECV_OK;
}

static void srq_limit_event(struct srq *srq)
{
	struct prm_eqe_qp_srq data = { .type = PRM_EQE_RSC_RQ,
				       .qp_srq_n = cpu_to_be32(srq->obj.num) };

	srq->limit = 0;
	event_dispatch(srq->obj.dev, PRM_EVENT_SRQ_RQ_LIMIT, 0, &data, sizeof(data));
}

/* The queue cannot be used any more. */
static enum recv_result srq_fail(struct srq *srq)
{
	struct prm_eqe_qp_srq data = { .type = PRM_EQE_RSC_RQ,
				       .qp_srq_n = cpu_to_be32(srq->obj.num) };

	if (!srq->error)
		event_dispatch(srq->obj.dev, PRM_EVENT_SRQ_CATAS_ERROR, 0, &data, sizeof(data));
	srq->error = true;
	return RECV_ERROR;
}

static enum recv_result srq_take(struct srq *srq, struct rwqe *w)
{
	uint8_t dbr[sizeof(__be32)], raw[SRQ_WQE_MAX];
	uint32_t stride = PRM_WQE_DS << srq->log_stride;
	const struct prm_wqe_srq_next_seg *next = (const void *)raw;
	uint16_t avail;

	if (srq->error || guest_read(srq->obj.dev, srq->dbr, dbr, sizeof(dbr)))
		return srq_fail(srq);
	avail = get32(dbr) - srq->taken;
	if (!avail)
		return RECV_EMPTY;
	if (avail > 1u << srq->log_size) {
		violation(srq->obj.dev,
			  "%s 0x%x: doorbell record %u: %u WQEs were used, the queue has %u",
			  obj_name(srq->obj.type), srq->obj.num, get32(dbr) & 0xffff, srq->taken,
			  1u << srq->log_size);
		return srq_fail(srq);
	}
	w->index = srq->head & ((1u << srq->log_size) - 1);
	w->srq = srq;
	if (pages_read(srq->obj.dev, &srq->pages, (uint64_t)w->index * stride, raw, stride))
		return srq_fail(srq);
	w->n_sges = sge_parse_recv(w->sges, raw + PRM_WQE_DS, stride / PRM_WQE_DS - 1, &w->room);
	srq->head = be16_to_cpu(next->next_wqe_index);
	srq->taken++;
	if (srq->limit && avail - 1 < srq->limit)
		srq_limit_event(srq);
	return RECV_OK;
}

enum recv_result recv_take(struct qp *qp, struct rwqe *w)
{
	enum recv_result result = RECV_EMPTY;

	if (qp->resp.srq)
		result = srq_take(qp->resp.srq, w);
	else if (qp->has_rq)
		result = rq_take(qp, w);
	if (result == RECV_EMPTY)
		qp->counters->out_of_buffer++;
	return result;
}
