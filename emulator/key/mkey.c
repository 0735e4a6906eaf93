// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Commands of protection domains and memory keys. */
#include <stdlib.h>
#include <string.h>

#include "key/key.h"
#include "prm/counter.h"

#define OCTWORD		16
#define LOG_PAGE_ALL	61
#define OCTWORDS_ALL	4	/* of pages so large: all addresses */

static int run_alloc_pd(struct cmd *c)
{
	struct prm_alloc_pd_out *out = c->out;
	struct obj *pd = obj_create(c, OBJ_PD, sizeof(*pd));

	if (!pd)
		return -1;
	prm_set(out, pd, pd->num);
	return 0;
}

static int run_dealloc_pd(struct cmd *c)
{
	const struct prm_dealloc_pd_in *in = c->in;
	struct obj *pd = obj_own(c, OBJ_PD, prm_get(in, pd), "pd");

	return pd ? obj_destroy(c, pd) : -1;
}

static int run_query_special_contexts(struct cmd *c)
{
	struct prm_query_special_contexts_out *out = c->out;

	prm_set(out, resd_lkey, MKEY_RESERVED_LKEY);
	prm_set(out, null_mkey, hca_null_mkey(c->dev) ? MKEY_NULL : 0);
	prm_set(out, terminate_scatter_list_mkey, hca_terminate_lkey(c->dev));
	return 0;
}

/* ---- mkeys --------------------------------------------------------------------------------- */

static void mkey_release(void *obj)
{
	struct mkey *mkey = obj;

	obj_put(mkey->pd);
	obj_put(mkey->umem);
	obj_put(mkey->memic);
	budget_free(mkey->xlt);
	budget_free(mkey->ends);
}

/* Is the block within the list, and are there as many bytes in its entries as it says? */
static bool block_is_whole(const struct mkey *mkey, uint32_t head)
{
	const struct klm *klm = &mkey->klm[head];
	uint32_t n = klm_entries(klm), i;
	uint64_t sum = 0;

	if (n >= mkey->n_xlt - head)
		return false;
	for (i = 1; i <= n; i++)
		sum += klm_bytes(&klm[i]);
	return sum == klm->bytes;
}

/* Entries of one length: with a number of their own, which is no head of a block. */
static const char *check_ksm(const struct mkey *mkey)
{
	uint32_t i;

	for (i = 0; i < mkey->n_xlt; i++)
		if (klm_repeats(&mkey->klm[i]))
			return "a KSM list has the head of a repeat block";
	return NULL;
}

const char *mkey_set_ends(struct cxdev *dev, struct mkey *mkey)
{
	uint64_t off = 0, bytes;
	uint32_t i, next;

	mkey->n_ends = 0;
	if (mkey->mode == MKEY_KSM)
		return check_ksm(mkey);
	mkey->ends = budget_alloc(dev, mkey->n_xlt, sizeof(*mkey->ends));
	if (!mkey->ends)
		return "the emulator is out of memory";
	for (i = 0; i < mkey->n_xlt; i = next) {
		const struct klm *klm = &mkey->klm[i];

		next = i + 1;
		bytes = klm->bytes;
		if (klm_repeats(klm)) {
			if (!block_is_whole(mkey, i))
				return "a repeat block has other entries than it says";
			bytes *= klm_times(klm);	/* 32 bits each */
			next += klm_entries(klm);
		}
		if (!bytes)
			continue;
		if (__builtin_add_overflow(off, bytes, &off))
			return "its entries have more than 2^64 bytes";
		mkey->ends[mkey->n_ends++] = (struct klm_end){ .off = off, .entry = i };
	}
	return NULL;
}

uint64_t mkey_covers(const struct mkey *mkey)
{
	if (mkey->mode == MKEY_KSM)
		return (uint64_t)mkey->n_xlt << mkey->log_page;
	return mkey->n_ends ? mkey->ends[mkey->n_ends - 1].off : 0;
}

