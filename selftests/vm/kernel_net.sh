#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The kernel's own tests of network drivers (tools/testing/selftests/drivers/net of 6.12) between two guests. Each program runs once;
# a test is one of its cases.
# guests: 2
# cpus: 10
# takes: 300
# timeout: 900
# when: long
# kernels: 6.12 7.2
# drivers: cxr mlx5
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

FROM=$(cd "$KTAP_DIR/../.." && pwd)/build/net-tests
PROGRAMS=$FROM/tools/testing/selftests/drivers/net
SAID=/run/kernel_net
here=$(cd "$(dirname "$0")" && pwd)

before_each() { ends_know; }

ready()
{
	[ -e "$PROGRAMS/ping.py" ] || fail "the tests are not in $PROGRAMS: scripts/check puts them there (LONG=1)"
	ends_up
	ends_know
	rm -rf $SAID
	mkdir -p $SAID/bin
	cp selftests/lib/net_tests_ssh $SAID/bin/ssh
	# the tests end a program by ending its shell, which is to have become the program
	mountpoint -q /usr/bin/dash || mount --bind /usr/bin/bash /usr/bin/dash
	sysctl -qw "net.ipv6.conf.$netdev.keep_addr_on_down=1"
	if [ "$CXR_DRIVER" = mlx5 ]; then ethtool -K "$netdev" ntuple on; fi
}

# What the program says, which it does once
run_once() # PROGRAM
{
	local name

	name=$(basename "$1")
	[ ! -e "$SAID/$name" ] || return 0
	NETIF=$netdev LOCAL_V4=$(my_ip) LOCAL_V6=$(my_ip6) REMOTE_V4=$(peer_ip) REMOTE_V6=$(peer_ip6) REMOTE_TYPE=ssh REMOTE_ARGS=b \
		PATH=$SAID/bin:$PATH PYTHONPATH=$FROM/usr/lib/python3/dist-packages LD_LIBRARY_PATH=$FROM/usr/lib/x86_64-linux-gnu \
		python3 -B "$here/kernel_net.py" "$PROGRAMS/$1.py" >"$SAID/$name" 2>&1 || true
}

# Failures that say nothing about the driver
known()
{
	case $1 in
	test_hitless_key_update) echo "ethtool itself takes longer than 0.2 s on an emulated processor" ;;
	test_rss_context_dump) echo "it expects that each interface of the machine has RSS" ;;
	esac
}

case_of() # PROGRAM CASE
{
	local line name

	name=$(basename "$1")
	run_once "$1"
	line=$(grep -E "^(not )?ok [0-9]+ $name\.$2( |\$)" "$SAID/$name") || { cat "$SAID/$name"; fail "it has not run"; }
	case $line in
	*"# XFAIL"*) fail "$line" ;;
	*"# SKIP "*) skip "it says: ${line#*# SKIP }" ;;
	not*)
		[ -z "$(known "$2")" ] || skip "$(known "$2")"
		cat "$SAID/$name"
		fail "$line"
		;;
	esac
}

export KTAP_TIMEOUT=600
ktap_setup ready
ktap_test ping.v4 "ping.py: IPv4" case_of ping test_v4
ktap_test ping.v6 "ping.py: IPv6" case_of ping test_v6
ktap_test ping.tcp "ping.py: TCP" case_of ping test_tcp
ktap_test queues.get "queues.py: netlink has as many queues as sysfs" case_of queues get_queues
ktap_test queues.change "queues.py: queues come and go" case_of queues addremove_queues
ktap_test stats.pause "stats.py: statistics of pauses" case_of stats check_pause
ktap_test stats.fec "stats.py: statistics of forward error correction" case_of stats check_fec
ktap_test stats.sum "stats.py: the sums of queues are the statistics of the interface" case_of stats pkt_byte_sum
ktap_test stats.index "stats.py: queues of one interface, of all, and of none" case_of stats qstat_by_ifindex
ktap_test stats.down "stats.py: an interface that is down" case_of stats check_down
ktap_test rss.key "rss_ctx.py: key and table" case_of hw/rss_ctx test_rss_key_indir
ktap_test rss.queues "rss_ctx.py: a table and numbers of queues" case_of hw/rss_ctx test_rss_queue_reconfigure
ktap_test rss.resize "rss_ctx.py: weights stay when there are more queues" case_of hw/rss_ctx test_rss_resize
ktap_test rss.hitless "rss_ctx.py: the key changes under traffic" case_of hw/rss_ctx test_hitless_key_update
ktap_test rss.context "rss_ctx.py: a context" case_of hw/rss_ctx test_rss_context
ktap_test rss.context.4 "rss_ctx.py: four contexts" case_of hw/rss_ctx test_rss_context4
ktap_test rss.context.32 "rss_ctx.py: 32 contexts" case_of hw/rss_ctx test_rss_context32
ktap_test rss.context.dump "rss_ctx.py: contexts by netlink" case_of hw/rss_ctx test_rss_context_dump
ktap_test rss.context.queues "rss_ctx.py: a context and numbers of queues" case_of hw/rss_ctx test_rss_context_queue_reconfigure
ktap_test rss.context.overlap "rss_ctx.py: a context and the interface share queues" case_of hw/rss_ctx test_rss_context_overlap
ktap_test rss.context.overlap2 "rss_ctx.py: two contexts share queues" case_of hw/rss_ctx test_rss_context_overlap2
ktap_test rss.context.order "rss_ctx.py: contexts go in another order" case_of hw/rss_ctx test_rss_context_out_of_order
ktap_test rss.context.configured "rss_ctx.py: contexts that are created with a table" case_of hw/rss_ctx test_rss_context4_create_with_cfg
ktap_end
