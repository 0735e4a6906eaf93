// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Ethernet queues and what steers to them: TIS, SQ, RQ, RQT, TIR.
 *
 * References: an SQ uses its CQ, PD, UAR and TIS; an RQ its CQ, PD and set of counters; an RQT its
 * RQs; a TIR its RQ or RQT and its transport domain, a TIS its transport domain.
 */
#include <stdlib.h>
#include <string.h>

#include "nic/nic.h"
#include "port/lag.h"

#define LOG_SQ_STRIDE 6
#define LOG_RQ_STRIDE_MIN 4
#define LOG_RQ_STRIDE_MAX 9
#define LOG_PAGE_MAX 31
#define TS_FORMAT_DEFAULT 1

/* ---- TIS ---- */

static void tis_release(void *obj)
{
	struct tis *tis = obj;

	obj_put(tis->td);
}

static int check_tisc(struct cmd *c, const struct prm_tisc *ctx)
{
	if (!lag_announced(c->dev) &&
	    is_set(c, ctx, strict_lag_tx_port_affinity, "but LAG is not advertised"))
		return -1;
	if (is_set(c, ctx, tls_en, "but TLS is not advertised") ||
	    lag_check_affinity(c, prm_get(ctx, lag_tx_port_affinity)) ||
	    is_set(c, ctx, underlay_qpn, "but this is an Ethernet port") ||
	    is_set(c, ctx, pd, "but only TLS uses it"))
		return -1;
	return 0;
}

static int run_create_tis(struct cmd *c)
{
	const struct prm_create_tis_in *in = c->in;
	const struct prm_tisc *ctx = prm_sub_const(in, ctx, tisc);
	struct prm_create_tis_out *out = c->out;
	struct tis *tis;

	if (check_tisc(c, ctx))
		return -1;
	tis = obj_create(c, OBJ_TIS, sizeof(*tis));
	if (!tis)
		return -1;
	tis->obj.release = tis_release;
	tis->ctx = *ctx;
	tis->td = obj_use(c, OBJ_TD, prm_get(ctx, transport_domain), "transport_domain");
	if (!tis->td) {
		obj_drop_failed(tis);
		return -1;
	}
	prm_set(out, tisn, tis->obj.num);
	return 0;
}

static int run_modify_tis(struct cmd *c)
{
	const struct prm_modify_tis_in *in = c->in;
	struct tis *tis = obj_get(c, OBJ_TIS, prm_get(in, tisn), "tisn");

	if (!tis)
		return -1;
	if (!lag_announced(c->dev) &&
	    (is_set(c, in, bitmask.lag_tx_port_affinity, "but LAG is not advertised") ||
	     is_set(c, in, bitmask.strict_lag_tx_port_affinity, "but LAG is not advertised")))
		return -1;
	if (prm_get(in, bitmask.lag_tx_port_affinity)) {
		if (lag_check_affinity(c, prm_get(in, ctx.lag_tx_port_affinity)))
			return -1;
		prm_set(&tis->ctx, lag_tx_port_affinity, prm_get(in, ctx.lag_tx_port_affinity));
	}
	if (prm_get(in, bitmask.strict_lag_tx_port_affinity))
		prm_set(&tis->ctx, strict_lag_tx_port_affinity,
			prm_get(in, ctx.strict_lag_tx_port_affinity));
	if (prm_get(in, bitmask.prio))
		prm_set(&tis->ctx, prio, prm_get(in, ctx.prio));
	return 0;
}

static int run_query_tis(struct cmd *c)
{
	const struct prm_query_tis_in *in = c->in;
	struct prm_query_tis_out *out = c->out;
	struct tis *tis = obj_get(c, OBJ_TIS, prm_get(in, tisn), "tisn");

	if (!tis)
		return -1;
	*prm_sub(out, tis_context, tisc) = tis->ctx;
	return 0;
}

static int run_destroy_tis(struct cmd *c)
{
	const struct prm_destroy_tis_in *in = c->in;
	struct tis *tis = obj_get(c, OBJ_TIS, prm_get(in, tisn), "tisn");

	return tis ? obj_destroy(c, tis) : -1;
}

