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
	ends_serve "ibv_rc_pingpong -d $peer_dev" "-g ${peer_gid[v2]} -n 20"
	timeout $((60 * ${CXR_PATIENCE:-1})) ibv_rc_pingpong -d "$dev" -g "$(gid_index "$dev" v2 "$(my_ip)")" -n 20 -p "$PP_PORT" "$(peer_ip)" ||
		fail "$1: no data by RDMA"
	peer_wait servers
}
