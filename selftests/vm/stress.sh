#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Many verbs objects at once, processes that are killed amid their transfers, a device that goes while
# they run. Then all is as it was: in ib_core, in the kernel's memory, in the device.
# guests: 1
# takes: 65
# timeout: 600
# long: 1500
. "$(dirname "$0")/../lib/ktap.sh"

SEED=${CXR_SEED:-$RANDOM}
GROWTH_KB=4096			# that a kernel may take and keep for its own reasons
if [ -n "${CXR_LONG:-}" ]; then QPS=1000 MRS=10000 SECONDS_OF_LIVES=300 TURNS=5; else QPS=100 MRS=500 SECONDS_OF_LIVES=8 TURNS=1; fi

py=$(dirname "$0")/stress.py
run() { python3 -B "$py" "$dev" "$gid" "$@"; }

before_each()
{
	dev=$(driver_ibdev)
	gid=$(gid_index "$dev" v2 "$(my_ip)")
}

# What is made once and kept is there after that: the in-tree driver makes a queue pair for all memory regions.
ready()
{
	driver_up 4200
	before_each
	run lives 1 "$SEED"
	there_is >/tmp/stress.was
}

# ---- what there is ---------------------------------------------------------------------------------

# The numbers alone: a list may ask a device for a queue pair that has just gone.
in_core() { rdma resource show | sed 's/^[0-9]*: //; s/ *$//'; }

# Of a device with 1000 queue pairs; nothing where there is no emulator. The in-tree driver keeps
# memory keys for the next who wants one.
in_device()
{
	[ -c "${CXR_EMU_PORT:-}" ] || return 0
	emu status | sed -n 's/^ *objects: [0-9]*, //p' | tr ',' '\n' | sed 's/^ *//' |
		if [ "$CXR_DRIVER" = mlx5 ]; then grep -v mkey; else cat; fi
}

violations() { [ ! -c "${CXR_EMU_PORT:-}" ] || emu status | grep '^violations:'; }

there_is() { in_core; in_device; violations; }
as_it_was() { [ "$(there_is)" = "$(</tmp/stress.was)" ]; }

all_as_it_was()
{
	wait_until 30 as_it_was && return
	diff /tmp/stress.was <(there_is)
}

kernel_kb()
{
	echo 3 >/proc/sys/vm/drop_caches
	awk '/^SUnreclaim|^VmallocUsed|^KernelStack|^PageTables|^Percpu/ { n += $2 } END { print n }' /proc/meminfo
}
kernel_took() { [ $(($(kernel_kb) - $1)) -lt $GROWTH_KB ]; }

# ---- the tests -------------------------------------------------------------------------------------

many()
{
	local pid

	echo "$QPS queue pairs, $MRS memory regions"
	rm -f /tmp/many.in
	mkfifo /tmp/many.in
	python3 -B "$py" "$dev" "$gid" many $QPS $MRS </tmp/many.in >/tmp/many.out 2>&1 &
	pid=$!
	exec 7>/tmp/many.in
	rm /tmp/many.in
	wait_until 600 many_says_or_ends $pid
	cat /tmp/many.out
	grep -qx open /tmp/many.out
	in_core
	in_core | grep -Eq " qp $((QPS + 1)) .* mr $MRS( |$)"
	in_device
	[ ! -c "${CXR_EMU_PORT:-}" ] || [ "$(in_device | sed -n 's/ QP$//p')" -gt $QPS ]
	kill -KILL $pid
	wait $pid || true
	all_as_it_was
}
many_says_or_ends() { grep -qx open /tmp/many.out || ! kill -0 "$1" 2>/dev/null; }

lives()
{
	local before

	echo "SEED=$SEED"
	before=$(kernel_kb)
	run lives $SECONDS_OF_LIVES "$SEED"
	all_as_it_was
	echo "the kernel had $before kB and has $(kernel_kb)"
	wait_until 30 kernel_took "$before"
}

goes()
{
	local bdf turn pid rc

	echo "SEED=$SEED"
	[ "$CXR_DRIVER" != rxe ] || skip "not a PCI device"
	bdf=$(basename "$(readlink -f "/sys/class/infiniband/$dev/device")")
	for ((turn = 0; turn < TURNS; turn++)); do
		rm -f /tmp/gone.in
		mkfifo /tmp/gone.in
		python3 -B "$py" "$dev" "$gid" gone $((SEED + turn)) </tmp/gone.in >/tmp/gone.out 2>&1 &
		pid=$!
		exec 7>/tmp/gone.in
		rm /tmp/gone.in
		wait_until 120 busy_or_ends $pid
		grep -qx busy /tmp/gone.out || { cat /tmp/gone.out; fail "it did not get there"; }
		echo "$bdf" >"/sys/bus/pci/devices/$bdf/driver/unbind"
		[ -z "$(driver_ibdevs)" ]
		[ ! -c "${CXR_EMU_PORT:-}" ] || device_is_clean >/dev/null
		exec 7>&-
		rc=0
		wait $pid || rc=$?
		[ $rc = 0 ] || { cat /tmp/gone.out; fail "exit code $rc"; }
		driver_unload
		driver_up 4200
	done
	run lives 2 "$SEED"
}
busy_or_ends() { grep -qx busy /tmp/gone.out || ! kill -0 "$1" 2>/dev/null; }

ktap_setup ready
KTAP_TIMEOUT=700 ktap_test many "many QPs and MRs at once, each in use" many
KTAP_TIMEOUT=$((SECONDS_OF_LIVES + 300)) ktap_test lives "processes killed during transfers leave nothing behind" lives
KTAP_TIMEOUT=600 ktap_test gone "the device is unbound while processes use it" goes
ktap_end
