#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Trust in DSCPs on a card that needs headers in the send WQE: it finds the DSCP only there.
# guests: 2
# card: cx4lx,dcb
# takes: 30
# turn: yes
# drivers: cxr mlx5
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

before_each() { ends_know; }

pings_at() # DSCP
{
	ping -q -Q $(($1 * 4)) -i 0.05 -c 10 -W 2 "$(peer_ip)" >/dev/null
	ping -q -Q $(($1 * 4)) -i 0.05 -c 10 -W 2 "$(peer_ip6)" >/dev/null
}

# The emulator reports a packet whose IP header is not in the WQE
by_dscp()
{
	local before

	dcb app add dev "$netdev" dscp-prio 26:3
	before=$(counter tx_prio3_packets)
	pings_at 26
	[ $(($(counter tx_prio3_packets) - before)) -ge 20 ]
	tcp_both_ways 200000
	# the queues of another configuration need it as well
	ethtool -G "$netdev" tx 256
	before=$(counter tx_prio3_packets)
	pings_at 26
	[ $(($(counter tx_prio3_packets) - before)) -ge 20 ]
	dcb app del dev "$netdev" dscp-prio 26:3
	before=$(counter tx_prio3_packets)
	pings_at 26
	[ "$(counter tx_prio3_packets)" = "$before" ]
}

ktap_setup ends_up 1500
ktap_test dscp "packets have the priority of their DSCP" by_dscp
ktap_end
