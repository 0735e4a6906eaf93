// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Scatter/gather lists: the data segments of WQEs. */
#include <string.h>

#include "key/key.h"
#include "prm/wqe.h"

/* A length of 0 stands for 2 GiB. */
static void set_by_key(struct sge *sge, const uint8_t *seg, uint32_t len)
{
	sge->inl = NULL;
	sge->va = get64(seg + 8);
	sge->lkey = get32(seg + 4);
	sge->len = len ? len : 1u << 31;
}

int sg_parse_send(struct sg_list *list, struct sge *sges, const uint8_t *at, const uint8_t *end)
{
	struct sge *sge = sges;
	uint64_t len = 0;

	for (; at < end; sge++) {
		uint32_t count = get32(at), used = PRM_WQE_DS;

		if (count & PRM_WQE_INLINE) {
			*sge = (struct sge){ .inl = at + sizeof(struct prm_wqe_inline_seg),
					     .len = count & PRM_WQE_INLINE_MASK };
			used = sizeof(struct prm_wqe_inline_seg) + sge->len;
			if (count & ~(PRM_WQE_INLINE | PRM_WQE_INLINE_MASK) || used > end - at)
				return -1;
			used = (used + PRM_WQE_DS - 1) & ~(PRM_WQE_DS - 1u);
		} else {
			set_by_key(sge, at, count);
		}
		len += sge->len;
		at += used;
	}
	list->sges = sges;
	list->n = sge - sges;
	list->len = len;
	return 0;
}

void sg_parse_recv(struct sg_list *list, struct sge *sges, const uint8_t *at, const uint8_t *end)
{
	uint32_t terminator = hca_terminate_lkey(list->owner->dev);
	struct sge *sge = sges;
	uint64_t len = 0;

	for (; at < end && sge < sges + RECV_SGES_MAX; sge++, at += PRM_WQE_DS) {
		uint32_t count = get32(at) & ~PRM_WQE_INLINE;

		set_by_key(sge, at, count);
		if (!count && sge->lkey == terminator)
			break;
		if (!count && sge->lkey == PRM_WQE_LKEY_TERMINATE) {
			list->log(list->owner->dev, "a scatter list ends with key 0x%x, not 0x%x",
				  sge->lkey, terminator);
			break;
		}
		len += sge->len;
	}
	list->sges = sges;
	list->n = sge - sges;
	list->len = len;
}

/* What is done to the parts of a list, one after the other. */
struct walk {
	bool to_guest;
	uint8_t *buf;		/* data, advanced */
	struct mem_map *map;	/* or the memory is only mapped; failures are not logged */
	struct mem_lacks *lacks;	/* or what is not present is noted, the same */
};

static enum mem_result map_part(const struct sg_list *list, const struct sge *sge, uint64_t off,
				const struct walk *w, uint32_t len)
{
	if (!sge->inl)
		return mem_map_more(list->owner->dev, list->user, sge->lkey, sge->va + off, len,
				    w->to_guest ? MEM_LOCAL_WRITE : MEM_LOCAL_READ, w->map);
	return !w->to_guest && mem_map_add(w->map, (uint8_t *)sge->inl + off, len) ?
		       MEM_OK : MEM_BAD_ACCESS;
}

static enum mem_result note_part(const struct sg_list *list, const struct sge *sge, uint64_t off,
				 const struct walk *w, uint32_t len)
{
	if (!sge->inl)
		mem_lacks(list->owner->dev, list->user, sge->lkey, sge->va + off, len,
			  w->to_guest ? MEM_LOCAL_WRITE : MEM_LOCAL_READ, w->lacks);
	return MEM_OK;
}

static enum mem_result move_part(const struct sg_list *list, const struct sge *sge, uint64_t off,
				 const struct walk *w, uint32_t len)
{
	struct cxdev *dev = list->owner->dev;

	if (w->to_guest)
		return sge->inl ? MEM_BAD_ACCESS :
				  mem_write(dev, list->user, sge->lkey, sge->va + off, w->buf, len,
					    MEM_LOCAL_WRITE);
	if (!sge->inl)
		return mem_read(dev, list->user, sge->lkey, sge->va + off, w->buf, len,
				MEM_LOCAL_READ);
	memcpy(w->buf, sge->inl + off, len);
	return MEM_OK;
}

static enum mem_result walk_list(const struct sg_list *list, uint64_t off, uint32_t len,
				 struct walk *w)
{
	const struct sge *sge, *end = list->sges + list->n;
	bool moves = !w->map && !w->lacks;
	enum mem_result result;
	uint32_t chunk;

	for (sge = list->sges; sge != end && len; sge++) {
		if (off >= sge->len) {
			off -= sge->len;
			continue;
		}
		chunk = sge->len - off < len ? sge->len - off : len;
		result = w->map   ? map_part(list, sge, off, w, chunk) :
			 w->lacks ? note_part(list, sge, off, w, chunk) :
				    move_part(list, sge, off, w, chunk);
		if (result && moves)
			list->log(list->owner->dev,
				  "%s 0x%x: WQE %u: lkey 0x%x, %u bytes at 0x%llx: %s",
				  obj_name(list->owner->type), list->owner->num, list->index,
				  sge->lkey, chunk, (unsigned long long)(sge->va + off),
				  mem_result_text(result));
		if (result)
			return result;
		if (moves)
			w->buf += chunk;
		len -= chunk;
		off = 0;
	}
	return len ? MEM_BAD_RANGE : MEM_OK;
}

enum mem_result sg_gather(const struct sg_list *list, uint64_t off, void *buf, uint32_t len)
{
	return walk_list(list, off, len, &(struct walk){ .buf = buf });
}

enum mem_result sg_scatter(const struct sg_list *list, uint64_t off, const void *buf, uint32_t len)
{
	return walk_list(list, off, len, &(struct walk){ .buf = (void *)buf, .to_guest = true });
}

enum mem_result sg_map(const struct sg_list *list, uint64_t off, uint32_t len, bool write,
		       struct mem_map *map)
{
	map->n = 0;
	return walk_list(list, off, len, &(struct walk){ .map = map, .to_guest = write });
}

void sg_lacks(const struct sg_list *list, uint64_t off, uint32_t len, bool write,
	      struct mem_lacks *lacks)
{
	lacks->n = 0;
	walk_list(list, off, len, &(struct walk){ .lacks = lacks, .to_guest = write });
}
