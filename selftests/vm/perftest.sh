#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# perftest's programs: each operation over each kind of connection that has it, bandwidth and latency, from 2 bytes to 1 MiB, up to
# 64 queue pairs, with events, SRQs and inline data. With LONG=1 all of that, without it one of each kind.
# guests: 2
# timeout: 600
# long: 3600
. "$(dirname "$0")/../lib/ktap.sh"

PP_PORT=18515
SIZES=${CXR_LONG:+2 64 4096 65536 1048576}
SIZES=${SIZES:-65536}
DATAGRAM_SIZES=${CXR_LONG:+2 64 1024}
DATAGRAM_SIZES=${DATAGRAM_SIZES:-1024}
LATENCY_SIZES=${CXR_LONG:+2 64 4096 65536}
LATENCY_SIZES=${LATENCY_SIZES:-64}

find_ends()
{
	dev=$(driver_ibdev) gid=$(gid_index "$dev" v2 "$(my_ip)")
	peer_dev=$(peer driver_ibdev) peer_gid=$(peer "gid_index $peer_dev v2 $(peer_ip)")
}

# A program here, the same on the peer
pair() # TOOL ARGUMENTS...
{
	local tool=$1

	shift
	echo "$tool $*"
	peer_bg data "$tool -d $peer_dev -x $peer_gid -F $*"
	wait_until 60 peer "tcp_listens $PP_PORT" || { peer_wait data; return 1; }
	"$tool" -d "$dev" -x "$gid" -F "$@" "$(peer_ip)" >/tmp/perftest || { cat /tmp/perftest; fail "$tool failed"; }
	grep -A 1 '^ #bytes' /tmp/perftest
	peer_wait data
}

bandwidth() # TOOL CONNECTION ARGUMENTS...
{
	local size sizes=$SIZES tool=$1 kind=$2

	shift 2
	[ "$kind" != UD ] || sizes=$DATAGRAM_SIZES
	for size in $sizes; do pair "$tool" -c "$kind" -s "$size" -n $((size > 100000 ? 10 : 100)) "$@"; done
}

latency() # TOOL CONNECTION
{
	local size sizes=$LATENCY_SIZES

	[ "$2" != UD ] || sizes=$DATAGRAM_SIZES
	for size in $sizes; do pair "$1" -c "$2" -s "$size" -n 100; done
}

# Eight bytes each, whatever is asked for
atomics() # TOOL CONNECTION
{
	local what

	for what in FETCH_AND_ADD CMP_AND_SWAP; do pair "$1" -c "$2" -A $what -n 100; done
}

# Frames of no RDMA protocol, one way: the peer's rule takes what comes for its MAC
raw()
{
	local size mac peer_mac

	mac=$(cat "/sys/class/net/$(driver_netdev)/address")
	peer_mac=$(peer 'cat /sys/class/net/$(driver_netdev)/address')
	for size in ${CXR_LONG:+64 512} 1024; do
		# It counts what comes until the time is over, and no end tells the other one how much that is.
		peer_bg data "raw_ethernet_bw --server -d $peer_dev -F -E $mac -B $peer_mac -s $size -D 10"
		wait_until 60 peer 'rdma resource show qp | grep -q "comm raw_ethernet"'
		raw_ethernet_bw --client -d "$dev" -F -B "$mac" -E "$peer_mac" -s "$size" -D 3 >/tmp/perftest
		grep -A 1 '^ #bytes' /tmp/perftest
		peer_wait data >/tmp/received
		cat /tmp/received
		awk '$1 == '"$size"' && $2 > 0 { seen = 1 } END { exit !seen }' /tmp/received
	done
}

runs=(
	"ib_send_bw over RC|bandwidth ib_send_bw RC"
	"ib_send_bw over UC|bandwidth ib_send_bw UC"
	"ib_send_bw over UD|bandwidth ib_send_bw UD"
	"ib_send_bw over XRC|bandwidth ib_send_bw XRC"
	"ib_write_bw over UC|bandwidth ib_write_bw UC"
	"ib_write_bw over XRC|bandwidth ib_write_bw XRC"
	"ib_read_bw over XRC|bandwidth ib_read_bw XRC"
	"ib_atomic_bw over RC|atomics ib_atomic_bw RC"
	"ib_send_lat over UD|latency ib_send_lat UD"
	"ib_write_lat over RC|latency ib_write_lat RC"
	"ib_send_bw with events|bandwidth ib_send_bw RC -e"
	"ib_send_bw with an SRQ|bandwidth ib_send_bw RC --use-srq"
	"ib_write_bw in both directions at once|bandwidth ib_write_bw RC -b"
	"ib_write_bw over 64 queue pairs|pair ib_write_bw -s 4096 -n 20 -q 64"
	"ib_write_bw with inline data|pair ib_write_bw -s 64 -n 200 -I 64"
	"raw_ethernet_bw|raw"
)
[ -z "${CXR_LONG:-}" ] || runs+=(
	"ib_write_bw over RC|bandwidth ib_write_bw RC"
	"ib_read_bw over RC|bandwidth ib_read_bw RC"
	"ib_atomic_bw over XRC|atomics ib_atomic_bw XRC"
	"ib_atomic_lat over RC|atomics ib_atomic_lat RC"
	"ib_atomic_lat over XRC|atomics ib_atomic_lat XRC"
	"ib_send_lat over RC|latency ib_send_lat RC"
	"ib_send_lat over UC|latency ib_send_lat UC"
	"ib_send_lat over XRC|latency ib_send_lat XRC"
	"ib_write_lat over UC|latency ib_write_lat UC"
	"ib_write_lat over XRC|latency ib_write_lat XRC"
	"ib_read_lat over RC|latency ib_read_lat RC"
	"ib_read_lat over XRC|latency ib_read_lat XRC"
	"ib_read_bw with events|bandwidth ib_read_bw RC -e"
	"ib_atomic_bw with events|pair ib_atomic_bw -n 100 -e"
	"ib_send_bw over UD with events|bandwidth ib_send_bw UD -e"
	"ib_send_bw over UD with an SRQ|bandwidth ib_send_bw UD --use-srq"
	"ib_send_bw over 64 queue pairs|pair ib_send_bw -s 4096 -n 20 -q 64"
	"ib_send_bw over 64 queue pairs with an SRQ|pair ib_send_bw -s 4096 -n 100 -q 64 --use-srq -r 128"
	"ib_read_bw over 64 queue pairs|pair ib_read_bw -s 4096 -n 20 -q 64"
	"ib_atomic_bw over 64 queue pairs|pair ib_atomic_bw -n 20 -q 64"
	"ib_send_bw with inline data|pair ib_send_bw -s 64 -n 200 -I 64"
	"ib_send_bw in both directions at once|bandwidth ib_send_bw RC -b"
	"ib_read_bw in both directions at once|bandwidth ib_read_bw RC -b"
)

ktap_plan $((1 + ${#runs[@]}))
ktap_run "both guests are ready" driver_both_up 4200
find_ends
for run in "${runs[@]}"; do
	# shellcheck disable=SC2086
	KTAP_TIMEOUT=200 ktap_run "${run%%|*}" ${run#*|}
done
ktap_end
