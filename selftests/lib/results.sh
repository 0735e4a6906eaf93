# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# KTAP results of programs that run on the host (in guests: ktap.sh):
#
#   results_begin PLAN LOG                 the number of tests; LOG gets the output of the current test, LOG.all that of all
#   test_that "SENTENCE" FUNCTION ARGUMENTS...     passes if the function succeeds, in a subshell with `set -e`
#   test_skip "SENTENCE" "REASON"
#   results_end                            the totals, as the last command; returns 0, 1 for a failure, 4 if all were skipped
#
# scripts/ktap-check, which runs the program, checks the plan and that sentences differ.

results_begin()
{
	results_plan=$1 results_log=$2 results_passed=0 results_failed=0 results_skipped=0
	true >"$results_log.all"
	echo "KTAP version 1"
	echo "1..$1"
}

results_n() { echo $((results_passed + results_failed + results_skipped)); }

test_that()
{
	local sentence=$1 rc

	shift
	# not in a condition, where set -e has no effect
	(set -e; "$@") >"$results_log" 2>&1 </dev/null
	rc=$?
	cat "$results_log" >>"$results_log.all"
	if [ $rc = 0 ]; then
		results_passed=$((results_passed + 1))
		echo "ok $(results_n) - $sentence"
	else
		results_failed=$((results_failed + 1))
		tail -n 40 "$results_log" | sed 's/^/# /'
		echo "# exit code $rc"
		echo "not ok $(results_n) - $sentence"
	fi
}

test_skip()
{
	results_skipped=$((results_skipped + 1))
	echo "ok $(results_n) - $1 # SKIP $2"
}

results_end()
{
	local n

	n=$(results_n)
	[ "$n" = "$results_plan" ] || echo "# planned $results_plan tests, ran $n"
	echo "# Totals: pass:$results_passed fail:$results_failed xfail:0 xpass:0 skip:$results_skipped error:0"
	[ "$results_failed" = 0 ] && [ "$n" = "$results_plan" ] || return 1
	[ "$results_passed" != 0 ] || return 4
}
