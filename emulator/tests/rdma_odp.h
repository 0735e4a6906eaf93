/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * On-demand paging, as tests use it: keys whose pages come and go, and the driver's part of a page
 * fault.
 */
#ifndef CXEMU_TEST_RDMA_ODP_H
#define CXEMU_TEST_RDMA_ODP_H

#include "prm/caps.h"
#include "prm/eqe.h"
#include "rdma_umr.h"

#define ODP_PAGES	8u
#define ODP_BYTES	(ODP_PAGES * PAGE)
/* Of a key in the buffer of its side: it begins with a page. */
#define ODP_OFF		((1u << 20) - 0x123)
#define PRESENT		(MTT_READ | MTT_WRITE)

extern struct tqp x, y;			/* under test, of each side one */
extern const struct qp_opts odp_rc;	/* that wait for each other without an end */

/* A key of pages of a side's buffer. */
struct odp_key {
	struct side *side;
	uint32_t key;
	uint32_t off;			/* in the buffer */
	uint64_t va;
	uint8_t bits[ODP_PAGES];
};

/*
 * Both sides: all transports fault, by the memory or the transport scheme, an EQ for that, a queue
 * pair for the keys.
 */
void odp_open(bool memory);
void odp_close(void);
#define ODP_LOG_EQ	11	/* more than there can be page faults at a time */

/* x and y as a new pair of RC, without what is left of others. */
void odp_pair(const struct qp_opts *o);
/* The same pair again, without what it waits for. */
void odp_reset_pair(const struct qp_opts *o);
/* Time for a requester that was told "not ready"; without timeouts of what was lost. */
void odp_wait_rnr(void);
uint64_t odp_violations(void);		/* since it was asked last */
/* A capability as the driver has set it. */
void odp_set_cap(struct side *side, const char *name, uint32_t value);
/* The same of the scheme, by SET_HCA_CAP as before INIT_HCA; its status. */
int odp_choose(struct side *side, bool memory);

/* An event queue for page faults; again after odp_destroy_eq(). */
void odp_create_eq(struct side *side, unsigned int log);
int odp_destroy_eq(struct side *side);
/* CREATE_MKEY of pages, with all rights, for all queue pairs; the rest is to be filled in. */
void odp_pages_key(struct prm_create_mkey_in *in, const struct side *side);
/* Of pages that are all of these bits; the @n-th of the side: they do not overlap. */
struct odp_key odp_create(struct side *side, unsigned int n, uint8_t bits);
/* Changes pages, by a UMR. False: it failed. */
bool odp_set(struct odp_key *key, unsigned int first, unsigned int n, uint8_t bits);
/* By the driver's queue pair of the side, for other requests; the completion's syndrome. */
unsigned int odp_umr(struct side *side, const struct umr_wr *wr);

#define ODP_ENTRIES	32u

/* A key of keys of a page each, as for all of an address space. */
struct odp_list {
	struct side *side;
	uint32_t key;
	uint8_t entries[ODP_ENTRIES * 16];
};

/* It begins at @va, and all of its entries are @null. */
void odp_list_create(struct odp_list *list, struct side *side, uint64_t va, uint32_t null);
/* Changes an entry, by a UMR of all of its four octwords; the completion's syndrome. */
unsigned int odp_list_put(struct odp_list *list, unsigned int entry, uint32_t key, uint64_t va);

struct odp_event {
	unsigned int subtype, type;
	uint64_t token;
	uint32_t wq;			/* of RDMA the token */
	uint32_t committed, len, index;
	uint32_t rkey, op_len;
	uint64_t va;
	/* Of memory, which has a token, rkey and va, too: */
	bool last;
	uint32_t pages, before, after;
};

unsigned int odp_result(struct tcq *cq);	/* 0: success, 0xff: no completion, or a syndrome */
/* The next page fault of the side. False: there is none, and *event is all zeros. */
bool odp_event(struct side *side, struct odp_event *event);
bool odp_no_event(struct side *side);
int odp_resume(struct side *side, const struct odp_event *event, bool error);

/* Tests that both schemes pass: rdma_odp_life.c. The exit status. */
int odp_life(bool memory);

#endif
