#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Tunnels over the interface: VXLAN, GRE and IP in IP, whose inner packets the device segments, and whose inner checksums it computes
# and verifies.
# guests: 2
# cpus: 2
# takes: 150
# turn: yes
# timeout: 600
# drivers: cxr mlx5
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

before_each() { ends_know; }

IN4=10.90.0.2	# the peer's addresses in the tunnel
IN6=fd90::2
IANA=4789
OTHER=8472

ready()
{
	emu fault clear >/dev/null
	ends_up 1500
	ends_know
	no_tunnel
	# otherwise it passes on the sum of the packet, whatever the device has verified
	[ "$CXR_DRIVER" != mlx5 ] || ethtool --set-priv-flags "$netdev" rx_no_csum_complete on
}

no_tunnel()
{
	ip link del tun 2>/dev/null || true
	peer "ip link del tun 2>/dev/null || true"
}

# A tunnel between both ends, until the end of the test. WORDS as of ip link add tun type; OVER is 4 or 6
tunnel() # OVER WORDS...
{
	local ours theirs

	if [ "$1" = 4 ]; then
		ours="local $(my_ip) remote $(peer_ip)" theirs="local $(peer_ip) remote $(my_ip)"
	else
		ours="local $(my_ip6) remote $(peer_ip6)" theirs="local $(peer_ip6) remote $(my_ip6)"
	fi
	shift
	trap no_tunnel EXIT
	# shellcheck disable=SC2086
	ip link add tun type "$@" $ours dev "$netdev"
	ip addr add 10.90.0.1/24 dev tun
	ip addr add fd90::1/64 dev tun nodad
	ip link set tun up
	peer "ip link add tun type $* $theirs dev $peer_netdev && ip addr add $IN4/24 dev tun && ip addr add $IN6/64 dev tun nodad &&
	      ip link set tun up"
	wait_until 20 ping -q -c 1 -W 1 $IN4 >/dev/null
}

# What all queues have counted
counted() { ethtool -S "$netdev" | awk -v name="^$1[0-9]+_$2:" '$1 ~ name { n += $2 } END { print n + 0 }'; } # rx|tx NAME

inner_counts() { echo "$(counted tx csum_partial_inner) $(counted tx tso_inner_packets) $(counted rx csum_unnecessary_inner)"; }

# How many packets the device has computed checksums for, segmented, and verified since BEFORE
inner_since() { inner_counts | awk -v b="$BEFORE" '{ split(b, was); print $1 - was[1], $2 - was[2], $3 - was[3] }'; }

# Data both ways, of which WORDS tell what the device has done: csum, tso, verified, each =on or =off
acts() # "WORDS" ADDRESS
{
	local csum tso verified word name is

	BEFORE=$(inner_counts)
	tcp_both_ways 1M "$2"
	read -r csum tso verified <<<"$(inner_since)"
	echo "in the tunnel the device has computed $csum checksums, segmented $tso packets, verified $verified"
	for word in $1; do
		name=${word%=*} is=off
		# of most packets with data, and not of a few others
		[ "${!name}" -lt 20 ] || is=on
		[ "$is" = "${word#*=}" ] || fail "$word does not hold"
	done
}

ALL="csum=on tso=on verified=on"
NONE="csum=off tso=off verified=off"

# Data with all offloads, over IPv4 and IPv6 in the tunnel, and packets that have to be fragmented
offloads() # OVER WORDS...
{
	tunnel "$@"
	acts "$ALL" $IN4
	acts "$ALL" $IN6
	ping -q -c 3 -i 0.2 -W 2 -s 4000 $IN4 >/dev/null
	no_bad_sums
}

# The kernel says so if the device has told a wrong sum
no_bad_sums() { lacks "hw csum failure" dmesg; }

with_checksums() # OVER WORDS...
{
	[ "$CXR_DRIVER" = cxr ] || [[ $2 != gre ]] || skip "the in-tree driver leaves the checksum of the GRE header to the device"
	offloads "$@"
}

ip_in_ip4()
{
	tunnel 4 ipip
	acts "$ALL" $IN4
	no_bad_sums
}

sit()
{
	tunnel 4 sit mode any
	acts "$ALL" $IN4
	acts "$ALL" $IN6
	no_bad_sums
}

# Also with an extension header in front of the tunnel, which is the default
ip_in_ip6()
{
	tunnel 6 ip6tnl mode any encaplimit none
	acts "$ALL" $IN4
	acts "$ALL" $IN6
	no_tunnel
	tunnel 6 ip6tnl mode any
	acts "$ALL" $IN4
	acts "$ALL" $IN6
	no_bad_sums
}

