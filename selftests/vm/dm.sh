#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Memory on the device: allocation, mappings, operations, MRs, and what is left of a program or a device that goes (dm.py).
# guests: 1
# card: cx6dx,devx
# takes: 40
# turn: yes
# drivers: cxr mlx5
# timeout: 600
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/obey.sh"
. "$(dirname "$0")/../lib/rows.sh"

tests=$(dirname "$0")/dm.py

ready()
{
	local dev

	driver_up 4200
	dev=$(driver_ibdev)
	obey_start dm python3 -B "$tests" obey "$dev" "$(gid_index "$dev" v2 "$(my_ip)")"
}

# The program goes on: what it has mapped is not the device any more.
device_goes()
{
	local bdf maps code=0

	bdf=$(basename "$(readlink -f "/sys/class/infiniband/$(driver_ibdevs | head -n 1)/device")")
	true >/tmp/maps
	python3 -B "$tests" maps >/tmp/maps 2>&1 &
	maps=$!
	wait_until 20 grep -q ready /tmp/maps
	echo "$bdf" >"/sys/bus/pci/devices/$bdf/driver/unbind"
	wait $maps || code=$?
	driver_unload
	cat /tmp/maps
	[ $code = 0 ]
	grep -q gone /tmp/maps
}

refuse() { emu fault "$CXR_GUEST" command "$1" status "$2" "$3" >/dev/null || fail "the emulator refuses the fault"; }
page() { python3 -B "$tests" alloc; }

needs_emulator()
{
	[ -c "${CXR_EMU_PORT:-}" ] || skip "no emulator: not a guest of scripts/vm"
	trap 'emu fault clear' EXIT
}

# The firmware has a page for itself, then all of them; any other refusal is that of the program
taken()
{
	needs_emulator
	refuse alloc_memic no_res nth=1
	[ "$(page)" = 0 ]
	refuse alloc_memic no_res times=all
	[ "$(page)" = ENOMEM ]
	emu fault clear
	refuse alloc_memic bad_param nth=1
	[ "$(page)" = EINVAL ]
	[ "$(page)" = 0 ]
	obey dm exhausted
}

# What the device keeps is not given to the next program
kept()
{
	[ "$CXR_DRIVER" != mlx5 ] || skip "the in-tree driver warns about it when it leaves"
	needs_emulator
	refuse dealloc_memic res_busy nth=1
	[ "$(page)" = 0 ]
	emu fault clear
	[ "$(python3 -B "$tests" count)" = 31 ]
	# until the driver goes
	obey_stop dm
	driver_unload
}

# Runs two itself, as it may run alone
nothing_left()
{
	obey dm killed
	obey dm op.freed
	obey_stop dm
	driver_unload
	device_is_clean
}

ktap_setup ready
ktap_rows obey dm < <(rows_list "$tests")
ktap_setup ready
ktap_test taken "a page that the firmware does not give is passed over" taken
ktap_test kept "a page that the device does not take back is given to nobody" kept
ktap_setup ready
ktap_test device.goes "a program has mapped memory, and its device goes: the program goes on" device_goes
ktap_setup ready
ktap_test nothing.left "no memory is left in the device" nothing_left
ktap_finally obey_stop dm
ktap_end
