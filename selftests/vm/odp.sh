#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# On-demand paging: memory that comes by faults, goes, or does not exist, and what is left of a program or a device that goes (odp.py).
# guests: 1
# card: cx6dx,devx
# takes: 90
# turn: yes
# drivers: cxr mlx5
# timeout: 900
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/faults.sh"
. "$(dirname "$0")/../lib/obey.sh"
. "$(dirname "$0")/../lib/rows.sh"

tests=$(dirname "$0")/odp.py

where() { gid_index "$1" v2 "$(my_ip)"; } # DEVICE

ready()
{
	local dev

	driver_up 4200
	dev=$(driver_ibdev)
	obey_start odp python3 -B "$tests" obey "$dev" "$(where "$dev")"
}

# Faults are under way: nothing waits for them for ever
has_faulted() { [ "$(grep -c ready /tmp/faults)" -ge 5 ]; }

device_goes()
{
	local bdf dev program

	[ "${CXR_ODP:-}" != memory ] || shares_pages
	dev=$(driver_ibdev)
	bdf=$(basename "$(readlink -f "/sys/class/infiniband/$dev/device")")
	true >/tmp/faults
	RDMAV_ALLOW_DISASSOC_DESTROY=1 python3 -B "$tests" faults "$dev" "$(where "$dev")" >/tmp/faults 2>&1 &
	program=$!
	wait_until 30 has_faulted
	echo "$bdf" >"/sys/bus/pci/devices/$bdf/driver/unbind"
	driver_unload
	wait_until 40 grep -q closed /tmp/faults || { tail -n 5 /tmp/faults; kill -KILL $program; return 1; }
	wait $program
}

# The longest list of a key that a request writes is shorter than that of a key that a program makes
short_lists()
{
	local dev

	obey_stop odp
	driver_unload
	fault cap log_max_klm_list_size 2
	driver_up 4200
	dev=$(driver_ibdev)
	python3 -B "$tests" run list "$dev" "$(where "$dev")"
	driver_unload
	clear_faults
}

# Runs one itself, as it may run alone
nothing_left()
{
	[ "${CXR_ODP:-}" != memory ] || shares_pages
	obey odp killed
	obey_stop odp
	driver_unload
	device_is_clean
}

ktap_setup ready
ktap_rows obey odp < <(rows_list "$tests")
ktap_test lists.short "the same of a key of more parts than the card says" short_lists
ktap_setup ready
ktap_test device.goes "a device goes while a program has faults" device_goes
ktap_setup ready
ktap_test nothing.left "nothing is left in the device of a program that is killed" nothing_left
ktap_finally obey_stop odp
ktap_end
