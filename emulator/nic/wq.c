// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* What SQs and RQs share: the context of a work queue, the state transitions. */
#include "nic/nic.h"

int eth_check_wq(struct cmd *c, const struct prm_wq *ctx, unsigned int type)
{
	if (is_set(c, ctx, wq_signature, "but it is not advertised") ||
	    is_set(c, ctx, cd_slave, "but cross-channel queues are not advertised") ||
	    is_set(c, ctx, hds_skip_first_sge, "but header split is not advertised") ||
	    is_set(c, ctx, log2_hds_buf_size, "but header split is not advertised") ||
	    is_set(c, ctx, lwm, "but low watermarks are not advertised") ||
	    is_set(c, ctx, log_hairpin_num_packets, "but hairpin is not advertised") ||
	    is_set(c, ctx, log_hairpin_data_sz, "but hairpin is not advertised") ||
	    (type != PRM_WQ_CYCLIC_STRIDING &&
	     is_set(c, ctx, two_byte_shift_en, "but the WQ is not striding")) ||
	    is_set(c, ctx, shampo_enable, "but it is not advertised"))
		return -1;
	if (prm_get(ctx, wq_type) != type)
		return refuse(c, PRM_STATUS_BAD_PARAM, "wq_type %u of the WQ is not advertised",
			      prm_get(ctx, wq_type));
	if (prm_get(ctx, end_padding_mode) > 1)
		return refuse(c, PRM_STATUS_BAD_PARAM, "end_padding_mode %u is unknown",
			      prm_get(ctx, end_padding_mode));
	if (prm_get(ctx, log_wq_sz) > ETH_LOG_MAX_WQ_SZ)
		return refuse(c, PRM_STATUS_BAD_PARAM, "log_wq_sz %u is above %u",
			      prm_get(ctx, log_wq_sz), ETH_LOG_MAX_WQ_SZ);
	if (prm_get64(ctx, dbr_addr) & 7)
		return refuse(c, PRM_STATUS_BAD_PARAM, "dbr_addr 0x%llx is not aligned to 8 bytes",
			      (unsigned long long)prm_get64(ctx, dbr_addr));
	return 0;
}

int eth_get_wq(struct cmd *c, const struct prm_wq *ctx, struct wq *wq, struct pages *pages,
	       struct umem **dbr_umem)
{
	const struct umem_part part = { prm_get(ctx, wq_umem_valid), prm_get(ctx, wq_umem_id),
					prm_get64(ctx, wq_umem_offset) };
	const struct umem_part dbr = { prm_get(ctx, dbr_umem_valid), prm_get(ctx, dbr_umem_id),
				       prm_get64(ctx, dbr_addr) };
	unsigned int log_page = prm_get(ctx, log_wq_pg_sz);

	if (log_page > RING_LOG_PAGE_MAX)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "log_wq_pg_sz %u: pages are at most 2^%u bytes", log_page,
			      RING_LOG_PAGE_MAX + 12);
	wq->pages = pages;
	wq->log_size = prm_get(ctx, log_wq_sz);
	wq->log_stride = prm_get(ctx, log_wq_stride);
	if (dbr_get(c, &dbr, sizeof(struct prm_wq_dbr), part.valid, dbr_umem, &wq->dbr))
		return -1;
	if (part.valid)
		return pages_get_umem(c, pages, &part, wq_bytes(wq), 1u << wq->log_stride, MTT_READ,
				      prm_get(ctx, page_offset));
	return pages_get(c, pages, prm_tail_const(ctx), wq_bytes(wq), log_page,
			 prm_get(ctx, page_offset));
}

int eth_check_transition(struct cmd *c, struct obj *obj, unsigned int said, unsigned int is,
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
