// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Access to guest memory through memory keys. */
#include <string.h>

#include "key/key.h"

struct access {
	struct cxdev *dev;
	struct mem_user user;
	unsigned int rights;
	enum { ACCESS_CHECK, ACCESS_READ, ACCESS_WRITE, ACCESS_MAP, ACCESS_LACKS } op;
	uint8_t *buf;		/* READ, WRITE */
	struct mem_map *map;	/* MAP */
	struct mem_lacks *lacks;	/* LACKS */
	unsigned int pieces;
};

struct mkey *mkey_find(struct cxdev *dev, uint32_t key)
{
	struct mkey *mkey = obj_find(dev, OBJ_MKEY, key >> 8);

	return mkey && mkey->variant == (key & 0xff) ? mkey : NULL;
}

static unsigned int mkey_access(const struct prm_mkc *mkc)
{
	return (prm_get(mkc, lr) ? MEM_LOCAL_READ : 0) | (prm_get(mkc, lw) ? MEM_LOCAL_WRITE : 0) |
	       (prm_get(mkc, rr) ? MEM_REMOTE_READ : 0) |
	       (prm_get(mkc, rw) ? MEM_REMOTE_WRITE : 0) |
	       (prm_get(mkc, a) ? MEM_REMOTE_ATOMIC : 0);
}

void mkey_decode(struct mkey *mkey)
{
	const struct prm_mkc *mkc = &mkey->ctx;

	mkey->variant = prm_get(mkc, mkey_7_0);
	mkey->qpn = prm_get(mkc, qpn);
	mkey->access = mkey_access(mkc);
	mkey->free = prm_get(mkc, free);
	mkey->umr_en = prm_get(mkc, umr_en);
	mkey->en_rinval = prm_get(mkc, en_rinval);
	mkey->length64 = prm_get(mkc, length64);
	mkey->start = prm_get64(mkc, start_addr);
	mkey->len = prm_get64(mkc, len);
	mkey->log_page = prm_get(mkc, log_page_size);
}

bool mem_map_add(struct mem_map *map, uint8_t *at, size_t len)
{
	struct mem_piece *last = map->n ? &map->piece[map->n - 1] : NULL;

	if (last && last->at + last->len == at) {
		last->len += len;
		return true;
	}
	if (map->n == MEM_MAP_PIECES)
		return false;
	map->piece[map->n++] = (struct mem_piece){ at, len };
	return true;
}

/* From where to where all pieces lie. */
static struct mem_piece span(const struct mem_map *map)
{
	uint8_t *first = map->piece->at, *end = first + map->piece->len;
	const struct mem_piece *p;

	for (p = map->piece; p != map->piece + map->n; p++) {
		if (p->at < first)
			first = p->at;
		if (p->at + p->len > end)
			end = p->at + p->len;
	}
	return (struct mem_piece){ first, end - first };
}

static bool meet(const struct mem_piece *p, const struct mem_piece *q)
{
	return p->at < q->at + q->len && q->at < p->at + p->len;
}

bool mem_maps_overlap(const struct mem_map *one, const struct mem_map *other)
{
	const struct mem_piece *p, *q;
	struct mem_piece all, all_other;

	if (!one->n || !other->n)
		return false;
	all = span(one);
	all_other = span(other);
	if (!meet(&all, &all_other))	/* as with two guests */
		return false;
	for (p = one->piece; p != one->piece + one->n; p++)
		for (q = other->piece; q != other->piece + other->n; q++)
			if (meet(p, q))
				return true;
	return false;
}

bool mem_map_copy(const struct mem_map *to, const struct mem_map *from)
{
	const struct mem_piece *t = to->piece, *f = from->piece;
	const struct mem_piece *t_end = t + to->n, *f_end = f + from->n;
	size_t t_done = 0, f_done = 0, n;
	int lost = guest_memory_lost;

	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	while (t != t_end && f != f_end) {
		n = t->len - t_done < f->len - f_done ? t->len - t_done : f->len - f_done;
		memmove(t->at + t_done, f->at + f_done, n);
		t_done += n;
		f_done += n;
		if (t_done == t->len) {
			t++;
			t_done = 0;
		}
		if (f_done == f->len) {
			f++;
			f_done = 0;
		}
	}
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return lost == guest_memory_lost && t == t_end && f == f_end;
}

static enum mem_result map_pa(struct access *a, uint64_t pa, uint64_t len)
{
	bool write = a->rights & (MEM_LOCAL_WRITE | MEM_REMOTE_WRITE);
	uint8_t *at;
	size_t n;

