// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Q counters: counter sets that QPs and RQs are attached to. */
#include <string.h>

#include "prm/counter.h"
#include "queue/queue.h"

static int run_alloc_q_counter(struct cmd *c)
{
	struct prm_alloc_q_counter_out *out = c->out;
	struct q_counter *counter = obj_create(c, OBJ_Q_COUNTER, sizeof(*counter));

	if (!counter)
		return -1;
	prm_set(out, counter_set_id, counter->obj.num);
	return 0;
}

static int run_dealloc_q_counter(struct cmd *c)
{
	const struct prm_dealloc_q_counter_in *in = c->in;
	struct q_counter *counter =
		obj_own(c, OBJ_Q_COUNTER, prm_get(in, counter_set_id), "counter_set_id");

	return counter ? obj_destroy(c, counter) : -1;
}

static void q_counter_show(struct prm_query_q_counter_out *out, const struct q_counter *q)
{
#define SHOW(field) prm_set(out, field, q->field)
	SHOW(rx_write_requests);
	SHOW(rx_read_requests);
	SHOW(rx_atomic_requests);
	SHOW(out_of_buffer);
	SHOW(out_of_sequence);
	SHOW(duplicate_request);
	SHOW(rnr_nak_retry_err);
	SHOW(packet_seq_err);
	SHOW(implied_nak_seq_err);
	SHOW(local_ack_timeout_err);
	SHOW(req_rnr_retries_exceeded);
	SHOW(resp_local_length_error);
	SHOW(req_local_length_error);
	SHOW(local_operation_error);
	SHOW(resp_local_protection);
	SHOW(req_local_protection);
	SHOW(resp_cqe_error);
	SHOW(req_cqe_error);
	SHOW(req_bad_response);
	SHOW(req_remote_invalid_request);
	SHOW(resp_remote_invalid_request);
	SHOW(req_remote_access_errors);
	SHOW(resp_remote_access_errors);
	SHOW(req_remote_operation_errors);
	SHOW(req_transport_retries_exceeded);
	SHOW(cq_overflow);
	SHOW(resp_cqe_flush_error);
	SHOW(req_cqe_flush_error);
	SHOW(rx_dct_connect);
#undef SHOW
}

static int run_query_q_counter(struct cmd *c)
{
	const struct prm_query_q_counter_in *in = c->in;
	struct q_counter *counter;

	if (prm_get(in, other_vport) || prm_get(in, vport_number) || prm_get(in, aggregate))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "other vports and sums of counter sets are not supported");
	counter = (prm_get(in, clear) ? obj_own : obj_lookup)(c, OBJ_Q_COUNTER,
							      prm_get(in, counter_set_id),
							      "counter_set_id");
	if (!counter)
		return -1;
	q_counter_show(c->out, counter);
	if (prm_get(in, clear))
		memset((char *)counter + sizeof(counter->obj), 0,
		       sizeof(*counter) - sizeof(counter->obj));
	return 0;
}

const struct cmd_desc cmds_q_counter[] = {
	CMD(alloc_q_counter),
	CMD(dealloc_q_counter),
	CMD(query_q_counter),
	{}
};
