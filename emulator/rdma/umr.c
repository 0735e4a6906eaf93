// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * UMR work requests: a memory key is changed through a send queue. Fast registration, local
 * invalidation and the binding of memory windows are this one opcode with other masks.
 *
 * The control segment's mask says which fields of the mkey segment count; the others may hold
 * anything, since user space does not clear them. The list of pages or regions stands behind it, or
 * is pointed to. All is done to a copy first: a request that fails changes nothing.
 *
 * What makes no sense for any key is a violation and a QP operation error; what does not fit the
 * key's state at that moment is a bind error, and may be an application's mistake.
 */
#include <stdlib.h>
#include <string.h>

#include "prm/caps.h"
#include "rdma/rdma.h"

#define CTRL_AT		sizeof(struct prm_wqe_ctrl_seg)
#define MKEY_AT		(CTRL_AT + sizeof(struct prm_wqe_umr_ctrl_seg))
#define LIST_AT		(MKEY_AT + sizeof(struct prm_mkc))
#define OCTWORD		16
/* Of 64 bytes: steps of a key's room for its list, and in which parts of a list are copied. */
#define LIST_UNIT	4
/*
 * Octwords of a list: the pages of 32 GiB, or an address space of 2^56 bytes in parts of 2^34, as
 * drivers have it for on-demand paging.
 */
#define XLT_MAX		(1u << 22)
#define SLICE_ENTRIES	4096		/* that are moved or looked at in the time of a packet */

#define KNOWN_FLAGS	(PRM_UMR_INLINE | PRM_UMR_CHECK_NOT_FREE | PRM_UMR_CHECK_FREE |	\
			 PRM_UMR_TRANSLATION_OFFSET_EN | PRM_UMR_CHECK_QPN)
#define ACCESS_MASK	(PRM_UMR_MASK_LR | PRM_UMR_MASK_LW | PRM_UMR_MASK_RR |		\
			 PRM_UMR_MASK_RW | PRM_UMR_MASK_A)
#define GEOMETRY_MASK	(PRM_UMR_MASK_LEN | PRM_UMR_MASK_PAGE_SIZE | PRM_UMR_MASK_START_ADDR)
#define KNOWN_MASK	(PRM_UMR_MASK_LEN | PRM_UMR_MASK_PAGE_SIZE |			\
			 PRM_UMR_MASK_START_ADDR | PRM_UMR_MASK_PD |			\
			 PRM_UMR_MASK_EN_RINVAL | PRM_UMR_MASK_KEY | PRM_UMR_MASK_QPN |	\
			 ACCESS_MASK | PRM_UMR_MASK_SMALL_FENCE | PRM_UMR_MASK_FREE)

static const struct prm_wqe_umr_ctrl_seg *umr_ctrl(const struct swqe *w)
{
	return (const void *)(w->wqe.raw + CTRL_AT);
}

static const struct prm_mkc *umr_mkc(const struct swqe *w)
{
	return (const void *)(w->wqe.raw + MKEY_AT);
}

/* In octwords. */
static uint64_t list_offset(const struct prm_wqe_umr_ctrl_seg *ctrl)
{
	return (uint64_t)be32_to_cpu(ctrl->xlt_offset_47_16) << 16 | be16_to_cpu(ctrl->xlt_offset);
}

/* ---- form ---------------------------------------------------------------------------------- */

/* An inline list may be shorter than its step: the WQE has the rest of it. */
static int check_list(const struct swqe *w)
{
	const struct prm_wqe_umr_ctrl_seg *ctrl = umr_ctrl(w);
	uint32_t octwords = be16_to_cpu(ctrl->xlt_octowords), room = w->wqe.bytes - LIST_AT;
	uint32_t bytes = octwords * OCTWORD;

	if (list_offset(ctrl) % LIST_UNIT)
		return wqe_bad(&w->wqe, "a UMR offset that is no multiple of 64 bytes",
			       list_offset(ctrl));
	if (!(ctrl->flags & PRM_UMR_INLINE)) {
		if (room != sizeof(struct prm_wqe_data_seg))
			return wqe_bad(&w->wqe, "a UMR list by pointer needs a data segment",
				       room);
		if (octwords % LIST_UNIT)
			return wqe_bad(&w->wqe,
				       "a UMR list by pointer is no multiple of 64 bytes", bytes);
		room = get32(w->wqe.raw + LIST_AT);
	}
	if (bytes > room)
		return wqe_bad(&w->wqe, "its UMR list is longer than what was given", bytes);
	return 0;
}

