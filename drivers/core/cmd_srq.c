// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Commands for shared receive queues.
 *
 * From interface revision 1 on there are two kinds: a receive memory pool (RMP), which is the SRQ
 * of any queue, and an XRC SRQ. They share a number space. (Revision 0 had another kind, which no
 * firmware of the supported adapters needs.)
 */
#include <linux/slab.h>

#include "prm/cmdif.h"
#include "prm/nic.h"
#include "prm/obj.h"
#include "prm/srq.h"
#include "core.h"

#define LOG_XRC_STRIDE_UNIT 4	/* the stride of an XRC SRQ is in 16 bytes, of an RMP in bytes */

static_assert(sizeof_field(struct prm_xrc_srqc_bits, page_offset) == CXR_PAS_OFFSET_BITS);

static int create_rmp(struct cxr_core *core, const struct cxr_srq_attr *attr, u32 *srqn)
{
	struct prm_create_rmp_out out;
	struct prm_create_rmp_in *in;
	struct prm_wq *wq;
	size_t len;
	int err;

	in = cxr_cmd_alloc_in(sizeof(*in), &attr->pas, &len);
	if (!in)
		return -ENOMEM;

	prm_set(in, uid, attr->uid);
	prm_set(in, ctx.state, PRM_WQ_RDY);
	wq = prm_sub(in, ctx.wq, wq);
	prm_set(wq, wq_type, PRM_WQ_LINKED_LIST);
	prm_set(wq, page_offset, attr->pas.offset);
	prm_set(wq, pd, attr->pdn);
	prm_set64(wq, dbr_addr, attr->db_dma);
	prm_set(wq, log_wq_stride, attr->log_stride);
	prm_set(wq, log_wq_pg_sz, attr->pas.log_size - PRM_PAGE_SHIFT);
	prm_set(wq, log_wq_sz, attr->log_size);
	err = cxr_cmd_len(core, create_rmp, in, len, &out, sizeof(out));
	if (!err)
		*srqn = prm_get(&out, rmpn);
	kvfree(in);
	return err;
}

static int create_xrc_srq(struct cxr_core *core, const struct cxr_srq_attr *attr, u32 *srqn)
{
	struct prm_create_xrc_srq_out out;
	struct prm_create_xrc_srq_in *in;
	struct prm_xrc_srqc *ctx;
	size_t len;
	int err;

	in = cxr_cmd_alloc_in(sizeof(*in), &attr->pas, &len);
	if (!in)
		return -ENOMEM;

	prm_set(in, uid, attr->uid);
	ctx = prm_sub(in, xrc_srq_context_entry, xrc_srqc);
	prm_set(ctx, state, PRM_SRQ_GOOD);
	prm_set(ctx, log_xrc_srq_size, attr->log_size);
	prm_set(ctx, log_rq_stride, attr->log_stride - LOG_XRC_STRIDE_UNIT);
	prm_set(ctx, xrcd, attr->xrcd);
	prm_set(ctx, page_offset, attr->pas.offset);
	prm_set(ctx, cqn, attr->cqn);
	prm_set(ctx, log_page_size, attr->pas.log_size - PRM_PAGE_SHIFT);
	prm_set(ctx, user_index, attr->user_index);
	prm_set(ctx, pd, attr->pdn);
	prm_set(ctx, db_record_addr_h, upper_32_bits(attr->db_dma));
	prm_set(ctx, db_record_addr_l, lower_32_bits(attr->db_dma) >> 2);
	err = cxr_cmd_len(core, create_xrc_srq, in, len, &out, sizeof(out));
	if (!err)
		*srqn = prm_get(&out, xrc_srqn);
	kvfree(in);
	return err;
}

int cxr_cmd_create_srq(struct cxr_core *core, const struct cxr_srq_attr *attr, u32 *srqn)
{
	return attr->xrc ? create_xrc_srq(core, attr, srqn) : create_rmp(core, attr, srqn);
}
EXPORT_SYMBOL_GPL(cxr_cmd_create_srq);

int cxr_cmd_destroy_srq(struct cxr_core *core, u16 uid, bool xrc, u32 srqn)
{
	int err;

	if (xrc) {
		struct prm_destroy_xrc_srq_in in = {};
		struct prm_destroy_xrc_srq_out out;

		prm_set(&in, uid, uid);
		prm_set(&in, xrc_srqn, srqn);
		err = cxr_cmd(core, destroy_xrc_srq, &in, &out);
	} else {
		struct prm_destroy_rmp_in in = {};
		struct prm_destroy_rmp_out out;

		prm_set(&in, uid, uid);
		prm_set(&in, rmpn, srqn);
		err = cxr_cmd(core, destroy_rmp, &in, &out);
	}
	return cxr_cmd_refusal(core, err);
}
EXPORT_SYMBOL_GPL(cxr_cmd_destroy_srq);

static int arm_rmp(struct cxr_core *core, u16 uid, u32 rmpn, u16 limit)
{
	struct prm_modify_rmp_in in = {};
	struct prm_modify_rmp_out out;

	prm_set(&in, uid, uid);
	prm_set(&in, rmp_state, PRM_WQ_RDY);
	prm_set(&in, rmpn, rmpn);
	prm_set(&in, bitmask.lwm, 1);
	prm_set(&in, ctx.state, PRM_WQ_RDY);
	prm_set(&in, ctx.wq.lwm, limit);
	return cxr_cmd(core, modify_rmp, &in, &out);
}

static int arm_xrc_srq(struct cxr_core *core, u16 uid, u32 srqn, u16 limit)
{
	struct prm_arm_xrc_srq_in in = {};
	struct prm_arm_xrc_srq_out out;

	prm_set(&in, uid, uid);
	prm_set(&in, op_mod, 1);
	prm_set(&in, xrc_srqn, srqn);
	prm_set(&in, lwm, limit);
	return cxr_cmd(core, arm_xrc_srq, &in, &out);
}

int cxr_cmd_arm_srq(struct cxr_core *core, u16 uid, bool xrc, u32 srqn, u16 limit)
{
	return xrc ? arm_xrc_srq(core, uid, srqn, limit) : arm_rmp(core, uid, srqn, limit);
}
EXPORT_SYMBOL_GPL(cxr_cmd_arm_srq);

static int query_rmp(struct cxr_core *core, u32 rmpn, u16 *limit)
{
	struct prm_query_rmp_in in = {};
	struct prm_query_rmp_out out;
	int err;

	prm_set(&in, rmpn, rmpn);
	err = cxr_cmd(core, query_rmp, &in, &out);
	if (!err)
		*limit = prm_get(&out, rmp_context.wq.lwm);
	return err;
}

static int query_xrc_srq(struct cxr_core *core, u32 srqn, u16 *limit)
{
	struct prm_query_xrc_srq_in in = {};
	struct prm_query_xrc_srq_out out;
	int err;

	prm_set(&in, xrc_srqn, srqn);
	err = cxr_cmd(core, query_xrc_srq, &in, &out);
	if (!err)
		*limit = prm_get(&out, xrc_srq_context_entry.lwm);
	return err;
}

int cxr_cmd_query_srq(struct cxr_core *core, bool xrc, u32 srqn, u16 *limit)
{
	return xrc ? query_xrc_srq(core, srqn, limit) : query_rmp(core, srqn, limit);
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_srq);
