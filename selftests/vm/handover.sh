#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# One function, two drivers in turn: each works after the other, whatever that has left in the vport and in the port. By kexec:
# handover_kexec.sh.
# guests: 2
# takes: 100
# turn: yes
# drivers: cxr
# timeout: 900
# long: 1500
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"
# shellcheck source=selftests/lib/handover.sh
. "$(dirname "$0")/../lib/handover.sh"

before_each() { ends_know; bdf=$(driver_bdfs); }

# Set-up: both drivers are loaded, the function is bound to cxr_core
both_up()
{
	local bdf

	bdf=$(driver_bdfs)
	emu fault clear >/dev/null
	[ ! -d /sys/module/mlx5_core ] || [ ! -e "/sys/bus/pci/drivers/mlx5_core/$bdf" ] || release mlx5_core
	ends_up 1500
	load_mlx5
}

release() { echo "$bdf" >"/sys/bus/pci/drivers/$1/unbind"; } # DRIVER

ready() { [ -n "$(driver_netdev)" ] && [ -n "$(driver_ibdev)" ]; }

take() # DRIVER
{
	echo "$bdf" >"/sys/bus/pci/drivers/$1/bind" || fail "$1 does not take the function"
	wait_until 30 ready
	netdev=$(driver_netdev)
	dev=$(driver_ibdev)
}

# Settings of the user that a driver writes to the device
use()
{
	ip link set "$netdev" promisc on mtu 4000
	ip link set "$netdev" address 02:aa:bb:cc:dd:ee
	ip link add link "$netdev" name macvlan0 type macvlan
	ip link set macvlan0 up
	ip link add link "$netdev" name vlan7 type vlan id 7
	ip link set vlan7 up
	ip addr add 10.78.0.1/24 dev vlan7
}

ROUNDS=${CXR_LONG:+10}
ROUNDS=${ROUNDS:-3}

# From ours to the in-tree driver and back
orderly() # ROUNDS
{
	local n

	ktap_spoilt
	for ((n = 0; n < $1; n++)); do
		use
		[ $((n % 2)) = 0 ] || ip link set "$netdev" down
		release cxr_core
		take mlx5_core
		works mlx5_core
		use
		[ $((n % 2)) = 0 ] || ip link set "$netdev" down
		release mlx5_core
		take cxr_core
		works cxr_core
	done
}

# A driver that was killed resets nothing
leftovers()
{
	local driver

	ktap_spoilt
	release cxr_core
	for driver in mlx5_core cxr_core; do
		emu fault "$CXR_GUEST" leftovers >/dev/null || fail "the emulator refuses the fault"
		take $driver
		works $driver
		release $driver
	done
	take cxr_core
}

# Of a card whose function manages the e-switch. The in-tree driver would need more of such a card than there is.
uplink()
{
	ktap_spoilt
	release cxr_core
	emu fault "$CXR_GUEST" cap eswitch_manager 1 >/dev/null
	emu fault "$CXR_GUEST" cap uplink_follow 1 >/dev/null
	emu fault "$CXR_GUEST" leftovers >/dev/null
	take cxr_core
	works cxr_core
}

leave()
{
	driver_unload
	emu fault clear >/dev/null
}

ktap_setup both_up
KTAP_TIMEOUT=600 ktap_test orderly "cxr_core and mlx5_core hand the function over to each other, with settings of users" orderly "$ROUNDS"
KTAP_TIMEOUT=200 ktap_test leftovers "each driver works after one that was killed: MTU, lists, loopback, GIDs, admin down" leftovers
KTAP_TIMEOUT=200 ktap_test uplink "cxr_core works after a killed driver that left the uplink of the e-switch down" uplink
ktap_finally leave
ktap_end