# VXLAN over a VLAN
over_vlan()
{
	trap 'no_tunnel; ip link del tun.vlan; peer "ip link del tun.vlan"' EXIT
	ip link add link "$netdev" name tun.vlan type vlan id 90
	ip addr add 10.91.0.1/24 dev tun.vlan
	ip link set tun.vlan up
	peer "ip link add link $peer_netdev name tun.vlan type vlan id 90 && ip addr add 10.91.0.2/24 dev tun.vlan && ip link set tun.vlan up"
	ip link add tun type vxlan id 5 dstport $IANA local 10.91.0.1 remote 10.91.0.2 dev tun.vlan
	ip addr add 10.90.0.1/24 dev tun
	ip link set tun up
	peer "ip link add tun type vxlan id 5 dstport $IANA local 10.91.0.2 remote 10.91.0.1 dev tun.vlan && ip addr add $IN4/24 dev tun &&
	      ip link set tun up"
	wait_until 20 ping -q -c 1 -W 1 $IN4 >/dev/null
	acts "$ALL" $IN4
}

# ---- packets between stack and interface ----

with_tap()
{
	ready
	obey_start tap python3 -B selftests/lib/tap.py "$netdev" $TCP_PORT
}

# Data through the tunnel, of which WORDS of lib/tap.py hold; GRO hides the checksum status
seen() # "WORDS"
{
	obey tap begin
	tcp_both_ways 256K $IN4
	obey tap end "$1"
}

switched() # OFFLOAD "WORDS" "WORDS"
{
	trap 'no_tunnel; ethtool -K "$netdev" tx on rx on tso on gso on gro on' EXIT
	ethtool -K "$netdev" tx on rx on tso on gro off
	seen "$2"
	# shellcheck disable=SC2086
	ethtool -K "$netdev" $1 off
	seen "$3"
}

seen_segmentation()
{
	tunnel 4 vxlan id 5 dstport $IANA
	switched tx-udp_tnl-csum-segmentation "out.large=on out.checksum=on in.checksum=on in.large=off" "out.large=off"
	ethtool -K "$netdev" tx-udp_tnl-csum-segmentation on
	no_tunnel
	tunnel 4 vxlan id 5 dstport $IANA noudpcsum
	switched tx-udp_tnl-segmentation "out.large=on out.checksum=on in.checksum=on in.large=off" "out.large=off"
	ethtool -K "$netdev" tx-udp_tnl-segmentation on
}

seen_checksums()
{
	tunnel 4 vxlan id 5 dstport $IANA
	switched tx "out.checksum=on in.checksum=on" "out.large=off out.checksum=off in.checksum=on"
}

seen_verified()
{
	tunnel 4 vxlan id 5 dstport $IANA
	switched rx "in.checksum=on" "in.checksum=off out.large=on"
}

# ---- ports ----

# The ports that the kernel has told the driver
ports_are() { ethtool --show-tunnels "$netdev" | awk '$1 == "port" { print $2 + 0 }' | sort -n | paste -sd ' '; }
ports_become() { wait_until 10 eval "[ \"\$(ports_are)\" = \"$*\" ]" || fail "the ports are: $(ports_are), not $*"; }

shown()
{
	ethtool --show-tunnels "$netdev" | grep "Types: vxlan"
	ports_become $IANA
}

other_port()
{
	tunnel 4 vxlan id 5 dstport $OTHER
	ports_become $IANA $OTHER
	acts "$ALL" $IN4
	no_tunnel
	ports_become $IANA
}

# One port more than the card has: the kernel finds no place for it. The peer's card knows it.
unknown_port()
{
	local i

	trap 'no_tunnel; for i in 1 2 3; do ip link del "full$i"; done; ports_become $IANA' EXIT
	for i in 1 2 3; do ip link add "full$i" type vxlan id "7$i" dstport "700$i" local "$(my_ip)" dev "$netdev" && ip link set "full$i" up; done
	ports_become $IANA 7001 7002 7003
	tunnel 4 vxlan id 5 dstport $OTHER
	trap 'no_tunnel; for i in 1 2 3; do ip link del "full$i"; done; ports_become $IANA' EXIT
	ports_become $IANA 7001 7002 7003
	acts "$NONE" $IN4
	no_bad_sums
	# with a place it is known
	ip link set full1 down
	no_tunnel
	tunnel 4 vxlan id 5 dstport $OTHER
	trap 'no_tunnel; for i in 1 2 3; do ip link del "full$i"; done; ports_become $IANA' EXIT
	ports_become $IANA 7002 7003 $OTHER
	acts "$ALL" $IN4
}

