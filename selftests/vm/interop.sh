#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The adapter and Soft-RoCE as peers: connected and datagram transport, requests from both ends,
# every byte checked; with lost frames; connections of rdma_cm.
# guests: 2
# takes: 115
# turn: yes
# peers: soft
# drivers: cxr mlx5
# timeout: 1200
# long: 3600
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"
. "$(dirname "$0")/../lib/soft.sh"

ready()
{
	ends_up
	before_each
	xfer_serve b
	echo "seed $SEED"
}

before_each()
{
	ends_know
	xfer_between eval b "$dev" "${gid[v2]}" "$peer_dev" "${peer_gid[v2]}"
}

cm_pingpong()
{
	peer_serves rping "cm_listens rping" "rping -s -a $(peer_ip) -C 5 -v -S 512"
	timeout 60 rping -c -a "$(peer_ip)" -C 5 -v -S 512
	peer_wait rping
}

# Sum of the adapter's counters of retransmission
retransmissions()
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

	echo "seed $SEED"
	before=$(retransmissions)
	lossy a "tx rx" "$@"
	echo "counted by the adapter: $(($(retransmissions) - before))"
	[ "$(retransmissions)" -gt "$before" ]
}

ktap_setup ready
ktap_test send.near "the adapter sends, Soft-RoCE receives" connected send near
ktap_test send.far "Soft-RoCE sends, the adapter receives" connected send far
ktap_test write.near "the adapter writes into the memory of Soft-RoCE" connected write near
ktap_test write.far "Soft-RoCE writes into the memory of the adapter" connected write far
ktap_test read.near "the adapter reads from Soft-RoCE" connected read near
ktap_test read.far "Soft-RoCE reads from the adapter" connected read far
ktap_test atomic.near "atomics from the adapter to Soft-RoCE" atomics near
ktap_test atomic.far "atomics from Soft-RoCE to the adapter" atomics far
ktap_test datagram.near "datagrams from the adapter to Soft-RoCE" datagrams near
ktap_test datagram.far "datagrams from Soft-RoCE to the adapter" datagrams far
ktap_test rping "rping over rdma_cm" cm_pingpong
KTAP_TIMEOUT=400 ktap_test loss.1 "1 % frame loss, all data intact" lossy_here 1 send write read
KTAP_TIMEOUT=${CXR_LONG:+2}400 ktap_test loss.5 "5 % frame loss, all data intact" lossy_here 5 send write read
ktap_finally ends_stop
ktap_end
