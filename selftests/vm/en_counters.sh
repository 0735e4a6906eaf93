#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Each counter of ethtool -S is changed by an event of its own, and by no other. en_pauses.sh has those of pauses of the port.
# guests: 2
# card: cx6dx,dcb
# wire: rate=1g,delay=1us,buffer=1m,pfc=3
# takes: 60
# turn: yes
# drivers: cxr mlx5
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"
# shellcheck source=selftests/lib/moves.sh
. "$(dirname "$0")/../lib/moves.sh"

# 8021q gives interfaces that come up VLAN 0. Without it the rules of the in-tree driver miss frames with a priority only.
ready() { modprobe 8021q && ends_up 9000; }
before_each() { ends_know; }

ALL_HOSTS=01:00:5e:00:00:01
OTHER_GROUP=01:00:5e:00:00:77 # nobody has joined it
BROADCAST=ff:ff:ff:ff:ff:ff

sends() { python3 -B selftests/lib/send_frames.py "$netdev" "$@"; } # MAC COUNT SIZE[:PRIORITY]...
gets() { peer "python3 -B selftests/lib/send_frames.py $peer_netdev $*"; }

gets_sizes() { gets "$mac" 50 60 100 200 300 700 1200 1700 3000 5000 9000; }
gets_kinds() { gets "$mac" 100 1000; gets $ALL_HOSTS 200 1000; gets $BROADCAST 300 1000; }
sends_kinds() { sends "$peer_mac" 100 1000; sends $ALL_HOSTS 200 1000; sends $BROADCAST 300 1000; }
gets_strays() { gets $OTHER_GROUP 50 500; }
gets_priorities() { gets "$mac" 50 500:1 500:2 500:3 500:4 500:5 500:6 500:7; }
sends_priorities() { sends "$peer_mac" 50 500:1 500:2 500:3 500:4 500:5 500:6 500:7; }

statistics() { cat "/sys/class/net/$netdev/statistics/$1"; }

# What the kernel counts of the interface does not change
does_rdma()
{
	local name
	local -A before=()

	for name in rx_packets tx_packets multicast; do before[$name]=$(statistics $name); done
	ends_pingpong 500
	for name in rx_packets tx_packets multicast; do
		[ $(($(statistics $name) - before[$name])) -lt 100 ] || fail "$name: RoCE packets are counted"
	done
}

# The kernel's number and the device's move alike, though two read the device at once, and one of them gets to go on late
reads_at_once()
{
	local reader before after

	[ "$CXR_DRIVER" != mlx5 ] || skip "the in-tree driver keeps the device's number itself"
	gets $ALL_HOSTS 200 100
	before=$(ahead)
	while :; do statistics multicast; done >/dev/null &
	reader=$!
	trap 'kill $reader' EXIT
	for _ in 1 2 3; do
		gets $ALL_HOSTS 3000 100 &
		for _ in 1 2 3 4 5 6 7; do nice -n 10 ethtool -S "$netdev" >/dev/null; done
		wait $!
	done
	kill $reader
	wait $reader || true
	trap - EXIT
	after=$(ahead)
	echo "the kernel's number minus the device's: $before, then $after"
	[ "$before" = "$after" ]
}

# ethtool has the device read, and both numbers are of that moment, unless something else comes
ahead()
{
	local device

	device=$(counter rx_vport_multicast_packets)
	echo $(($(statistics multicast) - device))
}

# From the device to itself: it stays in the card
does_rdma_multicast()
{
	run_python selftests/vm/counters_probe.py run multicast "$dev" "${gid[v2]}" "$netdev"
}

gets_too_long()
{
	ip link set "$netdev" mtu 1500
	gets "$mac" 7 3000
	ip link set "$netdev" mtu 9000
}

loses_link()
{
	ip link set "$netdev" down
	ip link set "$netdev" up
	reachable
}

# Its buffer has room for what arrives in some milliseconds; then all that has waited arrives at once. Class 1 has priority 0
is_stuck()
{
	emu fault a receive stop
	gets "$mac" 3000 1000
	emu fault a receive go
	reachable
}


