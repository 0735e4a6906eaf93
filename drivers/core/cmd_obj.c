// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Commands for plain objects: protection and transport domains, UARs, counters, memory keys. */
#include <linux/slab.h>

#include "prm/cmdif.h"
#include "prm/counter.h"
#include "prm/mkey.h"
#include "prm/obj.h"
#include "core.h"

#define MKEY_NO_QPN	0xffffff	/* not bound to a QP */

int cxr_cmd_alloc_pd(struct cxr_core *core, u16 uid, u32 *pdn)
{
	struct prm_alloc_pd_in in = {};
	struct prm_alloc_pd_out out;
	int err;

	prm_set(&in, uid, uid);
	err = cxr_cmd(core, alloc_pd, &in, &out);
	if (err)
		return err;

	*pdn = prm_get(&out, pd);
	return 0;
}
EXPORT_SYMBOL_GPL(cxr_cmd_alloc_pd);

int cxr_cmd_dealloc_pd(struct cxr_core *core, u16 uid, u32 pdn)
{
	struct prm_dealloc_pd_in in = {};
	struct prm_dealloc_pd_out out;

	prm_set(&in, uid, uid);
	prm_set(&in, pd, pdn);
	return cxr_cmd_refusal(core, cxr_cmd(core, dealloc_pd, &in, &out));
}
EXPORT_SYMBOL_GPL(cxr_cmd_dealloc_pd);

int cxr_cmd_alloc_xrcd(struct cxr_core *core, u32 *xrcd)
{
	struct prm_alloc_xrcd_in in = {};
	struct prm_alloc_xrcd_out out;
	int err;

	err = cxr_cmd(core, alloc_xrcd, &in, &out);
	if (err)
		return err;

	*xrcd = prm_get(&out, xrcd);
	return 0;
}
EXPORT_SYMBOL_GPL(cxr_cmd_alloc_xrcd);

void cxr_cmd_dealloc_xrcd(struct cxr_core *core, u32 xrcd)
{
	struct prm_dealloc_xrcd_in in = {};
	struct prm_dealloc_xrcd_out out;

	prm_set(&in, xrcd, xrcd);
	cxr_cmd(core, dealloc_xrcd, &in, &out);
}
EXPORT_SYMBOL_GPL(cxr_cmd_dealloc_xrcd);

int cxr_cmd_alloc_td(struct cxr_core *core, u16 uid, u32 *tdn)
{
	struct prm_alloc_transport_domain_in in = {};
	struct prm_alloc_transport_domain_out out;
	int err;

	prm_set(&in, uid, uid);
	err = cxr_cmd(core, alloc_transport_domain, &in, &out);
	if (err)
		return err;

	*tdn = prm_get(&out, transport_domain);
	return 0;
}
EXPORT_SYMBOL_GPL(cxr_cmd_alloc_td);

int cxr_cmd_dealloc_td(struct cxr_core *core, u16 uid, u32 tdn)
{
	struct prm_dealloc_transport_domain_in in = {};
	struct prm_dealloc_transport_domain_out out;

	prm_set(&in, uid, uid);
	prm_set(&in, transport_domain, tdn);
	return cxr_cmd_refusal(core, cxr_cmd(core, dealloc_transport_domain, &in, &out));
}
EXPORT_SYMBOL_GPL(cxr_cmd_dealloc_td);

int cxr_cmd_alloc_uar(struct cxr_core *core, u16 uid, u32 *uar)
{
	struct prm_alloc_uar_in in = {};
	struct prm_alloc_uar_out out;
	int err;

	prm_set(&in, uid, uid);
	err = cxr_cmd(core, alloc_uar, &in, &out);
	if (err)
		return err;

	*uar = prm_get(&out, uar);
	return 0;
}
EXPORT_SYMBOL_GPL(cxr_cmd_alloc_uar);

int cxr_cmd_dealloc_uar(struct cxr_core *core, u16 uid, u32 uar)
{
	struct prm_dealloc_uar_in in = {};
	struct prm_dealloc_uar_out out;

	prm_set(&in, uid, uid);
	prm_set(&in, uar, uar);
	return cxr_cmd_refusal(core, cxr_cmd(core, dealloc_uar, &in, &out));
}
EXPORT_SYMBOL_GPL(cxr_cmd_dealloc_uar);

