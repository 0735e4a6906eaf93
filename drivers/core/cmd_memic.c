// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Memory on the device. */
#include "prm/cmdif.h"
#include "prm/memic.h"
#include "core.h"

static_assert(CXR_MEMIC_UNIT == PRM_MEMIC_UNIT);

phys_addr_t cxr_memic_phys(const struct cxr_core *core, u64 addr, u64 len)
{
	const struct cxr_dev *dev = to_dev(core);

	return cxr_caps_memic_within(addr, len, dev->bar_len) ? dev->bar + addr : 0;
}
EXPORT_SYMBOL_GPL(cxr_memic_phys);

int cxr_cmd_alloc_memic(struct cxr_core *core, const struct cxr_memic_attr *attr, u64 *addr)
{
	struct prm_alloc_memic_in in = {};
	struct prm_alloc_memic_out out;
	int err;

	prm_set(&in, opcode, PRM_OP_alloc_memic);
	prm_set(&in, log_memic_addr_alignment, attr->log_align);
	prm_set64(&in, range_start_addr, attr->from);
	prm_set(&in, range_size, attr->range);
	prm_set(&in, memic_size, attr->len);
	err = cxr_cmd_try(core, &in, sizeof(in), &out, sizeof(out));
	if (prm_get(&out, status) == PRM_STATUS_NO_RES)
		return -ENOSPC;
	if (err) {
		cxr_cmd_report(core, &in, &out);
		return err;
	}

	*addr = prm_get64(&out, memic_start_addr);
	if (*addr >= attr->from && *addr - attr->from <= attr->range &&
	    attr->len <= attr->range - (*addr - attr->from))
		return 0;
	dev_err(core->dev, "device memory at %#llx: not within %#x bytes at %#llx\n", *addr,
		attr->range, attr->from);
	cxr_cmd_dealloc_memic(core, *addr, attr->len);
	return -EPROTO;
}
EXPORT_SYMBOL_GPL(cxr_cmd_alloc_memic);

int cxr_cmd_dealloc_memic(struct cxr_core *core, u64 addr, u32 len)
{
	struct prm_dealloc_memic_in in = {};
	struct prm_dealloc_memic_out out;

	prm_set64(&in, memic_start_addr, addr);
	prm_set(&in, memic_size, len);
	return cxr_cmd_refusal(core, cxr_cmd(core, dealloc_memic, &in, &out));
}
EXPORT_SYMBOL_GPL(cxr_cmd_dealloc_memic);

int cxr_cmd_alloc_memic_op(struct cxr_core *core, u64 addr, u8 op, u64 *op_addr)
{
	struct prm_modify_memic_in in = {};
	struct prm_modify_memic_out out;
	int err;

	prm_set(&in, op_mod, PRM_MEMIC_OP_ALLOC);
	prm_set(&in, memic_operation_type, op);
	prm_set64(&in, memic_start_addr, addr);
	err = cxr_cmd(core, modify_memic, &in, &out);
	if (!err)
		*op_addr = prm_get64(&out, memic_operation_addr);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cmd_alloc_memic_op);

void cxr_cmd_dealloc_memic_op(struct cxr_core *core, u64 addr, u8 op)
{
	struct prm_modify_memic_in in = {};
	struct prm_modify_memic_out out;

	prm_set(&in, op_mod, PRM_MEMIC_OP_DEALLOC);
	prm_set(&in, memic_operation_type, op);
	prm_set64(&in, memic_start_addr, addr);
	cxr_cmd(core, modify_memic, &in, &out);
}
EXPORT_SYMBOL_GPL(cxr_cmd_dealloc_memic_op);
