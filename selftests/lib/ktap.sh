# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# Tests in KTAP. A test script sources this file, names its tests and ends:
#
#   # guests: 2              what it needs, read by scripts/check: guests,
#   # functions: 1           functions per guest, kernels, drivers and seconds;
#   # timeout: 300           "# peers: soft" for peers with Soft-RoCE
#   . "$(dirname "$0")/../lib/ktap.sh"
#   ktap_plan 2
#   ktap_run "the sentence that holds" function [ARGUMENTS...]
#   ktap_run "another one" function2
#   ktap_end
#
# A function runs in a subshell under `set -e`, with a time limit
# (KTAP_TIMEOUT, 120 s; more on the debug kernel and on a busy machine); leaving with 0 passes, `skip REASON` skips, `fail
# REASON` and everything else fails. A line in the kernel log of any guest that
# no healthy driver writes fails the test too.

KTAP_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
. "$KTAP_DIR/driver.sh"
. "$KTAP_DIR/peer.sh"

KTAP_PLAN=0
KTAP_N=0
KTAP_FAILED=0
KTAP_SKIP=4
KTAP_LOG=$(mktemp /tmp/ktap.XXXXXX)

# Lines of the kernel log that fail a test. Extended regular expressions.
KTAP_BAD='WARNING:|BUG:|BUG |Oops|KASAN|KCSAN|UBSAN|Call Trace|general protection|DMA-API|DMAR:.*[Ff]ault'
KTAP_BAD="$KTAP_BAD|possible circular locking|possible recursive locking|inconsistent lock state|suspicious RCU"
KTAP_BAD="$KTAP_BAD|refcount_t:|list_(add|del) corruption|blocked for more than|soft lockup|detected stall"
KTAP_BAD="$KTAP_BAD|unregister_netdevice: waiting|[Uu]nexpected|(mlx5|cxr)[^ ]* .*(leak|timeout)|suspected memory leak"

skip() { echo "SKIP: $*"; exit $KTAP_SKIP; }
fail() { echo "FAIL: $*"; exit 1; }

# Run a command whose failure is what is wanted
must_fail() { if "$@"; then fail "this worked, and must not: $*"; fi; }

ktap_plan()
{
	KTAP_PLAN=$1
	echo "KTAP version 1"
	echo "1..$1"
}

# Put a mark in the kernel log of this and every peer guest
ktap_mark()
{
	echo "cxr-test: $1" >/dev/kmsg
	for host in $(peer_hosts); do
		peer_on "$host" "echo 'cxr-test: $1' >/dev/kmsg" || return
	done
}

# Bad lines since the last mark; succeeds when there are some
ktap_bad_lines()
{
	local since='/cxr-test: / { n = 0; next } { line[n++] = $0 } END { for (i = 0; i < n; i++) print line[i] }'
	local filter="dmesg | awk '$since' | grep -E '$KTAP_BAD'"
	local host text found=1

	if text=$(eval "$filter"); then
		echo "$text"
		found=0
	fi
	for host in $(peer_hosts); do
		if text=$(peer_on "$host" "$filter"); then
			echo "on $host: $text"
			found=0
		fi
	done
	return $found
}

# Run "$@" in a process group of its own, with a time limit
ktap_limited()
{
	local limit=$((${KTAP_TIMEOUT:-120} * ${CXR_PATIENCE:-1})) pid watch rc

	set -m
	(set -e; "$@") >"$KTAP_LOG" 2>&1 </dev/null &
	pid=$!
	(
		sleep "$limit"
		echo "FAIL: this took more than $limit s" >>"$KTAP_LOG"
		kill -KILL -- -$pid
	) 2>/dev/null &
	watch=$!
	set +m
	wait $pid 2>/dev/null
	rc=$?
	# with its sleep, which holds our output open
	kill -KILL -- -$watch 2>/dev/null
	wait $watch 2>/dev/null
	# what the test left running
	kill -KILL -- -$pid 2>/dev/null
	return $rc
}

ktap_run()
{
	local sentence=$1 rc bad

	shift
	KTAP_N=$((KTAP_N + 1))
	ktap_mark "${sentence//\'/}"
	ktap_limited "$@"
	rc=$?
	if bad=$(ktap_bad_lines); then
		printf 'kernel log:\n%s\n' "$bad" >>"$KTAP_LOG"
		[ $rc != 0 ] && [ $rc != $KTAP_SKIP ] || rc=1
	fi
	case $rc in
	0) ;;
	"$KTAP_SKIP")
		echo "ok $KTAP_N - $sentence # SKIP $(sed -n 's/^SKIP: //p' "$KTAP_LOG" | tail -n 1)"
		return
		;;
	esac
	sed 's/^/# /' "$KTAP_LOG"
	if [ $rc = 0 ]; then
		echo "ok $KTAP_N - $sentence"
	else
		echo "# exit code $rc"
		echo "not ok $KTAP_N - $sentence"
		KTAP_FAILED=$((KTAP_FAILED + 1))
	fi
}

# Print the totals and end the script
ktap_end()
{
	rm -f "$KTAP_LOG"
	if [ $KTAP_N != "$KTAP_PLAN" ]; then
		echo "# planned $KTAP_PLAN tests, ran $KTAP_N"
		exit 1
	fi
	echo "# failed $KTAP_FAILED of $KTAP_N"
	[ $KTAP_FAILED = 0 ]
	exit
}

# ---- what tests of several scripts ask ---------------------------------------

# The emulator's word: no object, no page, nothing the driver did wrong
device_is_clean()
{
	local status

	[ -c "${CXR_EMU_PORT:-}" ] || skip "no emulator to ask: this is no guest of scripts/vm"
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
		skip "DMA debugging of this kernel takes two buffers in one page for an error; dma_debug=off turns it off"
}
