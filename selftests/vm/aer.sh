#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Recovery from a PCI error of a function while the other one of the bus is not ready for it.
# guests: 1
# functions: 2
# takes: 40
# turn: yes
# timeout: 600
# drivers: cxr
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"

COMPLETER_ABORT=0x8000	# not fatal
MALFORMED=0x40000	# fatal

before_each()
{
	know_function
	OTHER=$(nth 1 driver_bdfs)
}

# Both functions bound
both_up()
{
	up
	[ -e "$DRV/$OTHER" ] || echo "$OTHER" >"$DRV/bind"
}
works()
{
	must_fail is_dead
	wait_until 30 test -e "/sys/bus/pci/devices/$BDF/net"
	driver_net_up
	run_commands
	unbind
	no_violation
}

# While the other function is being bound, which has its lock, the recovery waits for it; a person resets this one meanwhile
comes_up()
{
	local binder resetter said

	ktap_spoilt
	trap 'emu command-us off >/dev/null' EXIT
	echo "$OTHER" >"$DRV/unbind"
	emu command-us 400000 >/dev/null
	echo "$OTHER" >"$DRV/bind" &
	binder=$!
	wait_until 30 stack_has $binder cxr_stages_up
	said=$(pci_error $COMPLETER_ABORT) || { emu command-us off >/dev/null; wait $binder; skip "$said"; }
	wait_kmsg "device failed: nonfatal PCI error" 30
	echo 1 >"/sys/bus/pci/devices/$BDF/reset" &
	resetter=$!
	wait_kmsg "going down for a reset of the function" 30
	stack_has $binder cxr_stages_up || fail "the other function was bound too early"
	emu command-us off >/dev/null
	wait $binder
	wait $resetter
	wait_kmsg "PCI error before it came up" 60
	wait_kmsg "device recovery successful" 60
	works
}
stack_has() { grep -q "$2" "/proc/$1/stack" 2>/dev/null; } # PID FUNCTION

firmware_fails() { emu fault "$CXR_GUEST${BDF##*.}" fatal >/dev/null; }

# The PCI core gives up, and a person recovers the function
given_up() # ERROR [COMMAND...]
{
	local said

	ktap_spoilt
	echo "$OTHER" >"$DRV/unbind"
	said=$(pci_error "$1") || skip "$said"
	wait_kmsg "device recovery failed" 60
	"${@:2}"
	wait_until 15 fatal_is error
	is_dead
	devlink health recover "pci/$BDF" reporter fw_fatal
	fatal_is healthy
	works
}
fatal_is() { devlink health show "pci/$BDF" reporter fw_fatal | grep "state $1 "; } # STATE

ktap_setup both_up
ktap_test up-again "a function that a person resets before the recovery gets to it is reset again" comes_up
ktap_test alone "the other function has no driver: the PCI core gives up, devlink health recover does not" given_up $COMPLETER_ABORT
ktap_test alone.frozen "the same after a fatal error that the firmware asks for a reset after" given_up $MALFORMED firmware_fails
ktap_end
