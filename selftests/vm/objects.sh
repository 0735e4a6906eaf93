#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Objects of verbs beyond the plain queue pair, with stock libraries: shared receive queues, atomics,
# memory regions that change, windows, states, flushing. Both ends of each connection are here.
# guests: 1
# timeout: 600
. "$(dirname "$0")/../lib/ktap.sh"

probe=$(dirname "$0")/objects.py
object() { python3 -B "$probe" "$dev" "$gid" "$@" || exit; }	# TEST

matrix() { python3 -B "$probe" "$dev" "$gid" matrix >/tmp/errors.txt 2>&1 || { cat /tmp/errors.txt; return 1; }; }

# What is said of row NUMBER; the lines before tell what was wrong
error_row()
{
	local line

	line=$(grep -E "^$1 (ok|fail)" /tmp/errors.txt) || { cat /tmp/errors.txt; fail "it did not get there"; }
	[ "$line" = "$1 ok" ] || { sed "/^$1 /Q" /tmp/errors.txt | tac | sed '/^[0-9]/Q' | tac; fail "see above"; }
}

of_adapters()
{
	[ "$CXR_DRIVER" != rxe ] || skip "Soft-RoCE has none"
	object "$@"
}

own_group()
{
	[ "$CXR_DRIVER" != mlx5 ] || skip "nobody has seen this on the kernel's own driver yet"
	of_adapters group
}

# The error is for the first completion: that of the change, or of a frame that the kernel sends just then
failed_change()
{
	local i

	[ "$CXR_DRIVER" = cxr ] || skip "it takes a driver that then makes another key"
	trap 'emu fault clear' EXIT
	for i in 1 2 3 4 5; do
		emu fault "$CXR_GUEST" cqe any error local_prot nth=1
		if object rereg_new_key; then return; fi
	done
	fail "no change had another key"
}

own_connection()
{
	[ "$CXR_DRIVER" != mlx5 ] || skip "the kernel's own driver asks the device for it"
	object no_connection_to_a_group
}

# What is asked of the device for a queue pair that has gone is a violation
listed()
{
	local before

	before=$(violations)
	object listed
	[ "$(violations)" = "$before" ]
}
# Task structures beyond those of the processes and threads that there are
dead_tasks()
{
	local all tasks

	all=$(awk '$1 == "task_struct" { print $2 }' /proc/slabinfo)
	tasks=(/proc/[0-9]*/task/*)
	echo $((all - ${#tasks[@]}))
}

# libmlx5 asks for more than there is before it asks for what there is
opened_and_gone()
{
	local before after n=60

	[ "$CXR_DRIVER" != mlx5 ] || skip "ib_core keeps the reference to a process whose context was refused, and this driver leaves it so"
	[ ! -e /sys/kernel/debug/kmemleak ] || skip "KASAN keeps freed tasks for a while; kmemleak looks for others at the end"
	before=$(dead_tasks)
	for ((i = 0; i < n; i++)); do ibv_devinfo -d "$dev" >/dev/null || return; done
	wait_until 10 few_more "$before" && return
	after=$(dead_tasks)
	fail "$((after - before)) of $n dead processes are still in memory"
}
few_more() { [ "$(dead_tasks)" -lt "$(($1 + 20))" ]; }

violations() { if [ -c "${CXR_EMU_PORT:-}" ]; then emu status | grep '^violations:'; fi; }

mapfile -t errors < <(python3 -B "$probe" errors)
[ ${#errors[@]} -gt 0 ] || exit 1

ktap_plan $((28 + ${#errors[@]}))
ktap_run "the driver is loaded and has an address" driver_up 4200
dev=$(driver_ibdev)
gid=$(gid_index "$dev" v2 "$(my_ip)")
ktap_run "processes that had the device open are gone" opened_and_gone
ktap_run "a shared receive queue says once that it falls below its limit" object srq_limit
ktap_run "the last WQE of a queue pair in error is announced" object srq_last_wqe
ktap_run "shared receive queues that are too large are refused" object srq_refuses
ktap_run "fetch-and-add and compare-and-swap" object atomics
ktap_run "atomics on a region that does not allow them fail" object atomics_denied
ktap_run "a memory region can be changed" object rereg
ktap_run "a memory region keeps its key when its access or its domain changes" object rereg_key
ktap_run "a change of a memory region that fails is one of its key" failed_change
ktap_run "a part of a DMA buffer is a memory region" object dma_buffer
ktap_run "a memory window of type 1" object window_type_1
ktap_run "a memory window of type 2, bound, invalidated and bound again" object window_type_2
ktap_run "a send invalidates a window of the other side" object window_remote_inv
ktap_run "a completion queue gets larger and smaller with completions in it" object cq_resize
ktap_run "events of a completion queue are moderated" object moderation
ktap_run "one XRC connection reaches two shared receive queues" object xrc
ktap_run "a queue pair is counted by itself" object qp_counters
ktap_run "queue pairs are counted by their type" object qp_counters_auto
ktap_run "queue pairs are listed while they go" listed
ktap_run "context, domain and region can be imported by another library" of_adapters imported
ktap_run "the device's clock can be read and converted" of_adapters clock
ktap_run "a group hears its own port, and not who asked for that" own_group
ktap_run "the state of a drained send queue is refused" object sqd_is_refused
ktap_run "a connection to a multicast address is refused" own_connection
ktap_run "work of a queue pair in error is flushed" object flush
ktap_run "a query says what was set" object query_says_what_was_set
ktap_run "the error matrix comes to its end" matrix
for i in "${!errors[@]}"; do ktap_run "error matrix: ${errors[i]}" error_row "$i"; done
ktap_end
