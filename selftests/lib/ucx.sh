# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash disable=SC2154
#
# UCX's own programs at both ends. To be sourced after window.sh, programs.sh and ends.sh. The device is $dev at both ends, the address of
# b in UCX_PEER.
#
#   ucx_up			here and on b, what the tests of ucx_perftest are
#   ucx_pair FRAMES SETTINGS...	run them; both ends have the settings, in which {gid} is $index, and $peer_index on b
#   ucx_selects TRANSPORT SETTINGS...	the same over RoCE v2; UCX says that it uses TRANSPORT
#   ucx_demo_starts OPTIONS...	io_demo with OPTIONS, and with UCX_DEMO at both ends: reads and writes of up to 1 MiB, whose contents
#				both ends check
#   ucx_demo_runs		does it still?
#   ucx_demo_ends		wait until it has; nothing was wrong

PERFTEST_PORT=13337	# ucx_perftest's own default
DEMO_PORT=1337
UCX_BATCH=/tmp/ucx-batch
demo_pid=
UCX_DEMO=

# ucx_perftest's tests: name, options. -w: iterations before the measurement, ten thousand by default
ucx_batch()
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

ucx_up()
{
	peer "$(declare -f ucx_batch); CXR_LONG=${CXR_LONG:-} ucx_batch >$UCX_BATCH"
	ucx_batch >$UCX_BATCH
}

ucx_pair()
{
	local frames=$1 settings

	shift
	settings="UCX_NET_DEVICES=$dev:1 $*"
	program_serves "tcp_listens $PERFTEST_PORT" \
		"env ${settings//'{gid}'/$peer_index} ucx_perftest -P 0 -b $UCX_BATCH"
	# shellcheck disable=SC2086
	window "$frames" program env ${settings//'{gid}'/$index} ucx_perftest -P 0 -b $UCX_BATCH "$UCX_PEER" >/tmp/ucx 2>&1 || {
		cat /tmp/ucx
		program_ends
		return 1
	}
	program_ends
	cat /tmp/ucx
	# each test has a result
	[ "$(grep -c '^Final:' /tmp/ucx)" = "$(wc -l <$UCX_BATCH)" ]
}

# What the transport is called in UCX's messages: the settings had an effect
ucx_selects()
{
	local transport=$1

	shift
	ucx_pair "type=v2/IPv4" UCX_LOG_LEVEL=info "$@"
	grep -q "$transport/$dev:1" /tmp/ucx
}

ucx_demo_starts()
{
	local both="env UCX_NET_DEVICES=$dev:1 io_demo -q -d 1:1048576 $UCX_DEMO"

	rm -f /tmp/demo
	program_serves "tcp_listens $DEMO_PORT" "$both"
	# shellcheck disable=SC2086
	program $both -o read,write "$@" "$UCX_PEER" >/tmp/demo 2>&1 &
	demo_pid=$!
}

ucx_demo_runs() { kill -0 "$demo_pid"; }

ucx_demo_ends()
{
	wait "$demo_pid" || {
		tail -n 40 /tmp/demo
		program_ends | tail -n 40
		return 1
	}
	program_ends >>/tmp/demo
	tail -n 12 /tmp/demo
	grep -q "Client exit with status '\(OK\|run-time exceeded\)'" /tmp/demo
	must_fail grep -i 'mismatch\|corrupt\|verification' /tmp/demo
}
