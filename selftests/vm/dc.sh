#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# DC transport: initiators here, and targets in the other guest; what is refused; what is left (dc.py).
# guests: 2
# card: cx6dx,devx
# takes: 75
# turn: yes
# drivers: cxr mlx5
# timeout: 600
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"
. "$(dirname "$0")/../lib/obey.sh"

tests=$(dirname "$0")/dc.py
DC_PORT=7004

indices() { echo "$1,$2,$3"; }

ready()
{
	ends_up 4200
	before_each
	PEER_TIMEOUT=4000 peer_serves dc "tcp_listens $DC_PORT" "python3 -B selftests/vm/dc.py serve $DC_PORT"
	obey_start dc python3 -B "$tests" obey "$(peer_ip)" $DC_PORT "$dev" "$(indices "${gid[v1]}" "${gid[v2]}" "${gid[v6]}")" \
		"$peer_dev" "$(indices "${peer_gid[v1]}" "${peer_gid[v2]}" "${peer_gid[v6]}")"
}

before_each() { ends_know; }

# A program that holds targets, which are written to
waits=
waits_start()
{
	true >/tmp/waits
	RDMAV_ALLOW_DISASSOC_DESTROY=1 python3 -B "$tests" waits "$dev" "${gid[v2]}" >/tmp/waits 2>&1 &
	waits=$!
	wait_until 60 grep -q ready /tmp/waits || { cat /tmp/waits; return 1; }
}

# It has closed what it had of the device
waits_end()
{
	wait_until 60 ended $waits || { kill -KILL $waits; cat /tmp/waits; return 1; }
	cat /tmp/waits
	wait $waits
}

device_goes()
{
	local bdf

	bdf=$(driver_bdfs | head -n 1)
	waits_start
	echo "$bdf" >"/sys/bus/pci/devices/$bdf/driver/unbind"
	waits_end
	driver_unload
}

# Its firmware stops: targets that nobody drains any more end all the same
device_dies()
{
	waits_start
	ends_crash a 4200
	waits_end
}

# Runs two itself, as it may run alone
nothing_left()
{
	obey dc v2
	obey dc killed.target
	obey_stop dc
	ends_stop
	driver_unload
	peer driver_unload
	device_is_clean
	lacks "does not drain" dmesg
}

ktap_setup ready
ktap_rows obey dc < <(python3 -B "$tests" list)
ktap_test device.dies "the firmware stops while a program has targets: it recovers, and no process is left" device_dies
ktap_setup ready
ktap_test device.goes "the device goes while targets are written to: nobody waits for them" device_goes
ktap_setup ready
ktap_test nothing.left "no object is left in the device" nothing_left
ktap_finally obey_stop dc
ktap_end
