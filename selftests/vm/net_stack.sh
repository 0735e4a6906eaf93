#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The interface as operators use it: iperf3 of all kinds, and what stands on top of it: bridge, macvlan, ipvlan, VXLAN, bond, team,
# WireGuard. No checksum may be wrong at either end.
# guests: 2
# cpus: 2
# takes: 120
# turn: yes
# timeout: 900
# drivers: cxr mlx5
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"
# shellcheck source=selftests/lib/programs.sh
. "$(dirname "$0")/../lib/programs.sh"

NET=10.81.0
NET6=fd81:
KEYS=/run/net_stack

# All that a test sends by UDP: nothing is lost when a busy machine keeps the receiver waiting
UDP_BUFFER=4000000
KERNELS_BUFFER=212992		# as it boots

# The largest that a program may ask for, here and on b
buffers() # BYTES
{
	sysctl -qw "net.core.rmem_max=$1" "net.core.wmem_max=$1"
	peer "sysctl -qw net.core.rmem_max=$1 net.core.wmem_max=$1"
}

before_each() { ends_know; }

ready() # [MTU]
{
	programs_up
	clear_away
	ends_up "${1:-1500}"
	ends_know
	buffers $UDP_BUFFER
}

# What a test that has failed may have left, here and on b
clear_here()
{
	local name

	for name in st-vlan st-macvlan st-ipvlan st-vxlan st-wg st-bridge st-bond st-team; do
		ip link del $name 2>/dev/null || true
	done
	ip addr flush to $NET.0/24
	ip -6 addr flush to ${NET6}:/64
}

clear_away()
{
	clear_here
	peer "$(declare -f clear_here); NET=$NET NET6=$NET6; clear_here"
}

# TCP and UDP packets whose checksum the stack found wrong
sums_here()
{
	awk '/^(Tcp|Udp):/ { if (at[$1]) n += $at[$1]; for (i = 2; i <= NF; i++) if ($i == "InCsumErrors") at[$1] = i }
	     END { print n }' /proc/net/snmp
}

wrong_sums() { echo $(($(sums_here) + $(peer "$(declare -f sums_here); sums_here"))); }

# ---- iperf3 ----------------------------------------------------------------------------------------

# A server for one client: one that has lost its client waits for it
serves() { peer "pkill iperf3; iperf3 -s -1 -D >/dev/null; until tcp_listens 5201; do nap 0.1; done"; }

# Everything that was sent has arrived, but for UDP a tenth
iperf() # OPTIONS...
{
	serves
	timeout $((60 * ${CXR_PATIENCE:-1})) iperf3 -J "$@" >/tmp/iperf || { cat /tmp/iperf; return 1; }
	python3 - "$@" <<-'PY'
		import json, sys
		end = json.load(open("/tmp/iperf"))["end"]
		udp = "-u" in sys.argv
		for way in ("", "_bidir_reverse"):
		    if way and "--bidir" not in sys.argv:
		        continue
		    got = end["sum_received" + way]
		    print(f"{got['bytes']} bytes, {got['bits_per_second'] / 1e6:.0f} Mbit/s", f"{got['lost_percent']:.1f} % lost" if udp else "")
		    assert got["bytes"] > 100000 and not (udp and got["lost_percent"] > 10)
	PY
}

all_kinds() # ADDRESS
{
	local before

	before=$(wrong_sums)
	iperf -c "$1" -n 8M
	iperf -c "$1" -n 8M -R
	iperf -c "$1" -n 8M -P 8
	iperf -c "$1" -t 2 --bidir
	iperf -c "$1" -t 2 -u -b 8M -l 1200 -w $UDP_BUFFER
	iperf -c "$1" -t 2 -u -b 8M -l 1200 -w $UDP_BUFFER -R
	[ "$(wrong_sums)" = "$before" ] || fail "$(($(wrong_sums) - before)) packets had a wrong checksum"
}

over_address() { all_kinds "$("$1")"; } # peer_ip|peer_ip6
over_jumbo()
{
	ready 9000
	all_kinds "$(peer_ip)"
	all_kinds "$(peer_ip6)"
}

# ---- devices on top --------------------------------------------------------------------------------

# The device NAME here, and on b, has addresses, is up, and carries data both ways
carries() # NAME PEER-NAME [BYTES]
{
	local before bytes=${3:-2000000}

	before=$(wrong_sums)
	ip addr add $NET.1/24 dev "$1"
	ip addr add ${NET6}:1/64 dev "$1" nodad
	ip link set "$1" up
	peer "ip addr add $NET.2/24 dev $2; ip addr add ${NET6}:2/64 dev $2 nodad; ip link set $2 up"
	wait_until 30 ping -q -c 1 -W 1 $NET.2 >/dev/null || fail "$1 does not reach the peer"
	ping -q -i 0.05 -c 10 -s 1000 -W 2 $NET.2
	ping -q -i 0.05 -c 5 -s 8000 -W 2 ${NET6}:2
	tcp_both_ways "$bytes" $NET.2
	tcp_both_ways $((bytes / 4)) ${NET6}:2
	iperf -c $NET.2 -t 2 -P 4
	[ "$(wrong_sums)" = "$before" ] || fail "$(($(wrong_sums) - before)) packets had a wrong checksum"
}

