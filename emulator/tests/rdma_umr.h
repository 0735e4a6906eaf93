/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* What the tests of UMR and of memory windows share: WQEs that change b's keys, and RC pairs. */
#ifndef CXEMU_TEST_RDMA_UMR_H
#define CXEMU_TEST_RDMA_UMR_H

#include "rdma.h"

#define PAGE		4096u
#define KEY_OFF		(1u << 20)	/* of the regions in b's buffer */
#define KEY_BYTES	9000u
#define LIST_OFF	((3u << 20) - VA_SKEW)
#define ALL_RIGHTS	(MEM_LOCAL_READ | MEM_LOCAL_WRITE | MEM_REMOTE_READ | MEM_REMOTE_WRITE | \
			 MEM_REMOTE_ATOMIC)
#define REG_MASK	(PRM_UMR_MASK_LEN | PRM_UMR_MASK_PAGE_SIZE | PRM_UMR_MASK_START_ADDR |	\
			 PRM_UMR_MASK_EN_RINVAL | PRM_UMR_MASK_KEY | PRM_UMR_MASK_LR |		\
			 PRM_UMR_MASK_LW | PRM_UMR_MASK_RR | PRM_UMR_MASK_RW | PRM_UMR_MASK_A |	\
			 PRM_UMR_MASK_SMALL_FENCE | PRM_UMR_MASK_FREE)

extern struct tcq ca, cb;

struct umr_wr {
	uint32_t key;		/* of the control segment */
	uint8_t flags;
	uint64_t mask;
	uint32_t octwords, offset;
	unsigned int rights;
	bool free, rinval, length64;
	uint32_t new_key, qpn, pd;
	uint64_t va, len;
	const void *list;	/* inline */
	uint32_t list_len;
	struct tsge sge;	/* or by pointer */
	uint8_t fence;
	bool quiet;
};

/* The next completion is a good one. */
bool good(struct tcq *cq);
/* The syndrome of the next completion; 0: there is none, or it is good. */
unsigned int syndrome_of(struct tcq *cq);

/* A free key with room for @octwords; low byte 0x5a. */
uint32_t create_free_mkey(struct side *side, uint32_t pd, enum mkey_mode mode, uint32_t octwords,
			  bool rinval);
/* The bytes of the WQE in @raw, whose control segment is left to post_wqe(). */
uint32_t build_umr(const struct umr_wr *u, uint8_t *raw);
void post_umr(struct tqp *qp, const struct umr_wr *u);
/* The pages of the side's buffer from byte @off on. */
void page_list(struct side *side, uint8_t *list, uint32_t off, unsigned int n);
void klm_put(uint8_t *klm, uint32_t len, uint32_t key, uint64_t va);
struct umr_wr reg_wr(uint32_t key, const uint8_t *list, unsigned int n);
/* The same of a list of KLMs, 64 bytes. */
struct umr_wr klm_reg_wr(uint32_t key, const uint8_t *list);
struct umr_wr inval_wr(uint32_t key);

/* Writes all of the region from the other side; its completion's syndrome, 0: it went well. */
unsigned int write_to(struct tqp *x, uint32_t rkey, uint64_t va, uint32_t seed);
bool arrived(uint32_t seed);

/* An RC pair, as the kernel has it or as user space does: without fre. */
void pair(struct tqp *x, struct tqp *y);
void user_pair(struct tqp *x, struct tqp *y);

/* The driver's own, in RTS: without a PD. */
void create_umr_qp(struct tqp *qp, struct side *side, struct tcq *cq);

#endif
