// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* On-demand paging. */
#include <linux/mm.h>
#include <linux/slab.h>

#include "cxr/fault.h"
#include "prm/cap_odp.h"
#include "prm/cmdif.h"
#include "prm/mkey.h"
#include "core.h"

int cxr_cmd_resume_fault(struct cxr_core *core, const struct cxr_fault *fault, bool error)
{
	struct prm_page_fault_resume_in in = {};
	struct prm_page_fault_resume_out out;

	prm_set(&in, opcode, PRM_OP_page_fault_resume);
	if (fault->kind == CXR_FAULT_MEMORY) {
		prm_set(&in, page_fault_info.mem_page_fault_info.error, error);
		prm_set(&in, page_fault_info.mem_page_fault_info.fault_token_47_32,
			upper_32_bits(fault->token));
		prm_set(&in, page_fault_info.mem_page_fault_info.fault_token_31_0,
			lower_32_bits(fault->token));
	} else {
		prm_set(&in, page_fault_info.trans_page_fault_info.error, error);
		prm_set(&in, page_fault_info.trans_page_fault_info.page_fault_type, fault->type);
		prm_set(&in, page_fault_info.trans_page_fault_info.wq_number, fault->queue);
		prm_set(&in, page_fault_info.trans_page_fault_info.fault_token, fault->token);
	}
	return cxr_cmd_try(core, &in, sizeof(in), &out, sizeof(out));
}
EXPORT_SYMBOL_GPL(cxr_cmd_resume_fault);

/* Of a key all whose parts have the same size; 0: they have their own. */
static u64 parts_size(const struct prm_mkc *mkc)
{
	if (prm_get(mkc, access_mode_4_2) || prm_get(mkc, access_mode_1_0) != PRM_MKC_KSM)
		return 0;
	return BIT_ULL(prm_get(mkc, log_page_size));
}

/* The list of the key begins in the last two fields of the output, and goes on behind them. */
int cxr_cmd_query_mkey_parts(struct cxr_core *core, u32 mkey, u64 *start, u32 n,
			     struct cxr_fault_range *parts)
{
	size_t own = prm_width((struct prm_query_mkey_out *)NULL, bsf0_klm0_pas_mtt0_1) / 8;
	struct prm_query_mkey_in in = {};
	struct prm_query_mkey_out *out;
	const struct prm_klm *klm;
	size_t len;
	u64 same;
	u32 i;
	int err;

	len = sizeof(*out) - 2 * own + max_t(size_t, n * sizeof(*klm), 2 * own);
	out = kvzalloc(len, GFP_KERNEL);
	if (!out)
		return -ENOMEM;

	prm_set(&in, mkey_index, mkey >> 8);
	err = cxr_cmd_len(core, query_mkey, &in, sizeof(in), out, len);
	if (!err) {
		*start = prm_get64(out, memory_key_mkey_entry.start_addr);
		same = parts_size(prm_sub(out, memory_key_mkey_entry, mkc));
		klm = (const void *)prm_bytes(out, bsf0_klm0_pas_mtt0_1);
		for (i = 0; i < n; i++) {
			parts[i].key = be32_to_cpu(klm[i].key);
			parts[i].va = be64_to_cpu(klm[i].va);
			parts[i].len = same ?: be32_to_cpu(klm[i].bcount);
		}
	}
	kvfree(out);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_mkey_parts);

void cxr_faults_fail(struct cxr_core *core)
{
	cxr_core_fail(to_dev(core), "it did not let go of memory that has been taken back");
}
EXPORT_SYMBOL_GPL(cxr_faults_fail);
