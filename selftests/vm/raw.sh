#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Raw packet QPs: programs send and receive frames themselves, with flow rules that select the received frames, and RSS.
# Frames that no rule matches still reach the interface.
# guests: 2
# ledger: yes
# takes: 55
# drivers: cxr mlx5
# timeout: 600
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"
. "$(dirname "$0")/../lib/obey.sh"

RAW=$(dirname "$0")/../lib/raw.py
RAW_PORT=7003

ends() { ends_up 1500; }

# A worker here runs the tests, frames.py serves at the peer
ready()
{
	ends
	before_each
	PEER_TIMEOUT=4000 peer_serves raw "tcp_listens $RAW_PORT" \
		"python3 -B selftests/lib/frames.py serve $RAW_PORT \$(driver_netdev)"
	obey_start raw python3 -B "$RAW" obey b $RAW_PORT "$dev" "$netdev" "$(peer_ip)"
}

before_each() { ends_know; }

# The peer sends until enough was received; its addresses and ports match the rule
bandwidth()
{
	local limit=$((60 * ${CXR_PATIENCE:-1})) flow="-J 192.0.2.1 -j 192.0.2.2 -K 2000 -k 1000 -s 512"

	# in the foreground: peer_kill would not reach its own process group
	peer_bg bandwidth "timeout --foreground $limit raw_ethernet_bw --client -F -d $peer_dev -B $peer_mac -E $mac $flow -D 20 -f 1"
	# shellcheck disable=SC2086
	timeout $limit raw_ethernet_bw --server -F -d "$dev" -B "$mac" -E "$peer_mac" $flow -n 500 -r 256
	peer_kill bandwidth
}

# wq_changes() there is about MODIFY_RQ
one_refused() # ID COMMAND N
{
	[ -c "${CXR_EMU_PORT:-}" ] || skip "no emulator: not a guest of scripts/vm"
	trap 'emu fault clear' EXIT
	emu fault "$CXR_GUEST" command "$2" status bad_res "nth=$3"
	obey raw "$1"
}

table_refused() # ID COMMAND N
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver has other tables"
	one_refused "$@"
	emu fault list | grep "$2.*done 1"
}

# The vport, whose state only the emulator shows
loopback_off()
{
	[ -c "${CXR_EMU_PORT:-}" ] || skip "no emulator: not a guest of scripts/vm"
	obey raw own.process
	emu status | grep "local loopback"
	lacks "local loopback on" emu status
}

clean()
{
	obey raw states
	obey raw rss.udp
	obey_stop raw
	ends_stop
	driver_unload
	peer driver_unload
	device_is_clean
}

last()
{
	obey_stop raw
	ends_stop
}

ktap_setup ready
while IFS=$'\t' read -r id sentence; do
	case $id in
	wq.changes) ktap_test "$id" "$sentence" one_refused "$id" modify_rq 4 ;;
	shared.refused) ktap_test "$id" "$sentence" table_refused "$id" modify_flow_table 2 ;;
	root.refused) ktap_test "$id" "$sentence" table_refused "$id" set_flow_table_root 2 ;;
	*) ktap_test "$id" "$sentence" obey raw "$id" ;;
	esac
done < <(python3 -B "$RAW" list)
[ ${#KTAP_IDS[@]} -gt 0 ] || exit 1
ktap_setup ends
ktap_test bandwidth "raw_ethernet_bw receives what its peer sends" bandwidth
ktap_setup ready
ktap_test loopback.off "loopback of the vport is off again after its last user" loopback_off
ktap_test nothing.left "no object is left in the device" clean
ktap_finally last
ktap_end
