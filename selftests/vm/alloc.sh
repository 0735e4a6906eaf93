#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Each allocation of memory that the driver makes fails once (alloc.py). Only the debug kernel can do that.
# guests: 2
# cpus: 2
# card: cx6dx,dcb
# kernels: debug
# takes: 900
# timeout: 3600
# drivers: cxr
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"
# shellcheck source=selftests/lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
# shellcheck source=selftests/lib/rows.sh
. "$(dirname "$0")/../lib/rows.sh"

program=$(dirname "$0")/alloc.py
operations=$(dirname "$0")/../lib/operations.py

before_each() { ends_know; }

ready()
{
	rows_agree "$program" "$operations"
	# the modules of the driver are loaded one after another: no other may lie between their functions
	driver_unload
	modprobe -a ib_uverbs ib_umad
	know_function
	driver_load
	bind_living
	ends_up
}

# Afterwards the driver leaves nothing in the device
sweep() # ID
{
	know_function
	run_python "$program" run "$1" "$BDF"
	unbind
	function_is_clean
	bind_living
}

works()
{
	ends_up
	ends_know
	ends_pingpong 100
}

ktap_setup ready
while IFS=$'\t' read -r id sentence; do
	KTAP_TIMEOUT=1800 ktap_test "$id" "an allocation fails while $sentence" sweep "$id"
done < <(rows_list "$operations")
ktap_test works "after all that two adapters reach each other" works
ktap_end