static int mkey_check_flags(struct cmd *c, const struct prm_create_mkey_in *in,
			    const struct prm_mkc *mkc)
{
	if (prm_get(in, data_direct) || (prm_get(in, pg_access) && !hca_pages(c->dev)))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "pg_access and data_direct are not supported");
	if (prm_get(mkc, qpn) != MEM_ANY_QP)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "mkc.qpn is 0x%x: only 0xffffff, any QP, is supported",
			      prm_get(mkc, qpn));
	if (prm_get(mkc, bsf_en) || prm_get(mkc, sync_umr) || prm_get(mkc, expected_sigerr_count) ||
	    prm_get(mkc, bsf_octword_size))
		return refuse(c, PRM_STATUS_BAD_PARAM, "signature mkeys are not supported");
	if (prm_get(mkc, relaxed_ordering_write) || prm_get(mkc, relaxed_ordering_read))
		return refuse(c, PRM_STATUS_BAD_PARAM, "relaxed ordering is not advertised");
	if (prm_get(mkc, ma_translation_mode))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "mkc.ma_translation_mode %u: ATS is not advertised",
			      prm_get(mkc, ma_translation_mode));
	if (prm_get(mkc, free) && !prm_get(mkc, umr_en))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "a free mkey without umr_en can never be used");
	if (prm_get(mkc, length64) && prm_get64(mkc, len))
		return refuse(c, PRM_STATUS_BAD_PARAM, "mkc.len is 0x%llx although length64 is set",
			      (unsigned long long)prm_get64(mkc, len));
	return 0;
}

/* As many as a list in the command could have. */
#define MTT_MAX		(CMD_MAX_BYTES / sizeof(__be64))

/* The pages of the umem that hold the region; the device has the access to them that it grants. */
static int mkey_set_umem(struct cmd *c, struct mkey *mkey, const struct prm_create_mkey_in *in)
{
	const struct umem_part part = { true, prm_get(in, mkey_umem_id),
					prm_get64(in, mkey_umem_offset) };
	unsigned int writes = MEM_LOCAL_WRITE | MEM_REMOTE_WRITE | MEM_REMOTE_ATOMIC;
	uint64_t page = 1ull << mkey->log_page, in_page = mkey->start & (page - 1), i;
	uint64_t need = mtt_pages(mkey->start, mkey->len, mkey->log_page);

	if (need > MTT_MAX)
		return refuse(c, PRM_STATUS_LIM,
			      "%llu bytes need %llu pages of 2^%u bytes: a list has at most %zu",
			      (unsigned long long)mkey->len, (unsigned long long)need,
			      mkey->log_page, MTT_MAX);
	mkey->umem = umem_hold(c, &part, mkey->len, 1,
			       MTT_READ | (mkey->access & writes ? MTT_WRITE : 0));
	if (!mkey->umem)
		return -1;
	if (mkey->log_page > mkey->umem->log_page ||
	    ((mkey->umem->offset + part.offset) & (page - 1)) != in_page)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "at 0x%llx, pages of 2^%u bytes: it does not fit on UMEM 0x%x, 2^%u, at 0x%llx",
			      (unsigned long long)mkey->start, mkey->log_page, mkey->umem->obj.num,
			      mkey->umem->log_page, (unsigned long long)part.offset);
	mkey->n_xlt = need;
	mkey->mtt = budget_alloc(c->dev, mkey->n_xlt, sizeof(*mkey->mtt));
	if (!mkey->mtt)
		return budget_refuse(c);
	for (i = 0; i < mkey->n_xlt; i++)
		mkey->mtt[i] = umem_addr(mkey->umem, part.offset + i * page - in_page) |
			       MTT_READ | (mkey->access & writes ? MTT_WRITE : 0);
	return 0;
}

/* Pages have access bits with pg_access; else the device has all access. */
static int mkey_set_mtt(struct cmd *c, struct mkey *mkey, const uint8_t *tail, uint32_t octwords,
			bool pg_access)
{
	uint64_t page = 1ull << mkey->log_page;
	uint64_t need = mkey->length64 ? octwords * 2ull :
					 mtt_pages(mkey->start, mkey->len, mkey->log_page);
	uint32_t i;

	if (need > octwords * 2ull)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "%llu bytes at 0x%llx need %llu pages of 2^%u bytes, the list has %u",
			      (unsigned long long)mkey->len, (unsigned long long)mkey->start,
			      (unsigned long long)need, mkey->log_page, octwords * 2);
	mkey->n_xlt = need;
	mkey->mtt = budget_alloc(c->dev, need, sizeof(*mkey->mtt));
	if (!mkey->mtt)
		return budget_refuse(c);
	for (i = 0; i < need; i++) {
		mkey->mtt[i] = get64(tail + 8 * i);
		if (mkey->mtt[i] & MTT_ACCESS && !pg_access)
			return refuse(c, PRM_STATUS_BAD_PARAM,
				      "page %u of the mkey, 0x%llx, has access bits without pg_access",
				      i, (unsigned long long)mkey->mtt[i]);
		if (mkey->mtt[i] & (page - 1) & ~MTT_ACCESS)
			return refuse(c, PRM_STATUS_BAD_PARAM,
				      "page %u of the mkey, 0x%llx, is not aligned to 2^%u", i,
				      (unsigned long long)mkey->mtt[i], mkey->log_page);
		if (!pg_access)
			mkey->mtt[i] |= MTT_ACCESS;
	}
	return 0;
}

