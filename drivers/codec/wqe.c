// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/types.h>
#include "prm/nic.h"
#include "wqe.h"

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

u8 cxr_wqe_strides(u8 log)
{
	return log < PRM_WQ_LOG_STRIDES ? log - PRM_WQ_LOG_STRIDES_EXT + PRM_WQ_STRIDES_EXT :
					  log - PRM_WQ_LOG_STRIDES;
}
