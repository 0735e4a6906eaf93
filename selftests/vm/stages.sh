#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Bring-up is made to fail after each stage in turn: the probe says so, gives everything back, and the next one works.
# guests: 1
# takes: 30
# drivers: cxr mlx5
# timeout: 600
. "$(dirname "$0")/../lib/ktap.sh"

FAIL_STAGE=/sys/module/cxr_core/parameters/fail_stage
PROBES=100

need_cxr() { [ "$CXR_DRIVER" = cxr ] || skip "fail_stage is a parameter of cxr_core; the driver is $CXR_DRIVER"; }

# A set-up: no module of ours
unloaded()
{
	need_cxr
	driver_unload
}

bound() { [ -e "/sys/bus/pci/devices/$(driver_bdfs | head -n 1)/driver" ]; }

# What the device and the kernel still hold for the driver
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
	# the same module, told to go on, brings the function up
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

STAGES="pci cmdq hca uar irq eq ports health clients"
EN_STAGES="port base wq netdev client"
IB_STAGES="uar roce gids counters clock xrc umr client device"

# No stage is forgotten here: what a wrong one is answered with lists them all, and they have numbers in this order.
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

# The other client of the device comes up all the same, and this one when it is bound again.
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

probes() # NUMBER: that fail
{
	local n=$1 bdf

	bdf=$(driver_bdfs | head -n 1)
	while [ "$n" -gt 0 ]; do
		echo "$bdf" >/sys/bus/pci/drivers_probe || true
		n=$((n - 1))
	done
	must_fail bound
}

# Objects of each size that are in use. Caches that are debugged, as in these guests, keep none for a CPU.
objects_in_use() { awk '/^kmalloc-/ { print $1, $2 }' /proc/slabinfo; }

# Of no size are there so many more than BEFORE that each probe could have lost one
no_object_lost() # BEFORE
{
	awk -v few=$((PROBES / 2)) 'NR == FNR { was[$1] = $2; next } $2 - was[$1] >= few { print $1 ": " was[$1] " objects, then " $2; bad = 1 }
		END { exit bad }' <(echo "$1") <(objects_in_use)
}

# Pages that are neither free nor anybody's whom the kernel counts. Of those that a driver takes it keeps no account: they are
# here, and neither programs nor caches are. A CPU's counts come late, unless they are asked for, and it keeps pages for its
# next user, which are free.
stray_pages()
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

vmalloc_areas() { grep -c '\[cxr_core\]' /proc/vmallocinfo || true; }

# One object, one page or one mapping that each failing probe loses, shows.
no_leak() # STAGE
{
	local objects areas pages more

	driver_insmod cxr_core "fail_stage=$1"
	probes 10
	objects=$(objects_in_use)
	[ -n "$objects" ] || fail "the kernel does not tell its objects"
	areas=$(vmalloc_areas)
	pages=$(stray_pages)
	probes $PROBES
	more=$(stray_pages)
	echo "stray pages before $PROBES probes: $pages, after: $more"
	[ $((more - pages)) -lt $((PROBES / 2)) ] || fail "$((more - pages)) pages are lost"
	[ "$(vmalloc_areas)" = "$areas" ] || fail "mappings before: $areas, after: $(vmalloc_areas)"
	# what waits for a grace period of RCU is freed a little later
	wait_until 20 no_object_lost "$objects" >/dev/null || { no_object_lost "$objects"; fail "objects are lost"; }
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
KTAP_TIMEOUT=200 ktap_test leaks "failing probes leak no object, page or mapping" no_leak clients
ktap_finally driver_unload
ktap_end
