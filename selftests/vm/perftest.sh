#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The programs of perftest: bandwidth and latency of each operation over each transport that supports it, from 2 bytes to 1 MiB, up to
# 64 QPs, with events, SRQs and inline data. All combinations with LONG=1, else a selection.
# guests: 2
# takes: 80
# turn: yes
# timeout: 600
# long: 3600
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/programs.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

SIZES=${CXR_LONG:+2 64 4096 65536 1048576}
SIZES=${SIZES:-65536}
DATAGRAM_SIZES=${CXR_LONG:+2 64 1024}
DATAGRAM_SIZES=${DATAGRAM_SIZES:-1024}
LATENCY_SIZES=${CXR_LONG:+2 64 4096 65536}
LATENCY_SIZES=${LATENCY_SIZES:-64}

before_each() { ends_know; }

# Run TOOL here against the peer, once with each set of ARGUMENTS; all servers are started first
pairs() # TOOL "ARGUMENTS"...
{
	local tool=$1 words n=0

	shift
	ends_serve "$tool -d $peer_dev -x ${peer_gid[v2]} -F" "$@"
	for words; do
		# shellcheck disable=SC2086
		program "$tool" -d "$dev" -x "${gid[v2]}" -F -p $((PP_PORT + n)) $words "$(peer_ip)" >/tmp/perftest || {
			cat /tmp/perftest
			fail "$tool failed"
		}
		grep -A 1 '^ #bytes' /tmp/perftest
		n=$((n + 1))
	done
	peer_wait servers
}

pair() { pairs "$1" "${*:2}"; } # TOOL ARGUMENTS...

bandwidth() # TOOL TRANSPORT ARGUMENTS...
{
	local size sizes=$SIZES tool=$1 kind=$2 sets=()

	shift 2
	[ "$kind" != UD ] || sizes=$DATAGRAM_SIZES
	for size in $sizes; do sets+=("-c $kind -s $size -n $((size > 100000 ? 10 : 100)) $*"); done
	pairs "$tool" "${sets[@]}"
}

latency() # TOOL TRANSPORT ARGUMENTS...
{
	local size sizes=$LATENCY_SIZES sets=()

	[ "$2" != UD ] || sizes=$DATAGRAM_SIZES
	for size in $sizes; do sets+=("-c $2 -s $size -n 100 ${*:3}"); done
	pairs "$1" "${sets[@]}"
}

# Atomics always have eight bytes
atomics() { pairs "$1" "-c $2 -A FETCH_AND_ADD -n 100" "-c $2 -A CMP_AND_SWAP -n 100"; } # TOOL TRANSPORT

# Raw Ethernet frames, one way: the peer's rule takes the frames to its MAC, until it has enough
raw()
{
	local size

	for size in ${CXR_LONG:+64 512} 1024; do
		peer_serves data 'rdma resource show qp | grep -q "comm raw_ethernet"' \
			"raw_ethernet_bw --server -d $peer_dev -F -E $mac -B $peer_mac -s $size -n 100 -r 256"
		program raw_ethernet_bw --client -d "$dev" -F -B "$mac" -E "$peer_mac" -s "$size" -D 3 -f 1 >/tmp/perftest
		grep -A 1 '^ #bytes' /tmp/perftest
		peer_wait data >/tmp/received
		cat /tmp/received
		awk '$1 == '"$size"' && $2 > 0 { seen = 1 } END { exit !seen }' /tmp/received
	done
}

ready() { ends_up 4200; }

