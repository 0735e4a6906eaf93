#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Verbs objects beyond plain QPs, with stock libraries: SRQs, atomics, reregistered MRs, memory windows,
# QP states, flushing. Both ends of each connection are on this device.
# guests: 1
# ledger: yes
# cpus: 2
# numbers: reuse
# takes: 80
# timeout: 600
. "$(dirname "$0")/../lib/ktap.sh"
. "$KTAP_DIR/rows.sh"

here=$(dirname "$0")
probe=("$here/objects.py" "$here/objects_memory.py" "$here/objects_errors.py" "$here/objects_numbers.py")

ready()
{
	driver_up 4200
	rows_agree "${probe[@]}"
}

object() # ID
{
	local dev

	dev=$(driver_ibdev)
	run_python "${probe[0]}" run "$1" "$dev" "$(gid_index "$dev" v2 "$(my_ip)")" || exit
}

# Make the UMR of the reregistration fail: this test has no other
failed_change()
{
	[ "$CXR_DRIVER" != cxr ] || [ -c "${CXR_EMU_PORT:-}" ] || skip "no emulator: not a guest of scripts/vm"
	if [ "$CXR_DRIVER" = cxr ]; then
		trap 'emu fault clear' EXIT
		emu fault "$CXR_GUEST" request umr error local_prot
	fi
	object "$1"
	emu fault list
	[ "$(emu fault list | awk '/request umr/ { print $NF }')" = 1 ]
}

violations() { if [ -c "${CXR_EMU_PORT:-}" ]; then emu status | grep '^violations:'; fi; }

# A query of a destroyed QP is a violation
listed()
{
	local before

	before=$(violations)
	object "$1"
	[ "$(violations)" = "$before" ]
}

# The card gives the lowest free number (numbers: above)
number()
{
	[ -c "${CXR_EMU_PORT:-}" ] || skip "no emulator: not a guest of scripts/vm"
	ktap_allows 'missed event, recovered by polling'
	object "$1"
}

ktap_setup ready
while IFS=$'\t' read -r id sentence; do
	case $id in
	mr.new-key) ktap_test "$id" "$sentence" failed_change "$id" ;;
	listed) ktap_test "$id" "$sentence" listed "$id" ;;
	number.*) ktap_test "$id" "$sentence" number "$id" ;;
	*) ktap_test "$id" "$sentence" object "$id" ;;
	esac
done < <(rows_list "${probe[@]}")
[ ${#KTAP_IDS[@]} -gt 0 ] || exit 1
ktap_end
