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

#endif
