// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/string.h>
#include <linux/types.h>
#include "umr.h"

#define NO_QPN 0xffffff		/* not bound to a QP */
#define VARIANT_MASK 0xff
#define OCTWORD 16

static void set_rights(struct prm_mkc *mkc, u32 access)
{
	prm_set(mkc, lr, 1);
	prm_set(mkc, lw, !!(access & CXR_ACCESS_LOCAL_WRITE));
	prm_set(mkc, rr, !!(access & CXR_ACCESS_REMOTE_READ));
	prm_set(mkc, rw, !!(access & CXR_ACCESS_REMOTE_WRITE));
	prm_set(mkc, a, !!(access & CXR_ACCESS_REMOTE_ATOMIC));
}

/* What a free mkey needs to be used. */
#define REG_MASK (PRM_UMR_MASK_LEN | PRM_UMR_MASK_PAGE_SIZE | PRM_UMR_MASK_START_ADDR |	\
		  PRM_UMR_MASK_KEY | PRM_UMR_MASK_LR | PRM_UMR_MASK_LW | PRM_UMR_MASK_RR |	\
		  PRM_UMR_MASK_RW | PRM_UMR_MASK_FREE)

static void set_region(struct prm_wqe_umr_ctrl_seg *ctrl, struct prm_mkc *mkc,
		       const struct cxr_fast_reg *reg, u64 mask)
{
	u32 pages = (reg->npages + CXR_UMR_PAGES_ALIGN - 1) / CXR_UMR_PAGES_ALIGN *
		    CXR_UMR_PAGES_ALIGN;
	u32 octwords = pages / 2;

	memset(ctrl, 0, sizeof(*ctrl));
	ctrl->flags = PRM_UMR_CHECK_NOT_FREE;
	ctrl->xlt_octowords = cpu_to_be16(octwords);
	ctrl->mkey_mask = cpu_to_be64(mask);

	memset(mkc, 0, sizeof(*mkc));
	prm_set(mkc, umr_en, 1);
	set_rights(mkc, reg->access);
	prm_set(mkc, access_mode_1_0, PRM_MKC_MTT);
	prm_set(mkc, qpn, NO_QPN);
	prm_set(mkc, mkey_7_0, reg->key & VARIANT_MASK);
	prm_set64(mkc, start_addr, reg->va);
	prm_set64(mkc, len, reg->len);
	prm_set(mkc, log_page_size, reg->log_page_size);
}

void cxr_umr_reg(struct prm_wqe_umr_ctrl_seg *ctrl, struct prm_mkc *mkc,
		 const struct cxr_fast_reg *reg)
{
	u64 mask = REG_MASK | PRM_UMR_MASK_EN_RINVAL | PRM_UMR_MASK_SMALL_FENCE;

	/* Some devices refuse this bit in the mask even if it does not change. */
	if (reg->access & CXR_ACCESS_REMOTE_ATOMIC)
		mask |= PRM_UMR_MASK_A;
	set_region(ctrl, mkc, reg, mask);
	prm_set(mkc, translations_octword_size, be16_to_cpu(ctrl->xlt_octowords));
	prm_set(mkc, en_rinval, 1);
}

void cxr_umr_enable(struct prm_wqe_umr_ctrl_seg *ctrl, struct prm_mkc *mkc,
		    const struct cxr_fast_reg *reg, u32 pdn, bool atomic)
{
	set_region(ctrl, mkc, reg, REG_MASK | PRM_UMR_MASK_PD | (atomic ? PRM_UMR_MASK_A : 0));
	prm_set(mkc, pd, pdn);
}

void cxr_umr_revoke(struct prm_wqe_umr_ctrl_seg *ctrl, struct prm_mkc *mkc, u32 key, u32 pdn)
{
	memset(ctrl, 0, sizeof(*ctrl));
	ctrl->flags = PRM_UMR_INLINE | PRM_UMR_CHECK_FREE;
	ctrl->mkey_mask = cpu_to_be64(PRM_UMR_MASK_PD | PRM_UMR_MASK_FREE);

	memset(mkc, 0, sizeof(*mkc));
	prm_set(mkc, free, 1);
	prm_set(mkc, qpn, NO_QPN);
	prm_set(mkc, mkey_7_0, key & VARIANT_MASK);
	prm_set(mkc, pd, pdn);
}