# Priority 3, on both sides, while COMMAND runs
lossless() # COMMAND
{
	dcb pfc set dev "$netdev" prio-pfc all:off 3:on
	peer "dcb pfc set dev $peer_netdev prio-pfc all:off 3:on"
	ends_up 9000
	"$@"
	dcb pfc set dev "$netdev" prio-pfc all:off
	peer "dcb pfc set dev $peer_netdev prio-pfc all:off"
	ends_up 9000
}

# The switch has room for what is sent meanwhile
pauses_switch()
{
	emu fault a receive stop
	gets "$mac" 200 1000:3
	emu fault a receive go
	reachable
}

# The switch is full, and waits for b
is_paused()
{
	local pid before

	before=$(counter rx_prio3_pause)
	emu fault b receive stop
	sends "$peer_mac" 2000 1000:3 &
	pid=$!
	wait_until 10 counts_more rx_prio3_pause "$before"
	emu fault b receive go
	wait $pid
	reachable
}

uses_tcp()
{
	# written in parts of several segments
	tcp_both_ways 1M "" 65536
	ping -q -i 0.05 -c 10 -W 2 "$(peer_ip)" >/dev/null
}

names_known()
{
	local name

	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver has others, too"
	ethtool -S "$netdev" | sed -n 's/^ *\(\w*\): [0-9]*$/\1/p' | sed -E 's/^([rt]x)[0-9]+_/\1Q_/; s/_prio[0-7]_/_prioN_/; s/^rx_pp_.*/rx_pp_*/' |
		sort -u |
	while read -r name; do
		grep -qF "$name  " Documentation/counters.rst || fail "Documentation/counters.rst does not have $name"
	done
}

ktap_setup ready
ktap_test sizes "frames count by their size" moves gets_sizes rx_64_bytes_phy=50 rx_65_to_127_bytes_phy=50 rx_128_to_255_bytes_phy=50 \
	rx_256_to_511_bytes_phy=50 rx_512_to_1023_bytes_phy=50 rx_1024_to_1518_bytes_phy=50 rx_1519_to_2047_bytes_phy=50 \
	rx_2048_to_4095_bytes_phy=50 rx_4096_to_8191_bytes_phy=50 rx_8192_to_10239_bytes_phy=50 rx_packets_phy=500 rx_bytes_phy=1065000 \
	rx_prio0_packets=500 rx_prio0_bytes=1065000 rx_vport_unicast_packets=500 rx_vport_unicast_bytes=1063000
ktap_test received "received frames count by their destination" moves gets_kinds rx_packets_phy=600 rx_bytes_phy=602400 rx_multicast_phy=200 \
	rx_broadcast_phy=300 rx_vport_unicast_packets=100 rx_vport_unicast_bytes=100000 rx_vport_multicast_packets=200 \
	rx_vport_multicast_bytes=200000 rx_vport_broadcast_packets=300 rx_vport_broadcast_bytes=300000 rx_prio0_packets=600 \
	rx_prio0_bytes=602400 rx_512_to_1023_bytes_phy=600 rxQ_packets+ rxQ_bytes+
ktap_test sent "sent frames count by their destination" moves sends_kinds tx_packets_phy=600 tx_bytes_phy=602400 tx_multicast_phy=200 \
	tx_broadcast_phy=300 tx_vport_unicast_packets=100 tx_vport_unicast_bytes=100000 tx_vport_multicast_packets=200 \
	tx_vport_multicast_bytes=200000 tx_vport_broadcast_packets=300 tx_vport_broadcast_bytes=300000 tx_prio0_packets=600 \
	tx_prio0_bytes=602400 txQ_packets+ txQ_bytes+
ktap_test priorities.received "received frames count by their priority" moves gets_priorities rx_prio1_packets=50 rx_prio2_packets=50 \
	rx_prio3_packets=50 rx_prio4_packets=50 rx_prio5_packets=50 rx_prio6_packets=50 rx_prio7_packets=50 rx_prio1_bytes=25200 \
	rx_prio2_bytes=25200 rx_prio3_bytes=25200 rx_prio4_bytes=25200 rx_prio5_bytes=25200 rx_prio6_bytes=25200 rx_prio7_bytes=25200 \
	rx_packets_phy=350 rx_bytes_phy=176400 rx_vport_unicast_packets=350 rx_vport_unicast_bytes=175000 rx_256_to_511_bytes_phy=350
