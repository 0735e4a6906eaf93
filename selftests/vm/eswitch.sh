#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The e-switch of a card that its PF manages, in legacy mode: the PF, in guest b, connects two VFs, of which this guest has the first, and
# sets what they may do with ip link. Guest c is outside, on the wire.
# guests: 3
# takes: 150
# turn: yes
# card: cx5,vfs=2,sriov,eswitch
# drivers: cxr mlx5
# timeout: 900
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"
. "$(dirname "$0")/../lib/sriov.sh"

VLAN=100
VF_MAC=02:c4:00:00:77:01
UPPER=cxr-upper		# above the VF's interface

ip_vf() { peer "ip link set $peer_netdev vf 0 $*"; }

# VFs of a PF with this driver
ready() # [DRIVER]
{
	driver_unload
	pf "CXR_DRIVER=${1:-$CXR_DRIVER}; driver_unload && pf_prepare $(vf_id) && driver_load && pf_vfs 2" || return
	ends_up
}

before_each() { ends_know; }

outside() { peer_on c "$*"; }
outside_ip() { outside my_ip; }
packets_of() { cat "/sys/class/net/$1/statistics/$2"; } # INTERFACE COUNTER

# ---- tests ----

connects()
{
	tcp_both_ways 1M
	tcp_both_ways 256K "$(peer_ip6)"
	ends_pingpong 100
}

# VF and PF, from the wire
from_outside()
{
	outside driver_up
	wait_until 20 ping -q -c 1 -W 1 "$(outside_ip)" >/dev/null
	outside "ping -q -i 0.05 -c 5 -W 2 $(my_ip) >/dev/null && ping -q -i 0.05 -c 5 -W 2 $(peer_ip) >/dev/null"
	peer "ping -q -i 0.05 -c 5 -W 2 $(outside_ip) >/dev/null"
}

knows()
{
	peer "ip -details link show $peer_netdev" | grep -c "    vf [01] "
	[ "$(peer "ip -details link show $peer_netdev" | grep -c "    vf [01] ")" = 2 ]
}

# A driver of the VF that starts has the MAC that the PF gave
has_mac()
{
	ip_vf "mac $VF_MAC"
	peer "ip link show $peer_netdev" | grep -i "vf 0 .*$VF_MAC"
	driver_unload
	ends_up
	ends_know
	[ "$mac" = "$VF_MAC" ]
	tcp_both_ways 256K
	ends_pingpong 100
}

group_refused()
{
	ip_vf "mac $VF_MAC"
	must_fail ip_vf mac 01:00:5e:00:00:01
	peer "ip link show $peer_netdev" | grep -i "vf 0 .*$VF_MAC"
}

# An address that the VF's driver adds, and a group, are known at once
follows()
{
	ip link add $UPPER link "$netdev" address 02:c4:00:00:77:02 type macvlan mode bridge
	ip address add 10.99.0.1/24 dev $UPPER
	ip link set $UPPER up
	peer "ip address add 10.99.0.2/24 dev $peer_netdev"
	wait_until 20 ping -q -c 1 -W 1 -I $UPPER 10.99.0.2 >/dev/null
	peer_pings 10.99.0.1
	ip link del $UPPER
	peer "ip address del 10.99.0.2/24 dev $peer_netdev"
	reachable
}

# The PF sends to a group, and the VF hears it. The PF learns later that the VF has joined
heard() # GROUP
{
	local seen

	seen=$(counter rx_vport_multicast_packets)
	peer "ip route replace $1 dev $peer_netdev && for i in \$(seq 20); do echo x | socat - UDP4-SENDTO:$1:5000 || exit; done" ||
		fail "b cannot send"
	wait_until 2 has_heard $((seen + 20))
}

has_heard() { [ "$(counter rx_vport_multicast_packets)" -ge "$1" ]; }
no_group() { peer "ip route del $1"; } # GROUP

hears_group()
{
	ip maddr add 01:00:5e:00:09:09 dev "$netdev"
	wait_until 20 heard 239.0.9.9 >/dev/null
	no_group 239.0.9.9
	ip maddr del 01:00:5e:00:09:09 dev "$netdev"
}