void cxr_umr_invalidate(struct prm_wqe_umr_ctrl_seg *ctrl, struct prm_mkc *mkc)
{
	memset(ctrl, 0, sizeof(*ctrl));
	ctrl->flags = PRM_UMR_INLINE;
	ctrl->mkey_mask = cpu_to_be64(PRM_UMR_MASK_FREE);

	memset(mkc, 0, sizeof(*mkc));
	prm_set(mkc, free, 1);
}

void cxr_umr_access(struct prm_wqe_umr_ctrl_seg *ctrl, struct prm_mkc *mkc, u32 key, u32 pdn,
		    u32 access, bool atomic)
{
	u64 mask = PRM_UMR_MASK_LR | PRM_UMR_MASK_LW | PRM_UMR_MASK_RR | PRM_UMR_MASK_RW |
		   PRM_UMR_MASK_PD;

	if (atomic)
		mask |= PRM_UMR_MASK_A;

	memset(ctrl, 0, sizeof(*ctrl));
	ctrl->flags = PRM_UMR_INLINE | PRM_UMR_CHECK_FREE;
	ctrl->mkey_mask = cpu_to_be64(mask);

	memset(mkc, 0, sizeof(*mkc));
	set_rights(mkc, access);
	prm_set(mkc, qpn, NO_QPN);
	prm_set(mkc, mkey_7_0, key & VARIANT_MASK);
	prm_set(mkc, pd, pdn);
}

static void set_use(struct prm_mkc *mkc, const struct cxr_umr_use *use)
{
	set_rights(mkc, use->access);
	prm_set(mkc, pd, use->pdn);
	prm_set(mkc, length64, use->length64);
	prm_set64(mkc, start_addr, use->va);
	prm_set64(mkc, len, use->len);
	prm_set(mkc, log_page_size, use->log_page_size);
}

void cxr_umr_list(struct prm_wqe_umr_ctrl_seg *ctrl, struct prm_mkc *mkc, u32 key,
		  const struct cxr_umr_part *part, bool is_free, const struct cxr_umr_use *use)
{
	u64 at = part->offset / OCTWORD;

	memset(ctrl, 0, sizeof(*ctrl));
	ctrl->flags = PRM_UMR_TRANSLATION_OFFSET_EN |
		      (is_free ? PRM_UMR_CHECK_NOT_FREE : PRM_UMR_CHECK_FREE);
	ctrl->xlt_octowords = cpu_to_be16(part->bytes / OCTWORD);
	ctrl->xlt_offset = cpu_to_be16(at & 0xffff);
	ctrl->xlt_offset_47_16 = cpu_to_be32(at >> 16);

	memset(mkc, 0, sizeof(*mkc));
	prm_set(mkc, qpn, NO_QPN);
	prm_set(mkc, mkey_7_0, key & VARIANT_MASK);
	if (!use)
		return;
	ctrl->mkey_mask = cpu_to_be64(REG_MASK | PRM_UMR_MASK_PD |
				      (use->atomic ? PRM_UMR_MASK_A : 0));
	set_use(mkc, use);
}

void cxr_umr_page(struct prm_mtt *mtt, u64 addr)
{
	mtt->ptag = cpu_to_be64(addr | PRM_MTT_READ | PRM_MTT_WRITE);
}

void cxr_umr_mtt(struct prm_mtt *mtt, u64 entry)
{
	mtt->ptag = cpu_to_be64(entry);
}

void cxr_umr_key(struct prm_klm *klm, u32 bytes, u32 key, u64 va)
{
	klm->bcount = cpu_to_be32(bytes);
	klm->key = cpu_to_be32(key);
	klm->va = cpu_to_be64(va);
}
