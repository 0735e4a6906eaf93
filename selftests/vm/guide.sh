#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The examples of Documentation/guide, page by page, as somebody follows them: they work, and print what is written there.
# guests: 2
# drivers: cxr
# timeout: 600
# long: 900
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/transcript.sh"

guide=Documentation/guide
pages="mode gids rdma_cm lossless counters troubleshooting"

two_machines()
{
	driver_unload
	transcript_prepare
	peer "driver_unload; $(declare -f transcript_prepare); transcript_prepare"
	# the guide's name of the interface is the kernel's first one
	[ ! -e /sys/class/net/eth0 ]
	peer "[ ! -e /sys/class/net/eth0 ]"
}

export KTAP_TIMEOUT=300

page() # NAME
{
	[ "$1" != lossless ] || modprobe -q sch_red || skip "this kernel has no queueing discipline RED, which a router in this page has"
	transcript_page "$guide/$1.rst"
}

as_it_was()
{
	driver_unload
	peer "driver_unload; rm -r /run/transcript"
	rm -r /run/transcript
}

# shellcheck disable=SC2086
set -- $pages
ktap_plan $(($# + 2))
ktap_run "two machines with nothing loaded" two_machines
for p in "$@"; do ktap_run "the guide's page $p.rst is true" page "$p"; done
ktap_run "the guests are as they were" as_it_was
ktap_end
