// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/types.h>
#include "counter.h"

/* What comes together: one capability each. */
enum group { BASIC, OUT_OF_SEQ, RETRANS, ERRORS, ACCEL, CONG, ICRC, VPORT };

#define BIT_OF(layout, field) prm_bit((struct prm_##layout *)NULL, field)
#define Q(name, group) \
	[CXR_CNT_##name] = { #name, group, BIT_OF(query_q_counter_out, name) }
#define C(name) \
	[CXR_CNT_##name] = { #name, CONG, BIT_OF(query_cong_statistics_out, name##_high) }
#define P(name, group) \
	[CXR_CNT_##name] = { #name, group, 0 }

static const struct {
	const char *name;
	enum group group;
	u32 bit;		/* where it stands in the answer to the query of its kind */
} counters[CXR_COUNTERS] = {
	Q(rx_write_requests, BASIC),
	Q(rx_read_requests, BASIC),
	Q(rx_atomic_requests, BASIC),
	Q(rx_dct_connect, BASIC),
	Q(out_of_buffer, BASIC),
	Q(out_of_sequence, OUT_OF_SEQ),
	Q(duplicate_request, RETRANS),
	Q(rnr_nak_retry_err, RETRANS),
	Q(packet_seq_err, RETRANS),
	Q(implied_nak_seq_err, RETRANS),
	Q(local_ack_timeout_err, RETRANS),
	Q(resp_local_length_error, ERRORS),
	Q(resp_cqe_error, ERRORS),
	Q(req_cqe_error, ERRORS),
	Q(req_remote_invalid_request, ERRORS),
	Q(req_remote_access_errors, ERRORS),
	Q(resp_remote_access_errors, ERRORS),
	Q(resp_cqe_flush_error, ERRORS),
	Q(req_cqe_flush_error, ERRORS),
	Q(req_transport_retries_exceeded, ERRORS),
	Q(req_rnr_retries_exceeded, ERRORS),
	Q(roce_adp_retrans, ACCEL),
	Q(roce_adp_retrans_to, ACCEL),
	Q(roce_slow_restart, ACCEL),
	Q(roce_slow_restart_cnps, ACCEL),
	Q(roce_slow_restart_trans, ACCEL),
	C(rp_cnp_ignored),
	C(rp_cnp_handled),
	C(np_ecn_marked_roce_packets),
	C(np_cnp_sent),
	P(rx_icrc_encapsulated, ICRC),
	P(rdma_rx_packets, VPORT),
	P(rdma_rx_bytes, VPORT),
	P(rdma_tx_packets, VPORT),
	P(rdma_tx_bytes, VPORT),
};

const char *cxr_counter_name(enum cxr_counter counter)
{
	return counters[counter].name;
}

bool cxr_counter_present(enum cxr_counter counter, const struct cxr_caps *caps, bool icrc)
{
	if (counter < CXR_Q_COUNTERS && !caps->num_q_counters)
		return false;

	switch (counters[counter].group) {
	case BASIC:
		return true;
	case OUT_OF_SEQ:
		return caps->out_of_seq_cnt;
	case RETRANS:
		return caps->retransmission_q_counters;
	case ERRORS:
		return caps->enhanced_error_q_counters;
	case ACCEL:
		return caps->roce_accl;
	case CONG:
		return caps->cc_query_allowed;
	case ICRC:
		return icrc;
	case VPORT:
		return caps->vport_counters;
	}
	return false;
}

void cxr_q_counters_decode(const struct prm_query_q_counter_out *out, u64 *values)
{
	enum cxr_counter i;

	for (i = 0; i < CXR_Q_COUNTERS; i++)
		values[i] = prm_get_bits(out->dw, counters[i].bit, 32);
}

void cxr_cong_counters_decode(const struct prm_query_cong_statistics_out *out, u64 *values)
{
	enum cxr_counter i;

	for (i = CXR_CNT_rp_cnp_ignored; i <= CXR_CNT_np_cnp_sent; i++)
		values[i] = (u64)prm_get_bits(out->dw, counters[i].bit, 32) << 32 |
			    prm_get_bits(out->dw, counters[i].bit + 32, 32);
}
