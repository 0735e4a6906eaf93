#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The module parameters roce_mode and ud_gid_type, for all devices and in lists: the GID table, which address handles can be
# created, and which values are refused. Cards that have one version alone.
# guests: 1
# takes: 60
# turn: yes
# drivers: cxr
# timeout: 300
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/kverbs.sh"

first_bdf() { driver_bdfs | head -n 1; }

# GID types in the table of the first device, sorted: v1 v2
table_types()
{
	cat /sys/class/infiniband/"$(driver_ibdev)"/ports/1/gid_attrs/types/* 2>/dev/null | sed 's/.* //' | sort -u | xargs
}

entries() { cat /sys/class/infiniband/"$(driver_ibdev)"/ports/1/gid_attrs/types/* 2>/dev/null | wc -l; }

has_entries() { [ "$(entries)" -ge "$1" ]; }

# Load the driver with these PARAMETERS, and wait for ENTRIES in the GID table
loaded() # ENTRIES [PARAMETERS...]
{
	emu fault clear
	driver_load "${@:2}"
	driver_net_up
	wait_until 20 has_entries "$1"
}

unloaded() { driver_unload; }

V1=1 V2=4	# bits of the capability

# The same on a card that has the RoCE VERSIONS alone, with the 3 entries of one of them
on_card() # VERSIONS [PARAMETERS...]
{
	driver_unload
	emu fault clear
	emu fault "$CXR_GUEST" cap roce_cap.roce_version "$1"
	echo "roce_mode.sh: another card" >/dev/kmsg
	driver_load "${@:2}"
	# another card needs the driver to be loaded again, even with the same parameters
	echo "on a card with RoCE versions $1" >"$DRIVER_STATE"
	driver_net_up
	wait_until 20 has_entries 3
}

clean_up() { driver_unload; emu fault clear; }

# The table has exactly the types $1 for each address (the default GID, one IPv4 and one IPv6 address); sysfs shows $2
mode_gives()
{
	local types

	read -ra types <<<"$1"
	echo "types: $(table_types), entries: $(entries)"
	[ "$(table_types)" = "$1" ]
	[ "$(entries)" = $((3 * ${#types[@]})) ]
	[ "$(cat /sys/module/cxr_core/parameters/roce_mode)" = "$2" ]
}

# Users configure GID indices
first_indices() # INDEX-OF-THE-ADDRESS
{
	local dev

	dev=$(driver_ibdev)
	grep ^fe80: "/sys/class/infiniband/$dev/ports/1/gids/0"
	[ "$(gid_index "$dev" v2 "$(my_ip)")" = "$1" ]
}

# The parameter $1 is refused, and the log names the invalid word $2 and has $3
word_refused()
{
	must_fail insmod "$CXR_MODULES/cxr_core.ko" "$1"
	dmesg | grep -F -- "cxr_core: $1: '$2' is refused: " | tail -n 1 | grep -F -- "$3"
}

# A refused value prevents loading the module
values_refused()
{
	local value

	for value in v3 -1 both 22; do
		word_refused "roce_mode=$value" "$value" "must be one of 0 or v1, 2 or v2, 4 or v1v2"
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

	bdf=$(first_bdf)
	word_refused "roce_mode=$bdf-2,$bdf-0" "$bdf" twice
	word_refused "roce_mode=$bdf-2,${bdf#0000:}-2" "${bdf#0000:}" twice
	word_refused "roce_mode=$bdf-2,4" 4 "PCI address before each value"
	word_refused "roce_mode=$bdf-1" 1 "two numberings"
	word_refused "roce_mode=$bdf-2;2" "$bdf-2;2" "one port"
	[ ! -d /sys/module/cxr_core ]
}

# The last log line about the mode of DEVICE
mode_logged() { dmesg | grep "cxr_core $1: .*device is working in RoCE mode" | tail -n 1; }

# A list with this device and one that does not exist
listed() { loaded 3 "roce_mode=0001:ff:1f.7-v1,$(first_bdf)-0x2"; }

list_by_device()
{
	[ "$(table_types)" = v2 ]
	[ "$(cat /sys/module/cxr_core/parameters/roce_mode)" = "0001:ff:1f.7-v1,$(first_bdf)-v2" ]
	mode_logged "$(first_bdf)" | grep 'mode: Roce V2$'
	must_fail sh -c "echo v1 >/sys/module/cxr_core/parameters/roce_mode"
}

list_of_others()
{
	[ "$(table_types)" = "v1 v2" ]
	mode_logged "$(first_bdf)" | grep 'Roce V1/V2$'
}

# The warning about roce_mode, if there is one
mode_warning() { kernel_log_of_load | sed -n 's/.*: \(roce_mode .* requested, .*\)/\1/p'; }

kernel_log_of_load() { dmesg | tac | sed '/roce_mode.sh: another card/q' | tac; }

# The card granted $1, logged as $2; the log has the warning $3, or none
card_grants()
{
	local bdf

	bdf=$(first_bdf)
	echo "types: $(table_types), entries: $(entries), warning: $(mode_warning)"
	[ "$(table_types)" = "$1" ]
	[ "$(entries)" = 3 ]
	mode_logged "$bdf" | grep "mode: Roce $2\$"
	[ "$(devlink dev param show "pci/$bdf" name roce_mode | sed -n "s/.*cmode runtime value //p")" = "$1" ]
	[ "$(mode_warning)" = "${3:-}" ]
	[ "$(make_ah "$1")" = made ]
	no_violation
}

# ---- ud_gid_type -----------------------------------------------------------------------------------

# Create an address handle with the first GID of type $1 for my address: prints "made", or the errno
make_ah() { run_python selftests/lib/make_ah.py "$(driver_ibdev)" "$(gid_index "$(driver_ibdev)" "$1" "$(my_ip)")"; }

EINVAL=22

# Log and devlink show $1 as requested and $2 as granted; sysfs shows the parameter $3
ud_shown()
{
	local bdf

	bdf=$(first_bdf)
	[ "$(cat /sys/module/cxr_core/parameters/ud_gid_type)" = "$3" ]
	dmesg | grep "UD QP Gid type is" | tail -n 1 | grep -i "cxr_core $bdf: UD QP Gid type is: $2\$"
	[ "$(devlink dev param show "pci/$bdf" name ud_gid_type | sed -n "s/.*cmode runtime value //p")" = "$2" ]
	[ "$(devlink dev param show "pci/$bdf" name ud_gid_type | sed -n "s/.*cmode driverinit value //p")" = "$1" ]
}

ud_default()
{
	ud_shown any any any
	[ "$(make_ah v1)" = made ]
	[ "$(make_ah v2)" = made ]
}

# A list that also names a device that does not exist
ud_list() { echo "0001:ff:1f.7-v2,$(first_bdf)-$1"; }
ud_of_v1() { loaded 6 "ud_gid_type=$(ud_list 0)"; }

refusals() { dmesg | grep -c "address of python3\[[0-9]*\] refused: its GID [0-9]* is of RoCE v2, and ud_gid_type is v1\$"; }

ud_refuses()
{
	local before

	ud_shown v1 v1 "$(ud_list v1)"
	before=$(refusals) || true
	[ "$(make_ah v1)" = made ]
	[ "$(refusals)" = "$before" ]
	[ "$(make_ah v2)" = $EINVAL ]
	dmesg | grep "address of" | tail -n 1
	[ "$(refusals)" = $((before + 1)) ]
}

# Address handles of kernel ULPs, other than those of the GSI
ud_of_kernel()
{
	local said

	kverbs "$(driver_ibdev)" handle_v1
	if said=$(insmod "$KVERBS" "devices=$(driver_ibdev)" test=handle_v2 2>&1); then fail "an address handle with a v2 GID was created"; fi
	echo "$said"
	grep -q "Invalid" <<<"$said"
}

# Connections may use the other version: the parameter is only for datagrams
ud_leaves_connections()
{
	local index

	index=$(gid_index "$(driver_ibdev)" v2 "$(my_ip)")
	ibv_rc_pingpong -d "$(driver_ibdev)" -g "$index" -n 20 -c >/tmp/ud-rc &
	wait_until 20 tcp_listens 18515
	ibv_rc_pingpong -d "$(driver_ibdev)" -g "$index" -n 20 -c 127.0.0.1
	wait $!
	# rdma_cm uses v2, for its connection and for its own messages, which are datagrams
	rping -s -a "$(my_ip)" -C 10 -V >/tmp/ud-cm 2>&1 &
	wait_until 20 cm_listens rping
	rping -c -a "$(my_ip)" -C 10 -V
	wait $!
}

ud_corrected()
{
	dmesg | grep "for UD QPs" | tail -n 1 |
		grep "gid_type 0 for UD QPs is not supported by the device, gid_type 2 was chosen instead\$"
	ud_shown v1 v2 v1
	[ "$(make_ah v2)" = made ]
}

ud_of_card()
{
	kernel_log_of_load | grep "gid_type 2 for UD QPs is not supported by the device, gid_type 0 was chosen instead\$"
	ud_shown v2 v1 v2
	[ "$(make_ah v1)" = made ]
}

ud_words_refused()
{
	local value

	for value in v3 -1 4 v1v2; do
		word_refused "ud_gid_type=$value" "$value" "must be one of 0 or v1, 2 or v2, any"
	done
	word_refused ud_gid_type=1 1 "1 is v1.5 of MLNX_OFED 3.x"
	word_refused ud_gid_type=v1,v2 v1 "PCI address before each value"
	[ ! -d /sys/module/cxr_core ]
}

ktap_setup unloaded
ktap_test value.refused "an unknown value is refused, 1 and 3 with both numberings explained" values_refused
ktap_test list.refused "a list with an invalid word is refused, and the word is named" lists_refused
ktap_test ud.value.refused "an unknown value of ud_gid_type is refused" ud_words_refused
ktap_setup loaded 3 roce_mode=0
ktap_test mode.0 "roce_mode=0 gives RoCE v1 entries only" mode_gives v1 v1
ktap_setup loaded 3 roce_mode=2
ktap_test mode.2 "roce_mode=2 gives RoCE v2 entries only" mode_gives v2 v2
ktap_test mode.2.index "roce_mode=2: the default GID has index 0, the first address index 1" first_indices 1
ktap_setup loaded 6 roce_mode=4
ktap_test mode.4 "roce_mode=4 gives an entry of each type for each address" mode_gives "v1 v2" v1v2
ktap_test mode.4.index "roce_mode=4: the first address has indices 2 and 3" first_indices 3
ktap_test ud.default "without ud_gid_type an address handle may use any GID" ud_default
ktap_setup listed
ktap_test list.by-device "a list sets the value of each device, and reads back in canonical form" list_by_device
ktap_setup loaded 6 roce_mode=0001:ff:1f.7-v1
ktap_test list.of-others "a device that is not in the list has the default" list_of_others
ktap_setup ud_of_v1
ktap_test ud.refuses "ud_gid_type=v1 in a list refuses address handles with v2 GIDs, and logs why" ud_refuses
ktap_test ud.kernel "ud_gid_type applies to address handles of the kernel" ud_of_kernel
ktap_test ud.connections "ud_gid_type affects neither connections nor rdma_cm" ud_leaves_connections
ktap_setup loaded 3 roce_mode=v2 ud_gid_type=v1
ktap_test ud.corrected "ud_gid_type that roce_mode excludes is corrected, with a warning" ud_corrected
ktap_setup on_card $V1
ktap_test card.v1 "a card with RoCE v1 alone: v1, and a warning that there is no v2" card_grants v1 V1 "roce_mode v1v2 requested, device supports v1: granted v1"
ktap_setup on_card $V1 roce_mode=v1
ktap_test card.v1.asked "a card with RoCE v1 alone and roce_mode=v1: no warning" card_grants v1 V1
ktap_setup on_card $V1 roce_mode=v2
ktap_test card.v1.other "a card with RoCE v1 alone and roce_mode=v2: v1 and a warning" card_grants v1 V1 "roce_mode v2 requested, device supports v1: granted v1"
ktap_setup on_card $V2
ktap_test card.v2 "a card with RoCE v2 alone: v2, and a warning that there is no v1" card_grants v2 V2 "roce_mode v1v2 requested, device supports v2: granted v2"
ktap_setup on_card $V2 roce_mode=v1
ktap_test card.v2.other "a card with RoCE v2 alone and roce_mode=v1: v2 and a warning" card_grants v2 V2 "roce_mode v1 requested, device supports v2: granted v2"
ktap_setup on_card $V1 ud_gid_type=v2
ktap_test card.ud "ud_gid_type that the card excludes is corrected, with a warning" ud_of_card
ktap_finally clean_up
ktap_end
