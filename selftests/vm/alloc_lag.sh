#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# As alloc.sh, in what makes, changes and ends a LAG.
# guests: 2
# functions: 2
# cpus: 2
# card: cx6dx
# kernels: debug
# takes: 900
# timeout: 3600
# drivers: cxr
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/sweeps.sh"

program=$(dirname "$0")/alloc.py

before_each() { ends_know; }

# The modules of the driver are loaded one after another: no other may lie between their functions
ready()
{
	sweeps_agree "$program"
	driver_unload
	modprobe -a ib_uverbs ib_umad bonding dummy
	driver_load
	sweeps_bind
	sweeps_answer_once
	ends_up
}

ktap_setup ready
KTAP_TIMEOUT=1800 sweeps_allocations "$OPERATIONS_LAG" sweep "$program"
ktap_test works "after all that two adapters reach each other" sweeps_work
ktap_end