ktap_setup ready
export KTAP_TIMEOUT=200 PROGRAM_SECONDS=180
ktap_test send.bw.rc "ib_send_bw over RC" bandwidth ib_send_bw RC
ktap_test send.bw.uc "ib_send_bw over UC" bandwidth ib_send_bw UC
ktap_test send.bw.ud "ib_send_bw over UD" bandwidth ib_send_bw UD
ktap_test send.bw.xrc "ib_send_bw over XRC" bandwidth ib_send_bw XRC
ktap_test write.bw.uc "ib_write_bw over UC" bandwidth ib_write_bw UC
ktap_test write.bw.xrc "ib_write_bw over XRC" bandwidth ib_write_bw XRC
ktap_test read.bw.xrc "ib_read_bw over XRC" bandwidth ib_read_bw XRC
ktap_test atomic.bw.rc "ib_atomic_bw over RC" atomics ib_atomic_bw RC
ktap_test send.lat.ud "ib_send_lat over UD" latency ib_send_lat UD
ktap_test write.lat.rc "ib_write_lat over RC" latency ib_write_lat RC
ktap_test send.lat.events "ib_send_lat with events" latency ib_send_lat RC -e
ktap_test send.bw.events "ib_send_bw with events" bandwidth ib_send_bw RC -e
ktap_test send.bw.srq "ib_send_bw with an SRQ" bandwidth ib_send_bw RC --use-srq
ktap_test write.bw.both "ib_write_bw in both directions at once" bandwidth ib_write_bw RC -b
ktap_test write.bw.64 "ib_write_bw over 64 queue pairs" pair ib_write_bw -s 4096 -n 20 -q 64
ktap_test write.bw.inline "ib_write_bw with inline data" pair ib_write_bw -s 64 -n 200 -I 64
ktap_test raw.bw "raw_ethernet_bw" raw
if [ -n "${CXR_LONG:-}" ]; then
	ktap_test write.bw.rc "ib_write_bw over RC" bandwidth ib_write_bw RC
	ktap_test read.bw.rc "ib_read_bw over RC" bandwidth ib_read_bw RC
	ktap_test atomic.bw.xrc "ib_atomic_bw over XRC" atomics ib_atomic_bw XRC
	ktap_test atomic.lat.rc "ib_atomic_lat over RC" atomics ib_atomic_lat RC
	ktap_test atomic.lat.xrc "ib_atomic_lat over XRC" atomics ib_atomic_lat XRC
	ktap_test send.lat.rc "ib_send_lat over RC" latency ib_send_lat RC
	ktap_test send.lat.uc "ib_send_lat over UC" latency ib_send_lat UC
	ktap_test send.lat.xrc "ib_send_lat over XRC" latency ib_send_lat XRC
	ktap_test write.lat.uc "ib_write_lat over UC" latency ib_write_lat UC
	ktap_test write.lat.xrc "ib_write_lat over XRC" latency ib_write_lat XRC
	ktap_test read.lat.rc "ib_read_lat over RC" latency ib_read_lat RC
	ktap_test read.lat.xrc "ib_read_lat over XRC" latency ib_read_lat XRC
	ktap_test send.lat.uc.events "ib_send_lat over UC with events" latency ib_send_lat UC -e
	ktap_test send.lat.ud.events "ib_send_lat over UD with events" latency ib_send_lat UD -e
	ktap_test send.lat.xrc.events "ib_send_lat over XRC with events" latency ib_send_lat XRC -e
	ktap_test read.lat.events "ib_read_lat with events" latency ib_read_lat RC -e
	ktap_test atomic.lat.events "ib_atomic_lat with events" pair ib_atomic_lat -n 100 -e
	ktap_test read.bw.events "ib_read_bw with events" bandwidth ib_read_bw RC -e
	ktap_test atomic.bw.events "ib_atomic_bw with events" pair ib_atomic_bw -n 100 -e
	ktap_test send.bw.ud.events "ib_send_bw over UD with events" bandwidth ib_send_bw UD -e
	ktap_test send.bw.ud.srq "ib_send_bw over UD with an SRQ" bandwidth ib_send_bw UD --use-srq
	ktap_test send.bw.64 "ib_send_bw over 64 queue pairs" pair ib_send_bw -s 4096 -n 20 -q 64
	ktap_test send.bw.64.srq "ib_send_bw over 64 queue pairs with an SRQ" pair ib_send_bw -s 4096 -n 100 -q 64 --use-srq -r 128
	ktap_test read.bw.64 "ib_read_bw over 64 queue pairs" pair ib_read_bw -s 4096 -n 20 -q 64
	ktap_test atomic.bw.64 "ib_atomic_bw over 64 queue pairs" pair ib_atomic_bw -n 20 -q 64
	ktap_test send.bw.inline "ib_send_bw with inline data" pair ib_send_bw -s 64 -n 200 -I 64
	ktap_test send.bw.both "ib_send_bw in both directions at once" bandwidth ib_send_bw RC -b
	ktap_test read.bw.both "ib_read_bw in both directions at once" bandwidth ib_read_bw RC -b
fi
ktap_finally ends_stop
ktap_end
