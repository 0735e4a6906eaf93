#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Runs in guest a: how long a driver takes to notice that its device has failed, to be back in service, and to let go of a device that
# is dead.
set -euo pipefail
. /cxr/selftests/lib/driver.sh
. /cxr/selftests/lib/peer.sh

TURNS=3
BDF=
declare -A took=()

ms() { local t=${EPOCHREALTIME//[!0-9]/}; echo $((t / 1000)); }
health() { devlink health show "pci/$BDF" reporter fw_fatal; }
errors_are() { health | grep -q "error $1 "; } # COUNT
# The in-tree driver makes another interface, which a person has to open.
recovered() { health | grep -q "state healthy .*recover $1 " && [ -n "$(driver_netdev)" ] && [ -n "$(driver_ibdev)" ]; } # COUNT
number() { health | sed -n "s/.* $1 \([0-9]*\).*/\1/p"; } # error|recover

wait_for() # SECONDS CONDITION...
{
	local end=$((SECONDS + $1))

	shift
	until "$@"; do [ $SECONDS -lt $end ] || return 1; done
}

note() { took[$1]+=" $2"; } # WHAT MILLISECONDS

# A fault of which the device recovers by itself
fails() # WHAT FAULT...
{
	local what=$1 errors recoveries began

	shift
	errors=$(number error)
	recoveries=$(number recover)
	began=$(ms)
	emu fault a "$@" >/dev/null
	if ! wait_for 30 errors_are $((errors + 1)); then note "$what: noticed" never; return; fi
	note "$what: noticed" $(($(ms) - began))
	if ! wait_for 120 recovered $((recoveries + 1)); then note "$what: in service" never; return; fi
	note "$what: in service" $(($(ms) - began))
	up
}

# It is dead and stays so, and leaves the bus, as a person has it do.
removed() # WHAT FAULT...
{
	local what=$1 errors began

	shift
	devlink health set "pci/$BDF" reporter fw_fatal auto_recover false
	errors=$(number error)
	emu fault a "$@" >/dev/null
	wait_for 30 errors_are $((errors + 1)) || true
	began=$(ms)
	echo 1 >"/sys/bus/pci/devices/$BDF/remove"
	note "$what: removed" $(($(ms) - began))
	emu fault clear >/dev/null
	echo 1 >/sys/bus/pci/rescan
	up
}

up()
{
	wait_for 60 test -e "/sys/bus/pci/devices/$BDF/net"
	wait_for 60 driver_net_up
	devlink health set "pci/$BDF" reporter fw_fatal grace_period 0 auto_recover true
}

driver_load
BDF=$(driver_bdfs)
up
for _ in $(seq $TURNS); do
	fails "the firmware requests a reset" health 7 rfr
	fails "the firmware has crashed" fatal
	removed "firmware that has crashed" fatal
	removed "gone from the bus" gone
done
echo "bench: begin"
for what in "the firmware requests a reset: noticed" "the firmware requests a reset: in service" "the firmware has crashed: noticed" \
	"the firmware has crashed: in service" "firmware that has crashed: removed" "gone from the bus: removed"; do
	printf '%-5s %-45s %s ms\n' "$CXR_DRIVER" "$what" "$(xargs -n 1 <<<"${took[$what]:-none}" | sort -n | xargs)"
done
echo "bench: done"
