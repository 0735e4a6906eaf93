#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# SR-IOV: the driver of a PF, in guest b, enables two VFs, of which this guest has the first, gives the card their memory, and takes RoCE from them.
# guests: 2
# takes: 90
# turn: yes
# card: cx5,vfs=2,sriov
# drivers: cxr mlx5
# timeout: 900
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"
. "$(dirname "$0")/../lib/sriov.sh"

ROCE_PAGES=256	# of 4 KiB

ready()
{
	emu fault clear >/dev/null
	driver_unload
	pf "driver_unload && pf_prepare $(vf_id) && driver_load && pf_vfs 2" || return
	ends_up
}

before_each() { ends_know; }

# ---- what the emulator says ----

status_of() { emu status | awk -v f="$1:" '$1 == "function" { own = $2 == f } own'; } # FUNCTION
pages_held() { status_of "$1" | sed -n 's/.*pages: \([0-9]*\) held.*/\1/p'; } # FUNCTION
pages_are() { [ "$(pages_held a)" = "$1" ]; }
vfs_hold() { echo $(($(pages_held a) + $(pages_held vf1))); }
is_enabled() { [ "$(emu status | grep -c "of the PF b, function [12]: enabled")" = 2 ]; }
is_not_enabled() { [ "$(emu status | grep -c "of the PF b, function [12]: not enabled")" = 2 ]; }

# ---- tests ----

enables()
{
	is_enabled
	[ "$(pf 'cat "$(pf_device)/sriov_numvfs"')" = 2 ]
	pf 'readlink "$(pf_device)/virtfn0" "$(pf_device)/virtfn1"'
	[ "$CXR_DRIVER" = mlx5 ] || pf pf_log | grep "VFs enabled: 2"
	tcp_both_ways 256K
	ends_pingpong 100
}

# What the PF's driver has given for its VFs, as it counts
given()
{
	case $CXR_DRIVER in
	cxr) pf 'echo $(($(cat /sys/kernel/debug/cxr/*/pages) - '"$(pages_held b)"'))' ;;
	mlx5) pf 'cat /sys/kernel/debug/mlx5/0000:*/pages/fw_pages_vfs' ;;
	esac
}

memory()
{
	local before

	before=$(pages_held a)
	echo "the VF has $before pages"
	[ "$before" -gt 1000 ]
	[ "$(given)" = "$(vfs_hold)" ]
	emu vf 0 pages 64
	wait_until 20 pages_are $((before + 64))
	[ "$(given)" = "$(vfs_hold)" ]
	emu vf 0 pages -64
	wait_until 20 pages_are "$before"
	[ "$(given)" = "$(vfs_hold)" ]
}

# Nobody answers at its registers. The in-tree driver waits for two minutes
absent()
{
	driver_unload
	pf "pf_vfs 0"
	is_not_enabled
	wait_until 20 pages_are 0
	if [ "$CXR_DRIVER" = cxr ]; then must_fail driver_load; fi
	driver_unload
	pf "pf_vfs 2"
	ends_up
	ends_pingpong 100
}

# Its driver is left without a device. What it has, the PF gets back
lost()
{
	ktap_spoilt
	pf "pf_vfs 0"
	is_not_enabled
	wait_until 20 pages_are 0
	must_fail ping -q -c 2 -i 0.2 -W 1 "$(peer_ip)"
	driver_unload
	pf "pf_vfs 2"
	ends_up
	ends_pingpong 100
}

BOTH=$'vf_num 0: 1\nvf_num 1: 1'
vf_roce() { pf "cat /sys/class/net/$peer_netdev/settings/vf_roce"; }
set_vf_roce() { pf "echo '$*' >/sys/class/net/$peer_netdev/settings/vf_roce"; }
needs_vf_roce() { [ "$CXR_DRIVER" = cxr ] || skip "settings/vf_roce is of the vendor's driver, not of the in-tree one"; }

roce()
{
	local before

	needs_vf_roce
	[ "$(vf_roce)" = "$BOTH" ]
	before=$(pages_held a)
	driver_unload
	set_vf_roce 0 0
	[ "$(vf_roce)" = "${BOTH/0: 1/0: 0}" ]
	wait_until 20 pages_are $((before - ROCE_PAGES))
	driver_load
	driver_net_up
	reachable
	[ -z "$(driver_ibdevs)" ]
	echo "pages: $before with RoCE, $(pages_held a) without"
	driver_unload
	set_vf_roce 0 1
	[ "$(vf_roce)" = "$BOTH" ]
	ends_up
	pages_are "$before"
	ends_pingpong 100
}

roce_refused() # "WORDS" "TEXT"
{
	needs_vf_roce
	must_fail set_vf_roce "$1"
	pf pf_log | grep -F -- "$2"
	[ "$(vf_roce)" = "$BOTH" ]
}

roce_runs()
{
	needs_vf_roce
	must_fail set_vf_roce 0 0
	pf dmesg | grep 'SET_HCA_CAP\|set_hca_cap' | tail -n 1 | grep -i "state"
	[ "$(vf_roce)" = "$BOTH" ]
	ends_pingpong 100
}

