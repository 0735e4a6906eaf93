#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# UCX over the device, as Debian builds it: each of its transports, what it selects by itself, both RoCE versions; ucx_perftest for the
# operations, io_demo for the data.
# guests: 2
# takes: 60
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

PERFTEST_PORT=13337	# ucx_perftest's own default
DEMO_PORT=1337
BATCH=/tmp/ucx-batch

# ucx_perftest's tests: name, options. -w: iterations before the measurement, ten thousand by default
batch()
{
	local op size

	for op in tag_lat tag_sync_lat ucp_am_lat stream_lat ucp_put_lat; do
		for size in ${CXR_LONG:+1 1000 8192} 64; do echo "$op-$size -t $op -s $size -n 50 -w 5"; done
	done
	for op in tag_bw ucp_am_bw stream_bw ucp_put_bw ucp_get; do
		for size in ${CXR_LONG:+4096 1048576} 65536; do echo "$op-$size -t $op -s $size -n 20 -w 2"; done
	done
	for op in ucp_add ucp_fadd ucp_swap ucp_cswap; do
		for size in ${CXR_LONG:+4} 8; do echo "$op-$size -t $op -s $size -n 50 -w 5"; done
	done
}

ready()
{
	programs_up
	ends_up 4200
	peer "$(declare -f batch); CXR_LONG=${CXR_LONG:-} batch >$BATCH"
	batch >$BATCH
}

before_each() { ends_know; }

# Both ends have the settings; {gid} is each end's index
pair() # FRAMES SETTINGS...
{
	local frames=$1 settings

	shift
	settings="UCX_NET_DEVICES=$dev:1 $*"
	program_serves "tcp_listens $PERFTEST_PORT" \
		"env ${settings//'{gid}'/$peer_index} ucx_perftest -P 0 -b $BATCH"
	# shellcheck disable=SC2086
	window "$frames" program env ${settings//'{gid}'/$index} ucx_perftest -P 0 -b $BATCH "$(peer_ip)" >/tmp/ucx 2>&1 || {
		cat /tmp/ucx
		program_ends
		return 1
	}
	program_ends
	cat /tmp/ucx
	# each test has a result
	[ "$(grep -c '^Final:' /tmp/ucx)" = "$(wc -l <$BATCH)" ]
}

# What the transport is called in UCX's messages: the settings had an effect
selects() # TRANSPORT SETTINGS...
{
	local transport=$1

	shift
	pair "type=v2/IPv4" UCX_LOG_LEVEL=info "$@"
	grep -q "$transport/$dev:1" /tmp/ucx
}

defaults() { selects 'rc_mlx5'; }

by_version() # v1|v2|v6 FRAMES
{
	local index=${gid[$1]} peer_index=${peer_gid[$1]}

	pair "$2" 'UCX_IB_GID_INDEX={gid}'
}

# Reads and writes of up to 1 MiB with contents that both ends check
data() # OPTIONS...
{
	local both="env UCX_NET_DEVICES=$dev:1 io_demo -q -d 1:1048576 $*"

	program_serves "tcp_listens $DEMO_PORT" "$both"
	# shellcheck disable=SC2086
	window "type=v2/IPv4" program $both -o read,write -i 200 "$(peer_ip)" >/tmp/demo 2>&1 || {
		tail -n 40 /tmp/demo
		program_ends | tail -n 40
		return 1
	}
	program_ends >>/tmp/demo
	tail -n 12 /tmp/demo
	grep -q "Client exit with status 'OK'" /tmp/demo
	must_fail grep -i 'mismatch\|corrupt\|verification' /tmp/demo
}

transports()
{
	program ucx_info -d >/tmp/info
	awk -v dev="$dev:1" '/Transport:/ { t = $3 } /Device:/ && $3 == dev { print t }' /tmp/info | sort | xargs >/tmp/transports
	cat /tmp/transports
	[ "$(</tmp/transports)" = "rc_mlx5 rc_verbs ud_mlx5 ud_verbs" ]
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
ktap_test transports "UCX finds the transports that it has over ConnectX without DEVX" transports
ktap_test defaults "without a setting UCX selects RoCE v2 and rc_mlx5: messages, streams, RDMA and atomics" defaults
ktap_test ud.verbs "ud_verbs: the same" selects ud_verbs UCX_TLS=ud_v
ktap_test v1 "over RoCE v1" by_version v1 "type=v1"
ktap_test data.tags "io_demo: reads and writes arrive intact" data
ktap_test killed "the other end is killed: an error, and nothing is left" killed
if [ -n "${CXR_LONG:-}" ]; then
	ktap_test rc.verbs "rc_verbs: messages, streams, RDMA and atomics" selects rc_verbs UCX_TLS=rc_v
	ktap_test rc.mlx5 "rc_mlx5: the same" selects rc_mlx5 UCX_TLS=rc_x
	ktap_test ud.mlx5 "ud_mlx5: the same" selects ud_mlx5 UCX_TLS=ud_x
	ktap_test v6 "over RoCE v2 with IPv6" by_version v6 "type=v2/IPv6"
	ktap_test data.messages "io_demo: reads and writes with active messages" data -A
fi
ktap_finally programs_down
ktap_end