	for (; len; len -= n, pa += n) {
		n = len;
		at = guest_ptr(a->dev, pa, &n, write);
		if (!at || !mem_map_add(a->map, at, n))
			return MEM_DMA_FAULT;
	}
	return MEM_OK;
}

/* Copies @len bytes at bus address @pa and advances the buffer. */
static enum mem_result access_pa(struct access *a, uint64_t pa, uint64_t len)
{
	int err;

	if (a->op == ACCESS_CHECK || a->op == ACCESS_LACKS)
		return MEM_OK;
	if (a->op == ACCESS_MAP)
		return map_pa(a, pa, len);
	if (a->op == ACCESS_READ)
		err = guest_read(a->dev, pa, a->buf, len);
	else
		err = guest_write(a->dev, pa, a->buf, len);
	a->buf += len;
	return err ? MEM_DMA_FAULT : MEM_OK;
}

/* Notes what is not present, so that the access goes on behind it. False: the list is full. */
static bool note_lack(struct mem_lacks *lacks, uint32_t key, uint64_t va, uint64_t len)
{
	struct mem_lack *last = lacks->n ? &lacks->lack[lacks->n - 1] : NULL;

	if (last && last->key == key && last->va + last->len == va) {
		last->len += len;
		return true;
	}
	if (lacks->n == MEM_LACKS_MAX)
		return false;
	lacks->lack[lacks->n++] = (struct mem_lack){ .key = key, .va = va, .len = len };
	return true;
}

static enum mem_result not_present(struct access *a, uint32_t key, uint64_t va, uint64_t len)
{
	return a->op == ACCESS_LACKS && note_lack(a->lacks, key, va, len) ? MEM_OK :
									    MEM_NOT_PRESENT;
}

/* Of a page's translation. */
static uint64_t page_bits(unsigned int rights)
{
	return (rights & (MEM_LOCAL_READ | MEM_REMOTE_READ | MEM_REMOTE_ATOMIC) ? MTT_READ : 0) |
	       (rights & (MEM_LOCAL_WRITE | MEM_REMOTE_WRITE | MEM_REMOTE_ATOMIC) ? MTT_WRITE : 0);
}

static enum mem_result access_mtt(struct access *a, const struct mkey *mkey, uint64_t va,
				  uint64_t len)
{
	uint64_t page = 1ull << mkey->log_page, off = va - (mkey->start & ~(page - 1)), chunk;
	uint64_t end = off + len - 1, mtt;
	enum mem_result result = MEM_OK;

	/* By the last byte: all pages may have 2^64 bytes. */
	if (end < off || end >> mkey->log_page >= mkey->n_xlt)
		return MEM_BAD_RANGE;
	if (a->op == ACCESS_CHECK)
		return MEM_OK;
	while (len && !result) {
		chunk = page - (off & (page - 1));
		if (chunk > len)
			chunk = len;
		mtt = mkey->mtt[off >> mkey->log_page];
		if (page_bits(a->rights) & ~mtt)
			result = not_present(a, mkey->obj.num << 8 | mkey->variant, va, chunk);
		else
			result = access_pa(a, (mtt & ~MTT_ACCESS) + (off & (page - 1)), chunk);
		off += chunk;
		va += chunk;
		len -= chunk;
	}
	return result;
}

static enum mem_result access_memic(struct access *a, const struct mkey *mkey, uint64_t off,
				    uint64_t len)
{
	uint8_t *at = mkey->memic->bytes + (mkey->start - mkey->memic->addr) + off;

	switch (a->op) {
	case ACCESS_CHECK:
	case ACCESS_LACKS:
		return MEM_OK;
	case ACCESS_MAP:
		return mem_map_add(a->map, at, len) ? MEM_OK : MEM_DMA_FAULT;
	case ACCESS_READ:
		memcpy(a->buf, at, len);
		break;
	case ACCESS_WRITE:
		memcpy(at, a->buf, len);
		break;
	}
	a->buf += len;
	return MEM_OK;
}

static enum mem_result access_key(struct access *a, uint32_t key, uint64_t va, uint64_t len,
				  unsigned int depth);

/*
 * The keys of a list are accessed locally: they need not allow the remote access that the indirect
 * key allows.
 */
static unsigned int local_rights(unsigned int rights)
{
	return (rights & (MEM_LOCAL_READ | MEM_REMOTE_READ | MEM_REMOTE_ATOMIC) ? MEM_LOCAL_READ :
										  0) |
	       (rights & (MEM_LOCAL_WRITE | MEM_REMOTE_WRITE | MEM_REMOTE_ATOMIC) ?
			MEM_LOCAL_WRITE :
			0);
}