/* ---- work queues ---- */

static int check_wq(struct cmd *c, const struct prm_wq *wq)
{
	if (is_set(c, wq, wq_signature, "but it is not advertised") ||
	    is_set(c, wq, cd_slave, "but cross-channel queues are not advertised") ||
	    is_set(c, wq, hds_skip_first_sge, "but header split is not advertised") ||
	    is_set(c, wq, log2_hds_buf_size, "but header split is not advertised") ||
	    is_set(c, wq, lwm, "but low watermarks are not advertised") ||
	    is_set(c, wq, dbr_umem_valid, "but there are no user contexts") ||
	    is_set(c, wq, wq_umem_valid, "but there are no user contexts") ||
	    is_set(c, wq, log_hairpin_num_packets, "but hairpin is not advertised") ||
	    is_set(c, wq, log_hairpin_data_sz, "but hairpin is not advertised") ||
	    is_set(c, wq, two_byte_shift_en, "but it is not advertised") ||
	    is_set(c, wq, shampo_enable, "but it is not advertised"))
		return -1;
	if (prm_get(wq, wq_type) != PRM_WQ_CYCLIC)
		return refuse(c, PRM_STATUS_BAD_PARAM, "wq_type %u is not advertised, only cyclic",
			      prm_get(wq, wq_type));
	if (prm_get(wq, end_padding_mode) > 1)
		return refuse(c, PRM_STATUS_BAD_PARAM, "end_padding_mode %u is unknown",
			      prm_get(wq, end_padding_mode));
	if (prm_get(wq, log_wq_sz) > ETH_LOG_MAX_WQ_SZ)
		return refuse(c, PRM_STATUS_BAD_PARAM, "log_wq_sz %u is above %u",
			      prm_get(wq, log_wq_sz), ETH_LOG_MAX_WQ_SZ);
	if (prm_get64(wq, dbr_addr) & 7)
		return refuse(c, PRM_STATUS_BAD_PARAM, "dbr_addr 0x%llx is not aligned to 8 bytes",
			      (unsigned long long)prm_get64(wq, dbr_addr));
	return 0;
}

static int get_wq_pages(struct cmd *c, const struct prm_wq *wq, struct pages *pages)
{
	uint64_t bytes = 1ull << (prm_get(wq, log_wq_sz) + prm_get(wq, log_wq_stride));
	unsigned int log_page = prm_get(wq, log_wq_pg_sz) + 12;

	if (log_page > LOG_PAGE_MAX)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "log_wq_pg_sz %u: pages are at most 2^%u bytes", log_page - 12,
			      LOG_PAGE_MAX);
	return pages_get(c, pages, prm_tail_const(wq), bytes, log_page,
			 prm_get(wq, page_offset) << (log_page - 6));
}

/* Which state may follow which. */
static int check_transition(struct cmd *c, struct obj *obj, unsigned int said, unsigned int is,
			    unsigned int next)
{
	const char *name = obj_name(obj->type);

	if (said != is)
		return refuse(c, PRM_STATUS_BAD_RES_STATE,
			      "%s 0x%x is in state %u, the command says %u", name, obj->num, is,
			      said);
	if (next != PRM_WQ_RST && next != PRM_WQ_RDY && next != PRM_WQ_ERR)
		return refuse(c, PRM_STATUS_BAD_PARAM, "%s 0x%x: state %u is unknown", name,
			      obj->num, next);
	if ((is == PRM_WQ_ERR && next == PRM_WQ_RDY) || (is == PRM_WQ_RST && next == PRM_WQ_ERR))
		return refuse(c, PRM_STATUS_BAD_RES_STATE, "%s 0x%x cannot go from state %u to %u",
			      name, obj->num, is, next);
	return 0;
}

/* ---- SQ ---- */

static void sq_release(void *obj)
{
	struct sq *sq = obj;

	work_cancel(&sq->work);
	pages_free(&sq->pages);
	obj_put(sq->tis);
	obj_put(sq->uar);
	obj_put(sq->pd);
	obj_put(sq->cq);
}

