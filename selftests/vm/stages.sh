#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Bring-up fails after each stage in turn: the probe reports it, releases everything, and the next one works.
# guests: 1
# card: cx5,devx
# takes: 75
# turn: yes
# drivers: cxr mlx5
# timeout: 600
. "$(dirname "$0")/../lib/ktap.sh"

FAIL_STAGE=/sys/module/cxr_core/parameters/fail_stage
PROBES=100

require_cxr() { [ "$CXR_DRIVER" = cxr ] || skip "fail_stage is a parameter of cxr_core; the driver is $CXR_DRIVER"; }

# Set-up: no cxr module loaded
unloaded()
{
	require_cxr
	driver_unload
}

bound() { [ -e "/sys/bus/pci/devices/$(driver_bdfs | head -n 1)/driver" ]; }

# Nothing of the driver is left in the kernel and in the device
nothing_left()
{
	[ -z "$(driver_netdev)" ]
	[ -z "$(driver_ibdev)" ]
	must_fail test -e "/sys/kernel/debug/cxr/$(driver_bdfs | head -n 1)"
	device_is_clean
}

fails_at() # STAGE
{
	driver_insmod cxr_core "fail_stage=$1"
	must_fail bound
	dmesg | grep 'fail_stage' | tail -n 1 | grep "stage $1:.*-5\|stage $1:.*EIO"
	nothing_left
	# without fail_stage the same module probes successfully
	echo -1 >$FAIL_STAGE
	driver_bdfs | head -n 1 >/sys/bus/pci/drivers_probe
	bound
	driver_unload
	nothing_left
}

bad_stage() # VALUE
{
	must_fail driver_insmod cxr_core "fail_stage=$1"
	dmesg | grep 'fail_stage' | tail -n 1 | grep -F -- "$1"
}

STAGES="pci cmdq hca uar irq eq ports clock cong health clients vfs"
EN_STAGES="port base devlink wq tunnel dcb link netdev client"
IB_STAGES="uar roce gids counters devx dm xrc umr odp client device force"

# All stages are listed here: the message for an unknown stage lists them, and they are numbered in this order.
all_stages()
{
	local all stage n=0

	# shellcheck disable=SC2086
	all="$STAGES $(printf 'en:%s ' $EN_STAGES)$(printf 'ib:%s ' $IB_STAGES)"
	must_fail driver_insmod cxr_core fail_stage=all
	[ "$(dmesg | sed -n 's/.*fail_stage=all.* or one of //p' | tail -n 1)" = "${all% }" ]
	driver_insmod cxr_core fail_stage=-1
	for stage in $all; do
		echo $n >$FAIL_STAGE
		[ "$(cat $FAIL_STAGE)" = "$stage" ]
		n=$((n + 1))
	done
	must_fail eval "echo $n >$FAIL_STAGE"
	[ "$(cat $FAIL_STAGE)" = "$stage" ]
	driver_unload
}

# The other client is not affected, and this one works when it is bound again.
client_fails_at() # en|ib STAGE
{
	local adev=/sys/bus/auxiliary/devices/cxr_core.$1.0 there=driver_ibdev missing=driver_netdev

	[ "$1" = en ] || { there=driver_netdev; missing=driver_ibdev; }
	driver_insmod cxr_core "fail_stage=$1:$2"
	driver_insmod cxr_en
	driver_insmod cxr_ib
	must_fail test -e "$adev/driver"
	dmesg | grep fail_stage | tail -n 1 | grep "stage $1:$2:.*-5\|stage $1:$2:.*EIO"
	[ -n "$($there)" ]
	[ -z "$($missing)" ]
	echo -1 >$FAIL_STAGE
	echo "${adev##*/}" >/sys/bus/auxiliary/drivers_probe
	[ -e "$adev/driver" ]
	[ -n "$($missing)" ]
	driver_unload
	nothing_left
}

