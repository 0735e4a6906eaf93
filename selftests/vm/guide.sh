#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Executes the examples in Documentation/guide page by page: they work, and print what is documented.
# guests: 2
# card: cx5,dcb
# takes: 70
# turn: yes
# drivers: cxr
# timeout: 600
# long: 900
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/transcript.sh"
. "$(dirname "$0")/../lib/programs.sh"

guide=Documentation/guide
pages="mode gids counters troubleshooting rdma_cm lossless force isolation steering xdp ptp programs"

# Set-up: two machines with nothing loaded, and default settings of rdma_cm, which outlive the device
unloaded()
{
	local reset='rmdir /sys/kernel/config/rdma_cm/* 2>/dev/null || true'

	eval "$reset"
	driver_unload
	transcript_prepare
	peer "$reset; set -e; driver_unload; $(declare -f transcript_prepare); transcript_prepare"
	# the guide uses the kernel's first interface name
	[ ! -e /sys/class/net/eth0 ]
	peer "[ ! -e /sys/class/net/eth0 ]"
}

# Set-up: the driver loaded by the guide's first example
loaded()
{
	unloaded
	transcript_run $guide/mode.rst tested load "$(driver_bdfs | head -n 1)"
}

page() # NAME
{
	# These change settings, or load the driver.
	case $1 in mode|rdma_cm|lossless|force|isolation) ktap_spoilt ;; esac
	[ "$1" != lossless ] || modprobe -q sch_red || skip "this kernel has no RED qdisc, which a router in this page uses"
	[ "$1" != programs ] || programs_up
	transcript_page "$guide/$1.rst"
}

restore()
{
	programs_down
	driver_unload
	peer "driver_unload; rm -rf /run/transcript"
	rm -rf /run/transcript
}

for p in $pages; do
	ktap_setup loaded
	[ "$p" != mode ] || ktap_setup unloaded
	KTAP_TIMEOUT=300 ktap_test "${p//_/-}" "the examples of $p.rst work as documented" page "$p"
done
ktap_finally restore
ktap_end
