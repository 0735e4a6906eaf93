#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# DEVX: objects that programs make by commands of their own; what is refused; what is left (devx.py).
# guests: 1
# card: cx6dx,devx
# takes: 90
# turn: yes
# drivers: cxr mlx5
# timeout: 1200
# long: 3600
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/obey.sh"

tests=$(dirname "$0")/devx.py
random=$(dirname "$0")/devx_fuzz.py

ready()
{
	driver_load
	driver_net_up
	obey_start devx python3 -B "$tests" obey
}

fuzz()
{
	local seed=${CXR_SEED:-1} requests=4000

	[ "$CXR_DRIVER" != mlx5 ] || skip "the in-tree driver writes behind the end of short commands, and the kernel panics"
	[ -z "${CXR_LONG:-}" ] || requests=400000
	shares_pages
	echo "seed $seed"
	python3 -B "$random" "$seed" $requests
}

# Runs two itself, as it may run alone
nothing_left()
{
	obey devx create
	obey devx killed
	obey_stop devx
	driver_unload
	device_is_clean
}

# The file of a program outlives the device
device_goes()
{
	local bdf waits code=0

	bdf=$(basename "$(readlink -f "/sys/class/infiniband/$(driver_ibdevs | head -n 1)/device")")
	true >/tmp/waits
	python3 -B "$tests" waits >/tmp/waits &
	waits=$!
	wait_until 20 grep -q ready /tmp/waits
	echo "$bdf" >"/sys/bus/pci/devices/$bdf/driver/unbind"
	wait $waits || code=$?
	driver_unload
	cat /tmp/waits
	[ $code = 0 ]
}

ktap_setup ready
ktap_rows obey devx < <(python3 -B "$tests" list)
KTAP_TIMEOUT=900 ktap_test fuzz "random requests do no harm" fuzz
ktap_setup ready
ktap_test device.goes "a program waits for events, and its device goes: it reads EIO" device_goes
ktap_setup ready
ktap_test nothing.left "no object is left in the device" nothing_left
ktap_finally obey_stop devx
ktap_end
