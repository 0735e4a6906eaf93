#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The headers of frames of a path: RoCE version of its GID, VLAN and priority, traffic class, hop limit, flow label and UDP
# source port, for RC, UC, UD and rdma_cm; ends with different versions; and the MTU of the port.
# guests: 2
# ledger: yes
# takes: 80
# turn: yes
# drivers: cxr mlx5
# timeout: 600
# windows: yes
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/window.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

XFER_PORT=7002
FLOWS_PORT=7004
VLAN=100
CM=/sys/kernel/config/rdma_cm

vlan_ip() { echo "10.79.0.$(guest_number "${1:-$CXR_GUEST}")"; }

# Run here and on b: create the VLAN pv100 with an address, and print its GID indices; reset the hop limits
vlan_up() # ADDRESS PREFIX
{
	modprobe 8021q
	[ -e /sys/class/net/pv100 ] || ip link add link "$(driver_netdev)" name pv100 type vlan id $VLAN || return
	ip link set pv100 up && ip addr replace "$1/24" dev pv100 && route_hops_here 64 64 || return
	wait_until 20 gid_index "$(driver_ibdev)" v2 "$1" >/dev/null || return
	echo "${2}gid[v1-vlan]=$(gid_index "$(driver_ibdev)" v1 "$1") ${2}gid[v2-vlan]=$(gid_index "$(driver_ibdev)" v2 "$1")"
}

# The hop limits of routes, IPv4 and IPv6
route_hops_here()
{
	echo "$1" >/proc/sys/net/ipv4/ip_default_ttl && echo "$2" >"/proc/sys/net/ipv6/conf/$(driver_netdev)/hop_limit"
}

on_peer() { peer "VLAN=$VLAN; $(declare -f vlan_up route_hops_here); $*"; }

ready()
{
	ends_up 4200
	vlan_up "$(vlan_ip)" "" >>$ENDS
	on_peer vlan_up "$(vlan_ip b)" peer_ >>$ENDS
	wait_until 20 ping -q -c 1 -W 1 "$(vlan_ip b)" >/dev/null
	wait_until 20 ping -q -c 1 -W 1 "$(peer_ip6)" >/dev/null
	PEER_TIMEOUT=3000 peer_serves xfer "tcp_listens $XFER_PORT" run_python selftests/lib/xfer.py serve $XFER_PORT
}

# Set-up for tests of this port only
port_ready() { driver_up 4200 && ends_here "" >$ENDS; }

before_each()
{
	ends_know
	jobs=()
}

# Transfer data to the peer and check every byte: NAME=VALUE... [+ NAME=VALUE...]...
xfer()
{
	run_python selftests/lib/xfer.py run b $XFER_PORT "dev=$dev" "peer_dev=$peer_dev" "netdev=$netdev" sizes=3000 count=4 "$@"
}

# Starting programs is slow: add_send collects transfers, and send_all runs them together.
add_send() # OP GIDS WORDS [NAME=VALUE...]: the frames must match WORDS
{
	jobs+=(+ "op=$1" "gid=${gid[$2]}" "peer_gid=${peer_gid[$2]}" "window=min=4 $3" "${@:4}")
}

send_all() { xfer "${jobs[@]}"; }

# ---- versions --------------------------------------------------------------------------------------

plain() # OP
{
	add_send "$1" v1 "type=v1 vlan=none sport=none"
	add_send "$1" v2 "type=v2/IPv4 vlan=none"
	add_send "$1" v6 "type=v2/IPv6 vlan=none"
	send_all
}

# The hop limits of the routes of both guests, IPv4 and IPv6
route_hops()
{
	route_hops_here "$@"
	on_peer route_hops_here "$@"
}

# Class 104 is DSCP 26; service level 13 is priority 5; label 0x12345 folds to 0x2341
marked() # OP HOPS-IPV4 HOPS-IPV6 [NAME=VALUE...]
{
	local op=$1 v4=$2 v6=$3 label=0x12345

	shift 3
	add_send "$op" v1-vlan "type=v1 vlan=$VLAN pcp=3 tclass=104 hops=$v4 flow=$label" sl=3 tclass=104 hops=9 flow=$label "$@"
	add_send "$op" v2-vlan "type=v2/IPv4 vlan=$VLAN pcp=5 dscp=26 hops=$v4 sport=0xe341" sl=13 tclass=104 hops=9 flow=$label "$@"
	add_send "$op" v6 "type=v2/IPv6 pcp=none dscp=63 hops=$v6 flow=0xfffff sport=0xffc0" \
		sl=7 tclass=0xfc hops=255 flow=0xfffff "$@"
	send_all
}