# Trusted: the VF hears groups that it has not joined
trusts()
{
	ip link set "$netdev" allmulticast on
	must_fail heard 239.0.9.8
	ip_vf trust on
	peer "ip -details link show $peer_netdev" | grep "vf 0 .*trust on"
	wait_until 20 heard 239.0.9.8 >/dev/null
	no_group 239.0.9.8
	ip link set "$netdev" allmulticast off
	ip_vf trust off
}

# From another address than its own nothing that it sends passes
spoofchk()
{
	local before

	ip_vf "mac $VF_MAC"
	driver_unload
	ends_up
	ends_know
	ip_vf spoofchk on
	peer "ip link show $peer_netdev" | grep "vf 0 .*spoof checking on"
	pings "$(peer_ip)"
	ends_pingpong 100
	ip link add $UPPER link "$netdev" address 02:c4:00:00:77:02 type macvlan mode bridge
	ip address add 10.99.0.1/24 dev $UPPER
	ip link set $UPPER up
	peer "ip address add 10.99.0.2/24 dev $peer_netdev"
	before=$(vf_dropped)
	must_fail ping -q -c 3 -i 0.2 -W 1 -I $UPPER 10.99.0.2
	echo "frames dropped: $before, then $(vf_dropped)"
	[ "$(vf_dropped)" -gt "$before" ]
	ip_vf spoofchk off
	wait_until 20 ping -q -c 1 -W 1 -I $UPPER 10.99.0.2 >/dev/null
	ip link del $UPPER
	peer "ip address del 10.99.0.2/24 dev $peer_netdev"
}

# What the VF has sent and the switch has dropped
vf_dropped() { peer "ip -s link show $peer_netdev" | awk '$1 == "vf" && $2 == 0 { line = NR } line && NR == line + 4 { print $3 }'; }

# There is no address that it could send from
spoofchk_no_mac()
{
	ip_vf "mac 00:00:00:00:00:00"
	ip_vf spoofchk on
	pf dmesg | tail -n 3 | grep -i "spoofchk"
	must_fail ping -q -c 3 -i 0.2 -W 1 "$(peer_ip)"
	ip_vf spoofchk off
	reachable
}

OTHER_MAC=02:c4:00:00:77:03

no_rule() { emu fault b command set_fte status bad_res "$@" >/dev/null; }
has_old_settings()
{
	emu fault clear >/dev/null
	peer "ip link show $peer_netdev" | grep -i "vf 0 .*$VF_MAC.*spoof checking on"
	reachable
	ends_pingpong 100
}

# A restriction that the device does not let change stays as it was. If it does not let that back in, either, the next setting does.
change_refused()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver keeps a setting that was refused"
	ip_vf "mac $VF_MAC"
	driver_unload
	ends_up
	ends_know
	ip_vf spoofchk on
	no_rule
	must_fail ip_vf "mac $OTHER_MAC"
	has_old_settings
	ip_vf "mac $OTHER_MAC"
	must_fail ping -q -c 3 -i 0.2 -W 1 "$(peer_ip)"
	ip_vf "mac $VF_MAC"
	reachable
	no_rule
	must_fail ip_vf vlan $VLAN
	has_old_settings
	no_rule times=2
	must_fail ip_vf "mac $OTHER_MAC"
	emu fault clear >/dev/null
	must_fail ping -q -c 3 -i 0.2 -W 1 "$(peer_ip)"
	ip_vf spoofchk on
	has_old_settings
	ip_vf vlan $VLAN
	ip_vf vlan $((VLAN + 1))
	ip_vf vlan 0
	emu fault b command delete_fte status bad_res nth=2 >/dev/null
	must_fail ip_vf spoofchk off
	has_old_settings
	ip_vf spoofchk off
	reachable
}

carrier_is() { [ "$(cat "/sys/class/net/$netdev/carrier")" = "$1" ]; }

link_state()
{
	ip_vf state disable
	wait_until 20 carrier_is 0
	ip_vf state enable
	wait_until 20 carrier_is 1
	peer "ip -details link show $peer_netdev" | grep "vf 0 .*link-state enable"
	ip_vf state auto
	reachable
	ends_pingpong 100
}

