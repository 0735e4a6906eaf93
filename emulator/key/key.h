/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * key: protection domains, memory keys, access to guest memory through them, and the memory of the
 * device itself.
 *
 * A key is looked up and translated at each access: one that the driver destroys stops working at
 * once, also for a transfer in flight.
 */
#ifndef CXEMU_KEY_H
#define CXEMU_KEY_H

#include "func/user.h"
#include "prm/memic.h"
#include "prm/mkey.h"
#include "prm/obj.h"
#include "prm/wqe.h"

extern const struct cmd_desc cmds_key[], cmds_memic[];

/* ---- access: access.c ---- */

enum mem_access {
	MEM_LOCAL_READ = 1,
	MEM_LOCAL_WRITE = 2,
	MEM_REMOTE_READ = 4,
	MEM_REMOTE_WRITE = 8,
	MEM_REMOTE_ATOMIC = 16
};

/* The caller picks the syndrome by it. */
enum mem_result {
	MEM_OK,
	MEM_BAD_KEY,
	MEM_BAD_PD,
	MEM_BAD_QP,
	MEM_BAD_RANGE,
	MEM_BAD_ACCESS,
	MEM_TOO_MANY,	/* pieces in one access */
	MEM_NOT_PRESENT,	/* a page, or it must not be accessed so */
	MEM_DMA_FAULT
};

#define MEM_ANY_QP 0xffffffu
#define MEM_ANY_PD 0xffffffffu	/* the driver's own queues */

/* Who accesses memory: keys belong to a PD, some to a single QP of it. */
struct mem_user {
	uint32_t pdn;
	uint32_t qpn : 24;
	uint32_t rlky : 1;	/* may use the reserved lkey */
};

/*
 * An access has at most 2 GiB and MEM_PIECES_MAX pieces in KLM lists, among them the entries of a
 * repeat block before the first; one of 0 bytes is not checked. What a check cannot reach within
 * that is checked when it is accessed, and so is whether pages are present. An access that fails
 * may have done a part.
 */
enum mem_result mem_check(struct cxdev *dev, struct mem_user user, uint32_t key, uint64_t va,
			  uint64_t len, unsigned int access);
enum mem_result mem_read(struct cxdev *dev, struct mem_user user, uint32_t key, uint64_t va,
			 void *buf, size_t len, unsigned int access);
enum mem_result mem_write(struct cxdev *dev, struct mem_user user, uint32_t key, uint64_t va,
			  const void *buf, size_t len, unsigned int access);
const char *mem_result_text(enum mem_result result);

/* ---- ranges in the host's memory: access.c ---- */

#define MEM_MAP_PIECES	144	/* 64 KiB of pages, at both ends of any of 63 data segments */

/* Good until the callback of the loop ends. */
struct mem_map {
	unsigned int n;
	struct mem_piece {
		uint8_t *at;
		size_t len;
	} piece[MEM_MAP_PIECES];
};

/*
 * The memory behind a range. One that cannot be mapped is MEM_DMA_FAULT without a violation:
 * mem_read() or mem_write() tells what is wrong.
 */
enum mem_result mem_map(struct cxdev *dev, struct mem_user user, uint32_t key, uint64_t va,
			size_t len, unsigned int access, struct mem_map *map);
/* Adds to it. The device's own memory, such as inline data, can be added, too. */
enum mem_result mem_map_more(struct cxdev *dev, struct mem_user user, uint32_t key, uint64_t va,
			     size_t len, unsigned int access, struct mem_map *map);
bool mem_map_add(struct mem_map *map, uint8_t *at, size_t len);	/* false: too many pieces */
bool mem_maps_overlap(const struct mem_map *one, const struct mem_map *other);
/*
 * Copies between maps of the same length, in any order if they overlap. False: some of the memory
 * was taken away, on either side, and what was copied is zeroes.
 */
bool mem_map_copy(const struct mem_map *to, const struct mem_map *from);

/* ---- pages that an access lacks: access.c ---- */

#define MEM_LACKS_MAX	4

