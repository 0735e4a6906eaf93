/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Counters of queues, port and vport; monitoring tools depend on the names. */
#ifndef CXR_CODEC_COUNTER_H
#define CXR_CODEC_COUNTER_H

#include <linux/types.h>
#include "prm/counter.h"
#include "caps.h"

/*
 * Groups with a capability and a source each. BASIC depends on num_q_counters; ICRC has no
 * capability: the PCAM register has it.
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
	CXR_CNT_RX_CE,		/* QUERY_FLOW_COUNTER, optional */
	CXR_CNT_RX_CNP,		/* QUERY_FLOW_COUNTER, optional */
	CXR_CNT_TX_CNP,		/* QUERY_FLOW_COUNTER, optional */
};

/*
 * All counters: X(name, group). Names of queue and congestion counters are those of the fields in
 * the output. Documentation/counters.rst describes each.
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

/* Port counters; mlx5_ib has the names of the last four for flows */
#define CXR_PORT_COUNTER_LIST(X)					\
	X(rx_icrc_encapsulated, ICRC)					\
	X(rdma_rx_packets, VPORT)					\
	X(rdma_rx_bytes, VPORT)						\
	X(rdma_tx_packets, VPORT)					\
	X(rdma_tx_bytes, VPORT)

/* Those that count only after a user has enabled them, by flow tables of RoCE packets */
#define CXR_OPTIONAL_COUNTER_LIST(X)					\
	X(cc_rx_ce_pkts, RX_CE)						\
	X(cc_rx_cnp_pkts, RX_CNP)					\
	X(cc_tx_cnp_pkts, TX_CNP)

#define CXR_COUNTER_NUMBER(name, group) CXR_CNT_##name,
enum cxr_counter {
	CXR_Q_COUNTER_LIST(CXR_COUNTER_NUMBER)
	CXR_Q_COUNTERS,
	CXR_CNT_LAST_OF_QUEUES = CXR_Q_COUNTERS - 1,	/* so that numbering has no gap */
	CXR_CONG_COUNTER_LIST(CXR_COUNTER_NUMBER)
	CXR_Q_AND_CONG_COUNTERS,
	CXR_CNT_LAST_OF_CONG = CXR_Q_AND_CONG_COUNTERS - 1,
	CXR_PORT_COUNTER_LIST(CXR_COUNTER_NUMBER)
	CXR_ALWAYS_COUNTERS,
	CXR_CNT_LAST_OF_PORT = CXR_ALWAYS_COUNTERS - 1,
	CXR_OPTIONAL_COUNTER_LIST(CXR_COUNTER_NUMBER)
	CXR_COUNTERS
};

#define CXR_OPTIONAL_COUNTERS (CXR_COUNTERS - CXR_ALWAYS_COUNTERS)

/*
 * Traffic of a function, of packets and bytes each: X(direction, kind, field of
 * QUERY_VPORT_COUNTER). ethtool -S shows them as <direction>_vport_<kind>_packets and _bytes.
 */
#define CXR_VPORT_LIST(X)						\
	X(rx, unicast, received_eth_unicast)				\
	X(tx, unicast, transmitted_eth_unicast)				\
	X(rx, multicast, received_eth_multicast)			\
	X(tx, multicast, transmitted_eth_multicast)			\
	X(rx, broadcast, received_eth_broadcast)			\
	X(tx, broadcast, transmitted_eth_broadcast)			\
	X(rx, rdma_unicast, received_ib_unicast)			\
	X(tx, rdma_unicast, transmitted_ib_unicast)			\
	X(rx, rdma_multicast, received_ib_multicast)			\
	X(tx, rdma_multicast, transmitted_ib_multicast)

#define CXR_VPORT_NUMBER(dir, kind, field) CXR_VPORT_##dir##_##kind,
enum cxr_vport_counter {
	CXR_VPORT_LIST(CXR_VPORT_NUMBER)
	CXR_VPORT_COUNTERS
};

struct cxr_traffic {
	u64 packets, bytes;
};

/* "rx" or "tx", and the kind. */
const char *cxr_vport_counter_name(enum cxr_vport_counter counter, const char **direction);
void cxr_vport_counters_decode(const struct prm_query_vport_counter_out *out,
			       struct cxr_traffic traffic[CXR_VPORT_COUNTERS]);

/*
 * What goes wrong on the device's side of a function: X(field of QUERY_VNIC_ENV, its capability,
 * name in ethtool -S, or NULL). Those of the vnic reporter of devlink come first, in the in-tree
 * driver's order.
 */
#define CXR_VNIC_REPORTED_LIST(X)						\
	X(total_error_queues, vnic_env_queue_counters, NULL)			\
	X(send_queue_priority_update_flow, vnic_env_queue_counters, NULL)	\
	X(comp_eq_overrun, eq_overrun_count, NULL)				\
	X(async_eq_overrun, eq_overrun_count, NULL)				\
	X(cq_overrun, vnic_env_cq_overrun, NULL)				\
	X(invalid_command, invalid_command_count, NULL)				\
	X(quota_exceeded_command, quota_exceeded_count, NULL)			\
	X(nic_receive_steering_discard, nic_receive_steering_discard,		\
	  "rx_steer_missed_packets")						\
	X(generated_pkt_steering_fail, vnic_env_cnt_steering_fail, NULL)	\
	X(handled_pkt_steering_fail, vnic_env_cnt_steering_fail, NULL)

#define CXR_VNIC_OTHER_LIST(X)							\
	X(internal_rq_out_of_buffer, vnic_env_int_rq_oob, "dev_internal_queue_oob") \
	X(eth_wqe_too_small, eth_wqe_too_small, "rx_oversize_pkts_buffer")

#define CXR_VNIC_NUMBER(name, cap, shown) CXR_VNIC_##name,
enum cxr_vnic_counter {
	CXR_VNIC_REPORTED_LIST(CXR_VNIC_NUMBER)
	CXR_VNIC_REPORTED,
	CXR_VNIC_LAST_OF_REPORTER = CXR_VNIC_REPORTED - 1,	/* so that numbering has no gap */
	CXR_VNIC_OTHER_LIST(CXR_VNIC_NUMBER)
	CXR_VNIC_COUNTERS
};

/* Those that the device has, a bit for each: caps.vnic_counters. */
u32 cxr_vnic_counters_present(const struct prm_cmd_hca_cap *cap);
/* As the field. */
const char *cxr_vnic_counter_name(enum cxr_vnic_counter counter);
/* NULL: ethtool -S does not show it. */
const char *cxr_vnic_counter_shown(enum cxr_vnic_counter counter);
void cxr_vnic_counters_decode(const struct prm_query_vnic_env_out *out,
			      u64 values[CXR_VNIC_COUNTERS]);

const char *cxr_counter_name(enum cxr_counter counter);
/* @icrc: the port counts ICRC errors. */
bool cxr_counter_present(enum cxr_counter counter, const struct cxr_caps *caps, bool icrc);

/* Each fills its part of @values[CXR_COUNTERS]. */
void cxr_q_counters_decode(const struct prm_query_q_counter_out *out, u64 *values);
void cxr_cong_counters_decode(const struct prm_query_cong_statistics_out *out, u64 *values);

#endif
