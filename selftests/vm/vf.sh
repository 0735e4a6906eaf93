#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Virtual functions whose administrator gave them no MAC address: the card tells them none, and refuses what is the port owner's.
# guests: 2
# ledger: yes
# takes: 40
# card: cx5,vfs=2
# drivers: cxr mlx5
# timeout: 300
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

ready()
{
	driver_unload
	ends_up 1500
}

before_each() { [ ! -e "$ENDS" ] || ends_know; }

binds()
{
	driver_unload
	driver_load
	wait_until 30 netdev_there
}

# Assigned at random: of a type that udev and the user may replace
mac_is_random()
{
	echo "$mac"
	[ $((0x${mac%%:*} & 3)) = 2 ]
	[ "$(cat "/sys/class/net/$netdev/addr_assign_type")" = 1 ]
	[ "$mac" != "$peer_mac" ]
}

# devlink's, of which udev takes no part of a name
virtual_port()
{
	devlink port show "$netdev" | grep " type eth netdev $netdev flavour virtual"
	must_fail cat "/sys/class/net/$netdev/phys_port_name"
}

# Only PFs have access; the in-tree driver refuses the dump
no_registers()
{
	devlink -j health dump show "pci/$(driver_bdfs)" reporter fw_fatal >/tmp/vf.dump || [ "$CXR_DRIVER" = mlx5 ]
	cat /tmp/vf.dump
	must_fail grep crdump_data /tmp/vf.dump
}

link_works()
{
	[ "$(cat "/sys/class/net/$netdev/carrier")" = 1 ]
	ethtool "$netdev" | grep -q 'Speed: [0-9]'
	ip link set "$netdev" down
	driver_net_up
	reachable
}

# The MTU of the port is the function's as well
mtu_changes()
{
	ip link set "$netdev" mtu 4000
	peer "ip link set $peer_netdev mtu 4000"
	reachable
	ping -q -i 0.05 -c 5 -W 2 -M "do" -s 3972 "$(peer_ip)"
}

# Another function owns the port. ethtool does not ask for what is so already
pause_refused()
{
	local rx=on text

	if ethtool -a "$netdev" | grep -q '^RX:.*on'; then rx=off; fi
	text=$(ethtool -A "$netdev" rx $rx 2>&1) && fail "a VF has changed the settings of the port"
	echo "$text"
	grep -qi "not supported" <<<"$text"
}

# It is of the port, too
no_fec()
{
	must_fail ethtool -I --show-fec "$netdev"
	must_fail counter rx_corrected_bits_phy
	must_fail counter rx_pcs_symbol_err_phy
}

quiet_log()
{
	[ "$CXR_DRIVER" = cxr ] || skip "about the log of this driver"
	lacks 'cxr_core.*refused' dmesg
}

# They are of the port
no_classes()
{
	must_fail dcb ets show dev "$netdev"
	must_fail test -e "/sys/kernel/debug/$CXR_DRIVER/$(driver_bdfs)/cc_params"
	must_fail test -e "/sys/class/net/$netdev/ecn"
}

ktap_test binds "the driver binds to a VF" binds
ktap_setup ready
ktap_test mac "a VF without a MAC has a random one" mac_is_random
ktap_test port "the port is a virtual one" virtual_port
ktap_test registers "the registers of the card are not dumped" no_registers
ktap_test link "the link is up, also after down and up" link_works
ktap_test mtu "the MTU can be changed" mtu_changes
ktap_test pause "pause frames of the port cannot be switched" pause_refused
ktap_test classes "there are neither traffic classes nor parameters of congestion control" no_classes
ktap_test fec "there is no forward error correction to see, nor what it has corrected" no_fec
ktap_test tcp "TCP transfers data intact both ways" tcp_both_ways 1M
ktap_test rdma "RDMA over RoCE v2" ends_pingpong 100
ktap_test log "the log has no refused commands" quiet_log
ktap_finally ends_stop
ktap_end
