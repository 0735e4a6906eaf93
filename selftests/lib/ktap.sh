# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# Tests in KTAP. A test script sources this file, names its tests and ends:
#
#   # guests: 2              what it needs; scripts/vmlib/script.py has the keys
#   # timeout: 300
#   . "$(dirname "$0")/../lib/ktap.sh"
#   ktap_setup driver_both_up
#   ktap_test carries.rc "the sentence that holds" FUNCTION [ARGUMENTS...]
#   KTAP_TIMEOUT=300 ktap_test carries.ud "another one" FUNCTION2
#   ktap_end
#
# A test's id is the script's name, a dot, and the first argument. It is what ONLY= selects by and what runs are compared
# by, so it is written once, never made from a variable, and stays when the sentence changes. Nothing runs before ktap_end:
# the part above it defines functions and names tests, so that the same script can be listed on a machine without a device.
#
# A test can run alone, and in any order. ktap_setup names the function that makes the ground for the tests named after it
# (none: `ktap_setup`). It is called before a test unless the ground is known to be there: after another set-up, after a
# test that failed, after ktap_spoilt and after every load and unload of the driver. It must get there from wherever the
# tests before it left things. When it skips or fails, so do its tests. ktap_finally names what runs after the last test.
# If the script has a function before_each, it is called in the shell of each test, to set variables.
#
# A function runs in a subshell under `set -e`, with a time limit (KTAP_TIMEOUT, 120 s; more on the debug kernel and on a
# busy machine); leaving with 0 passes, `skip REASON` skips, `fail REASON` and everything else fails. A line in the kernel
# log of any guest that no healthy driver writes fails the test too.
#
# CXR_ONLY     patterns of ids, separated by commas: run these alone
# CXR_SHUFFLE  a number: run the tests in an order that it determines
# CXR_LIST     1: print id and sentence of each test, and run none

KTAP_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
. "$KTAP_DIR/driver.sh"
. "$KTAP_DIR/peer.sh"

KTAP_SCRIPT=$(basename "$0" .sh)
KTAP_IDS=() KTAP_SENTENCES=() KTAP_CALLS=() KTAP_LIMITS=() KTAP_GROUNDS=()
declare -A KTAP_NAMED=()
KTAP_GROUND='' KTAP_LAST=''
KTAP_N=0 KTAP_PASSED=0 KTAP_FAILED=0 KTAP_SKIPPED=0
KTAP_SKIP=4

# Lines of the kernel log that fail a test. Extended regular expressions.
KTAP_BAD='WARNING:|BUG:|BUG |Oops|KASAN|KCSAN|UBSAN|Call Trace|general protection fault[,:]|DMA-API|DMAR:.*[Ff]ault'
KTAP_BAD="$KTAP_BAD|possible circular locking|possible recursive locking|inconsistent lock state|suspicious RCU"
KTAP_BAD="$KTAP_BAD|refcount_t:|list_(add|del) corruption|blocked for more than|soft lockup|detected stall"
KTAP_BAD="$KTAP_BAD|unregister_netdevice: waiting|[Uu]nexpected|(mlx5|cxr)[^ ]* .*(leak|timeout)|suspected memory leak"

skip() { echo "SKIP: $*"; exit $KTAP_SKIP; }
fail() { echo "FAIL: $*"; exit 1; }

# Run a command whose failure is what is wanted; that it takes too long is another failure
must_fail()
{
	local rc=0

	"$@" || rc=$?
	[ $rc != 0 ] || fail "this worked, and must not: $*"
	[ $rc != 124 ] && [ $rc != 137 ] || fail "this did not fail, it took too long: $*"
}

# ---- what a script says ------------------------------------------------------

ktap_setup() { KTAP_GROUND=$*; }	# [FUNCTION [ARGUMENTS...]]
ktap_finally() { KTAP_LAST=$*; }	# FUNCTION [ARGUMENTS...]

ktap_test() # ID SENTENCE FUNCTION [ARGUMENTS...]
{
	local id=$KTAP_SCRIPT.$1 sentence=$2 call

	shift 2
	[[ $id =~ ^[a-z0-9_]+([.-][a-z0-9]+)*$ ]] || { echo "$0: '$id' is no id: lower-case words and numbers, . and -" >&2; exit 2; }
	[ -z "${KTAP_NAMED[$id]:-}" ] || { echo "$0: two tests have the id $id" >&2; exit 2; }
	type -t "$1" >/dev/null || { echo "$0: $id: there is no function $1" >&2; exit 2; }
	KTAP_NAMED[$id]=1
	KTAP_IDS+=("$id")
	KTAP_SENTENCES+=("$sentence")
	printf -v call '%q ' "$@"
	KTAP_CALLS+=("$call")
	KTAP_LIMITS+=("${KTAP_TIMEOUT:-120}")
	KTAP_GROUNDS+=("$KTAP_GROUND")
}

