// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Which counters a device has, and where their values are. */
#include <string.h>
#include "host.h"
#include "codec/counter.h"

static const struct {
	const char *sentence;
	struct cxr_caps caps;
	bool icrc;
	const char *have[3], *lack[3];
	unsigned int n;
} set_cases[] = {
	{ "a device without counter capabilities has no counters", {}, false, {},
	  { "rx_write_requests", "np_cnp_sent", "rdma_rx_bytes" }, 0 },
	{ "queue counters: the five basic ones", { .num_q_counters = 128 }, false,
	  { "rx_write_requests", "rx_dct_connect", "out_of_buffer" },
	  { "out_of_sequence", "duplicate_request", "resp_cqe_error" }, 5 },
	{ "without queue counters their further capabilities are ignored",
	  { .out_of_seq_cnt = true, .retransmission_q_counters = true,
	    .enhanced_error_q_counters = true, .roce_accl = true }, false, {},
	  { "out_of_sequence", "packet_seq_err", "roce_slow_restart" }, 0 },
	{ "out_of_seq_cnt adds one counter", { .num_q_counters = 1, .out_of_seq_cnt = true }, false,
	  { "out_of_sequence" }, { "packet_seq_err" }, 6 },
	{ "retransmission_q_counters adds five counters",
	  { .num_q_counters = 1, .retransmission_q_counters = true }, false,
	  { "duplicate_request", "rnr_nak_retry_err", "local_ack_timeout_err" },
	  { "out_of_sequence", "resp_cqe_error" }, 10 },
	{ "enhanced_error_q_counters adds ten counters",
	  { .num_q_counters = 1, .enhanced_error_q_counters = true }, false,
	  { "resp_local_length_error", "req_cqe_flush_error", "req_rnr_retries_exceeded" },
	  { "packet_seq_err", "roce_adp_retrans" }, 15 },
	{ "roce_accl adds five counters", { .num_q_counters = 1, .roce_accl = true }, false,
	  { "roce_adp_retrans", "roce_slow_restart_trans" }, { "resp_cqe_error" }, 10 },
	{ "congestion counters do not need queue counters", { .cc_query_allowed = true }, false,
	  { "rp_cnp_ignored", "np_ecn_marked_roce_packets", "np_cnp_sent" },
	  { "rx_write_requests" }, 4 },
	{ "the ICRC counter is announced by a register", {}, true, { "rx_icrc_encapsulated" },
	  { "rdma_rx_packets" }, 1 },
	{ "optional counters are announced by flow tables",
	  { .count_rx_ce = true, .count_tx_cnp = true }, false,
	  { "cc_rx_ce_pkts", "cc_tx_cnp_pkts" }, { "cc_rx_cnp_pkts" }, 2 },
	{ "vport counters: packets and bytes", { .vport_counters = true }, false,
	  { "rdma_rx_packets", "rdma_tx_bytes" }, { "rx_icrc_encapsulated" }, 4 },
};

static bool has(const char *name, const struct cxr_caps *caps, bool icrc)
{
	enum cxr_counter i;

	for (i = 0; i < CXR_COUNTERS; i++)
		if (!strcmp(cxr_counter_name(i), name))
			return cxr_counter_present(i, caps, icrc);
	expect_text("no such counter", name);
	return false;
}

static void test_sets(void)
{
	unsigned int i, k, n;

	for (i = 0; i < ARRAY_SIZE(set_cases); i++) {
		begin("counters", set_cases[i].sentence);
		for (k = 0, n = 0; k < CXR_COUNTERS; k++)
			n += cxr_counter_present(k, &set_cases[i].caps, set_cases[i].icrc);
		expect(n, set_cases[i].n);
		for (k = 0; k < 3; k++) {
			if (set_cases[i].have[k])
				expect(has(set_cases[i].have[k], &set_cases[i].caps,
					   set_cases[i].icrc), true);
			if (set_cases[i].lack[k])
				expect(has(set_cases[i].lack[k], &set_cases[i].caps,
					   set_cases[i].icrc), false);
		}
	}
}