failing_probes() # NUMBER
{
	local n=$1 bdf

	bdf=$(driver_bdfs | head -n 1)
	while [ "$n" -gt 0 ]; do
		echo "$bdf" >/sys/bus/pci/drivers_probe || true
		n=$((n - 1))
	done
	must_fail bound
}

# Slab objects in use, by kmalloc size. With SLUB debugging, as in these guests, there are no per-CPU caches.
objects_in_use() { awk '/^kmalloc-/ { print $1, $2 }' /proc/slabinfo; }

# No size has so many more objects than BEFORE that each probe could have leaked one
no_object_leaked() # BEFORE
{
	awk -v few=$((PROBES / 2)) 'NR == FNR { was[$1] = $2; next } $2 - was[$1] >= few { print $1 ": " was[$1] " objects, then " $2; bad = 1 }
		END { exit bad }' <(echo "$1") <(objects_in_use)
}

# Pages that are neither free nor in any of the kernel's statistics, such as those that a driver allocates. Statistics per CPU are
# flushed first; pages in per-CPU lists count as free.
unaccounted_pages()
{
	local page=$(($(getconf PAGESIZE) / 1024))

	echo 1 >/proc/sys/vm/drop_caches
	cat /proc/sys/vm/stat_refresh
	awk -v page=$page '
		$1 == "MemTotal:" { kb += $2 }
		/^(MemFree|Buffers|Cached|SwapCached|AnonPages|Slab|KernelStack|PageTables|SecPageTables|VmallocUsed|Percpu):/ { kb -= $2 }
		$1 == "count:" { kb -= $2 * page }
		END { print int(kb / page) }' /proc/meminfo /proc/zoneinfo
}

# What the kernel frees later, after boot or the first probes, would hide a leak
settled()
{
	local was

	was=$(unaccounted_pages)
	nap 1
	[ $((was - $(unaccounted_pages))) -lt 4 ]
}

vmalloc_areas() { grep -c '\[cxr_core\]' /proc/vmallocinfo || true; }

# Detects a slab object, page or mapping that each failing probe leaks.
no_leak() # STAGE
{
	local objects areas pages more

	driver_insmod cxr_core "fail_stage=$1"
	failing_probes 10
	wait_until 30 settled
	objects=$(objects_in_use)
	[ -n "$objects" ] || fail "/proc/slabinfo has no kmalloc caches"
	areas=$(vmalloc_areas)
	pages=$(unaccounted_pages)
	failing_probes $PROBES
	more=$(unaccounted_pages)
	echo "unaccounted pages before $PROBES probes: $pages, after: $more"
	[ $((more - pages)) -lt $((PROBES / 2)) ] || fail "$((more - pages)) pages have leaked"
	[ "$(vmalloc_areas)" = "$areas" ] || fail "mappings before: $areas, after: $(vmalloc_areas)"
	# objects are freed after an RCU grace period
	wait_until 20 no_object_leaked "$objects" >/dev/null || { no_object_leaked "$objects"; fail "objects have leaked"; }
}

ktap_setup unloaded
ktap_test all "every stage is tested here" all_stages
for stage in $STAGES; do
	ktap_test "fails.$stage" "a failure at stage $stage is reported and rolled back, and the next probe works" fails_at "$stage"
done
for stage in $EN_STAGES; do
	ktap_test "fails.en.$stage" "a failure at stage en:$stage costs only the netdev, and is rolled back" client_fails_at en "$stage"
done
for stage in $IB_STAGES; do
	ktap_test "fails.ib.$stage" "a failure at stage ib:$stage costs only the RDMA device, and is rolled back" client_fails_at ib "$stage"
done
ktap_test refuses.name "an unknown stage name is refused" bad_stage nonsense
ktap_test refuses.number "an unknown stage number is refused" bad_stage 99
KTAP_TIMEOUT=200 ktap_test leaks "failing probes leak no object, page or mapping" no_leak vfs
ktap_finally driver_unload
ktap_end
