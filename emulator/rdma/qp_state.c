// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The states of queue pairs.
 *
 * The context that a driver sets is kept as it is (qp->ctx) and copied field by field at each
 * transition, so that the query shows what was set; the engine works on what qp_decode() takes out
 * of it.
 */
#include <string.h>

#include "rdma/rdma.h"

#define ACK_TIMEOUT_UNIT_NS	4096ull

#define PORT			1

static const char *const state_names[16] = {
	[PRM_QP_RST] = "RST",	[PRM_QP_INIT] = "INIT", [PRM_QP_RTR] = "RTR", [PRM_QP_RTS] = "RTS",
	[PRM_QP_SQER] = "SQER", [PRM_QP_SQD] = "SQD",	[PRM_QP_ERR] = "ERR",
};

/* Connected queue pairs have a path and a remote QP. */
static bool is_connected(const struct qp *qp)
{
	return (qp_reliable(qp) && qp->st != PRM_QP_ST_DCI) || qp->st == PRM_QP_ST_UC;
}

/* ---- what the engine needs of the context -------------------------------------------------- */

static void decode_path(struct qp *qp)
{
	const struct prm_ads *ads = prm_sub_const(&qp->ctx, primary_address_path, ads);
	const struct roce_addr *src = &qp->obj.dev->roce_addrs[prm_get(ads, src_addr_index)];
	struct av *av = &qp->av;

	put16(av->dmac, prm_get(ads, rmac_47_32));
	put32(av->dmac + 2, prm_get(ads, rmac_31_0));
	memcpy(av->dgid, prm_bytes_const(ads, rgid_rip), 16);
	av->sgid_index = prm_get(ads, src_addr_index);
	av->hop_limit = prm_get(ads, hop_limit);
	av->prio = prm_get(ads, eth_prio);
	av->flow_label = prm_get(ads, flow_label);
	av->udp_sport = prm_get(ads, udp_sport);
	av->tclass = prm_get(ads, tclass);
	if (src->version)	/* v2 has DSCP and ECN in fields of their own */
		av->tclass = prm_get(ads, dscp) << 2 |
			     (prm_get(ads, f_ecn) ? prm_get(ads, ecn) : av->tclass & 3);
}

void qp_decode(struct qp *qp)
{
	const struct prm_qpc *ctx = &qp->ctx;
	unsigned int ack_timeout = prm_get(ctx, primary_address_path.ack_timeout);

	qp->mtu = 128u << prm_get(ctx, mtu);
	qp->max_msg = 1u << prm_get(ctx, log_msg_max);
	qp->qkey = prm_get(ctx, q_key);
	qp->deth_sqpn = prm_get(ctx, deth_sqpn);
	qp->rlky = prm_get(ctx, rlky);
	qp->fre = prm_get(ctx, fre);
	qp->rre = prm_get(ctx, rre);
	qp->rwe = prm_get(ctx, rwe);
	qp->rae = prm_get(ctx, rae);
	qp->timeout_ns = ack_timeout ? ACK_TIMEOUT_UNIT_NS << ack_timeout : 0;
	if (qp->st == PRM_QP_ST_DCI)	/* it has those of the target */
		return;
	qp->remote_qpn = prm_get(ctx, remote_qpn);
	decode_path(qp);
}

/* ---- states -------------------------------------------------------------------------------- */

void qp_put_counters(struct qp *qp)
{
	struct q_counter *none = &qp->obj.dev->rdma_state->no_counter;

	if (qp->counters && qp->counters != none)
		obj_put(qp->counters);
	qp->counters = none;
}

void qp_stop(struct qp *qp)
{
	requester_stop(qp);
	responder_stop(qp);
	work_cancel(&qp->flush_work);
	timer_cancel(&qp->flush_timer);
	dcqcn_stop(qp);
}

