#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# devlink's health reporters, and the recovery of fw_fatal: a device that fails is reset and works again by itself.
# guests: 1
# takes: 80
# timeout: 600
# drivers: cxr
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"

# The reporters have counted nothing, and auto_recover is off
start_anew()
{
	ktap_spoilt
	unbind
	up
}

reporter_is() { devlink health show "pci/$BDF" reporter "$1" | grep "state $2 error $3 "; } # REPORTER STATE ERRORS

# What devlink's health reporters say of an error that the firmware survives, of one that it does not, and after a reset
reporters()
{
	start_anew
	reporter_is fw healthy 0
	reporter_is fw_fatal healthy 0
	fault health 1
	wait_until 15 reporter_is fw error 1
	reporter_is fw_fatal healthy 0
	devlink -j health diagnose "pci/$BDF" reporter fw | grep '"Syndrome":1,"Description":"firmware internal error"'
	devlink -j health dump show "pci/$BDF" reporter fw | grep '"synd":1,'
	fault health 7 rfr
	wait_until 15 reporter_is fw_fatal error 1
	wait_kmsg "the health reporter fw_fatal of devlink has a new error"
	reporter_is fw error 1
	devlink -j health diagnose "pci/$BDF" reporter fw_fatal | grep '"failed":true'
	clear_faults
	echo 1 >"/sys/bus/pci/devices/$BDF/reset"
	wait_until 15 reporter_is fw_fatal healthy 1
	reporter_is fw healthy 1
	devlink -j health diagnose "pci/$BDF" reporter fw_fatal | grep '"failed":false'
	wait_until 30 netdev_there
}

# ---- the driver's own recovery -------------------------------------------------

recovered() { [ "$(devlink -j health show "pci/$BDF" reporter fw_fatal | sed -n 's/.*"recover":\([0-9]*\).*/\1/p')" = "$1" ] && ! is_dead; }
back() { netdev_there && ibdev_there; }

nothing_left()
{
	unbind
	device_is_clean >/dev/null || fail "objects or pages are left in the device"
}

# A failure that a reset mends
fail_once()
{
	fault health 7 rfr
	wait_kmsg "device failed: firmware requests a reset"
}

# The function of before, with the same interface, works again by itself. The times are for the reader.
recovers()
{
	local netdev index start

	start_anew
	auto_recover true
	netdev=$(driver_netdev)
	index=$(cat "/sys/class/net/$netdev/ifindex")
	fail_once
	start=${EPOCHREALTIME/./}
	wait_until 30 recovered 1
	wait_until 30 back
	echo "back $(((${EPOCHREALTIME/./} - start) / 1000)) ms after the failure was seen"
	kmsg_has "the function works again after a reset"
	[ "$(cat "/sys/class/net/$netdev/ifindex")" = "$index" ] || fail "the interface is another one"
	reporter_is fw_fatal healthy 1
	wait_until 30 link_is 1
	run_commands
	nothing_left
}

# A command that is lost, with the limit of a user who does not want to wait
recovers_silent()
{
	start_anew
	auto_recover true
	echo 1500 >$LIMIT
	fault command any silent
	ip link set "$(driver_netdev)" down || true
	wait_kmsg "device failed: a command timed out"
	echo 60000 >$LIMIT
	wait_until 30 recovered 1
	wait_until 30 back
	driver_net_up
	wait_until 30 link_is 1
	nothing_left
}

# The second failure within the grace period is left to a person
grace()
{
	start_anew
	auto_recover true
	fail_once
	wait_until 30 recovered 1
	wait_until 30 back
	fault health 7 rfr
	wait_kmsg "not recovered: the last recovery failed, or is less than the grace period ago" 30
	is_dead
	reporter_is fw_fatal error 2
	devlink health recover "pci/$BDF" reporter fw_fatal
	recovered 2
	wait_until 30 back
	devlink health set "pci/$BDF" reporter fw_fatal grace_period 0
	fault health 7 rfr
	wait_until 30 recovered 3
	wait_until 30 back
	run_commands
}

# Switched off: a person does it
asked_for()
{
	start_anew
	fail_once
	wait_until 15 reporter_is fw_fatal error 1
	is_dead
	netdev_there || fail "the interface is gone"
	devlink health recover "pci/$BDF" reporter fw_fatal
	recovered 1
	reporter_is fw_fatal healthy 1
	wait_until 30 back
	run_commands
}

# The device does not come up after the reset: nothing is left but what a person needs to try again
recovery_fails()
{
	start_anew
	auto_recover true
	fault command init_hca status bad_param times=all
	fail_once
	wait_kmsg "recovery failed: -EINVAL" 30
	netdev_there && fail "there is an interface without a device"
	reporter_is fw_fatal error 1
	must_fail devlink health recover "pci/$BDF" reporter fw_fatal
	clear_faults
	devlink health recover "pci/$BDF" reporter fw_fatal
	wait_until 30 back
	driver_net_up
	run_commands
	nothing_left
}

# The driver is unbound while a recovery waits for a device that stays silent
recovery_unbound()
{
	local start

	start_anew
	auto_recover true
	echo 1500 >$LIMIT
	fault command any silent times=all
	ip link set "$(driver_netdev)" down || true
	wait_kmsg "resetting the function to recover from a failure"
	start=$SECONDS
	unbind
	[ $((SECONDS - start)) -lt $((30 * ${CXR_PATIENCE:-1})) ] || fail "unbind took $((SECONDS - start)) s"
	clear_faults
	up
	run_commands
}

ktap_setup up
ktap_test reporters "devlink's health reporters fw and fw_fatal count errors, tell what they are, and are healthy after a reset" reporters
ktap_test recovers "a device that fails recovers by itself: the same interface, and a new RDMA device" recovers
ktap_test recovers.silent "so does one that a command was lost in" recovers_silent
ktap_test recovers.grace "a second failure within the grace period is left to a person, who can recover it by devlink" grace
ktap_test recovers.off "auto_recover false: a failed device waits for devlink health recover" asked_for
ktap_test recovers.fails "a recovery that fails leaves no interface, and can be tried again" recovery_fails
ktap_test recovers.unbind "the driver can be unbound during a recovery" recovery_unbound
ktap_finally up
ktap_end