# ib_core replaces the hop limit of a QP's path by that of the route.
connected()
{
	route_hops 7 200
	marked "$1" 7 200
	route_hops 64 64
}

datagrams() { marked datagram 9 255 sizes=1000; }

# Both directions have the UDP source port derived from the two QPNs
sport_of_qpns()
{
	add_send write v2 "type=v2/IPv4 sport=qpns"
	add_send read v6 "type=v2/IPv6 sport=qpns flow=0"
	send_all
}

# Switches select a path by it: the source ports of many connections are uniformly distributed.
spread_ports()
{
	PEER_TIMEOUT=300 peer_serves flows "tcp_listens $FLOWS_PORT" run_python selftests/lib/flows.py serve $FLOWS_PORT
	run_python selftests/lib/flows.py run b $FLOWS_PORT 256 "$dev" "${gid[v2]}" "$peer_dev" "${peer_gid[v2]}" "$netdev" \
		"min=256 type=v2/IPv4 spread=256 to=$peer_mac"
	peer_wait flows
}

# UCX passes a flow label of 32 bits in all its addresses. A query returns the label in the packets.
wide_label() # OP
{
	add_send "$1" v1 "type=v1 flow=0xfffff" flow=0xffffffff sizes=1000
	add_send "$1" v2 "type=v2/IPv4 sport=0xffc0" flow=0xffffffff sizes=1000
	add_send "$1" v6 "type=v2/IPv6 flow=0xfffff sport=0xffc0" flow=0xffffffff sizes=1000
	send_all
}

wide_label_of_a_qp()
{
	wide_label write
	run_python "$(dirname "$0")/path_labels.py" label "$dev" "${gid[v2]}"
}

refusals() { dmesg -l warn | grep "$dev: address of python3\[[0-9]*\] refused: there is no static rate 1\$" || true; }

# A rate-limited warning. The in-tree driver refuses in silence.
refusal_logged()
{
	local before after

	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver does not say why"
	before=$(refusals | wc -l)
	run_python "$(dirname "$0")/path_labels.py" refused "$dev" "${gid[v2]}"
	after=$(refusals | wc -l)
	refusals
	[ "$after" -gt "$before" ]
	[ $((after - before)) -lt 100 ]
}

# Without an ECN codepoint in the traffic class the packet is ECT(0); a given codepoint is kept.
ecn()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver sets ECN for UD only"
	add_send write v2 "type=v2/IPv4 tclass=106" tclass=104
	add_send write v2 "type=v2/IPv4 tclass=105" tclass=105
	send_all
}

# Without ACKs retries are exceeded, and the next connection works.
different_versions() # TYPE PEER-TYPE WORDS
{
	local out

	out=$(window "min=2 $3" xfer_fails "gid=${gid[$1]}" "peer_gid=${peer_gid[$2]}")
	echo "$out"
	grep -q 'completion 0: status 12,' <<<"$out"	# IBV_WC_RETRY_EXC_ERR
	add_send write v2 "type=v2/IPv4"
	send_all
}
xfer_fails() { must_fail xfer op=write timeout=12 count=1 "$@"; }

# ---- rdma_cm ---------------------------------------------------------------------------------------

# Set MODE and TOS here and on the peer
cma_defaults()
{
	# shellcheck disable=SC2016
	local set='p=/sys/kernel/config/rdma_cm/$(driver_ibdev); mkdir -p $p &&'

	set="$set echo '$1' >\$p/ports/1/default_roce_mode && echo $2 >\$p/ports/1/default_roce_tos"
	eval "$set"
	peer "$set"
}

# Have both ends stopped sending? The connection manager may still send messages of an earlier connection.
packets() { cat "/sys/class/infiniband/$(driver_ibdev)/ports/1/counters/port_xmit_packets"; }
both_packets() { echo "$(packets) $(peer "$(declare -f packets); packets")"; }
silent()
{
	local before=$sent

	sent=$(both_packets)
	[ "$before" = "$sent" ]
}
wait_silent()
{
	local sent

	sent=$(both_packets)
	sleep 1
	until silent; do sleep 1; done
}

# Connections of rdma_cm have its version and traffic class, from the first message of the connection manager on.
# Both ends of ib_send_bw disconnect: ib_cm's reply to a duplicate DREQ has no traffic class (cm.sh checks its messages).
cm() # MODE WORDS
{
	modprobe rdma_cm
	cma_defaults "$1" 104
	wait_silent	# no messages of an earlier connection
	window_frame "begin min=10 $2 : rdma_cm, $1"
	ends_cm ib_send_bw -s 1000 -n 10
	wait_silent
	window_frame end
}

