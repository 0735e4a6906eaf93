#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The module parameter roce_mode, for all devices and by list: what the GID table holds, and what is refused.
# guests: 1
# timeout: 300
. "$(dirname "$0")/../lib/ktap.sh"

need_cxr() { [ "$CXR_DRIVER" = cxr ] || skip "roce_mode is cxr_core's; the driver here is $CXR_DRIVER"; }

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

# The parameter $1 is refused, with a line in the log that names the word $2 of it and says $3
word_refused()
{
	must_fail insmod "$CXR_MODULES/cxr_core.ko" "$1"
	dmesg | grep -F -- "cxr_core: $1: '$2' is refused: " | tail -n 1 | grep -F -- "$3"
}

# Nothing is half-set: there is no module then
values_refused()
{
	local value

	need_cxr
	driver_unload
	for value in v3 -1 both 22; do
		word_refused "roce_mode=$value" "$value" "it is one of 0 or v1, 2 or v2, 4 or v1v2"
	done
	for value in 1 3 v1.5; do
		word_refused "roce_mode=$value" "$value" "0 v1, 1 v1.5, 2 v2, 3 v1.5 and v2, 4 v1 and v2"
		word_refused "roce_mode=$value" "$value" "0 v1, 1 v2, 2 v1 and v2"
	done
	[ ! -d /sys/module/cxr_core ]
}

lists_refused()
{
	local bdf

	need_cxr
	driver_unload
	bdf=$(driver_bdfs | head -n 1)
	word_refused "roce_mode=$bdf-2,$bdf-0" "$bdf" twice
	word_refused "roce_mode=$bdf-2,${bdf#0000:}-2" "${bdf#0000:}" twice
	word_refused "roce_mode=$bdf-2,4" 4 "PCI address before it"
	word_refused "roce_mode=$bdf-1" 1 "two numberings"
	word_refused "roce_mode=$bdf-2;2" "$bdf-2;2" "one port"
	[ ! -d /sys/module/cxr_core ]
}

# The table has exactly the types $1
types_are() { [ "$(table_types)" = "$1" ]; }

list_by_device()
{
	local bdf text

	need_cxr
	bdf=$(driver_bdfs | head -n 1)
	text="0001:ff:1f.7-v1,$bdf-v2"
	driver_unload
	driver_load "roce_mode=${text/v2/0x2}"
	driver_net_up
	wait_until 20 has_entries 3
	types_are v2
	[ "$(cat /sys/module/cxr_core/parameters/roce_mode)" = "$text" ]
	dmesg | grep "device is working in RoCE mode" | tail -n 1 | grep "cxr_core $bdf: .*mode: Roce V2\$"
	must_fail sh -c "echo v1 >/sys/module/cxr_core/parameters/roce_mode"
}

list_of_others()
{
	need_cxr
	driver_unload
	driver_load "roce_mode=0001:ff:1f.7-v1"
	driver_net_up
	wait_until 20 has_entries 6
	types_are "v1 v2"
	dmesg | grep "device is working in RoCE mode" | tail -n 1 | grep "Roce V1/V2\$"
}

ktap_plan 7
ktap_run "roce_mode=0 gives RoCE v1 entries only" mode_gives 0 v1 1 v1
ktap_run "roce_mode=2 gives RoCE v2 entries only" mode_gives 2 v2 1 v2
ktap_run "roce_mode=4 gives an entry of each type for each address" mode_gives 4 "v1 v2" 2 v1v2
ktap_run "a value that is none is refused by name, and 1 and 3 with both numberings" values_refused
ktap_run "a list gives each device its value, and reads back as it is" list_by_device
ktap_run "a device that a list does not name has the default" list_of_others
ktap_run "a list with a wrong word is refused, and the word is named" lists_refused
ktap_end
