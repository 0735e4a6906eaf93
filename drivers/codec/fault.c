// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/errno.h>
#include <linux/string.h>
#include <linux/types.h>
#include "fault.h"

#define NUM_MASK	0xffffff
#define DS_MASK		0x3f
#define SEND_MIN	(2 * PRM_WQE_DS)
#define MEMORY_SHIFT	12	/* pages of an event, and where their number begins */
#define ZERO_LEN	0x80000000U	/* bytes of a data segment whose length is 0 */

/* ---- events ---- */

static u64 pair(const __be32 *two)
{
	return (u64)be32_to_cpu(two[0]) << 32 | be32_to_cpu(two[1]);
}

static enum cxr_fault_kind wqe_kind(u8 type)
{
	switch (type) {
	case PRM_FAULT_WQE_RMP:
		return CXR_FAULT_SRQ;
	case PRM_FAULT_WQE_RECEIVE:
		return CXR_FAULT_RECV;
	case PRM_FAULT_WQE_SEND_WRITE:
	case PRM_FAULT_WQE_READ_ATOMIC:
		return CXR_FAULT_SEND;
	default:
		return CXR_FAULT_UNKNOWN;
	}
}

static void decode_wqe(const struct prm_eqe_page_fault_wqe *wqe, struct cxr_fault *fault)
{
	u32 word = be32_to_cpu(wqe->pftype_wq);

	fault->type = word >> 24 & 7;
	fault->kind = wqe_kind(fault->type);
	fault->token = be32_to_cpu(wqe->token) & NUM_MASK;
	fault->queue = word & NUM_MASK;
	fault->index = be16_to_cpu(wqe->wqe_index);
	fault->committed = be32_to_cpu(wqe->bytes_committed);
}

/* Of some requests the device knows no length: the packet is what it needs to go on. */
static void decode_rdma(const struct prm_eqe_page_fault_rdma *rdma, struct cxr_fault *fault)
{
	u32 committed = be32_to_cpu(rdma->bytes_committed);
	u32 len = be32_to_cpu(rdma->rdma_op_len);
	u32 word = be32_to_cpu(rdma->pftype_token);

	fault->kind = CXR_FAULT_RDMA;
	fault->type = word >> 24 & 7;
	fault->token = word & NUM_MASK;
	fault->queue = fault->token;
	fault->rkey = be32_to_cpu(rdma->r_key);
	fault->va = pair(rdma->rdma_va) + committed;
	fault->len = len > committed ? len - committed : be16_to_cpu(rdma->packet_length);
	if (fault->len > CXR_FAULT_BYTES)
		fault->len = CXR_FAULT_BYTES;
	if (!fault->len)
		fault->len = 1;
}

static u32 least(u64 a, u64 b)
{
	return a < b ? a : b;
}

/* What is needed goes before what may be needed next, and that before what lies behind. */
static void decode_memory(const struct prm_eqe_page_fault_memory *memory, struct cxr_fault *fault)
{
	u64 len = (u64)(be32_to_cpu(memory->demand_fault_pages) >> MEMORY_SHIFT) << MEMORY_SHIFT;
	u64 after = (u64)be16_to_cpu(memory->post_demand_fault_pages) << MEMORY_SHIFT;
	u64 before = (u64)be16_to_cpu(memory->pre_demand_fault_pages) << MEMORY_SHIFT;
	u64 behind;

	fault->kind = CXR_FAULT_MEMORY;
	fault->last = memory->flags & PRM_FAULT_MEMORY_LAST;
	fault->token = (u64)be16_to_cpu(memory->token47_32) << 32 |
		       be32_to_cpu(memory->token31_0);
	fault->rkey = be32_to_cpu(memory->mkey);
	fault->va = pair(memory->va);
	behind = ~fault->va;	/* bytes after the first one */
	fault->len = least(len ?: 1, CXR_FAULT_BYTES);
	if (fault->len - 1 > behind)
		fault->len = behind + 1;
	behind -= fault->len - 1;
	fault->after = least(least(after, behind), CXR_FAULT_BYTES - fault->len);
	fault->before = least(least(before, fault->va),
			      CXR_FAULT_BYTES - fault->len - fault->after);
}

int cxr_fault_decode(const struct prm_eqe *eqe, struct cxr_fault *fault)
{
	memset(fault, 0, sizeof(*fault));
	fault->kind = CXR_FAULT_UNKNOWN;
	fault->last = true;
	switch (eqe->sub_type) {
	case PRM_FAULT_RDMA:
		decode_rdma(&eqe->data.page_fault.rdma, fault);
		break;
	case PRM_FAULT_MEMORY:
		decode_memory(&eqe->data.page_fault.memory, fault);
		break;
	case PRM_FAULT_WQE:
		decode_wqe(&eqe->data.page_fault.wqe, fault);
		break;
	default:
		decode_wqe(&eqe->data.page_fault.wqe, fault);
		fault->kind = CXR_FAULT_UNKNOWN;
	}
	return fault->kind == CXR_FAULT_UNKNOWN ? -EPROTO : 0;
}

bool cxr_fault_ends(const struct cxr_fault *fault, int err)
{
	return fault->last || err;
}