void qp_set_error(struct qp *qp)
{
	trace(qp->obj.dev, "QP 0x%x: %s to ERR", qp->obj.num, state_names[qp->state]);
	qp->state = PRM_QP_ERR;
	qp->failed = true;
	requester_stop(qp);
	responder_stop(qp);
	qp->flush_delay = 1000000;
	work_queue(&qp->flush_work);
}

void qp_sq_error(struct qp *qp)
{
	trace(qp->obj.dev, "QP 0x%x: %s to SQER", qp->obj.num, state_names[qp->state]);
	qp->state = PRM_QP_SQER;
	qp->failed = true;
	requester_stop(qp);
	work_queue(&qp->flush_work);
}

#define OPT_ACCESS	(PRM_QP_OPT_RRE | PRM_QP_OPT_RWE | PRM_QP_OPT_RAE)

struct transition {
	unsigned int from;		/* one bit per state */
	enum prm_qp_state to;
	uint32_t opt;			/* what opt_param_mask may name */
};

#define S(name)	(1u << PRM_QP_##name)

static const struct transition rst2init = { S(RST), PRM_QP_INIT, 0 };

static const struct transition init2init = {
	S(INIT), PRM_QP_INIT,
	OPT_ACCESS | PRM_QP_OPT_PKEY_INDEX | PRM_QP_OPT_PRI_PORT | PRM_QP_OPT_Q_KEY,
};

static const struct transition init2rtr = {
	S(INIT), PRM_QP_RTR,
	OPT_ACCESS | PRM_QP_OPT_PKEY_INDEX | PRM_QP_OPT_Q_KEY | PRM_QP_OPT_LAG_TX_AFF,
};

static const struct transition rtr2rts = {
	S(RTR), PRM_QP_RTS,
	OPT_ACCESS | PRM_QP_OPT_RNR_TIMEOUT | PRM_QP_OPT_PM_STATE | PRM_QP_OPT_Q_KEY,
};

static const struct transition rts2rts = {
	S(RTS), PRM_QP_RTS,
	OPT_ACCESS | PRM_QP_OPT_RNR_TIMEOUT | PRM_QP_OPT_PM_STATE | PRM_QP_OPT_Q_KEY |
	PRM_QP_OPT_COUNTER_SET_ID | PRM_QP_OPT_LAG_TX_AFF | PRM_QP_OPT_PRIMARY_PATH_DSCP,
};

/* Who changes nothing else in RTS leaves the rest of the context zero. */
#define OPT_ALONE	(PRM_QP_OPT_COUNTER_SET_ID | PRM_QP_OPT_LAG_TX_AFF)

static const struct transition sqerr2rts = {
	S(SQER), PRM_QP_RTS, OPT_ACCESS | PRM_QP_OPT_RNR_TIMEOUT | PRM_QP_OPT_Q_KEY,
};

static const struct transition sqd2rts = {
	S(SQD), PRM_QP_RTS, OPT_ACCESS | PRM_QP_OPT_RNR_TIMEOUT | PRM_QP_OPT_Q_KEY,
};

/* Copies a field of the command's context to the queue pair's. */
#define TAKE(to, from, field) prm_set(to, field, prm_get(from, field))

static int take_counter(struct cmd *c, struct qp *qp, const struct prm_qpc *from)
{
	uint32_t id = prm_get(from, counter_set_id);
	struct q_counter *counters = NULL;

	if (id) {
		counters = obj_hold(c, OBJ_Q_COUNTER, id, "qpc.counter_set_id");
		if (!counters)
			return -1;
	}
	qp_put_counters(qp);
	if (counters)
		qp->counters = counters;
	TAKE(&qp->ctx, from, counter_set_id);
	return 0;
}

