// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* WQEs of the tests of the RDMA engine. */
#include "base/base.h"
#include "rdma.h"

static void fill_av(struct side *from, const struct wr *wr, struct prm_av *av)
{
	const struct roce_addr *to = &wr->to->dev->roce_addrs[wr->addr];

	(void)from;
	if (wr->dc_key)
		av->key.dc_key = cpu_to_be64(wr->dc_key);
	else
		av->key.qkey.qkey = cpu_to_be32(wr->qkey);
	av->dqp_dct = cpu_to_be32(PRM_AV_EXTENDED | wr->dqpn);
	av->udp_sport = cpu_to_be16(wr->addr == ADDR_V1 ? 0 : wr->sport ? wr->sport : 0xc123);
	av->hop_limit = 5;
	av->tclass = 2 | wr->ecn;
	av->stat_rate_sl = 3 << 1;
	av->grh_gid_fl = cpu_to_be32(PRM_AV_GRH | wr->addr << PRM_AV_GID_SHIFT);
	memcpy(av->rmac, to->mac, 6);
	memcpy(av->rgid, wr->mgid ? wr->mgid : to->gid, 16);
	if (wr->mgid) {
		av->rmac[0] = 0x33;
		av->rmac[1] = 0x33;
	}
}

static uint32_t fill_remote(const struct wr *wr, uint8_t *p)
{
	if (wr->xrc_srqn) {
		struct wr rest = *wr;

		put32(p, wr->xrc_srqn);
		rest.xrc_srqn = 0;
		return 16 + fill_remote(&rest, p + 16);
	}
	if (wr->to) {
		struct wr rest = *wr;

		fill_av(NULL, wr, (struct prm_av *)p);
		rest.to = NULL;
		return sizeof(struct prm_av) + fill_remote(&rest, p + sizeof(struct prm_av));
	}
	if (!wr->rkey)
		return 0;
	put64(p, wr->raddr);
	put32(p + 8, wr->rkey);
	put32(p + 12, 0);
	if (wr->opcode != PRM_WQE_ATOMIC_CS && wr->opcode != PRM_WQE_ATOMIC_FA)
		return 16;
	put64(p + 16, wr->swap_add);
	put64(p + 24, wr->compare);
	return 32;
}

static uint32_t fill_data(const struct wr *wr, uint8_t *p)
{
	uint32_t len = 0, i;

	if (wr->inl) {
		put32(p, PRM_WQE_INLINE | wr->inl_len);
		memcpy(p + 4, wr->inl, wr->inl_len);
		return (wr->inl_len + 4 + 15) & ~15u;
	}
	for (i = 0; i < wr->n; i++, len += 16) {
		put32(p + len, wr->sge[i].len);
		put32(p + len + 4, wr->sge[i].key);
		put64(p + len + 8, wr->sge[i].va);
	}
	return len;
}

void post_wqe(struct tqp *qp, const struct wr *wr, uint8_t *raw, uint32_t len)
{
	uint32_t i;

	put32(raw, (uint32_t)qp->sq_pi << 8 | wr->opcode);
	if (wr->stream)
		put16(raw + 9, wr->stream);
	raw[11] = wr->flags | (wr->quiet ? 0 : PRM_WQE_CE_ALWAYS);
	put32(raw + 12, wr->imm);
	put32(raw + 4, qp->qpn << 8 | len / 16);
	for (i = 0; i < len; i += 64, qp->sq_pi++)
		memcpy(mem_at(qp->side, qp->sq + (qp->sq_pi & ((1u << qp->log_sq) - 1)) * 64),
		       raw + i, 64);
	put32((uint8_t *)mem_at(qp->side, qp->dbr) + 4, qp->sq_pi);
}

void post_send_quietly(struct tqp *qp, const struct wr *wr)
{
	uint8_t raw[1024] = {};
	uint32_t len = 16;

	len += fill_remote(wr, raw + len);
	len += fill_data(wr, raw + len);
	post_wqe(qp, wr, raw, len);
}

void ring(struct tqp *qp)
{
	sq_doorbell(qp->side->dev, qp->side->uar, (uint64_t)qp->sq_pi << 40 | qp->qpn << 8);
}

void post_send(struct tqp *qp, const struct wr *wr)
{
	post_send_quietly(qp, wr);
	ring(qp);
}

static void fill_recv(uint8_t *p, unsigned int n, unsigned int room, const struct tsge *sge)
{
	unsigned int i;

	for (i = 0; i < n; i++, p += 16) {
		put32(p, sge[i].len);
		put32(p + 4, sge[i].key);
		put64(p + 8, sge[i].va);
	}
	if (n < room) {
		put32(p, 0);
		put32(p + 4, PRM_WQE_LKEY_TERMINATE);
		put64(p + 8, 0);
	}
}

void post_recv(struct tqp *qp, unsigned int n, const struct tsge *sge)
{
	uint32_t stride = 16u << qp->log_rq_stride;

	fill_recv(mem_at(qp->side, qp->rq + (qp->rq_pi & ((1u << qp->log_rq) - 1)) * stride), n,
		  stride / 16, sge);
	qp->rq_pi++;
	put32(mem_at(qp->side, qp->dbr), qp->rq_pi);
}

void post_srq(struct tsrq *srq, unsigned int n, const struct tsge *sge)
{
	fill_recv((uint8_t *)mem_at(srq->side, srq->ring + 64 * srq->head) + 16, n, 3, sge);
	srq->head = (srq->head + 5) & ((1u << srq->log) - 1);
	srq->posted++;
	put32(mem_at(srq->side, srq->dbr), srq->posted);
}
