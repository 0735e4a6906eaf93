#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Checks at the end of a session: scripts/check runs them last.
# guests: all
. "$(dirname "$0")/ktap.sh"

unloads()
{
	local host

	driver_unload
	for host in $(peer_hosts); do peer_on "$host" driver_unload; done
}

# Are all reports of memory from fork and exec, such as task_struct and cred of dead processes?
processes_only()
{
	awk 'BEGIN { RS = "unreferenced object"; rc = 0 } NR > 1 && !/ (copy_process|prepare_exec_creds)\+/ { rc = 1 }
	     END { exit rc }' <<<"$1"
}

# kmemleak needs two scans, some seconds apart, to report a leak.
no_leaks()
{
	local f=/sys/kernel/debug/kmemleak text n

	[ -e $f ] || skip "this kernel has no kmemleak"
	echo scan >$f
	sleep 6
	echo scan >$f
	text=$(cat $f)
	[ -n "$text" ] || return 0
	n=$(grep -c unreferenced <<<"$text")
	if [ "$CXR_DRIVER" = mlx5 ] && processes_only "$text"; then
		skip "$n objects of dead processes: ib_core leaks the task reference of a refused context with this driver"
	fi
	echo "$text" | head -n 60
	echo "all of them: size, process, time (jiffies):"
	echo "$text" | sed -n 's/^unreferenced.*(size \([0-9]*\)):/\1/p; s/^  comm \(.*\), jiffies \([0-9]*\).*/\1 \2/p' | paste -d ' ' - - | head -n 300
	fail "kmemleak found $n objects"
}

no_dma_errors()
{
	local n

	[ -e /sys/kernel/debug/dma-api/error_count ] || skip "this kernel has no DMA debugging"
	! grep -qw dma_debug=off /proc/cmdline || skip "DMA debugging was turned off"
	n=$(cat /sys/kernel/debug/dma-api/error_count)
	[ "$((n))" = 0 ] || fail "DMA debugging counted $n errors"
	[ "$(cat /sys/kernel/debug/dma-api/disabled)" = N ] || fail "DMA debugging turned itself off"
}

# Run a function of this file in every guest; a failure in one overrides a skip in another
everywhere()
{
	local host rc=0 one

	for host in "" $(peer_hosts); do
		one=0
		if [ -z "$host" ]; then ("$1") || one=$?; else peer_on "$host" "bash selftests/lib/after.sh $1" || one=$?; fi
		case $rc in 0 | "$KTAP_SKIP") [ $one = 0 ] || rc=$one ;; esac
	done
	return "$rc"
}

# What modules that count have executed (scripts/coverage). Files of debugfs have no size, from which tar would see what to store.
save_counts()
{
	local file

	[ -d /sys/kernel/debug/gcov ] || return 0
	find /sys/kernel/debug/gcov -name '*.gcda' -path '*/drivers/*' | while read -r file; do
		mkdir -p "/tmp/gcov/${file%/*}"
		cat "$file" >"/tmp/gcov/$file"
	done
	[ ! -d /tmp/gcov ] || tar -C /tmp/gcov -cf "/out/coverage-$CXR_GUEST.tar" .
}

if [ $# = 1 ]; then
	"$1"
	exit
fi

unset CXR_SHUFFLE	# leaks are searched for after the driver was unloaded
ktap_test unloads "the driver unloads in every guest" unloads
KTAP_TIMEOUT=300 ktap_test kmemleak "kmemleak finds nothing" everywhere no_leaks
ktap_test dma "DMA debugging found nothing" everywhere no_dma_errors
ktap_finally everywhere save_counts
ktap_end