static int check_sqc(struct cmd *c, const struct prm_sqc *ctx)
{
	if (is_set(c, ctx, rlky, "but the reserved lkey is not advertised for SQs") ||
	    is_set(c, ctx, cd_master, "but cross-channel queues are not advertised") ||
	    is_set(c, ctx, fre, "but fast registration is not advertised for SQs") ||
	    is_set(c, ctx, allow_multi_pkt_send_wqe, "but multi_pkt_send_wqe is not advertised") ||
	    is_set(c, ctx, reg_umr, "but reg_umr_sq is not advertised") ||
	    is_set(c, ctx, allow_swp, "but swp is not advertised") ||
	    is_set(c, ctx, hairpin, "but it is not advertised") ||
	    is_set(c, ctx, non_wire, "but it is not advertised") ||
	    is_set(c, ctx, hairpin_peer_rq, "but hairpin is not advertised") ||
	    is_set(c, ctx, hairpin_peer_vhca, "but hairpin is not advertised") ||
	    is_set(c, ctx, ts_cqe_to_dest_cqn, "but it is not advertised") ||
	    is_set(c, ctx, packet_pacing_rate_limit_index, "but packet pacing is not advertised") ||
	    is_set(c, ctx, qos_queue_group_id, "but queue groups are not advertised"))
		return -1;
	if (prm_get(ctx, state) != PRM_WQ_RST)
		return refuse(c, PRM_STATUS_BAD_PARAM, "an SQ begins in RST, not in state %u",
			      prm_get(ctx, state));
	if (prm_get(ctx, ts_format) > TS_FORMAT_DEFAULT)
		return refuse(c, PRM_STATUS_BAD_PARAM, "ts_format %u of the SQ is not advertised",
			      prm_get(ctx, ts_format));
	if (prm_get(ctx, tis_lst_sz) > 1)
		return refuse(c, PRM_STATUS_BAD_PARAM, "tis_lst_sz %u is above 1",
			      prm_get(ctx, tis_lst_sz));
	if (prm_get(ctx, min_wqe_inline_mode) && c->dev->eth->inline_mode != PRM_INLINE_MODE_VPORT)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "min_wqe_inline_mode %u, but wqe_inline_mode is %u",
			      prm_get(ctx, min_wqe_inline_mode), c->dev->eth->inline_mode);
	if (prm_get(ctx, wq.log_wq_stride) != LOG_SQ_STRIDE)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "log_wq_stride %u: an SQ has strides of 64 bytes",
			      prm_get(ctx, wq.log_wq_stride));
	return check_wq(c, prm_sub_const(ctx, wq, wq));
}

static int sq_references(struct cmd *c, struct sq *sq)
{
	const struct prm_sqc *ctx = &sq->ctx;

	sq->cq = obj_use(c, OBJ_CQ, prm_get(ctx, cqn), "cqn");
	if (!sq->cq)
		return -1;
	sq->pd = obj_use(c, OBJ_PD, prm_get(ctx, wq.pd), "wq.pd");
	if (!sq->pd)
		return -1;
	sq->uar = obj_use(c, OBJ_UAR, prm_get(ctx, wq.uar_page), "wq.uar_page");
	if (!sq->uar)
		return -1;
	if (!prm_get(ctx, tis_lst_sz))
		return 0;
	sq->tis = obj_use(c, OBJ_TIS, prm_get(ctx, tis_num_0), "tis_num_0");
	return sq->tis ? 0 : -1;
}

static int run_create_sq(struct cmd *c)
{
	const struct prm_create_sq_in *in = c->in;
	const struct prm_sqc *ctx = prm_sub_const(in, ctx, sqc);
	struct prm_create_sq_out *out = c->out;
	struct sq *sq;

	if (check_sqc(c, ctx))
		return -1;
	sq = obj_create(c, OBJ_SQ, sizeof(*sq));
	if (!sq)
		return -1;
	work_init(&sq->work, sq_work);
	sq->obj.release = sq_release;
	sq->ctx = *ctx;
	sq->dbr = prm_get64(ctx, wq.dbr_addr);
	sq->log_size = prm_get(ctx, wq.log_wq_sz);
	sq->state = PRM_WQ_RST;
	if (sq_references(c, sq) || get_wq_pages(c, prm_sub_const(ctx, wq, wq), &sq->pages)) {
		obj_drop_failed(sq);
		return -1;
	}
	prm_set(out, sqn, sq->obj.num);
	return 0;
}

