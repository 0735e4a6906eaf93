/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* UMR WQEs: registration, invalidation and change of access rights of a mkey. */
#ifndef CXR_CODEC_UMR_H
#define CXR_CODEC_UMR_H

#include <linux/types.h>
#include "prm/mkey.h"
#include "prm/wqe.h"

enum cxr_access {
	CXR_ACCESS_LOCAL_WRITE = 1 << 0,
	CXR_ACCESS_REMOTE_READ = 1 << 1,
	CXR_ACCESS_REMOTE_WRITE = 1 << 2,
	CXR_ACCESS_REMOTE_ATOMIC = 1 << 3,
	CXR_ACCESS_RELAXED_ORDERING = 1 << 4,	/* ignored if not supported */
};

struct cxr_fast_reg {
	u32 key;		/* new key: index and variant */
	u32 access;		/* enum cxr_access without relaxed ordering */
	u64 va;			/* IOVA of the first byte */
	u64 len;
	u32 npages;
	u8 log_page_size;
};

/* A list of pages in memory is padded to whole blocks of this many entries. */
#define CXR_UMR_PAGES_ALIGN 8

/* The two segments after the control segment, before the list of pages. */
void cxr_umr_reg(struct prm_wqe_umr_ctrl_seg *ctrl, struct prm_mkc *mkc,
		 const struct cxr_fast_reg *reg);
void cxr_umr_invalidate(struct prm_wqe_umr_ctrl_seg *ctrl, struct prm_mkc *mkc);
/*
 * The same by a QP of type CXR_QP_UMR, for a free mkey of user memory: it gets a PD, too. @atomic:
 * UMR may set atomic access.
 */
void cxr_umr_enable(struct prm_wqe_umr_ctrl_seg *ctrl, struct prm_mkc *mkc,
		    const struct cxr_fast_reg *reg, u32 pdn, bool atomic);
/* By such a QP, too: the mkey becomes free, and belongs to the PD. */
void cxr_umr_revoke(struct prm_wqe_umr_ctrl_seg *ctrl, struct prm_mkc *mkc, u32 key, u32 pdn);
/* Access rights and PD of a mkey in use, by a QP of type CXR_QP_UMR; @atomic: atomics, too. */
void cxr_umr_access(struct prm_wqe_umr_ctrl_seg *ctrl, struct prm_mkc *mkc, u32 key, u32 pdn,
		    u32 access, bool atomic);
void cxr_umr_page(struct prm_mtt *mtt, u64 addr);
/* @entry: the address, with PRM_MTT_READ and PRM_MTT_WRITE, or 0. */
void cxr_umr_mtt(struct prm_mtt *mtt, u64 entry);
/* Part of another mkey. */
void cxr_umr_key(struct prm_klm *klm, u32 bytes, u32 key, u64 va);

/* Part of the list of a mkey; both are multiples of CXR_UMR_BLOCK. */
#define CXR_UMR_BLOCK 64
#define CXR_UMR_LIST_MAX (0xffff / 4 * CXR_UMR_BLOCK)	/* by one WQE */

struct cxr_umr_part {
	u64 offset;		/* bytes */
	u32 bytes;
};

/* What a free mkey becomes with the last part of its list. */
struct cxr_umr_use {
	u32 pdn;
	u32 access;		/* enum cxr_access without relaxed ordering */
	bool atomic;		/* UMR may set atomic access */
	bool length64;		/* all addresses: @va and @len are 0 */
	u64 va;
	u64 len;
	u8 log_page_size;	/* of what one entry of the list is for */
};

/*
 * By a QP of type CXR_QP_UMR: that part is written; the list follows by a data segment. @is_free:
 * the mkey is free, and stays so but for @use, which is not NULL with its last part only.
 */
void cxr_umr_list(struct prm_wqe_umr_ctrl_seg *ctrl, struct prm_mkc *mkc, u32 key,
		  const struct cxr_umr_part *part, bool is_free, const struct cxr_umr_use *use);

#endif
