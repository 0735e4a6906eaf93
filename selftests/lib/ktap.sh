# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# Tests with KTAP output. A test script sources this file, declares its tests, and ends with ktap_end:
#
#   # guests: 2              requirements; scripts/vmlib/script.py has the keys
#   # timeout: 300
#   . "$(dirname "$0")/../lib/ktap.sh"
#   ktap_setup driver_both_up
#   ktap_test carries.rc "the sentence that holds" FUNCTION [ARGUMENTS...]
#   KTAP_TIMEOUT=300 ktap_test carries.ud "another one" FUNCTION2
#   ktap_end
#
# The id of a test is the script's name, a dot, and the first argument. ONLY= selects by ids and runs are compared by them, so
# an id is unique, has no variable part, and stays when the sentence changes. Nothing runs before ktap_end: the part above it
# only defines functions and declares tests, so that a script can list its tests on a machine without a device.
#
# A test can run alone, and in any order. ktap_setup names the set-up function of the tests declared after it (`ktap_setup`
# alone: none). It is called before a test unless its state is known to be intact. It is not intact after another set-up, after
# a failed test, after ktap_spoilt and after each load and unload of the driver. A set-up must work from any state that tests
# leave. If it skips or fails, so do its tests. ktap_finally names what runs after the last test. If the script has a function
# before_each, it is called in the shell of each test, to set variables.
#
# A test function runs in a subshell with `set -e` and a time limit (KTAP_TIMEOUT, 120 s; more on a kernel with checkers and on a
# busy machine). Exit code 0 passes, `skip REASON` skips, `fail REASON` and any other exit code fails. A bad line in the kernel log
# of any guest fails the test too, unless the test or its set-up has said `ktap_allows REGEX`: that it causes such lines. A fault that
# the emulator is told of (emu) says so by itself.
#
# CXR_ONLY     patterns of ids, separated by commas: run only these
# CXR_SHUFFLE  a number: seed of a random order
# CXR_LIST     1: print id and sentence of each test, run none

KTAP_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
. "$KTAP_DIR/driver.sh"
. "$KTAP_DIR/peer.sh"

KTAP_SCRIPT=$(basename "$0" .sh)
KTAP_IDS=() KTAP_SENTENCES=() KTAP_CALLS=() KTAP_LIMITS=() KTAP_SETUPS=()
declare -A KTAP_NAMED=()
KTAP_SETUP='' KTAP_LAST=''
KTAP_N=0 KTAP_PASSED=0 KTAP_FAILED=0 KTAP_SKIPPED=0
KTAP_SKIP=4

# Lines of the kernel log that fail a test, regular expressions of Python. Of data races (KCSAN) only those in the driver,
# but for those of the kernel's inline functions: dql_queued() with dql_completed(), netif_tx_wake_queue(), which is atomic, with
# netif_xmit_frozen_or_stopped() of sch_direct_xmit().
KTAP_RACES='(?!.*\[cxr_)|cxr_en_start_xmit .* / dql_completed$|dql_completed / cxr_en_start_xmit |cxr_en_tx_poll .* / sch_direct_xmit$'
KTAP_BAD="WARNING:|BUG:(?! KCSAN: data-race in ($KTAP_RACES|sch_direct_xmit / cxr_en_tx_poll ))|"'BUG |Oops|KASAN|UBSAN|Call Trace|general protection fault[,:]|DMA-API|DMAR:.*[Ff]ault'
KTAP_BAD="$KTAP_BAD|possible circular locking|possible recursive locking|inconsistent lock state|suspicious RCU"
KTAP_BAD="$KTAP_BAD|refcount_t:|list_(add|del) corruption|blocked for more than|soft lockup|detected stall"
KTAP_BAD="$KTAP_BAD|unregister_netdevice: waiting|[Uu]nexpected|(mlx5|cxr)[^ ]* .*(leak|timeout)|suspected memory leak"
# What a driver heals by itself: an event, an interrupt or a doorbell that is lost
KTAP_BAD="$KTAP_BAD|(mlx5|cxr)[^ ]* .*timed out|recovered by polling|[Rr]ecovered [0-9]+ E|NETDEV WATCHDOG|restarting all queues"
KTAP_BAD="$KTAP_BAD|messages of the kernel were lost"

