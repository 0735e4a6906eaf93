#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# What the administrator of a PF sets for its VFs, and what the driver of a VF sees of it.
# guests: 2
# ledger: yes
# takes: 90
# turn: yes
# card: cx5,vfs=2
# drivers: cxr mlx5
# windows: yes
# timeout: 600
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"
# shellcheck source=selftests/lib/window.sh
. "$(dirname "$0")/../lib/window.sh"

MAC=02:00:00:cf:00:0a
OTHER_MAC=02:00:00:cf:00:0b
VLAN=100

# VF 0 is this guest's and has a MAC, VF 1 is that of b and has none
defaults()
{
	local vf setting

	emu fault pf port up
	for vf in 0 1; do
		for setting in "mac 00:00:00:00:00:00" "vlan 0" "trust off" "spoofchk off" "link auto" "roce on"; do
			emu vf $vf "$setting" || return
		done
	done
}

ready()
{
	defaults && emu vf 0 mac $MAC || return
	driver_unload
	peer driver_unload
	ends_up
}

before_each() { ends_know; }

restart()
{
	driver_unload
	driver_load
	driver_net_up
}

unreachable() { must_fail ping -q -i 0.1 -c 5 -W 1 "$(peer_ip)"; }

# ---- MAC ----

mac_is_given()
{
	[ "$mac" = $MAC ]
	[ "$(<"/sys/class/net/$netdev/addr_assign_type")" = 0 ]
	[ "$(ethtool -P "$netdev")" = "Permanent address: $MAC" ]
	[ "$peer_mac" != 00:00:00:00:00:00 ]
	[ "$(peer "cat /sys/class/net/$peer_netdev/addr_assign_type")" = 1 ]
}

mac_changes()
{
	emu vf 0 mac $OTHER_MAC
	[ "$(<"/sys/class/net/$netdev/address")" = $MAC ]
	reachable
	restart
	[ "$(<"/sys/class/net/$(driver_netdev)/address")" = $OTHER_MAC ]
	reachable
	emu vf 0 mac $MAC
	driver_unload
}

# ---- VLAN ----

# The marks of the window are sent outside the VLAN
in_vlan()
{
	emu vf 0 vlan $VLAN
	emu vf 1 vlan $VLAN
	ends_pingpong 100 || return
	emu vf 0 vlan 0
	emu vf 1 vlan 0
}

vlan_tags() { window "type=v2/IPv4 vlan=$VLAN" in_vlan; }

# b without a VLAN of its VF has an interface of VLAN 100
vlan_meets_tag()
{
	emu vf 0 vlan $VLAN
	unreachable
	ip addr add 10.78.0.1/24 dev "$netdev"
	peer "ip link add link $peer_netdev name tagged type vlan id $VLAN && ip addr add 10.78.0.2/24 dev tagged && ip link set tagged up"
	wait_until 20 ping -q -c 1 -W 1 10.78.0.2
	peer "ip link del tagged"
	ip addr del 10.78.0.1/24 dev "$netdev"
	emu vf 0 vlan 0
	reachable
}

# ---- trust, spoof check ----

received() { cat "/sys/class/net/$netdev/statistics/rx_packets"; }
received_since() { [ $(($(received) - $1)) -ge "$2" ]; } # COUNT PACKETS

# To a group that nobody has joined
multicast_from_b() { peer "ping -q -c 40 -i 0.01 -W 1 -I $peer_netdev 239.7.7.7 || true"; }

trust()
{
	local before

	ip link set "$netdev" allmulticast on
	before=$(received)
	multicast_from_b
	reachable
	must_fail received_since "$before" 40
	emu vf 0 trust on
	before=$(received)
	multicast_from_b
	wait_until 10 received_since "$before" 40
	ip link set "$netdev" allmulticast off
	emu vf 0 trust off
}

set_mac() # MAC
{
	ip link set "$netdev" down
	ip link set "$netdev" address "$1"
	driver_net_up
}

spoofchk()
{
	emu vf 0 spoofchk on
	reachable
	ends_pingpong 100
	set_mac $OTHER_MAC
	unreachable
	emu vf 0 | grep 'spoofed [1-9]'
	emu vf 0 spoofchk off
	reachable
	set_mac $MAC
	reachable
}

# ---- link ----

