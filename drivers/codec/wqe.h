/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Segments of send and receive WQEs; each function sets the whole segment at @seg. */
#ifndef CXR_CODEC_WQE_H
#define CXR_CODEC_WQE_H

#include <linux/string.h>
#include <linux/types.h>
#include "prm/wqe.h"

enum cxr_wqe_ctrl_flag {
	CXR_WQE_SIGNALED = 1,
	CXR_WQE_SOLICITED = 2,
	/* wait for earlier READs and atomics, UMR WQEs, all WQEs */
	CXR_WQE_FENCE = 4,
	CXR_WQE_FENCE_SMALL = 8,
	CXR_WQE_FENCE_STRONG = 16,
};

enum cxr_wqe_csum {
	CXR_WQE_NO_CSUM,
	CXR_WQE_CSUM,		/* the device computes the L3 and L4 checksums */
	CXR_WQE_CSUM_INNER,	/* the outer L3, and the inner L3 and L4 ones, of a tunnel */
};

/* @swap_add: value to swap or to add; @compare: expected value of a swap. */
void cxr_wqe_atomic(struct prm_wqe_atomic_seg *seg, u64 swap_add, u64 compare);
void cxr_wqe_datagram(struct prm_wqe_datagram_seg *seg, const struct prm_av *av, u32 qpn, u32 qkey);
/* Header of @len bytes of inline data, which follow. */
void cxr_wqe_inline(struct prm_wqe_inline_seg *seg, u32 len);

/* How a striding receive queue says that its WQEs have 2^@log strides, 3 to 16. */
u8 cxr_wqe_strides(u8 log);

/* The segments of most WQEs are inline functions. */
static inline u8 cxr_wqe_fence(u32 flags)
{
	if (flags & CXR_WQE_FENCE_STRONG)
		return PRM_WQE_FENCE_STRONG;
	if (flags & CXR_WQE_FENCE_SMALL)
		return flags & CXR_WQE_FENCE ? PRM_WQE_FENCE_SMALL_AND_FENCE :
					       PRM_WQE_FENCE_INITIATOR_SMALL;
	return flags & CXR_WQE_FENCE ? PRM_WQE_FENCE : PRM_WQE_FENCE_NONE;
}

/*
 * @num: QPN or SQN; @ds: size of the WQE in 16-byte units; @imm: immediate, rkey to invalidate, or
 * mkey that a UMR WQE changes, else 0.
 */
static inline void cxr_wqe_ctrl(struct prm_wqe_ctrl_seg *seg, u32 num, u16 index, u8 opcode,
				u8 opmod, u8 ds, u32 flags, __be32 imm)
{
	memset(seg, 0, sizeof(*seg));
	seg->opmod_idx_opcode = cpu_to_be32((u32)opmod << 24 | (u32)index << 8 | opcode);
	seg->qpn_ds = cpu_to_be32(num << 8 | ds);
	seg->fm_ce_se = cxr_wqe_fence(flags) |
			(flags & CXR_WQE_SIGNALED ? PRM_WQE_CE_ALWAYS : 0) |
			(flags & CXR_WQE_SOLICITED ? PRM_WQE_SOLICITED : 0);
	seg->imm = imm;
}

/*
 * @mss: segment size, or 0; @headers: @len inline bytes, of which the first ones fit here. There
 * are none, or at least an Ethernet header.
 */
static inline void cxr_wqe_eth(struct prm_wqe_eth_seg *seg, enum cxr_wqe_csum csum, u16 mss,
			       const u8 *headers, u16 len)
{
	memset(seg, 0, sizeof(*seg));
	if (csum == CXR_WQE_CSUM)
		seg->cs_flags = PRM_WQE_ETH_L3_CSUM | PRM_WQE_ETH_L4_CSUM;
	else if (csum == CXR_WQE_CSUM_INNER)
		seg->cs_flags = PRM_WQE_ETH_L3_CSUM | PRM_WQE_ETH_L3_INNER_CSUM |
				PRM_WQE_ETH_L4_INNER_CSUM;
	seg->mss = cpu_to_be16(mss);
	seg->inline_hdr_sz = cpu_to_be16(len);
	if (len)
		memcpy(seg->inline_hdr_start, headers, sizeof(seg->inline_hdr_start));
}

static inline void cxr_wqe_raddr(struct prm_wqe_raddr_seg *seg, u64 addr, u32 rkey)
{
	seg->raddr = cpu_to_be64(addr);
	seg->rkey = cpu_to_be32(rkey);
	seg->rsvd_0c = 0;
}

/* Completion of a WQE that the device has not seen; instead of CXR_WQE_SIGNALED. */
static inline void cxr_wqe_signal(struct prm_wqe_ctrl_seg *seg)
{
	seg->fm_ce_se |= PRM_WQE_CE_ALWAYS;
}

/* @len is not 0, which means 2 GiB to the device. */
static inline void cxr_wqe_data(struct prm_wqe_data_seg *seg, u64 addr, u32 lkey, u32 len)
{
	seg->byte_count = cpu_to_be32(len);
	seg->lkey = cpu_to_be32(lkey);
	seg->addr = cpu_to_be64(addr);
}

#endif
