/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Counters of vports, sets of queues, and flows. Port counters are in port.h. */
#ifndef CXR_PRM_COUNTER_H
#define CXR_PRM_COUNTER_H

#include "prm.h"

struct prm_traffic_counter_bits {
	u8 packets[64];
	u8 octets[64];
};
PRM_LAYOUT(traffic_counter, 0x10);

struct prm_query_vport_counter_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 other_vport[1];
	u8 rsvd_41[11];
	u8 port_num[4];
	u8 vport_number[16];
	u8 rsvd_60[96];
	u8 clear[1];
	u8 rsvd_c1[63];
};
PRM_LAYOUT(query_vport_counter_in, 0x20);

struct prm_query_vport_counter_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
	struct prm_traffic_counter_bits received_errors;
	struct prm_traffic_counter_bits transmit_errors;
	struct prm_traffic_counter_bits received_ib_unicast;
	struct prm_traffic_counter_bits transmitted_ib_unicast;
	struct prm_traffic_counter_bits received_ib_multicast;
	struct prm_traffic_counter_bits transmitted_ib_multicast;
	struct prm_traffic_counter_bits received_eth_broadcast;
	struct prm_traffic_counter_bits transmitted_eth_broadcast;
	struct prm_traffic_counter_bits received_eth_unicast;
	struct prm_traffic_counter_bits transmitted_eth_unicast;
	struct prm_traffic_counter_bits received_eth_multicast;
	struct prm_traffic_counter_bits transmitted_eth_multicast;
	struct prm_traffic_counter_bits local_loopback;
	u8 rsvd_700[2432];
};
PRM_LAYOUT(query_vport_counter_out, 0x210);

struct prm_query_vnic_env_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 other_vport[1];
	u8 rsvd_41[15];
	u8 vport_number[16];
	u8 rsvd_60[32];
};
PRM_LAYOUT(query_vnic_env_in, 0x10);

struct prm_vnic_diagnostic_statistics_bits {
	u8 counter_error_queues[32];
	u8 total_error_queues[32];
	u8 send_queue_priority_update_flow[32];
	u8 rsvd_60[32];
	u8 nic_receive_steering_discard[64];
	u8 receive_discard_vport_down[64];
	u8 transmit_discard_vport_down[64];
	u8 async_eq_overrun[32];
	u8 comp_eq_overrun[32];
	u8 rsvd_180[32];
	u8 invalid_command[32];
	u8 quota_exceeded_command[32];
	u8 internal_rq_out_of_buffer[32];
	u8 cq_overrun[32];
	u8 eth_wqe_too_small[32];
	u8 rsvd_240[192];
	u8 generated_pkt_steering_fail[64];
	u8 handled_pkt_steering_fail[64];
	u8 rsvd_380[3200];
};
PRM_LAYOUT(vnic_diagnostic_statistics, 0x200);

struct prm_query_vnic_env_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
	struct prm_vnic_diagnostic_statistics_bits vport_env;
};
PRM_LAYOUT(query_vnic_env_out, 0x210);

struct prm_alloc_q_counter_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[64];
};
PRM_LAYOUT(alloc_q_counter_in, 0x10);

struct prm_alloc_q_counter_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[24];
	u8 counter_set_id[8];
	u8 rsvd_60[32];
};
PRM_LAYOUT(alloc_q_counter_out, 0x10);

struct prm_query_q_counter_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 other_vport[1];
	u8 rsvd_41[15];
	u8 vport_number[16];
	u8 rsvd_60[96];
	u8 clear[1];
	u8 aggregate[1];
	u8 rsvd_c2[54];
	u8 counter_set_id[8];
};
PRM_LAYOUT(query_q_counter_in, 0x20);

