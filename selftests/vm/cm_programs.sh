#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The programs of rdmacm-utils, sockets over RDMA (rsockets) and qperf: all of them connect by rdma_cm.
# guests: 2
# takes: 40
# turn: yes
# kernels: 6.1 6.12 7.2
# drivers: cxr mlx5
# timeout: 500
# long: 900
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/programs.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

PRELOAD=/usr/lib/x86_64-linux-gnu/rsocket/librspreload.so
QPERF_PORT=19765
CONNECTIONS=${CXR_LONG:+1000}
CONNECTIONS=${CONNECTIONS:-200}

before_each() { ends_know; }

# COMMAND here, with SERVER on b, which ends with it; what stands before " -- " in SERVER runs the program that listens
served() # "SERVER" COMMAND...
{
	local server=$1 code=0

	shift
	program_serves "$(declare -f listens); listens $(sed 's/^env [^ ]* //; s/.* -- //; s/ .*//' <<<"$server")" "$server"
	program "$@" >/tmp/program 2>&1 || code=$?
	cat /tmp/program
	[ $code = 0 ] || peer_kill program
	peer_wait program >/tmp/served || [ $code != 0 ] || code=1
	cat /tmp/served
	return $code
}

# A program of sockets over RDMA does not wait for events of rdma_cm, as cm_listens wants
listens() # PROGRAM
{
	rdma resource show cm_id | grep -q "LISTEN .*comm $1 "
}

rping_works()
{
	# -V: compare the data; the server's buffer has the size of the client's
	served "rping -s -a $(peer_ip) -C 50 -V -S 65535" rping -c -a "$(peer_ip)" -C 50 -V -S 65535
}

# RDMA READ and WRITE of a file
rcopy_works()
{
	head -c 8M /dev/urandom >/tmp/rcopy
	# without a newline at the end of its output
	program_serves "$(declare -f listens); listens rcopy" "rcopy >/dev/null"
	program rcopy /tmp/rcopy "$(peer_ip):/tmp/rcopied"
	program_ends
	[ "$(peer 'sha256sum </tmp/rcopied; rm /tmp/rcopied')" = "$(sha256sum </tmp/rcopy)" ]
	rm /tmp/rcopy
}

# do_poll() of rdma-core's examples takes a peer that has shut down for an error, even where the last data are there as well, so
# that a client with -T a fails if it is slower than its server's shutdown. The server prints its result, its second line, before that,
# and takes its time over it.
SLOW_TO_PRINT="strace -qq -o /dev/null --trace-fds=1 -e trace=write -e inject=write:delay_enter=500000:when=2 -- stdbuf -oL --"

rstream_works() # NAME HOW
{
	served "$SLOW_TO_PRINT $1 -b $(peer_ip) -I 20 -C 20 -S all -T $2" "$1" -s "$(peer_ip)" -I 20 -C 20 -S all -T "$2"
}

rstreams()
{
	local how

	# poll(), blocking, non-blocking
	for how in a b n; do rstream_works "$1" $how; done
}

# A program for TCP sockets (-T s), unmodified, over RDMA: its data do not go through the interface
preloaded()
{
	local before after with="env LD_PRELOAD=$PRELOAD rstream -I 20 -C 100 -S 65536 -T s"

	before=$(</sys/class/net/"$netdev"/statistics/tx_bytes)
	# shellcheck disable=SC2086
	served "$with -b $(peer_ip)" $with -s "$(peer_ip)"
	after=$(</sys/class/net/"$netdev"/statistics/tx_bytes)
	echo "bytes of the interface: $((after - before))"
	[ $((after - before)) -lt 100000 ]
}

many()
{
	served "ucmatose -b $(peer_ip) -c $CONNECTIONS -C 2 -S 100" ucmatose -s "$(peer_ip)" -c "$CONNECTIONS" -C 2 -S 100
	grep -q 'return status 0' /tmp/program
	programs_left_nothing
}

# Times of each step of a connection
cmtime_works()
{
	served "cmtime -b $(peer_ip) -c $CONNECTIONS" cmtime -s "$(peer_ip)" -b "$(my_ip)" -c "$CONNECTIONS"
	grep -q '^full connect' /tmp/program
}

# A group of IPv4, with a sender here and a member there
group()
{
	program_serves "rdma resource show qp | grep -q 'comm mckey'" "mckey -m 239.77.0.9 -b $(peer_ip) -C 20"
	# it has joined when it has a QP and sees the frames of the sender, which are lost before
	program mckey -m 239.77.0.9 -b "$(my_ip)" -C 2000 -s
	peer_wait program
}

# The server of qperf 0.4.11 tells the client its port before it listens there, and a client that is faster is
# rejected: mended in qperf's repository by "Fix rdmacm race", after the last release.
qperf_raced() { grep -q 'unexpected event from RDMA CM: Event rejected' /tmp/program; }

qperf_measures() # TEST
{
	local times=5 ok

	while [ $((times--)) -gt 0 ]; do
		ok=
		program_serves "tcp_listens $QPERF_PORT" qperf
		program qperf -cm 1 -t 1 "$(peer_ip)" "$1" >/tmp/program 2>&1 && ok=1
		program_ends
		cat /tmp/program
		[ -z "$ok" ] || return 0
		qperf_raced || return 1
	done
	return 1
}

qperf_works() # TESTS...
{
	local measured

	for measured; do
		qperf_measures "$measured"
		grep -q "^$measured:$" /tmp/program
	done
}

# qperf without rdma_cm addresses its peer by LID, which RoCE does not have
qperf_without_cm()
{
	program_serves "tcp_listens $QPERF_PORT" qperf
	must_fail program qperf -t 1 "$(peer_ip)" rc_lat >/tmp/program 2>&1
	program_ends >/tmp/served
	cat /tmp/program /tmp/served
	# said by the end that fails first
	grep -q 'failed to modify QP to RTR: Invalid argument' /tmp/program /tmp/served
}

ktap_setup programs_meet_by_cm
ktap_test rping "rping with checked data" rping_works
ktap_test udaddy "udaddy: datagrams" served "udaddy -c 10 -C 20" udaddy -c 10 -C 20 -s "$(peer_ip)"
ktap_test group "mckey: a multicast group" group
ktap_test client "rdma_client and rdma_server" served rdma_server rdma_client -s "$(peer_ip)"
ktap_test xclient "the same over XRC" served "rdma_xserver -c x" rdma_xclient -s "$(peer_ip)" -c x
ktap_test many "ucmatose with hundreds of connections, and nothing is left" many
ktap_test cmtime "cmtime measures hundreds of connections" cmtime_works
ktap_test rstream "rstream: streams with poll, blocking and non-blocking" rstreams rstream
ktap_test riostream "riostream: the same with remote buffers" rstreams riostream
ktap_test rcopy "rcopy: a file arrives intact" rcopy_works
ktap_test preload "a program for TCP sockets runs over RDMA by preloading" preloaded
ktap_test qperf.rc "qperf: RC latency, bandwidth, RDMA and atomics" \
	qperf_works rc_lat rc_bw rc_bi_bw rc_rdma_read_lat rc_rdma_read_bw rc_rdma_write_lat rc_rdma_write_bw rc_fetch_add_mr rc_compare_swap_mr
ktap_test qperf.no-cm "qperf without rdma_cm is refused: it knows no GIDs" qperf_without_cm
ktap_finally programs_down
ktap_end
