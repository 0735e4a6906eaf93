#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# As commands.sh, in what makes, changes and ends a LAG.
# guests: 2
# functions: 2
# cpus: 2
# card: cx6dx
# takes: 3600
# when: long
# timeout: 7200
# drivers: cxr
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/sweeps.sh"

program=$(dirname "$0")/commands.py

before_each() { ends_know; }

ready()
{
	sweeps_agree "$program"
	clear_faults
	driver_load
	echo 60000 >"$LIMIT"
	sweeps_bind
	sweeps_answer_once
	ends_up
}

refused() # ID
{
	echo 60000 >"$LIMIT"
	sweep "$program" "$1" refused
}

silent() # ID
{
	echo 500 >"$LIMIT"
	sweep "$program" "$1" silent
}

works()
{
	echo 60000 >"$LIMIT"
	sweeps_work
}

ktap_setup ready
KTAP_TIMEOUT=1200 sweeps_commands "$OPERATIONS_LAG"
ktap_test works "after all that two adapters reach each other" works
ktap_finally clear_faults
ktap_end
