#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# What is in the frames of a path: the RoCE version of its GID, VLAN and priority, class, hops, flow label and UDP source
# port, for RC, UC and UD and for rdma_cm; ends of different versions; and the MTU of the port.
# guests: 2
# drivers: cxr mlx5
# timeout: 600
# windows: yes
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/window.sh"

XFER_PORT=7002
VLAN=100
CM=/sys/kernel/config/rdma_cm

vlan_ip() { echo "10.79.0.$(guest_number "${1:-$CXR_GUEST}")"; }

# Interface pv100 on the adapter's, with an address
vlan_up()
{
	[ -e /sys/class/net/pv100 ] || ip link add link "$(driver_netdev)" name pv100 type vlan id $VLAN || return
	ip link set pv100 up && ip addr replace "$1/24" dev pv100
}

gids_there() # ADDRESS...
{
	local address type

	for address; do
		for type in v1 v2; do gid_index "$(driver_ibdev)" $type "$address" >/dev/null || return; done
	done
}

ready_both()
{
	modprobe 8021q
	peer "modprobe 8021q"
	driver_load
	driver_net_up 4200
	vlan_up "$(vlan_ip)"
	peer "driver_load && driver_net_up 4200 && VLAN=$VLAN && $(declare -f vlan_up) && vlan_up $(vlan_ip b)"
	wait_until 20 ping -q -c 1 -W 1 "$(peer_ip)" >/dev/null
	wait_until 20 ping -q -c 1 -W 1 "$(vlan_ip b)" >/dev/null
	wait_until 20 ping -q -c 1 -W 1 "$(peer_ip6)" >/dev/null
	wait_until 20 gids_there "$(my_ip)" "$(my_ip6)" "$(vlan_ip)"
	peer "$(declare -f gids_there) && wait_until 20 gids_there $(peer_ip) $(peer_ip6) $(vlan_ip b)"
}

declare -A gid peer_gid		# index by type and kind of address: v1-ipv4 v2-ipv4 v2-ipv6 v1-vlan v2-vlan

find_gids()
{
	local type

	for type in v1 v2; do
		gid[$type-ipv4]=$(gid_index "$dev" $type "$(my_ip)")
		gid[$type-ipv6]=$(gid_index "$dev" $type "$(my_ip6)")
		gid[$type-vlan]=$(gid_index "$dev" $type "$(vlan_ip)")
		read -r "peer_gid[$type-ipv4]" "peer_gid[$type-ipv6]" "peer_gid[$type-vlan]" < <(
			peer "echo \$(for a in $(peer_ip) $(peer_ip6) $(vlan_ip b); do gid_index $peer_dev $type \$a; done)")
	done
}

# To the peer, every byte checked: NAME=VALUE... [+ NAME=VALUE...]...
xfer()
{
	/cxr/selftests/lib/xfer.py run b $XFER_PORT "dev=$dev" "peer_dev=$peer_dev" "netdev=$netdev" sizes=3000 count=4 "$@"
}

# Programs take their time to start: what is to be sent is collected by sends, and goes out by send_all.
sends() # OP GIDS WORDS [NAME=VALUE...]: what is sent has these WORDS
{
	jobs+=(+ "op=$1" "gid=${gid[$2]}" "peer_gid=${peer_gid[$2]}" "window=min=4 $3" "${@:4}")
}

send_all() { xfer "${jobs[@]}"; }

# ---- versions --------------------------------------------------------------------------------------

plain() # OP
{
	sends "$1" v1-ipv4 "type=v1 vlan=none sport=none"
	sends "$1" v2-ipv4 "type=v2/IPv4 vlan=none"
	sends "$1" v2-ipv6 "type=v2/IPv6 vlan=none"
	send_all
}

# The hop limits of the routes of both guests, IPv4 and IPv6
route_hops()
{
	local set="echo $1 >/proc/sys/net/ipv4/ip_default_ttl && echo $2 >/proc/sys/net/ipv6/conf/\$(driver_netdev)/hop_limit"

	eval "$set"
	peer "$set"
}

# Class 104 is DSCP 26; service level 13 is priority 5; label 0x12345 folds to 0x2341
marked() # OP HOPS-IPV4 HOPS-IPV6 [NAME=VALUE...]
{
	local op=$1 v4=$2 v6=$3 label=0x12345

	shift 3
	sends "$op" v1-vlan "type=v1 vlan=$VLAN pcp=3 tclass=104 hops=$v4 flow=$label" sl=3 tclass=104 hops=9 flow=$label "$@"
	sends "$op" v2-vlan "type=v2/IPv4 vlan=$VLAN pcp=5 dscp=26 hops=$v4 sport=0xe341" sl=13 tclass=104 hops=9 flow=$label "$@"
	sends "$op" v2-ipv6 "type=v2/IPv6 pcp=none dscp=63 hops=$v6 flow=0xfffff sport=0xffc0" \
		sl=7 tclass=0xfc hops=255 flow=0xfffff "$@"
	send_all
}

