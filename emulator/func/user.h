/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * User contexts and umems. A context is a number, the uid of commands that the driver passes on
 * from a process; its objects are hidden from all other contexts. A umem is memory of a process,
 * in which objects of its context can lie.
 */
#ifndef CXEMU_USER_H
#define CXEMU_USER_H

#include "func/func.h"
#include "prm/devx.h"
#include "prm/eqe.h"

extern const struct cmd_desc cmds_user[];

#define USER_CONTEXTS_LOG	10
#define UMEMS_LOG		20

/* Events that contexts may have, by number: of their queues, and of the port. */
#define USER_EVENTS_OF_QUEUES							\
	(1u << PRM_EVENT_COMM_EST | 1u << PRM_EVENT_CQ_ERROR |			\
	 1u << PRM_EVENT_WQ_CATAS_ERROR | 1u << PRM_EVENT_WQ_INVAL_REQ_ERROR |	\
	 1u << PRM_EVENT_WQ_ACCESS_ERROR | 1u << PRM_EVENT_SRQ_CATAS_ERROR |	\
	 1u << PRM_EVENT_SRQ_LAST_WQE | 1u << PRM_EVENT_SRQ_RQ_LIMIT |		\
	 1u << PRM_EVENT_DCT_DRAINED | 1u << PRM_EVENT_DCT_KEY_VIOLATION)
#define USER_EVENTS_OF_PORT	(1u << PRM_EVENT_PORT_CHANGE)

/* Does the function announce user contexts? */
bool user_contexts(const struct cxdev *dev);
/* 0, or refused: there is no such context, or it may not run this command. */
int user_check(struct cmd *c);

/* Of the low bits of a page's address in a list of translations. */
#define MTT_READ	1ull
#define MTT_WRITE	2ull
#define MTT_ACCESS	(MTT_READ | MTT_WRITE)

/* Does not change while it exists. */
struct umem {
	struct obj obj;
	uint8_t log_page;
	uint32_t n;		/* pages */
	uint64_t offset;	/* of its first byte within the first page */
	uint64_t *mtt;		/* addresses of pages with their access bits */
};

/* What a command names instead of a list of pages, or of the address of a doorbell record. */
struct umem_part {
	bool valid;
	uint32_t id;
	uint64_t offset;
};

/*
 * The umem with a reference, for obj_put(); NULL: the command is refused, for example because
 * @bytes bytes from the offset on do not lie within it, or the device does not have @access,
 * MTT_READ and MTT_WRITE, to all of them. @align: a power of two, of the first byte's address.
 */
struct umem *umem_hold(struct cmd *c, const struct umem_part *part, uint64_t bytes, uint64_t align,
		       uint64_t access);
/* The guest address of the byte at @offset, which must lie within it. */
uint64_t umem_addr(const struct umem *umem, uint64_t offset);

#endif