carrier_is() { [ "$(cat "/sys/class/net/$netdev/carrier")" = "$1" ]; }
peer_carrier_is() { [ "$(peer "cat /sys/class/net/$peer_netdev/carrier")" = "$1" ]; }
ib_state_is() { [ "$(cat "/sys/class/infiniband/$dev/ports/1/state")" = "$1" ]; }

link_disabled()
{
	emu vf 0 link disable
	wait_until 20 carrier_is 0
	wait_until 20 ib_state_is "1: DOWN"
	unreachable
	emu vf 0 link auto
	wait_until 20 carrier_is 1
	wait_until 20 ib_state_is "4: ACTIVE"
	reachable
	ends_pingpong 100
}

link_follows()
{
	emu fault pf port down
	wait_until 20 carrier_is 0
	wait_until 20 peer_carrier_is 0
	emu vf 0 link enable
	emu vf 1 link enable
	wait_until 20 carrier_is 1
	wait_until 20 peer_carrier_is 1
	reachable
	ends_pingpong 100
	emu fault pf port up
	emu vf 0 link auto
	emu vf 1 link auto
	reachable
}

# ---- RoCE, pages ----

pages_held() { emu status | sed -n '/^function a:/,/pages:/s/.*pages: \([0-9]*\) held.*/\1/p'; }
pages_are() { [ "$(pages_held)" = "$1" ]; }

# The in-tree driver still has a device for raw packets
no_roce()
{
	case $CXR_DRIVER in
	cxr) [ -z "$(driver_ibdevs)" ] ;;
	*) must_fail gid_index "$(driver_ibdev)" v2 "$(my_ip)" ;;
	esac
}

roce_off()
{
	local before after

	before=$(pages_held)
	emu vf 0 roce off
	ib_state_is "4: ACTIVE"
	restart
	reachable
	tcp_both_ways 256K
	no_roce
	after=$(pages_held)
	echo "pages: $before with RoCE, $after without"
	[ $((before - after)) -ge 256 ]
	emu vf 0 roce on
	driver_unload
}

pages_back()
{
	local before

	before=$(pages_held)
	emu vf 0 pages 64
	wait_until 20 pages_are $((before + 64))
	emu vf 0 pages -64
	wait_until 20 pages_are "$before"
	ends_pingpong 100
}

leave()
{
	ends_stop
	defaults
}

waits_for_pf() { kmsg | grep -E 'waiting for another function of the card|mlx5_error_sw_reset.* start'; }
RECOVERED='the function works again after a reset|health recovery succeeded'
recovered() { kmsg | grep -E "$RECOVERED" && peer "kmsg | grep -E '$RECOVERED'"; }

# The driver of the PF resets it, which is on the control socket here: a VF may not. Both VFs recover, each in its time.
firmware_crashes()
{
	ktap_spoilt
	emu fault pf fatal >/dev/null
	wait_until 30 waits_for_pf
	emu fault pf restart >/dev/null
	wait_until 60 recovered
	ends_up
	ends_know
	ends_pingpong 100
	no_violation
}

ktap_setup ready
ktap_test mac.given "a VF has the MAC that its administrator gave it, one without has a random one" mac_is_given
ktap_test mac.next-start "a new MAC is that of the VF when the driver loads again" mac_changes
ktap_test vlan.tags "RoCE between VFs of a VLAN is tagged on the wire and works without a tag in the guests" vlan_tags
ktap_test vlan.outside "a VF of a VLAN reaches a peer that tags its frames, and not one that does not" vlan_meets_tag
ktap_test trust "a VF receives all multicast if it is trusted, not otherwise" trust
ktap_test spoofchk "with spoof check a VF reaches its peer from its own MAC only" spoofchk
ktap_test link.disabled "a link that the administrator disables is down for netdev and RDMA device, and comes back" link_disabled
ktap_test link.enabled "a VF loses its link with the port, and has one without the port if it is enabled" link_follows
ktap_test roce.off "a VF without RoCE has no RoCE device, takes 1 MiB less memory, and its network works" roce_off
ktap_test pages "pages that the card requests and offers back are given and taken" pages_back
ktap_test firmware "firmware that has crashed is reset by the PF, for which a VF waits" firmware_crashes
ktap_finally leave
ktap_end
