# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# A function that changes its driver. Needs ends.sh.

# Frames of full length, and data by RDMA
# shellcheck disable=SC2154	# of ends_know
works() # DRIVER
{
	driver_net_up 1500
	reachable
	ping -q -i 0.05 -c 3 -W 2 -M "do" -s 1472 "$(peer_ip)" || fail "$1: no frames of full length"
	wait_until 20 gid_index "$dev" v2 "$(my_ip)" >/dev/null
	ends_pingpong 20 || fail "$1: no data by RDMA"
}
