#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# What the system does beside the driver: processors that go and come back, and limits of memory and of control groups.
# guests: 2
# cpus: 2
# takes: 40
# turn: yes
# drivers: cxr mlx5
. "$(dirname "$0")/../lib/ktap.sh"
. "$KTAP_DIR/rows.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"
# shellcheck source=selftests/lib/returns.sh
. "$(dirname "$0")/../lib/returns.sh"

CPU=/sys/devices/system/cpu/cpu1/online
GROUPS_AT=/run/cgroups
probe=("$(dirname "$0")/system.py")

ready()
{
	rows_agree "${probe[@]}"
	ends_up
	before_each
}

before_each() { ends_know; }

limit() { run_python "${probe[0]}" run "$1" "$dev" || exit; } # ID

in_cgroup() # ID
{
	mkdir -p $GROUPS_AT
	mountpoint -q $GROUPS_AT || mount -t cgroup2 none $GROUPS_AT
	trap 'rmdir $GROUPS_AT/limited || true; umount $GROUPS_AT' EXIT
	limit "$1"
}

# Interrupts and works of the processor move to the other one
processors()
{
	local was i

	trap 'echo 1 >$CPU; kill $PINGPONG || true; ends_stop' EXIT
	endless_pingpong
	for ((i = 0; i < 5; i++)); do
		echo 0 >$CPU
		was=$(xmit)
		wait_until 20 flows "$was"
		tcp_both_ways 200000
		echo 1 >$CPU
		was=$(xmit)
		wait_until 20 flows "$was"
	done
	! ended "$PINGPONG" || fail "the program has ended"
}

ktap_setup ready
ktap_test processors "a processor goes and comes back under RDMA and Ethernet traffic: nothing is lost" processors
while IFS=$'\t' read -r id sentence; do
	case $id in
	cgroup) ktap_test "$id" "$sentence" in_cgroup "$id" ;;
	*) ktap_test "$id" "$sentence" limit "$id" ;;
	esac
done < <(rows_list "${probe[@]}")
ktap_end
