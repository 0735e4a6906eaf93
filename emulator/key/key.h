/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * key: protection domains, memory keys, and access to guest memory through them.
 *
 * A key is looked up and translated anew at each access: one that the driver destroys stops working
 * at once, also for a transfer that is under way.
 */
#ifndef CXEMU_KEY_H
#define CXEMU_KEY_H

#include "func/func.h"
#include "prm/obj.h"

extern const struct cmd_desc cmds_key[];

/* ---- access: access.c ---- */

enum mem_access {
	MEM_LOCAL_READ = 1,
	MEM_LOCAL_WRITE = 2,
	MEM_REMOTE_READ = 4,
	MEM_REMOTE_WRITE = 8,
	MEM_REMOTE_ATOMIC = 16
};

/* What was wrong, so that the caller picks the right syndrome. */
enum mem_result {
	MEM_OK,
	MEM_BAD_KEY,
	MEM_BAD_PD,
	MEM_BAD_QP,
	MEM_BAD_RANGE,
	MEM_BAD_ACCESS,
	MEM_DMA_FAULT
};

#define MEM_ANY_QP 0xffffffu
#define MEM_ANY_PD 0xffffffffu	/* the driver's own queues */

/* Who asks: keys belong to a PD, some to one QP of it. */
struct mem_user {
	uint32_t pdn, qpn;
};

/* One access is at most 2 GiB; len 0 is fine and checks nothing. */
enum mem_result mem_check(struct cxdev *dev, struct mem_user user, uint32_t key, uint64_t va,
			  uint64_t len, unsigned int access);
enum mem_result mem_read(struct cxdev *dev, struct mem_user user, uint32_t key, uint64_t va,
			 void *buf, size_t len, unsigned int access);
enum mem_result mem_write(struct cxdev *dev, struct mem_user user, uint32_t key, uint64_t va,
			  const void *buf, size_t len, unsigned int access);
const char *mem_result_text(enum mem_result result);

/* ---- keys: mkey.c ---- */

/* Keys that no command makes. Index 0 to 15 are never handed out by CREATE_MKEY. */
#define MKEY_RESERVED_LKEY                                                                         \
	0x200 /* all of memory, local access, any PD; a queue needs its rlky bit */

#define MKEY_MAX_INDIRECTION	3	/* KLM lists that name KLM mkeys that name ... */

enum mkey_mode { MKEY_PA = 0, MKEY_MTT = 1, MKEY_KLM = 2 };

struct klm {
	uint32_t bytes, key;
	uint64_t va;
};

struct mkey {
	struct obj obj;			/* num: index, the upper 24 bits of the key */
	uint8_t variant;
	uint32_t qpn;			/* MEM_ANY_QP, or whose alone it is */
	enum mkey_mode mode;
	unsigned int access;		/* enum mem_access */
	bool free; /* no access until it is registered through the send queue */
	bool umr_en, en_rinval;
	bool length64;			/* PA: the whole address space */
	uint64_t start, len;
	struct obj *pd;
	uint8_t log_page;
	uint32_t n_xlt, max_xlt; /* entries given, and room for them by translations_octword_size */
	union {
		uint64_t *mtt;
		struct klm *klm;
		void *xlt;
	};
	struct prm_mkc ctx;		/* as it is now, for QUERY_MKEY */
};

/* The mkey of a full 32-bit key, variant included; NULL if there is none. */
struct mkey *mkey_find(struct cxdev *dev, uint32_t key);
/* Takes out of the context what an access needs; PD and translation list are the caller's. */
void mkey_decode(struct mkey *mkey);

/* The pages that a region lies in. The sum of its start and its length may not fit. */
static inline uint64_t mtt_pages(uint64_t start, uint64_t len, unsigned int log_page)
{
	uint64_t in_page = (1ull << log_page) - 1;

	if (!len)
		return 0;
	return (len >> log_page) + (((start & in_page) + (len & in_page) + in_page) >> log_page);
}

#endif
