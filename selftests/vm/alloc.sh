#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Each allocation of memory that the driver makes fails once (alloc.py). Only the debug kernel can do that.
# guests: 2
# cpus: 2
# card: cx6dx,dcb,devx
# kernels: debug
# takes: 900
# timeout: 3600
# drivers: cxr
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/sweeps.sh"

program=$(dirname "$0")/alloc.py
FAILING=/run/cxr-failing

before_each() { ends_know; }

# Also when traffic() has not come to its end
nothing_fails()
{
	local kind

	for kind in failslab fail_page_alloc fail_usercopy; do echo 0 >/sys/kernel/debug/$kind/probability; done
	rm -f $FAILING
}

ready()
{
	sweeps_agree "$program"
	nothing_fails
	# the modules of the driver are loaded one after another: no other may lie between their functions
	driver_unload
	modprobe -a ib_uverbs ib_umad
	know_function
	driver_load
	bind_living
	ends_up
}

# NAPI has no task whose allocations could be counted
traffic()
{
	local pid

	true >$FAILING
	run_python "$program" while 10 $FAILING &
	pid=$!
	wait_until 10 grep -qx 100 /sys/kernel/debug/failslab/probability
	tcp_both_ways 4M
	pings "$(peer_ip)"
	rm $FAILING
	wait $pid
	tcp_both_ways 4M
}

ktap_setup ready
KTAP_TIMEOUT=1800 sweeps_allocations "$OPERATIONS" sweep "$program"
KTAP_TIMEOUT=1800 sweeps_allocations "$OPERATIONS_DEVX" sweep "$program"
KTAP_TIMEOUT=600 ktap_test traffic "TCP goes on while allocations fail, also in interrupts" traffic
ktap_test works "after all that two adapters reach each other" sweeps_work
ktap_finally nothing_fails
ktap_end
