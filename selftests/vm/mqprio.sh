#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Traffic classes of the interface, by the offload of mqprio: which tx queues there are, and which packets they get.
# guests: 2
# cpus: 2
# card: cx5,dcb
# takes: 70
# turn: yes
# drivers: cxr mlx5
# timeout: 500
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

VLAN_IP=10.78.7.1 VLAN_PEER=10.78.7.2

# Two channels, no classes; a VLAN with the priorities of sockets in its tags
ready()
{
	driver_unload
	driver_load
	ends_up 1500
	before_each
	ethtool -L "$netdev" combined 2
	ip link add link "$netdev" name mq.7 type vlan id 7 egress-qos-map 1:1 2:2 3:3 4:4 5:5 6:6 7:7
	ip addr add $VLAN_IP/24 dev mq.7
	ip link set mq.7 up
	peer "ip link add link $peer_netdev name mq.7 type vlan id 7; ip addr add $VLAN_PEER/24 dev mq.7; ip link set mq.7 up"
	wait_until 20 ping -q -c 1 -W 1 $VLAN_PEER >/dev/null
}

before_each()
{
	ends_know
	PORT=$(devlink port show | sed -n "s/: .* netdev $netdev .*//p")
}

classes() { no_classes; tc qdisc add dev "$netdev" root handle 100: mqprio "$@"; } # WORDS... of mqprio
# Each priority has the class of its number
all_classes() { classes num_tc 8 map 0 1 2 3 4 5 6 7 0 0 0 0 0 0 0 0 hw 1; }
no_classes() { ! tc qdisc show dev "$netdev" root | grep mqprio || tc qdisc del dev "$netdev" root; }

# Class and number of each send queue
queues() { devlink -j health diagnose "$PORT" reporter tx | python3 -B selftests/vm/mqprio.py; }
tx_queues() { ls -d "/sys/class/net/$netdev/queues/tx-"* | wc -l; }

# Packets of the two tx queues that a class can have
sent() { echo $(($(counter "tx$((2 * $1))_packets") + $(counter "tx$((2 * $1 + 1))_packets"))); } # CLASS

datagrams() { for ((i = 0; i < 20; i++)); do echo $i | socat -u - "UDP4-SENDTO:$1:9,$2"; done; } # ADDRESS SOCAT-OPTIONS

# Twenty packets of these options of socat leave by queues of the class
goes_by() # CLASS ADDRESS SOCAT-OPTIONS
{
	local before

	before=$(sent "$1")
	datagrams "$2" "$3"
	nap 0.2
	echo "class $1: $before, $(sent "$1")"
	[ $(($(sent "$1") - before)) -ge 20 ]
}

offloads()
{
	all_classes
	[ "$(tx_queues)" = 16 ]
	queues
	[ "$(queues | cut -d ' ' -f 1 | uniq -c | awk '{ print $2 ":" $1 }' | xargs)" = "0:2 1:2 2:2 3:2 4:2 5:2 6:2 7:2" ]
	reachable
	tcp_both_ways 500000
}

by_tag()
{
	all_classes
	goes_by 5 $VLAN_PEER so-priority=5
	goes_by 7 $VLAN_PEER so-priority=7
	goes_by 0 $VLAN_PEER so-priority=0
	# without a tag there is no priority
	goes_by 0 "$(peer_ip)" so-priority=5
}

# With eight classes that of a packet is its priority, whatever the map of the stack says.
not_by_map()
{
	classes num_tc 8 map 0 0 0 0 1 1 1 1 2 2 2 2 3 3 3 3 hw 1
	goes_by 5 $VLAN_PEER so-priority=5
	goes_by 7 $VLAN_PEER so-priority=7
}

by_dscp()
{
	all_classes
	dcb app add dev "$netdev" dscp-prio 46:6 10:2
	goes_by 6 "$(peer_ip)" tos=184
	goes_by 2 "$(peer_ip)" tos=40
	goes_by 0 "$(peer_ip)" tos=0
	dcb app del dev "$netdev" dscp-prio 46:6 10:2
	goes_by 0 "$(peer_ip)" tos=184
}

