/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Counters of queues, port and vport, by the names that users' exporters read. */
#ifndef CXR_CODEC_COUNTER_H
#define CXR_CODEC_COUNTER_H

#include <linux/types.h>
#include "prm/counter.h"
#include "caps.h"

/*
 * What comes together, one capability each, and the source that it is read from. BASIC is there if
 * there are sets of queue counters at all, ICRC if the port counts wrong ones, of which no
 * capability tells.
 */
enum cxr_counter_group {
	CXR_CNT_BASIC,		/* QUERY_Q_COUNTER */
	CXR_CNT_OUT_OF_SEQ,	/* QUERY_Q_COUNTER */
	CXR_CNT_RETRANS,	/* QUERY_Q_COUNTER */
	CXR_CNT_ERRORS,		/* QUERY_Q_COUNTER */
	CXR_CNT_ACCEL,		/* QUERY_Q_COUNTER */
	CXR_CNT_CONG,		/* QUERY_CONG_STATISTICS */
	CXR_CNT_ICRC,		/* PPCNT, group 5 */
	CXR_CNT_VPORT,		/* QUERY_VPORT_COUNTER */
};

/*
 * All there are: X(name, group). Those of queues and congestion have the name of their field in the
 * answer. Documentation/counters.rst says what each counts.
 */
#define CXR_Q_COUNTER_LIST(X)						\
	X(rx_write_requests, BASIC)					\
	X(rx_read_requests, BASIC)					\
	X(rx_atomic_requests, BASIC)					\
	X(rx_dct_connect, BASIC)					\
	X(out_of_buffer, BASIC)						\
	X(out_of_sequence, OUT_OF_SEQ)					\
	X(duplicate_request, RETRANS)					\
	X(rnr_nak_retry_err, RETRANS)					\
	X(packet_seq_err, RETRANS)					\
	X(implied_nak_seq_err, RETRANS)					\
	X(local_ack_timeout_err, RETRANS)				\
	X(resp_local_length_error, ERRORS)				\
	X(resp_cqe_error, ERRORS)					\
	X(req_cqe_error, ERRORS)					\
	X(req_remote_invalid_request, ERRORS)				\
	X(req_remote_access_errors, ERRORS)				\
	X(resp_remote_access_errors, ERRORS)				\
	X(resp_cqe_flush_error, ERRORS)					\
	X(req_cqe_flush_error, ERRORS)					\
	X(req_transport_retries_exceeded, ERRORS)			\
	X(req_rnr_retries_exceeded, ERRORS)				\
	X(roce_adp_retrans, ACCEL)					\
	X(roce_adp_retrans_to, ACCEL)					\
	X(roce_slow_restart, ACCEL)					\
	X(roce_slow_restart_cnps, ACCEL)				\
	X(roce_slow_restart_trans, ACCEL)

/* The port's congestion */
#define CXR_CONG_COUNTER_LIST(X)					\
	X(rp_cnp_ignored, CONG)						\
	X(rp_cnp_handled, CONG)						\
	X(np_ecn_marked_roce_packets, CONG)				\
	X(np_cnp_sent, CONG)

/* The port's own; the kernel's own driver has such as the last four for flows */
#define CXR_PORT_COUNTER_LIST(X)					\
	X(rx_icrc_encapsulated, ICRC)					\
	X(rdma_rx_packets, VPORT)					\
	X(rdma_rx_bytes, VPORT)						\
	X(rdma_tx_packets, VPORT)					\
	X(rdma_tx_bytes, VPORT)

#define CXR_COUNTER_NUMBER(name, group) CXR_CNT_##name,
enum cxr_counter {
	CXR_Q_COUNTER_LIST(CXR_COUNTER_NUMBER)
	CXR_Q_COUNTERS,
	CXR_CNT_LAST_OF_QUEUES = CXR_Q_COUNTERS - 1,	/* the numbers go on without a gap */
	CXR_CONG_COUNTER_LIST(CXR_COUNTER_NUMBER)
	CXR_Q_AND_CONG_COUNTERS,
	CXR_CNT_LAST_OF_CONG = CXR_Q_AND_CONG_COUNTERS - 1,
	CXR_PORT_COUNTER_LIST(CXR_COUNTER_NUMBER)
	CXR_COUNTERS
};

const char *cxr_counter_name(enum cxr_counter counter);
/* @icrc: the port counts wrong ICRCs, of which no capability of the device tells. */
bool cxr_counter_present(enum cxr_counter counter, const struct cxr_caps *caps, bool icrc);

/* Each fills its part of @values[CXR_COUNTERS]. */
void cxr_q_counters_decode(const struct prm_query_q_counter_out *out, u64 *values);
void cxr_cong_counters_decode(const struct prm_query_cong_statistics_out *out, u64 *values);

#endif