static int run_modify_sq(struct cmd *c)
{
	const struct prm_modify_sq_in *in = c->in;
	struct sq *sq = obj_get(c, OBJ_SQ, prm_get(in, sqn), "sqn");
	unsigned int next = prm_get(in, ctx.state);

	if (!sq)
		return -1;
	if (prm_get64(in, modify_bitmask))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "modify_bitmask 0x%llx: an SQ has nothing to modify but its state",
			      (unsigned long long)prm_get64(in, modify_bitmask));
	if (check_transition(c, &sq->obj, prm_get(in, sq_state), sq->state, next))
		return -1;

	if (next == PRM_WQ_RST)
		sq_reset(sq);
	else if (next == PRM_WQ_ERR)
		sq_to_error(sq);
	else
		sq->state = next;
	return 0;
}

static int run_query_sq(struct cmd *c)
{
	const struct prm_query_sq_in *in = c->in;
	struct prm_query_sq_out *out = c->out;
	struct prm_sqc *ctx = prm_sub(out, sq_context, sqc);
	struct sq *sq = obj_get(c, OBJ_SQ, prm_get(in, sqn), "sqn");

	if (!sq)
		return -1;
	*ctx = sq->ctx;
	prm_set(ctx, state, sq->state);
	prm_set(ctx, wq.hw_counter, sq->ci);
	prm_set(ctx, wq.sw_counter, sq->pi);
	return 0;
}

static int run_destroy_sq(struct cmd *c)
{
	const struct prm_destroy_sq_in *in = c->in;
	struct sq *sq = obj_get(c, OBJ_SQ, prm_get(in, sqn), "sqn");

	return sq ? obj_destroy(c, sq) : -1;
}

/* ---- RQ ---- */

static void rq_release(void *obj)
{
	struct rq *rq = obj;

	pages_free(&rq->pages);
	obj_put(rq->counters);
	obj_put(rq->pd);
	obj_put(rq->cq);
}

static int check_rqc(struct cmd *c, const struct prm_rqc *ctx)
{
	unsigned int stride = prm_get(ctx, wq.log_wq_stride);

	if (is_set(c, ctx, rlky, "but the reserved lkey is not advertised for RQs") ||
	    is_set(c, ctx, delay_drop_en, "but it is not advertised") ||
	    is_set(c, ctx, scatter_fcs, "but it is not advertised") ||
	    is_set(c, ctx, mem_rq_type, "but RQs of RMPs are not advertised") ||
	    is_set(c, ctx, rmpn, "but RQs of RMPs are not advertised") ||
	    is_set(c, ctx, hairpin, "but it is not advertised") ||
	    is_set(c, ctx, hairpin_peer_sq, "but hairpin is not advertised") ||
	    is_set(c, ctx, hairpin_peer_vhca, "but hairpin is not advertised") ||
	    is_set(c, ctx, shampo_no_match_alignment_granularity, "but it is not advertised") ||
	    is_set(c, ctx, shampo_match_criteria_type, "but it is not advertised") ||
	    is_set(c, ctx, reservation_timeout, "but it is not advertised") ||
	    is_set(c, ctx, wq.uar_page, "but an RQ has no UAR"))
		return -1;
	if (prm_get(ctx, state) != PRM_WQ_RST)
		return refuse(c, PRM_STATUS_BAD_PARAM, "an RQ begins in RST, not in state %u",
			      prm_get(ctx, state));
	if (prm_get(ctx, ts_format) > TS_FORMAT_DEFAULT)
		return refuse(c, PRM_STATUS_BAD_PARAM, "ts_format %u of the RQ is not advertised",
			      prm_get(ctx, ts_format));
	if (stride < LOG_RQ_STRIDE_MIN || stride > LOG_RQ_STRIDE_MAX)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "log_wq_stride %u of the RQ is not within %u to %u", stride,
			      LOG_RQ_STRIDE_MIN, LOG_RQ_STRIDE_MAX);
	return check_wq(c, prm_sub_const(ctx, wq, wq));
}

