#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Many verbs objects at once, processes killed during transfers, a device that is unbound meanwhile.
# Afterwards nothing is left behind in ib_core, kernel memory and the device.
# guests: 1
# takes: 65
# timeout: 600
# long: 1500
. "$(dirname "$0")/../lib/ktap.sh"

SEED=${CXR_SEED:-$RANDOM}
GROWTH_KB=4096			# growth of kernel memory that is tolerated
if [ -n "${CXR_LONG:-}" ]; then QPS=1000 MRS=10000 SECONDS_OF_LIVES=300 TURNS=5; else QPS=100 MRS=500 SECONDS_OF_LIVES=8 TURNS=1; fi

py=$(dirname "$0")/stress.py
run() { python3 -B "$py" "$dev" "$gid" "$@"; }

before_each()
{
	dev=$(driver_ibdev)
	gid=$(gid_index "$dev" v2 "$(my_ip)")
}

# Create objects that are kept: the in-tree driver creates a UMR QP for all MRs.
ready()
{
	driver_up 4200
	before_each
	run lives 1 "$SEED"
	resources >/tmp/stress.before
}

# ---- resources -------------------------------------------------------------------------------------

# Only the counts: a list may query a QP that was just destroyed.
in_core() { rdma resource show | sed 's/^[0-9]*: //; s/ *$//'; }

# Objects in the device; nothing without an emulator. Drivers keep mkeys of MRs that are gone.
in_device()
{
	[ -c "${CXR_EMU_PORT:-}" ] || return 0
	emu status | sed -n 's/^ *objects: [0-9]*, //p' | tr ',' '\n' | sed 's/^ *//' | grep -v mkey
}

violations() { [ ! -c "${CXR_EMU_PORT:-}" ] || emu status | grep '^violations:'; }

resources() { in_core; in_device; violations; }
unchanged() { [ "$(resources)" = "$(</tmp/stress.before)" ]; }

nothing_left()
{
	wait_until 30 unchanged && return
	diff /tmp/stress.before <(resources)
}

kernel_kb()
{
	echo 3 >/proc/sys/vm/drop_caches
	awk '/^SUnreclaim|^VmallocUsed|^KernelStack|^PageTables|^Percpu/ { n += $2 } END { print n }' /proc/meminfo
}
kernel_grew_less() { [ $(($(kernel_kb) - $1)) -lt $GROWTH_KB ]; }

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
	nothing_left
}
many_says_or_ends() { grep -qx open /tmp/many.out || ! kill -0 "$1" 2>/dev/null; }

lives()
{
	local before

	echo "SEED=$SEED"
	before=$(kernel_kb)
	run lives $SECONDS_OF_LIVES "$SEED"
	nothing_left
	echo "kernel memory: $before kB before, $(kernel_kb) kB after"
	wait_until 30 kernel_grew_less "$before"
}

unbind_in_use()
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
		grep -qx busy /tmp/gone.out || { cat /tmp/gone.out; fail "the processes did not start"; }
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
KTAP_TIMEOUT=600 ktap_test gone "the device is unbound while processes use it" unbind_in_use
ktap_end
