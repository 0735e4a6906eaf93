#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# devlink's health reporters, and the recovery of fw_fatal: a device that fails is reset and works again by itself.
# guests: 1
# takes: 95
# turn: yes
# timeout: 600
# drivers: cxr
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
. "$(dirname "$0")/../lib/kverbs.sh"

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
	# the syndrome, in the third byte of the health buffer's last word
	[ "$(crdump | sed -n $((0x23f))p)" = 7 ]
	# while another function has the card's semaphore, there is none
	devlink health dump clear "pci/$BDF" reporter fw_fatal
	set_semaphore take
	[ -z "$(crdump)" ] || fail "the registers are read without the card's semaphore"
	wait_kmsg "the dump lacks the registers of the card: -EBUSY"
	set_semaphore release
	devlink health dump clear "pci/$BDF" reporter fw_fatal
	[ -n "$(crdump)" ]
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

# A CQ of the kernel is freed while the flush is at the one before it
flush_of_freed()
{
	start_anew
	auto_recover true
	kverbs "$(driver_ibdev)" flush_of_freed &
	wait_kmsg "kverbs: waits for the device to fail" 30
	fail_once
	wait_until 60 ended $!
	wait $!
	wait_until 30 recovered 1
	wait_until 30 back
}

# Firmware that has crashed: a reset of the function does not start it again, one of the firmware does
crash()
{
	fault fatal
	wait_kmsg "device failed: firmware requests a reset"
}

works_after_crash() # CRASHES
{
	wait_until 30 back
	must_fail is_dead
	[ "$(kmsg | grep -c 'resetting the firmware')" = "$1" ] || fail "the firmware was not reset once for each crash"
	must_fail kmsg_has "timed out"
	driver_net_up
	run_commands
	nothing_left
}

recovers_firmware()
{
	start_anew
	auto_recover true
	crash
	wait_until 30 recovered 1
	works_after_crash 1
}

firmware_by_person()
{
	local times

	for times in 1 2; do
		start_anew
		crash
		case $1 in
		reset) echo 1 >"/sys/bus/pci/devices/$BDF/reset" ;;
		bind) unbind; bind_living ;;
		esac
		works_after_crash $times
	done
}

# A register of the vendor specific capability, or a new value for it
vsc() # OFFSET[=VALUE]
{
	setpci -s "$BDF" "CAP_VNDR+$1"
}

# As the driver of another function does: the semaphore 0x20, by way of the gateway, which has a semaphore of its own at 0xc
set_semaphore() # take|release
{
	local number

	number=$(vsc 8.l)
	vsc "c.l=$number"
	[ "$(vsc c.l)" = "$number" ] || fail "the gateway is taken"
	vsc 4.l=a
	if [ "$1" = take ]; then vsc "14.l=$number"; else vsc 14.l=0; fi
	vsc 10.l=80000020
	[ "$(vsc 10.l)" = 00000020 ] || fail "the gateway does not write"
	vsc c.l=0
}

# Another function resets the firmware that has crashed: this one waits for it
recovers_by_other()
{
	start_anew
	auto_recover true
	trap 'set_semaphore release' EXIT
	set_semaphore take
	crash
	wait_kmsg "resetting the function to recover"
	nap 4
	is_dead || fail "the function works without firmware"
	must_fail kmsg_has "resetting the firmware"
	fault restart
	wait_until 30 recovered 1
	works_after_crash 0
}

# Another function has the semaphore, but only for a dump: this one resets the firmware after it
recovers_after_dump()
{
	start_anew
	auto_recover true
	trap 'set_semaphore release' EXIT
	set_semaphore take
	crash
	wait_kmsg "waiting for another function of the card to reset the firmware"
	nap 1
	must_fail kmsg_has "resetting the firmware"
	set_semaphore release
	wait_until 30 recovered 1
	works_after_crash 1
}

# Somebody, as a tool of the vendor, keeps the gateway, so that nobody can take the semaphore: the reset waits for it
recovers_after_gateway()
{
	local number

	start_anew
	auto_recover true
	number=$(vsc 8.l)
	trap 'vsc c.l=0' EXIT
	vsc "c.l=$number"
	crash
	wait_kmsg "waiting for another function of the card to reset the firmware"
	nap 3
	must_fail kmsg_has "resetting the firmware"
	vsc c.l=0
	wait_until 30 recovered 1
	works_after_crash 1
}

# Another function resets the firmware for a reason of its own
recovers_from_restart()
{
	start_anew
	auto_recover true
	fault restart
	wait_kmsg "device failed: firmware disabled the NIC interface"
	wait_until 30 recovered 1
	works_after_crash 0
}