# The card refuses a port: the kernel says so, and the tunnel works without offloads
refused_port()
{
	[ "$CXR_DRIVER" = cxr ] || skip "a warning of the kernel: the in-tree driver does not know a port that the card has refused"
	trap 'emu fault clear >/dev/null; no_tunnel' EXIT
	emu fault "$CXR_GUEST" command add_vxlan_udp_dport status no_res times=all >/dev/null
	tunnel 4 vxlan id 5 dstport $OTHER
	wait_until 10 eval 'kmsg | grep "UDP tunnel port sync failed port $OTHER type vxlan"'
	acts "$NONE" $IN4
	no_tunnel
	emu fault clear >/dev/null
	tunnel 4 vxlan id 5 dstport $OTHER
	ports_become $IANA $OTHER
	acts "$ALL" $IN4
}

# ---- over time ----

# The tunnel of the other port carries data, and the device knows its port
acts_again()
{
	wait_until 20 ping -q -c 1 -W 1 $IN4 >/dev/null
	ports_become $IANA $OTHER
	acts "$ALL" $IN4
}

down_and_up()
{
	tunnel 4 vxlan id 5 dstport $OTHER
	ip link set "$netdev" down
	ip link set "$netdev" up
	wait_until 20 reachable
	acts_again
}

after_reset()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver makes a new netdev"
	tunnel 4 vxlan id 5 dstport $OTHER
	ports_become $IANA $OTHER
	echo 1 >"/sys/bus/pci/devices/$(driver_bdfs | head -n 1)/reset"
	wait_until 20 reachable
	acts_again
}

after_crash()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver makes a new netdev"
	tunnel 4 vxlan id 5 dstport $OTHER
	ends_crash a 1500
	acts_again
}

# ---- RSS ----

spread() { echo "$(counter rx0_packets) $(counter rx1_packets)"; }

# Many connections between one pair of addresses of the tunnel
spreads()
{
	local before after i

	[ "$(channels_are)" = 2 ] || ethtool -L "$netdev" combined 2
	set_rss equal 2
	tunnel 4 gre
	peer_serves sink "ss -ltn | grep -q ':5010 '" "socat -u TCP6-LISTEN:5010,fork,reuseaddr,ipv6only=0 OPEN:/dev/null"
	before=$(spread)
	for i in {1..40}; do socat -u STDIN "TCP:$IN4:5010" <<<"$i"; done
	after=$(spread)
	peer_kill sink
	echo "packets of the queues before and after: $before, $after"
	[ $((${after% *} - ${before% *})) -ge 20 ]
	[ $((${after#* } - ${before#* })) -ge 20 ]
}

ktap_setup ready
# changes: rxQ_csum_unnecessary_inner txQ_csum_partial_inner txQ_tso_inner_packets
ktap_test vxlan.ipv4 "VXLAN over IPv4" offloads 4 vxlan id 5 dstport $IANA
ktap_test vxlan.ipv4.no-checksum "VXLAN over IPv4, without checksums of UDP" offloads 4 vxlan id 5 dstport $IANA noudpcsum
ktap_test vxlan.ipv6 "VXLAN over IPv6" offloads 6 vxlan id 5 dstport $IANA
ktap_test vxlan.ipv6.no-checksum "VXLAN over IPv6, without checksums of UDP" \
	offloads 6 vxlan id 5 dstport $IANA udp6zerocsumtx udp6zerocsumrx
ktap_test vxlan.vlan "VXLAN over a VLAN" over_vlan
ktap_test gre.ipv4 "GRE over IPv4" offloads 4 gre
ktap_test gre.ipv4.checksum "GRE over IPv4, with checksums of its own" with_checksums 4 gre csum
ktap_test gre.ipv4.ethernet "Ethernet in GRE over IPv4, with a key" offloads 4 gretap key 7
ktap_test gre.ipv6 "GRE over IPv6" offloads 6 ip6gre encaplimit none
ktap_test gre.ipv6.limit "GRE over IPv6, behind an extension header" offloads 6 ip6gre
ktap_test ip.ipv4 "IPv4 in IPv4" ip_in_ip4
ktap_test ip.ipv4.both "IPv4 and IPv6 in IPv4" sit
ktap_test ip.ipv6 "IPv4 and IPv6 in IPv6" ip_in_ip6
ktap_test ports "the tunnels that the card knows are shown" shown
ktap_test ports.other "another UDP port of VXLAN comes and goes" other_port
ktap_test ports.unknown "a UDP port for which the card has no place works without offloads" unknown_port
ktap_test ports.refused "a UDP port that the card refuses works without offloads" refused_port
ktap_test down "the ports are known over down and up" down_and_up
ktap_test reset "the ports are known after a reset of the function" after_reset
ktap_test crash "the ports are known after a crash of the firmware" after_crash
ktap_test spread "packets of a tunnel are spread by what is in it" spreads
ktap_setup with_tap
ktap_test seen.segmentation "large packets of a tunnel are left to the device" seen_segmentation
ktap_test seen.checksum "checksums in a tunnel are left to the device" seen_checksums
ktap_test seen.verified "checksums in a tunnel are verified by the device" seen_verified
ktap_end
