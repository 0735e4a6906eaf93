#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The adapter and Soft-RoCE as peers: connected and datagram transport, both ends asking, every
# byte checked; with frames lost on the way; connections made by rdma_cm.
# guests: 2
# peers: soft
# drivers: cxr mlx5
# timeout: 1200
# long: 3600
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/soft.sh"

has_atomics() # END
{
	local text

	if [ "$1" = near ]; then text=$(ibv_devinfo -v -d "$dev"); else text=$(peer "ibv_devinfo -v -d $peer_dev"); fi
	grep -q 'atomic_cap:.*ATOMIC_\(HCA\|GLOB\)' <<<"$text"
}

atomics() # FROM
{
	has_atomics near && has_atomics far || skip "$dev or $peer_dev has no atomic operations"
	xfer atomic "$1" sizes=8 count=16
}

cm_pingpong()
{
	peer_bg rping "rping -s -a $(peer_ip) -C 5 -v -S 512"
	wait_until 20 peer "cm_listens rping"
	timeout 60 rping -c -a "$(peer_ip)" -C 5 -v -S 512
	peer_wait rping
}

# What each end of a connection counts when it sends again
sent_again()
{
	local c sum=0

	for c in packet_seq_err implied_nak_seq_err local_ack_timeout_err out_of_sequence duplicate_request; do
		sum=$((sum + $(<"/sys/class/infiniband/$dev/ports/1/hw_counters/$c")))
	done
	echo $sum
}

lossy_here() # PERCENT OP...
{
	local before

	before=$(sent_again)
	lossy a "tx rx" "$@"
	echo "counted by the adapter: $(($(sent_again) - before))"
	[ "$(sent_again)" -gt "$before" ]
}

ktap_plan 14
ktap_run "adapter and Soft-RoCE are ready" driver_both_up
dev=$(driver_ibdev)
peer_dev=$(peer driver_ibdev)
gid=$(gid_index "$dev" v2 "$(my_ip)")
peer_gid=$(peer "gid_index $peer_dev v2 $(peer_ip)")
xfer_between eval b "$dev" "$gid" "$peer_dev" "$peer_gid"
xfer_serve peer

ktap_run "the adapter sends, Soft-RoCE receives" connected send near
ktap_run "Soft-RoCE sends, the adapter receives" connected send far
ktap_run "the adapter writes into the memory of Soft-RoCE" connected write near
ktap_run "Soft-RoCE writes into the memory of the adapter" connected write far
ktap_run "the adapter reads from Soft-RoCE" connected read near
ktap_run "Soft-RoCE reads from the adapter" connected read far
ktap_run "the adapter's atomic operations at Soft-RoCE" atomics near
ktap_run "Soft-RoCE's atomic operations at the adapter" atomics far
ktap_run "datagrams from the adapter" datagrams near
ktap_run "datagrams from Soft-RoCE" datagrams far
ktap_run "rping over a connection of rdma_cm" cm_pingpong
KTAP_TIMEOUT=400 ktap_run "1 % of the frames lost, all data right (seed $SEED)" lossy_here 1 send write read
KTAP_TIMEOUT=${CXR_LONG:+2}400 ktap_run "5 % of the frames lost, all data right (seed $SEED)" lossy_here 5 send write read

xfer_stop
ktap_end
