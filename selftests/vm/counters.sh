#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The counters of the RDMA device: each that exists is moved by an event of its own, and by no other.
# guests: 1
# timeout: 300
# windows: yes
. "$(dirname "$0")/../lib/ktap.sh"

probe=$(dirname "$0")/counters_probe.py
results=/tmp/counters.txt

# What nothing here can move: queues and links of other kinds, atomic operations; and what takes a
# second port or more frames than a guest can send, for which the emulator has tests of its own.
never="VL15_dropped excessive_buffer_overrun_errors link_error_recovery local_link_integrity_errors
	multicast_rcv_packets port_rcv_constraint_errors port_rcv_remote_physical_errors
	port_rcv_switch_relay_errors port_xmit_constraint_errors port_xmit_wait rx_atomic_requests
	rx_dct_connect symbol_error"

run_probe()
{
	python3 -B "$probe" "$dev" "$(gid_index "$dev" v2 "$(my_ip)")" "$netdev" >$results 2>&1 || { cat $results; return 1; }
}

# What the probe says of its case NUMBER; lines before it tell what was wrong
result_of()
{
	local line

	line=$(grep -E "^$1 (ok|fail)" $results) || { cat $results; fail "the probe did not get there"; }
	case $line in
	"$1 ok") ;;
	*)
		sed "/^$1 /Q" $results | tac | sed '/^[0-9]/Q' | tac
		fail "see above"
		;;
	esac
}

all_moved()
{
	local name still

	still=$(sed -n 's/^still //p' $results)
	echo "did not move: $still"
	[ -n "$still" ]
	for name in $still; do
		grep -qw "$name" <<<"$never" || fail "$name exists, and nothing moved it"
	done
}

names()
{
	local name later=(req_transport_retries_exceeded req_rnr_retries_exceeded)

	[ "$CXR_DRIVER-$CXR_KERNEL" != mlx5-6.1 ] || later=()	# the kernel's driver of 6.1 has them not yet
	for name in rx_write_requests rx_read_requests rx_atomic_requests out_of_buffer out_of_sequence duplicate_request \
		rnr_nak_retry_err packet_seq_err implied_nak_seq_err local_ack_timeout_err resp_local_length_error \
		resp_cqe_error req_cqe_error req_remote_invalid_request req_remote_access_errors resp_remote_access_errors \
		resp_cqe_flush_error req_cqe_flush_error rx_icrc_encapsulated lifespan "${later[@]}"; do
		[ -e "$port/hw_counters/$name" ] || fail "there is no hw_counters/$name"
	done
	[ "$(ls "$port/counters" | wc -l)" = 21 ]
	[ "$CXR_DRIVER" = cxr ] || return 0
	for name in rdma_rx_packets rdma_rx_bytes rdma_tx_packets rdma_tx_bytes; do
		[ -e "$port/hw_counters/$name" ] || fail "there is no hw_counters/$name"
	done
}

nothing_left()
{
	driver_unload
	device_is_clean
}

[ "$CXR_DRIVER" != rxe ] || { echo "1..0 # SKIP this is about adapters"; exit 0; }
driver_load || exit 1
driver_net_up || exit 1
dev=$(driver_ibdev)
netdev=$(driver_netdev)
port=/sys/class/infiniband/$dev/ports/1
wait_until 20 gid_index "$dev" v2 "$(my_ip)" >/dev/null || exit 1
mapfile -t cases < <(python3 -B "$probe" list)
[ ${#cases[@]} -gt 0 ] || exit 1

export KTAP_TIMEOUT=300
ktap_plan $((${#cases[@]} + 4))
ktap_run "the names that exporters read are there" names
ktap_run "each counter is asked to move" run_probe
for number in "${!cases[@]}"; do
	ktap_run "${cases[number]}" result_of "$number"
done
ktap_run "every counter that can move has moved" all_moved
ktap_run "nothing is left of all that" nothing_left
ktap_end
