#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# A device goes and returns, in each way that there is, under programs that have of it what few have: memory that comes by faults, DC
# targets, rates, memory on the device, and files of events. They get errors and can close all, others have the same afterwards, and
# nothing is in use for those of before. With the in-tree driver of 6.12 the rates of programs of before are in use for ever.
# guests: 2
# card: cx6dx,devx
# takes: 130
# turn: yes
# drivers: cxr
# timeout: 2400
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"
# shellcheck source=selftests/lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
# shellcheck source=selftests/lib/pace.sh
. "$(dirname "$0")/../lib/pace.sh"
# shellcheck source=selftests/lib/returns.sh
. "$(dirname "$0")/../lib/returns.sh"
# shellcheck source=selftests/lib/sleep.sh
. "$(dirname "$0")/../lib/sleep.sh"

here=$(dirname "$0")
MAXRATE=8
declare -A PROGRAMS=()

ready()
{
	clear_faults
	echo 1 >/sys/bus/pci/rescan
	returned
}

start() # NAME WORDS...
{
	local name=$1

	shift
	true >"/tmp/has-$name"	# or what one of before has said may be taken for its words
	RDMAV_ALLOW_DISASSOC_DESTROY=1 python3 -B "$here/$name.py" "$@" >"/tmp/has-$name" 2>&1 &
	PROGRAMS[$name]=$!
}

# It has done its work once, or several times: there were faults
is_ready() { [ "$(grep -c ready "/tmp/has-$1")" -ge "$2" ]; } # NAME TIMES

must_start() { wait_until 120 is_ready "$1" "$2" || { cat "/tmp/has-$1"; fail "$1: a program does not start"; }; } # NAME TIMES

# A program of each kind has what it needs, which works
programs_start()
{
	local where name

	where=$(gid_index "$dev" v2 "$(my_ip)")
	start dm maps
	start devx waits
	start pace holds "$dev"
	start dc waits "$dev" "$where"
	for name in dm devx pace dc; do must_start $name 1; done
	# without a pause, so it would hold up the others
	start odp faults "$dev" "$where"
	must_start odp 5
}

# Each has learnt that its device was away, and has closed all that it had
programs_end()
{
	local name bad=

	for name in "${!PROGRAMS[@]}"; do
		wait_until 60 ended "${PROGRAMS[$name]}" || { echo "$name: a program of before still runs"; bad=1; }
		ended "${PROGRAMS[$name]}" && wait "${PROGRAMS[$name]}" || bad=1
		echo "$name: $(sort -u "/tmp/has-$name")"
	done
	PROGRAMS=()
	[ -z "$bad" ] || fail "a program of before did not end as it should"
}

programs_kill()
{
	kill -KILL "${PROGRAMS[@]}"
	wait "${PROGRAMS[@]}" || true
	PROGRAMS=()
}

# None of what programs of before had is in use, and other ones have all of it
all_is_free()
{
	queue_rates 0
	python3 -B "$here/pace.py" run objects.killed "$dev"
	[ "$(python3 -B "$here/dm.py" count)" = 32 ]
	programs_start
	programs_kill
}

goes() # COMMAND...
{
	local net

	ktap_spoilt
	net=$(cat "/sys/class/net/$netdev/ifindex")
	queue_rates $MAXRATE
	programs_start
	"$@"
	programs_end
	clear_faults
	wait_until 60 netdev_there
	wait_until 60 ibdev_there
	driver_net_up $MTU
	reachable
	wait_until 20 gid_index "$dev" v2 "$(my_ip)" >/dev/null
	rates_after "$net" "$1"
	all_is_free
	no_violation
}

# An interface that stays has its rates again, another one begins without. The driver keeps it unless it lets the function go.
rates_after() # IFINDEX COMMAND
{
	netdev=$(driver_netdev)
	if [ "$(cat "/sys/class/net/$netdev/ifindex")" = "$1" ]; then
		[ "$(cat "$(maxrate)")" = $MAXRATE ]
		limited
		return
	fi
	case $2 in
	unbound|removed) ;;
	*) fail "there is another interface" ;;
	esac
	[ "$(cat "$(maxrate)")" = 0 ]
}

sysfs_reset() { echo 1 >"/sys/bus/pci/devices/$BDF/reset"; }

# The device stops while a program waits for this answer.
not_answered() # COMMAND WHAT
{
	recover_again
	goes silent "$@"
}

silent() # COMMAND TIMES
{
	local number

	number=$(rdma_number)
	echo 1500 >"$LIMIT"
	fault command "$1" silent
	case $1 in page_fault_resume) ;; *) kill -KILL "${PROGRAMS[$2]}"; unset "PROGRAMS[$2]" ;; esac
	wait_kmsg "timed out after 1500 ms"
	echo 60000 >"$LIMIT"
	crash_over "$number" $MTU
}

unbound()
{
	unbind
	programs_end
	echo "$BDF" >"$DRV/bind"
}

removed() # [vanished]
{
	if [ "${1:-}" = vanished ]; then
		fault gone
		wait_until 15 kmsg_has "device failed: no response"
	fi
	echo 1 >"/sys/bus/pci/devices/$BDF/remove"
	programs_end
	clear_faults
	echo 1 >/sys/bus/pci/rescan
}

asleep()
{
	sleep_ready
	goes sleeps mem
}

nothing_left()
{
	driver_unload
	peer driver_unload
	device_is_clean
}

# Each takes a minute or two: these by default, the others with LONG=1 or if they are chosen.
by_default() { case $1 in crash | unbind) ;; *) [ -n "${CXR_LONG:-}${CXR_ONLY:-}" ] ;; esac; }
each() # ID SENTENCE COMMAND...
{
	if by_default "$1"; then
		KTAP_TIMEOUT=500 ktap_test "$@"
	else
		ktap_test "$1" "$2" skip "takes a minute: LONG=1"
	fi
}

ktap_setup ready
each reset "a reset under programs with page faults, DC targets, rates and device memory: they close all, others have it" goes sysfs_reset
each crash "the firmware stops under such programs, and the driver recovers: the same" goes ends_crash a $MTU
each unbind "the driver is unbound under such programs, and bound again: the same" goes unbound
each remove "the function is removed under such programs, and found again: the same" goes removed
each vanish "the function vanishes under such programs, is removed, and found again: the same" goes removed vanished
each sleep "the system sleeps under such programs: the same" asleep
each silent.fault "the end of a page fault is not answered, and the driver recovers: the same" not_answered page_fault_resume
each silent.drain "a program is killed, and the drain of its target not answered: the same" not_answered drain_dct dc
each silent.rate "a program is killed, and the end of its rate not answered: the same" not_answered set_pp_rate_limit pace
each silent.memory "a program is killed, and the end of its device memory not answered: the same" not_answered dealloc_memic dm
ktap_setup ready
ktap_test nothing.left "no object is left in the device" nothing_left
ktap_finally sleep_done
ktap_end
