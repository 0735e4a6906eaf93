#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# As differences.sh, of what only some devices have: DC transport, memory on the device, on-demand paging, packet pacing, and commands that a
# program composes.
# guests: 1
# card: cx6dx,devx
# takes: 60
# turn: yes
# drivers: cxr
# timeout: 900
# long: 3000
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/differences.sh"

PROGRAM=$(dirname "$0")/differences_devx.py
if [ -n "${CXR_LONG:-}" ]; then
	number=1000 seed=${CXR_SEED:-$EPOCHSECONDS}
else
	number=40 seed=${CXR_SEED:-1}
fi

ask() { run_python "$PROGRAM" "$seed" "$number"; }

KTAP_SETUP_TIMEOUT=${CXR_LONG:+2}800 ktap_setup both_asked "$seed"
ktap_rows alike "$seed" < <(python3 -B "$PROGRAM" list)
ktap_test violations "the driver leaves nothing to refuse to the adapter" nothing_refused
ktap_end
