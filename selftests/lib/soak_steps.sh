# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# What soak.sh does to an adapter with two ports while it is in use: a function for each step. A step acts on the function of port $BOUT
# (0 or 1), whose address is in BDF and whose name in the emulator is FN; R is a number that a step has drawn with rnd. What a step
# asks for may fail, since others work on the device as well. Afterwards the driver has to bring the function back by itself.

rnd() { R=$((RANDOM % $1)); } # N: R is one of 0 ... N - 1, not in a subshell

one_of() { rnd $#; shift "$R"; CHOSEN=$1; }	# WORDS...

# shellcheck disable=SC2034	# of soak.sh
# NAME WEIGHT WHAT-IS-EXPECTED-IN-THE-LOG (a regular expression, or -)
SOAK_STEPS=(
	"operation 10 -"
	"refused 6 -"
	"alloc 4 -"
	"silent 3 -"
	"frames 6 -"
	"completion 4 -"
	"overrun 2 -"
	"events 4 -"
	"slow 2 -"
	"pages 2 -"
	"cable 4 -"
	"deaf 1 -"
	"health 2 -"
	"fails 3 timed.out"
	"crashes 2 timed.out"
	"reset 4 -"
	"pci_error 2 -"
	"leaves 2 -"
	"vanishes 2 -"
	"rebinds 3 -"
	"modules 2 -"
	"reload 3 -"
	"sleeps 1 -"
	"processor 1 -"
	"kernel_user 3 -"
	"bond 3 -"
	"quiet 4 -"
)

# The device may be in a state that has no such fault, but the emulator has to understand it.
hurt()
{
	local said

	say "        fault $FN $*"
	said=$(emu fault "$FN" "$@" 2>&1) || say "        $said"
	[[ $said != *"not a valid"* && $said != *unknown* && $said != *"too many"* ]] || fail "the emulator does not take it"
}

soak_try() # KIND NTH
{
	one_of "${OPERATIONS[@]}"
	say "        $CHOSEN: $1 $2"
	run_python "$SOAK_PY" try "$CHOSEN" "$BDF" "$1" "$2"
	living || rebind	# some end without the driver, others with a fault
}

step_operation() { soak_try none 0; }
step_refused()
{
	rnd 40
	soak_try refused $((R + 1))
}
step_alloc()
{
	rnd 150
	soak_try alloc $((R + 1))
}

# A command that is not answered: the device fails and recovers.
step_silent()
{
	echo $((1000 * ${CXR_PATIENCE:-1})) >"$LIMIT"
	rnd 5
	hurt command any silent nth=$((R + 1))
	for _ in 1 2 3 4 5 6; do ethtool -S "$(netdev_of "$BDF")" >/dev/null 2>&1 || true; done
	wait_recovered
	emu fault clear >/dev/null
	echo 60000 >"$LIMIT"
}

step_frames()
{
	local what

	one_of drop drop duplicate reorder "corrupt 60" "delay 4"
	what=$CHOSEN
	one_of tx rx
	rnd 10
	# shellcheck disable=SC2086
	hurt frame any $what dir=$CHOSEN percent=$((R + 1)) seed=$RANDOM
	nap 3
}
step_completion()
{
	one_of local_prot local_qp_op remote_access transport_retry_exc wr_flush
	rnd 50
	hurt cqe any error "$CHOSEN" nth=$((R + 1))
	nap 2
}
step_overrun()
{
	rnd 30
	hurt cqe any overrun nth=$((R + 1))
	nap 2
}
step_events()
{
	one_of "event cmd lose" "event cmd duplicate" "event port_change duplicate" "event port_change type 0xfe" "interrupt 0 lose" \
		"interrupt 1 lose" "spurious 0" "spurious 1" "spurious 2" "event comp lose" "temperature"
	# shellcheck disable=SC2086
	hurt $CHOSEN
	ethtool -S "$(netdev_of "$BDF")" >/dev/null 2>&1 || true
	hurt port down
	hurt port up
	nap 1
}
step_slow()
{
	emu command-us "$((RANDOM % 2000))" >/dev/null
	soak_try none 0
	emu command-us off >/dev/null
}
step_pages()
{
	one_of 64 200 -64 -200
	hurt pages "$CHOSEN"
	nap 1
}
step_cable()
{
	hurt port down
	rnd 30
	nap 0.$R
	hurt port up
}
step_deaf()
{
	hurt receive stop
	nap 2
	hurt receive go
}
step_health()
{
	rnd 14
	hurt health $((R + 1))
	nap 3
	hurt health 0
}
step_fails()
{
	hurt health 7 rfr
	wait_recovered
}
step_crashes()
{
	hurt fatal
	nap 3
	both_back
}

step_reset() { echo 1 >"/sys/bus/pci/devices/$BDF/reset" || true; }
step_pci_error()
{
	one_of 0x40000 0x8000	# malformed packet: fatal; completer abort: not
	if pci_error "$CHOSEN"; then wait_recovered; fi
}
step_leaves()
{
	echo 1 >"/sys/bus/pci/devices/$BDF/remove"
	nap 1
	echo 1 >/sys/bus/pci/rescan
}
step_vanishes()
{
	hurt gone
	rnd 2
	[ "$R" = 0 ] || nap 4
	echo 1 >"/sys/bus/pci/devices/$BDF/remove"
	hurt back
	echo 1 >/sys/bus/pci/rescan
}
rebind()
{
	unbind
	nap 0.3
	echo "$BDF" >"$DRV/bind"
}
step_rebinds() { rebind; }
step_modules()
{
	one_of cxr_ib cxr_en both
	say "        $CHOSEN"
	case $CHOSEN in
	both) rmmod cxr_ib || true; rmmod cxr_en || true ;;
	*) rmmod "$CHOSEN" || true ;;
	esac
	driver_insmod cxr_en
	driver_insmod cxr_ib
}
step_reload() { devlink dev reload "pci/$BDF" >/dev/null || true; }
step_sleeps()
{
	local ok=1

	[ -e /sys/power/pm_test ] || return 0
	(sleep_ready >/dev/null) || return 0
	one_of mem disk
	say "        $CHOSEN"
	sleeps "$CHOSEN" || ok=0
	sleep_done
	[ $ok = 1 ] || say "        it did not get to sleep"
}
step_processor()
{
	echo 0 >/sys/devices/system/cpu/cpu1/online || return 0
	nap 2
	echo 1 >/sys/devices/system/cpu/cpu1/online
}
# A user in the kernel
step_kernel_user()
{
	local device

	device=$(driver_ibdev)
	[ -n "$device" ] || return 0
	one_of fast_registration softirq workqueue drain srq_of_destroyed
	say "        $CHOSEN"
	if insmod "$KVERBS" "devices=$device" "test=$CHOSEN" 2>/dev/null; then rmmod kverbs; return; fi
	device=$(dmesg | grep 'kverbs: test: ' | tail -n 1)
	say "        ${device#*kverbs: }"
	[[ ! $device =~ instead\ of|wrong\ data|written\ to|stored ]] || fail "a user in the kernel has wrong data"
}
step_bond()
{
	one_of leave slave
	say "        $CHOSEN"
	case $CHOSEN in
	leave)
		ip link del bond0 || true
		nap 2
		;;
	slave)
		ip link set "$(netdev_of "$BDF")" nomaster || true
		nap 2
		ip link set "$(netdev_of "$BDF")" down || true
		ip link set "$(netdev_of "$BDF")" master bond0 || true
		;;
	esac
}
step_quiet() { nap 4; }

netdev_of() { local d; for d in "/sys/bus/pci/devices/$1"/net/*; do echo "${d##*/}"; done; } # BDF

living() { bound && ! is_dead && [ -e "/sys/bus/pci/devices/$BDF/net" ]; }
# By itself, from a failure that it has just been caused
wait_recovered()
{
	nap 3
	back
}
back()
{
	# shellcheck disable=SC2034	# of faults.sh
	DEBUG=/sys/kernel/debug/cxr/$BDF
	wait_until 60 living || { cat "$DEBUG/stage"; fail "the driver has not come back by itself"; }
}
both_back() { local BDF; for BDF in "${BDFS[@]}"; do back; done; wait_until 60 ibdev_there; }
