#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# b changes its driver by kexec: the new kernel gets the device as the other driver leaves it when the old kernel shuts down.
# guests: 2
# takes: 90
# drivers: cxr
# turn: yes
# timeout: 900
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"
# shellcheck source=selftests/lib/handover.sh
. "$(dirname "$0")/../lib/handover.sh"

before_each() { ends_know; }

# Set-up: b has the driver that the next test leaves
peer_with() # DRIVER
{
	emu boot-files >/dev/null
	driver_up 1500
	peer "CXR_DRIVER=$1 CXR_MODULES=$CXR_MODULES; . selftests/lib/ends.sh; driver_up 1500 && ends_here peer_" >$ENDS.peer
	ends_here '' >$ENDS
	grep '^peer_.*=' $ENDS.peer >>$ENDS
	reachable
}

# A kernel that is about to go takes a question, and never answers
boot_id() { PEER_TIMEOUT=5 peer "cat /proc/sys/kernel/random/boot_id" 2>/dev/null || true; }

booted_again() # BOOT_ID
{
	local now

	now=$(boot_id)
	[ -n "$now" ] && [ "$now" != "$1" ]
}

# b boots a kernel from the running one, which shuts its driver down, and uses the device with DRIVER. Processes still run meanwhile:
# some read what the driver has in sysfs, and a kernel that they crash panics.
boots_into() # DRIVER
{
	local before

	before=$(boot_id)
	peer "grep -qx 1 /proc/sys/kernel/panic_on_oops &&
		{ (while :; do cat /sys/bus/pci/devices/*/{lag_state,roce_lag_enable,roce_enable}; done) >/dev/null 2>&1 </dev/null & }"
	peer "kexec -s -l /out/boot.image --initrd=/out/boot.initrd --reuse-cmdline && { (sleep 0.3; kexec -e) >/dev/null 2>&1 </dev/null & }"
	wait_until 90 booted_again "$before"
	peer "CXR_DRIVER=$1 CXR_MODULES=$CXR_MODULES; . selftests/lib/ends.sh; driver_up 1500 && ends_here peer_" >$ENDS.kexec
	grep '^peer_.*=' $ENDS.kexec >$ENDS.now
	# shellcheck source=/dev/null
	. $ENDS.now
	works "$1 after kexec"
}

ktap_setup peer_with cxr
KTAP_TIMEOUT=300 ktap_test in-tree "the in-tree driver works after kexec from cxr_core" boots_into mlx5
ktap_setup peer_with mlx5
KTAP_TIMEOUT=300 ktap_test cxr "cxr_core works after kexec from the in-tree driver" boots_into cxr
ktap_finally driver_unload
ktap_end