int umr_check(struct qp *qp, const struct swqe *w)
{
	const struct prm_wqe_umr_ctrl_seg *ctrl = umr_ctrl(w);
	uint64_t mask = be64_to_cpu(ctrl->mkey_mask);
	uint32_t qpn = prm_get(umr_mkc(w), qpn);
	unsigned int i;
	uint8_t rsvd = 0;

	if (w->wqe.bytes < LIST_AT)
		return wqe_bad(&w->wqe, "the WQE ends before the segments of a UMR",
			       w->wqe.bytes);
	if (ctrl->flags & ~KNOWN_FLAGS ||
	    (ctrl->flags & PRM_UMR_CHECK_FREE && ctrl->flags & PRM_UMR_CHECK_NOT_FREE))
		return wqe_bad(&w->wqe, "UMR flags", ctrl->flags);
	for (i = 0; i < sizeof(ctrl->rsvd_01); i++)
		rsvd |= ctrl->rsvd_01[i];
	for (i = 0; i < sizeof(ctrl->rsvd_14); i++)
		rsvd |= ctrl->rsvd_14[i];
	if (rsvd)
		return wqe_bad(&w->wqe, "reserved fields of the UMR control segment", rsvd);
	if (mask & ~KNOWN_MASK)
		return wqe_bad(&w->wqe, "the UMR mask names what is not advertised",
			       (mask & ~KNOWN_MASK) >> 32 ? (mask & ~KNOWN_MASK) >> 32 :
							    mask & ~KNOWN_MASK);
	if (be32_to_cpu(ctrl->xlt_offset_47_16) && !hca_far_umr(qp->obj.dev))
		return wqe_bad(&w->wqe, "extended UMR offsets are not advertised",
			       be32_to_cpu(ctrl->xlt_offset_47_16));
	if (list_offset(ctrl) && !(ctrl->flags & PRM_UMR_TRANSLATION_OFFSET_EN))
		return wqe_bad(&w->wqe, "a UMR offset that is not enabled", list_offset(ctrl));
	if (mask & PRM_UMR_MASK_PD && qp->st != PRM_QP_ST_REG_UMR)
		return wqe_bad(&w->wqe, "only a UMR QP changes a key's PD",
			       prm_get(umr_mkc(w), pd));
	if (mask & PRM_UMR_MASK_QPN && qpn != MEM_ANY_QP && qpn != qp->obj.num)
		return wqe_bad(&w->wqe, "it gives a key to another QP", qpn);
	return check_list(w);
}

/* ---- fences ---------------------------------------------------------------------------------- */

/* The key that the request makes usable, as it is in use. 0: none. */
static uint32_t registered_key(const struct swqe *w)
{
	const struct prm_mkc *mkc = umr_mkc(w);
	uint64_t mask;

	if (w->wqe.opcode != PRM_WQE_UMR)
		return 0;
	mask = be64_to_cpu(umr_ctrl(w)->mkey_mask);
	if (!(mask & PRM_UMR_MASK_FREE) || prm_get(mkc, free))
		return 0;
	return mask & PRM_UMR_MASK_KEY ? (w->imm & ~0xffu) | prm_get(mkc, mkey_7_0) : w->imm;
}

static bool fence_is_enough(const struct qp *qp, uint8_t fence)
{
	switch (hca_umr_fence(qp->obj.dev)) {
	case PRM_UMR_FENCE_NONE:
		return true;
	case PRM_UMR_FENCE_SMALL:
		return fence != PRM_WQE_FENCE_NONE && fence != PRM_WQE_FENCE;
	default:
		return fence == PRM_WQE_FENCE_STRONG;
	}
}

static bool names_lkey(const struct swqe *w, uint32_t key)
{
	unsigned int i;

	for (i = 0; i < w->data.n; i++)
		if (!w->sges[i].inl && w->sges[i].lkey == key)
			return true;
	return false;
}

void umr_check_fences(struct qp *qp, const struct swqe *w)
{
	uint32_t before = qp->req.fresh_key, key = registered_key(w);

	if (!qp->fre || (qp->st != PRM_QP_ST_RC && qp->st != PRM_QP_ST_UC))
		return;
	if (key && !fence_is_enough(qp, w->fence))
		violation(qp->obj.dev,
			  "QP 0x%x: send WQE %u registers key 0x%x without the fence that it needs",
			  qp->obj.num, w->wqe.index, key);
	if (before && w->fence == PRM_WQE_FENCE_NONE && names_lkey(w, before))
		violation(qp->obj.dev,
			  "QP 0x%x: send WQE %u uses key 0x%x, just registered, without a fence",
			  qp->obj.num, w->wqe.index, before);
	qp->req.fresh_key = key;
}

