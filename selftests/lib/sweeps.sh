# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# Programs that do operations (operations*.py) with a fault at each place in turn, on the function in BDF. To be sourced after ktap.sh.

SWEEPS_DIR=$(dirname "${BASH_SOURCE[0]}")
. "$SWEEPS_DIR/ends.sh"
. "$SWEEPS_DIR/faults.sh"
. "$SWEEPS_DIR/rows.sh"

OPERATIONS=$SWEEPS_DIR/operations.py
OPERATIONS_DEVX=$SWEEPS_DIR/operations_devx.py
OPERATIONS_LAG=$SWEEPS_DIR/operations_lag.py
OPERATIONS_VF=$SWEEPS_DIR/operations_vf.py

# For a set-up: PROGRAM has all operations
sweeps_agree() { rows_agree "$1" "$OPERATIONS" "$OPERATIONS_DEVX" "$OPERATIONS_LAG" "$OPERATIONS_VF"; }

# All functions are bound, and none is dead
sweeps_bind()
{
	for BDF in $(driver_bdfs); do
		# shellcheck disable=SC2034	# of is_dead()
		DEBUG=/sys/kernel/debug/cxr/$BDF
		bind_living
	done
	know_function
}

# For functions on one wire: the first one alone answers for its address
sweeps_answer_once()
{
	sysctl -qw net.ipv4.conf.all.arp_ignore=1
	peer "sysctl -qw net.ipv4.conf.all.arp_ignore=1"
}

# On the guest of the PF of this guest's VF (sriov.sh), with what is here
sweeps_pf() { pf ". selftests/lib/sweeps.sh; set -e; $*"; }

# Declare a test for each operation of FILE: FUNCTION [ARGUMENTS...] ID has allocations fail
sweeps_allocations() # FILE FUNCTION [ARGUMENTS...]
{
	local id sentence

	while IFS=$'\t' read -r id sentence; do
		ktap_test "$id" "an allocation fails while $sentence" "${@:2}" "$id"
	done < <(rows_list "$1")
}

# Declare two tests for each operation of FILE: refused ID, and silent ID
sweeps_commands() # FILE
{
	local id sentence

	while IFS=$'\t' read -r id sentence; do
		ktap_test "refused.$id" "a command is refused while $sentence" refused "$id"
		ktap_test "silent.$id" "a command is not answered while $sentence" silent "$id"
	done < <(rows_list "$1")
}

# Do an operation. Afterwards the driver leaves nothing in the functions
sweep() # PROGRAM ID [WORDS...]
{
	local program=$1 id=$2

	shift 2
	know_function
	run_python "$program" run "$id" "$BDF" "$@"
	for BDF in $(driver_bdfs); do unbind; done
	function_is_clean
	sweeps_bind
}

# For the last test: this adapter and b's reach each other
sweeps_work()
{
	ends_up
	ends_know
	ends_pingpong 100
}

# The same for a VF and its PF, and the end of such tests
sweeps_vf_work()
{
	sweeps_pf "driver_up; pf_vfs 2"
	sweeps_work
}

sweeps_vf_leave()
{
	driver_unload
	pf pf_forget
}