/* Ranges that are not present, in the addresses of the keys that have the pages. */
struct mem_lacks {
	unsigned int n;
	struct mem_lack {
		uint32_t key;		/* may be MKEY_NULL */
		uint64_t va, len;
	} lack[MEM_LACKS_MAX];
};

/* Adds those of the range in their order, until there is no room or something else is wrong. */
void mem_lacks(struct cxdev *dev, struct mem_user user, uint32_t key, uint64_t va, size_t len,
	       unsigned int access, struct mem_lacks *lacks);

/* ---- scatter/gather lists: sge.c ---- */

#define SEND_SGES_MAX	63
#define RECV_SGES_MAX	32

/* A data segment. */
struct sge {
	uint64_t va;
	const uint8_t *inl;	/* inline data: where they are in the WQE; NULL: by key */
	uint32_t lkey, len;
};

/* The data segments of a WQE. */
struct sg_list {
	const struct obj *owner;	/* the queue */
	struct mem_user user;
	uint16_t index;			/* of the WQE */
	unsigned int n;
	const struct sge *sges;
	uint64_t len;			/* of all of them */
	/*
	 * Logs an access that fails: violation() for a queue of the driver's own, trace() where it
	 * may be an application's mistake.
	 */
	void (*log)(struct cxdev *dev, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
};

/*
 * Parses the data segments of a send WQE, in units of 16 bytes from @at to @end, into @sges, which
 * has room for SEND_SGES_MAX. Inline data are not copied. Returns -1 if inline data run over the
 * end or their length is invalid, and leaves @list as it is; the owner picks the syndrome.
 */
int sg_parse_send(struct sg_list *list, struct sge *sges, const uint8_t *at, const uint8_t *end);
/*
 * The same for a receive WQE, up to RECV_SGES_MAX segments; @list has its owner. The top bit of a
 * length asks for start padding up to a cache line, which has no effect that a guest could see.
 */
void sg_parse_recv(struct sg_list *list, struct sge *sges, const uint8_t *at, const uint8_t *end);
/* Copy @len bytes at offset @off of the described memory. */
enum mem_result sg_gather(const struct sg_list *list, uint64_t off, void *buf, uint32_t len);
enum mem_result sg_scatter(const struct sg_list *list, uint64_t off, const void *buf, uint32_t len);
/* The memory behind @len bytes at offset @off, to be read or written; failures are not logged. */
enum mem_result sg_map(const struct sg_list *list, uint64_t off, uint32_t len, bool write,
		       struct mem_map *map);
/* What mem_lacks() says of them. */
void sg_lacks(const struct sg_list *list, uint64_t off, uint32_t len, bool write,
	      struct mem_lacks *lacks);

/* ---- keys: mkey.c ---- */

/* Keys that no command creates. CREATE_MKEY never returns index 0 to 15. */
#define MKEY_RESERVED_LKEY                                                                         \
	0x200 /* all of memory, local access, any PD; a queue needs its rlky bit */
#define MKEY_NULL	0x300	/* in lists of keys: of any length, and nothing of it is present */

#define KLM_LOG_MAX		16	/* log_max_klm_list_size: entries of a list */
#define MEM_PIECES_MAX		1024	/* of a packet, by entries of KLM lists of all levels */
#define MKEY_MAX_INDIRECTION	3	/* of KLM mkeys in KLM lists */

enum mkey_mode { MKEY_PA = 0, MKEY_MTT = 1, MKEY_KLM = 2, MKEY_KSM = 3, MKEY_MEMIC = 5 };

/*
 * As in the list. A repeat block is its head and entries, in which the fields are shared. Those of
 * a KSM list all have the length that the key says.
 */
struct klm {
	uint32_t bytes, key;
	uint64_t va;
};

/* Where an entry or block of a KLM list that is not empty ends, counted from the list's begin. */
struct klm_end {
	uint64_t off;
	uint32_t entry;
};

struct mkey {
	struct obj obj;			/* num: index, the upper 24 bits of the key */
	uint8_t variant;
	uint32_t qpn;			/* of the only QP that may use it, or MEM_ANY_QP */
	enum mkey_mode mode;
	unsigned int access;		/* enum mem_access */
	bool free; /* no access until it is registered through the send queue */
	bool umr_en, en_rinval;
	bool length64;			/* PA: the whole address space; else all of the list */
	uint64_t start, len;	/* MEMIC: start in BAR 0; addresses are from 0 on */
	struct obj *pd;
	struct memic *memic;	/* MEMIC: in which the key is */
	struct umem *umem;		/* whose pages mtt lists; NULL: of none */
	uint8_t log_page;
	uint32_t n_xlt, max_xlt; /* entries, and their limit by translations_octword_size */
	uint32_t room_xlt;	/* made by UMR: entries that there is memory for, 0 behind n_xlt */
	union {
		uint64_t *mtt;		/* with MTT_READ and MTT_WRITE */
		struct klm *klm;	/* KLM, KSM */
		void *xlt;
	};
	struct klm_end *ends;	/* KLM: of the entries that are not empty, in order */
	uint32_t n_ends;
	struct prm_mkc ctx;		/* current, for QUERY_MKEY */
};

/* The mkey of a full 32-bit key, variant included; NULL if there is none. */
struct mkey *mkey_find(struct cxdev *dev, uint32_t key);
/* NULL, or what is wrong with the list of keys. Of a KLM list it sets ends. */
const char *mkey_set_ends(struct cxdev *dev, struct mkey *mkey);
/* The bytes that the list of keys covers. */
uint64_t mkey_covers(const struct mkey *mkey);

/* Of the head of a repeat block, and of its entries. */
static inline bool klm_repeats(const struct klm *klm)
{
	return klm->key == PRM_KLM_REPEAT;
}

static inline uint32_t klm_times(const struct klm *head)
{
	return head->va >> 32;
}

static inline uint32_t klm_entries(const struct klm *head)
{
	return head->va & 0xffff;
}

static inline uint32_t klm_stride(const struct klm *entry)
{
	return entry->bytes >> 16;
}

static inline uint32_t klm_bytes(const struct klm *entry)
{
	return entry->bytes & 0xffff;
}

/* Decodes the context; PD and translation list are set by the caller. */
void mkey_decode(struct mkey *mkey);

/* ---- memory of the device: memic.c ---- */

#define MEMIC_BYTES		(128u << 10)
#define MEMIC_LOG_MAX_ALIGN	6	/* 64 times that: a page */
/* In the BAR: the memory, and as much for each operation. */
#define MEMIC_BAR_BYTES		((1 + PRM_MEMIC_OPS) * MEMIC_BYTES)

/* A part of it that a command has allocated. */
struct memic {
	struct obj obj;
	uint64_t addr;		/* in BAR 0 */
	uint32_t len;
	bool ops[PRM_MEMIC_OPS];	/* allocated, too */
	uint8_t *bytes;		/* zeroed at first, though drivers must not rely on it */
};

int memic_create(struct cxdev *dev);	/* 0 or -1 */
void memic_destroy(struct cxdev *dev);
bool memic_announced(const struct cxdev *dev);
/* The driver has some of it. */
bool memic_is_used(const struct cxdev *dev);
/* The allocation that has all of the range; NULL: none. */
struct memic *memic_find(const struct cxdev *dev, uint64_t addr, uint64_t len);
/* Does the place in BAR 0 belong to the memory, or to its operations? */
bool memic_is_at(const struct cxdev *dev, uint64_t offset);
/* An access of the host, any length; @buf of a read is zeroed. */
void memic_access(struct cxdev *dev, uint64_t offset, uint8_t *buf, size_t len, bool write);

/* The number of pages of a region, whose end may overflow. */
static inline uint64_t mtt_pages(uint64_t start, uint64_t len, unsigned int log_page)
{
	uint64_t in_page = (1ull << log_page) - 1;

	if (!len)
		return 0;
	return (len >> log_page) + (((start & in_page) + (len & in_page) + in_page) >> log_page);
}

#endif
