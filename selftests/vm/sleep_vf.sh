#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Sleep of a system that has a PF and uses a VF of it: without the PF the VF does not work.
# guests: 2
# functions: 2
# takes: 60
# turn: yes
# card: cx5,vfs=2,sriov
# drivers: cxr
# timeout: 600
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
# shellcheck source=selftests/lib/sleep.sh
. "$(dirname "$0")/../lib/sleep.sh"

KMODS=/cxr/build/$CXR_KERNEL-kmod
DEVICES=/sys/bus/pci/devices
FAIL=/sys/module/cxr_core/parameters/fail_stage

# What this leaves, if it fails, the next call undoes
forget()
{
	driver_unload
	[ ! -d /sys/module/as_vf ] || rmmod as_vf
	[ -d /sys/module/sriov_shim ] || return 0
	rmmod sriov_shim
	find_again
}

# The PF first, as when it had no VFs yet
find_again()
{
	local f

	for f in "$VF" "$PF"; do echo 1 >"$DEVICES/$f/remove"; done
	echo 1 >/sys/bus/pci/rescan
	[ -e "$DEVICES/$VF/config" ]
}

# The kernel knows of two VFs, which nothing drives, and that the second function here is one of them
ready()
{
	before_each
	sleep_ready
	clear_faults
	forget
	insmod "$KMODS/sriov_shim.ko" "device=$PF" vfs=2 first=2 "vf_device=$(cat "$DEVICES/$VF/device")"
	find_again
	driver_insmod cxr_core
	driver_insmod cxr_en
	echo -1 >$FAIL
	echo 0 >"$DEVICES/$PF/sriov_drivers_autoprobe"
	echo 2 >"$DEVICES/$PF/sriov_numvfs"
	echo "$VF" >$DRV/bind
	insmod "$KMODS/as_vf.ko" "vf=$VF" "pf=$PF"
	driver_net_up
	peer "driver_up && ip addr replace $(peer_ip 1)/24 dev \$(driver_netdev)"
	wait_until 20 reached
}

before_each()
{
	{ read -r PF && read -r VF; } < <(driver_bdfs)
}

interface() { ls "$DEVICES/$1/net"; }	# FUNCTION
reached() { ping -q -c 1 -W 1 "$(peer_ip)" && ping -q -c 1 -W 1 "$(peer_ip 1)"; } >/dev/null
interfaces() { (cd /sys/class/net && grep . "$(interface "$PF")/ifindex" "$(interface "$VF")/ifindex"); }

keeps() # mem|disk
{
	local before took

	ktap_spoilt
	before=$(interfaces)
	took=$SECONDS
	sleeps "$1"
	took=$((SECONDS - took))
	[ "$(interfaces)" = "$before" ] || fail "the interfaces are not those of before"
	must_fail kmsg_has "did not come back"
	must_fail kmsg_has "device failed"
	echo "it took $took s"
	wait_until 20 reached
}

# Only the PF fails to come back
pf_lost()
{
	local took

	ktap_spoilt
	echo clients >$FAIL
	took=$SECONDS
	sleeps mem
	took=$((SECONDS - took))
	echo -1 >$FAIL
	kmsg_has "$PF: did not come back from the sleep of the system"
	kmsg_has "$VF: did not come back from the sleep of the system"
	must_fail kmsg_has "no response after a reset or sleep"
	must_fail interface "$PF"
	must_fail interface "$VF"
	echo "it took $took s"
	devlink dev reload "pci/$PF" >/dev/null
	devlink dev reload "pci/$VF" >/dev/null
	wait_until 20 interface "$VF"
	driver_net_up
	wait_until 20 reached
}

leave()
{
	before_each
	sleep_done
	forget
}

ktap_setup ready
ktap_test keeps "after S3 PF and VF have their interfaces and work" keeps mem
ktap_test keeps.hibernate "so do they before and after the image of a hibernation" keeps disk
ktap_test lost "when the PF does not come back, neither does the VF, and reloads retry" pf_lost
ktap_finally leave
ktap_end