ktap_test priorities.sent "sent frames count by their priority" moves sends_priorities tx_prio1_packets=50 tx_prio2_packets=50 \
	tx_prio3_packets=50 tx_prio4_packets=50 tx_prio5_packets=50 tx_prio6_packets=50 tx_prio7_packets=50 tx_prio1_bytes=25200 \
	tx_prio2_bytes=25200 tx_prio3_bytes=25200 tx_prio4_bytes=25200 tx_prio5_bytes=25200 tx_prio6_bytes=25200 tx_prio7_bytes=25200 \
	tx_packets_phy=350 tx_bytes_phy=176400 tx_vport_unicast_packets=350 tx_vport_unicast_bytes=175000
ktap_test priorities.pause "pauses of a priority sent, and for how long" lossless moves pauses_switch tx_pause_ctrl_phy+ tx_mac_control_phy+ \
	tx_prio3_pause+ tx_prio3_pause_duration+ traffic?
ktap_test priorities.paused "pauses of a priority received, and for how long" lossless moves is_paused rx_pause_ctrl_phy+ \
	rx_mac_control_phy+ rx_prio3_pause+ rx_prio3_pause_duration+ rx_prio3_pause_transition+ traffic?
ktap_test rdma "RoCE packets count in counters of their own, and not in the statistics of the interface" moves does_rdma \
	rx_vport_rdma_unicast_packets+ rx_vport_rdma_unicast_bytes+ tx_vport_rdma_unicast_packets+ tx_vport_rdma_unicast_bytes+ \
	rx_packets_phy+ rx_bytes_phy+ tx_packets_phy+ tx_bytes_phy+ rx_prio0_packets+ rx_prio0_bytes+ tx_prio0_packets+ tx_prio0_bytes+ \
	rx_vport_unicast_packets+ rx_vport_unicast_bytes+ tx_vport_unicast_packets+ tx_vport_unicast_bytes+ rx_65_to_127_bytes_phy+ \
	rx_1024_to_1518_bytes_phy+
ktap_test rdma.multicast "so do those to a group" moves does_rdma_multicast rx_vport_rdma_multicast_packets+ rx_vport_rdma_multicast_bytes+ \
	tx_vport_rdma_multicast_packets+ tx_vport_rdma_multicast_bytes+
ktap_test too-long "frames that are longer than the MTU of the port" moves gets_too_long rx_oversize_pkts_phy==7 rx_prio0_bytes=21028
ktap_test at-once "frames to groups are counted once, if two read the device's counters at once" reads_at_once
ktap_test steering "frames that the device has no rule for, to a group that nobody has joined" moves gets_strays \
	rx_steer_missed_packets=50 rx_packets_phy=50 rx_bytes_phy=25200 rx_multicast_phy=50 rx_prio0_packets=50 rx_prio0_bytes=25200 \
	rx_vport_multicast_packets=50 rx_vport_multicast_bytes=25000 rx_256_to_511_bytes_phy=50
ktap_test link "failures of the link" moves loses_link link_down_events_phy==1
ktap_test stuck "frames that a stuck host loses" moves is_stuck rx_discards_phy+ rx_prio0_discards+ rx_prio1_buf_discard+ rx_out_of_buffer? rx_packets_phy+ \
	rx_bytes_phy+ rx_prio0_packets+ rx_prio0_bytes+ rx_vport_unicast_packets+ rx_vport_unicast_bytes+ rx_512_to_1023_bytes_phy+
ktap_test offloads "what the device sums and segments" moves uses_tcp txQ_csum_partial+ txQ_tso_packets+ rxQ_csum_unnecessary+ \
	rxQ_csum_complete+ traffic?
ktap_test names "each counter has a line in the documentation" names_known
ktap_end