/* Who lets others do atomics says which. */
static int take_atomics(struct cmd *c, struct qp *qp, const struct prm_qpc *from)
{
	if (prm_get(from, rae) && prm_get(from, atomic_mode) == PRM_QP_ATOMIC_NONE)
		return refuse(c, PRM_STATUS_BAD_PARAM, "qpc.atomic_mode 0 with rae 1");
	TAKE(&qp->ctx, from, rae);
	TAKE(&qp->ctx, from, atomic_mode);
	return 0;
}

/* The counters are the last that it changes: it is refused before, or not at all. */
static int take_optional(struct cmd *c, struct qp *qp, const struct prm_qpc *from, uint32_t opt)
{
	struct prm_qpc *to = &qp->ctx;

	if (opt & PRM_QP_OPT_RRE)
		TAKE(to, from, rre);
	if (opt & PRM_QP_OPT_RWE)
		TAKE(to, from, rwe);
	if (opt & PRM_QP_OPT_RAE && take_atomics(c, qp, from))
		return -1;
	if (opt & PRM_QP_OPT_Q_KEY)
		TAKE(to, from, q_key);
	if (opt & PRM_QP_OPT_RNR_TIMEOUT)
		TAKE(to, from, min_rnr_nak);
	if (opt & PRM_QP_OPT_PM_STATE && prm_get(from, pm_state) != PRM_QP_PM_MIGRATED)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "qpc.pm_state %u: there is no alternate path",
			      prm_get(from, pm_state));
	if (opt & PRM_QP_OPT_PRI_PORT && prm_get(from, primary_address_path.vhca_port_num) != PORT)
		return refuse(c, PRM_STATUS_BAD_PARAM, "the function has one port, not %u",
			      prm_get(from, primary_address_path.vhca_port_num));
	if (opt & PRM_QP_OPT_LAG_TX_AFF) {
		if (!lag_advertised(c->dev))
			return refuse(c, PRM_STATUS_BAD_PARAM,
				      "opt_param_mask has the LAG port: LAG is not advertised");
		TAKE(&qp->ctx, from, lag_tx_port_affinity);
	}
	if (opt & PRM_QP_OPT_PRIMARY_PATH_DSCP) {
		if (!is_connected(qp))
			return refuse(c, PRM_STATUS_BAD_PARAM,
				      "opt_param_mask has the DSCP: the QP has no path");
		TAKE(to, from, primary_address_path.f_dscp);
		TAKE(to, from, primary_address_path.dscp);
	}
	if (opt & PRM_QP_OPT_COUNTER_SET_ID)
		return take_counter(c, qp, from);
	return 0;
}

static int take_init(struct cmd *c, struct qp *qp, const struct prm_qpc *from)
{
	struct prm_qpc *to = &qp->ctx;

	if (prm_get(from, primary_address_path.vhca_port_num) != PORT)
		return refuse(c, PRM_STATUS_BAD_PARAM, "a QP needs port 1, not %u",
			      prm_get(from, primary_address_path.vhca_port_num));
	TAKE(to, from, primary_address_path.vhca_port_num);
	TAKE(to, from, lag_tx_port_affinity);
	TAKE(to, from, q_key);
	TAKE(to, from, rre);
	TAKE(to, from, rwe);
	if (take_atomics(c, qp, from))
		return -1;
	return take_counter(c, qp, from);
}

static int take_path(struct cmd *c, struct qp *qp, const struct prm_qpc *from)
{
	const struct prm_ads *ads = prm_sub_const(from, primary_address_path, ads);
	struct prm_ads *to = prm_sub(&qp->ctx, primary_address_path, ads);

	if (!c->dev->roce_addrs[prm_get(ads, src_addr_index)].valid)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "ads.src_addr_index %u: the RoCE address table is empty there",
			      prm_get(ads, src_addr_index));
	if (prm_get(ads, vhca_port_num) != PORT)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "ads.vhca_port_num %u: the function has one port",
			      prm_get(ads, vhca_port_num));
	if (prm_get(ads, rmac_47_32) & 0x100)
		return refuse(c, PRM_STATUS_BAD_PARAM, "ads.rmac is a multicast address");
	if (is_set(c, ads, plane_index, "but it is not supported") ||
	    is_set(c, ads, free_ar, "but it is not supported") ||
	    is_set(c, ads, fl, "but it is not supported"))
		return -1;
	*to = *ads;
	return 0;
}

