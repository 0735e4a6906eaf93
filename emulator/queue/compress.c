// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Compressed completions, in the basic layout: N completions that differ in length, and in hash or
 * checksum only, become one full entry, whose length is N, and arrays of eight short ones: the
 * first in the next entry, the others in every eighth entry of the session. Entries between them
 * are not written. Counters of WQEs or strides follow from the one before, unless each short entry
 * has its stride.
 */
#include <string.h>

#include "queue/compress.h"

/* All but what a short completion has, and the time, which is that of the first one. */
static struct prm_cqe64 common(const struct prm_cqe64 *cqe)
{
	struct prm_cqe64 all = *cqe;

	all.rss_hash_result = 0;
	all.check_sum = 0;
	all.byte_cnt = 0;
	all.timestamp_h = 0;
	all.timestamp_l = 0;
	all.wqe_counter = 0;
	all.op_own = 0;
	all.signature = 0;
	return all;
}

bool session_takes(const struct session *s, uint32_t queue, const struct prm_cqe64 *cqe)
{
	struct prm_cqe64 first = common(&s->title), next = common(cqe);
	bool follows = s->format == PRM_MINI_CQE_CSUM_STRIDE ||
		       be16_to_cpu(cqe->wqe_counter) == s->next;

	return !s->n || (queue == s->queue && follows && !memcmp(&first, &next, sizeof(first)));
}

/* Of WQEs or, of a striding RQ, of strides. */
static uint16_t next_counter(const struct prm_cqe64 *cqe)
{
	uint32_t strides = be32_to_cpu(cqe->byte_cnt) >> PRM_CQE_STRIDES_SHIFT &
			   PRM_CQE_STRIDES_MASK;

	return be16_to_cpu(cqe->wqe_counter) + (strides ? strides : 1);
}

void session_add(struct session *s, uint32_t queue, const struct prm_cqe64 *cqe)
{
	struct prm_mini_cqe *mini = &s->mini[s->n];

	if (!s->n)
		s->title = *cqe;
	s->queue = queue;
	s->next = next_counter(cqe);
	*mini = (struct prm_mini_cqe){ .byte_cnt = cqe->byte_cnt };
	if (s->format == PRM_MINI_CQE_HASH)
		mini->rss_hash_result = cqe->rss_hash_result;
	else
		mini->check_sum = cqe->check_sum;
	if (s->format == PRM_MINI_CQE_CSUM_STRIDE)
		mini->stride_index = cqe->wqe_counter;
	s->n++;
}

void session_title(const struct session *s, struct prm_cqe64 *cqe)
{
	*cqe = s->title;
	if (s->n == 1)
		return;
	cqe->byte_cnt = cpu_to_be32(s->n);
	cqe->op_own |= PRM_CQE_COMPRESSED << PRM_CQE_FORMAT_SHIFT;
}

unsigned int session_slot(unsigned int array)
{
	return array ? array * PRM_MINI_CQES : 1;
}
