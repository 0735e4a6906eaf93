#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# What the device does for packets: checksums, segmentation, hash, and tags of VLANs.
# guests: 2
# ledger: yes
# takes: 60
# turn: yes
# drivers: cxr mlx5
# timeout: 900
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

before_each() { ends_know; }

offload_is() # NAME on|off
{
	local name

	case $1 in
	rx) name=rx-checksumming ;;
	tx) name=tx-checksumming ;;
	sg) name=scatter-gather ;;
	tso) name=tcp-segmentation-offload ;;
	gro) name=generic-receive-offload ;;
	rxhash) name=receive-hashing ;;
	txvlan) name=tx-vlan-offload ;;
	rxvlan) name=rx-vlan-offload ;;
	*) return 2 ;;
	esac
	ethtool -k "$netdev" | grep -q "^$name: $2"
}

offload() # NAME on|off...
{
	ethtool -K "$netdev" "$@"
	while [ $# -gt 0 ]; do
		offload_is "$1" "$2" || fail "$1 is not $2"
		shift 2
	done
}

ready()
{
	driver_unload
	peer "ip link del en.100 2>/dev/null || true; ip link del en.200 2>/dev/null || true"
	ends_up 1500
	ends_know
	# otherwise it reports CHECKSUM_COMPLETE instead of CHECKSUM_UNNECESSARY
	[ "$CXR_DRIVER" != mlx5 ] || ethtool --set-priv-flags "$netdev" rx_no_csum_complete on
	obey_start tap python3 -B selftests/lib/tap.py "$netdev" $TCP_PORT
}

# Transfer data both ways, and check that WORDS of lib/tap.py hold at the interface. GRO is off by default, since it hides
# the checksum status.
check_offloads() # "WORDS" [ADDRESS]
{
	obey tap begin
	tcp_both_ways 256K "${2:-}"
	obey tap end "$1"
}

# With all offloads on, except those named, check that WORDS hold
with_offloads() # "NAME on|off..." "WORDS"
{
	local -A is=([tx]=on [sg]=on [tso]=on [rx]=on [rxhash]=on [gro]=off)
	local words=$2 name all=()

	# shellcheck disable=SC2086
	set -- $1
	while [ $# -gt 0 ]; do
		is[$1]=$2
		shift 2
	done
	for name in "${!is[@]}"; do all+=("$name" "${is[$name]}"); done
	offload "${all[@]}"
	check_offloads "$words"
}

retransmitted() { awk '/^Tcp:/ { n = $13 } END { print n }' /proc/net/snmp; }

# Packets larger than 64 KiB, if the interface allows them. Their size depends on the round trip time, unless tcp_tso_rtt_log is large.
big_tcp()
{
	local kept before

	[ "$CXR_DRIVER" != mlx5 ] || skip "the in-tree driver copies the TCP header past a field: a warning of the kernel"
	kept=$(cat /proc/sys/net/ipv4/tcp_tso_rtt_log)
	echo 30 >/proc/sys/net/ipv4/tcp_tso_rtt_log
	ip link set "$netdev" gso_max_size 200000
	offload tx on sg on tso on gro off
	obey tap begin
	before=$(retransmitted)
	tcp_both_ways 16M "$(peer_ip6)" 1048576
	# the segments of 80 such packets would be sent again as smaller ones if the peer did not take them
	[ $(($(retransmitted) - before)) -lt 50 ] || fail "$(($(retransmitted) - before)) segments were retransmitted"
	ip link set "$netdev" gso_max_size 65536
	echo "$kept" >/proc/sys/net/ipv4/tcp_tso_rtt_log
	obey tap end "out.big=on out.checksum=on"
}

# The kernel puts an extension header of eight bytes of padding before the TCP header
tcp_options()
{
	local ipv6=41 dstopts=59

	offload tx on sg on tso on gro off
	obey tap begin
	tcp_both_ways 1M "$(peer_ip6)" 65536 "setsockopt=$ipv6:$dstopts:x0000010400000000"
	obey tap end "out.options=on out.large=on out.checksum=on in.options=off"
}

gso_packets() { ethtool -S "$netdev" | awk '$1 ~ /^tx[0-9]+_tso_packets:/ { n += $2 } END { print n + 0 }'; }

# Sends of several datagrams, the last of them shorter or not; the device makes them of one packet each, unless that is switched off.
# It does not get a last one that is shorter, nor two of which one is
udp_segments() # peer_ip|peer_ip6
{
	local port=5301 lengths="60000 2500 1001 5000" count=70 by_device=3 state sent before

	trap 'ethtool -K "$netdev" tx-udp-segmentation on' EXIT
	for state in on off; do
		ethtool -K "$netdev" tx-udp-segmentation $state
		peer_serves datagrams "ss -lun | grep -q :5301" "python3 -B selftests/lib/datagrams.py receive $port $count"
		before=$(gso_packets)
		# shellcheck disable=SC2086
		sent=$(python3 -B selftests/lib/datagrams.py send "$("$1")" $port 1000 $lengths)
		[ "$(wc -l <<<"$sent")" = $count ]
		[ "$(peer_wait datagrams)" = "$sent" ] || fail "other datagrams arrived with segmentation $state"
		case $state in
		on) [ $(($(gso_packets) - before)) = $by_device ] ;;
		off) [ "$(gso_packets)" = "$before" ] ;;
		esac
	done
}

