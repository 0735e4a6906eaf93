/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* What a send WQE may do to a memory key (UMR): fast registration, its end, other rights. */
#ifndef CXR_CODEC_UMR_H
#define CXR_CODEC_UMR_H

#include <linux/types.h>
#include "prm/obj.h"
#include "prm/wqe.h"

enum cxr_access {
	CXR_ACCESS_LOCAL_WRITE = 1 << 0,
	CXR_ACCESS_REMOTE_READ = 1 << 1,
	CXR_ACCESS_REMOTE_WRITE = 1 << 2,
	CXR_ACCESS_REMOTE_ATOMIC = 1 << 3,
	CXR_ACCESS_RELAXED_ORDERING = 1 << 4,	/* ignored if the device has no such thing */
};

struct cxr_fast_reg {
	u32 key;		/* the new one: index and variant */
	u32 access;		/* enum cxr_access, without the ordering */
	u64 va;			/* IOVA of the first byte */
	u64 len;
	u32 npages;
	u8 log_page_size;
};

/* A list of pages, as it lies in memory, fills whole blocks. */
#define CXR_UMR_PAGES_ALIGN 8

/* The two segments that follow the control segment; the list of pages follows them. */
void cxr_umr_reg(struct prm_wqe_umr_ctrl_seg *ctrl, struct prm_mkc *mkc,
		 const struct cxr_fast_reg *reg);
void cxr_umr_invalidate(struct prm_wqe_umr_ctrl_seg *ctrl, struct prm_mkc *mkc);
/* Rights and PD of a key in use, for a QP of the type CXR_QP_UMR; @atomic: that right as well. */
void cxr_umr_access(struct prm_wqe_umr_ctrl_seg *ctrl, struct prm_mkc *mkc, u32 key, u32 pdn,
		    u32 access, bool atomic);
void cxr_umr_page(struct prm_mtt *mtt, u64 addr);

#endif
