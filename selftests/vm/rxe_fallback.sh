#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# rxe-fallback with the kernel's Soft-RoCE: set up, used, removed.
# guests: 1
# takes: 55
# turn: yes
# drivers: cxr rxe
# timeout: 300
. "$(dirname "$0")/../lib/ktap.sh"

# A veth pair, and no RDMA device except those of the driver under test
cable()
{
	[ "$CXR_DRIVER" != rxe ] || driver_unload
	no_cable
	ip link add cable0 type veth peer name cable1
	ip link set cable1 up
	ip link set cable0 mtu 4200 up
	ip addr add 10.78.0.1/24 dev cable0
}

no_cable()
{
	[ ! -e /sys/class/infiniband/rxe0 ] || rdma link del rxe0
	[ ! -d /sys/module/rdma_rxe ] || rmmod rdma_rxe
	[ ! -e /sys/class/net/cable0 ] || ip link del cable0
}

soft_roce()
{
	cable
	rxe-fallback cable0
	wait_until 10 gid_index rxe0 v2 10.78.0.1
}

adapter_alone()
{
	[ "$CXR_DRIVER" != rxe ] || skip "there is no adapter"
	no_cable
	driver_up
}

set_up()
{
	ktap_spoilt
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

refuses()
{
	refused "there is no network interface 'cable7'" cable7
	refused "lo is no Ethernet interface" lo
}

no_adapter() { refused "$(driver_netdev) is a port of the adapter $(driver_ibdev)" "$(driver_netdev)"; }

removed()
{
	ktap_spoilt
	[ "$(rxe-fallback -r cable0)" = "rxe0: removed from cable0" ]
	[ "$(rxe-fallback -r cable0)" = "cable0 has no Soft-RoCE" ]
	[ ! -d /sys/class/infiniband/rxe0 ]
	[ ! -d /sys/module/rdma_rxe ]
}

ktap_setup cable
ktap_test not-these "anything but an Ethernet interface is refused" refuses
ktap_test set-up "rxe-fallback sets up Soft-RoCE and reports it, the second time as well" set_up
ktap_setup soft_roce
ktap_test carries-data "Soft-RoCE carries data, and is not removed while in use" carries_data
ktap_test undone "rxe-fallback -r leaves nothing behind" removed
ktap_setup adapter_alone
ktap_test no-adapter "a port of an adapter is refused" no_adapter
ktap_finally no_cable
ktap_end