int cxr_cmd_alloc_q_counter(struct cxr_core *core, u32 *id)
{
	struct prm_alloc_q_counter_in in = {};
	struct prm_alloc_q_counter_out out;
	int err;

	/* QPs of user contexts count in it, too. */
	if (core->caps.log_max_uctx)
		prm_set(&in, uid, PRM_UID_SHARED);
	err = cxr_cmd(core, alloc_q_counter, &in, &out);
	if (err)
		return err;

	*id = prm_get(&out, counter_set_id);
	return 0;
}
EXPORT_SYMBOL_GPL(cxr_cmd_alloc_q_counter);

void cxr_cmd_dealloc_q_counter(struct cxr_core *core, u32 id)
{
	struct prm_dealloc_q_counter_in in = {};
	struct prm_dealloc_q_counter_out out;

	prm_set(&in, counter_set_id, id);
	cxr_cmd(core, dealloc_q_counter, &in, &out);
}
EXPORT_SYMBOL_GPL(cxr_cmd_dealloc_q_counter);

int cxr_cmd_query_q_counter(struct cxr_core *core, u32 id, u64 *values)
{
	struct prm_query_q_counter_in in = {};
	struct prm_query_q_counter_out out;
	int err;

	prm_set(&in, counter_set_id, id);
	err = cxr_cmd(core, query_q_counter, &in, &out);
	if (err)
		return err;

	cxr_q_counters_decode(&out, values);
	return 0;
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_q_counter);

/* Of a null key: pages that are so large that few are all addresses. */
#define NULL_LOG_PAGE	61
#define NULL_OCTWORDS	4

/* What the list of a key has that a send WQE fills. */
static u32 list_mode(enum cxr_mkey_kind kind)
{
	switch (kind) {
	case CXR_MKEY_FAST_REG:
	case CXR_MKEY_PAGING:
		return PRM_MKC_MTT;
	case CXR_MKEY_PAGING_ALL:
		return PRM_MKC_KSM;
	default:
		return PRM_MKC_KLMS;
	}
}

static void encode_mkc(struct cxr_dev *dev, struct prm_mkc *mkc, const struct cxr_mkey_attr *attr,
		       u8 variant, u32 octwords)
{
	bool relaxed = attr->access & CXR_ACCESS_RELAXED_ORDERING;

	prm_set(mkc, lr, 1);
	prm_set(mkc, lw, !!(attr->access & CXR_ACCESS_LOCAL_WRITE));
	prm_set(mkc, rr, !!(attr->access & CXR_ACCESS_REMOTE_READ));
	prm_set(mkc, rw, !!(attr->access & CXR_ACCESS_REMOTE_WRITE));
	prm_set(mkc, a, !!(attr->access & CXR_ACCESS_REMOTE_ATOMIC));
	prm_set(mkc, relaxed_ordering_write, relaxed && dev->relaxed_write);
	prm_set(mkc, relaxed_ordering_read, relaxed && dev->relaxed_read);
	prm_set(mkc, qpn, MKEY_NO_QPN);
	prm_set(mkc, mkey_7_0, variant);
	prm_set(mkc, pd, attr->pdn);
	if (attr->kind == CXR_MKEY_ALL) {
		prm_set(mkc, access_mode_1_0, PRM_MKC_PA);
		prm_set(mkc, length64, 1);
		return;
	}
	if (attr->kind == CXR_MKEY_MEMIC) {
		prm_set(mkc, access_mode_1_0, PRM_MKC_MEMIC & 3);
		prm_set(mkc, access_mode_4_2, PRM_MKC_MEMIC >> 2);
		prm_set64(mkc, start_addr, attr->va);
		prm_set64(mkc, len, attr->len);
		return;
	}
	prm_set(mkc, translations_octword_size, octwords);
	if (attr->kind == CXR_MKEY_NULL) {
		prm_set(mkc, access_mode_1_0, PRM_MKC_MTT);
		prm_set(mkc, log_page_size, NULL_LOG_PAGE);
		prm_set(mkc, length64, 1);
		return;
	}
	if (attr->kind == CXR_MKEY_PAGES) {
		prm_set(mkc, access_mode_1_0, PRM_MKC_MTT);
		prm_set64(mkc, start_addr, attr->va);
		prm_set64(mkc, len, attr->len);
		prm_set(mkc, log_page_size, attr->log_page_size);
		/* For drivers/ib/umr.c; QPs of user space have no fre. */
		prm_set(mkc, umr_en, 1);
		return;
	}
	/* Free until a send WQE registers or binds memory. */
	prm_set(mkc, free, 1);
	prm_set(mkc, umr_en, 1);
	prm_set(mkc, access_mode_1_0, list_mode(attr->kind));
	if (list_mode(attr->kind) != PRM_MKC_KLMS)
		prm_set(mkc, log_page_size, PAGE_SHIFT);
	prm_set(mkc, en_rinval, attr->kind == CXR_MKEY_WINDOW_INV);
}