static int take_rtr(struct cmd *c, struct qp *qp, const struct prm_qpc *from)
{
	struct prm_qpc *to = &qp->ctx;
	unsigned int mtu = prm_get(from, mtu);

	if (mtu < PRM_QP_MTU_256 || mtu > PRM_QP_MTU_4096)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "qpc.mtu %u is not one of 1 (256) to 5 (4096)", mtu);
	if (prm_get(from, log_msg_max) > LOG_MSG_MAX)
		return refuse(c, PRM_STATUS_BAD_PARAM, "qpc.log_msg_max %u: the card advertises %u",
			      prm_get(from, log_msg_max), LOG_MSG_MAX);
	if (!prm_get(from, log_msg_max) && (qp_reliable(qp) || qp->st == PRM_QP_ST_UC))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "qpc.log_msg_max 0: a connection needs the length of its messages");
	TAKE(to, from, mtu);
	TAKE(to, from, log_msg_max);
	if (!is_connected(qp))
		return 0;
	if (prm_get(from, log_rra_max) > LOG_RA_MAX)
		return refuse(c, PRM_STATUS_BAD_PARAM, "qpc.log_rra_max %u: the card advertises %u",
			      prm_get(from, log_rra_max), LOG_RA_MAX);
	if (take_path(c, qp, from))
		return -1;
	TAKE(to, from, remote_qpn);
	TAKE(to, from, next_rcv_psn);
	TAKE(to, from, log_rra_max);
	TAKE(to, from, min_rnr_nak);
	return 0;
}

static int take_rts(struct cmd *c, struct qp *qp, const struct prm_qpc *from)
{
	struct prm_qpc *to = &qp->ctx;

	TAKE(to, from, next_send_psn);
	TAKE(to, from, log_ack_req_freq);
	if (!is_connected(qp) && qp->st != PRM_QP_ST_DCI)
		return 0;
	if (qp->st == PRM_QP_ST_DCI && prm_get(from, log_sra_max) > hca_dc_reads(c->dev))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "qpc.log_sra_max %u of a DCI: log_max_ra_req_dc is %u",
			      prm_get(from, log_sra_max), hca_dc_reads(c->dev));
	if (prm_get(from, log_sra_max) > LOG_RA_MAX)
		return refuse(c, PRM_STATUS_BAD_PARAM, "qpc.log_sra_max %u: the card advertises %u",
			      prm_get(from, log_sra_max), LOG_RA_MAX);
	TAKE(to, from, primary_address_path.ack_timeout);
	TAKE(to, from, retry_count);
	TAKE(to, from, rnr_retry);
	TAKE(to, from, log_sra_max);
	return 0;
}

/* The rest of opt_param_mask, of the one command that has it. */
static uint64_t more_options(const struct cmd *c, const struct transition *t)
{
	return t == &rts2rts ? prm_get64((const struct prm_rts2rts_qp_in *)c->in,
					 opt_param_mask_95_32) : 0;
}