static int rq_references(struct cmd *c, struct rq *rq)
{
	const struct prm_rqc *ctx = &rq->ctx;

	rq->cq = obj_use(c, OBJ_CQ, prm_get(ctx, cqn), "cqn");
	if (!rq->cq)
		return -1;
	/*
	 * The in-tree driver's RQ that drops everything is made without a PD: no WQE of it can
	 * reach memory.
	 */
	if (prm_get(ctx, wq.pd)) {
		rq->pd = obj_use(c, OBJ_PD, prm_get(ctx, wq.pd), "wq.pd");
		if (!rq->pd)
			return -1;
	}
	if (!prm_get(ctx, counter_set_id))
		return 0;
	rq->counters = obj_use(c, OBJ_Q_COUNTER, prm_get(ctx, counter_set_id), "counter_set_id");
	return rq->counters ? 0 : -1;
}

static int run_create_rq(struct cmd *c)
{
	const struct prm_create_rq_in *in = c->in;
	const struct prm_rqc *ctx = prm_sub_const(in, ctx, rqc);
	struct prm_create_rq_out *out = c->out;
	struct rq *rq;

	if (check_rqc(c, ctx))
		return -1;
	rq = obj_create(c, OBJ_RQ, sizeof(*rq));
	if (!rq)
		return -1;
	rq->obj.release = rq_release;
	rq->ctx = *ctx;
	rq->dbr = prm_get64(ctx, wq.dbr_addr);
	rq->log_size = prm_get(ctx, wq.log_wq_sz);
	rq->log_stride = prm_get(ctx, wq.log_wq_stride);
	rq->state = PRM_WQ_RST;
	if (rq_references(c, rq) || get_wq_pages(c, prm_sub_const(ctx, wq, wq), &rq->pages)) {
		obj_drop_failed(rq);
		return -1;
	}
	prm_set(out, rqn, rq->obj.num);
	return 0;
}

/* What modify_bitmask names, checked before anything changes. */
static int modify_rq_fields(struct cmd *c, const struct prm_modify_rq_in *in, struct rq *rq)
{
	uint64_t mask = prm_get64(in, modify_bitmask);

	if (mask & ~PRM_MODIFY_RQ_VSD)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "modify_bitmask 0x%llx has fields that are not advertised",
			      (unsigned long long)mask);
	if (mask & PRM_MODIFY_RQ_VSD)
		prm_set(&rq->ctx, vsd, prm_get(in, ctx.vsd));
	return 0;
}

static int run_modify_rq(struct cmd *c)
{
	const struct prm_modify_rq_in *in = c->in;
	struct rq *rq = obj_get(c, OBJ_RQ, prm_get(in, rqn), "rqn");
	unsigned int next = prm_get(in, ctx.state);

	if (!rq || check_transition(c, &rq->obj, prm_get(in, rq_state), rq->state, next) ||
	    modify_rq_fields(c, in, rq))
		return -1;

	if (next == PRM_WQ_ERR && rq->state != PRM_WQ_ERR)
		rq_to_error(rq);
	rq->state = next;
	if (next == PRM_WQ_RST)
		rq->ci = 0;
	return 0;
}

static int run_query_rq(struct cmd *c)
{
	const struct prm_query_rq_in *in = c->in;
	struct prm_query_rq_out *out = c->out;
	struct prm_rqc *ctx = prm_sub(out, rq_context, rqc);
	struct rq *rq = obj_get(c, OBJ_RQ, prm_get(in, rqn), "rqn");

	if (!rq)
		return -1;
	*ctx = rq->ctx;
	prm_set(ctx, state, rq->state);
	prm_set(ctx, wq.hw_counter, rq->ci);
	return 0;
}

