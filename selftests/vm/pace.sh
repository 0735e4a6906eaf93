#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Packet pacing: raw packet QPs and PP objects (pace.py), perftest's limit in the device, and tx_maxrate of the interface.
# guests: 2
# card: cx6dx,devx
# takes: 50
# turn: yes
# drivers: cxr mlx5
# timeout: 500
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/rows.sh"
. "$(dirname "$0")/../lib/pace.sh"
. "$(dirname "$0")/../lib/programs.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

tests=$(dirname "$0")/pace.py

ready()
{
	rows_agree "$tests"
	ends_up 1500
}

before_each() { ends_know; }

one() { run_python "$tests" run "$1" "$dev"; } # ID

# Average of raw_ethernet_bw in MB/s, in thousandths, with frames of SIZE and these options for three seconds
raw_bw() # SIZE OPTIONS...
{
	local size=$1

	shift
	program raw_ethernet_bw --client -d "$dev" -F -B "$mac" -E "$peer_mac" -s "$size" -D 3 -f 1 "$@" >/tmp/perftest || return
	cat /tmp/perftest >&2
	awk -v size="$size" '$1 == size { print int($4 * 1000) }' /tmp/perftest
}

# A burst counts once; what a rate counts is frames with their FCS
perftest_limit() # OPTIONS...
{
	local bw

	bw=$(raw_bw 1000 --rate_limit=1 --rate_units=M --rate_limit_type=PP "$@")
	[ "$bw" -gt 0 ]
	[ "$bw" -le 1100 ]
}

tx_maxrate()
{
	queue_rates 8
	limited
	ip link set "$netdev" mtu 1400
	reachable
	limited
	ip link set "$netdev" down
	driver_net_up 1500
	wait_until 20 ping -q -c 1 -W 1 "$(peer_ip)" >/dev/null
	limited
	queue_rates 0
	[ "$(cat "$(maxrate)")" = 0 ]
	reachable
}

# As loaded: the slowest rate is a megabit
tx_maxrate_slow()
{
	queue_rates 1
	limited 1
	queue_rates 0
}

tx_maxrate_wrong()
{
	local file rate

	file=$(maxrate)
	for rate in 100001 4294967; do
		must_fail bash -c "echo $rate >$file" >/tmp/said 2>&1
		grep -q 'Numerical result out of range' /tmp/said
	done
	[ "$(<"$file")" = 0 ]
	[ "$(kmsg | grep -cE 'not within|not in range')" -ge 2 ]
}

# All rates of the device are in use, and that of the interface not by it alone: it cannot have another, and keeps what it has:
# the slowest, that no machine has by being slow
tx_maxrate_full()
{
	local queue line

	[ "$CXR_DRIVER" != mlx5 ] || skip "the in-tree driver gives up the old rate before it has the new one"
	queue_rates 1
	coproc filler { python3 -B "$tests" fills "$dev" 1000; }
	read -r line <&"${filler[0]}"
	[ "$line" = full ]
	for queue in "/sys/class/net/$netdev/queues"/tx-*; do
		must_fail bash -c "echo 2 >$queue/tx_maxrate" >/tmp/said 2>&1
		grep -q 'No space left' /tmp/said
		[ "$(<"$queue/tx_maxrate")" = 1 ]
	done
	limited 1
	for queue in "/sys/class/net/$netdev/queues"/tx-*; do [ "${queue##*-}" = 0 ] || echo 0 >"$queue/tx_maxrate"; done
	echo >&"${filler[1]}"
	read -r line <&"${filler[0]}"
	[ "$line" = "one less" ]
	echo 2 >"$(maxrate)"
	# shellcheck disable=SC2154 # coproc sets it
	kill "$filler_PID"
	wait "$filler_PID" || true
	queue_rates 0
}

nothing_left()
{
	driver_unload
	peer driver_unload
	device_is_clean
}

ktap_setup ready
ktap_rows one < <(rows_list "$tests")
ktap_test perftest "raw_ethernet_bw with a limit in the device" perftest_limit
ktap_test perftest.burst "the same with a burst, and a typical size of packets" perftest_limit --burst_size=4000 --typical_pkt_size=1000
ktap_test maxrate "tx_maxrate limits the interface, also after a new MTU and after it was down" tx_maxrate
ktap_test maxrate.slow "and at the slowest rate" tx_maxrate_slow
ktap_test maxrate.wrong "a tx_maxrate that the device does not have is refused" tx_maxrate_wrong
ktap_test maxrate.full "a tx_maxrate is refused if all rates are in use, and the one of before stays" tx_maxrate_full
ktap_test nothing.left "no object is left in the device" nothing_left
ktap_finally ends_stop
ktap_end
