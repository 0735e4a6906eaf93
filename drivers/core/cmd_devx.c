// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* User contexts, their memory, and commands that programs compose. */
#include <linux/slab.h>

#include "prm/cmdif.h"
#include "prm/devx.h"
#include "prm/obj.h"
#include "prm/wqe.h"
#include "core.h"

int cxr_cmd_create_uctx(struct cxr_core *core, bool raw, bool internal, u16 *uid)
{
	struct prm_create_uctx_in in = {};
	struct prm_create_uctx_out out;
	u32 caps;
	int err;

	caps = (raw ? PRM_UCTX_RAW_TX : 0) | (internal ? PRM_UCTX_INTERNAL_DEV_RES : 0);
	prm_set(&in, cap, caps & core->caps.uctx_cap);
	err = cxr_cmd(core, create_uctx, &in, &out);
	if (err)
		return err;

	*uid = prm_get(&out, uid);
	if (*uid)
		return 0;
	dev_err(core->dev, "user context 0, which is the kernel's\n");
	return -EPROTO;
}
EXPORT_SYMBOL_GPL(cxr_cmd_create_uctx);

int cxr_cmd_destroy_uctx(struct cxr_core *core, u16 uid)
{
	struct prm_destroy_uctx_in in = {};
	struct prm_destroy_uctx_out out;

	prm_set(&in, uid, uid);
	return cxr_cmd_refusal(core, cxr_cmd(core, destroy_uctx, &in, &out));
}
EXPORT_SYMBOL_GPL(cxr_cmd_destroy_uctx);

int cxr_cmd_create_umem(struct cxr_core *core, const struct cxr_umem_attr *attr, u32 *umem)
{
	struct prm_create_umem_out out;
	struct prm_create_umem_in *in;
	struct prm_mtt *mtt;
	size_t len;
	u64 i;
	int err;

	if (check_mul_overflow((size_t)attr->n, sizeof(*mtt), &len) ||
	    check_add_overflow(len, sizeof(*in), &len))
		return -EOVERFLOW;
	in = kvzalloc(len, GFP_KERNEL);
	if (!in)
		return -ENOMEM;

	prm_set(in, uid, attr->uid);
	prm_set(in, log_page_size, attr->log_page_size - PRM_PAGE_SHIFT);
	prm_set(in, page_offset, attr->offset);
	prm_set64(in, num_of_mtt, attr->n);
	mtt = prm_tail(in);
	for (i = 0; i < attr->n; i++)
		mtt[i].ptag = cpu_to_be64(attr->dma[i] | PRM_MTT_READ |
					  (attr->writable ? PRM_MTT_WRITE : 0));
	err = cxr_cmd_len(core, create_umem, in, len, &out, sizeof(out));
	if (!err)
		*umem = prm_get(&out, umem_id);
	kvfree(in);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cmd_create_umem);

int cxr_cmd_user(struct cxr_core *core, void *in, u32 len, void *out, u32 out_len)
{
	struct prm_mbox_out *head = out;
	int err = cxr_cmd_try_user(core, in, len, out, out_len);

	if (!err)
		return 0;
	if (prm_get(head, status) != PRM_STATUS_OK)
		return -EREMOTEIO;
	prm_set(head, status, PRM_STATUS_INTERNAL);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cmd_user);

int cxr_cmd_user_destroy(struct cxr_core *core, const struct cxr_devx_destroy *destroy)
{
	struct cxr_devx_destroy in = *destroy;
	struct prm_mbox_out out;

	static_assert(sizeof(out) >= CXR_DEVX_MIN);
	return cxr_cmd_refusal(core, cxr_cmd_try(core, in.in, in.len, &out, sizeof(out)));
}
EXPORT_SYMBOL_GPL(cxr_cmd_user_destroy);
