#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Sleep of the system, to S3 and for hibernation.
# guests: 2
# takes: 120
# turn: yes
# timeout: 900
# drivers: cxr mlx5
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"
# shellcheck source=selftests/lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
# shellcheck source=selftests/lib/returns.sh
. "$(dirname "$0")/../lib/returns.sh"
# shellcheck source=selftests/lib/sleep.sh
. "$(dirname "$0")/../lib/sleep.sh"

BILLION=1000000000

ready()
{
	sleep_ready
	clear_faults
	returned
}

keeps() # mem|disk
{
	local counted

	ktap_spoilt
	ethtool -G "$netdev" rx 512 tx 256
	wait_until 20 link_up "$netdev"
	wait_until 20 reachable
	BEFORE=$(snapshot)
	echo "$BEFORE"
	counted=$(statistics)
	sleeps "$1"
	wait_as_before
	none_falls "$counted"
	ends_pingpong 100
	tcp_both_ways 200000
	no_violation
}

# The peer sends to a function that sleeps.
traffic()
{
	ktap_spoilt
	BEFORE=$(snapshot)
	peer_bg pings "ping -q -i 0.05 $(my_ip)"
	trap 'peer_kill pings' EXIT
	endless_pingpong
	sleeps mem
	works_again
	no_violation
}

no_power()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver leaves the function in D0"
	ktap_spoilt
	BEFORE=$(snapshot)
	fault d3cold
	sleeps mem
	if emu fault list | grep d3cold; then fail "the function was not in D3"; fi
	wait_as_before
	ends_pingpong 100
	no_violation
}

refused()
{
	ktap_spoilt
	BEFORE=$(snapshot)
	sleep_ready refuse=1
	must_fail sleeps "$1"
	wait_as_before
	ends_pingpong 100
	no_violation
}

dead()
{
	[ "$CXR_DRIVER" = cxr ] || skip "about the log of this driver"
	dead_comes_back sleeps mem
}

fails()
{
	[ "$CXR_DRIVER" = cxr ] || skip "about the log of this driver"
	ktap_spoilt
	echo clients >$FAIL
	sleeps mem
	echo -1 >$FAIL
	wait_kmsg "did not come back from the sleep of the system"
	[ -z "$(driver_netdev)" ] || fail "there is an interface without a device"
	[ -z "$(clock)" ] || fail "there is a PTP clock without a device"
	devlink dev reload "pci/$BDF" >/dev/null
	wait_until 30 netdev_there
	driver_net_up $MTU
	reachable
}

# How far the system's time is ahead of the clock's, in ns. The system's time goes on while it sleeps.
ahead() { python3 -B selftests/vm/ptp.py ahead "$netdev"; }
asleep_ns() { python3 -c 'import time; print(time.clock_gettime_ns(time.CLOCK_BOOTTIME) - time.clock_gettime_ns(time.CLOCK_MONOTONIC))'; }

clock_goes_on()
{
	local before asleep after

	ktap_spoilt
	echo 3 >/sys/module/suspend/parameters/pm_test_delay
	before=$(ahead)
	asleep=$(asleep_ns)
	sleeps mem
	after=$(ahead)
	asleep=$(($(asleep_ns) - asleep))
	echo "the clock was $before ns ahead, and is now $after ns; the system slept for $asleep ns"
	# how long it slept, the system has from the RTC, which counts seconds
	[ $asleep -gt $((BILLION * 3 / 2)) ] || fail "the system's clock did not stop"
	[ $((after - before)) -gt -$((BILLION * 5 / 4)) ] && [ $((after - before)) -lt $((BILLION * 5 / 4)) ] || fail "the clock has stopped with the system"
}

ktap_setup ready
ktap_test keeps "after S3 the interface has its name, addresses and settings, the RDMA device its GIDs and parameters" keeps mem
ktap_test keeps.hibernate "so have they before and after the image of a hibernation" keeps disk
ktap_test closed "a closed interface stays closed" stays_closed sleeps mem
ktap_test traffic "under traffic programs of before get errors, new ones work" traffic
ktap_test power "a function whose power was off works again" no_power
ktap_test refused "when the system does not get to sleep, the function works as before" refused mem
ktap_test refused.hibernate "nor to the image of a hibernation" refused disk
ktap_test dead "a device that had failed is brought back" dead
ktap_test fails "a function that does not come back leaves no interface, and a reload retries" fails
ktap_test clock "the PTP clock goes on" clock_goes_on
ktap_finally sleep_done
ktap_end
