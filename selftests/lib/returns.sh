# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# For tests that take a device away and bring it back: what must be as before, and programs of before. To be sourced after ends.sh and
# faults.sh; BEFORE is what snapshot printed.
# shellcheck disable=SC2154	# of ends_know

MTU=4200
FAIL=/sys/module/cxr_core/parameters/fail_stage

before_each()
{
	know_function
	ends_know
}

# Set-up, after clear_faults: a driver that is bound and not dead, both ends up
returned()
{
	driver_load
	know_function
	if [ "$CXR_DRIVER" = cxr ]; then
		echo -1 >$FAIL
		echo 60000 >"$LIMIT"
		bind_living
	fi
	ends_up $MTU
	before_each
}

# ptpN
clock() { ls "/sys/bus/pci/devices/$BDF/ptp" 2>/dev/null || true; }

# What must be the same afterwards
snapshot()
{
	local d i type gid

	d=/sys/class/infiniband/$(driver_ibdev)/ports/1
	echo "interface $(driver_netdev) $(cat "/sys/class/net/$netdev"/{ifindex,address,mtu,carrier} 2>&1 | xargs)"
	ip -o address show dev "$netdev" scope global | sed 's/.*inet/inet/; s/valid_lft.*//'
	ethtool -g "$netdev" | tail -n 5
	ethtool -c "$netdev" | grep -E '^(Adaptive|rx-usecs|tx-frames):?'
	ethtool -k "$netdev" | grep -v fixed
	echo "PTP clock $(clock)"
	echo "RDMA device $(driver_ibdev) $(cat "$d/state")"
	for i in "$d"/gid_attrs/types/*; do
		if read -r type <"$i" && read -r gid <"$d/gids/${i##*/}"; then echo "$gid $type"; fi
	done 2>/dev/null | sort
	devlink dev param show	# of the only device; 6.1 cannot select one
}
as_before() { [ "$(snapshot 2>/dev/null)" = "$BEFORE" ]; }
wait_as_before() { wait_until 60 as_before || { diff <(echo "$BEFORE") <(snapshot); fail "something is different from before"; }; }

# No counter of the interface is less than before. ethtool has the device read
statistics() { ethtool -S "$netdev" >/dev/null; grep -H . "/sys/class/net/$netdev/statistics/"{rx_packets,tx_bytes,multicast,rx_missed_errors} | sed 's/.*\///'; }
none_falls() # BEFORE
{
	statistics | paste -d : <(echo "$1") - | awk -F: '$4 < $2 { print $1 ": " $2 ", then " $4; fell = 1 } END { exit fell }'
}

xmit() { cat "/sys/class/infiniband/$dev/ports/1/counters/port_xmit_packets"; }
flows() { [ "$(xmit)" -gt $(($1 + 100)) ]; }

# A pingpong without an end, in the background: its process id is in PINGPONG. It waits for completion events: a program that only
# polls does not notice anything, with no driver.
endless_pingpong()
{
	local was

	was=$(xmit)
	ends_serve "ibv_rc_pingpong -d $peer_dev" "-g ${peer_gid[v2]} -n 100000000"
	ibv_rc_pingpong -d "$dev" -g "$(gid_index "$dev" v2 "$(my_ip)")" -e -n 100000000 -p "$PP_PORT" "$(peer_ip)" &
	PINGPONG=$!
	wait_until 30 flows "$was"
}

# The pingpong has ended with an error, and another one works.
works_again()
{
	wait_until 30 ended "$PINGPONG" || fail "a program of before still runs"
	wait "$PINGPONG" && fail "a program did not notice that its device was away"
	ends_stop
	wait_as_before
	ends_pingpong 100
	reachable
}

# A closed interface stays closed over COMMAND.
stays_closed() # COMMAND...
{
	ktap_spoilt
	ip link set "$netdev" down
	"$@"
	[ -e "/sys/class/net/$netdev" ] || fail "the interface is gone"
	[ -z "$(ip link show dev "$netdev" up)" ] || fail "the interface is open"
	[ "$(cat "/sys/class/net/$netdev/mtu")" = $MTU ]
	ip link set "$netdev" up
	wait_until 20 link_up "$netdev"
	reachable
}

# A device that had failed, and stayed dead, works again after COMMAND.
dead_comes_back() # COMMAND...
{
	ktap_spoilt
	auto_recover false
	BEFORE=$(snapshot)
	echo 1500 >"$LIMIT"
	fault command any silent
	ethtool -S "$netdev" >/dev/null || true
	wait_until 30 is_dead
	clear_faults
	echo 60000 >"$LIMIT"
	"$@"
	must_fail is_dead
	wait_as_before
	ends_pingpong 100
}
