#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Control for interop.sh: the same transfers between two guests with Soft-RoCE on the emulator's wire, without the adapter. If this
# fails, too, the adapter is not to blame. It is one test, since no part of it tests the adapter.
# guests: 3
# takes: 145
# when: long
# peers: soft
# drivers: cxr
# timeout: 1200
# long: 3600
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/soft.sh"

on_c() { peer_on c "$@"; }

ends()
{
	local dev far_dev

	peer driver_up
	on_c driver_up
	wait_until 20 peer "ping -q -c 1 -W 1 $(guest_ip c)" >/dev/null
	dev=$(peer driver_ibdev)
	far_dev=$(on_c driver_ibdev)
	xfer_between peer "$(guest_ip c)" "$dev" "$(peer "gid_index $dev v2 $(guest_ip b)")" \
		"$far_dev" "$(on_c "gid_index $far_dev v2 $(guest_ip c)")"
	xfer_serve c
}

# The last case printed is the one that failed. In a subshell, whose end clears the faults
case_of() # NAME FUNCTION ARGUMENTS...
{
	echo "$1:"
	("${@:2}")
}

control()
{
	local op

	ends
	echo "seed $SEED"
	for op in send write read; do
		case_of "$op from the one end" connected $op near
		case_of "$op from the other end" connected $op far
	done
	for op in atomics datagrams; do
		case_of "$op from the one end" $op near
		case_of "$op from the other end" $op far
	done
	case_of "1 % of the frames lost" lossy any tx 1 send write read
	case_of "5 % of the frames lost" lossy any tx 5 send write read
}

KTAP_TIMEOUT=${CXR_LONG:+3}600 ktap_test control "control: Soft-RoCE alone passes what interop.sh asks of it" control
ktap_finally xfer_end c
ktap_end
