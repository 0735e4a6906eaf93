#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Keys of MRs: the driver keeps those of deregistered MRs for the next ones, which then cost no command. No old key becomes
# valid by that.
# guests: 1
# drivers: cxr
# takes: 60
. "$(dirname "$0")/../lib/ktap.sh"
. "$KTAP_DIR/rows.sh"

probe=$(dirname "$0")/mr_keys.py
KEPT_MAX=1024		# of drivers/ib/mkey.c
UMR_PAGES=2048		# most pages of a key that is kept

ready()
{
	driver_up 4200
	[ -c "${CXR_EMU_PORT:-}" ] || return 0
	# Keys that the tests need are kept from now on
	run_python "$probe" many "$(driver_ibdev)" 4
	rows_agree "$probe"
}

need_emulator() { [ -c "${CXR_EMU_PORT:-}" ] || skip "no emulator: not a guest of scripts/vm"; }

object() # ID
{
	local dev

	dev=$(driver_ibdev)
	run_python "$probe" run "$1" "$dev" "$(gid_index "$dev" v2 "$(my_ip)")" || exit
}

# CREATE_MKEY and DESTROY_MKEY commands of mr_keys.py with these words, as "N M"
commands_of() # WORDS...
{
	local create destroy

	create=$(commands_sent create_mkey) destroy=$(commands_sent destroy_mkey)
	run_python "$probe" "$1" "$(driver_ibdev)" "${@:2}" || fail "mr_keys.py $*"
	echo "$(($(commands_sent create_mkey) - create)) $(($(commands_sent destroy_mkey) - destroy))"
}

expect_commands() # "N M" WORDS...
{
	local got

	got=$(commands_of "${@:2}")
	[ "$got" = "$1" ] || fail "mr_keys.py ${*:2}: $got commands, not $1"
}

# 20 times each: a list with room for 8 pages, one for 16, and the largest
kept_sizes()
{
	need_emulator
	commands_of cycle 1 1 9 $UMR_PAGES >/dev/null
	expect_commands "0 0" cycle 20 1 8 9 16 $UMR_PAGES
}

large()
{
	need_emulator
	expect_commands "2 2" cycle 2 $((UMR_PAGES + 1))
}

mkeys() { emu status | sed -n 's/^ *objects: .* \([0-9]*\) mkey.*/\1/p'; }

limit()
{
	local before

	need_emulator
	before=$(mkeys)
	run_python "$probe" many "$(driver_ibdev)" $((KEPT_MAX + 100))
	[ "$(mkeys)" -le $((before + KEPT_MAX)) ] || fail "$(mkeys) mkeys, $before before"
	[ "$(mkeys)" -ge $KEPT_MAX ] || fail "$(mkeys) mkeys: not kept"
}

# 1 key of another size, 20 times
replaced()
{
	need_emulator
	run_python "$probe" many "$(driver_ibdev)" $((KEPT_MAX + 10))
	commands_of cycle 1 100 >/dev/null
	expect_commands "0 0" cycle 20 100
}

# The work request fails, so all kept keys go; the MR is registered and deregistered by commands
umr_fails() # NTH
{
	need_emulator
	run_python "$probe" cycle "$(driver_ibdev)" 1 1
	trap 'emu fault clear' EXIT
	emu fault "$CXR_GUEST" request umr error local_prot "nth=$1"
	run_python "$probe" cycle "$(driver_ibdev)" 2 1
	[ "$(emu fault list | awk '/request umr/ { print $NF }')" = 1 ]
	emu fault clear
	no_violation
	object revoked
}

# The keys are destroyed with the device
unbound()
{
	need_emulator
	ktap_spoilt
	run_python "$probe" many "$(driver_ibdev)" 20
	driver_unload
	no_violation
}

ktap_setup ready
ktap_test kept "MRs of sizes that were used before cost no commands" kept_sizes
ktap_test large "MRs of more pages than UMR takes are registered by commands" large
while IFS=$'\t' read -r id sentence; do
	ktap_test "$id" "$sentence" object "$id"
done < <(rows_list "$probe")
ktap_test fails.reg "an MR is registered by commands if the UMR fails" umr_fails 1
ktap_test fails.dereg "an MR is deregistered by commands if the UMR fails" umr_fails 2
ktap_test limit "the number of kept keys is limited" limit
ktap_test replaced "keys of another size take the place of the oldest ones" replaced
ktap_test unload "kept keys are destroyed when the driver goes" unbound
ktap_end