static int run_destroy_rq(struct cmd *c)
{
	const struct prm_destroy_rq_in *in = c->in;
	struct rq *rq = obj_get(c, OBJ_RQ, prm_get(in, rqn), "rqn");

	return rq ? obj_destroy(c, rq) : -1;
}

/* ---- RQT ---- */

static void put_rqs(struct rq **rqs, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		obj_put(rqs[i]);
	free(rqs);
}

static void rqt_release(void *obj)
{
	struct rqt *rqt = obj;

	put_rqs(rqt->rqs, rqt->size);
}

/* The RQ numbers behind a context; *rqs is allocated and holds references. */
static int get_rqs(struct cmd *c, const struct prm_rqtc *ctx, uint32_t max, size_t fixed,
		   struct rq ***rqs)
{
	uint32_t n = prm_get(ctx, rqt_actual_size), i;
	const uint8_t *tail = prm_tail_const(ctx);

	if (is_set(c, ctx, rq_vhca_id_format, "but RQs of other functions are not advertised") ||
	    is_set(c, ctx, list_q_type, "but only RQs can be listed"))
		return -1;
	if (!n || n > max)
		return refuse(c, PRM_STATUS_BAD_PARAM, "rqt_actual_size %u is not within 1 to %u",
			      n, max);
	if (c->in_len < fixed + n * 4)
		return refuse(c, PRM_STATUS_BAD_INP_LEN, "%u RQ numbers do not fit in %u bytes", n,
			      c->in_len);
	*rqs = calloc(n, sizeof(**rqs));
	if (!*rqs)
		return refuse(c, PRM_STATUS_INTERNAL, "no memory for the RQT");

	for (i = 0; i < n; i++) {
		uint32_t be;

		memcpy(&be, tail + i * 4, sizeof(be));
		(*rqs)[i] = obj_use(c, OBJ_RQ, be32toh(be), "rq_num");
		if (!(*rqs)[i]) {
			put_rqs(*rqs, i);
			return -1;
		}
	}
	return 0;
}

static int run_create_rqt(struct cmd *c)
{
	const struct prm_create_rqt_in *in = c->in;
	const struct prm_rqtc *ctx = prm_sub_const(in, rqt_context, rqtc);
	uint32_t max = prm_get(ctx, rqt_max_size);
	struct prm_create_rqt_out *out = c->out;
	struct rqt *rqt;
	struct rq **rqs;

	if (!max || max > 1u << ETH_LOG_MAX_RQT_SIZE)
		return refuse(c, PRM_STATUS_BAD_PARAM, "rqt_max_size %u is not within 1 to %u", max,
			      1u << ETH_LOG_MAX_RQT_SIZE);
	if (get_rqs(c, ctx, max, sizeof(*in), &rqs))
		return -1;
	rqt = obj_create(c, OBJ_RQT, sizeof(*rqt));
	if (!rqt) {
		put_rqs(rqs, prm_get(ctx, rqt_actual_size));
		return -1;
	}
	rqt->obj.release = rqt_release;
	rqt->max_size = max;
	rqt->size = prm_get(ctx, rqt_actual_size);
	rqt->rqs = rqs;
	prm_set(out, rqtn, rqt->obj.num);
	return 0;
}

static int run_modify_rqt(struct cmd *c)
{
	const struct prm_modify_rqt_in *in = c->in;
	const struct prm_rqtc *ctx = prm_sub_const(in, ctx, rqtc);
	struct rqt *rqt = obj_get(c, OBJ_RQT, prm_get(in, rqtn), "rqtn");
	struct rq **rqs;

	if (!rqt)
		return -1;
	if (!prm_get(in, bitmask.rqn_list))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "bitmask.rqn_list is not set: there is nothing else to modify");
	if (get_rqs(c, ctx, rqt->max_size, sizeof(*in), &rqs))
		return -1;
	put_rqs(rqt->rqs, rqt->size);
	rqt->rqs = rqs;
	rqt->size = prm_get(ctx, rqt_actual_size);
	return 0;
}