/* ---- the key as it will be ----------------------------------------------------------------- */

/* A key before and after a request; @next owns its list until commit(). */
struct change {
	struct qp *qp;
	const struct swqe *w;
	struct mkey *mkey;
	struct mkey next;
	struct obj *pd;
	/* entries of the list that are set: in a list of its own, or where they are */
	const uint8_t *list;
	uint8_t *fetched;	/* NULL: the list is inline */
	uint64_t at;
	uint32_t n;
	bool in_place;
	uint64_t work;		/* entries that were moved or looked at */
};

static int fails(const struct change *ch, const char *why)
{
	trace(ch->qp->obj.dev, "QP 0x%x: UMR WQE %u of key 0x%x: %s", ch->qp->obj.num,
	      ch->w->wqe.index, ch->w->imm, why);
	return PRM_CQE_SYND_MW_BIND;
}

/* May this queue pair change the key, and is it in the state that the request expects? */
static int check_key(const struct change *ch)
{
	const struct mkey *mkey = ch->mkey;
	const struct qp *qp = ch->qp;
	uint8_t flags = umr_ctrl(ch->w)->flags;

	if (!mkey)
		return fails(ch, "there is no such key");
	if (!mkey->umr_en)
		return fails(ch, "the key was made without umr_en");
	/* Its list holds bus addresses, which user space must not set. */
	if (mkey->mode != MKEY_KLM && !qp->fre)
		return fails(ch, "a key of pages, by a QP without fre");
	if (qp->st != PRM_QP_ST_REG_UMR) {
		if (mkey->pd != qp->pd)
			return fails(ch, "the key belongs to another PD");
		if (mkey->qpn != MEM_ANY_QP && mkey->qpn != qp->obj.num)
			return fails(ch, "the key belongs to another QP");
	}
	if (flags & PRM_UMR_CHECK_NOT_FREE && !mkey->free)
		return fails(ch, "the key is in use and should be free");
	if (flags & PRM_UMR_CHECK_FREE && mkey->free)
		return fails(ch, "the key is free and should be in use");
	if (flags & PRM_UMR_CHECK_QPN && mkey->qpn != qp->obj.num && mkey->qpn != MEM_ANY_QP)
		return fails(ch, "the key does not belong to this QP");
	if (!mkey->free && mkey->variant != (ch->w->imm & 0xff))
		return fails(ch, "the key's low byte is another one");
	return 0;
}

#define TAKE(bit, field) do {								\
	if (mask & PRM_UMR_MASK_##bit)							\
		prm_set(to, field, prm_get(from, field));				\
} while (0)

static int take_fields(struct change *ch)
{
	uint64_t mask = be64_to_cpu(umr_ctrl(ch->w)->mkey_mask);
	const struct prm_mkc *from = umr_mkc(ch->w);
	struct prm_mkc *to = &ch->next.ctx;

	TAKE(PAGE_SIZE, log_page_size);
	TAKE(EN_RINVAL, en_rinval);
	TAKE(KEY, mkey_7_0);
	TAKE(QPN, qpn);
	TAKE(LR, lr);
	TAKE(LW, lw);
	TAKE(RR, rr);
	TAKE(RW, rw);
	TAKE(A, a);
	TAKE(SMALL_FENCE, small_fence_on_rdma_read_response);
	TAKE(FREE, free);
	/* User space leaves the bit as it was in the memory of the WQE. */
	if (ch->qp->fre || ch->qp->st == PRM_QP_ST_REG_UMR)
		TAKE(LEN, length64);
	if (mask & PRM_UMR_MASK_LEN)
		prm_set64(to, len, prm_get64(from, len));
	if (mask & PRM_UMR_MASK_START_ADDR)
		prm_set64(to, start_addr, prm_get64(from, start_addr));
	if (mask & PRM_UMR_MASK_PD) {
		prm_set(to, pd, prm_get(from, pd));
		ch->pd = obj_find(ch->qp->obj.dev, OBJ_PD, prm_get(from, pd));
		if (!ch->pd)
			return wqe_bad(&ch->w->wqe, "there is no such PD",
				       prm_get(from, pd));
	}
	mkey_decode(&ch->next);
	return 0;
}

/* ---- the list ------------------------------------------------------------------------------ */

static uint32_t entry_bytes(const struct mkey *mkey)
{
	return mkey->mode == MKEY_MTT ? sizeof(struct prm_mtt) : sizeof(struct prm_klm);
}

static struct klm key_at(const uint8_t *entry)
{
	return (struct klm){ .bytes = get32(entry), .key = get32(entry + 4),
			     .va = get64(entry + 8) };
}

