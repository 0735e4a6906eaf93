#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# A RoCE LAG whose functions both go away and come back: with their firmware, and in the sleep of the system.
# guests: 2
# takes: 40
# turn: yes
# functions: 2
# drivers: cxr
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/window.sh"
. "$(dirname "$0")/../lib/lag.sh"
# shellcheck source=selftests/lib/sleep.sh
. "$(dirname "$0")/../lib/sleep.sh"

both_back() { [ "$(kmsg | grep -c 'the function works again after a reset')" = 2 ]; }

# The firmware of both functions is the same.
firmware_crashes()
{
	local port

	ktap_spoilt
	for port in 1 2; do devlink health set "pci/$(bdf_of_port $port)" reporter fw_fatal auto_recover true; done
	traffic_start traffic wait=5
	wait_traffic
	emu fault a0 fatal >/dev/null
	traffic_must_fail
	wait_until 40 both_back
	wait_until 20 slave_is 0 up
	wait_until 20 slave_is 1 up
	wait_lag
	[ "$(kmsg | grep -c 'resetting the firmware')" = 1 ] || fail "the firmware was not reset once"
	traffic + op=send sizes=64,65536 count=8
}

system_sleeps()
{
	ktap_spoilt
	trap sleep_done EXIT
	sleep_ready
	traffic_start traffic wait=5
	wait_traffic
	sleeps mem
	traffic_must_fail
	wait_until 20 slave_is 0 up
	wait_until 20 slave_is 1 up
	wait_lag
	traffic + op=send sizes=64,65536 count=8
}

ktap_setup setup_lag active-backup
ktap_test firmware "the firmware of both functions crashes under traffic: it is reset once, and the LAG comes back" firmware_crashes
ktap_test sleep "the system sleeps with a LAG under traffic: the LAG comes back" system_sleeps
ktap_finally teardown_lag
ktap_end
