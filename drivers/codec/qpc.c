// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/errno.h>
#include <linux/string.h>
#include <linux/types.h>
#include "qpc.h"

/* At least one acknowledgment per 2^8 packets. */
#define LOG_ACK_REQ_FREQ 8

struct opt {
	u32 ours, device;
};

static const struct opt opts_of_device[] = {
	{ CXR_QP_OPT_ACCESS, PRM_QP_OPT_RRE | PRM_QP_OPT_RWE | PRM_QP_OPT_RAE },
	{ CXR_QP_OPT_PKEY, PRM_QP_OPT_PKEY_INDEX },
	{ CXR_QP_OPT_QKEY, PRM_QP_OPT_Q_KEY },
	{ CXR_QP_OPT_RNR_TIMER, PRM_QP_OPT_RNR_TIMEOUT },
	{ CXR_QP_OPT_PATH, PRM_QP_OPT_PRIMARY_ADDR_PATH },
	{ CXR_QP_OPT_MAX_RD, PRM_QP_OPT_SRA_MAX },
	{ CXR_QP_OPT_MAX_DEST_RD, PRM_QP_OPT_RRA_MAX },
	{ CXR_QP_OPT_RETRY, PRM_QP_OPT_RETRY_COUNT },
	{ CXR_QP_OPT_RNR_RETRY, PRM_QP_OPT_RNR_RETRY },
	{ CXR_QP_OPT_ACK_TIMEOUT, PRM_QP_OPT_ACK_TIMEOUT },
	{ CXR_QP_OPT_PORT, PRM_QP_OPT_PRI_PORT },
	{ CXR_QP_OPT_WRITE, PRM_QP_OPT_RWE },
	{ CXR_QP_OPT_COUNTER, PRM_QP_OPT_COUNTER_SET_ID },
	{ CXR_QP_OPT_LAG_PORT, PRM_QP_OPT_LAG_TX_AFF },
	{ CXR_QP_OPT_DSCP, PRM_QP_OPT_PRIMARY_PATH_DSCP },
	{ }
};

u32 cxr_qp_opt_encode(u32 opts)
{
	const struct opt *opt;
	u32 mask = 0;

	for (opt = opts_of_device; opt->ours; opt++)
		if (opts & opt->ours)
			mask |= opt->device;
	return mask;
}

static u8 service_type(enum cxr_qp_type type)
{
	switch (type) {
	case CXR_QP_RC:
		return PRM_QP_ST_RC;
	case CXR_QP_UC:
		return PRM_QP_ST_UC;
	case CXR_QP_UD:
		return PRM_QP_ST_UD;
	case CXR_QP_XRC:
		return PRM_QP_ST_XRC;
	case CXR_QP_UMR:
		return PRM_QP_ST_REG_UMR;
	case CXR_QP_DCI:
		return PRM_QP_ST_DCI;
	default:
		return PRM_QP_ST_QP1;
	}
}

static u8 rq_type(const struct cxr_qp_create *attr)
{
	if (attr->srq)
		return PRM_QP_RQ_SRQ;
	return attr->no_rq ? PRM_QP_RQ_NONE : PRM_QP_RQ;
}

static void encode_scatter(struct prm_qpc *qpc, const struct cxr_qp_create *attr)
{
	if (attr->scatter_req)
		prm_set(qpc, cs_req, attr->scatter_req == 64 ? PRM_QP_CS_REQ_64 : PRM_QP_CS_REQ_32);
	if (attr->scatter_res)
		prm_set(qpc, cs_res, attr->scatter_res == 64 ? PRM_QP_CS_RES_64 : PRM_QP_CS_RES_32);
}

void cxr_qpc_encode_create(struct prm_qpc *qpc, const struct cxr_qp_create *attr)
{
	prm_set(qpc, st, service_type(attr->type));
	prm_set(qpc, pm_state, PRM_QP_PM_MIGRATED);
	prm_set(qpc, pd, attr->pdn);
	prm_set(qpc, cqn_snd, attr->cqn_snd);
	prm_set(qpc, cqn_rcv, attr->cqn_rcv);
	prm_set(qpc, uar_page, attr->uar);
	prm_set(qpc, user_index, attr->user_index);
	prm_set(qpc, counter_set_id, attr->q_counter);
	prm_set(qpc, fre, attr->fast_reg);
	prm_set(qpc, latency_sensitive, attr->type == CXR_QP_UMR);	/* MRs wait for it */
	/* DC transport has no multicast. */
	prm_set(qpc, block_lb_mc, attr->block_lb_mc && attr->type != CXR_QP_DCI);
	prm_set(qpc, log_page_size, attr->log_page_size - 12);
	prm_set(qpc, page_offset, attr->page_offset);
	prm_set64(qpc, dbr_addr, attr->db_dma);

	prm_set(qpc, no_sq, attr->no_sq);
	if (!attr->no_sq)
		prm_set(qpc, log_sq_size, attr->log_sq_size);
	prm_set(qpc, rq_type, rq_type(attr));
	if (attr->srq)
		prm_set(qpc, srqn_rmpn_xrqn, attr->srqn);
	if (attr->type == CXR_QP_XRC || attr->type == CXR_QP_DCI)
		prm_set(qpc, xrcd, attr->xrcd);
	if (!attr->no_rq) {
		prm_set(qpc, log_rq_size, attr->log_rq_size);
		prm_set(qpc, log_rq_stride, attr->log_rq_stride - 4);
	}
	encode_scatter(qpc, attr);
	prm_set(qpc, log_num_dci_stream_channels, attr->streams.channels);
	prm_set(qpc, log_num_dci_errored_streams, attr->streams.errored);
}