# Into the path of a queue pair ib_core puts the hop limit of the route.
connected()
{
	route_hops 7 200
	marked "$1" 7 200
	route_hops 64 64
}

datagrams() { marked datagram 9 255 sizes=1000; }

# Both directions have the port that the two QPNs make
sport_of_qpns()
{
	sends write v2-ipv4 "type=v2/IPv4 sport=qpns"
	sends read v2-ipv6 "type=v2/IPv6 sport=qpns flow=0"
	send_all
}

# What switches choose a way by: the source ports of many connections are spread as dice would do it.
spread_ports()
{
	FLOWS_PORT=7004
	PEER_TIMEOUT=300 peer_bg flows "/cxr/selftests/lib/flows.py serve $FLOWS_PORT"
	wait_until 60 peer "tcp_listens $FLOWS_PORT"
	# shellcheck disable=SC2016
	/cxr/selftests/lib/flows.py run b $FLOWS_PORT 256 "$dev" "${gid[v2-ipv4]}" "$peer_dev" "${peer_gid[v2-ipv4]}" "$netdev" \
		"min=256 type=v2/IPv4 spread=256 to=$(peer 'cat /sys/class/net/$(driver_netdev)/address')"
	peer_wait flows
}

# UCX names a label of 32 bits in all its addresses.
wide_label() # OP
{
	sends "$1" v1-ipv4 "type=v1 flow=0xfffff" flow=0xffffffff sizes=1000
	sends "$1" v2-ipv4 "type=v2/IPv4 sport=0xffc0" flow=0xffffffff sizes=1000
	sends "$1" v2-ipv6 "type=v2/IPv6 flow=0xfffff sport=0xffc0" flow=0xffffffff sizes=1000
	send_all
}

wide_labels()
{
	wide_label write
	jobs=()
	wide_label datagram
	# What a query says of it is what the packets have.
	python3 - "$dev" "${gid[v2-ipv4]}" <<-'END'
	import sys
	from pyverbs import enums as e
	from pyverbs.addr import AHAttr, GlobalRoute
	from pyverbs.cq import CQ
	from pyverbs.device import Context
	from pyverbs.pd import PD
	from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
	index = int(sys.argv[2])
	ctx = Context(name=sys.argv[1])
	pd, cq = PD(ctx), CQ(ctx, 16)
	qp = QP(pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=QPCap()))
	attr = QPAttr(port_num=1)
	attr.dest_qp_num, attr.path_mtu = 0x100, e.IBV_MTU_1024
	route = GlobalRoute(dgid=ctx.query_gid(1, index), sgid_index=index, flow_label=0xffffffff, hop_limit=1)
	attr.ah_attr = AHAttr(gr=route, is_global=1, port_num=1)
	qp.to_rtr(attr)
	label = qp.query(e.IBV_QP_AV)[0].ah_attr.flow_label
	assert label == 0xfffff, f"a query says {label:#x}"
	END
}

# The kernel's driver takes the low three bits of a service level.
told_why()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the kernel's driver refuses no address for what is in it"
	python3 - "$dev" "${gid[v2-ipv4]}" <<-'END'
	import sys
	from pyverbs.addr import AH, AHAttr, GlobalRoute
	from pyverbs.device import Context
	from pyverbs.pd import PD
	from pyverbs.pyverbs_error import PyverbsRDMAError
	index = int(sys.argv[2])
	ctx = Context(name=sys.argv[1])
	pd = PD(ctx)
	route = GlobalRoute(dgid=ctx.query_gid(1, index), sgid_index=index, hop_limit=1)
	for _ in range(100):
	    try:
	        AH(pd, attr=AHAttr(gr=route, is_global=1, port_num=1, sl=16))
	    except PyverbsRDMAError as err:
	        assert err.error_code == 22, err
	    else:
	        sys.exit("it was not refused")
	END
	# with the level of a warning; and not a line for each
	dmesg -l warn | grep "$dev: address of python3\[[0-9]*\] refused: its service level 16 is over 15\$" >/tmp/path-refused
	cat /tmp/path-refused
	[ "$(wc -l </tmp/path-refused)" -lt 100 ]
}

# Of a class that names no codepoint the packet is ECN-capable; one that is named stands.
ecn()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the kernel's driver sets ECN for datagrams only"
	sends write v2-ipv4 "type=v2/IPv4 tclass=106" tclass=104
	sends write v2-ipv4 "type=v2/IPv4 tclass=105" tclass=105
	send_all
}

# Nobody answers: retries are exhausted, the completion says so, and the next connection works.
different() # TYPE PEER-TYPE WORDS
{
	local out

	out=$(window "min=2 $3" xfer_fails "gid=${gid[$1-ipv4]}" "peer_gid=${peer_gid[$2-ipv4]}")
	echo "$out"
	grep -q 'completion 0: status 12,' <<<"$out"	# IBV_WC_RETRY_EXC_ERR
	sends write v2-ipv4 "type=v2/IPv4"
	send_all
}
xfer_fails() { must_fail xfer op=write timeout=12 count=1 "$@"; }