/* Byte offsets in the command output, from the PRM. */
static const struct {
	enum cxr_counter counter;
	unsigned int at;
} q_places[CXR_Q_COUNTERS] = {
	{ CXR_CNT_rx_write_requests, 0x10 }, { CXR_CNT_rx_read_requests, 0x18 },
	{ CXR_CNT_rx_atomic_requests, 0x20 }, { CXR_CNT_rx_dct_connect, 0x28 },
	{ CXR_CNT_out_of_buffer, 0x30 }, { CXR_CNT_out_of_sequence, 0x38 },
	{ CXR_CNT_duplicate_request, 0x40 }, { CXR_CNT_rnr_nak_retry_err, 0x48 },
	{ CXR_CNT_packet_seq_err, 0x50 }, { CXR_CNT_implied_nak_seq_err, 0x58 },
	{ CXR_CNT_local_ack_timeout_err, 0x60 }, { CXR_CNT_req_rnr_retries_exceeded, 0x70 },
	{ CXR_CNT_resp_local_length_error, 0x78 }, { CXR_CNT_resp_cqe_error, 0x90 },
	{ CXR_CNT_req_cqe_error, 0x94 }, { CXR_CNT_req_remote_invalid_request, 0xa0 },
	{ CXR_CNT_req_remote_access_errors, 0xa8 }, { CXR_CNT_resp_remote_access_errors, 0xac },
	{ CXR_CNT_req_transport_retries_exceeded, 0xb4 },
	{ CXR_CNT_resp_cqe_flush_error, 0xbc }, { CXR_CNT_req_cqe_flush_error, 0xc0 },
	{ CXR_CNT_roce_adp_retrans, 0xc8 }, { CXR_CNT_roce_adp_retrans_to, 0xcc },
	{ CXR_CNT_roce_slow_restart, 0xd0 }, { CXR_CNT_roce_slow_restart_cnps, 0xd4 },
	{ CXR_CNT_roce_slow_restart_trans, 0xd8 },
}, cong_places[] = {
	{ CXR_CNT_rp_cnp_ignored, 0x18 }, { CXR_CNT_rp_cnp_handled, 0x20 },
	{ CXR_CNT_np_ecn_marked_roce_packets, 0x54 }, { CXR_CNT_np_cnp_sent, 0x5c },
};

static void test_values(void)
{
	struct prm_query_cong_statistics_out cong;
	struct prm_query_q_counter_out q;
	u64 values[CXR_COUNTERS];
	unsigned int i, k;

	begin("counters", "each queue counter is decoded from its own field only");
	for (i = 0; i < ARRAY_SIZE(q_places); i++) {
		memset(&q, 0, sizeof(q));
		memset(values, 0xff, sizeof(values));
		memcpy((u8 *)&q + q_places[i].at, "\x81\x02\x03\x04", 4);
		cxr_q_counters_decode(&q, values);
		for (k = 0; k < CXR_COUNTERS; k++)
			expect(values[k], k == q_places[i].counter ? 0x81020304 :
					  k < CXR_Q_COUNTERS	   ? 0 : ~0ull);
	}
	begin("counters", "congestion counters have 64 bits");
	for (i = 0; i < ARRAY_SIZE(cong_places); i++) {
		memset(&cong, 0, sizeof(cong));
		memset(values, 0xff, sizeof(values));
		memcpy((u8 *)&cong + cong_places[i].at, "\1\2\3\4\5\6\7\x88", 8);
		cxr_cong_counters_decode(&cong, values);
		expect(values[cong_places[i].counter], 0x0102030405060788);
		expect(values[CXR_CNT_rx_write_requests], ~0ull);
		expect(values[CXR_CNT_rx_icrc_encapsulated], ~0ull);
	}
}

static const struct {
	enum cxr_vport_counter counter;
	unsigned int at;	/* packets, then octets */
	const char *direction, *kind;
} vport_places[CXR_VPORT_COUNTERS] = {
	{ CXR_VPORT_rx_rdma_unicast, 0x30, "rx", "rdma_unicast" },
	{ CXR_VPORT_tx_rdma_unicast, 0x40, "tx", "rdma_unicast" },
	{ CXR_VPORT_rx_rdma_multicast, 0x50, "rx", "rdma_multicast" },
	{ CXR_VPORT_tx_rdma_multicast, 0x60, "tx", "rdma_multicast" },
	{ CXR_VPORT_rx_broadcast, 0x70, "rx", "broadcast" },
	{ CXR_VPORT_tx_broadcast, 0x80, "tx", "broadcast" },
	{ CXR_VPORT_rx_unicast, 0x90, "rx", "unicast" },
	{ CXR_VPORT_tx_unicast, 0xa0, "tx", "unicast" },
	{ CXR_VPORT_rx_multicast, 0xb0, "rx", "multicast" },
	{ CXR_VPORT_tx_multicast, 0xc0, "tx", "multicast" },
};

