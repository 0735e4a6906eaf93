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

# modprobe and udev find the modules where an owner has them installed; a guest has them in the repository. (That the
# installed ones load by these words, package.sh shows.)
# shellcheck disable=SC2317 # the peer has it, too
stand_ins()
{
	local bin=/run/transcript/bin

	mkdir -p $bin
	cat >$bin/modprobe <<-'END'
	#!/bin/bash
	. /cxr/selftests/lib/driver.sh
	case $1 in
	cxr_core) shift; driver_load "$@" ;;
	-r) driver_unload ;;
	*) exec /usr/sbin/modprobe "$@" ;;
	esac
	END
	cat >$bin/udevadm <<-'END'
	#!/bin/bash
	. /cxr/selftests/lib/driver.sh
	both() { [ -n "$(driver_netdev)" ] && [ -n "$(driver_ibdev)" ]; }
	wait_until 20 both
	END
	chmod +x $bin/*
	# addresses made of the MAC, without a search for another one who has them
	echo 0 >/proc/sys/net/ipv6/conf/default/disable_ipv6
	echo 0 >/proc/sys/net/ipv6/conf/default/accept_dad
	echo 0 >/proc/sys/net/ipv6/conf/default/addr_gen_mode
}

two_machines()
{
	driver_unload
	stand_ins
	peer "driver_unload; $(declare -f stand_ins); stand_ins"
	# the guide's name of the interface is the kernel's first one
	[ ! -e /sys/class/net/eth0 ]
	peer "[ ! -e /sys/class/net/eth0 ]"
}

export KTAP_TIMEOUT=300

page() # NAME
{
	local kind name bad=

	while read -r kind name; do
		echo "$1, $name ($SECONDS s)"
		transcript_run "$guide/$1.rst" "$kind" "$name" "$(driver_bdfs | head -n 1)" </dev/null || bad=1
	done < <(transcript_blocks "$guide/$1.rst")
	[ -z "$bad" ]
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
