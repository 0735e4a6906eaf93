/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Sessions of compressed completions, for cq.c alone. */
#ifndef CXEMU_QUEUE_COMPRESS_H
#define CXEMU_QUEUE_COMPRESS_H

#include "base/base.h"
#include "prm/cqe.h"
#include "prm/obj.h"
#include "queue/queue.h"

struct cq;

struct session {
	struct cq *cq;
	enum prm_mini_cqe_format format;
	uint32_t queue;			/* whose completions they are */
	uint16_t next;			/* wqe_counter of the next one */
	unsigned int n;
	struct prm_cqe64 title;		/* the first completion */
	struct prm_mini_cqe mini[CQE_SESSION_MAX];
	struct timer over;		/* when it is written, if it is not before */
};

/* Can @cqe of this queue follow those in the session? It must not be full. */
bool session_takes(const struct session *s, uint32_t queue, const struct prm_cqe64 *cqe);
void session_add(struct session *s, uint32_t queue, const struct prm_cqe64 *cqe);
/* The full entry; of a session of one it is just that completion. */
void session_title(const struct session *s, struct prm_cqe64 *cqe);
/* Where array @array of short completions is: the entry, counted from the title. */
unsigned int session_slot(unsigned int array);

#endif