static uint64_t page_at(const uint8_t *entry)
{
	return get64(entry) & ~4ull;
}

/* The most that the key's list may have. */
static uint64_t octwords_of(const struct mkey *mkey)
{
	uint64_t room = (mkey->max_xlt + LIST_UNIT - 1ull) / LIST_UNIT * LIST_UNIT;
	uint64_t most = mkey->mode == MKEY_KLM ? 1u << KLM_LOG_MAX : XLT_MAX;

	return room < most ? room : most;
}

static void set_entries(struct mkey *mkey, const struct change *ch)
{
	const uint8_t *entry = ch->list;
	uint32_t i;

	for (i = 0; i < ch->n; i++, entry += entry_bytes(mkey))
		if (mkey->mode == MKEY_MTT)
			mkey->mtt[ch->at + i] = page_at(entry);
		else
			mkey->klm[ch->at + i] = key_at(entry);
}

/* A large list of which a part is set, or that grows within its room, stays where it is. */
static int set_in_place(struct change *ch)
{
	const uint8_t *entry = ch->list;
	struct klm klm;
	uint32_t i;

	ch->in_place = true;
	if (ch->next.n_xlt < ch->at + ch->n)
		ch->next.n_xlt = ch->at + ch->n;
	for (i = 0; ch->mkey->mode == MKEY_KSM && i < ch->n; i++, entry += sizeof(struct prm_klm)) {
		klm = key_at(entry);
		if (klm_repeats(&klm))
			return fails(ch, "a KSM list has the head of a repeat block");
	}
	return 0;
}

/*
 * The room for a list of @total entries: drivers fill one in many steps, of which few copy it. A
 * KLM list, which is short, is copied each time.
 */
static uint32_t growing(const struct change *ch, uint32_t total)
{
	uint64_t most = octwords_of(ch->mkey) * (OCTWORD / entry_bytes(ch->mkey));
	uint64_t twice = 2ull * ch->mkey->n_xlt;

	if (ch->mkey->mode == MKEY_KLM)
		return total;
	if (twice > most)
		twice = most;
	return twice > total ? twice : total;
}

/* The list as it will be: the old one if the request patches it, with the entries put there. */
static int put_entries(struct change *ch)
{
	bool patches = umr_ctrl(ch->w)->flags & PRM_UMR_TRANSLATION_OFFSET_EN;
	const struct mkey *mkey = ch->mkey;
	struct mkey *next = &ch->next;
	/* Entries have the same size in memory as in the list. */
	uint32_t size = entry_bytes(mkey), total = ch->at + ch->n;
	const char *wrong;

	ch->work += ch->n;
	if (patches && mkey->mode != MKEY_KLM &&
	    (total <= mkey->n_xlt || total <= mkey->room_xlt))
		return set_in_place(ch);
	if (patches && mkey->n_xlt > total)
		total = mkey->n_xlt;
	next->ends = NULL;
	next->room_xlt = patches ? growing(ch, total) : total;
	next->xlt = budget_alloc(ch->qp->obj.dev, next->room_xlt, size);
	if (!next->xlt)
		return fails(ch, "the emulator is out of memory");
	next->n_xlt = total;
	ch->work += total;
	if (mkey->xlt)
		memcpy(next->xlt, mkey->xlt, (mkey->n_xlt < total ? mkey->n_xlt : total) * size);
	set_entries(next, ch);
	wrong = mkey->mode == MKEY_MTT ? NULL : mkey_set_ends(ch->qp->obj.dev, next);
	return wrong ? fails(ch, wrong) : 0;
}

/* By pointer. */
static int fetch_list(struct change *ch, uint32_t octwords)
{
	const uint8_t *seg = ch->w->wqe.raw + LIST_AT;
	uint32_t lkey = get32(seg + 4);
	struct qp *qp = ch->qp;

	ch->fetched = malloc(octwords * OCTWORD);
	ch->list = ch->fetched;
	if (!ch->fetched)
		return fails(ch, "the emulator is out of memory");
	if (get64(seg + 8) % PRM_UMR_LIST_ALIGN)
		return fails(ch, "the list is not aligned to 2,048 bytes");
	if (!mem_read(qp->obj.dev, qp_user(qp), lkey, get64(seg + 8), ch->fetched,
		      octwords * OCTWORD, MEM_LOCAL_READ))
		return 0;
	trace(qp->obj.dev, "QP 0x%x: UMR WQE %u: its list cannot be read by lkey 0x%x", qp->obj.num,
	      ch->w->wqe.index, lkey);
	return PRM_CQE_SYND_LOCAL_PROT;
}

