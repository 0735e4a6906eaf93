#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# rdma_cm over RoCE v1 and v2: defaults of version and type of service, set by configfs and by the tools, for connected and
# datagram service and multicast groups; the frames on the wire; ends with different versions.
# guests: 2
# takes: 70
# turn: yes
# drivers: cxr mlx5
# timeout: 500
# long: 800
# windows: yes
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/window.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

cm=/sys/kernel/config/rdma_cm
vlan_ip=10.79.0		# .1 here, .2 there
group=239.77.0.1

# Here and on b: a VLAN that maps priorities 2, 4 and 6 to PCP 5, 4 and 3, the defaults of rdma_cm, and a worker. On b the worker also serves
# ADDRESSES, with connected and datagram service.
prepare() # END [ADDRESSES...]
{
	local end=$1

	shift
	modprobe 8021q
	modprobe rdma_cm
	ip link del cm100 2>/dev/null || true
	ip link add link "$(driver_netdev)" name cm100 type vlan id 100 egress-qos-map 2:5 4:4 6:3 &&
		ip addr add "$vlan_ip.$end/24" dev cm100 && ip link set cm100 up || return
	rmdir $cm/* 2>/dev/null || true
	cma_roce_mode -d "$(driver_ibdev)" -m 2 && cma_roce_tos -d "$(driver_ibdev)" -t 0 || return
	wait_until 20 gid_index "$(driver_ibdev)" v2 "$vlan_ip.$end" >/dev/null || return
	obey_start cm python3 -B selftests/lib/cm.py "$@"
	[ $# = 0 ] || wait_until 180 listen $((2 * $#))
}

listen() { [ "$(rdma resource show cm_id | grep -c LISTEN)" = "$1" ]; }

ready()
{
	ends_up
	PEER_TIMEOUT=200 peer_bg prepare "vlan_ip=$vlan_ip cm=$cm; . selftests/lib/obey.sh; $(declare -f prepare listen)
		prepare 2 $(peer_ip) $(peer_ip6) $vlan_ip.2"
	prepare 1
	peer_wait prepare
	# resolve neighbours of each network
	wait_until 20 ping -q -c 1 -W 1 $vlan_ip.2 >/dev/null
	wait_until 20 ping -q -c 1 -W 1 "$(peer_ip6)" >/dev/null
}

before_each() { ends_know; }

ask() { obey cm ask "$@"; }

# Set the default version here, and with "both" on the peer as well
mode() # 1|2 [both]
{
	cma_roce_mode -d "$dev" -m "$1"
	[ -z "${2:-}" ] || peer "cma_roce_mode -d $peer_dev -m $1"
}

tos() { cma_roce_tos -d "$dev" -t "$1"; }

# ---- defaults, and the frames on the wire -------------------------------------------------------------------------

default_is_v2()
{
	[ "$(cma_roce_mode -d "$dev")" = "RoCE v2" ]
	[ "$(cma_roce_tos -d "$dev")" = 0 ]
	window "type=v2/IPv4 dscp=0 vlan=none" ask "$(peer_ip)" rc ud
}

# Applies to messages of the connection manager and to data
v1()
{
	mode 1 both
	tos 104
	window "type=v1 tclass=104 vlan=none" ask "$(peer_ip)" rc ud
	tos 0
	mode 2 both
}

# The SIDR response (to QP 1) has no traffic class over IPv4: the kernel does not take it from the request.
v2_again()
{
	mode 1
	mode 2
	tos 104
	window "type=v2/IPv4" ask "$(peer_ip)" rc ud
	window "dscp=26 except=1" ask "$(peer_ip)" rc ud
	tos 0
}

ipv6()
{
	tos 104
	window "type=v2/IPv6 dscp=26" ask "$(peer_ip6)" rc ud
	tos 0
}

# An application sets its own type of service, DSCP 46. With one connection ucmatose has one buffer, so no shared pages.
own_tos()
{
	peer_serves data "cm_listens ucmatose" "ucmatose -b $(peer_ip) -p 7480 -c 1 -C 4 -S 1000"
	window "type=v2/IPv4 dscp=46" ucmatose -s "$(peer_ip)" -p 7480 -c 1 -C 4 -S 1000 -t 184 >/tmp/ucmatose
	cat /tmp/ucmatose
	grep -q 'return status 0' /tmp/ucmatose
	peer_wait data
}

# Type of service 104 has kernel priority 2, which the VLAN maps to PCP 5.
vlan()
{
	tos 104
	window "type=v2/IPv4 vlan=100 pcp=5 dscp=26" ask $vlan_ip.2 rc
	tos 0
	window "type=v2/IPv4 vlan=100 pcp=0 dscp=0" ask $vlan_ip.2 rc
}

# The priority of rdma_cm is not the upper three bits of the type of service, but that of the kernel's own sockets
priorities()
{
	local type pcp

	while read -r type pcp; do
		tos "$type"
		window "type=v2/IPv4 vlan=100 pcp=$pcp dscp=$((type / 4))" ask $vlan_ip.2 rc
	done <<-END
	96 0
	112 3
	120 4
	224 0
	END
	tos 120
	mode 1 both
	window "type=v1 vlan=100 pcp=4 tclass=120" ask $vlan_ip.2 rc
	mode 2 both
	tos 0
}

by_configfs()
{
	local p=$cm/$dev/ports/1

	mkdir "$cm/$dev"
	printf 'IB/RoCE v1' >"$p/default_roce_mode"
	[ "$(<"$p/default_roce_mode")" = "IB/RoCE v1" ]
	echo 0x20 >"$p/default_roce_tos"
	[ "$(<"$p/default_roce_tos")" = 32 ]
	rmdir "$cm/$dev"
	# the values outlive the directory
	window "type=v1 tclass=32" ask "$(peer_ip)" rc
	mkdir "$cm/$dev"
	echo "RoCE v2" >"$p/default_roce_mode"
	echo 0 >"$p/default_roce_tos"
	rmdir "$cm/$dev"
	[ "$(cma_roce_mode -d "$dev")" = "RoCE v2" ]
}

refuses() # TEXT FILE
{
	must_fail sh -c "echo '$1' >'$2'" 2>/tmp/refused
	cat /tmp/refused
}

configfs_refuses()
{
	local p=$cm/$dev/ports/1 text

	mkdir "$cm/$dev"
	for text in v1 "RoCE v1" "RoCE v3" "IB/RoCE v1 " 1; do refuses "$text" "$p/default_roce_mode"; done
	for text in 256 -1 x; do refuses "$text" "$p/default_roce_tos"; done
	[ "$(<"$p/default_roce_mode")" = "RoCE v2" ]
	[ "$(<"$p/default_roce_tos")" = 0 ]
	rmdir "$cm/$dev"
	must_fail mkdir $cm/mlx5_77
	[ -z "$(ls $cm)" ]
}

# ---- groups ---------------------------------------------------------------------------------------------------------

in_group() # WINDOW
{
	peer ". selftests/lib/obey.sh; obey cm member $(peer_ip) $group"
	window "$1" obey cm group "$(my_ip)" $group
}

group_v2() { in_group "type=v2/IPv4 min=2"; }

group_v1()
{
	mode 1 both
	in_group "type=v1 min=2"
	mode 2 both
}

# ---- ends with different versions -----------------------------------------------------------------------------------

# Both ends have both versions: the active side decides.
active_side_decides()
{
	mode 1
	window "type=v1" ask "$(peer_ip)" rc ud
	mode 2
	peer "cma_roce_mode -d $peer_dev -m 1"
	window "type=v2/IPv4" ask "$(peer_ip)" rc ud
	peer "cma_roce_mode -d $peer_dev -m 2"
}

no_listener()
{
	must_fail ask "$(peer_ip),7479" rc >/tmp/ask
	cat /tmp/ask
	grep -q RDMA_CM_EVENT_REJECTED /tmp/ask
	must_fail ask "$(peer_ip),7479" ud >/tmp/ask
	cat /tmp/ask
	grep -q RDMA_CM_EVENT_UNREACHABLE /tmp/ask
}

# The peer's port has only v2.
peer_of_v2()
{
	[ "$CXR_DRIVER" = cxr ] || skip "needs roce_mode of cxr_core; the driver is $CXR_DRIVER"
	ends_up
	peer "driver_load roce_mode=v2 && driver_net_up"
	prepare 1
}

one_version()
{
	must_fail peer "cma_roce_mode -d $peer_dev -m 1"
	[ "$(peer "cma_roce_mode -d $peer_dev")" = "RoCE v2" ]
}

# The kernel retries for a minute before it gives up.
version_unreachable()
{
	[ -n "${CXR_LONG:-}" ] || skip "takes a minute: LONG=1"
	mode 1
	must_fail ask "$(peer_ip)" rc >/tmp/ask
	mode 2
	cat /tmp/ask
	grep -q RDMA_CM_EVENT_UNREACHABLE /tmp/ask
}

# No id is left, and no QP except those of the kernel
no_ids() { [ -z "$(rdma resource show cm_id)" ]; }
nothing_left()
{
	ktap_spoilt
	ask "$(peer_ip)" rc ud
	obey_stop cm
	wait_until 20 no_ids
	rdma resource show
	lacks python3 rdma resource show qp
	ends_stop
	peer "driver_unload && driver_load"
	[ -z "$(ls $cm)" ]
}

leave()
{
	obey_stop cm
	ends_stop
	ip link del cm100 2>/dev/null || true
	peer "ip link del cm100 2>/dev/null || true"
}

ktap_setup ready
ktap_test default "the default is RoCE v2 with traffic class 0" default_is_v2
ktap_test v1 "cma_roce_mode and cma_roce_tos set RoCE v1 and its traffic class" v1
ktap_test v2 "cma_roce_mode and cma_roce_tos set RoCE v2 and its DSCP" v2_again
ktap_test ipv6 "the type of service sets the DSCP over IPv6 as well" ipv6
ktap_test tos.own "an application's own type of service overrides the default" own_tos
ktap_test tos.vlan "the type of service sets the VLAN priority" vlan
ktap_test tos.priorities "each type of service has the priority that the kernel's sockets have" priorities
ktap_test configfs "configfs sets the defaults, which outlive its directory" by_configfs
ktap_test configfs.refuses "configfs refuses unknown versions and types of service" configfs_refuses
ktap_test asker.decides "ends with different defaults: the active side decides" active_side_decides
ktap_test group.v2 "multicast group over RoCE v2" group_v2
ktap_test group.v1 "multicast group over RoCE v1" group_v1
ktap_test no.listener "a request without a listener is rejected" no_listener
ktap_test nothing.left "no rdma_cm id, QP or device object is left" nothing_left
ktap_setup peer_of_v2
ktap_test one.version "a single-version port refuses the other version as its default" one_version
KTAP_TIMEOUT=300 ktap_test one.version.asked "a request in a version that the peer lacks ends as unreachable" version_unreachable
ktap_finally leave
ktap_end
