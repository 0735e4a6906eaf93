#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Everything at once: programs, streams, GIDs and readers (soak.py) use an adapter with two ports, alone or in a bond, to which random
# things happen (soak_steps.sh): faults, resets, reloads. In rounds: each begins with a healthy adapter, has its own steps by the seed
# and its number, and must end with a healthy adapter that has nothing left. After each step there must be nothing in the kernel's log
# and no violation in the emulator.
#
# CXR_SOAK_SECONDS  how long (default: 60)
# CXR_SEED          the seed (default: 11; make soak takes another one each time)
# CXR_SOAK_ROUND    only this round
# CXR_SOAK_STEP     and of it only this step
# guests: 2
# functions: 2
# cpus: 2
# card: cx6dx
# takes: 110
# turn: yes
# timeout: 1200
# drivers: cxr
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"
. "$(dirname "$0")/../lib/window.sh"
. "$(dirname "$0")/../lib/lag.sh"
. "$(dirname "$0")/../lib/kverbs.sh"
. "$(dirname "$0")/../lib/sleep.sh"
# shellcheck source=selftests/lib/rows.sh
. "$(dirname "$0")/../lib/rows.sh"
. "$(dirname "$0")/../lib/soak_steps.sh"

SEED=${CXR_SEED:-11}
SOAK_SECONDS=${CXR_SOAK_SECONDS:-60}
SOAK_PY=$(dirname "$0")/soak.py
STOP=/run/soak.stop
ACTORS="verbs wire tcp gids readers"
ECHO_PORT=7003
# shellcheck disable=SC2034	# of soak_steps.sh
mapfile -t OPERATIONS < <(rows_list "$(dirname "$0")/../lib/operations.py" | cut -f 1)
exec 9>&1			# progress is shown at once
declare -A DID=()

before_each() { :; }
say() { echo "# $*" >&9; echo "$*"; }

# ---- a healthy adapter -----------------------------------------------------------------------------

# Without a grace period each failure is recovered; a function that was bound again has one.
recover_always()
{
	local bdf

	for bdf in "${BDFS[@]}"; do
		devlink health set "pci/$bdf" reporter fw_fatal grace_period 0 auto_recover true 2>/dev/null || true
	done
}

# No fault is left; what has failed because of one recovers.
calm()
{
	clear_faults
	emu command-us off >/dev/null
	[ ! -e "$LIMIT" ] || echo 60000 >"$LIMIT"
}

# Whatever another test, or a step that has failed, has left
revive()
{
	local BDF

	calm
	sleep_done
	echo 1 >/sys/devices/system/cpu/cpu1/online
	for BDF in 0 1; do emu fault "a$BDF" back >/dev/null 2>&1 || true; done
	echo 1 >/sys/bus/pci/rescan
	driver_load
	driver_insmod cxr_en
	driver_insmod cxr_ib
	mapfile -t BDFS < <(driver_bdfs)
	[ ${#BDFS[@]} = 2 ] || fail "there are ${#BDFS[@]} functions"
	for BDF in "${BDFS[@]}"; do
		DEBUG=/sys/kernel/debug/cxr/$BDF
		bind_living
	done
	both_back
}

# Both ports are on one wire: each answers for its own address alone.
own_addresses() { echo "$1" >/proc/sys/net/ipv4/conf/all/arp_ignore; } # 0|1

# Addresses of the wire, here and on the peer, in the round's shape
in_shape()
{
	case $SHAPE in
	pair) setup_no_lag ;;
	*) setup_lag "$SHAPE" ;;
	esac
	PEERS=$(peer driver_ibdevs | xargs)
}

# What came back meanwhile has no addresses, or is not in the bond.
use_again()
{
	local d

	if [ "$SHAPE" = pair ]; then
		driver_net_up >/dev/null 2>&1 || true
		return
	fi
	[ -e /sys/class/net/bond0 ] || bond "$SHAPE" || true
	for d in $(driver_netdevs); do
		if [ ! -e "/sys/class/net/$d/master" ] && ip link set "$d" down; then ip link set "$d" master bond0 || true; fi
	done
}