# Another function has the semaphore, and does not reset the firmware: this one stays down, without DMA, until a person tries again
firmware_stays()
{
	start_anew
	trap 'set_semaphore release' EXIT
	set_semaphore take
	crash
	echo 1 >"/sys/bus/pci/devices/$BDF/reset"
	wait_kmsg "stays down after a reset: the firmware was not reset"
	must_fail kmsg_has "bring-up failed"
	netdev_there && fail "there is an interface without a device"
	is_dead
	set_semaphore release
	wait_until 15 reporter_is fw_fatal error 1
	devlink health recover "pci/$BDF" reporter fw_fatal
	works_after_crash 1
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

# $netdev has a route, and a command that is lost fails soon
begin_with_route()
{
	start_anew
	auto_recover true
	netdev=$(driver_netdev)
	ip route add 198.51.100.0/24 dev "$netdev"
	echo $((1500 * ${CXR_PATIENCE:-1})) >$LIMIT
}
has_routes() { [ -n "$(ip link show dev "$1" up)" ] && [ -n "$(ip route show 198.51.100.0/24 dev "$1")" ]; } # NETDEV

# The kernel forgets routes of an interface that goes down: this one must not, when the device fails while its queues are closed or opened
recovers_restarting()
{
	local netdev command

	for command in destroy_tir create_rq; do
		begin_with_route
		fault command $command silent
		must_fail ethtool -G "$netdev" rx 512
		wait_kmsg "device failed: a command timed out"
		echo 60000 >$LIMIT
		has_routes "$netdev" || fail "$command: the interface went down"
		wait_until 30 recovered 1
		wait_until 30 link_is 1
		has_routes "$netdev" || fail "$command: the interface is down after the recovery"
		run_commands
		nothing_left
	done
}

# It fails again while its queues are opened after the reset, and a person resets it
recovers_reopening()
{
	local netdev

	begin_with_route
	fault command create_rq silent
	fail_once
	wait_kmsg "create_rq (0x908): timed out" 30
	echo 60000 >$LIMIT
	echo 1 >"/sys/bus/pci/devices/$BDF/reset"
	wait_until 30 link_is 1
	has_routes "$netdev" || fail "the interface is down after the reset"
	run_commands
	nothing_left
}

# A failure while the function comes up after a reset by a person is recovered from as any other
recovers_again()
{
	local netdev

	begin_with_route
	fault command create_rq silent
	echo 1 >"/sys/bus/pci/devices/$BDF/reset"
	wait_kmsg "failed again as it came up after a reset"
	echo 60000 >$LIMIT
	wait_until 30 recovered 1
	wait_until 30 link_is 1
	has_routes "$netdev" || fail "the interface is down after the recovery"
	run_commands
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
ktap_test flushed "a CQ that is freed while the completions of the failed device are flushed is not polled any more" flush_of_freed
ktap_test recovers.firmware "so does one whose firmware has crashed: it is reset" recovers_firmware
ktap_test recovers.other "it waits for another function of the card that has begun to reset the firmware" recovers_by_other
ktap_test recovers.dumped "it resets the firmware itself if that function had only dumped the card" recovers_after_dump
ktap_test recovers.gateway "it waits for whoever keeps the gateway to the semaphore for that" recovers_after_gateway
ktap_test recovers.restart "another function resets the firmware: the device recovers" recovers_from_restart
ktap_test firmware.reset "a person resets a function whose firmware has crashed" firmware_by_person reset
ktap_test firmware.bind "unbind resets firmware that has crashed" firmware_by_person bind
ktap_test firmware.stays "firmware that has crashed and is not reset: the function stays down until a person recovers it" firmware_stays
ktap_test recovers.silent "so does one that a command was lost in" recovers_silent
ktap_test recovers.restarting "one that fails while the queues are restarted keeps its interface up" recovers_restarting
ktap_test recovers.reopening "so does one that fails again while it recovers, until it is reset" recovers_reopening
ktap_test recovers.again "a failure while it comes up after a reset by a person is recovered from" recovers_again
ktap_test recovers.grace "a second failure within the grace period is left to a person, who can recover it by devlink" grace
ktap_test recovers.off "auto_recover false: a failed device waits for devlink health recover" asked_for
ktap_test recovers.fails "a recovery that fails leaves no interface, and can be tried again" recovery_fails
ktap_test recovers.unbind "the driver can be unbound during a recovery" recovery_unbound
ktap_finally up
ktap_end
