// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/string.h>
#include <linux/types.h>
#include "cqe.h"
#include "prm/wqe.h"

static enum cxr_cqe_kind kind_of(u8 opcode)
{
	switch (opcode) {
	case PRM_CQE_RESP_WR_IMM:
		return CXR_CQE_RESP_WRITE_IMM;
	case PRM_CQE_RESP_SEND:
		return CXR_CQE_RESP_SEND;
	case PRM_CQE_RESP_SEND_IMM:
		return CXR_CQE_RESP_SEND_IMM;
	case PRM_CQE_RESP_SEND_INV:
		return CXR_CQE_RESP_SEND_INV;
	case PRM_CQE_REQ_ERR:
		return CXR_CQE_REQ_ERR;
	case PRM_CQE_RESP_ERR:
		return CXR_CQE_RESP_ERR;
	case PRM_CQE_RESIZE_CQ:
		return CXR_CQE_RESIZE;
	default:
		return CXR_CQE_UNKNOWN;
	}
}

static u32 grh_flags(u32 flags_rqpn)
{
	u32 flags = 0;

	if (flags_rqpn >> PRM_CQE_GRH_SHIFT & 3)
		flags |= CXR_CQE_GRH;
	if ((flags_rqpn >> PRM_CQE_ROCE_TYPE_SHIFT & 3) == PRM_CQE_ROCE_IPV4)
		flags |= CXR_CQE_IPV4_GRH;
	return flags;
}

static void decode_error(const struct prm_cqe64 *cqe, struct cxr_cqe *out)
{
	const struct prm_err_cqe *err = (const struct prm_err_cqe *)cqe;

	out->syndrome = err->syndrome;
	out->vendor_err = err->vendor_err_synd;
}

void cxr_cqe_decode_other(const struct prm_cqe64 *cqe, struct cxr_cqe *out)
{
	u32 sop_qpn = be32_to_cpu(cqe->sop_drop_qpn);
	u32 flags_rqpn = be32_to_cpu(cqe->flags_rqpn);
	u8 format = cqe->op_own >> PRM_CQE_FORMAT_SHIFT & 3;

	memset(out, 0, sizeof(*out));
	out->kind = kind_of(cqe->op_own >> PRM_CQE_OPCODE_SHIFT);
	out->qpn = sop_qpn & CXR_CQE_NUM_MASK;
	out->send_opcode = sop_qpn >> 24;
	out->user_index = be32_to_cpu(cqe->srqn) & CXR_CQE_NUM_MASK;
	out->wqe_counter = be16_to_cpu(cqe->wqe_counter);
	if (out->kind == CXR_CQE_REQ_ERR || out->kind == CXR_CQE_RESP_ERR) {
		decode_error(cqe, out);
		return;
	}

	out->byte_count = be32_to_cpu(cqe->byte_cnt);
	out->imm_inval = cqe->immediate;
	out->pkey_index = be32_to_cpu(cqe->pkey) & 0xffff;
	out->flags = cxr_cqe_packet_flags(cqe) | grh_flags(flags_rqpn);
	out->src_qpn = flags_rqpn & CXR_CQE_NUM_MASK;
	if (out->flags & CXR_CQE_VLAN)
		out->tci = be16_to_cpu(cqe->vlan_info);
	out->smac_mlpath = cqe->ml_path;
	out->check_sum = cqe->check_sum;
	out->rss_hash = be32_to_cpu(cqe->rss_hash_result);
	out->rss_type = cqe->rss_hash_type;
	out->inline_data = format == PRM_CQE_INLINE32 || format == PRM_CQE_INLINE64;
}

bool cxr_cqe_session_start(struct cxr_cqe_session *s, const struct prm_cqe64 *title, u32 most)
{
	u32 n = be32_to_cpu(title->byte_cnt);

	s->at = 0;
	s->n = n <= most ? n : 0;
	if (!s->n)
		return false;
	/* what the kind does not set */
	memset(&s->first, 0, sizeof(s->first));
	cxr_cqe_decode_packet(title, &s->first);
	s->first.rss_hash = 0;
	s->first.rss_type = 0;
	s->stamp = cxr_cqe_timestamp(title);
	return true;
}

void cxr_cqe_session_load(struct cxr_cqe_session *s, const struct prm_cqe64 *entry)
{
	memcpy(s->minis, entry, sizeof(s->minis));
}

void cxr_cqe_session_take(struct cxr_cqe_session *s, struct cxr_cqe *out)
{
	const struct prm_mini_cqe *mini = &s->minis[s->at % PRM_MINI_CQES];

	*out = s->first;
	out->wqe_counter += s->at++;
	out->byte_count = be32_to_cpu(mini->byte_cnt);
	out->check_sum = mini->check_sum;
}

#define SYNDROME_TEXT(name, number, text) \
	[number] = text,

const char *cxr_cqe_syndrome_text(u8 syndrome)
{
	static const char *const texts[0x100] = { PRM_CQE_SYNDROME_LIST(SYNDROME_TEXT) };

	return texts[syndrome] ? texts[syndrome] : "unknown error";
}

const char *cxr_wqe_opcode_text(u8 opcode)
{
	static const struct opcode_text {
		u8 opcode;
		const char *text;
	} texts[] = {
		{ PRM_WQE_NOP, "no operation" },
		{ PRM_WQE_SEND_INVAL, "send with invalidate" },
		{ PRM_WQE_RDMA_WRITE, "RDMA write" },
		{ PRM_WQE_RDMA_WRITE_IMM, "RDMA write with immediate" },
		{ PRM_WQE_SEND, "send" },
		{ PRM_WQE_SEND_IMM, "send with immediate" },
		{ PRM_WQE_RDMA_READ, "RDMA read" },
		{ PRM_WQE_ATOMIC_CS, "compare and swap" },
		{ PRM_WQE_ATOMIC_FA, "fetch and add" },
		{ PRM_WQE_UMR, "memory key update" },
		{ }
	};
	const struct opcode_text *t;

	for (t = texts; t->text; t++)
		if (t->opcode == opcode)
			return t->text;
	return "unknown opcode";
}