static int mkey_set_klm(struct cmd *c, struct mkey *mkey, const uint8_t *tail, uint32_t octwords)
{
	const char *wrong;
	uint32_t i;

	if (octwords > 1u << KLM_LOG_MAX)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "a KLM list of %u entries: log_max_klm_list_size is %u", octwords,
			      KLM_LOG_MAX);
	mkey->n_xlt = octwords;
	mkey->klm = budget_alloc(c->dev, octwords, sizeof(*mkey->klm));
	if (!mkey->klm)
		return budget_refuse(c);
	for (i = 0; i < octwords; i++, tail += OCTWORD)
		mkey->klm[i] = (struct klm) { .bytes = get32(tail),
					      .key = get32(tail + 4),
					      .va = get64(tail + 8) };
	wrong = mkey_set_ends(c->dev, mkey);
	if (wrong && mkey->mode == MKEY_KLM && !mkey->ends)
		return budget_refuse(c);
	if (wrong)
		return refuse(c, PRM_STATUS_BAD_PARAM, "the KLM list: %s", wrong);
	if (mkey_covers(mkey) < mkey->len)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "the KLM list covers %llu bytes, mkc.len is %llu",
			      (unsigned long long)mkey_covers(mkey), (unsigned long long)mkey->len);
	return 0;
}

static int mkey_set_memic(struct cmd *c, struct mkey *mkey, uint32_t octwords)
{
	if (octwords || mkey->max_xlt)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "a mkey of the device's memory has no translation list");
	mkey->memic = memic_find(c->dev, mkey->start, mkey->len);
	if (!mkey->memic)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "%llu bytes at 0x%llx of BAR 0 are not within one allocation",
			      (unsigned long long)mkey->len, (unsigned long long)mkey->start);
	mkey->memic->obj.refs++;
	return 0;
}

/* As a null key of the driver's own, by the memory scheme of page faults: 8 pages, 2^64 bytes. */
static bool has_all_addresses(const struct mkey *mkey, const struct prm_create_mkey_in *in)
{
	return mkey->mode == MKEY_MTT && !mkey->umr_en &&
	       mkey->log_page == LOG_PAGE_ALL && prm_get(in, pg_access) &&
	       !prm_get(in, mkey_umem_valid) &&
	       prm_get(in, translations_octword_actual_size) == OCTWORDS_ALL;
}

/* Sets the translation list; a free mkey has none, only its limit. */
static int mkey_set_xlt(struct cmd *c, struct mkey *mkey, const struct prm_create_mkey_in *in)
{
	const struct prm_mkc *mkc = prm_sub_const(in, memory_key_mkey_entry, mkc);
	uint32_t octwords = prm_get(in, translations_octword_actual_size);

	mkey->max_xlt = prm_get(mkc, translations_octword_size);
	if (mkey->mode == MKEY_PA) {
		if (octwords || mkey->max_xlt)
			return refuse(c, PRM_STATUS_BAD_PARAM, "a PA mkey has no translation list");
		return 0;
	}
	if (mkey->length64 && !hca_memory_faults(c->dev))
		return refuse(c, PRM_STATUS_BAD_PARAM, "length64 goes with PA mkeys only");
	if (mkey->length64 && !has_all_addresses(mkey, in))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "length64 goes with PA mkeys, and with those of 8 pages of 2^61 bytes, pg_access and no umr_en");
	if (mkey->mode == MKEY_MEMIC)
		return mkey_set_memic(c, mkey, octwords);
	if ((mkey->mode == MKEY_MTT || mkey->mode == MKEY_KSM) && !mkey->length64 &&
	    (mkey->log_page < 12 || mkey->log_page > 31))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "mkc.log_page_size %u is not within 12 to 31", mkey->log_page);
	if (prm_get(in, mkey_umem_valid))
		return mkey_set_umem(c, mkey, in);
	if (octwords > mkey->max_xlt || octwords > (c->in_len - sizeof(*in)) / OCTWORD)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "translations_octword_actual_size %u: room for %u, the input has %zu",
			      octwords, mkey->max_xlt, (c->in_len - sizeof(*in)) / OCTWORD);
	if (mkey->free)
		return octwords ? refuse(c, PRM_STATUS_BAD_PARAM,
					 "a free mkey takes no translation list") :
				  0;
	if (mkey->mode != MKEY_MTT)
		return mkey_set_klm(c, mkey, prm_tail_const(in), octwords);
	return mkey_set_mtt(c, mkey, prm_tail_const(in), octwords, prm_get(in, pg_access));
}

