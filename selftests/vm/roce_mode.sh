#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The module parameter roce_mode: what the GID table holds, and what is refused.
# guests: 1
# timeout: 300
. "$(dirname "$0")/../lib/ktap.sh"

need_cxr() { [ "$CXR_DRIVER" = cxr ] || skip "roce_mode is a parameter of cxr_core; the driver here is $CXR_DRIVER"; }

# GID types in the table of the first device, one word each, sorted: v1 v2
table_types()
{
	cat /sys/class/infiniband/"$(driver_ibdev)"/ports/1/gid_attrs/types/* 2>/dev/null | sed 's/.* //' | sort -u | xargs
}

entries() { cat /sys/class/infiniband/"$(driver_ibdev)"/ports/1/gid_attrs/types/* 2>/dev/null | wc -l; }

has_entries() { [ "$(entries)" -ge "$1" ]; }

# The table with roce_mode=$1 has exactly the types $2, $3 entries for each address
mode_gives()
{
	local addresses=3	# the default GID, one IPv4 and one IPv6 address

	need_cxr
	driver_unload
	driver_load "roce_mode=$1"
	driver_net_up
	wait_until 20 has_entries $((addresses * $3))
	echo "types: $(table_types), entries: $(entries)"
	[ "$(table_types)" = "$2" ]
	[ "$(entries)" = $((addresses * $3)) ]
	[ "$(cat /sys/module/cxr_core/parameters/roce_mode)" = "$4" ]
}

# roce_mode=$1 is refused, with a line in the log that names the value and what is allowed
mode_refused()
{
	local line

	need_cxr
	driver_unload
	must_fail driver_insmod cxr_core "roce_mode=$1"
	[ ! -d /sys/module/cxr_core ]
	line=$(dmesg | grep -F -- "cxr_core: roce_mode=$1: " | tail -n 1)
	echo "$line"
	for word in 0 2 4 v1 v2 v1v2; do
		grep -q -w "$word" <<<"${line#*"roce_mode=$1"}"
	done
}

default_is_both()
{
	need_cxr
	driver_unload
	driver_load
	driver_net_up
	wait_until 20 has_entries 6
	[ "$(table_types)" = "v1 v2" ]
}

ktap_plan 12
ktap_run "roce_mode=0 gives RoCE v1 entries only" mode_gives 0 v1 1 v1
ktap_run "roce_mode=2 gives RoCE v2 entries only" mode_gives 2 v2 1 v2
ktap_run "roce_mode=4 gives an entry of each type for each address" mode_gives 4 "v1 v2" 2 v1v2
ktap_run "roce_mode=v1 is roce_mode=0" mode_gives v1 v1 1 v1
ktap_run "roce_mode=v2 is roce_mode=2" mode_gives v2 v2 1 v2
ktap_run "roce_mode=v1v2 is roce_mode=4" mode_gives v1v2 "v1 v2" 2 v1v2
ktap_run "without roce_mode both versions are offered" default_is_both
ktap_run "roce_mode=3 is refused by name" mode_refused 3
ktap_run "roce_mode=1 is refused by name" mode_refused 1
ktap_run "roce_mode=v3 is refused by name" mode_refused v3
ktap_run "roce_mode=-1 is refused by name" mode_refused -1
ktap_run "roce_mode=both is refused by name" mode_refused both
ktap_end
