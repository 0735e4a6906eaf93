/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Send queues. A packet is one WQE: control segment, Ethernet segment with the inline headers that
 * the device needs, and a data segment for the rest of the linear part and for each fragment. The
 * last WQE before a doorbell requests a completion, which those before it share, and so does one
 * that the sender wants a timestamp of.
 *
 * A WQE may wrap at the end of the queue, and the pages of the queue are not contiguous: WQEs are
 * written in units of 16 bytes, each at its cxr_en_sq_at().
 *
 * A queue has one sender at a time: the owner of the lock of its tx queue (tx.c), or, if it is one
 * of XDP, of cxr_en_sq.lock (xdp.c). It writes headers, then data segments (cxr_en_sq_map()), then
 * posts the WQE, and rings the doorbell after the last of several.
 */
#ifndef CXR_EN_SQ_H
#define CXR_EN_SQ_H

#include <linux/dma-mapping.h>
#include <linux/if_vlan.h>
#include "en.h"

#define CXR_EN_DS_PER_BB	(PRM_WQE_BB / PRM_WQE_DS)
#define CXR_EN_INLINE_START	sizeof_field(struct prm_wqe_eth_seg, inline_hdr_start)

/* Unit @ds of the next WQE. */
static inline void *cxr_en_sq_at(const struct cxr_en_sq *sq, unsigned int ds)
{
	size_t off = (size_t)(sq->pc & sq->mask) * PRM_WQE_BB + ds * PRM_WQE_DS;
	size_t size = (size_t)(sq->mask + 1) * PRM_WQE_BB;

	return cxr_buf_at(&sq->buf, off & (size - 1));
}

/* Free blocks, whose entries NAPI has done with. */
static inline u16 cxr_en_sq_room(const struct cxr_en_sq *sq)
{
	u16 cc = smp_load_acquire(&sq->cc);	/* pairs with release() of sq.c */

	return sq->mask + 1 - (u16)(READ_ONCE(sq->pc) - cc);
}

/* Inline bytes, if the device needs @headers bytes of a packet whose linear part is @len. */
static inline u16 cxr_en_sq_inline(unsigned int headers, unsigned int len)
{
	return min_t(unsigned int, len, clamp_t(unsigned int, headers, VLAN_ETH_HLEN,
						CXR_EN_INLINE_MAX));
}

/* Units before the first data segment, with @len bytes of headers. */
static inline u8 cxr_en_sq_header_ds(u16 len)
{
	if (len <= CXR_EN_INLINE_START)
		return 2;
	return 2 + DIV_ROUND_UP(len - CXR_EN_INLINE_START, PRM_WQE_DS);
}

/* The Ethernet segment with @len bytes of inline headers; the rest as for cxr_wqe_eth(). */
static inline void cxr_en_sq_headers(struct cxr_en_sq *sq, enum cxr_wqe_csum csum, u16 mss,
				     const u8 *headers, u16 len)
{
	unsigned int ds = 2, done;

	cxr_wqe_eth(cxr_en_sq_at(sq, 1), csum, mss, headers, len);
	for (done = CXR_EN_INLINE_START; done + PRM_WQE_DS <= len; done += PRM_WQE_DS)
		memcpy(cxr_en_sq_at(sq, ds++), headers + done, PRM_WQE_DS);
	if (done < len)
		memcpy(cxr_en_sq_at(sq, ds), headers + done, len - done);
}

/* Data segment @ds for @addr, which was just mapped as @single says; 0 or -ENOMEM. */
static inline int cxr_en_sq_map(struct cxr_en_sq *sq, dma_addr_t addr, u32 len, bool single,
				unsigned int ds)
{
	struct cxr_en_tx_map *map = &sq->map[sq->map_pc & sq->map_mask];

	if (dma_mapping_error(sq->en->core->dev, addr))
		return -ENOMEM;

	*map = (struct cxr_en_tx_map){ .addr = addr, .len = len, .single = single };
	sq->map_pc++;
	cxr_wqe_data(cxr_en_sq_at(sq, ds), addr, sq->en->mkey, len);
	return 0;
}

/* Posts the WQE of @ds units; @info.blocks is set here. */
static inline void cxr_en_sq_post(struct cxr_en_sq *sq, const struct cxr_en_tx_info *info,
				  u8 opcode, unsigned int ds)
{
	struct cxr_en_tx_info *kept = &sq->info[sq->pc & sq->mask];

	sq->last = cxr_en_sq_at(sq, 0);
	cxr_wqe_ctrl(sq->last, sq->sqn, sq->pc, opcode, 0, ds, info->stamp ? CXR_WQE_SIGNALED : 0,
		     0);
	*kept = *info;
	kept->blocks = DIV_ROUND_UP(ds, CXR_EN_DS_PER_BB);
	WRITE_ONCE(sq->pc, sq->pc + kept->blocks);
}

/* Tells the device about all posted WQEs. */
static inline void cxr_en_sq_ring(struct cxr_en_sq *sq)
{
	if (sq->rung == sq->pc)
		return;

	sq->rung = sq->pc;
	cxr_wqe_signal(sq->last);
	dma_wmb();	/* WQEs, then the doorbell record */
	sq->db.rec[1] = cpu_to_be32(sq->pc);
	cxr_uar_ring(sq->uar, sq->last);
}

#endif