skip() { echo "SKIP: $*"; exit $KTAP_SKIP; }
fail() { echo "FAIL: $*"; exit 1; }

# Run a command that has to fail by its own decision: not by a timeout, a signal, or because there is no such command or guest
must_fail()
{
	local rc=0

	"$@" || rc=$?
	[ $rc != 0 ] || fail "unexpected success: $*"
	case $rc in
	124 | 137) fail "timed out: $*" ;;
	12[5-7] | 129 | 1[3-5][0-9]) fail "not refused, but ended with exit code $rc: $*" ;;
	esac
}

# Succeeds if COMMAND does, and no line of its output matches PATTERN
lacks() # PATTERN COMMAND...
{
	local said pattern=$1 rc=0

	shift
	said=$("$@") || { echo "exit code $?: $*" >&2; return 2; }
	grep -E -e "$pattern" <<<"$said" || rc=$?
	[ $rc = 1 ]
}

# ---- declarations ------------------------------------------------------------

ktap_setup() { KTAP_SETUP=$*; }		# [FUNCTION [ARGUMENTS...]]
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
	KTAP_SETUPS+=("$KTAP_SETUP")
}

# Declare a test for each "ID<TAB>SENTENCE" of standard input, run by FUNCTION [ARGUMENTS...] ID; at least one line is required
ktap_rows()
{
	local id sentence n=${#KTAP_IDS[@]}

	while IFS=$'\t' read -r id sentence; do ktap_test "$id" "$sentence" "$@" "$id"; done
	[ ${#KTAP_IDS[@]} -gt "$n" ] || { echo "$0: no row for: $*" >&2; exit 2; }
}

# Lines of the kernel log that match REGEX, which is one of `grep -E`, are what this test or set-up is for
ktap_allows() { echo "$1" >>"$KTAP_LOG.allowed"; } # REGEX

# The state left by the set-up has changed: the next test needs a new set-up
ktap_spoilt() { [ ! -e "$DRIVER_SETUP" ] || true >"$DRIVER_SETUP"; }

# ---- kernel logs -------------------------------------------------------------

# Print bad lines in the kernel logs of all guests since the last call, and mark the logs with NAME, the next test. Succeeds if
# there are any, or a guest does not answer.
ktap_bad_lines() # NAME
{
	local host text rc found=1

	for host in here $(peer_hosts); do
		text=$(agent_do "$host" $((60 * ${CXR_PATIENCE:-1})) look "$1" "$KTAP_BAD" 2>&1)
		rc=$?
		[ $rc != 1 ] || continue
		[ "$rc-$host" != 125-here ] || [ -c "${CXR_EMU_PORT:-}" ] || continue	# not a guest, and the log is not readable
		[ $rc != 0 ] || text=$(grep -vE -f "$KTAP_LOG.allowed" <<<"$text") || continue
		[ "$host" = here ] || text="on $host: $text"
		echo "$text"
		found=0
	done
	return $found
}

# ---- running -----------------------------------------------------------------

# Run "$@" in its own process group with its output in LOG, at most SECONDS
ktap_limited() # LOG SECONDS FUNCTION [ARGUMENTS...]
{
	local log=$1 limit=$(($2 * ${CXR_PATIENCE:-1})) watch rc

	shift 2
	set -m
	(
		set -eE
		trap 'echo "line $LINENO of ${BASH_SOURCE##*/}, from line ${BASH_LINENO[0]}: $BASH_COMMAND" >>"$KTAP_LOG.errors"' ERR
		"$@"
	) >"$log" 2>&1 </dev/null &
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
	# including its sleep, which holds our output open
	kill -KILL -- -$watch 2>/dev/null
	wait $watch 2>/dev/null
	return $rc
}

# The verdict on a test with exit CODE and output LOG: bad lines in the kernel logs are a failure
ktap_verdict() # CODE LOG NEXT
{
	local bad

	if bad=$(ktap_bad_lines "$3"); then
		printf 'kernel log:\n%s\n' "$bad" >>"$2"
		[ "$1" != 0 ] && [ "$1" != $KTAP_SKIP ] || return 1
	fi
	return "$1"
}

# Run SET-UP for the test ID unless its state is intact; returns 0, KTAP_SKIP or 1 with the reason in $KTAP_LOG
ktap_prepare() # SET-UP ID
{
	local began=${EPOCHREALTIME//[!0-9]/} rc='' log=$KTAP_LOG.set-up

	[ -n "$1" ] || return 0
	{ read -r rc <"$DRIVER_SETUP"; } 2>/dev/null
	[ "$rc" != "$KTAP_SCRIPT $1" ] || return 0
	rc=$(sed -n "s/^\([0-9]*\) $KTAP_SCRIPT ${1//[^a-zA-Z0-9_ ]/.}\$/\1/p" "$KTAP_LOG.broken")
	if [ -n "$rc" ]; then
		echo "the set-up failed before: $1" >"$KTAP_LOG"
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
		echo "$KTAP_SCRIPT $1" >"$DRIVER_SETUP"
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

	export KTAP_ID=$id
	KTAP_N=$((KTAP_N + 1))
	name="$KTAP_N - $id: ${KTAP_SENTENCES[$1]}"
	true >"$KTAP_LOG.errors"
	true >"$KTAP_LOG.allowed"
	ktap_prepare "${KTAP_SETUPS[$1]}" "$id"
	rc=$?
	if [ $rc = 0 ]; then
		ktap_limited "$KTAP_LOG" "${KTAP_LIMITS[$1]}" ktap_call "${KTAP_CALLS[$1]}"
		ktap_verdict $? "$KTAP_LOG" "$2"
		rc=$?
		# end background processes of the test
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
		# the command that failed
		tail -n 3 "$KTAP_LOG.errors" | sed 's/^/# /'
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

# Indices of the tests to run, in order
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

# A bad line that belongs to no test fails the script
ktap_outside() # WHEN NEXT
{
	local bad

	bad=$(ktap_bad_lines "$2") || return 0
	printf 'kernel log %s:\n%s\n' "$1" "$bad" | sed 's/^/# /'
	return 1
}

# Run ktap_finally and end background processes of the set-ups
ktap_clear_up()
{
	local pid rc=0

	true >"$KTAP_LOG.allowed"
	if [ -n "$KTAP_LAST" ]; then
		ktap_limited "$KTAP_LOG" 120 eval "$KTAP_LAST" || { rc=1; sed 's/^/# /' "$KTAP_LOG"; echo "# this failed: $KTAP_LAST"; }
	fi
	for pid in "${KTAP_LEFT[@]}"; do kill -KILL -- -"$pid" 2>/dev/null; done
	ktap_outside "after the last test" "end of $KTAP_SCRIPT" || rc=1
	rm -f "$KTAP_LOG"*
	ktap_spoilt
	return $rc
}

# List or run the tests, print the totals, and exit with the codes of kselftest: 0, 1, or 4 if all were skipped
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
	true >"$KTAP_LOG.allowed"
	n=${order[0]:-}
	if [ -n "$n" ] && ! ktap_outside "before the first test" "${KTAP_IDS[n]}"; then
		# that of a machine which is no guest is older than this run
		[ ! -c "${CXR_EMU_PORT:-}" ] || clear=1
	fi
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

# ---- shared by several scripts -----------------------------------------------

# The emulator reports no object, no page and no violation
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

# Programs of librdmacm register buffers that share a page, and so do random requests. This is legal, but DMA debugging of
# kernels before 7 reports it as an error of any driver.
shares_pages()
{
	local d=/sys/kernel/debug/dma-api

	[ -e $d/error_count ] && [ "$(<$d/disabled)" = N ] || return 0
	[ "$(uname -r | cut -d. -f1)" -ge 7 ] ||
		skip "DMA debugging of this kernel reports buffers that share a page; dma_debug=off turns it off"
}
