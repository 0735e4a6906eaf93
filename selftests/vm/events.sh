#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Interrupts without a reason, and event queues and completion queues that overrun.
# guests: 2
# takes: 40
# turn: yes
# timeout: 600
# drivers: cxr mlx5
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"
# shellcheck source=selftests/lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"

VECTORS=64

before_each()
{
	know_function
	ends_know
}

ready()
{
	know_function
	clear_faults
	ends_up
}

works()
{
	reachable
	tcp_both_ways 200000
	ends_pingpong 100
	no_violation
}

# Each interrupt of the function, and how often it has come
interrupts() { awk -v d="$BDF" 'index($0, d) { n = 0; for (i = 2; $i ~ /^[0-9]+$/; i++) n += $i; print $1, n }' /proc/interrupts; }

all_have_come() # INTERRUPTS-BEFORE
{
	local name before now

	while read -r name before now; do
		[ "$now" -gt "$before" ] || { echo "$name $before, now $now"; return 1; }
	done < <(join <(sort <<<"$1") <(interrupts | sort))
}

# One of each vector
raise_all()
{
	local vector

	for ((vector = 0; vector < VECTORS; vector++)); do fault spurious $vector; done
}

raise_during() # COMMAND...
{
	local pid

	"$@" &
	pid=$!
	while kill -0 $pid 2>/dev/null; do raise_all; done
	wait $pid || fail "it does not work meanwhile: $*"
}

# While nothing else happens, with a closed interface, and under load; some vectors are in use and some are not.
spurious()
{
	local before

	before=$(interrupts)
	[ -n "$before" ] || fail "the function has no interrupts"
	raise_all
	wait_until 5 all_have_come "$before"
	ip link set "$netdev" down
	raise_all
	ends_up
	raise_during tcp_both_ways 2M
	raise_during ends_pingpong 1000
	works
}

bind_again()
{
	local driver

	driver=$(readlink -f "/sys/bus/pci/devices/$BDF/driver")
	echo "$BDF" >"$driver/unbind"
	clear_faults
	echo "$BDF" >"$driver/bind"
	ends_up
	ends_know
	works
}

# There are no more events of this kind. The firmware says what has happened, which the driver reports, and it can be bound again.
eq_overruns() # EVENT SYNDROME COMMAND...
{
	local event=$1 syndrome=$2

	shift 2
	ktap_spoilt
	fault event "$event" overrun
	"$@" || true
	wait_until 30 reported "$syndrome"
	bind_again
}

reported() # SYNDROME
{
	devlink health show "pci/$BDF" reporter fw | grep -q "state error error 1 " &&
		devlink health diagnose "pci/$BDF" reporter fw | grep -q "Syndrome: $1 "
}

link_bounces()
{
	emu fault "$CXR_GUEST" port down
	emu fault "$CXR_GUEST" port up
}

# The program sends for each line that it gets, so that the completion that overruns is its own. The interface may have one meanwhile:
# its driver recovers it, and the program tries again.
cq_overruns()
{
	local said=completed to from pid tries

	coproc program { python3 -B selftests/vm/events.py "$dev" "${gid[v2]}" 2>&1; }
	from=${program[0]} to=${program[1]} pid=$!
	read -r -t 60 -u "$from" said && [ "$said" = ready ] || fail "the program says '$said'"
	for tries in 1 2 3 4 5; do
		fault cqe any overrun
		echo >&"$to"
		read -r -t 60 -u "$from" said || fail "the program does not answer"
		[ "$said" = completed ] || break
		echo "try $tries: the CQ of another has overrun"
		reachable
	done
	[ "$said" = works ] || fail "the program says '$said'"
	wait "$pid"
	works
}

ktap_setup ready
ktap_test spurious "interrupts of all vectors without an event do nothing" spurious
ktap_test overrun.cq "the CQ of a program overruns: the program is told, and goes on with a new one" cq_overruns
ktap_test overrun.async "the EQ of asynchronous events overruns: it is reported, and the driver can be bound again" eq_overruns port_change 12 link_bounces
ktap_test overrun.completion "likewise an EQ of completions" eq_overruns comp 13 ping -q -i 0.1 -c 5 -W 1 "$(peer_ip)"
ktap_finally clear_faults
ktap_end