# The device knows TCP and UDP over IP: other checksums are the kernel's
other_sums()
{
	local program="python3 -B selftests/lib/partial_sums.py"

	[ "$CXR_DRIVER" != mlx5 ] || skip "the in-tree driver leaves them to the device, which does not know them"
	peer_serves sums "test -e /run/sums" "$program receive $peer_netdev /run/sums; rm /run/sums"
	$program send "$netdev" "$(peer "cat /sys/class/net/$peer_netdev/address")"
	[ "$(peer_wait sums | tee /dev/stderr | grep -c ": right$")" = 3 ]
}

vlan_ping()
{
	local out in

	ip link add link "$netdev" name en.100 type vlan id 100
	ip addr add 10.78.0.1/24 dev en.100
	ip link set en.100 up
	peer "ip link add link $peer_netdev name en.100 type vlan id 100 && ip addr add 10.78.0.2/24 dev en.100 &&
	      ip link set en.100 up"
	for out in off on; do
		in=on
		[ $out = off ] || in=off
		offload txvlan $out rxvlan $in
		wait_until 20 ping -q -c 1 -W 1 10.78.0.2 >/dev/null
		pings -M "do" -s 1472 10.78.0.2
		peer_pings "-M do -s 1472 10.78.0.1"
		check_offloads "out.tag=$out" 10.78.0.2
	done
	offload txvlan on rxvlan on
	check_offloads "out.tag=on" 10.78.0.2
	ip link del en.100
	peer "ip link del en.100"
}

# The peer receives nothing if the tag has another type
vlan_service()
{
	local out

	trap 'ip link del en.200; peer "ip link del en.200"' EXIT
	ip link add link "$netdev" name en.200 type vlan proto 802.1ad id 200
	ip addr add 10.78.1.1/24 dev en.200
	ip link set en.200 up
	peer "ip link add link $peer_netdev name en.200 type vlan proto 802.1ad id 200 && ip addr add 10.78.1.2/24 dev en.200 &&
	      ip link set en.200 up"
	for out in off on; do
		ethtool -K "$netdev" tx-vlan-stag-hw-insert $out
		ethtool -k "$netdev" | grep -x "tx-vlan-stag-hw-insert: $out"
		wait_until 20 ping -q -c 1 -W 1 10.78.1.2 >/dev/null
		check_offloads "out.tag=$out" 10.78.1.2
	done
}

vlan_peer_ip() { echo 10.78.0.2; }

# What the tag is inserted into is segmented like the rest
udp_vlan()
{
	vlan_ends en.100 100
	wait_until 20 ping -q -c 1 -W 1 10.78.0.2 >/dev/null
	(udp_segments vlan_peer_ip)
}