/* A length of 0 stands for all that an inline list has. */
static int take_list(struct change *ch)
{
	const struct prm_wqe_umr_ctrl_seg *ctrl = umr_ctrl(ch->w);
	uint32_t octwords = be16_to_cpu(ctrl->xlt_octowords), per;
	int err;

	if (!octwords && ctrl->flags & PRM_UMR_INLINE)
		octwords = (ch->w->wqe.bytes - LIST_AT) / OCTWORD;
	if (!octwords)
		return 0;
	if (ch->mkey->mode == MKEY_PA)
		return fails(ch, "the key has no list");
	if (list_offset(ctrl) + octwords > octwords_of(ch->mkey))
		return fails(ch, "the list does not fit into the key");
	per = OCTWORD / entry_bytes(ch->mkey);
	ch->at = list_offset(ctrl) * per;
	ch->n = octwords * per;
	ch->list = ch->w->wqe.raw + LIST_AT;
	err = ctrl->flags & PRM_UMR_INLINE ? 0 : fetch_list(ch, octwords);
	return err ? err : put_entries(ch);
}

static bool is_set_now(const struct change *ch, uint64_t i)
{
	return ch->in_place && i >= ch->at && i < ch->at + ch->n;
}

/* If only pages of a key in use change, all others have been looked at before. */
static int check_pages(struct change *ch, uint64_t n)
{
	bool all = ch->mkey->free || !ch->in_place ||
		   be64_to_cpu(umr_ctrl(ch->w)->mkey_mask) & GEOMETRY_MASK;
	const struct mkey *next = &ch->next;
	uint64_t i = all ? 0 : ch->at, end = all ? n : ch->at + ch->n, page;

	ch->work += end - i;
	for (; i < n && i < end; i++) {
		page = next->mtt[i];
		if (is_set_now(ch, i))
			page = page_at(ch->list + (i - ch->at) * sizeof(struct prm_mtt));
		if (page & ((1ull << next->log_page) - 1) & ~MTT_ACCESS)
			return fails(ch, "a page is not aligned to the key's page size");
	}
	return 0;
}

static int check_mtt(struct change *ch)
{
	const struct mkey *next = &ch->next;
	uint64_t n;

	if (next->log_page < 12 || next->log_page > 31)
		return fails(ch, "its page size is not within 2^12 to 2^31");
	n = next->length64 ? next->n_xlt : mtt_pages(next->start, next->len, next->log_page);
	if (n > next->n_xlt)
		return fails(ch, "the list has not enough pages for its length");
	return check_pages(ch, n);
}

/* The list of a key in use must cover its length. */
static int check_cover(struct change *ch)
{
	const struct mkey *next = &ch->next;

	if (next->free || next->mode == MKEY_PA)
		return 0;
	if (next->mode == MKEY_MTT)
		return check_mtt(ch);
	if (next->mode == MKEY_KSM && (next->log_page < 12 || next->log_page > 31))
		return fails(ch, "its page size is not within 2^12 to 2^31");
	return mkey_covers(next) < next->len ?
		       fails(ch, "the list covers less than its length") : 0;
}

static void drop_list(struct mkey *next)
{
	budget_free(next->xlt);
	budget_free(next->ends);
}

static void commit(struct change *ch)
{
	struct mkey *mkey = ch->mkey, *next = &ch->next;

	if (ch->in_place)
		set_entries(mkey, ch);
	else if (next->xlt != mkey->xlt)
		drop_list(mkey);
	mkey->xlt = next->xlt;
	mkey->ends = next->ends;
	mkey->n_ends = next->n_ends;
	mkey->n_xlt = next->n_xlt;
	mkey->room_xlt = next->room_xlt;
	mkey->ctx = next->ctx;
	if (ch->pd) {
		obj_put(mkey->pd);
		mkey->pd = ch->pd;
		mkey->pd->refs++;
	}
	mkey_decode(mkey);
}

int umr_execute(struct qp *qp, const struct swqe *w, uint32_t *slice)
{
	struct change ch = { .qp = qp, .w = w };
	int err;

	ch.mkey = obj_find(qp->obj.dev, OBJ_MKEY, w->imm >> 8);
	err = check_key(&ch);
	if (err)
		return err;
	ch.next = *ch.mkey;
	err = take_fields(&ch);
	if (!err)
		err = take_list(&ch);
	if (!err)
		err = check_cover(&ch);
	if (!err)
		commit(&ch);
	else if (ch.next.xlt != ch.mkey->xlt)
		drop_list(&ch.next);
	free(ch.fetched);
	*slice += ch.work / SLICE_ENTRIES;
	return err;
}