static int mkey_check_mode(struct cmd *c, const struct prm_create_mkey_in *in, unsigned int mode)
{
	const struct prm_mkc *mkc = prm_sub_const(in, memory_key_mkey_entry, mkc);
	bool umem = prm_get(in, mkey_umem_valid);

	if ((mode > MKEY_KSM && mode != MKEY_MEMIC) ||
	    (mode == MKEY_KSM && !hca_fixed_buffers(c->dev)) ||
	    (mode == MKEY_MEMIC && !memic_announced(c->dev)))
		return refuse(c, PRM_STATUS_BAD_PARAM, "mkc.access_mode %u is not supported", mode);
	if (mode != MKEY_MTT && prm_get(in, pg_access))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "pg_access: the mkey has no list of pages");
	if (mode == MKEY_MEMIC && (prm_get(mkc, umr_en) || prm_get(mkc, free)))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "umr_en or free: mkeys of the device's memory are not changed by UMR");
	if (umem && (mode != MKEY_MTT || prm_get(mkc, free)))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "mkey_umem_valid: the mkey is free, or not one of pages");
	if (c->uid && (mode < MKEY_KLM || mode == MKEY_MEMIC) && !umem)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "mkc.access_mode %u: a user context has only memory of umems and keys",
			      mode);
	return 0;
}

static int run_create_mkey(struct cmd *c)
{
	const struct prm_create_mkey_in *in = c->in;
	const struct prm_mkc *mkc = prm_sub_const(in, memory_key_mkey_entry, mkc);
	unsigned int mode = prm_get(mkc, access_mode_1_0) | prm_get(mkc, access_mode_4_2) << 2;
	struct prm_create_mkey_out *out = c->out;
	struct mkey *mkey;

	if (mkey_check_mode(c, in, mode) || mkey_check_flags(c, in, mkc))
		return -1;
	mkey = obj_create(c, OBJ_MKEY, sizeof(*mkey));
	if (!mkey)
		return -1;

	mkey->obj.release = mkey_release;
	mkey->ctx = *mkc;
	mkey->mode = mode;
	mkey_decode(mkey);
	mkey->pd = obj_hold(c, OBJ_PD, prm_get(mkc, pd), "mkc.pd");
	if (!mkey->pd || mkey_set_xlt(c, mkey, in)) {
		obj_free(mkey);
		return -1;
	}
	prm_set(out, mkey_index, mkey->obj.num);
	return 0;
}

/* A list of keys, as far as there is room for it. */
static void show_keys(struct cmd *c, const struct mkey *mkey)
{
	struct prm_query_mkey_out *out = c->out;
	uint8_t *at = (uint8_t *)out->dw + prm_bit(out, bsf0_klm0_pas_mtt0_1) / 8;
	const uint8_t *end = (uint8_t *)c->out + c->out_len;
	uint32_t i;

	for (i = 0; i < mkey->n_xlt && end - at >= OCTWORD; i++, at += OCTWORD) {
		put32(at, mkey->klm[i].bytes);
		put32(at + 4, mkey->klm[i].key);
		put64(at + 8, mkey->klm[i].va);
	}
}

static int run_query_mkey(struct cmd *c)
{
	const struct prm_query_mkey_in *in = c->in;
	struct prm_query_mkey_out *out = c->out;
	struct mkey *mkey = obj_lookup(c, OBJ_MKEY, prm_get(in, mkey_index), "mkey_index");
	struct prm_mkc *mkc = prm_sub(out, memory_key_mkey_entry, mkc);

	if (!mkey)
		return -1;
	*mkc = mkey->ctx;
	if (mkey->mode == MKEY_KLM || mkey->mode == MKEY_KSM)
		show_keys(c, mkey);
	return 0;
}

static int run_destroy_mkey(struct cmd *c)
{
	const struct prm_destroy_mkey_in *in = c->in;
	struct mkey *mkey = obj_own(c, OBJ_MKEY, prm_get(in, mkey_index), "mkey_index");

	return mkey ? obj_destroy(c, mkey) : -1;
}

const struct cmd_desc cmds_key[] = {
	CMD(alloc_pd),
	CMD(dealloc_pd),
	CMD(query_special_contexts),
	CMD(create_mkey, .tail = true),
	CMD(query_mkey),
	CMD(destroy_mkey),
	{}
};
