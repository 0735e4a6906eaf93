#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The examples of Documentation/guide, page by page, as somebody follows them: they work, and print what is written there.
# guests: 2
# takes: 70
# drivers: cxr
# timeout: 600
# long: 900
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/transcript.sh"

guide=Documentation/guide
pages="mode gids counters troubleshooting rdma_cm lossless"

# A set-up: two machines with nothing loaded, and without what was said of rdma_cm in configfs, which outlives the device
unloaded()
{
	local forget='rmdir /sys/kernel/config/rdma_cm/* 2>/dev/null || true'

	eval "$forget"
	driver_unload
	transcript_prepare
	peer "$forget; set -e; driver_unload; $(declare -f transcript_prepare); transcript_prepare"
	# the guide's name of the interface is the kernel's first one
	[ ! -e /sys/class/net/eth0 ]
	peer "[ ! -e /sys/class/net/eth0 ]"
}

# A set-up: what the guide has loaded, by its first example, when the other pages begin
loaded()
{
	unloaded
	transcript_run $guide/mode.rst tested load "$(driver_bdfs | head -n 1)"
}

page() # NAME
{
	# What these set is seen by others; and that one comes from no driver to one.
	case $1 in mode|rdma_cm|lossless) ktap_spoilt ;; esac
	[ "$1" != lossless ] || modprobe -q sch_red || skip "this kernel has no RED qdisc, which a router in this page uses"
	transcript_page "$guide/$1.rst"
}

as_it_was()
{
	driver_unload
	peer "driver_unload; rm -rf /run/transcript"
	rm -rf /run/transcript
}

for p in $pages; do
	ktap_setup loaded
	[ "$p" != mode ] || ktap_setup unloaded
	KTAP_TIMEOUT=300 ktap_test "${p//_/-}" "the examples of $p.rst work as documented" page "$p"
done
ktap_finally as_it_was
ktap_end