both_add() # NAME WORDS-HERE WORDS-ON-B
{
	# shellcheck disable=SC2086
	ip link add "$1" $2
	peer "ip link add $1 $3"
}

over_vlan()
{
	trap clear_away EXIT
	both_add st-vlan "link $netdev type vlan id 81" "link $peer_netdev type vlan id 81"
	carries st-vlan st-vlan
}

over_macvlan()
{
	trap clear_away EXIT
	both_add st-macvlan "link $netdev type macvlan mode bridge" "link $peer_netdev type macvlan mode bridge"
	carries st-macvlan st-macvlan
}

over_ipvlan()
{
	trap clear_away EXIT
	modprobe ipvlan
	ip netns add st-space
	trap 'ip netns del st-space; clear_away' EXIT
	ip link add st-ipvlan link "$netdev" type ipvlan mode l2
	ip link set st-ipvlan netns st-space
	ip -n st-space addr add $NET.1/24 dev st-ipvlan
	ip -n st-space link set st-ipvlan up
	peer "ip addr add $NET.2/24 dev $peer_netdev"
	wait_until 30 ip netns exec st-space ping -q -c 1 -W 1 $NET.2 >/dev/null
	serves
	ip netns exec st-space iperf3 -c $NET.2 -n 4M
}

over_vxlan()
{
	trap clear_away EXIT
	both_add st-vxlan "type vxlan id 81 dstport 4789 local $(my_ip) remote $(peer_ip)" \
		"type vxlan id 81 dstport 4789 local $(peer_ip) remote $(my_ip)"
	carries st-vxlan st-vxlan
}

# The port belongs to another device, and has no address of its own meanwhile
over_port_of() # NAME ADD-COMMAND
{
	trap 'clear_away; ends_up 1500' EXIT
	ip link set "$netdev" down
	eval "$2"
	ip link set "$netdev" master "$1"
	ip link set "$netdev" up
	carries "$1" "$peer_netdev"
}

over_bridge() { over_port_of st-bridge "ip link add st-bridge type bridge"; }
over_bond() { over_port_of st-bond "ip link add st-bond type bond mode active-backup miimon 100"; }
over_team()
{
	modprobe -a team team_mode_roundrobin
	over_port_of st-team "ip link add st-team type team; teamnl st-team setoption mode roundrobin"
}

over_wireguard()
{
	local mine theirs

	trap clear_away EXIT
	modprobe wireguard
	(umask 077; mkdir -p $KEYS; wg genkey >$KEYS/key)
	mine=$(wg pubkey <$KEYS/key)
	theirs=$(peer "umask 077; mkdir -p $KEYS; wg genkey >$KEYS/key; wg pubkey <$KEYS/key; modprobe wireguard")
	both_add st-wg "type wireguard" "type wireguard"
	wg set st-wg private-key $KEYS/key listen-port 51820 peer "$theirs" allowed-ips 0.0.0.0/0,::/0 endpoint "$(peer_ip):51820"
	peer "wg set st-wg private-key $KEYS/key listen-port 51820 peer $mine allowed-ips 0.0.0.0/0,::/0 endpoint $(my_ip):51820"
	carries st-wg st-wg 200000	# the processor is emulated
}

leave()
{
	clear_away
	buffers $KERNELS_BUFFER
	peer "pkill iperf3 || true"
	programs_down
}

export KTAP_TIMEOUT=200
ktap_setup ready
ktap_test iperf.ipv4 "iperf3 over IPv4: TCP and UDP, one stream and eight, each way and both" over_address peer_ip
ktap_test iperf.ipv6 "iperf3 over IPv6: TCP and UDP, one stream and eight, each way and both" over_address peer_ip6
ktap_test iperf.jumbo "iperf3 with an MTU of 9000, over IPv4 and IPv6" over_jumbo
ktap_setup ready
ktap_test vlan "a VLAN on the interface" over_vlan
ktap_test macvlan "a macvlan on the interface" over_macvlan
ktap_test ipvlan "an ipvlan in another network namespace" over_ipvlan
ktap_test vxlan "a VXLAN over the interface" over_vxlan
ktap_test bridge "the interface as port of a bridge" over_bridge
ktap_test bond "the interface as port of a bond" over_bond
ktap_test team "the interface as port of a team" over_team
ktap_test wireguard "WireGuard over the interface" over_wireguard
ktap_finally leave
ktap_end
