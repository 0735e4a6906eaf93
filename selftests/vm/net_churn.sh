#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# MTU, rings, channels, moderation, features, MAC, filters, rules, RSS, XDP program and link change at random under traffic
# (net_churn.py). Afterwards nothing is left in the device, and receive queues have given all their pages back.
#
# SEED        of the choices (default: 1; with LONG=1 another one each time)
# guests: 2
# cpus: 2
# card: cx6dx,dcb
# takes: 80
# turn: yes
# timeout: 400
# long: 1500
# drivers: cxr mlx5
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

PROGRAMS=/sys/fs/bpf/cxr-churn
TRACE=/sys/kernel/tracing
PORT=7004	# of the echo service

if [ -n "${CXR_LONG:-}" ]; then
	seconds=600 seed=${CXR_SEED:-$((EPOCHSECONDS % 1000000000))}
else
	seconds=30 seed=${CXR_SEED:-1}
fi

before_each() { ends_know; }

# Pages that pools have taken from the kernel, or given back, since count_pages
pages() # hold|release
{
	cat $TRACE/instances/"$1"/per_cpu/cpu*/stats | awk '/^(entries|overrun):/ { n += $2 } END { print n + 0 }'
}

count_pages()
{
	local what

	[ -d $TRACE/events ] || mount -t tracefs tracefs $TRACE
	for what in hold release; do
		mkdir -p $TRACE/instances/$what
		echo 0 >$TRACE/instances/$what/trace
		echo 1 >$TRACE/instances/$what/events/page_pool/page_pool_state_$what/enable
	done
}

stop_counting()
{
	local what

	for what in hold release; do
		echo 0 >$TRACE/instances/$what/events/page_pool/page_pool_state_$what/enable
	done
}

balanced() { [ "$(pages hold)" = "$(pages release)" ]; }

ready()
{
	emu fault clear >/dev/null
	modprobe 8021q
	driver_unload
	ends_up 9000
	ends_know
	sysctl -qw "net.ipv4.conf.$netdev.arp_notify=1" "net.ipv6.conf.$netdev.ndisc_notify=1" "net.ipv6.conf.$netdev.keep_addr_on_down=1"
	ip link set "$netdev" mtu 1500
	peer "tcp_listens $PORT || { setsid socat TCP6-LISTEN:$PORT,reuseaddr,fork,ipv6only=0 EXEC:cat </dev/null >/dev/null 2>&1 & }"
}

churn()
{
	local xdp=$PROGRAMS

	ktap_spoilt
	driver_unload
	count_pages
	ready
	rm -rf $PROGRAMS
	bpftool prog loadall build/bpf/xdp.o $PROGRAMS || { echo "without XDP: this kernel does not load the programs"; xdp=-; }
	echo "$seconds s, seed $seed; to repeat it: make check ONLY=net_churn.random SEED=$seed"
	python3 -B selftests/vm/net_churn.py "$seconds" "$seed" "$netdev" "$xdp" $PORT "$(peer_ip)" "$(peer_ip6)"
	rm -rf $PROGRAMS
	driver_unload
	wait_until 60 balanced || fail "pools got $(pages hold) pages, and $(pages release) were returned"
	echo "$(pages hold) pages of pools, all returned"
	stop_counting
	[ "$(pages hold)" -gt 1000 ]
	function_is_clean
}

leave()
{
	emu fault clear >/dev/null
	rm -rf $PROGRAMS
	peer "pkill -f 'TCP6-LISTEN:$PORT' || true"
}

ktap_setup ready
KTAP_TIMEOUT=1400 ktap_test random "after random changes under traffic every queue works, and nothing is left" churn
ktap_finally leave
ktap_end
