#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Invalid uverbs requests, which no library sends, are refused with the right error and leave nothing behind.
# guests: 1
# takes: 30
# drivers: cxr mlx5
# timeout: 600
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/obey.sh"

probe=$(dirname "$0")/abi_probe.py

ready()
{
	driver_load
	driver_net_up
	obey_start abi python3 -B "$probe" obey
}

# Also after requests that fail half-way; sends two itself, as it may run alone
nothing_left()
{
	obey abi cq.db.nowhere
	obey abi raw
	obey_stop abi
	lacks python3 rdma resource show qp
	driver_unload
	device_is_clean
}

ktap_setup ready
ktap_rows obey abi < <(python3 -B "$probe" list)
ktap_test nothing.left "no object is left in the device" nothing_left
ktap_finally obey_stop abi
ktap_end
