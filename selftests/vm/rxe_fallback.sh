#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# rxe-fallback on the kernel's Soft-RoCE: set up, used, undone.
# guests: 1
# drivers: cxr rxe
# timeout: 300
. "$(dirname "$0")/../lib/ktap.sh"

# An Ethernet cable with both ends here, and nothing of RDMA but what the driver under test has
set_up()
{
	[ "$CXR_DRIVER" != rxe ] || driver_unload
	ip link add cable0 type veth peer name cable1
	ip link set cable1 up
	ip link set cable0 mtu 4200 up
	ip addr add 10.78.0.1/24 dev cable0
	rxe-fallback cable0 | tee /tmp/rxe
	grep -Eq '^rxe0: Soft-RoCE \(software, no adapter\) on cable0, ACTIVE, RoCE v2$' /tmp/rxe
	grep -q 'MTU of cable0: 4200$' /tmp/rxe
	wait_until 10 gid_index rxe0 v2 10.78.0.1
	rxe-fallback cable0 | diff /tmp/rxe -
	[ "$(rxe-fallback -l)" = "$(cat /tmp/rxe)" ]
	show_gids rxe0 | grep -q '10\.78\.0\.1'
}

refused() # TEXT ARGUMENTS...
{
	local text=$1

	shift
	must_fail rxe-fallback "$@" 2>/tmp/refused
	cat /tmp/refused
	grep -qF -- "$text" /tmp/refused
}

carries_data()
{
	local idx

	idx=$(gid_index rxe0 v2 10.78.0.1)
	ibv_rc_pingpong -d rxe0 -g "$idx" -c -m 4096 -s 20000 -n 20 >/tmp/server 2>&1 &
	wait_until 20 tcp_listens 18515
	refused "rxe0 is in use by ibv_rc_pingpong" -r cable0
	ibv_rc_pingpong -d rxe0 -g "$idx" -c -m 4096 -s 20000 -n 20 127.0.0.1
	wait $!
}

not_these()
{
	driver_unload
	refused "there is no network interface 'cable7'" cable7
	refused "lo is no Ethernet interface" lo
	[ "$CXR_DRIVER" != rxe ] || skip "the adapter's port needs an adapter"
	driver_load
	driver_net_up
	refused "$(driver_netdev) is a port of the adapter $(driver_ibdev)" "$(driver_netdev)"
}

undone()
{
	[ "$(rxe-fallback -r cable0)" = "rxe0: removed from cable0" ]
	[ "$(rxe-fallback -r cable0)" = "cable0 has no Soft-RoCE" ]
	[ ! -d /sys/class/infiniband/rxe0 ]
	[ ! -d /sys/module/rdma_rxe ]
	ip link del cable0
}

ktap_plan 4
ktap_run "rxe-fallback sets up Soft-RoCE, and says what it is, once and again" set_up
ktap_run "data goes over it, and what is in use is not removed" carries_data
ktap_run "rxe-fallback -r leaves nothing" undone
ktap_run "what is unfit is refused" not_these
ktap_end