# ---- MTU -------------------------------------------------------------------------------------------

active_mtu() { ibv_devinfo -d "$dev" | sed -n 's/.*active_mtu:[[:space:]]*\([0-9]*\).*/\1/p'; }
active_mtu_is() { [ "$(active_mtu)" = "$1" ]; }

active_mtus()
{
	local pair

	for pair in 352:256 607:256 608:512 1119:512 1120:1024 2143:1024 2144:2048 4191:2048 4192:4096 9000:4096; do
		ip link set "$netdev" mtu "${pair%:*}"
		echo "$pair: $(active_mtu)"
		active_mtu_is "${pair#*:}"
	done
}

too_small()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver reports an invalid MTU"
	ip link set "$netdev" mtu 351
	active_mtu_is 256
}

events() { grep -c PORT_ACTIVE /tmp/path-events || true; }
events_are() { [ "$(events)" = "$1" ]; }

more_gids() { [ "$(grep -c GID_CHANGE /tmp/path-events)" -gt "$1" ]; }

# One event for each change of the active MTU of an active port, none for other changes of the netdev's MTU
mtu_event()
{
	local watch gids

	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver raises no event for an MTU change"
	ip link set "$netdev" mtu 4200
	stdbuf -oL ibv_asyncwatch -d "$dev" >/tmp/path-events &
	watch=$!
	wait_until 10 grep -q 'async event FD' /tmp/path-events
	ip link set "$netdev" mtu 1500
	wait_until 10 events_are 1
	ip link set "$netdev" mtu 1600
	ip link set "$netdev" mtu 4200
	wait_until 10 events_are 2
	ip link set "$netdev" down
	ip link set "$netdev" mtu 1500
	ip link set "$netdev" up
	wait_until 20 events_are 3
	active_mtu_is 1024
	# no more of them before the next GID event
	gids=$(grep -c GID_CHANGE /tmp/path-events || true)
	ip addr add 10.78.9.1/32 dev "$netdev"
	wait_until 10 more_gids "$gids"
	cat /tmp/path-events
	events_are 3
	kill $watch
}

leave()
{
	ends_stop
	[ ! -d "$CM/$(driver_ibdev)" ] || cma_defaults "RoCE v2" 0
	route_hops 64 64
	ip link del pv100 2>/dev/null || true
	rmdir $CM/* 2>/dev/null || true
	peer "ip link del pv100 2>/dev/null; rmdir $CM/* 2>/dev/null; true"
	driver_net_up 4200
}

ktap_setup ready
ktap_test version.rc "RC uses the RoCE version of its GID" plain send
ktap_test version.uc "UC uses the RoCE version of its GID" plain uc_send
ktap_test version.ud "UD uses the RoCE version of its address handle's GID" plain datagram
ktap_test marks.rc "RC: priority, traffic class, flow label and UDP source port of the path, hop limit of the route" connected write
ktap_test marks.uc "UC: priority, traffic class, flow label and UDP source port of the path, hop limit of the route" connected uc_send
ktap_test marks.ud "UD: priority, traffic class, hop limit, flow label and UDP source port of the address handle" datagrams
ktap_test sport.qpns "without a flow label the UDP source port is derived from the QPNs" sport_of_qpns
ktap_test sport.spread "the UDP source ports of 256 connections are evenly spread" spread_ports
ktap_test label.wide.rc "RC: only the low 20 bits of a flow label are used" wide_label_of_a_qp
ktap_test label.wide.ud "UD: only the low 20 bits of a flow label are used" wide_label datagram
ktap_test refused.told "a refused address is logged with program and reason" refusal_logged
ktap_test ecn "a traffic class without an ECN codepoint gets ECT(0)" ecn
ktap_test v1.to.v2 "v1 GID here, v2 GID at the peer: retries exceeded" different_versions v1 v2 type=v1
ktap_test v2.to.v1 "v2 GID here, v1 GID at the peer: retries exceeded" different_versions v2 v1 type=v2/IPv4
ktap_test cm.v2 "rdma_cm connects over RoCE v2 with the default traffic class" cm "RoCE v2" "type=v2/IPv4 dscp=26 except=1"
ktap_test cm.v1 "rdma_cm connects over RoCE v1 where that is the default" cm "IB/RoCE v1" "type=v1 tclass=104"
ktap_setup port_ready
ktap_test mtu.largest "the active MTU is the largest that leaves 96 bytes of the netdev's MTU" active_mtus
ktap_test mtu.too.small "the active MTU is 256 if the netdev's MTU is too small" too_small
ktap_test mtu.event "a change of the active MTU raises an event" mtu_event
ktap_finally leave
ktap_end
