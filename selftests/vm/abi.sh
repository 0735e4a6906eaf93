#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Requests that no library makes are refused, each with the right error, and leave nothing behind.
# guests: 1
# drivers: cxr mlx5
# timeout: 600
. "$(dirname "$0")/../lib/ktap.sh"

probe=$(dirname "$0")/abi_probe.py

nothing_left()
{
	must_fail grep -q python3 <(rdma resource show qp)
	driver_unload
	device_is_clean
}

driver_load || exit 1
driver_net_up || exit 1
mapfile -t cases < <(python3 -B "$probe" list)
[ ${#cases[@]} -gt 0 ] || exit 1

ktap_plan $((${#cases[@]} + 1))
for line in "${cases[@]}"; do
	read -r number sentence <<<"$line"
	ktap_run "$sentence" python3 -B "$probe" "$number"
done
ktap_run "nothing is left of all that" nothing_left
ktap_end