# It cannot reach another VLAN with a tag of its own
other_vlan()
{
	peer "ip link add $UPPER link $peer_netdev type vlan id 200; ip address add 10.97.0.2/24 dev $UPPER; ip link set $UPPER up"
	ip link add $UPPER link "$netdev" type vlan id 200
	ip address add 10.97.0.1/24 dev $UPPER
	ip link set $UPPER up
	must_fail ping -q -c 3 -i 0.2 -W 1 10.97.0.2
	[ "$(peer "cat /sys/class/net/$UPPER/statistics/rx_packets")" = 0 ]
	must_fail peer "ping -q -c 3 -i 0.2 -W 1 10.97.0.1"
	[ "$(packets_of $UPPER rx_packets)" = 0 ]
	ip link del $UPPER
	peer "ip link del $UPPER"
}

# The VF sends and gets frames without a tag, which have one outside
vlan()
{
	ip_vf vlan $VLAN qos 3
	peer "ip link show $peer_netdev" | grep "vf 0 .*vlan $VLAN, qos 3"
	must_fail ping -q -c 2 -i 0.2 -W 1 "$(peer_ip)"
	peer "ip link add $UPPER link $peer_netdev type vlan id $VLAN; ip address add 10.98.0.2/24 dev $UPPER; ip link set $UPPER up"
	ip address add 10.98.0.1/24 dev "$netdev"
	wait_until 20 ping -q -c 1 -W 1 10.98.0.2 >/dev/null
	peer_pings 10.98.0.1
	peer "ip link del $UPPER"
	ip address del 10.98.0.1/24 dev "$netdev"
	other_vlan
	ip_vf vlan 0
	reachable
	ends_pingpong 100
}

vlan_refused()
{
	must_fail ip_vf vlan $VLAN proto 802.1ad
	must_fail ip_vf vlan 5000
	reachable
}

# What the PF's statistics say of the VF
counts()
{
	local before after

	before=$(peer "ip -s link show $peer_netdev" | vf_packets)
	ping -q -f -c 200 "$(peer_ip)" >/dev/null
	ends_pingpong 100
	after=$(peer "ip -s link show $peer_netdev" | vf_packets)
	echo "packets that the VF has received: $before, then $after"
	[ $((after - before)) -ge 300 ]
}

# Of VF 0, from ip -s link: the second line behind its name has "bytes packets"
vf_packets() { awk '$1 == "vf" && $2 == 0 { line = NR } line && NR == line + 2 { print $2 }'; }

# The PF goes on, with and without VFs
alone()
{
	driver_unload
	pf "pf_vfs 0"
	pf "ip link show $peer_netdev" | grep -c "    vf " && return 1
	pf "pf_vfs 2"
	ends_up
	tcp_both_ways 256K
}

said_of_vfs() { pf dmesg | grep -c "VF 0: its .* is refused" || true; }

# What is no restriction may be refused: there are VFs, and the log tells
partly_refused()
{
	local before

	[ "$CXR_DRIVER" != mlx5 ] || skip "the in-tree driver has other commands at these places"
	before=$(said_of_vfs)
	driver_unload
	pf "pf_vfs 0"
	emu fault b command modify_vport_state status bad_res times=all >/dev/null
	emu fault b command modify_nic_vport_context status bad_res times=4 >/dev/null
	pf "pf_vfs 2"
	emu fault clear >/dev/null
	[ "$(said_of_vfs)" = $((before + 3)) ]
	ip_vf state enable	# it has been down since the VFs went
	ip_vf state auto
	ends_up
	ends_know
	ends_pingpong 100
	emu fault b command modify_nic_vport_context status bad_res nth=2 >/dev/null
	ip_vf "mac $VF_MAC"
	emu fault clear >/dev/null
	[ "$(said_of_vfs)" = $((before + 4)) ]
	peer "ip link show $peer_netdev" | grep -i "vf 0 .*$VF_MAC"
	ip_vf "mac 00:00:00:00:00:00"
}

settings_stay() # "COMMAND"
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver does not keep settings over these"
	ip_vf mac $VF_MAC
	ip_vf vlan $VLAN qos 3
	driver_unload
	pf "$1"
	ends_know
	peer "ip link show $peer_netdev" | grep -i "vf 0 .*$VF_MAC.*vlan $VLAN, qos 3"
	ip_vf vlan 0
	ends_up
	ends_know
	[ "$mac" = "$VF_MAC" ]
	ends_pingpong 100
}

counters_refused() { pf dmesg | grep -ci "query_vport_counter.*refused" || true; }

