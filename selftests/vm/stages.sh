#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Bring-up is made to fail after each stage in turn: the probe says so, gives everything back, and the next one works.
# guests: 1
# drivers: cxr mlx5
# timeout: 600
. "$(dirname "$0")/../lib/ktap.sh"

need_cxr() { [ "$CXR_DRIVER" = cxr ] || skip "fail_stage is a parameter of cxr_core; the driver here is $CXR_DRIVER"; }

bound() { [ -e "/sys/bus/pci/devices/$(driver_bdfs | head -n 1)/driver" ]; }

# What the device and the kernel still hold for the driver
nothing_left()
{
	[ -z "$(driver_netdev)" ]
	[ -z "$(driver_ibdev)" ]
	must_fail test -e "/sys/kernel/debug/cxr/$(driver_bdfs | head -n 1)"
	device_is_clean
}

fails_at()
{
	need_cxr
	driver_unload
	driver_insmod cxr_core "fail_stage=$1"
	must_fail bound
	dmesg | grep 'fail_stage' | tail -n 1 | grep "stage $2:.*-5\|stage $2:.*EIO"
	nothing_left
	# the same module, told to go on, brings the function up
	echo -1 >/sys/module/cxr_core/parameters/fail_stage
	driver_bdfs | head -n 1 >/sys/bus/pci/drivers_probe
	bound
	driver_unload
	nothing_left
}

bad_stage()
{
	need_cxr
	driver_unload
	must_fail driver_insmod cxr_core "fail_stage=$1"
	dmesg | grep 'fail_stage' | tail -n 1 | grep -F -- "$1"
}

STAGES="pci cmdq hca uar irq eq ports health clients"

# No stage is forgotten here
all_stages()
{
	local last

	need_cxr
	driver_unload
	last=$(wc -w <<<"$STAGES")
	driver_insmod cxr_core "fail_stage=$((last - 1))"
	[ "$(cat /sys/module/cxr_core/parameters/fail_stage)" = "${STAGES##* }" ]
	driver_unload
	must_fail driver_insmod cxr_core "fail_stage=$last"
}

# Slabs in use, in kB, after the caches were dropped
slab_kb()
{
	sync
	echo 3 >/proc/sys/vm/drop_caches
	awk '/^SUnreclaim:/ { print $2 }' /proc/meminfo
}

# Pages that a CPU keeps for its next user are free, too: on 6.1 15 MB and more.
free_kb()
{
	awk '/^MemFree:/ { kb += $2 } $1 == "count:" { kb += $2 * '$(($(getconf PAGESIZE) / 1024))' } END { print kb }' /proc/meminfo /proc/zoneinfo
}

# Fifty failing probes cost no memory: a page lost in each would show
no_page_leak()
{
	local before after

	need_cxr
	driver_unload
	for _ in 1 2 3 4 5; do driver_insmod cxr_core fail_stage=ports; rmmod cxr_core; done
	before="$(slab_kb) $(free_kb)"
	for _ in $(seq 50); do driver_insmod cxr_core fail_stage=ports; rmmod cxr_core; done
	after="$(slab_kb) $(free_kb)"
	echo "slab and free memory in kB before: $before, after: $after"
	[ $((${after% *} - ${before% *})) -lt 1024 ]
	[ $((${before#* } - ${after#* })) -lt 4096 ]
}

export KTAP_TIMEOUT=200
# shellcheck disable=SC2086
set -- $STAGES
ktap_plan $(($# + 4))
ktap_run "the stages tested here are all there are" all_stages
for stage in "$@"; do
	ktap_run "a failure at stage $stage is reported, leaves nothing, and the next probe works" fails_at "$stage" "$stage"
done
ktap_run "a stage that does not exist is refused by name" bad_stage nonsense
ktap_run "a stage number that does not exist is refused by name" bad_stage 99
ktap_run "fifty failing probes lose no memory" no_page_leak
ktap_end