# Every port reaches the peer, with all kinds of traffic, and nothing fails.
works()
{
	local port ports="0 1"

	[ "$SHAPE" = pair ] || ports=9
	for port in $ports; do
		wait_until 60 ping -q -c 1 -W 1 "$(guest_ip b "$port")" >/dev/null
		tcp_both_ways 100000 "$(guest_ip b "$port")"
	done
	rm -f $STOP
	# shellcheck disable=SC2086
	run_python "$SOAK_PY" once $RANDOM $STOP $PEERS
}

# The driver leaves nothing in the device.
clean()
{
	local bdf status

	[ "$SHAPE" = pair ] || unbond
	for bdf in "${BDFS[@]}"; do echo "$bdf" >"$DRV/unbind"; done
	status=$(emu status | sed -n '/^function a0/,/^function b/p')
	grep -q '^function a1' <<<"$status"
	if grep -E 'objects: [1-9]|pages: [1-9][0-9]* held' <<<"$status"; then fail "something is left in the device"; fi
	for bdf in "${BDFS[@]}"; do echo "$bdf" >"$DRV/bind"; done
	both_back
}

# ---- a round ---------------------------------------------------------------------------------------

# Neither kernel nor emulator complain. Lines of guest a's log that match EXPECTED follow from a step.
examine() # EXPECTED|-
{
	local lines

	if lines=$(ktap_bad_lines soak); then
		[ "$1" = - ] || lines=$(grep -Ev "^\[[^]]*\] cxr_[a-z]+ .*($1)" <<<"$lines") || true
		[ -z "$lines" ] || { echo "$lines"; fail "the kernel complains"; }
	fi
	true >"$KTAP_LOG.allowed"	# for faults of this step
	lines=$(emu violations)
	[ -z "$lines" ] || { echo "$lines"; fail "the device complains"; }
}

start_actors()
{
	local actor

	rm -f $STOP $STOP.* /tmp/soak-*
	PIDS=()
	for actor in $ACTORS; do
		rnd 4
		[ "$R" != 0 ] || continue
		rnd 32768
		# shellcheck disable=SC2086
		run_python "$SOAK_PY" "$actor" "$R" $STOP $PEERS >"/tmp/soak-$actor" 2>&1 &
		PIDS+=("$actor:$!")
	done
}

# They end by themselves, but for one in four, which are killed
stop_actors()
{
	local one actor pid code killed=' '

	for one in "${PIDS[@]}"; do
		rnd 4
		[ "$R" = 0 ] || continue
		killed+="${one%:*} "
		kill -KILL "${one#*:}" 2>/dev/null || true
	done
	touch $STOP
	for one in "${PIDS[@]}"; do
		actor=${one%:*} code=0
		wait_until 120 ended "${one#*:}" || { cat "/tmp/soak-$actor"; fail "$actor does not end"; }
		wait "${one#*:}" 2>/dev/null || code=$?
		for pid in $(cat "$STOP.$actor" 2>/dev/null || true); do
			wait_until 120 ended "$pid" || fail "$actor cannot be killed"
		done
		case $code$killed in
		0*) did "$actor" "$(tail -n 1 "/tmp/soak-$actor")" ;;
		137*" $actor "*) say "    $actor: killed" ;;
		*) cat "/tmp/soak-$actor"; fail "$actor ends with code $code" ;;
		esac
	done
}

# Over the whole run, each has to do something.
did() # ACTOR "N done, ..."
{
	say "    $1: $2"
	[[ $2 =~ ^([0-9]+)\ done ]] || fail "$1 does not tell what it has done"
	DID[$1]=$((${DID[$1]:-0} + BASH_REMATCH[1]))
}

possible() # STEP
{
	case $1-$SHAPE-$CXR_KERNEL in
	bond-pair-*) return 1 ;;
	alloc-*-debug) ;;
	alloc-*) return 1 ;;
	esac
}

