#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The counters of the RDMA device: each one is changed by its own event, and by no other.
# guests: 1
# ledger: yes
# takes: 55
# drivers: cxr mlx5
# timeout: 600
# windows: yes
. "$(dirname "$0")/../lib/ktap.sh"
. "$KTAP_DIR/rows.sh"

probe=$(dirname "$0")/counters_probe.py

ready()
{
	driver_up
	rm -f /run/counters.moved
	rows_agree "$probe"
}

case_of() # ID
{
	local dev

	dev=$(driver_ibdev)
	run_python "$probe" run "$1" "$dev" "$(gid_index "$dev" v2 "$(my_ip)")" "$(driver_netdev)" || exit
}

names()
{
	local name port later=(req_transport_retries_exceeded req_rnr_retries_exceeded) own=()

	port=/sys/class/infiniband/$(driver_ibdev)/ports/1
	[ "$CXR_DRIVER-$CXR_KERNEL" != mlx5-6.1 ] || later=()	# not yet in the in-tree driver of 6.1
	[ "$CXR_DRIVER" != cxr ] || own=(rdma_rx_packets rdma_rx_bytes rdma_tx_packets rdma_tx_bytes)
	for name in rx_write_requests rx_read_requests rx_atomic_requests out_of_buffer out_of_sequence duplicate_request \
		rnr_nak_retry_err packet_seq_err implied_nak_seq_err local_ack_timeout_err resp_local_length_error \
		resp_cqe_error req_cqe_error req_remote_invalid_request req_remote_access_errors resp_remote_access_errors \
		resp_cqe_flush_error req_cqe_flush_error rx_icrc_encapsulated np_cnp_sent np_ecn_marked_roce_packets \
		rp_cnp_handled rp_cnp_ignored lifespan "${later[@]}" "${own[@]}"; do
		[ -e "$port/hw_counters/$name" ] || fail "there is no hw_counters/$name"
	done
	[ "$(ls "$port/counters" | wc -l)" = 21 ]
}

nothing_left()
{
	driver_unload
	device_is_clean
}

ktap_setup ready
ktap_test names "the counters that exporters read exist" names
KTAP_TIMEOUT=300 ktap_rows case_of < <(rows_list "$probe")
ktap_test nothing-left "no object is left in the device" nothing_left
ktap_end
