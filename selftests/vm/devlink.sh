#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# devlink device information, and reloads that change roce_mode and ud_gid_type, that find clients unbound, and that fail.
# guests: 1
# takes: 50
# turn: yes
# drivers: cxr
# timeout: 300
. "$(dirname "$0")/../lib/ktap.sh"

# Types and number of the entries in the GID table of the first device
table_types() { cat /sys/class/infiniband/"$(driver_ibdev)"/ports/1/gid_attrs/types/* 2>/dev/null | sed 's/.* //' | sort -u | xargs; }
types_are() { [ "$(table_types)" = "$1" ]; }
entries() { cat /sys/class/infiniband/"$(driver_ibdev)"/ports/1/gid_attrs/types/* 2>/dev/null | wc -l; }
has_entries() { [ "$(entries)" -ge "$1" ]; }

devlink_dev() { echo "pci/$(driver_bdfs | head -n 1)"; }

# The value of devlink parameter $1 in cmode $2
devlink_value() { devlink dev param show "$(devlink_dev)" name "$1" | sed -n "s/.*cmode $2 value //p"; }

both_up() { [ -n "$(driver_netdev)" ] && [ -n "$(driver_ibdev)" ]; }

# Bring up the new interface, and wait for $1 GID entries of each address
table_again()
{
	wait_until 20 both_up
	driver_net_up
	wait_until 20 has_entries $((3 * $1))
}

# Reload the modules with these PARAMETERS, since devlink may have changed them
loaded() # [PARAMETERS...]
{
	driver_unload
	driver_load "$@"
	driver_net_up
}

devlink_reload() { devlink dev reload "$(devlink_dev)"; }

info()
{
	local text

	text=$(devlink dev info "$(devlink_dev)")
	echo "$text"
	grep -q "driver cxr_core" <<<"$text"
	grep -q "fw.psid $(cat /sys/class/infiniband/"$(driver_ibdev)"/board_id)" <<<"$text"
	grep -q "fw.version $(cat /sys/class/infiniband/"$(driver_ibdev)"/fw_ver)" <<<"$text"
}

begins_as_loaded()
{
	[ "$(devlink_value roce_mode runtime)" = v1 ]
	[ "$(devlink_value roce_mode driverinit)" = v1 ]
	[ "$(devlink_value ud_gid_type runtime)" = v1 ]
	[ "$(devlink_value ud_gid_type driverinit)" = v1 ]
}

refuses()
{
	local dev text

	dev=$(devlink_dev)
	text=$(devlink dev param set "$dev" name roce_mode value 3 cmode driverinit 2>&1) && fail "3 was accepted"
	echo "$text"
	grep -q "two numberings" <<<"$text"
	text=$(devlink dev param set "$dev" name ud_gid_type value v1v2 cmode driverinit 2>&1) && fail "v1v2 was accepted"
	echo "$text"
	grep -q "must be one of 0 or v1, 2 or v2, any" <<<"$text"
	must_fail devlink dev param set "$dev" name roce_mode value v2 cmode runtime
	must_fail devlink dev param set "$dev" name ud_gid_type value v2 cmode runtime
	trap 'ip netns del elsewhere' EXIT
	ip netns add elsewhere
	text=$(devlink dev reload "$dev" netns elsewhere 2>&1) && fail "it moved to another namespace"
	echo "$text"
	grep -q "network namespace" <<<"$text"
	[ "$(devlink_value roce_mode driverinit)" = v1 ]
	[ "$(devlink_value roce_mode runtime)" = v1 ]
}

# From v1 to v2 while a process has the device open, then to v1v2
reload_changes()
{
	local watch

	ktap_spoilt
	wait_until 20 has_entries 3
	types_are v1
	stdbuf -oL ibv_asyncwatch -d "$(driver_ibdev)" >/tmp/watch 2>&1 &
	watch=$!
	wait_until 10 grep -q 'async event FD' /tmp/watch
	devlink dev param set "$(devlink_dev)" name roce_mode value 2 cmode driverinit
	[ "$(devlink_value roce_mode runtime)" = v1 ]
	devlink_reload
	[ "$(devlink_value roce_mode runtime)" = v2 ]
	[ "$(devlink_value ud_gid_type runtime)" = v2 ]	# v1 was requested, but is not available
	[ "$(devlink_value ud_gid_type driverinit)" = v1 ]
	table_again 1
	types_are v2
	kill $watch 2>/dev/null || true	# it may have ended with its device
	devlink dev param set "$(devlink_dev)" name roce_mode value v1v2 cmode driverinit
	devlink dev param set "$(devlink_dev)" name ud_gid_type value any cmode driverinit
	devlink_reload
	[ "$(devlink_value ud_gid_type runtime)" = any ]
	table_again 2
	types_are "v1 v2"
}

# Without RoCE the netdev remains; the requested mode applies again when RoCE is back.
reload_without() # PARAMETER
{
	local dev text

	dev=$(devlink_dev)
	[ "$(devlink_value "$1" driverinit)" = true ]
	devlink dev param set "$dev" name "$1" value false cmode driverinit
	[ -n "$(driver_ibdevs)" ]
	devlink_reload
	[ -z "$(driver_ibdevs)" ]
	[ "$(devlink_value roce_mode runtime)" = off ]
	[ "$(devlink_value roce_mode driverinit)" = v1v2 ]
	driver_net_up
	ethtool "$(driver_netdev)" | grep -q 'Link detected: yes'
	text=$(dmesg)
	grep -q "RoCE is disabled by devlink parameter $1" <<<"$text"
	devlink dev param set "$dev" name "$1" value true cmode driverinit
	devlink_reload
	[ "$(devlink_value roce_mode runtime)" = v1v2 ]
	table_again 2
}

# The RDMA device remains, without a netdev, and so without GIDs
reload_without_netdev()
{
	local dev

	dev=$(devlink_dev)
	[ "$(devlink_value enable_eth driverinit)" = true ]
	devlink dev param set "$dev" name enable_eth value false cmode driverinit
	devlink_reload
	[ -z "$(driver_netdevs)" ]
	[ -n "$(driver_ibdevs)" ]
	must_fail gid_index "$(driver_ibdevs)" v2
	devlink dev param set "$dev" name enable_eth value true cmode driverinit
	devlink_reload
	driver_net_up
	table_again 2
}

# The file and the parameter of devlink are one
roce_enable_file()
{
	local file dev bad

	dev=$(devlink_dev)
	file=/sys/bus/${dev%%/*}/devices/${dev#*/}/roce_enable
	if [ "$CXR_KERNEL" = 6.1 ]; then
		[ ! -e "$file" ]
		skip "devlink of this kernel does not let a driver set a parameter"
	fi
	[ "$(<"$file")" = 1 ]
	echo 0 >"$file"
	kmsg | grep "roce_enable: 0 from the next 'devlink dev reload $dev' on"
	[ "$(<"$file") $(devlink_value enable_roce driverinit)" = "0 false" ]
	[ -n "$(driver_ibdevs)" ]
	for bad in 2x maybe ''; do
		must_fail eval 'echo "$bad" >"$file"'
		kmsg | grep "roce_enable: '$bad' is refused: must be 0 or 1"
		[ "$(<"$file") $(devlink_value enable_roce driverinit)" = "0 false" ]
	done
	devlink_reload
	[ -z "$(driver_ibdevs)" ]
	[ "$(<"$file")" = 0 ]
	devlink dev param set "$dev" name enable_roce value true cmode driverinit
	devlink_reload
	[ "$(<"$file")" = 1 ]
	table_again 2
}