# All the while something asks the PF's interface for the statistics of its VFs. Commands are slow, so that some are under way
asked_in_reset()
{
	local before

	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver is not told of such a reset"
	ktap_spoilt
	driver_unload
	before=$(counters_refused)
	emu command-us 5000
	trap 'emu command-us off >/dev/null' EXIT
	pf "while :; do ip -s link show $peer_netdev >/dev/null; done & asks=\$!
		for _ in 1 2 3; do echo 1 >\"\$(pf_device)/reset\" || break; done
		kill \$asks"
	emu command-us off
	[ "$(counters_refused)" = "$before" ] || fail "the device was asked for the statistics of VFs that it had no more"
	no_violation
	ends_up
	ends_pingpong 100
}

# VFs that are enabled again begin without settings, though the device has those of before
begins_anew()
{
	ip_vf mac $VF_MAC
	driver_unload
	pf "pf_vfs 0 && pf_vfs 2"
	ends_up
	ends_know
	[ "$mac" != "$VF_MAC" ]
	peer "ip link show $peer_netdev" | grep "vf 0 .*00:00:00:00:00:00"
	ends_pingpong 100
}

# Both ends without ends_up, which would load the driver of the VF on b
know_in_tree()
{
	peer "CXR_DRIVER=mlx5; . selftests/lib/ends.sh; driver_up 1500 && ends_here peer_" >$ENDS.peer
	driver_up 1500
	ends_here '' >$ENDS
	grep '^peer_.*=' $ENDS.peer >>$ENDS
	ends_know
	reachable
}

ready_in_tree()
{
	driver_unload
	pf "driver_unload; CXR_DRIVER=mlx5; pf_prepare $(vf_id) && driver_load && pf_vfs 2" || return
	know_in_tree
}

in_tree()
{
	[ "$CXR_DRIVER" = cxr ] || skip "both are the in-tree driver"
	ip_vf "mac $VF_MAC"
	driver_unload
	know_in_tree
	[ "$mac" = "$VF_MAC" ]
	tcp_both_ways 256K
	ends_pingpong 100
	ip_vf state disable
	wait_until 20 carrier_is 0
	ip_vf state auto
	reachable
	follows
	hears_group
	vlan
}

ktap_setup ready
ktap_test connects "PF and VF reach each other: TCP, IPv6, RoCE" connects
ktap_test outside "PF and VF reach the wire, and are reached from there" from_outside
ktap_test knows "the interface of the PF lists its VFs" knows
ktap_test mac "a VF has the MAC that the PF gives to it" has_mac
ktap_test mac.refused "a group address for a VF is refused" group_refused
ktap_test follows "an address that the VF adds later is connected" follows
ktap_test group "a VF hears a group that it joins" hears_group
ktap_test trust "a VF hears all groups when it is trusted, and not before" trusts
ktap_test state "the PF takes the link of a VF down and up" link_state
ktap_test spoofchk "with spoofchk a VF sends from its own address only" spoofchk
ktap_test spoofchk.mac "nothing passes with spoofchk and no MAC, and the log says so" spoofchk_no_mac
ktap_test spoofchk.refused "a VF has its old settings after a change that is refused, and can be changed" change_refused
ktap_test vlan "a VF is in the VLAN that the PF gives to it" vlan
ktap_test vlan.refused "another protocol, or a number that is none, is refused" vlan_refused
ktap_test counts "the PF counts what its VF receives" counts
ktap_test alone "VFs go and come again" alone
ktap_test partly "VFs come up although the device refuses settings that restrict nothing" partly_refused
ktap_test reset "settings of VFs stay over a reset of the PF" settings_stay 'echo 1 >"$(pf_device)/reset"'
ktap_test reload "settings of VFs stay over a devlink reload of the PF" settings_stay 'devlink dev reload "pci/$(driver_bdfs)"'
ktap_test reset.asked "a reset of the PF while its interface is asked for statistics of the VFs" asked_in_reset
ktap_test anew "VFs that are enabled again begin without settings" begins_anew

# Between our driver of a VF and the in-tree one of its PF, with the commands of the latter
ktap_setup ready_in_tree
ktap_test in-tree "a VF is connected by the in-tree driver of its PF, and has the MAC, VLAN and link that this gives" in_tree
ktap_finally pf pf_forget
ktap_end