static int run_query_rqt(struct cmd *c)
{
	const struct prm_query_rqt_in *in = c->in;
	struct prm_query_rqt_out *out = c->out;
	struct rqt *rqt = obj_get(c, OBJ_RQT, prm_get(in, rqtn), "rqtn");
	uint8_t *tail = prm_tail(out);
	uint32_t i;

	if (!rqt)
		return -1;
	if (c->out_len < sizeof(*out) + rqt->size * 4)
		return refuse(c, PRM_STATUS_BAD_OUTP_LEN, "%u RQ numbers do not fit in %u bytes",
			      rqt->size, c->out_len);
	prm_set(out, rqt_context.rqt_max_size, rqt->max_size);
	prm_set(out, rqt_context.rqt_actual_size, rqt->size);
	for (i = 0; i < rqt->size; i++) {
		uint32_t be = htobe32(rqt->rqs[i]->obj.num);

		memcpy(tail + i * 4, &be, sizeof(be));
	}
	return 0;
}

static int run_destroy_rqt(struct cmd *c)
{
	const struct prm_destroy_rqt_in *in = c->in;
	struct rqt *rqt = obj_get(c, OBJ_RQT, prm_get(in, rqtn), "rqtn");

	return rqt ? obj_destroy(c, rqt) : -1;
}

/* ---- TIR ---- */

static void tir_release(void *obj)
{
	struct tir *tir = obj;

	obj_put(tir->rq);
	obj_put(tir->rqt);
	obj_put(tir->td);
}

static int check_hash(struct cmd *c, const struct prm_tirc *ctx)
{
	unsigned int fn = prm_get(ctx, rx_hash_fn);

	if (fn > PRM_RX_HASH_TOEPLITZ)
		return refuse(c, PRM_STATUS_BAD_PARAM, "rx_hash_fn %u is unknown", fn);
	/*
	 * Bit 4 is the IPsec SPI, which the in-tree driver always has TIRs for; such packets are
	 * spread by address here.
	 */
	if (prm_get(ctx, rx_hash_field_selector_outer.selected_fields) & ~0x1fu)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "selected_fields 0x%x: addresses, ports and SPI exist",
			      prm_get(ctx, rx_hash_field_selector_outer.selected_fields));
	if (is_set(c, ctx, rx_hash_field_selector_inner.selected_fields,
		   "but tunnels are not advertised"))
		return -1;
	return 0;
}

static int check_tirc(struct cmd *c, const struct prm_tirc *ctx)
{
	if (is_set(c, ctx, tls_en, "but TLS is not advertised") ||
	    is_set(c, ctx, packet_merge_mask, "but LRO is not advertised") ||
	    is_set(c, ctx, lro_max_ip_payload_size, "but LRO is not advertised") ||
	    is_set(c, ctx, lro_timeout_period_usecs, "but LRO is not advertised") ||
	    is_set(c, ctx, tunneled_offload_en, "but tunnels are not advertised"))
		return -1;
	switch (prm_get(ctx, disp_type)) {
	case PRM_TIR_DIRECT:
		if (is_set(c, ctx, indirect_table, "but the TIR is direct"))
			return -1;
		break;
	case PRM_TIR_INDIRECT:
		if (is_set(c, ctx, inline_rqn, "but the TIR is indirect"))
			return -1;
		if (prm_get(ctx, rx_hash_fn) == PRM_RX_HASH_NONE)
			return refuse(c, PRM_STATUS_BAD_PARAM,
				      "an indirect TIR needs an rx_hash_fn");
		break;
	default:
		return refuse(c, PRM_STATUS_BAD_PARAM, "disp_type %u is unknown",
			      prm_get(ctx, disp_type));
	}
	return check_hash(c, ctx);
}

