#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Objects of verbs beyond the plain queue pair, with stock libraries: shared receive queues, atomics,
# memory regions that change, windows, states, flushing. Both ends of each connection are here.
# guests: 1
# timeout: 600
. "$(dirname "$0")/../lib/ktap.sh"

ready()
{
	driver_load
	driver_net_up 4200
	wait_until 20 gid_index "$(driver_ibdev)" v2 "$(my_ip)" >/dev/null
}

object() # TEST
{
	python3 -B "$(dirname "$0")/objects.py" "$dev" "$gid" "$1" || exit
}

ktap_plan 11
ktap_run "the driver is loaded and has an address" ready
dev=$(driver_ibdev)
gid=$(gid_index "$dev" v2 "$(my_ip)")
ktap_run "a shared receive queue says once that it falls below its limit" object srq_limit
ktap_run "the last WQE of a queue pair in error is announced" object srq_last_wqe
ktap_run "shared receive queues that are too large are refused" object srq_refuses
ktap_run "fetch-and-add and compare-and-swap" object atomics
ktap_run "atomics on a region that does not allow them fail" object atomics_denied
ktap_run "a memory region can be changed" object rereg
ktap_run "a memory window of type 1" object window_type_1
ktap_run "the state of a drained send queue is refused" object sqd_is_refused
ktap_run "work of a queue pair in error is flushed" object flush
ktap_run "a query says what was set" object query_says_what_was_set
ktap_end