static int check_options(struct cmd *c, const struct qp *qp, const struct transition *t)
{
	uint64_t more = more_options(c, t), known = 0;
	const struct prm_rst2init_qp_in *in = c->in;
	uint32_t opt = prm_get(in, opt_param_mask);

	if (hca_changes_sport(c->dev))
		known = PRM_QP_OPT_32_UDP_SPORT;
	if (hca_resets_streams(c->dev))
		known |= PRM_QP_OPT_32_DCI_STREAM;
	if (opt & ~t->opt)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "opt_param_mask 0x%x: the transition takes 0x%x", opt, t->opt);
	if (more & ~known)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "opt_param_mask_95_32 0x%llx: the transition takes 0x%llx",
			      (unsigned long long)more, (unsigned long long)known);
	if (more & PRM_QP_OPT_32_UDP_SPORT && !is_connected(qp))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "opt_param_mask_95_32 has the UDP port: the QP has no path");
	if (more & PRM_QP_OPT_32_DCI_STREAM && qp->st != PRM_QP_ST_DCI)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "opt_param_mask_95_32 has the stream: the QP is no DCI");
	if (t == &rts2rts && (opt || more) && !(opt & ~OPT_ALONE))
		return 0;
	/* UCX leaves it zero for its DCIs */
	if (prm_get(in, qpc.st) != qp->st && (prm_get(in, qpc.st) || !c->uid))
		return refuse(c, PRM_STATUS_BAD_PARAM, "qpc.st is 0x%x, the QP was made with 0x%x",
			      prm_get(in, qpc.st), qp->st);
	return 0;
}

static int check_modify(struct cmd *c, const struct qp *qp, const struct transition *t,
			uint32_t opt, uint32_t ece, const struct prm_qpc *from)
{
	if (!(t->from & 1u << qp->state) && qp->failed)
		return decline(c, PRM_STATUS_BAD_QP_STATE, "QP 0x%x went to state %s by itself",
			       qp->obj.num, state_names[qp->state]);
	if (!(t->from & 1u << qp->state))
		return refuse(c, PRM_STATUS_BAD_QP_STATE, "QP 0x%x is in state %s", qp->obj.num,
			      state_names[qp->state]);
	if (check_options(c, qp, t))
		return -1;
	if (ece)
		return refuse(c, PRM_STATUS_BAD_PARAM, "ece 0x%x: ECE is not advertised", ece);
	if (qp->pd && prm_get(from, pd) && prm_get(from, pd) != qp_pdn(qp))
		return refuse(c, PRM_STATUS_BAD_PARAM, "qpc.pd is 0x%x, the QP was made with 0x%x",
			      prm_get(from, pd), qp_pdn(qp));
	if (t != &rst2init && !(opt & PRM_QP_OPT_LAG_TX_AFF) &&
	    is_set(c, from, lag_tx_port_affinity, "but this transition does not take it"))
		return -1;
	if (lag_check_affinity(c, prm_get(from, lag_tx_port_affinity)) ||
	    is_set(c, from, primary_address_path.pkey_index, "but the table has one P_Key"))
		return -1;
	return 0;
}

/* The extension follows the input; the stream is the only part of it that a QP has. */
static int take_stream(struct cmd *c, struct qp *qp, uint32_t opt)
{
	const struct prm_rts2rts_qp_in *in = c->in;
	const struct prm_qpc_ext *ext = prm_tail_const(in);
	unsigned int stream;

	if (!prm_get(in, qpc_ext) || c->in_len < sizeof(*in) + sizeof(*ext))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "a stream is reset by the extension of the context, which is not there");
	if (opt || prm_get64(in, opt_param_mask_95_32) != PRM_QP_OPT_32_DCI_STREAM)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "a stream is reset by a command that does nothing else");
	stream = prm_get(ext, dci_stream_channel_id);
	if (!dci_reset_stream(qp, stream))
		return decline(c, PRM_STATUS_BAD_PARAM, "QP 0x%x: stream %u is not in error",
			       qp->obj.num, stream);
	return 0;
}

