// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The device's clock for user space, which maps the counter itself and a page with a reference time
 * and the conversion to nanoseconds. Timestamps in CQEs are counter values.
 */
#include <linux/clocksource.h>
#include <linux/mm.h>

#include "ib.h"

#define CLOCK_BITS	41	/* valid bits of a timestamp */
#define UPDATE_SECONDS	30
#define SPAN_SECONDS	600	/* without overflow in between; an update may be late */
#define MMAP_CMD(pgoff)	((pgoff) >> 8)
#define MMAP_INDEX(pgoff) ((pgoff) & 0xff)

/*
 * Moves the reference time to counter value @now. User space retries when sign changed, and waits
 * while it is odd.
 */
static void advance(struct mlx5_ib_clock_info *info, u64 now)
{
	u64 ns = ((now - info->cycles) & info->mask) * info->mult + info->frac;
	u32 sign = info->sign;

	/* visible before any change */
	smp_store_mb(info->sign, sign | MLX5_IB_CLOCK_INFO_KERNEL_UPDATING);
	info->cycles = now & info->mask;
	info->nsec += ns >> info->shift;
	info->frac = ns & (BIT_ULL(info->shift) - 1);
	/* visible after all changes */
	smp_store_release(&info->sign, sign + 2 * MLX5_IB_CLOCK_INFO_KERNEL_UPDATING);
}

static void clock_work(struct work_struct *work)
{
	struct cxr_ib_clock *clock =
		container_of(to_delayed_work(work), struct cxr_ib_clock, work);
	struct cxr_ib_dev *dev = container_of(clock, struct cxr_ib_dev, clock);

	u64 now = cxr_clock_read(dev->core);

	/* The time that processes compute from the last update is better than a wrong one. */
	if (cxr_core_dead(dev->core))
		return;
	if (now != U64_MAX)
		advance(clock->info, now);
	schedule_delayed_work(&clock->work, UPDATE_SECONDS * HZ);
}

int cxr_ib_clock_up(void *owner)
{
	struct cxr_ib_dev *dev = owner;
	u32 khz = dev->core->caps.device_frequency_khz;
	struct mlx5_ib_clock_info *info;

	if (!khz || khz > U32_MAX / 1000 || PAGE_SIZE > SZ_4K)
		return 0;

	info = (struct mlx5_ib_clock_info *)get_zeroed_page(GFP_KERNEL);
	if (!info)
		return -ENOMEM;

	clocks_calc_mult_shift(&info->mult, &info->shift, khz * 1000, NSEC_PER_SEC, SPAN_SECONDS);
	info->mask = CLOCKSOURCE_MASK(CLOCK_BITS);
	info->overflow_period = UPDATE_SECONDS * HZ;
	info->cycles = cxr_clock_read(dev->core) & info->mask;
	info->nsec = ktime_get_real_ns();
	dev->clock.info = info;
	INIT_DELAYED_WORK(&dev->clock.work, clock_work);
	schedule_delayed_work(&dev->clock.work, UPDATE_SECONDS * HZ);
	return 0;
}

void cxr_ib_clock_down(void *owner)
{
	struct cxr_ib_dev *dev = owner;

	if (!dev->clock.info)
		return;

	cancel_delayed_work_sync(&dev->clock.work);
	free_page((unsigned long)dev->clock.info);
	dev->clock.info = NULL;
}

void cxr_ib_clock_fill_resp(const struct cxr_ib_dev *dev, struct mlx5_ib_alloc_ucontext_resp *resp)
{
	if (!dev->clock.info)
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
	bool counter = MMAP_CMD(vma->vm_pgoff) == MLX5_IB_MMAP_CORE_CLOCK;

	if (!dev->clock.info ||
	    (!counter && MMAP_CMD(vma->vm_pgoff) != MLX5_IB_MMAP_CLOCK_INFO) ||
	    MMAP_INDEX(vma->vm_pgoff)) {
		ibdev_dbg(ibdev, "mmap: unknown offset %#lx\n", vma->vm_pgoff);
		return -EOPNOTSUPP;
	}
	if (vma->vm_end - vma->vm_start != PAGE_SIZE || !(vma->vm_flags & VM_SHARED)) {
		ibdev_dbg(ibdev, "mmap: the clock must be mapped as one shared page\n");
		return -EINVAL;
	}
	if (vma->vm_flags & VM_WRITE) {
		ibdev_dbg(ibdev, "mmap: the clock is read-only\n");
		return -EPERM;
	}

	cxr_vm_flags_clear(vma, VM_MAYWRITE);
	if (!counter)
		return vm_insert_page(vma, vma->vm_start, virt_to_page(dev->clock.info));
	return rdma_user_mmap_io(ibucontext, vma, PHYS_PFN(cxr_clock_phys(dev->core)), PAGE_SIZE,
				 pgprot_noncached(vma->vm_page_prot), NULL);
}