/* ---- requests ---- */

u32 cxr_fault_send_bytes(const struct prm_wqe_ctrl_seg *ctrl)
{
	u32 bytes = (be32_to_cpu(ctrl->qpn_ds) & DS_MASK) * PRM_WQE_DS;

	return bytes >= SEND_MIN ? bytes : 0;
}

static u32 avs_bytes(const u8 *wqe, u32 at, u32 len)
{
	const struct prm_av *av = (const struct prm_av *)(wqe + at);

	if (at + PRM_WQE_DS > len)
		return PRM_WQE_DS;
	return be32_to_cpu(av->dqp_dct) & PRM_AV_EXTENDED ? sizeof(*av) : PRM_WQE_DS;
}

/* Bytes of the segments between the address and the data; -EINVAL: the request moves none. */
static int op_bytes(u8 opcode)
{
	switch (opcode) {
	case PRM_WQE_SEND:
	case PRM_WQE_SEND_IMM:
	case PRM_WQE_SEND_INVAL:
		return 0;
	case PRM_WQE_RDMA_WRITE:
	case PRM_WQE_RDMA_WRITE_IMM:
	case PRM_WQE_RDMA_READ:
		return sizeof(struct prm_wqe_raddr_seg);
	case PRM_WQE_ATOMIC_CS:
	case PRM_WQE_ATOMIC_FA:
		return sizeof(struct prm_wqe_raddr_seg) + sizeof(struct prm_wqe_atomic_seg);
	default:
		return -EINVAL;
	}
}

static int begin_send(struct cxr_fault_walk *walk, const struct cxr_fault_wqe *what, u32 len)
{
	const struct prm_wqe_ctrl_seg *ctrl = (const struct prm_wqe_ctrl_seg *)walk->wqe;
	int op;

	if (len < SEND_MIN || cxr_fault_send_bytes(ctrl) != len)
		return -EINVAL;
	op = op_bytes(be32_to_cpu(ctrl->opmod_idx_opcode) & 0xff);
	if (op < 0)
		return op;

	walk->at = sizeof(*ctrl);
	if (what->xrc)
		walk->at += sizeof(struct prm_wqe_xrc_seg);
	if (what->datagram)
		walk->at += avs_bytes(walk->wqe, walk->at, len);
	walk->at += op;
	return 0;
}

int cxr_fault_walk_begin(struct cxr_fault_walk *walk, const struct cxr_fault_wqe *what,
			 const void *wqe, u32 len)
{
	int err = 0;

	*walk = (struct cxr_fault_walk){
		.wqe = wqe,
		.end = len,
		.committed = what->committed,
		.left = CXR_FAULT_BYTES,
		.recv = what->kind != CXR_FAULT_SEND,
		.terminate_lkey = what->terminate_lkey,
	};
	if (what->kind == CXR_FAULT_SEND)
		err = begin_send(walk, what, len);
	else if (what->kind == CXR_FAULT_SRQ)
		walk->at = sizeof(struct prm_wqe_srq_next_seg);
	/* A request without data does not fault. */
	if (!err && walk->at >= walk->end)
		err = -EINVAL;
	return err;
}

/* Inline data follow their length, and are in the WQE already; of a receive there are none. */
static int pass_inline(struct cxr_fault_walk *walk, u32 count)
{
	u32 len = count & PRM_WQE_INLINE_MASK;
	u32 bytes = (sizeof(struct prm_wqe_inline_seg) + len + PRM_WQE_DS - 1) & ~(PRM_WQE_DS - 1);

	if (walk->recv || bytes > walk->end - walk->at)
		return -EINVAL;
	walk->at += bytes;
	walk->committed -= len < walk->committed ? len : walk->committed;
	return 0;
}

/* Of the segment what is not done yet; false: it is done. */
static bool clip(struct cxr_fault_walk *walk, struct cxr_fault_range *range)
{
	if (walk->committed >= range->len) {
		walk->committed -= range->len;
		return false;
	}
	range->va += walk->committed;
	range->len -= walk->committed;
	walk->committed = 0;
	if (range->len > walk->left)
		range->len = walk->left;
	walk->left -= range->len;
	return true;
}

int cxr_fault_walk_next(struct cxr_fault_walk *walk, struct cxr_fault_range *range)
{
	struct prm_wqe_data_seg seg;
	u32 count;

	while (walk->at < walk->end && walk->left) {
		if (walk->end - walk->at < sizeof(seg))
			return -EINVAL;
		memcpy(&seg, walk->wqe + walk->at, sizeof(seg));
		count = be32_to_cpu(seg.byte_count);
		if (count & PRM_WQE_INLINE) {
			if (pass_inline(walk, count))
				return -EINVAL;
			continue;
		}
		walk->at += sizeof(seg);
		range->key = be32_to_cpu(seg.lkey);
		range->va = be64_to_cpu(seg.addr);
		if (walk->recv && !count && !range->va && range->key == walk->terminate_lkey)
			break;
		range->len = count ?: ZERO_LEN;
		if (clip(walk, range))
			return 1;
	}
	return 0;
}