# The device would strip the inner tag as if it were the outer one: while there is an 802.1ad VLAN it strips none
vlan_both()
{
	trap 'offload rxvlan on; ip link del en.200 || true; peer "ip link del en.200"' EXIT
	offload rxvlan on
	ip link add link "$netdev" name en.200 type vlan proto 802.1ad id 200
	offload_is rxvlan off
	must_fail ethtool -K "$netdev" rxvlan on
	offload_is rxvlan off
	ip link add link en.200 name en.200.100 type vlan id 100
	ip addr add 10.78.2.1/24 dev en.200.100
	ip link set en.200 up
	ip link set en.200.100 up
	peer "ip link add link $peer_netdev name en.200 type vlan proto 802.1ad id 200 && ip link add link en.200 name en.200.100 type vlan id 100 &&
	      ip addr add 10.78.2.2/24 dev en.200.100 && ip link set en.200 up && ip link set en.200.100 up"
	wait_until 20 ping -q -c 1 -W 1 10.78.2.2 >/dev/null
	pings 10.78.2.2
	peer_pings 10.78.2.1
	ip link del en.200
	offload_is rxvlan on
}

# What the peer's tags say arrives, also of a tag that the device strips
vlan_priority()
{
	local in pid

	trap 'offload rxvlan on; ip link del en.100; peer "ip link del en.100"' EXIT
	ip link add link "$netdev" name en.100 type vlan id 100
	ip addr add 10.78.0.1/24 dev en.100
	ip link set en.100 up
	peer "ip link add link $peer_netdev name en.100 type vlan id 100 egress-qos-map 0:5 && ip addr add 10.78.0.2/24 dev en.100 &&
	      ip link set en.100 up"
	for in in on off; do
		offload rxvlan $in
		wait_until 20 ping -q -c 1 -W 1 10.78.0.2 >/dev/null
		tcpdump --immediate-mode -e -n -c 1 -i "$netdev" vlan 100 and icmp and src 10.78.0.2 >/tmp/tag 2>/tmp/listens &
		pid=$!
		wait_until 30 grep -q '^listening' /tmp/listens
		peer_pings "10.78.0.1"
		wait $pid
		cat /tmp/tag
		grep -q "vlan 100, p 5," /tmp/tag
	done
}

leave()
{
	obey_stop tap
	ends_stop
}

ktap_setup ready
ktap_test all "all offloads on: TSO, checksums both ways, receive hash" \
	with_offloads "" "out.large=on out.checksum=on in.large=off in.checksum=on in.hash=on"
ktap_test tso "TSO off: the stack segments" \
	with_offloads "tso off" "out.large=off out.checksum=on in.checksum=on in.hash=on"
ktap_test sg "scatter-gather off: no TSO, TX checksums are still offloaded" \
	with_offloads "sg off tso off" "out.large=off out.checksum=on in.checksum=on in.hash=on"
ktap_test tx "TX checksum off: the stack computes checksums" \
	with_offloads "tx off tso off" "out.large=off out.checksum=off in.checksum=on in.hash=on"
ktap_test rx "RX checksum off: no packet is marked as verified" \
	with_offloads "rx off" "out.large=on out.checksum=on in.checksum=off in.hash=on"
ktap_test rxhash "receive hashing off: no packet has a hash" \
	with_offloads "rxhash off" "out.large=on out.checksum=on in.checksum=on in.hash=off"
ktap_test gro "GRO on: received packets are merged" with_offloads "gro on" "out.large=on in.large=on in.hash=on"
ktap_test udp "the device segments sends of several UDP datagrams over IPv4" udp_segments peer_ip
ktap_test udp6 "the device segments sends of several UDP datagrams over IPv6" udp_segments peer_ip6
ktap_test other "packets with checksums that the device does not know get them from the kernel" other_sums
KTAP_TIMEOUT=300 ktap_test tcp.big "TCP over IPv6 sends packets of more than 64 KiB, segmented by the device" big_tcp
KTAP_TIMEOUT=300 ktap_test tcp.options "TCP behind an IPv6 extension header is segmented and summed by the device" tcp_options
KTAP_TIMEOUT=300 ktap_test vlan "a VLAN works with tag insertion and stripping on and off" vlan_ping
ktap_test vlan.service "an 802.1ad VLAN works with tag insertion on and off" vlan_service
ktap_test vlan.udp "the device segments sends of several UDP datagrams over a VLAN" udp_vlan
ktap_test vlan.both "a VLAN in an 802.1ad VLAN works: the device then strips no tags" vlan_both
ktap_test vlan.priority "the priority of a tag arrives, whether the device strips it or not" vlan_priority
ktap_finally leave
ktap_end
