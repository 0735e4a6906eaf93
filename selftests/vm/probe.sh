#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Load and unload, bind and unbind, function reset: the driver releases everything.
# guests: 1
# takes: 75
# drivers: cxr mlx5
# timeout: 600
. "$(dirname "$0")/../lib/ktap.sh"

# A round takes half a minute on the debug kernel.
ROUNDS=20
[ "${CXR_KERNEL:-}" != debug ] || ROUNDS=5

# Both devices of a function appear
devices_there()
{
	wait_until 30 netdev_there && wait_until 30 ibdev_there
}

reload()
{
	local i

	echo "$ROUNDS rounds"
	for i in $(seq "$ROUNDS"); do
		driver_unload
		device_is_clean >/dev/null || fail "round $i: objects or pages are left in the device"
		driver_load
		devices_there || fail "round $i: no devices"
	done
}

# The driver's name in sysfs
pci_driver() { [ "$CXR_DRIVER" = mlx5 ] && echo mlx5_core || echo cxr_core; }

rebind()
{
	local bdf i

	echo "$ROUNDS rounds"
	bdf=$(driver_bdfs | head -n 1)
	for i in $(seq "$ROUNDS"); do
		echo "$bdf" >"/sys/bus/pci/drivers/$(pci_driver)/unbind"
		[ -z "$(driver_netdev)" ] || fail "round $i: the netdev is still there"
		[ -z "$(driver_ibdev)" ] || fail "round $i: the RDMA device is still there"
		echo "$bdf" >"/sys/bus/pci/drivers/$(pci_driver)/bind"
		devices_there || fail "round $i: no devices"
	done
}

# Each client alone: its auxiliary device is unbound and bound again while the other stays
rebind_client()
{
	local aux drv i

	[ "$CXR_DRIVER" = cxr ] || skip "needs the auxiliary devices of cxr; the driver is $CXR_DRIVER"
	echo "$ROUNDS rounds"
	aux=$(basename /sys/bus/auxiliary/devices/cxr_core."$1".*)
	drv=$(readlink -f "/sys/bus/auxiliary/devices/$aux/driver")
	for i in $(seq "$ROUNDS"); do
		echo "$aux" >"$drv/unbind"
		echo "$aux" >"$drv/bind"
		devices_there || fail "round $i: no devices"
	done
}

unloaded_is_clean()
{
	driver_unload
	device_is_clean
}

# Unload after all kinds of unbind and bind
rebinds_and_unload()
{
	if [ "$CXR_DRIVER" = cxr ]; then
		ROUNDS=1 rebind_client en
		ROUNDS=1 rebind_client ib
	fi
	ROUNDS=1 rebind
	unloaded_is_clean
}

opened() { kmsg | grep -q "opener: opened: 0"; }
no_carrier() { [ "$(cat "/sys/class/net/$(driver_netdev)/carrier")" = 0 ]; }

# The link goes down between the moment in which a fast user has opened the interface and the end of the driver's probe.
link_lost()
{
	local bdf

	[ -c "${CXR_EMU_PORT:-}" ] || skip "no emulator: not a guest of scripts/vm"
	bdf=$(driver_bdfs | head -n 1)
	echo "$bdf" >"/sys/bus/pci/drivers/$(pci_driver)/unbind"
	insmod "/cxr/build/$CXR_KERNEL-kmod/opener.ko" device="$bdf" ms=3000
	trap 'rmmod opener; emu fault "$CXR_GUEST" port up >/dev/null' EXIT
	echo "$bdf" >"/sys/bus/pci/drivers/$(pci_driver)/bind" &
	wait_until 30 opened
	emu fault "$CXR_GUEST" port down >/dev/null
	wait
	devices_there
	[ "$(cat "/sys/class/net/$(driver_netdev)/flags")" = 0x1003 ]
	wait_until 10 no_carrier
}

# FLR of an unbound function, which works afterwards
function_reset()
{
	local bdf

	bdf=$(driver_bdfs | head -n 1)
	echo "$bdf" >"/sys/bus/pci/drivers/$(pci_driver)/unbind"
	grep -q flr "/sys/bus/pci/devices/$bdf/reset_method"
	echo 1 >"/sys/bus/pci/devices/$bdf/reset"
	echo "$bdf" >"/sys/bus/pci/drivers/$(pci_driver)/bind"
	devices_there
	unloaded_is_clean
}

# No PCI alias may load the modules
no_autoload()
{
	local m

	[ "$CXR_DRIVER" = cxr ] || skip "tests the modules of cxr; the driver is $CXR_DRIVER"
	for m in cxr_core cxr_en cxr_ib; do
		echo "$m: $(modinfo -F alias "$CXR_MODULES/$m.ko" | xargs)"
		lacks '^pci:' modinfo -F alias "$CXR_MODULES/$m.ko"
	done
}

# A function bound to the in-tree driver is not taken over
not_stolen()
{
	local bdf drv

	[ "$CXR_DRIVER" = cxr ] || skip "tests the modules of cxr; the driver is $CXR_DRIVER"
	driver_unload
	bdf=$(driver_bdfs | head -n 1)
	modprobe mlx5_core
	drv=$(basename "$(readlink "/sys/bus/pci/devices/$bdf/driver")")
	[ "$drv" = mlx5_core ] || fail "the in-tree driver did not bind: $drv"
	driver_insmod cxr_core
	drv=$(basename "$(readlink "/sys/bus/pci/devices/$bdf/driver")")
	[ "$drv" = mlx5_core ] || fail "after loading cxr_core the function is bound to: $drv"
	driver_unload
	driver_load
	devices_there
	unloaded_is_clean
}

# Set-up: the function is bound, with netdev and RDMA device
loaded()
{
	local bdf

	bdf=$(driver_bdfs | head -n 1)
	driver_load
	[ -e "/sys/bus/pci/devices/$bdf/driver" ] || echo "$bdf" >"/sys/bus/pci/drivers/$(pci_driver)/bind"
	devices_there
}

export KTAP_TIMEOUT=300
ktap_test autoload "the modules have no PCI alias: a card does not load them" no_autoload
ktap_test load "netdev and RDMA device appear on each of many loads" reload
ktap_test stays "a function bound to another driver stays with it" not_stolen
ktap_setup loaded
ktap_test unload "unload leaves nothing in the device" unloaded_is_clean
ktap_test rebind.function "the PCI function is unbound and bound many times" rebind
ktap_test rebind.en "cxr_en alone is unbound and bound many times" rebind_client en
ktap_test rebind.ib "cxr_ib alone is unbound and bound many times" rebind_client ib
ktap_test rebind.unload "unload after unbind and bind leaves nothing in the device" rebinds_and_unload
ktap_test opened "a link that is lost while the interface is registered, and open already, is noticed" link_lost
ktap_test reset "the function works after a function-level reset" function_reset
ktap_finally driver_unload
ktap_end
