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

PROGRAM=$(dirname "$0")/differences.py SYSTEM=$(dirname "$0")/differences_system.py
ANSWERS=/tmp/answers	# -DRIVER
VIOLATIONS=/tmp/violations
if [ -n "${CXR_LONG:-}" ]; then
	number=1000 of_system=200 seed=${CXR_SEED:-$EPOCHSECONDS}
else
	number=60 of_system=15 seed=${CXR_SEED:-1}
fi

ask() # DRIVER
{
	CXR_DRIVER=$1 driver_up
	run_python "$PROGRAM" "$seed" "$number" >$ANSWERS-"$1"
	run_python "$SYSTEM" "$seed" $of_system >>$ANSWERS-"$1"
	driver_unload
}

ready()
{
	echo "seed $seed"
	driver_unload
	[ -z "$(emu violations)" ]
	ask mlx5
	emu violations forget
	ask cxr
	emu violations >$VIOLATIONS
}

no_violation()
{
	cat $VIOLATIONS
	[ ! -s $VIOLATIONS ]
}

alike() # GROUP
{
	echo "seed $seed"
	run_python "$(dirname "$0")/../lib/compare.py" $ANSWERS-cxr $ANSWERS-mlx5 "$1"
}

KTAP_SETUP_TIMEOUT=${CXR_LONG:+2}800 ktap_setup ready
ktap_rows alike < <(python3 -B "$PROGRAM" list; python3 -B "$SYSTEM" list)
ktap_test violations "the driver leaves nothing to refuse to the adapter" no_violation
ktap_end
