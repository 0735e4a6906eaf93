#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The module parameters roce_mode and ud_gid_type, for all devices and by list: what the GID table holds, which address
# handles can be created, and what is refused.
# guests: 1
# timeout: 300
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/kverbs.sh"

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

# ---- ud_gid_type -----------------------------------------------------------------------------------

# An address handle with the first GID of type $1 for my address: prints "made", or the number of the error
make_ah()
{
	python3 - "$(driver_ibdev)" "$(gid_index "$(driver_ibdev)" "$1" "$(my_ip)")" <<-END
	import sys
	from pyverbs.addr import AH, AHAttr, GlobalRoute
	from pyverbs.device import Context
	from pyverbs.pd import PD
	from pyverbs.pyverbs_error import PyverbsRDMAError
	index = int(sys.argv[2])
	ctx = Context(name=sys.argv[1])
	pd = PD(ctx)
	route = GlobalRoute(dgid=ctx.query_gid(1, index), sgid_index=index, hop_limit=1)
	try:
	    AH(pd, attr=AHAttr(gr=route, is_global=1, port_num=1))
	    print("made")
	except PyverbsRDMAError as err:
	    print(err.error_code)
	END
}

EINVAL=22

# $1 was asked for and $2 granted, say the log and devlink; sysfs has the parameter as it was given, $3
ud_shown()
{
	local bdf

	bdf=$(driver_bdfs | head -n 1)
	[ "$(cat /sys/module/cxr_core/parameters/ud_gid_type)" = "$3" ]
	dmesg | grep "UD QP Gid type is" | tail -n 1 | grep -i "cxr_core $bdf: UD QP Gid type is: $2\$"
	[ "$(devlink dev param show "pci/$bdf" name ud_gid_type | sed -n "s/.*cmode runtime value //p")" = "$2" ]
	[ "$(devlink dev param show "pci/$bdf" name ud_gid_type | sed -n "s/.*cmode driverinit value //p")" = "$1" ]
}

ud_ready() # ENTRIES PARAMETERS
{
	driver_unload
	driver_load "${@:2}"
	driver_net_up
	wait_until 20 has_entries "$1"
}

ud_default()
{
	need_cxr
	ud_ready 6
	ud_shown any any any
	[ "$(make_ah v1)" = made ]
	[ "$(make_ah v2)" = made ]
}

# By list, with a device that there is not
ud_refuses()
{
	local text

	need_cxr
	text="0001:ff:1f.7-v2,$(driver_bdfs | head -n 1)-v1"
	ud_ready 6 "ud_gid_type=${text/%v1/0}"
	ud_shown v1 v1 "$text"
	[ "$(make_ah v1)" = made ]
	must_fail grep "address handle for datagrams refused" <(dmesg)
	[ "$(make_ah v2)" = $EINVAL ]
	dmesg | tail -n 5 | grep "address handle for datagrams refused: its GID [0-9]* is of RoCE v2, and ud_gid_type is v1\$"
}

# What the kernel's own users ask for, but for the answers of the general service interface
ud_of_kernel()
{
	local said

	need_cxr
	kverbs "$(driver_ibdev)" handle_v1
	if said=$(insmod "$KVERBS" "devices=$(driver_ibdev)" test=handle_v2 2>&1); then fail "a handle with a GID of v2 was made"; fi
	echo "$said"
	grep -q "Invalid" <<<"$said"
}

# The other version, with a device of both that ud_refuses() has left: it is for datagrams alone
ud_leaves_connections()
{
	local index

	need_cxr
	index=$(gid_index "$(driver_ibdev)" v2 "$(my_ip)")
	ibv_rc_pingpong -d "$(driver_ibdev)" -g "$index" -n 20 -c >/tmp/ud-rc &
	wait_until 20 tcp_listens 18515
	ibv_rc_pingpong -d "$(driver_ibdev)" -g "$index" -n 20 -c 127.0.0.1
	wait $!
	# rdma_cm takes v2, for its connection and for its own messages, which are datagrams
	ib_send_bw -d "$(driver_ibdev)" -R -F -s 1000 -n 10 >/tmp/ud-cm 2>&1 &
	wait_until 20 cm_listens ib_send_bw
	ib_send_bw -d "$(driver_ibdev)" -R -F -s 1000 -n 10 "$(my_ip)"
	wait $!
}

ud_corrected()
{
	need_cxr
	ud_ready 3 roce_mode=v2 ud_gid_type=v1
	dmesg | grep "for UD QPs" | tail -n 1 |
		grep "gid_type 0 for UD QPs is not supported by the device, gid_type 2 was chosen instead\$"
	ud_shown v1 v2 v1
	[ "$(make_ah v2)" = made ]
}

ud_words_refused()
{
	local value

	need_cxr
	driver_unload
	for value in v3 -1 4 v1v2; do
		word_refused "ud_gid_type=$value" "$value" "it is one of 0 or v1, 2 or v2, any"
	done
	word_refused ud_gid_type=1 1 "1 is v1.5 of MLNX_OFED 3.x"
	word_refused ud_gid_type=v1,v2 v1 "PCI address before it"
	[ ! -d /sys/module/cxr_core ]
}

ktap_plan 13
ktap_run "roce_mode=0 gives RoCE v1 entries only" mode_gives 0 v1 1 v1
ktap_run "roce_mode=2 gives RoCE v2 entries only" mode_gives 2 v2 1 v2
ktap_run "roce_mode=4 gives an entry of each type for each address" mode_gives 4 "v1 v2" 2 v1v2
ktap_run "a value that is none is refused by name, and 1 and 3 with both numberings" values_refused
ktap_run "a list gives each device its value, and reads back as it is" list_by_device
ktap_run "a device that a list does not name has the default" list_of_others
ktap_run "a list with a wrong word is refused, and the word is named" lists_refused
ktap_run "without ud_gid_type an address handle may have any GID" ud_default
ktap_run "ud_gid_type=v1, by list, refuses address handles with GIDs of v2, and the log says why" ud_refuses
ktap_run "so it does with those that the kernel makes" ud_of_kernel
ktap_run "connections of v2 and rdma_cm work all the same" ud_leaves_connections
ktap_run "ud_gid_type that roce_mode excludes is corrected, and a warning names both" ud_corrected
ktap_run "a value of ud_gid_type that is none is refused by name" ud_words_refused
ktap_end
