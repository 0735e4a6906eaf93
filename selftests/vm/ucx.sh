#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# UCX over the device, as Debian builds it: each of its transports, what it selects by itself, both RoCE versions; ucx_perftest for the
# operations, io_demo for the data.
# guests: 2
# card: cx5,devx
# takes: 60
# turn: yes
# kernels: 6.1 6.12 7.2
# drivers: cxr mlx5
# timeout: 500
# long: 1200
# windows: yes
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/window.sh"
. "$(dirname "$0")/../lib/programs.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"
. "$(dirname "$0")/../lib/ucx.sh"

ready()
{
	programs_up
	ends_up 4200
	ucx_up
}

before_each()
{
	ends_know
	# shellcheck disable=SC2034
	UCX_PEER=$(peer_ip)
}

defaults() { ucx_selects rc_mlx5; }

by_version() # v1|v2|v6 FRAMES
{
	# shellcheck disable=SC2034
	local index=${gid[$1]} peer_index=${peer_gid[$1]}

	ucx_pair "$2" 'UCX_IB_GID_INDEX={gid}'
}

demo_runs()
{
	ucx_demo_starts -i 200
	ucx_demo_ends
}

demo() # [OPTIONS OF BOTH ENDS]
{
	# shellcheck disable=SC2034
	UCX_DEMO=$*
	window "type=v2/IPv4" demo_runs
}

transports()
{
	program ucx_info -d >/tmp/info
	awk -v dev="$dev:1" '/Transport:/ { t = $3 } /Device:/ && $3 == dev { print t }' /tmp/info | sort | xargs >/tmp/transports
	cat /tmp/transports
	[ "$(</tmp/transports)" = "dc_mlx5 rc_mlx5 rc_verbs ud_mlx5 ud_verbs" ]
}

# The other end is killed with messages on the way: an error, no hang, and nothing is left of it
killed()
{
	local both="env UCX_NET_DEVICES=$dev:1 io_demo -d 65536:65536" client

	program_serves "tcp_listens $DEMO_PORT" "$both"
	# shellcheck disable=SC2086
	program $both -o read,write -i 1000000000 -c 1 "$(peer_ip)" >/tmp/demo 2>&1 &
	client=$!
	wait_until 30 grep -q ' | read [1-9]' /tmp/demo || { tail -n 20 /tmp/demo; return 1; }
	peer "pkill -KILL -x io_demo"
	wait $client || true
	tail -n 12 /tmp/demo
	program_ends
	programs_left_nothing
}

ktap_setup ready
ktap_test transports "UCX finds the transports that it has over ConnectX" transports
ktap_test defaults "without a setting UCX selects RoCE v2 and rc_mlx5: messages, streams, RDMA and atomics" defaults
ktap_test ud.verbs "ud_verbs: the same" ucx_selects ud_verbs UCX_TLS=ud_v
ktap_test dc.devx "dc_mlx5, with objects that it makes by DEVX: the same" ucx_selects dc_mlx5 UCX_TLS=dc_x
ktap_test dc.verbs "dc_mlx5, with objects of verbs: the same" ucx_selects dc_mlx5 UCX_TLS=dc_x UCX_IB_MLX5_DEVX=n
ktap_test v1 "over RoCE v1" by_version v1 "type=v1"
ktap_test data.tags "io_demo: reads and writes arrive intact" demo
ktap_test killed "the other end is killed: an error, and nothing is left" killed
if [ -n "${CXR_LONG:-}" ]; then
	ktap_test rc.verbs "rc_verbs: messages, streams, RDMA and atomics" ucx_selects rc_verbs UCX_TLS=rc_v
	ktap_test rc.mlx5 "rc_mlx5: the same" ucx_selects rc_mlx5 UCX_TLS=rc_x
	ktap_test dc.mlx5 "dc_mlx5: the same" ucx_selects dc_mlx5 UCX_TLS=dc_x
	ktap_test ud.mlx5 "ud_mlx5: the same" ucx_selects ud_mlx5 UCX_TLS=ud_x
	ktap_test v6 "over RoCE v2 with IPv6" by_version v6 "type=v2/IPv6"
	ktap_test data.messages "io_demo: reads and writes with active messages" demo -A
fi
ktap_finally programs_down
ktap_end
