#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Commands that the driver sends in an operation are refused, or not answered, one at a time (commands.py).
# guests: 2
# cpus: 2
# card: cx6dx,dcb,devx
# takes: 300
# turn: yes
# timeout: 1200
# long: 3600
# drivers: cxr mlx5
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/sweeps.sh"

program=$(dirname "$0")/commands.py
SILENT_MS=500

before_each() { ends_know; }

limit() { [ "$CXR_DRIVER" != cxr ] || echo "$1" >"$LIMIT"; } # MILLISECONDS

ready()
{
	sweeps_agree "$program"
	know_function
	clear_faults
	driver_load
	bind_living
	limit 60000
	ends_up
}

with_commands() # KIND ID
{
	case $CXR_DRIVER-$1.$2 in
	mlx5-silent.*) skip "the in-tree driver waits a minute for an answer" ;;
	mlx5-refused.verbs.rc | mlx5-refused.verbs.group | mlx5-refused.verbs.raw | mlx5-refused.verbs.flows | mlx5-refused.verbs.xrc | mlx5-refused.verbs.rss | \
		mlx5-refused.verbs.dc | mlx5-refused.verbs.faults | mlx5-refused.verbs.rate)
		skip "the kernel warns of an object that the in-tree driver has not destroyed" ;;
	mlx5-refused.verbs.dm) skip "the kernel warns of memory that the device has kept from the in-tree driver" ;;
	mlx5-refused.verbs.pp) skip "the in-tree driver takes a rate for free that the device has kept for another" ;;
	mlx5-refused.verbs.counter) skip "the in-tree driver destroys a counter before its queue pair" ;;
	mlx5-refused.verbs.* | cxr-*) ;;
	*) skip "the in-tree driver sends hundreds of commands" ;;
	esac
	if [ "$1" = refused ]; then limit 60000; else limit $SILENT_MS; fi
	sweep "$program" "$2" "$1"
}

works()
{
	limit 60000
	sweeps_work
}

# Without an answer each try takes seconds.
silent_by_default()
{
	case $1 in
	probe.* | remove.* | open | close | verbs.mr | verbs.rc) ;;
	*) [ -n "${CXR_LONG:-}" ] ;;
	esac
}

ktap_setup ready
while IFS=$'\t' read -r id sentence; do
	[ "$id" != timestamps ] || continue	# there is no command
	KTAP_TIMEOUT=900 ktap_test "refused.$id" "a command is refused while $sentence" with_commands refused "$id"
done < <(rows_list "$OPERATIONS" "$OPERATIONS_DEVX")
while IFS=$'\t' read -r id sentence; do
	[ "$id" != timestamps ] || continue
	! silent_by_default "$id" || KTAP_TIMEOUT=900 ktap_test "silent.$id" "a command is not answered while $sentence" with_commands silent "$id"
done < <(rows_list "$OPERATIONS" "$OPERATIONS_DEVX")
ktap_test works "after all that two adapters reach each other" works
ktap_finally clear_faults
ktap_end
