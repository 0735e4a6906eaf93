#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Counters of a RoCE LAG: what both ports count, added up; and what each port has of its own.
# guests: 2
# functions: 2
# card: cx5,dcb
# takes: 40
# turn: yes
# drivers: cxr
# windows: cxr
# timeout: 600
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/window.sh"
# shellcheck source=selftests/lib/lag.sh
. "$(dirname "$0")/../lib/lag.sh"

PACKETS=3

ready() { setup_lag balance-xor; }

of_lag() { cat "/sys/class/infiniband/mlx5_bond_0/ports/1/$1"; }
grows() # NAME BY COMMAND...
{
	local was

	was=$(of_lag "$1")
	"${@:3}" || return
	echo "$1: $was, then $(of_lag "$1")"
	[ $(($(of_lag "$1") - was)) = "$2" ] || fail "$1 grew by $(($(of_lag "$1") - was)), not $2"
}

# The peer sends packets with a wrong ICRC to the MAC of port N; the ports have the MAC of the bond, so by a cable
bad_packets() # PORT
{
	local mac

	emu cable "a$1" "b$1" >/dev/null
	window_frame "begin icrc=0 min=$PACKETS" "$(driver_netdev "$1")"
	mac=$(<"/sys/class/net/$(driver_netdev "$1")/address")
	peer "run_python selftests/lib/bad_icrc.py \$(driver_netdev $1) $mac $(my_ip 9) $PACKETS"
	wait_until 10 icrc_errors_are $((before + PACKETS))
	window_frame end "$(driver_netdev "$1")"
	emu uncable "a$1" >/dev/null
}
icrc_errors_are() { [ "$(of_lag hw_counters/rx_icrc_encapsulated)" = "$1" ]; }

wrong_checksums()
{
	local port before

	for port in 0 1; do
		before=$(of_lag hw_counters/rx_icrc_encapsulated)
		grows counters/port_rcv_errors $PACKETS bad_packets $port
	done
}

port_fails() # PORT
{
	emu fault "a$1" port down >/dev/null
	wait_until 10 slave_is "$1" down
	emu fault "a$1" port up >/dev/null
	wait_until 10 slave_is "$1" up
}

links()
{
	local port was

	for port in 0 1; do
		was=$(counter_of $port)
		grows counters/link_downed 1 port_fails $port
		# and the port by itself
		[ $(($(counter_of $port) - was)) = 1 ]
	done
}
counter_of() { ethtool -S "$(driver_netdev "$1")" | awk '$1 == "link_down_events_phy:" { print $2 }'; }

# Both ports have their own parameters, also that without an RDMA device
parameters()
{
	local bdf cc=/sys/kernel/debug/cxr

	for bdf in $(driver_bdfs); do [ "$(ls "$cc/$bdf/cc_params" | wc -l)" = 20 ]; done
	echo 26 >"$cc/$(nth 1 driver_bdfs)/cc_params/np_cnp_dscp"
	[ "$(<"$cc/$(nth 0 driver_bdfs)/cc_params/np_cnp_dscp")" = 48 ]
	[ "$(<"/sys/class/net/$(driver_netdev 1)/ecn/roce_np/cnp_dscp")" = 26 ]
	echo 48 >"/sys/class/net/$(driver_netdev 1)/ecn/roce_np/cnp_dscp"
}

ktap_setup ready
ktap_test icrc "packets with a wrong checksum count at either port" wrong_checksums
ktap_test link "each failure of a link counts, whichever port has it" links
ktap_test parameters "each port has its own parameters of congestion control" parameters
ktap_end
