#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# rdma-core's own tests, of the release in the guests: the device talks to itself; packets to unknown addresses are looped back
# by a cable. Skips must be listed in rdma_core.skips, with a reason.
# guests: 1
# card: cx6dx,devx
# takes: 5
# timeout: 60
# long: 3600
. "$(dirname "$0")/../lib/ktap.sh"

TESTS=$(cd "$KTAP_DIR/../.." && pwd)/build/rdma-core
LIMIT=$((60 * ${CXR_PATIENCE:-1}))	# for one test
SERVER=/tmp/rdma-core
here=$(dirname "$0")

ready()
{
	[ -e "$TESTS/tests/base.py" ] || fail "the tests are not in $TESTS: scripts/check puts them there (LONG=1)"
	server_stop
	rm -f $SERVER.in $SERVER.out
	mkfifo $SERVER.in $SERVER.out
	driver_up 4200
	# for tests with huge pages
	echo 32 >/proc/sys/vm/nr_hugepages
}

restore()
{
	server_stop
	echo 0 >/proc/sys/vm/nr_hugepages
}

suite() { PYTHONPYCACHEPREFIX=/tmp/pycache python3 "$here/rdma_core.py" "$TESTS" "$dev" "$gid" "$@"; }

# ---- the process that runs the tests: one for all of them, restarted if it dies -------------------------

server_runs() { [ -e $SERVER.pid ] && kill -0 "$(<$SERVER.pid)" 2>/dev/null; }

server_start()
{
	local line

	while read -r -t 0.1 line <&6; do :; done
	# shellcheck disable=SC2016
	setsid bash -c 'echo $$ >"$0.pid"; exec "$@" <&5 3>&6 >"$0.log" 2>&1 5>&- 6>&-' $SERVER \
		env PYTHONPYCACHEPREFIX=/tmp/pycache python3 "$here/rdma_core.py" "$TESTS" "$dev" "$gid" serve $LIMIT &
	wait_until 10 server_runs
}

server_stop()
{
	[ -e $SERVER.pid ] || return 0
	kill -KILL -- "-$(<$SERVER.pid)" 2>/dev/null || true	# it may have ended by itself
	rm -f $SERVER.pid
}

# Tests that send packets to unknown addresses and expect them to be looped back
needs_loopback() # TEST
{
	case $1 in
	test_flow.*_traffic|test_rss_traffic.*|test_mlx5_timestamp.*_raw_*|test_mlx5_flow.*_flow) [ -c "${CXR_EMU_PORT:-}" ] ;;
	*) return 1 ;;
	esac
}

one() # TEST
{
	local why part line=

	! why=$(allowed_skip "$1" never) || skip "$why"
	dev=$(driver_ibdev)
	gid=$(gid_index "$dev" v2 "$(my_ip)")
	exec 5<>$SERVER.in 6<>$SERVER.out
	if needs_loopback "$1"; then
		trap 'emu uncable "$CXR_GUEST"' EXIT
		emu cable "$CXR_GUEST" "$CXR_GUEST"
	fi
	server_runs || server_start
	echo "$1" >&5
	while :; do
		if ! IFS= read -r -t 2 part <&6; then
			line+=$part	# read may time out within a line
			server_runs && continue
			cat $SERVER.log
			server_stop
			fail "the process ended during the test"
		fi
		line+=$part
		case $line in
		pass*) return ;;
		skip*) skipped "$1" "${line#skip }" ;;
		fail*) return 1 ;;
		*) echo "${line#| }" ;;
		esac
		line=
	done
}

# The reason in rdma_core.skips for skipping a test with one of these drivers
allowed_skip() # TEST DRIVER...
{
	local test=$1 pattern drivers why word

	shift
	while read -r pattern drivers why; do
		case $pattern in ''|'#'*) continue ;; esac
		# shellcheck disable=SC2254
		case $test in $pattern) ;; *) continue ;; esac
		for word; do
			case ,$drivers, in *,$word,*) echo "$why"; return ;; esac
		done
	done <"$here/rdma_core.skips"
	return 1
}

# A skip that is not listed is a failure.
skipped() # TEST REASON
{
	local why

	why=$(allowed_skip "$1" "$CXR_DRIVER" all) || fail "skipped, but not listed in rdma_core.skips: $2"
	skip "$why ($2)"
}

if [ -z "${CXR_LONG:-}" ]; then
	ktap_test all "rdma-core's own tests" skip "takes more than 15 minutes: LONG=1"
	ktap_end
fi
dev=none gid=0		# to list the tests
ktap_setup ready
while IFS=$'\t' read -r id name; do
	KTAP_TIMEOUT=150 ktap_test "$id" "$name" one "$name"
done < <(suite list)
[ ${#KTAP_IDS[@]} -gt 0 ] || { echo "# there is no test in $TESTS"; exit 1; }
ktap_finally restore
ktap_end
