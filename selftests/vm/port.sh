#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# What ethtool shows and sets of the port that all functions share: pause frames, and what it counts.
# guests: 2
# card: cx5,dcb
# takes: 40
# drivers: cxr mlx5
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

before_each() { ends_know; }

# "RX TX": which pause frames are on
pauses() { ethtool -a "$netdev" | awk '/^RX:/ { rx = $2 } /^TX:/ { tx = $2 } END { print rx, tx }'; }

sets_pause()
{
	local rx tx

	for rx in on off; do
		for tx in on off; do
			[ "$(pauses)" = "$rx $tx" ] || ethtool -A "$netdev" rx $rx tx $tx
			[ "$(pauses)" = "$rx $tx" ] || fail "pause frames are $(pauses), not $rx $tx"
		done
	done
	reachable
}

# The card has them forgotten neither when queues are restarted nor when the interface goes down
keeps_pause()
{
	ethtool -A "$netdev" rx on tx off
	ethtool -G "$netdev" rx 256
	[ "$(pauses)" = "on off" ]
	ethtool "$netdev" | grep -q 'Advertised pause frame use: Symmetric'
	ip link set "$netdev" down
	driver_net_up
	[ "$(pauses)" = "on off" ]
	ethtool -A "$netdev" rx off tx off
	ethtool "$netdev" | grep -q 'Advertised pause frame use: No'
	reachable
}

no_negotiation()
{
	local was

	was=$(pauses)
	must_fail ethtool -A "$netdev" autoneg on
	[ "$(pauses)" = "$was" ]
}

# Counter NAME of the standard groups
standard() { ethtool -S "$netdev" --all-groups | sed -n "s/^\(.*-\)\?$1: //p"; }
# and of the driver's own
own() { ethtool -S "$netdev" | sed -n "s/^ *$1: //p"; }

# 20 frames of 142 bytes each way, without FCS
twenty_pings() { ping -q -i 0.05 -c 20 -W 2 -s 100 "$(peer_ip)" >/dev/null; }

# Counter NAME of READER grows by at least N, but not by twice as much, with twenty_pings
grows() # READER NAME N
{
	local before after

	before=$($1 "$2")
	[ -n "$before" ] || fail "there is no counter $2"
	twenty_pings
	after=$($1 "$2")
	echo "$2: $before, then $after"
	[ $((after - before)) -ge "$3" ]
	[ $((after - before)) -lt $((2 * $3)) ]
}

standard_groups()
{
	grows standard FramesTransmittedOK 20
	grows standard FramesReceivedOK 20
	grows standard OctetsTransmittedOK $((20 * 146))
	grows standard OctetsReceivedOK $((20 * 146))
	grows standard etherStatsPkts128to255Octets 20
	[ "$(standard FrameCheckSequenceErrors)" = 0 ]
	[ "$(standard SymbolErrorDuringCarrier)" = 0 ]
	[ "$(standard etherStatsJabbers)" = 0 ]
	[ -n "$(standard MACControlFramesReceived)" ]
	ethtool -I -a "$netdev" | grep -q 'rx_pause_frames: [0-9]'
}

own_counters()
{
	grows own rx_packets_phy 20
	grows own tx_bytes_phy $((20 * 146))
	grows own rx_128_to_255_bytes_phy 20
	[ "$(own rx_crc_errors_phy)" = 0 ]
	[ "$(own tx_pause_ctrl_phy)" = 0 ]
	[ -n "$(own link_down_events_phy)" ]
}

ktap_setup ends_up
ktap_test pause.set "pause frames can be switched on and off, each way by itself" sets_pause
ktap_test pause.kept "they stay as they are when queues are restarted, and when the interface goes down and up" keeps_pause
ktap_test pause.autoneg "that they be negotiated is refused" no_negotiation
ktap_test counters.standard "the port counts frames, bytes and sizes in the standard groups" standard_groups
ktap_test counters.own "and with the names that mlx5 has for them" own_counters
ktap_end
