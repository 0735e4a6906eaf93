// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/errno.h>
#include <linux/types.h>
#include "dc.h"

#define LARGE_CQE 128

u8 cxr_dc_scatter_req(const struct cxr_dc_scatter *scatter)
{
	if (!scatter->device || !scatter->offered)
		return 0;
	if (!scatter->unsignaled && !scatter->all_signaled)
		return 0;
	if (scatter->cqe_bytes == LARGE_CQE)
		return 64;
	return scatter->device_32 ? 32 : 0;
}

u8 cxr_dc_scatter_res(const struct cxr_dc_scatter *scatter)
{
	return scatter->device && scatter->offered && scatter->cqe_bytes == LARGE_CQE ? 64 : 0;
}

int cxr_dc_streams_check(const struct cxr_dc_streams *max, const struct cxr_dc_streams *asked,
			 const char **why)
{
	if (asked->channels > max->channels) {
		*why = "more streams than the device has";
		return -EINVAL;
	}
	if (asked->errored > max->errored) {
		*why = "more streams in error than the device can bear";
		return -EINVAL;
	}
	return 0;
}