# A test for each "ID<TAB>SENTENCE" of standard input, by FUNCTION [ARGUMENTS...] ID; there has to be one
ktap_rows()
{
	local id sentence n=${#KTAP_IDS[@]}

	while IFS=$'\t' read -r id sentence; do ktap_test "$id" "$sentence" "$@" "$id"; done
	[ ${#KTAP_IDS[@]} -gt "$n" ] || { echo "$0: no row for: $*" >&2; exit 2; }
}

# The ground is not what the set-up made any more
ktap_spoilt() { [ ! -e "$DRIVER_GROUND" ] || true >"$DRIVER_GROUND"; }

# ---- kernel logs -------------------------------------------------------------

# Bad lines in all guests since this was last called; what follows is NAME's (nobody's, when it is empty). Succeeds when there
# are some, or a guest does not answer.
ktap_bad_lines() # NAME
{
	local host text rc found=1

	for host in here $(peer_hosts); do
		text=$(agent_do "$host" look "$1" "$KTAP_BAD" 2>&1)
		rc=$?
		[ $rc != 1 ] || continue
		[ "$rc-$host" != 125-here ] || [ -c "${CXR_EMU_PORT:-}" ] || continue	# no guest of ours, and who tests may not look
		[ "$host" = here ] || text="on $host: $text"
		echo "$text"
		found=0
	done
	return $found
}

# ---- running -----------------------------------------------------------------

# Start "$@" in a process group of its own, its words in LOG, and wait for it at most SECONDS
ktap_limited() # LOG SECONDS FUNCTION [ARGUMENTS...]
{
	local log=$1 limit=$(($2 * ${CXR_PATIENCE:-1})) watch rc

	shift 2
	set -m
	(set -e; "$@") >"$log" 2>&1 </dev/null &
	KTAP_PID=$!
	(
		nap "$limit"
		echo "FAIL: this took more than $limit s" >>"$log"
		kill -KILL -- -$KTAP_PID
	) 2>/dev/null &
	watch=$!
	set +m
	wait $KTAP_PID 2>/dev/null
	rc=$?
	kill -KILL -- -$watch 2>/dev/null
	wait $watch 2>/dev/null
	return $rc
}

# After what LOG tells of: bad lines of the kernel logs are a failure, whatever CODE says
ktap_verdict() # CODE LOG NEXT
{
	local bad

	if bad=$(ktap_bad_lines "$3"); then
		printf 'kernel log:\n%s\n' "$bad" >>"$2"
		[ "$1" != 0 ] && [ "$1" != $KTAP_SKIP ] || return 1
	fi
	return "$1"
}

# Have the set-up's ground under the test ID; returns 0, KTAP_SKIP or 1 with the reason in $KTAP_LOG
ktap_ground() # SET-UP ID
{
	local began=${EPOCHREALTIME//[!0-9]/} rc='' log=$KTAP_LOG.set-up

	[ -n "$1" ] || return 0
	{ read -r rc <"$DRIVER_GROUND"; } 2>/dev/null
	[ "$rc" != "$KTAP_SCRIPT $1" ] || return 0
	rc=$(sed -n "s/^\([0-9]*\) $KTAP_SCRIPT ${1//[^a-zA-Z0-9_ ]/.}\$/\1/p" "$KTAP_LOG.broken")
	if [ -n "$rc" ]; then
		echo "its set-up was tried before: $1" >"$KTAP_LOG"
		[ "$rc" != $KTAP_SKIP ] || grep '^SKIP: ' "$KTAP_LOG.skips" >>"$KTAP_LOG"
		return "$rc"
	fi
	ktap_spoilt
	ktap_limited "$log" "${KTAP_SETUP_TIMEOUT:-240}" eval "$1"
	ktap_verdict $? "$log" "$2"
	rc=$?
	KTAP_LEFT+=("$KTAP_PID")
	began=$((${EPOCHREALTIME//[!0-9]/} - began))
	printf '# set-up %d.%01d s: %s\n' $((began / 1000000)) $((began / 100000 % 10)) "$1"
	if [ $rc = 0 ]; then
		echo "$KTAP_SCRIPT $1" >"$DRIVER_GROUND"
		return 0
	fi
	cp "$log" "$KTAP_LOG"
	[ $rc = $KTAP_SKIP ] || { rc=1; echo "the set-up failed: $1" >>"$KTAP_LOG"; }
	grep '^SKIP: ' "$log" >"$KTAP_LOG.skips"
	echo "$rc $KTAP_SCRIPT $1" >>"$KTAP_LOG.broken"
	return $rc
}

ktap_call() # CALL
{
	! declare -F before_each >/dev/null || before_each
	eval "$1"
}

ktap_run() # NUMBER NEXT-ID
{
	local id=${KTAP_IDS[$1]} name rc

	KTAP_N=$((KTAP_N + 1))
	name="$KTAP_N - $id: ${KTAP_SENTENCES[$1]}"
	ktap_ground "${KTAP_GROUNDS[$1]}" "$id"
	rc=$?
	if [ $rc = 0 ]; then
		ktap_limited "$KTAP_LOG" "${KTAP_LIMITS[$1]}" ktap_call "${KTAP_CALLS[$1]}"
		ktap_verdict $? "$KTAP_LOG" "$2"
		rc=$?
		# what the test left running
		kill -KILL -- -$KTAP_PID 2>/dev/null
	fi
	case $rc in
	0)
		echo "ok $name"
		KTAP_PASSED=$((KTAP_PASSED + 1))
		;;
	"$KTAP_SKIP")
		echo "ok $name # SKIP $(sed -n 's/^SKIP: //p' "$KTAP_LOG" | tail -n 1)"
		KTAP_SKIPPED=$((KTAP_SKIPPED + 1))
		;;
	*)
		sed 's/^/# /' "$KTAP_LOG"
		echo "# exit code $rc"
		echo "not ok $name"
		KTAP_FAILED=$((KTAP_FAILED + 1))
		ktap_spoilt
		;;
	esac
}

ktap_wanted() # ID
{
	local pattern

	[ -n "${CXR_ONLY:-}" ] || return 0
	for pattern in ${CXR_ONLY//,/ }; do
		# shellcheck disable=SC2254
		case $1 in $pattern) return 0 ;; esac
	done
	return 1
}

# Numbers of the tests to run, in their order
ktap_order()
{
	local n

	for n in "${!KTAP_IDS[@]}"; do
		if ktap_wanted "${KTAP_IDS[n]}"; then echo "$n"; fi
	done | if [ -n "${CXR_SHUFFLE:-}" ]; then
		awk -v seed="$CXR_SHUFFLE" 'BEGIN { srand(seed) } { print rand(), $0 }' | sort -n | cut -d ' ' -f 2
	else
		cat
	fi
}

# What the set-ups left running, and what the script itself has to put back
ktap_clear_up()
{
	local pid rc=0

	if [ -n "$KTAP_LAST" ]; then
		ktap_limited "$KTAP_LOG" 120 eval "$KTAP_LAST" || { rc=1; sed 's/^/# /' "$KTAP_LOG"; echo "# this failed: $KTAP_LAST"; }
	fi
	for pid in "${KTAP_LEFT[@]}"; do kill -KILL -- -"$pid" 2>/dev/null; done
	rm -f "$KTAP_LOG"*
	ktap_spoilt
	return $rc
}

# List or run the tests, print the totals, and end the script as kselftest has it: 0, 1, or 4 where all were skipped
ktap_end()
{
	local order n next clear=0

	if [ -n "${CXR_LIST:-}" ]; then
		for n in "${!KTAP_IDS[@]}"; do printf '%s\t%s\n' "${KTAP_IDS[n]}" "${KTAP_SENTENCES[n]}"; done
		exit 0
	fi
	mapfile -t order < <(ktap_order)
	echo "KTAP version 1"
	echo "1..${#order[@]}"
	KTAP_LOG=$(mktemp /tmp/ktap.XXXXXX)
	KTAP_LEFT=()
	true >"$KTAP_LOG.broken"
	n=${order[0]:-}
	[ -z "$n" ] || ktap_bad_lines "${KTAP_IDS[n]}" >/dev/null
	for next in "${order[@]:1}" ""; do
		[ -z "$n" ] || ktap_run "$n" "${next:+${KTAP_IDS[next]}}"
		n=$next
	done
	[ ${#order[@]} = 0 ] || ktap_clear_up || clear=1
	echo "# Totals: pass:$KTAP_PASSED fail:$KTAP_FAILED xfail:0 xpass:0 skip:$KTAP_SKIPPED error:0"
	[ $KTAP_FAILED = 0 ] && [ $clear = 0 ] || exit 1
	[ $KTAP_PASSED != 0 ] || [ $KTAP_SKIPPED = 0 ] || exit $KTAP_SKIP
	exit 0
}

# ---- what tests of several scripts ask ---------------------------------------

# The emulator's word: no object, no page, nothing the driver did wrong
device_is_clean()
{
	local status

	[ -c "${CXR_EMU_PORT:-}" ] || skip "no emulator: not a guest of scripts/vm"
	status=$(emu status)
	echo "$status"
	must_fail grep -q "objects: [1-9]" <<<"$status"
	must_fail grep -q "pages: [1-9][0-9]* held" <<<"$status"
	grep -q "^violations: 0" <<<"$status"
}

# The programs of librdmacm register several buffers that share a page, and so do requests at random. That is
# legal, but DMA debugging of kernels before 7 takes it for a driver's error, whatever the driver.
shares_pages()
{
	local d=/sys/kernel/debug/dma-api

	[ -e $d/error_count ] && [ "$(<$d/disabled)" = N ] || return 0
	[ "$(uname -r | cut -d. -f1)" -ge 7 ] ||
		skip "DMA debugging of this kernel reports buffers that share a page; dma_debug=off turns it off"
}