/*
 * An octword (16 bytes) has two pages, or one part of another region; lists that WQEs write fill
 * whole blocks.
 */
static u32 count_octwords(const struct cxr_mkey_attr *attr)
{
	switch (attr->kind) {
	case CXR_MKEY_ALL:
	case CXR_MKEY_MEMIC:
		return 0;
	case CXR_MKEY_NULL:
		return NULL_OCTWORDS;
	case CXR_MKEY_PAGES:
		return DIV_ROUND_UP(max(attr->npages, attr->room), 2);
	case CXR_MKEY_FAST_REG:
	case CXR_MKEY_PAGING:
		return ALIGN(attr->npages, CXR_UMR_PAGES_ALIGN) / 2;
	default:
		return ALIGN(attr->npages, CXR_UMR_PAGES_ALIGN / 2);
	}
}

int cxr_cmd_create_mkey(struct cxr_core *core, const struct cxr_mkey_attr *attr, u32 *mkey)
{
	u32 npages = attr->kind == CXR_MKEY_PAGES ? attr->npages : 0;
	struct cxr_dev *dev = to_dev(core);
	u32 octwords = count_octwords(attr);
	u32 given = attr->kind == CXR_MKEY_NULL ? octwords : DIV_ROUND_UP(npages, 2);
	u8 variant = atomic_inc_return(&dev->mkey_variant);
	struct prm_create_mkey_out out;
	struct prm_create_mkey_in *in;
	__be64 *mtt;
	size_t len;
	u32 i;
	int err;

	len = sizeof(*in) + (size_t)given * 2 * sizeof(*mtt);
	in = kvzalloc(len, GFP_KERNEL);
	if (!in)
		return -ENOMEM;

	/*
	 * Access bits in a page's low bits would need pg_access: mlx5_ib sets both or neither. With
	 * it a page without them is not there.
	 */
	mtt = prm_tail(in);
	for (i = 0; i < npages; i++)
		mtt[i] = cpu_to_be64(attr->dma[i]);
	encode_mkc(dev, prm_sub(in, memory_key_mkey_entry, mkc), attr, variant, octwords);
	prm_set(in, pg_access, attr->kind == CXR_MKEY_NULL);
	prm_set(in, translations_octword_actual_size, given);
	err = cxr_cmd_len(core, create_mkey, in, len, &out, sizeof(out));
	if (!err)
		*mkey = prm_get(&out, mkey_index) << 8 | variant;
	kvfree(in);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cmd_create_mkey);

int cxr_cmd_destroy_mkey(struct cxr_core *core, u32 mkey)
{
	struct prm_destroy_mkey_in in = {};
	struct prm_destroy_mkey_out out;

	prm_set(&in, mkey_index, mkey >> 8);
	return cxr_cmd_refusal(core, cxr_cmd(core, destroy_mkey, &in, &out));
}
EXPORT_SYMBOL_GPL(cxr_cmd_destroy_mkey);
