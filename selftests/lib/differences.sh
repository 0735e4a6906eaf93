# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# Scripts that ask both drivers the same on one device, and compare. The script's ask() prints the answers of the driver that is loaded. To be
# sourced after ktap.sh.

DIFFERENCES_DIR=$(dirname "${BASH_SOURCE[0]}")
ANSWERS=/tmp/answers	# -DRIVER
VIOLATIONS=/tmp/violations

asks() # DRIVER
{
	CXR_DRIVER=$1 driver_up
	ask >$ANSWERS-"$1"
	driver_unload
}

# For the set-up
both_asked() # SEED
{
	echo "seed $1"
	driver_unload
	no_violation
	asks mlx5
	emu violations forget
	asks cxr
	emu violations >$VIOLATIONS
}

# For a test
nothing_refused()
{
	cat $VIOLATIONS
	[ ! -s $VIOLATIONS ]
}

alike() # SEED GROUP
{
	echo "seed $1"
	run_python "$DIFFERENCES_DIR/compare.py" $ANSWERS-cxr $ANSWERS-mlx5 "$2"
}
