/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Counters of queues, port and vport, by the names that users' exporters read. */
#ifndef CXR_CODEC_COUNTER_H
#define CXR_CODEC_COUNTER_H

#include <linux/types.h>
#include "prm/counter.h"
#include "caps.h"

enum cxr_counter {
	/* of a set of queue counters */
	CXR_CNT_rx_write_requests,
	CXR_CNT_rx_read_requests,
	CXR_CNT_rx_atomic_requests,
	CXR_CNT_rx_dct_connect,
	CXR_CNT_out_of_buffer,
	CXR_CNT_out_of_sequence,
	CXR_CNT_duplicate_request,
	CXR_CNT_rnr_nak_retry_err,
	CXR_CNT_packet_seq_err,
	CXR_CNT_implied_nak_seq_err,
	CXR_CNT_local_ack_timeout_err,
	CXR_CNT_resp_local_length_error,
	CXR_CNT_resp_cqe_error,
	CXR_CNT_req_cqe_error,
	CXR_CNT_req_remote_invalid_request,
	CXR_CNT_req_remote_access_errors,
	CXR_CNT_resp_remote_access_errors,
	CXR_CNT_resp_cqe_flush_error,
	CXR_CNT_req_cqe_flush_error,
	CXR_CNT_req_transport_retries_exceeded,
	CXR_CNT_req_rnr_retries_exceeded,
	CXR_CNT_roce_adp_retrans,
	CXR_CNT_roce_adp_retrans_to,
	CXR_CNT_roce_slow_restart,
	CXR_CNT_roce_slow_restart_cnps,
	CXR_CNT_roce_slow_restart_trans,
	CXR_Q_COUNTERS,

	/* of the port: congestion, */
	CXR_CNT_rp_cnp_ignored = CXR_Q_COUNTERS,
	CXR_CNT_rp_cnp_handled,
	CXR_CNT_np_ecn_marked_roce_packets,
	CXR_CNT_np_cnp_sent,
	/* its own, */
	CXR_CNT_rx_icrc_encapsulated,
	/* and of the vport; the kernel's own driver has these names for counters per flow */
	CXR_CNT_rdma_rx_packets,
	CXR_CNT_rdma_rx_bytes,
	CXR_CNT_rdma_tx_packets,
	CXR_CNT_rdma_tx_bytes,
	CXR_COUNTERS
};

const char *cxr_counter_name(enum cxr_counter counter);
/* @icrc: the port counts wrong ICRCs, of which no capability of the device tells. */
bool cxr_counter_present(enum cxr_counter counter, const struct cxr_caps *caps, bool icrc);

/* Each fills its part of @values[CXR_COUNTERS]. */
void cxr_q_counters_decode(const struct prm_query_q_counter_out *out, u64 *values);
void cxr_cong_counters_decode(const struct prm_query_cong_statistics_out *out, u64 *values);

#endif
