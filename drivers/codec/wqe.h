/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Send and receive WQE segments; each function fills the whole segment at @seg. */
#ifndef CXR_CODEC_WQE_H
#define CXR_CODEC_WQE_H

#include <linux/types.h>
#include "prm/wqe.h"

enum cxr_wqe_ctrl_flag {
	CXR_WQE_SIGNALED = 1,
	CXR_WQE_SOLICITED = 2,
	/* waits for all before it to be complete: READs and atomics, UMR WQEs, everything */
	CXR_WQE_FENCE = 4,
	CXR_WQE_FENCE_SMALL = 8,
	CXR_WQE_FENCE_STRONG = 16,
};

/*
 * @num: QPN or SQN; @ds: size in 16-byte units, this segment included; @imm: immediate, rkey to
 * invalidate, or key that a UMR WQE changes, else 0.
 */
void cxr_wqe_ctrl(struct prm_wqe_ctrl_seg *seg, u32 num, u16 index, u8 opcode, u8 opmod, u8 ds,
		  u32 flags, __be32 imm);
/* @swap_add: what to put there or to add; @compare: what must be there to be swapped */
void cxr_wqe_atomic(struct prm_wqe_atomic_seg *seg, u64 swap_add, u64 compare);
void cxr_wqe_datagram(struct prm_wqe_datagram_seg *seg, const struct prm_av *av, u32 qpn, u32 qkey);
/* Header of inline data of @len bytes; the bytes follow. */
void cxr_wqe_inline(struct prm_wqe_inline_seg *seg, u32 len);
/*
 * @csum: the device fills in the L3 and L4 checksums; @mss: segment size, or 0; @headers: @len
 * inline bytes, of which the first stand here.
 */
void cxr_wqe_eth(struct prm_wqe_eth_seg *seg, bool csum, u16 mss, const u8 *headers, u16 len);

/* The two that most WQEs have are here: a call takes as long as they do. */
static inline void cxr_wqe_raddr(struct prm_wqe_raddr_seg *seg, u64 addr, u32 rkey)
{
	seg->raddr = cpu_to_be64(addr);
	seg->rkey = cpu_to_be32(rkey);
	seg->rsvd_0c = 0;
}

/* A length of 0 would mean 2 GiB to the device: empty pieces get no segment. */
static inline void cxr_wqe_data(struct prm_wqe_data_seg *seg, u64 addr, u32 lkey, u32 len)
{
	seg->byte_count = cpu_to_be32(len);
	seg->lkey = cpu_to_be32(lkey);
	seg->addr = cpu_to_be64(addr);
}

#endif