struct prm_query_q_counter_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
	u8 rx_write_requests[32];
	u8 rsvd_a0[32];
	u8 rx_read_requests[32];
	u8 rsvd_e0[32];
	u8 rx_atomic_requests[32];
	u8 rsvd_120[32];
	u8 rx_dct_connect[32];
	u8 rsvd_160[32];
	u8 out_of_buffer[32];
	u8 rsvd_1a0[32];
	u8 out_of_sequence[32];
	u8 rsvd_1e0[32];
	u8 duplicate_request[32];
	u8 rsvd_220[32];
	u8 rnr_nak_retry_err[32];
	u8 rsvd_260[32];
	u8 packet_seq_err[32];
	u8 rsvd_2a0[32];
	u8 implied_nak_seq_err[32];
	u8 rsvd_2e0[32];
	u8 local_ack_timeout_err[32];
	u8 rsvd_320[96];
	u8 req_rnr_retries_exceeded[32];
	u8 rsvd_3a0[32];
	u8 resp_local_length_error[32];
	u8 req_local_length_error[32];
	u8 resp_local_qp_error[32];
	u8 local_operation_error[32];
	u8 resp_local_protection[32];
	u8 req_local_protection[32];
	u8 resp_cqe_error[32];
	u8 req_cqe_error[32];
	u8 req_mw_binding[32];
	u8 req_bad_response[32];
	u8 req_remote_invalid_request[32];
	u8 resp_remote_invalid_request[32];
	u8 req_remote_access_errors[32];
	u8 resp_remote_access_errors[32];
	u8 req_remote_operation_errors[32];
	u8 req_transport_retries_exceeded[32];
	u8 cq_overflow[32];
	u8 resp_cqe_flush_error[32];
	u8 req_cqe_flush_error[32];
	u8 rsvd_620[32];
	u8 roce_adp_retrans[32];
	u8 roce_adp_retrans_to[32];
	u8 roce_slow_restart[32];
	u8 roce_slow_restart_cnps[32];
	u8 roce_slow_restart_trans[32];
	u8 rsvd_6e0[288];
};
PRM_LAYOUT(query_q_counter_out, 0x100);

struct prm_dealloc_q_counter_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[24];
	u8 counter_set_id[8];
	u8 rsvd_60[32];
};
PRM_LAYOUT(dealloc_q_counter_in, 0x10);

struct prm_dealloc_q_counter_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(dealloc_q_counter_out, 0x10);

struct prm_query_cong_statistics_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 clear[1];
	u8 rsvd_41[63];
};
PRM_LAYOUT(query_cong_statistics_in, 0x10);

struct prm_query_cong_statistics_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
	u8 rp_cur_flows[32];
	u8 sum_flows[32];
	u8 rp_cnp_ignored_high[32];
	u8 rp_cnp_ignored_low[32];
	u8 rp_cnp_handled_high[32];
	u8 rp_cnp_handled_low[32];
	u8 rsvd_140[256];
	u8 time_stamp_high[32];
	u8 time_stamp_low[32];
	u8 accumulators_period[32];
	u8 np_ecn_marked_roce_packets_high[32];
	u8 np_ecn_marked_roce_packets_low[32];
	u8 np_cnp_sent_high[32];
	u8 np_cnp_sent_low[32];
	u8 rsvd_320[1376];
};
PRM_LAYOUT(query_cong_statistics_out, 0x110);

struct prm_alloc_flow_counter_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[51];
	u8 flow_counter_bulk_log_size[5];
	u8 flow_counter_bulk[8];
};
PRM_LAYOUT(alloc_flow_counter_in, 0x10);

struct prm_alloc_flow_counter_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 flow_counter_id[32];
	u8 rsvd_60[32];
};
PRM_LAYOUT(alloc_flow_counter_out, 0x10);

struct prm_query_flow_counter_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[128];
	u8 clear[1];
	u8 rsvd_c1[15];
	u8 num_of_counters[16];
	u8 flow_counter_id[32];
};
PRM_LAYOUT(query_flow_counter_in, 0x20);

struct prm_query_flow_counter_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
	/* tail: flow_statistics */
};
PRM_LAYOUT(query_flow_counter_out, 0x10);

struct prm_dealloc_flow_counter_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 flow_counter_id[32];
	u8 rsvd_60[32];
};
PRM_LAYOUT(dealloc_flow_counter_in, 0x10);

struct prm_dealloc_flow_counter_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(dealloc_flow_counter_out, 0x10);

#endif
