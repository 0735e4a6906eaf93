// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The driver's part of user space requests. */

#include <rdma/ib_verbs.h>

#include "ib.h"

int cxr_ib_copy_req(const struct ib_device *ibdev, struct ib_udata *udata,
		    const struct cxr_ib_request *request, void *to)
{
	size_t sent = udata ? udata->inlen : 0, known = min(sent, request->size);

	if (sent < request->min_size) {
		ibdev_dbg(ibdev, "%s: request of %zu bytes is too short\n", request->what, sent);
		return -EINVAL;
	}
	if (sent > known && request->unknown &&
	    !ib_is_udata_cleared(udata, known, sent - known)) {
		ibdev_dbg(ibdev, "%s: unknown fields of the request are not zero\n", request->what);
		return request->unknown;
	}
	if (!request->size)
		return 0;
	memset(to, 0, request->size);
	return known ? ib_copy_from_udata(to, udata, known) : 0;
}