# ---- rdma_cm ---------------------------------------------------------------------------------------

# MODE TOS, here and on the peer
cma_defaults()
{
	# shellcheck disable=SC2016
	local set='p=/sys/kernel/config/rdma_cm/$(driver_ibdev); mkdir -p $p &&'

	set="$set echo '$1' >\$p/ports/1/default_roce_mode && echo $2 >\$p/ports/1/default_roce_tos"
	eval "$set"
	peer "$set"
}

packets() { cat "/sys/class/infiniband/$(driver_ibdev)/ports/1/counters/port_xmit_packets"; }
silent()
{
	local before

	before="$(packets) $(peer "$(declare -f packets); packets")"
	sleep 1
	[ "$before" = "$(packets) $(peer "$(declare -f packets); packets")" ]
}

# Connections of rdma_cm have its version and class, from the first message of the connection manager on.
# Both ends of ib_send_bw end the connection: what ib_cm answers to a request that came twice has no class (cm.sh judges its messages).
cm() # MODE WORDS
{
	modprobe rdma_cm
	[ -d $CM ] || skip "rdma_cm has no configfs here"
	cma_defaults "$1" 104
	peer_kill cm	# what a failed test left
	wait_until 20 silent	# no word of the connection before
	peer_bg cm "ib_send_bw -d $peer_dev -R -F -s 1000 -n 10"
	wait_until 20 peer "cm_listens ib_send_bw"
	window_frame "begin min=10 $2 : rdma_cm, $1"
	ib_send_bw -d "$dev" -R -F -s 1000 -n 10 "$(peer_ip)"
	peer_wait cm
	wait_until 20 silent
	window_frame end
	cma_defaults "RoCE v2" 0
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
	[ "$CXR_DRIVER" = cxr ] || skip "the kernel's driver reports a number that is no MTU"
	ip link set "$netdev" mtu 351
	active_mtu_is 256
}

events() { grep -c PORT_ACTIVE /tmp/path-events || true; }
events_are() { [ "$(events)" = "$1" ]; }

more_gids() { [ "$(grep -c GID_CHANGE /tmp/path-events)" -gt "$1" ]; }

# One event for each change of the active MTU of an active port, and none for other changes of the interface's
mtu_event()
{
	local watch gids

	[ "$CXR_DRIVER" = cxr ] || skip "the kernel's driver tells nobody of another MTU"
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
	# no more of them came before the next event
	gids=$(grep -c GID_CHANGE /tmp/path-events || true)
	ip addr add 10.78.9.1/32 dev "$netdev"
	wait_until 10 more_gids "$gids"
	cat /tmp/path-events
	events_are 3
	kill $watch
}

leave()
{
	ip link del pv100
	peer "ip link del pv100"
	ip link set "$netdev" mtu 4200
	driver_net_up
}

ktap_plan 20
ktap_run "both guests are ready" ready_both
dev=$(driver_ibdev)
netdev=$(driver_netdev)
peer_dev=$(peer driver_ibdev)
find_gids
jobs=()
PEER_TIMEOUT=3000 peer_bg xfer "/cxr/selftests/lib/xfer.py serve $XFER_PORT"
wait_until 20 peer "tcp_listens $XFER_PORT"

ktap_run "RC has the RoCE version of its GID" plain send
ktap_run "UC has the RoCE version of its GID" plain uc_send
ktap_run "UD has the RoCE version of its address handle's GID" plain datagram
ktap_run "RC: priority, class, flow label and source port are those of the path, hops those of the route" connected write
ktap_run "UC: priority, class, flow label and source port are those of the path, hops those of the route" connected uc_send
ktap_run "UD: priority, class, hops, flow label and source port are those of the address handle" datagrams
ktap_run "without a flow label the source port comes from the QPNs" sport_of_qpns
ktap_run "of a flow label of 32 bits the low 20 count, for RC and UD" wide_labels
ktap_run "an address that is refused: the log names the program and the reason" told_why
ktap_run "the source ports of 256 connections are evenly spread" spread_ports
ktap_run "a class without ECN is made ECN-capable" ecn
ktap_run "RoCE v1 here and v2 there: retries are exhausted" different v1 v2 type=v1
ktap_run "RoCE v2 here and v1 there: retries are exhausted" different v2 v1 type=v2/IPv4
ktap_run "a connection of rdma_cm is RoCE v2 with the default class" cm "RoCE v2" "type=v2/IPv4 dscp=26 except=1"
ktap_run "a connection of rdma_cm is RoCE v1 where that is the default" cm "IB/RoCE v1" "type=v1 tclass=104"
ktap_run "the active MTU is the largest that leaves 96 bytes of the interface's" active_mtus
ktap_run "the active MTU of a too small interface is 256" too_small
ktap_run "programs are told when the active MTU changes" mtu_event

/cxr/selftests/lib/xfer.py stop b $XFER_PORT
peer_wait xfer
ktap_run "the interfaces are as before" leave
ktap_end