/* All transitions that have a context share the layout of RST2INIT_QP. */
static int modify(struct cmd *c, const struct transition *t)
{
	const struct prm_rst2init_qp_in *in = c->in;
	const struct prm_qpc *from = prm_sub_const(in, qpc, qpc);
	struct qp *qp = obj_own(c, OBJ_QP, prm_get(in, qpn), "qpn");
	struct prm_qpc before;
	int err = 0;

	if (!qp || check_modify(c, qp, t, prm_get(in, opt_param_mask), prm_get(in, ece), from))
		return -1;
	if (more_options(c, t) & PRM_QP_OPT_32_DCI_STREAM)
		return take_stream(c, qp, prm_get(in, opt_param_mask));
	if (t == &rts2rts && is_set(c, (const struct prm_rts2rts_qp_in *)c->in, qpc_ext,
				    "but nothing of the extension changes"))
		return -1;
	before = qp->ctx;
	if (t == &rst2init)
		err = take_init(c, qp, from);
	else if (t == &init2rtr)
		err = take_rtr(c, qp, from);
	else if (t == &rtr2rts)
		err = take_rts(c, qp, from);
	if (!err)
		err = take_optional(c, qp, from, prm_get(in, opt_param_mask));
	if (err) {
		qp->ctx = before;
		return -1;
	}
	if (more_options(c, t) & PRM_QP_OPT_32_UDP_SPORT)
		TAKE(&qp->ctx, from, primary_address_path.udp_sport);
	qp_decode(qp);
	if (t == &init2rtr && responder_start(qp))
		return budget_refuse(c);
	if (t == &rtr2rts)
		requester_start(qp);
	if (t == &sqerr2rts) {
		qp_end_flush(qp);
		if (qp->state != PRM_QP_SQER)	/* the CQ was full */
			return decline(c, PRM_STATUS_BAD_QP_STATE, "QP 0x%x went to state %s",
				       qp->obj.num, state_names[qp->state]);
		requester_resume(qp);
	}
	qp->was_ready = t->to != PRM_QP_INIT && (qp->was_ready || t->to == PRM_QP_RTS);
	qp->state = t->to;
	qp->failed = false;
	return 0;
}

static int run_rst2init_qp(struct cmd *c)
{
	return modify(c, &rst2init);
}

static int run_init2init_qp(struct cmd *c)
{
	return modify(c, &init2init);
}

static int run_init2rtr_qp(struct cmd *c)
{
	return modify(c, &init2rtr);
}

static int run_rtr2rts_qp(struct cmd *c)
{
	return modify(c, &rtr2rts);
}

static int run_rts2rts_qp(struct cmd *c)
{
	return modify(c, &rts2rts);
}

static int run_sqerr2rts_qp(struct cmd *c)
{
	return modify(c, &sqerr2rts);
}

static int run_sqd2rts_qp(struct cmd *c)
{
	return modify(c, &sqd2rts);
}

static int run_qp_2err(struct cmd *c)
{
	const struct prm_qp_2err_in *in = c->in;
	struct qp *qp = obj_own(c, OBJ_QP, prm_get(in, qpn), "qpn");

	if (!qp)
		return -1;
	if (qp->state != PRM_QP_ERR)
		qp_set_error(qp);
	qp->failed = false;
	return 0;
}

static int run_qp_2rst(struct cmd *c)
{
	const struct prm_qp_2rst_in *in = c->in;
	struct qp *qp = obj_own(c, OBJ_QP, prm_get(in, qpn), "qpn");

	if (!qp)
		return -1;
	qp_stop(qp);
	requester_reset(qp);
	responder_reset(qp);
	dci_reset(qp);
	qp_put_counters(qp);
	qp->rq.ci = 0;
	qp->established = false;
	qp->last_wqe_reported = false;
	qp->failed = false;
	qp->state = PRM_QP_RST;
	return 0;
}

const struct cmd_desc cmds_qp_state[] = {
	CMD(rst2init_qp),
	CMD(init2init_qp),
	CMD(init2rtr_qp),
	CMD(rtr2rts_qp),
	/* libmlx5 leaves room for an extension of the context, and does not use it */
	CMD(rts2rts_qp, .tail = true),
	CMD(sqerr2rts_qp),
	CMD(sqd2rts_qp),
	CMD(qp_2err),
	CMD(qp_2rst),
	{}
};
