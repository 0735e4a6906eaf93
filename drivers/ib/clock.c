// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The device's clock for user space, which maps the counter itself and a page with a reference time
 * and the conversion to nanoseconds (drivers/core/clock.c). Timestamps in CQEs are counter values.
 */
#include <linux/mm.h>

#include "ib.h"

#define MMAP_CMD(pgoff)	((pgoff) >> 8)
#define MMAP_INDEX(pgoff) ((pgoff) & 0xff)

/* Larger pages expose more of the device than the clock. */
static struct page *clock_page(const struct cxr_ib_dev *dev)
{
	if (PAGE_SIZE > SZ_4K)
		return NULL;
	return cxr_clock_page(dev->core);
}

void cxr_ib_clock_fill_resp(const struct cxr_ib_dev *dev, struct mlx5_ib_alloc_ucontext_resp *resp)
{
	if (!clock_page(dev))
		return;

	resp->comp_mask |= MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_CORE_CLOCK_OFFSET;
	resp->hca_core_clock_offset = offset_in_page(cxr_clock_phys(dev->core));
	resp->clock_info_versions = BIT(MLX5_IB_CLOCK_INFO_V1);
}

/* Older offsets are a command and an index; only those of the clock are supported. */
int cxr_ib_clock_mmap(struct ib_ucontext *ibucontext, struct vm_area_struct *vma)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibucontext->device);
	struct ib_device *ibdev = &dev->ibdev;
	struct page *page = clock_page(dev);
	bool counter = MMAP_CMD(vma->vm_pgoff) == MLX5_IB_MMAP_CORE_CLOCK;

	if (!page ||
	    (!counter && MMAP_CMD(vma->vm_pgoff) != MLX5_IB_MMAP_CLOCK_INFO) ||
	    MMAP_INDEX(vma->vm_pgoff)) {
		ibdev_dbg(ibdev, "mmap: unknown offset %#lx\n", vma->vm_pgoff);
		return -EINVAL;
	}
	if (vma->vm_end - vma->vm_start != PAGE_SIZE || !(vma->vm_flags & VM_SHARED)) {
		ibdev_dbg(ibdev, "mmap: the clock must be mapped as one shared page\n");
		return -EINVAL;
	}
	if (vma->vm_flags & (VM_WRITE | VM_EXEC)) {
		ibdev_dbg(ibdev, "mmap: the clock is read-only\n");
		return -EPERM;
	}

	cxr_vm_flags_clear(vma, VM_MAYWRITE);
	if (!counter)
		return vm_insert_page(vma, vma->vm_start, page);
	return rdma_user_mmap_io(ibucontext, vma, PHYS_PFN(cxr_clock_phys(dev->core)), PAGE_SIZE,
				 pgprot_noncached(vma->vm_page_prot), NULL);
}