# The steps of a round, each with the seed of its choices: NAME:EXPECTED:SEED
draw_steps() # COUNT
{
	local step name weight expected at sum=0

	STEPS=()
	for step in "${SOAK_STEPS[@]}"; do read -r _ weight _ <<<"$step"; sum=$((sum + weight)); done
	while [ ${#STEPS[@]} -lt "$1" ]; do
		rnd $sum
		at=$R
		for step in "${SOAK_STEPS[@]}"; do
			read -r name weight expected <<<"$step"
			at=$((at - weight))
			[ $at -ge 0 ] || break
		done
		possible "$name" || continue
		STEPS+=("$name:$expected:$RANDOM")
	done
}

round() # NUMBER
{
	local i=0 ran=0 step name expected seed all=-

	NOW="ROUND=$1"
	RANDOM=$((SEED * 1009 + $1))
	one_of pair pair pair active-backup balance-xor
	SHAPE=$CHOSEN
	rnd 5
	draw_steps $((R + 4))
	say "round $1, $SHAPE"
	in_shape
	works
	examine -
	start_actors
	for step in "${STEPS[@]}"; do
		IFS=: read -r name expected seed <<<"$step"
		i=$((i + 1))
		[ "${CXR_SOAK_STEP:-$i}" = $i ] || continue
		ran=1
		NOW="ROUND=$1 STEP=$i"
		RANDOM=$seed
		rnd 2
		BOUT=$R
		BDF=${BDFS[BOUT]} FN=a$BOUT DEBUG=/sys/kernel/debug/cxr/${BDFS[BOUT]}
		say "    step $i: $name on $FN"
		recover_always
		"step_$name" 2>&1
		both_back
		[ "$expected" = - ] || all=$expected
		examine "$expected"
		use_again
	done
	[ $ran = 1 ] || fail "round $1 has no step $CXR_SOAK_STEP"
	NOW="ROUND=$1"
	RANDOM=$((SEED * 1013 + $1))
	stop_actors
	calm
	both_back
	in_shape
	works
	examine "$all"
	clean
	examine -
}

kernel_kb() { awk '/^SUnreclaim|^VmallocUsed|^KernelStack|^PageTables|^Percpu/ { n += $2 } END { print n }' /proc/meminfo; }

check_numbers()
{
	local name

	for name in SEED SOAK_SECONDS CXR_SOAK_ROUND CXR_SOAK_STEP; do
		[[ ${!name:-1} =~ ^[1-9][0-9]{0,8}$|^0$ ]] || fail "$name=${!name} is not a number"
	done
}

soak()
{
	local n=${CXR_SOAK_ROUND:-1} end=$((SECONDS + SOAK_SECONDS)) actor

	ktap_spoilt
	check_numbers
	trap '[ $? = 0 ] || say "to repeat it: make soak KERNEL=$CXR_KERNEL SEED=$SEED $NOW"' EXIT
	say "seed $SEED, $SOAK_SECONDS s"
	own_addresses 1
	peer "$(declare -f own_addresses); own_addresses 1
	      tcp_listens $ECHO_PORT || { setsid socat TCP-LISTEN:$ECHO_PORT,reuseaddr,fork EXEC:cat </dev/null >/dev/null 2>&1 & }"
	revive
	round "$n"
	until [ -n "${CXR_SOAK_ROUND:-}" ] || [ $SECONDS -ge $end ]; do
		n=$((n + 1))
		round "$n"
		say "$(kernel_kb) kB of the kernel"
	done
	NOW=''
	for actor in "${!DID[@]}"; do [ "${DID[$actor]}" != 0 ] || fail "$actor has done nothing"; done
	say "$n rounds"
}

leave()
{
	revive
	teardown_lag
	own_addresses 0
	peer "$(declare -f own_addresses); own_addresses 0; pkill -f TCP-LISTEN:$ECHO_PORT || true"
}

KTAP_TIMEOUT=$((SOAK_SECONDS + 900)) ktap_test rounds "whatever happens to it in use, the adapter works afterwards, and no data are wrong" soak
ktap_finally leave
ktap_end
