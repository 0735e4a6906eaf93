#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Many verbs objects at once, processes killed during transfers, a device that is unbound meanwhile.
# Afterwards nothing is left behind in ib_core, kernel memory and the device.
# guests: 1
# takes: 80
# turn: yes
# timeout: 600
# long: 2000
. "$(dirname "$0")/../lib/ktap.sh"

SEED=${CXR_SEED:-$RANDOM}
GROWTH_KB=4096			# growth of kernel memory that is tolerated
if [ -n "${CXR_LONG:-}" ]; then QPS=1000 MRS=10000 SECONDS_OF_LIVES=300 TURNS=5 SECONDS_OF_RULES=300; else QPS=100 MRS=500 SECONDS_OF_LIVES=8 TURNS=1 SECONDS_OF_RULES=0; fi

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

# The device is unbound while processes connect and transfer data, and bound again
gone_once() # SEED
{
	local bdf pid rc

	bdf=$(basename "$(readlink -f "/sys/class/infiniband/$dev/device")")
	rm -f /tmp/gone.in
	mkfifo /tmp/gone.in
	python3 -B "$py" "$dev" "$gid" gone "$1" </tmp/gone.in >/tmp/gone.out 2>&1 &
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
}

unbind_in_use()
{
	local turn

	echo "SEED=$SEED"
	[ "$CXR_DRIVER" != rxe ] || skip "not a PCI device"
	for ((turn = 0; turn < TURNS; turn++)); do gone_once $((SEED + turn)); done
	run lives 2 "$SEED"
}

# Random rules, TTLs and their switch, until there is /tmp/rules.stop; prints how many were accepted
write_rules() # SEED
{
	local n=0 line='' file

	RANDOM=$1
	until [ -e /tmp/rules.stop ]; do
		for file in /sys/class/infiniband/*/tc/1/; do
			case $((RANDOM % 8)) in
			0) line="tclass=$((RANDOM % 257 - 1))" ;;
			1) echo $((RANDOM % 256)) >"$file/ttl" && n=$((n + 1)) ;;
			2) echo $((RANDOM % 2)) >"$file/application_wins" && n=$((n + 1)) ;;
			3) cat "$file/traffic_class" >/dev/null && n=$((n + 1)) ;;
			4) line="dst_ip=$(my_ip),tclass=$((RANDOM % 257 - 1))" ;;
			*) line="dst_ip=10.$((RANDOM % 4)).0.0/$((RANDOM % 33)),tclass=$((RANDOM % 257 - 1))" ;;
			esac
			[ -z "$line" ] || { echo "$line" >"$file/traffic_class" && n=$((n + 1)); }
			line=''
		done
	done 2>/dev/null
	echo "$n rules written and read"
	[ $n -gt 100 ]
}

rules_meanwhile()
{
	local end=$((SECONDS + SECONDS_OF_RULES)) turn=0 pid rc=0

	echo "SEED=$SEED"
	[ "$CXR_DRIVER" = cxr ] || skip "rules for DSCPs are cxr's own"
	rm -f /tmp/rules.stop
	write_rules "$SEED" &
	pid=$!
	while [ $turn = 0 ] || [ $SECONDS -lt $end ]; do
		gone_once $((SEED + turn))
		turn=$((turn + 1))
	done
	touch /tmp/rules.stop
	wait $pid || rc=$?
	echo "unbound $turn times"
	[ $rc = 0 ] || fail "there were too few rules"
	driver_unload
	driver_up 4200
	run lives 2 "$SEED"
}

busy_or_ends() { grep -qx busy /tmp/gone.out || ! kill -0 "$1" 2>/dev/null; }

ktap_setup ready
KTAP_TIMEOUT=700 ktap_test many "many QPs and MRs at once, each in use" many
KTAP_TIMEOUT=$((SECONDS_OF_LIVES + 300)) ktap_test lives "processes killed during transfers leave nothing behind" lives
KTAP_TIMEOUT=600 ktap_test gone "the device is unbound while processes use it" unbind_in_use
KTAP_TIMEOUT=900 ktap_test gone.rules "the device is unbound while processes use it, and rules for DSCPs change" rules_meanwhile
ktap_end