static int run_create_tir(struct cmd *c)
{
	const struct prm_create_tir_in *in = c->in;
	const struct prm_tirc *ctx = prm_sub_const(in, ctx, tirc);
	struct prm_create_tir_out *out = c->out;
	struct tir *tir;

	if (check_tirc(c, ctx))
		return -1;
	tir = obj_create(c, OBJ_TIR, sizeof(*tir));
	if (!tir)
		return -1;
	tir->obj.release = tir_release;
	tir->ctx = *ctx;
	tir->td = obj_use(c, OBJ_TD, prm_get(ctx, transport_domain), "transport_domain");
	if (!tir->td)
		goto drop;
	if (prm_get(ctx, disp_type) == PRM_TIR_DIRECT) {
		tir->rq = obj_use(c, OBJ_RQ, prm_get(ctx, inline_rqn), "inline_rqn");
		if (!tir->rq)
			goto drop;
	} else {
		tir->rqt = obj_use(c, OBJ_RQT, prm_get(ctx, indirect_table), "indirect_table");
		if (!tir->rqt)
			goto drop;
	}
	prm_set(out, tirn, tir->obj.num);
	return 0;

drop:
	obj_drop_failed(tir);
	return -1;
}

static int run_modify_tir(struct cmd *c)
{
	const struct prm_modify_tir_in *in = c->in;
	const struct prm_tirc *ctx = prm_sub_const(in, ctx, tirc);
	struct tir *tir = obj_get(c, OBJ_TIR, prm_get(in, tirn), "tirn");

	if (!tir)
		return -1;
	if (is_set(c, in, bitmask.packet_merge, "but LRO is not advertised"))
		return -1;
	if (prm_get(in, bitmask.hash)) {
		if (check_hash(c, ctx))
			return -1;
		if (tir->rqt && prm_get(ctx, rx_hash_fn) == PRM_RX_HASH_NONE)
			return refuse(c, PRM_STATUS_BAD_PARAM,
				      "indirect TIR 0x%x needs an rx_hash_fn", tir->obj.num);
		prm_set(&tir->ctx, rx_hash_fn, prm_get(ctx, rx_hash_fn));
		prm_set(&tir->ctx, rx_hash_symmetric, prm_get(ctx, rx_hash_symmetric));
		memcpy(prm_bytes(&tir->ctx, rx_hash_toeplitz_key),
		       prm_bytes_const(ctx, rx_hash_toeplitz_key), 40);
		*prm_sub(&tir->ctx, rx_hash_field_selector_outer, rx_hash_field_select) =
			*prm_sub_const(ctx, rx_hash_field_selector_outer, rx_hash_field_select);
	}
	if (prm_get(in, bitmask.self_lb_en))
		prm_set(&tir->ctx, self_lb_block, prm_get(ctx, self_lb_block));
	return 0;
}

static int run_query_tir(struct cmd *c)
{
	const struct prm_query_tir_in *in = c->in;
	struct prm_query_tir_out *out = c->out;
	struct tir *tir = obj_get(c, OBJ_TIR, prm_get(in, tirn), "tirn");

	if (!tir)
		return -1;
	*prm_sub(out, tir_context, tirc) = tir->ctx;
	return 0;
}

static int run_destroy_tir(struct cmd *c)
{
	const struct prm_destroy_tir_in *in = c->in;
	struct tir *tir = obj_get(c, OBJ_TIR, prm_get(in, tirn), "tirn");

	return tir ? obj_destroy(c, tir) : -1;
}

const struct cmd_desc cmds_nic[] = { CMD(create_tis),
				     CMD(modify_tis),
				     CMD(query_tis),
				     CMD(destroy_tis),
				     CMD(create_sq, .tail = true),
				     CMD(modify_sq),
				     CMD(query_sq),
				     CMD(destroy_sq),
				     CMD(create_rq, .tail = true),
				     CMD(modify_rq),
				     CMD(query_rq),
				     CMD(destroy_rq),
				     CMD(create_rqt, .tail = true),
				     CMD(modify_rqt, .tail = true),
				     CMD(query_rqt),
				     CMD(destroy_rqt),
				     CMD(create_tir),
				     CMD(modify_tir),
				     CMD(query_tir),
				     CMD(destroy_tir),
				     {} };