static void test_vport(void)
{
	struct cxr_traffic traffic[CXR_VPORT_COUNTERS];
	struct prm_query_vport_counter_out out;
	const char *direction;
	unsigned int i, k;

	begin("counters", "packets and bytes of a vport by kind and direction");
	for (i = 0; i < CXR_VPORT_COUNTERS; i++) {
		memset(&out, 0, sizeof(out));
		memcpy((u8 *)&out + vport_places[i].at,
		       "\1\2\3\4\5\6\7\x88\x11\2\3\4\5\6\7\x99", 16);
		cxr_vport_counters_decode(&out, traffic);
		for (k = 0; k < CXR_VPORT_COUNTERS; k++) {
			bool it = k == vport_places[i].counter;

			expect(traffic[k].packets, it ? 0x0102030405060788 : 0);
			expect(traffic[k].bytes, it ? 0x1102030405060799 : 0);
		}
		expect_text(cxr_vport_counter_name(vport_places[i].counter, &direction),
			    vport_places[i].kind);
		expect_text(direction, vport_places[i].direction);
	}
}

/* From the PRM: place and width in the output, capability as dword and bit from the left. */
static const struct {
	enum cxr_vnic_counter counter;
	unsigned int at, bytes, cap_dword, cap_bit;
} vnic_places[CXR_VNIC_COUNTERS] = {
	{ CXR_VNIC_total_error_queues, 0x14, 4, 0xd, 4 },
	{ CXR_VNIC_send_queue_priority_update_flow, 0x18, 4, 0xd, 4 },
	{ CXR_VNIC_nic_receive_steering_discard, 0x20, 8, 0x1a, 0 },
	{ CXR_VNIC_async_eq_overrun, 0x38, 4, 0x1a, 3 },
	{ CXR_VNIC_comp_eq_overrun, 0x3c, 4, 0x1a, 3 },
	{ CXR_VNIC_invalid_command, 0x44, 4, 0x1a, 5 },
	{ CXR_VNIC_quota_exceeded_command, 0x48, 4, 0x1a, 6 },
	{ CXR_VNIC_internal_rq_out_of_buffer, 0x4c, 4, 0xb, 12 },
	{ CXR_VNIC_cq_overrun, 0x50, 4, 9, 25 },
	{ CXR_VNIC_eth_wqe_too_small, 0x54, 4, 9, 18 },
	{ CXR_VNIC_generated_pkt_steering_fail, 0x70, 8, 0x19, 23 },
	{ CXR_VNIC_handled_pkt_steering_fail, 0x78, 8, 0x19, 23 },
};

static void test_vnic(void)
{
	static struct prm_cmd_hca_cap cap;
	struct prm_query_vnic_env_out out;
	u64 values[CXR_VNIC_COUNTERS];
	unsigned int i, k;

	begin("counters", "what goes wrong in a function is decoded from its own field only");
	for (i = 0; i < CXR_VNIC_COUNTERS; i++) {
		memset(&out, 0, sizeof(out));
		memset(values, 0xff, sizeof(values));
		memcpy((u8 *)&out + vnic_places[i].at, "\x81\2\3\4\5\6\7\x88",
		       vnic_places[i].bytes);
		cxr_vnic_counters_decode(&out, values);
		for (k = 0; k < CXR_VNIC_COUNTERS; k++)
			expect(values[k], k != vnic_places[i].counter ? 0 :
					  vnic_places[i].bytes == 4   ? 0x81020304 :
									0x8102030405060788);
	}
	begin("counters", "each of these has a capability");
	for (i = 0; i < CXR_VNIC_COUNTERS; i++) {
		u32 mask = 0;

		for (k = 0; k < CXR_VNIC_COUNTERS; k++)
			if (vnic_places[k].cap_dword == vnic_places[i].cap_dword &&
			    vnic_places[k].cap_bit == vnic_places[i].cap_bit)
				mask |= 1u << vnic_places[k].counter;
		memset(&cap, 0, sizeof(cap));
		cap.dw[vnic_places[i].cap_dword] = cpu_to_be32(1u << 31 >> vnic_places[i].cap_bit);
		expect(cxr_vnic_counters_present(&cap), mask);
	}
	memset(&cap, 0, sizeof(cap));
	expect(cxr_vnic_counters_present(&cap), 0);
}

void test_counter(void)
{
	test_vnic();
	test_vport();
	test_sets();
	test_values();
}