/* The first entry that ends behind @off. */
static uint32_t find_klm(const struct mkey *mkey, uint64_t off)
{
	uint32_t low = 0, high = mkey->n_ends;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (mkey->ends[middle].off <= off)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Within a repeat block, which is as long. */
static enum mem_result access_block(struct access *a, const struct klm *head, uint64_t off,
				    uint64_t len, unsigned int depth)
{
	uint64_t round = off / head->bytes, at = off % head->bytes, chunk;
	const struct klm *first = head + 1, *end = first + klm_entries(head), *klm = first;
	enum mem_result result = MEM_OK;

	/* Those that are skipped count, too: the access may begin behind thousands. */
	for (; at >= klm_bytes(klm); at -= klm_bytes(klm++))
		if (a->pieces++ >= MEM_PIECES_MAX)
			return MEM_TOO_MANY;
	while (len && !result) {
		if (a->pieces++ >= MEM_PIECES_MAX)
			return MEM_TOO_MANY;
		chunk = klm_bytes(klm) - at < len ? klm_bytes(klm) - at : len;
		if (chunk)
			result = access_key(a, klm->key, klm->va + round * klm_stride(klm) + at,
					    chunk, depth + 1);
		len -= chunk;
		at = 0;
		if (++klm == end) {
			klm = first;
			round++;
		}
	}
	return result;
}

/* An entry or block of which @left bytes are left. */
static enum mem_result access_entry(struct access *a, const struct klm *klm, uint64_t left,
				    uint64_t len, unsigned int depth)
{
	if (klm_repeats(klm))
		return access_block(a, klm, (uint64_t)klm->bytes * klm_times(klm) - left, len,
				    depth);
	if (a->pieces++ >= MEM_PIECES_MAX)
		return MEM_TOO_MANY;
	return access_key(a, klm->key, klm->va + klm->bytes - left, len, depth + 1);
}

/* A list of entries of one length. */
static enum mem_result access_ksm(struct access *a, const struct mkey *mkey, uint64_t off,
				  uint64_t len, unsigned int depth)
{
	uint64_t size = 1ull << mkey->log_page, chunk;
	enum mem_result result = MEM_OK;
	const struct klm *klm;

	for (; len && !result; len -= chunk, off += chunk) {
		if (off >> mkey->log_page >= mkey->n_xlt)
			return MEM_BAD_RANGE;
		if (a->pieces++ >= MEM_PIECES_MAX)
			return MEM_TOO_MANY;
		klm = &mkey->klm[off >> mkey->log_page];
		chunk = size - (off & (size - 1));
		if (chunk > len)
			chunk = len;
		result = access_key(a, klm->key, klm->va + (off & (size - 1)), chunk, depth + 1);
	}
	return result;
}

static enum mem_result access_klm(struct access *a, const struct mkey *mkey, uint64_t off,
				  uint64_t len, unsigned int depth)
{
	enum mem_result result = MEM_OK;
	uint64_t left, chunk;
	uint32_t i;

	for (i = find_klm(mkey, off); i < mkey->n_ends && len && !result; i++) {
		left = mkey->ends[i].off - off;
		chunk = left < len ? left : len;
		result = access_entry(a, &mkey->klm[mkey->ends[i].entry], left, chunk, depth);
		len -= chunk;
		off += chunk;
	}
	return result ? result : len ? MEM_BAD_RANGE : MEM_OK;
}

static unsigned int indirection_max(const struct cxdev *dev)
{
	unsigned int max = hca_indirection(dev);

	return max && max < MKEY_MAX_INDIRECTION ? max : MKEY_MAX_INDIRECTION;
}

static enum mem_result access_list(struct access *a, const struct mkey *mkey, uint64_t va,
				   uint64_t len, unsigned int depth)
{
	unsigned int rights = a->rights;
	enum mem_result result;

	if (depth >= indirection_max(a->dev))
		return MEM_BAD_KEY;
	a->rights = local_rights(rights);
	result = mkey->mode == MKEY_KSM ? access_ksm(a, mkey, va - mkey->start, len, depth) :
					  access_klm(a, mkey, va - mkey->start, len, depth);
	a->rights = rights;
	return result;
}

/* Where a key with length64 ends is for its list to say. */
static bool in_range(const struct mkey *mkey, uint64_t va, uint64_t len)
{
	uint64_t start = mkey->mode == MKEY_MEMIC ? 0 : mkey->start;

	if (mkey->length64)
		return mkey->mode == MKEY_PA || va >= start;
	return va >= start && va - start <= mkey->len && len <= mkey->len - (va - start);
}

static enum mem_result access_key(struct access *a, uint32_t key, uint64_t va, uint64_t len,
				  unsigned int depth)
{
	const struct mkey *mkey;

	if (key == MKEY_RESERVED_LKEY) {
		if (a->rights & ~(MEM_LOCAL_READ | MEM_LOCAL_WRITE))
			return MEM_BAD_ACCESS;
		/* Also behind a key of regions, whose list user space writes. */
		if (!a->user.rlky)
			return MEM_BAD_KEY;
		return access_pa(a, va, len);
	}
	if (key == MKEY_NULL && depth && hca_null_mkey(a->dev))
		return a->op == ACCESS_CHECK ? MEM_OK : not_present(a, key, va, len);

	mkey = mkey_find(a->dev, key);
	if (!mkey || mkey->free)
		return MEM_BAD_KEY;
	if (a->user.pdn != MEM_ANY_PD && mkey->pd->num != a->user.pdn)
		return MEM_BAD_PD;
	if (mkey->qpn != MEM_ANY_QP && mkey->qpn != a->user.qpn)
		return MEM_BAD_QP;
	if (a->rights & ~mkey->access)
		return MEM_BAD_ACCESS;
	if (!in_range(mkey, va, len))
		return MEM_BAD_RANGE;

	switch (mkey->mode) {
	case MKEY_PA:
		return access_pa(a, va, len);
	case MKEY_MTT:
		return access_mtt(a, mkey, va, len);
	case MKEY_KLM:
	case MKEY_KSM:
		return access_list(a, mkey, va, len, depth);
	case MKEY_MEMIC:
		return access_memic(a, mkey, va, len);
	}
	return MEM_BAD_KEY;
}

enum mem_result mem_check(struct cxdev *dev, struct mem_user user, uint32_t key, uint64_t va,
			  uint64_t len, unsigned int access)
{
	struct access a = { .dev = dev, .user = user, .rights = access, .op = ACCESS_CHECK };

	enum mem_result result = len ? access_key(&a, key, va, len, 0) : MEM_OK;

	return result == MEM_TOO_MANY ? MEM_OK : result;
}

enum mem_result mem_read(struct cxdev *dev, struct mem_user user, uint32_t key, uint64_t va,
			 void *buf, size_t len, unsigned int access)
{
	struct access a = {
		.dev = dev, .user = user, .rights = access, .op = ACCESS_READ, .buf = buf
	};

	return len ? access_key(&a, key, va, len, 0) : MEM_OK;
}

enum mem_result mem_write(struct cxdev *dev, struct mem_user user, uint32_t key, uint64_t va,
			  const void *buf, size_t len, unsigned int access)
{
	struct access a = { .dev = dev,
			    .user = user,
			    .rights = access,
			    .op = ACCESS_WRITE,
			    .buf = (uint8_t *)buf };

	return len ? access_key(&a, key, va, len, 0) : MEM_OK;
}

enum mem_result mem_map_more(struct cxdev *dev, struct mem_user user, uint32_t key, uint64_t va,
			     size_t len, unsigned int access, struct mem_map *map)
{
	struct access a = {
		.dev = dev, .user = user, .rights = access, .op = ACCESS_MAP, .map = map
	};

	return len ? access_key(&a, key, va, len, 0) : MEM_OK;
}

void mem_lacks(struct cxdev *dev, struct mem_user user, uint32_t key, uint64_t va, size_t len,
	       unsigned int access, struct mem_lacks *lacks)
{
	struct access a = {
		.dev = dev, .user = user, .rights = access, .op = ACCESS_LACKS, .lacks = lacks
	};

	if (len)
		access_key(&a, key, va, len, 0);
}

enum mem_result mem_map(struct cxdev *dev, struct mem_user user, uint32_t key, uint64_t va,
			size_t len, unsigned int access, struct mem_map *map)
{
	map->n = 0;
	return mem_map_more(dev, user, key, va, len, access, map);
}

const char *mem_result_text(enum mem_result result)
{
	switch (result) {
	case MEM_OK:
		return "no error";
	case MEM_BAD_KEY:
		return "no such key, or it is free, or reserved for queues with rlky";
	case MEM_BAD_PD:
		return "the key belongs to another PD";
	case MEM_BAD_QP:
		return "the key belongs to another QP";
	case MEM_BAD_RANGE:
		return "the range is not within the key's region";
	case MEM_BAD_ACCESS:
		return "the key does not allow this access";
	case MEM_TOO_MANY:
		return "KLM lists split it into too many pieces";
	case MEM_NOT_PRESENT:
		return "a page is not present";
	case MEM_DMA_FAULT:
		return "the address is not mapped for DMA";
	}
	return "unknown";
}