# A reload adds the auxiliary devices again, and so binds a client that was unbound
reload_rebinds()
{
	local adev

	for adev in /sys/bus/auxiliary/devices/cxr_core.ib.*; do
		echo "${adev##*/}" >/sys/bus/auxiliary/drivers/cxr_ib.cxr_ib/unbind
	done
	[ -z "$(driver_ibdev)" ]
	devlink_reload
	table_again 2
}

stage_is() { [ "$(cat "/sys/kernel/debug/cxr/$(driver_bdfs | head -n 1)/stage")" = "$1" ]; }

# Each stage fails in turn: only stage pci is left, and the next reload works
reload_fails()
{
	local stage

	for stage in cmdq hca uar irq eq ports health clients vfs; do
		echo $stage >/sys/module/cxr_core/parameters/fail_stage
		must_fail devlink_reload
		stage_is pci
		[ -z "$(driver_netdev)$(driver_ibdev)" ]
		[ "$(devlink_value roce_mode runtime)" = down ]
		device_is_clean >/dev/null
	done
	must_fail devlink_reload
	echo -1 >/sys/module/cxr_core/parameters/fail_stage
	devlink_reload
	stage_is vfs
	table_again 2
}

# After a failed reload only stage pci is left to take down
unload_after_failure()
{
	echo eq >/sys/module/cxr_core/parameters/fail_stage
	must_fail devlink_reload
	driver_unload
	device_is_clean
}

ktap_setup loaded roce_mode=v1 ud_gid_type=v1
ktap_test begins "devlink parameters start with the values of the module parameters" begins_as_loaded
ktap_test refuses "devlink refuses invalid values, the runtime cmode, and another network namespace" refuses
ktap_test reload.mode "a reload applies the driverinit values of roce_mode and ud_gid_type" reload_changes
ktap_setup loaded
ktap_test info "devlink dev info shows driver, firmware and board" info
ktap_test roce-enable "roce_enable in sysfs is enable_roce of devlink; an invalid value is refused and logged" roce_enable_file
ktap_test reload.no-roce "a reload with enable_roce=false leaves the netdev only, with true RoCE is back" reload_without enable_roce
ktap_test reload.no-rdma "a reload with enable_rdma=false leaves the netdev only, with true the RDMA device is back" reload_without enable_rdma
ktap_test reload.no-eth "a reload with enable_eth=false leaves an RDMA device without GIDs, with true the netdev is back" reload_without_netdev
ktap_test reload.unbound "a reload binds an unbound client again" reload_rebinds
ktap_test reload.fails "a reload that fails at any stage leaves stage pci, and the next one works" reload_fails
ktap_test reload.failed.unload "the driver unloads after a failed reload" unload_after_failure
ktap_finally driver_unload
ktap_end
