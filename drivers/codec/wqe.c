// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/string.h>
#include <linux/types.h>
#include "wqe.h"

static u8 fence(u32 flags)
{
	if (flags & CXR_WQE_FENCE_STRONG)
		return PRM_WQE_FENCE_STRONG;
	if (flags & CXR_WQE_FENCE_SMALL)
		return flags & CXR_WQE_FENCE ? PRM_WQE_FENCE_SMALL_AND_FENCE :
					       PRM_WQE_FENCE_INITIATOR_SMALL;
	return flags & CXR_WQE_FENCE ? PRM_WQE_FENCE : PRM_WQE_FENCE_NONE;
}

void cxr_wqe_ctrl(struct prm_wqe_ctrl_seg *seg, u32 num, u16 index, u8 opcode, u8 opmod, u8 ds,
		  u32 flags, __be32 imm)
{
	memset(seg, 0, sizeof(*seg));
	seg->opmod_idx_opcode = cpu_to_be32((u32)opmod << 24 | (u32)index << 8 | opcode);
	seg->qpn_ds = cpu_to_be32(num << 8 | ds);
	if (flags & CXR_WQE_SIGNALED)
		seg->fm_ce_se |= PRM_WQE_CE_ALWAYS;
	if (flags & CXR_WQE_SOLICITED)
		seg->fm_ce_se |= PRM_WQE_SOLICITED;
	seg->fm_ce_se |= fence(flags);
	seg->imm = imm;
}

void cxr_wqe_atomic(struct prm_wqe_atomic_seg *seg, u64 swap_add, u64 compare)
{
	seg->swap_add = cpu_to_be64(swap_add);
	seg->compare = cpu_to_be64(compare);
}

void cxr_wqe_datagram(struct prm_wqe_datagram_seg *seg, const struct prm_av *av, u32 qpn, u32 qkey)
{
	seg->av = *av;
	seg->av.key.qkey.qkey = cpu_to_be32(qkey);
	seg->av.key.qkey.rsvd_04 = 0;
	seg->av.dqp_dct = cpu_to_be32(PRM_AV_EXTENDED | qpn);
}

void cxr_wqe_inline(struct prm_wqe_inline_seg *seg, u32 len)
{
	seg->byte_count = cpu_to_be32(PRM_WQE_INLINE | len);
}

void cxr_wqe_eth(struct prm_wqe_eth_seg *seg, enum cxr_wqe_csum csum, u16 mss, const u8 *headers,
		 u16 len)
{
	static const u8 flags[] = {
		[CXR_WQE_NO_CSUM] = 0,
		[CXR_WQE_CSUM] = PRM_WQE_ETH_L3_CSUM | PRM_WQE_ETH_L4_CSUM,
		[CXR_WQE_CSUM_INNER] = PRM_WQE_ETH_L3_CSUM | PRM_WQE_ETH_L3_INNER_CSUM |
				       PRM_WQE_ETH_L4_INNER_CSUM,
	};

	memset(seg, 0, sizeof(*seg));
	seg->cs_flags = flags[csum];
	seg->mss = cpu_to_be16(mss);
	seg->inline_hdr_sz = cpu_to_be16(len);
	if (len)
		memcpy(seg->inline_hdr_start, headers,
		       len < sizeof(seg->inline_hdr_start) ? len : sizeof(seg->inline_hdr_start));
}