other_channels()
{
	all_classes
	ethtool -L "$netdev" combined 1
	[ "$(tx_queues)" = 8 ]
	goes_by 5 $VLAN_PEER so-priority=5
	ethtool -L "$netdev" combined 2
	[ "$(tx_queues)" = 16 ]
	goes_by 5 $VLAN_PEER so-priority=5
	ethtool -G "$netdev" tx 512
	goes_by 3 $VLAN_PEER so-priority=3
}

while_down()
{
	no_classes
	[ "$(tx_queues)" = 2 ]
	ip link set "$netdev" down
	all_classes
	[ "$(tx_queues)" = 16 ]
	ethtool -L "$netdev" combined 1
	[ "$(tx_queues)" = 8 ]
	ethtool -S "$netdev" >/dev/null
	ethtool -L "$netdev" combined 2
	ip link set "$netdev" up
	[ "$(tx_queues)" = 16 ]
	ip link set mq.7 up
	wait_until 20 ping -q -c 1 -W 1 $VLAN_PEER >/dev/null
	goes_by 4 $VLAN_PEER so-priority=4
}

gone()
{
	all_classes
	no_classes
	[ "$(tx_queues)" = 2 ]
	[ "$(queues | cut -d ' ' -f 1 | uniq -c | awk '{ print $2 ":" $1 }' | xargs)" = 0:2 ]
	reachable
	goes_by 0 $VLAN_PEER so-priority=5
}

divides()
{
	local before

	classes num_tc 2 map 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 queues 1@0 1@1 hw 1 mode channel
	[ "$(tx_queues)" = 2 ]
	before=$(counter tx1_packets)
	datagrams "$(peer_ip)" so-priority=1
	[ $(($(counter tx1_packets) - before)) -ge 20 ]
	before=$(counter tx0_packets)
	datagrams "$(peer_ip)" so-priority=2
	[ $(($(counter tx0_packets) - before)) -ge 20 ]
	must_fail ethtool -L "$netdev" combined 1
	must_fail classes num_tc 2 map 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 queues 1@0 2@1 hw 1 mode channel
	no_classes
	ethtool -L "$netdev" combined 1
	ethtool -L "$netdev" combined 2
}

# As many classes as one likes; the kernel's driver takes eight, or none.
four()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver takes eight classes or none"
	classes num_tc 4 map 0 0 1 1 2 2 3 3 0 0 0 0 0 0 0 0 hw 1
	[ "$(tx_queues)" = 8 ]
	goes_by 2 $VLAN_PEER so-priority=5
	goes_by 3 $VLAN_PEER so-priority=6
	no_classes
}

no_rates()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver has rates of classes"
	must_fail classes num_tc 2 map 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 queues 1@0 1@1 hw 1 mode channel shaper bw_rlimit max_rate 1Gbit 2Gbit
	kmsg | grep "mqprio: rates of classes are not supported"
	[ "$(tx_queues)" = 2 ]
	reachable
}

recovers()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver comes back with another interface"
	all_classes
	ends_crash a 1500
	before_each
	[ "$(tx_queues)" = 16 ]
	ip link set mq.7 up
	wait_until 20 ping -q -c 1 -W 1 $VLAN_PEER >/dev/null
	goes_by 5 $VLAN_PEER so-priority=5
	no_classes
}

down()
{
	peer "ip link del mq.7 2>/dev/null || true"
	driver_unload
}

ktap_setup ready
ktap_test dcb "with eight classes each channel has a tx queue of each, and traffic passes" offloads
ktap_test tag "a packet goes by the queue of the priority in its VLAN tag" by_tag
ktap_test map "with eight classes the map of the stack does not change that" not_by_map
ktap_test dscp "with trust in DSCP it is that of the DSCP" by_dscp
ktap_test channels "the classes stay with other channels and rings" other_channels
ktap_test closed "classes of a closed interface are there when it is opened" while_down
ktap_test gone "without the qdisc there is one class again" gone
ktap_test mode.channel "in mode channel the classes divide the channels, whose number stays" divides
ktap_test number "any number of classes up to eight" four
ktap_test rates "rates of classes are refused, and nothing changes" no_rates
ktap_test recovers "the classes are there again after a recovery" recovers
ktap_finally down
ktap_end
