#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Generic devlink parameters that are sizes: of event queues, and of the list of MAC addresses. A reload applies them.
# guests: 2
# takes: 60
# turn: yes
# timeout: 400
# drivers: cxr mlx5
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

# A driver whose parameters are as after probe
ready()
{
	driver_unload
	driver_load
	ends_up 1500
}

before_each()
{
	ends_know
	DEV=pci/$(driver_bdfs | head -n 1)
}

wanted() { devlink dev param show "$DEV" name "$1" | sed -n 's/.*cmode driverinit value //p'; } # PARAMETER
want() { devlink dev param set "$DEV" name "$1" value "$2" cmode driverinit; } # PARAMETER VALUE

reloaded()
{
	devlink dev reload "$DEV"
	ends_up 1500
	before_each
}

# Sizes of the EQs of the interface's queues
eq_sizes()
{
	local port

	port=$(devlink port show | sed -n "s/: .* netdev $netdev .*//p")
	devlink -j health diagnose "$port" reporter rx | grep -o '"EQ":{[^}]*"size":[0-9]*' | sed 's/.*://' | sort -un | xargs
}

# The kernel's driver adds some, and both round up to a power of two.
event_queues()
{
	want io_eq_size 256
	want event_eq_size 64
	[ "$(eq_sizes)" -gt 512 ]
	reloaded
	[ "$(wanted io_eq_size)" = 256 ]
	[ "$(wanted event_eq_size)" = 64 ]
	[ "$(eq_sizes)" -ge 256 ]
	[ "$(eq_sizes)" -le 512 ]
	reachable
	ends_pingpong 200
}

smallest()
{
	want io_eq_size 64
	reloaded
	[ "$(eq_sizes)" -ge 64 ]
	[ "$(eq_sizes)" -le 256 ]
	tcp_both_ways 1000000
	ends_pingpong 500
}

wrong_sizes()
{
	local name size

	for name in io_eq_size event_eq_size; do
		for size in 0 63 4097 65536; do must_fail want $name $size; done
		[ "$(wanted $name)" = "$1" ]
		shift
	done
}

add_macs() { for ((i = $1; i < $1 + $2; i++)); do printf 'fdb add 02:aa:00:00:%02x:%02x dev %s self\n' $((i >> 8)) $((i & 255)) "$netdev"; done | bridge -batch -; } # FIRST N

# More addresses than the list has by default
many_macs()
{
	[ "$(wanted max_macs)" = 128 ]
	want max_macs 512
	reloaded
	[ "$(wanted max_macs)" = 512 ]
	add_macs 0 300
	[ "$(receives_frames_to 02:aa:00:00:01:2b)" = yes ]
	[ "$(receives_frames_to 02:aa:00:00:01:2c)" = no ]
}

# With more than fit, the interface gets all frames. The kernel's driver leaves addresses out instead.
too_many_macs()
{
	[ "$CXR_DRIVER" = cxr ] || skip "it drops addresses for which there is no room"
	want max_macs 16
	reloaded
	add_macs 0 15
	[ "$(receives_frames_to 02:aa:00:00:00:0e)" = yes ]
	[ "$(receives_frames_to 02:aa:00:00:00:ff)" = no ]
	add_macs 15 1
	[ "$(receives_frames_to 02:aa:00:00:00:0f)" = yes ]
	[ "$(receives_frames_to 02:aa:00:00:00:ff)" = yes ]
}

wrong_macs()
{
	local n

	for n in 0 100 2048 65536; do must_fail want max_macs $n; done
	[ "$(wanted max_macs)" = 128 ]
}

case $CXR_DRIVER in
mlx5) INITIAL="1024 4096" ;;
*) INITIAL="4096 4096" ;;
esac

ktap_setup ready
# shellcheck disable=SC2086
ktap_test eq.wrong "io_eq_size and event_eq_size are 64 to 4096, others are refused" wrong_sizes $INITIAL
ktap_test macs.wrong "max_macs is a power of two that the device can have, others are refused" wrong_macs
ktap_test eq "a reload makes event queues of io_eq_size and event_eq_size" event_queues
ktap_test eq.smallest "traffic passes with event queues of the smallest size" smallest
ktap_setup ready
ktap_test macs "with max_macs 512, three hundred addresses are filtered" many_macs
ktap_test macs.more "with more addresses than max_macs, all frames are received" too_many_macs
ktap_finally driver_unload
ktap_end