# The PF comes back with its VFs
pf_returns() # "COMMAND"
{
	driver_unload
	pf "$1"
	is_enabled
	[ "$(pf 'cat "$(pf_device)/sriov_numvfs"')" = 2 ]
	ends_up
	ends_pingpong 100
}

reset()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver is not told of such a reset"
	pf_returns 'echo 1 >"$(pf_device)/reset"'
}

reload()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver forgets a UDP port of VXLAN when it is reloaded"
	pf_returns 'devlink dev reload "pci/$(driver_bdfs)"'
}

# On the guest of the PF
list_when_disabled()
{
	local before pid

	before=$(complaints)
	echo 1 >"$(pf_device)/reset" &
	pid=$!
	wait_until 60 is_not_enabled
	ip link show >/dev/null 2>&1
	[ "$(complaints)" = "$before" ]
	wait $pid
	[ "$(complaints)" -gt "$before" ]
}
complaints() { dmesg | grep -c "VFs that are disabled keep memory" || true; }

# Interfaces of the host are listed while the PF waits, before a reset, for the memory of its VFs, which the card keeps
listed()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver is not told of such a reset"
	ktap_spoilt
	driver_unload
	ktap_allows 'init_hca .* timed out'
	emu fault b command manage_pages status bad_res times=2 >/dev/null
	pf "set -e; $(declare -f is_not_enabled complaints list_when_disabled); list_when_disabled"
	emu fault clear >/dev/null
	ends_up
	ends_pingpong 100
}

# The firmware of the card crashes, and the driver of the PF recovers by itself
crash()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver makes a new interface"
	ktap_spoilt
	driver_unload
	emu fault b fatal >/dev/null
	wait_until 60 is_not_enabled
	wait_until 60 is_enabled
	ends_up
	ends_pingpong 100
}

# Without its driver a PF has no VFs
unload()
{
	driver_unload
	pf driver_unload
	is_not_enabled
	device_is_clean
	[ "$(pf 'cat "$(pf_device)/sriov_numvfs"')" = 0 ]
}

# The firmware refuses the second: no VF is left, and the next try works
fails()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver leaves VFs that the firmware has not enabled"
	driver_unload
	pf "pf_vfs 0"
	emu fault b command enable_hca status bad_res nth=2 >/dev/null
	must_fail pf "pf_vfs 2"
	is_not_enabled
	[ "$(vfs_hold)" = 0 ]
	[ "$(pf 'cat "$(pf_device)/sriov_numvfs"')" = 0 ]
	emu fault clear >/dev/null
	pf "pf_vfs 2"
	emu fault b command enable_hca status bad_res nth=3 >/dev/null
	pf 'devlink dev reload "pci/$(driver_bdfs | head -n 1)" >/dev/null'
	is_not_enabled
	[ "$(vfs_hold)" = 0 ]
	emu fault clear >/dev/null
	pf "pf_vfs 0; pf_vfs 2"
	ends_up
}

# Of a card whose PF manages the e-switch, without tables for it. The in-tree driver would need more of such a card than there is.
manager()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver needs more of such a card"
	ktap_spoilt
	driver_unload
	pf driver_unload
	emu fault b cap eswitch_manager 1 >/dev/null
	pf driver_load
	must_fail pf "pf_vfs 2"
	pf pf_log | grep "manages the card's e-switch"
	is_not_enabled
	pf driver_unload
	emu fault clear >/dev/null
}

leave()
{
	driver_unload
	pf pf_forget
	ends_stop
}

export KTAP_TIMEOUT=240
ktap_setup ready
ktap_test enables "a VF that the driver of its PF enables works" enables
ktap_test memory "the driver of the PF gives the memory of its VFs, and takes it back" memory
ktap_test absent "the driver does not bind to a VF that its PF has not enabled, but does afterwards" absent
ktap_test lost "a VF can be disabled under its driver, and comes back" lost
ktap_test roce "vf_roce: a VF without RoCE has no RDMA device, and takes less memory" roce
ktap_test roce.runs "vf_roce: refused while a driver uses the VF" roce_runs
ktap_test roce.vf "vf_roce: refused of a VF that there is not" roce_refused "5 0" "vf_roce: there is no VF 5 now, of 2 that are enabled"
ktap_test roce.value "vf_roce: refused with another value" roce_refused "0 2" "vf_roce: '0 2' is refused: must be the number of a VF, and 0 or 1"
ktap_test roce.words "vf_roce: refused with other words" roce_refused "0 1 1" "vf_roce: '0 1 1' is refused"
ktap_test reset "after a reset the PF has its VFs again" reset
ktap_test reload "after a devlink reload the PF has its VFs again" reload
ktap_test listed "interfaces are listed while the PF waits for the memory of its VFs" listed
ktap_test crash "after a crash of the firmware the PF has its VFs again" crash
ktap_test fails "the firmware does not enable one of the VFs: there is none" fails
ktap_test manager "a PF that manages the e-switch, and has no tables for it, gets no VFs" manager
ktap_setup ready
ktap_test unload "without the driver of the PF there are no VFs, and nothing is left" unload
ktap_finally leave
ktap_end
