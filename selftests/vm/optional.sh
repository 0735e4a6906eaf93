#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Optional counters: what users enable by "rdma statistic", and flow tables of RoCE packets then count. counters.sh has the others.
# guests: 1
# card: cx6dx
# ledger: yes
# takes: 28
# drivers: cxr mlx5
. "$(dirname "$0")/../lib/ktap.sh"

probe=$(dirname "$0")/counters_probe.py
names=(cc_rx_ce_pkts cc_rx_cnp_pkts cc_tx_cnp_pkts)

before_each()
{
	driver_up
	dev=$(driver_ibdev)
	enable ""
}

enable() # [NAMES, with commas]: these alone
{
	if rdma statistic mode link "$dev/1" | grep -q cc_; then rdma statistic unset link "$dev/1" optional-counters; fi
	[ -z "$1" ] || rdma statistic set link "$dev/1" optional-counters "$1"
}

shown() # COUNTER: its value, or -
{
	rdma statistic show link "$dev/1" | awk -v name="$1" '{ for (i = 1; i < NF; i++) if ($i == name) value = $(i + 1) }
		END { print value == "" ? "-" : value }'
}

event() # ROW of counters_probe.py, which checks the other counters
{
	run_python "$probe" run "$1" "$dev" "$(gid_index "$dev" v2 "$(my_ip)")" "$(driver_netdev)"
}

count_is() # WANTED..., of $names
{
	local is=()

	is=("$(shown "${names[0]}")" "$(shown "${names[1]}")" "$(shown "${names[2]}")")
	echo "${names[*]}: ${is[*]}"
	[ "${is[*]}" = "$*" ]
}

listed()
{
	local name

	rdma statistic mode supported link "$dev/1" | tr -d '\n\t ' | tee /dev/stderr | grep -q "supportedoptional-counters$(IFS=,; echo "${names[*]}")"
	lacks cc_ rdma statistic mode link "$dev/1"
	for name in "${names[@]}"; do
		[ ! -e "/sys/class/infiniband/$dev/ports/1/hw_counters/$name" ]
	done
	count_is - - -
}

counted()
{
	enable cc_rx_ce_pkts,cc_rx_cnp_pkts,cc_tx_cnp_pkts
	count_is 0 0 0
	event ecn
	count_is 1 1 1
	event cnp
	count_is 1 2 1
	event cnp-marked
	count_is 2 2 1
	event write
	count_is 2 2 1
}

one_alone()
{
	enable cc_rx_cnp_pkts
	event ecn
	count_is - 1 -
	enable cc_tx_cnp_pkts
	event ecn
	count_is - - 1
	enable cc_rx_cnp_pkts,cc_tx_cnp_pkts
	event ecn
	count_is - 1 1
}

until_disabled()
{
	enable cc_rx_ce_pkts,cc_rx_cnp_pkts
	event ecn
	enable cc_rx_ce_pkts
	event ecn
	count_is 1 - -
	enable ""
	count_is - - -
	event ecn
}

refused()
{
	must_fail rdma statistic set link "$dev/1" optional-counters cc_rx_ce_pkts,no_such_counter
	must_fail rdma statistic set link "$dev/1" optional-counters rx_write_requests
	count_is - - -
}

flow_objects() { emu status | grep -m 1 "objects: " | grep -o "[0-9]* FLOW_[A-Z]*"; }

# The device does not let go of an entry, then of a group: the counter counts on, and can be disabled and enabled afterwards,
# and nothing is left
kept() # COMMAND COUNTS
{
	local before

	before=$(flow_objects)
	enable cc_rx_ce_pkts
	emu fault "$CXR_GUEST" command "$1" status bad_res nth="$2" >/dev/null
	rdma statistic unset link "$dev/1" optional-counters || true
	[ "$1" = destroy_flow_group ] || count_is 0 - -
	event ecn
	[ "$1" = destroy_flow_group ] || count_is 1 - -
	emu fault clear >/dev/null
	enable ""
	count_is - - -
	enable cc_rx_ce_pkts
	event ecn
	count_is 1 - -
	enable ""
	[ "$(flow_objects)" = "$before" ] || fail "before: $before; after: $(flow_objects)"
}

unbound()
{
	enable cc_rx_ce_pkts,cc_rx_cnp_pkts,cc_tx_cnp_pkts
	event ecn
	driver_unload
	device_is_clean
	driver_up
	dev=$(driver_ibdev)
	count_is - - -
}

ktap_test listed "three counters can be enabled, and are not shown before" listed
# changes: cc_rx_ce_pkts cc_rx_cnp_pkts cc_tx_cnp_pkts
ktap_test counted "they count packets marked as congested, and CNPs received and sent" counted
ktap_test alone "each counts without the others" one_alone
ktap_test disabled "one that is disabled does not count, and begins at 0 again" until_disabled
ktap_test refused "a counter that is none of them cannot be enabled" refused
ktap_test kept.entry "an entry that the device does not let go of: the counter counts on" kept delete_fte 2
ktap_test kept.group "a group that the device does not let go of is used again" kept destroy_flow_group 1
ktap_test unbound "the driver unloads while they are enabled, and nothing is left in the device" unbound
ktap_end
