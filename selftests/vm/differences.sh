#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# What programs and administrators ask for at the edges of what is allowed gets the same answers from our driver and from the in-tree one, on one device. What
# they answer otherwise has a reason in selftests/differences.tsv.
# guests: 1
# takes: 90
# turn: yes
# drivers: cxr
# timeout: 900
# long: 3000
. "$(dirname "$0")/../lib/ktap.sh"

. "$(dirname "$0")/../lib/differences.sh"

PROGRAM=$(dirname "$0")/differences.py SYSTEM=$(dirname "$0")/differences_system.py
if [ -n "${CXR_LONG:-}" ]; then
	number=1000 of_system=200 seed=${CXR_SEED:-$EPOCHSECONDS}
else
	number=60 of_system=15 seed=${CXR_SEED:-1}
fi

ask()
{
	run_python "$PROGRAM" "$seed" "$number"
	run_python "$SYSTEM" "$seed" $of_system
}

KTAP_SETUP_TIMEOUT=${CXR_LONG:+2}800 ktap_setup both_asked "$seed"
ktap_rows alike "$seed" < <(python3 -B "$PROGRAM" list; python3 -B "$SYSTEM" list)
ktap_test violations "the driver leaves nothing to refuse to the adapter" nothing_refused
ktap_end