static void encode_access(struct prm_qpc *qpc, const struct cxr_qp_mod *mod)
{
	prm_set(qpc, rre, mod->remote_read);
	prm_set(qpc, rwe, mod->remote_write);
	prm_set(qpc, rae, mod->remote_atomic);
	prm_set(qpc, atomic_mode, mod->remote_atomic ? PRM_QP_ATOMIC_IB : PRM_QP_ATOMIC_NONE);
}

/* The device ignores what neither the transition nor the optional mask includes. */
void cxr_qpc_encode_mod(struct prm_qpc *qpc, const struct cxr_qp_mod *mod)
{
	struct prm_ads *path = prm_sub(qpc, primary_address_path, ads);

	prm_set(qpc, st, service_type(mod->type));
	prm_set(qpc, pm_state, PRM_QP_PM_MIGRATED);
	prm_set(qpc, pd, mod->pdn);
	prm_set(qpc, cqn_snd, mod->cqn_snd);
	prm_set(qpc, cqn_rcv, mod->cqn_rcv);
	prm_set(qpc, counter_set_id, mod->q_counter);
	prm_set64(qpc, dbr_addr, mod->db_dma);

	cxr_ads_encode(path, &mod->addr);
	prm_set(path, pkey_index, mod->pkey_index);
	if (mod->port)
		prm_set(path, vhca_port_num, mod->port);

	encode_access(qpc, mod);
	prm_set(qpc, q_key, mod->qkey);
	prm_set(qpc, mtu, mod->mtu);
	prm_set(qpc, log_msg_max, mod->log_msg_max);
	prm_set(qpc, remote_qpn, mod->dest_qpn);
	prm_set(qpc, next_rcv_psn, mod->rq_psn);
	prm_set(qpc, next_send_psn, mod->sq_psn);
	prm_set(qpc, log_sra_max, mod->log_max_rd);
	prm_set(qpc, log_rra_max, mod->log_max_dest_rd);
	prm_set(qpc, min_rnr_nak, mod->min_rnr_timer);
	prm_set(qpc, retry_count, mod->retry_cnt);
	prm_set(qpc, rnr_retry, mod->rnr_retry);
	prm_set(qpc, lag_tx_port_affinity, mod->lag_port);
	prm_set(qpc, log_ack_req_freq, LOG_ACK_REQ_FREQ);
}

static int decode_state(u8 raw, enum cxr_qp_state *state, bool *draining)
{
	static const enum cxr_qp_state states[] = {
		[PRM_QP_RST] = CXR_QPS_RST,
		[PRM_QP_INIT] = CXR_QPS_INIT,
		[PRM_QP_RTR] = CXR_QPS_RTR,
		[PRM_QP_RTS] = CXR_QPS_RTS,
		[PRM_QP_SQER] = CXR_QPS_SQER,
		[PRM_QP_SQD] = CXR_QPS_SQD,
		[PRM_QP_ERR] = CXR_QPS_ERR,
		[PRM_QP_SQ_DRAINING] = CXR_QPS_SQD,
	};

	if (raw > PRM_QP_SQ_DRAINING)
		return -EPROTO;
	*state = states[raw];
	*draining = raw == PRM_QP_SQ_DRAINING;
	return 0;
}

static int decode_type(u8 raw, enum cxr_qp_type *type)
{
	switch (raw) {
	case PRM_QP_ST_RC:
		*type = CXR_QP_RC;
		return 0;
	case PRM_QP_ST_UC:
		*type = CXR_QP_UC;
		return 0;
	case PRM_QP_ST_UD:
		*type = CXR_QP_UD;
		return 0;
	case PRM_QP_ST_QP1:
		*type = CXR_QP_GSI;
		return 0;
	case PRM_QP_ST_XRC:
		*type = CXR_QP_XRC;
		return 0;
	case PRM_QP_ST_DCI:
		*type = CXR_QP_DCI;
		return 0;
	default:
		return -EPROTO;
	}
}

int cxr_qpc_decode(const struct prm_qpc *qpc, enum cxr_qp_state *state, bool *draining,
		   struct cxr_qp_mod *mod)
{
	int err;

	memset(mod, 0, sizeof(*mod));
	err = decode_state(prm_get(qpc, state), state, draining);
	if (err)
		return err;
	err = decode_type(prm_get(qpc, st), &mod->type);
	if (err)
		return err;

	cxr_ads_decode(prm_sub_const(qpc, primary_address_path, ads), &mod->addr);
	mod->port = mod->addr.port;
	mod->pkey_index = mod->addr.pkey_index;
	mod->qkey = prm_get(qpc, q_key);
	mod->remote_read = prm_get(qpc, rre);
	mod->remote_write = prm_get(qpc, rwe);
	mod->remote_atomic = prm_get(qpc, rae);
	mod->mtu = prm_get(qpc, mtu);
	mod->log_msg_max = prm_get(qpc, log_msg_max);
	mod->dest_qpn = prm_get(qpc, remote_qpn);
	mod->rq_psn = prm_get(qpc, next_rcv_psn);
	mod->sq_psn = prm_get(qpc, next_send_psn);
	mod->log_max_rd = prm_get(qpc, log_sra_max);
	mod->log_max_dest_rd = prm_get(qpc, log_rra_max);
	mod->min_rnr_timer = prm_get(qpc, min_rnr_nak);
	mod->retry_cnt = prm_get(qpc, retry_count);
	mod->rnr_retry = prm_get(qpc, rnr_retry);
	mod->lag_port = prm_get(qpc, lag_tx_port_affinity);
	mod->pdn = prm_get(qpc, pd);
	mod->cqn_snd = prm_get(qpc, cqn_snd);
	mod->cqn_rcv = prm_get(qpc, cqn_rcv);
	mod->q_counter = prm_get(qpc, counter_set_id);
	mod->db_dma = prm_get64(qpc, dbr_addr);
	return 0;
}
