# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# What an event changes in ethtool -S of $netdev. Needs ends.sh. The test is a line for make-docs, too, which lists for each counter
# the tests that change it:
#
#   ktap_test ID "sentence" moves EVENT COUNTER=N COUNTER==N COUNTER+...
#
# EVENT is a function; the words are those of moves.py.

# Has a counter gone beyond N?
counts_more() { [ "$(counter "$1")" -gt "$2" ]; } # COUNTER N

MOVES=$(dirname "${BASH_SOURCE[0]}")/moves.py

moves() # EVENT WORDS...
{
	local event=$1

	shift
	: "${netdev:?}"
	ethtool -S "$netdev" >/run/cxr-moves.before
	"$event"
	ethtool -S "$netdev" >/run/cxr-moves.after
	run_python "$MOVES" /run/cxr-moves.before /run/cxr-moves.after "$@"
}
